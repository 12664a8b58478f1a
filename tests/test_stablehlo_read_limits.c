/* Texts that are cut off, deep, long or wide: an error or a result, in linear time, and every
 * allocation may fail. */
#include "tests/values.h"

#include <cotangent/cotangent.h>
#include <cotangent/module.h>

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- A text that grows. */

typedef struct buffer {
    char *data;
    size_t length, capacity;
} buffer;

static void reserve(buffer *b, size_t more)
{
    if (b->length + more < b->capacity)
        return;
    b->capacity = 2 * (b->length + more);
    b->data = realloc(b->data, b->capacity);
    CHECK(b->data != NULL);
}

__attribute__((format(printf, 2, 3))) static void add(buffer *b, const char *format, ...)
{
    va_list arguments;
    reserve(b, 1024);
    va_start(arguments, format);
    b->length += (size_t)vsnprintf(b->data + b->length, 1024, format, arguments);
    va_end(arguments);
}

static void repeat(buffer *b, size_t count, const char *text)
{
    size_t length = strlen(text);
    reserve(b, count * length + 1);
    for (size_t i = 0; i < count; i++, b->length += length)
        memcpy(b->data + b->length, text, length);
    b->data[b->length] = '\0';
}

/* Reads and frees the text. The status, and for errors what the message must contain. */
static void check_read(int line, buffer *b, ct_status status, const char *part)
{
    ct_context *ctx = ct_context_new();
    ct_read_stablehlo_text(ctx, "t", b->data, b->length);
    if (ct_error_status(ctx) != status || !strstr(ct_error_message(ctx), part))
        check_fail(__FILE__, line, "%s: %s", ct_status_name(ct_error_status(ctx)),
                   ct_error_message(ctx));
    ct_context_free(ctx);
    free(b->data);
}
#define CHECK_READ(b, status, part) check_read(__LINE__, b, status, part)

/* ---- Cut off. */

static const char rich[] =
    "#a = loc(\"f.c\":1:2)\n"
    "!t = tensor<2x3xf32>\n"
    "module @m attributes {x.y = [1, \"s\\\"\", {b}], z.w = dense<[1, 2]> : tensor<2xi32>} {\n"
    "  func.func public @main(%x: !t {k = #stablehlo<precision HIGH>} loc(\"x\"), %p: tensor<i1>) "
    "-> (tensor<2xf32> {r}, tensor<2x3xf32>) attributes {n.o} {\n"
    "    // a comment\n"
    "    %c = stablehlo.constant dense<\"0x0000803F\"> : tensor<f32>\n"
    "    %0 = stablehlo.reduce(%x init: %c) applies stablehlo.add across dimensions = [1] : "
    "(tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>\n"
    "    %1:2 = stablehlo.while(%i = %0, %q = %p) : tensor<2xf32>, tensor<i1>\n"
    "     cond {\n"
    "      stablehlo.return %q : tensor<i1>\n"
    "    } do {\n"
    "      %2 = stablehlo.not %q : tensor<i1>\n"
    "      stablehlo.return %i, %2 : tensor<2xf32>, tensor<i1>\n"
    "    } loc(#a)\n"
    "    %k = stablehlo.constant dense<0> : tensor<1xi32>\n"
    "    %r = \"stablehlo.gather\"(%x, %k) <{dimension_numbers = #stablehlo.gather<offset_dims = "
    "[0, 1], start_index_map = [0]>, slice_sizes = array<i64: 2, 3>}> : (tensor<2x3xf32>, "
    "tensor<1xi32>) -> tensor<2x3xf32>\n"
    "    %3 = call @\"f g\"(%r) : (!t) -> !t\n"
    "    return %1#0, %3 : tensor<2xf32>, tensor<2x3xf32>\n"
    "  }\n"
    "  func.func private @\"f g\"(%arg0: !t) -> !t {\n"
    "    return %arg0 : !t loc(fused<\"m\">[callsite(\"n\"(#a) at unknown), \"g.c\":3:4 to :5])\n"
    "  }\n"
    "}";

