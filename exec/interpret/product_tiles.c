/* Products of matrices in tiles of results, which threads share. A tile is no single row or column
 * unless the product is: the order of a sum is the product's. */
#include "exec/interpret/dot.h"

/* A product of less than FEWEST multiply-adds is one tile, and a tile has about as many at least;
 * no more than MOST of them. */
enum { FEWEST = 1 << 21, MOST_TILES = 32, LEAST_EXTENT = 128 };

typedef struct grid {
    size_t batch, rows, columns; /* tiles */
} grid;

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

static size_t part(size_t extent, size_t tile, size_t tiles)
{
    return extent * tile / tiles;
}

/* The larger extent is cut first. */
static grid grid_of(const ct__product *p)
{
    const double work = (double)p->batch * (double)p->m * (double)p->n * (double)p->k;
    const size_t wanted = (size_t)(work / FEWEST < MOST_TILES ? work / FEWEST : MOST_TILES);
    grid g = {least(wanted > 0 ? wanted : 1, p->batch > 0 ? p->batch : 1), 1, 1};

    while (g.batch * g.rows * g.columns * 2 <= wanted) {
        const size_t m = p->m / g.rows, n = p->n / g.columns;
        if (m < 2 * LEAST_EXTENT && n < 2 * LEAST_EXTENT)
            break;
        *(m >= n ? &g.rows : &g.columns) *= 2;
    }
    return g;
}

/* The largest tile. */
static ct__product tile_of(const ct__product *p, grid g)
{
    ct__product tile = *p;

    tile.batch = (p->batch + g.batch - 1) / g.batch;
    tile.m = (p->m + g.rows - 1) / g.rows;
    tile.n = (p->n + g.columns - 1) / g.columns;
    return tile;
}

static size_t room_of(const ct__product *p, grid g, size_t element_bytes)
{
    const ct__product tile = tile_of(p, g);
    const size_t bytes = ct__product_room(&tile, element_bytes);

    return (bytes + CT__ALIGN - 1) / CT__ALIGN * CT__ALIGN;
}

size_t ct__multiply_room(const ct__product *p, size_t element_bytes, const ct__threads *threads)
{
    const grid one = {1, 1, 1};

    if (ct__threads_count(threads) < 2)
        return room_of(p, one, element_bytes);
    return room_of(p, grid_of(p), element_bytes) * ct__threads_count(threads);
}

typedef struct work {
    const ct__numerics *numerics;
    ct_dtype dtype;
    size_t bytes; /* of an element */
    const ct__product *p;
    grid grid;
    unsigned char *c, *room;
    const void *a, *b;
    size_t room_bytes; /* of a thread */
} work;

static void multiply_tile(void *user, size_t index, size_t worker)
{
    const work *w = user;
    const ct__product *p = w->p;
    const grid g = w->grid;
    const size_t row = index / g.columns % g.rows, column = index % g.columns;
    const size_t batch = index / g.columns / g.rows;
    const size_t k = part(p->batch, batch, g.batch), i = part(p->m, row, g.rows);
    const size_t j = part(p->n, column, g.columns);
    ct__product tile = *p;

    tile.batch = part(p->batch, batch + 1, g.batch) - k;
    tile.m = part(p->m, row + 1, g.rows) - i;
    tile.n = part(p->n, column + 1, g.columns) - j;
    const int64_t x = (int64_t)k, y = (int64_t)i, z = (int64_t)j;
    w->numerics->product(
        w->dtype, &tile, ct__at(w->c, w->bytes, x * p->c.batch + y * p->c.row + z * p->c.column),
        ct__at(w->a, w->bytes, x * p->a.batch + y * p->a.row),
        ct__at(w->b, w->bytes, x * p->b.batch + z * p->b.column), w->room + worker * w->room_bytes);
}

void ct__multiply(const ct__eval *q, ct_dtype dtype, const ct__product *p, void *c, const void *a,
                  const void *b, void *room)
{
    const grid one = {1, 1, 1};
    work w = {.numerics = q->numerics,
              .dtype = dtype,
              .bytes = q->numerics->element_bytes(dtype),
              .p = p,
              .grid = ct__threads_count(q->threads) < 2 ? one : grid_of(p),
              .c = c,
              .room = room,
              .a = a,
              .b = b};

    w.room_bytes = room_of(p, w.grid, w.bytes);
    ct__parallel(q->threads, w.grid.batch * w.grid.rows * w.grid.columns, multiply_tile, &w);
}
