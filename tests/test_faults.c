/* Every allocation can fail: the n-th one does, n = 1, 2, …, on the ways through the library.
 * Nothing leaks, the error is CT_ERR_MEMORY, and its message says what ran out of memory and where.
 */
#include "tests/values.h"

#include <cotangent/cotangent.h>

#include <string.h>

/* ---- Concrete tensors. */

static void make(ct_context *ctx)
{
    static const double numbers[] = {1, 2, 3, 4, 5, 6};

    ct_from_data(ctx, CT_F64, CT_SHAPE(2, 3), numbers);
    ct_from_doubles(ctx, CT_F16, CT_SHAPE(2, 3), numbers);
    ct_full(ctx, CT_U8, CT_SHAPE(100, 100), 7);
    ct_scalar(ctx, CT_C64, 7);
    ct_arange(ctx, CT_I32, 0, 10, 3);
    ct_arange(ctx, CT_F32, 0, 1, 0.25);
    ct_linspace(ctx, CT_F32, 0, 1, 5);
    ct_eye(ctx, CT_BF16, 3);
    ct_spec(ctx, CT_BOOL, CT_SHAPE(2, 0));
}

static void make_random(ct_context *ctx)
{
    ct_key key = ct_key_new(1);

    ct_random_uniform(ctx, key, CT_F32, CT_SHAPE(3, 5), -1, 1);
    ct_random_normal(ctx, key, CT_F64, CT_SHAPE(7));
    ct_random_integers(ctx, key, CT_U8, CT_SHAPE(7), 0, 10);
    ct_random_permutation(ctx, key, 9);
}

static void view(ct_context *ctx)
{
    ct_tensor *x = ct_random_uniform(ctx, ct_key_new(2), CT_F32, CT_SHAPE(2, 3, 4), 0, 1);
    ct_tensor *y = ct_transpose(x, CT_ALL_AXES);

    ct_flip(ct_slice(y, CT_SHAPE(0, 1, 0), CT_SHAPE(4, 3, 2), CT_SHAPE(2, 1, 1)), CT_AXES(0));
    ct_broadcast_to(ct_reshape(x, CT_SHAPE(24, 1)), CT_SHAPE(2, 24, 3));
    ct_data(y);                     /* makes it contiguous */
    ct_reshape(y, CT_SHAPE(6, -1)); /* a view of that */
}

TEST(concrete_tensors)
{
    CHECK_ALLOCATIONS_AT(make);
    CHECK_ALLOCATIONS_AT(make_random);
    CHECK_ALLOCATIONS_AT(view);
}

static void print(ct_context *ctx)
{
    ct_tensor *x = ct_name(ct_random_normal(ctx, ct_key_new(3), CT_F32, CT_SHAPE(20, 80)), "x");

    ct_text(x);
    ct_text(ct_transpose(x, CT_ALL_AXES));
    ct_type_text(x);
    ct_out_of_range_text(ct_cast(x, CT_I32), 1, 1);
}

TEST(printing)
{
    CHECK_ALLOCATIONS(print);
}

/* ---- Computing at once: an operation of every family. */

static void compute_elementwise(ct_context *ctx)
{
    ct_tensor *x = ct_random_normal(ctx, ct_key_new(4), CT_F32, CT_SHAPE(2, 3));
    ct_tensor *y = ct_where(ct_gt(x, 0), ct_exp(x), 0.5);

    ct_clip(ct_add(y, ct_slice(x, CT_SHAPE(0, 0), CT_SHAPE(1, 3), CT_SHAPE())), -1, 1);
    ct_cast(ct_pow(ct_relu(ct_neg(y)), 2), CT_I64);
}

static void compute_shapes(ct_context *ctx)
{
    ct_tensor *x = ct_random_normal(ctx, ct_key_new(5), CT_F32, CT_SHAPE(2, 3));

    ct_pad(ct_stack(CT_ARGV(x, x), 1), CT_SHAPE(1, 0, 2), CT_SHAPE(0, 1, -1), 7);
    ct_concatenate(CT_ARGV(x, ct_squeeze(ct_expand_dims(x, CT_AXES(0)), CT_ALL_AXES)), 0);
    ct_op_iota(ctx, CT_I32, CT_DIMS(3, 4), 1);
}

