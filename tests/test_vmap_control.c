/* Branches and loops whose lanes go different ways. */
#include "tests/lanes.h"
#include "tests/values.h"

#include <cotangent/cotangent.h>

#include <stdio.h>
#include <string.h>

typedef struct program {
    const char *name, *text; /* of a function @main */
} program;

/* Loops of which some lanes end at once, and others after a few iterations; loops in loops; and
 * those that would never end in a lane that does not take their way. */
static const program programs[] = {
    {"powers", /* x doubled n times */
     "func.func @main(%n: tensor<i32>, %x: tensor<2xf64>) -> (tensor<i32>, tensor<2xf64>) {\n"
     "  %r:2 = stablehlo.while(%i = %n, %v = %x) : tensor<i32>, tensor<2xf64>\n"
     "  cond {\n"
     "    %zero = stablehlo.constant dense<0> : tensor<i32>\n"
     "    %p = stablehlo.compare GT, %i, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
     "    stablehlo.return %p : tensor<i1>\n"
     "  } do {\n"
     "    %one = stablehlo.constant dense<1> : tensor<i32>\n"
     "    %j = stablehlo.subtract %i, %one : tensor<i32>\n"
     "    %w = stablehlo.add %v, %v : tensor<2xf64>\n"
     "    stablehlo.return %j, %w : tensor<i32>, tensor<2xf64>\n"
     "  }\n"
     "  return %r#0, %r#1 : tensor<i32>, tensor<2xf64>\n"
     "}"},
    {"branch that does not end", /* n counted down to 0 exactly, where it is not below 0 */
     "func.func @main(%n: tensor<f64>, %m: tensor<f64>) -> tensor<f64> {\n"
     "  %zero = stablehlo.constant dense<0.0> : tensor<f64>\n"
     "  %p = stablehlo.compare GE, %n, %zero : (tensor<f64>, tensor<f64>) -> tensor<i1>\n"
     "  %f = stablehlo.floor %n : tensor<f64>\n"
     "  %r = \"stablehlo.if\"(%p) ({\n"
     "    %q:2 = stablehlo.while(%i = %f, %s = %m) : tensor<f64>, tensor<f64>\n"
     "    cond {\n"
     "      %go = stablehlo.compare NE, %i, %zero : (tensor<f64>, tensor<f64>) -> tensor<i1>\n"
     "      stablehlo.return %go : tensor<i1>\n"
     "    } do {\n"
     "      %one = stablehlo.constant dense<1.0> : tensor<f64>\n"
     "      %j = stablehlo.subtract %i, %one : tensor<f64>\n"
     "      %t = stablehlo.add %s, %i : tensor<f64>\n"
     "      stablehlo.return %j, %t : tensor<f64>, tensor<f64>\n"
     "    }\n"
     "    stablehlo.return %q#1 : tensor<f64>\n"
     "  }, {\n"
     "    stablehlo.return %m : tensor<f64>\n"
     "  }) : (tensor<i1>) -> tensor<f64>\n"
     "  return %r : tensor<f64>\n"
     "}"},
    {"loop of its own in a branch", /* the same, where lanes share what the loop looks at */
     "func.func @main(%n: tensor<f64>, %p: tensor<i1>) -> tensor<f64> {\n"
     "  %zero = stablehlo.constant dense<0.0> : tensor<f64>\n"
     "  %good = stablehlo.compare GE, %n, %zero : (tensor<f64>, tensor<f64>) -> tensor<i1>\n"
     "  %both = stablehlo.and %p, %good : tensor<i1>\n"
     "  %f = stablehlo.floor %n : tensor<f64>\n"
     "  %r = \"stablehlo.if\"(%both) ({\n"
     "    %s = func.call @down(%f) : (tensor<f64>) -> tensor<f64>\n"
     "    stablehlo.return %s : tensor<f64>\n"
     "  }, {\n"
     "    stablehlo.return %n : tensor<f64>\n"
     "  }) : (tensor<i1>) -> tensor<f64>\n"
     "  return %r : tensor<f64>\n"
     "}\n"
     "func.func private @down(%n: tensor<f64>) -> tensor<f64> {\n"
     "  %zero = stablehlo.constant dense<0.0> : tensor<f64>\n"
     "  %q:2 = stablehlo.while(%i = %n, %s = %zero) : tensor<f64>, tensor<f64>\n"
     "  cond {\n"
     "    %go = stablehlo.compare NE, %i, %zero : (tensor<f64>, tensor<f64>) -> tensor<i1>\n"
     "    stablehlo.return %go : tensor<i1>\n"
     "  } do {\n"
     "    %one = stablehlo.constant dense<1.0> : tensor<f64>\n"
     "    %j = stablehlo.subtract %i, %one : tensor<f64>\n"
     "    %t = stablehlo.add %s, %i : tensor<f64>\n"
     "    stablehlo.return %j, %t : tensor<f64>, tensor<f64>\n"
     "  }\n"
     "  return %q#1 : tensor<f64>\n"
     "}"},
    {"loops in a loop", /* a lane that has ended must not run the inner loop again */
     "func.func @main(%n: tensor<i32>, %k: tensor<i32>) -> tensor<i32> {\n"
     "  %zero = stablehlo.constant dense<0> : tensor<i32>\n"
     "  %one = stablehlo.constant dense<1> : tensor<i32>\n"
     "  %r:2 = stablehlo.while(%i = %n, %s = %zero) : tensor<i32>, tensor<i32>\n"
     "  cond {\n"
     "    %p = stablehlo.compare GT, %i, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
     "    stablehlo.return %p : tensor<i1>\n"
     "  } do {\n"
     "    %q:2 = stablehlo.while(%a = %i, %t = %s) : tensor<i32>, tensor<i32>\n"
     "    cond {\n"
     "      %p = stablehlo.compare NE, %a, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
     "      stablehlo.return %p : tensor<i1>\n"
     "    } do {\n"
     "      %b = stablehlo.subtract %a, %one : tensor<i32>\n"
     "      %u = stablehlo.add %t, %k : tensor<i32>\n"
     "      stablehlo.return %b, %u : tensor<i32>, tensor<i32>\n"
     "    }\n"
     "    %j = stablehlo.subtract %i, %one : tensor<i32>\n"
     "    stablehlo.return %j, %q#1 : tensor<i32>, tensor<i32>\n"
     "  }\n"
     "  return %r#1 : tensor<i32>\n"
     "}"},
    {"cases", /* an index out of range takes the last one */
     "func.func @main(%n: tensor<i32>, %x: tensor<3xf32>) -> (tensor<3xf32>, tensor<i32>) {\n"
     "  %r:2 = \"stablehlo.case\"(%n) ({\n"
     "    %y = stablehlo.sine %x : tensor<3xf32>\n"
     "    stablehlo.return %y, %n : tensor<3xf32>, tensor<i32>\n"
     "  }, {\n"
     "    %m = stablehlo.add %n, %n : tensor<i32>\n"
     "    stablehlo.return %x, %m : tensor<3xf32>, tensor<i32>\n"
     "  }, {\n"
     "    %y = stablehlo.negate %x : tensor<3xf32>\n"
     "    %z = stablehlo.constant dense<7> : tensor<i32>\n"
     "    stablehlo.return %y, %z : tensor<3xf32>, tensor<i32>\n"
     "  }) : (tensor<i32>) -> (tensor<3xf32>, tensor<i32>)\n"
     "  return %r#0, %r#1 : tensor<3xf32>, tensor<i32>\n"
     "}"},
};

