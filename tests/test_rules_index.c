/* Derivative rules of indexing: the derivative goes where the value was read or written, for starts
 * inside, outside and at the limits of every index dtype. */
#include "tests/derivatives.h"

#include <math.h>
#include <string.h>

#define PROGRAM(name, ...)                                                                         \
    static ct_tensor *name(const void *user, ct_tensor *const *x)                                  \
    {                                                                                              \
        (void)user;                                                                                \
        return __VA_ARGS__;                                                                        \
    }

static const ct_dtype index_dtypes[] = {CT_I8, CT_I16, CT_I32, CT_I64,
                                        CT_U8, CT_U16, CT_U32, CT_U64};

/* Whole numbers as indices; those that the dtype cannot hold become its nearest limit. */
static ct_tensor *indices(ct_context *ctx, ct_dtype dtype, ct_shape shape, const int64_t *value)
{
    size_t bytes = ct_dtype_bytes(dtype), bits = 8 * bytes;
    uint64_t data[32] = {0};
    ct_tensor *zeros = ct_zeros(ctx, dtype, shape);
    for (size_t i = 0; i < (size_t)ct_size(zeros); i++) {
        int64_t v = value[i], top = bits == 64 ? INT64_MAX : (INT64_C(1) << (bits - 1)) - 1;
        if (ct_dtype_is_signed(dtype))
            v = v > top ? top : v < -top - 1 ? -top - 1 : v;
        else if (v < 0)
            v = -1; /* all bits: the largest */
        else if (bits < 64 && v > 2 * top + 1)
            v = 2 * top + 1;
        memcpy((char *)data + i * bytes, &v, bytes); /* little end first */
    }
    return ct_from_data(ctx, dtype, shape, data);
}
#define INDICES(ctx, dtype, shape, ...) indices(ctx, dtype, shape, (const int64_t[])__VA_ARGS__)

/* ---- Windows at scalar starts. */

PROGRAM(read_window, ct_op_dynamic_slice(x[0], CT_ARGV(x[1], x[2]), CT_DIMS(2, 3), false))
PROGRAM(write_window, ct_op_dynamic_update_slice(x[0], x[1], CT_ARGV(x[2], x[3]), false))
PROGRAM(read_scalar, ct_op_dynamic_slice(x[0], CT_NO_TENSORS, CT_DIMS(), false))

TEST(dynamic_slices)
{
    static const int64_t starts[][2] = {{0, 1},  {2, 2},        {100, 1},
                                        {1, -3}, {-1, 1000000}, {INT64_MIN, INT64_MAX}};
    ct_context *ctx = ct_context_new();
    ct_tensor *x = coded(ctx, CT_F64, 4, 5), *update = coded(ctx, CT_F64, 2, 3);
    for (size_t t = 0; t < sizeof index_dtypes / sizeof *index_dtypes; t++) {
        for (size_t i = 0; i < sizeof starts / sizeof *starts; i++) {
            ct_tensor *row = indices(ctx, index_dtypes[t], CT_SHAPE(), &starts[i][0]);
            ct_tensor *column = indices(ctx, index_dtypes[t], CT_SHAPE(), &starts[i][1]);
            CHECK_LINEAR(ctx, read_window, NULL, 2, x, row, column);
            CHECK_LINEAR(ctx, write_window, NULL, 2, x, update, row, column);
        }
    }
    CHECK_LINEAR(ctx, read_scalar, NULL, 2, ct_scalar(ctx, CT_F64, 3));
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

PROGRAM(read_strictly, ct_op_dynamic_slice(x[0], CT_ARGV(x[1]), CT_DIMS(2), true))

/* The derivative of a linear operation does not need its value, and still finds the wrong start. */
TEST(strict_derivative)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = coded(ctx, CT_F64, 4), *start = ct_scalar(ctx, CT_I32, 3);
    ct_function *f = derivatives_record(ctx, read_strictly, NULL, CT_LIKE(x, start));
    ct_function *vjp = ct_vjp(f, CT_ARGS(0));
    CHECK_OK(ctx);
    ct_apply1(vjp, CT_ARGV(x, start, ct_ones(ctx, CT_F64, CT_SHAPE(2))));
    CHECK_ERROR(ctx, CT_ERR_INDEX, "");
    ct_function *transposed = ct_transpose_linear(f, CT_ARGS(0));
    CHECK_OK(ctx);
    ct_apply1(transposed, CT_ARGV(start, ct_ones(ctx, CT_F64, CT_SHAPE(2))));
    CHECK_ERROR(ctx, CT_ERR_INDEX, "");
    ct_context_free(ctx);
}

