/* Type inference of reduce_window, sort and top_k: result types, and every numbered constraint
 * broken alone. */
#include "tests/check.h"
#include "tests/infer.h"

#define F32 "f32[] f32[] -> f32[]"

/* ---- reduce_window: one axis, windows of `size`; the other members follow. */

#define WINDOW(size, stride, base, dilation, low, high)                                            \
    {                                                                                              \
        .reduce_window = { L(size), L(stride), L(base), L(dilation), L(low), L(high), 1 }          \
    }
#define PLANE(n, ...)                                                                              \
    {                                                                                              \
        .reduce_window = { __VA_ARGS__, n }                                                        \
    }
#define BIG INT64_C(4611686018427387904)

static const infer_case windows[] = {
    GOOD_BODY(reduce_window, "f32[7] f32[]", F32, "f32[5]", WINDOW(3, 1, 1, 1, 0, 0)),
    GOOD_BODY(reduce_window, "f32[7] f32[]", F32, "f32[3]", WINDOW(3, 2, 1, 1, 0, 0)),
    GOOD_BODY(reduce_window, "f32[8] f32[]", F32, "f32[3]", WINDOW(3, 2, 1, 1, 0, 0)),
    GOOD_BODY(reduce_window, "f32[7] f32[]", F32, "f32[17]", WINDOW(3, 1, 3, 1, 0, 0)),
    GOOD_BODY(reduce_window, "f32[7] f32[]", F32, "f32[1]", WINDOW(3, 1, 1, 3, 0, 0)),
    GOOD_BODY(reduce_window, "f32[7] f32[]", F32, "f32[0]", WINDOW(3, 1, 1, 4, 0, 0)),
    GOOD_BODY(reduce_window, "f32[7] f32[]", F32, "f32[8]", WINDOW(3, 1, 1, 1, 1, 2)),
    GOOD_BODY(reduce_window, "f32[7] f32[]", F32, "f32[2]", WINDOW(3, 1, 1, 1, -1, -2)),
    GOOD_BODY(reduce_window, "f32[7] f32[]", F32, "f32[0]", WINDOW(1, 1, 1, 1, -4, -5)),
    GOOD_BODY(reduce_window, "f32[0] f32[]", F32, "f32[0]", WINDOW(1, 1, 9, 1, 0, 0)),
    GOOD_BODY(reduce_window, "f32[0] f32[]", F32, "f32[2]", WINDOW(2, 1, 9, 1, 1, 2)),
    GOOD_BODY(reduce_window, "f32[7] f32[]", F32, "f32[7]", WINDOW(7, 1, 1, 1, 6, 0)),
    GOOD_BODY(reduce_window, "f32[2] f32[]", F32, "f32[2]", WINDOW(1, BIG, BIG, 1, 0, 0)),
    GOOD_BODY(reduce_window, "f32[3,4] f32[]", F32, "f32[2,2]",
              PLANE(1, L(2, 2), L(1, 2), L(1, 1), L(1, 1), L(0, 0), L(0, 0))),
    GOOD_BODY(reduce_window, "f32[] f32[]", F32, "f32[]", PLANE(1, L(), L(), L(), L(), L(), L())),
    GOOD_BODY(reduce_window, "f32[5] i32[5] f32[] i32[] f64[7]",
              "f32[] i32[] f32[] i32[] f64[7] -> f32[] i32[]", "f32[4] i32[4]",
              PLANE(2, L(2), L(1), L(1), L(1), L(0), L(0))),
    BAD_BODY(reduce_window, "f32[5]", F32, ARGUMENT,
             "takes n_inputs = 1 x and as many init, got 1 operand",
             WINDOW(2, 1, 1, 1, 0, 0)), /* C1 */
    BAD_BODY(reduce_window, "f32[5] f32[]", F32, ARGUMENT,
             "takes n_inputs = 0 x and as many init, got 2 operands",
             PLANE(0, L(2), L(1), L(1), L(1), L(0), L(0))), /* C1 */
    BAD_BODY(reduce_window, "f32[5] f32[1]", F32, SHAPE, "init must be a scalar, got f32[1]",
             WINDOW(2, 1, 1, 1, 0, 0)), /* C1 */
    BAD_BODY(reduce_window, "f32[5] f32[4] f32[] f32[]", "f32[] f32[] f32[] f32[] -> f32[] f32[]",
             SHAPE, "x[0] and x[1] must have one shape, got f32[5] and f32[4]",
             PLANE(2, L(2), L(1), L(1), L(1), L(0), L(0))), /* C2 */
    BAD_BODY(reduce_window, "f32[5] f64[]", F32, TYPE,
             "x and init must have one dtype, got f32[5] and f64[]",
             WINDOW(2, 1, 1, 1, 0, 0)), /* C3 */
    BAD_BODY(reduce_window, "f32[5] f32[]", F32, SHAPE,
             "window_dimensions = [2, 2] must have one entry per axis of x: f32[5]",
             PLANE(1, L(2, 2), L(1), L(1), L(1), L(0), L(0))), /* C4 */
    BAD_BODY(reduce_window, "f32[5] f32[]", F32, SHAPE, "window_dimensions[0] = 0 must be positive",
             WINDOW(0, 1, 1, 1, 0, 0)), /* C5 */
    BAD_BODY(reduce_window, "f32[5] f32[]", F32, SHAPE,
             "window_strides = [] must have one entry per axis of x: f32[5]",
             PLANE(1, L(2), L(), L(1), L(1), L(0), L(0))), /* C6 */
    BAD_BODY(reduce_window, "f32[5] f32[]", F32, SHAPE, "window_strides[0] = 0 must be positive",
             WINDOW(2, 0, 1, 1, 0, 0)), /* C7 */
    BAD_BODY(reduce_window, "f32[5] f32[]", F32, SHAPE,
             "base_dilations = [1, 1] must have one entry per axis of x: f32[5]",
             PLANE(1, L(2), L(1), L(1, 1), L(1), L(0), L(0))), /* C8 */
    BAD_BODY(reduce_window, "f32[5] f32[]", F32, SHAPE, "base_dilations[0] = -1 must be positive",
             WINDOW(2, 1, -1, 1, 0, 0)), /* C9 */
    BAD_BODY(reduce_window, "f32[5] f32[]", F32, SHAPE,
             "window_dilations = [] must have one entry per axis of x: f32[5]",
             PLANE(1, L(2), L(1), L(1), L(), L(0), L(0))), /* C10 */
    BAD_BODY(reduce_window, "f32[5] f32[]", F32, SHAPE, "window_dilations[0] = 0 must be positive",
             WINDOW(2, 1, 1, 0, 0, 0)), /* C11 */
    BAD_BODY(reduce_window, "f32[5] f32[]", F32, SHAPE,
             "padding_low = [] must have one entry per axis of x: f32[5]",
             PLANE(1, L(2), L(1), L(1), L(1), L(), L(0))), /* C12 */
    BAD_BODY(reduce_window, "f32[5] f32[]", F32, SHAPE,
             "padding_high = [0, 0] must have one entry per axis of x: f32[5]",
             PLANE(1, L(2), L(1), L(1), L(1), L(0), L(0, 0))), /* C12 */
    BAD_BODY(reduce_window, "f32[5] f32[]", "f32[] -> f32[]", ARGUMENT,
             "the body must take 2 values, not 1", WINDOW(2, 1, 1, 1, 0, 0)), /* C13 */
    BAD_BODY(reduce_window, "f32[5] f32[]", "f32[] f32[] -> f64[]", TYPE,
             "the body must give f32[] as result 0, not f64[]", WINDOW(2, 1, 1, 1, 0, 0)), /* C13 */
    BAD_BODY(reduce_window, "f32[9] f32[]", F32, RANGE, "the padded extent of axis 0 overflows",
             WINDOW(2, 1, BIG, 1, 0, 0)),
    BAD_BODY(reduce_window, "f32[9] f32[]", F32, RANGE, "the window of axis 0 overflows",
             WINDOW(9, 1, 1, BIG, 0, 0)),
    BAD_BODY(reduce_window, "f32[9] f32[]", F32, RANGE,
             "window_dimensions = [4611686018427387904] has too many elements",
             WINDOW(BIG, 1, 1, 1, BIG, 0)),
    BAD_BODY(reduce_window, "f32[9] f32[]", F32, RANGE,
             "the result's shape [4611686018427387913] has too many elements",
             WINDOW(1, 1, 1, 1, BIG, 0)),
};

