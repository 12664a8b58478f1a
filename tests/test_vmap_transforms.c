/* Vectorisation as a transform: axes, nesting with itself and with derivatives, at once, and what
 * it refuses. */
#include "tests/values.h"

#include <cotangent/cotangent.h>

#include <string.h>

/* f(x, y) = x y, of f64[2] and f64[]. */
static ct_tensor *scaled(ct_tensor *x, ct_tensor *y)
{
    return ct_mul(x, y);
}

/* Σ x² y */
static ct_tensor *loss(ct_tensor *x, ct_tensor *y)
{
    return ct_sum(ct_mul(ct_square(x), y), CT_ALL_AXES, CT_DROP_AXES);
}

typedef struct fixture {
    ct_context *ctx;
    ct_tensor *x, *y;   /* f64[2], f64[]: one lane */
    ct_tensor *xs, *ys; /* f64[3,2], f64[3] */
    ct_function *scaled, *loss;
} fixture;

static fixture begin(void)
{
    fixture q = {.ctx = ct_context_new()};
    q.x = given(q.ctx, CT_F64, CT_SHAPE(2), {1, 2});
    q.y = given(q.ctx, CT_F64, CT_SHAPE(), {3});
    q.xs = given(q.ctx, CT_F64, CT_SHAPE(3, 2), {1, 2, 3, 4, 5, 6});
    q.ys = given(q.ctx, CT_F64, CT_SHAPE(3), {10, -1, 0.5});
    q.scaled = ct_trace(q.ctx, scaled, CT_LIKE(q.x, q.y));
    q.loss = ct_trace(q.ctx, loss, CT_LIKE(q.x, q.y));
    return q;
}

static void end(fixture *q)
{
    CHECK_OK(q->ctx);
    ct_context_free(q->ctx);
}

/* ---- Axes. */

TEST(lanes_lie_along_axis_0)
{
    fixture q = begin();
    ct_function *g = ct_vmap_leading(q.scaled, 3);
    CHECK_VALUES(ct_apply1(g, CT_ARGV(q.xs, q.ys)), CT_SHAPE(3, 2), {10, 20, -3, -4, 2.5, 3});
    CHECK(strcmp(ct_function_name(g), "vmap_scaled") == 0);
    end(&q);
}

TEST(lanes_lie_along_any_axis)
{
    fixture q = begin();
    ct_tensor *turned = ct_transpose(q.xs, CT_AXES(1, 0));
    ct_function *g = ct_vmap(q.scaled, 3, CT_AXES(1, -1), CT_AXES(-1));
    CHECK_VALUES(ct_apply1(g, CT_ARGV(turned, q.ys)), CT_SHAPE(2, 3), {10, -3, 2.5, 20, -4, 3});
    g = ct_vmap(q.scaled, 3, CT_AXES(-2, 0), CT_AXES(1));
    CHECK_VALUES(ct_apply1(g, CT_ARGV(q.xs, q.ys)), CT_SHAPE(2, 3), {10, -3, 2.5, 20, -4, 3});
    end(&q);
}

TEST(an_argument_is_the_same_in_all_lanes)
{
    fixture q = begin();
    ct_function *g = ct_vmap(q.scaled, 3, CT_AXES(0, CT_UNBATCHED), CT_LEADING_AXES);
    CHECK_VALUES(ct_apply1(g, CT_ARGV(q.xs, q.y)), CT_SHAPE(3, 2), {3, 6, 9, 12, 15, 18});
    g = ct_vmap(q.scaled, 3, CT_AXES(CT_UNBATCHED, 0), CT_LEADING_AXES);
    CHECK_VALUES(ct_apply1(g, CT_ARGV(q.x, q.ys)), CT_SHAPE(3, 2), {10, 20, -1, -2, 0.5, 1});
    end(&q);
}

/* Nothing depends on a lane: once for all, or a copy for each. */
TEST(a_result_is_the_same_in_all_lanes)
{
    fixture q = begin();
    ct_axes none = CT_AXES(CT_UNBATCHED, CT_UNBATCHED);
    ct_function *g = ct_vmap(q.scaled, 2, none, CT_AXES(CT_UNBATCHED));
    CHECK_VALUES(ct_apply1(g, CT_ARGV(q.x, q.y)), CT_SHAPE(2), {3, 6});
    g = ct_vmap(q.scaled, 2, none, CT_AXES(1));
    CHECK_VALUES(ct_apply1(g, CT_ARGV(q.x, q.y)), CT_SHAPE(2, 2), {3, 3, 6, 6});
    end(&q);
}

