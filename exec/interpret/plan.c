#include "exec/interpret/planner.h"

#include <stdio.h>
#include <string.h>

static ct__plan *plan_graph(ct__planning *s, ct__graph *graph, bool results_last, ct__pairing pairs,
                            ct__plan *plan);

/* ---- Failing. */

bool ct__plan_fail(ct__planning *s, const ct__node *node, ct_status status)
{
    const char *name = node ? ct__op_describe(node->op)->name : "parameters";

    s->error->status = status;
    s->error->at = node ? node->at : (ct_place){NULL, 0, 0};
    snprintf(s->error->message, sizeof s->error->message, "%s: %s", name,
             status == CT_ERR_RANGE ? "the memory of a run is too large to address"
                                    : "out of memory while planning");
    return false;
}

/* Where the value is made; nowhere for a parameter. */
static ct_place maker_of(const ct__graph *graph, ct__id id)
{
    const uint32_t node = graph->value[id].node;
    return node == CT__NO_NODE ? (ct_place){NULL, 0, 0} : graph->node[node].at;
}

/* Stacks live inside a run: they cannot come in or go out. */
static bool check_outer(ct__planning *s, const ct__graph *graph)
{
    char text[128];

    for (size_t i = 0; i < graph->n_params + graph->n_results; i++) {
        const ct_type *type = i < graph->n_params ? ct__param_type(graph, i)
                                                  : ct__result_type(graph, i - graph->n_params);
        if (!ct__has_stack(type))
            continue;
        s->error->status = CT_ERR_UNSUPPORTED;
        s->error->at = i < graph->n_params ? (ct_place){NULL, 0, 0}
                                           : maker_of(graph, graph->result[i - graph->n_params]);
        snprintf(s->error->message, sizeof s->error->message,
                 "%s: %s cannot be %s a run: stacks live inside of one; trace a function that "
                 "calls both this one and the other that shares them",
                 graph->name, ct__type_print(type, text, sizeof text),
                 i < graph->n_params ? "an argument of" : "a result of");
        return false;
    }
    return true;
}

static bool rewinds(const ct__graph *graph)
{
    bool makes = false;

    for (size_t i = 0; i < graph->n_results; i++)
        if (ct__has_stack(ct__result_type(graph, i)))
            return false;
    for (size_t i = 0; i < graph->n_values && !makes; i++)
        makes = ct__has_stack(graph->value[i].type);
    return makes;
}

/* ---- Results: a value made here is made in the caller's buffer; others are copied at the end. */

static size_t result_bytes(const ct__planner *p, size_t i)
{
    return ct__value_bytes(p->s->numerics, ct__result_type(p->graph, i));
}

/* A result's memory has its bytes and no more: what is larger, and only begins with it, is made
 * elsewhere. */
static void settle_results(ct__planner *p)
{
    const ct__graph *graph = p->graph;

    for (size_t i = 0; i < graph->n_results; i++) {
        ct__id root = p->root[graph->result[i]];
        size_t bytes = ct__value_bytes(p->s->numerics, ct__graph_type(graph, root));
        if (p->home[root].kind == CT__IN_FRAME && p->offset[graph->result[i]] == 0 &&
            bytes == result_bytes(p, i))
            p->home[root] = (ct__home){.kind = CT__IN_RESULT, .index = i};
    }
}

static void copy_results(ct__planner *p)
{
    ct__plan *plan = p->plan;

    for (size_t i = 0; i < p->graph->n_results; i++) {
        ct__id root = p->root[p->graph->result[i]];
        ct__home from = ct__home_of(p, p->graph->result[i]);
        ct__home to = {.kind = CT__IN_RESULT, .index = i};
        size_t element = p->repeated[root]
                             ? p->s->numerics->element_bytes(ct__result_type(p->graph, i)->dtype)
                             : 0;
        bool is_there = from.kind == CT__IN_RESULT && from.index == i && from.offset == 0;
        bool is_over = p->over && p->over[i] != SIZE_MAX;
        if (!is_there && !is_over)
            plan->after[plan->n_after++] = (ct__copy){to, from, result_bytes(p, i), element};
    }
}

