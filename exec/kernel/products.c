#include "exec/kernel/products.h"

const ct__products *ct__products_here(void)
{
#ifdef __x86_64__
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq"))
        return &ct__products_avx512;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return &ct__products_avx2;
#endif
    return &ct__products_base;
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Either side may be the one whose panels are packed: of up to 64 columns each; see product.inc. */
size_t ct__product_room(const ct__product *p, size_t element_bytes)
{
    const ct__product turned = {p->batch, p->n, p->m, p->k, .b = {0, p->a.column, p->a.row}};
    const size_t wide = p->m > p->n ? p->m : p->n, depth = least(p->k, CT__PRODUCT_DEPTH);
    const size_t columns = (least(wide, CT__PRODUCT_COLUMNS) + 63) / 64 * 64;
    const size_t rows = least(wide, CT__PRODUCT_ROWS);
    if (ct__product_is_direct(p, element_bytes) && ct__product_is_direct(&turned, element_bytes))
        return 0;
    /* a block is stored by rows or by columns */
    return (depth * columns + (rows + CT__PRODUCT_SKEW) * (depth + CT__PRODUCT_SKEW)) *
           element_bytes;
}
