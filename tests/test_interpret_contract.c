/* Reductions and products, compiled and direct, in the order that reference numerics fix. */
#include "tests/programs.h"

#include <cotangent/op.h>

#include <math.h>

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
        ct_function *body = ct_trace(ctx, programs_twice_minus, CT_LIKE(scalar, scalar));
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
        x[i] = (float)(programs_pick(2000) - 1000) / 7 * (i % 5 == 0 ? 1e6f : 1);
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
                programs_unflatten(dim, 3, i, index);
                for (int64_t d = 0; d < 3; d++)
                    if (!(mask >> d & 1))
                        out[k++] = index[d];
                float *acc = &expected[programs_flat(kept, n_kept, out)];
                *acc = step(kind, *acc, x[i]);
            }
            ct_tensor *y = programs_run1(ctx, reduce, &r, CT_ARGV(operand));
            CHECK_BITS(y, ct_from_data(ctx, CT_F32, ((ct_shape){n_kept, kept}), expected));
        }
    ct_context_free(ctx);
}

TEST(reduce_of_nothing_is_init)
{
    ct_context *ctx = ct_context_new();
    reduction r = {CT_DIMS(1), 0};

    CHECK_VALUES(programs_run1(ctx, reduce, &r, CT_ARGV(ct_zeros(ctx, CT_F32, CT_SHAPE(2, 0)))),
                 CT_SHAPE(2), {0, 0});
    r.kind = 1;
    CHECK_VALUES(programs_run1(ctx, reduce, &r, CT_ARGV(ct_zeros(ctx, CT_I8, CT_SHAPE(2, 0)))),
                 CT_SHAPE(2), {-128, -128});
    r.axes = CT_DIMS(0);
    CHECK_EMPTY(programs_run1(ctx, reduce, &r, CT_ARGV(ct_zeros(ctx, CT_I8, CT_SHAPE(2, 0)))),
                CT_SHAPE(0));
    ct_context_free(ctx);
}

TEST(reduce_f16_rounds_every_step)
{
    ct_context *ctx = ct_context_new();
    reduction r = {CT_DIMS(0), 0};

    CHECK_VALUES(programs_run1(ctx, reduce, &r, CT_ARGV(ct_ones(ctx, CT_F16, CT_SHAPE(4000)))),
                 CT_SHAPE(), {2048});
    CHECK_VALUES(programs_run1(ctx, reduce, &r, CT_ARGV(ct_ones(ctx, CT_BF16, CT_SHAPE(300, 2)))),
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

    programs_run(ctx, (program){argmax, NULL, 2}, CT_ARGV(x, i, ct_scalar(ctx, CT_I32, 100)), r);
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
    const ct_dot_dims dims = {.lhs_batching = {d->n_batching, d->lb},
                              .rhs_batching = {d->n_batching, d->rb},
                              .lhs_contracting = {d->n_contracting, d->lc},
                              .rhs_contracting = {d->n_contracting, d->rc}};
    r[0] = ct_op_dot_general(p.item[0], p.item[1], &dims);
}

static void shuffle_axes(int64_t *axis, size_t rank)
{
    for (size_t i = 0; i < rank; i++)
        axis[i] = (int64_t)i;
    for (size_t i = rank; i > 1; i--) {
        size_t j = (size_t)programs_pick((int64_t)i);
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
        if (!programs_listed(d->lb, d->n_batching, (int64_t)i) &&
            !programs_listed(d->lc, d->n_contracting, (int64_t)i))
            zdim[zr++] = xdim[i];
    for (size_t i = 0; i < yr; i++)
        if (!programs_listed(d->rb, d->n_batching, (int64_t)i) &&
            !programs_listed(d->rc, d->n_contracting, (int64_t)i))
            zdim[zr++] = ydim[i];
    for (size_t i = 0; i < d->n_contracting; i++)
        kdim[i] = xdim[d->lc[i]];
    for (int64_t at = 0; at < programs_count(zdim, zr); at++) {
        float sum = 0;
        programs_unflatten(zdim, zr, at, zi);
        for (int64_t k = 0; k < kdim[0] * kdim[1]; k++) {
            size_t next = d->n_batching;
            programs_unflatten(kdim, 2, k, ki);
            for (size_t i = 0; i < d->n_batching; i++)
                xi[d->lb[i]] = yi[d->rb[i]] = zi[i];
            for (size_t i = 0; i < d->n_contracting; i++)
                xi[d->lc[i]] = yi[d->rc[i]] = ki[i];
            for (size_t i = 0; i < xr; i++)
                if (!programs_listed(d->lb, d->n_batching, (int64_t)i) &&
                    !programs_listed(d->lc, d->n_contracting, (int64_t)i))
                    xi[i] = zi[next++];
            for (size_t i = 0; i < yr; i++)
                if (!programs_listed(d->rb, d->n_batching, (int64_t)i) &&
                    !programs_listed(d->rc, d->n_contracting, (int64_t)i))
                    yi[i] = zi[next++];
            volatile float term = x[programs_flat(xdim, xr, xi)] * y[programs_flat(ydim, yr, yi)];
            sum += term;
        }
        CHECK(sum == z[at]);
    }
}

TEST(dot_general_random_dimension_numbers)
{
    ct_context *ctx = ct_context_new();

    for (int trial = 0; trial < 600; trial++) {
        product d = {.n_batching = (size_t)programs_pick(3),
                     .n_contracting = (size_t)programs_pick(3)};
        size_t shared = d.n_batching + d.n_contracting;
        size_t xr = shared + (size_t)programs_pick(3), yr = shared + (size_t)programs_pick(3);
        int64_t xa[8], ya[8], xdim[8], ydim[8];
        float x[4096], y[4096];
        ct_scope scope = ct_scope_begin(ctx);
        shuffle_axes(xa, xr);
        shuffle_axes(ya, yr);
        for (size_t i = 0; i < xr; i++)
            xdim[i] = programs_pick(12) == 0 ? 0 : 1 + programs_pick(4);
        for (size_t i = 0; i < yr; i++)
            ydim[i] = 1 + programs_pick(4);
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
        for (int64_t i = 0; i < programs_count(xdim, xr); i++)
            x[i] = (float)(programs_pick(2001) - 1000) / 33;
        for (int64_t i = 0; i < programs_count(ydim, yr); i++)
            y[i] = (float)(programs_pick(2001) - 1000) / 47;
        ct_tensor *z = programs_run1(ctx, dot, &d,
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

    CHECK_VALUES(programs_run1(ctx, dot, &d, CT_ARGV(ones, ones)), CT_SHAPE(), {4000});
    ones = ct_ones(ctx, CT_BF16, CT_SHAPE(300));
    CHECK_VALUES(programs_run1(ctx, dot, &d, CT_ARGV(ones, ones)), CT_SHAPE(), {300});
    ones = ct_ones(ctx, CT_I8, CT_SHAPE(300));
    CHECK_VALUES(programs_run1(ctx, dot, &d, CT_ARGV(ones, ones)), CT_SHAPE(), {300 - 256});
    ones = ct_ones(ctx, CT_BOOL, CT_SHAPE(3));
    CHECK_VALUES(programs_run1(ctx, dot, &d, CT_ARGV(ones, ones)), CT_SHAPE(), {1});
    ct_context_free(ctx);
}
