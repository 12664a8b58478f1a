#include "ad/rules.h"

#include "ops/convolution.h"

/* Bilinear: the convolution with the tangent in its operand's place. With i an element of x, o one
 * of y and w a tap, all per spatial axis, it sums x[i] kernel[w] into y[o] where
 *
 *   low + i lhs_dilation = o stride + w rhs_dilation
 *
 * Both transposes are convolutions too, in the dtype of y: two of the three indices trade places.
 * The cotangent takes the precision of the operand whose place it takes. */

ct_tensor *ct__jvp_convolution(const ct__jvp *q)
{
    return ct__jvp_same(q);
}

/* ---- Padding of the transposes. */

typedef struct padding {
    int64_t low[CT__MAX_RANK], high[CT__MAX_RANK];
} padding;

static bool set_padding(const ct__transpose *q, size_t d, ct__wide low, ct__wide high, padding *p)
{
    if (low < INT64_MIN || low > INT64_MAX || high < INT64_MIN || high > INT64_MAX) {
        ct__error(q->ctx, q->at, CT_ERR_RANGE,
                  "the padding of convolution's transpose overflows on spatial axis %zu", d);
        return false;
    }
    p->low[d] = (int64_t)low;
    p->high[d] = (int64_t)high;
    return true;
}

/* One spatial axis in numbers: extents with their holes, and how far the last tap reaches. */
typedef struct extents {
    ct__window_axis window;
    ct__wide x, y, reach;
} extents;

static extents extents_of(const ct__transpose *q, size_t d)
{
    const struct ct__attrs_convolution *a = &q->attrs->convolution;
    int64_t size = q->type[1]->dim[a->kernel_spatial_dimensions.item[d]];
    ct__window_axis w = ct__convolution_axis(a, (int)d, size);
    return (extents){
        .window = w,
        .x = ct__dilated(q->type[0]->dim[a->input_spatial_dimensions.item[d]], w.base),
        .y = ct__dilated(q->result_type[0]->dim[a->output_spatial_dimensions.item[d]], w.stride),
        .reach = ct__dilated(size, w.dilation) - 1};
}

/* ---- Groups. */

/* Cut axis `from` into groups of neighbours and make their number the outer part of axis `to`:
 * [… to …, groups·e, …] becomes [… groups·to …, e, …]. The axes around are taken together, which
 * keeps the rank at 6. */
static ct_tensor *move_groups(ct_place at, ct_tensor *x, int64_t from, int64_t to, int64_t groups)
{
    static const int64_t back[] = {0, 2, 3, 1, 4, 5}, ahead[] = {0, 3, 1, 2, 4, 5};
    int64_t dim[CT__MAX_RANK], first = from < to ? from : to, second = from < to ? to : from;
    int64_t around[3] = {1, 1, 1}; /* before, between and behind the two axes */
    size_t rank = ct_rank(x);

    if (ct_is_poison(x))
        return x;
    for (size_t d = 0; d < rank; d++) {
        dim[d] = ct_dim(x, (int64_t)d);
        if ((int64_t)d != first && (int64_t)d != second) {
            int64_t *part = &around[((int64_t)d > first) + ((int64_t)d > second)];
            *part = ct__mul_extents(*part, dim[d]);
        }
    }
    dim[from] /= groups;
    ct_dims cut = from < to ? CT_DIMS(around[0], groups, dim[from], around[1], dim[to], around[2])
                            : CT_DIMS(around[0], dim[to], around[1], groups, dim[from], around[2]);
    dim[to] = ct__mul_extents(dim[to], groups);
    ct_tensor *split = ct_op_reshape_at(at, x, cut);
    ct_tensor *moved = ct_op_transpose_at(at, split, (ct_dims){6, from < to ? back : ahead});
    return ct_op_reshape_at(at, moved, (ct_dims){rank, dim});
}

/* ---- To x: y, with its holes, meets the kernel from its end.
 *
 * With w' = size - 1 - w:  o stride = (low - (size - 1) rhs_dilation) + i lhs_dilation + w'
 * rhs_dilation. A block of features meets its own block of the kernel only, whose blocks of output
 * features are therefore put beside those of input features. Blocks of the batch come out as blocks
 * of features. */

