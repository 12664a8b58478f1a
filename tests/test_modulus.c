/* |x| in every spelling: the rows MODULUS of conventions.def, where x² underflows and overflows
 * too; and lengths of two numbers of every size, to the second order. */
#include "tests/values.h"

#include <cotangent/cotangent.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- The spellings, of a scalar. */

#define PROGRAM(name) static ct_tensor *by_##name(ct_tensor *x)

PROGRAM(abs)
{
    return ct_abs(x);
}

PROGRAM(sign)
{
    return ct_mul(x, ct_sign(x));
}

PROGRAM(maximum)
{
    return ct_maximum(x, ct_neg(x));
}

PROGRAM(where)
{
    return ct_where(ct_gt(x, 0), x, ct_neg(x));
}

PROGRAM(norm_one)
{
    return ct_norm(ct_reshape(x, CT_SHAPE(1)), CT_ALL_AXES, CT_DROP_AXES);
}

PROGRAM(norm_three)
{
    ct_tensor *zeros = ct_zeros(ct_context_of(x), ct_dtype_of(x), CT_SHAPE(2));
    ct_tensor *vector = ct_concatenate(CT_ARGV(ct_reshape(x, CT_SHAPE(1)), zeros), 0);
    return ct_norm(vector, CT_ALL_AXES, CT_DROP_AXES);
}

PROGRAM(hypot)
{
    return ct_hypot(x, 0);
}

PROGRAM(sqrt_product)
{
    return ct_sqrt(ct_mul(x, x));
}

PROGRAM(sqrt_of_square)
{
    return ct_sqrt(ct_square(x));
}

/* ---- The rows. */

enum { N_PLACES = 7 };

typedef struct row {
    const char *name;
    ct_tensor *(*program)(ct_tensor *x);
    double slope[N_PLACES], second[N_PLACES];
} row;

#define SECTION(title)
#define SLOPE(...)
#define COMPLEX(...)
#define REFUSED(...)
#define IS(...)                                                                                    \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }
#define MODULUS(name, what, slope, second, ...) {#name, by_##name, slope, second},
static const row rows[] = {
#include "tests/conventions.def"
};
enum { N_ROWS = sizeof rows / sizeof *rows };

/* That of sqrt(x²) is what its square leaves. */
static double value_of(const row *r, ct_dtype dtype, double x)
{
    if (strncmp(r->name, "sqrt", 4) != 0)
        return fabs(x);
    return dtype == CT_F32 ? sqrt((double)((float)x * (float)x)) : sqrt(x * x);
}

static void check_number(const row *r, const char *what, double x, double found, double expected)
{
    CHECK_MSG(found == expected || (isnan(found) && isnan(expected)),
              "%s, %s at %g: found %.17g, expected %.17g", r->name, what, x, found, expected);
}

/* The last of a function's results for x and ones. */
static double last(ct_function *f, ct_tensor *x)
{
    ct_tensor *one = ct_ones(ct_context_of(x), ct_dtype_of(x), CT_SHAPE()), *y[8];
    size_t n = ct_function_results(f);
    ct_tensor *all[] = {x, one, one, ct_zeros(ct_context_of(x), ct_dtype_of(x), CT_SHAPE())};
    ct_apply(f, CT_LIST(ct_function_parameters(f), all), y, n);
    CHECK_OK(ct_context_of(x));
    return ct_item(y[n - 1]);
}

static void check_row(ct_context *ctx, const row *r, ct_dtype dtype, const double *place)
{
    ct_function *f = ct_trace(ctx, r->program, CT_LIKE(ct_spec(ctx, dtype, CT_SHAPE())));
    ct_function *grad = ct_grad(f, CT_ARGS(0)), *jvp = ct_jvp(f, CT_ARGS(0));
    ct_function *second[] = {ct_grad(grad, CT_ARGS(0)), ct_hvp(f, CT_ARGS(0)),
                             ct_jvp(jvp, CT_ARGS(0))};

    for (int k = 0; k < N_PLACES; k++) {
        ct_tensor *x = ct_scalar(ctx, dtype, place[k]);
        check_number(r, "value", place[k], last(f, x), value_of(r, dtype, ct_item(x)));
        check_number(r, "reverse", place[k], last(grad, x), r->slope[k]);
        check_number(r, "forward", place[k], last(jvp, x), r->slope[k]);
        /* forward over forward squares dx / x, which overflows for dx = 1 and small x */
        for (int i = 0; i < (k == 2 ? 2 : 3); i++)
            check_number(r, "second", place[k], last(second[i], x), r->second[k]);
    }
}

