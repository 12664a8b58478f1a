/* What a gradient costs: at most 5 times its function's arithmetic, by our own count, once it is
 * simplified. The functions are those of the examples, and the usual networks. */
#include "tests/values.h"

#include <cotangent/cotangent.h>

enum { LIMIT = 5 };

typedef ct_function *maker(ct_context *ctx);

static ct_tensor *f32(ct_context *ctx, ct_shape shape)
{
    return ct_spec(ctx, CT_F32, shape);
}

#define F32(...) f32(ctx, CT_SHAPE(__VA_ARGS__))

/* ---- The examples. */

static ct_tensor *linear_loss(ct_tensor *w, ct_tensor *x, ct_tensor *y)
{
    return ct_mean(ct_square(ct_sub(ct_matmul(x, w), y)), CT_ALL_AXES, CT_DROP_AXES);
}

static ct_function *linear(ct_context *ctx)
{
    return ct_trace(ctx, linear_loss, CT_LIKE(F32(3), F32(50, 3), F32(50)));
}

static ct_tensor *rosenbrock_of(ct_tensor *x)
{
    ct_tensor *a = ct_slice(x, CT_SHAPE(0), CT_SHAPE(99), CT_SHAPE()),
              *b = ct_slice(x, CT_SHAPE(1), CT_SHAPE(100), CT_SHAPE());
    ct_tensor *curve = ct_square(ct_sub(b, ct_square(a)));
    return ct_sum(ct_add(ct_mul(100, curve), ct_square(ct_sub(1, a))), CT_ALL_AXES, CT_DROP_AXES);
}

static ct_function *rosenbrock(ct_context *ctx)
{
    return ct_trace(ctx, rosenbrock_of, CT_LIKE(F32(100)));
}

static ct_tensor *logistic_loss(ct_tensor *w, ct_tensor *x, ct_tensor *y)
{
    ct_tensor *z = ct_matmul(x, w);
    return ct_mean(ct_sub(ct_softplus(z), ct_mul(y, z)), CT_ALL_AXES, CT_DROP_AXES);
}

static ct_function *logistic(ct_context *ctx)
{
    return ct_trace(ctx, logistic_loss, CT_LIKE(F32(30), F32(569, 30), F32(569)));
}

/* Softmax regression. */
static ct_tensor *iris_loss(ct_tensor *w, ct_tensor *x, ct_tensor *species)
{
    ct_tensor *loss = ct_cross_entropy(ct_matmul(x, w), species, -1, CT_STRICT);
    return ct_add(ct_mean(loss, CT_ALL_AXES, CT_DROP_AXES),
                  ct_mul(ct_sum(ct_square(w), CT_ALL_AXES, CT_DROP_AXES), 0.0005));
}

static ct_function *iris(ct_context *ctx)
{
    return ct_trace(ctx, iris_loss,
                    CT_LIKE(F32(5, 3), F32(150, 5), ct_spec(ctx, CT_I32, CT_SHAPE(150))));
}

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

/* ---- Elementwise functions alone, the dearest: there is no product to hide behind. */

#define ELEMENTWISE(name, expression)                                                              \
    static ct_tensor *name##_sum(ct_tensor *x)                                                     \
    {                                                                                              \
        return ct_sum(expression, CT_ALL_AXES, CT_DROP_AXES);                                      \
    }                                                                                              \
    static ct_function *name(ct_context *ctx)                                                      \
    {                                                                                              \
        return ct_trace(ctx, name##_sum, CT_LIKE(F32(1000)));                                      \
    }
ELEMENTWISE(exponential, ct_exp(x))
ELEMENTWISE(logarithm, ct_log(x))
ELEMENTWISE(sine, ct_sin(x))
ELEMENTWISE(root, ct_sqrt(x))
ELEMENTWISE(tangent, ct_tanh(x))
ELEMENTWISE(sigmoid, ct_sigmoid(x))
ELEMENTWISE(quotient, ct_div(x, ct_add(1, ct_square(x))))
ELEMENTWISE(polynomial, ct_mul(x, ct_add(1, ct_mul(x, ct_add(2, ct_mul(x, 3))))))
ELEMENTWISE(chain, ct_tanh(ct_tanh(ct_tanh(ct_tanh(ct_tanh(x))))))

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

/* ---- The count. */

static const struct {
    const char *name;
    maker *make;
} programs[] = {{"linear", linear},
                {"rosenbrock", rosenbrock},
                {"logistic", logistic},
                {"iris", iris},
                {"mlp", mlp},
                {"gelu", gelu},
                {"attention", attention},
                {"norm", norm},
                {"exponential", exponential},
                {"logarithm", logarithm},
                {"sine", sine},
                {"root", root},
                {"tangent", tangent},
                {"sigmoid", sigmoid},
                {"quotient", quotient},
                {"polynomial", polynomial},

                {"chain", chain},
                {"simulation", simulation},
                {"choice", choice}};

TEST(a_gradient_costs_at_most_five_functions)
{
    ct_context *ctx = ct_context_new();
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        ct_function *f = programs[i].make(ctx);
        ct_function *g = ct_simplify(ct_value_and_grad(f, CT_ALL_ARGS));
        CHECK_OK(ctx);
        uint64_t own = ct_function_flops(ct_simplify(f)), all = ct_function_flops(g);
        CHECK_MSG(own > 0 && all <= LIMIT * own, "%s: %.2f times (%llu of %llu flops)\n%s",
                  programs[i].name, (double)all / (double)own, (unsigned long long)all,
                  (unsigned long long)own, ct_stablehlo_text(g, 0));
    }
    ct_context_free(ctx);
}

/* By hand: 2·m·n·k of a product, 1 per element, bodies as often as they run. */
TEST(counts)
{
    ct_context *ctx = ct_context_new();
    ct_function *f = linear(ctx);
    /* 2·50·3 of the product; 50 differences, 50 squares, a sum of 50, a scaling */
    CHECK(ct_function_flops(f) == 300 + 50 + 50 + 50 + 1);
    CHECK(ct_function_flops(simulation(ctx)) == 100 * 9 * 10 + 3 * 10);
    CHECK(ct_function_flops(NULL) == 0);
    ct_context_free(ctx);
}
