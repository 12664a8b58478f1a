/* Operations on constants, computed by the context's evaluate hook. Only those are, of which every
 * numerics that rounds gives the same bits: elementary functions and folds of floats stay. */
#include "trace/rewrite/rewrite.h"

#include <string.h>

/* ---- Which operations. */

static bool is_complex(const ct_type *type)
{
    return type->kind == CT__TENSOR && ct_dtype_is_complex(type->dtype);
}

static bool counts(const ct_type *type) /* integers and truths: all arithmetic is exact */
{
    return type->kind == CT__TENSOR && (ct_dtype_is_integer(type->dtype) || type->dtype == CT_BOOL);
}

/* Operations whose work is bounded by their operands and results. */
static bool is_bounded(const ct__node *node)
{
    return ct__has(node->op, CT__ELEMENTWISE) || ct__has(node->op, CT__BILINEAR) ||
           node->op == CT__OP_reduce || node->op == CT__OP_map || node->op == CT__OP_sort;
}

/* Whether the node's result is the same in every numerics, given what its types are. */
static bool is_exact(const ct__node *node, bool all_count, bool any_complex)
{
    if (ct__node_has_effect(node) || ct__has(node->op, CT__INDEXES))
        return false;
    if (ct__has(node->op, CT__MOVES_DATA))
        return true;
    if (any_complex)
        return false;
    return ct__has(node->op, CT__EXACT) || (all_count && is_bounded(node));
}

/* Bodies must be exact themselves, and may not have bodies: they run for every element. */
static bool is_exact_body(const ct__graph *graph)
{
    for (size_t i = 0; i < graph->n_nodes; i++) {
        const ct__node *node = &graph->node[i];
        bool all = true, any = false;
        for (size_t k = 0; k < node->n_operands; k++) {
            all = all && counts(ct__graph_type(graph, node->operand[k]));
            any = any || is_complex(ct__graph_type(graph, node->operand[k]));
        }
        for (size_t k = 0; k < node->n_results; k++) {
            all = all && counts(ct__graph_type(graph, node->first_result + (ct__id)k));
            any = any || is_complex(ct__graph_type(graph, node->first_result + (ct__id)k));
        }
        if (node->op != CT__OP_constant && (node->n_regions > 0 || !is_exact(node, all, any)))
            return false;
    }
    return true;
}

static bool may_fold(const ct__site *s)
{
    const ct__node *node = &s->node;
    bool all = true, any = false;
    for (size_t i = 0; i < node->n_operands; i++) {
        const ct_type *type = ct__type_of(s->p, node->operand[i]);
        if (!ct__graph_literal(s->p->to, node->operand[i]))
            return false;
        all = all && counts(type);
        any = any || is_complex(type);
    }
    for (size_t i = 0; i < node->n_results; i++) {
        all = all && counts(s->type[i]);
        any = any || is_complex(s->type[i]);
    }
    for (size_t i = 0; i < node->n_regions; i++)
        if (!is_exact_body(node->region[i]))
            return false;
    return node->n_operands > 0 && is_exact(node, all, any);
}

/* ---- Constants as results. */

/* Record the literal in the place of result i; lets go of the reference. */
static bool record_literal(ct__site *s, size_t i, ct__literal *literal)
{
    if (!literal)
        return false;
    const ct__attrs attrs = {.constant = {.value = literal}};
    const ct__node node = {.op = CT__OP_constant,
                           .at = s->node.at,
                           .attrs = &attrs,
                           .n_results = 1,
                           .n_also = s->node.n_also,
                           .also = s->node.also};
    bool fine = ct__emit(s->p, &node, &literal->type, s->name ? s->name + i : NULL, s->result + i);
    ct__literal_release(literal);
    return fine;
}

static bool is_small(const ct__site *s, const ct_type *type)
{
    return ct__data_bytes(type) <= s->p->r->fold_bytes;
}

/* ---- Moving one constant: new strides over the same elements. */

static ct__outcome fold_view(ct__site *s)
{
    const ct__literal *x = ct__graph_literal(s->p->to, s->node.operand[0]);
    ct__literal *view;
    if (!(ct__literal_is_splat(x) || is_small(s, s->type[0])) ||
        !ct__view(s->node.op, s->node.attrs, x, s->type[0], &view))
        return CT__STAYS;
    return record_literal(s, 0, view) ? CT__REPLACED : CT__NO_ROOM;
}

/* ---- Evaluating. */

typedef struct folding {
    ct__site *s;
    size_t n; /* operands */
    const ct_type **in_type, **out_type;
    const void **in;
    void **out;
    ct__storage **storage; /* of operands, then of results */
} folding;

static bool prepare(folding *f, ct__site *s)
{
    ct__arena *arena = s->p->arena;
    *f = (folding){
        .s = s,
        .n = s->node.n_operands,
        .in_type = CT__NEW_ARRAY(arena, const ct_type *, s->node.n_operands),
        .out_type = CT__NEW_ARRAY(arena, const ct_type *, s->node.n_results),
        .in = CT__NEW_ARRAY(arena, const void *, s->node.n_operands),
        .out = CT__NEW_ARRAY(arena, void *, s->node.n_results),
        .storage = CT__NEW_ARRAY(arena, ct__storage *, s->node.n_operands + s->node.n_results)};
    return f->in_type && f->out_type && f->in && f->out && f->storage;
}

