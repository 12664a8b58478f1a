/* Modules with the derivatives that are expected of them: what passes, and what is said of the
 * rest.
 */
#include "tests/command.h"
#include "tests/values.h"

#include <cotangent/checks.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* y = x·x·n, z = n: of x = [3, -0], n = 2, with cotangents [1, 2] and tangents [0.5, 4]. */
#define MAIN                                                                                       \
    "func.func @main(%x: tensor<2xf64>, %n: tensor<i32>) -> (tensor<2xf64>, tensor<i32>) {\n"      \
    "  %0 = stablehlo.convert %n : (tensor<i32>) -> tensor<f64>\n"                                 \
    "  %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f64>) -> tensor<2xf64>\n"           \
    "  %2 = stablehlo.multiply %x, %x : tensor<2xf64>\n"                                           \
    "  %3 = stablehlo.multiply %2, %1 : tensor<2xf64>\n"                                           \
    "  return %3, %n : tensor<2xf64>, tensor<i32>\n}\n"
#define GIVES(name, type, values)                                                                  \
    "func.func private @" name "() -> tensor<" type "> {\n"                                        \
    "  %0 = stablehlo.constant dense<" values "> : tensor<" type ">\n"                             \
    "  return %0 : tensor<" type ">\n}\n"
#define GIVES_TWO(name, type0, values0, type1, values1)                                            \
    "func.func private @" name "() -> (tensor<" type0 ">, tensor<" type1 ">) {\n"                  \
    "  %0 = stablehlo.constant dense<" values0 "> : tensor<" type0 ">\n"                           \
    "  %1 = stablehlo.constant dense<" values1 "> : tensor<" type1 ">\n"                           \
    "  return %0, %1 : tensor<" type0 ">, tensor<" type1 ">\n}\n"
#define INPUTS GIVES_TWO("inputs", "2xf64", "[3.0, -0.0]", "i32", "2")
#define EXPECTED GIVES_TWO("expected", "2xf64", "[18.0, 0.0]", "i32", "2")
#define AT GIVES("cotangents", "2xf64", "[1.0, 2.0]") GIVES("tangents", "2xf64", "[0.5, 4.0]")
#define VJP GIVES("expected_vjp", "2xf64", "[12.0, 0.0]")
#define JVP GIVES("expected_jvp", "2xf64", "[6.0, -0.0]")
#define HVP GIVES("expected_hvp", "2xf64", "[2.0, 32.0]")
#define MODULE(attributes, functions) "module @case attributes {" attributes "} {\n" functions "}\n"

/* How many checks are done, and the failures, one a line, in this order. */
static void check(int line, const char *text, size_t done, const char *expected)
{
    ct_context *ctx = ct_context_new();
    char found[4096] = "";
    ct_checks *checks = ct_checks_new(ctx);
    ct_module *module = ct_read_stablehlo_text(ctx, "case", text, strlen(text));
    ct_check_derivatives_at((ct_place){NULL, 0, 0}, checks, module);
    for (size_t i = 0; i < ct_checks_failed(checks); i++)
        snprintf(found + strlen(found), sizeof found - strlen(found), "%s\n",
                 ct_checks_failure(checks, i));
    values_check_ok(__FILE__, line, ctx);
    if (ct_checks_done(checks) != done || strcmp(found, expected) != 0)
        check_fail(__FILE__, line, "%zu done, found\n%sexpected\n%s", ct_checks_done(checks), found,
                   expected);
    ct_context_free(ctx);
}
#define CHECK_GOLDEN(text, done, expected) check(__LINE__, text, done, expected)

TEST(all_that_is_right)
{
    CHECK_GOLDEN(MODULE("", MAIN INPUTS EXPECTED AT VJP JVP HVP), 5, "");
    CHECK_GOLDEN(MODULE("ct.modes = \"vjp,jvp,hvp\"", MAIN INPUTS EXPECTED AT VJP JVP HVP), 5, "");
    CHECK_GOLDEN(
        MODULE("ct.differentiable_inputs = array<i64: 0>", MAIN INPUTS EXPECTED AT VJP JVP HVP), 5,
        "");
    CHECK_GOLDEN(MAIN INPUTS EXPECTED, 2, "");
    CHECK_GOLDEN(MAIN INPUTS EXPECTED AT HVP, 3, "");
}

