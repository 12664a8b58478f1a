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

/* A scatter does not move a window inside, a gather does. So the operand gets a frame of zeros, as
 * wide as the window, on every axis that is indexed: each window, wherever it starts, is then
 * inside or can be moved to lie wholly in the frame, where it reads zeros as it did outside. */
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

static ct_tensor *read_back(const site *s, ct_tensor *y)
{
    const struct ct__attrs_scatter *a = s->attrs;
    frame f = frame_of(s);
    size_t rank = (size_t)s->operand->rank;
    static const int64_t none[CT__MAX_RANK];
    ct_gather_dims dims = {
        .offset_dims = ct__dims(a->update_window_dims),
        .collapsed_slice_dims = ct__dims(a->inserted_window_dims),
        .operand_batching_dims = ct__dims(a->input_batching_dims),
        .start_indices_batching_dims = ct__dims(a->scatter_indices_batching_dims),
        .start_index_map = ct__dims(a->scatter_dims_to_operand_dims),
        .index_vector_dim = a->index_vector_dim,
        .slice_sizes = {rank, f.window},
        .strict = a->strict, /* then no frame is needed: a place outside is an error */
    };
    ct_tensor *zero = ct_zeros_at(s->at, s->ctx, ct_dtype_of(y), CT_SHAPE());
    ct_tensor *framed = ct_op_pad_at(s->at, y, zero, (ct_dims){rank, f.low},
                                     (ct_dims){rank, f.high}, (ct_dims){rank, none});
    ct_tensor *starts = a->strict ? s->indices : framed_starts(s, &f);
    return ct_op_gather_at(s->at, framed, starts, &dims);
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
    default: ct__jvp_fail(q, "a derivative of scatter with this body is not available");
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

static ct_tensor *cotangent_of_update(const site *s, int kind, ct_tensor *ybar)
{
    ct_tensor *read = read_back(s, ybar);
    if (kind == CT__OP_add || s->attrs->unique_indices)
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
        ct__error(q->ctx, q->at, CT_ERR_RULE,
                  "a derivative of scatter with this body is not available");
        return;
    }
    site s = {q->ctx, q->at, &q->attrs->scatter, q->x[1], q->type[0], q->type[2]};
    if (q->linear[0])
        ct__cotangent_add(q, 0,
                          kind == CT__OP_add
                              ? q->ybar[0]
                              : overwrite(&s, q->ybar[0], ct__zeros(q->ctx, q->at, q->type[2])));
    if (q->linear[2])
        ct__cotangent_add(q, 2, cotangent_of_update(&s, kind, q->ybar[0]));
}
