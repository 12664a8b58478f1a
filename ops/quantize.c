/* Inference where operands are quantized: one table and one way for every operation. What the
 * table does not name refuses quantized operands. */
#include "ops/quantize.h"

#include <string.h>

/* ---- What quantized operands mean to an operation. */

typedef enum way {
    REFUSES = 0,
    MOVES,   /* copies stored integers: infer on them; the result is quantized as the operand is */
    EACH,    /* the same, result by result: result i is quantized as operand i is */
    CARRIES, /* its own inference hands whole types on, or compares whole types */
    BITS,    /* reads stored integers as others; the program states how the result is quantized */
    REALS    /* computes with the real numbers: infer on those; float results are quantized as the
                program states */
} way;

typedef struct row {
    way way;
    unsigned elements; /* MOVES: bit i: operand i holds elements, all quantized alike */
    bool per_axis;     /* MOVES: the result has an axis for the operand's quantized one */
    bool hybrid;       /* REALS: operand 0 may hold plain reals; then so does the result */
} row;

#define ALL (~0u)

static const row table[CT__OP_COUNT] = {
    [CT__OP_broadcast_in_dim] = {MOVES, 1, true, false},
    [CT__OP_reshape] = {MOVES, 1, true, false},
    [CT__OP_select] = {MOVES, 6, true, false},
    [CT__OP_transpose] = {MOVES, 1, true, false},
    [CT__OP_concatenate] = {MOVES, ALL, false, false},
    [CT__OP_dynamic_slice] = {MOVES, 1, false, false},
    [CT__OP_dynamic_update_slice] = {MOVES, 3, false, false},
    [CT__OP_gather] = {MOVES, 1, false, false},
    [CT__OP_pad] = {MOVES, 3, false, false},
    [CT__OP_reverse] = {MOVES, 1, false, false},
    [CT__OP_slice] = {MOVES, 1, false, false},

    [CT__OP_bitcast_convert] = {.way = BITS},

    [CT__OP_all_gather] = {.way = EACH},
    [CT__OP_all_to_all] = {.way = EACH},
    [CT__OP_collective_broadcast] = {.way = EACH},
    [CT__OP_collective_permute] = {.way = EACH},

    [CT__OP_all_reduce] = {.way = CARRIES},
    [CT__OP_call] = {.way = CARRIES},
    [CT__OP_case] = {.way = CARRIES},
    [CT__OP_composite] = {.way = CARRIES},
    [CT__OP_constant] = {.way = CARRIES},
    [CT__OP_custom_call] = {.way = CARRIES},
    [CT__OP_custom_rule] = {.way = CARRIES},
    [CT__OP_get_tuple_element] = {.way = CARRIES},
    [CT__OP_if] = {.way = CARRIES},
    [CT__OP_map] = {.way = CARRIES},
    [CT__OP_optimization_barrier] = {.way = CARRIES},
    [CT__OP_outfeed] = {.way = CARRIES},
    [CT__OP_reduce] = {.way = CARRIES},
    [CT__OP_reduce_window] = {.way = CARRIES},
    [CT__OP_reduce_scatter] = {.way = CARRIES},
    [CT__OP_scan] = {.way = CARRIES},
    [CT__OP_scatter] = {.way = CARRIES},
    [CT__OP_select_and_scatter] = {.way = CARRIES},
    [CT__OP_send] = {.way = CARRIES},
    [CT__OP_sort] = {.way = CARRIES},
    [CT__OP_stop_gradient] = {.way = CARRIES},
    [CT__OP_tuple] = {.way = CARRIES},
    [CT__OP_uniform_dequantize] = {.way = CARRIES},
    [CT__OP_uniform_quantize] = {.way = CARRIES},
    [CT__OP_while] = {.way = CARRIES},

    [CT__OP_abs] = {.way = REALS},
    [CT__OP_add] = {.way = REALS},
    [CT__OP_atan2] = {.way = REALS},
    [CT__OP_batch_norm_grad] = {.way = REALS},
    [CT__OP_batch_norm_inference] = {.way = REALS},
    [CT__OP_batch_norm_training] = {.way = REALS},
    [CT__OP_cbrt] = {.way = REALS},
    [CT__OP_ceil] = {.way = REALS},
    [CT__OP_clamp] = {.way = REALS},
    [CT__OP_cholesky] = {.way = REALS},
    [CT__OP_compare] = {.way = REALS},
    [CT__OP_convolution] = {.way = REALS, .hybrid = true},
    [CT__OP_cosine] = {.way = REALS},
    [CT__OP_divide] = {.way = REALS},
    [CT__OP_dot_general] = {.way = REALS, .hybrid = true},
    [CT__OP_exponential] = {.way = REALS},
    [CT__OP_exponential_minus_one] = {.way = REALS},
    [CT__OP_floor] = {.way = REALS},
    [CT__OP_is_finite] = {.way = REALS},
    [CT__OP_log] = {.way = REALS},
    [CT__OP_log_plus_one] = {.way = REALS},
    [CT__OP_logistic] = {.way = REALS},
    [CT__OP_maximum] = {.way = REALS},
    [CT__OP_minimum] = {.way = REALS},
    [CT__OP_multiply] = {.way = REALS},
    [CT__OP_negate] = {.way = REALS},
    [CT__OP_power] = {.way = REALS},
    [CT__OP_reduce_precision] = {.way = REALS},
    [CT__OP_remainder] = {.way = REALS},
    [CT__OP_round_nearest_afz] = {.way = REALS},
    [CT__OP_round_nearest_even] = {.way = REALS},
    [CT__OP_rsqrt] = {.way = REALS},
    [CT__OP_sign] = {.way = REALS},
    [CT__OP_sine] = {.way = REALS},
    [CT__OP_sqrt] = {.way = REALS},
    [CT__OP_subtract] = {.way = REALS},
    [CT__OP_tan] = {.way = REALS},
    [CT__OP_tanh] = {.way = REALS},
    [CT__OP_triangular_solve] = {.way = REALS},
};

