/* The numbered constraints of contractions and of control flow. */
#include "tests/constraints.h"

/* ---- Reduce. */

TEST(reduce)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = T(CT_F32, 2, 3), *init = S(CT_F32);
    ct_tensor *f = ct_spec(ctx, CT_F32, CT_SHAPE()), *d = ct_spec(ctx, CT_F64, CT_SHAPE());
    ct_function *body = constraints_body(ctx, CT_ARGV(f, f), CT_ARGS(0));

#define REDUCE_LINES(type) LINE("x        ", "f32[2,3]    ") LINE("init     ", type)
    HOLDS(ct_op_reduce_at(use, x, init, body, CT_DIMS(1)));
    BREAKS(ct_op_reduce_at(use, x, S(CT_F64), body, CT_DIMS(1)), CT_ERR_TYPE, /* C1 */
           "reduce: x and init must have one dtype, got f32[2,3] and f64[]" REDUCE_LINES(
               "f64[]       "));
    BREAKS(ct_op_reduce_at(use, x, T(CT_F32, 1), body, CT_DIMS(1)), CT_ERR_SHAPE, /* C1 */
           "reduce: init must be a scalar, got f32[1]" REDUCE_LINES("f32[1]      "));
    BREAKS(ct_op_reduce_at(use, x, init, body, CT_DIMS(1, 1)), CT_ERR_SHAPE, /* C2 */
           "reduce: dimensions = [1, 1] must not name axis 1 twice" REDUCE_LINES("f32[]       "));
    BREAKS(ct_op_reduce_at(use, x, init, body, CT_DIMS(2)), CT_ERR_SHAPE, /* C2 */
           "reduce: dimensions[0] = 2 must be an axis in [0, 2)" REDUCE_LINES("f32[]       "));
    BREAKS(ct_op_reduce_at(use, x, init, body, CT_DIMS(-1)), CT_ERR_SHAPE, /* C2 */
           "reduce: dimensions[0] = -1 must be an axis in [0, 2)" REDUCE_LINES("f32[]       "));
    BREAKS(
        ct_op_reduce_at(use, x, init, constraints_body(ctx, CT_ARGV(f, d), CT_ARGS(0)), CT_DIMS(1)),
        CT_ERR_TYPE, /* C3 */
        "reduce: the body must take f32[] as parameter 1, not f64[]" REDUCE_LINES("f32[]       "));
    BREAKS(ct_op_reduce_at(use, x, init, constraints_body(ctx, CT_ARGV(f), CT_ARGS(0)), CT_DIMS(1)),
           CT_ERR_ARGUMENT, /* C3 */
           "reduce: the body must take 2 values, not 1" REDUCE_LINES("f32[]       "));
    BREAKS(
        ct_op_reduce_at(use, x, init, constraints_body(ctx, CT_ARGV(f, f), CT_ARGS()), CT_DIMS(1)),
        CT_ERR_ARGUMENT, /* C3 */
        "reduce: the body must give 1 value, not 0" REDUCE_LINES("f32[]       "));
    ct_context_free(ctx);
}

