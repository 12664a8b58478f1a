/* Where a derivative is a choice: the rows of conventions.def, and what they have in common. */
#include "tests/values.h"

#include <cotangent/cotangent.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/conventions.inc"

/* ---- The rows. */

typedef enum kind { A_SLOPE, A_COMPLEX, A_REFUSED } kind;

typedef struct numbers {
    size_t count;
    const double *item;
} numbers;

typedef struct row {
    kind kind;
    const char *name, *message;
    ct_tensor *(*program)(ct_tensor *x);
    numbers x, ybar, slope;
} row;

#define AT(...)                                                                                    \
    {                                                                                              \
        sizeof((const double[]){__VA_ARGS__}) / sizeof(double), (const double[])                   \
        {                                                                                          \
            __VA_ARGS__                                                                            \
        }                                                                                          \
    }
#define IS(...) AT(__VA_ARGS__)
#define SECTION(title)
#define SLOPE(name, what, x, slope, ...) {A_SLOPE, #name, "", of_##name, x, {0, NULL}, slope},
#define COMPLEX(name, what, z, ybar, zbar, ...) {A_COMPLEX, #name, "", of_##name, z, ybar, zbar},
#define MODULUS(...)
#define REFUSED(name, what, message, ...)                                                          \
    {A_REFUSED, #name, message, of_##name, {0, NULL}, {0, NULL}, {0, NULL}},
static const row rows[] = {
#include "tests/conventions.def"
};
enum { N_ROWS = sizeof rows / sizeof *rows };

static void run_program(void *user, ct_list parameters, ct_tensor **result)
{
    const row *r = user;
    result[0] = r->program(parameters.item[0]);
}

static ct_function *record(ct_context *ctx, const row *r, ct_dtype dtype, ct_shape shape)
{
    row copy = *r;
    ct_function *f = ct_trace_many(ctx, run_program, &copy, 1, CT_LIKE(ct_spec(ctx, dtype, shape)));
    CHECK_MSG(!ct_failed(ctx), "%s: %s", r->name, ct_error_message(ctx));
    return f;
}

/* ---- Slopes: columns by jvp, rows by vjp, each as one run of all unit vectors. */

static ct_tensor *identity(ct_context *ctx, ct_dtype dtype, int64_t n)
{
    ct_tensor *row_of = ct_op_iota(ctx, CT_I32, CT_DIMS(n, n), 0);
    ct_tensor *column_of = ct_op_iota(ctx, CT_I32, CT_DIMS(n, n), 1);
    return ct_cast(ct_eq(row_of, column_of), dtype);
}

static int64_t elements_of(const ct_type *type)
{
    ct_shape shape = ct_type_shape(type);
    int64_t n = 1;
    for (size_t d = 0; d < shape.count; d++)
        n *= shape.dim[d];
    return n;
}

/* n unit vectors as tangents or cotangents of this type: [n, shape…]. */
static ct_tensor *units(ct_context *ctx, const ct_type *type)
{
    ct_shape shape = ct_type_shape(type);
    int64_t n = elements_of(type), dim[8] = {n};
    for (size_t d = 0; d < shape.count; d++)
        dim[d + 1] = shape.dim[d];
    return ct_op_reshape(identity(ctx, ct_type_dtype(type), n), ((ct_dims){shape.count + 1, dim}));
}

/* Batched over the second argument alone; the last result, as a matrix. */
static ct_tensor *vectorised(ct_function *g, ct_tensor *x, ct_tensor *vectors)
{
    int64_t n = ct_dim(vectors, 0);
    ct_tensor *y[2];
    size_t last = ct_function_results(g) - 1;
    ct_function *all = ct_vmap(g, n, CT_AXES(CT_UNBATCHED, 0), CT_LEADING_AXES);
    ct_apply(all, CT_ARGV(x, vectors), y, last + 1);
    return ct_op_reshape(y[last], CT_DIMS(n, n ? ct_size(y[last]) / n : 0));
}

/* The same one vector after another, without vmap. */
static ct_tensor *one_by_one(ct_function *g, ct_tensor *x, ct_tensor *vectors, const ct_type *type)
{
    int64_t n = ct_dim(vectors, 0);
    ct_tensor *found[64], *y[2];
    size_t last = ct_function_results(g) - 1;
    CHECK(n > 0 && n <= 64);
    for (int64_t i = 0; i < n; i++) {
        ct_tensor *flat = ct_op_reshape(vectors, CT_DIMS(n, n));
        ct_tensor *vector = ct_op_slice(flat, CT_DIMS(i, 0), CT_DIMS(i + 1, n), CT_DIMS(1, 1));
        ct_apply(g, CT_ARGV(x, ct_op_reshape(vector, ct_type_shape(type))), y, last + 1);
        found[i] = ct_op_reshape(y[last], CT_DIMS(1, ct_size(y[last])));
    }
    return ct_op_concatenate(((ct_list){(size_t)n, found}), 0);
}

static void check_matrix(const row *r, const char *what, ct_tensor *found, ct_tensor *expected)
{
    ct_context *ctx = ct_context_of(expected);
    CHECK_MSG(!ct_failed(ctx), "%s, %s: %s", r->name, what, ct_error_message(ctx));
    CHECK_MSG(ct_equal(found, expected), "%s of %s, %s: found %s, expected %s", r->name,
              ct_dtype_name(ct_dtype_of(expected)), what, ct_text(found), ct_text(expected));
}

static void check_slope(const row *r, ct_dtype dtype)
{
    ct_context *ctx = ct_context_new();
    int64_t columns = (int64_t)r->x.count, n_rows = (int64_t)r->slope.count / columns;
    ct_tensor *x = ct_from_doubles(ctx, dtype, CT_SHAPE(columns), r->x.item);
    ct_function *f = record(ctx, r, dtype, CT_SHAPE(columns));
    ct_function *forward = ct_jvp(f, CT_ALL_ARGS), *reverse = ct_vjp(f, CT_ALL_ARGS);
    const ct_type *in = ct_parameter_type(f, 0), *out = ct_result_type(f, 0);

    CHECK_MSG(elements_of(out) == n_rows, "%s: the matrix has another shape", r->name);
    ct_tensor *expected = ct_from_doubles(ctx, dtype, CT_SHAPE(n_rows, columns), r->slope.item);
    ct_tensor *turned = ct_op_transpose(expected, CT_DIMS(1, 0));
    ct_tensor *dx = units(ctx, in), *ybar = units(ctx, out);
    check_matrix(r, "forward", one_by_one(forward, x, dx, in), turned);
    check_matrix(r, "reverse", one_by_one(reverse, x, ybar, out), expected);
    check_matrix(r, "forward, vectorised", vectorised(forward, x, dx), turned);
    check_matrix(r, "reverse, vectorised", vectorised(reverse, x, ybar), expected);
    ct_context_free(ctx);
}

/* f32 and f64 for all; the narrower ones where the operations have them. */
TEST(slopes)
{
    static const ct_dtype dtypes[] = {CT_F64, CT_F32, CT_BF16, CT_F16};
    size_t count = 0;
    for (size_t i = 0; i < N_ROWS; i++)
        for (size_t k = 0; k < 4 && rows[i].kind == A_SLOPE; k++, count++)
            check_slope(&rows[i], dtypes[k]);
    CHECK(count > 300);
}

/* ---- Complex rows. */

static ct_tensor *complex_number(ct_context *ctx, numbers z)
{
    CHECK(z.count == 2);
    return ct_op_complex(ct_scalar(ctx, CT_F64, z.item[0]), ct_scalar(ctx, CT_F64, z.item[1]));
}

static double real_of(ct_tensor *z)
{
    return ct_item(ct_op_real(z));
}

static bool are_near(double a, double b)
{
    return fabs(a - b) < 1e-15 || (isnan(a) && isnan(b));
}

/* Re(ybar dy) = Re(zbar dz), for dz = 1 and i. */
static void check_complex(const row *r)
{
    ct_context *ctx = ct_context_new();
    ct_function *f = record(ctx, r, CT_C128, CT_SHAPE());
    bool is_real = ct_type_dtype(ct_result_type(f, 0)) == CT_F64;
    ct_tensor *z = complex_number(ctx, r->x), *ybar = complex_number(ctx, r->ybar), *y[2];
    ct_tensor *bar = is_real ? ct_op_real(ybar) : ybar;
    ct_tensor *zbar = ct_apply1(ct_vjp(f, CT_ALL_ARGS), CT_ARGV(z, bar));
    double re = real_of(zbar), im = ct_item(ct_op_imag(zbar));

    CHECK_MSG(are_near(re, r->slope.item[0]) && are_near(im, r->slope.item[1]),
              "%s: found %g + %gi", r->name, re, im);
    for (int i = 0; i < 2; i++) {
        ct_tensor *dz = complex_number(ctx, (numbers){2, (const double[]){1 - i, i}});
        ct_apply(ct_jvp(f, CT_ALL_ARGS), CT_ARGV(z, dz), y, 2);
        double forward = real_of(ct_op_multiply(bar, y[1]));
        double reverse = real_of(ct_op_multiply(zbar, dz));
        CHECK_MSG(are_near(forward, reverse), "%s: forward %g, reverse %g", r->name, forward,
                  reverse);
    }
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

TEST(complex_cotangents)
{
    size_t count = 0;
    for (size_t i = 0; i < N_ROWS; i++)
        if (rows[i].kind == A_COMPLEX) {
            check_complex(&rows[i]);
            count++;
        }
    CHECK(count == 10);
}

/* ---- What is refused: when the derivative is asked for, forward and reverse. */

static void check_refused(const row *r)
{
    ct_context *ctx = ct_context_new();
    bool integer = strcmp(r->name, "by_integer") == 0;
    ct_function *f = record(ctx, r, integer ? CT_I32 : CT_F64, CT_SHAPE());
    ct_jvp(f, CT_ARGS(0));
    CHECK_ERROR(ctx, CT_ERR_RULE, r->message);
    ct_vjp(f, CT_ARGS(0));
    CHECK_ERROR(ctx, CT_ERR_RULE, r->message);
    ct_context_free(ctx);
}

TEST(refused)
{
    size_t count = 0;
    for (size_t i = 0; i < N_ROWS; i++)
        if (rows[i].kind == A_REFUSED) {
            check_refused(&rows[i]);
            count++;
        }
    CHECK(count == 3);
}

/* ---- One library, one answer. */

static double slope_of(ct_context *ctx, ct_tensor *(*program)(ct_tensor *x), double at_x)
{
    const row r = {A_SLOPE, "a family", "", program, {0, NULL}, {0, NULL}, {0, NULL}};
    ct_function *f = record(ctx, &r, CT_F64, CT_SHAPE(1));
    ct_tensor *x = ct_full(ctx, CT_F64, CT_SHAPE(1), at_x);
    ct_tensor *ybar = ct_ones(ctx, CT_F64, ct_type_shape(ct_result_type(f, 0)));
    double slope = ct_item(ct_apply1(ct_vjp(f, CT_ALL_ARGS), CT_ARGV(x, ybar)));
    CHECK_OK(ctx);
    return slope;
}

PROGRAM(max_with_zero)
{
    return ct_max(ct_concatenate(CT_ARGV(x, ct_zeros(ct_context_of(x), CT_F64, CT_SHAPE(1))), 0),
                  CT_ALL_AXES, CT_DROP_AXES);
}

PROGRAM(minus_min_with_zero)
{
    return ct_neg(ct_minimum(ct_neg(x), 0));
}

PROGRAM(clip_from_zero)
{
    return ct_clip(x, 0, 5);
}

PROGRAM(clamp_from_zero)
{
    return ct_op_clamp(like(x, 0), x, like(x, 5));
}

PROGRAM(scatter_max_with_zero)
{
    ct_tensor *zero = ct_zeros(ct_context_of(x), CT_F64, CT_SHAPE(1));
    return scattered(ct_concatenate(CT_ARGV(zero, x), 0), 1, 0, body_of(x, ct_op_maximum_at));
}

/* max(x, 0) in every spelling has one slope at -1, 0, 1 and NaN; relu, a function with a rule of
 * its own, differs at 0 alone. */
TEST(every_maximum_is_the_same)
{
    static ct_tensor *(*const spelled[])(ct_tensor *) = {
        of_maximum_zero,   of_max_with_zero,   of_minus_min_with_zero,
        of_clip_from_zero, of_clamp_from_zero, of_scatter_max_with_zero};
    static const double x[] = {-1, 0, 1, NAN}, slope[] = {0, 0.5, 1, 1}, of_relu[] = {0, 0, 1, 1};
    ct_context *ctx = ct_context_new();
    for (int k = 0; k < 4; k++) {
        for (size_t i = 0; i < sizeof spelled / sizeof *spelled; i++) {
            double found = slope_of(ctx, spelled[i], x[k]);
            CHECK_MSG(found == slope[k], "spelling %zu at %g: %g", i, x[k], found);
        }
        CHECK(slope_of(ctx, of_relu_zero, x[k]) == of_relu[k]);
    }
    ct_context_free(ctx);
}

/* All of a tie together, in a window and out of it: only where it goes differs. */
TEST(ties_lose_nothing)
{
    static const char *const exact[] = {"maximum_tie",    "minimum_tie",    "clamp_low",
                                        "clamp_high",     "clamp_both",     "reduce_max_tie",
                                        "reduce_min_tie", "reduce_max_two", "window_tie",
                                        "cumulative_tie", "scatter_max_tie"};
    size_t count = 0;
    for (size_t i = 0; i < N_ROWS; i++)
        for (size_t k = 0; k < sizeof exact / sizeof *exact; k++) {
            if (strcmp(rows[i].name, exact[k]) != 0)
                continue;
            double sum = 0;
            for (size_t n = 0; n < rows[i].slope.count; n++)
                sum += rows[i].slope.item[n];
            double results = (double)(rows[i].slope.count / rows[i].x.count);
            CHECK_MSG(fabs(sum - results) < 1e-15, "%s: %g", exact[k], sum);
            count++;
        }
    CHECK(count == sizeof exact / sizeof *exact);
}
