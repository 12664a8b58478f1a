/* The derivatives of the conformance programs: every one that takes floats or complex numbers and
 * gives some, in f64 where it can be said so, else in its own types.
 *
 *   adjoint        Re <ct, J t> = Re <J' ct, t>, by ct_jvp and ct_vjp, for random t and ct
 *   differences    J d against central differences, at elements where the values are smooth
 *
 * derivatives.txt in tests/conformance lists the files for which something of this does not hold,
 * with reasons. */
#include "tests/opened.h"
#include "tests/values.h"

#include "ops/type.h"

#include <cotangent/ad.h>
#include <cotangent/elementwise.h>
#include <cotangent/exec.h>
#include <cotangent/op.h>

#include <dirent.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- The numbers in tensors of floats, one after another; complex ones are two. */

static bool has_numbers(ct_dtype dtype)
{
    return ct_dtype_is_float(dtype) || ct_dtype_is_complex(dtype);
}

static ct_dtype part_of(ct_dtype dtype)
{
    return dtype == CT_C64 ? CT_F32 : dtype == CT_C128 ? CT_F64 : dtype;
}

static size_t parts_of(ct_dtype dtype)
{
    return ct_dtype_is_complex(dtype) ? 2 : 1;
}

/* How many of them the types have. */
static size_t count_numbers(const ct_type *(*type)(const ct_function *, size_t),
                            const ct_function *f, size_t n)
{
    size_t count = 0;
    for (size_t i = 0; i < n; i++) {
        const ct_type *t = type(f, i);
        if (has_numbers(ct_type_dtype(t)))
            count += parts_of(t->dtype) * (size_t)t->size;
    }
    return count;
}

/* 1 for real and -1 for imaginary parts: Re ab = Σ sign a b. */
static void fill_signs(const ct_type *(*type)(const ct_function *, size_t), const ct_function *f,
                       size_t n, double *sign)
{
    for (size_t i = 0; i < n; i++) {
        const ct_type *t = type(f, i);
        size_t parts = parts_of(t->dtype), count = parts * (size_t)t->size;
        for (size_t k = 0; has_numbers(ct_type_dtype(t)) && k < count; k++)
            *sign++ = parts == 2 && k % 2 ? -1 : 1;
    }
}

static void load(ct_tensor *const *x, size_t n, double *number)
{
    for (size_t i = 0; i < n; i++) {
        ct_dtype dtype = ct_dtype_of(x[i]), part = part_of(dtype);
        if (!has_numbers(dtype))
            continue;
        size_t count = parts_of(dtype) * (size_t)ct_size(x[i]);
        const char *data = ct_data(x[i]);
        for (size_t k = 0; k < count; k++)
            *number++ = ct__load_double(part, data + k * ct_dtype_bytes(part));
    }
}

/* A tensor of this type with the next numbers. */
static ct_tensor *store(ct_context *ctx, const ct_type *type, const double **number)
{
    ct_dtype dtype = ct_type_dtype(type);
    ct_shape shape = ct_type_shape(type);
    const int64_t count = (int64_t)parts_of(dtype) * type->size;
    ct_tensor *parts = ct_from_doubles(ctx, part_of(dtype), CT_SHAPE(count), *number);
    *number += count;
    return ct_from_data(ctx, dtype, shape, ct_data(parts));
}

/* ---- One program. */

typedef struct program {
    ct_context *ctx;
    ct_function *f;
    size_t n_args, n_results;
    ct_tensor *arg[64], *result[192];
    size_t n_in, n_out; /* numbers */
    double epsilon;     /* of the arithmetic */
    ct_executable *value, *jvp, *vjp;
    double *x, *in_sign, *out_sign;
    double *y, *ybar, *dy, *dx, *xbar; /* f(x); cotangents; J dx; tangents; J' ybar */
} program;

typedef struct totals {
    size_t done, failed, listed, narrow, none; /* programs; in their own types; without numbers */
    size_t smooth, rough;                      /* elements */
    size_t reached;                            /* programs some of whose elements are smooth */
} totals;

