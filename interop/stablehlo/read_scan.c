#include "interop/stablehlo/loops.h"
#include "interop/stablehlo/read_build.h"

/* ---- Loops that print_scan.c made of scans, marked with ct.scan = {…}:
 *
 *     while(n = 0, carry…, stack…)   n < L
 *         i = n, or L - 1 - n
 *         x = reshape(dynamic_slice(X, i, 0…))                        for each X
 *         … the body …
 *         return n + 1, carry'…, dynamic_update_slice(stack, reshape(y), i, 0…)
 *
 * and, where L is 0, with x = reshape(concatenate(X, zeros)) and dynamic_slice(reshape(y), i, 0…)
 * instead of reshape(y); of stacks with x = stack_get(X, i) and stack_add(stack, i, y). A loop that
 * has not exactly this form stays the while that it is. */

typedef struct loop {
    ct__reader *r;
    ct__statement *s;
    int64_t length;
    bool is_reverse;
    size_t n_carry, n_outputs;
    const ct__graph *body;
    /* what is found: slices of X as nodes' results in the body, and the y */
    size_t n_inputs;
    ct_tensor **input;
    bool *is_access; /* of the body's nodes: takes an element of an input */
    ct__id *element;
    ct__id *y;
    const ct__node **user; /* of each of the body's values: the only node that uses it, or NULL */
} loop;

/* ---- The form of the loop. */

static bool is_index(const loop *l, ct__id id)
{
    const ct__id counter = l->body->param[0];
    if (!l->is_reverse || l->length == 0)
        return id == counter;
    const ct__node *node = ct__node_with(l->body, id, CT__OP_subtract);
    return node && node->operand[1] == counter &&
           ct__is_integer(l->r, &l->s->region[1], node->operand[0], l->length - 1);
}

/* Whether operands first… of the node are index, 0, 0, …: one per axis. */
static bool is_position(const loop *l, const ct__node *node, size_t first, int rank)
{
    if (node->n_operands != first + (size_t)rank || rank == 0 || !is_index(l, node->operand[first]))
        return false;
    for (size_t d = 1; d < (size_t)rank; d++)
        if (!ct__is_integer(l->r, &l->s->region[1], node->operand[first + d], 0))
            return false;
    return true;
}

static bool has_counter(const loop *l)
{
    ct__id limit;
    return ct__counts_up(l->r, l->s, &limit) &&
           ct__is_integer(l->r, &l->s->region[0], limit, l->length);
}

static bool find_users(loop *l)
{
    bool *is_used = CT__NEW_ARRAY(&l->r->arena, bool, l->body->n_values);
    l->user = CT__NEW_ARRAY(&l->r->arena, const ct__node *, l->body->n_values);
    if (!is_used || !l->user)
        return ct__read_fail_memory(l->r);
    for (size_t n = 0; n < l->body->n_nodes; n++) {
        const ct__node *node = &l->body->node[n];
        for (size_t i = 0; i < node->n_operands; i++) {
            const ct__id id = node->operand[i];
            l->user[id] = is_used[id] ? NULL : node;
            is_used[id] = true;
        }
    }
    return true;
}

/* The reshape of the node's only result, which nothing else uses; NULL: there is none. */
static const ct__node *reshape_of(const loop *l, const ct__node *slice)
{
    const ct__node *user = l->user[slice->first_result];
    return user && user->op == CT__OP_reshape ? user : NULL;
}

/* Whether `row` is `stack` without axis 0, which has the loop's length. */
static bool is_row(const loop *l, const ct_type *row, const ct_type *stack)
{
    if (stack->kind != CT__TENSOR || row->rank != stack->rank - 1 || stack->dim[0] != l->length)
        return false;
    for (int d = 0; d < row->rank; d++)
        if (row->dim[d] != stack->dim[d + 1])
            return false;
    return true;
}

/* Whether the node takes element i of an X: a slice at the index, or, of an X that has no element,
 * concatenate(X, constant). */
static bool is_access(const loop *l, const ct__node *node)
{
    if (node->op == CT__OP_stack_get)
        return is_index(l, node->operand[1]);
    if (node->op == CT__OP_dynamic_slice)
        return l->length > 0 &&
               is_position(l, node, 1, ct__graph_type(l->body, node->operand[0])->rank);
    return l->length == 0 && node->op == CT__OP_concatenate && node->n_operands == 2 &&
           node->attrs->concatenate.dimension == 0 &&
           ct__graph_literal(l->body, node->operand[1]) != NULL;
}

