/* Rows of the sweep: control, tuples and tokens, functions of the program, processes, channels. */
#include "tests/sweep.h"

#include <cotangent/ad.h>
#include <cotangent/custom.h>
#include <cotangent/op_program.h>
#include <cotangent/op_stack.h>
#include <cotangent/tensor.h>

#include <string.h>

/* ---- Bodies on whole values. */

/* x -> x + x or another operation of it twice. */
static ct_function *twice(sweep *s, const char *name,
                          ct_tensor *(*f)(ct_place, ct_tensor *, ct_tensor *))
{
    ct_trace_builder *b = ct_trace_begin(s->ctx, name,
                                         CT_LIKE(ct_spec(s->ctx, s->dtype, s->shape)));
    ct_tensor *x = ct_trace_parameter(b, 0);

    return ct_trace_end(b, CT_ARGV(f(CT_HERE, x, x)));
}

/* ---- Control. */

static void calls(sweep *s)
{
    ct_tensor *x = sweep_x(s), *y;

    sweep_give(s, ct_apply1(twice(s, "twice", ct_op_add_at), CT_ARGV(x)));
    ct_op_composite("my.twice", "n = 2 : i64", 1, twice(s, "my.twice.impl", ct_op_maximum_at),
                    CT_ARGV(x), &y, 1);
    sweep_give(s, y);
    if (ct_dtype_is_float(ct_dtype_of(x))) {
        ct_function *f = twice(s, "ruled", ct_op_add_at);
        ct_op_custom_rule(f, ct_jvp(f, CT_ALL_ARGS), NULL, NULL, CT_ARGV(x), &y, 1);
        sweep_give(s, y);
    }
}

static void branches(sweep *s)
{
    ct_function *branch[] = {twice(s, "sum", ct_op_add_at), twice(s, "largest", ct_op_maximum_at)};
    ct_tensor *pred = sweep_in(s, CT_BOOL, CT_SHAPE()), *index = sweep_in(s, CT_I32, CT_SHAPE());
    ct_tensor *x = sweep_x(s), *y;

    ct_op_if(pred, branch[0], branch[1], CT_ARGV(x), &y, 1);
    sweep_give(s, y);
    ct_op_case(index, 2, branch, CT_ARGV(x), &y, 1);
    sweep_give(s, y);
}

/* (n, x) -> n < 3, and (n + 1, x + x) */
static void whiles(sweep *s)
{
    ct_tensor *n = ct_spec(s->ctx, CT_I32, CT_SHAPE()), *x = ct_spec(s->ctx, s->dtype, s->shape);
    ct_tensor *y[2];
    ct_trace_builder *b = ct_trace_begin(s->ctx, "cond", CT_LIKE(n, x));
    ct_function *cond = ct_trace_end(
        b, CT_ARGV(ct_op_compare(ct_trace_parameter(b, 0), ct_scalar(s->ctx, CT_I32, 3), CT_LT,
                                 CT_COMPARE_SIGNED)));
    b = ct_trace_begin(s->ctx, "body", CT_LIKE(n, x));
    ct_tensor *next = ct_op_add(ct_trace_parameter(b, 0), ct_scalar(s->ctx, CT_I32, 1));
    ct_function *body = ct_trace_end(
        b, CT_ARGV(next, ct_op_add(ct_trace_parameter(b, 1), ct_trace_parameter(b, 1))));

    n = sweep_in(s, CT_I32, CT_SHAPE());
    x = sweep_x(s);
    ct_op_while(CT_ARGV(n, x), CT_NO_TENSORS, cond, body, y);
    sweep_give(s, y[0]);
    sweep_give(s, y[1]);
}

/* (carry, row, captured) -> (carry + row, the larger of row and captured) */
static void scans(sweep *s)
{
    ct_tensor *like = ct_spec(s->ctx, s->dtype, s->shape), *y[2];
    ct_trace_builder *b = ct_trace_begin(s->ctx, "step", CT_LIKE(like, like, like));
    ct_tensor *row = ct_trace_parameter(b, 1);
    ct_function *step = ct_trace_end(b, CT_ARGV(ct_op_add(ct_trace_parameter(b, 0), row),
                                                ct_op_maximum(row, ct_trace_parameter(b, 2))));
    ct_tensor *carry = sweep_x(s), *captured = sweep_x(s);

    for (int64_t length = 0; length <= 3; length += 3)
        for (int reverse = 0; reverse < 2; reverse++) {
            ct_tensor *x = sweep_in(s, s->dtype, sweep_stacked(s, length));
            ct_op_scan(length, CT_ARGV(carry), CT_ARGV(x), CT_ARGV(captured), reverse, step, y, 2);
            sweep_give(s, y[0]);
            sweep_give(s, y[1]);
        }
}

/* (i, carry) -> carry + carry, 2 times and none. */
static void counted(sweep *s)
{
    ct_tensor *like = ct_spec(s->ctx, s->dtype, s->shape), *y;
    ct_trace_builder *b = ct_trace_begin(s->ctx, "step",
                                         CT_LIKE(ct_spec(s->ctx, CT_I64, CT_SHAPE()), like));
    ct_tensor *carry = ct_trace_parameter(b, 1);
    ct_function *step = ct_trace_end(b, CT_ARGV(ct_op_add(carry, carry)));
    ct_tensor *x = sweep_x(s), *count = sweep_in(s, CT_I64, CT_SHAPE());

    ct_op_for(ct_op_add(count, ct_scalar(s->ctx, CT_I64, 2)), CT_ARGV(x), CT_NO_TENSORS, false,
              step, &y);
    sweep_give(s, y);
    ct_op_for(count, CT_ARGV(x), CT_NO_TENSORS, true, step, &y);
    sweep_give(s, y);
}

