/* The choice does not change around almost every x: select_and_scatter is the scatter of source to
 * the places that a fold over windows of x selects, and has that one's derivative. */
#include "ad/rules.h"
#include "ops/select_and_scatter.h"

/* A graph on the given parameters, which `build` computes from them. */
typedef void build_body(const ct__replaced *q, ct_tensor *const *param, ct_tensor **result);

/* Parameters of the types, then those of the captures; NULL after an error. */
static ct__graph *record_body(const ct__replaced *q, size_t n_own, const ct_type *const *own,
                              build_body *build, size_t n_results)
{
    ct__arena arena;
    ct__session session;
    size_t n_captures = q->n_operands - 3;
    ct__graph *body = NULL;
    ct_tensor *result[2];
    if (!ct__session_begin(&session, q->ctx, q->at, &arena, "of", q->region[0]))
        return NULL;
    ct_tensor **param = CT__NEW_ARRAY(&arena, ct_tensor *, n_own + n_captures);
    if (!param)
        ct__error_memory(q->ctx, q->at, "derivative");
    for (size_t i = 0; param && i < n_own + n_captures; i++)
        param[i] = ct__trace_param(q->ctx, q->at,
                                   i < n_own ? own[i] : ct_type_of(q->x[3 + i - n_own]));
    if (param)
        build(q, param, result);
    if (!ct_failed(q->ctx))
        body = ct__trace_close(q->ctx, q->at, n_results, result);
    ct__session_end(&session);
    return body;
}

/* ---- Which elements are selected. */

/* (v, i, w, j, captures…): v at position i stays where select(v, w) holds. What is no element of x
 * is at position -1, and never stays or comes. */
static void build_selection(const ct__replaced *q, ct_tensor *const *p, ct_tensor **result)
{
    ct_place at = q->at;
    ct_tensor *v = p[0], *i = p[1], *w = p[2], *j = p[3], *holds;
    ct__arena arena;
    ct__arena_init(&arena, &q->ctx->allocator);
    size_t n_captures = q->n_operands - 3;
    ct_tensor **argument = CT__NEW_ARRAY(&arena, ct_tensor *, 2 + n_captures);
    if (argument) {
        argument[0] = v;
        argument[1] = w;
        for (size_t k = 0; k < n_captures; k++)
            argument[2 + k] = p[4 + k];
        ct__replay(q->ctx, at, q->region[0], argument, &holds);
        ct_tensor *zero = ct__like(at, i, 0);
        ct_tensor *found = ct_op_compare_at(at, i, zero, CT_GE, CT_COMPARE_DEFAULT);
        ct_tensor *outside = ct_op_compare_at(at, j, zero, CT_LT, CT_COMPARE_DEFAULT);
        ct_tensor *stays = ct_op_or_at(at, outside, ct_op_and_at(at, found, holds));
        result[0] = ct_op_select_at(at, stays, v, w);
        result[1] = ct_op_select_at(at, stays, i, j);
    } else {
        ct__error_memory(q->ctx, at, "derivative");
    }
    ct__arena_free(&arena);
}

/* The windows of x and of the elements' numbers, folded; result[1] are the positions. */
static void apply_selection(const ct__replaced *q, ct__graph *body, ct_tensor *const *operand,
                            ct_tensor **result)
{
    const struct ct__attrs_select_and_scatter *a = &q->attrs->select_and_scatter;
    int64_t ones[CT__MAX_RANK];
    size_t rank = a->window_dimensions.count;
    for (size_t d = 0; d < rank; d++)
        ones[d] = 1;
    const ct__attrs attrs = {.reduce_window = {.window_dimensions = a->window_dimensions,
                                               .window_strides = a->window_strides,
                                               .base_dilations = {rank, ones},
                                               .window_dilations = {rank, ones},
                                               .padding_low = a->padding_low,
                                               .padding_high = a->padding_high,
                                               .n_inputs = 2}};
    ct__apply(&(ct__request){.ctx = q->ctx,
                             .at = q->at,
                             .op = CT__OP_reduce_window,
                             .attrs = &attrs,
                             .n_operands = q->n_operands + 1,
                             .operand = operand,
                             .n_regions = 1,
                             .region = &body},
              result, 2);
}

/* For each window the position in x, counted through all its elements, of the one that is selected;
 * -1 where the window has none. */
