#include "tests/values.h"

#include "trace/trace.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

/* x[start:limit] along the first axis, as slicing makes it: the same storage, another offset. */
static ct_tensor *rows(ct_tensor *x, int64_t start, int64_t limit)
{
    int64_t starts[8] = {start}, limits[8] = {limit}, strides[8] = {1, 1, 1, 1, 1, 1, 1, 1};
    int64_t dim[8] = {limit - start};
    size_t rank = ct_rank(x);
    ct__attrs attrs = {.slice = {.start_indices = {rank, starts},
                                 .limit_indices = {rank, limits},
                                 .strides = {rank, strides}}};
    ct__arena *arena = ct__scratch_begin(ct_context_of(x));

    for (size_t d = 1; d < rank; d++)
        dim[d] = limits[d] = ct_dim(x, (int64_t)d);
    const ct_type *type = ct__type(arena, ct_dtype_of(x), (int)rank, dim);
    ct__literal *view = NULL;
    CHECK(ct__view(CT__OP_slice, &attrs, x->literal, type, &view));
    ct__scratch_end(ct_context_of(x));
    return ct__tensor_concrete(ct_context_of(x), CT_HERE, "slice", view);
}

static ct_tensor *transposed(ct_tensor *x)
{
    int64_t order[] = {1, 0}, dim[] = {ct_dim(x, 1), ct_dim(x, 0)};
    ct__attrs attrs = {.transpose = {.permutation = {2, order}}};
    ct__arena *arena = ct__scratch_begin(ct_context_of(x));
    const ct_type *type = ct__type(arena, ct_dtype_of(x), 2, dim);
    ct__literal *view = NULL;
    CHECK(ct__view(CT__OP_transpose, &attrs, x->literal, type, &view));

    ct__scratch_end(ct_context_of(x));
    return ct__tensor_concrete(ct_context_of(x), CT_HERE, "transpose", view);
}

/* ---- One element. */

TEST(item_reads_the_only_element)
{
    ct_context *ctx = ct_context_new();

    CHECK(ct_item(ct_scalar(ctx, CT_F64, 0.1)) == 0.1);
    CHECK(ct_item(ct_full(ctx, CT_I8, CT_SHAPE(1, 1, 1), -7)) == -7);
    CHECK(ct_item(rows(coded(ctx, CT_F32, 4), 2, 3)) == 2);
    CHECK(isnan(ct_item(ct_scalar(ctx, CT_BF16, NAN))));
    CHECK(ct_item(given(ctx, CT_C128, CT_SHAPE(1), {3.5})) == 3.5);
    CHECK_OK(ctx);
    CHECK(ct_item(coded(ctx, CT_F32, 2, 3)) == 0);
    CHECK_ERROR(ctx, CT_ERR_SHAPE, "item: x has 6 elements, not 1: f32[2,3]");
    CHECK(ct_item(ct_zeros(ctx, CT_F32, CT_SHAPE(0))) == 0);
    CHECK_ERROR(ctx, CT_ERR_SHAPE, "item: x has 0 elements");
    ct_context_free(ctx);
}

TEST(at_takes_indices_from_either_end)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = coded(ctx, CT_I32, 2, 3, 4);

    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < 4; k++) {
                CHECK(ct_at(x, i, j, k) == 100 * i + 10 * j + k);
                CHECK(ct_at_int(x, i - 2, j - 3, k - 4) == 100 * i + 10 * j + k);
            }
    CHECK(ct_element_at(CT_HERE, ct_scalar(ctx, CT_F32, 5), CT_SHAPE()) == 5);
    CHECK(ct_at(transposed(coded(ctx, CT_F32, 2, 3)), 2, 1) == 12);
    CHECK_OK(ctx);
    ct_at(x, 0, 3, 0);
    CHECK_ERROR(ctx, CT_ERR_INDEX, "at: index 3 of axis 1 is outside x: i32[2,3,4]");
    ct_at(x, -3, 0, 0);
    CHECK_ERROR(ctx, CT_ERR_INDEX, "at: index -3 of axis 0");
    ct_at(x, INT64_MIN, 0, 0);
    CHECK_ERROR(ctx, CT_ERR_INDEX, "of axis 0");
    ct_at_int(x, 0, 0, INT64_MAX);
    CHECK_ERROR(ctx, CT_ERR_INDEX, "of axis 2");
    ct_at(x, 0, 0);
    CHECK_ERROR(ctx, CT_ERR_SHAPE, "at: 2 indices for the 3 axes of x: i32[2,3,4]");
    ct_at(ct_zeros(ctx, CT_F32, CT_SHAPE(0)), 0);
    CHECK_ERROR(ctx, CT_ERR_INDEX, "at: index 0 of axis 0");
    ct_context_free(ctx);
}