/* Lanes that go their own ways draw one after the other. */
static const program drawing[] = {
    {"numbers drawn in a loop",
     "func.func @main(%n: tensor<i32>, %p: tensor<i1>) -> (tensor<f32>, tensor<f32>) {\n"
     "  %a = stablehlo.constant dense<0.0> : tensor<f32>\n"
     "  %b = stablehlo.constant dense<1.0> : tensor<f32>\n"
     "  %d = stablehlo.constant dense<> : tensor<0xi64>\n"
     "  %zero = stablehlo.constant dense<0> : tensor<i32>\n"
     "  %one = stablehlo.constant dense<1> : tensor<i32>\n"
     "  %r:2 = stablehlo.while(%i = %n, %s = %a) : tensor<i32>, tensor<f32>\n"
     "  cond {\n"
     "    %q = stablehlo.compare GT, %i, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
     "    stablehlo.return %q : tensor<i1>\n"
     "  } do {\n"
     "    %x = stablehlo.rng %a, %b, %d, distribution = UNIFORM : (tensor<f32>, tensor<f32>, "
     "tensor<0xi64>) -> tensor<f32>\n"
     "    %j = stablehlo.subtract %i, %one : tensor<i32>\n"
     "    stablehlo.return %j, %x : tensor<i32>, tensor<f32>\n"
     "  }\n"
     "  return %r#1, %a : tensor<f32>, tensor<f32>\n"
     "}"},
    {"a choice that draws",
     "func.func @main(%n: tensor<i32>, %x: tensor<f32>) -> tensor<f32> {\n"
     "  %a = stablehlo.constant dense<0.0> : tensor<f32>\n"
     "  %b = stablehlo.constant dense<1.0> : tensor<f32>\n"
     "  %d = stablehlo.constant dense<> : tensor<0xi64>\n"
     "  %r = \"stablehlo.case\"(%n) ({\n"
     "    %u = stablehlo.rng %a, %b, %d, distribution = UNIFORM : (tensor<f32>, tensor<f32>, "
     "tensor<0xi64>) -> tensor<f32>\n"
     "    stablehlo.return %u : tensor<f32>\n"
     "  }, {\n"
     "    stablehlo.return %x : tensor<f32>\n"
     "  }) : (tensor<i32>) -> tensor<f32>\n"
     "  return %r : tensor<f32>\n"
     "}"},
};

