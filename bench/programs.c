/* How fast are whole programs, values and gradients, in each executor? The programs, their names
 * and their sizes are those of the peers' measurements. */
#include "bench.h"

#include <cotangent/cotangent.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Programs. */

typedef ct_tensor *program(const ct_list *p);

static ct_tensor *total(ct_tensor *x)
{
    return ct_sum(x, CT_ALL_AXES, CT_DROP_AXES);
}

static ct_tensor *chain(const ct_list *p)
{
    ct_tensor *x = p->item[0];
    return ct_add(ct_mul(ct_tanh(ct_mul(x, 0.5)), ct_exp(ct_neg(ct_mul(x, x)))),
                  ct_mul(ct_sqrt(ct_add(ct_mul(x, x), 1.0)), ct_sigmoid(x)));
}

static ct_tensor *chain_total(const ct_list *p)
{
    return total(chain(p));
}

static ct_tensor *cheap(const ct_list *p)
{
    ct_tensor *x = p->item[0], *y = p->item[1];
    return ct_add(ct_mul(ct_sub(ct_add(ct_mul(x, y), ct_mul(x, 2.0)), y), 0.5), ct_mul(x, x));
}

static ct_tensor *softmax(const ct_list *p)
{
    return ct_softmax(p->item[0], CT_AXES(-1));
}

static ct_tensor *layernorm(const ct_list *p)
{
    ct_tensor *x = p->item[0], *m = ct_mean(x, CT_AXES(-1), CT_KEEP_AXES), *d = ct_sub(x, m);
    ct_tensor *v = ct_mean(ct_square(d), CT_AXES(-1), CT_KEEP_AXES);
    return ct_add(ct_mul(ct_mul(d, ct_rsqrt(ct_add(v, 1e-5))), p->item[1]), p->item[2]);
}

static ct_tensor *logsumexp(const ct_list *p)
{
    return ct_logsumexp(p->item[0], CT_ALL_AXES, CT_DROP_AXES);
}

static ct_tensor *sum_0(const ct_list *p)
{
    return ct_sum(p->item[0], CT_AXES(0), CT_DROP_AXES);
}

static ct_tensor *sum_1(const ct_list *p)
{
    return ct_sum(p->item[0], CT_AXES(1), CT_DROP_AXES);
}

static ct_tensor *max_0(const ct_list *p)
{
    return ct_max(p->item[0], CT_AXES(0), CT_DROP_AXES);
}

static ct_tensor *transpose(const ct_list *p)
{
    return ct_transpose(p->item[0], CT_AXES(1, 0));
}

static ct_tensor *permute_021(const ct_list *p)
{
    return ct_transpose(p->item[0], CT_AXES(0, 2, 1));
}

static ct_tensor *permute_120(const ct_list *p)
{
    return ct_transpose(p->item[0], CT_AXES(1, 2, 0));
}

static ct_tensor *product(const ct_list *p)
{
    return ct_matmul(p->item[0], p->item[1]);
}

static ct_tensor *product_tanh(const ct_list *p)
{
    return total(ct_tanh(ct_matmul(p->item[0], p->item[1])));
}

static ct_tensor *layer(ct_tensor *x, ct_tensor *w, ct_tensor *b)
{
    return ct_add(ct_matmul(x, w), b);
}

/* w1, b1, w2, b2, w3, b3, x, one-hot labels */
static ct_tensor *mlp(const ct_list *p)
{
    ct_tensor *h = ct_relu(layer(p->item[6], p->item[0], p->item[1]));
    h = ct_relu(layer(h, p->item[2], p->item[3]));
    ct_tensor *z = layer(h, p->item[4], p->item[5]);
    ct_tensor *picked = ct_sum(ct_mul(z, p->item[7]), CT_AXES(1), CT_DROP_AXES);
    return ct_mean(ct_sub(ct_logsumexp(z, CT_AXES(1), CT_DROP_AXES), picked), CT_ALL_AXES,
                   CT_DROP_AXES);
}

static ct_tensor *rosenbrock(const ct_list *p)
{
    ct_tensor *x = p->item[0];
    int64_t n = ct_size(x);
    ct_tensor *head = ct_slice(x, CT_DIMS(0), CT_DIMS(n - 1), CT_DIMS(1)),
              *tail = ct_slice(x, CT_DIMS(1), CT_DIMS(n), CT_DIMS(1));
    return total(ct_add(ct_mul(ct_square(ct_sub(tail, ct_square(head))), 100.0),
                        ct_square(ct_sub(head, 1.0))));
}

