#include "tools/tools.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int input_error(const ct_context *ctx)
{
    fprintf(stderr, "cotangent: %s\n", ct_error_message(ctx));
    return FAILURE;
}

char *read_file(const char *path, size_t *length)
{
    FILE *file = fopen(path, "rb");
    char *text = NULL;
    size_t capacity = 0, n = 1;
    *length = 0;
    while (file && n > 0) {
        if (*length + 1 >= capacity) {
            char *longer = realloc(text, capacity = 2 * capacity + 65536);
            if (!longer)
                break;
            text = longer;
        }
        n = fread(text + *length, 1, capacity - *length - 1, file);
        *length += n;
        text[*length] = '\0';
    }
    bool fine = file && n == 0 && !ferror(file);
    if (!fine) {
        fprintf(stderr, "cotangent: %s: %s\n", path, errno ? strerror(errno) : "cannot be read");
        free(text);
        text = NULL;
    }
    if (file)
        fclose(file);
    return text;
}

/* The instance of a template for the first of these arguments, as many as it takes, which only
 * trying tells; the error of all of them when it takes none. */
static ct_function *specialize(ct_context *ctx, ct_module *module, const char *entry,
                               ct_list arguments)
{
    for (size_t count = arguments.count; count > 0; count--) {
        ct_function *f = ct_specialize_at(NOWHERE, module, entry, CT_LIST(count, arguments.item));
        if (!ct_failed(ctx))
            return f;
        ct_error_clear(ctx);
    }
    return ct_specialize_at(NOWHERE, module, entry, arguments);
}

ct_function *load_function(ct_context *ctx, const char *path, const char *entry, ct_list arguments)
{
    ct_module *module = ct_read_stablehlo_at(NOWHERE, ctx, path);
    ct_function *f = ct_module_function_at(NOWHERE, module, entry);
    if (ct_error_status(ctx) != CT_ERR_TYPE || arguments.count == 0)
        return f;
    ct_error_clear(ctx); /* a template: its types come from the arguments */
    return specialize(ctx, module, entry, arguments);
}
