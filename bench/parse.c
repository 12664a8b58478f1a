/* How long does it take to read a program's text?
 *
 * bench_parse [FILE…]: texts made here, then the files. */
#include "bench.h"

#include <cotangent/context.h>
#include <cotangent/module.h>
#include <cotangent/trace.h>

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { RUNS = 9, OPERATIONS = 20000, ELEMENTS = 1 << 22 };

/* ---- Texts. */

typedef struct text {
    char *data;
    size_t length, capacity;
} text;

/* Room for `more` bytes and a final 0. */
static void reserve(text *t, size_t more)
{
    if (t->length + more < t->capacity)
        return;
    t->capacity = 2 * (t->length + more) + 1;
    t->data = realloc(t->data, t->capacity);
    if (!t->data) {
        fprintf(stderr, "bench_parse: out of memory\n");
        exit(1);
    }
}

__attribute__((format(printf, 2, 3))) static void add(text *t, const char *format, ...)
{
    va_list arguments;

    reserve(t, 512);
    va_start(arguments, format);
    t->length += (size_t)vsnprintf(t->data + t->length, 512, format, arguments);
    va_end(arguments);
}

/* A chain of operations in the pretty form, as a tracer exports them. */
static void make_pretty(text *t)
{
    static const char *const form[] = {
        "    %%%d = stablehlo.add %%%s%d, %%arg1 : tensor<8x16xf32>\n",
        "    %%%d = stablehlo.tanh %%%s%d : tensor<8x16xf32>\n",
        "    %%%d = stablehlo.reverse %%%s%d, dims = [1] : tensor<8x16xf32>\n",
        "    %%%d = stablehlo.reshape %%%s%d : (tensor<8x16xf32>) -> tensor<8x16xf32>\n"};

    add(t, "module @chain {\n  func.func public @main(%%arg0: tensor<8x16xf32>, %%arg1: "
           "tensor<8x16xf32>) -> tensor<8x16xf32> {\n");
    for (int i = 0; i < OPERATIONS; i++) {
        reserve(t, 512);
        /* NOLINTNEXTLINE: the forms are those above */
        t->length += (size_t)snprintf(t->data + t->length, 512, form[i % 4], i, i ? "" : "arg",
                                      i ? i - 1 : 0);
    }
    add(t, "    return %%%d : tensor<8x16xf32>\n  }\n}\n", OPERATIONS - 1);
}

/* The same in the generic form, with a place each. */
static void make_generic(text *t)
{
    add(t, "module @chain {\n  func.func public @main(%%arg0: tensor<8x16xf32>, %%arg1: "
           "tensor<8x16xf32>) -> tensor<8x16xf32> {\n");
    for (int i = 0; i < OPERATIONS; i++)
        add(t,
            "    %%%d = \"stablehlo.add\"(%%%s%d, %%arg1) : (tensor<8x16xf32>, "
            "tensor<8x16xf32>) -> tensor<8x16xf32> loc(#loc%d)\n",
            i, i ? "" : "arg", i ? i - 1 : 0, i % 1000);
    add(t, "    return %%%d : tensor<8x16xf32>\n  }\n}\n", OPERATIONS - 1);
    for (int i = 0; i < 1000; i++)
        add(t, "#loc%d = loc(\"jit(f)/layer/add\"(\"model.py\":%d:12))\n", i, i);
}

/* Operations with a body each. */
static void make_bodies(text *t)
{
    add(t, "module @bodies {\n  func.func public @main(%%arg0: tensor<i1>, %%arg1: tensor<f32>) -> "
           "tensor<f32> {\n");
    for (int i = 0; i < OPERATIONS / 4; i++)
        add(t,
            "    %%%d = \"stablehlo.if\"(%%arg0) ({\n"
            "      %%a = stablehlo.sine %%%s%d : tensor<f32>\n"
            "      stablehlo.return %%a : tensor<f32>\n"
            "    }, {\n"
            "      %%a = stablehlo.cosine %%%s%d : tensor<f32>\n"
            "      stablehlo.return %%a : tensor<f32>\n"
            "    }) : (tensor<i1>) -> tensor<f32>\n",
            i, i ? "" : "arg", i ? i - 1 : 1, i ? "" : "arg", i ? i - 1 : 1);
    add(t, "    return %%%d : tensor<f32>\n  }\n}\n", OPERATIONS / 4 - 1);
}

