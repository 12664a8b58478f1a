/* Products of matrices in machine arithmetic: every instruction set, every way that operands lie.
 */
#include "exec/kernel/arrays.h"
#include "exec/kernel/products.h"
#include "tests/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static size_t list_sets(const ct__products **set)
{
    size_t n = 0;
    set[n++] = &ct__products_base;
#ifdef __x86_64__
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        set[n++] = &ct__products_avx2;
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq"))
        set[n++] = &ct__products_avx512;
#endif
    return n;
}

/* Where a matrix [rows, columns] lies, with room between what is adjacent to nothing. */
static ct__strides lying(size_t rows, size_t columns, bool by_columns, size_t gap)
{
    const int64_t batch = (int64_t)((rows + gap) * (columns + gap));
    return by_columns ? (ct__strides){batch, 1, (int64_t)(rows + gap)}
                      : (ct__strides){batch, (int64_t)(columns + gap), 1};
}

static size_t at(ct__strides s, size_t g, size_t i, size_t j)
{
    return (size_t)((int64_t)g * s.batch + (int64_t)i * s.row + (int64_t)j * s.column);
}

static size_t room_between(size_t batch, size_t rows, size_t columns, size_t gap)
{
    return batch * (rows + gap) * (columns + gap) + 1;
}

#define T float
#define FMA fmaf
#define M(name) name##_f32
#define CALL f32
#include "tests/products.inc"

#define T double
#define FMA fma
#define M(name) name##_f64
#define CALL f64
#include "tests/products.inc"

static const size_t shapes[][4] = {
    {1, 1, 1, 1},     {1, 7, 5, 3},     {1, 13, 33, 300}, {1, 1, 40, 100},  {1, 40, 1, 77},
    {1, 6, 32, 256},  {1, 12, 64, 257}, {2, 3, 2, 0},     {1, 1, 1, 32},    {2, 1, 1, 33},
    {1, 1, 3, 32},    {1, 3, 1, 32},    {3, 8, 8, 8},     {2, 9, 17, 10},   {1, 33, 3, 40},
    {1, 130, 70, 65}, {1, 70, 140, 9},  {1, 30, 33, 520}, {1, 50, 9, 270},  {1, 2, 200, 40},
    {1, 140, 31, 30}, {1, 25, 1030, 4}, {0, 2, 3, 4},     {1, 5, 300, 33},  {2, 300, 1, 33},
    {1, 1, 300, 34},  {1, 26, 47, 300}, {1, 10, 128, 50}, {1, 128, 10, 50}, {2, 0, 3, 4},
};

TEST(products_are_summed_in_their_order)
{
    const ct__products *set[3];
    const size_t sets = list_sets(set);
    for (size_t s = 0; s < sets; s++)
        for (size_t q = 0; q < sizeof shapes / sizeof *shapes; q++)
            for (unsigned lie = 0; lie < 16; lie++) {
                const size_t *d = shapes[q], gap = lie >> 3;
                const ct__product p = {.batch = d[0],
                                       .m = d[1],
                                       .n = d[2],
                                       .k = d[3],
                                       .a = lying(d[1], d[3], lie & 1, gap),
                                       .b = lying(d[3], d[2], (lie >> 1) & 1, gap),
                                       .c = lying(d[1], d[2], (lie >> 2) & 1, gap)};
                check_product_f32(set[s], &p, gap, false);
                check_product_f64(set[s], &p, gap, false);
            }
}

/* Without room nothing is packed: rows of b and c lie together. */
TEST(products_without_room)
{
    const ct__products *set[3];
    const size_t sets = list_sets(set);
    for (size_t s = 0; s < sets; s++)
        for (size_t q = 0; q < sizeof shapes / sizeof *shapes; q++)
            for (unsigned lie = 0; lie < 2; lie++) {
                const size_t *d = shapes[q];
                const ct__product p = {.batch = d[0],
                                       .m = d[1],
                                       .n = d[2],
                                       .k = d[3],
                                       .a = lying(d[1], d[3], lie & 1, 0),
                                       .b = lying(d[3], d[2], false, 0),
                                       .c = lying(d[1], d[2], false, 0)};
                check_product_f32(set[s], &p, 0, true);
                check_product_f64(set[s], &p, 0, true);
            }
}

/* Elements that are of no number meet only the sums that they belong to. */
TEST(products_of_special_values)
{
    enum { M = 9, N = 37, K = 50 };
    const ct__products *set[3];
    const size_t sets = list_sets(set);
    const ct__product p = {1, M, N, K, {0, K, 1}, {0, N, 1}, {0, N, 1}};
    float a[M * K] = {0}, b[K * N], c[M * N];
    for (size_t i = 0; i < sizeof b / sizeof *b; i++)
        b[i] = -1;
    a[3 * K + 7] = NAN;
    a[4 * K + 7] = INFINITY;
    b[9 * N + 36] = INFINITY;
    for (size_t s = 0; s < sets; s++) {
        set[s]->f32(&p, c, a, b, NULL);
        for (size_t i = 0; i < M; i++)
            for (size_t j = 0; j < N; j++) {
                const float y = c[i * N + j];
                const bool is_nan = i == 3 || j == 36;
                CHECK_MSG(is_nan ? isnan(y) : y == (i == 4 ? -INFINITY : 0), "%s: [%zu,%zu] is %g",
                          set[s]->name, i, j, (double)y);
                CHECK(is_nan || i == 4 || !signbit(y)); /* sums begin at +0 */
            }
    }
}
