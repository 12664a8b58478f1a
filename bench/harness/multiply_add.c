#include "multiply_add.h"

#include <stddef.h>

/* Sums that do not wait for one another, enough for two units with a latency of five cycles. */
enum { SUMS = 12, STEPS = 1 << 14 };

static volatile float sink;

#ifdef __x86_64__
#include <immintrin.h>

#define DEFINE(name, features, vector, splat, step, first)                                         \
    __attribute__((target(features))) static bool name(void *user)                                 \
    {                                                                                              \
        vector sum[SUMS], x = splat(0.999f), y = splat(0.001f);                                    \
        (void)user;                                                                                \
        for (int l = 0; l < SUMS; l++)                                                             \
            sum[l] = splat((float)l);                                                              \
        for (int i = 0; i < STEPS; i++) {                                                          \
            UNROLLED(step)                                                                         \
        }                                                                                          \
        for (int l = 1; l < SUMS; l++)                                                             \
            sum[0] = step(sum[0], x, sum[l]);                                                      \
        sink = first(sum[0]);                                                                      \
        return true;                                                                               \
    }
#define ONE(step, l) sum[l] = step(sum[l], x, y);
#define UNROLLED(step)                                                                             \
    ONE(step, 0)                                                                                   \
    ONE(step, 1)                                                                                   \
    ONE(step, 2)                                                                                   \
    ONE(step, 3)                                                                                   \
    ONE(step, 4)                                                                                   \
    ONE(step, 5) ONE(step, 6) ONE(step, 7) ONE(step, 8) ONE(step, 9) ONE(step, 10) ONE(step, 11)
#define SEPARATE(a, b, c) _mm_add_ps(_mm_mul_ps(a, b), c)

/* clang-format off */
DEFINE(run_sse2, "sse2", __m128, _mm_set1_ps, SEPARATE, _mm_cvtss_f32)
DEFINE(run_avx2, "avx2,fma", __m256, _mm256_set1_ps, _mm256_fmadd_ps, _mm256_cvtss_f32)
DEFINE(run_avx512, "avx512f", __m512, _mm512_set1_ps, _mm512_fmadd_ps, _mm512_cvtss_f32)
/* clang-format on */

static bool has_sse2(void)
{
    return true;
}

static bool has_avx2(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}

static bool has_avx512(void)
{
    return __builtin_cpu_supports("avx512f");
}

static const instruction_set sets[] = {{"sse2", 2.0 * SUMS *STEPS * 4, run_sse2, has_sse2},
                                       {"avx2", 2.0 * SUMS *STEPS * 8, run_avx2, has_avx2},
                                       {"avx512", 2.0 * SUMS *STEPS * 16, run_avx512, has_avx512}};
#else
static bool run_plain(void *user)
{
    enum { LANES = 64 };
    float sum[LANES];
    (void)user;
    for (int l = 0; l < LANES; l++)
        sum[l] = (float)l;
    for (int i = 0; i < STEPS; i++)
        for (int l = 0; l < LANES; l++)
            sum[l] = sum[l] * 0.999f + 0.001f;
    for (int l = 1; l < LANES; l++)
        sum[0] += sum[l];
    sink = sum[0];
    return true;
}

static bool is_always_here(void)
{
    return true;
}

static const instruction_set sets[] = {{"baseline", 2.0 * 64 * STEPS, run_plain, is_always_here}};
#endif

const instruction_set *instruction_set_at(unsigned i)
{
    return i < sizeof sets / sizeof *sets ? &sets[i] : NULL;
}
