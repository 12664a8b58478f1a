#include "tests/command.h"
#include "tests/values.h"

#include <cotangent/npy.h>
#include <cotangent/op_data.h>

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

TEST(help_and_version)
{
    command_outcome o;
    char version[64];
    command_run(&o, "--version");
    snprintf(version, sizeof version, "cotangent %s\n", ct_version());
    CHECK_MSG(o.status == 0 && strcmp(o.text, version) == 0, "%s", o.text);
    command_run(&o, "--help");
    CHECK(o.status == 0 && strstr(o.text, "usage: cotangent VERB"));
    CHECK(strstr(o.text, "  ops ") && strstr(o.text, "  --version "));
}

/* A line for every row. */
TEST(ops)
{
    static const char *const name[] = {
#define OP(name, ...) "\n" #name " ",
#include "ops/ops.def"
#undef OP
    };
    command_outcome o;
    command_run(&o, "ops");
    CHECK(o.status == 0);
    for (size_t i = 0; i < sizeof name / sizeof *name; i++)
        CHECK_MSG(strstr(o.text, name[i]), "no%s", name[i]);
    CHECK(command_lines(o.text) == sizeof name / sizeof *name + 1);
    CHECK(strstr(o.text, " floats, complexes ") && strstr(o.text, " any "));
}

TEST(one_operation)
{
    command_outcome o;
    command_run(&o, "ops dynamic_slice");
    CHECK(o.status == 0);
    CHECK(strstr(o.text, "spelling    stablehlo.dynamic_slice\n"));
    CHECK(strstr(o.text, "operands    x start...\n"));
    CHECK(strstr(o.text, "traits      moves_data, linear_in(0), indexes\n"));
    CHECK(strstr(o.text, "jvp         yes\n"));
    command_run(&o, "ops floor");
    CHECK(strstr(o.text, "dtypes      floats\n"));
    CHECK(strstr(o.text, "jvp         piecewise constant\n"));
    CHECK(strstr(o.text, "transpose   not linear\n"));
}

TEST(usage_errors)
{
    CHECK_USAGE("", "a verb is missing");
    CHECK_USAGE("fly", "unknown verb 'fly'");
    CHECK_USAGE("--fly", "unknown option '--fly'");
    CHECK_USAGE("ops fly", "there is no operation 'fly'");
    CHECK_USAGE("ops abs add", "'add'");
    CHECK_USAGE("--help ops", "'ops'");
    CHECK_USAGE("--version 2", "'2'");
    CHECK_USAGE("run", "it takes one FILE, not 0; try 'cotangent run --help'");
    CHECK_USAGE("run a.mlir b.mlir", "it takes one FILE, not 2");
    CHECK_USAGE("run a.mlir --entry", "--entry needs an argument, NAME");
    CHECK_USAGE("run a.mlir --entry=f --entry g", "--entry is given twice");
    CHECK_USAGE("run a.mlir --random x", "--random takes a whole number from 0 to");
    CHECK_USAGE("run a.mlir --random -1", "not '-1'");
    CHECK_USAGE("run a.mlir --exec fast", "no way to run called 'fast'");
    CHECK_USAGE("run a.mlir --exec cpu:64", "no way to run called 'cpu:64'");
    CHECK_USAGE("run a.mlir --exec mpfr:63", "--exec mpfr:BITS takes 64 to 1048576 bits, not '63'");
    CHECK_USAGE("run a.mlir --exec mpfr:", "--exec mpfr:BITS takes 64 to 1048576 bits, not ''");
    CHECK_USAGE("run a.mlir --exec mpfr:-1", "--exec mpfr:BITS takes 64 to 1048576 bits, not '-1'");
    CHECK_USAGE("run a.mlir --exec rational:0",
                "--exec rational:BITS takes 64 to 1048576 bits, not '0'");
    CHECK_USAGE("run a.mlir --fly", "unknown option '--fly'; try 'cotangent run --help'");
    CHECK_USAGE("run /no/such.mlir", "/no/such.mlir");
    CHECK_USAGE("check", "a FILE or DIR is missing; try 'cotangent check --help'");
    CHECK_USAGE("check --jobs 0 a.mlir", "--jobs takes a whole number from 1 to 256, not '0'");
    CHECK_USAGE("check --exec fast a.mlir", "no way to run called 'fast'");
    CHECK_USAGE("check /no/such.mlir", "/no/such.mlir: No such file");
    CHECK_USAGE("check --allow /no/such.txt .", "/no/such.txt: No such file");
    CHECK_USAGE("show", "it takes one FILE, not 0");
    CHECK_USAGE("show --as pictures a.mlir", "there is no form 'pictures'");
    CHECK_USAGE("show /no/such.mlir", "/no/such.mlir");
}

TEST(help_of_every_verb)
{
    static const char *const verbs[] = {"run", "bench", "check", "show",      "grad",      "jvp",
                                        "vjp", "hvp",   "vmap",  "gradcheck", "residuals", "ops"};
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++) {
        char arguments[64], usage[64];
        command_outcome o;
        snprintf(arguments, sizeof arguments, "%s --help", verbs[i]);
        snprintf(usage, sizeof usage, "usage: cotangent %s ", verbs[i]);
        command_run(&o, arguments);
        CHECK_MSG(o.status == 0 && strstr(o.text, usage) && strstr(o.text, "  --help "), "%s",
                  o.text);
    }
}

