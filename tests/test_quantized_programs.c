/* Quantized tensors in programs: arithmetic, bodies, loops, text and back, derivatives, memory that
 * runs out. */
#include "tests/values.h"

#include "trace/trace.h"

#include <cotangent/ad.h>
#include <cotangent/exec.h>
#include <cotangent/module.h>
#include <cotangent/op.h>

#include <stdio.h>
#include <string.h>

/* One scale for all: i8, f32. */
static ct_quantization one(const double *scale, const int64_t *zero_point)
{
    return (ct_quantization){.storage = CT_I8,
                             .expressed = CT_F32,
                             .axis = -1,
                             .count = 1,
                             .scale = scale,
                             .zero_point = zero_point};
}

#define ONE(scale, zero_point) one((const double[]){scale}, (const int64_t[]){zero_point})

/* ---- Programs. Types are abbreviated: A and so on stand for a quantization. */

static const char *const abbreviation[][2] = {
    {"$A", "!quant.uniform<i8:f32, 0.5:1>"},
    {"$B", "!quant.uniform<i8:f32, 0.25:-2>"},
    {"$C", "!quant.uniform<i32:f32, 0.125>"},
    {"$D", "!quant.uniform<i8<-127:127>:f32:1, {5.000000e-01,2.500000e-01:3}>"},
    {"$E", "!quant.uniform<u8:bf16, 2.000000e+00:100>"},
};

static const char *expand(char *buffer, size_t bytes, const char *text)
{
    size_t used = 0;

    while (*text) {
        const char *with = NULL;
        for (size_t i = 0; i < sizeof abbreviation / sizeof *abbreviation && !with; i++)
            if (strncmp(text, abbreviation[i][0], 2) == 0)
                with = abbreviation[i][1];
        used += (size_t)snprintf(buffer + used, bytes - used, "%.*s", with ? 99 : 1,
                                 with ? with : text);
        CHECK(used < bytes);
        text += with ? 2 : 1;
    }
    return buffer;
}

static ct_function *read_text(ct_context *ctx, const char *text)
{
    char program[8000];

    expand(program, sizeof program, text);
    ct_function *f = ct_module_function(
        ct_read_stablehlo_text(ctx, "test", program, strlen(program)), NULL);
    CHECK_OK(ctx);
    return f;
}

/* The function's only result; its text is read back as the same function, in both forms, and
 * computing operation by operation gives the same bits. */
static ct_tensor *run(ct_context *ctx, const char *text, ct_list arguments)
{
    ct_function *f = read_text(ctx, text);

    for (unsigned flags = CT_WRITE_PRETTY; flags <= CT_WRITE_GENERIC; flags++) {
        const char *printed = ct_stablehlo_text(f, flags);
        ct_function *g = ct_module_function(
            ct_read_stablehlo_text(ctx, "again", printed, strlen(printed)), NULL);
        CHECK_OK(ctx);
        CHECK_MSG(ct__graph_equal(f->graph, g->graph, false), "\n%s", printed);
    }
    ct_tensor *y = ct_call1(ct_compile(f, NULL), arguments);
    CHECK_BITS(ct_apply1(f, arguments), y);
    return y;
}

#define X2 given(ctx, CT_F32, CT_SHAPE(2, 2), {1, -2, 3.5, 0.5})

