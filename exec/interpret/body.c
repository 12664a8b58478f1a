/* Bodies on scalars, for reduce, reduce_window and scatter. */
#include "exec/interpret/interpret.h"

#include <string.h>

/* In the scratch: addresses of parameters and of results, then the results, CT__ALIGN bytes each,
 * which holds any element. */
size_t ct__scalar_body_bytes(const ct__eval *q, size_t n)
{
    return (q->n_operands + 3 * n) * sizeof(void *) + (n + 1) * CT__ALIGN;
}

void ct__scalar_body_begin(ct__scalar_body *body, const ct__eval *q, size_t n, size_t first_capture)
{
    size_t n_captures = q->n_operands - first_capture, pointers = 3 * n + n_captures;
    unsigned char *values;

    body->plan = q->region[0];
    body->n = n;
    body->param = (const void **)(void *)q->scratch;
    body->result = (void **)(void *)(body->param + 2 * n + n_captures);
    ct__round_up(pointers * sizeof(void *), &pointers);
    values = q->scratch + pointers;
    for (size_t i = 0; i < n_captures; i++)
        body->param[2 * n + i] = q->in[first_capture + i];
    for (size_t i = 0; i < n; i++)
        body->result[i] = values + i * CT__ALIGN;
}

bool ct__scalar_body_run(const ct__scalar_body *body, const ct__eval *q)
{
    if (!ct__plan_run(body->plan, body->param, body->result, q->frame, q->error))
        return false;
    for (size_t i = 0; i < body->n; i++)
        memcpy((void *)(uintptr_t)body->param[i], body->result[i],
               q->numerics->element_bytes(q->in_type[i]->dtype));
    return true;
}
