/* What reverse mode keeps: bytes and places, by hand; as many as ct_linearize gives. */
#include "tests/values.h"

#include <cotangent/cotangent.h>

#include <dirent.h>
#include <stdio.h>
#include <string.h>

/* Lines on which the programs below do something; recorded by MARK as they are traced. */
static int lines[8];
#define MARK(i, ...) (lines[i] = __LINE__, (__VA_ARGS__))

static ct_tensor *total(ct_tensor *x)
{
    return ct_sum(x, CT_ALL_AXES, CT_DROP_AXES);
}

/* Bytes of a tensor; 0 of a stack. */
static uint64_t bytes_of(const ct_type *type)
{
    ct_shape shape = ct_type_shape(type);
    ct_dtype dtype = ct_type_dtype(type);
    uint64_t bytes = dtype == CT_INVALID_DTYPE ? 0 : ct_dtype_bytes(dtype);
    for (size_t d = 0; d < shape.count; d++)
        bytes *= (uint64_t)shape.dim[d];
    return bytes;
}

/* Whether all that ct_linearize hands on of it is one tensor. */
static bool is_tensor(const ct_residual *item)
{
    bool all_scans = true;
    for (size_t i = 0; i < item->n_loops; i++)
        all_scans = all_scans && strcmp(item->loop[i].operation, "scan") == 0;
    return item->kind != CT_RESIDUAL_RECOMPUTED && all_scans;
}

/* The report, after comparing it with the residuals of ct_linearize: how many, and their bytes but
 * for stacks. */
static ct_residual_report *reported(ct_function *f, ct_args wrt)
{
    ct_residual_report *report = ct_residuals(f, wrt);
    ct_linearized split = ct_linearize(f, wrt);
    size_t own = 0, n = ct_function_results(f);
    uint64_t told = 0, bytes = 0;
    for (size_t i = 0; i < ct_residuals_count(report); i++) {
        const ct_residual *item = ct_residuals_item(report, i);
        own += item->kind != CT_RESIDUAL_RECOMPUTED;
        told += is_tensor(item) ? item->bytes : 0;
    }
    for (size_t i = 0; i < split.n_residuals; i++)
        bytes += bytes_of(ct_result_type(split.primal, n + i));
    CHECK_OK(ct_function_context(f));
    CHECK_MSG(own == split.n_residuals && told == bytes,
              "%s: %zu of %llu bytes are listed, %zu of %llu bytes are residuals:\n%s",
              ct_function_name(f), own, (unsigned long long)told, split.n_residuals,
              (unsigned long long)bytes, ct_residuals_text(report));
    return report;
}

/* Bytes kept, of arguments, recomputed; then kept and recomputed in an iteration. */
#define CHECK_TOTALS(report, ...) check_totals(__LINE__, report, (const uint64_t[5]){__VA_ARGS__})
static void check_totals(int line, const ct_residual_report *report, const uint64_t *expected)
{
    const uint64_t found[] = {ct_residuals_bytes(report, CT_RESIDUAL_KEPT),
                              ct_residuals_bytes(report, CT_RESIDUAL_ARGUMENT),
                              ct_residuals_bytes(report, CT_RESIDUAL_RECOMPUTED),
                              ct_residuals_iteration_bytes(report, CT_RESIDUAL_KEPT),
                              ct_residuals_iteration_bytes(report, CT_RESIDUAL_RECOMPUTED)};
    if (memcmp(found, expected, sizeof found) != 0)
        check_fail(__FILE__, line, "the totals differ:\n%s", ct_residuals_text(report));
}

static bool is_here(ct_place place, int mark)
{
    return place.file && strstr(place.file, "test_residuals.c") && place.line == lines[mark];
}

/* An origin of the item is this operation at the mark. */
static bool is_made_by(const ct_residual *item, const char *operation, int mark)
{
    for (size_t i = 0; item && i < item->n_origins; i++)
        if (strcmp(item->origin[i].operation, operation) == 0 &&
            is_here(item->origin[i].place, mark))
            return true;
    return false;
}

