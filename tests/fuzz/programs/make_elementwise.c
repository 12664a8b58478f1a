#include "tests/fuzz/programs/generate.h"

/* ---- Rows of the table without attributes, whose operands are all alike. */

static ct_tensor *apply_to(generator *g, ct__op op)
{
    bool open;
    const size_t n = ct__op_arity(op, &open);
    ct_tensor *x[3];

    x[0] = any_of(g, ct__op_describe(op)->dtypes);
    if (op == CT__OP_complex && ct_dtype_of(x[0]) != CT_F32) /* as there are no others */
        x[0] = ct_op_convert(x[0], CT_F64);
    for (size_t i = 1; i < n; i++)
        x[i] = like(g, x[0]);
    return ct__apply1(&(ct__request){.at = CT_HERE, .op = op, .n_operands = n, .operand = x});
}

static void make(generator *g, ct__op op)
{
    give(g, op, apply_to(g, op));
}

void make_elementwise(generator *g)
{
    static const unsigned char list[] = {
        CT__OP_add,      CT__OP_multiply, CT__OP_subtract,     CT__OP_negate, CT__OP_divide,
        CT__OP_maximum,  CT__OP_minimum,  CT__OP_abs,          CT__OP_tanh,   CT__OP_exponential,
        CT__OP_logistic, CT__OP_sqrt,     CT__OP_log,          CT__OP_sine,   CT__OP_cosine,
        CT__OP_rsqrt,    CT__OP_power,    CT__OP_stop_gradient};
    static const unsigned char smooth[] = {
        CT__OP_add,     CT__OP_multiply, CT__OP_subtract, CT__OP_negate,   CT__OP_maximum,
        CT__OP_minimum, CT__OP_abs,      CT__OP_tanh,     CT__OP_logistic, CT__OP_sine,
        CT__OP_cosine,  CT__OP_erf,      CT__OP_atan,     CT__OP_asinh,    CT__OP_scale};
    static const unsigned char linear[] = {CT__OP_add, CT__OP_subtract, CT__OP_negate};

    if (g->style == STYLE_LINEAR)
        make(g, (ct__op)linear[choose(g->c, sizeof linear)]);
    else if (g->style == STYLE_SMOOTH)
        make(g, (ct__op)smooth[choose(g->c, sizeof smooth)]);
    else
        make(g, (ct__op)list[choose(g->c, sizeof list)]);
}

static bool is_plain(ct__op op)
{
    const ct__op_info *info = ct__op_describe(op);

    return (info->traits & CT__ELEMENTWISE) && info->attrs == CT__ATTRS_none &&
           info->dtypes != CT__OTHER && op != CT__OP_select && op != CT__OP_clamp;
}

/* Any row. */
void make_any_elementwise(generator *g)
{
    unsigned char list[CT__OP_COUNT];
    uint32_t n = 0;

    for (int op = 0; op < CT__OP_COUNT; op++)
        if (is_plain((ct__op)op))
            list[n++] = (unsigned char)op;
    make(g, (ct__op)list[choose(g->c, n)]);
}
_Static_assert(CT__OP_COUNT <= 256, "numbers of operations are bytes here");

/* ---- The others. */

void make_convert(generator *g)
{
    const unsigned classes = g->style == STYLE_LINEAR ? CT__FLOATS : CT__ANY;
    ct_tensor *x = any_of(g, classes);

    give(g, CT__OP_convert, ct_op_convert(x, choose_dtype(g, classes)));
}

void make_bitcast(generator *g)
{
    ct_tensor *x = settled(g, any_of(g, CT__REALS));

    give(g, CT__OP_bitcast_convert, ct_op_bitcast_convert(x, choose_dtype(g, CT__REALS)));
}

void make_reduce_precision(generator *g)
{
    ct_tensor *x = any_of(g, CT__FLOATS);
    const int64_t exponent = choose_from(g->c, 1, 11), mantissa = choose_from(g->c, 0, 52);

    give(g, CT__OP_reduce_precision, ct_op_reduce_precision(x, exponent, mantissa));
}

/* Quotients have one zero, and constants, which a trace computes at once, two: no total order. */
static ct_compare_type order_of(generator *g, ct_dtype dtype)
{
    if (!seldom(g->c, 3) || (g->style == STYLE_LINEAR && ct_dtype_is_float(dtype)))
        return CT_COMPARE_DEFAULT;
    if (ct_dtype_is_float(dtype))
        return seldom(g->c, 2) ? CT_COMPARE_TOTALORDER : CT_COMPARE_FLOAT;
    return ct_dtype_is_complex(dtype)  ? CT_COMPARE_FLOAT
           : ct_dtype_is_signed(dtype) ? CT_COMPARE_SIGNED
                                       : CT_COMPARE_UNSIGNED;
}

void make_compare(generator *g)
{
    ct_tensor *x = any_of(g, CT__ANY), *y = like(g, x);
    const ct_comparison direction = (ct_comparison)choose(g->c, 6);
    const ct_compare_type type = order_of(g, ct_dtype_of(x));

    if (type == CT_COMPARE_TOTALORDER) {
        x = settled(g, x);
        y = settled(g, y);
    }
    give(g, CT__OP_compare, ct_op_compare(x, y, direction, type));
}

void make_select(generator *g)
{
    ct_tensor *x = any_of(g, CT__ANY), *y = like(g, x);
    ct_tensor *pred = seldom(g->c, 4) ? element_of(g, CT_BOOL) : some(g, CT_BOOL, ct_shape_of(x));

    give(g, CT__OP_select, ct_op_select(pred, x, y));
}

void make_clamp(generator *g)
{
    ct_tensor *x = any_of(g, CT__ANY);
    ct_tensor *lo = seldom(g->c, 2) ? element_of(g, ct_dtype_of(x)) : like(g, x);
    ct_tensor *hi = seldom(g->c, 2) ? element_of(g, ct_dtype_of(x)) : like(g, x);

    give(g, CT__OP_clamp, ct_op_clamp(lo, x, hi));
}
