/* Type inference of reduce, dot_general and control flow: result types, and every numbered
 * constraint broken alone. */
#include "tests/check.h"
#include "tests/infer.h"

#define F32 "f32[] f32[] -> f32[]"

/* ---- reduce. */

#define REDUCE(n, ...)                                                                             \
    {                                                                                              \
        .reduce = { L(__VA_ARGS__), n }                                                            \
    }

static const infer_case reductions[] = {
    GOOD_BODY(reduce, "f32[2,3,4] f32[]", F32, "f32[3]", REDUCE(1, 2, 0)),
    GOOD_BODY(reduce, "f32[2,3] f32[]", F32, "f32[2,3]", REDUCE(1, )),
    GOOD_BODY(reduce, "f32[2,3] f32[]", F32, "f32[]", REDUCE(1, 0, 1)),
    GOOD_BODY(reduce, "f32[] f32[]", F32, "f32[]", REDUCE(1, )),
    GOOD_BODY(reduce, "f32[0,3] f32[]", F32, "f32[3]", REDUCE(1, 0)),
    GOOD_BODY(reduce, "i8[1,2,3,4,5,6] i8[]", "i8[] i8[] -> i8[]", "i8[1,3,5]", REDUCE(1, 5, 1, 3)),
    GOOD_BODY(reduce, "f32[5] i32[5] f32[] i32[]", "f32[] i32[] f32[] i32[] -> f32[] i32[]",
              "f32[] i32[]", REDUCE(2, 0)),
    GOOD_BODY(reduce, "f32[5] f32[] f64[7] token", "f32[] f32[] f64[7] token -> f32[]", "f32[]",
              REDUCE(1, 0)),
    BAD_BODY(reduce, "f32[5] f64[]", F32, TYPE,
             "x and init must have one dtype, got f32[5] and f64[]", REDUCE(1, 0)), /* C1 */
    BAD_BODY(reduce, "f32[5] f32[1]", F32, SHAPE, "init must be a scalar, got f32[1]",
             REDUCE(1, 0)), /* C1 */
    BAD_BODY(reduce, "f32[5] f32[4] f32[] f32[]", "f32[] f32[] f32[] f32[] -> f32[] f32[]", SHAPE,
             "x[0] and x[1] must have one shape, got f32[5] and f32[4]", REDUCE(2, 0)), /* C1 */
    BAD_BODY(reduce, "f32[5] f32[5] f32[] i32[]", "f32[] f32[] f32[] f32[] -> f32[] f32[]", TYPE,
             "x[1] and init[1] must have one dtype, got f32[5] and i32[]", REDUCE(2, 0)), /* C1 */
    BAD_BODY(reduce, "f32[5] f32[]", F32, SHAPE, "dimensions[0] = 1 must be an axis in [0, 1)",
             REDUCE(1, 1)), /* C2 */
    BAD_BODY(reduce, "f32[5] f32[]", F32, SHAPE, "dimensions[0] = -1 must be an axis in [0, 1)",
             REDUCE(1, -1)), /* C2 */
    BAD_BODY(reduce, "f32[5,6] f32[]", F32, SHAPE, "dimensions = [1, 1] must not name axis 1 twice",
             REDUCE(1, 1, 1)), /* C2 */
    BAD_BODY(reduce, "f32[5] f32[]", "f32[] -> f32[]", ARGUMENT,
             "the body must take 2 values, not 1", REDUCE(1, 0)), /* C3 */
    BAD_BODY(reduce, "f32[5] f32[]", "f32[] f32[1] -> f32[]", SHAPE,
             "the body must take f32[] as parameter 1, not f32[1]", REDUCE(1, 0)), /* C3 */
    BAD_BODY(reduce, "f32[5] f32[]", "f32[] i32[] -> f32[]", TYPE,
             "the body must take f32[] as parameter 1, not i32[]", REDUCE(1, 0)), /* C3 */
    BAD_BODY(reduce, "f32[5] f32[]", "f32[] f32[] -> f32[] f32[]", ARGUMENT,
             "the body must give 1 value, not 2", REDUCE(1, 0)), /* C3 */
    BAD_BODY(reduce, "f32[5] f32[]", "f32[] f32[] -> bool[]", TYPE,
             "the body must give f32[] as result 0, not bool[]", REDUCE(1, 0)), /* C3 */
    BAD_BODY(reduce, "f32[5] f32[] f32[2]", "f32[] f32[] token -> f32[]", SHAPE,
             "the body must take f32[2] as parameter 2, not token", REDUCE(1, 0)), /* C3 */
    BAD_BODY(reduce, "f32[5]", F32, ARGUMENT,
             "takes n_inputs = 1 x and as many init, got 1 operand", REDUCE(1, 0)),
    BAD_BODY(reduce, "f32[5] f32[]", F32, ARGUMENT,
             "takes n_inputs = 0 x and as many init, got 2 operands", REDUCE(0, 0)),
    BAD_BODY(reduce, "f32[5] f32[]", F32, ARGUMENT,
             "takes n_inputs = -5 x and as many init, got 2 operands", REDUCE(-5, 0)),
    BAD_BODY(reduce, "", F32, ARGUMENT, "takes n_inputs = 1 x and as many init, got 0 operands",
             REDUCE(1, 0)),
    BAD_BODY(reduce, "f32[5] token", F32, TYPE, "init must be a tensor, got token", REDUCE(1, 0)),
    BAD_BODY(reduce, "i8[0,1099511627776,1099511627776] i8[]", "i8[] i8[] -> i8[]", RANGE,
             "the result's shape [1099511627776, 1099511627776] has too many elements",
             REDUCE(1, 0)),
};

