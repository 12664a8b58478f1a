/* What can this machine do? The figures that the other benchmarks are to be seen beside. */
#include "bench.h"
#include "harness/move.h"
#include "harness/multiply_add.h"
#include "harness/options.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { MIB = 1 << 20, BYTES = 64 * MIB, PAGE = 4096 };

/* ---- Bytes. */

static volatile uint64_t sink;

static bool read_all(void *user)
{
    const blocks *m = user;
    const uint64_t *x = (const uint64_t *)(const void *)m->from;
    uint64_t sum[16] = {0}, all = 0;
    for (size_t i = 0; i < BYTES / sizeof *x; i += 16)
        for (size_t l = 0; l < 16; l++)
            sum[l] += x[i + l];
    for (size_t l = 0; l < 16; l++)
        all += sum[l];
    sink = all;
    return true;
}

static bool write_all(void *user)
{
    const blocks *m = user;
    memset(m->to, 1, BYTES);
    return true;
}

/* ---- Pages: the first touch of each. */

static bool touch_pages(void *user)
{
    const int advice = *(const int *)user;
    unsigned char *fresh = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
                                -1, 0);
    if (fresh == MAP_FAILED)
        return false;
    madvise(fresh, BYTES, advice);
    for (size_t i = 0; i < BYTES; i += PAGE)
        fresh[i] = 1;
    munmap(fresh, BYTES);
    return true;
}

/* ---- Two threads that do the same, each on memory of its own. */

typedef struct pair {
    timed *f;
    void *user[2];
} pair;

static void *run_second(void *user)
{
    const pair *p = user;
    return p->f(p->user[1]) ? user : NULL;
}

static bool run_pair(void *user)
{
    pair *p = user;
    pthread_t other;
    void *done;
    if (pthread_create(&other, NULL, run_second, p) != 0)
        return false;
    bool fine = p->f(p->user[0]);
    return pthread_join(other, &done) == 0 && done && fine;
}

/* Enough calls that making a thread does not count. */
enum { CALLS = 100 };

static bool run_widest(void *user)
{
    const instruction_set *widest = user;
    for (int i = 0; i < CALLS; i++)
        widest->run(NULL);
    return true;
}

/* ---- A product of matrices by a CBLAS, if this machine has one. */

enum { ROWS = 1024, ROW_MAJOR = 101, NO_TRANSPOSE = 111 };

typedef void sgemm(int, int, int, int, int, int, float, const float *, int, const float *, int,
                   float, float *, int);

typedef struct product {
    sgemm *multiply;
    float *x, *y, *z;
} product;

static bool multiply(void *user)
{
    const product *p = user;
    p->multiply(ROW_MAJOR, NO_TRANSPOSE, NO_TRANSPOSE, ROWS, ROWS, ROWS, 1, p->x, ROWS, p->y, ROWS,
                0, p->z, ROWS);
    return true;
}

static sgemm *find_sgemm(void)
{
    static const char *const names[] = {"libopenblas.so.0", "libblis.so.4", "libcblas.so.3"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        void *library = dlopen(names[i], RTLD_NOW);
        void *symbol = library ? dlsym(library, "cblas_sgemm") : NULL;
        sgemm *f;
        memcpy(&f, &symbol, sizeof f);
        if (f)
            return f;
    }
    return NULL;
}

/* ---- Rows. */

typedef struct row {
    const char *name, *unit;
    timed *f;
    void *user;
    double per_run;
} row;

/* The best rate; 0: not wanted, or it failed after saying so. */
static double bench(const row *r, const bench_options *o)
{
    sample s;
    if (!is_wanted(o, r->name))
        return 0;
    if (!take_sample(r->f, r->user, o->seconds, &s)) {
        fprintf(stderr, "%s failed\n", r->name);
        return 0;
    }
    print_rate(o, r->name, r->unit, r->per_run, &s);
    return r->per_run / s.least;
}

