/* Random tensors. Element i is a function of the key and of i alone: the counter of its 64 random
 * bits is i, whatever the size of the tensor. All arithmetic is +, -, *, / and sqrt, which IEEE 754
 * rounds in one way, so that the numbers are the same on every machine. */
#include <cotangent/random.h>

#include "trace/create.h"
#include "trace/random.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* ---- Threefry-2x32 with 20 rounds (Salmon, Moraes, Dror, Shaw, 2011). */

static uint32_t rotate_left(uint32_t x, int count)
{
    return x << count | x >> (32 - count);
}

/* Five groups of four rounds; each ends with two words of the key, extended by their parity, and
 * the number of the group. The words come low first. */
uint64_t ct__random_bits(ct_key key, uint64_t counter)
{
    static const int rotation[2][4] = {{13, 15, 26, 6}, {17, 29, 16, 24}};
    const uint32_t k[3] = {key.word[0], key.word[1], key.word[0] ^ key.word[1] ^ 0x1BD11BDA};
    uint32_t x0 = (uint32_t)counter + k[0], x1 = (uint32_t)(counter >> 32) + k[1];

    for (uint32_t group = 0; group < 5; group++) {
        for (int round = 0; round < 4; round++) {
            x0 += x1;
            x1 = rotate_left(x1, rotation[group % 2][round]) ^ x0;
        }
        x0 += k[(group + 1) % 3];
        x1 += k[(group + 2) % 3] + group + 1;
    }
    return x0 | (uint64_t)x1 << 32;
}

ct_key ct_key_new(uint64_t seed)
{
    return (ct_key){{(uint32_t)seed, (uint32_t)(seed >> 32)}};
}

/* The key that belongs to `data` in one of several families, named by a constant. A family's keys
 * are random numbers of their own: those that elements see use the key as it is. */
static ct_key derive(ct_key key, uint64_t family, uint64_t data)
{
    key.word[0] ^= (uint32_t)family;
    key.word[1] ^= (uint32_t)(family >> 32);
    return ct_key_new(ct__random_bits(key, data));
}

#define FOLDED 0x9E3779B97F4A7C15  /* 2^64 / golden ratio */
#define RETRIED 0xB7E151628AED2A6A /* 2^64 (e - 2) */

ct_key ct_key_fold(ct_key key, uint64_t data)
{
    return derive(key, FOLDED, data);
}

/* ---- Uniform numbers. */

/* low + u·(high - low), and the weighted mean of the bounds where their difference overflows. */
double ct__between(double low, double high, double u)
{
    double width = high - low;

    return isfinite(width) ? low + u * width : low * (1 - u) + high * u;
}

/* Among the 256 codes at most; a dtype with nothing below has high itself. */
static uint8_t small_below(ct_dtype dtype, double high)
{
    uint8_t below = ct__small_float_store(dtype, high);
    double most = -(double)INFINITY;

    for (unsigned code = 0; code >> ct__dtype_bits(dtype) == 0; code++) {
        const double value = ct__small_float_load(dtype, (uint8_t)code);
        if (isfinite(value) && value < high && value >= most) {
            below = (uint8_t)code;
            most = value;
        }
    }
    return below;
}

/* The largest number of the dtype that is below high, which is one of its numbers: floats are
 * ordered as their magnitudes' bits are. */
static void store_below(ct_dtype dtype, double high, void *element)
{
    size_t bytes = ct_dtype_bytes(dtype);
    uint64_t sign = (uint64_t)1 << (8 * bytes - 1), bits = 0;
    uint32_t bits32 = 0;
    uint16_t bits16 = 0;

    if (ct__is_small_float(dtype)) {
        *(uint8_t *)element = small_below(dtype, high);
        return;
    }
    ct__store_double(dtype, element, high);
    memcpy(bytes == 2   ? (void *)&bits16
           : bytes == 4 ? (void *)&bits32
                        : (void *)&bits,
           element, bytes);
    bits |= bits32 | bits16;
    if ((bits & ~sign) == 0)
        bits = sign | 1;
    else
        bits += (bits & sign) ? 1 : (uint64_t)-1;
    bits32 = (uint32_t)bits;
    bits16 = (uint16_t)bits;
    memcpy(element,
           bytes == 2   ? (void *)&bits16
           : bytes == 4 ? (void *)&bits32
                        : (void *)&bits,
           bytes);
}

