#include "ad/rules.h"

/* One scatter of one operand: where its updates go. */
typedef struct site {
    ct_context *ctx;
    ct_place at;
    const struct ct__attrs_scatter *attrs;
    ct_tensor *indices;
    const ct_type *operand, *update;
} site;

static ct_scatter_dims dims_of(const site *s)
{
    const struct ct__attrs_scatter *a = s->attrs;
    return (ct_scatter_dims){
        .update_window_dims = ct__dims(a->update_window_dims),
        .inserted_window_dims = ct__dims(a->inserted_window_dims),
        .input_batching_dims = ct__dims(a->input_batching_dims),
        .scatter_indices_batching_dims = ct__dims(a->scatter_indices_batching_dims),
        .scatter_dims_to_operand_dims = ct__dims(a->scatter_dims_to_operand_dims),
        .index_vector_dim = a->index_vector_dim,
        .indices_are_sorted = a->indices_are_sorted,
        .unique_indices = a->unique_indices,
        .strict = a->strict,
    };
}

static ct_tensor *scatter_add(const site *s, ct_tensor *x, ct_tensor *update)
{
    ct_scatter_dims dims = dims_of(s);
    return ct_op_scatter_add_at(s->at, x, s->indices, update, &dims);
}

static ct_tensor *overwrite(const site *s, ct_tensor *x, ct_tensor *update)
{
    ct_scatter_dims dims = dims_of(s);
    return ct_op_scatter_at(s->at, x, s->indices, update, NULL, &dims);
}

/* ---- Reading back: for every update element what stands at its place, 0 if it was skipped. */

/* A scatter does not move a window inside, a gather does. Where windows are wider than one element
 * along an axis that is indexed, the operand gets a frame of zeros, as wide as the window, on every
 * such axis: each window, wherever it starts, is then inside or can be moved to lie wholly in the
 * frame, where it reads zeros as it did outside. */
typedef struct frame {
    int64_t window[CT__MAX_RANK];                  /* extents of a window in the operand */
    int64_t low[CT__MAX_RANK], high[CT__MAX_RANK]; /* widths */
} frame;

static frame frame_of(const site *s)
{
    const struct ct__attrs_scatter *a = s->attrs;
    bool negative = ct_dtype_is_signed(ct_dtype_of(s->indices));
    frame f = {0};
    for (int64_t d = 0, k = 0; d < s->operand->rank; d++) {
        int64_t extent = s->operand->dim[d];
        if (ct__ints_contain(a->input_batching_dims, d)) {
            f.window[d] = extent < 1 ? extent : 1;
            continue;
        }
        f.window[d] = ct__ints_contain(a->inserted_window_dims, d)
                          ? 1
                          : s->update->dim[a->update_window_dims.item[k++]];
        bool indexed = ct__ints_contain(a->scatter_dims_to_operand_dims, d) && !a->strict;
        f.low[d] = indexed && negative ? f.window[d] : 0;
        f.high[d] = indexed || extent < f.window[d] ? f.window[d] : 0;
    }
    return f;
}

/* Starts in the framed operand: clamped into [-low, extent], in i64, and moved by low. */
static ct_tensor *framed_starts(const site *s, const frame *f)
{
    const struct ct__attrs_scatter *a = s->attrs;
    size_t n = a->scatter_dims_to_operand_dims.count;
    int64_t first[CT__MAX_RANK], last[CT__MAX_RANK], shift[CT__MAX_RANK];
    for (size_t k = 0; k < n; k++) {
        int64_t d = a->scatter_dims_to_operand_dims.item[k];
        first[k] = -f->low[d];
        last[k] = s->operand->dim[d];
        shift[k] = f->low[d];
    }
    ct_tensor *start = s->indices;
    if (ct_dtype_of(start) == CT_U64) /* i64 cannot hold all of them */
        start = ct_op_minimum_at(s->at, start,
                                 ct__per_component(s->at, start, a->index_vector_dim, n, last));
    start = ct_op_convert_at(s->at, start, CT_I64);
    ct_tensor *lo = ct__per_component(s->at, start, a->index_vector_dim, n, first);
    ct_tensor *hi = ct__per_component(s->at, start, a->index_vector_dim, n, last);
    ct_tensor *by = ct__per_component(s->at, start, a->index_vector_dim, n, shift);
    return ct_op_add_at(s->at, ct_op_clamp_at(s->at, lo, start, hi), by);
}

