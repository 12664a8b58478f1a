/* Are gradients of loops linear in time, and how much memory do they take?
 *
 * bench_loops [LARGEST]: loops of at most LARGEST iterations; 10000 unless told. */
#include "bench.h"

#include <cotangent/ad.h>
#include <cotangent/context.h>
#include <cotangent/control.h>
#include <cotangent/elementwise.h>
#include <cotangent/exec.h>
#include <cotangent/index.h>
#include <cotangent/op.h>
#include <cotangent/reduce.h>
#include <cotangent/remat.h>
#include <cotangent/residuals.h>
#include <cotangent/shape.h>
#include <cotangent/tensor.h>

#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { RUNS = 3, EXTENT = 16 };

/* ---- Memory: an allocator that counts, the size before each block. */

typedef struct counter {
    size_t now, most;
} counter;

enum { HEAD = 64 }; /* keeps the alignment of aligned_alloc */

static void *count_alloc(void *user, size_t bytes, size_t alignment)
{
    counter *c = user;
    char *block = alignment > HEAD || bytes > SIZE_MAX - 2 * HEAD
                      ? NULL
                      : aligned_alloc(HEAD, (bytes + 2 * HEAD - 1) / HEAD * HEAD);

    if (!block)
        return NULL;
    c->now += bytes;
    if (c->now > c->most)
        c->most = c->now;
    return block + HEAD;
}

static void count_free(void *user, void *memory, size_t bytes)
{
    counter *c = user;

    c->now -= bytes;
    free((char *)memory - HEAD);
}

/* ---- Programs: x' = tanh(x k), so many times, and the sum of what comes out. */

static ct_tensor *total(ct_tensor *x)
{
    return ct_sum(x, CT_ALL_AXES, CT_DROP_AXES);
}

static void scan_step(void *user, ct_tensor **carry, ct_tensor *const *x, ct_tensor **y)
{
    (void)x, (void)y;
    carry[0] = ct_tanh(ct_mul(carry[0], (ct_tensor *)user));
}

static void row_step(void *user, ct_tensor **carry, ct_tensor *const *x, ct_tensor **y)
{
    (void)user, (void)y;
    carry[0] = ct_tanh(ct_mul(carry[0], x[0]));
}

static void for_step(void *user, ct_tensor *i, ct_tensor **carry)
{
    (void)i;
    scan_step(user, carry, NULL, NULL);
}

static ct_tensor *goes_on(void *user, ct_tensor *const *carry)
{
    (void)user;
    return ct_gt(carry[1], 0);
}

static void while_step(void *user, ct_tensor **carry)
{
    scan_step(user, carry, NULL, NULL);
    carry[1] = ct_sub(carry[1], 1);
}

/* All take x, k and the count n, which a scan knows already: user points to it. */
static void scanned(void *user, ct_list p, ct_tensor **r)
{
    r[0] = p.item[0];
    ct_scan(scan_step, p.item[1], .length = *(int64_t *)user, .n_carry = 1, .carry = r);
    r[0] = total(r[0]);
}

/* k is a row for each iteration. */
static void scanned_rows(void *user, ct_list p, ct_tensor **r)
{
    r[0] = p.item[0];
    ct_scan(row_step, NULL, .length = *(int64_t *)user, .n_carry = 1, .carry = r,
            .xs = CT_ARGV(p.item[1]));
    r[0] = total(r[0]);
}

static void counted(void *user, ct_list p, ct_tensor **r)
{
    (void)user;
    r[0] = p.item[0];
    ct_for(for_step, p.item[1], p.item[2], 1, r);
    r[0] = total(r[0]);
}

static void decided(void *user, ct_list p, ct_tensor **r)
{
    ct_tensor *carry[] = {p.item[0], p.item[2]};

    (void)user;
    ct_while(goes_on, while_step, p.item[1], 2, carry);
    r[0] = total(carry[0]);
}

