/* Dynamic slices, gather and scatter, compiled and direct, against StableHLO's text per element. */
#include "tests/programs.h"

#include <cotangent/exec.h>
#include <cotangent/op.h>

#include <string.h>

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
    static const struct {
        ct_dtype dtype;
        int64_t low, high;
    } index[] = {{CT_I8, -2, 6}, {CT_I16, -2, 6}, {CT_I32, -2, 6}, {CT_I64, -2, 6},
                 {CT_I4, -2, 6}, {CT_I2, -2, 1},  {CT_U8, 0, 6},   {CT_U16, 0, 6},
                 {CT_U32, 0, 6}, {CT_U64, 0, 6},  {CT_U4, 0, 6},   {CT_U2, 0, 3}};
    window w = {.sizes = CT_DIMS(2, 3)};

    for (size_t t = 0; t < sizeof index / sizeof *index; t++)
        for (int64_t i = index[t].low; i <= index[t].high && i <= 5; i++)
            for (int64_t j = index[t].low < 0 ? -1 : 0; j <= index[t].high; j += 2) {
                ct_scope scope = ct_scope_begin(ctx);
                ct_tensor *x = coded(ctx, CT_F32, 4, 5),
                          *update = ct_full(ctx, CT_F32, CT_SHAPE(2, 3), -1);
                ct_tensor *a = ct_scalar(ctx, index[t].dtype, (double)i);
                ct_tensor *b = ct_scalar(ctx, index[t].dtype, (double)j);
                int64_t row = clamped(i, 2), column = clamped(j, 2);
                ct_tensor *y = programs_run1(ctx, dynamic_slice, &w, CT_ARGV(x, a, b));
                ct_tensor *z = programs_run1(ctx, update_slice, &w, CT_ARGV(x, update, a, b));
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
    CHECK_VALUES(programs_run1(ctx, dynamic_slice, &w, CT_ARGV(x, at)), CT_SHAPE(3), {1, 2, 3});
    ct_context_free(ctx);
}

