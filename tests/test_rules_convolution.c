/* Derivative rules of convolution: whole matrices, exact on whole numbers, of named and of random
 * arrangements. */
#include "tests/derivatives.h"
#include "tests/programs.h"

#include <cotangent/op_large.h>

static ct_tensor *convolve(const void *user, ct_tensor *const *x)
{
    return ct_op_convolution(x[0], x[1], user);
}

#define ROLES(spatial)                                                                             \
    .input_batch_dimension = 0, .input_feature_dimension = 1, .input_spatial_dimensions = spatial, \
    .kernel_output_feature_dimension = 0, .kernel_input_feature_dimension = 1,                     \
    .kernel_spatial_dimensions = spatial, .output_batch_dimension = 0,                             \
    .output_feature_dimension = 1, .output_spatial_dimensions = spatial

/* x [batch, features, …], kernel [features of y, features of x, …] */
#define NO_AXIS ROLES(CT_DIMS())
#define ONE_AXIS ROLES(CT_DIMS(2))
#define TWO_AXES ROLES(CT_DIMS(2, 3))

typedef struct arrangement {
    ct_convolution_dims dims;
    ct_shape x, kernel;
} arrangement;

static void check_each(const arrangement *cases, size_t count)
{
    ct_context *ctx = ct_context_new();
    for (size_t i = 0; i < count; i++) {
        ct_tensor *x = values_coded(ctx, CT_F64, cases[i].x);
        ct_tensor *kernel = values_coded(ctx, CT_F64, cases[i].kernel);
        CHECK_LINEAR_ANY(ctx, convolve, &cases[i].dims, 2, x, kernel);
    }
    CHECK_OK(ctx);
    ct_context_free(ctx);
}
#define CHECK_EACH(cases) check_each(cases, sizeof(cases) / sizeof *(cases))

TEST(windows)
{
    const arrangement cases[] = {
        {{NO_AXIS}, CT_SHAPE(2, 3), CT_SHAPE(4, 3)},
        {{ONE_AXIS}, CT_SHAPE(2, 1, 4), CT_SHAPE(3, 1, 2)},
        {{ONE_AXIS}, CT_SHAPE(1, 2, 3), CT_SHAPE(1, 2, 3)}, /* one window */
        {{ONE_AXIS}, CT_SHAPE(1, 2, 3), CT_SHAPE(2, 2, 1)}, /* one tap */
        {{ONE_AXIS}, CT_SHAPE(1, 1, 1), CT_SHAPE(1, 1, 1)},
        /* strides that leave elements unread at the end, and that skip some */
        {{ONE_AXIS, .window_strides = CT_DIMS(2)}, CT_SHAPE(1, 2, 6), CT_SHAPE(2, 2, 3)},
        {{ONE_AXIS, .window_strides = CT_DIMS(4)}, CT_SHAPE(1, 1, 10), CT_SHAPE(1, 1, 2)},
        /* padding, more than the window, and less than nothing */
        {{ONE_AXIS, .padding_low = CT_DIMS(2), .padding_high = CT_DIMS(1)},
         CT_SHAPE(1, 2, 3),
         CT_SHAPE(1, 2, 2)},
        {{ONE_AXIS, .padding_low = CT_DIMS(4), .padding_high = CT_DIMS(3)},
         CT_SHAPE(1, 1, 2),
         CT_SHAPE(2, 1, 3)},
        {{ONE_AXIS, .padding_low = CT_DIMS(-2), .padding_high = CT_DIMS(-1)},
         CT_SHAPE(2, 1, 6),
         CT_SHAPE(1, 1, 2)},
        {{ONE_AXIS, .padding_low = CT_DIMS(-3), .padding_high = CT_DIMS(4)},
         CT_SHAPE(1, 1, 4),
         CT_SHAPE(2, 1, 3)},
        {{ONE_AXIS, .lhs_dilation = CT_DIMS(3)}, CT_SHAPE(1, 2, 3), CT_SHAPE(2, 2, 2)},
        {{ONE_AXIS, .rhs_dilation = CT_DIMS(2)}, CT_SHAPE(1, 2, 6), CT_SHAPE(2, 2, 3)},
        {{ONE_AXIS, .window_reversal = CT_DIMS(1)}, CT_SHAPE(2, 1, 4), CT_SHAPE(2, 1, 3)},
        /* all of it, coprime, running beyond either end */
        {{ONE_AXIS, .window_strides = CT_DIMS(2), .padding_low = CT_DIMS(-1),
          .padding_high = CT_DIMS(5), .lhs_dilation = CT_DIMS(3), .rhs_dilation = CT_DIMS(2),
          .window_reversal = CT_DIMS(1)},
         CT_SHAPE(2, 1, 4),
         CT_SHAPE(1, 1, 3)},
        {{TWO_AXES, .window_strides = CT_DIMS(3, 1), .padding_low = CT_DIMS(2, -1),
          .padding_high = CT_DIMS(-1, 2), .lhs_dilation = CT_DIMS(1, 2),
          .rhs_dilation = CT_DIMS(1, 3), .window_reversal = CT_DIMS(0, 1)},
         CT_SHAPE(1, 2, 5, 3),
         CT_SHAPE(2, 2, 3, 2)},
    };
    CHECK_EACH(cases);
}

