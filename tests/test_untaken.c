/* A branch that was not taken contributes zero, never NaN: forward and reverse, in every mixture of
 * them, up to the third order, and in part the fourth, by values and by tangents. Each program is
 * compared with the one that has only what is taken. */
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

/* ---- Functions that are never taken: where(false, g(x, y), 0), all of whose derivatives are 0 by
 * all their arguments and tangents. */

typedef ct_tensor *function_of_two(ct_tensor *x, ct_tensor *y);

static ct_tensor *x_log_x(ct_tensor *x, ct_tensor *y)
{
    (void)y;
    return ct_mul(x, ct_log(x));
}

static ct_tensor *exp_of_pole(ct_tensor *x, ct_tensor *y)
{
    (void)y;
    return ct_exp(ct_reciprocal(x));
}

static ct_tensor *three_infinities(ct_tensor *x, ct_tensor *y)
{
    (void)y;
    return ct_mul(ct_mul(ct_log(x), ct_sqrt(x)), ct_reciprocal(x));
}

static ct_tensor *tanh_of_pole(ct_tensor *x, ct_tensor *y)
{
    (void)y;
    return ct_tanh(ct_reciprocal(x));
}

static ct_tensor *tan_of_pole(ct_tensor *x, ct_tensor *y)
{
    (void)y;
    return ct_op_tan(ct_reciprocal(x));
}

static ct_tensor *exp_of_exp(ct_tensor *x, ct_tensor *y)
{
    (void)y;
    return ct_exp(ct_exp(x));
}

static ct_tensor *exp_cubed(ct_tensor *x, ct_tensor *y)
{
    (void)y;
    return ct_pow(ct_exp(x), 3);
}

static ct_tensor *exp_times_exp(ct_tensor *x, ct_tensor *y)
{
    return ct_mul(ct_exp(x), ct_exp(y));
}

static ct_tensor *quotient(ct_tensor *x, ct_tensor *y)
{
    return ct_div(x, y);
}

static ct_tensor *x_log_y(ct_tensor *x, ct_tensor *y)
{
    return ct_mul(x, ct_log(y));
}

static ct_tensor *power(ct_tensor *x, ct_tensor *y)
{
    return ct_op_power(x, y);
}

static ct_tensor *angle(ct_tensor *x, ct_tensor *y)
{
    return ct_op_atan2(x, y);
}

static ct_tensor *product_of_rows(ct_tensor *x, ct_tensor *y)
{
    ct_tensor *both[] = {ct_reshape(ct_log(x), CT_SHAPE(1)),
                         ct_reshape(ct_reciprocal(y), CT_SHAPE(1))};
    return ct_prod(ct_op_concatenate(((ct_list){2, both}), 0), CT_ALL_AXES, CT_DROP_AXES);
}

static ct_tensor *complex_logarithm(ct_tensor *x, ct_tensor *y)
{
    ct_tensor *z = ct_op_complex(x, y);
    return ct_op_real(ct_op_multiply(z, ct_op_log(z)));
}

static ct_tensor *complex_modulus(ct_tensor *x, ct_tensor *y)
{
    ct_tensor *z = ct_op_complex(x, y), *pole = ct_op_divide(ct_op_sign(z), z);
    return ct_add(ct_op_abs(ct_op_sqrt(z)), ct_op_imag(ct_op_tanh(pole)));
}

static ct_tensor *cumulative(ct_tensor *x, ct_tensor *y)
{
    ct_tensor *three[] = {ct_log(x), ct_reciprocal(y), ct_sqrt(x)};
    ct_tensor *all = ct_stack(((ct_list){3, three}), 0);
    return ct_sum(ct_add(ct_cumprod(all, 0, false), ct_softmax(all, CT_AXES(0))), CT_ALL_AXES,
                  CT_DROP_AXES);
}

typedef struct untaken {
    const char *name;
    function_of_two *g;
    double x, y;
} untaken;

static const untaken never[] = {
    {"x log x", x_log_x, 0, 1},
    {"exp(1/x)", exp_of_pole, 0, 1},
    {"log x sqrt x / x", three_infinities, 0, 1},
    {"tanh(1/x)", tanh_of_pole, 0, 1},
    {"tan(1/x)", tan_of_pole, 0, 1},
    {"exp(exp x)", exp_of_exp, 800, 1},
    {"exp(x)^3", exp_cubed, 800, 1},
    {"exp x exp y", exp_times_exp, 800, 800},
    {"x / y", quotient, 0, 0},
    {"x log y", x_log_y, 0, 0},
    {"x^y", power, 0, -1},
    {"x^y of a negative x", power, -1, 0.5},
    {"atan2(x, y)", angle, 0, 0},
    {"product", product_of_rows, 0, 0},
    {"z log z", complex_logarithm, 0, 0},
    {"|sqrt z| and tanh(sign z / z)", complex_modulus, 0, 0},
    {"cumprod and softmax", cumulative, 0, 0},
};

/* How the derivatives of a row are taken: the i-th is reverse where bit i of modes is set, and by
 * arguments[i] of what there is then. */
enum { BY_ALL, BY_FIRST, BY_OTHERS, WAYS };

typedef struct derivation {
    const untaken *row;
    int order;
    unsigned modes;
    int arguments[4];
    bool in_lanes;
} derivation;

