/* Unzipping call, if and case: one node on known values, whose extra results are the residuals, and
 * one on unknown values, which takes them. Loops are unzipped in unzip_loop.c. */
#include "ad/remake.h"

/* ---- Shared parts. */

static bool out_of_memory(const ct__unzip *q)
{
    ct__error_memory(q->ctx, q->node->at, "split");
    return false;
}

static bool *new_flags(const ct__unzip *q, size_t count)
{
    bool *flags = CT__NEW_ARRAY(q->arena, bool, count);
    if (!flags)
        out_of_memory(q);
    return flags;
}

static ct_tensor **new_list(const ct__unzip *q, size_t count)
{
    ct_tensor **list = CT__NEW_ARRAY(q->arena, ct_tensor *, count);
    if (!list)
        out_of_memory(q);
    return list;
}

/* The node's operation on other lists; of a composite a call, for it is another function then. */
static bool apply(const ct__unzip *q, const ct__attrs *attrs, size_t n_operands,
                  ct_tensor *const *operand, ct__graph *const *region, ct_tensor **result,
                  size_t n_results)
{
    bool calls = ct__has(q->node->op, CT__CALLS);
    return ct__apply(&(ct__request){.ctx = q->ctx,
                                    .at = q->node->at,
                                    .op = calls ? CT__OP_call : q->node->op,
                                    .attrs = calls ? NULL : attrs,
                                    .n_operands = n_operands,
                                    .operand = operand,
                                    .n_regions = calls ? 1 : q->node->n_regions,
                                    .region = region},
                     result, n_results);
}

void ct__unzip_operands(const ct__unzip *q, const bool *unknown, size_t first, size_t end,
                        bool side, ct_tensor **list, size_t *count)
{
    for (size_t i = first; i < end; i++)
        if (unknown[i] == side)
            list[(*count)++] = q->operand[i];
}

void ct__unzip_merge(const ct__unzip *q, const bool *unknown_result, ct_tensor *const *known,
                     ct_tensor *const *unknown)
{
    for (size_t i = 0; i < q->node->n_results; i++) {
        q->unknown_result[i] = unknown_result[i];
        q->result[i] = unknown_result[i] ? *unknown++ : *known++;
    }
}

void ct__find_needed(const ct__graph *graph, const bool *kept, bool *needed)
{
    for (size_t i = graph->n_nodes; i-- > 0;) {
        const ct__node *node = &graph->node[i];
        bool any = false;
        for (size_t r = 0; r < node->n_results; r++)
            any = any ||
                  (needed[node->first_result + r] && !(kept && kept[node->first_result + r]));
        for (size_t k = 0; any && k < node->n_operands; k++)
            needed[node->operand[k]] = true;
    }
}

bool ct__replay_needed(ct_context *ctx, const ct__graph *graph, const bool *needed,
                       ct__arena *arena, ct_tensor **value)
{
    for (size_t i = 0; i < graph->n_nodes; i++) {
        const ct__node *node = &graph->node[i];
        bool any = false;
        for (size_t r = 0; r < node->n_results; r++)
            any = any || (needed[node->first_result + r] && !value[node->first_result + r]);
        if (any && !ct__replay_node(ctx, graph, node, arena, value))
            return false;
    }
    return true;
}

static size_t count_known_results(const ct__unzip *q, const bool *unknown_result)
{
    size_t count = 0;
    for (size_t i = 0; i < q->node->n_results; i++)
        count += !unknown_result[i];
    return count;
}

/* ---- call. */

static bool unzip_call(ct__unzip *q, const ct__cut *cut)
{
    size_t n = q->node->n_operands, n_known = 0, n_unknown = 0;
    ct_tensor **known_operand = new_list(q, n);
    ct_tensor **unknown_operand = new_list(q, n + cut->n_residuals);
    ct_tensor **known = new_list(q, cut->known->n_results);
    ct_tensor **unknown = new_list(q, cut->unknown->n_results);
    if (!known_operand || !unknown_operand || !known || !unknown)
        return false;
    ct__unzip_operands(q, q->unknown, 0, n, false, known_operand, &n_known);
    if (!apply(q, NULL, n_known, known_operand, &cut->known, known, cut->known->n_results))
        return false;
    size_t computed = count_known_results(q, cut->unknown_result);
    for (size_t i = 0; i < cut->n_residuals; i++)
        unknown_operand[n_unknown++] = cut->residual_param[i] < 0
                                           ? known[computed++]
                                           : q->operand[cut->residual_param[i]];
    ct__unzip_operands(q, q->unknown, 0, n, true, unknown_operand, &n_unknown);
    if (!apply(q, NULL, n_unknown, unknown_operand, &cut->unknown, unknown,
               cut->unknown->n_results))
        return false;
    ct__unzip_merge(q, cut->unknown_result, known, unknown);
    return true;
}

