/* Scans of which the reverse derivative keeps less:
 *
 *   √n        a scan of segments of k rows, each a checkpoint of a scan; what is left over is a
 *             shorter segment
 *   binomial  F(l, s), l rows with s carries to keep, is F(b, s - 1) after a checkpoint of F(a, s),
 *             where a + b = l (Griewank and Walther, "revolve"): with β(s, t) = (s+t)!/(s! t!) the
 *             smallest t of l <= β(s, t) says how often a row is done again, and b = β(s - 1, t) */
#include "ad/reverse_loops.h"

#include <math.h>
#include <string.h>

/* ---- scan: slices of rows. */

/* x with its rows from `first` to `end`; x itself for all of them. */
static ct_tensor *rows(const ct__loop_site *s, ct_tensor *x, int64_t first, int64_t end)
{
    int64_t low[CT__MAX_RANK] = {first}, high[CT__MAX_RANK], step[CT__MAX_RANK];
    size_t rank = (size_t)x->type->rank;
    if (first == 0 && end == x->type->dim[0])
        return x;
    for (size_t d = 0; d < rank; d++) {
        high[d] = d == 0 ? end : x->type->dim[d];
        step[d] = 1;
    }
    return ct_op_slice_at(s->node->at, x, (ct_dims){rank, low}, (ct_dims){rank, high},
                          (ct_dims){rank, step});
}

/* x [n,…] as [count,n / count,…], or [a,b,…] as [a b,…] for a count of 0. */
static ct_tensor *regrouped(const ct__loop_site *s, ct_tensor *x, int64_t count)
{
    const ct_type *type = x->type;
    int64_t dim[CT__MAX_RANK + 1];
    size_t rank = (size_t)type->rank, from = count > 0 ? 1 : 2, to = count > 0 ? 2 : 1;
    dim[0] = count > 0 ? count : ct__mul_extents(type->dim[0], type->dim[1]);
    if (count > 0)
        dim[1] = type->dim[0] / count;
    for (size_t d = from; d < rank; d++)
        dim[to++] = type->dim[d];
    return ct_op_reshape_at(s->node->at, x, (ct_dims){to, dim});
}

static size_t n_outputs(const ct__loop_site *s)
{
    return s->node->n_results - s->loop.n_carry;
}

/* Whether rows can be cut: all x and y are tensors of a rank that has room for one axis more. */
static bool has_rows(const ct__loop_site *s)
{
    const ct__graph *body = s->body[0];
    bool fine = true;
    for (size_t i = 0; i < s->loop.n_inputs; i++) {
        const ct_type *type = s->operand[s->loop.n_carry + i]->type;
        fine = fine && type->kind == CT__TENSOR && type->rank < CT__MAX_RANK;
    }
    for (size_t i = s->loop.n_carry; i < body->n_results; i++) {
        const ct_type *type = ct__result_type(body, i);
        fine = fine && type->kind == CT__TENSOR && type->rank + 2 <= CT__MAX_RANK;
    }
    return fine;
}

/* A parameter of the type but with `count` rows. */
static ct_tensor *rows_param(const ct__loop_site *s, const ct_type *type, int64_t count)
{
    int64_t dim[CT__MAX_RANK];
    memcpy(dim, type->dim, (size_t)type->rank * sizeof *dim);
    dim[0] = count;
    const ct_type *fresh = ct__type(s->w->arena, type->dtype, type->rank, dim);
    if (!fresh) {
        ct__loops_memory(s->w);
        return ct__poison(s->w->ctx);
    }
    ct_type cut = *fresh;
    cut.quantized = type->quantized;
    return ct__site_param(s, &cut);
}

/* The scan on `count` rows: parameters as the loop's operands, with so many rows. */
bool ct__scan_params(const ct__loop_site *s, int64_t count, ct_tensor **list)
{
    for (size_t i = 0; i < s->node->n_operands; i++) {
        bool is_cut = i >= s->loop.n_carry && i < ct__first_capture(&s->loop);
        list[i] = is_cut ? rows_param(s, s->operand[i]->type, count)
                         : ct__trace_param_like(s->w->ctx, s->node->at, s->body[0], i);
    }
    return !ct_failed(s->w->ctx);
}

static bool scan_rows(const ct__loop_site *s, int64_t count, ct_tensor *const *operand,
                      ct_tensor **result)
{
    ct__attrs attrs = *s->node->attrs;
    attrs.scan.length = count;
    return ct__site_apply(s, CT__OP_scan, &attrs, (ct_list){s->node->n_operands, operand}, 1,
                          s->body, result, s->node->n_results);
}