/* k has an element for each iteration, which is found by an index that is computed: from behind. */
static ct_tensor *place(ct_tensor *k, ct_tensor *i)
{
    return ct_sub(ct_dim(k, 0) - 1, i);
}

static void slice_step(void *user, ct_tensor *i, ct_tensor **carry)
{
    ct_tensor *k = user;
    scan_step(ct_dynamic_slice(k, CT_ARGV(place(k, i)), CT_SHAPE(1), CT_CLAMP), carry, NULL, NULL);
}

static void take_step(void *user, ct_tensor *i, ct_tensor **carry)
{
    ct_tensor *k = user;
    scan_step(ct_take(k, place(k, i), 0, CT_CLAMP), carry, NULL, NULL);
}

/* carry[1] begins as k; each iteration changes an element of it. */
static void put_step(void *user, ct_tensor *i, ct_tensor **carry)
{
    ct_list start = CT_ARGV(place(carry[1], i));
    ct_tensor *k = ct_dynamic_slice(carry[1], start, CT_SHAPE(1), CT_CLAMP);

    (void)user;
    scan_step(k, carry, NULL, NULL);
    carry[1] = ct_dynamic_update_slice(carry[1], ct_mul(ct_square(k), 0.5), start, CT_CLAMP);
}

/* By scatters: two windows of two elements, which overlap. */
static void write_step(void *user, ct_tensor *i, ct_tensor **carry)
{
    ct_tensor *k = carry[1], *at = ct_sub(place(k, i), 1);
    ct_tensor *starts = ct_reshape(ct_stack(CT_ARGV(at, ct_sub(at, 1)), 0), CT_SHAPE(2, 1));
    const ct_gather_dims from = {.offset_dims = CT_DIMS(1),
                                 .start_index_map = CT_DIMS(0),
                                 .index_vector_dim = 1,
                                 .slice_sizes = CT_DIMS(2)};
    const ct_scatter_dims to = {.update_window_dims = CT_DIMS(1),
                                .scatter_dims_to_operand_dims = CT_DIMS(0),
                                .index_vector_dim = 1};
    ct_tensor *windows = ct_op_gather(k, starts, &from);

    (void)user;
    scan_step(ct_sum(windows, CT_ALL_AXES, CT_DROP_AXES), carry, NULL, NULL);
    carry[1] = ct_op_scatter(k, starts, ct_mul(ct_square(windows), 0.5), NULL, &to);
}

static void sliced(void *user, ct_list p, ct_tensor **r)
{
    (void)user;
    r[0] = p.item[0];
    ct_for(slice_step, p.item[1], p.item[2], 1, r);
    r[0] = total(r[0]);
}

static void taken(void *user, ct_list p, ct_tensor **r)
{
    (void)user;
    r[0] = p.item[0];
    ct_for(take_step, p.item[1], p.item[2], 1, r);
    r[0] = total(r[0]);
}

static void put(void *user, ct_list p, ct_tensor **r)
{
    ct_tensor *carry[] = {p.item[0], p.item[1]};

    (void)user;
    ct_for(put_step, NULL, p.item[2], 2, carry);
    r[0] = ct_add(total(carry[0]), total(carry[1]));
}

static void written(void *user, ct_list p, ct_tensor **r)
{
    ct_tensor *carry[] = {p.item[0], p.item[1]};

    (void)user;
    ct_for(write_step, NULL, p.item[2], 2, carry);
    r[0] = ct_add(total(carry[0]), total(carry[1]));
}

/* ---- Measuring. */

typedef struct row {
    const char *program;
    ct_many_function *body;
    const char *way;
    ct_reverse_options options;
    int64_t by; /* of which argument the gradient is */
} row;

static bool has_elements(const row *b)
{
    return b->body == sliced || b->body == taken || b->body == put || b->body == written;
}

static int64_t elements_of(const row *b, int64_t argument, int64_t n)
{
    bool is_k = argument == 1;
    return is_k && has_elements(b) ? n : is_k && b->body == scanned_rows ? n * EXTENT : EXTENT;
}

