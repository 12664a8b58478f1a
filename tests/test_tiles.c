/* The tile machine gives the bits of the interpreter in machine numerics. */
#include "tests/command.h"
#include "tests/same.h"
#include "tests/samples.h"
#include "tests/values.h"

#include <cotangent/cotangent.h>

#include <math.h>

enum { MOST_RESULTS = 128 };

static bool check_same(ct_function *f, ct_list arguments, const char *what)
{
    return same_as_machine(f, arguments, CT_EXECUTOR_CPU, what);
}

/* ---- By hand: what parts are made of. */

/* Rows, columns, scalars and their broadcasts; two of one value; a value inside and outside. */
static void broadcasts(void *user, ct_list p, ct_tensor **r)
{
    ct_tensor *x = p.item[0], *row = p.item[1], *column = p.item[2];
    (void)user;
    ct_tensor *y = ct_add(ct_mul(x, row), column), *z = ct_tanh(ct_add(y, y));
    r[0] = ct_mul(z, ct_sum(z, CT_AXES(1), CT_KEEP_AXES));
    r[1] = ct_where(ct_gt(x, row), ct_exp(y), 0.25);
    r[2] = ct_cast(ct_clip(ct_mul(y, 100.0), -50.0, 60.0), CT_I32);
    r[3] = ct_reshape(ct_sub(z, 1.0), CT_SHAPE(ct_size(z)));
    r[4] = ct_add(ct_max(x, CT_ALL_AXES, CT_DROP_AXES), ct_transpose(z, CT_AXES(1, 0)));
}

TEST(parts_of_many_kinds)
{
    static const int64_t rows[] = {1, 1, 3, 40, 129}, columns[] = {1, 4097, 700, 33, 129};
    ct_context *ctx = ct_context_new();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const int64_t m = rows[i], n = columns[i];
        ct_list arguments = CT_ARGV(ct_random_normal(ctx, ct_key_new(1), CT_F32, CT_SHAPE(m, n)),
                                    ct_random_normal(ctx, ct_key_new(2), CT_F32, CT_SHAPE(n)),
                                    ct_random_normal(ctx, ct_key_new(3), CT_F32, CT_SHAPE(m, 1)));
        ct_function *f = ct_trace_many(ctx, broadcasts, NULL, 5, arguments);
        CHECK(check_same(f, arguments, "broadcasts"));
    }
    ct_context_free(ctx);
}

/* Broadcasts along several axes, with tiles that end inside of rows. */
static void spread(void *user, ct_list p, ct_tensor **r)
{
    const ct_shape whole = CT_SHAPE(5, 6, 7, 40);
    ct_tensor *x = p.item[0];
    (void)user;
    r[0] = ct_op_negate(ct_op_broadcast_in_dim(x, whole, CT_DIMS(0, 1, 2, 3)));
    r[1] = ct_op_add(ct_op_broadcast_in_dim(ct_op_reshape(x, CT_SHAPE(5, 7)), whole, CT_DIMS(0, 2)),
                     r[0]);
    r[2] = ct_op_multiply(
        ct_op_broadcast_in_dim(ct_op_reshape(x, CT_SHAPE(7, 5)), whole, CT_DIMS(2, 0)), r[1]);
    r[3] = ct_op_abs(ct_op_broadcast_in_dim(p.item[1], whole, CT_DIMS(3)));
}

TEST(broadcasts_of_every_stride)
{
    ct_context *ctx = ct_context_new();
    ct_list arguments = CT_ARGV(ct_random_normal(ctx, ct_key_new(4), CT_F64, CT_SHAPE(5, 1, 7, 1)),
                                ct_random_normal(ctx, ct_key_new(5), CT_F64, CT_SHAPE(40)));
    CHECK(check_same(ct_trace_many(ctx, spread, NULL, 4, arguments), arguments, "spread"));
    ct_context_free(ctx);
}

/* More nodes than a part takes, of every dtype that is computed in another way. */
static ct_tensor *long_chain(ct_tensor *x)
{
    ct_tensor *y = x;
    for (int i = 0; i < 90; i++)
        y = i % 3 ? ct_op_subtract(ct_op_multiply(y, y), x) : ct_op_sine(y);
    return y;
}