static ct__graph *plain_scan(const ct__loop_site *s, int64_t count, ct__arena *arena)
{
    ct_tensor **list = CT__NEW_ARRAY(arena, ct_tensor *, s->node->n_operands);
    ct_tensor **result = CT__NEW_ARRAY(arena, ct_tensor *, s->node->n_results);
    if (!list || !result) {
        ct__loops_memory(s->w);
        return NULL;
    }
    if (!ct__scan_params(s, count, list) || !scan_rows(s, count, list, result))
        return NULL;
    return ct__trace_close(s->w->ctx, s->node->at, s->node->n_results, result);
}

/* ---- scan, √n. carry: in and out. y: of these rows. */

typedef struct progress {
    ct_tensor **carry, **y;
} progress;

/* The segments, which the graph has, of k rows, up to row m k. */
static bool run_segments(const ct__loop_site *s, ct__graph *body, int64_t m, int64_t k, progress *p,
                         ct__arena *arena)
{
    size_t n = s->node->n_operands, n_carry = s->loop.n_carry;
    ct_tensor **operand = CT__NEW_ARRAY(arena, ct_tensor *, n);
    ct_tensor **result = CT__NEW_ARRAY(arena, ct_tensor *, s->node->n_results);
    ct__attrs attrs = *s->node->attrs;
    if (!operand || !result)
        return ct__loops_memory(s->w);
    attrs.scan.length = m;
    for (size_t i = 0; i < n; i++)
        operand[i] = i < n_carry ? p->carry[i]
                     : i < ct__first_capture(&s->loop)
                         ? regrouped(s, rows(s, s->operand[i], 0, m * k), m)
                         : s->operand[i];
    bool fine = body && ct__site_apply(s, CT__OP_scan, &attrs, (ct_list){n, operand}, 1, &body,
                                       result, s->node->n_results);
    for (size_t i = 0; fine && i < s->node->n_results; i++)
        *(i < n_carry ? &p->carry[i]
                      : &p->y[i - n_carry]) = i < n_carry ? result[i] : regrouped(s, result[i], 0);
    return fine;
}

/* The rows from `first` on: a graph of theirs, applied. */
static bool run_rows(const ct__loop_site *s, ct__graph *graph, int64_t first, int64_t end,
                     progress *p, ct__arena *arena)
{
    size_t n = s->node->n_operands, n_carry = s->loop.n_carry;
    ct_tensor **operand = CT__NEW_ARRAY(arena, ct_tensor *, n);
    ct_tensor **result = CT__NEW_ARRAY(arena, ct_tensor *, s->node->n_results);
    if (!operand || !result)
        return ct__loops_memory(s->w);
    for (size_t i = 0; i < n; i++)
        operand[i] = i < n_carry                       ? p->carry[i]
                     : i < ct__first_capture(&s->loop) ? rows(s, s->operand[i], first, end)
                                                       : s->operand[i];
    if (!graph || !ct__replay(s->w->ctx, s->node->at, graph, operand, result))
        return false;
    for (size_t i = 0; i < s->node->n_results; i++)
        *(i < n_carry ? &p->carry[i] : &p->y[i - n_carry]) = result[i];
    return true;
}

static bool begin_progress(const ct__loop_site *s, progress *p, ct__arena *arena)
{
    p->carry = CT__NEW_ARRAY(arena, ct_tensor *, s->loop.n_carry);
    p->y = CT__NEW_ARRAY(arena, ct_tensor *, n_outputs(s));
    if (!p->carry || !p->y)
        return ct__loops_memory(s->w);
    for (size_t i = 0; i < s->loop.n_carry; i++)
        p->carry[i] = s->operand[i];
    return true;
}

/* The y of the lower rows, then those of the others; NULL: there are none. */
static ct_tensor *joined(const ct__loop_site *s, ct_tensor *low, ct_tensor *high)
{
    return !low || !high ? (low ? low : high)
                         : ct_op_concatenate_at(s->node->at, CT_ARGV(low, high), 0);
}

/* The graph of a checkpoint of so many rows; owned. */
typedef ct__graph *make_segment(const ct__loop_site *s, void *user, int64_t rows);

