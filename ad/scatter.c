#include "ad/scatter.h"

/* ---- Forward. */

/* A maximum or minimum: the tangent is shared evenly by all that were taken, the operand's element
 * among them. Of a skipped update nothing is counted and nothing arrives. */
typedef struct extreme {
    ct__jvp_whole *q;
    ct__site site;
    ct_tensor *before; /* what stood where the updates come, read before y is where x was; NULL:
                        * that is no small part */
    ct_tensor *taken;  /* of the updates */
} extreme;

/* f t where the mask is set, else 0 */
static ct_tensor *part(ct_place at, ct_tensor *mask, ct_tensor *f, ct_tensor *t)
{
    return ct__scale(at, t, ct_op_select_at(at, mask, f, ct__like(at, f, 0)));
}

/* dx's part of dy; *share gets 1 / count for every update. */
static ct_tensor *whole_extreme(const extreme *e, ct_tensor *dx, ct_tensor **share)
{
    ct_place at = e->q->at;
    ct_tensor *taken = ct__taken(at, e->q->x[0], e->q->y[0]);
    ct_tensor *count = ct__site_add(&e->site, ct_op_convert_at(at, taken, CT_I64),
                                    ct_op_convert_at(at, e->taken, CT_I64));
    ct_tensor *shares = ct__share(at, count, e->site.operand);
    *share = ct__site_read(&e->site, shares);
    return part(at, taken, shares, dx);
}

/* The same, and nothing done where no update comes. */
static ct_tensor *small_extreme(const extreme *e, ct_tensor *dx, ct_tensor **share)
{
    ct_place at = e->q->at;
    const ct__site *s = &e->site;
    ct_tensor *taken = ct__taken(at, e->before, ct__site_read(s, e->q->y[0]));
    ct_tensor *count = ct__site_sum(s, ct_op_convert_at(at, e->taken, CT_I64));
    count = ct_op_add_at(at, count, ct_op_convert_at(at, taken, CT_I64));
    *share = ct__share(at, count, s->operand);
    return ct__site_write(s, dx, part(at, taken, *share, ct__site_read(s, dx)));
}

static void jvp_of_extreme(ct__jvp_whole *q)
{
    ct_tensor *x = q->x[0], *update = q->x[2], *share;
    extreme e = {
        .q = q,
        .site = {q->ctx, q->at, &q->attrs->scatter, q->x[1], ct_type_of(x), ct_type_of(update)}};
    e.before = ct__site_is_small(&e.site) ? ct__site_read(&e.site, x) : NULL;
    if (!ct__primal(q))
        return;
    e.taken = ct__taken(q->at, update, ct__site_read(&e.site, q->y[0]));
    ct_tensor *dx = q->dx[0] ? q->dx[0] : ct__like(q->at, x, 0);
    q->dy[0] = e.before ? small_extreme(&e, dx, &share) : whole_extreme(&e, dx, &share);
    if (q->dx[2])
        q->dy[0] = ct__site_add(&e.site, q->dy[0], part(q->at, e.taken, share, q->dx[2]));
}

/* The kind of the body when there is one operand and nothing captured. */
static int kind_of(const ct__attrs *attrs, size_t n_operands, ct__graph *const *region)
{
    return attrs->scatter.n_inputs == 1 && n_operands == 3 ? ct__graph_body_kind(region[0])
                                                           : CT__BODY_OTHER;
}

/* ---- Any body: update after update in row-major order, on what the earlier ones have left. */

/* Elements of one window are distinct places, so those that follow one another along the last axes
 * of the updates, all in the window, are applied together, and all are where no place comes twice.
 */
typedef struct rounds {
    size_t n; /* operands */
    int64_t count, width, places;
} rounds;

static rounds rounds_of(const ct__replaced *q)
{
    const struct ct__attrs_scatter *a = &q->attrs->scatter;
    size_t n = (size_t)a->n_inputs;
    const ct_type *x = ct_type_of(q->x[0]), *update = ct_type_of(q->x[n + 1]);
    rounds r = {.n = n, .count = 1, .width = 1, .places = x->size};
    int together = update->rank;
    while (together > 0 &&
           (a->unique_indices || ct__ints_contain(a->update_window_dims, together - 1)))
        r.width *= update->dim[--together];
    r.count = update->size / r.width;
    return r;
}

