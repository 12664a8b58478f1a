#include "exec/interpret/interpret.h"

#include <string.h>

/* ---- Results over parameters: where a body's plan says so, both have the result's address. */

/* The parameter over which the body puts result i; SIZE_MAX: none. */
static size_t over(const ct__plan *body, size_t i)
{
    const size_t *list = ct__plan_over(body);

    return list ? list[i] : SIZE_MAX;
}

static void copy_result(const ct__eval *q, size_t i, const void *from)
{
    if (q->out[i] != from)
        memcpy(q->out[i], from, ct__value_bytes(q->numerics, q->out_type[i]));
}

/* Operands from `first` on become parameters; those that are written over move to the results,
 * where they are not there already. */
static void place_params(const ct__eval *q, const ct__plan *body, size_t first, const void **param)
{
    for (size_t i = first; i < q->n_operands; i++)
        param[i - first] = q->in[i];
    for (size_t i = 0; i < q->n_results && ct__plan_over(body); i++) {
        if (over(body, i) == SIZE_MAX)
            continue;
        copy_result(q, i, param[over(body, i)]);
        param[over(body, i)] = q->out[i];
    }
}

/* ---- call, if, case: the body computes the results in place. In the scratch: the addresses of its
 * parameters, where some are not the operands. */

bool ct__call_scratch(const ct__eval *q, size_t *bytes)
{
    bool has_over = false;

    for (size_t i = 0; i < q->n_regions; i++)
        has_over = has_over || ct__plan_over(q->region[i]);
    return ct__mul_size(has_over ? q->n_operands : 0, sizeof(void *), bytes);
}

static bool run_body(const ct__eval *q, size_t region, size_t first)
{
    const void **param = (const void **)(void *)q->scratch;

    if (!ct__plan_over(q->region[region]))
        return ct__plan_run(q->region[region], q->in + first, q->out, q->frame, q->error);
    place_params(q, q->region[region], first, param);
    return ct__plan_run(q->region[region], param, q->out, q->frame, q->error);
}

bool ct__meaning_call(const ct__eval *q)
{
    return run_body(q, 0, 0);
}

bool ct__meaning_if(const ct__eval *q)
{
    return run_body(q, *(const bool *)q->in[0] ? 0 : 1, 1);
}

/* An index outside of the branches runs the last one. */
bool ct__meaning_case(const ct__eval *q)
{
    int32_t index = *(const int32_t *)q->in[0];
    size_t last = q->n_regions - 1;

    return run_body(q, index < 0 || (uint32_t)index > last ? last : (size_t)index, 1);
}

/* ---- Loops: in the scratch, what each begins with, then a second set of carries, which are the
 * first results. A carry that the body writes over itself is a result all the time. */

static bool loop_scratch(const ct__eval *q, const ct__plan *body, size_t head, size_t n_carry,
                         size_t *bytes)
{
    size_t carry;

    if (!ct__round_up(head, bytes))
        return false;
    for (size_t i = 0; i < n_carry; i++)
        if (over(body, i) == SIZE_MAX &&
            (!ct__round_up(ct__value_bytes(q->numerics, q->out_type[i]), &carry) ||
             __builtin_add_overflow(*bytes, carry, bytes)))
            return false;
    return true;
}

/* Where they are. */
static void place_spares(const ct__eval *q, const ct__plan *body, size_t head, size_t n_carry,
                         void **spare)
{
    size_t at, bytes;

    ct__round_up(head, &at);
    for (size_t i = 0; i < n_carry; i++) {
        spare[i] = q->out[i];
        if (over(body, i) != SIZE_MAX)
            continue;
        spare[i] = q->scratch + at;
        ct__round_up(ct__value_bytes(q->numerics, q->out_type[i]), &bytes);
        at += bytes;
    }
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
    return loop_scratch(q, q->region[1], loop_head_bytes(q), q->n_results, bytes);
}

static void loop_begin(const ct__eval *q, loop *l)
{
    l->param = (const void **)(void *)q->scratch;
    l->set[0] = (void **)(void *)(l->param + q->n_operands);
    l->set[1] = l->set[0] + q->n_results;
    l->goes_on = (bool *)(void *)(l->set[1] + q->n_results);
    place_params(q, q->region[1], 0, l->param);
    for (size_t i = 0; i < q->n_results; i++)
        l->set[0][i] = q->out[i];
    place_spares(q, q->region[1], loop_head_bytes(q), q->n_results, l->set[1]);
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
        copy_result(q, i, l.param[i]);
    return true;
}

/* ---- for: operands are count, carry…, capture…; the body takes the index in the count's place.
 *
 * In the scratch: the index, the addresses of the body's parameters and of the carries in the
 * scratch, and those carries. Iterations write the results and that set in turn, so that the last
 * one writes the results. */

typedef struct counted {
    int64_t *index;
    const void **param;
    void **spare;
} counted;

static size_t counted_head_bytes(const ct__eval *q)
{
    return sizeof(int64_t) + (q->n_operands + q->n_results) * sizeof(void *);
}

bool ct__for_scratch(const ct__eval *q, size_t *bytes)
{
    return loop_scratch(q, q->region[0], counted_head_bytes(q), q->n_results, bytes);
}