TEST(no_lanes_and_one)
{
    fixture q = begin();
    ct_tensor *x = ct_zeros(q.ctx, CT_F64, CT_SHAPE(0, 2)),
              *y = ct_zeros(q.ctx, CT_F64, CT_SHAPE(0));
    CHECK_EMPTY(ct_apply1(ct_vmap_leading(q.scaled, 0), CT_ARGV(x, y)), CT_SHAPE(0, 2));
    CHECK_EMPTY(ct_apply1(ct_vmap(q.scaled, 0, CT_AXES(0, 0), CT_AXES(1)), CT_ARGV(x, y)),
                CT_SHAPE(2, 0));
    x = ct_reshape(q.x, CT_SHAPE(1, 2));
    CHECK_VALUES(
        ct_apply1(ct_vmap(q.scaled, 1, CT_AXES(0, CT_UNBATCHED), CT_AXES(0)), CT_ARGV(x, q.y)),
        CT_SHAPE(1, 2), {3, 6});
    end(&q);
}

typedef struct pair {
    ct_tensor *a, *b;
} pair;

static ct_tensor *combined(ct_tensor **leaf, ct_tensor *x)
{
    const pair *p = (const pair *)leaf;
    return ct_add(ct_matmul(p->a, x), p->b);
}

/* A tree has one axis for all its leaves, counted in each from its end, and stays one argument. */
TEST(trees)
{
    fixture q = begin();
    pair p = {given(q.ctx, CT_F64, CT_SHAPE(1, 2), {1, 2}), given(q.ctx, CT_F64, CT_SHAPE(1), {5})};
    ct_function *f = ct_trace_tree(q.ctx, combined, CT_TREE(&p), CT_LIKE(q.x));
    pair lanes = {given(q.ctx, CT_F64, CT_SHAPE(1, 2, 3), {1, 10, 100, 2, 20, 200}),
                  given(q.ctx, CT_F64, CT_SHAPE(1, 3), {0, 1, 2})};
    ct_function *g = ct_vmap(f, 3, CT_AXES(-1, CT_UNBATCHED), CT_AXES(0));
    ct_list arguments = CT_ARGV(lanes.a, lanes.b, q.x);
    CHECK_VALUES(ct_apply1(g, arguments), CT_SHAPE(3, 1), {5, 51, 502});
    CHECK(ct_function_results(ct_vjp(g, CT_ARGS(0))) == 2);
    ct_vmap(f, 3, CT_AXES(2, 0), CT_AXES(0));
    CHECK_ERROR(q.ctx, CT_ERR_SHAPE,
                "argument 0, leaf 1, is f64[1] in a lane, so that the lanes "
                "can be an axis from -2 to 1, not 2");
    end(&q);
}

/* ---- Nesting. */

TEST(vmap_of_vmap)
{
    fixture q = begin();
    ct_function *rows = ct_vmap(q.scaled, 3, CT_AXES(0, CT_UNBATCHED), CT_AXES(0));
    ct_function *g = ct_vmap(rows, 2, CT_AXES(CT_UNBATCHED, 0), CT_AXES(-1));
    ct_tensor *y = given(q.ctx, CT_F64, CT_SHAPE(2), {1, 10});
    CHECK_VALUES(ct_apply1(g, CT_ARGV(q.xs, y)), CT_SHAPE(3, 2, 2),
                 {1, 10, 2, 20, 3, 30, 4, 40, 5, 50, 6, 60});
    end(&q);
}

TEST(vmap_of_grad)
{
    fixture q = begin();
    ct_tensor *g[2];
    ct_apply(ct_vmap_leading(ct_grad(q.loss, CT_ALL_ARGS), 3), CT_ARGV(q.xs, q.ys), g, 2);
    CHECK_VALUES(g[0], CT_SHAPE(3, 2), {20, 40, -6, -8, 5, 6});
    CHECK_VALUES(g[1], CT_SHAPE(3), {5, 25, 61});
    end(&q);
}