TEST(reduce_types)
{
    CHECK_CASES(reductions);
}

/* ---- dot_general: batching of both sides, contracting of both sides, dtype. */

#define DOT(lb, rb, lc, rc, dtype)                                                                 \
    {                                                                                              \
        .dot_general = { lb, rb, lc, rc, dtype, NULL, NULL }                                       \
    }
#define MATMUL DOT(L(), L(), L(1), L(0), 0)

static const infer_case dots[] = {
    GOOD(dot_general, "f32[2,3] f32[3,4]", "f32[2,4]", MATMUL),
    GOOD(dot_general, "f32[2,0] f32[0,4]", "f32[2,4]", MATMUL),
    GOOD(dot_general, "f32[] f32[]", "f32[]", DOT(L(), L(), L(), L(), 0)),
    GOOD(dot_general, "f32[2] f32[3]", "f32[2,3]", DOT(L(), L(), L(), L(), 0)),
    GOOD(dot_general, "i8[2,3] i8[3,4]", "i32[2,4]", DOT(L(), L(), L(1), L(0), CT_I32)),
    GOOD(dot_general, "bf16[7,2,3,5] bf16[4,5,7,3]", "f32[5,7,2,4]",
         DOT(L(3, 0), L(1, 2), L(2), L(3), CT_F32)),
    GOOD(dot_general, "f64[7,2,3,5] f64[3,5,2,7]", "f64[]",
         DOT(L(), L(), L(0, 1, 2, 3), L(3, 2, 0, 1), 0)),
    BAD(dot_general, "f32[2,3] f64[3,4]", TYPE,
        "x and y must have one dtype, got f32[2,3] and f64[3,4]", MATMUL), /* C1 */
    BAD(dot_general, "f32[2,3] f32[2,3]", SHAPE,
        "lhs_batching_dimensions = [0] and rhs_batching_dimensions = [] must have one length",
        DOT(L(0), L(), L(1), L(1), 0)), /* C2 */
    BAD(dot_general, "f32[2,3] f32[3,2]", SHAPE,
        "lhs_contracting_dimensions = [1] and rhs_contracting_dimensions = [0, 1] must have one "
        "length",
        DOT(L(), L(), L(1), L(0, 1), 0)), /* C2 */
    BAD(dot_general, "f32[2,3] f32[2,3]", SHAPE,
        "lhs_batching_dimensions[0] = 2 must be an axis in [0, 2)",
        DOT(L(2), L(0), L(1), L(1), 0)), /* C3 */
    BAD(dot_general, "f32[2,3] f32[2,3]", SHAPE,
        "rhs_batching_dimensions[0] = -1 must be an axis in [0, 2)",
        DOT(L(0), L(-1), L(1), L(1), 0)), /* C3 */
    BAD(dot_general, "f32[2,3] f32[3]", SHAPE,
        "lhs_contracting_dimensions[0] = 2 must be an axis in [0, 2)",
        DOT(L(), L(), L(2), L(0), 0)), /* C3 */
    BAD(dot_general, "f32[2,3] f32[3]", SHAPE,
        "rhs_contracting_dimensions[0] = 1 must be an axis in [0, 1)",
        DOT(L(), L(), L(1), L(1), 0)), /* C3 */
    BAD(dot_general, "f32[3,3] f32[3,3]", SHAPE,
        "lhs_batching_dimensions = [1] and lhs_contracting_dimensions = [1] must not name axis 1 "
        "twice",
        DOT(L(1), L(0), L(1), L(1), 0)), /* C3 */
    BAD(dot_general, "f32[3,3] f32[3,3]", SHAPE,
        "rhs_batching_dimensions = [0] and rhs_contracting_dimensions = [0] must not name axis 0 "
        "twice",
        DOT(L(0), L(0), L(1), L(0), 0)), /* C3 */
    BAD(dot_general, "f32[3,3] f32[3,3]", SHAPE,
        "rhs_batching_dimensions = [] and rhs_contracting_dimensions = [1, 1] must not name axis 1 "
        "twice",
        DOT(L(), L(), L(0, 1), L(1, 1), 0)), /* C3 */
    BAD(dot_general, "f32[2,3] f32[4,5]", SHAPE,
        "axis lhs_contracting_dimensions[0] = 1 of x: f32[2,3] and axis "
        "rhs_contracting_dimensions[0] = 0 of y: f32[4,5] must have one extent",
        MATMUL), /* C4 */
    BAD(dot_general, "f32[2,3] f32[4,3]", SHAPE,
        "axis lhs_batching_dimensions[0] = 0 of x: f32[2,3] and axis rhs_batching_dimensions[0] = "
        "0 "
        "of y: f32[4,3] must have one extent",
        DOT(L(0), L(0), L(1), L(1), 0)), /* C4 */
    BAD(dot_general, "f32[2,3] f32[3,4]", TYPE, "dtype = 99 must be an element type",
        DOT(L(), L(), L(1), L(0), 99)),
    BAD(dot_general, "i8[4294967296] i8[4294967296]", RANGE,
        "the result's shape [4294967296, 4294967296] has too many elements",
        DOT(L(), L(), L(), L(), 0)),
    BAD(dot_general,
        "f32[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1] "
        "f32[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]",
        SHAPE, "the result has rank 66; at most 64 is allowed", DOT(L(), L(), L(), L(), 0)),
};

