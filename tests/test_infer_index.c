/* Type inference of dynamic slices, gather and scatter: result types, and every numbered constraint
 * broken alone. */
#include "tests/check.h"
#include "tests/infer.h"

/* ---- Dynamic slices. */

#define SIZES(...)                                                                                 \
    {                                                                                              \
        .dynamic_slice = { L(__VA_ARGS__), false }                                                 \
    }
#define UPDATE                                                                                     \
    {                                                                                              \
        .dynamic_update_slice = { false }                                                          \
    }

static const infer_case dynamic_slices[] = {
    GOOD(dynamic_slice, "f32[4,5] i32[] i32[]", "f32[2,3]", SIZES(2, 3)),
    GOOD(dynamic_slice, "f32[4,5] u8[] u8[]", "f32[0,5]", SIZES(0, 5)),
    GOOD(dynamic_slice, "c64[]", "c64[]", SIZES()),
    GOOD(dynamic_slice, "bool[1,2,3,4,5,0] i8[] i8[] i8[] i8[] i8[] i8[]", "bool[1,2,3,4,5,0]",
         SIZES(1, 2, 3, 4, 5, 0)),
    BAD(dynamic_slice, "f32[4,5] i32[]", SHAPE, "takes one start per axis of x: f32[4,5], got 1",
        SIZES(2, 3)), /* C1 */
    BAD(dynamic_slice, "f32[4] f32[]", TYPE,
        "start must be integer scalars of one dtype, got start: f32[]", SIZES(2)), /* C1 */
    BAD(dynamic_slice, "f32[4] bool[]", TYPE,
        "start must be integer scalars of one dtype, got start: bool[]", SIZES(2)), /* C1 */
    BAD(dynamic_slice, "f32[4] i32[1]", TYPE,
        "start must be integer scalars of one dtype, got start: i32[1]", SIZES(2)), /* C1 */
    BAD(dynamic_slice, "f32[4,5] i32[] i64[]", TYPE,
        "start must be integer scalars of one dtype, got start[1]: i64[]", SIZES(2, 3)), /* C1 */
    BAD(dynamic_slice, "f32[4] i32[]", SHAPE,
        "slice_sizes = [2, 3] must have one entry per axis of x: f32[4]", SIZES(2, 3)), /* C2 */
    BAD(dynamic_slice, "f32[4,5] i32[] i32[]", SHAPE, "slice_sizes[1] = 7 does not fit x: f32[4,5]",
        SIZES(2, 7)), /* C2 */
    BAD(dynamic_slice, "f32[4,5] i32[] i32[]", SHAPE,
        "slice_sizes[0] = -1 does not fit x: f32[4,5]", SIZES(-1, 2)), /* C2 */
    BAD(dynamic_slice, "", ARGUMENT, "takes at least 1 operand, got 0", SIZES()),

    GOOD(dynamic_update_slice, "f32[4,5] f32[2,3] i64[] i64[]", "f32[4,5]", UPDATE),
    GOOD(dynamic_update_slice, "u8[] u8[]", "u8[]", UPDATE),
    GOOD(dynamic_update_slice, "c64[4,0] c64[0,0] u64[] u64[]", "c64[4,0]", UPDATE),
    BAD(dynamic_update_slice, "f32[4,5] f32[2,3] i32[]", SHAPE,
        "takes one start per axis of x: f32[4,5], got 1", UPDATE), /* C1 */
    BAD(dynamic_update_slice, "f32[4,5] f32[2,3] i32[] u32[]", TYPE,
        "start must be integer scalars of one dtype, got start[1]: u32[]", UPDATE), /* C1 */
    BAD(dynamic_update_slice, "f32[4] f64[2] i32[]", TYPE,
        "x and update must have one dtype, got f32[4] and f64[2]", UPDATE), /* C2 */
    BAD(dynamic_update_slice, "f32[4] f32[2,1] i32[]", SHAPE,
        "x and update must have one rank, got f32[4] and f32[2,1]", UPDATE), /* C2 */
    BAD(dynamic_update_slice, "f32[4,5] f32[4,6] i32[] i32[]", SHAPE,
        "axis 1 of update: f32[4,6] does not fit x: f32[4,5]", UPDATE), /* C3 */
};

