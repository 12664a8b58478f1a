/* What the fuzzers share. A finding is a crash, what a sanitizer sees, a hang, a leak, or a broken
 * promise, which ends the process here. */
#ifndef CT_TESTS_FUZZ_H
#define CT_TESTS_FUZZ_H

#include <cotangent/context.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);
size_t LLVMFuzzerCustomCrossOver(const uint8_t *a, size_t a_size, const uint8_t *b, size_t b_size,
                                 uint8_t *out, size_t max_size, unsigned seed);

/* Memory in use, of which there is not more than this. */
#define FUZZ_MEMORY ((size_t)256 << 20)

typedef struct fuzz_meter {
    size_t bytes, blocks;
} fuzz_meter;

static void *fuzz_allocate(void *user, size_t bytes, size_t align)
{
    fuzz_meter *m = user;
    void *memory = NULL;
    if (bytes > FUZZ_MEMORY - m->bytes ||
        posix_memalign(&memory, align < sizeof memory ? sizeof memory : align,
                       bytes > 0 ? bytes : 1) != 0)
        return NULL;
    m->bytes += bytes;
    m->blocks++;
    return memory;
}

static void fuzz_release(void *user, void *memory, size_t bytes)
{
    fuzz_meter *m = user;
    if (memory) {
        m->bytes -= bytes;
        m->blocks--;
    }
    free(memory);
}

static ct_context *fuzz_context(fuzz_meter *m)
{
    ct_allocator allocator = {sizeof allocator, m, fuzz_allocate, fuzz_release};
    return ct_context_new_with(&allocator);
}

static void fuzz_finding(const char *what, const char *detail)
{
    fprintf(stderr, "%s\n%s\n", what, detail);
    abort();
}

/* Frees the context. What its allocator gave must have come back, byte by byte. */
static void fuzz_end(ct_context *ctx, const fuzz_meter *m)
{
    ct_context_free(ctx);
    if (m->bytes != 0 || m->blocks != 0)
        fuzz_finding("memory is left", "");
}

#endif
