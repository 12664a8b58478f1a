#include "exec/interpret/places.h"
#include "ops/windows.h"

#include <string.h>

/* How update axis d moves: along the operand's axis when it is in the window, else along the
 * position of the index vector, and perhaps along a batching axis of the operand as well. */
typedef struct update_axis {
    bool in_window;
    int axis;     /* of the operand, or of the positions */
    int batching; /* of the operand; -1: none */
} update_axis;

typedef struct scatter {
    size_t n; /* operands, and updates */
    const ct_type *x, *update;
    ct__index_vectors vectors;
    ct__ints map;
    int64_t index_vector_dim;
    int64_t x_stride[CT__MAX_RANK];
    int64_t size[CT__MAX_RANK]; /* of a window along the operand's axes */
    update_axis axis[CT__MAX_RANK];
    int body_kind;
    ct__scalar_body body;
} scatter;

/* Adjacent elements of the updates that meet elements of the operand one stride apart. */
typedef struct run {
    int64_t count, x_at, x_stride, update_at;
} run;

/* The operand's axis that goes with this axis of the positions; -1: none. */
static int batching_axis(const struct ct__attrs_scatter *a, int position)
{
    for (size_t i = 0; i < a->scatter_indices_batching_dims.count; i++) {
        int64_t axis = a->scatter_indices_batching_dims.item[i];
        if (axis - (axis > a->index_vector_dim) == position)
            return (int)a->input_batching_dims.item[i];
    }
    return -1;
}

static void begin(const ct__eval *q, scatter *s)
{
    const struct ct__attrs_scatter *a = &q->attrs->scatter;
    size_t n = (size_t)a->n_inputs;
    int operand_axis[CT__MAX_RANK], windows = 0, positions = 0;
    const ct__windows w = {.operand = q->in_type[0],
                           .inserted = {"", a->inserted_window_dims},
                           .batching = {"", a->input_batching_dims}};

    *s = (scatter){.n = n,
                   .x = q->in_type[0],
                   .update = q->in_type[n + 1],
                   .map = a->scatter_dims_to_operand_dims,
                   .index_vector_dim = a->index_vector_dim,
                   .body_kind = ct__body_kind(q, n)};
    ct__index_vectors_begin(&s->vectors, q->in_type[n], q->in[n], a->index_vector_dim);
    ct__row_major(s->x->rank, s->x->dim, s->x_stride);
    ct__window_operand_axes(&w, operand_axis);
    for (int d = 0; d < s->x->rank; d++)
        s->size[d] = 1;
    for (int d = 0; d < s->update->rank; d++) {
        if (ct__ints_contain(a->update_window_dims, d)) {
            s->axis[d] = (update_axis){true, operand_axis[windows++], -1};
            s->size[s->axis[d].axis] = s->update->dim[d];
        } else {
            s->axis[d] = (update_axis){false, positions, batching_axis(a, positions)};
            positions++;
        }
    }
    ct__scalar_body_begin(&s->body, q, n, 2 * n + 1);
}

/* Any element of a window outside is an error. */
static bool audit(const ct__eval *q, const scatter *s)
{
    int64_t last[CT__MAX_RANK];

    for (size_t k = 0; k < s->map.count; k++)
        last[k] = s->x->dim[s->map.item[k]] - s->size[s->map.item[k]];
    return ct__index_vectors_audit(q, &s->vectors, s->index_vector_dim, last);
}

/* Of any sign; an index beyond int64_t is its largest value, which is outside as well. */
static int64_t load_start(ct_dtype dtype, const void *element)
{
    int64_t start;

    if (!ct_dtype_is_signed(dtype))
        return ct__clamp_index(dtype, element, INT64_MAX);
    ct__reference_numerics.convert(CT_I64, dtype, 1, &start, element);
    return start;
}

/* The corner of the window that the update at `index` belongs to. */
static void find_start(const scatter *s, const int64_t *index, int64_t *start)
{
    const ct__index_vectors *v = &s->vectors;
    int64_t vector = 0;

    for (int d = 0; d < s->x->rank; d++)
        start[d] = 0;
    for (int d = 0; d < s->update->rank; d++)
        if (!s->axis[d].in_window)
            vector += index[d] * v->stride[s->axis[d].axis];
    for (size_t k = 0; k < s->map.count; k++)
        start[s->map.item[k]] = load_start(
            v->type->dtype,
            ct__at(v->data, v->element_bytes, vector + (int64_t)k * v->entry_stride));
    for (int d = 0; d < s->update->rank; d++)
        if (s->axis[d].batching >= 0)
            start[s->axis[d].batching] = index[d];
}

