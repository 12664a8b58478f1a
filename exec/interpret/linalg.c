/* cholesky and triangular_solve: one matrix of the batch at a time, in f64 or c128, rounded once.
 */
#include "exec/interpret/interpret.h"

#include <cotangent/op_large.h>

#include <complex.h>
#include <math.h>

static double conjugate_real(double x)
{
    return x;
}

static double magnitude_real(double x)
{
    return x * x;
}

#define T double
#define N(name) name##_real
#define real_real conjugate_real
#define nan_real ((double)NAN)
#include "exec/interpret/linalg.inc"

static double complex conjugate_complex(double complex x)
{
    return conj(x);
}

static double magnitude_complex(double complex x)
{
    return creal(x) * creal(x) + cimag(x) * cimag(x);
}

#define T double complex
#define N(name) name##_complex
#define real_complex creal
#define nan_complex ((double complex)NAN + (double complex)NAN * I)
#include "exec/interpret/linalg.inc"

/* ---- Matrices in the scratch: each in the type that is computed in. */

static ct_dtype computed_in(ct_dtype dtype)
{
    return ct_dtype_is_complex(dtype) ? CT_C128 : CT_F64;
}

static int64_t matrix_size(const ct_type *type)
{
    return type->dim[type->rank - 2] * type->dim[type->rank - 1];
}

/* Room for `count` numbers behind *bytes. */
static bool add_matrix(const ct__eval *q, int64_t count, size_t *bytes)
{
    size_t size;

    if (!ct__mul_size((size_t)count, q->numerics->element_bytes(CT_C128), &size) ||
        !ct__round_up(size, &size) || size > SIZE_MAX - *bytes)
        return false;
    *bytes += size;
    return true;
}

bool ct__cholesky_scratch(const ct__eval *q, size_t *bytes)
{
    const ct_type *a = q->in_type[0];

    *bytes = 0;
    for (int i = 0; a->size > 0 && i < 3; i++)
        if (!add_matrix(q, matrix_size(a), bytes))
            return false;
    return true;
}

bool ct__triangular_solve_scratch(const ct__eval *q, size_t *bytes)
{
    *bytes = 0;
    return q->out_type[0]->size == 0 || (add_matrix(q, matrix_size(q->in_type[0]), bytes) &&
                                         add_matrix(q, matrix_size(q->in_type[1]), bytes));
}

/* Matrix i of an operand, converted to `to`. */
static void load(const ct__eval *q, size_t operand, int64_t i, void *to)
{
    const ct_type *x = q->in_type[operand];
    const int64_t size = matrix_size(x);

    q->numerics->convert(computed_in(x->dtype), x->dtype, (size_t)size, to,
                         ct__at(q->in[operand], q->numerics->element_bytes(x->dtype), i * size));
}

static void store(const ct__eval *q, int64_t i, const void *from)
{
    const ct_type *y = q->out_type[0];
    const int64_t size = matrix_size(y);

    q->numerics->convert(y->dtype, computed_in(y->dtype), (size_t)size,
                         ct__at(q->out[0], q->numerics->element_bytes(y->dtype), i * size), from);
}

bool ct__meaning_cholesky(const ct__eval *q)
{
    const ct_type *a = q->in_type[0];
    size_t bytes = 0;

    if (a->size == 0)
        return true;
    const int64_t n = a->dim[a->rank - 1];
    add_matrix(q, n * n, &bytes);
    void *matrix = q->scratch, *factor = q->scratch + bytes, *result = q->scratch + 2 * bytes;
    for (int64_t i = 0; i < a->size / (n * n); i++) {
        load(q, 0, i, matrix);
        if (ct_dtype_is_complex(a->dtype))
            cholesky_complex(n, q->attrs->cholesky.lower, matrix, factor, result);
        else
            cholesky_real(n, q->attrs->cholesky.lower, matrix, factor, result);
        store(q, i, result);
    }
    return true;
}

bool ct__meaning_triangular_solve(const ct__eval *q)
{
    const struct ct__attrs_triangular_solve *s = &q->attrs->triangular_solve;
    const ct_type *a = q->in_type[0], *b = q->in_type[1];
    size_t bytes = 0;

    if (b->size == 0)
        return true;
    const int64_t n = a->dim[a->rank - 1], columns = matrix_size(b) / n;
    add_matrix(q, n * n, &bytes);
    void *matrix = q->scratch, *sides = q->scratch + bytes;
    for (int64_t i = 0; i < a->size / (n * n); i++) {
        load(q, 0, i, matrix);
        load(q, 1, i, sides);
        if (ct_dtype_is_complex(a->dtype))
            solve_complex(s, n, columns, matrix, sides);
        else
            solve_real(s, n, columns, matrix, sides);
        store(q, i, sides);
    }
    return true;
}