static void stacks(sweep *s)
{
    ct_tensor *x = sweep_x(s), *i = sweep_in(s, CT_I64, CT_SHAPE());
    ct_tensor *none = ct_op_stack_new(x), *one = ct_op_stack_add(none, i, x);

    sweep_give(s, ct_op_stack_get(one, i));
    sweep_give(s, ct_op_stack_get(ct_op_stack_sum(one, one), i));
    if (s->dtype != CT_F8E8M0FNU) /* it has no 0 */
        sweep_give(s, ct_op_stack_get(none, i));
}

static void barriers(sweep *s)
{
    ct_tensor *x = sweep_x(s), *y[2];

    ct_op_optimization_barrier(CT_ARGV(x, x), y);
    sweep_give(s, ct_op_add(y[0], y[1]));
}

static void tuples(sweep *s)
{
    ct_tensor *token = ct_op_after_all(s->ctx, CT_NO_TENSORS);
    ct_tensor *pair = ct_op_tuple(s->ctx,
                                  CT_ARGV(sweep_x(s), ct_op_after_all(NULL, CT_ARGV(token))));

    sweep_give(s, ct_op_get_tuple_element(ct_op_tuple(s->ctx, CT_ARGV(pair, token)), 0));
    sweep_give(s, ct_op_get_tuple_element(pair, 0));
}

/* ---- Functions of the program. */

static ct_status copy(void *user, ct_custom_call *call)
{
    const size_t bytes = ct__data_bytes(call->result_type[0]);

    (void)user;
    if (bytes > 0)
        memcpy(call->result[0], call->operand[0], bytes);
    return CT_OK;
}

static void customs(sweep *s)
{
    ct_tensor *y;

    ct_register_custom_call(s->ctx, "copy", copy, NULL);
    ct_op_custom_call(s->ctx, "copy", "backend_config = \"x\"", false, CT_ARGV(sweep_x(s)),
                      CT_ARGV(ct_spec(s->ctx, s->dtype, s->shape)), &y);
    sweep_give(s, y);
}

/* ---- One process, alone in its group. */

static void processes(sweep *s)
{
    const ct_processes one = {.replica_groups = CT_DIMS(0), .group_size = 1};
    ct_tensor *x = sweep_x(s), *y;

    ct_op_all_reduce(CT_ARGV(x), sweep_body(s, ct_op_add_at), CT_NO_TENSORS, &one, &y);
    sweep_give(s, y);
    sweep_give(s, ct_op_collective_broadcast(x, &one));
    sweep_give(s, ct_op_collective_permute(x, CT_DIMS(0, 0), 0, 0));
    sweep_give(s, ct_op_partition_id(s->ctx));
    sweep_give(s, ct_op_replica_id(s->ctx));
    for (size_t d = 0; d < s->shape.count; d++) {
        ct_op_all_gather(CT_ARGV(x), (int64_t)d, &one, &y);
        sweep_give(s, y);
        ct_op_all_to_all(CT_ARGV(x), (int64_t)d, 0, 1, &one, &y);
        sweep_give(s, y);
        sweep_give(s, ct_op_reduce_scatter(x, (int64_t)d, sweep_body(s, ct_op_maximum_at),
                                           CT_NO_TENSORS, &one));
    }
}

/* ---- Channels. */

static void channels(sweep *s)
{
    ct_tensor *x = sweep_x(s), *y[2], *z[2];

    ct_op_infeed(ct_op_after_all(s->ctx, CT_NO_TENSORS), "here", CT_ARGV(x), y);
    ct_tensor *token = ct_op_outfeed(CT_ARGV(x, y[0]), y[1], NULL);
    token = ct_op_send(CT_ARGV(y[0]), token, 6, true, CT_DIMS());
    ct_op_recv(token, 7, false, CT_DIMS(0, 1), CT_ARGV(x), z);
    sweep_give(s, z[0]);
    sweep_give(s, z[1]);
}

/* ---- */

const sweep_row sweep_program_rows[] = {
    {"call, composite", calls, SWEEP_ALL, CT__ANY, NULL, SWEEP_RUNS},
    {"if, case", branches, SWEEP_ALL, CT__ANY, NULL, SWEEP_RUNS},
    {"while", whiles, SWEEP_ALL, CT__ANY, NULL, SWEEP_RUNS},
    {"scan", scans, SWEEP_ALL, CT__ANY, NULL, SWEEP_RUNS},
    {"for", counted, SWEEP_ALL, CT__ANY, NULL, SWEEP_RUNS},
    {"stacks", stacks, SWEEP_ALL, CT__ANY, NULL, SWEEP_COMPILED},
    {"optimization_barrier", barriers, SWEEP_ALL, CT__ANY, NULL, SWEEP_RUNS},
    {"tuple", tuples, SWEEP_ALL, CT__ANY, NULL, SWEEP_RUNS},
    {"custom_call", customs, SWEEP_ALL, CT__ANY, NULL, SWEEP_RUNS},
    {"processes", processes, SWEEP_ALL, CT__ANY, NULL, SWEEP_RUNS},
    {"channels", channels, SWEEP_ALL, CT__ANY, NULL, SWEEP_TRACED},
};
const size_t n_sweep_program_rows = sizeof sweep_program_rows / sizeof *sweep_program_rows;