/* The offset of the element at start + coordinate; false when it is outside. */
static bool find_element(const scatter *s, const int64_t *start, const int64_t *coordinate,
                         int64_t *at)
{
    *at = 0;
    for (int d = 0; d < s->x->rank; d++) {
        if (start[d] >= s->x->dim[d] || start[d] + coordinate[d] < 0 ||
            coordinate[d] >= s->x->dim[d] - start[d])
            return false;
        *at += (start[d] + coordinate[d]) * s->x_stride[d];
    }
    return true;
}

/* The part of a row of updates, of `count` elements from `index` on, that lies inside. The row runs
 * along the last axis when that is in the window, and is one element otherwise. */
static bool find_run(const scatter *s, const int64_t *index, int64_t count, run *r)
{
    int64_t start[CT__MAX_RANK], coordinate[CT__MAX_RANK] = {0}, first = 0;
    int last = s->update->rank - 1;

    find_start(s, index, start);
    for (int d = 0; d < s->update->rank; d++)
        if (s->axis[d].in_window)
            coordinate[s->axis[d].axis] = index[d];
    r->x_stride = 1;
    if (last >= 0 && s->axis[last].in_window) {
        int axis = s->axis[last].axis;
        r->x_stride = s->x_stride[axis];
        if (start[axis] <= -count)
            return false;
        if (start[axis] < 0)
            first = -start[axis];
        if (start[axis] > s->x->dim[axis] - count)
            count = s->x->dim[axis] - start[axis];
        coordinate[axis] = first;
    }
    r->count = count - first;
    r->update_at += first;
    return r->count > 0 && find_element(s, start, coordinate, &r->x_at);
}

static void overwrite(const ct__eval *q, const run *r, size_t bytes)
{
    ct__box box;

    ct__box_begin(&box, bytes);
    ct__box_axis(&box, r->count, r->x_stride, 1);
    ct__box_copy(&box, ct__at(q->out[0], bytes, r->x_at), ct__at(q->in[2], bytes, r->update_at));
}

/* Elements of one run are distinct, so they may be updated together. */
static void combine(const ct__eval *q, const scatter *s, const run *r, size_t bytes)
{
    int64_t calls = r->x_stride == 1 ? 1 : r->count, per_call = r->count / calls;
    ct__op op = ct__arithmetic(q, (ct__op)s->body_kind);

    for (int64_t i = 0; i < calls; i++) {
        void *x = ct__at(q->out[0], bytes, r->x_at + i * r->x_stride);
        q->numerics->binary(op, s->x->dtype, (size_t)per_call, x, x, 1,
                            ct__at(q->in[2], bytes, r->update_at + i), 1);
    }
}

static bool run_body(const ct__eval *q, const scatter *s, const run *r)
{
    for (int64_t i = 0; i < r->count; i++) {
        for (size_t j = 0; j < s->n; j++) {
            size_t bytes = q->numerics->element_bytes(q->in_type[j]->dtype);
            s->body.param[j] = ct__at(q->out[j], bytes, r->x_at + i * r->x_stride);
            s->body.param[s->n + j] = ct__at(q->in[s->n + 1 + j], bytes, r->update_at + i);
        }
        if (!ct__scalar_body_run(&s->body, q))
            return false;
    }
    return true;
}

static bool apply(const ct__eval *q, const scatter *s, const run *r)
{
    size_t bytes = q->numerics->element_bytes(s->x->dtype);

    if (s->body_kind == CT__BODY_OTHER)
        return run_body(q, s, r);
    if (s->body_kind == CT__BODY_NEW)
        overwrite(q, r, bytes);
    else if (s->body_kind != CT__BODY_OLD)
        combine(q, s, r, bytes);
    return true;
}

/* ---- Windows that are one element wide along the axes that indices move them: they meet only
 * where they are the same, so that all runs at one coordinate may be applied together, in order. */

static bool has_narrow_windows(const scatter *s)
{
    bool narrow = s->n == 1 && s->body_kind != CT__BODY_OTHER;

    for (size_t k = 0; k < s->map.count; k++)
        narrow = narrow && s->size[s->map.item[k]] == 1;
    return narrow;
}

/* Fills the places, and the window from the updates to the operand. */
static void begin_narrow(const ct__eval *q, const scatter *s, ct__places *p, ct__box *window)
{
    int64_t stride[CT__MAX_RANK];

    *p = (ct__places){.vectors = s->vectors, .skips = true};
    ct__row_major(s->update->rank, s->update->dim, stride);
    ct__box_begin(window, q->numerics->element_bytes(s->x->dtype));
    for (size_t k = 0; k < s->map.count; k++) {
        p->last[k] = s->x->dim[s->map.item[k]] - 1;
        p->step[k] = s->x_stride[s->map.item[k]];
    }
    for (int d = 0; d < s->update->rank; d++) {
        const update_axis *axis = &s->axis[d];
        if (axis->in_window) {
            ct__box_axis(window, s->update->dim[d], stride[d], s->x_stride[axis->axis]);
            continue;
        }
        p->y_step[axis->axis] = stride[d];
        p->x_step[axis->axis] = axis->batching >= 0 ? s->x_stride[axis->batching] : 0;
    }
    ct__places_begin(p);
}

