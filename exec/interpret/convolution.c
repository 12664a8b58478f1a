/* convolution as products of matrices, one per group. Where the numerics have products of rows that
 * lie anywhere, convolution_direct.c forms them; else, and where padding would be large, a row
 * holds what the kernel sees at one place of the result, zeros of the padding and of the holes
 * included, and meets the kernel's columns, one per output feature. So every sum runs over taps,
 * then over input features, in order from 0.
 */
#include "exec/interpret/convolution.h"

#include "exec/interpret/dot.h"

#include <string.h>

/* ---- Geometry, and what the scratch holds. */

/* Rows that are filled before they are multiplied: many share a pass over the kernel. */
enum { ELEMENTS_AT_ONCE = 1 << 16, FEWEST_ROWS = 16 };

static int64_t rows_at_once(int64_t rows, int64_t depth)
{
    int64_t count = depth > 0 ? ELEMENTS_AT_ONCE / depth : rows;

    if (count < FEWEST_ROWS)
        count = FEWEST_ROWS;
    return count < rows ? count : rows;
}

static void find_axes(const ct__eval *q, ct__convolution *c)
{
    const struct ct__attrs_convolution *a = &q->attrs->convolution;
    int64_t x_stride[CT__MAX_RANK], kernel_stride[CT__MAX_RANK], y_stride[CT__MAX_RANK];
    const ct_type *x = q->in_type[0], *kernel = q->in_type[1], *y = q->out_type[0];

    ct__row_major(x->rank, x->dim, x_stride);
    ct__row_major(kernel->rank, kernel->dim, kernel_stride);
    ct__row_major(y->rank, y->dim, y_stride);
    c->x_batch = x_stride[a->input_batch_dimension];
    c->x_feature = x_stride[a->input_feature_dimension];
    c->kernel_in = kernel_stride[a->kernel_input_feature_dimension];
    c->kernel_out = kernel_stride[a->kernel_output_feature_dimension];
    c->y_feature = y_stride[a->output_feature_dimension];
    c->y_stride[0] = y_stride[a->output_batch_dimension];
    c->rank = (int)a->kernel_spatial_dimensions.count;
    for (int d = 0; d < c->rank; d++) {
        int64_t in = a->input_spatial_dimensions.item[d],
                out = a->output_spatial_dimensions.item[d];
        int64_t tap = a->kernel_spatial_dimensions.item[d];
        c->axis[d] = (ct__convolution_axis_walk){
            .window = ct__convolution_axis(a, d, kernel->dim[tap]),
            .dim = x->dim[in],
            .last = ct__dilated(x->dim[in], a->lhs_dilation.item[d]) - 1,
            .x_stride = x_stride[in],
            .kernel_stride = kernel_stride[tap],
            .reversed = a->window_reversal.item[d] != 0};
        c->y_dim[d + 1] = y->dim[out];
        c->y_stride[d + 1] = y_stride[out];
    }
}

/* Where the features of x are not adjacent, x is packed first: they become its last axis. */
static void find_packing(const ct__eval *q, ct__convolution *c)
{
    const struct ct__attrs_convolution *a = &q->attrs->convolution;
    const ct_type *x = q->in_type[0];

    c->packs = x->size > 0 && c->in > 1 && c->x_feature != 1;
    ct__box_begin(&c->packing, q->numerics->element_bytes(x->dtype));
    if (!c->packs)
        return;
    int64_t to = x->size / x->dim[a->input_batch_dimension];
    ct__box_axis(&c->packing, x->dim[a->input_batch_dimension], to, c->x_batch);
    c->x_batch = to;
    for (int d = 0; d < c->rank; d++) {
        to /= c->axis[d].dim;
        ct__box_axis(&c->packing, c->axis[d].dim, to, c->axis[d].x_stride);
        c->axis[d].x_stride = to;
    }
    ct__box_axis(&c->packing, x->dim[a->input_feature_dimension], 1, c->x_feature);
    c->x_feature = 1;
}

static void find_extents(const ct__eval *q, ct__convolution *c)
{
    const struct ct__attrs_convolution *a = &q->attrs->convolution;
    const ct_type *kernel = q->in_type[1];

    c->groups = a->feature_group_count * a->batch_group_count;
    c->batch = q->in_type[0]->dim[a->input_batch_dimension] / a->batch_group_count;
    c->in = kernel->dim[a->kernel_input_feature_dimension];
    c->out = kernel->dim[a->kernel_output_feature_dimension] / c->groups;
    c->group_by_batch = a->batch_group_count > 1;
    c->y_dim[0] = c->batch;
    c->depth = c->in;
    for (int d = c->rank - 1; d >= 0; d--) {
        c->axis[d].below = c->depth;
        c->depth *= c->axis[d].window.size;
    }
    c->rows = 1;
    for (int d = 0; d <= c->rank; d++)
        c->rows *= c->y_dim[d];
}

