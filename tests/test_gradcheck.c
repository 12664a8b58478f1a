/* Gradient checking: what is right, what is wrong, and what is neither. */
#include "tests/values.h"

#include <cotangent/cotangent.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- Reports. */

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

static int verdict_of(const ct_gradcheck_report *report, size_t input, int64_t element,
                      int64_t result_element)
{
    return (int)find(report, input, element, result_element)->verdict;
}

static bool is_near(double x, double y, double bound)
{
    return fabs(x - y) <= bound;
}

/* ---- Programs that are right. */

static ct_tensor *smooth(ct_tensor *x)
{
    ct_tensor *y = ct_mul(ct_sin(ct_mul(x, 3)), ct_exp(ct_neg(ct_square(x))));
    return ct_add(y, ct_div(ct_tanh(x), ct_add(ct_square(x), 0.1)));
}

static ct_tensor *product(ct_tensor *x, ct_tensor *y)
{
    return ct_matmul(ct_sigmoid(x), y);
}

static ct_tensor *normalised(ct_tensor *x)
{
    ct_tensor *d = ct_sub(x, ct_mean(x, CT_AXES(1), CT_KEEP_AXES));
    ct_tensor *v = ct_mean(ct_square(d), CT_AXES(1), CT_KEEP_AXES);
    return ct_mul(d, ct_rsqrt(ct_add(v, 1e-5)));
}

static ct_tensor *reduced(ct_tensor *x)
{
    ct_tensor *largest = ct_max(x, CT_AXES(0), CT_DROP_AXES);
    ct_tensor *product = ct_sum(ct_square(ct_add(x, 2)), CT_AXES(0), CT_DROP_AXES);
    return ct_add(ct_mul(largest, product),
                  ct_sum(ct_log_softmax(x, CT_AXES(0)), CT_AXES(0), CT_DROP_AXES));
}

static void rotate(void *user, ct_tensor **carry, ct_tensor *const *x, ct_tensor **y)
{
    (void)user;
    ct_tensor *next = ct_sin(ct_add(ct_mul(carry[0], 0.7), x[0]));
    y[0] = ct_mul(next, carry[0]);
    carry[0] = next;
}

static ct_tensor *looped(ct_tensor *state, ct_tensor *force)
{
    ct_tensor *carry[] = {state}, *path;
    ct_scan(rotate, NULL, .length = 4, .n_carry = 1, .carry = carry, .xs = CT_ARGV(force),
            .n_ys = 1, .ys = &path);
    return ct_add(ct_sum(path, CT_ALL_AXES, CT_DROP_AXES), carry[0]);
}

static ct_tensor *cube(void *user)
{
    ct_tensor *x = *(ct_tensor **)user;
    return ct_mul(x, ct_square(x));
}

static ct_tensor *half(void *user)
{
    return ct_mul(*(ct_tensor **)user, 0.5);
}

static ct_tensor *branched(ct_tensor *x)
{
    ct_tensor *sum = ct_sum(x, CT_ALL_AXES, CT_DROP_AXES);
    return ct_if(ct_gt(sum, 0), cube, half, &x);
}

static ct_tensor *picked(ct_tensor *x, ct_tensor *at)
{
    return ct_square(ct_take(x, at, 0, CT_CLAMP));
}

static ct_tensor *ramp(ct_context *ctx, ct_dtype dtype, ct_shape shape)
{
    double value[64];
    int64_t size = 1;
    for (size_t d = 0; d < shape.count; d++)
        size *= shape.dim[d];
    for (int64_t i = 0; i < size; i++)
        value[i] = (double)(i % 7) * 0.375 - 0.9375 + (double)i / 64;
    return ct_from_doubles(ctx, dtype, shape, value);
}

