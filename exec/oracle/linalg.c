/* cholesky and triangular_solve of the run's numbers, one matrix of the batch at a time, in the
 * scratch that the meanings have: 16 bytes a number. */
#include "exec/oracle/oracle.h"

#include <cotangent/op_large.h>

#include <string.h>

/* Element (i, j) of a matrix is data[i row + j column], conjugated if so said. */
typedef struct matrix {
    const ct__eval *q;
    ct_dtype dtype;
    size_t bytes; /* of an element */
    unsigned char *data;
    int64_t row, column;
    bool conjugated;
} matrix;

typedef struct element {
    ct__number part[2];
} element;

static element load(const matrix *a, int64_t i, int64_t j)
{
    element x = {{0, 0}};

    memcpy(&x, a->data + a->bytes * (size_t)(i * a->row + j * a->column), a->bytes);
    if (a->conjugated && ct_dtype_is_complex(a->dtype))
        x.part[1] = ct__number_unary(CT__OP_negate, x.part[1]);
    return x;
}

static void store(const matrix *a, int64_t i, int64_t j, element x)
{
    memcpy(a->data + a->bytes * (size_t)(i * a->row + j * a->column), &x, a->bytes);
}

static element apply(const matrix *a, ct__op op, element x, element y)
{
    element z = {{0, 0}};

    a->q->numerics->binary(op, a->dtype, 1, &z, &x, 1, &y, 1);
    return z;
}

static element conjugate(const matrix *a, element x)
{
    if (ct_dtype_is_complex(a->dtype))
        x.part[1] = ct__number_unary(CT__OP_negate, x.part[1]);
    return x;
}

static matrix matrix_at(const ct__eval *q, const ct_type *type, void *data, int64_t row,
                        int64_t column)
{
    return (matrix){.q = q,
                    .dtype = type->dtype,
                    .bytes = q->numerics->element_bytes(type->dtype),
                    .data = data,
                    .row = row,
                    .column = column};
}

/* ---- cholesky. */

/* x - Σ_k<j l[i,k] conj(l[j,k]) */
static element less_products(const matrix *l, element x, int64_t i, int64_t j)
{
    for (int64_t k = 0; k < j; k++)
        x = apply(l, CT__OP_subtract, x,
                  apply(l, CT__OP_multiply, load(l, i, k), conjugate(l, load(l, j, k))));
    return x;
}

/* l with a = l l^H, column by column; false where a is not positive definite. Only the lower
 * triangle of a is read. */
static bool factor(int64_t n, const matrix *a, const matrix *l)
{
    for (int64_t j = 0; j < n; j++) {
        element pivot = less_products(l, (element){{load(a, j, j).part[0], 0}}, j, j);
        if (ct__number_compare(pivot.part[0], 0) != 1)
            return false;
        pivot = (element){{ct__number_unary(CT__OP_sqrt, pivot.part[0]), 0}};
        store(l, j, j, pivot);
        for (int64_t i = j + 1; i < n; i++)
            store(l, i, j, apply(l, CT__OP_divide, less_products(l, load(a, i, j), i, j), pivot));
    }
    return true;
}

/* The triangle of y = l or l^H, or NaN; zero elsewhere. */
static void place(int64_t n, bool lower, bool is_fine, const matrix *l, const matrix *y)
{
    const double not_a_number = __builtin_nan("");
    element nan = {{0, 0}};

    nan.part[0] = ct__number_of_double(not_a_number);
    nan.part[1] = nan.part[0];
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++) {
            const bool inside = lower ? j <= i : j >= i;
            element x = {{0, 0}};
            if (inside && is_fine)
                x = lower ? load(l, i, j) : conjugate(l, load(l, j, i));
            store(y, i, j, inside && !is_fine ? nan : x);
        }
}

/* u^H u = a has the lower factor u^H: element (i, j) of it comes from conj(a[j, i]). */
bool ct__oracle_cholesky(const ct__eval *q)
{
    const ct_type *type = q->in_type[0];
    const bool lower = q->attrs->cholesky.lower;

    if (type->size == 0)
        return true;
    const int64_t n = type->dim[type->rank - 1];
    const size_t bytes = (size_t)(n * n) * q->numerics->element_bytes(type->dtype);
    for (int64_t i = 0; i < type->size / (n * n); i++) {
        void *from = (unsigned char *)(uintptr_t)q->in[0] + (size_t)i * bytes;
        matrix a = matrix_at(q, type, from, lower ? n : 1, lower ? 1 : n);
        const matrix l = matrix_at(q, type, q->scratch, n, 1);
        const matrix y = matrix_at(q, type, (unsigned char *)q->out[0] + (size_t)i * bytes, n, 1);
        a.conjugated = !lower;
        place(n, lower, factor(n, &a, &l), &l, &y);
    }
    return true;
}

/* ---- triangular_solve. */

/* a y = b for `columns` right sides; y replaces b. a is lower triangular, or upper: then from the
 * last row up. */
static void substitute(int64_t n, int64_t columns, const matrix *a, bool lower, bool unit,
                       const matrix *b)
{
    for (int64_t step = 0; step < n; step++)
        for (int64_t c = 0; c < columns; c++) {
            const int64_t i = lower ? step : n - 1 - step;
            element y = load(b, i, c);
            for (int64_t k = 0; k < step; k++) {
                const int64_t j = lower ? k : n - 1 - k;
                y = apply(b, CT__OP_subtract, y,
                          apply(b, CT__OP_multiply, load(a, i, j), load(b, j, c)));
            }
            store(b, i, c, unit ? y : apply(b, CT__OP_divide, y, load(a, i, i)));
        }
}

/* y op(a) = b is op(a)^T y^T = b^T. */
bool ct__oracle_triangular_solve(const ct__eval *q)
{
    const struct ct__attrs_triangular_solve *s = &q->attrs->triangular_solve;
    const ct_type *a_type = q->in_type[0], *b_type = q->in_type[1];
    const bool swapped = (s->transpose_a != CT_NO_TRANSPOSE) != !s->left_side;

    if (b_type->size == 0)
        return true;
    memcpy(q->out[0], q->in[1], ct__value_bytes(q->numerics, b_type));
    const int64_t n = a_type->dim[a_type->rank - 1], batch = a_type->size / (n * n);
    const int64_t columns = b_type->size / batch / n;
    const size_t bytes = q->numerics->element_bytes(a_type->dtype);
    for (int64_t i = 0; i < batch; i++) {
        void *from = (unsigned char *)(uintptr_t)q->in[0] + (size_t)(i * n * n) * bytes;
        void *to = (unsigned char *)q->out[0] + (size_t)(i * n * columns) * bytes;
        matrix a = matrix_at(q, a_type, from, swapped ? 1 : n, swapped ? n : 1);
        const matrix b = matrix_at(q, a_type, to, s->left_side ? columns : 1, s->left_side ? 1 : n);
        a.conjugated = s->transpose_a == CT_ADJOINT;
        substitute(n, columns, &a, s->lower != swapped, s->unit_diagonal, &b);
    }
    return true;
}
