/* The reference numerics of integers and bool, against arithmetic in 128 bits. */
#include "exec/interpret/interpret.h"
#include "tests/check.h"
#include "tests/exact.h"

#include <cotangent/op.h>

#include <string.h>

static const ct__numerics *const numerics = &ct__reference_numerics;

static exact_wide power_of(const exact_integer *t, exact_wide x, exact_wide y)
{
    if (y < 0)
        return x == 1 ? 1 : x == -1 ? (y % 2 == 0 ? 1 : -1) : 0;
    exact_wide product = 1;
    for (exact_wide bit = (exact_wide)1 << 64; bit > 0;
         bit /= 2) { /* from the highest bit, by squaring */
        product = exact_wrap(t, exact_times(product, product));
        if (y / bit % 2 == 1)
            product = exact_wrap(t, exact_times(product, x));
    }
    return product;
}

static exact_wide shifted_right(const exact_integer *t, exact_wide x, exact_wide amount, bool fill)
{
    exact_wide modulus = (exact_wide)1 << t->bits, bits = ((x % modulus) + modulus) % modulus;
    for (exact_wide i = 0; i < amount && i < t->bits; i++)
        bits = bits / 2 + (fill && bits >= modulus / 2 ? modulus / 2 : 0);
    return exact_wrap(t, bits);
}

static exact_wide expect_binary(const exact_integer *t, ct__op op, exact_wide x, exact_wide y)
{
    exact_wide modulus = (exact_wide)1 << t->bits, amount = ((y % modulus) + modulus) % modulus;
    uint64_t ux = (uint64_t)x, uy = (uint64_t)y;

    switch ((int)op) {
    case CT__OP_add: return exact_wrap(t, x + y);
    case CT__OP_subtract: return exact_wrap(t, x - y);
    case CT__OP_multiply: return exact_wrap(t, exact_times(x, y));
    case CT__OP_divide: return y == 0 ? exact_wrap(t, -1) : exact_wrap(t, x / y);
    case CT__OP_remainder: return y == 0 ? x : x % y;
    case CT__OP_maximum: return x > y ? x : y;
    case CT__OP_minimum: return x > y ? y : x;
    case CT__OP_and: return exact_wrap(t, (exact_wide)(ux & uy));
    case CT__OP_or: return exact_wrap(t, (exact_wide)(ux | uy));
    case CT__OP_xor: return exact_wrap(t, (exact_wide)(ux ^ uy));
    case CT__OP_power: return power_of(t, x, y);
    case CT__OP_shift_left:
        for (exact_wide i = 0; i < amount && i < t->bits; i++)
            x = exact_wrap(t, 2 * x);
        return amount >= t->bits ? 0 : x;
    case CT__OP_shift_right_logical: return shifted_right(t, x, amount, false);
    default: return shifted_right(t, x, amount, true);
    }
}

static const ct__op integer_binaries[] = {CT__OP_add,
                                          CT__OP_subtract,
                                          CT__OP_multiply,
                                          CT__OP_divide,
                                          CT__OP_remainder,
                                          CT__OP_maximum,
                                          CT__OP_minimum,
                                          CT__OP_and,
                                          CT__OP_or,
                                          CT__OP_xor,
                                          CT__OP_power,
                                          CT__OP_shift_left,
                                          CT__OP_shift_right_logical,
                                          CT__OP_shift_right_arithmetic};
enum { INTEGER_BINARIES = sizeof integer_binaries / sizeof *integer_binaries };

static void check_integer_pair(const exact_integer *t, ct__op op, exact_wide x, exact_wide y)
{
    uint64_t a, b, z;

    exact_put_integer(t, &a, x);
    exact_put_integer(t, &b, y);
    numerics->binary(op, t->dtype, 1, &z, &a, 1, &b, 1);
    exact_wide expected = expect_binary(t, op, x, y), found = exact_take_integer(t, &z);
    CHECK_MSG(expected == found, "%s %s: %lld, %lld gave %lld instead of %lld",
              ct_dtype_name(t->dtype), ct__op_describe(op)->name, (long long)x, (long long)y,
              (long long)found, (long long)expected);
}

TEST(integers_of_8_bits_and_less_all_pairs)
{
    for (int i = 0; i < EXACT_INTEGERS; i++) {
        const exact_integer *t = &exact_integers[i];
        for (int k = 0; k < INTEGER_BINARIES && t->bits <= 8; k++)
            for (exact_wide x = exact_smallest(t); x <= exact_largest(t); x++)
                for (exact_wide y = exact_smallest(t); y <= exact_largest(t); y++)
                    check_integer_pair(t, integer_binaries[k], x, y);
    }
}

