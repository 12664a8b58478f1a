/* Executables, calls, instances; what happens at every wrong use of them. */
#include "tests/values.h"

#include <cotangent/exec.h>
#include <cotangent/op.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

/* 2 x + y */
static ct_tensor *mix(ct_tensor *x, ct_tensor *y)
{
    return ct_op_add(ct_op_add(x, x), y);
}

static ct_executable *mixer(ct_context *ctx, const ct_compile_options *options)
{
    ct_tensor *s = ct_spec(ctx, CT_F32, CT_SHAPE(2, 3));

    return ct_compile(ct_trace(ctx, mix, CT_LIKE(s, s)), options);
}

TEST(compile_and_call)
{
    ct_context *ctx = ct_context_new();
    ct_executable *f = mixer(ctx, NULL);
    ct_tensor *x = coded(ctx, CT_F32, 2, 3), *y = ct_ones(ctx, CT_F32, CT_SHAPE(2, 3));

    CHECK(!ct_executable_is_poison(f));
    CHECK(ct_executable_parameters(f) == 2 && ct_executable_results(f) == 1);
    CHECK(ct_executable_block_bytes(f) > 0);
    ct_tensor *z = ct_call1(f, CT_ARGV(x, y));
    CHECK_VALUES(z, CT_SHAPE(2, 3), {1, 3, 5, 21, 23, 25});
    CHECK_VALUES(ct_call1(f, CT_ARGV(z, z)), CT_SHAPE(2, 3), {3, 9, 15, 63, 69, 75});
    CHECK_VALUES(z, CT_SHAPE(2, 3), {1, 3, 5, 21, 23, 25}); /* results are fresh */
    ct_tensor *view = ct_op_transpose(coded(ctx, CT_F32, 3, 2), CT_DIMS(1, 0)); /* not contiguous */
    CHECK_VALUES(ct_call1(f, CT_ARGV(view, y)), CT_SHAPE(2, 3), {1, 21, 41, 3, 23, 43});
    ct_context_free(ctx);
}

static ct_executable *outer;

static ct_tensor *calls_an_executable(ct_tensor *x)
{
    return ct_op_add(ct_call1(outer, CT_ARGV(x, x)), x);
}

TEST(calls_with_traced_arguments_are_recorded)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = coded(ctx, CT_F32, 2, 3);

    outer = mixer(ctx, NULL);
    ct_function *f = ct_trace(ctx, calls_an_executable, CT_LIKE(x));
    CHECK(ct_function_operations(f) >= 3);
    CHECK_VALUES(ct_call1(ct_compile(f, NULL), CT_ARGV(x)), CT_SHAPE(2, 3), {0, 4, 8, 40, 44, 48});
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