TEST(dot_types)
{
    CHECK_CASES(dots);
}

/* ---- call, if, barrier. */

static const infer_case controls[] = {
    GOOD_BODY(call, "f32[2] token", "f32[2] token -> i8[0] token", "i8[0] token", NO_ATTRS),
    GOOD_BODY(call, "", "-> ", "", NO_ATTRS),
    BAD_BODY(call, "f32[2]", "f32[2] f32[2] -> f32[2]", ARGUMENT,
             "the function takes 2 arguments, got 1", NO_ATTRS), /* C1 */
    BAD_BODY(call, "f32[2] f32[3]", "f32[2] f32[2] -> f32[2]", SHAPE,
             "the function takes f32[2] as argument 1, got f32[3]", NO_ATTRS), /* C1 */
    BAD_BODY(call, "f32[2]", "i32[2] -> f32[2]", TYPE,
             "the function takes i32[2] as argument 0, got f32[2]", NO_ATTRS), /* C1 */
    BAD_BODY(call, "stack<f32[2]>", "stack<f64[2]> -> ", TYPE,
             "the function takes stack<f64[2]> as argument 0, got stack<f32[2]>",
             NO_ATTRS), /* C1 */
    BAD(call, "f32[2]", ARGUMENT, "takes 1 body, got 0", NO_ATTRS),

    GOOD_BODY(if, "bool[]", "-> f32[2] | -> f32[2]", "f32[2]", NO_ATTRS),
    GOOD_BODY(if, "bool[] f32[2] token", "f32[2] token -> i8[] token|f32[2] token -> i8[] token",
              "i8[] token", NO_ATTRS),
    BAD_BODY(if, "i32[]", "-> f32[2]|-> f32[2]", TYPE, "pred must be a bool, got i32[]",
             NO_ATTRS), /* C1 */
    BAD_BODY(if, "bool[1]", "-> f32[2]|-> f32[2]", SHAPE, "pred must be a scalar, got bool[1]",
             NO_ATTRS), /* C1 */
    BAD_BODY(if, "token", "-> f32[2]|-> f32[2]", TYPE, "pred must be a tensor, got token",
             NO_ATTRS), /* C1 */
    BAD_BODY(if, "bool[] f32[2]", "f32[3] -> f32[]|f32[2] -> f32[]", SHAPE,
             "then must take f32[2] as parameter 0, not f32[3]", NO_ATTRS), /* C2 */
    BAD_BODY(if, "bool[] f32[2]", "f32[2] -> f32[]| -> f32[]", ARGUMENT,
             "otherwise must take 1 value, not 0", NO_ATTRS), /* C2 */
    BAD_BODY(if, "bool[]", "-> f32[]|-> f32[] f32[]", ARGUMENT,
             "otherwise must give 1 value, not 2", NO_ATTRS), /* C3 */
    BAD_BODY(if, "bool[]", "-> f32[]|-> f16[]", TYPE,
             "otherwise must give f32[] as result 0, not f16[]", NO_ATTRS), /* C3 */
    BAD_BODY(if, "bool[]", "-> f32[]", ARGUMENT, "takes 2 bodies, got 1", NO_ATTRS),
    BAD_BODY(if, "", "-> f32[]|-> f32[]", ARGUMENT, "takes at least 1 operand, got 0", NO_ATTRS),

    GOOD(optimization_barrier, "f32[2] token stack<i8[]>", "f32[2] token stack<i8[]>", NO_ATTRS),
    GOOD(optimization_barrier, "", "", NO_ATTRS),
    BAD(optimization_barrier, "f32[] NULL", ARGUMENT, "x[1] is NULL", NO_ATTRS),
};

