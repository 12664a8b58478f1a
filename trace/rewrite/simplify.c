/* Identities of arithmetic and of choosing, exact for every input. */
#include "trace/rewrite/rewrite.h"

#include <cotangent/op.h>
#include <math.h>
#include <string.h>

/* ---- Constants. */

/* Elements that lie one after the other are looked at up to so many bytes. */
#define COMPARED_BYTES 4096

static bool all_equal(const ct__literal *x)
{
    const unsigned char *first = ct__literal_first(x);
    size_t all = ct__data_bytes(x->type), one = ct_dtype_bytes(x->type->dtype);
    return ct__literal_is_splat(x) || (all <= COMPARED_BYTES && ct__literal_is_contiguous(x) &&
                                       memcmp(first, first + one, all - one) == 0);
}

const void *ct__splat_of(const ct__pass *p, ct__id id)
{
    const ct__literal *x = ct__graph_literal(p->to, id);
    bool equal = x && x->type->kind == CT__TENSOR && x->type->size > 0 && all_equal(x);
    return equal ? ct__literal_first(x) : NULL;
}

/* Integers and truths with all bits as those of 0 or 1. */
static bool is_count(ct_dtype dtype, const void *element, unsigned char low)
{
    const unsigned char *byte = element;
    size_t bytes = ct_dtype_bytes(dtype), ones = 0;
    const uint16_t order = 1;
    bool little = *(const unsigned char *)&order == 1;
    for (size_t i = 0; i < bytes; i++) {
        bool lowest = little ? i == 0 : i == bytes - 1;
        ones += byte[i] == (lowest ? low : 0);
    }
    return ones == bytes;
}

static bool is_zero_float(ct_dtype dtype, const void *element, bool negative)
{
    double x = ct__load_double(dtype, element);
    return x == 0 && (signbit(x) != 0) == negative;
}

bool ct__is_zero(const ct__pass *p, ct__id id, bool negative)
{
    const unsigned char *element = ct__splat_of(p, id);
    ct_dtype dtype = ct__type_of(p, id)->dtype;
    if (!element)
        return false;
    if (ct_dtype_is_complex(dtype)) {
        ct_dtype part = dtype == CT_C64 ? CT_F32 : CT_F64;
        return is_zero_float(part, element, negative) &&
               is_zero_float(part, element + ct_dtype_bytes(part), negative);
    }
    return ct_dtype_is_float(dtype) ? is_zero_float(dtype, element, negative)
                                    : is_count(dtype, element, 0);
}

/* Of real numbers and truths: a complex product with 1 + 0i is not exact where a part is not
 * finite. */
bool ct__is_one(const ct__pass *p, ct__id id)
{
    const void *element = ct__splat_of(p, id);
    ct_dtype dtype = ct__type_of(p, id)->dtype;
    if (!element || ct_dtype_is_complex(dtype))
        return false;
    return ct_dtype_is_float(dtype) ? ct__load_double(dtype, element) == 1
                                    : is_count(dtype, element, 1);
}

static bool is_infinite(const ct__pass *p, ct__id id, bool negative)
{
    const void *element = ct__splat_of(p, id);
    ct_dtype dtype = ct__type_of(p, id)->dtype;
    if (!element || !ct_dtype_is_float(dtype))
        return false;
    return ct__load_double(dtype, element) == (negative ? -HUGE_VAL : HUGE_VAL);
}

/* Integers and truths: their arithmetic has no exceptions. */
static bool is_discrete(const ct_type *type)
{
    return ct_dtype_is_integer(type->dtype) || type->dtype == CT_BOOL;
}

/* Every bit of the element is set; of a truth: it is true. */
static bool is_full(const ct__pass *p, ct__id id)
{
    const unsigned char *element = ct__splat_of(p, id);
    ct_dtype dtype = ct__type_of(p, id)->dtype;
    bool full = element && is_discrete(ct__type_of(p, id));
    for (size_t i = 0; full && i < ct_dtype_bytes(dtype); i++)
        full = element[i] == 0xFF;
    return full || (element && dtype == CT_BOOL && *element);
}

