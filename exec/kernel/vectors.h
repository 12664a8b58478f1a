/* Vectors of the instruction set that a file is compiled for: `ct__v32` of floats and `ct__v64` of
 * doubles, which lie anywhere an element may lie, CT__VECTOR bytes each.
 *
 *   fma        a·b + c, every element rounded once
 *   load_part  the first `count` elements from x, and zeros; store_part stores only so many */
#ifndef CT_EXEC_VECTORS_H
#define CT_EXEC_VECTORS_H

#include "exec/kernel/elementary.h"

#if defined(__AVX512F__) || defined(__AVX2__)
#include <immintrin.h>
#elif defined(__ARM_NEON) && defined(__aarch64__)
#include <arm_neon.h>
#endif

#if defined(__AVX512F__)
#define CT__VECTOR 64
#elif defined(__AVX2__)
#define CT__VECTOR 32
#else
#define CT__VECTOR 16
#endif

typedef float ct__v32 __attribute__((vector_size(CT__VECTOR), aligned(4), may_alias));
typedef double ct__v64 __attribute__((vector_size(CT__VECTOR), aligned(8), may_alias));

#ifdef __clang__
#define CT__UNROLLED /* clang unrolls loops of constant length by itself */
#else
#define CT__UNROLLED _Pragma("GCC unroll 8")
#endif

/* A vector that a loop adds to stays in its register: else gcc stores it in every turn. */
#if defined(__x86_64__) && !defined(__clang__)
#define CT__SETTLE(x) __asm__("" : "+v"(x))
#else
#define CT__SETTLE(x) ((void)0)
#endif

/* Keeps a loop from being made one of vectors: gathers of vectors are slower than loads. */
#define CT__ONE_BY_ONE __asm__("")

static inline ct__v32 ct__v32_repeat(float x)
{
    return x - (ct__v32){0};
}

static inline ct__v64 ct__v64_repeat(double x)
{
    return x - (ct__v64){0};
}

#if defined(__AVX512F__)

static inline ct__v32 ct__v32_fma(ct__v32 a, ct__v32 b, ct__v32 c)
{
    return (ct__v32)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c);
}

static inline ct__v64 ct__v64_fma(ct__v64 a, ct__v64 b, ct__v64 c)
{
    return (ct__v64)_mm512_fmadd_pd((__m512d)a, (__m512d)b, (__m512d)c);
}

static inline ct__v32 ct__v32_load_part(const float *x, size_t count)
{
    return (ct__v32)_mm512_maskz_loadu_ps((__mmask16)((1u << count) - 1), x);
}

static inline ct__v64 ct__v64_load_part(const double *x, size_t count)
{
    return (ct__v64)_mm512_maskz_loadu_pd((__mmask8)((1u << count) - 1), x);
}

static inline void ct__v32_store_part(float *y, ct__v32 x, size_t count)
{
    _mm512_mask_storeu_ps(y, (__mmask16)((1u << count) - 1), (__m512)x);
}

static inline void ct__v64_store_part(double *y, ct__v64 x, size_t count)
{
    _mm512_mask_storeu_pd(y, (__mmask8)((1u << count) - 1), (__m512d)x);
}

#elif defined(__AVX2__)

static inline ct__v32 ct__v32_fma(ct__v32 a, ct__v32 b, ct__v32 c)
{
    return (ct__v32)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
}

static inline ct__v64 ct__v64_fma(ct__v64 a, ct__v64 b, ct__v64 c)
{
    return (ct__v64)_mm256_fmadd_pd((__m256d)a, (__m256d)b, (__m256d)c);
}

/* All ones in the first `count` elements. */
static inline __m256i ct__mask32(size_t count)
{
    const __m256i number = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    return _mm256_cmpgt_epi32(_mm256_set1_epi32((int)count), number);
}

static inline __m256i ct__mask64(size_t count)
{
    const __m256i number = _mm256_setr_epi64x(0, 1, 2, 3);
    return _mm256_cmpgt_epi64(_mm256_set1_epi64x((int64_t)count), number);
}

static inline ct__v32 ct__v32_load_part(const float *x, size_t count)
{
    return (ct__v32)_mm256_maskload_ps(x, ct__mask32(count));
}

static inline ct__v64 ct__v64_load_part(const double *x, size_t count)
{
    return (ct__v64)_mm256_maskload_pd(x, ct__mask64(count));
}

static inline void ct__v32_store_part(float *y, ct__v32 x, size_t count)
{
    _mm256_maskstore_ps(y, ct__mask32(count), (__m256)x);
}

static inline void ct__v64_store_part(double *y, ct__v64 x, size_t count)
{
    _mm256_maskstore_pd(y, ct__mask64(count), (__m256d)x);
}

#else

#if defined(__ARM_NEON) && defined(__aarch64__)

static inline ct__v32 ct__v32_fma(ct__v32 a, ct__v32 b, ct__v32 c)
{
    return (ct__v32)vfmaq_f32((float32x4_t)c, (float32x4_t)a, (float32x4_t)b);
}

static inline ct__v64 ct__v64_fma(ct__v64 a, ct__v64 b, ct__v64 c)
{
    return (ct__v64)vfmaq_f64((float64x2_t)c, (float64x2_t)a, (float64x2_t)b);
}

#else

static inline ct__v32 ct__v32_fma(ct__v32 a, ct__v32 b, ct__v32 c)
{
    for (int i = 0; i < 4; i++)
        c[i] = ct__fma(a[i], b[i], c[i]);
    return c;
}