/* u has 53 random bits for f64 and 24 for the others. Where rounding would reach high, the result
 * is the number before it. */
static void fill_uniform(const ct__literal *literal, ct_key key, double low, double high)
{
    ct_dtype dtype = literal->type->dtype;
    size_t bytes = ct_dtype_bytes(dtype);
    int bits = dtype == CT_F64 ? 53 : 24;
    double unit = dtype == CT_F64 ? 0x1p-53 : 0x1p-24;
    unsigned char *out = ct__fresh_data(literal), last[8];

    store_below(dtype, high, last);
    for (int64_t i = 0; i < literal->type->size; i++, out += bytes) {
        double u = (double)(ct__random_bits(key, (uint64_t)i) >> (64 - bits)) * unit;

        ct__store_double(dtype, out, ct__between(low, high, u));
        if (low < high && ct__load_double(dtype, out) >= high)
            memcpy(out, last, bytes);
    }
}

/* A literal for random floats; NULL after an error. */
static ct__literal *fresh_floats(ct_context *ctx, ct_place at, const char *what, ct_dtype dtype,
                                 ct_shape shape)
{
    ct__literal *literal = ct_failed(ctx) ? NULL : ct__fresh(ctx, at, what, dtype, shape);

    if (literal && !ct_dtype_is_float(dtype)) {
        ct__error(ctx, at, CT_ERR_TYPE, "%s: %s is not a float dtype", what, ct_dtype_name(dtype));
        ct__literal_release(literal);
        return NULL;
    }
    return literal;
}

/* The bound as the dtype holds it; false after an error when that is not finite. */
static bool round_bound(ct_context *ctx, ct_place at, ct_dtype dtype, double *bound)
{
    unsigned char element[8];
    double given = *bound;
    bool fits = ct__store_double(dtype, element, given);

    if (fits)
        *bound = ct__load_double(dtype, element);
    if (ct__is_small_float(dtype)) /* some have no infinity, and end at the largest number */
        fits = fits && fabs(given) < ct__small_float_overflow(dtype);
    return (fits && isfinite(*bound)) ||
           ct__misfit(ctx, at, "random_uniform: finite bound", dtype, given);
}

ct_tensor *ct_random_uniform_at(ct_place at, ct_context *ctx, ct_key key, ct_dtype dtype,
                                ct_shape shape, double low, double high)
{
    static const char what[] = "random_uniform";
    ct__literal *literal = fresh_floats(ctx, at, what, dtype, shape);

    if (!literal)
        return ct__poison(ctx);
    if (!isfinite(low) || !isfinite(high))
        ct__error(ctx, at, CT_ERR_ARGUMENT, "%s: low and high must be finite", what);
    else if (low > high)
        ct__error(ctx, at, CT_ERR_ARGUMENT, "%s: low is above high", what);
    else if (round_bound(ctx, at, dtype, &low) && round_bound(ctx, at, dtype, &high)) {
        fill_uniform(literal, key, low, high);
        return ct__tensor_concrete(ctx, at, what, literal);
    }
    ct__literal_release(literal);
    return ct__poison(ctx);
}

/* ---- Normal numbers. */

/* c[0] + c[1]·x + … + c[n-1]·x^(n-1) */
static double polynomial(const double *c, int n, double x)
{
    double sum = c[n - 1];

    for (int i = n - 2; i >= 0; i--)
        sum = sum * x + c[i];
    return sum;
}

/* The natural logarithm of a normal x > 0, within 1 ulp (measured: 0.8). x = m·2^e with
 * m in [√½, √2), and log m = 2·atanh(s) = 2·(s + s³/3 + s⁵/5 + …), s = (m - 1)/(m + 1), |s| <
 * 0.172: the term s^25/25 is below 2^-60 of the sum. */