TEST(reduce_many)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = T(CT_F32, 2, 3), *i = T(CT_I32, 2, 3), *y[2];
    ct_tensor *f = ct_spec(ctx, CT_F32, CT_SHAPE()), *n = ct_spec(ctx, CT_I32, CT_SHAPE());
    ct_function *body = constraints_body(ctx, CT_ARGV(f, n, f, n), CT_ARGS(2, 3));
    ct_list init = CT_ARGV(S(CT_F32), S(CT_I32)), no = CT_NO_TENSORS;

    HOLDS(ct_op_reduce_many_at(use, CT_ARGV(x, i), init, body, no, CT_DIMS(0), y));
    BREAKS(ct_op_reduce_many_at(use, CT_ARGV(x, T(CT_I32, 3, 2)), init, body, no, CT_DIMS(0), y),
           CT_ERR_SHAPE, /* C1 */
           "reduce: x[0] and x[1] must have one shape, got f32[2,3] and i32[3,2]" LINE(
               "x[0]     ", "f32[2,3]    ") LINE("x[1]     ", "i32[3,2]    ")
               LINE("init[0]  ", "f32[]       ") LINE("init[1]  ", "i32[]       "));
    BREAKS(ct_op_reduce_many_at(use, CT_ARGV(x, i), CT_ARGV(S(CT_F32), S(CT_F32)), body, no,
                                CT_DIMS(0), y),
           CT_ERR_TYPE, /* C1 */
           "reduce: x[1] and init[1] must have one dtype, got i32[2,3] and f32[]" LINE(
               "x[0]     ", "f32[2,3]    ") LINE("x[1]     ", "i32[2,3]    ")
               LINE("init[0]  ", "f32[]       ") LINE("init[1]  ", "f32[]       "));
    BREAKS(ct_op_reduce_many_at(use, CT_ARGV(x, i), init,
                                constraints_body(ctx, CT_ARGV(f, n, f, n), CT_ARGS(1, 0)), no,
                                CT_DIMS(0), y),
           CT_ERR_TYPE, /* C3 */
           "reduce: the body must give f32[] as result 0, not i32[]" LINE(
               "x[0]     ", "f32[2,3]    ") LINE("x[1]     ", "i32[2,3]    ")
               LINE("init[0]  ", "f32[]       ") LINE("init[1]  ", "i32[]       "));
    ct_context_free(ctx);
}

/* ---- Windows and orders: the messages of public calls; all constraints are in test_infer_order.
 */

TEST(reduce_window)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = T(CT_F32, 2, 3), *init = S(CT_F32);
    ct_tensor *f = ct_spec(ctx, CT_F32, CT_SHAPE());
    ct_function *body = constraints_body(ctx, CT_ARGV(f, f), CT_ARGS(0));
    ct_window_dims good = {.window_dimensions = CT_DIMS(1, 2)},
                   none = {.window_strides = CT_DIMS(1, 1)};
    ct_window_dims still = good, cut = good;
    still.window_strides = CT_DIMS(1, 0);
    cut.padding_low = CT_DIMS(1);

    HOLDS(ct_op_reduce_window_at(use, x, init, body, &good));
    BREAKS(ct_op_reduce_window_at(use, x, T(CT_F32, 1), body, &good), CT_ERR_SHAPE, /* C1 */
           "reduce_window: init must be a scalar, got f32[1]" REDUCE_LINES("f32[1]      "));
    BREAKS(ct_op_reduce_window_at(use, x, S(CT_F64), body, &good), CT_ERR_TYPE, /* C3 */
           "reduce_window: x and init must have one dtype, got f32[2,3] and f64[]" REDUCE_LINES(
               "f64[]       "));
    BREAKS(ct_op_reduce_window_at(use, x, init, body, &none), CT_ERR_SHAPE, /* C4 */
           "reduce_window: window_dimensions = [] must have one entry per axis of x: "
           "f32[2,3]" REDUCE_LINES("f32[]       "));
    BREAKS(ct_op_reduce_window_at(use, x, init, body, NULL), CT_ERR_SHAPE, /* C4 */
           "reduce_window: window_dimensions = [] must have one entry per axis of x: "
           "f32[2,3]" REDUCE_LINES("f32[]       "));
    BREAKS(ct_op_reduce_window_at(use, x, init, body, &still), CT_ERR_SHAPE, /* C7 */
           "reduce_window: window_strides[1] = 0 must be positive" REDUCE_LINES("f32[]       "));
    BREAKS(
        ct_op_reduce_window_at(use, x, init, body, &cut), CT_ERR_SHAPE, /* C12 */
        "reduce_window: padding_low = [1] must have one entry per axis of x: f32[2,3]" REDUCE_LINES(
            "f32[]       "));
    BREAKS(
        ct_op_reduce_window_at(use, x, init, constraints_body(ctx, CT_ARGV(f), CT_ARGS(0)), &good),
        CT_ERR_ARGUMENT, /* C13 */
        "reduce_window: the body must take 2 values, not 1" REDUCE_LINES("f32[]       "));
    ct_context_free(ctx);
}

