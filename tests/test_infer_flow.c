/* Type inference of loops, branches, tuples, calls of the program, and of operations of several
 * processes: result types, and every numbered constraint broken alone. */
#include "tests/check.h"
#include "tests/infer.h"

#include <string.h>

/* ---- while, case, map. */

#define LOOP(n)                                                                                    \
    {                                                                                              \
        .loop = { n }                                                                              \
    }
#define IF32 "i32[] f32[3] -> bool[]|i32[] f32[3] -> i32[] f32[3]"

static const infer_case loops[] = {
    GOOD_BODY(while, "i32[] f32[3]", IF32, "i32[] f32[3]", LOOP(2)),
    GOOD_BODY(while, "i32[] f32[3]", "i32[] f32[3] -> bool[]|i32[] f32[3] -> i32[]", "i32[]",
              LOOP(1)),
    GOOD_BODY(while, "", "-> bool[]|->", "", LOOP(0)),
    GOOD_BODY(while, "token tuple<f32[],token>",
              "token tuple<f32[],token> -> bool[]|token tuple<f32[],token> -> token "
              "tuple<f32[],token>",
              "token tuple<f32[],token>", LOOP(2)),
    BAD_BODY(while, "i32[] f32[3]", "i32[] -> bool[]|i32[] f32[3] -> i32[] f32[3]", ARGUMENT,
             "cond must take 2 values, not 1", LOOP(2)), /* C1 */
    BAD_BODY(while, "i32[] f32[3]", "i32[] f32[4] -> bool[]|i32[] f32[3] -> i32[] f32[3]", SHAPE,
             "cond must take f32[3] as parameter 1, not f32[4]", LOOP(2)), /* C1 */
    BAD_BODY(while, "i32[] f32[3]", "i32[] f32[3] -> i32[]|i32[] f32[3] -> i32[] f32[3]", TYPE,
             "cond must give bool[] as result 0, not i32[]", LOOP(2)), /* C1 */
    BAD_BODY(while, "i32[] f32[3]", "i32[] f32[3] -> bool[1]|i32[] f32[3] -> i32[] f32[3]", SHAPE,
             "cond must give bool[] as result 0, not bool[1]", LOOP(2)), /* C1 */
    BAD_BODY(while, "i32[] f32[3]", "i32[] f32[3] ->|i32[] f32[3] -> i32[] f32[3]", ARGUMENT,
             "cond must give 1 value, not 0", LOOP(2)), /* C1 */
    BAD_BODY(while, "i32[] f32[3]", "i32[] f32[3] -> bool[]|f32[3] -> i32[] f32[3]", ARGUMENT,
             "the body must take 2 values, not 1", LOOP(2)), /* C2 */
    BAD_BODY(while, "i32[] f32[3]", "i32[] f32[3] -> bool[]|i64[] f32[3] -> i32[] f32[3]", TYPE,
             "the body must take i32[] as parameter 0, not i64[]", LOOP(2)), /* C2 */
    BAD_BODY(while, "i32[] f32[3]", "i32[] f32[3] -> bool[]|i32[] f32[3] -> i32[] f64[3]", TYPE,
             "the body must give f32[3] as result 1, not f64[3]", LOOP(2)), /* C2 */
    BAD_BODY(while, "i32[] f32[3]", "i32[] f32[3] -> bool[]|i32[] f32[3] -> i32[]", ARGUMENT,
             "the body must give 2 values, not 1", LOOP(2)), /* C2 */
    BAD_BODY(while, "i32[]", "i32[] -> bool[]|i32[] -> i32[]", ARGUMENT,
             "takes n_carry = 2 carry, got 1 operand", LOOP(2)),
    BAD_BODY(while, "i32[]", "i32[] -> bool[]|i32[] -> i32[]", ARGUMENT,
             "takes n_carry = -1 carry, got 1 operand", LOOP(-1)),
    BAD_BODY(while, "i32[]", "i32[] -> bool[]", ARGUMENT, "takes 2 bodies, got 1", LOOP(1)),
};

