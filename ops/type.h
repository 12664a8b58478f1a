/* Static types, and what dtypes can do. */
#ifndef CT_OPS_TYPE_H
#define CT_OPS_TYPE_H

#include "ops/memory.h"

#include <cotangent/dtype.h>
#include <cotangent/trace.h>

#define CT__MAX_RANK 64

typedef enum ct__kind {
    CT__TENSOR = 0,
    CT__TOKEN = 1,
    CT__TUPLE = 2, /* element[0 … n_elements - 1] */
    CT__STACK = 3  /* stack<element[0]> */
} ct__kind;

/* How integers stand for real numbers: (q - zero_point) · scale, along one axis or for all. */
typedef struct ct__quantized {
    ct_dtype expressed; /* of the real numbers */
    int64_t storage_min, storage_max;
    int axis;        /* whose slices have scales of their own; -1: one scale for all */
    size_t n_scales; /* 1, or the axis' extent */
    const double *scale;
    const int64_t *zero_point;
} ct__quantized;

/* Immutable; compared by structure. Whoever holds a type pointer knows whose memory it is: an
 * arena's or a tensor header's. */
struct ct_type {
    ct__kind kind;
    ct_dtype dtype;                 /* of tensors */
    const ct__quantized *quantized; /* NULL: plain; else dtype is that of the stored integers */
    int rank;
    const int64_t *dim;
    int64_t size; /* number of elements, computed once */
    size_t n_elements;
    const ct_type *const *element;
};

/* NULL when memory is short. The caller has checked dtype, rank, extents (ct__type_check). */
const ct_type *ct__type(ct__arena *arena, ct_dtype dtype, int rank, const int64_t *dim);
const ct_type *ct__type_token(ct__arena *arena);
const ct_type *ct__type_tuple(ct__arena *arena, size_t count, const ct_type *const *element);
const ct_type *ct__type_stack(ct__arena *arena, const ct_type *element);
const ct_type *ct__type_copy(ct__arena *arena, const ct_type *type);

/* The copy in one block of memory: its bytes, and the copy itself. `memory` is 8-byte aligned. */
size_t ct__type_bytes(const ct_type *type);
const ct_type *ct__type_copy_into(void *memory, const ct_type *type);

/* Whether extents make a type: CT_OK, CT_ERR_SHAPE (negative extent, rank above 64), CT_ERR_RANGE
 * (elements or bytes overflow), CT_ERR_ARGUMENT (no such dtype). */
ct_status ct__type_check(ct_dtype dtype, size_t rank, const int64_t *dim);

bool ct__type_equal(const ct_type *a, const ct_type *b);
bool ct__shape_equal(const ct_type *a, const ct_type *b);
/* Of a value's data: a tensor's elements; a tuple's elements one after the other, each from a
 * multiple of CT__ALIGN on; 0 for tokens and stacks. At most SIZE_MAX, which no memory has. */
size_t ct__data_bytes(const ct_type *type);
/* Where element i of a tuple begins; for i = n_elements, its end. */
size_t ct__element_offset(const ct_type *tuple, size_t i);

/* "f32[4,2]", "token", "tuple<f32[],bool[]>", "stack<f32[2]>". Writes at most `bytes` bytes with
 * the final 0, and returns buffer; longer texts end in "…". */
const char *ct__type_print(const ct_type *type, char *buffer, size_t bytes);

/* ---- Quantized tensors: quantized.c. */

/* Whether the type's quantization is one (types without are): StableHLO's C1 to C13 on quantized
 * types. CT_OK; or CT_ERR_TYPE or CT_ERR_SHAPE, and why in `message`. */
ct_status ct__quantized_check(const ct_type *type, char *message, size_t bytes);
bool ct__quantized_equal(const ct__quantized *a, const ct__quantized *b); /* NULL: plain */
/* Whether the bounds are those of the storage dtype itself. */
bool ct__has_full_storage(ct_dtype storage, const ct__quantized *q);
static inline bool ct__is_per_axis(const ct_type *type)
{
    return type->quantized && type->quantized->axis >= 0;
}
/* A tensor of x's elements, quantized as they are where they have one scale. NULL when memory is
 * short. */
