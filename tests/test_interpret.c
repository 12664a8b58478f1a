/* Meanings, run through compiled plans. Every program also runs directly, on views and one
 * operation at a time, and must give the same bits; data movement is compared with StableHLO's
 * formulas, written out per element. */
#include "tests/values.h"

#include <cotangent/exec.h>
#include <cotangent/op.h>

#include <math.h>
#include <string.h>

enum { RESULTS = 4 };

typedef struct program {
    ct_many_function *body;
    void *user;
    size_t n_results;
} program;

/* The results of the compiled program; checks that computing directly gives the same. */
static void run_both(ct_context *ctx, program p, ct_list arguments, ct_tensor **result)
{
    ct_tensor *direct[RESULTS] = {NULL};

    p.body(p.user, arguments, direct);
    ct_function *f = ct_trace_many(ctx, p.body, p.user, p.n_results, arguments);
    ct_executable *e = ct_compile(f, NULL);
    ct_call(e, arguments, result, p.n_results);
    CHECK_OK(ctx);
    for (size_t i = 0; i < p.n_results; i++)
        CHECK_BITS(result[i], direct[i]);
}

static ct_tensor *run1(ct_context *ctx, ct_many_function *body, void *user, ct_list arguments)
{
    ct_tensor *result = NULL;

    run_both(ctx, (program){body, user, 1}, arguments, &result);
    return result;
}

/* ---- Moving data: x is coded, so the expected element is known from the coordinates it came from.
 */

typedef struct axes {
    ct_dims shape, dims, low, high, interior, start, limit, stride;
    int64_t axis;
} axes;

static void broadcast(void *user, ct_list p, ct_tensor **r)
{
    const axes *a = user;
    r[0] = ct_op_broadcast_in_dim(p.item[0], a->shape, a->dims);
}

static void transpose(void *user, ct_list p, ct_tensor **r)
{
    const axes *a = user;
    r[0] = ct_op_transpose(p.item[0], a->dims);
}

static void reverse(void *user, ct_list p, ct_tensor **r)
{
    const axes *a = user;
    r[0] = ct_op_reverse(p.item[0], a->dims);
}

static void slice(void *user, ct_list p, ct_tensor **r)
{
    const axes *a = user;
    r[0] = ct_op_slice(p.item[0], a->start, a->limit, a->stride);
}

static void pad(void *user, ct_list p, ct_tensor **r)
{
    const axes *a = user;
    r[0] = ct_op_pad(p.item[0], p.item[1], a->low, a->high, a->interior);
}

static void concatenate(void *user, ct_list p, ct_tensor **r)
{
    const axes *a = user;
    r[0] = ct_op_concatenate(p, a->axis);
}

static void reshape(void *user, ct_list p, ct_tensor **r)
{
    const axes *a = user;
    r[0] = ct_op_reshape(p.item[0], a->shape);
}

TEST(broadcast_in_dim_by_hand)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *row = coded(ctx, CT_I32, 3), *column = coded(ctx, CT_F32, 2, 1);
    axes a = {.shape = CT_DIMS(2, 3), .dims = CT_DIMS(1)};

    CHECK_VALUES(run1(ctx, broadcast, &a, CT_ARGV(row)), CT_SHAPE(2, 3), {0, 1, 2, 0, 1, 2});
    a = (axes){.shape = CT_DIMS(3, 2), .dims = CT_DIMS(0)};
    CHECK_VALUES(run1(ctx, broadcast, &a, CT_ARGV(row)), CT_SHAPE(3, 2), {0, 0, 1, 1, 2, 2});
    a = (axes){.shape = CT_DIMS(2, 3), .dims = CT_DIMS(0, 1)};
    CHECK_VALUES(run1(ctx, broadcast, &a, CT_ARGV(column)), CT_SHAPE(2, 3), {0, 0, 0, 10, 10, 10});
    a = (axes){.shape = CT_DIMS(3, 2), .dims = CT_DIMS(1, 0)}; /* not sorted: also transposes */
    ct_tensor *x = coded(ctx, CT_I8, 2, 3);
    CHECK_VALUES(run1(ctx, broadcast, &a, CT_ARGV(x)), CT_SHAPE(3, 2), {0, 10, 1, 11, 2, 12});
    a = (axes){.shape = CT_DIMS(0, 3), .dims = CT_DIMS(1)};
    CHECK_EMPTY(run1(ctx, broadcast, &a, CT_ARGV(row)), CT_SHAPE(0, 3));
    ct_context_free(ctx);
}

/* Every dtype, so every size of element; 3-cycles, where a permutation and its inverse differ. */
TEST(transpose_of_every_dtype)
{
    ct_context *ctx = ct_context_new();

    for (int dtype = CT_BOOL; dtype < CT_DTYPE_COUNT; dtype++) {
        ct_dtype real = dtype >= CT_C64 ? CT_F32 : (ct_dtype)dtype;
        ct_tensor *x = ct_op_convert(coded(ctx, real, 2, 3, 4), (ct_dtype)dtype);
        axes a = {.dims = CT_DIMS(2, 0, 1)};
        ct_tensor *y = run1(ctx, transpose, &a, CT_ARGV(x));
        CHECK(ct_dim(y, 0) == 4 && ct_dim(y, 1) == 2 && ct_dim(y, 2) == 3);
        for (int64_t i = 0; i < 24; i++)
            CHECK(ct_at(y, i % 4, i / 12, i / 4 % 3) == ct_at(x, i / 12, i / 4 % 3, i % 4));
    }
    ct_context_free(ctx);
}

TEST(transpose_of_large_planes)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = coded(ctx, CT_F64, 67, 33), *z = coded(ctx, CT_I32, 5, 17, 19);
    axes a = {.dims = CT_DIMS(1, 0)}, b = {.dims = CT_DIMS(2, 1, 0)};
    ct_tensor *y = run1(ctx, transpose, &a, CT_ARGV(x));
    ct_tensor *w = run1(ctx, transpose, &b, CT_ARGV(ct_op_convert(z, CT_I8)));

    for (int64_t i = 0; i < 67; i++)
        for (int64_t j = 0; j < 33; j++)
            CHECK(ct_at(y, j, i) == (double)(100 * i + j));
    CHECK(ct_at_int(w, 18, 16, 4) == (int8_t)(4 * 10000 + 16 * 100 + 18));
    CHECK(ct_at_int(w, 3, 2, 1) == (int8_t)(10000 + 200 + 3));
    ct_context_free(ctx);
}

TEST(slice_and_reverse)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = coded(ctx, CT_U8, 4, 5);
    axes a = {.start = CT_DIMS(1, 0), .limit = CT_DIMS(4, 5), .stride = CT_DIMS(2, 3)};

    CHECK_VALUES(run1(ctx, slice, &a, CT_ARGV(x)), CT_SHAPE(2, 2), {10, 13, 30, 33});
    a = (axes){.start = CT_DIMS(3, 4), .limit = CT_DIMS(4, 5), .stride = CT_DIMS(INT64_MAX - 1, 1)};
    CHECK_VALUES(run1(ctx, slice, &a, CT_ARGV(x)), CT_SHAPE(1, 1), {34});
    a = (axes){.start = CT_DIMS(2, 1), .limit = CT_DIMS(2, 5), .stride = CT_DIMS(1, 1)};
    CHECK_EMPTY(run1(ctx, slice, &a, CT_ARGV(x)), CT_SHAPE(0, 4));
    a = (axes){.dims = CT_DIMS(1)};
    CHECK_VALUES(run1(ctx, reverse, &a, CT_ARGV(coded(ctx, CT_U16, 2, 3))), CT_SHAPE(2, 3),
                 {2, 1, 0, 12, 11, 10});
    a = (axes){.dims = CT_DIMS(0, 1)};
    CHECK_VALUES(run1(ctx, reverse, &a, CT_ARGV(coded(ctx, CT_C64, 2, 3))), CT_SHAPE(2, 3),
                 {12, 11, 10, 2, 1, 0});
    ct_context_free(ctx);
}

