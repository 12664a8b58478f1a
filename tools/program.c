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

ct_function *load_function(ct_context *ctx, const char *path, const char *entry, ct_list arguments)
{
    ct_module *module = ct_read_stablehlo_at(NOWHERE, ctx, path);
    ct_function *f = ct_module_function_at(NOWHERE, module, entry);
    if (ct_error_status(ctx) != CT_ERR_TYPE || arguments.count == 0)
        return f;
    ct_error_clear(ctx); /* a template: its types come from the arguments */
    return ct_specialize_at(NOWHERE, module, entry, arguments);
}
