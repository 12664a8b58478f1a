#include "trace/compose.h"

#include <cotangent/cumulative.h>

/* Windows that end at each element and begin so far in front that they hold all before it. */
static ct_tensor *running(const ct__composite *q, int op, ct_tensor *x, const ct__extents *shape,
                          int64_t axis)
{
    int64_t size[CT__MAX_RANK], low[CT__MAX_RANK];
    for (int d = 0; d < shape->rank; d++) {
        size[d] = d == axis && shape->dim[d] > 0 ? shape->dim[d] : 1;
        low[d] = size[d] - 1;
    }
    size_t rank = (size_t)shape->rank;
    ct_window_dims dims = {.window_dimensions = {rank, size}, .padding_low = {rank, low}};
    return ct__reduce_window_usual(q->at, op, x, &dims);
}

typedef struct cumulation {
    const char *name;
    int op;
    unsigned classes;
    bool is_wide; /* made in f32 where x is f16 or bf16 */
} cumulation;

static ct_tensor *cumulate(ct_place at, const cumulation *c, ct_tensor *x, int64_t axis,
                           bool reverse)
{
    ct__composite q;
    ct_operand operand;
    int64_t own;
    if (!ct__begin1(&q, at, c->name, &operand, x) || !ct__allow(&q, 0, c->classes) ||
        !ct__axis(&q, "axis", axis, x->type->rank, &own))
        return ct__poison(q.ctx);
    const ct__extents shape = ct__extents_of(x);
    ct_dtype dtype = x->type->dtype;
    ct_dims along = {1, &own};
    ct__open(&q);
    ct_tensor *y = ct__convert(at, x, c->is_wide ? ct__sum_dtype(dtype) : dtype);
    y = reverse ? ct_op_reverse_at(at, y, along) : y;
    y = running(&q, c->op, y, &shape, own);
    y = reverse ? ct_op_reverse_at(at, y, along) : y;
    return ct__close(&q, ct__convert(at, y, dtype));
}

#define CUMULATE(name, op, classes, is_wide)                                                       \
    ct_tensor *ct_##name##_at(ct_place at, ct_tensor *x, int64_t axis, bool reverse)               \
    {                                                                                              \
        static const cumulation c = {#name, CT__OP_##op, classes, is_wide};                        \
        return cumulate(at, &c, x, axis, reverse);                                                 \
    }
#define NUMBERS (CT__INTS | CT__FLOATS | CT__COMPLEXES)
#define ORDERED (CT__INTS | CT__FLOATS | CT__BOOLS)

CUMULATE(cumsum, add, NUMBERS, true)
CUMULATE(cumprod, multiply, NUMBERS, true)
CUMULATE(cummax, maximum, ORDERED, false)
CUMULATE(cummin, minimum, ORDERED, false)