/* Runs of `length` elements of x and of the updates, one for each place of the block. */
static void apply_runs(const ct__eval *q, const scatter *s, const ct__places_block *b,
                       int64_t length, void *x, const void *update)
{
    const size_t bytes = q->numerics->element_bytes(s->x->dtype), n = (size_t)length;
    const ct__op op = ct__arithmetic(q, (ct__op)s->body_kind);

    for (size_t i = 0; i < b->n; i++) {
        const void *from = ct__at(update, bytes, (int64_t)i * b->y_step);
        void *to = ct__at(x, bytes, b->at[i] < 0 ? 0 : b->at[i]);
        if (b->at[i] < 0)
            continue;
        if (s->body_kind == CT__BODY_NEW)
            memcpy(to, from, n * bytes);
        else
            q->numerics->binary(op, s->x->dtype, n, to, to, 1, from, 1);
    }
}

/* Loops of sums are for elements of the dtype itself. */
static bool adds_floats(const ct__eval *q, const scatter *s)
{
    return s->body_kind == CT__OP_add && !q->numerics->has_own_elements &&
           (s->x->dtype == CT_F32 || s->x->dtype == CT_F64);
}

static void apply_block(const ct__eval *q, const scatter *s, const ct__box *window,
                        const ct__places_block *b)
{
    const bool adds = adds_floats(q, s);
    const ct__runs runs = ct__runs_of(window);
    int64_t index[CT__MAX_RANK] = {0};

    do {
        int64_t x_at = 0, update_at = b->y;
        for (int d = 0; d < runs.outer; d++) {
            x_at += index[d] * window->from[d];
            update_at += index[d] * window->to[d];
        }
        void *x = ct__at(q->out[0], window->bytes, x_at);
        const void *update = ct__at(q->in[2], window->bytes, update_at);
        if (!adds)
            apply_runs(q, s, b, runs.length, x, update);
        else if (s->x->dtype == CT_F32)
            ct__moves_here()->add_rows_f32(b->n, (size_t)runs.length, x, b->at, update, b->y_step);
        else
            ct__moves_here()->add_rows_f64(b->n, (size_t)runs.length, x, b->at, update, b->y_step);
    } while (ct__next(runs.outer, window->dim, index));
}

/* ---- Shared by threads, each with its own part of the operand, and every element in the order of
 * the vectors: parts are rows of positions where these are apart in the operand, else stretches of
 * places. */

enum { SHARED_BYTES = 1 << 20 };

typedef struct sharing {
    const ct__eval *q;
    const scatter *s;
    ct__places places;
    ct__box window;
    size_t parts;
    bool by_rows, is_indexed;
    bool fills;    /* rows of the operand, with the element that stands for all */
    int64_t reach; /* places are below */
} sharing;

/* One more than how far windows lie apart that have the same position on axis 0. */
static int64_t find_reach(const sharing *a, int first_axis)
{
    const ct__places *p = &a->places;
    int64_t reach = 1;

    for (int64_t k = 0; k < p->vectors.entries; k++)
        reach += p->last[k] * p->step[k];
    for (int d = first_axis; d < p->rank; d++)
        reach += (p->dim[d] - 1) * p->x_step[d];
    return reach;
}

static bool rows_are_apart(const sharing *a)
{
    int64_t window = 0;

    for (int d = 0; d < a->window.rank; d++)
        window += (a->window.dim[d] - 1) * a->window.from[d];
    return a->places.dim[0] >= (int64_t)a->parts &&
           find_reach(a, 1) + window <= a->places.x_step[0];
}

/* Leaves out the places that are not in [low, high). */
static void keep_between(ct__places_block *block, int64_t low, int64_t high)
{
    for (size_t i = 0; i < block->n; i++)
        block->at[i] = block->at[i] >= low && block->at[i] < high ? block->at[i] : CT__NOWHERE;
}

/* The vectors from number `first` to number `end`. */
static void scatter_blocks(const sharing *a, int64_t first, int64_t end, int64_t low, int64_t high)
{
    ct__places places = a->places;
    ct__places_block block;

    ct__places_limit(&places, first, end);
    while (ct__places_next(&places, &block)) {
        if (low > 0 || high < a->reach)
            keep_between(&block, low, high);
        apply_block(a->q, a->s, &a->window, &block);
    }
}

/* Sums of elements, at adjacent indices of 32 bits that move nothing else. */
static bool adds_indexed(const sharing *a)
{
    return adds_floats(a->q, a->s) && a->window.rank == 0 && ct__places_are_indexed(&a->places);
}

