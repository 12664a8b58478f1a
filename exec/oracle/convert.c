/* Between numbers and machine elements. */
#include "exec/oracle/oracle.h"

#include "exec/interpret/reference.h"

#include <math.h>
#include <string.h>

static bool is_number(ct_dtype dtype)
{
    return ct_dtype_is_float(dtype) || ct_dtype_is_complex(dtype);
}

static ct_dtype part_of(ct_dtype dtype)
{
    return dtype == CT_C64 ? CT_F32 : dtype == CT_C128 ? CT_F64 : dtype;
}

/* ---- Machine floats. Infinities and NaN have no quotient: also exact runs have them in MPFR. */

ct__number ct__number_of_double(double x)
{
    ct__numbers *n = ct__numbers_now();

    if (n->how.is_exact && isfinite(x)) {
        mpq_set_d(n->p, x);
        return ct__keep_rational(n->p);
    }
    mpfr_clear_flags();
    mpfr_set_d(n->t, x, MPFR_RNDN);
    if (isnan(x))
        mpfr_setsign(n->t, n->t, signbit(x) != 0, MPFR_RNDN);
    return ct__keep_real(n->t);
}

double ct__odd_of(mpfr_srcptr x)
{
    double d = mpfr_get_d(x, MPFR_RNDZ);
    uint64_t bits;

    if (!mpfr_number_p(x) || mpfr_cmp_d(x, d) == 0)
        return d;
    memcpy(&bits, &d, sizeof bits);
    bits |= 1;
    memcpy(&d, &bits, sizeof d);
    return d == 0 ? copysign(0x1p-1074, mpfr_sgn(x)) : d;
}

/* A quotient as a number of MPFR whose last bit, far below those of a double, is set where that is
 * not exact. */
static void set_odd(mpfr_ptr y, mpq_srcptr x)
{
    const int inexact = mpfr_set_q(y, x, MPFR_RNDZ);

    if (inexact != 0 && mpfr_min_prec(y) < mpfr_get_prec(y)) {
        if (mpfr_sgn(y) > 0)
            mpfr_nextabove(y);
        else
            mpfr_nextbelow(y);
    }
}

mpfr_srcptr ct__odd_real(ct__number x)
{
    ct__numbers *n = ct__numbers_now();
    const ct__cell *cell = ct__cell_of(x);

    if (cell->kind == CT__CELL_REAL)
        return cell->real;
    set_odd(n->t, cell->rational);
    return n->t;
}

double ct__double_of(ct__number x)
{
    return mpfr_get_d(ct__odd_real(x), MPFR_RNDN);
}

static void store_float(ct_dtype dtype, void *machine, ct__number x)
{
    const bool is_negative_nan = ct__number_is_nan(x) && ct__number_is_negative(x);
    double value = dtype == CT_F64 ? ct__double_of(x) : ct__odd_of(ct__odd_real(x));

    if (is_negative_nan)
        value = copysign(value, -1);
    memset(machine, 0xFF, ct_dtype_bytes(dtype)); /* f8E8M0FNU has NaN for what it cannot store */
    ct__store_double(dtype, machine, value);
}

/* ---- Arrays. */

static size_t parts_of(ct_dtype dtype)
{
    return ct_dtype_is_complex(dtype) ? 2 : 1;
}

void ct__load_numbers(ct_dtype dtype, size_t n, void *y_, const void *machine)
{
    const ct_dtype part = part_of(dtype);
    const size_t bytes = ct_dtype_bytes(part);
    ct__number *y = y_;

    if (!is_number(dtype)) {
        memcpy(y_, machine, n * bytes);
        return;
    }
    for (size_t i = 0; i < n * parts_of(dtype); i++)
        y[i] = ct__number_of_double(
            ct__load_double(part, (const unsigned char *)machine + i * bytes));
}

void ct__store_numbers(ct_dtype dtype, size_t n, void *machine, const void *x_)
{
    const ct_dtype part = part_of(dtype);
    const size_t bytes = ct_dtype_bytes(part);
    const ct__number *x = x_;

    if (!is_number(dtype)) {
        memcpy(machine, x_, n * bytes);
        return;
    }
    for (size_t i = 0; i < n * parts_of(dtype); i++)
        store_float(part, (unsigned char *)machine + i * bytes, x[i]);
}