TEST(reduce_window_types)
{
    CHECK_CASES(windows);
}

/* ---- sort. */

#define SORT(n, axis)                                                                              \
    {                                                                                              \
        .sort = { axis, n, true }                                                                  \
    }
#define LESS "f32[] f32[] -> bool[]"

static const infer_case sorts[] = {
    GOOD_BODY(sort, "f32[2,3]", LESS, "f32[2,3]", SORT(1, 1)),
    GOOD_BODY(sort, "f32[0]", LESS, "f32[0]", SORT(1, 0)),
    GOOD_BODY(sort, "f32[2,3] i8[2,3]", "f32[] f32[] i8[] i8[] -> bool[]", "f32[2,3] i8[2,3]",
              SORT(2, 0)),
    GOOD_BODY(sort, "c64[5] f64[7] token", "c64[] c64[] f64[7] token -> bool[]", "c64[5]",
              SORT(1, 0)),
    BAD_BODY(sort, "f32[5]", LESS, ARGUMENT, "takes n_inputs = 0 x, got 1 operand",
             SORT(0, 0)), /* C1 */
    BAD_BODY(sort, "f32[5]", LESS, ARGUMENT, "takes n_inputs = 2 x, got 1 operand",
             SORT(2, 0)), /* C1 */
    BAD_BODY(sort, "f32[5]", LESS, ARGUMENT, "takes n_inputs = -1 x, got 1 operand", SORT(-1, 0)),
    BAD_BODY(sort, "f32[5] f32[4]", "f32[] f32[] f32[] f32[] -> bool[]", SHAPE,
             "x[0] and x[1] must have one shape, got f32[5] and f32[4]", SORT(2, 0)), /* C3 */
    BAD_BODY(sort, "f32[5] token", LESS, TYPE, "x[1] must be a tensor, got token", SORT(2, 0)),
    BAD_BODY(sort, "f32[5]", LESS, SHAPE, "dimension = 1 must be an axis of x: f32[5]",
             SORT(1, 1)), /* C4 */
    BAD_BODY(sort, "f32[5]", LESS, SHAPE, "dimension = -1 must be an axis of x: f32[5]",
             SORT(1, -1)), /* C4 */
    BAD_BODY(sort, "f32[]", LESS, SHAPE, "dimension = 0 must be an axis of x: f32[]",
             SORT(1, 0)), /* C4 */
    BAD_BODY(sort, "f32[5]", "f32[] -> bool[]", ARGUMENT, "the body must take 2 values, not 1",
             SORT(1, 0)), /* C5 */
    BAD_BODY(sort, "f32[5] i8[5]", "f32[] i8[] f32[] i8[] -> bool[]", TYPE,
             "the body must take f32[] as parameter 1, not i8[]", SORT(2, 0)), /* C5 */
    BAD_BODY(sort, "f32[5] i8[2]", "f32[] f32[] i8[] -> bool[]", SHAPE,
             "the body must take i8[2] as parameter 2, not i8[]", SORT(1, 0)), /* C5 */
    BAD_BODY(sort, "f32[5]", "f32[] f32[] -> f32[]", TYPE,
             "the body must give bool[] as result 0, not f32[]", SORT(1, 0)), /* C5 */
    BAD_BODY(sort, "f32[5]", "f32[] f32[] -> bool[] bool[]", ARGUMENT,
             "the body must give 1 value, not 2", SORT(1, 0)), /* C5 */
    BAD(sort, "f32[5]", ARGUMENT, "takes 1 body, got 0", SORT(1, 0)),
};

