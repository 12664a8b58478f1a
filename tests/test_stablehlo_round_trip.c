/* What is printed is read back as the same function, in either form, with places and without. */
#include "tests/samples.h"
#include "tests/values.h"

#include "trace/trace.h"

#include <cotangent/cotangent.h>
#include <cotangent/module.h>

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static ct_function *read_main(ct_context *ctx, const char *name, const char *text)
{
    return ct_module_function(ct_read_stablehlo_text(ctx, name, text, strlen(text)), NULL);
}

/* What a text cannot say. */
static bool has_lossy_names(const char *name)
{
    return strcmp(name, "names") == 0; /* "layer 1/h" becomes layer_1_h */
}
static bool has_lossy_places(const char *name)
{
    /* "applies stablehlo.add" has no room for one */
    return strcmp(name, "reductions") == 0 || strncmp(name, "scan_of_", 8) == 0;
}

static void check_sample(const sample *s, unsigned flags)
{
    ct_context *ctx = ct_context_new();
    ct_function *f = s->make(ctx);
    const char *text = ct_stablehlo_text(f, flags);
    ct_function *g = read_main(ctx, s->name, text);
    CHECK_MSG(!ct_failed(ctx), "%s: %s\nin\n%s", s->name, ct_error_message(ctx), text);
    const char *again = ct_stablehlo_text(g, flags);
    CHECK_MSG(strcmp(text, again) == 0, "%s:\n%s\nis read as\n%s", s->name, text, again);
    bool with_places = (flags & CT_WRITE_PLACES) && !has_lossy_places(s->name);
    CHECK_MSG(has_lossy_names(s->name) || ct__graph_equal(f->graph, g->graph, with_places),
              "%s: the text is the same, the graph is not:\n%s", s->name, text);
    ct_context_free(ctx);
}

TEST(samples)
{
    for (size_t i = 0; i < n_samples; i++)
        check_sample(&samples[i], CT_WRITE_PRETTY);
}

TEST(samples_in_the_generic_form)
{
    for (size_t i = 0; i < n_samples; i++)
        check_sample(&samples[i], CT_WRITE_GENERIC);
}

TEST(samples_with_places)
{
    for (size_t i = 0; i < n_samples; i++)
        check_sample(&samples[i], CT_WRITE_PLACES);
}

/* Merged operations keep all their places: those without results, and loops that are raised. */
static const char merged[] =
    "module @main {\n"
    "  func.func public @main(%a: tensor<5xf32>, %n: tensor<i64>, %x: tensor<f32>) -> "
    "(tensor<f32>, tensor<f32>) {\n"
    "    stablehlo.custom_call @log(%x) {has_side_effect = true} : (tensor<f32>) -> () "
    "loc(fused[\"a.c\":1:0, \"b.c\":2:0])\n"
    "    %0 = stablehlo.constant dense<0> : tensor<i32>\n"
    "    %1:2 = stablehlo.while(%arg0 = %0, %s = %x) : tensor<i32>, tensor<f32> attributes "
    "{ct.scan = {is_reverse = false, length = 5 : i64, n_carry = 1 : i64, n_inputs = 1 : i64}}\n"
    "     cond {\n"
    "      %2 = stablehlo.constant dense<5> : tensor<i32>\n"
    "      %3 = stablehlo.compare LT, %arg0, %2, SIGNED : (tensor<i32>, tensor<i32>) -> "
    "tensor<i1>\n"
    "      stablehlo.return %3 : tensor<i1>\n"
    "    } do {\n"
    "      %4 = stablehlo.dynamic_slice %a, %arg0, sizes = [1] : (tensor<5xf32>, tensor<i32>) -> "
    "tensor<1xf32>\n"
    "      %e = stablehlo.reshape %4 : (tensor<1xf32>) -> tensor<f32>\n"
    "      %t = stablehlo.add %s, %e : tensor<f32> loc(fused[\"a.c\":3:0, \"b.c\":4:0])\n"
    "      %5 = stablehlo.constant dense<1> : tensor<i32>\n"
    "      %6 = stablehlo.add %arg0, %5 : tensor<i32>\n"
    "      stablehlo.return %6, %t : tensor<i32>, tensor<f32>\n"
    "    } loc(fused[\"a.c\":5:0, \"b.c\":6:0, \"c.c\":7:0])\n"
    "    %2 = stablehlo.constant dense<0> : tensor<i64>\n"
    "    %3:2 = stablehlo.while(%arg0 = %2, %s = %x) : tensor<i64>, tensor<f32> attributes {ct.for "
    "= {is_reverse = false}}\n"
    "     cond {\n"
    "      %4 = stablehlo.compare LT, %arg0, %n, SIGNED : (tensor<i64>, tensor<i64>) -> "
    "tensor<i1>\n"
    "      stablehlo.return %4 : tensor<i1>\n"
    "    } do {\n"
    "      %t = stablehlo.sine %s : tensor<f32> loc(\"a.c\":8:0)\n"
    "      %5 = stablehlo.constant dense<1> : tensor<i64>\n"
    "      %6 = stablehlo.add %arg0, %5 : tensor<i64>\n"
    "      stablehlo.return %6, %t : tensor<i64>, tensor<f32>\n"
    "    } loc(fused[\"a.c\":9:0, \"b.c\":10:0])\n"
    "    return %1#1, %3#1 : tensor<f32>, tensor<f32>\n"
    "  }\n"
    "}\n";

