/* The reference numerics: steps and folds, comparisons, products, complex numbers. */
#include "exec/interpret/interpret.h"
#include "tests/check.h"
#include "tests/exact.h"

#include <cotangent/op.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const ct__numerics *const numerics = &ct__reference_numerics;

/* ---- Steps and folds. */

TEST(an_operand_that_does_not_advance)
{
    enum { N = 5000 };
    static float x[N], z[N];
    float y = 3;

    for (int i = 0; i < N; i++)
        x[i] = (float)i;
    numerics->binary(CT__OP_subtract, CT_F32, N, z, x, 1, &y, 0);
    for (int i = 0; i < N; i++)
        CHECK(z[i] == (float)i - 3);
    numerics->binary(CT__OP_subtract, CT_F32, N, z, &y, 0, x, 1);
    for (int i = 0; i < N; i++)
        CHECK(z[i] == 3 - (float)i);
    numerics->binary(CT__OP_subtract, CT_F32, N, z, &y, 0, x, 0);
    CHECK(z[0] == 3 && z[N - 1] == 3);
    numerics->binary(CT__OP_add, CT_F32, N, x, x, 1, x, 1); /* in place */
    for (int i = 0; i < N; i++)
        CHECK(x[i] == 2 * (float)i);
    numerics->binary(CT__OP_add, CT_F32, 0, z, &y, 0, &y, 0);
    CHECK(z[0] == 3);
}

TEST(folds_go_left_to_right_in_the_element_type)
{
    const float x[] = {1e8f, 1, -1e8f, 1};
    float sum = 0, strided = 0;
    const int8_t small[] = {100, 100, 3};
    int8_t wrapped = 0, product = 1;

    numerics->fold(CT__OP_add, CT_F32, 4, &sum, x, 1);
    CHECK(sum == 1); /* ((1e8 + 1) - 1e8) + 1: the first 1 is lost */
    numerics->fold(CT__OP_add, CT_F32, 2, &strided, x, 2);
    CHECK(strided == 0);
    numerics->fold(CT__OP_add, CT_I8, 3, &wrapped, small, 1);
    CHECK(wrapped == 203 - 256);
    numerics->fold(CT__OP_multiply, CT_I8, 3, &product, small, 1);
    CHECK(product == (int8_t)(30000 % 256));

    uint16_t accumulator, ones[4096];
    exact_put(CT_F16, &accumulator, 0);
    exact_put(CT_F16, &ones[0], 1);
    for (int i = 1; i < 4096; i++)
        ones[i] = ones[0];
    numerics->fold(CT__OP_add, CT_F16, 4096, &accumulator, ones, 1);
    CHECK(exact_take(CT_F16, &accumulator) == 2048); /* 2048 + 1 rounds back */
    bool any = false, bools[] = {false, false, true};
    numerics->fold(CT__OP_or, CT_BOOL, 3, &any, bools, 1);
    CHECK(any);
    numerics->fold(CT__OP_or, CT_BOOL, 0, &any, bools, 1);
    CHECK(any);
}

TEST(folds_of_every_operation_are_repeated_operations)
{
    static const ct__op ops[] = {CT__OP_add,     CT__OP_multiply, CT__OP_maximum,
                                 CT__OP_minimum, CT__OP_subtract, CT__OP_divide};
    for (int t = 0; t < 4; t++)
        for (int k = 0; k < 6; k++) {
            double edge[EXACT_EDGES];
            uint64_t x[EXACT_EDGES], folded, stepped;
            size_t bytes = ct_dtype_bytes(exact_floats[t]);
            exact_float_edge_values(exact_floats[t], edge);
            exact_put(exact_floats[t], &folded, 2);
            stepped = folded;
            for (int i = 0; i < EXACT_EDGES; i++)
                exact_put(exact_floats[t], (unsigned char *)x + (size_t)i * bytes, edge[i]);
            numerics->fold(ops[k], exact_floats[t], 9, &folded, (unsigned char *)x + bytes, 3);
            for (size_t i = 0; i < 9; i++)
                numerics->binary(ops[k], exact_floats[t], 1, &stepped, &stepped, 1,
                                 (unsigned char *)x + (1 + 3 * i) * bytes, 1);
            CHECK(exact_same(exact_take(exact_floats[t], &folded),
                             exact_take(exact_floats[t], &stepped)));
        }
}

/* ---- Comparing. */

static bool holds(int direction, int order)
{
    switch (direction) {
    case CT_EQ: return order == 0;
    case CT_NE: return order != 0;
    case CT_GE: return order >= 0;
    case CT_GT: return order > 0;
    case CT_LE: return order <= 0;
    default: return order < 0;
    }
}