/* The cotangent of what lanes share is the sum of theirs. */
TEST(vjp_of_vmap)
{
    fixture q = begin();
    ct_tensor *bar = given(q.ctx, CT_F64, CT_SHAPE(3), {1, 2, 4}), *g[2];
    ct_function *shared = ct_vmap(q.loss, 3, CT_AXES(CT_UNBATCHED, 0), CT_AXES(0));
    ct_apply(ct_vjp(shared, CT_ALL_ARGS), CT_ARGV(q.x, q.ys, bar), g, 2);
    CHECK_VALUES(g[0], CT_SHAPE(2), {20, 40}); /* 2 x (10 - 2 + 2) */
    CHECK_VALUES(g[1], CT_SHAPE(3), {5, 10, 20});
    end(&q);
}

TEST(jvp_of_vmap_is_vmap_of_jvp)
{
    fixture q = begin();
    ct_tensor *a[2], *b[2];
    ct_list arguments = CT_ARGV(q.xs, q.ys, q.xs, q.ys);
    ct_apply(ct_jvp(ct_vmap_leading(q.loss, 3), CT_ALL_ARGS), arguments, a, 2);
    ct_apply(ct_vmap_leading(ct_jvp(q.loss, CT_ALL_ARGS), 3), arguments, b, 2);
    CHECK_BITS(a[0], b[0]);
    CHECK_BITS(a[1], b[1]);
    CHECK_VALUES(a[1], CT_SHAPE(3), {150, -75, 91.5}); /* 3 loss */
    end(&q);
}

/* Lanes of a linear function are linear, and its transpose's lanes those of the transpose. */
TEST(transpose_of_vmap)
{
    fixture q = begin();
    ct_linearized l = ct_linearize(q.loss, CT_ARGS(0));
    CHECK(l.n_residuals > 0 && l.n_residuals < 8);
    int64_t axis[9] = {0};
    ct_axes axes = {false, l.n_residuals + 1, axis};
    ct_args last = CT_ARGS((int64_t)l.n_residuals);
    ct_function *a = ct_transpose_linear(ct_vmap(l.tangent, 3, axes, CT_AXES(0)), last);
    ct_function *b = ct_vmap(ct_transpose_linear(l.tangent, last), 3, axes, CT_AXES(0));
    ct_tensor *r[9];
    ct_apply(ct_vmap_leading(l.primal, 3), CT_ARGV(q.xs, q.ys), r, l.n_residuals + 1);
    r[l.n_residuals + 1] = given(q.ctx, CT_F64, CT_SHAPE(3), {1, 2, 4});
    ct_list arguments = CT_LIST(l.n_residuals + 1, r + 1);
    CHECK_VALUES(ct_apply1(a, arguments), CT_SHAPE(3, 2), {20, 40, -12, -16, 20, 24});
    CHECK_BITS(ct_apply1(a, arguments), ct_apply1(b, arguments));
    end(&q);
}

/* The Hessian, row by row: vmap of the gradient's forward derivative over unit vectors. */
TEST(hessian)
{
    fixture q = begin();
    ct_function *hvp = ct_jvp(ct_grad(q.loss, CT_ARGS(0)), CT_ARGS(0));
    ct_function *rows = ct_vmap(hvp, 2, CT_AXES(CT_UNBATCHED, CT_UNBATCHED, 0),
                                CT_AXES(CT_UNBATCHED, 0));
    ct_tensor *h[2];
    ct_apply(rows, CT_ARGV(q.x, q.y, ct_eye(q.ctx, CT_F64, 2)), h, 2);
    CHECK_VALUES(h[0], CT_SHAPE(2), {6, 12});
    CHECK_VALUES(h[1], CT_SHAPE(2, 2), {6, 0, 0, 6});
    end(&q);
}

/* ---- What is recorded. */

static ct_tensor *weighted(ct_tensor *x)
{
    ct_tensor *w = given(ct_context_of(x), CT_F64, CT_SHAPE(2), {7, 8});
    return ct_op_add(ct_op_multiply(x, x), w);
}

/* A constant is not copied for every lane. */
TEST(constants_are_stored_once)
{
    fixture q = begin();
    ct_function *g = ct_vmap_leading(ct_trace(q.ctx, weighted, CT_LIKE(q.x)), 3);
    const char *text = ct_function_text(g, CT_TEXT_STABLEHLO);
    CHECK(strstr(text, "dense<[7.0, 8.0]>") != NULL);
    CHECK_VALUES(ct_apply1(g, CT_ARGV(q.xs)), CT_SHAPE(3, 2), {8, 12, 16, 24, 32, 44});
    end(&q);
}

