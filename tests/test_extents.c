/* Tensors without elements whose other extents are as large as an extent can be: partial products,
 * sums and strides of extents must not overflow unseen. Every operation of the sweep's rows, at
 * once, recorded, compiled and run, printed, differentiated and vectorised, gives a result or an
 * error; builds with -DCT_SANITIZE=address,undefined say the rest. */
#include "tests/check.h"
#include "tests/sweep.h"

#include "trace/trace.h"

#include <cotangent/cotangent.h>
#include <cotangent/module.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HUGE_EXTENT ((int64_t)1 << 62)

static const int64_t shapes[][3] = {
    {HUGE_EXTENT, 3, 0},           {HUGE_EXTENT, 0, 3},           {0, HUGE_EXTENT, HUGE_EXTENT},
    {HUGE_EXTENT, 0, HUGE_EXTENT}, {HUGE_EXTENT, HUGE_EXTENT, 0}, {0, INT64_MAX, INT64_MAX},
    {INT64_MAX, 0, INT64_MAX},     {INT64_MAX, INT64_MAX, 0},     {3, HUGE_EXTENT, 0},
    {0, 3, HUGE_EXTENT},
};
enum { N_SHAPES = sizeof shapes / sizeof *shapes };

/* ---- A context in which what is too large for any test does not fit. */

static void *allocate(void *user, size_t bytes, size_t align)
{
    (void)user;
    return bytes > (size_t)1 << 26 ? NULL
                                   : aligned_alloc(align, (bytes + align - 1) / align * align);
}

static void release(void *user, void *memory, size_t bytes)
{
    (void)user;
    (void)bytes;
    free(memory);
}

static ct_context *new_context(void)
{
    return ct_context_new_with(&(ct_allocator){sizeof(ct_allocator), NULL, allocate, release});
}

/* ---- What is done with a function of a row, and with its results. */

static void use_value(ct_tensor *y)
{
    if (ct_is_poison(y) || y->type->kind != CT__TENSOR)
        return;
    CHECK(*ct_text(y) != 0);
    CHECK(ct_equal(y, y) || y->type->size > 0); /* NaN is not equal */
}

/* Prints it and runs it on zeros. */
static void use_function(ct_context *ctx, ct_function *f)
{
    ct_tensor *x[4 * SWEEP_MOST], *y[4 * SWEEP_MOST] = {NULL};
    size_t n_x = ct_failed(ctx) ? 0 : ct_function_parameters(f);
    size_t n_y = ct_failed(ctx) ? 0 : ct_function_results(f);

    if (!ct_failed(ctx) && n_x <= 4 * SWEEP_MOST && n_y <= 4 * SWEEP_MOST) {
        CHECK(*ct_stablehlo_text(f, CT_WRITE_PRETTY) || ct_failed(ctx));
        ct_function_flops(f);
        for (size_t i = 0; i < n_x; i++) {
            const ct_type *type = ct_parameter_type(f, i);
            x[i] = ct_zeros(ctx, type->dtype, (ct_shape){(size_t)type->rank, type->dim});
        }
        ct_call(ct_compile(f, NULL), (ct_list){n_x, x}, y, n_y);
        for (size_t i = 0; i < n_y && !ct_failed(ctx); i++)
            use_value(y[i]);
    }
    ct_error_clear(ctx);
}

static void transform(ct_context *ctx, ct_function *f)
{
    use_function(ctx, ct_jvp(f, CT_ALL_ARGS));
    use_function(ctx, ct_vjp(f, CT_ALL_ARGS));
    use_function(ctx, ct_vmap_leading(f, 2));
    use_function(ctx, ct_vmap_leading(f, 0));
    use_function(ctx, ct_simplify(f));
}

/* Whether all operands exist. */
static bool apply_at_once(sweep *s, const sweep_row *row)
{
    s->builder = NULL;
    s->n_in = s->n_out = s->n_numbers = 0;
    row->program(s);
    ct_error_clear(s->ctx);
    for (size_t i = 0; i < s->n_out; i++)
        use_value(s->out[i]);
    ct_error_clear(s->ctx);
    for (size_t i = 0; i < s->n_in; i++)
        if (ct_is_poison(s->in[i]))
            return false;
    return true;
}

