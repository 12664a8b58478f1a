/* The command's transforms: grad, jvp, vjp, hvp, vmap; gradcheck and residuals. */
#include "tests/command.h"
#include "tests/values.h"

#include <cotangent/npy.h>
#include <cotangent/oracle.h>

#include <stdio.h>
#include <string.h>

/* @main: sum x·x·y, a number. @both: (x·y, n, y·y). @rough: floor(x). */
static const char programs[] =
    "func.func @main(%x: tensor<2xf64>, %n: tensor<i32>, %y: tensor<2xf64>) -> tensor<f64> {\n"
    "  %0 = stablehlo.multiply %x, %x : tensor<2xf64>\n"
    "  %1 = stablehlo.multiply %0, %y : tensor<2xf64>\n"
    "  %c = stablehlo.constant dense<0.0> : tensor<f64>\n"
    "  %2 = stablehlo.reduce(%1 init: %c) applies stablehlo.add across dimensions = [0] : "
    "(tensor<2xf64>, tensor<f64>) -> tensor<f64>\n"
    "  return %2 : tensor<f64>\n}\n"
    "func.func @both(%x: tensor<2xf32>, %n: tensor<i32>, %y: tensor<2xf32>) -> "
    "(tensor<2xf32>, tensor<i32>, tensor<2xf32>) {\n"
    "  %0 = stablehlo.multiply %x, %y : tensor<2xf32>\n"
    "  %1 = stablehlo.multiply %y, %y : tensor<2xf32>\n"
    "  return %0, %n, %1 : tensor<2xf32>, tensor<i32>, tensor<2xf32>\n}\n"
    "func.func @rough(%x: tensor<f64>) -> tensor<f64> {\n"
    "  %0 = stablehlo.floor %x : tensor<f64>\n  return %0 : tensor<f64>\n}\n"
    "func.func @count(%n: tensor<i32>) -> tensor<i32> {\n  return %n : tensor<i32>\n}\n";

/* In "d.npz" (f64) and "s.npz" (f32): x = [1, 2], n = 7, y = [3, 5], then [10, 20], [0.5, 4]. */
static void write_files(void)
{
    static const ct_dtype dtypes[] = {CT_F64, CT_F32};
    static const char *const names[] = {"d.npz", "s.npz"};
    ct_context *ctx = ct_context_new();
    for (size_t i = 0; i < 2; i++) {
        ct_tensor *x = given(ctx, dtypes[i], CT_SHAPE(2), {1, 2});
        ct_tensor *y = given(ctx, dtypes[i], CT_SHAPE(2), {3, 5});
        ct_tensor *n = ct_scalar(ctx, CT_I32, 7);
        ct_write_npz(ctx, command_path(names[i]), NULL, CT_ARGV(x, n, y));
        ct_write_npy(given(ctx, dtypes[i], CT_SHAPE(2), {10, 20}),
                     command_path(i ? "s0.npy" : "d0.npy"));
        ct_write_npy(given(ctx, dtypes[i], CT_SHAPE(2), {0.5, 4}),
                     command_path(i ? "s1.npy" : "d1.npy"));
    }
    CHECK_OK(ctx);
    ct_context_free(ctx);
    command_write("f.mlir", programs);
}

/* d/dx = 2xy, d/dy = x·x. */
TEST(grad)
{
    command_make_folder();
    write_files();
    CHECK_RUN("grad ~/f.mlir --input ~/d.npz", 0,
              "gradient 0: f64[2]\n[ 6. 20.]\ngradient 2: f64[2]\n[1. 4.]\n");
    CHECK_RUN("grad ~/f.mlir --input ~/d.npz --wrt 2,0 --exec interpret", 0,
              "gradient 2: f64[2]\n[1. 4.]\ngradient 0: f64[2]\n[ 6. 20.]\n");
    CHECK_RUN(
        "grad ~/f.mlir --input ~/d.npz --wrt 1 2>&1", 2,
        "cotangent: ~/f.mlir:1:11: grad of main: argument 1 is i32[], which has no derivative\n");
    CHECK_RUN("grad ~/f.mlir --input ~/d.npz --wrt 3 2>&1", 2,
              "cotangent: ~/f.mlir:1:11: grad of main: there is no argument 3; it has 3, counted "
              "from 0\n");
    command_remove_folder();
}