static double natural_log(double x)
{
    static const double odd[] = {1.0 / 3,  1.0 / 5,  1.0 / 7,  1.0 / 9,  1.0 / 11, 1.0 / 13,
                                 1.0 / 15, 1.0 / 17, 1.0 / 19, 1.0 / 21, 1.0 / 23};
    const double ln2_high = 0x1.62e42fefa38p-1; /* 42 bits: exact times e */
    const double ln2_low = 0x1.ef35793c7673p-45;
    uint64_t bits;
    double m;

    memcpy(&bits, &x, sizeof bits);
    int e = (int)(bits >> 52) - 1023;
    bits = (bits & 0xFFFFFFFFFFFFF) | (uint64_t)1023 << 52;
    memcpy(&m, &bits, sizeof m);
    if (m > 0x1.6a09e667f3bcdp0) {
        m /= 2;
        e++;
    }
    double f = m - 1, s = f / (m + 1), z = s * s;
    /* 2s = f - s·f, so that f, which is exact, carries the leading digits */
    double tail = 2 * s * z * polynomial(odd, 11, z) - s * f;

    return e * ln2_high + (f + (tail + e * ln2_low));
}

/* Numerators and denominators of the three rational functions of degree 7, lowest power first. */
static const double middle[2][8] = {
    {3.3871328727963666080e0, 1.3314166789178437745e2, 1.9715909503065514427e3,
     1.3731693765509461125e4, 4.5921953931549871457e4, 6.7265770927008700853e4,
     3.3430575583588128105e4, 2.5090809287301226727e3},
    {1.0, 4.2313330701600911252e1, 6.8718700749205790830e2, 5.3941960214247511077e3,
     2.1213794301586595867e4, 3.9307895800092710610e4, 2.8729085735721942674e4,
     5.2264952788528545610e3}};
static const double side[2][8] = {
    {1.42343711074968357734e0, 4.63033784615654529590e0, 5.76949722146069140550e0,
     3.64784832476320460504e0, 1.27045825245236838258e0, 2.41780725177450611770e-1,
     2.27238449892691845833e-2, 7.74545014278341407640e-4},
    {1.0, 2.05319162663775882187e0, 1.67638483018380384940e0, 6.89767334985100004550e-1,
     1.48103976427480074590e-1, 1.51986665636164571966e-2, 5.47593808499534494600e-4,
     1.05075007164441684324e-9}};
static const double far[2][8] = {
    {6.65790464350110377720e0, 5.46378491116411436990e0, 1.78482653991729133580e0,
     2.96560571828504891230e-1, 2.65321895265761230930e-2, 1.24266094738807843860e-3,
     2.71155556874348757815e-5, 2.01033439929228813265e-7},
    {1.0, 5.99832206555887937690e-1, 1.36929880922735805310e-1, 1.48753612908506148525e-2,
     7.86869131145613259100e-4, 1.84631831751005468180e-5, 1.42151175831644588870e-7,
     2.04426310338993978564e-15}};

static double rational(const double c[2][8], double x)
{
    return polynomial(c[0], 8, x) / polynomial(c[1], 8, x);
}

/* The normal quantile of p in (0, 1): Wichura, "Algorithm AS 241: the percentage points of the
 * normal distribution", Applied Statistics 37 (1988), PPND16; relative error about 1e-16 in exact
 * arithmetic, below 1e-15 here (measured: 6e-16). Near the middle a function of q², else of r =
 * √(-log min(p, 1-p)). */
static double normal_quantile(double p)
{
    double q = p - 0.5;

    if (fabs(q) <= 0.425)
        return q * rational(middle, 0.180625 - q * q);
    double r = sqrt(-natural_log(q < 0 ? p : 1 - p));
    double z = r <= 5 ? rational(side, r - 1.6) : rational(far, r - 5);

    return q < 0 ? -z : z;
}

double ct__random_normal_number(ct_key key, uint64_t counter)
{
    /* (k + ½)/2^52: 53 bits, symmetric, never 0 or 1 */
    return normal_quantile(((double)(ct__random_bits(key, counter) >> 12) + 0.5) * 0x1p-52);
}

