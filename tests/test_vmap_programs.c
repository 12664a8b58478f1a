/* The programs of the golden derivatives, and their derivatives, vectorised against a loop over
 * their lanes. */
#include "tests/lanes.h"

#include <cotangent/cotangent.h>

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
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

/* Two lanes: x, and a little larger where it is of floats. */
static ct_tensor *two_lanes(ct_tensor *x)
{
    int64_t dim[65] = {1};
    ct_tensor *other = x;
    for (size_t d = 0; d < ct_rank(x); d++)
        dim[d + 1] = ct_dim(x, (int64_t)d);
    if (ct_dtype_is_float(ct_dtype_of(x)))
        other = ct_op_multiply(x,
                               ct_full(ct_context_of(x), ct_dtype_of(x), ct_shape_of(x), 1.0625));
    ct_dims shape = {ct_rank(x) + 1, dim};
    return ct_op_concatenate(CT_ARGV(ct_op_reshape(x, shape), ct_op_reshape(other, shape)), 0);
}

/* Both are near, element by element: lanes may be added up in another order. */
static void check_near(ct_tensor *x, ct_tensor *y, const char *what)
{
    int64_t n = ct_size(x);
    double *a = malloc((size_t)(n + 1) * sizeof *a), *b = malloc((size_t)(n + 1) * sizeof *b);
    double bound = ct_dtype_of(x) == CT_F64 ? 1e-9 : ct_dtype_of(x) == CT_F32 ? 1e-4 : 0.05;
    double largest = 1;
    bool near = ct_to_doubles(x, a, (size_t)n) && ct_to_doubles(y, b, (size_t)n);
    for (int64_t i = 0; i < n; i++)
        largest = isfinite(b[i]) && fabs(b[i]) > largest ? fabs(b[i]) : largest;
    for (int64_t i = 0; near && i < n; i++)
        near = a[i] == b[i] || (isnan(a[i]) && isnan(b[i])) || fabs(a[i] - b[i]) <= bound * largest;
    free(a);
    free(b);
    CHECK_MSG(near, "%s: vjp of vmap and vmap of vjp differ: %s and %s", what, ct_text(x),
              ct_text(y));
}

/* The derivative of all lanes at once is the lanes' derivative. */
static void check_order(ct_context *ctx, ct_function *f, ct_function *vjp, ct_tensor *const *like,
                        const char *what)
{
    ct_tensor *argument[MOST], *a[MOST], *b[MOST];
    size_t n = ct_function_parameters(vjp), count = ct_function_results(vjp);
    for (size_t i = 0; i < n; i++)
        argument[i] = two_lanes(like[i]);
    ct_apply(ct_vmap_leading(vjp, 2), CT_LIST(n, argument), a, count);
    ct_apply(ct_vjp(ct_vmap_leading(f, 2), CT_ALL_ARGS), CT_LIST(n, argument), b, count);
    CHECK_MSG(!ct_failed(ctx), "%s: %s", what, ct_error_message(ctx));
    for (size_t i = 0; i < count; i++) {
        CHECK_MSG(ct_dtype_of(a[i]) == ct_dtype_of(b[i]) && ct_size(a[i]) == ct_size(b[i]), "%s",
                  what);
        if (!ct_equal(a[i], b[i]) && ct_dtype_is_float(ct_dtype_of(a[i])))
            check_near(a[i], b[i], what);
    }
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
    if (has_rule && count > 0 && count == ct_function_parameters(g)) {
        check_some_ways(ctx, g, like, seed + 10, path);
        check_order(ctx, f, g, like, path);
    }
    ct_context_free(ctx);
}

static void check_folder(const char *folder)
{
    char path[1024];
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

/* The part in the tree, then all of them where they are. */
#define FAMILY(name)                                                                               \
    TEST(name)                                                                                     \
    {                                                                                              \
        check_folder(CT_SOURCE_DIR "/tests/gradients/" #name);                                     \
        check_folder(SHARED("gradients/cases/" #name));                                            \
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
