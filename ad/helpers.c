#include "ad/rules.h"

#include <cotangent/op_program.h>
#include <cotangent/op_stack.h>

#include <math.h>

/* ---- Known numbers. */

/* The literal whose elements x copies, or NULL. */
static const ct__literal *literal_behind(const ct_tensor *x)
{
    if (ct_is_concrete(x))
        return x->literal;
    if (!ct_is_traced(x))
        return NULL;
    const ct__trace *trace = ct__trace_find(x->handle.ctx, x->trace);
    return trace ? trace->graph->value[x->value].copied : NULL;
}

bool ct__literal_number(const ct__literal *literal, double part[2])
{
    ct_dtype dtype = literal->type->dtype;
    if (literal->type->size == 0 || !ct__literal_is_splat(literal))
        return false;
    const unsigned char *element = ct__literal_first(literal);
    part[0] = ct__load_double(dtype, element);
    part[1] = ct_dtype_is_complex(dtype)
                  ? ct__load_double(dtype, element + ct_dtype_bytes(dtype) / 2)
                  : 0;
    return true;
}

bool ct__splat_value(const ct_tensor *x, double *value)
{
    const ct__literal *literal = literal_behind(x);
    double part[2];
    if (!literal || !ct__literal_number(literal, part) || part[1] != 0)
        return false;
    *value = part[0];
    return true;
}

/* As a factor of a tangent: it needs no guard. */
static bool is_safe_factor(const ct_tensor *x)
{
    const ct__literal *literal = literal_behind(x);
    double part[2];
    return literal && ct__literal_number(literal, part) && isfinite(part[0]) && isfinite(part[1]) &&
           (part[0] != 0 || part[1] != 0);
}

/* ---- Products with a tangent. */

ct_tensor *ct__scale(ct_place at, ct_tensor *t, ct_tensor *f)
{
    if (is_safe_factor(f) || is_safe_factor(t))
        return ct_op_multiply_at(at, t, f);
    return ct_op_scale_at(at, t, f);
}

ct_tensor *ct__scale_either(ct_place at, ct_tensor *t, ct_tensor *u)
{
    if (is_safe_factor(u) || is_safe_factor(t))
        return ct_op_multiply_at(at, t, u);
    return ct_op_scale_either_at(at, t, u);
}

ct_tensor *ct__quotient(ct_place at, ct_tensor *t, ct_tensor *y)
{
    if (is_safe_factor(y))
        return ct_op_divide_at(at, t, y);
    return ct__scale(at, t, ct_op_divide_at(at, ct__like(at, y, 1), y));
}

/* ---- Constants. */

ct_tensor *ct__like(ct_place at, ct_tensor *x, double value)
{
    const ct_type *type = ct_type_of(x);
    return type ? ct__splat(ct_context_of(x), at, type, value) : x;
}

static ct_tensor *tuple_of_zeros(ct_context *ctx, ct_place at, const ct_type *type)
{
    ct__arena *scratch = ct__scratch_begin(ctx);
    ct_tensor *tuple = ct__poison(ctx),
              **part = CT__NEW_ARRAY(scratch, ct_tensor *, type->n_elements);
    for (size_t i = 0; part && i < type->n_elements; i++)
        part[i] = ct__zeros(ctx, at, type->element[i]);
    if (part)
        tuple = ct_op_tuple_at(at, ctx, (ct_list){type->n_elements, part});
    else
        ct__error_memory(ctx, at, "zeros");
    ct__scratch_end(ctx);
    return tuple;
}

ct_tensor *ct__zeros(ct_context *ctx, ct_place at, const ct_type *type)
{
    switch (type->kind) {
    case CT__STACK: return ct__stack_new_of(ctx, at, type);
    case CT__TUPLE: return tuple_of_zeros(ctx, at, type);
    case CT__TOKEN: return ct_op_after_all_at(at, ctx, CT_NO_TENSORS);
    case CT__TENSOR: break;
    }
    /* f8E8M0FNU has no 0, and no tangent: a part of a tuple that nobody reads */
    return ct__splat(ctx, at, type, type->dtype == CT_F8E8M0FNU ? 1 : 0);
}

/* ---- Sums of tangents. */

const ct__node *ct__maker(const ct_tensor *x, const ct__graph **graph)
{
    const ct__trace *trace = ct_is_traced(x) ? ct__trace_find(x->handle.ctx, x->trace) : NULL;
    if (!trace || trace->graph->value[x->value].node == CT__NO_NODE)
        return NULL;
    *graph = trace->graph;
    return &trace->graph->node[trace->graph->value[x->value].node];
}

ct_tensor *ct__maker_operand(const ct_tensor *x, const ct__graph *graph, const ct__node *node,
                             size_t i)
{
    ct__id id = node->operand[i];
    return ct__tensor_traced(x->handle.ctx, x->at, x->origin, x->trace, id, graph->value[id].type);
}

/* What has been added to an empty stack is added to x instead, element by element: a sum of two
 * stacks would take time for all elements, in every iteration of a loop. */
