/* Gradient checking: jumps, elements of very different sizes, Hessians, and NaN. */
#include "tests/clipped.h"
#include "tests/values.h"

#include <cotangent/cotangent.h>

#include <math.h>
#include <string.h>

#define OPTIONS(...)                                                                               \
    (&(const ct_gradcheck_options){.size = sizeof(ct_gradcheck_options), __VA_ARGS__})
#define ALL_RIGHT(report) all_right(__LINE__, report)

static size_t total(const ct_gradcheck_report *report)
{
    size_t sum = 0;
    for (int v = 0; v < CT_GRADCHECK_VERDICTS; v++)
        sum += ct_gradcheck_count(report, (ct_gradcheck_verdict)v);
    return sum;
}

/* There are checks, and all are right. */
static void all_right(int line, const ct_gradcheck_report *report)
{
    size_t right = ct_gradcheck_count(report, CT_GRADCHECK_RIGHT);
    if (right == 0 || right != total(report) || !ct_gradcheck_passed(report))
        check_fail(__FILE__, line, "%s", ct_gradcheck_text(report));
}

/* The finding of one input element and result element; fails when it is not listed. */
static const ct_gradcheck_finding *find(const ct_gradcheck_report *report, size_t input,
                                        int64_t element, int64_t result_element)
{
    for (size_t i = 0; i < ct_gradcheck_findings(report); i++) {
        const ct_gradcheck_finding *f = ct_gradcheck_finding_at(report, i);
        if (f->kind == CT_GRADCHECK_DIFFERENCE && f->order == 1 && f->input == input &&
            (f->element.count == 0 || f->element.dim[0] == element) &&
            (f->result_element.count == 0 || f->result_element.dim[0] == result_element))
            return f;
    }
    check_fail(__FILE__, __LINE__, "input %zu at %d is not listed:\n%s", input, (int)element,
               ct_gradcheck_text(report));
    return NULL;
}

static bool is_near(double x, double y, double bound)
{
    return fabs(x - y) <= bound;
}

/* ---- Jumps. */

typedef ct_tensor *unary(ct_tensor *x);

static ct_gradcheck_report *check_at(ct_context *ctx, unary *f, const double *x, int64_t n)
{
    ct_tensor *at = ct_from_doubles(ctx, CT_F64, CT_SHAPE(n), x);
    return ct_gradcheck(ct_trace(ctx, f, CT_LIKE(at)), CT_ARGV(at), OPTIONS(.list_right = true));
}

static ct_tensor *absolute(ct_tensor *x)
{
    return ct_abs(x);
}

static ct_tensor *root(ct_tensor *x)
{
    return ct_sqrt(x);
}

static ct_tensor *sum_of_stairs(ct_tensor *x)
{
    return ct_sum(ct_floor(x), CT_ALL_AXES, CT_DROP_AXES);
}

static ct_tensor *lifted(ct_tensor *x) /* x up to 0, x + 1 above */
{
    return ct_where(ct_gt(x, 0), ct_add(x, 1), x);
}

static ct_tensor *spike(ct_tensor *x) /* 1 at 0 alone */
{
    return ct_where(ct_eq(x, 0), ct_add(ct_mul(x, 0), 1), ct_mul(x, 0));
}

static void check_jump(ct_gradcheck_report *r, int64_t element)
{
    const ct_gradcheck_finding *f = find(r, 0, element, element);
    CHECK_MSG(f->verdict == CT_GRADCHECK_JUMP && isnan(f->estimate) && isnan(f->below) &&
                  strcmp(f->note, "the function jumps here") == 0 && !ct_gradcheck_passed(r),
              "%s", ct_gradcheck_text(r));
    CHECK(strstr(ct_gradcheck_text(r), "jump: no derivative"));
}

