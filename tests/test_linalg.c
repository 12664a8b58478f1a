/* Matrix products: every pair of ranks, broadcasting, errors, slopes. Expected values are sums
 * written out over coordinates, by a plain loop. */
#include "tests/derivatives.h"

#include <cotangent/linalg.h>

#include <stdlib.h>

#define MAX_RANK 6

/* One operand of NumPy's matmul as a stack of matrices. */
typedef struct operand {
    int rank, batch;
    int64_t dim[MAX_RANK], rows, columns;
    double *data;
} operand;

static operand operand_of(ct_tensor *x, bool is_left)
{
    operand p = {.rank = (int)ct_rank(x)};
    for (int d = 0; d < p.rank; d++)
        p.dim[d] = ct_dim(x, d);
    p.batch = p.rank > 2 ? p.rank - 2 : 0;
    p.columns = p.rank == 1 && !is_left ? 1 : p.dim[p.rank - 1];
    p.rows = p.rank == 1 ? (is_left ? 1 : p.dim[0]) : p.dim[p.rank - 2];
    p.data = malloc(sizeof *p.data * (size_t)(ct_size(x) + 1));
    CHECK(p.data && ct_to_doubles(x, p.data, (size_t)ct_size(x)));
    return p;
}

/* The matrix at a position of the result's leading axes: the last ones match, extent 1 repeats. */
static const double *matrix_at(const operand *p, int batch, const int64_t *index)
{
    int64_t position = 0;
    for (int d = 0; d < p->batch; d++)
        position = position * p->dim[d] + (p->dim[d] == 1 ? 0 : index[batch - p->batch + d]);
    return p->data + position * p->rows * p->columns;
}

/* x @ y compared with loops over coordinates. */
static void check_product(ct_tensor *x, ct_tensor *y, ct_shape shape)
{
    operand a = operand_of(x, true), b = operand_of(y, false);
    int batch = a.batch > b.batch ? a.batch : b.batch;
    int64_t size = 1, index[MAX_RANK] = {0}, matrices = 1;
    for (size_t d = 0; d < shape.count; d++)
        size *= shape.dim[d];
    for (int d = 0; d < batch; d++)
        matrices *= shape.dim[d];
    double *expected = calloc((size_t)size + 1, sizeof *expected), *z = expected;
    CHECK(expected != NULL);
    for (int64_t n = 0; n < matrices; n++) {
        int64_t rest = n;
        for (int d = batch - 1; d >= 0; d--) {
            index[d] = rest % shape.dim[d];
            rest /= shape.dim[d];
        }
        const double *p = matrix_at(&a, batch, index), *q = matrix_at(&b, batch, index);
        for (int64_t i = 0; i < a.rows; i++)
            for (int64_t j = 0; j < b.columns; j++, z++)
                for (int64_t k = 0; k < a.columns; k++)
                    *z += p[i * a.columns + k] * q[k * b.columns + j];
    }
    values_check(__FILE__, __LINE__, "matmul", ct_matmul(x, y), shape, expected, (size_t)size,
                 VALUES_EXACT, 0);
    free(expected);
    free(a.data);
    free(b.data);
}

TEST(ranks)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = coded(ctx, CT_F64, 2, 3), *y = coded(ctx, CT_F64, 3, 4);
    ct_tensor *v3 = coded(ctx, CT_F64, 3), *v2 = coded(ctx, CT_F64, 2);
    CHECK_VALUES(ct_matmul(x, y), CT_SHAPE(2, 4),
                 {50, 53, 56, 59, 350, 383, 416, 449}); /* 1·10 + 2·20 = 50 */
    CHECK_VALUES(ct_matmul(v3, v3), CT_SHAPE(), {5});
    check_product(x, y, CT_SHAPE(2, 4));
    check_product(x, v3, CT_SHAPE(2));
    check_product(v2, x, CT_SHAPE(3));
    check_product(coded(ctx, CT_F64, 5, 2, 3), y, CT_SHAPE(5, 2, 4));
    check_product(x, coded(ctx, CT_F64, 5, 3, 4), CT_SHAPE(5, 2, 4));
    check_product(coded(ctx, CT_F64, 5, 2, 3), v3, CT_SHAPE(5, 2));
    check_product(v3, coded(ctx, CT_F64, 5, 3, 4), CT_SHAPE(5, 4));
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

