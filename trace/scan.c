/* Loops with a known count. */
#include "trace/control.h"

#include <inttypes.h>
#include <string.h>

/* A loop in progress. Its lists and types live in the arena. */
typedef struct scan {
    ct_context *ctx;
    ct_place at;
    ct_scan_body *body;
    void *user;
    const ct_loop *loop; /* whole, whatever the size of the program's */
    ct__arena arena;
    size_t n_params;
    const ct_type **type; /* of one iteration's parameters: the carry, then a row of each x */
} scan;

static bool out_of_memory(const scan *s)
{
    ct__error_memory(s->ctx, s->at, "scan");
    return false;
}

/* ---- Checking. */

/* Of the first version, without the context. */
static const size_t first_size = offsetof(ct_loop, ctx);

static ct_context *context_of(const ct_loop *loop)
{
    ct_context *ctx = ct__context_of_list((ct_list){loop->n_carry, loop->carry});
    if (!ctx)
        ctx = ct__context_of_list(loop->xs);
    return ctx ? ctx : loop->ctx;
}

static bool check_arguments(const scan *s)
{
    const ct_loop *loop = s->loop;
    const char *missing = !s->body                               ? "the body"
                          : !loop->carry && loop->n_carry > 0    ? "carry"
                          : !loop->xs.item && loop->xs.count > 0 ? "xs"
                          : !loop->ys && loop->n_ys > 0          ? "ys"
                                                                 : NULL;
    if (missing)
        ct__error(s->ctx, s->at, CT_ERR_ARGUMENT, "scan: %s is NULL", missing);
    else if (loop->size < first_size)
        ct__error(s->ctx, s->at, CT_ERR_ARGUMENT, "scan: the loop's size is not set");
    else if (loop->length < 0)
        ct__error(s->ctx, s->at, CT_ERR_SHAPE, "scan: a length of %" PRId64, loop->length);
    return !ct_failed(s->ctx);
}

/* The type of tensor i of a list, or NULL after an error. */
static const ct_type *type_of(const scan *s, const char *list, size_t i, const ct_tensor *x)
{
    char name[64];
    if (!ct__operand_check(s->ctx, s->at, "scan", ct__item_name(name, list, i), x))
        return NULL;
    if (x->type->kind == CT__TENSOR)
        return x->type;
    ct__error(s->ctx, s->at, CT_ERR_TYPE, "scan: %s is not a tensor", name);
    return NULL;
}

static bool has_rows(const scan *s, size_t i, const ct_type *type)
{
    char text[256];
    if (type->rank > 0 && type->dim[0] == s->loop->length)
        return true;
    ct__error(s->ctx, s->at, CT_ERR_SHAPE,
              "scan: xs[%zu] is %s, which has not %" PRId64 " rows for as many iterations", i,
              ct__type_print(type, text, sizeof text), s->loop->length);
    return false;
}

/* Copies of the types, which hold whatever a body releases. */
static bool collect_types(scan *s)
{
    const ct_loop *loop = s->loop;
    s->n_params = loop->n_carry + loop->xs.count;
    s->type = CT__NEW_ARRAY(&s->arena, const ct_type *, s->n_params);
    if (!s->type)
        return out_of_memory(s);
    for (size_t i = 0; i < loop->n_carry; i++) {
        const ct_type *type = type_of(s, "carry", i, loop->carry[i]);
        if (!type)
            return false;
        s->type[i] = ct__type_copy(&s->arena, type);
        if (!s->type[i])
            return out_of_memory(s);
    }
    for (size_t i = 0; i < loop->xs.count; i++) {
        const ct_type *type = type_of(s, "xs", i, loop->xs.item[i]);
        if (!type || !has_rows(s, i, type))
            return false;
        const ct_type **row = &s->type[loop->n_carry + i];
        *row = ct__type_like(&s->arena, type, type->rank - 1, type->dim + 1);
        if (!*row)
            return out_of_memory(s);
    }
    return true;
}

/* ---- Recording. */

/* One iteration on any values: param is the carry, then rows; result the next carry, then the y,
 * tensors all unless there is an error. */