static double *new_numbers(size_t count)
{
    double *x = calloc(count + 1, sizeof *x);
    CHECK(x);
    return x;
}

/* Odd multiples of 1/128 in (-1, 1), from a fixed sequence. */
static void fill_random(double *x, size_t count, uint64_t seed)
{
    for (size_t i = 0; i < count; i++) {
        seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        x[i] = (double)(2 * (int64_t)(seed >> 57) - 127) / 128;
    }
}

/* Calls with the arguments, of which x are the numbers, then those of `more`, of these types. */
static bool call(program *p, ct_executable *f, const double *x, const double *more,
                 const ct_type *(*type)(const ct_function *, size_t), size_t n_types)
{
    ct_tensor *list[192];
    size_t n = 0;
    for (size_t i = 0; i < p->n_args; i++) {
        const ct_type *t = ct_parameter_type(p->f, i);
        list[n++] = has_numbers(ct_type_dtype(t)) ? store(p->ctx, t, &x) : p->arg[i];
    }
    for (size_t i = 0; i < n_types; i++)
        if (has_numbers(ct_type_dtype(type(p->f, i))))
            list[n++] = store(p->ctx, type(p->f, i), &more);
    ct_call(f, CT_LIST(n, list), p->result, ct_executable_results(f));
    return !ct_failed(p->ctx);
}

static bool run_value(program *p, const double *x, double *y)
{
    ct_scope scope = ct_scope_begin(p->ctx);
    bool fine = call(p, p->value, x, NULL, NULL, 0);
    if (fine)
        load(p->result, p->n_results, y);
    ct_scope_end(scope);
    return fine;
}

static bool run_jvp(program *p, const double *dx, double *dy)
{
    ct_scope scope = ct_scope_begin(p->ctx);
    bool fine = call(p, p->jvp, p->x, dx, ct_parameter_type, p->n_args);
    if (fine)
        load(p->result + p->n_results, ct_executable_results(p->jvp) - p->n_results, dy);
    ct_scope_end(scope);
    return fine;
}

static bool run_vjp(program *p, const double *ybar, double *xbar)
{
    ct_scope scope = ct_scope_begin(p->ctx);
    bool fine = call(p, p->vjp, p->x, ybar, ct_result_type, p->n_results);
    if (fine)
        load(p->result, ct_executable_results(p->vjp), xbar);
    ct_scope_end(scope);
    return fine;
}

/* ---- The adjoint identity. */

/* No cotangent where a value or a tangent is not finite, no tangent where a cotangent is not: poles
 * and overflows are left out. False when some remain. */
static bool avoid_poles(program *p)
{
    for (int round = 0; round < 4; round++) {
        bool finite = true;
        if (!run_jvp(p, p->dx, p->dy) || ct_failed(p->ctx))
            return false;
        for (size_t i = 0; i < p->n_out; i++) {
            if (isfinite(p->y[i]) && isfinite(p->dy[i]))
                continue;
            finite = finite && p->ybar[i] == 0;
            p->ybar[i] = p->dy[i] = 0;
        }
        if (!run_vjp(p, p->ybar, p->xbar))
            return false;
        for (size_t i = 0; i < p->n_in; i++) {
            if (isfinite(p->xbar[i]))
                continue;
            finite = finite && p->dx[i] == 0;
            p->dx[i] = p->xbar[i] = 0;
        }
        if (finite)
            return true;
    }
    return false;
}

static bool is_adjoint(program *p, char *why, size_t bytes)
{
    double forward = 0, reverse = 0, size = 0;
    size_t finite = 0, kept = 0;
    if (!avoid_poles(p)) {
        snprintf(why, bytes, "%s",
                 ct_failed(p->ctx) ? ct_error_message(p->ctx) : "derivatives that are not finite");
        return false;
    }
    for (size_t i = 0; i < p->n_out; i++) {
        forward += p->out_sign[i] * p->ybar[i] * p->dy[i];
        size += fabs(p->ybar[i] * p->dy[i]);
        finite += isfinite(p->y[i]) ? 1 : 0;
        kept += p->ybar[i] != 0;
    }
    for (size_t i = 0; i < p->n_in; i++) {
        reverse += p->in_sign[i] * p->xbar[i] * p->dx[i];
        size += fabs(p->xbar[i] * p->dx[i]);
    }
    snprintf(why, bytes, "<ct, J t> = %.17g, <J' ct, t> = %.17g, sizes %g, kept %zu of %zu",
             forward, reverse, size, kept, finite);
    return fabs(forward - reverse) <= 2e3 * p->epsilon * size && 2 * kept >= finite;
}

