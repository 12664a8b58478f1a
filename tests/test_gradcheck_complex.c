/* Gradient checking of complex values, part by part. */
#include "tests/values.h"

#include <cotangent/cotangent.h>

#include <math.h>
#include <string.h>

#define OPTIONS(...)                                                                               \
    (&(const ct_gradcheck_options){.size = sizeof(ct_gradcheck_options), __VA_ARGS__})

static ct_tensor *complex_of(ct_tensor *re, ct_tensor *im)
{
    return ct_op_complex(re, im);
}

static ct_tensor *numbers(ct_context *ctx)
{
    return complex_of(given(ctx, CT_F32, CT_SHAPE(3), {0.75, -0.5, -1.25}),
                      given(ctx, CT_F32, CT_SHAPE(3), {-1.25, 2, 0.375}));
}

/* `checks` of them, all right. */
static void all_right(int line, const ct_gradcheck_report *report, size_t checks)
{
    if (ct_gradcheck_count(report, CT_GRADCHECK_RIGHT) != checks || !ct_gradcheck_passed(report))
        check_fail(__FILE__, line, "%s", ct_gradcheck_text(report));
}
#define ALL_RIGHT(report, checks) all_right(__LINE__, report, checks)

/* ---- Right ones. */

static ct_tensor *holomorphic(ct_tensor *z)
{
    return ct_op_multiply(ct_op_exponential(z), ct_op_sine(z));
}

static ct_tensor *size_of(ct_tensor *z)
{
    return ct_op_abs(z);
}

static ct_tensor *spectrum(ct_tensor *x)
{
    return ct_op_fft(x, CT_RFFT, CT_DIMS(5));
}

/* A complex number is two elements; per element of the input a check of each element of the result,
 * and one of the adjoint identity. */
TEST(right)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *z = numbers(ctx), *none = complex_of(ct_zeros(ctx, CT_F64, CT_SHAPE(0)),
                                                    ct_zeros(ctx, CT_F64, CT_SHAPE(0)));
    ct_function *f = ct_trace(ctx, holomorphic, CT_LIKE(z));
    ALL_RIGHT(ct_gradcheck(f, CT_ARGV(z), NULL), 6 * 6 + 6);
    ALL_RIGHT(ct_gradcheck(f, CT_ARGV(z), OPTIONS(.second_order = true)), 2 * (6 * 6 + 6));
    ALL_RIGHT(ct_gradcheck(f, CT_ARGV(z), OPTIONS(.directions = 2)), 2 * 6 + 2);
    f = ct_trace(ctx, size_of, CT_LIKE(z));
    ALL_RIGHT(ct_gradcheck(f, CT_ARGV(z), OPTIONS(.second_order = true)), 6 * 3 + 6 + 6 * 6 + 6);
    ct_tensor *x = given(ctx, CT_F64, CT_SHAPE(5), {3, -1, 4, 1, -5});
    ALL_RIGHT(ct_gradcheck(ct_trace(ctx, spectrum, CT_LIKE(x)), CT_ARGV(x), NULL), 5 * 6 + 5);
    ALL_RIGHT(ct_gradcheck(ct_trace(ctx, holomorphic, CT_LIKE(none)), CT_ARGV(none), NULL), 0);
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* ---- What is found. */

/* |z| has a kink at 0, in either part. */
TEST(kink_at_zero)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *zero = ct_scalar(ctx, CT_F64, 0), *z = complex_of(zero, zero);
    ct_gradcheck_report *r = ct_gradcheck(ct_trace(ctx, size_of, CT_LIKE(z)), CT_ARGV(z), NULL);
    CHECK(ct_gradcheck_count(r, CT_GRADCHECK_KINK) == 2 && ct_gradcheck_passed(r));
    CHECK(strstr(ct_gradcheck_text(r), "from below"));
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

static ct_tensor *square(ct_tensor *z)
{
    return ct_op_multiply(z, z);
}

static ct_tensor *square_bar(ct_tensor *z, ct_tensor *ybar)
{
    return ct_op_multiply(ybar, ct_op_add(z, z));
}