TEST(integers_are_read_exactly)
{
    ct_context *ctx = ct_context_new();
    int64_t i64[] = {INT64_MIN, INT64_MAX, -1};
    uint64_t u64[] = {UINT64_MAX, (UINT64_C(1) << 63) + 1};
    ct_tensor *x = ct_from_data(ctx, CT_I64, CT_SHAPE(3), i64);
    ct_tensor *y = ct_from_data(ctx, CT_U64, CT_SHAPE(2), u64);

    CHECK(ct_at_int(x, 0) == INT64_MIN && ct_at_int(x, 1) == INT64_MAX && ct_at_int(x, 2) == -1);
    CHECK((uint64_t)ct_at_int(y, 0) == UINT64_MAX && (uint64_t)ct_at_int(y, 1) == u64[1]);
    CHECK(ct_at_int(ct_full(ctx, CT_I8, CT_SHAPE(1), -128), 0) == -128);
    CHECK(ct_at_int(ct_full(ctx, CT_I16, CT_SHAPE(1), -129), 0) == -129);
    CHECK(ct_at_int(ct_full(ctx, CT_I32, CT_SHAPE(1), -0x1p31), 0) == INT32_MIN);
    CHECK(ct_at_int(ct_full(ctx, CT_U8, CT_SHAPE(1), 255), 0) == 255);
    CHECK(ct_at_int(ct_full(ctx, CT_U16, CT_SHAPE(1), 65535), 0) == 65535);
    CHECK(ct_at_int(ct_full(ctx, CT_U32, CT_SHAPE(1), 0x1p32 - 1), 0) == UINT32_MAX);
    CHECK_OK(ctx);
    ct_at_int(ct_ones(ctx, CT_F32, CT_SHAPE(1)), 0);
    CHECK_ERROR(ctx, CT_ERR_TYPE, "at_int: x is f32, not an integer");
    ct_at_int(ct_ones(ctx, CT_BOOL, CT_SHAPE(1)), 0);
    CHECK_ERROR(ctx, CT_ERR_TYPE, "not an integer");
    ct_context_free(ctx);
}

/* ---- All elements. */

TEST(data_is_contiguous_and_aligned)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = coded(ctx, CT_F32, 4, 3);
    ct_tensor *views[] = {x, rows(x, 1, 3), transposed(x), transposed(rows(x, 1, 3)),
                          ct_full(ctx, CT_F32, CT_SHAPE(2, 5), 3)};
    static const float expected[][12] = {{0, 1, 2, 10, 11, 12, 20, 21, 22, 30, 31, 32},
                                         {10, 11, 12, 20, 21, 22},
                                         {0, 10, 20, 30, 1, 11, 21, 31, 2, 12, 22, 32},
                                         {10, 20, 11, 21, 12, 22},
                                         {3, 3, 3, 3, 3, 3, 3, 3, 3, 3}};

    for (size_t i = 0; i < 5; i++) {
        const float *data = ct_data(views[i]);
        CHECK(data && (uintptr_t)data % 64 == 0);
        CHECK(memcmp(data, expected[i], (size_t)ct_size(views[i]) * sizeof *data) == 0);
        CHECK(ct_data(views[i]) == data);
    }
    CHECK(ct_data(ct_zeros(ctx, CT_F64, CT_SHAPE(0, 3))));
    CHECK(ct_data(rows(x, 4, 4)));
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