TEST(long_chains)
{
    static const ct_dtype dtypes[] = {CT_F16, CT_BF16, CT_F32, CT_F64, CT_C64, CT_C128};
    ct_context *ctx = ct_context_new();
    for (size_t i = 0; i < sizeof dtypes / sizeof *dtypes; i++) {
        ct_tensor *x = ct_cast(ct_random_uniform(ctx, ct_key_new(6), CT_F32, CT_SHAPE(1000), 0, 1),
                               dtypes[i]);
        CHECK(check_same(ct_trace(ctx, long_chain, CT_LIKE(x)), CT_ARGV(x),
                         ct_dtype_name(dtypes[i])));
    }
    ct_context_free(ctx);
}

/* ---- Folds that run along with what makes their elements. */

/* Over every set of axes, of floats, integers and booleans; some results are needed again, with
 * values of each size. */
static void folds(void *user, ct_list p, ct_tensor **r)
{
    ct_tensor *x = p.item[0], *y = ct_sub(ct_mul(x, x), 0.3), *z = ct_tanh(y);
    (void)user;
    r[0] = ct_sum(y, CT_ALL_AXES, CT_DROP_AXES);
    r[1] = ct_max(z, CT_ALL_AXES, CT_DROP_AXES);
    r[2] = ct_sum(z, CT_AXES(0), CT_DROP_AXES);
    r[3] = ct_prod(y, CT_AXES(1), CT_DROP_AXES);
    r[4] = ct_min(y, CT_AXES(2), CT_DROP_AXES);
    r[5] = ct_sum(z, CT_AXES(0, 1), CT_DROP_AXES);
    r[6] = ct_max(y, CT_AXES(1, 2), CT_DROP_AXES);
    r[7] = ct_sum(y, CT_AXES(0, 2), CT_DROP_AXES);
    r[8] = ct_sum(ct_sin(r[4]), CT_ALL_AXES, CT_DROP_AXES);
    r[9] = z;
    r[10] = ct_sum(ct_cast(ct_mul(y, 100.0), CT_I32), CT_AXES(0), CT_DROP_AXES);
    r[11] = ct_max(ct_cast(ct_mul(y, 100.0), CT_I16), CT_AXES(2), CT_DROP_AXES);
    r[12] = ct_any(ct_gt(z, 0.9), CT_AXES(1), CT_DROP_AXES);
    r[13] = ct_div(ct_sub(y, r[0]), ct_add(r[2], r[1]));
    r[14] = ct_sum(x, CT_AXES(0), CT_DROP_AXES);
}

TEST(folds_along)
{
    static const int64_t shapes[][3] = {
        {1, 1, 2},    {1, 1, 33},  {2, 3, 4},    {1, 32, 7},   {1, 33, 7},     {1, 64, 300},
        {1, 65, 300}, {3, 70, 5},  {1, 4100, 3}, {1, 1, 4096}, {1, 1, 4097},   {1, 3, 17000},
        {5, 1, 1031}, {33, 34, 1}, {70, 40, 31}, {4, 1, 20},   {1, 1, 130000}, {1, 20000, 1}};
    ct_context *ctx = ct_context_new();
    for (size_t i = 0; i < 2 * sizeof shapes / sizeof *shapes; i++) {
        const int64_t *dim = shapes[i / 2];
        const ct_dtype dtype = i % 2 ? CT_F64 : CT_F32;
        ct_scope scope = ct_scope_begin(ctx);
        ct_list arguments = CT_ARGV(
            ct_random_normal(ctx, ct_key_new(i), dtype, CT_SHAPE(dim[0], dim[1], dim[2])));
        CHECK(check_same(ct_trace_many(ctx, folds, NULL, 15, arguments), arguments, "folds"));
        ct_scope_end(scope);
    }
    ct_context_free(ctx);
}