TEST(strict_dynamic_slices)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = coded(ctx, CT_F32, 4, 5);
    ct_tensor *one = ct_scalar(ctx, CT_I32, 1), *minus = ct_scalar(ctx, CT_I32, -1);
    ct_tensor *three = ct_scalar(ctx, CT_I32, 3);
    window w = {.sizes = CT_DIMS(2, 2), .strict = true};

    programs_check_fails(ctx, dynamic_slice, &w, CT_ARGV(x, three, minus),
                         "dynamic_slice: 2 of 2 indices are out of range: position [0] is 3 (range "
                         "[0, 2]), position [1] is -1 (range [0, 3])");
    programs_check_fails(ctx, update_slice, &w,
                         CT_ARGV(x, ct_zeros(ctx, CT_F32, CT_SHAPE(4, 5)), one, minus),
                         "dynamic_update_slice: 2 of 2 indices are out of range [0, 0]");
    CHECK_VALUES(programs_run1(ctx, dynamic_slice, &w, CT_ARGV(x, one, three)), CT_SHAPE(2, 2),
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

/* Axes of x: window, collapsed or batching; a map over some of the first two; indices with their
 * vector axis anywhere, batching axes anywhere among the others; windows anywhere in the result. */
static void pick_numbers(numbers *d)
{
    int64_t position_dim[8];
    size_t n_positions, w = 0, p = 0;

    memset(d, 0, sizeof *d);
    d->x_rank = 1 + (size_t)programs_pick(3);
    for (size_t i = 0; i < d->x_rank; i++) {
        int64_t kind = programs_pick(5);
        d->x_dim[i] = 1 + programs_pick(4);
        d->sizes[i] = 1;
        if (kind == 0 && d->n_batching < 2)
            d->batching[d->n_batching++] = (int64_t)i;
        else if (kind == 1)
            d->collapsed[d->n_collapsed++] = (int64_t)i;
        else
            d->sizes[i] = programs_pick(d->x_dim[i] + 1);
        if (kind != 0 && programs_pick(4) > 0)
            d->map[d->n_map++] = (int64_t)i;
    }
    for (size_t i = d->n_map; i > 1; i--) { /* in any order */
        size_t j = (size_t)programs_pick((int64_t)i);
        int64_t t = d->map[i - 1];
        d->map[i - 1] = d->map[j];
        d->map[j] = t;
    }
    n_positions = d->n_batching + (size_t)programs_pick(3);
    for (size_t i = 0; i < n_positions; i++)
        position_dim[i] = programs_pick(4);
    for (size_t i = 0; i < d->n_batching; i++) { /* at positions n - 1, n - 2, … */
        d->index_batching[i] = (int64_t)(n_positions - 1 - i);
        position_dim[n_positions - 1 - i] = d->x_dim[d->batching[i]];
    }
    d->index_vector_dim = programs_pick((int64_t)n_positions + 1);
    bool implicit = d->n_map == 1 && d->index_vector_dim == (int64_t)n_positions &&
                    programs_pick(2) == 0;
    for (size_t i = 0; i < n_positions + !implicit; i++)
        d->index_dim[i] = !implicit && (int64_t)i == d->index_vector_dim ? (int64_t)d->n_map
                                                                         : position_dim[p++];
    d->index_rank = n_positions + !implicit;
    for (size_t i = 0; i < d->n_batching; i++)
        d->index_batching[i] += !implicit && d->index_batching[i] >= d->index_vector_dim;
    p = 0;
    d->y_rank = n_positions + d->x_rank - d->n_collapsed - d->n_batching;
    for (size_t i = 0, left = d->y_rank - n_positions; i < d->y_rank; i++)
        if (left > 0 && (p == n_positions || programs_pick(2) == 0)) {
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

/* The x coordinates of the element of the windows' side (gather's result, scatter's update) at y,
 * by the text; starts are clamped for a gather. */
static void x_of(const numbers *d, const int64_t *indices, bool clamps, const int64_t *y,
                 int64_t *x)
{
    int64_t batch[8], vector[8];
    size_t n_batch = 0, w = 0, b = 0;

    for (size_t i = 0; i < d->y_rank; i++)
        if (!programs_listed(d->window, d->n_window, (int64_t)i))
            batch[n_batch++] = y[i];
    memset(x, 0, 8 * sizeof *x);
    for (size_t k = 0; k < d->n_map; k++) {
        b = 0;
        for (size_t i = 0; i < d->index_rank; i++)
            vector[i] = (int64_t)i == d->index_vector_dim ? (int64_t)k : batch[b++];
        int64_t start = indices[programs_flat(d->index_dim, d->index_rank, vector)],
                axis = d->map[k];
        x[axis] = clamps ? clamped(start, d->x_dim[axis] - d->sizes[axis]) : start;
    }
    for (size_t i = 0; i < d->n_batching; i++) {
        int64_t axis = d->index_batching[i];
        x[d->batching[i]] += batch[axis - (axis > d->index_vector_dim)];
    }
    for (size_t i = 0; i < d->x_rank; i++)
        if (!programs_listed(d->collapsed, d->n_collapsed, (int64_t)i) &&
            !programs_listed(d->batching, d->n_batching, (int64_t)i))
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

static void scatter_body(void *user, ct_list p, ct_tensor **r)
{
    ct_context *ctx = ct_context_of(p.item[0]);
    ct_scatter_dims dims = scatter_dims(user);
    ct_tensor *scalar = ct_spec(ctx, ct_dtype_of(p.item[0]), CT_SHAPE());
    ct_function *body = ct_trace(ctx, programs_twice_minus, CT_LIKE(scalar, scalar));
    r[0] = ct_op_scatter(p.item[0], p.item[1], p.item[2], body, &dims);
}

static ct_tensor *random_whole(ct_context *ctx, ct_dtype dtype, const int64_t *dim, size_t rank,
                               int64_t low, int64_t high, int64_t *copy)
{
    double data[512];
    int64_t n = programs_count(dim, rank);

    CHECK(n <= 512);
    for (int64_t i = 0; i < n; i++) {
        copy[i] = low + programs_pick(high - low + 1);
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
        ct_tensor *result = programs_run1(ctx, gather, &d, CT_ARGV(operand, index));
        CHECK(ct_rank(result) == d.y_rank);
        const int32_t *found = ct_data(result);
        for (int64_t i = 0; i < programs_count(d.y_dim, d.y_rank); i++) {
            programs_unflatten(d.y_dim, d.y_rank, i, y);
            x_of(&d, indices, true, y, x);
            CHECK_MSG(found[i] == xs[programs_flat(d.x_dim, d.x_rank, x)], "trial %d", trial);
        }
        ct_scope_end(scope);
    }
    ct_context_free(ctx);
}

static void apply_updates(const numbers *d, int kind, const int64_t *indices,
                          const int64_t *updates, int64_t *xs)
{
    int64_t y[8] = {0}, x[8];

    for (int64_t i = 0; i < programs_count(d->y_dim, d->y_rank); i++) {
        bool inside = true;
        programs_unflatten(d->y_dim, d->y_rank, i, y);
        x_of(d, indices, false, y, x);
        for (size_t k = 0; k < d->x_rank; k++)
            inside = inside && x[k] >= 0 && x[k] < d->x_dim[k];
        if (!inside)
            continue;
        int64_t *old = &xs[programs_flat(d->x_dim, d->x_rank, x)];
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
        ct_tensor *result = programs_run1(ctx, bodies[trial % 3], &d,
                                          CT_ARGV(operand, index, update));
        const int32_t *found = ct_data(result);
        apply_updates(&d, trial % 3, indices, updates, xs);
        for (int64_t i = 0; i < programs_count(d.x_dim, d.x_rank); i++)
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
    programs_check_fails(ctx, gather, &d, CT_ARGV(x, wrong), expected);
    programs_check_fails(ctx, scatter_add, &d, CT_ARGV(x, wrong, update), expected);
    CHECK_VALUES(programs_run1(ctx, gather, &d, CT_ARGV(x, right)), CT_SHAPE(2, 2), {20, 21, 0, 1});
    CHECK_BITS(programs_run1(ctx, scatter_add, &d, CT_ARGV(x, right, update)), x);
    ct_tensor *many = ct_full(ctx, CT_U64, CT_SHAPE(20, 1), 1e18);
    programs_check_fails(ctx, gather, &d, CT_ARGV(x, many),
                         "20 of 20 indices are out of range [0, 2]: position [0,0] is "
                         "1000000000000000000, ");
    programs_check_fails(ctx, gather, &d, CT_ARGV(x, many),
                         "position [9,0] is 1000000000000000000, …");
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

    CHECK_VALUES(
        programs_run1(ctx, scatter_add, &d, CT_ARGV(x, given(ctx, CT_I32, CT_SHAPE(1), {-1}), u)),
        CT_SHAPE(4), {20, 31, 2, 3});
    CHECK_VALUES(
        programs_run1(ctx, scatter_new, &d, CT_ARGV(x, given(ctx, CT_I32, CT_SHAPE(1), {3}), u)),
        CT_SHAPE(4), {0, 1, 2, 10});
    CHECK_BITS(programs_run1(ctx, scatter_add, &d,
                             CT_ARGV(x, ct_from_data(ctx, CT_U64, CT_SHAPE(1), huge), u)),
               x);
    const int64_t least[] = {INT64_MIN};
    CHECK_BITS(programs_run1(ctx, scatter_new, &d,
                             CT_ARGV(x, ct_from_data(ctx, CT_I64, CT_SHAPE(1), least), u)),
               x);
    ct_context_free(ctx);
}

/* Updates of what has no elements are all outside: nothing is written. */
static void add_to_nothing(void *user, ct_list p, ct_tensor **r)
{
    const ct_scatter_dims dims = {.update_window_dims = CT_DIMS(0),
                                  .inserted_window_dims = CT_DIMS(1, 2),
                                  .scatter_dims_to_operand_dims = CT_DIMS(0)};
    (void)user;
    r[0] = ct_op_scatter_add(p.item[0], p.item[1], p.item[2], &dims);
}

TEST(scatter_into_nothing)
{
    static const ct_dtype dtypes[] = {CT_F64, CT_F32, CT_I32, CT_BOOL};
    ct_context *ctx = ct_context_new();

    for (size_t i = 0; i < 4; i++) {
        const int32_t at = 0;
        const uint64_t update = 1;
        uint64_t guard[3] = {7, 8, 9};
        ct_function *f = ct_trace_many(ctx, add_to_nothing, NULL, 1,
                                       CT_LIKE(ct_spec(ctx, dtypes[i], CT_SHAPE(1, 2, 0)),
                                               ct_spec(ctx, CT_I32, CT_SHAPE()),
                                               ct_spec(ctx, dtypes[i], CT_SHAPE(1))));
        ct_instance *instance = ct_instance_new(ct_compile(f, NULL));
        CHECK(ct_bind_input(instance, 0, &update, 0) == CT_OK);
        CHECK(ct_bind_input(instance, 1, &at, sizeof at) == CT_OK);
        CHECK(ct_bind_input(instance, 2, &update, ct_dtype_bytes(dtypes[i])) == CT_OK);
        CHECK(ct_bind_output(instance, 0, &guard[1], 0) == CT_OK);
        CHECK(ct_run(instance) == CT_OK);
        CHECK(guard[0] == 7 && guard[1] == 8 && guard[2] == 9);
        ct_instance_free(instance);
    }
    CHECK_OK(ctx);
    ct_context_free(ctx);
}