TEST(sort_types)
{
    CHECK_CASES(sorts);
}

/* ---- top_k. */

#define TOP(n)                                                                                     \
    {                                                                                              \
        .top_k = { n }                                                                             \
    }

static const infer_case tops[] = {
    GOOD(top_k, "f32[2,5]", "f32[2,3] i32[2,3]", TOP(3)),
    GOOD(top_k, "u8[5]", "u8[5] i32[5]", TOP(5)),
    GOOD(top_k, "bool[5]", "bool[0] i32[0]", TOP(0)),
    GOOD(top_k, "f16[0,2147483647]", "f16[0,7] i32[0,7]", TOP(7)),
    BAD(top_k, "c64[5]", TYPE, "x must be an integer, float or bool, got c64[5]", TOP(3)), /* C1 */
    BAD(top_k, "token", TYPE, "x must be a tensor, got token", TOP(3)),                    /* C1 */
    BAD(top_k, "f32[]", SHAPE, "x must have an axis, got f32[]", TOP(0)),                  /* C2 */
    BAD(top_k, "f32[2,5]", SHAPE, "k = 6 must lie in [0, 5], got x: f32[2,5]", TOP(6)),    /* C3 */
    BAD(top_k, "f32[2,5]", SHAPE, "k = -1 must lie in [0, 5], got x: f32[2,5]", TOP(-1)),  /* C3 */
    BAD(top_k, "f32[0,2147483648]", RANGE,
        "positions along the last axis of x: f32[0,2147483648] do not fit in i32", TOP(7)), /* C4 */
};

TEST(top_k_types)
{
    CHECK_CASES(tops);
}