TEST(jvp)
{
    command_make_folder();
    write_files();
    CHECK_RUN("jvp ~/f.mlir --entry both --input ~/s.npz --input ~/s0.npy --input ~/s1.npy", 0,
              "result 0: f32[2]\n[ 3. 10.]\nresult 1: i32[]\n7\nresult 2: f32[2]\n[ 9. 25.]\n"
              "tangent 0: f32[2]\n[ 30.5 108. ]\ntangent 2: f32[2]\n[ 3. 40.]\n");
    CHECK_RUN("jvp ~/f.mlir --entry both --wrt 2 --input ~/s.npz --input ~/s1.npy", 0,
              "result 0: f32[2]\n[ 3. 10.]\nresult 1: i32[]\n7\nresult 2: f32[2]\n[ 9. 25.]\n"
              "tangent 0: f32[2]\n[0.5 8. ]\ntangent 2: f32[2]\n[ 3. 40.]\n");
    command_remove_folder();
}

/* Cotangents are for the float results alone. */
TEST(vjp)
{
    command_make_folder();
    write_files();
    CHECK_RUN("vjp ~/f.mlir --entry both --input ~/s.npz --input ~/s0.npy --input ~/s1.npy", 0,
              "cotangent 0: f32[2]\n[ 30. 100.]\ncotangent 2: f32[2]\n[13. 80.]\n");
    CHECK_RUN("vjp ~/f.mlir --entry both --input ~/s.npz --input ~/s0.npy 2>&1", 2,
              "cotangent: vjp_both: it takes 5 arguments, and 4 are given (--random SEED makes "
              "them up)\n");
    command_remove_folder();
}

/* Of a number the gradient's derivative, of others that of the vjp at cotangents. */
TEST(hvp)
{
    command_make_folder();
    write_files();
    CHECK_RUN("hvp ~/f.mlir --wrt 0 --input ~/d.npz --input ~/d0.npy", 0,
              "gradient 0: f64[2]\n[ 6. 20.]\nproduct 0: f64[2]\n[ 60. 200.]\n");
    CHECK_RUN("hvp ~/f.mlir --input ~/d.npz --input ~/d0.npy --input ~/d1.npy", 0,
              "gradient 0: f64[2]\n[ 6. 20.]\ngradient 2: f64[2]\n[1. 4.]\n"
              "product 0: f64[2]\n[ 61. 216.]\nproduct 2: f64[2]\n[20. 80.]\n");
    CHECK_RUN("hvp ~/f.mlir --entry both --wrt 2 --input ~/s.npz --input ~/s0.npy --input ~/s1.npy "
              "--input ~/s0.npy",
              0, "gradient 2: f32[2]\n[13. 80.]\nproduct 2: f32[2]\n[ 10. 160.]\n");
    command_remove_folder();
}