/* The negation that makes the value; not of dtypes without a sign, where it is a NaN. */
static const ct__node *negation_of(const ct__pass *p, ct__id id)
{
    return ct__type_of(p, id)->dtype == CT_F8E8M0FNU ? NULL : ct__made_by(p, id, CT__OP_negate);
}

/* ---- Helpers. */

/* Try both orders of a commutative operation: x with the operand that `is_neutral`. */
typedef bool test(const ct__pass *p, ct__id id);

static ct__outcome drop_neutral(ct__site *s, test *is_neutral)
{
    const ct__id *x = s->node.operand;
    if (is_neutral(s->p, x[1]))
        return ct__become_value(s, x[0]);
    return is_neutral(s->p, x[0]) ? ct__become_value(s, x[1]) : CT__STAYS;
}

/* The operand that absorbs the other one: 0 in x·0 of integers. */
static ct__outcome keep_absorbing(ct__site *s, test *absorbs)
{
    const ct__id *x = s->node.operand;
    if (absorbs(s->p, x[1]))
        return ct__become_value(s, x[1]);
    return absorbs(s->p, x[0]) ? ct__become_value(s, x[0]) : CT__STAYS;
}

static ct__outcome become_same_if_equal(ct__site *s)
{
    const ct__id *x = s->node.operand;
    return x[0] == x[1] ? ct__become_value(s, x[0]) : CT__STAYS;
}

static bool is_any_zero(const ct__pass *p, ct__id id)
{
    return is_discrete(ct__type_of(p, id)) && ct__is_zero(p, id, false);
}

static bool is_negative_zero(const ct__pass *p, ct__id id)
{
    return ct__is_zero(p, id, true);
}

static bool is_lowest(const ct__pass *p, ct__id id)
{
    return is_infinite(p, id, true) ||
           (ct__type_of(p, id)->dtype == CT_BOOL && ct__is_zero(p, id, false));
}

static bool is_highest(const ct__pass *p, ct__id id)
{
    return is_infinite(p, id, false) || (ct__type_of(p, id)->dtype == CT_BOOL && ct__is_one(p, id));
}

/* A constant whose elements are all this byte: of integers 0 or -1, of truths 0 or 1. */
static ct__outcome become_bytes(ct__site *s, unsigned char byte)
{
    static const int64_t repeated[CT__MAX_RANK];
    size_t bytes = ct_dtype_bytes(s->type[0]->dtype);
    ct__storage *storage = ct__storage_new(&s->p->r->ctx->allocator, bytes);
    if (!storage)
        return CT__NO_ROOM;
    memset(storage->data, byte, bytes);
    ct__literal *literal = ct__literal_new(storage, s->type[0], 0, repeated);
    if (!literal)
        return CT__NO_ROOM;
    const ct__attrs attrs = {.constant = {.value = literal}};
    const ct__node node = {
        .op = CT__OP_constant, .at = s->node.at, .attrs = &attrs, .n_results = 1};
    bool fine = ct__emit(s->p, &node, s->type, s->name, s->result);
    ct__literal_release(literal);
    return fine ? CT__REPLACED : CT__NO_ROOM;
}

/* ---- Sums and products. */

/* x + (-0) = x; x + -y = x - y. Of integers and truths 0 is neutral. */
static ct__outcome add(ct__site *s)
{
    const ct__pass *p = s->p;
    const ct__id *x = s->node.operand;
    ct__outcome outcome = drop_neutral(s, is_discrete(s->type[0]) ? is_any_zero : is_negative_zero);
    for (int i = 1; outcome == CT__STAYS && i >= 0; i--) {
        const ct__node *negated = negation_of(p, x[i]);
        if (negated)
            outcome = ct__become(s, CT__OP_subtract, NULL, 2,
                                 (ct__id[]){x[1 - i], negated->operand[0]});
    }
    return outcome;
}

/* x - 0 = x; x - -y = x + y; x - x = 0 of integers. */
static ct__outcome subtract(ct__site *s)
{
    const ct__id *x = s->node.operand;
    const ct__node *negated = negation_of(s->p, x[1]);
    if (ct__is_zero(s->p, x[1], false))
        return ct__become_value(s, x[0]);
    if (negated)
        return ct__become(s, CT__OP_add, NULL, 2, (ct__id[]){x[0], negated->operand[0]});
    return x[0] == x[1] && is_discrete(s->type[0]) ? become_bytes(s, 0) : CT__STAYS;
}

