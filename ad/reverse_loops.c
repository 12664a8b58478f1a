/* Loops of which the reverse derivative keeps less: loops of segments, which are checkpoints.
 *
 *   scan, √n        a scan of segments of k rows, each a checkpoint of a scan; what is left over is
 *                   a shorter segment
 *   scan, binomial  F(l, s), l rows with s carries to keep, is F(b, s - 1) after a checkpoint of
 *                   F(a, s), where a + b = l (Griewank and Walther, "revolve"): with β(s, t) =
 *                   (s+t)!/(s! t!) the smallest t of l <= β(s, t) says how often a row is done
 *                   again, and b = β(s - 1, t)
 *   for             a for of segments of k = ⌈√count⌉
 *   while           a while of segments of at most 1, 2, 3, … iterations */
#include "ad/bodies.h"

#include <cotangent/op_stack.h>
#include <cotangent/remat.h>

#include <math.h>
#include <string.h>

typedef struct rewritten {
    struct rewritten *next;
    const ct__graph *from;
    ct__graph *to;
} rewritten;

typedef struct loops {
    ct_context *ctx;
    ct_place at; /* of the transform */
    const ct_reverse_options *options;
    ct__arena *arena;
    rewritten *done;
    const ct_type *i64;
} loops;

/* A loop node in progress; its bodies are rewritten. */
typedef struct site {
    loops *w;
    const ct__node *node;
    ct__loop loop;
    ct__graph *const *body;
    ct_tensor *const *operand;
    int64_t cap; /* on the iterations of a segment; 0: none */
} site;

static ct__graph *rewrite(loops *w, ct__graph *graph);

static bool out_of_memory(const loops *w)
{
    ct__error_memory(w->ctx, w->at, "reverse_loops");
    return false;
}

static ct_tensor *number(const site *s, int64_t value)
{
    return ct__splat(s->w->ctx, s->node->at, s->w->i64, (double)value);
}

static ct_tensor *param(const site *s, const ct_type *type)
{
    return ct__trace_param(s->w->ctx, s->node->at, type);
}

/* Parameters like the types of `count` operands from `first` on. */
static void params_like(const site *s, size_t first, size_t count, ct_tensor **list)
{
    for (size_t i = 0; i < count; i++)
        list[i] = param(s, s->operand[first + i]->type);
}

static bool apply(const site *s, ct__op op, const ct__attrs *attrs, ct_list operands,
                  size_t n_regions, ct__graph *const *region, ct_tensor **result, size_t n_results)
{
    return ct__apply(&(ct__request){.ctx = s->w->ctx,
                                    .at = s->node->at,
                                    .op = op,
                                    .attrs = attrs,
                                    .n_operands = operands.count,
                                    .operand = operands.item,
                                    .n_regions = n_regions,
                                    .region = region},
                     result, n_results);
}

/* ---- Graphs made in a session of their own. */

typedef ct__graph *make_graph(const site *s, int64_t count, ct__arena *arena);

static ct__graph *in_session(const site *s, const char *what, make_graph *make, int64_t count)
{
    ct__arena arena;
    ct__session session;
    if (!ct__session_begin(&session, s->w->ctx, s->node->at, &arena, what, s->body[s->loop.body]))
        return NULL;
    ct__graph *graph = make(s, count, &arena);
    ct__session_end(&session);
    return graph;
}

/* The same as a checkpoint. */
static ct__graph *segment(const site *s, const char *what, make_graph *make, int64_t count)
{
    ct__graph *plain = in_session(s, what, make, count);
    ct__graph *marked = plain ? ct__graph_checkpoint(s->w->ctx, s->node->at, plain, NULL) : NULL;
    ct__graph_release(plain);
    return marked;
}

/* ---- What an iteration needs. */

