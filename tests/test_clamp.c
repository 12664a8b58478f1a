/* The contract of out-of-range indices, pinned: every operation that has them, forward, vjp, jvp
 * and second order, with every index dtype, in every executor. The rows stand in clamp_*.c. */
#include "tests/clamp.h"

#include <stdio.h>
#include <string.h>

#include <cotangent/index_check.h>

/* ---- The first row of the contract: 5 reads row 2 and -1 reads row 0, and there the gradient
 * arrives; both positions are reported. */

static ct_tensor *pick(void *user, ct_tensor *x)
{
    return ct_take_along_axis(x, user, 0, CT_CLAMP);
}

TEST(the_first_row)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = given(ctx, CT_F32, CT_SHAPE(3, 2), {10, 20, 11, 21, 12, 22});
    ct_tensor *i = given(ctx, CT_I32, CT_SHAPE(1, 2), {5, -1});
    ct_tensor *j = given(ctx, CT_I32, CT_SHAPE(1, 2), {2, 0});
    ct_tensor *ybar = given(ctx, CT_F32, CT_SHAPE(1, 2), {1, 2});
    ct_function *f = ct_trace_user(ctx, pick, i, CT_LIKE(x));
    ct_misplaced found[2];

    CHECK_VALUES(pick(i, x), CT_SHAPE(1, 2), {12, 20});
    CHECK_VALUES(pick(j, x), CT_SHAPE(1, 2), {12, 20});
    CHECK_VALUES(ct_apply1(ct_vjp(f, CT_ARGS(0)), CT_ARGV(x, ybar)), CT_SHAPE(3, 2),
                 {0, 2, 0, 0, 1, 0});
    CHECK(ct_find_out_of_range(i, 3, 1, found, 2) == 2 && found[0].position == 0 &&
          found[0].value == 5 && found[1].position == 1 && found[1].value == -1);
    CHECK(ct_find_out_of_range(j, 3, 1, found, 2) == 0);
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* ---- The table. */

TEST(gather)
{
    CHECK_ROWS(clamp_gathers);
}

TEST(take_and_take_along_axis)
{
    CHECK_ROWS(clamp_takes);
}

TEST(dynamic_slice)
{
    CHECK_ROWS(clamp_slices);
}

TEST(dynamic_update_slice)
{
    CHECK_ROWS(clamp_updates);
}

TEST(scatter_overwriting_and_keeping_the_larger)
{
    CHECK_ROWS(clamp_scatters);
}

TEST(scatter_adding)
{
    CHECK_ROWS(clamp_scatter_adds);
}

TEST(fill)
{
    CHECK_ROWS(clamp_fills);
}

TEST(wrap_and_strict_in_range)
{
    CHECK_ROWS(clamp_modes);
}

TEST(strict_out_of_range)
{
    CHECK_ROWS(clamp_stricts);
}

/* ---- After an error of `strict` the executable runs again. */

static ct_tensor *pick_strictly(ct_tensor *x, ct_tensor *i)
{
    return ct_take(x, i, 0, CT_STRICT);
}

static ct_executable *strict_executable(ct_context *ctx, const clamp_executor *executor)
{
    ct_tensor *x = ct_spec(ctx, CT_F64, CT_SHAPE(3)), *i = ct_spec(ctx, CT_I16, CT_SHAPE(2));
    ct_function *f = ct_trace(ctx, pick_strictly, CT_LIKE(x, i));

    return ct_compile(f, executor->options);
}