static ct_tensor *selected(const ct__replaced *q, ct__arena *arena, ct_dtype dtype)
{
    ct_place at = q->at;
    ct_tensor *x = ct_op_stop_gradient_at(at, q->x[0]), *result[2] = {NULL, ct__poison(q->ctx)};
    const ct_type value = {.kind = CT__TENSOR, .dtype = ct_dtype_of(x), .size = 1};
    const ct_type position = {.kind = CT__TENSOR, .dtype = dtype, .size = 1};
    const ct_type *const own[] = {&value, &position, &value, &position};
    ct_tensor **operand = CT__NEW_ARRAY(arena, ct_tensor *, q->n_operands + 1);
    ct__graph *body = record_body(q, 4, own, build_selection, 2);
    if (!operand)
        ct__error_memory(q->ctx, at, "derivative");
    if (body && operand) {
        ct_tensor *number = ct_op_iota_at(at, q->ctx, dtype, CT_DIMS(ct_size(x)), 0);
        operand[0] = x;
        operand[1] = ct_op_reshape_at(at, number, ct_shape_of(x));
        operand[2] = ct__zeros(q->ctx, at, &value);
        operand[3] = ct__splat(q->ctx, at, &position, -1);
        for (size_t i = 3; i < q->n_operands; i++)
            operand[1 + i] = ct_op_stop_gradient_at(at, q->x[i]);
        apply_selection(q, body, operand, result);
    }
    ct__graph_release(body);
    return result[1];
}

/* ---- Scattering. */

/* (old, new, captures…): scatter(new, old). */
static void build_scatter(const ct__replaced *q, ct_tensor *const *p, ct_tensor **result)
{
    ct__arena arena;
    ct__arena_init(&arena, &q->ctx->allocator);
    size_t n_captures = q->n_operands - 3;
    ct_tensor **argument = CT__NEW_ARRAY(&arena, ct_tensor *, 2 + n_captures);
    if (argument) {
        argument[0] = p[1];
        argument[1] = p[0];
        for (size_t k = 0; k < n_captures; k++)
            argument[2 + k] = p[2 + k];
        ct__replay(q->ctx, q->at, q->region[1], argument, result);
    } else {
        ct__error_memory(q->ctx, q->at, "derivative");
    }
    ct__arena_free(&arena);
}

/* init everywhere, places, source, captures; NULL after an error. */
static ct_tensor **scatter_operands(const ct__replaced *q, ct__arena *arena, ct_tensor *place)
{
    int64_t n = ct_size(q->x[1]);
    ct_tensor **operand = CT__NEW_ARRAY(arena, ct_tensor *, q->n_operands);
    if (!operand) {
        ct__error_memory(q->ctx, q->at, "derivative");
        return NULL;
    }
    operand[0] = ct_op_broadcast_in_dim_at(q->at, q->x[2], CT_DIMS(ct_size(q->x[0])), CT_DIMS());
    operand[1] = ct_op_reshape_at(q->at, place, CT_DIMS(n));
    operand[2] = ct_op_reshape_at(q->at, q->x[1], CT_DIMS(n));
    for (size_t i = 3; i < q->n_operands; i++)
        operand[i] = q->x[i];
    return operand;
}

/* y, flat: init everywhere, and source scattered to the places, of which -1 is none. */
static ct_tensor *scattered(const ct__replaced *q, ct__arena *arena, ct_tensor *place)
{
    const ct_type value = {.kind = CT__TENSOR, .dtype = ct_dtype_of(q->x[0]), .size = 1};
    const ct__attrs attrs = {.scatter = {.inserted_window_dims = {1, (int64_t[]){0}},
                                         .scatter_dims_to_operand_dims = {1, (int64_t[]){0}},
                                         .index_vector_dim = 1,
                                         .n_inputs = 1}};
    ct_tensor *y = ct__poison(q->ctx);
    ct__graph *body = record_body(q, 2, (const ct_type *const[]){&value, &value}, build_scatter, 1);
    ct_tensor **operand = body ? scatter_operands(q, arena, place) : NULL;
    if (operand)
        ct__apply(&(ct__request){.ctx = q->ctx,
                                 .at = q->at,
                                 .op = CT__OP_scatter,
                                 .attrs = &attrs,
                                 .n_operands = q->n_operands,
                                 .operand = operand,
                                 .n_regions = 1,
                                 .region = &body},
                  &y, 1);
    ct__graph_release(body);
    return y;
}

static void select_then_scatter(const ct__replaced *q)
{
    ct__arena arena;
    ct__arena_init(&arena, &q->ctx->allocator);
    ct_dtype dtype = ct_size(q->x[0]) <= INT32_MAX ? CT_I32 : CT_I64;
    ct_tensor *y = scattered(q, &arena, selected(q, &arena, dtype));
    q->y[0] = ct__reshaped(q->at, y, ct_shape_of(q->x[0]));
    ct__arena_free(&arena);
}

void ct__jvp_select_and_scatter(ct__jvp_whole *q)
{
    ct__jvp_replaced(q, select_then_scatter);
}

void ct__transpose_select_and_scatter(ct__transpose *q)
{
    ct__transpose_replaced(q, select_then_scatter);
}