static void compute_sums(ct_context *ctx)
{
    ct_tensor *x = ct_random_normal(ctx, ct_key_new(6), CT_F16, CT_SHAPE(2, 3));

    ct_mean(x, CT_AXES(-1), CT_KEEP_AXES);
    ct_max(x, CT_ALL_AXES, CT_DROP_AXES);
    ct_softmax(x, CT_AXES(0));
    ct_logsumexp(ct_cast(x, CT_F64), CT_AXES(1), CT_DROP_AXES);
    ct_matmul(x, ct_transpose(x, CT_ALL_AXES));
}

static void compute_indexing(ct_context *ctx)
{
    ct_tensor *x = ct_random_normal(ctx, ct_key_new(7), CT_F32, CT_SHAPE(4, 3));
    ct_tensor *i = ct_random_integers(ctx, ct_key_new(8), CT_I32, CT_SHAPE(2), -9, 9);
    ct_tensor *start = ct_scalar(ctx, CT_I8, 3);

    ct_take(x, i, 0, CT_FILL(0));
    ct_take(x, i, 1, CT_WRAP);
    ct_one_hot(i, 3, CT_F32);
    ct_count_out_of_range(i, 4, 1, CT_CLAMP);
    ct_dynamic_update_slice(x, ct_dynamic_slice(x, CT_ARGV(start, start), CT_SHAPE(2, 2), CT_CLAMP),
                            CT_ARGV(start, start), CT_CLAMP);
}

TEST(computing_at_once)
{
    CHECK_ALLOCATIONS_AT(compute_elementwise);
    CHECK_ALLOCATIONS_AT(compute_shapes);
    CHECK_ALLOCATIONS_AT(compute_sums);
    CHECK_ALLOCATIONS_AT(compute_indexing);
}

/* ---- Functions: trace, look, apply. */

static ct_tensor *loss(ct_tensor *w, ct_tensor *x, ct_tensor *y)
{
    ct_tensor *hidden = ct_tanh(ct_matmul(x, w));

    return ct_mean(ct_square(ct_sub(ct_name(hidden, "hidden"), y)), CT_ALL_AXES, CT_DROP_AXES);
}

typedef struct problem {
    ct_tensor *w, *x, *y;
    ct_function *f;
} problem;

/* A constant with a name, which the trace copies. */
static ct_tensor *with_constant(ct_tensor *x)
{
    static const double numbers[] = {1, 2, 3};
    ct_tensor *c = ct_from_doubles(ct_context_of(x), CT_F32, CT_SHAPE(3), numbers);

    return ct_mul(x, ct_name(c, "a name long enough to need memory of its own in the arena"));
}

static void named_constant(ct_context *ctx)
{
    ct_function *f = ct_trace(ctx, with_constant, CT_LIKE(ct_spec(ctx, CT_F32, CT_SHAPE(3))));
    const char *text = ct_function_text(f, CT_TEXT_STABLEHLO);

    CHECK(ct_failed(ctx) || strstr(text, "%a_name_long_enough"));
}

static problem trace_loss(ct_context *ctx)
{
    problem p = {ct_ones(ctx, CT_F32, CT_SHAPE(3)),
                 ct_random_normal(ctx, ct_key_new(9), CT_F32, CT_SHAPE(4, 3)),
                 ct_zeros(ctx, CT_F32, CT_SHAPE(4)), NULL};

    p.f = ct_trace(ctx, loss, CT_LIKE(p.w, p.x, p.y));
    return p;
}

static void trace_and_apply(ct_context *ctx)
{
    problem p = trace_loss(ctx);

    ct_apply1(p.f, CT_ARGV(p.w, p.x, p.y));
    ct_apply1(ct_trace(ctx, loss, CT_LIKE(p.w, p.x, p.y)), CT_ARGV(p.w, p.x, p.y));
}

static void trace_by_hand(ct_context *ctx)
{
    ct_tensor *x = ct_ones(ctx, CT_F32, CT_SHAPE(3));
    ct_trace_builder *outer = ct_trace_begin(ctx, "outer", CT_LIKE(x, x));
    ct_trace_builder *inner = ct_trace_begin(ctx, "inner", CT_LIKE(x));
    ct_tensor *y = ct_trace_parameter(inner, 0);
    ct_function *f = ct_trace_end(inner, CT_ARGV(y, ct_add(y, x)));
    ct_tensor *result[2] = {x, x};

    ct_apply(f, CT_ARGV(ct_trace_parameter(outer, 1)), result, 2);
    ct_trace_end(outer, CT_ARGV(result[0], result[1], result[1], x));
}

