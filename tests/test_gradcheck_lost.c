/* Digits that a derivative program loses in its own dtypes, and reports for programs. The numbers
 * are by hand: (1 - cos x)/x² has the derivative -x/12 near 0, and both of its parts cancel there
 * to about 1 part in x². */
#include "tests/values.h"

#include <cotangent/cotangent.h>

#include <math.h>
#include <string.h>

static ct_tensor *cancelling(ct_tensor *x)
{
    return ct_div(ct_sub(1.0, ct_cos(x)), ct_square(x));
}

/* The first terms of its series, which lose nothing. */
static ct_tensor *stable(ct_tensor *x)
{
    return ct_sub(0.5, ct_div(ct_square(x), 24.0));
}

static ct_gradcheck_report *check(ct_context *ctx, ct_tensor *(*f)(ct_tensor *), ct_dtype dtype,
                                  const double *at, int64_t n)
{
    ct_tensor *x = ct_from_doubles(ctx, dtype, CT_SHAPE(n), at);
    return ct_gradcheck(ct_trace(ctx, f, CT_LIKE(x)), CT_ARGV(x), NULL);
}

static const ct_gradcheck_finding *first_ill(const ct_gradcheck_report *r)
{
    for (size_t i = 0; i < ct_gradcheck_findings(r); i++)
        if (ct_gradcheck_finding_at(r, i)->verdict == CT_GRADCHECK_ILL)
            return ct_gradcheck_finding_at(r, i);
    return NULL;
}

TEST(lost_digits)
{
    const double at[] = {1e-3, 1.5};
    ct_context *ctx = ct_context_new();

    if (!ct_has_oracle())
        SKIP("the library has no MPFR");
    ct_gradcheck_report *r = check(ctx, cancelling, CT_F32, at, 2);
    const ct_gradcheck_finding *f = first_ill(r);
    CHECK_OK(ctx);
    CHECK_MSG(f && ct_gradcheck_passed(r), "%s", ct_gradcheck_text(r));
    CHECK(f->kind == CT_GRADCHECK_DIFFERENCE && f->element.dim[0] == 0);
    CHECK(fabs(f->derivative + 1e-3 / 12) < 1e-9);
    CHECK(fabs(f->in_dtype - f->derivative) > 0.01); /* cos is off by 6e-8, times 2/x³ */
    CHECK(f->digits_lost > 6.5 && f->digits_lost < 7);
    CHECK_MSG(f->operation && strstr(f->place.file, "test_gradcheck_lost.c"), "%s",
              ct_gradcheck_text(r));
    CHECK(strstr(ct_gradcheck_text(r), "digits are lost; most of them by "));
    CHECK(ct_gradcheck_of(r, 1, 0, 0) == CT_GRADCHECK_ILL);
    CHECK(ct_gradcheck_of(r, 1, 0, 1) == CT_GRADCHECK_RIGHT);
    CHECK(ct_gradcheck_of(r, 1, 0, 2) == CT_GRADCHECK_VERDICTS);
    CHECK(ct_gradcheck_of(r, 2, 0, 0) == CT_GRADCHECK_VERDICTS);
    ct_context_free(ctx);
}

