/* The allocator, arenas, growing arrays and texts, checked arithmetic. */
#include "tests/check.h"

#include "ops/memory.h"
#include "ops/text.h"

#include <stdlib.h>
#include <string.h>

/* An allocator that keeps a balance, and fails from allocation `left` on. */
typedef struct ledger {
    long left;
    size_t blocks, bytes;
} ledger;

static void *ledger_allocate(void *user, size_t bytes, size_t align)
{
    ledger *book = user;
    void *memory = book->left > 0 ? aligned_alloc(align, (bytes + align - 1) / align * align)
                                  : NULL;

    book->left--;
    if (!memory)
        return NULL;
    memset(memory, 0xa5, bytes);
    book->blocks++;
    book->bytes += bytes;
    return memory;
}

static void ledger_release(void *user, void *memory, size_t bytes)
{
    ledger *book = user;

    book->blocks--;
    book->bytes -= bytes;
    free(memory);
}

static ct_allocator allocator_of(ledger *book)
{
    return (ct_allocator){sizeof(ct_allocator), book, ledger_allocate, ledger_release};
}

static bool is_balanced(const ledger *book)
{
    return book->blocks == 0 && book->bytes == 0;
}

static bool is_aligned(const void *memory, size_t align)
{
    return (uintptr_t)memory % align == 0;
}

TEST(blocks_are_aligned_and_never_null)
{
    for (size_t bytes = 0; bytes < 200; bytes += 13) {
        unsigned char *memory = ct__alloc(&ct__libc_allocator, bytes);
        unsigned char *cleared = ct__alloc_zeroed(&ct__libc_allocator, bytes);
        void *elements = ct__alloc_elements(&ct__libc_allocator, bytes);
        const size_t align = _Alignof(max_align_t);

        CHECK(memory && cleared && elements);
        CHECK(is_aligned(memory, align) && is_aligned(cleared, align));
        CHECK(is_aligned(elements, CT__ALIGN));
        for (size_t i = 0; i < bytes; i++)
            CHECK(cleared[i] == 0);
        memset(memory, 1, bytes);
        ct__release(&ct__libc_allocator, memory, bytes);
        ct__release(&ct__libc_allocator, cleared, bytes);
        ct__release(&ct__libc_allocator, elements, bytes);
    }
    ct__release(&ct__libc_allocator, NULL, 10);
}

TEST(impossible_blocks_fail)
{
    CHECK(!ct__alloc(&ct__libc_allocator, SIZE_MAX));
    CHECK(!ct__alloc(&ct__libc_allocator, SIZE_MAX - 30));
    CHECK(!ct__alloc_zeroed(&ct__libc_allocator, SIZE_MAX / 2));
    CHECK(!ct__alloc_elements(&ct__libc_allocator, SIZE_MAX - 30));
}

TEST(releases_state_the_size_that_was_asked_for)
{
    ledger book = {.left = 100};
    const ct_allocator allocator = allocator_of(&book);

    for (size_t bytes = 0; bytes < 5; bytes++)
        ct__release(&allocator, ct__alloc(&allocator, bytes), bytes);
    CHECK(is_balanced(&book));
}

/* ---- Growing arrays. */

TEST(growing_keeps_the_elements)
{
    ledger book = {.left = 1000};
    const ct_allocator allocator = allocator_of(&book);
    int *array = NULL;
    size_t capacity = 0;

    for (int i = 0; i < 1000; i++) {
        CHECK(ct__grow(&allocator, &array, &capacity, (size_t)i + 1, sizeof *array));
        CHECK(capacity > (size_t)i);
        array[i] = 3 * i;
    }
    for (int i = 0; i < 1000; i++)
        CHECK(array[i] == 3 * i);
    CHECK(book.left > 980); /* doubles */
    ct__release(&allocator, array, capacity * sizeof *array);
    CHECK(is_balanced(&book));
}

/* Blocks of the C library's that are larger than those it is told of large pages. */
TEST(growing_keeps_the_elements_of_large_blocks)
{
    const size_t count = (size_t)5 << 20;
    uint32_t *array = NULL;
    size_t capacity = 0;

    for (size_t i = 0; i < count; i++) {
        CHECK(ct__grow(&ct__libc_allocator, &array, &capacity, i + 1, sizeof *array));
        array[i] = (uint32_t)(7 * i);
    }
    for (size_t i = 0; i < count; i++)
        CHECK(array[i] == (uint32_t)(7 * i));
    ct__release(&ct__libc_allocator, array, capacity * sizeof *array);
}

