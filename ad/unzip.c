/* Unzipping call, if and scan: one node on known values, whose extra results are the residuals, and
 * one on unknown values, which takes them. */
#include "ad/derive.h"

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
                                    .n_regions = q->node->n_regions,
                                    .region = region},
                     result, n_results);
}

/* Append the operands from `first` to `end` that are unknown or known, as `unknown` says. */
static void append_operands(const ct__unzip *q, size_t first, size_t end, bool unknown,
                            ct_tensor **list, size_t *count)
{
    for (size_t i = first; i < end; i++)
        if (q->unknown[i] == unknown)
            list[(*count)++] = q->operand[i];
}

/* Spread the results of both nodes over the original's. known[] and unknown[] hold them in order.
 */
static void merge_results(const ct__unzip *q, const bool *unknown_result, ct_tensor *const *known,
                          ct_tensor *const *unknown)
{
    for (size_t i = 0; i < q->node->n_results; i++) {
        q->unknown_result[i] = unknown_result[i];
        q->result[i] = unknown_result[i] ? *unknown++ : *known++;
    }
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
    append_operands(q, 0, n, false, known_operand, &n_known);
    if (!apply(q, NULL, n_known, known_operand, &cut->known, known, cut->known->n_results))
        return false;
    size_t computed = count_known_results(q, cut->unknown_result);
    for (size_t i = 0; i < cut->n_residuals; i++)
        unknown_operand[n_unknown++] = cut->residual_param[i] < 0
                                           ? known[computed++]
                                           : q->operand[cut->residual_param[i]];
    append_operands(q, 0, n, true, unknown_operand, &n_unknown);
    if (!apply(q, NULL, n_unknown, unknown_operand, &cut->unknown, unknown,
               cut->unknown->n_results))
        return false;
    merge_results(q, cut->unknown_result, known, unknown);
    return true;
}

bool ct__unzip_call(ct__unzip *q)
{
    const ct__cut *cut = ct__derived_cut(q->ctx, q->node->at, q->node->region[0], q->unknown);
    return cut && unzip_call(q, cut);
}

/* ---- if: both branches give the same residuals. Slot s holds a residual of each branch that has
 * one of this type, and zeros from a branch that has none. */

typedef struct slots {
    size_t count;
    const ct_type **type;
    int64_t *residual[2]; /* of each branch, or -1 */
} slots;

typedef struct unzip_if {
    ct__unzip *q;
    ct__cut cut[2];
    slots slot;
    size_t n_captures;
    const bool *unknown; /* per capture */
    bool *needed;        /* known captures that the unknown side reads */
    const bool *unknown_result;
} unzip_if;

/* Cut both branches so that they agree on which results are unknown. */
static bool cut_branches(unzip_if *w)
{
    ct__unzip *q = w->q;
    size_t n = q->node->n_results;
    bool *must = new_flags(q, n);
    const bool *flow[2] = {NULL, NULL};
    for (int b = 0; must && b < 2; b++) {
        flow[b] = ct__unknown_results(q->ctx, q->node->at, q->node->region[b], w->unknown);
        if (!flow[b])
            return false;
        for (size_t i = 0; i < n; i++)
            must[i] = must[i] || flow[b][i];
    }
    for (bool again = must != NULL; again;) { /* once, where the flow foresaw the cuts */
        for (int b = 0; b < 2; b++) {
            ct__cut_free(&w->cut[b]);
            if (!ct__graph_cut(q->ctx, q->node->at, q->node->region[b], w->unknown, must, q->arena,
                               &w->cut[b]))
                return false;
        }
        again = false;
        for (size_t i = 0; i < n; i++) {
            const bool *a = w->cut[0].unknown_result, *b = w->cut[1].unknown_result;
            again = again || a[i] != b[i];
            must[i] = a[i] || b[i];
        }
    }
    w->unknown_result = must;
    return must != NULL;
}

static const ct_type *residual_type(const ct__cut *cut, size_t i)
{
    return ct__param_type(cut->unknown, i);
}

/* The first slot of this type that branch b does not use yet; a new one when there is none. */
static size_t find_slot(slots *s, int b, const ct_type *type)
{
    size_t i = 0;
    while (i < s->count && (s->residual[b][i] >= 0 || !ct__type_equal(s->type[i], type)))
        i++;
    if (i == s->count) {
        s->type[i] = type;
        s->residual[0][i] = s->residual[1][i] = -1;
        s->count++;
    }
    return i;
}