static const infer_case branches[] = {
    GOOD_BODY(case, "i32[] f32[3]", "f32[3] -> f32[3]|f32[3] -> f32[3]|f32[3] -> f32[3]", "f32[3]",
              NO_ATTRS),
    GOOD_BODY(case, "i32[]", "-> f32[] token", "f32[] token", NO_ATTRS),
    GOOD_BODY(case, "i32[]", "->|->", "", NO_ATTRS),
    BAD_BODY(case, "i64[]", "->", TYPE, "index must be i32[], got i64[]", NO_ATTRS),        /* I1 */
    BAD_BODY(case, "i32[1]", "->", SHAPE, "index must be i32[], got i32[1]", NO_ATTRS),     /* I1 */
    BAD_BODY(case, "bool[]", "->", TYPE, "index must be an integer, got bool[]", NO_ATTRS), /* I1 */
    BAD_BODY(case, "i32[]", "", ARGUMENT, "takes more than 0 bodies, got 0", NO_ATTRS),     /* C1 */
    BAD_BODY(case, "i32[] f32[3]", "f32[3] -> f32[3]|-> f32[3]", ARGUMENT,
             "branch[1] must take 1 value, not 0", NO_ATTRS), /* C2 */
    BAD_BODY(case, "i32[] f32[3]", "f32[2] -> f32[3]|f32[3] -> f32[3]", SHAPE,
             "branch[0] must take f32[3] as parameter 0, not f32[2]", NO_ATTRS), /* C2 */
    BAD_BODY(case, "i32[] f32[3]", "f32[3] -> f32[3]|f32[3] -> f32[3]|f32[3] -> i32[3]", TYPE,
             "branch[2] must give f32[3] as result 0, not i32[3]", NO_ATTRS), /* C3 */
    BAD_BODY(case, "i32[] f32[3]", "f32[3] -> f32[3]|f32[3] -> f32[3] f32[3]", ARGUMENT,
             "branch[1] must give 1 value, not 2", NO_ATTRS), /* C3 */
};

#define MAP(n, ...)                                                                                \
    {                                                                                              \
        .map = { L(__VA_ARGS__), n }                                                               \
    }

static const infer_case maps[] = {
    GOOD_BODY(map, "f32[2,3] i32[2,3]", "f32[] i32[] -> bool[]", "bool[2,3]", MAP(2, 0, 1)),
    GOOD_BODY(map, "f32[]", "f32[] -> f64[]", "f64[]", MAP(1, )),
    GOOD_BODY(map, "c64[0] token", "c64[] token -> c64[]", "c64[0]", MAP(1, 0)),
    BAD_BODY(map, "f32[2,3] f32[3,2]", "f32[] f32[] -> f32[]", SHAPE,
             "x[0] and x[1] must have one shape, got f32[2,3] and f32[3,2]", MAP(2, 0, 1)), /* C1 */
    BAD_BODY(map, "f32[2]", "f32[] -> f32[]", ARGUMENT, "takes n_inputs = 0 x, got 1 operand",
             MAP(0, 0)), /* C2 */
    BAD_BODY(map, "f32[2]", "f32[] -> f32[]", ARGUMENT, "takes n_inputs = 2 x, got 1 operand",
             MAP(2, 0)),
    BAD_BODY(map, "f32[2,3]", "f32[] -> f32[]", SHAPE,
             "dimensions = [0] must have one entry per axis of x: f32[2,3]", MAP(1, 0)), /* C3 */
    BAD_BODY(map, "f32[2,3]", "f32[] -> f32[]", SHAPE,
             "dimensions = [1, 0] must be all axes of x in order", MAP(1, 1, 0)), /* C3 */
    BAD_BODY(map, "f32[2]", "f64[] -> f32[]", TYPE,
             "the body must take f32[] as parameter 0, not f64[]", MAP(1, 0)), /* C4 */
    BAD_BODY(map, "f32[2]", "f32[2] -> f32[]", SHAPE,
             "the body must take f32[] as parameter 0, not f32[2]", MAP(1, 0)), /* C4 */
    BAD_BODY(map, "f32[2]", "f32[] -> f32[1]", TYPE, "the body must give a scalar, not f32[1]",
             MAP(1, 0)), /* C4 */
    BAD_BODY(map, "f32[2]", "f32[] -> token", TYPE, "the body must give a scalar, not token",
             MAP(1, 0)), /* C4 */
    BAD_BODY(map, "f32[2]", "f32[] -> f32[] f32[]", ARGUMENT, "the body must give 1 value, not 2",
             MAP(1, 0)), /* C4 */
};