static bool scan_in(const ct__loop_site *s, int64_t k, make_segment *make, void *user,
                    ct_tensor **result)
{
    int64_t length = s->node->attrs->scan.length, m = length / k, cut = m * k;
    bool is_reverse = s->node->attrs->scan.is_reverse;
    ct__arena *arena = s->w->arena;
    progress low, high;
    ct__graph *segment = make(s, user, k);
    ct__graph *rest = cut < length ? make(s, user, length - cut) : NULL;
    bool fine = segment && begin_progress(s, &low, arena) && begin_progress(s, &high, arena);
    progress *first = is_reverse ? &high : &low, *second = is_reverse ? &low : &high;
    for (int turn = 0; fine && turn < 2; turn++) {
        progress *p = turn == 0 ? first : second;
        if (turn == 1)
            memcpy(second->carry, first->carry, s->loop.n_carry * sizeof *first->carry);
        if (p == &low)
            fine = run_segments(s, segment, m, k, p, arena);
        else if (cut < length)
            fine = run_rows(s, rest, cut, length, p, arena);
    }
    ct__graph_release(segment);
    ct__graph_release(rest);
    for (size_t i = 0; fine && i < s->node->n_results; i++)
        result[i] = i < s->loop.n_carry
                        ? second->carry[i]
                        : joined(s, low.y[i - s->loop.n_carry], high.y[i - s->loop.n_carry]);
    return fine;
}

static ct__graph *plain_segment(const ct__loop_site *s, void *unused, int64_t rows)
{
    (void)unused;
    return ct__segment(s, "segment", plain_scan, rows);
}

bool ct__scan_in_segments(const ct__loop_site *s, int64_t k, ct_tensor **result)
{
    return scan_in(s, k, plain_segment, NULL, result);
}

/* ---- scan, binomial. */

/* Bodies nest as deep as rows are done again. A graph has as many parts as snapshots, and there are
 * as many graphs: of more snapshots, those beyond are for segments, each of which has the others.
 */
#define MOST_TIMES 100
#define MOST_PARTS 48

/* (s+t)!/(s! t!), which is β(t, s) too, or at least `enough`: Π (more + i)/i over i = 1 … less. For
 * less > 0 every factor is above 1 + 1/less, so that the loop ends soon. */
static int64_t beta(int64_t s, int64_t t, int64_t enough)
{
    const int64_t less = s < t ? s : t, more = s < t ? t : s;
    double value = 1;
    for (int64_t i = 1; i <= less && value < (double)enough; i++)
        value = value * ((double)more + (double)i) / (double)i;
    return value < (double)enough ? (int64_t)(value + 0.5) : enough;
}

/* How many of l rows come after the checkpoint. */
static int64_t rows_behind(int64_t l, int64_t snapshots)
{
    int64_t t = 0;
    while (beta(snapshots, t, l) < l)
        t++;
    int64_t b = beta(snapshots - 1, t, l);
    return b < l ? b : l - 1;
}

typedef struct binomial {
    struct binomial *next;
    int64_t l, snapshots;
    ct__graph *graph;
} binomial;

/* Rows that follow those of the part before, and their graph, which is owned. */
typedef struct part {
    int64_t rows;
    ct__graph *graph;
} part;

static ct__graph *binomial_graph(const ct__loop_site *s, binomial **known, int64_t l,
                                 int64_t snapshots);

/* One row without a loop: the body on it. */
static ct__graph *plain_row(const ct__loop_site *s, int64_t unused, ct__arena *arena)
{
    ct_place at = s->node->at;
    size_t n_carry = s->loop.n_carry;
    ct_tensor **list = CT__NEW_ARRAY(arena, ct_tensor *, s->node->n_operands);
    ct_tensor **result = CT__NEW_ARRAY(arena, ct_tensor *, s->node->n_results);
    (void)unused;
    if (!list || !result) {
        ct__loops_memory(s->w);
        return NULL;
    }
    if (!ct__scan_params(s, 1, list))
        return NULL;
    for (size_t i = n_carry; i < ct__first_capture(&s->loop); i++) {
        const ct_type *row = ct__param_type(s->body[0], i);
        list[i] = ct_op_reshape_at(at, list[i], (ct_dims){(size_t)row->rank, row->dim});
    }
    if (!ct__replay(s->w->ctx, at, s->body[0], list, result))
        return NULL;
    for (size_t i = n_carry; i < s->node->n_results; i++) {
        const ct_type *row = ct__result_type(s->body[0], i);
        int64_t dim[CT__MAX_RANK] = {1};
        memcpy(dim + 1, row->dim, (size_t)row->rank * sizeof *dim);
        result[i] = ct_op_reshape_at(at, result[i], (ct_dims){(size_t)row->rank + 1, dim});
    }
    return ct__trace_close(s->w->ctx, at, s->node->n_results, result);
}