static void call_body(void *closure, ct_tensor *const *param, ct_tensor **result)
{
    const scan *s = closure;
    size_t n = s->loop->n_carry;
    if (n)
        memcpy(result, param, n * sizeof *result);
    s->body(s->user, result, param + n, result + n);
    for (size_t i = 0; i < n && !ct_failed(s->ctx); i++)
        type_of(s, "carry", i, result[i]);
    for (size_t i = 0; i < s->loop->n_ys && !ct_failed(s->ctx); i++)
        type_of(s, "y", i, result[n + i]);
}

static bool record_body(scan *s, ct__region *region)
{
    const ct_loop *loop = s->loop;
    if (!ct__record_region(s->ctx, s->at, "scan", s->n_params, s->type, call_body, s,
                           loop->n_carry + loop->n_ys, region))
        return false;
    for (size_t i = 0; i < loop->n_carry; i++) {
        const ct_type *next = ct__result_type(region->graph, i);
        if (!ct__keeps_type(s->ctx, s->at, "scan", "carry", i, s->type[i], next)) {
            ct__region_free(s->ctx, region);
            return false;
        }
    }
    return true;
}

/* The initial carry and the xs as handles of the current scope, for the body may release the
 * program's. NULL after an error. */
static ct_tensor **hold_inputs(scan *s)
{
    const ct_loop *loop = s->loop;
    ct_tensor **input = CT__NEW_ARRAY(&s->arena, ct_tensor *, s->n_params);
    if (!input)
        out_of_memory(s);
    for (size_t i = 0; input && i < s->n_params; i++)
        input[i] = ct__hold(s->at, "scan",
                            i < loop->n_carry ? loop->carry[i] : loop->xs.item[i - loop->n_carry]);
    return input;
}

/* All lists one after another: carry, xs, captures. */
static ct_tensor **operands_of(scan *s, ct_tensor *const *input, const ct__region *region,
                               size_t *n)
{
    *n = s->n_params + region->n_captures;
    ct_tensor **operand = CT__NEW_ARRAY(&s->arena, ct_tensor *, *n);
    for (size_t i = 0; operand && i < *n; i++)
        operand[i] = i < s->n_params ? input[i] : region->capture[i - s->n_params];
    return operand;
}

static bool apply_scan(scan *s, ct_tensor *const *input, const ct__region *region,
                       ct_tensor **result)
{
    const ct_loop *loop = s->loop;
    const ct__attrs attrs = {.scan = {.length = loop->length,
                                      .n_carry = (int64_t)loop->n_carry,
                                      .n_inputs = (int64_t)loop->xs.count,
                                      .is_reverse = loop->reverse}};
    size_t n;
    ct_tensor **operand = operands_of(s, input, region, &n);
    if (!operand)
        return out_of_memory(s);
    const ct__request request = {.ctx = s->ctx,
                                 .at = s->at,
                                 .op = CT__OP_scan,
                                 .attrs = &attrs,
                                 .n_operands = n,
                                 .operand = operand,
                                 .n_regions = 1,
                                 .region = &region->graph};
    return ct__apply(&request, result, loop->n_carry + loop->n_ys);
}

static void record(scan *s)
{
    const ct_loop *loop = s->loop;
    size_t n = loop->n_carry + loop->n_ys;
    ct_tensor **result = CT__NEW_ARRAY(&s->arena, ct_tensor *, n);
    if (!result) {
        out_of_memory(s);
        return;
    }
    ct__region region;
    ct_scope scope = ct__scope_begin(s->ctx, s->at, "scan");
    ct_tensor **input = hold_inputs(s);
    if (record_body(s, &region)) {
        if (apply_scan(s, input, &region, result)) {
            for (size_t i = 0; i < n; i++) {
                ct_tensor **slot = i < loop->n_carry ? &loop->carry[i]
                                                     : &loop->ys[i - loop->n_carry];
                *slot = ct_keep(result[i]);
            }
        }
        ct__region_free(s->ctx, &region);
    }
    ct_scope_end(scope);
}

/* ---- Calling at once. */