TEST(arithmetic)
{
    ct_context *ctx = ct_context_new();
    /* a = 1 -2 3.5 0.5 (i8: 3 -3 8 2), b = a with step 0.25 (i8: 2 -10 12 0) */
    ct_tensor *y = run(
        ctx,
        "func.func @main(%x: tensor<2x2xf32>) -> tensor<2x2xi32> {\n"
        "  %a = stablehlo.uniform_quantize %x : (tensor<2x2xf32>) -> tensor<2x2x$A>\n"
        "  %b = stablehlo.uniform_quantize %x : (tensor<2x2xf32>) -> tensor<2x2x$B>\n"
        "  %c = stablehlo.multiply %a, %b : (tensor<2x2x$A>, tensor<2x2x$B>) -> tensor<2x2x$C>\n"
        "  %i = stablehlo.bitcast_convert %c : (tensor<2x2x$C>) -> tensor<2x2xi32>\n"
        "  return %i : tensor<2x2xi32>\n"
        "}\n",
        CT_ARGV(X2));
    CHECK_VALUES(y, CT_SHAPE(2, 2), {8, 32, 98, 2}); /* squares / 0.125 */
    y = run(ctx,
            "func.func @main(%x: tensor<2x2xf32>) -> tensor<2x2xi8> {\n"
            "  %a = stablehlo.uniform_quantize %x : (tensor<2x2xf32>) -> tensor<2x2x$A>\n"
            "  %b = stablehlo.uniform_quantize %x : (tensor<2x2xf32>) -> tensor<2x2x$B>\n"
            "  %c = stablehlo.add %a, %b : (tensor<2x2x$A>, tensor<2x2x$B>) -> tensor<2x2x$D>\n"
            "  %i = stablehlo.bitcast_convert %c : (tensor<2x2x$D>) -> tensor<2x2xi8>\n"
            "  return %i : tensor<2x2xi8>\n"
            "}\n",
            CT_ARGV(X2));
    CHECK_VALUES(y, CT_SHAPE(2, 2), {4, -13, 14, 7}); /* 2 -4 7 1 in steps 0.5, 0.25:3 */
    y = run(ctx,
            "func.func @main(%x: tensor<2x2xf32>) -> tensor<2x2xi8> {\n"
            "  %a = stablehlo.uniform_quantize %x : (tensor<2x2xf32>) -> tensor<2x2x$A>\n"
            "  %m = stablehlo.maximum %a, %a : tensor<2x2x$A>\n"
            "  %c = stablehlo.negate %m : (tensor<2x2x$A>) -> tensor<2x2x$B>\n"
            "  %i = stablehlo.bitcast_convert %c : (tensor<2x2x$B>) -> tensor<2x2xi8>\n"
            "  return %i : tensor<2x2xi8>\n"
            "}\n",
            CT_ARGV(X2));
    CHECK_VALUES(y, CT_SHAPE(2, 2), {-6, 6, -16, -4});
    y = run(ctx,
            "func.func @main(%x: tensor<2x2xf32>) -> tensor<2x2xi1> {\n"
            "  %a = stablehlo.uniform_quantize %x : (tensor<2x2xf32>) -> tensor<2x2x$A>\n"
            "  %b = stablehlo.uniform_quantize %x : (tensor<2x2xf32>) -> tensor<2x2x$B>\n"
            "  %c = stablehlo.compare EQ, %a, %b : (tensor<2x2x$A>, tensor<2x2x$B>) -> "
            "tensor<2x2xi1>\n"
            "  return %c : tensor<2x2xi1>\n"
            "}\n",
            CT_ARGV(X2));
    CHECK_VALUES(y, CT_SHAPE(2, 2), {1, 1, 1, 1}); /* other integers, the same numbers */
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* Constants that stand for all their elements meet scales along an axis. */
TEST(constants_and_repeated_elements)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *y = run(
        ctx,
        "func.func @main(%x: tensor<2x2xf32>) -> tensor<2x2xi32> {\n"
        "  %d = \"stablehlo.constant\"() <{value = dense<7> : tensor<2x2xi8>}> : () -> "
        "tensor<2x2x$D>\n"
        "  %a = stablehlo.uniform_quantize %x : (tensor<2x2xf32>) -> tensor<2x2x$A>\n"
        "  %c = stablehlo.add %a, %d : (tensor<2x2x$A>, tensor<2x2x$D>) -> tensor<2x2x$C>\n"
        "  %i = stablehlo.bitcast_convert %c : (tensor<2x2x$C>) -> tensor<2x2xi32>\n"
        "  return %i : tensor<2x2xi32>\n"
        "}\n",
        CT_ARGV(X2));
    CHECK_VALUES(y, CT_SHAPE(2, 2), {36, -8, 56, 12}); /* + 3.5, + 1 */
    y = run(ctx,
            "func.func @main(%x: tensor<2x2xf32>) -> tensor<2x2xi32> {\n"
            "  %b = \"stablehlo.constant\"() <{value = dense<2> : tensor<2x2xi8>}> : () -> "
            "tensor<2x2x$B>\n"
            "  %a = stablehlo.uniform_quantize %x : (tensor<2x2xf32>) -> tensor<2x2x$A>\n"
            "  %c = stablehlo.subtract %b, %a : (tensor<2x2x$B>, tensor<2x2x$A>) -> "
            "tensor<2x2x$C>\n"
            "  %i = stablehlo.bitcast_convert %c : (tensor<2x2x$C>) -> tensor<2x2xi32>\n"
            "  return %i : tensor<2x2xi32>\n"
            "}\n",
            CT_ARGV(X2));
    CHECK_VALUES(y, CT_SHAPE(2, 2), {0, 24, -20, 4}); /* 1 - x */
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

TEST(products)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *y = run(
        ctx,
        "func.func @main(%x: tensor<2x2xf32>) -> tensor<2x2xf32> {\n"
        "  %d = stablehlo.uniform_quantize %x : (tensor<2x2xf32>) -> tensor<2x2x$D>\n"
        "  %c = stablehlo.dot_general %x, %d, contracting_dims = [1] x [0] : "
        "(tensor<2x2xf32>, tensor<2x2x$D>) -> tensor<2x2xf32>\n"
        "  return %c : tensor<2x2xf32>\n"
        "}\n",
        CT_ARGV(X2));
    CHECK_VALUES(y, CT_SHAPE(2, 2), {-6, -3, 5.25, -6.75});
    y = run(ctx,
            "func.func @main(%x: tensor<2x2xf32>) -> tensor<2x2xi32> {\n"
            "  %a = stablehlo.uniform_quantize %x : (tensor<2x2xf32>) -> tensor<2x2x$A>\n"
            "  %d = stablehlo.uniform_quantize %x : (tensor<2x2xf32>) -> tensor<2x2x$D>\n"
            "  %c = stablehlo.dot_general %a, %d, contracting_dims = [1] x [0] : "
            "(tensor<2x2x$A>, tensor<2x2x$D>) -> tensor<2x2x$C>\n"
            "  %i = stablehlo.bitcast_convert %c : (tensor<2x2x$C>) -> tensor<2x2xi32>\n"
            "  return %i : tensor<2x2xi32>\n"
            "}\n",
            CT_ARGV(X2));
    CHECK_VALUES(y, CT_SHAPE(2, 2), {-48, -24, 42, -54});
    /* a window of ones over x, padded: padding is the real number 0, not the integer */
    y = run(ctx,
            "func.func @main(%x: tensor<1x3x1xf32>, %k: tensor<2x1x1xf32>) -> tensor<1x4x1xi32> {\n"
            "  %a = stablehlo.uniform_quantize %x : (tensor<1x3x1xf32>) -> tensor<1x3x1x$A>\n"
            "  %b = stablehlo.uniform_quantize %k : (tensor<2x1x1xf32>) -> tensor<2x1x1x$B>\n"
            "  %c = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], "
            "window = {pad = [[1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : "
            "i64} : (tensor<1x3x1x$A>, tensor<2x1x1x$B>) -> tensor<1x4x1x$C>\n"
            "  %i = stablehlo.bitcast_convert %c : (tensor<1x4x1x$C>) -> tensor<1x4x1xi32>\n"
            "  return %i : tensor<1x4x1xi32>\n"
            "}\n",
            CT_ARGV(given(ctx, CT_F32, CT_SHAPE(1, 3, 1), {1, 2, 4}),
                    given(ctx, CT_F32, CT_SHAPE(2, 1, 1), {1, 1})));
    CHECK_VALUES(y, CT_SHAPE(1, 4, 1), {8, 24, 48, 32});
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* Bodies run on quantized scalars: sums of the stored integers would be wrong. */
TEST(bodies)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *y = run(
        ctx,
        "func.func @main(%x: tensor<2x3xi8>) -> tensor<2xi8> {\n"
        "  %q = stablehlo.bitcast_convert %x : (tensor<2x3xi8>) -> tensor<2x3x$A>\n"
        "  %z = \"stablehlo.constant\"() <{value = dense<1> : tensor<i8>}> : () -> tensor<$A>\n"
        "  %s = \"stablehlo.reduce\"(%q, %z) <{dimensions = array<i64: 1>}> ({\n"
        "    ^bb0(%a: tensor<$A>, %b: tensor<$A>):\n"
        "      %c = stablehlo.add %a, %b : tensor<$A>\n"
        "      stablehlo.return %c : tensor<$A>\n"
        "  }) : (tensor<2x3x$A>, tensor<$A>) -> tensor<2x$A>\n"
        "  %i = stablehlo.bitcast_convert %s : (tensor<2x$A>) -> tensor<2xi8>\n"
        "  return %i : tensor<2xi8>\n"
        "}\n",
        CT_ARGV(given(ctx, CT_I8, CT_SHAPE(2, 3), {3, 2, 1, 100, 100, 1})));
    CHECK_VALUES(y, CT_SHAPE(2), {4, 127}); /* 1 + 0.5 + 0; 49.5 + 49.5 saturates */
    y = run(ctx,
            "func.func @main(%x: tensor<4xi8>) -> tensor<4xi8> {\n"
            "  %q = stablehlo.bitcast_convert %x : (tensor<4xi8>) -> tensor<4x$A>\n"
            "  %s = \"stablehlo.sort\"(%q) <{dimension = 0 : i64, is_stable = true}> ({\n"
            "    ^bb0(%a: tensor<$A>, %b: tensor<$A>):\n"
            "      %c = stablehlo.compare GT, %a, %b : (tensor<$A>, tensor<$A>) -> tensor<i1>\n"
            "      stablehlo.return %c : tensor<i1>\n"
            "  }) : (tensor<4x$A>) -> tensor<4x$A>\n"
            "  %i = stablehlo.bitcast_convert %s : (tensor<4x$A>) -> tensor<4xi8>\n"
            "  return %i : tensor<4xi8>\n"
            "}\n",
            CT_ARGV(given(ctx, CT_I8, CT_SHAPE(4), {3, -7, 100, 5})));
    CHECK_VALUES(y, CT_SHAPE(4), {100, 5, 3, -7});
    y = run(ctx,
            "func.func @main(%x: tensor<3xi8>) -> tensor<3xi8> {\n"
            "  %q = stablehlo.bitcast_convert %x : (tensor<3xi8>) -> tensor<3x$A>\n"
            "  %s = \"stablehlo.map\"(%q) <{dimensions = array<i64: 0>}> ({\n"
            "    ^bb0(%a: tensor<$A>):\n"
            "      %c = stablehlo.multiply %a, %a : (tensor<$A>, tensor<$A>) -> tensor<$B>\n"
            "      stablehlo.return %c : tensor<$B>\n"
            "  }) : (tensor<3x$A>) -> tensor<3x$B>\n"
            "  %i = stablehlo.bitcast_convert %s : (tensor<3x$B>) -> tensor<3xi8>\n"
            "  return %i : tensor<3xi8>\n"
            "}\n",
            CT_ARGV(given(ctx, CT_I8, CT_SHAPE(3), {3, -1, 1})));
    CHECK_VALUES(y, CT_SHAPE(3), {2, 2, -2});
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* Alone, sums of all processes are the operand; to whom nobody sends, 0 comes: the zero point. */
TEST(processes)
{
    ct_context *ctx = ct_context_new();
#define SUM(op, result, of, more)                                                                  \
    "  %" result " = \"stablehlo." op "\"(%" of                                                    \
    ") <{replica_groups = dense<0> : tensor<1x1xi64>" more "}> ({\n"                               \
    "    ^bb0(%a: tensor<$B>, %b: tensor<$B>):\n"                                                  \
    "      %c = stablehlo.add %a, %b : tensor<$B>\n"                                               \
    "      stablehlo.return %c : tensor<$B>\n"                                                     \
    "  }) : (tensor<3x$B>) -> tensor<3x$B>\n"
    ct_tensor *y = run(
        ctx,
        "func.func @main(%x: tensor<3xi8>) -> tensor<6xi8> {\n"
        "  %q = stablehlo.bitcast_convert %x : (tensor<3xi8>) -> tensor<3x$B>\n" SUM("all_reduce",
                                                                                     "r", "q", "")
            SUM("reduce_scatter", "s", "r",
                ", scatter_dimension = 0 : i64") "  %p = \"stablehlo.collective_permute\"(%q) "
                                                 "<{source_target_pairs = "
                                                 "dense<[[1, 2]]> : tensor<1x2xi64>}> : "
                                                 "(tensor<3x$B>) -> tensor<3x$B>\n"
                                                 "  %t = stablehlo.concatenate %s, %p, dim = 0 : "
                                                 "(tensor<3x$B>, "
                                                 "tensor<3x$B>) -> tensor<6x$B>\n"
                                                 "  %i = stablehlo.bitcast_convert %t : "
                                                 "(tensor<6x$B>) -> tensor<6xi8>\n"
                                                 "  return %i : tensor<6xi8>\n"
                                                 "}\n",
        CT_ARGV(given(ctx, CT_I8, CT_SHAPE(3), {3, -7, 100})));
#undef SUM
    CHECK_VALUES(y, CT_SHAPE(6), {3, -7, 100, -2, -2, -2});
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* The real numbers 0, 1, ... as they are stored; what the type cannot hold is its end. */
TEST(counting)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *y = run(ctx,
                       "func.func @main(%x: tensor<i8>) -> tensor<2x35xi8> {\n"
                       "  %q = stablehlo.iota dim = 1 : tensor<2x35x$B>\n"
                       "  %i = stablehlo.bitcast_convert %q : (tensor<2x35x$B>) -> "
                       "tensor<2x35xi8>\n"
                       "  return %i : tensor<2x35xi8>\n"
                       "}\n",
                       CT_ARGV(ct_scalar(ctx, CT_I8, 0)));
    CHECK(ct_at(y, 0, 0) == -2 && ct_at(y, 0, 1) == 2 && ct_at(y, 0, 34) == 127 &&
          ct_at(y, 1, 2) == 6);
    y = run(ctx,
            "func.func @main(%x: tensor<i8>) -> tensor<3x1xi32> {\n"
            "  %n = stablehlo.constant dense<[3, 1]> : tensor<2xi64>\n"
            "  %q = stablehlo.dynamic_iota %n, dim = 0 : (tensor<2xi64>) -> tensor<3x1x$C>\n"
            "  %i = stablehlo.bitcast_convert %q : (tensor<3x1x$C>) -> tensor<3x1xi32>\n"
            "  return %i : tensor<3x1xi32>\n"
            "}\n",
            CT_ARGV(ct_scalar(ctx, CT_I8, 0)));
    CHECK_VALUES(y, CT_SHAPE(3, 1), {0, 8, 16});
    CHECK_OK(ctx);
    char program[400];
    expand(program, sizeof program,
           "func.func @main() -> tensor<2x2x$D> {\n"
           "  %q = stablehlo.iota dim = 0 : tensor<2x2x$D>\n"
           "  return %q : tensor<2x2x$D>\n"
           "}\n");
    ct_read_stablehlo_text(ctx, "test", program, strlen(program));
    CHECK_ERROR(ctx, CT_ERR_TEXT, "the result must have one scale for all its elements");
    ct_context_free(ctx);
}

TEST(flow)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *y = run(
        ctx,
        "func.func @main(%x: tensor<2x2xf32>) -> tensor<2x2xbf16> {\n"
        "  %d = stablehlo.uniform_quantize %x : (tensor<2x2xf32>) -> tensor<2x2x$D>\n"
        "  %n = stablehlo.constant dense<3> : tensor<i32>\n"
        "  %o = stablehlo.constant dense<1> : tensor<i32>\n"
        "  %r:2 = stablehlo.while(%i = %n, %v = %d) : tensor<i32>, tensor<2x2x$D>\n"
        "  cond {\n"
        "    %z = stablehlo.constant dense<0> : tensor<i32>\n"
        "    %p = stablehlo.compare GT, %i, %z : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
        "    stablehlo.return %p : tensor<i1>\n"
        "  } do {\n"
        "    %j = stablehlo.subtract %i, %o : tensor<i32>\n"
        "    %w = stablehlo.add %v, %d : tensor<2x2x$D>\n"
        "    stablehlo.return %j, %w : tensor<i32>, tensor<2x2x$D>\n"
        "  }\n"
        "  %t = stablehlo.uniform_dequantize %r#1 : (tensor<2x2x$D>) -> tensor<2x2xf32>\n"
        "  %u = stablehlo.convert %t : (tensor<2x2xf32>) -> tensor<2x2xbf16>\n"
        "  %e = stablehlo.uniform_quantize %u : (tensor<2x2xbf16>) -> tensor<2x2x$E>\n"
        "  %f = stablehlo.uniform_dequantize %e : (tensor<2x2x$E>) -> tensor<2x2xbf16>\n"
        "  return %f : tensor<2x2xbf16>\n"
        "}\n",
        CT_ARGV(X2));
    CHECK_VALUES(y, CT_SHAPE(2, 2), {4, -8, 14, 2 * 1.0}); /* 4 x: 4 -8 14 2 */
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* ---- Differentiating: what is quantized has no tangent. */

static void through_integers(void *user, ct_list p, ct_tensor **r)
{
    (void)user;
    ct_tensor *q = ct_op_uniform_dequantize(ct_op_uniform_quantize(p.item[0], ONE(0.5, 0)));
    r[0] = ct_op_reduce_add(ct_op_multiply(p.item[0], q), CT_DIMS(0));
}

TEST(no_tangent)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = given(ctx, CT_F32, CT_SHAPE(2), {1.1, -2.2});
    ct_function *f = ct_trace_many(ctx, through_integers, NULL, 1, CT_LIKE(x));
    CHECK_VALUES(ct_apply1(ct_grad(f, CT_ARGS(0)), CT_ARGV(x)), CT_SHAPE(2), {1, -2});
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* ---- Memory that runs out. */

static void some_work(ct_context *ctx)
{
    static const char text[] =
        "func.func @main(%x: tensor<3x1xi8>) -> tensor<3x2x!quant.uniform<i32:f32, 0.5>> {\n"
        "  %q = stablehlo.bitcast_convert %x : (tensor<3x1xi8>) -> "
        "tensor<3x1x!quant.uniform<i8:f32:1, {0.25:7}>>\n"
        "  %b = stablehlo.broadcast_in_dim %q, dims = [0, 1] : "
        "(tensor<3x1x!quant.uniform<i8:f32:1, {0.25:7}>>) -> "
        "tensor<3x2x!quant.uniform<i8:f32:1, {0.25:7,0.25:7}>>\n"
        "  %a = stablehlo.tanh %b : (tensor<3x2x!quant.uniform<i8:f32:1, {0.25:7,0.25:7}>>) -> "
        "tensor<3x2x!quant.uniform<i32:f32, 0.5>>\n"
        "  return %a : tensor<3x2x!quant.uniform<i32:f32, 0.5>>\n"
        "}\n";
    ct_tensor *x = given(ctx, CT_F32, CT_SHAPE(3, 1), {1, 2, 3});
    ct_tensor *q = ct_op_uniform_quantize(x, ONE(0.25, 7));
    ct_function *f = ct_module_function(ct_read_stablehlo_text(ctx, "m", text, sizeof text - 1),
                                        NULL);
    ct_stablehlo_text(f, CT_WRITE_PRETTY);
    ct_call1(ct_compile(f, NULL), CT_ARGV(ct_op_bitcast_convert(q, CT_I8)));
    ct_apply1(f, CT_ARGV(ct_op_bitcast_convert(q, CT_I8)));
    ct_quantization along = ONE(0.5, 3);
    along.axis = 0;
    along.count = 3;
    along.scale = (const double[]){0.5, 0.25, 2};
    along.zero_point = NULL;
    ct_op_uniform_quantize(q, along);
}

TEST(memory)
{
    CHECK_ALLOCATIONS(some_work);
}