bool ct__computes_with_reals(ct__op op)
{
    return table[op].way == REALS || op == CT__OP_uniform_quantize ||
           op == CT__OP_uniform_dequantize;
}

static bool holds_elements(const row *r, size_t operand)
{
    return r->elements == ALL || (operand < 32 && r->elements >> operand & 1);
}

bool ct__has_quantized(size_t count, const ct_type *const *type)
{
    for (size_t i = 0; i < count; i++)
        if (type[i]->quantized)
            return true;
    return false;
}

/* ---- Inferring on other types: those without quantization. */

typedef const ct_type *changed(ct__arena *arena, const ct_type *type);

/* Infers on the changed types of operands and of given results. */
static bool infer_changed(ct__infer *q, changed *change, bool (*infer)(ct__infer *))
{
    const ct_type *const *in = q->in, *const *given = q->given;
    const ct_type **plain = CT__NEW_ARRAY(q->arena, const ct_type *, q->n_operands);
    const ct_type **plain_given = CT__NEW_ARRAY(q->arena, const ct_type *, q->n_given);
    bool fine = plain && plain_given;

    for (size_t i = 0; fine && i < q->n_operands; i++)
        fine = (plain[i] = change(q->arena, in[i])) != NULL;
    for (size_t i = 0; fine && i < q->n_given; i++)
        fine = (plain_given[i] = change(q->arena, given[i])) != NULL;
    if (!fine)
        return ct__fail_memory(q);
    q->in = plain;
    q->given = plain_given;
    fine = infer(q);
    q->in = in;
    q->given = given;
    return fine;
}

/* Replaces result i by the same quantized as `quantized` says. */
static bool quantize_result(ct__infer *q, size_t i, const ct__quantized *quantized)
{
    q->out[i] = ct__type_quantized(q->arena, q->out[i], quantized);
    return q->out[i] || ct__fail_memory(q);
}

/* ---- Moving stored integers. */

static bool must_be_alike(ct__infer *q, size_t i, size_t j)
{
    return ct__fail(q, CT_ERR_TYPE, "%s and %s must be quantized alike, got %s and %s",
                    ct__operand_str(q, i), ct__operand_str(q, j), ct__type_str(q, q->in[i]),
                    ct__type_str(q, q->in[j]));
}

/* The one quantization of all operands that hold elements; the others have none. *first is the
 * first that holds some. */
static bool check_alike(ct__infer *q, const row *r, size_t *first)
{
    *first = q->n_operands;
    for (size_t i = 0; i < q->n_operands; i++) {
        if (!holds_elements(r, i)) {
            if (q->in[i]->quantized)
                return ct__fail(q, CT_ERR_TYPE, "%s must not be quantized, got %s",
                                ct__operand_str(q, i), ct__type_str(q, q->in[i]));
            continue;
        }
        if (*first == q->n_operands)
            *first = i;
        if (q->in[i]->dtype != q->in[*first]->dtype ||
            !ct__quantized_equal(q->in[i]->quantized, q->in[*first]->quantized))
            return must_be_alike(q, *first, i);
    }
    return true;
}

static bool refuse_per_axis(ct__infer *q, size_t i)
{
    return ct__fail(q, CT_ERR_TYPE, "%s must have one scale for all its elements, got %s",
                    ct__operand_str(q, i), ct__type_str(q, q->in[i]));
}

/* Where reshape takes axis `axis` of x: an axis of its extent with as many elements before it, and
 * so behind it. Where several axes of extent 1 are that, the one that the program states, or the
 * first. -1: there is none. */
