/* The numbered constraints of gather and scatter, which are StableHLO's. */
#include "tests/constraints.h"

/* ---- Gather. */

/* x f32[2,3,4,5], indices i32[6,2,2]: batches of axis 0, starts on axes 1 and 2, axis 1 collapsed.
 * The result is f32[6,2,2,5]. */
static const ct_gather_dims good_gather = {
    .offset_dims = {2, (const int64_t[]){2, 3}},
    .collapsed_slice_dims = {1, (const int64_t[]){1}},
    .operand_batching_dims = {1, (const int64_t[]){0}},
    .start_indices_batching_dims = {1, (const int64_t[]){1}},
    .start_index_map = {2, (const int64_t[]){1, 2}},
    .index_vector_dim = 2,
    .slice_sizes = {4, (const int64_t[]){1, 1, 2, 5}},
};

#define GATHER_LINES LINE("x        ", "f32[2,3,4,5]") LINE("indices  ", "i32[6,2,2]  ")

/* With one member changed. */
#define GATHER_BREAKS(member, value, text)                                                         \
    do {                                                                                           \
        ct_gather_dims d = good_gather;                                                            \
        d.member = value;                                                                          \
        BREAKS(ct_op_gather_at(use, x, indices, &d), CT_ERR_SHAPE, "gather: " text GATHER_LINES);  \
    } while (0)

/* What the result's shape is made of; C22 and C23. */
TEST(gather)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = T(CT_F32, 2, 3, 4, 5), *indices = T(CT_I32, 6, 2, 2), *y;

    HOLDS(y = ct_op_gather_at(use, x, indices, &good_gather));
    CHECK_EQUAL(y, T(CT_F32, 6, 2, 2, 5)); /* C22, C23 */
    BREAKS(ct_op_gather_at(use, x, T(CT_F32, 6, 2, 2), &good_gather), CT_ERR_TYPE,
           "gather: indices must be integers, got f32[6,2,2]" LINE("x        ", "f32[2,3,4,5]")
               LINE("indices  ", "f32[6,2,2]  "));
    ct_context_free(ctx);
}

TEST(gather_axes_of_x)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = T(CT_F32, 2, 3, 4, 5), *indices = T(CT_I32, 6, 2, 2);

    GATHER_BREAKS(offset_dims, CT_DIMS(2), /* C1 */
                  "offset_dims, collapsed_slice_dims and operand_batching_dims must have one entry "
                  "per axis of x: f32[2,3,4,5] together, got 3");
    GATHER_BREAKS(index_vector_dim, 4, /* C2 */
                  "index_vector_dim = 4 must lie in [0, 3], up to the rank of indices: i32[6,2,2]");
    GATHER_BREAKS(
        index_vector_dim, -1, /* C2 */
        "index_vector_dim = -1 must lie in [0, 3], up to the rank of indices: i32[6,2,2]");
    GATHER_BREAKS(start_index_map, CT_DIMS(1), /* C3 */
                  "start_index_map = [1] must have one entry for each of the 2 components of an "
                  "index in indices: i32[6,2,2]");
    GATHER_BREAKS(index_vector_dim, 3, /* C3, an index is one number */
                  "start_index_map = [1, 2] must have one entry for each of the 1 components of an "
                  "index in indices: i32[6,2,2]");
    GATHER_BREAKS(offset_dims, CT_DIMS(2, 2), /* C4 */
                  "offset_dims = [2, 2] must not name axis 2 twice");
    GATHER_BREAKS(offset_dims, CT_DIMS(3, 2), /* C4 */
                  "offset_dims = [3, 2] must be in ascending order");
    GATHER_BREAKS(offset_dims, CT_DIMS(2, 4), /* C5 */
                  "offset_dims[1] = 4 must be an axis in [0, 4)");
    GATHER_BREAKS(offset_dims, CT_DIMS(-1, 2), /* C5 */
                  "offset_dims[0] = -1 must be an axis in [0, 4)");
    GATHER_BREAKS(collapsed_slice_dims, CT_DIMS(0), /* C6 */
                  "collapsed_slice_dims = [0] and operand_batching_dims = [0] must not name axis 0 "
                  "twice");
    GATHER_BREAKS(collapsed_slice_dims, CT_DIMS(4), /* C8 */
                  "collapsed_slice_dims[0] = 4 must be an axis in [0, 4)");
    GATHER_BREAKS(
        slice_sizes, CT_DIMS(1, 2, 2, 5), /* C9 */
        "slice_sizes[1] = 2 must be at most 1, since collapsed_slice_dims = [1] names its "
        "axis");
    GATHER_BREAKS(operand_batching_dims, CT_DIMS(4), /* C11 */
                  "operand_batching_dims[0] = 4 must be an axis in [0, 4)");
    GATHER_BREAKS(
        slice_sizes, CT_DIMS(2, 1, 2, 5), /* C12 */
        "slice_sizes[0] = 2 must be at most 1, since operand_batching_dims = [0] names its "
        "axis");
    ct_context_free(ctx);
}

