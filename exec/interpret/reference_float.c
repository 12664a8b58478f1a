#include "exec/interpret/reference.h"

#include <cotangent/op.h>

#include <assert.h>
#include <math.h>
#include <string.h>

#define T uint16_t
#define S int16_t
#define BITS 16
#define C float
#define F(name) name##f
#define LOAD(x) ct__f16_to_f32(x)
#define STORE(c) ct__f32_to_f16(c)
#define ROUND(d) ct__f64_to_f16(d)
#define N(name) name##_f16
#include "exec/interpret/reference_float.inc"

#define T uint16_t
#define S int16_t
#define BITS 16
#define C float
#define F(name) name##f
#define LOAD(x) ct__bf16_to_f32(x)
#define STORE(c) ct__f32_to_bf16(c)
#define ROUND(d) ct__f64_to_bf16(d)
#define N(name) name##_bf16
#include "exec/interpret/reference_float.inc"

#define T float
#define S int32_t
#define BITS 32
#define C float
#define F(name) name##f
#define LOAD(x) (x)
#define STORE(c) ((float)(c))
#define ROUND(d) ((float)(d))
#define N(name) name##_f32
#include "exec/interpret/reference_float.inc"

#define T double
#define S int64_t
#define BITS 64
#define C double
#define F(name) name
#define LOAD(x) (x)
#define STORE(c) ((double)(c))
#define ROUND(d) (d)
#define N(name) name##_f64
#include "exec/interpret/reference_float.inc"

/* f16 and bf16 are multiplied as f32. */
const ct__reference ct__reference_f16 = {.unary = unary_f16,
                                         .binary = binary_f16,
                                         .fold = fold_f16,
                                         .compare = compare_f16,
                                         .is_finite = is_finite_f16};
const ct__reference ct__reference_bf16 = {.unary = unary_bf16,
                                          .binary = binary_bf16,
                                          .fold = fold_bf16,
                                          .compare = compare_bf16,
                                          .is_finite = is_finite_bf16};
const ct__reference ct__reference_f32 = {.unary = unary_f32,
                                         .binary = binary_f32,
                                         .fold = fold_f32,
                                         .compare = compare_f32,
                                         .is_finite = is_finite_f32,
                                         .dot = ct__dot_f32};
const ct__reference ct__reference_f64 = {.unary = unary_f64,
                                         .binary = binary_f64,
                                         .fold = fold_f64,
                                         .compare = compare_f64,
                                         .is_finite = is_finite_f64,
                                         .dot = ct__dot_f64};