static bool assign_slots(unzip_if *w)
{
    ct__unzip *q = w->q;
    size_t room = w->cut[0].n_residuals + w->cut[1].n_residuals;
    w->needed = new_flags(q, w->n_captures);
    w->slot.type = CT__NEW_ARRAY(q->arena, const ct_type *, room);
    w->slot.residual[0] = CT__NEW_ARRAY(q->arena, int64_t, room);
    w->slot.residual[1] = CT__NEW_ARRAY(q->arena, int64_t, room);
    if (!w->needed || !w->slot.type || !w->slot.residual[0] || !w->slot.residual[1])
        return out_of_memory(q);
    for (int b = 0; b < 2; b++) {
        for (size_t i = 0; i < w->cut[b].n_residuals; i++) {
            if (w->cut[b].residual_param[i] >= 0)
                w->needed[w->cut[b].residual_param[i]] = true;
            else
                w->slot.residual[b][find_slot(&w->slot, b, residual_type(&w->cut[b], i))] =
                    (int64_t)i;
        }
    }
    return true;
}

/* (known captures…) -> (known results…, slots…). */
static ct__graph *known_branch(unzip_if *w, int b, ct__arena *arena)
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
        param[i] = ct__trace_param(q->ctx, q->node->at, ct__param_type(cut->known, i));
    if (!ct__replay(q->ctx, q->node->at, cut->known, param, value))
        return NULL;
    for (size_t i = 0; i < n_known; i++)
        result[i] = value[i];
    for (size_t s = 0; s < w->slot.count; s++) {
        int64_t residual = w->slot.residual[b][s];
        size_t computed = n_known; /* the residual's position among the computed ones */
        for (int64_t i = 0; i < residual; i++)
            computed += cut->residual_param[i] < 0;
        result[n_known + s] = residual < 0 ? ct__zeros(q->ctx, q->node->at, w->slot.type[s])
                                           : value[computed];
    }
    return ct__trace_close(q->ctx, q->node->at, n_known + w->slot.count, result);
}

/* (slots…, needed known captures…, unknown captures…) -> (unknown results…). */
static ct__graph *unknown_branch(unzip_if *w, int b, ct__arena *arena)
{
    ct__unzip *q = w->q;
    const ct__cut *cut = &w->cut[b];
    ct_tensor **argument = CT__NEW_ARRAY(arena, ct_tensor *, cut->unknown->n_params);
    ct_tensor **capture = CT__NEW_ARRAY(arena, ct_tensor *, w->n_captures);
    ct_tensor **result = CT__NEW_ARRAY(arena, ct_tensor *, cut->unknown->n_results);
    if (!argument || !capture || !result) {
        out_of_memory(q);
        return NULL;
    }
    for (size_t s = 0; s < w->slot.count; s++) {
        ct_tensor *param = ct__trace_param(q->ctx, q->node->at, w->slot.type[s]);
        if (w->slot.residual[b][s] >= 0)
            argument[w->slot.residual[b][s]] = param;
    }
    for (int side = 0; side < 2; side++)
        for (size_t i = 0; i < w->n_captures; i++)
            if (side ? w->unknown[i] : w->needed[i])
                capture[i] = ct__trace_param(q->ctx, q->node->at, q->operand[1 + i]->type);
    for (size_t i = 0; i < cut->n_residuals; i++)
        if (cut->residual_param[i] >= 0)
            argument[i] = capture[cut->residual_param[i]];
    size_t count = cut->n_residuals;
    for (size_t i = 0; i < w->n_captures; i++)
        if (w->unknown[i])
            argument[count++] = capture[i];
    if (!ct__replay(q->ctx, q->node->at, cut->unknown, argument, result))
        return NULL;
    return ct__trace_close(q->ctx, q->node->at, cut->unknown->n_results, result);
}

/* An unknown branch is linear in its last params, the unknown captures. */
static bool mark_linear(const unzip_if *w, ct__graph *branch)
{
    size_t count = 0;
    for (size_t i = 0; i < w->n_captures; i++)
        count += w->unknown[i];
    return ct__graph_set_linear(branch, count) || out_of_memory(w->q);
}

typedef ct__graph *make_branch(unzip_if *w, int b, ct__arena *arena);

