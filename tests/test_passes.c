/* Passes keep every bit: with each of them off, and all, the tile machine gives what the
 * interpreter in machine numerics gives. */
#include "tests/command.h"
#include "tests/samples.h"
#include "tests/values.h"

#include <cotangent/cotangent.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_RESULTS = 128, MOST_PASSES = 32 };

/* ---- Every pass off in turn. */

/* The names of all passes, then "all", then NULL. */
static size_t list_switches(const char *name[MOST_PASSES])
{
    size_t n = 0;
    while ((name[n] = ct_pass_name(n, NULL)))
        n++;
    CHECK(n > 0 && n + 2 < MOST_PASSES);
    name[n++] = "all";
    name[n] = NULL;
    return n + 1;
}

/* Bit by bit, but for NaN, which equals NaN. */
static bool are_same(ct_tensor *x, ct_tensor *y)
{
    size_t bytes = (size_t)ct_size(x) * ct_dtype_bytes(ct_dtype_of(x));
    return memcmp(ct_data(x), ct_data(y), bytes) == 0 ||
           (ct_dtype_is_float(ct_dtype_of(x)) && ct_equal(x, y));
}

static void run(ct_function *f, ct_list arguments, ct_executor executor, const char *off,
                ct_tensor **result)
{
    ct_compile_options options = {.size = sizeof options, .executor = executor, .passes_off = off};
    ct_call(ct_compile(f, &options), arguments, result, ct_function_results(f));
}

/* False, with the context's error, where the program is not one that can be run alone. */
static bool check_switches(ct_function *f, ct_list arguments, const char *what)
{
    const char *name[MOST_PASSES];
    const size_t n_switches = list_switches(name), n = ct_function_results(f);
    ct_tensor *want[MOST_RESULTS], *got[MOST_RESULTS];
    ct_context *ctx = ct_function_context(f);
    CHECK(n <= MOST_RESULTS);
    run(f, arguments, CT_EXECUTOR_MACHINE, NULL, want);
    for (size_t k = 0; k < n_switches && !ct_failed(ctx); k++) {
        run(f, arguments, CT_EXECUTOR_CPU, name[k], got);
        CHECK_OK(ctx);
        for (size_t i = 0; i < n; i++)
            CHECK_MSG(are_same(want[i], got[i]), "%s without %s: result %zu", what,
                      name[k] ? name[k] : "nothing", i);
    }
    return !ct_failed(ctx);
}

/* ---- Programs. */

/* How often `part` stands in the text. */
static size_t count_of(const char *text, const char *part)
{
    size_t n = 0;
    for (const char *at = text; (at = strstr(at, part)); at++)
        n++;
    return n;
}

/* Ones for the parameters; false where one is no tensor. */
static bool make_arguments(ct_context *ctx, ct_function *f, ct_tensor **argument)
{
    for (size_t k = 0; k < ct_function_parameters(f); k++) {
        const ct_type *type = ct_parameter_type(f, k);
        if (ct_type_dtype(type) == CT_INVALID_DTYPE)
            return false;
        argument[k] = ct_ones(ctx, ct_type_dtype(type), ct_type_shape(type));
    }
    return !ct_failed(ctx);
}

TEST(samples_of_every_operation)
{
    ct_context *ctx = ct_context_new();
    size_t ran = 0;
    for (size_t i = 0; i < n_samples; i++) {
        ct_scope scope = ct_scope_begin(ctx);
        ct_tensor *argument[MOST_RESULTS];
        ct_function *f = samples[i].make(ctx);
        ran += make_arguments(ctx, f, argument) &&
               check_switches(f, CT_LIST(ct_function_parameters(f), argument), samples[i].name);
        ct_error_clear(ctx);
        ct_scope_end(scope);
    }
    CHECK_MSG(ran > n_samples * 2 / 3, "%zu of %zu samples", ran, n_samples);
    ct_context_free(ctx);
}

