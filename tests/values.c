#include "tests/values.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Data. */

ct_tensor *values_coded(ct_context *ctx, ct_dtype dtype, ct_shape shape)
{
    int64_t size = 1, base = 10;

    for (size_t d = 0; d < shape.count; d++) {
        size *= shape.dim[d];
        while (base < shape.dim[d])
            base *= 10;
    }
    double *data = malloc((size_t)size * sizeof *data + 1);
    if (!data) {
        check_fail(__FILE__, __LINE__, "out of memory");
        return NULL;
    }
    for (int64_t i = 0; i < size; i++) {
        int64_t rest = i, factor = 1;

        data[i] = dtype == CT_BOOL ? (double)(i & 1) : 0;
        for (size_t d = shape.count; d-- > 0 && dtype != CT_BOOL; factor *= base) {
            data[i] += (double)(rest % shape.dim[d] * factor);
            rest /= shape.dim[d];
        }
    }
    ct_tensor *x = ct_from_doubles(ctx, dtype, shape, data);
    free(data);
    return x;
}

/* ---- Comparing. */

static int same_shape(ct_shape a, ct_shape b)
{
    return a.count == b.count &&
           (a.count == 0 || memcmp(a.dim, b.dim, a.count * sizeof *a.dim) == 0);
}

static int matches(double x, double y, values_comparison comparison, double bound)
{
    if (x == y || (isnan(x) && isnan(y)))
        return 1;
    if (comparison == VALUES_RELATIVE)
        return fabs(x - y) <= bound * fabs(y) && isfinite(x);
    return comparison == VALUES_ABSOLUTE && fabs(x - y) <= bound;
}

/* Fails with both tensors and the first element that differs. */
static void report(const char *file, int line, const char *text, ct_tensor *x, ct_tensor *y,
                   size_t position, double found, double expected)
{
    char where[160] = "";

    if (position != SIZE_MAX)
        snprintf(where, sizeof where, "\nelement %zu is %.17g instead of %.17g", position, found,
                 expected);
    check_fail(file, line, "%s is %s\n%.1500s\ninstead of %s\n%.1500s%s", text, ct_type_text(x),
               ct_text(x), ct_type_text(y), ct_text(y), where);
}

void values_check(const char *file, int line, const char *text, ct_tensor *x, ct_shape shape,
                  const double *expected, size_t count, values_comparison comparison, double bound)
{
    ct_context *ctx = ct_context_of(x);
    double *found = malloc(count * sizeof *found + 1);
    size_t i = 0;

    if (!ct_is_concrete(x)) {
        free(found);
        check_fail(file, line, "%s is %s: %s", text, ct_text(x), ct_error_message(ctx));
        return;
    }
    if (!same_shape(ct_shape_of(x), shape) || (uint64_t)ct_size(x) != count || !found) {
        free(found);
        check_fail(file, line, "%s has another shape than expected (%zu values): %s\n%.1500s", text,
                   count, ct_type_text(x), ct_text(x));
        return;
    }
    ct_to_doubles(x, found, count);
    while (i < count && matches(found[i], expected[i], comparison, bound))
        i++;
    double wrong = i < count ? found[i] : 0;
    free(found);
    if (i < count) /* shown as f64: the dtype may not hold the expected values */
        report(file, line, text, x, ct_from_doubles(ctx, CT_F64, shape, expected), i, wrong,
               expected[i]);
}

void values_check_equal(const char *file, int line, const char *x_text, const char *y_text,
                        ct_tensor *x, ct_tensor *y, int bitwise)
{
    char text[512];

    snprintf(text, sizeof text, "%s, compared with %s,", x_text, y_text);
    if (!ct_equal(x, y)) {
        report(file, line, text, x, y, SIZE_MAX, 0, 0);
        return;
    }
    size_t bytes = (size_t)ct_size(x) * ct_dtype_bytes(ct_dtype_of(x));
    if (bitwise && bytes > 0 && memcmp(ct_data(x), ct_data(y), bytes) != 0)
        report(file, line, text, x, y, SIZE_MAX, 0, 0);
}

/* ---- Errors. */

void values_check_error(const char *file, int line, ct_context *ctx, ct_status status,
                        const char *part)
{
    if (ct_error_status(ctx) != status || !strstr(ct_error_message(ctx), part))
        check_fail(file, line, "the error is %d (%s) \"%s\" instead of %d (%s) \"…%s…\"",
                   (int)ct_error_status(ctx), ct_status_name(ct_error_status(ctx)),
                   ct_error_message(ctx), (int)status, ct_status_name(status), part);
    ct_error_clear(ctx);
}

void values_check_ok(const char *file, int line, const ct_context *ctx)
{
    if (ct_failed(ctx))
        check_fail(file, line, "there is an error: %s", ct_error_message(ctx));
}

/* ---- Allocations that fail. */

typedef struct meter {
    long left;   /* allocations until one fails */
    long blocks; /* that are in use */
} meter;

static void *allocate(void *user, size_t bytes, size_t align)
{
    meter *m = user;
    void *memory = NULL;

    if (--m->left == 0 || posix_memalign(&memory, align < sizeof memory ? sizeof memory : align,
                                         bytes > 0 ? bytes : 1) != 0)
        return NULL;
    m->blocks++;
    return memory;
}

static void release(void *user, void *memory, size_t bytes)
{
    meter *m = user;

    (void)bytes;
    if (memory)
        m->blocks--;
    free(memory);
}

static bool noted;

void values_note_memory(void)
{
    noted = true;
}

/* The message of an allocation that failed: "loss.c:42: add: out of memory", where `file` (if it is
 * not NULL) comes first. */
static void check_memory_message(const char *at_file, int line, const char *message,
                                 const char *file, long n)
{
    const char *end = strstr(message, ": out of memory");

    if (!end || end == message)
        check_fail(at_file, line,
                   "when allocation %ld fails, the message does not say what ran out "
                   "of memory: %s",
                   n, message);
    if (file && (strncmp(message, file, strlen(file)) != 0 || message[strlen(file)] != ':'))
        check_fail(at_file, line, "when allocation %ld fails, the message does not say where: %s",
                   n, message);
}

/* With sanitizers, where a body takes many times as long, one of three after the first ones. */
#ifdef CT_SANITIZED
enum { ALL_FIRST = 50, STEP = 3 };
#else
enum { ALL_FIRST = 50, STEP = 1 };
#endif

void values_check_allocations(const char *file, int line, void (*body)(ct_context *ctx),
                              const char *place)
{
    for (long n = 1; n <= 100000; n += n < ALL_FIRST ? 1 : STEP) {
        meter m = {.left = n};
        ct_allocator allocator = {sizeof allocator, &m, allocate, release};
        ct_context *ctx = ct_context_new_with(&allocator);
        char message[512];

        bool made = !ct_failed(ctx);
        noted = false;
        if (made)
            body(ctx);
        ct_status status = ct_error_status(ctx);
        snprintf(message, sizeof message, "%s", ct_error_message(ctx));
        ct_context_free(ctx);
        if (m.blocks != 0)
            check_fail(file, line, "%ld blocks are left when allocation %ld fails", m.blocks, n);
        if (m.left > 0) {
            if (status != CT_OK)
                check_fail(file, line, "error %d with enough memory: %s", (int)status, message);
            return;
        }
        if (status == CT_OK && noted)
            continue;
        if (status != CT_ERR_MEMORY)
            check_fail(file, line, "the status is %d when allocation %ld fails: %s", (int)status, n,
                       message);
        if (made)
            check_memory_message(file, line, message, place, n);
    }
    check_fail(file, line, "100000 allocations were not enough");
}