TEST(sort_and_top_k)
{
    ct_context *ctx = ct_context_new(), *other = ct_context_new();
    ct_tensor *x = T(CT_F32, 2, 3), *f = ct_spec(ctx, CT_F32, CT_SHAPE()), *value;
    ct_tensor *b = ct_spec(ctx, CT_BOOL, CT_SHAPE());
    ct_function *never = constraints_body(ctx, CT_ARGV(f, f, b), CT_ARGS(2));
    ct_list no = CT_ARGV(S(CT_BOOL));

#define SORT_LINES LINE("x        ", "f32[2,3]    ") LINE("capture  ", "bool[]      ")
    HOLDS(ct_op_sort_many_at(use, CT_ARGV(x), never, no, 1, &value));
    CHECK_EQUAL(value, x);
    BREAKS(ct_op_sort_many_at(use, CT_ARGV(x), never, no, 2, &value), CT_ERR_SHAPE, /* C4 */
           "sort: dimension = 2 must be an axis of x: f32[2,3]" SORT_LINES);
    BREAKS(ct_op_sort_many_at(use, CT_ARGV(x), never, no, -1, &value), CT_ERR_SHAPE, /* C4 */
           "sort: dimension = -1 must be an axis of x: f32[2,3]" SORT_LINES);
    BREAKS(ct_op_sort_at(use, x, never, 0), CT_ERR_ARGUMENT, /* C5 */
           "sort: the body must take 2 values, not 3" LINE("x        ", "f32[2,3]    "));
    BREAKS(
        ct_op_sort_at(use, x, constraints_body(ctx, CT_ARGV(f, f), CT_ARGS(0)), 0),
        CT_ERR_TYPE, /* C5 */
        "sort: the body must give bool[] as result 0, not f32[]" LINE("x        ", "f32[2,3]    "));
    f = ct_spec(other, CT_F32, CT_SHAPE());
    BREAKS(ct_op_sort_at(use, x, constraints_body(other, CT_ARGV(f, f), CT_ARGS(0)), 0),
           CT_ERR_CONTEXT, "sort: the body belongs to another context");
    HOLDS(ct_op_top_k_at(use, x, 3, &value, NULL));
    BREAKS(
        ct_op_top_k_at(use, T(CT_C64, 2), 1, &value, NULL), CT_ERR_TYPE, /* C1 */
        "top_k: x must be an integer, float or bool, got c64[2]" LINE("x        ", "c64[2]      "));
    BREAKS(ct_op_top_k_at(use, S(CT_F32), 0, &value, NULL), CT_ERR_SHAPE, /* C2 */
           "top_k: x must have an axis, got f32[]" LINE("x        ", "f32[]       "));
    BREAKS(ct_op_top_k_at(use, x, 4, &value, NULL), CT_ERR_SHAPE, /* C3 */
           "top_k: k = 4 must lie in [0, 3], got x: f32[2,3]" LINE("x        ", "f32[2,3]    "));
    ct_context_free(other);
    ct_context_free(ctx);
}

/* ---- Dot. */

/* x f32[2,3,4], y f32[4,2,5]: batches of 2, contracting 4. */
static const ct_dot_dims good_dot = {
    .lhs_batching = {1, (const int64_t[]){0}},
    .rhs_batching = {1, (const int64_t[]){1}},
    .lhs_contracting = {1, (const int64_t[]){2}},
    .rhs_contracting = {1, (const int64_t[]){0}},
};

#define DOT_BREAKS(member, value, text)                                                            \
    do {                                                                                           \
        ct_dot_dims d = good_dot;                                                                  \
        d.member = value;                                                                          \
        BREAKS(ct_op_dot_general_at(use, x, y, &d), CT_ERR_SHAPE,                                  \
               "dot_general: " text LINE("x        ", "f32[2,3,4]  ")                              \
                   LINE("y        ", "f32[4,2,5]  "));                                             \
    } while (0)

