#include "tests/lanes.h"

#include <cotangent/ad.h>
#include <cotangent/op.h>
#include <cotangent/op_program.h>
#include <cotangent/op_stack.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 160, MOST_LANES = 3 };

/* ---- Functions of tensors alone. */

typedef struct leaves {
    size_t count;
    ct_tensor *item[MOST];
} leaves;

static void add_specs(ct_context *ctx, const ct_type *type, leaves *l)
{
    if (type->kind == CT__TENSOR)
        l->item[l->count++] = ct__tensor_spec(ctx, CT_HERE, type);
    for (size_t i = 0; i < type->n_elements; i++)
        add_specs(ctx, type->element[i], l);
}

static ct_tensor *assemble(ct_context *ctx, const ct_type *type, ct_trace_builder *b, size_t *next)
{
    leaves l = {0};
    if (type->kind == CT__TENSOR)
        return ct_trace_parameter(b, (*next)++);
    if (type->kind == CT__TOKEN)
        return ct_op_after_all(ctx, CT_NO_TENSORS);
    if (type->kind == CT__STACK) { /* that holds an element */
        ct_tensor *element = assemble(ctx, type->element[0], b, next);
        return ct_op_stack_add(ct_op_stack_new(element), ct_scalar(ctx, CT_I64, 1), element);
    }
    for (size_t i = 0; i < type->n_elements; i++)
        l.item[l.count++] = assemble(ctx, type->element[i], b, next);
    return ct_op_tuple(ctx, CT_LIST(l.count, l.item));
}

static void take_apart(ct_tensor *x, leaves *l)
{
    const ct_type *type = ct_type_of(x);
    if (!type || type->kind == CT__TENSOR)
        l->item[l->count++] = x;
    for (size_t i = 0; type && type->kind == CT__TUPLE && i < type->n_elements; i++)
        take_apart(ct_op_get_tuple_element(x, (int64_t)i), l);
    for (size_t i = 0; type && type->kind == CT__STACK && i < 3; i++)
        take_apart(ct_op_stack_get(x, ct_scalar(ct_context_of(x), CT_I64, (double)i)), l);
}

static ct_function *of_request(ct_context *ctx, const char *name, ct__request *request,
                               const ct_type *const *type, size_t n_results)
{
    leaves specs = {0}, operands = {0}, y = {0}, flat = {0};
    size_t next = 0;
    for (size_t i = 0; i < request->n_operands; i++)
        add_specs(ctx, type[i], &specs);
    ct_trace_builder *b = ct_trace_begin(ctx, name, CT_LIST(specs.count, specs.item));
    for (size_t i = 0; i < request->n_operands; i++)
        operands.item[i] = assemble(ctx, type[i], b, &next);
    request->ctx = ctx;
    request->operand = operands.item;
    ct__apply(request, y.item, n_results);
    for (size_t i = 0; i < n_results; i++)
        take_apart(y.item[i], &flat);
    return ct_trace_end(b, CT_LIST(flat.count, flat.item));
}

ct_function *lanes_of_function(ct_context *ctx, ct_function *f)
{
    const ct_type *type[MOST];
    ct__request request = {
        .op = CT__OP_call, .n_operands = f->graph->n_params, .n_regions = 1, .region = &f->graph};
    for (size_t i = 0; i < f->graph->n_params; i++)
        type[i] = ct__param_type(f->graph, i);
    return of_request(ctx, ct_function_name(f), &request, type, f->graph->n_results);
}

ct_function *lanes_of_node(ct_context *ctx, const ct__graph *graph, const ct__node *node)
{
    const ct_type *type[MOST], *given[MOST];
    bool typed = ct__node_is_typed(graph, node);
    ct__request request = {.op = node->op,
                           .attrs = node->attrs,
                           .n_operands = node->n_operands,
                           .n_regions = node->n_regions,
                           .region = node->region,
                           .n_given = typed ? node->n_results : 0,
                           .given = given};
    for (size_t i = 0; i < node->n_operands; i++)
        type[i] = ct__graph_type(graph, node->operand[i]);
    for (size_t i = 0; i < node->n_results; i++)
        given[i] = ct__graph_type(graph, node->first_result + (ct__id)i);
    return of_request(ctx, ct__op_describe(node->op)->name, &request, type, node->n_results);
}

/* ---- Values: small numbers, so that indices are in range and out of it, and sums are exact. */

