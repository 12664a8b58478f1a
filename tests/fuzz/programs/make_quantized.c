/* Quantized tensors: values like others, which operations of this file, bodies and calls use. */
#include "tests/fuzz/programs/generate.h"

enum { MOST_SCALES = 16 };

/* ---- How. */

typedef struct scales {
    double scale[MOST_SCALES];
    int64_t zero[MOST_SCALES];
} scales;

static void choose_bounds(generator *g, ct_quantization *q)
{
    const int64_t least = ct__integer_min(q->storage);
    const int64_t most = (int64_t)ct__integer_max(q->storage);

    q->storage_min = seldom(g->c, 4) ? least / 2 + (least == 0) : least;
    q->storage_max = seldom(g->c, 4) ? most / 2 + (most == 1) : most;
    if (q->storage_min >= q->storage_max)
        q->storage_min = least, q->storage_max = most;
}

/* One scale for all, or one for each slice of an axis. */
static ct_quantization choose_quantization(generator *g, ct_dtype expressed, ct_shape shape,
                                           scales *s)
{
    static const ct_dtype storage[] = {CT_I8, CT_U8,  CT_I4,  CT_I16, CT_I32,
                                       CT_U4, CT_U16, CT_U32, CT_I2,  CT_U2};
    static const double scale[] = {1, 0.5, 2, 0.25, 0.1, 3.7, 0.0078125};
    ct_quantization q = {.storage = storage[choose(g->c, sizeof storage / sizeof *storage)],
                         .expressed = expressed,
                         .axis = -1,
                         .count = 1,
                         .scale = s->scale,
                         .zero_point = s->zero};

    choose_bounds(g, &q);
    if (shape.count > 0 && seldom(g->c, 4)) {
        const size_t axis = choose(g->c, (uint32_t)shape.count);
        if (shape.dim[axis] <= MOST_SCALES) {
            q.axis = (int)axis;
            q.count = (size_t)shape.dim[axis];
        }
    }
    for (size_t i = 0; i < q.count; i++) {
        s->scale[i] = expressed == CT_F8E8M0FNU ? 1 : scale[choose(g->c, 7)];
        s->zero[i] = q.storage_min > 0 ? q.storage_min : (int64_t)choose(g->c, 2);
    }
    return q;
}

/* The type alone: that of a value computed at once. NULL where there is none. */
static const ct_type *quantized_type(generator *g, ct_dtype expressed, ct_shape shape)
{
    scales s;
    const ct_quantization q = choose_quantization(g, expressed, shape, &s);

    return ct_op_uniform_quantize(ct_full(g->ctx, expressed, shape, 1), q)->type;
}

/* ---- Operands. */

ct_tensor *quantized_of_type(generator *g, const ct_type *type)
{
    ct_tensor *x = type ? pick_of_type(g, type) : NULL;
    ct_quantization q;

    if (x || !type || !ct_type_quantization(type, &q))
        return x ? x : ct__poison(g->ctx);
    const ct_shape shape = {(size_t)type->rank, type->dim};
    if (choose(g->c, 2) == 0)
        return ct_op_uniform_quantize(some(g, q.expressed, shape), q);
    return quantized_leaf(g, ct_op_bitcast_quantize(numbers(g, q.storage, shape), q));
}

/* One that there is, or a new one, or poison. */
static ct_tensor *any_quantized(generator *g)
{
    int64_t dim[MOST_RANK];
    ct_tensor *x = pick_quantized(g);

    if (x)
        return x;
    const ct_dtype expressed = choose_dtype(g, CT__FLOATS);
    return quantized_of_type(g, quantized_type(g, expressed, choose_shape(g, dim, 0, MOST_RANK)));
}

static ct_dtype expressed_of(const ct_tensor *x)
{
    ct_quantization q = {.expressed = CT_F32};

    ct_type_quantization(x->type, &q);
    return q.expressed;
}

/* Of the same shape and real numbers, quantized in another way. */
static ct_tensor *another(generator *g, const ct_tensor *x)
{
    if (choose(g->c, 2) == 0)
        return quantized_of_type(g, x->type);
    return quantized_of_type(g, quantized_type(g, expressed_of(x), ct_shape_of(x)));
}

/* ---- Into them and out of them. */

void make_quantize(generator *g)
{
    ct_tensor *x = any_of(g, CT__FLOATS);
    scales s;
    const ct_quantization q = choose_quantization(g, ct_dtype_of(x), ct_shape_of(x), &s);

    give(g, CT__OP_uniform_quantize, ct_op_uniform_quantize(x, q));
}