/* The only item so made; NULL when there is none or more. */
static const ct_residual *made_by(const ct_residual_report *report, const char *operation, int mark)
{
    const ct_residual *found = NULL;
    for (size_t i = 0; i < ct_residuals_count(report); i++) {
        const ct_residual *item = ct_residuals_item(report, i);
        if (!is_made_by(item, operation, mark))
            continue;
        if (found)
            return NULL;
        found = item;
    }
    return found;
}

static bool has_type(const ct_residual *item, ct_dtype dtype, ct_shape shape)
{
    ct_shape own = ct_type_shape(item->type);
    return ct_type_dtype(item->type) == dtype && own.count == shape.count &&
           memcmp(own.dim, shape.dim, own.count * sizeof *own.dim) == 0;
}

/* ---- Straight programs. */

static ct_tensor *chain(ct_tensor *x)
{
    x = MARK(0, ct_tanh(x));
    x = MARK(1, ct_tanh(x));
    return total(MARK(2, ct_tanh(x)));
}

/* Of each 1 - y². */
TEST(one_for_each_step_of_a_chain)
{
    ct_context *ctx = ct_context_new();
    ct_function *f = ct_trace(ctx, chain, CT_LIKE(ct_spec(ctx, CT_F32, CT_SHAPE(2, 5))));
    ct_residual_report *report = reported(f, CT_ALL_ARGS);
    CHECK_TOTALS(report, 3 * 10 * 4);
    CHECK(ct_residuals_count(report) == 3);
    for (size_t i = 0; i < 3; i++) {
        const ct_residual *item = ct_residuals_item(report, i);
        CHECK(item->kind == CT_RESIDUAL_KEPT && item->n_loops == 0 && item->n_origins == 1);
        CHECK(has_type(item, CT_F32, CT_SHAPE(2, 5)) && item->bytes == 40 && !item->is_uncounted);
        CHECK(is_here(item->origin[0].place, (int)i));
    }
    CHECK(!ct_residuals_item(report, 3));
    ct_context_free(ctx);
}

static ct_tensor *product(ct_tensor *x, ct_tensor *y)
{
    return ct_mul(x, y);
}

static ct_tensor *named(ct_tensor *x, ct_tensor *y)
{
    ct_tensor *wave = ct_name(MARK(0, ct_sin(ct_name(x, "angle"))), "wave");
    return ct_mul(ct_mul(wave, ct_name(y, "size")), 3);
}

TEST(factors)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = ct_spec(ctx, CT_F64, CT_SHAPE(3));
    ct_function *f = ct_trace(ctx, product, CT_LIKE(x, x));
    CHECK_TOTALS(reported(f, CT_ALL_ARGS), 0, 2 * 24);
    ct_residual_report *report = reported(f, CT_ARGS(1));
    CHECK_TOTALS(report, 0, 24);
    CHECK(ct_residuals_item(report, 0)->argument == 0);
    CHECK(strstr(ct_residuals_text(report), "argument 0"));

    report = reported(ct_trace(ctx, named, CT_LIKE(x, x)), CT_ALL_ARGS); /* 3 is not kept */
    CHECK_TOTALS(report, 2 * 24, 24);
    const ct_residual *wave = made_by(report, "sine", 0);
    CHECK(wave && strcmp(wave->origin[0].name, "wave") == 0);
    CHECK(strstr(ct_residuals_text(report), "sine \"wave\", "));
    CHECK(strstr(ct_residuals_text(report), "argument 1  f64[3]               \"size\"\n"));
    ct_context_free(ctx);
}

/* A linear function keeps nothing. */
static ct_tensor *linear(ct_tensor *x)
{
    return ct_mul(ct_sub(total(x), ct_scalar(ct_context_of(x), CT_F32, 2)), 0.5);
}

TEST(nothing)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = ct_spec(ctx, CT_F32, CT_SHAPE(4)), *none = ct_spec(ctx, CT_F32, CT_SHAPE(0, 7));
    ct_residual_report *report = reported(ct_trace(ctx, linear, CT_LIKE(x)), CT_ALL_ARGS);
    CHECK_TOTALS(report, 0);
    CHECK(strcmp(ct_residuals_text(report), "0 bytes kept\n") == 0);
    CHECK_TOTALS(reported(ct_trace(ctx, chain, CT_LIKE(none)), CT_ALL_ARGS), 0);
    ct_context_free(ctx);
}