TEST(folds_of_nan_and_zeros)
{
    static const float some[] = {0, -0.0F, NAN, 1, -1, INFINITY, -INFINITY, 2};
    ct_context *ctx = ct_context_new();
    for (int64_t n = 1; n < 300; n += 37) {
        float x[3 * 2 * 300];
        for (int64_t i = 0; i < 6 * n; i++)
            x[i] = some[(i * i / 3 + i) % 8] * (float)(i % 5 == 2 ? 1 : i % 3);
        ct_list arguments = CT_ARGV(ct_from_data(ctx, CT_F32, CT_SHAPE(3, n, 2), x));
        CHECK(check_same(ct_trace_many(ctx, folds, NULL, 15, arguments), arguments, "folds"));
    }
    ct_context_free(ctx);
}

/* The gradient of what is normalised: folds of rows, of columns and of all. */
static ct_tensor *normalised(ct_tensor *x, ct_tensor *scale, ct_tensor *shift)
{
    ct_tensor *d = ct_sub(x, ct_mean(x, CT_AXES(-1), CT_KEEP_AXES));
    ct_tensor *v = ct_mean(ct_square(d), CT_AXES(-1), CT_KEEP_AXES);
    ct_tensor *y = ct_add(ct_mul(ct_mul(d, ct_rsqrt(ct_add(v, 1e-5))), scale), shift);
    return ct_add(ct_logsumexp(y, CT_ALL_AXES, CT_DROP_AXES),
                  ct_sum(ct_softmax(y, CT_AXES(1)), CT_ALL_AXES, CT_DROP_AXES));
}

TEST(gradients_of_what_is_normalised)
{
    static const int64_t shapes[][2] = {{2, 3}, {100, 33}, {7, 5000}, {300, 64}, {3, 20000}};
    ct_context *ctx = ct_context_new();
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        const int64_t m = shapes[i][0], n = shapes[i][1];
        ct_list arguments = CT_ARGV(ct_random_normal(ctx, ct_key_new(1), CT_F32, CT_SHAPE(m, n)),
                                    ct_random_normal(ctx, ct_key_new(2), CT_F32, CT_SHAPE(n)),
                                    ct_random_normal(ctx, ct_key_new(3), CT_F32, CT_SHAPE(n)));
        ct_function *f = ct_trace(ctx, normalised, arguments);
        CHECK(check_same(ct_value_and_grad(f, CT_ALL_ARGS), arguments, "normalised"));
    }
    ct_context_free(ctx);
}

/* ---- Views: what moves data is read where it is, at a map. */

static ct_tensor *steps(ct_tensor *x, int64_t a, int64_t b, int64_t by)
{
    const int64_t m = ct_dim(x, 0), n = ct_dim(x, 1);
    return ct_slice(x, CT_DIMS(a, b), CT_DIMS(m, n), CT_DIMS(1, by));
}

/* Of a parameter [m, n] and of what is made of it: moves one behind another, with reshapes between
 * them, in operations on elements, folds and products, several readers for one. */
static void views(void *user, ct_list p, ct_tensor **r)
{
    ct_tensor *x = p.item[0], *y = ct_add(ct_mul(x, 2.0), 1.0), *z = ct_transpose(y, CT_AXES(1, 0));
    const int64_t m = ct_dim(x, 0), n = ct_dim(x, 1);
    (void)user;
    ct_tensor *turned = ct_flip(ct_flip(y, CT_AXES(1)), CT_AXES(0));
    ct_tensor *framed = ct_pad(ct_flip(x, CT_AXES(1)), CT_SHAPE(1, 2), CT_SHAPE(0, 3), 7.0);
    r[0] = ct_sub(turned, ct_flip(x, CT_AXES(0)));
    r[1] = ct_mul(framed, framed);
    r[2] = ct_add(ct_pad(steps(y, 0, 1, 1), CT_SHAPE(0, 1), CT_SHAPE(0, 0), -1.0),
                  ct_pad(steps(x, 0, 1, 1), CT_SHAPE(0, 0), CT_SHAPE(0, 1), -2.0));
    r[3] = ct_neg(ct_reshape(ct_flip(steps(y, m / 2, 0, 3), CT_AXES(1)),
                             CT_SHAPE((m - m / 2) * ((n + 2) / 3))));
    r[4] = ct_add(ct_transpose(z, CT_AXES(1, 0)), y);
    r[5] = ct_sum(ct_mul(z, 0.5), CT_AXES(0), CT_DROP_AXES);
    r[6] = ct_max(turned, CT_AXES(1), CT_DROP_AXES);
    r[7] = ct_sum(framed, CT_AXES(0), CT_DROP_AXES);
    r[8] = ct_matmul(turned, z);
    r[9] = ct_add(ct_pad(framed, CT_SHAPE(2, 0), CT_SHAPE(0, -1), 7.0),
                  ct_pad(framed, CT_SHAPE(2, -1), CT_SHAPE(0, 0), 8.0));
    ct_tensor *spread = ct_broadcast_to(ct_reshape(framed, CT_SHAPE(m + 1, 1, n + 5)),
                                        CT_SHAPE(m + 1, 3, n + 5));
    r[10] = ct_abs(ct_reshape(spread, CT_SHAPE(3 * (m + 1) * (n + 5))));
    r[11] = ct_sub(
        ct_flip(ct_slice(spread, CT_DIMS(0, 1, 0), CT_DIMS(m + 1, 3, n + 5), CT_DIMS(1, 1, 2)),
                CT_AXES(0, 2)),
        1.0);
    r[12] = ct_add(turned, ct_sum(turned, CT_AXES(1), CT_KEEP_AXES));
    r[13] = ct_flip(framed, CT_AXES(0));
}

