/* What a run takes of the machine but time: no allocation, and after the first one no fresh page.
 *
 * Allocations are counted where the C library makes them, whoever asks, in every thread. */
#include "tests/values.h"

#include <cotangent/cotangent.h>

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#if defined(__GLIBC__) && !defined(CT_SANITIZED)
#define COUNTED 1
#else
#define COUNTED 0
#endif

/* ---- The C library's allocator, counted. */

#if COUNTED
extern void *__libc_malloc(size_t bytes);
extern void *__libc_calloc(size_t count, size_t bytes);
extern void *__libc_realloc(void *memory, size_t bytes);
extern void *__libc_memalign(size_t align, size_t bytes);

static atomic_size_t allocations;

void *malloc(size_t bytes)
{
    atomic_fetch_add(&allocations, 1);
    return __libc_malloc(bytes);
}

void *calloc(size_t count, size_t bytes)
{
    atomic_fetch_add(&allocations, 1);
    return __libc_calloc(count, bytes);
}

void *realloc(void *memory, size_t bytes)
{
    atomic_fetch_add(&allocations, 1);
    return __libc_realloc(memory, bytes);
}

void *aligned_alloc(size_t align, size_t bytes)
{
    atomic_fetch_add(&allocations, 1);
    return __libc_memalign(align, bytes);
}

static size_t count_allocations(void)
{
    return atomic_load(&allocations);
}
#else
static size_t count_allocations(void)
{
    return 0;
}
#endif

/* Of all threads. */
static long count_faults(void)
{
    struct rusage usage;
    return getrusage(RUSAGE_SELF, &usage) == 0 ? usage.ru_minflt : 0;
}

/* ---- Programs: each takes f32 parameters of these shapes, large enough that threads share its
 * operations, and gives a scalar, which is differentiated by all of them. */

enum { MOST_INPUTS = 4, RANK = 4 };

typedef struct program {
    const char *name;
    ct_tensor *(*body)(const ct_list *p);
    int64_t shape[MOST_INPUTS][RANK]; /* 0 ends a shape, and a shape without extents the list */
} program;

static ct_tensor *total(ct_tensor *x)
{
    return ct_sum(x, CT_ALL_AXES, CT_DROP_AXES);
}

static ct_tensor *elements(const ct_list *p)
{
    return total(ct_tanh(ct_mul(ct_exp(ct_neg(p->item[0])), p->item[0])));
}

static ct_tensor *mlp(const ct_list *p)
{
    ct_tensor *hidden = ct_relu(ct_add(ct_matmul(p->item[0], p->item[1]), p->item[2]));
    ct_tensor *out = ct_log_softmax(ct_matmul(hidden, p->item[3]), CT_AXES(-1));
    return total(ct_mul(out, out));
}

static void step(void *user, ct_tensor **carry, ct_tensor *const *x, ct_tensor **y)
{
    ct_tensor *w = user;
    carry[0] = ct_tanh(ct_add(ct_matmul(carry[0], w), x[0]));
    y[0] = ct_mul(carry[0], carry[0]);
}

static ct_tensor *scan(const ct_list *p)
{
    ct_tensor *state = p->item[1], *rows;
    ct_scan(step, p->item[2], .length = ct_dim(p->item[0], 0), .n_carry = 1, .carry = &state,
            .xs = CT_ARGV(p->item[0]), .n_ys = 1, .ys = &rows);
    return ct_add(total(state), total(rows));
}

static ct_tensor *convolution(const ct_list *p)
{
    return total(
        ct_tanh(ct_op_convolution(p->item[0], p->item[1],
                                  &(ct_convolution_dims){.window_strides = CT_DIMS(1, 1),
                                                         .padding_low = CT_DIMS(1, 1),
                                                         .padding_high = CT_DIMS(1, 1),
                                                         .lhs_dilation = CT_DIMS(1, 1),
                                                         .rhs_dilation = CT_DIMS(1, 1),
                                                         .window_reversal = CT_DIMS(0, 0),
                                                         .input_batch_dimension = 0,
                                                         .input_feature_dimension = 1,
                                                         .input_spatial_dimensions = CT_DIMS(2, 3),
                                                         .kernel_output_feature_dimension = 0,
                                                         .kernel_input_feature_dimension = 1,
                                                         .kernel_spatial_dimensions = CT_DIMS(2, 3),
                                                         .output_batch_dimension = 0,
                                                         .output_feature_dimension = 1,
                                                         .output_spatial_dimensions = CT_DIMS(2, 3),
                                                         .feature_group_count = 1,
                                                         .batch_group_count = 1,
                                                         .dtype = CT_F32})));
}