TEST(strict_calls_go_on_after_an_error)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = given(ctx, CT_F64, CT_SHAPE(3), {10, 11, 12});
    ct_tensor *good = given(ctx, CT_I16, CT_SHAPE(2), {2, 0});
    ct_tensor *bad = given(ctx, CT_I16, CT_SHAPE(2), {2, 3});

    for (size_t k = 0; k < clamp_n_executors; k++) {
        ct_executable *f = strict_executable(ctx, &clamp_executors[k]);
        CHECK_VALUES(ct_call1(f, CT_ARGV(x, good)), CT_SHAPE(2), {12, 10});
        CHECK(ct_is_poison(ct_call1(f, CT_ARGV(x, bad))));
        CHECK(ct_error_place(ctx).line > 0);
        CHECK_ERROR(ctx, CT_ERR_INDEX,
                    "gather: 1 of 2 indices are out of range [0, 2]: position [1] is 3");
        CHECK_VALUES(ct_call1(f, CT_ARGV(x, good)), CT_SHAPE(2), {12, 10});
        CHECK_OK(ctx);
    }
    ct_context_free(ctx);
}

TEST(strict_runs_go_on_after_an_error)
{
    static const double x[] = {10, 11, 12};
    ct_context *ctx = ct_context_new();
    double y[2];

    for (size_t k = 0; k < clamp_n_executors; k++) {
        int16_t i[] = {2, 0};
        ct_instance *run = ct_instance_new(strict_executable(ctx, &clamp_executors[k]));
        CHECK(ct_bind_input(run, 0, x, sizeof x) == CT_OK);
        CHECK(ct_bind_input(run, 1, i, sizeof i) == CT_OK);
        CHECK(ct_bind_output(run, 0, y, sizeof y) == CT_OK);
        CHECK(ct_run(run) == CT_OK && y[0] == 12 && y[1] == 10);
        i[0] = -1;
        CHECK(ct_run(run) == CT_ERR_INDEX);
        CHECK(strstr(ct_instance_error(run), "gather: 1 of 2 indices are out of range [0, 2]: "
                                             "position [0] is -1") != NULL);
        CHECK(strstr(ct_instance_error(run), "test_clamp.c:") != NULL);
        i[0] = 1;
        CHECK(ct_run(run) == CT_OK && y[0] == 11 && y[1] == 10);
        ct_instance_free(run);
    }
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* A result that nothing uses is still checked. */
static ct_tensor *first_of_two(ct_tensor *x, ct_tensor *i)
{
    ct_take(x, i, 0, CT_STRICT);
    return ct_neg(x);
}

TEST(strict_is_checked_where_the_result_is_not_used)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = given(ctx, CT_F64, CT_SHAPE(3), {10, 11, 12});
    ct_tensor *bad = given(ctx, CT_U8, CT_SHAPE(2), {3, 1}),
              *xbar = ct_ones(ctx, CT_F64, CT_SHAPE(3));
    ct_function *f = ct_trace(ctx, first_of_two, CT_LIKE(x, bad));
    ct_function *vjp = ct_vjp(f, CT_ARGS(0));
    ct_tensor *result;

    for (size_t k = 0; k < clamp_n_executors; k++) {
        clamp_evaluate(&clamp_executors[k], f, CT_ARGV(x, bad), &result, 1);
        CHECK_ERROR(ctx, CT_ERR_INDEX, "1 of 2 indices are out of range [0, 2]: position [0] is 3");
        clamp_evaluate(&clamp_executors[k], vjp, CT_ARGV(x, bad, xbar), &result, 1);
        CHECK_ERROR(ctx, CT_ERR_INDEX, "1 of 2 indices are out of range [0, 2]: position [0] is 3");
    }
    ct_context_free(ctx);
}

/* ---- A window that is larger than its axis does not get into a graph. */

typedef struct oversized {
    const char *name, *message;
    ct_tensor *(*build)(ct_tensor *x, ct_tensor *i, ct_tensor *vector);
} oversized;

static ct_tensor *slice_6_of_5(ct_tensor *x, ct_tensor *i, ct_tensor *vector)
{
    (void)vector;
    return ct_dynamic_slice(x, CT_ARGV(i), CT_SHAPE(6), CT_CLAMP);
}

static ct_tensor *filled_slice_6_of_5(ct_tensor *x, ct_tensor *i, ct_tensor *vector)
{
    (void)vector;
    return ct_dynamic_slice(x, CT_ARGV(i), CT_SHAPE(6), CT_FILL(0));
}