bool ct__unzip_call(ct__unzip *q)
{
    const ct__cut *cut = ct__derived_cut(q->ctx, q->node->at, q->node->region[0], q->unknown,
                                         false);
    return cut && unzip_call(q, cut);
}

/* ---- if, case: all branches give the same residuals. A slot holds a residual of each branch that
 * has one of its type left, and zeros from a branch that has none. */

#define NO_SLOT SIZE_MAX

/* The slots of one type, in the order of their numbers. */
typedef struct kind {
    const ct_type *type;
    size_t first, last;
    size_t free; /* the first that the branch at hand does not use */
} kind;

typedef struct slots {
    size_t count;
    const ct_type **type;
    size_t *next; /* the next one of the same type */
    size_t n_kinds;
    kind *kind;
    size_t **of; /* of[b][r]: of residual r of branch b; NO_SLOT: it is a capture */
} slots;

typedef struct branches {
    ct__unzip *q;
    size_t n; /* of branches */
    ct__cut *cut;
    slots slot;
    size_t n_captures;
    const bool *unknown; /* per capture */
    bool *needed;        /* known captures that the unknown side reads */
    const bool *unknown_result;
} branches;

/* must[]: the results that some branch makes unknown. */
static bool foresee_unknown(const branches *w, bool *must)
{
    ct__unzip *q = w->q;
    for (size_t b = 0; b < w->n; b++) {
        const bool *flow = ct__unknown_results(q->ctx, q->node->at, q->node->region[b], w->unknown);
        if (!flow)
            return false;
        for (size_t i = 0; i < q->node->n_results; i++)
            must[i] = must[i] || flow[i];
    }
    return true;
}

/* Cut all branches so that they agree on which results are unknown. */
static bool cut_branches(branches *w)
{
    ct__unzip *q = w->q;
    size_t n = q->node->n_results;
    bool *must = new_flags(q, n);
    w->cut = CT__NEW_ARRAY(q->arena, ct__cut, w->n);
    if (!must || !w->cut)
        return out_of_memory(q);
    if (!foresee_unknown(w, must))
        return false;
    for (bool again = true; again;) { /* once, where the flow foresaw the cuts */
        again = false;
        for (size_t b = 0; b < w->n; b++) {
            ct__cut_free(&w->cut[b]);
            if (!ct__graph_cut(q->ctx, q->node->at, q->node->region[b], w->unknown, must,
                               &ct__prices_of_body, q->arena, &w->cut[b]))
                return false;
            for (size_t i = 0; i < n; i++) {
                again = again || w->cut[b].unknown_result[i] != must[i];
                must[i] = w->cut[b].unknown_result[i];
            }
        }
    }
    w->unknown_result = must;
    return true;
}

static kind *find_kind(slots *s, const ct_type *type)
{
    size_t k = 0;
    while (k < s->n_kinds && !ct__type_equal(s->kind[k].type, type))
        k++;
    if (k == s->n_kinds)
        s->kind[s->n_kinds++] = (kind){type, NO_SLOT, NO_SLOT, NO_SLOT};
    return &s->kind[k];
}

/* A slot that the branch at hand does not use yet; a new one when there is none. */
static size_t take_slot(slots *s, const ct_type *type)
{
    kind *k = find_kind(s, type);
    size_t slot = k->free;
    if (slot == NO_SLOT) {
        slot = s->count++;
        s->type[slot] = type;
        s->next[slot] = NO_SLOT;
        *(k->first == NO_SLOT ? &k->first : &s->next[k->last]) = slot;
        k->last = slot;
    }
    k->free = s->next[slot];
    return slot;
}