TEST(concatenate_with_empty_operands)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = coded(ctx, CT_I32, 2, 3), *empty = ct_zeros(ctx, CT_I32, CT_SHAPE(2, 0));
    axes a = {.axis = 1};

    CHECK_VALUES(run1(ctx, concatenate, &a, CT_ARGV(x, empty, coded(ctx, CT_I32, 2, 1), x)),
                 CT_SHAPE(2, 7), {0, 1, 2, 0, 0, 1, 2, 10, 11, 12, 10, 10, 11, 12});
    a.axis = 0;
    CHECK_VALUES(run1(ctx, concatenate, &a, CT_ARGV(x, coded(ctx, CT_I32, 1, 3))), CT_SHAPE(3, 3),
                 {0, 1, 2, 10, 11, 12, 0, 1, 2});
    a.axis = 1;
    CHECK_EMPTY(run1(ctx, concatenate, &a, CT_ARGV(empty, empty)), CT_SHAPE(2, 0));
    ct_context_free(ctx);
}

/* result[low + i (interior + 1)] = x[i] where inside, for every small combination. */
TEST(pad_in_one_axis_exhaustively)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *value = ct_scalar(ctx, CT_F32, -7);

    for (int64_t n = 0; n <= 3; n++)
        for (int64_t low = -4; low <= 3; low++)
            for (int64_t high = -4; high <= 3; high++)
                for (int64_t interior = 0; interior <= 2; interior++) {
                    int64_t size = low + high + n + (n > 0 ? (n - 1) * interior : 0);
                    if (size < 0)
                        continue;
                    ct_scope scope = ct_scope_begin(ctx);
                    axes a = {
                        .low = CT_DIMS(low), .high = CT_DIMS(high), .interior = CT_DIMS(interior)};
                    ct_tensor *y = run1(ctx, pad, &a, CT_ARGV(coded(ctx, CT_F32, n), value));
                    CHECK(ct_size(y) == size);
                    for (int64_t i = 0; i < size; i++) {
                        int64_t at = i - low, step = interior + 1;
                        bool is_x = at >= 0 && at % step == 0 && at / step < n;
                        CHECK(ct_at(y, i) == (is_x ? (double)(at / step) : -7));
                    }
                    ct_scope_end(scope);
                }
    ct_context_free(ctx);
}

TEST(pad_at_the_ends_of_int64)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *value = ct_scalar(ctx, CT_I8, 9);
    axes a = {.low = CT_DIMS(0, -1), .high = CT_DIMS(1, 3), .interior = CT_DIMS(INT64_MAX - 1, 1)};

    CHECK_VALUES(run1(ctx, pad, &a, CT_ARGV(coded(ctx, CT_I8, 1, 2), value)), CT_SHAPE(2, 5),
                 {9, 1, 9, 9, 9, 9, 9, 9, 9, 9});
    a = (axes){.low = CT_DIMS(-INT64_MAX), .high = CT_DIMS(INT64_MAX), .interior = CT_DIMS(0)};
    CHECK_VALUES(run1(ctx, pad, &a, CT_ARGV(coded(ctx, CT_I8, 2), value)), CT_SHAPE(2), {9, 9});
    ct_context_free(ctx);
}

static void iota(void *user, ct_list p, ct_tensor **r)
{
    const axes *a = user;
    r[0] = ct_op_iota(ct_context_of(p.item[0]), CT_F16, a->shape, a->axis);
}

TEST(iota_along_each_axis)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *unused = ct_scalar(ctx, CT_F32, 0);

    for (int64_t axis = 0; axis < 3; axis++) {
        axes a = {.shape = CT_DIMS(2, 3, 4), .axis = axis};
        ct_tensor *y = run1(ctx, iota, &a, CT_ARGV(unused));
        for (int64_t i = 0; i < 24; i++) {
            int64_t index[] = {i / 12, i / 4 % 3, i % 4};
            CHECK(ct_at(y, index[0], index[1], index[2]) == (double)index[axis]);
        }
    }
    axes a = {.shape = CT_DIMS(3, 0), .axis = 0};
    CHECK_EMPTY(run1(ctx, iota, &a, CT_ARGV(unused)), CT_SHAPE(3, 0));
    ct_context_free(ctx);
}

TEST(reshape_keeps_order)
{
    ct_context *ctx = ct_context_new();
    axes a = {.shape = CT_DIMS(3, 2)};

    CHECK_VALUES(run1(ctx, reshape, &a, CT_ARGV(coded(ctx, CT_F32, 2, 3))), CT_SHAPE(3, 2),
                 {0, 1, 2, 10, 11, 12});
    ct_context_free(ctx);
}

/* ---- Choosing. */

static void choose(void *user, ct_list p, ct_tensor **r)
{
    (void)user;
    r[0] = ct_op_select(p.item[0], p.item[1], p.item[2]);
}

TEST(select_of_every_dtype_copies_bits)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *pred = given(ctx, CT_BOOL, CT_SHAPE(3), {1, 0, 1});

    for (int dtype = CT_BOOL; dtype < CT_DTYPE_COUNT; dtype++) {
        ct_tensor *x = given(ctx, (ct_dtype)dtype, CT_SHAPE(3), {0, 0, 1});
        ct_tensor *y = given(ctx, (ct_dtype)dtype, CT_SHAPE(3), {1, 1, 0});
        CHECK_VALUES(run1(ctx, choose, NULL, CT_ARGV(pred, x, y)), CT_SHAPE(3), {0, 1, 1});
        CHECK_BITS(run1(ctx, choose, NULL, CT_ARGV(ct_scalar(ctx, CT_BOOL, 0), x, y)), y);
        CHECK_BITS(run1(ctx, choose, NULL, CT_ARGV(ct_scalar(ctx, CT_BOOL, 1), x, y)), x);
    }
    const uint32_t payload[] = {0xffc12345, 0x7fa00001};
    ct_tensor *nan = ct_from_data(ctx, CT_F32, CT_SHAPE(2), payload);
    ct_tensor *kept = run1(ctx, choose, NULL,
                           CT_ARGV(given(ctx, CT_BOOL, CT_SHAPE(2), {1, 0}), nan, nan));
    CHECK(memcmp(ct_data(kept), payload, sizeof payload) == 0);
    ct_context_free(ctx);
}

static void clamp(void *user, ct_list p, ct_tensor **r)
{
    (void)user;
    r[0] = ct_op_clamp(p.item[0], p.item[1], p.item[2]);
}

