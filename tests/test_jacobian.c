/* Whole matrices, products with Hessians, series along a path, gradients with auxiliary results.
 * Expected numbers are worked out by hand, or JAX's. */
#include "tests/values.h"

#include <cotangent/cotangent.h>

#include <math.h>

static ct_tensor *total(ct_tensor *x)
{
    return ct_sum(x, CT_ALL_AXES, CT_DROP_AXES);
}

/* ---- Jacobians: (x [3], n, y [2]) -> (x0 y0, x1 y1, x2 y0 + y1), an integer, Σ x. */

static void pieces(void *user, ct_list in, ct_tensor **out)
{
    ct_tensor *x = in.item[0], *y = in.item[2];
    ct_tensor *head = ct_mul(ct_slice(x, CT_SHAPE(0), CT_SHAPE(2), CT_SHAPE(1)), y);
    ct_tensor *last = ct_slice(x, CT_SHAPE(2), CT_SHAPE(3), CT_SHAPE(1));
    (void)user;
    last = ct_add(ct_mul(last, ct_slice(y, CT_SHAPE(0), CT_SHAPE(1), CT_SHAPE(1))),
                  ct_slice(y, CT_SHAPE(1), CT_SHAPE(2), CT_SHAPE(1)));
    out[0] = ct_op_concatenate(CT_ARGV(head, last), 0);
    out[1] = in.item[1];
    out[2] = total(x);
}

typedef ct_function *jacobian(ct_place at, ct_function *f, ct_args wrt);
static jacobian *const ways[] = {ct_jacobian_at, ct_jacobian_forward_at, ct_jacobian_reverse_at};

TEST(jacobians_of_every_pair)
{
    for (int way = 0; way < 3; way++) {
        ct_context *ctx = ct_context_new();
        ct_tensor *x = given(ctx, CT_F32, CT_SHAPE(3), {1, 2, 3}), *n = ct_scalar(ctx, CT_I32, 4);
        ct_tensor *y = given(ctx, CT_F32, CT_SHAPE(2), {5, 7}), *r[4];
        ct_function *f = ct_trace_many(ctx, pieces, NULL, 3, CT_LIKE(x, n, y));
        ct_apply(ways[way](CT_HERE, f, CT_ARGS(2, 0)), CT_ARGV(x, n, y), r, 4);
        CHECK_VALUES(r[0], CT_SHAPE(3, 2), {1, 0, 0, 2, 3, 1});
        CHECK_VALUES(r[1], CT_SHAPE(3, 3), {5, 0, 0, 0, 7, 0, 0, 0, 5});
        CHECK_VALUES(r[2], CT_SHAPE(2), {0, 0});
        CHECK_VALUES(r[3], CT_SHAPE(3), {1, 1, 1});
        CHECK(ct_function_parameters(ways[way](CT_HERE, f, CT_ARGS(2, 0))) == 3);
        ct_context_free(ctx);
    }
}

static ct_tensor *turned(ct_tensor *x)
{
    return ct_square(ct_transpose(x, CT_AXES(1, 0)));
}

/* Rank 2 to rank 2: entry [j, i, i', j'] is 2 x[i, j] where i = i', j = j'. And without elements.
 */
TEST(jacobians_have_the_axes_of_both)
{
    for (int way = 0; way < 3; way++) {
        ct_context *ctx = ct_context_new();
        ct_tensor *x = given(ctx, CT_F64, CT_SHAPE(1, 2), {3, 4});
        ct_tensor *none = ct_zeros(ctx, CT_F64, CT_SHAPE(0, 2));
        ct_function *f = ct_trace(ctx, turned, CT_LIKE(x));
        CHECK_VALUES(ct_apply1(ways[way](CT_HERE, f, CT_ARGS(0)), CT_ARGV(x)), CT_SHAPE(2, 1, 1, 2),
                     {6, 0, 0, 8});
        f = ways[way](CT_HERE, ct_trace(ctx, turned, CT_LIKE(none)), CT_ARGS(0));
        CHECK_EMPTY(ct_apply1(f, CT_ARGV(none)), CT_SHAPE(2, 0, 0, 2));
        CHECK_OK(ctx);
        ct_context_free(ctx);
    }
}

static ct_tensor *turn(ct_tensor *x) /* e^(ix) */
{
    return ct_op_complex(ct_cos(x), ct_sin(x));
}

TEST(jacobians_of_complex_numbers)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = ct_zeros(ctx, CT_F64, CT_SHAPE()), *z = ct_zeros(ctx, CT_C128, CT_SHAPE(1, 2));
    ct_function *f = ct_trace(ctx, turn, CT_LIKE(x)), *g = ct_trace(ctx, turned, CT_LIKE(z));
    ct_tensor *slope = ct_apply1(ct_jacobian(f, CT_ARGS(0)), CT_ARGV(x));
    CHECK_VALUES(ct_op_imag(slope), CT_SHAPE(), {1});
    ct_jacobian_reverse(f, CT_ARGS(0));
    CHECK_ERROR(ctx, CT_ERR_RULE, "jacobian_reverse of turn: result 0 is c128[]");
    ct_jacobian(g, CT_ARGS(0));
    CHECK_ERROR(ctx, CT_ERR_RULE, "jacobian of turned: argument 0 is c128[1,2]");
    ct_context_free(ctx);
}