/* How many times as much two threads do as one does. */
static void print_scaling(const bench_options *o, const char *what, double one, double two)
{
    if (one <= 0 || two <= 0)
        return;
    if (o->is_json)
        printf("{\"name\": \"scaling of two threads, %s\", \"unit\": \"x\", \"best\": %.4g}\n",
               what, two / one);
    else
        printf("scaling of two threads, %-16s %9.2f x\n", what, two / one);
}

static void bench_bytes(blocks *m, const bench_options *o)
{
    pair copies = {copy_past_cache, {&m[0], &m[1]}};
    bench(&(row){"copy", "GB/s", copy_blocks, m, 2e-9 * BYTES}, o);
    bench(&(row){"copy through the cache", "GB/s", copy_through_cache, m, 2e-9 * BYTES}, o);
    double one = bench(&(row){"copy past the cache", "GB/s", copy_past_cache, m, 2e-9 * BYTES}, o);
    bench(&(row){"read", "GB/s", read_all, m, 1e-9 * BYTES}, o);
    bench(&(row){"write", "GB/s", write_all, m, 1e-9 * BYTES}, o);
    double two = bench(
        &(row){"copy past the cache, two threads", "GB/s", run_pair, &copies, 4e-9 * BYTES}, o);
    print_scaling(o, "copy", one, two);
}

static void bench_arithmetic(const bench_options *o)
{
    const instruction_set *set, *widest = NULL;
    for (unsigned i = 0; (set = instruction_set_at(i)); i++) {
        char name[64];
        snprintf(name, sizeof name, "multiply-add %s", set->name);
        if (set->is_here())
            bench(&(row){name, "GF/s", set->run, NULL, 1e-9 * set->flops}, o);
        widest = set->is_here() ? set : widest;
    }
    void *user = (void *)(uintptr_t)widest;
    const double giga = 1e-9 * CALLS * widest->flops;
    pair both = {run_widest, {user, user}};
    double one = bench(&(row){"multiply-add", "GF/s", run_widest, user, giga}, o);
    double two = bench(&(row){"multiply-add, two threads", "GF/s", run_pair, &both, 2 * giga}, o);
    print_scaling(o, "multiply-add", one, two);
}

static void bench_pages(const bench_options *o)
{
    int small = MADV_NOHUGEPAGE, huge = MADV_HUGEPAGE;
    const double pages = BYTES / PAGE * 1e-6;
    bench(&(row){"first touch, pages of 4 KiB", "M/s", touch_pages, &small, pages}, o);
    bench(&(row){"first touch, huge pages advised", "M/s", touch_pages, &huge, pages}, o);
}

static void bench_product(blocks *m, const bench_options *o)
{
    const size_t bytes = (size_t)ROWS * ROWS * sizeof(float);
    product p = {find_sgemm(), (float *)(void *)m->to, (float *)(void *)(m->to + bytes),
                 (float *)(void *)(m->to + 2 * bytes)};
    if (!p.multiply)
        return;
    memset(m->to, 0, 3 * bytes); /* whatever lies there may be NaNs or denormal numbers */
    bench(&(row){"sgemm 1024", "GF/s", multiply, &p, 2e-9 * ROWS * ROWS * ROWS}, o);
}

int main(int argc, char **argv)
{
    bench_options o;
    if (!parse_options(argc, argv, "how fast can this machine move bytes and multiply?", &o))
        return 2;
    unsigned char *bytes = aligned_alloc(64, 4 * (size_t)BYTES);
    if (!bytes)
        return 1;
    memset(bytes, 1, 4 * (size_t)BYTES);
    blocks m[2] = {{bytes, bytes + BYTES, BYTES}, {bytes + 2 * BYTES, bytes + 3 * BYTES, BYTES}};
    bench_bytes(m, &o);
    bench_arithmetic(&o);
    bench_pages(&o);
    bench_product(m, &o);
    free(bytes);
    return 0;
}
