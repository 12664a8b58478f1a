/* Derivatives of what moves, adds and multiplies complex values, and of loops and branches over
 * them: programs in text, from the parts x and y of z = x + i y to the parts of what they make. On
 * whole numbers, so that linear rules are compared bit by bit. */
#include "tests/derivatives.h"

#include <cotangent/cotangent.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct text_program {
    const char *text; /* a module with @main */
} text_program;

static ct_tensor *run_text(const void *user, ct_tensor *const *x)
{
    const char *text = ((const text_program *)user)->text;
    ct_context *ctx = ct_context_of(x[0]);
    ct_module *module = ct_read_stablehlo_text(ctx, "program", text, strlen(text));
    ct_function *f = ct_module_function(module, "main");
    return ct_apply1(f, CT_ARGV(x[0], x[1]));
}

/* x, y: T -> the parts of w: W, which the body makes of %z. */
#define PROGRAM(T, W, body)                                                                        \
    {                                                                                              \
        "func.func private @parts(%w: tensor<" W "xcomplex<f64>>) -> tensor<2x" W "xf64> {\n"      \
        "  %re = stablehlo.real %w : (tensor<" W "xcomplex<f64>>) -> tensor<" W "xf64>\n"          \
        "  %im = stablehlo.imag %w : (tensor<" W "xcomplex<f64>>) -> tensor<" W "xf64>\n"          \
        "  %a = stablehlo.reshape %re : (tensor<" W "xf64>) -> tensor<1x" W "xf64>\n"              \
        "  %b = stablehlo.reshape %im : (tensor<" W "xf64>) -> tensor<1x" W "xf64>\n"              \
        "  %c = stablehlo.concatenate %a, %b, dim = 0 : (tensor<1x" W "xf64>, tensor<1x" W         \
        "xf64>)"                                                                                   \
        " -> tensor<2x" W "xf64>\n"                                                                \
        "  return %c : tensor<2x" W "xf64>\n}\n"                                                   \
        "func.func @main(%x: tensor<" T "xf64>, %y: tensor<" T "xf64>) -> tensor<2x" W "xf64> {\n" \
        "  %z = stablehlo.complex %x, %y : tensor<" T "xcomplex<f64>>\n"                           \
        "  %zero = stablehlo.constant dense<(0.0, 0.0)> : tensor<complex<f64>>\n"                  \
        "  %one = stablehlo.constant dense<(1.0, 0.0)> : tensor<complex<f64>>\n" body              \
        "\n  %out = func.call @parts(%w) : (tensor<" W "xcomplex<f64>>) -> tensor<2x" W "xf64>\n"  \
        "  return %out : tensor<2x" W "xf64>\n}\n"                                                 \
    }
#define C(T) "tensor<" T "xcomplex<f64>>"
#define SCALAR "tensor<complex<f64>>"

