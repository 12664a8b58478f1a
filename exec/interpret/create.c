#include "exec/interpret/interpret.h"

bool ct__meaning_constant(const ct__eval *q)
{
    ct__literal_copy_out(q->attrs->constant.value, q->out[0]);
    return true;
}

/* [outer, n, inner] with the position along the middle axis. */
typedef struct iota_shape {
    int64_t outer, n, inner;
} iota_shape;

static iota_shape shape_of(const ct_type *type, int64_t axis)
{
    iota_shape s = {1, type->dim[axis], 1};

    for (int d = 0; d < type->rank; d++)
        if (d < axis)
            s.outer *= type->dim[d];
        else if (d > axis)
            s.inner *= type->dim[d];
    return s;
}

/* The first n elements become n runs of `inner` equal ones. From the back: run i > 0 lies behind
 * all elements that are still to be read. */
static void spread(const iota_shape *s, size_t bytes, void *y)
{
    for (int64_t i = s->n - 1; i >= 0 && s->inner > 1; i--) {
        int64_t skip = i == 0; /* element 0 is in its place */
        ct__fill_elements(bytes, (size_t)(s->inner - skip), ct__at(y, bytes, i * s->inner + skip),
                          ct__at(y, bytes, i));
    }
}

bool ct__meaning_iota(const ct__eval *q)
{
    const ct_type *type = q->out_type[0];
    size_t bytes = q->numerics->element_bytes(type->dtype);

    if (type->size == 0)
        return true;
    iota_shape s = shape_of(type, q->attrs->iota.iota_dimension);
    q->numerics->iota(type->dtype, (size_t)s.n, q->out[0], 0);
    spread(&s, bytes, q->out[0]);
    ct__box box;
    ct__box_begin(&box, bytes);
    ct__box_axis(&box, s.outer - 1, s.n * s.inner, 0);
    ct__box_axis(&box, s.n * s.inner, 1, 1);
    ct__box_copy(&box, ct__at(q->out[0], bytes, s.outer > 1 ? s.n * s.inner : 0), q->out[0]);
    return true;
}