static void add_indexed(const sharing *a, int64_t first, int64_t end)
{
    const ct__moves *moves = ct__moves_here();
    ct__places p = a->places;
    ct__places_row row;

    ct__places_limit(&p, first, end);
    while (ct__places_next_row(&p, INT64_MAX, &row)) {
        const size_t bytes = a->window.bytes;
        const int32_t *index = ct__at(p.vectors.data, sizeof *index, row.vector);
        void *x = ct__at(a->q->out[0], bytes, row.x);
        const void *update = ct__at(a->q->in[2], bytes, row.y);
        if (bytes == sizeof(float))
            moves->add_indexed_f32((size_t)row.n, x, index, (int32_t)p.last[0], (uint32_t)p.step[0],
                                   update);
        else
            moves->add_indexed_f64((size_t)row.n, x, index, (int32_t)p.last[0], (uint32_t)p.step[0],
                                   update);
    }
}

/* The row of the operand that one row of positions has for itself. */
static void fill_row(const sharing *a, int64_t row)
{
    const int64_t size = a->places.x_step[0];
    const size_t bytes = a->window.bytes;

    ct__fill_elements(bytes, (size_t)size, ct__at(a->q->out[0], bytes, row * size), a->q->in[0]);
}

static void scatter_rows(const sharing *a, int64_t first, int64_t end)
{
    const int64_t each = a->places.left / a->places.dim[0];

    for (int64_t row = first; row < end; row++) {
        if (a->fills)
            fill_row(a, row);
        if (a->is_indexed)
            add_indexed(a, row * each, (row + 1) * each);
        else
            scatter_blocks(a, row * each, (row + 1) * each, 0, a->reach);
    }
}

static void scatter_part(void *user, size_t index, size_t worker)
{
    const sharing *a = user;
    const int64_t part = (int64_t)index, parts = (int64_t)a->parts, rows = a->places.dim[0];

    (void)worker;
    if (a->by_rows)
        scatter_rows(a, rows * part / parts, rows * (part + 1) / parts);
    else if (parts > 1)
        scatter_blocks(a, 0, a->places.left, a->reach / parts * part,
                       part + 1 < parts ? a->reach / parts * (part + 1) : a->reach);
    else if (a->is_indexed)
        add_indexed(a, 0, a->places.left);
    else
        scatter_blocks(a, 0, a->places.left, 0, a->reach);
}

/* The result is the operand already, but for rows of which each is filled when it is its turn. */
static void scatter_narrow(const ct__eval *q, const scatter *s)
{
    const bool shares = ct__value_bytes(q->numerics, s->update) >= SHARED_BYTES;
    sharing a = {.q = q, .s = s, .parts = shares ? ct__threads_count(q->threads) : 1};

    begin_narrow(q, s, &a.places, &a.window);
    a.by_rows = rows_are_apart(&a);
    a.reach = find_reach(&a, 0);
    a.is_indexed = adds_indexed(&a);
    a.fills = a.by_rows && a.window.rank == 0 && q->repeated & 1 &&
              a.places.dim[0] * a.places.x_step[0] == s->x->size;
    if (!a.fills)
        ct__begin_as_operand(q, 0);
    ct__parallel(q->threads, a.parts, scatter_part, &a);
}

/* ---- Any windows. */

/* Updates are applied in row-major order. Each element that would land outside is skipped. */
static bool scatter_any(const ct__eval *q, const scatter *s)
{
    int64_t index[CT__MAX_RANK] = {0}, row = 1;
    int outer = s->update->rank;

    if (outer > 0 && s->axis[outer - 1].in_window)
        row = s->update->dim[--outer];
    for (int64_t at = 0; at < s->update->size; at += row) {
        run r = {.update_at = at};
        if (find_run(s, index, row, &r) && !apply(q, s, &r))
            return false;
        ct__next(outer, s->update->dim, index);
    }
    return true;
}

bool ct__scatter_scratch(const ct__eval *q, size_t *bytes)
{
    *bytes = ct__scalar_body_bytes(q, (size_t)q->attrs->scatter.n_inputs);
    return true;
}

bool ct__meaning_scatter(const ct__eval *q)
{
    scatter s;

    begin(q, &s);
    if (q->attrs->scatter.strict && s.update->size > 0 && !audit(q, &s))
        return false;
    for (size_t i = 0; i < s.n; i++)
        ct__begin_as_operand(q, i);
    if (s.update->size == 0 || s.x->size == 0 || s.body_kind == CT__BODY_OLD)
        return true; /* updates of nothing are all outside */
    if (!has_narrow_windows(&s))
        return scatter_any(q, &s);
    scatter_narrow(q, &s);
    return true;
}
