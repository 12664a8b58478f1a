#include "interop/stablehlo/read_build.h"

#include <cotangent/tensor.h>

#include <math.h>

/* CHLO's operations that the table lacks because they are short expressions of others. Their
 * operands are tensors, which inference of the parts checks. */

/* All elements of a tensor of this type are `value`; stored once. */
static ct_tensor *splat(ct__reader *r, const ct__statement *s, const ct_type *type,
                        const unsigned char *element)
{
    const int64_t none[CT__MAX_RANK] = {0};
    const size_t bytes = ct_dtype_bytes(type->dtype);
    ct__storage *storage = ct__storage_new(&r->ctx->allocator, bytes);
    if (storage)
        memcpy(storage->data, element, bytes);
    ct__literal *literal = storage ? ct__literal_new(storage, type, 0, type->size ? none : NULL)
                                   : NULL;
    return ct__own_literal(r, literal) ? ct__build_literal(r, s->place, literal)
                                       : ct__poison(r->ctx);
}

/* The value fits the dtype. */
static ct_tensor *splat_like(ct__reader *r, const ct__statement *s, const ct_type *x, double value)
{
    unsigned char element[16] = {0};
    ct__store_double(x->dtype, element, value);
    return splat(r, s, x, element);
}

static bool check_floats(ct__reader *r, const ct__statement *s)
{
    const ct_type *x = s->operand[0]->type;
    return (x->kind == CT__TENSOR && ct_dtype_is_float(x->dtype)) ||
           ct__read_fail(r, s->operand_at[0], "expected floats, found %s", ct__written_type(r, x));
}

static bool build_square(ct__reader *r, ct__statement *s)
{
    return ct__check_operand_count(r, s, 1, 1) &&
           ct__build_result(r, s, ct_op_multiply_at(s->place, s->operand[0], s->operand[0]));
}

static bool build_tan(ct__reader *r, ct__statement *s)
{
    return ct__check_operand_count(r, s, 1, 1) &&
           ct__build_result(r, s, ct_op_tan_at(s->place, s->operand[0]));
}

/* atan(x) = atan2(x, 1) */
static bool build_atan(ct__reader *r, ct__statement *s)
{
    if (!ct__check_operand_count(r, s, 1, 1))
        return false;
    if (!ct_dtype_is_complex(s->operand[0]->type->dtype) && !check_floats(r, s))
        return false;
    ct_tensor *one = splat_like(r, s, s->operand[0]->type, 1);
    return ct__build_result(r, s, ct_op_atan2_at(s->place, s->operand[0], one));
}

/* |x| = ∞, x = ∞, x = -∞ */
static bool build_infinite(ct__reader *r, ct__statement *s, bool absolute, double infinity)
{
    if (!ct__check_operand_count(r, s, 1, 1) || !check_floats(r, s))
        return false;
    ct_tensor *x = s->operand[0];
    ct_tensor *bound = splat_like(r, s, x->type, infinity);
    if (absolute)
        x = ct_op_abs_at(s->place, x);
    return ct__build_result(r, s, ct_op_compare_at(s->place, x, bound, CT_EQ, CT_COMPARE_FLOAT));
}

static bool build_is_inf(ct__reader *r, ct__statement *s)
{
    return build_infinite(r, s, true, INFINITY);
}

static bool build_is_pos_inf(ct__reader *r, ct__statement *s)
{
    return build_infinite(r, s, false, INFINITY);
}

static bool build_is_neg_inf(ct__reader *r, ct__statement *s)
{
    return build_infinite(r, s, false, -INFINITY);
}

/* ---- Complex parts, by rows of the table. */

static ct_tensor *apply(ct__reader *r, const ct__statement *s, const char *spelling, size_t n,
                        ct_tensor *const *operand)
{
    const ct__op op = ct__op_of_spelling((ct__span){spelling, strlen(spelling)});
    if (op == CT__OP_COUNT) {
        ct__fail_unsupported(r, s);
        return NULL;
    }
    return ct__apply1(&(ct__request){
        .ctx = r->ctx, .at = s->place, .op = op, .n_operands = n, .operand = operand});
}

/* conj(x) = complex(real(x), -imag(x)); x itself where x is real. */
static bool build_conj(ct__reader *r, ct__statement *s)
{
    if (!ct__check_operand_count(r, s, 1, 1))
        return false;
    ct_tensor *x = s->operand[0], *part[2];
    if (!ct_dtype_is_complex(x->type->dtype))
        return ct__build_result(r, s, x);
    part[0] = apply(r, s, "stablehlo.real", 1, &x);
    part[1] = part[0] ? apply(r, s, "stablehlo.imag", 1, &x) : NULL;
    if (!part[1])
        return false;
    part[1] = ct_op_negate_at(s->place, part[1]);
    ct_tensor *y = apply(r, s, "stablehlo.complex", 2, part);
    return y && ct__build_result(r, s, y);
}

/* ---- constant_like(x): a value for all elements. */