static uint32_t draw(uint32_t *seed, uint32_t below)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (*seed >> 8) % below;
}

static double number(uint32_t *seed, const ct_type *type, int64_t i)
{
    int64_t n = type->rank > 1 ? type->dim[type->rank - 1] : 0;
    bool diagonal = n > 1 && type->dim[type->rank - 2] == n && i % (n * n) % (n + 1) == 0;
    if (type->quantized) {
        int64_t low = type->quantized->storage_min, high = type->quantized->storage_max;
        return (double)(low + draw(seed, (uint32_t)(high - low + 1)));
    }
    if (type->dtype == CT_BOOL)
        return draw(seed, 2);
    if (type->dtype == CT_F8E8M0FNU)
        return 1 << draw(seed, 3);
    if (ct_dtype_is_float(type->dtype) || ct_dtype_is_complex(type->dtype))
        return ((double)draw(seed, 17) - 8) / 4 + (diagonal ? 6 : 0); /* so that matrices factor */
    if (ct_dtype_is_signed(type->dtype))
        return (double)draw(seed, type->dtype == CT_I2 ? 4 : 9) - 2;
    return draw(seed, type->dtype == CT_U2 ? 4 : 7);
}

/* The elements of a lane as plain numbers, of a quantized tensor the stored ones. */
static ct_tensor *numbers(ct_context *ctx, uint32_t *seed, const ct_type *type)
{
    bool complex = ct_dtype_is_complex(type->dtype);
    ct_dtype part = complex ? ct__part_dtype(type->dtype) : type->dtype;
    double *value = calloc((size_t)type->size + 1, sizeof *value);
    ct_tensor *x[2] = {NULL, NULL};
    for (int p = 0; p < 2; p++) {
        for (int64_t i = 0; i < type->size; i++)
            value[i] = number(seed, type, i);
        x[p] = ct_from_doubles(ctx, part, ((ct_shape){(size_t)type->rank, type->dim}), value);
    }
    free(value);
    return complex ? ct_op_complex(x[0], x[1]) : x[0];
}

/* The argument in lane b: floats a little larger, integers by one, the other truth. */
static ct_tensor *modelled(ct_context *ctx, ct_tensor *x, int64_t b)
{
    bool is_float = ct_dtype_is_float(ct_dtype_of(x));
    if (b == 0 || ct_dtype_is_complex(ct_dtype_of(x)))
        return x;
    if (ct_dtype_of(x) == CT_BOOL)
        return b % 2 ? ct_op_not(x) : x;
    ct_tensor *by = ct_full(ctx, ct_dtype_of(x), ct_shape_of(x),
                            is_float ? 1 + (double)b / 16 : (double)b);
    return is_float ? ct_op_multiply(x, by) : ct_op_add(x, by);
}

/* Stored integers as the quantized tensor of the type, whose axis from `shift_from` on is moved. */
static ct_tensor *quantized(ct_tensor *x, const ct_type *type, int shift_from, int shift)
{
    ct_quantization q;
    if (!ct_type_quantization(type, &q))
        return x;
    if (q.axis >= shift_from)
        q.axis += shift;
    return ct_op_bitcast_quantize(x, q);
}

static ct_tensor *stored(ct_tensor *x)
{
    const ct_type *type = ct_type_of(x);
    return type && type->quantized ? ct_op_bitcast_convert(x, type->dtype) : x;
}

/* x with axis `from` moved to `to`. */
static ct_tensor *moved(ct_tensor *x, int64_t from, int64_t to)
{
    int64_t permutation[CT__MAX_RANK], next = 0;
    for (int64_t d = 0; d < (int64_t)ct_rank(x); d++) {
        next += next == from;
        permutation[d] = d == to ? from : next++;
    }
    return ct_op_transpose(x, ((ct_dims){ct_rank(x), permutation}));
}

/* Lanes side by side along the axis. */
static ct_tensor *stacked(ct_context *ctx, const ct_type *type, size_t size, ct_tensor *const *lane,
                          int64_t axis)
{
    int64_t dim[CT__MAX_RANK + 1] = {1};
    ct_tensor *row[MOST_LANES];
    for (int d = 0; d < type->rank; d++)
        dim[d + 1] = type->dim[d];
    ct_dims shape = {(size_t)type->rank + 1, dim};
    for (size_t i = 0; i < size; i++)
        row[i] = ct_op_reshape(lane[i], shape);
    dim[0] = 0;
    ct_tensor *all = size ? ct_op_concatenate(CT_LIST(size, row), 0)
                          : ct_zeros(ctx, type->dtype, shape);
    return moved(all, 0, axis);
}

