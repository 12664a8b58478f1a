/* Laws: of permutations and what else moves data, of the chain rule on random compositions, of
 * indices out of range and their gradients. */
#include "tests/programs.h"

#include <cotangent/cotangent.h>

#include <string.h>

enum { MOST_RANK = 5 };

/* ---- Permutations. */

typedef struct permutation {
    size_t rank;
    int64_t of[MOST_RANK];
} permutation;

static permutation pick_permutation(size_t rank)
{
    permutation p = {.rank = rank};

    for (size_t i = 0; i < rank; i++)
        p.of[i] = (int64_t)i;
    for (size_t i = rank; i-- > 1;) {
        const size_t j = (size_t)programs_pick((int64_t)i + 1);
        const int64_t kept = p.of[i];
        p.of[i] = p.of[j];
        p.of[j] = kept;
    }
    return p;
}

static permutation inverse_of(const permutation *p)
{
    permutation q = {.rank = p->rank};

    for (size_t i = 0; i < p->rank; i++)
        q.of[p->of[i]] = (int64_t)i;
    return q;
}

/* Axis i of a value turned by p and then by q is axis p[q[i]] of it. */
static permutation first_then(const permutation *p, const permutation *q)
{
    permutation both = {.rank = p->rank};

    for (size_t i = 0; i < p->rank; i++)
        both.of[i] = p->of[q->of[i]];
    return both;
}

static ct_tensor *turn(ct_tensor *x, const permutation *p)
{
    return ct_op_transpose(x, ((ct_dims){p->rank, p->of}));
}

/* Elements that spell their coordinates, of extents of which no two are equal. */
static ct_tensor *coordinates(ct_context *ctx, size_t rank)
{
    static const int64_t dim[] = {2, 3, 4, 1, 5};

    return values_coded(ctx, CT_F64, (ct_shape){rank, dim});
}

static ct_tensor *turned(void *user, ct_tensor *x)
{
    return turn(x, user);
}

/* The gradient of a transposition by p, for a cotangent of its result. */
static ct_tensor *gradient_of_turning(permutation *p, ct_tensor *x, ct_tensor *ybar)
{
    ct_function *f = ct_trace_user(ct_context_of(x), turned, p, CT_LIKE(x));

    return ct_apply1(ct_vjp(f, CT_ARGS(0)), CT_ARGV(x, ybar));
}

TEST(permutations)
{
    ct_context *ctx = ct_context_new();

    for (int turns = 0; turns < 200; turns++) {
        const size_t rank = (size_t)programs_pick(MOST_RANK + 1);
        permutation p = pick_permutation(rank);
        const permutation q = pick_permutation(rank), back = inverse_of(&p);
        const permutation both = first_then(&p, &q);
        ct_scope scope = ct_scope_begin(ctx);
        ct_tensor *x = coordinates(ctx, rank);
        CHECK_EQUAL(turn(turn(x, &p), &q), turn(x, &both));
        CHECK_EQUAL(turn(turn(x, &p), &back), x);
        CHECK_EQUAL(gradient_of_turning(&p, x, turn(x, &p)), x);
        CHECK_OK(ctx);
        ct_scope_end(scope);
    }
    ct_context_free(ctx);
}

/* The gradient takes the inverse, which differs from the permutation where that has a cycle of
 * three. */
TEST(a_cycle_of_three)
{
    ct_context *ctx = ct_context_new();
    permutation p = {3, {1, 2, 0}};
    ct_tensor *x = coordinates(ctx, 3);

    CHECK_EQUAL(gradient_of_turning(&p, x, turn(x, &p)), x);
    CHECK(!ct_equal(turn(turn(x, &p), &p), x));
    ct_context_free(ctx);
}

/* ---- What else moves data. */

static ct_tensor *cut(ct_tensor *x, int64_t axis, int64_t from, int64_t to)
{
    int64_t start[MOST_RANK] = {0}, limit[MOST_RANK], stride[MOST_RANK];

    for (size_t d = 0; d < ct_rank(x); d++) {
        limit[d] = ct_dim(x, (int64_t)d);
        stride[d] = 1;
    }
    start[axis] = from;
    limit[axis] = to;
    return ct_op_slice(x, ((ct_dims){ct_rank(x), start}), ((ct_dims){ct_rank(x), limit}),
                       ((ct_dims){ct_rank(x), stride}));
}

static ct_tensor *padded(ct_tensor *x, int64_t axis, int64_t low, int64_t high)
{
    int64_t before[MOST_RANK] = {0}, behind[MOST_RANK] = {0}, inside[MOST_RANK] = {0};

    before[axis] = low;
    behind[axis] = high;
    return ct_op_pad(x, ct_scalar(ct_context_of(x), CT_F64, 7), ((ct_dims){ct_rank(x), before}),
                     ((ct_dims){ct_rank(x), behind}), ((ct_dims){ct_rank(x), inside}));
}

