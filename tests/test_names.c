/* The names that a program gives to values: transforms keep them, in bodies and of what those give.
 */
#include "tests/values.h"

#include <cotangent/cotangent.h>

#include <stdio.h>
#include <string.h>

static ct_tensor *total(ct_tensor *x)
{
    return ct_sum(x, CT_ALL_AXES, CT_DROP_AXES);
}

static void step(void *user, ct_tensor **carry, ct_tensor *const *x, ct_tensor **y)
{
    ct_tensor *wave = ct_name(ct_sin(ct_name(carry[0], "state")), "wave");
    carry[0] = ct_mul(wave, ct_name(x[0], "row"));
    y[0] = ct_tanh(ct_mul(wave, user));
}

static ct_tensor *is_small(void *user, ct_tensor *const *carry)
{
    (void)user;
    return ct_lt(total(ct_name(carry[0], "now")), 100);
}

static void grow(void *user, ct_tensor **carry)
{
    carry[0] = ct_mul(ct_name(ct_exp(carry[0]), "grown"), user);
}

static void turn(void *user, ct_tensor *i, ct_tensor **carry)
{
    (void)i;
    carry[0] = ct_name(ct_cos(ct_mul(carry[0], user)), "turned");
}

static ct_tensor *bent(void *user)
{
    return ct_square(ct_name(ct_sin(user), "bend"));
}

static ct_tensor *straight(void *user)
{
    return user;
}

static ct_tensor *called(ct_tensor *x)
{
    return ct_square(ct_name(ct_tanh(ct_name(x, "given")), "inside"));
}

/* f32: x [3], rows [5,3], count. */
static ct_tensor *program(ct_tensor *x, ct_tensor *rows, ct_tensor *count)
{
    ct_tensor *sum = ct_name(total(ct_square(x)), "sum"), *path;
    ct_tensor *last = ct_mul(ct_name(x, "start"), ct_square(sum));
    ct_scan(step, x, .length = 5, .n_carry = 1, .carry = &last, .xs = CT_ARGV(rows), .n_ys = 1,
            .ys = &path);
    ct_tensor *far = ct_square(ct_name(last, "last"));
    ct_while(is_small, grow, x, 1, &far);
    ct_tensor *round = ct_square(ct_name(far, "far"));
    ct_for(turn, x, count, 1, &round);
    ct_name(round, "round");
    ct_tensor *chosen = ct_if(ct_lt(total(round), 0), bent, straight, round);
    ct_function *f = ct_trace(ct_context_of(x), called, CT_LIKE(x));
    ct_tensor *result = ct_name(ct_apply1(f, CT_ARGV(ct_name(chosen, "chosen"))), "result");
    return ct_add(total(ct_square(ct_name(path, "path"))), total(ct_square(result)));
}

static ct_function *traced(ct_context *ctx)
{
    return ct_trace(ctx, program,
                    CT_LIKE(ct_spec(ctx, CT_F32, CT_SHAPE(3)), ct_spec(ctx, CT_F32, CT_SHAPE(5, 3)),
                            ct_spec(ctx, CT_I64, CT_SHAPE())));
}

#define ALL_NAMES                                                                                  \
    "start", "sum", "state", "wave", "row", "path", "last", "now", "grown", "far", "turned",       \
        "round", "bend", "chosen", "given", "inside", "result"

static void check_names(int line, const char *text, const char *before, const char *const *name,
                        size_t n)
{
    for (size_t i = 0; i < n; i++) {
        char quoted[32];
        snprintf(quoted, sizeof quoted, "%s%s", before, name[i]);
        if (!strstr(text, quoted))
            check_fail(__FILE__, line, "%s is not in\n%s", quoted, text);
    }
}
#define CHECK_NAMES(text, before, ...)                                                             \
    check_names(__LINE__, text, before, (const char *const[]){__VA_ARGS__},                        \
                sizeof(const char *const[]){__VA_ARGS__} / sizeof(char *))

TEST(derivatives_keep_names)
{
    ct_context *ctx = ct_context_new();
    ct_function *f = traced(ctx);
    const ct_reverse_options segments = {.size = sizeof segments, .strategy = CT_REVERSE_SQRT};
    ct_function *derived[] = {f,
                              ct_jvp(f, CT_ALL_ARGS),
                              ct_value_and_grad(f, CT_ALL_ARGS),
                              ct_hvp(f, CT_ALL_ARGS),
                              ct_value_and_grad(ct_checkpoint(f, NULL), CT_ALL_ARGS),
                              ct_value_and_grad(ct_reverse_loops(f, &segments), CT_ALL_ARGS),
                              ct_vmap_leading(f, 4)};
    for (size_t i = 0; i < sizeof derived / sizeof *derived; i++)
        CHECK_NAMES(ct_function_text(derived[i], CT_TEXT_STABLEHLO), "%", ALL_NAMES);
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* What is kept of bodies has the name that it has outside of them, else that inside. */
TEST(residuals_have_names)
{
    ct_context *ctx = ct_context_new();
    ct_residual_report *report = ct_residuals(traced(ctx), CT_ALL_ARGS);
    CHECK_NAMES(ct_residuals_text(report), " \"", "start\"", "sum\"", "wave\"", "path\"", "last\"",
                "far\"", "bend\"", "inside\"", "result\"");
    CHECK_OK(ctx);
    ct_context_free(ctx);
}