static bool add_input(loop *l, const ct__node *access)
{
    ct_tensor *x = ct__captured(&l->s->region[1], access->operand[0]);
    const bool is_get = access->op == CT__OP_stack_get;
    const ct__node *row = !x ? NULL : is_get ? access : reshape_of(l, access);
    if (!row || !(is_get || is_row(l, ct__graph_type(l->body, row->first_result), x->type)))
        return false;
    l->input[l->n_inputs] = x;
    l->is_access[access - l->body->node] = true;
    l->element[l->n_inputs++] = row->first_result;
    return true;
}

/* The inputs, in their order. */
static bool find_inputs(loop *l, size_t count)
{
    for (size_t n = 0; n < l->body->n_nodes; n++) {
        const ct__node *node = &l->body->node[n];
        if (!is_access(l, node))
            continue;
        if (l->length == 0 && l->n_inputs == count) /* the program's own */
            break;
        if (l->n_inputs == count || !add_input(l, node))
            return false;
    }
    return l->n_inputs == count;
}

/* stack_add(stack, i, y) */
static bool find_added(loop *l, size_t k, ct__id stack)
{
    const ct__node *add = ct__node_with(l->body, l->body->result[1 + l->n_carry + k],
                                        CT__OP_stack_add);
    if (!add || add->operand[0] != stack || !is_index(l, add->operand[1]))
        return false;
    l->y[k] = add->operand[2];
    return true;
}

/* What is put into the stack at the index, reshape(y); NULL: something else happens to it. */
static const ct__node *row_put_in(const loop *l, ct__id stack, ct__id result)
{
    const int rank = ct__graph_type(l->body, stack)->rank;
    const ct__node *put = ct__node_with(l->body, result, CT__OP_dynamic_update_slice);
    if (!put || put->operand[0] != stack || !is_position(l, put, 2, rank))
        return NULL;
    if (l->length > 0)
        return ct__node_with(l->body, put->operand[1], CT__OP_reshape);
    const ct__node *none = ct__node_with(l->body, put->operand[1], CT__OP_dynamic_slice);
    return none ? ct__node_with(l->body, none->operand[0], CT__OP_reshape) : NULL;
}

static bool find_output(loop *l, size_t k)
{
    const ct__id stack = l->body->param[1 + l->n_carry + k];
    if (ct__graph_type(l->body, stack)->kind == CT__STACK)
        return find_added(l, k, stack);
    const ct__node *row = row_put_in(l, stack, l->body->result[1 + l->n_carry + k]);
    if (!row)
        return false;
    l->y[k] = row->operand[0];
    return is_row(l, ct__graph_type(l->body, l->y[k]), ct__graph_type(l->body, stack));
}

static bool has_form(loop *l, size_t n_inputs)
{
    if (!has_counter(l) || !find_inputs(l, n_inputs))
        return false;
    for (size_t k = 0; k < l->n_outputs; k++)
        if (!find_output(l, k))
            return false;
    return true;
}

/* ---- The body of the scan, recorded again without the loop around it. */

static void map_params(const loop *l, ct_tensor **value)
{
    const ct__region *region = &l->s->region[1];
    const size_t own = l->body->n_params - region->n_captures;
    for (size_t k = 0; k < l->n_carry; k++)
        value[l->body->param[1 + k]] = ct__param_like(l->r, l->s, l->body->param[1 + k]);
    for (size_t i = 0; i < l->n_inputs; i++)
        value[l->element[i]] = ct__param_like(l->r, l->s, l->element[i]);
    for (size_t i = 0; i < region->n_captures; i++)
        value[l->body->param[own + i]] = region->capture[i];
}

static bool is_known(const ct__node *node, ct_tensor *const *value)
{
    for (size_t i = 0; i < node->n_operands; i++)
        if (!value[node->operand[i]])
            return false;
    return true;
}

/* What depends on the counter or the stacks is left out: false when it had an effect. */
static bool replay(const loop *l, ct_tensor **value)
{
    for (size_t n = 0; n < l->body->n_nodes; n++) {
        const ct__node *node = &l->body->node[n];
        const bool is_element = node->n_results > 0 && value[node->first_result];
        if (is_element || l->is_access[n])
            continue;
        if (is_known(node, value)) {
            if (!ct__replay_node(l->r->ctx, l->body, node, &l->r->arena, value))
                return false;
        } else if (ct__node_has_effect(node)) {
            return false;
        }
    }
    return true;
}

