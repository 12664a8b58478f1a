/* A branch that was not taken contributes zero, never NaN: forward and reverse, in every mixture of
 * them, up to the third order. Each program is compared with the one that has only what is taken.
 */
#include "tests/values.h"

#include <cotangent/cotangent.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- What is taken, and what has no finite slope there. */

/* x³ + x */
static ct_tensor *cubic(ct_tensor *x)
{
    return ct_add(ct_mul(ct_square(x), x), x);
}

static ct_tensor *root(ct_tensor *x)
{
    return ct_sqrt(x);
}

/* 1/x + log x + sqrt x + x^-2: at 0 each slope is infinite, and their sum NaN. */
static ct_tensor *poles(ct_tensor *x)
{
    ct_tensor *sum = ct_add(ct_reciprocal(x), ct_log(x));
    return ct_add(sum, ct_add(ct_sqrt(x), ct_pow(x, -2)));
}

static ct_tensor *branch_cubic(void *user)
{
    return cubic(user);
}

static ct_tensor *branch_poles(void *user)
{
    return poles(user);
}

static ct_tensor *branch_root(void *user)
{
    return root(user);
}

static ct_tensor *is_positive(ct_tensor *x)
{
    return ct_gt(x, 0);
}

/* ---- Choices, at x = 0. */

static ct_tensor *by_if(ct_tensor *x)
{
    return ct_if(is_positive(x), branch_poles, branch_cubic, x);
}

static ct_tensor *by_else(ct_tensor *x)
{
    return ct_if(ct_le(x, 0), branch_cubic, branch_poles, x);
}

static ct_tensor *by_case(ct_tensor *x)
{
    ct_branch *const branches[] = {branch_poles, branch_cubic, branch_root};
    return ct_case(ct_add(ct_cast(x, CT_I32), 1), 3, branches, x);
}

static ct_tensor *by_select(ct_tensor *x)
{
    return ct_where(is_positive(x), poles(x), cubic(x));
}

static ct_tensor *by_guard(ct_tensor *x)
{
    return ct_add(cubic(x), ct_where(is_positive(x), poles(x), 0));
}

static ct_tensor *by_double_guard(ct_tensor *x)
{
    ct_tensor *safe = ct_where(is_positive(x), x, 1);
    return ct_add(cubic(x), ct_where(is_positive(x), poles(safe), 0));
}

/* An if in an if, and a select of what one gives. */
static ct_tensor *nested_otherwise(void *user)
{
    return ct_where(is_positive(user), poles(user), by_if(user));
}

static ct_tensor *by_nesting(ct_tensor *x)
{
    return ct_if(is_positive(x), branch_poles, nested_otherwise, x);
}

/* ---- Loops that do not run, or stop before a pole. */

/* x -> x > 1 */
static ct_function *above_one(ct_context *ctx)
{
    ct_trace_builder *b = ct_trace_begin(ctx, "above_one",
                                         CT_LIKE(ct_spec(ctx, CT_F64, CT_SHAPE())));
    return ct_trace_end(b, CT_ARGV(ct_gt(ct_trace_parameter(b, 0), 1)));
}

/* x -> sqrt(x - 1), whose slope at 1, where the loop stops, is infinite. */
static ct_tensor *lower(ct_tensor *x)
{
    return ct_sqrt(ct_sub(x, 1));
}

static ct_tensor *by_while(ct_tensor *x)
{
    ct_context *ctx = ct_context_of(x);
    ct_function *body = ct_trace(ctx, lower, CT_LIKE(ct_spec(ctx, CT_F64, CT_SHAPE())));
    ct_tensor *y;
    ct_op_while(CT_ARGV(x), CT_NO_TENSORS, above_one(ctx), body, &y);
    return cubic(y);
}

static ct_tensor *lowered_twice(ct_tensor *x)
{
    return cubic(lower(lower(x)));
}