TEST(clamp_is_min_of_max)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = given(ctx, CT_F32, CT_SHAPE(5), {-3, -1, 0, 2, NAN});
    ct_tensor *lo = ct_scalar(ctx, CT_F32, -1), *hi = ct_scalar(ctx, CT_F32, 1);
    ct_tensor *los = given(ctx, CT_F32, CT_SHAPE(5), {-9, 0, NAN, 5, 0});

    CHECK_VALUES(run1(ctx, clamp, NULL, CT_ARGV(lo, x, hi)), CT_SHAPE(5), {-1, -1, 0, 1, NAN});
    CHECK_VALUES(run1(ctx, clamp, NULL, CT_ARGV(hi, x, lo)), CT_SHAPE(5), {-1, -1, -1, -1, NAN});
    CHECK_VALUES(run1(ctx, clamp, NULL, CT_ARGV(los, x, hi)), CT_SHAPE(5), {-3, 0, NAN, 1, NAN});
    ct_tensor *scalar = ct_scalar(ctx, CT_F32, 7);
    CHECK_VALUES(run1(ctx, clamp, NULL, CT_ARGV(lo, scalar, hi)), CT_SHAPE(), {1});
    CHECK_EMPTY(run1(ctx, clamp, NULL, CT_ARGV(lo, ct_zeros(ctx, CT_F32, CT_SHAPE(0)), hi)),
                CT_SHAPE(0));
    ct_context_free(ctx);
}

/* ---- Dynamic slices: the clamp of every index dtype. */

typedef struct window {
    ct_dims sizes;
    bool strict;
} window;

static void dynamic_slice(void *user, ct_list p, ct_tensor **r)
{
    const window *w = user;
    r[0] = ct_op_dynamic_slice(p.item[0], (ct_list){p.count - 1, p.item + 1}, w->sizes, w->strict);
}

static void update_slice(void *user, ct_list p, ct_tensor **r)
{
    const window *w = user;
    r[0] = ct_op_dynamic_update_slice(p.item[0], p.item[1], (ct_list){p.count - 2, p.item + 2},
                                      w->strict);
}

static int64_t clamped(int64_t i, int64_t last)
{
    return i < 0 ? 0 : i > last ? last : i;
}

TEST(dynamic_slices_clamp_for_every_index_dtype)
{
    ct_context *ctx = ct_context_new();
    static const ct_dtype dtypes[] = {CT_I8, CT_I16, CT_I32, CT_I64, CT_U8, CT_U16, CT_U32, CT_U64};
    window w = {.sizes = CT_DIMS(2, 3)};

    for (int t = 0; t < 8; t++)
        for (int64_t i = t < 4 ? -2 : 0; i <= 5; i++)
            for (int64_t j = t < 4 ? -1 : 0; j <= 6; j += 2) {
                ct_scope scope = ct_scope_begin(ctx);
                ct_tensor *x = coded(ctx, CT_F32, 4, 5),
                          *update = ct_full(ctx, CT_F32, CT_SHAPE(2, 3), -1);
                ct_tensor *a = ct_scalar(ctx, dtypes[t], (double)i);
                ct_tensor *b = ct_scalar(ctx, dtypes[t], (double)j);
                int64_t row = clamped(i, 2), column = clamped(j, 2);
                ct_tensor *y = run1(ctx, dynamic_slice, &w, CT_ARGV(x, a, b));
                ct_tensor *z = run1(ctx, update_slice, &w, CT_ARGV(x, update, a, b));
                for (int64_t r = 0; r < 4; r++)
                    for (int64_t c = 0; c < 5; c++) {
                        bool inside = r >= row && r < row + 2 && c >= column && c < column + 3;
                        double v = (double)(10 * r + c);
                        CHECK(ct_at(z, r, c) == (inside ? -1 : v));
                        if (inside)
                            CHECK(ct_at(y, r - row, c - column) == v);
                    }
                ct_scope_end(scope);
            }
    const uint64_t huge = UINT64_MAX;
    ct_tensor *x = coded(ctx, CT_I32, 4), *at = ct_from_data(ctx, CT_U64, CT_SHAPE(), &huge);
    w.sizes = CT_DIMS(3);
    CHECK_VALUES(run1(ctx, dynamic_slice, &w, CT_ARGV(x, at)), CT_SHAPE(3), {1, 2, 3});
    ct_context_free(ctx);
}

static void check_fails_both(ct_context *ctx, ct_many_function *body, void *user, ct_list arguments,
                             const char *message)
{
    ct_tensor *result = NULL;

    body(user, arguments, &result);
    CHECK_ERROR(ctx, CT_ERR_INDEX, message);
    CHECK(ct_is_poison(result));
    ct_executable *e = ct_compile(ct_trace_many(ctx, body, user, 1, arguments), NULL);
    CHECK_OK(ctx);
    result = ct_call1(e, arguments);
    CHECK_ERROR(ctx, CT_ERR_INDEX, message);
    CHECK(ct_is_poison(result));
}

TEST(strict_dynamic_slices)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = coded(ctx, CT_F32, 4, 5);
    ct_tensor *one = ct_scalar(ctx, CT_I32, 1), *minus = ct_scalar(ctx, CT_I32, -1);
    ct_tensor *three = ct_scalar(ctx, CT_I32, 3);
    window w = {.sizes = CT_DIMS(2, 2), .strict = true};

    check_fails_both(ctx, dynamic_slice, &w, CT_ARGV(x, three, minus),
                     "dynamic_slice: 2 of 2 indices are out of range: position [0] is 3 (range "
                     "[0, 2]), position [1] is -1 (range [0, 3])");
    check_fails_both(ctx, update_slice, &w,
                     CT_ARGV(x, ct_zeros(ctx, CT_F32, CT_SHAPE(4, 5)), one, minus),
                     "dynamic_update_slice: 2 of 2 indices are out of range [0, 0]");
    CHECK_VALUES(run1(ctx, dynamic_slice, &w, CT_ARGV(x, one, three)), CT_SHAPE(2, 2),
                 {13, 14, 23, 24});
    ct_context_free(ctx);
}

/* ---- Gather and scatter against StableHLO's text, per element, on random dimension numbers. */

typedef struct numbers { /* dimension numbers, for both */
    int64_t window[8], collapsed[8], batching[8], index_batching[8], map[8], sizes[8];
    size_t n_window, n_collapsed, n_batching, n_map;
    int64_t index_vector_dim;
    int64_t x_dim[8], index_dim[8], y_dim[8];
    size_t x_rank, index_rank, y_rank;
    bool strict;
} numbers;

static uint64_t random_state = 12345;

static int64_t pick(int64_t below)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (int64_t)(random_state >> 33) % below;
}

/* Axes of x: window, collapsed or batching; a map over some of the first two; indices with their
 * vector axis anywhere, batching axes anywhere among the others; windows anywhere in the result. */