/* Each mode is judged, whatever became of those before. */
TEST(all_that_is_wrong)
{
    CHECK_GOLDEN(
        MAIN INPUTS AT GIVES_TWO("expected", "2xf64", "[18.0, 1.0]", "i32", "3")
            GIVES("expected_vjp", "2xf64", "[12.5, 0.0]")
                GIVES("expected_jvp", "2xf64", "[5.0, 1.0]") GIVES("expected_hvp", "2xf64", "2.0"),
        5,
        "main: 1 of 2 elements of result 0, f64[2], differs, the first at [1]: got 0, expected 1, "
        "1 apart (0 allowed)\n"
        "main: 1 of 1 element of result 1, i32[], differs, the first: got 2, expected 3\n"
        "vjp: 1 of 2 elements of result 0, f64[2], differs, the first at [0]: got 12, expected "
        "12.5, 0.5 apart (0 allowed)\n"
        "jvp: 2 of 2 elements of result 0, f64[2], differ, the first at [0]: got 6, expected 5, "
        "1 apart (0 allowed)\n"
        "hvp: 1 of 2 elements of result 0, f64[2], differs, the first at [1]: got 32, expected 2, "
        "30 apart (0 allowed)\n");
}

TEST(what_does_not_fit)
{
    CHECK_GOLDEN(MODULE("ct.modes = \"vjp,jvp\"", MAIN INPUTS EXPECTED AT JVP), 4,
                 "vjp: there is no function @expected_vjp\n");
    CHECK_GOLDEN(MAIN INPUTS AT VJP GIVES("expected", "2xf64", "[18.0, 0.0]"), 3,
                 "main: it gives 2 results, and @expected 1\n");
    CHECK_GOLDEN(MAIN INPUTS EXPECTED AT GIVES("expected_vjp", "2xf32", "0.0") JVP, 4,
                 "vjp: result 0 is f64[2], not f32[2]\n");
    CHECK_GOLDEN(MODULE("ct.differentiable_inputs = array<i64: 1>", MAIN INPUTS EXPECTED AT VJP), 3,
                 "vjp: vjp of case: argument 1 is i32[], which has no derivative (ct_cast "
                 "converts)\n");
    CHECK_GOLDEN(MAIN INPUTS EXPECTED VJP GIVES("tangents", "2xf64", "[0.5, 4.0]") JVP, 4,
                 "vjp: call: vjp_main takes 3 arguments, got 2\n");
}

/* Tolerances, relative and absolute, and values that have no distance. */
#define DOUBLED(type)                                                                              \
    "func.func @main(%x: tensor<" type ">) -> tensor<" type "> {\n"                                \
    "  %0 = stablehlo.add %x, %x : tensor<" type ">\n  return %0 : tensor<" type ">\n}\n"

TEST(tolerances)
{
#define NEAR(rtol, atol, want)                                                                     \
    MODULE("ct.rtol = " rtol " : f64, ct.atol = " atol " : f64",                                   \
           DOUBLED("2xf64") GIVES("inputs", "2xf64", "[4.0, 0.0]")                                 \
               GIVES("expected", "2xf64", want))
    CHECK_GOLDEN(NEAR("0.125", "0.0", "[7.5, 0.0]"), 1, "");
    CHECK_GOLDEN(NEAR("0.0", "0.5", "[7.5, 0.5]"), 1, "");
    CHECK_GOLDEN(NEAR("0.125", "0.0", "[7.0, 0.0]"), 1,
                 "main: 1 of 2 elements of result 0, f64[2], differs, the first at [0]: got 8, "
                 "expected 7, 1 apart (0.875 allowed)\n");
    CHECK_GOLDEN(NEAR("1.0", "0.5", "[8.0, -1.0]"), 1, "");
    CHECK_GOLDEN(NEAR("1.0", "1.0e9", "[8.0, 0x7FF8000000000000]"), 1,
                 "main: 1 of 2 elements of result 0, f64[2], differs, the first at [1]: got 0, "
                 "expected nan, inf apart (1e+09 allowed)\n");
    CHECK_GOLDEN(NEAR("1.0", "1.0e9", "[0xFFF0000000000000, 0.0]"), 1,
                 "main: 1 of 2 elements of result 0, f64[2], differs, the first at [0]: got 8, "
                 "expected -inf, inf apart (1e+09 allowed)\n");
}

