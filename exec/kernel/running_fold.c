/* Up to LANES elements go straight into the result, and so do integers, whose order is nothing.
 * Else level 0 folds the elements of a block, level k + 1 the results of the blocks of level k; a
 * level holds what it has folded so far: of rows of elements that lie together its lanes, else one
 * element for each of the `inner` neighbours. */
#include "exec/kernel/running_fold.h"
#include "exec/kernel/arrays.h"

#include <string.h>

enum { MOST_LEVELS = 11 }; /* 64^11 > SIZE_MAX */

typedef struct state {
    size_t count[MOST_LEVELS]; /* elements, or rows of `inner`, in the level's block */
    size_t done;               /* elements, or rows, of the results at hand */
    size_t column;             /* elements of a row that has begun */
    size_t result;             /* where those results are */
    unsigned char *part;       /* where the results of blocks go; NULL: into the next level */
} state;

typedef struct run {
    const ct__running_fold *f;
    state *state;
    unsigned char *y;
    size_t bytes, block, levels, width; /* width: elements that a level holds */
    bool is_loose, is_direct;           /* folds in any order; straight into the results */
} run;

bool ct__folds_in_any_order(ct__op op, ct_dtype dtype)
{
    switch (op) {
    case CT__OP_add:
    case CT__OP_multiply:
    case CT__OP_maximum:
    case CT__OP_minimum:
    case CT__OP_and:
    case CT__OP_or:
    case CT__OP_xor: return dtype == CT_BOOL || ct_dtype_is_integer(dtype);
    default: return false;
    }
}

bool ct__has_running_fold(ct__op op, ct_dtype dtype)
{
    return ((dtype == CT_F32 || dtype == CT_F64) && ct__has_fold(op)) ||
           ct__folds_in_any_order(op, dtype);
}

static run begin_run(const ct__running_fold *f, void *memory, void *y)
{
    run r = {.f = f, .state = memory, .y = y, .levels = 1};
    r.bytes = f->numerics->element_bytes(f->dtype);
    r.is_loose = ct__folds_in_any_order(f->op, f->dtype);
    r.is_direct = f->n <= CT__LANES || (r.is_loose && !(memory && r.state->part));
    r.block = f->inner == 1 ? CT__ROW_BLOCK : CT__COLUMN_BLOCK;
    r.width = f->inner == 1 ? CT__LANES : f->inner;
    for (size_t blocks = (f->n + r.block - 1) / r.block; blocks > 1; r.levels++)
        blocks = (blocks + r.block - 1) / r.block;
    return r;
}

static size_t round_up(size_t bytes)
{
    return (bytes + CT__ALIGN - 1) / CT__ALIGN * CT__ALIGN;
}

static unsigned char *level_at(const run *r, size_t k)
{
    return (unsigned char *)r->state + round_up(sizeof(state)) + k * round_up(r->width * r->bytes);
}

size_t ct__running_fold_bytes(const ct__running_fold *f)
{
    const run r = begin_run(f, NULL, NULL);
    return round_up(sizeof(state)) + r.levels * round_up(r.width * r.bytes);
}

void ct__running_fold_begin(const ct__running_fold *f, void *memory)
{
    (void)f;
    memset(memory, 0, sizeof(state));
}

/* ---- Arithmetic. */

/* y[i] = op(y[i], x[i]) */
static void into(const run *r, size_t n, void *y, const void *x)
{
    r->f->numerics->binary(r->f->op, r->f->dtype, n, y, y, 1, x, 1);
}

/* *y = op(*y, x[0 … n-1]), in sequence. */
static void into_one(const run *r, size_t n, void *y, const void *x)
{
    r->f->numerics->fold(r->f->op, r->f->dtype, n, y, x, 1);
}

/* y[l] = op(y[l], x[i + l] for i = 0, LANES, … below n) */
static void into_lanes(const run *r, size_t n, void *y, const void *x)
{
    if (r->f->dtype == CT_F32)
        ct__arrays_here()->fold_lanes_f32(r->f->op, n, y, x);
    else
        ct__arrays_here()->fold_lanes_f64(r->f->op, n, y, x);
}

/* y[j] = op(y[j], x[i, j] for i = 0 … n-1), n rows of `inner`, in sequence. */
static void into_row(const run *r, size_t n, unsigned char *y, const unsigned char *x)
{
    const size_t inner = r->f->inner;
    if (r->f->dtype == CT_F32 && n <= CT__LANES)
        ct__arrays_here()->fold_columns_f32(r->f->op, n, inner, (float *)(void *)y,
                                            (const float *)(const void *)x);
    else if (r->f->dtype == CT_F64 && n <= CT__LANES)
        ct__arrays_here()->fold_columns_f64(r->f->op, n, inner, (double *)(void *)y,
                                            (const double *)(const void *)x);
    else
        for (size_t i = 0; i < n; i++)
            into(r, inner, y, x + i * inner * r->bytes);
}