/* A snapshot for each row: a scan of rows that are checkpoints. */
static ct__graph *separate_rows(const ct__loop_site *s, int64_t count, ct__arena *arena)
{
    ct_tensor **list = CT__NEW_ARRAY(arena, ct_tensor *, s->node->n_operands);
    ct_tensor **result = CT__NEW_ARRAY(arena, ct_tensor *, s->node->n_results);
    ct__attrs attrs = *s->node->attrs;
    ct__node node = *s->node;
    ct__loop_site inner = *s;
    if (!list || !result) {
        ct__loops_memory(s->w);
        return NULL;
    }
    attrs.scan.length = count;
    node.attrs = &attrs;
    inner.node = &node;
    inner.operand = list;
    if (!ct__scan_params(s, count, list) || !ct__scan_in_segments(&inner, 1, result))
        return NULL;
    return ct__trace_close(s->w->ctx, s->node->at, s->node->n_results, result);
}

enum { FEW_ROWS = 16 };

/* F(l, s) in parts: checkpoints of F(a, s), F(a', s - 1), …, and a row, or rows for each of which
 * there is a snapshot. Returns how many. */
static size_t find_parts(const ct__loop_site *s, binomial **known, int64_t l, int64_t snapshots,
                         part *parts)
{
    size_t count = 0;
    for (int64_t left = l; left > 0 && !ct_failed(s->w->ctx); snapshots--) {
        bool is_last = left == 1 || (left > FEW_ROWS && left - 1 <= snapshots);
        int64_t a = is_last ? left : left - rows_behind(left, snapshots);
        ct__graph *graph = left == 1 ? ct__in_session(s, "row", plain_row, 1)
                           : is_last ? ct__in_session(s, "rows", separate_rows, left)
                                     : binomial_graph(s, known, a, snapshots);
        if (!is_last && graph)
            graph = ct__graph_checkpoint(s->w->ctx, s->node->at, graph, NULL);
        parts[count++] = (part){a, graph};
        left -= a;
    }
    return count;
}

/* The y number i of all parts, those of the lower rows first. */
static ct_tensor *all_rows(const ct__loop_site *s, size_t n_parts, ct_tensor **y, size_t i,
                           ct__arena *arena)
{
    ct_tensor **list = CT__NEW_ARRAY(arena, ct_tensor *, n_parts);
    size_t n = n_outputs(s);
    if (!list) {
        ct__loops_memory(s->w);
        return NULL;
    }
    for (size_t k = 0; k < n_parts; k++)
        list[s->node->attrs->scan.is_reverse ? n_parts - 1 - k : k] = y[k * n + i];
    return n_parts == 1 ? list[0] : ct_op_concatenate_at(s->node->at, (ct_list){n_parts, list}, 0);
}

static ct__graph *record_parts(const ct__loop_site *s, int64_t l, size_t n_parts, const part *parts,
                               ct__arena *arena)
{
    size_t n = n_outputs(s);
    ct_tensor **list = CT__NEW_ARRAY(arena, ct_tensor *, s->node->n_operands);
    ct_tensor **result = CT__NEW_ARRAY(arena, ct_tensor *, s->node->n_results);
    ct_tensor **y = CT__NEW_ARRAY(arena, ct_tensor *, n_parts * n);
    ct__loop_site inner = *s;
    progress p;
    int64_t done = 0;
    if (!list || !result || !y) {
        ct__loops_memory(s->w);
        return NULL;
    }
    inner.operand = list;
    if (!ct__scan_params(s, l, list) || !begin_progress(&inner, &p, arena))
        return NULL;
    for (size_t k = 0; k < n_parts; k++) {
        int64_t first = s->node->attrs->scan.is_reverse ? l - done - parts[k].rows : done;
        if (!run_rows(&inner, parts[k].graph, first, first + parts[k].rows, &p, arena))
            return NULL;
        done += parts[k].rows;
        for (size_t i = 0; i < n; i++)
            y[k * n + i] = p.y[i];
    }
    for (size_t i = 0; i < s->loop.n_carry; i++)
        result[i] = p.carry[i];
    for (size_t i = 0; i < n; i++)
        result[s->loop.n_carry + i] = all_rows(s, n_parts, y, i, arena);
    return ct__trace_close(s->w->ctx, s->node->at, s->node->n_results, result);
}

