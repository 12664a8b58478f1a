/* The reference numerics, against implementations that share nothing with it: integers in 128 bits,
 * f16 and bf16 as a sorted list of their values, rounding by search; and tables worked by hand. */
#include "exec/interpret/interpret.h"
#include "tests/check.h"

#include <cotangent/op.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const ct__numerics *const numerics = &ct__reference_numerics;

/* ---- Integers. */

__extension__ typedef __int128 wide;

typedef struct integer {
    ct_dtype dtype;
    int bits;
    bool is_signed;
} integer;

static const integer integers[] = {{CT_I8, 8, true},    {CT_I16, 16, true}, {CT_I32, 32, true},
                                   {CT_I64, 64, true},  {CT_U8, 8, false},  {CT_U16, 16, false},
                                   {CT_U32, 32, false}, {CT_U64, 64, false}};
enum { INTEGERS = sizeof integers / sizeof *integers };

/* The low bits of x, as the type reads them. */
static wide wrap(const integer *t, wide x)
{
    wide modulus = (wide)1 << t->bits, low = ((x % modulus) + modulus) % modulus;
    return t->is_signed && low >= modulus / 2 ? low - modulus : low;
}

static wide smallest(const integer *t)
{
    return t->is_signed ? -((wide)1 << (t->bits - 1)) : 0;
}

static wide largest(const integer *t)
{
    return ((wide)1 << (t->bits - t->is_signed)) - 1;
}

static void put_integer(const integer *t, void *element, wide x)
{
    uint64_t bits = (uint64_t)x;
    memcpy(element, &bits, (size_t)t->bits / 8); /* little-endian */
}

static wide take_integer(const integer *t, const void *element)
{
    uint64_t bits = 0;
    memcpy(&bits, element, (size_t)t->bits / 8);
    return wrap(t, (wide)bits);
}

static wide power_of(const integer *t, wide x, wide y)
{
    if (y < 0)
        return x == 1 ? 1 : x == -1 ? (y % 2 == 0 ? 1 : -1) : 0;
    wide product = 1;
    for (wide bit = (wide)1 << 64; bit > 0; bit /= 2) { /* from the highest bit, by squaring */
        product = wrap(t, wrap(t, product) * wrap(t, product));
        if (y / bit % 2 == 1)
            product = wrap(t, product * x);
    }
    return product;
}

static wide shifted_right(const integer *t, wide x, wide amount, bool fill)
{
    wide modulus = (wide)1 << t->bits, bits = ((x % modulus) + modulus) % modulus;
    for (wide i = 0; i < amount && i < t->bits; i++)
        bits = bits / 2 + (fill && bits >= modulus / 2 ? modulus / 2 : 0);
    return wrap(t, bits);
}