/* For each update element its place, counted through all elements of x, or -1: [count, width]. */
static ct_tensor *places_of(const ct__replaced *q, const rounds *r)
{
    ct_place at = q->at;
    const ct__site s = {q->ctx,
                        at,
                        &q->attrs->scatter,
                        q->x[r->n],
                        ct_type_of(q->x[0]),
                        ct_type_of(q->x[r->n + 1])};
    if (s.attrs->strict) /* which finds what is outside; places do not */
        ct__site_read(&s, q->x[0]);
    return ct_op_reshape_at(at, ct__site_places(&s), CT_DIMS(r->count, r->width));
}

/* One round: x[i] is body(x[i], update[i]) at the places, which are distinct, or nowhere. */
static bool apply_round(const ct__replaced *q, const rounds *r, ct_tensor *place, ct_tensor **x,
                        ct_tensor *const *update, ct_tensor *const *capture, ct__arena *arena)
{
    size_t n_captures = q->n_operands - 2 * r->n - 1;
    ct_tensor **argument = CT__NEW_ARRAY(arena, ct_tensor *, 2 * r->n + n_captures);
    ct_tensor **next = CT__NEW_ARRAY(arena, ct_tensor *, r->n);
    const ct_scatter_dims dims = {.inserted_window_dims = CT_DIMS(0),
                                  .scatter_dims_to_operand_dims = CT_DIMS(0),
                                  .index_vector_dim = 1,
                                  .unique_indices = true};
    if (!argument || !next) {
        ct__error_memory(q->ctx, q->at, "derivative");
        return false;
    }
    for (size_t i = 0; i < r->n; i++) {
        argument[i] = ct__elements_at(q->at, x[i], place);
        argument[r->n + i] = update[i];
    }
    for (size_t i = 0; i < n_captures; i++)
        argument[2 * r->n + i] = capture[i];
    ct__lift(q->ctx, q->at, q->region[0], r->width, 2 * r->n, argument, next);
    for (size_t i = 0; i < r->n; i++)
        x[i] = ct_op_scatter_at(q->at, x[i], place, next[i], NULL, &dims);
    return !ct_failed(q->ctx);
}

/* (x… [places], place [width], update… [width], captures…) -> x…; NULL after an error. The operands
 * are of the scan that takes the body: of its x the rows are what the body gets. */
static ct__graph *round_body(const ct__replaced *q, const rounds *r, ct_tensor *const *operand)
{
    ct__arena arena;
    ct__session session;
    ct__graph *body = NULL;
    if (!ct__session_begin(&session, q->ctx, q->at, &arena, "round", q->region[0]))
        return NULL;
    ct_tensor **param = CT__NEW_ARRAY(&arena, ct_tensor *, q->n_operands);
    if (!param)
        ct__error_memory(q->ctx, q->at, "derivative");
    for (size_t i = 0; param && i < q->n_operands; i++) {
        ct_type row = *ct_type_of(operand[i]);
        if (i >= r->n && i < 2 * r->n + 1) {
            row.rank = 1;
            row.dim++;
            row.size = r->width;
        }
        param[i] = ct__trace_param(q->ctx, q->at, &row);
    }
    if (!ct_failed(q->ctx) &&
        apply_round(q, r, param[r->n], param, param + r->n + 1, param + 2 * r->n + 1, &arena))
        body = ct__trace_close(q->ctx, q->at, r->n, param);
    ct__session_end(&session);
    return body;
}

static void scan_rounds(const ct__replaced *q, const rounds *r, ct_tensor *const *operand)
{
    const ct__attrs attrs = {
        .scan = {.length = r->count, .n_carry = (int64_t)r->n, .n_inputs = (int64_t)r->n + 1}};
    ct__graph *body = round_body(q, r, operand);
    if (body)
        ct__apply(&(ct__request){.ctx = q->ctx,
                                 .at = q->at,
                                 .op = CT__OP_scan,
                                 .attrs = &attrs,
                                 .n_operands = q->n_operands,
                                 .operand = operand,
                                 .n_regions = 1,
                                 .region = &body},
                  q->y, r->n);
    ct__graph_release(body);
}

