#include "tests/fuzz/programs/generate.h"

/* Those that matter most stand first and several times. */
ct_dtype choose_dtype(generator *g, unsigned classes)
{
    static const unsigned char list[] = {
        CT_F32,        CT_F32,      CT_F32,      CT_F32,      CT_F64,        CT_F64,
        CT_F64,        CT_I32,      CT_I32,      CT_BOOL,     CT_F16,        CT_BF16,
        CT_F16,        CT_BF16,     CT_I64,      CT_U8,       CT_C64,        CT_C128,
        CT_I8,         CT_I16,      CT_U16,      CT_U32,      CT_U64,        CT_I4,
        CT_U4,         CT_I2,       CT_U2,       CT_F8E5M2,   CT_F8E4M3FN,   CT_F8E3M4,
        CT_F8E4M3,     CT_F4E2M1FN, CT_F6E2M3FN, CT_F6E3M2FN, CT_F8E4M3FNUZ, CT_F8E4M3B11FNUZ,
        CT_F8E5M2FNUZ, CT_F8E8M0FNU};
    unsigned char fit[sizeof list];
    uint32_t n = 0;

    if (g->style != STYLE_ANY && (classes & CT__FLOATS))
        return CT_F64;
    for (size_t i = 0; i < sizeof list; i++)
        if (classes & ct__class_of((ct_dtype)list[i]))
            fit[n++] = list[i];
    return (ct_dtype)fit[choose(g->c, n)];
}

int64_t choose_extent(generator *g)
{
    static const int64_t list[] = {2, 1, 3, 4, 5,  0,  3,  2,  4,   1,
                                   7, 8, 6, 9, 16, 33, 17, 70, 130, 300};

    return list[choose(g->c, sizeof list / sizeof *list)];
}

int64_t elements_of(ct_shape shape)
{
    int64_t n;

    return ct__count_elements(shape.count, shape.dim, &n) ? n : INT64_MAX;
}

bool fits(ct_shape shape)
{
    return elements_of(shape) <= MOST_ELEMENTS;
}

ct_shape choose_shape(generator *g, int64_t *dim, size_t least_rank, size_t most_rank)
{
    static const size_t ranks[] = {0, 1, 2, 2, 3, 1, 2, 4, 3, 5, 6};
    size_t rank = ranks[choose(g->c, sizeof ranks / sizeof *ranks)];

    rank = rank < least_rank ? least_rank : rank > most_rank ? most_rank : rank;
    for (size_t d = 0; d < rank; d++) {
        dim[d] = choose_extent(g);
        if (!fits((ct_shape){d + 1, dim}))
            dim[d] = 1;
    }
    return (ct_shape){rank, dim};
}

/* A list of zeros gives the order that they have. */
void choose_order(generator *g, size_t count, int64_t *order)
{
    for (size_t i = 0; i < count; i++)
        order[i] = (int64_t)i;
    for (size_t i = 0; i + 1 < count; i++) {
        const size_t j = i + choose(g->c, (uint32_t)(count - i));
        const int64_t kept = order[i];
        order[i] = order[j];
        order[j] = kept;
    }
}

size_t choose_subset(generator *g, size_t below, int64_t *item)
{
    size_t n = 0;

    for (size_t i = 0; i < below; i++)
        if (choose(g->c, 2))
            item[n++] = (int64_t)i;
    return n;
}