/* ---- run. */

static const char sums[] = "func.func @main(%x: tensor<2x3xf32>, %y: tensor<3xi8>) -> "
                           "(tensor<2x3xf32>, tensor<3xi8>) {\n"
                           "  %0 = stablehlo.add %x, %x : tensor<2x3xf32>\n"
                           "  %1 = stablehlo.multiply %y, %y : tensor<3xi8>\n"
                           "  return %0, %1 : tensor<2x3xf32>, tensor<3xi8>\n}\n"
                           "func.func @two() -> tensor<i32> {\n"
                           "  %0 = stablehlo.constant dense<2> : tensor<i32>\n"
                           "  return %0 : tensor<i32>\n}\n";

static void write_inputs(void)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = coded(ctx, CT_F32, 2, 3), *y = coded(ctx, CT_I8, 3);
    ct_write_npy(x, command_path("x.npy"));
    ct_write_npy(y, command_path("y.npy"));
    ct_write_npz(ctx, command_path("both.npz"), NULL, CT_ARGV(x, y));
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

#define SUMS "result 0: f32[2,3]\n[[ 0.  2.  4.]\n [20. 22. 24.]]\nresult 1: i8[3]\n[0 1 4]\n"

TEST(run_on_files)
{
    command_make_folder();
    command_write("f.mlir", sums);
    write_inputs();
    CHECK_RUN("run ~/f.mlir --input ~/x.npy --input=~/y.npy", 0, SUMS);
    CHECK_RUN("run ~/f.mlir --input ~/both.npz --exec interpret", 0, SUMS);
    CHECK_RUN("run ~/f.mlir --entry two", 0, "result 0: i32[]\n2\n");
    CHECK_RUN("run ~/f.mlir --input ~/x.npy 2>&1", 2,
              "cotangent: main: it takes 2 arguments, and 1 is given (--random SEED makes them "
              "up)\n");
    CHECK_RUN("run ~/f.mlir --input ~/y.npy --input ~/x.npy 2>&1", 2,
              "cotangent: main: argument 0 is f32[2,3], not i8[3]\n");
    CHECK_RUN("run ~/f.mlir --entry two --input ~/x.npy 2>&1", 2,
              "cotangent: two: it takes 0 arguments, and 1 is given\n");
    CHECK_RUN("run ~/f.mlir --input ~/f.mlir 2>&1", 2,
              "cotangent: read_npy: ~/f.mlir: is no .npy file: it does not begin with "
              "\\x93NUMPY\n");
    command_remove_folder();
}

/* A program that JAX exported with open extents takes those of its arguments. */
/* Times are what they are; the rest of what is said is known. */
TEST(bench_of_a_file)
{
    command_outcome o;
    command_make_folder();
    command_write("f.mlir", sums);
    command_run_here(&o, "bench ~/f.mlir --seconds 0 --limits 10,100 --profile --exec machine");
    CHECK_MSG(o.status == 0 && strstr(o.text, "main: median ") && strstr(o.text, " 54 bytes of") &&
                  strstr(o.text, "limits: 10.0 GB/s, 100.0 GF/s") && strstr(o.text, "  add  ") &&
                  strstr(o.text, "  multiply  ") && strstr(o.text, "f.mlir:3"),
              "%s", o.text);
    command_run_here(&o, "bench ~/f.mlir --seconds 0 --limits 10,100 --json --profile --entry two");
    CHECK_MSG(o.status == 0 && strstr(o.text, "\"function\": \"two\"") &&
                  strstr(o.text, "\"bytes\": 4,"),
              "%s", o.text);
    command_run_here(&o, "run ~/f.mlir --random 1 --profile 2>&1 >/dev/null");
    CHECK_MSG(o.status == 0 && strstr(o.text, "  multiply  "), "%s", o.text);
    CHECK_USAGE("bench f.mlir --seconds x", "number of seconds, not 'x'");
    CHECK_USAGE("bench f.mlir --limits 3", "two numbers");
    command_remove_folder();
}

TEST(run_with_open_extents)
{
    static const char open[] =
        "func.func public @main(%x: tensor<?xf32>) -> tensor<?xf32> {\n"
        "  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?xf32>) -> tensor<i32>\n"
        "  %two = stablehlo.constant dense<2> : tensor<i32>\n"
        "  %ok = stablehlo.compare LE, %n, %two, SIGNED : (tensor<i32>, tensor<i32>) -> "
        "tensor<i1>\n"
        "  stablehlo.custom_call @shape_assertion(%ok, %n) {error_message = \"b is {0}\", "
        "has_side_effect = true} : (tensor<i1>, tensor<i32>) -> ()\n"
        "  return %x : tensor<?xf32>\n"
        "}\n";
    ct_context *ctx = ct_context_new();
    command_make_folder();
    command_write("open.mlir", open);
    ct_write_npy(ct_arange(ctx, CT_F32, 0, 2, 1), command_path("x.npy"));
    ct_write_npy(ct_arange(ctx, CT_F32, 0, 3, 1), command_path("y.npy"));
    CHECK_RUN("run ~/open.mlir --input ~/x.npy", 0, "result 0: f32[2]\n[0. 1.]\n");
    CHECK_RUN("run ~/open.mlir --input ~/y.npy 2>&1 | head -1", 0,
              "cotangent: ~/open.mlir:5:3: b is 3\n");
    command_remove_folder();
    ct_context_free(ctx);
}