void make_dequantize(generator *g)
{
    ct_tensor *x = any_quantized(g);
    scales s;

    if (ct_is_poison(x))
        return;
    if (seldom(g->c, 3)) {
        const ct_quantization q = choose_quantization(g, expressed_of(x), ct_shape_of(x), &s);
        give(g, CT__OP_uniform_quantize, ct_op_uniform_quantize(x, q));
    } else if (seldom(g->c, 4)) {
        give(g, CT__OP_bitcast_convert, ct_op_bitcast_convert(x, x->type->dtype));
    } else {
        give(g, CT__OP_uniform_dequantize, ct_op_uniform_dequantize(x));
    }
}

/* ---- On their real numbers: the program states how the result is quantized. */

static void apply_stated(generator *g, ct__op op, const ct__attrs *attrs, size_t n, ct_tensor **x,
                         ct_shape shape)
{
    const ct_type *type = quantized_type(g, expressed_of(x[0]), shape);

    if (!type)
        return;
    give(g, op,
         ct__apply1(&(ct__request){.ctx = g->ctx,
                                   .at = CT_HERE,
                                   .op = op,
                                   .attrs = attrs,
                                   .n_operands = n,
                                   .operand = x,
                                   .n_given = 1,
                                   .given = &type}));
}

void make_quantized_elementwise(generator *g)
{
    static const unsigned char list[] = {CT__OP_add,
                                         CT__OP_multiply,
                                         CT__OP_subtract,
                                         CT__OP_maximum,
                                         CT__OP_minimum,
                                         CT__OP_divide,
                                         CT__OP_negate,
                                         CT__OP_abs,
                                         CT__OP_tanh,
                                         CT__OP_exponential,
                                         CT__OP_logistic,
                                         CT__OP_sqrt,
                                         CT__OP_rsqrt,
                                         CT__OP_log,
                                         CT__OP_sine,
                                         CT__OP_cosine,
                                         CT__OP_tan,
                                         CT__OP_sign,
                                         CT__OP_ceil,
                                         CT__OP_floor,
                                         CT__OP_cbrt,
                                         CT__OP_power,
                                         CT__OP_remainder,
                                         CT__OP_atan2,
                                         CT__OP_clamp,
                                         CT__OP_is_finite,
                                         CT__OP_round_nearest_afz,
                                         CT__OP_round_nearest_even,
                                         CT__OP_log_plus_one,
                                         CT__OP_exponential_minus_one};
    const ct__op op = (ct__op)list[choose(g->c, sizeof list)];
    bool open;
    const size_t n = ct__op_arity(op, &open);
    ct_tensor *x[3] = {any_quantized(g)};

    if (ct_is_poison(x[0]))
        return;
    for (size_t i = 1; i < n; i++)
        x[i] = another(g, x[0]);
    if (op == CT__OP_is_finite)
        give(g, op, ct_op_is_finite(x[0]));
    else
        apply_stated(g, op, NULL, n, x, ct_shape_of(x[0]));
}

/* Matrices whose middle extents agree; x may be of floats. */
void make_quantized_dot(generator *g)
{
    const int64_t n = choose_from(g->c, 0, 4), k = choose_from(g->c, 0, 5),
                  m = choose_from(g->c, 1, 4);
    const ct_dtype expressed = choose_dtype(g, CT__FLOATS);
    const bool is_hybrid = seldom(g->c, 3);
    ct_tensor *x[2] = {is_hybrid
                           ? some(g, expressed, CT_SHAPE(n, k))
                           : quantized_of_type(g, quantized_type(g, expressed, CT_SHAPE(n, k)))};
    static const int64_t zero[] = {0}, one[] = {1};
    const ct__attrs attrs = {.dot_general = {.lhs_contracting_dimensions = {1, one},
                                             .rhs_contracting_dimensions = {1, zero},
                                             .dtype = CT_INVALID_DTYPE}};

    x[1] = quantized_of_type(g, quantized_type(g, expressed, CT_SHAPE(k, m)));
    if (ct_is_poison(x[0]) || ct_is_poison(x[1]))
        return;
    if (!is_hybrid)
        apply_stated(g, CT__OP_dot_general, &attrs, 2, x, CT_SHAPE(n, m));
    else
        give(g, CT__OP_dot_general, ct__op_on(CT_HERE, CT__OP_dot_general, &attrs, 2, x));
}

/* ---- Moving what they store. */