static wide expect_binary(const integer *t, ct__op op, wide x, wide y)
{
    wide modulus = (wide)1 << t->bits, amount = ((y % modulus) + modulus) % modulus;
    uint64_t ux = (uint64_t)x, uy = (uint64_t)y;

    switch ((int)op) {
    case CT__OP_add: return wrap(t, x + y);
    case CT__OP_subtract: return wrap(t, x - y);
    case CT__OP_multiply: return wrap(t, x * wrap(t, y));
    case CT__OP_divide: return y == 0 ? wrap(t, -1) : wrap(t, x / y);
    case CT__OP_remainder: return y == 0 ? x : x % y;
    case CT__OP_maximum: return x > y ? x : y;
    case CT__OP_minimum: return x > y ? y : x;
    case CT__OP_and: return wrap(t, (wide)(ux & uy));
    case CT__OP_or: return wrap(t, (wide)(ux | uy));
    case CT__OP_xor: return wrap(t, (wide)(ux ^ uy));
    case CT__OP_power: return power_of(t, x, y);
    case CT__OP_shift_left:
        for (wide i = 0; i < amount && i < t->bits; i++)
            x = wrap(t, 2 * x);
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

static void check_integer_pair(const integer *t, ct__op op, wide x, wide y)
{
    uint64_t a, b, z;

    put_integer(t, &a, x);
    put_integer(t, &b, y);
    numerics->binary(op, t->dtype, 1, &z, &a, 1, &b, 1);
    wide expected = expect_binary(t, op, x, y), found = take_integer(t, &z);
    CHECK_MSG(expected == found, "%s %s: %lld, %lld gave %lld instead of %lld",
              ct_dtype_name(t->dtype), ct__op_describe(op)->name, (long long)x, (long long)y,
              (long long)found, (long long)expected);
}

TEST(integers_of_8_bits_all_pairs)
{
    for (int i = 0; i < INTEGERS; i++) {
        const integer *t = &integers[i];
        for (int k = 0; k < INTEGER_BINARIES && t->bits == 8; k++)
            for (wide x = smallest(t); x <= largest(t); x++)
                for (wide y = smallest(t); y <= largest(t); y++)
                    check_integer_pair(t, integer_binaries[k], x, y);
    }
}

TEST(integers_of_all_widths_at_their_edges)
{
    for (int i = 0; i < INTEGERS; i++) {
        const integer *t = &integers[i];
        const wide edges[] = {0,
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
                              smallest(t),
                              smallest(t) + 1,
                              largest(t),
                              largest(t) - 1,
                              largest(t) / 2,
                              largest(t) / 3,
                              smallest(t) / 2,
                              (wide)0x123456789abcdef};
        size_t n = sizeof edges / sizeof *edges;
        for (int k = 0; k < INTEGER_BINARIES; k++)
            for (size_t a = 0; a < n; a++)
                for (size_t b = 0; b < n; b++)
                    check_integer_pair(t, integer_binaries[k], wrap(t, edges[a]),
                                       wrap(t, edges[b]));
    }
}

static wide expect_unary(const integer *t, ct__op op, wide x)
{
    wide modulus = (wide)1 << t->bits, bits = ((x % modulus) + modulus) % modulus, ones = 0;
    wide zeros = t->bits;

    for (wide rest = bits; rest > 0; rest /= 2) {
        ones += rest % 2;
        zeros--;
    }
    switch ((int)op) {
    case CT__OP_abs: return wrap(t, x < 0 ? -x : x);
    case CT__OP_negate: return wrap(t, -x);
    case CT__OP_not: return wrap(t, -1 - x);
    case CT__OP_sign: return x < 0 ? -1 : x > 0;
    case CT__OP_popcnt: return ones;
    default: return zeros;
    }
}

TEST(integers_one_operand)
{
    static const ct__op ops[] = {CT__OP_abs,  CT__OP_negate, CT__OP_not,
                                 CT__OP_sign, CT__OP_popcnt, CT__OP_count_leading_zeros};
    for (int i = 0; i < INTEGERS; i++) {
        const integer *t = &integers[i];
        for (int k = 0; k < 6; k++)
            for (int v = -300; v <= 300; v++) {
                wide x = wrap(t, v % 3 == 0 ? smallest(t) + v / 3 : v), y;
                uint64_t a, b;
                put_integer(t, &a, x);
                numerics->unary(ops[k], t->dtype, 1, &b, &a);
                y = take_integer(t, &b);
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

/* ---- Floats of 16 bits: every value, by the definition of the format. */

typedef struct format {
    ct_dtype dtype;
    int digits, least; /* significant bits; exponent of the smallest subnormal */
    double *value;     /* of every pattern of bits */
} format;

static double f16_values[1 << 16], bf16_values[1 << 16];
static const format f16 = {CT_F16, 11, -24, f16_values};
static const format bf16 = {CT_BF16, 8, -133, bf16_values};

static double value_of(const format *f, uint16_t bits)
{
    int fraction_bits = f->digits - 1, exponent_bits = 15 - fraction_bits;
    int fraction = bits & ((1 << fraction_bits) - 1);
    int exponent = bits >> fraction_bits & ((1 << exponent_bits) - 1);
    double sign = bits >> 15 ? -1 : 1;

    if (exponent == (1 << exponent_bits) - 1)
        return fraction ? (double)NAN : sign * (double)INFINITY;
    if (exponent == 0)
        return sign * ldexp(fraction, f->least);
    return sign * ldexp(fraction + (1 << fraction_bits), f->least + exponent - 1);
}

__attribute__((constructor)) static void fill_formats(void)
{
    for (int bits = 0; bits < 1 << 16; bits++) {
        f16.value[bits] = value_of(&f16, (uint16_t)bits);
        bf16.value[bits] = value_of(&bf16, (uint16_t)bits);
    }
}

static double decode(const format *f, uint16_t bits)
{
    return f->value[bits];
}

/* The nearest value of the format, ties to even: among magnitudes 0 … largest, by their bits. */
static double round_to(const format *f, long double x)
{
    if (x != x)
        return (double)NAN;
    long double magnitude = fabsl(x);
    int low = 0, high = (1 << 15) - (1 << (f->digits - 1)); /* high: infinity */
    while (high - low > 1) {
        int middle = (low + high) / 2;
        if (decode(f, (uint16_t)middle) <= (double)INFINITY &&
            (long double)decode(f, (uint16_t)middle) <= magnitude)
            low = middle;
        else
            high = middle;
    }
    long double below = decode(f, (uint16_t)low);
    long double above = ldexpl(1,
                               f->least); /* the step after the largest is as large as before it */
    if (decode(f, (uint16_t)high) == (double)INFINITY)
        above = below + (below - decode(f, (uint16_t)(low - 1)));
    else
        above = decode(f, (uint16_t)high);
    int up = magnitude - below > above - magnitude ||
             (magnitude - below == above - magnitude && low % 2 == 1);
    if (magnitude == (long double)INFINITY)
        up = 1;
    double rounded = decode(f, (uint16_t)(up ? low + 1 : low));
    return signbit(x) ? -rounded : rounded;
}

static bool same(double x, double y)
{
    return (isnan(x) && isnan(y)) || (x == y && signbit(x) == signbit(y));
}

static double take(ct_dtype dtype, const void *element)
{
    uint16_t bits;
    float f;
    double d;

    switch ((int)dtype) {
    case CT_F32: memcpy(&f, element, sizeof f); return (double)f;
    case CT_F64: memcpy(&d, element, sizeof d); return d;
    default:
        memcpy(&bits, element, sizeof bits);
        return decode(dtype == CT_F16 ? &f16 : &bf16, bits);
    }
}

/* The value must be one of the dtype's. */
static void put(ct_dtype dtype, void *element, double x)
{
    float f = (float)x;

    if (dtype == CT_F64)
        memcpy(element, &x, sizeof x);
    else if (dtype == CT_F32)
        memcpy(element, &f, sizeof f);
    else
        for (int bits = 0; bits < 1 << 16; bits++) {
            uint16_t b = (uint16_t)bits;
            if (same(decode(dtype == CT_F16 ? &f16 : &bf16, b), x)) {
                memcpy(element, &b, sizeof b);
                return;
            }
        }
}

static double round_in(ct_dtype dtype, long double x)
{
    return dtype == CT_F64   ? (double)x
           : dtype == CT_F32 ? (double)(float)x
                             : round_to(dtype == CT_F16 ? &f16 : &bf16, x);
}

/* x as the C library's f64 function gives it. */
static double elementary(ct__op op, double x)
{
    switch ((int)op) {
    case CT__OP_cbrt: return cbrt(x);
    case CT__OP_cosine: return cos(x);
    case CT__OP_exponential: return exp(x);
    case CT__OP_exponential_minus_one: return expm1(x);
    case CT__OP_log: return log(x);
    case CT__OP_log_plus_one: return log1p(x);
    case CT__OP_rsqrt: return 1 / sqrt(x);
    case CT__OP_sine: return sin(x);
    case CT__OP_sqrt: return sqrt(x);
    case CT__OP_tan: return tan(x);
    case CT__OP_tanh: return tanh(x);
    case CT__OP_abs: return fabs(x);
    case CT__OP_negate: return -x;
    case CT__OP_ceil: return ceil(x);
    case CT__OP_floor: return floor(x);
    case CT__OP_round_nearest_afz: return signbit(x) ? -floor(0.5 - x) : floor(x + 0.5);
    case CT__OP_round_nearest_even: return nearbyint(x);
    default: return isnan(x) || x == 0 ? x : x > 0 ? 1 : -1;
    }
}

static const ct__op float_unaries[] = {CT__OP_cbrt,
                                       CT__OP_cosine,
                                       CT__OP_exponential,
                                       CT__OP_exponential_minus_one,
                                       CT__OP_log,
                                       CT__OP_log_plus_one,
                                       CT__OP_rsqrt,
                                       CT__OP_sine,
                                       CT__OP_sqrt,
                                       CT__OP_tan,
                                       CT__OP_tanh,
                                       CT__OP_abs,
                                       CT__OP_negate,
                                       CT__OP_ceil,
                                       CT__OP_floor,
                                       CT__OP_round_nearest_afz,
                                       CT__OP_round_nearest_even,
                                       CT__OP_sign};
enum { FLOAT_UNARIES = sizeof float_unaries / sizeof *float_unaries };

static void check_half_unary(const format *f, ct__op op)
{
    static uint16_t x[1 << 16], y[1 << 16];

    for (int i = 0; i < 1 << 16; i++)
        x[i] = (uint16_t)i;
    numerics->unary(op, f->dtype, 1 << 16, y, x);
    for (int i = 0; i < 1 << 16; i++) {
        double v = decode(f, x[i]), expected = round_to(f, (long double)elementary(op, v));
        CHECK_MSG(same(decode(f, y[i]), expected), "%s %s of %a gave %a instead of %a",
                  ct_dtype_name(f->dtype), ct__op_describe(op)->name, v, decode(f, y[i]), expected);
    }
}

TEST(f16_every_value)
{
    for (int k = 0; k < FLOAT_UNARIES; k++)
        check_half_unary(&f16, float_unaries[k]);
}

TEST(bf16_every_value)
{
    for (int k = 0; k < FLOAT_UNARIES; k++)
        check_half_unary(&bf16, float_unaries[k]);
}

TEST(logistic_rounds_each_step)
{
    for (int i = 0; i < 1 << 16; i++) {
        uint16_t x = (uint16_t)i, y;
        numerics->unary(CT__OP_logistic, CT_F16, 1, &y, &x);
        double power = round_to(&f16, (long double)exp(-decode(&f16, x)));
        double sum = round_to(&f16, (long double)power + 1);
        double expected = round_to(&f16, (long double)(1 / sum));
        CHECK_MSG(same(decode(&f16, y), expected), "logistic(%a) = %a", decode(&f16, x),
                  decode(&f16, y));
    }
    for (int i = -2000; i < 2000; i++) {
        float x = (float)i / 16, y;
        numerics->unary(CT__OP_logistic, CT_F32, 1, &y, &x);
        float power = (float)exp(-(double)x), sum = 1 + power;
        CHECK(y == 1 / sum);
    }
}

TEST(f32_elementary_functions_round_once)
{
    for (int k = 0; k < FLOAT_UNARIES; k++)
        for (uint32_t i = 0; i < 200000; i++) {
            uint32_t bits = i * 21701u; /* spread over all exponents */
            float x, y, expected;
            memcpy(&x, &bits, sizeof x);
            numerics->unary(float_unaries[k], CT_F32, 1, &y, &x);
            expected = (float)elementary(float_unaries[k], (double)x);
            if (float_unaries[k] == CT__OP_round_nearest_afz)
                expected = roundf(x);
            CHECK_MSG(same((double)y, (double)expected), "%s of %a gave %a instead of %a",
                      ct__op_describe(float_unaries[k])->name, (double)x, (double)y,
                      (double)expected);
        }
}

/* ---- Two operands: a set of edges, squared. */

static const double float_edges[] = {
    0,       -0.0,     1,        -1,       0.5,      -0.5,           1.5,    -2.5,  3,      7,
    -8,      0.1,      1.0 / 3,  100,      -1000,    60000,          -65504, 1e30,  -1e-30, 0x1p-14,
    0x1p-24, -0x1p-25, 0x1p-126, 0x1p-133, 0x1p-149, 0x1.fffffep127, 2049,   1025.5};
enum { EDGES = sizeof float_edges / sizeof *float_edges + 3 };

static void float_edge_values(ct_dtype dtype, double *x)
{
    size_t n = sizeof float_edges / sizeof *float_edges;

    for (size_t i = 0; i < n; i++)
        x[i] = round_in(dtype, (long double)float_edges[i]);
    x[n] = (double)INFINITY;
    x[n + 1] = -(double)INFINITY;
    x[n + 2] = (double)NAN;
}

static double expect_float(ct_dtype dtype, ct__op op, double x, double y)
{
    bool nan = isnan(x) || isnan(y);

    switch ((int)op) {
    case CT__OP_add: return round_in(dtype, (long double)(x + y));
    case CT__OP_subtract: return round_in(dtype, (long double)(x - y));
    case CT__OP_multiply: return round_in(dtype, (long double)(x * y));
    case CT__OP_divide: return round_in(dtype, (long double)(x / y));
    case CT__OP_maximum:
        return nan      ? (double)NAN
               : x == y ? (signbit(x) && signbit(y) ? x : fabs(x) * (x < 0 ? -1 : 1))
               : x > y  ? x
                        : y;
    case CT__OP_minimum:
        return nan      ? (double)NAN
               : x == y ? (signbit(x) || signbit(y) ? -fabs(x) * (x > 0 ? -1 : 1) : x)
               : x < y  ? x
                        : y;
    case CT__OP_scale:
        return x == 0 || (y == 0 && !isnan(x)) ? 0 : round_in(dtype, (long double)(x * y));
    case CT__OP_remainder: return round_in(dtype, (long double)fmod(x, y));
    case CT__OP_atan2: return round_in(dtype, (long double)atan2(x, y));
    default: return round_in(dtype, (long double)pow(x, y));
    }
}

static const ct__op float_binaries[] = {
    CT__OP_add,     CT__OP_subtract, CT__OP_multiply,  CT__OP_divide, CT__OP_maximum,
    CT__OP_minimum, CT__OP_scale,    CT__OP_remainder, CT__OP_atan2,  CT__OP_power};
static const ct_dtype floats[] = {CT_F16, CT_BF16, CT_F32, CT_F64};

TEST(floats_two_operands)
{
    for (int t = 0; t < 4; t++) {
        double edge[EDGES];
        uint64_t stored[EDGES], z;
        float_edge_values(floats[t], edge);
        for (int i = 0; i < EDGES; i++)
            put(floats[t], &stored[i], edge[i]);
        for (size_t k = 0; k < sizeof float_binaries / sizeof *float_binaries; k++)
            for (int i = 0; i < EDGES; i++)
                for (int j = 0; j < EDGES; j++) {
                    numerics->binary(float_binaries[k], floats[t], 1, &z, &stored[i], 1, &stored[j],
                                     1);
                    double expected = expect_float(floats[t], float_binaries[k], edge[i], edge[j]);
                    CHECK_MSG(same(take(floats[t], &z), expected),
                              "%s %s: %a, %a gave %a instead of %a", ct_dtype_name(floats[t]),
                              ct__op_describe(float_binaries[k])->name, edge[i], edge[j],
                              take(floats[t], &z), expected);
                }
    }
}

/* Worked by hand from C99 and StableHLO's text. */
TEST(special_values_by_hand)
{
    const double inf = (double)INFINITY, nan = (double)NAN;
    const struct {
        ct__op op;
        double x, y, z;
    } rows[] = {{CT__OP_maximum, -0.0, 0, 0},      {CT__OP_maximum, 0, -0.0, 0},
                {CT__OP_minimum, -0.0, 0, -0.0},   {CT__OP_minimum, 0, -0.0, -0.0},
                {CT__OP_maximum, nan, inf, nan},   {CT__OP_minimum, -inf, nan, nan},
                {CT__OP_power, nan, 0, 1},         {CT__OP_power, 1, nan, 1},
                {CT__OP_power, -8, 1.0 / 3, nan},  {CT__OP_power, -2, 3, -8},
                {CT__OP_power, 0, -1, inf},        {CT__OP_power, -0.0, -1, -inf},
                {CT__OP_remainder, 5.5, -2, 1.5},  {CT__OP_remainder, -5.5, 2, -1.5},
                {CT__OP_remainder, 1, 0, nan},     {CT__OP_remainder, inf, 2, nan},
                {CT__OP_remainder, 3, inf, 3},     {CT__OP_remainder, -4, 2, -0.0},
                {CT__OP_scale, 0, inf, 0},         {CT__OP_scale, 0, nan, 0},
                {CT__OP_scale, -0.0, -inf, 0},     {CT__OP_scale, inf, 0, 0},
                {CT__OP_scale, nan, 0, nan},       {CT__OP_scale, 2, inf, inf},
                {CT__OP_scale, 2, nan, nan},       {CT__OP_scale, 3, -4, -12},
                {CT__OP_atan2, 0, -0.0, acos(-1)}, {CT__OP_atan2, -0.0, -0.0, -acos(-1)},
                {CT__OP_divide, 1, 0, inf},        {CT__OP_divide, 1, -0.0, -inf}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int t = 0; t < 4; t++) {
            uint64_t x, y, z;
            double third = round_in(floats[t], (long double)rows[i].y);
            put(floats[t], &x, rows[i].x);
            put(floats[t], &y, third);
            numerics->binary(rows[i].op, floats[t], 1, &z, &x, 1, &y, 1);
            CHECK_MSG(same(take(floats[t], &z), round_in(floats[t], (long double)rows[i].z)),
                      "%s %s of %g and %g gave %g", ct_dtype_name(floats[t]),
                      ct__op_describe(rows[i].op)->name, rows[i].x, rows[i].y, take(floats[t], &z));
        }
}

TEST(one_operand_special_values_by_hand)
{
    const double inf = (double)INFINITY, nan = (double)NAN;
    const struct {
        ct__op op;
        double x, y;
    } rows[] = {{CT__OP_log, 0, -inf},
                {CT__OP_log, -1, nan},
                {CT__OP_log_plus_one, -1, -inf},
                {CT__OP_sqrt, -0.0, -0.0},
                {CT__OP_sqrt, -4, nan},
                {CT__OP_rsqrt, 0, inf},
                {CT__OP_rsqrt, -0.0, -inf},
                {CT__OP_cbrt, -8, -2},
                {CT__OP_ceil, -0.3125, -0.0},
                {CT__OP_floor, -0.3125, -1},
                {CT__OP_round_nearest_afz, 2.5, 3},
                {CT__OP_round_nearest_afz, -2.5, -3},
                {CT__OP_round_nearest_afz, -0.25, -0.0},
                {CT__OP_round_nearest_even, 2.5, 2},
                {CT__OP_round_nearest_even, 3.5, 4},
                {CT__OP_round_nearest_even, -0.5, -0.0},
                {CT__OP_sign, -0.0, -0.0},
                {CT__OP_sign, nan, nan},
                {CT__OP_sign, -inf, -1},
                {CT__OP_abs, -0.0, 0},
                {CT__OP_logistic, inf, 1},
                {CT__OP_logistic, -inf, 0},
                {CT__OP_logistic, 0, 0.5},
                {CT__OP_tanh, -inf, -1},
                {CT__OP_exponential, -inf, 0}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int t = 0; t < 4; t++) {
            uint64_t x, y;
            put(floats[t], &x, rows[i].x);
            numerics->unary(rows[i].op, floats[t], 1, &y, &x);
            CHECK_MSG(same(take(floats[t], &y), rows[i].y), "%s %s of %g gave %g",
                      ct_dtype_name(floats[t]), ct__op_describe(rows[i].op)->name, rows[i].x,
                      take(floats[t], &y));
        }
}

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
    put(CT_F16, &accumulator, 0);
    put(CT_F16, &ones[0], 1);
    for (int i = 1; i < 4096; i++)
        ones[i] = ones[0];
    numerics->fold(CT__OP_add, CT_F16, 4096, &accumulator, ones, 1);
    CHECK(take(CT_F16, &accumulator) == 2048); /* 2048 + 1 rounds back */
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
            double edge[EDGES];
            uint64_t x[EDGES], folded, stepped;
            size_t bytes = ct_dtype_bytes(floats[t]);
            float_edge_values(floats[t], edge);
            put(floats[t], &folded, 2);
            stepped = folded;
            for (int i = 0; i < EDGES; i++)
                put(floats[t], (unsigned char *)x + (size_t)i * bytes, edge[i]);
            numerics->fold(ops[k], floats[t], 9, &folded, (unsigned char *)x + bytes, 3);
            for (size_t i = 0; i < 9; i++)
                numerics->binary(ops[k], floats[t], 1, &stepped, &stepped, 1,
                                 (unsigned char *)x + (1 + 3 * i) * bytes, 1);
            CHECK(same(take(floats[t], &folded), take(floats[t], &stepped)));
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
        double edge[EDGES];
        float_edge_values(floats[t], edge);
        for (int direction = CT_EQ; direction <= CT_LT; direction++)
            for (int i = 0; i < EDGES; i++)
                for (int j = 0; j < EDGES; j++) {
                    uint64_t x, y;
                    bool z, nan = isnan(edge[i]) || isnan(edge[j]);
                    put(floats[t], &x, edge[i]);
                    put(floats[t], &y, edge[j]);
                    numerics->compare(direction, CT_COMPARE_DEFAULT, floats[t], 1, &z, &x, &y);
                    int order = edge[i] < edge[j] ? -1 : edge[i] > edge[j];
                    CHECK(z == (nan ? direction == CT_NE : holds(direction, order)));
                }
    }
}

/* Listed in their order; both NaN signs. */
TEST(compare_total_order)
{
    for (int t = 0; t < 4; t++) {
        size_t bytes = ct_dtype_bytes(floats[t]);
        const double list[] = {-(double)NAN,     -(double)INFINITY, -2, -1, -0.0, 0, 0.5, 2,
                               (double)INFINITY, (double)NAN};
        unsigned char x[10][8] = {{0}};
        for (int i = 0; i < 10; i++) {
            put(floats[t], x[i], list[i]);
            x[i][bytes - 1] = (unsigned char)((x[i][bytes - 1] & 0x7f) | (i < 5 ? 0x80 : 0));
        }
        for (int direction = CT_EQ; direction <= CT_LT; direction++)
            for (int i = 0; i < 10; i++)
                for (int j = 0; j < 10; j++) {
                    bool z;
                    numerics->compare(direction, CT_COMPARE_TOTALORDER, floats[t], 1, &z, x[i],
                                      x[j]);
                    CHECK(z == holds(direction, i < j ? -1 : i > j));
                }
    }
}

TEST(compare_integers)
{
    for (int k = 0; k < INTEGERS; k++) {
        const integer *t = &integers[k];
        const wide edges[] = {smallest(t), smallest(t) + 1, 0, 1, largest(t) - 1, largest(t)};
        for (int direction = CT_EQ; direction <= CT_LT; direction++)
            for (int i = 0; i < 6; i++)
                for (int j = 0; j < 6; j++) {
                    uint64_t x, y;
                    bool z;
                    put_integer(t, &x, edges[i]);
                    put_integer(t, &y, edges[j]);
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
        double edge[EDGES];
        float_edge_values(floats[t], edge);
        for (int i = 0; i < EDGES; i++) {
            uint64_t x;
            bool y;
            put(floats[t], &x, edge[i]);
            numerics->is_finite(floats[t], 1, &y, &x);
            CHECK(y == (isfinite(edge[i]) != 0));
        }
    }
}

/* ---- Converting, through long double, which holds every i64, u64 and f64 exactly. */

static const integer *integer_of(ct_dtype dtype)
{
    for (int i = 0; i < INTEGERS; i++)
        if (integers[i].dtype == dtype)
            return &integers[i];
    return NULL;
}

static long double take_any(ct_dtype dtype, const void *element)
{
    const integer *t = integer_of(dtype);
    if (dtype == CT_BOOL)
        return *(const unsigned char *)element;
    return t ? (long double)take_integer(t, element) : (long double)take(dtype, element);
}

static bool conversion_fits(ct_dtype to, ct_dtype from, const void *x, const void *y)
{
    const integer *t = integer_of(to), *s = integer_of(from);
    long double v = take_any(from, x);

    if (to == CT_BOOL)
        return take_any(to, y) == (v != 0);
    if (t && (s || from == CT_BOOL))
        return take_integer(t, y) == wrap(t, (wide)v);
    if (t && v != v)
        return take_integer(t, y) == 0;
    if (t) {
        long double low = (long double)smallest(t), high = (long double)largest(t);
        long double whole = truncl(v);
        return take_any(to, y) == (whole < low ? low : whole > high ? high : whole);
    }
    return same(take(to, y), round_in(to, v));
}

static const ct_dtype real_dtypes[] = {CT_BOOL, CT_I8,  CT_I16, CT_I32,  CT_I64, CT_U8, CT_U16,
                                       CT_U32,  CT_U64, CT_F16, CT_BF16, CT_F32, CT_F64};
enum { REALS = sizeof real_dtypes / sizeof *real_dtypes };

/* Elements whose conversion is delicate: near halfway points of bf16, f16 and f32, at the ends. */
static size_t delicate(ct_dtype dtype, uint64_t *x)
{
    const integer *t = integer_of(dtype);
    static const wide whole[] = {0,     1,     -1,       2,        127,      128,   255,
                                 256,   -128,  -129,     2049,     2051,     65519, 65520,
                                 65535, 65536, 16777217, 16777219, -16777217};
    size_t n = 0;

    if (dtype == CT_BOOL) {
        x[0] = 0;
        x[1] = 1;
        return 2;
    }
    if (!t) {
        double edge[EDGES];
        float_edge_values(dtype, edge);
        for (int i = 0; i < EDGES; i++)
            put(dtype, &x[n++], edge[i]);
        const double more[] = {127.5,      128,          -128.9,           -129,
                               255.99,     256,          0x1p31,           -0x1p31,
                               0x1p32,     0x1p63,       -0x1p63,          0x1p64,
                               0.99,       -0.99,        65519.99,         65520,
                               1.00390625, 1.0000000001, 0x1.0080000001p0, 0x1.002000000001p0,
                               1e-8,       2.9e-8,       0x1.01p0,         0x1.0100001p0};
        for (size_t i = 0; i < sizeof more / sizeof *more; i++)
            put(dtype, &x[n++], round_in(dtype, (long double)more[i]));
        return n;
    }
    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++)
        put_integer(t, &x[n++], wrap(t, whole[i]));
    for (int bit = 5; bit < t->bits;
         bit++) /* halfway between two bf16's or f32's, and one beside */
        for (int below = 8; below <= 24; below += 16)
            for (wide beside = -1; beside <= 1; beside++)
                if (bit >= below) {
                    wide half = ((wide)1 << bit) + ((wide)1 << (bit - below));
                    put_integer(t, &x[n++], wrap(t, half + beside));
                    put_integer(t, &x[n++], wrap(t, -half - beside));
                    put_integer(t, &x[n++],
                                wrap(t, 3 * ((wide)1 << (bit - below)) + half + beside));
                }
    put_integer(t, &x[n++], smallest(t));
    put_integer(t, &x[n++], largest(t));
    return n;
}

TEST(convert_between_all_dtypes)
{
    static uint64_t x[1200];

    for (int i = 0; i < REALS; i++) {
        size_t n = delicate(real_dtypes[i], x);
        CHECK(n <= sizeof x / sizeof *x);
        for (int j = 0; j < REALS; j++)
            for (size_t k = 0; k < n; k++) {
                uint64_t y;
                numerics->convert(real_dtypes[j], real_dtypes[i], 1, &y, &x[k]);
                CHECK_MSG(conversion_fits(real_dtypes[j], real_dtypes[i], &x[k], &y),
                          "%s to %s: %.20Lg gave %.20Lg", ct_dtype_name(real_dtypes[i]),
                          ct_dtype_name(real_dtypes[j]), take_any(real_dtypes[i], &x[k]),
                          take_any(real_dtypes[j], &y));
            }
    }
}

TEST(convert_by_hand)
{
    const double f64[] = {(double)NAN, 1e300, -1e300, -0.5, 0x1.002000000001p0};
    const int64_t halfway = (1ll << 40) + (1ll << 32) + 1; /* just above half a step of bf16 */
    int8_t i8[5];
    uint8_t u8[5];
    uint16_t half[5], bf;
    bool b[5];

    numerics->convert(CT_I8, CT_F64, 5, i8, f64);
    CHECK(i8[0] == 0 && i8[1] == 127 && i8[2] == -128 && i8[3] == 0 && i8[4] == 1);
    numerics->convert(CT_U8, CT_F64, 5, u8, f64);
    CHECK(u8[0] == 0 && u8[1] == 255 && u8[2] == 0 && u8[3] == 0);
    numerics->convert(CT_BOOL, CT_F64, 5, b, f64);
    CHECK(b[0] && b[1] && b[2] && b[3]);
    numerics->convert(CT_F16, CT_F64, 5, half, f64); /* through f32 the last would be a tie */
    CHECK(half[4] == 0x3c01);
    numerics->convert(CT_BF16, CT_I64, 1, &bf, &halfway);
    CHECK(take(CT_BF16, &bf) == 0x1.02p40);
}

TEST(convert_long_arrays)
{
    enum { N = 1000 };
    static int32_t i32[N];
    static double f64[N];
    static float complex_[2 * N];

    numerics->iota(CT_I32, N, i32, -500);
    numerics->convert(CT_F64, CT_I32, N, f64, i32);
    numerics->convert(CT_C64, CT_I32, N, complex_, i32);
    for (int i = 0; i < N; i++) {
        CHECK(f64[i] == i - 500);
        CHECK(complex_[2 * i] == (float)(i - 500) && complex_[2 * i + 1] == 0);
    }
    memset(i32, 0, sizeof i32);
    for (int i = 0; i < N; i++)
        complex_[2 * i + 1] = 7;
    numerics->convert(CT_I32, CT_C64, N, i32, complex_);
    for (int i = 0; i < N; i++)
        CHECK(i32[i] == i - 500);
}

TEST(convert_complex)
{
    const float c64[] = {0, 1, 2.5f, -3};
    double c128[4];
    bool b[2];
    int16_t i16[2];

    numerics->convert(CT_C128, CT_C64, 2, c128, c64);
    CHECK(c128[0] == 0 && c128[1] == 1 && c128[2] == 2.5 && c128[3] == -3);
    numerics->convert(CT_BOOL, CT_C64, 2, b, c64);
    CHECK(!b[0] && b[1]); /* the imaginary part is dropped first */
    numerics->convert(CT_I16, CT_C64, 2, i16, c64);
    CHECK(i16[0] == 0 && i16[1] == 2);
    numerics->convert(CT_C64, CT_BOOL, 2, c128, b);
    CHECK(memcmp(c128, (const float[]){0, 0, 1, 0}, 16) == 0);
}

TEST(iota_of_every_dtype)
{
    for (int i = 1; i < REALS; i++) {
        unsigned char y[300 * 8];
        numerics->iota(real_dtypes[i], 300, y, 0);
        for (int k = 0; k < 300; k++) {
            int64_t position = k;
            CHECK(conversion_fits(real_dtypes[i], CT_I64, &position,
                                  y + (size_t)k * ct_dtype_bytes(real_dtypes[i])));
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
    static const ct_dtype dtypes[] = {CT_BOOL, CT_I8,  CT_I16, CT_I32, CT_I64, CT_U8,  CT_U16,
                                      CT_U32,  CT_U64, CT_F32, CT_F64, CT_C64, CT_C128};
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
