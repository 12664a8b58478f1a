/* Ordered sets, tables of pairs and the layout of frames, each against a plain list. */
#include "exec/interpret/interpret.h"
#include "ops/ordered.h"
#include "tests/check.h"
#include "tests/programs.h"
#include "trace/lookup.h"

#include <string.h>

enum { N = 300, STEPS = 6000 };

/* ---- Ordered sets. */

typedef struct world {
    ct__ordered member[N], *root;
    bool is_in[N];
} world;

static bool comes_before(const ct__ordered *x, size_t key, size_t tie)
{
    return x->key < key || (x->key == key && x->tie < tie);
}

/* The neighbours of a place, and the first overlap of an interval, by looking at all members. */
static void check_queries(world *w, size_t key, size_t tie, size_t end)
{
    const ct__ordered *from = NULL, *before = NULL;
    size_t overlap = SIZE_MAX;

    for (size_t i = 0; i < N; i++) {
        const ct__ordered *x = &w->member[i];
        if (!w->is_in[i])
            continue;
        if (comes_before(x, key, tie))
            before = before && !comes_before(before, x->key, x->tie) ? before : x;
        else
            from = from && comes_before(from, x->key, x->tie) ? from : x;
        if (x->key < end && x->end > key && x->tie != tie && x->tie < overlap)
            overlap = x->tie;
    }
    CHECK(ct__ordered_from(w->root, key, tie) == from);
    CHECK(ct__ordered_before(w->root, key, tie) == before);
    CHECK(ct__ordered_overlap(w->root, key, end, tie) == overlap);
}

TEST(ordered_sets_against_a_list)
{
    static world w;

    for (int step = 0; step < STEPS; step++) {
        size_t i = (size_t)programs_pick(N), key = (size_t)programs_pick(1000);
        size_t end = key + 1 + (size_t)programs_pick(step % 2 ? 3 : 100);
        check_queries(&w, key, i, end);
        if (w.is_in[i]) {
            ct__ordered_remove(&w.root, &w.member[i]);
        } else {
            w.member[i] = (ct__ordered){.key = key, .tie = i, .end = end};
            ct__ordered_insert(&w.root, &w.member[i]);
        }
        w.is_in[i] = !w.is_in[i];
    }
    for (size_t i = 0; i < N; i++)
        if (w.is_in[i])
            ct__ordered_remove(&w.root, &w.member[i]);
    CHECK(w.root == NULL);
}

TEST(empty_set)
{
    CHECK(!ct__ordered_from(NULL, 0, 0) && !ct__ordered_before(NULL, SIZE_MAX, SIZE_MAX));
    CHECK(ct__ordered_overlap(NULL, 0, SIZE_MAX, 0) == SIZE_MAX);
}

/* ---- Tables of pairs. */

TEST(lookup_finds_what_was_added)
{
    ct__lookup table = {0, 0, NULL};
    size_t position;

    CHECK(!ct__lookup_find(&table, 0, 0, &position));
    for (size_t i = 0; i < 1000; i++) { /* pairs that share a member, or swap them */
        CHECK(ct__lookup_reserve(&ct__libc_allocator, &table));
        ct__lookup_add(&table, i % 40, i / 40, i);
        CHECK(!ct__lookup_find(&table, (i + 1) % 40, (i + 1) / 40, &position));
    }
    for (size_t i = 0; i < 1000; i++)
        CHECK(ct__lookup_find(&table, i % 40, i / 40, &position) && position == i);
    CHECK(!ct__lookup_find(&table, 40, 0, &position));
    CHECK(!ct__lookup_find(&table, 0, UINT64_MAX, &position));
    ct__lookup_free(&ct__libc_allocator, &table);
    CHECK(!ct__lookup_find(&table, 0, 0, &position));
}

/* ---- Layouts: a map of the frame, one flag per unit of CT__ALIGN bytes. */

enum { UNITS = 4000 };

/* The first of the smallest free runs before `end` that have `units`; else the end, less a free run
 * that reaches it. */
static size_t best_fit(const bool *used, size_t end, size_t units)
{
    size_t best = SIZE_MAX, best_length = SIZE_MAX, length = 0;

    for (size_t i = 0; i <= end; i++) {
        if (i < end && !used[i]) {
            length++;
            continue;
        }
        if (length >= units && length < best_length) {
            best = i - length;
            best_length = length;
        }
        if (i < end)
            length = 0;
    }
    return best != SIZE_MAX ? best : end - length;
}

TEST(layout_is_best_fit)
{
    static bool used[UNITS];
    size_t at[N], units[N] = {0}, end = 0;
    ct__arena arena;
    ct__arena_init(&arena, &ct__libc_allocator);
    ct__layout layout = {.arena = &arena};

    for (int step = 0; step < STEPS; step++) {
        size_t i = (size_t)programs_pick(N);
        bool gives = units[i] > 0;
        if (gives) {
            CHECK(ct__layout_give(&layout, at[i] * CT__ALIGN, units[i] * CT__ALIGN) == CT_OK);
        } else {
            size_t offset, expected;
            units[i] = 1 + (size_t)programs_pick(9);
            expected = best_fit(used, end, units[i]);
            CHECK(ct__layout_take(&layout, units[i] * CT__ALIGN, &offset) == CT_OK);
            CHECK_MSG(offset == expected * CT__ALIGN, "step %d: %zu, not %zu", step,
                      offset / CT__ALIGN, expected);
            at[i] = expected;
            end = expected + units[i] > end ? expected + units[i] : end;
            CHECK(end <= UNITS);
        }
        memset(used + at[i], !gives, units[i]);
        units[i] = gives ? 0 : units[i];
        CHECK(layout.bytes == end * CT__ALIGN);
    }
    ct__arena_free(&arena);
}

TEST(layout_of_nothing_and_of_too_much)
{
    ct__arena arena;
    ct__arena_init(&arena, &ct__libc_allocator);
    ct__layout layout = {.arena = &arena};
    size_t offset;

    CHECK(ct__layout_take(&layout, 0, &offset) == CT_OK && offset == 0 && layout.bytes == 0);
    CHECK(ct__layout_give(&layout, 0, 0) == CT_OK);
    CHECK(ct__layout_take(&layout, CT__ALIGN, &offset) == CT_OK);
    CHECK(ct__layout_take(&layout, (size_t)PTRDIFF_MAX, &offset) == CT_ERR_RANGE);
    CHECK(layout.bytes == CT__ALIGN);
    ct__arena_free(&arena);
}