static const text_program moves[] = {
    PROGRAM("2x3", "3x2",
            "%w = stablehlo.transpose %z, dims = [1, 0] : (" C("2x3") ") -> " C("3x2")),
    PROGRAM("2x3", "2x3", "%w = stablehlo.reverse %z, dims = [1] : " C("2x3")),
    PROGRAM("2x3", "4x2x3",
            "%w = stablehlo.broadcast_in_dim %z, dims = [1, 2] : (" C("2x3") ") -> " C("4x2x3")),
    PROGRAM("2x3", "1x2", "%w = stablehlo.slice %z [1:2, 0:3:2] : (" C("2x3") ") -> " C("1x2")),
    PROGRAM("2x3", "3x4",
            "%i = stablehlo.constant dense<(2.0, 3.0)> : " SCALAR "\n"
            "%w = stablehlo.pad %z, %i, low = [1, -1], high = [0, 0], interior = [0, 1] : (" C(
                "2x3") ", " SCALAR ") -> " C("3x4")),
    PROGRAM(
        "2x3", "2x6",
        "%w = stablehlo.concatenate %z, %z, dim = 1 : (" C("2x3") ", " C("2x3") ") -> " C("2x6")),
    PROGRAM("2x3", "2x2",
            "%i = stablehlo.constant dense<[2, 9]> : tensor<2xi32>\n"
            "%w = \"stablehlo.gather\"(%z, %i) <{dimension_numbers = #stablehlo.gather<offset_dims "
            "= [0], collapsed_slice_dims = [1], start_index_map = [1], index_vector_dim = 1>, "
            "slice_sizes = array<i64: 2, 1>}> : (" C("2x3") ", tensor<2xi32>) -> " C("2x2")),
    PROGRAM("2x3", "2x3",
            "%i = stablehlo.constant dense<[[0], [0]]> : tensor<2x1xi32>\n"
            "%w = \"stablehlo.scatter\"(%z, %i, %z) <{scatter_dimension_numbers = "
            "#stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], "
            "scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({\n"
            "^bb0(%a: " SCALAR ", %b: " SCALAR "):\n  %s = stablehlo.add %a, %b : " SCALAR "\n"
            "  stablehlo.return %s : " SCALAR
            "\n}) : (" C("2x3") ", tensor<2x1xi32>, " C("2x3") ") -> " C("2x3")),
    PROGRAM("2x3", "1x2",
            "%i = stablehlo.constant dense<7> : tensor<i32>\n"
            "%w = stablehlo.dynamic_slice %z, %i, %i, sizes = [1, 2] : (" C(
                "2x3") ", tensor<i32>, tensor<i32>) -> " C("1x2")),
    PROGRAM("2x3", "2x3",
            "%p = stablehlo.constant dense<[[true, false, true], [false, false, true]]> : "
            "tensor<2x3xi1>\n%n = stablehlo.negate %z : " C(
                "2x3") "\n"
                       "%w = stablehlo.select %p, %n, %z : tensor<2x3xi1>, " C("2x3")),
    PROGRAM("2x3", "3",
            "%w = stablehlo.reduce(%z init: %one) applies stablehlo.add across dimensions = [0] : "
            "(" C("2x3") ", " SCALAR ") -> " C("3")),
    PROGRAM(
        "2x3", "2x2",
        "%w = \"stablehlo.reduce_window\"(%z, %one) <{window_dimensions = array<i64: 1, 2>}> ({\n"
        "^bb0(%a: " SCALAR ", %b: " SCALAR "):\n  %s = stablehlo.add %a, %b : " SCALAR "\n"
        "  stablehlo.return %s : " SCALAR "\n}) : (" C("2x3") ", " SCALAR ") -> " C("2x2")),
    PROGRAM("2x3", "2x2",
            "%i = stablehlo.constant dense<[[(1.0, 2.0), (0.0, -1.0)], [(3.0, 0.0), (-2.0, 5.0)], "
            "[(0.0, 0.0), (4.0, -3.0)]]> : " C(
                "3x2") "\n"
                       "%w = stablehlo.dot_general %z, %i, contracting_dims = [1] x [0] : (" C(
                           "2x3") ", " C("3x2") ") -> " C("2x2")),
    PROGRAM("2x3", "2x3", "%w = stablehlo.optimization_barrier %z : " C("2x3")),
};