/* Where results may overlap parameters: a parameter that is a result moves into the frame first. */
static bool save_params(ct__planner *p)
{
    ct__plan *plan = p->plan;

    for (size_t i = 0; i < p->graph->n_results; i++) {
        ct__id root = p->root[p->graph->result[i]];
        ct__home to = {.kind = CT__IN_FRAME};
        if (p->home[root].kind != CT__IN_PARAM)
            continue;
        size_t bytes = ct__value_bytes(p->s->numerics, ct__graph_type(p->graph, root));
        ct_status status = ct__frame_take(&p->frame, p->bytes[root], &to.index);
        if (status != CT_OK)
            return ct__plan_fail(p->s, NULL, status);
        plan->before[plan->n_before++] = (ct__copy){to, p->home[root], bytes, 0};
        p->is_placed[root] = true;
        p->home[root] = to;
    }
    return true;
}

/* ---- Steps. */

ct__plan *ct__plan_body(ct__planning *s, ct__graph *graph, ct__pairing pairs)
{
    ct__plan *body = s->bodies;

    while (body && (body->graph != graph || body->pairs.any != pairs.any ||
                    body->pairs.first != pairs.first || body->pairs.count != pairs.count))
        body = body->next;
    if (body)
        return body;
    body = CT__NEW(s->arena, ct__plan);
    if (!body || !plan_graph(s, graph, false, pairs, body))
        return NULL;
    body->pairs = pairs;
    body->next = s->bodies;
    s->bodies = body;
    return body;
}

/* Where operands that are views lie. */
static bool plan_strides(ct__planner *p, const ct__node *node, ct__eval *eval)
{
    bool any = false;

    for (size_t i = 0; i < node->n_operands; i++)
        any = any || p->parting.view[p->parting.same[node->operand[i]]];
    if (!any)
        return true;
    const int64_t **list = CT__NEW_ARRAY(p->s->arena, const int64_t *, node->n_operands);
    for (size_t i = 0; list && i < node->n_operands; i++) {
        const size_t rank = (size_t)ct__graph_type(p->graph, node->operand[i])->rank;
        const int64_t *strides = p->parting.strides[node->operand[i]];
        if (strides && p->parting.view[p->parting.same[node->operand[i]]] &&
            !(list[i] = ct__arena_copy(p->s->arena, strides, rank * sizeof *strides)))
            return false;
    }
    eval->in_stride = list;
    return list != NULL;
}

/* Fills step->eval but for what belongs to a run. */
static bool plan_eval(ct__planner *p, const ct__node *node, ct__step *step)
{
    ct__planning *s = p->s;
    const ct_type **types = CT__NEW_ARRAY(s->arena, const ct_type *,
                                          node->n_operands + node->n_results);

    if (!types)
        return ct__plan_fail(s, node, CT_ERR_MEMORY);
    for (size_t i = 0; i < node->n_operands; i++)
        types[i] = ct__graph_type(p->graph, node->operand[i]);
    for (size_t i = 0; i < node->n_results; i++)
        types[node->n_operands + i] = ct__graph_type(p->graph, node->first_result + (ct__id)i);
    step->eval = (ct__eval){.numerics = s->numerics,
                            .op = node->op,
                            .attrs = node->attrs,
                            .at = node->at,
                            .n_operands = node->n_operands,
                            .in_type = types,
                            .n_results = node->n_results,
                            .out_type = types + node->n_operands,
                            .n_regions = ct__running_regions(node),
                            .region = p->body[node - p->graph->node],
                            .plain_products = s->plain_products,
                            .threads = s->threads,
                            .error = s->error};
    if (!ct__find_reals(&step->eval, s->arena) || !plan_strides(p, node, &step->eval))
        return ct__plan_fail(s, node, CT_ERR_MEMORY);
    return ct__find_custom(&step->eval, s->customs);
}

/* The frame of a step's bodies, of which one runs at a time. */
static size_t body_frame_bytes(const ct__eval *eval)
{
    size_t most = 0;

    for (size_t i = 0; i < eval->n_regions; i++)
        if (eval->region[i]->frame_bytes > most)
            most = eval->region[i]->frame_bytes;
    return most;
}

ct_status ct__plan_take(ct__planner *p, size_t bytes, size_t *block)
{
    if (!ct__round_up(bytes, &bytes))
        return CT_ERR_RANGE;
    return ct__frame_take(&p->frame, bytes, block);
}

ct_status ct__place_result(ct__planner *p, ct__id id)
{
    const ct__id root = p->root[id];

    if (p->home[root].kind != CT__IN_FRAME || p->is_placed[root])
        return CT_OK;
    p->is_placed[root] = true;
    return ct__frame_take(&p->frame, p->bytes[root], &p->home[root].index);
}

static ct_status place_results(ct__planner *p, const ct__node *node)
{
    ct_status status = CT_OK;

    for (size_t i = 0; i < node->n_results && status == CT_OK; i++)
        status = ct__place_result(p, node->first_result + (ct__id)i);
    return status;
}