TEST(run_with_random_arguments)
{
    command_outcome first, second, other;
    command_make_folder();
    command_write("f.mlir", sums);
    command_run_here(&first, "run ~/f.mlir --random 7");
    command_run_here(&second, "run ~/f.mlir --random 7");
    command_run_here(&other, "run ~/f.mlir --random 8");
    CHECK(first.status == 0 && strstr(first.text, "result 0: f32[2,3]\n[["));
    CHECK(strcmp(first.text, second.text) == 0 && strcmp(first.text, other.text) != 0);
    command_remove_folder();
}

TEST(run_into_files)
{
    ct_context *ctx = ct_context_new();
    command_make_folder();
    command_write("f.mlir", sums);
    write_inputs();
    CHECK_RUN("run ~/f.mlir --input ~/both.npz --output ~/out", 0, "");
    CHECK_RUN("run ~/f.mlir --input ~/both.npz --output ~/out.npz", 0, "");
    CHECK_VALUES(ct_read_npy(ctx, command_path("out/result_1.npy")), CT_SHAPE(3), {0, 1, 4});
    ct_npz *archive = ct_read_npz(ctx, command_path("out.npz"));
    CHECK(ct_npz_count(archive) == 2);
    CHECK_VALUES(ct_npz_find(archive, "result_0"), CT_SHAPE(2, 3), {0, 2, 4, 20, 22, 24});
    CHECK_OK(ctx);
    CHECK_RUN("run ~/f.mlir --input ~/both.npz --output ~/no/such 2>&1", 2,
              "cotangent: ~/no/such: No such file or directory\n");
    /* a folder of 4090 characters, and no room for a name behind it */
    CHECK_RUN("run ~/f.mlir --input ~/both.npz --output ~/out$(printf '/.%.0s' $(seq 2032)) 2>&1 | "
              "tail -c 34",
              0, "/result_0.npy: File name too long\n");
    command_remove_folder();
    ct_context_free(ctx);
}

/* Raw bytes of i4 and i2, as ml_dtypes writes -2, 1 and -1: the low bits, or with the sign. */
TEST(run_on_narrow_integers)
{
    static const unsigned char low[] = {0x0E, 0x01, 0x0F}, extended[] = {0xFE, 0x01, 0xFF};
    static const unsigned char low2[] = {0x02, 0x01, 0x03}, wrong[] = {0x1E, 0x01, 0x0F};
    ct_context *ctx = ct_context_new();
    command_make_folder();
    command_write("f.mlir", "func.func @main(%x: tensor<3xi4>) -> tensor<3xi4> {\n"
                            "  return %x : tensor<3xi4>\n}\n"
                            "func.func @two(%x: tensor<3xi2>) -> tensor<3xi2> {\n"
                            "  return %x : tensor<3xi2>\n}\n"
                            "func.func @constants() -> (tensor<2xi4>, tensor<i4>, tensor<i2>) {\n"
                            "  %a = stablehlo.constant dense<[-8, 7]> : tensor<2xi4>\n"
                            "  %b = stablehlo.constant dense<-3> : tensor<i4>\n"
                            "  %c = stablehlo.constant dense<-2> : tensor<i2>\n"
                            "  return %a, %b, %c : tensor<2xi4>, tensor<i4>, tensor<i2>\n}\n");
    ct_write_npy(ct_from_data(ctx, CT_U8, CT_SHAPE(3), low), command_path("low.npy"));
    ct_write_npy(ct_from_data(ctx, CT_U8, CT_SHAPE(3), extended), command_path("ext.npy"));
    ct_write_npy(ct_from_data(ctx, CT_U8, CT_SHAPE(3), low2), command_path("low2.npy"));
    ct_write_npy(ct_from_data(ctx, CT_U8, CT_SHAPE(3), wrong), command_path("bad.npy"));
    CHECK_OK(ctx);
    CHECK_RUN("run ~/f.mlir --input ~/low.npy", 0, "result 0: i4[3]\n[-2  1 -1]\n");
    CHECK_RUN("run ~/f.mlir --input ~/ext.npy", 0, "result 0: i4[3]\n[-2  1 -1]\n");
    CHECK_RUN("run ~/f.mlir --entry two --input ~/low2.npy", 0, "result 0: i2[3]\n[-2  1 -1]\n");
    CHECK_RUN("run ~/f.mlir --entry two --input ~/ext.npy", 0, "result 0: i2[3]\n[-2  1 -1]\n");
    CHECK_RUN("run ~/f.mlir --input ~/bad.npy 2>&1", 2,
              "cotangent: from_data: byte 30 of element 0 does not fit i4\n");
    CHECK_RUN("run ~/f.mlir --entry constants", 0,
              "result 0: i4[2]\n[-8  7]\nresult 1: i4[]\n-3\nresult 2: i2[]\n-2\n");
    command_remove_folder();
    ct_context_free(ctx);
}