TEST(to_doubles_reads_every_dtype)
{
    static const ct_dtype dtypes[] = {CT_I8,  CT_I16, CT_I32,  CT_I64, CT_U8,  CT_U16, CT_U32,
                                      CT_U64, CT_F16, CT_BF16, CT_F32, CT_F64, CT_C64, CT_C128};
    ct_context *ctx = ct_context_new();
    double out[7] = {0};

    for (ct_dtype t = CT_I2; t < CT_DTYPE_COUNT; t = (ct_dtype)(t + 1)) {
        CHECK(ct_to_doubles(ct_ones(ctx, t, CT_SHAPE(2)), out, 2) && out[0] == 1 && out[1] == 1);
        CHECK(ct_item(ct_scalar(ctx, t, 1)) == 1);
    }

    for (size_t i = 0; i < sizeof dtypes / sizeof dtypes[0]; i++) {
        ct_tensor *x = coded(ctx, dtypes[i], 3, 2);

        CHECK(ct_to_doubles(x, out, 6));
        CHECK(out[0] == 0 && out[1] == 1 && out[2] == 10 && out[5] == 21);
        CHECK(ct_to_doubles(transposed(x), out, 6));
        CHECK(out[0] == 0 && out[1] == 10 && out[2] == 20 && out[5] == 21);
    }
    CHECK(ct_to_doubles(ct_zeros(ctx, CT_F32, CT_SHAPE(0)), NULL, 0));
    CHECK_OK(ctx);
    out[6] = -1;
    CHECK(!ct_to_doubles(coded(ctx, CT_F32, 3, 2), out, 7));
    CHECK_ERROR(ctx, CT_ERR_SHAPE, "to_doubles: x has 6 elements, and out has 7");
    CHECK(!ct_to_doubles(coded(ctx, CT_F32, 3, 2), NULL, 6));
    CHECK_ERROR(ctx, CT_ERR_ARGUMENT, "to_doubles: out is NULL");
    CHECK(out[6] == -1);
    ct_context_free(ctx);
}

/* ---- Values without data. */

static void check_unreadable(ct_context *ctx, ct_tensor *x, ct_status status, const char *part)
{
    double out[1];

    ct_error_clear(ctx);
    CHECK(ct_item(x) == 0);
    CHECK_ERROR(ctx, status, part);
    CHECK(ct_at(x, 0) == 0);
    CHECK_ERROR(ctx, status, part);
    CHECK(ct_at_int(x, 0) == 0);
    CHECK_ERROR(ctx, status, part);
    CHECK(!ct_data(x));
    CHECK_ERROR(ctx, status, part);
    CHECK(!ct_to_doubles(x, out, 1));
    CHECK_ERROR(ctx, status, part);
    CHECK(!ct_equal(x, x));
    CHECK_OK(ctx);
}

TEST(values_without_data)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *spec = ct_spec(ctx, CT_F32, CT_SHAPE(1));
    ct_trace_builder *builder = ct_trace_begin(ctx, "f", CT_LIKE(spec));

    check_unreadable(ctx, spec, CT_ERR_ARGUMENT, "x is a type without data");
    check_unreadable(ctx, ct_trace_parameter(builder, 0), CT_ERR_TRACED, "x is traced");
    check_unreadable(ctx, ct_scalar(ctx, CT_U8, -1), CT_ERR_POISON, "x is the poisoned result");
    CHECK(ct_item(NULL) == 0 && ct_at(NULL, 0) == 0 && !ct_data(NULL) && !ct_equal(NULL, NULL));
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

TEST(good_values_are_read_after_an_error)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = transposed(coded(ctx, CT_F32, 2, 3));

    ct_scalar(ctx, CT_U8, -1);
    CHECK(ct_at(x, 2, 1) == 12);
    CHECK(((const float *)ct_data(x))[5] == 12);
    CHECK_ERROR(ctx, CT_ERR_ARGUMENT, "scalar: -1 does not fit u8");
    ct_context_free(ctx);
}

