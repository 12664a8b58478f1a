/* Derivatives of the operations of several processes: values where this process is alone, and as
 * text what others would get. */
#include "tests/values.h"

#include <cotangent/cotangent.h>

#include <string.h>

static ct_function *adding(ct_context *ctx, ct_dtype dtype)
{
    ct_tensor *x = ct_scalar(ctx, dtype, 0);
    ct_trace_builder *b = ct_trace_begin(ctx, "add", CT_LIKE(x, x));
    return ct_trace_end(b, CT_ARGV(ct_op_add(ct_trace_parameter(b, 0), ct_trace_parameter(b, 1))));
}

static ct_function *largest(ct_context *ctx)
{
    ct_tensor *x = ct_scalar(ctx, CT_F32, 0);
    ct_trace_builder *b = ct_trace_begin(ctx, "max", CT_LIKE(x, x));
    return ct_trace_end(b,
                        CT_ARGV(ct_op_maximum(ct_trace_parameter(b, 0), ct_trace_parameter(b, 1))));
}

typedef enum which { GATHER, REDUCE, TO_ALL, BROADCAST, PERMUTE, SCATTER, WHICH } which;

typedef struct case_of {
    which op;
    const ct_processes *among;
} case_of;

static ct_tensor *operation(void *user, ct_tensor *x)
{
    const case_of *c = user;
    ct_context *ctx = ct_context_of(x);
    ct_tensor *y = x;
    switch (c->op) {
    case GATHER: ct_op_all_gather(CT_ARGV(x), 1, c->among, &y); break;
    case REDUCE:
        ct_op_all_reduce(CT_ARGV(x), adding(ctx, CT_F32), CT_NO_TENSORS, c->among, &y);
        break;
    case TO_ALL: ct_op_all_to_all(CT_ARGV(x), 0, 1, c->among->group_size, c->among, &y); break;
    case BROADCAST: y = ct_op_collective_broadcast(x, c->among); break;
    case PERMUTE: y = ct_op_collective_permute(x, CT_DIMS(0, 1, 1, 2, 2, 0), 0, 0); break;
    default: y = ct_op_reduce_scatter(x, 1, adding(ctx, CT_F32), CT_NO_TENSORS, c->among); break;
    }
    return ct_mul(y, 2);
}

static const ct_processes alone = {.replica_groups = {1, (const int64_t[]){0}}, .group_size = 1};
static const ct_processes pairs = {.replica_groups = {4, (const int64_t[]){0, 2, 1, 3}},
                                   .group_size = 2};

TEST(derivatives_of_a_process_alone)
{
    for (which op = GATHER; op < WHICH; op++) {
        case_of c = {op, &alone};
        ct_context *ctx = ct_context_new();
        ct_tensor *x = given(ctx, CT_F32, CT_SHAPE(1, 2), {1, 2}), *r[2];
        ct_tensor *v = given(ctx, CT_F32, CT_SHAPE(1, 2), {3, 4});
        ct_function *f = ct_trace_user(ctx, operation, &c, CT_LIKE(x));
        if (op != PERMUTE) {
            ct_apply(ct_jvp(f, CT_ARGS(0)), CT_ARGV(x, v), r, 2);
            CHECK_VALUES(r[1], CT_SHAPE(1, 2), {6, 8});
            CHECK_VALUES(ct_apply1(ct_vjp(f, CT_ARGS(0)), CT_ARGV(x, v)), CT_SHAPE(1, 2), {6, 8});
            CHECK_VALUES(ct_apply1(ct_transpose_linear(f, CT_ARGS(0)), CT_ARGV(v)), CT_SHAPE(1, 2),
                         {6, 8});
        }
        CHECK_OK(ctx);
        ct_context_free(ctx);
    }
}

/* What goes back between the pairs (0, 2) and (1, 3). */
TEST(transposes_among_pairs)
{
    static const char *const text[WHICH][2] = {
        [GATHER] = {"\"stablehlo.reduce_scatter\"", "scatter_dimension = 1 : i64"},
        [REDUCE] = {"\"stablehlo.all_reduce\"", "dense<[[0, 2], [1, 3]]>"},
        [TO_ALL] = {"concat_dimension = 0 : i64", "split_dimension = 1 : i64"},
        [BROADCAST] = {"dense<[[0, 0], [1, 1]]>", "dense<[[2, 0], [3, 1]]>"},
        [PERMUTE] = {"\"stablehlo.collective_permute\"", "dense<[[1, 0], [2, 1], [0, 2]]>"},
        [SCATTER] = {"\"stablehlo.all_gather\"", "all_gather_dim = 1 : i64"}};
    for (which op = GATHER; op < WHICH; op++) {
        case_of c = {op, &pairs};
        ct_context *ctx = ct_context_new();
        ct_tensor *x = ct_zeros(ctx, CT_F32, CT_SHAPE(2, 4));
        ct_function *f = ct_trace_user(ctx, operation, &c, CT_LIKE(x));
        ct_function *back = ct_vjp(f, CT_ARGS(0));
        const char *got = ct_function_text(back, CT_TEXT_STABLEHLO);
        CHECK_OK(ctx);
        for (int i = 0; i < 2; i++)
            CHECK_MSG(strstr(got, text[op][i]), "%s: %s", text[op][i], got);
        CHECK(strcmp(ct_type_text(x), "f32[2,4]") == 0);
        CHECK(ct_function_results(ct_vjp(ct_vjp(f, CT_ARGS(0)), CT_ARGS(1))) == 1);
        CHECK_OK(ctx);
        ct_context_free(ctx);
    }
}

static ct_tensor *greatest(ct_tensor *x)
{
    ct_tensor *y;
    ct_op_all_reduce(CT_ARGV(x), largest(ct_context_of(x)), CT_NO_TENSORS, NULL, &y);
    return y;
}

static ct_tensor *to_all(ct_tensor *x)
{
    return ct_op_collective_broadcast(x, NULL);
}

TEST(only_sums_are_linear_and_all_processes_are_one_group)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = given(ctx, CT_F32, CT_SHAPE(2), {1, 2});
    ct_function *f = ct_vjp(ct_trace(ctx, to_all, CT_LIKE(x)), CT_ARGS(0));
    CHECK(strstr(ct_function_text(f, CT_TEXT_STABLEHLO), "stablehlo.replica_id"));
    CHECK_VALUES(ct_apply1(f, CT_ARGV(x, x)), CT_SHAPE(2), {1, 2});
    ct_jvp(ct_trace(ctx, greatest, CT_LIKE(x)), CT_ARGS(0));
    CHECK(strstr(ct_error_message(ctx), "test_rules_collective.c:"));
    CHECK_ERROR(ctx, CT_ERR_RULE, "all_reduce: only one whose body adds has a derivative");
    ct_context_free(ctx);
}