TEST(control)
{
    CHECK_CASES(loops);
    CHECK_CASES(branches);
    CHECK_CASES(maps);
}

/* ---- Tuples and tokens. */

#define ELEMENT(i)                                                                                 \
    {                                                                                              \
        .get_tuple_element = { i }                                                                 \
    }

static const infer_case tuples[] = {
    GOOD(tuple, "f32[2] token tuple<>", "tuple<f32[2],token,tuple<>>", NO_ATTRS),
    GOOD(tuple, "", "tuple<>", NO_ATTRS),
    GOOD(get_tuple_element, "tuple<f32[2],token>", "f32[2]", ELEMENT(0)),
    GOOD(get_tuple_element, "tuple<f32[2],token>", "token", ELEMENT(1)),
    BAD(get_tuple_element, "tuple<f32[2],token>", ARGUMENT,
        "index = 2 must lie in [0, 2), for x: tuple<f32[2],token>", ELEMENT(2)), /* C1 */
    BAD(get_tuple_element, "tuple<f32[2],token>", ARGUMENT,
        "index = -1 must lie in [0, 2), for x: tuple<f32[2],token>", ELEMENT(-1)), /* C1 */
    BAD(get_tuple_element, "tuple<>", ARGUMENT, "index = 0 must lie in [0, 0), for x: tuple<>",
        ELEMENT(0)), /* C1 */
    BAD(get_tuple_element, "f32[2]", TYPE, "x must be a tuple, got f32[2]", ELEMENT(0)),
    GOOD(after_all, "token token", "token", NO_ATTRS),
    GOOD(after_all, "", "token", NO_ATTRS),
    BAD(after_all, "token f32[]", TYPE, "token[1] must be a token, got f32[]", NO_ATTRS), /* I1 */
};

#define COMPOSITE(text)                                                                            \
    {                                                                                              \
        .composite = {.name = text }                                                               \
    }

static const infer_case calls[] = {
    GOOD(custom_call, "f32[2]", "", {.custom_call = {.call_target_name = "f"}}),
    BAD(custom_call, "f32[2]", ARGUMENT, "call_target_name is missing",
        {.custom_call = {.call_target_name = ""}}), /* C1 */
    BAD(custom_call, "f32[2]", ARGUMENT, "call_target_name is missing",
        {.custom_call = {.call_target_name = NULL}}), /* C1 */
    GOOD_BODY(composite, "f32[2]", "f32[2] -> i32[]", "i32[]", COMPOSITE("my_ns.op.v2$")),
    BAD_BODY(composite, "f32[2]", "f32[2] -> i32[]", ARGUMENT,
             "name = \"op\" must be of the form \"namespace.operation\"", COMPOSITE("op")), /* C1 */
    BAD_BODY(composite, "f32[2]", "f32[2] -> i32[]", ARGUMENT,
             "name = \"a.\" must be of the form \"namespace.operation\"", COMPOSITE("a.")), /* C1 */
    BAD_BODY(composite, "f32[2]", "f32[2] -> i32[]", ARGUMENT,
             "name = \"1.a\" must be of the form \"namespace.operation\"",
             COMPOSITE("1.a")), /* C1 */
    BAD_BODY(composite, "f32[2]", "f32[2] -> i32[]", ARGUMENT,
             "name = \"a.b c\" must be of the form \"namespace.operation\"",
             COMPOSITE("a.b c")), /* C1 */
    BAD_BODY(composite, "f32[2]", "f32[2] -> i32[]", ARGUMENT,
             "name = \"\" must be of the form \"namespace.operation\"", COMPOSITE(NULL)), /* C1 */
    BAD(composite, "f32[2]", ARGUMENT, "takes 1 body, got 0", COMPOSITE("a.b")),          /* C2 */
    BAD_BODY(composite, "f32[2]", "f32[3] -> i32[]", SHAPE,
             "the function takes f32[3] as argument 0, got f32[2]", COMPOSITE("a.b")), /* C3 */
};