static int reshaped_axis(const ct__infer *q, const ct_type *x, const ct_type *y)
{
    const int stated = q->n_given == 1 && q->given[0]->quantized ? q->given[0]->quantized->axis
                                                                 : -1;
    uint64_t before = 1, y_before = 1, behind = 1, y_behind; /* modulo 2^64 where all is 0 */
    int found = -1;

    for (int d = 0; d < x->rank; d++)
        if (d != x->quantized->axis)
            *(d < x->quantized->axis ? &before : &behind) *= (uint64_t)x->dim[d];
    for (int d = 0; d < y->rank; y_before *= (uint64_t)y->dim[d++]) {
        y_behind = 1;
        for (int e = d + 1; e < y->rank; e++)
            y_behind *= (uint64_t)y->dim[e];
        if (y->dim[d] == x->dim[x->quantized->axis] && y_before == before && y_behind == behind &&
            (found < 0 || d == stated))
            found = d;
    }
    return found;
}

/* The axis of result 0 that the quantized axis of x becomes. */
static int moved_axis(const ct__infer *q, const ct_type *x)
{
    const int axis = x->quantized->axis;

    switch ((int)q->op) {
    case CT__OP_transpose:
        for (size_t d = 0; d < q->attrs->transpose.permutation.count; d++)
            if (q->attrs->transpose.permutation.item[d] == axis)
                return (int)d;
        return -1;
    case CT__OP_broadcast_in_dim:
        return (int)q->attrs->broadcast_in_dim.broadcast_dimensions.item[axis];
    case CT__OP_reshape: return reshaped_axis(q, x, q->out[0]);
    default: return axis;
    }
}

/* One scale becomes that of every slice, where broadcasting repeats a slice. */
static bool repeat_scale(ct__infer *q, ct__quantized *moved)
{
    const size_t n = (size_t)q->out[0]->dim[moved->axis];
    double *scale;
    int64_t *zero_point;

    if (moved->n_scales == n)
        return true;
    scale = CT__NEW_ARRAY(q->arena, double, n);
    zero_point = CT__NEW_ARRAY(q->arena, int64_t, n);
    if (!scale || !zero_point)
        return ct__fail_memory(q);
    for (size_t i = 0; i < n; i++) {
        scale[i] = moved->scale[0];
        zero_point[i] = moved->zero_point[0];
    }
    moved->scale = scale;
    moved->zero_point = zero_point;
    moved->n_scales = n;
    return true;
}

static bool infer_moved(ct__infer *q, const row *r, bool (*infer)(ct__infer *))
{
    ct__quantized moved;
    size_t i;

    if (!check_alike(q, r, &i))
        return false;
    if (ct__is_per_axis(q->in[i]) && !r->per_axis)
        return refuse_per_axis(q, i);
    if (!infer_changed(q, ct__type_of_storage, infer))
        return false;
    moved = *q->in[i]->quantized;
    if (moved.axis >= 0) {
        moved.axis = moved_axis(q, q->in[i]);
        if (moved.axis < 0)
            return ct__fail(q, CT_ERR_SHAPE, "the quantized axis %d of %s: %s has no place in %s",
                            q->in[i]->quantized->axis, ct__operand_str(q, i),
                            ct__type_str(q, q->in[i]), ct__type_str(q, q->out[0]));
        if (!repeat_scale(q, &moved))
            return false;
    }
    return quantize_result(q, 0, &moved);
}

static bool infer_each(ct__infer *q, bool (*infer)(ct__infer *))
{
    for (size_t i = 0; i < q->n_operands; i++)
        if (ct__is_per_axis(q->in[i]))
            return refuse_per_axis(q, i);
    if (!infer_changed(q, ct__type_of_storage, infer))
        return false;
    for (size_t i = 0; i < q->n_results; i++)
        if (q->in[i]->quantized && !quantize_result(q, i, q->in[i]->quantized))
            return false;
    return true;
}

/* ---- Reading bits. */

static bool infer_bits(ct__infer *q, bool (*infer)(ct__infer *))
{
    const ct_type *given = q->n_given == 1 ? q->given[0] : NULL;

    if (!infer_changed(q, ct__type_of_storage, infer))
        return false;
    if (!given || !given->quantized)
        return true;
    if (given->dtype != q->out[0]->dtype || !ct__shape_equal(given, q->out[0]))
        return ct__fail(q, CT_ERR_TYPE, "the result must store %s, not be %s",
                        ct__type_str(q, q->out[0]), ct__type_str(q, given));
    q->out[0] = given;
    return true;
}

/* ---- Computing with real numbers. */