/* The y of all iterations: rows of one storage. */
typedef struct stacked {
    const ct_type *row; /* in the arena */
    const ct_type *type;
    ct__storage *storage;
} stacked;

static bool begin_stack(scan *s, stacked *y, const ct_type *row)
{
    int64_t dim[CT__MAX_RANK + 1] = {s->loop->length};
    if (row->rank)
        memcpy(dim + 1, row->dim, (size_t)row->rank * sizeof *dim);
    ct_status status = ct__type_check(row->dtype, (size_t)row->rank + 1, dim);
    if (status != CT_OK) {
        char text[256];
        ct__error(s->ctx, s->at, status, "scan: %" PRId64 " rows of %s do not fit into a tensor",
                  s->loop->length, ct__type_print(row, text, sizeof text));
        return false;
    }
    y->row = ct__type_copy(&s->arena, row);
    y->type = ct__type_like(&s->arena, row, row->rank + 1, dim);
    y->storage = y->type ? ct__storage_new(&s->ctx->allocator, ct__data_bytes(y->type)) : NULL;
    return (y->row && y->storage) || out_of_memory(s);
}

/* Values of an iteration that is called at once are concrete. */
static bool is_concrete(const scan *s, const char *list, size_t i, const ct_tensor *x)
{
    if (x->kind == CT__CONCRETE)
        return true;
    ct__error(s->ctx, s->at, CT_ERR_STATE, "scan: %s[%zu] is a traced value, and no trace is open",
              list, i);
    return false;
}

static bool store_row(scan *s, stacked *stack, size_t i, int64_t step, ct_tensor *y)
{
    const ct_type *type = type_of(s, "y", i, y);
    if (!type || !is_concrete(s, "y", i, y))
        return false;
    if (!stack->storage && !begin_stack(s, stack, type))
        return false;
    if (!ct__keeps_type(s->ctx, s->at, "scan", "y", i, stack->row, type))
        return false;
    size_t bytes = ct__data_bytes(stack->row);
    const void *data = ct__tensor_data(y);
    if (data && bytes > 0)
        memcpy(stack->storage->data + (size_t)step * bytes, data, bytes);
    return data != NULL;
}

static ct_tensor *row_of(const scan *s, ct_tensor *x, int64_t step)
{
    ct__extents start = {.rank = 0}, limit, stride;
    limit = ct__extents_of(x);
    start.rank = stride.rank = limit.rank;
    for (int d = 0; d < limit.rank; d++) {
        start.dim[d] = 0;
        stride.dim[d] = 1;
    }
    start.dim[0] = step;
    limit.dim[0] = step + 1;
    ct_tensor *row = ct_op_slice_at(s->at, x, ct__shape(&start), ct__shape(&limit),
                                    ct__shape(&stride));
    return ct_op_reshape_at(s->at, row, (ct_dims){(size_t)limit.rank - 1, limit.dim + 1});
}

/* The body's carry as handles in the scope around the iteration's. All are made before one of the
 * carry before is released: the body may have given that one back in another place. */
static bool keep_carry(const scan *s, ct_tensor **carry, ct_tensor **next)
{
    size_t n = s->loop->n_carry;
    for (size_t i = 0; i < n; i++) {
        if (!is_concrete(s, "carry", i, next[i]) ||
            !ct__keeps_type(s->ctx, s->at, "scan", "carry", i, s->type[i], next[i]->type))
            return false;
    }
    for (size_t i = 0; i < n; i++)
        next[i] = ct__body_result(s->ctx, s->at, "scan", "carry", i, next[i]);
    for (size_t i = 0; i < n; i++) {
        ct_release(carry[i]);
        carry[i] = next[i];
    }
    return !ct_failed(s->ctx);
}

/* input is the carry, which it replaces, and the xs; param and result are room for one call. The
 * body's parameters are the iteration's own handles. */
