/* Batch normalisation: JAX's numbers in f64 (tests/data/batch_norm.py), the specification's
 * decomposition bit by bit in every dtype, zero sizes, constraints. */
#include "tests/infer.h"
#include "tests/values.h"

#include <cotangent/op_large.h>

#include <math.h>

static const double scales[] = {1.5, -0.5, 2}, offsets[] = {0.25, 1, -2};
static const double means[] = {1, -2, 0.5}, variances[] = {4, 0.25, 1};
static const double xs[] = {-4, 3, -1, 6, 2, -2, 5, 1, -3, 4, 0, -4};
static const double ybars[] = {-3, 2, 0, -2, 3, 1, -1, -3, 2, 0, -2, 3};

typedef struct normed {
    ct_tensor *x, *ybar, *scale, *offset, *mean, *variance;
} normed;

static normed make(ct_context *ctx, ct_dtype dtype, ct_shape shape, int64_t axis)
{
    const ct_shape features = {1, &shape.dim[axis]};
    normed n = {ct_from_doubles(ctx, dtype, shape, xs),
                ct_from_doubles(ctx, dtype, shape, ybars),
                ct_from_doubles(ctx, dtype, features, scales),
                ct_from_doubles(ctx, dtype, features, offsets),
                ct_from_doubles(ctx, dtype, features, means),
                ct_from_doubles(ctx, dtype, features, variances)};
    return n;
}

#define CHECK_ROW(x, shape, ...) CHECK_NEAR(x, shape, 1e-13, __VA_ARGS__)

/* The cotangents of the training result: its mean and variance go in. */
static ct_tensor *grad(const normed *n, int64_t axis, ct_tensor **scalebar, ct_tensor **offsetbar)
{
    ct_tensor *mean, *variance;

    ct_op_batch_norm_training(n->x, n->scale, n->offset, 1e-3, axis, &mean, &variance);
    return ct_op_batch_norm_grad(n->x, n->scale, mean, variance, n->ybar, 1e-3, axis, scalebar,
                                 offsetbar);
}

