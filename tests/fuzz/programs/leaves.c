/* What programs begin with: parameters, which are the inputs, and constants. Bodies have constants
 * alone. */
#include "tests/fuzz/programs/generate.h"

static bool may_add_input(const generator *g)
{
    return g->depth == 0 && g->n_inputs < MOST_INPUTS;
}

static ct_tensor *as_input(generator *g, ct_tensor *elements)
{
    if (!elements || ct_is_poison(elements))
        return elements;
    g->input[g->n_inputs++] = elements;
    return ct__trace_param(g->ctx, CT_HERE, elements->type);
}

/* As a value of the trace, so that operations on it are recorded; or as it is, and operations on
 * constants alone are computed at once. */
static ct_tensor *as_constant(generator *g, ct_tensor *elements)
{
    if (!elements || !ct_is_concrete(elements) || choose(g->c, 2))
        return elements;
    const ct__attrs attrs = {.constant = {.value = elements->literal}};
    return ct__apply1(
        &(ct__request){.ctx = g->ctx, .at = CT_HERE, .op = CT__OP_constant, .attrs = &attrs});
}

/* A leaf with these elements; as a value for others too. */
static ct_tensor *leaf_of(generator *g, ct_tensor *elements, bool is_constant)
{
    ct_tensor *x = is_constant || !may_add_input(g) ? as_constant(g, elements)
                                                    : as_input(g, elements);

    if (g->n_values < MOST_VALUES && x && !ct_is_poison(x)) {
        g->is_used[g->n_values] = true;
        g->value[g->n_values++] = x;
    }
    return x;
}

static ct_tensor *splat(generator *g, ct_dtype dtype, ct_shape shape)
{
    static const double value[] = {1, 0, 2};
    const double x = value[choose(g->c, 3)];

    return ct_full(g->ctx, dtype, shape,
                   dtype == CT_F8E8M0FNU || dtype == CT_I2 ? 1
                   : dtype == CT_BOOL                      ? x == 1
                                                           : x);
}

static bool has_iota(ct_dtype dtype)
{
    return dtype != CT_BOOL && dtype != CT_F8E8M0FNU;
}

ct_tensor *leaf(generator *g, ct_dtype dtype, ct_shape shape)
{
    const uint32_t kind = choose(g->c, 10);

    if (kind == 9 || (kind == 8 && shape.count == 0))
        return leaf_of(g, splat(g, dtype, shape), true);
    if (kind == 8 && has_iota(dtype) && g->style == STYLE_ANY)
        return leaf_of(
            g, ct_op_iota(g->ctx, dtype, shape, (int64_t)choose(g->c, (uint32_t)shape.count)),
            true);
    return leaf_of(g, numbers(g, dtype, shape), kind == 7);
}

ct_tensor *quantized_leaf(generator *g, ct_tensor *elements)
{
    return leaf_of(g, elements, seldom(g->c, 4));
}

ct_tensor *index_leaf(generator *g, ct_shape shape, int64_t extent)
{
    static const ct_dtype list[] = {CT_I32, CT_I64, CT_U8, CT_I8, CT_U32, CT_U64,
                                    CT_I16, CT_U16, CT_I4, CT_U4, CT_I2,  CT_U2};
    const ct_dtype dtype = list[choose(g->c, sizeof list / sizeof *list)];

    return leaf_of(g, index_numbers(g, dtype, shape, extent), seldom(g->c, 4));
}