/* The convention with conjugates. */
static ct_tensor *conjugate_bar(ct_tensor *z, ct_tensor *ybar)
{
    ct_tensor *slope = ct_op_add(z, z);
    return ct_op_multiply(ybar, ct_op_complex(ct_op_real(slope), ct_op_negate(ct_op_imag(slope))));
}

/* Cotangents by hand are paired as those of ct_vjp; a wrong one is found in the parts it spoils. */
TEST(by_hand)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *z = numbers(ctx);
    ct_function *f = ct_trace(ctx, square, CT_LIKE(z));
    ct_function *good = ct_trace(ctx, square_bar, CT_LIKE(z, z));
    ct_function *bad = ct_trace(ctx, conjugate_bar, CT_LIKE(z, z));
    ALL_RIGHT(ct_gradcheck_against(f, good, CT_ARGV(z), NULL), 6 * 6 + 6);
    ct_gradcheck_report *r = ct_gradcheck_against(f, bad, CT_ARGV(z), NULL);
    CHECK_MSG(ct_gradcheck_count(r, CT_GRADCHECK_WRONG) == 6, "%s", ct_gradcheck_text(r));
    CHECK(!ct_gradcheck_passed(r));
    const ct_gradcheck_finding *first = ct_gradcheck_finding_at(r, 0);
    CHECK(first->element.count == 2 && first->element.dim[0] == 0 && first->element.dim[1] == 0);
    CHECK(first->result_element.count == 2 && first->result_element.dim[1] == 1);
    CHECK(first->derivative == 2.5 && fabs(first->estimate + 2.5) < 1e-6);
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

static ct_tensor *energy(ct_tensor *z)
{
    ct_tensor *size = ct_op_abs(z);
    return ct_op_reduce_add(ct_op_multiply(size, size), CT_DIMS(0));
}

/* 2 conj(z): d/dx - i d/dy. */
static ct_tensor *energy_slope(ct_tensor *z)
{
    ct_tensor *twice = ct_op_add(z, z);
    return ct_op_complex(ct_op_real(twice), ct_op_negate(ct_op_imag(twice)));
}

/* A complex result is no scalar that needs no cotangent. */
TEST(gradients_by_hand)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *z = numbers(ctx),
              *one = complex_of(ct_scalar(ctx, CT_F64, 1), ct_scalar(ctx, CT_F64, 2));
    ct_function *f = ct_trace(ctx, energy, CT_LIKE(z));
    ALL_RIGHT(ct_gradcheck_against(f, ct_trace(ctx, energy_slope, CT_LIKE(z)), CT_ARGV(z), NULL),
              6);
    f = ct_trace(ctx, square, CT_LIKE(one));
    ct_gradcheck_against(f, f, CT_ARGV(one), NULL);
    CHECK_ERROR(ctx, CT_ERR_ARGUMENT, "the cotangents of 1 result");
    ct_context_free(ctx);
}

/* There is no rank beyond 64. */
TEST(highest_rank)
{
    int64_t dim[64];
    ct_context *ctx = ct_context_new();
    for (int d = 0; d < 64; d++)
        dim[d] = 1;
    ct_tensor *x = ct_ones(ctx, CT_F64, (ct_shape){64, dim}), *z = complex_of(x, x);
    ct_gradcheck(ct_trace(ctx, holomorphic, CT_LIKE(z)), CT_ARGV(z), NULL);
    CHECK_ERROR(ctx, CT_ERR_SHAPE, "has no axis to spare for the parts of its numbers");
    z = ct_op_reshape(z, (ct_dims){63, dim});
    ALL_RIGHT(ct_gradcheck(ct_trace(ctx, holomorphic, CT_LIKE(z)), CT_ARGV(z), NULL), 2 * 2 + 2);
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

static void check_square(ct_context *ctx)
{
    ct_tensor *one = ct_ones(ctx, CT_F64, CT_SHAPE(1)), *z = ct_op_complex(one, one);
    ct_gradcheck(ct_trace(ctx, square, CT_LIKE(z)), CT_ARGV(z), NULL);
}

TEST(memory)
{
    CHECK_ALLOCATIONS(check_square);
}