TEST(compare_floats)
{
    for (int t = 0; t < 4; t++) {
        double edge[EXACT_EDGES];
        exact_float_edge_values(exact_floats[t], edge);
        for (int direction = CT_EQ; direction <= CT_LT; direction++)
            for (int i = 0; i < EXACT_EDGES; i++)
                for (int j = 0; j < EXACT_EDGES; j++) {
                    uint64_t x, y;
                    bool z, nan = isnan(edge[i]) || isnan(edge[j]);
                    exact_put(exact_floats[t], &x, edge[i]);
                    exact_put(exact_floats[t], &y, edge[j]);
                    numerics->compare(direction, CT_COMPARE_DEFAULT, exact_floats[t], 1, &z, &x,
                                      &y);
                    int order = edge[i] < edge[j] ? -1 : edge[i] > edge[j];
                    CHECK(z == (nan ? direction == CT_NE : holds(direction, order)));
                }
    }
}

/* Listed in their order; both NaN signs. */
TEST(compare_total_order)
{
    for (int t = 0; t < 4; t++) {
        size_t bytes = ct_dtype_bytes(exact_floats[t]);
        const double list[] = {-(double)NAN,     -(double)INFINITY, -2, -1, -0.0, 0, 0.5, 2,
                               (double)INFINITY, (double)NAN};
        unsigned char x[10][8] = {{0}};
        for (int i = 0; i < 10; i++) {
            exact_put(exact_floats[t], x[i], list[i]);
            x[i][bytes - 1] = (unsigned char)((x[i][bytes - 1] & 0x7f) | (i < 5 ? 0x80 : 0));
        }
        for (int direction = CT_EQ; direction <= CT_LT; direction++)
            for (int i = 0; i < 10; i++)
                for (int j = 0; j < 10; j++) {
                    bool z;
                    numerics->compare(direction, CT_COMPARE_TOTALORDER, exact_floats[t], 1, &z,
                                      x[i], x[j]);
                    CHECK(z == holds(direction, i < j ? -1 : i > j));
                }
    }
}

TEST(compare_integers)
{
    for (int k = 0; k < EXACT_INTEGERS; k++) {
        const exact_integer *t = &exact_integers[k];
        const exact_wide edges[] = {exact_smallest(t),    exact_smallest(t) + 1, 0, 1,
                                    exact_largest(t) - 1, exact_largest(t)};
        for (int direction = CT_EQ; direction <= CT_LT; direction++)
            for (int i = 0; i < 6; i++)
                for (int j = 0; j < 6; j++) {
                    uint64_t x, y;
                    bool z;
                    exact_put_integer(t, &x, edges[i]);
                    exact_put_integer(t, &y, edges[j]);
                    numerics->compare(direction, CT_COMPARE_DEFAULT, t->dtype, 1, &z, &x, &y);
                    int order = edges[i] < edges[j] ? -1 : edges[i] > edges[j];
                    CHECK(z == holds(direction, order));
                }
    }
}

TEST(compare_complex)
{
    const float x[] = {1, 2, 1, 2, NAN, 0}, y[] = {1, 2, 1, 3, NAN, 0};
    bool equal[3], unequal[3];

    numerics->compare(CT_EQ, CT_COMPARE_DEFAULT, CT_C64, 3, equal, x, y);
    numerics->compare(CT_NE, CT_COMPARE_DEFAULT, CT_C64, 3, unequal, x, y);
    CHECK(equal[0] && !equal[1] && !equal[2]);
    CHECK(!unequal[0] && unequal[1] && unequal[2]);
}

TEST(is_finite)
{
    for (int t = 0; t < 4; t++) {
        double edge[EXACT_EDGES];
        exact_float_edge_values(exact_floats[t], edge);
        for (int i = 0; i < EXACT_EDGES; i++) {
            uint64_t x;
            bool y;
            exact_put(exact_floats[t], &x, edge[i]);
            numerics->is_finite(exact_floats[t], 1, &y, &x);
            CHECK(y == (isfinite(edge[i]) != 0));
        }
    }
}

/* ---- Products. */

static void fill_random(ct_dtype dtype, size_t n, void *x)
{
    double parts[2] = {0, 0};

    for (size_t i = 0; i < n; i++) {
        size_t bytes = ct_dtype_bytes(dtype);
        unsigned char *element = (unsigned char *)x + i * bytes;
        parts[0] = (double)(rand() % 2001 - 1000) / 64;
        parts[1] = (double)(rand() % 2001 - 1000) / 64;
        if (dtype == CT_C64 || dtype == CT_C128)
            numerics->convert(dtype, CT_C128, 1, element, parts);
        else if (dtype == CT_BOOL)
            *element = rand() % 4 == 0;
        else if (ct_dtype_is_float(dtype)) {
            parts[0] = (double)rand() / 3e8 - 3;
            numerics->convert(dtype, CT_F64, 1, element, parts);
        } else
            for (size_t k = 0; k < bytes; k++)
                element[k] = (unsigned char)(rand() >> 7);
    }
}

