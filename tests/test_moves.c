/* Loops that move elements, in every instruction set; gathers and scatters of more index vectors
 * than are looked at together. */
#include "exec/kernel/moves.h"
#include "ops/ops.h"
#include "tests/values.h"

#include <cotangent/cotangent.h>

#include <stdlib.h>
#include <string.h>

static size_t list_sets(const ct__moves **set)
{
    size_t n = 0;
    set[n++] = &ct__moves_base;
#ifdef __x86_64__
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        set[n++] = &ct__moves_avx2;
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq"))
        set[n++] = &ct__moves_avx512;
#endif
    return n;
}

/* ---- Places. */

enum { PLACES = 77 };

static int64_t place(ct_dtype dtype, const void *element, int64_t last, int64_t step, bool skips,
                     int64_t before)
{
    if (!skips)
        return before + step * ct__clamp_index(dtype, element, last);
    if (before < 0 || !ct__index_in_range(dtype, element, last))
        return CT__NOWHERE;
    return before + step * ct__clamp_index(dtype, element, last);
}

static void check_places(const ct__moves *set, ct_dtype dtype, int64_t last, int64_t step,
                         int64_t index_step, bool skips)
{
    const size_t bytes = ct_dtype_bytes(dtype);
    unsigned char index[2 * PLACES * 8];
    int64_t at[PLACES];
    for (size_t i = 0; i < sizeof index; i++)
        index[i] = (unsigned char)(i * i * 31 + (i >> 3) * 7 +
                                   (bytes > 1 && i % bytes > 0 ? 0 : i));
    for (size_t i = 0; i < 2 * PLACES; i += 3) { /* small ones, too */
        memset(index + i * bytes, 0, bytes);
        index[i * bytes] = (unsigned char)(i % 9);
    }
    if (ct__dtype_bits(dtype) < 8)
        for (size_t i = 0; i < sizeof index; i++)
            index[i] = (unsigned char)(ct_dtype_is_signed(dtype) && i % 3 == 0 ? 255 : i % 4);
    for (int64_t i = 0; i < PLACES; i++)
        at[i] = skips && i % 10 == 9 ? CT__NOWHERE : 100 * i;
    set->find_places(dtype, PLACES, at, index, index_step, last, step, skips);
    for (int64_t i = 0; i < PLACES; i++) {
        const int64_t before = skips && i % 10 == 9 ? CT__NOWHERE : 100 * i;
        CHECK_MSG(at[i] == place(dtype, index + (size_t)(i * index_step) * bytes, last, step, skips,
                                 before),
                  "%s, %s: last %d, step %d, index %d", set->name, ct_dtype_name(dtype), (int)last,
                  (int)step, (int)i);
    }
}

TEST(places_for_every_index_dtype)
{
    static const ct_dtype dtypes[] = {CT_I2, CT_I4, CT_I8, CT_I16, CT_I32, CT_I64,
                                      CT_U2, CT_U4, CT_U8, CT_U16, CT_U32, CT_U64};
    static const int64_t lasts[] = {0, 3, 200, 40000, INT32_MAX, INT64_C(1) << 40};
    const ct__moves *set[3];
    const size_t sets = list_sets(set);
    for (size_t s = 0; s < sets; s++)
        for (size_t t = 0; t < sizeof dtypes / sizeof *dtypes; t++)
            for (size_t k = 0; k < sizeof lasts / sizeof *lasts; k++)
                for (int64_t step = 0; step < 8; step += 7)
                    for (int64_t index_step = 1; index_step < 3; index_step++) {
                        check_places(set[s], dtypes[t], lasts[k], step, index_step, false);
                        check_places(set[s], dtypes[t], lasts[k], step, index_step, true);
                    }
}

/* ---- Rows. */

enum { ROWS = 1200, SOURCE = 300 };