/* carry'…, y…; false when one depends on the counter. */
static bool collect(const loop *l, ct_tensor *const *value, ct_tensor **result)
{
    for (size_t k = 0; k < l->n_carry; k++)
        result[k] = value[l->body->result[1 + k]];
    for (size_t k = 0; k < l->n_outputs; k++)
        result[l->n_carry + k] = value[l->y[k]];
    for (size_t i = 0; i < l->n_carry + l->n_outputs; i++)
        if (!result[i])
            return false;
    return true;
}

/* Fills the region; false when the loop is no scan after all, or after an error of the context. */
static bool record_body(const loop *l, ct__region *region)
{
    ct_context *ctx = l->r->ctx;
    const size_t n_results = l->n_carry + l->n_outputs;
    ct_tensor **value = CT__NEW_ARRAY(&l->r->arena, ct_tensor *, l->body->n_values);
    ct_tensor **result = CT__NEW_ARRAY(&l->r->arena, ct_tensor *, n_results);
    if (!value || !result) {
        ct__error_memory(ctx, l->s->place, "scan");
        return false;
    }
    if (!ct__trace_push(ctx, l->s->place, l->body->name, true))
        return false;
    map_params(l, value);
    if (ct_failed(ctx) || !replay(l, value) || !collect(l, value, result)) {
        ct__trace_abandon(ctx);
        return false;
    }
    return ct__region_detach(ctx, l->s->place, n_results, result, region);
}

/* ---- The scan in place of the loop. */

static bool set_operands(const loop *l)
{
    const size_t n = l->n_carry + l->n_inputs;
    ct__statement *s = l->s;
    ct_tensor **operand = CT__NEW_ARRAY(&l->r->arena, ct_tensor *, n);
    const char **at = CT__NEW_ARRAY(&l->r->arena, const char *, n);
    if (!operand || !at)
        return ct__read_fail_memory(l->r);
    for (size_t i = 0; i < n; i++) {
        operand[i] = i < l->n_carry ? s->operand[1 + i] : l->input[i - l->n_carry];
        at[i] = i < l->n_carry ? s->operand_at[1 + i] : s->at;
    }
    s->operand = operand;
    s->operand_at = at;
    s->n_operands = n;
    return true;
}

static bool build_scan(loop *l, ct__region *region)
{
    ct__statement *s = l->s;
    const ct_type *counter = s->operand[0]->type;
    const ct__attrs attrs = {.scan = {.length = l->length,
                                      .n_carry = (int64_t)l->n_carry,
                                      .n_inputs = (int64_t)l->n_inputs,
                                      .is_reverse = l->is_reverse}};
    if (!set_operands(l)) {
        ct__region_free(l->r->ctx, region);
        return false;
    }
    return ct__build_raised(l->r, s, region, CT__OP_scan, &attrs) &&
           ct__add_first_result(l->r, s, ct__build_integer(l->r, s->place, counter, l->length));
}

static bool mark_integer(const ct__dict *mark, const char *key, int64_t *value)
{
    const ct__entry *entry = ct__dict_find(mark, key);
    *value = entry && entry->value.kind == CT__ATTRIBUTE_INTEGER ? entry->value.integer : -1;
    return *value >= 0;
}

/* Whether the counts of the mark fit the loop. */
static bool read_mark(loop *l, const ct__dict *mark, size_t *n_inputs)
{
    int64_t carry, inputs;
    const ct__entry *reverse = ct__dict_find(mark, "is_reverse");
    const ct__statement *s = l->s;
    if (!mark_integer(mark, "length", &l->length) || !mark_integer(mark, "n_carry", &carry) ||
        !mark_integer(mark, "n_inputs", &inputs) || s->n_regions != 2 || s->n_operands == 0 ||
        (uint64_t)carry > s->n_operands - 1 || s->result_types.count != s->n_operands ||
        !s->region[0].graph || !s->region[1].graph ||
        (uint64_t)inputs > s->region[1].graph->n_nodes)
        return false;
    l->is_reverse = reverse && reverse->value.integer != 0;
    l->n_carry = (size_t)carry;
    l->n_outputs = s->n_operands - 1 - l->n_carry;
    l->body = s->region[1].graph;
    *n_inputs = (size_t)inputs;
    return l->body->n_results == s->n_operands &&
           l->body->n_params == s->n_operands + s->region[1].n_captures &&
           s->region[0].graph->n_params == s->n_operands + s->region[0].n_captures;
}