TEST(wrong_arguments)
{
    ct_context *ctx = ct_context_new(), *other = ct_context_new();
    ct_executable *f = mixer(ctx, NULL);
    ct_tensor *x = coded(ctx, CT_F32, 2, 3), *r[2];

    CHECK(ct_is_poison(ct_call1(f, CT_ARGV(x))));
    CHECK_ERROR(ctx, CT_ERR_ARGUMENT, "call: mix takes 2 arguments, got 1");
    ct_call(f, CT_ARGV(x, x), r, 2);
    CHECK(ct_is_poison(r[0]) && ct_is_poison(r[1]));
    CHECK_ERROR(ctx, CT_ERR_ARGUMENT, "gives 1 result, not the 2 asked for");
    ct_call1(f, CT_ARGV(x, coded(ctx, CT_F64, 2, 3)));
    CHECK_ERROR(ctx, CT_ERR_TYPE, "call: argument 1 of mix must be f32[2,3], got f64[2,3]");
    ct_call1(f, CT_ARGV(coded(ctx, CT_F32, 3, 2), x));
    CHECK_ERROR(ctx, CT_ERR_SHAPE, "call: argument 0 of mix must be f32[2,3], got f32[3,2]");
    ct_call1(f, CT_ARGV(x, NULL));
    CHECK_ERROR(ctx, CT_ERR_ARGUMENT, "call: argument 1 is NULL");
    ct_call1(f, CT_ARGV(x, ct_spec(ctx, CT_F32, CT_SHAPE(2, 3))));
    CHECK_ERROR(ctx, CT_ERR_ARGUMENT, "argument 1 is a type without data");
    ct_call1(f, CT_ARGV(x, coded(other, CT_F32, 2, 3)));
    CHECK_ERROR(ctx, CT_ERR_CONTEXT, "argument 1 belongs to another context");
    ct_call1(NULL, CT_ARGV(x, x));
    CHECK_ERROR(ctx, CT_ERR_ARGUMENT, "call: the executable is NULL");
    ct_call(f, CT_ARGV(x, x), NULL, 1);
    CHECK_ERROR(ctx, CT_ERR_ARGUMENT, "call: results is NULL");
    ct_call(f, (ct_list){2, NULL}, r, 1);
    CHECK_ERROR(ctx, CT_ERR_ARGUMENT, "call: arguments is NULL");
    CHECK_VALUES(ct_call1(f, CT_ARGV(x, x)), CT_SHAPE(2, 3), {0, 3, 6, 30, 33, 36});
    CHECK(ct_is_poison(ct_call1(NULL, CT_NO_TENSORS)));
    ct_context_free(ctx);
    ct_context_free(other);
}

TEST(poison_in_poison_out)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = coded(ctx, CT_F32, 2, 3);
    ct_executable *f = mixer(ctx, NULL);

    ct_executable *bad = ct_compile(NULL, NULL);
    CHECK(ct_executable_is_poison(bad) && ct_executable_is_poison(NULL));
    CHECK(ct_executable_parameters(bad) == 0 && ct_executable_results(NULL) == 0);
    CHECK(ct_executable_block_bytes(bad) == 0);
    ct_tensor *wrong = ct_op_add(x, ct_op_reshape(x, CT_DIMS(6)));
    CHECK(ct_is_poison(ct_call1(f, CT_ARGV(x, wrong)))); /* the first error stays */
    CHECK_ERROR(ctx, CT_ERR_SHAPE, "add: ");
    CHECK(ct_is_poison(ct_call1(f, CT_ARGV(x, wrong))));
    CHECK_ERROR(ctx, CT_ERR_POISON, "call: argument 1 is the poisoned result");
    ct_call1(bad, CT_ARGV(x, x));
    CHECK_ERROR(ctx, CT_ERR_POISON, "call: the executable is the poisoned result");
    ct_adopt_executable(ctx, bad);
    CHECK_ERROR(ctx, CT_ERR_POISON, "adopt: ");
    ct_adopt_executable(ctx, NULL);
    CHECK_ERROR(ctx, CT_ERR_ARGUMENT, "adopt: the executable is NULL");
    CHECK(ct_adopt_executable(NULL, f) != NULL);
    CHECK(ct_keep_executable(bad) == bad && ct_keep_executable(NULL) == NULL);
    ct_release_executable(bad);
    ct_release_executable(NULL);
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

TEST(options_begin_with_their_size)
{
    ct_context *ctx = ct_context_new();
    struct {
        ct_compile_options known;
        uint64_t later[2];
    } options = {{.size = sizeof options}, {0, 0}};

    CHECK(!ct_executable_is_poison(mixer(ctx, &options.known)));
    CHECK_OK(ctx);
    options.later[1] = 1;
    CHECK(ct_executable_is_poison(mixer(ctx, &options.known)));
    CHECK_ERROR(ctx, CT_ERR_ARGUMENT, "ask for what this version does not have");
    mixer(ctx, &(ct_compile_options){.size = 0});
    CHECK_ERROR(ctx, CT_ERR_ARGUMENT, "options.size = 0");
    mixer(ctx,
          &(ct_compile_options){.size = sizeof(ct_compile_options), .executor = (ct_executor)77});
    CHECK_ERROR(ctx, CT_ERR_ARGUMENT, "there is no executor 77");
    /* An earlier version's options are a prefix: what they lack is not read. */
    ct_compile_options prefix = {.size = sizeof(size_t), .executor = (ct_executor)77};
    CHECK(!ct_executable_is_poison(mixer(ctx, &prefix)));
    ct_context_free(ctx);
}

