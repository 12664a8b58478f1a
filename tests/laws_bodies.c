/* Laws of operations whose bodies are functions, of stacks and of processes. */
#include "tests/laws.h"

static ct_tensor *i64(ct_tensor *x, double value)
{
    return ct_scalar(ct_context_of(x), CT_I64, value);
}

static ct_tensor *scalar_like(ct_tensor *x)
{
    return ct_spec(ct_context_of(x), ct_dtype_of(x), CT_SHAPE());
}

static ct_tensor *same_as(ct_tensor *x)
{
    return ct_spec(ct_context_of(x), ct_dtype_of(x), ct_shape_of(x));
}

/* ---- Bodies on elements. */

static ct_function *adding(ct_tensor *x)
{
    ct_trace_builder *b = ct_trace_begin(ct_context_of(x), "adding",
                                         CT_LIKE(scalar_like(x), scalar_like(x)));

    return ct_trace_end(b, CT_ARGV(ct_op_add(ct_trace_parameter(b, 0), ct_trace_parameter(b, 1))));
}

/* By the real parts of the first pair of so many. */
static ct_function *less(ct_tensor *x, size_t n_pairs)
{
    ct_tensor *e = scalar_like(x), *parameter[] = {e, e, e, e};
    ct_trace_builder *b = ct_trace_begin(ct_context_of(x), "less", CT_LIST(2 * n_pairs, parameter));

    return ct_trace_end(
        b, CT_ARGV(ct_op_compare(ct_op_real(ct_trace_parameter(b, 0)),
                                 ct_op_real(ct_trace_parameter(b, 1)), CT_LT, CT_COMPARE_DEFAULT)));
}

/* Constants without ties. */
static ct_tensor *keys(ct_tensor *x, ct_shape shape)
{
    static const double value[] = {5, -2, 7, 1, 0, 3, 12, -9, 4, 2, 8, -1};
    return ct_op_convert(ct_from_doubles(ct_context_of(x), CT_F64, shape, value), ct_dtype_of(x));
}

/* By keys, which are constant. */
static ct_tensor *sorted(ct_tensor *const *x)
{
    ct_tensor *y[2];

    ct_op_sort_many(CT_ARGV(keys(x[0], CT_SHAPE(4, 3)), x[0]), less(x[0], 2), CT_NO_TENSORS, 0, y);
    return y[1];
}

static const ct_selecting_dims pairs = {.window_dimensions = {2, (const int64_t[]){2, 1}},
                                        .window_strides = {2, (const int64_t[]){1, 2}}};

LINEAR(selected, ct_op_select_and_scatter(keys(x[0], CT_SHAPE(4, 3)), x[0], x[1], less(x[0], 1),
                                          adding(x[0]), CT_NO_TENSORS, &pairs))

/* a - b + captured */
static ct_tensor *mapped(ct_tensor *const *x)
{
    ct_tensor *e = scalar_like(x[0]);
    ct_trace_builder *b = ct_trace_begin(ct_context_of(e), "element", CT_LIKE(e, e, e));
    ct_tensor *difference = ct_op_subtract(ct_trace_parameter(b, 0), ct_trace_parameter(b, 1));
    ct_function *body = ct_trace_end(b, CT_ARGV(ct_op_add(difference, ct_trace_parameter(b, 2))));

    return ct_op_map(CT_ARGV(x[0], x[1]), CT_ARGV(x[2]), body);
}

/* ---- Bodies on whole values. */

/* (x, y) -> x + x - y, or with the parts exchanged */
static ct_function *combination(ct_tensor *x, bool is_turned)
{
    ct_trace_builder *b = ct_trace_begin(ct_context_of(x), is_turned ? "turned" : "straight",
                                         CT_LIKE(same_as(x), same_as(x)));
    ct_tensor *u = ct_trace_parameter(b, is_turned), *v = ct_trace_parameter(b, !is_turned);

    return ct_trace_end(b, CT_ARGV(ct_op_subtract(ct_op_add(u, u), v)));
}

LINEAR(called, ct_apply1(combination(x[0], false), CT_ARGV(x[0], x[1])))

static ct_tensor *branched(ct_tensor *const *x)
{
    ct_tensor *y;

    ct_op_if(ct_scalar(ct_context_of(x[0]), CT_BOOL, 0), combination(x[0], false),
             combination(x[0], true), CT_ARGV(x[0], x[1]), &y, 1);
    return y;
}

