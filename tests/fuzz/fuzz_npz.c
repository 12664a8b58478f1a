/* Any bytes as a .npz archive: its members are found by their names. */
#include "tests/fuzz/fuzz.h"

#include "interop/npy.h"

#include <cotangent/tensor.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_meter meter = {0, 0};
    ct_context *ctx = fuzz_context(&meter);
    ct_npz *archive = ct__read_npz_bytes(ctx, CT_HERE, "fuzz", data, size);
    if (ct_failed(ctx) && ct_npz_count(archive) > 0)
        fuzz_finding("a poisoned archive has members", ct_error_message(ctx));
    for (size_t i = 0; i < ct_npz_count(archive); i++) {
        ct_tensor *x = ct_npz_tensor(archive, i),
                  *y = ct_npz_find(archive, ct_npz_name(archive, i));
        if (!y || ct_is_poison(x))
            fuzz_finding("a member is not found", ct_npz_name(archive, i));
    }
    fuzz_end(ctx, &meter);
    return 0;
}