TEST(dot_general)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = T(CT_F32, 2, 3, 4), *y = T(CT_F32, 4, 2, 5), *z;

    HOLDS(z = ct_op_dot_general_at(use, x, y, &good_dot));
    CHECK_EQUAL(z, T(CT_F32, 2, 3, 5));
    BREAKS(ct_op_dot_general_at(use, x, T(CT_F64, 4, 2, 5), &good_dot), CT_ERR_TYPE, /* C1 */
           "dot_general: x and y must have one dtype, got f32[2,3,4] and f64[4,2,5]" LINE(
               "x        ", "f32[2,3,4]  ") LINE("y        ", "f64[4,2,5]  "));
    DOT_BREAKS(
        lhs_batching, CT_DIMS(), /* C2 */
        "lhs_batching_dimensions = [] and rhs_batching_dimensions = [1] must have one length");
    DOT_BREAKS(rhs_contracting, CT_DIMS(0, 2), /* C2 */
               "lhs_contracting_dimensions = [2] and rhs_contracting_dimensions = [0, 2] must have "
               "one length");
    DOT_BREAKS(lhs_batching, CT_DIMS(3), /* C3 */
               "lhs_batching_dimensions[0] = 3 must be an axis in [0, 3)");
    DOT_BREAKS(lhs_contracting, CT_DIMS(-1), /* C3 */
               "lhs_contracting_dimensions[0] = -1 must be an axis in [0, 3)");
    DOT_BREAKS(rhs_batching, CT_DIMS(3), /* C3 */
               "rhs_batching_dimensions[0] = 3 must be an axis in [0, 3)");
    DOT_BREAKS(rhs_contracting, CT_DIMS(5), /* C3 */
               "rhs_contracting_dimensions[0] = 5 must be an axis in [0, 3)");
    DOT_BREAKS(
        lhs_contracting, CT_DIMS(0), /* C3 */
        "lhs_batching_dimensions = [0] and lhs_contracting_dimensions = [0] must not name axis "
        "0 twice");
    DOT_BREAKS(
        rhs_contracting, CT_DIMS(1), /* C3 */
        "rhs_batching_dimensions = [1] and rhs_contracting_dimensions = [1] must not name axis "
        "1 twice");
    DOT_BREAKS(lhs_batching, CT_DIMS(1), /* C4 */
               "axis lhs_batching_dimensions[0] = 1 of x: f32[2,3,4] and axis "
               "rhs_batching_dimensions[0] = 1 of y: f32[4,2,5] must have one extent");
    DOT_BREAKS(rhs_contracting, CT_DIMS(2), /* C4 */
               "axis lhs_contracting_dimensions[0] = 2 of x: f32[2,3,4] and axis "
               "rhs_contracting_dimensions[0] = 2 of y: f32[4,2,5] must have one extent");
    ct_context_free(ctx);
}

/* ---- Control. */

TEST(if)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *pred = S(CT_BOOL), *x = T(CT_F32, 2), *y;
    ct_tensor *f = ct_spec(ctx, CT_F32, CT_SHAPE(2)), *n = ct_spec(ctx, CT_I32, CT_SHAPE(2));
    ct_function *same = constraints_body(ctx, CT_ARGV(f), CT_ARGS(0));
    ct_function *other = constraints_body(ctx, CT_ARGV(n), CT_ARGS(0));
    ct_function *none = constraints_body(ctx, CT_ARGV(f), CT_ARGS());