/* *done: the statement is a scan now. False after an error. */
static bool raise_scan(ct__reader *r, ct__statement *s, const ct__dict *mark, bool *done)
{
    loop l = {.r = r, .s = s};
    ct__region region;
    size_t n_inputs;
    *done = false;
    if (!read_mark(&l, mark, &n_inputs))
        return true;
    l.input = CT__NEW_ARRAY(&r->arena, ct_tensor *, n_inputs);
    l.element = CT__NEW_ARRAY(&r->arena, ct__id, n_inputs);
    l.is_access = CT__NEW_ARRAY(&r->arena, bool, l.body->n_nodes);
    l.y = CT__NEW_ARRAY(&r->arena, ct__id, l.n_outputs);
    if (!l.input || !l.is_access || !l.element || !l.y)
        return ct__read_fail_memory(r);
    if (!find_users(&l))
        return false;
    if (!has_form(&l, n_inputs) || !record_body(&l, &region))
        return !ct_failed(r->ctx) || ct__read_fail_context(r, s->at);
    *done = true;
    return build_scan(&l, &region);
}

/* Bodies of loops are read whole: what no result needs goes now. */
static bool prune(ct__reader *r, const ct__statement *s)
{
    for (size_t i = 0; i < s->n_regions; i++)
        if (s->region[i].graph && (!ct__graph_prune(s->region[i].graph) ||
                                   !ct__region_tighten(r->ctx, s->place, &s->region[i])))
            return ct__read_fail_memory(r);
    return true;
}

static bool build_while(ct__reader *r, ct__statement *s)
{
    const ct__attribute *mark = ct__dict_use(&s->attributes, "ct.scan");
    bool done = false;
    if (mark && mark->kind == CT__ATTRIBUTE_DICT && !raise_scan(r, s, &mark->dict, &done))
        return false;
    if (!done && !ct__build_for(r, s, &done))
        return false;
    if (!done && (!prune(r, s) || !ct__build_counted(r, s, &done)))
        return false;
    return done || ct__build_as(r, s, "stablehlo.while");
}

/* ---- chlo.scan(x…, carry…): body(x…, carry…) gives (y…, carry…), along any axis. */

typedef struct chlo_scan {
    size_t n_inputs, n_carry, n_outputs;
    int64_t axis;
} chlo_scan;

static bool read_segments(ct__reader *r, ct__statement *s, chlo_scan *c)
{
    ct__ints segments = {0, NULL};
    const char *key = ct__dict_find(&s->attributes, "operand_segment_sizes")
                          ? "operand_segment_sizes"
                          : "operandSegmentSizes";
    if (!ct__use_ints(r, s, key, true, &segments) ||
        !ct__use_integer(r, s, "dimension", true, &c->axis))
        return false;
    ct__dict_use(&s->attributes, "is_associative");
    if (segments.count != 2 || segments.item[0] < 1 || segments.item[1] < 0 ||
        (uint64_t)segments.item[0] > s->n_operands ||
        (uint64_t)segments.item[1] != s->n_operands - (uint64_t)segments.item[0] ||
        (uint64_t)segments.item[1] > s->result_types.count)
        return ct__read_fail(r, s->at, "attribute '%s' does not fit %zu operands", key,
                             s->n_operands);
    c->n_inputs = (size_t)segments.item[0];
    c->n_carry = (size_t)segments.item[1];
    c->n_outputs = s->result_types.count - c->n_carry;
    return true;
}

static bool check_scan(ct__reader *r, const ct__statement *s, const chlo_scan *c)
{
    for (size_t i = 0; i < c->n_inputs; i++)
        if (s->operand[i]->type->kind != CT__TENSOR || c->axis < 0 ||
            c->axis >= s->operand[i]->type->rank)
            return ct__read_fail(r, s->operand_at[i], "%s has no axis to scan along",
                                 ct__written_type(r, s->operand[i]->type));
    if (s->n_regions != 1 || !s->region[0].graph || s->region[0].graph->n_params < s->n_operands ||
        s->region[0].graph->n_results != s->result_types.count)
        return ct__read_fail(r, s->at,
                             "a scan has one body, with as many parameters as there are "
                             "operands, and as many results");
    for (size_t i = 0; i < c->n_outputs; i++)
        if (s->result_types.item[i]->kind != CT__TENSOR || c->axis >= s->result_types.item[i]->rank)
            return ct__read_fail(r, s->types_at, "result %zu has no axis to scan along", i);
    return true;
}

