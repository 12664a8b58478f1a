/* How long do programs of many operations take before they run?
 *
 * bench_trace [LARGEST [PROGRAM]]: programs of at most LARGEST operations; 100000 unless told. Of
 * one program alone when it is named. */
#include "bench.h"

#include <cotangent/ad.h>
#include <cotangent/context.h>
#include <cotangent/control.h>
#include <cotangent/exec.h>
#include <cotangent/op.h>
#include <cotangent/rewrite.h>
#include <cotangent/tensor.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { RUNS = 5, EXTENT = 4 };

/* ---- Programs. Each takes f32 parameters and gives an f32 scalar; user points to the number n of
 * operations. */

static size_t count_of(void *user)
{
    return *(size_t *)user;
}

static ct_tensor *total(ct_tensor *x)
{
    return ct_op_reduce_add(x, CT_DIMS(0));
}

/* tanh(tanh(… x)) */
static void chain(void *user, ct_list p, ct_tensor **r)
{
    ct_tensor *x = p.item[0];

    for (size_t i = 0; i < count_of(user); i++)
        x = ct_op_tanh(x);
    r[0] = total(x);
}

/* maximum(… maximum(x, y) …, y): derivatives that look at ties take many operations each. */
static void maxima(void *user, ct_list p, ct_tensor **r)
{
    ct_tensor *x = p.item[0];

    for (size_t i = 0; i < count_of(user); i++)
        x = ct_op_maximum(x, p.item[1]);
    r[0] = total(x);
}

/* Factors that are copies of copies of a value: x, flipped again and again, and a product each. */
static void flips(void *user, ct_list p, ct_tensor **r)
{
    ct_tensor *flipped = p.item[0], *product = p.item[0];

    for (size_t i = 0; i < count_of(user) / 2; i++) {
        flipped = ct_op_reverse(flipped, CT_DIMS(0));
        product = ct_op_multiply(product, flipped);
    }
    r[0] = total(product);
}

/* Many readers of one value, whose results live until they are added, last made first. */
static void fan_out(void *user, ct_list p, ct_tensor **r)
{
    size_t n = count_of(user) / 2;
    ct_tensor **part = malloc((n + 1) * sizeof *part), *sum = p.item[0];

    for (size_t i = 0; part && i < n; i++)
        part[i] = ct_op_sine(p.item[0]);
    for (size_t i = n; part && i-- > 0;)
        sum = ct_op_add(sum, part[i]);
    free(part);
    r[0] = total(sum);
}

/* Lives of growing sizes that end in another order than they began: gaps of many sizes. */
static void fragments(void *user, ct_list p, ct_tensor **r)
{
    size_t n = count_of(user) / 3;
    ct_tensor **part = malloc((n + 1) * sizeof *part), *sum = total(p.item[0]);

    for (size_t i = 0; part && i < n; i++)
        part[i] = ct_op_broadcast_in_dim(sum, CT_SHAPE((int64_t)(16 * (1 + i * 37 % 101))),
                                         CT_DIMS());
    for (size_t i = 0; part && i < n; i += 2) /* every other one ends: no two gaps touch */
        sum = ct_op_add(sum, total(part[i]));
    for (size_t i = 1; part && i < n; i += 2)
        sum = ct_op_add(sum, total(part[i]));
    free(part);
    r[0] = sum;
}

/* A conditional whose branches use every parameter. */
static ct_tensor *sum_forward(void *user)
{
    const ct_list *p = user;
    ct_tensor *sum = p->item[0];

    for (size_t i = 1; i < p->count; i++)
        sum = ct_op_add(sum, p->item[i]);
    return sum;
}

static ct_tensor *sum_backward(void *user)
{
    const ct_list *p = user;
    ct_tensor *sum = p->item[p->count - 1];

    for (size_t i = p->count - 1; i-- > 0;)
        sum = ct_op_add(sum, p->item[i]);
    return sum;
}

