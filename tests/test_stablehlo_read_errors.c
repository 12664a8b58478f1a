/* Errors in StableHLO's text: the whole message, with line and caret; several in one run, and none
 * that only follows from another. */
#include "tests/values.h"

#include "interop/stablehlo/read_parts.h"

#include <cotangent/cotangent.h>
#include <cotangent/module.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void check_message(int line, const char *text, const char *expected)
{
    ct_context *ctx = ct_context_new();
    ct_module *m = ct_read_stablehlo_text(ctx, "t", text, strlen(text));
    if (ct_error_status(ctx) != CT_ERR_TEXT || strcmp(ct_error_message(ctx), expected) != 0)
        check_fail(__FILE__, line, "\n%s\ninstead of\n%s", ct_error_message(ctx), expected);
    CHECK(ct_module_is_poison(m));
    /* the place is that of the first error */
    ct_place at = ct_error_place(ctx);
    CHECK(at.file && strcmp(at.file, "t") == 0 && at.line == atoi(expected + 2));
    ct_context_free(ctx);
}
#define CHECK_MESSAGE(text, expected) check_message(__LINE__, text, expected)

/* A statement in a function of two arguments, %x: 3xf32 and %y: 4xf32. */
#define IN_FUNCTION(statement)                                                                     \
    "func.func @main(%x: tensor<3xf32>, %y: tensor<4xf32>) {\n" statement "\n  return\n}\n"

/* ---- Outside of functions. */

TEST(modules)
{
    CHECK_MESSAGE("module {", "t:1:9: expected '}' for the module that begins in line 1\n"
                              "module {\n"
                              "        ^");
    CHECK_MESSAGE("module {}\nmodule {}", "t:2:1: a text holds one module, and none within it\n"
                                          "module {}\n"
                                          "^");
    CHECK_MESSAGE("}", "t:1:1: expected a function, found '}'\n"
                       "}\n"
                       "^");
    CHECK_MESSAGE("module {} stablehlo.add", "t:1:11: expected the end of the text, found "
                                             "'stablehlo.add'\n"
                                             "module {} stablehlo.add\n"
                                             "          ^");
    CHECK_MESSAGE("func @f() {}", "t:1:1: expected 'func.func', found 'func'\n"
                                  "func @f() {}\n"
                                  "^");
    CHECK_MESSAGE("#a = 1\n#a = 2", "t:2:1: alias '#a' has been defined before\n"
                                    "#a = 2\n"
                                    "^");
    CHECK_MESSAGE("{-# dialect", "t:1:1: expected '#-}' for the '{-#' that begins here\n"
                                 "{-# dialect\n"
                                 "^");
    CHECK_MESSAGE("func.func @f() { return }\nfunc.func @f() { return }",
                  "t:2:11: @f has been defined in line 1\n"
                  "func.func @f() { return }\n"
                  "          ^");
    CHECK_MESSAGE("\x01", "t:1:1: expected 'func.func', found byte 0x01\n"
                          " \n"
                          "^");
}

/* ---- Functions. */

