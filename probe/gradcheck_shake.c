/* How much rounding matters: the same program whose intermediate results are moved a little. The
 * spread of its results is what rounding could do to them, however much the program amplifies it.
 */
#include "probe/gradcheck.h"

#include <float.h>

/* SplitMix64's output function (Steele, Lea, Flood 2014). */
static uint64_t scramble(uint64_t z)
{
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static uint64_t mix(uint64_t seed, uint64_t a, uint64_t b)
{
    const uint64_t step = UINT64_C(0x9e3779b97f4a7c15);
    return scramble(scramble(scramble(seed + step) + a + step) + b + step);
}

double ct__mix_signed(uint64_t seed, uint64_t a, uint64_t b)
{
    return (double)(mix(seed, a, b) >> 11) * 0x1p-52 - 1;
}

/* Exact operations stay: rules find the maximum again by comparing with it. A product with zero
 * and a sum with zero are not looked for: more noise than there is does no harm. */
static bool is_exact(const ct__node *node, bool of_complex)
{
    int op = (int)node->op;
    if (op == CT__OP_reduce)
        op = ct__graph_body_kind(node->region[0]);
    switch (op) {
    case CT__OP_abs:
    case CT__OP_remainder:
    case CT__OP_sign: return !of_complex;
    case CT__OP_ceil:
    case CT__OP_clamp:
    case CT__OP_complex:
    case CT__OP_floor:
    case CT__OP_imag:
    case CT__OP_maximum:
    case CT__OP_minimum:
    case CT__OP_negate:
    case CT__OP_optimization_barrier:
    case CT__OP_real:
    case CT__OP_round_nearest_afz:
    case CT__OP_round_nearest_even:
    case CT__OP_select:
    case CT__OP_stop_gradient:
    case CT__BODY_NEW:
    case CT__BODY_OLD: return true;
    default: return node->n_operands == 0 || ct__has(node->op, CT__MOVES_DATA);
    }
}

/* Bodies that run by themselves, not one step of a fold: those are moved as a whole. */
static bool is_control(const ct__node *node)
{
    return ct__has(node->op, CT__CONTROL);
}

static ct_tensor *factors(ct__rewrite *r, const ct_tensor *x)
{
    ct__arena arena;
    ct__arena_init(&arena, &r->ctx->allocator);
    size_t n = (size_t)x->type->size;
    const double epsilon = ct__epsilon(ct_dtype_of(x));
    double *data = CT__NEW_ARRAY(&arena, double, n);
    uint64_t node = r->next_node++;
    for (size_t i = 0; data && i < n; i++) {
        int ulps = (int)(mix(r->seed, node, i) % (2 * CT__SHAKE_ULPS + 1)) - CT__SHAKE_ULPS;
        data[i] = 1 + ulps * epsilon;
    }
    ct_tensor *result = ct__poison(r->ctx);
    if (data)
        result = ct_op_convert_at(
            r->at, ct_from_data_at(r->at, r->ctx, CT_F64, ct_shape_of(x), data), ct_dtype_of(x));
    else
        ct__error_memory(r->ctx, r->at, r->what);
    ct__arena_free(&arena);
    return result;
}

/* By the program, or by what keeps its own dtypes, as a C function does. */
static bool is_rounded(ct_dtype dtype)
{
    return dtype == CT_F64 || dtype == CT_F32 || dtype == CT_F16 || dtype == CT_BF16;
}

static ct_tensor *moved(ct__rewrite *r, ct_tensor *x)
{
    if (ct_dtype_is_complex(ct_dtype_of(x))) {
        ct_tensor *re = moved(r, ct_op_real_at(r->at, x));
        return ct_op_complex_at(r->at, re, moved(r, ct_op_imag_at(r->at, x)));
    }
    return is_rounded(ct_dtype_of(x)) ? ct_op_multiply_at(r->at, x, factors(r, x)) : x;
}

static void move_results(ct__rewrite *r, const ct__node *node, ct_tensor *const *value,
                         ct_tensor **result)
{
    bool of_complex = node->n_operands > 0 &&
                      ct_dtype_is_complex(ct_dtype_of(value[node->operand[0]]));
    if (is_control(node) || is_exact(node, of_complex))
        return;
    for (size_t i = 0; i < node->n_results; i++)
        result[i] = moved(r, result[i]);
}

ct__graph *ct__shake(ct_context *ctx, ct_place at, const ct__graph *graph, uint64_t seed)
{
    ct__rewrite r = {.ctx = ctx,
                     .at = at,
                     .what = "shaken",
                     .enters = is_control,
                     .after = move_results,
                     .seed = seed};
    ct__graph *shaken = ct__rewrite_graph(&r, graph);
    ct__rewrite_end(&r);
    return shaken;
}