/* What is printed is run as the derivative is. */
TEST(emitted)
{
    static const char *const verb[] = {"grad", "jvp", "vjp", "hvp"};
    command_outcome direct, printed;
    command_make_folder();
    write_files();
    for (size_t i = 0; i < sizeof verb / sizeof *verb; i++) {
        char text[256];
        snprintf(text, sizeof text, "%s ~/f.mlir --emit --wrt 2,0 >~/d.mlir", verb[i]);
        CHECK_RUN(text, 0, "");
        snprintf(text, sizeof text, "%s ~/f.mlir --wrt 2,0 --random 7 --output ~/out.npz", verb[i]);
        command_run_here(&direct, text);
        command_run_here(&printed, "run ~/d.mlir --random 7 --output ~/again.npz");
        CHECK_MSG(direct.status == 0 && printed.status == 0, "%s %s", direct.text, printed.text);
        ct_context *ctx = ct_context_new();
        ct_npz *a = ct_read_npz(ctx, command_path("out.npz"));
        ct_npz *b = ct_read_npz(ctx, command_path("again.npz"));
        CHECK_OK(ctx);
        CHECK(ct_npz_count(a) > 0 && ct_npz_count(a) == ct_npz_count(b));
        for (size_t k = 0; k < ct_npz_count(a); k++)
            CHECK_EQUAL(ct_npz_tensor(a, k), ct_npz_tensor(b, k));
        ct_context_free(ctx);
    }
    command_remove_folder();
}

TEST(into_files)
{
    command_make_folder();
    write_files();
    ct_context *ctx = ct_context_new();
    CHECK_RUN("grad ~/f.mlir --input ~/d.npz --output ~/out", 0, "");
    CHECK_VALUES(ct_read_npy(ctx, command_path("out/gradient_2.npy")), CT_SHAPE(2), {1, 4});
    CHECK_RUN("hvp ~/f.mlir --wrt 0 --input ~/d.npz --input ~/d0.npy --output ~/out.npz", 0, "");
    ct_npz *archive = ct_read_npz(ctx, command_path("out.npz"));
    CHECK_VALUES(ct_npz_find(archive, "gradient_0"), CT_SHAPE(2), {6, 20});
    CHECK_VALUES(ct_npz_find(archive, "product_0"), CT_SHAPE(2), {60, 200});
    CHECK_OK(ctx);
    ct_context_free(ctx);
    command_remove_folder();
}

/* Types of a template come from the first inputs, as many as it takes. */
TEST(templates)
{
    command_make_folder();
    write_files();
    command_write("t.mlir", "func.func @main(%x: tensor<?xf64>) -> tensor<?xf64> {\n"
                            "  %0 = stablehlo.multiply %x, %x : tensor<?xf64>\n"
                            "  return %0 : tensor<?xf64>\n}\n");
    CHECK_RUN("vjp ~/t.mlir --input ~/d0.npy --input ~/d1.npy", 0,
              "cotangent 0: f64[2]\n[ 10. 160.]\n");
    CHECK_RUN("run ~/t.mlir --input ~/d0.npy --input ~/d1.npy 2>&1", 2,
              "cotangent: main: it takes 1 argument, and 2 are given\n");
    CHECK_RUN("vjp ~/t.mlir --input ~/s0.npy --input ~/s1.npy 2>&1 | head -n 1", 0,
              "cotangent: ~/t.mlir:1:17: argument 0 is a tensor<2xf32>, and declared is "
              "tensor<?xf64>\n");
    CHECK_RUN("vjp ~/t.mlir --shapes 2 --input ~/d0.npy --input ~/d1.npy", 0,
              "cotangent 0: f64[2]\n[ 10. 160.]\n");
    CHECK_RUN("hvp ~/t.mlir --shapes 1 --random 1 | wc -l", 0, "4\n");
    CHECK_RUN("vmap ~/t.mlir --shapes scalar --input ~/d0.npy 2>&1 | head -n 1", 0,
              "cotangent: ~/t.mlir:1:11: @main: argument 0 is a tensor<?xf64>, and cannot have the "
              "shape scalar\n");
    CHECK_RUN("vmap ~/t.mlir --shapes 1 --in-axes 1 --size 2 --random 1 | head -n 1", 0,
              "result 0: f64[2,1]\n");
    CHECK_RUN("gradcheck ~/t.mlir --shapes 2 | tail -n 1", 0,
              "  input 0 \"x\"  f64[2]  2 elements: 6 right\n");
    CHECK_RUN("residuals ~/t.mlir --shapes 2 | head -c 9", 0, "16 bytes ");
    command_remove_folder();
}