/* The derivatives of a product of complex inputs have products of different inputs. */
static const text_program products[] = {
    PROGRAM("3x2", "2",
            "%w = stablehlo.reduce(%z init: %one) applies stablehlo.multiply across dimensions = "
            "[0] : (" C("3x2") ", " SCALAR ") -> " C("2")),
    PROGRAM(
        "3x2", "2x2",
        "%w = \"stablehlo.reduce_window\"(%z, %one) <{window_dimensions = array<i64: 2, 1>}> ({\n"
        "^bb0(%a: " SCALAR ", %b: " SCALAR "):\n  %s = stablehlo.multiply %a, %b : " SCALAR "\n"
        "  stablehlo.return %s : " SCALAR "\n}) : (" C("3x2") ", " SCALAR ") -> " C("2x2")),
    PROGRAM(
        "3x2", "2x3",
        "%t = stablehlo.transpose %z, dims = [1, 0] : (" C("3x2") ") -> " C(
            "2x3") "\n"
                   "%g = stablehlo.dot_general %z, %t, contracting_dims = [1] x [0] : (" C(
                       "3x2") ", " C("2x3") ") -> " C("3x3") "\n"
                                                             "%w = stablehlo.slice %g [0:2, 0:3] : "
                                                             "(" C("3x3") ") -> " C("2x3")),
    PROGRAM(
        "3x2", "3x2",
        "%i = stablehlo.constant dense<0> : tensor<i64>\n"
        "%n = stablehlo.constant dense<2> : tensor<i64>\n"
        "%k = stablehlo.constant dense<1> : tensor<i64>\n"
        "%r:2 = stablehlo.while(%c = %i, %v = %z) : tensor<i64>, " C(
            "3x2") "\n"
                   "cond {\n  %p = stablehlo.compare LT, %c, %n : (tensor<i64>, tensor<i64>) -> "
                   "tensor<i1>\n"
                   "  stablehlo.return %p : tensor<i1>\n} do {\n"
                   "  %m = stablehlo.multiply %v, %z : " C(
                       "3x2") "\n"
                              "  %e = stablehlo.cosine %m : " C(
                                  "3x2") "\n"
                                         "  %d = stablehlo.add %c, %k : tensor<i64>\n"
                                         "  stablehlo.return %d, %e : tensor<i64>, " C(
                                             "3x2") "\n}\n"
                                                    "%w = stablehlo.multiply %r#1, %z : " C("3x2")),
    PROGRAM("3x2", "3x2",
            "%p = stablehlo.constant dense<true> : tensor<i1>\n"
            "%w = \"stablehlo.if\"(%p) ({\n  %a = stablehlo.sine %z : " C(
                "3x2") "\n"
                       "  stablehlo.return %a : " C("3x2") "\n}, {\n  stablehlo.return %z : " C(
                           "3x2") "\n})"
                                  " : (tensor<i1>) -> " C("3x2")),
    PROGRAM("3x2", "3x2",
            "%w = \"stablehlo.sort\"(%z) <{dimension = 0 : i64}> ({\n"
            "^bb0(%a: " SCALAR ", %b: " SCALAR "):\n"
            "  %c = stablehlo.real %a : (" SCALAR ") -> tensor<f64>\n"
            "  %d = stablehlo.real %b : (" SCALAR ") -> tensor<f64>\n"
            "  %p = stablehlo.compare LT, %c, %d : (tensor<f64>, tensor<f64>) -> tensor<i1>\n"
            "  stablehlo.return %p : tensor<i1>\n}) : (" C("3x2") ") -> " C("3x2")),
    PROGRAM("3x2", "2x2",
            "%m = stablehlo.constant dense<(0xFFF0000000000000, 0.0)> : " SCALAR "\n"
            "%w = \"stablehlo.reduce_window\"(%z, %m) <{window_dimensions = array<i64: 2, 1>}> ({\n"
            "^bb0(%a: " SCALAR ", %b: " SCALAR "):\n  %s = stablehlo.maximum %a, %b : " SCALAR "\n"
            "  stablehlo.return %s : " SCALAR "\n}) : (" C("3x2") ", " SCALAR ") -> " C("2x2")),
    PROGRAM("3x2", "3x2",
            "%i = stablehlo.constant dense<[[1], [1], [2]]> : tensor<3x1xi32>\n"
            "%v = stablehlo.sine %z : " C(
                "3x2") "\n"
                       "%w = \"stablehlo.scatter\"(%z, %i, %v) <{scatter_dimension_numbers = "
                       "#stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], "
                       "scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({\n"
                       "^bb0(%a: " SCALAR ", %b: " SCALAR
                       "):\n  %s = stablehlo.maximum %a, %b : " SCALAR "\n"
                       "  stablehlo.return %s : " SCALAR
                       "\n}) : (" C("3x2") ", tensor<3x1xi32>, " C("3x2") ") -> " C("3x2")),
    PROGRAM("3x2", "3x2",
            "%i = stablehlo.constant dense<[[1], [1], [2]]> : tensor<3x1xi32>\n"
            "%v = stablehlo.sine %z : " C(
                "3x2") "\n"
                       "%w = \"stablehlo.scatter\"(%z, %i, %v) <{scatter_dimension_numbers = "
                       "#stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], "
                       "scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({\n"
                       "^bb0(%a: " SCALAR ", %b: " SCALAR
                       "):\n  %s = stablehlo.multiply %a, %b : " SCALAR "\n"
                       "  stablehlo.return %s : " SCALAR
                       "\n}) : (" C("3x2") ", tensor<3x1xi32>, " C("3x2") ") -> " C("3x2")),
    PROGRAM("3x2", "2",
            "%w = \"stablehlo.reduce\"(%z, %one) <{dimensions = array<i64: 0>}> ({\n"
            "^bb0(%a: " SCALAR ", %b: " SCALAR "):\n  %s = stablehlo.multiply %a, %b : " SCALAR "\n"
            "  %t = stablehlo.sine %s : " SCALAR "\n"
            "  stablehlo.return %t : " SCALAR "\n}) : (" C("3x2") ", " SCALAR ") -> " C("2")),
    PROGRAM("3x2", "2",
            "%m = stablehlo.constant dense<(0xFFF0000000000000, 0.0)> : " SCALAR "\n"
            "%w = stablehlo.reduce(%z init: %m) applies stablehlo.maximum across dimensions = [0] "
            ": (" C("3x2") ", " SCALAR ") -> " C("2")),
};