/* ---- Indices whose dtype holds neither the number of lanes nor all places. */

static ct_tensor *window(ct_tensor *x, ct_tensor *i)
{
    return ct_op_dynamic_slice(x, CT_ARGV(i), CT_DIMS(1), false);
}

static ct_tensor *written(ct_tensor *x, ct_tensor *i)
{
    ct_tensor *one = ct_ones(ct_context_of(x), CT_F64, CT_SHAPE(1));
    return ct_op_dynamic_update_slice(x, one, CT_ARGV(i), false);
}

TEST(narrow_indices)
{
    fixture q = begin();
    ct_tensor *x = ct_arange(q.ctx, CT_F64, 0, 300, 1);
    ct_tensor *i = ct_concatenate(CT_ARGV(ct_zeros(q.ctx, CT_I8, CT_SHAPE(298)),
                                          given(q.ctx, CT_I8, CT_SHAPE(2), {127, -128})),
                                  0);
    ct_tensor *y = ct_vmap_of(q.ctx, window, CT_AXES(CT_UNBATCHED, 0), 0, x, i);
    CHECK(ct_dim(y, 0) == 300 && ct_at(y, 297, 0) == 0 && ct_at(y, 298, 0) == 127 &&
          ct_at(y, 299, 0) == 0);
    y = ct_vmap_of(q.ctx, written, CT_AXES(CT_UNBATCHED, 0), 0, x, i);
    CHECK(ct_dim(y, 0) == 300 && ct_at(y, 298, 127) == 1 && ct_at(y, 298, 0) == 0 &&
          ct_at(y, 299, 0) == 1 && ct_at(y, 299, 127) == 127);
    end(&q);
}

/* An unsigned index beyond every signed one is clamped to the last place. */
TEST(large_indices)
{
    static const uint64_t numbers[] = {0, UINT64_MAX, 1};
    fixture q = begin();
    ct_tensor *x = given(q.ctx, CT_F64, CT_SHAPE(3), {5, 6, 7});
    ct_tensor *i = ct_from_data(q.ctx, CT_U64, CT_SHAPE(3), numbers);
    ct_tensor *y = ct_vmap_of(q.ctx, window, CT_AXES(CT_UNBATCHED, 0), 0, x, i);
    CHECK_VALUES(y, CT_SHAPE(3, 1), {5, 7, 6});
    y = ct_vmap_of(q.ctx, written, CT_AXES(CT_UNBATCHED, 0), 0, x, i);
    CHECK_VALUES(y, CT_SHAPE(3, 3), {1, 6, 7, 5, 6, 1, 5, 1, 7});
    end(&q);
}

/* ---- At once. */

TEST(at_once)
{
    fixture q = begin();
    ct_tensor *y = ct_vmap_of(q.ctx, scaled, CT_AXES(0, 0), 1, q.xs, q.ys);
    CHECK_VALUES(y, CT_SHAPE(2, 3), {10, -3, 2.5, 20, -4, 3});
    y = ct_vmap_of(q.ctx, scaled, CT_AXES(CT_UNBATCHED, -1), 0, q.x, q.ys);
    CHECK_VALUES(y, CT_SHAPE(3, 2), {10, 20, -1, -2, 0.5, 1});
    end(&q);
}

/* Inside of a trace it records a call. */
static ct_tensor *all_pairs(ct_tensor *x, ct_tensor *y)
{
    return ct_vmap_of(ct_context_of(x), scaled, CT_AXES(CT_UNBATCHED, 0), 0, x, y);
}

TEST(at_once_in_a_trace)
{
    fixture q = begin();
    ct_function *f = ct_trace(q.ctx, all_pairs, CT_LIKE(q.x, q.ys));
    CHECK_VALUES(ct_apply1(f, CT_ARGV(q.x, q.ys)), CT_SHAPE(3, 2), {10, 20, -1, -2, 0.5, 1});
    end(&q);
}

/* ---- What is refused. */

