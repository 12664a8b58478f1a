/* Laws of linear operations, on whole numbers and exact: the adjoint identity Σ ybar f(x) = Σ
 * f'(ybar) x, transposing twice, f as its own forward derivative, the reverse derivative as the
 * transpose. */
#include "tests/programs.h"

#include <cotangent/cotangent.h>
#include <cotangent/op_large.h>
#include <cotangent/op_program.h>

enum { MOST = 3, MOST_SIZE = 256 };

typedef struct law {
    const char *name;
    ct_tensor *(*program)(ct_tensor *const *x); /* linear in all x together */
    size_t n;
    int64_t shape[MOST][4]; /* of x, ended by -1 */
} law;

/* ---- Programs. */

#define LINEAR(name, ...)                                                                          \
    static ct_tensor *name(ct_tensor *const *x)                                                    \
    {                                                                                              \
        return __VA_ARGS__;                                                                        \
    }

/* A constant of such a shape, 1, 2, -1, 0, 1, …. */
static ct_tensor *some(ct_tensor *x, ct_shape shape)
{
    static const double value[] = {1, 2, -1, 0, 3};
    double data[MOST_SIZE];
    int64_t n = 1;

    for (size_t d = 0; d < shape.count; d++)
        n *= shape.dim[d];
    for (int64_t i = 0; i < n; i++)
        data[i] = value[i % 5];
    return ct_from_doubles(ct_context_of(x), CT_F64, shape, data);
}

static ct_tensor *indices(ct_tensor *x, ct_shape shape, const double *value)
{
    return ct_from_doubles(ct_context_of(x), CT_I32, shape, value);
}

#define AT(x, shape, ...) indices(x, shape, (const double[]){__VA_ARGS__})

LINEAR(sum, ct_op_add(x[0], x[1]))
LINEAR(difference, ct_op_subtract(x[0], ct_op_negate(x[1])))
LINEAR(quotient, ct_op_divide(x[0], ct_full(ct_context_of(x[0]), CT_F64, CT_SHAPE(2, 3), 0.5)))
LINEAR(scaled, ct_op_scale(x[0], some(x[0], CT_SHAPE(2, 3))))
LINEAR(multiplied, ct_op_multiply(some(x[0], CT_SHAPE(2, 3)), x[0]))
LINEAR(converted, ct_op_convert(ct_op_convert(x[0], CT_F32), CT_F64))
LINEAR(parts,
       ct_op_subtract(ct_op_real(ct_op_complex(x[0], x[1])), ct_op_imag(ct_op_complex(x[1], x[0]))))
LINEAR(chosen, ct_op_select(ct_op_compare(some(x[0], CT_SHAPE(2, 3)), some(x[0], CT_SHAPE(2, 3)),
                                          CT_EQ, CT_COMPARE_DEFAULT),
                            x[0], x[1]))
LINEAR(broadcast, ct_op_broadcast_in_dim(x[0], CT_DIMS(3, 4, 2), CT_DIMS(2, 0)))
LINEAR(concatenated, ct_op_concatenate(CT_ARGV(x[0], x[1], x[0]), 1))
LINEAR(padded, ct_op_pad(x[0], x[1], CT_DIMS(-1, 2), CT_DIMS(3, -1), CT_DIMS(2, 1)))
LINEAR(reshaped, ct_op_reshape(x[0], CT_DIMS(3, 1, 2)))
LINEAR(reversed, ct_op_reverse(x[0], CT_DIMS(1)))
LINEAR(sliced, ct_op_slice(x[0], CT_DIMS(1, 0), CT_DIMS(4, 5), CT_DIMS(2, 3)))
LINEAR(turned, ct_op_transpose(x[0], CT_DIMS(2, 0, 1)))
LINEAR(window, ct_op_dynamic_slice(x[0], CT_ARGV(AT(x[0], CT_SHAPE(), 9), AT(x[0], CT_SHAPE(), -1)),
                                   CT_DIMS(2, 3), false))
LINEAR(updated,
       ct_op_dynamic_update_slice(x[0], x[1],
                                  CT_ARGV(AT(x[0], CT_SHAPE(), 9), AT(x[0], CT_SHAPE(), 1)), false))