/* Rows of x against columns of y, with n the same for all. */
TEST(vmap)
{
    command_make_folder();
    write_files();
    ct_context *ctx = ct_context_new();
    ct_tensor *x = given(ctx, CT_F64, CT_SHAPE(3, 2), {1, 2, 10, 20, 0, 1});
    ct_tensor *y = given(ctx, CT_F64, CT_SHAPE(2, 3), {3, 0, 7, 5, 1, 9});
    ct_write_npz(ctx, command_path("v.npz"), NULL, CT_ARGV(x, ct_scalar(ctx, CT_I32, 7), y));
    CHECK_OK(ctx);
    CHECK_RUN("vmap ~/f.mlir --in-axes 0,none,-1 --input ~/v.npz", 0,
              "result 0: f64[3]\n[ 23. 400.   9.]\n");
    CHECK_RUN("vmap ~/f.mlir --in-axes 0,none,1 --size 3 --out-axes -1 --input ~/v.npz", 0,
              "result 0: f64[3]\n[ 23. 400.   9.]\n");
    CHECK_RUN("vmap ~/f.mlir --in-axes 0,none,1 --size 3 --emit >~/d.mlir", 0, "");
    CHECK_RUN("run ~/d.mlir --input ~/v.npz", 0, "result 0: f64[3]\n[ 23. 400.   9.]\n");
    CHECK_RUN("vmap ~/f.mlir --size 2 --entry count --out-axes none 2>&1 | wc -l", 0, "1\n");
    CHECK_RUN("vmap ~/f.mlir --entry count --in-axes none --size 4 --out-axes none --random 2 "
              "--output ~/out",
              0, "");
    CHECK(ct_rank(ct_read_npy(ctx, command_path("out/result_0.npy"))) == 0);
    CHECK_RUN("vmap ~/f.mlir --entry rough --size 0 --random 1", 0, "result 0: f64[0]\n[]\n");
    CHECK_RUN("vmap ~/f.mlir 2>&1", 2,
              "cotangent vmap: no input says how many lanes there are; --size does; try "
              "'cotangent vmap --help'\n");
    CHECK_RUN("vmap ~/f.mlir --in-axes none,none,2 --input ~/v.npz 2>&1", 2,
              "cotangent vmap: input 2, f64[2,3], has no axis 2; try 'cotangent vmap --help'\n");
    CHECK_OK(ctx);
    command_remove_folder();
    ct_context_free(ctx);
}

TEST(errors)
{
    command_make_folder();
    write_files();
    CHECK_RUN("hvp ~/f.mlir --entry both --wrt 3 2>&1", 2,
              "cotangent: ~/f.mlir:8:11: hvp of both: there is no argument 3; it has 3, counted "
              "from 0\n");
    CHECK_RUN(
        "hvp ~/f.mlir --wrt 1 2>&1", 2,
        "cotangent: ~/f.mlir:1:11: hvp of main: argument 1 is i32[], which has no derivative\n");
    CHECK_RUN("gradcheck ~/f.mlir --wrt 3 --random 1 2>&1", 2,
              "cotangent: ~/f.mlir:1:11: gradcheck: there is no argument 3 of main; it has 3\n");
    CHECK_RUN("vmap ~/f.mlir --in-axes 9,none,none --size 2 2>&1 | cut -d: -f1-5", 0,
              "cotangent: ~/f.mlir:1:11: vmap of main\n");
    CHECK_RUN(
        "grad ~/f.mlir --entry both --random 1 2>&1 | head -n 1", 0,
        "cotangent: ~/f.mlir:8:11: grad of both: it gives 3 results; a gradient needs one real "
        "float scalar\n");
    command_remove_folder();
    CHECK_USAGE("grad", "it takes one FILE, not 0; try 'cotangent grad --help'");
    CHECK_USAGE("jvp a.mlir --wrt 0,", "--wrt takes numbers with commas between them, as 0,2, not");
    CHECK_USAGE("vjp a.mlir --wrt x", "not 'x'; try 'cotangent vjp --help'");
    CHECK_USAGE("hvp a.mlir --exec fast", "no way to run called 'fast'");
    CHECK_USAGE("hvp a.mlir --random x", "--random takes a whole number");
    CHECK_USAGE("grad /no/such.mlir", "/no/such.mlir");
    CHECK_USAGE("vmap a.mlir --in-axes 0,no", "as 0,none,-1, not '0,no'; try 'cotangent vmap");
    CHECK_USAGE("vmap a.mlir --out-axes -", "as 0,none,-1, not '-'");
    CHECK_USAGE("vmap a.mlir --size -1", "--size takes a whole number");
    CHECK_USAGE("gradcheck a.mlir b.mlir", "it takes one FILE, not 2");
    CHECK_USAGE("gradcheck /no/such.mlir", "/no/such.mlir");
}