TEST(axes_that_are_none)
{
    fixture q = begin();
    CHECK(ct_function_is_poison(ct_vmap(q.scaled, 3, CT_AXES(2, 0), CT_AXES(0))));
    CHECK_ERROR(q.ctx, CT_ERR_SHAPE,
                "vmap of scaled: argument 0 is f64[2] in a lane, so that the "
                "lanes can be an axis from -2 to 1, not 2");
    ct_vmap(q.scaled, 3, CT_AXES(0, -2), CT_AXES(0));
    CHECK_ERROR(q.ctx, CT_ERR_SHAPE,
                "argument 1 is f64[] in a lane, so that the lanes can be an "
                "axis from -1 to 0, not -2");
    ct_vmap(q.scaled, 3, CT_AXES(0, 0), CT_AXES(-3));
    CHECK_ERROR(q.ctx, CT_ERR_SHAPE, "result 0 is f64[2] in a lane");
    end(&q);
}

TEST(lists_of_a_wrong_length)
{
    fixture q = begin();
    ct_vmap(q.scaled, 3, CT_AXES(0), CT_AXES(0));
    CHECK_ERROR(q.ctx, CT_ERR_SHAPE, "in_axes has 1 axes for 2 arguments");
    ct_vmap(q.scaled, 3, CT_AXES(0, 0), CT_AXES());
    CHECK_ERROR(q.ctx, CT_ERR_SHAPE, "out_axes has 0 axes for 1 result");
    ct_vmap(q.scaled, 3, ((ct_axes){false, 2, NULL}), CT_AXES(0));
    CHECK_ERROR(q.ctx, CT_ERR_ARGUMENT, "in_axes is NULL");
    ct_vmap(q.scaled, 3, CT_AXES(0, 0), ((ct_axes){false, 1, NULL}));
    CHECK_ERROR(q.ctx, CT_ERR_ARGUMENT, "out_axes is NULL");
    end(&q);
}

TEST(sizes)
{
    fixture q = begin();
    ct_vmap_leading(q.scaled, -1);
    CHECK_ERROR(q.ctx, CT_ERR_SHAPE, "vmap of scaled: there cannot be -1 lanes");
    ct_vmap_leading(q.scaled, INT64_MAX);
    CHECK_ERROR(q.ctx, CT_ERR_RANGE, "lanes of f64[2] are too large");
    ct_vmap(q.scaled, 3, CT_AXES(0, CT_UNBATCHED), CT_AXES(CT_UNBATCHED));
    CHECK_ERROR(q.ctx, CT_ERR_SHAPE,
                "result 0 cannot be CT_UNBATCHED: it may differ from lane to lane");
    ct_vmap_leading(NULL, 3);
    CHECK(ct_function_is_poison(ct_vmap_leading(ct_vmap_leading(q.scaled, -1), 2)));
    CHECK_ERROR(q.ctx, CT_ERR_SHAPE, "-1 lanes");
    end(&q);
}

TEST(arguments_of_different_sizes)
{
    fixture q = begin();
    ct_tensor *four = ct_zeros(q.ctx, CT_F64, CT_SHAPE(2, 4));
    ct_vmap_of(q.ctx, loss, CT_AXES(1, 0), 0, four, q.ys);
    CHECK_ERROR(q.ctx, CT_ERR_SHAPE,
                "vmap of loss: argument 0 has 4 lanes: axis 1 of f64[2,4], "
                "and argument 1 has 3: axis 0 of f64[3]");
    ct_vmap_of(q.ctx, loss, CT_AXES(2, 0), 0, q.xs, q.ys);
    CHECK_ERROR(q.ctx, CT_ERR_SHAPE, "argument 0 is f64[3,2], which has no axis 2");
    ct_vmap_of(q.ctx, loss, CT_AXES(0, -2), 0, q.xs, q.ys);
    CHECK_ERROR(q.ctx, CT_ERR_SHAPE, "argument 1 is f64[3], which has no axis -2");
    ct_vmap_of(q.ctx, loss, CT_AXES(CT_UNBATCHED, CT_UNBATCHED), 0, q.x, q.y);
    CHECK_ERROR(q.ctx, CT_ERR_ARGUMENT, "no argument is batched");
    ct_vmap_of(q.ctx, loss, CT_AXES(0), 0, q.xs, q.ys);
    CHECK_ERROR(q.ctx, CT_ERR_SHAPE, "in_axes has 1 axes for 2 arguments");
    end(&q);
}

