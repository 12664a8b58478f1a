/* Type inference of elementwise, choosing, making and data-moving operations: right result types,
 * and every numbered constraint broken alone. The others: test_infer_index.c, test_infer_control.c.
 */
#include "tests/check.h"
#include "tests/infer.h"

#include <cotangent/op.h>

#include <stdio.h>
#include <string.h>

/* ---- C1 of the elementwise operations, for every operation and dtype. */

static const char *class_text(unsigned classes)
{
    switch (classes) {
    case CT__INTS: return "an integer";
    case CT__FLOATS: return "a float";
    case CT__BOOLS: return "a bool";
    case CT__INTS | CT__BOOLS: return "an integer or bool";
    case CT__INTS | CT__FLOATS: return "an integer or float";
    case CT__FLOATS | CT__COMPLEXES: return "a float or complex";
    case CT__SIGNED | CT__FLOATS | CT__COMPLEXES: return "a signed integer, float or complex";
    case CT__INTS | CT__FLOATS | CT__COMPLEXES: return "an integer, float or complex";
    case CT__INTS | CT__FLOATS | CT__BOOLS: return "an integer, float or bool";
    default: return "?";
    }
}

static bool same_type_in_and_out(ct__op op)
{
    static const ct__op other[] = {CT__OP_convert,
                                   CT__OP_compare,
                                   CT__OP_select,
                                   CT__OP_is_finite,
                                   CT__OP_real,
                                   CT__OP_imag,
                                   CT__OP_complex,
                                   CT__OP_reduce_precision,
                                   CT__OP_uniform_quantize,
                                   CT__OP_uniform_dequantize};

    for (size_t i = 0; i < sizeof other / sizeof other[0]; i++)
        if (op == other[i])
            return false;
    return ct__has(op, CT__ELEMENTWISE);
}

static void check_dtype(ct__op op, ct_dtype dtype)
{
    const ct__op_info *info = ct__op_describe(op);
    char operands[64], type[32], first[32], result[32], message[128] = "";
    ct_status status = CT_OK;
    bool open;

    snprintf(type, sizeof type, "%s[2,3]", ct_dtype_name(dtype));
    snprintf(result, sizeof result, "%s[2,3]",
             ct_dtype_name(op == CT__OP_abs ? ct__part_dtype(dtype) : dtype));
    snprintf(operands, sizeof operands, "%s", type);
    for (size_t i = 1; i < ct__op_arity(op, &open); i++)
        snprintf(operands + strlen(operands), sizeof operands - strlen(operands), " %s", type);
    snprintf(first, sizeof first, "%.*s", (int)strcspn(info->operands, " "), info->operands);
    if (!(info->dtypes & ct__class_of(dtype))) {
        status = CT_ERR_TYPE;
        snprintf(message, sizeof message, "%s must be %s, got %s", first, class_text(info->dtypes),
                 type);
    }
    const infer_case c = {__LINE__, op,      NO_ATTRS,
                          operands, "",      status == CT_OK ? result : NULL,
                          status,   message, NULL};
    check_infer_cases(info->name, 1, &c);
}

TEST(elementwise_C1_every_operation_and_dtype)
{
    int operations = 0;

    for (int op = 0; op < CT__OP_COUNT; op++) {
        if (!same_type_in_and_out((ct__op)op))
            continue;
        operations++;
        for (int dtype = 1; dtype < CT_DTYPE_COUNT; dtype++)
            check_dtype((ct__op)op, (ct_dtype)dtype);
    }
    CHECK(operations >= 40);
}

