/* In place of exec/oracle/, in a library that is built without GMP, MPFR and MPC. */
#include "exec/exec.h"
#include "exec/saturate.h"

#include <cotangent/oracle.h>

struct ct_numbers {
    char nothing;
};

/* Never written. */
static const ct_numbers poison;

bool ct_has_oracle(void)
{
    return false;
}

void ct__program_saturates(ct__program *program)
{
    (void)program;
}

void ct__executable_saturates(const ct_executable *f)
{
    (void)f;
}

ct_numbers *ct_call_numbers_at(ct_place at, ct_executable *f, ct_list arguments,
                               ct_tensor **results, size_t n_results)
{
    ct_context *ctx = f ? f->handle.ctx : NULL;

    (void)arguments;
    for (size_t i = 0; results && i < n_results; i++)
        results[i] = ct__poison(ctx);
    if (ctx && !ct_failed(ctx))
        ct__error(ctx, at, CT_ERR_ARGUMENT, "call_numbers: the library has no GMP and MPFR");
    return (ct_numbers *)(uintptr_t)&poison;
}

size_t ct_number_text(const ct_numbers *numbers, size_t result, int64_t element,
                      ct_number_form form, int digits, char *text, size_t bytes)
{
    (void)numbers, (void)result, (void)element, (void)form, (void)digits;
    if (bytes > 0)
        text[0] = '\0';
    return 0;
}