TEST(functions)
{
    CHECK_MESSAGE("func.func f() { return }", "t:1:11: expected a symbol, @name, found 'f'\n"
                                              "func.func f() { return }\n"
                                              "          ^");
    CHECK_MESSAGE("func.func @f(tensor<f32>)", "t:1:14: expected a value, %name, found 'tensor'\n"
                                               "func.func @f(tensor<f32>)\n"
                                               "             ^");
    CHECK_MESSAGE("func.func @f()", "t:1:15: expected the function's body, '{', found the end of "
                                    "the text\n"
                                    "func.func @f()\n"
                                    "              ^");
    CHECK_MESSAGE("func.func @f() {", "t:1:17: expected '}' for the body that begins in line 1\n"
                                      "func.func @f() {\n"
                                      "                ^");
    CHECK_MESSAGE("func.func @f() {}", "t:1:17: expected 'return', found '}'\n"
                                       "func.func @f() {}\n"
                                       "                ^");
    CHECK_MESSAGE("func.func @f() { return return }",
                  "t:1:25: expected '}' behind the return, found 'return'\n"
                  "func.func @f() { return return }\n"
                  "                        ^");
    CHECK_MESSAGE("func.func @f(%a: tensor<f32>, %a: tensor<f32>) { return }",
                  "t:1:31: %a has been defined in line 1\n"
                  "func.func @f(%a: tensor<f32>, %a: tensor<f32>) { return }\n"
                  "                              ^");
    CHECK_MESSAGE("func.func @f(%a: tensor<f32>) -> tensor<f64> { return %a : tensor<f32> }",
                  "t:1:55: result 0 is a tensor<f32>, and declared is tensor<f64>\n"
                  "func.func @f(%a: tensor<f32>) -> tensor<f64> { return %a : tensor<f32> }\n"
                  "                                                      ^");
    CHECK_MESSAGE("func.func @f(%a: tensor<f32>) { return %a : tensor<f32> }",
                  "t:1:33: 1 value is returned, and 0 declared\n"
                  "func.func @f(%a: tensor<f32>) { return %a : tensor<f32> }\n"
                  "                                ^");
    CHECK_MESSAGE("func.func @f(%a: tensor<f32>) -> tensor<f32> { return %a : tensor<f64> }",
                  "t:1:55: the value is a tensor<f32>, and written is tensor<f64>\n"
                  "func.func @f(%a: tensor<f32>) -> tensor<f32> { return %a : tensor<f64> }\n"
                  "                                                      ^");
    CHECK_MESSAGE("func.func @f(%a: tensor<f32>) -> tensor<f32> {\n"
                  "  return %a : tensor<f32>, tensor<f32>\n}",
                  "t:2:15: 2 types for 1 values\n"
                  "  return %a : tensor<f32>, tensor<f32>\n"
                  "              ^");
}

TEST(generic_functions)
{
    CHECK_MESSAGE("\"func.fun\"() ({}) : () -> ()",
                  "t:1:1: expected \"builtin.module\" or \"func.func\", found a string\n"
                  "\"func.fun\"() ({}) : () -> ()\n"
                  "^");
    CHECK_MESSAGE("\"func.func\"() <{function_type = () -> ()}> ({}) : () -> ()",
                  "t:1:1: attribute 'sym_name' is missing\n"
                  "\"func.func\"() <{function_type = () -> ()}> ({}) : () -> ()\n"
                  "^");
    CHECK_MESSAGE("\"func.func\"() <{sym_name = \"f\"}> ({}) : () -> ()",
                  "t:1:1: attribute 'function_type' is missing\n"
                  "\"func.func\"() <{sym_name = \"f\"}> ({}) : () -> ()\n"
                  "^");
    CHECK_MESSAGE("\"func.func\"() <{function_type = (tensor<f32>) -> (), sym_name = \"f\"}> ({\n"
                  "\"func.return\"() : () -> ()\n}) : () -> ()",
                  "t:1:33: the type has 1 parameters, the body 0\n"
                  "\"func.func\"() <{function_type = (tensor<f32>) -> (), sym_name = \"f\"}> ({\n"
                  "                                ^");
    CHECK_MESSAGE("\"func.func\"() <{function_type = (tensor<f32>) -> (), sym_name = \"f\"}> ({\n"
                  "^bb0(%x: tensor<f64>):\n\"func.return\"() : () -> ()\n}) : () -> ()",
                  "t:2:6: the parameter is a tensor<f64>, and the function's type says "
                  "tensor<f32>\n"
                  "^bb0(%x: tensor<f64>):\n"
                  "     ^");
}

/* The function that has no end does not hide the next one. */
TEST(bodies_without_an_end)
{
    CHECK_MESSAGE("func.func @f() {\n  return\nfunc.func @g() {\n  return %a : tensor<f32>\n}\n",
                  "t:2:9: expected '}' behind the return, found 'func.func' on line 3\n"
                  "  return\n"
                  "        ^\n"
                  "t:4:10: expected a value that is defined before, found %a\n"
                  "  return %a : tensor<f32>\n"
                  "         ^");
    CHECK_MESSAGE("func.func @f(%p: tensor<i1>) {\n"
                  "  \"stablehlo.if\"(%p) ({\n"
                  "    stablehlo.return\n"
                  "  return\n"
                  "}\n",
                  "t:3:21: expected '}' behind the return, found 'return' on line 4\n"
                  "    stablehlo.return\n"
                  "                    ^");
}

/* ---- Calls. */

