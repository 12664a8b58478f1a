/* The same function on real numbers: a complex parameter or result becomes one of floats with one
 * more axis, the last one, along which the real part comes first. So complex numbers are moved, and
 * their derivatives compared, part by part; the data of arguments stay as they are. */
#include "probe/gradcheck.h"

static const char what[] = "gradcheck";

typedef struct by_parts {
    ct_context *ctx;
    ct_place at;
    ct__arena *arena;
    const ct__graph *graph;
    size_t first_bar;
} by_parts;

static bool is_complex(const ct_type *type)
{
    return type->kind == CT__TENSOR && ct_dtype_is_complex(type->dtype);
}

static bool has_complex(const ct__graph *graph)
{
    bool any = false;
    for (size_t i = 0; i < graph->n_params; i++)
        any = any || is_complex(ct__param_type(graph, i));
    for (size_t i = 0; i < graph->n_results; i++)
        any = any || is_complex(ct__result_type(graph, i));
    return any;
}

/* f64, with the last axis. NULL after an error. */
static const ct_type *parted_type(const by_parts *q, const ct_type *type)
{
    int64_t dim[CT__MAX_RANK];
    char text[256];
    if (type->rank == CT__MAX_RANK) {
        ct__error(q->ctx, q->at, CT_ERR_SHAPE,
                  "%s: %s has no axis to spare for the parts of its numbers", what,
                  ct__type_print(type, text, sizeof text));
        return NULL;
    }
    for (int d = 0; d < type->rank; d++)
        dim[d] = type->dim[d];
    dim[type->rank] = 2;
    const ct_type *parted = ct__type(q->arena, CT_F64, type->rank + 1, dim);
    if (!parted)
        ct__error_memory(q->ctx, q->at, what);
    return parted;
}

/* One part, without the last axis. */
static ct_tensor *part_of(const by_parts *q, ct_tensor *x, int64_t part, const ct_type *type)
{
    int64_t start[CT__MAX_RANK] = {0}, limit[CT__MAX_RANK], step[CT__MAX_RANK];
    size_t rank = (size_t)type->rank + 1;
    for (size_t d = 0; d < rank; d++) {
        limit[d] = ct_dim(x, (int64_t)d);
        step[d] = 1;
    }
    start[rank - 1] = part;
    limit[rank - 1] = part + 1;
    x = ct_op_slice_at(q->at, x, (ct_dims){rank, start}, (ct_dims){rank, limit},
                       (ct_dims){rank, step});
    return ct_op_reshape_at(q->at, x, (ct_dims){rank - 1, type->dim});
}

/* Σ a b over parts is Re Σ conj(a) b: cotangents of parts are conjugates of complex ones. */
static ct_tensor *signed_part(const by_parts *q, ct_tensor *im, bool is_bar)
{
    return is_bar ? ct_op_negate_at(q->at, im) : im;
}

static ct_tensor *add_param(const by_parts *q, size_t i)
{
    const ct_type *type = ct__param_type(q->graph, i);
    if (!is_complex(type))
        return ct__trace_param(q->ctx, q->at, type);
    const ct_type *parted = parted_type(q, type);
    if (!parted)
        return NULL;
    ct_tensor *x = ct__trace_param(q->ctx, q->at, parted);
    ct_tensor *im = part_of(q, x, 1, type);
    return ct_op_complex_at(q->at, part_of(q, x, 0, type), signed_part(q, im, i >= q->first_bar));
}

static ct_tensor *parted(const by_parts *q, ct_tensor *z)
{
    const ct_type *type = z->type;
    if (!is_complex(type))
        return z;
    const ct_type *wide = parted_type(q, type);
    if (!wide)
        return NULL;
    int64_t dim[CT__MAX_RANK];
    for (int d = 0; d < type->rank; d++)
        dim[d] = type->dim[d];
    dim[type->rank] = 1;
    ct_dims shape = {(size_t)type->rank + 1, dim};
    ct_tensor *im = signed_part(q, ct_op_imag_at(q->at, z), q->first_bar != SIZE_MAX);
    ct_tensor *re = ct_op_reshape_at(q->at, ct_op_real_at(q->at, z), shape);
    return ct_op_concatenate_at(q->at, CT_ARGV(re, ct_op_reshape_at(q->at, im, shape)), type->rank);
}

/* With the trace open. */
static ct__graph *rewritten(const by_parts *q)
{
    const ct__graph *graph = q->graph;
    ct_tensor **param = CT__NEW_ARRAY(q->arena, ct_tensor *, graph->n_params);
    ct_tensor **result = CT__NEW_ARRAY(q->arena, ct_tensor *, graph->n_results);
    if (!param || !result) {
        ct__error_memory(q->ctx, q->at, what);
        return NULL;
    }
    for (size_t i = 0; i < graph->n_params; i++) {
        param[i] = add_param(q, i);
        if (!param[i])
            return NULL;
    }
    if (!ct__replay(q->ctx, q->at, graph, param, result))
        return NULL;
    for (size_t i = 0; i < graph->n_results; i++) {
        result[i] = parted(q, result[i]);
        if (!result[i])
            return NULL;
    }
    return ct__trace_close_flat(q->ctx, q->at, what, graph->n_results, result);
}

ct__graph *ct__by_parts(ct_context *ctx, ct_place at, ct__graph *graph, size_t first_bar)
{
    ct__arena arena;
    ct__session session;
    if (!graph || !has_complex(graph))
        return graph;
    ct__graph *made = NULL;
    if (ct__session_begin(&session, ctx, at, &arena, "parts", graph)) {
        made = rewritten(&(by_parts){ctx, at, &arena, graph, first_bar});
        ct__session_end(&session);
    }
    ct__graph_release(graph);
    return made;
}
