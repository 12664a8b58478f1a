#include "exec/interpret/reference.h"

#include <cotangent/op.h>

#include <assert.h>

#define T int8_t
#define U uint8_t
#define W uint32_t
#define BITS 8
#define SIGNED 1
#define N(name) name##_i8
#include "exec/interpret/reference_int.inc"

#define T int16_t
#define U uint16_t
#define W uint32_t
#define BITS 16
#define SIGNED 1
#define N(name) name##_i16
#include "exec/interpret/reference_int.inc"

#define T int32_t
#define U uint32_t
#define W uint32_t
#define BITS 32
#define SIGNED 1
#define N(name) name##_i32
#include "exec/interpret/reference_int.inc"

#define T int64_t
#define U uint64_t
#define W uint64_t
#define BITS 64
#define SIGNED 1
#define N(name) name##_i64
#include "exec/interpret/reference_int.inc"

#define T uint8_t
#define U uint8_t
#define W uint32_t
#define BITS 8
#define SIGNED 0
#define N(name) name##_u8
#include "exec/interpret/reference_int.inc"

#define T uint16_t
#define U uint16_t
#define W uint32_t
#define BITS 16
#define SIGNED 0
#define N(name) name##_u16
#include "exec/interpret/reference_int.inc"

#define T uint32_t
#define U uint32_t
#define W uint32_t
#define BITS 32
#define SIGNED 0
#define N(name) name##_u32
#include "exec/interpret/reference_int.inc"

#define T uint64_t
#define U uint64_t
#define W uint64_t
#define BITS 64
#define SIGNED 0
#define N(name) name##_u64
#include "exec/interpret/reference_int.inc"

#define INTEGER(dtype, unsigned_dtype)                                                             \
    const ct__reference ct__reference_##dtype = {.unary = unary_##dtype,                           \
                                                 .binary = binary_##dtype,                         \
                                                 .fold = fold_##dtype,                             \
                                                 .compare = compare_##dtype,                       \
                                                 .dot = ct__dot_##unsigned_dtype}

INTEGER(i8, u8);
INTEGER(i16, u16);
INTEGER(i32, u32);
INTEGER(i64, u64);
INTEGER(u8, u8);
INTEGER(u16, u16);
INTEGER(u32, u32);
INTEGER(u64, u64);

/* ---- bool: bytes 0 and 1; add is or, multiply is and. */

static void unary_bool(ct__op op, size_t n, void *y_, const void *x_)
{
    unsigned char *y = y_;
    const unsigned char *x = x_;

    assert(op == CT__OP_not);
    (void)op;
    CT__EACH(y[i] = x[i] ^ 1);
}

static void binary_bool(ct__op op, size_t n, void *z_, const void *x_, const void *y_)
{
    unsigned char *z = z_;
    const unsigned char *x = x_, *y = y_;

    switch (op) {
    case CT__OP_add:
    case CT__OP_maximum:
    case CT__OP_or: CT__EACH(z[i] = x[i] | y[i]); break;
    case CT__OP_multiply:
    case CT__OP_minimum:
    case CT__OP_and: CT__EACH(z[i] = x[i] & y[i]); break;
    case CT__OP_xor: CT__EACH(z[i] = x[i] ^ y[i]); break;
    default: assert(false); /* the table allows no other operation */
    }
}

static void fold_bool(ct__op op, size_t n, void *accumulator, const void *x, size_t stride)
{
    for (size_t i = 0; i < n; i++)
        binary_bool(op, 1, accumulator, accumulator, (const unsigned char *)x + i * stride);
}

const ct__reference ct__reference_bool = {.unary = unary_bool,
                                          .binary = binary_bool,
                                          .fold = fold_bool,
                                          .compare = compare_u8,
                                          .dot = ct__dot_bool};