/* Parameters (x…, carry…) become (carry…, x…), results (y…, carry…) become (carry…, y…). */
static bool turn_body(ct__reader *r, const ct__statement *s, const chlo_scan *c)
{
    ct__graph *body = s->region[0].graph;
    size_t *param = CT__NEW_ARRAY(&r->arena, size_t, body->n_params);
    size_t *result = CT__NEW_ARRAY(&r->arena, size_t, body->n_results);
    if (!param || !result)
        return ct__read_fail_memory(r);
    for (size_t i = 0; i < body->n_params; i++)
        param[i] = i < c->n_carry ? c->n_inputs + i : i < s->n_operands ? i - c->n_carry : i;
    for (size_t i = 0; i < body->n_results; i++)
        result[i] = i < c->n_carry ? c->n_outputs + i : i - c->n_carry;
    return (ct__graph_permute_params(body, param) &&
            ct__graph_select_results(body, body->n_results, result)) ||
           ct__read_fail_memory(r);
}

/* Axis `from` moved to `to`. */
static void moved(int rank, int64_t from, int64_t to, int64_t *order)
{
    int64_t next = 0;
    for (int64_t d = 0; d < rank; d++) {
        next += next == from;
        order[d] = d == to ? from : next++;
    }
}

static ct_tensor *move_axis(const ct__statement *s, ct_tensor *x, int64_t from, int64_t to)
{
    int64_t order[CT__MAX_RANK];
    if (from == to)
        return x;
    moved(x->type->rank, from, to, order);
    return ct_op_transpose_at(s->place, x, (ct_dims){(size_t)x->type->rank, order});
}

/* The type with the axis in front. */
static const ct_type *front_type(ct__reader *r, const ct_type *type, int64_t axis)
{
    int64_t order[CT__MAX_RANK], dim[CT__MAX_RANK];
    ct_type front = *type;
    moved(type->rank, axis, 0, order);
    for (int d = 0; d < type->rank; d++)
        dim[d] = type->dim[order[d]];
    front.dim = dim;
    return ct__type_copy(&r->arena, &front);
}

/* Operands and result types as ours: carry first, the axis in front. */
static bool turn_statement(ct__reader *r, ct__statement *s, const chlo_scan *c)
{
    ct_tensor **operand = CT__NEW_ARRAY(&r->arena, ct_tensor *, s->n_operands);
    const ct_type **type = CT__NEW_ARRAY(&r->arena, const ct_type *, s->result_types.count);
    if (!operand || !type)
        return ct__read_fail_memory(r);
    for (size_t i = 0; i < s->n_operands; i++)
        operand[i] = i < c->n_carry ? s->operand[c->n_inputs + i]
                                    : move_axis(s, s->operand[i - c->n_carry], c->axis, 0);
    for (size_t i = 0; i < s->result_types.count; i++) {
        const ct_type *written =
            s->result_types.item[i < c->n_carry ? c->n_outputs + i : i - c->n_carry];
        type[i] = i < c->n_carry ? written : front_type(r, written, c->axis);
        if (!type[i])
            return ct__read_fail_memory(r);
    }
    s->operand = operand;
    s->result_types.item = type;
    return true;
}

/* y… with their axis back in its place, then the carry. */
static bool turn_results(ct__reader *r, ct__statement *s, const chlo_scan *c)
{
    ct_tensor **result = CT__NEW_ARRAY(&r->arena, ct_tensor *, s->n_results);
    if (!result)
        return ct__read_fail_memory(r);
    for (size_t i = 0; i < s->n_results; i++)
        result[i] = i < c->n_outputs ? move_axis(s, s->result[c->n_carry + i], 0, c->axis)
                                     : s->result[i - c->n_outputs];
    s->result = result;
    return !ct_failed(r->ctx) || ct__read_fail_context(r, s->at);
}

static bool build_chlo_scan(ct__reader *r, ct__statement *s)
{
    chlo_scan c;
    ct__attrs attrs = {.scan = {.length = 0}};
    if (!read_segments(r, s, &c) || !check_scan(r, s, &c) ||
        !ct__use_flag(r, s, "is_reverse", &attrs.scan.is_reverse))
        return false;
    attrs.scan.length = s->operand[0]->type->dim[c.axis];
    attrs.scan.n_carry = (int64_t)c.n_carry;
    attrs.scan.n_inputs = (int64_t)c.n_inputs;
    const ct__type_list written = s->result_types;
    if (!turn_body(r, s, &c) || !turn_statement(r, s, &c) ||
        !ct__build_with(r, s, CT__OP_scan, &attrs) || !turn_results(r, s, &c))
        return false;
    s->result_types = written;
    return true;
}

static const ct__builder_row rows[] = {
    {"stablehlo.while", build_while}, {"chlo.scan", build_chlo_scan}, {NULL, NULL}};

ct__builder *ct__scan_builder(ct__span spelling)
{
    return ct__builder_in(rows, spelling);
}
