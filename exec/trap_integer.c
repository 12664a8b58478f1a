/* Integers that do not fit in their dtype: the exact result, of 127 bits, is compared with the
 * dtype's bounds. Of a sum that is the whole sum: what does not fit on the way to it is no trouble,
 * for integers wrap, and so no order of the terms matters. */
#include "exec/trap.h"

#include <math.h>
#include <string.h>

static const ct__exact too_large = {.is_known = false};

static ct__exact exactly(ct__wide value)
{
    return (ct__exact){true, value};
}

static bool is_zero(ct__exact x)
{
    return x.is_known && x.value == 0;
}

/* ---- Arithmetic. */

static ct__exact sum(ct__exact x, ct__exact y)
{
    ct__wide z;

    if (!x.is_known || !y.is_known || __builtin_add_overflow(x.value, y.value, &z))
        return too_large;
    return exactly(z);
}

static ct__exact negative(ct__exact x)
{
    ct__wide z;

    return x.is_known && !__builtin_sub_overflow((ct__wide)0, x.value, &z) ? exactly(z) : too_large;
}

static ct__exact product(ct__exact x, ct__exact y)
{
    ct__wide z;

    if (is_zero(x) || is_zero(y))
        return exactly(0);
    if (!x.is_known || !y.is_known || __builtin_mul_overflow(x.value, y.value, &z))
        return too_large;
    return exactly(z);
}

/* x^n, n >= 0; |x| > 1 is too large from n = 127 on. */
static ct__exact power(ct__exact x, ct__wide n)
{
    ct__exact y = exactly(1);

    if (x.value >= -1 && x.value <= 1)
        n = n == 0 ? 0 : 2 - n % 2;
    for (; n > 0 && y.is_known; n--)
        y = product(y, x);
    return y;
}

static bool can_overflow(ct__op op)
{
    return op == CT__OP_add || op == CT__OP_subtract || op == CT__OP_multiply ||
           op == CT__OP_negate || op == CT__OP_abs || op == CT__OP_power || op == CT__OP_divide;
}

/* Of operations that can overflow; a division by -1 is the only one that does. */
static ct__exact result_of(ct__op op, ct__exact x, ct__exact y)
{
    switch (op) {
    case CT__OP_add: return sum(x, y);
    case CT__OP_subtract: return sum(x, negative(y));
    case CT__OP_multiply: return product(x, y);
    case CT__OP_negate: return negative(x);
    case CT__OP_abs: return x.is_known && x.value < 0 ? negative(x) : x;
    case CT__OP_power: return power(x, y.value);
    default: return y.value == -1 ? negative(x) : exactly(0);
    }
}

static bool fits(ct_dtype dtype, ct__exact x)
{
    return x.is_known && x.value >= ct__integer_min(dtype) &&
           x.value <= (ct__wide)ct__integer_max(dtype);
}

static ct__exact load(ct_dtype dtype, const void *element)
{
    const uint64_t bits = ct__load_integer(dtype, element);

    return exactly(ct_dtype_is_signed(dtype) ? (ct__wide)(int64_t)bits : (ct__wide)bits);
}

/* ---- Elementwise operations. */

/* A number of any dtype as an integer: whether its whole part fits. Between integers of one width
 * a program may mean the bits: then all do. */
static bool converts(ct_dtype to, ct_dtype from, const void *element)
{
    double x;

    if (from == CT_BOOL ||
        (ct_dtype_is_integer(from) && ct__dtype_bits(to) == ct__dtype_bits(from)))
        return true;
    if (ct_dtype_is_integer(from))
        return fits(to, load(from, element));
    x = trunc(ct__load_double(from, element));
    return x >= (double)ct__integer_min(to) && x < (double)ct__integer_max(to) + 1;
}

/* By a negative number of bits, or by as many as there are: nothing is left of it. */
static bool shifts_beyond(const ct__eval *q, ct_dtype dtype, int64_t i)
{
    return (uint64_t)ct__integer_at(q, 1, i) >= ct__dtype_bits(dtype);
}

bool ct__overflows(const ct__eval *q, int64_t i, ct__exact *exact)
{
    const ct_dtype dtype = q->out_type[0]->dtype;
    ct__exact x, y = exactly(0);

    if (!ct_dtype_is_integer(dtype))
        return false;
    if (q->op == CT__OP_convert)
        return !converts(dtype, q->in_type[0]->dtype, ct__operand_at(q, 0, i));
    if (ct__is_shift(q->op))
        return shifts_beyond(q, dtype, i);
    if (!ct_dtype_is_signed(dtype) || !can_overflow(q->op))
        return false;
    x = load(dtype, ct__operand_at(q, 0, i));
    if (q->n_operands > 1)
        y = load(dtype, ct__operand_at(q, 1, i));
    if ((q->op == CT__OP_divide && y.value == 0) || (q->op == CT__OP_power && y.value < 0))
        return false;
    *exact = result_of(q->op, x, y);
    return !fits(dtype, *exact);
}