/* x·1 = x; -x·-y = x·y; of integers x·0 = 0. */
static ct__outcome multiply(ct__site *s)
{
    const ct__id *x = s->node.operand;
    ct__outcome outcome = drop_neutral(s, ct__is_one);
    if (outcome != CT__STAYS || ct_dtype_is_complex(s->type[0]->dtype))
        return outcome;
    const ct__node *a = negation_of(s->p, x[0]);
    const ct__node *b = negation_of(s->p, x[1]);
    if (a && b)
        return ct__become(s, CT__OP_multiply, NULL, 2, (ct__id[]){a->operand[0], b->operand[0]});
    return keep_absorbing(s, is_any_zero);
}

static ct__outcome divide(ct__site *s)
{
    const ct__id *x = s->node.operand;
    return ct__is_one(s->p, x[1]) ? ct__become_value(s, x[0]) : CT__STAYS;
}

static ct__outcome shift(ct__site *s)
{
    const ct__id *x = s->node.operand;
    return is_any_zero(s->p, x[1]) ? ct__become_value(s, x[0]) : CT__STAYS;
}

/* f(f(x)) = x */
static ct__outcome undo(ct__site *s)
{
    const ct__node *inner = ct__made_by(s->p, s->node.operand[0], s->node.op);
    return inner ? ct__become_value(s, inner->operand[0]) : CT__STAYS;
}

static ct__outcome negate(ct__site *s)
{
    return negation_of(s->p, s->node.operand[0]) ? undo(s) : CT__STAYS;
}

/* f(f(x)) = f(x) */
static ct__outcome repeat(ct__site *s)
{
    const ct__node *inner = ct__made_by(s->p, s->node.operand[0], s->node.op);
    bool same = inner &&
                ct__attrs_equal(ct__op_describe(s->node.op)->attrs, inner->attrs, s->node.attrs);
    return same ? ct__become_value(s, s->node.operand[0]) : CT__STAYS;
}

/* |-x| = |x| of real numbers. */
static ct__outcome absolute(ct__site *s)
{
    const ct__node *negated = negation_of(s->p, s->node.operand[0]);
    if (ct_dtype_is_complex(ct__type_of(s->p, s->node.operand[0])->dtype))
        return CT__STAYS;
    return negated ? ct__become(s, CT__OP_abs, NULL, 1, negated->operand) : repeat(s);
}

/* ---- Bits and truths. */

static ct__outcome and_(ct__site *s)
{
    ct__outcome outcome = drop_neutral(s, is_full);
    outcome = outcome == CT__STAYS ? keep_absorbing(s, is_any_zero) : outcome;
    return outcome == CT__STAYS ? become_same_if_equal(s) : outcome;
}

static ct__outcome or_(ct__site *s)
{
    ct__outcome outcome = drop_neutral(s, is_any_zero);
    outcome = outcome == CT__STAYS ? keep_absorbing(s, is_full) : outcome;
    return outcome == CT__STAYS ? become_same_if_equal(s) : outcome;
}

static ct__outcome xor_(ct__site *s)
{
    ct__outcome outcome = drop_neutral(s, is_any_zero);
    bool equal = s->node.operand[0] == s->node.operand[1];
    return outcome == CT__STAYS && equal ? become_bytes(s, 0) : outcome;
}

/* ---- Choosing. */

/* max(x, -inf) = max(x, x) = x, also where x is NaN; of complex numbers both parts become NaN. */
static ct__outcome extreme(ct__site *s, test *is_neutral)
{
    if (ct_dtype_is_complex(s->type[0]->dtype))
        return CT__STAYS;
    const ct__outcome outcome = drop_neutral(s, is_neutral);
    return outcome == CT__STAYS ? become_same_if_equal(s) : outcome;
}

static ct__outcome maximum(ct__site *s)
{
    return extreme(s, is_lowest);
}

static ct__outcome minimum(ct__site *s)
{
    return extreme(s, is_highest);
}

static ct__outcome clamp(ct__site *s)
{
    const ct__id *x = s->node.operand;
    bool free = is_infinite(s->p, x[0], true) && is_infinite(s->p, x[2], false) &&
                !ct_dtype_is_complex(s->type[0]->dtype);
    return free ? ct__become_value(s, x[1]) : CT__STAYS;
}