/* ---- gather and scatter: the same windows, read and written. */

typedef struct layout {
    ct_gather_dims gather;
    ct_shape operand, indices, window; /* window: the shape of what is read or written */
    int64_t start[16];
} layout;

static ct_tensor *gather(const void *user, ct_tensor *const *x)
{
    return ct_op_gather(x[0], x[1], &((const layout *)user)->gather);
}

static ct_scatter_dims scatter_dims(const layout *l)
{
    return (ct_scatter_dims){
        .update_window_dims = l->gather.offset_dims,
        .inserted_window_dims = l->gather.collapsed_slice_dims,
        .input_batching_dims = l->gather.operand_batching_dims,
        .scatter_indices_batching_dims = l->gather.start_indices_batching_dims,
        .scatter_dims_to_operand_dims = l->gather.start_index_map,
        .index_vector_dim = l->gather.index_vector_dim,
    };
}

static ct_tensor *scatter_add(const void *user, ct_tensor *const *x)
{
    ct_scatter_dims dims = scatter_dims(user);
    return ct_op_scatter_add(x[0], x[1], x[2], &dims);
}

static ct_tensor *scatter_overwrite(const void *user, ct_tensor *const *x)
{
    ct_scatter_dims dims = scatter_dims(user);
    return ct_op_scatter(x[0], x[1], x[2], NULL, &dims);
}

/* Like CT_DIMS, for static tables. */
/* clang-format off */
#define LIST(...) {CT__COUNT(const int64_t, __VA_ARGS__), CT__ITEMS(const int64_t, __VA_ARGS__)}
/* clang-format on */