static void write_functions(ct_context *ctx)
{
    problem p = trace_loss(ctx);

    ct_function_text(p.f, CT_TEXT_STABLEHLO);
    ct_function_text(p.f, CT_TEXT_DOT);
    ct_function_text(p.f, CT_TEXT_SUMMARY);
    ct_function_text(ct_grad(p.f, CT_ALL_ARGS), CT_TEXT_STABLEHLO);
}

TEST(functions)
{
    CHECK_ALLOCATIONS_AT(trace_and_apply);
    CHECK_ALLOCATIONS_AT(trace_by_hand);
    CHECK_ALLOCATIONS(write_functions);
    CHECK_ALLOCATIONS(named_constant);
}

/* ---- Derivatives. */

static void gradients(ct_context *ctx)
{
    problem p = trace_loss(ctx);
    ct_tensor *result[3];

    ct_apply1(ct_grad(p.f, CT_ARGS(0)), CT_ARGV(p.w, p.x, p.y));
    ct_apply(ct_value_and_grad(p.f, CT_ARGS(2, 0)), CT_ARGV(p.w, p.x, p.y), result, 3);
    ct_grad_of(ctx, loss, p.w, p.x, p.y);
}

static void other_derivatives(ct_context *ctx)
{
    problem p = trace_loss(ctx);

    ct_linearized l = ct_linearize(p.f, CT_ARGS(0, 1));
    ct_transpose_linear(l.tangent, CT_ARGS((int64_t)l.n_residuals, (int64_t)l.n_residuals + 1));
    ct_jvp(ct_vjp(p.f, CT_ARGS(1)), CT_ARGS(0));
}

TEST(derivatives)
{
    CHECK_ALLOCATIONS_AT(gradients);
}

TEST(derivatives_of_functions)
{
    CHECK_ALLOCATIONS_AT(other_derivatives);
}

/* ---- Control flow, with its gradient. */

static ct_tensor *then_branch(void *user)
{
    return ct_sin(user);
}

static ct_tensor *otherwise_branch(void *user)
{
    return ct_mul((ct_tensor *)user, 3);
}

static void step(void *user, ct_tensor **carry, ct_tensor *const *x, ct_tensor **y)
{
    ct_tensor *decay = user;

    carry[0] = ct_add(ct_mul(carry[0], decay), x[0]);
    y[0] = ct_if(ct_gt(carry[0], 0), then_branch, otherwise_branch, carry[0]);
}

static ct_tensor *path(ct_tensor *start, ct_tensor *decay, ct_tensor *force)
{
    ct_tensor *state[] = {start}, *places = NULL;

    ct_scan(step, decay, .length = 3, .n_carry = 1, .carry = state, .xs = CT_ARGV(force), .n_ys = 1,
            .ys = &places);
    return ct_sum(ct_add(places, state[0]), CT_ALL_AXES, CT_DROP_AXES);
}

static void control_at_once(ct_context *ctx)
{
    ct_tensor *start = ct_scalar(ctx, CT_F32, 1), *force = ct_ones(ctx, CT_F32, CT_SHAPE(3));

    path(start, start, force);
}

static void control_recorded(ct_context *ctx)
{
    ct_tensor *start = ct_scalar(ctx, CT_F32, 1), *force = ct_ones(ctx, CT_F32, CT_SHAPE(3));
    ct_function *f = ct_trace(ctx, path, CT_LIKE(start, start, force));

    ct_apply1(f, CT_ARGV(start, start, force));
    ct_function_text(f, CT_TEXT_STABLEHLO);
}

static void control_differentiated(ct_context *ctx)
{
    ct_tensor *start = ct_scalar(ctx, CT_F32, 1), *force = ct_ones(ctx, CT_F32, CT_SHAPE(3));
    ct_tensor *result[3];
    ct_function *f = ct_trace(ctx, path, CT_LIKE(start, start, force));
    ct_function *g = ct_grad(f, CT_ALL_ARGS);

    ct_apply(g, CT_ARGV(start, start, force), result, 3);
    ct_jvp(f, CT_ARGS(1));
}

/* Each transform on its own, over a scan that holds an if, and over a call. */
static ct_function *trace_path(ct_context *ctx)
{
    ct_tensor *start = ct_spec(ctx, CT_F32, CT_SHAPE()), *force = ct_spec(ctx, CT_F32, CT_SHAPE(3));

    return ct_trace(ctx, path, CT_LIKE(start, start, force));
}

static void control_forward(ct_context *ctx)
{
    ct_jvp(ct_jvp(trace_path(ctx), CT_ARGS(0, 2)), CT_ARGS(1));
}