/* Bytes of all values that the body makes, of counted loops in it those of all iterations. */
static double bytes_of_body(const ct__graph *body)
{
    double bytes = 0;
    for (size_t i = 0; i < body->n_nodes; i++) {
        const ct__node *node = &body->node[i];
        double count = node->op == CT__OP_scan ? (double)node->attrs->scan.length : 1;
        for (size_t r = 0; r < node->n_results; r++)
            bytes += (double)ct__data_bytes(ct__graph_type(body, node->first_result + (ct__id)r));
        for (size_t r = 0; ct__has(node->op, CT__CONTROL) && r < node->n_regions; r++)
            bytes += count * bytes_of_body(node->region[r]);
    }
    return bytes;
}

static double bytes_of_carry(const site *s)
{
    double bytes = 0;
    for (size_t i = 0; i < s->loop.n_carry; i++)
        bytes += (double)ct__data_bytes(s->operand[s->loop.first_carry + i]->type);
    return bytes;
}

static bool refuse_limit(const site *s, double least)
{
    ct__error(
        s->w->ctx, s->node->at, CT_ERR_RANGE,
        "reverse_loops: an iteration of this %s and its carry take up to %.0f bytes, which is "
        "more than the limit of %lld",
        ct__op_describe(s->node->op)->name, least, (long long)s->w->options->bytes);
    return false;
}

/* ---- scan: slices of rows. */

/* x with its rows from `first` to `end`; x itself for all of them. */
static ct_tensor *rows(const site *s, ct_tensor *x, int64_t first, int64_t end)
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
static ct_tensor *regrouped(const site *s, ct_tensor *x, int64_t count)
{
    const ct_type *type = x->type;
    int64_t dim[CT__MAX_RANK + 1];
    size_t rank = (size_t)type->rank, from = count > 0 ? 1 : 2, to = count > 0 ? 2 : 1;
    dim[0] = count > 0 ? count : type->dim[0] * type->dim[1];
    if (count > 0)
        dim[1] = type->dim[0] / count;
    for (size_t d = from; d < rank; d++)
        dim[to++] = type->dim[d];
    return ct_op_reshape_at(s->node->at, x, (ct_dims){to, dim});
}

static size_t n_outputs(const site *s)
{
    return s->node->n_results - s->loop.n_carry;
}

/* Whether rows can be cut: all x and y are tensors of a rank that has room for one axis more. */
static bool has_rows(const site *s)
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
static bool row_params(const site *s, int64_t count, ct_tensor **list)
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
                return out_of_memory(s->w);
            cut = *fresh;
            cut.quantized = type->quantized;
        }
        list[i] = param(s, &cut);
    }
    return !ct_failed(s->w->ctx);
}

static bool scan_rows(const site *s, int64_t count, ct_tensor *const *operand, ct_tensor **result)
{
    ct__attrs attrs = *s->node->attrs;
    attrs.scan.length = count;
    return apply(s, CT__OP_scan, &attrs, (ct_list){s->node->n_operands, operand}, 1, s->body,
                 result, s->node->n_results);
}