void ct__load_value(const ct__numerics *numerics, const ct_type *type, void *y, const void *machine)
{
    if (type->kind == CT__TENSOR && type->size > 0)
        ct__load_numbers(type->dtype, (size_t)type->size, y, machine);
    for (size_t i = 0; type->kind == CT__TUPLE && i < type->n_elements; i++)
        ct__load_value(numerics, type->element[i],
                       (unsigned char *)y + ct__tuple_offset(numerics, type, i),
                       (const unsigned char *)machine + ct__element_offset(type, i));
}

void ct__store_value(const ct__numerics *numerics, const ct_type *type, void *machine,
                     const void *x)
{
    if (type->kind == CT__TENSOR && type->size > 0)
        ct__store_numbers(type->dtype, (size_t)type->size, machine, x);
    for (size_t i = 0; type->kind == CT__TUPLE && i < type->n_elements; i++)
        ct__store_value(numerics, type->element[i],
                        (unsigned char *)machine + ct__element_offset(type, i),
                        (const unsigned char *)x + ct__tuple_offset(numerics, type, i));
}

/* ---- Conversions. Between floats nothing happens. */

static ct__number number_of_integer(ct_dtype dtype, const void *element)
{
    ct__numbers *n = ct__numbers_now();
    const uint64_t bits = ct__load_integer(dtype, element);

    mpfr_clear_flags();
    if (dtype == CT_U64)
        mpfr_set_uj(n->t, bits, MPFR_RNDN);
    else
        mpfr_set_sj(n->t, (int64_t)bits, MPFR_RNDN);
    if (!n->how.is_exact)
        return ct__keep_real(n->t);
    mpfr_get_q(n->p, n->t);
    return ct__keep_rational(n->p);
}

/* Truncated and saturated; NaN gives 0. An exact number is truncated before it is rounded. */
static void store_integer(ct_dtype dtype, void *element, ct__number x)
{
    ct__numbers *n = ct__numbers_now();
    const ct__cell *cell = ct__cell_of(x);
    bool fine = true;

    if (dtype == CT_BOOL) {
        *(bool *)element = ct__number_compare(x, 0) != 0;
        return;
    }
    if (cell->kind == CT__CELL_RATIONAL) {
        mpz_tdiv_q(mpq_numref(n->p), mpq_numref(cell->rational), mpq_denref(cell->rational));
        mpfr_set_z(n->t, mpq_numref(n->p), MPFR_RNDZ);
        mpz_set_ui(mpq_denref(n->p), 1);
    } else {
        mpfr_set(n->t, cell->real, MPFR_RNDZ);
    }
    if (mpfr_nan_p(n->t))
        mpfr_set_zero(n->t, 1);
    if (mpfr_sgn(n->t) > 0 && !ct_dtype_is_signed(dtype))
        fine = ct__store_unsigned(dtype, element, mpfr_get_uj(n->t, MPFR_RNDZ));
    else
        fine = ct__store_signed(dtype, element, mpfr_get_sj(n->t, MPFR_RNDZ));
    if (!fine) {
        const double end = mpfr_sgn(n->t) > 0 ? HUGE_VAL : -HUGE_VAL;
        ct__reference_convert(dtype, CT_F64, 1, element, &end);
    }
}

static void convert_reals(ct_dtype to, ct_dtype from, size_t n, void *y, size_t y_step,
                          const void *x, size_t x_step)
{
    const size_t y_bytes = ct__mpfr_numerics.element_bytes(to) * y_step;
    const size_t x_bytes = ct__mpfr_numerics.element_bytes(from) * x_step;

    for (size_t i = 0; i < n; i++) {
        unsigned char *yi = (unsigned char *)y + i * y_bytes;
        const unsigned char *xi = (const unsigned char *)x + i * x_bytes;
        ct__number number;
        ct__numbers_now()->element = i;
        if (is_number(from))
            memcpy(&number, xi, sizeof number);
        else
            number = number_of_integer(from, xi);
        if (is_number(to))
            memcpy(yi, &number, sizeof number);
        else
            store_integer(to, yi, number);
    }
}

/* Complex loses its imaginary part, or gets 0. */
void ct__convert_numbers(ct_dtype to, ct_dtype from, size_t n, void *y, const void *x)
{
    if (!is_number(to) && !is_number(from)) {
        ct__reference_convert(to, from, n, y, x);
        return;
    }
    if (parts_of(to) == parts_of(from)) {
        convert_reals(part_of(to), part_of(from), n * parts_of(to), y, 1, x, 1);
        return;
    }
    if (ct_dtype_is_complex(to))
        memset(y, 0, n * 2 * sizeof(ct__number));
    convert_reals(part_of(to), part_of(from), n, y, parts_of(to), x, parts_of(from));
}