/* ---- Elements that lie together. */

/* Elements `at` … of a block into its lanes: of what folds in any order, the first one. */
static void add_elements(const run *r, size_t k, size_t n, const unsigned char *x)
{
    unsigned char *lane = level_at(r, k);
    size_t at = r->state->count[k];
    r->state->count[k] += n;
    if (r->is_loose) {
        const size_t first = at == 0;
        memcpy(lane, x, first * r->bytes);
        into_one(r, n - first, lane, x + first * r->bytes);
        return;
    }
    if (at < CT__LANES) {
        const size_t first = CT__LANES - at < n ? CT__LANES - at : n;
        memcpy(lane + at * r->bytes, x, first * r->bytes);
        at += first;
        n -= first;
        x += first * r->bytes;
    }
    if (at % CT__LANES > 0 && n > 0) {
        const size_t room = CT__LANES - at % CT__LANES, some = room < n ? room : n;
        into(r, some, lane + at % CT__LANES * r->bytes, x);
        n -= some;
        x += some * r->bytes;
    }
    const size_t whole = n / CT__LANES * CT__LANES;
    if (whole > 0)
        into_lanes(r, whole, lane, x);
    if (n > whole)
        into(r, n - whole, lane, x + whole * r->bytes);
}

/* The fold of a block, in its first lane. */
static const unsigned char *join_lanes(const run *r, size_t k)
{
    unsigned char *lane = level_at(r, k);
    if (r->is_loose)
        return lane;
    if (r->state->count[k] <= CT__LANES)
        into_one(r, r->state->count[k] - 1, lane, lane + r->bytes);
    for (size_t half = CT__LANES / 2; half > 0 && r->state->count[k] > CT__LANES; half /= 2)
        into(r, half, lane, lane + half * r->bytes);
    return lane;
}

/* ---- Rows of neighbours. */

static unsigned char *rows_at(const run *r, size_t k)
{
    return r->is_direct ? r->y + r->state->result * r->bytes : level_at(r, k);
}

/* Elements `column` … of the block's next row. */
static void add_to_row(const run *r, size_t k, size_t column, size_t n, const unsigned char *x)
{
    unsigned char *to = rows_at(r, k) + column * r->bytes;
    if (r->state->count[k] == 0 && !r->is_direct)
        memcpy(to, x, n * r->bytes);
    else
        into(r, n, to, x);
}

/* n <= LANES whole rows of a block. */
static void add_rows(const run *r, size_t n, const unsigned char *x)
{
    const size_t first = r->state->count[0] == 0 && !r->is_direct;
    if (first > 0)
        memcpy(rows_at(r, 0), x, r->f->inner * r->bytes);
    if (n > first)
        into_row(r, n - first, rows_at(r, 0), x + first * r->f->inner * r->bytes);
    r->state->count[0] += n;
}

/* ---- Blocks. */

/* What a level's block has come to. */
static const unsigned char *block_result(const run *r, size_t k)
{
    return r->f->inner == 1 ? join_lanes(r, k) : level_at(r, k);
}

static void add_result(const run *r, size_t k, const unsigned char *x)
{
    if (r->f->inner == 1) {
        add_elements(r, k, 1, x);
    } else {
        add_to_row(r, k, 0, r->f->inner, x);
        r->state->count[k]++;
    }
}

static void put_part(const run *r)
{
    const size_t bytes = r->f->inner * r->bytes;
    memcpy(r->state->part, block_result(r, 0), bytes);
    r->state->part += bytes;
    r->state->count[0] = 0;
}

/* The result of a level's block goes into the next level, and so on where that one is full. */
static void carry(const run *r, size_t k)
{
    for (; k + 1 < r->levels; k++) {
        add_result(r, k + 1, block_result(r, k));
        r->state->count[k] = 0;
        if (r->state->count[k + 1] < r->block)
            break;
    }
}

/* The elements of one result, or of a row of them, are there. */
static void finish(const run *r)
{
    const size_t top = r->levels - 1;
    unsigned char *y = r->y + r->state->result * r->bytes;
    for (size_t k = 0; k < top; k++)
        if (!r->is_direct && r->state->count[k] > 0)
            carry(r, k);
    if (!r->is_direct)
        into(r, r->f->inner, y, block_result(r, top));
    r->state->count[top] = 0;
    r->state->done = 0;
    r->state->result += r->f->inner;
}