TEST(calls)
{
    CHECK_MESSAGE(IN_FUNCTION("  call @g() : () -> ()"), "t:2:3: there is no function @g\n"
                                                         "  call @g() : () -> ()\n"
                                                         "  ^");
    CHECK_MESSAGE("func.func @f() {\n  call @f() : () -> ()\n  return\n}",
                  "t:2:3: @f calls itself\n"
                  "  call @f() : () -> ()\n"
                  "  ^");
    CHECK_MESSAGE("func.func @f() {\n  call @g() : () -> ()\n  return\n}\n"
                  "func.func @g() {\n  call @h() : () -> ()\n  return\n}\n"
                  "func.func @h() {\n  call @f() : () -> ()\n  return\n}",
                  "t:10:3: @f calls itself, through @g, then @h\n"
                  "  call @f() : () -> ()\n"
                  "  ^");
    /* a callee with errors: nothing is said about its calls */
    CHECK_MESSAGE("func.func @f() -> tensor<f32> {\n"
                  "  %0 = call @g() : () -> tensor<f32>\n"
                  "  %1 = stablehlo.sine %0 : tensor<f32>\n"
                  "  return %1 : tensor<f32>\n}\n"
                  "func.func @g() -> tensor<f32> {\n"
                  "  return %z : tensor<f32>\n}",
                  "t:7:10: expected a value that is defined before, found %z\n"
                  "  return %z : tensor<f32>\n"
                  "         ^");
}

/* ---- Statements. */

TEST(statements)
{
    CHECK_MESSAGE(IN_FUNCTION("  %0 = 5"), "t:2:8: expected an operation, found '5'\n"
                                           "  %0 = 5\n"
                                           "       ^");
    CHECK_MESSAGE(IN_FUNCTION("  %0 stablehlo.sine %x : tensor<3xf32>"),
                  "t:2:6: expected '=', found 'stablehlo.sine'\n"
                  "  %0 stablehlo.sine %x : tensor<3xf32>\n"
                  "     ^");
    CHECK_MESSAGE(IN_FUNCTION("  % = stablehlo.sine %x : tensor<3xf32>"),
                  "t:2:3: expected a name or a number behind '%'\n"
                  "  % = stablehlo.sine %x : tensor<3xf32>\n"
                  "  ^");
    CHECK_MESSAGE(IN_FUNCTION("  %0:0 = stablehlo.sine %x : tensor<3xf32>"),
                  "t:2:6: a group of results has at least one\n"
                  "  %0:0 = stablehlo.sine %x : tensor<3xf32>\n"
                  "     ^");
    CHECK_MESSAGE(IN_FUNCTION("  %0:2 = stablehlo.sine %x : tensor<3xf32>"),
                  "t:2:3: stablehlo.sine gives 1 result, and 2 are named\n"
                  "  %0:2 = stablehlo.sine %x : tensor<3xf32>\n"
                  "  ^");
    CHECK_MESSAGE(IN_FUNCTION("  %0 = stablehlo.sine %x#1 : tensor<3xf32>"),
                  "t:2:23: %x names 1 value; there is no #1\n"
                  "  %0 = stablehlo.sine %x#1 : tensor<3xf32>\n"
                  "                      ^");
    CHECK_MESSAGE(IN_FUNCTION("  %x = stablehlo.sine %x : tensor<3xf32>"),
                  "t:2:3: %x has been defined in line 1\n"
                  "  %x = stablehlo.sine %x : tensor<3xf32>\n"
                  "  ^");
    CHECK_MESSAGE(IN_FUNCTION("  \"stablehlo.sine\"(%x)[^bb1] : (tensor<3xf32>) -> tensor<3xf32>"),
                  "t:2:23: branches to other blocks are not supported\n"
                  "  \"stablehlo.sine\"(%x)[^bb1] : (tensor<3xf32>) -> tensor<3xf32>\n"
                  "                      ^");
    CHECK_MESSAGE(IN_FUNCTION("  ^bb1:"), "t:2:3: a body is one block; branches are not supported\n"
                                          "  ^bb1:\n"
                                          "  ^");
    CHECK_MESSAGE(IN_FUNCTION("  \"stablehlo.sine"), "t:2:3: the string is not closed in its line\n"
                                                     "  \"stablehlo.sine\n"
                                                     "  ^");
}