TEST(values_without_a_distance)
{
    static const char *const same[] = {"0x7FF0000000000000", "0xFFF0000000000000",
                                       "0x7FF8000000000000"};
    for (size_t i = 0; i < 3; i++)
        for (size_t j = 0; j < 3; j++) {
            char text[2048];
            snprintf(text, sizeof text,
                     "%s func.func @inputs() -> tensor<f64> {\n"
                     "  %%0 = stablehlo.constant dense<%s> : tensor<f64>\n"
                     "  return %%0 : tensor<f64>\n}\n"
                     "func.func @expected() -> tensor<f64> {\n"
                     "  %%0 = stablehlo.constant dense<%s> : tensor<f64>\n"
                     "  return %%0 : tensor<f64>\n}\n",
                     DOUBLED("f64"), same[i], same[j]);
            ct_context *ctx = ct_context_new();
            ct_checks *checks = ct_checks_new(ctx);
            ct_check_derivatives(checks, ct_read_stablehlo_text(ctx, "case", text, strlen(text)));
            CHECK_OK(ctx);
            CHECK_MSG(ct_checks_failed(checks) == (i != j), "%s", ct_checks_failure(checks, 0));
            ct_context_free(ctx);
        }
}

/* |got - want| and |want| are moduli; a part that matches exactly is no distance. */
TEST(complex_elements)
{
#define COMPLEX(rtol, want)                                                                        \
    MODULE("ct.rtol = " rtol " : f64",                                                             \
           DOUBLED("2xcomplex<f32>")                                                               \
               GIVES("inputs", "2xcomplex<f32>", "[(2.0, 0.0), (0x7F800000, 1.0)]")                \
                   GIVES("expected", "2xcomplex<f32>", want))
    CHECK_GOLDEN(COMPLEX("0.0", "[(4.0, 0.0), (0x7F800000, 2.0)]"), 1, "");
    CHECK_GOLDEN(COMPLEX("0.8", "[(4.0, 3.0), (0x7F800000, 1.5)]"), 1, "");
    CHECK_GOLDEN(COMPLEX("0.5", "[(4.0, 3.0), (0x7F800000, 1.5)]"), 1,
                 "main: 1 of 2 elements of result 0, c64[2], differs, the first at [0]: got (4, 0),"
                 " expected (4, 3), 3 apart (2.5 allowed)\n");
    CHECK_GOLDEN(COMPLEX("0.5", "[(4.0, 0.0), (0xFF800000, 2.0)]"), 1,
                 "main: 1 of 2 elements of result 0, c64[2], differs, the first at [1]: got (inf, "
                 "2), expected (-inf, 2), inf apart (1 allowed)\n");
}

/* A mode that fails says why, and the others go on: an operation without a derivative, and one that
 * cannot be run. */
TEST(errors_are_findings)
{
    static const char strict[] =
        "func.func @main(%x: tensor<3xf64>, %i: tensor<i32>) -> tensor<1xf64> {\n"
        "  %0 = \"stablehlo.dynamic_slice\"(%x, %i) {ct.strict, slice_sizes = array<i64: 1>} : "
        "(tensor<3xf64>, tensor<i32>) -> tensor<1xf64>\n  return %0 : tensor<1xf64>\n}\n" GIVES_TWO(
            "inputs", "3xf64", "1.0", "i32", "7") GIVES("expected", "1xf64", "1.0");
    ct_context *ctx = ct_context_new();
    ct_checks *checks = ct_checks_new(ctx);
    ct_module *module = ct_read_stablehlo_text(ctx, "case", strict, strlen(strict));
    CHECK(ct_module_expects_derivatives(module));
    ct_check_derivatives(checks, module);
    CHECK_OK(ctx);
    CHECK(ct_checks_failed(checks) == 1);
    CHECK_MSG(strncmp(ct_checks_failure(checks, 0), "main: case:2:8: ", 16) == 0, "%s",
              ct_checks_failure(checks, 0));
    ct_context_free(ctx);
}

