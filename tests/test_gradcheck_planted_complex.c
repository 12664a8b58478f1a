/* Wrong rules on complex values: each is told by its name and place. */
#include "tests/blamed.h"
#include "tests/values.h"

#include <cotangent/cotangent.h>

#define X p.item[0]
#define Y p.item[1]    /* the result of a function of one argument, or the tangent of it */
#define YBAR p.item[2] /* and its cotangent */

/* What is to be found where. */
typedef struct plant {
    const char *name;
    ct_tensor *(*make)(ct_tensor *x);
    ct_place place;
} plant;

static const plant *planted;

static ct_tensor *all(ct_tensor *x)
{
    return ct_sum(x, CT_ALL_AXES, CT_DROP_AXES);
}

static ct_tensor *conjugate(ct_tensor *z)
{
    return ct_op_complex(ct_op_real(z), ct_neg(ct_op_imag(z)));
}

static ct_tensor *complex_of(ct_tensor *re)
{
    return ct_op_complex(re, ct_mul(re, 0.0));
}

/* z / |z| */
static ct_tensor *unit(ct_tensor *z)
{
    return ct_div(z, complex_of(ct_abs(z)));
}

#define PLANTED(name)                                                                              \
    static const plant the_##name = {#name, plant_##name, {__FILE__, __LINE__, 0}};

/* A function whose rule is wrong: `value` of x, `bar` of X, Y, YBAR. */
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
    }                                                                                              \
    PLANTED(name)

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
    }                                                                                              \
    PLANTED(name)

/* ---- Complex values. */

PLANT(wrong_factor, ct_mul(x, x), ct_mul(YBAR, ct_mul(X, 3.0)))
PLANT(conjugate_too_many, ct_mul(x, x), ct_mul(YBAR, ct_mul(conjugate(X), 2.0)))
PLANT(conjugate_forgotten, conjugate(x), YBAR)
PLANT(exponential, ct_exp(x), ct_mul(YBAR, X))
PLANT(imaginary_lost, ct_mul(x, ct_exp(x)), complex_of(ct_op_real(YBAR)))
PLANT(magnitude, complex_of(ct_abs(x)), ct_mul(complex_of(ct_op_real(YBAR)), unit(X)))
PLANT(reciprocal, ct_div(complex_of(ct_add(ct_mul(ct_op_real(x), 0.0), 1.0)), x),
      ct_neg(ct_mul(YBAR, Y)))
PLANT_FORWARD(forward_factor, ct_mul(x, x), ct_mul(Y, ct_mul(X, 3.0)))
PLANT_FORWARD(forward_conjugate, ct_exp(x), ct_mul(Y, ct_exp(conjugate(X))))
PLANT_FORWARD(forward_magnitude, complex_of(ct_abs(x)), ct_mul(Y, unit(X)))

static const plant *const complex_plants[] = {
    &the_wrong_factor,      &the_conjugate_too_many, &the_conjugate_forgotten, &the_exponential,
    &the_imaginary_lost,    &the_magnitude,          &the_reciprocal,          &the_forward_factor,
    &the_forward_conjugate, &the_forward_magnitude,
};
enum { COMPLEX_PLANTS = sizeof complex_plants / sizeof *complex_plants };

/* Programs around them: of a complex argument, alone and between other operations; */
static ct_tensor *alone(ct_tensor *z)
{
    ct_tensor *y = planted->make(z);
    return all(ct_sub(ct_op_real(y), ct_op_imag(y)));
}

static ct_tensor *between(ct_tensor *z)
{
    return all(ct_abs(ct_add(ct_sin(planted->make(ct_exp(z))), z)));
}

/* whose result is complex; */
static ct_tensor *of_complex_result(ct_tensor *z)
{
    return planted->make(ct_sin(z));
}

/* in a loop that carries complex values; */
static void body(void *user, ct_tensor *i, ct_tensor **carry)
{
    (void)user, (void)i;
    carry[0] = ct_mul(ct_sin(planted->make(carry[0])), 0.5);
}

static ct_tensor *looping(ct_tensor *z)
{
    ct_tensor *carry[] = {z};
    ct_for(body, NULL, ct_scalar(ct_context_of(z), CT_I64, 2), 1, carry);
    return all(ct_op_real(ct_exp(carry[0])));
}

/* and of a real argument, complex inside. */
static ct_tensor *inside(ct_tensor *x)
{
    return all(ct_abs(ct_mul(planted->make(ct_op_complex(x, ct_exp(x))), 2.0)));
}

static void check_named(ct_tensor *(*program)(ct_tensor *), ct_tensor *x, bool in_f64)
{
    const ct_gradcheck_options options = {.size = sizeof options, .in_f64 = in_f64};
    ct_gradcheck_report *report = ct_gradcheck(ct_trace(ct_context_of(x), program, CT_LIKE(x)),
                                               CT_ARGV(x), &options);

    CHECK_OK(ct_context_of(x));
    check_blamed(report, "custom_rule", planted->name, planted->place);
}

static ct_tensor *complex_numbers(ct_context *ctx, ct_dtype dtype)
{
    return ct_cast(ct_op_complex(given(ctx, CT_F64, CT_SHAPE(3), {0.75, -0.5, -1.25}),
                                 given(ctx, CT_F64, CT_SHAPE(3), {-1.25, 2, 0.375})),
                   dtype);
}

static void check_complex(bool in_f64)
{
    static const ct_dtype dtype[] = {CT_C128, CT_C64};
    ct_context *ctx = ct_context_new();
    ct_tensor *x = given(ctx, CT_F64, CT_SHAPE(2), {1, -0.5});

    for (size_t k = 0; k < 2; k++) {
        ct_tensor *z = complex_numbers(ctx, dtype[k]);
        for (size_t i = 0; i < COMPLEX_PLANTS; i++) {
            planted = complex_plants[i];
            check_named(alone, z, in_f64);
            check_named(between, z, in_f64);
            check_named(of_complex_result, z, in_f64);
            check_named(looping, z, in_f64);
            check_named(inside, k == 0 ? x : ct_cast(x, CT_F32), in_f64);
        }
    }
    ct_context_free(ctx);
}

TEST(wrong_rules_on_complex_values_are_named)
{
    if (!ct_has_oracle())
        SKIP("the library has no MPFR");
    check_complex(false);
}

TEST(wrong_rules_on_complex_values_are_named_in_f64)
{
    check_complex(true);
}