/* Attention: products of what is sliced, reshaped and transposed, a softmax, a mask of iotas. */
static ct_tensor *attention(ct_tensor *x, ct_tensor *w, ct_tensor *scale)
{
    const int64_t n = ct_dim(x, 0), d = ct_dim(x, 1);
    ct_tensor *all = ct_matmul(ct_mul(x, scale), w), *part[3];
    for (int64_t i = 0; i < 3; i++)
        part[i] = ct_transpose(
            ct_reshape(ct_slice(all, CT_DIMS(0, i * d), CT_DIMS(n, (i + 1) * d), CT_DIMS(1, 1)),
                       CT_SHAPE(n, 2, d / 2)),
            CT_AXES(1, 0, 2));
    ct_tensor *s = ct_mul(ct_matmul(part[0], ct_transpose(part[1], CT_AXES(0, 2, 1))), 0.3);
    ct_tensor *o = ct_matmul(ct_softmax(s, CT_AXES(-1)), part[2]);
    return ct_sum(ct_square(ct_sub(ct_reshape(ct_transpose(o, CT_AXES(1, 0, 2)), CT_SHAPE(n, d)),
                                   ct_flip(x, CT_AXES(0)))),
                  CT_ALL_AXES, CT_DROP_AXES);
}

TEST(gradients_of_attention)
{
    ct_context *ctx = ct_context_new();
    ct_list arguments = CT_ARGV(ct_random_normal(ctx, ct_key_new(1), CT_F32, CT_SHAPE(33, 16)),
                                ct_random_normal(ctx, ct_key_new(2), CT_F32, CT_SHAPE(16, 48)),
                                ct_random_normal(ctx, ct_key_new(3), CT_F32, CT_SHAPE(16)));
    ct_function *f = ct_value_and_grad(ct_trace(ctx, attention, arguments), CT_ALL_ARGS);
    CHECK(check_switches(f, arguments, "attention"));
    ct_context_free(ctx);
}

/* Neighbours: slices, pads and reversals shared by several readers. */
static ct_tensor *neighbours(ct_tensor *x)
{
    const int64_t n = ct_size(x);
    ct_tensor *y = x;
    for (int i = 0; i < 12; i++) {
        ct_tensor *right = ct_slice(y, CT_DIMS(1), CT_DIMS(n), CT_DIMS(1));
        y = ct_add(ct_tanh(ct_add(y, ct_flip(y, CT_AXES(0)))),
                   ct_pad(right, CT_SHAPE(i % 2), CT_SHAPE(1 - i % 2), 0.5));
    }
    return ct_logsumexp(y, CT_ALL_AXES, CT_DROP_AXES);
}

TEST(gradients_of_neighbours)
{
    ct_context *ctx = ct_context_new();
    for (int64_t n = 2; n < 6000; n = 7 * n + 1) {
        ct_list arguments = CT_ARGV(ct_random_normal(ctx, ct_key_new(1), CT_F32, CT_SHAPE(n)));
        ct_function *f = ct_value_and_grad(ct_trace(ctx, neighbours, arguments), CT_ARGS(0));
        CHECK(check_switches(f, arguments, "neighbours"));
    }
    ct_context_free(ctx);
}

/* Pads of what is cheap to compute: by rows and columns, of nothing and of less, with a value that
 * is a constant and one that is not. */
static void padded(void *user, ct_list p, ct_tensor **r)
{
    ct_tensor *x = p.item[0], *row = p.item[1];
    const int64_t m = ct_dim(x, 0), n = ct_dim(x, 1);
    (void)user;
    ct_tensor *left = ct_slice(x, CT_DIMS(0, 0), CT_DIMS(m, n - 1), CT_DIMS(1, 1));
    ct_tensor *right = ct_slice(x, CT_DIMS(0, 1), CT_DIMS(m, n), CT_DIMS(1, 1));
    ct_tensor *d = ct_square(ct_sub(right, ct_mul(left, left))), *y = ct_div(1.0, ct_add(x, row));
    r[0] = ct_pad(ct_mul(y, x), CT_SHAPE(1, 0), CT_SHAPE(0, 3), 2.5);
    r[1] = ct_add(ct_pad(d, CT_SHAPE(0, 1), CT_SHAPE(0, 0), 0.0),
                  ct_pad(ct_neg(d), CT_SHAPE(0, 0), CT_SHAPE(0, 1), -0.0));
    r[2] = ct_op_pad(
        ct_sub(x, y),
        ct_op_reshape(ct_op_slice(row, CT_DIMS(0), CT_DIMS(1), CT_DIMS(1)), CT_SHAPE()),
        CT_DIMS(-1, 2), CT_DIMS(1, -1), CT_DIMS(0, 0));
    r[3] = ct_sum(y, CT_AXES(0), CT_DROP_AXES);
    r[4] = ct_pad(ct_where(ct_gt(x, row), x, 0.5), CT_SHAPE(0, 2), CT_SHAPE(2, 0), (double)NAN);
}

