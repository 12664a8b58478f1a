/* In place of compare.c, in a library that is built without GMP, MPFR and MPC. */
#include "probe/blame.h"
#include "trace/trace.h"

#include <cotangent/compare.h>

struct ct_accuracy {
    char nothing;
};

/* Never written. */
static const ct_accuracy poison;
static const ct_compared nothing = {.operation = "", .type = ""};

ct_accuracy *ct_compare_at(ct_place at, ct_function *f, ct_list arguments,
                           const ct_compare_options *options)
{
    ct_context *ctx = ct_function_context(f);

    (void)arguments, (void)options;
    if (ct__function_check(ctx, at, "compare", f))
        ct__error(ctx, at, CT_ERR_ARGUMENT, "compare: the library has no GMP and MPFR");
    return (ct_accuracy *)(uintptr_t)&poison;
}

size_t ct_compared_results(const ct_accuracy *c)
{
    (void)c;
    return 0;
}

size_t ct_compared_values(const ct_accuracy *c)
{
    (void)c;
    return 0;
}

ct_compared ct_compared_result(const ct_accuracy *c, size_t i)
{
    (void)c, (void)i;
    return nothing;
}

ct_compared ct_compared_value(const ct_accuracy *c, size_t i)
{
    (void)c, (void)i;
    return nothing;
}

bool ct_compared_same_way(const ct_accuracy *c)
{
    (void)c;
    return true;
}

const char *ct_accuracy_text(const ct_accuracy *c, size_t most)
{
    (void)c, (void)most;
    return "";
}

bool ct__find_lost(const ct_accuracy *a, ct__blame *blame)
{
    (void)a, (void)blame;
    return false;
}
