/* The loops of machine numerics that round nothing, in every instruction set of this machine: their
 * results are those of the reference numerics, bit by bit; a NaN equals a NaN. */
#include "tests/check.h"

#include "exec/interpret/reference.h"
#include "exec/kernel/arrays.h"

#include <cotangent/op.h>

#include <math.h>
#include <string.h>

enum { COUNT = 3001 };

typedef union array {
    uint8_t u8[COUNT * 16];
    uint16_t u16[COUNT];
    float f32[COUNT * 2];
    double f64[COUNT * 2];
} array;

static size_t list_sets(const ct__arrays **set)
{
    size_t count = 0;
    set[count++] = &ct__arrays_base;
#ifdef __x86_64__
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        set[count++] = &ct__arrays_avx2;
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq"))
        set[count++] = &ct__arrays_avx512;
#endif
    return count;
}

static const ct_dtype counted[] = {CT_BOOL, CT_I8,  CT_I16, CT_I32, CT_I64,
                                   CT_U8,   CT_U16, CT_U32, CT_U64};
enum { COUNTED = sizeof counted / sizeof *counted };

static uint64_t next_bits(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *state >> 20 ^ *state << 30;
}

/* Bits of all kinds; every fourth element has few of them: small numbers, subnormal ones, zeros,
 * and every fifth is of few numbers, so that some are equal. */
static void fill(ct_dtype dtype, uint64_t seed, array *x)
{
    const size_t bytes = ct_dtype_bytes(dtype);
    for (size_t i = 0; i < COUNT; i++) {
        uint64_t bits[2] = {next_bits(&seed), next_bits(&seed)};
        bits[0] = i % 4 == 0 ? bits[0] % 40 : i % 5 == 0 ? bits[0] % 3 - 1 : bits[0];
        bits[0] = dtype == CT_BOOL ? bits[0] & 1 : bits[0];
        memcpy(&x->u8[i * bytes], bits, bytes);
    }
}

/* A NaN equals a NaN: floats are compared as f64, which has them all. */
static bool same(ct_dtype dtype, size_t n, const array *x, const array *y)
{
    const size_t bytes = ct_dtype_bytes(dtype);
    if (!ct_dtype_is_float(dtype))
        return memcmp(x, y, n * bytes) == 0;
    for (size_t i = 0; i < n; i++) {
        double a, b;
        ct__reference_convert(CT_F64, dtype, 1, &a, &x->u8[i * bytes]);
        ct__reference_convert(CT_F64, dtype, 1, &b, &y->u8[i * bytes]);
        if (memcmp(&a, &b, sizeof a) != 0 && (a == a || b == b))
            return false;
    }
    return true;
}

static const char *name_of(ct__op op)
{
    return ct__op_describe(op)->name;
}

/* ---- Integers and bool. */

static const ct__op unary_ops[] = {
    CT__OP_abs, CT__OP_count_leading_zeros, CT__OP_negate, CT__OP_not, CT__OP_popcnt, CT__OP_sign};
static const ct__op binary_ops[] = {CT__OP_add,
                                    CT__OP_multiply,
                                    CT__OP_maximum,
                                    CT__OP_minimum,
                                    CT__OP_and,
                                    CT__OP_or,
                                    CT__OP_xor, /* up to here of bool too, and folds */
                                    CT__OP_subtract,
                                    CT__OP_mulhi,
                                    CT__OP_divide,
                                    CT__OP_remainder,
                                    CT__OP_shift_left,
                                    CT__OP_shift_right_logical,
                                    CT__OP_shift_right_arithmetic};
enum { UNARY = 6, BINARY = 14, FOLDS = 7 };

static void check_unary(const ct__arrays *set, ct_dtype dtype)
{
    static array x, y, want;
    fill(dtype, 1, &x);
    for (size_t k = 0; k < UNARY; k++) {
        if (dtype == CT_BOOL && unary_ops[k] != CT__OP_not)
            continue;
        CHECK(set->plain->unary(unary_ops[k], dtype, COUNT, &y, &x));
        ct__reference_numerics.unary(unary_ops[k], dtype, COUNT, &want, &x);
        CHECK_MSG(same(dtype, COUNT, &y, &want), "%s %s: %s", name_of(unary_ops[k]),
                  ct_dtype_name(dtype), set->name);
    }
}

static void check_binary(const ct__arrays *set, ct_dtype dtype)
{
    static array x, y, z, want;
    fill(dtype, 1, &x);
    fill(dtype, 2, &y);
    for (size_t k = 0; k < (dtype == CT_BOOL ? FOLDS : BINARY); k++)
        for (size_t steps = 0; steps < 4; steps++) {
            const size_t x_step = steps & 1, y_step = steps >> 1;
            CHECK(set->plain->binary(binary_ops[k], dtype, COUNT, &z, &x, x_step, &y, y_step));
            ct__reference_numerics.binary(binary_ops[k], dtype, COUNT, &want, &x, x_step, &y,
                                          y_step);
            CHECK_MSG(same(dtype, COUNT, &z, &want), "%s %s, steps %zu, %zu: %s",
                      name_of(binary_ops[k]), ct_dtype_name(dtype), x_step, y_step, set->name);
        }
}

