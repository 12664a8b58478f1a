#include "ops/ops.h"

#include <assert.h>

/* An index, compared without leaving its own range: negative, or a magnitude. */
typedef struct start {
    bool negative;
    uint64_t magnitude; /* of one that is not negative */
} start;

static start load_start(ct_dtype dtype, const void *element)
{
    uint64_t value = ct__load_integer(dtype, element);
    bool negative = ct_dtype_is_signed(dtype) && value >> 63;

    assert(ct_dtype_is_integer(dtype) && "indices are integers");
    return (start){negative, negative ? 0 : value};
}

int64_t ct__clamp_index(ct_dtype dtype, const void *element, int64_t last)
{
    start i = load_start(dtype, element);

    assert(last >= 0);
    return i.negative ? 0 : i.magnitude > (uint64_t)last ? last : (int64_t)i.magnitude;
}

bool ct__index_in_range(ct_dtype dtype, const void *element, int64_t last)
{
    start i = load_start(dtype, element);

    return !i.negative && last >= 0 && i.magnitude <= (uint64_t)last;
}
