#include "trace/compose.h"

/* ---- Folding. */

void ct_op_reduce_many_at(ct_place at, ct_list x, ct_list init, ct_function *body, ct_list captures,
                          ct_dims axes, ct_tensor **result)
{
    const ct__attrs attrs = {
        .reduce = {.dimensions = ct__ints_of(axes), .n_inputs = (int64_t)x.count}};
    const ct_list lists[] = {x, init, captures};
    ct__with_body(at, CT__OP_reduce, &attrs, 3, lists, 1, &body, result, x.count);
}

ct_tensor *ct_op_reduce_at(ct_place at, ct_tensor *x, ct_tensor *init, ct_function *body,
                           ct_dims axes)
{
    ct_tensor *result;
    ct_op_reduce_many_at(at, CT_ARGV(x), CT_ARGV(init), body, CT_NO_TENSORS, axes, &result);
    return result;
}

/* ---- The usual bodies and their neutral elements. */

static ct_operand smallest(ct_dtype dtype)
{
    if (ct_dtype_is_signed(dtype))
        return ct_operand_signed(ct__integer_min(dtype));
    return ct_dtype_is_float(dtype) ? ct_operand_real(ct__float_bound(dtype, false))
                                    : ct_operand_unsigned(0);
}

static ct_operand largest(ct_dtype dtype)
{
    if (ct_dtype_is_float(dtype))
        return ct_operand_real(ct__float_bound(dtype, true));
    return ct_operand_unsigned(dtype == CT_BOOL ? 1 : ct__integer_max(dtype));
}

ct_operand ct__neutral(int op, ct_dtype dtype)
{
    switch (op) {
    case CT__OP_maximum: return smallest(dtype);
    case CT__OP_minimum: return largest(dtype);
    case CT__OP_multiply:
    case CT__OP_and: return ct_operand_unsigned(1); /* and: of bool */
    default: return ct_operand_unsigned(0);
    }
}

/* Complex numbers have no smallest or largest one. */
static bool is_ordered(ct_tensor *x, ct_place at, int op, const char *name)
{
    if ((op != CT__OP_maximum && op != CT__OP_minimum) || !ct_dtype_is_complex(ct_dtype_of(x)))
        return true;
    ct__error(x->handle.ctx, at, CT_ERR_TYPE, "%s: x is %s; complex numbers are not ordered", name,
              ct_type_text(x));
    return false;
}

/* f8E8M0FNU has powers of two only, no 0. */
static bool has_zero(ct_tensor *x, ct_place at, int op, const char *name)
{
    if (ct_dtype_of(x) != CT_F8E8M0FNU || op != CT__OP_add)
        return true;
    ct__error(x->handle.ctx, at, CT_ERR_TYPE, "%s: x is %s; a sum begins with 0, which it has not",
              name, ct_type_text(x));
    return false;
}

/* Without a body or init (x is NULL or poison, or memory was short) the operation reports it. */
ct_tensor *ct__fold_usual(ct_place at, ct__op reducer, const ct__attrs *attrs, int op, ct_tensor *x)
{
    static const ct__extents scalar = {.rank = 0};
    ct_dtype dtype = ct_dtype_of(x);
    const char *name = ct__op_describe(reducer)->name;
    if (!is_ordered(x, at, op, name) || !has_zero(x, at, op, name))
        return ct__poison(ct_context_of(x));
    ct__graph *body = ct__usual_body(at, op, x);
    ct_tensor *start = body ? ct__fill(x->handle.ctx, at, ct__neutral(op, dtype), dtype, &scalar)
                            : NULL;
    ct_tensor *const operand[] = {x, start};
    const ct__request request = {.ctx = ct_context_of(x),
                                 .at = at,
                                 .op = reducer,
                                 .attrs = attrs,
                                 .n_operands = 2,
                                 .operand = operand,
                                 .n_regions = body ? 1 : 0,
                                 .region = &body};
    ct_tensor *y = ct__apply1(&request);
    ct_release(start);
    return y;
}

ct_tensor *ct__reduce_usual(ct_place at, int op, ct_tensor *x, ct_dims axes)
{
    const ct__attrs attrs = {.reduce = {.dimensions = ct__ints_of(axes), .n_inputs = 1}};
    return ct__fold_usual(at, CT__OP_reduce, &attrs, op, x);
}

ct_tensor *ct_op_reduce_add_at(ct_place at, ct_tensor *x, ct_dims axes)
{
    return ct__reduce_usual(at, CT__OP_add, x, axes);
}

ct_tensor *ct_op_reduce_max_at(ct_place at, ct_tensor *x, ct_dims axes)
{
    return ct__reduce_usual(at, CT__OP_maximum, x, axes);
}

ct_tensor *ct_op_reduce_min_at(ct_place at, ct_tensor *x, ct_dims axes)
{
    return ct__reduce_usual(at, CT__OP_minimum, x, axes);
}

/* ---- Products. */

static const ct_dot_dims no_dot_dims;
static const ct_ragged_dot_dims no_ragged_dot_dims;

ct_tensor *ct_op_dot_general_at(ct_place at, ct_tensor *x, ct_tensor *y, const ct_dot_dims *dims)
{
    const ct_dot_dims *d = dims ? dims : &no_dot_dims;
    const ct__attrs attrs = {
        .dot_general = {.lhs_batching_dimensions = ct__ints_of(d->lhs_batching),
                        .rhs_batching_dimensions = ct__ints_of(d->rhs_batching),
                        .lhs_contracting_dimensions = ct__ints_of(d->lhs_contracting),
                        .rhs_contracting_dimensions = ct__ints_of(d->rhs_contracting),
                        .dtype = d->dtype,
                        .precision_config = d->precision_config,
                        .algorithm = d->algorithm}};
    ct_tensor *const operand[] = {x, y};
    return ct__op_on(at, CT__OP_dot_general, &attrs, 2, operand);
}

ct_tensor *ct_op_ragged_dot_at(ct_place at, ct_tensor *x, ct_tensor *y, ct_tensor *group_sizes,
                               const ct_ragged_dot_dims *dims)
{
    const ct_ragged_dot_dims *d = dims ? dims : &no_ragged_dot_dims;
    const ct__attrs attrs = {
        .ragged_dot = {.lhs_batching_dimensions = ct__ints_of(d->lhs_batching),
                       .rhs_batching_dimensions = ct__ints_of(d->rhs_batching),
                       .lhs_contracting_dimensions = ct__ints_of(d->lhs_contracting),
                       .rhs_contracting_dimensions = ct__ints_of(d->rhs_contracting),
                       .lhs_ragged_dimensions = ct__ints_of(d->lhs_ragged),
                       .rhs_group_dimensions = ct__ints_of(d->rhs_group),
                       .dtype = CT_INVALID_DTYPE}}; /* x's */
    ct_tensor *const operand[] = {x, y, group_sizes};
    return ct__op_on(at, CT__OP_ragged_dot, &attrs, 3, operand);
}