/* y[i] = x[at[i]], of elements or of rows, aligned or not. */
static void check_gather(const ct__moves *set, size_t bytes, size_t offset, bool streams)
{
    static _Alignas(64) unsigned char x[SOURCE * 512], y[ROWS * 512 + 64];
    int64_t at[ROWS];
    for (size_t i = 0; i < sizeof x; i++)
        x[i] = (unsigned char)(i * 7 + (i >> 8));
    for (size_t i = 0; i < ROWS; i++)
        at[i] = (int64_t)(i * 37 % SOURCE);
    memset(y, 1, sizeof y);
    if (bytes == 4)
        set->gather_4(ROWS, y + offset, x, at, streams);
    else if (bytes == 8)
        set->gather_8(ROWS, y + offset, x, at, streams);
    else
        set->gather_rows(ROWS, bytes, y + offset, (int64_t)bytes, x, bytes, at, streams);
    for (size_t i = 0; i < ROWS; i++)
        CHECK_MSG(memcmp(y + offset + i * bytes, x + (size_t)at[i] * bytes, bytes) == 0,
                  "%s: row %zu of %zu bytes", set->name, i, bytes);
    CHECK(y[offset + ROWS * bytes] == 1 && (offset == 0 || y[offset - 1] == 1));
}

TEST(rows_are_copied)
{
    static const size_t sizes[] = {1, 2, 4, 8, 16, 24, 64, 100, 256, 512};
    const ct__moves *set[3];
    const size_t sets = list_sets(set);
    for (size_t s = 0; s < sets; s++)
        for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
            for (size_t way = 0; way < 4; way++)
                check_gather(set[s], sizes[k], way & 1 ? 8 : 0, way >> 1);
}

/* In order: powers of 2 that no other order sums to the same. */
TEST(rows_are_added_in_order)
{
    static const size_t widths[] = {1, 2, 5, 16, 33};
    const ct__moves *set[3];
    const size_t sets = list_sets(set);
    for (size_t s = 0; s < sets; s++)
        for (size_t k = 0; k < sizeof widths / sizeof *widths; k++) {
            const size_t width = widths[k];
            float x[6 * 40], y[3 * 33] = {0};
            double wide_x[6 * 40], wide_y[3 * 33] = {0};
            const int64_t at[6] = {0, (int64_t)width, CT__NOWHERE, 0, (int64_t)width, 0};
            static const double term[6] = {0x1p60, 1, 5, 1, 0x1p60, -0x1p60};
            for (size_t i = 0; i < 6; i++)
                for (size_t j = 0; j < 40; j++)
                    x[i * 40 + j] = (float)(wide_x[i * 40 + j] = term[i]);
            set[s]->add_rows_f32(6, width, y, at, x, 40);
            set[s]->add_rows_f64(6, width, wide_y, at, wide_x, 40);
            for (size_t j = 0; j < 3 * width; j++) {
                const double want = j < width ? 0 : j < 2 * width ? 0x1p60 : 0;
                CHECK_MSG((double)y[j] == want && wide_y[j] == want, "%s: %zu of %zu", set[s]->name,
                          j, width);
            }
        }
}

/* ---- By adjacent indices of 32 bits. */

enum { INDICES = 1100, REACH = 40 };

static void make_indices(int32_t *index, bool inside)
{
    static const int32_t outside[] = {-1, REACH + 1, INT32_MIN, INT32_MAX, -7};
    for (int32_t i = 0; i < INDICES; i++)
        index[i] = !inside && i % 9 == 8 ? outside[i / 9 % 5] : i * 7 % (REACH + 1);
}

static void check_gather_indexed(const ct__moves *set, uint32_t step, size_t offset, bool streams)
{
    static _Alignas(64) uint32_t x[3 * REACH + 1], y[INDICES + 16];
    static _Alignas(64) uint64_t wide_x[3 * REACH + 1], wide_y[INDICES + 16];
    int32_t index[INDICES];
    make_indices(index, false);
    for (uint32_t i = 0; i <= 3 * REACH; i++)
        wide_x[i] = x[i] = 1000 + i;
    memset(y, 1, sizeof y);
    memset(wide_y, 1, sizeof wide_y);
    const uint32_t before = y[0];
    const uint64_t wide_before = wide_y[0];
    set->gather_indexed_4(INDICES, y + offset, x, index, REACH, step, streams);
    set->gather_indexed_8(INDICES, wide_y + offset, wide_x, index, REACH, step, streams);
    for (size_t i = 0; i < INDICES; i++) {
        const int32_t v = index[i] < 0 ? 0 : index[i] > REACH ? REACH : index[i];
        CHECK(y[offset + i] == 1000 + (uint32_t)v * step);
        CHECK(wide_y[offset + i] == 1000 + (uint64_t)v * step);
    }
    CHECK(y[offset + INDICES] == before && wide_y[offset + INDICES] == wide_before);
}

