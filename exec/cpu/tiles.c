#include "exec/cpu/tiles.h"
#include "exec/cpu/share.h"
#include "exec/kernel/moves.h"

#include <string.h>

/* Where the rows from this one on are. */
static unsigned char *find(const source *s, size_t row, const void *const *in, void *const *out,
                           unsigned char *scratch)
{
    const size_t skipped = row * s->columns * s->bytes;
    switch (s->place) {
    case IN_INPUT: return (unsigned char *)(uintptr_t)in[s->index] + skipped;
    case IN_WHOLE: return (unsigned char *)(uintptr_t)in[s->index];
    case IN_RESULT: return (unsigned char *)out[s->index] + skipped;
    case IN_ALL: return out[s->index];
    default: return scratch + s->index;
    }
}

#define COPY(type)                                                                                 \
    for (size_t i = 0; i < n; i++)                                                                 \
    ((type *)(void *)y)[i] = ((const type *)(const void *)x)[(int64_t)i * stride]

/* n elements that lie `stride` apart. */
static void copy_row(size_t bytes, size_t n, unsigned char *y, const unsigned char *x,
                     int64_t stride)
{
    if (stride == 1)
        memcpy(y, x, n * bytes);
    else if (stride == 0)
        ct__fill_elements(bytes, n, y, x);
    else if (bytes == 4)
        COPY(uint32_t);
    else if (bytes == 8)
        COPY(uint64_t);
    else
        for (size_t i = 0; i < n; i++)
            memcpy(y + i * bytes, ct__at(x, bytes, (int64_t)i * stride), bytes);
}

static int64_t clamp(int64_t x, int64_t low, int64_t high)
{
    return x < low ? low : x > high ? high : x;
}

/* `n` elements of a row of the innermost axis, from position i on, whose position 0 is at `row`. */
static void load_row(const index_map *m, bool is_inside, int64_t i, size_t n, unsigned char *y,
                     const unsigned char *x, int64_t row, const unsigned char *fill)
{
    const int last = m->rank - 1;
    const int64_t end = i + (int64_t)n;
    int64_t low = i, high = is_inside ? end : i;
    if (m->is_partial && is_inside) {
        low = clamp(m->low[last], i, end);
        high = clamp(m->high[last], low, end);
    }
    if (low > i)
        ct__fill_elements(m->bytes, (size_t)(low - i), y, fill);
    if (high > low)
        copy_row(m->bytes, (size_t)(high - low), y + (size_t)(low - i) * m->bytes,
                 ct__at(x, m->bytes, row + low * m->stride[last]), m->stride[last]);
    if (end > high)
        ct__fill_elements(m->bytes, (size_t)(end - high), y + (size_t)(high - i) * m->bytes, fill);
}

/* Where the row at these coordinates begins; whether it is inside. */
static bool find_row(const index_map *m, const int64_t *index, int64_t *row)
{
    bool is_inside = true;
    *row = m->first;
    for (int d = 0; d < m->rank - 1; d++) {
        *row += index[d] * m->stride[d];
        is_inside = is_inside &&
                    (!m->is_partial || (m->low[d] <= index[d] && index[d] < m->high[d]));
    }
    return is_inside;
}

/* The elements at … at + n - 1 of the map. */
static void load(const index_map *m, size_t at, size_t n, unsigned char *y, const unsigned char *x,
                 const unsigned char *fill)
{
    int64_t index[CT__MAX_RANK], row;
    const int last = m->rank - 1;
    ct__coordinates(m->rank, m->dim, (int64_t)at, index);
    for (int64_t i = index[last]; n > 0; i = 0) {
        const size_t left = (size_t)(m->dim[last] - i), length = left < n ? left : n;
        const bool is_inside = find_row(m, index, &row);
        load_row(m, is_inside, i, length, y, x, row, fill);
        y += length * m->bytes;
        n -= length;
        if (n > 0)
            ct__next(last, m->dim, index);
    }
}