/* Roles in cycles, other ones for each of x, kernel and result. */
TEST(dimension_numbers)
{
    const arrangement cases[] = {
        {{.input_spatial_dimensions = CT_DIMS(0),
          .input_batch_dimension = 1,
          .input_feature_dimension = 2,
          .kernel_spatial_dimensions = CT_DIMS(1),
          .kernel_input_feature_dimension = 2,
          .kernel_output_feature_dimension = 0,
          .output_spatial_dimensions = CT_DIMS(2),
          .output_batch_dimension = 0,
          .output_feature_dimension = 1},
         CT_SHAPE(4, 1, 2),
         CT_SHAPE(3, 2, 2)},
        {{.input_spatial_dimensions = CT_DIMS(3, 1),
          .input_batch_dimension = 2,
          .input_feature_dimension = 0,
          .kernel_spatial_dimensions = CT_DIMS(0, 2),
          .kernel_input_feature_dimension = 1,
          .kernel_output_feature_dimension = 3,
          .output_spatial_dimensions = CT_DIMS(2, 0),
          .output_batch_dimension = 3,
          .output_feature_dimension = 1,
          .window_strides = CT_DIMS(2, 1),
          .padding_low = CT_DIMS(1, 0),
          .window_reversal = CT_DIMS(1, 0)},
         CT_SHAPE(2, 3, 2, 4),
         CT_SHAPE(2, 2, 3, 1)},
    };
    CHECK_EACH(cases);
}

TEST(groups)
{
    const arrangement cases[] = {
        {{ONE_AXIS, .feature_group_count = 2}, CT_SHAPE(1, 4, 3), CT_SHAPE(6, 2, 2)},
        {{ONE_AXIS, .feature_group_count = 3, .window_strides = CT_DIMS(2)}, /* depthwise */
         CT_SHAPE(2, 3, 3),
         CT_SHAPE(3, 1, 2)},
        {{ONE_AXIS, .batch_group_count = 2}, CT_SHAPE(6, 2, 3), CT_SHAPE(4, 2, 2)},
        {{ONE_AXIS, .batch_group_count = 3, .padding_low = CT_DIMS(1), .lhs_dilation = CT_DIMS(2),
          .window_reversal = CT_DIMS(1)},
         CT_SHAPE(3, 1, 2),
         CT_SHAPE(3, 1, 2)},
        {{NO_AXIS, .feature_group_count = 2}, CT_SHAPE(3, 4), CT_SHAPE(2, 2)},
        {{NO_AXIS, .batch_group_count = 2}, CT_SHAPE(4, 3), CT_SHAPE(2, 3)},
        /* features before and behind the other axis that blocks move to */
        {{.input_feature_dimension = 0,
          .input_spatial_dimensions = CT_DIMS(1),
          .input_batch_dimension = 2,
          .kernel_input_feature_dimension = 0,
          .kernel_spatial_dimensions = CT_DIMS(1),
          .kernel_output_feature_dimension = 2,
          .output_spatial_dimensions = CT_DIMS(0),
          .output_batch_dimension = 1,
          .output_feature_dimension = 2,
          .feature_group_count = 2},
         CT_SHAPE(4, 3, 1),
         CT_SHAPE(2, 2, 6)},
        {{.input_feature_dimension = 0,
          .input_spatial_dimensions = CT_DIMS(1),
          .input_batch_dimension = 2,
          .kernel_input_feature_dimension = 2,
          .kernel_spatial_dimensions = CT_DIMS(1),
          .kernel_output_feature_dimension = 0,
          .output_spatial_dimensions = CT_DIMS(0),
          .output_batch_dimension = 1,
          .output_feature_dimension = 2,
          .batch_group_count = 2},
         CT_SHAPE(2, 3, 4),
         CT_SHAPE(6, 2, 2)},
    };
    CHECK_EACH(cases);
}

