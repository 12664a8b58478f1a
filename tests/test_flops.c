/* What a gradient costs: at most 5 times its function's arithmetic, by our own count, once it is
 * simplified. The functions are those of the examples, the usual networks, and all that the headers
 * name. docs/performance.md has the numbers; run with CT_UPDATE=1 in the environment to write them
 * anew. */
#include "tests/flops_examples.h"
#include "tests/values.h"

#include <cotangent/cotangent.h>

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LIMIT = 5 };

typedef ct_function *maker(ct_context *ctx);

static ct_tensor *f32(ct_context *ctx, ct_shape shape)
{
    return ct_spec(ctx, CT_F32, shape);
}

#define F32(...) f32(ctx, CT_SHAPE(__VA_ARGS__))

/* ---- Networks. */

static ct_tensor *mlp_loss(ct_tensor *w1, ct_tensor *b1, ct_tensor *w2, ct_tensor *b2, ct_tensor *x,
                           ct_tensor *y)
{
    ct_tensor *h = ct_relu(ct_add(ct_matmul(x, w1), b1));
    ct_tensor *log_p = ct_log_softmax(ct_add(ct_matmul(h, w2), b2), CT_AXES(-1));
    return ct_neg(
        ct_mean(ct_sum(ct_mul(log_p, y), CT_AXES(-1), CT_DROP_AXES), CT_ALL_AXES, CT_DROP_AXES));
}

static ct_function *mlp(ct_context *ctx)
{
    return ct_trace(
        ctx, mlp_loss,
        CT_LIKE(F32(64, 32), F32(32), F32(32, 10), F32(10), F32(100, 64), F32(100, 10)));
}

static ct_tensor *gelu_loss(ct_tensor *w1, ct_tensor *w2, ct_tensor *x)
{
    ct_tensor *h = ct_gelu(ct_matmul(x, w1), CT_GELU_TANH);
    return ct_sum(ct_square(ct_matmul(h, w2)), CT_ALL_AXES, CT_DROP_AXES);
}

static ct_function *gelu(ct_context *ctx)
{
    return ct_trace(ctx, gelu_loss, CT_LIKE(F32(16, 24), F32(24, 8), F32(20, 16)));
}

static ct_tensor *attention_loss(ct_tensor *x, ct_tensor *wq, ct_tensor *wk, ct_tensor *wv,
                                 ct_tensor *wo)
{
    ct_tensor *q = ct_matmul(x, wq), *k = ct_matmul(x, wk), *v = ct_matmul(x, wv);
    ct_tensor *scores = ct_mul(ct_matmul(q, ct_transpose(k, CT_AXES(0, 2, 1))), 0.25);
    ct_tensor *mixed = ct_matmul(ct_softmax(scores, CT_AXES(-1)), v);
    return ct_mean(ct_square(ct_matmul(mixed, wo)), CT_ALL_AXES, CT_DROP_AXES);
}

static ct_function *attention(ct_context *ctx)
{
    return ct_trace(ctx, attention_loss,
                    CT_LIKE(F32(4, 12, 16), F32(16, 16), F32(16, 16), F32(16, 16), F32(16, 16)));
}

/* Normalised to mean 0 and variance 1, along the last axis. */
static ct_tensor *norm_loss(ct_tensor *x, ct_tensor *scale, ct_tensor *shift)
{
    ct_tensor *centred = ct_sub(x, ct_mean(x, CT_AXES(-1), CT_KEEP_AXES));
    ct_tensor *variance = ct_mean(ct_square(centred), CT_AXES(-1), CT_KEEP_AXES);
    ct_tensor *y = ct_mul(centred, ct_rsqrt(ct_add(variance, 1e-5)));
    return ct_sum(ct_tanh(ct_add(ct_mul(y, scale), shift)), CT_ALL_AXES, CT_DROP_AXES);
}

static ct_function *norm(ct_context *ctx)
{
    return ct_trace(ctx, norm_loss, CT_LIKE(F32(32, 64), F32(64), F32(64)));
}

/* ---- Loops and choices. */

static void euler_step(void *user, ct_tensor **carry, ct_tensor *const *x, ct_tensor **y)
{
    ct_tensor *p = user;
    (void)x;
    (void)y;
    ct_tensor *dx = ct_sub(ct_mul(p, carry[0]), ct_mul(carry[0], carry[1]));
    ct_tensor *dy = ct_sub(ct_mul(carry[0], carry[1]), carry[1]);
    ct_tensor *next = ct_add(carry[0], ct_mul(0.01, dx));
    carry[1] = ct_add(carry[1], ct_mul(0.01, dy));
    carry[0] = next;
}

