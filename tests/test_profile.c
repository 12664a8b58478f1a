/* Profiles: which steps there are, how often they ran, and what they move and compute. */
#include "tests/values.h"

#include <cotangent/cotangent.h>

#include <string.h>

enum { N = 6 };

typedef struct profiled {
    ct_context *ctx;
    ct_instance *run;
    float in[2][N * N], out[N * N];
} profiled;

static void begin(profiled *p, ct_context *ctx, ct_function *f, ct_executor executor)
{
    const ct_compile_options options = {.size = sizeof options, .executor = executor};
    const size_t n = ct_function_parameters(f);

    p->ctx = ctx;
    p->run = ct_instance_new(ct_compile(f, &options));
    for (size_t i = 0; i < n; i++)
        CHECK(ct_bind_input(p->run, i, p->in[i], sizeof p->in[i]) == CT_OK);
    CHECK(ct_bind_output(p->run, 0, p->out, sizeof p->out) == CT_OK);
}

static void end(profiled *p)
{
    ct_instance_free(p->run);
    CHECK_OK(p->ctx);
    ct_context_free(p->ctx);
}

static void check_step(const profiled *p, size_t i, ct_profile_step want, const char *name)
{
    ct_profile_step step;
    const char *found;
    ct_place at;

    CHECK(ct_profile_step_at(p->run, i, &step));
    CHECK_MSG(step.operations == want.operations && step.depth == want.depth &&
                  step.runs == want.runs && step.bytes == want.bytes && step.flops == want.flops,
              "step %zu: %zu operations, depth %d, %d runs, %d bytes, %d flops", i, step.operations,
              step.depth, (int)step.runs, (int)step.bytes, (int)step.flops);
    CHECK(step.seconds > 0 || step.runs == 0);
    CHECK(ct_profile_operation(p->run, i, 0, &found, &at));
    CHECK_MSG(strcmp(found, name) == 0, "%s", found);
    CHECK(at.file && strstr(at.file, "test_profile.c"));
}

/* tanh(x·y + x) */
static ct_tensor *layer(ct_tensor *x, ct_tensor *y)
{
    return ct_tanh(ct_add(ct_matmul(x, y), x));
}

static ct_function *trace_layer(ct_context *ctx)
{
    ct_tensor *x = ct_spec(ctx, CT_F32, CT_SHAPE(N, N));
    return ct_trace(ctx, layer, CT_LIKE(x, x));
}

enum { MATRIX = N * N * sizeof(float), ELEMENTS = N * N };

TEST(steps_of_the_interpreter)
{
    profiled p = {0};
    ct_context *ctx = ct_context_new();

    begin(&p, ctx, trace_layer(ctx), CT_EXECUTOR_MACHINE);
    CHECK(ct_profile_steps(p.run) == 0);
    CHECK(ct_run(p.run) == CT_OK && ct_profile_begin(p.run) == CT_OK);
    for (int i = 0; i < 3; i++)
        CHECK(ct_run(p.run) == CT_OK);
    CHECK(ct_profile_steps(p.run) == 3);
    check_step(&p, 0, (ct_profile_step){1, 0, 3, 0, 3 * MATRIX, 2 * N * N * N}, "dot_general");
    check_step(&p, 1, (ct_profile_step){1, 0, 3, 0, 3 * MATRIX, ELEMENTS}, "add");
    check_step(&p, 2, (ct_profile_step){1, 0, 3, 0, 2 * MATRIX, ELEMENTS}, "tanh");
    end(&p);
}

/* What is between the addition and the tanh is not in memory. */
TEST(steps_of_the_tile_machine)
{
    profiled p = {0};
    ct_context *ctx = ct_context_new();
    const char *name;
    ct_place at;

    begin(&p, ctx, trace_layer(ctx), CT_EXECUTOR_CPU);
    CHECK(ct_profile_begin(p.run) == CT_OK && ct_run(p.run) == CT_OK);
    CHECK(ct_profile_steps(p.run) == 2);
    check_step(&p, 0, (ct_profile_step){1, 0, 1, 0, 3 * MATRIX, 2 * N * N * N}, "dot_general");
    check_step(&p, 1, (ct_profile_step){2, 0, 1, 0, 3 * MATRIX, 2 * ELEMENTS}, "add");
    CHECK(ct_profile_operation(p.run, 1, 1, &name, &at) && strcmp(name, "tanh") == 0);
    CHECK(!ct_profile_operation(p.run, 1, 2, &name, &at));
    CHECK(!ct_profile_operation(p.run, 2, 0, &name, &at));
    end(&p);
}

static void square(void *user, ct_tensor **carry, ct_tensor *const *x, ct_tensor **y)
{
    (void)user;
    (void)x;
    (void)y;
    carry[0] = ct_mul(carry[0], carry[0]);
}

