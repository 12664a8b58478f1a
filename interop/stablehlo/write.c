#include "interop/interop.h"

#include <cotangent/module.h>

/* The text, which the caller frees; false after reporting an error. */
static bool print(ct_context *ctx, ct_place at, const char *what, ct_function *f, unsigned flags,
                  ct__text *text)
{
    ct__fault fault = {.status = CT_OK};
    if (flags & ~(unsigned)(CT_WRITE_GENERIC | CT_WRITE_PLACES)) {
        ct__error(ctx, at, CT_ERR_ARGUMENT, "%s: there are no flags %u", what, flags);
        return false;
    }
    ct__text_init(text, &ctx->allocator);
    if (ct__print_stablehlo_as(f->graph, flags, text, &fault) && !text->failed)
        return true;
    if (fault.status != CT_OK)
        ct__error(ctx, fault.at.file ? fault.at : at, fault.status, "%s: %s", what, fault.message);
    else
        ct__error_memory(ctx, at, what);
    ct__text_free(text);
    return false;
}

const char *ct_stablehlo_text_at(ct_place at, ct_function *f, unsigned flags)
{
    ct_context *ctx = ct_function_context(f);
    const char *result = "";
    ct__text text;
    if (ct_failed(ctx) || !ct__function_check(ctx, at, "stablehlo_text", f) ||
        !print(ctx, at, "stablehlo_text", f, flags, &text))
        return "";
    result = ct__scope_text(ctx, text.data, text.length);
    ct__text_free(&text);
    return result;
}

void ct_write_stablehlo_at(ct_place at, ct_function *f, const char *path, unsigned flags)
{
    ct_context *ctx = ct_function_context(f);
    ct__text text;
    if (ct_failed(ctx) || !ct__function_check(ctx, at, "write_stablehlo", f) ||
        !print(ctx, at, "write_stablehlo", f, flags, &text))
        return;
    FILE *file = ct__file_open(ctx, at, "write_stablehlo", path, "wb");
    if (file) {
        fwrite(text.data, 1, text.length, file); /* the file remembers a failure */
        ct__file_close(ctx, at, "write_stablehlo", path, file);
    }
    ct__text_free(&text);
}