static ct_tensor *op_slice_6_of_5(ct_tensor *x, ct_tensor *i, ct_tensor *vector)
{
    (void)vector;
    return ct_op_dynamic_slice(x, CT_ARGV(i), CT_SHAPE(6), false);
}

static ct_tensor *six(ct_tensor *x)
{
    return ct_zeros(ct_context_of(x), ct_dtype_of(x), CT_SHAPE(6));
}

static ct_tensor *update_6_of_5(ct_tensor *x, ct_tensor *i, ct_tensor *vector)
{
    (void)vector;
    return ct_dynamic_update_slice(x, six(x), CT_ARGV(i), CT_CLAMP);
}

static ct_tensor *op_update_6_of_5(ct_tensor *x, ct_tensor *i, ct_tensor *vector)
{
    (void)vector;
    return ct_op_dynamic_update_slice(x, six(x), CT_ARGV(i), false);
}

static ct_tensor *gather_6_of_5(ct_tensor *x, ct_tensor *i, ct_tensor *vector)
{
    (void)i;
    return ct_op_gather(x, vector,
                        &(ct_gather_dims){.offset_dims = CT_DIMS(0),
                                          .start_index_map = CT_DIMS(0),
                                          .index_vector_dim = 0,
                                          .slice_sizes = CT_DIMS(6)});
}

static ct_tensor *scatter_6_into_5(ct_tensor *x, ct_tensor *i, ct_tensor *vector)
{
    (void)i;
    return ct_op_scatter_add(x, vector, six(x),
                             &(ct_scatter_dims){.update_window_dims = CT_DIMS(0),
                                                .scatter_dims_to_operand_dims = CT_DIMS(0),
                                                .index_vector_dim = 0});
}

static ct_tensor *none(ct_tensor *x)
{
    return ct_zeros(ct_context_of(x), ct_dtype_of(x), CT_SHAPE(0));
}

static ct_tensor *take_of_nothing(ct_tensor *x, ct_tensor *i, ct_tensor *vector)
{
    (void)i;
    return ct_take(none(x), vector, 0, CT_CLAMP);
}

static ct_tensor *take_along_nothing(ct_tensor *x, ct_tensor *i, ct_tensor *vector)
{
    (void)i;
    return ct_take_along_axis(none(x), vector, 0, CT_CLAMP);
}

static ct_tensor *count_6_of_5(ct_tensor *x, ct_tensor *i, ct_tensor *vector)
{
    (void)x;
    (void)i;
    return ct_count_out_of_range(vector, 5, 6, CT_CLAMP);
}

static const oversized oversized_windows[] = {
    {"dynamic_slice", "dynamic_slice: ", slice_6_of_5},
    {"dynamic_slice, filled", "dynamic_slice: ", filled_slice_6_of_5},
    {"op_dynamic_slice", "dynamic_slice: ", op_slice_6_of_5},
    {"dynamic_update_slice", "dynamic_update_slice: ", update_6_of_5},
    {"op_dynamic_update_slice", "dynamic_update_slice: ", op_update_6_of_5},
    {"gather", "gather: slice_sizes[0] = 6 does not fit", gather_6_of_5},
    {"scatter", "scatter: ", scatter_6_into_5},
    {"take", "take: axis 0 has extent 0", take_of_nothing},
    {"take_along_axis", "take_along_axis: axis 0 has extent 0", take_along_nothing},
    {"count_out_of_range", "a window of 6 does not fit into 5", count_6_of_5},
};

static ct_tensor *build_oversized(void *user, ct_tensor *x, ct_tensor *i, ct_tensor *vector)
{
    const oversized *row = user;

    return row->build(x, i, vector);
}