static bool make_branches(unzip_if *w, make_branch *make, ct__graph **branch)
{
    branch[0] = branch[1] = NULL;
    for (int b = 0; b < 2; b++) {
        ct__arena arena;
        ct__session session;
        if (!ct__session_begin(&session, w->q->ctx, w->q->node->at, &arena, "branch",
                               w->q->node->region[b]))
            return false;
        branch[b] = make(w, b, &arena);
        ct__session_end(&session);
        if (branch[b] && make == unknown_branch && !mark_linear(w, branch[b]))
            return false;
    }
    return branch[0] && branch[1];
}

/* Record an if of the two branches, then let go of them. */
static bool apply_branches(unzip_if *w, make_branch *make, size_t n_operands,
                           ct_tensor *const *operand, ct_tensor **result, size_t n_results)
{
    ct__graph *branch[2];
    bool fine = make_branches(w, make, branch) &&
                apply(w->q, NULL, n_operands, operand, branch, result, n_results);
    ct__graph_release(branch[0]);
    ct__graph_release(branch[1]);
    return fine;
}

static bool record_if(unzip_if *w)
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
    append_operands(q, 1, n, false, known_operand, &n_known);
    if (!apply_branches(w, known_branch, n_known, known_operand, known, known_results))
        return false;
    for (size_t s = 0; s < w->slot.count; s++)
        unknown_operand[n_unknown++] = known[known_results - w->slot.count + s];
    for (size_t i = 0; i < w->n_captures; i++)
        if (w->needed[i])
            unknown_operand[n_unknown++] = q->operand[1 + i];
    append_operands(q, 1, n, true, unknown_operand, &n_unknown);
    if (!apply_branches(w, unknown_branch, n_unknown, unknown_operand, unknown,
                        w->cut[0].unknown->n_results))
        return false;
    merge_results(q, w->unknown_result, known, unknown);
    return true;
}

bool ct__unzip_if(ct__unzip *q)
{
    unzip_if w = {.q = q, .n_captures = q->node->n_operands - 1, .unknown = q->unknown + 1};
    bool fine = cut_branches(&w) && assign_slots(&w) && record_if(&w);
    ct__cut_free(&w.cut[0]);
    ct__cut_free(&w.cut[1]);
    return fine;
}

/* ---- scan. Residuals of an iteration are stacked by the known scan and read by the unknown one;
 * those that are x or captures are read where they are, and those that are the same in every
 * iteration are computed before the loop. */

typedef struct unzip_scan {
    ct__unzip *q;
    ct__cut cut;
    size_t n_carry, n_inputs;
    bool *unknown; /* per operand; a carry also when an iteration makes it unknown */
    ct_tensor **known, **unknown_results;
    int64_t *stacked;    /* per residual: its result among `known`, or -1 */
    ct_tensor **hoisted; /* per residual: its value before the loop, or NULL */
} unzip_scan;

/* A carry is on one side for all iterations: repeat until the sides are stable. */
static bool cut_body(unzip_scan *w)
{
    ct__unzip *q = w->q;
    w->unknown = new_flags(q, q->node->n_operands);
    bool *must = new_flags(q, q->node->n_results);
    const bool *flow;
    if (!w->unknown || !must)
        return false;
    for (size_t i = 0; i < q->node->n_operands; i++)
        w->unknown[i] = q->unknown[i];
    if (!ct__flow_scan(q->ctx, q->node->at, q->node, false, w->unknown, &flow))
        return false;
    for (bool again = true; again;) { /* once, where the flow foresaw the cut */
        for (size_t i = 0; i < w->n_carry; i++)
            must[i] = w->unknown[i];
        ct__cut_free(&w->cut);
        if (!ct__graph_cut(q->ctx, q->node->at, q->node->region[0], w->unknown, must, q->arena,
                           &w->cut))
            return false;
        again = false;
        for (size_t i = 0; i < w->n_carry; i++) {
            again = again || (w->cut.unknown_result[i] && !w->unknown[i]);
            w->unknown[i] = w->cut.unknown_result[i];
        }
    }
    return true;
}

static bool is_carry(const unzip_scan *w, size_t residual)
{
    int64_t param = w->cut.residual_param[residual];
    return param >= 0 && (size_t)param < w->n_carry;
}

static bool is_capture(const unzip_scan *w, size_t residual)
{
    int64_t param = w->cut.residual_param[residual];
    return w->hoisted[residual] || (param >= 0 && (size_t)param >= w->n_carry + w->n_inputs);
}

/* ---- Residuals that no carry and no row goes into. */

