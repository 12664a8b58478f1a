/* Derivative rules of products of matrices: dot_general and ragged_dot. */
#include "tests/derivatives.h"
#include "tests/programs.h"

#include <cotangent/module.h>

#include <stdio.h>
#include <string.h>

static void shuffled(int64_t *axis, size_t rank)
{
    for (size_t i = 0; i < rank; i++) {
        size_t j = (size_t)programs_pick((int64_t)i + 1);
        axis[i] = axis[j];
        axis[j] = (int64_t)i;
    }
}

/* ---- dot_general: every placement of axes. */

static ct_tensor *dot(const void *user, ct_tensor *const *x)
{
    return ct_op_dot_general(x[0], x[1], user);
}

/* Up to two batching, contracting and free axes in any order on either side, some of extent 0. */
TEST(dot_general_random_arrangements)
{
    ct_context *ctx = ct_context_new();
    for (int trial = 0; trial < 200; trial++) {
        ct_scope scope = ct_scope_begin(ctx);
        const size_t b = (size_t)programs_pick(3), k = (size_t)programs_pick(3);
        const size_t xr = b + k + (size_t)programs_pick(3), yr = b + k + (size_t)programs_pick(3);
        int64_t xa[6], ya[6], xdim[6], ydim[6];
        shuffled(xa, xr);
        shuffled(ya, yr);
        for (size_t i = 0; i < xr; i++)
            xdim[i] = programs_pick(20) == 0 ? 0 : 1 + programs_pick(3);
        for (size_t i = 0; i < yr; i++)
            ydim[i] = 1 + programs_pick(3);
        for (size_t i = 0; i < b + k; i++)
            ydim[ya[i]] = xdim[xa[i]];
        const ct_dot_dims dims = {.lhs_batching = {b, xa},
                                  .rhs_batching = {b, ya},
                                  .lhs_contracting = {k, xa + b},
                                  .rhs_contracting = {k, ya + b}};
        CHECK_LINEAR_ANY(ctx, dot, &dims, 1, values_coded(ctx, CT_F64, (ct_shape){xr, xdim}),
                         values_coded(ctx, CT_F64, (ct_shape){yr, ydim}));
        ct_scope_end(scope);
    }
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* Operands and results of three dtypes: the cotangents have those of the operands. */
TEST(dot_general_mixed_dtypes)
{
    static const ct_dtype dtype[] = {CT_F16, CT_BF16, CT_F32, CT_F64};
    ct_context *ctx = ct_context_new();
    for (int i = 0; i < 64; i++) {
        const ct_dot_dims dims = {
            .lhs_contracting = CT_DIMS(1), .rhs_contracting = CT_DIMS(0), .dtype = dtype[i / 16]};
        ct_tensor *x = ct_op_convert(coded(ctx, CT_U8, 2, 3), dtype[i / 4 % 4]);
        ct_tensor *y = ct_op_convert(coded(ctx, CT_U8, 3, 2), dtype[i % 4]);
        if (dims.dtype != CT_BF16) /* where sums are beyond 256 */
            CHECK_LINEAR(ctx, dot, &dims, 1, x, y);
        ct_function *f = derivatives_record(ctx, dot, &dims, CT_LIKE(x, y));
        ct_tensor *bar[2], *ybar = ct_ones(ctx, dtype[i / 16], CT_SHAPE(2, 2));
        ct_apply(ct_vjp(f, CT_ALL_ARGS), CT_ARGV(x, y, ybar), bar, 2);
        CHECK_EQUAL(bar[0], given(ctx, ct_dtype_of(x), CT_SHAPE(2, 3), {1, 21, 41, 1, 21, 41}));
        CHECK_EQUAL(bar[1], given(ctx, ct_dtype_of(y), CT_SHAPE(3, 2), {10, 10, 12, 12, 14, 14}));
    }
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* An operand of integers has no tangent; the other one's is converted all the same. */
TEST(dot_general_with_integers)
{
    ct_context *ctx = ct_context_new();
    const ct_dot_dims dims = {
        .lhs_contracting = CT_DIMS(1), .rhs_contracting = CT_DIMS(0), .dtype = CT_F32};
    CHECK_LINEAR(ctx, dot, &dims, 2, coded(ctx, CT_I8, 2, 3), coded(ctx, CT_F16, 3, 2));
    CHECK_LINEAR(ctx, dot, &dims, 2, coded(ctx, CT_F64, 2, 3), coded(ctx, CT_U64, 3, 2));
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* y = x w for weights that are stored as integers: xbar = ybar w^T, of the numbers that they stand
 * for. */
TEST(quantized_weights)
{
    static const char *const text[] = {
        "%y = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]",
        "%y = stablehlo.convolution(%x, %w) dim_numbers = [b, f]x[i, o]->[b, f], window = {} "
        "{batch_group_count = 1 : i64, feature_group_count = 1 : i64}"};
    ct_context *ctx = ct_context_new();
    for (size_t i = 0; i < 2; i++) {
        char module[1024];
        const int length = snprintf(
            module, sizeof module,
            "func.func @main(%%x: tensor<2x3xf32>) -> tensor<2x2xf32> {\n"
            "%%q = stablehlo.constant dense<[[1, 2], [3, 4], [5, -6]]> : tensor<3x2xi8>\n"
            "%%w = stablehlo.bitcast_convert %%q : (tensor<3x2xi8>) -> tensor<3x2x%s>\n"
            "%s : (tensor<2x3xf32>, tensor<3x2x%s>) -> tensor<2x2xf32>\n"
            "return %%y : tensor<2x2xf32>\n}\n",
            "!quant.uniform<i8:f32:1, {0.5, 2.0:1}>", text[i],
            "!quant.uniform<i8:f32:1, {0.5, 2.0:1}>");
        ct_function *f = ct_module_function(
            ct_read_stablehlo_text(ctx, "text", module, (size_t)length), NULL);
        ct_tensor *x = coded(ctx, CT_F32, 2, 3), *both[2];
        ct_tensor *ybar = given(ctx, CT_F32, CT_SHAPE(2, 2), {1, 0, 0, 1});
        CHECK_VALUES(ct_apply1(ct_vjp(f, CT_ALL_ARGS), CT_ARGV(x, ybar)), CT_SHAPE(2, 3),
                     {0.5, 1.5, 2.5, 2, 6, -14});
        ct_apply(ct_jvp(f, CT_ALL_ARGS), CT_ARGV(x, x), both, 2);
        CHECK_EQUAL(both[0], both[1]);
        CHECK_OK(ctx);
    }
    ct_context_free(ctx);
}

/* The cotangent takes the precision of the operand whose place it takes. */
TEST(precision_of_products)
{
    ct_context *ctx = ct_context_new();
    const ct_dot_dims dims = {.lhs_contracting = CT_DIMS(1),
                              .rhs_contracting = CT_DIMS(0),
                              .precision_config = "HIGHEST, DEFAULT"};
    ct_tensor *x = coded(ctx, CT_F32, 2, 3), *y = coded(ctx, CT_F32, 3, 4);
    ct_function *f = derivatives_record(ctx, dot, &dims, CT_LIKE(x, y));
    const char *text = ct_stablehlo_text(ct_vjp(f, CT_ALL_ARGS), 0);
    CHECK(text != NULL);
    CHECK(strstr(text, "dot_general %arg0, %arg2, contracting_dims = [0] x [0], "
                       "precision = [HIGHEST, DEFAULT]"));
    CHECK(strstr(text, "dot_general %arg2, %arg1, contracting_dims = [1] x [1], "
                       "precision = [HIGHEST, DEFAULT]"));
    CHECK(!strstr(text, "transpose"));
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* ---- ragged_dot: x[0] x[1] in groups of the sizes x[2]. */

static ct_tensor *ragged(const void *user, ct_tensor *const *x)
{
    return ct_op_ragged_dot(x[0], x[1], x[2], user);
}

typedef enum kind { BATCHING, CONTRACTING, FREE } kind;

/* Axes of either side, in the order batching, contracting, free; y has one more where the ragged
 * axis is free, the last, of groups. */
typedef struct sides {
    size_t b, k, xr, yr;
    int64_t xa[6], ya[6], xdim[6], ydim[6], prefix[7];
    size_t n_prefix;
    int64_t ragged;
    kind kind;
} sides;

static void sort_axes(int64_t *axis, size_t count)
{
    for (size_t i = 1; i < count; i++)
        for (size_t j = i; j > 0 && axis[j - 1] > axis[j]; j--) {
            int64_t t = axis[j];
            axis[j] = axis[j - 1];
            axis[j - 1] = t;
        }
}

static void pick_sides(sides *s, int64_t groups)
{
    s->kind = (kind)programs_pick(3);
    s->b = (size_t)programs_pick(2) + (s->kind == BATCHING);
    s->k = (size_t)programs_pick(2) + (s->kind == CONTRACTING);
    const size_t m = (size_t)programs_pick(2) + (s->kind == FREE), n = (size_t)programs_pick(3);
    s->xr = s->b + s->k + m;
    s->yr = s->b + s->k + n + (s->kind == FREE);
    shuffled(s->xa, s->xr);
    shuffled(s->ya, s->yr);
    sort_axes(s->xa + s->b + s->k, m);
    for (size_t i = 0; i < s->xr; i++)
        s->xdim[i] = 1 + programs_pick(3);
    for (size_t i = 0; i < s->yr; i++)
        s->ydim[i] = 1 + programs_pick(3);
    const size_t begin[] = {0, s->b, s->b + s->k}, count[] = {s->b, s->k, m};
    const size_t at = begin[s->kind] + (size_t)programs_pick((int64_t)count[s->kind]);
    s->ragged = s->xa[at];
    s->xdim[s->ragged] = programs_pick(8) == 0 ? 0 : 2 + programs_pick(3);
    for (size_t i = 0; i < s->b + s->k; i++)
        s->ydim[s->ya[i]] = s->xdim[s->xa[i]];
    if (s->kind == FREE)
        s->ydim[s->ya[s->yr - 1]] = groups;
    s->n_prefix = 0;
    for (size_t i = 0; i < at; i++)
        if (i < s->b || i >= begin[s->kind])
            s->prefix[s->n_prefix++] = s->xdim[s->xa[i]];
}

/* Group sizes that fit, that leave places without a group, that reach beyond, or are below 0. */
static ct_tensor *pick_sizes(ct_context *ctx, sides *s, int64_t groups)
{
    double value[1024];
    const bool one_row = programs_pick(3) == 0;
    s->prefix[one_row ? 0 : s->n_prefix] = groups;
    const ct_shape shape = {one_row ? 1 : s->n_prefix + 1, s->prefix};
    const int64_t count = programs_count(shape.dim, shape.count);
    for (int64_t i = 0; i < count; i++)
        value[i] = (double)(programs_pick(5) - 1);
    return ct_from_doubles(ctx, CT_I32, shape, value);
}

TEST(ragged_dot_random_arrangements)
{
    ct_context *ctx = ct_context_new();
    for (int trial = 0; trial < 300; trial++) {
        ct_scope scope = ct_scope_begin(ctx);
        const int64_t groups = 1 + programs_pick(3);
        sides s;
        pick_sides(&s, groups);
        ct_tensor *sizes = pick_sizes(ctx, &s, groups);
        const ct_ragged_dot_dims dims = {
            .lhs_batching = {s.b, s.xa},
            .rhs_batching = {s.b, s.ya},
            .lhs_contracting = {s.k, s.xa + s.b},
            .rhs_contracting = {s.k, s.ya + s.b},
            .lhs_ragged = {1, &s.ragged},
            .rhs_group = {s.kind == FREE, s.ya + s.yr - (s.kind == FREE)}};
        CHECK_LINEAR_ANY(ctx, ragged, &dims, 1 + (trial % 10 == 0),
                         values_coded(ctx, CT_F64, (ct_shape){s.xr, s.xdim}),
                         values_coded(ctx, CT_F64, (ct_shape){s.yr, s.ydim}), sizes);
        ct_scope_end(scope);
    }
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* Groups of rows of x[0], each with its own matrix, and groups of the terms that are summed. */
static const int64_t axis_0[] = {0}, axis_1[] = {1};
static const ct_ragged_dot_dims rows = {.lhs_contracting = {1, axis_1},
                                        .rhs_contracting = {1, axis_1},
                                        .lhs_ragged = {1, axis_0},
                                        .rhs_group = {1, axis_0}};
static const ct_ragged_dot_dims terms = {
    .lhs_contracting = {1, axis_0}, .rhs_contracting = {1, axis_0}, .lhs_ragged = {1, axis_0}};

/* No groups at all, no rows, no columns. */
TEST(ragged_dot_of_nothing)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *none = ct_zeros(ctx, CT_I32, CT_SHAPE(0)), *two = ct_ones(ctx, CT_I32, CT_SHAPE(2));
    CHECK_LINEAR(ctx, ragged, &rows, 1, coded(ctx, CT_F64, 3, 2), coded(ctx, CT_F64, 0, 2, 2),
                 none);
    CHECK_LINEAR_EMPTY(ctx, ragged, &rows, 1, coded(ctx, CT_F64, 3, 2), coded(ctx, CT_F64, 2, 2, 0),
                       two);
    CHECK_LINEAR_EMPTY(ctx, ragged, &rows, 1, coded(ctx, CT_F64, 3, 0), coded(ctx, CT_F64, 2, 0, 2),
                       two);
    CHECK_LINEAR_EMPTY(ctx, ragged, &terms, 1, coded(ctx, CT_F64, 3, 2), coded(ctx, CT_F64, 3, 2),
                       none);
    CHECK_LINEAR_EMPTY(ctx, ragged, &terms, 1, coded(ctx, CT_F64, 0, 2), coded(ctx, CT_F64, 0, 2),
                       two);
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

TEST(ragged_dot_dtypes)
{
    ct_context *ctx = ct_context_new();
    CHECK_DTYPES(ctx, ragged, &rows, 0, coded(ctx, CT_F64, 4, 2), coded(ctx, CT_F64, 2, 2, 3),
                 given(ctx, CT_U8, CT_SHAPE(2), {1, 2}));
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* ---- Complex operands: nothing is conjugated that the operation itself does not conjugate. Parts
 * are real arguments, so that both directions of each number are compared with differences. */

TEST(complex_products)
{
    ct_context *ctx = ct_context_new();
    const ct_dot_dims dims = {.lhs_contracting = CT_DIMS(0), .rhs_contracting = CT_DIMS(1)};
    ct_tensor *x = coded(ctx, CT_F64, 3, 2), *y = coded(ctx, CT_F64, 2, 3),
              *z = coded(ctx, CT_F64, 2, 2, 2);
    ct_tensor *sizes = given(ctx, CT_I32, CT_SHAPE(2), {1, 2});
    CHECK_LINEAR(ctx, derivatives_by_parts, &((derivatives_complex){dot, &dims, 2, 1}), 2, x,
                 ct_op_negate(x), y, ct_ones(ctx, CT_F64, CT_SHAPE(2, 3)), sizes);
    CHECK_LINEAR(ctx, derivatives_by_parts, &((derivatives_complex){ragged, &rows, 2, 1}), 2, x,
                 ct_op_negate(x), z, ct_ones(ctx, CT_F64, CT_SHAPE(2, 2, 2)), sizes);
    CHECK_LINEAR(ctx, derivatives_by_parts, &((derivatives_complex){ragged, &terms, 2, 1}), 2, x,
                 ct_op_negate(x), x, ct_ones(ctx, CT_F64, CT_SHAPE(3, 2)), sizes);
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* x[0] times the complex number x[1] + i x[2], with a result that is complex, or the real part. */
static ct_tensor *real_by_complex(const void *user, ct_tensor *const *x)
{
    return derivatives_parts(dot(user, (ct_tensor *[]){x[0], ct_op_complex(x[1], x[2])}));
}

TEST(real_and_complex)
{
    ct_context *ctx = ct_context_new();
    ct_dot_dims dims = {.lhs_contracting = CT_DIMS(0), .rhs_contracting = CT_DIMS(1)};
    ct_tensor *x = coded(ctx, CT_F64, 3, 2), *y = coded(ctx, CT_F64, 2, 3);
    for (ct_dtype t = CT_F64; t <= CT_C128; t = (ct_dtype)(t + 1)) {
        dims.dtype = t;
        CHECK_LINEAR(ctx, real_by_complex, &dims, 2, x, y, ct_op_negate(y));
        CHECK_LINEAR(ctx, real_by_complex, &dims, 1, ct_op_convert(x, CT_F16), y, ct_op_negate(y));
    }
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* ---- Memory. */

static void gradients(ct_context *ctx)
{
    ct_tensor *a = ct_ones(ctx, CT_F32, CT_SHAPE(2, 2)), *sizes = ct_ones(ctx, CT_I32, CT_SHAPE(2));
    const ct_ragged_dot_dims second = {
        .lhs_contracting = CT_DIMS(1), .rhs_contracting = CT_DIMS(1), .lhs_ragged = CT_DIMS(1)};
    const ct_dot_dims crossed = {.lhs_contracting = CT_DIMS(0), .rhs_contracting = CT_DIMS(1)};
    ct_vjp(derivatives_record(ctx, ragged, &second, CT_LIKE(a, a, sizes)), CT_ALL_ARGS);
    ct_vjp(derivatives_record(ctx, dot, &crossed, CT_LIKE(a, a)), CT_ALL_ARGS);
}

TEST(allocations)
{
    CHECK_ALLOCATIONS(gradients);
}