/* What inference finds stands with the operands. */
TEST(wrong_operations)
{
    CHECK_MESSAGE(IN_FUNCTION("  %0 = stablehlo.transpose %x, dims = [1] : (tensor<3xf32>) -> "
                              "tensor<3xf32>"),
                  "t:2:8: transpose: permutation[0] = 1 must be an axis in [0, 1)\n"
                  "  %0 = stablehlo.transpose %x, dims = [1] : (tensor<3xf32>) -> tens…\n"
                  "       ^\n"
                  "    x         f32[3]       argument 0");
}

/* What StableHLO's own parser refuses, too. */
TEST(what_is_not_allowed)
{
    CHECK_MESSAGE(
        IN_FUNCTION(
            "  stablehlo.custom_call @f(%x) {api_version = 9 : i32} : (tensor<3xf32>) -> ()"),
        "t:2:47: there is no such api_version, 0 to 4\n"
        "  stablehlo.custom_call @f(%x) {api_version = 9 : i32} : (tensor<3xf32>) -> ()\n"
        "                                              ^");
    CHECK_MESSAGE(
        IN_FUNCTION(
            "  stablehlo.custom_call @f(%x) {backend_config = {a}} : (tensor<3xf32>) -> ()"),
        "t:2:50: backend_config must be a string for this api_version\n"
        "  stablehlo.custom_call @f(%x) {backend_config = {a}} : (tensor<3xf32>) -> ()\n"
        "                                                 ^");
    CHECK_MESSAGE(IN_FUNCTION("  stablehlo.custom_call @f(%x) {api_version = 4 : i32,\n"
                              "backend_config = \"a\"} : (tensor<3xf32>) -> ()"),
                  "t:3:18: backend_config must be a dictionary for this api_version\n"
                  "backend_config = \"a\"} : (tensor<3xf32>) -> ()\n"
                  "                 ^");
    CHECK_MESSAGE(IN_FUNCTION("  %0 = stablehlo.constant sparse<[0], [1]> : tensor<2xi8>"),
                  "t:2:27: sparse constants are not supported\n"
                  "  %0 = stablehlo.constant sparse<[0], [1]> : tensor<2xi8>\n"
                  "                          ^");
    CHECK_MESSAGE(IN_FUNCTION("  %i = stablehlo.constant dense<1.0> : tensor<f32>\n"
                              "  %0 = stablehlo.reduce(%x init: %i) applies stablehlo.power across "
                              "dimensions = [0] : (tensor<3xf32>, tensor<f32>) -> tensor<f32>"),
                  "t:3:8: 'stablehlo.power' can not be applied by a reduction\n"
                  "  %0 = stablehlo.reduce(%x init: %i) applies stablehlo.power across…\n"
                  "       ^");
}

/* ---- Regions. */

TEST(regions)
{
    CHECK_MESSAGE("func.func @f(%p: tensor<i1>) {\n"
                  "  \"stablehlo.if\"(%p) ({\n"
                  "    return\n"
                  "  }, {\n"
                  "    stablehlo.return\n"
                  "  }) : (tensor<i1>) -> ()\n"
                  "  return\n}",
                  "t:3:5: a body ends in 'stablehlo.return'\n"
                  "    return\n"
                  "    ^");
    CHECK_MESSAGE("func.func @f(%p: tensor<i1>) {\n"
                  "  \"stablehlo.if\"(%p) ({\n"
                  "    %q = stablehlo.not %p : tensor<i1>\n"
                  "    stablehlo.return\n"
                  "  }, {\n"
                  "    %r = stablehlo.not %q : tensor<i1>\n"
                  "    stablehlo.return\n"
                  "  }) : (tensor<i1>) -> ()\n"
                  "  return\n}",
                  "t:6:24: expected a value that is defined before, found %q\n"
                  "    %r = stablehlo.not %q : tensor<i1>\n"
                  "                       ^");
    CHECK_MESSAGE("func.func @f(%p: tensor<i1>) {\n"
                  "  \"stablehlo.if\"(%p) ({\n"
                  "    %p = stablehlo.not %p : tensor<i1>\n"
                  "    stablehlo.return\n"
                  "  }, {\n"
                  "    stablehlo.return\n"
                  "  }) : (tensor<i1>) -> ()\n"
                  "  return\n}",
                  "t:3:5: %p has been defined in line 1\n"
                  "    %p = stablehlo.not %p : tensor<i1>\n"
                  "    ^");
    CHECK_MESSAGE("func.func @f(%x: tensor<3xf32>) {\n"
                  "  %0 = \"stablehlo.map\"(%x) ({\n"
                  "  ^bb0(%a tensor<f32>):\n"
                  "    stablehlo.return %a : tensor<f32>\n"
                  "  }) {dimensions = array<i64: 0>} : (tensor<3xf32>) -> tensor<3xf32>\n"
                  "  %1 = stablehlo.sine %0 : tensor<3xf32>\n"
                  "  return\n}",
                  "t:3:11: expected ':', found 'tensor'\n"
                  "  ^bb0(%a tensor<f32>):\n"
                  "          ^");
}