/* ---- Comparing. */

TEST(equal_compares_type_and_values)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = coded(ctx, CT_F32, 2, 3);

    CHECK(ct_equal(x, coded(ctx, CT_F32, 2, 3)));
    CHECK(ct_equal(transposed(transposed(x)), x));
    CHECK(ct_equal(transposed(x), given(ctx, CT_F32, CT_SHAPE(3, 2), {0, 10, 1, 11, 2, 12})));
    CHECK(!ct_equal(x, coded(ctx, CT_F64, 2, 3)));
    CHECK(!ct_equal(x, given(ctx, CT_F32, CT_SHAPE(6), {0, 1, 2, 10, 11, 12})));
    CHECK(!ct_equal(x, given(ctx, CT_F32, CT_SHAPE(2, 3), {0, 1, 2, 10, 11, 13})));
    CHECK(!ct_equal(x, ct_spec(ctx, CT_F32, CT_SHAPE(2, 3))));
    CHECK(ct_equal(ct_zeros(ctx, CT_F32, CT_SHAPE(0, 3)), ct_ones(ctx, CT_F32, CT_SHAPE(0, 3))));
    CHECK(!ct_equal(ct_zeros(ctx, CT_F32, CT_SHAPE(0, 3)), ct_zeros(ctx, CT_F32, CT_SHAPE(0, 2))));
    CHECK(ct_equal(ct_full(ctx, CT_U8, CT_SHAPE(2), 4), given(ctx, CT_U8, CT_SHAPE(2), {4, 4})));
    CHECK(!ct_equal(ct_full(ctx, CT_U8, CT_SHAPE(2), 4), given(ctx, CT_U8, CT_SHAPE(2), {4, 5})));
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

TEST(equal_is_bitwise_but_for_zeros_and_nans)
{
    static const ct_dtype floats[] = {CT_F16,  CT_BF16,   CT_F32,    CT_F64,   CT_C64,
                                      CT_C128, CT_F8E3M4, CT_F8E4M3, CT_F8E5M2};
    ct_context *ctx = ct_context_new();
    float a[] = {0, NAN}, b[] = {-0.0f, -NAN}, c[] = {0, 1};
    int64_t close[] = {(INT64_C(1) << 53) + 1, INT64_C(1) << 53};

    for (size_t i = 0; i < sizeof floats / sizeof floats[0]; i++) {
        CHECK(ct_equal(given(ctx, floats[i], CT_SHAPE(3), {0, NAN, 1}),
                       given(ctx, floats[i], CT_SHAPE(3), {-0.0, -NAN, 1})));
        CHECK(!ct_equal(given(ctx, floats[i], CT_SHAPE(1), {NAN}),
                        given(ctx, floats[i], CT_SHAPE(1), {1})));
        CHECK(!ct_equal(given(ctx, floats[i], CT_SHAPE(1), {INFINITY}),
                        given(ctx, floats[i], CT_SHAPE(1), {-INFINITY})));
    }
    /* imaginary parts */
    CHECK(ct_equal(ct_from_data(ctx, CT_C64, CT_SHAPE(), a),
                   ct_from_data(ctx, CT_C64, CT_SHAPE(), b)));
    CHECK(!ct_equal(ct_from_data(ctx, CT_C64, CT_SHAPE(), a),
                    ct_from_data(ctx, CT_C64, CT_SHAPE(), c)));
    /* equal as doubles */
    CHECK(!ct_equal(ct_from_data(ctx, CT_I64, CT_SHAPE(1), close),
                    ct_from_data(ctx, CT_I64, CT_SHAPE(1), close + 1)));
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

static void read_without_memory(ct_context *ctx)
{
    ct_tensor *x = coded(ctx, CT_F32, 3, 2);

    if (ct_is_concrete(x))
        ct_data(transposed(x));
}

TEST(reading_without_memory)
{
    CHECK_ALLOCATIONS(read_without_memory);
}
