/* Trouble is born in an element of a result when no element that it is made of has it already.
 *
 * Of elementwise operations those are the operands' elements at the same place. Others run once
 * more, with a plain number wherever an operand has the trouble: what is left of it is born here.
 * Where that would say nothing, all elements count as what a result is made of. */
#include "exec/trap.h"

#include <math.h>
#include <string.h>

/* ---- Elements. */

static bool is_looked_at(const ct_type *type)
{
    return type->kind == CT__TENSOR && !type->quantized && type->size > 0;
}

static bool has_floats(const ct_type *type)
{
    return is_looked_at(type) &&
           (ct_dtype_is_float(type->dtype) || ct_dtype_is_complex(type->dtype));
}

static ct_dtype part_of(ct_dtype dtype)
{
    return dtype == CT_C64 ? CT_F32 : dtype == CT_C128 ? CT_F64 : dtype;
}

/* The kinds of trouble, of NaN and infinity, that the element has. */
static unsigned trouble_in(ct_dtype dtype, const void *element)
{
    const ct_dtype part = part_of(dtype);
    const size_t parts = ct_dtype_is_complex(dtype) ? 2 : 1, bytes = ct_dtype_bytes(part);
    unsigned found = 0;

    for (size_t i = 0; i < parts; i++) {
        const double x = ct__load_double(part, ct__at(element, bytes, (int64_t)i));
        found |= isnan(x) ? CT_TRAP_NAN : isinf(x) ? CT_TRAP_INFINITY : 0;
    }
    return found;
}

/* What a kind is inherited from: an infinity of a NaN, too; a NaN never of an infinity. */
static unsigned parents_of(unsigned kind)
{
    return kind == CT_TRAP_NAN ? CT_TRAP_NAN : CT_TRAP_NAN | CT_TRAP_INFINITY;
}

/* ---- Divisions. */

static bool is_zero(ct_dtype dtype, const void *element)
{
    const size_t bytes = ct_dtype_bytes(part_of(dtype));

    if (!ct_dtype_is_float(dtype) && !ct_dtype_is_complex(dtype))
        return ct__load_integer(dtype, element) == 0;
    return ct__load_double(part_of(dtype), element) == 0 &&
           (!ct_dtype_is_complex(dtype) ||
            ct__load_double(part_of(dtype), ct__at(element, bytes, 1)) == 0);
}

static bool divides_by_zero(const ct__eval *q, int64_t i)
{
    if (q->op == CT__OP_power && ct_dtype_is_signed(q->out_type[0]->dtype)) /* 0 to the -n */
        return ct__integer_at(q, 0, i) == 0 && ct__integer_at(q, 1, i) < 0;
    if ((q->op != CT__OP_divide && q->op != CT__OP_remainder) || !is_looked_at(q->in_type[1]))
        return false;
    return is_zero(q->in_type[1]->dtype, ct__operand_at(q, 1, i));
}

/* ---- Elementwise operations. */

static unsigned trouble_of_operands(const ct__eval *q, int64_t i)
{
    unsigned found = 0;

    for (size_t k = 0; k < q->n_operands; k++)
        if (has_floats(q->in_type[k]))
            found |= trouble_in(q->in_type[k]->dtype, ct__operand_at(q, k, i));
    return found;
}

/* The kinds that are born in element i; `exact` where that is an overflow. */
static unsigned born_at(const ct__eval *q, unsigned kinds, int64_t i, ct__exact *exact)
{
    unsigned born = 0;

    if (kinds & CT_TRAP_DIVISION && divides_by_zero(q, i))
        born |= CT_TRAP_DIVISION;
    if (kinds & CT_TRAP_OVERFLOW && ct__overflows(q, i, exact))
        born |= CT_TRAP_OVERFLOW;
    if (has_floats(q->out_type[0])) {
        const ct_dtype dtype = q->out_type[0]->dtype;
        const unsigned here = trouble_in(dtype, ct__at(q->out[0], ct_dtype_bytes(dtype), i)) &
                              kinds;
        const unsigned had = here ? trouble_of_operands(q, i) : 0;
        if (here & CT_TRAP_NAN && !(had & parents_of(CT_TRAP_NAN)))
            born |= CT_TRAP_NAN;
        if (here & CT_TRAP_INFINITY && !(had & parents_of(CT_TRAP_INFINITY)))
            born |= CT_TRAP_INFINITY;
    }
    return born;
}

/* Of several kinds the one that says most. */
static ct_trap first_of(unsigned kinds)
{
    return kinds & CT_TRAP_DIVISION   ? CT_TRAP_DIVISION
           : kinds & CT_TRAP_OVERFLOW ? CT_TRAP_OVERFLOW
           : kinds & CT_TRAP_NAN      ? CT_TRAP_NAN
                                      : CT_TRAP_INFINITY;
}