/* x == x and the like, of integers and truths: a NaN is not equal to itself. */
static ct__outcome compare(ct__site *s)
{
    const ct__id *x = s->node.operand;
    if (x[0] != x[1] || !is_discrete(ct__type_of(s->p, x[0])))
        return CT__STAYS;
    switch (s->node.attrs->compare.comparison_direction) {
    case CT_EQ:
    case CT_GE:
    case CT_LE: return become_bytes(s, 1);
    default: return become_bytes(s, 0);
    }
}

/* A constant choice, one between equals, and one by a negated predicate. */
static ct__outcome select_(ct__site *s)
{
    const ct__id *x = s->node.operand;
    const unsigned char *pred = ct__splat_of(s->p, x[0]);
    const ct__node *negated = ct__made_by(s->p, x[0], CT__OP_not);
    if (pred)
        return ct__become_value(s, x[*pred ? 1 : 2]);
    if (x[1] == x[2])
        return ct__become_value(s, x[1]);
    return negated
               ? ct__become(s, CT__OP_select, NULL, 3, (ct__id[]){negated->operand[0], x[2], x[1]})
               : CT__STAYS;
}

/* ---- Folds of nothing. */

/* A reduce over axes of extent 1, or over none, applies its body once: y = init ∘ x. */
static ct__outcome reduce(ct__site *s)
{
    ct__pass *p = s->p;
    const ct__id *x = s->node.operand;
    int kind = ct__graph_body_kind(s->node.region[0]);
    const ct__attrs shape = {.reshape = {.shape = {(size_t)s->type[0]->rank, s->type[0]->dim}}};
    const ct__attrs spread = {
        .broadcast_in_dim = {.shape = {(size_t)s->type[0]->rank, s->type[0]->dim}}};
    if (s->node.attrs->reduce.n_inputs != 1 || s->node.n_operands != 2 || kind < 0 ||
        ct__type_of(p, x[0])->size != s->type[0]->size || s->type[0]->size == 0)
        return CT__STAYS;
    ct__id once[2];
    const ct__node init = {.op = CT__OP_broadcast_in_dim,
                           .at = s->node.at,
                           .attrs = &spread,
                           .n_operands = 1,
                           .operand = x + 1,
                           .n_results = 1};
    const ct__node flat = {.op = CT__OP_reshape,
                           .at = s->node.at,
                           .attrs = &shape,
                           .n_operands = 1,
                           .operand = x,
                           .n_results = 1};
    if (!ct__emit(p, &init, s->type, NULL, &once[0]) ||
        !ct__emit(p, &flat, s->type, NULL, &once[1]))
        return CT__NO_ROOM;
    return ct__become(s, (ct__op)kind, NULL, 2, once);
}

/* ---- The table. */

ct__outcome ct__simplify(ct__site *s)
{
    static ct__outcome (*const rule[CT__OP_COUNT])(ct__site *) = {
        [CT__OP_abs] = absolute,
        [CT__OP_add] = add,
        [CT__OP_and] = and_,
        [CT__OP_ceil] = repeat,
        [CT__OP_clamp] = clamp,
        [CT__OP_compare] = compare,
        [CT__OP_divide] = divide,
        [CT__OP_floor] = repeat,
        [CT__OP_maximum] = maximum,
        [CT__OP_minimum] = minimum,
        [CT__OP_multiply] = multiply,
        [CT__OP_negate] = negate,
        [CT__OP_not] = undo,
        [CT__OP_or] = or_,
        [CT__OP_reduce] = reduce,
        [CT__OP_reduce_precision] = repeat,
        [CT__OP_round_nearest_afz] = repeat,
        [CT__OP_round_nearest_even] = repeat,
        [CT__OP_select] = select_,
        [CT__OP_shift_left] = shift,
        [CT__OP_shift_right_arithmetic] = shift,
        [CT__OP_shift_right_logical] = shift,
        [CT__OP_stop_gradient] = repeat,
        [CT__OP_subtract] = subtract,
        [CT__OP_xor] = xor_,
    };
    return rule[s->node.op] ? rule[s->node.op](s) : CT__STAYS;
}
