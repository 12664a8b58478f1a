/* Gradient checking at random places: no false alarm, and no planted mistake that is missed. */
#include "tests/values.h"

#include <cotangent/cotangent.h>

#include <math.h>

typedef ct_tensor *unary(ct_tensor *x);

static ct_tensor *exponential(ct_tensor *x)
{
    return ct_exp(x);
}

static ct_tensor *wave(ct_tensor *x)
{
    return ct_sin(ct_square(x));
}

static ct_tensor *softmax(ct_tensor *x)
{
    return ct_softmax(x, CT_AXES(-1));
}

static ct_tensor *log_softmax(ct_tensor *x)
{
    return ct_log_softmax(x, CT_AXES(-1));
}

static ct_tensor *rational(ct_tensor *x)
{
    return ct_div(x, ct_add(1, ct_square(x)));
}

static ct_tensor *soft_abs(ct_tensor *x)
{
    return ct_sqrt(ct_add(ct_square(x), 1e-6));
}

/* Cancels where the elements are near each other. */
static ct_tensor *variance(ct_tensor *x)
{
    ct_tensor *mean = ct_mean(x, CT_ALL_AXES, CT_DROP_AXES);
    return ct_sub(ct_mean(ct_square(x), CT_ALL_AXES, CT_DROP_AXES), ct_square(mean));
}

static ct_tensor *standardised(ct_tensor *x)
{
    ct_tensor *d = ct_sub(x, ct_mean(x, CT_ALL_AXES, CT_KEEP_AXES));
    return ct_div(d, ct_sqrt(ct_add(ct_mean(ct_square(d), CT_ALL_AXES, CT_KEEP_AXES), 1e-5)));
}

static ct_tensor *largest(ct_tensor *x)
{
    return ct_max(x, CT_ALL_AXES, CT_DROP_AXES);
}

static ct_tensor *power(ct_tensor *x)
{
    return ct_pow(ct_add(ct_abs(x), 0.5), 2.5);
}

static ct_tensor *reciprocal(ct_tensor *x)
{
    return ct_div(1, x);
}

static ct_tensor *rectified(ct_tensor *x)
{
    return ct_relu(ct_sub(x, 0.01));
}

static unary *const programs[] = {exponential, wave,         softmax, log_softmax, rational,
                                  soft_abs,    variance,     largest, power,       reciprocal,
                                  rectified,   standardised, NULL};

enum { N = 5, KINDS = 4, ROUNDS = 6 };

/* Five numbers near 1, of all sizes, tiny, or large. */
static ct_tensor *place(ct_context *ctx, ct_dtype dtype, int kind, uint64_t seed)
{
    ct_key key = ct_key_new(seed);
    ct_tensor *u = ct_random_uniform(ctx, key, CT_F64, CT_SHAPE(N), -1, 1);
    if (kind == 0)
        return ct_cast(ct_mul(u, 3), dtype);
    if (kind == 2)
        return ct_cast(ct_mul(u, 1e-7), dtype);
    if (kind == 3)
        return ct_cast(ct_mul(u, 30), dtype);
    ct_tensor *e = ct_random_uniform(ctx, ct_key_fold(key, 1), CT_F64, CT_SHAPE(N), -5, 3);
    return ct_cast(ct_mul(u, ct_pow(ct_full(ctx, CT_F64, CT_SHAPE(N), 10), e)), dtype);
}

TEST(no_false_alarms)
{
    static const ct_dtype dtypes[] = {CT_F64, CT_F32, CT_BF16};
    size_t right = 0, noisy = 0;
    for (size_t i = 0; programs[i]; i++)
        for (int round = 0; round < ROUNDS * KINDS; round++) {
            ct_context *ctx = ct_context_new();
            ct_gradcheck_options options = {.size = sizeof options,
                                            .directions = round % 5 == 0 ? 2 : 0,
                                            .second_order = round % 3 == 0};
            ct_tensor *x = place(ctx, dtypes[round % 3], round % KINDS, (uint64_t)round);
            ct_gradcheck_report *r = ct_gradcheck(ct_trace(ctx, programs[i], CT_LIKE(x)),
                                                  CT_ARGV(x), &options);
            CHECK_OK(ctx);
            CHECK_MSG(ct_gradcheck_count(r, CT_GRADCHECK_WRONG) == 0 &&
                          ct_gradcheck_count(r, CT_GRADCHECK_KINK) == 0,
                      "program %zu, round %d at %s: %s", i, round, ct_text(x),
                      ct_gradcheck_text(r));
            right += ct_gradcheck_count(r, CT_GRADCHECK_RIGHT);
            noisy += ct_gradcheck_count(r, CT_GRADCHECK_NOISY);
            ct_context_free(ctx);
        }
    CHECK_MSG(noisy * 500 < right, "%zu of %zu were too noisy to tell", noisy, right + noisy);
}

/* The derivative of a program, too large by 1e-5. */
static ct_tensor *too_large(void *vjp, ct_tensor *x, ct_tensor *ybar)
{
    return ct_mul(ct_apply1((ct_function *)vjp, CT_ARGV(x, ybar)), 1.00001);
}

/* Derivatives that are small beside their result are lost in its noise, and may pass. */
static size_t count_missed(ct_gradcheck_report *r, ct_tensor *y)
{
    size_t missed = 0;
    for (size_t i = 0; i < ct_gradcheck_findings(r); i++) {
        const ct_gradcheck_finding *f = ct_gradcheck_finding_at(r, i);
        if (f->kind == CT_GRADCHECK_ADJOINT || f->verdict == CT_GRADCHECK_WRONG)
            continue;
        bool scalar = f->result_element.count == 0;
        double value = scalar ? ct_item(y) : ct_at(y, f->result_element.dim[0]);
        missed += fabs(f->derivative) > fmax(1e-3 * fabs(value), 1e-6);
    }
    return missed;
}

TEST(mistakes_are_not_missed)
{
    size_t missed = 0, wrong = 0;
    for (size_t i = 0; programs[i]; i++)
        for (int round = 0; round < ROUNDS; round++) {
            ct_context *ctx = ct_context_new();
            ct_tensor *x = place(ctx, CT_F64, round % 2, 100 + (uint64_t)round);
            ct_function *f = ct_trace(ctx, programs[i], CT_LIKE(x));
            ct_tensor *y = ct_apply1(f, CT_ARGV(x));
            ct_function *g = ct_trace_user(ctx, too_large, ct_vjp(f, CT_ARGS(0)), CT_LIKE(x, y));
            ct_gradcheck_options options = {.size = sizeof options, .list_right = true};
            ct_gradcheck_report *r = ct_gradcheck_against(f, g, CT_ARGV(x), &options);
            missed += count_missed(r, y);
            wrong += ct_gradcheck_count(r, CT_GRADCHECK_WRONG);
            CHECK_OK(ctx);
            ct_context_free(ctx);
        }
    CHECK_MSG(wrong > 500 && missed * 100 < wrong, "%zu seen, %zu missed", wrong, missed);
}
