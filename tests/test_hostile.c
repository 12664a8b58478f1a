/* Programs that nobody means well with: deep, long, huge, cut off, damaged. Each is read, or is an
 * error that says where, in little time. */
#include "tests/hostile.h"
#include "tests/samples_text.h"
#include "tests/values.h"

#include <cotangent/cotangent.h>
#include <cotangent/module.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Deep. */

/* `open` many times where a type, an attribute, a literal, a location stands. */
static void check_deep(const char *before, const char *open, const char *after)
{
    hostile_text t = {NULL, 0, 0};
    hostile_add(&t, before);
    hostile_repeat(&t, open, 100000);
    hostile_add(&t, after);
    bool fine = hostile_is_read_and_freed(&t);
    CHECK_MSG(!fine, "%s%s…%s", before, open, after);
}

TEST(deep_brackets)
{
    static const char *const open[] = {"(",       "[",     "{",    "<",   "tuple<", "complex<",
                                       "tensor<", "{a = ", "loc(", "#a<", "dense<", "fused["};
    for (size_t i = 0; i < sizeof open / sizeof *open; i++) {
        check_deep("func.func @main(%a: ", open[i], "");
        check_deep("func.func @main(%a: tensor<f32> {x.y = ", open[i], "}) {return}");
        check_deep("func.func @main() {\n%a = stablehlo.constant dense<", open[i],
                   "> : tensor<f32>\nreturn}");
        check_deep("func.func @main() {\nreturn loc(", open[i], ")}");
        check_deep("#a = ", open[i], "\nfunc.func @main() attributes {x.y = #a} {return}");
        check_deep("", open[i], "");
    }
}

TEST(deep_bodies)
{
    hostile_text t = {NULL, 0, 0};
    hostile_add(&t, "func.func @main(%p: tensor<i1>) {\n");
    hostile_repeat(&t, "\"stablehlo.if\"(%p) ({\n", 10000);
    hostile_repeat(&t, "stablehlo.return }, {stablehlo.return}) : (tensor<i1>) -> ()\n", 10000);
    hostile_add(&t, "return }\n");
    CHECK(!hostile_is_read_and_freed(&t));
}

/* ---- Calls and aliases. */

TEST(deep_calls)
{
    hostile_text t = {NULL, 0, 0};

    for (int i = 0; i < 10000; i++) {
        char line[160];
        snprintf(line, sizeof line,
                 "func.func @f%d(%%a: tensor<f32>) -> tensor<f32> {\n%%0 = call @f%d(%%a) : "
                 "(tensor<f32>) -> tensor<f32>\nreturn %%0 : tensor<f32>\n}\n",
                 i, i + 1);
        hostile_add(&t, line);
    }
    hostile_add(&t,
                "func.func @f10000(%a: tensor<f32>) -> tensor<f32> { return %a : tensor<f32> }\n");
    CHECK(!hostile_is_read_and_freed(&t));
}

