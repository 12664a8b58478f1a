/* The numerics of the oracles: one table of functions on arrays, for both kinds of numbers; what
 * kind the run has, it says itself. */
#include "exec/interpret/reference.h"
#include "exec/oracle/oracle.h"

#include <cotangent/op.h>

#include <string.h>

static size_t element_bytes(ct_dtype dtype)
{
    if (ct_dtype_is_complex(dtype))
        return 2 * sizeof(ct__number);
    return ct_dtype_is_float(dtype) ? sizeof(ct__number) : ct_dtype_bytes(dtype);
}

/* Integers and bools, which every numerics has alike. */
static bool is_machine(ct_dtype dtype)
{
    return !ct_dtype_is_float(dtype) && !ct_dtype_is_complex(dtype);
}

/* ---- Elementwise. */

ct__number ct__number_unary(ct__op op, ct__number x)
{
    return ct__numbers_now()->how.is_exact ? ct__rational_unary(op, x) : ct__real_unary(op, x);
}

ct__number ct__number_binary(ct__op op, ct__number x, ct__number y, ct_dtype dtype)
{
    return ct__numbers_now()->how.is_exact ? ct__rational_binary(op, x, y, dtype)
                                           : ct__real_binary(op, x, y, dtype);
}

static void unary(ct__op op, ct_dtype dtype, size_t n, void *y_, const void *x_)
{
    ct__number *y = y_;
    const ct__number *x = x_;
    const size_t y_parts = op == CT__OP_abs ? 1 : 2; /* of complex */

    if (is_machine(dtype)) {
        ct__reference_numerics.unary(op, dtype, n, y_, x_);
        return;
    }
    for (size_t i = 0; i < n; i++) {
        ct__numbers_now()->element = i;
        if (ct_dtype_is_complex(dtype))
            ct__complex_unary(op, y + y_parts * i, x + 2 * i);
        else
            y[i] = ct__number_unary(op, x[i]);
    }
}

static void binary(ct__op op, ct_dtype dtype, size_t n, void *z_, const void *x_, size_t x_step,
                   const void *y_, size_t y_step)
{
    ct__number *z = z_;
    const ct__number *x = x_, *y = y_;

    if (is_machine(dtype)) {
        ct__reference_numerics.binary(op, dtype, n, z_, x_, x_step, y_, y_step);
        return;
    }
    for (size_t i = 0; i < n; i++) {
        ct__numbers_now()->element = i;
        if (ct_dtype_is_complex(dtype))
            ct__complex_binary(op, z + 2 * i, x + 2 * i * x_step, y + 2 * i * y_step);
        else
            z[i] = ct__number_binary(op, x[i * x_step], y[i * y_step], dtype);
    }
}

static void fold(ct__op op, ct_dtype dtype, size_t n, void *accumulator, const void *x,
                 size_t stride)
{
    const size_t bytes = element_bytes(dtype);

    for (size_t i = 0; i < n; i++)
        binary(op, dtype, 1, accumulator, accumulator, 1, ct__at(x, bytes, (int64_t)(i * stride)),
               1);
}

/* ---- Comparing. */

/* -NaN < -inf < … < -0 < 0 < … < inf < NaN: the class, then the number. */
static int class_of(ct__number x)
{
    const bool is_negative = ct__number_is_negative(x);

    if (ct__number_is_nan(x))
        return is_negative ? -2 : 2;
    return is_negative ? -1 : 1;
}

static int total_order(ct__number x, ct__number y)
{
    const int a = class_of(x), b = class_of(y), order = ct__number_compare(x, y);

    return a != b ? (a < b ? -1 : 1) : order == 2 ? 0 : order;
}

/* Of an order as ct__number_compare gives it. */
static bool holds(int direction, int order)
{
    switch (direction) {
    case CT_EQ: return order == 0;
    case CT_NE: return order != 0;
    case CT_GE: return order == 0 || order == 1;
    case CT_GT: return order == 1;
    case CT_LE: return order == 0 || order == -1;
    default: return order == -1;
    }
}

/* By real, then by imaginary part; a NaN in either makes them unequal and unordered. */
static int complex_order(const ct__number *x, const ct__number *y)
{
    const int re = ct__number_compare(x[0], y[0]), im = ct__number_compare(x[1], y[1]);

    return re == 2 || im == 2 ? 2 : re != 0 ? re : im;
}

