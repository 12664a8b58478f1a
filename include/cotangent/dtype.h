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
    CT_DTYPE_COUNT = 16
} ct_dtype;

/* "f32" for CT_F32 and so on; "invalid" for other numbers. */
CT_API const char *ct_dtype_name(ct_dtype dtype);

/* Bytes of one element; 0 for an invalid dtype. */
CT_API size_t ct_dtype_bytes(ct_dtype dtype);

CT_API bool ct_dtype_is_float(ct_dtype dtype);   /* f16, bf16, f32, f64 */
CT_API bool ct_dtype_is_integer(ct_dtype dtype); /* i8 … u64, not bool */
CT_API bool ct_dtype_is_signed(ct_dtype dtype);  /* i8 … i64 */
CT_API bool ct_dtype_is_complex(ct_dtype dtype); /* c64, c128 */

#ifdef __cplusplus
}
#endif
#endif
