/* What batching rules share: types, values and lists with one axis more. */
#include "ad/batch.h"

#include <inttypes.h>
#include <string.h>

/* ---- Types. */

static const ct_type *no_memory(ct_context *ctx, ct_place at)
{
    ct__error_memory(ctx, at, "vmap");
    return NULL;
}

static const ct_type *batched_tensor(ct_context *ctx, ct_place at, ct__arena *arena,
                                     const ct_type *type, int64_t size)
{
    int64_t dim[CT__MAX_RANK + 1] = {size};
    size_t rank = (size_t)type->rank + 1;
    if (type->rank > 0)
        memcpy(dim + 1, type->dim, (size_t)type->rank * sizeof *dim);
    ct_status status = ct__type_check(type->dtype, rank, dim);
    if (status != CT_OK) {
        char text[256];
        ct__error(ctx, at, status, "vmap: %" PRId64 " lanes of %s are too %s", size,
                  ct__type_print(type, text, sizeof text),
                  status == CT_ERR_RANGE ? "large" : "many axes");
        return NULL;
    }
    const ct_type *batched = ct__type(arena, type->dtype, (int)rank, dim);
    if (batched && type->quantized) {
        ct__quantized quantized = *type->quantized;
        quantized.axis += quantized.axis >= 0;
        batched = ct__type_quantized(arena, batched, &quantized);
    }
    return batched ? batched : no_memory(ctx, at);
}

const ct_type *ct__batched_type(ct_context *ctx, ct_place at, ct__arena *arena, const ct_type *type,
                                int64_t size)
{
    if (type->kind == CT__TENSOR)
        return batched_tensor(ctx, at, arena, type, size);
    if (type->kind == CT__TOKEN)
        return type;
    const ct_type **element = CT__NEW_ARRAY(arena, const ct_type *, type->n_elements);
    if (!element)
        return no_memory(ctx, at);
    for (size_t i = 0; i < type->n_elements; i++) {
        element[i] = ct__batched_type(ctx, at, arena, type->element[i], size);
        if (!element[i])
            return NULL;
    }
    const ct_type *batched = type->kind == CT__STACK
                                 ? ct__type_stack(arena, element[0])
                                 : ct__type_tuple(arena, type->n_elements, element);
    return batched ? batched : no_memory(ctx, at);
}

/* ---- Values. */

ct_tensor *ct__batch_recorded(const ct__batch *q, ct_tensor *x)
{
    ct__id id;
    if (ct_failed(q->ctx) || !ct_is_concrete(x))
        return x;
    ct__resolution how = ct__trace_resolve(q->ctx, x, &id);
    if (how != CT__RESOLVED) {
        ct__trace_unresolved(q->ctx, q->at, "vmap", "a constant", x, how);
        return ct__poison(q->ctx);
    }
    return ct__tensor_traced(q->ctx, q->at, "constant", q->ctx->trace->serial, id, x->type);
}

static ct_tensor *spread_tuple(const ct__batch *q, ct_tensor *x, const ct_type *type)
{
    ct_tensor **element = CT__NEW_ARRAY(q->arena, ct_tensor *, type->n_elements);
    if (!element) {
        ct__error_memory(q->ctx, q->at, "vmap");
        return ct__poison(q->ctx);
    }
    for (size_t i = 0; i < type->n_elements; i++)
        element[i] = ct__batch_spread(q, ct_op_get_tuple_element_at(q->at, x, (int64_t)i),
                                      type->element[i]);
    return ct_op_tuple_at(q->at, q->ctx, (ct_list){type->n_elements, element});
}

/* Equal elements are stored once, so that they stay concrete; other constants are not copied for
 * every lane. */
ct_tensor *ct__batch_spread(const ct__batch *q, ct_tensor *x, const ct_type *type)
{
    int64_t dim[CT__MAX_RANK + 1] = {q->size}, axis[CT__MAX_RANK];
    double value;
    if (ct_failed(q->ctx) || type->kind == CT__TOKEN)
        return x;
    if (type->kind == CT__TUPLE)
        return spread_tuple(q, x, type);
    if (!ct__splat_value(x, &value))
        x = ct__batch_recorded(q, x);
    for (int d = 0; d < type->rank; d++) {
        dim[d + 1] = type->dim[d];
        axis[d] = d + 1;
    }
    size_t rank = (size_t)type->rank;
    return ct_op_broadcast_in_dim_at(q->at, x, (ct_dims){rank + 1, dim}, (ct_dims){rank, axis});
}

ct_tensor *ct__batch_full(const ct__batch *q, size_t i)
{
    return q->batched[i] ? q->x[i] : ct__batch_spread(q, q->x[i], q->type[i]);
}

bool ct__batch_any(const ct__batch *q, size_t first)
{
    bool any = false;
    for (size_t i = first; i < q->n_operands; i++)
        any = any || q->batched[i];
    return any;
}

ct_tensor *ct__moved_axis(ct_place at, ct_tensor *x, size_t from, size_t to)
{
    int64_t permutation[CT__MAX_RANK];
    size_t rank = ct_rank(x);
    if (from == to || ct_is_poison(x))
        return x;
    for (size_t d = 0, next = 0; d < rank; d++) {
        next += next == from;
        permutation[d] = d == to ? (int64_t)from : (int64_t)next++;
    }
    return ct_op_transpose_at(at, x, (ct_dims){rank, permutation});
}

/* ---- Lists. */