static void pick_numbers(numbers *d)
{
    int64_t position_dim[8];
    size_t n_positions, w = 0, p = 0;

    memset(d, 0, sizeof *d);
    d->x_rank = 1 + (size_t)pick(3);
    for (size_t i = 0; i < d->x_rank; i++) {
        int64_t kind = pick(5);
        d->x_dim[i] = 1 + pick(4);
        d->sizes[i] = 1;
        if (kind == 0 && d->n_batching < 2)
            d->batching[d->n_batching++] = (int64_t)i;
        else if (kind == 1)
            d->collapsed[d->n_collapsed++] = (int64_t)i;
        else
            d->sizes[i] = pick(d->x_dim[i] + 1);
        if (kind != 0 && pick(4) > 0)
            d->map[d->n_map++] = (int64_t)i;
    }
    for (size_t i = d->n_map; i > 1; i--) { /* in any order */
        size_t j = (size_t)pick((int64_t)i);
        int64_t t = d->map[i - 1];
        d->map[i - 1] = d->map[j];
        d->map[j] = t;
    }
    n_positions = d->n_batching + (size_t)pick(3);
    for (size_t i = 0; i < n_positions; i++)
        position_dim[i] = pick(4);
    for (size_t i = 0; i < d->n_batching; i++) { /* at positions n - 1, n - 2, … */
        d->index_batching[i] = (int64_t)(n_positions - 1 - i);
        position_dim[n_positions - 1 - i] = d->x_dim[d->batching[i]];
    }
    d->index_vector_dim = pick((int64_t)n_positions + 1);
    bool implicit = d->n_map == 1 && d->index_vector_dim == (int64_t)n_positions && pick(2) == 0;
    for (size_t i = 0; i < n_positions + !implicit; i++)
        d->index_dim[i] = !implicit && (int64_t)i == d->index_vector_dim ? (int64_t)d->n_map
                                                                         : position_dim[p++];
    d->index_rank = n_positions + !implicit;
    for (size_t i = 0; i < d->n_batching; i++)
        d->index_batching[i] += !implicit && d->index_batching[i] >= d->index_vector_dim;
    p = 0;
    d->y_rank = n_positions + d->x_rank - d->n_collapsed - d->n_batching;
    for (size_t i = 0, left = d->y_rank - n_positions; i < d->y_rank; i++)
        if (left > 0 && (p == n_positions || pick(2) == 0)) {
            d->window[d->n_window++] = (int64_t)i;
            left--;
        } else {
            d->y_dim[i] = position_dim[p++];
        }
    for (size_t i = 0; i < d->x_rank; i++) {
        bool kept = true;
        for (size_t k = 0; k < d->n_collapsed; k++)
            kept = kept && d->collapsed[k] != (int64_t)i;
        for (size_t k = 0; k < d->n_batching; k++)
            kept = kept && d->batching[k] != (int64_t)i;
        if (kept)
            d->y_dim[d->window[w++]] = d->sizes[i];
    }
}

static bool listed(const int64_t *list, size_t count, int64_t item)
{
    for (size_t i = 0; i < count; i++)
        if (list[i] == item)
            return true;
    return false;
}

static size_t flat(const int64_t *dim, size_t rank, const int64_t *index)
{
    int64_t at = 0;
    for (size_t d = 0; d < rank; d++)
        at = at * dim[d] + index[d];
    return (size_t)at;
}

static int64_t count(const int64_t *dim, size_t rank)
{
    int64_t n = 1;
    for (size_t d = 0; d < rank; d++)
        n *= dim[d];
    return n;
}

static void unflatten(const int64_t *dim, size_t rank, int64_t at, int64_t *index)
{
    for (size_t d = rank; d-- > 0; at /= dim[d])
        index[d] = at % dim[d];
}

/* The x coordinates of the element of the windows' side (gather's result, scatter's update) at y,
 * by the text; starts are clamped for a gather. */
static void x_of(const numbers *d, const int64_t *indices, bool clamps, const int64_t *y,
                 int64_t *x)
{
    int64_t batch[8], vector[8];
    size_t n_batch = 0, w = 0, b = 0;

    for (size_t i = 0; i < d->y_rank; i++)
        if (!listed(d->window, d->n_window, (int64_t)i))
            batch[n_batch++] = y[i];
    memset(x, 0, 8 * sizeof *x);
    for (size_t k = 0; k < d->n_map; k++) {
        b = 0;
        for (size_t i = 0; i < d->index_rank; i++)
            vector[i] = (int64_t)i == d->index_vector_dim ? (int64_t)k : batch[b++];
        int64_t start = indices[flat(d->index_dim, d->index_rank, vector)], axis = d->map[k];
        x[axis] = clamps ? clamped(start, d->x_dim[axis] - d->sizes[axis]) : start;
    }
    for (size_t i = 0; i < d->n_batching; i++) {
        int64_t axis = d->index_batching[i];
        x[d->batching[i]] += batch[axis - (axis > d->index_vector_dim)];
    }
    for (size_t i = 0; i < d->x_rank; i++)
        if (!listed(d->collapsed, d->n_collapsed, (int64_t)i) &&
            !listed(d->batching, d->n_batching, (int64_t)i))
            x[i] += y[d->window[w++]];
}

static ct_gather_dims gather_dims(const numbers *d)
{
    return (ct_gather_dims){.offset_dims = {d->n_window, d->window},
                            .collapsed_slice_dims = {d->n_collapsed, d->collapsed},
                            .operand_batching_dims = {d->n_batching, d->batching},
                            .start_indices_batching_dims = {d->n_batching, d->index_batching},
                            .start_index_map = {d->n_map, d->map},
                            .index_vector_dim = d->index_vector_dim,
                            .slice_sizes = {d->x_rank, d->sizes},
                            .strict = d->strict};
}

static ct_scatter_dims scatter_dims(const numbers *d)
{
    return (ct_scatter_dims){.update_window_dims = {d->n_window, d->window},
                             .inserted_window_dims = {d->n_collapsed, d->collapsed},
                             .input_batching_dims = {d->n_batching, d->batching},
                             .scatter_indices_batching_dims = {d->n_batching, d->index_batching},
                             .scatter_dims_to_operand_dims = {d->n_map, d->map},
                             .index_vector_dim = d->index_vector_dim,
                             .strict = d->strict};
}

static void gather(void *user, ct_list p, ct_tensor **r)
{
    ct_gather_dims dims = gather_dims(user);
    r[0] = ct_op_gather(p.item[0], p.item[1], &dims);
}

static void scatter_add(void *user, ct_list p, ct_tensor **r)
{
    ct_scatter_dims dims = scatter_dims(user);
    r[0] = ct_op_scatter_add(p.item[0], p.item[1], p.item[2], &dims);
}

static void scatter_new(void *user, ct_list p, ct_tensor **r)
{
    ct_scatter_dims dims = scatter_dims(user);
    r[0] = ct_op_scatter(p.item[0], p.item[1], p.item[2], NULL, &dims);
}

/* 2 old - new: not commutative, so it shows the order of updates; two operations, so it is planned.
 */
static ct_tensor *twice_minus(ct_tensor *old, ct_tensor *new)
{
    return ct_op_subtract(ct_op_add(old, old), new);
}

static void scatter_body(void *user, ct_list p, ct_tensor **r)
{
    ct_context *ctx = ct_context_of(p.item[0]);
    ct_scatter_dims dims = scatter_dims(user);
    ct_tensor *scalar = ct_spec(ctx, ct_dtype_of(p.item[0]), CT_SHAPE());
    ct_function *body = ct_trace(ctx, twice_minus, CT_LIKE(scalar, scalar));
    r[0] = ct_op_scatter(p.item[0], p.item[1], p.item[2], body, &dims);
}