/* ---- Hessians. */

static ct_tensor *form(ct_tensor *x, ct_tensor *y) /* Σ x³ y + x0 y² */
{
    ct_tensor *x0 = ct_reshape(ct_slice(x, CT_SHAPE(0), CT_SHAPE(1), CT_SHAPE(1)), CT_SHAPE());
    return ct_add(ct_mul(total(ct_mul(x, ct_square(x))), y), ct_mul(x0, ct_square(y)));
}

TEST(hessians_and_their_products)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = given(ctx, CT_F64, CT_SHAPE(2), {1, 2}), *y = ct_scalar(ctx, CT_F64, 3), *r[4];
    ct_tensor *v = given(ctx, CT_F64, CT_SHAPE(2), {1, -1}), *w = ct_scalar(ctx, CT_F64, 10);
    ct_function *f = ct_trace(ctx, form, CT_LIKE(x, y)), *h = ct_hessian(f, CT_ARGS(0, 1));

    ct_apply(h, CT_ARGV(x, y), r, 4);
    CHECK_VALUES(r[0], CT_SHAPE(2, 2), {18, 0, 0, 36});
    CHECK_VALUES(r[1], CT_SHAPE(2), {9, 12});
    CHECK_VALUES(r[2], CT_SHAPE(2), {9, 12});
    CHECK_VALUES(r[3], CT_SHAPE(), {2});
    ct_apply(ct_hvp(f, CT_ARGS(0, 1)), CT_ARGV(x, y, v, w), r, 2);
    CHECK_VALUES(r[0], CT_SHAPE(2), {18 + 90, -36 + 120});
    CHECK_VALUES(r[1], CT_SHAPE(), {9 - 12 + 20});
    ct_apply(ct_hvp(f, CT_ARGS(1, 0)), CT_ARGV(x, y, w, v), r, 2);
    CHECK_VALUES(r[0], CT_SHAPE(), {9 - 12 + 20});
    /* third order: d/dx of the Hessian by y is 6 x on the diagonal, and 2 at [0] by y */
    CHECK_VALUES(ct_apply1(ct_jacobian(ct_hessian(f, CT_ARGS(0)), CT_ARGS(1)), CT_ARGV(x, y)),
                 CT_SHAPE(2, 2), {6, 0, 0, 12});
    ct_context_free(ctx);
}

/* ---- Series. */

static ct_tensor *exp_sin(ct_tensor *x)
{
    return ct_exp(ct_sin(x));
}

static ct_tensor *power(ct_tensor *x)
{
    return ct_mul(ct_mul(x, x), x);
}

static ct_tensor *less(void *user, ct_tensor *const *carry)
{
    (void)user;
    return ct_lt(carry[0], 3);
}

static void step(void *user, ct_tensor **carry)
{
    (void)user;
    carry[0] = ct_add(carry[0], 1);
    carry[1] = ct_square(carry[1]);
}

static ct_tensor *eighth(ct_tensor *x) /* x⁸, by a loop */
{
    ct_tensor *carry[2] = {ct_cast(ct_mul(x, 0), CT_I32), x};
    ct_while(less, step, NULL, 2, carry);
    return carry[1];
}

TEST(series_along_a_path)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = ct_scalar(ctx, CT_F64, 0), *two = ct_scalar(ctx, CT_F64, 2);
    ct_tensor *t = given(ctx, CT_F64, CT_SHAPE(4), {1, 0, 0, 0});
    ct_tensor *bent = given(ctx, CT_F64, CT_SHAPE(3), {1, 5, -1});

    /* e^sin t = 1 + t + t²/2 + 0 t³ - t⁴/8 */
    ct_function *f = ct_taylor(ct_trace(ctx, exp_sin, CT_LIKE(x)), CT_ARGS(0), 4);
    CHECK_CLOSE(ct_apply1(f, CT_ARGV(x, t)), CT_SHAPE(5), 1e-15, {1, 1, 0.5, 0, -0.125});
    /* (2 + t + 5t² - t³)³ = 8 + 12 t + 66 t² + 49 t³ … */
    f = ct_taylor(ct_trace(ctx, power, CT_LIKE(two)), CT_ARGS(0), 3);
    CHECK_VALUES(ct_apply1(f, CT_ARGV(two, bent)), CT_SHAPE(4), {8, 12, 66, 49});
    f = ct_taylor(ct_trace(ctx, eighth, CT_LIKE(two)), CT_ARGS(0), 4); /* 2⁸ (1 + t/2)⁸ */
    CHECK_VALUES(ct_apply1(f, CT_ARGV(two, t)), CT_SHAPE(5), {256, 1024, 1792, 1792, 1120});
    f = ct_taylor(ct_trace(ctx, power, CT_LIKE(two)), CT_ARGS(0), 0);
    CHECK_VALUES(ct_apply1(f, CT_ARGV(two, ct_zeros(ctx, CT_F64, CT_SHAPE(0)))), CT_SHAPE(1), {8});
    ct_taylor(ct_trace(ctx, power, CT_LIKE(two)), CT_ARGS(0), -1);
    CHECK_ERROR(ctx, CT_ERR_ARGUMENT, "taylor of power: the order -1 is below 0");
    ct_context_free(ctx);
}