/* `lead` items to be set, then every item + shift. */
static int64_t *longer(const ct__batch *q, size_t lead, ct__ints list, int64_t shift,
                       ct__ints *result)
{
    int64_t *item = CT__NEW_ARRAY(q->arena, int64_t, lead + list.count);
    *result = (ct__ints){item ? lead + list.count : 0, item};
    if (!item)
        ct__error_memory(q->ctx, q->at, "vmap");
    for (size_t i = 0; item && i < list.count; i++)
        item[lead + i] = list.item[i] + shift;
    return item;
}

ct__ints ct__batch_shifted(const ct__batch *q, ct__ints list)
{
    ct__ints result;
    longer(q, 0, list, 1, &result);
    return result;
}

static ct__ints behind(const ct__batch *q, int64_t first, ct__ints list, int64_t shift)
{
    ct__ints result;
    int64_t *item = longer(q, 1, list, shift, &result);
    if (item)
        item[0] = first;
    return result;
}

ct__ints ct__batch_behind(const ct__batch *q, int64_t first, ct__ints list)
{
    return behind(q, first, list, 1);
}

ct__ints ct__batch_prepended(const ct__batch *q, int64_t first, ct__ints list)
{
    return behind(q, first, list, 0);
}

/* ---- Recording. */

void ct__batch_fail(ct__batch *q)
{
    for (size_t i = 0; i < q->n_results; i++)
        q->y[i] = ct__poison(q->ctx);
}

/* The results' batched types, in the arena; NULL after an error. */
static const ct_type **given_types(const ct__batch *q)
{
    const ct_type **given = CT__NEW_ARRAY(q->arena, const ct_type *, q->n_results);
    if (!given)
        ct__error_memory(q->ctx, q->at, "vmap");
    for (size_t i = 0; given && i < q->n_results; i++) {
        given[i] = q->y_batched[i]
                       ? ct__batched_type(q->ctx, q->at, q->arena, q->result_type[i], q->size)
                       : q->result_type[i];
        if (!given[i])
            return NULL;
    }
    return given;
}

void ct__batch_apply(ct__batch *q, const ct__attrs *attrs, size_t n_operands,
                     ct_tensor *const *operand)
{
    const ct_type **given = q->is_typed ? given_types(q) : NULL;
    if (q->is_typed && !given) {
        ct__batch_fail(q);
        return;
    }
    ct__apply(&(ct__request){.ctx = q->ctx,
                             .at = q->at,
                             .op = q->op,
                             .attrs = attrs,
                             .n_operands = n_operands,
                             .operand = operand,
                             .n_regions = q->n_regions,
                             .region = q->region,
                             .n_given = given ? q->n_results : 0,
                             .given = given},
              q->y, q->n_results);
}

void ct__batch_apply_leading(ct__batch *q, const ct__attrs *attrs, size_t count)
{
    ct_tensor **operand = CT__NEW_ARRAY(q->arena, ct_tensor *, q->n_operands);
    if (!operand) {
        ct__error_memory(q->ctx, q->at, "vmap");
        ct__batch_fail(q);
        return;
    }
    for (size_t i = 0; i < q->n_operands; i++)
        operand[i] = i < count ? ct__batch_full(q, i) : q->x[i];
    ct__batch_apply(q, attrs, q->n_operands, operand);
}

void ct__batch_apply_full(ct__batch *q, const ct__attrs *attrs)
{
    ct__batch_apply_leading(q, attrs, q->n_operands);
}

/* ---- Choosing. */

static ct_tensor *choose_element(const ct__batch *q, ct_tensor *lanes, ct_tensor *x, ct_tensor *y,
                                 const ct_type *type, size_t i)
{
    return ct__batch_choose(q, lanes, ct_op_get_tuple_element_at(q->at, x, (int64_t)i),
                            ct_op_get_tuple_element_at(q->at, y, (int64_t)i), type->element[i]);
}

static ct_tensor *choose_elements(const ct__batch *q, ct_tensor *lanes, ct_tensor *x, ct_tensor *y,
                                  const ct_type *type)
{
    ct_tensor **element = CT__NEW_ARRAY(q->arena, ct_tensor *, type->n_elements);
    if (!element) {
        ct__error_memory(q->ctx, q->at, "vmap");
        return ct__poison(q->ctx);
    }
    for (size_t i = 0; i < type->n_elements; i++)
        element[i] = choose_element(q, lanes, x, y, type, i);
    return ct_op_tuple_at(q->at, q->ctx, (ct_list){type->n_elements, element});
}

ct_tensor *ct__batch_choose(const ct__batch *q, ct_tensor *lanes, ct_tensor *x, ct_tensor *y,
                            const ct_type *type)
{
    if (ct_failed(q->ctx) || type->kind == CT__TOKEN || type->kind == CT__STACK)
        return x;
    if (type->kind == CT__TUPLE)
        return choose_elements(q, lanes, x, y, type);
    const ct_type *whole = ct_type_of(x);
    ct_tensor *operand[] = {ct_op_broadcast_in_dim_at(q->at, lanes,
                                                      (ct_dims){(size_t)whole->rank, whole->dim},
                                                      CT_DIMS(0)),
                            x, y};
    return ct__apply1(&(ct__request){.at = q->at,
                                     .op = CT__OP_select,
                                     .n_operands = 3,
                                     .operand = operand,
                                     .n_given = whole->quantized != NULL,
                                     .given = &whole});
}