static bool build_constant_like(ct__reader *r, ct__statement *s)
{
    const ct__attribute *value = ct__dict_use(&s->attributes, "value");
    if (!ct__check_operand_count(r, s, 1, 1))
        return false;
    if (!value)
        return ct__fail_missing(r, s, "value");
    const ct_type *x = s->operand[0]->type;
    unsigned char element[16];
    const bool is_number = value->kind == CT__ATTRIBUTE_FLOAT ||
                           value->kind == CT__ATTRIBUTE_INTEGER ||
                           value->kind == CT__ATTRIBUTE_BOOL;
    const bool fits = value->kind == CT__ATTRIBUTE_FLOAT
                          ? ct__store_double(x->dtype, element, value->number)
                          : ct__store_signed(x->dtype, element, value->integer);
    if (!is_number || x->kind != CT__TENSOR || ct_dtype_is_complex(x->dtype) || !fits)
        return ct__read_fail(r, s->at, "attribute 'value' is no element of %s",
                             ct__written_type(r, x));
    return ct__build_result(r, s, splat(r, s, x, element));
}

/* ---- mulhi(x, y): the upper half of the product, in twice the width; of 64 bits from products of
 * halves: with x = x1·2^32 + x0, it is x1 y1 + (x1 y0 + (x0 y1 + carry)) >> 32, the carry being
 * (x0 y0) >> 32. */

static ct_dtype doubled(ct_dtype dtype)
{
    switch (dtype) {
    case CT_I8: return CT_I16;
    case CT_I16: return CT_I32;
    case CT_I32: return CT_I64;
    case CT_U8: return CT_U16;
    case CT_U16: return CT_U32;
    case CT_U32: return CT_U64;
    default: return CT_INVALID_DTYPE;
    }
}

static ct_tensor *shift_down(ct__reader *r, const ct__statement *s, ct_tensor *x, double bits)
{
    ct_tensor *amount = splat_like(r, s, x->type, bits);
    return ct_dtype_is_signed(x->type->dtype) ? ct_op_shift_right_arithmetic_at(s->place, x, amount)
                                              : ct_op_shift_right_logical_at(s->place, x, amount);
}

/* x mod 2^32 of 64-bit numbers. */
static ct_tensor *low_half(ct__reader *r, const ct__statement *s, ct_tensor *x)
{
    return ct_op_and_at(s->place, x, splat_like(r, s, x->type, 4294967295.0));
}

static ct_tensor *mulhi_wide(ct__reader *r, const ct__statement *s, ct_tensor *x, ct_tensor *y)
{
    const ct_place at = s->place;
    ct_tensor *x0 = low_half(r, s, x), *x1 = shift_down(r, s, x, 32);
    ct_tensor *y0 = low_half(r, s, y), *y1 = shift_down(r, s, y, 32);
    ct_tensor *amount = splat_like(r, s, x->type, 32);
    ct_tensor *carry = ct_op_shift_right_logical_at(at, ct_op_multiply_at(at, x0, y0), amount);
    ct_tensor *t = ct_op_add_at(at, ct_op_multiply_at(at, x1, y0), carry);
    ct_tensor *u = ct_op_add_at(at, ct_op_multiply_at(at, x0, y1), low_half(r, s, t));
    ct_tensor *high = ct_op_multiply_at(at, x1, y1);
    return ct_op_add_at(at, ct_op_add_at(at, high, shift_down(r, s, t, 32)),
                        shift_down(r, s, u, 32));
}

static ct_tensor *mulhi_narrow(ct__reader *r, const ct__statement *s, ct_tensor *x, ct_tensor *y)
{
    const ct_dtype dtype = x->type->dtype, wide = doubled(dtype);
    ct_tensor *product = ct_op_multiply_at(s->place, ct_op_convert_at(s->place, x, wide),
                                           ct_op_convert_at(s->place, y, wide));
    const double bits = 8 * (double)ct_dtype_bytes(dtype);
    return ct_op_convert_at(s->place, shift_down(r, s, product, bits), dtype);
}

static bool build_mulhi(ct__reader *r, ct__statement *s)
{
    if (!ct__check_operand_count(r, s, 2, 2))
        return false;
    ct_tensor *x = s->operand[0], *y = s->operand[1];
    if (x->type->kind != CT__TENSOR || !ct_dtype_is_integer(x->type->dtype) ||
        !ct__type_equal(x->type, y->type) || ct__dtype_bits(x->type->dtype) < 8)
        return ct__read_fail(r, s->operand_at[0], "mulhi of %s and %s is not supported",
                             ct__written_type(r, x->type), ct__written_type(r, y->type));
    return ct__build_result(r, s,
                            doubled(x->type->dtype) == CT_INVALID_DTYPE ? mulhi_wide(r, s, x, y)
                                                                        : mulhi_narrow(r, s, x, y));
}