static void guarded(void *user, ct_list parameters, ct_tensor **result)
{
    const untaken *r = user;
    ct_tensor *x = parameters.item[0], *y = parameters.item[1];
    result[0] = ct_where(ct_ne(x, r->x), r->g(x, y), 0);
}

typedef struct pair {
    const untaken *row;
    ct_tensor *x, *y;
} pair;

static ct_tensor *taken_nowhere(void *user)
{
    const pair *p = user;
    return p->row->g(p->x, p->y);
}

static ct_tensor *nothing(void *user)
{
    const pair *p = user;
    return ct_mul(p->x, 0);
}

static void guarded_by_if(void *user, ct_list parameters, ct_tensor **result)
{
    pair p = {user, parameters.item[0], parameters.item[1]};
    result[0] = ct_if(ct_ne(p.x, p.row->x), taken_nowhere, nothing, &p);
}

static ct_args arguments_of(int way, size_t n, int64_t *list)
{
    if (way == BY_ALL)
        return CT_ALL_ARGS;
    size_t count = way == BY_FIRST ? 1 : n - 1;
    for (size_t i = 0; i < count; i++)
        list[i] = (int64_t)i + (way == BY_OTHERS);
    return (ct_args){.count = count, .position = list};
}

static void check_untaken(ct_context *ctx, const derivation *d)
{
    const untaken *r = d->row;
    ct_shape shape = d->in_lanes ? CT_SHAPE(2) : CT_SHAPE();
    ct_tensor *x[64], *y[64];
    int64_t list[64];
    ct_scope scope = ct_scope_begin(ctx);
    ct_tensor *number = ct_scalar(ctx, CT_F64, 0);
    ct_function *f = ct_trace_many(ctx, d->in_lanes ? guarded_by_if : guarded, (void *)(uintptr_t)r,
                                   1, CT_LIKE(number, number));
    if (d->in_lanes)
        f = ct_vmap(f, 2, CT_AXES(0, 0), CT_AXES(0));
    for (int i = 0; i < d->order; i++) {
        ct_args wrt = arguments_of(d->arguments[i], ct_function_parameters(f), list);
        f = d->modes >> i & 1 ? ct_vjp(f, wrt) : ct_jvp(f, wrt);
    }
    size_t n_x = ct_function_parameters(f), n_y = ct_function_results(f);
    CHECK(n_x <= 64 && n_y <= 64);
    for (int signs = 0; signs < 2; signs++) {
        for (size_t i = 0; i < n_x; i++) {
            double value = i == 0 ? r->x : i == 1 ? r->y : signs && i % 3 == 0 ? -2 : 1;
            x[i] = ct_full(ctx, CT_F64, shape, value);
        }
        ct_apply(f, ((ct_list){n_x, x}), y, n_y);
        for (size_t i = 0; i < n_y; i++) {
            double value[2] = {0, 0};
            CHECK_MSG(ct_to_doubles(y[i], value, (size_t)ct_size(y[i])), "%s: %s", r->name,
                      ct_error_message(ctx));
            CHECK_MSG(value[0] == 0 && value[1] == 0,
                      "%s, order %d, modes %x, by %d %d %d %d, result %zu: %g %g", r->name,
                      d->order, d->modes, d->arguments[0], d->arguments[1], d->arguments[2],
                      d->arguments[3], i, value[0], value[1]);
        }
    }
    ct_scope_end(scope);
}

/* Every mixture of an order, by every choice of arguments on each level. */
static void check_never(int order, bool in_lanes)
{
    int choices = 1;
    for (int i = 0; i < order; i++)
        choices *= WAYS;
    for (size_t k = 0; k < sizeof never / sizeof *never; k++) {
        ct_context *ctx = ct_context_new();
        for (unsigned modes = 0; modes < 1u << order; modes++)
            for (int choice = 0; choice < choices; choice++) {
                derivation d = {&never[k], order, modes, {0}, in_lanes};
                for (int i = 0, rest = choice; i < order; i++, rest /= WAYS)
                    d.arguments[i] = rest % WAYS;
                check_untaken(ctx, &d);
            }
        ct_context_free(ctx);
    }
}

TEST(never_taken)
{
    for (int order = 0; order <= 3; order++)
        check_never(order, false);
}

TEST(never_taken_in_lanes)
{
    for (int order = 0; order <= 2; order++)
        check_never(order, true);
    for (size_t k = 0; k < sizeof never / sizeof *never; k++) {
        ct_context *ctx = ct_context_new();
        for (unsigned modes = 0; modes < 8; modes++)
            check_untaken(ctx, &(derivation){&never[k], 3, modes, {0}, true});
        ct_context_free(ctx);
    }
}

/* By all arguments on every level, and by those of f alone. */
TEST(never_taken_in_fourth_order)
{
    for (size_t k = 0; k < sizeof never / sizeof *never; k++) {
        ct_context *ctx = ct_context_new();
        for (unsigned modes = 0; modes < 16; modes++) {
            check_untaken(ctx, &(derivation){&never[k], 4, modes, {0}, false});
            check_untaken(
                ctx,
                &(derivation){&never[k], 4, modes, {BY_ALL, BY_FIRST, BY_ALL, BY_FIRST}, false});
        }
        ct_context_free(ctx);
    }
}
