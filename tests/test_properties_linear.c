/* Laws of linear operations, on whole numbers and exact: the adjoint identity Σ ybar f(x) = Σ
 * f'(ybar) x, transposing twice, f as its own forward derivative, the reverse derivative as the
 * transpose. */
#include "ad/derive.h"

#include "tests/laws.h"
#include "tests/programs.h"

#include "trace/trace.h"

/* ---- Programs. */

/* 1, 2, -1, 0, 3, 1, …, from one of these on. */
static ct_tensor *constant(ct_tensor *x, ct_shape shape, size_t first)
{
    static const double value[] = {1, 2, -1, 0, 3};
    double data[LAWS_MOST_SIZE];
    int64_t n = 1;

    for (size_t d = 0; d < shape.count; d++)
        n *= shape.dim[d];
    for (int64_t i = 0; i < n; i++)
        data[i] = value[((size_t)i + first) % 5];
    return ct_from_doubles(ct_context_of(x), CT_F64, shape, data);
}

ct_tensor *laws_some(ct_tensor *x, ct_shape shape)
{
    if (!ct_dtype_is_complex(ct_dtype_of(x)))
        return constant(x, shape, 0);
    return ct_op_complex(constant(x, shape, 0), constant(x, shape, 2));
}

ct_tensor *laws_indices(ct_tensor *x, ct_shape shape, const double *value)
{
    return ct_from_doubles(ct_context_of(x), CT_I32, shape, value);
}

/* 1/2 or i/2 */
static ct_tensor *half(ct_tensor *x, ct_shape shape)
{
    ct_tensor *value = ct_full(ct_context_of(x), CT_F64, shape, 0.5);

    if (!ct_dtype_is_complex(ct_dtype_of(x)))
        return value;
    return ct_op_complex(ct_full(ct_context_of(x), CT_F64, shape, 0), value);
}

LINEAR(sum, ct_op_add(x[0], x[1]))
LINEAR(difference, ct_op_subtract(x[0], ct_op_negate(x[1])))
LINEAR(quotient, ct_op_divide(x[0], half(x[0], CT_SHAPE(2, 3))))
LINEAR(scaled, ct_op_scale(x[0], laws_some(x[0], CT_SHAPE(2, 3))))
LINEAR(scaled_either, ct_op_scale_either(x[0], laws_some(x[0], CT_SHAPE(2, 3))))
LINEAR(reduced_to_f32, ct_op_reduce_precision(x[0], 8, 23))
LINEAR(real_part, ct_op_real(x[0]))
LINEAR(imaginary_part, ct_op_imag(x[0]))
LINEAR(conjugate, ct_op_complex(ct_op_real(x[0]), ct_op_negate(ct_op_imag(x[0]))))
LINEAR(narrowed, ct_op_convert(ct_op_convert(x[0], CT_C64), CT_C128))
LINEAR(transformed, ct_op_fft(x[0], CT_FFT, CT_DIMS(2, 4)))
LINEAR(transformed_back, ct_op_fft(x[0], CT_IFFT, CT_DIMS(4)))
LINEAR(transformed_real, ct_op_fft(x[0], CT_RFFT, CT_DIMS(4)))
LINEAR(transformed_to_real, ct_op_fft(x[0], CT_IRFFT, CT_DIMS(2, 4)))
LINEAR(scaled_by, ct_op_scale(laws_some(x[0], CT_SHAPE(2, 3)), x[0]))
LINEAR(scaled_either_by, ct_op_scale_either(laws_some(x[0], CT_SHAPE(2, 3)), x[0]))
LINEAR(multiplied_by, ct_op_multiply(x[0], laws_some(x[0], CT_SHAPE(2, 3))))
LINEAR(multiplied, ct_op_multiply(laws_some(x[0], CT_SHAPE(2, 3)), x[0]))
LINEAR(converted, ct_op_convert(ct_op_convert(x[0], CT_F32), CT_F64))
LINEAR(parts,
       ct_op_subtract(ct_op_real(ct_op_complex(x[0], x[1])), ct_op_imag(ct_op_complex(x[1], x[0]))))