TEST(leading_axes_broadcast)
{
    ct_context *ctx = ct_context_new();
    check_product(coded(ctx, CT_F64, 5, 2, 3), coded(ctx, CT_F64, 5, 3, 4), CT_SHAPE(5, 2, 4));
    check_product(coded(ctx, CT_F64, 5, 1, 2, 3), coded(ctx, CT_F64, 6, 3, 4),
                  CT_SHAPE(5, 6, 2, 4));
    check_product(coded(ctx, CT_F64, 6, 2, 3), coded(ctx, CT_F64, 5, 1, 3, 4),
                  CT_SHAPE(5, 6, 2, 4));
    check_product(coded(ctx, CT_F64, 1, 6, 2, 3), coded(ctx, CT_F64, 5, 6, 3, 4),
                  CT_SHAPE(5, 6, 2, 4));
    check_product(coded(ctx, CT_F64, 5, 1, 2, 3), coded(ctx, CT_F64, 1, 6, 3, 4),
                  CT_SHAPE(5, 6, 2, 4));
    check_product(coded(ctx, CT_F64, 1, 2, 3), coded(ctx, CT_F64, 1, 3, 4), CT_SHAPE(1, 2, 4));
    check_product(coded(ctx, CT_F64, 1, 1, 2, 3), coded(ctx, CT_F64, 3, 4), CT_SHAPE(1, 1, 2, 4));
    check_product(coded(ctx, CT_F64, 7, 5, 1, 2, 3), coded(ctx, CT_F64, 7, 1, 6, 3, 4),
                  CT_SHAPE(7, 5, 6, 2, 4));
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

TEST(nothing_to_sum)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *none = ct_zeros(ctx, CT_F32, CT_SHAPE(2, 0));
    CHECK_VALUES(ct_matmul(none, ct_zeros(ctx, CT_F32, CT_SHAPE(0, 3))), CT_SHAPE(2, 3),
                 {0, 0, 0, 0, 0, 0});
    CHECK_EMPTY(
        ct_matmul(ct_zeros(ctx, CT_F32, CT_SHAPE(0, 3)), ct_ones(ctx, CT_F32, CT_SHAPE(3, 2))),
        CT_SHAPE(0, 2));
    CHECK_EMPTY(ct_matmul(ct_ones(ctx, CT_F32, CT_SHAPE(1, 2, 3)),
                          ct_zeros(ctx, CT_F32, CT_SHAPE(0, 3, 4))),
                CT_SHAPE(0, 2, 4));
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

TEST(dtypes)
{
    ct_context *ctx = ct_context_new();
    static const ct_dtype dtypes[] = {CT_I8,  CT_I16, CT_I32, CT_I64,  CT_U8,  CT_U16,
                                      CT_U32, CT_U64, CT_F16, CT_BF16, CT_F32, CT_F64};
    for (size_t i = 0; i < sizeof dtypes / sizeof *dtypes; i++) {
        ct_tensor *x = given(ctx, dtypes[i], CT_SHAPE(2, 2), {1, 2, 3, 4});
        CHECK_VALUES(ct_matmul(x, x), CT_SHAPE(2, 2), {7, 10, 15, 22});
        CHECK(ct_dtype_of(ct_matmul(x, x)) == dtypes[i]);
    }
    /* summed in f32: in f16 the sum would stop at 2048 */
    ct_tensor *ones = ct_ones(ctx, CT_F16, CT_SHAPE(4096));
    CHECK_VALUES(ct_matmul(ones, ones), CT_SHAPE(), {4096});
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

TEST(errors)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = ct_ones(ctx, CT_F32, CT_SHAPE(5, 2, 3)),
              *y = ct_ones(ctx, CT_F32, CT_SHAPE(4, 2));
    ct_matmul(x, y);
    CHECK_ERROR(ctx, CT_ERR_SHAPE,
                "matmul: the contracted extents differ: x has 3 on axis -1 and y has 4 on axis -2");
    ct_matmul(y, ct_ones(ctx, CT_F32, CT_SHAPE(3)));
    CHECK_ERROR(ctx, CT_ERR_SHAPE, "x has 2 on axis -1 and y has 3 on axis -1");
    ct_matmul(x, ct_ones(ctx, CT_F32, CT_SHAPE(4, 3, 2)));
    CHECK_ERROR(ctx, CT_ERR_SHAPE,
                "matmul: x and y do not broadcast: on axis -3 their extents are 5 and 4");
    ct_matmul(x, ct_scalar(ctx, CT_F32, 1));
    CHECK_ERROR(ctx, CT_ERR_SHAPE, "matmul: y is a scalar (see ct_mul)");
    ct_matmul(x, ct_ones(ctx, CT_F64, CT_SHAPE(3, 2)));
    CHECK_ERROR(ctx, CT_ERR_TYPE,
                "matmul: x is f32 and y is f64; convert one of them with ct_cast");
    ct_matmul(ct_ones(ctx, CT_BOOL, CT_SHAPE(2)), ct_ones(ctx, CT_BOOL, CT_SHAPE(2)));
    CHECK_ERROR(ctx, CT_ERR_TYPE, "matmul: x is bool");
    ct_matmul(x, NULL);
    CHECK_ERROR(ctx, CT_ERR_ARGUMENT, "matmul: y is NULL");
    ct_context_free(ctx);
}

static ct_tensor *product(const void *user, ct_tensor *const *x)
{
    (void)user;
    return ct_matmul(x[0], x[1]);
}

TEST(slopes)
{
    ct_context *ctx = ct_context_new();
    CHECK_LINEAR(ctx, product, NULL, 2, coded(ctx, CT_F64, 2, 3), coded(ctx, CT_F64, 3, 4));
    CHECK_LINEAR(ctx, product, NULL, 2, coded(ctx, CT_F64, 3), coded(ctx, CT_F64, 3));
    CHECK_LINEAR(ctx, product, NULL, 2, coded(ctx, CT_F64, 2, 3), coded(ctx, CT_F64, 3));
    CHECK_LINEAR(ctx, product, NULL, 1, coded(ctx, CT_F64, 2, 1, 1, 3),
                 coded(ctx, CT_F64, 3, 3, 2));
    CHECK_LINEAR(ctx, product, NULL, 1, coded(ctx, CT_F64, 2, 3), coded(ctx, CT_F64, 2, 3, 1));
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

static void multiply(ct_context *ctx)
{
    ct_matmul(ct_ones(ctx, CT_F32, CT_SHAPE(2, 3)), ct_ones(ctx, CT_F32, CT_SHAPE(4, 3, 2)));
}

TEST(allocations)
{
    CHECK_ALLOCATIONS(multiply);
}