static void check_folds(const ct__arrays *set, ct_dtype dtype)
{
    enum { ROWS = 7, WIDTH = COUNT / ROWS };
    static array x, y, want;
    const size_t bytes = ct_dtype_bytes(dtype);
    fill(dtype, 3, &x);
    for (size_t k = 0; k < FOLDS; k++) {
        fill(dtype, 4, &y);
        fill(dtype, 4, &want);
        CHECK(set->plain->fold_row(binary_ops[k], dtype, COUNT, &y, &x));
        ct__reference_numerics.fold(binary_ops[k], dtype, COUNT, &want, &x, 1);
        CHECK_MSG(same(dtype, 1, &y, &want), "%s %s: %s", name_of(binary_ops[k]),
                  ct_dtype_name(dtype), set->name);
        fill(dtype, 4, &y);
        fill(dtype, 4, &want);
        CHECK(set->plain->fold_columns(binary_ops[k], dtype, ROWS, WIDTH, &y, &x));
        for (size_t j = 0; j < WIDTH; j++)
            ct__reference_numerics.fold(binary_ops[k], dtype, ROWS, &want.u8[j * bytes],
                                        &x.u8[j * bytes], WIDTH);
        CHECK_MSG(same(dtype, COUNT, &y, &want), "columns, %s %s: %s", name_of(binary_ops[k]),
                  ct_dtype_name(dtype), set->name);
    }
}

TEST(integers)
{
    const ct__arrays *set[3];
    const size_t sets = list_sets(set);
    for (size_t s = 0; s < sets; s++)
        for (size_t d = 0; d < COUNTED; d++) {
            check_unary(set[s], counted[d]);
            check_binary(set[s], counted[d]);
            check_folds(set[s], counted[d]);
        }
}

/* ---- Of all dtypes. */

static const ct_dtype all[] = {CT_BOOL, CT_I8,  CT_I16, CT_I32,  CT_I64, CT_U8, CT_U16,
                               CT_U32,  CT_U64, CT_F16, CT_BF16, CT_F32, CT_F64};
enum { ALL = sizeof all / sizeof *all };

TEST(comparisons)
{
    static array x, y;
    static bool z[COUNT], want[COUNT];
    const ct__arrays *set[3];
    const size_t sets = list_sets(set);
    for (size_t d = 0; d < ALL; d++)
        for (int direction = CT_EQ; direction <= CT_LT; direction++) {
            fill(all[d], 5, &x);
            fill(all[d], 6, &y);
            memcpy(&y, &x, 100);
            ct__reference_compare(direction, 0, all[d], COUNT, want, &x, &y);
            ct__machine_numerics.compare(direction, 0, all[d], COUNT, z, &x, &y);
            CHECK_MSG(memcmp(z, want, sizeof z) == 0, "%s", ct_dtype_name(all[d]));
            for (size_t s = 0; s < sets && all[d] != CT_F16 && all[d] != CT_BF16; s++) {
                CHECK(set[s]->plain->compare(direction, all[d], COUNT, z, &x, &y));
                CHECK_MSG(memcmp(z, want, sizeof z) == 0, "%s: %s", ct_dtype_name(all[d]),
                          set[s]->name);
            }
        }
}

TEST(choices)
{
    static array x, y, z, want;
    static bool pred[COUNT];
    const ct__arrays *set[3];
    const size_t sets = list_sets(set);
    fill(CT_BOOL, 7, &x);
    memcpy(pred, &x, sizeof pred);
    fill(CT_C128, 8, &x);
    fill(CT_C128, 9, &y);
    for (size_t s = 0; s < sets; s++)
        for (size_t bytes = 1; bytes <= 16; bytes *= 2) {
            CHECK(set[s]->plain->select(COUNT, bytes, pred, &z, &x, &y));
            ct__reference_numerics.select(COUNT, bytes, pred, &want, &x, &y);
            CHECK_MSG(memcmp(&z, &want, COUNT * bytes) == 0, "%zu bytes: %s", bytes, set[s]->name);
        }
}

TEST(finite_numbers)
{
    static array x;
    static bool y[COUNT], want[COUNT];
    const ct__arrays *set[3];
    const size_t sets = list_sets(set);
    for (size_t s = 0; s < sets; s++)
        for (size_t d = ALL - 4; d < ALL; d++) {
            fill(all[d], 10, &x);
            const double special[] = {INFINITY, -INFINITY, NAN, 0, -0.0, 1e30};
            ct__reference_convert(all[d], CT_F64, 6, &x, special);
            CHECK(set[s]->plain->is_finite(all[d], COUNT, y, &x));
            ct__reference_is_finite(all[d], COUNT, want, &x);
            CHECK_MSG(memcmp(y, want, sizeof y) == 0, "%s: %s", ct_dtype_name(all[d]),
                      set[s]->name);
        }
}

