/* Views: data movement as new strides over the same storage. Element i of x lies at
 * offset + Σ i[d]·stride[d]; each case writes that sum in the result's indices. */
#include "trace/trace.h"

typedef struct view {
    const ct__literal *x;
    const ct_type *result;
    int64_t offset;
    int64_t stride[CT__MAX_RANK];
} view;

/* result[…, i[permutation[d]], …] = x[i]: result axis d is x's axis permutation[d]. */
static void transpose(view *v, ct__ints permutation)
{
    for (size_t d = 0; d < permutation.count; d++)
        v->stride[d] = v->x->stride[permutation.item[d]];
}

/* result[i] = x[start + i·step]. Axes of extent 1 never move, so a huge step is not multiplied. */
static void slice(view *v, ct__ints start, ct__ints step)
{
    for (int d = 0; d < v->result->rank; d++) {
        v->offset += start.item[d] * v->x->stride[d];
        v->stride[d] = v->result->dim[d] > 1 ? v->x->stride[d] * step.item[d] : 0;
    }
}

/* result[…, i, …] = x[…, n - 1 - i, …] */
static void reverse(view *v, ct__ints dimensions)
{
    for (int d = 0; d < v->result->rank; d++)
        v->stride[d] = v->x->stride[d];
    for (size_t k = 0; k < dimensions.count; k++) {
        int64_t d = dimensions.item[k];

        v->offset += (v->x->type->dim[d] - 1) * v->x->stride[d];
        v->stride[d] = -v->x->stride[d];
    }
}

/* x's axis d is result axis dimensions[d]; the others, and those of extent 1 in x, repeat. */
static void broadcast(view *v, ct__ints dimensions)
{
    for (int d = 0; d < v->result->rank; d++)
        v->stride[d] = 0;
    for (size_t d = 0; d < dimensions.count; d++)
        if (v->x->type->dim[d] != 1)
            v->stride[dimensions.item[d]] = v->x->stride[d];
}

/* Axes of x that lie behind one another as in row-major order count as one axis. Takes the next
 * such run, from axis *d downwards: its extent and the stride of its last axis. Needs size > 0. */
static void take_run(const ct__literal *x, int *d, int64_t *extent, int64_t *stride)
{
    const int64_t *dim = x->type->dim;

    *extent = 1;
    for (; *d >= 0; --*d) {
        if (dim[*d] == 1)
            continue;
        if (*extent == 1)
            *stride = x->stride[*d];
        else if (x->stride[*d] != *stride * *extent)
            return;
        *extent *= dim[*d];
    }
}

/* Both shapes are walked from the back. The result's axes may cut a run of x into pieces; false
 * when one of them reaches over the end of a run. */
static bool reshape(view *v)
{
    int d = v->x->type->rank - 1;
    int64_t extent = 1, stride = 0; /* what is left of the run */

    for (int r = v->result->rank - 1; r >= 0; r--) {
        int64_t dim = v->result->dim[r];

        v->stride[r] = 0;
        if (dim == 1)
            continue;
        if (extent == 1)
            take_run(v->x, &d, &extent, &stride);
        if (extent % dim != 0)
            return false;
        v->stride[r] = stride;
        extent /= dim;
        if (extent > 1)
            stride *= dim;
    }
    return true;
}

static bool arrange(view *v, ct__op op, const ct__attrs *attrs)
{
    if (v->result->size == 0) /* no element is read, so any strides do */
        return op == CT__OP_transpose || op == CT__OP_slice || op == CT__OP_reverse ||
               op == CT__OP_broadcast_in_dim || op == CT__OP_reshape;
    switch ((int)op) {
    case CT__OP_transpose: transpose(v, attrs->transpose.permutation); return true;
    case CT__OP_slice: slice(v, attrs->slice.start_indices, attrs->slice.strides); return true;
    case CT__OP_reverse: reverse(v, attrs->reverse.dimensions); return true;
    case CT__OP_broadcast_in_dim:
        broadcast(v, attrs->broadcast_in_dim.broadcast_dimensions);
        return true;
    case CT__OP_reshape: return reshape(v);
    default: return false;
    }
}

bool ct__view(ct__op op, const ct__attrs *attrs, const ct__literal *x, const ct_type *result,
              ct__literal **literal)
{
    view v = {.x = x, .result = result, .offset = x->offset};
    if (!arrange(&v, op, attrs))
        return false;
    *literal = ct__literal_new(ct__storage_retain(x->storage), result, v.offset, v.stride);
    return true;
}