/* Jumps read the same, whether or not another element is at its own jump. */
TEST(jumps)
{
    ct_context *ctx = ct_context_new();
    ct_gradcheck_report *r = check_at(ctx, sum_of_stairs, (double[]){1, 2, 0.5, 0, -3}, 5);
    CHECK_MSG(ct_gradcheck_count(r, CT_GRADCHECK_JUMP) == 4, "%s", ct_gradcheck_text(r));
    for (int64_t i = 0; i < 5; i++)
        if (i != 2)
            check_jump(r, i);
    check_jump(check_at(ctx, sum_of_stairs, (double[]){2}, 1), 0);
    check_jump(check_at(ctx, lifted, (double[]){0, 2}, 2), 0);
    check_jump(check_at(ctx, spike, (double[]){0, 2}, 2), 0);
    r = check_at(ctx, lifted, (double[]){1, -1, 0.25}, 3);
    CHECK_MSG(ct_gradcheck_passed(r), "%s", ct_gradcheck_text(r));
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* ---- Elements that are tiny beside the others, or all tiny. */

static ct_tensor *sum_of_sines(ct_tensor *x)
{
    return ct_sum(ct_sin(x), CT_ALL_AXES, CT_DROP_AXES);
}

static ct_tensor *sum_of_logs(ct_tensor *x)
{
    return ct_sum(ct_log(x), CT_ALL_AXES, CT_DROP_AXES);
}

static ct_tensor *magnified(ct_tensor *x)
{
    return ct_sin(ct_mul(x, 1e30));
}

static ct_tensor *cosines(ct_tensor *x)
{
    return ct_cos(x);
}

static ct_tensor *nearly_cosines(ct_tensor *x)
{
    return ct_mul(ct_cos(x), 1.001);
}

TEST(tiny_elements)
{
    ct_context *ctx = ct_context_new();
    static const double tiny[] = {1e-30, -1e-100, 0, 5e-324, 1e-17, 1e-14};
    for (size_t i = 0; i < sizeof tiny / sizeof *tiny; i++) {
        ct_tensor *x = given(ctx, CT_F64, CT_SHAPE(3), {1, tiny[i], -2});
        ct_function *f = ct_trace(ctx, sum_of_sines, CT_LIKE(x));
        ALL_RIGHT(ct_gradcheck(f, CT_ARGV(x), OPTIONS(.second_order = true)));
        ALL_RIGHT(ct_gradcheck_against(f, ct_trace(ctx, cosines, CT_LIKE(x)), CT_ARGV(x), NULL));
        ct_gradcheck_report *r = ct_gradcheck_against(f, ct_trace(ctx, nearly_cosines, CT_LIKE(x)),
                                                      CT_ARGV(x), NULL);
        CHECK_MSG(ct_gradcheck_count(r, CT_GRADCHECK_WRONG) == 3, "%s", ct_gradcheck_text(r));
    }
    ALL_RIGHT(check_at(ctx, sum_of_logs, (double[]){1, 1e-30, 2, 1e-100}, 4));
    ALL_RIGHT(check_at(ctx, sum_of_logs, (double[]){1e-30, 3e-28}, 2));
    ALL_RIGHT(check_at(ctx, magnified, (double[]){1e-30, 3e-30, -2e-31}, 3));
    ALL_RIGHT(check_at(ctx, absolute, (double[]){1e-30, 1, -1e-100}, 3));
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* ---- Second order. */

static ct_tensor *cubed(ct_tensor *x)
{
    return ct_mul(x, ct_square(x));
}

static ct_tensor *signed_square(ct_tensor *x)
{
    return ct_mul(x, ct_abs(x));
}

static const ct_gradcheck_finding *second_order_of(const ct_gradcheck_report *r)
{
    for (size_t i = 0; i < ct_gradcheck_findings(r); i++) {
        const ct_gradcheck_finding *f = ct_gradcheck_finding_at(r, i);
        if (f->order == 2 && f->kind == CT_GRADCHECK_DIFFERENCE)
            return f;
    }
    check_fail(__FILE__, __LINE__, "no second order:\n%s", ct_gradcheck_text(r));
    return NULL;
}

/* Of a single number they are the Hessian's; of more, those of a weighted sum, as the text says. */
TEST(second_order_numbers)
{
    ct_context *ctx = ct_context_new();
    const ct_gradcheck_options *twice = OPTIONS(.second_order = true, .list_right = true);
    ct_tensor *one = ct_scalar(ctx, CT_F64, 1), *zero = ct_scalar(ctx, CT_F64, 0);
    ct_gradcheck_report *r = ct_gradcheck(ct_trace(ctx, cubed, CT_LIKE(one)), CT_ARGV(one), twice);
    CHECK(is_near(second_order_of(r)->derivative, 6, 1e-12));
    CHECK(is_near(second_order_of(r)->estimate, 6, 1e-8));
    CHECK(!strstr(ct_gradcheck_text(r), "of <ybar, f>"));
    r = ct_gradcheck(ct_trace(ctx, signed_square, CT_LIKE(zero)), CT_ARGV(zero), twice);
    const ct_gradcheck_finding *f = second_order_of(r);
    CHECK_MSG(f->verdict == CT_GRADCHECK_KINK && is_near(f->below, -2, 1e-6) &&
                  is_near(f->above, 2, 1e-6),
              "%s", ct_gradcheck_text(r));
    ct_tensor *two = given(ctx, CT_F64, CT_SHAPE(2), {1, 2});
    r = ct_gradcheck(ct_trace(ctx, cubed, CT_LIKE(two)), CT_ARGV(two), twice);
    ALL_RIGHT(r);
    CHECK(strstr(ct_gradcheck_text(r), "2 elements, second order of <ybar, f>: "));
    CHECK(strstr(ct_gradcheck_text(r), "gradient of <ybar, f> by input 0"));
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

TEST(identities_of_nan_are_not_right)
{
    ct_context *ctx = ct_context_new();
    ct_gradcheck_report *r = check_at(ctx, sum_of_sines, (double[]){NAN}, 1);
    CHECK_MSG(ct_gradcheck_count(r, CT_GRADCHECK_RIGHT) == 0 &&
                  ct_gradcheck_count(r, CT_GRADCHECK_UNDEFINED) == 2,
              "%s", ct_gradcheck_text(r));
    CHECK(strstr(ct_gradcheck_text(r), "forward and reverse are not finite"));
    /* the same infinity on both sides is right: d sqrt at 0 */
    ALL_RIGHT(check_at(ctx, root, (double[]){0}, 1));
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* ---- A rule for reverse mode that clips: there is no forward derivative. */

/* clipped_cube(x[2]), where 2 is out of range. */
static ct_tensor *clipped_beyond(ct_tensor *x)
{
    ct_tensor *at = ct_scalar(ct_context_of(x), CT_I32, 2);
    return clipped_cube(ct_take(x, at, 0, CT_CLAMP));
}

TEST(rules_for_reverse_mode_that_are_not_linear)
{
    ct_context *ctx = ct_context_new();
    const double x[] = {1, 2, -0.5};
    ct_gradcheck_report *report = check_at(ctx, clipped_cube, x, 3);
    CHECK_OK(ctx);
    CHECK_MSG(
        strstr(ct_gradcheck_text(report),
               ct_has_oracle()
                   ? "f: 9 checks of its reverse derivative in exact quotients: 8 right, 1 wrong"
                   : "f: 9 checks of its reverse derivative in f64: 8 right, 1 wrong"),
        "%s", ct_gradcheck_text(report));
    const ct_gradcheck_finding *f = find(report, 0, 1, 1);
    CHECK(f && f->verdict == CT_GRADCHECK_WRONG && f->derivative == 10 &&
          is_near(f->estimate, 12, 1e-6));
    ALL_RIGHT(check_at(ctx, clipped_cube, (const double[]){1, -0.25}, 2));
    report = check_at(ctx, clipped_beyond, (const double[]){3, 1}, 2);
    CHECK_MSG(ct_gradcheck_count(report, CT_GRADCHECK_CLAMPED) == 1 && total(report) == 2, "%s",
              ct_gradcheck_text(report));
    ct_tensor *at = ct_from_doubles(ctx, CT_F64, CT_SHAPE(2), (const double[]){1, -0.25});
    ALL_RIGHT(ct_gradcheck(ct_trace(ctx, clipped_cube, CT_LIKE(at)), CT_ARGV(at),
                           OPTIONS(.second_order = true, .directions = 2)));
    CHECK_OK(ctx);
    ct_context_free(ctx);
}