static ct_tensor *random_whole(ct_context *ctx, ct_dtype dtype, const int64_t *dim, size_t rank,
                               int64_t low, int64_t high, int64_t *copy)
{
    double data[512];
    int64_t n = count(dim, rank);

    CHECK(n <= 512);
    for (int64_t i = 0; i < n; i++) {
        copy[i] = low + pick(high - low + 1);
        data[i] = (double)copy[i];
    }
    return ct_from_doubles(ctx, dtype, (ct_shape){rank, dim}, data);
}

TEST(gather_random_dimension_numbers)
{
    ct_context *ctx = ct_context_new();

    for (int trial = 0; trial < 3000; trial++) {
        numbers d;
        int64_t xs[512], indices[512], y[8] = {0}, x[8];
        ct_scope scope = ct_scope_begin(ctx);
        pick_numbers(&d);
        ct_tensor *operand = random_whole(ctx, CT_I32, d.x_dim, d.x_rank, -99, 99, xs);
        ct_tensor *index = random_whole(ctx, trial % 2 ? CT_I8 : CT_I64, d.index_dim, d.index_rank,
                                        -2, 5, indices);
        ct_tensor *result = run1(ctx, gather, &d, CT_ARGV(operand, index));
        CHECK(ct_rank(result) == d.y_rank);
        const int32_t *found = ct_data(result);
        for (int64_t i = 0; i < count(d.y_dim, d.y_rank); i++) {
            unflatten(d.y_dim, d.y_rank, i, y);
            x_of(&d, indices, true, y, x);
            CHECK_MSG(found[i] == xs[flat(d.x_dim, d.x_rank, x)], "trial %d", trial);
        }
        ct_scope_end(scope);
    }
    ct_context_free(ctx);
}

static void apply_updates(const numbers *d, int kind, const int64_t *indices,
                          const int64_t *updates, int64_t *xs)
{
    int64_t y[8] = {0}, x[8];

    for (int64_t i = 0; i < count(d->y_dim, d->y_rank); i++) {
        bool inside = true;
        unflatten(d->y_dim, d->y_rank, i, y);
        x_of(d, indices, false, y, x);
        for (size_t k = 0; k < d->x_rank; k++)
            inside = inside && x[k] >= 0 && x[k] < d->x_dim[k];
        if (!inside)
            continue;
        int64_t *old = &xs[flat(d->x_dim, d->x_rank, x)];
        *old = kind == 0 ? *old + updates[i] : kind == 1 ? updates[i] : 2 * *old - updates[i];
    }
}

TEST(scatter_random_dimension_numbers)
{
    static ct_many_function *const bodies[] = {scatter_add, scatter_new, scatter_body};
    ct_context *ctx = ct_context_new();

    for (int trial = 0; trial < 3000; trial++) {
        numbers d;
        int64_t xs[512], indices[512], updates[512];
        ct_scope scope = ct_scope_begin(ctx);
        pick_numbers(&d);
        ct_tensor *operand = random_whole(ctx, CT_I32, d.x_dim, d.x_rank, -99, 99, xs);
        ct_tensor *index = random_whole(ctx, trial % 2 ? CT_I8 : CT_I64, d.index_dim, d.index_rank,
                                        -3, 5, indices);
        ct_tensor *update = random_whole(ctx, CT_I32, d.y_dim, d.y_rank, -99, 99, updates);
        ct_tensor *result = run1(ctx, bodies[trial % 3], &d, CT_ARGV(operand, index, update));
        const int32_t *found = ct_data(result);
        apply_updates(&d, trial % 3, indices, updates, xs);
        for (int64_t i = 0; i < count(d.x_dim, d.x_rank); i++)
            CHECK_MSG(found[i] == (int32_t)xs[i], "trial %d", trial);
        ct_scope_end(scope);
    }
    ct_context_free(ctx);
}

static const numbers rows_of_3 = {.window = {1},
                                  .n_window = 1,
                                  .collapsed = {0},
                                  .n_collapsed = 1,
                                  .map = {0},
                                  .n_map = 1,
                                  .sizes = {1, 2},
                                  .index_vector_dim = 1,
                                  .x_rank = 2};

TEST(strict_gather_and_scatter)
{
    ct_context *ctx = ct_context_new();
    numbers d = rows_of_3;
    ct_tensor *x = coded(ctx, CT_F32, 3, 2), *update = ct_zeros(ctx, CT_F32, CT_SHAPE(2, 2));
    ct_tensor *wrong = given(ctx, CT_I32, CT_SHAPE(2, 1), {5, -1});
    ct_tensor *right = given(ctx, CT_I32, CT_SHAPE(2, 1), {2, 0});
    static const char expected[] = "2 of 2 indices are out of range [0, 2]: position [0,0] is 5, "
                                   "position [1,0] is -1";

    d.strict = true;
    check_fails_both(ctx, gather, &d, CT_ARGV(x, wrong), expected);
    check_fails_both(ctx, scatter_add, &d, CT_ARGV(x, wrong, update), expected);
    CHECK_VALUES(run1(ctx, gather, &d, CT_ARGV(x, right)), CT_SHAPE(2, 2), {20, 21, 0, 1});
    CHECK_BITS(run1(ctx, scatter_add, &d, CT_ARGV(x, right, update)), x);
    ct_tensor *many = ct_full(ctx, CT_U64, CT_SHAPE(20, 1), 1e18);
    check_fails_both(ctx, gather, &d, CT_ARGV(x, many),
                     "20 of 20 indices are out of range [0, 2]: position [0,0] is "
                     "1000000000000000000, ");
    check_fails_both(ctx, gather, &d, CT_ARGV(x, many), "position [9,0] is 1000000000000000000, …");
    ct_context_free(ctx);
}

/* Half of a window outside: the inside half is written; beyond i64 everything is outside. */
TEST(scatter_skips_per_element)
{
    ct_context *ctx = ct_context_new();
    numbers d = {
        .window = {0}, .n_window = 1, .map = {0}, .n_map = 1, .index_vector_dim = 0, .x_rank = 1};
    ct_tensor *x = coded(ctx, CT_F64, 4), *u = given(ctx, CT_F64, CT_SHAPE(3), {10, 20, 30});
    const uint64_t huge[] = {UINT64_MAX};

    CHECK_VALUES(run1(ctx, scatter_add, &d, CT_ARGV(x, given(ctx, CT_I32, CT_SHAPE(1), {-1}), u)),
                 CT_SHAPE(4), {20, 31, 2, 3});
    CHECK_VALUES(run1(ctx, scatter_new, &d, CT_ARGV(x, given(ctx, CT_I32, CT_SHAPE(1), {3}), u)),
                 CT_SHAPE(4), {0, 1, 2, 10});
    CHECK_BITS(
        run1(ctx, scatter_add, &d, CT_ARGV(x, ct_from_data(ctx, CT_U64, CT_SHAPE(1), huge), u)), x);
    const int64_t least[] = {INT64_MIN};
    CHECK_BITS(
        run1(ctx, scatter_new, &d, CT_ARGV(x, ct_from_data(ctx, CT_I64, CT_SHAPE(1), least), u)),
        x);
    ct_context_free(ctx);
}

/* ---- Reducing. */

typedef struct reduction {
    ct_dims axes;
    int kind; /* 0 add, 1 max, 2 min, 3 a body that shows the order */
} reduction;