/* A loop of no iterations. */
static ct_tensor *by_scan(ct_tensor *x)
{
    ct_context *ctx = ct_context_of(x);
    ct_function *body = ct_trace(ctx, poles, CT_LIKE(ct_spec(ctx, CT_F64, CT_SHAPE())));
    ct_tensor *y;
    ct_op_scan(INT64_C(0), CT_ARGV(x), CT_NO_TENSORS, CT_NO_TENSORS, false, body, &y, 1);
    return cubic(y);
}

/* ---- Recomputed. */

static ct_tensor *checkpointed(ct_tensor *x, ct_tensor *(*code)(ct_tensor *))
{
    ct_context *ctx = ct_context_of(x);
    ct_function *f = ct_trace(ctx, code, CT_LIKE(ct_spec(ctx, CT_F64, CT_SHAPE())));
    return ct_apply1(ct_checkpoint(f, NULL), CT_ARGV(x));
}

static ct_tensor *by_checkpointed_if(ct_tensor *x)
{
    return checkpointed(x, by_if);
}

static ct_tensor *by_checkpointed_select(ct_tensor *x)
{
    return checkpointed(x, by_select);
}

static ct_tensor *by_checkpointed_while(ct_tensor *x)
{
    return checkpointed(x, by_while);
}

/* ---- Lanes that choose differently: x = (0, 4, -2) and (1, 5, 0.5). */

static ct_tensor *if_in_lanes(ct_tensor *x)
{
    return ct_vmap_of(ct_context_of(x), by_if, CT_AXES(0), 0, x);
}

static ct_tensor *select_in_lanes(ct_tensor *x)
{
    return ct_vmap_of(ct_context_of(x), by_select, CT_AXES(0), 0, x);
}

static ct_tensor *case_in_lanes(ct_tensor *x)
{
    return ct_vmap_of(ct_context_of(x), by_case, CT_AXES(0), 0, x);
}

static ct_tensor *while_in_lanes(ct_tensor *x)
{
    return ct_vmap_of(ct_context_of(x), by_while, CT_AXES(0), 0, x);
}

static ct_tensor *checkpointed_in_lanes(ct_tensor *x)
{
    return ct_vmap_of(ct_context_of(x), by_checkpointed_if, CT_AXES(0), 0, x);
}

/* Each lane by what it takes. */
static ct_tensor *apart(ct_tensor *x, ct_tensor *(*const lane[3])(ct_tensor *))
{
    ct_tensor *y[3];
    for (int64_t i = 0; i < 3; i++) {
        ct_tensor *one = ct_op_slice(x, CT_DIMS(i), CT_DIMS(i + 1), CT_DIMS(1));
        y[i] = lane[i](one);
    }
    return ct_op_concatenate(((ct_list){3, y}), 0);
}

static ct_tensor *lanes_of_if(ct_tensor *x)
{
    return apart(x, (ct_tensor * (*const[])(ct_tensor *)){cubic, poles, cubic});
}

/* trunc(x) + 1 is 1, 5 and -1: beyond either end it is the last one. */
static ct_tensor *lanes_of_case(ct_tensor *x)
{
    return apart(x, (ct_tensor * (*const[])(ct_tensor *)){cubic, root, cubic});
}

static ct_tensor *lanes_of_while(ct_tensor *x)
{
    return apart(x, (ct_tensor * (*const[])(ct_tensor *)){cubic, lowered_twice, cubic});
}

/* ---- Derivatives. */

typedef ct_tensor *program(ct_tensor *x);

typedef struct row {
    const char *name;
    program *chosen, *plain;
    size_t count; /* 0: a scalar, the first of x */
    double x[3];
} row;