/* Some elements are done: what is full is carried on. */
static void advance(const run *r, size_t n)
{
    const bool is_full = !r->is_direct && r->state->count[0] == r->block;
    r->state->done += n;
    if (r->state->part) {
        if (is_full)
            put_part(r);
        return;
    }
    if (is_full)
        carry(r, 0);
    if (r->state->done == r->f->n)
        finish(r);
}

static size_t smaller(size_t x, size_t y)
{
    return x < y ? x : y;
}

/* Elements of the block at hand. */
static size_t feed_elements(const run *r, size_t count, const unsigned char *x)
{
    const size_t left = r->f->n - r->state->done;
    const size_t room = r->is_direct ? left : r->block - r->state->count[0];
    const size_t n = smaller(smaller(count, left), room);
    if (r->is_direct)
        into_one(r, n, r->y + r->state->result * r->bytes, x);
    else
        add_elements(r, 0, n, x);
    advance(r, n);
    return n;
}

/* Whole rows of the block at hand, or what is there of the next one. */
static size_t feed_rows(const run *r, size_t count, const unsigned char *x)
{
    const size_t inner = r->f->inner;
    state *s = r->state;
    if (s->column > 0 || count < inner) {
        const size_t n = smaller(count, inner - s->column);
        add_to_row(r, 0, s->column, n, x);
        s->column += n;
        if (s->column < inner)
            return n;
        s->column = 0;
        s->count[0]++;
        advance(r, 1);
        return n;
    }
    const size_t left = r->f->n - s->done, room = r->is_direct ? left : r->block - s->count[0];
    const size_t rows = smaller(smaller(count / inner, left), smaller(room, CT__LANES));
    add_rows(r, rows, x);
    advance(r, rows);
    return rows * inner;
}

void ct__running_fold_feed(const ct__running_fold *f, void *memory, size_t count, const void *x_,
                           void *y)
{
    const run r = begin_run(f, memory, y);
    const unsigned char *x = x_;
    while (count > 0) {
        const size_t n = f->inner == 1 ? feed_elements(&r, count, x) : feed_rows(&r, count, x);
        count -= n;
        x += n * r.bytes;
    }
}

void ct__running_fold_block(const ct__running_fold *f, void *memory, const void *lanes, void *y)
{
    const run r = begin_run(f, memory, y);
    memcpy(level_at(&r, 0), lanes, CT__LANES * r.bytes);
    r.state->count[0] = r.block;
    advance(&r, r.block);
}

/* ---- Parts. */

static bool has_several_results(const ct__running_fold *f)
{
    return f->outer > 1;
}

static size_t blocks_of(const run *r)
{
    return (r->f->n + r->block - 1) / r->block;
}

size_t ct__running_fold_unit(const ct__running_fold *f)
{
    const run r = begin_run(f, NULL, NULL);
    if (has_several_results(f))
        return f->n * f->inner;
    return blocks_of(&r) > 1 ? r.block * f->inner : 0;
}

size_t ct__running_fold_kept_bytes(const ct__running_fold *f)
{
    const run r = begin_run(f, NULL, NULL);
    return has_several_results(f) ? 0 : round_up(blocks_of(&r) * f->inner * r.bytes);
}

void ct__running_fold_begin_part(const ct__running_fold *f, void *memory, size_t first, void *kept)
{
    const run r = begin_run(f, NULL, NULL);
    state *s = memory;
    ct__running_fold_begin(f, memory);
    if (has_several_results(f))
        s->result = first / f->n;
    else
        s->part = (unsigned char *)kept + first / r.block * r.bytes;
}

void ct__running_fold_end_part(const ct__running_fold *f, void *memory)
{
    const run r = begin_run(f, memory, NULL);
    if (r.state->part && r.state->count[0] > 0)
        put_part(&r);
}

void ct__running_fold_join(const ct__running_fold *f, void *memory, const void *kept, void *y)
{
    ct__running_fold_begin(f, memory);
    const run r = begin_run(f, memory, y);
    const size_t bytes = f->inner * r.bytes;
    if (has_several_results(f))
        return;
    for (size_t i = 0; i < blocks_of(&r); i++) {
        const unsigned char *x = (const unsigned char *)kept + i * bytes;
        if (r.is_loose)
            into(&r, f->inner, y, x);
        else
            add_result(&r, 1, x);
        if (!r.is_loose && r.state->count[1] == r.block)
            carry(&r, 1);
    }
    if (!r.is_loose)
        finish(&r);
}