#define RULES(jvp, vjp, forward)                                                                   \
    {                                                                                              \
        .custom_rule = {.has_jvp = jvp, .has_vjp = vjp, .has_forward = forward }                   \
    }
#define F_OF_X "f32[2] -> f32[]"
#define BACKWARD "f32[2] f32[] f32[] -> f32[2]" /* of x, y, ybar */

static const infer_case rules[] = {
    GOOD_BODY(custom_rule, "f32[2]", F_OF_X "|f32[2] f32[2] -> f32[] f32[]", "f32[]",
              RULES(true, false, false)),
    GOOD_BODY(custom_rule, "f32[2]", F_OF_X "|" BACKWARD, "f32[]", RULES(false, true, false)),
    GOOD_BODY(custom_rule, "f32[2]", F_OF_X "|f32[2] -> f32[] i8[]|i8[] f32[] -> f32[2]", "f32[]",
              RULES(false, true, true)),
    BAD_BODY(custom_rule, "f32[2]", F_OF_X "|" BACKWARD, ARGUMENT,
             "needs a jvp rule, or a vjp rule's backward function",
             RULES(false, false, false)), /* C1 */
    BAD_BODY(custom_rule, "f32[3]", F_OF_X "|" BACKWARD, SHAPE,
             "the function takes f32[2] as argument 0, got f32[3]",
             RULES(false, true, false)), /* C2 */
    BAD_BODY(custom_rule, "f32[2]", F_OF_X "|f32[2] f32[3] -> f32[] f32[]", SHAPE,
             "the jvp rule must take f32[2] as parameter 1, not f32[3]",
             RULES(true, false, false)), /* C3 */
    BAD_BODY(custom_rule, "f32[2]", F_OF_X "|f32[2] -> f64[] i8[]|i8[] f32[] -> f32[2]", TYPE,
             "the vjp rule's forward function must give f32[] as result 0, not f64[]",
             RULES(false, true, true)), /* C4 */
    BAD_BODY(custom_rule, "f32[2]", F_OF_X "|f32[2] f32[] f32[] -> f32[3]", SHAPE,
             "the vjp rule's backward function must give f32[2] as result 0, not f32[3]",
             RULES(false, true, false)), /* C5 */
};

TEST(values_and_calls)
{
    CHECK_CASES(tuples);
    CHECK_CASES(calls);
    CHECK_CASES(rules);
}

/* ---- Several processes. */

#define GATHER(dim, n, ...)                                                                        \
    {                                                                                              \
        .all_gather = {.all_gather_dim = dim, .replica_groups = L(__VA_ARGS__), .group_size = n }  \
    }
#define GLOBAL(field, id)                                                                          \
    {                                                                                              \
        .field = {.channel_id = id, .use_global_device_ids = true }                                \
    }