/* Whole numbers, so that the order does not matter, but for one element of powers of 2. */
static void check_add_indexed(const ct__moves *set, uint32_t step, bool inside)
{
    float y[3 * REACH + 1] = {0}, x[INDICES], want[3 * REACH + 1] = {0};
    double wide_y[3 * REACH + 1] = {0}, wide_x[INDICES];
    int32_t index[INDICES];
    make_indices(index, inside);
    for (size_t i = 0; i < INDICES; i++) {
        x[i] = i == 41 ? 0x1p60f : i == 1066 ? -0x1p60f : (float)(i % 13);
        wide_x[i] = (double)x[i];
        if (index[i] >= 0 && index[i] <= REACH)
            want[(uint32_t)index[i] * step] += x[i];
    }
    set->add_indexed_f32(INDICES, y, index, REACH, step, x);
    set->add_indexed_f64(INDICES, wide_y, index, REACH, step, wide_x);
    for (size_t i = 0; i <= 3 * REACH; i++)
        CHECK_MSG(y[i] == want[i] && (i % 41 == 0 || wide_y[i] == (double)want[i]), "%s: %zu",
                  set->name, i);
}

TEST(elements_by_indices)
{
    const ct__moves *set[3];
    const size_t sets = list_sets(set);
    for (size_t s = 0; s < sets; s++)
        for (uint32_t step = 1; step <= 3; step += 2) {
            for (size_t way = 0; way < 4; way++)
                check_gather_indexed(set[s], step, way & 1, way >> 1);
            check_add_indexed(set[s], step, false);
            check_add_indexed(set[s], step, true);
        }
}

/* ---- Planes: to[i][j] = from[j][i]. */

enum { ROOM = 1 << 16 };

static void check_plane(const ct__moves *set, const ct__plane *p, size_t offset, bool streams)
{
    static _Alignas(64) unsigned char x[ROOM], y[ROOM];
    const int64_t bytes = (int64_t)p->bytes;
    const unsigned char *from = p->from_column < 0 ? x + ROOM / 2 : x + offset;
    for (size_t i = 0; i < ROOM; i++)
        x[i] = (unsigned char)(i * 7 + (i >> 8) * 3);
    memset(y, 1, sizeof y);
    set->transpose(p, y + offset, from, offset ? x : NULL, streams);
    for (int64_t i = 0; i < p->rows; i++)
        for (int64_t j = 0; j < p->columns; j++) {
            unsigned char *to = y + offset + i * p->to_row + j * bytes;
            CHECK_MSG(memcmp(to, from + i * bytes + j * p->from_column, p->bytes) == 0,
                      "%s: [%d,%d] of [%d,%d] of %zu bytes at %zu", set->name, (int)i, (int)j,
                      (int)p->rows, (int)p->columns, p->bytes, offset);
            memset(to, 1, p->bytes);
        }
    for (size_t i = 0; i < ROOM; i++)
        CHECK(y[i] == 1);
}

TEST(planes_are_transposed)
{
    static const int64_t extents[][2] = {{1, 1}, {16, 16}, {17, 40}, {40, 17}, {5, 70}, {33, 31}};
    static const size_t sizes[] = {1, 2, 4, 8, 16, 12};
    const ct__moves *set[3];
    const size_t sets = list_sets(set);
    for (size_t s = 0; s < sets; s++)
        for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
            for (size_t e = 0; e < sizeof extents / sizeof *extents; e++)
                for (size_t way = 0; way < 12; way++) {
                    const int64_t rows = extents[e][0], columns = extents[e][1];
                    const int64_t bytes = (int64_t)sizes[k], gap = way & 1 ? 3 : 0;
                    ct__plane p = {rows, columns, sizes[k], (columns + gap) * bytes,
                                   (rows + gap) * bytes};
                    if (way & 1) /* whole lines */
                        p.to_row = (p.to_row + 63) / 64 * 64;
                    if (way >= 8)
                        p.from_column = -p.from_column;
                    check_plane(set[s], &p, way & 2 ? sizes[k] : 0, way & 4);
                }
}

