/* Programs that are wide: a megabyte of attributes, 100000 operands, results, parameters, carried
 * values, bodies. Each is read, printed and read again, or is an error, in little time. */
#include "tests/hostile.h"
#include "tests/values.h"

#include <cotangent/cotangent.h>
#include <cotangent/module.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MANY = 100000 };

/* ---- Attributes. */

/* A megabyte of entries between braces. */
static void add_dictionary(hostile_text *t, const char *entry)
{
    const size_t start = t->length;

    hostile_add(t, "{first = unit");
    for (size_t i = 0; t->length - start < 1 << 20; i++) {
        char name[32];
        snprintf(name, sizeof name, ", a%zu.b = ", i);
        hostile_add(t, name);
        hostile_add(t, entry);
    }
    hostile_add(t, "}");
}

TEST(large_dictionaries)
{
    static const char *const entries[] = {"1 : i64",
                                          "\"text\"",
                                          "[1, 2.5, @f, unit]",
                                          "{c = {d = true}}",
                                          "dense<[1, 2]> : tensor<2xi8>",
                                          "array<i64: 1, 2>",
                                          "tensor<2xf32>"};
    for (size_t i = 0; i < sizeof entries / sizeof *entries; i++) {
        hostile_text t = {NULL, 0, 0};
        hostile_add(&t, "module attributes ");
        add_dictionary(&t, entries[i]);
        hostile_add(&t, " {\nfunc.func @main(%x: tensor<f32> ");
        add_dictionary(&t, entries[i]);
        hostile_add(&t, ") attributes ");
        add_dictionary(&t, entries[i]);
        hostile_add(&t, " {\nstablehlo.custom_call @f(%x) ");
        add_dictionary(&t, entries[i]);
        hostile_add(&t, " : (tensor<f32>) -> ()\nreturn\n}\n}\n");
        CHECK_MSG(hostile_is_read_and_freed(&t), "%s", entries[i]);
    }
}

TEST(a_key_that_stands_twice)
{
    hostile_text t = {NULL, 0, 0};

    hostile_add(&t, "func.func @main() attributes {");
    hostile_number(&t, "a# = 1 : i64, ", MANY);
    hostile_add(&t, "a7 = 2 : i64} { return }");
    CHECK(!hostile_is_read_and_freed(&t));
}

/* ---- Values. */

/* The function of the text: printed in both forms and read again, it is as large. */
static void check_round_trip(hostile_text *t)
{
    ct_context *ctx = ct_context_new();
    ct_function *f = ct_module_function(ct_read_stablehlo_text(ctx, "t", t->data, t->length),
                                        "main");
    const unsigned forms[] = {CT_WRITE_PRETTY, CT_WRITE_GENERIC};

    CHECK_OK(ctx);
    for (size_t i = 0; i < 2; i++) {
        const char *text = ct_stablehlo_text(f, forms[i]);
        CHECK_OK(ctx);
        ct_function *g = ct_module_function(ct_read_stablehlo_text(ctx, "u", text, strlen(text)),
                                            NULL);
        CHECK_OK(ctx);
        CHECK(ct_function_operations(g) == ct_function_operations(f) &&
              ct_function_parameters(g) == ct_function_parameters(f));
    }
    ct_context_free(ctx);
    free(t->data);
}

/* "type, type, …", MANY times. */
static void add_types(hostile_text *t, const char *type)
{
    hostile_add(t, type);
    for (size_t i = 1; i < MANY; i++) {
        hostile_add(t, ", ");
        hostile_add(t, type);
    }
}

TEST(results_of_a_custom_call)
{
    hostile_text t = {NULL, 0, 0};

    hostile_add(&t, "func.func @main(%x: tensor<f32>) -> tensor<f32> {\n%r:100000 = "
                    "stablehlo.custom_call @f(%x) : (tensor<f32>) -> (");
    add_types(&t, "tensor<f32>");
    hostile_add(&t, ")\nreturn %r#99999 : tensor<f32>\n}\n");
    check_round_trip(&t);
}

TEST(results_with_names)
{
    hostile_text t = {NULL, 0, 0};

    hostile_add(&t, "func.func @main(%x: tensor<f32>) -> tensor<f32> {\n%z");
    hostile_number(&t, ", %r#", MANY - 1);
    hostile_add(&t, " = stablehlo.custom_call @f(%x) : (tensor<f32>) -> (");
    add_types(&t, "tensor<f32>");
    hostile_add(&t, ")\nreturn %r7 : tensor<f32>\n}\n");
    check_round_trip(&t);
}

TEST(operands_and_results)
{
    hostile_text t = {NULL, 0, 0};

    hostile_add(&t, "func.func @main(%x: tensor<f32>) -> tensor<f32> {\n%r:100000 = "
                    "stablehlo.optimization_barrier ");
    add_types(&t, "%x");
    hostile_add(&t, " : ");
    add_types(&t, "tensor<f32>");
    hostile_add(&t, "\nreturn %r#99999 : tensor<f32>\n}\n");
    check_round_trip(&t);
}

