#include "tests/values.h"

#include <cotangent/random.h>

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static const ct_dtype floats[] = {CT_F16, CT_BF16, CT_F32, CT_F64};
static const ct_dtype integers[] = {CT_I8, CT_I16, CT_I32, CT_I64, CT_U8, CT_U16, CT_U32, CT_U64};
static const ct_dtype small_floats[] = {CT_F4E2M1FN, CT_F6E2M3FN,   CT_F6E3M2FN,   CT_F8E3M4,
                                        CT_F8E4M3,   CT_F8E4M3FN,   CT_F8E4M3FNUZ, CT_F8E4M3B11FNUZ,
                                        CT_F8E5M2,   CT_F8E5M2FNUZ, CT_F8E8M0FNU};

/* The two words that the generator gives for counter i, low word first, read through the public
 * interface: i64 in [-2^63, 2^63 - 1) takes the 64 bits modulo 2^64 - 1, so that they are the bits,
 * moved by -2^63, but for the last value. */
static uint64_t words(ct_context *ctx, ct_key key, int64_t i)
{
    ct_tensor *x = ct_random_integers(ctx, key, CT_I64, CT_SHAPE(i + 1), INT64_MIN, INT64_MAX);

    return (uint64_t)ct_at_int(x, i) ^ UINT64_C(1) << 63;
}

/* Random123's known answers for threefry2x32-20 with counter 0; those with other counters, which no
 * tensor reaches, go through ct_key_fold: it enciphers its data under the key with a constant
 * exclusive-ored to it. */
