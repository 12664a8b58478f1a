#include "exec/interpret/places.h"

#include <string.h>

/* Appends an axis of positions, or makes it one with the last. */
static void add_axis(ct__places *p, int64_t dim, int64_t vector, int64_t x, int64_t y)
{
    const int last = p->rank - 1;

    if (dim == 1)
        return;
    if (last >= 0 && p->vectors.stride[last] == dim * vector && p->x_step[last] == dim * x &&
        p->y_step[last] == dim * y)
        p->dim[last] *= dim;
    else
        p->dim[p->rank++] = dim;
    p->vectors.stride[p->rank - 1] = vector;
    p->x_step[p->rank - 1] = x;
    p->y_step[p->rank - 1] = y;
}

void ct__places_begin(ct__places *p)
{
    const int rank = p->vectors.rank;

    p->rank = 0;
    p->left = 1;
    for (int d = 0; d < rank; d++) {
        p->left *= p->vectors.dim[d];
        add_axis(p, p->vectors.dim[d], p->vectors.stride[d], p->x_step[d], p->y_step[d]);
    }
    if (p->rank == 0) { /* one vector */
        p->vectors.stride[0] = p->x_step[0] = p->y_step[0] = 0;
        p->dim[p->rank++] = 1;
    }
}

void ct__places_limit(ct__places *p, int64_t first, int64_t end)
{
    p->left = end - first;
    ct__coordinates(p->rank, p->dim, first, p->index);
}

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

bool ct__places_next_row(ct__places *p, int64_t most, ct__places_row *row)
{
    const int last = p->rank - 1;

    if (p->left == 0)
        return false;
    *row = (ct__places_row){.n = least(least(p->dim[last] - p->index[last], p->left), most)};
    for (int d = 0; d <= last; d++) {
        row->vector += p->index[d] * p->vectors.stride[d];
        row->x += p->index[d] * p->x_step[d];
        row->y += p->index[d] * p->y_step[d];
    }
    p->left -= row->n;
    p->index[last] += row->n - 1;
    ct__next(p->rank, p->dim, p->index);
    return true;
}

bool ct__places_next(ct__places *p, ct__places_block *block)
{
    const ct__index_vectors *v = &p->vectors;
    const int last = p->rank - 1;
    ct__places_row row;

    if (!ct__places_next_row(p, CT__PLACES_AT_ONCE, &row))
        return false;
    block->n = (size_t)row.n;
    block->y = row.y;
    block->y_step = p->y_step[last];
    for (int64_t i = 0; i < row.n; i++)
        block->at[i] = row.x + i * p->x_step[last];
    for (int64_t k = 0; k < v->entries; k++)
        ct__moves_here()->find_places(
            v->type->dtype, block->n, block->at,
            ct__at(v->data, v->element_bytes, row.vector + k * v->entry_stride), v->stride[last],
            p->last[k], p->step[k], p->skips);
    return true;
}

bool ct__places_are_indexed(const ct__places *p)
{
    const int last = p->rank - 1;

    return p->vectors.entries == 1 && p->vectors.type->dtype == CT_I32 &&
           p->vectors.stride[last] == 1 && p->x_step[last] == 0 && p->y_step[last] == 1 &&
           p->last[0] >= 0 && p->last[0] <= INT32_MAX && p->step[0] * p->last[0] <= UINT32_MAX;
}

ct__runs ct__runs_of(const ct__box *window)
{
    const int last = window->rank - 1;

    if (last >= 0 && window->to[last] == 1 && window->from[last] == 1)
        return (ct__runs){window->dim[last], last};
    return (ct__runs){1, window->rank};
}
