/* Derivatives of scatter by any body, and of select_and_scatter. */
#include "tests/bodies.h"

#include <cotangent/op_large.h>

#include <math.h>

typedef struct scattering {
    bodies_body body;
    size_t n_captures;
    ct_scatter_dims dims;
} scattering;

/* n x, indices, n updates, captures. */
static ct_tensor *scatter(const void *user, ct_tensor *const *x)
{
    const scattering *s = user;
    size_t n = s->body.n;
    ct_tensor *result[4];
    ct_list captures = {s->n_captures, x + 2 * n + 1};
    ct_function *body = bodies_record(ct_context_of(x[0]), &s->body, ct_dtype_of(x[0]), captures);
    ct_op_scatter_many((ct_list){n, x}, x[n], (ct_list){n, x + n + 1}, body, captures, &s->dims,
                       result);
    return bodies_join(n, result);
}

static void times(ct_tensor *const *p, ct_tensor **result)
{
    result[0] = ct_op_multiply(p[0], p[1]);
}

static ct_tensor *places(ct_context *ctx, ct_dtype dtype, ct_shape shape, const int *value)
{
    double number[32];
    int64_t count = 1;
    for (size_t d = 0; d < shape.count; d++)
        count *= shape.dim[d];
    for (int64_t i = 0; i < count; i++)
        number[i] = value[i];
    return ct_from_doubles(ctx, dtype, shape, number);
}
#define PLACES(ctx, dtype, shape, ...) places(ctx, dtype, shape, (const int[])__VA_ARGS__)

#define ELEMENTS                                                                                   \
    {                                                                                              \
        .inserted_window_dims = CT_DIMS(0), .scatter_dims_to_operand_dims = CT_DIMS(0),            \
        .index_vector_dim = 1                                                                      \
    }

/* ---- Products: zeros, places that come twice, and one that is outside; exact, at every order. */