/* Any extent 0, of operands or of the result, but for taps. */
TEST(nothing)
{
    const arrangement cases[] = {
        {{ONE_AXIS}, CT_SHAPE(0, 2, 3), CT_SHAPE(2, 2, 2)},
        {{ONE_AXIS}, CT_SHAPE(2, 0, 3), CT_SHAPE(2, 0, 2)},
        {{ONE_AXIS}, CT_SHAPE(2, 1, 3), CT_SHAPE(0, 1, 2)},
        {{ONE_AXIS}, CT_SHAPE(2, 1, 3), CT_SHAPE(2, 1, 4)}, /* no window */
        {{ONE_AXIS}, CT_SHAPE(2, 1, 0), CT_SHAPE(2, 1, 2)},
        {{ONE_AXIS, .padding_low = CT_DIMS(2), .padding_high = CT_DIMS(1)}, /* of padding alone */
         CT_SHAPE(2, 1, 0),
         CT_SHAPE(2, 1, 2)},
        {{ONE_AXIS, .feature_group_count = 2}, CT_SHAPE(0, 4, 3), CT_SHAPE(2, 2, 2)},
        {{ONE_AXIS, .batch_group_count = 2}, CT_SHAPE(4, 0, 3), CT_SHAPE(2, 0, 2)},
        {{TWO_AXES}, CT_SHAPE(1, 1, 3, 0), CT_SHAPE(1, 1, 2, 2)},
    };
    CHECK_EACH(cases);
}

