/* Identities of conversions, of complex parts and of tuples. */
#include "trace/rewrite/rewrite.h"

/* ---- convert. */

/* What a plain dtype holds: integers of so many bits, with or without sign; floats with so many
 * bits of significand and of exponent. 0 bits: another kind. */
typedef struct width {
    int bits;
    bool is_signed, is_float;
    int exponent;
} width;

static width width_of(ct_dtype dtype)
{
    switch ((int)dtype) {
    case CT_BOOL: return (width){.bits = 1};
    case CT_I8: return (width){.bits = 8, .is_signed = true};
    case CT_I16: return (width){.bits = 16, .is_signed = true};
    case CT_I32: return (width){.bits = 32, .is_signed = true};
    case CT_I64: return (width){.bits = 64, .is_signed = true};
    case CT_U8: return (width){.bits = 8};
    case CT_U16: return (width){.bits = 16};
    case CT_U32: return (width){.bits = 32};
    case CT_U64: return (width){.bits = 64};
    case CT_F16: return (width){.bits = 11, .is_float = true, .exponent = 5};
    case CT_BF16: return (width){.bits = 8, .is_float = true, .exponent = 8};
    case CT_F32: return (width){.bits = 24, .is_float = true, .exponent = 8};
    case CT_F64: return (width){.bits = 53, .is_float = true, .exponent = 11};
    default: return (width){.bits = 0};
    }
}

/* Whether every value of dtype a is one of dtype b. */
static bool holds(ct_dtype b, ct_dtype a)
{
    width from = width_of(a), to = width_of(b);
    if (from.bits == 0 || to.bits == 0 || b == CT_BOOL)
        return false;
    if (from.is_float)
        return to.is_float && from.bits <= to.bits && from.exponent <= to.exponent;
    if (to.is_float) /* f16 ends at 65504 */
        return from.bits - from.is_signed <= to.bits && (to.exponent > 5 || from.bits <= 11);
    return from.is_signed ? to.is_signed && from.bits <= to.bits
                          : from.bits <= to.bits - to.is_signed;
}

/* Whether going from a to b to c is going from a to c: b holds all of a, and integers that c does
 * not hold end alike, which they do not behind a float: those saturate, integers wrap around. */
static bool is_detour(ct_dtype c, ct_dtype b, ct_dtype a)
{
    bool is_saturated = ct_dtype_is_float(b) && !ct_dtype_is_float(a) && ct_dtype_is_integer(c);

    return holds(b, a) && (!is_saturated || holds(c, a));
}

/* To the dtype that it has, and by way of a dtype that changes nothing. */
static ct__outcome convert(ct__site *s)
{
    const ct__pass *p = s->p;
    ct__id x = s->node.operand[0];
    const ct__node *inner = ct__made_by(p, x, CT__OP_convert);
    ct_dtype between = ct__type_of(p, x)->dtype;
    if (between == s->type[0]->dtype)
        return ct__become_value(s, x);
    if (!inner || !is_detour(s->type[0]->dtype, between, ct__type_of(p, inner->operand[0])->dtype))
        return CT__STAYS;
    return ct__become(s, CT__OP_convert, s->node.attrs, 1, inner->operand);
}

/* ---- Complex numbers. */

static ct__outcome real(ct__site *s)
{
    ct__id x = s->node.operand[0];
    const ct__node *pair = ct__made_by(s->p, x, CT__OP_complex);
    if (ct__type_equal(ct__type_of(s->p, x), s->type[0]))
        return ct__become_value(s, x);
    return pair ? ct__become_value(s, pair->operand[0]) : CT__STAYS;
}

static ct__outcome imag(ct__site *s)
{
    const ct__node *pair = ct__made_by(s->p, s->node.operand[0], CT__OP_complex);
    return pair ? ct__become_value(s, pair->operand[1]) : CT__STAYS;
}

/* Both parts of one number. */
static ct__outcome complex_(ct__site *s)
{
    const ct__node *re = ct__made_by(s->p, s->node.operand[0], CT__OP_real);
    const ct__node *im = ct__made_by(s->p, s->node.operand[1], CT__OP_imag);
    bool same = re && im && re->operand[0] == im->operand[0] &&
                ct__type_equal(ct__type_of(s->p, re->operand[0]), s->type[0]);
    return same ? ct__become_value(s, re->operand[0]) : CT__STAYS;
}

/* ---- Tuples. */

static ct__outcome element(ct__site *s)
{
    const ct__node *tuple = ct__made_by(s->p, s->node.operand[0], CT__OP_tuple);
    size_t index = (size_t)s->node.attrs->get_tuple_element.index;
    return tuple ? ct__become_value(s, tuple->operand[index]) : CT__STAYS;
}

/* ---- The table. */

ct__outcome ct__simplify_type(ct__site *s)
{
    switch (s->node.op) {
    case CT__OP_complex: return complex_(s);
    case CT__OP_convert: return convert(s);
    case CT__OP_get_tuple_element: return element(s);
    case CT__OP_imag: return imag(s);
    case CT__OP_real: return real(s);
    default: return CT__STAYS;
    }
}