static ct_tensor *guarded(ct_tensor *t, ct_tensor *f)
{
    return ct_op_scale(t, f);
}

static ct_tensor *guarded_either_way(ct_tensor *t, ct_tensor *u)
{
    return ct_op_scale_either(t, u);
}

TEST(plain_products_make_scale_a_multiply)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *t = given(ctx, CT_F32, CT_SHAPE(2), {0, 2}),
              *f = given(ctx, CT_F32, CT_SHAPE(2), {INFINITY, 3});
    ct_function *g = ct_trace(ctx, guarded, CT_LIKE(t, f));
    ct_compile_options plain = {.size = sizeof plain, .plain_products = true};

    CHECK_VALUES(ct_call1(ct_compile(g, NULL), CT_ARGV(t, f)), CT_SHAPE(2), {0, 6});
    CHECK_VALUES(ct_call1(ct_compile(g, &plain), CT_ARGV(t, f)), CT_SHAPE(2), {NAN, 6});
    g = ct_trace(ctx, guarded_either_way, CT_LIKE(f, t));
    CHECK_VALUES(ct_call1(ct_compile(g, NULL), CT_ARGV(f, t)), CT_SHAPE(2), {0, 6});
    CHECK_VALUES(ct_call1(ct_compile(g, &plain), CT_ARGV(f, t)), CT_SHAPE(2), {NAN, 6});
    ct_context_free(ctx);
}

TEST(scopes_own_executables)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = coded(ctx, CT_F32, 2, 3);
    ct_scope outer_scope = ct_scope_begin(ctx), inner = ct_scope_begin(ctx);
    ct_executable *kept = ct_keep_executable(mixer(ctx, NULL));
    ct_release_executable(mixer(ctx, NULL));

    ct_scope_end(inner);
    CHECK_VALUES(ct_call1(kept, CT_ARGV(x, x)), CT_SHAPE(2, 3), {0, 3, 6, 30, 33, 36});
    ct_scope_end(outer_scope);
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

TEST(adopted_executables_outlive_their_context)
{
    ct_context *ctx = ct_context_new(), *other = ct_context_new();
    ct_executable *f = ct_adopt_executable(other, mixer(ctx, NULL));

    ct_context_free(ctx);
    ct_tensor *x = coded(other, CT_F32, 2, 3);
    CHECK_VALUES(ct_call1(f, CT_ARGV(x, x)), CT_SHAPE(2, 3), {0, 3, 6, 30, 33, 36});
    CHECK_OK(other);
    ct_context_free(other);
}

/* ---- Errors of a run. */

typedef struct rows {
    bool strict;
} rows;

static ct_tensor *take_rows(void *user, ct_tensor *x, ct_tensor *indices)
{
    const rows *r = user;

    return ct_op_gather(x, indices,
                        &(ct_gather_dims){.offset_dims = CT_DIMS(1),
                                          .collapsed_slice_dims = CT_DIMS(0),
                                          .start_index_map = CT_DIMS(0),
                                          .index_vector_dim = 1,
                                          .slice_sizes = CT_DIMS(1, 2),
                                          .strict = r->strict});
}

