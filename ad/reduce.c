#include "ad/rules.h"

int ct__fold_kind(int64_t n_inputs, size_t n_operands, ct__graph *const *region)
{
    return n_inputs == 1 && n_operands == 2 ? ct__graph_body_kind(region[0]) : CT__BODY_OTHER;
}

/* x as [n, m]: the axes in front, as one, in row-major order; then the others as one. */
static ct_tensor *stacked(ct_place at, ct_tensor *x, ct_dims axes, int64_t n, int64_t m)
{
    int64_t order[CT__MAX_RANK];
    size_t rank = ct_rank(x), others = ct__other_axes(rank, axes, order + axes.count);
    ct__other_axes(rank, (ct_dims){others, order + axes.count}, order); /* the axes, rising */
    return ct_op_reshape_at(at, ct__permute(at, x, rank, order), CT_DIMS(n, m));
}

/* ---- Sums. */

static void jvp_of_sum(ct__jvp_whole *q)
{
    if (q->dx[0]) {
        ct__jvp_linear(q);
        return;
    }
    if (ct__primal(q))
        q->dy[0] = ct__spread(q->at, q->dx[1], ct_type_of(q->y[0]));
}

/* ---- Largest and smallest. */

bool ct__is_neutral(ct_tensor *init, int kind)
{
    double value;
    return ct__splat_value(init, &value) &&
           value == ct__float_bound(ct_dtype_of(init), kind == CT__OP_minimum);
}

/* The tangent is shared evenly by all that were taken; an init that is a bound of its own is one of
 * the candidates. dy = (Σ dx over the taken) / count. */
static void jvp_of_extreme(ct__jvp_whole *q, int kind)
{
    if (!ct__primal(q))
        return;
    ct_place at = q->at;
    ct_tensor *x = q->x[0], *init = q->x[1], *y = q->y[0], *taken_init = NULL;
    ct_dims axes = ct__dims(q->attrs->reduce.dimensions);
    const ct_type *rest = ct_type_of(y);
    ct_tensor *taken = ct__taken(at, x, ct__spread_axes(at, y, ct_type_of(x), axes));
    const ct_dtype whole = ct_size(taken) < INT32_MAX ? CT_I32 : CT_I64;
    ct_tensor *count = ct_op_reduce_add_at(at, ct_op_convert_at(at, taken, whole), axes);
    if (!ct__is_neutral(init, kind)) {
        taken_init = ct__taken(at, ct__spread(at, init, rest), y);
        count = ct_op_add_at(at, count, ct_op_convert_at(at, taken_init, whole));
    }
    ct_tensor *share = ct__share(at, count, rest), *dy = NULL;
    if (q->dx[0]) {
        ct_tensor *part = ct_op_select_at(at, taken, q->dx[0], ct__like(at, x, 0));
        dy = ct__scale(at, ct__sum_axes(at, part, axes), share);
    }
    if (q->dx[1] && taken_init) {
        ct_tensor *part = ct_op_select_at(at, taken_init, share, ct__like(at, y, 0));
        ct_tensor *more = ct__scale(at, ct__spread(at, q->dx[1], rest), part);
        dy = dy ? ct_op_add_at(at, dy, more) : more;
    }
    q->dy[0] = dy;
}

/* ---- Products: pairs of factors are multiplied until one is left, each with its tangent. No
 * division, so zeros among the factors do no harm, and log n steps. */

typedef struct factors {
    ct_tensor *x, *dx; /* [n, m]: n factors of each of m products; dx NULL: zero */
    int64_t n, m;
} factors;

static ct_tensor *rows(ct_place at, const factors *f, ct_tensor *x, int64_t begin, int64_t end)
{
    return ct_op_slice_at(at, x, CT_DIMS(begin, 0), CT_DIMS(end, f->m), CT_DIMS(1, 1));
}

/* With the last row of x when n is odd: it found no partner. */
static ct_tensor *with_last(ct_place at, const factors *f, ct_tensor *pairs, ct_tensor *x)
{
    if (f->n % 2 == 0)
        return pairs;
    return ct_op_concatenate_at(at, CT_ARGV(pairs, rows(at, f, x, f->n - 1, f->n)), 0);
}

