/* What reverse mode keeps: known values that nodes on unknown ones read, in the unzipped forward
 * derivative. What a value is made of is found by following the results of calls, choices and loops
 * into their bodies, for what a body keeps is a result of it. */
#include "ad/residuals.h"
#include "ad/bodies.h"
#include "ad/remake.h"
#include "ad/wrt.h"
#include "ops/literal.h"

#include <string.h>

/* ---- Where we are: in a body of a node of another graph; outer NULL: at the top. */

typedef struct frame {
    const struct frame *outer;
    const ct__graph *graph;
    const ct__node *node; /* of outer->graph */
} frame;

/* The loops whose iterations all keep the value, innermost first. */
typedef struct level {
    const struct level *outer;
    const char *operation;
    ct_place place;
    int64_t count;
} level;

/* Origins that one residual lists, and values that are looked at to find them: choices in choices
 * have as many as there are ways. */
enum { MOST_ORIGINS = 16, MOST_STEPS = 4096 };

typedef struct search {
    ct_residual_report *report;
    ct_residual item;
    const char *name; /* the first on the way */
    ct_residual_origin origin[MOST_ORIGINS];
    size_t steps;
    bool is_sized; /* the type and the loops are known: the way goes on for the origin alone */
    bool failed;   /* memory is short */
} search;

/* ---- What is found. */

static uint64_t times(uint64_t a, uint64_t b)
{
    return b && a > UINT64_MAX / b ? UINT64_MAX : a * b;
}

static const char *copy_text(search *s, const char *text)
{
    const char *copy = ct__arena_text(&s->report->arena, text);
    s->failed = s->failed || (text && !copy);
    return copy;
}

static ct_place copy_place(search *s, ct_place at)
{
    return (ct_place){copy_text(s, at.file), at.line, at.column};
}

/* Every stack that the type still is stands for a loop of which nothing is known. */
static const ct_type *unstacked(const ct_type *type, size_t *depth)
{
    for (*depth = 0; type->kind == CT__STACK; type = type->element[0])
        ++*depth;
    return type;
}

/* The bytes of an iteration of the innermost loop without count, or of all there are. */
static void count_bytes(ct_residual *item, const ct_type *type)
{
    item->bytes = ct__data_bytes(type);
    item->is_uncounted = false;
    for (size_t i = item->n_loops; i-- > 0 && !item->is_uncounted;)
        if (item->loop[i].count < 0)
            item->is_uncounted = true;
        else
            item->bytes = times(item->bytes, (uint64_t)item->loop[i].count);
}

/* The value of an iteration is of this type, in these loops. */
static void size_item(search *s, const ct_type *type, const level *in)
{
    size_t n_levels = 0, n_stacks;
    const ct_type *element = unstacked(type, &n_stacks);
    if (s->is_sized)
        return;
    s->is_sized = true;
    for (const level *l = in; l; l = l->outer)
        n_levels++;
    s->item.n_loops = n_levels + n_stacks;
    s->item.type = ct__type_copy(&s->report->arena, element);
    ct_residual_loop *loop = CT__NEW_ARRAY(&s->report->arena, ct_residual_loop, s->item.n_loops);
    s->failed = s->failed || !loop || !s->item.type;
    for (size_t i = n_levels; loop && i-- > 0; in = in->outer)
        loop[i] = (ct_residual_loop){in->operation, copy_place(s, in->place), in->count};
    for (size_t i = n_levels; loop && i < s->item.n_loops; i++)
        loop[i] = (ct_residual_loop){"stack", {NULL, 0, 0}, -1};
    s->item.loop = loop;
    if (loop)
        count_bytes(&s->item, element);
}

static bool same_place(ct_place a, ct_place b)
{
    return a.line == b.line && a.column == b.column && (!a.file) == (!b.file) &&
           (!a.file || strcmp(a.file, b.file) == 0);
}

static void add_origin(search *s, const char *operation, ct_place at)
{
    size_t n = s->item.n_origins;
    for (size_t i = 0; i < n; i++)
        if (same_place(s->origin[i].place, at) && strcmp(s->origin[i].operation, operation) == 0)
            return;
    if (n < MOST_ORIGINS) {
        s->origin[n] = (ct_residual_origin){operation, copy_place(s, at), copy_text(s, s->name)};
        s->item.n_origins++;
    }
}