/* ---- Conversions. */

/* Around bounds of integers, halves, and what no integer has. */
static const double edges[] = {
    0.0,         -0.0,    0.5,     -0.5,       1.5,          -1.5,        2.5,        126.9,
    127.0,       127.5,   128.0,   -128.0,     -128.9,       -129.0,      255.0,      255.9,
    256.0,       32767.5, 32768.0, -32769,     65535.5,      65536,       65519,      65520,
    65504,       0x1p31,  -0x1p31, 0x1p31 - 1, 0x1p31 - 0.5, 0x1p32,      0x1p32 - 1, 0x1p32 - 0.5,
    -0x1p31 - 1, 0x1p63,  -0x1p63, 0x1p64,     1e30,         -1e30,       INFINITY,   -INFINITY,
    NAN,         0x1p-24, 0x1p-25, 0x1.8p-25,  0x1p-14,      0x1.ffcp-15, 1e300};
enum { EDGES = sizeof edges / sizeof *edges };

static void check_conversion(ct_dtype to, ct_dtype from)
{
    static array x, y, want;
    const ct__arrays *set[3];
    const size_t sets = list_sets(set);
    fill(from, 11, &x);
    if (ct_dtype_is_float(from))
        ct__reference_convert(from, CT_F64, EDGES, &x, edges);
    ct__reference_convert(to, from, COUNT, &want, &x);
    ct__machine_numerics.convert(to, from, COUNT, &y, &x);
    CHECK_MSG(same(to, COUNT, &y, &want), "%s to %s", ct_dtype_name(from), ct_dtype_name(to));
    for (size_t s = 0; s < sets; s++)
        if (set[s]->plain->convert(to, from, COUNT, &y, &x))
            CHECK_MSG(same(to, COUNT, &y, &want), "%s to %s: %s", ct_dtype_name(from),
                      ct_dtype_name(to), set[s]->name);
}

TEST(conversions)
{
    for (size_t d = 0; d < ALL; d++)
        for (size_t e = 0; e < ALL; e++)
            check_conversion(all[d], all[e]);
}

/* Every f16 and bf16; and numbers of f32 on both sides of where two of them meet. */
TEST(halves)
{
    static const ct_dtype halves[] = {CT_F16, CT_BF16};
    const ct__arrays *set[3];
    const size_t sets = list_sets(set);
    for (uint32_t first = 0; first < 0x10000; first += 2048)
        for (size_t h = 0; h < 2; h++)
            for (size_t s = 0; s < sets; s++) {
                static array x, wide, want;
                for (uint32_t i = 0; i < 2048; i++)
                    x.u16[i] = (uint16_t)(first + i);
                set[s]->plain->convert(CT_F32, halves[h], 2048, &wide, &x);
                ct__reference_convert(CT_F32, halves[h], 2048, &want, &x);
                CHECK(same(CT_F32, 2048, &wide, &want));
                for (uint32_t i = 0; i + 1 < 2048; i++) { /* the middle, or beside it */
                    float middle = wide.f32[i] + (wide.f32[i + 1] - wide.f32[i]) / 2;
                    wide.f32[i] = i % 3 == 0   ? middle
                                  : i % 3 == 1 ? nextafterf(middle, INFINITY)
                                               : nextafterf(middle, -INFINITY);
                }
                set[s]->plain->convert(halves[h], CT_F32, 2048, &x, &wide);
                ct__reference_convert(halves[h], CT_F32, 2048, &want, &wide);
                CHECK(same(halves[h], 2048, &x, &want));
            }
}

/* Operations that f32 has more than twice the digits for are rounded once, as the reference's are;
 * and f32's exact ones. */
