/* Tuples, tokens, processes and channels: at once, compiled, captured and bound. */
#include "tests/derivatives.h"

#include <cotangent/ad.h>
#include <cotangent/context.h>
#include <cotangent/exec.h>
#include <cotangent/op.h>
#include <cotangent/op_program.h>
#include <cotangent/trace.h>

#include <stdlib.h>
#include <string.h>

static ct_tensor *element(ct_tensor *t, int64_t i)
{
    return ct_op_get_tuple_element(t, i);
}

/* ((x, token), (), n) */
static ct_tensor *nest(ct_context *ctx, ct_tensor *x, ct_tensor *n)
{
    ct_tensor *token = ct_op_after_all(ctx, CT_NO_TENSORS);
    ct_tensor *pair = ct_op_tuple(NULL, CT_ARGV(x, token));
    return ct_op_tuple(NULL, CT_ARGV(pair, ct_op_tuple(ctx, CT_NO_TENSORS), n));
}

static ct_tensor *x_of(ct_tensor *nested)
{
    return ct_op_get_tuple_element(ct_op_get_tuple_element(nested, 0), 0);
}

/* (nested, x) -> nested with x + its x, and that sum */
static void exchange(void *user, ct_list p, ct_tensor **r)
{
    (void)user;
    ct_context *ctx = ct_context_of(p.item[1]);
    ct_tensor *sum = ct_op_add(x_of(p.item[0]), p.item[1]);
    r[0] = nest(ctx, sum, ct_op_get_tuple_element(p.item[0], 2));
    r[1] = sum;
}

TEST(tuples_at_once)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = coded(ctx, CT_F32, 2, 3), *n = ct_scalar(ctx, CT_I8, -7);
    ct_tensor *t = nest(ctx, x, n);

    CHECK(strcmp(ct_type_text(t), "tuple<tuple<f32[2,3],token>,tuple<>,i8[]>") == 0);
    CHECK(strcmp(ct_text(t), ct_type_text(t)) == 0);
    CHECK_EQUAL(x_of(t), x);
    CHECK_EQUAL(ct_op_get_tuple_element(t, 2), n);
    CHECK(ct_equal(t, nest(ctx, x, n)));
    CHECK(!ct_equal(t, nest(ctx, x, ct_scalar(ctx, CT_I8, 7))));
    CHECK(!ct_equal(t, nest(ctx, ct_op_negate(x), n)));
    CHECK(!ct_equal(t, ct_op_tuple(NULL, CT_ARGV(x, n))));
    CHECK(ct_dtype_of(t) == CT_INVALID_DTYPE && ct_rank(t) == 0 && ct_size(t) == 0);
    CHECK_OK(ctx);
    ct_item(t);
    CHECK_ERROR(ctx, CT_ERR_SHAPE, "");
    ct_op_add(t, t);
    CHECK_ERROR(ctx, CT_ERR_TYPE, "x must be a tensor");
    ct_context_free(ctx);
}

/* As parameters and as results. */
TEST(tuples_compiled)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = coded(ctx, CT_F32, 2, 3), *n = ct_scalar(ctx, CT_I8, -7), *r[2];
    ct_tensor *t = nest(ctx, x, n);
    ct_executable *f = ct_compile(ct_trace_many(ctx, exchange, NULL, 2, CT_LIKE(t, x)), NULL);

    ct_call(f, CT_ARGV(t, x), r, 2);
    CHECK_VALUES(r[1], CT_SHAPE(2, 3), {0, 2, 4, 20, 22, 24});
    CHECK(ct_equal(r[0], nest(ctx, r[1], n)));
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* A tuple that a trace uses from outside is made of constants there; a token is made anew. */
static void captured(void *user, ct_list p, ct_tensor **r)
{
    r[0] = ct_op_add(x_of(user), p.item[0]);
    r[1] = user;
}

TEST(tuples_captured)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = coded(ctx, CT_F32, 2, 3), *n = ct_scalar(ctx, CT_I8, -7), *r[2];
    ct_tensor *t = nest(ctx, ct_op_transpose(x, CT_DIMS(1, 0)), n);
    ct_function *f = ct_trace_many(ctx, captured, t, 2,
                                   CT_LIKE(ct_zeros(ctx, CT_F32, CT_SHAPE(3, 2))));
    ct_tensor *y = ct_ones(ctx, CT_F32, CT_SHAPE(3, 2));

    CHECK(strstr(ct_function_text(f, CT_TEXT_STABLEHLO), "stablehlo.tuple"));
    ct_call(ct_compile(f, NULL), CT_ARGV(y), r, 2);
    CHECK_VALUES(r[0], CT_SHAPE(3, 2), {1, 11, 2, 12, 3, 13});
    CHECK(ct_equal(r[1], t));
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* Carried by a loop and chosen by a branch: (i, (x, i)) while i < 3. */
static void below_three(void *user, ct_list p, ct_tensor **r)
{
    (void)user;
    ct_tensor *three = ct_scalar(ct_context_of(p.item[0]), CT_I32, 3);
    r[0] = ct_op_compare(element(p.item[0], 1), three, CT_LT, CT_COMPARE_DEFAULT);
}