static const infer_case elementwise[] = {
    GOOD(tanh, "f32[]", "f32[]", NO_ATTRS),
    GOOD(tanh, "bf16[0,3]", "bf16[0,3]", NO_ATTRS),
    GOOD(negate, "i8[1,2,3,4,5,6]", "i8[1,2,3,4,5,6]", NO_ATTRS),
    GOOD(is_finite, "f16[2,3]", "bool[2,3]", NO_ATTRS),
    BAD(is_finite, "i32[3]", TYPE, "x must be a float, got i32[3]", NO_ATTRS), /* C1 */
    BAD(tanh, "token", TYPE, "x must be a tensor, got token", NO_ATTRS),
    BAD(tanh, "NULL", ARGUMENT, "x is NULL", NO_ATTRS),
    BAD(tanh, "", ARGUMENT, "takes 1 operand, got 0", NO_ATTRS),
    BAD(tanh, "f32[] f32[]", ARGUMENT, "takes 1 operand, got 2", NO_ATTRS),
    BAD_BODY(tanh, "f32[]", "-> f32[]", ARGUMENT, "takes 0 bodies, got 1", NO_ATTRS),

    GOOD(convert, "i32[2,3]", "f16[2,3]", {.convert = {CT_F16}}),
    GOOD(convert, "c64[0]", "bool[0]", {.convert = {CT_BOOL}}),
    GOOD(convert, "f64[]", "c128[]", {.convert = {CT_C128}}),
    BAD(convert, "f32[]", TYPE, "dtype = 0 must be an element type", {.convert = {0}}),   /* C1 */
    BAD(convert, "f32[]", TYPE, "dtype = 99 must be an element type", {.convert = {99}}), /* C1 */
    BAD(convert, "f32[1152921504606846976]", RANGE,
        "the result's shape [1152921504606846976] has too many elements", {.convert = {CT_C128}}),

    GOOD(add, "f32[] f32[]", "f32[]", NO_ATTRS),
    GOOD(add, "u8[1,2,3,4,5,6] u8[1,2,3,4,5,6]", "u8[1,2,3,4,5,6]", NO_ATTRS),
    GOOD(scale, "f32[0] f32[0]", "f32[0]", NO_ATTRS),
    GOOD(scale_either, "c64[3] c64[3]", "c64[3]", NO_ATTRS),
    BAD(add, "f32[3] f64[3]", TYPE, "x and y must have one dtype, got f32[3] and f64[3]",
        NO_ATTRS), /* C2 */
    BAD(add, "f32[3] f32[4]", SHAPE, "x and y must have one shape, got f32[3] and f32[4]",
        NO_ATTRS), /* C2 */
    BAD(add, "f32[3] f32[]", SHAPE, "x and y must have one shape, got f32[3] and f32[]",
        NO_ATTRS), /* C2 */
    BAD(atan2, "f32[1] f32[1,1]", SHAPE, "y and x must have one shape, got f32[1] and f32[1,1]",
        NO_ATTRS), /* C2 */
    BAD(shift_left, "i32[3] u32[3]", TYPE,
        "x and amount must have one dtype, got i32[3] and u32[3]", NO_ATTRS), /* C2 */
    BAD(scale, "i32[3] i32[3]", TYPE, "t must be a float or complex, got i32[3]",
        NO_ATTRS), /* C1 */
    BAD(add, "f32[3] token", TYPE, "y must be a tensor, got token", NO_ATTRS),
    BAD(add, "f32[3] NULL", ARGUMENT, "y is NULL", NO_ATTRS),
    BAD(add, "f32[3]", ARGUMENT, "takes 2 operands, got 1", NO_ATTRS),
};

TEST(elementwise_types)
{
    CHECK_CASES(elementwise);
}

/* ---- C2 of the elementwise operations of two operands. */

/* Operand 1 is of type `other` where operand 0 is of type `type`. */
static void check_two(ct__op op, const char *type, const char *other, ct_status status,
                      const char *what)
{
    const char *names = ct__op_describe(op)->operands;
    const int first = (int)strcspn(names, " ");
    char operands[64], message[160];

    snprintf(operands, sizeof operands, "%s %s", type, other);
    snprintf(message, sizeof message, "%.*s and %s must have one %s, got %s and %s", first, names,
             names + first + 1, what, type, other);
    const infer_case c = {__LINE__, op, NO_ATTRS, operands, "", NULL, status, message, NULL};
    check_infer_cases(__FILE__, 1, &c);
}

/* A dtype of the row's, and another. */
static void check_two_operands(ct__op op)
{
    const unsigned classes = ct__op_describe(op)->dtypes;
    const bool is_float = (classes & CT__FLOATS) != 0;
    const char *type = is_float ? "f32[2,3]" : "u8[2,3]";

    check_two(op, type, is_float ? "f16[2,3]" : "u16[2,3]", CT_ERR_TYPE, "dtype");
    check_two(op, type, is_float ? "f32[3,2]" : "u8[3,2]", CT_ERR_SHAPE, "shape");
    check_two(op, type, is_float ? "f32[]" : "u8[]", CT_ERR_SHAPE, "shape");
}