static void reduce(void *user, ct_list p, ct_tensor **r)
{
    const reduction *d = user;
    ct_context *ctx = ct_context_of(p.item[0]);
    ct_dtype dtype = ct_dtype_of(p.item[0]);

    if (d->kind == 3) {
        ct_tensor *scalar = ct_spec(ctx, dtype, CT_SHAPE());
        ct_function *body = ct_trace(ctx, twice_minus, CT_LIKE(scalar, scalar));
        r[0] = ct_op_reduce(p.item[0], ct_scalar(ctx, dtype, 1), body, d->axes);
    } else {
        r[0] = d->kind == 0   ? ct_op_reduce_add(p.item[0], d->axes)
               : d->kind == 1 ? ct_op_reduce_max(p.item[0], d->axes)
                              : ct_op_reduce_min(p.item[0], d->axes);
    }
}

static float step(int kind, float acc, float x)
{
    return kind == 0   ? acc + x
           : kind == 1 ? (x > acc ? x : acc)
           : kind == 2 ? (x < acc ? x : acc)
                       : (acc + acc) - x;
}

/* Random f32, so that another order of additions shows. All sets of axes of a rank-3 operand. */
TEST(reduce_in_row_major_order)
{
    ct_context *ctx = ct_context_new();
    const int64_t dim[] = {4, 3, 5};
    float x[60];

    for (int i = 0; i < 60; i++)
        x[i] = (float)(pick(2000) - 1000) / 7 * (i % 5 == 0 ? 1e6f : 1);
    ct_tensor *operand = ct_from_data(ctx, CT_F32, CT_SHAPE(4, 3, 5), x);
    for (int mask = 0; mask < 8; mask++)
        for (int kind = 0; kind < 4; kind++) {
            int64_t list[3], kept[3];
            size_t n = 0, n_kept = 0;
            for (int64_t d = 0; d < 3; d++)
                if (mask >> d & 1)
                    list[n++] = d;
                else
                    kept[n_kept++] = dim[d];
            reduction r = {{n, list}, kind};
            const float start[] = {0, -INFINITY, INFINITY, 1};
            float expected[60];
            for (int i = 0; i < 60; i++)
                expected[i] = start[kind];
            for (int64_t i = 0; i < 60; i++) {
                int64_t index[3], out[3];
                size_t k = 0;
                unflatten(dim, 3, i, index);
                for (int64_t d = 0; d < 3; d++)
                    if (!(mask >> d & 1))
                        out[k++] = index[d];
                float *acc = &expected[flat(kept, n_kept, out)];
                *acc = step(kind, *acc, x[i]);
            }
            ct_tensor *y = run1(ctx, reduce, &r, CT_ARGV(operand));
            CHECK_BITS(y, ct_from_data(ctx, CT_F32, ((ct_shape){n_kept, kept}), expected));
        }
    ct_context_free(ctx);
}

TEST(reduce_of_nothing_is_init)
{
    ct_context *ctx = ct_context_new();
    reduction r = {CT_DIMS(1), 0};

    CHECK_VALUES(run1(ctx, reduce, &r, CT_ARGV(ct_zeros(ctx, CT_F32, CT_SHAPE(2, 0)))), CT_SHAPE(2),
                 {0, 0});
    r.kind = 1;
    CHECK_VALUES(run1(ctx, reduce, &r, CT_ARGV(ct_zeros(ctx, CT_I8, CT_SHAPE(2, 0)))), CT_SHAPE(2),
                 {-128, -128});
    r.axes = CT_DIMS(0);
    CHECK_EMPTY(run1(ctx, reduce, &r, CT_ARGV(ct_zeros(ctx, CT_I8, CT_SHAPE(2, 0)))), CT_SHAPE(0));
    ct_context_free(ctx);
}

TEST(reduce_f16_rounds_every_step)
{
    ct_context *ctx = ct_context_new();
    reduction r = {CT_DIMS(0), 0};

    CHECK_VALUES(run1(ctx, reduce, &r, CT_ARGV(ct_ones(ctx, CT_F16, CT_SHAPE(4000)))), CT_SHAPE(),
                 {2048});
    CHECK_VALUES(run1(ctx, reduce, &r, CT_ARGV(ct_ones(ctx, CT_BF16, CT_SHAPE(300, 2)))),
                 CT_SHAPE(2), {256, 256});
    ct_context_free(ctx);
}

/* Position and value of the first largest element, two operands together; the captured value is
 * added to the position. body(value, position, x, i, offset). */
static void first_largest(void *user, ct_list p, ct_tensor **r)
{
    ct_tensor *better = ct_op_compare(p.item[2], p.item[0], CT_GT, CT_COMPARE_DEFAULT);

    (void)user;
    r[0] = ct_op_select(better, p.item[2], p.item[0]);
    r[1] = ct_op_select(better, ct_op_add(p.item[3], p.item[4]), p.item[1]);
}

static void argmax(void *user, ct_list p, ct_tensor **r)
{
    ct_context *ctx = ct_context_of(p.item[0]);
    ct_tensor *f = ct_spec(ctx, CT_F32, CT_SHAPE()), *i = ct_spec(ctx, CT_I32, CT_SHAPE());
    ct_function *body = ct_trace_many(ctx, first_largest, NULL, 2, CT_LIKE(f, i, f, i, i));

    (void)user;
    ct_op_reduce_many(CT_ARGV(p.item[0], p.item[1]),
                      CT_ARGV(ct_scalar(ctx, CT_F32, -1e30), ct_scalar(ctx, CT_I32, -1)), body,
                      CT_ARGV(p.item[2]), CT_DIMS(1), r);
}

TEST(reduce_two_operands_with_a_capture)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = given(ctx, CT_F32, CT_SHAPE(2, 4), {3, 9, 9, 1, -5, -7, -4, -9});
    ct_tensor *i = ct_op_iota(ctx, CT_I32, CT_DIMS(2, 4), 1), *r[2];

    run_both(ctx, (program){argmax, NULL, 2}, CT_ARGV(x, i, ct_scalar(ctx, CT_I32, 100)), r);
    CHECK_VALUES(r[0], CT_SHAPE(2), {9, -4});
    CHECK_VALUES(r[1], CT_SHAPE(2), {101, 102});
    ct_context_free(ctx);
}

/* ---- Products: every placement of batching, contracting and free axes. */

typedef struct product {
    int64_t lb[2], rb[2], lc[2], rc[2];
    size_t n_batching, n_contracting;
} product;

static void dot(void *user, ct_list p, ct_tensor **r)
{
    const product *d = user;
    const ct_dot_dims dims = {{d->n_batching, d->lb},
                              {d->n_batching, d->rb},
                              {d->n_contracting, d->lc},
                              {d->n_contracting, d->rc}};
    r[0] = ct_op_dot_general(p.item[0], p.item[1], &dims);
}

static void shuffle_axes(int64_t *axis, size_t rank)
{
    for (size_t i = 0; i < rank; i++)
        axis[i] = (int64_t)i;
    for (size_t i = rank; i > 1; i--) {
        size_t j = (size_t)pick((int64_t)i);
        int64_t t = axis[i - 1];
        axis[i - 1] = axis[j];
        axis[j] = t;
    }
}

