/* Random numbers of a run, and random bits as functions of a state. */
#include "trace/random.h"

#include "exec/interpret/reference.h"

#include <cotangent/op_large.h>

#include <string.h>

/* ---- rng: numbers that depend on the run's seed and on how many were drawn before. */

/* A family of keys of its own, so that a key made from the same number gives others. */
#define RUN 0x6A09E667F3BCC908 /* 2^64 (sqrt 2 - 1) */

/* The largest number of the dtype below b that some step from b towards a finds; else a. */
static void find_last(ct_dtype dtype, const void *a, double low, double high, void *last)
{
    memcpy(last, a, ct_dtype_bytes(dtype));
    for (int k = 60; k > 0; k--) {
        unsigned char element[16];
        double x = high - (high - low) * (1.0 / (double)((uint64_t)1 << k));

        ct__store_double(dtype, element, x);
        x = ct__load_double(dtype, element);
        if (x >= low && x < high) {
            memcpy(last, element, ct_dtype_bytes(dtype));
            return;
        }
    }
}

/* Where rounding would reach b, the result is the number before it. */
static void draw_uniform_floats(const ct__eval *q, ct_key key, uint64_t first)
{
    const ct_dtype dtype = q->in_type[0]->dtype;
    const size_t bytes = ct_dtype_bytes(dtype);
    const double low = ct__load_double(dtype, q->in[0]), high = ct__load_double(dtype, q->in[1]);
    unsigned char *out = q->out[0], last[16];

    find_last(dtype, q->in[0], low, high, last);
    for (int64_t i = 0; i < q->out_type[0]->size; i++, out += bytes) {
        double u = (double)(ct__random_bits(key, first + (uint64_t)i) >> 11) * 0x1p-53;

        ct__store_double(dtype, out, low >= high ? low : ct__between(low, high, u));
        if (low < high && ct__load_double(dtype, out) >= high)
            memcpy(out, last, bytes);
    }
}

static void draw_normal(const ct__eval *q, ct_key key, uint64_t first)
{
    const ct_dtype dtype = q->in_type[0]->dtype;
    const double mean = ct__load_double(dtype, q->in[0]);
    const double deviation = ct__load_double(dtype, q->in[1]);
    unsigned char *out = q->out[0];

    for (int64_t i = 0; i < q->out_type[0]->size; i++, out += ct_dtype_bytes(dtype)) {
        double z = ct__random_normal_number(key, first + (uint64_t)i);

        memset(out, 0xFF, ct_dtype_bytes(dtype)); /* f8E8M0FNU, without zero and sign, has NaN */
        ct__store_double(dtype, out, mean + deviation * z);
    }
}

/* Differences and sums modulo 2^64 are right for signed and unsigned numbers. */
static void draw_integers(const ct__eval *q, ct_key key, uint64_t first)
{
    const ct_dtype dtype = q->in_type[0]->dtype;
    const ct_dtype wide = ct_dtype_is_signed(dtype) ? CT_I64 : CT_U64;
    uint64_t low, high;

    q->numerics->convert(wide, dtype, 1, &low, q->in[0]);
    q->numerics->convert(wide, dtype, 1, &high, q->in[1]);
    bool empty = wide == CT_I64 ? (int64_t)low >= (int64_t)high : low >= high;
    for (int64_t i = 0; i < q->out_type[0]->size; i++) {
        uint64_t n = empty ? low : low + ct__random_below(key, first + (uint64_t)i, high - low);

        q->numerics->convert(dtype, wide, 1,
                             ct__at(q->out[0], q->numerics->element_bytes(dtype), i), &n);
    }
}

bool ct__meaning_rng(const ct__eval *q)
{
    ct__draws *draws = &q->error->draws;
    const ct_key key = ct_key_fold(ct_key_new(draws->seed), RUN);

    if (q->attrs->rng.rng_distribution == CT_RNG_NORMAL)
        draw_normal(q, key, draws->count);
    else if (ct_dtype_is_float(q->in_type[0]->dtype))
        draw_uniform_floats(q, key, draws->count);
    else
        draw_integers(q, key, draws->count);
    draws->count += (uint64_t)q->out_type[0]->size;
    return true;
}

/* ---- rng_bit_generator: words of 32 or 64 bits, whose low bits are the elements. */

/* The low bits; integers below a byte are extended to it. */
static void store_bits(ct_dtype dtype, void *element, uint64_t bits)
{
    const uint32_t bits32 = (uint32_t)bits;
    const uint16_t bits16 = (uint16_t)bits;
    const uint8_t code = (uint8_t)(bits & ((1u << ct__dtype_bits(dtype) % 32) - 1));
    const uint8_t bits8 = ct_dtype_is_integer(dtype) && ct__is_small(dtype)
                              ? ct__wrap_small(dtype, bits)
                              : code;

    switch (ct_dtype_bytes(dtype)) {
    case 1: memcpy(element, &bits8, 1); break;
    case 2: memcpy(element, &bits16, 2); break;
    case 4: memcpy(element, &bits32, 4); break;
    default: memcpy(element, &bits, 8); break;
    }
}