static ct_tensor *chosen_of_many(ct_tensor *const *x)
{
    ct_function *branch[] = {combination(x[0], false), combination(x[0], true),
                             combination(x[0], false)};
    ct_tensor *y;

    ct_op_case(AT(x[0], CT_SHAPE(), 1), 3, branch, CT_ARGV(x[0], x[1]), &y, 1);
    return y;
}

static ct_tensor *below_three(void *user, ct_tensor *const *carry)
{
    (void)user;
    return ct_op_compare(carry[0], i64(carry[0], 3), CT_LT, CT_COMPARE_DEFAULT);
}

static void turn(void *user, ct_tensor **carry)
{
    ct_tensor *old = carry[1];

    (void)user;
    carry[0] = ct_op_add(carry[0], i64(old, 1));
    carry[1] = ct_op_add(old, carry[2]);
    carry[2] = ct_op_subtract(carry[2], ct_op_add(old, old));
}

static ct_tensor *repeated(ct_tensor *const *x)
{
    ct_tensor *carry[] = {i64(x[0], 0), x[0], x[1]};

    ct_while(below_three, turn, NULL, 3, carry);
    return ct_op_concatenate(CT_ARGV(carry[1], carry[2]), 1);
}

static void counted_turn(void *user, ct_tensor *i, ct_tensor **carry)
{
    ct_tensor *old = carry[0];

    (void)user, (void)i;
    carry[0] = ct_op_add(old, carry[1]);
    carry[1] = old;
}

static ct_tensor *counted(ct_tensor *const *x)
{
    ct_tensor *carry[] = {x[0], x[1]};

    ct_for(counted_turn, NULL, i64(x[0], 3), 2, carry);
    return carry[0];
}

/* carry = 2 carry + row, and the sums before. */
static void step(void *user, ct_tensor **carry, ct_tensor *const *row, ct_tensor **y)
{
    (void)user;
    y[0] = carry[0];
    carry[0] = ct_op_add(ct_op_add(carry[0], carry[0]), row[0]);
}

static ct_tensor *scanned(ct_tensor *const *x)
{
    ct_tensor *carry = x[1], *y;
    ct_scan(step, NULL, .length = 3, .n_carry = 1, .carry = &carry, .xs = CT_ARGV(x[0]), .n_ys = 1,
            .ys = &y, .reverse = true);
    return ct_op_add(ct_op_reduce_add(y, CT_DIMS(0)), carry);
}

/* ---- Functions with names and rules. */

static ct_tensor *composed(ct_tensor *const *x)
{
    ct_tensor *y;

    ct_op_composite("law.combination", NULL, 1, combination(x[0], false), CT_ARGV(x[0], x[1]), &y,
                    1);
    return y;
}

static ct_tensor *ruled(ct_tensor *const *x)
{
    ct_function *f = combination(x[0], false);
    ct_tensor *y;

    ct_op_custom_rule(f, ct_jvp(f, CT_ALL_ARGS), NULL, NULL, CT_ARGV(x[0], x[1]), &y, 1);
    return y;
}

/* (x, y, result, cotangent) -> those of x and y */
static ct_function *backward_of_combination(ct_tensor *x)
{
    ct_tensor *like = same_as(x);
    ct_trace_builder *b = ct_trace_begin(ct_context_of(x), "backward",
                                         CT_LIKE(like, like, like, like));
    ct_tensor *ybar = ct_trace_parameter(b, 3);

    return ct_trace_end(b, CT_ARGV(ct_op_add(ybar, ybar), ct_op_negate(ybar)));
}

static void apply_ruled_backward(void *user, ct_list x, ct_tensor **y)
{
    (void)user;
    ct_op_custom_rule(combination(x.item[0], false), NULL, NULL, backward_of_combination(x.item[0]),
                      x, y, 1);
}

/* The forward derivative, which is the backward one's transpose. */
static ct_tensor *ruled_backward(ct_tensor *const *x)
{
    ct_tensor *at = laws_some(x[0], ct_shape_of(x[0])), *y[2];
    ct_function *f = ct_trace_many(ct_context_of(x[0]), apply_ruled_backward, NULL, 1,
                                   CT_LIKE(same_as(x[0]), same_as(x[0])));

    ct_apply(ct_jvp(f, CT_ALL_ARGS), CT_ARGV(at, at, x[0], x[1]), y, 2);
    return y[1];
}

/* ---- Stacks. */

