#include "exec/interpret/interpret.h"

#include <string.h>

/* ---- call, if, case: the body computes the results in place. */

bool ct__meaning_call(const ct__eval *q)
{
    return ct__plan_run(q->region[0], q->in, q->out, q->frame, q->error);
}

bool ct__meaning_if(const ct__eval *q)
{
    bool pred = *(const bool *)q->in[0];

    return ct__plan_run(q->region[pred ? 0 : 1], q->in + 1, q->out, q->frame, q->error);
}

/* An index outside of the branches runs the last one. */
bool ct__meaning_case(const ct__eval *q)
{
    int32_t index = *(const int32_t *)q->in[0];
    size_t last = q->n_regions - 1;
    size_t branch = index < 0 || (uint32_t)index > last ? last : (size_t)index;

    return ct__plan_run(q->region[branch], q->in + 1, q->out, q->frame, q->error);
}

/* ---- while: operands are carry…, capture…; results the final carry….
 *
 * In the scratch: the addresses of the bodies' parameters, twice those of the carries, what cond
 * says, and a second set of carries. Iterations write the results and that set in turn; a loop that
 * ends in the set copies it. */

typedef struct loop {
    const void **param; /* of the iteration to come */
    void **set[2];      /* the results, and the carries in the scratch */
    bool *goes_on;
} loop;

static size_t loop_head_bytes(const ct__eval *q)
{
    return (q->n_operands + 2 * q->n_results) * sizeof(void *) + sizeof(bool);
}

bool ct__while_scratch(const ct__eval *q, size_t *bytes)
{
    size_t carry;

    if (!ct__round_up(loop_head_bytes(q), bytes))
        return false;
    for (size_t i = 0; i < q->n_results; i++)
        if (!ct__round_up(ct__value_bytes(q->numerics, q->out_type[i]), &carry) ||
            __builtin_add_overflow(*bytes, carry, bytes))
            return false;
    return true;
}

static void loop_begin(const ct__eval *q, loop *l)
{
    size_t at, bytes;

    l->param = (const void **)(void *)q->scratch;
    l->set[0] = (void **)(void *)(l->param + q->n_operands);
    l->set[1] = l->set[0] + q->n_results;
    l->goes_on = (bool *)(void *)(l->set[1] + q->n_results);
    ct__round_up(loop_head_bytes(q), &at);
    for (size_t i = 0; i < q->n_operands; i++)
        l->param[i] = q->in[i];
    for (size_t i = 0; i < q->n_results; i++) {
        l->set[0][i] = q->out[i];
        l->set[1][i] = q->scratch + at;
        ct__round_up(ct__value_bytes(q->numerics, q->out_type[i]), &bytes);
        at += bytes;
    }
}

bool ct__meaning_while(const ct__eval *q)
{
    loop l;

    loop_begin(q, &l);
    for (int next = 0;; next = 1 - next) {
        if (!ct__plan_run(q->region[0], l.param, (void *[]){l.goes_on}, q->frame, q->error))
            return false;
        if (!*l.goes_on)
            break;
        if (!ct__plan_run(q->region[1], l.param, l.set[next], q->frame, q->error))
            return false;
        for (size_t i = 0; i < q->n_results; i++)
            l.param[i] = l.set[next][i];
    }
    for (size_t i = 0; i < q->n_results; i++)
        if (l.param[i] != q->out[i])
            memcpy(q->out[i], l.param[i], ct__value_bytes(q->numerics, q->out_type[i]));
    return true;
}

/* ---- map: the body's parameters are elements of x…, then captures. */

bool ct__map_scratch(const ct__eval *q, size_t *bytes)
{
    return ct__mul_size(q->n_operands, sizeof(void *), bytes);
}

bool ct__meaning_map(const ct__eval *q)
{
    size_t n_inputs = (size_t)q->attrs->map.n_inputs;
    size_t y_bytes = q->numerics->element_bytes(q->out_type[0]->dtype);
    const void **param = (const void **)(void *)q->scratch;

    for (size_t i = 0; i < q->n_operands; i++)
        param[i] = q->in[i];
    for (int64_t at = 0; at < q->out_type[0]->size; at++) {
        void *y = ct__at(q->out[0], y_bytes, at);

        for (size_t i = 0; i < n_inputs; i++)
            param[i] = ct__at(q->in[i], q->numerics->element_bytes(q->in_type[i]->dtype), at);
        if (!ct__plan_run(q->region[0], param, &y, q->frame, q->error))
            return false;
    }
    return true;
}

/* ---- scan: operands are carry…, x…, captures…; results are the final carry…, then y….
 *
 * Carries alternate between the results and the scratch, so that the last iteration writes the
 * results; slices of x are read, and slices of y written, in place. */

bool ct__scan_scratch(const ct__eval *q, size_t *bytes)
{
    size_t carry;

    if (!ct__round_up((q->n_operands + q->n_results) * sizeof(void *), bytes))
        return false;
    for (size_t i = 0; i < (size_t)q->attrs->scan.n_carry; i++)
        if (!ct__round_up(ct__value_bytes(q->numerics, q->in_type[i]), &carry) ||
            __builtin_add_overflow(*bytes, carry, bytes))
            return false;
    return true;
}

/* Bytes of one slice of a stacked value. */
static size_t slice_bytes(const ct__eval *q, const ct_type *type)
{
    return ct__value_bytes(q->numerics, type) / (size_t)q->attrs->scan.length;
}

/* Where iteration t, of `left` more to come, leaves its carries. */
static void place_carries(const ct__eval *q, size_t n_carry, uint64_t left, void **result)
{
    unsigned char *spare = q->scratch;
    size_t bytes;

    ct__round_up((q->n_operands + q->n_results) * sizeof(void *), &bytes);
    spare += bytes;
    for (size_t i = 0; i < n_carry; i++) {
        result[i] = left % 2 == 0 ? q->out[i] : spare;
        ct__round_up(ct__value_bytes(q->numerics, q->in_type[i]), &bytes);
        spare += bytes;
    }
}

static void place_slices(const ct__eval *q, size_t n_carry, size_t at, const void **param,
                         void **result)
{
    for (size_t i = n_carry; i < n_carry + (size_t)q->attrs->scan.n_inputs; i++)
        param[i] = (const unsigned char *)q->in[i] + at * slice_bytes(q, q->in_type[i]);
    for (size_t i = n_carry; i < q->n_results; i++)
        result[i] = (unsigned char *)q->out[i] + at * slice_bytes(q, q->out_type[i]);
}

bool ct__meaning_scan(const ct__eval *q)
{
    const uint64_t length = (uint64_t)q->attrs->scan.length;
    const size_t n_carry = (size_t)q->attrs->scan.n_carry;
    const void **param = (const void **)(void *)q->scratch;
    void **result = (void **)(void *)(param + q->n_operands);

    if (length == 0)
        for (size_t i = 0; i < n_carry; i++)
            memcpy(q->out[i], q->in[i], ct__value_bytes(q->numerics, q->in_type[i]));
    for (size_t i = 0; i < q->n_operands; i++)
        param[i] = q->in[i];
    for (uint64_t t = 0; t < length; t++) {
        place_carries(q, n_carry, length - 1 - t, result);
        place_slices(q, n_carry, (size_t)(q->attrs->scan.is_reverse ? length - 1 - t : t), param,
                     result);
        if (!ct__plan_run(q->region[0], param, result, q->frame, q->error))
            return false;
        for (size_t i = 0; i < n_carry; i++)
            param[i] = result[i];
    }
    return true;
}