TEST(features_first)
{
    ct_context *ctx = ct_context_new();
    const ct_shape shape = CT_SHAPE(3, 2);
    normed n = make(ctx, CT_F64, shape, 0);
    ct_tensor *a, *b;
    CHECK_ROW(ct_op_batch_norm_training(n.x, n.scale, n.offset, 1e-3, 0, &a, &b), shape,
              {-1.2499387792554795, 1.7499387792554795, 1.4999795930851598, 0.5000204069148402,
               -0.00024995314663334156, -3.9997500468533667});
    CHECK_ROW(a, CT_SHAPE(3), {-0.5, 2.5, 0.0});
    CHECK_ROW(b, CT_SHAPE(3), {12.25, 12.25, 4.0});
    CHECK_ROW(grad(&n, 0, &a, &b), shape,
              {-8.745285227407251e-05, 8.745285227407251e-05, -1.1660380303202267e-05,
               1.1660380303202267e-05, 0.0002499062911538452, -0.00024990629115362317});
    CHECK_ROW(a, CT_SHAPE(3), {4.999795930851598, -1.9999183723406393, 1.9997500468533669});
    CHECK_ROW(b, CT_SHAPE(3), {-1.0, -2.0, 4.0});
    CHECK_ROW(ct_op_batch_norm_inference(n.x, n.scale, n.offset, n.mean, n.variance, 1e-3, 0),
              shape,
              {-3.4995313378500623, 1.749812535140025, 0.0019940200246787443, -6.98404783980257,
               0.9985011239921806, -6.997501873320301});
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

TEST(features_in_the_middle)
{
    ct_context *ctx = ct_context_new();
    const ct_shape shape = CT_SHAPE(2, 3, 2);
    normed n = make(ctx, CT_F64, shape, 1);
    ct_tensor *a, *b;
    CHECK_ROW(ct_op_batch_norm_training(n.x, n.scale, n.offset, 1e-3, 1, &a, &b), shape,
              {-2.1043153237182075, 1.0347717745727358, 1.3433884520607946, 0.38190078629056945,
               0.6830132850722235, -2.894337761690741, 1.9316538026558625, 0.13788974648960917,
               1.6180992137094306, 0.6566115479392053, -1.105662238309259, -4.6830132850722235});
    CHECK_ROW(a, CT_SHAPE(3), {1.25, 1.5, -1.0});
    CHECK_ROW(b, CT_SHAPE(3), {11.1875, 13.25, 5.0});
    CHECK_ROW(grad(&n, 1, &a, &b), shape,
              {0.0700707872152263, 1.1724857750390933, 0.11661369211893727, 0.0648061158345487,
               1.9674626014121177, -0.3577082799071256, -0.49849157633815366, -0.7440649859161663,
               -0.0648061158345487, -0.11661369211893727, -2.7724738860104683, 1.1627195645054762});
    CHECK_ROW(a, CT_SHAPE(3), {4.858110985450269, -4.944793709675444, -1.3415066425361113});
    CHECK_ROW(b, CT_SHAPE(3), {-5.0, 0.0, 5.0});
    CHECK_ROW(ct_op_batch_norm_inference(n.x, n.scale, n.offset, n.mean, n.variance, 1e-3, 1),
              shape,
              {-3.4995313378500623, 1.749812535140025, 0.0019940200246787443, -6.98404783980257,
               0.9985011239921806, -6.997501873320301, 3.24962507028005, 0.25, 1.9980059799753214,
               -4.988035879851927, -2.99950037466406, -10.995503371976541});
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

TEST(features_last)
{
    ct_context *ctx = ct_context_new();
    const ct_shape shape = CT_SHAPE(2, 2, 3);
    normed n = make(ctx, CT_F64, shape, 2);
    ct_tensor *a, *b;
    CHECK_ROW(ct_op_batch_norm_training(n.x, n.scale, n.offset, 1e-3, 2, &a, &b), shape,
              {-2.3062558595502427, 0.32944777403045444, 0.6822089038781822, 1.4807898583019687,
               0.7764825913434849, -1.1059303653739394, 1.1020852865167476, 1.2235174086565153,
               -2.8940696346260606, 0.7233807147315265, 1.6705522259695456, -4.682208903878182});
    CHECK_ROW(a, CT_SHAPE(3), {2.75, 1.5, -2.5});
    CHECK_ROW(b, CT_SHAPE(3), {15.6875, 1.25, 1.25});
    CHECK_ROW(grad(&n, 2, &a, &b), shape,
              {-0.09960954938292155, 0.31195954872661236, -0.0021440519833531013,
               -0.4149009898864562, -0.9390947241548668, -0.0007146839944511818,
               0.03320318312764048, 0.9390947241548668, 0.0007146839944507377, 0.48130735614173725,
               -0.31195954872661236, 0.0021440519833531013});
    CHECK_ROW(a, CT_SHAPE(3), {2.9034017170200284, 8.046626711634547, -4.470348173130303});
    CHECK_ROW(b, CT_SHAPE(3), {-6.0, 0.0, 6.0});
    CHECK_ROW(ct_op_batch_norm_inference(n.x, n.scale, n.offset, n.mean, n.variance, 1e-3, 2),
              shape,
              {-3.4995313378500623, -3.990029899876606, -4.998501123992181, 3.9995313378500623,
               -2.992023919901285, -6.997501873320301, 3.24962507028005, -1.9940179399259637,
               -8.996502622648421, 2.4997188027100377, -0.9960119599506425, -10.995503371976541});
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* ---- The decomposition, in primitives. */

typedef struct by_hand {
    ct_dims shape, others;
    int64_t axis, elements;
    ct_tensor *x;
} by_hand;

static ct_tensor *wide(const by_hand *h, ct_tensor *v)
{
    return ct_op_broadcast_in_dim(v, h->shape, CT_DIMS(h->axis));
}

static ct_tensor *number(const by_hand *h, double value)
{
    ct_tensor *v = ct_scalar(ct_context_of(h->x), CT_F32, value);
    return ct_op_convert(v, ct_dtype_of(h->x));
}

static ct_tensor *sum(const by_hand *h, ct_tensor *x)
{
    return ct_op_reduce_add(x, h->others);
}

static ct_tensor *mean(const by_hand *h, ct_tensor *x)
{
    ct_tensor *total = sum(h, x);
    ct_tensor *n = number(h, (double)h->elements);
    return ct_op_divide(total, ct_op_broadcast_in_dim(n, ct_shape_of(total), CT_DIMS()));
}

static ct_tensor *deviation(const by_hand *h, ct_tensor *variance)
{
    ct_tensor *epsilon = ct_op_broadcast_in_dim(number(h, 1e-3), h->shape, CT_DIMS());
    return ct_op_add(wide(h, variance), epsilon);
}

static ct_tensor *inference(const by_hand *h, const normed *n, ct_tensor *m, ct_tensor *v)
{
    ct_tensor *centered = ct_op_subtract(h->x, wide(h, m));
    ct_tensor *normalized = ct_op_divide(centered, ct_op_sqrt(deviation(h, v)));
    return ct_op_add(ct_op_multiply(wide(h, n->scale), normalized), wide(h, n->offset));
}

static void check_grad(const by_hand *h, const normed *n, ct_tensor *m, ct_tensor *v)
{
    ct_tensor *ybar = n->ybar, *scalebar, *offsetbar;
    ct_tensor *elements = ct_op_broadcast_in_dim(number(h, (double)h->elements), h->shape,
                                                 CT_DIMS());
    ct_tensor *centered = ct_op_subtract(h->x, wide(h, m)), *var = deviation(h, v);
    ct_tensor *stddev = ct_op_sqrt(var), *normalized = ct_op_divide(centered, stddev);
    ct_tensor *i1 = ct_op_multiply(ybar, elements), *i2 = wide(h, sum(h, ybar));
    ct_tensor *i3 = wide(h, sum(h, ct_op_multiply(ybar, centered)));
    ct_tensor *i5 = ct_op_divide(ct_op_multiply(i3, centered), var);
    ct_tensor *i6 = ct_op_subtract(ct_op_subtract(i1, i2), i5);
    ct_tensor *factor = ct_op_divide(ct_op_divide(wide(h, n->scale), stddev), elements);

    CHECK_BITS(
        ct_op_batch_norm_grad(h->x, n->scale, m, v, ybar, 1e-3, h->axis, &scalebar, &offsetbar),
        ct_op_multiply(factor, i6));
    CHECK_BITS(scalebar, sum(h, ct_op_multiply(ybar, normalized)));
    CHECK_BITS(offsetbar, sum(h, ybar));
}

/* Numbers that no sum holds exactly. */
static ct_tensor *thirds(ct_tensor *x)
{
    ct_tensor *three = ct_op_convert(ct_scalar(ct_context_of(x), CT_F32, 3), ct_dtype_of(x));
    return ct_op_divide(x, ct_op_broadcast_in_dim(three, ct_shape_of(x), CT_DIMS()));
}

TEST(every_step_is_rounded)
{
    static const ct_dtype dtypes[] = {CT_F64, CT_F32, CT_F16, CT_BF16, CT_F8E4M3};
    ct_context *ctx = ct_context_new();

    for (size_t i = 0; i < sizeof dtypes / sizeof *dtypes; i++)
        for (int64_t axis = 0; axis < 3; axis++) {
            const int64_t dim[] = {axis == 0 ? 3 : 2, axis == 1 ? 3 : 2, axis == 2 ? 3 : 2};
            const int64_t others[] = {axis == 0, axis == 2 ? 1 : 2};
            const ct_shape shape = {3, dim};
            normed n = make(ctx, dtypes[i], shape, axis);
            const by_hand h = {shape, {2, others}, axis, 4, thirds(n.x)};
            ct_tensor *m, *v;
            ct_tensor *y = ct_op_batch_norm_training(h.x, n.scale, n.offset, 1e-3, axis, &m, &v);
            CHECK_BITS(m, mean(&h, h.x));
            ct_tensor *centered = ct_op_subtract(h.x, wide(&h, m));
            CHECK_BITS(v, mean(&h, ct_op_multiply(centered, centered)));
            CHECK_BITS(y, inference(&h, &n, m, v));
            CHECK_BITS(
                ct_op_batch_norm_inference(h.x, n.scale, n.offset, n.mean, n.variance, 1e-3, axis),
                inference(&h, &n, n.mean, n.variance));
            check_grad(&h, &n, m, v);
        }
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* ---- Edges. */

/* Without elements, means are 0/0; without features there is nothing. */
TEST(zero_sizes)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *m, *v, *two = given(ctx, CT_F32, CT_SHAPE(2), {1, 1});
    ct_tensor *none = ct_zeros(ctx, CT_F32, CT_SHAPE(0));
    ct_tensor *x = ct_zeros(ctx, CT_F32, CT_SHAPE(2, 0)),
              *z = ct_zeros(ctx, CT_F32, CT_SHAPE(0, 3));

    CHECK_EMPTY(ct_op_batch_norm_training(x, two, two, 0, 0, &m, &v), CT_SHAPE(2, 0));
    CHECK_VALUES(m, CT_SHAPE(2), {NAN, NAN});
    CHECK_VALUES(v, CT_SHAPE(2), {NAN, NAN});
    CHECK_EMPTY(ct_op_batch_norm_grad(x, two, two, two, x, 0, 0, &m, &v), CT_SHAPE(2, 0));
    CHECK_VALUES(m, CT_SHAPE(2), {0, 0});
    CHECK_VALUES(v, CT_SHAPE(2), {0, 0});
    CHECK_EMPTY(ct_op_batch_norm_training(z, none, none, 0, 0, &m, NULL), CT_SHAPE(0, 3));
    CHECK_EMPTY(m, CT_SHAPE(0));
    CHECK_EMPTY(ct_op_batch_norm_grad(z, none, none, none, z, 0, 0, NULL, &v), CT_SHAPE(0, 3));
    CHECK_EMPTY(ct_op_batch_norm_inference(z, none, none, none, none, 0, 0), CT_SHAPE(0, 3));
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* The specification's examples; epsilon is 0. */
TEST(the_specification)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = given(ctx, CT_F64, CT_SHAPE(2, 2, 2), {1, 2, 3, 4, 3, 4, 1, 2}), *m, *v;
    ct_tensor *ones = given(ctx, CT_F64, CT_SHAPE(2), {1, 1});
    ct_tensor *ybar = given(ctx, CT_F64, CT_SHAPE(2, 2, 2),
                            {0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1});

    CHECK_VALUES(ct_op_batch_norm_training(x, ones, ones, 0, 2, &m, &v), CT_SHAPE(2, 2, 2),
                 {0, 0, 2, 2, 2, 2, 0, 0});
    CHECK_VALUES(m, CT_SHAPE(2), {2, 3});
    CHECK_VALUES(v, CT_SHAPE(2), {1, 1});
    CHECK_VALUES(ct_op_batch_norm_inference(x, ones, ones, m, v, 0, 2), CT_SHAPE(2, 2, 2),
                 {0, 0, 2, 2, 2, 2, 0, 0});
    CHECK_VALUES(ct_op_batch_norm_grad(x, ones, m, v, ybar, 0, 2, &m, &v), CT_SHAPE(2, 2, 2),
                 {0, 0, 0, 0, 0, 0, 0, 0});
    CHECK_VALUES(m, CT_SHAPE(2), {0, 0});
    CHECK_VALUES(v, CT_SHAPE(2), {0.4, 0.4});
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* ---- Constraints. */

#define NORM(axis)                                                                                 \
    {                                                                                              \
        .batch_norm = { 0.5, axis }                                                                \
    }

static const infer_case cases[] = {
    GOOD(batch_norm_inference, "f16[2,3] f16[3] f16[3] f16[3] f16[3]", "f16[2,3]", NORM(1)),
    GOOD(batch_norm_training, "f64[5] f64[5] f64[5]", "f64[5] f64[5] f64[5]", NORM(0)),
    GOOD(batch_norm_grad, "f32[2,0] f32[2] f32[2] f32[2] f32[2,0]", "f32[2,0] f32[2] f32[2]",
         NORM(0)),
    BAD(batch_norm_training, "i32[2,3] i32[3] i32[3]", TYPE, "x must be a float, got i32[2,3]",
        NORM(1)),
    BAD(batch_norm_inference, "f32[2,3] f32[3] f32[3] f32[3] f32[3]", SHAPE,
        "feature_index = 2 must be an axis of x: f32[2,3]", NORM(2)), /* C1 */
    BAD(batch_norm_training, "f32[2,3] f32[3] f32[3]", SHAPE,
        "feature_index = -1 must be an axis of x: f32[2,3]", NORM(-1)), /* C1 */
    BAD(batch_norm_grad, "f32[] f32[3] f32[3] f32[3] f32[]", SHAPE,
        "feature_index = 0 must be an axis of x: f32[]", NORM(0)), /* C1 */
    BAD(batch_norm_inference, "f32[2,3] f32[3] f32[3] f64[3] f32[3]", TYPE,
        "x and mean must have one dtype, got f32[2,3] and f64[3]", NORM(1)), /* C2 */
    BAD(batch_norm_training, "f32[2,3] f32[3] f16[3]", TYPE,
        "x and offset must have one dtype, got f32[2,3] and f16[3]", NORM(1)), /* C2 */
    BAD(batch_norm_grad, "f32[2,3] f32[3] f32[3] f32[3] f64[2,3]", TYPE,
        "x and ybar must have one dtype, got f32[2,3] and f64[2,3]", NORM(1)), /* C2 */
    BAD(batch_norm_inference, "f32[2,3] f32[2] f32[3] f32[3] f32[3]", SHAPE,
        "scale must have shape [3], the extent of axis feature_index = 1 of x, got f32[2]",
        NORM(1)), /* C3 */
    BAD(batch_norm_inference, "f32[2,3] f32[3] f32[3,1] f32[3] f32[3]", SHAPE,
        "offset must have shape [3], the extent of axis feature_index = 1 of x, got f32[3,1]",
        NORM(1)), /* C4 */
    BAD(batch_norm_inference, "f32[2,3] f32[3] f32[3] f32[] f32[3]", SHAPE,
        "mean must have shape [3], the extent of axis feature_index = 1 of x, got f32[]",
        NORM(1)), /* C5 */
    BAD(batch_norm_inference, "f32[2,3] f32[3] f32[3] f32[3] f32[4]", SHAPE,
        "variance must have shape [3], the extent of axis feature_index = 1 of x, got f32[4]",
        NORM(1)), /* C6 */
    BAD(batch_norm_training, "f32[2,3] f32[2] f32[3]", SHAPE,
        "scale must have shape [3], the extent of axis feature_index = 1 of x, got f32[2]",
        NORM(1)), /* C3 */
    BAD(batch_norm_training, "f32[2,3] f32[3] f32[3,1]", SHAPE,
        "offset must have shape [3], the extent of axis feature_index = 1 of x, got f32[3,1]",
        NORM(1)), /* C4 */
    BAD(batch_norm_grad, "f32[2,3] f32[3] f32[3] f32[3] f32[3,2]", SHAPE,
        "x and ybar must have one shape, got f32[2,3] and f32[3,2]", NORM(1)), /* C3 */
    BAD(batch_norm_grad, "f32[2,3] f32[3] f32[2] f32[3] f32[2,3]", SHAPE,
        "mean must have shape [3], the extent of axis feature_index = 1 of x, got f32[2]",
        NORM(1)), /* C4 */
    BAD(batch_norm_grad, "f32[2,3] f32[2] f32[3] f32[3] f32[2,3]", SHAPE,
        "scale must have shape [3], the extent of axis feature_index = 1 of x, got f32[2]",
        NORM(1)), /* C5 */
};

TEST(constraints)
{
    CHECK_CASES(cases);
}