TEST(parts_and_wholes)
{
    ct_context *ctx = ct_context_new();

    for (int turns = 0; turns < 200; turns++) {
        const size_t rank = 1 + (size_t)programs_pick(MOST_RANK);
        ct_tensor *x = coordinates(ctx, rank);
        const int64_t axis = programs_pick((int64_t)rank), n = ct_dim(x, axis);
        const int64_t at = programs_pick(n + 1);
        ct_scope scope = ct_scope_begin(ctx);
        CHECK_EQUAL(ct_op_concatenate(CT_ARGV(cut(x, axis, 0, at), cut(x, axis, at, n)), axis), x);
        CHECK_EQUAL(cut(padded(x, axis, at, 2), axis, at, at + n), x);
        CHECK_EQUAL(padded(padded(x, axis, at, 2), axis, -at, -2), x);
        CHECK_EQUAL(ct_op_reverse(ct_op_reverse(x, CT_DIMS(axis)), CT_DIMS(axis)), x);
        CHECK_EQUAL(ct_op_reshape(ct_op_reshape(x, CT_DIMS(ct_size(x))), ct_shape_of(x)), x);
        CHECK_OK(ctx);
        ct_scope_end(scope);
    }
    ct_context_free(ctx);
}

/* A sum over what was broadcast is the number of copies times it; over no axes it is what was
 * there, over all it is a scalar. */
TEST(sums_of_copies)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = coordinates(ctx, 3);
    ct_tensor *copies = ct_op_broadcast_in_dim(x, CT_DIMS(2, 6, 3, 4), CT_DIMS(0, 2, 3));

    CHECK_EQUAL(ct_op_reduce_add(copies, CT_DIMS(1)), ct_mul(x, 6.0));
    CHECK_EQUAL(ct_op_reduce_add(x, CT_DIMS()), x);
    CHECK(ct_rank(ct_op_reduce_add(x, CT_DIMS(0, 1, 2))) == 0);
    CHECK_EQUAL(ct_op_reduce_add(ct_op_reduce_add(x, CT_DIMS(0)), CT_DIMS(1)),
                ct_op_reduce_add(x, CT_DIMS(0, 2)));
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* ---- The chain rule: derivatives of a composition are those of its halves, bit by bit. */

typedef struct chain {
    size_t n;
    int link[12];
} chain;

static ct_tensor *follow(int link, ct_tensor *x)
{
    switch (link) {
    case 0: return ct_tanh(x);
    case 1: return ct_sin(x);
    case 2: return ct_mul(x, x);
    case 3: return ct_exp(ct_neg(ct_abs(x)));
    case 4: return ct_op_reverse(x, CT_DIMS(0));
    case 5: return ct_sub(x, ct_sum(x, CT_ALL_AXES, CT_DROP_AXES));
    case 6: return ct_op_logistic(x);
    default: return ct_div(x, ct_add(1.5, ct_mul(x, x)));
    }
}

static ct_tensor *chained(void *user, ct_tensor *x)
{
    const chain *c = user;

    for (size_t i = 0; i < c->n; i++)
        x = follow(c->link[i], x);
    return x;
}

static chain pick_chain(void)
{
    chain c = {.n = 1 + (size_t)programs_pick(5)};

    for (size_t i = 0; i < c.n; i++)
        c.link[i] = (int)programs_pick(8);
    return c;
}

static chain joined(const chain *f, const chain *g)
{
    chain h = {.n = f->n + g->n};

    memcpy(h.link, f->link, f->n * sizeof *h.link);
    memcpy(h.link + f->n, g->link, g->n * sizeof *h.link);
    return h;
}

static ct_tensor *some_reals(ct_context *ctx)
{
    double value[6];

    for (int i = 0; i < 6; i++)
        value[i] = ((double)programs_pick(4001) - 2000) / 1000;
    return ct_from_doubles(ctx, CT_F64, CT_SHAPE(6), value);
}

TEST(chain_rule)
{
    for (int turns = 0; turns < 100; turns++) {
        ct_context *ctx = ct_context_new();
        chain inner = pick_chain(), outer = pick_chain(), both = joined(&inner, &outer);
        ct_tensor *x = some_reals(ctx), *dx = some_reals(ctx), *zbar = some_reals(ctx);
        ct_function *f = ct_trace_user(ctx, chained, &inner, CT_LIKE(x));
        ct_function *g = ct_trace_user(ctx, chained, &outer, CT_LIKE(x));
        ct_function *h = ct_trace_user(ctx, chained, &both, CT_LIKE(x));
        ct_tensor *y[2], *z[2], *whole[2];
        ct_apply(ct_jvp(f, CT_ALL_ARGS), CT_ARGV(x, dx), y, 2);
        ct_apply(ct_jvp(g, CT_ALL_ARGS), CT_ARGV(y[0], y[1]), z, 2);
        ct_apply(ct_jvp(h, CT_ALL_ARGS), CT_ARGV(x, dx), whole, 2);
        CHECK_BITS(whole[0], z[0]);
        CHECK_BITS(whole[1], z[1]);
        ct_tensor *ybar = ct_apply1(ct_vjp(g, CT_ALL_ARGS), CT_ARGV(y[0], zbar));
        CHECK_BITS(ct_apply1(ct_vjp(h, CT_ALL_ARGS), CT_ARGV(x, zbar)),
                   ct_apply1(ct_vjp(f, CT_ALL_ARGS), CT_ARGV(x, ybar)));
        CHECK_OK(ctx);
        ct_context_free(ctx);
    }
}