/* Every prefix is an error, which leaves nothing behind. */
TEST(truncation)
{
    for (size_t n = 1; n < sizeof rich - 1; n++) {
        char *prefix = malloc(n); /* of exactly this size, for the sanitizers */
        memcpy(prefix, rich, n);
        ct_context *ctx = ct_context_new();
        ct_read_stablehlo_text(ctx, "t", prefix, n);
        bool is_aliases = n <= (size_t)(strstr(rich, "module") - rich);
        CHECK_MSG(is_aliases || ct_error_status(ctx) == CT_ERR_TEXT, "%zu bytes: %s", n,
                  ct_error_message(ctx));
        ct_context_free(ctx);
        free(prefix);
    }
}

/* So is every text with a byte changed, or it is read: never anything else. */
TEST(changed_bytes)
{
    static const char other[] = "\0(){}[]<>\"%@#!:,=-x9?\n/\\\xFF";
    char text[sizeof rich];
    memcpy(text, rich, sizeof rich);
    for (size_t i = 0; i + 1 < sizeof rich; i++) {
        ct_context *ctx = ct_context_new();
        char old = text[i];
        text[i] = other[(i * 7 + i / 31) % (sizeof other - 1)];
        ct_read_stablehlo_text(ctx, "t", text, sizeof rich - 1);
        ct_status status = ct_error_status(ctx);
        CHECK_MSG(status == CT_OK || status == CT_ERR_TEXT, "byte %zu: %s", i,
                  ct_error_message(ctx));
        text[i] = old;
        ct_context_free(ctx);
    }
}

/* ---- Deep. */

TEST(deep_brackets)
{
    static const char *const open[] = {"(", "[", "{", "<", "(((({{{{[[[["};
    for (size_t i = 0; i < sizeof open / sizeof *open; i++) {
        buffer b = {0};
        add(&b, "func.func @main(%%x: tensor<f32>) {\n  %%0 = stablehlo.sine ");
        repeat(&b, 100000, open[i]);
        add(&b, "\n  return\n}\n");
        CHECK_READ(&b, CT_ERR_TEXT, "t:2:23: expected a value, %name");
    }
    buffer list = {0};
    add(&list, "module attributes {a = ");
    repeat(&list, 100000, "[");
    add(&list, "} {}\n");
    CHECK_READ(&list, CT_ERR_TEXT, "t:1:");
    buffer tuple = {0};
    add(&tuple, "func.func @main(%%x: ");
    repeat(&tuple, 100000, "tuple<");
    CHECK_READ(&tuple, CT_ERR_TEXT, "nest more than");
    buffer place = {0};
    add(&place, "func.func @main() { return loc(");
    repeat(&place, 100000, "\"a\"(");
    CHECK_READ(&place, CT_ERR_TEXT, "nest more than");
}

/* n bodies, each in the one before. */
static void add_nest(buffer *b, size_t n)
{
    add(b, "func.func @main(%%p: tensor<i1>) {\n");
    repeat(b, n, "\"stablehlo.if\"(%p) ({\n");
    if (n > 0)
        add(b, "stablehlo.return\n");
    for (size_t i = n; i > 0; i--)
        add(b, "}, {stablehlo.return}) : (tensor<i1>) -> ()\n%s\n",
            i > 1 ? "stablehlo.return" : "return");
    add(b, "}\n");
}

TEST(deep_bodies)
{
    buffer fine = {0}, deep = {0};
    add_nest(&fine, 900);
    CHECK_READ(&fine, CT_OK, "");
    add_nest(&deep, 10000);
    CHECK_READ(&deep, CT_ERR_TEXT, "nest more than 1000 deep");
}

/* Function i calls function i + 1, which stands behind or before it. */
static void add_chain(buffer *b, size_t n, bool forward)
{
    for (size_t k = 0; k < n; k++) {
        size_t i = forward ? k : n - 1 - k;
        bool is_last = i + 1 == n;
        add(b, "func.func @f%zu(%%x: tensor<f32>) -> tensor<f32> {\n", i);
        if (!is_last)
            add(b, "  %%y = call @f%zu(%%x) : (tensor<f32>) -> tensor<f32>\n", i + 1);
        add(b, "  return %%%s : tensor<f32>\n}\n", is_last ? "x" : "y");
    }
}

TEST(deep_calls)
{
    for (int forward = 0; forward < 2; forward++) {
        buffer fine = {0}, deep = {0};
        add_chain(&fine, 900, forward);
        CHECK_READ(&fine, CT_OK, "");
        add_chain(&deep, 20000, forward);
        CHECK_READ(&deep, CT_ERR_TEXT, "nest more than 1000 deep");
    }
}