LINEAR(gathered, ct_op_gather(x[0], AT(x[0], CT_SHAPE(4, 1), 2, 9, -3, 2),
                              &(ct_gather_dims){.offset_dims = CT_DIMS(1),
                                                .collapsed_slice_dims = CT_DIMS(0),
                                                .start_index_map = CT_DIMS(0),
                                                .index_vector_dim = 1,
                                                .slice_sizes = CT_DIMS(1, 3)}))
LINEAR(scattered, ct_op_scatter_add(x[0], AT(x[0], CT_SHAPE(4, 1), 2, 9, 0, 2), x[1],
                                    &(ct_scatter_dims){.update_window_dims = CT_DIMS(1),
                                                       .inserted_window_dims = CT_DIMS(0),
                                                       .scatter_dims_to_operand_dims = CT_DIMS(0),
                                                       .index_vector_dim = 1}))
LINEAR(overwritten, ct_op_scatter(x[0], AT(x[0], CT_SHAPE(4, 1), 2, 9, 0, 2), x[1], NULL,
                                  &(ct_scatter_dims){.update_window_dims = CT_DIMS(1),
                                                     .inserted_window_dims = CT_DIMS(0),
                                                     .scatter_dims_to_operand_dims = CT_DIMS(0),
                                                     .index_vector_dim = 1}))
LINEAR(reduced, ct_op_reduce_add(x[0], CT_DIMS(0, 2)))
LINEAR(pooled, ct_op_reduce_window_add(x[0], &(ct_window_dims){.window_dimensions = CT_DIMS(2, 2),
                                                               .window_strides = CT_DIMS(1, 2),
                                                               .base_dilations = CT_DIMS(2, 1),
                                                               .window_dilations = CT_DIMS(1, 2),
                                                               .padding_low = CT_DIMS(1, -1),
                                                               .padding_high = CT_DIMS(0, 2)}))
LINEAR(product_left, ct_op_dot_general(x[0], some(x[0], CT_SHAPE(4, 2, 3)),
                                       &(ct_dot_dims){.lhs_batching = CT_DIMS(0),
                                                      .rhs_batching = CT_DIMS(1),
                                                      .lhs_contracting = CT_DIMS(2),
                                                      .rhs_contracting = CT_DIMS(0)}))
LINEAR(product_right, ct_op_dot_general(some(x[0], CT_SHAPE(4, 2, 3)), x[0],
                                        &(ct_dot_dims){.lhs_batching = CT_DIMS(1),
                                                       .rhs_batching = CT_DIMS(0),
                                                       .lhs_contracting = CT_DIMS(0),
                                                       .rhs_contracting = CT_DIMS(2)}))
LINEAR(ragged, ct_op_ragged_dot(x[0], some(x[0], CT_SHAPE(3, 3, 2)), AT(x[0], CT_SHAPE(3), 1, 0, 2),
                                &(ct_ragged_dot_dims){.lhs_contracting = CT_DIMS(1),
                                                      .rhs_contracting = CT_DIMS(1),
                                                      .lhs_ragged = CT_DIMS(0),
                                                      .rhs_group = CT_DIMS(0)}))

static const ct_convolution_dims sliding = {.window_strides = {1, (const int64_t[]){2}},
                                            .padding_low = {1, (const int64_t[]){2}},
                                            .padding_high = {1, (const int64_t[]){-1}},
                                            .lhs_dilation = {1, (const int64_t[]){2}},
                                            .rhs_dilation = {1, (const int64_t[]){3}},
                                            .window_reversal = {1, (const int64_t[]){1}},
                                            .input_feature_dimension = 1,
                                            .input_spatial_dimensions = {1, (const int64_t[]){2}},
                                            .kernel_input_feature_dimension = 1,
                                            .kernel_spatial_dimensions = {1, (const int64_t[]){2}},
                                            .output_feature_dimension = 2,
                                            .output_spatial_dimensions = {1, (const int64_t[]){1}},
                                            .feature_group_count = 2};
LINEAR(convolved, ct_op_convolution(x[0], some(x[0], CT_SHAPE(4, 1, 2)), &sliding))
LINEAR(convolved_by, ct_op_convolution(some(x[0], CT_SHAPE(3, 2, 7)), x[0], &sliding))
LINEAR(solved, ct_op_triangular_solve(some(x[0], CT_SHAPE(3, 3)), x[0],
                                      &(ct_solve_options){
                                          .left_side = true, .lower = true, .unit_diagonal = true}))