const ct_type *ct__type_like(ct__arena *arena, const ct_type *x, int rank, const int64_t *dim);
/* The tensor with other elements: of the real numbers, or of the stored integers, or of these
 * integers quantized as `q` says (NULL: plain). Plain tensors are their own real and stored ones.
 * NULL when memory is short. */
const ct_type *ct__type_of_reals(ct__arena *arena, const ct_type *type);
const ct_type *ct__type_of_storage(ct__arena *arena, const ct_type *type);
const ct_type *ct__type_quantized(ct__arena *arena, const ct_type *type, const ct__quantized *q);

/* ---- Dtypes. */

/* Tensors of floats and of complex numbers; of f8E8M0FNU not: it has no 0. Tuples and stacks of
 * what has one. */
bool ct__has_tangent(const ct_type *type);
/* Whether it is a stack or has one among its elements. */
bool ct__has_stack(const ct_type *type);
ct_dtype ct__part_dtype(ct_dtype dtype);   /* f32 of c64, f64 of c128; other dtypes themselves */
ct_dtype ct__complex_dtype(ct_dtype part); /* c64 of f32, c128 of f64; else invalid */
unsigned ct__dtype_bits(ct_dtype dtype);   /* of what is stored: 4 for i4, 1 for bool */
/* Whether the byte is an element of a dtype of one byte: of less than 8 bits they lie lowest, and
 * signed integers have the sign in all the others. */
bool ct__byte_fits(ct_dtype dtype, uint8_t byte);
bool ct__is_narrow_float(ct_dtype dtype); /* below f32: sums are made in f32 */
int64_t ct__integer_min(ct_dtype dtype);
uint64_t ct__integer_max(ct_dtype dtype); /* of bool: 1 */

/* f16 and bf16 are computed through f32 and rounded to nearest, ties to even. */
float ct__f16_to_f32(uint16_t bits);
uint16_t ct__f32_to_f16(float value);
uint16_t ct__f64_to_f16(double value); /* rounded once, not through f32 */
float ct__bf16_to_f32(uint16_t bits);
uint16_t ct__f32_to_bf16(float value);
uint16_t ct__f64_to_bf16(double value);

/* Floats of 4 to 8 bits: small_float.c. Exact; rounded once. */
bool ct__is_small_float(ct_dtype dtype);
double ct__small_float_load(ct_dtype dtype, uint8_t code);
uint8_t ct__small_float_store(ct_dtype dtype, double x);
/* From this magnitude on, half a step above the largest number, values are too large. */
double ct__small_float_overflow(ct_dtype dtype);
/* The largest or the smallest number of a float dtype: infinite where it has infinities. */
double ct__float_bound(ct_dtype dtype, bool is_largest);

/* A double that rounds to f32 and shorter as the magnitude does: beyond 53 bits the last 11 become
 * one that says whether any was set, far below the bits that decide. So there is one rounding. */
double ct__odd_double(uint64_t magnitude);

/* One element of any dtype as a double (the real part of complex). */
double ct__load_double(ct_dtype dtype, const void *element);
/* The 64 bits of an integer or bool, sign- or zero-extended. */
uint64_t ct__load_integer(ct_dtype dtype, const void *element);
/* Rounds to a float dtype; false, and nothing is stored, when an integer dtype or bool cannot hold
 * the value exactly, and f8E8M0FNU one that is not above 0. Complex: imaginary part 0. */
bool ct__store_double(ct_dtype dtype, void *element, double value);
bool ct__store_signed(ct_dtype dtype, void *element, int64_t value);
bool ct__store_unsigned(ct_dtype dtype, void *element, uint64_t value);

#endif