static ct_tensor *sum_of_squares(const ct_list *p)
{
    return total(ct_mul(p->item[0], p->item[0]));
}

/* ---- Rows. */

typedef enum mode { VALUE, GRADIENT, VJP } mode;

enum { MOST_PARAMS = 8 };

typedef struct row {
    const char *name;
    mode mode;
    program *code;
    size_t n_wrt;                  /* arguments to derive by: the first ones */
    int64_t shape[MOST_PARAMS][3]; /* extents, up to the first 0 */
} row;

static const row rows[] = {
    {"chain_4M", VALUE, chain, 0, {{1 << 22}}},
    {"chain_4M", GRADIENT, chain_total, 1, {{1 << 22}}},
    {"cheap_4M", VALUE, cheap, 0, {{1 << 22}, {1 << 22}}},
    {"softmax_4096x1024", VALUE, softmax, 0, {{4096, 1024}}},
    {"softmax_4096x1024", VJP, softmax, 1, {{4096, 1024}}},
    {"layernorm_4096x1024", VALUE, layernorm, 0, {{4096, 1024}, {1024}, {1024}}},
    {"layernorm_4096x1024", VJP, layernorm, 3, {{4096, 1024}, {1024}, {1024}}},
    {"logsumexp_4M", VALUE, logsumexp, 0, {{1 << 22}}},
    {"logsumexp_4M", GRADIENT, logsumexp, 1, {{1 << 22}}},
    {"sum_axis0_2048", VALUE, sum_0, 0, {{2048, 2048}}},
    {"sum_axis1_2048", VALUE, sum_1, 0, {{2048, 2048}}},
    {"max_axis0_2048", VALUE, max_0, 0, {{2048, 2048}}},
    {"transpose_4096", VALUE, transpose, 0, {{4096, 4096}}},
    {"permute021_256", VALUE, permute_021, 0, {{256, 256, 256}}},
    {"permute120_256", VALUE, permute_120, 0, {{256, 256, 256}}},
    {"matmul_16", VALUE, product, 0, {{16, 16}, {16, 16}}},
    {"matmul_64", VALUE, product, 0, {{64, 64}, {64, 64}}},
    {"matmul_256", VALUE, product, 0, {{256, 256}, {256, 256}}},
    {"matmul_1024", VALUE, product, 0, {{1024, 1024}, {1024, 1024}}},
    {"matmul_512_tanh", GRADIENT, product_tanh, 2, {{512, 512}, {512, 512}}},
    {"bmm_4096x8x8", VALUE, product, 0, {{4096, 8, 8}, {4096, 8, 8}}},
    {"mlp_784_256_128_10_b128",
     GRADIENT,
     mlp,
     6,
     {{784, 256}, {256}, {256, 128}, {128}, {128, 10}, {10}, {128, 784}, {128, 10}}},
    {"mlp_64_32_10_b32",
     GRADIENT,
     mlp,
     6,
     {{64, 32}, {32}, {32, 32}, {32}, {32, 10}, {10}, {32, 64}, {32, 10}}},
    {"rosenbrock_1M", GRADIENT, rosenbrock, 1, {{1000000}}},
    {"call_sumsq_4", VALUE, sum_of_squares, 0, {{4}}},
    {"call_sumsq_4", GRADIENT, sum_of_squares, 1, {{4}}},
};

static size_t rank_of(const int64_t *dim)
{
    size_t rank = 0;
    while (rank < 3 && dim[rank] > 0)
        rank++;
    return rank;
}

static void run_program(void *user, ct_list p, ct_tensor **r)
{
    const row *b = user;
    r[0] = b->code(&p);
}

/* The function of the row, and its arguments. */
static ct_function *make(ct_context *ctx, const row *b, ct_tensor **argument, size_t *count)
{
    static const int64_t wrt[MOST_PARAMS] = {0, 1, 2, 3, 4, 5, 6, 7};
    *count = 0;
    for (size_t i = 0; i < MOST_PARAMS && b->shape[i][0] > 0; i++)
        argument[(*count)++] = ct_random_normal(ctx, ct_key_new(i), CT_F32,
                                                (ct_shape){rank_of(b->shape[i]), b->shape[i]});
    ct_function *f = ct_trace_many(ctx, run_program, (void *)(uintptr_t)b, 1,
                                   CT_LIST(*count, argument));
    ct_args by = {false, b->n_wrt, wrt};
    if (b->mode == GRADIENT)
        return ct_value_and_grad(f, by);
    if (b->mode != VJP)
        return f;
    const ct_type *type = ct_result_type(f, 0);
    argument[*count] = ct_random_normal(ctx, ct_key_new(99), CT_F32, ct_type_shape(type));
    ++*count;
    return ct_vjp(f, by);
}

