#include "ops/convolution.h"

#include <inttypes.h>

ct__window_axis ct__convolution_axis(const struct ct__attrs_convolution *attrs, int d, int64_t size)
{
    return (ct__window_axis){.size = size,
                             .stride = attrs->window_strides.item[d],
                             .base = attrs->lhs_dilation.item[d],
                             .dilation = attrs->rhs_dilation.item[d],
                             .low = attrs->padding_low.item[d],
                             .high = attrs->padding_high.item[d]};
}

/* Two axes and a list of spatial ones: all axes of a tensor of this rank. */
typedef struct roles {
    const char *batch_name, *feature_name, *spatial_name; /* of the attributes */
    int64_t batch, feature;
    ct__ints spatial;
} roles;

static roles input_roles(const struct ct__attrs_convolution *a)
{
    return (roles){"input_batch_dimension",    "input_feature_dimension",
                   "input_spatial_dimensions", a->input_batch_dimension,
                   a->input_feature_dimension, a->input_spatial_dimensions};
}

static roles kernel_roles(const struct ct__attrs_convolution *a)
{
    return (roles){"kernel_input_feature_dimension",   "kernel_output_feature_dimension",
                   "kernel_spatial_dimensions",        a->kernel_input_feature_dimension,
                   a->kernel_output_feature_dimension, a->kernel_spatial_dimensions};
}

static roles output_roles(const struct ct__attrs_convolution *a)
{
    return (roles){"output_batch_dimension",    "output_feature_dimension",
                   "output_spatial_dimensions", a->output_batch_dimension,
                   a->output_feature_dimension, a->output_spatial_dimensions};
}

/* ---- Lists: one entry per spatial axis. */

static bool check_spatial(ct__infer *q, const char *name, ct__ints list)
{
    if (list.count + 2 == (size_t)q->in[0]->rank)
        return true;
    return ct__fail_rank(q, "%s = %s must have one entry per spatial axis of x: %s", name,
                         ct__ints_str(q, list), ct__type_str(q, q->in[0]));
}

static bool check_reversal(ct__infer *q, ct__ints list)
{
    if (!check_spatial(q, "window_reversal", list)) /* C9 */
        return false;
    for (size_t d = 0; d < list.count; d++)
        if (list.item[d] != 0 && list.item[d] != 1)
            return ct__fail(q, CT_ERR_ARGUMENT, "window_reversal[%zu] = %" PRId64 " must be 0 or 1",
                            d, list.item[d]);
    return true;
}

static bool check_lists(ct__infer *q, const struct ct__attrs_convolution *a)
{
    return check_spatial(q, "window_strides", a->window_strides) &&      /* C2 */
           ct__check_positive(q, "window_strides", a->window_strides) && /* C3 */
           check_spatial(q, "padding_low", a->padding_low) &&            /* C4 */
           check_spatial(q, "padding_high", a->padding_high) &&          /* C4 */
           check_spatial(q, "lhs_dilation", a->lhs_dilation) &&          /* C5 */
           ct__check_positive(q, "lhs_dilation", a->lhs_dilation) &&     /* C6 */
           check_spatial(q, "rhs_dilation", a->rhs_dilation) &&          /* C7 */
           ct__check_positive(q, "rhs_dilation", a->rhs_dilation) &&     /* C8 */
           check_reversal(q, a->window_reversal);                        /* C9 */
}

/* ---- Dimension numbers. */

static bool check_role(ct__infer *q, const char *name, int64_t axis)
{
    if (axis >= 0 && axis < q->in[0]->rank)
        return true;
    return ct__fail(q, CT_ERR_SHAPE, "%s = %" PRId64 " must be an axis in [0, %d)", name, axis,
                    q->in[0]->rank);
}

/* Every axis has one role. */
static bool check_roles(ct__infer *q, roles r)
{
    const int64_t pair[] = {r.batch, r.feature};

    if (!check_spatial(q, r.spatial_name, r.spatial) ||                /* C12, C17, C19 */
        !check_role(q, r.batch_name, r.batch) ||                       /* C13, C18, C20 */
        !check_role(q, r.feature_name, r.feature) ||                   /* C13, C18, C20 */
        !ct__check_axes(q, r.spatial_name, r.spatial, q->in[0]->rank)) /* C13, C18, C20 */
        return false;
    if (r.batch == r.feature)
        return ct__fail(q, CT_ERR_SHAPE, "%s and %s must not both name axis %" PRId64, r.batch_name,
                        r.feature_name, r.batch);
    for (int i = 0; i < 2; i++)
        if (ct__ints_contain(r.spatial, pair[i]))
            return ct__fail(q, CT_ERR_SHAPE, "%s = %s must not name %s = %" PRId64, r.spatial_name,
                            ct__ints_str(q, r.spatial), i ? r.feature_name : r.batch_name, pair[i]);
    return true;
}

/* ---- Groups and features. */

static bool check_group_counts(ct__infer *q, const struct ct__attrs_convolution *a)
{
    if (a->feature_group_count < 1) /* C21 */
        return ct__fail(q, CT_ERR_SHAPE, "feature_group_count = %" PRId64 " must be positive",
                        a->feature_group_count);
    if (a->batch_group_count < 1) /* C22 */
        return ct__fail(q, CT_ERR_SHAPE, "batch_group_count = %" PRId64 " must be positive",
                        a->batch_group_count);
    if (a->feature_group_count > 1 && a->batch_group_count > 1) /* C23 */
        return ct__fail(q, CT_ERR_SHAPE,
                        "feature_group_count = %" PRId64 " and batch_group_count = %" PRId64
                        " must not both be above 1",
                        a->feature_group_count, a->batch_group_count);
    return true;
}