/* ---- Central differences. */

#define STEP 0x1p-12

typedef struct differences {
    double *up, *down, *near_up, *near_down; /* at x ± STEP d, x ± STEP/2 d */
} differences;

static bool run_along(program *p, const double *d, double step, double *y)
{
    double *x = new_numbers(p->n_in);
    for (size_t i = 0; i < p->n_in; i++)
        x[i] = p->x[i] + step * d[i];
    bool fine = run_value(p, x, y);
    free(x);
    return fine;
}

/* One element: whether it is smooth there, and then whether the derivative is right. */
static bool judge(const program *p, const differences *q, size_t i, double largest, bool *smooth)
{
    double h = STEP, up = q->up[i], down = q->down[i], y = p->y[i];
    double near_up = q->near_up[i], near_down = q->near_down[i];
    double slope = (up - down) / (2 * h), near = (near_up - near_down) / h;
    double bend = fabs(up - 2 * y + down) / h,
           near_bend = fabs(near_up - 2 * y + near_down) / h * 2;
    double noise = (1e-12 * fabs(y) + 1e-15 * largest) / h;
    double estimate = near + (near - slope) / 3;
    double spread = fabs(near - slope) + noise;
    *smooth = isfinite(slope) && isfinite(near) && isfinite(y) && near_bend <= 0.6 * bend + noise &&
              spread <= 0.05 * fabs(near) + noise + 1e-300;
    return fabs(p->dy[i] - estimate) <= 8 * spread;
}

static bool compare(program *p, const differences *q, totals *all, char *why, size_t bytes)
{
    double largest = 0;
    size_t smooth_ones = 0;
    for (size_t i = 0; i < p->n_out; i++)
        if (isfinite(p->y[i]))
            largest = fmax(largest, fabs(p->y[i]));
    for (size_t i = 0; i < p->n_out; i++) {
        bool smooth, right = judge(p, q, i, largest, &smooth);
        smooth_ones += smooth;
        all->rough += !smooth;
        if (!smooth || right)
            continue;
        snprintf(why, bytes, "number %zu of %zu: J d = %.17g, by differences %.17g and %.17g", i,
                 p->n_out, p->dy[i], (q->up[i] - q->down[i]) / (2 * STEP),
                 (q->near_up[i] - q->near_down[i]) / STEP);
        return false;
    }
    all->smooth += smooth_ones;
    all->reached += smooth_ones > 0;
    return true;
}

/* Along d, as large as x at every number. */
static bool fits_differences(program *p, totals *all, char *why, size_t bytes)
{
    size_t n = p->n_out;
    double *d = new_numbers(p->n_in), *y = new_numbers(4 * n);
    differences q = {y, y + n, y + 2 * n, y + 3 * n};
    fill_random(d, p->n_in, 3);
    for (size_t i = 0; i < p->n_in; i++)
        d[i] = !isfinite(p->x[i]) ? 0 : p->x[i] == 0 ? d[i] : d[i] * p->x[i];
    bool fine = run_jvp(p, d, p->dy) && run_along(p, d, STEP, q.up) &&
                run_along(p, d, -STEP, q.down) && run_along(p, d, STEP / 2, q.near_up) &&
                run_along(p, d, -STEP / 2, q.near_down);
    if (fine)
        fine = compare(p, &q, all, why, bytes);
    else
        snprintf(why, bytes, "%s", ct_error_message(p->ctx));
    free(d);
    free(y);
    return fine;
}

/* ---- Files. */