static ct_tensor *calls(ct_tensor *x)
{
    ct_function *f = ct_trace(ct_context_of(x), named, CT_LIKE(x, x));
    return total(ct_apply1(f, CT_ARGV(ct_apply1(f, CT_ARGV(x, x)), x)));
}

/* Cosine and sine of both calls, and what goes into the second one's product. */
TEST(in_calls)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = ct_spec(ctx, CT_F64, CT_SHAPE(3));
    ct_residual_report *report = reported(ct_trace(ctx, calls, CT_LIKE(x)), CT_ALL_ARGS);
    CHECK_TOTALS(report, 4 * 24, 24);
    for (size_t i = 0; i < ct_residuals_count(report); i++) {
        const ct_residual *item = ct_residuals_item(report, i);
        CHECK(item->kind == CT_RESIDUAL_ARGUMENT || is_made_by(item, "sine", 0) ||
              is_made_by(item, "cosine", 0));
    }
    ct_context_free(ctx);
}

/* ---- Choices: a place for both branches, and what chose. */

static ct_tensor *steep(void *user)
{
    return MARK(0, ct_exp(user));
}

static ct_tensor *flat(void *user)
{
    ct_tensor *one = MARK(1, ct_sin(user));
    return ct_mul(one, MARK(2, ct_log(user)));
}

static ct_tensor *choice(ct_tensor *x)
{
    return total(ct_if(MARK(3, ct_gt(total(x), 0)), steep, flat, x));
}

TEST(in_branches)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = ct_spec(ctx, CT_F32, CT_SHAPE(6));
    ct_residual_report *report = reported(ct_trace(ctx, choice, CT_LIKE(x)), CT_ALL_ARGS);
    /* exp(x) in a place of cos x, sin x, log x, 1 / x; pred */
    CHECK_TOTALS(report, 4 * 24 + 1);
    const ct_residual *shared = made_by(report, "exponential", 0);
    CHECK(shared && shared->n_origins == 2);
    CHECK(made_by(report, "log", 2) && made_by(report, "compare", 3));
    CHECK(strstr(ct_residuals_text(report), " or "));
    ct_context_free(ctx);
}

/* ---- Loops. */

static void tanh_step(void *user, ct_tensor **carry, ct_tensor *const *x, ct_tensor **y)
{
    ct_tensor *grown = MARK(0, ct_mul(carry[0], MARK(1, ct_exp(user))));
    carry[0] = MARK(2, ct_tanh(ct_add(grown, x[0])));
    (void)y;
}

static ct_tensor *scanned(ct_tensor *x, ct_tensor *xs, ct_tensor *k)
{
    ct_tensor *carry[] = {x};
    MARK(3, ct_scan(tanh_step, k, .length = 10, .n_carry = 1, .carry = carry, .xs = CT_ARGV(xs)));
    return total(carry[0]);
}

/* An iteration's 1 - tanh², and its carry; exp(k), the same in all, once. */
TEST(in_a_scan)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = ct_spec(ctx, CT_F32, CT_SHAPE(5)), *xs = ct_spec(ctx, CT_F32, CT_SHAPE(10, 5));
    ct_function *f = ct_trace(ctx, scanned, CT_LIKE(x, xs, x));
    ct_residual_report *report = reported(f, CT_ARGS(0));
    CHECK_TOTALS(report, 10 * 20 + 20);
    const ct_residual *once = made_by(report, "exponential", 1);
    CHECK(once && once->n_loops == 0 && once->bytes == 20);
    const ct_residual *each = ct_residuals_item(report, 0);
    CHECK(each->n_loops == 1 && each->bytes == 200 && !each->is_uncounted);
    CHECK(each->loop[0].count == 10 && strcmp(each->loop[0].operation, "scan") == 0);
    CHECK(is_here(each->loop[0].place, 3) && is_here(each->origin[0].place, 2));
    CHECK(has_type(each, CT_F32, CT_SHAPE(5)));

    report = reported(f, CT_ALL_ARGS); /* the carry too: it is a factor of k's tangent */
    CHECK_TOTALS(report, 2 * 10 * 20 + 20);
    const ct_residual *carry = made_by(report, "tanh", 2);
    CHECK(carry && carry->bytes == 200 && has_type(carry, CT_F32, CT_SHAPE(5)));
    ct_context_free(ctx);
}