TEST(errors_of_a_run_name_the_operation_and_the_call)
{
    ct_context *ctx = ct_context_new();
    rows r = {true};
    ct_tensor *x = coded(ctx, CT_F32, 3, 2), *i = given(ctx, CT_I64, CT_SHAPE(1), {7});
    ct_executable *f = ct_compile(ct_trace_user(ctx, take_rows, &r, CT_LIKE(x, i)), NULL);

    CHECK_OK(ctx);
    CHECK(ct_is_poison(ct_call1(f, CT_ARGV(x, i))));
    CHECK(strstr(ct_error_message(ctx), "\n    in call, ") != NULL);
    CHECK_ERROR(ctx, CT_ERR_INDEX,
                "gather: 1 of 1 indices are out of range [0, 2]: position [0] is 7");
    CHECK_VALUES(ct_call1(f, CT_ARGV(x, given(ctx, CT_I64, CT_SHAPE(1), {2}))), CT_SHAPE(1, 2),
                 {20, 21});
    ct_context_free(ctx);
}

/* ---- Instances. */

TEST(bind_once_run_often)
{
    ct_context *ctx = ct_context_new();
    ct_instance *run = ct_instance_new(mixer(ctx, NULL));
    float x[6] = {0, 1, 2, 3, 4, 5}, y[6] = {1, 1, 1, 1, 1, 1}, z[6];

    ct_context_free(ctx); /* an instance belongs to the executable's body */
    CHECK(ct_run(run) == CT_ERR_STATE);
    CHECK(strcmp(ct_instance_error(run), "run: input 0 is not bound") == 0);
    CHECK(ct_bind_input(run, 0, x, sizeof x) == CT_OK);
    CHECK(ct_bind_input(run, 1, y, sizeof y) == CT_OK);
    CHECK(ct_run(run) == CT_ERR_STATE);
    CHECK(strcmp(ct_instance_error(run), "run: output 0 is not bound") == 0);
    CHECK(ct_bind_output(run, 0, z, sizeof z) == CT_OK);
    for (int i = 0; i < 5; i++) {
        y[0] = (float)i;
        CHECK(ct_run(run) == CT_OK);
        CHECK(z[0] == (float)i && z[5] == 11);
    }
    CHECK(ct_bind_input(run, 1, x, sizeof x) == CT_OK); /* the same input twice, bound again */
    CHECK(ct_run(run) == CT_OK && z[5] == 15);
    ct_instance_free(run);
}

/* ---- Many buffers, bound again and again at places of a small memory: the same answer and message
 * as looking at all other buffers. */

enum { PAIRS = 12, PLACES = 160 };

typedef struct bindings {
    ct_instance *run;
    int input[PAIRS], output[PAIRS]; /* places, -1: not bound */
} bindings;

static void negate_all(void *user, ct_list p, ct_tensor **r)
{
    (void)user;
    for (size_t i = 0; i < p.count; i++)
        r[i] = ct_op_negate(p.item[i]);
}

/* Buffer i, bound or to be bound, has i % 4 + 1 elements; input 0 is donated. */
static int first_overlap(const int *bound, int skipped, int at, int i)
{
    for (int k = 0; k < PAIRS; k++)
        if (k != skipped && bound[k] >= 0 && at < bound[k] + k % 4 + 1 && bound[k] < at + i % 4 + 1)
            return k;
    return -1;
}

static void expect(char *text, size_t bytes, const char *what, int i, const char *other, int k)
{
    if (k >= 0 && text[0] == '\0')
        snprintf(text, bytes, "bind: %s %d overlaps %s %d", what, i, other, k);
}

static void bind_somewhere(bindings *b, float *memory, bool is_input, int i, int at)
{
    size_t bytes = (size_t)(i % 4 + 1) * sizeof *memory;
    char text[100] = "";
    ct_status status = is_input ? ct_bind_input(b->run, (size_t)i, memory + at, bytes)
                                : ct_bind_output(b->run, (size_t)i, memory + at, bytes);

    if (!is_input)
        expect(text, sizeof text, "output", i, "input", first_overlap(b->input, 0, at, i));
    if (!is_input || i > 0)
        expect(text, sizeof text, is_input ? "input" : "output", i, "output",
               first_overlap(b->output, is_input ? -1 : i, at, i));
    CHECK((status == CT_OK) == (text[0] == '\0'));
    CHECK(status == CT_OK || strcmp(ct_instance_error(b->run), text) == 0);
    if (status == CT_OK)
        (is_input ? b->input : b->output)[i] = at;
}