/* Per value of the known body: whether captures and constants alone determine it. */
static bool *find_invariant(const unzip_scan *w)
{
    const ct__graph *body = w->cut.known;
    bool *invariant = new_flags(w->q, body->n_values);
    size_t position = 0;
    for (size_t i = 0; invariant && i < w->q->node->n_operands; i++)
        if (!w->unknown[i])
            invariant[body->param[position++]] = i >= w->n_carry + w->n_inputs;
    for (size_t i = 0; invariant && i < body->n_nodes; i++) {
        const ct__node *node = &body->node[i];
        bool all = !ct__node_has_effect(node);
        for (size_t k = 0; k < node->n_operands; k++)
            all = all && invariant[node->operand[k]];
        for (size_t r = 0; r < node->n_results; r++)
            invariant[node->first_result + r] = all;
    }
    return invariant;
}

/* Record what the needed values of the known body are made of, in the trace around the loop. */
static bool hoist(const unzip_scan *w, bool *needed, ct_tensor **value)
{
    const ct__graph *body = w->cut.known;
    bool *node_needed = new_flags(w->q, body->n_nodes);
    for (size_t i = body->n_nodes; node_needed && i-- > 0;) {
        const ct__node *node = &body->node[i];
        for (size_t r = 0; r < node->n_results; r++)
            node_needed[i] = node_needed[i] || needed[node->first_result + r];
        for (size_t k = 0; node_needed[i] && k < node->n_operands; k++)
            needed[node->operand[k]] = true;
    }
    for (size_t i = 0; node_needed && i < body->n_nodes; i++)
        if (node_needed[i] && !ct__replay_node(w->q->ctx, body, &body->node[i], w->q->arena, value))
            return false;
    return node_needed != NULL;
}

/* Values of the known captures, to hoist from. */
static ct_tensor **capture_values(const unzip_scan *w)
{
    const ct__graph *body = w->cut.known;
    ct_tensor **value = new_list(w->q, body->n_values);
    size_t position = 0;
    for (size_t i = 0; value && i < w->q->node->n_operands; i++)
        if (!w->unknown[i])
            value[body->param[position++]] = w->q->operand[i];
    return value;
}

/* The value in the known body of a carry that the unknown side reads. */
static ct__id carry_value(const unzip_scan *w, size_t residual)
{
    size_t position = 0; /* among the known params, which come in order */
    for (int64_t i = 0; i < w->cut.residual_param[residual]; i++)
        position += !w->unknown[i];
    return w->cut.known->param[position];
}

/* Which value of the known body a residual is; false for those that are x or captures. */
static bool residual_value(const unzip_scan *w, size_t residual, size_t *computed, ct__id *id)
{
    if (w->cut.residual_param[residual] < 0)
        *id = w->cut.known->result[(*computed)++];
    else if (is_carry(w, residual))
        *id = carry_value(w, residual);
    else
        return false;
    return true;
}

/* Hoists what can be; the others become results of the known body, behind the known results. */
static bool stack_residuals(unzip_scan *w, const bool *invariant, bool *needed, ct_tensor **value,
                            ct__id *result)
{
    size_t count = count_known_results(w->q, w->cut.unknown_result), computed = count;
    ct__id id;
    for (size_t i = 0; i < count; i++)
        result[i] = w->cut.known->result[i];
    for (size_t r = 0; r < w->cut.n_residuals; r++) {
        w->stacked[r] = -1;
        if (!residual_value(w, r, &computed, &id))
            continue;
        if (invariant[id]) {
            needed[id] = true;
        } else {
            w->stacked[r] = (int64_t)count;
            result[count++] = id;
        }
    }
    if (!hoist(w, needed, value))
        return false;
    computed = count_known_results(w->q, w->cut.unknown_result);
    for (size_t r = 0; r < w->cut.n_residuals; r++)
        if (residual_value(w, r, &computed, &id) && invariant[id])
            w->hoisted[r] = value[id];
    return (ct__graph_set_results(w->cut.known, count, result) && ct__graph_prune(w->cut.known)) ||
           out_of_memory(w->q);
}