/* Each alias holds the one before twice: 2^60 of the first. */
TEST(aliases_that_multiply)
{
    buffer b = {0};
    add(&b, "#a0 = [1]\n");
    for (int i = 1; i <= 60; i++)
        add(&b, "#a%d = [#a%d, #a%d]\n", i, i - 1, i - 1);
    add(&b, "module attributes {x.y = #a60} {}\n");
    CHECK_READ(&b, CT_ERR_TEXT, "t:");
}

/* Templates that call the next one twice: 2^60 calls. */
static void add_doubling(buffer *b, const char *dtype)
{
    char type[32];
    snprintf(type, sizeof type, "tensor<?x%s>", dtype);
    for (int i = 0; i < 60; i++) {
        add(b, "func.func @f%d(%%x: %s) -> %s {\n", i, type, type);
        if (i < 59)
            for (int k = 0; k < 2; k++)
                add(b, "  %%%d = call @f%d(%%%s) : (%s) -> %s\n", k, i + 1, k ? "0" : "x", type,
                    type);
        add(b, "  return %%%s : %s\n}\n", i < 59 ? "1" : "x", type);
    }
}

/* Each function is there once; where results may be shapes, calls are read in their place. */
TEST(calls_that_multiply)
{
    buffer b = {0}, shapes = {0};
    add_doubling(&b, "f32");
    add_doubling(&shapes, "i32");
    ct_context *ctx = ct_context_new();
    ct_module *m = ct_read_stablehlo_text(ctx, "t", b.data, b.length);
    const char *text = ct_stablehlo_text(
        ct_specialize(m, "f0", CT_LIKE(ct_spec(ctx, CT_F32, CT_SHAPE(3)))), CT_WRITE_PRETTY);
    size_t count = 0;
    CHECK_OK(ctx);
    for (const char *at = text; (at = strstr(at, "func.func ")); at++)
        count++;
    CHECK_MSG(count == 60, "%zu functions", count);
    m = ct_read_stablehlo_text(ctx, "t", shapes.data, shapes.length);
    CHECK_OK(ctx);
    ct_specialize(m, "f0", CT_LIKE(ct_spec(ctx, CT_I32, CT_SHAPE(3))));
    CHECK_ERROR(ctx, CT_ERR_TEXT,
                "more than 100000 calls of functions whose shapes depend on their "
                "arguments");
    ct_context_free(ctx);
    free(b.data);
    free(shapes.data);
}

/* ---- Long: each of these would take hours in quadratic time. */

TEST(long_names)
{
    buffer b = {0};
    add(&b, "func.func @main(%%");
    repeat(&b, 1000000, "x");
    add(&b, ": tensor<f32>) -> tensor<f32> {\n  return %%");
    repeat(&b, 1000000, "x");
    add(&b, " : tensor<f32>\n}\nfunc.func @");
    repeat(&b, 1000000, "f");
    add(&b, "() {\n  stablehlo.");
    repeat(&b, 1000000, "o");
    add(&b, "\n  return\n}\n");
    CHECK_READ(&b, CT_ERR_TEXT, "t:5:3: operation 'stablehlo.ooo");
}

TEST(many_statements_and_names)
{
    enum { COUNT = 100000 };
    buffer b = {0};
    add(&b, "func.func @main(%%n0: tensor<f32>) -> tensor<f32> {\n");
    for (int i = 0; i < COUNT; i++)
        add(&b, "  %%n%d = stablehlo.sine %%n%d : tensor<f32> loc(#l%d)\n", i + 1, i, i);
    add(&b, "  return %%n%d : tensor<f32>\n}\n", COUNT);
    for (int i = 0; i < COUNT; i++)
        add(&b, "#l%d = loc(\"f.c\":%d:0)\n", i, i);
    CHECK_READ(&b, CT_OK, "");
}

TEST(many_functions)
{
    enum { COUNT = 20000 };
    buffer b = {0};
    add(&b, "func.func @main() {\n");
    for (int i = 0; i < COUNT; i++)
        add(&b, "  call @f%d() : () -> ()\n", i);
    add(&b, "  return\n}\n");
    for (int i = 0; i < COUNT; i++)
        add(&b, "func.func @f%d() {\n  return\n}\n", i);
    CHECK_READ(&b, CT_OK, "");
}