static bool check_row(sweep *s, const sweep_row *row)
{
    bool traced = apply_at_once(s, row);

    if (traced) {
        s->builder = ct_trace_begin(s->ctx, "f", (ct_list){s->n_in, s->in});
        s->n_in = s->n_out = s->n_numbers = 0;
        row->program(s);
        ct_function *f = ct_trace_end(s->builder, (ct_list){s->n_out, s->out});
        CHECK_MSG(!ct_failed(s->ctx), "%s: %s", row->name, ct_error_message(s->ctx));
        if (row->kind != SWEEP_TRACED) {
            use_function(s->ctx, f);
            transform(s->ctx, f);
        }
    }
    return traced;
}

static void check_rows(const sweep_row *row, size_t count)
{
    static const ct_dtype usual[] = {CT_F32, CT_BF16, CT_I8, CT_BOOL, CT_C64};
    static sweep s;

    for (size_t i = 0; i < count; i++) {
        int traced = 0;
        for (size_t k = 0; k < sizeof usual / sizeof *usual; k++)
            for (size_t j = 0; j < N_SHAPES; j++) {
                if (!(row[i].shapes & SWEEP_EMPTY) || !sweep_takes(&row[i], usual[k]))
                    continue;
                s = (sweep){.ctx = new_context(),
                            .dtype = usual[k],
                            .shape = {3, shapes[j]},
                            .forgives = true};
                traced += check_row(&s, &row[i]);
                ct_context_free(s.ctx);
            }
        CHECK_MSG(traced > 0 || !(row[i].shapes & SWEEP_EMPTY), "%s never ran", row[i].name);
    }
}

/* ---- What no row of the sweep has. */

/* Sums over several axes, of which one may be empty, and a product of what is left. */
static void contract(sweep *s)
{
    ct_tensor *x = sweep_x(s), *y = sweep_x(s);

    sweep_give(s, ct_op_dot_general(x, y,
                                    &(ct_dot_dims){.lhs_contracting = CT_DIMS(0, 1, 2),
                                                   .rhs_contracting = CT_DIMS(0, 1, 2)}));
    sweep_give(s, ct_op_dot_general(x, y,
                                    &(ct_dot_dims){.lhs_contracting = CT_DIMS(0, 2),
                                                   .rhs_contracting = CT_DIMS(0, 2)}));
}

static void compose(sweep *s)
{
    ct_tensor *x = sweep_x(s);

    sweep_give(s, ct_tile(x, CT_SHAPE(2, 3, 2)));
    for (int64_t d = 0; d < 3; d++) {
        sweep_give(s, ct_repeat(x, 3, d));
        sweep_give(s, ct_cumsum(x, d, true));
        sweep_give(s, ct_sort(x, d, CT_DESCENDING));
        sweep_give(s, ct_sum(x, CT_AXES(d), CT_KEEP_AXES));
    }
    sweep_give(s, ct_mean(x, CT_ALL_AXES, CT_DROP_AXES));
    sweep_give(s, ct_flip(x, CT_ALL_AXES));
    sweep_give(s, ct_tensordot(x, x, 1));
}

static const sweep_row own_rows[] = {
    {"contract", contract, SWEEP_ALL, CT__ANY, NULL, SWEEP_RUNS},
    {"compose", compose, SWEEP_ALL, CT__FLOATS, NULL, SWEEP_RUNS},
};

TEST(composed)
{
    check_rows(own_rows, sizeof own_rows / sizeof *own_rows);
}

TEST(moving)
{
    check_rows(sweep_rows, n_sweep_rows);
}

TEST(large)
{
    check_rows(sweep_large_rows, n_sweep_large_rows);
}

TEST(programs)
{
    check_rows(sweep_program_rows, n_sweep_program_rows);
}