/* Aligned, contiguous copies of the operands, and room for the results. */
static bool fill_buffers(folding *f, bool as_scalars)
{
    const ct_allocator *allocator = &f->s->p->r->ctx->allocator;
    for (size_t i = 0; i < f->n; i++) {
        const ct__literal *x = ct__graph_literal(f->s->p->to, f->s->node.operand[i]);
        f->storage[i] = ct__storage_new(allocator, ct__data_bytes(f->in_type[i]));
        if (!f->storage[i])
            return false;
        f->in[i] = f->storage[i]->data;
        if (as_scalars)
            memcpy(f->storage[i]->data, ct__literal_first(x), ct_dtype_bytes(x->type->dtype));
        else
            ct__literal_copy_out(x, f->storage[i]->data);
    }
    for (size_t i = 0; i < f->s->node.n_results; i++) {
        f->storage[f->n + i] = ct__storage_new(allocator, ct__data_bytes(f->out_type[i]));
        if (!f->storage[f->n + i])
            return false;
        f->out[i] = f->storage[f->n + i]->data;
    }
    return true;
}

/* What cannot be computed now is left to the run, which reports it. */
static ct__outcome evaluate(folding *f)
{
    const ct__node *node = &f->s->node;
    ct_context *ctx = f->s->p->r->ctx;
    const ct__evaluation e = {.ctx = ctx,
                              .at = node->at,
                              .op = node->op,
                              .attrs = node->attrs,
                              .n_operands = node->n_operands,
                              .in_type = f->in_type,
                              .in = f->in,
                              .n_regions = node->n_regions,
                              .region = node->region,
                              .n_results = node->n_results,
                              .out_type = f->out_type,
                              .out = f->out};
    if (ctx->hooks.evaluate(&e))
        return CT__REPLACED;
    if (ctx->status == CT_ERR_MEMORY)
        return CT__NO_ROOM;
    ct_error_clear(ctx);
    return CT__STAYS;
}

static bool record_results(folding *f, bool as_scalars)
{
    static const int64_t repeated[CT__MAX_RANK];
    for (size_t i = 0; i < f->s->node.n_results; i++) {
        ct__storage *storage = f->storage[f->n + i];
        f->storage[f->n + i] = NULL;
        if (!record_literal(
                f->s, i, ct__literal_new(storage, f->s->type[i], 0, as_scalars ? repeated : NULL)))
            return false;
    }
    return true;
}

static ct__outcome compute(folding *f, bool as_scalars)
{
    ct__outcome outcome = fill_buffers(f, as_scalars) ? evaluate(f) : CT__NO_ROOM;
    if (outcome == CT__REPLACED && !record_results(f, as_scalars))
        outcome = CT__NO_ROOM;
    for (size_t i = 0; i < f->n + f->s->node.n_results; i++)
        ct__storage_release(f->storage[i]);
    return outcome;
}

/* Elementwise on constants of equal elements: one element is computed. */
static bool is_uniform(const ct__site *s)
{
    if (!ct__has(s->node.op, CT__ELEMENTWISE) || s->node.n_results != 1 || s->type[0]->size == 0)
        return false;
    for (size_t i = 0; i < s->node.n_operands; i++)
        if (!ct__splat_of(s->p, s->node.operand[i]))
            return false;
    return true;
}

static ct__outcome fold_uniform(ct__site *s)
{
    folding f;
    ct__arena *arena = s->p->arena;
    if (!prepare(&f, s))
        return CT__NO_ROOM;
    for (size_t i = 0; i < f.n; i++)
        if (!(f.in_type[i] = ct__type(arena, ct__type_of(s->p, s->node.operand[i])->dtype, 0,
                                      NULL)))
            return CT__NO_ROOM;
    if (!(f.out_type[0] = ct__type(arena, s->type[0]->dtype, 0, NULL)))
        return CT__NO_ROOM;
    return compute(&f, true);
}

static ct__outcome fold_small(ct__site *s)
{
    folding f;
    for (size_t i = 0; i < s->node.n_operands; i++)
        if (!is_small(s, ct__type_of(s->p, s->node.operand[i])))
            return CT__STAYS;
    for (size_t i = 0; i < s->node.n_results; i++)
        if (!is_small(s, s->type[i]))
            return CT__STAYS;
    if (!prepare(&f, s))
        return CT__NO_ROOM;
    for (size_t i = 0; i < f.n; i++)
        f.in_type[i] = ct__type_of(s->p, s->node.operand[i]);
    for (size_t i = 0; i < s->node.n_results; i++)
        f.out_type[i] = s->type[i];
    return compute(&f, false);
}

ct__outcome ct__fold(ct__site *s)
{
    if (!may_fold(s))
        return CT__STAYS;
    if (ct__has(s->node.op, CT__MOVES_DATA) && s->node.n_operands == 1) {
        ct__outcome outcome = fold_view(s);
        if (outcome != CT__STAYS)
            return outcome;
    }
    return is_uniform(s) ? fold_uniform(s) : fold_small(s);
}