TEST(elementwise_C2_every_operation)
{
    int operations = 0;
    bool open;

    for (int op = 0; op < CT__OP_COUNT; op++)
        if (same_type_in_and_out((ct__op)op) && ct__op_arity((ct__op)op, &open) == 2) {
            check_two_operands((ct__op)op);
            operations++;
        }
    CHECK(operations >= 20);
}

/* ---- Parts and bits. */

static const infer_case bits[] = {
    GOOD(real, "c64[2,3]", "f32[2,3]", NO_ATTRS),
    GOOD(imag, "bf16[]", "bf16[]", NO_ATTRS),
    BAD(real, "i32[2]", TYPE, "x must be a float or complex, got i32[2]", NO_ATTRS),   /* C1 */
    BAD(imag, "bool[2]", TYPE, "x must be a float or complex, got bool[2]", NO_ATTRS), /* C1 */
    GOOD(complex, "f64[2] f64[2]", "c128[2]", NO_ATTRS),
    BAD(complex, "f32[2] f64[2]", TYPE, "re and im must have one dtype, got f32[2] and f64[2]",
        NO_ATTRS), /* C1 */
    BAD(complex, "f32[2] f32[]", SHAPE, "re and im must have one shape, got f32[2] and f32[]",
        NO_ATTRS),                                                                         /* C1 */
    BAD(complex, "bf16[2] bf16[2]", TYPE, "re must be f32 or f64, got bf16[2]", NO_ATTRS), /* C2 */
    GOOD(bitcast_convert, "u8[3,4]", "f32[3]", {.bitcast_convert = {CT_F32}}),
    GOOD(bitcast_convert, "u8[]", "i2[4]", {.bitcast_convert = {CT_I2}}),
    BAD(bitcast_convert, "u8[4,3]", SHAPE,
        "u8[4,3] of 8 bits each cannot be read as f32, of 32 bits",
        {.bitcast_convert = {CT_F32}}), /* C1 */
    BAD(bitcast_convert, "u8[]", SHAPE, "u8[] of 8 bits each cannot be read as u16, of 16 bits",
        {.bitcast_convert = {CT_U16}}), /* C1 */
    BAD(bitcast_convert, "c64[2]", TYPE,
        "both dtypes must be complex or neither, got c64[2] and f64",
        {.bitcast_convert = {CT_F64}}), /* C2 */
    GOOD(reduce_precision, "f16[2]", "f16[2]", {.reduce_precision = {1, 0}}),
    BAD(reduce_precision, "i8[2]", TYPE, "x must be a float, got i8[2]",
        {.reduce_precision = {5, 2}}),
    BAD(reduce_precision, "f16[2]", SHAPE, "exponent_bits = 0 must be at least 1",
        {.reduce_precision = {0, 2}}), /* C2 */
    BAD(reduce_precision, "f16[2]", SHAPE, "mantissa_bits = -1 must not be negative",
        {.reduce_precision = {5, -1}}), /* C3 */
    BAD_GIVEN(uniform_quantize, "f32[2]", "q<i8:f32:0,{0.5}>[2]", SHAPE,
              "the type q<i8:f32:0,{0.5}>[2] of result 0 is wrong: axis 0 of extent 2 must have as "
              "many scales, not 1",
              NO_ATTRS), /* C1 */
    BAD_GIVEN(uniform_quantize, "f32[2]", "q<i8:f64,0.5>[2]", TYPE,
              "result 0 must be quantized and express f32, not q<i8:f64,0.5>[2]",
              NO_ATTRS), /* C2 */
};

TEST(parts_and_bits)
{
    CHECK_CASES(bits);
}

/* ---- Choosing. */

#define COMPARE(direction, type)                                                                   \
    {                                                                                              \
        .compare = { direction, type }                                                             \
    }