TEST(call_if_and_barrier_types)
{
    CHECK_CASES(controls);
}

/* ---- scan: length, n_carry, n_inputs. */

#define SCAN(length, n_carry, n_inputs)                                                            \
    {                                                                                              \
        .scan = { length, n_carry, n_inputs, false }                                               \
    }

static const infer_case scans[] = {
    GOOD_BODY(scan, "f32[2] f32[7,3] i8[4]", "f32[2] f32[3] i8[4] -> f32[2] f64[] bool[5]",
              "f32[2] f64[7] bool[7,5]", SCAN(7, 1, 1)),
    GOOD_BODY(scan, "f32[2]", "f32[2] -> f32[2]", "f32[2]", SCAN(5, 1, 0)),
    GOOD_BODY(scan, "f32[5]", "f32[] -> f32[]", "f32[5]", SCAN(5, 0, 1)),
    GOOD_BODY(scan, "f32[0,3]", "f32[3] -> f32[2]", "f32[0,2]", SCAN(0, 0, 1)),
    GOOD_BODY(scan, "token f32[5] token", "token f32[] token -> token", "token", SCAN(5, 1, 1)),
    GOOD_BODY(scan, "", " -> ", "", SCAN(5, 0, 0)),
    BAD_BODY(scan, "f32[6]", "f32[] -> f32[]", SHAPE,
             "x must have extent length = 5 on axis 0, got f32[6]", SCAN(5, 0, 1)), /* C1 */
    BAD_BODY(scan, "f32[5] f32[]", "f32[] f32[] -> f32[]", SHAPE,
             "x[1] must have extent length = 5 on axis 0, got f32[]", SCAN(5, 0, 2)), /* C1 */
    BAD_BODY(scan, "f32[2] f32[7,3]", "f32[2] f32[7,3] -> f32[2]", SHAPE,
             "the body must take f32[3] as parameter 1, not f32[7,3]", SCAN(7, 1, 1)), /* C2 */
    BAD_BODY(scan, "f32[2] f32[7]", "f64[2] f32[] -> f32[2]", TYPE,
             "the body must take f32[2] as parameter 0, not f64[2]", SCAN(7, 1, 1)), /* C2 */
    BAD_BODY(scan, "f32[2] i8[3]", "f32[2] i8[4] -> f32[2]", SHAPE,
             "the body must take i8[3] as parameter 1, not i8[4]", SCAN(7, 1, 0)), /* C2 */
    BAD_BODY(scan, "f32[2]", "f32[2] f32[2] -> f32[2]", ARGUMENT,
             "the body must take 1 value, not 2", SCAN(7, 1, 0)), /* C2 */
    BAD_BODY(scan, "f32[2]", "f32[2] -> f32[3]", SHAPE,
             "the body must keep the type of carry: f32[2], not give f32[3]",
             SCAN(7, 1, 0)), /* C3 */
    BAD_BODY(scan, "f32[2] f32[]", "f32[2] f32[] -> f32[2] f64[]", TYPE,
             "the body must keep the type of carry[1]: f32[], not give f64[]",
             SCAN(7, 2, 0)), /* C3 */
    BAD_BODY(scan, "f32[2] f32[]", "f32[2] f32[] -> f32[2]", ARGUMENT,
             "the body must give the 2 carried values first, it gives 1", SCAN(7, 2, 0)), /* C3 */
    BAD_BODY(scan, "f32[2]", "f32[2] -> f32[2] token", TYPE,
             "the body's result 1 must be a tensor to be stacked, not token",
             SCAN(7, 1, 0)), /* C4 */
    BAD_BODY(scan, "token", "token -> ", TYPE, "x must be a tensor, got token", SCAN(7, 0, 1)),
    BAD_BODY(scan, "f32[2]", "f32[2] -> f32[2]", SHAPE, "length = -1 must not be negative",
             SCAN(-1, 1, 0)),
    BAD_BODY(scan, "f32[2]", "f32[2] -> f32[2]", ARGUMENT,
             "takes n_carry = 2 carry and n_inputs = 0 x, got 1 operand", SCAN(7, 2, 0)),
    BAD_BODY(scan, "f32[2]", "f32[2] -> f32[2]", ARGUMENT,
             "takes n_carry = 1 carry and n_inputs = 1 x, got 1 operand", SCAN(7, 1, 1)),
    BAD_BODY(scan, "f32[2]", "f32[2] -> f32[2]", ARGUMENT,
             "takes n_carry = -1 carry and n_inputs = 0 x, got 1 operand", SCAN(7, -1, 0)),
    BAD_BODY(scan, "", "-> f32[4294967296]", RANGE,
             "the result's shape [4294967296, 4294967296] has too many elements",
             SCAN((int64_t)1 << 32, 0, 0)),
    BAD_BODY(scan, "i8[0,4294967296,4294967296]", "i8[] -> i8[]", RANGE,
             "the result's shape [4294967296, 4294967296] has too many elements", SCAN(0, 0, 1)),
};