TEST(views_of_every_kind)
{
    static const int64_t shapes[][2] = {{1, 1},   {1, 2},    {2, 1},    {3, 9},     {7, 33},
                                        {65, 70}, {300, 17}, {1, 9000}, {129, 257}, {900, 1}};
    static const ct_dtype dtypes[] = {CT_F32, CT_F64, CT_F16};
    ct_context *ctx = ct_context_new();
    for (size_t i = 0; i < 3 * sizeof shapes / sizeof *shapes; i++) {
        const int64_t *dim = shapes[i / 3];
        ct_scope scope = ct_scope_begin(ctx);
        ct_list arguments = CT_ARGV(coded(ctx, dtypes[i % 3], dim[0], dim[1]));
        CHECK(check_same(ct_trace_many(ctx, views, NULL, 14, arguments), arguments, "views"));
        CHECK_OK(ctx);
        ct_scope_end(scope);
    }
    ct_context_free(ctx);
}

/* Pads that push an axis of one element out of what is kept, and what moves their fill. */
static void outside(void *user, ct_list p, ct_tensor **r)
{
    ct_tensor *x = p.item[0];
    const int64_t n = ct_dim(x, 0);
    (void)user;
    ct_tensor *y = ct_pad(x, CT_SHAPE(0, 1), CT_SHAPE(0, -1), 5.0);
    r[0] = ct_abs(ct_slice(y, CT_DIMS(0, 0), CT_DIMS(n, 1), CT_DIMS(2, 1)));
    r[1] = ct_abs(ct_reshape(y, CT_SHAPE(n)));
    r[2] = ct_abs(ct_transpose(ct_flip(y, CT_AXES(0)), CT_AXES(1, 0)));
    r[3] = ct_abs(ct_broadcast_to(ct_reshape(y, CT_SHAPE(n, 1)), CT_SHAPE(n, 3)));
    r[4] = ct_abs(ct_pad(ct_reshape(y, CT_SHAPE(1, n)), CT_SHAPE(0, 1), CT_SHAPE(1, 0), 5.0));
    r[5] = ct_sum(ct_reshape(y, CT_SHAPE(n)), CT_ALL_AXES, CT_DROP_AXES);
}

TEST(views_of_nothing)
{
    ct_context *ctx = ct_context_new();
    for (int64_t n = 1; n < 70; n = 3 * n + 1) {
        ct_list arguments = CT_ARGV(coded(ctx, CT_F32, n, 1));
        CHECK(check_same(ct_trace_many(ctx, outside, NULL, 6, arguments), arguments, "outside"));
        CHECK_OK(ctx);
    }
    ct_context_free(ctx);
}

