#include "tests/programs.h"

#include <cotangent/exec.h>
#include <cotangent/op.h>

enum { RESULTS = 4 };

/* What is computed at once is computed in these numerics. */
static const ct_compile_options reference = {.size = sizeof reference,
                                             .executor = CT_EXECUTOR_INTERPRETER};

void programs_run(ct_context *ctx, program p, ct_list arguments, ct_tensor **result)
{
    ct_tensor *direct[RESULTS] = {NULL};

    p.body(p.user, arguments, direct);
    ct_function *f = ct_trace_many(ctx, p.body, p.user, p.n_results, arguments);
    ct_executable *e = ct_compile(f, &reference);
    ct_call(e, arguments, result, p.n_results);
    CHECK_OK(ctx);
    for (size_t i = 0; i < p.n_results; i++)
        CHECK_BITS(result[i], direct[i]);
}

ct_tensor *programs_run1(ct_context *ctx, ct_many_function *body, void *user, ct_list arguments)
{
    ct_tensor *result = NULL;

    programs_run(ctx, (program){body, user, 1}, arguments, &result);
    return result;
}

void programs_check_fails(ct_context *ctx, ct_many_function *body, void *user, ct_list arguments,
                          const char *message)
{
    ct_tensor *result = NULL;

    body(user, arguments, &result);
    CHECK_ERROR(ctx, CT_ERR_INDEX, message);
    CHECK(ct_is_poison(result));
    ct_executable *e = ct_compile(ct_trace_many(ctx, body, user, 1, arguments), NULL);
    CHECK_OK(ctx);
    result = ct_call1(e, arguments);
    CHECK_ERROR(ctx, CT_ERR_INDEX, message);
    CHECK(ct_is_poison(result));
}

ct_tensor *programs_twice_minus(ct_tensor *old, ct_tensor *new)
{
    return ct_op_subtract(ct_op_add(old, old), new);
}

/* ---- Random numbers and index spaces. */

static uint64_t random_state = 12345;

int64_t programs_pick(int64_t below)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (int64_t)(random_state >> 33) % below;
}

bool programs_listed(const int64_t *list, size_t count, int64_t item)
{
    for (size_t i = 0; i < count; i++)
        if (list[i] == item)
            return true;
    return false;
}

size_t programs_flat(const int64_t *dim, size_t rank, const int64_t *index)
{
    int64_t at = 0;
    for (size_t d = 0; d < rank; d++)
        at = at * dim[d] + index[d];
    return (size_t)at;
}

int64_t programs_count(const int64_t *dim, size_t rank)
{
    int64_t n = 1;
    for (size_t d = 0; d < rank; d++)
        n *= dim[d];
    return n;
}

void programs_unflatten(const int64_t *dim, size_t rank, int64_t at, int64_t *index)
{
    for (size_t d = rank; d-- > 0; at /= dim[d])
        index[d] = at % dim[d];
}