static bool find_elementwise(const ct__eval *q, unsigned kinds, ct__trouble *trouble)
{
    for (int64_t i = 0; i < q->out_type[0]->size; i++) {
        ct__exact exact = {.is_known = false};
        const unsigned born = born_at(q, kinds, i, &exact);
        if (born) {
            *trouble = (ct__trouble){first_of(born), 0, i, true, exact};
            return true;
        }
    }
    return false;
}

/* ---- Other operations. */

/* The first element of a result with trouble of a kind; false: there is none. */
static bool find_in_results(const ct__eval *q, void *const *out, unsigned kind,
                            ct__trouble *trouble)
{
    for (size_t k = 0; k < q->n_results; k++) {
        const ct_type *type = q->out_type[k];
        for (int64_t i = 0; has_floats(type) && i < type->size; i++)
            if (trouble_in(type->dtype, ct__at(out[k], ct_dtype_bytes(type->dtype), i)) & kind) {
                *trouble = (ct__trouble){.kind = (ct_trap)kind, .result = k, .element = i};
                return true;
            }
    }
    return false;
}

static int64_t count_of(const ct__eval *q, size_t i)
{
    return ct__is_single(q, i) ? 1 : q->in_type[i]->size;
}

static bool operands_have(const ct__eval *q, unsigned kinds)
{
    for (size_t k = 0; k < q->n_operands; k++)
        for (int64_t i = 0; has_floats(q->in_type[k]) && i < count_of(q, k); i++)
            if (trouble_in(q->in_type[k]->dtype, ct__operand_at(q, k, i)) & kinds)
                return true;
    return false;
}

/* Whether it can run again, and gives elements that are made of few others by sums, products and
 * choices. */
static bool can_repeat(const ct__eval *q)
{
    if (ct__has(q->op, CT__EFFECT) || ct__has(q->op, CT__OPAQUE) || q->op == CT__OP_cholesky ||
        q->op == CT__OP_transposed_call || !ct__has_tensors_only(q))
        return false;
    for (size_t i = 0; i < q->n_regions; i++)
        if (ct__plan_body_kind(q->region[i]) == CT__BODY_OTHER)
            return false;
    return true;
}

/* The operand with a number, which no function has a pole at, in place of trouble of these kinds;
 * NULL when memory is short. */
static void *plain_operand(const ct__eval *q, size_t k, unsigned kinds, ct__arena *arena)
{
    const double plain = 0.7310585786300049;
    const ct_dtype dtype = q->in_type[k]->dtype;
    const size_t bytes = ct_dtype_bytes(dtype);
    void *copy = ct__arena_copy(arena, q->in[k], bytes * (size_t)count_of(q, k));

    for (int64_t i = 0; copy && i < count_of(q, k); i++)
        if (trouble_in(dtype, ct__at(copy, bytes, i)) & kinds)
            ct__store_double(dtype, ct__at(copy, bytes, i), plain);
    return copy;
}

/* Runs it on plain operands; NULL after an error. */
static void **run_again(const ct__eval *q, unsigned kinds, ct__arena *arena)
{
    ct__eval again = *q;
    ct__run_error error = {.draws = q->error->draws, .stacks = {.allocator = &arena->allocator}};
    const void **in = CT__NEW_ARRAY(arena, const void *, q->n_operands);
    void **out = CT__NEW_ARRAY(arena, void *, q->n_results);

    for (size_t i = 0; in && i < q->n_operands; i++)
        in[i] = has_floats(q->in_type[i]) ? plain_operand(q, i, kinds, arena) : q->in[i];
    for (size_t i = 0; out && i < q->n_results; i++)
        out[i] = ct__arena_zeroed(arena, ct__data_bytes(q->out_type[i]) + 1);
    if (arena->failed)
        return NULL;
    again.in = in;
    again.out = out;
    again.error = &error;
    const bool fine = ct__evaluate(&again);
    ct__stacks_free(&error.stacks);
    return fine ? out : NULL;
}

static bool find_kind(const ct__eval *q, ct_trap kind, ct__arena *arena, ct__trouble *trouble)
{
    const unsigned parents = parents_of(kind);

    if (!find_in_results(q, q->out, kind, trouble))
        return false;
    if (!operands_have(q, parents))
        return true;
    if (!can_repeat(q))
        return false;
    void **out = run_again(q, parents, arena);
    return out && find_in_results(q, out, kind, trouble);
}

bool ct__trap_find(const ct__eval *q, unsigned kinds, ct__arena *arena, ct__trouble *trouble)
{
    if (ct__has(q->op, CT__MOVES_DATA) || q->n_operands == 0 || q->real_type ||
        ct__is_identity(q->op))
        return false;
    if (ct__has(q->op, CT__ELEMENTWISE))
        return is_looked_at(q->out_type[0]) && find_elementwise(q, kinds, trouble);
    return (kinds & CT_TRAP_OVERFLOW && ct__sums_overflow(q, arena, trouble)) ||
           (kinds & CT_TRAP_NAN && find_kind(q, CT_TRAP_NAN, arena, trouble)) ||
           (kinds & CT_TRAP_INFINITY && find_kind(q, CT_TRAP_INFINITY, arena, trouble));
}