static ct_tensor *simulated(ct_tensor *p, ct_tensor *x, ct_tensor *y)
{
    ct_tensor *state[] = {x, y};
    ct_scan(euler_step, p, .length = 100, .n_carry = 2, .carry = state);
    return ct_sum(ct_square(ct_sub(state[0], state[1])), CT_ALL_AXES, CT_DROP_AXES);
}

static ct_function *simulation(ct_context *ctx)
{
    return ct_trace(ctx, simulated, CT_LIKE(F32(10), F32(10), F32(10)));
}

static ct_tensor *steep(void *user)
{
    return ct_exp(ct_sin(user));
}

static ct_tensor *flat(void *user)
{
    return ct_mul(user, ct_cos(user));
}

static ct_tensor *chosen(ct_tensor *x)
{
    ct_tensor *big = ct_gt(ct_sum(x, CT_ALL_AXES, CT_DROP_AXES), 0);
    return ct_sum(ct_if(big, steep, flat, x), CT_ALL_AXES, CT_DROP_AXES);
}

static ct_function *choice(ct_context *ctx)
{
    return ct_trace(ctx, chosen, CT_LIKE(F32(200)));
}

/* ---- Functions that the headers name, of x and y [30,40]: no product to hide behind. Results that
 * are no scalar are summed. */

static ct_tensor *sum(ct_tensor *y)
{
    return ct_rank(y) == 0 ? y : ct_sum(y, CT_ALL_AXES, CT_DROP_AXES);
}

#define ROWS(f) f(x, CT_AXES(1), CT_DROP_AXES)
#define WHOLE(f) f(x, CT_ALL_AXES, CT_DROP_AXES)
#define FLAT(x) ct_reshape(x, CT_SHAPE(1200))

/* X(name, expression) */
#define OF_ONE                                                                                     \
    X(abs, ct_abs(x))                                                                              \
    X(acos, ct_acos(x))                                                                            \
    X(acosh, ct_acosh(x))                                                                          \
    X(asin, ct_asin(x))                                                                            \
    X(asinh, ct_asinh(x))                                                                          \
    X(atan, ct_atan(x))                                                                            \
    X(atanh, ct_atanh(x))                                                                          \
    X(bessel_i1e, ct_bessel_i1e(x))                                                                \
    X(cbrt, ct_cbrt(x))                                                                            \
    X(clip, ct_clip(x, -1, 1))                                                                     \
    X(cos, ct_cos(x))                                                                              \
    X(cosh, ct_cosh(x))                                                                            \
    X(cummax, ct_cummax(x, 1, false))                                                              \
    X(cummin, ct_cummin(x, 0, true))                                                               \
    X(cumprod, ct_cumprod(x, 1, false))                                                            \
    X(cumsum, ct_cumsum(x, 1, true))                                                               \
    X(digamma, ct_digamma(x))                                                                      \
    X(erf, ct_erf(x))                                                                              \
    X(erf_inv, ct_erf_inv(x))                                                                      \
    X(erfc, ct_erfc(x))                                                                            \
    X(exp, ct_exp(x))                                                                              \
    X(exp2, ct_exp2(x))                                                                            \
    X(expm1, ct_expm1(x))                                                                          \
    X(floor, ct_floor(x))                                                                          \
    X(gelu, ct_gelu(x, CT_GELU_EXACT))                                                             \
    X(gelu_tanh, ct_gelu(x, CT_GELU_TANH))                                                         \
    X(lgamma, ct_lgamma(x))                                                                        \
    X(log, ct_log(x))                                                                              \
    X(log10, ct_log10(x))                                                                          \
    X(log1p, ct_log1p(x))                                                                          \
    X(log2, ct_log2(x))                                                                            \
    X(log_softmax, ct_log_softmax(x, CT_AXES(1)))                                                  \
    X(logsumexp, WHOLE(ct_logsumexp))                                                              \
    X(logsumexp_rows, ROWS(ct_logsumexp))                                                          \
    X(max, WHOLE(ct_max))                                                                          \
    X(max_rows, ROWS(ct_max))                                                                      \
    X(maximum_0, ct_maximum(x, 0))                                                                 \
    X(mean, WHOLE(ct_mean))                                                                        \
    X(min_rows, ROWS(ct_min))                                                                      \
    X(neg, ct_neg(x))                                                                              \
    X(norm, WHOLE(ct_norm))                                                                        \
    X(norm_rows, ROWS(ct_norm))                                                                    \
    X(polygamma_2, ct_polygamma(2, x))                                                             \
    X(pow_3, ct_pow(x, 3))                                                                         \
    X(prod, WHOLE(ct_prod))                                                                        \
    X(prod_rows, ROWS(ct_prod))                                                                    \
    X(reciprocal, ct_reciprocal(x))                                                                \
    X(relu, ct_relu(x))                                                                            \
    X(rsqrt, ct_rsqrt(x))                                                                          \
    X(sigmoid, ct_sigmoid(x))                                                                      \
    X(silu, ct_silu(x))                                                                            \
    X(sin, ct_sin(x))                                                                              \
    X(sinh, ct_sinh(x))                                                                            \
    X(softmax, ct_mul(x, ct_softmax(x, CT_AXES(1))))                                               \
    X(softplus, ct_softplus(x))                                                                    \
    X(sort, ct_sort(x, 1, CT_ASCENDING))                                                           \
    X(sqrt, ct_sqrt(x))                                                                            \
    X(square, ct_square(x))                                                                        \
    X(std, ct_std(x, CT_AXES(1), CT_DROP_AXES, 1))                                                 \
    X(sum_rows, ROWS(ct_sum))                                                                      \
    X(tan, ct_tan(x))                                                                              \
    X(tanh, ct_tanh(x))                                                                            \
    X(top_k, top_k(x))                                                                             \
    X(tril, ct_tril(x, 0))                                                                         \
    X(var, ct_var(x, CT_AXES(1), CT_DROP_AXES, 0))                                                 \
    X(zeta_3, ct_zeta(3, x))                                                                       \
    X(max_pool, ct_op_reduce_window_max(x, &pooled))                                               \
    X(max_overlapping, ct_op_reduce_window_max(x, &overlapping))                                   \
    X(max_wide, ct_op_reduce_window_max(x, &wide))                                                 \
    X(polynomial, ct_mul(x, ct_add(1, ct_mul(x, ct_add(2, ct_mul(x, 3))))))                        \
    X(quotient, ct_div(x, ct_add(1, ct_square(x))))                                                \
    X(chain, ct_tanh(ct_tanh(ct_tanh(ct_tanh(ct_tanh(x))))))