#define QUANTIZED "tensor<2x!quant.uniform<i8:f32, 0.5:-3>>"

/* They are their storage integers: -5 stands for (-5 + 3) / 2. */
TEST(run_on_quantized_tensors)
{
    ct_context *ctx = ct_context_new();
    command_outcome o;
    command_make_folder();
    command_write("f.mlir",
                  "func.func @main(%a: " QUANTIZED ") -> (tensor<2xf32>, " QUANTIZED ") {\n"
                  "  %0 = stablehlo.uniform_dequantize %a : (" QUANTIZED ") -> tensor<2xf32>\n"
                  "  return %0, %a : tensor<2xf32>, " QUANTIZED "\n}\n");
    ct_write_npy(given(ctx, CT_I8, CT_SHAPE(2), {-5, 7}), command_path("x.npy"));
    ct_write_npy(given(ctx, CT_U8, CT_SHAPE(2), {5, 7}), command_path("u.npy"));
    CHECK_RUN("run ~/f.mlir --input ~/x.npy --output ~/out.npz", 0, "");
    ct_npz *archive = ct_read_npz(ctx, command_path("out.npz"));
    CHECK_VALUES(ct_npz_find(archive, "result_0"), CT_SHAPE(2), {-1, 5});
    CHECK_BITS(ct_npz_find(archive, "result_1"), given(ctx, CT_I8, CT_SHAPE(2), {-5, 7}));
    CHECK_RUN("run ~/f.mlir --input ~/u.npy 2>&1", 2,
              "cotangent: main: argument 0 is i8[2], not u8[2]\n");
    command_run_here(&o, "run ~/f.mlir --random 1");
    CHECK_MSG(o.status == 0 && strstr(o.text, "result 0: f32[2]\n"), "%s", o.text);
    CHECK_OK(ctx);
    command_remove_folder();
    ct_context_free(ctx);
}

/* Element by element, those of inner tuples too; an empty one is itself. */
TEST(run_to_tuples)
{
    ct_context *ctx = ct_context_new();
    command_make_folder();
    command_write("t.mlir",
                  "func.func @main() -> (tensor<i32>, tuple<tensor<2xi32>, tuple<tensor<f32>>>, "
                  "tuple<>) {\n"
                  "  %a = stablehlo.constant dense<[1, 2]> : tensor<2xi32>\n"
                  "  %b = stablehlo.constant dense<0.5> : tensor<f32>\n"
                  "  %c = stablehlo.constant dense<7> : tensor<i32>\n"
                  "  %d = stablehlo.tuple %b : tuple<tensor<f32>>\n"
                  "  %e = stablehlo.tuple %a, %d : tuple<tensor<2xi32>, tuple<tensor<f32>>>\n"
                  "  %f = \"stablehlo.tuple\"() : () -> tuple<>\n"
                  "  return %c, %e, %f : tensor<i32>, tuple<tensor<2xi32>, tuple<tensor<f32>>>, "
                  "tuple<>\n}\n"
                  "func.func @two() -> tuple<tensor<i32>, tensor<i32>> {\n"
                  "  %c = stablehlo.constant dense<7> : tensor<i32>\n"
                  "  %e = stablehlo.tuple %c, %c : tuple<tensor<i32>, tensor<i32>>\n"
                  "  return %e : tuple<tensor<i32>, tensor<i32>>\n}\n");
    CHECK_RUN("run ~/t.mlir --entry main", 0,
              "result 0: i32[]\n7\nresult 1.0: i32[2]\n[1 2]\nresult 1.1.0: f32[]\n0.5\n"
              "result 2: tuple<>\ntuple<>\n");
    CHECK_RUN("run ~/t.mlir --entry two --output ~/out.npz", 0, "");
    ct_npz *archive = ct_read_npz(ctx, command_path("out.npz"));
    CHECK_VALUES(ct_npz_find(archive, "result_0_1"), CT_SHAPE(), {7});
    CHECK_RUN("run ~/t.mlir --entry two --output ~/out", 0, "");
    CHECK_VALUES(ct_read_npy(ctx, command_path("out/result_0_0.npy")), CT_SHAPE(), {7});
    CHECK_OK(ctx);
    command_remove_folder();
    ct_context_free(ctx);
}

#define TEMPLATE                                                                                   \
    "// any length\nfunc.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {\n"                       \
    "  return %x : tensor<?xf32>\n}\n"
#define IS_TEMPLATE                                                                                \
    "~/t.mlir:2:11: @main has extents \"?\", which are not known without its arguments"