static void counted_begin(const ct__eval *q, counted *l)
{
    l->index = (int64_t *)(void *)q->scratch;
    l->param = (const void **)(void *)(l->index + 1);
    l->spare = (void **)(void *)(l->param + q->n_operands);
    place_params(q, q->region[0], 0, l->param);
    l->param[0] = l->index;
    place_spares(q, q->region[0], counted_head_bytes(q), q->n_results, l->spare);
}

bool ct__meaning_for(const ct__eval *q)
{
    const int64_t count = *(const int64_t *)q->in[0];
    counted l;

    counted_begin(q, &l);
    for (int64_t left = count; left > 0; left--) {
        void *const *result = left % 2 == 1 ? q->out : l.spare;
        *l.index = q->attrs->counted.is_reverse ? left - 1 : count - left;
        if (!ct__plan_run(q->region[0], l.param, result, q->frame, q->error))
            return false;
        for (size_t i = 0; i < q->n_results; i++)
            l.param[1 + i] = result[i];
    }
    for (size_t i = 0; i < q->n_results; i++)
        copy_result(q, i, l.param[1 + i]);
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
 * results; slices of x are read, and slices of y written, in place. The rows of a stack are its
 * elements, stacks as well, which pass through the scratch. */

/* The addresses of the body's parameters and results, and a row of each. */
static size_t scan_head_bytes(const ct__eval *q)
{
    return (q->n_operands + q->n_results) * (sizeof(void *) + sizeof(ct__stack *));
}

bool ct__scan_scratch(const ct__eval *q, size_t *bytes)
{
    return loop_scratch(q, q->region[0], scan_head_bytes(q), (size_t)q->attrs->scan.n_carry, bytes);
}

/* Bytes of one slice of a stacked value. */
static size_t slice_bytes(const ct__eval *q, const ct_type *type)
{
    return ct__value_bytes(q->numerics, type) / (size_t)q->attrs->scan.length;
}

/* Where iteration t, of `left` more to come, leaves its carries. */
static void place_carries(const ct__eval *q, size_t n_carry, uint64_t left, void **result)
{
    if (left % 2 == 1)
        place_spares(q, q->region[0], scan_head_bytes(q), n_carry, result);
    for (size_t i = 0; left % 2 == 0 && i < n_carry; i++)
        result[i] = q->out[i];
}

static ct__stack_access row_access(const ct__eval *q, const ct_type *stack, const int64_t *at)
{
    return (ct__stack_access){.stacks = &q->error->stacks,
                              .numerics = q->numerics,
                              .element = stack->element[0],
                              .n_parts = 1,
                              .index = at};
}

/* Row `at` of x, or where row `at` of y goes; of a stack, that is `row`. */
static void *place_row(const ct__eval *q, const ct_type *type, const void *all, int64_t at,
                       ct__stack **row)
{
    return type->kind == CT__STACK ? (void *)row : ct__at(all, slice_bytes(q, type), at);
}

static void place_slices(const ct__eval *q, size_t n_carry, int64_t at, const void **param,
                         void **result)
{
    ct__stack **row = (ct__stack **)(void *)(result + q->n_results);

    for (size_t i = n_carry; i < n_carry + (size_t)q->attrs->scan.n_inputs; i++) {
        param[i] = place_row(q, q->in_type[i], q->in[i], at, &row[i]);
        if (q->in_type[i]->kind == CT__STACK) {
            ct__stack_access access = row_access(q, q->in_type[i], &at);
            (void)ct__stack_get(&access, *(ct__stack *const *)q->in[i], &row[i]); /* one part */
        }
    }
    for (size_t i = n_carry; i < q->n_results; i++)
        result[i] = place_row(q, q->out_type[i], q->out[i], at, &row[q->n_operands + i]);
}

/* Row `at` of the y that are stacks. */
static bool keep_rows(const ct__eval *q, size_t n_carry, int64_t at, void *const *result)
{
    for (size_t i = n_carry; i < q->n_results; i++) {
        ct__stack **y = q->out[i];
        if (q->out_type[i]->kind != CT__STACK)
            continue;
        ct__stack_access access = row_access(q, q->out_type[i], &at);
        if (!ct__stack_add(&access, *y, result[i], y))
            return ct__run_fail(q, CT_ERR_MEMORY, "out of memory");
    }
    return true;
}

static void scan_begin(const ct__eval *q, size_t n_carry, const void **param)
{
    if (q->attrs->scan.length == 0)
        for (size_t i = 0; i < n_carry; i++)
            copy_result(q, i, q->in[i]);
    for (size_t i = n_carry; i < q->n_results; i++)
        if (q->out_type[i]->kind == CT__STACK)
            *(ct__stack **)q->out[i] = NULL;
    place_params(q, q->region[0], 0, param);
}

bool ct__meaning_scan(const ct__eval *q)
{
    const int64_t length = q->attrs->scan.length;
    const size_t n_carry = (size_t)q->attrs->scan.n_carry;
    const void **param = (const void **)(void *)q->scratch;
    void **result = (void **)(void *)(param + q->n_operands);

    scan_begin(q, n_carry, param);
    for (int64_t t = 0; t < length; t++) {
        int64_t at = q->attrs->scan.is_reverse ? length - 1 - t : t;
        place_carries(q, n_carry, (uint64_t)(length - 1 - t), result);
        place_slices(q, n_carry, at, param, result);
        if (!ct__plan_run(q->region[0], param, result, q->frame, q->error) ||
            !keep_rows(q, n_carry, at, result))
            return false;
        for (size_t i = 0; i < n_carry; i++)
            param[i] = result[i];
    }
    return true;
}