/* Of a function that gives `count` numbers: the seconds of the fastest of some runs, and the most
 * memory that they held at once beyond what was there before; 0 after an error. */
static double run(const row *b, ct_executable *f, int64_t n, size_t count, counter *c, size_t *most)
{
    size_t n_k = (size_t)elements_of(b, 1, n);
    float x[EXTENT], *k = malloc(n_k * sizeof *k), *result = malloc(count * sizeof *result);
    double best = 0;

    if (!k || !result) {
        fprintf(stderr, "out of memory\n");
        free(k);
        free(result);
        return 0;
    }
    for (size_t i = 0; i < EXTENT; i++)
        x[i] = 1 + (float)i / EXTENT;
    for (size_t i = 0; i < n_k; i++)
        k[i] = x[i % EXTENT];
    size_t before = c->now;
    c->most = c->now;
    ct_instance *instance = ct_instance_new(f);
    bool fine = ct_bind_input(instance, 0, x, sizeof x) == CT_OK &&
                ct_bind_input(instance, 1, k, n_k * sizeof *k) == CT_OK &&
                ct_bind_input(instance, 2, &n, sizeof n) == CT_OK &&
                ct_bind_output(instance, 0, result, count * sizeof *result) == CT_OK;
    for (int i = 0; fine && i < RUNS; i++) {
        double start = now();
        fine = ct_run(instance) == CT_OK;
        double seconds = now() - start;
        if (i == 0 || seconds < best)
            best = seconds;
    }
    if (!fine)
        fprintf(stderr, "%s\n", ct_instance_error(instance));
    ct_instance_free(instance);
    free(k);
    free(result);
    *most = c->most - before;
    return fine ? best : 0;
}

static void print_residuals(const ct_residual_report *report)
{
    static const ct_residual_kind kinds[] = {CT_RESIDUAL_KEPT, CT_RESIDUAL_RECOMPUTED};

    for (size_t i = 0; i < 2; i++)
        printf(" %12" PRIu64 " %6" PRIu64, ct_residuals_bytes(report, kinds[i]),
               ct_residuals_iteration_bytes(report, kinds[i]));
}

static bool bench(const row *b, int64_t n, double *last)
{
    counter c = {0, 0};
    size_t most_forward, most;
    ct_context *ctx = ct_context_new_with(
        &(ct_allocator){sizeof(ct_allocator), &c, count_alloc, count_free});
    ct_tensor *x = ct_spec(ctx, CT_F32, CT_SHAPE(EXTENT));
    ct_tensor *k = has_elements(b)           ? ct_spec(ctx, CT_F32, CT_SHAPE(n))
                   : b->body == scanned_rows ? ct_spec(ctx, CT_F32, CT_SHAPE(n, EXTENT))
                                             : x;
    ct_list spec = CT_LIKE(x, k, ct_spec(ctx, CT_I64, CT_SHAPE()));
    double start = now();
    ct_function *f = ct_trace_many(ctx, b->body, &n, 1, spec);
    if (b->options.strategy != CT_REVERSE_KEEP_ALL)
        f = ct_reverse_loops(f, &b->options);
    ct_executable *forward = ct_compile(f, NULL);
    ct_executable *gradient = ct_compile(ct_grad(f, CT_ARGS(b->by)), NULL);
    double made = now() - start;
    ct_residual_report *report = ct_residuals(f, CT_ARGS(b->by));
    bool fine = !ct_failed(ctx);
    double own = fine ? run(b, forward, n, 1, &c, &most_forward) : 0;
    double both = fine ? run(b, gradient, n, (size_t)elements_of(b, b->by, n), &c, &most) : 0;

    if (!fine)
        fprintf(stderr, "%s %s: %s\n", b->program, b->way, ct_error_message(ctx));
    fine = fine && own > 0 && both > 0;
    if (fine) {
        printf("%-6s %-9s %8" PRId64 " %8.0f %8.0f %6.2f %8.4f %6.2f", b->program, b->way, n,
               own / (double)n * 1e9, both / (double)n * 1e9, both / own, made,
               *last > 0 ? both / (double)n / *last : 1);
        print_residuals(report);
        printf(" %12zu\n", most);
        fflush(stdout);
    }
    *last = both / (double)n;
    ct_context_free(ctx);
    return fine;
}