static ct__graph *make_binomial(const ct__loop_site *s, binomial **known, int64_t l,
                                int64_t snapshots)
{
    part *parts = CT__NEW_ARRAY(s->w->arena, part, (size_t)snapshots + 1);
    ct__graph *result = NULL;
    ct__arena arena;
    ct__session session;
    if (!parts) {
        ct__loops_memory(s->w);
        return NULL;
    }
    size_t n_parts = find_parts(s, known, l, snapshots, parts);
    if (!ct_failed(s->w->ctx) &&
        ct__session_begin(&session, s->w->ctx, s->node->at, &arena, "rows", s->body[0])) {
        result = record_parts(s, l, n_parts, parts, &arena);
        ct__session_end(&session);
    }
    for (size_t k = 0; k < n_parts; k++)
        ct__graph_release(parts[k].graph);
    return result;
}

/* Owned by the list. */
static ct__graph *binomial_graph(const ct__loop_site *s, binomial **known, int64_t l,
                                 int64_t snapshots)
{
    for (binomial *k = *known; k; k = k->next)
        if (k->l == l && (k->snapshots == snapshots || l == 1))
            return k->graph;
    ct__graph *graph = make_binomial(s, known, l, snapshots);
    binomial *entry = graph ? CT__NEW(s->w->arena, binomial) : NULL;
    if (!entry) {
        ct__graph_release(graph);
        ct__loops_memory(s->w); /* unless there is an error already */
        return NULL;
    }
    *entry = (binomial){*known, l, snapshots, graph};
    *known = entry;
    return graph;
}

bool ct__has_many_snapshots(const ct__loop_site *s, int64_t snapshots)
{
    return snapshots >= s->node->attrs->scan.length - 1;
}

bool ct__is_done_too_often(const ct__loop_site *s, int64_t snapshots)
{
    int64_t length = s->node->attrs->scan.length;
    return snapshots <= MOST_PARTS && beta(snapshots, MOST_TIMES, length) < length;
}

/* A checkpoint of F(rows, MOST_PARTS). */
static ct__graph *binomial_segment(const ct__loop_site *s, void *known, int64_t rows)
{
    ct__graph *graph = binomial_graph(s, known, rows, MOST_PARTS);
    return graph ? ct__graph_checkpoint(s->w->ctx, s->node->at, graph, NULL) : NULL;
}

/* Where there is a snapshot for every row, each row is a segment. */
bool ct__scan_binomially(const ct__loop_site *s, int64_t snapshots, ct_tensor **result)
{
    int64_t length = s->node->attrs->scan.length;
    binomial *known = NULL;
    if (ct__has_many_snapshots(s, snapshots))
        return ct__scan_in_segments(s, 1, result);
    if (ct__is_done_too_often(s, snapshots)) {
        ct__error(s->w->ctx, s->node->at, CT_ERR_RANGE,
                  "reverse_loops: with %lld snapshots the %lld iterations of this %s would be done "
                  "again more than %d times",
                  (long long)snapshots, (long long)length, ct__op_describe(s->written)->name,
                  MOST_TIMES);
        return false;
    }
    bool fine = false;
    if (snapshots > MOST_PARTS) {
        int64_t m = snapshots - MOST_PARTS;
        fine = scan_in(s, length / m + (length % m > 0), binomial_segment, &known, result);
    } else {
        ct__graph *graph = binomial_graph(s, &known, length, snapshots);
        fine = graph && ct__replay(s->w->ctx, s->node->at, graph, s->operand, result);
    }
    for (; known; known = known->next)
        ct__graph_release(known->graph);
    return fine;
}

/* ---- scan, by the strategy. */

bool ct__scan_whole(const ct__loop_site *s, ct_tensor **result)
{
    return scan_rows(s, s->node->attrs->scan.length, s->operand, result);
}

bool ct__reverse_scan(const ct__loop_site *s, ct_tensor **result)
{
    int64_t length = s->node->attrs->scan.length;
    int64_t k = (int64_t)ceil(sqrt((double)length));
    if (length < 2 || !has_rows(s))
        return ct__scan_whole(s, result);
    switch (s->w->options->strategy) {
    case CT_REVERSE_SQRT: return ct__scan_in_segments(s, k, result);
    case CT_REVERSE_BINOMIAL: return ct__scan_binomially(s, s->w->options->snapshots, result);
    case CT_REVERSE_LIMIT: return ct__scan_within(s, result);
    case CT_REVERSE_KEEP_ALL: break;
    }
    return ct__scan_whole(s, result);
}