/* One output after another, each product and sum an operation of the dtype. */
static void multiply_slowly(ct_dtype dtype, size_t m, size_t n, size_t k, void *c, const void *a,
                            const void *b)
{
    size_t bytes = ct_dtype_bytes(dtype);

    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < n; j++) {
            uint64_t sum[2] = {0, 0}, product[2];
            for (size_t p = 0; p < k; p++) {
                numerics->binary(CT__OP_multiply, dtype, 1, product,
                                 (const unsigned char *)a + (i * k + p) * bytes, 1,
                                 (const unsigned char *)b + (p * n + j) * bytes, 1);
                numerics->binary(CT__OP_add, dtype, 1, sum, sum, 1, product, 1);
            }
            memcpy((unsigned char *)c + (i * n + j) * bytes, sum, bytes);
        }
}

TEST(dot_in_order_without_fma)
{
    static const ct_dtype dtypes[] = {CT_BOOL, CT_I8,  CT_I16, CT_I32, CT_I64, CT_U8,
                                      CT_U16,  CT_U32, CT_U64, CT_F32, CT_F64, CT_C64,
                                      CT_C128, CT_I2,  CT_I4,  CT_U2,  CT_U4};
    static const size_t shapes[][3] = {
        {0, 3, 2},   {2, 0, 3},    {2, 3, 0},  {1, 1, 1},    {1, 7, 5},   {9, 1, 5},   {17, 1, 3},
        {2, 2, 129}, {3, 17, 131}, {5, 33, 7}, {1, 40, 300}, {8, 1, 300}, {4, 16, 128}};
    static unsigned char a[300 * 40 * 16], b[300 * 40 * 16], c[8 * 1024], d[8 * 1024];

    for (size_t t = 0; t < sizeof dtypes / sizeof *dtypes; t++)
        for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
            size_t m = shapes[s][0], n = shapes[s][1], k = shapes[s][2];
            fill_random(dtypes[t], m * k, a);
            fill_random(dtypes[t], k * n, b);
            memset(c, 0xee, sizeof c);
            memset(d, 0xee, sizeof d);
            numerics->dot(dtypes[t], m, n, k, c, a, b);
            multiply_slowly(dtypes[t], m, n, k, d, a, b);
            CHECK_MSG(memcmp(c, d, sizeof c) == 0, "%s [%zu,%zu,%zu]", ct_dtype_name(dtypes[t]), m,
                      n, k);
        }
}

TEST(dot_rounds_products_first)
{
    /* (1 + 2^-12)² = 1 + 2^-11 + 2^-24: the last bit is lost by rounding, a fused sum would keep
     * it. */
    const float a[] = {1, 1 + 0x1p-12f}, b[] = {-1, 1 + 0x1p-12f};
    float c;

    numerics->dot(CT_F32, 1, 1, 2, &c, a, b);
    CHECK(c == 0x1p-11f);
}

/* ---- Complex numbers. */

TEST(complex_arithmetic)
{
    const float x[] = {1, 2, 3, -4}, y[] = {5, -6, 0, 2};
    float z[4], magnitude[2];
    double one_step[2];

    numerics->binary(CT__OP_multiply, CT_C64, 2, z, x, 1, y, 1);
    CHECK(z[0] == 17 && z[1] == 4 && z[2] == 8 && z[3] == 6);
    numerics->binary(CT__OP_subtract, CT_C64, 2, z, x, 1, y, 1);
    CHECK(z[0] == -4 && z[1] == 8 && z[2] == 3 && z[3] == -6);
    numerics->binary(CT__OP_divide, CT_C64, 1, z, (const float[]){17, 4}, 1, y, 1);
    CHECK(z[0] == 1 && z[1] == 2);
    numerics->unary(CT__OP_abs, CT_C64, 2, magnitude, (const float[]){3, -4, 3e38f, 4e37f});
    CHECK(magnitude[0] == 5 && isfinite(magnitude[1]));
    numerics->unary(CT__OP_exponential, CT_C128, 1, one_step, (const double[]){0, 0});
    CHECK(one_step[0] == 1 && one_step[1] == 0);
    numerics->unary(CT__OP_log_plus_one, CT_C128, 1, one_step, (const double[]){1e-20, 0});
    CHECK(one_step[0] == 1e-20);
    numerics->unary(CT__OP_exponential_minus_one, CT_C128, 1, one_step,
                    (const double[]){1e-20, 1e-20});
    CHECK(one_step[0] == 1e-20 && one_step[1] == 1e-20);
    numerics->unary(CT__OP_sign, CT_C64, 2, z, (const float[]){0, 0, -3, 4});
    CHECK(z[0] == 0 && z[1] == 0 && z[2] == -0.6f && z[3] == 0.8f);
    numerics->binary(CT__OP_power, CT_C128, 1, one_step, (const double[]){0, 0}, 1,
                     (const double[]){0, 0}, 1);
    CHECK(one_step[0] == 1 && one_step[1] == 0);
    numerics->binary(CT__OP_maximum, CT_C64, 1, z, (const float[]){1, 2}, 1, (const float[]){1, 3},
                     1);
    CHECK(z[0] == 1 && z[1] == 3);
}
