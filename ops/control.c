#include "ops/ops.h"

#include <inttypes.h>

/* The results are the body's. */
static bool results_of_body(ct__infer *q)
{
    const ct__body_type *body = &q->region[0];

    if (!ct__results(q, body->n_results))
        return false;
    for (size_t i = 0; i < body->n_results; i++)
        q->out[i] = body->result[i];
    return true;
}

/* C1: the function takes the operands' types. Here the operands are the caller's mistake, not the
 * function. */
bool ct__infer_call(ct__infer *q)
{
    const ct__body_type *f = &q->region[0];

    if (q->n_operands != f->n_params) /* C1 */
        return ct__fail(q, CT_ERR_ARGUMENT, "the function takes %zu argument%s, got %zu",
                        f->n_params, f->n_params == 1 ? "" : "s", q->n_operands);
    for (size_t i = 0; i < f->n_params; i++)
        if (!ct__type_equal(q->in[i], f->param[i])) /* C1 */
            return ct__fail(q, ct__shape_equal(q->in[i], f->param[i]) ? CT_ERR_TYPE : CT_ERR_SHAPE,
                            "the function takes %s as argument %zu, got %s",
                            ct__type_str(q, f->param[i]), i, ct__type_str(q, q->in[i]));
    return results_of_body(q);
}

bool ct__infer_if(ct__infer *q)
{
    const ct__body_type *then = &q->region[0];

    if (q->in[0]->rank != 0) /* C1, with the table's bool */
        return ct__fail(q, CT_ERR_SHAPE, "pred must be a scalar, got %s",
                        ct__type_str(q, q->in[0]));
    return ct__check_params(q, 0, q->n_operands - 1, q->in + 1) &&        /* C2 */
           ct__check_params(q, 1, q->n_operands - 1, q->in + 1) &&        /* C2 */
           ct__check_body_results(q, 1, then->n_results, then->result) && /* C3 */
           results_of_body(q);
}

bool ct__infer_case(ct__infer *q)
{
    const ct__body_type *first = &q->region[0]; /* C1: the table's one branch at least */

    if (q->in[0]->rank != 0 || q->in[0]->dtype != CT_I32) /* I1 */
        return ct__fail(q, q->in[0]->rank != 0 ? CT_ERR_SHAPE : CT_ERR_TYPE,
                        "index must be i32[], got %s", ct__type_str(q, q->in[0]));
    for (size_t r = 0; r < q->n_regions; r++)
        if (!ct__check_params(q, r, q->n_operands - 1, q->in + 1) ||        /* C2 */
            !ct__check_body_results(q, r, first->n_results, first->result)) /* C3 */
            return false;
    return results_of_body(q); /* C4 */
}

/* ---- while: operands are carry…, capture…. */

bool ct__infer_while(ct__infer *q)
{
    const int64_t n_carry = q->attrs->loop.n_carry;
    const ct_type *pred = ct__type(q->arena, CT_BOOL, 0, NULL);

    if (n_carry < 0 || (uint64_t)n_carry > q->n_operands)
        return ct__fail(q, CT_ERR_ARGUMENT, "takes n_carry = %" PRId64 " carry, got %zu operand%s",
                        n_carry, q->n_operands, q->n_operands == 1 ? "" : "s");
    if (!pred)
        return ct__fail_memory(q);
    if (!ct__check_params(q, 0, q->n_operands, q->in) ||         /* C1 */
        !ct__check_body_results(q, 0, 1, &pred) ||               /* C1 */
        !ct__check_params(q, 1, q->n_operands, q->in) ||         /* C2 */
        !ct__check_body_results(q, 1, (size_t)n_carry, q->in) || /* C2 */
        !ct__results(q, (size_t)n_carry))
        return false;
    for (size_t i = 0; i < q->n_results; i++)
        q->out[i] = q->in[i]; /* C3 */
    return true;
}

/* ---- for: operands are count, carry…, capture…; the body takes the index in the count's place. */