/* ---- Places. */

TEST(places)
{
    CHECK_MESSAGE(IN_FUNCTION("  %0 = stablehlo.sine %x : tensor<3xf32> loc(#nowhere)"),
                  "t:2:46: alias '#nowhere' is not defined\n"
                  "  %0 = stablehlo.sine %x : tensor<3xf32> loc(#nowhere)\n"
                  "                                             ^");
    CHECK_MESSAGE(IN_FUNCTION("  %0 = stablehlo.sine %x : tensor<3xf32> loc(here)"),
                  "t:2:46: expected a place: \"file\":line:column, \"name\", callsite, fused, "
                  "unknown, found 'here'\n"
                  "  %0 = stablehlo.sine %x : tensor<3xf32> loc(here)\n"
                  "                                             ^");
    CHECK_MESSAGE(IN_FUNCTION("  %0 = stablehlo.sine %x : tensor<3xf32> loc(#a)") "#a = loc(#b)\n"
                                                                                  "#b = loc(#a)\n",
                  "t:6:10: the place is defined by itself\n"
                  "#b = loc(#a)\n"
                  "         ^");
}

/* ---- Several errors. */

TEST(errors_in_one_run)
{
    CHECK_MESSAGE(
        "func.func @main(%x: tensor<3xf32>, %y: tensor<4xf32>) -> tensor<3xf32> {\n"
        "  %0 = stablehlo.add %x, %y : tensor<3xf32>\n"
        "  %1 = stablehlo.multiply %0, %0 : tensor<3xf32>\n" /* follows: nothing */
        "  %2 = stablehlo.frobnicate %1 : tensor<3xf32>\n"
        "  %3 = stablehlo.add %2, %no : tensor<3xf32>\n"
        "  %4 = stablehlo.add (%3 %2 : tensor<3xf32>\n" /* the bracket stays open */
        "  %5 = stablehlo.reshape %4 : (tensor<3xf32>) -> tensor<4xf32>\n"
        "  %6 = stablehlo.add %5, %y : tensor<4xf32>\n"
        "  return %6 : tensor<4xf32>\n"
        "}\n",
        "t:2:26: operand 1 of 'stablehlo.add' is tensor<4xf32>, its type says tensor<3xf32>\n"
        "  %0 = stablehlo.add %x, %y : tensor<3xf32>\n"
        "                         ^\n"
        "t:4:8: operation 'stablehlo.frobnicate' is not known\n"
        "  %2 = stablehlo.frobnicate %1 : tensor<3xf32>\n"
        "       ^\n"
        "t:5:26: expected a value that is defined before, found %no\n"
        "  %3 = stablehlo.add %2, %no : tensor<3xf32>\n"
        "                         ^\n"
        "t:6:22: expected a value, %name, found '('\n"
        "  %4 = stablehlo.add (%3 %2 : tensor<3xf32>\n"
        "                     ^\n"
        "t:7:8: reshape: shape = [4] has 4 elements, but x: f32[3] has 3\n"
        "  %5 = stablehlo.reshape %4 : (tensor<3xf32>) -> tensor<4xf32>\n"
        "       ^\n"
        "    x         f32[3]       reported above");
}

/* More than the context's message holds: the first ones, whole, and how many there are. */
TEST(many_errors)
{
    enum { COUNT = 1000 };
    ct_context *ctx = ct_context_new();
    char *text = malloc(64 * (COUNT + 2)), *end = text;
    end += sprintf(end, "func.func @main() {\n");
    for (int i = 0; i < COUNT; i++)
        end += sprintf(end, "  %%%d = stablehlo.sine %%no : tensor<f32>\n", i);
    end += sprintf(end, "  return\n}\n");
    ct_read_stablehlo_text(ctx, "t", text, (size_t)(end - text));
    CHECK(ct_error_status(ctx) == CT_ERR_TEXT);
    const char *message = ct_error_message(ctx), *last = strrchr(message, '\n');
    size_t n = 0;
    for (const char *c = message;
         (c = strstr(c, "expected a value that is defined before, found ")); c++)
        n++;
    CHECK_MSG(n > 20 && n < COUNT, "%zu messages", n);
    CHECK_MSG((size_t)atoi(last + 5) == COUNT - n && strstr(last, " more errors"), "%s", last);
    free(text);
    ct_context_free(ctx);
}