/* ---- Numerics in which f64 stands for integers of 127 bits. What they have is all that sums and
 * products call. */

static size_t element_bytes(ct_dtype dtype)
{
    return dtype == CT_F64 ? sizeof(ct__exact) : ct_dtype_bytes(dtype);
}

static void binary(ct__op op, ct_dtype dtype, size_t n, void *z_, const void *x_, size_t x_step,
                   const void *y_, size_t y_step)
{
    const ct__exact *x = x_, *y = y_;
    ct__exact *z = z_;

    (void)dtype;
    for (size_t i = 0; i < n; i++)
        z[i] = result_of(op, x[i * x_step], y[i * y_step]);
}

static void fold(ct__op op, ct_dtype dtype, size_t n, void *accumulator, const void *x,
                 size_t stride)
{
    ct__exact *y = accumulator;

    (void)dtype;
    for (size_t i = 0; i < n; i++)
        *y = result_of(op, *y, ((const ct__exact *)x)[i * stride]);
}

static void convert(ct_dtype to, ct_dtype from, size_t n, void *y, const void *x)
{
    (void)to; /* f64 */
    if (from == CT_F64)
        memmove(y, x, n * sizeof(ct__exact));
    for (size_t i = 0; i < n && from != CT_F64; i++)
        ((ct__exact *)y)[i] = load(from, ct__at(x, ct_dtype_bytes(from), (int64_t)i));
}

static void dot(ct_dtype dtype, size_t m, size_t n, size_t k, void *c_, const void *a_,
                const void *b_)
{
    const ct__exact *a = a_, *b = b_;
    ct__exact *c = c_;

    (void)dtype;
    for (size_t i = 0; i < m * n; i++) {
        c[i] = exactly(0);
        for (size_t p = 0; p < k; p++)
            c[i] = sum(c[i], product(a[i / n * k + p], b[p * n + i % n]));
    }
}

static const ct__numerics wide_numerics = {.name = "wide",
                                           .has_own_elements = true,
                                           .element_bytes = element_bytes,
                                           .binary = binary,
                                           .fold = fold,
                                           .convert = convert,
                                           .dot = dot};

/* ---- Sums, products, and sums of products. */

static bool is_product(ct__op op)
{
    return op == CT__OP_dot_general || op == CT__OP_convolution || op == CT__OP_ragged_dot;
}

static bool is_fold(ct__op op)
{
    return op == CT__OP_reduce || op == CT__OP_reduce_window || op == CT__OP_scatter;
}

/* What a fold of one input does with each element; else a negative number. */
static int kind_of(const ct__eval *q)
{
    const size_t others = q->op == CT__OP_scatter ? 3 : 2;

    return q->n_results == 1 && q->n_operands == others ? ct__plan_body_kind(q->region[0])
                                                        : CT__BODY_OTHER;
}

static bool sums(const ct__eval *q)
{
    const ct_type *y = q->out_type[0];
    const int kind = is_fold(q->op) ? kind_of(q) : CT__BODY_OTHER;

    if (q->n_results != 1 || y->kind != CT__TENSOR || y->quantized || y->size == 0 ||
        !ct_dtype_is_integer(y->dtype) || !ct_dtype_is_signed(y->dtype))
        return false;
    return is_product(q->op) || kind == CT__OP_add || kind == CT__OP_subtract ||
           kind == CT__OP_multiply;
}

/* Whether operand i is added or multiplied, and no index or size. */
static bool is_value(const ct__eval *q, size_t i)
{
    return q->op == CT__OP_scatter ? i != 1 : i < 2;
}

static int64_t count_of(const ct__eval *q, size_t i)
{
    return ct__is_single(q, i) ? 1 : q->in_type[i]->size;
}

static double magnitude_of(const ct__eval *q, size_t i)
{
    double most = 0;

    for (int64_t k = 0; k < count_of(q, i); k++)
        most = fmax(most, fabs((double)ct__integer_at(q, i, k)));
    return most;
}

/* Whether not even the sum of all magnitudes is near the bound. */
static bool is_small(const ct__eval *q)
{
    const double bound = (double)ct__integer_max(q->out_type[0]->dtype) * 0.999;
    const size_t second = q->op == CT__OP_scatter ? 2 : 1;
    const double x = magnitude_of(q, 0), y = magnitude_of(q, second);
    const double n = (double)q->in_type[0]->size + (double)q->in_type[second]->size;

    if (is_product(q->op))
        return (double)q->in_type[0]->size * x * y < bound;
    return kind_of(q) != CT__OP_multiply && n * fmax(x, y) < bound;
}

