#include "tests/sweep.h"

#include "tests/values.h"

#include "trace/trace.h"

#include <cotangent/cotangent.h>
#include <cotangent/module.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Operands. */

/* Numbers that the dtype has: small, of both signs where there are two, and some ties. */
static double number(ct_dtype dtype, size_t i)
{
    static const double floats[] = {1, -2, 0.5, 0, 4, -1, 1, 0.25, -0.0, 2};

    if (dtype == CT_F8E8M0FNU)
        return (double)(1 << i % 3);
    if (ct_dtype_is_float(dtype) || ct_dtype_is_complex(dtype))
        return floats[i % 10];
    return dtype == CT_BOOL || !ct_dtype_is_signed(dtype) ? (double)(i * 5 % 7 % 2)
                                                          : (double)(i * 5 % 7 % 2) - 1;
}

ct_tensor *sweep_in(sweep *s, ct_dtype dtype, ct_shape shape)
{
    double value[256];
    int64_t size;

    CHECK(s->n_in < SWEEP_MOST);
    if (s->builder)
        return ct_trace_parameter(s->builder, s->n_in++);
    if (!ct__count_elements(shape.count, shape.dim, &size) || size > 256) {
        CHECK(s->forgives);
        return s->in[s->n_in++] = ct_zeros(s->ctx, dtype, shape);
    }
    for (size_t i = 0; i < (size_t)size; i++)
        value[i] = number(dtype, i + s->n_in);
    return s->in[s->n_in++] = ct_from_doubles(s->ctx, dtype, shape, value);
}

ct_tensor *sweep_x(sweep *s)
{
    return sweep_in(s, s->dtype, s->shape);
}

ct_tensor *sweep_element(sweep *s)
{
    return sweep_in(s, s->dtype, CT_SHAPE());
}

void sweep_give(sweep *s, ct_tensor *y)
{
    CHECK(s->n_out < SWEEP_MOST);
    if (s->forgives && ct_is_poison(y))
        ct_error_clear(s->ctx);
    else
        s->out[s->n_out++] = y;
}

/* ---- Attributes. */

static int64_t *numbers(sweep *s, size_t count)
{
    int64_t *item = s->number + s->n_numbers;

    s->n_numbers += count;
    CHECK(s->n_numbers <= sizeof s->number / sizeof *s->number);
    return item;
}

ct_dims sweep_each(sweep *s, int64_t n)
{
    int64_t *item = numbers(s, s->shape.count);

    for (size_t d = 0; d < s->shape.count; d++)
        item[d] = n;
    return (ct_dims){s->shape.count, item};
}

ct_dims sweep_all_axes(sweep *s)
{
    int64_t *item = numbers(s, s->shape.count);

    for (size_t d = 0; d < s->shape.count; d++)
        item[d] = (int64_t)d;
    return (ct_dims){s->shape.count, item};
}

ct_shape sweep_stacked(sweep *s, int64_t extent)
{
    int64_t *item = numbers(s, s->shape.count + 1);

    item[0] = extent;
    for (size_t d = 0; d < s->shape.count; d++)
        item[d + 1] = s->shape.dim[d];
    return (ct_shape){s->shape.count + 1, item};
}

ct_function *sweep_body(sweep *s, ct_tensor *(*f)(ct_place, ct_tensor *, ct_tensor *))
{
    ct_tensor *like = ct_spec(s->ctx, s->dtype, CT_SHAPE());
    ct_trace_builder *b = ct_trace_begin(s->ctx, "body", CT_LIKE(like, like));

    return ct_trace_end(b, CT_ARGV(f(CT_HERE, ct_trace_parameter(b, 0), ct_trace_parameter(b, 1))));
}

/* ---- Checks. */

static void note(sweep *s, const ct__graph *graph)
{
    for (size_t i = 0; i < graph->n_nodes; i++) {
        s->seen[graph->node[i].op] = true;
        for (size_t k = 0; k < graph->node[i].n_regions; k++)
            note(s, graph->node[i].region[k]);
    }
}