static void double_it(void *user, ct_list p, ct_tensor **r)
{
    (void)user;
    ct_tensor *x = element(p.item[0], 0), *i = element(p.item[0], 1);
    ct_tensor *one = ct_scalar(ct_context_of(i), CT_I32, 1);
    r[0] = ct_op_tuple(NULL, CT_ARGV(ct_op_add(x, x), ct_op_add(i, one)));
}

static void looped(void *user, ct_list p, ct_tensor **r)
{
    (void)user;
    ct_context *ctx = ct_context_of(p.item[0]);
    ct_op_while(p, CT_NO_TENSORS, ct_trace_many(ctx, below_three, NULL, 1, p),
                ct_trace_many(ctx, double_it, NULL, 1, p), r);
}

TEST(tuples_carried)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = coded(ctx, CT_F64, 3), *r[1], *s[1];
    ct_list p = CT_ARGV(ct_op_tuple(NULL, CT_ARGV(x, ct_scalar(ctx, CT_I32, 0))));

    looped(NULL, p, r);
    CHECK_VALUES(element(r[0], 0), CT_SHAPE(3), {0, 8, 16});
    ct_call(ct_compile(ct_trace_many(ctx, looped, NULL, 1, p), NULL), p, s, 1);
    CHECK(ct_equal(r[0], s[0]));
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* Bound buffers have the layout of the data: elements at multiples of 64. */
TEST(tuples_bound)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = coded(ctx, CT_F32, 3),
              *t = ct_op_tuple(NULL, CT_ARGV(x, ct_scalar(ctx, CT_I8, 9)));
    ct_trace_builder *b = ct_trace_begin(ctx, "same", CT_LIKE(t));
    ct_executable *f = ct_compile(ct_trace_end(b, CT_ARGV(ct_trace_parameter(b, 0))), NULL);
    ct_instance *instance = ct_instance_new(f);
    unsigned char *in = aligned_alloc(64, 128), *out = aligned_alloc(64, 128);

    CHECK(in && out);
    memcpy(in, ct_data(t), 128);
    CHECK(in[64] == 9);
    memset(out, 0, 128);
    CHECK(ct_bind_input(instance, 0, in, 127) == CT_ERR_SHAPE);
    CHECK(ct_bind_input(instance, 0, in + 2, 128) == CT_ERR_ARGUMENT); /* not aligned for f32 */
    CHECK(strstr(ct_instance_error(instance), "aligned for tuple<f32[3],i8[]>"));
    CHECK(ct_bind_input(instance, 0, in, 128) == CT_OK);
    CHECK(ct_bind_output(instance, 0, out, 128) == CT_OK);
    CHECK(ct_run(instance) == CT_OK);
    CHECK(memcmp(out, in, 12) == 0 && out[64] == 9);
    ct_instance_free(instance);
    free(in);
    free(out);
    ct_context_free(ctx);
}

/* ---- Derivatives pass through tuples, in which integers have none: y = x x, through one in a
 * call.
 */
static ct_tensor *packed(ct_tensor *x)
{
    ct_tensor *n = ct_scalar(ct_context_of(x), CT_I32, 3);
    return ct_op_tuple(NULL, CT_ARGV(x, ct_op_tuple(NULL, CT_ARGV(n, ct_op_multiply(x, x)))));
}

static ct_tensor *through_tuples(const void *user, ct_tensor *const *x)
{
    (void)user;
    ct_function *f = ct_trace(ct_context_of(x[0]), packed, CT_LIKE(x[0]));
    ct_tensor *all = ct_apply1(f, CT_ARGV(x[0]));
    return ct_op_add(ct_op_multiply(element(all, 0), x[1]), element(element(all, 1), 1));
}

TEST(derivatives_of_tuples)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = given(ctx, CT_F64, CT_SHAPE(2), {1, -3}),
              *y = given(ctx, CT_F64, CT_SHAPE(2), {2, 5});

    CHECK_SMOOTH(ctx, through_tuples, NULL, 2, x, y);
    ct_context_free(ctx);
}

/* ---- Processes. */