/* ---- Following a value to the node that makes it. */

static void follow(search *s, const frame *at, ct__id id, const level *in, size_t hops);

/* Which operand of the frame's node its body's param stands for: all of them, but for what a choice
 * chooses by. */
static ct__id outer_operand(const frame *at, size_t param)
{
    bool chooses = at->node->op == CT__OP_if || at->node->op == CT__OP_case;
    return at->node->operand[param + chooses];
}

/* The count of a `for`, where it is a constant, here or around; else -1. */
static int64_t constant_count(const frame *at, ct__id id)
{
    ct__loop loop;
    while (!ct__node_of(at->graph, id) && at->outer) {
        size_t param = ct__param_position(at->graph, id);
        if (ct__loop_of(at->node->op, at->node->attrs, &loop) && param < ct__first_capture(&loop))
            return -1;
        id = outer_operand(at, param);
        at = at->outer;
    }
    const ct__literal *literal = ct__graph_literal(at->graph, id);
    if (!literal)
        return -1;
    int64_t count = *(const int64_t *)ct__literal_first(literal);
    return count > 0 ? count : 0;
}

static int64_t count_of(const frame *at, const ct__node *loop)
{
    return loop->op == CT__OP_scan  ? loop->attrs->scan.length
           : loop->op == CT__OP_for ? constant_count(at, loop->operand[0])
                                    : -1;
}

/* What an iteration adds to the carry, a stack; NULL: it does something else with it. */
static const ct__node *added(const ct__graph *body, const ct__loop *loop, size_t carry)
{
    const ct__node *node = ct__node_of(body, body->result[carry]);
    bool adds = node && node->op == CT__OP_stack_add &&
                node->operand[0] == body->param[loop->first_carry + carry];
    return adds ? node : NULL;
}

static void follow_loop(search *s, const frame *at, const ct__node *node, size_t result,
                        const level *in)
{
    ct__loop loop;
    ct__loop_of(node->op, node->attrs, &loop);
    const ct__graph *body = node->region[loop.body];
    const frame inner = {at, body, node};
    const level each = {in, ct__op_describe(node->op)->name, node->at, count_of(at, node)};
    const ct__node *add = result < loop.n_carry ? added(body, &loop, result) : NULL;
    if (add)
        follow(s, &inner, add->operand[2], &each, 0);
    else
        follow(s, &inner, body->result[result], result < loop.n_carry ? in : &each, 0);
}

/* A param of a body. A carry is what the iteration before made of it; but when it stays, or carries
 * only take one another's places, what the loop began with. */
static void follow_param(search *s, const frame *at, ct__id id, const level *in, size_t hops)
{
    ct__loop loop;
    size_t param = ct__param_position(at->graph, id);
    if (!at->outer) {
        size_item(s, at->graph->value[id].type, in);
        if (s->item.n_loops == 0 && !s->item.n_origins) {
            s->item.kind = CT_RESIDUAL_ARGUMENT;
            s->item.argument = param;
        }
        add_origin(s, "", (ct_place){NULL, 0, 0});
        return;
    }
    bool is_loop = ct__loop_of(at->node->op, at->node->attrs, &loop);
    size_t carry = param - loop.first_carry;
    if (is_loop && param < ct__first_capture(&loop))
        size_item(s, at->graph->value[id].type, in);
    bool is_carry = is_loop && param >= loop.first_carry && carry < loop.n_carry;
    if (is_carry && at->graph->result[carry] != id && hops <= loop.n_carry)
        follow(s, at, at->graph->result[carry], in, hops + 1);
    else
        follow(s, at->outer, outer_operand(at, param), in, 0);
}

/* Whether the value is an argument or a view of one, which is there without being kept. */
static bool is_of_argument(const frame *at, ct__id id)
{
    ct__loop loop;
    for (;;) {
        const ct__node *node = ct__node_of(at->graph, id);
        if (node && !ct__is_view(at->graph, node))
            return false;
        if (node) {
            id = node->operand[id - node->first_result];
            continue;
        }
        size_t param = ct__param_position(at->graph, id);
        if (!at->outer)
            return true;
        if (ct__loop_of(at->node->op, at->node->attrs, &loop) && param < ct__first_capture(&loop))
            return false;
        id = outer_operand(at, param);
        at = at->outer;
    }
}