TEST(other_modules)
{
    static const char other[] = DOUBLED("f64") GIVES("inputs", "f64", "1.0");
    ct_context *ctx = ct_context_new();
    ct_checks *checks = ct_checks_new(ctx);
    ct_module *module = ct_read_stablehlo_text(ctx, "other", other, strlen(other));
    CHECK(!ct_module_expects_derivatives(module) && !ct_module_expects_derivatives(NULL));
    ct_check_derivatives(checks, module);
    CHECK_ERROR(ctx, CT_ERR_ARGUMENT, "check_derivatives: the module has no functions @inputs");
    ct_check_derivatives(NULL, module);
    ct_check_derivatives(checks, NULL);
    CHECK_OK(ctx);
    CHECK(ct_checks_done(checks) == 0);
    ct_context_free(ctx);
}

TEST(attributes)
{
    static const char text[] = "#l = array<i64: 1, 2>\n"
                               "module @m attributes {a.x = -2.5e-3 : f32, b, c = \"t,  u\", d = 7 "
                               ": i32, e = #l} {\n" GIVES("f", "f64", "1.0") "}\n";
    static const char generic[] = "\"builtin.module\"() <{sym_name = \"m\"}> ({\n"
                                  "}) {a.x = 0.5 : f64} : () -> ()\n";
    ct_context *ctx = ct_context_new();
    ct_module *m = ct_read_stablehlo_text(ctx, "m", text, strlen(text));
    double number = 0;
    CHECK(strcmp(ct_module_attribute(m, "a.x"), "-2.5e-3 : f32") == 0);
    CHECK(ct_module_number(m, "a.x", &number) && (float)number == -2.5e-3f);
    CHECK(ct_module_number(m, "d", &number) && number == 7);
    CHECK(strcmp(ct_module_attribute(m, "b"), "") == 0);
    CHECK(strcmp(ct_module_attribute(m, "c"), "\"t,  u\"") == 0);
    CHECK(strcmp(ct_module_attribute(m, "e"), "array<i64: 1, 2>") == 0);
    CHECK(!ct_module_number(m, "c", &number) && !ct_module_number(m, "none", &number));
    CHECK(!ct_module_attribute(m, "none") && !ct_module_attribute(m, NULL));
    CHECK(!ct_module_attribute(NULL, "a.x") && number == 7);
    m = ct_read_stablehlo_text(ctx, "m", generic, strlen(generic));
    CHECK(ct_module_number(m, "a.x", &number) && number == 0.5);
    CHECK(!ct_module_attribute(m, "sym_name"));
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

static void check_derivatives(ct_context *ctx)
{
    static const char text[] = MODULE(
        "ct.rtol = 0.5 : f64, ct.modes = \"vjp\"",
        MAIN INPUTS EXPECTED AT VJP HVP GIVES("expected_jvp", "2xf64", "[7.0, 7.0]"));
    ct_checks *checks = ct_checks_new(ctx);
    ct_check_derivatives(checks, ct_read_stablehlo_text(ctx, "case", text, strlen(text)));
    CHECK(ct_failed(ctx) || (ct_checks_done(checks) == 5 && ct_checks_failed(checks) == 1));
}

TEST(memory_that_runs_out)
{
    CHECK_ALLOCATIONS(check_derivatives);
}

TEST(files_of_the_tree)
{
    command_outcome o;
    size_t passed = 0, failed = 0, allowed = 0;
    const char *last;
    command_run(&o, "check tests/gradients --allow tests/gradients/allow.txt");
    last = strrchr(o.text, '\n');
    while (last && last > o.text && last[-1] != '\n')
        last--;
    CHECK_MSG(last && sscanf(last, "%zu passed, %zu failed, %zu allowed", &passed, &failed,
                             &allowed) == 3,
              "%s", o.text);
    CHECK_MSG(o.status == 0 && failed == 0 && passed > 400 && allowed <= 20, "%s", o.text);
}
