/* Types, literals, attributes, names of operands. */
#include "tests/check.h"
#include "tests/infer.h"

#include <string.h>

/* ---- Types. */

TEST(extents_that_make_no_type)
{
    const int64_t huge = (int64_t)1 << 40;
    int64_t ones[65];

    for (int i = 0; i < 65; i++)
        ones[i] = 1;
    CHECK(ct__type_check(CT_F32, 0, NULL) == CT_OK);
    CHECK(ct__type_check(CT_F32, 64, ones) == CT_OK);
    CHECK(ct__type_check(CT_F32, 65, ones) == CT_ERR_SHAPE);
    CHECK(ct__type_check(CT_F32, SIZE_MAX, NULL) == CT_ERR_SHAPE);
    CHECK(ct__type_check(CT_F32, 2, (int64_t[]){3, -1}) == CT_ERR_SHAPE);
    CHECK(ct__type_check(CT_F32, 2, (int64_t[]){0, -1}) == CT_ERR_SHAPE);
    CHECK(ct__type_check(CT_F32, 2, (int64_t[]){huge, huge}) == CT_ERR_RANGE);
    CHECK(ct__type_check(CT_F32, 3, (int64_t[]){huge, 0, huge}) == CT_OK);
    CHECK(ct__type_check(CT_I8, 1, (int64_t[]){INT64_MAX}) == CT_OK);
    CHECK(ct__type_check(CT_I16, 1, (int64_t[]){INT64_MAX / 2}) == CT_OK);
    CHECK(ct__type_check(CT_I16, 1, (int64_t[]){INT64_MAX / 2 + 1}) == CT_ERR_RANGE);
    CHECK(ct__type_check(CT_INVALID_DTYPE, 0, NULL) == CT_ERR_ARGUMENT);
    CHECK(ct__type_check((ct_dtype)99, 0, NULL) == CT_ERR_ARGUMENT);
}

TEST(tensor_types)
{
    ct__arena arena;

    ct__arena_init(&arena, &ct__libc_allocator);
    const ct_type *x = ct__type(&arena, CT_F64, 3, (int64_t[]){2, 3, 5});
    CHECK(x->kind == CT__TENSOR && x->dtype == CT_F64 && x->rank == 3 && x->size == 30);
    CHECK(x->dim[0] == 2 && x->dim[1] == 3 && x->dim[2] == 5 && ct__data_bytes(x) == 240);
    const ct_type *scalar = ct__type(&arena, CT_C64, 0, NULL);
    CHECK(scalar->rank == 0 && scalar->size == 1 && ct__data_bytes(scalar) == 8);
    const ct_type *empty = ct__type(&arena, CT_I8, 2, (int64_t[]){0, 7});
    CHECK(empty->size == 0 && ct__data_bytes(empty) == 0);
    CHECK(ct__data_bytes(ct__type_token(&arena)) == 0);
    CHECK(ct__has_tangent(x) && ct__has_tangent(scalar) && !ct__has_tangent(empty));
    CHECK(!ct__has_tangent(ct__type_token(&arena)));
    ct__arena_free(&arena);
}

/* Types that differ in one thing each. */
static size_t different_types(ct__arena *arena, const ct_type **type)
{
    const ct_type *x = type_of_text(arena, "f32[2,3]"), *y = type_of_text(arena, "f32[3,2]");

    type[0] = x;
    type[1] = y;
    type[2] = type_of_text(arena, "f64[2,3]");
    type[3] = type_of_text(arena, "f32[2,3,1]");
    type[4] = type_of_text(arena, "f32[]");
    type[5] = ct__type_token(arena);
    type[6] = ct__type_tuple(arena, 0, NULL);
    type[7] = ct__type_tuple(arena, 1, &x);
    type[8] = ct__type_tuple(arena, 2, (const ct_type *[]){x, y});
    type[9] = ct__type_tuple(arena, 2, (const ct_type *[]){y, x});
    type[10] = ct__type_stack(arena, x);
    type[11] = ct__type_stack(arena, type[8]);
    return 12;
}

TEST(types_are_equal_by_structure)
{
    const ct_type *type[12];
    ct__arena arena, other;
    size_t count;

    ct__arena_init(&arena, &ct__libc_allocator);
    ct__arena_init(&other, &ct__libc_allocator);
    count = different_types(&arena, type);
    for (size_t i = 0; i < count; i++) {
        const ct_type *copy = ct__type_copy(&other, type[i]);
        void *block = ct__arena_alloc(&other, ct__type_bytes(type[i]));
        const ct_type *in_block = ct__type_copy_into(block, type[i]);

        for (size_t k = 0; k < count; k++)
            CHECK_MSG(ct__type_equal(copy, type[k]) == (i == k), "types %zu and %zu", i, k);
        CHECK(ct__type_equal(in_block, type[i]) && (const void *)in_block == block);
    }
    ct__arena_free(&arena); /* copies stand alone */
    CHECK(ct__type_equal(type_of_text(&other, "f32[2]"), type_of_text(&other, "f32[2]")));
    ct__arena_free(&other);
}