static const infer_case choosing[] = {
    GOOD(compare, "f32[2,3] f32[2,3]", "bool[2,3]", COMPARE(CT_LT, CT_COMPARE_DEFAULT)),
    GOOD(compare, "bool[] bool[]", "bool[]", COMPARE(CT_GE, CT_COMPARE_UNSIGNED)),
    GOOD(compare, "f16[0] f16[0]", "bool[0]", COMPARE(CT_LT, CT_COMPARE_TOTALORDER)),
    GOOD(compare, "c64[2] c64[2]", "bool[2]", COMPARE(CT_EQ, CT_COMPARE_FLOAT)),
    GOOD(compare, "c128[] c128[]", "bool[]", COMPARE(CT_NE, CT_COMPARE_DEFAULT)),
    GOOD(compare, "u8[2] u8[2]", "bool[2]", COMPARE(CT_LT, CT_COMPARE_UNSIGNED)),
    GOOD(compare, "i64[2] i64[2]", "bool[2]", COMPARE(CT_LT, CT_COMPARE_SIGNED)),
    BAD(compare, "f32[2] f64[2]", TYPE, "x and y must have one dtype, got f32[2] and f64[2]",
        COMPARE(CT_EQ, 0)), /* C1 */
    BAD(compare, "f32[2] f32[3]", SHAPE, "x and y must have one shape, got f32[2] and f32[3]",
        COMPARE(CT_EQ, 0)), /* C1 */
    BAD(compare, "i32[2] i32[2]", TYPE, "compare_type = FLOAT does not fit x: i32[2]",
        COMPARE(CT_EQ, CT_COMPARE_FLOAT)), /* C2 */
    BAD(compare, "u8[2] u8[2]", TYPE, "compare_type = SIGNED does not fit x: u8[2]",
        COMPARE(CT_EQ, CT_COMPARE_SIGNED)), /* C2 */
    BAD(compare, "i8[2] i8[2]", TYPE, "compare_type = UNSIGNED does not fit x: i8[2]",
        COMPARE(CT_EQ, CT_COMPARE_UNSIGNED)), /* C2 */
    BAD(compare, "c64[2] c64[2]", TYPE, "compare_type = TOTALORDER does not fit x: c64[2]",
        COMPARE(CT_EQ, CT_COMPARE_TOTALORDER)), /* C2 */
    BAD(compare, "bool[2] bool[2]", TYPE, "compare_type = SIGNED does not fit x: bool[2]",
        COMPARE(CT_EQ, CT_COMPARE_SIGNED)), /* C2 */
    BAD(compare, "f32[] f32[]", ARGUMENT, "comparison_direction = 6 must lie in [0, 6)",
        COMPARE(6, 0)),
    BAD(compare, "f32[] f32[]", ARGUMENT, "compare_type = -1 must lie in [0, 5)", COMPARE(0, -1)),

    GOOD(select, "bool[2,3] f32[2,3] f32[2,3]", "f32[2,3]", NO_ATTRS),
    GOOD(select, "bool[] c128[2,3] c128[2,3]", "c128[2,3]", NO_ATTRS),
    GOOD(select, "bool[] bool[] bool[]", "bool[]", NO_ATTRS),
    GOOD(select, "bool[0] i8[0] i8[0]", "i8[0]", NO_ATTRS),
    BAD(select, "i32[3] f32[3] f32[3]", TYPE, "pred must be a bool, got i32[3]", NO_ATTRS), /* C1 */
    BAD(select, "bool[1] f32[3] f32[3]", SHAPE,
        "pred must have rank 0 or the shape of on_true, got bool[1] and f32[3]", NO_ATTRS), /* C1 */
    BAD(select, "bool[3] f32[3] f32[4]", SHAPE,
        "on_true and on_false must have one shape, got f32[3] and f32[4]", NO_ATTRS), /* C2 */
    BAD(select, "bool[] f32[3] i32[3]", TYPE,
        "on_true and on_false must have one dtype, got f32[3] and i32[3]", NO_ATTRS), /* C2 */

    GOOD(clamp, "f32[] f32[2,3] f32[]", "f32[2,3]", NO_ATTRS),
    GOOD(clamp, "u8[2,3] u8[2,3] u8[]", "u8[2,3]", NO_ATTRS),
    GOOD(clamp, "bool[] bool[0] bool[0]", "bool[0]", NO_ATTRS),
    GOOD(clamp, "c64[] c64[3] c64[3]", "c64[3]", NO_ATTRS),
    BAD(clamp, "f32[1] f32[3] f32[]", SHAPE,
        "lo must have rank 0 or the shape of x, got f32[1] and f32[3]", NO_ATTRS), /* C1 */
    BAD(clamp, "f32[] f32[3] f32[4]", SHAPE,
        "hi must have rank 0 or the shape of x, got f32[4] and f32[3]", NO_ATTRS), /* C1 */
    BAD(clamp, "f64[] f32[3] f32[]", TYPE, "lo and x must have one dtype, got f64[] and f32[3]",
        NO_ATTRS), /* C2 */
    BAD(clamp, "f32[] f32[3] i32[]", TYPE, "x and hi must have one dtype, got f32[3] and i32[]",
        NO_ATTRS), /* C2 */
};