static void control_linearized(ct_context *ctx)
{
    ct_linearized l = ct_linearize(trace_path(ctx), CT_ARGS(0));

    ct_transpose_linear(l.tangent, CT_ARGS((int64_t)l.n_residuals));
}

static void control_twice(ct_context *ctx)
{
    ct_function *g = ct_grad(ct_grad(trace_path(ctx), CT_ARGS(0)), CT_ARGS(1));
    ct_tensor *start = ct_scalar(ctx, CT_F32, 1), *force = ct_ones(ctx, CT_F32, CT_SHAPE(3));

    ct_apply1(g, CT_ARGV(start, start, force));
}

static void twice_called(void *user, ct_list p, ct_tensor **result)
{
    ct_function *f = user;
    ct_tensor *once = ct_apply1(f, CT_ARGV(p.item[0], p.item[1], p.item[2]));

    result[0] = ct_apply1(f, CT_ARGV(once, p.item[1], p.item[2]));
}

static void calls_differentiated(ct_context *ctx)
{
    ct_function *f = trace_path(ctx);
    ct_tensor *start = ct_scalar(ctx, CT_F32, 1), *force = ct_ones(ctx, CT_F32, CT_SHAPE(3));
    ct_function *twice = ct_trace_many(ctx, twice_called, f, 1, CT_LIKE(start, start, force));
    ct_tensor *result[4];

    ct_apply(ct_value_and_grad(twice, CT_ALL_ARGS), CT_ARGV(start, start, force), result, 4);
    ct_jvp(ct_vjp(twice, CT_ARGS(0)), CT_ARGS(0));
}

/* Loops of unknown count, whose gradients keep stacks, inside a scan and inside a checkpoint. */
static ct_tensor *is_low(void *user, ct_tensor *const *carry)
{
    (void)user;
    return ct_lt(carry[0], 9);
}

static void rise(void *user, ct_tensor **carry)
{
    carry[0] = ct_add(carry[0], ct_mul(ct_square(carry[0]), user));
}

static void rise_each(void *user, ct_tensor **carry, ct_tensor *const *x, ct_tensor **y)
{
    (void)user;
    y[0] = ct_add(x[0], 1);
    ct_while(is_low, rise, x[0], 1, y);
    carry[0] = ct_add(carry[0], ct_sin(y[0]));
}

static ct_tensor *rising(ct_tensor *x)
{
    ct_tensor *all, *sum = ct_zeros(ct_context_of(x), CT_F64, CT_SHAPE());

    ct_scan(rise_each, NULL, .length = 2, .n_carry = 1, .carry = &sum, .xs = CT_ARGV(x), .n_ys = 1,
            .ys = &all);
    return ct_add(sum, ct_sum(all, CT_ALL_AXES, CT_DROP_AXES));
}

static ct_function *trace_rising(ct_context *ctx)
{
    return ct_trace(ctx, rising, CT_LIKE(ct_spec(ctx, CT_F64, CT_SHAPE(2))));
}

static void loops_differentiated(ct_context *ctx)
{
    ct_function *g = ct_grad(trace_rising(ctx), CT_ARGS(0));

    ct_apply1(g, CT_ARGV(ct_ones(ctx, CT_F64, CT_SHAPE(2))));
}

static void loops_printed(ct_context *ctx)
{
    const char *text = ct_function_text(ct_grad(trace_rising(ctx), CT_ARGS(0)), CT_TEXT_STABLEHLO);

    ct_read_stablehlo_text(ctx, "loops", text, strlen(text));
}

static void checkpoints_differentiated(ct_context *ctx)
{
    static const char *const names[] = {"x"};
    const ct_checkpoint_options named = {
        .size = sizeof named, .keep = CT_KEEP_NAMED, .names = names, .n_names = 1};
    const ct_checkpoint_options few = {.size = sizeof few, .keep = CT_KEEP_BYTES, .bytes = 8};
    ct_function *f = ct_checkpoint(trace_rising(ctx), &named);

    ct_apply1(ct_grad(f, CT_ARGS(0)), CT_ARGV(ct_ones(ctx, CT_F64, CT_SHAPE(2))));
    ct_grad(ct_checkpoint(f, &few), CT_ARGS(0));
}

static void loops_reversed(ct_context *ctx)
{
    const ct_reverse_options root = {.size = sizeof root, .strategy = CT_REVERSE_SQRT};

    ct_grad(ct_reverse_loops(trace_rising(ctx), &root), CT_ARGS(0));
}