LINEAR(chosen,
       ct_op_select(ct_op_compare(laws_some(x[0], CT_SHAPE(2, 3)), laws_some(x[0], CT_SHAPE(2, 3)),
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
LINEAR(product_left, ct_op_dot_general(x[0], laws_some(x[0], CT_SHAPE(4, 2, 3)),
                                       &(ct_dot_dims){.lhs_batching = CT_DIMS(0),
                                                      .rhs_batching = CT_DIMS(1),
                                                      .lhs_contracting = CT_DIMS(2),
                                                      .rhs_contracting = CT_DIMS(0)}))
LINEAR(product_right, ct_op_dot_general(laws_some(x[0], CT_SHAPE(4, 2, 3)), x[0],
                                        &(ct_dot_dims){.lhs_batching = CT_DIMS(1),
                                                       .rhs_batching = CT_DIMS(0),
                                                       .lhs_contracting = CT_DIMS(0),
                                                       .rhs_contracting = CT_DIMS(2)}))
LINEAR(ragged,
       ct_op_ragged_dot(x[0], laws_some(x[0], CT_SHAPE(3, 3, 2)), AT(x[0], CT_SHAPE(3), 1, 0, 2),
                        &(ct_ragged_dot_dims){.lhs_contracting = CT_DIMS(1),
                                              .rhs_contracting = CT_DIMS(1),
                                              .lhs_ragged = CT_DIMS(0),
                                              .rhs_group = CT_DIMS(0)}))

LINEAR(ragged_by,
       ct_op_ragged_dot(laws_some(x[0], CT_SHAPE(4, 3)), x[0], AT(x[0], CT_SHAPE(3), 1, 0, 2),
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
LINEAR(convolved, ct_op_convolution(x[0], laws_some(x[0], CT_SHAPE(4, 1, 2)), &sliding))
LINEAR(convolved_by, ct_op_convolution(laws_some(x[0], CT_SHAPE(3, 2, 7)), x[0], &sliding))
LINEAR(solved, ct_op_triangular_solve(laws_some(x[0], CT_SHAPE(3, 3)), x[0],
                                      &(ct_solve_options){
                                          .left_side = true, .lower = true, .unit_diagonal = true}))

static ct_tensor *barrier(ct_tensor *const *x)
{
    ct_tensor *y[2];
    ct_op_optimization_barrier(CT_ARGV(x[0], x[1]), y);
    return ct_op_add(y[0], y[1]);
}

LINEAR(tuple, ct_op_get_tuple_element(ct_op_tuple(NULL, CT_ARGV(x[0], x[1])), 1))

LINEAR(solved_adjoint, ct_op_triangular_solve(laws_some(x[0], CT_SHAPE(3, 3)), x[0],
                                              &(ct_solve_options){.left_side = false,
                                                                  .lower = false,
                                                                  .unit_diagonal = true,
                                                                  .transpose_a = CT_ADJOINT}))

static const law laws[] = {
    {"sum", sum, 2, {{2, 3, -1}, {2, 3, -1}}, LAW_BOTH},
    {"difference", difference, 2, {{2, 3, -1}, {2, 3, -1}}, LAW_BOTH},
    {"quotient", quotient, 1, {{2, 3, -1}}, LAW_BOTH},
    {"scale", scaled, 1, {{2, 3, -1}}, LAW_BOTH},
    {"multiply", multiplied, 1, {{2, 3, -1}}, LAW_BOTH},
    {"convert", converted, 1, {{2, 3, -1}}, LAW_REAL},
    {"parts", parts, 2, {{2, 3, -1}, {2, 3, -1}}, LAW_REAL},
    {"select", chosen, 2, {{2, 3, -1}, {2, 3, -1}}, LAW_BOTH},
    {"broadcast", broadcast, 1, {{2, 3, -1}}, LAW_BOTH},
    {"concatenate", concatenated, 2, {{2, 3, -1}, {2, 1, -1}}, LAW_BOTH},
    {"pad", padded, 2, {{3, 4, -1}, {-1}}, LAW_BOTH},
    {"reshape", reshaped, 1, {{2, 3, -1}}, LAW_BOTH},
    {"reverse", reversed, 1, {{2, 3, -1}}, LAW_BOTH},
    {"slice", sliced, 1, {{4, 5, -1}}, LAW_BOTH},
    {"transpose", turned, 1, {{2, 3, 4, -1}}, LAW_BOTH},
    {"dynamic_slice", window, 1, {{4, 5, -1}}, LAW_BOTH},
    {"dynamic_update_slice", updated, 2, {{4, 5, -1}, {2, 3, -1}}, LAW_BOTH},
    {"gather", gathered, 1, {{4, 3, -1}}, LAW_BOTH},
    {"scatter", scattered, 2, {{4, 3, -1}, {4, 3, -1}}, LAW_BOTH},
    {"scatter of the last", overwritten, 2, {{4, 3, -1}, {4, 3, -1}}, LAW_BOTH},
    {"reduce", reduced, 1, {{2, 3, 4, -1}}, LAW_BOTH},
    {"reduce_window", pooled, 1, {{3, 6, -1}}, LAW_BOTH},
    {"dot, left", product_left, 1, {{2, 5, 4, -1}}, LAW_BOTH},
    {"dot, right", product_right, 1, {{2, 5, 4, -1}}, LAW_BOTH},
    {"ragged_dot", ragged, 1, {{4, 3, -1}}, LAW_BOTH},
    {"ragged_dot by", ragged_by, 1, {{3, 3, 2, -1}}, LAW_BOTH},
    {"scale by", scaled_by, 1, {{2, 3, -1}}, LAW_BOTH},
    {"scale_either by", scaled_either_by, 1, {{2, 3, -1}}, LAW_BOTH},
    {"multiply by", multiplied_by, 1, {{2, 3, -1}}, LAW_BOTH},
    {"convolution", convolved, 1, {{3, 2, 7, -1}}, LAW_BOTH},
    {"convolution by", convolved_by, 1, {{4, 1, 2, -1}}, LAW_BOTH},
    {"triangular_solve", solved, 1, {{3, 2, -1}}, LAW_BOTH},
    {"barrier", barrier, 2, {{2, 3, -1}, {2, 3, -1}}, LAW_BOTH},
    {"tuple", tuple, 2, {{2, 3, -1}, {2, 3, -1}}, LAW_BOTH},
    {"triangular_solve, adjoint", solved_adjoint, 1, {{2, 3, -1}}, LAW_BOTH},
    {"scale_either", scaled_either, 1, {{2, 3, -1}}, LAW_BOTH},
    {"reduce_precision", reduced_to_f32, 1, {{2, 3, -1}}, LAW_REAL},
    {"real", real_part, 1, {{2, 3, -1}}, LAW_BOTH},
    {"imag", imaginary_part, 1, {{2, 3, -1}}, LAW_BOTH},
    {"conjugate", conjugate, 1, {{2, 3, -1}}, LAW_COMPLEX},
    {"convert, complex", narrowed, 1, {{2, 3, -1}}, LAW_COMPLEX},
    {"fft", transformed, 1, {{3, 2, 4, -1}}, LAW_COMPLEX},
    {"ifft", transformed_back, 1, {{3, 4, -1}}, LAW_COMPLEX},
    {"rfft", transformed_real, 1, {{3, 4, -1}}, LAW_REAL},
    {"irfft", transformed_to_real, 1, {{2, 3, -1}}, LAW_COMPLEX},
};

/* ---- The laws. */

static ct_tensor *reals(ct_context *ctx, ct_shape shape)
{
    double value[LAWS_MOST_SIZE];
    int64_t n = 1;

    for (size_t d = 0; d < shape.count; d++)
        n *= shape.dim[d];
    CHECK(n <= LAWS_MOST_SIZE);
    for (int64_t i = 0; i < n; i++)
        value[i] = (double)programs_pick(19) - 9;
    return ct_from_doubles(ctx, CT_F64, shape, value);
}

static ct_tensor *whole_numbers(ct_context *ctx, ct_dtype dtype, ct_shape shape)
{
    ct_tensor *re = reals(ctx, shape);
    return ct_dtype_is_complex(dtype) ? ct_op_complex(re, reals(ctx, shape)) : re;
}

static ct_tensor *numbers_like(ct_tensor *x)
{
    return whole_numbers(ct_context_of(x), ct_dtype_of(x), ct_shape_of(x));
}

static double real_product(ct_tensor *x, ct_tensor *y)
{
    double a[LAWS_MOST_SIZE], b[LAWS_MOST_SIZE], all = 0;

    CHECK(ct_to_doubles(x, a, (size_t)ct_size(x)));
    CHECK(ct_to_doubles(y, b, (size_t)ct_size(x)));
    for (int64_t i = 0; i < ct_size(x); i++)
        all += a[i] * b[i];
    return all;
}

/* Σ Re(x y): cotangents are not conjugated. */
static double product(size_t n, ct_tensor *const *x, ct_tensor *const *y)
{
    double all = 0;

    for (size_t k = 0; k < n; k++) {
        CHECK(ct_dtype_of(x[k]) == ct_dtype_of(y[k]));
        all += real_product(ct_op_real(x[k]), ct_op_real(y[k]));
        if (ct_dtype_is_complex(ct_dtype_of(x[k])))
            all -= real_product(ct_op_imag(x[k]), ct_op_imag(y[k]));
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
    ct_tensor *x[LAWS_MOST], *y, *ybar, *xbar[LAWS_MOST];
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
    ct_tensor *argument[2 * LAWS_MOST], *result[2];

    for (size_t i = 0; i < c->l->n; i++) {
        argument[i] = numbers_like(c->x[i]);
        argument[c->l->n + i] = c->x[i];
    }
    ct_apply(ct_jvp(c->f, CT_ALL_ARGS), CT_LIST(2 * c->l->n, argument), result, 2);
    CHECK_MSG(ct_equal(result[1], c->y), "%s: its forward derivative", c->l->name);
}

static void check_reverse(checking *c)
{
    ct_tensor *argument[LAWS_MOST + 1], *result[LAWS_MOST];

    for (size_t i = 0; i < c->l->n; i++)
        argument[i] = numbers_like(c->x[i]);
    argument[c->l->n] = c->ybar;
    ct_apply(ct_vjp(c->f, CT_ALL_ARGS), CT_LIST(c->l->n + 1, argument), result, c->l->n);
    for (size_t i = 0; i < c->l->n; i++)
        CHECK_MSG(ct_equal(result[i], c->xbar[i]), "%s: its reverse derivative by %zu", c->l->name,
                  i);
}

/* ---- Which operations the laws are about. */

enum { OPERANDS = 8 };

/* With reals, with complex numbers: in which of the first operands, as bits. */
static unsigned seen[2][CT__OP_COUNT];

static bool may_be_linear(const ct_type *type)
{
    return type->kind != CT__TENSOR || ct_dtype_is_float(type->dtype) ||
           ct_dtype_is_complex(type->dtype);
}

/* Those through which a value goes that depends on a parameter. */
static void note(unsigned *in, const ct__graph *graph)
{
    bool depends[1000] = {false};

    CHECK(graph->n_values <= sizeof depends);
    for (size_t i = 0; i < graph->n_params; i++)
        depends[graph->param[i]] = may_be_linear(ct__param_type(graph, i));
    for (size_t i = 0; i < graph->n_nodes; i++) {
        const ct__node *node = &graph->node[i];
        unsigned passes = 0;
        for (size_t k = 0; k < node->n_operands; k++)
            passes |= (unsigned)depends[node->operand[k]] << (k < OPERANDS ? k : OPERANDS - 1);
        for (size_t k = 0; k < node->n_results; k++)
            depends[node->first_result + k] =
                passes != 0 && may_be_linear(ct__graph_type(graph, node->first_result + (ct__id)k));
        in[node->op] |= passes;
        for (size_t k = 0; passes != 0 && k < node->n_regions; k++)
            note(in, node->region[k]);
    }
}

/* Operations that are linear in something, and have no law: why. */
static const struct {
    ct__op op;
    bool is_complex; /* of complex numbers alone */
    const char *why;
} without_law[] = {
    {CT__OP_reduce_precision, true, "it takes none"},
    {CT__OP_transposed_call, false,
     "it stands inside of transforms alone: the reverse derivative of a custom_rule that has only "
     "a backward function goes through it"},
};

static bool has_reason(ct__op op, bool is_complex)
{
    for (size_t i = 0; i < sizeof without_law / sizeof *without_law; i++)
        if (without_law[i].op == op && (is_complex || !without_law[i].is_complex))
            return true;
    return false;
}

/* In which operands each alone, where the row names some. */
static unsigned linear_operands(ct__op op)
{
    const unsigned each = ct__op_describe(op)->traits >> 16;
    return each | (ct__has(op, CT__BILINEAR) ? 3 : 0);
}

static bool is_linear_in_something(ct__op op)
{
    const unsigned traits = ct__op_describe(op)->traits;
    return ct__derivative_of(op)->transpose || (traits & (CT__LINEAR | CT__BODY_LINEAR)) != 0 ||
           linear_operands(op) != 0;
}

static void check_seen(ct__op op, bool is_complex)
{
    const unsigned in = seen[is_complex][op], missing = linear_operands(op) & ~in;
    const char *kind = is_complex ? "complex" : "real", *name = ct__op_describe(op)->name;

    if (has_reason(op, is_complex))
        CHECK_MSG(in == 0, "%s of %s numbers: a law, and a reason for none", name, kind);
    else
        CHECK_MSG(in != 0 && missing == 0, "%s of %s numbers: no law, operands %#x", name, kind,
                  missing);
}

static void check_law(ct_context *ctx, const law *l, ct_dtype dtype)
{
    static const int64_t positions[] = {0, 1, 2};
    checking c = {.l = l, .ctx = ctx};

    for (size_t i = 0; i < l->n; i++) {
        size_t rank = 0;
        while (l->shape[i][rank] >= 0)
            rank++;
        c.x[i] = whole_numbers(ctx, dtype, (ct_shape){rank, l->shape[i]});
    }
    c.f = ct_trace_many(ctx, record, (void *)l, 1, CT_LIST(l->n, c.x));
    c.y = ct_apply1(c.f, CT_LIST(l->n, c.x));
    c.ybar = numbers_like(c.y);
    ct_function *transposed = ct_transpose_linear(c.f, ((ct_args){false, l->n, positions}));
    CHECK_OK(ctx);
    check_adjoint(&c, transposed);
    check_twice(&c, transposed);
    check_forward(&c);
    check_reverse(&c);
    CHECK_OK(ctx);
    note(seen[dtype == CT_C128], c.f->graph);
}

static void check_laws(size_t n, const law *list)
{
    for (size_t i = 0; i < n; i++)
        for (int turn = 0; turn < 10; turn++) {
            const ct_dtype dtype = turn % 2 == 0 ? CT_F64 : CT_C128;
            if (list[i].numbers == (dtype == CT_F64 ? LAW_COMPLEX : LAW_REAL))
                continue;
            ct_context *ctx = ct_context_new();
            check_law(ctx, &list[i], dtype);
            ct_context_free(ctx);
        }
}

TEST(laws_of_linear_operations)
{
    check_laws(sizeof laws / sizeof *laws, laws);
    check_laws(n_laws_of_bodies, laws_of_bodies);
    for (int op = 0; op < CT__OP_COUNT; op++)
        for (int is_complex = 0; is_complex < 2; is_complex++)
            if (is_linear_in_something((ct__op)op))
                check_seen((ct__op)op, is_complex);
}