TEST(dynamic_slice_types)
{
    CHECK_CASES(dynamic_slices);
}

/* ---- Gather. offset, collapsed, operand batching, start batching, map, index_vector_dim, sizes.
 */

#define GATHER(offset, collapsed, batching, start_batching, map, vector, sizes)                    \
    {                                                                                              \
        .gather = {                                                                                \
            offset,                                                                                \
            collapsed,                                                                             \
            batching,                                                                              \
            start_batching,                                                                        \
            map,                                                                                   \
            vector,                                                                                \
            sizes,                                                                                 \
            false,                                                                                 \
            false                                                                                  \
        }                                                                                          \
    }

static const infer_case gathers[] = {
    /* rows of a matrix; a window at a corner; one batch axis on each side; scalars as indices */
    GOOD(gather, "f32[4,5] i32[7,1]", "f32[7,5]", GATHER(L(1), L(0), L(), L(), L(0), 1, L(1, 5))),
    GOOD(gather, "f32[4,5] i64[2,3,2]", "f32[2,3,2,3]",
         GATHER(L(2, 3), L(), L(), L(), L(1, 0), 2, L(2, 3))),
    GOOD(gather, "f32[6,4,5] u8[3,6]", "f32[3,6,2]",
         GATHER(L(2), L(1), L(0), L(1), L(1), 2, L(1, 1, 2))),
    GOOD(gather, "f32[6,4,5] u8[3,2,6]", "f32[3,5,6]",
         GATHER(L(1), L(1), L(0), L(2), L(1, 2), 1, L(1, 1, 5))),
    GOOD(gather, "f32[5] i32[]", "f32[3]", GATHER(L(0), L(), L(), L(), L(0), 0, L(3))),
    GOOD(gather, "c64[5] i32[0]", "c64[0]", GATHER(L(), L(0), L(), L(), L(0), 1, L(1))),
    GOOD(gather, "bool[] i32[3,0]", "bool[3]", GATHER(L(), L(), L(), L(), L(), 1, L())),
    GOOD(gather, "i8[0,5] i32[3]", "i8[3,5]", GATHER(L(1), L(0), L(), L(), L(0), 1, L(0, 5))),
    GOOD(gather, "f32[2,3,4] i32[7,5,3]", "f32[7,5,2,3,4]",
         GATHER(L(2, 3, 4), L(), L(), L(), L(0, 1, 2), 2, L(2, 3, 4))),

    BAD(gather, "f32[4] f32[3]", TYPE, "indices must be integers, got f32[3]",
        GATHER(L(), L(0), L(), L(), L(0), 1, L(1))),
    BAD(gather, "f32[4] bool[3]", TYPE, "indices must be integers, got bool[3]",
        GATHER(L(), L(0), L(), L(), L(0), 1, L(1))),
    BAD(gather, "f32[4,5] i32[3]", SHAPE,
        "offset_dims, collapsed_slice_dims and operand_batching_dims must have one entry per axis "
        "of "
        "x: f32[4,5] together, got 1",
        GATHER(L(), L(0), L(), L(), L(0), 1, L(1, 1))), /* C1 */
    BAD(gather, "f32[4] i32[3]", SHAPE,
        "index_vector_dim = 2 must lie in [0, 1], up to the rank of indices: i32[3]",
        GATHER(L(), L(0), L(), L(), L(0), 2, L(1))), /* C2 */
    BAD(gather, "f32[4] i32[3]", SHAPE,
        "index_vector_dim = -1 must lie in [0, 1], up to the rank of indices: i32[3]",
        GATHER(L(), L(0), L(), L(), L(0), -1, L(1))), /* C2 */
    BAD(gather, "f32[4,5] i32[7,2]", SHAPE,
        "start_index_map = [0] must have one entry for each of the 2 components of an index in "
        "indices: i32[7,2]",
        GATHER(L(1), L(0), L(), L(), L(0), 1, L(1, 5))), /* C3 */
    BAD(gather, "f32[4,5] i32[7]", SHAPE,
        "start_index_map = [0, 1] must have one entry for each of the 1 components of an index in "
        "indices: i32[7]",
        GATHER(L(1), L(0), L(), L(), L(0, 1), 1, L(1, 5))), /* C3 */
    BAD(gather, "f32[4,5] i32[7]", SHAPE, "offset_dims = [2, 1] must be in ascending order",
        GATHER(L(2, 1), L(), L(), L(), L(0), 1, L(4, 5))), /* C4 */
    BAD(gather, "f32[4,5] i32[7]", SHAPE, "offset_dims = [1, 1] must not name axis 1 twice",
        GATHER(L(1, 1), L(), L(), L(), L(0), 1, L(4, 5))), /* C4 */
    BAD(gather, "f32[4,5] i32[7]", SHAPE, "offset_dims[0] = 2 must be an axis in [0, 2)",
        GATHER(L(2), L(0), L(), L(), L(0), 1, L(1, 5))), /* C5 */
    BAD(gather, "f32[4,5] i32[7]", SHAPE, "offset_dims[0] = -1 must be an axis in [0, 2)",
        GATHER(L(-1), L(0), L(), L(), L(0), 1, L(1, 5))), /* C5 */
    BAD(gather, "f32[4,5] i32[7]", SHAPE,
        "collapsed_slice_dims = [0, 0] must not name axis 0 twice",
        GATHER(L(), L(0, 0), L(), L(), L(0), 1, L(1, 1))), /* C6 */
    BAD(gather, "f32[7,7] i32[7]", SHAPE,
        "collapsed_slice_dims = [0] and operand_batching_dims = [0] must not name axis 0 twice",
        GATHER(L(), L(0), L(0), L(0), L(1), 1, L(1, 1))), /* C6 */
    BAD(gather, "f32[4,5] i32[7]", SHAPE,
        "collapsed_slice_dims = [1, 0] must be in ascending order",
        GATHER(L(), L(1, 0), L(), L(), L(0), 1, L(1, 1))), /* C7 */
    BAD(gather, "f32[4,5] i32[7]", SHAPE, "collapsed_slice_dims[0] = 2 must be an axis in [0, 2)",
        GATHER(L(1), L(2), L(), L(), L(0), 1, L(1, 5))), /* C8 */
    BAD(gather, "f32[4,5] i32[7]", SHAPE,
        "slice_sizes[0] = 2 must be at most 1, since collapsed_slice_dims = [0] names its axis",
        GATHER(L(1), L(0), L(), L(), L(0), 1, L(2, 5))), /* C9 */
    BAD(gather, "f32[6,7,4] i32[7,6]", SHAPE,
        "operand_batching_dims = [1, 0] must be in ascending order",
        GATHER(L(), L(2), L(1, 0), L(0, 1), L(2), 2, L(1, 1, 1))), /* C10 */
    BAD(gather, "f32[7,4] i32[7]", SHAPE, "operand_batching_dims[0] = 2 must be an axis in [0, 2)",
        GATHER(L(), L(1), L(2), L(0), L(1), 1, L(1, 1))), /* C11 */
    BAD(gather, "f32[7,4] i32[7]", SHAPE,
        "slice_sizes[0] = 7 must be at most 1, since operand_batching_dims = [0] names its axis",
        GATHER(L(), L(1), L(0), L(0), L(1), 1, L(7, 1))), /* C12 */
    BAD(gather, "f32[7,7,4] i32[7]", SHAPE,
        "start_indices_batching_dims = [0, 0] must not name axis 0 twice",
        GATHER(L(), L(2), L(0, 1), L(0, 0), L(2), 1, L(1, 1, 1))), /* C13 */
    BAD(gather, "f32[7,4] i32[7]", SHAPE,
        "start_indices_batching_dims[0] = 1 must be an axis in [0, 1)",
        GATHER(L(), L(1), L(0), L(1), L(1), 1, L(1, 1))), /* C14 */
    BAD(gather, "f32[1,4] i32[7,1]", SHAPE,
        "start_indices_batching_dims = [1] must not name index_vector_dim = 1",
        GATHER(L(), L(1), L(0), L(1), L(1), 1, L(1, 1))), /* C15 */
    BAD(gather, "f32[7,4] i32[7]", SHAPE,
        "operand_batching_dims = [0] and start_indices_batching_dims = [] must have one length",
        GATHER(L(), L(1), L(0), L(), L(1), 1, L(1, 1))), /* C16 */
    BAD(gather, "f32[6,4] i32[7]", SHAPE,
        "axis operand_batching_dims[0] = 0 of x: f32[6,4] and axis start_indices_batching_dims[0] "
        "= 0 "
        "of indices: i32[7] must have one extent",
        GATHER(L(), L(1), L(0), L(0), L(1), 1, L(1, 1))), /* C17 */
    BAD(gather, "f32[7,4] i32[7]", SHAPE,
        "start_index_map = [0] and operand_batching_dims = [0] must not name axis 0 twice",
        GATHER(L(), L(1), L(0), L(0), L(0), 1, L(1, 1))), /* C18 */
    BAD(gather, "f32[4,5] i32[7,2]", SHAPE, "start_index_map = [1, 1] must not name axis 1 twice",
        GATHER(L(1), L(0), L(), L(), L(1, 1), 1, L(1, 5))), /* C18 */
    BAD(gather, "f32[4,5] i32[7]", SHAPE, "start_index_map[0] = 2 must be an axis in [0, 2)",
        GATHER(L(1), L(0), L(), L(), L(2), 1, L(1, 5))), /* C19 */
    BAD(gather, "f32[4,5] i32[7]", SHAPE,
        "slice_sizes = [1] must have one entry per axis of x: f32[4,5]",
        GATHER(L(1), L(0), L(), L(), L(0), 1, L(1))), /* C20 */
    BAD(gather, "f32[4,5] i32[7]", SHAPE, "slice_sizes[1] = 6 does not fit x: f32[4,5]",
        GATHER(L(1), L(0), L(), L(), L(0), 1, L(1, 6))), /* C21 */
    BAD(gather, "f32[4,5] i32[7]", SHAPE, "slice_sizes[1] = -1 does not fit x: f32[4,5]",
        GATHER(L(1), L(0), L(), L(), L(0), 1, L(1, -1))), /* C21 */
    BAD(gather, "i8[4294967296] i8[2147483648]", RANGE,
        "the result's shape [2147483648, 4294967296] has too many elements",
        GATHER(L(1), L(), L(), L(), L(0), 1, L((int64_t)1 << 32))), /* C22 */
    BAD(gather, "f32[4] token", TYPE, "indices must be a tensor, got token",
        GATHER(L(), L(0), L(), L(), L(0), 1, L(1))),
};