TEST(templates)
{
    ct_context *ctx = ct_context_new();
    command_make_folder();
    command_write("t.mlir", TEMPLATE);
    ct_write_npy(coded(ctx, CT_F32, 2), command_path("x.npy"));
    ct_write_npy(ct_op_reshape(coded(ctx, CT_F32, 2), CT_DIMS(2, 1)), command_path("y.npy"));
    CHECK_RUN("show ~/t.mlir", 0, TEMPLATE);
    CHECK_RUN("show ~/t.mlir --as dot 2>&1", 2,
              "cotangent: " IS_TEMPLATE
              " (--as text prints it as it is, --shapes or --input gives them)\n");
    CHECK_RUN("show ~/t.mlir --input ~/x.npy", 0,
              "module @main {\n"
              "  func.func public @main(%x: tensor<2xf32>) -> tensor<2xf32> {\n"
              "    return %x : tensor<2xf32>\n  }\n}\n");
    CHECK_RUN("run ~/t.mlir 2>&1", 2,
              "cotangent: " IS_TEMPLATE " (--shapes or --input gives them)\n");
    CHECK_RUN("run ~/t.mlir --random 1 2>&1", 2,
              "cotangent: " IS_TEMPLATE " (--shapes or --input gives them)\n");
    CHECK_RUN("vmap ~/t.mlir --input ~/x.npy 2>&1", 2,
              "cotangent: " IS_TEMPLATE " (--shapes gives those of one lane)\n");
    CHECK_RUN("vmap ~/t.mlir --size 2 --emit 2>&1", 2,
              "cotangent: " IS_TEMPLATE " (--shapes gives those of one lane)\n");
    CHECK_RUN("vmap ~/t.mlir --shapes 1 --input ~/y.npy", 0, "result 0: f32[2,1]\n[[0.]\n [1.]]\n");
    command_write("two.mlir", "func.func @main() { return }\n// -----\n"
                              "func.func @main() { return }\n");
    CHECK_RUN(
        "run ~/two.mlir 2>&1", 2,
        "cotangent: read_stablehlo: ~/two.mlir holds 2 modules, parted by lines with // -----; "
        "it must be one\n");
    CHECK_RUN("run ~/t.mlir --input ~/x.npy", 0, "result 0: f32[2]\n[0. 1.]\n");
    CHECK_RUN("check ~/t.mlir", 1, IS_TEMPLATE "\n0 passed, 1 failed\n");
    command_remove_folder();
    ct_context_free(ctx);
}

/* Shapes take the place of inputs where only types are wanted, or arguments are made up. */
TEST(shapes_of_templates)
{
    command_make_folder();
    command_write("t.mlir", "func.func @main(%x: tensor<?x2xf32>, %n: tensor<i32>) -> "
                            "tensor<?x2xf32> {\n  return %x : tensor<?x2xf32>\n}\n");
    command_write("s.mlir", "func.func @main(%x: tensor<2xi1>) {\n  return\n}\n");
    CHECK_RUN("show ~/t.mlir --shapes 3x2,scalar", 0,
              "module @main {\n"
              "  func.func public @main(%x: tensor<3x2xf32>, %n: tensor<i32>) -> "
              "tensor<3x2xf32> {\n"
              "    return %x : tensor<3x2xf32>\n  }\n}\n");
    CHECK_RUN("run ~/t.mlir --shapes 0x2,scalar --random 1", 0, "result 0: f32[0,2]\n[]\n");
    CHECK_RUN("run ~/t.mlir --shapes 3x2,scalar 2>&1", 2,
              "cotangent: main: it takes 2 arguments, and 0 are given (--random SEED makes them "
              "up)\n");
    CHECK_RUN("run ~/t.mlir --shapes 3x2 --random 1 2>&1", 2,
              "cotangent: ~/t.mlir:1:11: @main takes 2 arguments, and 1 shape is given\n");
    CHECK_RUN("run ~/t.mlir --shapes 2x3,scalar --random 1 2>&1", 2,
              "cotangent: ~/t.mlir:1:11: @main: argument 0 is a tensor<?x2xf32>, and cannot have "
              "the shape 2x3\n");
    CHECK_RUN("show ~/s.mlir --shapes 3 2>&1", 2,
              "cotangent: ~/s.mlir:1:11: @main: argument 0 is a tensor<2xi1>, and cannot have the "
              "shape 3\n");
    static const char *const wrong[] = {"3x2,",
                                        "x2",
                                        "3x",
                                        "-1",
                                        "a",
                                        "3,,4",
                                        "scalar2",
                                        "3xscalar",
                                        "3 x 2,2",
                                        "\\ 3",
                                        "99999999999999999999"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char arguments[100];
        snprintf(arguments, sizeof arguments, "run f.mlir '--shapes=%s'", wrong[i]);
        command_check_usage(__FILE__, __LINE__, arguments,
                            "cotangent run: --shapes takes shapes with commas between them, as "
                            "5x3,scalar, not '");
    }
    command_remove_folder();
}