#define IF_LINES LINE("pred     ", "bool[]      ") LINE("capture  ", "f32[2]      ")
    HOLDS(ct_op_if_at(use, pred, same, same, CT_ARGV(x), &y, 1));
    BREAKS(ct_op_if_at(use, S(CT_I32), same, same, CT_ARGV(x), &y, 1), CT_ERR_TYPE, /* C1 */
           "if: pred must be a bool, got i32[]" LINE("pred     ", "i32[]       ")
               LINE("capture  ", "f32[2]      "));
    BREAKS(ct_op_if_at(use, T(CT_BOOL, 1), same, same, CT_ARGV(x), &y, 1), CT_ERR_SHAPE, /* C1 */
           "if: pred must be a scalar, got bool[1]" LINE("pred     ", "bool[1]     ")
               LINE("capture  ", "f32[2]      "));
    BREAKS(ct_op_if_at(use, pred, other, same, CT_ARGV(x), &y, 1), CT_ERR_TYPE, /* C2 */
           "if: then must take f32[2] as parameter 0, not i32[2]" IF_LINES);
    BREAKS(ct_op_if_at(use, pred, same, other, CT_ARGV(x), &y, 1), CT_ERR_TYPE, /* C2 */
           "if: otherwise must take f32[2] as parameter 0, not i32[2]" IF_LINES);
    BREAKS(ct_op_if_at(use, pred, same, same, CT_NO_TENSORS, &y, 1), CT_ERR_ARGUMENT, /* C2 */
           "if: then must take 0 values, not 1" LINE("pred     ", "bool[]      "));
    BREAKS(ct_op_if_at(use, pred, same, none, CT_ARGV(x), &y, 1), CT_ERR_ARGUMENT, /* C3 */
           "if: otherwise must give 1 value, not 0" IF_LINES);
    BREAKS(ct_op_if_at(use, pred, none, none, CT_ARGV(x), &y, 1), CT_ERR_ARGUMENT,
           "if: gives 0 results, not the 1 asked for");
    ct_context_free(ctx);
}

TEST(if_results_of_two_types)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = T(CT_F32, 2), *n = T(CT_I32, 2), *y;
    ct_function *first = constraints_body(ctx, CT_ARGV(x, n), CT_ARGS(0));
    ct_function *second = constraints_body(ctx, CT_ARGV(x, n), CT_ARGS(1));

    HOLDS(ct_op_if_at(use, S(CT_BOOL), second, second, CT_ARGV(x, n), &y, 1));
    BREAKS(
        ct_op_if_at(use, S(CT_BOOL), first, second, CT_ARGV(x, n), &y, 1), CT_ERR_TYPE, /* C3 */
        "if: otherwise must give f32[2] as result 0, not i32[2]" LINE("pred     ", "bool[]      ")
            LINE("capture[0]", "f32[2]      ") LINE("capture[1]", "i32[2]      "));
    ct_context_free(ctx);
}

/* Three times (carry, y) = body(carry, x[i], capture). */
TEST(scan)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *carry = T(CT_F32, 2), *x = T(CT_I32, 3, 4), *capture = S(CT_F64), *y[2];
    ct_tensor *c = ct_spec(ctx, CT_F32, CT_SHAPE(2)), *row = ct_spec(ctx, CT_I32, CT_SHAPE(4));
    ct_tensor *k = ct_spec(ctx, CT_F64, CT_SHAPE());
    ct_function *body = constraints_body(ctx, CT_ARGV(c, row, k), CT_ARGS(0, 1));
    ct_list xs = CT_ARGV(x), captures = CT_ARGV(capture);

#define SCAN_LINES(x)                                                                              \
    LINE("carry    ", "f32[2]      ") LINE("x        ", x) LINE("capture  ", "f64[]       ")