static void captures(void *user, ct_list p, ct_tensor **r)
{
    ct_tensor *first = total(p.item[0]);
    ct_tensor *pred = ct_op_compare(first, first, CT_EQ, CT_COMPARE_DEFAULT);

    (void)user;
    r[0] = total(ct_if(pred, sum_forward, sum_backward, &p));
}

/* Many equal and many unlike readers of few values: a wide graph with sharing. */
static void shared(void *user, ct_list p, ct_tensor **r)
{
    enum { WIDTH = 64 };
    ct_tensor *layer[WIDTH];
    size_t n = count_of(user) / WIDTH;

    for (size_t i = 0; i < WIDTH; i++)
        layer[i] = i ? ct_op_tanh(layer[i - 1]) : p.item[0];
    for (size_t k = 0; k + 2 < n; k++)
        for (size_t i = 0; i < WIDTH; i++)
            layer[i] = i % 3 ? ct_op_multiply(layer[i], layer[(i * 7 + k) % WIDTH])
                             : ct_op_add(layer[(i + 1) % WIDTH], layer[(i + k) % WIDTH]);
    for (size_t i = 1; i < WIDTH; i++)
        layer[0] = ct_op_add(layer[0], layer[i]);
    r[0] = total(layer[0]);
}

/* A product with every parameter. */
static void parameters(void *user, ct_list p, ct_tensor **r)
{
    ct_tensor *x = p.item[0];

    (void)user;
    for (size_t i = 1; i < p.count; i++)
        x = ct_op_tanh(ct_op_multiply(x, p.item[i]));
    r[0] = total(x);
}

/* Functions that call one another, one in the other. */
static ct_tensor *level(void *user, ct_tensor *x)
{
    size_t deeper = count_of(user) - 1;

    if (deeper == 0)
        return ct_op_tanh(x);
    ct_function *f = ct_trace_user(ct_context_of(x), level, &deeper, CT_LIKE(x));
    return ct_op_multiply(ct_op_sine(x), ct_apply1(f, CT_ARGV(ct_op_tanh(x))));
}

static void nested(void *user, ct_list p, ct_tensor **r)
{
    size_t levels = count_of(user) / 4;

    r[0] = total(level(&levels, p.item[0]));
}

/* Conditionals, one after the other. */
static ct_tensor *then(void *user)
{
    return ct_op_multiply(ct_op_tanh(user), user);
}

static ct_tensor *otherwise(void *user)
{
    return ct_op_sine(user);
}

static void choices(void *user, ct_list p, ct_tensor **r)
{
    ct_tensor *x = p.item[0], *first = total(x);
    ct_tensor *pred = ct_op_compare(first, first, CT_EQ, CT_COMPARE_DEFAULT);

    for (size_t i = 0; i < count_of(user) / 4; i++)
        x = ct_if(pred, then, otherwise, x);
    r[0] = total(x);
}

/* ---- Measuring. */

typedef struct row {
    const char *what;
    ct_many_function *body;
    size_t n_operations, n_params;
} row;

typedef struct sample {
    double trace[RUNS], grad[RUNS], simplify[RUNS], compile[RUNS];
} sample;

static bool run_once(const row *b, sample *s, size_t i)
{
    ct_context *ctx = ct_context_new();
    ct_tensor **spec = malloc(b->n_params * sizeof *spec);
    size_t n = b->n_operations;

    for (size_t k = 0; spec && k < b->n_params; k++)
        spec[k] = ct_spec(ctx, CT_F32, CT_SHAPE(EXTENT));
    double t0 = processor_now();
    ct_function *f = ct_trace_many(ctx, b->body, &n, 1, ((ct_list){b->n_params, spec}));
    double t1 = processor_now();
    ct_function *g = ct_value_and_grad(f, CT_ALL_ARGS);
    double t2 = processor_now();
    ct_function *h = ct_simplify(g);
    double t3 = processor_now();
    ct_compile(h, NULL);
    double t4 = processor_now();
    s->trace[i] = t1 - t0;
    s->grad[i] = t2 - t1;
    s->simplify[i] = t3 - t2;
    s->compile[i] = t4 - t3;
    bool fine = spec && !ct_failed(ctx);
    if (!fine)
        fprintf(stderr, "%s: %s\n", b->what, ct_error_message(ctx));
    free(spec);
    ct_context_free(ctx);
    return fine;
}