static bool make_slots(branches *w)
{
    ct__unzip *q = w->q;
    size_t room = 0;
    for (size_t b = 0; b < w->n; b++)
        room += w->cut[b].n_residuals;
    w->needed = new_flags(q, w->n_captures);
    w->slot = (slots){.type = CT__NEW_ARRAY(q->arena, const ct_type *, room),
                      .next = CT__NEW_ARRAY(q->arena, size_t, room),
                      .kind = CT__NEW_ARRAY(q->arena, kind, room),
                      .of = CT__NEW_ARRAY(q->arena, size_t *, w->n)};
    if (!w->needed || !w->slot.type || !w->slot.next || !w->slot.kind || !w->slot.of)
        return out_of_memory(q);
    for (size_t b = 0; b < w->n; b++) {
        w->slot.of[b] = CT__NEW_ARRAY(q->arena, size_t, w->cut[b].n_residuals);
        if (!w->slot.of[b])
            return out_of_memory(q);
    }
    return true;
}

static bool assign_slots(branches *w)
{
    if (!make_slots(w))
        return false;
    for (size_t b = 0; b < w->n; b++) {
        const ct__cut *cut = &w->cut[b];
        for (size_t k = 0; k < w->slot.n_kinds; k++)
            w->slot.kind[k].free = w->slot.kind[k].first;
        for (size_t r = 0; r < cut->n_residuals; r++) {
            w->slot.of[b][r] = NO_SLOT;
            if (cut->residual_param[r] >= 0)
                w->needed[cut->residual_param[r]] = true;
            else
                w->slot.of[b][r] = take_slot(&w->slot, ct__param_type(cut->unknown, r));
        }
    }
    return true;
}

/* (known captures…) -> (known results…, slots…). */
static ct__graph *known_branch(branches *w, size_t b, ct__arena *arena)
{
    ct__unzip *q = w->q;
    const ct__cut *cut = &w->cut[b];
    size_t n_known = count_known_results(q, w->unknown_result);
    ct_tensor **param = CT__NEW_ARRAY(arena, ct_tensor *, cut->known->n_params);
    ct_tensor **value = CT__NEW_ARRAY(arena, ct_tensor *, cut->known->n_results);
    ct_tensor **result = CT__NEW_ARRAY(arena, ct_tensor *, n_known + w->slot.count);
    if (!param || !value || !result) {
        out_of_memory(q);
        return NULL;
    }
    for (size_t i = 0; i < cut->known->n_params; i++)
        param[i] = ct__trace_param_like(q->ctx, q->node->at, cut->known, i);
    if (!ct__replay(q->ctx, q->node->at, cut->known, param, value))
        return NULL;
    size_t count = n_known;
    for (size_t i = 0; i < n_known; i++)
        result[i] = value[i];
    for (size_t r = 0; r < cut->n_residuals; r++)
        if (w->slot.of[b][r] != NO_SLOT)
            result[n_known + w->slot.of[b][r]] = value[count++];
    for (size_t s = 0; s < w->slot.count; s++)
        if (!result[n_known + s])
            result[n_known + s] = ct__zeros(q->ctx, q->node->at, w->slot.type[s]);
    return ct__trace_close(q->ctx, q->node->at, n_known + w->slot.count, result);
}

/* Params (slots…, needed known captures…, unknown captures…): what the branch's unknown half takes.
 */
static bool unknown_arguments(const branches *w, size_t b, ct__arena *arena, ct_tensor **argument)
{
    ct__unzip *q = w->q;
    const ct__cut *cut = &w->cut[b];
    ct_tensor **slot = CT__NEW_ARRAY(arena, ct_tensor *, w->slot.count);
    ct_tensor **capture = CT__NEW_ARRAY(arena, ct_tensor *, w->n_captures);
    if (!slot || !capture)
        return out_of_memory(q);
    for (size_t s = 0; s < w->slot.count; s++)
        slot[s] = ct__trace_param(q->ctx, q->node->at, w->slot.type[s]);
    for (int side = 0; side < 2; side++)
        for (size_t i = 0; i < w->n_captures; i++)
            if (side ? w->unknown[i] : w->needed[i])
                capture[i] = ct__trace_param_like(q->ctx, q->node->at, q->node->region[b], i);
    for (size_t r = 0; r < cut->n_residuals; r++) {
        argument[r] = w->slot.of[b][r] != NO_SLOT ? slot[w->slot.of[b][r]]
                                                  : capture[cut->residual_param[r]];
        ct_name(argument[r], cut->unknown->value[cut->unknown->param[r]].name);
    }
    size_t count = cut->n_residuals;
    for (size_t i = 0; i < w->n_captures; i++)
        if (w->unknown[i])
            argument[count++] = capture[i];
    return true;
}

