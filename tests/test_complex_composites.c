/* Which functions above the operations take complex tensors, with derivatives that are right, and
 * which refuse them: as the headers say. */
#include "tests/values.h"

#include <cotangent/cotangent.h>

#include <string.h>

typedef ct_tensor *one_operand(ct_place at, ct_tensor *x);
typedef ct_tensor *two_operands(ct_place at, ct_operand x, ct_operand y);
typedef ct_tensor *reduction(ct_place at, ct_tensor *x, ct_axes axes, ct_keep_axes keep);

typedef struct function {
    const char *name;
    one_operand *one;
    two_operands *two;
    reduction *fold;
} function;

#define ONE(f)                                                                                     \
    {                                                                                              \
#f, f##_at, NULL, NULL                                                                     \
    }
#define TWO(f)                                                                                     \
    {                                                                                              \
#f, NULL, f##_at, NULL                                                                     \
    }
#define FOLD(f)                                                                                    \
    {                                                                                              \
#f, NULL, NULL, f##_at                                                                     \
    }

static const function takes[] = {
    ONE(ct_neg),   ONE(ct_abs),   ONE(ct_sign),  ONE(ct_square), ONE(ct_reciprocal), ONE(ct_exp),
    ONE(ct_expm1), ONE(ct_log),   ONE(ct_log1p), ONE(ct_sqrt),   ONE(ct_rsqrt),      ONE(ct_cbrt),
    ONE(ct_sin),   ONE(ct_cos),   ONE(ct_tan),   ONE(ct_tanh),   ONE(ct_sigmoid),    ONE(ct_asin),
    ONE(ct_acos),  ONE(ct_atan),  ONE(ct_asinh), ONE(ct_acosh),  ONE(ct_atanh),      ONE(ct_sinh),
    ONE(ct_cosh),  TWO(ct_add),   TWO(ct_sub),   TWO(ct_mul),    TWO(ct_div),        TWO(ct_pow),
    FOLD(ct_sum),  FOLD(ct_prod), FOLD(ct_mean)};

/* bool, or without a derivative. */
static const function asks[] = {TWO(ct_eq), TWO(ct_ne), FOLD(ct_any), FOLD(ct_all),
                                ONE(ct_stop_gradient)};

static const function refuses[] = {
    ONE(ct_exp2),       ONE(ct_log2),         ONE(ct_log10),      ONE(ct_erf),        ONE(ct_erfc),
    ONE(ct_erf_inv),    ONE(ct_lgamma),       ONE(ct_digamma),    ONE(ct_bessel_i1e), ONE(ct_floor),
    ONE(ct_ceil),       ONE(ct_round),        ONE(ct_trunc),      ONE(ct_relu),       ONE(ct_silu),
    ONE(ct_softplus),   ONE(ct_is_finite),    ONE(ct_is_nan),     ONE(ct_is_inf),     ONE(ct_not),
    TWO(ct_rem),        TWO(ct_maximum),      TWO(ct_minimum),    TWO(ct_atan2),      TWO(ct_mod),
    TWO(ct_hypot),      TWO(ct_floor_divide), TWO(ct_logaddexp),  TWO(ct_lt),         TWO(ct_le),
    TWO(ct_gt),         TWO(ct_ge),           TWO(ct_and),        TWO(ct_or),         TWO(ct_xor),
    TWO(ct_polygamma),  TWO(ct_zeta),         TWO(ct_next_after), FOLD(ct_max),       FOLD(ct_min),
    FOLD(ct_logsumexp), FOLD(ct_norm)};

static ct_tensor *apply(const function *f, ct_tensor *x, ct_tensor *y)
{
    if (f->one)
        return f->one(CT_HERE, x);
    return f->two ? f->two(CT_HERE, CT_OPERAND(x), CT_OPERAND(y))
                  : f->fold(CT_HERE, x, CT_ALL_AXES, CT_DROP_AXES);
}

static void run(void *user, ct_list in, ct_tensor **out)
{
    out[0] = apply(user, in.item[0], in.item[1]);
}

static ct_tensor *numbers(ct_context *ctx, double re, double im)
{
    const double a[] = {re, re + 0.25}, b[] = {im, im - 0.5};
    return ct_op_complex(ct_from_doubles(ctx, CT_F64, CT_SHAPE(2), a),
                         ct_from_doubles(ctx, CT_F64, CT_SHAPE(2), b));
}

static ct_function *traced(const function *f, ct_tensor *x, ct_tensor *y)
{
    function copy = *f;
    return ct_trace_many(ct_context_of(x), run, &copy, 1, CT_LIKE(x, y));
}

TEST(what_takes_complex)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = numbers(ctx, 0.3, 0.4), *y = numbers(ctx, 1.5, -0.7);
    for (size_t i = 0; i < sizeof takes / sizeof *takes; i++) {
        ct_function *f = traced(&takes[i], x, y);
        const bool is_real = strcmp(takes[i].name, "ct_abs") == 0;
        CHECK_MSG(!ct_failed(ctx), "%s: %s", takes[i].name, ct_error_message(ctx));
        CHECK(ct_type_dtype(ct_result_type(f, 0)) == (is_real ? CT_F64 : CT_C128));
        ct_gradcheck_report *report = ct_gradcheck(f, CT_ARGV(x, y), NULL);
        CHECK_OK(ctx);
        CHECK_MSG(ct_gradcheck_passed(report), "%s: %s", takes[i].name, ct_gradcheck_text(report));
    }
    for (size_t i = 0; i < sizeof asks / sizeof *asks; i++) {
        apply(&asks[i], x, y);
        CHECK_MSG(!ct_failed(ctx), "%s: %s", asks[i].name, ct_error_message(ctx));
    }
    CHECK_EQUAL(ct_where(ct_eq(x, x), x, 0), x);
    CHECK_EQUAL(ct_op_real(ct_add(x, 2)), ct_add(ct_op_real(x), 2));
    CHECK_EQUAL(ct_op_imag(ct_add(x, 2)), ct_op_imag(x));
    ct_context_free(ctx);
}

TEST(what_refuses_complex)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = numbers(ctx, 0.3, 0.4);
    for (size_t i = 0; i < sizeof refuses / sizeof *refuses; i++) {
        apply(&refuses[i], x, x);
        CHECK_MSG(ct_error_status(ctx) == CT_ERR_TYPE, "%s takes complex", refuses[i].name);
        CHECK_ERROR(ctx, CT_ERR_TYPE, "is c128; it takes ");
    }
    ct_clip(x, 0, 1);
    CHECK_ERROR(ctx, CT_ERR_TYPE, "is c128; it takes ");
    ct_gelu(x, CT_GELU_TANH);
    CHECK_ERROR(ctx, CT_ERR_TYPE, "is c128; it takes ");
    ct_argmax(x, 0, CT_DROP_AXES);
    CHECK_ERROR(ctx, CT_ERR_TYPE, "is c128; it takes ");
    ct_var(x, CT_ALL_AXES, CT_DROP_AXES, 0);
    CHECK_ERROR(ctx, CT_ERR_TYPE, "is c128; it takes ");
    ct_std(x, CT_ALL_AXES, CT_DROP_AXES, 0);
    CHECK_ERROR(ctx, CT_ERR_TYPE, "is c128; it takes ");
    ct_softmax(x, CT_ALL_AXES);
    CHECK_ERROR(ctx, CT_ERR_TYPE, "is c128; it takes ");
    ct_log_softmax(x, CT_ALL_AXES);
    CHECK_ERROR(ctx, CT_ERR_TYPE, "is c128; it takes ");
    ct_context_free(ctx);
}