static void check_oversized(ct_context *ctx, const oversized *row, ct_dtype dtype)
{
    ct_tensor *x = ct_zeros(ctx, CT_F64, CT_SHAPE(5)), *i = ct_zeros(ctx, dtype, CT_SHAPE());
    ct_tensor *vector = ct_zeros(ctx, dtype, CT_SHAPE(1));

    CHECK_MSG(ct_is_poison(row->build(x, i, vector)), "%s, %s", row->name, ct_dtype_name(dtype));
    CHECK_ERROR(ctx, CT_ERR_SHAPE, row->message);
    CHECK(ct_function_is_poison(
        ct_trace_user(ctx, build_oversized, (void *)(uintptr_t)row, CT_LIKE(x, i, vector))));
    CHECK_ERROR(ctx, CT_ERR_SHAPE, row->message);
}

TEST(a_window_larger_than_its_axis)
{
    ct_context *ctx = ct_context_new();
    const size_t n = sizeof oversized_windows / sizeof *oversized_windows;

    for (size_t k = 0; k < n; k++)
        for (ct_dtype dtype = CT_I8; dtype <= CT_U64; dtype++)
            check_oversized(ctx, &oversized_windows[k], dtype);
    ct_context_free(ctx);
}

/* ---- Finding and counting them. */

typedef struct checked {
    ct_dtype only; /* else every dtype that holds the indices */
    clamp_style style;
    clamp_index index;
    int64_t dim, window;
    ct_shape out;    /* positions out of range */
    int64_t wrapped; /* how many stay out of range with CT_WRAP */
} checked;

/* clang-format off */
static const checked checks[] = {
    {.index = {S(1, 2), I(5, -1)}, .dim = 3, .window = 1, .out = I(0, 1), .wrapped = 1},
    {.index = {S(1, 2), I(2, 0)}, .dim = 3, .window = 1, .out = I(), .wrapped = 0},
    {.index = {S(5), I(0, 4, 5, 1, 100)}, .dim = 5, .window = 1, .out = I(2, 4), .wrapped = 2},
    {.index = {S(2, 3), I(0, -1, 4, -5, -6, 5)},
     .dim = 5, .window = 1, .out = I(1, 3, 4, 5), .wrapped = 2},
    {.index = {S(4), I(0, 3, 4, 5)}, .dim = 5, .window = 2, .out = I(2, 3), .wrapped = 2},
    {.index = {S(4), I(-1, -2, -5, 0)}, .dim = 5, .window = 2, .out = I(0, 1, 2), .wrapped = 1},
    {.index = {S(3), I(0, 1, 2)}, .dim = 5, .window = 5, .out = I(1, 2), .wrapped = 2},
    {.index = {S(3), I(4, 5, 6)}, .dim = 5, .window = 0, .out = I(2), .wrapped = 1},
    {.index = {S(2), I(0, 1)}, .dim = 0, .window = 0, .out = I(1), .wrapped = 1},
    {.index = {S(), I(9)}, .dim = 5, .window = 1, .out = I(0), .wrapped = 1},
    {.index = {S(), I(4)}, .dim = 5, .window = 1, .out = I(), .wrapped = 0},
    {.index = {S(0), I()}, .dim = 5, .window = 1, .out = I(), .wrapped = 0},
    {.index = {S(3, 0), I()}, .dim = 5, .window = 1, .out = I(), .wrapped = 0},
    {.style = {.limits = true}, .index = {S(2), I(4, INT64_MAX)},
     .dim = 5, .window = 1, .out = I(1), .wrapped = 1},
    {.only = CT_I8, .index = {S(4), I(-128, 127, -1, 0)},
     .dim = 300, .window = 1, .out = I(0, 2), .wrapped = 0},
    {.only = CT_I8, .index = {S(3), I(-128, 127, 126)},
     .dim = 129, .window = 3, .out = I(0, 1), .wrapped = 1},
    {.only = CT_U8, .index = {S(2), I(255, 254)},
     .dim = 257, .window = 3, .out = I(0), .wrapped = 1},
    {.only = CT_I16, .index = {S(2), I(-32768, 32767)},
     .dim = 5, .window = 1, .out = I(0, 1), .wrapped = 2},
    {.only = CT_I32, .index = {S(2), I(-2147483648, 2147483647)},
     .dim = 5, .window = 1, .out = I(0, 1), .wrapped = 2},
    {.only = CT_U32, .index = {S(2), I(4294967295, 4)},
     .dim = 5, .window = 1, .out = I(0), .wrapped = 1},
    {.only = CT_I64, .index = {S(3), I(INT64_MIN, INT64_MAX, 4)},
     .dim = 5, .window = 1, .out = I(0, 1), .wrapped = 2},
    {.only = CT_I64, .index = {S(3), I(INT64_MIN, INT64_MAX, -1)},
     .dim = INT64_MAX, .window = 1, .out = I(0, 1, 2), .wrapped = 2},
    {.only = CT_U64, .style = {.bits = true},
     .index = {S(4), I(U64(0x8000000000000000), 3, U64(0xffffffffffffffff), 4)},
     .dim = 5, .window = 1, .out = I(0, 2), .wrapped = 2},
    {.only = CT_U64, .style = {.bits = true},
     .index = {S(2), I(U64(0x7fffffffffffffff), U64(0x7ffffffffffffffe))},
     .dim = INT64_MAX, .window = 1, .out = I(0), .wrapped = 1},
};
/* clang-format on */