#define SCAN(length, x, body)                                                                      \
    ct_op_scan_at(use, length, CT_ARGV(carry), x, captures, false, body, y, 2)
    HOLDS(SCAN(3, xs, body));
    CHECK_EQUAL(y[1], x);
    BREAKS(
        SCAN(4, xs, body), CT_ERR_SHAPE, /* C1 */
        "scan: x must have extent length = 4 on axis 0, got i32[3,4]" SCAN_LINES("i32[3,4]    "));
    BREAKS(SCAN(3, CT_ARGV(S(CT_I32)), body), CT_ERR_SHAPE, /* C1 */
           "scan: x must have extent length = 3 on axis 0, got i32[]" SCAN_LINES("i32[]       "));
    BREAKS(SCAN(-1, xs, body), CT_ERR_SHAPE,
           "scan: length = -1 must not be negative" SCAN_LINES("i32[3,4]    "));
    BREAKS(
        SCAN(3, xs, constraints_body(ctx, CT_ARGV(c, x, k), CT_ARGS(0, 1))), CT_ERR_SHAPE, /* C2 */
        "scan: the body must take i32[4] as parameter 1, not i32[3,4]" SCAN_LINES("i32[3,4]    "));
    BREAKS(SCAN(3, xs, constraints_body(ctx, CT_ARGV(c, row, c), CT_ARGS(0, 1))),
           CT_ERR_SHAPE, /* C2 */
           "scan: the body must take f64[] as parameter 2, not f32[2]" SCAN_LINES("i32[3,4]    "));
    BREAKS(SCAN(3, xs, constraints_body(ctx, CT_ARGV(c, row), CT_ARGS(0, 1))),
           CT_ERR_ARGUMENT, /* C2 */
           "scan: the body must take 3 values, not 2" SCAN_LINES("i32[3,4]    "));
    BREAKS(SCAN(3, xs, constraints_body(ctx, CT_ARGV(c, row, k), CT_ARGS(1, 0))),
           CT_ERR_SHAPE, /* C3 */
           "scan: the body must keep the type of carry: f32[2], not give i32[4]" SCAN_LINES(
               "i32[3,4]    "));
    BREAKS(SCAN(3, xs, constraints_body(ctx, CT_ARGV(c, row, k), CT_ARGS())),
           CT_ERR_ARGUMENT, /* C3 */
           "scan: the body must give the 1 carried value first, it gives 0" SCAN_LINES(
               "i32[3,4]    "));
    BREAKS(SCAN(3, xs, constraints_body(ctx, CT_ARGV(c, row, k), CT_ARGS(0))), CT_ERR_ARGUMENT,
           "scan: gives 1 result, not the 2 asked for");
    ct_context_free(ctx); /* C4: every value that a caller can make is a tensor */
}

/* C1 of call, which ct_apply records or runs. */
TEST(call)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = T(CT_F32, 2);
    ct_function *f = constraints_body(ctx, CT_ARGV(x), CT_ARGS(0));

    HOLDS(ct_apply1_at(use, f, CT_ARGV(x)));
    BREAKS(ct_apply1_at(use, f, CT_ARGV(x, x)), CT_ERR_ARGUMENT,
           "call: the function takes 1 argument, got 2" LINE("x[0]     ", "f32[2]      ")
               LINE("x[1]     ", "f32[2]      "));
    BREAKS(ct_apply1_at(use, f, CT_ARGV(T(CT_F64, 2))), CT_ERR_TYPE,
           "call: the function takes f32[2] as argument 0, got f64[2]" LINE("x        ",
                                                                            "f64[2]      "));
    BREAKS(ct_apply1_at(use, f, CT_ARGV(T(CT_F32, 3))), CT_ERR_SHAPE,
           "call: the function takes f32[2] as argument 0, got f32[3]" LINE("x        ",
                                                                            "f32[3]      "));
    ct_context_free(ctx);
}

/* Messages inside a traced function show where operands came from. */
static ct_tensor *wrong_product(ct_tensor *x, ct_tensor *y)
{
    return ct_op_add_at(use, ct_op_negate_at(made, x), y);
}

TEST(operand_lines_of_traced_values)
{
    ct_context *ctx = ct_context_new();

    ct_trace(ctx, wrong_product, CT_LIKE(T(CT_F32, 2), T(CT_F32, 3)));
    constraints_check(__FILE__, __LINE__, ctx, CT_ERR_SHAPE,
                      "use.c:42: add: x and y must have one shape, got f32[2] and f32[3]\n"
                      "    x         f32[2]       negate, made.c:1\n"
                      "    y         f32[3]       argument 1");
    ct_context_free(ctx);
}