static const infer_case gathers[] = {
    GOOD(all_gather, "f32[4,6] i8[4]", "f32[8,6] i8[8]", GATHER(0, 2, 0, 1)),
    GOOD(all_gather, "f32[4,6]", "f32[4,18]", GATHER(1, 3, 5, 3, 1, 0, 2, 4)),
    GOOD(all_gather, "f32[4,6]", "f32[4,6]", GATHER(1, 0, )),
    GOOD(all_gather, "f32[0]", "f32[0]", GATHER(0, 2, 1, 0)),
    GOOD(all_gather, "", "", GATHER(0, 1, 0)),
    BAD(all_gather, "f32[4]", SHAPE, "all_gather_dim = 1 must be an axis in [0, 1)",
        GATHER(1, 1, 0)), /* C1 */
    BAD(all_gather, "f32[4]", SHAPE, "all_gather_dim = -1 must be an axis in [0, 1)",
        GATHER(-1, 1, 0)), /* C1 */
    BAD(all_gather, "f32[4]", ARGUMENT, "replica_groups = [0, 0] must not name process 0 twice",
        GATHER(0, 2, 0, 0)), /* C2 */
    BAD(all_gather, "f32[4]", ARGUMENT, "replica_groups[1] = 2 must be a process in [0, 2)",
        GATHER(0, 2, 0, 2)), /* C4 */
    BAD(all_gather, "f32[4]", ARGUMENT, "replica_groups[1] = -1 must be a process in [0, 2)",
        GATHER(0, 2, 0, -1)), /* C4 */
    BAD(all_gather, "f32[4]", ARGUMENT,
        "replica_groups of 3 processes are not groups of group_size = 2",
        GATHER(0, 2, 0, 1, 2)), /* C3 */
    BAD(all_gather, "f32[4]", ARGUMENT,
        "replica_groups of 1 processes are not groups of group_size = 0", GATHER(0, 0, 0)),
    BAD(all_gather, "f32[4]", ARGUMENT,
        "replica_groups of 0 processes are not groups of group_size = -1", GATHER(0, -1, )),
    GOOD(all_gather, "f32[4]", "f32[4]", GLOBAL(all_gather, 1)),
    BAD(all_gather, "f32[4]", ARGUMENT, "use_global_device_ids needs a channel_id above 0, got 0",
        GLOBAL(all_gather, 0)), /* C5 */
    BAD(all_gather, "f32[4611686018427387904,0]", RANGE, "the result's extent is too large",
        GATHER(0, 2, 0, 1)),
    BAD(all_gather, "f32[4] token", TYPE, "x[1] must be a tensor, got token", GATHER(0, 1, 0)),
};

#define REDUCE(n_inputs_, n, ...)                                                                  \
    {                                                                                              \
        .all_reduce = {.replica_groups = L(__VA_ARGS__), .group_size = n, .n_inputs = n_inputs_ }  \
    }
#define GLOBAL_REDUCE(id)                                                                          \
    {                                                                                              \
        .all_reduce = {.channel_id = id, .use_global_device_ids = true, .n_inputs = 1 }            \
    }
#define F32 "f32[] f32[] -> f32[]"

static const infer_case reductions[] = {
    GOOD_BODY(all_reduce, "f32[4] f32[2,3]", F32, "f32[4] f32[2,3]", REDUCE(2, 2, 0, 1)),
    GOOD_BODY(all_reduce, "f16[4] f32[]", F32, "f32[4] f32[]", REDUCE(2, 2, 0, 1, 2, -1)),
    GOOD_BODY(all_reduce, "f32[4] i64[7]", "f32[] f32[] i64[7] -> f32[]", "f32[4]", REDUCE(1, 0, )),
    BAD_BODY(all_reduce, "f32[4]", F32, ARGUMENT,
             "replica_groups = [1, 1] must not name process 1 twice", REDUCE(1, 2, 1, 1)), /* C1 */
    BAD_BODY(all_reduce, "f32[4]", F32, ARGUMENT,
             "replica_groups of 3 processes are not groups of group_size = 2",
             REDUCE(1, 2, 0, 1, 2)), /* C2 */
    BAD_BODY(all_reduce, "f32[4]", F32, ARGUMENT,
             "replica_groups[0] = 2 must be a process in [0, 2)", REDUCE(1, 2, 2, 1)), /* C3 */
    BAD_BODY(all_reduce, "f32[4]", F32, ARGUMENT,
             "use_global_device_ids needs a channel_id above 0, got -1",
             GLOBAL_REDUCE(-1)), /* C4 */
    BAD_BODY(all_reduce, "f64[4]", F32, TYPE,
             "the body gives f32[], to which x is not promoted: f64[4]", REDUCE(1, 1, 0)), /* C5 */
    BAD_BODY(all_reduce, "i32[4]", F32, TYPE,
             "the body gives f32[], to which x is not promoted: i32[4]", REDUCE(1, 1, 0)), /* C5 */
    BAD_BODY(all_reduce, "f32[4]", "f32[] f64[] -> f32[]", TYPE,
             "the body must take f32[] as parameter 1, not f64[]", REDUCE(1, 1, 0)), /* C5 */
    BAD_BODY(all_reduce, "f32[4]", "f32[] f32[] -> f32[1]", TYPE, "the body must give one scalar",
             REDUCE(1, 1, 0)), /* C5 */
    BAD_BODY(all_reduce, "f32[4]", "f32[] f32[] ->", TYPE, "the body must give one scalar",
             REDUCE(1, 1, 0)), /* C5 */
    BAD_BODY(all_reduce, "f32[4]", F32, ARGUMENT, "takes n_inputs = 2 x, got 1 operand",
             REDUCE(2, 1, 0)),
};