static double epsilon_of(const ct_function *f)
{
    double epsilon = DBL_EPSILON;
    for (size_t i = 0; i < ct_function_parameters(f) + ct_function_results(f); i++) {
        size_t n = ct_function_parameters(f);
        const ct_type *type = i < n ? ct_parameter_type(f, i) : ct_result_type(f, i - n);
        switch (part_of(ct_type_dtype(type))) {
        case CT_F32: epsilon = fmax(epsilon, FLT_EPSILON); break;
        case CT_F16: epsilon = fmax(epsilon, 0x1p-10); break;
        case CT_F64: break;
        default: epsilon = has_numbers(ct_type_dtype(type)) ? 0x1p-7 : epsilon; break;
        }
    }
    return epsilon;
}

/* The inputs, in the types of f. */
static void read_inputs(program *p, ct_module *module)
{
    ct_function *inputs = ct_module_function(module, "inputs");
    ct_apply(inputs, CT_NO_TENSORS, p->arg, ct_function_results(inputs));
    for (size_t i = 0; i < p->n_args; i++) {
        ct_dtype dtype = ct_type_dtype(ct_parameter_type(p->f, i));
        if (!ct_failed(p->ctx) && dtype != ct_dtype_of(p->arg[i]))
            p->arg[i] = ct_op_convert(p->arg[i], dtype);
    }
}

static void prepare(program *p, ct_function *f, ct_module *module)
{
    p->f = f;
    p->n_args = ct_function_parameters(f);
    p->n_results = ct_function_results(f);
    CHECK(p->n_args < 64 && p->n_results < 64);
    p->epsilon = epsilon_of(f);
    read_inputs(p, module);
    p->value = ct_compile(f, NULL);
    p->jvp = ct_compile(ct_jvp(f, CT_ALL_ARGS), NULL);
    p->vjp = ct_compile(ct_vjp(f, CT_ALL_ARGS), NULL);
    p->n_in = count_numbers(ct_parameter_type, f, p->n_args);
    p->n_out = count_numbers(ct_result_type, f, p->n_results);
}

/* In f64, unless that cannot be said or run. */
static bool prepare_wide(program *p, ct_function *f, ct_module *module)
{
    ct_function *wide = opened_wide(p->ctx, f);
    if (!ct_failed(p->ctx))
        prepare(p, wide, module);
    bool fine = !ct_failed(p->ctx);
    ct_error_clear(p->ctx);
    return fine;
}

static bool check_program(program *p, totals *all, char *why, size_t bytes)
{
    double *room = new_numbers(4 * p->n_in + 4 * p->n_out);
    double **list[] = {&p->x, &p->in_sign, &p->dx, &p->xbar, &p->out_sign, &p->y, &p->ybar, &p->dy};
    for (size_t i = 0, at = 0; i < 8; at += i < 4 ? p->n_in : p->n_out, i++)
        *list[i] = room + at;
    load(p->arg, p->n_args, p->x);
    fill_signs(ct_parameter_type, p->f, p->n_args, p->in_sign);
    fill_signs(ct_result_type, p->f, p->n_results, p->out_sign);
    fill_random(p->dx, p->n_in, 1);
    fill_random(p->ybar, p->n_out, 2);
    bool fine = run_value(p, p->x, p->y);
    if (!fine)
        snprintf(why, bytes, "%s", ct_error_message(p->ctx));
    fine = fine && is_adjoint(p, why, bytes) &&
           (p->epsilon > DBL_EPSILON || fits_differences(p, all, why, bytes));
    free(room);
    return fine;
}

/* Whether there is anything to derive by, and from. */
static bool has_derivative(const ct_function *f)
{
    size_t n_results = ct_function_results(f), n_args = ct_function_parameters(f);
    return count_numbers(ct_parameter_type, f, n_args) > 0 &&
           count_numbers(ct_result_type, f, n_results) > 0;
}

