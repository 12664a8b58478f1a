#include "interop/stablehlo/read_build.h"

/* The value of a tensor of an open trace, if constants decide it: the nodes that it depends on are
 * computed, once each, through the captures of bodies outwards. What has been found is kept in the
 * reader, for the next question often begins where the last one ended. */

typedef struct place {
    uint64_t trace;
    ct__id value;
} place;

/* What is to be found, and for which other. */
typedef struct wanted {
    place p;
    size_t by; /* position in the stack; NONE: the question itself */
} wanted;

#define NONE SIZE_MAX

typedef struct folding {
    ct__reader *r;
    ct__arena arena;
    size_t n_open, open_capacity;
    wanted *open; /* a stack */
} folding;

/* Whether the answer is there; *value NULL: more than constants decide it. */
static bool find(const ct__reader *r, place p, const ct__literal **value)
{
    size_t position;
    if (!ct__lookup_find(&r->folds, p.trace, p.value, &position))
        return false;
    *value = r->fold[position];
    return true;
}

static bool fail_memory(ct__reader *r)
{
    ct__error_memory(r->ctx, r->called_from, "fold");
    return false;
}

/* The value is the reader's, or NULL. */
static bool remember(ct__reader *r, place p, const ct__literal *value)
{
    const ct_allocator *allocator = &r->ctx->allocator;
    const ct__literal *known;
    if (find(r, p, &known))
        return true;
    if (!ct__grow(allocator, &r->fold, &r->fold_capacity, r->n_folds + 1, sizeof *r->fold) ||
        !ct__lookup_reserve(allocator, &r->folds))
        return fail_memory(r);
    ct__lookup_add(&r->folds, p.trace, p.value, r->n_folds);
    r->fold[r->n_folds++] = value;
    return true;
}

static bool keep(ct__reader *r, place p, const ct__literal *value)
{
    ct__literal *own = ct__literal_retain((ct__literal *)(uintptr_t)value);
    return ct__own_literal(r, own) && remember(r, p, own);
}

static bool push(folding *f, place p, size_t by)
{
    if (!ct__grow(&f->r->ctx->allocator, &f->open, &f->open_capacity, f->n_open + 1,
                  sizeof *f->open))
        return fail_memory(f->r);
    f->open[f->n_open++] = (wanted){p, by};
    return true;
}

/* A parameter has a value only where it stands for one of an enclosing trace. */
static bool fold_param(folding *f, const ct__trace *trace, place p)
{
    for (size_t i = 0; i < trace->n_captures; i++) {
        if (trace->capture[i].param != p.value)
            continue;
        const place outer = {trace->capture[i].trace, trace->capture[i].value};
        const ct__literal *value;
        if (!find(f->r, outer, &value))
            return push(f, outer, f->n_open - 1);
        return value && remember(f->r, p, value);
    }
    return false;
}

/* Compute a node whose operands are known. With no trace open, operations without operands are
 * computed too. */
static bool compute(folding *f, const ct__trace *trace, const ct__node *node,
                    ct_tensor *const *operand)
{
    ct_context *ctx = f->r->ctx;
    ct__trace *open = ctx->trace;
    ct_tensor **result = CT__NEW_ARRAY(&f->arena, ct_tensor *, node->n_results);
    const ct_type **type = CT__NEW_ARRAY(&f->arena, const ct_type *, node->n_results);
    if (!result || !type)
        return fail_memory(f->r);
    for (size_t i = 0; i < node->n_results; i++)
        type[i] = ct__graph_type(trace->graph, node->first_result + (ct__id)i);
    const ct__request request = {.ctx = ctx,
                                 .at = node->at,
                                 .op = node->op,
                                 .attrs = node->attrs,
                                 .n_operands = node->n_operands,
                                 .operand = operand,
                                 .n_regions = node->n_regions,
                                 .region = node->region,
                                 .n_given = node->n_results,
                                 .given = type};
    ctx->trace = NULL;
    bool fine = ct__apply(&request, result, node->n_results);
    ctx->trace = open;
    for (size_t i = 0; fine && i < node->n_results; i++)
        fine = result[i]->kind == CT__CONCRETE &&
               keep(f->r, (place){trace->serial, node->first_result + (ct__id)i},
                    result[i]->literal);
    return fine;
}

/* Concrete tensors of the operands' values, which are known. */
static bool load_operands(const folding *f, const ct__trace *trace, const ct__node *node,
                          ct_tensor **operand)
{
    for (size_t i = 0; i < node->n_operands; i++) {
        const ct__literal *value = NULL;
        find(f->r, (place){trace->serial, node->operand[i]}, &value);
        ct__literal *own = ct__literal_retain((ct__literal *)(uintptr_t)value);
        operand[i] = ct__tensor_concrete(f->r->ctx, node->at, "fold", own);
    }
    return !ct_failed(f->r->ctx);
}