static ct_tensor *barrier(ct_tensor *const *x)
{
    ct_tensor *y[2];
    ct_op_optimization_barrier(CT_ARGV(x[0], x[1]), y);
    return ct_op_add(y[0], y[1]);
}

LINEAR(tuple, ct_op_get_tuple_element(ct_op_tuple(NULL, CT_ARGV(x[0], x[1])), 1))

/* carry = 2 carry + row, and the sums before. */
static void step(void *user, ct_tensor **carry, ct_tensor *const *row, ct_tensor **y)
{
    (void)user;
    y[0] = carry[0];
    carry[0] = ct_op_add(ct_op_add(carry[0], carry[0]), row[0]);
}

static ct_tensor *scanned(ct_tensor *const *x)
{
    ct_tensor *carry = x[1], *y;
    ct_scan(step, NULL, .length = 3, .n_carry = 1, .carry = &carry, .xs = CT_ARGV(x[0]), .n_ys = 1,
            .ys = &y, .reverse = true);
    return ct_op_add(ct_op_reduce_add(y, CT_DIMS(0)), carry);
}

static const law laws[] = {
    {"sum", sum, 2, {{2, 3, -1}, {2, 3, -1}}},
    {"difference", difference, 2, {{2, 3, -1}, {2, 3, -1}}},
    {"quotient", quotient, 1, {{2, 3, -1}}},
    {"scale", scaled, 1, {{2, 3, -1}}},
    {"multiply", multiplied, 1, {{2, 3, -1}}},
    {"convert", converted, 1, {{2, 3, -1}}},
    {"parts", parts, 2, {{2, 3, -1}, {2, 3, -1}}},
    {"select", chosen, 2, {{2, 3, -1}, {2, 3, -1}}},
    {"broadcast", broadcast, 1, {{2, 3, -1}}},
    {"concatenate", concatenated, 2, {{2, 3, -1}, {2, 1, -1}}},
    {"pad", padded, 2, {{3, 4, -1}, {-1}}},
    {"reshape", reshaped, 1, {{2, 3, -1}}},
    {"reverse", reversed, 1, {{2, 3, -1}}},
    {"slice", sliced, 1, {{4, 5, -1}}},
    {"transpose", turned, 1, {{2, 3, 4, -1}}},
    {"dynamic_slice", window, 1, {{4, 5, -1}}},
    {"dynamic_update_slice", updated, 2, {{4, 5, -1}, {2, 3, -1}}},
    {"gather", gathered, 1, {{4, 3, -1}}},
    {"scatter", scattered, 2, {{4, 3, -1}, {4, 3, -1}}},
    {"scatter of the last", overwritten, 2, {{4, 3, -1}, {4, 3, -1}}},
    {"reduce", reduced, 1, {{2, 3, 4, -1}}},
    {"reduce_window", pooled, 1, {{3, 6, -1}}},
    {"dot, left", product_left, 1, {{2, 5, 4, -1}}},
    {"dot, right", product_right, 1, {{2, 5, 4, -1}}},
    {"ragged_dot", ragged, 1, {{4, 3, -1}}},
    {"convolution", convolved, 1, {{3, 2, 7, -1}}},
    {"convolution by", convolved_by, 1, {{4, 1, 2, -1}}},
    {"triangular_solve", solved, 1, {{3, 2, -1}}},
    {"barrier", barrier, 2, {{2, 3, -1}, {2, 3, -1}}},
    {"tuple", tuple, 2, {{2, 3, -1}, {2, 3, -1}}},
    {"scan", scanned, 2, {{3, 2, -1}, {2, -1}}},
};

/* ---- The laws. */

static ct_tensor *whole_numbers(ct_context *ctx, ct_shape shape)
{
    double value[MOST_SIZE];
    int64_t n = 1;

    for (size_t d = 0; d < shape.count; d++)
        n *= shape.dim[d];
    CHECK(n <= MOST_SIZE);
    for (int64_t i = 0; i < n; i++)
        value[i] = (double)programs_pick(19) - 9;
    return ct_from_doubles(ctx, CT_F64, shape, value);
}