/* Lane i of stored numbers along the axis. */
static ct_tensor *lane_at(ct_tensor *x, int64_t axis, int64_t i)
{
    int64_t start[CT__MAX_RANK] = {0}, limit[CT__MAX_RANK], stride[CT__MAX_RANK];
    size_t rank = ct_rank(x);
    ct_tensor *front = moved(x, axis, 0);
    for (size_t d = 0; d < rank; d++) {
        limit[d] = ct_dim(front, (int64_t)d);
        stride[d] = 1;
    }
    start[0] = i;
    limit[0] = i + 1;
    ct_tensor *row = ct_op_slice(front, ((ct_dims){rank, start}), ((ct_dims){rank, limit}),
                                 ((ct_dims){rank, stride}));
    return ct_op_reshape(row, ((ct_dims){rank - 1, limit + 1}));
}

/* ---- One comparison. */

typedef struct trial {
    ct_context *ctx;
    ct_function *f;
    lanes_way way;
    const char *what;
    size_t n_arguments, n_results;
    int64_t in[MOST], out[MOST];     /* axes as asked for */
    int64_t place[MOST], back[MOST]; /* from the front */
    ct_tensor *argument[MOST];
    ct_tensor *lane[MOST_LANES][MOST];
    ct_tensor *expected[MOST_LANES][MOST];
    ct_tensor *found[MOST];
} trial;

static void fail(const trial *t, const char *why)
{
    char text[512];
    snprintf(text, sizeof text, "%s (size %d, batched %x, turn %d): %s", t->what, (int)t->way.size,
             t->way.batched, (int)t->way.turn, why);
    if (ct_failed(t->ctx))
        fprintf(stderr, "%s\n", ct_error_message(t->ctx));
    check_fail(__FILE__, __LINE__, "%s", text);
}

static int64_t axis_for(const trial *t, int rank, int64_t *place)
{
    *place = t->way.turn % (rank + 1);
    return t->way.turn % 2 ? *place - (rank + 1) : *place;
}

static void make_arguments(trial *t)
{
    uint32_t seed = t->way.seed * 77 + 5;
    for (size_t i = 0; i < t->n_arguments; i++) {
        const ct_type *type = ct_parameter_type(t->f, i);
        ct_tensor *x[MOST_LANES];
        t->in[i] = axis_for(t, type->rank, &t->place[i]);
        if (i >= 32 || !(t->way.batched >> i & 1)) {
            t->in[i] = CT_UNBATCHED;
            t->argument[i] = t->way.like ? t->way.like[i]
                                         : quantized(numbers(t->ctx, &seed, type), type, 0, 0);
            for (int64_t b = 0; b < t->way.size; b++)
                t->lane[b][i] = t->argument[i];
            continue;
        }
        for (int64_t b = 0; b < t->way.size; b++) {
            x[b] = t->way.like ? modelled(t->ctx, t->way.like[i], b) : numbers(t->ctx, &seed, type);
            t->lane[b][i] = quantized(x[b], type, 0, 0);
        }
        t->argument[i] = quantized(stacked(t->ctx, type, (size_t)t->way.size, x, t->place[i]), type,
                                   (int)t->place[i], 1);
    }
}

/* All lanes in one run, so that each draws random numbers behind those of the one before. */
static void run_together(trial *t)
{
    ct_tensor *spec[MOST], *y[MOST];
    size_t n = 0, size = (size_t)t->way.size;
    for (size_t b = 0; b < size; b++)
        for (size_t i = 0; i < t->n_arguments; i++)
            spec[n++] = t->lane[b][i];
    ct_trace_builder *builder = ct_trace_begin(t->ctx, "lanes", CT_LIST(n, spec));
    for (size_t b = 0; b < size; b++) {
        ct_tensor *argument[MOST];
        for (size_t i = 0; i < t->n_arguments; i++)
            argument[i] = ct_trace_parameter(builder, b * t->n_arguments + i);
        ct_apply(t->f, CT_LIST(t->n_arguments, argument), y + b * t->n_results, t->n_results);
    }
    ct_function *all = ct_trace_end(builder, CT_LIST(size * t->n_results, y));
    ct_apply(all, CT_LIST(n, spec), y, size * t->n_results);
    for (size_t b = 0; b < size; b++)
        memcpy(t->expected[b], y + b * t->n_results, t->n_results * sizeof *y);
}