static bool choose_residuals(unzip_scan *w)
{
    ct__unzip *q = w->q;
    const ct__graph *body = w->cut.known;
    ct__id *result = CT__NEW_ARRAY(q->arena, ct__id, body->n_results + w->cut.n_residuals);
    bool *invariant = find_invariant(w), *needed = new_flags(q, body->n_values);
    ct_tensor **value = capture_values(w);
    w->stacked = CT__NEW_ARRAY(q->arena, int64_t, w->cut.n_residuals);
    w->hoisted = new_list(q, w->cut.n_residuals);
    if (!result || !invariant || !needed || !value || !w->stacked || !w->hoisted)
        return out_of_memory(q);
    return stack_residuals(w, invariant, needed, value, result);
}

static size_t append_group(const unzip_scan *w, size_t first, size_t end, bool unknown,
                           ct_tensor **list, size_t *count)
{
    size_t before = *count;
    for (size_t i = first; i < end; i++)
        if (w->unknown[i] == unknown)
            list[(*count)++] = w->q->operand[i];
    return *count - before;
}

static bool record_known(unzip_scan *w)
{
    ct__unzip *q = w->q;
    size_t n = q->node->n_operands, first_capture = w->n_carry + w->n_inputs, count = 0;
    ct_tensor **operand = new_list(q, n);
    w->known = new_list(q, w->cut.known->n_results);
    if (!operand || !w->known)
        return false;
    ct__attrs attrs = *q->node->attrs;
    attrs.scan.n_carry = (int64_t)append_group(w, 0, w->n_carry, false, operand, &count);
    attrs.scan.n_inputs = (int64_t)append_group(w, w->n_carry, first_capture, false, operand,
                                                &count);
    append_group(w, first_capture, n, false, operand, &count);
    return apply(q, &attrs, count, operand, &w->cut.known, w->known, w->cut.known->n_results);
}

/* Residuals of one kind, as operands and as positions in the order of the unknown body's params. */
static void append_residuals(const unzip_scan *w, bool captures, ct_tensor **operand, size_t *order,
                             size_t *count)
{
    for (size_t r = 0; r < w->cut.n_residuals; r++) {
        if (is_capture(w, r) != captures)
            continue;
        order[*count] = r;
        operand[(*count)++] = w->hoisted[r]        ? w->hoisted[r]
                              : w->stacked[r] >= 0 ? w->known[w->stacked[r]]
                                                   : w->q->operand[w->cut.residual_param[r]];
    }
}

/* Unknown operands of one group, likewise; *param counts the body's unknown params. */
static void append_unknown(const unzip_scan *w, size_t first, size_t end, ct_tensor **operand,
                           size_t *order, size_t *count, size_t *param)
{
    size_t before = *count;
    append_group(w, first, end, true, operand, count);
    for (size_t i = before; i < *count; i++)
        order[i] = (*param)++;
}

/* The unknown body takes (residuals…, carry…, x…, captures…); a scan wants carries first. */
static bool record_unknown(unzip_scan *w)
{
    ct__unzip *q = w->q;
    ct__graph *body = w->cut.unknown;
    size_t n = q->node->n_operands, first_capture = w->n_carry + w->n_inputs;
    size_t count = 0, param = w->cut.n_residuals;
    ct_tensor **operand = new_list(q, n + w->cut.n_residuals);
    size_t *order = CT__NEW_ARRAY(q->arena, size_t, body->n_params);
    w->unknown_results = new_list(q, body->n_results);
    if (!operand || !order || !w->unknown_results)
        return out_of_memory(q);
    ct__attrs attrs = *q->node->attrs;
    append_unknown(w, 0, w->n_carry, operand, order, &count, &param);
    attrs.scan.n_carry = (int64_t)count;
    append_residuals(w, false, operand, order, &count);
    append_unknown(w, w->n_carry, first_capture, operand, order, &count, &param);
    attrs.scan.n_inputs = (int64_t)count - attrs.scan.n_carry;
    append_residuals(w, true, operand, order, &count);
    append_unknown(w, first_capture, n, operand, order, &count, &param);
    ct__graph_permute_params(body, order);
    return apply(q, &attrs, count, operand, &body, w->unknown_results, body->n_results);
}

bool ct__unzip_scan(ct__unzip *q)
{
    unzip_scan w = {.q = q,
                    .n_carry = (size_t)q->node->attrs->scan.n_carry,
                    .n_inputs = (size_t)q->node->attrs->scan.n_inputs};
    bool fine = cut_body(&w) && choose_residuals(&w) && record_known(&w) && record_unknown(&w);
    if (fine)
        merge_results(q, w.cut.unknown_result, w.known, w.unknown_results);
    ct__cut_free(&w.cut);
    return fine;
}
