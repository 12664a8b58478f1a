/* Element types. */
#ifndef COTANGENT_DTYPE_H
#define COTANGENT_DTYPE_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The numbers are stable and never reused. Elements are stored in native byte order; bool is one
 * byte, 0 or 1; complex is the real part, then the imaginary part. */
typedef enum ct_dtype {
    CT_INVALID_DTYPE = 0,
    CT_BOOL = 1,
    CT_I8 = 2,
    CT_I16 = 3,
    CT_I32 = 4,
    CT_I64 = 5,
    CT_U8 = 6,
    CT_U16 = 7,
    CT_U32 = 8,
    CT_U64 = 9,
    CT_F16 = 10,  /* IEEE binary16 */
    CT_BF16 = 11, /* the upper half of binary32 */
    CT_F32 = 12,
    CT_F64 = 13,
    CT_C64 = 14,  /* two f32 */
    CT_C128 = 15, /* two f64 */
    /* one byte each, in its low bits: integers sign- or zero-extended, floats as their code */
    CT_I2 = 16,
    CT_I4 = 17,
    CT_U2 = 18,
    CT_U4 = 19,
    CT_F4E2M1FN = 20, /* 2 exponent bits, 1 of fraction; FN: no infinities; UZ: no -0 */
    CT_F6E2M3FN = 21,
    CT_F6E3M2FN = 22,
    CT_F8E3M4 = 23,
    CT_F8E4M3 = 24,
    CT_F8E4M3FN = 25,
    CT_F8E4M3FNUZ = 26,
    CT_F8E4M3B11FNUZ = 27, /* bias 11 */
    CT_F8E5M2 = 28,
    CT_F8E5M2FNUZ = 29,
    CT_F8E8M0FNU = 30, /* a power of two: no sign, no zero */
    CT_DTYPE_COUNT = 31
} ct_dtype;

/* "f32" for CT_F32 and so on; "invalid" for other numbers. */
CT_API const char *ct_dtype_name(ct_dtype dtype);

/* Bytes of one element; 0 for an invalid dtype. */
CT_API size_t ct_dtype_bytes(ct_dtype dtype);

CT_API bool ct_dtype_is_float(ct_dtype dtype);   /* f4E2M1FN … f64 */
CT_API bool ct_dtype_is_integer(ct_dtype dtype); /* i2 … u64, not bool */
CT_API bool ct_dtype_is_signed(ct_dtype dtype);  /* i2 … i64 */
CT_API bool ct_dtype_is_complex(ct_dtype dtype); /* c64, c128 */

#ifdef __cplusplus
}
#endif
#endif