/* Windows of x at starts that are in range, or clamped. */
static ct_tensor *gather(const site *s, const frame *f, ct_tensor *x, ct_tensor *starts)
{
    const struct ct__attrs_scatter *a = s->attrs;
    const ct_gather_dims dims = {
        .offset_dims = ct__dims(a->update_window_dims),
        .collapsed_slice_dims = ct__dims(a->inserted_window_dims),
        .operand_batching_dims = ct__dims(a->input_batching_dims),
        .start_indices_batching_dims = ct__dims(a->scatter_indices_batching_dims),
        .start_index_map = ct__dims(a->scatter_dims_to_operand_dims),
        .index_vector_dim = a->index_vector_dim,
        .slice_sizes = {(size_t)s->operand->rank, f->window},
        .strict = a->strict,
    };
    return ct_op_gather_at(s->at, x, starts, &dims);
}

/* Whether a window is one element along every axis that is indexed: it is inside or skipped. */
static bool is_all_or_nothing(const site *s, const frame *f)
{
    const ct__ints map = s->attrs->scatter_dims_to_operand_dims;
    for (size_t k = 0; k < map.count; k++)
        if (f->window[map.item[k]] != 1)
            return false;
    return s->operand->size > 0;
}

/* bool, in the updates' shape: the update is not skipped. */
static ct_tensor *inside(const site *s)
{
    const struct ct__attrs_scatter *a = s->attrs;
    int64_t last[CT__MAX_RANK], axis[CT__MAX_RANK];
    size_t n = a->scatter_dims_to_operand_dims.count;
    for (size_t k = 0; k < n; k++)
        last[k] = s->operand->dim[a->scatter_dims_to_operand_dims.item[k]] - 1;
    ct_tensor *zero = ct_zeros_at(s->at, s->ctx, ct_dtype_of(s->indices), CT_SHAPE());
    ct_tensor *bound = ct__per_component(s->at, s->indices, a->index_vector_dim, n, last);
    ct_tensor *is_in = ct_op_compare_at(s->at, ct_op_clamp_at(s->at, zero, s->indices, bound),
                                        s->indices, CT_EQ, CT_COMPARE_DEFAULT);
    if ((size_t)a->index_vector_dim < ct_rank(s->indices))
        is_in = ct_op_reduce_min_at(s->at, is_in, CT_DIMS(a->index_vector_dim));
    size_t rank = ct__other_axes((size_t)s->update->rank, ct__dims(a->update_window_dims), axis);
    return ct_op_broadcast_in_dim_at(
        s->at, is_in, (ct_dims){(size_t)s->update->rank, s->update->dim}, (ct_dims){rank, axis});
}

static ct_tensor *read_back(const site *s, ct_tensor *y)
{
    const struct ct__attrs_scatter *a = s->attrs;
    frame f = frame_of(s);
    size_t rank = (size_t)s->operand->rank;
    static const int64_t none[CT__MAX_RANK];
    if (a->strict) /* a place outside is an error */
        return gather(s, &f, y, s->indices);
    if (is_all_or_nothing(s, &f)) {
        ct_tensor *read = gather(s, &f, y, s->indices);
        return ct_op_select_at(s->at, inside(s), read, ct__like(s->at, read, 0));
    }
    ct_tensor *zero = ct_zeros_at(s->at, s->ctx, ct_dtype_of(y), CT_SHAPE());
    ct_tensor *framed = ct_op_pad_at(s->at, y, zero, (ct_dims){rank, f.low},
                                     (ct_dims){rank, f.high}, (ct_dims){rank, none});
    return gather(s, &f, framed, framed_starts(s, &f));
}

/* ---- Forward. */

/* A maximum or minimum: the tangent is shared evenly by all that were taken, the operand's element
 * among them. Of a skipped update nothing is counted and nothing arrives. */