/* Each output of the text's formula, in f32, summed over the contracting axes in listed order. */
static void check_product(const product *d, const int64_t *xdim, size_t xr, const int64_t *ydim,
                          size_t yr, const float *x, const float *y, const float *z)
{
    int64_t zdim[8], kdim[2] = {1, 1}, zi[8] = {0}, ki[2] = {0}, xi[8], yi[8];
    size_t zr = 0;

    for (size_t i = 0; i < d->n_batching; i++)
        zdim[zr++] = xdim[d->lb[i]];
    for (size_t i = 0; i < xr; i++)
        if (!listed(d->lb, d->n_batching, (int64_t)i) &&
            !listed(d->lc, d->n_contracting, (int64_t)i))
            zdim[zr++] = xdim[i];
    for (size_t i = 0; i < yr; i++)
        if (!listed(d->rb, d->n_batching, (int64_t)i) &&
            !listed(d->rc, d->n_contracting, (int64_t)i))
            zdim[zr++] = ydim[i];
    for (size_t i = 0; i < d->n_contracting; i++)
        kdim[i] = xdim[d->lc[i]];
    for (int64_t at = 0; at < count(zdim, zr); at++) {
        float sum = 0;
        unflatten(zdim, zr, at, zi);
        for (int64_t k = 0; k < kdim[0] * kdim[1]; k++) {
            size_t next = d->n_batching;
            unflatten(kdim, 2, k, ki);
            for (size_t i = 0; i < d->n_batching; i++)
                xi[d->lb[i]] = yi[d->rb[i]] = zi[i];
            for (size_t i = 0; i < d->n_contracting; i++)
                xi[d->lc[i]] = yi[d->rc[i]] = ki[i];
            for (size_t i = 0; i < xr; i++)
                if (!listed(d->lb, d->n_batching, (int64_t)i) &&
                    !listed(d->lc, d->n_contracting, (int64_t)i))
                    xi[i] = zi[next++];
            for (size_t i = 0; i < yr; i++)
                if (!listed(d->rb, d->n_batching, (int64_t)i) &&
                    !listed(d->rc, d->n_contracting, (int64_t)i))
                    yi[i] = zi[next++];
            volatile float term = x[flat(xdim, xr, xi)] * y[flat(ydim, yr, yi)];
            sum += term;
        }
        CHECK(sum == z[at]);
    }
}

TEST(dot_general_random_dimension_numbers)
{
    ct_context *ctx = ct_context_new();

    for (int trial = 0; trial < 600; trial++) {
        product d = {.n_batching = (size_t)pick(3), .n_contracting = (size_t)pick(3)};
        size_t shared = d.n_batching + d.n_contracting;
        size_t xr = shared + (size_t)pick(3), yr = shared + (size_t)pick(3);
        int64_t xa[8], ya[8], xdim[8], ydim[8];
        float x[4096], y[4096];
        ct_scope scope = ct_scope_begin(ctx);
        shuffle_axes(xa, xr);
        shuffle_axes(ya, yr);
        for (size_t i = 0; i < xr; i++)
            xdim[i] = pick(12) == 0 ? 0 : 1 + pick(4);
        for (size_t i = 0; i < yr; i++)
            ydim[i] = 1 + pick(4);
        for (size_t i = 0; i < shared; i++) {
            ydim[ya[i]] = xdim[xa[i]];
            if (i < d.n_batching) {
                d.lb[i] = xa[i];
                d.rb[i] = ya[i];
            } else {
                d.lc[i - d.n_batching] = xa[i];
                d.rc[i - d.n_batching] = ya[i];
            }
        }
        for (int64_t i = 0; i < count(xdim, xr); i++)
            x[i] = (float)(pick(2001) - 1000) / 33;
        for (int64_t i = 0; i < count(ydim, yr); i++)
            y[i] = (float)(pick(2001) - 1000) / 47;
        ct_tensor *z = run1(ctx, dot, &d,
                            CT_ARGV(ct_from_data(ctx, CT_F32, ((ct_shape){xr, xdim}), x),
                                    ct_from_data(ctx, CT_F32, ((ct_shape){yr, ydim}), y)));
        check_product(&d, xdim, xr, ydim, yr, x, y, ct_data(z));
        ct_scope_end(scope);
    }
    ct_context_free(ctx);
}

TEST(dot_of_halves_is_summed_in_f32)
{
    ct_context *ctx = ct_context_new();
    product d = {.lc = {0}, .rc = {0}, .n_contracting = 1};
    ct_tensor *ones = ct_ones(ctx, CT_F16, CT_SHAPE(4000));

    CHECK_VALUES(run1(ctx, dot, &d, CT_ARGV(ones, ones)), CT_SHAPE(), {4000});
    ones = ct_ones(ctx, CT_BF16, CT_SHAPE(300));
    CHECK_VALUES(run1(ctx, dot, &d, CT_ARGV(ones, ones)), CT_SHAPE(), {300});
    ones = ct_ones(ctx, CT_I8, CT_SHAPE(300));
    CHECK_VALUES(run1(ctx, dot, &d, CT_ARGV(ones, ones)), CT_SHAPE(), {300 - 256});
    ones = ct_ones(ctx, CT_BOOL, CT_SHAPE(3));
    CHECK_VALUES(run1(ctx, dot, &d, CT_ARGV(ones, ones)), CT_SHAPE(), {1});
    ct_context_free(ctx);
}

/* ---- Control. */

static ct_tensor *doubled(ct_tensor *x)
{
    return ct_op_add(x, x);
}

static ct_tensor *itself(ct_tensor *x)
{
    return x;
}

static void branch(void *user, ct_list p, ct_tensor **r)
{
    ct_context *ctx = ct_context_of(p.item[1]);

    (void)user;
    ct_op_if(p.item[0], ct_trace(ctx, doubled, CT_LIKE(p.item[1])),
             ct_trace(ctx, itself, CT_LIKE(p.item[1])), CT_ARGV(p.item[1]), r, 1);
}

TEST(if_runs_one_branch)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = coded(ctx, CT_F32, 3);

    CHECK_VALUES(run1(ctx, branch, NULL, CT_ARGV(ct_scalar(ctx, CT_BOOL, 1), x)), CT_SHAPE(3),
                 {0, 2, 4});
    CHECK_VALUES(run1(ctx, branch, NULL, CT_ARGV(ct_scalar(ctx, CT_BOOL, 0), x)), CT_SHAPE(3),
                 {0, 1, 2});
    ct_context_free(ctx);
}

/* (sum, previous, x, offset) -> (sum + x + offset, sum; 2 sum, x): carries change places, a result
 * is a parameter, and a result depends on a carry that is overwritten. */
static void scan_body(void *user, ct_list p, ct_tensor **r)
{
    (void)user;
    r[0] = ct_op_add(ct_op_add(p.item[0], p.item[2]), p.item[3]);
    r[1] = p.item[0];
    r[2] = ct_op_add(p.item[0], p.item[0]);
    r[3] = p.item[2];
}

typedef struct loop {
    int64_t length;
    bool is_reverse;
} loop;

