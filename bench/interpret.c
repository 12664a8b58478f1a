/* How fast is the interpreter, which defines what programs mean? */
#include "bench.h"

#include <cotangent/context.h>
#include <cotangent/exec.h>
#include <cotangent/op.h>
#include <cotangent/tensor.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { RUNS = 15 };

/* ---- Programs. */

static void add(void *user, ct_list p, ct_tensor **r)
{
    (void)user;
    r[0] = ct_op_add(p.item[0], p.item[1]);
}

static void add_column(void *user, ct_list p, ct_tensor **r)
{
    (void)user;
    r[0] = ct_op_reduce_add(p.item[0], CT_DIMS(0));
}

static void add_row(void *user, ct_list p, ct_tensor **r)
{
    (void)user;
    r[0] = ct_op_reduce_add(p.item[0], CT_DIMS(1));
}

static void product(void *user, ct_list p, ct_tensor **r)
{
    (void)user;
    r[0] = ct_op_dot_general(
        p.item[0], p.item[1],
        &(ct_dot_dims){.lhs_contracting = CT_DIMS(1), .rhs_contracting = CT_DIMS(0)});
}

static void product_transposed(void *user, ct_list p, ct_tensor **r)
{
    (void)user;
    r[0] = ct_op_dot_general(
        p.item[0], p.item[1],
        &(ct_dot_dims){.lhs_contracting = CT_DIMS(1), .rhs_contracting = CT_DIMS(1)});
}

static void transpose(void *user, ct_list p, ct_tensor **r)
{
    (void)user;
    r[0] = ct_op_transpose(p.item[0], CT_DIMS(1, 0));
}

static void exponential(void *user, ct_list p, ct_tensor **r)
{
    (void)user;
    r[0] = ct_op_exponential(p.item[0]);
}

typedef struct row {
    const char *what, *unit;
    ct_many_function *body;
    int64_t x[2], y[2]; /* shapes; y[0] = 0: one operand */
    double per_run;     /* how many of the unit a run does */
} row;

/* ---- Measuring: instances on bound buffers, so that nothing but the interpreter is timed. */

static float *make_buffer(size_t count)
{
    float *data = malloc((count + 1) * sizeof *data);

    for (size_t i = 0; data && i < count; i++)
        data[i] = (float)(i * 37 % 101) / 101 - 0.5f;
    return data;
}

static bool measure(ct_instance *run, double *rate, double per_run)
{
    for (int i = -1; i < RUNS; i++) { /* one run to warm up */
        double start = now();
        if (ct_run(run) != CT_OK)
            return false;
        if (i >= 0)
            rate[i] = per_run / (now() - start);
    }
    qsort(rate, RUNS, sizeof *rate, by_value);
    return true;
}

static bool bench(ct_context *ctx, const row *b)
{
    ct_tensor *example[2] = {ct_spec(ctx, CT_F32, (ct_shape){2, b->x}),
                             ct_spec(ctx, CT_F32, (ct_shape){2, b->y})};
    size_t n = b->y[0] > 0 ? 2 : 1, out_bytes;
    ct_list examples = {n, example};
    ct_function *f = ct_trace_many(ctx, b->body, NULL, 1, examples);
    ct_instance *run = ct_instance_new(ct_compile(f, NULL));
    ct_shape shape = ct_type_shape(ct_result_type(f, 0));
    size_t x_count = (size_t)(b->x[0] * b->x[1]), y_count = (size_t)(b->y[0] * b->y[1]), out = 1;
    float *x = make_buffer(x_count), *y = make_buffer(y_count), *z;
    double rate[RUNS];

    for (size_t d = 0; d < shape.count; d++)
        out *= (size_t)shape.dim[d];
    z = make_buffer(out);
    out_bytes = out * sizeof *z;
    bool fine = x && y && z && ct_bind_input(run, 0, x, x_count * sizeof *x) == CT_OK &&
                (n == 1 || ct_bind_input(run, 1, y, y_count * sizeof *y) == CT_OK) &&
                ct_bind_output(run, 0, z, out_bytes) == CT_OK && measure(run, rate, b->per_run);
    if (fine)
        printf("%-52s %8.0f %-22s %5.0f … %.0f\n", b->what, rate[RUNS / 2] / 1e6, b->unit,
               rate[0] / 1e6, rate[RUNS - 1] / 1e6);
    else
        fprintf(stderr, "%s: %s %s\n", b->what, ct_error_message(ctx), ct_instance_error(run));
    ct_instance_free(run);
    free(x);
    free(y);
    free(z);
    return fine;
}

int main(void)
{
    static const row rows[] = {
        {"add [1024,1024] + [1024,1024]",
         "M additions/s",
         add,
         {1024, 1024},
         {1024, 1024},
         1 << 20},
        {"add [64,64] + [64,64]", "M additions/s", add, {64, 64}, {64, 64}, 1 << 12},
        {"reduce add [1024,1024], axis 0",
         "M additions/s",
         add_column,
         {1024, 1024},
         {0, 0},
         1 << 20},
        {"reduce add [1024,1024], axis 1", "M additions/s", add_row, {1024, 1024}, {0, 0}, 1 << 20},
        {"dot [512,512] x [512,512]",
         "M multiply-adds/s",
         product,
         {512, 512},
         {512, 512},
         1 << 27},
        {"dot [512,512] x [512,512] transposed",
         "M multiply-adds/s",
         product_transposed,
         {512, 512},
         {512, 512},
         1 << 27},
        {"dot [64,784] x [784,10]",
         "M multiply-adds/s",
         product,
         {64, 784},
         {784, 10},
         64 * 784 * 10},
        {"dot [1024,1024] x [1024,1]",
         "M multiply-adds/s",
         product,
         {1024, 1024},
         {1024, 1},
         1 << 20},
        {"transpose [4096,1024]", "M elements/s", transpose, {4096, 1024}, {0, 0}, 1 << 22},
        {"exponential [512,512]", "M elements/s", exponential, {512, 512}, {0, 0}, 1 << 18}};
    ct_context *ctx = ct_context_new();
    bool fine = true;

    printf(
        "question: how many f32 operations a second does the interpreter do, in reference numerics,"
        " on one thread?\n");
    print_machine();
    printf("%-52s %8s %-22s %s\n", "program", "median", "unit", "slowest … fastest of 15 runs");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        fine = bench(ctx, &rows[i]) && fine;
    ct_context_free(ctx);
    return fine ? 0 : 1;
}