static void jvp_of_extreme(ct__jvp_whole *q)
{
    if (!ct__primal(q))
        return;
    ct_tensor *x = q->x[0], *update = q->x[2], *y = q->y[0];
    site s = {q->ctx, q->at, &q->attrs->scatter, q->x[1], ct_type_of(x), ct_type_of(update)};
    ct_tensor *taken_x = ct__taken(q->at, x, y);
    ct_tensor *taken_update = ct__taken(q->at, update, read_back(&s, y));
    ct_tensor *count = scatter_add(&s, ct_op_convert_at(q->at, taken_x, CT_I64),
                                   ct_op_convert_at(q->at, taken_update, CT_I64));
    ct_tensor *share = ct__share(q->at, count, s.operand);
    ct_tensor *part_x = ct_op_select_at(q->at, taken_x, share, ct__like(q->at, x, 0));
    ct_tensor *part_update = ct_op_select_at(q->at, taken_update, read_back(&s, share),
                                             ct__like(q->at, update, 0));
    ct_tensor *dx = q->dx[0] ? ct__scale(q->at, q->dx[0], part_x) : ct__like(q->at, x, 0);
    q->dy[0] = q->dx[2] ? scatter_add(&s, dx, ct__scale(q->at, q->dx[2], part_update)) : dx;
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
    const site s = {q->ctx,
                    at,
                    &q->attrs->scatter,
                    q->x[r->n],
                    ct_type_of(q->x[0]),
                    ct_type_of(q->x[r->n + 1])};
    ct_dtype dtype = r->places < INT32_MAX ? CT_I32 : CT_I64;
    ct_tensor *number = ct_op_iota_at(at, q->ctx, dtype, CT_DIMS(r->places), 0);
    number = ct_op_add_at(at, number, ct__like(at, number, 1)); /* what is skipped reads 0 */
    number = read_back(&s, ct_op_reshape_at(at, number, ct_shape_of(q->x[0])));
    number = ct_op_subtract_at(at, number, ct__like(at, number, 1));
    return ct_op_reshape_at(at, number, CT_DIMS(r->count, r->width));
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
    default: ct__jvp_replaced(q, scatter_in_order);
    }
}

/* ---- Backward. */

/* Which updates were the last at their place: scatter their numbers and see which came back. */
static ct_tensor *winners(const site *s)
{
    ct_dtype dtype = s->update->size <= INT32_MAX ? CT_I32 : CT_I64;
    ct_tensor *numbers = ct_op_iota_at(s->at, s->ctx, dtype, CT_SHAPE(s->update->size), 0);
    numbers = ct_op_reshape_at(s->at, numbers, (ct_dims){(size_t)s->update->rank, s->update->dim});
    ct_type places = *s->operand;
    places.dtype = dtype;
    ct_tensor *written = overwrite(s, ct__zeros(s->ctx, s->at, &places), numbers);
    return ct_op_compare_at(s->at, read_back(s, written), numbers, CT_EQ, CT_COMPARE_DEFAULT);
}

/* Whether no place is written twice. */
static bool is_distinct(const site *s)
{
    int64_t window = 1;
    for (size_t i = 0; i < s->attrs->update_window_dims.count; i++)
        window *= s->update->dim[s->attrs->update_window_dims.item[i]];
    return s->attrs->unique_indices || s->update->size == window;
}

static ct_tensor *cotangent_of_update(const site *s, int kind, ct_tensor *ybar)
{
    ct_tensor *read = read_back(s, ybar);
    if (kind == CT__OP_add || is_distinct(s))
        return read;
    return ct_op_select_at(s->at, winners(s), read, ct__zeros(s->ctx, s->at, s->update));
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
    site s = {q->ctx, q->at, &q->attrs->scatter, q->x[1], q->type[0], q->type[2]};
    if (q->linear[2])
        ct__cotangent_add(q, 2, cotangent_of_update(&s, kind, q->ybar[0]));
    if (q->linear[0])
        ct__cotangent_add(q, 0,
                          kind == CT__OP_add
                              ? q->ybar[0]
                              : overwrite(&s, q->ybar[0], ct__zeros(q->ctx, q->at, q->type[2])));
}
