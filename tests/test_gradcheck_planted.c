/* Wrong rules, planted in a program: each is found, and told by its name. */
#include "tests/blamed.h"
#include "tests/values.h"

#include <cotangent/cotangent.h>

#include <string.h>

#define X p.item[0]
#define Y p.item[1]    /* the result of a function of one argument */
#define YBAR p.item[2] /* and its cotangent */
#define Y2 p.item[2]   /* of a function of two */
#define YBAR2 p.item[3]

static ct_tensor *ones(ct_tensor *x)
{
    return ct_add(ct_mul(x, 0.0), 1.0);
}

static ct_tensor *zeros(ct_tensor *x)
{
    return ct_mul(x, 0.0);
}

/* A function of one argument whose rule is wrong: `value` of x, `bar` of X, Y, YBAR. */
#define PLANT(name, value, bar)                                                                    \
    static ct_tensor *name(ct_tensor *x)                                                           \
    {                                                                                              \
        return value;                                                                              \
    }                                                                                              \
    static void name##_back(void *user, ct_list p, ct_tensor **r)                                  \
    {                                                                                              \
        (void)user;                                                                                \
        r[0] = bar;                                                                                \
    }                                                                                              \
    static ct_tensor *plant_##name(ct_tensor *x)                                                   \
    {                                                                                              \
        return ct_custom_vjp_of(name, name##_back, x);                                             \
    }

/* The same of two, x and another tensor of its shape. */
#define PLANT_TWO(name, value, bar_a, bar_b)                                                       \
    static ct_tensor *name(ct_tensor *a, ct_tensor *b)                                             \
    {                                                                                              \
        return value;                                                                              \
    }                                                                                              \
    static void name##_back(void *user, ct_list p, ct_tensor **r)                                  \
    {                                                                                              \
        (void)user;                                                                                \
        r[0] = bar_a;                                                                              \
        r[1] = bar_b;                                                                              \
    }                                                                                              \
    static ct_tensor *plant_##name(ct_tensor *x)                                                   \
    {                                                                                              \
        ct_tensor *other = ct_sub(ct_transpose(ct_cos(x), CT_AXES(1, 0)), 0.1);                    \
        return ct_custom_vjp_of(name, name##_back, x, other);                                      \
    }

/* By a rule for forward mode: `value` of x, `tangent` of X and its tangent Y. */
#define PLANT_FORWARD(name, value, tangent)                                                        \
    static ct_tensor *name(ct_tensor *x)                                                           \
    {                                                                                              \
        return value;                                                                              \
    }                                                                                              \
    static void name##_forward(void *user, ct_list p, ct_tensor **r)                               \
    {                                                                                              \
        (void)user;                                                                                \
        r[0] = name(X);                                                                            \
        r[1] = tangent;                                                                            \
    }                                                                                              \
    static ct_tensor *plant_##name(ct_tensor *x)                                                   \
    {                                                                                              \
        return ct_custom_jvp_of(name, name##_forward, x);                                          \
    }

/* ---- Signs, factors, formulas. */

PLANT(negated, ct_neg(x), YBAR)
PLANT(squared, ct_square(x), ct_mul(YBAR, X))
PLANT(sine, ct_sin(x), ct_neg(ct_mul(YBAR, ct_cos(X))))
PLANT(cosine, ct_cos(x), ct_mul(YBAR, ct_sin(X)))
PLANT(exponential, ct_exp(x), ct_mul(YBAR, X))
PLANT(logarithm, ct_log(x), ct_mul(YBAR, X))
PLANT(root, ct_sqrt(x), ct_div(YBAR, Y))
PLANT(one_over_root, ct_rsqrt(x), ct_mul(0.5, ct_mul(YBAR, ct_mul(Y, ct_square(Y)))))
PLANT(hyperbolic, ct_tanh(x), ct_mul(YBAR, ct_sub(1.0, Y)))
PLANT(sigmoid, ct_sigmoid(x), ct_mul(YBAR, ct_mul(Y, ct_add(1.0, Y))))
PLANT(reciprocal, ct_div(1.0, x), ct_neg(ct_div(YBAR, X)))
PLANT(cube, ct_mul(x, ct_square(x)), ct_mul(ct_mul(2.0, YBAR), ct_square(X)))
PLANT(size, ct_abs(ct_sub(x, 1.0)), YBAR)
PLANT(soft_plus, ct_log1p(ct_exp(x)), ct_mul(YBAR, ct_exp(X)))
PLANT(arc_tangent, ct_atan(x), ct_div(YBAR, ct_add(1.0, X)))
PLANT(error_function, ct_erf(x), ct_mul(YBAR, ct_exp(ct_neg(ct_square(X)))))
PLANT(nearly_right, ct_sin(x), ct_mul(YBAR, ct_mul(ct_cos(X), 1 + 1e-12)))
PLANT(forgotten_term, ct_mul(x, ct_exp(x)), ct_mul(YBAR, Y))
PLANT(power_of_five, ct_pow(x, 5.0), ct_mul(YBAR, ct_mul(5.0, ct_pow(X, 5.0))))
PLANT(norm, ct_sqrt(ct_sum(ct_square(x), CT_ALL_AXES, CT_DROP_AXES)), ct_mul(X, YBAR))

/* ---- Choices. */

PLANT(clamped, ct_clip(x, 0.8, 1.4), YBAR)
PLANT(rectified, ct_relu(ct_sub(x, 1.0)),
      ct_mul(YBAR, ct_add(ct_mul(ct_cast(ct_gt(X, 1.0), CT_F64), 0.9), 0.1)))
PLANT(chosen, ct_where(ct_gt(x, 1.1), ct_mul(x, 2.0), ct_mul(x, 3.0)),
      ct_mul(YBAR, ct_add(ct_cast(ct_gt(X, 1.1), CT_F64), 2.0)))
PLANT(largest, ct_max(x, CT_AXES(1), CT_KEEP_AXES), ct_mul(ones(X), YBAR))

/* ---- Axes, places and orders. */

PLANT(row_sums, ct_sum(x, CT_AXES(1), CT_KEEP_AXES),
      ct_mul(ones(X), ct_transpose(YBAR, CT_AXES(1, 0))))
PLANT(means, ct_mean(x, CT_AXES(0), CT_KEEP_AXES), ct_mul(ones(X), YBAR))
PLANT(repeated, ct_broadcast_to(ct_reshape(x, CT_SHAPE(1, 4, 4)), CT_SHAPE(3, 4, 4)),
      ct_reshape(ct_slice(YBAR, CT_SHAPE(0, 0, 0), CT_SHAPE(1, 4, 4), CT_SHAPE()), CT_SHAPE(4, 4)))
PLANT(turned, ct_transpose(ct_reshape(x, CT_SHAPE(2, 2, 4)), CT_AXES(2, 0, 1)),
      ct_reshape(ct_transpose(YBAR, CT_AXES(2, 0, 1)), CT_SHAPE(4, 4)))
PLANT(reshaped, ct_reshape(x, CT_SHAPE(2, 8)),
      ct_transpose(ct_reshape(YBAR, CT_SHAPE(4, 4)), CT_AXES(1, 0)))
PLANT(window, ct_slice(x, CT_SHAPE(1, 0), CT_SHAPE(3, 4), CT_SHAPE()),
      ct_concatenate(CT_ARGV(YBAR, ct_mul(YBAR, 0.0)), 0))
PLANT(flipped, ct_flip(x, CT_AXES(0)), YBAR)
PLANT(running_sum, ct_cumsum(x, 0, false), ct_cumsum(YBAR, 0, false))
PLANT(softmax, ct_softmax(x, CT_AXES(1)), ct_mul(Y, YBAR))
PLANT(log_sum, ct_logsumexp(x, CT_AXES(1), CT_KEEP_AXES), ct_mul(ct_exp(X), YBAR))
PLANT(differences,
      ct_sub(ct_slice(x, CT_SHAPE(1, 0), CT_SHAPE(4, 4), CT_SHAPE()),
             ct_slice(x, CT_SHAPE(0, 0), CT_SHAPE(3, 4), CT_SHAPE())),
      ct_sub(ct_concatenate(
                 CT_ARGV(YBAR, zeros(ct_slice(X, CT_SHAPE(0, 0), CT_SHAPE(1, 4), CT_SHAPE()))), 0),
             ct_concatenate(
                 CT_ARGV(zeros(ct_slice(X, CT_SHAPE(0, 0), CT_SHAPE(1, 4), CT_SHAPE())), YBAR), 0)))

/* ---- Two operands. */

PLANT_TWO(product, ct_mul(a, b), ct_mul(YBAR2, X), ct_mul(YBAR2, Y))
PLANT_TWO(ratio, ct_div(a, b), ct_div(YBAR2, Y), ct_div(ct_mul(YBAR2, Y2), Y))
PLANT_TWO(larger, ct_maximum(a, b), YBAR2, ct_mul(YBAR2, 0.0))
PLANT_TWO(matrices, ct_matmul(a, b), ct_matmul(YBAR2, Y),
          ct_matmul(ct_transpose(X, CT_AXES(1, 0)), YBAR2))
PLANT_TWO(matrices_too, ct_matmul(a, b), ct_matmul(YBAR2, ct_transpose(Y, CT_AXES(1, 0))),
          ct_transpose(ct_matmul(ct_transpose(X, CT_AXES(1, 0)), YBAR2), CT_AXES(1, 0)))
PLANT_TWO(joined, ct_concatenate(CT_ARGV(a, b), 0),
          ct_slice(YBAR2, CT_SHAPE(4, 0), CT_SHAPE(8, 4), CT_SHAPE()),
          ct_slice(YBAR2, CT_SHAPE(0, 0), CT_SHAPE(4, 4), CT_SHAPE()))
PLANT_TWO(hypotenuse, ct_sqrt(ct_add(ct_square(a), ct_square(b))), ct_mul(YBAR2, ct_div(X, Y2)),
          ct_mul(YBAR2, ct_div(X, Y2)))

/* ---- Forward rules. */

PLANT_FORWARD(forward_sine, ct_sin(x), ct_mul(Y, ct_sin(X)))
PLANT_FORWARD(forward_square, ct_square(x), ct_mul(Y, X))
PLANT_FORWARD(forward_sums, ct_cumsum(x, 1, false), ct_cumsum(Y, 0, false))

/* ---- A clamp that is forgotten: row 7 of 4 reads the last one; a scatter at 7 would be skipped.
 */

PLANT(forgotten_clamp, ct_take(x, ct_full(ct_context_of(x), CT_I32, CT_SHAPE(2), 7), 0, CT_CLAMP),
      ct_mul(X, 0.0))

#define ROW(name)                                                                                  \
    {                                                                                              \
#name, plant_##name                                                                        \
    }
static const struct {
    const char *name;
    ct_tensor *(*make)(ct_tensor *x);
} plants[] = {
    ROW(negated),      ROW(squared),         ROW(sine),          ROW(cosine),
    ROW(exponential),  ROW(logarithm),       ROW(root),          ROW(one_over_root),
    ROW(hyperbolic),   ROW(sigmoid),         ROW(reciprocal),    ROW(cube),
    ROW(size),         ROW(soft_plus),       ROW(arc_tangent),   ROW(error_function),
    ROW(nearly_right), ROW(forgotten_term),  ROW(power_of_five), ROW(norm),
    ROW(clamped),      ROW(rectified),       ROW(chosen),        ROW(largest),
    ROW(row_sums),     ROW(means),           ROW(repeated),      ROW(turned),
    ROW(reshaped),     ROW(window),          ROW(flipped),       ROW(running_sum),
    ROW(softmax),      ROW(log_sum),         ROW(differences),   ROW(product),
    ROW(ratio),        ROW(larger),          ROW(matrices),      ROW(matrices_too),
    ROW(joined),       ROW(hypotenuse),      ROW(forward_sine),  ROW(forward_square),
    ROW(forward_sums), ROW(forgotten_clamp),
};
enum { PLANTS = sizeof plants / sizeof *plants };

/* ---- Programs around them. */

static size_t planted; /* which */

static ct_tensor *ending(ct_tensor *y)
{
    return ct_sum(ct_mul(ct_sin(y), ct_add(y, 0.3)), CT_ALL_AXES, CT_DROP_AXES);
}

static ct_tensor *straight(ct_tensor *x)
{
    ct_tensor *z = ct_add(ct_mul(ct_tanh(x), 0.5), 0.9);
    return ending(plants[planted].make(z));
}

/* Twice through a loop, in whose body the rule stands. */
static void body(void *user, ct_tensor *i, ct_tensor **carry)
{
    (void)user, (void)i;
    ct_tensor *y = plants[planted].make(ct_add(ct_mul(ct_tanh(carry[0]), 0.5), 0.9));
    carry[0] = ct_mul(ct_add(carry[0], ct_mean(ct_sin(y), CT_ALL_AXES, CT_DROP_AXES)), 0.7);
}

static ct_tensor *looping(ct_tensor *x)
{
    ct_tensor *carry[] = {x};
    ct_for(body, NULL, ct_scalar(ct_context_of(x), CT_I64, 2), 1, carry);
    return ending(carry[0]);
}

static void check_found(ct_tensor *(*program)(ct_tensor *), int order)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = ct_random_uniform(ctx, ct_key_new(5), CT_F64, CT_SHAPE(4, 4), -1, 1);
    const ct_gradcheck_options options = {.size = sizeof options, .second_order = order > 1};
    ct_gradcheck_report *report = ct_gradcheck(ct_trace(ctx, program, CT_LIKE(x)), CT_ARGV(x),
                                               &options);
    const ct_gradcheck_finding *f = wrong_finding(report);

    CHECK_OK(ctx);
    CHECK_MSG(f != NULL, "%s: not found\n%s", plants[planted].name, ct_gradcheck_text(report));
    CHECK_MSG(f->operation && f->function && strcmp(f->function, plants[planted].name) == 0,
              "%s: %s of %s is blamed\n%s", plants[planted].name,
              f->operation ? f->operation : "nothing", f->function ? f->function : "nobody",
              ct_gradcheck_text(report));
    CHECK(strstr(f->place.file, "test_gradcheck_planted.c") != NULL);
    ct_context_free(ctx);
}

TEST(wrong_rules_are_found_and_named)
{
    if (!ct_has_oracle())
        SKIP("the library has no MPFR");
    for (planted = 0; planted < PLANTS; planted++)
        check_found(straight, 1);
    CHECK(PLANTS >= 40);
}

TEST(wrong_rules_in_loops_are_found_and_named)
{
    if (!ct_has_oracle())
        SKIP("the library has no MPFR");
    for (planted = 0; planted < PLANTS; planted += 5)
        check_found(looping, 1);
}

/* Without a rule nothing is wrong. */
static ct_tensor *honest(ct_tensor *x)
{
    return ending(ct_softmax(ct_add(ct_mul(ct_tanh(x), 0.5), 0.9), CT_AXES(1)));
}

TEST(nobody_is_blamed_for_what_is_right)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = ct_random_uniform(ctx, ct_key_new(5), CT_F64, CT_SHAPE(4, 4), -1, 1);
    ct_gradcheck_report *report = ct_gradcheck(ct_trace(ctx, honest, CT_LIKE(x)), CT_ARGV(x), NULL);

    CHECK(ct_gradcheck_passed(report) && !wrong_finding(report));
    ct_context_free(ctx);
}
