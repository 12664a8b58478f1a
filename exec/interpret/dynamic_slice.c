#include "exec/interpret/interpret.h"

/* The corner of a window of `size` in x: starts clamped into [0, dim - size], as an offset in
 * elements. Operands from `first` on are the starts. */
static int64_t corner(const ct__eval *q, size_t first, const int64_t *size)
{
    const ct_type *x = q->in_type[0];
    int64_t stride[CT__MAX_RANK], at = 0;

    ct__row_major(x->rank, x->dim, stride);
    for (int d = 0; d < x->rank; d++)
        at += stride[d] * ct__clamp_index(q->in_type[first + (size_t)d]->dtype,
                                          q->in[first + (size_t)d], x->dim[d] - size[d]);
    return at;
}

/* Position d is the start of axis d. */
static bool audit(const ct__eval *q, size_t first, const int64_t *size)
{
    const ct_type *x = q->in_type[0];
    int64_t last[CT__MAX_RANK];
    ct__index_audit audit;

    for (int d = 0; d < x->rank; d++)
        last[d] = x->dim[d] - size[d];
    ct__audit_begin(&audit, (size_t)x->rank, last);
    for (int64_t d = 0; d < x->rank; d++)
        ct__audit_index(&audit, 1, &d, q->in_type[first + (size_t)d]->dtype,
                        q->in[first + (size_t)d], last[d]);
    return ct__audit_end(q, &audit);
}

/* The window's strides are x's; outside it is contiguous. */
static void window_box(const ct__eval *q, const int64_t *size, bool reading, ct__box *box)
{
    const ct_type *x = q->in_type[0];
    int64_t inside[CT__MAX_RANK], outside[CT__MAX_RANK];

    ct__row_major(x->rank, x->dim, inside);
    ct__row_major(x->rank, size, outside);
    ct__box_begin(box, q->numerics->element_bytes(x->dtype));
    for (int d = 0; d < x->rank; d++)
        ct__box_axis(box, size[d], reading ? outside[d] : inside[d],
                     reading ? inside[d] : outside[d]);
}

bool ct__meaning_dynamic_slice(const ct__eval *q)
{
    const int64_t *size = q->attrs->dynamic_slice.slice_sizes.item;
    ct__box box;

    if (q->attrs->dynamic_slice.strict && !audit(q, 1, size))
        return false;
    window_box(q, size, true, &box);
    ct__copy_box(q, &box, q->out[0], ct__at(q->in[0], box.bytes, corner(q, 1, size)));
    return true;
}

bool ct__meaning_dynamic_update_slice(const ct__eval *q)
{
    const int64_t *size = q->in_type[1]->dim;
    ct__box box;

    if (q->attrs->dynamic_update_slice.strict && !audit(q, 2, size))
        return false;
    ct__begin_as_operand(q, 0);
    window_box(q, size, false, &box);
    ct__copy_box(q, &box, ct__at(q->out[0], box.bytes, corner(q, 2, size)), q->in[1]);
    return true;
}