TEST(smooth_programs_are_right)
{
    static const ct_dtype dtypes[] = {CT_F64, CT_F32, CT_F16, CT_BF16};
    for (size_t i = 0; i < sizeof dtypes / sizeof *dtypes; i++) {
        ct_context *ctx = ct_context_new();
        ct_tensor *x = ramp(ctx, dtypes[i], CT_SHAPE(3, 4));
        ct_tensor *y = ramp(ctx, dtypes[i], CT_SHAPE(4, 2));
        const ct_gradcheck_options *twice = OPTIONS(.second_order = true);

        ALL_RIGHT(ct_gradcheck(ct_trace(ctx, smooth, CT_LIKE(x)), CT_ARGV(x), twice));
        ALL_RIGHT(ct_gradcheck(ct_trace(ctx, product, CT_LIKE(x, y)), CT_ARGV(x, y), twice));
        ALL_RIGHT(ct_gradcheck(ct_trace(ctx, normalised, CT_LIKE(x)), CT_ARGV(x), twice));
        ALL_RIGHT(ct_gradcheck(ct_trace(ctx, reduced, CT_LIKE(x)), CT_ARGV(x), twice));
        CHECK_OK(ctx);
        ct_context_free(ctx);
    }
}

TEST(programs_with_bodies_and_indices_are_right)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *state = ct_scalar(ctx, CT_F32, 0.3), *force = ramp(ctx, CT_F32, CT_SHAPE(4));
    ct_tensor *at = given(ctx, CT_U8, CT_SHAPE(3), {1, 0, 1});
    const ct_gradcheck_options *twice = OPTIONS(.second_order = true);

    ct_function *f = ct_trace(ctx, looped, CT_LIKE(state, force));
    ALL_RIGHT(ct_gradcheck(f, CT_ARGV(state, force), twice));
    ct_tensor *up = given(ctx, CT_F64, CT_SHAPE(2), {1.5, 0.25});
    ct_tensor *down = given(ctx, CT_F64, CT_SHAPE(2), {-1.5, 0.25});
    ct_function *g = ct_trace(ctx, branched, CT_LIKE(up));
    ALL_RIGHT(ct_gradcheck(g, CT_ARGV(up), twice));
    ALL_RIGHT(ct_gradcheck(g, CT_ARGV(down), twice));
    ct_function *h = ct_trace(ctx, picked, CT_LIKE(force, at));
    ALL_RIGHT(ct_gradcheck(h, CT_ARGV(force, at), twice));
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* Elements far from 1, in both directions: features of f may be as small as x, and steps as large.
 */
TEST(scales_of_inputs_do_not_matter)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *small = given(ctx, CT_F64, CT_SHAPE(3), {1e-9, 3e-12, 2e-5});
    ct_tensor *large = given(ctx, CT_F64, CT_SHAPE(3), {1e6, -3e8, 2e12});
    ct_tensor *log_at = ct_name(small, "small");
    ct_trace_builder *b = ct_trace_begin(ctx, "logs", CT_LIKE(log_at, large));
    ct_tensor *y[] = {ct_log(ct_trace_parameter(b, 0)), ct_square(ct_trace_parameter(b, 1)),
                      ct_div(ct_trace_parameter(b, 0), ct_trace_parameter(b, 1))};
    ct_function *f = ct_trace_end(b, (ct_list){3, y});
    ALL_RIGHT(ct_gradcheck(f, CT_ARGV(small, large), NULL));
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* ---- Derivatives by hand, right and wrong: the gradient of Σ (x w - y)², and of x w by vjp. */

static ct_tensor *squares(ct_tensor *w, ct_tensor *x, ct_tensor *y)
{
    return ct_sum(ct_square(ct_sub(ct_matmul(x, w), y)), CT_ALL_AXES, CT_DROP_AXES);
}

typedef struct mistake {
    double factor; /* of the gradient */
    double plus;   /* added to its element 1 */
    bool forgets_y;
} mistake;