TEST(pads_of_what_is_cheap)
{
    ct_context *ctx = ct_context_new();
    for (int64_t n = 70; n <= 140; n += 70) {
        const ct_dtype dtype = n == 70 ? CT_F32 : CT_F64;
        ct_list arguments = CT_ARGV(ct_random_normal(ctx, ct_key_new(1), dtype, CT_SHAPE(90, n)),
                                    ct_random_normal(ctx, ct_key_new(2), dtype, CT_SHAPE(n)));
        ct_function *f = ct_trace_many(ctx, padded, NULL, 5, arguments);
        CHECK(check_switches(f, arguments, "padded"));
        const char *with = ct_stablehlo_text(ct_lower(f, NULL, NULL), CT_WRITE_PRETTY);
        CHECK_MSG(count_of(with, "stablehlo.select") == 6, "%s", with);
    }
    ct_context_free(ctx);
}

/* Large values that are needed again after all of them are folded. */
static void folded(void *user, ct_list p, ct_tensor **r)
{
    ct_tensor *x = p.item[0], *one = p.item[1];
    (void)user;
    ct_tensor *e = ct_exp(ct_sub(x, one)), *d = ct_div(x, ct_add(ct_abs(e), 1.0));
    ct_tensor *total = ct_sum(e, CT_ALL_AXES, CT_DROP_AXES);
    ct_tensor *most = ct_max(d, CT_ALL_AXES, CT_DROP_AXES);
    r[0] = ct_div(e, total);
    r[1] = ct_sub(ct_mul(d, most), ct_div(r[0], ct_sum(r[0], CT_ALL_AXES, CT_DROP_AXES)));
    r[2] = ct_where(ct_eq(d, most), e, ct_flip(d, CT_AXES(0)));
}

static ct_tensor *logsumexp(ct_tensor *x)
{
    return ct_logsumexp(ct_mul(x, x), CT_ALL_AXES, CT_DROP_AXES);
}

TEST(large_values_that_are_made_again)
{
    ct_context *ctx = ct_context_new();
    ct_list arguments = CT_ARGV(ct_random_normal(ctx, ct_key_new(1), CT_F32, CT_SHAPE(270001)),
                                ct_random_normal(ctx, ct_key_new(2), CT_F32, CT_SHAPE()));
    ct_function *f = ct_trace_many(ctx, folded, NULL, 3, arguments);
    CHECK(check_switches(f, arguments, "folded"));
    ct_function *g = ct_trace(ctx, logsumexp, CT_ARGV(arguments.item[0]));
    CHECK(check_switches(ct_value_and_grad(g, CT_ARGS(0)), CT_ARGV(arguments.item[0]), "gradient"));
    ct_context_free(ctx);
}

/* Views that many steps read, each with what stands outside: more is read than operands say. */
static void framed(void *user, ct_list p, ct_tensor **r)
{
    ct_tensor *x = p.item[0];
    (void)user;
    ct_tensor *y = ct_pad(x, CT_SHAPE(1), CT_SHAPE(1), 2.0),
              *total = ct_sum(x, CT_ALL_AXES, CT_DROP_AXES);
    for (int i = 0; i < 40; i++) {
        total = ct_sum(ct_mul(y, total), CT_ALL_AXES, CT_DROP_AXES);
        total = ct_div(total, ct_add(ct_abs(total), 1.0));
    }
    r[0] = total;
    r[1] = ct_add(y, total);
}