static ct_tensor *sum_stacks(ct_place at, ct_tensor *x, ct_tensor *y)
{
    const ct__graph *graph;
    const ct__node *node = ct__maker(x, &graph);
    if (node && node->op == CT__OP_stack_new)
        return y;
    node = ct__maker(y, &graph);
    if (node && node->op == CT__OP_stack_new)
        return x;
    if (!node || node->op != CT__OP_stack_add)
        return ct_op_stack_sum_at(at, x, y);
    ct_tensor *stack = ct__maker_operand(y, graph, node, 0),
              *index = ct__maker_operand(y, graph, node, 1);
    ct_tensor *value = ct__maker_operand(y, graph, node, 2);
    return ct_op_stack_add_at(at, sum_stacks(at, x, stack), index, value);
}

/* Part i of a tuple; what it was made of, where that is known. */
static ct_tensor *part_of(ct_place at, ct_tensor *x, size_t i)
{
    const ct__graph *graph;
    const ct__node *node = ct__maker(x, &graph);
    if (node && node->op == CT__OP_tuple)
        return ct__maker_operand(x, graph, node, i);
    return ct_op_get_tuple_element_at(at, x, (int64_t)i);
}

static bool is_zero(const ct_tensor *x)
{
    const ct_type *type = ct_type_of(x);
    double value;
    return type && type->kind == CT__TENSOR && ct__splat_value(x, &value) && value == 0;
}

/* Parts without a tangent are those of x. Most parts of cotangents are zero: a sum of those would
 * be work for each element of the tuple, wherever one is read. */
static ct_tensor *sum_tuples(ct_place at, ct_tensor *x, ct_tensor *y)
{
    ct_context *ctx = x->handle.ctx;
    const ct_type *type = x->type;
    ct__arena *scratch = ct__scratch_begin(ctx);
    ct_tensor *tuple = ct__poison(ctx),
              **part = CT__NEW_ARRAY(scratch, ct_tensor *, type->n_elements);
    for (size_t i = 0; part && i < type->n_elements; i++) {
        ct_tensor *of_x = part_of(at, x, i);
        ct_tensor *of_y = ct__has_tangent(type->element[i]) ? part_of(at, y, i) : NULL;
        part[i] = !of_y || is_zero(of_y) ? of_x : is_zero(of_x) ? of_y : ct__sum(at, of_x, of_y);
    }
    if (part)
        tuple = ct_op_tuple_at(at, ctx, (ct_list){type->n_elements, part});
    else
        ct__error_memory(ctx, at, "sum");
    ct__scratch_end(ctx);
    return tuple;
}

ct_tensor *ct__sum(ct_place at, ct_tensor *x, ct_tensor *y)
{
    const ct_type *type = ct_type_of(x);
    if (type && type->kind == CT__STACK && !ct_is_poison(y))
        return sum_stacks(at, x, y);
    if (type && type->kind == CT__TUPLE && !ct_is_poison(y))
        return sum_tuples(at, x, y);
    ct_tensor *whole = ct__sum_pieces(at, x, y);
    return whole ? whole : ct_op_add_at(at, x, y);
}

/* ---- Complex numbers. */

ct_tensor *ct__conjugate(ct_place at, ct_tensor *z)
{
    if (!ct__is_complex(z))
        return z;
    return ct_op_complex_at(at, ct_op_real_at(at, z), ct_op_negate_at(at, ct_op_imag_at(at, z)));
}

/* ---- Sums and their adjoints. */

ct_dims ct__dims(ct__ints list)
{
    return (ct_dims){list.count, list.item};
}

size_t ct__other_axes(size_t rank, ct_dims list, int64_t *other)
{
    size_t count = 0;
    for (size_t d = 0; d < rank; d++)
        if (!ct__ints_contain((ct__ints){list.count, list.dim}, (int64_t)d))
            other[count++] = (int64_t)d;
    return count;
}

ct_tensor *ct__reshaped(ct_place at, ct_tensor *x, ct_dims shape)
{
    bool same = ct_rank(x) == shape.count;
    for (size_t d = 0; same && d < shape.count; d++)
        same = ct_dim(x, (int64_t)d) == shape.dim[d];
    return same ? x : ct_op_reshape_at(at, x, shape);
}

ct_tensor *ct__converted(ct_place at, ct_tensor *x, ct_dtype dtype)
{
    const ct_type *type = ct_type_of(x);
    if (type && type->quantized)
        x = ct_op_uniform_dequantize_at(at, x);
    return ct_dtype_of(x) == dtype ? x : ct_op_convert_at(at, x, dtype);
}

/* A sum over one term is a reshape. */
static ct_tensor *drop_axes(ct_place at, ct_tensor *x, ct_dims axes)
{
    int64_t kept[CT__MAX_RANK], dim[CT__MAX_RANK];
    size_t n = ct__other_axes(ct_rank(x), axes, kept);
    for (size_t i = 0; i < n; i++)
        dim[i] = ct_dim(x, kept[i]);
    return ct_op_reshape_at(at, x, (ct_dims){n, dim});
}