/* Of a reduction's body the short form shows the operation alone: no names, no attributes that are
 * only kept, and no place but that of the reduction. */
static const char reductions[] =
    "module @main {\n"
    "  func.func public @main(%x: tensor<4x9xf32>, %z: tensor<f32>) -> (tensor<4xf32>, "
    "tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {\n"
    "    %0 = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [1] : "
    "(tensor<4x9xf32>, tensor<f32>) -> tensor<4xf32> loc(\"f.c\":2:0)\n"
    "    %1 = stablehlo.reduce(%x init: %z) across dimensions = [1] : (tensor<4x9xf32>, "
    "tensor<f32>) -> tensor<4xf32>\n"
    "     reducer(%arg0: tensor<f32>, %arg1: tensor<f32>) {\n"
    "      %2 = stablehlo.add %arg0, %arg1 : tensor<f32> loc(\"f.c\":3:0)\n"
    "      stablehlo.return %2 : tensor<f32>\n"
    "    } loc(\"f.c\":2:0)\n"
    "    %2 = stablehlo.reduce(%x init: %z) across dimensions = [1] : (tensor<4x9xf32>, "
    "tensor<f32>) -> tensor<4xf32>\n"
    "     reducer(%arg0: tensor<f32>, %arg1: tensor<f32>) {\n"
    "      %3 = \"stablehlo.add\"(%arg0, %arg1) {my.note = 3 : i32} : (tensor<f32>, tensor<f32>) "
    "-> tensor<f32> loc(\"f.c\":2:0)\n"
    "      stablehlo.return %3 : tensor<f32>\n"
    "    } loc(\"f.c\":2:0)\n"
    "    %3 = stablehlo.reduce(%x init: %z) across dimensions = [1] : (tensor<4x9xf32>, "
    "tensor<f32>) -> tensor<4xf32>\n"
    "     reducer(%sum: tensor<f32>, %arg0: tensor<f32>) {\n"
    "      %4 = stablehlo.add %sum, %arg0 : tensor<f32> loc(\"f.c\":2:0)\n"
    "      stablehlo.return %4 : tensor<f32>\n"
    "    } loc(\"f.c\":2:0)\n"
    "    return %0, %1, %2, %3 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>\n"
    "  }\n"
    "}\n";