/* The operand's integers, all of them where one stands for all. */
static const ct__exact *widen(const ct__eval *q, size_t i, ct__arena *arena)
{
    const int64_t n = q->in_type[i]->size;
    ct__exact *wide = CT__NEW_ARRAY(arena, ct__exact, (size_t)n + 1);

    for (int64_t k = 0; wide && k < n; k++)
        wide[k] = load(q->in_type[i]->dtype, ct__operand_at(q, i, k));
    return wide;
}

static const ct_type *wide_type(const ct_type *type, ct__arena *arena)
{
    ct_type *wide = CT__NEW(arena, ct_type);

    if (wide) {
        *wide = *type;
        wide->dtype = CT_F64;
    }
    return wide;
}

/* Fills `again` but for the scratch; false when memory is short. */
static bool prepare(const ct__eval *q, ct__arena *arena, ct__eval *again, ct__run_error *error)
{
    const ct_type **types = CT__NEW_ARRAY(arena, const ct_type *, q->n_operands + 1);
    const void **in = CT__NEW_ARRAY(arena, const void *, q->n_operands + 1);
    void **out = CT__NEW_ARRAY(arena, void *, 1);

    for (size_t i = 0; types && in && i < q->n_operands; i++) {
        types[i] = is_value(q, i) ? wide_type(q->in_type[i], arena) : q->in_type[i];
        in[i] = is_value(q, i) ? widen(q, i, arena) : q->in[i];
    }
    if (types)
        types[q->n_operands] = wide_type(q->out_type[0], arena);
    if (out)
        out[0] = CT__NEW_ARRAY(arena, ct__exact, (size_t)q->out_type[0]->size);
    if (arena->failed)
        return false;
    *again = *q;
    again->numerics = &wide_numerics;
    again->in_type = types;
    again->in = in;
    again->in_stride = NULL;
    again->repeated = 0;
    again->out_type = types + q->n_operands;
    again->out = out;
    again->threads = NULL;
    again->error = error;
    return true;
}

/* Every element of the result; NULL after an error. */
static const ct__exact *results_of(const ct__eval *q, ct__arena *arena)
{
    ct__run_error error = {.draws = q->error->draws, .stacks = {.allocator = &arena->allocator}};
    size_t scratch;
    ct__eval again;

    if (!prepare(q, arena, &again, &error) || !ct__scratch_bytes(&again, &scratch))
        return NULL;
    again.scratch = ct__arena_zeroed(arena, scratch + CT__ALIGN);
    if (!again.scratch)
        return NULL;
    again.scratch += (CT__ALIGN - (uintptr_t)again.scratch % CT__ALIGN) % CT__ALIGN;
    return ct__evaluate(&again) ? again.out[0] : NULL;
}

bool ct__sums_overflow(const ct__eval *q, ct__arena *arena, ct__trouble *trouble)
{
    const ct__exact *exact;

    if (!sums(q) || is_small(q) || !(exact = results_of(q, arena)))
        return false;
    for (int64_t i = 0; i < q->out_type[0]->size; i++)
        if (!fits(q->out_type[0]->dtype, exact[i])) {
            *trouble = (ct__trouble){.kind = CT_TRAP_OVERFLOW, .element = i, .exact = exact[i]};
            return true;
        }
    return false;
}

/* ---- Bodies of several operations. */

static bool may_trouble(ct__op op, ct_dtype dtype)
{
    return (can_overflow(op) && ct_dtype_is_signed(dtype)) || ct__is_shift(op) ||
           op == CT__OP_divide || op == CT__OP_remainder || op == CT__OP_convert;
}

static bool computes_integers(const ct__graph *body)
{
    for (uint32_t i = 0; i < body->n_nodes; i++) {
        const ct__node *node = &body->node[i];
        const ct_type *type = node->n_results > 0 ? ct__graph_type(body, node->first_result) : NULL;
        if (type && type->kind == CT__TENSOR && ct_dtype_is_integer(type->dtype) &&
            may_trouble(node->op, type->dtype))
            return true;
        for (size_t k = 0; k < node->n_regions; k++)
            if (computes_integers(node->region[k]))
                return true;
    }
    return false;
}

bool ct__hides_integers(const ct__eval *q)
{
    if (q->real_type || sums(q))
        return false;
    for (size_t i = 0; i < q->n_regions; i++)
        if (computes_integers(ct__plan_graph(q->region[i])))
            return true;
    return false;
}