TEST(every_modulus)
{
    static const double f64[] = {0, -0.0, 1e-200, 1e200, INFINITY, -INFINITY, NAN},
                        f32[] = {0, -0.0, 1e-30, 1e30, INFINITY, -INFINITY, NAN};
    CHECK(N_ROWS == 9);
    for (size_t i = 0; i < N_ROWS; i++) {
        ct_context *ctx = ct_context_new();
        check_row(ctx, &rows[i], CT_F64, f64);
        check_row(ctx, &rows[i], CT_F32, f32);
        ct_context_free(ctx);
    }
}

/* ---- Lengths of (3, 4) 2^k: derivative n is 2^(k (1 - n)) times that of (3, 4). */

static ct_tensor *norm_of(ct_tensor *x)
{
    return ct_norm(x, CT_ALL_AXES, CT_DROP_AXES);
}

static ct_tensor *element(ct_tensor *x, int64_t i)
{
    return ct_reshape(ct_op_slice(x, CT_DIMS(i), CT_DIMS(i + 1), CT_DIMS(1)), CT_SHAPE());
}

static ct_tensor *hypot_of(ct_tensor *x)
{
    return ct_hypot(element(x, 0), element(x, 1));
}

static void check_near(const char *what, ct_dtype dtype, int k, ct_tensor *found, int order,
                       const double *expected)
{
    double value[8], bound = dtype == CT_F32 ? 0x1p-20 : 0x1p-49;
    size_t n = (size_t)ct_size(found);

    CHECK(n <= 8);
    ct_to_doubles(found, value, n);
    for (size_t i = 0; i < n; i++) {
        double scaled = ldexp(value[i], k * (order - 1));
        CHECK_MSG(fabs(scaled - expected[i]) <= bound, "%s of %s, order %d, k = %d: %.17g, not %g",
                  what, ct_dtype_name(dtype), order, k, scaled, expected[i]);
    }
}

static void check_lengths(ct_tensor *(*code)(ct_tensor *), const char *what, ct_dtype dtype,
                          int low, int high, int step)
{
    static const double value[] = {5}, slope[] = {0.6, 0.8},
                        second[] = {0.128, -0.096, -0.096, 0.072},
                        third[] = {-0.04608, 0.00256, 0.00256, 0.02208,
                                   0.00256,  0.02208, 0.02208, -0.03456};
    ct_context *ctx = ct_context_new();
    ct_function *f = ct_trace(ctx, code, CT_LIKE(ct_spec(ctx, dtype, CT_SHAPE(2))));
    ct_function *grad = ct_grad(f, CT_ARGS(0)), *hessian = ct_hessian(f, CT_ARGS(0)),
                *twice = ct_jacobian_reverse(grad, CT_ARGS(0)),
                *thrice = ct_jacobian_forward(hessian, CT_ARGS(0));

    for (int k = low; k <= high; k += step) {
        const double x[] = {ldexp(3, k), ldexp(4, k)};
        ct_list list = CT_ARGV(ct_from_doubles(ctx, dtype, CT_SHAPE(2), x));
        check_near(what, dtype, k, ct_apply1(f, list), 0, value);
        check_near(what, dtype, k, ct_apply1(grad, list), 1, slope);
        check_near(what, dtype, k, ct_apply1(hessian, list), 2, second);
        check_near(what, dtype, k, ct_apply1(twice, list), 2, second);
        if (2 * k > low && 2 * k < high)
            check_near(what, dtype, k, ct_apply1(thrice, list), 3, third);
    }
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

TEST(lengths_of_every_size)
{
    check_lengths(norm_of, "norm", CT_F64, -1020, 1018, 30);
    check_lengths(hypot_of, "hypot", CT_F64, -1020, 1018, 30);
    check_lengths(norm_of, "norm", CT_F32, -124, 122, 6);
    check_lengths(hypot_of, "hypot", CT_F32, -124, 122, 6);
}