static const layout layouts[] = {
    /* elements of a vector, one repeated, one outside on each side */
    {.gather = {.collapsed_slice_dims = LIST(0),
                .start_index_map = LIST(0),
                .index_vector_dim = 1,
                .slice_sizes = LIST(1)},
     .operand = LIST(4),
     .indices = LIST(6),
     .window = LIST(6),
     .start = {2, 0, 2, -1, 4, 1000}},
    /* rows, the index vector implicit */
    {.gather = {.offset_dims = LIST(1),
                .collapsed_slice_dims = LIST(0),
                .start_index_map = LIST(0),
                .index_vector_dim = 1,
                .slice_sizes = LIST(1, 3)},
     .operand = LIST(4, 3),
     .indices = LIST(4),
     .window = LIST(4, 3),
     .start = {3, 1, 3, INT64_MAX}},
    /* points, axes swapped, the index vector along axis 0 */
    {.gather = {.collapsed_slice_dims = LIST(0, 1),
                .start_index_map = LIST(1, 0),
                .index_vector_dim = 0,
                .slice_sizes = LIST(1, 1)},
     .operand = LIST(3, 4),
     .indices = LIST(2, 4),
     .window = LIST(4),
     .start = {3, 0, 4, 3, 1, 2, 0, INT64_MIN}},
    /* overlapping windows, some partly and some wholly outside */
    {.gather = {.offset_dims = LIST(1, 2),
                .start_index_map = LIST(0, 1),
                .index_vector_dim = 1,
                .slice_sizes = LIST(2, 3)},
     .operand = LIST(4, 5),
     .indices = LIST(5, 2),
     .window = LIST(5, 2, 3),
     .start = {1, 1, 2, 2, 3, -1, -1, 4, 100, 1}},
    /* a window with its result axes first, one unindexed axis read in part */
    {.gather = {.offset_dims = LIST(0, 2),
                .start_index_map = LIST(1),
                .index_vector_dim = 1,
                .slice_sizes = LIST(2, 3)},
     .operand = LIST(3, 5),
     .indices = LIST(4, 1),
     .window = LIST(2, 4, 3),
     .start = {0, 4, 1, -2}},
    /* a batching axis */
    {.gather = {.offset_dims = LIST(2),
                .collapsed_slice_dims = LIST(1),
                .operand_batching_dims = LIST(0),
                .start_indices_batching_dims = LIST(1),
                .start_index_map = LIST(1),
                .index_vector_dim = 2,
                .slice_sizes = LIST(1, 1, 2)},
     .operand = LIST(2, 3, 2),
     .indices = LIST(3, 2, 1),
     .window = LIST(3, 2, 2),
     .start = {0, 2, 0, 5, -1, 1}},
    /* nothing is read */
    {.gather = {.collapsed_slice_dims = LIST(0),
                .start_index_map = LIST(0),
                .index_vector_dim = 1,
                .slice_sizes = LIST(1)},
     .operand = LIST(3),
     .indices = LIST(0),
     .window = LIST(0)},
    /* A small part of many elements: elements of a vector, */
    {.gather = {.collapsed_slice_dims = LIST(0),
                .start_index_map = LIST(0),
                .index_vector_dim = 1,
                .slice_sizes = LIST(1)},
     .operand = LIST(70),
     .indices = LIST(7),
     .window = LIST(7),
     .start = {69, 0, 2, -1, 70, 2, 1000}},
    /* none, */
    {.gather = {.collapsed_slice_dims = LIST(0),
                .start_index_map = LIST(0),
                .index_vector_dim = 1,
                .slice_sizes = LIST(1)},
     .operand = LIST(64),
     .indices = LIST(0),
     .window = LIST(0)},
    /* one window alone, half outside, */
    {.gather = {.offset_dims = LIST(0),
                .start_index_map = LIST(0),
                .index_vector_dim = 0,
                .slice_sizes = LIST(4)},
     .operand = LIST(70),
     .indices = LIST(1),
     .window = LIST(4),
     .start = {68}},
    /* rows, */
    {.gather = {.offset_dims = LIST(0),
                .collapsed_slice_dims = LIST(1),
                .start_index_map = LIST(1),
                .index_vector_dim = 1,
                .slice_sizes = LIST(3, 1)},
     .operand = LIST(3, 24),
     .indices = LIST(6),
     .window = LIST(3, 6),
     .start = {3, 1, 3, 24, INT64_MIN, 23}},
    /* overlapping windows, */
    {.gather = {.offset_dims = LIST(1, 2),
                .start_index_map = LIST(1, 0),
                .index_vector_dim = 1,
                .slice_sizes = LIST(2, 2)},
     .operand = LIST(9, 11),
     .indices = LIST(6, 2),
     .window = LIST(6, 2, 2),
     .start = {1, 1, 2, 2, 10, -1, -1, 8, 2, 2, INT64_MAX, 1}},
    /* windows with their axes first, one not indexed and read in part, */
    {.gather = {.offset_dims = LIST(0, 2),
                .start_index_map = LIST(1),
                .index_vector_dim = 0,
                .slice_sizes = LIST(2, 3)},
     .operand = LIST(5, 20),
     .indices = LIST(1, 4),
     .window = LIST(2, 4, 3),
     .start = {0, 19, 1, -2}},
    /* windows of batches */
    {.gather = {.offset_dims = LIST(1, 3),
                .operand_batching_dims = LIST(1),
                .start_indices_batching_dims = LIST(2),
                .start_index_map = LIST(2),
                .index_vector_dim = 1,
                .slice_sizes = LIST(1, 1, 2)},
     .operand = LIST(3, 2, 12),
     .indices = LIST(4, 1, 2),
     .window = LIST(4, 1, 2, 2),
     .start = {0, 3, 1, 11, -1, 5, 1, 4}},
    /* and points along the last axis of the indices, of batches. */
    {.gather = {.collapsed_slice_dims = LIST(0),
                .operand_batching_dims = LIST(1),
                .start_indices_batching_dims = LIST(0),
                .start_index_map = LIST(0),
                .index_vector_dim = 2,
                .slice_sizes = LIST(1, 1)},
     .operand = LIST(33, 2),
     .indices = LIST(2, 4, 1),
     .window = LIST(2, 4),
     .start = {0, 7, 0, 33, -1, 32, 7, 32}},
    /* the same place always: an empty index vector */
    {.gather = {.collapsed_slice_dims = LIST(0), .index_vector_dim = 1, .slice_sizes = LIST(1)},
     .operand = LIST(66),
     .indices = LIST(2, 0),
     .window = LIST(2)},
    {.gather = {.collapsed_slice_dims = LIST(0), .index_vector_dim = 1, .slice_sizes = LIST(1)},
     .operand = LIST(3),
     .indices = LIST(2, 0),
     .window = LIST(2)},
};

