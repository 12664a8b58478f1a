/* Where the blocks of a frame lie. While they come and go, each is placed at once, best fit among
 * what was given back. When all lifetimes are known they are placed anew, the largest first, each
 * at the lowest place that is free as long as it lives; whichever takes less is it. */
#include "exec/interpret/planner.h"

#include <stdlib.h>

/* Placing anew compares each block with each: of so many it is not done. */
enum { MOST_PACKED = 3000 };

void ct__frame_begin(ct__frame *f, ct__arena *arena)
{
    *f = (ct__frame){.layout = {.arena = arena}};
}

ct_status ct__frame_take(ct__frame *f, size_t bytes, size_t *block)
{
    if (!ct__arena_grow(f->layout.arena, &f->block, &f->capacity, f->n + 1, sizeof *f->block))
        return CT_ERR_MEMORY;
    ct__block *b = &f->block[f->n];

    *block = f->n++;
    *b = (ct__block){.bytes = bytes, .first = f->now, .last = CT__KEPT};
    return ct__layout_take(&f->layout, bytes, &b->offset);
}

ct_status ct__frame_give(ct__frame *f, size_t block)
{
    f->block[block].last = f->now;
    return ct__layout_give(&f->layout, f->block[block].offset, f->block[block].bytes);
}

/* ---- Placing anew. */

/* The larger one, of two equal ones that which comes first. */
static int by_bytes(const void *a, const void *b)
{
    const ct__block *x = *(ct__block *const *)a, *y = *(ct__block *const *)b;

    if (x->bytes != y->bytes)
        return x->bytes < y->bytes ? 1 : -1;
    return x < y ? -1 : x > y;
}

static bool meet(const ct__block *a, const ct__block *b)
{
    return a->first <= b->last && b->first <= a->last;
}

/* The lowest place; `placed` is in the order of offsets. Returns where b belongs there. */
static size_t find_place(ct__block *const *placed, size_t n, ct__block *b)
{
    size_t at = 0;

    b->packed = 0;
    for (size_t i = 0; i < n; i++) {
        const ct__block *other = placed[i];
        if (!meet(b, other) || other->packed + other->bytes <= b->packed)
            continue;
        if (other->packed >= b->packed && other->packed - b->packed >= b->bytes)
            break;
        b->packed = other->packed + other->bytes;
    }
    while (at < n && placed[at]->packed <= b->packed)
        at++;
    return at;
}

/* False where that takes no less than `most`. */
static bool pack(const ct__frame *f, ct__block **order, ct__block **placed, size_t most,
                 size_t *bytes)
{
    size_t n = 0;

    *bytes = 0;
    for (size_t i = 0; i < f->n; i++)
        order[i] = &f->block[i];
    qsort(order, f->n, sizeof *order, by_bytes);
    for (size_t i = 0; i < f->n; i++) {
        ct__block *b = order[i];
        size_t at = find_place(placed, n, b);
        if (b->bytes >= most - b->packed)
            return false;
        for (size_t k = n++; k > at; k--)
            placed[k] = placed[k - 1];
        placed[at] = b;
        *bytes = b->packed + b->bytes > *bytes ? b->packed + b->bytes : *bytes;
    }
    return true;
}

/* Whether the blocks take no more than those that live at one time: no other places take less.
 * change[t]: bytes that begin to live with part t, less those that ended with the part before. */
static bool is_tight(const ct__frame *f, size_t *change)
{
    size_t live = 0, most = 0;

    for (size_t i = 0; i < f->n; i++) {
        change[f->block[i].first] += f->block[i].bytes;
        if (f->block[i].last != CT__KEPT)
            change[f->block[i].last + 1] -= f->block[i].bytes;
    }
    for (size_t t = 0; t <= f->now; t++) {
        live += change[t];
        most = live > most ? live : most;
    }
    return f->layout.bytes <= most;
}

static ct_status place_anew(ct__frame *f, size_t *bytes)
{
    size_t packed;

    *bytes = f->layout.bytes;
    if (f->n == 0 || f->n > MOST_PACKED)
        return CT_OK;
    size_t *change = CT__NEW_ARRAY(f->layout.arena, size_t, (size_t)f->now + 2);
    if (!change)
        return CT_ERR_MEMORY;
    if (is_tight(f, change))
        return CT_OK;
    ct__block **order = CT__NEW_ARRAY(f->layout.arena, ct__block *, f->n);
    ct__block **placed = CT__NEW_ARRAY(f->layout.arena, ct__block *, f->n);
    if (!order || !placed)
        return CT_ERR_MEMORY;
    if (!pack(f, order, placed, *bytes, &packed))
        return CT_OK;
    *bytes = packed;
    for (size_t i = 0; i < f->n; i++)
        f->block[i].offset = f->block[i].packed;
    return CT_OK;
}

ct_status ct__frame_settle(ct__frame *f, size_t head, size_t *bytes)
{
    ct_status status = place_anew(f, bytes);
    if (status != CT_OK)
        return status;
    if (head > PTRDIFF_MAX - *bytes)
        return CT_ERR_RANGE;
    *bytes += head;
    for (size_t i = 0; i < f->n; i++)
        f->block[i].offset += head;
    return CT_OK;
}