/* The stated type of result i: of the inferred shape, expressing the inferred dtype. */
static bool take_given(ct__infer *q, size_t i)
{
    const ct_type *given = q->given[i], *reals = q->out[i];

    if (given->kind != CT__TENSOR || !given->quantized ||
        given->quantized->expressed != reals->dtype)
        return ct__fail(q, CT_ERR_TYPE, "result %zu must be quantized and express %s, not %s", i,
                        ct_dtype_name(reals->dtype), ct__type_str(q, given));
    if (!ct__shape_equal(given, reals))
        return ct__fail(q, CT_ERR_SHAPE, "result %zu must have the shape of %s, not be %s", i,
                        ct__type_str(q, reals), ct__type_str(q, given));
    q->out[i] = given;
    return true;
}

/* Float operands are quantized, all of them, but for a hybrid's first. */
static bool check_reals(ct__infer *q, const row *r)
{
    for (size_t i = r->hybrid ? 1 : 0; i < q->n_operands; i++)
        if (q->in[i]->kind == CT__TENSOR && !q->in[i]->quantized)
            return ct__fail(q, CT_ERR_TYPE, "%s must be quantized as the others are, got %s",
                            ct__operand_str(q, i), ct__type_str(q, q->in[i]));
    return true;
}

static bool infer_reals(ct__infer *q, const row *r, bool (*infer)(ct__infer *))
{
    if (!check_reals(q, r) || !infer_changed(q, ct__type_of_reals, infer))
        return false;
    if (r->hybrid && !q->in[0]->quantized)
        return true;
    for (size_t i = 0; i < q->n_results; i++) {
        if (!ct_dtype_is_float(q->out[i]->dtype))
            continue;
        if (q->n_given != q->n_results)
            return ct__fail(q, CT_ERR_TYPE,
                            "the quantization of the result must be stated; or uniform_dequantize "
                            "%s: %s before",
                            ct__operand_str(q, 0), ct__type_str(q, q->in[0]));
        if (!take_given(q, i))
            return false;
    }
    return true;
}

/* ---- The one way. */

static bool check_given(ct__infer *q)
{
    char message[200];

    for (size_t i = 0; i < q->n_given; i++) {
        ct_status status;

        if (!q->given[i])
            return ct__fail(q, CT_ERR_ARGUMENT, "the type of result %zu is NULL", i);
        status = ct__quantized_check(q->given[i], message, sizeof message);
        if (status != CT_OK)
            return ct__fail(q, status, "the type %s of result %zu is wrong: %s",
                            ct__type_str(q, q->given[i]), i, message);
    }
    return true;
}

static bool refuse(ct__infer *q)
{
    size_t i = 0;

    while (!q->in[i]->quantized)
        i++;
    return ct__fail(q, CT_ERR_TYPE, "%s must not be quantized, got %s", ct__operand_str(q, i),
                    ct__type_str(q, q->in[i]));
}

bool ct__infer_quantized(ct__infer *q, bool (*infer)(ct__infer *))
{
    const row *r = &table[q->op];

    if (!check_given(q))
        return false;
    if (r->way == BITS)
        return infer_bits(q, infer);
    if (!ct__has_quantized(q->n_operands, q->in))
        return infer(q);
    switch (r->way) {
    case MOVES: return infer_moved(q, r, infer);
    case EACH: return infer_each(q, infer);
    case CARRIES: return infer(q);
    case REALS: return infer_reals(q, r, infer);
    case BITS:
    case REFUSES: break;
    }
    return refuse(q);
}

/* ---- uniform_quantize, uniform_dequantize. */

static ct_dtype real_dtype(const ct_type *x)
{
    return x->quantized ? x->quantized->expressed : x->dtype;
}

/* C1: the result has x's shape; C2: and expresses x's real numbers, which are floats. */
bool ct__infer_uniform_quantize(ct__infer *q)
{
    const ct_type *x = q->in[0];

    if (!ct__check_tensors(q, 0, 1))
        return false;
    if (!ct_dtype_is_float(real_dtype(x))) /* C2 */
        return ct__fail(q, CT_ERR_TYPE, "x must be a float or quantized, got %s",
                        ct__type_str(q, x));
    if (q->n_given != 1)
        return ct__fail(q, CT_ERR_ARGUMENT, "the type of the result must be stated");
    if (!ct__result(q, real_dtype(x), (size_t)x->rank, x->dim)) /* C1 */
        return false;
    return take_given(q, 0); /* C1, C2 */
}

/* C1: the result has x's shape; C2: and the dtype that x expresses. */
bool ct__infer_uniform_dequantize(ct__infer *q)
{
    const ct_type *x = q->in[0];

    if (!x->quantized)
        return ct__fail(q, CT_ERR_TYPE, "x must be quantized, got %s", ct__type_str(q, x));
    return ct__result(q, x->quantized->expressed, (size_t)x->rank, x->dim); /* C1, C2 */
}
