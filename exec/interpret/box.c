#include "exec/interpret/interpret.h"
#include "exec/kernel/moves.h"

#include <string.h>

void ct__box_begin(ct__box *box, size_t element_bytes)
{
    box->bytes = element_bytes;
    box->empty = false;
    box->rank = 0;
}

/* Whether `outer` is the stride of the axis around one of this extent and stride. */
static bool is_around(int64_t outer, int64_t dim, int64_t stride)
{
    int64_t step;

    return ct__mul_i64(dim, stride, &step) && step == outer;
}

/* An empty box may have any extents, of which no more is kept. */
void ct__box_axis(ct__box *box, int64_t dim, int64_t to, int64_t from)
{
    int last = box->rank - 1;
    int64_t merged;

    box->empty = box->empty || dim == 0;
    if (dim <= 1 || box->empty)
        return;
    if (last >= 0 && is_around(box->to[last], dim, to) && is_around(box->from[last], dim, from) &&
        ct__mul_i64(box->dim[last], dim, &merged)) {
        box->dim[last] = merged;
    } else {
        last = box->rank++;
        box->dim[last] = dim;
    }
    box->to[last] = to;
    box->from[last] = from;
}

bool ct__box_is_run(const ct__box *box)
{
    return box->rank == 0 || (box->rank == 1 && box->to[0] == 1 && box->from[0] == 1);
}

bool ct__next(int rank, const int64_t *dim, int64_t *index)
{
    for (int d = rank - 1; d >= 0; d--) {
        if (++index[d] < dim[d])
            return true;
        index[d] = 0;
    }
    return false;
}

/* ---- Rows: n elements from one stride to another. A memcpy of fixed size is a move. */

typedef struct row {
    int64_t n;
    size_t bytes;
    int64_t to, from; /* strides in bytes */
} row;

#define MOVE(size)                                                                                 \
    for (int64_t i = 0; i < r->n; i++)                                                             \
    memcpy(to + i * r->to, from + i * r->from, size)

static void copy_row(const row *r, unsigned char *to, const unsigned char *from)
{
    switch (r->bytes) {
    case 1: MOVE(1); break;
    case 2: MOVE(2); break;
    case 4: MOVE(4); break;
    case 8: MOVE(8); break;
    case 16: MOVE(16); break;
    default: MOVE(r->bytes);
    }
}

/* The stride of y is the element's size: the compiler can vectorise. */
#define FILL(size)                                                                                 \
    for (size_t i = 0; i < n; i++)                                                                 \
    memcpy(y + i * (size), value, size)

static bool is_one_byte(const unsigned char *value, size_t bytes)
{
    return bytes < 2 || memcmp(value, value + 1, bytes - 1) == 0;
}

void ct__fill_elements(size_t element_bytes, size_t n, void *to, const void *from)
{
    unsigned char *y = to, value[16];

    if (element_bytes > sizeof value) {
        for (size_t i = 0; i < n; i++)
            memcpy(y + i * element_bytes, from, element_bytes);
        return;
    }
    memcpy(value, from, element_bytes);
    if (is_one_byte(value, element_bytes)) {
        memset(y, value[0], n * element_bytes);
        return;
    }
    switch (element_bytes) {
    case 2: FILL(2); break;
    case 4: FILL(4); break;
    case 8: FILL(8); break;
    case 16: FILL(16); break;
    default: FILL(element_bytes);
    }
}

/* ---- Boxes. */

static bool all_multiples(const ct__box *box, int rank, int64_t n)
{
    for (int d = 0; d < rank; d++)
        if (box->to[d] % n != 0 || box->from[d] % n != 0)
            return false;
    return true;
}

/* Adjacent elements that fill 2, 4, 8 or 16 bytes move as one. */
static void widen(ct__box *box)
{
    int last = box->rank - 1;

    if (last < 0 || box->to[last] != 1 || box->from[last] != 1 || box->dim[last] > 16)
        return;
    size_t n = (size_t)box->dim[last], bytes = n * box->bytes;
    if (bytes > 16 || (bytes & (bytes - 1)) != 0 || !all_multiples(box, last, (int64_t)n))
        return;
    box->bytes = bytes;
    box->rank = last;
    for (int d = 0; d < last; d++) {
        box->to[d] /= (int64_t)n;
        box->from[d] /= (int64_t)n;
    }
}

static void move_axis(ct__box *box, int from, int to)
{
    int64_t axis[3] = {box->dim[from], box->to[from], box->from[from]};

    for (int d = from; d < to; d++) {
        box->dim[d] = box->dim[d + 1];
        box->to[d] = box->to[d + 1];
        box->from[d] = box->from[d + 1];
    }
    box->dim[to] = axis[0];
    box->to[to] = axis[1];
    box->from[to] = axis[2];
}

/* Whether the box ends in a plane to be transposed; moves the axis along which `from` is adjacent
 * to the last but one. */