static void compare(int direction, int type, ct_dtype dtype, size_t n, bool *z, const void *x_,
                    const void *y_)
{
    const ct__number *x = x_, *y = y_;

    if (is_machine(dtype)) {
        ct__reference_compare(direction, type, dtype, n, z, x_, y_);
        return;
    }
    for (size_t i = 0; i < n; i++)
        if (ct_dtype_is_complex(dtype))
            z[i] = holds(direction, complex_order(x + 2 * i, y + 2 * i));
        else
            z[i] = holds(direction, type == CT_COMPARE_TOTALORDER ? total_order(x[i], y[i])
                                                                  : ct__number_compare(x[i], y[i]));
}

static void choose(size_t n, size_t bytes, const bool *pred, void *y, const void *on_true,
                   const void *on_false)
{
    ct__reference_numerics.select(n, bytes, pred, y, on_true, on_false);
}

static void is_finite(ct_dtype dtype, size_t n, bool *y, const void *x)
{
    const ct__number *number = x;

    (void)dtype;
    for (size_t i = 0; i < n; i++)
        y[i] = !ct__is_special(number[i]);
}

static void iota(ct_dtype dtype, size_t n, void *y, int64_t first)
{
    for (size_t i = 0; i < n; i++) {
        const int64_t position = first + (int64_t)i;
        ct__convert_numbers(dtype, CT_I64, 1, ct__at(y, element_bytes(dtype), (int64_t)i),
                            &position);
    }
}

static void real(ct_dtype dtype, void *y, double value)
{
    const ct__number x = ct__number_of_double(value);

    ct__convert_numbers(dtype, CT_F64, 1, y, &x);
}

/* ---- Products. In MPFR a sum is one variable, which no term makes a number of the run for. */

static ct__number real_product(size_t k, const ct__number *a, const ct__number *b, size_t n)
{
    ct__numbers *now = ct__numbers_now();

    mpfr_clear_flags();
    mpfr_set_zero(now->t, 1);
    for (size_t p = 0; p < k; p++) {
        mpfr_mul(now->u, ct__cell_of(a[p])->real, ct__cell_of(b[p * n])->real, MPFR_RNDN);
        mpfr_add(now->t, now->t, now->u, MPFR_RNDN);
    }
    return ct__keep_real(now->t);
}

static void general_product(ct_dtype dtype, size_t k, void *c, const void *a, const void *b,
                            size_t n)
{
    const int64_t zero = 0;
    ct__number product[2];

    ct__convert_numbers(dtype, CT_I64, 1, c, &zero);
    for (size_t p = 0; p < k; p++) {
        binary(CT__OP_multiply, dtype, 1, product, ct__at(a, element_bytes(dtype), (int64_t)p), 1,
               ct__at(b, element_bytes(dtype), (int64_t)(p * n)), 1);
        binary(CT__OP_add, dtype, 1, c, c, 1, product, 1);
    }
}

static void dot(ct_dtype dtype, size_t m, size_t n, size_t k, void *c, const void *a, const void *b)
{
    const size_t bytes = element_bytes(dtype);

    if (is_machine(dtype)) {
        ct__reference_numerics.dot(dtype, m, n, k, c, a, b);
        return;
    }
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < n; j++) {
            void *to = ct__at(c, bytes, (int64_t)(i * n + j));
            const void *row = ct__at(a, bytes, (int64_t)(i * k));
            const void *column = ct__at(b, bytes, (int64_t)j);
            if (ct_dtype_is_float(dtype) && !ct__numbers_now()->how.is_exact)
                *(ct__number *)to = real_product(k, row, column, n);
            else
                general_product(dtype, k, to, row, column, n);
        }
}

/* ---- Quantized tensors: (x - zero_point) · scale, and back to the nearest integer, ties to even.
 */

static void dequantize(const ct__scaling *s, size_t n, void *y_, const void *x)
{
    const ct__number scale = ct__number_of_double(s->scale);
    const ct__number zero = ct__number_of_double((double)s->zero_point);
    ct__number *y = y_;

    for (size_t i = 0; i < n; i++) {
        ct__number stored;
        ct__numbers_now()->element = i;
        ct__convert_numbers(CT_F64, s->storage, 1, &stored,
                            ct__at(x, ct_dtype_bytes(s->storage), (int64_t)i));
        stored = ct__number_binary(CT__OP_subtract, stored, zero, s->expressed);
        y[i] = ct__number_binary(CT__OP_multiply, stored, scale, s->expressed);
    }
}

