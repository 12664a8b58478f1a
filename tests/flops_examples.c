#include "tests/flops_examples.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <zlib.h>

/* Each example has a main, and names of its own for most of the rest. */
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wmissing-prototypes"
/* clang-format off */
#define main main_first
#define loss loss_first
#include "examples/01_first.c"
#undef main
#undef loss
#define main main_tracing
#define f f_tracing
#include "examples/02_tracing.c"
#undef main
#undef f
#define main main_derivatives
#define rosenbrock rosenbrock_derivatives
#include "examples/03_derivatives.c"
#undef main
#undef rosenbrock
#define main main_clamping
#include "examples/04_clamping.c"
#undef main
#define main main_check
#define loss loss_check
#include "examples/05_gradient_check.c"
#undef main
#undef loss
#define main main_curve
#define loss loss_curve
#include "examples/06_fitting_a_curve.c"
#undef main
#undef loss
#define main main_newton
#define solve solve_newton
#include "examples/07_newton.c"
#undef main
#undef solve
#define main main_equation
#define loss loss_equation
#include "examples/08_differential_equation.c"
#undef main
#undef loss
#define main main_minimiser
#include "examples/09_minimiser.c"
#undef main
#define main main_xor
#define loss loss_xor
#define network network_xor
#include "examples/10_xor.c"
#undef main
#undef loss
#undef network
#define main main_implicit
#define slope slope_implicit
#define error error_implicit
#define solve solve_implicit
#include "examples/12_implicit_derivative.c"
#undef main
#undef slope
#undef error
#undef solve
#define main main_lanes
#define loss loss_lanes
#define step step_lanes
#include "examples/12_lanes.c"
#undef main
#undef loss
#undef step
#define main main_digits
#include "examples/digits.c"
#undef main
/* clang-format on */

static ct_tensor *f32(ct_context *ctx, ct_shape shape)
{
    return ct_spec(ctx, CT_F32, shape);
}

static ct_tensor *f64(ct_context *ctx, ct_shape shape)
{
    return ct_spec(ctx, CT_F64, shape);
}

#define F32(...) f32(ctx, CT_SHAPE(__VA_ARGS__))
#define F64(...) f64(ctx, CT_SHAPE(__VA_ARGS__))

static ct_function *first(ct_context *ctx)
{
    return ct_trace(ctx, loss_first, CT_LIKE(F64(2), F64(4, 2), F64(4)));
}

static ct_function *tracing(ct_context *ctx)
{
    return ct_trace_user(ctx, f_tracing, ct_ones(ctx, CT_F32, CT_SHAPE(2, 3)), CT_LIKE(F32(3)));
}

static ct_function *derivatives(ct_context *ctx)
{
    return ct_trace(ctx, rosenbrock_derivatives, CT_LIKE(F64(3)));
}

static ct_tensor *sum_of_picked(void *indices, ct_tensor *x)
{
    return ct_sum(pick(indices, x), CT_ALL_AXES, CT_DROP_AXES);
}

static ct_function *clamping(ct_context *ctx)
{
    ct_tensor *indices = ct_zeros(ctx, CT_I32, CT_SHAPE(1, 2));
    return ct_trace_user(ctx, sum_of_picked, indices, CT_LIKE(F32(3, 2)));
}

static ct_function *gradient_check(ct_context *ctx)
{
    return ct_trace(ctx, loss_check, CT_LIKE(F32(2), F32(3, 2), F32(3)));
}

static ct_function *kink(ct_context *ctx)
{
    return ct_trace(ctx, layer, CT_LIKE(F32(2), F32(3, 2)));
}

static ct_function *curve(ct_context *ctx)
{
    return ct_trace(ctx, loss_curve, CT_LIKE(F64(TERMS), F64(WEEKS, TERMS), F64(WEEKS)));
}

static ct_function *iris(ct_context *ctx)
{
    ct_tensor *species = ct_spec(ctx, CT_I64, CT_SHAPE(150));
    return ct_trace(ctx, iris_loss, CT_LIKE(F64(5, 3), F64(150, 5), species));
}

static ct_function *cancer(ct_context *ctx)
{
    return ct_trace(ctx, cancer_loss, CT_LIKE(F64(31), F64(569, 31), F64(569)));
}

static ct_function *equation(ct_context *ctx)
{
    model m = model_of(ctx, (double[]){1, -1}, (double[]){-1, 1});
    return ct_trace_tree(ctx, loss_equation, CT_TREE(&m), CT_LIKE(F64(STEPS, 2)));
}

static ct_function *minimiser(ct_context *ctx)
{
    return ct_trace(ctx, rosenbrock, CT_LIKE(F64(10)));
}

static ct_function * xor
    (ct_context * ctx) {
        return ct_trace(ctx, loss_xor, CT_LIKE(F32(3, 4), F32(4), F32(4, 3), F32(4)));
    }

    static ct_function *from_jax(ct_context *ctx)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/examples/data/iris_loss.mlir", CT_SOURCE_DIR);
    return ct_module_function(ct_read_stablehlo(ctx, path), NULL);
}

static ct_function *implicit(ct_context *ctx)
{
    return ct_trace(ctx, distance, CT_LIKE(F64(), F64()));
}

static ct_function *lanes(ct_context *ctx)
{
    return ct_trace(ctx, loss_lanes, CT_LIKE(F64(2), F64(2), F64()));
}

static ct_function *digits_network(ct_context *ctx)
{
    network p = {F32(PIXELS, HIDDEN), F32(HIDDEN), F32(HIDDEN, CLASSES), F32(CLASSES)};
    ct_tensor *label = ct_spec(ctx, CT_I32, CT_SHAPE(BATCH));
    return ct_trace_tree(ctx, loss, CT_TREE(&p), CT_LIKE(F32(BATCH, PIXELS), label));
}

const flops_example flops_examples[] = {
    {"01_first.c", first, 1},
    {"02_tracing.c", tracing, 1},
    {"03_derivatives.c", derivatives, 1},
    {"04_clamping.c", clamping, 1},
    {"05_gradient_check.c", gradient_check, 1},
    {"05_gradient_check.c, the kink", kink, 1},
    {"06_fitting_a_curve.c", curve, 1},
    {"07_newton.c, irises", iris, 1},
    {"07_newton.c, cancer", cancer, 1},
    {"08_differential_equation.c", equation, 1},
    {"09_minimiser.c", minimiser, 1},
    {"10_xor.c", xor, 2},
    {"11_model_from_jax.c", from_jax, 2},
    {"12_implicit_derivative.c", implicit, 2},
    {"12_lanes.c", lanes, 1},
    {"digits.c", digits_network, 1},
};
const size_t n_flops_examples = sizeof flops_examples / sizeof *flops_examples;