static void spread_rows(const instruction *i, size_t n, unsigned char *y, const unsigned char *x)
{
    const size_t bytes = i->result.bytes, columns = i->result.columns;
    for (size_t r = 0; r < n; r++)
        ct__fill_elements(bytes, columns, y + r * columns * bytes, x + r * bytes);
}

static void fold_rows(const ct__numerics *numerics, const instruction *i, size_t n,
                      unsigned char *y, const unsigned char *x, const unsigned char *init)
{
    const ct__fold_shape shape = {n, i->operand[0].columns, 1};
    const ct_dtype dtype = i->types[0]->dtype;
    const size_t bytes = i->result.bytes;
    ct__fill_elements(bytes, n, y, init);
    if (!ct__folds_in_any_order(i->fold, dtype))
        numerics->fold_axis(i->fold, dtype, &shape, y, x);
    else
        for (size_t r = 0; r < n; r++)
            numerics->fold(i->fold, dtype, shape.n, y + r * bytes, x + r * shape.n * bytes, 1);
}

/* The initial values, into the result. */
static void begin_result(const instruction *i, const void *const *in, void *const *out,
                         unsigned char *scratch)
{
    ct__fill_elements(i->result.bytes, i->result.columns, find(&i->result, 0, in, out, scratch),
                      find(&i->operand[1], 0, in, out, scratch));
}

static void begin_running(const instruction *i, const void *const *in, void *const *out,
                          unsigned char *scratch)
{
    ct__running_fold_begin(&i->running->fold, scratch + i->running->state);
    begin_result(i, in, out, scratch);
}

static void feed(const instruction *i, size_t n, const void *x, void *y, unsigned char *scratch)
{
    ct__running_fold_feed(&i->running->fold, scratch + i->running->state, n * i->operand[0].columns,
                          x, y);
}

static void run_on_elements(const ct__tiles *t, const instruction *i, bool is_last,
                            const void *const *operand, void *result)
{
    const ct_type *const *types = is_last ? i->last_types : i->types;
    const ct__eval q = {.numerics = t->numerics,
                        .op = i->op,
                        .attrs = i->attrs,
                        .n_operands = i->n_operands,
                        .in_type = types,
                        .in = operand,
                        .repeated = i->repeated,
                        .n_results = 1,
                        .out_type = types + i->n_operands,
                        .out = &result,
                        .plain_products = t->plain_products};
    ct__evaluate(&q); /* on elements it cannot fail */
}

/* n rows, from this one on. */
static void run_instruction(const ct__tiles *t, const instruction *i, size_t row, bool is_first,
                            bool is_last, const void *const *in, void *const *out,
                            unsigned char *scratch)
{
    const size_t n = is_last ? t->last : t->tile;
    const void *operand[3] = {NULL};
    void *last = find(&i->result, row, in, out, scratch);
    void *result = i->is_streamed ? scratch + t->waiting_at : last;
    const size_t columns = i->result.columns;
    for (size_t k = 0; k < i->n_operands; k++)
        operand[k] = find(&i->operand[k], row, in, out, scratch);
    switch (i->kind) {
    case SPREAD:
    case LOAD:
        if (is_first || !i->is_once)
            load(i->spread, row * columns, n * columns, result, operand[0], operand[1]);
        break;
    case SPREAD_ROWS: spread_rows(i, n, result, operand[0]); break;
    case FOLD_ROWS: fold_rows(t->numerics, i, n, result, operand[0], operand[1]); break;
    case FOLD_RUNNING: feed(i, n, operand[0], result, scratch); break;
    default: run_on_elements(t, i, is_last, operand, result);
    }
    if (i->is_streamed)
        ct__moves_here()->stream(last, result, n * columns * i->result.bytes);
}

void ct__tiles_begin(const ct__tiles *t, const void *const *in, void *const *out,
                     unsigned char *scratch)
{
    for (size_t i = 0; i < t->n_fillings; i++)
        ct__fill_elements(t->filling[i].bytes, t->tile * t->filling[i].columns,
                          scratch + t->filling[i].at, in[t->filling[i].input]);
    for (size_t i = 0; i < t->n_running && !t->threads; i++)
        begin_running(t->running[i], in, out, scratch);
}