TEST(binding_many_buffers)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *spec[PAIRS];
    float memory[PLACES + 4];
    for (int i = 0; i < PAIRS; i++)
        spec[i] = ct_spec(ctx, CT_F32, CT_SHAPE(i % 4 + 1));
    ct_function *f = ct_trace_many(ctx, negate_all, NULL, PAIRS, ((ct_list){PAIRS, spec}));
    ct_compile_options options = {.size = sizeof options, .donated_inputs = 1};
    bindings b = {.run = ct_instance_new(ct_compile(f, &options))};
    uint32_t random = 1;

    CHECK_OK(ctx);
    memset(b.input, -1, sizeof b.input);
    memset(b.output, -1, sizeof b.output);
    for (int step = 0; step < 5000; step++) {
        random = random * 1664525 + 1013904223;
        bind_somewhere(&b, memory, random >> 31, (int)(random >> 8) % PAIRS,
                       (int)(random >> 16 & 0x7FFF) % PLACES);
    }
    ct_instance_free(b.run);
    ct_context_free(ctx);
}

TEST(bind_checks_buffers)
{
    ct_context *ctx = ct_context_new();
    ct_instance *run = ct_instance_new(mixer(ctx, NULL));
    _Alignas(8) unsigned char bytes[128];

    CHECK(ct_bind_input(run, 0, bytes, 23) == CT_ERR_SHAPE);
    CHECK(strcmp(ct_instance_error(run), "bind: input 0 is f32[2,3] and has 24 bytes, got 23") ==
          0);
    CHECK(ct_bind_input(run, 2, bytes, 24) == CT_ERR_ARGUMENT);
    CHECK(ct_bind_output(run, 1, bytes, 24) == CT_ERR_ARGUMENT);
    CHECK(strcmp(ct_instance_error(run), "bind: there is no output 1 of 1") == 0);
    CHECK(ct_bind_input(run, 0, NULL, 24) == CT_ERR_ARGUMENT);
    CHECK(ct_bind_input(run, 0, bytes + 1, 24) == CT_ERR_ARGUMENT);
    CHECK(strstr(ct_instance_error(run), "not aligned for f32") != NULL);
    CHECK(ct_bind_input(run, 0, bytes, 24) == CT_OK);
    CHECK(ct_bind_output(run, 0, bytes + 20, 24) == CT_ERR_ARGUMENT); /* the last 4 bytes */
    CHECK(strcmp(ct_instance_error(run), "bind: output 0 overlaps input 0") == 0);
    CHECK(ct_bind_output(run, 0, bytes + 24, 24) == CT_OK);
    CHECK(ct_bind_input(run, 1, bytes + 44, 24) == CT_ERR_ARGUMENT);
    CHECK(strcmp(ct_instance_error(run), "bind: input 1 overlaps output 0") == 0);
    CHECK(ct_bind_input(run, 1, bytes + 4, 24) == CT_ERR_ARGUMENT);
    CHECK(ct_bind_input(run, 1, bytes, 24) == CT_OK); /* inputs may overlap */
    memset(bytes, 0, sizeof bytes);
    CHECK(ct_run(run) == CT_OK);
    ct_instance_free(run);
    ct_instance_free(NULL);
    CHECK(ct_run(NULL) == CT_ERR_ARGUMENT && ct_bind_input(NULL, 0, bytes, 1) == CT_ERR_ARGUMENT);
    CHECK(ct_bind_output(NULL, 0, bytes, 1) == CT_ERR_ARGUMENT);
    CHECK(strcmp(ct_instance_error(NULL), "the instance is NULL") == 0);
    ct_context_free(ctx);
}