static void check_text(const char *what, ct_function *f, unsigned flags)
{
    ct_context *ctx = ct_function_context(f);
    const char *text = ct_stablehlo_text(f, flags);
    ct_function *g = ct_module_function(ct_read_stablehlo_text(ctx, "t", text, strlen(text)), NULL);

    CHECK_MSG(!ct_failed(ctx), "%s: %s\nin\n%s", what, ct_error_message(ctx), text);
    CHECK_MSG(ct__graph_equal(f->graph, g->graph, false), "%s is read as another graph:\n%s", what,
              text);
}

static void check_run(const char *what, sweep *s, ct_function *f, const sweep_row *row,
                      ct_tensor *const *expected)
{
    ct_tensor *y[SWEEP_MOST];

    const ct_compile_options reference = {.size = sizeof reference,
                                          .executor = CT_EXECUTOR_INTERPRETER};
    ct_call(ct_compile(f, &reference), (ct_list){s->n_in, s->in}, y, s->n_out);
    CHECK_MSG(!ct_failed(s->ctx), "%s: %s", what, ct_error_message(s->ctx));
    for (size_t i = 0; i < s->n_out; i++)
        if (row->kind == SWEEP_DRAWS)
            CHECK_MSG(ct__type_equal(y[i]->type, expected[i]->type), "%s: result %zu", what, i);
        else if (row->kind == SWEEP_RUNS)
            values_check_equal(__FILE__, __LINE__, what, "what is computed at once", y[i],
                               expected[i], 1);
}

static void check_row(const char *what, sweep *s, const sweep_row *row)
{
    ct_tensor *direct[SWEEP_MOST];

    s->builder = NULL;
    s->n_in = s->n_out = s->n_numbers = 0;
    row->program(s);
    CHECK_MSG(!ct_failed(s->ctx) || row->kind >= SWEEP_COMPILED, "%s: %s", what,
              ct_error_message(s->ctx));
    ct_error_clear(s->ctx);
    memcpy(direct, s->out, sizeof direct);
    s->builder = ct_trace_begin(s->ctx, "f", (ct_list){s->n_in, s->in});
    s->n_in = s->n_out = s->n_numbers = 0;
    row->program(s);
    ct_function *f = ct_trace_end(s->builder, (ct_list){s->n_out, s->out});
    CHECK_MSG(!ct_failed(s->ctx), "%s: %s", what, ct_error_message(s->ctx));
    note(s, f->graph);
    if (row->kind != SWEEP_TRACED)
        check_run(what, s, f, row, direct);
    check_text(what, f, CT_WRITE_PRETTY);
    check_text(what, f, CT_WRITE_GENERIC);
}

static ct_shape shape_of(unsigned shape)
{
    static const int64_t plain[] = {2, 3}, empty[] = {2, 0, 3}, six[] = {2, 1, 3, 1, 1, 2};

    return shape == SWEEP_SCALAR  ? (ct_shape){0, plain}
           : shape == SWEEP_PLAIN ? (ct_shape){2, plain}
           : shape == SWEEP_EMPTY ? (ct_shape){3, empty}
                                  : (ct_shape){6, six};
}

bool sweep_takes(const sweep_row *row, ct_dtype dtype)
{
    if (!(row->dtypes & ct__class_of(dtype)))
        return false;
    if (!row->among)
        return true;
    for (const ct_dtype *one = row->among; *one != CT_INVALID_DTYPE; one++)
        if (*one == dtype)
            return true;
    return false;
}

void sweep_check(sweep *s, const sweep_row *row, ct_dtype dtype, unsigned shape)
{
    char what[128];

    snprintf(what, sizeof what, "%s of %s, rank %zu", row->name, ct_dtype_name(dtype),
             shape_of(shape).count);
    s->ctx = ct_context_new();
    s->dtype = dtype;
    s->shape = shape_of(shape);
    check_row(what, s, row);
    ct_context_free(s->ctx);
}