static void scan(void *user, ct_list p, ct_tensor **r)
{
    const loop *l = user;
    ct_context *ctx = ct_context_of(p.item[0]);
    ct_tensor *s = ct_spec(ctx, CT_F32, CT_SHAPE(2));
    ct_function *body = ct_trace_many(ctx, scan_body, NULL, 4, CT_LIKE(s, s, s, s));

    ct_op_scan(l->length, CT_ARGV(p.item[0], p.item[1]), CT_ARGV(p.item[2]), CT_ARGV(p.item[3]),
               l->is_reverse, body, r, 4);
}

TEST(scan_forward_backward_and_empty)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *start = given(ctx, CT_F32, CT_SHAPE(2), {1, 2}), *r[4];
    ct_tensor *other = given(ctx, CT_F32, CT_SHAPE(2), {-1, -2});
    ct_tensor *offset = given(ctx, CT_F32, CT_SHAPE(2), {100, 200});
    loop l = {3, false};

    run_both(ctx, (program){scan, &l, 4}, CT_ARGV(start, other, coded(ctx, CT_F32, 3, 2), offset),
             r);
    CHECK_VALUES(r[0], CT_SHAPE(2), {331, 635});
    CHECK_VALUES(r[1], CT_SHAPE(2), {211, 414});
    CHECK_VALUES(r[2], CT_SHAPE(3, 2), {2, 4, 202, 406, 422, 828});
    CHECK_VALUES(r[3], CT_SHAPE(3, 2), {0, 1, 10, 11, 20, 21});
    l.is_reverse = true;
    run_both(ctx, (program){scan, &l, 4}, CT_ARGV(start, other, coded(ctx, CT_F32, 3, 2), offset),
             r);
    CHECK_VALUES(r[0], CT_SHAPE(2), {331, 635});
    CHECK_VALUES(r[1], CT_SHAPE(2), {231, 434});
    CHECK_VALUES(r[2], CT_SHAPE(3, 2), {462, 868, 242, 446, 2, 4});
    CHECK_VALUES(r[3], CT_SHAPE(3, 2), {0, 1, 10, 11, 20, 21});
    for (l.length = 0; l.length < 3; l.length++) {
        ct_tensor *xs = ct_ones(ctx, CT_F32, CT_SHAPE(l.length, 2));
        run_both(ctx, (program){scan, &l, 4}, CT_ARGV(start, other, xs, offset), r);
        double n = (double)l.length;
        CHECK_VALUES(r[0], CT_SHAPE(2), {1 + 101 * n, 2 + 201 * n});
        CHECK(ct_dim(r[2], 0) == l.length && ct_dim(r[3], 0) == l.length);
    }
    ct_context_free(ctx);
}

/* No carry, no x, no result but the stacked constant. */
static void constant_body(void *user, ct_list p, ct_tensor **r)
{
    (void)user;
    r[0] = p.item[0];
}

static void scan_without_carries(void *user, ct_list p, ct_tensor **r)
{
    ct_context *ctx = ct_context_of(p.item[0]);
    ct_function *body = ct_trace_many(ctx, constant_body, NULL, 1, CT_LIKE(p.item[0]));

    (void)user;
    ct_op_scan(3, CT_NO_TENSORS, CT_NO_TENSORS, p, false, body, r, 1);
}

TEST(scan_without_carries_stacks)
{
    ct_context *ctx = ct_context_new();

    CHECK_VALUES(run1(ctx, scan_without_carries, NULL, CT_ARGV(coded(ctx, CT_U8, 2))),
                 CT_SHAPE(3, 2), {0, 1, 0, 1, 0, 1});
    ct_context_free(ctx);
}

/* ---- Plans. */

/* Parameters, constants, duplicates and identities as results, and values that die in between. */
static void many_kinds_of_results(void *user, ct_list p, ct_tensor **r)
{
    ct_tensor *x = p.item[0], *sum = ct_op_add(x, x);

    (void)user;
    r[0] = x;
    r[1] = ct_op_reshape(sum, CT_DIMS(3, 2));
    r[2] = sum;
    r[3] = ct_full(ct_context_of(x), CT_F32, CT_SHAPE(2), 7);
}

TEST(results_of_every_kind)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *r[4];

    run_both(ctx, (program){many_kinds_of_results, NULL, 4}, CT_ARGV(coded(ctx, CT_F32, 2, 3)), r);
    CHECK_VALUES(r[0], CT_SHAPE(2, 3), {0, 1, 2, 10, 11, 12});
    CHECK_VALUES(r[1], CT_SHAPE(3, 2), {0, 2, 4, 20, 22, 24});
    CHECK_VALUES(r[2], CT_SHAPE(2, 3), {0, 2, 4, 20, 22, 24});
    CHECK_VALUES(r[3], CT_SHAPE(2), {7, 7});
    ct_context_free(ctx);
}

/* A chain of 100 sums of 1 KiB needs two of them at a time. */
static void long_chain(void *user, ct_list p, ct_tensor **r)
{
    ct_tensor *x = p.item[0];

    (void)user;
    for (int i = 0; i < 100; i++)
        x = ct_op_add(x, p.item[0]);
    r[0] = x;
}

TEST(memory_of_dead_values_is_reused)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = ct_ones(ctx, CT_F32, CT_SHAPE(256));
    ct_executable *e = ct_compile(ct_trace_many(ctx, long_chain, NULL, 1, CT_LIKE(x)), NULL);

    CHECK_VALUES(run1(ctx, long_chain, NULL, CT_ARGV(ct_ones(ctx, CT_F32, CT_SHAPE(2)))),
                 CT_SHAPE(2), {101, 101});
    CHECK_MSG(ct_executable_block_bytes(e) < 2 * 1024 + 100 * 3 * sizeof(void *) + 256, "%zu bytes",
              ct_executable_block_bytes(e));
    ct_context_free(ctx);
}

/* Random programs of elementwise operations with shared values: the plan against direct computing.
 */
static void random_program(void *user, ct_list p, ct_tensor **r)
{
    uint64_t state = *(const uint64_t *)user;
    ct_tensor *value[64] = {p.item[0], p.item[1]};
    size_t n = 2;

    for (; n < 40; n++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        ct_tensor *a = value[(state >> 33) % n], *b = value[(state >> 40) % n];
        switch (state >> 60) {
        case 0: value[n] = ct_op_maximum(a, b); break;
        case 1: value[n] = ct_op_reverse(a, CT_DIMS(1)); break;
        case 2: value[n] = ct_op_stop_gradient(a); break;
        case 3: value[n] = ct_op_reshape(ct_op_reshape(a, CT_DIMS(12)), CT_DIMS(3, 4)); break;
        case 4: ct_op_optimization_barrier(CT_ARGV(a), &value[n]); break;
        case 5: value[n] = ct_op_subtract(a, b); break;
        default: value[n] = ct_op_add(a, b); break;
        }
    }
    for (size_t i = 0; i < 4; i++)
        r[i] = value[(state >> (8 * i)) % n];
}

TEST(random_programs)
{
    ct_context *ctx = ct_context_new();

    for (uint64_t seed = 1; seed <= 200; seed++) {
        ct_tensor *r[4];
        ct_scope scope = ct_scope_begin(ctx);
        run_both(ctx, (program){random_program, &seed, 4},
                 CT_ARGV(coded(ctx, CT_I32, 3, 4), ct_full(ctx, CT_I32, CT_SHAPE(3, 4), 3)), r);
        ct_scope_end(scope);
    }
    ct_context_free(ctx);
}