/* x… flat, then places and updates in rounds, then the captures. */
static ct_tensor **round_operands(const ct__replaced *q, const rounds *r, ct__arena *arena)
{
    ct_tensor **operand = CT__NEW_ARRAY(arena, ct_tensor *, q->n_operands);
    if (!operand) {
        ct__error_memory(q->ctx, q->at, "derivative");
        return NULL;
    }
    for (size_t i = 0; i < q->n_operands; i++)
        operand[i] = i < r->n        ? ct_op_reshape_at(q->at, q->x[i], CT_DIMS(r->places))
                     : i == r->n     ? places_of(q, r)
                     : i <= 2 * r->n ? ct_op_reshape_at(q->at, q->x[i], CT_DIMS(r->count, r->width))
                                     : q->x[i];
    return ct_failed(q->ctx) ? NULL : operand;
}

static void scatter_in_order(const ct__replaced *q)
{
    ct__arena arena;
    size_t n = q->n_results;
    for (size_t i = 0; i < n; i++)
        q->y[i] = q->x[i];
    if (ct_size(q->x[0]) == 0 || ct_size(q->x[n + 1]) == 0)
        return;
    const rounds r = rounds_of(q);
    ct__arena_init(&arena, &q->ctx->allocator);
    ct_tensor **operand = round_operands(q, &r, &arena);
    if (operand)
        scan_rounds(q, &r, operand);
    for (size_t i = 0; operand && i < n; i++)
        q->y[i] = ct_op_reshape_at(q->at, q->y[i], ct_shape_of(q->x[i]));
    ct__arena_free(&arena);
}

void ct__jvp_scatter(ct__jvp_whole *q)
{
    switch (kind_of(q->attrs, q->n_operands, q->region)) {
    case CT__OP_add:
    case CT__BODY_NEW: /* the last update wins in y and in dy alike: both in the same order */
        ct__jvp_linear(q);
        break;
    case CT__OP_maximum:
    case CT__OP_minimum: jvp_of_extreme(q); break;
    case CT__BODY_OLD:
        q->dy[0] = q->dx[0];
        ct__primal(q);
        break;
    default:
        if (q->attrs->scatter.strict) /* the error is its own */
            ct__jvp_replaced(q, scatter_in_order);
        else
            ct__jvp_replaced_whole(q, scatter_in_order);
    }
}

/* ---- Backward. */

static ct_tensor *cotangent_of_update(const ct__site *s, int kind, ct_tensor *ybar)
{
    ct_tensor *read = ct__site_read(s, ybar);
    if (kind == CT__OP_add || ct__site_is_distinct(s))
        return read;
    return ct_op_select_at(s->at, ct__site_last(s), read, ct__zeros(s->ctx, s->at, s->update));
}

/* Adding passes ybar on and reads the updates' part back. Overwriting is the same but for x's
 * cotangent, which is 0 where something was written, and for updates that were overwritten
 * themselves. */
void ct__transpose_scatter(ct__transpose *q)
{
    int kind = kind_of(q->attrs, q->n_operands, q->region);
    if (kind != CT__OP_add && kind != CT__BODY_NEW) {
        ct__transpose_replaced(q, scatter_in_order);
        return;
    }
    const ct__site s = {q->ctx, q->at, &q->attrs->scatter, q->x[1], q->type[0], q->type[2]};
    if (q->linear[2])
        ct__cotangent_add(q, 2, cotangent_of_update(&s, kind, q->ybar[0]));
    if (q->linear[0])
        ct__cotangent_add(
            q, 0,
            kind == CT__OP_add
                ? q->ybar[0]
                : ct__site_write(&s, q->ybar[0], ct__zeros(q->ctx, q->at, q->type[2])));
}