#define OF_TWO                                                                                     \
    X(add, ct_add(x, y))                                                                           \
    X(atan2, ct_atan2(x, y))                                                                       \
    X(clip_bounds, ct_clip(x, y, ct_add(y, 1)))                                                    \
    X(cross_entropy_soft, ct_cross_entropy_soft(x, y, 1))                                          \
    X(div, ct_div(x, y))                                                                           \
    X(dot, ct_dot(FLAT(x), FLAT(y)))                                                               \
    X(hypot, ct_hypot(x, y))                                                                       \
    X(logaddexp, ct_logaddexp(x, y))                                                               \
    X(matmul, ct_matmul(x, ct_transpose(y, CT_AXES(1, 0))))                                        \
    X(maximum, ct_maximum(x, y))                                                                   \
    X(minimum, ct_minimum(x, y))                                                                   \
    X(mod, ct_mod(x, y))                                                                           \
    X(mul, ct_mul(x, y))                                                                           \
    X(outer, ct_outer(FLAT(x), FLAT(y)))                                                           \
    X(pow, ct_pow(x, y))                                                                           \
    X(rem, ct_rem(x, y))                                                                           \
    X(sub, ct_sub(x, y))                                                                           \
    X(tensordot, ct_tensordot(x, y, 2))                                                            \
    X(where, ct_where(ct_gt(x, 0), x, y))

static const int64_t two[] = {2, 2}, three[] = {3, 3}, nine[] = {9, 9};
static const ct_window_dims pooled = {.window_dimensions = {2, two}, .window_strides = {2, two}},
                            overlapping = {.window_dimensions = {2, three}},
                            wide = {.window_dimensions = {2, nine}};

static ct_tensor *top_k(ct_tensor *x)
{
    ct_tensor *values, *indices;
    ct_top_k(x, 5, &values, &indices);
    return values;
}