TEST(scan_types)
{
    CHECK_CASES(scans);
}

/* ---- Memory that ends after any number of allocations. */

static void *one_chunk(void *user, size_t bytes, size_t align)
{
    long *left = user;

    return (*left)-- > 0 ? ct__libc_allocator.allocate(NULL, bytes, align) : NULL;
}

static void give_back(void *user, void *memory, size_t bytes)
{
    (void)user;
    ct__libc_allocator.release(NULL, memory, bytes);
}

/* An arena of one chunk, of which `used` bytes are taken. Right cases may only run out of memory,
 * with no results left behind; wrong ones may say what is wrong, with "?" for text. */
static bool infer_behind(const infer_case *c, const ct__infer *question, size_t used)
{
    long left = 1;
    const ct_allocator allocator = {sizeof allocator, &left, one_chunk, give_back};
    ct__infer q = *question;
    ct__arena arena;
    bool fine;

    ct__arena_init(&arena, &allocator);
    CHECK(ct__arena_alloc(&arena, used));
    q.arena = &arena;
    fine = ct__infer_types(&q);
    if (fine && !c->results)
        check_fail(__FILE__, c->line, "taken without memory");
    if (!fine && (q.n_results > 0 || q.out || q.message[0] == 0))
        check_fail(__FILE__, c->line, "left behind: %s", q.message);
    if (!fine && c->results && q.status != CT_ERR_MEMORY)
        check_fail(__FILE__, c->line, "status %d: %s", (int)q.status, q.message);
    ct__arena_free(&arena);
    return fine;
}

static void check_shortage(size_t count, const infer_case *cases)
{
    for (size_t i = 0; i < count; i++) {
        ct__infer question;
        ct__arena arena;
        int failures = 0;

        ct__arena_init(&arena, &ct__libc_allocator);
        run_infer_case(&arena, &cases[i], &question);
        for (size_t used = 1600; used <= 4064; used += 16)
            failures += !infer_behind(&cases[i], &question, used);
        CHECK(cases[i].results == NULL || failures > 0 || question.n_results == 0);
        ct__arena_free(&arena);
    }
}

TEST(inference_without_memory_fails_cleanly)
{
    check_shortage(sizeof reductions / sizeof reductions[0], reductions);
    check_shortage(sizeof dots / sizeof dots[0], dots);
    check_shortage(sizeof controls / sizeof controls[0], controls);
    check_shortage(sizeof scans / sizeof scans[0], scans);
}

/* ---- Loops that count, and stacks. */

