/* The programs of the golden derivatives, and their derivatives, vectorised against a loop over
 * their lanes. */
#include "tests/lanes.h"

#include <cotangent/cotangent.h>

#include <dirent.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 64 };

/* Every argument batched, and each alone; in a few axes. */
static void check_some_ways(ct_context *ctx, ct_function *f, ct_tensor *const *like, uint32_t seed,
                            const char *what)
{
    size_t n = ct_function_parameters(f);
    unsigned all = n < 32 ? (1u << n) - 1 : ~0u;
    lanes_check(ctx, f, (lanes_way){3, all, 0, seed, like}, what);
    lanes_check(ctx, f, (lanes_way){2, all, seed % 4, seed + 1, like}, what);
    for (size_t i = 0; n > 1 && i < n && i < 32; i++)
        lanes_check(ctx, f, (lanes_way){2, 1u << i, seed % 3, seed + 2, like}, what);
}

static void results_of(ct_module *module, const char *name, ct_tensor **result, size_t *count)
{
    ct_function *f = ct_module_function(module, name);
    ct_apply(f, CT_NO_TENSORS, result + *count, ct_function_results(f));
    *count += ct_function_results(f);
}

/* The program, and its vjp where there is one. */
static void check_program(const char *path, uint32_t seed)
{
    ct_context *ctx = ct_context_new();
    ct_module *module = ct_read_stablehlo(ctx, path);
    ct_function *f = ct_module_function(module, "main");
    ct_tensor *like[MOST];
    size_t count = 0;
    results_of(module, "inputs", like, &count);
    CHECK_MSG(!ct_failed(ctx), "%s", ct_error_message(ctx));
    if (count > 0)
        check_some_ways(ctx, f, like, seed, path);
    ct_function *g = ct_vjp(f, CT_ALL_ARGS);
    bool has_rule = ct_error_status(ctx) != CT_ERR_RULE;
    CHECK_MSG(!ct_failed(ctx) || !has_rule, "%s: %s", path, ct_error_message(ctx));
    ct_error_clear(ctx);
    results_of(module, "cotangents", like, &count);
    if (has_rule && count > 0 && count == ct_function_parameters(g))
        check_some_ways(ctx, g, like, seed + 10, path);
    ct_context_free(ctx);
}

static void check_folder(const char *family)
{
    char folder[512], path[1024];
    snprintf(folder, sizeof folder, "gradients/cases/%s", family);
    snprintf(folder, sizeof folder, "%s", SHARED(folder));
    DIR *d = opendir(folder);
    CHECK(d != NULL);
    size_t count = 0;
    for (struct dirent *e; (e = readdir(d));) {
        if (!strstr(e->d_name, ".mlir"))
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        check_program(path, (uint32_t)++count);
    }
    closedir(d);
    CHECK(count > 0);
}

#define FAMILY(name)                                                                               \
    TEST(name)                                                                                     \
    {                                                                                              \
        check_folder(#name);                                                                       \
    }

FAMILY(complex)
FAMILY(control_flow)
FAMILY(convert)
FAMILY(convolution)
FAMILY(cumulative)
FAMILY(dot)
FAMILY(dynamic_slice)
FAMILY(einsum)
FAMILY(elementwise_binary)
FAMILY(elementwise_composite)
FAMILY(elementwise_unary)
FAMILY(fft)
FAMILY(gather)
FAMILY(hard_point)
FAMILY(jnp_indexing)
FAMILY(linear_algebra)
FAMILY(out_of_range_dynamic_slice)
FAMILY(out_of_range_gather)
FAMILY(out_of_range_scatter)
FAMILY(program)
FAMILY(random)
FAMILY(reduce_general)
FAMILY(reduce_window)
FAMILY(reduction)
FAMILY(scan)
FAMILY(scatter)
FAMILY(select_and_scatter)
FAMILY(shape)
FAMILY(sort)
FAMILY(vmapped)
