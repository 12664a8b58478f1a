/* dot_general, however its axes lie: machine numerics against the reference ones on whole numbers,
 * where every order of a sum gives the same. */
#include "tests/values.h"

#include <cotangent/cotangent.h>

#include <stdlib.h>
#include <string.h>

/* Axes of operands, each with its extent: a letter is a batch axis (b, c), a free one (i, j), or a
 * contracted one (k, l). */
typedef struct layout {
    const char *left, *right;
} layout;

static const layout layouts[] = {
    {"ik", "kj"},     {"ki", "kj"},     {"ik", "jk"},     {"ki", "jk"},     {"bik", "bkj"},
    {"ibk", "kbj"},   {"bcik", "bckj"}, {"bcik", "cbkj"}, {"ikbc", "bkcj"}, {"bikl", "bklj"},
    {"bikl", "blkj"}, {"ikl", "klj"},   {"kil", "lkj"},   {"k", "k"},       {"ik", "k"},
    {"k", "kj"},      {"k", "jk"},      {"ki", "k"},      {"i", "j"},       {"bi", "bj"},
    {"biI", "biIjJ"}, {"iIk", "kjJ"},   {"Iki", "Jkj"},   {"iIkl", "jJkl"}, {"ickb", "jckb"},
    {"b", "b"},       {"bk", "bk"},
};

static int64_t extent(char axis, int64_t scale)
{
    static const char names[] = "bcijklIJ";
    static const int64_t small[] = {3, 2, 5, 7, 4, 3, 2, 3};
    const int64_t e = small[strchr(names, axis) - names];
    return strchr("ijk", axis) ? e * scale : e;
}

static bool is_batch(const layout *l, char axis)
{
    return strchr(l->left, axis) && strchr(l->right, axis) && !strchr("kl", axis);
}

static const layout *current;

static ct_tensor *product(ct_tensor *x, ct_tensor *y)
{
    int64_t batch[2][8], contracted[2][8];
    size_t n_batch = 0, n_contracted = 0;
    for (const char *a = current->left; *a; a++) {
        const char *b = strchr(current->right, *a);
        if (!b)
            continue;
        int64_t(*axes)[8] = is_batch(current, *a) ? batch : contracted;
        size_t *n = is_batch(current, *a) ? &n_batch : &n_contracted;
        axes[0][*n] = a - current->left;
        axes[1][(*n)++] = b - current->right;
    }
    const ct_dot_dims dims = {.lhs_batching = {n_batch, batch[0]},
                              .rhs_batching = {n_batch, batch[1]},
                              .lhs_contracting = {n_contracted, contracted[0]},
                              .rhs_contracting = {n_contracted, contracted[1]}};
    return ct_op_dot_general(x, y, &dims);
}

static ct_tensor *whole(ct_context *ctx, ct_dtype dtype, const char *axes, int64_t scale)
{
    int64_t dim[8], size = 1;
    const size_t rank = strlen(axes);
    for (size_t d = 0; d < rank; d++)
        size *= dim[d] = extent(axes[d], scale);
    double *x = calloc((size_t)size + 1, sizeof *x);
    CHECK(x);
    for (int64_t i = 0; i < size; i++)
        x[i] = (double)(i * 7 % 5 - 2);
    ct_tensor *y = ct_from_doubles(ctx, dtype, (ct_shape){rank, dim}, x);
    free(x);
    return y;
}

static ct_tensor *run(ct_function *f, ct_executor executor, ct_list arguments)
{
    const ct_compile_options options = {.size = sizeof options, .executor = executor};
    return ct_call1(ct_compile(f, &options), arguments);
}

TEST(products_of_all_layouts)
{
    static const ct_dtype dtypes[] = {CT_F32, CT_F64, CT_F16, CT_BF16, CT_I32, CT_C64};
    ct_context *ctx = ct_context_new();
    for (size_t l = 0; l < sizeof layouts / sizeof *layouts; l++)
        for (size_t t = 0; t < sizeof dtypes / sizeof *dtypes; t++)
            for (int64_t scale = 0; scale <= 9; scale += scale < 2 ? 1 : 7) {
                ct_scope scope = ct_scope_begin(ctx);
                current = &layouts[l];
                ct_list arguments = CT_ARGV(whole(ctx, dtypes[t], current->left, scale),
                                            whole(ctx, dtypes[t], current->right, scale));
                ct_function *f = ct_trace(ctx, product, arguments);
                ct_tensor *want = run(f, CT_EXECUTOR_INTERPRETER, arguments);
                ct_tensor *got = run(f, CT_EXECUTOR_MACHINE, arguments);
                CHECK_OK(ctx);
                CHECK_MSG(memcmp(ct_data(got), ct_data(want),
                                 (size_t)ct_size(want) * ct_dtype_bytes(dtypes[t])) == 0,
                          "%s %s, %s, scale %d", current->left, current->right,
                          ct_dtype_name(dtypes[t]), (int)scale);
                ct_scope_end(scope);
            }
    ct_context_free(ctx);
}
