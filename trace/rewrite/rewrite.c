#include "trace/rewrite/rewrite.h"

#include <string.h>

/* Rules follow one another: a transpose of a transpose of a transpose takes two. They look at
 * operands alone, which have been rewritten before, so one pass does everything unless a node needs
 * more rules than this; then there is another one. */
#define ROUNDS 64
#define PASSES 4

/* ---- Recording one node. */

/* A value has one name: where two become one, the first stays. Parameters are named by their
 * function. */
static bool name_results(ct__pass *p, const ct__site *s)
{
    for (size_t i = 0; s->name && i < s->node.n_results; i++) {
        ct__value *value = &p->to->value[s->result[i]];
        if (!s->name[i] || value->name || value->node == CT__NO_NODE)
            continue;
        value->name = ct__arena_text(&p->to->arena, s->name[i]);
        if (!value->name)
            return false;
    }
    return true;
}

static bool has_quantized(const ct__site *s)
{
    bool any = false;
    for (size_t i = 0; i < s->node.n_operands; i++)
        any = any || ct__type_of(s->p, s->node.operand[i])->quantized;
    for (size_t i = 0; i < s->node.n_results; i++)
        any = any || s->type[i]->quantized;
    return any;
}

static ct__outcome apply_rules(ct__site *s)
{
    const ct__rewriter *r = s->p->r;
    ct__outcome outcome = CT__STAYS;
    if (ct__has(s->node.op, CT__CONTROL))
        outcome = ct__expand(s);
    if (outcome != CT__STAYS || s->node.n_results == 0 || has_quantized(s) ||
        ct__node_has_effect(&s->node))
        return outcome;
    if (ct__asks(r, CT_REWRITE_IDENTITIES))
        outcome = ct__simplify(s);
    if (outcome == CT__STAYS && ct__asks(r, CT_REWRITE_IDENTITIES))
        outcome = ct__simplify_movement(s);
    if (outcome == CT__STAYS && ct__asks(r, CT_REWRITE_IDENTITIES))
        outcome = ct__simplify_type(s);
    if (outcome == CT__STAYS && ct__asks(r, CT_REWRITE_FOLDING))
        outcome = ct__fold(s);
    for (size_t i = 0; i < sizeof r->rule / sizeof *r->rule && outcome == CT__STAYS; i++)
        outcome = r->rule[i] ? r->rule[i](s) : CT__STAYS;
    return outcome;
}

/* Add the node as it is, or find it among those before. */
static bool record(ct__pass *p, ct__site *s)
{
    uint32_t hash = 0;
    bool merges = ct__asks(p->r, CT_REWRITE_MERGING);
    if (merges && ct__merge_find(p, &s->node, s->type, s->result, &hash)) {
        p->n_changes++;
        return ct__merge_places(p, p->to->value[s->result[0]].node, &s->node);
    }
    ct__id first;
    if ((merges && !ct__merge_reserve(p)) || !ct__graph_add_node(p->to, &s->node, s->type, &first))
        return false;
    for (size_t i = 0; i < s->node.n_results; i++)
        s->result[i] = first + (ct__id)i;
    if (merges)
        ct__merge_add(p, hash, (uint32_t)(p->to->n_nodes - 1));
    return true;
}

bool ct__emit(ct__pass *p, const ct__node *node, const ct_type *const *type,
              const char *const *name, ct__id *result) /* NOLINT(readability-non-const-parameter) */
{
    ct__site s = {.p = p, .node = *node, .type = type, .name = name, .result = result};
    ct__outcome outcome = CT__CHANGED;
    for (int round = 0; round < ROUNDS && outcome == CT__CHANGED; round++) {
        outcome = apply_rules(&s);
        p->n_changes += outcome != CT__STAYS;
    }
    p->again = p->again || outcome == CT__CHANGED;
    if (outcome == CT__NO_ROOM || (outcome != CT__REPLACED && !record(p, &s)))
        return false;
    return name_results(p, &s);
}

/* ---- For rules. */

ct__outcome ct__become_value(ct__site *s, ct__id value)
{
    s->result[0] = value;
    return CT__REPLACED;
}

ct__outcome ct__become(ct__site *s, ct__op op, const ct__attrs *attrs, size_t n,
                       const ct__id *operand)
{
    static const ct__attrs none;
    const ct__id *copy = ct__arena_copy(s->p->arena, operand, n * sizeof *operand);
    if (!copy)
        return CT__NO_ROOM;
    s->node.op = op;
    s->node.attrs = attrs ? attrs : &none;
    s->node.n_operands = (uint32_t)n;
    s->node.operand = copy;
    s->node.n_regions = 0;
    s->node.region = NULL;
    return CT__CHANGED;
}