/* Loops whose bodies have names of their own, for the index of a for, too. */
static const char named_loops[] =
    "module @main {\n"
    "  func.func public @main(%a: tensor<f32>, %p: tensor<i1>, %n: tensor<i64>) -> (tensor<f32>, "
    "tensor<f32>, tensor<f32>) {\n"
    "    %r_0, %r_1 = \"stablehlo.while\"(%a, %p) ({\n"
    "    ^bb0(%i: tensor<f32>, %q: tensor<i1>):\n"
    "      stablehlo.return %q : tensor<i1>\n"
    "    }, {\n"
    "    ^bb0(%j: tensor<f32>, %arg0: tensor<i1>):\n"
    "      %t = stablehlo.sine %j : tensor<f32>\n"
    "      stablehlo.return %t, %arg0 : tensor<f32>, tensor<i1>\n"
    "    }) : (tensor<f32>, tensor<i1>) -> (tensor<f32>, tensor<i1>)\n"
    "    %0 = stablehlo.constant dense<0> : tensor<i64>\n"
    "    %1:2 = stablehlo.while(%step = %0, %s = %a) : tensor<i64>, tensor<f32> attributes {ct.for "
    "= {is_reverse = false}}\n"
    "     cond {\n"
    "      %2 = stablehlo.compare LT, %step, %n, SIGNED : (tensor<i64>, tensor<i64>) -> "
    "tensor<i1>\n"
    "      stablehlo.return %2 : tensor<i1>\n"
    "    } do {\n"
    "      %3 = stablehlo.convert %step : (tensor<i64>) -> tensor<f32>\n"
    "      %4 = stablehlo.add %s, %3 : tensor<f32>\n"
    "      %5 = stablehlo.constant dense<1> : tensor<i64>\n"
    "      %6 = stablehlo.add %step, %5 : tensor<i64>\n"
    "      stablehlo.return %6, %4 : tensor<i64>, tensor<f32>\n"
    "    }\n"
    "    %2 = stablehlo.constant dense<0> : tensor<i64>\n"
    "    %3:2 = stablehlo.while(%arg0 = %2, %s = %a) : tensor<i64>, tensor<f32> attributes {ct.for "
    "= {is_reverse = true}}\n"
    "     cond {\n"
    "      %4 = stablehlo.compare LT, %arg0, %n, SIGNED : (tensor<i64>, tensor<i64>) -> "
    "tensor<i1>\n"
    "      stablehlo.return %4 : tensor<i1>\n"
    "    } do {\n"
    "      %5 = stablehlo.constant dense<1> : tensor<i64>\n"
    "      %6 = stablehlo.subtract %n, %5 : tensor<i64>\n"
    "      %step = stablehlo.subtract %6, %arg0 : tensor<i64>\n"
    "      %7 = stablehlo.convert %step : (tensor<i64>) -> tensor<f32>\n"
    "      %8 = stablehlo.add %s, %7 : tensor<f32>\n"
    "      %9 = stablehlo.constant dense<1> : tensor<i64>\n"
    "      %10 = stablehlo.add %arg0, %9 : tensor<i64>\n"
    "      stablehlo.return %10, %8 : tensor<i64>, tensor<f32>\n"
    "    }\n"
    "    return %r_0, %1#1, %3#1 : tensor<f32>, tensor<f32>, tensor<f32>\n"
    "  }\n"
    "}\n";

TEST(places_names_and_attributes)
{
    static const struct {
        const char *text;
        unsigned flags;
    } rows[] = {
        {merged, CT_WRITE_PLACES}, {reductions, CT_WRITE_PLACES}, {named_loops, CT_WRITE_PRETTY}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ct_context *ctx = ct_context_new();
        ct_module *m = ct_read_stablehlo_text(ctx, "t", rows[i].text, strlen(rows[i].text));
        const char *text = ct_stablehlo_text(ct_module_function(m, NULL), rows[i].flags);
        CHECK_OK(ctx);
        CHECK_MSG(strcmp(text, rows[i].text) == 0, "%s", text);
        ct_context_free(ctx);
    }
}

/* Inputs of a scan that its body does not use are still there. */
static ct_function *wasteful_scan(ct_context *ctx, int64_t length)
{
    ct_tensor *s = ct_spec(ctx, CT_F32, CT_SHAPE()), *x = ct_spec(ctx, CT_F32, CT_SHAPE(length));
    ct_trace_builder *b = ct_trace_begin(ctx, "body", CT_LIKE(s, s, s, s));
    ct_function *body = ct_trace_end(
        b, CT_ARGV(ct_op_negate(ct_trace_parameter(b, 0)), ct_op_abs(ct_trace_parameter(b, 2))));
    ct_tensor *y[2];
    b = ct_trace_begin(ctx, "f", CT_LIKE(s, x, x));
    ct_tensor *const p = ct_trace_parameter(b, 1), *const q = ct_trace_parameter(b, 2);
    ct_op_scan(length, CT_ARGV(ct_trace_parameter(b, 0)), CT_ARGV(p, q, q), CT_NO_TENSORS, false,
               body, y, 2);
    return ct_trace_end(b, CT_ARGV(y[0], y[1]));
}

static ct_function *wasteful_long(ct_context *ctx)
{
    return wasteful_scan(ctx, 3);
}

static ct_function *wasteful_empty(ct_context *ctx)
{
    return wasteful_scan(ctx, 0);
}

TEST(unused_inputs)
{
    const sample rows[] = {{"wasteful_long", wasteful_long}, {"wasteful_empty", wasteful_empty}};
    for (unsigned i = 0; i < 2; i++) {
        check_sample(&rows[i], CT_WRITE_PRETTY);
        check_sample(&rows[i], CT_WRITE_GENERIC);
    }
}

/* ---- The conformance files: what has been read is printed and read again. */

static char *load(const char *path, size_t *length)
{
    FILE *file = fopen(path, "rb");
    CHECK_MSG(file, "%s cannot be opened", path);
    fseek(file, 0, SEEK_END);
    *length = (size_t)ftell(file);
    rewind(file);
    char *text = malloc(*length + 1);
    CHECK(text && fread(text, 1, *length, file) == *length);
    fclose(file);
    return text;
}