static ct_tensor *framed_sum(ct_tensor *x)
{
    const int64_t n = ct_size(x);
    ct_tensor *head = ct_slice(x, CT_DIMS(0), CT_DIMS(n - 1), CT_DIMS(1));
    ct_tensor *tail = ct_slice(x, CT_DIMS(1), CT_DIMS(n), CT_DIMS(1));
    return ct_add(
        ct_sum(ct_mul(ct_square(ct_sub(tail, ct_square(head))), ct_flip(head, CT_AXES(0))),
               CT_ALL_AXES, CT_DROP_AXES),
        ct_sum(ct_exp(ct_neg(ct_slice(x, CT_DIMS(0), CT_DIMS(n), CT_DIMS(2)))), CT_ALL_AXES,
               CT_DROP_AXES));
}

TEST(gradients_of_views)
{
    ct_context *ctx = ct_context_new();
    for (int64_t n = 2; n < 20000; n = 3 * n + 1) {
        ct_list arguments = CT_ARGV(ct_random_normal(ctx, ct_key_new(1), CT_F32, CT_SHAPE(n)));
        ct_function *f = ct_trace(ctx, framed_sum, arguments);
        CHECK(check_same(ct_value_and_grad(f, CT_ARGS(0)), arguments, "framed sum"));
    }
    ct_context_free(ctx);
}

/* Products of what is sliced, transposed, reversed, broadcast and padded. */
static void products(void *user, ct_list p, ct_tensor **r)
{
    ct_tensor *x = p.item[0], *y = ct_add(x, x); /* [4, 6, 8] */
    (void)user;
    ct_tensor *part = ct_slice(y, CT_DIMS(0, 1, 2), CT_DIMS(4, 6, 7), CT_DIMS(1, 2, 1));
    ct_tensor *turned = ct_transpose(part, CT_AXES(2, 0, 1)); /* [5, 4, 3] */
    ct_tensor *row = ct_broadcast_to(
        ct_slice(y, CT_DIMS(0, 0, 0), CT_DIMS(1, 1, 8), CT_DIMS(1, 1, 1)), CT_SHAPE(4, 7, 8));
    ct_tensor *heads = ct_transpose(
        ct_reshape(ct_slice(x, CT_DIMS(0, 0, 0), CT_DIMS(4, 6, 8), CT_DIMS(1, 1, 2)),
                   CT_SHAPE(4, 6, 2, 2)),
        CT_AXES(0, 2, 1, 3)); /* [4, 2, 6, 2] */
    r[0] = ct_matmul(turned, ct_transpose(turned, CT_AXES(0, 2, 1)));
    r[1] = ct_matmul(row, ct_transpose(y, CT_AXES(0, 2, 1)));
    r[2] = ct_matmul(ct_flip(y, CT_AXES(1)), ct_transpose(y, CT_AXES(0, 2, 1)));
    r[3] = ct_matmul(heads, ct_transpose(heads, CT_AXES(0, 1, 3, 2)));
    r[4] = ct_matmul(ct_pad(y, CT_SHAPE(0, 1, 0), CT_SHAPE(0, 0, 2), 3.0),
                     ct_ones(ct_context_of(x), ct_dtype_of(x), CT_SHAPE(10, 3)));
    r[5] = ct_concatenate(CT_ARGV(turned, ct_neg(turned), ct_flip(turned, CT_AXES(0)), turned), 1);
    r[6] = ct_matmul(ct_reshape(ct_transpose(heads, CT_AXES(0, 2, 1, 3)), CT_SHAPE(4, 6, 4)),
                     ct_reshape(ct_slice(y, CT_DIMS(0, 0, 0), CT_DIMS(4, 4, 8), CT_DIMS(1, 1, 1)),
                                CT_SHAPE(4, 4, 8)));
    r[7] = ct_sub(turned, ct_reshape(turned, CT_SHAPE(5, 4, 3)));
}

TEST(products_of_views)
{
    static const ct_dtype dtypes[] = {CT_F32, CT_F64, CT_F16, CT_I32, CT_C64};
    ct_context *ctx = ct_context_new();
    for (size_t i = 0; i < sizeof dtypes / sizeof *dtypes; i++) {
        ct_tensor *x = ct_random_normal(ctx, ct_key_new(1), CT_F32, CT_SHAPE(4, 6, 8));
        ct_list arguments = CT_ARGV(ct_cast(ct_mul(x, 10.0), dtypes[i]));
        CHECK(check_same(ct_trace_many(ctx, products, NULL, 8, arguments), arguments, "products"));
    }
    ct_context_free(ctx);
}