static ct_function *sum_of(ct_context *ctx, ct_dtype dtype)
{
    ct_tensor *s = ct_spec(ctx, dtype, CT_SHAPE());
    ct_trace_builder *b = ct_trace_begin(ctx, "sum", CT_LIKE(s, s));
    return ct_trace_end(b, CT_ARGV(ct_op_add(ct_trace_parameter(b, 0), ct_trace_parameter(b, 1))));
}

/* In a group of process 0 alone, and without groups, all is the identity. */
/* A part without a 0 of its own: (x + x, scale). */
static ct_tensor *beside_scale(const void *user, ct_tensor *const *x)
{
    (void)user;
    ct_tensor *scale = ct_scalar(ct_context_of(x[0]), CT_F8E8M0FNU, 4);
    ct_tensor *pair = ct_op_tuple(NULL, CT_ARGV(ct_op_add(x[0], x[0]), scale));
    return ct_op_add(element(pair, 0), ct_op_convert(element(pair, 1), CT_F64));
}

TEST(derivatives_beside_what_has_no_zero)
{
    ct_context *ctx = ct_context_new();
    CHECK_LINEAR(ctx, beside_scale, NULL, 2, ct_scalar(ctx, CT_F64, 3));
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

TEST(one_process)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = coded(ctx, CT_F32, 2, 3), *n = coded(ctx, CT_I32, 4), *r[2];
    const ct_processes alone = {.replica_groups = CT_DIMS(1, 0, 2), .group_size = 1};
    const ct_processes *const among[] = {NULL, &alone};

    for (int i = 0; i < 2; i++) {
        ct_op_all_gather(CT_ARGV(x, n), 0, among[i], r);
        CHECK_EQUAL(r[0], x);
        CHECK_EQUAL(r[1], n);
        ct_op_all_reduce(CT_ARGV(x), sum_of(ctx, CT_F32), CT_NO_TENSORS, among[i], r);
        CHECK_EQUAL(r[0], x);
        ct_op_all_reduce(CT_ARGV(x), sum_of(ctx, CT_F64), CT_NO_TENSORS, among[i], r);
        CHECK_EQUAL(r[0], coded(ctx, CT_F64, 2, 3));
        ct_op_all_to_all(CT_ARGV(x), 1, 0, 1, among[i], r);
        CHECK_EQUAL(r[0], x);
        CHECK_EQUAL(ct_op_collective_broadcast(x, among[i]), x);
        CHECK_EQUAL(ct_op_reduce_scatter(x, 1, sum_of(ctx, CT_F32), CT_NO_TENSORS, among[i]), x);
    }
    CHECK_EQUAL(ct_op_collective_permute(x, CT_DIMS(0, 0, 1, 2), 0, 0), x);
    CHECK_EQUAL(ct_op_collective_permute(x, CT_DIMS(), 0, 0),
                ct_zeros(ctx, CT_F32, CT_SHAPE(2, 3)));
    CHECK_VALUES(ct_op_partition_id(ctx), CT_SHAPE(), {0});
    CHECK_VALUES(ct_op_replica_id(ctx), CT_SHAPE(), {0});
    CHECK(ct_dtype_of(ct_op_replica_id(ctx)) == CT_U32);
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* Shorter groups are filled up with -1: process 0 may be alone in one. */
TEST(padded_groups)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = coded(ctx, CT_F32, 3), *r[1];
    const ct_processes alone = {.replica_groups = CT_DIMS(1, 2, -1, 0), .group_size = 2};
    const ct_processes outside = {.replica_groups = CT_DIMS(1, 2), .group_size = 2};

    ct_op_all_reduce(CT_ARGV(x), sum_of(ctx, CT_F32), CT_NO_TENSORS, &alone, r);
    CHECK_EQUAL(r[0], x);
    CHECK_VALUES(ct_op_collective_broadcast(x, &outside), CT_SHAPE(3), {0, 0, 0});
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

#define CHECK_NEEDS_OTHERS(call, name)                                                             \
    ((call), CHECK_ERROR(ctx, CT_ERR_UNSUPPORTED,                                                  \
                         name ": a run is one process, 0, and this asks for others too"))

TEST(other_processes)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = coded(ctx, CT_F32, 2, 4), *r[1];
    ct_function *sum = sum_of(ctx, CT_F32);
    ct_list none = CT_NO_TENSORS;
    const ct_processes two = {.replica_groups = CT_DIMS(1, 0), .group_size = 2};

    CHECK_NEEDS_OTHERS(ct_op_all_gather(CT_ARGV(x), 0, &two, r), "all_gather");
    CHECK_NEEDS_OTHERS(ct_op_all_reduce(CT_ARGV(x), sum, none, &two, r), "all_reduce");
    CHECK_NEEDS_OTHERS(ct_op_all_to_all(CT_ARGV(x), 0, 1, 2, &two, r), "all_to_all");
    CHECK_NEEDS_OTHERS(ct_op_all_to_all(CT_ARGV(x), 0, 1, 2, NULL, r), "all_to_all");
    CHECK_NEEDS_OTHERS(ct_op_collective_broadcast(x, &two), "collective_broadcast");
    CHECK_NEEDS_OTHERS(ct_op_collective_permute(x, CT_DIMS(0, 1), 0, 0), "collective_permute");
    CHECK_NEEDS_OTHERS(ct_op_collective_permute(x, CT_DIMS(1, 0), 0, 0), "collective_permute");
    CHECK_NEEDS_OTHERS(ct_op_reduce_scatter(x, 0, sum, none, &two), "reduce_scatter");
    ct_context_free(ctx);
}