static ct_function *read_program(ct_context *ctx, const program *p)
{
    ct_module *module = ct_read_stablehlo_text(ctx, p->name, p->text, strlen(p->text));
    ct_function *f = ct_module_function(module, "main");
    CHECK_MSG(!ct_failed(ctx), "%s: %s", p->name, ct_error_message(ctx));
    return f;
}

TEST(ways_of_lanes)
{
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        ct_context *ctx = ct_context_new();
        lanes_check_all(ctx, read_program(ctx, &programs[i]), programs[i].name);
        ct_context_free(ctx);
    }
}

TEST(ways_that_draw)
{
    for (size_t i = 0; i < sizeof drawing / sizeof *drawing; i++) {
        ct_context *ctx = ct_context_new();
        ct_function *f = read_program(ctx, &drawing[i]);
        for (uint32_t seed = 0; seed < 6; seed++)
            lanes_check(ctx, f, (lanes_way){3, seed % 2 ? 1 : 3, 0, seed, NULL}, drawing[i].name);
        ct_context_free(ctx);
    }
}

/* A loop's carry that no iteration changes, and what is the same in all lanes, stay so. */
TEST(what_lanes_share)
{
    static const program shared = {
        "shared",
        "func.func @main(%n: tensor<i32>, %c: tensor<2xf64>, %x: tensor<2xf64>) -> (tensor<2xf64>, "
        "tensor<i32>, tensor<2xf64>) {\n"
        "  %zero = stablehlo.constant dense<0> : tensor<i32>\n"
        "  %one = stablehlo.constant dense<1> : tensor<i32>\n"
        "  %r:3 = stablehlo.while(%k = %c, %i = %n, %v = %x) : tensor<2xf64>, tensor<i32>, "
        "tensor<2xf64>\n"
        "  cond {\n"
        "    %p = stablehlo.compare GT, %i, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
        "    stablehlo.return %p : tensor<i1>\n"
        "  } do {\n"
        "    %j = stablehlo.subtract %i, %one : tensor<i32>\n"
        "    %w = stablehlo.multiply %v, %k : tensor<2xf64>\n"
        "    stablehlo.return %k, %j, %w : tensor<2xf64>, tensor<i32>, tensor<2xf64>\n"
        "  }\n"
        "  return %r#0, %r#1, %r#2 : tensor<2xf64>, tensor<i32>, tensor<2xf64>\n"
        "}"};
    ct_context *ctx = ct_context_new();
    ct_function *f = read_program(ctx, &shared);
    ct_vmap(f, 3, CT_AXES(0, CT_UNBATCHED, 0), CT_AXES(CT_UNBATCHED, 0, 0));
    CHECK_OK(ctx);
    ct_vmap(f, 3, CT_AXES(CT_UNBATCHED, CT_UNBATCHED, 0), CT_AXES(CT_UNBATCHED, CT_UNBATCHED, 0));
    CHECK_OK(ctx);
    ct_vmap(f, 3, CT_AXES(0, CT_UNBATCHED, 0), CT_AXES(0, CT_UNBATCHED, 0));
    CHECK_ERROR(ctx, CT_ERR_SHAPE, "result 1 cannot be CT_UNBATCHED");
    lanes_check_all(ctx, f, "shared");
    ct_context_free(ctx);
}

