/* Counted while loops are read as scans, and so have derivatives in both modes. */
#include "tests/values.h"

#include <cotangent/cotangent.h>

#include <stdio.h>
#include <string.h>

static ct_function *read(ct_context *ctx, const char *text)
{
    ct_function *f = ct_module_function(ct_read_stablehlo_text(ctx, "loop", text, strlen(text)),
                                        NULL);
    CHECK_OK(ctx);
    return f;
}

static void check_mark(ct_function *f, const char *mark)
{
    const char *text = ct_stablehlo_text(f, CT_WRITE_PRETTY);
    CHECK_MSG(strstr(text, mark), "no %s in\n%s", mark, text);
}

/* Rows are taken from the front, values put from the front; the product of all rows is carried. */
static const char product[] =
    "func.func @main(%x: tensor<4x2xf64>) -> (tensor<2xf64>, tensor<4x2xf64>) {\n"
    "  %zero = stablehlo.constant dense<0> : tensor<i32>\n"
    "  %one = stablehlo.constant dense<1> : tensor<i32>\n"
    "  %four = stablehlo.constant dense<4> : tensor<i32>\n"
    "  %ones = stablehlo.constant dense<1.0> : tensor<2xf64>\n"
    "  %stack = stablehlo.constant dense<7.0> : tensor<4x2xf64>\n"
    "  %0:4 = stablehlo.while(%x_ = %x, %i = %zero, %p = %ones, %s = %stack) : tensor<4x2xf64>, "
    "tensor<i32>, tensor<2xf64>, tensor<4x2xf64>\n"
    "  cond {\n"
    "    %1 = stablehlo.compare LT, %i, %four, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
    "    stablehlo.return %1 : tensor<i1>\n"
    "  } do {\n"
    "    %1 = stablehlo.dynamic_slice %x_, %i, %zero, sizes = [1, 2] : (tensor<4x2xf64>, "
    "tensor<i32>, tensor<i32>) -> tensor<1x2xf64>\n"
    "    %2 = stablehlo.reshape %1 : (tensor<1x2xf64>) -> tensor<2xf64>\n"
    "    %3 = stablehlo.multiply %p, %2 : tensor<2xf64>\n"
    "    %4 = stablehlo.reshape %3 : (tensor<2xf64>) -> tensor<1x2xf64>\n"
    "    %5 = stablehlo.dynamic_update_slice %s, %4, %i, %zero : (tensor<4x2xf64>, "
    "tensor<1x2xf64>, tensor<i32>, tensor<i32>) -> tensor<4x2xf64>\n"
    "    %6 = stablehlo.add %i, %one : tensor<i32>\n"
    "    stablehlo.return %x_, %6, %3, %5 : tensor<4x2xf64>, tensor<i32>, tensor<2xf64>, "
    "tensor<4x2xf64>\n"
    "  }\n"
    "  return %0#2, %0#3 : tensor<2xf64>, tensor<4x2xf64>\n"
    "}\n";