#define WAY(...)                                                                                   \
    {                                                                                              \
        .size = sizeof(ct_reverse_options), __VA_ARGS__                                            \
    }
#define KEEP_ALL WAY(.strategy = CT_REVERSE_KEEP_ALL)
#define BY_ROOT WAY(.strategy = CT_REVERSE_SQRT)
#define TEN_KEPT WAY(.strategy = CT_REVERSE_BINOMIAL, .snapshots = 10)
#define IN_20_KB WAY(.strategy = CT_REVERSE_LIMIT, .bytes = 20000)

int main(int argc, char **argv)
{
    static const row rows[] = {
        {"scan", scanned, "keep all", KEEP_ALL, 0},
        {"scan", scanned, "sqrt", BY_ROOT, 0},
        {"scan", scanned, "binomial", TEN_KEPT, 0},
        {"rows", scanned_rows, "keep all", KEEP_ALL, 0},
        {"rows", scanned_rows, "sqrt", BY_ROOT, 0},
        {"rows", scanned_rows, "binomial", TEN_KEPT, 0},
        {"rows", scanned_rows, "limit", IN_20_KB, 0},
        {"by k", scanned_rows, "keep all", KEEP_ALL, 1},
        {"by k", scanned_rows, "sqrt", BY_ROOT, 1},
        {"by k", scanned_rows, "binomial", TEN_KEPT, 1},
        {"by k", scanned_rows, "limit", IN_20_KB, 1},
        {"slice", sliced, "keep all", KEEP_ALL, 1},
        {"slice", sliced, "sqrt", BY_ROOT, 1},
        {"take", taken, "keep all", KEEP_ALL, 1},
        {"take", taken, "sqrt", BY_ROOT, 1},
        {"put", put, "keep all", KEEP_ALL, 1},
        {"write", written, "keep all", KEEP_ALL, 1},
        {"for", counted, "keep all", KEEP_ALL, 0},
        {"for", counted, "sqrt", BY_ROOT, 0},
        {"for", counted, "limit", IN_20_KB, 0},
        {"while", decided, "keep all", KEEP_ALL, 0},
        {"while", decided, "sqrt", BY_ROOT, 0},
        {"while", decided, "limit", IN_20_KB, 0},
    };
    int64_t largest = argc > 1 ? strtoll(argv[1], NULL, 10) : 10000;
    bool fine = true;

    printf("question: are gradients of loops linear in time, and what memory do they take?\n");
    print_machine();
    printf("rows: a scan whose k is a row for each iteration; by k: the gradient by those; slice, "
           "take:\n"
           "by a k of n elements, one of which each iteration reads by index; put: and writes;\n"
           "write: and writes windows by a scatter\n"
           "unit: nanoseconds per iteration on f32[%d], fastest of %d runs; ratio: of gradient to "
           "forward;\n"
           "made: seconds of tracing, differentiating and compiling; growth: of the gradient's "
           "time per\n"
           "iteration, from the row before; kept and again: bytes kept, and computed again by "
           "checkpoints, as told\n"
           "before a run, and (each) so many more an iteration of loops that only a run counts; "
           "peak: the\n"
           "most bytes that were allocated in a run\n",
           EXTENT, RUNS);
    printf("%-6s %-9s %8s %8s %8s %6s %8s %6s %12s %6s %12s %6s %12s\n", "loop", "way", "n",
           "forward", "gradient", "ratio", "made", "growth", "kept", "each", "again", "each",
           "peak");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double last = 0;
        for (int64_t n = 100; n <= largest; n *= 10)
            fine = bench(&rows[i], n, &last) && fine;
    }
    return fine ? 0 : 1;
}
