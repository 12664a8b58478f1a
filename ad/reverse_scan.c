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

/* The scan on `count` rows: parameters as the loop's operands, with so many rows. */
static bool row_params(const ct__loop_site *s, int64_t count, ct_tensor **list)
{
    int64_t dim[CT__MAX_RANK];
    for (size_t i = 0; i < s->node->n_operands; i++) {
        const ct_type *type = s->operand[i]->type;
        ct_type cut = *type;
        if (i >= s->loop.n_carry && i < ct__first_capture(&s->loop)) {
            memcpy(dim, type->dim, (size_t)type->rank * sizeof *dim);
            dim[0] = count;
            const ct_type *fresh = ct__type(s->w->arena, type->dtype, type->rank, dim);
            if (!fresh)
                return ct__loops_memory(s->w);
            cut = *fresh;
            cut.quantized = type->quantized;
        }
        list[i] = ct__site_param(s, &cut);
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
    if (!row_params(s, count, list) || !scan_rows(s, count, list, result))
        return NULL;
    return ct__trace_close(s->w->ctx, s->node->at, s->node->n_results, result);
}

/* ---- scan, √n. carry: in and out. y: of these rows. */

typedef struct progress {
    ct_tensor **carry, **y;
} progress;

/* The segments of k rows, up to row m k. */
static bool run_segments(const ct__loop_site *s, int64_t m, int64_t k, progress *p,
                         ct__arena *arena)
{
    size_t n = s->node->n_operands, n_carry = s->loop.n_carry;
    ct_tensor **operand = CT__NEW_ARRAY(arena, ct_tensor *, n);
    ct_tensor **result = CT__NEW_ARRAY(arena, ct_tensor *, s->node->n_results);
    ct__attrs attrs = *s->node->attrs;
    if (!operand || !result)
        return ct__loops_memory(s->w);
    ct__graph *body = ct__segment(s, "segment", plain_scan, k);
    attrs.scan.length = m;
    for (size_t i = 0; i < n; i++)
        operand[i] = i < n_carry ? p->carry[i]
                     : i < ct__first_capture(&s->loop)
                         ? regrouped(s, rows(s, s->operand[i], 0, m * k), m)
                         : s->operand[i];
    bool fine = body && ct__site_apply(s, CT__OP_scan, &attrs, (ct_list){n, operand}, 1, &body,
                                       result, s->node->n_results);
    ct__graph_release(body);
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

static bool scan_in_segments(const ct__loop_site *s, int64_t k, ct_tensor **result)
{
    int64_t length = s->node->attrs->scan.length, m = length / k, cut = m * k;
    bool is_reverse = s->node->attrs->scan.is_reverse, fine = true;
    ct__arena *arena = s->w->arena;
    progress low, high;
    ct__graph *rest = cut < length ? ct__segment(s, "rest", plain_scan, length - cut) : NULL;
    fine = begin_progress(s, &low, arena) && begin_progress(s, &high, arena);
    progress *first = is_reverse ? &high : &low, *second = is_reverse ? &low : &high;
    for (int turn = 0; fine && turn < 2; turn++) {
        progress *p = turn == 0 ? first : second;
        if (turn == 1)
            memcpy(second->carry, first->carry, s->loop.n_carry * sizeof *first->carry);
        if (p == &low)
            fine = run_segments(s, m, k, p, arena);
        else if (cut < length)
            fine = run_rows(s, rest, cut, length, p, arena);
    }
    ct__graph_release(rest);
    for (size_t i = 0; fine && i < s->node->n_results; i++)
        result[i] = i < s->loop.n_carry
                        ? second->carry[i]
                        : joined(s, low.y[i - s->loop.n_carry], high.y[i - s->loop.n_carry]);
    return fine;
}

/* ---- scan, binomial. */

/* Bodies nest as deep as rows are done again, and a graph has as many parts as snapshots. */
#define MOST_TIMES 100
#define MOST_SNAPSHOTS 400

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
    if (!row_params(s, 1, list))
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

/* F(l, s) in parts: checkpoints of F(a, s), F(a', s - 1), …, and a row. Returns how many. */
static size_t find_parts(const ct__loop_site *s, binomial **known, int64_t l, int64_t snapshots,
                         part *parts)
{
    size_t count = 0;
    for (int64_t left = l; left > 0 && !ct_failed(s->w->ctx); snapshots--) {
        int64_t a = left == 1 ? 1 : left - rows_behind(left, snapshots);
        ct__graph *graph = left == 1 ? ct__in_session(s, "row", plain_row, 1)
                                     : binomial_graph(s, known, a, snapshots);
        if (left > 1 && graph)
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
    if (!row_params(s, l, list) || !begin_progress(&inner, &p, arena))
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

static bool has_many_snapshots(const ct__loop_site *s, int64_t snapshots)
{
    return snapshots >= s->node->attrs->scan.length - 1;
}

static bool is_done_too_often(const ct__loop_site *s, int64_t snapshots)
{
    int64_t length = s->node->attrs->scan.length;
    return !has_many_snapshots(s, snapshots) && beta(snapshots, MOST_TIMES, length) < length;
}

/* Where there is a snapshot for every row, each row is a segment; else many snapshots more would
 * save little. */
static bool scan_binomially(const ct__loop_site *s, int64_t snapshots, ct_tensor **result)
{
    int64_t length = s->node->attrs->scan.length;
    binomial *known = NULL;
    if (has_many_snapshots(s, snapshots))
        return scan_in_segments(s, 1, result);
    snapshots = snapshots < MOST_SNAPSHOTS ? snapshots : MOST_SNAPSHOTS;
    if (is_done_too_often(s, snapshots)) {
        ct__error(
            s->w->ctx, s->node->at, CT_ERR_RANGE,
            "reverse_loops: with %lld snapshots the %lld iterations of this scan would be done "
            "again more than %d times",
            (long long)snapshots, (long long)length, MOST_TIMES);
        return false;
    }
    ct__graph *graph = binomial_graph(s, &known, length, snapshots);
    bool fine = graph && ct__replay(s->w->ctx, s->node->at, graph, s->operand, result);
    for (; known; known = known->next)
        ct__graph_release(known->graph);
    return fine;
}

/* ---- scan, within a limit: every way is made and measured, those that do least again first. */

static bool scan_whole(const ct__loop_site *s, ct_tensor **result)
{
    return scan_rows(s, s->node->attrs->scan.length, s->operand, result);
}

typedef bool make_way(const ct__loop_site *s, int64_t count, ct_tensor **result);

typedef struct limit {
    const ct__loop_site *s;
    double bytes, carry; /* the limit; a carry, as a run has it */
    double least;        /* that any way took so far */
    make_way *way;       /* the one at hand */
} limit;

static ct__graph *recorded_way(const limit *l, int64_t count, ct__arena *arena)
{
    const ct__loop_site *s = l->s;
    ct_tensor **list = CT__NEW_ARRAY(arena, ct_tensor *, s->node->n_operands);
    ct_tensor **result = CT__NEW_ARRAY(arena, ct_tensor *, s->node->n_results);
    ct__loop_site inner = *s;
    if (!list || !result) {
        ct__loops_memory(s->w);
        return NULL;
    }
    inner.operand = list;
    if (!row_params(s, s->node->attrs->scan.length, list) || !l->way(&inner, count, result))
        return NULL;
    return ct__trace_close(s->w->ctx, s->node->at, s->node->n_results, result);
}

/* The bytes of the reverse derivative, and the cotangent of the carry with which it begins; where
 * there is no derivative, the estimate. */
static double measured(limit *l, make_way *way, int64_t count, double estimate)
{
    const ct__loop_site *s = l->s;
    ct__arena arena;
    ct__session session;
    double bytes = 0;
    if (!ct__session_begin(&session, s->w->ctx, s->node->at, &arena, "way", s->body[0]))
        return estimate;
    l->way = way;
    ct__graph *graph = recorded_way(l, count, &arena);
    ct__session_end(&session);
    bytes = graph && ct__bytes_of_reverse(s, graph, &bytes) ? bytes + l->carry : estimate;
    ct__graph_release(graph);
    l->least = bytes < l->least ? bytes : l->least;
    return bytes;
}

static bool way_whole(const ct__loop_site *s, int64_t count, ct_tensor **result)
{
    (void)count;
    return scan_whole(s, result);
}

static double measured_binomial(limit *l, int64_t snapshots)
{
    double iteration = ct__bytes_of_body(l->s->body[0]);
    return measured(l, scan_binomially, snapshots, (double)snapshots * l->carry + iteration);
}

/* The most snapshots that fit; 0: none do. One more takes its carry, and less than ROOM for where
 * it is: a step down of this length leaves out none that fits. */
enum { STEPS = 16, ROOM = 512 };

static int64_t most_snapshots(limit *l)
{
    int64_t length = l->s->node->attrs->scan.length;
    double most = l->carry > 0 ? floor(l->bytes / l->carry) : (double)length;
    int64_t snapshots = most < (double)(length - 1) ? (int64_t)most : length - 1;
    if (snapshots < length - 1 && snapshots > MOST_SNAPSHOTS)
        snapshots = MOST_SNAPSHOTS;
    for (int i = 0; i < STEPS && snapshots > 0 && !is_done_too_often(l->s, snapshots); i++) {
        double bytes = measured_binomial(l, snapshots);
        if (bytes <= l->bytes || ct_failed(l->s->w->ctx))
            return snapshots;
        double step = ceil((bytes - l->bytes) / (l->carry + ROOM));
        snapshots = step < (double)snapshots ? snapshots - (int64_t)step : 0;
    }
    return 0;
}

/* The same among few numbers of snapshots, for fewer of them may nest deeper and take more. */
static int64_t some_snapshots(limit *l)
{
    static const int64_t some[] = {100, 64, 40, 25, 16, 12, 9, 7, 6, 5, 4, 3, 2, 1};
    for (size_t i = 0; i < sizeof some / sizeof *some; i++)
        if (!has_many_snapshots(l->s, some[i]) && !is_done_too_often(l->s, some[i]) &&
            measured_binomial(l, some[i]) <= l->bytes)
            return some[i];
    return 0;
}

static bool refuse(const limit *l)
{
    ct__error(l->s->w->ctx, l->s->node->at, CT_ERR_RANGE,
              "reverse_loops: the reverse derivative of this scan takes at least %.0f bytes, which "
              "is more than the limit of %.0f",
              l->least, l->bytes);
    return false;
}

/* Segments of k rows take n/k carries and k iterations: least for k = √(n carry / iteration). */
static bool scan_within(const ct__loop_site *s, ct_tensor **result)
{
    double n = (double)s->node->attrs->scan.length;
    limit l = {.s = s,
               .bytes = (double)s->w->options->bytes,
               .carry = ct__bytes_of_carry(s),
               .least = INFINITY};
    double iteration = ct__bytes_of_body(s->body[0]);
    double all = measured(&l, way_whole, 0, n * iteration);
    if (all <= l.bytes)
        return scan_whole(s, result);
    double k = floor(sqrt(n * l.carry / (all / n)));
    k = k < 1 ? 1 : k > n ? n : k;
    double estimate = ceil(n / k) * l.carry + k * iteration;
    if (measured(&l, scan_in_segments, (int64_t)k, estimate) <= l.bytes)
        return scan_in_segments(s, (int64_t)k, result);
    int64_t snapshots = most_snapshots(&l);
    if (snapshots == 0 && !ct_failed(s->w->ctx))
        snapshots = some_snapshots(&l);
    return snapshots > 0 ? scan_binomially(s, snapshots, result)
                         : !ct_failed(s->w->ctx) && refuse(&l);
}

bool ct__reverse_scan(const ct__loop_site *s, ct_tensor **result)
{
    int64_t length = s->node->attrs->scan.length;
    int64_t k = (int64_t)ceil(sqrt((double)length));
    if (length < 2 || !has_rows(s))
        return scan_whole(s, result);
    switch (s->w->options->strategy) {
    case CT_REVERSE_SQRT: return scan_in_segments(s, k, result);
    case CT_REVERSE_BINOMIAL: return scan_binomially(s, s->w->options->snapshots, result);
    case CT_REVERSE_LIMIT: return scan_within(s, result);
    case CT_REVERSE_KEEP_ALL: break;
    }
    return scan_whole(s, result);
}