TEST(choosing_types)
{
    CHECK_CASES(choosing);
}

/* ---- Making. */

#define IOTA(dtype, axis, ...)                                                                     \
    {                                                                                              \
        .iota = { dtype, L(__VA_ARGS__), axis }                                                    \
    }

static const infer_case making[] = {
    GOOD(iota, "", "i32[2,3]", IOTA(CT_I32, 1, 2, 3)),
    GOOD(iota, "", "c64[4]", IOTA(CT_C64, 0, 4)),
    GOOD(iota, "", "bf16[1,2,3,4,5,0]", IOTA(CT_BF16, 5, 1, 2, 3, 4, 5, 0)),
    BAD(iota, "", TYPE, "dtype must be an integer, float or complex, got bool",
        IOTA(CT_BOOL, 0, 4)), /* C1 */
    BAD(iota, "", TYPE, "dtype must be an integer, float or complex, got invalid",
        IOTA(CT_INVALID_DTYPE, 0, 4)), /* C1 */
    BAD(iota, "", SHAPE, "iota_dimension = 2 must be an axis of shape = [2, 3]",
        IOTA(CT_I32, 2, 2, 3)), /* C2 */
    BAD(iota, "", SHAPE, "iota_dimension = -1 must be an axis of shape = [2, 3]",
        IOTA(CT_I32, -1, 2, 3)), /* C2 */
    BAD(iota, "", SHAPE, "iota_dimension = 0 must be an axis of shape = []",
        IOTA(CT_I32, 0, )), /* C2 */
    BAD(iota, "", SHAPE, "the result's shape [2, -3] must not be negative", IOTA(CT_I32, 0, 2, -3)),
    BAD(iota, "", RANGE, "the result's shape [4611686018427387904, 2] has too many elements",
        IOTA(CT_I8, 0, (int64_t)1 << 62, 2)),
    BAD(iota, "", RANGE, "the result's shape [4611686018427387904] has too many elements",
        IOTA(CT_I16, 0, (int64_t)1 << 62)),
    BAD(iota, "", ARGUMENT, "shape is NULL", {.iota = {CT_I32, {1, NULL}, 0}}),
    BAD(iota, "f32[]", ARGUMENT, "takes 0 operands, got 1", IOTA(CT_I32, 0, 2)),
    BAD(constant, "", ARGUMENT, "value is NULL", {.constant = {NULL}}),
};

TEST(making_types)
{
    CHECK_CASES(making);
}

TEST(constant_has_the_literals_type)
{
    ct__infer q = {.op = CT__OP_constant};
    ct__attrs attrs;
    ct__arena arena;

    ct__arena_init(&arena, &ct__libc_allocator);
    const ct_type *type = type_of_text(&arena, "u16[2,3]");
    attrs.constant.value = ct__literal_new(
        ct__storage_new(&ct__libc_allocator, ct__data_bytes(type)), type, 0, NULL);
    q.arena = &arena;
    q.attrs = &attrs;
    CHECK(ct__infer_types(&q) && q.n_results == 1 && ct__type_equal(q.out[0], type));
    ct__literal_release(attrs.constant.value);
    ct__arena_free(&arena);
}

/* ---- Moving data. */

#define BROADCAST(shape, dims)                                                                     \
    {                                                                                              \
        .broadcast_in_dim = { shape, dims }                                                        \
    }
#define PAD(low, high, interior)                                                                   \
    {                                                                                              \
        .pad = { low, high, interior }                                                             \
    }
#define SLICE(start, limit, stride)                                                                \
    {                                                                                              \
        .slice = { start, limit, stride }                                                          \
    }
#define AXIS(axis)                                                                                 \
    {                                                                                              \
        .concatenate = { axis }                                                                    \
    }
#define LIST(op, ...)                                                                              \
    {                                                                                              \
        .op = { L(__VA_ARGS__) }                                                                   \
    }