static ct_tensor *squares_gradient(void *user, ct_tensor *w, ct_tensor *x, ct_tensor *y)
{
    const mistake *m = user;
    ct_tensor *r = ct_matmul(x, w);
    if (!m->forgets_y)
        r = ct_sub(r, y);
    ct_tensor *g = ct_matmul(ct_transpose(x, CT_AXES(1, 0)), ct_mul(r, 2 * m->factor));
    ct_tensor *off = ct_full(ct_context_of(g), CT_F64, CT_SHAPE(2), m->plus);
    ct_tensor *one = ct_from_doubles(ct_context_of(g), CT_F64, CT_SHAPE(2), (double[]){0, 1});
    return ct_add(g, ct_cast(ct_mul(off, one), ct_dtype_of(g)));
}

static ct_gradcheck_report *check_squares(ct_context *ctx, ct_dtype dtype, const mistake *m)
{
    ct_tensor *w = ct_name(given(ctx, dtype, CT_SHAPE(2), {0.5, -1.25}), "weights");
    ct_tensor *x = ramp(ctx, dtype, CT_SHAPE(3, 2)), *y = ramp(ctx, dtype, CT_SHAPE(3));
    ct_function *f = ct_trace(ctx, squares, CT_LIKE(w, x, y));
    ct_function *g = ct_trace_user(ctx, squares_gradient, (void *)(uintptr_t)m, CT_LIKE(w, x, y));
    return ct_gradcheck_against(f, g, CT_ARGV(w, x, y), OPTIONS(.wrt = CT_ARGS(0)));
}

TEST(gradients_by_hand)
{
    static const ct_dtype dtypes[] = {CT_F64, CT_F32, CT_BF16};
    for (size_t i = 0; i < sizeof dtypes / sizeof *dtypes; i++) {
        ct_context *ctx = ct_context_new();
        ALL_RIGHT(check_squares(ctx, dtypes[i], &(mistake){.factor = 1}));
        ct_gradcheck_report *r = check_squares(ctx, dtypes[i], &(mistake){.factor = -1});
        CHECK(ct_gradcheck_count(r, CT_GRADCHECK_WRONG) == 2 && !ct_gradcheck_passed(r));
        r = check_squares(ctx, dtypes[i], &(mistake){.factor = 0.5});
        CHECK(ct_gradcheck_count(r, CT_GRADCHECK_WRONG) == 2);
        const ct_gradcheck_finding *f = find(r, 0, 1, 0);
        CHECK(is_near(f->estimate, 2 * f->derivative, 1e-9) && f->uncertainty < 1e-9);
        CHECK(strcmp(f->input_name, "weights") == 0 && f->direction == -1);
        CHECK(f->element.count == 1 && f->element.dim[0] == 1);
        r = check_squares(ctx, dtypes[i], &(mistake){.factor = 1, .forgets_y = true});
        CHECK(ct_gradcheck_count(r, CT_GRADCHECK_WRONG) == 2);
        r = check_squares(ctx, dtypes[i], &(mistake){.factor = 1, .plus = 0.25});
        CHECK(ct_gradcheck_count(r, CT_GRADCHECK_WRONG) == 1);
        CHECK(ct_gradcheck_count(r, CT_GRADCHECK_RIGHT) == 1);
        CHECK(verdict_of(r, 0, 1, 0) == CT_GRADCHECK_WRONG);
        CHECK_OK(ctx);
        ct_context_free(ctx);
    }
}

TEST(small_mistakes_are_seen)
{
    ct_context *ctx = ct_context_new();
    static const double errors[] = {1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10};
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++) {
        double error = errors[i];
        const mistake more = {.factor = 1 + error}, less = {.factor = 1 - error};
        ct_gradcheck_report *r = check_squares(ctx, CT_F64, &more);
        CHECK_MSG(ct_gradcheck_count(r, CT_GRADCHECK_WRONG) == 2, "1 + %g: %s", error,
                  ct_gradcheck_text(r));
        r = check_squares(ctx, CT_F64, &less);
        CHECK_MSG(ct_gradcheck_count(r, CT_GRADCHECK_WRONG) == 2, "1 - %g: %s", error,
                  ct_gradcheck_text(r));
    }
    ct_gradcheck_report *r = check_squares(ctx, CT_F32, &(mistake){.factor = 1.00001});
    CHECK(ct_gradcheck_count(r, CT_GRADCHECK_WRONG) == 2);
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* x³/3 by hand with a factor that f32 rounds: short, not wrong. */
static ct_tensor *third(ct_tensor *x)
{
    return ct_sum(ct_mul(ct_mul(x, ct_square(x)), 0.1), CT_ALL_AXES, CT_DROP_AXES);
}

