/* sort and top_k, compiled and direct. */
#include "tests/programs.h"

#include <cotangent/op.h>

#include <math.h>

/* ---- sort by a comparison of the first operand. */

typedef struct sorting {
    ct_comparison direction;
    ct_compare_type type;
    int64_t axis;
    bool has_detour; /* the comparator is two operations, which are run */
} sorting;

static ct_function *comparator(ct_context *ctx, const sorting *s, ct_list x)
{
    ct_tensor *like[4];
    size_t n = x.count;
    for (size_t i = 0; i < 2 * n; i++)
        like[i] = ct_spec(ctx, ct_dtype_of(x.item[i / 2]), CT_SHAPE());
    ct_trace_builder *b = ct_trace_begin(ctx, "before", (ct_list){2 * n, like});
    ct_tensor *left = ct_trace_parameter(b, 0), *right = ct_trace_parameter(b, 1);
    ct_tensor *first = ct_op_compare(left, right, s->direction, s->type);
    if (s->has_detour)
        first = ct_op_not(ct_op_not(first));
    return ct_trace_end(b, CT_ARGV(first));
}

static void sort(void *user, ct_list p, ct_tensor **r)
{
    const sorting *s = user;
    ct_function *body = comparator(ct_context_of(p.item[0]), s, p);
    ct_op_sort_many(p, body, CT_NO_TENSORS, s->axis, r);
}

static int before(const sorting *s, int64_t a, int64_t b)
{
    switch (s->direction) {
    case CT_LT: return a < b;
    case CT_GT: return a > b;
    case CT_LE: return a <= b;
    default: return a >= b;
    }
}

/* Every line must be a permutation that keeps positions of equal keys in order; with LE and GE,
 * which say that equal ones go first, in reverse or not: only the keys are looked at. */
static void check_lines(const sorting *s, const int64_t *dim, const int32_t *x, const int32_t *y,
                        const int64_t *place)
{
    int64_t inner = 1, n = dim[s->axis], total = dim[0] * dim[1] * dim[2];
    bool strict = s->direction == CT_LT || s->direction == CT_GT;
    for (int64_t d = s->axis + 1; d < 3; d++)
        inner *= dim[d];
    for (int64_t at = 0; at < total; at++) {
        int64_t i = at / inner % n, line = at - i * inner;
        CHECK(place[at] >= 0 && place[at] < n && x[line + place[at] * inner] == y[at]);
        if (i == 0)
            continue;
        CHECK(!before(s, y[at], y[at - inner]) || y[at] == y[at - inner]);
        if (strict && y[at] == y[at - inner])
            CHECK(place[at] > place[at - inner]);
        CHECK(place[at] != place[at - inner]);
    }
}