static const infer_case broadcasting[] = {
    GOOD(broadcast_in_dim, "f32[]", "f32[2,3]", BROADCAST(L(2, 3), L())),
    GOOD(broadcast_in_dim, "f32[3,1]", "f32[4,2,3]", BROADCAST(L(4, 2, 3), L(2, 0))),
    GOOD(broadcast_in_dim, "f32[1,3]", "f32[0,3]", BROADCAST(L(0, 3), L(0, 1))),
    GOOD(broadcast_in_dim, "bool[5]", "bool[1,2,3,4,5,6]", BROADCAST(L(1, 2, 3, 4, 5, 6), L(4))),
    BAD(broadcast_in_dim, "f32[3]", SHAPE,
        "broadcast_dimensions = [] must have one entry per axis of x: f32[3]",
        BROADCAST(L(2, 3), L())), /* C1 */
    BAD(broadcast_in_dim, "f32[3,3]", SHAPE,
        "broadcast_dimensions = [1, 1] must not name axis 1 twice",
        BROADCAST(L(2, 3), L(1, 1))), /* C2 */
    BAD(broadcast_in_dim, "f32[3]", SHAPE, "broadcast_dimensions[0] = 2 must be an axis in [0, 2)",
        BROADCAST(L(2, 3), L(2))), /* C2 */
    BAD(broadcast_in_dim, "f32[3]", SHAPE, "broadcast_dimensions[0] = -1 must be an axis in [0, 2)",
        BROADCAST(L(2, 3), L(-1))), /* C2 */
    BAD(broadcast_in_dim, "f32[3]", SHAPE,
        "axis 0 of x: f32[3] must have extent 1 or 2, that of axis 0 of the result",
        BROADCAST(L(2, 3), L(0))), /* C3 */
    BAD(broadcast_in_dim, "f32[]", RANGE,
        "the result's shape [1073741824, 1073741824, 8] has too many elements",
        BROADCAST(L(1 << 30, 1 << 30, 8), L())),
};

static const infer_case concatenating[] = {
    GOOD(concatenate, "f32[2,3] f32[2,4] f32[2,0]", "f32[2,7]", AXIS(1)),
    GOOD(concatenate, "c64[5]", "c64[5]", AXIS(0)),
    GOOD(concatenate, "i8[0,3] i8[0,3]", "i8[0,3]", AXIS(0)),
    BAD(concatenate, "f32[2] i32[2]", TYPE,
        "x[0] and x[1] must have one dtype, got f32[2] and i32[2]", AXIS(0)), /* C1 */
    BAD(concatenate, "f32[2] f32[2,1]", SHAPE,
        "x[0] and x[1] must have one rank, got f32[2] and f32[2,1]", AXIS(0)), /* C1 */
    BAD(concatenate, "f32[2]", SHAPE, "dimension = 1 must be an axis of x: f32[2]",
        AXIS(1)), /* C2 */
    BAD(concatenate, "f32[2] f32[2]", SHAPE, "dimension = -1 must be an axis of x[0]: f32[2]",
        AXIS(-1)),                                                                          /* C2 */
    BAD(concatenate, "f32[]", SHAPE, "dimension = 0 must be an axis of x: f32[]", AXIS(0)), /* C2 */
    BAD(concatenate, "f32[2,3] f32[2,3] f32[4,3]", SHAPE,
        "x[0] and x[2] must agree but for axis 1, got f32[2,3] and f32[4,3]", AXIS(1)), /* C3 */
    BAD(concatenate, "", ARGUMENT, "takes at least 1 operand, got 0", AXIS(0)),         /* C4 */
    BAD(concatenate, "i8[9223372036854775807,0] i8[1,0]", RANGE,
        "the extents along axis 0 overflow", AXIS(0)),
    BAD(concatenate, "f32[2] token", TYPE, "x[1] must be a tensor, got token", AXIS(0)),
};

