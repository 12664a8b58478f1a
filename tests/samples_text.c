/* The samples as text. */
#include "tests/samples_text.h"

#include "tests/values.h"

#include <string.h>

const char *samples_text(ct_function *f)
{
    return ct_function_text(f, CT_TEXT_STABLEHLO);
}

const sample *samples_named(const char *name)
{
    for (size_t i = 0; i < n_samples; i++)
        if (strcmp(samples[i].name, name) == 0)
            return &samples[i];
    check_fail(__FILE__, __LINE__, "there is no sample %s", name);
    return NULL;
}

void samples_check_pieces(const char *file, int line, const char *name, const char *const *piece,
                          size_t count)
{
    ct_context *ctx = ct_context_new();
    const char *text = samples_text(samples_named(name)->make(ctx)), *rest = text;
    for (size_t i = 0; i < count; i++) {
        const char *found = strstr(rest, piece[i]);
        if (!found)
            check_fail(file, line, "%s lacks\n%s\nin\n%s", name, piece[i], text);
        rest = found + strlen(piece[i]);
    }
    CHECK_OK(ctx);
    ct_context_free(ctx);
}