TEST(products)
{
    static const ct_dtype dtypes[] = {CT_I8, CT_I16, CT_I32, CT_I64, CT_U8, CT_U16, CT_U32, CT_U64};
    ct_context *ctx = ct_context_new();
    scattering s = {{times, 1}, 0, ELEMENTS};
    ct_tensor *x = given(ctx, CT_F64, CT_SHAPE(4), {3, 0, -2, 5});
    ct_tensor *update = given(ctx, CT_F64, CT_SHAPE(6), {2, 0, 3, 0, 7, -1});
    for (size_t i = 0; i < sizeof dtypes / sizeof *dtypes; i++) {
        ct_tensor *at = PLACES(ctx, dtypes[i], CT_SHAPE(6), {0, 2, 0, 2, 9, 1});
        CHECK_LINEAR(ctx, scatter, &s, i == 0 ? 3 : 1, x, at, update);
    }
    ct_tensor *below = PLACES(ctx, CT_I32, CT_SHAPE(6), {0, -1, 0, -1, -9, 1});
    CHECK_LINEAR(ctx, scatter, &s, 2, x, below, update);
    CHECK_DTYPES(ctx, scatter, &s, 0, x, below, update);
    CHECK_LINEAR(ctx, scatter, &s, 2, x, PLACES(ctx, CT_I32, CT_SHAPE(0), {0}),
                 ct_zeros(ctx, CT_F64, CT_SHAPE(0)));
    CHECK_LINEAR_ANY(ctx, scatter, &s, 1, ct_zeros(ctx, CT_F64, CT_SHAPE(0)), below, update);
    s.dims.unique_indices = true;
    CHECK_LINEAR(ctx, scatter, &s, 3, x, PLACES(ctx, CT_I32, CT_SHAPE(4), {2, 7, 0, 1}),
                 given(ctx, CT_F64, CT_SHAPE(4), {2, 4, 0, 3}));
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* ---- Windows. The axes of updates: windows last, first, and both; then a batching axis. */

TEST(windows)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = coded(ctx, CT_F64, 3, 5),
              *at = PLACES(ctx, CT_I32, CT_SHAPE(3, 2), {0, 1, -1, 2, 1, 3});
    scattering last = {{bodies_difference, 1},
                       0,
                       {.update_window_dims = CT_DIMS(1, 2),
                        .scatter_dims_to_operand_dims = CT_DIMS(0, 1),
                        .index_vector_dim = 1}};
    CHECK_LINEAR(ctx, scatter, &last, 2, x, at, coded(ctx, CT_F64, 3, 2, 3));
    scattering first = last, around = last;
    first.dims.update_window_dims = CT_DIMS(0, 1);
    CHECK_LINEAR(ctx, scatter, &first, 2, x, at, coded(ctx, CT_F64, 2, 3, 3));
    around.dims.update_window_dims = CT_DIMS(0, 2);
    CHECK_LINEAR(ctx, scatter, &around, 2, x, at, coded(ctx, CT_F64, 2, 3, 3));
    scattering none = {{bodies_difference, 1}, 0, {.update_window_dims = CT_DIMS(0, 1)}};
    CHECK_LINEAR(ctx, scatter, &none, 2, x, PLACES(ctx, CT_I32, CT_SHAPE(0), {0}),
                 coded(ctx, CT_F64, 2, 4));
    scattering batched = {{bodies_difference, 1},
                          0,
                          {.update_window_dims = CT_DIMS(2),
                           .input_batching_dims = CT_DIMS(0),
                           .scatter_indices_batching_dims = CT_DIMS(1),
                           .scatter_dims_to_operand_dims = CT_DIMS(1),
                           .index_vector_dim = 2}};
    CHECK_LINEAR(ctx, scatter, &batched, 2, x,
                 PLACES(ctx, CT_I32, CT_SHAPE(2, 3, 1), {0, 1, 4, 1, -1, 2}),
                 coded(ctx, CT_F64, 2, 3, 2));
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* ---- Other bodies. */

TEST(other_bodies)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = given(ctx, CT_F64, CT_SHAPE(4), {1.5, 0.5, -0.75, 2});
    ct_tensor *update = given(ctx, CT_F64, CT_SHAPE(5), {0.5, 1.125, -1, 3, 0.75});
    ct_tensor *at = PLACES(ctx, CT_I32, CT_SHAPE(5), {0, 2, 0, 2, 9});
    ct_tensor *k = ct_scalar(ctx, CT_F64, 0.75), *v = coded(ctx, CT_F64, 3);
    bodies_code *const code[] = {bodies_product, bodies_length, bodies_branch, bodies_loop};
    for (size_t c = 0; c < sizeof code / sizeof *code; c++) {
        scattering s = {{code[c], 1}, 0, ELEMENTS};
        CHECK_SMOOTH(ctx, scatter, &s, 2, x, at, update);
    }
    bodies_code *const captured[] = {bodies_captures, bodies_lookup, bodies_constant};
    for (size_t c = 0; c < sizeof captured / sizeof *captured; c++) {
        scattering s = {{captured[c], 1}, 2, ELEMENTS};
        CHECK_SMOOTH(ctx, scatter, &s, 2, x, at, update, k, v);
    }
    scattering old = {{bodies_old, 1}, 0, ELEMENTS}, crossed = {{bodies_crossed, 2}, 0, ELEMENTS};
    CHECK_LINEAR(ctx, scatter, &old, 1, coded(ctx, CT_F64, 4), at, coded(ctx, CT_F64, 5));
    CHECK_LINEAR(ctx, scatter, &crossed, 2, coded(ctx, CT_F64, 4), coded(ctx, CT_F64, 4), at,
                 coded(ctx, CT_F64, 5), coded(ctx, CT_F64, 5));
    scattering logs = {{bodies_logs, 2}, 0, ELEMENTS};
    CHECK_SMOOTH(ctx, scatter, &logs, 2, x, x, at, update, update);
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* The two operands overwritten together: the last update of each place wins. */
static void both_new(ct_tensor *const *p, ct_tensor **result)
{
    result[0] = p[2];
    result[1] = p[3];
}

TEST(several_overwritten)
{
    ct_context *ctx = ct_context_new();
    scattering s = {{both_new, 2}, 0, ELEMENTS};
    ct_tensor *at = PLACES(ctx, CT_I32, CT_SHAPE(3), {1, 1, 4});
    CHECK_LINEAR(ctx, scatter, &s, 2, coded(ctx, CT_F64, 2), coded(ctx, CT_F64, 2), at,
                 coded(ctx, CT_F64, 3), coded(ctx, CT_F64, 3));
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

TEST(transposes)
{
    ct_context *ctx = ct_context_new();
    scattering s = {{bodies_difference, 1}, 0, ELEMENTS}, t = {{times, 1}, 0, ELEMENTS};
    ct_tensor *x = coded(ctx, CT_F64, 3), *at = PLACES(ctx, CT_I32, CT_SHAPE(3), {1, 5, 1});
    ct_tensor *bar[2];
    ct_function *f = derivatives_record(ctx, scatter, &s, CT_LIKE(x, at, x));
    ct_apply(ct_transpose_linear(f, CT_ARGS(0, 2)),
             CT_ARGV(at, given(ctx, CT_F64, CT_SHAPE(3), {10, 20, 30})), bar, 2);
    CHECK_VALUES(bar[0], CT_SHAPE(3), {10, 80, 30});
    CHECK_VALUES(bar[1], CT_SHAPE(3), {-40, 0, -20});
    f = derivatives_record(ctx, scatter, &t, CT_LIKE(x, at, x));
    ct_apply(ct_transpose_linear(f, CT_ARGS(0)),
             CT_ARGV(at, given(ctx, CT_F64, CT_SHAPE(3), {2, 3, 4}),
                     given(ctx, CT_F64, CT_SHAPE(3), {10, 20, 30})),
             bar, 1);
    CHECK_VALUES(bar[0], CT_SHAPE(3), {10, 160, 30});
    CHECK_OK(ctx);
    ct_transpose_linear(f, CT_ARGS(0, 2));
    CHECK_ERROR(ctx, CT_ERR_RULE, "not linear");
    ct_context_free(ctx);
}

/* ---- select_and_scatter. */

typedef struct selecting {
    ct_comparison direction;
    bodies_code *scatter; /* source, old, captures */
    size_t n_captures;
    ct_selecting_dims dims;
} selecting;

static void choose(void *user, ct_list p, ct_tensor **result)
{
    result[0] = ct_op_compare(p.item[0], p.item[1], *(ct_comparison *)user, CT_COMPARE_DEFAULT);
}

/* x, source, init, captures. */
static ct_tensor *select(const void *user, ct_tensor *const *x)
{
    const selecting *s = user;
    ct_context *ctx = ct_context_of(x[0]);
    ct_tensor *example[8] = {x[2], x[2]};
    for (size_t i = 0; i < s->n_captures; i++)
        example[2 + i] = x[3 + i];
    ct_list captures = {s->n_captures, x + 3};
    ct_comparison direction = s->direction;
    ct_list examples = {2 + s->n_captures, example};
    ct_function *chooses = ct_trace_many(ctx, choose, &direction, 1, examples);
    bodies_body body = {s->scatter, 1};
    ct_function *adds = bodies_record(ctx, &body, ct_dtype_of(x[0]), captures);
    return ct_op_select_and_scatter(x[0], x[1], x[2], chooses, adds, captures, &s->dims);
}

static void plus(ct_tensor *const *p, ct_tensor **result)
{
    result[0] = ct_op_add(p[0], p[1]);
}

static void plus_product(ct_tensor *const *p, ct_tensor **result)
{
    result[0] = ct_op_add(ct_op_multiply(p[0], p[1]), ct_op_multiply(p[2], p[0]));
}

/* Windows of two by three, one or two apart, with padding that makes some of nothing else. */
enum { N_GRIDS = 4 };
#define GRIDS                                                                                      \
    {                                                                                              \
        {.window_dimensions = CT_DIMS(2, 3)},                                                      \
            {.window_dimensions = CT_DIMS(2, 3), .window_strides = CT_DIMS(1, 2)},                 \
            {.window_dimensions = CT_DIMS(2, 3),                                                   \
             .window_strides = CT_DIMS(2, 1),                                                      \
             .padding_low = CT_DIMS(3, 1),                                                         \
             .padding_high = CT_DIMS(1, 0)},                                                       \
            {.window_dimensions = CT_DIMS(2, 3),                                                   \
             .padding_low = CT_DIMS(-1, 0),                                                        \
             .padding_high = CT_DIMS(1, -1)},                                                      \
    }
static const int64_t extents[N_GRIDS][2] = {{2, 3}, {2, 2}, {3, 4}, {2, 2}};

TEST(selections)
{
    const ct_selecting_dims grids[N_GRIDS] = GRIDS;
    static const ct_comparison directions[] = {CT_GE, CT_GT, CT_LE, CT_LT};
    ct_context *ctx = ct_context_new();
    /* with ties: the first of equal ones, or the last where it must be more than equal to stay */
    ct_tensor *x = given(ctx, CT_F64, CT_SHAPE(3, 5),
                         {1, 5, 5, -2, 0, 5, 3, 2, 2, 7, -4, -4, 9, 0, 1});
    for (size_t g = 0; g < N_GRIDS; g++)
        for (size_t i = 0; i < sizeof directions / sizeof *directions; i++) {
            selecting s = {directions[i], plus, 0, grids[g]};
            ct_tensor *source = coded(ctx, CT_F64, extents[g][0], extents[g][1]);
            ct_tensor *init = ct_scalar(ctx, CT_F64, 2), *bar[2];
            ct_function *f = derivatives_record(ctx, select, &s, CT_LIKE(x, source, init));
            ct_function *adjoint = ct_transpose_linear(f, CT_ARGS(1, 2));
            ct_tensor *ones = ct_ones(ctx, CT_F64, CT_SHAPE(3, 5));
            ct_apply(adjoint, CT_ARGV(x, ones), bar, 2);
            CHECK_VALUES(bar[1], CT_SHAPE(), {15});
            ct_tensor *y = ct_op_select_and_scatter(
                x, ct_ones(ctx, CT_F64, ct_shape_of(source)), ct_scalar(ctx, CT_F64, 0),
                ct_trace_many(ctx, choose, (void *)&s.direction, 1, CT_LIKE(init, init)),
                bodies_record(ctx, &(bodies_body){plus, 1}, CT_F64, CT_NO_TENSORS), CT_NO_TENSORS,
                &s.dims);
            CHECK_EQUAL(ct_op_reduce_add(bar[0], CT_DIMS(0, 1)),
                        ct_op_reduce_add(y, CT_DIMS(0, 1)));
        }
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* The choice says nothing about x: its derivative is 0 where steps of 1 do not change it. */
TEST(select_and_scatter)
{
    const ct_selecting_dims grids[N_GRIDS] = GRIDS;
    ct_context *ctx = ct_context_new();
    ct_tensor *x = given(ctx, CT_F64, CT_SHAPE(3, 5),
                         {10, 50, 40, -20, 0, 45, 30, 25, 20, 70, -40, -45, 90, 5, 15});
    ct_tensor *init = ct_scalar(ctx, CT_F64, 2), *k = ct_scalar(ctx, CT_F64, 3);
    for (size_t g = 0; g < N_GRIDS; g++) {
        ct_tensor *source = coded(ctx, CT_F64, extents[g][0], extents[g][1]);
        selecting add = {CT_GE, plus, 0, grids[g]}, other = {CT_LT, plus_product, 1, grids[g]};
        CHECK_LINEAR(ctx, select, &add, 2, x, source, init);
        CHECK_DTYPES(ctx, select, &add, 0, x, source, init);
        CHECK_LINEAR(ctx, select, &other, 1, x, ct_ones(ctx, CT_F64, ct_shape_of(source)),
                     ct_scalar(ctx, CT_F64, 0), k);
    }
    selecting add = {CT_GE, plus, 0, {.window_dimensions = CT_DIMS(4)}},
              scalar = {CT_GE, plus, 0, {.window_dimensions = CT_DIMS()}};
    CHECK_LINEAR(ctx, select, &add, 1, coded(ctx, CT_F64, 3), ct_zeros(ctx, CT_F64, CT_SHAPE(0)),
                 init);
    CHECK_LINEAR_ANY(ctx, select, &add, 1, ct_zeros(ctx, CT_F64, CT_SHAPE(0)),
                     ct_zeros(ctx, CT_F64, CT_SHAPE(0)), init);
    CHECK_LINEAR(ctx, select, &scalar, 1, init, k, init);
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* ---- Memory. */

static void derive(ct_context *ctx)
{
    scattering s = {{bodies_lookup, 1}, 2, ELEMENTS};
    selecting add = {CT_GE, plus, 0, {.window_dimensions = CT_DIMS(2)}};
    ct_tensor *x = coded(ctx, CT_F64, 3), *k = ct_scalar(ctx, CT_F64, 1);
    ct_tensor *at = PLACES(ctx, CT_I32, CT_SHAPE(2), {1, 1}), *update = coded(ctx, CT_F64, 2);
    ct_vjp(derivatives_record(ctx, scatter, &s, CT_LIKE(x, at, update, k, x)), CT_ALL_ARGS);
    ct_vjp(derivatives_record(ctx, select, &add, CT_LIKE(x, update, k)), CT_ARGS(1, 2));
}

TEST(allocations)
{
    CHECK_ALLOCATIONS(derive);
}