bool ct__convolution_reserve(int64_t rows, int64_t columns, size_t element_bytes, size_t *total,
                             size_t *at)
{
    size_t count;

    return ct__mul_size((size_t)rows, (size_t)columns, &count) &&
           ct__reserve(count, element_bytes, total, at);
}

static bool begin_patches(const ct__eval *q, ct__convolution *c)
{
    const size_t to_bytes = q->numerics->element_bytes(q->out_type[0]->dtype), bytes = c->bytes;
    const int64_t size = q->in_type[0]->size;
    size_t *total = &c->scratch_bytes;

    find_packing(q, c);
    c->at_once = rows_at_once(c->rows, c->depth);
    return ct__convolution_reserve(c->at_once, c->depth, bytes, total, &c->patch_at) &&
           ct__convolution_reserve(c->at_once, c->out, bytes, total, &c->sums_at) &&
           (!c->packs ||
            ct__convolution_reserve(1, size, c->packing.bytes, total, &c->packed_at)) &&
           (!c->converts ||
            (ct__convolution_reserve(1, size, bytes, total, &c->x_at) &&
             ct__convolution_reserve(c->depth, c->out, bytes, total, &c->converted_at))) &&
           (!c->rounds ||
            ct__convolution_reserve(c->at_once, c->out, to_bytes, total, &c->rounded_at));
}

bool ct__convolution_begin(const ct__eval *q, ct__convolution *c)
{
    const ct_dtype to = q->out_type[0]->dtype;

    *c = (ct__convolution){.summed = ct__summed_in(to),
                           .empty = q->out_type[0]->size == 0 || q->in_type[1]->size == 0};
    if (c->empty)
        return true;
    find_axes(q, c);
    find_extents(q, c);
    c->bytes = q->numerics->element_bytes(c->summed);
    c->converts = q->in_type[0]->dtype != c->summed;
    c->rounds = to != c->summed;
    const size_t kernel_bytes = q->numerics->element_bytes(q->in_type[1]->dtype);
    return ct__convolution_reserve(c->depth, c->out, kernel_bytes, &c->scratch_bytes,
                                   &c->kernel_at) &&
           ct__convolution_begin_direct(q, c) && (c->direct.applies || begin_patches(q, c));
}

bool ct__convolution_scratch(const ct__eval *q, size_t *bytes)
{
    ct__convolution c;

    if (!ct__convolution_begin(q, &c))
        return false;
    *bytes = c.scratch_bytes;
    return true;
}

/* ---- The matrices. */

const void *ct__convolution_kernel(const ct__eval *q, const ct__convolution *c, int64_t group)
{
    const ct_dtype from = q->in_type[1]->dtype;
    const size_t bytes = q->numerics->element_bytes(from);
    int64_t at = group * c->out * c->kernel_out;
    void *packed = q->scratch + c->kernel_at;
    ct__box box;

    ct__box_begin(&box, bytes);
    for (int d = 0; d < c->rank; d++) {
        const ct__convolution_axis_walk *axis = &c->axis[d];
        int64_t size = axis->window.size, stride = axis->kernel_stride;
        if (axis->reversed && size > 0)
            at += (size - 1) * stride;
        ct__box_axis(&box, size, axis->below * c->out, axis->reversed ? -stride : stride);
    }
    ct__box_axis(&box, c->in, c->out, c->kernel_in);
    ct__box_axis(&box, c->out, 1, c->kernel_out);
    if (c->depth > 0)
        ct__copy_box(q, &box, packed, ct__at(q->in[1], bytes, at));
    if (!c->converts)
        return packed;
    void *converted = q->scratch + c->converted_at;
    q->numerics->convert(c->summed, from, (size_t)(c->depth * c->out), converted, packed);
    return converted;
}

/* One place of the result, whose windows begin at begin[d]. */
typedef struct place {
    const ct__convolution *c;
    const void *zero;
    ct__wide begin[CT__MAX_RANK];
} place;

/* The element of x at a position of the widened axis; false where there is a zero. Positions that
 * are reached are below 2^64: those of the padded axis below 2^63, behind as much cut off. */
static bool find_element(const ct__convolution_axis_walk *axis, ct__wide position, int64_t *i)
{
    const uint64_t base = (uint64_t)axis->window.base, at = (uint64_t)position;

    if (position < 0 || position > axis->last)
        return false;
    *i = (int64_t)at;
    if (base == 1)
        return true;
    *i = (int64_t)(at / base);
    return at % base == 0;
}

/* What the taps from axis d on see of x, which is at the element of the axes before: a part of a
 * row. Returns the place behind it. */