/* The function is named; nothing of the C library is. */
TEST(errors_of_a_run)
{
    command_outcome o;
    command_make_folder();
    command_write("f.mlir", "func.func @wide() -> tensor<9000000000000000xf32> {\n"
                            "  %0 = stablehlo.iota dim = 0 : tensor<9000000000000000xf32>\n"
                            "  return %0 : tensor<9000000000000000xf32>\n}\n"
                            "func.func @unknown(%a: tensor<2xf32>) -> tensor<2xf32> {\n"
                            "  %0 = stablehlo.custom_call @x(%a) : "
                            "(tensor<2xf32>) -> tensor<2xf32>\n"
                            "  return %0 : tensor<2xf32>\n}\n");
    CHECK_RUN("run ~/f.mlir --entry unknown --random 1 2>&1", 2,
              "cotangent: ~/f.mlir:6:8: custom_call: no function is registered for target @x\n");
    command_run_here(&o, "run ~/f.mlir --entry wide 2>&1");
    CHECK_MSG(o.status == 2 && strstr(o.text, "cotangent: call: wide: out of memory: its "), "%s",
              o.text);
    command_remove_folder();
}

/* x - 3 is 0 in the third iteration. */
static const char dividing[] =
    "func.func @main() -> tensor<f32> {\n"
    "  %c = stablehlo.constant dense<3.0> : tensor<f32>\n"
    "  %one = stablehlo.constant dense<1.0> : tensor<f32>\n"
    "  %i = stablehlo.constant dense<0> : tensor<i32>\n"
    "  %n = stablehlo.constant dense<5> : tensor<i32>\n"
    "  %s = stablehlo.constant dense<1> : tensor<i32>\n"
    "  %r:3 = stablehlo.while(%k = %i, %y = %c, %z = %one)"
    " : tensor<i32>, tensor<f32>, tensor<f32>\n"
    "   cond { %t = stablehlo.compare LT, %k, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
    "     stablehlo.return %t : tensor<i1> }\n"
    "   do { %j = stablehlo.add %k, %s : tensor<i32>\n"
    "     %x = stablehlo.subtract %y, %one : tensor<f32>\n"
    "     %q = stablehlo.divide %one, %x : tensor<f32>\n"
    "     stablehlo.return %j, %x, %q : tensor<i32>, tensor<f32>, tensor<f32> }\n"
    "  return %r#2 : tensor<f32>\n}\n";

TEST(traps)
{
    command_outcome o;
    command_make_folder();
    command_write("f.mlir", dividing);
    CHECK_RUN("run ~/f.mlir", 0, "result 0: f32[]\n-0.5\n");
    CHECK_RUN("run ~/f.mlir --trap nan,index", 0, "result 0: f32[]\n-0.5\n");
    CHECK_RUN("run ~/f.mlir --trap all 2>&1", 2,
              "cotangent: ~/f.mlir:12:11: divide: division by zero in f32[]\n"
              "    x = 1\n    y = 0\n    in iteration 2 of scan, ~/f.mlir:7\n");
    command_run_here(&o, "run ~/f.mlir --exec cpu --trap overflow,infinity 2>&1");
    CHECK_MSG(o.status == 2 && strstr(o.text, "divide: infinity born in f32[]"), "%s", o.text);
    CHECK_USAGE("run f.mlir --trap nan,zero", "there is no trap called 'zero'; there are nan, ");
    CHECK_USAGE("run f.mlir --trap ''", "--trap needs an argument, KINDS");
    CHECK_USAGE("run f.mlir --trap all,zero", "there is no trap called 'zero'; there are nan, ");
    CHECK_USAGE("run f.mlir --trap nan, ", "there is no trap called ''");
    CHECK_USAGE("run f.mlir --trap all --exec mpfr:100",
                "--trap looks at numbers of the program's");
    command_remove_folder();
}

/* ---- check. */

#define COMPARE(a, b)                                                                              \
    "func.func @main() {\n  %a = stablehlo.constant dense<" a "> : tensor<2xf32>\n"                \
    "  %b = stablehlo.constant dense<" b "> : tensor<2xf32>\n"                                     \
    "  stablehlo.custom_call @check.expect_eq(%a, %b) {has_side_effect = true} : "                 \
    "(tensor<2xf32>, tensor<2xf32>) -> ()\n  return\n}\n"
#define DIFFERS                                                                                    \
    "check.expect_eq: 1 of 2 elements of f32[2] differs, the first at [1]: 2 and 3, 4194304 "      \
    "ulps apart"