/* What two orders share is computed once: the operations do not double with each. */
TEST(series_grow_slowly)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = ct_scalar(ctx, CT_F64, 0);
    ct_function *f = ct_trace(ctx, exp_sin, CT_LIKE(x));
    CHECK(ct_function_operations(ct_taylor(f, CT_ARGS(0), 8)) < 600);
    ct_context_free(ctx);
}

/* ---- Auxiliary results: an integer, and one whose derivative is not known. */

static void with_aux(void *user, ct_list in, ct_tensor **out)
{
    ct_tensor *x = in.item[0];
    (void)user;
    out[0] = total(ct_square(x));
    out[1] = ct_argmax(x, 0, CT_DROP_AXES);
    ct_op_custom_call(ct_context_of(x), "unknown", NULL, false, CT_ARGV(ct_mul(x, 2)), CT_LIKE(x),
                      &out[2]);
}

static ct_status copy(void *user, ct_custom_call *call)
{
    (void)user;
    for (int i = 0; i < 2; i++)
        ((double *)call->result[0])[i] = ((const double *)call->operand[0])[i];
    return CT_OK;
}

TEST(auxiliary_results_are_handed_through)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = given(ctx, CT_F64, CT_SHAPE(2), {3, 4}), *r[4];
    ct_function *f = ct_trace_many(ctx, with_aux, NULL, 3, CT_LIKE(x));
    ct_register_custom_call(ctx, "unknown", copy, NULL);

    ct_apply(ct_value_and_grad_aux(f, CT_ARGS(0)), CT_ARGV(x), r, 4);
    CHECK_VALUES(r[0], CT_SHAPE(), {25});
    CHECK_VALUES(r[1], CT_SHAPE(), {1});
    CHECK_VALUES(r[2], CT_SHAPE(2), {6, 8});
    CHECK_VALUES(r[3], CT_SHAPE(2), {6, 8});
    ct_apply(ct_grad_aux(f, CT_ARGS(0)), CT_ARGV(x), r, 3);
    CHECK_VALUES(r[0], CT_SHAPE(2), {6, 8});
    CHECK_VALUES(r[1], CT_SHAPE(), {1});
    ct_grad(f, CT_ARGS(0));
    CHECK_ERROR(ctx, CT_ERR_SHAPE, "grad of with_aux: it gives 3 results");
    ct_context_free(ctx);
}

/* ---- Five gradients over one another. */

static ct_tensor *seventh(ct_tensor *x)
{
    return ct_mul(power(x), ct_mul(power(x), x));
}

static ct_tensor *tanh_of(ct_tensor *x)
{
    return ct_tanh(x);
}

TEST(five_gradients)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = ct_scalar(ctx, CT_F64, 2), *h = ct_scalar(ctx, CT_F64, 0.5);
    ct_function *f = ct_trace(ctx, seventh, CT_LIKE(x)), *g = ct_trace(ctx, tanh_of, CT_LIKE(x));
    for (int i = 0; i < 5; i++) {
        f = ct_grad(f, CT_ARGS(0));
        g = ct_grad(g, CT_ARGS(0));
    }
    CHECK_VALUES(ct_apply1(f, CT_ARGV(x)), CT_SHAPE(), {7 * 6 * 5 * 4 * 3 * 4});
    double t = tanh(0.5), s = 1 - t * t; /* s (16 - 120 t² + 120 t⁴) */
    CHECK_CLOSE(ct_apply1(g, CT_ARGV(h)), CT_SHAPE(), 1e-13,
                {s * (16 - 120 * t * t + 120 * t * t * t * t)});
    ct_context_free(ctx);
}

static void everything(ct_context *ctx)
{
    ct_tensor *x = given(ctx, CT_F64, CT_SHAPE(2), {1, 2}), *y = ct_scalar(ctx, CT_F64, 3);
    ct_function *f = ct_trace(ctx, form, CT_LIKE(x, y));
    ct_hessian(f, CT_ARGS(0, 1));
    ct_hvp(f, CT_ARGS(0));
    ct_jacobian_reverse(f, CT_ARGS(0));
    ct_taylor(f, CT_ARGS(0), 2);
    ct_value_and_grad_aux(f, CT_ARGS(1));
}

TEST(matrices_without_memory)
{
    CHECK_ALLOCATIONS(everything);
}