static const row rows[] = {
    {"if", by_if, cubic, 0, {0}},
    {"else", by_else, cubic, 0, {0}},
    {"case", by_case, cubic, 0, {0}},
    {"select", by_select, cubic, 0, {0}},
    {"guard", by_guard, cubic, 0, {0}},
    {"double guard", by_double_guard, cubic, 0, {0}},
    {"nested", by_nesting, cubic, 0, {0}},
    {"while that does not run", by_while, cubic, 0, {1}},
    {"while that stops at a pole", by_while, lowered_twice, 0, {5}},
    {"scan of nothing", by_scan, cubic, 0, {0}},
    {"checkpointed if", by_checkpointed_if, cubic, 0, {0}},
    {"checkpointed select", by_checkpointed_select, cubic, 0, {0}},
    {"checkpointed while", by_checkpointed_while, cubic, 0, {1}},
    {"if in lanes", if_in_lanes, lanes_of_if, 3, {0, 4, -2}},
    {"select in lanes", select_in_lanes, lanes_of_if, 3, {0, 4, -2}},
    {"case in lanes", case_in_lanes, lanes_of_case, 3, {0, 4, 0}},
    {"while in lanes", while_in_lanes, lanes_of_while, 3, {1, 5, 0.5}},
    {"checkpointed if in lanes", checkpointed_in_lanes, lanes_of_if, 3, {0, 4, -2}},
};

typedef struct derived {
    size_t count;
    double value[64];
} derived;

static void run_program(void *user, ct_list parameters, ct_tensor **result)
{
    result[0] = (*(program **)user)(parameters.item[0]);
}

/* f with `order` derivatives in its first argument: bit i of `modes` says whether the i-th is
 * reverse. All tangents and cotangents are 2, -3, … */
static derived derive(ct_context *ctx, const row *r, program *p, int order, unsigned modes)
{
    ct_shape shape = {r->count > 0, (const int64_t[]){(int64_t)r->count}};
    ct_tensor *x[8] = {ct_from_doubles(ctx, CT_F64, shape, r->x)}, *y[16];
    ct_function *f = ct_trace_many(ctx, run_program, &p, 1, CT_LIKE(x[0]));
    derived d = {0, {0}};

    for (int i = 0; i < order; i++)
        f = modes >> i & 1 ? ct_vjp(f, CT_ARGS(0)) : ct_jvp(f, CT_ARGS(0));
    CHECK_MSG(!ct_failed(ctx), "%s: %s", r->name, ct_error_message(ctx));
    size_t n_x = ct_function_parameters(f), n_y = ct_function_results(f);
    for (size_t i = 1; i < n_x; i++)
        x[i] = ct_from_doubles(ctx, CT_F64, shape,
                               i % 2 ? (const double[]){2, -3, 4} : (const double[]){-1, 5, 0.5});
    ct_apply(f, ((ct_list){n_x, x}), y, n_y);
    for (size_t i = 0; i < n_y; i++) {
        size_t n = (size_t)ct_size(y[i]);
        CHECK_MSG(ct_to_doubles(y[i], d.value + d.count, n), "%s: %s", r->name,
                  ct_error_message(ctx));
        d.count += n;
    }
    return d;
}

static void compare(const row *r, int order, unsigned modes)
{
    ct_context *ctx = ct_context_new();
    derived found = derive(ctx, r, r->chosen, order, modes);
    derived expected = derive(ctx, r, r->plain, order, modes);

    CHECK_MSG(found.count == expected.count && found.count > 0, "%s", r->name);
    for (size_t i = 0; i < found.count; i++)
        CHECK_MSG(isfinite(expected.value[i]) && fabs(found.value[i] - expected.value[i]) <=
                                                     1e-12 * (1 + fabs(expected.value[i])),
                  "%s, order %d, modes %x, number %zu: found %g, expected %g", r->name, order,
                  modes, i, found.value[i], expected.value[i]);
    ct_context_free(ctx);
}

static void check_order(int order)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (unsigned modes = 0; modes < 1u << order; modes++)
            compare(&rows[i], order, modes);
}

TEST(values)
{
    check_order(0);
}

TEST(first_order)
{
    check_order(1);
}

TEST(second_order)
{
    check_order(2);
}

TEST(third_order)
{
    check_order(3);
}