ct_tensor *ct_random_normal_at(ct_place at, ct_context *ctx, ct_key key, ct_dtype dtype,
                               ct_shape shape)
{
    ct__literal *literal = fresh_floats(ctx, at, "random_normal", dtype, shape);

    if (literal && dtype == CT_F8E8M0FNU) {
        ct__error(ctx, at, CT_ERR_TYPE, "random_normal: f8E8M0FNU has no negative numbers");
        ct__literal_release(literal);
        literal = NULL;
    }
    if (!literal)
        return ct__poison(ctx);
    unsigned char *out = ct__fresh_data(literal);
    for (int64_t i = 0; i < literal->type->size; i++, out += ct_dtype_bytes(dtype))
        ct__store_double(dtype, out, ct__random_normal_number(key, (uint64_t)i));
    return ct__tensor_concrete(ctx, at, "random_normal", literal);
}

/* ---- Whole numbers. */

/* Uniform in [0, n), n > 0. Of the 2^64 words the first 2^64 mod n are rejected, so that the rest
 * is a multiple of n; the next attempt takes another key. */
uint64_t ct__random_below(ct_key key, uint64_t i, uint64_t n)
{
    uint64_t rejected = (0 - n) % n, word = ct__random_bits(key, i);

    for (uint64_t attempt = 1; word < rejected; attempt++)
        word = ct__random_bits(derive(key, RETRIED, attempt), i);
    return word % n;
}

static bool fits(ct_dtype dtype, int64_t value)
{
    unsigned char element[8];

    return ct__store_signed(dtype, element, value);
}

/* False after an error. high itself need not fit: it is not drawn. */
static bool check_integers(ct_context *ctx, ct_place at, ct_dtype dtype, int64_t low, int64_t high)
{
    if (!ct_dtype_is_integer(dtype))
        ct__error(ctx, at, CT_ERR_TYPE, "random_integers: %s is not an integer dtype",
                  ct_dtype_name(dtype));
    else if (low >= high)
        ct__error(ctx, at, CT_ERR_ARGUMENT,
                  "random_integers: low %" PRId64 " is not below high %" PRId64, low, high);
    else if (!fits(dtype, low) || !fits(dtype, high - 1))
        ct__error(ctx, at, CT_ERR_ARGUMENT,
                  "random_integers: [%" PRId64 ", %" PRId64 ") does not fit %s", low, high,
                  ct_dtype_name(dtype));
    else
        return true;
    return false;
}

ct_tensor *ct_random_integers_at(ct_place at, ct_context *ctx, ct_key key, ct_dtype dtype,
                                 ct_shape shape, int64_t low, int64_t high)
{
    static const char what[] = "random_integers";
    ct__literal *literal = ct_failed(ctx) ? NULL : ct__fresh(ctx, at, what, dtype, shape);

    if (!literal)
        return ct__poison(ctx);
    if (!check_integers(ctx, at, dtype, low, high)) {
        ct__literal_release(literal);
        return ct__poison(ctx);
    }
    unsigned char *out = ct__fresh_data(literal);
    uint64_t n = (uint64_t)high - (uint64_t)low;

    for (int64_t i = 0; i < literal->type->size; i++, out += ct_dtype_bytes(dtype))
        ct__store_signed(dtype, out,
                         (int64_t)((uint64_t)low + ct__random_below(key, (uint64_t)i, n)));
    return ct__tensor_concrete(ctx, at, what, literal);
}

/* From the back, every place swaps with one of those that are left. */
ct_tensor *ct_random_permutation_at(ct_place at, ct_context *ctx, ct_key key, int64_t n)
{
    static const char what[] = "random_permutation";
    ct__literal *literal = ct_failed(ctx) ? NULL
                                          : ct__fresh(ctx, at, what, CT_I64, (ct_shape){1, &n});

    if (!literal)
        return ct__poison(ctx);
    int64_t *order = ct__fresh_data(literal);
    for (int64_t i = 0; i < n; i++)
        order[i] = i;
    for (int64_t i = n - 1; i > 0; i--) {
        int64_t j = (int64_t)ct__random_below(key, (uint64_t)i, (uint64_t)i + 1), kept = order[i];

        order[i] = order[j];
        order[j] = kept;
    }
    return ct__tensor_concrete(ctx, at, what, literal);
}