/* ---- Bodies. */

static ct__graph *rewrite_graph(ct__rewriter *r, ct__graph *graph);

/* Append, taking over the reference. */
static bool append_body(ct__rewriter *r, ct__graph *graph, size_t *position)
{
    ct__bodies *b = &r->bodies;
    if (!ct__grow(&r->ctx->allocator, &b->graph, &b->capacity, b->count + 1, sizeof *b->graph)) {
        ct__graph_release(graph);
        return false;
    }
    *position = b->count;
    b->graph[b->count++] = graph;
    return true;
}

/* The position of the first body equal to this one, which is listed if there is none before it;
 * takes over the reference. */
static bool find_equal(ct__rewriter *r, ct__graph *graph, size_t *position)
{
    ct__bodies *b = &r->bodies;
    uint64_t hash = ct__graph_hash(graph), n = 0;
    for (; ct__lookup_find(&b->by_hash, hash, n, position); n++) {
        bool same, fine = ct__body_equal(b->graph[*position], graph, &same);
        if (fine && !same)
            continue;
        ct__graph_release(graph);
        return fine;
    }
    if (!append_body(r, graph, position) || !ct__lookup_reserve(&r->ctx->allocator, &b->by_hash))
        return false;
    ct__lookup_add(&b->by_hash, hash, n, *position);
    return true;
}

/* From now on `source` is known to become the body at this position. */
static bool list_source(ct__rewriter *r, const ct__graph *source, size_t position)
{
    size_t known;
    if (ct__lookup_find(&r->bodies.became, (uintptr_t)source, 0, &known))
        return true;
    if (!ct__lookup_reserve(&r->ctx->allocator, &r->bodies.became))
        return false;
    ct__lookup_add(&r->bodies.became, (uintptr_t)source, 0, position);
    return true;
}

ct__graph *ct__list_body(ct__rewriter *r, ct__graph *body)
{
    size_t position;
    bool fine = ct__asks(r, CT_REWRITE_MERGING) ? find_equal(r, body, &position)
                                                : append_body(r, body, &position);
    return fine && list_source(r, r->bodies.graph[position], position) ? r->bodies.graph[position]
                                                                       : NULL;
}

/* What a body becomes, borrowed; NULL when memory is short. */
static ct__graph *rewritten_body(ct__rewriter *r, ct__graph *body)
{
    size_t position;
    if (ct__lookup_find(&r->bodies.became, (uintptr_t)body, 0, &position))
        return r->bodies.graph[position];
    ct__graph *graph = rewrite_graph(r, body);
    graph = graph ? ct__list_body(r, graph) : NULL;
    if (!graph || !ct__lookup_find(&r->bodies.became, (uintptr_t)graph, 0, &position) ||
        !list_source(r, body, position))
        return NULL;
    return graph;
}

static void free_bodies(ct__rewriter *r)
{
    ct__bodies *b = &r->bodies;
    for (size_t i = 0; i < b->count; i++)
        ct__graph_release(b->graph[i]);
    ct__release(&r->ctx->allocator, b->graph, b->capacity * sizeof *b->graph);
    ct__lookup_free(&r->ctx->allocator, &b->became);
    ct__lookup_free(&r->ctx->allocator, &b->by_hash);
    ct__lookup_free(&r->ctx->allocator, &r->sites);
}

/* ---- One pass. */

/* Whether a body on elements is another operation than it was: on that the order of a fold depends
 * where sums are made in lanes, and what derivatives do at ties. */
static bool is_another_fold(const ct__node *node, const ct__graph *was, const ct__graph *is)
{
    return ct__has(node->op, CT__BODY_LINEAR) &&
           ct__graph_body_kind(was) != ct__graph_body_kind(is);
}

/* A copy of the node whose bodies are rewritten ones. */
static bool rewrite_regions(ct__pass *p, const ct__node *node, ct__node *copy)
{
    if (node->n_regions == 0 || ct__is_expanded(p, node))
        return true;
    ct__graph **region = CT__NEW_ARRAY(p->arena, ct__graph *, node->n_regions);
    for (size_t i = 0; region && i < node->n_regions; i++) {
        region[i] = rewritten_body(p->r, node->region[i]);
        if (!region[i])
            return false;
        if (is_another_fold(node, node->region[i], region[i]))
            region[i] = node->region[i];
        p->n_changes += region[i] != node->region[i];
    }
    copy->region = region;
    return region != NULL;
}

