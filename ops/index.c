#include "ops/ops.h"

#include <assert.h>
#include <string.h>

/* An index, compared without leaving its own range: negative, or a magnitude. */
typedef struct start {
    bool negative;
    uint64_t magnitude; /* of one that is not negative */
} start;

static start signed_start(int64_t value)
{
    return (start){value < 0, value < 0 ? 0 : (uint64_t)value};
}

#define LOAD(type, make)                                                                           \
    {                                                                                              \
        type value;                                                                                \
        memcpy(&value, element, sizeof value);                                                     \
        return make;                                                                               \
    }

static start load_start(ct_dtype dtype, const void *element)
{
    switch (dtype) {
    case CT_I8: LOAD(int8_t, signed_start(value))
    case CT_I16: LOAD(int16_t, signed_start(value))
    case CT_I32: LOAD(int32_t, signed_start(value))
    case CT_I64: LOAD(int64_t, signed_start(value))
    case CT_U8: LOAD(uint8_t, ((start){false, value}))
    case CT_U16: LOAD(uint16_t, ((start){false, value}))
    case CT_U32: LOAD(uint32_t, ((start){false, value}))
    case CT_U64: LOAD(uint64_t, ((start){false, value}))
    default: assert(false && "indices are integers"); return (start){true, 0};
    }
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