TEST(check_files_and_folders)
{
    command_make_folder();
    CHECK(mkdir(command_path("deep"), 0777) == 0);
    command_write("a.mlir", COMPARE("[1.0, 2.0]", "[1.0, 2.0]"));
    command_write("b.mlir", COMPARE("[1.0, 2.0]", "[1.0, 3.0]"));
    command_write("deep/c.mlir", COMPARE("1.0", "[1.0, 1.0]"));
    command_write("not.txt", "no program");
    CHECK_RUN("check ~/a.mlir ~/a.mlir", 0, "1 passed, 0 failed\n");
    CHECK_RUN("check ~/b.mlir", 1, "~/b.mlir: " DIFFERS "\n0 passed, 1 failed\n");
    CHECK_RUN("check ~/a.mlir ~/none.mlir ~/gone 2>/dev/null", 2, "1 passed, 0 failed\n");
    CHECK_RUN("check ~/a.mlir ~/none.mlir ~/gone 2>&1 >/dev/null", 2,
              "cotangent: ~/none.mlir: No such file or directory\n"
              "cotangent: ~/gone: No such file or directory\n");
    CHECK_RUN("check ~ --jobs 1", 1, "~/b.mlir: " DIFFERS "\n2 passed, 1 failed\n");
    CHECK_RUN("check ~ --jobs 5", 1, "~/b.mlir: " DIFFERS "\n2 passed, 1 failed\n");
    CHECK_RUN("check ~/deep ~/b.mlir --jobs 2", 1, "~/b.mlir: " DIFFERS "\n1 passed, 1 failed\n");
    CHECK(mkdir(command_path("empty"), 0777) == 0);
    CHECK_RUN("check ~/empty 2>&1", 2, "cotangent: ~/empty: there is no *.mlir in it\n");
    command_write("allow", "# known\n\nb.mlir  differs on purpose # so\ndeep/c is feared\n");
    CHECK_RUN("check ~ --allow ~/allow", 0,
              "~/b.mlir: allowed (differs on purpose): " DIFFERS "\n"
              "~/deep/c.mlir: passes, though it may fail (is feared)\n"
              "2 passed, 0 failed, 1 allowed\n");
    command_remove_folder();
}

/* A folder is looked into once, by its own name where it has one. */
TEST(check_linked_folders)
{
    command_make_folder();
    CHECK(mkdir(command_path("all"), 0777) == 0 && mkdir(command_path("all/m"), 0777) == 0 &&
          mkdir(command_path("other"), 0777) == 0);
    command_write("all/a.mlir", COMPARE("1.0", "1.0"));
    command_write("all/m/b.mlir", COMPARE("1.0", "2.0"));
    command_write("other/c.mlir", COMPARE("1.0", "3.0"));
    CHECK(symlink("..", command_path("all/m/up")) == 0 &&
          symlink("m", command_path("all/a")) == 0 &&
          symlink("../other", command_path("all/z")) == 0 &&
          symlink("../other", command_path("all/y")) == 0 &&
          symlink("../all", command_path("other/back")) == 0);
    command_outcome o;
    command_run_here(&o, "check ~/all | sed 's/: .*//'");
    CHECK(command_lines(o.text) == 3 && strstr(o.text, "all/m/b.mlir\n") &&
          strstr(o.text, "all/y/c.mlir\n1 passed, 2 failed\n"));
    command_remove_folder();
}

TEST(lists_of_what_may_fail)
{
    command_make_folder();
    command_write("a.mlir", COMPARE("[1.0, 2.0]", "[1.0, 2.0]"));
    command_write("allow", "# reasons\nb.mlir is elsewhere\n  a.mlir # why?\n");
    CHECK_RUN("check ~/a.mlir --allow ~/allow 2>&1", 2,
              "cotangent: ~/allow:3: the reason is missing: a line is a name and a reason\n");
    CHECK_RUN("check ~/a.mlir --allow ~/a.mlir 2>&1", 2,
              "cotangent: ~/a.mlir:5: the reason is missing: a line is a name and a reason\n");
    command_write("allow", "\nb.mlir is elsewhere\n");
    CHECK_RUN("check ~/a.mlir --allow ~/allow", 0,
              "~/allow:2: no file that is checked is called b.mlir\n"
              "1 passed, 0 failed, 0 allowed\n");
    FILE *file = fopen(command_path("allow"), "wb");
    CHECK(file && fwrite("a.mlir \0 b", 1, 10, file) == 10 && fclose(file) == 0);
    CHECK_RUN("check ~/a.mlir --allow ~/allow 2>&1", 2,
              "cotangent: ~/allow:1: it is no list of names: it holds a byte 0\n");
    command_remove_folder();
}

TEST(check_parts)
{
    command_make_folder();
    command_write("a.mlir", "// RUN\n// -----\n" COMPARE("1.0", "1.0") "// -----\n" COMPARE(
                                "[1.0, 2.0]", "[1.0, 3.0]"));
    CHECK_RUN("check ~/a.mlir", 1, "~/a.mlir: part 3: " DIFFERS "\n0 passed, 1 failed\n");
    command_write("a.mlir", "func.func @f(%a: tensor<2xf32>) -> tensor<3xf32> {\n"
                            "  // expected-error@+1 {{what}}\n"
                            "  %0 = stablehlo.add %a, %a : tensor<3xf32>\n"
                            "  return %0 : tensor<3xf32>\n}\n");
    CHECK_RUN("check ~/a.mlir", 0, "1 passed, 0 failed\n");
    command_write("a.mlir", "func.func @f(%a: tensor<?x2xf32>) -> tensor<?x2xf32> {\n"
                            "  // expected-error@+1 {{what}}\n"
                            "  %0 = stablehlo.transpose %a, dims = [0, 7] : (tensor<?x2xf32>) -> "
                            "tensor<?x2xf32>\n"
                            "  return %0 : tensor<?x2xf32>\n}\n");
    CHECK_RUN("check ~/a.mlir", 0, "1 passed, 0 failed\n");
    command_write("a.mlir", COMPARE("1.0", "1.0") "// expected-error {{what}}\n");
    CHECK_RUN("check ~/a.mlir", 1,
              "~/a.mlir: an error was expected on line 7\n0 passed, 1 failed\n");
    command_write("a.mlir", "func.func @f(%a: tensor<2xf32>) {\n  return\n}\n");
    CHECK_RUN("check ~/a.mlir", 1, "~/a.mlir: f takes arguments\n0 passed, 1 failed\n");
    command_remove_folder();
}

