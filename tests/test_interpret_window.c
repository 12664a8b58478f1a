/* reduce_window, compiled and direct, against StableHLO's definition worked out one window at a
 * time: from the left, in row-major order, with init wherever there is no element. */
#include "tests/programs.h"

#include <cotangent/op.h>

#include <math.h>
#include <string.h>

/* ---- The definition. */

enum { RANK = 3, ROOM = 4000 };

typedef struct windows {
    size_t rank;
    int64_t dim[RANK], size[RANK], stride[RANK], base[RANK], dilation[RANK], low[RANK], high[RANK];
    int kind; /* 0 add, 1 max, 2 min, 3 multiply, 4 a body that shows the order */
    float init;
} windows;

static int64_t windows_along(const windows *w, size_t d)
{
    int64_t widened = w->low[d] + (w->dim[d] > 0 ? (w->dim[d] - 1) * w->base[d] + 1 : 0) +
                      w->high[d];
    int64_t window = (w->size[d] - 1) * w->dilation[d] + 1;
    return widened < window ? 0 : (widened - window) / w->stride[d] + 1;
}

static float step(int kind, float acc, float x)
{
    switch (kind) {
    case 0: return acc + x;
    case 1: return x > acc ? x : acc;
    case 2: return x < acc ? x : acc;
    case 3: return acc * x;
    default: return (acc + acc) - x;
    }
}

/* The element at a position of the widened x, or init. */
static float element(const windows *w, const float *x, const int64_t *position)
{
    int64_t index[RANK];
    for (size_t d = 0; d < w->rank; d++) {
        int64_t p = position[d] - w->low[d];
        if (p < 0 || p % w->base[d] != 0 || p / w->base[d] >= w->dim[d])
            return w->init;
        index[d] = p / w->base[d];
    }
    return x[programs_flat(w->dim, w->rank, index)];
}

static float window_at(const windows *w, const float *x, const int64_t *o)
{
    int64_t inside[RANK], position[RANK], count = programs_count(w->size, w->rank);
    float acc = w->init;
    for (int64_t i = 0; i < count; i++) {
        programs_unflatten(w->size, w->rank, i, inside);
        for (size_t d = 0; d < w->rank; d++)
            position[d] = o[d] * w->stride[d] + inside[d] * w->dilation[d];
        acc = step(w->kind, acc, element(w, x, position));
    }
    return acc;
}

/* ---- The operation. */

static ct_window_dims dims_of(const windows *w)
{
    return (ct_window_dims){{w->rank, w->size},     {w->rank, w->stride}, {w->rank, w->base},
                            {w->rank, w->dilation}, {w->rank, w->low},    {w->rank, w->high}};
}

static ct_function *body_of(ct_context *ctx, int kind)
{
    ct_tensor *s = ct_spec(ctx, CT_F32, CT_SHAPE());
    if (kind == 4)
        return ct_trace(ctx, programs_twice_minus, CT_LIKE(s, s));
    ct_trace_builder *b = ct_trace_begin(ctx, "step", CT_LIKE(s, s));
    ct_tensor *acc = ct_trace_parameter(b, 0), *x = ct_trace_parameter(b, 1);
    return ct_trace_end(b, CT_ARGV(kind == 0   ? ct_op_add(acc, x)
                                   : kind == 1 ? ct_op_maximum(acc, x)
                                   : kind == 2 ? ct_op_minimum(acc, x)
                                               : ct_op_multiply(acc, x)));
}

static void fold(void *user, ct_list p, ct_tensor **r)
{
    const windows *w = user;
    ct_window_dims dims = dims_of(w);
    r[0] = ct_op_reduce_window(p.item[0], p.item[1], body_of(ct_context_of(p.item[0]), w->kind),
                               &dims);
}