void ct__tiles_begin_sharing(const ct__tiles *t, const void *const *in, void *const *out,
                             unsigned char *scratch)
{
    for (size_t i = 0; i < t->n_running; i++)
        begin_result(t->running[i], in, out, scratch);
}

void ct__tiles_begin_part(const ct__tiles *t, size_t first, unsigned char *kept,
                          unsigned char *scratch)
{
    for (size_t i = 0; i < t->n_running; i++) {
        const running *r = t->running[i]->running;
        ct__running_fold_begin_part(&r->fold, scratch + r->state,
                                    first * t->running[i]->operand[0].columns, kept + r->kept);
    }
}

void ct__tiles_end_part(const ct__tiles *t, unsigned char *scratch)
{
    for (size_t i = 0; i < t->n_running; i++)
        ct__running_fold_end_part(&t->running[i]->running->fold,
                                  scratch + t->running[i]->running->state);
}

void ct__tiles_join(const ct__tiles *t, const unsigned char *kept, const void *const *in,
                    void *const *out, unsigned char *scratch)
{
    for (size_t i = 0; i < t->n_running; i++) {
        const running *r = t->running[i]->running;
        ct__running_fold_join(&r->fold, scratch + r->state, kept + r->kept,
                              find(&t->running[i]->result, 0, in, out, scratch));
    }
}

void ct__tiles_call(const ct__tiles *t, size_t index, bool is_last, const void *const *operand,
                    void *result, unsigned char *scratch)
{
    const instruction *i = &t->instruction[index];
    const size_t n = is_last ? t->last : t->tile;
    if (i->kind == FOLD_RUNNING)
        feed(i, n, operand[0], result, scratch);
    else if (i->kind == FOLD_ROWS)
        fold_rows(t->numerics, i, n, result, operand[0], operand[1]);
    else
        run_on_elements(t, i, is_last, operand, result);
}

void ct__tiles_feed(const ct__tiles *t, size_t index, const void *lanes, void *result,
                    unsigned char *scratch)
{
    const running *r = t->instruction[index].running;
    ct__running_fold_block(&r->fold, scratch + r->state, lanes, result);
}

void ct__tiles_run_rows(const ct__tiles *t, size_t first, size_t end, const void *const *in,
                        void *const *out, unsigned char *scratch)
{
    ct__tiles_begin(t, in, out, scratch);
    for (size_t row = first; row < end; row += t->tile) {
        bool is_last = t->rows - row <= t->tile;
        for (size_t i = 0; i < t->n_instructions; i++)
            run_instruction(t, &t->instruction[i], row, row == first, is_last, in, out, scratch);
    }
    if (t->streams)
        ct__moves_here()->stream_end();
}

/* ---- Steps. */

typedef struct call {
    const ct__tiles *tiles;
    const void *const *in;
    void *const *out;
} call;

static void compute(void *user, size_t first, size_t end, unsigned char *scratch)
{
    const call *c = user;
    ct__tiles_run_rows(c->tiles, first, end, c->in, c->out, scratch);
}

static void run(const void *prepared, const void *const *in, void *const *out,
                unsigned char *scratch)
{
    const ct__tiles *t = prepared;
    call c = {t, in, out};
    ct__share_rows(
        &(ct__sharing){t, t->rows, t->unit, in, out, scratch, t->scratch_bytes, compute, &c});
}

static const void *prepare(const ct__fused *fused, ct__arena *arena, size_t *scratch_bytes)
{
    const ct__tiles *t = ct__tiles_new(fused, arena);
    if (t)
        *scratch_bytes = ct__sharing_bytes(t, t->scratch_bytes);
    return t;
}

const ct__fusion ct__tile_fusion = {.divide = ct__divide, .prepare = prepare, .run = run};