TEST(views_that_many_steps_read)
{
    ct_context *ctx = ct_context_new();
    ct_list arguments = CT_ARGV(ct_random_normal(ctx, ct_key_new(1), CT_F32, CT_SHAPE(50)));
    CHECK(check_switches(ct_trace_many(ctx, framed, NULL, 2, arguments), arguments, "framed"));
    ct_context_free(ctx);
}

/* ---- Loops whose bodies compute what does not change. */

typedef struct model {
    ct_tensor *w, *bias;
} model;

static void step(void *user, ct_tensor **carry, ct_tensor *const *x, ct_tensor **y)
{
    const model *m = user;
    ct_tensor *fixed = ct_matmul(ct_exp(m->w), ct_transpose(m->w, CT_AXES(1, 0)));
    carry[0] = ct_tanh(ct_add(ct_matmul(carry[0], fixed), ct_add(x[0], ct_sin(m->bias))));
    y[0] = ct_mul(carry[0], ct_sum(fixed, CT_ALL_AXES, CT_DROP_AXES));
}

static void recurrence(void *user, ct_list p, ct_tensor **r)
{
    model m = {p.item[1], p.item[2]};
    ct_tensor *carry[] = {p.item[0]};
    (void)user;
    ct_scan(step, &m, .length = 5, .n_carry = 1, .carry = carry, .xs = CT_ARGV(p.item[3]),
            .n_ys = 1, .ys = &r[1]);
    r[0] = carry[0];
}

static ct_function *trace_recurrence(ct_context *ctx, ct_list *arguments)
{
    static ct_tensor *p[4];
    p[0] = ct_random_normal(ctx, ct_key_new(1), CT_F32, CT_SHAPE(6));
    p[1] = ct_mul(ct_random_normal(ctx, ct_key_new(2), CT_F32, CT_SHAPE(6, 6)), 0.1);
    p[2] = ct_random_normal(ctx, ct_key_new(3), CT_F32, CT_SHAPE(6));
    p[3] = ct_random_normal(ctx, ct_key_new(4), CT_F32, CT_SHAPE(5, 6));
    *arguments = CT_LIST(4, p);
    return ct_trace_many(ctx, recurrence, NULL, 2, *arguments);
}

static ct_tensor *recurrence_total(ct_tensor *x, ct_tensor *w, ct_tensor *bias, ct_tensor *force)
{
    ct_tensor *r[2];
    recurrence(NULL, CT_ARGV(x, w, bias, force), r);
    return ct_add(ct_sum(ct_square(r[0]), CT_ALL_AXES, CT_DROP_AXES),
                  ct_sum(r[1], CT_ALL_AXES, CT_DROP_AXES));
}

TEST(loops)
{
    ct_context *ctx = ct_context_new();
    ct_list arguments;
    CHECK(check_switches(trace_recurrence(ctx, &arguments), arguments, "recurrence"));
    ct_function *f = ct_trace(ctx, recurrence_total, arguments);
    CHECK(check_switches(ct_value_and_grad(f, CT_ALL_ARGS), arguments, "its gradient"));
    ct_context_free(ctx);
}

TEST(what_does_not_change_is_done_before_the_loop)
{
    ct_context *ctx = ct_context_new();
    ct_list arguments;
    ct_function *f = trace_recurrence(ctx, &arguments);
    const char *text = ct_stablehlo_text(ct_lower(f, NULL, NULL), CT_WRITE_PRETTY);
    const char *loop = strstr(text, "stablehlo.while");
    CHECK_OK(ctx);
    CHECK_MSG(loop, "%s", text);
    CHECK_MSG(count_of(text, "stablehlo.exponential") == 1 && count_of(text, "stablehlo.sine") == 1,
              "%s", text);
    CHECK_MSG(!strstr(loop, "stablehlo.exponential") && !strstr(loop, "stablehlo.sine"), "%s",
              text);
    CHECK_MSG(count_of(loop, "stablehlo.dot_general") == 1, "%s", text);
    ct_context_free(ctx);
}