static ct_tensor *is_small(void *user, ct_tensor *const *carry)
{
    (void)user;
    return ct_lt(total(carry[0]), 100);
}

static void squared(void *user, ct_tensor **carry)
{
    (void)user;
    carry[0] = MARK(4, ct_square(carry[0]));
}

static ct_tensor *uncounted(ct_tensor *x)
{
    MARK(1, ct_while(is_small, squared, NULL, 1, &x));
    return total(x);
}

/* The carry of every iteration; how many there were. */
TEST(in_a_while)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = ct_spec(ctx, CT_F32, CT_SHAPE(7));
    ct_residual_report *report = reported(ct_trace(ctx, uncounted, CT_LIKE(x)), CT_ALL_ARGS);
    CHECK_TOTALS(report, 8, 0, 0, 28);
    const ct_residual *each = ct_residuals_item(report, 0);
    CHECK(each->is_uncounted && each->bytes == 28 && each->n_loops == 1);
    CHECK(each->loop[0].count == -1 && strcmp(each->loop[0].operation, "while") == 0);
    CHECK(is_here(each->loop[0].place, 1) && is_here(each->origin[0].place, 4));
    CHECK(strstr(ct_residuals_text(report), "28 bytes an iteration") &&
          strstr(ct_residuals_text(report), "? x f32[7]"));
    ct_context_free(ctx);
}

static void sine_step(void *user, ct_tensor *i, ct_tensor **carry)
{
    (void)user, (void)i;
    carry[0] = MARK(0, ct_sin(carry[0]));
}

static ct_tensor *counted(ct_tensor *x, ct_tensor *n)
{
    ct_context *ctx = ct_context_of(x);
    ct_tensor *three = ct_scalar(ctx, CT_I64, 3), *minus = ct_scalar(ctx, CT_I64, -3);
    ct_for(sine_step, NULL, n, 1, &x);
    MARK(1, ct_for(sine_step, NULL, three, 1, &x));
    ct_for(sine_step, NULL, minus, 1, &x);
    return total(x);
}

/* Cosines: of a run's count, of 3, of none. */
TEST(in_a_for)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = ct_spec(ctx, CT_F32, CT_SHAPE(2)), *n = ct_spec(ctx, CT_I64, CT_SHAPE());
    ct_residual_report *report = reported(ct_trace(ctx, counted, CT_LIKE(x, n)), CT_ALL_ARGS);
    CHECK_TOTALS(report, 3 * 8, 8, 0, 8);
    const ct_residual *three = ct_residuals_item(report, 0);
    CHECK(three->bytes == 24 && three->loop[0].count == 3 && is_made_by(three, "cosine", 0));
    CHECK(is_here(three->loop[0].place, 1));
    ct_context_free(ctx);
}

static void outer_step(void *user, ct_tensor **carry, ct_tensor *const *x, ct_tensor **y)
{
    (void)x, (void)y;
    MARK(2, ct_for(sine_step, NULL, ct_scalar(ct_context_of(carry[0]), CT_I64, 4), 1, carry));
    if (user)
        ct_while(is_small, squared, NULL, 1, carry);
}

static void while_step(void *user, ct_tensor **carry)
{
    ct_scan(outer_step, user, .length = 5, .n_carry = 1, .carry = carry);
}

static ct_tensor *nested(ct_tensor *x)
{
    MARK(3, ct_scan(outer_step, x, .length = 5, .n_carry = 1, .carry = &x));
    return total(x);
}

static ct_tensor *nested_in_while(ct_tensor *x)
{
    ct_while(is_small, while_step, NULL, 1, &x);
    return total(x);
}