static bool ends_in_plane(ct__box *box)
{
    int last = box->rank - 1;

    if (last < 1 || box->to[last] != 1 || box->from[last] == 1 || box->from[last] == 0)
        return false;
    for (int d = last - 1; d >= 0; d--)
        if (box->from[d] == 1) {
            move_axis(box, d, last - 1);
            return true;
        }
    return false;
}

/* Where a part of a box is: its result, and what it is read from. */
typedef struct part {
    unsigned char *to;
    const unsigned char *from;
} part;

/* The part inside the outer axes; what will be read `next`, or NULL. */
static void copy_inner(const ct__box *box, bool is_plane, bool streams, part at,
                       const unsigned char *next)
{
    int last = box->rank - 1;
    int64_t bytes = (int64_t)box->bytes, n = box->dim[last];

    if (is_plane) {
        const ct__plane p = {box->dim[last - 1], n, box->bytes, box->to[last - 1] * bytes,
                             box->from[last] * bytes};
        ct__moves_here()->transpose(&p, at.to, at.from, next, streams);
    } else if (box->to[last] == 1 && box->from[last] == 1) {
        memcpy(at.to, at.from, (size_t)n * box->bytes);
    } else if (box->to[last] == 1 && box->from[last] == 0) {
        ct__fill_elements(box->bytes, (size_t)n, at.to, at.from);
    } else {
        row r = {n, box->bytes, box->to[last] * bytes, box->from[last] * bytes};
        copy_row(&r, at.to, at.from);
    }
}

static size_t bytes_of(const ct__box *box)
{
    size_t bytes = box->bytes;

    for (int d = 0; d < box->rank; d++)
        bytes *= (size_t)box->dim[d];
    return bytes;
}

/* To the next part in the order of the outer axes; false: there is none. */
static bool next_part(const ct__box *box, int outer, int64_t *index, part *at)
{
    const int64_t bytes = (int64_t)box->bytes;

    for (int d = outer - 1; d >= 0; d--) {
        const int64_t steps = index[d] + 1 < box->dim[d] ? 1 : -index[d];
        at->to += steps * box->to[d] * bytes;
        at->from += steps * box->from[d] * bytes;
        index[d] += steps;
        if (steps == 1)
            return true;
    }
    return false;
}

/* Row by row, or plane by plane. */
static void copy_rows(ct__box box, bool streams, part at)
{
    int64_t index[CT__MAX_RANK] = {0};

    widen(&box);
    bool is_plane = ends_in_plane(&box), more;
    int outer = box.rank - (is_plane ? 2 : 1);
    do {
        part next = at;
        more = next_part(&box, outer, index, &next);
        copy_inner(&box, is_plane, streams, at, more ? next.from : NULL);
        at = next;
    } while (more);
}

static void copy_box(const ct__box *box, bool streams, void *to, const void *from)
{
    if (box->empty)
        return;
    if (ct__box_is_run(box))
        memcpy(to, from, (size_t)(box->rank ? box->dim[0] : 1) * box->bytes);
    else
        copy_rows(*box, streams, (part){to, from});
}

void ct__box_copy(const ct__box *box, void *to, const void *from)
{
    copy_box(box, bytes_of(box) >= CT__STREAMED_BYTES, to, from);
}

/* ---- Shared by threads: cut along the outermost axis. */

enum { SHARED_BYTES = 1 << 20, TILE_BYTES = 1 << 18, MOST_TILES = 32, LINE_ELEMENTS = 64 };

typedef struct cut {
    const ct__box *box;
    unsigned char *to;
    const unsigned char *from;
    bool streams;
} cut;

static void copy_part(void *user, size_t first, size_t end, size_t worker)
{
    const cut *c = user;
    const int64_t at = (int64_t)first * (int64_t)c->box->bytes;
    ct__box slice = *c->box;

    (void)worker;
    slice.dim[0] = (int64_t)(end - first);
    copy_box(&slice, c->streams, c->to + at * slice.to[0], c->from + at * slice.from[0]);
}

void ct__copy_box(const ct__eval *q, const ct__box *box, void *to, const void *from)
{
    const size_t bytes = bytes_of(box);

    if (box->empty || bytes < SHARED_BYTES || ct__threads_count(q->threads) < 2) {
        ct__box_copy(box, to, from);
        return;
    }
    const size_t wanted = bytes / TILE_BYTES, dim = (size_t)box->dim[0];
    const size_t tiles = wanted < MOST_TILES ? wanted : MOST_TILES;
    cut c = {box, to, from, bytes >= CT__STREAMED_BYTES};
    size_t each = (dim + tiles - 1) / tiles;
    if (each > LINE_ELEMENTS) /* of whole lines, where they begin */
        each = (each + LINE_ELEMENTS - 1) / LINE_ELEMENTS * LINE_ELEMENTS;
    ct__parallel_ranges(q->threads, dim, each, copy_part, &c);
}