#define X(name, expression)                                                                        \
    static ct_tensor *name##_sum(ct_tensor *x)                                                     \
    {                                                                                              \
        return sum(expression);                                                                    \
    }                                                                                              \
    static ct_function *of_##name(ct_context *ctx)                                                 \
    {                                                                                              \
        return ct_trace(ctx, name##_sum, CT_LIKE(F32(30, 40)));                                    \
    }
OF_ONE
#undef X
#define X(name, expression)                                                                        \
    static ct_tensor *name##_sum(ct_tensor *x, ct_tensor *y)                                       \
    {                                                                                              \
        return sum(expression);                                                                    \
    }                                                                                              \
    static ct_function *of_##name(ct_context *ctx)                                                 \
    {                                                                                              \
        return ct_trace(ctx, name##_sum, CT_LIKE(F32(30, 40), F32(30, 40)));                       \
    }
OF_TWO
#undef X

/* ---- The count. */

typedef struct program {
    const char *name;
    maker *make;
} program;

static const program networks[] = {
    {"classifier of two layers", mlp},  {"two layers with gelu", gelu},
    {"attention", attention},           {"layer norm and tanh", norm},
    {"100 steps of Euler", simulation}, {"a choice of two branches", choice},
};
#define X(name, expression) {#name, of_##name},
static const program functions[] = {OF_ONE OF_TWO};
#undef X

typedef struct cost {
    uint64_t own, all;
} cost;

static cost cost_of(ct_context *ctx, const char *name, ct_function *f, ct_args by)
{
    ct_function *g = ct_simplify(ct_value_and_grad(f, by));
    cost c = {ct_function_flops(ct_simplify(f)), ct_function_flops(g)};
    CHECK_OK(ctx);
    CHECK_MSG(c.own > 0 && c.all <= LIMIT * c.own, "%s: %.2f times (%llu of %llu flops)\n%s", name,
              (double)c.all / (double)c.own, (unsigned long long)c.all, (unsigned long long)c.own,
              ct_stablehlo_text(g, 0));
    return c;
}

enum { MOST = 1 << 14, COLUMNS = 3 };
typedef struct table {
    char text[MOST];
    size_t length;
} table;

static void put(table *t, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    t->length += (size_t)vsnprintf(t->text + t->length, MOST - t->length, format, list);
    va_end(list);
    CHECK(t->length < MOST);
}

static void put_cost(table *t, const char *name, cost c)
{
    put(t, "| %s | %llu | %llu | %.2f ", name, (unsigned long long)c.own, (unsigned long long)c.all,
        (double)c.all / (double)c.own);
}

static void put_programs(ct_context *ctx, table *t)
{
    static const int64_t first_two[] = {0, 1};
    char name[64];
    put(t, "| program | flops | with gradient | ratio |\n|---|---|---|---|\n");
    for (size_t i = 0; i < n_flops_examples; i++) {
        const flops_example *e = &flops_examples[i];
        const ct_args by = {.count = e->n_args, .position = first_two};
        snprintf(name, sizeof name, "`examples/%.*s`%s", (int)strcspn(e->name, ","), e->name,
                 e->name + strcspn(e->name, ","));
        put_cost(t, name, cost_of(ctx, name, e->make(ctx), by));
        put(t, "|\n");
    }
    for (size_t i = 0; i < sizeof networks / sizeof *networks; i++) {
        const program *p = &networks[i];
        put_cost(t, p->name, cost_of(ctx, p->name, p->make(ctx), CT_ALL_ARGS));
        put(t, "|\n");
    }
}

static void put_functions(ct_context *ctx, table *t)
{
    for (int i = 0; i < COLUMNS; i++)
        put(t, "| function | flops | with gradient | ratio ");
    put(t, "|\n");
    for (int i = 0; i < COLUMNS * 4; i++)
        put(t, "|---");
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        const program *p = &functions[i];
        char name[64];
        snprintf(name, sizeof name, "`%s`", p->name);
        if (i % COLUMNS == 0)
            put(t, "|\n");
        put_cost(t, name, cost_of(ctx, p->name, p->make(ctx), CT_ALL_ARGS));
    }
    put(t, "|\n");
}

/* The document, and what stands between the two marks in it; the caller frees the first. */
static char *read_document(const char *path, char **begin, char **end)
{
    FILE *file = fopen(path, "r");
    char *text = calloc(1, 1 << 16);
    CHECK_MSG(file != NULL && text != NULL, "%s cannot be read", path);
    CHECK(fread(text, 1, (1 << 16) - 1, file) > 0 && fclose(file) == 0);
    *begin = strstr(text, "<!-- tests/test_flops.c writes from here -->\n\n");
    CHECK_MSG(*begin != NULL, "%s has no mark", path);
    *begin += strlen("<!-- tests/test_flops.c writes from here -->\n\n");
    *end = strstr(*begin, "\n<!-- to here -->");
    CHECK_MSG(*end != NULL, "%s has no end mark", path);
    return text;
}

static void compare_with_document(const char *table_text)
{
    char path[1024], *begin, *end;
    snprintf(path, sizeof path, "%s/docs/performance.md", CT_SOURCE_DIR);
    char *text = read_document(path, &begin, &end);
    const size_t length = (size_t)(end - begin);
    const bool is_same = strlen(table_text) == length && memcmp(begin, table_text, length) == 0;
    if (!is_same && getenv("CT_UPDATE")) {
        FILE *file = fopen(path, "w");
        CHECK(file != NULL &&
              fprintf(file, "%.*s%s%s", (int)(begin - text), text, table_text, end) > 0 &&
              fclose(file) == 0);
    } else {
        CHECK_MSG(is_same, "%s has other numbers; CT_UPDATE=1 writes\n%s", path, table_text);
    }
    free(text);
}

TEST(a_gradient_costs_at_most_five_functions)
{
    ct_context *ctx = ct_context_new();
    table *t = calloc(1, sizeof *t);
    CHECK(t != NULL);
    put_programs(ctx, t);
    put(t, "\n");
    put_functions(ctx, t);
    compare_with_document(t->text);
    free(t);
    ct_context_free(ctx);
}

static ct_tensor *linear_loss(ct_tensor *w, ct_tensor *x, ct_tensor *y)
{
    return ct_mean(ct_square(ct_sub(ct_matmul(x, w), y)), CT_ALL_AXES, CT_DROP_AXES);
}

/* By hand: 2·m·n·k of a product, 1 per element, bodies as often as they run. */
TEST(counts)
{
    ct_context *ctx = ct_context_new();
    ct_function *f = ct_trace(ctx, linear_loss, CT_LIKE(F32(3), F32(50, 3), F32(50)));
    /* 2·50·3 of the product; 50 differences, 50 squares, a sum of 50, a scaling */
    CHECK(ct_function_flops(f) == 300 + 50 + 50 + 50 + 1);
    CHECK(ct_function_flops(simulation(ctx)) == 100 * 9 * 10 + 3 * 10);
    CHECK(ct_function_flops(NULL) == 0);
    ct_context_free(ctx);
}

/* Copying bits is free, comparing is not; some operations are made of several. */
#define COUNTED(name, expression)                                                                  \
    static ct_tensor *name(ct_tensor *x, ct_tensor *p, ct_tensor *z)                               \
    {                                                                                              \
        (void)x, (void)p, (void)z;                                                                 \
        return expression;                                                                         \
    }
COUNTED(selected, ct_op_select(p, x, ct_op_stop_gradient(x)))
COUNTED(joined, ct_op_convert(ct_op_not(ct_op_and(p, ct_op_xor(p, ct_op_or(p, p)))), CT_F32))
COUNTED(parted, ct_op_complex(ct_op_imag(z), ct_op_real(z)))
COUNTED(as_bits, ct_op_bitcast_convert(x, CT_I32))
COUNTED(compared, ct_op_compare(x, x, CT_LT, CT_COMPARE_DEFAULT))
COUNTED(narrowed, ct_op_convert(x, CT_F16))
COUNTED(clamped, ct_op_clamp(x, x, x))
COUNTED(turned, ct_op_atan2(x, x))
COUNTED(raised, ct_op_power(x, x))
COUNTED(scaled_bessel, ct_op_bessel_i1e(x))

TEST(counts_of_elements)
{
    static const struct {
        ct_tensor *(*f)(ct_tensor *x, ct_tensor *p, ct_tensor *z);
        uint64_t flops;
    } cases[] = {{selected, 0}, {joined, 0},  {parted, 0}, {as_bits, 0}, {compared, 1},
                 {narrowed, 1}, {clamped, 2}, {turned, 2}, {raised, 3},  {scaled_bessel, 64}};
    ct_context *ctx = ct_context_new();
    ct_tensor *x = F32(7), *p = ct_spec(ctx, CT_BOOL, CT_SHAPE(7)),
              *z = ct_spec(ctx, CT_C64, CT_SHAPE(7));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        CHECK_MSG(ct_function_flops(ct_trace(ctx, cases[i].f, CT_LIKE(x, p, z))) ==
                      7 * cases[i].flops,
                  "case %zu", i);
    CHECK_OK(ctx);
    ct_context_free(ctx);
}