static void follow_node(search *s, const frame *at, const ct__node *node, ct__id id,
                        const level *in)
{
    size_t result = id - node->first_result;
    ct__loop loop;
    if (ct__has(node->op, CT__CALLS)) {
        follow(s, &(frame){at, node->region[0], node}, node->region[0]->result[result], in, 0);
    } else if (node->op == CT__OP_if || node->op == CT__OP_case) {
        for (size_t b = 0; b < node->n_regions; b++)
            follow(s, &(frame){at, node->region[b], node}, node->region[b]->result[result], in, 0);
    } else if (ct__loop_of(node->op, node->attrs, &loop)) {
        follow_loop(s, at, node, result, in);
    } else if (node->op == CT__OP_optimization_barrier) {
        follow(s, at, node->operand[result], in, 0);
    } else if (is_of_argument(at, id)) {
        size_item(s, at->graph->value[id].type, in);
        follow(s, at, node->operand[0], in, 0);
    } else {
        size_item(s, at->graph->value[id].type, in);
        add_origin(s, ct__op_describe(node->op)->name, node->at);
    }
}

/* Constants are recorded where they are read; they are not kept. */
static bool is_constant(const ct__node *node)
{
    return node && node->n_operands == 0 && !ct__node_has_effect(node);
}

/* A branch that keeps nothing in a place gives zeros there. */
static bool fills_a_place(const frame *at, const ct__node *node)
{
    return at->outer && is_constant(node);
}

static void follow(search *s, const frame *at, ct__id id, const level *in, size_t hops)
{
    const ct__node *node = ct__node_of(at->graph, id);
    const char *name = s->name;
    if (s->steps++ > MOST_STEPS || fills_a_place(at, node))
        return;
    if (!s->name)
        s->name = at->graph->value[id].name;
    if (node)
        follow_node(s, at, node, id, in);
    else
        follow_param(s, at, id, in, hops);
    s->name = name;
}

/* ---- All of them. */

typedef struct walk {
    ct_residual_report *report;
    ct__arena *arena;
    ct__lookup seen; /* bodies, by address: one that many nodes have is visited once */
} walk;

static bool list_value(walk *w, const frame *at, ct__id id)
{
    search s = {.report = w->report};
    const ct__node *node = ct__node_of(at->graph, id);
    follow(&s, at, id, NULL, 0);
    size_item(&s, at->graph->value[id].type, NULL); /* unless it is done */
    if (s.item.n_origins == 0 && node)
        add_origin(&s, ct__op_describe(node->op)->name, node->at);
    if (at->outer)
        s.item.kind = CT_RESIDUAL_RECOMPUTED;
    s.item.origin = ct__arena_copy(&w->report->arena, s.origin,
                                   s.item.n_origins * sizeof *s.origin);
    return !s.failed && s.item.origin && ct__residual_add(w->report, &s.item);
}

/* In a checkpoint what is not computed there: it came as an operand, through a fence, or is a view
 * of one. */
static bool is_given(const frame *at, ct__id id)
{
    const ct__node *node = ct__node_of(at->graph, id);
    while (node && ct__is_view(at->graph, node)) {
        id = node->operand[id - node->first_result];
        node = ct__node_of(at->graph, id);
    }
    return at->outer && !node;
}

/* Once. */
static bool list_kept(walk *w, const frame *at, ct__id id, bool *kept)
{
    if (!kept[id] || is_given(at, id))
        return true;
    kept[id] = false;
    return list_value(w, at, id);
}

/* What the graph's nodes on unknown values read, then what else is kept to make more of that. A
 * checkpoint's operands are there as arguments are. */
static bool list_graph(walk *w, const frame *at, const bool *unknown)
{
    const ct__graph *graph = at->graph;
    const bool *read = ct__find_read_known(w->arena, graph, unknown);
    ct__kept choice;
    if (!read ||
        !ct__choose_kept(w->arena, graph, unknown, read, &ct__prices_of_arguments, &choice))
        return false;
    bool fine = true;
    for (size_t i = 0; i < graph->n_nodes; i++) {
        const ct__node *node = &graph->node[i];
        bool any = ct__any_operand(node, unknown);
        for (size_t k = 0; fine && any && k < node->n_operands; k++)
            fine = list_kept(w, at, node->operand[k], choice.kept);
    }
    for (size_t id = 0; fine && id < graph->n_values; id++)
        fine = list_kept(w, at, (ct__id)id, choice.kept);
    return fine;
}