static void print_column(double *seconds, size_t n)
{
    char spread[32];

    qsort(seconds, RUNS, sizeof *seconds, by_value);
    snprintf(spread, sizeof spread, "(%.2f … %.2f)", seconds[0] / (double)n * 1e6,
             seconds[RUNS - 1] / (double)n * 1e6);
    printf(" %8.2f %-19s", seconds[RUNS / 2] / (double)n * 1e6, spread);
}

/* The seconds of trace, grad and simplify together, and how much longer per operation than the row
 * before, of the same program and fewer operations: n log n gives 1.25 from 10000 to 100000. */
static double last_seconds;
static const row *last;

static void print_sum(const row *b, const sample *s)
{
    double seconds = s->trace[RUNS / 2] + s->grad[RUNS / 2] + s->simplify[RUNS / 2];

    printf(" %9.4f", seconds);
    if (last && last->body == b->body)
        printf(" %6.2f",
               seconds / (double)b->n_operations * (double)last->n_operations / last_seconds);
    last = b;
    last_seconds = seconds;
}

static bool bench(const row *b)
{
    sample s;

    for (size_t i = 0; i < RUNS; i++)
        if (!run_once(b, &s, i))
            return false;
    printf("%-10s %7zu", b->what, b->n_operations);
    print_column(s.trace, b->n_operations);
    print_column(s.grad, b->n_operations);
    print_column(s.simplify, b->n_operations);
    print_column(s.compile, b->n_operations);
    print_sum(b, &s);
    printf("\n");
    fflush(stdout);
    return true;
}

int main(int argc, char **argv)
{
    static const row rows[] = {{"chain", chain, 100, 1},
                               {"chain", chain, 1000, 1},
                               {"chain", chain, 10000, 1},
                               {"chain", chain, 100000, 1},
                               {"maxima", maxima, 1000, 2},
                               {"maxima", maxima, 10000, 2},
                               {"maxima", maxima, 100000, 2},
                               {"flips", flips, 1000, 1},
                               {"flips", flips, 10000, 1},
                               {"flips", flips, 100000, 1},
                               {"fan-out", fan_out, 1000, 1},
                               {"fan-out", fan_out, 10000, 1},
                               {"fan-out", fan_out, 100000, 1},
                               {"fragments", fragments, 1000, 1},
                               {"fragments", fragments, 10000, 1},
                               {"fragments", fragments, 100000, 1},
                               {"captures", captures, 1000, 1000},
                               {"captures", captures, 10000, 10000},
                               {"shared", shared, 1000, 1},
                               {"shared", shared, 10000, 1},
                               {"shared", shared, 100000, 1},
                               {"parameters", parameters, 2000, 1000},
                               {"parameters", parameters, 20000, 10000},
                               {"nested", nested, 400, 1},
                               {"nested", nested, 1600, 1},
                               {"nested", nested, 3600, 1},
                               {"choices", choices, 1000, 1},
                               {"choices", choices, 10000, 1}};
    size_t largest = argc > 1 ? (size_t)strtoull(argv[1], NULL, 10) : 100000;
    const char *only = argc > 2 ? argv[2] : NULL;
    bool fine = true;

    printf("question: how long do trace, value_and_grad, simplify and compile take per operation "
           "of the program?\n");
    print_machine();
    printf("unit: microseconds of processor time per operation of the traced function, median "
           "(fastest … slowest) of "
           "%d runs\n",
           RUNS);
    printf("sum: seconds of the first three; growth: of their time per operation, from the row "
           "before\n");
    printf("%-10s %7s %8s %-19s %8s %-19s %8s %-19s %8s %-19s %9s %6s\n", "program", "size",
           "trace", "", "grad", "", "simplify", "", "compile", "", "sum", "growth");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].n_operations <= largest && (!only || strcmp(rows[i].what, only) == 0))
            fine = bench(&rows[i]) && fine;
    return fine ? 0 : 1;
}