static void check_found(const checked *row, ct_tensor *indices, const char *where)
{
    ct_misplaced found[8];
    const size_t n = row->out.count;
    for (size_t k = 0; k < 8; k++)
        found[k] = (ct_misplaced){-1, -1};

    CHECK_MSG(ct_find_out_of_range(indices, row->dim, row->window, NULL, 0) == n, "%s", where);
    CHECK_MSG(ct_find_out_of_range(indices, row->dim, row->window, found, 8) == n, "%s", where);
    for (size_t k = 0; k < n; k++)
        CHECK_MSG(found[k].position == row->out.dim[k], "%s: position %zu is %d", where, k,
                  (int)found[k].position);
    CHECK_MSG(found[n].position == -1, "%s: more than the count was stored", where);
    if (n > 1) { /* fewer places than there are wrong indices */
        found[1].position = -1;
        CHECK_MSG(ct_find_out_of_range(indices, row->dim, row->window, found, 1) == n &&
                      found[0].position == row->out.dim[0] && found[1].position == -1,
                  "%s", where);
    }
}

static void count(void *user, ct_list parameters, ct_tensor **result)
{
    const checked *row = user;

    result[0] = ct_count_out_of_range(parameters.item[0], row->dim, row->window, CT_CLAMP);
    result[1] = ct_count_out_of_range(parameters.item[0], row->dim, row->window, CT_WRAP);
}

static void check_counted(ct_context *ctx, const checked *row, ct_tensor *indices,
                          const char *where)
{
    ct_function *f = ct_trace_many(ctx, count, (void *)(uintptr_t)row, 2, CT_LIKE(indices));
    ct_tensor *n[2];

    for (size_t k = 0; k < clamp_n_executors; k++) {
        clamp_evaluate(&clamp_executors[k], f, CT_ARGV(indices), n, 2);
        CHECK_OK(ctx);
        CHECK_MSG(ct_dtype_of(n[0]) == CT_I64 && ct_item(n[0]) == (double)row->out.count,
                  "%s, %s: counted %s", where, clamp_executors[k].name, ct_text(n[0]));
        CHECK_MSG(ct_item(n[1]) == (double)row->wrapped, "%s, %s: counted %s with CT_WRAP", where,
                  clamp_executors[k].name, ct_text(n[1]));
    }
}

TEST(finding_and_counting)
{
    ct_context *ctx = ct_context_new();

    for (size_t k = 0; k < sizeof checks / sizeof *checks; k++) {
        const checked *row = &checks[k];
        int dtypes = 0;
        for (ct_dtype dtype = CT_I8; dtype <= CT_U64; dtype++) {
            char where[80];
            ct_tensor *indices = clamp_indices(ctx, dtype, row->index.shape, row->index.list,
                                               row->style);
            if (!indices || (row->only && row->only != dtype))
                continue;
            snprintf(where, sizeof where, "row %zu, %s", k, ct_dtype_name(dtype));
            check_found(row, indices, where);
            check_counted(ctx, row, indices, where);
            CHECK_OK(ctx);
            dtypes++;
        }
        CHECK_MSG(dtypes > 0, "row %zu: no dtype holds its indices", k);
    }
    ct_context_free(ctx);
}