static void for_layouts(void (*check)(ct_context *ctx, const layout *l, ct_tensor *places))
{
    ct_context *ctx = ct_context_new();
    for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++)
        for (size_t t = 0; t < sizeof index_dtypes / sizeof *index_dtypes; t++)
            check(ctx, &layouts[i],
                  indices(ctx, index_dtypes[t], layouts[i].indices, layouts[i].start));
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

static void check_gather(ct_context *ctx, const layout *l, ct_tensor *places)
{
    CHECK_LINEAR_ANY(ctx, gather, l, 2, values_coded(ctx, CT_F64, l->operand), places);
}

TEST(gather)
{
    for_layouts(check_gather);
}

static void check_scatter(ct_context *ctx, const layout *l, ct_tensor *places)
{
    ct_tensor *x = values_coded(ctx, CT_F64, l->operand);
    ct_tensor *update = values_coded(ctx, CT_F64, l->window);
    CHECK_LINEAR(ctx, scatter_add, l, 2, x, places, update);
    CHECK_LINEAR(ctx, scatter_overwrite, l, 2, x, places, update);
}

TEST(scatter)
{
    for_layouts(check_scatter);
}

/* An axis of extent 300 and a narrow index: the bound of the clamp is the dtype's, not a wrapped
 * one. */
static ct_tensor *far_element(const void *user, ct_tensor *const *x)
{
    (void)user;
    ct_gather_dims dims = {.collapsed_slice_dims = CT_DIMS(0),
                           .start_index_map = CT_DIMS(0),
                           .index_vector_dim = 1,
                           .slice_sizes = CT_DIMS(1)};
    return ct_op_gather(x[0], x[1], &dims);
}

TEST(narrow_indices)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = ct_arange(ctx, CT_F64, 0, 300, 1);
    CHECK_LINEAR(ctx, far_element, NULL, 1, x, INDICES(ctx, CT_I8, CT_SHAPE(3), {127, -128, 5}));
    CHECK_LINEAR(ctx, far_element, NULL, 1, x, INDICES(ctx, CT_U8, CT_SHAPE(3), {255, 128, 0}));
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* A scatter into an axis of extent 0 that no index names: every update is skipped. */
static ct_tensor *into_nothing(const void *user, ct_tensor *const *x)
{
    (void)user;
    ct_scatter_dims dims = {.inserted_window_dims = CT_DIMS(0, 1),
                            .scatter_dims_to_operand_dims = CT_DIMS(0),
                            .index_vector_dim = 1};
    return ct_op_scatter_add(x[0], x[1], x[2], &dims);
}

TEST(scatter_into_nothing)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *places = INDICES(ctx, CT_I32, CT_SHAPE(2), {0, 1});
    CHECK_LINEAR_EMPTY(ctx, into_nothing, NULL, 1, coded(ctx, CT_F64, 2, 0), places,
                       coded(ctx, CT_F64, 2));
    CHECK_LINEAR(ctx, into_nothing, NULL, 1, coded(ctx, CT_F64, 2, 3), places,
                 coded(ctx, CT_F64, 2));
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* ---- scatter by maximum and minimum. */

typedef struct extreme {
    ct_tensor *(*op)(ct_place at, ct_tensor *x, ct_tensor *y);
    int64_t more; /* elements behind those of x, which no index names and nothing is made of */
} extreme;

static ct_tensor *fold(const void *user, ct_tensor *const *x)
{
    return ((const extreme *)user)->op(CT_HERE, x[0], x[1]);
}

/* Elements of a vector, by a body. An index behind x names none of those that follow it. */
static ct_tensor *scatter_by(const void *user, ct_tensor *const *x)
{
    const extreme *e = user;
    ct_scatter_dims dims = {.inserted_window_dims = CT_DIMS(0),
                            .scatter_dims_to_operand_dims = CT_DIMS(0),
                            .index_vector_dim = 1};
    ct_context *ctx = ct_context_of(x[0]);
    ct_tensor *scalar = ct_scalar(ctx, ct_dtype_of(x[0]), 0);
    ct_function *body = derivatives_record(ctx, fold, user, CT_LIKE(scalar, scalar));
    int64_t size = ct_size(x[0]);
    ct_tensor *all = ct_op_pad(x[0], scalar, CT_DIMS(0), CT_DIMS(e->more), CT_DIMS(0));
    ct_tensor *y = ct_op_scatter(all, x[1], x[2], body, &dims);
    return ct_op_slice(y, CT_DIMS(0), CT_DIMS(size), CT_DIMS(1));
}