TEST(gather_axes_of_indices)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = T(CT_F32, 2, 3, 4, 5), *indices = T(CT_I32, 6, 2, 2);

    GATHER_BREAKS(start_indices_batching_dims, CT_DIMS(3), /* C14 */
                  "start_indices_batching_dims[0] = 3 must be an axis in [0, 3)");
    GATHER_BREAKS(start_indices_batching_dims, CT_DIMS(2), /* C15 */
                  "start_indices_batching_dims = [2] must not name index_vector_dim = 2");
    GATHER_BREAKS(start_indices_batching_dims, CT_DIMS(), /* C16 */
                  "operand_batching_dims = [0] and start_indices_batching_dims = [] must have one "
                  "length");
    GATHER_BREAKS(start_indices_batching_dims, CT_DIMS(0), /* C17 */
                  "axis operand_batching_dims[0] = 0 of x: f32[2,3,4,5] and axis "
                  "start_indices_batching_dims[0] = 0 of indices: i32[6,2,2] must have one extent");
    GATHER_BREAKS(start_index_map, CT_DIMS(0, 2), /* C18 */
                  "start_index_map = [0, 2] and operand_batching_dims = [0] must not name axis 0 "
                  "twice");
    GATHER_BREAKS(start_index_map, CT_DIMS(1, 4), /* C19 */
                  "start_index_map[1] = 4 must be an axis in [0, 4)");
    GATHER_BREAKS(slice_sizes, CT_DIMS(1, 1, 2), /* C20 */
                  "slice_sizes = [1, 1, 2] must have one entry per axis of x: f32[2,3,4,5]");
    GATHER_BREAKS(slice_sizes, CT_DIMS(1, 1, 2, 6), /* C21 */
                  "slice_sizes[3] = 6 does not fit x: f32[2,3,4,5]");
    GATHER_BREAKS(slice_sizes, CT_DIMS(1, 1, -2, 5), /* C21 */
                  "slice_sizes[2] = -2 does not fit x: f32[2,3,4,5]");
    ct_context_free(ctx);
}