#define ROWS                                                                                       \
    "  input 0 \"x\"  f64[2]  2 elements: 4 right\n"                                               \
    "  input 2 \"y\"  f64[2]  2 elements: 4 right\n"

/* The numbers that it is done in are said. */
TEST(gradcheck)
{
    command_outcome o;
    command_make_folder();
    write_files();
    CHECK_RUN("gradcheck ~/f.mlir --input ~/d.npz", 0,
              ct_has_oracle()
                  ? "main: 8 checks of its derivatives in exact quotients: 8 right\n" ROWS
                  : "main: 8 checks of its derivatives in f64: 8 right\n" ROWS);
    CHECK_RUN("gradcheck ~/f.mlir --input ~/d.npz --f64", 0,
              "main: 8 checks of its derivatives in f64: 8 right\n" ROWS);
    command_write("g.mlir", "func.func @main(%x: tensor<f64>) -> tensor<f64> {\n"
                            "  %0 = stablehlo.floor %x : tensor<f64>\n"
                            "  return %0 : tensor<f64>\n}\n");
    ct_context *ctx = ct_context_new();
    ct_write_npy(ct_scalar(ctx, CT_F64, 2), command_path("two.npy"));
    CHECK_OK(ctx);
    ct_context_free(ctx);
    command_run_here(&o, "gradcheck ~/g.mlir --input ~/two.npy");
    CHECK_MSG(o.status == 1 && strstr(o.text, "jump"), "%d %s", o.status, o.text);
    command_run_here(&o, "gradcheck ~/g.mlir --input ~/two.npy --json");
    CHECK_MSG(o.status == 1 && strstr(o.text, "\"passed\": false") &&
                  strstr(o.text, "\"verdicts\": [\"jump\"]}"),
              "%d %s", o.status, o.text);
    command_run_here(&o, "gradcheck ~/g.mlir --input ~/two.npy --f64 --json");
    CHECK_MSG(o.status == 1 && strstr(o.text, "\"numbers\": \"f64\""), "%s", o.text);
    command_run_here(&o, "gradcheck ~/f.mlir --entry rough --random 3");
    CHECK_MSG(o.status == 0 && strstr(o.text, "right"), "%d %s", o.status, o.text);
    command_run_here(&o, "gradcheck ~/f.mlir --entry count 2>&1");
    CHECK_MSG(o.status == 2 && command_lines(o.text) == 1, "%d %s", o.status, o.text);
    command_run_here(&o, "gradcheck ~/f.mlir --second-order --wrt 2 --directions 1 --all");
    CHECK_MSG(o.status == 0 && strstr(o.text, "second order") && !strstr(o.text, "input 0"),
              "%d %s", o.status, o.text);
    command_run_here(&o, "gradcheck ~/f.mlir --wrt 2 --directions 0 2>&1");
    CHECK_MSG(o.status == 2 && strstr(o.text, "--directions takes"), "%d %s", o.status, o.text);
    command_remove_folder();
}