TEST(types_print)
{
    static const char *const want[] = {"f32[2,3]",
                                       "f32[3,2]",
                                       "f64[2,3]",
                                       "f32[2,3,1]",
                                       "f32[]",
                                       "token",
                                       "tuple<>",
                                       "tuple<f32[2,3]>",
                                       "tuple<f32[2,3],f32[3,2]>",
                                       "tuple<f32[3,2],f32[2,3]>",
                                       "stack<f32[2,3]>",
                                       "stack<tuple<f32[2,3],f32[3,2]>>"};
    const ct_type *type[12];
    char buffer[64];
    ct__arena arena;

    ct__arena_init(&arena, &ct__libc_allocator);
    for (size_t i = 0; i < different_types(&arena, type); i++)
        CHECK_MSG(strcmp(ct__type_print(type[i], buffer, sizeof buffer), want[i]) == 0, "%s",
                  buffer);
    ct__arena_free(&arena);
}

TEST(long_types_end_in_dots)
{
    char buffer[32];
    ct__arena arena;

    ct__arena_init(&arena, &ct__libc_allocator);
    const ct_type *x = type_of_text(&arena, "bf16[1000,2000,3000]"); /* 20 bytes */
    for (size_t bytes = 0; bytes <= 21; bytes++) {
        memset(buffer, '#', sizeof buffer);
        CHECK(ct__type_print(x, buffer, bytes) == buffer);
        CHECK(buffer[bytes] == '#');
        CHECK(bytes == 0 || strlen(buffer) == bytes - 1);
        CHECK(bytes < 4 || bytes == 21 || strcmp(buffer + bytes - 4, "…") == 0);
    }
    CHECK(strcmp(ct__type_print(x, buffer, 21), "bf16[1000,2000,3000]") == 0);
    CHECK(strcmp(ct__type_print(x, buffer, 10), "bf16[1…") == 0);
    ct__arena_free(&arena);
}

/* ---- Literals. */

/* A literal of i32 whose storage holds 0, 1, 2, … */
static ct__literal *counting(const ct_type *type, size_t stored, int64_t offset,
                             const int64_t *stride)
{
    ct__storage *storage = ct__storage_new(&ct__libc_allocator, stored * sizeof(int32_t));

    CHECK(storage);
    for (size_t i = 0; i < stored; i++)
        ((int32_t *)(void *)storage->data)[i] = (int32_t)i;
    return ct__literal_new(storage, type, offset, stride);
}

static void check_view(const char *type, size_t stored, int64_t offset, const int64_t *stride,
                       const int32_t *want)
{
    int32_t out[64] = {0};
    ct__arena arena;

    ct__arena_init(&arena, &ct__libc_allocator);
    ct__literal *view = counting(type_of_text(&arena, type), stored, offset, stride);
    ct__arena_free(&arena); /* the literal has its own copy of the type */
    ct__literal_copy_out(view, out);
    for (int64_t i = 0; i < view->type->size; i++)
        CHECK_MSG(out[i] == want[i], "%s, element %d: %d", type, (int)i, out[i]);
    ct__literal_release(view);
}

TEST(views_copy_out_in_row_major_order)
{
    check_view("i32[2,3]", 6, 0, NULL, (int32_t[]){0, 1, 2, 3, 4, 5});
    check_view("i32[3,2]", 6, 0, (int64_t[]){1, 3}, (int32_t[]){0, 3, 1, 4, 2, 5});
    check_view("i32[2,3]", 6, 5, (int64_t[]){-3, -1}, (int32_t[]){5, 4, 3, 2, 1, 0});
    check_view("i32[2,2]", 12, 1, (int64_t[]){6, 2}, (int32_t[]){1, 3, 7, 9});
    check_view("i32[2,3]", 3, 0, (int64_t[]){0, 1}, (int32_t[]){0, 1, 2, 0, 1, 2});
    check_view("i32[2,3]", 2, 1, (int64_t[]){0, 0}, (int32_t[]){1, 1, 1, 1, 1, 1});
    check_view("i32[]", 8, 7, NULL, (int32_t[]){7});
    check_view("i32[2,0,3]", 0, 0, NULL, NULL);
    check_view("i32[2,1,3]", 6, 0, (int64_t[]){3, 99, 1}, (int32_t[]){0, 1, 2, 3, 4, 5});
}