/* What two axes in a list take. */
TEST(gather_lists_of_two)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = T(CT_F32, 2, 3, 4, 5), *square = T(CT_F32, 2, 2, 4, 5);
    ct_gather_dims d = good_gather;

    d.offset_dims = CT_DIMS(2);
    d.slice_sizes = CT_DIMS(1, 1, 1, 5);
    d.collapsed_slice_dims = CT_DIMS(1, 2);
    HOLDS(ct_op_gather_at(use, x, T(CT_I32, 6, 2, 2), &d));
    d.collapsed_slice_dims = CT_DIMS(2, 1);
    BREAKS(ct_op_gather_at(use, x, T(CT_I32, 6, 2, 2), &d), CT_ERR_SHAPE, /* C7 */
           "gather: collapsed_slice_dims = [2, 1] must be in ascending order" GATHER_LINES);

    d = good_gather;
    d.offset_dims = CT_DIMS(2);
    d.slice_sizes = CT_DIMS(1, 1, 4, 1);
    d.operand_batching_dims = CT_DIMS(0, 3);
    d.start_indices_batching_dims = CT_DIMS(1, 0);
    HOLDS(ct_op_gather_at(use, x, T(CT_I32, 5, 2, 2), &d));
    d.operand_batching_dims = CT_DIMS(3, 0);
    d.start_indices_batching_dims = CT_DIMS(0, 1);
    BREAKS(ct_op_gather_at(use, x, T(CT_I32, 5, 2, 2), &d), CT_ERR_SHAPE, /* C10 */
           "gather: operand_batching_dims = [3, 0] must be in ascending order" LINE(
               "x        ", "f32[2,3,4,5]") LINE("indices  ", "i32[5,2,2]  "));

    d = good_gather;
    d.offset_dims = CT_DIMS(2, 3);
    d.collapsed_slice_dims = CT_DIMS();
    d.operand_batching_dims = CT_DIMS(0, 1);
    d.start_index_map = CT_DIMS(2, 3);
    d.start_indices_batching_dims = CT_DIMS(0, 1);
    HOLDS(ct_op_gather_at(use, square, T(CT_I32, 2, 2, 2), &d));
    d.start_indices_batching_dims = CT_DIMS(1, 1);
    BREAKS(ct_op_gather_at(use, square, T(CT_I32, 2, 2, 2), &d), CT_ERR_SHAPE, /* C13 */
           "gather: start_indices_batching_dims = [1, 1] must not name axis 1 twice" LINE(
               "x        ", "f32[2,2,4,5]") LINE("indices  ", "i32[2,2,2]  "));
    ct_context_free(ctx);
}

/* ---- Scatter. */

/* The gather above backwards: update f32[6,2,2,5] into x f32[2,3,4,5]. */
static const ct_scatter_dims good_scatter = {
    .update_window_dims = {2, (const int64_t[]){2, 3}},
    .inserted_window_dims = {1, (const int64_t[]){1}},
    .input_batching_dims = {1, (const int64_t[]){0}},
    .scatter_indices_batching_dims = {1, (const int64_t[]){1}},
    .scatter_dims_to_operand_dims = {2, (const int64_t[]){1, 2}},
    .index_vector_dim = 2,
};

#define SCATTER_LINES GATHER_LINES LINE("update   ", "f32[6,2,2,5]")

#define SCATTER_BREAKS(member, value, text)                                                        \
    do {                                                                                           \
        ct_scatter_dims d = good_scatter;                                                          \
        d.member = value;                                                                          \
        BREAKS(ct_op_scatter_add_at(use, x, indices, update, &d), CT_ERR_SHAPE,                    \
               "scatter: " text SCATTER_LINES);                                                    \
    } while (0)