static bool check_divides(ct__infer *q, const char *name, int64_t groups, const char *role,
                          int64_t axis, size_t operand)
{
    if (q->in[operand]->dim[axis] % groups == 0)
        return true;
    return ct__fail(q, CT_ERR_SHAPE,
                    "%s = %" PRId64 " must divide the extent of axis %s = %" PRId64 " of %s: %s",
                    name, groups, role, axis, ct__operand_str(q, operand),
                    ct__type_str(q, q->in[operand]));
}

static bool check_groups(ct__infer *q, const struct ct__attrs_convolution *a)
{
    static const char batches[] = "batch_group_count", features[] = "feature_group_count";
    const roles in = input_roles(a), kernel = kernel_roles(a);

    if (!check_group_counts(q, a) ||                                                    /* C21-23 */
        !check_divides(q, batches, a->batch_group_count, in.batch_name, in.batch, 0) || /* C10 */
        !check_divides(q, features, a->feature_group_count, in.feature_name, in.feature,
                       0)) /* C11 */
        return false;
    if (q->in[1]->dim[kernel.batch] != q->in[0]->dim[in.feature] / a->feature_group_count) /* C14 */
        return ct__fail(q, CT_ERR_SHAPE,
                        "axis %s = %" PRId64 " of kernel: %s must have the extent of axis %s = "
                        "%" PRId64 " of x: %s, divided by feature_group_count = %" PRId64,
                        kernel.batch_name, kernel.batch, ct__type_str(q, q->in[1]), in.feature_name,
                        in.feature, ct__type_str(q, q->in[0]), a->feature_group_count);
    return check_divides(q, batches, a->batch_group_count, kernel.feature_name, kernel.feature,
                         1) && /* C15 */
           check_divides(q, features, a->feature_group_count, kernel.feature_name, kernel.feature,
                         1); /* C16 */
}

/* ---- The result. */

static bool check_operands(ct__infer *q)
{
    if (!ct__check_dtypes(q, 0, 1)) /* C27 */
        return false;
    if (q->in[0]->rank < 2) /* C1 */
        return ct__fail_rank(q, "x must have a batch and a feature axis, got %s",
                             ct__type_str(q, q->in[0]));
    if (q->in[0]->rank != q->in[1]->rank) /* C1 */
        return ct__fail(q, CT_ERR_SHAPE, "x and kernel must have one rank, got %s and %s",
                        ct__type_str(q, q->in[0]), ct__type_str(q, q->in[1]));
    return true;
}

/* A window of no taps is none. */
static bool check_taps(ct__infer *q, const struct ct__attrs_convolution *a)
{
    const ct_type *kernel = q->in[1];
    const ct__ints axes = a->kernel_spatial_dimensions;

    for (size_t d = 0; d < axes.count; d++)
        if (kernel->dim[axes.item[d]] == 0)
            return ct__fail(q, CT_ERR_SHAPE,
                            "axis kernel_spatial_dimensions[%zu] = %" PRId64
                            " of kernel: %s must not be empty",
                            d, axes.item[d], ct__type_str(q, kernel));
    return true;
}

static bool find_extents(ct__infer *q, const struct ct__attrs_convolution *a, int64_t *dim)
{
    const ct_type *x = q->in[0], *kernel = q->in[1];
    const roles out = output_roles(a);

    dim[out.batch] = x->dim[a->input_batch_dimension] / a->batch_group_count;
    dim[out.feature] = kernel->dim[a->kernel_output_feature_dimension];
    for (size_t d = 0; d < out.spatial.count; d++) {
        const ct__window_axis axis = ct__convolution_axis(
            a, (int)d, kernel->dim[a->kernel_spatial_dimensions.item[d]]);

        if (!ct__count_windows(q, (int)a->input_spatial_dimensions.item[d],
                               x->dim[a->input_spatial_dimensions.item[d]], &axis,
                               &dim[out.spatial.item[d]]))
            return false;
    }
    return true;
}

bool ct__infer_convolution(ct__infer *q)
{
    const struct ct__attrs_convolution *a = &q->attrs->convolution;
    const ct_dtype dtype = a->dtype == CT_INVALID_DTYPE ? q->in[0]->dtype : a->dtype;
    int64_t dim[CT__MAX_RANK];

    if (!check_operands(q) || !check_lists(q, a) ||   /* C1 to C9, C27 */
        !check_roles(q, input_roles(a)) ||            /* C12, C13 */
        !check_roles(q, kernel_roles(a)) ||           /* C17, C18 */
        !check_roles(q, output_roles(a)) ||           /* C19, C20 */
        !check_groups(q, a) ||                        /* C10, C11, C14 to C16, C21 to C23 */
        !ct__check_precision(q, a->precision_config)) /* C24 */
        return false;
    if (ct_dtype_bytes(dtype) == 0)
        return ct__fail(q, CT_ERR_TYPE, "dtype = %d must be an element type", (int)dtype);
    return check_taps(q, a) && find_extents(q, a, dim) &&     /* C25 */
           ct__result(q, dtype, (size_t)q->in[0]->rank, dim); /* C26, C27 */
}
