/* The clamp table: every index dtype, against bounds that it can and cannot hold. */
#include "tests/check.h"

#include "ops/ops.h"

#include <inttypes.h>

typedef struct row {
    ct_dtype dtype;
    int64_t value;    /* of signed dtypes */
    uint64_t natural; /* of unsigned ones */
    int64_t last;
    int64_t clamped;
    bool in_range;
} row;

static const row rows[] = {
    /* inside, both ends */
    {CT_I32, 0, 0, 5, 0, true},
    {CT_I32, 5, 0, 5, 5, true},
    {CT_U32, 0, 3, 5, 3, true},
    /* just outside */
    {CT_I32, -1, 0, 5, 0, false},
    {CT_I32, 6, 0, 5, 5, false},
    {CT_U32, 0, 6, 5, 5, false},
    /* the only place */
    {CT_I64, 0, 0, 0, 0, true},
    {CT_I64, 1, 0, 0, 0, false},
    {CT_U8, 0, 1, 0, 0, false},
    /* i8 into 300: all it can say is inside or negative */
    {CT_I8, 127, 0, 299, 127, true},
    {CT_I8, -128, 0, 299, 0, false},
    {CT_I8, -1, 0, 299, 0, false},
    {CT_U8, 0, 255, 299, 255, true},
    {CT_U8, 0, 200, 150, 150, false},
    {CT_I16, INT16_MAX, 0, 70000, INT16_MAX, true},
    {CT_I16, INT16_MIN, 0, 70000, 0, false},
    {CT_U16, 0, 65535, 70000, 65535, true},
    {CT_U16, 0, 65535, 65534, 65534, false},
    {CT_U16, 0, 40000, 32767, 32767, false},
    /* unsigned values whose signed reading is negative */
    {CT_U8, 0, 0x80, 299, 0x80, true},
    {CT_U32, 0, 0x80000000, 0x90000000, 0x80000000, true},
    {CT_U32, 0, UINT32_MAX, 7, 7, false},
    {CT_U64, 0, (uint64_t)1 << 63, 7, 7, false},
    {CT_U64, 0, UINT64_MAX, 7, 7, false},
    {CT_U64, 0, UINT64_MAX, INT64_MAX, INT64_MAX, false},
    {CT_U64, 0, INT64_MAX, INT64_MAX, INT64_MAX, true},
    {CT_U64, 0, 4, 7, 4, true},
    /* the ends of the signed ones */
    {CT_I32, INT32_MAX, 0, 7, 7, false},
    {CT_I32, INT32_MIN, 0, 7, 0, false},
    {CT_I64, INT64_MAX, 0, 7, 7, false},
    {CT_I64, INT64_MIN, 0, 7, 0, false},
    {CT_I64, INT64_MAX, 0, INT64_MAX, INT64_MAX, true},
    {CT_I64, INT64_MIN, 0, INT64_MAX, 0, false},
};

TEST(starts_are_clamped_without_wrapping)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const row *r = &rows[i];
        uint64_t element;
        int64_t got;

        CHECK(ct_dtype_is_signed(r->dtype) ? ct__store_signed(r->dtype, &element, r->value)
                                           : ct__store_unsigned(r->dtype, &element, r->natural));
        got = ct__clamp_index(r->dtype, &element, r->last);
        CHECK_MSG(got == r->clamped, "row %zu, %s: %" PRId64, i, ct_dtype_name(r->dtype), got);
        CHECK_MSG(ct__index_in_range(r->dtype, &element, r->last) == r->in_range, "row %zu, %s", i,
                  ct_dtype_name(r->dtype));
    }
}

/* Every value of the 8-bit dtypes, against bounds on both sides of what they hold. */
TEST(all_8_bit_indices)
{
    static const int64_t lasts[] = {0, 1, 100, 127, 128, 255, 256, 299};

    for (size_t k = 0; k < sizeof lasts / sizeof lasts[0]; k++)
        for (int v = -128; v < 256; v++) {
            const int64_t want = v < 0 ? 0 : v > lasts[k] ? lasts[k] : v;
            const bool inside = v >= 0 && v <= lasts[k];
            const int8_t narrow = (int8_t)v;
            const uint8_t natural = (uint8_t)v;

            if (v < 128) {
                CHECK(ct__clamp_index(CT_I8, &narrow, lasts[k]) == want);
                CHECK(ct__index_in_range(CT_I8, &narrow, lasts[k]) == inside);
            }
            if (v >= 0) {
                CHECK(ct__clamp_index(CT_U8, &natural, lasts[k]) == want);
                CHECK(ct__index_in_range(CT_U8, &natural, lasts[k]) == inside);
            }
        }
}

TEST(nothing_is_in_an_empty_range)
{
    const int32_t zero = 0;

    CHECK(!ct__index_in_range(CT_I32, &zero, -1));
}