TEST(loops_of_unknown_count)
{
    CHECK_ALLOCATIONS_AT(loops_differentiated);
    CHECK_ALLOCATIONS(loops_printed);
}

TEST(checkpoints)
{
    CHECK_ALLOCATIONS_AT(checkpoints_differentiated);
}

TEST(segments_of_loops)
{
    CHECK_ALLOCATIONS_AT(loops_reversed);
}

TEST(transforms_of_control_flow)
{
    CHECK_ALLOCATIONS_AT(control_forward);
    CHECK_ALLOCATIONS_AT(control_linearized);
}

TEST(second_derivative_of_control_flow)
{
    CHECK_ALLOCATIONS_AT(control_twice);
}

TEST(derivatives_of_calls)
{
    CHECK_ALLOCATIONS_AT(calls_differentiated);
}

TEST(control_flow)
{
    CHECK_ALLOCATIONS_AT(control_at_once);
    CHECK_ALLOCATIONS(control_recorded);
}

TEST(gradient_of_control_flow)
{
    CHECK_ALLOCATIONS_AT(control_differentiated);
}

/* ---- Running. */

static void compile_and_call(ct_context *ctx)
{
    problem p = trace_loss(ctx);
    ct_executable *e = ct_compile(ct_grad(p.f, CT_ARGS(0)), NULL);

    for (int i = 0; i < 2; i++) {
        ct_scope scope = ct_scope_begin(ctx);
        ct_replace(&p.w, ct_sub(p.w, ct_mul(ct_call1(e, CT_ARGV(p.w, p.x, p.y)), 0.1)));
        ct_scope_end(scope);
    }
}

/* An instance has no context: without memory it says so itself. */
static void run_instance(ct_context *ctx)
{
    float x[6] = {1, 2, 3, 4, 5, 6}, y[3];
    ct_tensor *like = ct_spec(ctx, CT_F32, CT_SHAPE(2, 3));
    ct_trace_builder *builder = ct_trace_begin(ctx, "f", CT_LIKE(like));
    ct_tensor *sum = ct_sum(ct_trace_parameter(builder, 0), CT_AXES(0), CT_DROP_AXES);
    ct_executable *e = ct_compile(ct_trace_end(builder, CT_ARGV(sum)), NULL);
    ct_instance *instance = ct_instance_new(e);

    ct_status status = ct_bind_input(instance, 0, x, sizeof x);
    if (status == CT_OK) {
        CHECK(ct_bind_output(instance, 0, y, sizeof y) == CT_OK && ct_run(instance) == CT_OK);
        status = ct_profile_begin(instance);
        CHECK(ct_run(instance) == CT_OK && (status == CT_OK || ct_profile_steps(instance) == 0));
        CHECK(y[0] == 5 && y[1] == 7 && y[2] == 9);
        if (status == CT_ERR_MEMORY)
            values_note_memory();
    } else {
        CHECK(status == (ct_executable_is_poison(e) ? CT_ERR_POISON : CT_ERR_MEMORY));
        CHECK(status == CT_ERR_POISON || strstr(ct_instance_error(instance), "out of memory"));
        CHECK(ct_run(instance) == status);
        if (status == CT_ERR_MEMORY)
            values_note_memory();
    }
    ct_instance_free(instance);
}

TEST(running)
{
    CHECK_ALLOCATIONS(compile_and_call); /* a scope has no place */
    CHECK_ALLOCATIONS_AT(run_instance);
}

/* ---- Handles and scopes. */

static void handles(ct_context *ctx)
{
    ct_context *other = ct_context_new(); /* which has memory */
    ct_scope scope = ct_scope_begin(ctx);
    ct_tensor *x = ct_name(ct_ones(other, CT_F32, CT_SHAPE(2)), "ones");
    ct_trace_builder *builder = ct_trace_begin(other, "f", CT_LIKE(x));
    ct_function *f = ct_trace_end(builder, CT_ARGV(ct_neg(ct_trace_parameter(builder, 0))));
    ct_function *adopted = ct_adopt(ctx, f);

    ct_adopt_executable(ctx, ct_compile(f, NULL));
    ct_name(ct_ones(ctx, CT_F32, CT_SHAPE(2)), "a name");
    ct_keep_function(adopted);
    ct_scope_end(scope);
    CHECK_OK(other);
    ct_context_free(other);
}

TEST(handles_and_scopes)
{
    CHECK_ALLOCATIONS(handles);
}