TEST(every_axis_and_direction)
{
    static const ct_comparison directions[] = {CT_LT, CT_GT, CT_LE, CT_GE};
    const int64_t dims[][3] = {{7, 5, 6}, {1, 33, 1}, {2, 1, 3}, {3, 64, 2}, {0, 2, 3}};
    ct_context *ctx = ct_context_new();
    for (size_t k = 0; k < sizeof dims / sizeof *dims; k++)
        for (int axis = 0; axis < 3; axis++)
            for (int way = 0; way < 8; way++) {
                const int64_t *dim = dims[k], total = dim[0] * dim[1] * dim[2];
                sorting s = {directions[way % 4], CT_COMPARE_DEFAULT, axis, way > 3};
                int32_t x[400];
                ct_tensor *r[2];
                for (int64_t i = 0; i < total; i++)
                    x[i] = (int32_t)programs_pick(9) - 4;
                ct_shape shape = {3, dim};
                ct_tensor *key = ct_from_data(ctx, CT_I32, shape, x);
                ct_tensor *place = ct_op_iota(ctx, CT_I64, shape, axis);
                programs_run(ctx, (program){sort, &s, 2}, CT_ARGV(key, place), r);
                check_lines(&s, dim, x, ct_data(r[0]), ct_data(r[1]));
            }
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* ---- Floats: what NaN and -0 do is the comparator's business. */

TEST(total_order)
{
    ct_context *ctx = ct_context_new();
    const double inf = INFINITY;
    for (int way = 0; way < 2; way++)
        for (ct_dtype t = CT_F16; t <= CT_F64; t = (ct_dtype)(t + 1)) {
            sorting s = {CT_LT, CT_COMPARE_TOTALORDER, 0, way == 1};
            ct_tensor *x = given(ctx, t, CT_SHAPE(8), {NAN, inf, 0, -0.0, -NAN, -inf, -1, 2});
            ct_tensor *i = ct_op_iota(ctx, CT_U8, CT_DIMS(8), 0), *r[2];
            programs_run(ctx, (program){sort, &s, 2}, CT_ARGV(x, i), r);
            CHECK_VALUES(r[0], CT_SHAPE(8), {NAN, -inf, -1, 0, 0, 2, inf, NAN});
            CHECK_VALUES(r[1], CT_SHAPE(8), {4, 5, 6, 3, 2, 7, 1, 0});
        }
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

TEST(ieee_order)
{
    ct_context *ctx = ct_context_new();
    sorting s = {CT_GT, CT_COMPARE_FLOAT, 0, false};
    ct_tensor *x = given(ctx, CT_F32, CT_SHAPE(5), {-0.0, 3, 0, 5, -1});
    ct_tensor *i = ct_op_iota(ctx, CT_U8, CT_DIMS(5), 0), *r[2];
    programs_run(ctx, (program){sort, &s, 2}, CT_ARGV(x, i), r);
    CHECK_VALUES(r[1], CT_SHAPE(5), {3, 1, 0, 2, 4}); /* -0 and 0 keep their order */
    /* a comparator that contradicts itself, as this one does at a NaN, ends all the same */
    x = given(ctx, CT_F32, CT_SHAPE(5), {1, NAN, 3, NAN, 2});
    programs_run(ctx, (program){sort, &s, 2}, CT_ARGV(x, i), r);
    ct_tensor *sum = ct_op_reduce_add(ct_op_convert(r[1], CT_I32), CT_DIMS(0));
    CHECK_VALUES(sum, CT_SHAPE(), {10});
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* ---- A comparator over two operands and a captured value: by (x - pivot)², then by the second. */

static void nearer(void *user, ct_list p, ct_tensor **r)
{
    ct_tensor *a = ct_op_subtract(p.item[0], p.item[4]), *b = ct_op_subtract(p.item[1], p.item[4]);
    (void)user;
    a = ct_op_abs(a);
    b = ct_op_abs(b);
    ct_tensor *less = ct_op_compare(a, b, CT_LT, CT_COMPARE_DEFAULT);
    ct_tensor *same = ct_op_compare(a, b, CT_EQ, CT_COMPARE_DEFAULT);
    ct_tensor *then = ct_op_compare(p.item[2], p.item[3], CT_LT, CT_COMPARE_DEFAULT);
    r[0] = ct_op_or(less, ct_op_and(same, then));
}

static void sort_by_distance(void *user, ct_list p, ct_tensor **r)
{
    ct_context *ctx = ct_context_of(p.item[0]);
    ct_tensor *f = ct_spec(ctx, CT_F32, CT_SHAPE()), *i = ct_spec(ctx, CT_I8, CT_SHAPE());
    ct_function *body = ct_trace_many(ctx, nearer, NULL, 1, CT_LIKE(f, f, i, i, f));
    (void)user;
    ct_op_sort_many(CT_ARGV(p.item[0], p.item[1]), body, CT_ARGV(p.item[2]), 1, r);
}

TEST(comparator_with_a_capture)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = given(ctx, CT_F32, CT_SHAPE(2, 4), {1, 2, 3, 4, 9, 2, 4, -3});
    ct_tensor *i = given(ctx, CT_I8, CT_SHAPE(2, 4), {5, 6, 7, 0, 1, 3, 2, 4}), *r[2];
    programs_run(ctx, (program){sort_by_distance, NULL, 2},
                 CT_ARGV(x, i, ct_scalar(ctx, CT_F32, 3)), r);
    CHECK_VALUES(r[0], CT_SHAPE(2, 4), {3, 4, 2, 1, 4, 2, 9, -3});
    CHECK_VALUES(r[1], CT_SHAPE(2, 4), {7, 0, 6, 5, 2, 3, 1, 4});
    ct_context_free(ctx);
}

/* All dtypes are moved, complex ones too; one operand; only one of its elements. */
TEST(every_dtype_moves)
{
    ct_context *ctx = ct_context_new();
    sorting s = {CT_LT, CT_COMPARE_DEFAULT, 0, false};
    ct_tensor *key = given(ctx, CT_I32, CT_SHAPE(3), {2, 0, 1}), *r[2];
    for (ct_dtype t = CT_BOOL; t < CT_DTYPE_COUNT; t = (ct_dtype)(t + 1)) {
        if (t == CT_F8E8M0FNU) /* it has no 0 */
            continue;
        ct_tensor *x = given(ctx, t, CT_SHAPE(3), {1, 0, 1});
        programs_run(ctx, (program){sort, &s, 2}, CT_ARGV(key, x), r);
        CHECK_VALUES(r[1], CT_SHAPE(3), {0, 1, 1});
    }
    ct_tensor *y = programs_run1(ctx, sort, &s, CT_ARGV(ct_ones(ctx, CT_BF16, CT_SHAPE(1))));
    CHECK_VALUES(y, CT_SHAPE(1), {1});
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* ---- top_k. */

static void top(void *user, ct_list p, ct_tensor **r)
{
    ct_op_top_k(p.item[0], *(const int64_t *)user, &r[0], &r[1]);
}

TEST(top_k)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = given(ctx, CT_F32, CT_SHAPE(2, 5), {3, 9, 9, 1, -5, -7, -4, 0, -0.0, -9}), *r[2];
    int64_t k = 3;
    programs_run(ctx, (program){top, &k, 2}, CT_ARGV(x), r);
    CHECK_VALUES(r[0], CT_SHAPE(2, 3), {9, 9, 3, 0, 0, -4});
    CHECK_VALUES(r[1], CT_SHAPE(2, 3), {1, 2, 0, 2, 3, 1});
    CHECK(ct_dtype_of(r[1]) == CT_I32);
    k = 5;
    ct_tensor *y = given(ctx, CT_F16, CT_SHAPE(5), {-NAN, 1, INFINITY, NAN, -INFINITY});
    programs_run(ctx, (program){top, &k, 2}, CT_ARGV(y), r);
    CHECK_VALUES(r[1], CT_SHAPE(5), {3, 2, 1, 4, 0});
    k = 0;
    programs_run(ctx, (program){top, &k, 2}, CT_ARGV(x), r);
    CHECK_EMPTY(r[0], CT_SHAPE(2, 0));
    programs_run(ctx, (program){top, &k, 2}, CT_ARGV(ct_zeros(ctx, CT_I8, CT_SHAPE(3, 0))), r);
    CHECK_EMPTY(r[1], CT_SHAPE(3, 0));
    k = 2;
    programs_run(ctx, (program){top, &k, 2}, CT_ARGV(ct_zeros(ctx, CT_I8, CT_SHAPE(0, 4))), r);
    CHECK_EMPTY(r[1], CT_SHAPE(0, 2));
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* Unsigned numbers stay unsigned, false < true; either result may be left out. */
TEST(top_k_of_integers)
{
    ct_context *ctx = ct_context_new();
    static const uint64_t natural[] = {1, UINT64_MAX, (uint64_t)INT64_MAX + 1, 7};
    ct_tensor *value = NULL, *index = NULL;
    ct_op_top_k(ct_from_data(ctx, CT_U64, CT_SHAPE(4), natural), 2, NULL, &index);
    CHECK_VALUES(index, CT_SHAPE(2), {1, 2});
    ct_op_top_k(given(ctx, CT_I8, CT_SHAPE(4), {-128, 127, -1, 0}), 4, &value, NULL);
    CHECK_VALUES(value, CT_SHAPE(4), {127, 0, -1, -128});
    ct_op_top_k(given(ctx, CT_BOOL, CT_SHAPE(3), {0, 1, 1}), 2, &value, &index);
    CHECK_VALUES(index, CT_SHAPE(2), {1, 2});
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* A longer line: the bits of a permutation come out in order. */
TEST(long_line)
{
    enum { N = 20011 };
    static float x[N];
    ct_context *ctx = ct_context_new();
    sorting s = {CT_LT, CT_COMPARE_TOTALORDER, 0, false};
    for (int64_t i = 0; i < N; i++)
        x[i] = (float)(i * 7919 % N);
    ct_tensor *y = programs_run1(ctx, sort, &s, CT_ARGV(ct_from_data(ctx, CT_F32, CT_SHAPE(N), x)));
    const float *sorted = ct_data(y);
    for (int64_t i = 0; i < N; i++)
        CHECK(sorted[i] == (float)i);
    ct_context_free(ctx);
}

static void sort_a_little(ct_context *ctx)
{
    sorting s = {CT_LT, CT_COMPARE_DEFAULT, 0, true};
    ct_tensor *x = ct_zeros(ctx, CT_I32, CT_SHAPE(3)), *r[2];
    sort(&s, CT_ARGV(x, x), r);
    ct_op_top_k(x, 2, &r[0], NULL);
}

TEST(allocations)
{
    CHECK_ALLOCATIONS(sort_a_little);
}
