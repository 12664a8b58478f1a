/* Large inputs are looked at along random directions first. The witness is the same check element
 * by element, as it is made where what is right is listed, too: every element has one verdict in
 * both. */
#include "tests/values.h"

#include <cotangent/cotangent.h>

#include <math.h>
#include <string.h>

enum { N = 40 };

typedef ct_tensor *unary(ct_tensor *x);

static ct_gradcheck_report *check(ct_function *f, ct_tensor *x, bool singly)
{
    const ct_gradcheck_options options = {
        .size = sizeof options, .list_right = singly, .second_order = true};

    return ct_gradcheck(f, CT_ARGV(x), &options);
}

/* All of x is 0.3 + i/64, but x[7] and x[23]. Returns the report of the sweep. */
static ct_gradcheck_report *check_both(int line, ct_context *ctx, unary *code, ct_dtype dtype,
                                       double seventh, double other)
{
    double at[N];

    for (int i = 0; i < N; i++)
        at[i] = i == 7 ? seventh : i == 23 ? other : 0.3 + i / 64.0;
    ct_tensor *x = ct_from_doubles(ctx, dtype, CT_SHAPE(N), at);
    ct_function *f = ct_trace(ctx, code, CT_LIKE(x));
    ct_gradcheck_report *many = check(f, x, false), *singly = check(f, x, true);
    CHECK_OK(ctx);
    for (int v = 0; v < CT_GRADCHECK_VERDICTS; v++)
        CHECK_MSG(ct_gradcheck_count(many, (ct_gradcheck_verdict)v) ==
                      ct_gradcheck_count(singly, (ct_gradcheck_verdict)v),
                  "line %d: %s\nand\n%s", line, ct_gradcheck_text(many), ct_gradcheck_text(singly));
    for (int order = 1; order <= 2; order++)
        for (size_t i = 0; i < N; i++)
            CHECK_MSG(ct_gradcheck_of(many, order, 0, i) == ct_gradcheck_of(singly, order, 0, i),
                      "line %d: element %zu of order %d", line, i, order);
    return many;
}

#define BOTH(code, dtype, seventh, other) check_both(__LINE__, ctx, code, dtype, seventh, other)

static ct_tensor *magnitudes(ct_tensor *x)
{
    return ct_mul(ct_abs(x), ct_sum(ct_sin(x), CT_ALL_AXES, CT_DROP_AXES));
}

static ct_tensor *logarithms(ct_tensor *x)
{
    return ct_log(x);
}

static ct_tensor *softened(ct_tensor *x)
{
    return ct_mul(ct_softmax(x, CT_AXES(0)), ct_erf(x)); /* whose slope has a rounded constant */
}

static ct_tensor *steps(ct_tensor *x)
{
    return ct_mul(ct_floor(x), ct_square(x));
}

static ct_tensor *largest(ct_tensor *x)
{
    return ct_max(x, CT_ALL_AXES, CT_DROP_AXES);
}

static ct_tensor *rectified(ct_tensor *x)
{
    return ct_sum(ct_square(ct_relu(ct_sub(x, 0.5))), CT_ALL_AXES, CT_DROP_AXES);
}

TEST(one_verdict_either_way)
{
    ct_context *ctx = ct_context_new();

    CHECK(ct_gradcheck_of(BOTH(magnitudes, CT_F64, 0, -2), 1, 0, 7) == CT_GRADCHECK_KINK);
    CHECK(ct_gradcheck_passed(BOTH(magnitudes, CT_F32, -1, -2)));
    CHECK(ct_gradcheck_of(BOTH(logarithms, CT_F64, 0, -1), 1, 0, 23) == CT_GRADCHECK_UNDEFINED);
    CHECK(ct_gradcheck_of(BOTH(logarithms, CT_F64, 1, INFINITY), 1, 0, 23) ==
          CT_GRADCHECK_UNDEFINED);
    CHECK(ct_gradcheck_passed(BOTH(softened, CT_F32, 0, 1)));
    CHECK(ct_gradcheck_of(BOTH(steps, CT_F64, 2, 3.5), 1, 0, 7) == CT_GRADCHECK_JUMP);
    CHECK(ct_gradcheck_of(BOTH(largest, CT_F64, 5, 5), 1, 0, 7) == CT_GRADCHECK_KINK);
    CHECK(ct_gradcheck_passed(BOTH(largest, CT_F64, 5, 4)));
    CHECK(ct_gradcheck_of(BOTH(rectified, CT_F64, 0.5, 1), 2, 0, 7) == CT_GRADCHECK_KINK);
    ct_context_free(ctx);
}

/* ---- Wrong rules. */

/* Wrong by 1e-12 where x is 2 alone. */
static void nearly(void *user, ct_list p, ct_tensor **r)
{
    ct_tensor *is_there = ct_cast(ct_gt(p.item[0], 1.9), CT_F64);

    (void)user;
    r[0] = ct_sin(p.item[0]);
    r[1] = ct_mul(ct_mul(ct_cos(p.item[0]), p.item[1]), ct_add(1.0, ct_mul(is_there, 1e-12)));
}

static ct_tensor *sine(ct_tensor *x)
{
    return ct_sin(x);
}

static ct_tensor *nearly_sine(ct_tensor *x)
{
    ct_tensor *y = ct_custom_jvp_of(sine, nearly, x);
    return ct_mul(y, ct_sum(y, CT_ALL_AXES, CT_DROP_AXES));
}

static ct_gradcheck_report *check_first(ct_context *ctx, unary *code, int wrong, bool singly)
{
    const ct_gradcheck_options options = {.size = sizeof options, .list_right = singly};
    double at[N];

    for (int i = 0; i < N; i++)
        at[i] = i == wrong ? 2 : 0.3 + i / 64.0;
    ct_tensor *x = ct_from_doubles(ctx, CT_F64, CT_SHAPE(N), at);
    return ct_gradcheck(ct_trace(ctx, code, CT_LIKE(x)), CT_ARGV(x), &options);
}

TEST(wrong_elements_are_found)
{
    ct_context *ctx = ct_context_new();

    if (!ct_has_oracle())
        SKIP("the library has no MPFR");
    for (int wrong = 2; wrong < N; wrong += 9) {
        const ct_gradcheck_report *many = check_first(ctx, nearly_sine, wrong, false);
        const ct_gradcheck_report *singly = check_first(ctx, nearly_sine, wrong, true);
        CHECK_OK(ctx);
        for (int i = 0; i < N; i++)
            CHECK_MSG(ct_gradcheck_of(many, 1, 0, (size_t)i) ==
                          (i == wrong ? CT_GRADCHECK_WRONG : CT_GRADCHECK_RIGHT),
                      "%d of %d: %s", i, wrong, ct_gradcheck_text(many));
        CHECK(ct_gradcheck_count(many, CT_GRADCHECK_WRONG) ==
              ct_gradcheck_count(singly, CT_GRADCHECK_WRONG));
    }
    ct_context_free(ctx);
}

static void sweep_with_failures(ct_context *ctx)
{
    ct_tensor *x = ct_random_uniform(ctx, ct_key_new(5), CT_F64, CT_SHAPE(9), 1, 2);

    ct_gradcheck(ct_trace(ctx, logarithms, CT_LIKE(x)), CT_ARGV(x), NULL);
}

TEST(short_memory)
{
    CHECK_ALLOCATIONS(sweep_with_failures);
}