TEST(scatter)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = T(CT_F32, 2, 3, 4, 5), *indices = T(CT_I32, 6, 2, 2);
    ct_tensor *update = T(CT_F32, 6, 2, 2, 5), *y;

    HOLDS(y = ct_op_scatter_add_at(use, x, indices, update, &good_scatter));
    CHECK_EQUAL(y, x); /* C24, C25 */
    BREAKS(ct_op_scatter_add_at(use, x, T(CT_BOOL, 6, 2, 2), update, &good_scatter), CT_ERR_TYPE,
           "scatter: indices must be integers, got bool[6,2,2]" LINE("x        ", "f32[2,3,4,5]")
               LINE("indices  ", "bool[6,2,2] ") LINE("update   ", "f32[6,2,2,5]"));
    SCATTER_BREAKS(update_window_dims, CT_DIMS(3), /* C2 */
                   "update_window_dims, inserted_window_dims and input_batching_dims must have one "
                   "entry per axis of x: f32[2,3,4,5] together, got 3");
    SCATTER_BREAKS(update_window_dims, CT_DIMS(2, 2), /* C7 */
                   "update_window_dims = [2, 2] must not name axis 2 twice");
    SCATTER_BREAKS(update_window_dims, CT_DIMS(3, 2), /* C7 */
                   "update_window_dims = [3, 2] must be in ascending order");
    SCATTER_BREAKS(update_window_dims, CT_DIMS(2, 4), /* C8 */
                   "update_window_dims[1] = 4 must be an axis in [0, 4)");
    SCATTER_BREAKS(inserted_window_dims, CT_DIMS(0), /* C9 */
                   "inserted_window_dims = [0] and input_batching_dims = [0] must not name axis 0 "
                   "twice");
    SCATTER_BREAKS(inserted_window_dims, CT_DIMS(-1), /* C11 */
                   "inserted_window_dims[0] = -1 must be an axis in [0, 4)");
    SCATTER_BREAKS(input_batching_dims, CT_DIMS(4), /* C13 */
                   "input_batching_dims[0] = 4 must be an axis in [0, 4)");
    SCATTER_BREAKS(scatter_indices_batching_dims, CT_DIMS(3), /* C15 */
                   "scatter_indices_batching_dims[0] = 3 must be an axis in [0, 3)");
    SCATTER_BREAKS(scatter_indices_batching_dims, CT_DIMS(2), /* C16 */
                   "scatter_indices_batching_dims = [2] must not name index_vector_dim = 2");
    SCATTER_BREAKS(scatter_indices_batching_dims, CT_DIMS(), /* C17 */
                   "input_batching_dims = [0] and scatter_indices_batching_dims = [] must have one "
                   "length");
    SCATTER_BREAKS(
        scatter_indices_batching_dims, CT_DIMS(0), /* C18 */
        "axis input_batching_dims[0] = 0 of x: f32[2,3,4,5] and axis "
        "scatter_indices_batching_dims[0] = 0 of indices: i32[6,2,2] must have one extent");
    SCATTER_BREAKS(scatter_dims_to_operand_dims, CT_DIMS(1), /* C19 */
                   "scatter_dims_to_operand_dims = [1] must have one entry for each of the 2 "
                   "components of an index in indices: i32[6,2,2]");
    SCATTER_BREAKS(scatter_dims_to_operand_dims, CT_DIMS(1, 0), /* C20 */
                   "scatter_dims_to_operand_dims = [1, 0] and input_batching_dims = [0] must not "
                   "name axis 0 twice");
    SCATTER_BREAKS(scatter_dims_to_operand_dims, CT_DIMS(1, 4), /* C21 */
                   "scatter_dims_to_operand_dims[1] = 4 must be an axis in [0, 4)");
    SCATTER_BREAKS(
        index_vector_dim, 4, /* C22 */
        "index_vector_dim = 4 must lie in [0, 3], up to the rank of indices: i32[6,2,2]");
    ct_context_free(ctx);
}

/* C4, C6: the update. */
TEST(scatter_update)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = T(CT_F32, 2, 3, 4, 5), *indices = T(CT_I32, 6, 2, 2);

#define UPDATE_BREAKS(dtype, status, text, type, ...)                                              \
    BREAKS(ct_op_scatter_add_at(use, x, indices, T(dtype, __VA_ARGS__), &good_scatter), status,    \
           "scatter: " text GATHER_LINES LINE("update   ", type))
    UPDATE_BREAKS(CT_F32, CT_ERR_SHAPE, /* C4 */
                  "update must have rank 4, got f32[6,2,2,5,1]", "f32[6,2,2,5,1]", 6, 2, 2, 5, 1);
    UPDATE_BREAKS(CT_F32, CT_ERR_SHAPE, /* C4 */
                  "axis 0 of update must have extent 6, got f32[5,2,2,5]", "f32[5,2,2,5]", 5, 2, 2,
                  5);
    UPDATE_BREAKS(CT_F32, CT_ERR_SHAPE, /* C4 */
                  "axis 3 of update must have extent 5 at most, got f32[6,2,2,6]", "f32[6,2,2,6]",
                  6, 2, 2, 6);
    UPDATE_BREAKS(CT_F64, CT_ERR_TYPE, /* C6 */
                  "x and update must have one dtype, got f32[2,3,4,5] and f64[6,2,2,5]",
                  "f64[6,2,2,5]", 6, 2, 2, 5);
    ct_context_free(ctx);
}