TEST(many_errors)
{
    buffer b = {0};
    add(&b, "func.func @main() {\n");
    repeat(&b, 100000, "  %a = stablehlo.sine (((%b : tensor<f32>\n");
    add(&b, "  return\n}\n");
    CHECK_READ(&b, CT_ERR_TEXT, "t:2:23: expected a value");
    buffer items = {0};
    repeat(&items, 100000, "stray ");
    CHECK_READ(&items, CT_ERR_TEXT, "t:1:1: expected 'func.func'");
}

/* One line: columns and lines of places are found without walking it again and again. */
TEST(one_long_line)
{
    buffer b = {0};
    add(&b, "func.func @main() { ");
    repeat(&b, 100000, "stablehlo.constant dense<1.0> : tensor<f32> ");
    add(&b, "return }");
    CHECK_READ(&b, CT_OK, "");
}

/* Each shape follows from the one before. */
TEST(many_shapes)
{
    enum { COUNT = 20000 };
    buffer b = {0};
    add(&b, "func.func @main(%%x: tensor<?xi8>) -> tensor<?xi8> {\n"
            "  %%one = stablehlo.constant dense<1> : tensor<1xi32>\n"
            "  %%s0 = stablehlo.constant dense<0> : tensor<1xi32>\n");
    for (int i = 1; i <= COUNT; i++)
        add(&b,
            "  %%s%d = stablehlo.add %%s%d, %%one : tensor<1xi32>\n"
            "  %%i%d = stablehlo.dynamic_iota %%s%d, dim = 0 : (tensor<1xi32>) -> tensor<?xi8>\n",
            i, i - 1, i, i);
    add(&b, "  return %%i%d : tensor<?xi8>\n}\n", COUNT);
    ct_context *ctx = ct_context_new();
    ct_module *m = ct_read_stablehlo_text(ctx, "t", b.data, b.length);
    ct_function *f = ct_specialize(m, NULL, CT_LIKE(ct_spec(ctx, CT_I8, CT_SHAPE(3))));
    CHECK_OK(ctx);
    CHECK(ct_type_shape(ct_result_type(f, 0)).dim[0] == COUNT);
    ct_context_free(ctx);
    free(b.data);
}

/* Each input of the loop is a row of another tensor; it is read again from the scan's text. */
TEST(many_inputs_of_a_loop)
{
    enum { COUNT = 20000 };
    buffer b = {0};
    add(&b, "func.func @main(%%x0: tensor<9x2xf32>");
    for (int i = 1; i < COUNT; i++)
        add(&b, ", %%x%d: tensor<9x2xf32>", i);
    add(&b, ") -> tensor<1x2xf32> {\n"
            "  %%0 = stablehlo.constant dense<0> : tensor<i32>\n"
            "  %%1 = stablehlo.constant dense<1> : tensor<i32>\n"
            "  %%9 = stablehlo.constant dense<9> : tensor<i32>\n"
            "  %%y = stablehlo.constant dense<0.0> : tensor<1x2xf32>\n"
            "  %%z:2 = stablehlo.while(%%i = %%0, %%y0 = %%y) : tensor<i32>, tensor<1x2xf32>\n"
            "  cond {\n"
            "    %%p = stablehlo.compare LT, %%i, %%9 : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
            "    stablehlo.return %%p : tensor<i1>\n"
            "  } do {\n");
    for (int i = 0; i < COUNT; i++)
        add(&b,
            "    %%s%d = stablehlo.dynamic_slice %%x%d, %%i, %%0, sizes = [1, 2] : "
            "(tensor<9x2xf32>, tensor<i32>, tensor<i32>) -> tensor<1x2xf32>\n"
            "    %%y%d = stablehlo.add %%y%d, %%s%d : tensor<1x2xf32>\n",
            i, i, i + 1, i, i);
    add(&b,
        "    %%j = stablehlo.add %%i, %%1 : tensor<i32>\n"
        "    stablehlo.return %%j, %%y%d : tensor<i32>, tensor<1x2xf32>\n"
        "  }\n"
        "  return %%z#1 : tensor<1x2xf32>\n}\n",
        COUNT);
    ct_context *ctx = ct_context_new();
    ct_module *m = ct_read_stablehlo_text(ctx, "t", b.data, b.length);
    const char *text = ct_stablehlo_text(ct_module_function(m, NULL), CT_WRITE_PRETTY);
    CHECK_OK(ctx);
    CHECK(strstr(text, "n_inputs = 20000 : i64"));
    ct_module *again = ct_read_stablehlo_text(ctx, "again", text, strlen(text));
    CHECK(strcmp(ct_stablehlo_text(ct_module_function(again, NULL), CT_WRITE_PRETTY), text) == 0);
    CHECK_OK(ctx);
    ct_context_free(ctx);
    free(b.data);
}