/* ---- broadcast_OP: the operands stretched to one shape, as NumPy does, then OP. Axes match from
 * the last one, or as broadcast_dimensions says for the operand of lower rank. */

static bool common_shape(ct__reader *r, const ct__statement *s, int64_t *shape, int *rank)
{
    *rank = 0;
    for (size_t i = 0; i < s->n_operands; i++) {
        if (s->operand[i]->type->kind != CT__TENSOR)
            return ct__read_fail(r, s->operand_at[i], "expected a tensor, found %s",
                                 ct__written_type(r, s->operand[i]->type));
        *rank = s->operand[i]->type->rank > *rank ? s->operand[i]->type->rank : *rank;
    }
    for (int d = 0; d < *rank; d++)
        shape[d] = 1;
    for (size_t i = 0; i < s->n_operands; i++) {
        const ct_type *x = s->operand[i]->type;
        for (int d = 0; d < x->rank; d++) {
            int64_t *extent = &shape[*rank - x->rank + d];
            if (*extent != 1 && x->dim[d] != 1 && *extent != x->dim[d])
                return ct__read_fail(r, s->operand_at[i], "%s does not broadcast with the others",
                                     ct__written_type(r, x));
            *extent = x->dim[d] == 1 ? *extent : x->dim[d];
        }
    }
    return true;
}

static ct_tensor *stretch(const ct__statement *s, ct_tensor *x, const int64_t *shape, int rank)
{
    int64_t axis[CT__MAX_RANK];
    bool same = x->type->rank == rank;
    for (int d = 0; d < x->type->rank; d++) {
        axis[d] = rank - x->type->rank + d;
        same = same && x->type->dim[d] == shape[d];
    }
    return same ? x
                : ct_op_broadcast_in_dim_at(s->place, x, (ct_dims){(size_t)rank, shape},
                                            (ct_dims){(size_t)x->type->rank, axis});
}

/* Whether broadcast_dimensions, if it is there, says what the rule says anyway. */
static bool check_axes(ct__reader *r, ct__statement *s)
{
    ct__ints axes = {0, NULL};
    if (!ct__dict_find(&s->attributes, "broadcast_dimensions"))
        return true;
    if (!ct__use_ints(r, s, "broadcast_dimensions", true, &axes))
        return false;
    const int rank[] = {s->operand[0]->type->rank, s->operand[1]->type->rank};
    const int most = rank[0] > rank[1] ? rank[0] : rank[1];
    for (size_t i = 0; i < axes.count; i++)
        if (axes.item[i] != most - (int64_t)axes.count + (int64_t)i)
            return ct__read_fail(r, s->at,
                                 "broadcast_dimensions that do not match axes from the "
                                 "last one are not supported");
    return true;
}

/* The operation behind "chlo.broadcast_": StableHLO's, or CHLO's own. */
static bool build_stretched(ct__reader *r, ct__statement *s)
{
    const ct__span name = {s->spelling.at + 15, s->spelling.length - 15};
    const char *spelling = ct__arena_print(r, "stablehlo.%.*s", (int)name.length, name.at);
    if (!spelling)
        return ct__read_fail_memory(r);
    if (ct__op_of_spelling((ct__span){spelling, strlen(spelling)}) == CT__OP_COUNT)
        spelling = ct__arena_print(r, "chlo.%.*s", (int)name.length, name.at);
    return spelling ? ct__build_as(r, s, spelling) : ct__read_fail_memory(r);
}

static bool build_broadcast(ct__reader *r, ct__statement *s)
{
    int64_t shape[CT__MAX_RANK];
    int rank;
    if (!ct__check_operand_count(r, s, 2, 3) || !common_shape(r, s, shape, &rank) ||
        !check_axes(r, s))
        return false;
    ct_tensor **operand = CT__NEW_ARRAY(&r->arena, ct_tensor *, s->n_operands);
    if (!operand)
        return ct__read_fail_memory(r);
    for (size_t i = 0; i < s->n_operands; i++)
        operand[i] = stretch(s, s->operand[i], shape, rank);
    if (ct_failed(r->ctx))
        return ct__read_fail_context(r, s->at);
    s->operand = operand;
    s->has_types = false;
    return build_stretched(r, s);
}

static const ct__builder_row rows[] = {{"chlo.square", build_square},
                                       {"chlo.tan", build_tan},
                                       {"chlo.atan", build_atan},
                                       {"chlo.is_inf", build_is_inf},
                                       {"chlo.is_pos_inf", build_is_pos_inf},
                                       {"chlo.is_neg_inf", build_is_neg_inf},
                                       {"chlo.conj", build_conj},
                                       {"chlo.constant_like", build_constant_like},
                                       {"chlo.mulhi", build_mulhi},
                                       {NULL, NULL}};

ct__builder *ct__chlo_builder(ct__span spelling)
{
    if (spelling.length > 15 && memcmp(spelling.at, "chlo.broadcast_", 15) == 0)
        return build_broadcast;
    return ct__builder_in(rows, spelling);
}