TEST(growing_fails_without_harm)
{
    ledger book = {.left = 1};
    const ct_allocator allocator = allocator_of(&book);
    int *array = NULL, *before;
    size_t capacity = 0, capacity_before;

    CHECK(ct__grow(&allocator, &array, &capacity, 1, sizeof *array));
    array[0] = 7;
    before = array;
    capacity_before = capacity;
    CHECK(!ct__grow(&allocator, &array, &capacity, 1000, sizeof *array));
    CHECK(!ct__grow(&allocator, &array, &capacity, SIZE_MAX / 2, sizeof *array));
    CHECK(!ct__grow(&allocator, &array, &capacity, SIZE_MAX, sizeof *array));
    CHECK(array == before && capacity == capacity_before && array[0] == 7);
    ct__release(&allocator, array, capacity * sizeof *array);
    CHECK(is_balanced(&book));
}

/* ---- Arenas. */

TEST(arena_memory_is_aligned_and_apart)
{
    ledger book = {.left = 1000};
    const ct_allocator allocator = allocator_of(&book);
    unsigned char *block[300];
    ct__arena arena;

    ct__arena_init(&arena, &allocator);
    for (size_t i = 0; i < 300; i++) {
        block[i] = ct__arena_alloc(&arena, i * 7);
        CHECK(block[i] && is_aligned(block[i], _Alignof(max_align_t)));
        memset(block[i], (int)(i % 251), i * 7);
    }
    for (size_t i = 0; i < 300; i++)
        for (size_t k = 0; k < i * 7; k++)
            CHECK(block[i][k] == i % 251);
    CHECK(!arena.failed);
    ct__arena_free(&arena);
    CHECK(is_balanced(&book));
    ct__arena_free(&arena);
}

TEST(arena_takes_blocks_larger_than_its_chunks)
{
    ledger book = {.left = 1000};
    const ct_allocator allocator = allocator_of(&book);
    const size_t large = (size_t)3 << 20;
    ct__arena arena;

    ct__arena_init(&arena, &allocator);
    CHECK(CT__NEW(&arena, int));
    unsigned char *memory = ct__arena_zeroed(&arena, large);
    CHECK(memory && memory[0] == 0 && memory[large - 1] == 0);
    CHECK(CT__NEW_ARRAY(&arena, int, 5));
    ct__arena_reset(&arena);
    CHECK(book.bytes < large); /* one large request does not stay */
    ct__arena_free(&arena);
    CHECK(is_balanced(&book));
}

/* A large request says nothing of the next ones. */
TEST(arena_chunks_begin_small)
{
    ledger book = {.left = 1000};
    const ct_allocator allocator = allocator_of(&book);
    ct__arena arena;

    ct__arena_init(&arena, &allocator);
    CHECK(ct__arena_alloc(&arena, 1));
    CHECK(book.bytes <= 512);
    CHECK(ct__arena_alloc(&arena, (size_t)20 << 20));
    const size_t bytes = book.bytes;
    CHECK(ct__arena_alloc(&arena, 1));
    CHECK(book.bytes - bytes <= 4096);
    ct__arena_free(&arena);
    CHECK(is_balanced(&book));
}

TEST(arena_reset_keeps_one_chunk)
{
    ledger book = {.left = 1000};
    const ct_allocator allocator = allocator_of(&book);
    ct__arena arena;
    long left;

    ct__arena_init(&arena, &allocator);
    for (int i = 0; i < 1000; i++)
        CHECK(ct__arena_alloc(&arena, 100));
    ct__arena_reset(&arena);
    CHECK(book.blocks == 1);
    left = book.left;
    CHECK(ct__arena_alloc(&arena, 100));
    CHECK(book.left == left);
    ct__arena_free(&arena);
    CHECK(is_balanced(&book));
}

TEST(arena_copies)
{
    ct__arena arena;

    ct__arena_init(&arena, &ct__libc_allocator);
    const char *text = ct__arena_text(&arena, "f32[4,2]");
    const int64_t *list = ct__arena_copy(&arena, (int64_t[]){3, 4}, 2 * sizeof *list);
    CHECK(strcmp(text, "f32[4,2]") == 0 && list[0] == 3 && list[1] == 4);
    CHECK(!ct__arena_text(&arena, NULL) && ct__arena_copy(&arena, NULL, 0));
    ct__arena_free(&arena);
}

