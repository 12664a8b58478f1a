/* Derivatives of reduce and map by any body. */
#include "tests/bodies.h"

#include <cotangent/op_large.h>
#include <cotangent/op_program.h>

#include <math.h>

typedef struct folding {
    bodies_body body;
    ct_dims axes;
    size_t n_captures;
} folding;

/* n x, n init, captures. */
static ct_tensor *reduce(const void *user, ct_tensor *const *x)
{
    const folding *f = user;
    size_t n = f->body.n;
    ct_tensor *result[4];
    ct_list captures = {f->n_captures, x + 2 * n};
    ct_function *body = bodies_record(ct_context_of(x[0]), &f->body, ct_dtype_of(x[0]), captures);
    ct_op_reduce_many((ct_list){n, x}, (ct_list){n, x + n}, body, captures, f->axes, result);
    return bodies_join(n, result);
}

/* Of three axes. */
enum { N_AXES = 5 };
#define AXES                                                                                       \
    {                                                                                              \
        CT_DIMS(), CT_DIMS(0), CT_DIMS(1), CT_DIMS(2, 0), CT_DIMS(0, 1, 2)                         \
    }

/* ---- One operand. a + b + ab is linear in each element: exact, at every order. */

TEST(products_and_sums)
{
    const ct_dims axes[N_AXES] = AXES;
    ct_context *ctx = ct_context_new();
    ct_tensor *init = ct_scalar(ctx, CT_F64, 2);
    ct_tensor *x = given(ctx, CT_F64, CT_SHAPE(2, 1, 3), {1, -2, 0, 3, -1, 2});
    for (size_t i = 0; i < N_AXES; i++) {
        folding f = {{bodies_product, 1}, axes[i], 0};
        CHECK_LINEAR(ctx, reduce, &f, 3, x, init);
        CHECK_DTYPES(ctx, reduce, &f, 0, x, init);
        CHECK_LINEAR_ANY(ctx, reduce, &f, 2, coded(ctx, CT_F64, 2, 0, 3), init);
        CHECK_LINEAR_ANY(ctx, reduce, &f, 2, coded(ctx, CT_F64, 0, 3, 1), init);
        CHECK_LINEAR(ctx, reduce, &f, 2, coded(ctx, CT_F64, 1, 1, 1), init);
    }
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* The first element of all is folded first. */
TEST(the_order_is_row_major)
{
    ct_context *ctx = ct_context_new();
    folding f = {{bodies_difference, 1}, CT_DIMS(2, 0), 0};
    CHECK_LINEAR(ctx, reduce, &f, 2, coded(ctx, CT_F64, 2, 3, 2), ct_scalar(ctx, CT_F64, 1));
    CHECK_MATRIX(ctx, reduce, &f, CT_ARGV(coded(ctx, CT_F64, 2, 1, 2), ct_scalar(ctx, CT_F64, 1)),
                 {-8, -4, -2, -1, 16});
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

TEST(last_and_first)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = coded(ctx, CT_F64, 3), *init = ct_scalar(ctx, CT_F64, 2);
    folding last = {{bodies_new, 1}, CT_DIMS(0), 0}, first = {{bodies_old, 1}, CT_DIMS(0), 0};
    CHECK_MATRIX(ctx, reduce, &last, CT_ARGV(x, init), {0, 0, 1, 0});
    CHECK_MATRIX(ctx, reduce, &first, CT_ARGV(x, init), {0, 0, 0, 1});
    CHECK_MATRIX(ctx, reduce, &last, CT_ARGV(ct_zeros(ctx, CT_F64, CT_SHAPE(0)), init), {1});
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

TEST(smooth_bodies)
{
    const ct_dims axes[N_AXES] = AXES;
    bodies_code *const code[] = {bodies_length, bodies_branch, bodies_loop};
    ct_context *ctx = ct_context_new();
    ct_tensor *x = given(ctx, CT_F64, CT_SHAPE(2, 3, 1), {1.5, -0.5, 0.75, -1.25, 2, 0.5});
    ct_tensor *init = ct_scalar(ctx, CT_F64, 1);
    for (size_t c = 0; c < sizeof code / sizeof *code; c++)
        for (size_t i = 0; i < N_AXES; i++) {
            folding f = {{code[c], 1}, axes[i], 0};
            CHECK_SMOOTH(ctx, reduce, &f, 2, x, init);
        }
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* The slope of a length at 0 is infinite times 0, which is 0; not so of what follows. */
TEST(length_from_zero)
{
    ct_context *ctx = ct_context_new();
    folding f = {{bodies_length, 1}, CT_DIMS(0), 0};
    CHECK_MATRIX(ctx, reduce, &f,
                 CT_ARGV(given(ctx, CT_F64, CT_SHAPE(3), {0, 0, -4}), ct_scalar(ctx, CT_F64, 0)),
                 {0, 0, -1, 0});
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* ---- Captures: they have derivatives too. */

TEST(captures)
{
    const ct_dims axes[N_AXES] = AXES;
    ct_context *ctx = ct_context_new();
    ct_tensor *x = given(ctx, CT_F64, CT_SHAPE(2, 1, 3), {1, -2, 3, 3, -1, 2});
    ct_tensor *init = ct_scalar(ctx, CT_F64, 2), *k = ct_scalar(ctx, CT_F64, 1.5);
    ct_tensor *v = given(ctx, CT_F64, CT_SHAPE(3), {3, -5, 7});
    for (size_t i = 0; i < N_AXES; i++) {
        folding scaled = {{bodies_captures, 1}, axes[i], 2};
        folding lookup = {{bodies_lookup, 1}, axes[i], 2};
        folding constant = {{bodies_constant, 1}, axes[i], 2};
        CHECK_SMOOTH(ctx, reduce, &scaled, 2, x, init, k, v);
        CHECK_SMOOTH(ctx, reduce, &lookup, 2, x, init, k, v);
        CHECK_LINEAR(ctx, reduce, &constant, 2, x, init, k, v);
        CHECK_LINEAR_ANY(ctx, reduce, &lookup, 1, coded(ctx, CT_F64, 2, 0, 3), init, k, v);
    }
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* ---- Several operands. */

TEST(several_operands)
{
    const ct_dims axes[N_AXES] = AXES;
    ct_context *ctx = ct_context_new();
    ct_tensor *a = given(ctx, CT_F64, CT_SHAPE(2, 1, 3), {1, 2, 1.5, 0.5, 3, 1});
    ct_tensor *b = given(ctx, CT_F64, CT_SHAPE(2, 1, 3), {0.5, -1, 2, 1.25, 0.75, -0.5});
    ct_tensor *c = given(ctx, CT_F64, CT_SHAPE(2, 1, 3), {0, 1, 0.5, 2, 0.25, 0});
    ct_tensor *one = ct_scalar(ctx, CT_F64, 1), *two = ct_scalar(ctx, CT_F64, 2);
    for (size_t i = 0; i < N_AXES; i++) {
        folding crossed = {{bodies_crossed, 2}, axes[i], 0};
        folding logs = {{bodies_logs, 2}, axes[i], 0};
        folding welford = {{bodies_welford, 3}, axes[i], 0};
        CHECK_LINEAR(ctx, reduce, &crossed, 2, coded(ctx, CT_F64, 2, 3, 2),
                     coded(ctx, CT_F64, 2, 3, 2), one, two);
        CHECK_SMOOTH(ctx, reduce, &logs, 2, b, a, ct_scalar(ctx, CT_F64, -3), two);
        CHECK_SMOOTH(ctx, reduce, &welford, 2, a, b, c, one, two, one);
    }
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* The value of an argmax beside its position: the slope goes to the first of equal ones. */
static ct_tensor *largest(const void *user, ct_tensor *const *x)
{
    const bodies_body body = {bodies_argument, 2};
    ct_context *ctx = ct_context_of(x[0]);
    ct_tensor *i = ct_op_convert(ct_op_iota(ctx, CT_I32, ct_shape_of(x[0]), 1), ct_dtype_of(x[0]));
    ct_tensor *result[2], *zero = ct_zeros(ctx, ct_dtype_of(x[0]), CT_SHAPE());
    ct_function *f = bodies_record(ctx, &body, ct_dtype_of(x[0]), CT_NO_TENSORS);
    (void)user;
    ct_op_reduce_many(CT_ARGV(x[0], i), CT_ARGV(x[1], zero), f, CT_NO_TENSORS, CT_DIMS(1), result);
    return result[0];
}

TEST(largest_with_position)
{
    ct_context *ctx = ct_context_new();
    for (ct_dtype t = CT_F16; t <= CT_F64; t = (ct_dtype)(t + 1))
        CHECK_MATRIX(
            ctx, largest, NULL,
            CT_ARGV(given(ctx, t, CT_SHAPE(2, 3), {1, 4, 4, -1, -2, -3}), ct_scalar(ctx, t, 0)),
            {0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1});
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* ---- Complex numbers, by their parts. */

static ct_tensor *parts(ct_tensor *z)
{
    return bodies_join(2, (ct_tensor *[]){ct_op_real(z), ct_op_imag(z)});
}

static ct_tensor *reduce_complex(const void *user, ct_tensor *const *x)
{
    const folding *f = user;
    ct_tensor *z = ct_op_complex(x[0], x[1]), *init = ct_op_complex(x[2], x[3]), *y;
    ct_function *body = bodies_record(ct_context_of(z), &f->body, CT_C128, CT_NO_TENSORS);
    ct_op_reduce_many(CT_ARGV(z), CT_ARGV(init), body, CT_NO_TENSORS, f->axes, &y);
    return parts(y);
}

static ct_tensor *map_complex(const void *user, ct_tensor *const *x)
{
    ct_tensor *a = ct_op_complex(x[0], x[1]), *b = ct_op_complex(x[1], x[0]);
    ct_function *body = bodies_record(ct_context_of(a), user, CT_C128, CT_NO_TENSORS);
    return parts(ct_op_map(CT_ARGV(a, b), CT_NO_TENSORS, body));
}

TEST(complex_bodies)
{
    const ct_dims axes[N_AXES] = AXES;
    ct_context *ctx = ct_context_new();
    ct_tensor *re = given(ctx, CT_F64, CT_SHAPE(2, 1, 3), {1, -2, 0, 3, -1, 2});
    ct_tensor *im = given(ctx, CT_F64, CT_SHAPE(2, 1, 3), {0, 1, -1, 2, 1, -3});
    ct_tensor *one = ct_scalar(ctx, CT_F64, 1), *two = ct_scalar(ctx, CT_F64, 2);
    for (size_t i = 0; i < N_AXES; i++) {
        folding product = {{bodies_product, 1}, axes[i], 0};
        CHECK_LINEAR(ctx, reduce_complex, &product, 2, re, im, one, two);
    }
    const bodies_body product = {bodies_product, 1}, length = {bodies_length, 1};
    CHECK_SMOOTH(ctx, map_complex, &product, 2, re, im);
    CHECK_SMOOTH(ctx, map_complex, &length, 1, given(ctx, CT_F64, CT_SHAPE(2), {1, 2}),
                 given(ctx, CT_F64, CT_SHAPE(2), {0.5, -0.25}));
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* ---- Bodies that call. */

enum { LEVELS = 40 };

/* Each level calls the one below twice: 2^40 products, which are derived once. */
static void call_twice(void *user, ct_list p, ct_tensor **result)
{
    ct_function *below = *(ct_function **)user;
    ct_tensor *once = ct_apply1(below, CT_ARGV(p.item[0], p.item[1]));
    result[0] = ct_apply1(below, CT_ARGV(once, p.item[1]));
}

TEST(shared_calls)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = coded(ctx, CT_F64, 2), *s = ct_scalar(ctx, CT_F64, 1), *y;
    const bodies_body body = {bodies_product, 1};
    ct_function *f = bodies_record(ctx, &body, CT_F64, CT_NO_TENSORS), *levels[LEVELS + 1] = {f};
    for (size_t i = 0; i < LEVELS; i++)
        levels[i + 1] = ct_trace_many(ctx, call_twice, &levels[i], 1, CT_LIKE(s, s));
    ct_trace_builder *t = ct_trace_begin(ctx, "fold", CT_ARGV(x, s));
    y = ct_op_reduce(ct_trace_parameter(t, 0), ct_trace_parameter(t, 1), levels[LEVELS],
                     CT_DIMS(0));
    ct_jvp(ct_trace_end(t, CT_ARGV(y)), CT_ALL_ARGS);
    CHECK_OK(ctx);
    t = ct_trace_begin(ctx, "fold", CT_ARGV(x, s));
    y = ct_op_reduce(ct_trace_parameter(t, 0), ct_trace_parameter(t, 1), levels[2], CT_DIMS(0));
    ct_function *four = ct_trace_end(t, CT_ARGV(y));
    /* a body gives (a + 1) (b + 1)^4 - 1, all of them (1 + s) Π (1 + x)^4 - 1; x = 0 and 1, s = 1
     */
    ct_tensor *bar[2];
    ct_apply(ct_vjp(four, CT_ALL_ARGS), CT_ARGV(x, s, s), bar, 2);
    CHECK_VALUES(bar[0], CT_SHAPE(2), {128, 64});
    CHECK_VALUES(bar[1], CT_SHAPE(), {16});
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* ---- Folds that are linear. */

TEST(transposes)
{
    ct_context *ctx = ct_context_new();
    folding f = {{bodies_crossed, 2}, CT_DIMS(0), 0};
    ct_tensor *x = coded(ctx, CT_F64, 2, 3), *zero = ct_zeros(ctx, CT_F64, CT_SHAPE());
    ct_function *g = derivatives_record(ctx, reduce, &f, CT_LIKE(x, x, zero, zero));
    ct_function *t = ct_transpose_linear(g, CT_ALL_ARGS);
    ct_tensor *xbar[4];
    ct_apply(t, CT_ARGV(given(ctx, CT_F64, CT_SHAPE(6), {1, 2, 3, 10, 20, 30})), xbar, 4);
    CHECK_VALUES(xbar[0], CT_SHAPE(2, 3), {-30, -60, -90, -30, -60, -90});
    CHECK_VALUES(xbar[1], CT_SHAPE(2, 3), {2, 4, 6, 2, 4, 6});
    CHECK_VALUES(xbar[2], CT_SHAPE(), {6});
    CHECK_VALUES(xbar[3], CT_SHAPE(), {60});
    CHECK_OK(ctx);
    folding product = {{bodies_product, 1}, CT_DIMS(0), 0};
    g = derivatives_record(ctx, reduce, &product, CT_LIKE(x, zero));
    ct_transpose_linear(g, CT_ARGS(0));
    CHECK_ERROR(ctx, CT_ERR_RULE, "not linear");
    ct_context_free(ctx);
}

/* ---- map. */

typedef struct mapping {
    bodies_body body; /* of two parameters, or four */
    size_t n_captures;
} mapping;

/* Two x, captures. */
static ct_tensor *map(const void *user, ct_tensor *const *x)
{
    const mapping *m = user;
    ct_list captures = {m->n_captures, x + 2};
    ct_function *body = bodies_record(ct_context_of(x[0]), &m->body, ct_dtype_of(x[0]), captures);
    return ct_op_map(CT_ARGV(x[0], x[1]), captures, body);
}

TEST(maps)
{
    bodies_code *const code[] = {bodies_product,    bodies_length, bodies_branch, bodies_loop,
                                 bodies_difference, bodies_new,    bodies_old};
    ct_context *ctx = ct_context_new();
    ct_tensor *a = given(ctx, CT_F64, CT_SHAPE(2, 3), {1.5, -0.5, 0.75, -1.25, 2, 0.5});
    ct_tensor *b = given(ctx, CT_F64, CT_SHAPE(2, 3), {0.5, 1.5, -2, 0.25, 3, -1});
    for (size_t c = 0; c < sizeof code / sizeof *code; c++) {
        mapping m = {{code[c], 1}, 0};
        CHECK_SMOOTH(ctx, map, &m, 2, a, b);
        CHECK_SMOOTH(ctx, map, &m, 2, ct_scalar(ctx, CT_F64, 2), ct_scalar(ctx, CT_F64, 3));
        CHECK_SMOOTH_ANY(ctx, map, &m, 2, ct_zeros(ctx, CT_F64, CT_SHAPE(2, 0)),
                         ct_zeros(ctx, CT_F64, CT_SHAPE(2, 0)));
    }
    bodies_code *const captured[] = {bodies_captures, bodies_lookup, bodies_constant};
    for (size_t c = 0; c < sizeof captured / sizeof *captured; c++) {
        mapping m = {{captured[c], 1}, 2};
        CHECK_SMOOTH(ctx, map, &m, 2, a, b, ct_scalar(ctx, CT_F64, 1.5),
                     given(ctx, CT_F64, CT_SHAPE(3), {3, -5, 7}));
    }
    mapping m = {{bodies_product, 1}, 0};
    CHECK_DTYPES(ctx, map, &m, 2, a, b);
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

TEST(linear_maps)
{
    ct_context *ctx = ct_context_new();
    mapping m = {{bodies_difference, 1}, 0}, product = {{bodies_product, 1}, 0};
    ct_tensor *x = coded(ctx, CT_F64, 2, 3), *xbar[2];
    ct_function *f = derivatives_record(ctx, map, &m, CT_LIKE(x, x));
    ct_apply(ct_transpose_linear(f, CT_ALL_ARGS), CT_ARGV(x), xbar, 2);
    CHECK_VALUES(xbar[0], CT_SHAPE(2, 3), {0, 2, 4, 20, 22, 24});
    CHECK_VALUES(xbar[1], CT_SHAPE(2, 3), {0, -1, -2, -10, -11, -12});
    CHECK_OK(ctx);
    ct_transpose_linear(derivatives_record(ctx, map, &product, CT_LIKE(x, x)), CT_ALL_ARGS);
    CHECK_ERROR(ctx, CT_ERR_RULE, "not linear");
    ct_context_free(ctx);
}

/* ---- What cannot be derived says so. */

static void call_body(ct_tensor *const *p, ct_tensor **result)
{
    ct_op_custom_call(ct_context_of(p[0]), "mix", NULL, false, CT_ARGV(p[0], p[1]), CT_LIKE(p[0]),
                      result);
}

TEST(unknown_bodies)
{
    ct_context *ctx = ct_context_new();
    folding f = {{call_body, 1}, CT_DIMS(0), 0};
    ct_tensor *x = coded(ctx, CT_F64, 3), *init = ct_scalar(ctx, CT_F64, 1);
    ct_function *g = derivatives_record(ctx, reduce, &f, CT_LIKE(x, init));
    CHECK_OK(ctx);
    ct_jvp(g, CT_ALL_ARGS);
    CHECK_ERROR(ctx, CT_ERR_RULE, "custom_call: the derivative of @mix");
    ct_vjp(g, CT_ARGS(1));
    CHECK_ERROR(ctx, CT_ERR_RULE, "test_rules_body.c");
    ct_context_free(ctx);
}

/* Random numbers in a body: the derivative would draw others than the value did. */
static void draw(ct_tensor *const *p, ct_tensor **result)
{
    ct_tensor *zero = ct_op_subtract(p[0], p[0]), *one = ct_op_add(zero, ct_op_divide(p[1], p[1]));
    result[0] = ct_op_multiply(p[0], ct_op_rng(zero, one, CT_DIMS(), CT_RNG_UNIFORM));
}

TEST(effects_in_bodies)
{
    ct_context *ctx = ct_context_new();
    mapping m = {{draw, 1}, 0};
    ct_tensor *x = coded(ctx, CT_F64, 3);
    ct_function *f = derivatives_record(ctx, map, &m, CT_LIKE(x, x));
    CHECK_OK(ctx);
    ct_jvp(f, CT_ALL_ARGS);
    CHECK_ERROR(ctx, CT_ERR_RULE, "rng: a derivative of the body");
    ct_context_free(ctx);
}

/* ---- Memory. */

static void derive(ct_context *ctx)
{
    folding f = {{bodies_lookup, 1}, CT_DIMS(1), 2};
    mapping m = {{bodies_branch, 1}, 0};
    ct_tensor *x = coded(ctx, CT_F64, 2, 2), *s = ct_scalar(ctx, CT_F64, 1);
    ct_tensor *v = coded(ctx, CT_F64, 3);
    ct_vjp(derivatives_record(ctx, reduce, &f, CT_LIKE(x, s, s, v)), CT_ALL_ARGS);
    ct_jvp(derivatives_record(ctx, map, &m, CT_LIKE(x, x)), CT_ALL_ARGS);
    folding crossed = {{bodies_crossed, 2}, CT_DIMS(0), 0};
    ct_transpose_linear(derivatives_record(ctx, reduce, &crossed, CT_LIKE(x, x, s, s)),
                        CT_ALL_ARGS);
}

TEST(allocations)
{
    CHECK_ALLOCATIONS(derive);
}