/* Counts multiply; in a loop without count the bytes are those of its iteration. */
TEST(in_nested_loops)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = ct_spec(ctx, CT_F64, CT_SHAPE(3));
    ct_residual_report *report = reported(ct_trace(ctx, nested, CT_LIKE(x)), CT_ALL_ARGS);
    const ct_residual *cosine = made_by(report, "cosine", 0);
    CHECK_MSG(cosine && cosine->n_loops == 2, "%s", ct_residuals_text(report));
    CHECK(cosine->bytes == 5 * 4 * 24 && !cosine->is_uncounted);
    CHECK(cosine->loop[0].count == 5 && is_here(cosine->loop[0].place, 3));
    CHECK(cosine->loop[1].count == 4 && is_here(cosine->loop[1].place, 2));
    CHECK_TOTALS(report, 5 * 4 * 24 + 5 * 8, 0, 0, 24); /* the counts of 5 whiles too */

    report = reported(ct_trace(ctx, nested_in_while, CT_LIKE(x)), CT_ALL_ARGS);
    cosine = made_by(report, "cosine", 0);
    CHECK_MSG(cosine && cosine->n_loops == 3, "%s", ct_residuals_text(report));
    CHECK(cosine->bytes == 5 * 4 * 24 && cosine->is_uncounted && cosine->loop[0].count == -1);
    CHECK_TOTALS(report, 8, 0, 0, 5 * 4 * 24);
    ct_context_free(ctx);
}

/* Carries that take one another's places: what the loop began with, in every iteration. */
static void swapped(void *user, ct_tensor **carry, ct_tensor *const *x, ct_tensor **y)
{
    ct_tensor *first = carry[0];
    carry[0] = carry[1];
    carry[1] = first;
    carry[2] = ct_mul(carry[2], first);
    (void)user, (void)x, (void)y;
}

static ct_tensor *swaps(ct_tensor *x, ct_tensor *y, ct_tensor *z)
{
    ct_tensor *carry[] = {MARK(0, ct_exp(x)), y, z};
    ct_scan(swapped, NULL, .length = 6, .n_carry = 3, .carry = carry);
    return total(carry[2]);
}

TEST(carries_that_change_places)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = ct_spec(ctx, CT_F32, CT_SHAPE(2));
    ct_function *f = ct_trace(ctx, swaps, CT_LIKE(x, x, x));
    ct_residual_report *report = reported(f, CT_ARGS(2));
    CHECK_TOTALS(report, 6 * 8);
    CHECK(ct_residuals_count(report) == 1 && ct_residuals_item(report, 0)->n_loops == 1);
    CHECK_MSG(made_by(report, "exponential", 0), "%s", ct_residuals_text(report));
    ct_context_free(ctx);
}

/* Of gradients, whose loops carry stacks themselves. */
TEST(in_gradients)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = ct_spec(ctx, CT_F64, CT_SHAPE(3)), *n = ct_spec(ctx, CT_I64, CT_SHAPE());
    ct_tensor *rows = ct_spec(ctx, CT_F64, CT_SHAPE(10, 3));
    ct_function *f[] = {ct_trace(ctx, uncounted, CT_LIKE(x)),
                        ct_trace(ctx, counted, CT_LIKE(x, n)),
                        ct_trace(ctx, nested, CT_LIKE(x)),
                        ct_trace(ctx, choice, CT_LIKE(x)),
                        ct_trace(ctx, scanned, CT_LIKE(x, rows, x)),
                        ct_checkpoint(ct_trace(ctx, chain, CT_LIKE(x)), NULL)};
    for (size_t i = 0; i < sizeof f / sizeof *f; i++) {
        ct_residual_report *report = reported(ct_grad(f[i], CT_ARGS(0)), CT_ARGS(0));
        for (size_t k = 0; k < ct_residuals_count(report); k++) {
            const ct_residual *item = ct_residuals_item(report, k);
            CHECK_MSG(item->n_origins > 0 && item->type, "%s", ct_residuals_text(report));
        }
    }
    ct_context_free(ctx);
}

/* ---- Recomputed. */