/* Slices that are read in place, of parameters and of what a part makes, next to the whole; pieces
 * that are made where the whole is to be. */
static void slices(void *user, ct_list p, ct_tensor **r)
{
    ct_tensor *x = p.item[0], *y = ct_tanh(ct_mul(x, 2.0));
    const int64_t n = ct_size(x);
    (void)user;
    ct_tensor *head = ct_slice(y, CT_DIMS(0), CT_DIMS(n - 1), CT_DIMS(1));
    ct_tensor *tail = ct_slice(x, CT_DIMS(1), CT_DIMS(n), CT_DIMS(1));
    r[0] = ct_sub(ct_square(head), ct_mul(tail, head));
    r[1] = ct_concatenate(CT_ARGV(ct_exp(y), ct_sub(ct_sin(x), y), r[0]), 0);
    r[2] = ct_add(
        ct_reshape(ct_slice(ct_neg(y), CT_DIMS(0), CT_DIMS(n / 2), CT_DIMS(1)), CT_SHAPE(1, n / 2)),
        ct_reshape(ct_slice(y, CT_DIMS(n / 2), CT_DIMS(n / 2 * 2), CT_DIMS(1)),
                   CT_SHAPE(1, n / 2)));
}

static ct_tensor *sum_of_slices(ct_tensor *x)
{
    ct_tensor *r[3];
    slices(NULL, CT_ARGV(x), r);
    return ct_sum(ct_square(r[1]), CT_ALL_AXES, CT_DROP_AXES);
}

TEST(slices_and_pieces)
{
    ct_context *ctx = ct_context_new();
    ct_list arguments = CT_ARGV(ct_random_normal(ctx, ct_key_new(11), CT_F32, CT_SHAPE(3001)));
    CHECK(check_same(ct_trace_many(ctx, slices, NULL, 3, arguments), arguments, "slices"));
    CHECK(check_same(ct_value_and_grad(ct_trace(ctx, sum_of_slices, arguments), CT_ARGS(0)),
                     arguments, "gradient of slices"));
    ct_context_free(ctx);
}

/* ---- Transpositions, whole tiles of them and what is left, of coordinates. */

static ct_tensor *turned(ct_tensor *x)
{
    return ct_transpose(x, CT_AXES(2, 0, 1));
}

TEST(large_transpositions)
{
    static const int64_t shapes[][3] = {
        {3, 16, 32}, {1, 300, 270}, {2, 257, 33}, {40, 1, 70}, {17, 31, 16}};
    ct_context *ctx = ct_context_new();
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        const int64_t *dim = shapes[i];
        ct_tensor *x = ct_reshape(ct_arange(ctx, CT_I32, 0, (double)(dim[0] * dim[1] * dim[2]), 1),
                                  CT_SHAPE(dim[0], dim[1], dim[2]));
        ct_tensor *y = ct_call1(compile_with(ct_trace(ctx, turned, CT_LIKE(x)), CT_EXECUTOR_CPU),
                                CT_ARGV(x));
        const int32_t *at = ct_data(y);
        CHECK_OK(ctx);
        for (int64_t c = 0; c < dim[2]; c++)
            for (int64_t a = 0; a < dim[0]; a++)
                for (int64_t b = 0; b < dim[1]; b++, at++)
                    CHECK(*at == (a * dim[1] + b) * dim[2] + c);
    }
    ct_context_free(ctx);
}

/* ---- Every operation, and gradients. */

/* Ones for the parameters; false where one is no tensor. */
static bool make_arguments(ct_context *ctx, ct_function *f, ct_tensor **argument)
{
    for (size_t k = 0; k < ct_function_parameters(f); k++) {
        const ct_type *type = ct_parameter_type(f, k);
        if (ct_type_dtype(type) == CT_INVALID_DTYPE)
            return false;
        argument[k] = ct_ones(ctx, ct_type_dtype(type), ct_type_shape(type));
    }
    return !ct_failed(ctx);
}