/* The highest rank, where blocks leave no room for an axis of their own. */
TEST(rank_64)
{
    static const double value[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
    int64_t x[64], kernel[64], spatial[62];
    ct_context *ctx = ct_context_new();
    for (int64_t d = 0; d < 64; d++) {
        x[d] = kernel[d] = 1;
        if (d < 62)
            spatial[d] = d + 1;
    }
    const ct_dims middle = {62, spatial};
    ct_convolution_dims dims = {.input_feature_dimension = 63,
                                .input_spatial_dimensions = middle,
                                .kernel_input_feature_dimension = 63,
                                .kernel_spatial_dimensions = middle,
                                .output_feature_dimension = 63,
                                .output_spatial_dimensions = middle,
                                .feature_group_count = 2};
    x[31] = x[0] = 2;
    kernel[31] = 2;
    x[63] = kernel[0] = 4;
    kernel[63] = 2;
    CHECK_LINEAR(ctx, convolve, &dims, 1, ct_from_doubles(ctx, CT_F64, (ct_shape){64, x}, value),
                 ct_from_doubles(ctx, CT_F64, (ct_shape){64, kernel}, value));
    dims.feature_group_count = 1;
    dims.batch_group_count = 2;
    x[63] = 2;
    CHECK_LINEAR(ctx, convolve, &dims, 1, ct_from_doubles(ctx, CT_F64, (ct_shape){64, x}, value),
                 ct_from_doubles(ctx, CT_F64, (ct_shape){64, kernel}, value));
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* ---- Random arrangements: every attribute at once, on up to two spatial axes. */

enum { MOST = 2 };

typedef struct lists {
    int64_t stride[MOST], low[MOST], high[MOST], base[MOST], dilation[MOST], reversal[MOST];
    int64_t role[3][MOST + 2]; /* batch or output feature, feature, spatial axes */
    int64_t x[MOST + 2], kernel[MOST + 2];
} lists;

static void shuffled(int64_t *axis, size_t rank)
{
    for (size_t i = 0; i < rank; i++) {
        size_t j = (size_t)programs_pick((int64_t)i + 1);
        axis[i] = axis[j];
        axis[j] = (int64_t)i;
    }
}

static void pick_windows(lists *l, size_t spatial)
{
    for (size_t d = 0; d < spatial; d++) {
        l->stride[d] = 1 + programs_pick(3);
        l->base[d] = 1 + programs_pick(3);
        l->dilation[d] = 1 + programs_pick(3);
        l->low[d] = programs_pick(6) - 2;
        l->high[d] = programs_pick(6) - 2;
        l->reversal[d] = programs_pick(2);
        l->x[l->role[0][2 + d]] = 1 + programs_pick(3);
        l->kernel[l->role[1][2 + d]] = 1 + programs_pick(3);
    }
}

static ct_convolution_dims dims_of(const lists *l, size_t n)
{
    return (ct_convolution_dims){.window_strides = {n, l->stride},
                                 .padding_low = {n, l->low},
                                 .padding_high = {n, l->high},
                                 .lhs_dilation = {n, l->base},
                                 .rhs_dilation = {n, l->dilation},
                                 .window_reversal = {n, l->reversal},
                                 .input_batch_dimension = l->role[0][0],
                                 .input_feature_dimension = l->role[0][1],
                                 .input_spatial_dimensions = {n, l->role[0] + 2},
                                 .kernel_output_feature_dimension = l->role[1][0],
                                 .kernel_input_feature_dimension = l->role[1][1],
                                 .kernel_spatial_dimensions = {n, l->role[1] + 2},
                                 .output_batch_dimension = l->role[2][0],
                                 .output_feature_dimension = l->role[2][1],
                                 .output_spatial_dimensions = {n, l->role[2] + 2}};
}

TEST(random_arrangements)
{
    ct_context *ctx = ct_context_new();
    for (int trial = 0; trial < 150; trial++) {
        ct_scope scope = ct_scope_begin(ctx);
        const size_t spatial = (size_t)programs_pick(MOST + 1), rank = spatial + 2;
        const int64_t groups = 1 + programs_pick(3), in = 1 + programs_pick(2);
        const bool by_batch = programs_pick(2);
        lists l;
        for (size_t i = 0; i < 3; i++)
            shuffled(l.role[i], rank);
        pick_windows(&l, spatial);
        l.x[l.role[0][0]] = (1 + programs_pick(2)) * (by_batch ? groups : 1);
        l.x[l.role[0][1]] = in * (by_batch ? 1 : groups);
        l.kernel[l.role[1][0]] = (1 + programs_pick(2)) * groups;
        l.kernel[l.role[1][1]] = in;
        ct_convolution_dims dims = dims_of(&l, spatial);
        *(by_batch ? &dims.batch_group_count : &dims.feature_group_count) = groups;
        CHECK_LINEAR_ANY(ctx, convolve, &dims, 1, values_coded(ctx, CT_F64, (ct_shape){rank, l.x}),
                         values_coded(ctx, CT_F64, (ct_shape){rank, l.kernel}));
        ct_scope_end(scope);
    }
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* ---- Dtypes. */

#define GROUPED                                                                                    \
    (ct_convolution_dims)                                                                          \
    {                                                                                              \
        ONE_AXIS, .feature_group_count = 2, .padding_low = CT_DIMS(1)                              \
    }

TEST(dtypes)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = coded(ctx, CT_F64, 1, 4, 3);
    ct_tensor *kernel = coded(ctx, CT_F64, 2, 2, 2);
    CHECK_DTYPES(ctx, convolve, &GROUPED, 0, x, kernel);
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* Results of other dtypes than the operands': the cotangents have those of the operands. */
TEST(mixed_dtypes)
{
    ct_context *ctx = ct_context_new();
    for (ct_dtype from = CT_F16; from <= CT_F64; from = (ct_dtype)(from + 1))
        for (ct_dtype to = CT_F16; to <= CT_F64; to = (ct_dtype)(to + 1)) {
            ct_convolution_dims dims = GROUPED;
            dims.dtype = to;
            CHECK_LINEAR(ctx, convolve, &dims, 1, ct_op_convert(coded(ctx, CT_U8, 1, 4, 3), from),
                         ct_op_convert(coded(ctx, CT_BOOL, 2, 2, 2), from));
        }
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* A long axis of f16: the cotangent of the kernel is summed in f32, 4096 ones. */
TEST(many_terms)
{
    ct_context *ctx = ct_context_new();
    const ct_convolution_dims dims = {ONE_AXIS};
    for (ct_dtype t = CT_F16; t <= CT_F64; t = (ct_dtype)(t + 1)) {
        ct_tensor *x = ct_ones(ctx, t, CT_SHAPE(1, 1, 4096)),
                  *kernel = ct_ones(ctx, t, CT_SHAPE(1, 1, 1));
        ct_function *f = derivatives_record(ctx, convolve, &dims, CT_LIKE(x, kernel));
        CHECK_VALUES(ct_apply1(ct_vjp(f, CT_ARGS(1)), CT_ARGV(x, kernel, x)), CT_SHAPE(1, 1, 1),
                     {4096});
    }
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* ---- Complex operands: nothing is conjugated. Parts are real arguments, so that both directions
 * of each number are compared with differences. */

static ct_tensor *convolve_complex(const void *user, ct_tensor *const *x)
{
    ct_tensor *y = convolve(user,
                            (ct_tensor *[]){ct_op_complex(x[0], x[1]), ct_op_complex(x[2], x[3])});
    return ct_op_concatenate(CT_ARGV(ct_op_real(y), ct_op_imag(y)), 0);
}

/* Real operands, a complex result; and the other way round. */
static ct_tensor *convolve_to_real(const void *user, ct_tensor *const *x)
{
    return convolve(user, (ct_tensor *[]){ct_op_complex(x[0], x[1]), ct_op_complex(x[2], x[3])});
}

static ct_tensor *convolve_to_complex(const void *user, ct_tensor *const *x)
{
    ct_tensor *y = convolve(user, x);
    return ct_op_concatenate(CT_ARGV(ct_op_real(y), ct_op_imag(y)), 0);
}

TEST(complex_operands)
{
    ct_context *ctx = ct_context_new();
    for (int i = 0; i < 2; i++) {
        ct_convolution_dims dims = GROUPED;
        dims.feature_group_count = i ? 1 : 2;
        dims.batch_group_count = i ? 2 : 1;
        dims.window_reversal = CT_DIMS(i);
        ct_shape shape = i ? CT_SHAPE(4, 2, 3) : CT_SHAPE(1, 4, 3);
        ct_tensor *re = values_coded(ctx, CT_F64, shape), *im = ct_op_negate(re);
        ct_tensor *kernel = coded(ctx, CT_F64, 2, 2, 2),
                  *other = ct_ones(ctx, CT_F64, CT_SHAPE(2, 2, 2));
        CHECK_LINEAR(ctx, convolve_complex, &dims, 2, re, im, kernel, other);
        dims.dtype = CT_F64;
        CHECK_LINEAR(ctx, convolve_to_real, &dims, 2, re, im, kernel, other);
        dims.dtype = CT_C128;
        CHECK_LINEAR(ctx, convolve_to_complex, &dims, 2, re, kernel);
    }
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* ---- Order two and three through something that is not linear. */

static ct_tensor *squared(const void *user, ct_tensor *const *x)
{
    ct_tensor *y = convolve(user, x);
    return ct_op_multiply(y, y);
}

static ct_tensor *with_itself(const void *user, ct_tensor *const *x)
{
    return convolve(user, (ct_tensor *[]){x[0], x[0]});
}

TEST(higher_orders)
{
    ct_context *ctx = ct_context_new();
    const ct_convolution_dims dims = {ONE_AXIS, .window_strides = CT_DIMS(2),
                                      .padding_low = CT_DIMS(1)};
    ct_tensor *x = given(ctx, CT_F64, CT_SHAPE(1, 2, 3), {0.5, -1, 0.25, 2, -0.75, 1});
    ct_tensor *kernel = given(ctx, CT_F64, CT_SHAPE(1, 2, 2), {1, -0.5, 0.75, 0.25});
    CHECK_SMOOTH(ctx, squared, &dims, 2, x, kernel);
    CHECK_SMOOTH(ctx, with_itself, &dims, 3,
                 given(ctx, CT_F64, CT_SHAPE(2, 2, 2), {1, -2, 0.5, 3, 2, -1, 0.25, 1}));
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* Padding of the transpose that is no number of 64 bits is an error. */
TEST(far_padding)
{
    ct_context *ctx = ct_context_new();
    const ct_convolution_dims dims = {ONE_AXIS, .lhs_dilation = CT_DIMS(INT64_MAX / 2 + 1),
                                      .padding_low = CT_DIMS(INT64_MIN),
                                      .padding_high = CT_DIMS(1)};
    ct_tensor *x = coded(ctx, CT_F32, 1, 1, 3), *kernel = ct_ones(ctx, CT_F32, CT_SHAPE(1, 1, 2));
    ct_function *f = derivatives_record(ctx, convolve, &dims, CT_LIKE(x, kernel));
    CHECK_VALUES(ct_apply1(f, CT_ARGV(x, kernel)), CT_SHAPE(1, 1, 1), {2});
    ct_tensor *kernelbar = ct_apply1(ct_vjp(f, CT_ARGS(1)),
                                     CT_ARGV(x, kernel, ct_ones(ctx, CT_F32, CT_SHAPE(1, 1, 1))));
    CHECK_VALUES(kernelbar, CT_SHAPE(1, 1, 2), {2, 0});
    ct_vjp(f, CT_ARGS(0));
    CHECK_ERROR(ctx, CT_ERR_RANGE,
                "the padding of convolution's transpose overflows on spatial axis 0");
    ct_context_free(ctx);
}

static void gradients(ct_context *ctx)
{
    ct_tensor *x = coded(ctx, CT_F32, 1, 4, 3);
    ct_tensor *kernel = coded(ctx, CT_F32, 2, 2, 2);
    ct_function *f = derivatives_record(ctx, convolve, &GROUPED, CT_LIKE(x, kernel));
    ct_vjp(f, CT_ALL_ARGS);
}

TEST(allocations)
{
    CHECK_ALLOCATIONS(gradients);
}