TEST(in_checkpoints)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = ct_spec(ctx, CT_F32, CT_SHAPE(5)), *xs = ct_spec(ctx, CT_F32, CT_SHAPE(10, 5));
    ct_function *f = ct_checkpoint(ct_trace(ctx, chain, CT_LIKE(x)), NULL);
    ct_residual_report *report = reported(f, CT_ALL_ARGS);
    CHECK_TOTALS(report, 0, 20, 60);
    CHECK(strstr(ct_residuals_text(report), "60 bytes recomputed\n"));
    for (size_t i = 0; i < ct_residuals_count(report); i++) {
        const ct_residual *item = ct_residuals_item(report, i);
        CHECK(item->kind == CT_RESIDUAL_ARGUMENT || item->origin[0].place.line >= lines[0]);
    }

    /* segments of 4 in a scan: what one of them recomputes, not all */
    const ct_reverse_options by_root = {.size = sizeof by_root, .strategy = CT_REVERSE_SQRT};
    f = ct_reverse_loops(ct_trace(ctx, scanned, CT_LIKE(x, xs, x)), &by_root);
    report = reported(f, CT_ARGS(0));
    CHECK_TOTALS(report, 3 * 20, 10 * 20 + 20, 8 * 20); /* rows of xs are not kept: it is there */
    bool found = false;
    for (size_t i = 0; i < ct_residuals_count(report); i++) {
        const ct_residual *item = ct_residuals_item(report, i);
        found = found || (item->kind == CT_RESIDUAL_RECOMPUTED && item->n_loops == 1 &&
                          item->loop[0].count == 4 && item->bytes == 4 * 20);
    }
    CHECK_MSG(found, "%s", ct_residuals_text(report));
    ct_context_free(ctx);
}

/* ---- Rules of the program: the one that reverse mode takes, which need not be linear. */

static ct_tensor *half(ct_tensor *x)
{
    return ct_mul(x, 0.5);
}

static void clipped(void *user, ct_list x, ct_tensor **xbar)
{
    (void)user;
    xbar[0] = ct_mul(ct_clip(x.item[2], -1, 1), ct_cos(x.item[0]));
}

static ct_tensor *with_rule(ct_tensor *x)
{
    return total(ct_custom_vjp_of(half, clipped, ct_square(x)));
}

TEST(by_a_rule_that_is_not_linear)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = ct_spec(ctx, CT_F64, CT_SHAPE(3));
    ct_function *f = ct_trace(ctx, with_rule, CT_LIKE(x));
    ct_residual_report *report = ct_residuals(f, CT_ALL_ARGS);
    CHECK_OK(ctx);
    CHECK_TOTALS(report, 24, 24); /* x², which clipped reads, and not its half */
    ct_context_free(ctx);
}

/* ---- Programs of others. */

/* Every program of the folder; returns how many there are. */
static size_t check_folder(const char *folder)
{
    char path[1024];
    size_t count = 0;
    DIR *list = opendir(folder);
    CHECK_MSG(list, "cannot read %s", folder);
    for (struct dirent *entry; (entry = readdir(list));) {
        if (entry->d_name[0] == '.' || !strstr(entry->d_name, ".mlir"))
            continue;
        ct_context *ctx = ct_context_new();
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        ct_function *f = ct_module_function(ct_read_stablehlo(ctx, path), NULL);
        reported(f, CT_ALL_ARGS);
        ct_context_free(ctx);
        count++;
    }
    closedir(list);
    return count;
}

TEST(as_linearize_has_them)
{
    CHECK(check_folder(SHARED("gradients/cases/control_flow")) > 0);
    CHECK(check_folder(SHARED("gradients/cases/scan")) > 0);
    CHECK(check_folder(SHARED("gradients/cases/program")) > 0);
    CHECK(check_folder(SHARED("gradients/cases/random")) > 0);
}

/* ---- Text, errors, memory. */

TEST(from_most_bytes_to_fewest)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = ct_spec(ctx, CT_F32, CT_SHAPE(5)), *xs = ct_spec(ctx, CT_F32, CT_SHAPE(10, 5));
    ct_residual_report *report = ct_residuals(ct_trace(ctx, scanned, CT_LIKE(x, xs, x)),
                                              CT_ALL_ARGS);
    const char *text = ct_residuals_text(report);
    size_t n = ct_residuals_count(report), n_lines = 0;
    CHECK(n == 3);
    for (size_t i = 1; i < n; i++)
        CHECK(ct_residuals_item(report, i - 1)->bytes >= ct_residuals_item(report, i)->bytes);
    for (const char *c = text; *c; c++)
        n_lines += *c == '\n';
    CHECK_MSG(n_lines == n + 1 && strstr(text, "\n420 bytes kept\n"), "%s", text);
    CHECK(strstr(text, "10 x f32[5]          tanh, ") && strstr(text, ", in scan ("));
    CHECK_OK(ctx);
    ct_residuals_release(report);
    ct_context_free(ctx);
}

