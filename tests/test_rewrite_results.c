/* Rewrites change no result: of random programs, of every sample, of the conformance files. */
#include "tests/samples.h"
#include "tests/values.h"

#include <cotangent/checks.h>
#include <cotangent/module.h>
#include <cotangent/op.h>
#include <cotangent/rewrite.h>

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- Random programs: the same bits. */

static uint64_t state;

static size_t pick(size_t below)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (size_t)(state >> 33) % below;
}

static ct_tensor *random_unary(ct_tensor *x)
{
    switch (pick(12)) {
    case 0: return ct_op_negate(x);
    case 1: return ct_op_abs(x);
    case 2: return ct_op_tanh(x);
    case 3: return ct_op_transpose(x, CT_DIMS(1, 0));
    case 4: return ct_op_reverse(x, pick(2) ? CT_DIMS(0) : CT_DIMS(0, 1));
    case 5: return ct_op_reshape(ct_op_reshape(x, CT_SHAPE(9)), CT_SHAPE(3, 3));
    case 6: return ct_op_floor(x);
    case 7: return ct_op_convert(ct_op_convert(x, pick(2) ? CT_F64 : CT_F16), CT_F32);
    case 8:
        return ct_op_broadcast_in_dim(ct_op_slice(x, CT_DIMS(1, 0), CT_DIMS(2, 3), CT_DIMS(1, 1)),
                                      CT_SHAPE(3, 3), CT_DIMS(0, 1));
    case 9:
        return ct_op_broadcast_in_dim(ct_op_reduce_add(x, CT_DIMS(0)), CT_SHAPE(3, 3), CT_DIMS(1));
    case 10:
        return ct_op_slice(ct_op_concatenate(CT_ARGV(x, ct_op_negate(x)), 0),
                           pick(2) ? CT_DIMS(3, 0) : CT_DIMS(3, 0), CT_DIMS(6, 3), CT_DIMS(1, 1));
    default:
        return ct_op_pad(x, ct_scalar(ct_context_of(x), CT_F32, 0), CT_DIMS(1, 0), CT_DIMS(-1, 0),
                         CT_DIMS(0, 0));
    }
}

static ct_tensor *random_constant(ct_tensor *x)
{
    static const double values[] = {0, -0.0, 1, -1, INFINITY, -INFINITY, NAN, 2};
    return ct_full(ct_context_of(x), CT_F32, CT_SHAPE(3, 3), values[pick(8)]);
}

static ct_tensor *random_binary(ct_tensor *x, ct_tensor *y)
{
    switch (pick(7)) {
    case 0: return ct_op_add(x, y);
    case 1: return ct_op_subtract(x, y);
    case 2: return ct_op_multiply(x, y);
    case 3: return ct_op_divide(x, y);
    case 4: return ct_op_maximum(x, y);
    case 5: return ct_op_scale(x, y);
    default: return ct_op_select(ct_op_compare(x, y, CT_LT, CT_COMPARE_DEFAULT), x, y);
    }
}

enum { MADE = 40 };

static void random_program(void *user, ct_list p, ct_tensor **r)
{
    ct_tensor *made[MADE + 2] = {p.item[0], p.item[1]};
    (void)user;
    for (size_t i = 2; i < MADE + 2; i++) {
        ct_tensor *x = made[pick(i)];
        ct_tensor *y = pick(4) ? made[pick(i)] : random_constant(p.item[0]);
        made[i] = pick(2) ? random_unary(x) : pick(4) ? random_binary(x, y) : random_binary(y, x);
    }
    for (size_t i = 0; i < 4; i++)
        r[i] = made[MADE + 1 - i];
}