static void multiply_pairs(ct_place at, factors *f)
{
    int64_t half = f->n / 2;
    ct_tensor *a = rows(at, f, f->x, 0, half), *b = rows(at, f, f->x, half, 2 * half);
    if (f->dx) {
        ct_tensor *da = ct__scale(at, rows(at, f, f->dx, 0, half), b);
        ct_tensor *db = ct__scale(at, rows(at, f, f->dx, half, 2 * half), a);
        f->dx = with_last(at, f, ct_op_add_at(at, da, db), f->dx);
    }
    f->x = with_last(at, f, ct_op_multiply_at(at, a, b), f->x);
    f->n -= half;
}

/* y = p init, p the product of x: dy = dp init + p dinit. */
static void jvp_of_product(ct__jvp_whole *q)
{
    if (!ct__primal(q))
        return;
    ct_place at = q->at;
    ct_tensor *dy = NULL, *p = ct__like(at, q->y[0], 1);
    ct_dims axes = ct__dims(q->attrs->reduce.dimensions), shape = ct_shape_of(q->y[0]);
    const ct_type *type = ct_type_of(q->y[0]);
    factors f = {.m = type->size, .n = type->size ? ct_size(q->x[0]) / type->size : 0};
    if (f.n > 0) {
        f.x = stacked(at, q->x[0], axes, f.n, f.m);
        f.dx = q->dx[0] ? stacked(at, q->dx[0], axes, f.n, f.m) : NULL;
        while (f.n > 1)
            multiply_pairs(at, &f);
        p = ct_op_reshape_at(at, f.x, shape);
    }
    if (f.dx)
        dy = ct__scale(at, ct_op_reshape_at(at, f.dx, shape), ct__spread(at, q->x[1], type));
    if (q->dx[1]) {
        ct_tensor *part = ct__scale(at, ct__spread(at, q->dx[1], type), p);
        dy = dy ? ct_op_add_at(at, dy, part) : part;
    }
    q->dy[0] = dy;
}

/* ---- Any body: the fold from the left, in row-major order of the reduced axes. */

/* (carry… [m], row… [m], captures…) -> carry… [m], `copies` times; NULL after an error. */
static ct__graph *fold_body(const ct__replaced *q, size_t n, int64_t m, size_t copies)
{
    ct__arena arena;
    ct__session session;
    ct__graph *own = q->region[0], *body = NULL;
    if (!ct__session_begin(&session, q->ctx, q->at, &arena, "fold", own))
        return NULL;
    ct_tensor **param = CT__NEW_ARRAY(&arena, ct_tensor *, own->n_params);
    ct_tensor **result = CT__NEW_ARRAY(&arena, ct_tensor *, 2 * n);
    if (!param || !result)
        ct__error_memory(q->ctx, q->at, "derivative");
    for (size_t i = 0; !ct_failed(q->ctx) && i < own->n_params; i++) {
        ct_type row = *ct__param_type(own, i);
        if (i < 2 * n) {
            row.rank = 1;
            row.dim = &m;
            row.size = m;
        }
        param[i] = ct__trace_param(q->ctx, q->at, &row);
    }
    if (!ct_failed(q->ctx) && ct__lift(q->ctx, q->at, own, m, 2 * n, param, result)) {
        for (size_t i = 0; i < n; i++)
            result[n + i] = result[i];
        body = ct__trace_close(q->ctx, q->at, copies * n, result);
    }
    ct__session_end(&session);
    return body;
}

/* Fills result[0 … n - 1] with the final carry, and behind it all carries if asked for. */
static bool apply_fold(const ct__replaced *q, ct_tensor *const *operand, int64_t count, int64_t m,
                       bool running, ct_tensor **result)
{
    size_t n = q->n_results, copies = running ? 2 : 1;
    const ct__attrs attrs = {
        .scan = {.length = count, .n_carry = (int64_t)n, .n_inputs = (int64_t)n}};
    ct__graph *body = fold_body(q, n, m, copies);
    bool fine = body && ct__apply(&(ct__request){.ctx = q->ctx,
                                                 .at = q->at,
                                                 .op = CT__OP_scan,
                                                 .attrs = &attrs,
                                                 .n_operands = q->n_operands,
                                                 .operand = operand,
                                                 .n_regions = 1,
                                                 .region = &body},
                                  result, copies * n);
    ct__graph_release(body);
    return fine;
}