static const infer_case padding[] = {
    GOOD(pad, "f32[4] f32[]", "f32[13]", PAD(L(1), L(2), L(2))),
    GOOD(pad, "f32[4,5] f32[]", "f32[2,8]", PAD(L(-1, 0), L(-1, 3), L(0, 0))),
    GOOD(pad, "f32[0] f32[]", "f32[3]", PAD(L(1), L(2), L(7))),
    GOOD(pad, "f32[4] f32[]", "f32[0]", PAD(L(-2), L(-2), L(0))),
    GOOD(pad, "i8[] i8[]", "i8[]", PAD(L(), L(), L())),
    GOOD(pad, "c64[1] c64[]", "c64[6]", PAD(L(5), L(0), L(100))),
    /* parts that overflow where the whole does not */
    GOOD(pad, "f32[1] f32[]", "f32[1]", PAD(L(0), L(0), L(INT64_MAX))),
    GOOD(pad, "f32[3] f32[]", "f32[3]", PAD(L(-INT64_MAX), L(-INT64_MAX), L(INT64_MAX))),
    GOOD(pad, "f32[1] f32[]", "f32[0]", PAD(L(INT64_MIN), L(INT64_MAX), L(0))),
    BAD(pad, "f32[4] f64[]", TYPE, "x and value must have one dtype, got f32[4] and f64[]",
        PAD(L(0), L(0), L(0))), /* C1 */
    BAD(pad, "f32[4] f32[1]", SHAPE, "value must be a scalar, got f32[1]",
        PAD(L(0), L(0), L(0))), /* C1 */
    BAD(pad, "f32[4] f32[]", SHAPE,
        "edge_padding_low = [1, 2] must have one entry per axis of x: f32[4]",
        PAD(L(1, 2), L(0), L(0))), /* C2 */
    BAD(pad, "f32[4] f32[]", SHAPE,
        "edge_padding_high = [] must have one entry per axis of x: f32[4]",
        PAD(L(0), L(), L(0))), /* C2 */
    BAD(pad, "f32[4] f32[]", SHAPE,
        "interior_padding = [] must have one entry per axis of x: f32[4]",
        PAD(L(0), L(0), L())), /* C2 */
    BAD(pad, "f32[4] f32[]", SHAPE, "interior_padding[0] = -1 must not be negative",
        PAD(L(0), L(0), L(-1))), /* C3 */
    BAD(pad, "f32[4] f32[]", SHAPE,
        "edge_padding_low[0] = -2 and edge_padding_high[0] = -3 take more than there is in x: "
        "f32[4]",
        PAD(L(-2), L(-3), L(0))), /* C4 */
    BAD(pad, "f32[4] f32[]", RANGE, "the padded extent of axis 0 overflows",
        PAD(L(INT64_MAX), L(0), L(0))),
    BAD(pad, "f32[4] f32[]", RANGE, "the padded extent of axis 0 overflows",
        PAD(L(0), L(0), L(INT64_MAX))),
    BAD(pad, "f32[4] f32[]", RANGE, "the padded extent of axis 0 overflows",
        PAD(L(0), L(0), L(INT64_MAX / 2))),
    BAD(pad, "f32[0] f32[]", SHAPE,
        "edge_padding_low[0] = -9223372036854775808 and edge_padding_high[0] = "
        "-9223372036854775808 take more than there is in x: f32[0]",
        PAD(L(INT64_MIN), L(INT64_MIN), L(0))),
    BAD(pad, "f32[1] f32[]", RANGE,
        "the result's shape [9223372036854775807] has too many elements",
        PAD(L(INT64_MAX - 1), L(0), L(0))),
};

static const infer_case reshaping[] = {
    GOOD(reshape, "f32[3,4]", "f32[2,6]", LIST(reshape, 2, 6)),
    GOOD(reshape, "f32[1,1]", "f32[]", LIST(reshape, )),
    GOOD(reshape, "f32[0,4]", "f32[7,0,2]", LIST(reshape, 7, 0, 2)),
    GOOD(reshape, "i64[720]", "i64[1,2,3,4,5,6]", LIST(reshape, 1, 2, 3, 4, 5, 6)),
    BAD(reshape, "f32[3,4]", SHAPE, "shape = [2, 7] has 14 elements, but x: f32[3,4] has 12",
        LIST(reshape, 2, 7)), /* C1 */
    BAD(reshape, "f32[3,4]", SHAPE, "shape = [] has 1 elements, but x: f32[3,4] has 12",
        LIST(reshape, )), /* C1 */
    BAD(reshape, "f32[4]", SHAPE, "the result's shape [-2, -2] must not be negative",
        LIST(reshape, -2, -2)),
    BAD(reshape, "f32[4]", RANGE,
        "the result's shape [4294967296, 4294967296] has too many elements",
        LIST(reshape, (int64_t)1 << 32, (int64_t)1 << 32)),
    BAD(reshape, "f32[1]", SHAPE, "the result has rank 65; at most 64 is allowed",
        LIST(reshape, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
             1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
             1, 1, 1, 1, 1, 1, 1, 1, 1, 1)),

    GOOD(reverse, "f32[3,4]", "f32[3,4]", LIST(reverse, 1, 0)),
    GOOD(reverse, "bool[]", "bool[]", LIST(reverse, )),
    BAD(reverse, "f32[3,4]", SHAPE, "dimensions[1] = 2 must be an axis in [0, 2)",
        LIST(reverse, 0, 2)), /* C1 */
    BAD(reverse, "f32[3,4]", SHAPE, "dimensions = [1, 0, 1] must not name axis 1 twice",
        LIST(reverse, 1, 0, 1)), /* C1 */

    GOOD(transpose, "f32[2,3,5]", "f32[5,2,3]", LIST(transpose, 2, 0, 1)),
    GOOD(transpose, "c64[]", "c64[]", LIST(transpose, )),
    GOOD(transpose, "u8[1,2,3,4,5,0]", "u8[0,5,4,3,2,1]", LIST(transpose, 5, 4, 3, 2, 1, 0)),
    BAD(transpose, "f32[2,3]", SHAPE,
        "permutation = [0] must have one entry per axis of x: f32[2,3]",
        LIST(transpose, 0)), /* C1 */
    BAD(transpose, "f32[2,3]", SHAPE, "permutation = [1, 1] must not name axis 1 twice",
        LIST(transpose, 1, 1)), /* C1 */
    BAD(transpose, "f32[2,3]", SHAPE, "permutation[0] = 2 must be an axis in [0, 2)",
        LIST(transpose, 2, 0)), /* C1 */
};