#define FOR(n)                                                                                     \
    {                                                                                              \
        .counted = {.n_carry = n }                                                                 \
    }
#define STACK                                                                                      \
    {                                                                                              \
        .stack = { 0 }                                                                             \
    }

static const infer_case counted[] = {
    GOOD_BODY(for, "i64[] f32[3] i8[]", "i64[] f32[3] i8[] -> f32[3]", "f32[3]", FOR(1)),
    GOOD_BODY(for, "i64[]", "i64[] ->", "", FOR(0)),
    BAD_BODY(for, "i32[] f32[3]", "i32[] f32[3] -> f32[3]", TYPE, "count must be i64[], got i32[]",
             FOR(1)), /* C1 */
    BAD_BODY(for, "i64[1] f32[3]", "i64[1] f32[3] -> f32[3]", SHAPE,
             "count must be i64[], got i64[1]", FOR(1)), /* C1 */
    BAD_BODY(for, "i64[] f32[3]", "i64[] -> f32[3]", ARGUMENT,
             "the body must take 2 values, not 1", FOR(1)), /* C2 */
    BAD_BODY(for, "i64[] f32[3]", "i32[] f32[3] -> f32[3]", TYPE,
             "the body must take i64[] as parameter 0, not i32[]", FOR(1)), /* C2 */
    BAD_BODY(for, "i64[] f32[3]", "i64[] f32[3] -> f32[2]", SHAPE,
             "the body must give f32[3] as result 0, not f32[2]", FOR(1)), /* C3 */
    BAD_BODY(for, "i64[] f32[3]", "i64[] f32[3] ->", ARGUMENT, "the body must give 1 value, not 0",
             FOR(1)), /* C3 */
    BAD_BODY(for, "i64[]", "i64[] ->", ARGUMENT, "takes n_carry = 1 carry, got 0 operands", FOR(1)),
    BAD_BODY(for, "i64[]", "i64[] ->", ARGUMENT, "takes n_carry = -1 carry, got 0 operands",
             FOR(-1)),
};

static const infer_case stacks[] = {
    GOOD_GIVEN(stack_new, "", "stack<f32[2]>", "stack<f32[2]>", STACK),
    BAD(stack_new, "", ARGUMENT, "its one result's type must be given", STACK), /* C1 */
    BAD_GIVEN(stack_new, "", "f32[2]", TYPE, "its result must be a stack, got f32[2]",
              STACK), /* C1 */
    GOOD(stack_add, "stack<f32[2,3]> i64[] f32[2,3]", "stack<f32[2,3]>", STACK),
    GOOD(stack_add, "stack<f32[2,3]> i64[2] f32[2,3]", "stack<f32[2,3]>", STACK),
    BAD(stack_add, "f32[2] i64[] f32[2]", TYPE, "stack must be a stack, got f32[2]",
        STACK), /* C1 */
    BAD(stack_add, "stack<f32[2]> i32[] f32[2]", TYPE, "index must be i64, got i32[]",
        STACK), /* C2 */
    BAD(stack_add, "stack<f32[2]> i64[3] f32[2]", SHAPE,
        "index i64[3] must have the first extents of the element f32[2]", STACK), /* C2 */
    BAD(stack_add, "stack<f32[2]> i64[] f32[3]", TYPE,
        "x must be an element of stack<f32[2]>, got f32[3]", STACK), /* C3 */
    GOOD(stack_get, "stack<f32[2,3]> i64[2,3]", "f32[2,3]", STACK),
    BAD(stack_get, "f32[2] i64[]", TYPE, "stack must be a stack, got f32[2]", STACK),   /* C1 */
    BAD(stack_get, "stack<f32[2]> u64[]", TYPE, "index must be i64, got u64[]", STACK), /* C2 */
    BAD(stack_get, "stack<f32[2]> i64[2,1]", SHAPE,
        "index i64[2,1] must have the first extents of the element f32[2]", STACK), /* C2 */
    GOOD(stack_sum, "stack<i8[]> stack<i8[]>", "stack<i8[]>", STACK),
    BAD(stack_sum, "i8[] stack<i8[]>", TYPE, "x must be a stack, got i8[]", STACK), /* C1 */
    BAD(stack_sum, "stack<i8[]> stack<u8[]>", TYPE, "y must be stack<i8[]>, as x, got stack<u8[]>",
        STACK), /* C1 */
};

TEST(counted_loops_and_stacks)
{
    CHECK_CASES(counted);
    CHECK_CASES(stacks);
}