/* One constant of ELEMENTS f32, as hexadecimal digits. */
static void make_hexadecimal(text *t)
{
    static const char digit[] = "0123456789ABCDEF";
    size_t count = (size_t)ELEMENTS * 8;
    uint32_t state = 1;

    add(t, "func.func @main() -> tensor<%dxf32> {\n  %%0 = stablehlo.constant dense<\"0x",
        ELEMENTS);
    reserve(t, count);
    for (size_t i = 0; i < count; i++) {
        state = state * 1664525u + 1013904223u;
        t->data[t->length++] = digit[state >> 28];
    }
    add(t, "\"> : tensor<%dxf32>\n  return %%0 : tensor<%dxf32>\n}\n", ELEMENTS, ELEMENTS);
}

/* One constant as a list of decimal numbers. */
static void make_decimal(text *t)
{
    enum { COUNT = ELEMENTS / 8 };
    uint32_t state = 1;

    add(t, "func.func @main() -> tensor<%dxf32> {\n  %%0 = stablehlo.constant dense<[", COUNT);
    for (int i = 0; i < COUNT; i++) {
        state = state * 1664525u + 1013904223u;
        add(t, "%s%.8e", i ? ", " : "", (double)(int32_t)state / 65536.0 + 0.5 / 65536.0);
    }
    add(t, "]> : tensor<%dxf32>\n  return %%0 : tensor<%dxf32>\n}\n", COUNT, COUNT);
}

static bool load(text *t, const char *path)
{
    FILE *f = fopen(path, "rb");
    size_t got;

    if (!f) {
        fprintf(stderr, "bench_parse: %s cannot be opened\n", path);
        return false;
    }
    do {
        reserve(t, 1 << 16);
        got = fread(t->data + t->length, 1, 1 << 16, f);
        t->length += got;
    } while (got > 0);
    fclose(f);
    return true;
}

/* ---- Measuring. */

/* Seconds, or a negative number after an error. *operations: those of all functions. */
static double run_once(const char *name, const ct_stablehlo_part *part, size_t *operations)
{
    ct_context *ctx = ct_context_new();
    double t0 = now();
    ct_module *m = ct_read_stablehlo_lines(ctx, name, part->text, part->length, part->line);
    double seconds = now() - t0;

    for (size_t i = 0; i < ct_module_functions(m); i++)
        *operations += ct_function_operations(ct_module_function(m, ct_module_function_name(m, i)));
    if (ct_failed(ctx)) {
        fprintf(stderr, "%s\n", ct_error_message(ctx));
        seconds = -1;
    }
    ct_context_free(ctx);
    return seconds;
}

/* All parts of the text, RUNS times. */
static bool bench(const char *name, const text *t)
{
    double seconds[RUNS] = {0};
    size_t operations = 0;

    for (size_t i = 0; i < RUNS; i++) {
        ct_stablehlo_part part = {0};
        operations = 0;
        while (ct_stablehlo_next_part(t->data, t->length, &part)) {
            double s = run_once(name, &part, &operations);
            if (s < 0)
                return false;
            seconds[i] += s;
        }
    }
    qsort(seconds, RUNS, sizeof *seconds, by_value);
    double median = seconds[RUNS / 2];
    printf("%-24s %9.2f MB %8zu %9.2f (%.2f … %.2f) %8.2f %9.0f\n", name, (double)t->length / 1e6,
           operations, median * 1e3, seconds[0] * 1e3, seconds[RUNS - 1] * 1e3,
           operations ? median / (double)operations * 1e6 : 0, (double)t->length / 1e6 / median);
    return true;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*make)(text *t);
    } made[] = {{"pretty", make_pretty},
                {"generic, with places", make_generic},
                {"bodies", make_bodies},
                {"hexadecimal constant", make_hexadecimal},
                {"decimal constant", make_decimal}};
    bool fine = true;

    printf("question: how long does it take to read a program's text?\n");
    print_machine();
    printf("ms of %d runs: median (least … most); µs per operation; MB of text per second\n\n",
           (int)RUNS);
    printf("%-24s %12s %8s %9s %18s %8s\n", "text", "size", "operations", "ms", "µs", "MB/s");
    for (size_t i = 0; i < sizeof made / sizeof *made; i++) {
        text t = {0};
        made[i].make(&t);
        fine = bench(made[i].name, &t) && fine;
        free(t.data);
    }
    for (int i = 1; i < argc; i++) {
        text t = {0};
        fine = load(&t, argv[i]) && bench(argv[i], &t) && fine;
        free(t.data);
    }
    return fine ? 0 : 1;
}