/* ---- Lines that are shown. */

TEST(long_and_strange_lines)
{
    ct_context *ctx = ct_context_new();
    char text[2000], *end = text;
    end += sprintf(end, "\n\t// \xC3\xA9\tx\n");
    end += sprintf(end, "func.func @f() attributes {a = \"");
    for (int i = 0; i < 300; i++)
        end += sprintf(end, "\xC3\xA9");
    end += sprintf(end, "\"} { ? } //%0500d", 0);
    ct_read_stablehlo_text(ctx, "t", text, (size_t)(end - text));
    const char *message = ct_error_message(ctx);
    CHECK_MSG(strncmp(message, "t:3:638: expected an operation, found '?'\n\xE2\x80\xA6", 45) == 0,
              "%s", message);
    CHECK(strlen(message) < 600);
    ct_context_free(ctx);
    /* a caret stands below its character */
    CHECK_MESSAGE("func.func @f() { // \xC3\xA9\n\t\"\xC3\xA9\" ? }",
                  "t:2:7: expected '(', found '?'\n"
                  " \"\xC3\xA9\" ? }\n"
                  "     ^");
}

/* ---- Errors that a text expects. */

TEST(expected_errors)
{
    static const char text[] = "a\n"
                               "// -----\n"
                               "// expected-error@+2 {{one {x} two}}\n"
                               "b // expected-error {{here}}\n"
                               "// expected-error @below {{below}} expected-error@-1\n"
                               "// expected-error@above\n"
                               "// -----\n"
                               "// expected-error@+1 {{next}}\n";
    const struct {
        size_t part;
        int line;
        const char *message;
    } expected[] = {
        {1, 5, "one {x} two"}, {1, 4, "here"}, {1, 6, "below"}, {1, 5, ""}, {2, 9, "next"}};
    size_t n = 0;
    ct_stablehlo_part part = {0};
    for (size_t p = 0; p < 3; p++) {
        ct__expected found;
        const char *from = NULL;
        CHECK(ct_stablehlo_next_part(text, sizeof text - 1, &part));
        for (; ct__expected_error(&part, &from, &found); n++) {
            CHECK_MSG(expected[n].part == p && expected[n].line == found.line, "%zu: line %d", n,
                      found.line);
            CHECK(ct__span_is(found.message, expected[n].message));
        }
    }
    CHECK(n == sizeof expected / sizeof *expected);
}

/* What is cut is reported where it is cut, not where the next line goes on. */
TEST(lines_that_are_cut)
{
    CHECK_MESSAGE("func.func @f() -> tensor<f32> {\n"
                  "  %0 = stablehlo.constant dense<1.0 : tensor<f32> // one\n\n  // two\n"
                  "  return %0 : tensor<f32>\n}",
                  "t:2:50: expected ':', found 'return' on line 5\n"
                  "  %0 = stablehlo.constant dense<1.0 : tensor<f32> // one\n"
                  "                                                 ^");
    CHECK_MESSAGE("func.func @f() -> tensor<f32> {\n"
                  "  %0 = stablehlo.constant dense<1.0> : tensor<2x\n"
                  "  return %0 : tensor<f32>\n}",
                  "t:2:49: expected an element type, found 'return' on line 3\n"
                  "  %0 = stablehlo.constant dense<1.0> : tensor<2x\n"
                  "                                                ^");
}

TEST(flags_are_true_or_false)
{
    CHECK_MESSAGE("func.func @f(%a: tensor<f32>) {\n"
                  "  stablehlo.custom_call @x(%a) {has_side_effect = 3} : (tensor<f32>) -> ()\n"
                  "  return\n}",
                  "t:2:3: attribute 'has_side_effect' is not true or false\n"
                  "  stablehlo.custom_call @x(%a) {has_side_effect = 3} : (tensor…\n"
                  "  ^");
}