TEST(rows_become_inputs_and_results)
{
    ct_context *ctx = ct_context_new();
    ct_function *f = read(ctx, product);
    check_mark(
        f,
        "ct.scan = {is_reverse = false, length = 4 : i64, n_carry = 1 : i64, n_inputs = 1 : i64}");
    ct_tensor *x = given(ctx, CT_F64, CT_SHAPE(4, 2), {1, 2, 3, 4, 5, 6, 7, 8}), *y[2];
    ct_apply(f, CT_ARGV(x), y, 2);
    CHECK_VALUES(y[0], CT_SHAPE(2), {105, 384});
    CHECK_VALUES(y[1], CT_SHAPE(4, 2), {1, 2, 3, 8, 15, 48, 105, 384});
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

static ct_tensor *total(void *user, ct_tensor *x)
{
    ct_tensor *y[2];
    ct_apply(user, CT_ARGV(x), y, 2);
    return ct_sum(y[0], CT_ALL_AXES, CT_DROP_AXES);
}

/* d Π x / d x_i = Π x / x_i */
TEST(a_loop_has_a_gradient)
{
    ct_context *ctx = ct_context_new();
    ct_function *f = read(ctx, product);
    ct_tensor *x = given(ctx, CT_F64, CT_SHAPE(4, 2), {1, 2, 3, 4, 5, 6, 7, 8});
    ct_function *loss = ct_trace_user(ctx, total, f, CT_LIKE(x));
    CHECK_VALUES(ct_apply1(ct_grad(loss, CT_ARGS(0)), CT_ARGV(x)), CT_SHAPE(4, 2),
                 {105, 192, 35, 96, 21, 64, 15, 48});
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* sum of i x for i from `start` below 5; the counter is looked at, so it is carried on. */
static ct_function *weighted(ct_context *ctx, const char *start, const char *limit,
                             const char *direction)
{
    char text[2048];
    snprintf(text, sizeof text,
             "func.func @main(%%x: tensor<f64>) -> (tensor<i64>, tensor<f64>) {\n"
             "  %%start = stablehlo.constant dense<%s> : tensor<i64>\n"
             "  %%z = stablehlo.constant dense<0.0> : tensor<f64>\n"
             "  %%0:2 = stablehlo.while(%%i = %%start, %%s = %%z) : tensor<i64>, tensor<f64>\n"
             "  cond {\n"
             "    %%limit = stablehlo.constant dense<%s> : tensor<i64>\n"
             "    %%1 = stablehlo.compare %s, %%i, %%limit : (tensor<i64>, tensor<i64>) -> "
             "tensor<i1>\n"
             "    stablehlo.return %%1 : tensor<i1>\n"
             "  } do {\n"
             "    %%one = stablehlo.constant dense<1> : tensor<i64>\n"
             "    %%1 = stablehlo.convert %%i : (tensor<i64>) -> tensor<f64>\n"
             "    %%2 = stablehlo.multiply %%1, %%x : tensor<f64>\n"
             "    %%3 = stablehlo.add %%s, %%2 : tensor<f64>\n"
             "    %%4 = stablehlo.add %%one, %%i : tensor<i64>\n"
             "    stablehlo.return %%4, %%3 : tensor<i64>, tensor<f64>\n"
             "  }\n"
             "  return %%0#0, %%0#1 : tensor<i64>, tensor<f64>\n"
             "}\n",
             start, limit, direction);
    return read(ctx, text);
}

TEST(counters_that_are_used_stay)
{
    ct_context *ctx = ct_context_new();
    ct_function *f = weighted(ctx, "2", "5", "LT");
    check_mark(f, "length = 3 : i64, n_carry = 2 : i64, n_inputs = 0 : i64}");
    ct_tensor *x = ct_scalar(ctx, CT_F64, 10), *y[2];
    ct_apply(f, CT_ARGV(x), y, 2);
    CHECK(ct_item(y[0]) == 5 && ct_item(y[1]) == 90);
    ct_apply(weighted(ctx, "7", "5", "LT"), CT_ARGV(x), y, 2);
    CHECK(ct_item(y[0]) == 7 && ct_item(y[1]) == 0);
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

TEST(other_conditions_stay_loops)
{
    ct_context *ctx = ct_context_new();
    ct_function *f = weighted(ctx, "2", "5", "NE");
    const char *text = ct_stablehlo_text(f, CT_WRITE_PRETTY);
    CHECK(!strstr(text, "ct.scan"));
    ct_tensor *y[2];
    ct_apply(f, CT_ARGV(ct_scalar(ctx, CT_F64, 10)), y, 2);
    CHECK(ct_item(y[0]) == 5 && ct_item(y[1]) == 90);
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* What JAX exports of lax.scan, from the front and from the back, through functions of its own. */
TEST(loops_of_jax)
{
    static const struct {
        const char *file, *mark;
    } row[] = {
        {"scan_cumulative",
         "is_reverse = false, length = 5 : i64, n_carry = 1 : i64, n_inputs = 1"},
        {"scan_reverse", "is_reverse = true, length = 6 : i64, n_carry = 1 : i64, n_inputs = 1"},
        {"scan_recurrent_network",
         "is_reverse = false, length = 4 : i64, n_carry = 1 : i64, n_inputs = 1"},
        {"scan_gradient", "is_reverse = true, length = 4 : i64"},
        {"map_rows", "length = 3 : i64, n_carry = 0 : i64, n_inputs = 1"},
        {"fori_loop_fixed", "length = 5 : i64, n_carry = 2 : i64, n_inputs = 0"},
    };
    ct_context *ctx = ct_context_new();
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        char path[1024];
        snprintf(path, sizeof path, "%s/tests/interop/%s.mlir", CT_SOURCE_DIR, row[i].file);
        check_mark(ct_module_function(ct_read_stablehlo(ctx, path), NULL), row[i].mark);
    }
    CHECK_OK(ctx);
    ct_context_free(ctx);
}