static void *element_at(const ct__eval *q, int64_t i)
{
    return ct__at(q->out[1], ct_dtype_bytes(q->out_type[1]->dtype), i);
}

static bool is_wide(const ct__eval *q)
{
    return ct_dtype_bytes(q->out_type[1]->dtype) == 8;
}

/* The axis along which pairs of words lie: the first even one, else the longest. */
static int pair_axis(const ct_type *y)
{
    int axis = 0;

    for (int d = 0; d < y->rank; d++)
        if (y->dim[d] % 2 == 0)
            return d;
    for (int d = 1; d < y->rank; d++)
        if (y->dim[d] > y->dim[axis])
            axis = d;
    return axis;
}

/* A counter gives 64 bits: one wide element, or two neighbours along the axis of pairs. Returns how
 * many counters were used. */
static uint64_t fill_three_fry(const ct__eval *q, const uint64_t *state)
{
    const ct_type *y = q->out_type[1];
    const ct_key key = ct_key_new(state[0]);
    int64_t outer = 1, inner = 1, n = 1;

    if (is_wide(q)) {
        for (int64_t i = 0; i < y->size; i++)
            store_bits(y->dtype, element_at(q, i), ct__random_bits(key, state[1] + (uint64_t)i));
        return (uint64_t)y->size;
    }
    if (y->size == 0) /* the others' product may overflow */
        return 0;
    for (int d = 0, axis = pair_axis(y); d < y->rank; d++) {
        outer *= d < axis ? y->dim[d] : 1;
        inner *= d > axis ? y->dim[d] : 1;
        n = d == axis ? y->dim[d] : n;
    }
    uint64_t counter = state[1];
    for (int64_t o = 0; o < outer; o++)
        for (int64_t i = 0; i < n; i += 2)
            for (int64_t j = 0; j < inner; j++) {
                uint64_t bits = ct__random_bits(key, counter++);
                store_bits(y->dtype, element_at(q, (o * n + i) * inner + j), bits);
                if (i + 1 < n)
                    store_bits(y->dtype, element_at(q, (o * n + i + 1) * inner + j), bits >> 32);
            }
    return counter - state[1];
}

/* Philox-4x32 with 10 rounds (Salmon, Moraes, Dror, Shaw, 2011). */
static void philox(uint64_t key, uint64_t low, uint64_t high, uint32_t *x)
{
    uint32_t k0 = (uint32_t)key, k1 = (uint32_t)(key >> 32);

    x[0] = (uint32_t)low, x[1] = (uint32_t)(low >> 32);
    x[2] = (uint32_t)high, x[3] = (uint32_t)(high >> 32);
    for (int round = 0; round < 10; round++) {
        uint64_t a = (uint64_t)x[0] * 0xD2511F53, b = (uint64_t)x[2] * 0xCD9E8D57;

        x[0] = (uint32_t)(b >> 32) ^ x[1] ^ k0;
        x[1] = (uint32_t)b;
        x[2] = (uint32_t)(a >> 32) ^ x[3] ^ k1;
        x[3] = (uint32_t)a;
        k0 += 0x9E3779B9; /* the golden ratio, sqrt 3 - 1 */
        k1 += 0xBB67AE85;
    }
}

/* Element i stands in block i / per, of 128 bits. A state of two is (key, low half of the counter),
 * and its high half is the key. */
static uint64_t fill_philox(const ct__eval *q, const uint64_t *state, uint64_t *high)
{
    const ct_type *y = q->out_type[1];
    const int64_t per = is_wide(q) ? 2 : 4, blocks = y->size / per + (y->size % per != 0);
    uint32_t x[4];

    for (int64_t i = 0; i < blocks; i++) {
        uint64_t low = state[1] + (uint64_t)i;

        philox(state[0], low, *high + (low < state[1]), x);
        for (int64_t j = 0; j < per && i * per + j < y->size; j++)
            store_bits(y->dtype, element_at(q, i * per + j),
                       per == 4 ? x[j] : x[2 * j] | (uint64_t)x[2 * j + 1] << 32);
    }
    *high += state[1] + (uint64_t)blocks < state[1];
    return (uint64_t)blocks;
}

bool ct__meaning_rng_bit_generator(const ct__eval *q)
{
    const int64_t size = q->in_type[0]->dim[0];
    uint64_t state[3], high;

    memcpy(state, q->in[0], (size_t)size * sizeof *state);
    high = size == 3 ? state[2] : state[0];
    if (q->attrs->rng_bit_generator.rng_algorithm == CT_RNG_THREE_FRY)
        state[1] += fill_three_fry(q, state);
    else
        state[1] += fill_philox(q, state, &high);
    state[2] = high;
    memcpy(q->out[0], state, (size_t)size * sizeof *state);
    return true;
}