static ct_tensor *convolve_to_x(const ct__transpose *q, const padding *p, ct_tensor *kernel)
{
    const struct ct__attrs_convolution *a = &q->attrs->convolution;
    int64_t reversal[CT__MAX_RANK];
    ct__attrs attrs = {.convolution = *a};
    struct ct__attrs_convolution *t = &attrs.convolution;

    for (size_t d = 0; d < a->window_reversal.count; d++)
        reversal[d] = !a->window_reversal.item[d];
    t->window_strides = a->lhs_dilation;
    t->lhs_dilation = a->window_strides;
    t->padding_low.item = p->low;
    t->padding_high.item = p->high;
    t->window_reversal.item = reversal;
    t->input_batch_dimension = a->output_batch_dimension;
    t->input_feature_dimension = a->output_feature_dimension;
    t->input_spatial_dimensions = a->output_spatial_dimensions;
    t->kernel_input_feature_dimension = a->kernel_output_feature_dimension;
    t->kernel_output_feature_dimension = a->kernel_input_feature_dimension;
    t->output_batch_dimension = a->input_batch_dimension;
    t->output_feature_dimension = a->input_feature_dimension;
    t->output_spatial_dimensions = a->input_spatial_dimensions;
    t->feature_group_count = a->feature_group_count * a->batch_group_count; /* one of them is 1 */
    t->batch_group_count = 1;
    return ct__op_on(q->at, CT__OP_convolution, &attrs, 2, (ct_tensor *[]){q->ybar[0], kernel});
}

static void transpose_to_x(ct__transpose *q)
{
    const struct ct__attrs_convolution *a = &q->attrs->convolution;
    ct_tensor *kernel = ct__converted(q->at, q->x[1], q->result_type[0]->dtype);
    padding p;

    for (size_t d = 0; d < a->window_strides.count; d++) {
        const extents e = extents_of(q, d);
        const ct__wide low = e.reach - e.window.low;
        if (!set_padding(q, d, low, e.x + e.reach - e.y - low, &p))
            return;
    }
    if (a->feature_group_count > 1 || a->batch_group_count > 1)
        kernel = move_groups(q->at, kernel, a->kernel_output_feature_dimension,
                             a->kernel_input_feature_dimension,
                             a->feature_group_count * a->batch_group_count);
    ct_tensor *xbar = convolve_to_x(q, &p, kernel);
    if (a->batch_group_count > 1)
        xbar = move_groups(q->at, xbar, a->input_feature_dimension, a->input_batch_dimension,
                           a->batch_group_count);
    ct__cotangent_add(q, 0, ct__converted(q->at, xbar, q->type[0]->dtype));
}

/* ---- To the kernel: x meets y, whose places are the taps and whose batch is summed over.
 *
 * Features of x take the place of the batch, and blocks of the one become blocks of the other. The
 * taps come out in the order in which they met x. */

static ct_tensor *convolve_to_kernel(const ct__transpose *q, const padding *p, ct_tensor *x)
{
    static const int64_t forward[CT__MAX_RANK];
    const struct ct__attrs_convolution *a = &q->attrs->convolution;
    ct__attrs attrs = {.convolution = *a};
    struct ct__attrs_convolution *t = &attrs.convolution;

    t->window_strides = a->rhs_dilation;
    t->rhs_dilation = a->window_strides;
    t->padding_high.item = p->high;
    t->window_reversal.item = forward;
    t->input_batch_dimension = a->input_feature_dimension;
    t->input_feature_dimension = a->input_batch_dimension;
    t->kernel_input_feature_dimension = a->output_batch_dimension;
    t->kernel_output_feature_dimension = a->output_feature_dimension;
    t->kernel_spatial_dimensions = a->output_spatial_dimensions;
    t->output_batch_dimension = a->kernel_input_feature_dimension;
    t->output_feature_dimension = a->kernel_output_feature_dimension;
    t->output_spatial_dimensions = a->kernel_spatial_dimensions;
    t->feature_group_count = a->batch_group_count;
    t->batch_group_count = a->feature_group_count;
    return ct__op_on(q->at, CT__OP_convolution, &attrs, 2, (ct_tensor *[]){x, q->ybar[0]});
}

static void transpose_to_kernel(ct__transpose *q)
{
    const struct ct__attrs_convolution *a = &q->attrs->convolution;
    int64_t reversed[CT__MAX_RANK];
    size_t n_reversed = 0;
    padding p;

    for (size_t d = 0; d < a->window_strides.count; d++) {
        const extents e = extents_of(q, d);
        if (!set_padding(q, d, e.window.low, e.reach + e.y - e.window.low - e.x, &p))
            return;
        if (a->window_reversal.item[d])
            reversed[n_reversed++] = a->kernel_spatial_dimensions.item[d];
    }
    ct_tensor *x = ct__converted(q->at, q->x[0], q->result_type[0]->dtype);
    ct_tensor *kernelbar = convolve_to_kernel(q, &p, x);
    if (n_reversed > 0)
        kernelbar = ct_op_reverse_at(q->at, kernelbar, (ct_dims){n_reversed, reversed});
    ct__cotangent_add(q, 1, ct__converted(q->at, kernelbar, q->type[1]->dtype));
}

/* Without any element nothing was summed: the cotangent is 0. */
void ct__transpose_convolution(ct__transpose *q)
{
    if (q->type[0]->size == 0 || q->type[1]->size == 0 || q->result_type[0]->size == 0)
        return;
    if (q->linear[0])
        transpose_to_x(q);
    else
        transpose_to_kernel(q);
}
