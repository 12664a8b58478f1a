/* Rows of the table of out-of-range indices, and what runs them.
 *
 * A row is one operation on numbers, with everything that must come out written down: the value,
 * the gradient for a cotangent, the tangent for a tangent, and for the sum of the cubes of the
 * result its gradient and its Hessian times the tangent. Values are f64 and small, so that all of
 * it is exact and compared with ==. */
#ifndef CT_TESTS_CLAMP_H
#define CT_TESTS_CLAMP_H

#include "tests/values.h"

#include <cotangent/ad.h>
#include <cotangent/control.h>
#include <cotangent/elementwise.h>
#include <cotangent/exec.h>
#include <cotangent/index.h>
#include <cotangent/op.h>
#include <cotangent/reduce.h>
#include <cotangent/remat.h>
#include <cotangent/shape.h>
#include <cotangent/trace.h>

/* Lists of numbers: V(1, 2), AT(300, {127, 1}, {0, 2}) with zeros elsewhere, RAMP(300) for 0, 1,
 * ... and ZEROS(300). S(3, 2) is a shape, I(5, -1) are indices or attributes. */
typedef struct clamp_at {
    size_t position;
    double value;
} clamp_at;

typedef struct clamp_list {
    size_t count;
    const double *value; /* count numbers, or NULL */
    const clamp_at *at;
    size_t n_at;
    bool ramp;
} clamp_list;

#define V(...)                                                                                     \
    {                                                                                              \
        .count = sizeof((const double[]){0, __VA_ARGS__}) / sizeof(double) - 1,                    \
        .value = (const double[]){0, __VA_ARGS__} + 1                                              \
    }
#define AT(count_, ...)                                                                            \
    {                                                                                              \
        .count = count_, .at = (const clamp_at[]){__VA_ARGS__},                                    \
        .n_at = sizeof((const clamp_at[]){__VA_ARGS__}) / sizeof(clamp_at)                         \
    }
/* clang-format off */
#define RAMP(count_) {.count = count_, .ramp = true}
#define ZEROS(count_) {.count = count_}
/* clang-format on */
#define I(...)                                                                                     \
    {                                                                                              \
        sizeof((const int64_t[]){0, __VA_ARGS__}) / sizeof(int64_t) - 1,                           \
            (const int64_t[]){0, __VA_ARGS__} + 1                                                  \
    }
#define S(...) I(__VA_ARGS__)
/* An index of a row for CT_U64 that int64_t cannot hold. */
#define U64(x) ((int64_t)(x))

typedef struct clamp_value {
    ct_shape shape;
    clamp_list list;
} clamp_value;

typedef struct clamp_index {
    ct_shape shape; /* of the index tensor; of one start per axis, the number of axes */
    ct_shape list;
} clamp_index;

typedef struct clamp_row clamp_row;

typedef struct clamp_operation {
    const char *name;
    const char *primitive; /* that an error of `strict` names */
    bool scalars;          /* the indices are one scalar per start */
    bool linear;           /* in x and update together, but with CT_FILL */
    ct_tensor *(*build)(const clamp_row *row, ct_tensor *x, ct_tensor *update, ct_list index);
} clamp_operation;

extern const clamp_operation clamp_gather, clamp_take, clamp_take_along_axis, clamp_dynamic_slice,
    clamp_op_dynamic_slice, clamp_two_dynamic_slices, clamp_dynamic_update_slice,
    clamp_op_dynamic_update_slice, clamp_scatter, clamp_scatter_add, clamp_scatter_max;

struct clamp_row {
    const char *name;
    const clamp_operation *op;
    ct_dtype only; /* of the indices; else the row is run with every dtype that holds them */
    bool limits;   /* INT64_MIN and INT64_MAX stand for the smallest and largest of the dtype */
    ct_index_kind mode;
    double fill;
    int64_t axis;
    ct_shape window;
    const ct_gather_dims *gather;
    const ct_scatter_dims *scatter;

    clamp_value x, update; /* update.list.value is NULL when there is none */
    clamp_index index;
    clamp_value y;
    clamp_list ybar, xbar, ubar;
    clamp_list dx, du, dy;
    clamp_list cubes_x, cubes_u;     /* gradient of Σ y³ */
    clamp_list hessian_x, hessian_u; /* its Hessian times (dx, du) */

    /* Part of the message of CT_ERR_INDEX, in place of all that comes out. */
    const char *error;
};

typedef struct clamp_table {
    size_t count;
    const clamp_row *row;
} clamp_table;

extern const clamp_table clamp_gathers, clamp_takes, clamp_slices, clamp_updates, clamp_scatters,
    clamp_scatter_adds, clamp_fills, clamp_modes, clamp_stricts;

/* Indices as a tensor of an integer dtype, or NULL when one of them does not fit into it. With
 * `limits` INT64_MIN and INT64_MAX are its smallest and largest number; with `bits` the list holds
 * the bits of u64. */
typedef struct clamp_style {
    bool limits, bits;
} clamp_style;
ct_tensor *clamp_indices(ct_context *ctx, ct_dtype dtype, ct_shape shape, ct_shape list,
                         clamp_style style);

/* The executors. `options` is NULL for direct computation: ct_apply. */
typedef struct clamp_executor {
    const char *name;
    const ct_compile_options *options;
} clamp_executor;

extern const clamp_executor clamp_executors[];
extern const size_t clamp_n_executors;

void clamp_evaluate(const clamp_executor *executor, ct_function *f, ct_list arguments,
                    ct_tensor **result, size_t n_results);

/* Runs all rows; fails at the end with the number of differences, each of which it prints. */
void clamp_run(const char *file, int line, const clamp_table *table);
#define CHECK_ROWS(table) clamp_run(__FILE__, __LINE__, &(table))

#endif