/* f64 has digits enough for x = 1e-3, and not for 1e-6. */
TEST(lost_digits_of_f64)
{
    const double near[] = {1e-3}, nearer[] = {1e-6};
    ct_context *ctx = ct_context_new();

    if (!ct_has_oracle())
        SKIP("the library has no MPFR");
    CHECK(!first_ill(check(ctx, stable, CT_F64, nearer, 1)));
    CHECK(!first_ill(check(ctx, stable, CT_F32, near, 1)));
    CHECK(first_ill(check(ctx, cancelling, CT_F64, nearer, 1)));
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

static const ct_gradcheck_finding *first_ill_of_order(const ct_gradcheck_report *r, int order,
                                                      ct_gradcheck_kind kind)
{
    for (size_t i = 0; i < ct_gradcheck_findings(r); i++) {
        const ct_gradcheck_finding *f = ct_gradcheck_finding_at(r, i);
        if (f->verdict == CT_GRADCHECK_ILL && f->order == order && f->kind == kind)
            return f;
    }
    return NULL;
}

static ct_gradcheck_report *check_twice(ct_context *ctx, ct_tensor *(*f)(ct_tensor *), double at)
{
    ct_tensor *x = ct_from_doubles(ctx, CT_F32, CT_SHAPE(1), &at);
    const ct_gradcheck_options options = {.size = sizeof options, .second_order = true};

    return ct_gradcheck(ct_trace(ctx, f, CT_LIKE(x)), CT_ARGV(x), &options);
}

/* The second derivative of (1 - cos x)/x² is -1/12 near 0. */
TEST(lost_digits_of_second_order)
{
    ct_context *ctx = ct_context_new();

    if (!ct_has_oracle())
        SKIP("the library has no MPFR");
    ct_gradcheck_report *r = check_twice(ctx, cancelling, 0x1p-10);
    const ct_gradcheck_finding *f = first_ill_of_order(r, 2, CT_GRADCHECK_DIFFERENCE);
    CHECK_OK(ctx);
    CHECK_MSG(f && ct_gradcheck_passed(r), "%s", ct_gradcheck_text(r));
    CHECK(fabs(f->derivative + 1.0 / 12) < 1e-6 && fabs(f->in_dtype - f->derivative) > 0.01);
    CHECK(f->digits_lost > 6 && f->operation && strstr(f->place.file, "test_gradcheck_lost.c"));
    CHECK(first_ill_of_order(r, 2, CT_GRADCHECK_ADJOINT));
    CHECK(ct_gradcheck_of(r, 2, 0, 0) == CT_GRADCHECK_ILL);
    CHECK(!first_ill(check_twice(ctx, stable, 0x1p-10)));
    ct_context_free(ctx);
}

static ct_tensor *softmax_sum(ct_tensor *x)
{
    return ct_sum(ct_softmax(x, CT_AXES(0)), CT_AXES(0), CT_DROP_AXES);
}

/* The sum is 1: its derivative is 0, and rounding noise beside it is no loss. */
TEST(zeros_lose_nothing)
{
    const double at[] = {0.3, -1.2, 2.5};
    ct_context *ctx = ct_context_new();
    ct_gradcheck_report *r = check(ctx, softmax_sum, CT_F32, at, 3);

    CHECK_MSG(ct_gradcheck_passed(r) && !first_ill(r), "%s", ct_gradcheck_text(r));
    ct_context_free(ctx);
}

/* (sqrt(x² + 10^6) - 10^3)², which at 1 loses more than 5 digits of f32, and at 300 keeps them. */
static ct_tensor *apart(ct_tensor *x)
{
    return ct_square(ct_sub(ct_sqrt(ct_add(ct_square(x), 1e6)), 1e3));
}

static ct_tensor *summed(ct_tensor *x)
{
    return ct_sum(apart(x), CT_AXES(0), CT_DROP_AXES);
}

/* Each derivative by its own digits, whatever is beside it. */
TEST(larger_neighbours_excuse_no_loss)
{
    const double at[] = {1, 300};
    ct_tensor *(*const f[])(ct_tensor *) = {apart, summed};
    ct_context *ctx = ct_context_new();

    if (!ct_has_oracle())
        SKIP("the library has no MPFR");
    for (size_t i = 0; i < 2; i++) {
        ct_gradcheck_report *r = check(ctx, f[i], CT_F32, at, 2);
        CHECK_MSG(ct_gradcheck_passed(r), "%s", ct_gradcheck_text(r));
        CHECK(ct_gradcheck_of(r, 1, 0, 0) == CT_GRADCHECK_ILL);
        CHECK(ct_gradcheck_of(r, 1, 0, 1) == CT_GRADCHECK_RIGHT);
        CHECK(first_ill(r) && first_ill(r)->digits_lost > 5);
    }
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* ---- Numbers. */

static ct_tensor *rational(ct_tensor *x)
{
    return ct_div(ct_mul(x, ct_square(x)), ct_add(1.0, ct_square(x)));
}

/* x^(2^16) has too many digits. */
static ct_tensor *long_power(ct_tensor *x)
{
    for (int i = 0; i < 16; i++)
        x = ct_square(x);
    return x;
}

static void check_numbers(ct_context *ctx, ct_tensor *(*f)(ct_tensor *), double at,
                          const char *numbers)
{
    ct_gradcheck_report *r = check(ctx, f, CT_F64, &at, 1);

    CHECK_OK(ctx);
    CHECK_MSG(ct_gradcheck_passed(r) && ct_gradcheck_count(r, CT_GRADCHECK_RIGHT) == 2, "%s",
              ct_gradcheck_text(r));
    CHECK_MSG(strstr(ct_gradcheck_json(r), numbers), "%s", ct_gradcheck_json(r));
}

TEST(quotients_where_they_do)
{
    ct_context *ctx = ct_context_new();

    if (!ct_has_oracle())
        SKIP("the library has no MPFR");
    check_numbers(ctx, rational, 0.3, "\"numbers\": \"rational\"");
    check_numbers(ctx, stable, 0.3, "\"numbers\": \"rational\"");
    check_numbers(ctx, long_power, 1.0001, "\"numbers\": \"mpfr:");
    check_numbers(ctx, cancelling, 1.5, "\"numbers\": \"mpfr:");
    ct_context_free(ctx);
}

/* ---- Functions of C know doubles alone: differences of Taylor's kind. */

static ct_status sine_in_c(void *user, ct_custom_call *call)
{
    const double *x = call->operand[0];
    double *y = call->result[0];

    (void)user;
    for (int64_t i = 0; i < ct_type_shape(call->operand_type[0]).dim[0]; i++)
        y[i] = sin(x[i]);
    return CT_OK;
}

static ct_tensor *sine(ct_tensor *x)
{
    ct_tensor *y = NULL;

    ct_op_custom_call(NULL, "sine_in_c", NULL, false, CT_ARGV(x), CT_LIKE(x), &y);
    return y;
}

static double rule_factor; /* 1 where the rule is right */

/* Of x, sin x and its cotangent. */
static void sine_back(void *user, ct_list p, ct_tensor **r)
{
    (void)user;
    r[0] = ct_mul(ct_mul(p.item[2], ct_cos(p.item[0])), rule_factor);
}

static ct_tensor *sine_with_rule(ct_tensor *x)
{
    return ct_custom_vjp_of(sine, sine_back, x);
}

TEST(functions_of_c)
{
    const double at[] = {0.4, -2};
    ct_context *ctx = ct_context_new();

    ct_register_custom_call(ctx, "sine_in_c", sine_in_c, NULL);
    rule_factor = 1;
    ct_gradcheck_report *r = check(ctx, sine_with_rule, CT_F64, at, 2);
    CHECK_OK(ctx);
    CHECK_MSG(ct_gradcheck_passed(r), "%s", ct_gradcheck_text(r));
    CHECK(strstr(ct_gradcheck_json(r), "\"numbers\": \"f64\""));
    rule_factor = 1.0001;
    r = check(ctx, sine_with_rule, CT_F64, at, 2);
    CHECK_MSG(ct_gradcheck_count(r, CT_GRADCHECK_WRONG) == 2, "%s", ct_gradcheck_text(r));
    ct_context_free(ctx);
}

/* ---- JSON. */

/* Quotes and brackets close, as far as that can be told without reading it. */
static bool is_closed(const char *text)
{
    int depth = 0;
    bool in_string = false;

    for (; *text; text++) {
        if (in_string && *text == '\\')
            text++;
        else if (*text == '"')
            in_string = !in_string;
        else if (!in_string)
            depth += (*text == '{' || *text == '[') - (*text == '}' || *text == ']');
    }
    return depth == 0 && !in_string;
}

static ct_tensor *kinked(ct_tensor *x)
{
    return ct_abs(x);
}

TEST(json)
{
    const double at[] = {0, 2};
    ct_context *ctx = ct_context_new();
    ct_tensor *x = ct_name(ct_from_doubles(ctx, CT_F64, CT_SHAPE(2), at), "a \"b\"\n");
    ct_gradcheck_report *r = ct_gradcheck(ct_trace(ctx, kinked, CT_LIKE(x)), CT_ARGV(x), NULL);
    const char *text = ct_gradcheck_json(r);

    CHECK_OK(ctx);
    CHECK_MSG(is_closed(text), "%s", text);
    CHECK(strstr(text, "{\"function\": \"kinked\", \"passed\": true, \"checks\": 6, "));
    CHECK(strstr(text, ct_has_oracle() ? "\"numbers\": \"rational\"" : "\"numbers\": \"f64\""));
    CHECK(strstr(text, "\"counts\": {\"right\": 5, \"wrong\": 0, \"kink\": 1, \"noisy\": 0, "));
    CHECK(strstr(text, "\"name\": \"a \\\"b\\\"\\u000a\", \"type\": \"f64[2]\", \"order\": 1"));
    CHECK(strstr(text, "\"verdicts\": [\"kink\", \"right\"]"));
    CHECK(strstr(text, "\"below\": -1, \"above\": 1, \"in_dtype\": null"));
    CHECK(strcmp(ct_gradcheck_json(NULL), "") == 0);
    ct_context_free(ctx);
}

static void lose_with_failures(ct_context *ctx)
{
    const double at[] = {1e-3};
    ct_gradcheck_json(check(ctx, cancelling, CT_F32, at, 1));
}

TEST(short_memory)
{
    CHECK_ALLOCATIONS(lose_with_failures);
}
