/* Programs that JAX exported (tests/interop/), run on its inputs, give its outputs; and the text
 * that is printed of them is read back as the same text. */
#include "tests/values.h"

#include <cotangent/cotangent.h>
#include <cotangent/module.h>
#include <cotangent/npy.h>

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 100 };

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The names of all programs, sorted, without ".mlir"; to be freed. */
static size_t list_programs(char *name[MOST])
{
    char path[1024];
    snprintf(path, sizeof path, "%s/tests/interop", CT_SOURCE_DIR);
    DIR *folder = opendir(path);
    CHECK(folder != NULL);
    size_t count = 0;
    for (struct dirent *entry; (entry = readdir(folder)) && count < MOST;) {
        size_t length = strlen(entry->d_name);
        if (length > 5 && strcmp(entry->d_name + length - 5, ".mlir") == 0)
            name[count++] = strndup(entry->d_name, length - 5);
    }
    closedir(folder);
    qsort(name, count, sizeof *name, compare_names);
    return count;
}

/* How far two libraries' elementary functions and orders of summation may lie apart. */
static double tolerance(ct_dtype dtype)
{
    switch (dtype) {
    case CT_F64:
    case CT_C128: return 1e-12;
    case CT_F32:
    case CT_C64: return 2e-5;
    case CT_F16:
    case CT_BF16: return 1e-2;
    default: return 0;
    }
}

static bool is_near(double got, double want, double bound)
{
    return got == want || (isnan(got) && isnan(want)) ||
           fabs(got - want) <= bound * (1 + fabs(want));
}

/* Both parts of complex tensors, one after the other. */
static ct_tensor *parts(ct_tensor *x)
{
    bool wide = ct_dtype_of(x) == CT_C128;
    if (!ct_dtype_is_complex(ct_dtype_of(x)))
        return x;
    return ct_from_data(ct_context_of(x), wide ? CT_F64 : CT_F32, CT_SHAPE(2 * ct_size(x)),
                        ct_data(x));
}

static void check_output(const char *program, size_t i, ct_tensor *got, ct_tensor *want)
{
    CHECK_MSG(strcmp(ct_type_text(got), ct_type_text(want)) == 0, "%s: output %zu is %s, not %s",
              program, i, ct_type_text(got), ct_type_text(want));
    double bound = tolerance(ct_dtype_of(want));
    got = parts(got);
    want = parts(want);
    size_t count = (size_t)ct_size(want);
    double *g = calloc(count + 1, sizeof *g), *w = calloc(count + 1, sizeof *w);
    CHECK(g && w && ct_to_doubles(got, g, count) && ct_to_doubles(want, w, count));
    for (size_t k = 0; k < count; k++)
        CHECK_MSG(is_near(g[k], w[k], bound), "%s: output %zu, element %zu is %.17g, not %.17g",
                  program, i, k, g[k], w[k]);
    free(g);
    free(w);
}

static ct_tensor *array(ct_npz *archive, const char *kind, size_t i)
{
    char name[32];
    snprintf(name, sizeof name, "%s%zu", kind, i);
    return ct_npz_find(archive, name);
}

static ct_module *read_program(ct_context *ctx, const char *program)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/tests/interop/%s.mlir", CT_SOURCE_DIR, program);
    ct_module *module = ct_read_stablehlo(ctx, path);
    CHECK_MSG(!ct_failed(ctx), "%s: %s", program, ct_error_message(ctx));
    return module;
}

static ct_npz *read_archive(ct_context *ctx, const char *program)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/tests/interop/%s.npz", CT_SOURCE_DIR, program);
    ct_npz *archive = ct_read_npz(ctx, path);
    CHECK_MSG(!ct_failed(ctx), "%s: %s", program, ct_error_message(ctx));
    return archive;
}

static bool is_argument(const ct_npz *archive, size_t i)
{
    return strncmp(ct_npz_name(archive, i), "in", 2) == 0;
}

/* @main for the archive's arguments, in[0], in[1], ... */
static ct_function *read_main(ct_context *ctx, const char *program, ct_npz *archive,
                              ct_tensor *in[MOST])
{
    size_t n_in = 0;
    for (size_t i = 0; i < ct_npz_count(archive); i++)
        n_in += is_argument(archive, i);
    CHECK(n_in < MOST);
    for (size_t i = 0; i < n_in; i++)
        in[i] = array(archive, "in", i);
    ct_function *f = ct_specialize(read_program(ctx, program), NULL, CT_LIST(n_in, in));
    CHECK_MSG(!ct_failed(ctx), "%s: %s", program, ct_error_message(ctx));
    return f;
}

static void run_program(const char *program)
{
    ct_context *ctx = ct_context_new();
    ct_npz *archive = read_archive(ctx, program);
    ct_tensor *in[MOST], *out[MOST];
    ct_function *f = read_main(ctx, program, archive, in);
    size_t n_in = ct_function_parameters(f), n_out = ct_function_results(f);
    CHECK(n_out < MOST);
    CHECK_MSG(ct_npz_count(archive) == n_in + n_out, "%s: the archive has %zu arrays", program,
              ct_npz_count(archive));
    ct_apply(f, CT_LIST(n_in, in), out, n_out);
    CHECK_MSG(!ct_failed(ctx), "%s: %s", program, ct_error_message(ctx));
    for (size_t i = 0; i < n_out; i++)
        check_output(program, i, out[i], array(archive, "out", i));
    ct_context_free(ctx);
}

TEST(programs_of_jax_give_its_outputs)
{
    char *name[MOST];
    size_t count = list_programs(name);
    CHECK_MSG(count >= 56, "only %zu programs", count);
    for (size_t i = 0; i < count; i++) {
        run_program(name[i]);
        free(name[i]);
    }
}

TEST(what_is_printed_of_them_is_read_back)
{
    char *name[MOST];
    size_t count = list_programs(name);
    for (size_t i = 0; i < count; i++) {
        ct_context *ctx = ct_context_new();
        ct_tensor *in[MOST];
        ct_function *f = read_main(ctx, name[i], read_archive(ctx, name[i]), in);
        const char *text = ct_stablehlo_text(f, CT_WRITE_PRETTY);
        ct_module *again = ct_read_stablehlo_text(ctx, name[i], text, strlen(text));
        const char *twice = ct_stablehlo_text(ct_module_function(again, NULL), CT_WRITE_PRETTY);
        CHECK_MSG(!ct_failed(ctx), "%s: %s", name[i], ct_error_message(ctx));
        CHECK_MSG(strcmp(text, twice) == 0, "%s: first\n%s\nthen\n%s", name[i], text, twice);
        ct_context_free(ctx);
        free(name[i]);
    }
}