/* The status of the first lane that fails. */
static ct_status run_lanes(trial *t)
{
    t->ctx->n_drawn = 0;
    if (t->f->graph->has_effect)
        run_together(t);
    for (int64_t b = 0; b < t->way.size && !t->f->graph->has_effect; b++)
        ct_apply(t->f, CT_LIST(t->n_arguments, t->lane[b]), t->expected[b], t->n_results);
    ct_status status = ct_error_status(t->ctx);
    ct_error_clear(t->ctx);
    return status;
}

static ct_status run_vectorised(trial *t)
{
    for (size_t i = 0; i < t->n_results; i++)
        t->out[i] = axis_for(t, ct_result_type(t->f, i)->rank, &t->back[i]);
    ct_function *g = ct_vmap(t->f, t->way.size, ((ct_axes){false, t->n_arguments, t->in}),
                             ((ct_axes){false, t->n_results, t->out}));
    if (ct_failed(t->ctx))
        fail(t, "it is not vectorised");
    t->ctx->n_drawn = 0;
    ct_apply(g, CT_LIST(t->n_arguments, t->argument), t->found, t->n_results);
    ct_status status = ct_error_status(t->ctx);
    if (status == CT_OK || t->way.size == 0)
        ct_error_clear(t->ctx);
    return status;
}

static void compare(trial *t)
{
    for (size_t i = 0; i < t->n_results; i++) {
        const ct_type *type = ct_result_type(t->f, i);
        if (ct_rank(t->found[i]) != (size_t)type->rank + 1 ||
            ct_dim(t->found[i], t->back[i]) != t->way.size)
            fail(t, "a result has not the lanes that it should have");
        for (int64_t b = 0; b < t->way.size; b++) {
            ct_tensor *x = lane_at(stored(t->found[i]), t->back[i], b);
            ct_tensor *y = stored(t->expected[b][i]);
            if (ct_equal(x, y))
                continue;
            fprintf(stderr, "lane %d of result %d: found %s, expected %s\n", (int)b, (int)i,
                    ct_text(x), ct_text(y));
            fail(t, "a lane differs");
        }
    }
}

void lanes_check(ct_context *ctx, ct_function *f, lanes_way way, const char *what)
{
    static trial t; /* large, and the first failure ends the test */
    ct_scope scope = ct_scope_begin(ctx);
    t = (trial){.ctx = ctx,
                .f = f,
                .way = way,
                .what = what,
                .n_arguments = ct_function_parameters(f),
                .n_results = ct_function_results(f)};
    make_arguments(&t);
    if (ct_failed(ctx))
        fail(&t, "there are no arguments");
    ct_status expected = run_lanes(&t), found = run_vectorised(&t);
    if (way.size > 0 && expected != found)
        fail(&t, expected == CT_OK ? "it does not run" : "a lane fails, and the whole does not");
    ct_error_clear(ctx);
    if (found == CT_OK)
        compare(&t);
    if (ct_failed(ctx))
        fail(&t, "comparing failed");
    ct_scope_end(scope);
}

void lanes_check_all(ct_context *ctx, ct_function *f, const char *what)
{
    size_t n = ct_function_parameters(f);
    unsigned all = n < 32 ? (1u << n) - 1 : ~0u;
    int64_t turns = 1;
    uint32_t seed = 1;
    for (size_t i = 0; i < n; i++)
        if (ct_parameter_type(f, i)->rank + 1 > turns)
            turns = ct_parameter_type(f, i)->rank + 1;
    for (unsigned batched = 0; batched <= all; batched++) {
        unsigned others = all & ~batched;
        bool extreme = batched == all || !(batched & (batched - 1)) || !(others & (others - 1));
        if (n > 5 && !extreme)
            continue;
        for (int64_t turn = 0; turn < turns; turn++)
            lanes_check(ctx, f, (lanes_way){3, batched, turn, seed++, NULL}, what);
        lanes_check(ctx, f, (lanes_way){1, batched, 1, seed++, NULL}, what);
        lanes_check(ctx, f, (lanes_way){0, batched, 2, seed++, NULL}, what);
        if (batched == all)
            break;
    }
}