TEST(cycles)
{
    static const char *const wrong[] = {
        "func.func @main() { call @main() : () -> ()\nreturn }",
        ("func.func @a() { call @b() : () -> ()\nreturn }\n"
         "func.func @b() { call @a() : () -> ()\nreturn }"),
        "!a = !a\nfunc.func @main(%x: !a) {return}",
        "!a = tuple<!b>\n!b = tuple<!a>\nfunc.func @main(%x: !a) {return}",
        "#a = #b\n#b = #a\nfunc.func @main() attributes {x.y = #a} {return}",
        "#a = [#a, #a]\nfunc.func @main() attributes {x.y = #a} {return}"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        CHECK_MSG(!hostile_is_read(wrong[i], strlen(wrong[i])), "%s", wrong[i]);
}

/* ---- Long. */

TEST(long_names)
{
    hostile_text name = {NULL, 0, 0}, t = {NULL, 0, 0};
    hostile_repeat(&name, "n", 1 << 20);
    hostile_add(&t, "func.func @main(%");
    hostile_add(&t, name.data);
    hostile_add(&t, ": tensor<f32> {x.y = \"");
    hostile_add(&t, name.data);
    hostile_add(&t, "\"}) -> tensor<f32> {\nreturn %");
    hostile_add(&t, name.data);
    hostile_add(&t, " : tensor<f32>}");
    CHECK(hostile_is_read_and_freed(&t));
    t = (hostile_text){NULL, 0, 0};
    hostile_add(&t, "func.func @main() {\n%0 = stablehlo.");
    hostile_add(&t, name.data);
    hostile_add(&t, " : tensor<f32>\nreturn}");
    CHECK(!hostile_is_read_and_freed(&t));
    free(name.data);
}

TEST(many_operands_and_results)
{
    hostile_text t = {NULL, 0, 0};
    hostile_add(&t, "func.func @main(%z: tensor<f32>");
    hostile_number(&t, ", %a#: tensor<f32>", 100000);
    hostile_add(&t, ") {\n%t = stablehlo.tuple %z");
    hostile_number(&t, ", %a#", 100000);
    hostile_add(&t, " : tuple<tensor<f32>");
    hostile_repeat(&t, ", tensor<f32>", 100000);
    hostile_add(&t, ">\nreturn }");
    CHECK(hostile_is_read_and_freed(&t));
}

/* ---- Huge shapes. */

TEST(huge_shapes)
{
    static const char *const wrong[] = {
        "func.func @main(%a: tensor<4611686018427387904xf64>) {return}",
        "func.func @main(%a: tensor<4294967296x4294967296xf32>) {return}",
        "func.func @main(%a: tensor<99999999999999999999xf32>) {return}",
        ("func.func @main() {\n%0 = stablehlo.iota dim = 0 : tensor<4611686018427387904xi64>\n"
         "return}"),
        "func.func @main() {\n%0 = stablehlo.constant dense<\"0x00\"> : tensor<2xf32>\nreturn}"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        CHECK_MSG(!hostile_is_read(wrong[i], strlen(wrong[i])), "%s", wrong[i]);
}

TEST(ranks_up_to_64)
{
    for (size_t rank = 64; rank <= 65; rank++) {
        hostile_text t = {NULL, 0, 0};
        hostile_add(&t, "func.func @main(%a: tensor<");
        hostile_repeat(&t, "1x", rank);
        hostile_add(&t, "f32>) {return}");
        CHECK(hostile_is_read_and_freed(&t) == (rank == 64));
    }
}

static char gigantic[] = "func.func @main() -> tensor<1099511627776xf32> {\n"
                         "%0 = stablehlo.constant dense<0.5> : tensor<1099511627776xf32>\n"
                         "return %0 : tensor<1099511627776xf32>}";

/* 4 TiB of one number: read without them, and an error to run. */
TEST(gigantic_splats)
{
    ct_context *ctx = ct_context_new();
    ct_module *module = ct_read_stablehlo_text(ctx, "t", gigantic, strlen(gigantic));
    ct_function *f = ct_module_function(module, NULL);
    CHECK_OK(ctx);
    const char *printed = ct_stablehlo_text(f, CT_WRITE_PRETTY);
    CHECK_MSG(strstr(printed, "dense<0.5>"), "%s", printed);
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* ---- Bytes. */

TEST(foreign_bytes)
{
    static const char crlf[] = "func.func @main() {\r\n  return\r\n}", zero[] = "func\0.func",
                      bom[] = "\xEF\xBB\xBF"
                              "func.func @main() {return}",
                      latin[] = "func.func @m\xE4in() {return}";
    CHECK(hostile_is_read(crlf, sizeof crlf - 1));
    CHECK(!hostile_is_read(zero, sizeof zero - 1));
    static const char kept[] = "func.func @main() attributes {x.y = \"a\0b\"} {return}";
    CHECK(!hostile_is_read(kept, sizeof kept - 1));
    CHECK(!hostile_is_read(latin, sizeof latin - 1));
    hostile_is_read(bom, sizeof bom - 1);
}

static char *load(const char *path, size_t *length)
{
    char full[1024];
    snprintf(full, sizeof full, "%s/%s", CT_SOURCE_DIR, path);
    FILE *file = fopen(full, "rb");
    CHECK_MSG(file != NULL, "%s", full);
    char *bytes = malloc(1 << 16);
    *length = fread(bytes, 1, 1 << 16, file);
    fclose(file);
    return bytes;
}

/* It ends anywhere; what is behind the end is not looked at. */
static void check_cut(const char *bytes, size_t length)
{
    CHECK(hostile_is_read(bytes, length));
    for (size_t n = 0; n < length; n++) {
        char *cut = malloc(n > 0 ? n : 1); /* of this size, so that sanitizers see a read behind */
        CHECK(cut);
        memcpy(cut, bytes, n);
        hostile_is_read(cut, n);
        free(cut);
    }
}

TEST(programs_that_are_cut)
{
    static const char *const files[] = {"tests/interop/cond_branches.mlir",
                                        "tests/interop/while_collatz.mlir"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        size_t length;
        char *bytes = load(files[i], &length);
        check_cut(bytes, length);
        free(bytes);
    }
}

/* What no file of those has: quantized types, groups of processes, tokens and tuples, composites
 * and their symbols, references into bodies; in the generic form, with places. */
TEST(printed_programs_that_are_cut)
{
    static const char *const names[] = {"quantized",  "collectives", "channels",  "tuples",
                                        "composites", "scan_nested", "precisions"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        ct_context *ctx = ct_context_new();
        const char *text = ct_stablehlo_text(samples_named(names[i])->make(ctx),
                                             CT_WRITE_GENERIC | CT_WRITE_PLACES);
        CHECK_OK(ctx);
        check_cut(text, strlen(text));
        ct_context_free(ctx);
    }
}

/* An operand that is poison, for its statement has been reported, in the short form of reduce. */
TEST(reduction_of_what_was_reported)
{
    static const char program[] =
        "func.func @main(%a: tensor<2xf32>, %i: tensor<f32>) {\n"
        "%0 = stablehlo.multiply %a, %a : tensor<#>\n"
        "%1 = stablehlo.reduce(%0 init: %i) applies stablehlo.add across dimensions = [0] : "
        "(tensor<2xf32>, tensor<f32>) -> tensor<f32>\nreturn}";
    CHECK(!hostile_is_read(program, sizeof program - 1));
}

static void read_and_print(ct_context *ctx)
{
    size_t length;
    char *bytes = load("tests/interop/cond_branches.mlir", &length);
    ct_module *module = ct_read_stablehlo_text(ctx, "t", bytes, length);
    ct_function *f = ct_module_function(module, NULL);
    ct_stablehlo_text(f, CT_WRITE_GENERIC | CT_WRITE_PLACES);
    free(bytes);
}

TEST(memory_that_runs_out)
{
    CHECK_ALLOCATIONS(read_and_print);
}
