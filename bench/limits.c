/* What can this machine do? The figures that the other benchmarks are to be seen beside. */
#include "bench.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#ifdef __x86_64__
#include <immintrin.h>
#endif

enum { MIB = 1 << 20, BYTES = 64 * MIB, RUNS = 9 };

typedef void work(unsigned char *to, const unsigned char *from);

/* The median seconds of some runs; the first one, which touches the memory, does not count. */
static double measure(work *f, unsigned char *to, const unsigned char *from)
{
    double time[RUNS];
    f(to, from);
    for (int i = 0; i < RUNS; i++) {
        time[i] = now();
        f(to, from);
        time[i] = now() - time[i];
    }
    qsort(time, RUNS, sizeof *time, by_value);
    return time[RUNS / 2];
}

static void copy(unsigned char *to, const unsigned char *from)
{
    memcpy(to, from, BYTES);
}

/* Stores that leave the cache alone: nothing of `to` is read before it is written. */
static void stream(unsigned char *to, const unsigned char *from)
{
#ifdef __x86_64__
    for (size_t i = 0; i < BYTES; i += 16)
        _mm_stream_si128((__m128i *)(void *)(to + i),
                         _mm_load_si128((const __m128i *)(const void *)(from + i)));
    _mm_sfence();
#else
    memcpy(to, from, BYTES);
#endif
}

static volatile uint64_t sink;

static void read_all(unsigned char *to, const unsigned char *from)
{
    const uint64_t *x = (const uint64_t *)(const void *)from;
    uint64_t sum[16] = {0}, all = 0;
    (void)to;
    for (size_t i = 0; i < BYTES / sizeof *x; i += 16)
        for (size_t l = 0; l < 16; l++)
            sum[l] += x[i + l];
    for (size_t l = 0; l < 16; l++)
        all += sum[l];
    sink = all;
}

/* 2 MFMA terms; 16 sums, which do not wait for each other, of as many lanes as the compiler takes.
 */
static void multiply_add(unsigned char *to, const unsigned char *from)
{
    enum { LANES = 256, STEPS = 1 << 13 };
    float sum[LANES] = {0}, x[LANES];
    (void)from;
    for (size_t l = 0; l < LANES; l++)
        x[l] = (float)l * 0x1p-20f;
    for (size_t i = 0; i < STEPS; i++)
        for (size_t l = 0; l < LANES; l++)
            sum[l] = sum[l] * x[l] + x[l];
    memcpy(to, sum, sizeof sum);
}

static double page_microseconds(void)
{
    double began;
    unsigned char *fresh = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
                                -1, 0);
    if (fresh == MAP_FAILED)
        return -1;
    madvise(fresh, BYTES, MADV_NOHUGEPAGE);
    began = now();
    for (size_t i = 0; i < BYTES; i += 4096)
        fresh[i] = 1;
    began = now() - began;
    munmap(fresh, BYTES);
    return 1e6 * began / (BYTES / 4096);
}

typedef struct helper {
    unsigned char *to;
    const unsigned char *from;
} helper;

static void *copy_in_thread(void *user)
{
    const helper *h = user;
    for (int i = 0; i < RUNS; i++)
        copy(h->to, h->from);
    return NULL;
}

/* The bytes that two threads copy in the time of one, over those of one. */
static double scaling(unsigned char *memory)
{
    helper h[2] = {{memory, memory + BYTES}, {memory + 2 * BYTES, memory + 3 * BYTES}};
    pthread_t other;
    double one = now();
    copy_in_thread(&h[0]);
    one = now() - one;
    double two = now();
    if (pthread_create(&other, NULL, copy_in_thread, &h[1]) != 0)
        return -1;
    copy_in_thread(&h[0]);
    pthread_join(other, NULL);
    two = now() - two;
    return 2 * one / two;
}

int main(void)
{
    unsigned char *memory = aligned_alloc(64, 4 * (size_t)BYTES);
    if (!memory)
        return 1;
    memset(memory, 1, 4 * (size_t)BYTES);
    unsigned char *to = memory, *from = memory + BYTES;
    printf("question: how fast can this machine move bytes and multiply?\n");
    print_machine();
    printf("%-52s %8.2f GB/s\n", "copy of 64 MiB, read and written bytes",
           2e-9 * BYTES / measure(copy, to, from));
    printf("%-52s %8.2f GB/s\n", "the same with stores past the cache",
           2e-9 * BYTES / measure(stream, to, from));
    printf("%-52s %8.2f GB/s\n", "reading 64 MiB", 1e-9 * BYTES / measure(read_all, to, from));
    printf("%-52s %8.2f GF/s\n", "f32 multiply-adds of this compiler's baseline",
           2e-9 * 256 * (1 << 13) / measure(multiply_add, to, from));
    printf("%-52s %8.2f us\n", "first touch of a page of 4 KiB", page_microseconds());
    printf("%-52s %8.2f\n", "copies by two threads over those by one", scaling(memory));
    free(memory);
    return 0;
}