ct_tensor *ct__sum_axes(ct_place at, ct_tensor *x, ct_dims axes)
{
    bool single = true;
    for (size_t i = 0; i < axes.count; i++)
        single = single && ct_dim(x, axes.dim[i]) == 1;
    if (axes.count == 0 || ct_is_poison(x))
        return x;
    if (single)
        return drop_axes(at, x, axes);

    ct_dtype dtype = ct_dtype_of(x);
    bool narrow = ct__is_narrow_float(dtype);
    ct_tensor *terms = ct__converted(at, x, narrow ? CT_F32 : dtype);
    return ct__converted(at, ct_op_reduce_add_at(at, terms, axes), dtype);
}

ct_tensor *ct__sum_all(ct_place at, ct_tensor *x)
{
    int64_t axes[CT__MAX_RANK];
    size_t rank = ct_rank(x);
    for (size_t d = 0; d < rank; d++)
        axes[d] = (int64_t)d;
    return ct__sum_axes(at, x, (ct_dims){rank, axes});
}

ct_tensor *ct__permute(ct_place at, ct_tensor *x, size_t rank, const int64_t *permutation)
{
    for (size_t d = 0; d < rank; d++)
        if (permutation[d] != (int64_t)d)
            return ct_op_transpose_at(at, x, (ct_dims){rank, permutation});
    return x;
}

ct_tensor *ct__spread_axes(ct_place at, ct_tensor *x, const ct_type *type, ct_dims axes)
{
    int64_t kept[CT__MAX_RANK];
    size_t rank = (size_t)type->rank, n = ct__other_axes(rank, axes, kept);
    if (n == rank)
        return x;
    return ct_op_broadcast_in_dim_at(at, x, (ct_dims){rank, type->dim}, (ct_dims){n, kept});
}

ct_tensor *ct__spread(ct_place at, ct_tensor *x, const ct_type *type)
{
    if (ct_rank(x) == (size_t)type->rank)
        return x;
    return ct_op_broadcast_in_dim_at(at, x, (ct_dims){(size_t)type->rank, type->dim}, CT_DIMS());
}

/* ---- Forward rules. */

ct_tensor *ct__jvp_same(const ct__jvp *q)
{
    ct_tensor *operand[CT__MAX_RANK + 2]; /* the most: dynamic_slice, one start per axis */
    for (size_t i = 0; i < q->n_operands; i++)
        operand[i] = i == q->operand ? q->dx : q->x[i];
    return ct__op_on(q->at, q->op, q->attrs, q->n_operands, operand);
}

static bool apply_to(ct__jvp_whole *q, ct_tensor *const *operand, ct_tensor **result)
{
    ct__request request = {.ctx = q->ctx,
                           .at = q->at,
                           .op = q->op,
                           .attrs = q->attrs,
                           .n_operands = q->n_operands,
                           .operand = operand,
                           .n_regions = q->n_regions,
                           .region = q->region,
                           .n_given = ct__has(q->op, CT__TYPED) ? q->n_results : 0,
                           .given = q->result_type};
    return ct__apply(&request, result, q->n_results);
}

bool ct__primal(ct__jvp_whole *q)
{
    bool fine = apply_to(q, q->x, q->y);
    for (size_t i = 0; !fine && i < q->n_results; i++)
        q->dy[i] = ct__poison(q->ctx);
    return fine;
}

/* The tangent of operand i in full; operands that have none are themselves. */
static ct_tensor *tangent_or_zeros(const ct__jvp_whole *q, size_t i)
{
    const ct_type *type = ct_type_of(q->x[i]);
    if (q->dx[i] || !type || !ct__has_tangent(type))
        return q->dx[i] ? q->dx[i] : q->x[i];
    return ct__zeros(q->ctx, q->at, type);
}

void ct__jvp_linear(ct__jvp_whole *q)
{
    if (!ct__primal(q))
        return;
    ct__arena *scratch = ct__scratch_begin(q->ctx);
    ct_tensor **operand = CT__NEW_ARRAY(scratch, ct_tensor *, q->n_operands);
    if (!operand) {
        ct__error_memory(q->ctx, q->at, ct__op_describe(q->op)->name);
        q->dy[0] = ct__poison(q->ctx);
    } else {
        for (size_t i = 0; i < q->n_operands; i++)
            operand[i] = tangent_or_zeros(q, i);
        apply_to(q, operand, q->dy);
    }
    ct__scratch_end(q->ctx);
}

void ct__jvp_fail(ct__jvp_whole *q, const char *message)
{
    ct__error(q->ctx, q->at, CT_ERR_RULE, "%s", message);
    for (size_t i = 0; i < q->n_results; i++)
        q->y[i] = q->dy[i] = ct__poison(q->ctx);
}

/* ---- Backward. */

void ct__cotangent_add(ct__transpose *q, size_t operand, ct_tensor *value)
{
    if (!q->linear[operand] || !value)
        return;
    ct_tensor **sum = &q->xbar[operand];
    *sum = *sum ? ct__sum(q->at, *sum, value) : value;
}