/* ---- A rule for reverse mode that clips: what it keeps is read, though nothing is linear. */

static ct_tensor *cube(ct_tensor *x)
{
    return ct_mul(ct_square(x), x);
}

static void clipped_backward(void *user, ct_list in, ct_tensor **out)
{
    (void)user;
    out[0] = ct_clip(ct_mul(in.item[2], ct_square(in.item[0])), -1, 1);
}

static ct_tensor *clipped_tanh(ct_tensor *x)
{
    return total(ct_custom_vjp_of(cube, clipped_backward, ct_tanh(x)));
}

static void clipped_carry(void *user, ct_tensor **carry, ct_tensor *const *x, ct_tensor **y)
{
    (void)user;
    (void)x;
    (void)y;
    carry[0] = ct_custom_vjp_of(cube, clipped_backward, carry[0]);
}

static ct_tensor *clipped_in_scan(ct_tensor *x)
{
    ct_tensor *carry[] = {x};
    ct_scan(clipped_carry, NULL, .length = 10, .n_carry = 1, .carry = carry);
    return total(carry[0]);
}

TEST(rules_that_are_not_linear)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = ct_spec(ctx, CT_F32, CT_SHAPE(5));
    ct_residual_report *report = ct_residuals(ct_trace(ctx, clipped_tanh, CT_LIKE(x)), CT_ARGS(0));
    CHECK_OK(ctx);
    CHECK_MSG(strstr(ct_residuals_text(report), "tanh"), "%s", ct_residuals_text(report));
    CHECK(ct_residuals_bytes(report, CT_RESIDUAL_KEPT) >= 20);
    report = ct_residuals(ct_trace(ctx, clipped_in_scan, CT_LIKE(x)), CT_ARGS(0));
    CHECK_OK(ctx);
    CHECK_MSG(ct_residuals_bytes(report, CT_RESIDUAL_KEPT) >= 200, "%s", ct_residuals_text(report));
    ct_context_free(ctx);
}

TEST(errors)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = ct_spec(ctx, CT_F32, CT_SHAPE(2)), *n = ct_spec(ctx, CT_I64, CT_SHAPE());
    ct_function *f = ct_trace(ctx, counted, CT_LIKE(x, n));
    ct_residual_report *report = ct_residuals(f, CT_ARGS(2));
    CHECK_ERROR(ctx, CT_ERR_ARGUMENT, "residuals of counted: there is no argument 2");
    CHECK(ct_residuals_count(report) == 0 && !ct_residuals_item(report, 0));
    CHECK(strcmp(ct_residuals_text(report), "") == 0);
    ct_residuals(f, CT_ARGS(0, 0));
    CHECK_ERROR(ctx, CT_ERR_ARGUMENT, "named twice");
    ct_residuals(f, CT_ARGS(1));
    CHECK_ERROR(ctx, CT_ERR_RULE, "argument 1 is i64[]");
    ct_residuals(f, ((ct_args){.count = 1}));
    CHECK_ERROR(ctx, CT_ERR_ARGUMENT, "positions are NULL");
    ct_function *poison = ct_grad(f, CT_ARGS(7));
    CHECK_ERROR(ctx, CT_ERR_ARGUMENT, "grad");
    ct_residuals(poison, CT_ALL_ARGS);
    CHECK_ERROR(ctx, CT_ERR_POISON, "residuals");
    report = ct_residuals(NULL, CT_ALL_ARGS);
    CHECK(report && ct_residuals_bytes(report, CT_RESIDUAL_KEPT) == 0);
    ct_residuals_release(report);
    ct_residuals_release(NULL);
    CHECK(ct_residuals_count(NULL) == 0 && strcmp(ct_residuals_text(NULL), "") == 0);
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

static void all_of_it(ct_context *ctx)
{
    ct_tensor *x = ct_spec(ctx, CT_F32, CT_SHAPE(5)), *xs = ct_spec(ctx, CT_F32, CT_SHAPE(10, 5));
    ct_function *f = ct_trace(ctx, scanned, CT_LIKE(x, xs, x));
    ct_residuals_text(ct_residuals(f, CT_ALL_ARGS));
}

TEST(out_of_memory)
{
    CHECK_ALLOCATIONS(all_of_it);
}