static void check_again(const char *path, ct_context *ctx, ct_function *f, unsigned flags)
{
    const char *text = ct_stablehlo_text(f, flags);
    ct_function *g = read_main(ctx, "again", text);
    CHECK_MSG(!ct_failed(ctx), "%s: %s", path, ct_error_message(ctx));
    CHECK_MSG(strcmp(text, ct_stablehlo_text(g, flags)) == 0, "%s, flags %u", path, flags);
    CHECK_MSG(ct__graph_equal(f->graph, g->graph, false), "%s, flags %u: graph", path, flags);
}

/* Returns how many functions were checked. */
static size_t check_file(const char *path)
{
    size_t length, count = 0;
    char *text = load(path, &length);
    for (size_t part = 0; part < ct_stablehlo_parts(text, length); part++) {
        ct_context *ctx = ct_context_new();
        ct_module *m = ct_read_stablehlo_part(ctx, path, text, length, part);
        CHECK_MSG(!ct_failed(ctx), "%s", ct_error_message(ctx));
        for (unsigned flags = 0; ct_module_functions(m) > 0 && flags < 4; flags++, count++)
            check_again(path, ctx, ct_module_function(m, NULL), flags);
        ct_context_free(ctx);
    }
    free(text);
    return count;
}

static size_t check_folder(const char *folder)
{
    char path[4096];
    size_t count = 0;
    DIR *list = opendir(folder);
    CHECK_MSG(list, "%s cannot be opened", folder);
    for (const struct dirent *entry; (entry = readdir(list));) {
        size_t length = strlen(entry->d_name);
        if (length < 5 || strcmp(entry->d_name + length - 5, ".mlir") != 0)
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        count += check_file(path);
    }
    closedir(list);
    return count;
}

TEST(conformance_files)
{
    CHECK(check_folder(SHARED("stablehlo/testdata")) > 4000);
    CHECK(check_folder(SHARED("stablehlo/testdata/quantized")) > 200);
}

/* ---- ct__graph_equal itself: each difference is seen. */

static const char base[] = "module @m attributes {a.b = 1 : i32} {\n"
                           "  func.func @main(%x: tensor<2xf32> {p.q}, %y: tensor<2xf32>) -> "
                           "(tensor<2xf32> {r.s = \"t\"}) attributes {u.v} {\n"
                           "    %s = stablehlo.subtract %x, %y : tensor<2xf32> loc(\"f.c\":3:0)\n"
                           "    %t = stablehlo.transpose %s, dims = [0] {k.l} : (tensor<2xf32>) -> "
                           "tensor<2xf32> loc(\"f.c\":4:0)\n"
                           "    return %t : tensor<2xf32>\n"
                           "  }\n"
                           "}\n";

/* The base text with each `from` replaced. */
static ct_function *read_changed(ct_context *ctx, const char *from, const char *to)
{
    char text[2048] = "";
    const char *rest = base, *found;
    while ((found = strstr(rest, from))) {
        strncat(text, rest, (size_t)(found - rest));
        strcat(text, to);
        rest = found + strlen(from);
    }
    strcat(text, rest);
    return read_main(ctx, "changed", text);
}

TEST(differences_are_seen)
{
    static const struct {
        const char *from, *to;
        bool only_places;
    } change[] = {
        {"@m", "@n", false},
        {"a.b = 1", "a.b = 2", false},
        {" {p.q}", "", false},
        {"\"t\"", "\"w\"", false},
        {"{u.v}", "{u.w}", false},
        {"%x", "%z", false},
        {"%s ", "%w ", false},
        {"%x, %y :", "%y, %x :", false},
        {"subtract", "add", false},
        {"tensor<2xf32>", "tensor<2xf64>", false},
        {"{k.l}", "{k.m}", false},
        {"return %t", "return %s", false},
        {"\"f.c\":3", "\"f.c\":5", true},
        {"f.c", "g.c", true},
    };
    ct_context *ctx = ct_context_new();
    ct_function *f = read_main(ctx, "base", base);
    ct_function *same = read_main(ctx, "same", base);
    CHECK_OK(ctx);
    CHECK(ct__graph_equal(f->graph, same->graph, true));
    for (size_t i = 0; i < sizeof change / sizeof *change; i++) {
        /* a name is defined and used */
        bool is_name = strcmp(change[i].from, "%s ") == 0;
        ct_function *g = is_name ? read_changed(ctx, "%s", "%w")
                                 : read_changed(ctx, change[i].from, change[i].to);
        CHECK_OK(ctx);
        CHECK_MSG(!ct__graph_equal(f->graph, g->graph, true), "%s is not seen", change[i].to);
        CHECK_MSG(ct__graph_equal(f->graph, g->graph, false) == change[i].only_places,
                  "%s without places", change[i].to);
    }
    ct_context_free(ctx);
}