bool ct__infer_for(ct__infer *q)
{
    const int64_t n_carry = q->attrs->counted.n_carry;

    if (q->in[0]->rank != 0 || q->in[0]->dtype != CT_I64 || q->in[0]->quantized) /* C1 */
        return ct__fail(q, q->in[0]->rank != 0 ? CT_ERR_SHAPE : CT_ERR_TYPE,
                        "count must be i64[], got %s", ct__type_str(q, q->in[0]));
    if (n_carry < 0 || (uint64_t)n_carry > q->n_operands - 1)
        return ct__fail(q, CT_ERR_ARGUMENT, "takes n_carry = %" PRId64 " carry, got %zu operand%s",
                        n_carry, q->n_operands - 1, q->n_operands - 1 == 1 ? "" : "s");
    if (!ct__check_params(q, 0, q->n_operands, q->in) ||             /* C2 */
        !ct__check_body_results(q, 0, (size_t)n_carry, q->in + 1) || /* C3 */
        !ct__results(q, (size_t)n_carry))
        return false;
    for (size_t i = 0; i < q->n_results; i++)
        q->out[i] = q->in[1 + i];
    return true;
}

/* ---- map: operands are x…, capture…. */

static bool check_mapped(ct__infer *q)
{
    const struct ct__attrs_map *a = &q->attrs->map;

    if (a->n_inputs < 1 || (uint64_t)a->n_inputs > q->n_operands) /* C2 */
        return ct__fail(q, CT_ERR_ARGUMENT, "takes n_inputs = %" PRId64 " x, got %zu operand%s",
                        a->n_inputs, q->n_operands, q->n_operands == 1 ? "" : "s");
    if (!ct__check_tensors(q, 0, (size_t)a->n_inputs))
        return false;
    for (size_t i = 1; i < (size_t)a->n_inputs; i++)
        if (!ct__check_shapes(q, 0, i)) /* C1 */
            return false;
    if (!ct__check_per_axis(q, "dimensions", a->dimensions, 0)) /* C3 */
        return false;
    for (size_t d = 0; d < a->dimensions.count; d++)
        if (a->dimensions.item[d] != (int64_t)d) /* C3 */
            return ct__fail(q, CT_ERR_SHAPE, "dimensions = %s must be all axes of x in order",
                            ct__ints_str(q, a->dimensions));
    return true;
}

bool ct__infer_map(ct__infer *q)
{
    const ct__body_type *body = &q->region[0];
    const size_t n_inputs = (size_t)q->attrs->map.n_inputs;
    const ct_type **want = CT__NEW_ARRAY(q->arena, const ct_type *, q->n_operands);

    if (!want)
        return ct__fail_memory(q);
    if (!check_mapped(q))
        return false;
    for (size_t i = 0; i < q->n_operands; i++) {
        want[i] = i < n_inputs ? ct__tensor_like(q, q->in[i], 0, NULL) : q->in[i];
        if (!want[i])
            return false;
    }
    if (!ct__check_params(q, 0, q->n_operands, want)) /* C4 */
        return false;
    if (body->n_results != 1) /* C4 */
        return ct__fail(q, CT_ERR_ARGUMENT, "the body must give 1 value, not %zu", body->n_results);
    if (body->result[0]->kind != CT__TENSOR || body->result[0]->rank != 0) /* C4 */
        return ct__fail(q, CT_ERR_TYPE, "the body must give a scalar, not %s",
                        ct__type_str(q, body->result[0]));
    const ct_type *y = ct__tensor_like(q, body->result[0], (size_t)q->in[0]->rank, q->in[0]->dim);

    return y && ct__result_of_type(q, y);
}

bool ct__infer_optimization_barrier(ct__infer *q)
{
    if (!ct__results(q, q->n_operands))
        return false;
    for (size_t i = 0; i < q->n_operands; i++)
        q->out[i] = q->in[i];
    return true;
}

/* ---- scan: operands are carry…, x…, captures…. */