/* A value of rank 64 has no room for lanes. */
TEST(too_many_axes)
{
    fixture q = begin();
    int64_t dim[64];
    for (int d = 0; d < 64; d++)
        dim[d] = 1;
    ct_tensor *x = ct_zeros(q.ctx, CT_F64, ((ct_shape){64, dim}));
    ct_trace_builder *b = ct_trace_begin(q.ctx, "f", CT_LIKE(x));
    ct_function *f = ct_trace_end(b, CT_ARGV(ct_op_negate(ct_trace_parameter(b, 0))));
    ct_vmap_leading(f, 2);
    CHECK_ERROR(q.ctx, CT_ERR_SHAPE, "are too many axes");
    x = ct_zeros(q.ctx, CT_F64, ((ct_shape){63, dim}));
    b = ct_trace_begin(q.ctx, "f", CT_LIKE(x));
    f = ct_trace_end(b, CT_ARGV(ct_op_negate(ct_trace_parameter(b, 0))));
    CHECK(ct_rank(ct_apply1(ct_vmap(f, 1, CT_AXES(63), CT_AXES(-2)),
                            CT_ARGV(ct_zeros(q.ctx, CT_F64, ((ct_shape){64, dim}))))) == 64);
    end(&q);
}

/* ---- Memory that runs out at any point: nothing is lost. */

static ct_tensor *gathered(ct_tensor *x, ct_tensor *i)
{
    ct_tensor *row = ct_op_dynamic_slice(x, CT_ARGV(i), CT_DIMS(2), false);
    return ct_op_reduce_add(ct_op_dynamic_update_slice(x, row, CT_ARGV(i), false), CT_DIMS(0));
}

static void straight(ct_context *ctx)
{
    ct_tensor *x = ct_ones(ctx, CT_F64, CT_SHAPE(3)), *i = ct_zeros(ctx, CT_I32, CT_SHAPE());
    ct_function *f = ct_trace(ctx, gathered, CT_LIKE(x, i));
    ct_vmap(ct_vmap(f, 2, CT_AXES(CT_UNBATCHED, 0), CT_AXES(0)), 3, CT_AXES(1, -1), CT_AXES(1));
    ct_vmap_of(ctx, gathered, CT_AXES(CT_UNBATCHED, 0), 0, x, ct_zeros(ctx, CT_I32, CT_SHAPE(2)));
}

static ct_tensor *is_positive(void *user, ct_tensor *const *carry)
{
    (void)user;
    return ct_gt(carry[0], 0);
}

static void halve(void *user, ct_tensor **carry)
{
    (void)user;
    carry[0] = ct_sub(carry[0], 1);
}

static void add_row(void *user, ct_tensor **carry, ct_tensor *const *x, ct_tensor **y)
{
    (void)user;
    (void)y;
    carry[0] = ct_add(carry[0], x[0]);
}

static ct_tensor *same(void *user)
{
    return user;
}

static ct_tensor *wandering(ct_tensor *x, ct_tensor *rows)
{
    ct_tensor *state[] = {x}, *sum[] = {x};
    ct_while(is_positive, halve, NULL, 1, state);
    ct_scan(add_row, NULL, .length = 2, .n_carry = 1, .carry = sum, .xs = CT_ARGV(rows));
    return ct_if(ct_gt(state[0], -0.5), same, same, sum[0]);
}

static void with_bodies(ct_context *ctx)
{
    ct_tensor *x = ct_ones(ctx, CT_F64, CT_SHAPE()), *rows = ct_ones(ctx, CT_F64, CT_SHAPE(2));
    ct_function *f = ct_trace(ctx, wandering, CT_LIKE(x, rows));
    ct_vmap(f, 3, CT_AXES(0, CT_UNBATCHED), CT_AXES(0));
}

static ct_function *drawing(ct_context *ctx)
{
    ct_tensor *x = ct_ones(ctx, CT_F64, CT_SHAPE());
    ct_trace_builder *b = ct_trace_begin(ctx, "drawing", CT_LIKE(x));
    ct_tensor *p = ct_trace_parameter(b, 0);
    return ct_trace_end(b, CT_ARGV(ct_op_rng(p, p, CT_DIMS(2), CT_RNG_UNIFORM)));
}

static void lane_by_lane(ct_context *ctx)
{
    ct_vmap_leading(drawing(ctx), 3);
}

TEST(memory)
{
    CHECK_ALLOCATIONS_AT(straight);
    CHECK_ALLOCATIONS_AT(with_bodies);
    CHECK_ALLOCATIONS_AT(lane_by_lane);
}
