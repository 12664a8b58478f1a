/* The operations of the table. */
#include "tests/clamp.h"

static ct_index_mode mode_of(const clamp_row *row)
{
    return ct_index_mode_new(row->mode, ct_operand_real(row->fill));
}

static ct_tensor *gather(const clamp_row *row, ct_tensor *x, ct_tensor *update, ct_list index)
{
    (void)update;
    return ct_op_gather(x, index.item[0], row->gather);
}

static ct_tensor *take(const clamp_row *row, ct_tensor *x, ct_tensor *update, ct_list index)
{
    (void)update;
    return ct_take(x, index.item[0], row->axis, mode_of(row));
}

static ct_tensor *take_along_axis(const clamp_row *row, ct_tensor *x, ct_tensor *update,
                                  ct_list index)
{
    (void)update;
    return ct_take_along_axis(x, index.item[0], row->axis, mode_of(row));
}

static ct_tensor *dynamic_slice(const clamp_row *row, ct_tensor *x, ct_tensor *update,
                                ct_list index)
{
    (void)update;
    return ct_dynamic_slice(x, index, row->window, mode_of(row));
}

static ct_tensor *op_dynamic_slice(const clamp_row *row, ct_tensor *x, ct_tensor *update,
                                   ct_list index)
{
    (void)update;
    return ct_op_dynamic_slice(x, index, row->window, row->mode == CT_INDEX_STRICT);
}

/* A window of a window of an x of rank 1: whoever merges them must clamp twice. */
static ct_tensor *two_dynamic_slices(const clamp_row *row, ct_tensor *x, ct_tensor *update,
                                     ct_list index)
{
    const ct_list outer = {1, index.item}, inner = {1, index.item + 1};
    const ct_shape outer_size = {1, row->window.dim}, inner_size = {1, row->window.dim + 1};

    (void)update;
    return ct_dynamic_slice(ct_dynamic_slice(x, outer, outer_size, mode_of(row)), inner, inner_size,
                            mode_of(row));
}

static ct_tensor *dynamic_update_slice(const clamp_row *row, ct_tensor *x, ct_tensor *update,
                                       ct_list index)
{
    return ct_dynamic_update_slice(x, update, index, mode_of(row));
}

static ct_tensor *op_dynamic_update_slice(const clamp_row *row, ct_tensor *x, ct_tensor *update,
                                          ct_list index)
{
    return ct_op_dynamic_update_slice(x, update, index, row->mode == CT_INDEX_STRICT);
}

static ct_tensor *scatter(const clamp_row *row, ct_tensor *x, ct_tensor *update, ct_list index)
{
    return ct_op_scatter(x, index.item[0], update, NULL, row->scatter);
}

static ct_tensor *scatter_add(const clamp_row *row, ct_tensor *x, ct_tensor *update, ct_list index)
{
    return ct_op_scatter_add(x, index.item[0], update, row->scatter);
}

static ct_tensor *larger(ct_tensor *x, ct_tensor *y)
{
    return ct_op_maximum(x, y);
}

static ct_tensor *scatter_max(const clamp_row *row, ct_tensor *x, ct_tensor *update, ct_list index)
{
    ct_context *ctx = ct_context_of(x);
    ct_tensor *element = ct_spec(ctx, ct_dtype_of(x), CT_SHAPE());
    ct_function *body = ct_trace(ctx, larger, CT_LIKE(element, element));

    return ct_op_scatter(x, index.item[0], update, body, row->scatter);
}

#define OPERATION(name_, primitive_, scalars_, linear_)                                            \
    const clamp_operation clamp_##name_ = {#name_, primitive_, scalars_, linear_, name_};
OPERATION(gather, "gather", false, true)
OPERATION(take, "gather", false, true)
OPERATION(take_along_axis, "gather", false, true)
OPERATION(dynamic_slice, "dynamic_slice", true, true)
OPERATION(op_dynamic_slice, "dynamic_slice", true, true)
OPERATION(two_dynamic_slices, "dynamic_slice", true, true)
OPERATION(dynamic_update_slice, "dynamic_update_slice", true, true)
OPERATION(op_dynamic_update_slice, "dynamic_update_slice", true, true)
OPERATION(scatter, "scatter", false, true)
OPERATION(scatter_add, "scatter", false, true)
OPERATION(scatter_max, "scatter", false, false)