static bool iterate(scan *s, int64_t step, ct_tensor **input, stacked *ys, ct_tensor **param,
                    ct_tensor **result)
{
    const ct_loop *loop = s->loop;
    for (size_t i = 0; i < s->n_params; i++)
        param[i] = ct__pin(i < loop->n_carry ? ct__alias(s->at, "scan", input[i])
                                             : row_of(s, input[i], step));
    for (size_t i = 0; i < loop->n_ys; i++)
        result[loop->n_carry + i] = NULL;
    if (ct_failed(s->ctx))
        return false;
    size_t floor = ct__call_begin(s->ctx);
    call_body(s, param, result);
    ct__call_end(s->ctx, s->at, "scan", floor);
    for (size_t i = 0; i < loop->n_ys && !ct_failed(s->ctx); i++)
        store_row(s, &ys[i], i, step, result[loop->n_carry + i]);
    return !ct_failed(s->ctx) && keep_carry(s, input, result);
}

/* Without iterations the body still tells what its y would be. */
static bool empty_stacks(scan *s, stacked *ys)
{
    ct__region region;
    ct_scope scope = ct__scope_begin(s->ctx, s->at, "scan");
    bool fine = record_body(s, &region);
    for (size_t i = 0; fine && i < s->loop->n_ys; i++)
        fine = begin_stack(s, &ys[i], ct__result_type(region.graph, s->loop->n_carry + i));
    ct__region_free(s->ctx, &region);
    ct_scope_end(scope);
    return fine;
}

static bool run(scan *s, ct_tensor **input, stacked *ys)
{
    const ct_loop *loop = s->loop;
    ct_tensor **param = CT__NEW_ARRAY(&s->arena, ct_tensor *, s->n_params);
    ct_tensor **result = CT__NEW_ARRAY(&s->arena, ct_tensor *, loop->n_carry + loop->n_ys);
    if (!param || !result)
        return out_of_memory(s);
    bool fine = !ct_failed(s->ctx);
    for (int64_t i = 0; fine && i < loop->length; i++) {
        ct_scope scope = ct__scope_begin(s->ctx, s->at, "scan");
        fine = iterate(s, loop->reverse ? loop->length - 1 - i : i, input, ys, param, result);
        ct_scope_end(scope);
    }
    if (fine && loop->length == 0 && loop->n_ys > 0)
        fine = empty_stacks(s, ys);
    return fine && !ct_failed(s->ctx);
}

/* The carry and the stacks become the loop's results, or are let go. */
static void call_at_once(scan *s)
{
    const ct_loop *loop = s->loop;
    ct_tensor **input = hold_inputs(s);
    stacked *ys = CT__NEW_ARRAY(&s->arena, stacked, loop->n_ys);
    bool fine = input && ys ? run(s, input, ys) : out_of_memory(s);
    for (size_t i = 0; input && i < s->n_params; i++) {
        if (fine && i < loop->n_carry)
            loop->carry[i] = input[i];
        else
            ct_release(input[i]);
    }
    for (size_t i = 0; ys && i < loop->n_ys; i++) {
        if (fine)
            loop->ys[i] = ct__tensor_concrete(s->ctx, s->at, "scan",
                                              ct__literal_new(ys[i].storage, ys[i].type, 0, NULL));
        else
            ct__storage_release(ys[i].storage);
    }
}

/* ---- The loop. */

void ct_scan_at(ct_place at, ct_scan_body *body, void *user, const ct_loop *given)
{
    if (!given)
        return;
    ct_loop whole = {.size = 0}, *loop = &whole;
    size_t size = given->size < sizeof *loop ? given->size : sizeof *loop;
    memcpy(loop, given, size > first_size ? size : first_size);
    scan s = {.ctx = context_of(loop), .at = at, .body = body, .user = user, .loop = loop};
    if (!ct_failed(s.ctx) && check_arguments(&s)) {
        ct__arena_init(&s.arena, &s.ctx->allocator);
        if (collect_types(&s)) {
            if (s.ctx->trace)
                record(&s);
            else
                call_at_once(&s);
        }
        ct__arena_free(&s.arena);
    }
    if (ct_failed(s.ctx)) {
        ct__fill_poison(s.ctx, loop->carry, loop->carry ? loop->n_carry : 0);
        ct__fill_poison(s.ctx, loop->ys, loop->ys ? loop->n_ys : 0);
    }
}