TEST(instances_of_poison)
{
    ct_instance *run = ct_instance_new(NULL);
    float x;

    CHECK(run != NULL);
    CHECK(ct_bind_input(run, 0, &x, 4) == CT_ERR_POISON);
    CHECK(ct_bind_output(run, 0, &x, 4) == CT_ERR_POISON && ct_run(run) == CT_ERR_POISON);
    CHECK(strstr(ct_instance_error(run), "poison") != NULL);
    ct_instance_free(run);
}

static void swap(void *user, ct_list p, ct_tensor **r)
{
    (void)user;
    r[0] = p.item[1];
    r[1] = ct_op_add(p.item[0], p.item[1]);
}

/* Both outputs lie on both inputs' buffers: (x, y) becomes (y, x + y) in place. */
TEST(donated_inputs_may_be_overwritten)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *s = ct_spec(ctx, CT_F64, CT_SHAPE(3));
    ct_compile_options options = {.size = sizeof options, .donated_inputs = 3};
    ct_function *f = ct_trace_many(ctx, swap, NULL, 2, CT_LIKE(s, s));
    ct_instance *run = ct_instance_new(ct_compile(f, &options));
    double x[3] = {0, 1, 2}, y[3] = {1, 10, 100};

    CHECK(ct_bind_input(run, 0, x, sizeof x) == CT_OK);
    CHECK(ct_bind_input(run, 1, y, sizeof y) == CT_OK);
    CHECK(ct_bind_output(run, 0, x, sizeof x) == CT_OK);
    CHECK(ct_bind_output(run, 1, x, sizeof x) == CT_ERR_ARGUMENT); /* outputs stay apart */
    CHECK(ct_bind_output(run, 1, y, sizeof y) == CT_OK);
    CHECK(ct_run(run) == CT_OK && ct_run(run) == CT_OK);
    CHECK(x[0] == 1 && x[1] == 11 && x[2] == 102);
    CHECK(y[0] == 2 && y[1] == 21 && y[2] == 202);
    ct_instance_free(run);
    options.donated_inputs = 2;
    run = ct_instance_new(ct_compile(f, &options));
    CHECK(ct_bind_input(run, 0, x, sizeof x) == CT_OK &&
          ct_bind_input(run, 1, y, sizeof y) == CT_OK);
    CHECK(ct_bind_output(run, 0, x, sizeof x) == CT_ERR_ARGUMENT);
    CHECK(ct_bind_output(run, 0, y, sizeof y) == CT_OK);
    ct_instance_free(run);
    ct_context_free(ctx);
}

TEST(buffers_without_elements)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *s = ct_spec(ctx, CT_F32, CT_SHAPE(0, 3));
    ct_executable *f = ct_compile(ct_trace(ctx, mix, CT_LIKE(s, s)), NULL);
    ct_instance *run = ct_instance_new(f);

    CHECK(ct_bind_input(run, 0, NULL, 0) == CT_OK && ct_bind_input(run, 1, NULL, 0) == CT_OK);
    CHECK(ct_bind_output(run, 0, NULL, 0) == CT_OK);
    CHECK(ct_run(run) == CT_OK);
    ct_tensor *x = ct_zeros(ctx, CT_F32, CT_SHAPE(0, 3));
    CHECK_EMPTY(ct_call1(f, CT_ARGV(x, x)), CT_SHAPE(0, 3));
    ct_instance_free(run);
    ct_context_free(ctx);
}