#define TO_ALL(split, concat, count, n, ...)                                                       \
    {                                                                                              \
        .all_to_all = {                                                                            \
            .split_dimension = split,                                                              \
            .concat_dimension = concat,                                                            \
            .split_count = count,                                                                  \
            .replica_groups = L(__VA_ARGS__),                                                      \
            .group_size = n                                                                        \
        }                                                                                          \
    }

static const infer_case exchanges[] = {
    GOOD(all_to_all, "f32[4,6] f32[2,1]", "f32[2,12] f32[1,2]", TO_ALL(0, 1, 2, 2, 0, 1)),
    GOOD(all_to_all, "f32[4,6]", "f32[4,6]", TO_ALL(1, 1, 3, 3, 0, 1, 2)),
    GOOD(all_to_all, "f32[4,6]", "f32[1,24]", TO_ALL(0, 1, 4, 0, )),
    BAD(all_to_all, "f32[4,6]", SHAPE, "split_dimension = 2 must be an axis in [0, 2)",
        TO_ALL(2, 1, 2, 2, 0, 1)), /* C1 */
    BAD(all_to_all, "f32[4,6]", SHAPE, "split_count = 3 must divide axis 0 of x: f32[4,6]",
        TO_ALL(0, 1, 3, 3, 0, 1, 2)), /* C2 */
    BAD(all_to_all, "f32[4,6]", SHAPE, "concat_dimension = -1 must be an axis in [0, 2)",
        TO_ALL(0, -1, 2, 2, 0, 1)), /* C3 */
    BAD(all_to_all, "f32[4,6]", SHAPE, "split_count = 0 must be positive",
        TO_ALL(0, 1, 0, 1, 0)), /* C4 */
    BAD(all_to_all, "f32[4,6]", ARGUMENT, "replica_groups = [0, 0] must not name process 0 twice",
        TO_ALL(0, 1, 2, 2, 0, 0)), /* C5 */
    BAD(all_to_all, "f32[4,6]", ARGUMENT,
        "replica_groups of 3 processes are not groups of group_size = 2",
        TO_ALL(0, 1, 2, 2, 0, 1, 2)), /* C6 */
    BAD(all_to_all, "f32[4,6]", ARGUMENT, "replica_groups[0] = 9 must be a process in [0, 2)",
        TO_ALL(0, 1, 2, 2, 9, 0)), /* C7 */
    BAD(all_to_all, "f32[4,6]", SHAPE, "split_count = 2 must be group_size = 1",
        TO_ALL(0, 1, 2, 1, 0, 1)), /* C8 */
};

#define BROADCAST(n, ...)                                                                          \
    {                                                                                              \
        .collective_broadcast = {.replica_groups = L(__VA_ARGS__), .group_size = n }               \
    }
#define PERMUTE(...)                                                                               \
    {                                                                                              \
        .collective_permute = {.source_target_pairs = L(__VA_ARGS__) }                             \
    }