/* ---- Indices out of range: what is read or written, and its gradients, are those of the indices
 * moved inside, in every index dtype. */

enum { ROWS = 5, WINDOW = 2, PLACES = 4 };

/* Index values that the dtype holds, and the same within [0, last]. */
static void pick_indices(ct_dtype dtype, int64_t last, size_t n, ct_tensor **raw, ct_tensor **moved,
                         ct_context *ctx)
{
    static const double far[] = {-1, -7, 3, 4, 5, 100, 127, -128, 1, 0};
    double value[PLACES], inside[PLACES];

    for (size_t i = 0; i < n; i++) {
        const double x = far[programs_pick(10)];
        value[i] = x < 0 && !ct_dtype_is_signed(dtype) ? -x : x;
        inside[i] = value[i] < 0 ? 0 : value[i] > (double)last ? (double)last : value[i];
    }
    const ct_shape shape = {n == 1 ? 0 : 2, (const int64_t[]){(int64_t)n, 1}};
    *raw = ct_from_doubles(ctx, dtype, shape, value);
    *moved = ct_from_doubles(ctx, dtype, shape, inside);
}

static ct_tensor *gathered(ct_tensor *x, ct_tensor *at)
{
    return ct_op_gather(x, at,
                        &(ct_gather_dims){.offset_dims = CT_DIMS(1, 2),
                                          .start_index_map = CT_DIMS(0),
                                          .index_vector_dim = 1,
                                          .slice_sizes = CT_DIMS(WINDOW, 3)});
}

static ct_tensor *zero_like(ct_tensor *at)
{
    return ct_zeros(ct_context_of(at), ct_dtype_of(at), CT_SHAPE());
}

static ct_tensor *read(ct_tensor *x, ct_tensor *at)
{
    return ct_op_dynamic_slice(x, CT_ARGV(at, zero_like(at)), CT_DIMS(WINDOW, 3), false);
}

static ct_tensor *written(ct_tensor *x, ct_tensor *at)
{
    ct_tensor *update = ct_op_slice(x, CT_DIMS(1, 0), CT_DIMS(1 + WINDOW, 3), CT_DIMS(1, 1));

    return ct_op_dynamic_update_slice(x, ct_mul(update, 3.0), CT_ARGV(at, zero_like(at)), false);
}

static void check_pair(ct_context *ctx, ct_tensor *(*f)(ct_tensor *, ct_tensor *), ct_tensor *raw,
                       ct_tensor *moved)
{
    ct_tensor *x = values_coded(ctx, CT_F64, CT_SHAPE(ROWS, 3));
    ct_function *g = ct_trace(ctx, f, CT_LIKE(x, raw));
    ct_function *back = ct_vjp(g, CT_ARGS(0)), *forward = ct_jvp(g, CT_ARGS(0));
    ct_tensor *y = ct_apply1(g, CT_ARGV(x, raw)), *a[2], *b[2];

    CHECK_EQUAL(y, ct_apply1(g, CT_ARGV(x, moved)));
    CHECK_EQUAL(ct_apply1(back, CT_ARGV(x, raw, y)), ct_apply1(back, CT_ARGV(x, moved, y)));
    ct_apply(forward, CT_ARGV(x, raw, x), a, 2);
    ct_apply(forward, CT_ARGV(x, moved, x), b, 2);
    CHECK_EQUAL(a[1], b[1]);
    CHECK_OK(ctx);
}

TEST(indices_out_of_range)
{
    static const ct_dtype dtypes[] = {CT_I8, CT_I16, CT_I32, CT_I64, CT_U8, CT_U16, CT_U32, CT_U64};
    ct_tensor *raw, *moved;

    for (int turns = 0; turns < 80; turns++) {
        ct_context *ctx = ct_context_new();
        pick_indices(dtypes[turns % 8], ROWS - WINDOW, PLACES, &raw, &moved, ctx);
        check_pair(ctx, gathered, raw, moved);
        pick_indices(dtypes[turns % 8], ROWS - WINDOW, 1, &raw, &moved, ctx);
        check_pair(ctx, read, raw, moved);
        check_pair(ctx, written, raw, moved);
        ct_context_free(ctx);
    }
}