/* What is known of the copy of a node: per result, and its operands. */
typedef struct node_lists {
    const ct_type **type;
    const char **name;
    ct__id *result;
    bool *keep;
    ct__id *operand;
} node_lists;

/* One request of the arena, for there is one of these per node. */
static bool take_lists(ct__pass *p, const ct__node *node, node_lists *l)
{
    const size_t n = node->n_results, n_operands = node->n_operands;
    const size_t each = sizeof *l->type + sizeof *l->name + sizeof *l->result + sizeof *l->keep;
    void *memory = ct__arena_zeroed(p->arena, n * each + n_operands * sizeof *l->operand);
    if (!memory)
        return false;
    l->type = memory;
    l->name = (void *)(l->type + n);
    l->result = (void *)(l->name + n);
    l->operand = l->result + n;
    l->keep = (void *)(l->operand + n_operands);
    return true;
}

bool ct__emit_copy(ct__pass *p, const ct__graph *from, const ct__node *node, ct__id *value,
                   const bool *read)
{
    node_lists l;
    ct__node copy = *node;
    if (!take_lists(p, node, &l) || !rewrite_regions(p, node, &copy))
        return false;
    for (size_t i = 0; i < node->n_operands; i++)
        l.operand[i] = value[node->operand[i]];
    copy.operand = l.operand;
    for (size_t i = 0; i < node->n_results; i++)
        l.keep[i] = !read || node->n_regions == 0 || read[node->first_result + i];
    if (read && node->n_regions > 0 && !ct__narrow(p, &copy, node->region[0], l.keep))
        return false;
    copy.n_results = 0;
    for (size_t i = 0; i < node->n_results; i++) {
        const ct__value *v = &from->value[node->first_result + i];
        if (!l.keep[i])
            continue;
        l.name[copy.n_results] = v->name;
        l.type[copy.n_results++] = v->type;
    }
    if (!ct__emit(p, &copy, l.type, l.name, l.result))
        return false;
    for (size_t i = 0, k = 0; i < node->n_results; i++)
        if (l.keep[i])
            value[node->first_result + i] = l.result[k++];
    return true;
}

static const char **copy_texts(ct__arena *arena, const char *const *list, size_t n)
{
    const char **copy = CT__NEW_ARRAY(arena, const char *, n);
    for (size_t i = 0; copy && i < n; i++) {
        copy[i] = ct__arena_text(arena, list[i]);
        if (list[i] && !copy[i])
            return NULL;
    }
    return copy;
}

static bool copy_notes(ct__graph *to, const ct__notes *from)
{
    ct__notes *notes = &to->notes;
    ct__arena *arena = &to->arena;
    if ((from->module && !(notes->module = ct__arena_text(arena, from->module))) ||
        (from->function && !(notes->function = ct__arena_text(arena, from->function))) ||
        (from->param && !(notes->param = copy_texts(arena, from->param, to->n_params))))
        return false;
    return !from->result || (notes->result = copy_texts(arena, from->result, to->n_results));
}

/* The signature is the same, so what is said of parameters stays true. */
static bool copy_params(ct__pass *p, const ct__graph *from, ct__id *value)
{
    ct__graph *to = p->to;
    for (size_t i = 0; i < from->n_params; i++) {
        const ct__value *old = &from->value[from->param[i]];
        ct__id id;
        if (!ct__graph_add_param(to, old->type, &id) ||
            (old->name && !(to->value[id].name = ct__arena_text(&to->arena, old->name))))
            return false;
        value[from->param[i]] = id;
    }
    if (from->linear_param)
        to->linear_param = ct__arena_copy(&to->arena, from->linear_param,
                                          from->n_params * sizeof *from->linear_param);
    return (!from->linear_param || to->linear_param) &&
           ct__graph_set_arguments(to, from->n_arguments, from->leaves);
}

static bool copy_results(ct__pass *p, const ct__graph *from, const ct__id *value)
{
    ct__id *result = CT__NEW_ARRAY(p->lasting, ct__id, from->n_results);
    for (size_t i = 0; result && i < from->n_results; i++)
        result[i] = value[from->result[i]];
    return result && ct__graph_set_results(p->to, from->n_results, result) &&
           copy_notes(p->to, &from->notes);
}