TEST(products_take_transpositions)
{
    ct_context *ctx = ct_context_new();
    ct_list arguments = CT_ARGV(ct_random_normal(ctx, ct_key_new(1), CT_F32, CT_SHAPE(3, 16)),
                                ct_random_normal(ctx, ct_key_new(2), CT_F32, CT_SHAPE(16, 48)),
                                ct_random_normal(ctx, ct_key_new(3), CT_F32, CT_SHAPE(16)));
    ct_function *f = ct_trace(ctx, attention, arguments);
    const char *with = ct_stablehlo_text(ct_lower(f, NULL, NULL), CT_WRITE_PRETTY);
    const char *without = ct_stablehlo_text(ct_lower(f, "dots", NULL), CT_WRITE_PRETTY);
    CHECK_OK(ctx);
    CHECK_MSG(count_of(without, "stablehlo.transpose") == 4, "%s", without);
    CHECK_MSG(count_of(with, "stablehlo.transpose") == 1, "%s", with);
    ct_context_free(ctx);
}

/* ---- Switches. */

TEST(names_of_passes)
{
    ct_context *ctx = ct_context_new();
    ct_function *f = ct_trace(ctx, attention,
                              CT_ARGV(ct_ones(ctx, CT_F32, CT_SHAPE(2, 4)),
                                      ct_ones(ctx, CT_F32, CT_SHAPE(4, 12)),
                                      ct_ones(ctx, CT_F32, CT_SHAPE(4))));
    ct_compile_options options = {.size = sizeof options, .passes_off = "merging,nothing"};
    ct_compile(f, &options);
    CHECK(ct_error_status(ctx) == CT_ERR_ARGUMENT &&
          strstr(ct_error_message(ctx), "there is no pass called 'nothing'"));
    ct_error_clear(ctx);
    ct_lower(f, NULL, "everything");
    CHECK(ct_error_status(ctx) == CT_ERR_ARGUMENT);
    ct_context_free(ctx);
}

TEST(files)
{
    const char *name[MOST_PASSES];
    const size_t n = list_switches(name);
    command_outcome o;
#ifdef CT_SANITIZED
    const size_t step = 4; /* what each pass does is checked without it */
#else
    const size_t step = 1;
#endif
    for (size_t k = 0; k + 1 < n; k += step) {
        char words[256];
        snprintf(words, sizeof words,
                 "check tests/conformance --exec cpu --without %s --allow "
                 "tests/conformance/allow_machine.txt",
                 name[k]);
        command_run(&o, words);
        CHECK_MSG(o.status == 0, "without %s: %s", name[k], o.text);
        snprintf(words, sizeof words,
                 "check tests/gradients --exec cpu --without %s --allow tests/gradients/allow.txt",
                 name[k]);
        command_run(&o, words);
        CHECK_MSG(o.status == 0, "without %s: %s", name[k], o.text);
    }
    CHECK_USAGE("check tests/conformance --exec cpu --without some",
                "there is no pass called 'some'");
    CHECK_USAGE("show tests/conformance/abs.mlir --after some", "there is no pass called 'some'");
}

/* ---- Memory that runs out. */

static void lower_and_compile(ct_context *ctx)
{
    ct_list arguments;
    ct_tensor *r[2];
    ct_function *f = trace_recurrence(ctx, &arguments);
    run(f, arguments, CT_EXECUTOR_CPU, NULL, r);
    ct_function *g = ct_trace(ctx, attention,
                              CT_ARGV(ct_ones(ctx, CT_F32, CT_SHAPE(2, 4)),
                                      ct_ones(ctx, CT_F32, CT_SHAPE(4, 12)),
                                      ct_ones(ctx, CT_F32, CT_SHAPE(4))));
    ct_lower(g, NULL, NULL);
}

TEST(memory_that_runs_out)
{
    CHECK_ALLOCATIONS(lower_and_compile);
}