/* ---- Derivatives: what a lane does not take contributes 0, also where it is infinite. */

static ct_tensor *root(void *user)
{
    return ct_sqrt((ct_tensor *)user);
}

static ct_tensor *nothing(void *user)
{
    return ct_mul((ct_tensor *)user, 0);
}

static ct_tensor *root_above_0(ct_tensor *x)
{
    return ct_if(ct_gt(x, 0), root, nothing, x);
}

TEST(a_branch_that_is_not_taken)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = given(ctx, CT_F64, CT_SHAPE(4), {4, 0, -1, 0.25});
    ct_tensor *ones = ct_ones(ctx, CT_F64, CT_SHAPE(4));
    ct_function *f = ct_trace(ctx, root_above_0, CT_LIKE(ct_spec(ctx, CT_F64, CT_SHAPE())));
    ct_function *lanes = ct_vmap_leading(f, 4);
    CHECK_VALUES(ct_apply1(lanes, CT_ARGV(x)), CT_SHAPE(4), {2, 0, 0, 0.5});
    CHECK_VALUES(ct_apply1(ct_vjp(lanes, CT_ARGS(0)), CT_ARGV(x, ones)), CT_SHAPE(4),
                 {0.25, 0, 0, 1});
    CHECK_VALUES(ct_apply1(ct_vmap_leading(ct_grad(f, CT_ARGS(0)), 4), CT_ARGV(x)), CT_SHAPE(4),
                 {0.25, 0, 0, 1});
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* Both ways round: the derivative of all lanes at once, and the lanes of the derivative. */
static void check_vjp(ct_context *ctx, ct_function *f, const char *what)
{
    lanes_check_all(ctx, ct_vjp(f, CT_ALL_ARGS), what);
    ct_function *first = ct_vmap_leading(ct_vjp(f, CT_ALL_ARGS), 3);
    ct_function *last = ct_vjp(ct_vmap_leading(f, 3), CT_ALL_ARGS);
    ct_tensor *argument[8], *a[8], *b[8];
    size_t n = ct_function_parameters(first), results = ct_function_results(first);
    for (size_t i = 0; i < n; i++) {
        const ct_type *type = ct_parameter_type(first, i);
        double value[64];
        for (size_t k = 0; k < 64; k++)
            value[k] = ct_dtype_is_float(ct_type_dtype(type)) ? 0.25 * (double)(k + i)
                                                              : (double)(k % 4);
        argument[i] = ct_from_doubles(ctx, ct_type_dtype(type), ct_type_shape(type), value);
    }
    ct_apply(first, CT_LIST(n, argument), a, results);
    ct_apply(last, CT_LIST(n, argument), b, results);
    CHECK_MSG(!ct_failed(ctx), "%s: %s", what, ct_error_message(ctx));
    for (size_t i = 0; i < results; i++)
        CHECK_EQUAL(a[i], b[i]);
}

TEST(derivatives_of_loops)
{
    for (size_t i = 0; i < 3; i++) {
        ct_context *ctx = ct_context_new();
        check_vjp(ctx, read_program(ctx, &programs[i == 2 ? 4 : i]), programs[i].name);
        ct_context_free(ctx);
    }
}

/* A loop in a loop, whose values are kept in stacks of stacks, each lane's with counts of its own:
 * x times cos(x)^k, n times over. */
