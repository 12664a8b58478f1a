/* The reference numerics, one table of array functions per dtype. */
#ifndef CT_EXEC_REFERENCE_H
#define CT_EXEC_REFERENCE_H

#include "exec/interpret/interpret.h"

typedef struct ct__reference {
    void (*unary)(ct__op op, size_t n, void *y, const void *x);
    void (*binary)(ct__op op, size_t n, void *z, const void *x, const void *y);
    void (*fold)(ct__op op, size_t n, void *accumulator, const void *x, size_t stride);
    void (*compare)(int direction, int type, size_t n, bool *z, const void *x, const void *y);
    void (*is_finite)(size_t n, bool *y, const void *x); /* of floats */
    void (*dot)(size_t m, size_t n, size_t k, void *c, const void *a, const void *b);
} ct__reference;

extern const ct__reference ct__reference_bool;
extern const ct__reference ct__reference_i8, ct__reference_i16, ct__reference_i32;
extern const ct__reference ct__reference_i64, ct__reference_u8, ct__reference_u16;
extern const ct__reference ct__reference_u32, ct__reference_u64;
extern const ct__reference ct__reference_f16, ct__reference_bf16;
extern const ct__reference ct__reference_f32, ct__reference_f64;
extern const ct__reference ct__reference_c64, ct__reference_c128;

/* reference_special.c: CHLO's functions of a double. The operation is one of them. */
double (*ct__special_unary(ct__op op))(double);
double (*ct__special_binary(ct__op op))(double, double);

/* reference_small.c: of the dtypes of less than 8 bits and the 8-bit floats, which have no table.
 */
bool ct__is_small(ct_dtype dtype);
uint8_t ct__wrap_small(ct_dtype dtype, uint64_t value); /* the low bits, extended to a byte */
void ct__small_unary(ct__op op, ct_dtype dtype, size_t n, void *y, const void *x);
void ct__small_binary(ct__op op, ct_dtype dtype, size_t n, void *z, const void *x, const void *y);
void ct__small_fold(ct__op op, ct_dtype dtype, size_t n, void *accumulator, const void *x_,
                    size_t stride);
void ct__small_compare(int direction, int type, ct_dtype dtype, size_t n, bool *z, const void *x_,
                       const void *y_);
void ct__small_is_finite(ct_dtype dtype, size_t n, bool *y, const void *x_);
void ct__small_dot(ct_dtype dtype, size_t m, size_t n, size_t k, void *c, const void *a,
                   const void *b);

/* reference_dot.c; integers wrap, so signed and unsigned share theirs. */
void ct__dot_bool(size_t m, size_t n, size_t k, void *c, const void *a, const void *b);
void ct__dot_u8(size_t m, size_t n, size_t k, void *c, const void *a, const void *b);
void ct__dot_u16(size_t m, size_t n, size_t k, void *c, const void *a, const void *b);
void ct__dot_u32(size_t m, size_t n, size_t k, void *c, const void *a, const void *b);
void ct__dot_u64(size_t m, size_t n, size_t k, void *c, const void *a, const void *b);
void ct__dot_f32(size_t m, size_t n, size_t k, void *c, const void *a, const void *b);
void ct__dot_f64(size_t m, size_t n, size_t k, void *c, const void *a, const void *b);
void ct__dot_c64(size_t m, size_t n, size_t k, void *c, const void *a, const void *b);
void ct__dot_c128(size_t m, size_t n, size_t k, void *c, const void *a, const void *b);

/* reference.c */
void ct__reference_compare(int direction, int type, ct_dtype dtype, size_t n, bool *z,
                           const void *x, const void *y);
void ct__reference_is_finite(ct_dtype dtype, size_t n, bool *y, const void *x);

/* reference_convert.c */
void ct__reference_convert(ct_dtype to, ct_dtype from, size_t n, void *y, const void *x);
/* reference_quantize.c */
void ct__reference_dequantize(const ct__scaling *s, size_t n, void *y_, const void *x_);
void ct__reference_quantize(const ct__scaling *s, size_t n, void *y_, const void *x_);
void ct__reference_iota(ct_dtype dtype, size_t n, void *y, int64_t first);
void ct__reference_real(ct_dtype dtype, void *y, double value);

/* Before a loop whose iterations touch distinct elements: it may be vectorised even where the
 * output is one of the inputs. */
#if defined(__clang__)
/* Loops that call the C library cannot be vectorised, and need not. */
#pragma clang diagnostic ignored "-Wpass-failed"
#define CT__INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#elif defined(__GNUC__)
#define CT__INDEPENDENT _Pragma("GCC ivdep")
#else
#define CT__INDEPENDENT
#endif

/* CT__EACH(y[i] = f(x[i])): the statement for i = 0 … n-1. */
#define CT__EACH(...)                                                                              \
    do {                                                                                           \
        CT__INDEPENDENT                                                                            \
        for (size_t i = 0; i < n; i++)                                                             \
            __VA_ARGS__;                                                                           \
    } while (0)

/* Same for the six directions of a comparison. */
#define CT__COMPARE(direction, a, b)                                                               \
    do {                                                                                           \
        switch (direction) {                                                                       \
        case CT_EQ: CT__EACH(z[i] = (a) == (b)); break;                                            \
        case CT_NE: CT__EACH(z[i] = (a) != (b)); break;                                            \
        case CT_GE: CT__EACH(z[i] = (a) >= (b)); break;                                            \
        case CT_GT: CT__EACH(z[i] = (a) > (b)); break;                                             \
        case CT_LE: CT__EACH(z[i] = (a) <= (b)); break;                                            \
        default: CT__EACH(z[i] = (a) < (b)); break;                                                \
        }                                                                                          \
    } while (0)

#endif