/* Place 0: the update alone; 1: the operand; 2: two of three updates; 3: the operand and an update;
 * 4: untouched. The last update is skipped. */
TEST(scatter_extremes)
{
    const double half = 0.5;
    ct_context *ctx = ct_context_new();
    ct_tensor *places = INDICES(ctx, CT_I32, CT_SHAPE(7), {0, 1, 2, 2, 2, 3, 99});
    for (ct_dtype t = CT_F16; t <= CT_F64; t = (ct_dtype)(t + 1)) {
        for (int i = 0; i < 4; i++) {
            extreme e = {i % 2 ? ct_op_maximum_at : ct_op_minimum_at, i / 2 * 60};
            const double s = i % 2 ? 1 : -1;
            ct_tensor *x = given(ctx, t, CT_SHAPE(5), {1 * s, 5 * s, 2 * s, 4 * s, 3 * s});
            ct_tensor *update = given(ctx, t, CT_SHAPE(7),
                                      {2 * s, 3 * s, 6 * s, 2 * s, 6 * s, 4 * s, 9 * s});
            CHECK_MATRIX(ctx, scatter_by, &e, CT_ARGV(x, places, update),
                         {0, 0, 0, 0,    0, 1, 0, 0,    0, 0,    0,    0, /* 0 */
                          0, 1, 0, 0,    0, 0, 0, 0,    0, 0,    0,    0, /* 1 */
                          0, 0, 0, 0,    0, 0, 0, half, 0, half, 0,    0, /* 2 */
                          0, 0, 0, half, 0, 0, 0, 0,    0, 0,    half, 0, /* 3 */
                          0, 0, 0, 0,    1, 0, 0, 0,    0, 0,    0,    0} /* 4 */);
        }
    }
    for (int64_t more = 0; more <= 61; more += 61) {
        extreme e = {ct_op_maximum_at, more};
        CHECK_SMOOTH(ctx, scatter_by, &e, 2, given(ctx, CT_F64, CT_SHAPE(3), {1, 5, 2}),
                     INDICES(ctx, CT_U8, CT_SHAPE(4), {0, 0, 1, 200}),
                     given(ctx, CT_F64, CT_SHAPE(4), {3, 2, 4, 1}));
    }
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* An element that is NaN and untouched is its own result; a NaN that meets others is what is taken.
 */
TEST(scatter_extremes_of_nan)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = given(ctx, CT_F64, CT_SHAPE(3), {NAN, 1, NAN});
    ct_tensor *update = given(ctx, CT_F64, CT_SHAPE(2), {NAN, 2});
    ct_tensor *places = INDICES(ctx, CT_I32, CT_SHAPE(2), {1, 2});
    for (int64_t more = 0; more <= 70; more += 70) {
        extreme e = {ct_op_maximum_at, more};
        CHECK_MATRIX(ctx, scatter_by, &e, CT_ARGV(x, places, update),
                     {1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0});
    }
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* ---- Memory. */

static ct_tensor *indexing(const void *user, ct_tensor *const *x)
{
    (void)user;
    ct_scatter_dims dims = {.inserted_window_dims = CT_DIMS(0),
                            .scatter_dims_to_operand_dims = CT_DIMS(0),
                            .index_vector_dim = 1};
    extreme largest = {ct_op_maximum_at, 70};
    ct_tensor *y = scatter_by(&largest, x);
    y = ct_op_multiply(ct_op_scatter(y, x[1], x[2], NULL, &dims), y);
    return ct_op_multiply(far_element(NULL, (ct_tensor *[]){y, x[1]}), x[2]);
}

/* Twice in reverse through every kind of scatter, with each allocation failing once. */
static void derive_indexing(ct_context *ctx)
{
    ct_tensor *x = coded(ctx, CT_F64, 3), *places = INDICES(ctx, CT_U8, CT_SHAPE(2), {0, 2});
    ct_tensor *update = coded(ctx, CT_F64, 2);
    ct_function *f = derivatives_record(ctx, indexing, NULL, CT_LIKE(x, places, update));
    ct_function *twice = ct_vjp(ct_vjp(f, CT_ALL_ARGS), CT_ARGS(0));
    ct_tensor *result[1];
    ct_apply(twice, CT_ARGV(x, places, update, update, x, update), result, 1);
}

TEST(allocations)
{
    CHECK_ALLOCATIONS(derive_indexing);
}