static double product(size_t n, ct_tensor *const *x, ct_tensor *const *y)
{
    double a[MOST_SIZE], b[MOST_SIZE], all = 0;

    for (size_t k = 0; k < n; k++) {
        CHECK(ct_to_doubles(x[k], a, (size_t)ct_size(x[k])));
        CHECK(ct_to_doubles(y[k], b, (size_t)ct_size(x[k])));
        for (int64_t i = 0; i < ct_size(x[k]); i++)
            all += a[i] * b[i];
    }
    return all;
}

static void record(void *user, ct_list parameters, ct_tensor **result)
{
    result[0] = ((const law *)user)->program(parameters.item);
}

typedef struct checking {
    const law *l;
    ct_context *ctx;
    ct_function *f;
    ct_tensor *x[MOST], *y, *ybar, *xbar[MOST];
} checking;

static void check_adjoint(checking *c, ct_function *transposed)
{
    ct_apply(transposed, CT_ARGV(c->ybar), c->xbar, c->l->n);
    CHECK_OK(c->ctx);
    const double forward = product(1, &c->ybar, &c->y), back = product(c->l->n, c->xbar, c->x);
    CHECK_MSG(forward == back, "%s: %g forward, %g backward", c->l->name, forward, back);
}

static void check_twice(checking *c, ct_function *transposed)
{
    ct_tensor *again = ct_apply1(ct_transpose_linear(transposed, CT_ARGS(0)),
                                 CT_LIST(c->l->n, c->x));
    CHECK_MSG(ct_equal(again, c->y), "%s: transposed twice", c->l->name);
}

/* At any place. */
static void check_forward(checking *c)
{
    ct_tensor *argument[2 * MOST], *result[2];

    for (size_t i = 0; i < c->l->n; i++) {
        argument[i] = whole_numbers(c->ctx, ct_shape_of(c->x[i]));
        argument[c->l->n + i] = c->x[i];
    }
    ct_apply(ct_jvp(c->f, CT_ALL_ARGS), CT_LIST(2 * c->l->n, argument), result, 2);
    CHECK_MSG(ct_equal(result[1], c->y), "%s: its forward derivative", c->l->name);
}

static void check_reverse(checking *c)
{
    ct_tensor *argument[MOST + 1], *result[MOST];

    for (size_t i = 0; i < c->l->n; i++)
        argument[i] = whole_numbers(c->ctx, ct_shape_of(c->x[i]));
    argument[c->l->n] = c->ybar;
    ct_apply(ct_vjp(c->f, CT_ALL_ARGS), CT_LIST(c->l->n + 1, argument), result, c->l->n);
    for (size_t i = 0; i < c->l->n; i++)
        CHECK_MSG(ct_equal(result[i], c->xbar[i]), "%s: its reverse derivative by %zu", c->l->name,
                  i);
}

static void check_law(ct_context *ctx, const law *l)
{
    static const int64_t positions[] = {0, 1, 2};
    checking c = {.l = l, .ctx = ctx};

    for (size_t i = 0; i < l->n; i++) {
        size_t rank = 0;
        while (l->shape[i][rank] >= 0)
            rank++;
        c.x[i] = whole_numbers(ctx, (ct_shape){rank, l->shape[i]});
    }
    c.f = ct_trace_many(ctx, record, (void *)l, 1, CT_LIST(l->n, c.x));
    c.y = ct_apply1(c.f, CT_LIST(l->n, c.x));
    c.ybar = whole_numbers(ctx, ct_shape_of(c.y));
    ct_function *transposed = ct_transpose_linear(c.f, ((ct_args){false, l->n, positions}));
    CHECK_OK(ctx);
    check_adjoint(&c, transposed);
    check_twice(&c, transposed);
    check_forward(&c);
    check_reverse(&c);
    CHECK_OK(ctx);
}

TEST(laws_of_linear_operations)
{
    for (size_t i = 0; i < sizeof laws / sizeof *laws; i++)
        for (int turn = 0; turn < 5; turn++) {
            ct_context *ctx = ct_context_new();
            check_law(ctx, &laws[i]);
            ct_context_free(ctx);
        }
}