TEST(scatter_lists_of_two)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = T(CT_F32, 2, 3, 4, 5), *square = T(CT_F32, 2, 2, 4, 5);
    ct_scatter_dims d = good_scatter;

    d.update_window_dims = CT_DIMS(2);
    d.inserted_window_dims = CT_DIMS(1, 2);
    HOLDS(ct_op_scatter_add_at(use, x, T(CT_I32, 6, 2, 2), T(CT_F32, 6, 2, 5), &d));
    d.inserted_window_dims = CT_DIMS(2, 1);
    BREAKS(ct_op_scatter_add_at(use, x, T(CT_I32, 6, 2, 2), T(CT_F32, 6, 2, 5), &d),
           CT_ERR_SHAPE, /* C10 */
           "scatter: inserted_window_dims = [2, 1] must be in ascending order" GATHER_LINES LINE(
               "update   ", "f32[6,2,5]  "));

    d = good_scatter;
    d.update_window_dims = CT_DIMS(2);
    d.input_batching_dims = CT_DIMS(0, 3);
    d.scatter_indices_batching_dims = CT_DIMS(1, 0);
    HOLDS(ct_op_scatter_add_at(use, x, T(CT_I32, 5, 2, 2), T(CT_F32, 5, 2, 4), &d));
    d.input_batching_dims = CT_DIMS(3, 0);
    d.scatter_indices_batching_dims = CT_DIMS(0, 1);
    BREAKS(ct_op_scatter_add_at(use, x, T(CT_I32, 5, 2, 2), T(CT_F32, 5, 2, 4), &d),
           CT_ERR_SHAPE, /* C12 */
           "scatter: input_batching_dims = [3, 0] must be in ascending order" LINE("x        ",
                                                                                   "f32[2,3,4,5]")
               LINE("indices  ", "i32[5,2,2]  ") LINE("update   ", "f32[5,2,4]  "));

    d = good_scatter;
    d.inserted_window_dims = CT_DIMS();
    d.input_batching_dims = CT_DIMS(0, 1);
    d.scatter_dims_to_operand_dims = CT_DIMS(2, 3);
    d.scatter_indices_batching_dims = CT_DIMS(0, 1);
    HOLDS(ct_op_scatter_add_at(use, square, T(CT_I32, 2, 2, 2), T(CT_F32, 2, 2, 4, 5), &d));
    d.scatter_indices_batching_dims = CT_DIMS(0, 0);
    BREAKS(ct_op_scatter_add_at(use, square, T(CT_I32, 2, 2, 2), T(CT_F32, 2, 2, 4, 5), &d),
           CT_ERR_SHAPE, /* C14 */
           "scatter: scatter_indices_batching_dims = [0, 0] must not name axis 0 twice" LINE(
               "x        ", "f32[2,2,4,5]") LINE("indices  ", "i32[2,2,2]  ")
               LINE("update   ", "f32[2,2,4,5]"));
    ct_context_free(ctx);
}

/* One x[3] and one update[2] at 2 places, and as many more as the lists have. */
static const ct_scatter_dims rows = {
    .inserted_window_dims = {1, (const int64_t[]){0}},
    .scatter_dims_to_operand_dims = {1, (const int64_t[]){0}},
    .index_vector_dim = 1,
};

TEST(scatter_many)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = T(CT_F32, 3), *u = T(CT_F32, 2), *i = T(CT_I32, 2, 1), *y[2];
    ct_tensor *f = ct_spec(ctx, CT_F32, CT_SHAPE());
    ct_function *one = constraints_body(ctx, CT_ARGV(f, f), CT_ARGS(1));
    ct_function *two = constraints_body(ctx, CT_ARGV(f, f, f, f), CT_ARGS(2, 3));
    ct_list no = CT_NO_TENSORS;