static bool fill(ct__pass *p, const ct__graph *from)
{
    ct__id *value = CT__NEW_ARRAY(p->lasting, ct__id, from->n_values);
    bool drops = ct__asks(p->r, CT_REWRITE_DROPPING);
    const bool *read = drops ? ct__find_read(p->lasting, from) : NULL;
    bool fine = value && (read || !drops) && ct__graph_reserve(p->to, from->n_nodes) &&
                copy_params(p, from, value);
    for (size_t i = 0; fine && i < from->n_nodes; i++) {
        if (!read || ct__is_live(&from->node[i], read))
            fine = ct__emit_copy(p, from, &from->node[i], value, read);
        ct__arena_reset(p->arena);
    }
    fine = fine && copy_results(p, from, value) && ct__merge_end(p);
    if (fine && drops) {
        fine = ct__graph_prune(p->to);
        p->n_changes += p->to->n_nodes != from->n_nodes;
    }
    return fine;
}

/* The graph once rewritten, itself when there is nothing to do; NULL when memory is short. */
static ct__graph *run_pass(ct__rewriter *r, ct__graph *from, bool *again)
{
    ct__arena arena, lasting;
    ct__arena_init(&arena, &r->ctx->allocator);
    ct__arena_init(&lasting, &r->ctx->allocator);
    ct__pass p = {.r = r,
                  .arena = &arena,
                  .lasting = &lasting,
                  .to = ct__graph_new(&r->ctx->allocator, from->name),
                  .n_expected = from->n_nodes};
    if (p.to && !fill(&p, from)) {
        ct__graph_release(p.to);
        p.to = NULL;
    }
    *again = p.again;
    ct__arena_free(&arena);
    ct__arena_free(&lasting);
    if (!p.to || p.n_changes > 0)
        return p.to;
    ct__graph_release(p.to);
    return ct__graph_retain(from);
}

/* The result is the caller's; NULL when memory is short. */
static ct__graph *rewrite_graph(ct__rewriter *r, ct__graph *graph)
{
    bool again;
    ct__graph *current = run_pass(r, graph, &again);
    for (int pass = 1; pass < PASSES && again && current; pass++) {
        ct__graph *next = run_pass(r, current, &again);
        ct__graph_release(current);
        current = next;
    }
    return current;
}

ct__graph *ct__rewrite_with(ct__rewriter *r, ct__graph *graph)
{
    ct__graph *rewritten = ct__count_sites(r, graph) ? rewrite_graph(r, graph) : NULL;
    free_bodies(r);
    if (!rewritten)
        ct__error_memory(r->ctx, r->at, graph->name);
    return rewritten;
}

ct__graph *ct__inline_single_calls(ct_context *ctx, ct_place at, ct__graph *graph)
{
    ct__rewriter r = {
        .ctx = ctx, .at = at, .rewrites = CT__REWRITE_SINGLE_CALLS, .operations = SIZE_MAX};
    return ct__rewrite_with(&r, graph);
}

/* ---- The public entries. */

static ct_function *rewrite_function(ct_place at, const char *what, ct_function *f, ct__rewriter *r)
{
    ct_context *ctx = ct_function_context(f);
    if (!ct__function_check(ctx, at, what, f))
        return ct__poison_function(ctx);
    r->ctx = ctx;
    r->at = at;
    ct__graph *graph = ct__count_sites(r, f->graph) ? rewrite_graph(r, f->graph) : NULL;
    free_bodies(r);
    if (!graph)
        ct__error_memory(ctx, at, what);
    return ct__function_new(ctx, at, graph);
}

ct_function *ct_simplify_with_at(ct_place at, ct_function *f, const ct_simplify_options *options)
{
    const ct_simplify_options defaults = {.size = sizeof defaults};
    const ct_simplify_options *o = options ? options : &defaults;
    ct_context *ctx = ct_function_context(f);
    if (o->size != sizeof *o || (o->off & ~(unsigned)CT_REWRITE_ALL)) {
        ct__error(ctx, at, CT_ERR_ARGUMENT, "simplify: the options are not those of this version");
        return ct__poison_function(ctx);
    }
    ct__rewriter r = {.rewrites = (unsigned)CT_REWRITE_ALL & ~o->off,
                      .fold_bytes = o->fold_bytes ? o->fold_bytes : 4096};
    return rewrite_function(at, "simplify", f, &r);
}

ct_function *ct_inline_within_at(ct_place at, ct_function *f, size_t operations)
{
    ct__rewriter r = {.rewrites = CT__REWRITE_CALLS,
                      .operations = operations ? operations : 1000000};
    return rewrite_function(at, "inline", f, &r);
}