static void *fill(const place *p, int d, const void *x, void *to)
{
    const ct__convolution *c = p->c;

    if (d == c->rank) {
        memcpy(to, x, (size_t)c->in * c->bytes); /* features are adjacent, or there is one */
        return ct__at(to, c->bytes, c->in);
    }
    const ct__convolution_axis_walk *axis = &c->axis[d];
    ct__wide position = p->begin[d];
    for (int64_t w = 0; w < axis->window.size; w++, position += axis->window.dilation) {
        int64_t i;
        if (find_element(axis, position, &i)) {
            to = fill(p, d + 1, ct__at(x, c->bytes, i * axis->x_stride), to);
        } else {
            ct__fill_elements(c->bytes, (size_t)axis->below, to, p->zero);
            to = ct__at(to, c->bytes, axis->below);
        }
    }
    return to;
}

/* `count` rows from the place `index` on, which moves behind them. */
static void fill_rows(const ct__eval *q, const ct__convolution *c, const void *x, int64_t *index,
                      int64_t count)
{
    unsigned char zero[CT__ALIGN];
    const int64_t nothing = 0;
    void *to = q->scratch + c->patch_at;
    place p = {.c = c, .zero = zero};

    q->numerics->convert(c->summed, CT_I64, 1, zero, &nothing);
    for (int64_t row = 0; row < count; row++) {
        for (int d = 0; d < c->rank; d++)
            p.begin[d] = (ct__wide)index[d + 1] * c->axis[d].window.stride - c->axis[d].window.low;
        to = fill(&p, 0, ct__at(x, c->bytes, index[0] * c->x_batch), to);
        ct__next(c->rank + 1, c->y_dim, index);
    }
}

/* Rows of sums to their places, from `index` on, which moves behind them: those along the last axis
 * at once. */
static void place_rows(const ct__eval *q, const ct__convolution *c, const void *sums, void *y,
                       int64_t *index, int64_t count)
{
    const size_t bytes = q->numerics->element_bytes(q->out_type[0]->dtype);
    const int last = c->rank;

    for (int64_t row = 0, run; row < count; row += run) {
        int64_t at = 0;
        ct__box box;
        run = c->y_dim[last] - index[last];
        run = run < count - row ? run : count - row;
        for (int d = 0; d <= last; d++)
            at += index[d] * c->y_stride[d];
        ct__box_begin(&box, bytes);
        ct__box_axis(&box, c->out, c->y_feature, 1);
        ct__box_axis(&box, run, c->y_stride[last], c->out);
        ct__box_copy(&box, ct__at(y, bytes, at), ct__at(sums, bytes, row * c->out));
        index[last] += run - 1;
        ct__next(last + 1, c->y_dim, index);
    }
}

static void convolve_group(const ct__eval *q, const ct__convolution *c, int64_t group,
                           const void *x)
{
    const ct_dtype to = q->out_type[0]->dtype;
    const void *kernel = ct__convolution_kernel(q, c, group);
    void *sums = q->scratch + c->sums_at, *rounded = sums;
    void *y = ct__at(q->out[0], q->numerics->element_bytes(to), group * c->out * c->y_feature);
    int64_t read[CT__MAX_RANK] = {0}, written[CT__MAX_RANK] = {0};

    x = ct__at(x, c->bytes,
               group * (c->group_by_batch ? c->batch * c->x_batch : c->in * c->x_feature));
    if (c->rounds)
        rounded = q->scratch + c->rounded_at;
    for (int64_t row = 0; row < c->rows; row += c->at_once) {
        int64_t count = c->rows - row < c->at_once ? c->rows - row : c->at_once;
        fill_rows(q, c, x, read, count);
        q->numerics->dot(c->summed, (size_t)count, (size_t)c->out, (size_t)c->depth, sums,
                         q->scratch + c->patch_at, kernel);
        if (c->rounds)
            q->numerics->convert(to, c->summed, (size_t)(count * c->out), rounded, sums);
        place_rows(q, c, rounded, y, written, count);
    }
}

bool ct__meaning_convolution(const ct__eval *q)
{
    ct__convolution c;

    ct__convolution_begin(q, &c);
    if (c.empty) { /* sums of nothing */
        ct__fill_zero(q->numerics, q->out_type[0], q->out[0]);
        return true;
    }
    if (c.direct.applies) {
        ct__convolve_directly(q, &c);
        return true;
    }
    const void *x = q->in[0];
    if (c.packs) {
        ct__box_copy(&c.packing, q->scratch + c.packed_at, x);
        x = q->scratch + c.packed_at;
    }
    if (c.converts) {
        q->numerics->convert(c.summed, q->in_type[0]->dtype, (size_t)q->in_type[0]->size,
                             q->scratch + c.x_at, x);
        x = q->scratch + c.x_at;
    }
    for (int64_t group = 0; group < c.groups; group++)
        convolve_group(q, &c, group, x);
    return true;
}