/* The same -> (unknown results…). */
static ct__graph *unknown_branch(branches *w, size_t b, ct__arena *arena)
{
    ct__unzip *q = w->q;
    const ct__graph *unknown = w->cut[b].unknown;
    ct_tensor **argument = CT__NEW_ARRAY(arena, ct_tensor *, unknown->n_params);
    ct_tensor **result = CT__NEW_ARRAY(arena, ct_tensor *, unknown->n_results);
    if (!argument || !result) {
        out_of_memory(q);
        return NULL;
    }
    if (!unknown_arguments(w, b, arena, argument) ||
        !ct__replay(q->ctx, q->node->at, unknown, argument, result))
        return NULL;
    return ct__trace_close(q->ctx, q->node->at, unknown->n_results, result);
}

/* An unknown branch is linear in its last params, the unknown captures. */
static bool mark_linear(const branches *w, ct__graph *branch)
{
    size_t count = 0;
    for (size_t i = 0; i < w->n_captures; i++)
        count += w->unknown[i];
    return ct__graph_set_linear(branch, count) || out_of_memory(w->q);
}

typedef ct__graph *make_branch(branches *w, size_t b, ct__arena *arena);

static bool make_branches(branches *w, make_branch *make, ct__graph **branch)
{
    for (size_t b = 0; b < w->n; b++) {
        ct__arena arena;
        ct__session session;
        if (!ct__session_begin(&session, w->q->ctx, w->q->node->at, &arena, "branch",
                               w->q->node->region[b]))
            return false;
        branch[b] = make(w, b, &arena);
        ct__session_end(&session);
        if (!branch[b] || (make == unknown_branch && !mark_linear(w, branch[b])))
            return false;
    }
    return true;
}

/* Record a choice of the branches, then let go of them. */
static bool apply_branches(branches *w, make_branch *make, size_t n_operands,
                           ct_tensor *const *operand, ct_tensor **result, size_t n_results)
{
    ct__graph **branch = CT__NEW_ARRAY(w->q->arena, ct__graph *, w->n);
    if (!branch)
        return out_of_memory(w->q);
    bool fine = make_branches(w, make, branch) &&
                apply(w->q, NULL, n_operands, operand, branch, result, n_results);
    for (size_t b = 0; b < w->n; b++)
        ct__graph_release(branch[b]);
    return fine;
}

static bool record_branches(branches *w)
{
    ct__unzip *q = w->q;
    size_t n = q->node->n_operands, n_known = 1, n_unknown = 1;
    size_t known_results = count_known_results(q, w->unknown_result) + w->slot.count;
    ct_tensor **known_operand = new_list(q, n);
    ct_tensor **unknown_operand = new_list(q, n + w->slot.count);
    ct_tensor **known = new_list(q, known_results);
    ct_tensor **unknown = new_list(q, w->cut[0].unknown->n_results);
    if (!known_operand || !unknown_operand || !known || !unknown)
        return false;
    known_operand[0] = unknown_operand[0] = q->operand[0];
    ct__unzip_operands(q, q->unknown, 1, n, false, known_operand, &n_known);
    if (!apply_branches(w, known_branch, n_known, known_operand, known, known_results))
        return false;
    for (size_t s = 0; s < w->slot.count; s++)
        unknown_operand[n_unknown++] = known[known_results - w->slot.count + s];
    for (size_t i = 0; i < w->n_captures; i++)
        if (w->needed[i])
            unknown_operand[n_unknown++] = q->operand[1 + i];
    ct__unzip_operands(q, q->unknown, 1, n, true, unknown_operand, &n_unknown);
    if (!apply_branches(w, unknown_branch, n_unknown, unknown_operand, unknown,
                        w->cut[0].unknown->n_results))
        return false;
    ct__unzip_merge(q, w->unknown_result, known, unknown);
    return true;
}

bool ct__unzip_branches(ct__unzip *q)
{
    branches w = {.q = q,
                  .n = q->node->n_regions,
                  .n_captures = q->node->n_operands - 1,
                  .unknown = q->unknown + 1};
    bool fine = cut_branches(&w) && assign_slots(&w) && record_branches(&w);
    for (size_t b = 0; w.cut && b < w.n; b++)
        ct__cut_free(&w.cut[b]);
    return fine;
}