TEST(every_element_size_copies)
{
    static const char *const types[] = {"u8[3,2]", "u16[3,2]", "f32[3,2]", "f64[3,2]", "c128[3,2]"};
    ct__arena arena;

    ct__arena_init(&arena, &ct__libc_allocator);
    for (size_t t = 0; t < 5; t++) {
        const ct_type *type = type_of_text(&arena, types[t]);
        const size_t bytes = ct_dtype_bytes(type->dtype);
        ct__storage *storage = ct__storage_new(&ct__libc_allocator, 6 * bytes);
        unsigned char out[6 * 16];

        for (size_t i = 0; i < 6 * bytes; i++)
            storage->data[i] = (unsigned char)i;
        ct__literal *view = ct__literal_new(storage, type, 0, (int64_t[]){1, 3});
        ct__literal_copy_out(view, out);
        for (size_t i = 0; i < 6; i++)
            CHECK(memcmp(out + i * bytes, storage->data + (i % 2 * 3 + i / 2) * bytes, bytes) == 0);
        ct__literal_release(view);
    }
    ct__arena_free(&arena);
}

TEST(contiguous_and_splat)
{
    static const struct {
        const char *type;
        int64_t stride[3];
        bool contiguous, splat;
    } row[] = {
        {"i32[2,3]", {3, 1}, true, false},      {"i32[2,3]", {1, 2}, false, false},
        {"i32[2,3]", {0, 0}, false, true},      {"i32[2,3]", {0, 1}, false, false},
        {"i32[1,1]", {5, 7}, true, true},       {"i32[]", {0}, true, true},
        {"i32[2,1,3]", {3, 9, 1}, true, false}, {"i32[0,3]", {0, 0}, true, false},
        {"i32[2,0]", {7, 7}, true, false},      {"i32[2,3]", {-3, -1}, false, false},
    };
    ct__arena arena;

    ct__arena_init(&arena, &ct__libc_allocator);
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        ct__literal *x = counting(type_of_text(&arena, row[i].type), 8, 0, row[i].stride);

        CHECK_MSG(ct__literal_is_contiguous(x) == row[i].contiguous, "row %zu", i);
        CHECK_MSG(ct__literal_is_splat(x) == row[i].splat, "row %zu", i);
        ct__literal_release(x);
    }
    ct__arena_free(&arena);
}

TEST(row_major_strides_do_not_overflow_around_nothing)
{
    const int64_t huge = (int64_t)1 << 40;
    int64_t stride[3];

    ct__row_major(3, (int64_t[]){2, 3, 5}, stride);
    CHECK(stride[0] == 15 && stride[1] == 5 && stride[2] == 1);
    ct__row_major(3, (int64_t[]){0, huge, huge}, stride);
    CHECK(stride[0] == 0 && stride[1] == 0 && stride[2] == 0);
}

TEST(literals_are_equal_by_contents)
{
    ct__arena arena;

    ct__arena_init(&arena, &ct__libc_allocator);
    const ct_type *type = type_of_text(&arena, "i32[2,2]");
    ct__literal *x = counting(type, 4, 0, NULL);
    ct__literal *same = counting(type, 6, 0, (int64_t[]){2, 1});
    ct__literal *turned = counting(type, 4, 0, (int64_t[]){1, 2});
    ct__literal *shifted = counting(type, 5, 1, NULL);
    ct__literal *flat = counting(type_of_text(&arena, "i32[4]"), 4, 0, NULL);
    ct__literal *bits = counting(type_of_text(&arena, "u32[2,2]"), 4, 0, NULL);
    ct__literal *nothing = counting(type_of_text(&arena, "i32[0,2]"), 0, 0, NULL);
    ct__literal *none = counting(type_of_text(&arena, "i32[0,2]"), 4, 0, NULL);

    CHECK(ct__literal_equal(x, x) && ct__literal_equal(x, same) && ct__literal_equal(same, x));
    CHECK(!ct__literal_equal(x, turned) && !ct__literal_equal(x, shifted));
    CHECK(!ct__literal_equal(x, flat) && !ct__literal_equal(x, bits));
    CHECK(ct__literal_equal(nothing, none) && !ct__literal_equal(x, none));
    ct__literal *all[] = {x, same, turned, shifted, flat, bits, nothing, none};
    for (size_t i = 0; i < 8; i++)
        ct__literal_release(all[i]);
    ct__arena_free(&arena);
}

TEST(storage_lives_as_long_as_its_last_view)
{
    ct__arena arena;

    ct__arena_init(&arena, &ct__libc_allocator);
    const ct_type *type = type_of_text(&arena, "i32[3]");
    ct__literal *x = counting(type, 3, 0, NULL);
    ct__literal *view = ct__literal_new(ct__storage_retain(x->storage), type, 2, (int64_t[]){-1});
    CHECK(ct__literal_retain(view) == view);
    ct__literal_release(x);
    ct__literal_release(view);
    CHECK(*(const int32_t *)ct__literal_first(view) == 2);
    ct__literal_release(view);
    ct__literal_release(NULL);
    ct__storage_release(NULL);
    ct__arena_free(&arena);
}