/* ---- show. */

TEST(show_forms)
{
    command_outcome o;
    command_make_folder();
    command_write("f.mlir", sums);
    CHECK_RUN("show ~/f.mlir --entry two", 0,
              "module @two {\n  func.func public @main() -> tensor<i32> {\n"
              "    %0 = stablehlo.constant dense<2> : tensor<i32>\n"
              "    return %0 : tensor<i32>\n  }\n}\n");
    CHECK_RUN("show ~/f.mlir --entry two --as generic", 0,
              "module @two {\n  func.func public @main() -> tensor<i32> {\n"
              "    %0 = \"stablehlo.constant\"() <{value = dense<2> : tensor<i32>}> : () -> "
              "tensor<i32>\n"
              "    \"func.return\"(%0) : (tensor<i32>) -> ()\n  }\n}\n");
    command_run_here(&o, "show ~/f.mlir --as dot");
    CHECK(o.status == 0 && strstr(o.text, "digraph"));
    command_run_here(&o, "show ~/f.mlir --as stats");
    CHECK(o.status == 0 && strstr(o.text, "multiply"));
    CHECK_RUN("show ~/f.mlir --as steps", 0,
              "step 0: 1 operation, 48 bytes, 6 flops\n    add                      ~/f.mlir:2\n"
              "step 1: 1 operation, 6 bytes, 3 flops\n    multiply                 ~/f.mlir:3\n");
    command_run_here(&o, "show ~/f.mlir --entry three 2>&1");
    CHECK_MSG(o.status == 2 && strstr(o.text, "three") && command_lines(o.text) == 1, "%s", o.text);
    command_write("g.mlir", "func.func @f() {\n  %0 = nonsense\n}\n");
    command_run_here(&o, "show ~/g.mlir 2>&1");
    CHECK_MSG(o.status == 2 && strstr(o.text, "g.mlir:2:8: ") &&
                  command_lines(o.text) == 3 /* and the line, and a caret */,
              "%s", o.text);
    CHECK_USAGE("show /dev/null", "cotangent: /dev/null: there is no function in it");
    command_write("g.mlir", "// nothing\n// -----\nmodule {\n}\n");
    command_run_here(&o, "show ~/g.mlir 2>&1");
    CHECK_MSG(o.status == 2 && strstr(o.text, "g.mlir: there is no function in it"), "%s", o.text);
    command_remove_folder();
}

/* tanh(x)·x as one step, or as two without fusion or before it. */
TEST(show_steps)
{
    static const char one[] = "step 0: 2 operations, 48 bytes, 12 flops\n"
                              "    tanh                     ~/t.mlir:2\n"
                              "    multiply                 ~/t.mlir:3\n";
    static const char two[] = "step 0: 1 operation, 48 bytes, 6 flops\n"
                              "    tanh                     ~/t.mlir:2\n"
                              "step 1: 1 operation, 72 bytes, 6 flops\n"
                              "    multiply                 ~/t.mlir:3\n";
    command_make_folder();
    command_write("t.mlir", "func.func @main(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {\n"
                            "  %0 = stablehlo.tanh %x : tensor<2x3xf32>\n"
                            "  %1 = stablehlo.multiply %0, %x : tensor<2x3xf32>\n"
                            "  return %1 : tensor<2x3xf32>\n}\n");
    CHECK_RUN("show ~/t.mlir --after fusion", 0, one);
    CHECK_RUN("show ~/t.mlir --after folds", 0, two);
    CHECK_RUN("show ~/t.mlir --after fusion --without views,fusion", 0, two);
    CHECK_RUN("show ~/t.mlir --after dropping --as steps", 0, two);
    command_remove_folder();
}

/* Samples of gperftools, where they are installed; the file begins with a header of words. */
TEST(cpu_profile)
{
    command_outcome o;
    command_make_folder();
    command_write("f.mlir", sums);
    command_run_here(&o, "bench ~/f.mlir --seconds 0.05 --cpu-profile ~/samples 2>&1");
    const bool is_missing = strstr(o.text, "profiler is not installed");
    CHECK_MSG(o.status == (is_missing ? 2 : 0), "%s", o.text);
    command_run_here(&o, "bench ~/f.mlir --seconds 0.05 --cpu-profile ~/none/samples 2>&1");
    CHECK_MSG(o.status == 2 && command_lines(o.text) == 1, "%s", o.text);
    command_remove_folder();
}

TEST(full_disk)
{
    command_outcome o;
    if (access("/dev/full", W_OK) != 0)
        SKIP("there is no /dev/full");
    command_run(&o, "ops 2>&1 >/dev/full");
    CHECK_MSG(o.status == 2 && strstr(o.text, "cannot write"), "%d %s", o.status, o.text);
}