#define MANY_LINES(x1, u1)                                                                         \
    LINE("x[0]     ", "f32[3]      ")                                                              \
    LINE("x[1]     ", x1)                                                                          \
    LINE("indices  ", "i32[2,1]    ") LINE("update[0]", "f32[2]      ") LINE("update[1]", u1)
    HOLDS(ct_op_scatter_many_at(use, CT_ARGV(x, x), i, CT_ARGV(u, u), two, no, &rows, y));
    BREAKS(
        ct_op_scatter_many_at(use, CT_ARGV(x, T(CT_F32, 4)), i, CT_ARGV(u, u), two, no, &rows, y),
        CT_ERR_SHAPE, /* C1 */
        "scatter: x[0] and x[1] must have one shape, got f32[3] and f32[4]" MANY_LINES(
            "f32[4]      ", "f32[2]      "));
    BREAKS(
        ct_op_scatter_many_at(use, CT_ARGV(x, x), i, CT_ARGV(u, T(CT_F32, 1)), two, no, &rows, y),
        CT_ERR_SHAPE, /* C3 */
        "scatter: update[0] and update[1] must have one shape, got f32[2] and f32[1]" MANY_LINES(
            "f32[3]      ", "f32[1]      "));
    BREAKS(ct_op_scatter_many_at(use, CT_ARGV(x, x), i, CT_ARGV(u), two, no, &rows, y),
           CT_ERR_ARGUMENT, /* C5 */
           "scatter: takes n_inputs = 2 x, indices and as many updates, got 4 operands" LINE(
               "x[0]     ", "f32[3]      ") LINE("x[1]     ", "f32[3]      ")
               LINE("indices  ", "i32[2,1]    ") LINE("update   ", "f32[2]      "));
    BREAKS(
        ct_op_scatter_many_at(use, CT_ARGV(x, x), i, CT_ARGV(u, u), one, no, &rows, y),
        CT_ERR_ARGUMENT, /* C23 */
        "scatter: the body must take 4 values, not 2" MANY_LINES("f32[3]      ", "f32[2]      "));
    ct_context_free(ctx);
}

/* C23, of a body for one x. */
TEST(scatter_body)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = T(CT_F32, 3), *u = T(CT_F32, 2), *i = T(CT_I32, 2, 1);
    ct_tensor *f = ct_spec(ctx, CT_F32, CT_SHAPE()), *n = ct_spec(ctx, CT_I32, CT_SHAPE());
    ct_tensor *v = ct_spec(ctx, CT_F32, CT_SHAPE(1));

#define BODY_BREAKS(status, parameters, results, text)                                             \
    BREAKS(ct_op_scatter_at(use, x, i, u, constraints_body(ctx, parameters, results), &rows),      \
           status,                                                                                 \
           "scatter: " text LINE("x        ", "f32[3]      ") LINE("indices  ", "i32[2,1]    ")    \
               LINE("update   ", "f32[2]      "))
    HOLDS(ct_op_scatter_at(use, x, i, u, constraints_body(ctx, CT_ARGV(f, f), CT_ARGS(0)), &rows));
    BODY_BREAKS(CT_ERR_TYPE, CT_ARGV(f, n), CT_ARGS(0),
                "the body must take f32[] as parameter 1, not i32[]");
    BODY_BREAKS(CT_ERR_SHAPE, CT_ARGV(v, f), CT_ARGS(1),
                "the body must take f32[] as parameter 0, not f32[1]");
    BODY_BREAKS(CT_ERR_ARGUMENT, CT_ARGV(f, f, f), CT_ARGS(0),
                "the body must take 2 values, not 3");
    BODY_BREAKS(CT_ERR_ARGUMENT, CT_ARGV(f, f), CT_ARGS(0, 1), "the body must give 1 value, not 2");
    ct_context_free(ctx);
}