static bool walk_graph(walk *w, const frame *at, bool lists, bool *unknown);

/* The bodies of a node on unknown values: their known values are given to them, but for what a
 * checkpoint computes again. */
static bool walk_bodies(walk *w, const frame *at, const ct__node *node, const bool *unknown)
{
    bool chooses = node->op == CT__OP_if || node->op == CT__OP_case;
    const ct_allocator *allocator = &w->arena->allocator;
    bool is_control = ct__has(node->op, CT__CONTROL);
    for (size_t b = 0; is_control && b < node->n_regions; b++) {
        const ct__graph *body = node->region[b];
        size_t serial;
        if (ct__lookup_find(&w->seen, (uintptr_t)body, 0, &serial))
            continue;
        bool *param = CT__NEW_ARRAY(w->arena, bool, body->n_values);
        if (!param || !ct__lookup_reserve(allocator, &w->seen))
            return false;
        ct__lookup_add(&w->seen, (uintptr_t)body, 0, b);
        for (size_t i = 0; i < body->n_params; i++)
            param[body->param[i]] = unknown[node->operand[i + chooses]];
        if (!walk_graph(w, &(frame){at, body, node}, ct__is_checkpoint(node->op, node->attrs),
                        param))
            return false;
    }
    return true;
}

static bool walk_graph(walk *w, const frame *at, bool lists, bool *unknown)
{
    const ct__graph *graph = at->graph;
    ct__mark_unzipped(graph, unknown);
    bool fine = !lists || list_graph(w, at, unknown);
    for (size_t i = 0; fine && i < graph->n_nodes; i++)
        if (ct__any_operand(&graph->node[i], unknown))
            fine = walk_bodies(w, at, &graph->node[i], unknown);
    return fine;
}

/* Of the unzipped derivative, the tangents of which are the params from `first` on. */
static bool list_all(ct_residual_report *report, const ct__graph *forward, size_t first)
{
    ct__arena local;
    ct__arena_init(&local, &report->handle.ctx->allocator);
    walk w = {.report = report, .arena = &local};
    bool *unknown = CT__NEW_ARRAY(&local, bool, forward->n_values);
    for (size_t i = first; unknown && i < forward->n_params; i++)
        unknown[forward->param[i]] = true;
    bool fine = unknown && walk_graph(&w, &(frame){NULL, forward, NULL}, true, unknown);
    ct__lookup_free(&local.allocator, &w.seen);
    ct__arena_free(&local);
    return fine && ct__residual_sort(report);
}

/* The unzipped derivative, as ct_vjp makes it: its parameters are those of f, then the tangents. It
 * is transposed for the errors alone: what has no reverse derivative keeps nothing. */
static ct__graph *reversible(const ct__work *w)
{
    bool before = ct__derive_to_reverse(w->ctx, true);
    ct__graph *forward = ct__forward_graph(w, NULL), *unzipped = NULL, *back = NULL;
    ct__derive_to_reverse(w->ctx, before);
    bool *tangent = forward ? ct__tangent_params(w->graph, forward, w->arena) : NULL;
    if (tangent)
        unzipped = ct__graph_unzip(w->ctx, w->at, forward, tangent);
    if (unzipped)
        back = ct__graph_transpose(w->ctx, w->at, unzipped, tangent);
    if (!back)
        ct__error_memory(w->ctx, w->at, w->what); /* unless there is an error already */
    ct__graph_release(forward);
    ct__graph_release(back);
    return ct__checked(w, unzipped, back != NULL);
}

ct_residual_report *ct_residuals_at(ct_place at, ct_function *f, ct_args wrt)
{
    ct_context *ctx = ct_function_context(f);
    ct_function *forward = ct__transform_function(at, "residuals", f, wrt, reversible, NULL);
    if (!forward->graph)
        return ct__residual_poison();
    ct_residual_report *report = ct__residual_report_new(ctx, at);
    if (report->handle.ctx) {
        report->is_made = list_all(report, forward->graph, f->graph->n_params);
        if (!report->is_made) {
            report->n_items = 0;
            ct__error_memory(ctx, at, "residuals");
        }
    }
    ct_release_function(forward);
    return report;
}