static bool check_scan_groups(ct__infer *q)
{
    const struct ct__attrs_scan *a = &q->attrs->scan;
    const uint64_t n = q->n_operands;

    if (a->n_carry < 0 || a->n_inputs < 0 || (uint64_t)a->n_carry > n ||
        (uint64_t)a->n_inputs > n - (uint64_t)a->n_carry)
        return ct__fail(q, CT_ERR_ARGUMENT,
                        "takes n_carry = %" PRId64 " carry and n_inputs = %" PRId64
                        " x, got %zu operand%s",
                        a->n_carry, a->n_inputs, q->n_operands, q->n_operands == 1 ? "" : "s");
    if (a->length < 0)
        return ct__fail(q, CT_ERR_SHAPE, "length = %" PRId64 " must not be negative", a->length);
    return true;
}

/* x without axis 0, of a stack its elements; NULL after ct__fail. */
static const ct_type *slice_of(ct__infer *q, size_t position)
{
    const ct_type *x = q->in[position];
    const int64_t length = q->attrs->scan.length;

    if (x->kind == CT__STACK)
        return x->element[0];
    if (!ct__check_tensors(q, position, 1))
        return NULL;
    if (x->rank == 0 || x->dim[0] != length) { /* C1 */
        ct__fail(q, CT_ERR_SHAPE, "%s must have extent length = %" PRId64 " on axis 0, got %s",
                 ct__operand_str(q, position), length, ct__type_str(q, x));
        return NULL;
    }
    return ct__tensor_like(q, x, (size_t)x->rank - 1, x->dim + 1);
}

static bool check_scan_params(ct__infer *q)
{
    const size_t first = (size_t)q->attrs->scan.n_carry;
    const size_t end = first + (size_t)q->attrs->scan.n_inputs;
    const ct_type **want = CT__NEW_ARRAY(q->arena, const ct_type *, q->n_operands);

    if (!want)
        return ct__fail_memory(q);
    for (size_t i = 0; i < q->n_operands; i++) {
        want[i] = i >= first && i < end ? slice_of(q, i) : q->in[i]; /* C1 */
        if (!want[i])
            return false;
    }
    return ct__check_params(q, 0, q->n_operands, want); /* C2 */
}

/* y with `length` in front, of stacks a stack; NULL after ct__fail. */
static const ct_type *stacked(ct__infer *q, size_t i)
{
    const ct_type *y = q->region[0].result[i];
    int64_t dim[CT__MAX_RANK + 1] = {q->attrs->scan.length};

    if (y->kind == CT__STACK) {
        const ct_type *stack = ct__type_stack(q->arena, y);
        if (!stack)
            ct__fail_memory(q);
        return stack;
    }
    if (y->kind != CT__TENSOR) { /* C4 */
        ct__fail(q, CT_ERR_TYPE, "the body's result %zu must be a tensor to be stacked, not %s", i,
                 ct__type_str(q, y));
        return NULL;
    }
    for (int d = 0; d < y->rank; d++)
        dim[d + 1] = y->dim[d];
    return ct__tensor_like(q, y, (size_t)y->rank + 1, dim);
}

static bool check_carry(ct__infer *q, size_t n_carry)
{
    const ct__body_type *body = &q->region[0];

    if (body->n_results < n_carry) /* C3 */
        return ct__fail(q, CT_ERR_ARGUMENT,
                        "the body must give the %zu carried value%s first, it gives %zu", n_carry,
                        n_carry == 1 ? "" : "s", body->n_results);
    for (size_t i = 0; i < n_carry; i++)
        if (!ct__type_equal(body->result[i], q->in[i])) /* C3 */
            return ct__fail(
                q, ct__shape_equal(body->result[i], q->in[i]) ? CT_ERR_TYPE : CT_ERR_SHAPE,
                "the body must keep the type of %s: %s, not give %s", ct__operand_str(q, i),
                ct__type_str(q, q->in[i]), ct__type_str(q, body->result[i]));
    return true;
}

bool ct__infer_scan(ct__infer *q)
{
    const size_t n_carry = (size_t)q->attrs->scan.n_carry;

    if (!check_scan_groups(q) || !check_scan_params(q) || /* C1, C2 */
        !check_carry(q, n_carry) ||                       /* C3 */
        !ct__results(q, q->region[0].n_results))
        return false;
    for (size_t i = 0; i < q->n_results; i++) {
        q->out[i] = i < n_carry ? q->in[i] : stacked(q, i); /* C4 */
        if (!q->out[i])
            return false;
    }
    return true;
}
