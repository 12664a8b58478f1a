#include "interop/stablehlo/read_build.h"

/* The value of a tensor of an open trace, if constants decide it: the nodes that it depends on are
 * computed, once each, through the captures of bodies outwards. */

typedef struct place {
    uint64_t trace;
    ct__id value;
} place;

typedef struct folding {
    ct_context *ctx;
    ct__arena arena;
    ct__lookup position; /* place -> its tensor in the list */
    size_t n_tensors, tensor_capacity;
    ct_tensor **tensor;
    size_t n_open, open_capacity;
    place *open; /* a stack of what is to be found; each needs those above it */
} folding;

static ct_tensor *find(const folding *f, place p)
{
    size_t position;
    return ct__lookup_find(&f->position, p.trace, p.value, &position) ? f->tensor[position] : NULL;
}

static bool fail_memory(const folding *f)
{
    ct__error_memory(f->ctx, (ct_place){NULL, 0, 0}, "fold");
    return false;
}

static bool add(folding *f, place p, ct_tensor *x)
{
    if (find(f, p))
        return true;
    if (!ct__grow(&f->ctx->allocator, &f->tensor, &f->tensor_capacity, f->n_tensors + 1,
                  sizeof *f->tensor) ||
        !ct__lookup_reserve(&f->ctx->allocator, &f->position))
        return fail_memory(f);
    ct__lookup_add(&f->position, p.trace, p.value, f->n_tensors);
    f->tensor[f->n_tensors++] = x;
    return true;
}

static bool push(folding *f, place p)
{
    if (!ct__grow(&f->ctx->allocator, &f->open, &f->open_capacity, f->n_open + 1, sizeof *f->open))
        return fail_memory(f);
    f->open[f->n_open++] = p;
    return true;
}

/* A parameter has a value only where it stands for one of an enclosing trace. */
static bool fold_param(folding *f, const ct__trace *trace, place p)
{
    for (size_t i = 0; i < trace->n_captures; i++) {
        if (trace->capture[i].param != p.value)
            continue;
        const place outer = {trace->capture[i].trace, trace->capture[i].value};
        ct_tensor *x = find(f, outer);
        return x ? add(f, p, x) : push(f, outer);
    }
    return false;
}

/* Compute a node whose operands are known. With no trace open, operations without operands are
 * computed too. */
static bool compute(folding *f, const ct__trace *trace, const ct__node *node,
                    ct_tensor *const *operand)
{
    ct_context *ctx = f->ctx;
    ct__trace *open = ctx->trace;
    ct_tensor **result = CT__NEW_ARRAY(&f->arena, ct_tensor *, node->n_results);
    const ct_type **type = CT__NEW_ARRAY(&f->arena, const ct_type *, node->n_results);
    if (!result || !type)
        return fail_memory(f);
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
        fine = add(f, (place){trace->serial, node->first_result + (ct__id)i}, result[i]);
    return fine;
}

static bool add_constant(folding *f, const ct__trace *trace, const ct__node *node)
{
    ct__literal *literal = ct__literal_retain(node->attrs->constant.value);
    ct_tensor *x = ct__tensor_concrete(f->ctx, node->at, "constant", literal);
    return x->kind == CT__CONCRETE && add(f, (place){trace->serial, node->first_result}, x);
}

/* Compute the node, or ask for what it needs first. */
static bool fold_node(folding *f, const ct__trace *trace, const ct__node *node)
{
    ct_tensor **operand = CT__NEW_ARRAY(&f->arena, ct_tensor *, node->n_operands);
    bool ready = true;
    if (!operand)
        return fail_memory(f);
    if (ct__node_has_effect(node))
        return false;
    if (node->op == CT__OP_constant)
        return add_constant(f, trace, node);
    for (size_t i = 0; i < node->n_operands; i++) {
        const place p = {trace->serial, node->operand[i]};
        operand[i] = find(f, p);
        if (!operand[i] && !push(f, p))
            return false;
        ready = ready && operand[i];
    }
    return !ready || compute(f, trace, node, operand);
}

/* One step towards the topmost open place; false when it can not be known. */
static bool step(folding *f)
{
    const place p = f->open[f->n_open - 1];
    if (find(f, p)) {
        f->n_open--;
        return true;
    }
    const ct__trace *trace = ct__trace_find(f->ctx, p.trace);
    if (!trace)
        return false;
    const uint32_t node = trace->graph->value[p.value].node;
    return node == CT__NO_NODE ? fold_param(f, trace, p)
                               : fold_node(f, trace, &trace->graph->node[node]);
}

static ct_tensor *fold(folding *f, place p)
{
    bool fine = push(f, p);
    while (fine && f->n_open > 0)
        fine = step(f);
    return fine ? find(f, p) : NULL;
}

static void folding_free(folding *f)
{
    const ct_allocator *allocator = &f->ctx->allocator;
    ct__lookup_free(allocator, &f->position);
    ct__release(allocator, f->tensor, f->tensor_capacity * sizeof *f->tensor);
    ct__release(allocator, f->open, f->open_capacity * sizeof *f->open);
    ct__arena_free(&f->arena);
}

/* What can not be computed is not known; that is no error of the program. */
static void forget_error(ct_context *ctx)
{
    if (ctx->status != CT_OK && ctx->status != CT_ERR_MEMORY)
        ct_error_clear(ctx);
}

static const ct__literal *fold_place(ct__reader *r, place p)
{
    folding f = {.ctx = r->ctx};
    ct__literal *literal = NULL;
    ct__arena_init(&f.arena, &r->ctx->allocator);
    ct_scope scope = ct_scope_begin(r->ctx);
    ct_tensor *y = fold(&f, p);
    if (y && y->kind == CT__CONCRETE)
        literal = ct__literal_retain(y->literal);
    ct_scope_end(scope);
    forget_error(r->ctx);
    folding_free(&f);
    return literal && ct__own_literal(r, literal) ? literal : NULL;
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