static void check(ct_context *ctx, windows *w, const float *x)
{
    int64_t shape[RANK], o[RANK];
    for (size_t d = 0; d < w->rank; d++)
        shape[d] = windows_along(w, d);
    ct_tensor *operand = ct_from_data(ctx, CT_F32, (ct_shape){w->rank, w->dim}, x);
    ct_tensor *init = ct_from_data(ctx, CT_F32, CT_SHAPE(), &w->init);
    ct_tensor *y = programs_run1(ctx, fold, w, CT_ARGV(operand, init));
    CHECK(ct_rank(y) == w->rank);
    for (size_t d = 0; d < w->rank; d++)
        CHECK_MSG(ct_dim(y, (int64_t)d) == shape[d], "axis %zu has extent %d instead of %d", d,
                  (int)ct_dim(y, (int64_t)d), (int)shape[d]);
    const float *found = ct_data(y);
    for (int64_t i = 0; i < programs_count(shape, w->rank); i++) {
        programs_unflatten(shape, w->rank, i, o);
        float expected = window_at(w, x, o);
        CHECK_MSG(memcmp(&found[i], &expected, sizeof expected) == 0,
                  "kind %d, element %d: %a instead of %a", w->kind, (int)i, (double)found[i],
                  (double)expected);
    }
}

/* Random f32 of several magnitudes, so that another order shows. */
static void fill(float *x, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        x[i] = (float)(programs_pick(2000) - 1000) / 700 * (i % 5 == 0 ? 1e3f : 1);
}