static void move_shape(generator *g, ct_tensor *x)
{
    const size_t rank = ct_rank(x);
    int64_t order[2 * MOST_RANK], dim[2 * MOST_RANK];

    choose_order(g, rank, order);
    dim[0] = choose_from(g->c, 1, 3);
    for (size_t d = 0; d < rank; d++)
        dim[d + 1] = ct_dim(x, (int64_t)d);
    if (choose(g->c, 2) == 0)
        give(g, CT__OP_transpose, ct_op_transpose(x, (ct_shape){rank, order}));
    else if (choose(g->c, 2) == 0)
        give(g, CT__OP_reshape, ct_op_reshape(x, CT_SHAPE(ct_size(x), 1)));
    else if (rank < MOST_RANK && fits((ct_shape){rank + 1, dim})) {
        for (size_t d = 0; d < rank; d++)
            order[d] = (int64_t)d + 1;
        give(g, CT__OP_broadcast_in_dim,
             ct_op_broadcast_in_dim(x, (ct_shape){rank + 1, dim}, (ct_shape){rank, order}));
    }
}

static void move_some(generator *g, ct_tensor *x)
{
    int64_t all[2 * MOST_RANK], zero[2 * MOST_RANK] = {0}, one[2 * MOST_RANK], half[2 * MOST_RANK];
    const size_t rank = ct_rank(x);

    for (size_t d = 0; d < rank; d++) {
        all[d] = (int64_t)d;
        one[d] = 1;
        half[d] = (ct_dim(x, (int64_t)d) + 1) / 2;
    }
    switch (choose(g->c, 4)) {
    case 0:
        give(g, CT__OP_slice,
             ct_op_slice(x, (ct_shape){rank, zero}, (ct_shape){rank, half}, (ct_shape){rank, one}));
        break;
    case 1: give(g, CT__OP_reverse, ct_op_reverse(x, (ct_shape){rank, all})); break;
    case 2:
        give(g, CT__OP_concatenate,
             ct_op_concatenate(CT_ARGV(x, quantized_of_type(g, x->type)), 0));
        break;
    default:
        give(g, CT__OP_select,
             ct_op_select(element_of(g, CT_BOOL), x, quantized_of_type(g, x->type)));
    }
}

void make_quantized_move(generator *g)
{
    ct_tensor *x = any_quantized(g);

    if (ct_is_poison(x))
        return;
    if (choose(g->c, 2) == 0)
        move_shape(g, x);
    else
        move_some(g, x);
}

/* ---- Through bodies: the extreme along some axes, a branch, a call. */

static recorded larger(generator *g, const ct_type *type)
{
    recorded b = {.is_fine = false};
    const opened o = body_open(g, 2, (const ct_type *[]){type, type}, true, false);
    ct_tensor *x[2] = {g->value[o.first], g->value[o.first + 1]};
    ct_tensor *y = ct__apply1(&(ct__request){.ctx = g->ctx,
                                             .at = CT_HERE,
                                             .op = CT__OP_maximum,
                                             .n_operands = 2,
                                             .operand = x,
                                             .n_given = 1,
                                             .given = &type});

    body_close(g, &o, 1, &y, &b);
    return b;
}

static void reduce_quantized(generator *g, ct_tensor *x)
{
    int64_t axis[2 * MOST_RANK];
    ct_quantization q;

    if (!ct_type_quantization(x->type, &q) || q.axis >= 0)
        return;
    const size_t n = choose_subset(g, ct_rank(x), axis);
    const ct_type *type =
        ct_op_uniform_quantize(ct_full(g->ctx, q.expressed, CT_SHAPE(), 1), q)->type;
    ct_tensor *all[2] = {x, quantized_of_type(g, type)};
    recorded b = larger(g, type);
    const ct__attrs attrs = {.reduce = {.dimensions = {n, axis}, .n_inputs = 1}};
    give_with_bodies(g, CT__OP_reduce, &attrs, 2, all, 1, &b, 1);
}

static recorded constant_branch(generator *g, ct_tensor *y)
{
    recorded b = {.is_fine = false};
    const opened o = body_open(g, 0, NULL, g->on_elements, true);

    body_close(g, &o, 1, &y, &b);
    return b;
}

void make_quantized_body(generator *g)
{
    ct_tensor *x = any_quantized(g);

    if (ct_is_poison(x))
        return;
    if (choose(g->c, 2) == 0) {
        reduce_quantized(g, x);
        return;
    }
    ct_tensor *pred = element_of(g, CT_BOOL), *y = quantized_of_type(g, x->type);
    recorded branches[2] = {constant_branch(g, x)};
    branches[1] = constant_branch(g, y);
    give_with_bodies(g, CT__OP_if, NULL, 1, &pred, 2, branches, 1);
}