#define SCATTER(dim, n, ...)                                                                       \
    {                                                                                              \
        .reduce_scatter = {                                                                        \
            .scatter_dimension = dim,                                                              \
            .replica_groups = L(__VA_ARGS__),                                                      \
            .group_size = n                                                                        \
        }                                                                                          \
    }

static const infer_case others[] = {
    GOOD(collective_broadcast, "f32[4]", "f32[4]", BROADCAST(2, 7, 5, 1, 3)),
    BAD(collective_broadcast, "f32[4]", ARGUMENT,
        "replica_groups = [7, 5, 1, 7] must not name process 7 twice",
        BROADCAST(2, 7, 5, 1, 7)), /* C1 */
    BAD(collective_broadcast, "f32[4]", ARGUMENT, "replica_groups[1] = -5 must not be negative",
        BROADCAST(2, 7, -5)), /* C2 */
    GOOD(collective_permute, "f32[4]", "f32[4]", PERMUTE(0, 1, 1, 2, 5, 0)),
    GOOD(collective_permute, "f32[4]", "f32[4]", PERMUTE()),
    BAD(collective_permute, "f32[4]", ARGUMENT, "source_target_pairs = [0, 1, 2] must be pairs",
        PERMUTE(0, 1, 2)), /* C1 */
    BAD(collective_permute, "f32[4]", ARGUMENT, "sources = [0, 0] must not name process 0 twice",
        PERMUTE(0, 1, 0, 2)), /* C2 */
    BAD(collective_permute, "f32[4]", ARGUMENT, "targets = [3, 3] must not name process 3 twice",
        PERMUTE(0, 3, 1, 3)), /* C3 */
    BAD(collective_permute, "f32[4]", ARGUMENT, "targets[0] = -1 must not be negative",
        PERMUTE(0, -1)), /* C4 */
    GOOD_BODY(reduce_scatter, "f32[4,6]", F32, "f32[4,3]", SCATTER(1, 2, 0, 1)),
    GOOD_BODY(reduce_scatter, "f16[4,6] i8[]", "f32[] f32[] i8[] -> f32[]", "f32[4,6]",
              SCATTER(1, 0, )),
    BAD_BODY(reduce_scatter, "f32[4,6]", F32, SHAPE,
             "group_size = 3 must divide axis 0 of x: f32[4,6]", SCATTER(0, 3, 0, 1, 2)), /* C1 */
    BAD_BODY(reduce_scatter, "f32[4,6]", F32, SHAPE,
             "scatter_dimension = 2 must be an axis in [0, 2)", SCATTER(2, 1, 0)), /* C2 */
    BAD_BODY(reduce_scatter, "f32[4,6]", F32, ARGUMENT,
             "replica_groups = [0, 0] must not name process 0 twice", SCATTER(1, 2, 0, 0)), /* C3 */
    BAD_BODY(reduce_scatter, "f32[4,6]", F32, ARGUMENT,
             "replica_groups of 3 processes are not groups of group_size = 2",
             SCATTER(1, 2, 0, 1, 2)), /* C4 */
    BAD_BODY(reduce_scatter, "f32[4,6]", F32, ARGUMENT,
             "replica_groups[1] = 2 must be a process in [0, 2)", SCATTER(1, 2, 0, 2)), /* C5 */
    BAD_BODY(reduce_scatter, "f32[4,6]", F32, ARGUMENT,
             "use_global_device_ids needs a channel_id above 0, got 0",
             GLOBAL(reduce_scatter, 0)), /* C6 */
    BAD_BODY(reduce_scatter, "f64[4,6]", F32, TYPE,
             "the body gives f32[], to which x is not promoted: f64[4,6]",
             SCATTER(1, 2, 0, 1)), /* C7 */
    GOOD(partition_id, "", "u32[]", NO_ATTRS),
    GOOD(replica_id, "", "u32[]", NO_ATTRS),
};

TEST(processes)
{
    CHECK_CASES(gathers);
    CHECK_CASES(reductions);
    CHECK_CASES(exchanges);
    CHECK_CASES(others);
}