TEST(results_of_what_is_not_known)
{
    hostile_text t = {NULL, 0, 0};

    hostile_add(&t, "func.func @main() -> tensor<f32> {\n%r:100000 = \"foo.bar\"() : () -> (");
    add_types(&t, "tensor<f32>");
    hostile_add(&t, ")\nreturn %r#99999 : tensor<f32>\n}\n");
    CHECK(!hostile_is_read_and_freed(&t));
}

TEST(carried_values)
{
    hostile_text t = {NULL, 0, 0};

    hostile_add(&t, "func.func @main(%x: tensor<f32>, %p: tensor<i1>) -> tensor<f32> {\n"
                    "%r:100000 = stablehlo.while(%z = %x");
    hostile_number(&t, ", %i# = %x", MANY - 1);
    hostile_add(&t, ") : ");
    add_types(&t, "tensor<f32>");
    hostile_add(&t, "\ncond {\nstablehlo.return %p : tensor<i1>\n} do {\nstablehlo.return %z");
    hostile_number(&t, ", %i#", MANY - 1);
    hostile_add(&t, " : ");
    add_types(&t, "tensor<f32>");
    hostile_add(&t, "\n}\nreturn %r#99999 : tensor<f32>\n}\n");
    check_round_trip(&t);
}

TEST(branches)
{
    hostile_text t = {NULL, 0, 0};

    hostile_add(&t, "func.func @main(%i: tensor<i32>) {\n\"stablehlo.case\"(%i) ({\n"
                    "stablehlo.return\n}");
    hostile_repeat(&t, ", {\nstablehlo.return\n}", MANY - 1);
    hostile_add(&t, ") : (tensor<i32>) -> ()\nreturn\n}\n");
    CHECK(hostile_is_read_and_freed(&t));
}

TEST(reduced_values)
{
    hostile_text t = {NULL, 0, 0};

    hostile_add(&t, "func.func @main(%x: tensor<2xf32>, %i: tensor<f32>) -> tensor<f32> {\n"
                    "%r:1000 = \"stablehlo.reduce\"(%x");
    hostile_repeat(&t, ", %x", 999);
    hostile_repeat(&t, ", %i", 1000);
    hostile_add(&t, ") <{dimensions = array<i64: 0>}> ({\n^bb0(%z: tensor<f32>");
    hostile_number(&t, ", %b#: tensor<f32>", 1999);
    hostile_add(&t, "):\nstablehlo.return %z");
    hostile_number(&t, ", %b#", 999);
    hostile_add(&t, " : tensor<f32>");
    hostile_repeat(&t, ", tensor<f32>", 999);
    hostile_add(&t, "\n}) : (tensor<2xf32>");
    hostile_repeat(&t, ", tensor<2xf32>", 999);
    hostile_repeat(&t, ", tensor<f32>", 1000);
    hostile_add(&t, ") -> (tensor<f32>");
    hostile_repeat(&t, ", tensor<f32>", 999);
    hostile_add(&t, ")\nreturn %r#999 : tensor<f32>\n}\n");
    check_round_trip(&t);
}

/* ---- Parameters, from the text to a run. */

TEST(parameters_of_a_run)
{
    hostile_text t = {NULL, 0, 0};
    ct_context *ctx = ct_context_new();
    ct_tensor **x = malloc(MANY * sizeof *x), **y = malloc(MANY * sizeof *y);

    CHECK(x && y);
    hostile_add(&t, "func.func @main(%z: tensor<f32>");
    hostile_number(&t, ", %a#: tensor<f32>", MANY - 1);
    hostile_add(&t, ") -> (");
    add_types(&t, "tensor<f32>");
    hostile_add(&t, ") {\n%s = stablehlo.add %z, %a99998 : tensor<f32>\nreturn %s");
    hostile_number(&t, ", %a#", MANY - 1);
    hostile_add(&t, " : ");
    add_types(&t, "tensor<f32>");
    hostile_add(&t, "\n}\n");
    ct_function *f = ct_module_function(ct_read_stablehlo_text(ctx, "t", t.data, t.length), NULL);
    for (size_t i = 0; i < MANY; i++)
        x[i] = ct_scalar(ctx, CT_F32, (double)i);
    ct_call(ct_compile(f, NULL), (ct_list){MANY, x}, y, MANY);
    CHECK_OK(ctx);
    CHECK(ct_item(y[0]) == MANY - 1 && ct_item(y[1]) == 1 && ct_item(y[MANY - 1]) == MANY - 1);
    ct_context_free(ctx);
    free(t.data);
    free(x);
    free(y);
}