/* Results, then what only this step needs. */
static bool place_step(ct__planner *p, const ct__node *node, ct__step *step)
{
    size_t scratch;
    ct_status status = place_results(p, node);

    if (!ct__scratch_bytes(&step->eval, &scratch))
        status = CT_ERR_RANGE;
    if (status == CT_OK)
        status = ct__plan_take(p, scratch, &step->scratch_at);
    if (status == CT_OK)
        status = ct__plan_take(p, body_frame_bytes(&step->eval), &step->frame_at);
    if (status == CT_OK)
        status = ct__frame_give(&p->frame, step->scratch_at);
    if (status == CT_OK)
        status = ct__frame_give(&p->frame, step->frame_at);
    return status == CT_OK || ct__plan_fail(p->s, node, status);
}

/* All elements of a value of which there is one, that stands for all. */
static bool write_out(ct__planner *p, const ct__node *node, ct__id id, ct__home *home)
{
    const ct_type *type = ct__graph_type(p->graph, id);

    home->data = ct__write_out(p->s, home->data, p->s->numerics->element_bytes(type->dtype),
                               ct__value_bytes(p->s->numerics, type));
    return home->data || ct__plan_fail(p->s, node, CT_ERR_MEMORY);
}

/* Where the step finds operand i: a repeated element is written out where it must be. */
static bool find_operand(ct__planner *p, const ct__node *node, size_t i, ct__step *step,
                         ct__home *home)
{
    const ct_type *type = ct__graph_type(p->graph, node->operand[i]);
    const ct__index_view *view = p->parting.view[p->parting.same[node->operand[i]]];
    const ct__id id = view ? view->base : node->operand[i];
    const bool is_repeated = p->repeated[p->root[id]] && ct__graph_type(p->graph, id)->size > 1;

    *home = ct__home_of(p, id);
    if (view)
        home->offset += (size_t)view->first * p->s->numerics->element_bytes(type->dtype);
    if (!is_repeated)
        return true;
    if (!view && ct__takes_repeated(node->op, i) && !ct__is_per_axis(type)) {
        step->eval.repeated |= 1u << i;
        return true;
    }
    return write_out(p, node, id, home);
}

bool ct__plan_operand(ct__planner *p, ct__home home)
{
    ct__plan *plan = p->plan;

    if (!ct__arena_grow(&p->s->scratch, &plan->operand, &p->operand_capacity, plan->n_operands + 1,
                        sizeof home))
        return ct__plan_fail(p->s, NULL, CT_ERR_MEMORY);
    plan->operand[plan->n_operands++] = home;
    return true;
}

bool ct__plan_result(ct__planner *p, ct__home home)
{
    ct__plan *plan = p->plan;

    if (!ct__arena_grow(&p->s->scratch, &plan->result, &p->result_capacity, plan->n_results + 1,
                        sizeof home))
        return ct__plan_fail(p->s, NULL, CT_ERR_MEMORY);
    plan->result[plan->n_results++] = home;
    return true;
}

static bool plan_step(ct__planner *p, const ct__part *part)
{
    const ct__node *node = ct__part_node(p, part, 0);
    ct__plan *plan = p->plan;
    ct__step *step = &plan->step[plan->n_steps];
    ct__home home;

    if (!plan_eval(p, node, step) || !place_step(p, node, step))
        return false;
    step->operands_at = plan->n_operands;
    step->results_at = plan->n_results;
    for (size_t i = 0; i < node->n_operands; i++)
        if (!find_operand(p, node, i, step, &home) || !ct__plan_operand(p, home))
            return false;
    for (size_t i = 0; i < node->n_results; i++)
        if (!ct__plan_result(p, ct__home_of(p, node->first_result + (ct__id)i)))
            return false;
    plan->n_steps++;
    ct__note_bytes(p, part, step);
    return ct__note_nodes(p, part, step);
}

/* Give back the bytes of a root once. */
static bool end_life(ct__planner *p, const ct__node *node, ct__id root)
{
    if (p->home[root].kind != CT__IN_FRAME || p->last_use[root] == CT__KEPT)
        return true;
    p->last_use[root] = CT__KEPT;
    ct_status status = ct__frame_give(&p->frame, p->home[root].index);
    return status == CT_OK || ct__plan_fail(p->s, node, status);
}

/* Operands that a part uses last, and results that nobody uses; what is inside a part that is
 * fused has no memory. */
