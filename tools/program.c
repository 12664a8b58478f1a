#include "tools/tools.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* How much of a remark for who writes C stands here: " (ct_cast converts)"; 0: none does. */
static size_t remark_length(const char *text)
{
    size_t length = strncmp(text, " (", 2) == 0 ? strcspn(text + 2, "()\n") : 0;
    bool ends = length > 0 && text[2 + length] == ')';
    for (size_t i = 0; ends && i + 3 <= length; i++)
        if (strncmp(text + 2 + i, "ct_", 3) == 0)
            return length + 3;
    return 0;
}

const char *error_text(const ct_context *ctx, char *text, size_t bytes)
{
    const char *from = ct_error_message(ctx);
    size_t n = 0;
    while (*from && n + 1 < bytes) {
        size_t skipped = remark_length(from);
        from += skipped;
        if (!skipped)
            text[n++] = *from++;
    }
    text[n] = '\0';
    return text;
}

int input_error(const ct_context *ctx)
{
    char text[8192];
    fprintf(stderr, "cotangent: %s\n", error_text(ctx, text, sizeof text));
    return FAILURE;
}

bool join_path(char path[PATH_BYTES], const char *folder, const char *name)
{
    const int length = snprintf(path, PATH_BYTES, "%s/%s", folder, name);
    if (length >= 0 && length < PATH_BYTES)
        return true;
    fprintf(stderr, "cotangent: %s/%s: %s\n", folder, name, strerror(ENAMETOOLONG));
    return false;
}

int program_error(const ct_context *ctx, const char *path)
{
    char text[8192];
    bool is_placed = ct_error_place(ctx).file || ct_error_status(ctx) == CT_ERR_MEMORY;
    fprintf(stderr, "cotangent: %s%s%s\n", is_placed ? "" : path, is_placed ? "" : ": ",
            error_text(ctx, text, sizeof text));
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

int template_error(const ct_context *ctx, const char *advice)
{
    char text[8192];
    fprintf(stderr, "cotangent: %s (%s)\n", error_text(ctx, text, sizeof text), advice);
    return FAILURE;
}

/* ---- Templates. */

/* For the first of the arguments, as many as it takes: tangents and cotangents may follow. */
static ct_function *specialize(ct_module *module, const char *entry, ct_list arguments)
{
    const size_t count = ct_module_parameters(module, entry);
    if (count < arguments.count)
        arguments.count = count;
    return ct_specialize_at(NOWHERE, module, entry, arguments);
}

ct_function *load_function(ct_context *ctx, ct_module *module, const program_words *program,
                           const shape_list *shapes, ct_list arguments)
{
    ct_function *f = shapes->count > 0 ? ct_specialize_shapes_at(NOWHERE, module, program->entry,
                                                                 shapes->count, shapes->shape)
                                       : ct_module_function_at(NOWHERE, module, program->entry);
    if (shapes->count == 0 && ct_error_status(ctx) == CT_ERR_TYPE) {
        if (arguments.count == 0 || program->of_lanes) {
            template_error(ctx, program->of_lanes ? "--shapes gives those of one lane"
                                                  : "--shapes or --input gives them");
            return NULL;
        }
        ct_error_clear(ctx);
        f = specialize(module, program->entry, arguments);
    }
    if (ct_failed(ctx))
        input_error(ctx);
    return ct_failed(ctx) ? NULL : f;
}