static ct__graph *plain_scan(const site *s, int64_t count, ct__arena *arena)
{
    ct_tensor **list = CT__NEW_ARRAY(arena, ct_tensor *, s->node->n_operands);
    ct_tensor **result = CT__NEW_ARRAY(arena, ct_tensor *, s->node->n_results);
    if (!list || !result) {
        out_of_memory(s->w);
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
static bool run_segments(const site *s, int64_t m, int64_t k, progress *p, ct__arena *arena)
{
    size_t n = s->node->n_operands, n_carry = s->loop.n_carry;
    ct_tensor **operand = CT__NEW_ARRAY(arena, ct_tensor *, n);
    ct_tensor **result = CT__NEW_ARRAY(arena, ct_tensor *, s->node->n_results);
    ct__attrs attrs = *s->node->attrs;
    if (!operand || !result)
        return out_of_memory(s->w);
    ct__graph *body = segment(s, "segment", plain_scan, k);
    attrs.scan.length = m;
    for (size_t i = 0; i < n; i++)
        operand[i] = i < n_carry ? p->carry[i]
                     : i < ct__first_capture(&s->loop)
                         ? regrouped(s, rows(s, s->operand[i], 0, m * k), m)
                         : s->operand[i];
    bool fine = body && apply(s, CT__OP_scan, &attrs, (ct_list){n, operand}, 1, &body, result,
                              s->node->n_results);
    ct__graph_release(body);
    for (size_t i = 0; fine && i < s->node->n_results; i++)
        *(i < n_carry ? &p->carry[i]
                      : &p->y[i - n_carry]) = i < n_carry ? result[i] : regrouped(s, result[i], 0);
    return fine;
}

/* A segment of its own, of the rows from `first` on: a graph of theirs, applied. */
static bool run_rows(const site *s, ct__graph *graph, int64_t first, int64_t end, progress *p,
                     ct__arena *arena)
{
    size_t n = s->node->n_operands, n_carry = s->loop.n_carry;
    ct_tensor **operand = CT__NEW_ARRAY(arena, ct_tensor *, n);
    ct_tensor **result = CT__NEW_ARRAY(arena, ct_tensor *, s->node->n_results);
    if (!operand || !result)
        return out_of_memory(s->w);
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

static bool begin_progress(const site *s, progress *p, ct__arena *arena)
{
    p->carry = CT__NEW_ARRAY(arena, ct_tensor *, s->loop.n_carry);
    p->y = CT__NEW_ARRAY(arena, ct_tensor *, n_outputs(s));
    if (!p->carry || !p->y)
        return out_of_memory(s->w);
    for (size_t i = 0; i < s->loop.n_carry; i++)
        p->carry[i] = s->operand[i];
    return true;
}

/* The y of the lower rows, then those of the others; NULL: there are none. */
static ct_tensor *joined(const site *s, ct_tensor *low, ct_tensor *high)
{
    return !low || !high ? (low ? low : high)
                         : ct_op_concatenate_at(s->node->at, CT_ARGV(low, high), 0);
}

static bool scan_in_segments(const site *s, int64_t k, ct_tensor **result)
{
    int64_t length = s->node->attrs->scan.length, m = length / k, cut = m * k;
    bool is_reverse = s->node->attrs->scan.is_reverse, fine = true;
    ct__arena *arena = s->w->arena;
    progress low, high;
    ct__graph *rest = cut < length ? segment(s, "rest", plain_scan, length - cut) : NULL;
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

#define MOST_TIMES 100 /* a row is done again: bodies nest as deep */

/* (s+t)!/(s! t!), or at least `enough`. */
static int64_t beta(int64_t s, int64_t t, int64_t enough)
{
    double value = 1;
    for (int64_t i = 1; i <= s && value < (double)enough; i++)
        value = value * (double)(t + i) / (double)i;
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

static ct__graph *binomial_graph(const site *s, binomial **known, int64_t l, int64_t snapshots);

/* F(l, s): first a rows as a checkpoint, then b. */
static ct__graph *record_binomial(const site *s, ct__graph *first, ct__graph *then, int64_t l,
                                  int64_t b, ct__arena *arena)
{
    bool is_reverse = s->node->attrs->scan.is_reverse;
    int64_t a = l - b;
    ct_tensor **list = CT__NEW_ARRAY(arena, ct_tensor *, s->node->n_operands);
    ct_tensor **result = CT__NEW_ARRAY(arena, ct_tensor *, s->node->n_results);
    if (!list || !result) {
        out_of_memory(s->w);
        return NULL;
    }
    if (!row_params(s, l, list))
        return NULL;
    site inner = *s;
    progress before, after;
    inner.operand = list;
    if (!begin_progress(&inner, &before, arena) || !begin_progress(&inner, &after, arena) ||
        !run_rows(&inner, first, is_reverse ? b : 0, is_reverse ? l : a, &before, arena))
        return NULL;
    memcpy(after.carry, before.carry, s->loop.n_carry * sizeof *after.carry);
    if (!run_rows(&inner, then, is_reverse ? 0 : a, is_reverse ? b : l, &after, arena))
        return NULL;
    for (size_t i = 0; i < s->node->n_results; i++) {
        size_t y = i - s->loop.n_carry;
        result[i] = i < s->loop.n_carry ? after.carry[i]
                    : is_reverse        ? joined(s, after.y[y], before.y[y])
                                        : joined(s, before.y[y], after.y[y]);
    }
    return ct__trace_close(s->w->ctx, s->node->at, s->node->n_results, result);
}

/* A graph that records a call of the function, so that it is shared. */
static ct__graph *record_call(const site *s, ct__graph *f, ct__arena *arena)
{
    ct_tensor **list = CT__NEW_ARRAY(arena, ct_tensor *, f->n_params);
    ct_tensor **result = CT__NEW_ARRAY(arena, ct_tensor *, f->n_results);
    if (!list || !result) {
        out_of_memory(s->w);
        return NULL;
    }
    for (size_t i = 0; i < f->n_params; i++)
        list[i] = param(s, ct__param_type(f, i));
    apply(s, CT__OP_call, NULL, (ct_list){f->n_params, list}, 1, &f, result, f->n_results);
    return ct__trace_close(s->w->ctx, s->node->at, f->n_results, result);
}

static ct__graph *called(const site *s, ct__graph *f)
{
    ct__arena arena;
    ct__session session;
    if (!f || !ct__session_begin(&session, s->w->ctx, s->node->at, &arena, "call", f))
        return NULL;
    ct__graph *graph = record_call(s, f, &arena);
    ct__session_end(&session);
    return graph;
}

static ct__graph *make_binomial(const site *s, binomial **known, int64_t l, int64_t snapshots)
{
    if (l == 1)
        return in_session(s, "row", plain_scan, 1);
    int64_t b = rows_behind(l, snapshots);
    ct__graph *again = binomial_graph(s, known, l - b, snapshots);
    ct__graph *first = again ? ct__graph_checkpoint(s->w->ctx, s->node->at, again, NULL) : NULL;
    ct__graph *then = called(s, binomial_graph(s, known, b, snapshots - 1));
    ct__graph *result = NULL;
    ct__arena arena;
    ct__session session;
    if (first && then &&
        ct__session_begin(&session, s->w->ctx, s->node->at, &arena, "rows", s->body[0])) {
        result = record_binomial(s, first, then, l, b, &arena);
        ct__session_end(&session);
    }
    ct__graph_release(first);
    ct__graph_release(then);
    return result;
}

/* Owned by the list. */
static ct__graph *binomial_graph(const site *s, binomial **known, int64_t l, int64_t snapshots)
{
    for (binomial *k = *known; k; k = k->next)
        if (k->l == l && (k->snapshots == snapshots || l == 1))
            return k->graph;
    ct__graph *graph = make_binomial(s, known, l, snapshots);
    binomial *entry = graph ? CT__NEW(s->w->arena, binomial) : NULL;
    if (!entry) {
        ct__graph_release(graph);
        out_of_memory(s->w); /* unless there is an error already */
        return NULL;
    }
    *entry = (binomial){*known, l, snapshots, graph};
    *known = entry;
    return graph;
}

static bool scan_binomially(const site *s, int64_t snapshots, ct_tensor **result)
{
    int64_t length = s->node->attrs->scan.length;
    binomial *known = NULL;
    if (beta(snapshots, MOST_TIMES, length) < length) {
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

/* ---- scan, by the strategy. */

static bool scan_whole(const site *s, ct_tensor **result)
{
    return scan_rows(s, s->node->attrs->scan.length, s->operand, result);
}

/* Segments of k rows take n/k carries and k iterations: least for k = √(n carry / iteration). */
static bool scan_within(const site *s, ct_tensor **result)
{
    double n = (double)s->node->attrs->scan.length, limit = (double)s->w->options->bytes;
    double carry = bytes_of_carry(s), iteration = bytes_of_body(s->body[0]);
    if (n * iteration <= limit)
        return scan_whole(s, result);
    double k = floor(sqrt(n * carry / iteration));
    k = k < 1 ? 1 : k > n ? n : k;
    if (ceil(n / k) * carry + k * iteration <= limit)
        return scan_in_segments(s, (int64_t)k, result);
    if (iteration + carry > limit)
        return refuse_limit(s, iteration + carry);
    return scan_binomially(s, carry > 0 ? (int64_t)((limit - iteration) / carry) : INT32_MAX,
                           result);
}

static bool record_scan(const site *s, ct_tensor **result)
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

/* ---- for: (s, first index's parts…) Every segment has k iterations but the last. */

/* (j, carry…, captures…, first) -> body(first + j, carry…, captures…) */
static ct__graph *shifted_body(const site *s, int64_t unused, ct__arena *arena)
{
    ct__graph *body = s->body[0];
    ct_tensor **list = CT__NEW_ARRAY(arena, ct_tensor *, body->n_params + 1);
    ct_tensor **result = CT__NEW_ARRAY(arena, ct_tensor *, body->n_results);
    (void)unused;
    if (!list || !result) {
        out_of_memory(s->w);
        return NULL;
    }
    for (size_t i = 0; i <= body->n_params; i++)
        list[i] = param(s, i < body->n_params ? ct__param_type(body, i) : s->w->i64);
    list[0] = ct_op_add_at(s->node->at, list[0], list[body->n_params]);
    if (!ct__replay(s->w->ctx, s->node->at, body, list, result))
        return NULL;
    return ct__trace_close(s->w->ctx, s->node->at, body->n_results, result);
}

/* (s, carry…, captures…, count, k) -> the segment that begins at s k */
static ct__graph *for_segment(const site *s, int64_t unused, ct__arena *arena)
{
    ct_place at = s->node->at;
    size_t n = s->node->n_operands;
    ct_tensor **list = CT__NEW_ARRAY(arena, ct_tensor *, n + 2);
    ct_tensor **result = CT__NEW_ARRAY(arena, ct_tensor *, s->node->n_results);
    (void)unused;
    if (!list || !result) {
        out_of_memory(s->w);
        return NULL;
    }
    params_like(s, 0, n, list);
    ct_tensor *count = param(s, s->w->i64), *k = param(s, s->w->i64);
    ct_tensor *first = ct_op_multiply_at(at, list[0], k);
    list[0] = ct_op_minimum_at(at, k, ct_op_subtract_at(at, count, first));
    list[n] = first;
    ct__graph *body = in_session(s, "shifted", shifted_body, 0);
    bool fine = body && apply(s, CT__OP_for, s->node->attrs, (ct_list){n + 1, list}, 1, &body,
                              result, s->node->n_results);
    ct__graph_release(body);
    return fine ? ct__trace_close(s->w->ctx, at, s->node->n_results, result) : NULL;
}

/* ⌈√count⌉, at least 1 and at most the cap. */
static ct_tensor *segment_length(const site *s)
{
    ct_place at = s->node->at;
    ct_tensor *one = number(s, 1), *count = ct_op_maximum_at(at, s->operand[0], one);
    ct_tensor *root = ct_op_sqrt_at(at, ct_op_convert_at(at, count, CT_F64));
    ct_tensor *k = ct_op_convert_at(at, ct_op_ceil_at(at, root), CT_I64);
    return s->cap > 0 ? ct_op_minimum_at(at, k, number(s, s->cap)) : k;
}

static bool record_for(const site *s, ct_tensor **result)
{
    ct_place at = s->node->at;
    size_t n = s->node->n_operands;
    ct_tensor **operand = CT__NEW_ARRAY(s->w->arena, ct_tensor *, n + 2);
    if (!operand)
        return out_of_memory(s->w);
    ct_tensor *k = segment_length(s), *less = ct_op_subtract_at(at, k, number(s, 1));
    ct__append_all(operand, &(size_t){0}, s->operand, n);
    operand[0] = ct_op_divide_at(at, ct_op_add_at(at, s->operand[0], less), k);
    operand[n] = s->operand[0];
    operand[n + 1] = k;
    ct__graph *body = segment(s, "segment", for_segment, 0);
    bool fine = body && apply(s, CT__OP_for, s->node->attrs, (ct_list){n + 2, operand}, 1, &body,
                              result, s->node->n_results);
    ct__graph_release(body);
    return fine;
}

/* ---- while: (carry…, j, captures…), of at most j iterations in this segment. */

/* Parameters (carry…, one more, captures…, and maybe another); list[] gets the loop's own. */
static ct_tensor *split_params(const site *s, ct_tensor **list)
{
    size_t n_carry = s->loop.n_carry;
    params_like(s, 0, n_carry, list);
    ct_tensor *extra = param(s, s->w->i64);
    params_like(s, n_carry, s->node->n_operands - n_carry, list + n_carry);
    return extra;
}

/* (carry…, i, captures…, j) -> cond and i < j; for `is_cond` 0 (body…, i + 1) */
static ct__graph *inner_part(const site *s, int64_t is_cond, ct__arena *arena)
{
    ct_place at = s->node->at;
    const ct__graph *own = s->body[is_cond ? 0 : 1];
    ct_tensor **list = CT__NEW_ARRAY(arena, ct_tensor *, s->node->n_operands);
    ct_tensor **result = CT__NEW_ARRAY(arena, ct_tensor *, own->n_results + 1);
    if (!list || !result) {
        out_of_memory(s->w);
        return NULL;
    }
    ct_tensor *i = split_params(s, list), *j = param(s, s->w->i64);
    if (!ct__replay(s->w->ctx, at, own, list, result))
        return NULL;
    if (is_cond) {
        ct_tensor *below = ct_op_compare_at(at, i, j, CT_LT, CT_COMPARE_SIGNED);
        result[0] = ct_op_and_at(at, result[0], below);
        return ct__trace_close(s->w->ctx, at, 1, result);
    }
    result[own->n_results] = ct_op_add_at(at, i, number(s, 1));
    return ct__trace_close(s->w->ctx, at, own->n_results + 1, result);
}

/* (carry…, j, captures…) -> (carry…) after at most j iterations */
static ct__graph *while_segment(const site *s, int64_t unused, ct__arena *arena)
{
    size_t n = s->node->n_operands, n_carry = s->loop.n_carry;
    ct_tensor **list = CT__NEW_ARRAY(arena, ct_tensor *, n + 2);
    ct_tensor **result = CT__NEW_ARRAY(arena, ct_tensor *, n_carry + 1);
    const ct__attrs attrs = {.loop = {.n_carry = (int64_t)n_carry + 1}};
    (void)unused;
    if (!list || !result) {
        out_of_memory(s->w);
        return NULL;
    }
    ct_tensor *j = split_params(s, list);
    if (s->cap > 0)
        j = ct_op_minimum_at(s->node->at, j, number(s, s->cap));
    memmove(list + n_carry + 1, list + n_carry, (n - n_carry) * sizeof *list);
    list[n_carry] = number(s, 0);
    list[n + 1] = j;
    ct__graph *cond = in_session(s, "goes_on", inner_part, 1);
    ct__graph *body = cond ? in_session(s, "iteration", inner_part, 0) : NULL;
    ct__graph *const region[] = {cond, body};
    bool fine = body && apply(s, CT__OP_while, &attrs, (ct_list){n + 2, list}, 2, region, result,
                              n_carry + 1);
    ct__graph_release(cond);
    ct__graph_release(body);
    return fine ? ct__trace_close(s->w->ctx, s->node->at, n_carry, result) : NULL;
}

/* (carry…, j, captures…) -> cond */
static ct__graph *outer_cond(const site *s, int64_t unused, ct__arena *arena)
{
    ct_tensor **list = CT__NEW_ARRAY(arena, ct_tensor *, s->node->n_operands), *goes_on;
    (void)unused;
    if (!list) {
        out_of_memory(s->w);
        return NULL;
    }
    split_params(s, list);
    if (!ct__replay(s->w->ctx, s->node->at, s->body[0], list, &goes_on))
        return NULL;
    return ct__trace_close(s->w->ctx, s->node->at, 1, &goes_on);
}

/* (carry…, j, captures…) -> (the segment's carry…, j + 1) */
static ct__graph *outer_body(const site *s, int64_t unused, ct__arena *arena)
{
    size_t n = s->node->n_operands, n_carry = s->loop.n_carry;
    ct_tensor **list = CT__NEW_ARRAY(arena, ct_tensor *, n + 1);
    ct_tensor **result = CT__NEW_ARRAY(arena, ct_tensor *, n_carry + 1);
    (void)unused;
    if (!list || !result) {
        out_of_memory(s->w);
        return NULL;
    }
    ct_tensor *j = split_params(s, list);
    memmove(list + n_carry + 1, list + n_carry, (n - n_carry) * sizeof *list);
    list[n_carry] = j;
    ct__graph *part = segment(s, "segment", while_segment, 0);
    bool fine = part && ct__replay(s->w->ctx, s->node->at, part, list, result);
    ct__graph_release(part);
    result[n_carry] = ct_op_add_at(s->node->at, j, number(s, 1));
    return fine ? ct__trace_close(s->w->ctx, s->node->at, n_carry + 1, result) : NULL;
}

static bool record_while(const site *s, ct_tensor **result)
{
    size_t n = s->node->n_operands, n_carry = s->loop.n_carry;
    const ct__attrs attrs = {.loop = {.n_carry = (int64_t)n_carry + 1}};
    ct_tensor **operand = CT__NEW_ARRAY(s->w->arena, ct_tensor *, n + 1);
    ct_tensor **all = CT__NEW_ARRAY(s->w->arena, ct_tensor *, n_carry + 1);
    if (!operand || !all)
        return out_of_memory(s->w);
    for (size_t i = 0; i <= n; i++)
        operand[i] = i < n_carry ? s->operand[i] : i == n_carry ? number(s, 1) : s->operand[i - 1];
    ct__graph *cond = in_session(s, "goes_on", outer_cond, 0);
    ct__graph *body = cond ? in_session(s, "segments", outer_body, 0) : NULL;
    ct__graph *const region[] = {cond, body};
    bool fine = body && apply(s, CT__OP_while, &attrs, (ct_list){n + 1, operand}, 2, region, all,
                              n_carry + 1);
    ct__graph_release(cond);
    ct__graph_release(body);
    for (size_t i = 0; fine && i < n_carry; i++)
        result[i] = all[i];
    return fine;
}

/* ---- Loops whose count a run knows: half of the limit is for the iterations of a segment. */

static bool set_cap(site *s)
{
    double iteration = bytes_of_body(s->body[s->loop.body]);
    double limit = (double)s->w->options->bytes;
    if (s->w->options->strategy != CT_REVERSE_LIMIT || iteration == 0)
        return true;
    if (iteration + bytes_of_carry(s) > limit)
        return refuse_limit(s, iteration + bytes_of_carry(s));
    s->cap = (int64_t)(limit / 2 / iteration);
    s->cap = s->cap > 0 ? s->cap : 1;
    return true;
}

static bool record_loop(site *s, ct_tensor **result)
{
    if (s->node->op == CT__OP_scan)
        return record_scan(s, result);
    if (!set_cap(s))
        return false;
    return s->node->op == CT__OP_for ? record_for(s, result) : record_while(s, result);
}

/* ---- Graphs. */

/* The node's bodies, rewritten; borrowed. NULL after an error. */
static ct__graph **rewritten_bodies(loops *w, const ct__node *node)
{
    ct__graph **body = CT__NEW_ARRAY(w->arena, ct__graph *, node->n_regions);
    if (!body)
        out_of_memory(w);
    for (size_t r = 0; body && r < node->n_regions; r++) {
        body[r] = rewrite(w, node->region[r]);
        if (!body[r])
            return NULL;
    }
    return body;
}

static bool rewrite_node(loops *w, const ct__graph *graph, const ct__node *from, ct_tensor **value)
{
    ct__node node = *from;
    ct__graph **body = ct__has(from->op, CT__CONTROL) ? rewritten_bodies(w, from) : NULL;
    site s = {.w = w, .node = &node, .body = body};
    if (ct__has(from->op, CT__CONTROL) && !body)
        return false;
    if (body)
        node.region = body;
    if (!ct__loop_of(node.op, node.attrs, &s.loop))
        return ct__replay_node(w->ctx, graph, &node, w->arena, value);
    ct_tensor **operand = CT__NEW_ARRAY(w->arena, ct_tensor *, node.n_operands);
    if (!operand)
        return out_of_memory(w);
    for (size_t i = 0; i < node.n_operands; i++)
        operand[i] = value[node.operand[i]];
    s.operand = operand;
    return record_loop(&s, value + node.first_result);
}

static ct__graph *rewrite_in(loops *w, const ct__graph *graph)
{
    ct_tensor **value = CT__NEW_ARRAY(w->arena, ct_tensor *, graph->n_values);
    ct_tensor **result = CT__NEW_ARRAY(w->arena, ct_tensor *, graph->n_results);
    if (!value || !result) {
        out_of_memory(w);
        return NULL;
    }
    for (size_t i = 0; i < graph->n_params; i++) {
        ct__id id = graph->param[i];
        value[id] = ct__trace_param(w->ctx, w->at, graph->value[id].type);
        if (graph->value[id].name)
            ct_name(value[id], graph->value[id].name);
    }
    for (size_t i = 0; i < graph->n_nodes && !ct_failed(w->ctx); i++)
        rewrite_node(w, graph, &graph->node[i], value);
    for (size_t i = 0; i < graph->n_results; i++)
        result[i] = value[graph->result[i]];
    return ct__trace_close(w->ctx, w->at, graph->n_results, result);
}

/* Borrowed from the list of what is done; NULL after an error. */
static ct__graph *rewrite(loops *w, ct__graph *graph)
{
    for (rewritten *d = w->done; d; d = d->next)
        if (d->from == graph)
            return d->to;
    ct__arena arena;
    ct__session session;
    rewritten *entry = CT__NEW(w->arena, rewritten);
    if (!entry) {
        out_of_memory(w);
        return NULL;
    }
    if (!ct__session_begin(&session, w->ctx, w->at, &arena, "reverse", graph))
        return NULL;
    ct__graph *to = rewrite_in(w, graph);
    ct__session_end(&session);
    if (!to)
        return NULL;
    *entry = (rewritten){w->done, graph, to};
    w->done = entry;
    return to;
}

/* ---- The transform. */

static bool check_options(ct_context *ctx, ct_place at, const ct_reverse_options *o)
{
    const char *wrong = o->strategy > CT_REVERSE_LIMIT ? "there is no such strategy"
                        : o->strategy == CT_REVERSE_BINOMIAL && o->snapshots < 1
                            ? "there must be 1 snapshot at least"
                        : o->strategy == CT_REVERSE_LIMIT && o->bytes < 0 ? "bytes is negative"
                                                                          : NULL;
    if (wrong)
        ct__error(ctx, at, CT_ERR_ARGUMENT, "reverse_loops: %s", wrong);
    return !wrong;
}

static ct__graph *transformed(loops *w, ct__graph *graph)
{
    w->i64 = ct__type(w->arena, CT_I64, 0, NULL);
    ct__graph *to = w->i64 ? rewrite(w, graph) : NULL;
    if (!to || !ct__graph_set_arguments(to, graph->n_arguments, graph->leaves))
        out_of_memory(w); /* unless there is an error already */
    to = ct_failed(w->ctx) ? NULL : ct__graph_retain(to);
    for (rewritten *d = w->done; d; d = d->next)
        ct__graph_release(d->to);
    return to;
}

ct_function *ct_reverse_loops_at(ct_place at, ct_function *f, const ct_reverse_options *options)
{
    ct_context *ctx = ct_function_context(f);
    ct_reverse_options o = {.size = sizeof o};
    if (!ct__function_check(ctx, at, "reverse_loops", f) ||
        !ct__read_options(ctx, at, "reverse_loops", "ct_reverse_options", options, &o, sizeof o) ||
        !check_options(ctx, at, &o))
        return ct__poison_function(ctx);
    ct__arena arena;
    ct__arena_init(&arena, &ctx->allocator);
    loops w = {.ctx = ctx, .at = at, .options = &o, .arena = &arena};
    ct__graph *graph = o.strategy == CT_REVERSE_KEEP_ALL ? ct__graph_retain(f->graph)
                                                         : transformed(&w, f->graph);
    ct__arena_free(&arena);
    return ct__function_new(ctx, at, graph);
}