/* Compute the node, or ask for what it needs first. */
static bool fold_node(folding *f, const ct__trace *trace, const ct__node *node)
{
    const size_t self = f->n_open - 1;
    bool ready = true;
    if (ct__node_has_effect(node))
        return false;
    if (node->op == CT__OP_constant)
        return keep(f->r, (place){trace->serial, node->first_result}, node->attrs->constant.value);
    for (size_t i = 0; i < node->n_operands; i++) {
        const place p = {trace->serial, node->operand[i]};
        const ct__literal *value;
        if (find(f->r, p, &value) ? !value : !push(f, p, self))
            return false;
        ready = ready && f->n_open == self + 1;
    }
    if (!ready)
        return true;
    ct_tensor **operand = CT__NEW_ARRAY(&f->arena, ct_tensor *, node->n_operands);
    if (!operand)
        return fail_memory(f->r);
    return load_operands(f, trace, node, operand) && compute(f, trace, node, operand);
}

/* One step towards the topmost open place; false when it can not be known. */
static bool step(folding *f)
{
    const place p = f->open[f->n_open - 1].p;
    const ct__literal *value;
    if (find(f->r, p, &value)) {
        f->n_open--;
        return value != NULL;
    }
    const ct__trace *trace = ct__trace_find(f->r->ctx, p.trace);
    if (!trace)
        return false;
    const uint32_t node = trace->graph->value[p.value].node;
    return node == CT__NO_NODE ? fold_param(f, trace, p)
                               : fold_node(f, trace, &trace->graph->node[node]);
}

/* The topmost open place is not known: nor are those that it was wanted for. */
static void give_up(folding *f)
{
    for (size_t i = f->n_open - 1; i != NONE && !ct_failed(f->r->ctx); i = f->open[i].by)
        remember(f->r, f->open[i].p, NULL);
}

/* What can not be computed is not known; that is no error of the program. */
static void forget_error(ct_context *ctx)
{
    if (ctx->status != CT_OK && ctx->status != CT_ERR_MEMORY)
        ct_error_clear(ctx);
}

static const ct__literal *fold_place(ct__reader *r, place p)
{
    folding f = {.r = r};
    const ct__literal *value = NULL;
    ct__arena_init(&f.arena, &r->ctx->allocator);
    ct_scope scope = ct_scope_begin(r->ctx);
    bool fine = push(&f, p, NONE);
    while (fine && f.n_open > 0)
        fine = step(&f);
    forget_error(r->ctx);
    if (!fine && f.n_open > 0)
        give_up(&f);
    ct_scope_end(scope);
    ct__release(&r->ctx->allocator, f.open, f.open_capacity * sizeof *f.open);
    ct__arena_free(&f.arena);
    return fine && find(r, p, &value) ? value : NULL;
}

const ct__literal *ct__fold_value(ct__reader *r, ct_tensor *x)
{
    if (x->kind == CT__CONCRETE)
        return ct__own_literal(r, ct__literal_retain(x->literal)) ? x->literal : NULL;
    return x->kind == CT__TRACED ? fold_place(r, (place){x->trace, x->value}) : NULL;
}

/* ---- Differences. */

static bool same_place(place p, place q)
{
    return p.trace == q.trace && p.value == q.value;
}

/* What a parameter of bodies stands for, outwards; what is no such parameter is itself. */
static place origin(ct_context *ctx, place p)
{
    for (;;) {
        const ct__trace *trace = ct__trace_find(ctx, p.trace);
        if (!trace || trace->graph->value[p.value].node != CT__NO_NODE)
            return p;
        size_t i = 0;
        while (i < trace->n_captures && trace->capture[i].param != p.value)
            i++;
        if (i == trace->n_captures)
            return p;
        p = (place){trace->capture[i].trace, trace->capture[i].value};
    }
}

const ct__literal *ct__fold_difference(ct__reader *r, ct_tensor *y, ct_tensor *x)
{
    if (y->kind != CT__TRACED || x->kind != CT__TRACED)
        return NULL;
    const place sum = origin(r->ctx, (place){y->trace, y->value});
    const place from = origin(r->ctx, (place){x->trace, x->value});
    const ct__trace *trace = ct__trace_find(r->ctx, sum.trace);
    const uint32_t at = trace ? trace->graph->value[sum.value].node : CT__NO_NODE;
    if (at == CT__NO_NODE || trace->graph->node[at].op != CT__OP_add)
        return NULL;
    const ct__node *node = &trace->graph->node[at];
    for (size_t i = 0; i < 2; i++)
        if (same_place(origin(r->ctx, (place){trace->serial, node->operand[i]}), from))
            return fold_place(r, (place){trace->serial, node->operand[1 - i]});
    return NULL;
}