TEST(random_windows)
{
    static float x[ROOM];
    ct_context *ctx = ct_context_new();
    fill(x, ROOM);
    for (int i = 0; i < 1500; i++) {
        windows w = {.rank = (size_t)programs_pick(RANK + 1), .kind = i % 5};
        static const float inits[] = {0, -INFINITY, INFINITY, 1, 3};
        w.init = programs_pick(3) ? inits[w.kind] : (float)(programs_pick(9) - 4);
        for (size_t d = 0; d < w.rank; d++) {
            w.dim[d] = programs_pick(6);
            w.size[d] = 1 + programs_pick(4);
            w.stride[d] = 1 + programs_pick(3);
            w.base[d] = 1 + programs_pick(3);
            w.dilation[d] = 1 + programs_pick(3);
            w.low[d] = programs_pick(8) - 3;
            w.high[d] = programs_pick(8) - 3;
        }
        ct_scope scope = ct_scope_begin(ctx);
        check(ctx, &w, x);
        ct_scope_end(scope);
    }
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* Windows that run from the beginning (and those that almost do) take another way to the same bits:
 * every axis, longer than needed, from inits that change what stands behind them and inits that do
 * not. */
TEST(running_windows)
{
    static float x[ROOM];
    static const float inits[] = {0, -0.0f, 1, -INFINITY, INFINITY, 2, NAN};
    ct_context *ctx = ct_context_new();
    fill(x, ROOM);
    for (int i = 0; i < 1500; i++) {
        windows w = {.rank = 1 + (size_t)programs_pick(RANK), .kind = i % 5};
        int64_t axis = programs_pick((int64_t)w.rank);
        w.init = inits[programs_pick(w.kind == 1 || w.kind == 2 ? 6 : 7)];
        for (size_t d = 0; d < w.rank; d++) {
            w.dim[d] = 1 + programs_pick(7);
            w.size[d] = w.stride[d] = w.base[d] = w.dilation[d] = 1;
        }
        w.size[axis] = w.dim[axis] + programs_pick(3);
        w.low[axis] = w.size[axis] - 1;
        if (programs_pick(4) == 0)
            w.high[programs_pick((int64_t)w.rank)] = programs_pick(3) - 1;
        if (programs_pick(4) == 0)
            w.low[programs_pick((int64_t)w.rank)] = programs_pick(3) - 1;
        ct_scope scope = ct_scope_begin(ctx);
        check(ctx, &w, x);
        ct_scope_end(scope);
    }
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* A running sum of 200000 elements is one pass. */
TEST(running_windows_are_fast)
{
    enum { N = 200000 };
    ct_context *ctx = ct_context_new();
    ct_window_dims dims = {.window_dimensions = CT_DIMS(N), .padding_low = CT_DIMS(N - 1)};
    ct_tensor *y = ct_op_reduce_window_add(ct_ones(ctx, CT_F64, CT_SHAPE(N)), &dims);
    CHECK(ct_at(y, 0) == 1 && ct_at(y, 777) == 778 && ct_at(y, N - 1) == N);
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* ---- Examples. */

TEST(coded_windows)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = coded(ctx, CT_I32, 3, 4); /* 10i + j */
    CHECK_VALUES(ct_op_reduce_window_add(x, &(ct_window_dims){.window_dimensions = CT_DIMS(2, 2)}),
                 CT_SHAPE(2, 3),
                 {0 + 1 + 10 + 11, 1 + 2 + 11 + 12, 2 + 3 + 12 + 13, 10 + 11 + 20 + 21,
                  11 + 12 + 21 + 22, 12 + 13 + 22 + 23});
    CHECK_VALUES(ct_op_reduce_window_max(x, &(ct_window_dims){.window_dimensions = CT_DIMS(2, 2),
                                                              .window_strides = CT_DIMS(1, 2)}),
                 CT_SHAPE(2, 2), {11, 13, 21, 23});
    CHECK_VALUES(ct_op_reduce_window_min(x, &(ct_window_dims){.window_dimensions = CT_DIMS(2, 2),
                                                              .window_dilations = CT_DIMS(2, 3)}),
                 CT_SHAPE(1, 1), {0});
    /* negative padding takes the first row and the last two columns away */
    CHECK_VALUES(ct_op_reduce_window_add(x, &(ct_window_dims){.window_dimensions = CT_DIMS(1, 1),
                                                              .padding_low = CT_DIMS(-1, 0),
                                                              .padding_high = CT_DIMS(0, -2)}),
                 CT_SHAPE(2, 2), {10, 11, 20, 21});
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

TEST(scalars_and_nothing)
{
    ct_context *ctx = ct_context_new();
    ct_window_dims none = {.window_dimensions = CT_DIMS()};
    CHECK_VALUES(ct_op_reduce_window_add(ct_scalar(ctx, CT_F32, 5), &none), CT_SHAPE(), {5});
    CHECK_VALUES(ct_op_reduce_window_max(ct_scalar(ctx, CT_BOOL, 1), NULL), CT_SHAPE(), {1});
    ct_tensor *empty = ct_zeros(ctx, CT_F32, CT_SHAPE(0, 3));
    CHECK_EMPTY(
        ct_op_reduce_window_add(empty, &(ct_window_dims){.window_dimensions = CT_DIMS(1, 2)}),
        CT_SHAPE(0, 2));
    /* padding alone */
    CHECK_VALUES(
        ct_op_reduce_window_max(empty, &(ct_window_dims){.window_dimensions = CT_DIMS(2, 3),
                                                         .padding_high = CT_DIMS(3, 0)}),
        CT_SHAPE(2, 1), {-INFINITY, -INFINITY});
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* The accumulator has the element type: 2048 + 1 = 2048 in f16, step by step. */
TEST(f16_rounds_every_step)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *y = ct_op_reduce_window_add(ct_ones(ctx, CT_F16, CT_SHAPE(2100)),
                                           &(ct_window_dims){.window_dimensions = CT_DIMS(2099)});
    CHECK_VALUES(y, CT_SHAPE(2), {2048, 2048});
    CHECK_VALUES(ct_op_reduce_window_add(ct_full(ctx, CT_U8, CT_SHAPE(3), 100),
                                         &(ct_window_dims){.window_dimensions = CT_DIMS(3)}),
                 CT_SHAPE(1), {44});
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* ---- Several operands and a captured value: the first largest element and its place, moved by the
 * capture. body(value, place, x, i, offset). */

static void first_largest(void *user, ct_list p, ct_tensor **r)
{
    ct_tensor *better = ct_op_compare(p.item[2], p.item[0], CT_GT, CT_COMPARE_DEFAULT);
    (void)user;
    r[0] = ct_op_select(better, p.item[2], p.item[0]);
    r[1] = ct_op_select(better, ct_op_add(p.item[3], p.item[4]), p.item[1]);
}

static void places(void *user, ct_list p, ct_tensor **r)
{
    ct_context *ctx = ct_context_of(p.item[0]);
    ct_tensor *f = ct_spec(ctx, CT_F32, CT_SHAPE()), *i = ct_spec(ctx, CT_I16, CT_SHAPE());
    ct_function *body = ct_trace_many(ctx, first_largest, NULL, 2, CT_LIKE(f, i, f, i, i));
    ct_op_reduce_window_many(CT_ARGV(p.item[0], p.item[1]),
                             CT_ARGV(ct_scalar(ctx, CT_F32, -9), ct_scalar(ctx, CT_I16, -1)), body,
                             CT_ARGV(p.item[2]), user, r);
}

TEST(two_operands_with_a_capture)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = given(ctx, CT_F32, CT_SHAPE(6), {3, 9, 9, -10, -10, -12});
    ct_tensor *i = ct_op_iota(ctx, CT_I16, CT_DIMS(6), 0), *r[2];
    ct_tensor *hundred = ct_scalar(ctx, CT_I16, 100);
    ct_window_dims pairs = {.window_dimensions = CT_DIMS(2), .padding_high = CT_DIMS(1)};
    programs_run(ctx, (program){places, &pairs, 2}, CT_ARGV(x, i, hundred), r);
    CHECK_VALUES(r[0], CT_SHAPE(6), {9, 9, 9, -9, -9, -9});
    CHECK_VALUES(r[1], CT_SHAPE(6), {101, 101, 102, -1, -1, -1});
    /* the same as a running fold */
    ct_window_dims running = {.window_dimensions = CT_DIMS(6), .padding_low = CT_DIMS(5)};
    programs_run(ctx, (program){places, &running, 2}, CT_ARGV(x, i, hundred), r);
    CHECK_VALUES(r[0], CT_SHAPE(6), {3, 9, 9, 9, 9, 9});
    CHECK_VALUES(r[1], CT_SHAPE(6), {100, 101, 101, 101, 101, 101});
    ct_context_free(ctx);
}

/* ---- Ends of ranges. */

TEST(wide_strides_and_holes)
{
    ct_context *ctx = ct_context_new();
    const int64_t big = INT64_C(1) << 40;
    ct_tensor *x = given(ctx, CT_F32, CT_SHAPE(3), {1, 2, 4});
    /* elements stand at 0, big and 2 big */
    CHECK_VALUES(ct_op_reduce_window_add(x, &(ct_window_dims){.window_dimensions = CT_DIMS(2),
                                                              .window_strides = CT_DIMS(big),
                                                              .base_dilations = CT_DIMS(big),
                                                              .window_dilations = CT_DIMS(big)}),
                 CT_SHAPE(2), {3, 6});
    CHECK_VALUES(ct_op_reduce_window_add(x, &(ct_window_dims){.window_dimensions = CT_DIMS(1),
                                                              .window_strides = CT_DIMS(big),
                                                              .base_dilations = CT_DIMS(big / 2)}),
                 CT_SHAPE(2), {1, 4});
    CHECK_VALUES(ct_op_reduce_window_add(x, &(ct_window_dims){.window_dimensions = CT_DIMS(1),
                                                              .window_strides = CT_DIMS(big),
                                                              .padding_low = CT_DIMS(2 * big - 1)}),
                 CT_SHAPE(3), {0, 0, 2});
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

static void small_windows(ct_context *ctx)
{
    ct_tensor *x = ct_ones(ctx, CT_F32, CT_SHAPE(4)), *r[2];
    ct_window_dims pairs = {.window_dimensions = CT_DIMS(2)};
    fold(&(windows){.rank = 1, .size = {2}, .stride = {1}, .base = {1}, .dilation = {1}},
         CT_ARGV(x, ct_scalar(ctx, CT_F32, 0)), r);
    ct_op_reduce_window_max(x, &pairs);
    places(&pairs, CT_ARGV(x, ct_zeros(ctx, CT_I16, CT_SHAPE(4)), ct_scalar(ctx, CT_I16, 0)), r);
}

TEST(allocations)
{
    CHECK_ALLOCATIONS(small_windows);
}