static ct_tensor *folds(const ct_list *p)
{
    ct_tensor *x = p->item[0];
    ct_tensor *columns = ct_sum(x, CT_AXES(0), CT_DROP_AXES);
    ct_tensor *rows = ct_max(x, CT_AXES(1), CT_DROP_AXES);
    ct_tensor *running = ct_cumsum(x, 0, false);
    return ct_add(ct_add(total(ct_mul(columns, columns)), total(ct_exp(rows))),
                  total(ct_mul(running, x)));
}

/* Rows of a table, in both directions. */
static ct_tensor *gather(const ct_list *p)
{
    ct_tensor *index = ct_random_integers(ct_context_of(p->item[0]), ct_key_new(1), CT_I32,
                                          CT_SHAPE(3000), 0, 500);
    return total(ct_exp(ct_take(p->item[0], index, 0, CT_CLAMP)));
}

static ct_tensor *products(const ct_list *p)
{
    return total(ct_matmul(ct_tanh(ct_matmul(p->item[0], p->item[1])), p->item[0]));
}

static ct_tensor *batched(const ct_list *p)
{
    return total(ct_mul(ct_matmul(p->item[0], p->item[1]),
                        ct_transpose(ct_matmul(p->item[1], p->item[0]), CT_AXES(0, 2, 1))));
}

static ct_tensor *sorted(const ct_list *p)
{
    return total(ct_mul(ct_sort(p->item[0], 1, CT_ASCENDING), p->item[0]));
}

static const program programs[] = {
    {"elements", elements, {{300000}}},
    {"mlp", mlp, {{64, 200}, {200, 128}, {128}, {128, 10}}},
    {"scan", scan, {{60, 16, 24}, {16, 24}, {24, 24}}},
    {"convolution", convolution, {{4, 8, 20, 24}, {6, 8, 3, 3}}},
    {"folds", folds, {{700, 300}}},
    {"gather", gather, {{500, 64}}},
    {"products", products, {{150, 150}, {150, 150}}},
    {"batched", batched, {{600, 8, 8}, {600, 8, 8}}},
    {"sorted", sorted, {{100, 300}}},
};

enum { N_PROGRAMS = sizeof programs / sizeof *programs };

static ct_shape shape_of(const program *p, size_t i)
{
    size_t rank = 0;
    while (rank < RANK && p->shape[i][rank] > 0)
        rank++;
    return (ct_shape){rank, p->shape[i]};
}

static void call_body(void *user, ct_list p, ct_tensor **r)
{
    const program *called = user;
    r[0] = called->body(&p);
}

/* ---- A program whose buffers are bound. */

typedef struct bound {
    ct_context *ctx;
    ct_instance *instance;
    size_t n_results;
    void *result[1 + MOST_INPUTS];
} bound;

static size_t bytes_of(const ct_type *type)
{
    const ct_shape shape = ct_type_shape(type);
    size_t bytes = ct_dtype_bytes(ct_type_dtype(type));
    for (size_t d = 0; d < shape.count; d++)
        bytes *= (size_t)shape.dim[d];
    return bytes;
}

static void bind(bound *b, ct_function *f, size_t n, ct_tensor *const *input)
{
    for (size_t i = 0; i < n; i++)
        CHECK(ct_bind_input(b->instance, i, ct_data(input[i]), bytes_of(ct_parameter_type(f, i))) ==
              CT_OK);
    b->n_results = ct_function_results(f);
    for (size_t i = 0; i < b->n_results; i++) {
        const size_t bytes = bytes_of(ct_result_type(f, i));
        b->result[i] = malloc(bytes);
        CHECK(b->result[i]);
        memset(b->result[i], 1, bytes);
        CHECK(ct_bind_output(b->instance, i, b->result[i], bytes) == CT_OK);
    }
}