TEST(derivatives_of_loops_in_loops)
{
    static const program nested = {
        "nested",
        "func.func @main(%n: tensor<i32>, %x: tensor<f64>) -> tensor<f64> {\n"
        "  %zero = stablehlo.constant dense<0> : tensor<i32>\n"
        "  %one = stablehlo.constant dense<1> : tensor<i32>\n"
        "  %r:2 = stablehlo.while(%i = %n, %s = %x) : tensor<i32>, tensor<f64>\n"
        "  cond {\n"
        "    %p = stablehlo.compare GT, %i, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
        "    stablehlo.return %p : tensor<i1>\n"
        "  } do {\n"
        "    %q:2 = stablehlo.while(%a = %i, %t = %s) : tensor<i32>, tensor<f64>\n"
        "    cond {\n"
        "      %p = stablehlo.compare NE, %a, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
        "      stablehlo.return %p : tensor<i1>\n"
        "    } do {\n"
        "      %b = stablehlo.subtract %a, %one : tensor<i32>\n"
        "      %c = stablehlo.cosine %t : tensor<f64>\n"
        "      %u = stablehlo.multiply %t, %c : tensor<f64>\n"
        "      stablehlo.return %b, %u : tensor<i32>, tensor<f64>\n"
        "    }\n"
        "    %j = stablehlo.subtract %i, %one : tensor<i32>\n"
        "    stablehlo.return %j, %q#1 : tensor<i32>, tensor<f64>\n"
        "  }\n"
        "  return %r#1 : tensor<f64>\n"
        "}"};
    ct_context *ctx = ct_context_new();
    check_vjp(ctx, read_program(ctx, &nested), "nested");
    ct_context_free(ctx);
}

/* ---- Depth: work grows with the program, not with 2^depth. */

static ct_tensor *twice(void *f, ct_tensor *x)
{
    return ct_apply1(f, CT_ARGV(ct_apply1(f, CT_ARGV(x))));
}

static ct_tensor *plus_one(ct_tensor *x)
{
    return ct_add(x, 1);
}

/* Each level calls the one below twice. */
TEST(calls_of_calls)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = ct_spec(ctx, CT_F64, CT_SHAPE());
    ct_function *f = ct_trace(ctx, plus_one, CT_LIKE(x));
    for (int i = 0; i < 100; i++)
        f = ct_trace_user(ctx, twice, f, CT_LIKE(x));
    CHECK(!ct_function_is_poison(ct_vmap_leading(f, 3)));
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

typedef struct level {
    int depth;
    ct_tensor *x;
} level;

static void deeper_body(void *user, ct_tensor **carry, ct_tensor *const *x, ct_tensor **y)
{
    level *l = user;
    ct_tensor *inner = ct_scalar(ct_context_of(l->x), CT_F64, 0);
    level below = {l->depth - 1, l->x};
    (void)x;
    (void)y;
    if (l->depth > 0)
        ct_scan(deeper_body, &below, .length = 1, .n_carry = 1, .carry = &inner);
    carry[0] = ct_add(ct_add(carry[0], inner), l->x);
}

static ct_tensor *deep_loops(ct_tensor *x)
{
    ct_tensor *carry = ct_scalar(ct_context_of(x), CT_F64, 0);
    level top = {20, x};
    ct_scan(deeper_body, &top, .length = 2, .n_carry = 1, .carry = &carry);
    return carry;
}

static ct_tensor *number(void *user)
{
    return ct_scalar(ct_context_of(((level *)user)->x), CT_F64, ((level *)user)->depth);
}

static ct_tensor *next_if(void *user)
{
    level *l = user, below = {l->depth - 1, l->x};
    return l->depth == 0 ? ct_square(l->x) : ct_if(ct_gt(l->x, l->depth), number, next_if, &below);
}

static ct_tensor *else_ifs(ct_tensor *x)
{
    level top = {30, x};
    return next_if(&top);
}

TEST(bodies_in_bodies)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = given(ctx, CT_F64, CT_SHAPE(4), {0.5, 3.5, 100, -2});
    ct_tensor *y = ct_vmap_of(ctx, deep_loops, CT_AXES(0), 0, x);
    CHECK_VALUES(y, CT_SHAPE(4), {21, 147, 4200, -84});
    y = ct_vmap_of(ctx, else_ifs, CT_AXES(0), 0, x);
    CHECK_VALUES(y, CT_SHAPE(4), {0.25, 2, 29, 4});
    CHECK_OK(ctx);
    ct_context_free(ctx);
}
