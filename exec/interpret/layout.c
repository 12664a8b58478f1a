#include "exec/interpret/interpret.h"

#include <stddef.h>

bool ct__round_up(size_t bytes, size_t *rounded)
{
    if (bytes > SIZE_MAX - (CT__ALIGN - 1))
        return false;
    *rounded = (bytes + CT__ALIGN - 1) / CT__ALIGN * CT__ALIGN;
    return true;
}

/* Pointer differences inside a frame stay within ptrdiff_t. */
static bool extend(ct__layout *layout, size_t bytes)
{
    if (bytes > PTRDIFF_MAX - layout->bytes)
        return false;
    layout->bytes += bytes;
    return true;
}

/* ---- Gaps. */

struct ct__gap {
    ct__ordered by_size;   /* key: bytes, tie: offset */
    ct__ordered by_offset; /* key: offset */
    ct__gap *next;         /* among the unused */
};

static ct__gap *of_size(ct__ordered *by_size)
{
    return (ct__gap *)by_size; /* its first member */
}

static ct__gap *of_offset(ct__ordered *by_offset)
{
    return by_offset ? (ct__gap *)(void *)((char *)by_offset - offsetof(ct__gap, by_offset)) : NULL;
}

static size_t offset_of(const ct__gap *gap)
{
    return gap->by_offset.key;
}

static size_t bytes_of(const ct__gap *gap)
{
    return gap->by_size.key;
}

static void add_gap(ct__layout *layout, ct__gap *gap, size_t offset, size_t bytes)
{
    gap->by_size = (ct__ordered){.key = bytes, .tie = offset};
    gap->by_offset = (ct__ordered){.key = offset};
    ct__ordered_insert(&layout->by_size, &gap->by_size);
    ct__ordered_insert(&layout->by_offset, &gap->by_offset);
}

static void unlink_gap(ct__layout *layout, ct__gap *gap)
{
    ct__ordered_remove(&layout->by_size, &gap->by_size);
    ct__ordered_remove(&layout->by_offset, &gap->by_offset);
}

static void drop_gap(ct__layout *layout, ct__gap *gap)
{
    unlink_gap(layout, gap);
    gap->next = layout->unused;
    layout->unused = gap;
}

static ct__gap *new_gap(ct__layout *layout)
{
    ct__gap *gap = layout->unused;

    if (!gap)
        return CT__NEW(layout->arena, ct__gap);
    layout->unused = gap->next;
    return gap;
}

/* ---- Taking. */

/* Room at the end, where a last gap that is too small is made longer. */
static ct_status take_at_end(ct__layout *layout, size_t bytes, size_t *offset)
{
    ct__gap *last = of_offset(ct__ordered_before(layout->by_offset, SIZE_MAX, SIZE_MAX));
    size_t reused = last && offset_of(last) + bytes_of(last) == layout->bytes ? bytes_of(last) : 0;

    *offset = layout->bytes - reused;
    if (!extend(layout, bytes - reused))
        return CT_ERR_RANGE;
    if (reused > 0)
        drop_gap(layout, last);
    return CT_OK;
}

/* The smallest gap that is large enough; the first of equal ones. */
ct_status ct__layout_take(ct__layout *layout, size_t bytes, size_t *offset)
{
    *offset = 0;
    if (bytes == 0)
        return CT_OK;
    ct__ordered *best = ct__ordered_from(layout->by_size, bytes, 0);
    if (!best)
        return take_at_end(layout, bytes, offset);
    ct__gap *gap = of_size(best);
    size_t rest = bytes_of(gap) - bytes;
    *offset = offset_of(gap);
    if (rest == 0) {
        drop_gap(layout, gap);
    } else {
        unlink_gap(layout, gap);
        add_gap(layout, gap, *offset + bytes, rest);
    }
    return CT_OK;
}

/* ---- Giving back: a gap takes in its neighbours. */

ct_status ct__layout_give(ct__layout *layout, size_t offset, size_t bytes)
{
    if (bytes == 0)
        return CT_OK;
    ct__gap *gap = new_gap(layout);
    ct__gap *before = of_offset(ct__ordered_before(layout->by_offset, offset, 0));
    ct__gap *after = of_offset(ct__ordered_from(layout->by_offset, offset, 0));
    if (!gap)
        return CT_ERR_MEMORY;
    if (after && offset + bytes == offset_of(after)) {
        bytes += bytes_of(after);
        drop_gap(layout, after);
    }
    if (before && offset_of(before) + bytes_of(before) == offset) {
        offset = offset_of(before);
        bytes += bytes_of(before);
        drop_gap(layout, before);
    }
    add_gap(layout, gap, offset, bytes);
    return CT_OK;
}