static void open_program(bound *b, const program *p, const ct_compile_options *options)
{
    ct_tensor *input[MOST_INPUTS];
    size_t n = 0;
    *b = (bound){.ctx = ct_context_new()};
    for (; n < MOST_INPUTS && p->shape[n][0] > 0; n++)
        input[n] = ct_random_normal(b->ctx, ct_key_new(n), CT_F32, shape_of(p, n));
    ct_function *f = ct_trace_many(b->ctx, call_body, (void *)(uintptr_t)p, 1, CT_LIST(n, input));
    ct_function *g = ct_value_and_grad(f, CT_ALL_ARGS);
    ct_executable *executable = ct_compile(g, options);
    CHECK_OK(b->ctx);
    b->instance = ct_instance_new(executable);
    bind(b, g, n, input);
}

static void close_program(bound *b)
{
    ct_instance_free(b->instance);
    for (size_t i = 0; i < b->n_results; i++)
        free(b->result[i]);
    ct_context_free(b->ctx);
}

/* ---- Runs. */

static const struct {
    const char *name;
    ct_compile_options options;
} ways[] = {
    {"machine", {.size = sizeof(ct_compile_options), .executor = CT_EXECUTOR_MACHINE}},
    {"cpu", {.size = sizeof(ct_compile_options), .executor = CT_EXECUTOR_CPU}},
    {"cpu, two threads",
     {.size = sizeof(ct_compile_options), .executor = CT_EXECUTOR_CPU, .threads = 2}},
    {"jit", {.size = sizeof(ct_compile_options), .executor = CT_EXECUTOR_JIT}},
};

enum { N_WAYS = sizeof ways / sizeof *ways, RUNS = 5 };

static void run(const bound *b, size_t times)
{
    for (size_t i = 0; i < times; i++)
        CHECK_MSG(ct_run(b->instance) == CT_OK, "%s", ct_instance_error(b->instance));
}

/* The first run, too, which the threads begin with: what they are made of is not counted. */
TEST(runs_allocate_nothing)
{
    if (!COUNTED)
        SKIP("the C library's allocator cannot be replaced here");
    for (size_t i = 0; i < N_PROGRAMS; i++)
        for (size_t k = 0; k < N_WAYS; k++) {
            bound b;
            open_program(&b, &programs[i], &ways[k].options);
            if (ways[k].options.threads > 1)
                run(&b, 1);
            const size_t before = count_allocations();
            CHECK(before > 0); /* they are counted */
            run(&b, RUNS);
            const size_t made = count_allocations() - before;
            CHECK_MSG(made == 0, "%s, %s: %zu allocations", programs[i].name, ways[k].name, made);
            close_program(&b);
        }
}

/* The kernel may take pages away, or join them, whenever it wants: one of several times will do. */
static long fewest_faults(const program *p, const ct_compile_options *options)
{
    enum { TIMES = 20 };
    long fewest = 1;
    for (int i = 0; i < TIMES && fewest > 0; i++) {
        bound b;
        open_program(&b, p, options);
        run(&b, 1);
        const long before = count_faults();
        run(&b, RUNS);
        const long faults = count_faults() - before;
        fewest = i == 0 || faults < fewest ? faults : fewest;
        close_program(&b);
    }
    return fewest;
}

/* Whether a page that nobody has touched is counted when it is. */
static bool are_faults_counted(void)
{
    static volatile char fresh[1 << 20];
    const long before = count_faults();
    for (size_t i = 0; i < sizeof fresh; i += 512)
        fresh[i] = 1;
    return count_faults() > before;
}

TEST(runs_after_the_first_touch_no_fresh_page)
{
    if (!COUNTED)
        SKIP("sanitizers touch pages of their own");
    if (!are_faults_counted())
        SKIP("page faults are not counted here");
    for (size_t i = 0; i < N_PROGRAMS; i++)
        for (size_t k = 0; k < N_WAYS; k++) {
            const long faults = fewest_faults(&programs[i], &ways[k].options);
            CHECK_MSG(faults == 0, "%s, %s: %ld page faults", programs[i].name, ways[k].name,
                      faults);
        }
}