TEST(arena_failure_is_remembered_until_a_reset)
{
    ledger book = {.left = 0};
    const ct_allocator allocator = allocator_of(&book);
    ct__arena arena;

    ct__arena_init(&arena, &allocator);
    CHECK(!ct__arena_alloc(&arena, 8) && arena.failed);
    ct__arena_reset(&arena);
    CHECK(!arena.failed);
    book.left = 100;
    CHECK(ct__arena_alloc(&arena, 8) && !arena.failed);
    CHECK(!ct__arena_array(&arena, SIZE_MAX / 4, 8) && arena.failed);
    ct__arena_reset(&arena);
    CHECK(!ct__arena_alloc(&arena, SIZE_MAX) && arena.failed);
    CHECK(!ct__arena_alloc(&arena, SIZE_MAX - 15));
    CHECK(ct__arena_alloc(&arena, 8));
    ct__arena_free(&arena);
    CHECK(is_balanced(&book));
}

/* ---- Texts. */

static void write_lines(ct__text *text)
{
    for (int i = 0; i < 50; i++)
        ct__text_add(text, "line %d\n", i);
    ct__text_add_bytes(text, "end and more", 3);
}

TEST(text_grows)
{
    ct__text text;

    ct__text_init(&text, &ct__libc_allocator);
    CHECK(!text.data && text.length == 0);
    write_lines(&text);
    CHECK(!text.failed && text.length == strlen(text.data));
    CHECK(strncmp(text.data, "line 0\nline 1\n", 14) == 0);
    CHECK(strcmp(text.data + text.length - 11, "line 49\nend") == 0);
    ct__text_add_bytes(&text, "", 0);
    CHECK(!text.failed);
    ct__text_free(&text);
    CHECK(!text.data && text.length == 0);
}

TEST(text_survives_every_failing_allocation)
{
    long n = 0;
    bool failed;

    do {
        ledger book = {.left = n++};
        const ct_allocator allocator = allocator_of(&book);
        ct__text text;

        ct__text_init(&text, &allocator);
        write_lines(&text);
        failed = text.failed;
        CHECK(!text.data || strlen(text.data) == text.length);
        ct__text_free(&text);
        CHECK(is_balanced(&book));
    } while (failed);
    CHECK(n > 3);
}

/* ---- Checked arithmetic. */

TEST(sums_and_products)
{
    int64_t r;
    size_t s;

    CHECK(ct__add_i64(INT64_MAX - 1, 1, &r) && r == INT64_MAX);
    CHECK(!ct__add_i64(INT64_MAX, 1, &r) && !ct__add_i64(INT64_MIN, -1, &r));
    CHECK(ct__add_i64(INT64_MAX, INT64_MIN, &r) && r == -1);
    CHECK(ct__mul_i64((int64_t)1 << 31, (int64_t)1 << 31, &r) && r == (int64_t)1 << 62);
    CHECK(!ct__mul_i64((int64_t)1 << 32, (int64_t)1 << 31, &r));
    CHECK(ct__mul_i64(-((int64_t)1 << 32), (int64_t)1 << 31, &r) && r == INT64_MIN);
    CHECK(!ct__mul_i64(INT64_MIN, -1, &r));
    CHECK(ct__mul_size(SIZE_MAX / 8, 8, &s) && !ct__mul_size(SIZE_MAX / 8 + 1, 8, &s));
    CHECK(ct__mul_size(0, SIZE_MAX, &s) && s == 0);
}

TEST(element_counts)
{
    const int64_t huge = (int64_t)1 << 40;
    int64_t n;

    CHECK(ct__count_elements(0, NULL, &n) && n == 1);
    CHECK(ct__count_elements(3, (int64_t[]){2, 3, 5}, &n) && n == 30);
    CHECK(ct__count_elements(1, (int64_t[]){INT64_MAX}, &n) && n == INT64_MAX);
    CHECK(!ct__count_elements(2, (int64_t[]){huge, huge}, &n));
    CHECK(!ct__count_elements(3, (int64_t[]){huge, huge, 1}, &n));
    CHECK(ct__count_elements(3, (int64_t[]){huge, huge, 0}, &n) && n == 0);
    CHECK(ct__count_elements(3, (int64_t[]){0, huge, huge}, &n) && n == 0);
}