/* ---- Many index vectors. */

enum { MANY = 1300, TABLE = 11, WIDTH = 6 };

static ct_tensor *taken(ct_tensor *x, ct_tensor *i)
{
    return ct_take(x, i, 0, CT_CLAMP);
}

static ct_tensor *taken_inside(ct_tensor *x, ct_tensor *i)
{
    return ct_take(ct_transpose(x, CT_AXES(1, 0)), i, 1, CT_CLAMP);
}

static ct_tensor *taken_along(ct_tensor *x, ct_tensor *i)
{
    return ct_take_along_axis(ct_transpose(x, CT_AXES(1, 0)),
                              ct_reshape(i, CT_SHAPE(1, ct_size(i))), 1, CT_CLAMP);
}

static int64_t wanted_row(int64_t i)
{
    const int64_t index = i * 5 % 17 - 3;
    return index < 0 ? 0 : index >= TABLE ? TABLE - 1 : index;
}

static ct_tensor *run(ct_function *f, ct_executor executor, ct_list arguments)
{
    const ct_compile_options options = {.size = sizeof options, .executor = executor};
    return ct_call1(ct_compile(f, &options), arguments);
}

/* Values, and what the reverse derivative adds up of cotangents 1, 2, 3, …. */
static void check_taken(ct_context *ctx, ct_tensor *code(ct_tensor *, ct_tensor *), bool by_rows,
                        ct_dtype dtype, ct_executor executor)
{
    double table[TABLE * WIDTH], index[MANY], sum[TABLE * WIDTH] = {0};
    for (int64_t i = 0; i < TABLE * WIDTH; i++)
        table[i] = (double)(10 * (i / WIDTH) + i % WIDTH);
    for (int64_t i = 0; i < MANY; i++)
        index[i] = (double)(i * 5 % 17 - 3);
    ct_tensor *x = ct_from_doubles(ctx, dtype, CT_SHAPE(TABLE, WIDTH), table);
    ct_tensor *i = ct_from_doubles(ctx, CT_I32, CT_SHAPE(MANY), index);
    ct_function *f = ct_trace(ctx, code, CT_LIKE(x, i));
    ct_tensor *y = run(f, executor, CT_ARGV(x, i));
    ct_tensor *ybar = ct_cast(ct_op_iota(ctx, CT_I32, ct_shape_of(y), by_rows ? 0 : 1), dtype);
    ct_tensor *xbar = run(ct_vjp(f, CT_ARGS(0)), executor, CT_ARGV(x, i, ybar));
    CHECK_OK(ctx);
    for (int64_t k = 0; k < MANY; k++)
        for (int64_t j = 0; j < WIDTH; j++) {
            const double v = by_rows ? ct_at(y, k, j) : ct_at(y, j, k);
            CHECK(v == (double)(10 * wanted_row(k) + j));
            sum[wanted_row(k) * WIDTH + j] += (double)k;
        }
    for (int64_t k = 0; k < TABLE; k++)
        for (int64_t j = 0; j < WIDTH; j++)
            CHECK(ct_at(xbar, k, j) == sum[k * WIDTH + j]);
}

TEST(many_index_vectors)
{
    static const ct_executor executors[] = {CT_EXECUTOR_INTERPRETER, CT_EXECUTOR_MACHINE,
                                            CT_EXECUTOR_CPU};
    static const ct_dtype dtypes[] = {CT_F32, CT_F64, CT_C64};
    ct_context *ctx = ct_context_new();
    for (size_t e = 0; e < sizeof executors / sizeof *executors; e++)
        for (size_t t = 0; t < sizeof dtypes / sizeof *dtypes; t++) {
            ct_scope scope = ct_scope_begin(ctx);
            check_taken(ctx, taken, true, dtypes[t], executors[e]);
            check_taken(ctx, taken_inside, false, dtypes[t], executors[e]);
            check_taken(ctx, taken_along, false, dtypes[t], executors[e]);
            ct_scope_end(scope);
        }
    ct_context_free(ctx);
}