TEST(threefry_known_answers)
{
    ct_context *ctx = ct_context_new();
    uint64_t family = 0x9E3779B97F4A7C15;
    uint32_t low = (uint32_t)family, high = (uint32_t)(family >> 32);
    ct_key k;

    CHECK(words(ctx, ct_key_new(0), 0) == 0x99ba4efe6b200159);
    k = ct_key_fold((ct_key){{low, high}}, 0);
    CHECK(k.word[0] == 0x6b200159 && k.word[1] == 0x99ba4efe);
    k = ct_key_fold((ct_key){{~low, ~high}}, UINT64_MAX);
    CHECK(k.word[0] == 0x1cb996fc && k.word[1] == 0xbb002be7);
    k = ct_key_fold((ct_key){{0x13198a2e ^ low, 0x03707344 ^ high}}, 0x85a308d3243f6a88);
    CHECK(k.word[0] == 0xc4923a9c && k.word[1] == 0x483df7a0);
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

TEST(keys)
{
    ct_key k = ct_key_new(0x0123456789abcdef), a = ct_key_fold(k, 1), b = ct_key_fold(k, 2);

    CHECK(k.word[0] == 0x89abcdef && k.word[1] == 0x01234567);
    CHECK(memcmp(&a, &b, sizeof a) != 0 && memcmp(&a, &k, sizeof a) != 0);
    a = ct_key_fold(k, UINT64_C(1) << 32);
    CHECK(memcmp(&a, &b, sizeof a) != 0);
    /* a folded key is none of the numbers that the key itself gives */
    ct_context *ctx = ct_context_new();
    a = ct_key_fold(k, 0);
    CHECK((a.word[0] | (uint64_t)a.word[1] << 32) != words(ctx, k, 0));
    ct_context_free(ctx);
}

/* ---- Numbers that must never change. They come from a second implementation, in Python, but for
 * the last digits of the normal numbers. */

TEST(uniform_is_pinned)
{
    ct_context *ctx = ct_context_new();
    ct_key k = ct_key_new(42);

    CHECK_VALUES(
        ct_random_uniform(ctx, k, CT_F64, CT_SHAPE(4), 0, 1), CT_SHAPE(4),
        {0.31025350672869201, 0.9927533956129645, 0.10647242714658389, 0.86067957599878708});
    CHECK_VALUES(
        ct_random_uniform(ctx, k, CT_F32, CT_SHAPE(2, 2), 0, 1), CT_SHAPE(2, 2),
        {0.31025350093841553, 0.99275338649749756, 0.10647237300872803, 0.86067956686019897});
    CHECK_VALUES(ct_random_uniform(ctx, k, CT_F16, CT_SHAPE(4), 0, 1), CT_SHAPE(4),
                 {0.310302734375, 0.99267578125, 0.1064453125, 0.86083984375});
    CHECK_VALUES(ct_random_uniform(ctx, k, CT_BF16, CT_SHAPE(4), 0, 1), CT_SHAPE(4),
                 {0.310546875, 0.9921875, 0.1064453125, 0.859375});
    CHECK_VALUES(
        ct_random_uniform(ctx, k, CT_F64, CT_SHAPE(4), -2, 2), CT_SHAPE(4),
        {-0.75898597308523197, 1.971013582451858, -1.5741102914136644, 1.4427183039951483});
    ct_context_free(ctx);
}

TEST(normal_is_pinned)
{
    ct_context *ctx = ct_context_new();
    ct_key k = ct_key_new(42);

    CHECK_VALUES(
        ct_random_normal(ctx, k, CT_F64, CT_SHAPE(4)), CT_SHAPE(4),
        {-0.49513190558816894, 2.4448009961284871, -1.2455086054091504, 1.0833776136516586});
    CHECK_VALUES(
        ct_random_normal(ctx, k, CT_F32, CT_SHAPE(4)), CT_SHAPE(4),
        {-0.49513190984725952, 2.4448010921478271, -1.2455085515975952, 1.0833775997161865});
    CHECK_VALUES(ct_random_normal(ctx, k, CT_F16, CT_SHAPE(4)), CT_SHAPE(4),
                 {-0.4951171875, 2.4453125, -1.2451171875, 1.0830078125});
    CHECK_VALUES(ct_random_normal(ctx, k, CT_BF16, CT_SHAPE(4)), CT_SHAPE(4),
                 {-0.49609375, 2.4375, -1.2421875, 1.0859375});
    ct_context_free(ctx);
}

/* Every integer dtype holds the same numbers; the last range rejects almost half of the words. */
TEST(integers_are_pinned)
{
    static const int64_t retried[] = {-5828101054941429376, -133676256531064725,
                                      -7597643219693255813, -2570008205791075095,
                                      -2782004898060219350, -9119310745803488027};
    ct_context *ctx = ct_context_new();
    ct_key k = ct_key_new(42);

    for (size_t i = 0; i < sizeof integers / sizeof integers[0]; i++)
        CHECK_VALUES(ct_random_integers(ctx, k, integers[i], CT_SHAPE(2, 3), 90, 110),
                     CT_SHAPE(2, 3), {91, 102, 96, 92, 107, 104});
    CHECK_VALUES(ct_random_integers(ctx, k, CT_I8, CT_SHAPE(6), -10, 10), CT_SHAPE(6),
                 {-9, 2, -4, -8, 7, 4});
    CHECK_VALUES(ct_random_integers(ctx, k, CT_U8, CT_SHAPE(6), 0, 256), CT_SHAPE(6),
                 {185, 108, 42, 234, 113, 138});
    ct_tensor *x = ct_random_integers(ctx, k, CT_I64, CT_SHAPE(6), INT64_MIN, 1);
    for (int i = 0; i < 6; i++)
        CHECK(ct_at_int(x, i) == retried[i]);
    CHECK_VALUES(ct_random_permutation(ctx, k, 10), CT_SHAPE(10), {9, 3, 8, 4, 2, 0, 1, 5, 7, 6});
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* An element does not depend on how many there are, nor on how they are arranged. */
TEST(a_larger_tensor_begins_with_the_smaller)
{
    ct_context *ctx = ct_context_new();
    ct_key k = ct_key_new(7);
    ct_tensor *big[] = {ct_random_uniform(ctx, k, CT_F32, CT_SHAPE(50), 0, 3),
                        ct_random_normal(ctx, k, CT_F64, CT_SHAPE(50)),
                        ct_random_integers(ctx, k, CT_U16, CT_SHAPE(50), 0, 50000)};
    ct_tensor *small[] = {ct_random_uniform(ctx, k, CT_F32, CT_SHAPE(4, 5), 0, 3),
                          ct_random_normal(ctx, k, CT_F64, CT_SHAPE(4, 5)),
                          ct_random_integers(ctx, k, CT_U16, CT_SHAPE(4, 5), 0, 50000)};

    for (int t = 0; t < 3; t++)
        for (int i = 0; i < 20; i++)
            CHECK(ct_at(small[t], i / 5, i % 5) == ct_at(big[t], i));
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* ---- Ranges. */

#define MANY 60000

static double *numbers(ct_tensor *x)
{
    double *out = malloc((size_t)ct_size(x) * sizeof *out + 1);

    CHECK(out && ct_to_doubles(x, out, (size_t)ct_size(x)));
    return out;
}

TEST(uniform_stays_below_high)
{
    static const double range[][2] = {{0, 1},    {-1, -0.5}, {-1e-4, 0},      {-3, 1},
                                      {1, 1.01}, {0, 1e-4},  {-65000, 65000}, {-0.0, 1}};
    ct_context *ctx = ct_context_new();

    for (size_t f = 0; f < 4; f++)
        for (size_t r = 0; r < sizeof range / sizeof range[0]; r++) {
            ct_scope scope = ct_scope_begin(ctx);
            double low = ct_item(ct_scalar(ctx, floats[f], range[r][0]));
            double high = ct_item(ct_scalar(ctx, floats[f], range[r][1]));
            double *x = numbers(ct_random_uniform(ctx, ct_key_new(r), floats[f], CT_SHAPE(MANY),
                                                  range[r][0], range[r][1]));
            double sum = 0;

            for (int i = 0; i < MANY; i++) {
                CHECK(x[i] >= low && x[i] < high);
                sum += x[i];
            }
            double unit = floats[f] == CT_BF16 ? 0x1p-8 : 0x1p-11; /* rounding may lean */
            double size = fmax(fabs(low), fabs(high));
            CHECK_MSG(fabs(sum / MANY - (low + high) / 2) < 0.01 * (high - low) + unit * size,
                      "mean %g of [%g, %g) in %s", sum / MANY, low, high, ct_dtype_name(floats[f]));
            free(x);
            ct_scope_end(scope);
        }
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

TEST(uniform_at_the_edges_of_a_dtype)
{
    ct_context *ctx = ct_context_new();
    ct_key k = ct_key_new(3);
    double huge = 1.7976931348623157e308;

    for (size_t f = 0; f < 4; f++) {
        CHECK_VALUES(ct_random_uniform(ctx, k, floats[f], CT_SHAPE(3), 2.5, 2.5), CT_SHAPE(3),
                     {2.5, 2.5, 2.5});
        CHECK_EMPTY(ct_random_uniform(ctx, k, floats[f], CT_SHAPE(2, 0), 0, 1), CT_SHAPE(2, 0));
        CHECK(ct_rank(ct_random_uniform(ctx, k, floats[f], CT_SHAPE(), 0, 1)) == 0);
    }
    /* one number in the range */
    CHECK_VALUES(ct_random_uniform(ctx, k, CT_F16, CT_SHAPE(3), 1, 1 + 0x1p-10), CT_SHAPE(3),
                 {1, 1, 1});
    CHECK_VALUES(ct_random_uniform(ctx, k, CT_BF16, CT_SHAPE(3), -1 - 0x1p-7, -1), CT_SHAPE(3),
                 {-1 - 0x1p-7, -1 - 0x1p-7, -1 - 0x1p-7});
    CHECK_VALUES(ct_random_uniform(ctx, k, CT_F32, CT_SHAPE(2), 0, 0x1p-149), CT_SHAPE(2), {0, 0});
    CHECK_VALUES(ct_random_uniform(ctx, k, CT_F64, CT_SHAPE(2), -0x1p-1074, 0), CT_SHAPE(2),
                 {-0x1p-1074, -0x1p-1074});
    double *x = numbers(ct_random_uniform(ctx, k, CT_F64, CT_SHAPE(1000), -huge, huge));
    int negative = 0;
    for (int i = 0; i < 1000; i++) {
        CHECK(isfinite(x[i]) && x[i] < huge);
        negative += x[i] < 0;
    }
    CHECK(negative > 400 && negative < 600);
    free(x);
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* Every dtype of a byte: the numbers lie in the range, reach its ends, and are not NaN. */
TEST(numbers_of_small_dtypes)
{
    ct_context *ctx = ct_context_new();
    ct_key k = ct_key_new(5);

    for (size_t f = 0; f < sizeof small_floats / sizeof *small_floats; f++) {
        double low = small_floats[f] == CT_F8E8M0FNU ? 0.25 : -2, most = low;
        double *x = numbers(ct_random_uniform(ctx, k, small_floats[f], CT_SHAPE(MANY), low, 4));
        for (int i = 0; i < MANY; i++) {
            CHECK_MSG(x[i] >= low && x[i] < 4, "%g in %s", x[i], ct_dtype_name(small_floats[f]));
            most = fmax(most, x[i]);
        }
        CHECK(most >= 2);
        free(x);
        CHECK_VALUES(ct_random_uniform(ctx, k, small_floats[f], CT_SHAPE(2), 1, 1), CT_SHAPE(2),
                     {1, 1});
        if (small_floats[f] == CT_F8E8M0FNU)
            continue;
        x = numbers(ct_random_uniform(ctx, k, small_floats[f], CT_SHAPE(MANY), -0.5, 0));
        for (int i = 0; i < MANY; i++)
            CHECK(x[i] >= -0.5 && x[i] < 0);
        free(x);
        x = numbers(ct_random_normal(ctx, k, small_floats[f], CT_SHAPE(MANY)));
        for (int i = 0; i < MANY; i++)
            CHECK(fabs(x[i]) < 7);
        free(x);
    }
    for (ct_dtype t = CT_I2; t <= CT_U4; t = (ct_dtype)(t + 1)) {
        int least = t == CT_I2   ? -2
                    : t == CT_I4 ? -8
                                 : 0,
            end = t == CT_I2   ? 2
                  : t == CT_U4 ? 16
                  : t == CT_I4 ? 8
                               : 4;
        double *x = numbers(ct_random_integers(ctx, k, t, CT_SHAPE(MANY), least, end));
        int count[16] = {0};
        for (int i = 0; i < MANY; i++) {
            CHECK(x[i] >= least && x[i] < end);
            count[(int)x[i] - least]++;
        }
        for (int i = 0; i < end - least; i++)
            CHECK(count[i] > MANY / (2 * (end - least)));
        free(x);
    }
    CHECK_OK(ctx);
    ct_random_integers(ctx, k, CT_I4, CT_SHAPE(2), -8, 9);
    CHECK_ERROR(ctx, CT_ERR_ARGUMENT, "random_integers: [-8, 9) does not fit i4");
    ct_random_uniform(ctx, k, CT_F4E2M1FN, CT_SHAPE(2), 0, 7);
    CHECK_ERROR(ctx, CT_ERR_ARGUMENT, "7 does not fit f4E2M1FN");
    ct_random_uniform(ctx, k, CT_F8E4M3FN, CT_SHAPE(2), 0, 500);
    CHECK_ERROR(ctx, CT_ERR_ARGUMENT, "500 does not fit f8E4M3FN");
    ct_random_uniform(ctx, k, CT_F8E8M0FNU, CT_SHAPE(2), 0, 1);
    CHECK_ERROR(ctx, CT_ERR_ARGUMENT, "0 does not fit f8E8M0FNU");
    ct_random_normal(ctx, k, CT_F8E8M0FNU, CT_SHAPE(2));
    CHECK_ERROR(ctx, CT_ERR_TYPE, "f8E8M0FNU has no negative numbers");
    ct_context_free(ctx);
}

TEST(random_tensors_refuse)
{
    ct_context *ctx = ct_context_new();
    ct_key k = ct_key_new(0);

    CHECK(ct_is_poison(ct_random_uniform(ctx, k, CT_F32, CT_SHAPE(2), 1, 0)));
    CHECK_ERROR(ctx, CT_ERR_ARGUMENT, "random_uniform: low is above high");
    ct_random_uniform(ctx, k, CT_F32, CT_SHAPE(2), NAN, 0);
    CHECK_ERROR(ctx, CT_ERR_ARGUMENT, "random_uniform: low and high must be finite");
    ct_random_uniform(ctx, k, CT_F32, CT_SHAPE(2), 0, INFINITY);
    CHECK_ERROR(ctx, CT_ERR_ARGUMENT, "random_uniform: low and high must be finite");
    ct_random_uniform(ctx, k, CT_F16, CT_SHAPE(2), 0, 70000);
    CHECK_ERROR(ctx, CT_ERR_ARGUMENT, "70000 does not fit f16");
    ct_random_uniform(ctx, k, CT_I32, CT_SHAPE(2), 0, 1);
    CHECK_ERROR(ctx, CT_ERR_TYPE, "random_uniform: i32 is not a float dtype");
    ct_random_normal(ctx, k, CT_C64, CT_SHAPE(2));
    CHECK_ERROR(ctx, CT_ERR_TYPE, "random_normal: c64 is not a float dtype");
    ct_random_normal(ctx, k, (ct_dtype)99, CT_SHAPE(2));
    CHECK_ERROR(ctx, CT_ERR_ARGUMENT, "there is no dtype 99");
    ct_random_normal(ctx, k, CT_F32, CT_SHAPE(-2));
    CHECK_ERROR(ctx, CT_ERR_SHAPE, "random_normal: extent -2 of axis 0 is negative");
    ct_random_integers(ctx, k, CT_F32, CT_SHAPE(2), 0, 1);
    CHECK_ERROR(ctx, CT_ERR_TYPE, "random_integers: f32 is not an integer dtype");
    ct_random_integers(ctx, k, CT_BOOL, CT_SHAPE(2), 0, 1);
    CHECK_ERROR(ctx, CT_ERR_TYPE, "random_integers: ");
    ct_random_integers(ctx, k, CT_I32, CT_SHAPE(2), 3, 3);
    CHECK_ERROR(ctx, CT_ERR_ARGUMENT, "random_integers: low 3 is not below high 3");
    ct_random_integers(ctx, k, CT_U8, CT_SHAPE(2), 0, 257);
    CHECK_ERROR(ctx, CT_ERR_ARGUMENT, "random_integers: [0, 257) does not fit u8");
    ct_random_integers(ctx, k, CT_U64, CT_SHAPE(2), -1, 5);
    CHECK_ERROR(ctx, CT_ERR_ARGUMENT, "random_integers: [-1, 5) does not fit u64");
    ct_random_permutation(ctx, k, -1);
    CHECK_ERROR(ctx, CT_ERR_SHAPE, "random_permutation: extent -1 of axis 0 is negative");
    CHECK(ct_is_poison(ct_random_normal(NULL, k, CT_F32, CT_SHAPE(2))));
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* ---- Distributions. The numbers are fixed, so the tests cannot fail now and then; the bounds are
 * those of 4 standard deviations and more. */

TEST(normal_inverts_the_distribution)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = ct_random_normal(ctx, ct_key_new(11), CT_F64, CT_SHAPE(300));

    for (int i = 0; i < 300; i++) {
        double p = ((double)(words(ctx, ct_key_new(11), i) >> 12) + 0.5) * 0x1p-52;
        double z = ct_at(x, i), tail = p < 0.5 ? p : 1 - p;
        CHECK_MSG(fabs(erfc(fabs(z) / sqrt(2)) / 2 - tail) < 1e-14 * tail && (z < 0) == (p < 0.5),
                  "element %d is %.17g at %.17g", i, z, p);
    }
    ct_context_free(ctx);
}

TEST(normal_moments)
{
    ct_context *ctx = ct_context_new();

    for (size_t f = 0; f < 4; f++) {
        double *x = numbers(ct_random_normal(ctx, ct_key_new(f), floats[f], CT_SHAPE(MANY)));
        double moment[5] = {0}, lag = 0;

        for (int i = 0; i < MANY; i++) {
            double power = 1;
            CHECK(fabs(x[i]) < 8.3);
            for (int k = 0; k <= 4; k++, power *= x[i])
                moment[k] += power / MANY;
            lag += i > 0 ? x[i] * x[i - 1] / MANY : 0;
        }
        CHECK_MSG(fabs(moment[1]) < 0.017 && fabs(moment[2] - 1) < 0.025 &&
                      fabs(moment[3]) < 0.065 && fabs(moment[4] - 3) < 0.17 && fabs(lag) < 0.017,
                  "%s: %g %g %g %g, neighbours %g", ct_dtype_name(floats[f]), moment[1], moment[2],
                  moment[3], moment[4], lag);
        free(x);
    }
    ct_context_free(ctx);
}

/* Numbers of a key, of its folded keys, and of the next seed have nothing to do with each other. */
TEST(keys_are_independent)
{
    ct_context *ctx = ct_context_new();
    ct_key key[] = {ct_key_new(1), ct_key_fold(ct_key_new(1), 0), ct_key_fold(ct_key_new(1), 1),
                    ct_key_new(2)};
    double *x[4];

    for (int k = 0; k < 4; k++)
        x[k] = numbers(ct_random_normal(ctx, key[k], CT_F64, CT_SHAPE(MANY)));
    for (int k = 0; k < 4; k++)
        for (int l = 0; l < k; l++) {
            double sum = 0;
            for (int i = 0; i < MANY; i++)
                sum += x[k][i] * x[l][i] / MANY;
            CHECK_MSG(fabs(sum) < 0.017, "keys %d and %d: %g", k, l, sum);
        }
    for (int k = 0; k < 4; k++)
        free(x[k]);
    ct_context_free(ctx);
}

/* Every value of a narrow dtype as often as the others: χ² with 255 degrees of freedom has
 * deviation 22.6. */
TEST(integers_have_no_bias)
{
    ct_context *ctx = ct_context_new();
    double *x = numbers(ct_random_integers(ctx, ct_key_new(5), CT_I8, CT_SHAPE(MANY), -128, 128));
    int count[256] = {0};
    double chi2 = 0;

    for (int i = 0; i < MANY; i++)
        count[(int)x[i] + 128]++;
    free(x);
    for (int v = 0; v < 256; v++)
        chi2 += pow(count[v] - MANY / 256.0, 2) / (MANY / 256.0);
    CHECK_MSG(fabs(chi2 - 255) < 100, "chi square %g", chi2);
    ct_context_free(ctx);
}

/* 2^64 mod 3·2^62 would give the first third of the range twice as often as the others. */
TEST(integers_of_a_wide_range_have_no_bias)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = ct_random_integers(ctx, ct_key_new(6), CT_I64, CT_SHAPE(MANY), INT64_MIN,
                                      INT64_C(1) << 62);
    int third[3] = {0};

    for (int i = 0; i < MANY; i++)
        third[((uint64_t)ct_at_int(x, i) + (UINT64_C(1) << 63)) >> 62]++;
    for (int t = 0; t < 3; t++)
        CHECK_MSG(abs(third[t] - MANY / 3) < 500, "third %d: %d", t, third[t]);
    ct_context_free(ctx);
}

TEST(permutations)
{
    ct_context *ctx = ct_context_new();
    bool seen[1000] = {false};
    int order[27] = {0};

    CHECK_EMPTY(ct_random_permutation(ctx, ct_key_new(1), 0), CT_SHAPE(0));
    CHECK_VALUES(ct_random_permutation(ctx, ct_key_new(1), 1), CT_SHAPE(1), {0});
    double *x = numbers(ct_random_permutation(ctx, ct_key_new(1), 1000));
    for (int i = 0; i < 1000; i++) {
        CHECK(x[i] >= 0 && x[i] < 1000 && !seen[(int)x[i]]);
        seen[(int)x[i]] = true;
    }
    free(x);
    /* the six orders of three things, as often as each other */
    for (uint64_t seed = 0; seed < 6000; seed++) {
        ct_scope scope = ct_scope_begin(ctx);
        ct_tensor *p = ct_random_permutation(ctx, ct_key_new(seed), 3);
        order[9 * ct_at_int(p, 0) + 3 * ct_at_int(p, 1) + ct_at_int(p, 2)]++;
        ct_scope_end(scope);
    }
    static const int possible[] = {5, 7, 11, 15, 19, 21};
    for (int i = 0; i < 6; i++)
        CHECK_MSG(abs(order[possible[i]] - 1000) < 130, "order %d: %d", i, order[possible[i]]);
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

static void draw_without_memory(ct_context *ctx)
{
    ct_random_uniform(ctx, ct_key_new(1), CT_F32, CT_SHAPE(3), 0, 1);
    ct_random_normal(ctx, ct_key_new(1), CT_F32, CT_SHAPE(3));
    ct_random_integers(ctx, ct_key_new(1), CT_U8, CT_SHAPE(3), 0, 256);
    ct_random_permutation(ctx, ct_key_new(1), 5);
}

TEST(drawing_without_memory)
{
    CHECK_ALLOCATIONS(draw_without_memory);
}