TEST(arithmetic_of_halves)
{
    static const ct__op pairs[] = {CT__OP_add,    CT__OP_subtract, CT__OP_multiply,
                                   CT__OP_divide, CT__OP_maximum,  CT__OP_minimum,
                                   CT__OP_scale,  CT__OP_remainder};
    static const ct__op singles[] = {CT__OP_abs,
                                     CT__OP_negate,
                                     CT__OP_sqrt,
                                     CT__OP_sign,
                                     CT__OP_floor,
                                     CT__OP_ceil,
                                     CT__OP_round_nearest_even,
                                     CT__OP_round_nearest_afz};
    static array x, y, z, want;
    for (ct_dtype dtype = CT_F16; dtype <= CT_BF16; dtype++) {
        fill(dtype, 12, &x);
        fill(dtype, 13, &y);
        for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++)
            for (size_t step = 0; step < 2; step++) {
                ct__machine_numerics.binary(pairs[k], dtype, COUNT, &z, &x, 1, &y, step);
                ct__reference_numerics.binary(pairs[k], dtype, COUNT, &want, &x, 1, &y, step);
                CHECK_MSG(same(dtype, COUNT, &z, &want), "%s %s", name_of(pairs[k]),
                          ct_dtype_name(dtype));
            }
        for (size_t k = 0; k < sizeof singles / sizeof *singles; k++) {
            ct__machine_numerics.unary(singles[k], dtype, COUNT, &z, &x);
            ct__reference_numerics.unary(singles[k], dtype, COUNT, &want, &x);
            CHECK_MSG(same(dtype, COUNT, &z, &want), "%s %s", name_of(singles[k]),
                      ct_dtype_name(dtype));
        }
    }
}

/* Up to 32 elements are folded in sequence; more of them in lanes, here of one block. */
TEST(folds_of_halves)
{
    static const ct__op ops[] = {CT__OP_add, CT__OP_multiply, CT__OP_maximum, CT__OP_minimum};
    enum { N = 100, LANES = 32 };
    static array x, y, lane;
    for (ct_dtype dtype = CT_F16; dtype <= CT_BF16; dtype++)
        for (size_t k = 0; k < 4; k++) {
            fill(dtype, 14, &x);
            fill(dtype, 15, &y);
            uint16_t want = y.u16[0];
            memcpy(&lane, &x, LANES * 2);
            for (size_t i = LANES; i < N; i++)
                ct__reference_numerics.fold(ops[k], dtype, 1, &lane.u16[i % LANES], &x.u16[i], 1);
            for (size_t half = LANES / 2; half > 0; half /= 2)
                for (size_t l = 0; l < half; l++)
                    ct__reference_numerics.fold(ops[k], dtype, 1, &lane.u16[l], &lane.u16[l + half],
                                                1);
            ct__reference_numerics.fold(ops[k], dtype, 1, &want, &lane, 1);
            const ct__fold_shape shape = {1, N, 1};
            CHECK(ct__machine_numerics.fold_axis(ops[k], dtype, &shape, &y, &x));
            lane.u16[0] = want;
            CHECK_MSG(same(dtype, 1, &y, &lane), "%s %s", name_of(ops[k]), ct_dtype_name(dtype));
        }
}

/* ---- Complex numbers: quotients are the reference's; the rest is computed in f64, rounded once.
 */

static bool near(float x, double exact)
{
    const float rounded = (float)exact;
    return x == rounded || (x != x && exact != exact) || nextafterf(x, rounded) == rounded;
}

TEST(complex_numbers)
{
    static array x, y, z, want;
    for (ct_dtype dtype = CT_C64; dtype <= CT_C128; dtype++)
        for (int kind = 0; kind < 2; kind++) { /* any bits, and moderate numbers */
            const ct_dtype part = dtype == CT_C64 ? CT_F32 : CT_F64;
            static double numbers[2][COUNT * 2];
            for (size_t i = 0; i < 2 * (size_t)COUNT; i++) {
                numbers[0][i] = i % 9 == 0 ? 0 : sin((double)i) * 3;
                numbers[1][i] = i % 7 == 0 ? 0 : cos((double)i * 1.7) * 5;
            }
            fill(dtype, 16, &x);
            fill(dtype, 17, &y);
            if (kind == 1) {
                ct__reference_convert(part, CT_F64, 2 * (size_t)COUNT, &x, numbers[0]);
                ct__reference_convert(part, CT_F64, 2 * (size_t)COUNT, &y, numbers[1]);
            }
            for (size_t step = 0; step < 2; step++) {
                ct__machine_numerics.binary(CT__OP_divide, dtype, COUNT, &z, &x, 1, &y, step);
                ct__reference_numerics.binary(CT__OP_divide, dtype, COUNT, &want, &x, 1, &y, step);
                CHECK_MSG(same(part, 2 * (size_t)COUNT, &z, &want), "divide %s",
                          ct_dtype_name(dtype));
            }
            if (dtype != CT_C64)
                continue;
            ct__machine_numerics.unary(CT__OP_abs, dtype, COUNT, &z, &x);
            for (size_t i = 0; i < COUNT; i++)
                CHECK(near(z.f32[i], hypot((double)x.f32[2 * i], (double)x.f32[2 * i + 1])));
            ct__machine_numerics.unary(CT__OP_exponential, dtype, COUNT, &z, &x);
            ct__reference_numerics.unary(CT__OP_exponential, dtype, COUNT, &want, &x);
            for (size_t i = 0; i < 2 * (size_t)COUNT; i++)
                CHECK(near(z.f32[i], (double)want.f32[i]));
        }
}