TEST(integers_of_all_widths_at_their_edges)
{
    for (int i = 0; i < EXACT_INTEGERS; i++) {
        const exact_integer *t = &exact_integers[i];
        const exact_wide edges[] = {0,
                                    1,
                                    2,
                                    3,
                                    7,
                                    31,
                                    32,
                                    63,
                                    64,
                                    -1,
                                    -2,
                                    -3,
                                    -64,
                                    1000003,
                                    exact_smallest(t),
                                    exact_smallest(t) + 1,
                                    exact_largest(t),
                                    exact_largest(t) - 1,
                                    exact_largest(t) / 2,
                                    exact_largest(t) / 3,
                                    exact_smallest(t) / 2,
                                    (exact_wide)0x123456789abcdef};
        size_t n = sizeof edges / sizeof *edges;
        for (int k = 0; k < INTEGER_BINARIES; k++)
            for (size_t a = 0; a < n; a++)
                for (size_t b = 0; b < n; b++)
                    check_integer_pair(t, integer_binaries[k], exact_wrap(t, edges[a]),
                                       exact_wrap(t, edges[b]));
    }
}

static exact_wide expect_unary(const exact_integer *t, ct__op op, exact_wide x)
{
    exact_wide modulus = (exact_wide)1 << t->bits, bits = ((x % modulus) + modulus) % modulus,
               ones = 0;
    exact_wide zeros = t->bits;

    for (exact_wide rest = bits; rest > 0; rest /= 2) {
        ones += rest % 2;
        zeros--;
    }
    switch ((int)op) {
    case CT__OP_abs: return exact_wrap(t, x < 0 ? -x : x);
    case CT__OP_negate: return exact_wrap(t, -x);
    case CT__OP_not: return exact_wrap(t, -1 - x);
    case CT__OP_sign: return x < 0 ? -1 : x > 0;
    case CT__OP_popcnt: return exact_wrap(t, ones);
    default: return exact_wrap(t, zeros);
    }
}

TEST(integers_one_operand)
{
    static const ct__op ops[] = {CT__OP_abs,  CT__OP_negate, CT__OP_not,
                                 CT__OP_sign, CT__OP_popcnt, CT__OP_count_leading_zeros};
    for (int i = 0; i < EXACT_INTEGERS; i++) {
        const exact_integer *t = &exact_integers[i];
        for (int k = 0; k < 6; k++)
            for (int v = -300; v <= 300; v++) {
                exact_wide x = exact_wrap(t, v % 3 == 0 ? exact_smallest(t) + v / 3 : v), y;
                uint64_t a, b;
                exact_put_integer(t, &a, x);
                numerics->unary(ops[k], t->dtype, 1, &b, &a);
                y = exact_take_integer(t, &b);
                CHECK_MSG(y == expect_unary(t, ops[k], x), "%s %s of %lld gave %lld",
                          ct_dtype_name(t->dtype), ct__op_describe(ops[k])->name, (long long)x,
                          (long long)y);
            }
    }
}

TEST(bool_is_or_and_and)
{
    static const unsigned char x[] = {0, 0, 1, 1}, y[] = {0, 1, 0, 1};
    static const struct {
        ct__op op;
        unsigned char z[4];
    } rows[] = {{CT__OP_add, {0, 1, 1, 1}},     {CT__OP_multiply, {0, 0, 0, 1}},
                {CT__OP_maximum, {0, 1, 1, 1}}, {CT__OP_minimum, {0, 0, 0, 1}},
                {CT__OP_or, {0, 1, 1, 1}},      {CT__OP_and, {0, 0, 0, 1}},
                {CT__OP_xor, {0, 1, 1, 0}}};
    unsigned char z[4];
    bool b[4];

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        numerics->binary(rows[i].op, CT_BOOL, 4, z, x, 1, y, 1);
        CHECK_MSG(memcmp(z, rows[i].z, 4) == 0, "%s", ct__op_describe(rows[i].op)->name);
    }
    numerics->unary(CT__OP_not, CT_BOOL, 4, z, x);
    CHECK(z[0] == 1 && z[1] == 1 && z[2] == 0 && z[3] == 0);
    numerics->compare(CT_LT, CT_COMPARE_DEFAULT, CT_BOOL, 4, b, x, y);
    CHECK(!b[0] && b[1] && !b[2] && !b[3]);
}