/* ---- Channels: traced and printed, but not run; their order stays. */

TEST(channels)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = coded(ctx, CT_F32, 2), *r[2];
    ct_tensor *token = ct_op_after_all(ctx, CT_NO_TENSORS);
    ct_trace_builder *b = ct_trace_begin(ctx, "sends", CT_LIKE(x, token));
    ct_op_send(CT_ARGV(ct_trace_parameter(b, 0)), ct_trace_parameter(b, 1), 3, true, CT_DIMS());
    ct_function *f = ct_trace_end(b, CT_ARGV(ct_trace_parameter(b, 0)));

    CHECK(strstr(ct_function_text(f, CT_TEXT_STABLEHLO), "stablehlo.send")); /* an effect stays */
    ct_call1(ct_compile(f, NULL), CT_ARGV(x, token));
    CHECK_ERROR(ctx, CT_ERR_UNSUPPORTED, "send: a run has no channels to elsewhere");
    ct_op_recv(token, 1, false, CT_DIMS(), CT_LIKE(x), r);
    CHECK_ERROR(ctx, CT_ERR_UNSUPPORTED, "recv: a run has no channels");
    ct_op_infeed(token, NULL, CT_LIKE(x), r);
    CHECK_ERROR(ctx, CT_ERR_UNSUPPORTED, "infeed: a run has no channels");
    ct_op_outfeed(CT_ARGV(x), token, NULL);
    CHECK_ERROR(ctx, CT_ERR_UNSUPPORTED, "outfeed: a run has no channels");
    ct_context_free(ctx);
}

static void kept(void *user, ct_list p, ct_tensor **r)
{
    (void)user;
    r[0] = p.item[0];
}

static void fed(void *user, ct_list p, ct_tensor **r)
{
    ct_tensor *y[2];
    ct_op_infeed(ct_op_after_all(user, CT_NO_TENSORS), "here", CT_LIKE(p.item[0]), y);
    r[0] = y[0];
}

/* x, or what is fed, by a constant: recorded with its branches, for one has an effect. */
static void chosen(void *user, ct_list p, ct_tensor **r)
{
    ct_context *ctx = ct_context_of(p.item[0]);
    ct_tensor *x = coded(ctx, CT_F32, 2);
    ct_function *then = ct_trace_many(ctx, kept, NULL, 1, CT_LIKE(x));
    ct_function *otherwise = ct_trace_many(ctx, fed, ctx, 1, CT_LIKE(x));
    ct_op_if(ct_scalar(ctx, CT_BOOL, *(bool *)user), then, otherwise, CT_ARGV(x), r, 1);
}

TEST(effects_of_branches_wait_for_a_run)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = coded(ctx, CT_F32, 2);
    for (int i = 0; i < 2; i++) {
        bool is_kept = i == 0;
        ct_function *f = ct_trace_many(ctx, chosen, &is_kept, 1, CT_LIKE(x));
        CHECK_OK(ctx);
        CHECK(strstr(ct_function_text(f, CT_TEXT_STABLEHLO), "stablehlo.infeed"));
        ct_tensor *y = ct_call1(ct_compile(f, NULL), CT_ARGV(x));
        if (is_kept)
            CHECK(ct_equal(y, x));
        else
            CHECK_ERROR(ctx, CT_ERR_UNSUPPORTED, "infeed: a run has no channels");
    }
    ct_context_free(ctx);
}

/* ---- No memory. */

static void all(ct_context *ctx)
{
    ct_tensor *x = coded(ctx, CT_F32, 2), *r[2];
    ct_tensor *t = nest(ctx, x, ct_scalar(ctx, CT_I8, 1));
    ct_call(ct_compile(ct_trace_many(ctx, captured, t, 2, CT_LIKE(x)), NULL), CT_ARGV(x), r, 2);
}

TEST(memory_may_run_out)
{
    CHECK_ALLOCATIONS(all);
}