/* ---- Measuring: the smallest and the median of runs that take a second together, or 5. */

enum { MOST_RUNS = 20000 };

static bool measure(ct_instance *run, double seconds, double *least, double *median)
{
    static double time[MOST_RUNS];
    size_t n = 0;
    bool fine = ct_run(run) == CT_OK && ct_run(run) == CT_OK;
    for (double end = now() + seconds; fine && n < MOST_RUNS && (n < 5 || now() < end); n++) {
        time[n] = now();
        fine = ct_run(run) == CT_OK;
        time[n] = now() - time[n];
    }
    qsort(time, n, sizeof *time, by_value);
    *least = fine ? time[0] : 0;
    *median = fine ? time[n / 2] : 0;
    return fine;
}

static size_t bytes_of(const ct_type *type)
{
    size_t bytes = ct_dtype_bytes(ct_type_dtype(type));
    ct_shape shape = ct_type_shape(type);
    for (size_t d = 0; d < shape.count; d++)
        bytes *= (size_t)shape.dim[d];
    return bytes;
}

static bool bind(ct_instance *run, ct_function *f, size_t count, ct_tensor **argument,
                 void **result, size_t n_results)
{
    bool fine = true;
    for (size_t i = 0; i < count; i++)
        fine = fine && ct_bind_input(run, i, ct_data(argument[i]),
                                     bytes_of(ct_parameter_type(f, i))) == CT_OK;
    for (size_t i = 0; i < n_results; i++) {
        size_t bytes = bytes_of(ct_result_type(f, i));
        result[i] = malloc(bytes);
        fine = fine && result[i] && ct_bind_output(run, i, result[i], bytes) == CT_OK;
    }
    return fine;
}

static const struct {
    const char *name;
    ct_executor executor;
} ways[] = {{"interpret", CT_EXECUTOR_INTERPRETER},
            {"machine", CT_EXECUTOR_MACHINE},
            {"cpu", CT_EXECUTOR_CPU}};

static bool bench(const row *b, size_t way, double seconds)
{
    static const char *const modes[] = {"value", "grad", "vjp"};
    ct_context *ctx = ct_context_new();
    ct_tensor *argument[MOST_PARAMS + 1];
    void *result[MOST_PARAMS + 1] = {NULL};
    size_t count;
    double least, median, began;
    ct_function *f = make(ctx, b, argument, &count);
    ct_compile_options options = {.size = sizeof options, .executor = ways[way].executor};
    began = now();
    ct_executable *executable = ct_compile(f, &options);
    double ready = now() - began;
    ct_instance *run = ct_instance_new(executable);
    bool fine = !ct_failed(ctx) && bind(run, f, count, argument, result, ct_function_results(f)) &&
                measure(run, seconds, &least, &median);
    if (fine)
        printf("%-28s %-9s %-6s median %10.4f ms  min %10.4f ms  ready %8.3f ms\n", b->name,
               ways[way].name, modes[b->mode], 1e3 * median, 1e3 * least, 1e3 * ready);
    else
        fprintf(stderr, "%s: %s %s\n", b->name, ct_error_message(ctx), ct_instance_error(run));
    fflush(stdout);
    ct_instance_free(run);
    for (size_t i = 0; i < sizeof result / sizeof *result; i++)
        free(result[i]);
    ct_context_free(ctx);
    return fine;
}

/* programs [EXECUTOR|all [PART OF A NAME [SECONDS PER ROW]]] */
int main(int argc, char **argv)
{
    const char *way = argc > 1 ? argv[1] : "all", *part = argc > 2 ? argv[2] : "";
    const double seconds = argc > 3 ? atof(argv[3]) : 1;
    bool fine = true;
    printf("question: how long does one run of a program take, bound to its buffers, on one "
           "thread?\n");
    print_machine();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (size_t k = 0; k < sizeof ways / sizeof *ways; k++)
            if (strstr(rows[i].name, part) &&
                (strcmp(way, "all") == 0 || strcmp(way, ways[k].name) == 0))
                fine = bench(&rows[i], k, seconds) && fine;
    return fine ? 0 : 1;
}