static ct_tensor *stacked(ct_tensor *const *x)
{
    ct_tensor *none = ct_op_stack_new(x[0]);
    ct_tensor *one = ct_op_stack_add(none, i64(x[0], 2), x[0]);
    ct_tensor *other = ct_op_stack_add(ct_op_stack_add(none, i64(x[0], 0), x[1]), i64(x[0], 2),
                                       x[1]);
    ct_tensor *sum = ct_op_stack_sum(one, other);
    ct_tensor *places = ct_from_doubles(ct_context_of(x[0]), CT_I64, CT_SHAPE(2),
                                        (const double[]){0, 2});

    return ct_op_add(ct_op_stack_get(sum, i64(x[0], 2)), ct_op_stack_get(sum, places));
}

/* ---- Processes: one, alone in its group. */

static const ct_processes alone = {.replica_groups = {1, (const int64_t[]){0}}, .group_size = 1};

static ct_tensor *gathered_from_all(ct_tensor *const *x)
{
    ct_tensor *y[2];

    ct_op_all_gather(CT_ARGV(x[0], x[1]), 1, &alone, y);
    return ct_op_subtract(y[0], ct_op_add(y[1], y[1]));
}

static ct_tensor *reduced_over_all(ct_tensor *const *x)
{
    ct_tensor *y[2];

    ct_op_all_reduce(CT_ARGV(x[0], x[1]), adding(x[0]), CT_NO_TENSORS, &alone, y);
    return ct_op_subtract(y[0], ct_op_add(y[1], y[1]));
}

static ct_tensor *exchanged(ct_tensor *const *x)
{
    ct_tensor *y;

    ct_op_all_to_all(CT_ARGV(x[0]), 0, 1, 1, &alone, &y);
    return y;
}

LINEAR(broadcast_to_all, ct_op_collective_broadcast(x[0], &alone))
LINEAR(permuted, ct_op_add(ct_op_collective_permute(x[0], CT_DIMS(0, 0), 0, 0),
                           ct_op_collective_permute(x[1], CT_DIMS(), 0, 0)))
LINEAR(reduced_in_parts, ct_op_reduce_scatter(x[0], 1, adding(x[0]), CT_NO_TENSORS, &alone))

const law laws_of_bodies[] = {
    {"sort", sorted, 1, {{4, 3, -1}}, LAW_BOTH},
    {"select_and_scatter", selected, 2, {{3, 2, -1}, {-1}}, LAW_BOTH},
    {"map", mapped, 3, {{2, 3, -1}, {2, 3, -1}, {-1}}, LAW_BOTH},
    {"call", called, 2, {{2, 3, -1}, {2, 3, -1}}, LAW_BOTH},
    {"if", branched, 2, {{2, 3, -1}, {2, 3, -1}}, LAW_BOTH},
    {"case", chosen_of_many, 2, {{2, 3, -1}, {2, 3, -1}}, LAW_BOTH},
    {"while", repeated, 2, {{2, 3, -1}, {2, 3, -1}}, LAW_BOTH},
    {"for", counted, 2, {{2, 3, -1}, {2, 3, -1}}, LAW_BOTH},
    {"scan", scanned, 2, {{3, 2, -1}, {2, -1}}, LAW_BOTH},
    {"composite", composed, 2, {{2, 3, -1}, {2, 3, -1}}, LAW_BOTH},
    {"custom_rule", ruled, 2, {{2, 3, -1}, {2, 3, -1}}, LAW_BOTH},
    {"custom_rule, backward", ruled_backward, 2, {{2, 3, -1}, {2, 3, -1}}, LAW_BOTH},
    {"stack", stacked, 2, {{2, 3, -1}, {2, 3, -1}}, LAW_BOTH},
    {"all_gather", gathered_from_all, 2, {{2, 3, -1}, {2, 3, -1}}, LAW_BOTH},
    {"all_reduce", reduced_over_all, 2, {{2, 3, -1}, {2, 3, -1}}, LAW_BOTH},
    {"all_to_all", exchanged, 1, {{2, 3, -1}}, LAW_BOTH},
    {"collective_broadcast", broadcast_to_all, 1, {{2, 3, -1}}, LAW_BOTH},
    {"collective_permute", permuted, 2, {{2, 3, -1}, {2, 3, -1}}, LAW_BOTH},
    {"reduce_scatter", reduced_in_parts, 1, {{2, 3, -1}}, LAW_BOTH},
};
const size_t n_laws_of_bodies = sizeof laws_of_bodies / sizeof *laws_of_bodies;