TEST(gather_types)
{
    CHECK_CASES(gathers);
}

/* ---- Scatter. update window, inserted, input batching, index batching, map, index_vector_dim, n.
 */

#define SCATTER(window, inserted, batching, index_batching, map, vector, n)                        \
    {                                                                                              \
        .scatter = {                                                                               \
            window,                                                                                \
            inserted,                                                                              \
            batching,                                                                              \
            index_batching,                                                                        \
            map,                                                                                   \
            vector,                                                                                \
            false,                                                                                 \
            false,                                                                                 \
            false,                                                                                 \
            n                                                                                      \
        }                                                                                          \
    }
#define F32 "f32[] f32[] -> f32[]"
#define ROWS(n) SCATTER(L(1), L(0), L(), L(), L(0), 1, n) /* update[i] goes to row indices[i] */

static const infer_case scatters[] = {
    GOOD_BODY(scatter, "f32[4,5] i32[7,1] f32[7,5]", F32, "f32[4,5]", ROWS(1)),
    GOOD_BODY(scatter, "f32[4,5] i32[7,1] f32[7,3]", F32, "f32[4,5]", ROWS(1)),
    GOOD_BODY(scatter, "f32[4,5] u64[7] f32[7,0]", F32, "f32[4,5]", ROWS(1)),
    GOOD_BODY(scatter, "c64[4,5] i8[7] c64[7,5]", "c64[] c64[] -> c64[]", "c64[4,5]", ROWS(1)),
    GOOD_BODY(scatter, "f32[] i32[0] f32[]", F32, "f32[]", SCATTER(L(), L(), L(), L(), L(), 0, 1)),
    GOOD_BODY(scatter, "f32[6,4,5] u8[3,6] f32[3,6,2]", F32, "f32[6,4,5]",
              SCATTER(L(2), L(1), L(0), L(1), L(1), 2, 1)),
    GOOD_BODY(scatter, "f32[4] i8[4] i32[7] f32[7] i8[7]", "f32[] i8[] f32[] i8[] -> f32[] i8[]",
              "f32[4] i8[4]", SCATTER(L(), L(0), L(), L(), L(0), 1, 2)),
    GOOD_BODY(scatter, "f32[4] i32[7] f32[7] f32[9] token", "f32[] f32[] f32[9] token -> f32[]",
              "f32[4]", SCATTER(L(), L(0), L(), L(), L(0), 1, 1)),

    BAD_BODY(scatter, "f32[4] i32[4]", F32, ARGUMENT,
             "takes n_inputs = 1 x, indices and as many updates, got 2 operands", ROWS(1)), /* C5 */
    BAD_BODY(scatter, "f32[4] i32[4] f32[4]", F32, ARGUMENT,
             "takes n_inputs = 0 x, indices and as many updates, got 3 operands", ROWS(0)), /* C5 */
    BAD_BODY(scatter, "f32[4] i32[4] f32[4]", F32, ARGUMENT,
             "takes n_inputs = -1 x, indices and as many updates, got 3 operands",
             ROWS(-1)), /* C5 */
    BAD_BODY(scatter, "f32[4] f32[5] i32[7] f32[7] f32[7]",
             "f32[] f32[] f32[] f32[] -> f32[] f32[]", SHAPE,
             "x[0] and x[1] must have one shape, got f32[4] and f32[5]",
             SCATTER(L(), L(0), L(), L(), L(0), 1, 2)), /* C1 */
    BAD_BODY(scatter, "f32[4,5] i32[7] f32[7,5]", F32, SHAPE,
             "update_window_dims, inserted_window_dims and input_batching_dims must have one entry "
             "per axis of x: f32[4,5] together, got 1",
             SCATTER(L(), L(0), L(), L(), L(0), 1, 1)), /* C2 */
    BAD_BODY(scatter, "f32[4] f32[4] i32[7] f32[7] f32[6]",
             "f32[] f32[] f32[] f32[] -> f32[] f32[]", SHAPE,
             "update[0] and update[1] must have one shape, got f32[7] and f32[6]",
             SCATTER(L(), L(0), L(), L(), L(0), 1, 2)), /* C3 */
    BAD_BODY(scatter, "f32[4,5] i32[7] f32[7,6]", F32, SHAPE,
             "axis 1 of update must have extent 5 at most, got f32[7,6]", ROWS(1)), /* C4 */
    BAD_BODY(scatter, "f32[4,5] i32[7] f32[6,5]", F32, SHAPE,
             "axis 0 of update must have extent 7, got f32[6,5]", ROWS(1)), /* C4 */
    BAD_BODY(scatter, "f32[4,5] i32[7] f32[8,5]", F32, SHAPE,
             "axis 0 of update must have extent 7, got f32[8,5]", ROWS(1)), /* C4 */
    BAD_BODY(scatter, "f32[4,5] i32[7] f32[7,5,1]", F32, SHAPE,
             "update must have rank 2, got f32[7,5,1]", ROWS(1)), /* C4 */
    BAD_BODY(scatter, "f32[4,5] i32[7] f64[7,5]", F32, TYPE,
             "x and update must have one dtype, got f32[4,5] and f64[7,5]", ROWS(1)), /* C6 */
    BAD_BODY(scatter, "f32[4,5] i32[7] f32[7,4,5]", F32, SHAPE,
             "update_window_dims = [2, 1] must be in ascending order",
             SCATTER(L(2, 1), L(), L(), L(), L(0), 1, 1)), /* C7 */
    BAD_BODY(scatter, "f32[4,5] i32[7] f32[7,4,5]", F32, SHAPE,
             "update_window_dims = [1, 1] must not name axis 1 twice",
             SCATTER(L(1, 1), L(), L(), L(), L(0), 1, 1)), /* C7 */
    BAD_BODY(scatter, "f32[4,5] i32[7] f32[7,5]", F32, SHAPE,
             "update_window_dims[0] = 2 must be an axis in [0, 2)",
             SCATTER(L(2), L(0), L(), L(), L(0), 1, 1)), /* C8 */
    BAD_BODY(scatter, "f32[4,5] i32[7] f32[7]", F32, SHAPE,
             "inserted_window_dims = [1, 1] must not name axis 1 twice",
             SCATTER(L(), L(1, 1), L(), L(), L(0), 1, 1)), /* C9 */
    BAD_BODY(scatter, "f32[7,7] i32[7] f32[7]", F32, SHAPE,
             "inserted_window_dims = [0] and input_batching_dims = [0] must not name axis 0 twice",
             SCATTER(L(), L(0), L(0), L(0), L(1), 1, 1)), /* C9 */
    BAD_BODY(scatter, "f32[4,5] i32[7] f32[7]", F32, SHAPE,
             "inserted_window_dims = [1, 0] must be in ascending order",
             SCATTER(L(), L(1, 0), L(), L(), L(0), 1, 1)), /* C10 */
    BAD_BODY(scatter, "f32[4,5] i32[7] f32[7,5]", F32, SHAPE,
             "inserted_window_dims[0] = -1 must be an axis in [0, 2)",
             SCATTER(L(1), L(-1), L(), L(), L(0), 1, 1)), /* C11 */
    BAD_BODY(scatter, "f32[6,7,4] i32[7,6] f32[7,6]", F32, SHAPE,
             "input_batching_dims = [1, 0] must be in ascending order",
             SCATTER(L(), L(2), L(1, 0), L(0, 1), L(2), 2, 1)), /* C12 */
    BAD_BODY(scatter, "f32[7,4] i32[7] f32[7]", F32, SHAPE,
             "input_batching_dims[0] = 2 must be an axis in [0, 2)",
             SCATTER(L(), L(1), L(2), L(0), L(1), 1, 1)), /* C13 */
    BAD_BODY(scatter, "f32[7,7,4] i32[7] f32[7]", F32, SHAPE,
             "scatter_indices_batching_dims = [0, 0] must not name axis 0 twice",
             SCATTER(L(), L(2), L(0, 1), L(0, 0), L(2), 1, 1)), /* C14 */
    BAD_BODY(scatter, "f32[7,4] i32[7] f32[7]", F32, SHAPE,
             "scatter_indices_batching_dims[0] = 1 must be an axis in [0, 1)",
             SCATTER(L(), L(1), L(0), L(1), L(1), 1, 1)), /* C15 */
    BAD_BODY(scatter, "f32[1,4] i32[7,1] f32[7]", F32, SHAPE,
             "scatter_indices_batching_dims = [1] must not name index_vector_dim = 1",
             SCATTER(L(), L(1), L(0), L(1), L(1), 1, 1)), /* C16 */
    BAD_BODY(
        scatter, "f32[7,4] i32[7] f32[7]", F32, SHAPE,
        "input_batching_dims = [0] and scatter_indices_batching_dims = [] must have one length",
        SCATTER(L(), L(1), L(0), L(), L(1), 1, 1)), /* C17 */
    BAD_BODY(scatter, "f32[6,4] i32[7] f32[7]", F32, SHAPE,
             "axis input_batching_dims[0] = 0 of x: f32[6,4] and axis "
             "scatter_indices_batching_dims[0] = 0 of indices: i32[7] must have one extent",
             SCATTER(L(), L(1), L(0), L(0), L(1), 1, 1)), /* C18 */
    BAD_BODY(
        scatter, "f32[4,5] i32[7,2] f32[7,5]", F32, SHAPE,
        "scatter_dims_to_operand_dims = [0] must have one entry for each of the 2 components of "
        "an index in indices: i32[7,2]",
        ROWS(1)), /* C19 */
    BAD_BODY(scatter, "f32[4,5] i32[7,2] f32[7,5]", F32, SHAPE,
             "scatter_dims_to_operand_dims = [0, 0] must not name axis 0 twice",
             SCATTER(L(1), L(0), L(), L(), L(0, 0), 1, 1)), /* C20 */
    BAD_BODY(
        scatter, "f32[7,4] i32[7] f32[7]", F32, SHAPE,
        "scatter_dims_to_operand_dims = [0] and input_batching_dims = [0] must not name axis 0 "
        "twice",
        SCATTER(L(), L(1), L(0), L(0), L(0), 1, 1)), /* C20 */
    BAD_BODY(scatter, "f32[4,5] i32[7] f32[7,5]", F32, SHAPE,
             "scatter_dims_to_operand_dims[0] = 2 must be an axis in [0, 2)",
             SCATTER(L(1), L(0), L(), L(), L(2), 1, 1)), /* C21 */
    BAD_BODY(scatter, "f32[4,5] i32[7] f32[7,5]", F32, SHAPE,
             "index_vector_dim = 2 must lie in [0, 1], up to the rank of indices: i32[7]",
             SCATTER(L(1), L(0), L(), L(), L(0), 2, 1)), /* C22 */
    BAD_BODY(scatter, "f32[4,5] i32[7] f32[7,5]", "f32[] f32[] f32[] -> f32[]", ARGUMENT,
             "the body must take 2 values, not 3", ROWS(1)), /* C23 */
    BAD_BODY(scatter, "f32[4,5] i32[7] f32[7,5]", "f32[] f64[] -> f32[]", TYPE,
             "the body must take f32[] as parameter 1, not f64[]", ROWS(1)), /* C23 */
    BAD_BODY(scatter, "f32[4,5] i32[7] f32[7,5]", "f32[] f32[] -> f32[1]", SHAPE,
             "the body must give f32[] as result 0, not f32[1]", ROWS(1)), /* C23 */
    BAD_BODY(scatter, "f32[4,5] i32[7] f32[7,5] f32[2]", "f32[] f32[] f32[3] -> f32[]", SHAPE,
             "the body must take f32[2] as parameter 2, not f32[3]", ROWS(1)), /* C23 */
    BAD_BODY(scatter, "f32[4,5] f64[7] f32[7,5]", F32, TYPE, "indices must be integers, got f64[7]",
             ROWS(1)),
    BAD_BODY(scatter, "f32[4,5] i32[7] token", F32, TYPE, "update must be a tensor, got token",
             ROWS(1)),
    BAD(scatter, "f32[4,5] i32[7] f32[7,5]", ARGUMENT, "takes 1 body, got 0", ROWS(1)),
};

TEST(scatter_types)
{
    CHECK_CASES(scatters);
}