static bool end_lives(ct__planner *p, const ct__part *part, const ct__node *node)
{
    const uint32_t index = (uint32_t)(part - p->parting.part);
    ct__id read[2];

    for (size_t j = 0; j < node->n_operands; j++)
        for (size_t n = ct__read_values(p, node->operand[j], read); n > 0; n--) {
            ct__id root = p->root[read[n - 1]];
            if (p->last_use[root] == index && p->made_by[root] != index && !end_life(p, node, root))
                return false;
        }
    for (size_t j = 0; j < node->n_results && !part->is_fused; j++) {
        ct__id id = node->first_result + (ct__id)j;
        if (p->root[id] == id && p->last_use[id] == CT__UNUSED && !end_life(p, node, id))
            return false;
    }
    return true;
}

static bool plan_parts(ct__planner *p)
{
    for (size_t i = 0; i < p->parting.n_parts; i++) {
        const ct__part *part = &p->parting.part[i];
        p->frame.now = (uint32_t)i;
        if (!(part->is_fused ? ct__plan_fused(p, part) : plan_step(p, part)))
            return false;
        for (size_t k = 0; k < part->n_nodes; k++)
            if (!end_lives(p, part, ct__part_node(p, part, k)))
                return false;
    }
    return true;
}

/* ---- A whole graph. */

static bool make_lists(ct__planner *p)
{
    const ct__graph *graph = p->graph;
    ct__arena *scratch = &p->s->scratch;

    p->root = CT__NEW_ARRAY(scratch, ct__id, graph->n_values);
    p->offset = CT__NEW_ARRAY(scratch, size_t, graph->n_values);
    p->is_result = CT__NEW_ARRAY(scratch, bool, graph->n_values);
    p->is_view = CT__NEW_ARRAY(scratch, bool, graph->n_values);
    p->home = CT__NEW_ARRAY(scratch, ct__home, graph->n_values);
    p->is_placed = CT__NEW_ARRAY(scratch, bool, graph->n_values);
    p->repeated = CT__NEW_ARRAY(scratch, bool, graph->n_values);
    p->bytes = CT__NEW_ARRAY(scratch, size_t, graph->n_values);
    p->last_use = CT__NEW_ARRAY(scratch, uint32_t, graph->n_values);
    p->made_by = CT__NEW_ARRAY(scratch, uint32_t, graph->n_values);
    p->listed_by = CT__NEW_ARRAY(scratch, uint32_t, graph->n_values);
    p->body = CT__NEW_ARRAY(scratch, ct__plan **, graph->n_nodes);
    p->takes_param = CT__NEW_ARRAY(scratch, bool, graph->n_values);
    return !scratch->failed || ct__plan_fail(p->s, NULL, CT_ERR_MEMORY);
}

/* The lists of steps, and the frame. */
static bool begin_steps(ct__planner *p)
{
    const ct__graph *graph = p->graph;
    ct__arena *arena = p->s->arena;
    ct__plan *plan = p->plan;

    plan->step = CT__NEW_ARRAY(arena, ct__step, p->parting.n_parts);
    plan->before = CT__NEW_ARRAY(arena, ct__copy, graph->n_results);
    plan->after = CT__NEW_ARRAY(arena, ct__copy, graph->n_results);
    ct__frame_begin(&p->frame, &p->s->scratch);
    return !arena->failed || ct__plan_fail(p->s, NULL, CT_ERR_MEMORY);
}

/* The tables of homes, which have grown elsewhere, become the plan's. */
static bool keep_tables(ct__planner *p)
{
    ct__plan *plan = p->plan;
    ct__arena *arena = p->s->arena;

    plan->operand = ct__arena_copy(arena, plan->operand, plan->n_operands * sizeof(ct__home));
    plan->result = ct__arena_copy(arena, plan->result, plan->n_results * sizeof(ct__home));
    return (plan->operand && plan->result) || ct__plan_fail(p->s, NULL, CT_ERR_MEMORY);
}

static void settle_home(const ct__planner *p, ct__home *home)
{
    if (home->kind == CT__IN_FRAME)
        home->index = p->frame.block[home->index].offset;
}

static void settle_copies(const ct__planner *p, size_t count, ct__copy *copy)
{
    for (size_t i = 0; i < count; i++) {
        settle_home(p, &copy[i].to);
        settle_home(p, &copy[i].from);
    }
}

