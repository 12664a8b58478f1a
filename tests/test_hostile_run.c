/* Programs that ask for more memory than there is, and memory that runs out anywhere on the way
 * from a text to a run. */
#include "tests/samples.h"
#include "tests/values.h"

#include <cotangent/cotangent.h>
#include <cotangent/module.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* No machine has a block of this size, whatever its C library promises. */
#define MOST ((size_t)1 << 30)

static void *allocate(void *user, size_t bytes, size_t align)
{
    void *memory = NULL;
    (void)user;
    if (bytes > MOST || posix_memalign(&memory, align < sizeof memory ? sizeof memory : align,
                                       bytes > 0 ? bytes : 1) != 0)
        return NULL;
    return memory;
}

static void release(void *user, void *memory, size_t bytes)
{
    (void)user;
    (void)bytes;
    free(memory);
}

/* The statement makes %r of this type from %x : f32 and %v : 2xf32. */
static void check_too_large(const char *statement, const char *type)
{
    char text[1024];
    const ct_allocator allocator = {sizeof allocator, NULL, allocate, release};
    ct_context *ctx = ct_context_new_with(&allocator);
    snprintf(text, sizeof text,
             "func.func @main(%%x: tensor<f32>, %%v: tensor<2xf32>) -> %s {\n%s\n"
             "return %%r : %s\n}\n",
             type, statement, type);
    ct_function *f = ct_module_function(ct_read_stablehlo_text(ctx, "t", text, strlen(text)), NULL);
    CHECK_MSG(!ct_failed(ctx), "%s", ct_error_message(ctx));
    ct_tensor *y = ct_call1(ct_compile(f, NULL),
                            CT_ARGV(ct_scalar(ctx, CT_F32, 1), ct_ones(ctx, CT_F32, CT_SHAPE(2))));
    ct_status status = ct_error_status(ctx);
    CHECK_MSG(ct_is_poison(y) && (status == CT_ERR_MEMORY || status == CT_ERR_RANGE), "%d: %s\n%s",
              (int)status, ct_error_message(ctx), text);
    ct_context_free(ctx);
}

TEST(results_that_are_too_large)
{
#define HUGE_TYPE "tensor<1099511627776xf32>"
    check_too_large("%r = stablehlo.iota dim = 0 : " HUGE_TYPE, HUGE_TYPE);
    check_too_large("%r = stablehlo.broadcast_in_dim %x, dims = [] : (tensor<f32>) -> " HUGE_TYPE
                    "\n",
                    HUGE_TYPE);
    check_too_large("%b = stablehlo.broadcast_in_dim %x, dims = [] : (tensor<f32>) -> " HUGE_TYPE
                    "\n%r = stablehlo.negate %b : " HUGE_TYPE,
                    HUGE_TYPE);
    check_too_large("%r = stablehlo.pad %v, %x, low = [1099511627774], high = [0], interior = [0] "
                    ": (tensor<2xf32>, tensor<f32>) -> " HUGE_TYPE,
                    HUGE_TYPE);
    check_too_large("%r = stablehlo.pad %v, %x, low = [0], high = [0], interior = [1099511627774] "
                    ": (tensor<2xf32>, tensor<f32>) -> " HUGE_TYPE,
                    HUGE_TYPE);
}

/* ---- Every operation, with each allocation failing. */

static const sample *current;

/* Made, printed, read back, planned, and run where the arguments are numbers. */
static void go_round(ct_context *ctx)
{
    ct_function *f = current->make(ctx);
    const char *text = ct_stablehlo_text(f, CT_WRITE_GENERIC);
    if (ct_failed(ctx))
        return;
    ct_module_function(ct_read_stablehlo_text(ctx, current->name, text, strlen(text)), NULL);
}

TEST(memory_that_runs_out_between_text_and_text)
{
    for (size_t i = 0; i < n_samples; i++) {
        current = &samples[i];
        CHECK_ALLOCATIONS(go_round);
    }
}

static void run(ct_context *ctx)
{
    ct_tensor *argument[16], *result[16];
    ct_function *f = current->make(ctx);
    size_t n = ct_function_parameters(f), n_results = ct_function_results(f);
    if (ct_failed(ctx) || n > 16 || n_results > 16)
        return;
    for (size_t i = 0; i < n; i++) {
        const ct_type *type = ct_parameter_type(f, i);
        ct_quantization quantization;
        if (ct_type_dtype(type) == CT_INVALID_DTYPE || ct_type_quantization(type, &quantization))
            return;
        argument[i] = ct_ones(ctx, ct_type_dtype(type), ct_type_shape(type));
    }
    ct_executable *e = ct_compile(f, NULL);
    if (!ct_failed(ctx))
        ct_call(e, CT_LIST(n, argument), result, n_results);
    if (ct_error_status(ctx) == CT_ERR_UNSUPPORTED) /* another process, or a target, is missing */
        ct_error_clear(ctx);
}

TEST(memory_that_runs_out_in_plans_and_runs)
{
#ifdef CT_SANITIZED
    const size_t step = 3; /* all of them take minutes */
#else
    const size_t step = 1;
#endif
    for (size_t i = 0; i < n_samples; i += step) {
        current = &samples[i];
        CHECK_ALLOCATIONS(run);
    }
}
