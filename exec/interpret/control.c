#include "exec/interpret/control.h"

#include <string.h>

/* ---- call, if: the body computes the results in place. */

bool ct__meaning_call(const ct__eval *q)
{
    return ct__plan_run(q->region[0], q->in, q->out, q->frame, q->error);
}

bool ct__meaning_if(const ct__eval *q)
{
    bool pred = *(const bool *)q->in[0];

    return ct__plan_run(q->region[pred ? 0 : 1], q->in + 1, q->out, q->frame, q->error);
}

/* ---- scan: operands are carry…, x…, captures…; results are the final carry…, then y….
 *
 * Carries alternate between the results and the scratch, so that the last iteration writes the
 * results; slices of x are read, and slices of y written, in place. */

bool ct__scan_layout(const ct__eval *q, ct__scan *s)
{
    size_t bytes;

    s->n_carry = (size_t)q->attrs->scan.n_carry;
    s->n_inputs = (size_t)q->attrs->scan.n_inputs;
    if (!ct__round_up((q->n_operands + q->n_results) * sizeof(void *), &s->scratch_bytes))
        return false;
    for (size_t i = 0; i < s->n_carry; i++) {
        if (!ct__round_up(ct__value_bytes(q->numerics, q->in_type[i]), &bytes) ||
            bytes > SIZE_MAX - s->scratch_bytes)
            return false;
        s->scratch_bytes += bytes;
    }
    return true;
}

/* Bytes of one slice of a stacked value. */
static size_t slice_bytes(const ct__eval *q, const ct_type *type)
{
    return ct__value_bytes(q->numerics, type) / (size_t)q->attrs->scan.length;
}

/* Where iteration t, of `left` more to come, leaves its carries. */
static void place_carries(const ct__eval *q, const ct__scan *s, uint64_t left, void **result)
{
    unsigned char *spare = q->scratch;
    size_t bytes;

    ct__round_up((q->n_operands + q->n_results) * sizeof(void *), &bytes);
    spare += bytes;
    for (size_t i = 0; i < s->n_carry; i++) {
        result[i] = left % 2 == 0 ? q->out[i] : spare;
        ct__round_up(ct__value_bytes(q->numerics, q->in_type[i]), &bytes);
        spare += bytes;
    }
}

static void place_slices(const ct__eval *q, const ct__scan *s, size_t at, const void **param,
                         void **result)
{
    for (size_t i = s->n_carry; i < s->n_carry + s->n_inputs; i++)
        param[i] = (const unsigned char *)q->in[i] + at * slice_bytes(q, q->in_type[i]);
    for (size_t i = s->n_carry; i < q->n_results; i++)
        result[i] = (unsigned char *)q->out[i] + at * slice_bytes(q, q->out_type[i]);
}

bool ct__meaning_scan(const ct__eval *q)
{
    uint64_t length = (uint64_t)q->attrs->scan.length;
    const void **param = (const void **)(void *)q->scratch;
    void **result = (void **)(void *)(param + q->n_operands);
    ct__scan s;

    ct__scan_layout(q, &s);
    if (length == 0)
        for (size_t i = 0; i < s.n_carry; i++)
            memcpy(q->out[i], q->in[i], ct__value_bytes(q->numerics, q->in_type[i]));
    for (size_t i = 0; i < q->n_operands; i++)
        param[i] = q->in[i];
    for (uint64_t t = 0; t < length; t++) {
        place_carries(q, &s, length - 1 - t, result);
        place_slices(q, &s, (size_t)(q->attrs->scan.is_reverse ? length - 1 - t : t), param,
                     result);
        if (!ct__plan_run(q->region[0], param, result, q->frame, q->error))
            return false;
        for (size_t i = 0; i < s.n_carry; i++)
            param[i] = result[i];
    }
    return true;
}