static ct_tensor *squared(ct_tensor *x)
{
    ct_scan(square, NULL, .length = 5, .n_carry = 1, .carry = &x);
    return x;
}

/* Row 1 becomes the sum of what it was and its number of times. */
static void change_row(void *user, ct_tensor **carry, ct_tensor *const *x, ct_tensor **y)
{
    ct_tensor *start[] = {ct_scalar(ct_context_of(carry[0]), CT_I32, 1),
                          ct_scalar(ct_context_of(carry[0]), CT_I32, 0)};
    (void)user;
    (void)x;
    (void)y;
    ct_list at = {2, start};
    ct_tensor *row = ct_op_dynamic_slice(carry[0], at, CT_DIMS(1, N), false);
    carry[0] = ct_op_dynamic_update_slice(carry[0], ct_op_add(row, row), at, false);
}

static ct_tensor *changed(ct_tensor *x)
{
    ct_scan(change_row, NULL, .length = 5, .n_carry = 1, .carry = &x);
    return x;
}

/* What is read and updated at a row moves that row. */
TEST(windows)
{
    enum { ROW = N * sizeof(float), STARTS = 2 * 4 };
    profiled p = {0};
    ct_context *ctx = ct_context_new();
    ct_tensor *x = ct_spec(ctx, CT_F32, CT_SHAPE(N, N));

    begin(&p, ctx, ct_trace(ctx, changed, CT_LIKE(x)), CT_EXECUTOR_MACHINE);
    CHECK(ct_profile_begin(p.run) == CT_OK && ct_run(p.run) == CT_OK);
    CHECK(ct_profile_steps(p.run) == 4);
    check_step(&p, 1, (ct_profile_step){1, 1, 5, 0, 2 * ROW + STARTS, 0}, "dynamic_slice");
    check_step(&p, 2, (ct_profile_step){1, 1, 5, 0, 2 * ROW, N}, "add");
    check_step(&p, 3, (ct_profile_step){1, 1, 5, 0, 2 * ROW + STARTS, 0}, "dynamic_update_slice");
    end(&p);
}

/* A body's steps follow the step that runs it, which takes at least as long. */
TEST(bodies)
{
    profiled p = {0};
    ct_context *ctx = ct_context_new();
    ct_tensor *x = ct_spec(ctx, CT_F32, CT_SHAPE(N, N));
    ct_profile_step loop, body;

    begin(&p, ctx, ct_trace(ctx, squared, CT_LIKE(x)), CT_EXECUTOR_MACHINE);
    CHECK(ct_profile_begin(p.run) == CT_OK);
    CHECK(ct_run(p.run) == CT_OK && ct_run(p.run) == CT_OK);
    CHECK(ct_profile_steps(p.run) == 2);
    check_step(&p, 0, (ct_profile_step){1, 0, 2, 0, 2 * MATRIX, 5 * ELEMENTS}, "scan");
    check_step(&p, 1, (ct_profile_step){1, 1, 10, 0, 2 * MATRIX, ELEMENTS}, "multiply");
    CHECK(ct_profile_step_at(p.run, 0, &loop) && ct_profile_step_at(p.run, 1, &body));
    CHECK(loop.seconds >= body.seconds);
    end(&p);
}

TEST(begin_again_and_end)
{
    profiled p = {0};
    ct_context *ctx = ct_context_new();
    ct_profile_step step;

    begin(&p, ctx, trace_layer(ctx), CT_EXECUTOR_CPU);
    CHECK(ct_profile_begin(p.run) == CT_OK && ct_run(p.run) == CT_OK);
    CHECK(ct_profile_begin(p.run) == CT_OK);
    CHECK(ct_profile_step_at(p.run, 0, &step) && step.runs == 0 && step.seconds == 0);
    ct_profile_end(p.run);
    CHECK(ct_profile_steps(p.run) == 0 && !ct_profile_step_at(p.run, 0, &step));
    CHECK(ct_run(p.run) == CT_OK);
    end(&p);
}

static ct_tensor *nothing(ct_tensor *x)
{
    return x;
}

TEST(a_program_without_steps)
{
    profiled p = {0};
    ct_context *ctx = ct_context_new();
    ct_tensor *x = ct_spec(ctx, CT_F32, CT_SHAPE(N, N));

    begin(&p, ctx, ct_trace(ctx, nothing, CT_LIKE(x)), CT_EXECUTOR_CPU);
    CHECK(ct_profile_begin(p.run) == CT_OK && ct_run(p.run) == CT_OK);
    CHECK(ct_profile_steps(p.run) == 0);
    end(&p);
}