static ct_tensor *third_gradient(ct_tensor *x)
{
    return ct_mul(ct_square(x), 0.3);
}

TEST(rounded_constants_are_not_wrong)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = ramp(ctx, CT_F32, CT_SHAPE(5));
    ct_function *f = ct_trace(ctx, third, CT_LIKE(x)),
                *g = ct_trace(ctx, third_gradient, CT_LIKE(x));
    ALL_RIGHT(ct_gradcheck_against(f, g, CT_ARGV(x), NULL));
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

static ct_tensor *linear(ct_tensor *w, ct_tensor *x)
{
    return ct_matmul(w, x);
}

static void linear_vjp(void *user, ct_list in, ct_tensor **out)
{
    ct_tensor *w = in.item[0], *x = in.item[1], *ybar = in.item[2];
    const char *kind = user;
    if (strcmp(kind, "square cotangent") == 0)
        ybar = ct_mul(ybar, ct_abs(ybar)); /* right for unit vectors, but not linear */
    if (strcmp(kind, "transposed") == 0)
        w = ct_transpose(w, CT_AXES(1, 0));
    out[0] = ct_mul(ct_expand_dims(ybar, CT_AXES(1)), ct_expand_dims(x, CT_AXES(0)));
    out[1] = ct_matmul(ct_transpose(w, CT_AXES(1, 0)), ybar);
}

static ct_gradcheck_report *check_linear(ct_context *ctx, const char *kind)
{
    ct_tensor *w = ramp(ctx, CT_F64, CT_SHAPE(3, 3)), *x = ramp(ctx, CT_F64, CT_SHAPE(3));
    ct_function *f = ct_trace(ctx, linear, CT_LIKE(w, x));
    ct_function *g = ct_trace_many(ctx, linear_vjp, (void *)(uintptr_t)kind, 2,
                                   CT_LIKE(w, x, ramp(ctx, CT_F64, CT_SHAPE(3))));
    return ct_gradcheck_against(f, g, CT_ARGV(w, x), NULL);
}