TEST(found_values_as_text)
{
    static const uint64_t large[] = {UINT64_C(1) << 63, 3, UINT64_MAX};
    ct_context *ctx = ct_context_new();
    ct_tensor *i = given(ctx, CT_I8, CT_SHAPE(2, 3), {0, 2, 7, -1, 4, -128});
    ct_tensor *u = ct_from_data(ctx, CT_U64, CT_SHAPE(3), large);

    CHECK(strcmp(ct_out_of_range_text(i, 5, 1),
                 "3 of 6 indices are outside [0, 4]:\n"
                 "  [0, 2] = 7\n  [1, 0] = -1\n  [1, 2] = -128") == 0);
    CHECK(strcmp(ct_out_of_range_text(u, 5, 1), "2 of 3 indices are outside [0, 4]:\n"
                                                "  [0] = 9223372036854775808\n"
                                                "  [2] = 18446744073709551615") == 0);
    CHECK_OK(ctx);
    ct_find_out_of_range(i, 5, 6, NULL, 0);
    CHECK_ERROR(ctx, CT_ERR_SHAPE, "a window of 6 does not fit into 5");
    ct_find_out_of_range(ct_ones(ctx, CT_F32, CT_SHAPE(2)), 5, 1, NULL, 0);
    CHECK_ERROR(ctx, CT_ERR_TYPE, "find_out_of_range: ");
    ct_context_free(ctx);
}

/* ---- The counter as an extra output changes neither the value nor the gradient. */

static void take_and_count(void *user, ct_list parameters, ct_tensor **result)
{
    (void)user;
    result[0] = ct_take(parameters.item[0], parameters.item[1], 0, CT_CLAMP);
    result[1] = ct_count_out_of_range(parameters.item[1], ct_dim(parameters.item[0], 0), 1,
                                      CT_CLAMP);
}

TEST(counting_beside_the_value)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = given(ctx, CT_F64, CT_SHAPE(3), {10, 11, 12});
    ct_tensor *dx = given(ctx, CT_F64, CT_SHAPE(3), {1, 2, 3});
    ct_tensor *ybar = given(ctx, CT_F64, CT_SHAPE(4), {1, 2, 3, 4});

    for (ct_dtype dtype = CT_I8; dtype <= CT_U64; dtype++) {
        ct_tensor *i = given(ctx, dtype, CT_SHAPE(4), {3, 1, 100, 0}), *result[3];
        ct_function *f = ct_trace_many(ctx, take_and_count, NULL, 2, CT_LIKE(x, i));
        for (size_t k = 0; k < clamp_n_executors; k++) {
            clamp_evaluate(&clamp_executors[k], f, CT_ARGV(x, i), result, 2);
            CHECK_VALUES(result[0], CT_SHAPE(4), {12, 11, 12, 10});
            CHECK_VALUES(result[1], CT_SHAPE(), {2});
            clamp_evaluate(&clamp_executors[k], ct_vjp(f, CT_ARGS(0)), CT_ARGV(x, i, ybar), result,
                           1);
            CHECK_VALUES(result[0], CT_SHAPE(3), {4, 2, 4});
            clamp_evaluate(&clamp_executors[k], ct_jvp(f, CT_ARGS(0)), CT_ARGV(x, i, dx), result,
                           3);
            CHECK_VALUES(result[1], CT_SHAPE(), {2});
            CHECK_VALUES(result[2], CT_SHAPE(4), {3, 2, 3, 1});
        }
    }
    CHECK_OK(ctx);
    ct_context_free(ctx);
}