/* ---- Channels: the given types say what arrives. */

#define SEND(type, host)                                                                           \
    {                                                                                              \
        .send = {.channel_type = type, .is_host_transfer = host }                                  \
    }
#define RECV(type, host)                                                                           \
    {                                                                                              \
        .recv = {.channel_type = type, .is_host_transfer = host }                                  \
    }

static const infer_case channels[] = {
    GOOD(outfeed, "f32[2] i8[] token", "token", {.outfeed = {NULL}}),
    GOOD(outfeed, "token", "token", {.outfeed = {"config"}}),
    BAD(outfeed, "f32[2]", TYPE, "token must be a token, got f32[2]", {.outfeed = {NULL}}),
    BAD(outfeed, "token token", TYPE, "x must be a tensor, got token", {.outfeed = {NULL}}),
    GOOD(send, "f32[2] token", "token", SEND(2, true)),
    GOOD(send, "token", "token", SEND(1, false)),
    BAD(send, "f32[2] token", ARGUMENT, "channel_type = 1 must be 2, for is_host_transfer is true",
        SEND(1, true)), /* C1 */
    BAD(send, "f32[2] token", ARGUMENT, "channel_type = 2 must be 1, for is_host_transfer is false",
        SEND(2, false)), /* C1 */
    BAD(recv, "token", ARGUMENT, "channel_type = 2 must be 3, for is_host_transfer is true",
        RECV(2, true)), /* C1 */
    BAD(recv, "token", ARGUMENT, "must have a token as its last result, has no result",
        RECV(3, true)), /* C2 */
    BAD(recv, "f32[]", TYPE, "token must be a token, got f32[]", RECV(3, true)),
    BAD(infeed, "token", ARGUMENT, "must have a token as its last result, has no result",
        {.infeed = {NULL}}), /* C1 */
    BAD(infeed, "f32[]", TYPE, "token must be a token, got f32[]", {.infeed = {NULL}}),
    GOOD_GIVEN(infeed, "token", "f32[2] i8[] token", "f32[2] i8[] token", {.infeed = {NULL}}),
    BAD_GIVEN(infeed, "token", "token token", TYPE, "result 0 must be a tensor, not token",
              {.infeed = {NULL}}), /* C2 */
    BAD_GIVEN(infeed, "token", "f32[2]", TYPE, "result 0 must be a token, not f32[2]",
              {.infeed = {NULL}}), /* C3 */
    GOOD_GIVEN(recv, "token", "f32[2] i8[] token", "f32[2] i8[] token", RECV(1, false)),
    BAD_GIVEN(recv, "token", "token token", TYPE, "result 0 must be a tensor, not token",
              RECV(1, false)), /* C3 */
    BAD_GIVEN(recv, "token", "f32[2]", TYPE, "result 0 must be a token, not f32[2]",
              RECV(1, false)), /* C4 */
};

TEST(given_types)
{
    CHECK_CASES(channels);
}

/* Without groups, the given types tell how many processes there are. */
TEST(groups_of_all_processes)
{
    static const ct__attrs gather = {.all_gather = {.all_gather_dim = 1}};
    ct__arena arena;
    ct__infer q;

    ct__arena_init(&arena, &ct__libc_allocator);
    const ct_type *x = type_of_text(&arena, "f32[4,6]");
    const ct_type *three = type_of_text(&arena, "f32[4,18]"),
                  *odd = type_of_text(&arena, "f32[4,7]");
    const ct_type *given[] = {three, odd};
    for (int i = 0; i < 2; i++) {
        q = (ct__infer){.op = CT__OP_all_gather,
                        .arena = &arena,
                        .attrs = &gather,
                        .n_operands = 1,
                        .in = &x,
                        .n_given = 1,
                        .given = &given[i]};
        CHECK(ct__infer_types(&q) && ct__type_equal(q.out[0], i == 0 ? three : x));
    }
    ct__arena_free(&arena);
}