/* NULL: right, or nothing to check; else what is wrong. */
static const char *check_file(const char *path, totals *all, char *why, size_t bytes)
{
    program p = {.ctx = ct_context_new()};
    ct_module *module = ct_read_stablehlo(p.ctx, path);
    ct_function *f = opened_main(p.ctx, module);
    bool fine = !ct_failed(p.ctx);
    if (fine && has_derivative(f)) {
        all->done++;
        if (!prepare_wide(&p, f, module)) {
            all->narrow++;
            prepare(&p, f, module);
        }
        fine = !ct_failed(p.ctx) && check_program(&p, all, why, bytes);
    } else {
        all->none++;
    }
    if (ct_failed(p.ctx))
        snprintf(why, bytes, "%.*s", (int)strcspn(ct_error_message(p.ctx), "\n"),
                 ct_error_message(p.ctx));
    ct_context_free(p.ctx);
    return fine ? NULL : why;
}

/* ---- Folders, and what is listed. */

#define LISTED CT_SOURCE_DIR "/tests/conformance/derivatives.txt"

/* Whether the file is meant: "NAME", or "BEGIN*". */
static bool names(const char *pattern, size_t length, const char *name)
{
    if (length > 0 && pattern[length - 1] == '*')
        return strncmp(pattern, name, length - 1) == 0;
    return strlen(name) == length && memcmp(pattern, name, length) == 0;
}

/* Whether the list has a line "NAME reason…" for it. */
static bool is_listed(const char *name)
{
    char line[600];
    bool found = false;
    FILE *file = fopen(LISTED, "r");
    CHECK_MSG(file, "%s cannot be opened", LISTED);
    while (!found && fgets(line, sizeof line, file))
        found = names(line, strcspn(line, " \n"), name);
    fclose(file);
    return found;
}

static void check_entry(const char *folder, const char *name, totals *all)
{
    char path[4096], why[600];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    const char *wrong = check_file(path, all, why, sizeof why);
    if (!wrong)
        return;
    if (is_listed(name)) {
        all->listed++;
        return;
    }
    all->failed++;
    printf("%s: %s\n", name, wrong);
}

static totals check_folder(const char *folder)
{
    totals all = {0};
    DIR *list = opendir(folder);
    CHECK_MSG(list, "%s cannot be opened", folder);
    for (const struct dirent *entry; (entry = readdir(list));) {
        size_t length = strlen(entry->d_name);
        if (length > 5 && strcmp(entry->d_name + length - 5, ".mlir") == 0 &&
            strncmp(entry->d_name, "quantized_", 10) != 0) /* their numbers are integers */
            check_entry(folder, entry->d_name, &all);
    }
    closedir(list);
    printf("%zu programs, %zu of them in their own types, %zu without numbers to derive by; "
           "%zu failed, %zu listed; %zu numbers smooth (in %zu programs), %zu not\n",
           all.done, all.narrow, all.none, all.failed, all.listed, all.smooth, all.reached,
           all.rough);
    CHECK_MSG(all.failed == 0, "%zu of %zu programs failed", all.failed, all.done);
    return all;
}

TEST(files_of_the_tree)
{
    totals all = check_folder(CT_SOURCE_DIR "/tests/conformance");
    CHECK(all.done > 200 && all.reached > 100 && all.smooth > all.rough);
}

TEST(all_files)
{
    totals all = check_folder(SHARED("stablehlo/testdata"));
    CHECK(all.done > 700 && all.reached > 500 && all.smooth > all.rough);
}

/* No reason is kept for files that need none. */
TEST(every_line_is_needed)
{
    char line[600], path[4096], why[600];
    const char *folder = SHARED("stablehlo/testdata");
    totals all = {0};
    size_t lines = 0;
    FILE *file = fopen(LISTED, "r");
    CHECK_MSG(file, "%s cannot be opened", LISTED);
    while (fgets(line, sizeof line, file)) {
        size_t length = strcspn(line, " \n");
        bool is_needed = line[0] == '#' || line[0] == '\n';
        DIR *list = opendir(folder);
        CHECK(list);
        lines += !is_needed;
        for (const struct dirent *entry; !is_needed && (entry = readdir(list));)
            if (names(line, length, entry->d_name)) {
                snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
                is_needed = check_file(path, &all, why, sizeof why) != NULL;
            }
        closedir(list);
        CHECK_MSG(is_needed, "no file needs the line %s", line);
    }
    fclose(file);
    CHECK(lines <= 20);
}
