/* Any bytes as a .npy file: an array that is read is written and read again, to the same bits. */
#include "tests/fuzz/fuzz.h"

#include "interop/npy.h"

#include <cotangent/tensor.h>

typedef struct file {
    unsigned char *bytes;
    size_t count, capacity;
} file;

static bool append(void *user, const void *bytes, size_t count)
{
    file *f = user;
    if (count > f->capacity - f->count)
        fuzz_finding("more is written than was told", "");
    if (count > 0)
        memcpy(f->bytes + f->count, bytes, count);
    f->count += count;
    return true;
}

static bool same_bits(ct_tensor *x, ct_tensor *y)
{
    return ct_equal(x, y) &&
           (ct_size(x) == 0 || memcmp(ct_data(x), ct_data(y),
                                      (size_t)ct_size(x) * ct_dtype_bytes(ct_dtype_of(x))) == 0);
}

static void check_written(ct_context *ctx, ct_tensor *x)
{
    uint64_t size;
    if (!ct__npy_bytes(ctx, CT_HERE, "write", x, &size))
        return;
    file f = {malloc((size_t)size), 0, (size_t)size};
    if (f.bytes && ct__write_npy_sink(ctx, CT_HERE, "write", x, append, &f)) {
        ct_tensor *again = ct__read_npy_bytes(ctx, CT_HERE, "written", f.bytes, f.count);
        if (ct_error_status(ctx) != CT_ERR_MEMORY &&
            (f.count != f.capacity || !same_bits(x, again)))
            fuzz_finding("what is written is not read back", ct_error_message(ctx));
    }
    free(f.bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_meter meter = {0, 0};
    ct_context *ctx = fuzz_context(&meter);
    ct_tensor *x = ct__read_npy_bytes(ctx, CT_HERE, "fuzz", data, size);
    if (!ct_failed(ctx))
        check_written(ctx, x);
    fuzz_end(ctx, &meter);
    return 0;
}