static inline ct__v64 ct__v64_fma(ct__v64 a, ct__v64 b, ct__v64 c)
{
    for (int i = 0; i < 2; i++)
        c[i] = ct__fma64(a[i], b[i], c[i]);
    return c;
}

#endif

static inline ct__v32 ct__v32_load_part(const float *x, size_t count)
{
    ct__v32 y = {0};
    for (size_t i = 0; i < count; i++)
        y[i] = x[i];
    return y;
}

static inline ct__v64 ct__v64_load_part(const double *x, size_t count)
{
    ct__v64 y = {0};
    for (size_t i = 0; i < count; i++)
        y[i] = x[i];
    return y;
}

static inline void ct__v32_store_part(float *y, ct__v32 x, size_t count)
{
    for (size_t i = 0; i < count; i++)
        y[i] = x[i];
}

static inline void ct__v64_store_part(double *y, ct__v64 x, size_t count)
{
    for (size_t i = 0; i < count; i++)
        y[i] = x[i];
}

#endif

/* ---- Around the caches: a vector from anywhere to where one begins. */

#if defined(__AVX512F__)

static inline void ct__stream(void *y, const void *x)
{
    _mm512_stream_si512((__m512i *)y, _mm512_loadu_si512(x));
}

#elif defined(__AVX2__)

static inline void ct__stream(void *y, const void *x)
{
    _mm256_stream_si256((__m256i *)y, _mm256_loadu_si256((const __m256i *)x));
}

#else

static inline void ct__stream(void *y, const void *x)
{
    memcpy(y, x, CT__VECTOR);
}

#endif

/* After the last of them, before others are told. */
static inline void ct__stream_end(void)
{
#if defined(__AVX2__)
    _mm_sfence();
#endif
}

/* ---- Transposition of small squares: rows of `to` and of `from` lie so many elements apart. */

typedef uint32_t ct__eight __attribute__((vector_size(32), aligned(4), may_alias));
typedef uint64_t ct__four __attribute__((vector_size(32), aligned(8), may_alias));

/* The elements of x and then of y, picked by number. */
#if defined(__clang__) || __GNUC__ >= 12
#define CT__SHUFFLED(type, x, y, ...) __builtin_shufflevector(x, y, __VA_ARGS__)
#else
#define CT__SHUFFLED(type, x, y, ...) __builtin_shuffle(x, y, (type){__VA_ARGS__})
#endif

/* 8 rows of 8 elements of 4 bytes: pairs, then pairs of pairs, then halves. */
static inline __attribute__((always_inline)) void
ct__transpose_8x8(void *to, int64_t to_row, const void *from, int64_t from_row)
{
    uint32_t *y_ = to;
    const uint32_t *x_ = from;
    ct__eight x[8], y[8];
    for (int i = 0; i < 8; i++)
        x[i] = *(const ct__eight *)(x_ + i * from_row);
    for (int i = 0; i < 8; i += 2) {
        y[i] = CT__SHUFFLED(ct__eight, x[i], x[i + 1], 0, 8, 1, 9, 4, 12, 5, 13);
        y[i + 1] = CT__SHUFFLED(ct__eight, x[i], x[i + 1], 2, 10, 3, 11, 6, 14, 7, 15);
    }
    for (int i = 0; i < 8; i += 4)
        for (int k = 0; k < 2; k++) {
            x[i + 2 * k] = CT__SHUFFLED(ct__eight, y[i + k], y[i + k + 2], 0, 1, 8, 9, 4, 5, 12,
                                        13);
            x[i + 2 * k + 1] = CT__SHUFFLED(ct__eight, y[i + k], y[i + k + 2], 2, 3, 10, 11, 6, 7,
                                            14, 15);
        }
    for (int i = 0; i < 4; i++) {
        *(ct__eight *)(y_ + i * to_row) = CT__SHUFFLED(ct__eight, x[i], x[i + 4], 0, 1, 2, 3, 8, 9,
                                                       10, 11);
        *(ct__eight *)(y_ + (i + 4) * to_row) = CT__SHUFFLED(ct__eight, x[i], x[i + 4], 4, 5, 6, 7,
                                                             12, 13, 14, 15);
    }
}

/* 4 rows of 4 elements of 8 bytes. */
static inline __attribute__((always_inline)) void
ct__transpose_4x4(void *to, int64_t to_row, const void *from, int64_t from_row)
{
    uint64_t *y_ = to;
    const uint64_t *x_ = from;
    ct__four x[4], y[4];
    for (int i = 0; i < 4; i++)
        x[i] = *(const ct__four *)(x_ + i * from_row);
    for (int i = 0; i < 4; i += 2) {
        y[i] = CT__SHUFFLED(ct__four, x[i], x[i + 1], 0, 4, 2, 6);
        y[i + 1] = CT__SHUFFLED(ct__four, x[i], x[i + 1], 1, 5, 3, 7);
    }
    for (int i = 0; i < 2; i++) {
        *(ct__four *)(y_ + i * to_row) = CT__SHUFFLED(ct__four, y[i], y[i + 2], 0, 1, 4, 5);
        *(ct__four *)(y_ + (i + 2) * to_row) = CT__SHUFFLED(ct__four, y[i], y[i + 2], 2, 3, 6, 7);
    }
}

#endif
