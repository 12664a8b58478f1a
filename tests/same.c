#include "tests/same.h"
#include "tests/values.h"

#include <stdlib.h>
#include <string.h>

ct_executable *compile_with(ct_function *f, ct_executor executor)
{
    ct_compile_options options = {.size = sizeof options, .executor = executor};
    return ct_compile(f, &options);
}

static bool are_same(ct_tensor *x, ct_tensor *y)
{
    size_t bytes = (size_t)ct_size(x) * ct_dtype_bytes(ct_dtype_of(x));
    return memcmp(ct_data(x), ct_data(y), bytes) == 0 ||
           (ct_dtype_is_float(ct_dtype_of(x)) && ct_equal(x, y));
}

bool same_as_machine(ct_function *f, ct_list arguments, ct_executor executor, const char *what)
{
    return is_same_as_machine(compile_with(f, executor), f, arguments, what);
}

bool is_same_as_machine(ct_executable *e, ct_function *f, ct_list arguments, const char *what)
{
    const size_t n = ct_function_results(f);
    ct_tensor **want = calloc(2 * n + 1, sizeof *want), **got = want + n;
    ct_context *ctx = ct_function_context(f);
    CHECK(want != NULL);
    ct_call(compile_with(f, CT_EXECUTOR_MACHINE), arguments, want, n);
    if (ct_failed(ctx)) {
        free(want);
        return false;
    }
    ct_call(e, arguments, got, n);
    CHECK_OK(ctx);
    for (size_t i = 0; i < n; i++)
        CHECK_MSG(are_same(want[i], got[i]), "%s: result %zu", what, i);
    free(want);
    return true;
}