TEST(random_programs)
{
    ct_context *ctx = ct_context_new();
    size_t before = 0, after = 0;
    for (uint64_t seed = 1; seed <= 300; seed++) {
        ct_scope scope = ct_scope_begin(ctx);
        state = seed * 7919;
        ct_tensor *x = given(ctx, CT_F32, CT_SHAPE(3, 3),
                             {0, -0.0, 1.5, -1, INFINITY, NAN, -2.25, 1e-40, 3e38});
        ct_tensor *y = given(ctx, CT_F32, CT_SHAPE(3, 3),
                             {-0.0, 0, 0.5, 7, -INFINITY, 1, NAN, -1e-40, -3e38});
        ct_tensor *want[4], *got[4];
        ct_function *f = ct_trace_many(ctx, random_program, NULL, 4, CT_LIKE(x, y));
        ct_function *g = ct_simplify(f);
        ct_apply(f, CT_ARGV(x, y), want, 4);
        ct_apply(g, CT_ARGV(x, y), got, 4);
        CHECK_OK(ctx);
        before += ct_function_operations(f);
        after += ct_function_operations(g);
        CHECK_MSG(ct_function_operations(g) <= ct_function_operations(f), "seed %d", (int)seed);
        CHECK_MSG(strcmp(ct_stablehlo_text(ct_simplify(g), 0), ct_stablehlo_text(g, 0)) == 0,
                  "seed %d: not a fixed point", (int)seed);
        for (size_t i = 0; i < 4; i++)
            CHECK_MSG(ct_equal(got[i], want[i]), "seed %d, result %zu", (int)seed, i);
        for (size_t i = 0; i < 4; i++) /* ct_equal takes -0 for 0; dividing shows the sign */
            CHECK_EQUAL(ct_op_divide(ct_ones(ctx, CT_F32, CT_SHAPE(3, 3)), got[i]),
                        ct_op_divide(ct_ones(ctx, CT_F32, CT_SHAPE(3, 3)), want[i]));
        ct_scope_end(scope);
    }
    CHECK_MSG(after < before * 9 / 10, "%zu operations, before %zu", after, before);
    ct_context_free(ctx);
}

/* ---- Every operation: what has been simplified is printed and read back, and stays simple. */

static ct_function *read_again(ct_context *ctx, const char *text)
{
    ct_function *f = ct_module_function(ct_read_stablehlo_text(ctx, "test", text, strlen(text)),
                                        NULL);
    CHECK_OK(ctx);
    return f;
}

TEST(samples_stay_well_formed)
{
    ct_context *ctx = ct_context_new();
    for (size_t i = 0; i < n_samples; i++) {
        ct_scope scope = ct_scope_begin(ctx);
        ct_function *f = samples[i].make(ctx), *g = ct_simplify(f);
        CHECK_OK(ctx);
        CHECK(ct_function_parameters(g) == ct_function_parameters(f));
        CHECK(ct_function_results(g) == ct_function_results(f));
        CHECK_MSG(ct_function_operations(g) <= ct_function_operations(f), "%s", samples[i].name);
        const char *text = ct_stablehlo_text(g, CT_WRITE_PLACES);
        CHECK_OK(ctx);
        ct_function *again = read_again(ctx, text);
        CHECK_MSG(strcmp(ct_stablehlo_text(again, CT_WRITE_PLACES), text) == 0, "%s",
                  samples[i].name);
        ct_function *inlined = ct_inline(f);
        CHECK_OK(ctx);
        read_again(ctx, ct_stablehlo_text(inlined, 0));
        ct_scope_end(scope);
    }
    ct_context_free(ctx);
}

/* ---- The conformance files: their checks pass as before. */

enum { RESULTS = 64 };

static size_t run_file(const char *path, bool inlined)
{
    ct_context *ctx = ct_context_new();
    ct_checks *checks = ct_checks_new(ctx);
    ct_tensor *result[RESULTS];
    ct_function *f = ct_module_function(ct_read_stablehlo(ctx, path), NULL);
    size_t done = 0;
    if (!ct_failed(ctx) && ct_function_parameters(f) == 0 && ct_function_results(f) <= RESULTS) {
        ct_function *g = ct_simplify(inlined ? ct_inline(f) : f);
        ct_apply(g, CT_NO_TENSORS, result, ct_function_results(g));
        CHECK_MSG(!ct_failed(ctx), "%s: %s", path, ct_error_message(ctx));
        CHECK_MSG(ct_checks_failed(checks) == 0, "%s: %s", path, ct_checks_failure(checks, 0));
        done = ct_checks_done(checks);
    }
    ct_context_free(ctx);
    return done;
}

TEST(conformance_files)
{
    const char *folder = CT_SOURCE_DIR "/tests/conformance";
    DIR *list = opendir(folder);
    size_t files = 0, checks = 0;
    CHECK(list);
    for (struct dirent *entry; (entry = readdir(list));) {
        char path[1024];
        const char *end = strstr(entry->d_name, ".mlir");
        if (!end || end[5])
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        checks += run_file(path, files % 2);
        files++;
    }
    closedir(list);
    CHECK_MSG(checks >= 400 && files >= 500, "%zu checks in %zu files", checks, files);
}