/* ---- Wide. */

TEST(huge_types)
{
    static const struct {
        const char *type, *part;
    } wrong[] = {
        {"tensor<9223372036854775807x9223372036854775807xf32>", "t:1:"},
        {"tensor<99999999999999999999999xf32>", "t:1:"},
        {"tensor<4611686018427387904xf64>", "t:1:"},
        {"tensor<-1xf32>", "t:1:"},
        {"tensor<2xi7>", "t:1:"},
        {"tensor<*xf32>", "t:1:"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        buffer b = {0};
        add(&b, "func.func @main(%%x: %s) { return }", wrong[i].type);
        CHECK_READ(&b, CT_ERR_TEXT, wrong[i].part);
    }
    for (size_t rank = 64; rank <= 65; rank++) {
        buffer b = {0};
        add(&b, "func.func @main(%%x: tensor<");
        repeat(&b, rank, "1x");
        add(&b, "f32>) { return }");
        CHECK_READ(&b, rank == 64 ? CT_OK : CT_ERR_TEXT, rank == 64 ? "" : "rank above 64");
    }
    buffer empty = {0}; /* a zero wins */
    add(&empty, "func.func @main(%%x: tensor<9223372036854775807x0xf32>) { return }");
    CHECK_READ(&empty, CT_OK, "");
}

TEST(groups_of_results)
{
    static const char *const counts[] = {"4294967295", "4294967296", "99999999999999999999", "-1"};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        buffer b = {0};
        add(&b, "func.func @main() { %%r:%s, %%s:4294967295 = stablehlo.foo return }", counts[i]);
        CHECK_READ(&b, CT_ERR_TEXT, "t:1:");
    }
}

/* ---- Memory runs out. */

static void read_rich(ct_context *ctx)
{
    ct_module *m = ct_read_stablehlo_text(ctx, "t", rich, sizeof rich - 1);
    ct_stablehlo_text(ct_module_function(m, NULL), CT_WRITE_PLACES);
}

/* Not errors of inference, whose messages do without what they have no memory for. */
static void read_errors(ct_context *ctx)
{
    static const char text[] = "func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {\n"
                               "  %0 = stablehlo.sine %none : tensor<2xf32>\n"
                               "  %1 = stablehlo.foo %0 : tensor<2xf32>\n"
                               "  return %1 : tensor<2xf32>\n}\n";
    ct_read_stablehlo_text(ctx, "t", text, sizeof text - 1);
    if (ct_error_status(ctx) == CT_ERR_TEXT)
        ct_error_clear(ctx);
}

static void read_template(ct_context *ctx)
{
    static const char text[] = "func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {\n"
                               "  %0 = call @g(%x) : (tensor<?xf32>) -> tensor<?xf32>\n"
                               "  return %0 : tensor<?xf32>\n}\n"
                               "func.func private @g(%x: tensor<?xf32>) -> tensor<?xf32> {\n"
                               "  %n = stablehlo.get_dimension_size %x, dim = 0 : "
                               "(tensor<?xf32>) -> tensor<i32>\n"
                               "  %s = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>\n"
                               "  %0 = stablehlo.dynamic_iota %s, dim = 0 : (tensor<1xi32>) -> "
                               "tensor<?xf32>\n"
                               "  return %0 : tensor<?xf32>\n}\n";
    ct_module *m = ct_read_stablehlo_text(ctx, "t", text, sizeof text - 1);
    ct_specialize(m, NULL, CT_LIKE(ct_spec(ctx, CT_F32, CT_SHAPE(2))));
    ct_specialize_shapes(m, NULL, 1, &CT_SHAPE(3));
}

TEST(allocations)
{
    CHECK_ALLOCATIONS(read_rich);
    CHECK_ALLOCATIONS(read_errors);
    CHECK_ALLOCATIONS(read_template);
}