TEST(a_failed_run_leaves_the_instance_usable)
{
    ct_context *ctx = ct_context_new();
    rows r = {true};
    ct_tensor *x = ct_spec(ctx, CT_F32, CT_SHAPE(3, 2)), *i = ct_spec(ctx, CT_I64, CT_SHAPE(1));
    ct_instance *run = ct_instance_new(
        ct_compile(ct_trace_user(ctx, take_rows, &r, CT_LIKE(x, i)), NULL));
    float data[6] = {0, 1, 10, 11, 20, 21}, out[2] = {0, 0};
    int64_t index = 9;

    CHECK(ct_bind_input(run, 0, data, sizeof data) == CT_OK);
    CHECK(ct_bind_input(run, 1, &index, sizeof index) == CT_OK);
    CHECK(ct_bind_output(run, 0, out, sizeof out) == CT_OK);
    CHECK(ct_run(run) == CT_ERR_INDEX);
    CHECK(strstr(ct_instance_error(run), "test_exec.c:") != NULL);
    CHECK(strstr(ct_instance_error(run), "position [0] is 9") != NULL);
    index = 1;
    CHECK(ct_run(run) == CT_OK && out[0] == 10 && out[1] == 11);
    ct_instance_free(run);
    ct_context_free(ctx);
}

/* ---- Memory that runs out, at every place. */

static void step_body(void *user, ct_list p, ct_tensor **r)
{
    (void)user;
    r[0] = ct_op_add(p.item[0], p.item[1]);
    r[1] = ct_op_negate(p.item[0]);
}

static void loop_program(void *user, ct_list p, ct_tensor **r)
{
    ct_context *ctx = ct_context_of(p.item[0]);
    ct_tensor *s = ct_spec(ctx, CT_F32, CT_SHAPE(2)), *y[2];
    ct_function *body = ct_trace_many(ctx, step_body, NULL, 2, CT_LIKE(s, s));

    (void)user;
    ct_op_scan(3, CT_ARGV(p.item[0]), CT_ARGV(p.item[1]), CT_NO_TENSORS, false, body, y, 2);
    r[0] = ct_op_reduce_add(y[1], CT_DIMS(0));
    r[1] = ct_op_add(y[0],
                     ct_op_broadcast_in_dim(ct_scalar(ctx, CT_F32, 1), CT_DIMS(2), CT_DIMS()));
}

static void use_everything(ct_context *ctx)
{
    ct_tensor *x = coded(ctx, CT_F32, 2), *xs = coded(ctx, CT_F32, 3, 2), *r[2], *d[2];
    ct_list arguments = CT_ARGV(x, xs);
    ct_executable *f = ct_compile(ct_trace_many(ctx, loop_program, NULL, 2, arguments), NULL);
    float a[2] = {0, 1}, b[6] = {0, 1, 10, 11, 20, 21}, u[2], v[2];

    ct_call(f, arguments, r, 2);
    loop_program(NULL, arguments, d);
    if (ct_failed(ctx))
        return;
    CHECK_EQUAL(r[0], d[0]);
    CHECK_EQUAL(r[1], d[1]);
    ct_instance *run = ct_instance_new(f);
    if (ct_bind_input(run, 0, a, sizeof a) == CT_OK) {
        ct_bind_input(run, 1, b, sizeof b);
        ct_bind_output(run, 0, u, sizeof u);
        ct_bind_output(run, 1, v, sizeof v);
        CHECK(ct_run(run) == CT_OK && v[0] == 31);
    } else {
        CHECK(ct_run(run) == CT_ERR_MEMORY && strstr(ct_instance_error(run), "out of memory"));
        values_note_memory();
    }
    ct_instance_free(run);
}

TEST(every_allocation_may_fail)
{
    CHECK_ALLOCATIONS(use_everything);
}

TEST(allocators_without_functions)
{
    ct_allocator none = {.size = sizeof none};
    ct_context *ctx = ct_context_new_with(&none);

    CHECK(ct_failed(ctx) && ct_error_status(ctx) == CT_ERR_MEMORY);
    CHECK(ct_is_poison(ct_scalar(ctx, CT_F32, 1)));
    ct_context_free(ctx);
    ctx = ct_context_new_with(NULL);
    CHECK(!ct_failed(ctx));
    ct_context_free(ctx);
}
