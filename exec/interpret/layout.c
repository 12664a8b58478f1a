#include "exec/interpret/interpret.h"

#include <string.h>

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

static void remove_gap(ct__layout *layout, size_t i)
{
    layout->n_gaps--;
    memmove(&layout->gap[i], &layout->gap[i + 1], (layout->n_gaps - i) * sizeof(ct__gap));
}

/* The smallest gap that is large enough; n_gaps without one. */
static size_t best_gap(const ct__layout *layout, size_t bytes)
{
    size_t best = layout->n_gaps;

    for (size_t i = 0; i < layout->n_gaps; i++)
        if (layout->gap[i].bytes >= bytes &&
            (best == layout->n_gaps || layout->gap[i].bytes < layout->gap[best].bytes))
            best = i;
    return best;
}

/* Room at the end, where a last gap that is too small is made longer. */
static ct_status take_at_end(ct__layout *layout, size_t bytes, size_t *offset)
{
    size_t n = layout->n_gaps;
    const ct__gap *last = n > 0 ? &layout->gap[n - 1] : NULL;
    size_t reused = last && last->offset + last->bytes == layout->bytes ? last->bytes : 0;

    *offset = layout->bytes - reused;
    if (!extend(layout, bytes - reused))
        return CT_ERR_RANGE;
    layout->n_gaps -= reused > 0;
    return CT_OK;
}

ct_status ct__layout_take(ct__layout *layout, size_t bytes, size_t *offset)
{
    *offset = 0;
    if (bytes == 0)
        return CT_OK;
    size_t best = best_gap(layout, bytes);
    if (best == layout->n_gaps)
        return take_at_end(layout, bytes, offset);
    ct__gap *gap = &layout->gap[best];
    *offset = gap->offset;
    gap->offset += bytes;
    gap->bytes -= bytes;
    if (gap->bytes == 0)
        remove_gap(layout, best);
    return CT_OK;
}

/* Room for one more gap; the old list stays in the arena. */
static bool grow(ct__layout *layout)
{
    if (layout->n_gaps < layout->capacity)
        return true;
    size_t capacity = layout->capacity ? 2 * layout->capacity : 16;
    ct__gap *gap = CT__NEW_ARRAY(layout->arena, ct__gap, capacity);
    if (!gap)
        return false;
    if (layout->n_gaps > 0)
        memcpy(gap, layout->gap, layout->n_gaps * sizeof *gap);
    layout->gap = gap;
    layout->capacity = capacity;
    return true;
}

ct_status ct__layout_give(ct__layout *layout, size_t offset, size_t bytes)
{
    size_t i = 0;

    if (bytes == 0)
        return CT_OK;
    if (!grow(layout))
        return CT_ERR_MEMORY;
    while (i < layout->n_gaps && layout->gap[i].offset < offset)
        i++;
    memmove(&layout->gap[i + 1], &layout->gap[i], (layout->n_gaps - i) * sizeof(ct__gap));
    layout->n_gaps++;
    layout->gap[i] = (ct__gap){offset, bytes};
    if (i + 1 < layout->n_gaps && offset + bytes == layout->gap[i + 1].offset) {
        layout->gap[i].bytes += layout->gap[i + 1].bytes;
        remove_gap(layout, i + 1);
    }
    if (i > 0 && layout->gap[i - 1].offset + layout->gap[i - 1].bytes == offset) {
        layout->gap[i - 1].bytes += layout->gap[i].bytes;
        remove_gap(layout, i);
    }
    return CT_OK;
}