/* x…, init… and captures… as the scan takes them: carry… [m], x…, captures…. */
static void fold_operands(const ct__replaced *q, ct_tensor *const *x, int64_t m,
                          ct_tensor **operand)
{
    size_t n = q->n_results;
    for (size_t i = 0; i < n; i++) {
        operand[i] = ct_op_broadcast_in_dim_at(q->at, q->x[n + i], CT_DIMS(m), CT_DIMS());
        operand[n + i] = x[i];
    }
    for (size_t i = 2 * n; i < q->n_operands; i++)
        operand[i] = q->x[i];
}

void ct__fold_rows(const ct__replaced *q, ct_tensor *const *x, int64_t count, int64_t m,
                   bool running)
{
    ct__arena arena;
    ct__arena_init(&arena, &q->ctx->allocator);
    size_t n = q->n_results;
    ct_tensor **operand = CT__NEW_ARRAY(&arena, ct_tensor *, q->n_operands);
    ct_tensor **result = CT__NEW_ARRAY(&arena, ct_tensor *, 2 * n);
    if (!operand || !result)
        ct__error_memory(q->ctx, q->at, "derivative");
    else
        fold_operands(q, x, m, operand);
    bool fine = !ct_failed(q->ctx) && apply_fold(q, operand, count, m, running, result);
    for (size_t i = 0; i < n; i++)
        q->y[i] = fine ? result[running ? n + i : i] : ct__poison(q->ctx);
    ct__arena_free(&arena);
}

void ct__fold_nothing(const ct__replaced *q, ct_dims shape)
{
    for (size_t i = 0; i < q->n_results; i++)
        q->y[i] = ct_op_broadcast_in_dim_at(q->at, q->x[q->n_results + i], shape, CT_DIMS());
}

static void fold_stacked(const ct__replaced *q, ct_dims axes, int64_t n, int64_t m)
{
    ct__arena arena;
    ct__arena_init(&arena, &q->ctx->allocator);
    ct_tensor **x = CT__NEW_ARRAY(&arena, ct_tensor *, q->n_results);
    if (!x)
        ct__error_memory(q->ctx, q->at, "derivative");
    for (size_t i = 0; x && i < q->n_results; i++)
        x[i] = stacked(q->at, q->x[i], axes, n, m);
    if (x)
        ct__fold_rows(q, x, n, m, false);
    ct__arena_free(&arena);
}

static void fold_in_order(const ct__replaced *q)
{
    const ct_type *type = ct_type_of(q->x[0]);
    ct_dims axes = ct__dims(q->attrs->reduce.dimensions);
    int64_t kept[CT__MAX_RANK], dim[CT__MAX_RANK], m = 0;
    size_t rank = ct__other_axes((size_t)type->rank, axes, kept);
    for (size_t i = 0; i < rank; i++)
        dim[i] = type->dim[kept[i]];
    ct__count_elements(rank, dim, &m); /* it fits: the result has as many */
    if (m == 0) {
        ct__fold_nothing(q, (ct_dims){rank, dim});
        return;
    }
    fold_stacked(q, axes, type->size / m, m);
    for (size_t i = 0; i < q->n_results && !ct_failed(q->ctx); i++)
        q->y[i] = ct_op_reshape_at(q->at, q->y[i], (ct_dims){rank, dim});
}

/* ---- Rules. */

void ct__jvp_reduce(ct__jvp_whole *q)
{
    int kind = ct__fold_kind(q->attrs->reduce.n_inputs, q->n_operands, q->region);
    switch (kind) {
    case CT__OP_add: jvp_of_sum(q); break;
    case CT__OP_multiply: jvp_of_product(q); break;
    case CT__OP_maximum:
    case CT__OP_minimum: jvp_of_extreme(q, kind); break;
    default: ct__jvp_replaced(q, fold_in_order);
    }
}

/* Of a sum: every element gets the cotangent of its sum, init that of all sums. */
void ct__transpose_reduce(ct__transpose *q)
{
    if (ct__fold_kind(q->attrs->reduce.n_inputs, q->n_operands, q->region) != CT__OP_add) {
        ct__transpose_replaced(q, fold_in_order);
        return;
    }
    ct_dims axes = ct__dims(q->attrs->reduce.dimensions);
    if (q->linear[0])
        ct__cotangent_add(q, 0, ct__spread_axes(q->at, q->ybar[0], q->type[0], axes));
    if (q->linear[1])
        ct__cotangent_add(q, 1, ct__sum_all(q->at, q->ybar[0]));
}