/* Blocks become offsets, behind the tables of addresses. */
static bool settle_frame(ct__planner *p)
{
    ct__plan *plan = p->plan;
    ct_status status = CT_ERR_RANGE;
    size_t head;

    if (ct__round_up((plan->n_operands + plan->n_results) * sizeof(void *), &head))
        status = ct__frame_settle(&p->frame, head, &plan->frame_bytes);
    if (status != CT_OK)
        return ct__plan_fail(p->s, NULL, status);
    for (size_t i = 0; i < plan->n_operands; i++)
        settle_home(p, &plan->operand[i]);
    for (size_t i = 0; i < plan->n_results; i++)
        settle_home(p, &plan->result[i]);
    settle_copies(p, plan->n_before, plan->before);
    settle_copies(p, plan->n_after, plan->after);
    for (size_t i = 0; i < plan->n_steps; i++) {
        plan->step[i].scratch_at = p->frame.block[plan->step[i].scratch_at].offset;
        plan->step[i].frame_at = p->frame.block[plan->step[i].frame_at].offset;
    }
    return true;
}

static ct__plan *plan_graph(ct__planning *s, ct__graph *graph, bool results_last, ct__pairing pairs,
                            ct__plan *plan)
{
    ct__planner p = {.s = s, .graph = graph, .plan = plan};

    plan->graph = graph;
    plan->body_kind = ct__graph_body_kind(graph);
    plan->rewinds = rewinds(graph);
    plan->fusion = s->fusion;
    if (!make_lists(&p) || !ct__find_roots(&p))
        return NULL;
    if (!results_last)
        settle_results(&p);
    ct__find_pieces(&p);
    if (!ct__find_parts(&p) || !begin_steps(&p) || (results_last && !save_params(&p)))
        return NULL;
    ct__find_last_uses(&p);
    if (!ct__find_in_place(&p, &pairs) || !plan_parts(&p))
        return NULL;
    plan->over = p.over;
    copy_results(&p);
    plan->first_step = s->n_steps;
    s->n_steps += plan->n_steps;
    return keep_tables(&p) && settle_frame(&p) ? plan : NULL;
}

ct__plan *ct__plan_new(const ct_allocator *allocator, ct__graph *graph,
                       const ct__numerics *numerics, const ct__plan_options *options,
                       ct__run_error *error)
{
    ct__plan_root *root = ct__alloc_zeroed(allocator, sizeof *root);
    ct__planning s = {.numerics = numerics,
                      .plain_products = options->plain_products,
                      .threads = options->threads,
                      .customs = options->customs,
                      .fusion = options->fusion,
                      .off = options->off,
                      .error = error};

    error->status = CT_OK;
    error->at = (ct_place){NULL, 0, 0};
    error->message[0] = '\0';
    if (!root) {
        ct__plan_fail(&s, NULL, CT_ERR_MEMORY);
        return NULL;
    }
    root->allocator = *allocator;
    ct__arena_init(&root->arena, allocator);
    ct__arena_init(&s.scratch, allocator);
    s.arena = &root->arena;
    root->plan.graph = ct__graph_retain(graph);
    bool done = check_outer(&s, graph) &&
                plan_graph(&s, graph, options->results_last, (ct__pairing){.any = false},
                           &root->plan) != NULL;
    ct__lookup_free(allocator, &s.repetition_of);
    ct__release(allocator, s.repetition, s.repetition_capacity * sizeof *s.repetition);
    ct__arena_free(&s.scratch);
    if (done)
        return &root->plan;
    ct__plan_free(&root->plan);
    return NULL;
}

void ct__plan_free(ct__plan *plan)
{
    ct__plan_root *root = (ct__plan_root *)plan; /* its first member */

    if (!plan)
        return;
    ct__graph_release(plan->graph);
    ct__arena_free(&root->arena);
    ct_allocator allocator = root->allocator;
    ct__release(&allocator, root, sizeof *root);
}

const ct_allocator *ct__plan_allocator(const ct__plan *plan)
{
    return &((const ct__plan_root *)plan)->allocator; /* its first member */
}

size_t ct__plan_frame_bytes(const ct__plan *plan)
{
    return plan->frame_bytes;
}

const ct__graph *ct__plan_graph(const ct__plan *plan)
{
    return plan->graph;
}

const size_t *ct__plan_over(const ct__plan *plan)
{
    return plan->over;
}

int ct__plan_body_kind(const ct__plan *plan)
{
    return plan->body_kind;
}

int ct__body_kind(const ct__eval *q, size_t n)
{
    return n == 1 && !q->error->watch ? ct__plan_body_kind(q->region[0]) : CT__BODY_OTHER;
}