/* x and y are there anyway; x·x is kept. */
TEST(residuals)
{
    command_make_folder();
    write_files();
    CHECK_RUN("residuals ~/f.mlir", 0,
              "16 bytes                 argument 0  f64[2]               \"x\"\n"
              "16 bytes                 argument 2  f64[2]               \"y\"\n"
              "16 bytes                 kept        f64[2]               multiply, ~/f.mlir:2:8\n"
              "16 bytes kept\n32 bytes of arguments\n");
    CHECK_RUN("residuals ~/f.mlir --wrt 2 --entry both", 0,
              "8 bytes                  argument 0  f32[2]               \"x\"\n"
              "8 bytes                  argument 2  f32[2]               \"y\"\n"
              "0 bytes kept\n16 bytes of arguments\n");
    CHECK_RUN("residuals ~/f.mlir --entry rough", 0, "0 bytes kept\n");
    CHECK_RUN("residuals ~/f.mlir --wrt 1 2>&1", 2,
              "cotangent: ~/f.mlir:1:11: residuals of main: argument 1 is i32[], which has no "
              "derivative\n");
    command_write("t.mlir", "func.func @main(%x: tensor<?xf64>) -> tensor<?xf64> {\n"
                            "  %0 = stablehlo.multiply %x, %x : tensor<?xf64>\n"
                            "  return %0 : tensor<?xf64>\n}\n");
    CHECK_RUN("residuals ~/t.mlir --input ~/d0.npy", 0,
              "16 bytes                 argument 0  f64[2]               \"x\"\n"
              "0 bytes kept\n16 bytes of arguments\n");
    command_remove_folder();
    CHECK_USAGE("residuals", "it takes one FILE, not 0; try 'cotangent residuals --help'");
    CHECK_USAGE("residuals a.mlir --wrt x", "not 'x'; try 'cotangent residuals --help'");
    CHECK_USAGE("residuals /no/such.mlir", "/no/such.mlir");
}

/* A check of constants runs while the program is derived: what it finds is told, too. */
#define CHECKED(y)                                                                                 \
    "func.func @main(%x: tensor<2xf64>) -> tensor<2xf64> {\n"                                      \
    "  %a = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf64>\n"                                \
    "  %b = stablehlo.constant dense<" y "> : tensor<2xf64>\n"                                     \
    "  stablehlo.custom_call @check.expect_eq(%a, %b) {has_side_effect = true} : "                 \
    "(tensor<2xf64>, tensor<2xf64>) -> ()\n"                                                       \
    "  stablehlo.custom_call @check.expect_eq(%x, %x) {has_side_effect = true} : "                 \
    "(tensor<2xf64>, tensor<2xf64>) -> ()\n"                                                       \
    "  return %x : tensor<2xf64>\n}\n"

TEST(programs_with_checks)
{
    static const char *const calls[] = {"run ~/c.mlir --random 1", "jvp ~/c.mlir --random 1",
                                        "vjp ~/c.mlir --random 1",
                                        "vmap ~/c.mlir --size 3 --random 1"};
    command_outcome o;
    command_make_folder();
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        command_write("c.mlir", CHECKED("[1.0, 2.0]"));
        command_run_here(&o, calls[i]);
        CHECK_MSG(o.status == 0, "%s: %s", calls[i], o.text);
        command_write("c.mlir", CHECKED("[1.0, 3.0]"));
        command_run_here(&o, calls[i]);
        CHECK_MSG(o.status == 1 && strstr(o.text, "check.expect_eq: 1 of 2 elements"), "%s: %s",
                  calls[i], o.text);
    }
    command_write("c.mlir", CHECKED("[1.0, 2.0]"));
    CHECK_RUN("gradcheck ~/c.mlir --random 1 >/dev/null", 0, "");
    command_remove_folder();
}