TEST(samples_of_every_operation)
{
    ct_context *ctx = ct_context_new();
    size_t ran = 0;
    for (size_t i = 0; i < n_samples; i++) {
        ct_scope scope = ct_scope_begin(ctx);
        ct_tensor *argument[MOST_RESULTS];
        ct_function *f = samples[i].make(ctx);
        CHECK_OK(ctx);
        CHECK(ct_function_parameters(f) <= MOST_RESULTS);
        ran += make_arguments(ctx, f, argument) &&
               check_same(f, CT_LIST(ct_function_parameters(f), argument), samples[i].name);
        ct_error_clear(ctx);
        ct_scope_end(scope);
    }
    CHECK_MSG(ran > n_samples * 2 / 3, "%zu of %zu samples", ran, n_samples);
    ct_context_free(ctx);
}

static ct_tensor *net(ct_tensor *w, ct_tensor *b, ct_tensor *x)
{
    ct_tensor *h = ct_relu(ct_add(ct_matmul(x, w), b));
    ct_tensor *m = ct_sub(h, ct_mean(h, CT_AXES(1), CT_KEEP_AXES));
    return ct_mean(ct_square(ct_logsumexp(ct_add(m, ct_erf(h)), CT_AXES(1), CT_DROP_AXES)),
                   CT_ALL_AXES, CT_DROP_AXES);
}

/* What is cut from a constant of which one element is in memory, read by a product. */
static ct_tensor *cut_constant(ct_tensor *x, ct_tensor *value)
{
    ct_tensor *twos = ct_full(ct_context_of(x), CT_F32, CT_SHAPE(400, 5), 2.0);
    return ct_matmul(x, ct_op_pad(twos, value, CT_DIMS(-397, -1), CT_DIMS(0, 0), CT_DIMS(0, 0)));
}

TEST(products_of_what_is_cut_from_a_constant)
{
    ct_context *ctx = ct_context_new();
    ct_list arguments = CT_ARGV(ct_ones(ctx, CT_F32, CT_SHAPE(2, 3)), ct_scalar(ctx, CT_F32, 7));
    const ct_compile_options options = {.size = sizeof options, .executor = CT_EXECUTOR_CPU};
    ct_executable *f = ct_compile(ct_trace(ctx, cut_constant, arguments), &options);
    CHECK_VALUES(ct_call1(f, arguments), CT_SHAPE(2, 4), {6, 6, 6, 6, 6, 6, 6, 6});
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

TEST(gradients)
{
    ct_context *ctx = ct_context_new();
    ct_list arguments = CT_ARGV(ct_random_normal(ctx, ct_key_new(7), CT_F32, CT_SHAPE(30, 70)),
                                ct_random_normal(ctx, ct_key_new(8), CT_F32, CT_SHAPE(70)),
                                ct_random_normal(ctx, ct_key_new(9), CT_F32, CT_SHAPE(50, 30)));
    ct_function *f = ct_trace(ctx, net, arguments);
    CHECK(check_same(ct_value_and_grad(f, CT_ARGS(0, 1)), arguments, "gradient"));
    CHECK(check_same(ct_value_and_grad(ct_simplify(f), CT_ALL_ARGS), arguments, "simplified"));
    ct_context_free(ctx);
}

/* ---- The command. */

TEST(conformance_files)
{
    command_outcome o;
    command_run(&o, "check tests/conformance --exec cpu --allow "
                    "tests/conformance/allow_machine.txt");
    CHECK_MSG(o.status == 0, "%s", o.text);
}

/* ---- Memory that runs out. */

static void compile_and_run(ct_context *ctx)
{
    ct_tensor *x = ct_ones(ctx, CT_F32, CT_SHAPE(4, 30)), *row = ct_ones(ctx, CT_F32, CT_SHAPE(30));
    ct_tensor *column = ct_ones(ctx, CT_F32, CT_SHAPE(4, 1)), *r[5];
    ct_function *f = ct_trace_many(ctx, broadcasts, NULL, 5, CT_ARGV(x, row, column));
    ct_call(compile_with(f, CT_EXECUTOR_CPU), CT_ARGV(x, row, column), r, 5);
}

TEST(memory_that_runs_out)
{
    CHECK_ALLOCATIONS(compile_and_run);
}