static void quantize(const ct__scaling *s, size_t n, void *y, const void *x_)
{
    const ct__number scale = ct__number_of_double(s->scale);
    const ct__number zero = ct__number_of_double((double)s->zero_point);
    const ct__number low = ct__number_of_double((double)s->storage_min);
    const ct__number high = ct__number_of_double((double)s->storage_max);
    const ct__number *x = x_;

    for (size_t i = 0; i < n; i++) {
        ct__numbers_now()->element = i;
        ct__number z = ct__number_binary(CT__OP_divide, x[i], scale, s->expressed);
        z = ct__number_binary(CT__OP_add, z, zero, s->expressed);
        z = ct__number_unary(CT__OP_round_nearest_even, z);
        if (!ct__number_is_nan(z)) { /* NaN becomes 0 */
            z = ct__number_binary(CT__OP_maximum, z, low, s->expressed);
            z = ct__number_binary(CT__OP_minimum, z, high, s->expressed);
        }
        ct__convert_numbers(s->storage, CT_F64, 1,
                            ct__at(y, ct_dtype_bytes(s->storage), (int64_t)i), &z);
    }
}

/* ---- Operations. */

static bool touches_numbers(size_t n, const ct_type *const *type)
{
    for (size_t i = 0; i < n; i++)
        if (type[i]->kind == CT__TENSOR && !is_machine(type[i]->dtype))
            return true;
    return false;
}

static bool dispatch(const ct__eval *q, bool (*meaning)(const ct__eval *q))
{
    switch (q->op) {
    case CT__OP_constant: return ct__oracle_constant(q);
    case CT__OP_fft: return ct__oracle_fft(q);
    case CT__OP_cholesky: return ct__oracle_cholesky(q);
    case CT__OP_triangular_solve: return ct__oracle_triangular_solve(q);
    case CT__OP_reduce_precision: return ct__oracle_reduce_precision(q);
    case CT__OP_bitcast_convert:
        return touches_numbers(1, q->in_type) || touches_numbers(1, q->out_type)
                   ? ct__oracle_bitcast_convert(q, meaning)
                   : meaning(q);
    case CT__OP_custom_call:
    case CT__OP_rng:
    case CT__OP_rng_bit_generator: return ct__oracle_outside(q, meaning);
    default: return meaning(q);
    }
}

static bool fail(const ct__eval *q, const ct__numbers *n)
{
    char place[CT__AT_BYTES];

    if (ct__has(q->op, CT__ELEMENTWISE) && q->out_type[0]->kind == CT__TENSOR &&
        q->out_type[0]->rank > 0 && n->failed_element < (size_t)q->out_type[0]->size) {
        ct__print_at(q->out_type[0], (int64_t)n->failed_element, place);
        return ct__run_fail(q, n->status, "element%s: %s", place + strlen(" at"), n->message);
    }
    return ct__run_fail(q, n->status, "%s", n->message);
}

/* Before an operation, and never within one, what it does not need is collected: stacks hold
 * handles where no root is. */
static bool evaluate(const ct__eval *q, bool (*meaning)(const ct__eval *q))
{
    ct__numbers *n = ct__numbers_now();

    if (!q->error->stacks.newest)
        ct__numbers_collect(n);
    if (!dispatch(q, meaning))
        return false;
    return n->status == CT_OK || fail(q, n);
}

#define TABLE(text)                                                                                \
    {                                                                                              \
        .name = text, .has_own_elements = true, .evaluate = evaluate,                              \
        .element_bytes = element_bytes, .unary = unary, .binary = binary, .fold = fold,            \
        .compare = compare, .select = choose, .is_finite = is_finite,                              \
        .convert = ct__convert_numbers, .iota = iota, .real = real, .dot = dot,                    \
        .dequantize = dequantize, .quantize = quantize                                             \
    }

const ct__numerics ct__mpfr_numerics = TABLE("mpfr");
const ct__numerics ct__rational_numerics = TABLE("rational");