TEST(vjps_by_hand)
{
    ct_context *ctx = ct_context_new();
    ALL_RIGHT(check_linear(ctx, "right"));
    ct_gradcheck_report *r = check_linear(ctx, "transposed");
    CHECK(ct_gradcheck_count(r, CT_GRADCHECK_WRONG) > 0);
    for (size_t i = 0; i < ct_gradcheck_findings(r); i++)
        CHECK(ct_gradcheck_finding_at(r, i)->input == 1);
    /* the adjoint identity alone finds this one */
    r = check_linear(ctx, "square cotangent");
    CHECK(ct_gradcheck_count(r, CT_GRADCHECK_WRONG) > 0);
    for (size_t i = 0; i < ct_gradcheck_findings(r); i++)
        CHECK(ct_gradcheck_finding_at(r, i)->kind == CT_GRADCHECK_ADJOINT);
    CHECK(strstr(ct_gradcheck_text(r), "forward and reverse differ"));
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* ---- Kinks. */

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

static ct_tensor *rectified(ct_tensor *x)
{
    return ct_relu(x);
}

static ct_tensor *root_of_square(ct_tensor *x)
{
    return ct_sqrt(ct_square(x));
}

static ct_tensor *largest(ct_tensor *x)
{
    return ct_max(x, CT_ALL_AXES, CT_DROP_AXES);
}

static ct_tensor *bent(ct_tensor *x) /* 3x below 1, 1/x + 2 above */
{
    return ct_where(ct_lt(x, 1), ct_mul(x, 3), ct_add(ct_div(1, x), 2));
}

static void check_kink(const ct_gradcheck_report *r, int64_t element, double derivative,
                       double below, double above)
{
    const ct_gradcheck_finding *f = find(r, 0, element, element);
    CHECK_MSG(f->verdict == CT_GRADCHECK_KINK && f->derivative == derivative &&
                  is_near(f->below, below, 1e-6) && is_near(f->above, above, 1e-6),
              "%s", ct_gradcheck_text(r));
}

TEST(kinks)
{
    ct_context *ctx = ct_context_new();
    const double at[] = {0, 1, -2, 1e-9, -1e-3};
    ct_gradcheck_report *r = check_at(ctx, absolute, at, 5);
    check_kink(r, 0, 0, -1, 1);
    CHECK(ct_gradcheck_count(r, CT_GRADCHECK_KINK) == 1 && ct_gradcheck_passed(r));
    CHECK(ct_gradcheck_count(r, CT_GRADCHECK_RIGHT) == total(r) - 1);
    check_kink(check_at(ctx, rectified, at, 5), 0, 0, 0, 1);
    check_kink(check_at(ctx, root_of_square, at, 5), 0, 0, -1, 1);
    r = check_at(ctx, largest, (double[]){2, 1, 2, -1}, 4);
    check_kink(r, 0, 0.5, 0, 1);
    check_kink(r, 2, 0.5, 0, 1);
    CHECK(ct_gradcheck_count(r, CT_GRADCHECK_KINK) == 2);
    r = check_at(ctx, bent, (double[]){1, 0.5}, 2);
    check_kink(r, 0, -1, 3, -1);
    CHECK(ct_gradcheck_passed(r));
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* The slope 2 is none of those that abs can have at 0. */
static ct_tensor *sum_of_abs(ct_tensor *x)
{
    return ct_sum(ct_abs(x), CT_ALL_AXES, CT_DROP_AXES);
}

static ct_tensor *twos(ct_tensor *x)
{
    return ct_full(ct_context_of(x), CT_F64, CT_SHAPE(1), 2);
}

TEST(kinks_with_an_impossible_derivative_do_not_pass)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = ct_zeros(ctx, CT_F64, CT_SHAPE(1));
    ct_gradcheck_report *r = ct_gradcheck_against(
        ct_trace(ctx, sum_of_abs, CT_LIKE(x)), ct_trace(ctx, twos, CT_LIKE(x)), CT_ARGV(x), NULL);
    CHECK(ct_gradcheck_count(r, CT_GRADCHECK_KINK) == 1 && !ct_gradcheck_passed(r));
    CHECK(strstr(ct_gradcheck_text(r), "it lies outside of them"));
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* ---- Poles, jumps and edges. */

static ct_tensor *root(ct_tensor *x)
{
    return ct_sqrt(x);
}

static ct_tensor *cube_root(ct_tensor *x)
{
    return ct_cbrt(x);
}

static ct_tensor *stairs(ct_tensor *x)
{
    return ct_floor(x);
}

static ct_tensor *logarithm(ct_tensor *x)
{
    return ct_log(x);
}

static ct_tensor *three_halves(ct_tensor *x)
{
    return ct_pow(x, 1.5);
}

TEST(infinite_derivatives_and_edges)
{
    ct_context *ctx = ct_context_new();
    CHECK(verdict_of(check_at(ctx, root, (double[]){0, 4}, 2), 0, 0, 0) == CT_GRADCHECK_RIGHT);
    CHECK(verdict_of(check_at(ctx, cube_root, (double[]){0, 8}, 2), 0, 0, 0) == CT_GRADCHECK_RIGHT);
    ct_gradcheck_report *r = check_at(ctx, three_halves, (double[]){0}, 1);
    CHECK(verdict_of(r, 0, 0, 0) == CT_GRADCHECK_RIGHT);
    CHECK(strstr(find(r, 0, 0, 0)->note, "only above"));
    r = check_at(ctx, stairs, (double[]){2, 0.5}, 2);
    CHECK(verdict_of(r, 0, 0, 0) == CT_GRADCHECK_JUMP && !ct_gradcheck_passed(r));
    CHECK(verdict_of(r, 0, 1, 1) == CT_GRADCHECK_RIGHT);
    r = check_at(ctx, logarithm, (double[]){0, -1, 2}, 3);
    CHECK(verdict_of(r, 0, 0, 0) == CT_GRADCHECK_UNDEFINED);
    CHECK(strstr(find(r, 0, 0, 0)->note, "infinite"));
    CHECK(verdict_of(r, 0, 1, 1) == CT_GRADCHECK_UNDEFINED &&
          strstr(find(r, 0, 1, 1)->note, "nan"));
    CHECK(verdict_of(r, 0, 2, 2) == CT_GRADCHECK_RIGHT && !ct_gradcheck_passed(r));
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

TEST(inputs_that_are_not_finite)
{
    ct_context *ctx = ct_context_new();
    const double at[] = {NAN, 1, INFINITY};
    ct_gradcheck_report *r = check_at(ctx, smooth, at, 3);
    CHECK(verdict_of(r, 0, 0, 0) == CT_GRADCHECK_UNDEFINED);
    CHECK(verdict_of(r, 0, 2, 2) == CT_GRADCHECK_UNDEFINED);
    CHECK(strstr(find(r, 0, 2, 2)->note, "the input is not finite"));
    CHECK(verdict_of(r, 0, 1, 1) == CT_GRADCHECK_RIGHT);
    CHECK(strstr(ct_gradcheck_text(r), "nan"));
    CHECK(strstr(ct_gradcheck_text(r), "\nundefined: no finite value here\n"));
    CHECK(strstr(ct_gradcheck_json(r), "\"verdicts\": [\"undefined\", \"right\", \"undefined\"]"));
    CHECK(ct_gradcheck_of(r, 1, 0, 2) == CT_GRADCHECK_UNDEFINED && !ct_gradcheck_passed(r));
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* ---- Noise. */

static ct_gradcheck_report *check_in_f64(ct_context *ctx, unary *f, const double *x, int64_t n)
{
    ct_tensor *at = ct_from_doubles(ctx, CT_F64, CT_SHAPE(n), x);
    return ct_gradcheck(ct_trace(ctx, f, CT_LIKE(at)), CT_ARGV(at),
                        OPTIONS(.list_right = true, .in_f64 = true));
}

static ct_tensor *cancelled(ct_tensor *x)
{
    return ct_sub(ct_add(x, 1e16), 1e16);
}

static ct_tensor *grainy(ct_tensor *x) /* grains of 2^-50, far below the smallest step, scaled up */
{
    return ct_add(ct_square(x), ct_mul(ct_round(ct_mul(ct_sin(ct_mul(x, 0x1p40)), 8)), 0x1p-20));
}

/* Where differences in f64 drown, numbers of more bits tell: the grains are flat. */
TEST(noise)
{
    ct_context *ctx = ct_context_new();
    const double at[] = {1.5, 0.3};
    ct_gradcheck_report *r = check_in_f64(ctx, cancelled, at, 2);
    CHECK(verdict_of(r, 0, 0, 0) == CT_GRADCHECK_NOISY);
    CHECK(verdict_of(r, 0, 1, 1) == CT_GRADCHECK_NOISY);
    CHECK(verdict_of(r, 0, 0, 1) == CT_GRADCHECK_RIGHT); /* independent all the same */
    CHECK(!ct_gradcheck_passed(r));
    r = check_in_f64(ctx, grainy, at, 2);
    CHECK_MSG(verdict_of(r, 0, 0, 0) == CT_GRADCHECK_NOISY, "%s", ct_gradcheck_text(r));
    CHECK(verdict_of(r, 0, 1, 1) == CT_GRADCHECK_NOISY);
    if (ct_has_oracle()) {
        CHECK(ct_gradcheck_passed(check_at(ctx, cancelled, at, 2)));
        CHECK(ct_gradcheck_passed(check_at(ctx, grainy, at, 2)));
    }
    CHECK_OK(ctx);
    ct_context_free(ctx);
}