TEST(linear)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = given(ctx, CT_F64, CT_SHAPE(2, 3), {2, -3, 5, 7, -11, 13});
    ct_tensor *y = given(ctx, CT_F64, CT_SHAPE(2, 3), {17, 19, -23, 29, 31, -37});
    for (size_t i = 0; i < sizeof moves / sizeof *moves; i++)
        CHECK_LINEAR(ctx, run_text, &moves[i], 2, x, y);
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

TEST(not_linear)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = given(ctx, CT_F64, CT_SHAPE(3, 2), {0.75, -0.5, 0.25, 1.25, -0.375, 0.5});
    ct_tensor *y = given(ctx, CT_F64, CT_SHAPE(3, 2), {-0.25, 1, 0.625, -0.5, 0.75, -0.125});
    for (size_t i = 0; i < sizeof products / sizeof *products; i++)
        CHECK_SMOOTH(ctx, run_text, &products[i], 2, x, y);
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

static ct_tensor *guarded(ct_tensor *t, ct_tensor *f)
{
    return ct_op_scale(t, f);
}

static ct_tensor *guarded_either_way(ct_tensor *t, ct_tensor *u)
{
    return ct_op_scale_either(t, u);
}

/* The guarded product is printed with its decomposition, which gives the same, and read again. */
TEST(scale_in_text)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *re = given(ctx, CT_F64, CT_SHAPE(5), {0, 2, INFINITY, 2, NAN});
    ct_tensor *im = given(ctx, CT_F64, CT_SHAPE(5), {0, 3, 1, 3, 0});
    ct_tensor *t = ct_op_complex(re, im);
    re = given(ctx, CT_F64, CT_SHAPE(5), {INFINITY, 5, 0, 0, 0});
    ct_tensor *f = ct_op_complex(re, given(ctx, CT_F64, CT_SHAPE(5), {0, -7, 0, 0, 0}));
    ct_function *own = ct_trace(ctx, guarded, CT_LIKE(t, f));
    const char *text = ct_stablehlo_text(own, CT_WRITE_PRETTY);
    CHECK_MSG(strstr(text, "dense<(0.0,0.0)> : tensor<5xcomplex<f64>>"), "%s", text);
    ct_module *module = ct_read_stablehlo_text(ctx, "scale", text, strlen(text));
    ct_tensor *whole = ct_apply1(ct_module_function(module, NULL), CT_ARGV(t, f));
    ct_function *parts = ct_module_function(module, "ct.scale.c128_5");
    CHECK_VALUES(ct_op_real(whole), CT_SHAPE(5), {0, 31, 0, 0, NAN});
    CHECK_VALUES(ct_op_imag(whole), CT_SHAPE(5), {0, 1, 0, 0, NAN});
    CHECK_EQUAL(ct_apply1(parts, CT_ARGV(t, f)), whole);
    CHECK_EQUAL(ct_apply1(own, CT_ARGV(t, f)), whole);
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* The same of scale_either. */
TEST(scale_either_in_text)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *t = given(ctx, CT_F64, CT_SHAPE(5), {0, INFINITY, NAN, NAN, -2});
    ct_tensor *u = given(ctx, CT_F64, CT_SHAPE(5), {NAN, -0.0, 0, 1, 3});
    ct_function *own = ct_trace(ctx, guarded_either_way, CT_LIKE(t, u));
    const char *text = ct_stablehlo_text(own, CT_WRITE_PRETTY);
    ct_module *module = ct_read_stablehlo_text(ctx, "scale_either", text, strlen(text));
    ct_function *read = ct_module_function(module, NULL);
    CHECK_MSG(strstr(text, "composite \"ct.scale_either\""), "%s", text);
    CHECK(strcmp(ct_stablehlo_text(read, CT_WRITE_PRETTY), text) == 0);
    ct_function *parts = ct_module_function(module, "ct.scale_either.f64_5");
    CHECK_VALUES(ct_apply1(read, CT_ARGV(t, u)), CT_SHAPE(5), {0, 0, 0, NAN, -6});
    CHECK_VALUES(ct_apply1(parts, CT_ARGV(t, u)), CT_SHAPE(5), {0, 0, 0, NAN, -6});
    CHECK_OK(ctx);
    ct_context_free(ctx);
}