static const infer_case slicing[] = {
    GOOD(slice, "f32[7,5]", "f32[3,5]", SLICE(L(1, 0), L(7, 5), L(2, 1))),
    GOOD(slice, "f32[7]", "f32[1]", SLICE(L(0), L(7), L(INT64_MAX))),
    GOOD(slice, "f32[7]", "f32[0]", SLICE(L(7), L(7), L(1))),
    GOOD(slice, "f32[7]", "f32[4]", SLICE(L(0), L(7), L(2))),
    GOOD(slice, "i32[]", "i32[]", SLICE(L(), L(), L())),
    BAD(slice, "f32[7]", SHAPE, "start_indices = [] must have one entry per axis of x: f32[7]",
        SLICE(L(), L(7), L(1))), /* C1 */
    BAD(slice, "f32[7]", SHAPE, "limit_indices = [7, 1] must have one entry per axis of x: f32[7]",
        SLICE(L(0), L(7, 1), L(1))), /* C1 */
    BAD(slice, "f32[7]", SHAPE, "strides = [] must have one entry per axis of x: f32[7]",
        SLICE(L(0), L(7), L())), /* C1 */
    BAD(slice, "f32[7]", SHAPE,
        "start_indices[0] = -1 and limit_indices[0] = 7 must be ascending and inside x: f32[7]",
        SLICE(L(-1), L(7), L(1))), /* C2 */
    BAD(slice, "f32[7]", SHAPE,
        "start_indices[0] = 5 and limit_indices[0] = 4 must be ascending and inside x: f32[7]",
        SLICE(L(5), L(4), L(1))), /* C2 */
    BAD(slice, "f32[7]", SHAPE,
        "start_indices[0] = 0 and limit_indices[0] = 8 must be ascending and inside x: f32[7]",
        SLICE(L(0), L(8), L(1))), /* C2 */
    BAD(slice, "f32[7]", SHAPE, "strides[0] = 0 must be positive",
        SLICE(L(0), L(7), L(0))), /* C3 */
    BAD(slice, "f32[7]", SHAPE, "strides[0] = -1 must be positive",
        SLICE(L(0), L(7), L(-1))), /* C3 */
};

TEST(data_moving_types)
{
    CHECK_CASES(broadcasting);
    CHECK_CASES(concatenating);
    CHECK_CASES(padding);
    CHECK_CASES(reshaping);
    CHECK_CASES(slicing);
}

TEST(missing_attributes)
{
    ct__arena arena;
    ct__infer q = {.op = CT__OP_convert, .n_operands = 1};

    ct__arena_init(&arena, &ct__libc_allocator);
    const ct_type *x = type_of_text(&arena, "f32[2]");
    q.arena = &arena;
    q.in = &x;
    CHECK(!ct__infer_types(&q) && q.status == CT_ERR_ARGUMENT);
    CHECK(strcmp(q.message, "the attributes are NULL") == 0);
    q.op = CT__OP_tanh;
    CHECK(ct__infer_types(&q) && q.status == CT_OK);
    ct__arena_free(&arena);
}
