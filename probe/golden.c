#include "probe/checks.h"

#include "trace/format.h"

#include <cotangent/ad.h>
#include <cotangent/exec.h>
#include <cotangent/module.h>

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct values {
    bool is_there; /* the module has a function of this name, and it could be run */
    size_t count;
    ct_tensor **item; /* in the arena */
} values;

typedef struct golden {
    ct_context *ctx;
    ct_place at;
    ct_checks *checks;
    ct_module *module;
    ct__arena arena;
    double rtol, atol;
    ct_args wrt;
    ct_function *f; /* @main */
    values inputs, cotangents, tangents;
} golden;

/* ---- What was found. */

/* An error of the context, told and cleared; without memory it stays. */
static void tell_error(golden *g, const char *mode)
{
    ct__text text;
    const char *message = ct_error_message(g->ctx);
    if (!ct_failed(g->ctx) || ct_error_status(g->ctx) == CT_ERR_MEMORY)
        return;
    ct__text_init(&text, &g->ctx->allocator);
    ct__text_add(&text, "%s: %.*s", mode, (int)strcspn(message, "\n"), message);
    bool fine = !text.failed && ct__checks_add(g->checks, text.data);
    ct__text_free(&text);
    ct_error_clear(g->ctx);
    if (!fine)
        ct__error_memory(g->ctx, g->at, "check_derivatives");
}

static void tell(golden *g, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void tell(golden *g, const char *format, ...)
{
    char line[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    if (!ct__checks_add(g->checks, line))
        ct__error_memory(g->ctx, g->at, "check_derivatives");
}

/* ---- Comparing. */

/* Adds to the squares of a distance and of a magnitude: nothing for what matches exactly, and an
 * infinite distance for what never can. */
static void add_part(double got, double want, double *distance, double *magnitude)
{
    bool same = got == want || (isnan(got) && isnan(want));
    *distance = hypot(*distance, same                              ? 0
                                 : isfinite(got) && isfinite(want) ? got - want
                                                                   : INFINITY);
    *magnitude = hypot(*magnitude, isfinite(want) ? want : 0);
}

/* |got - want| and |want|, of complex elements the moduli. */
static void measure(ct_dtype dtype, const void *got, const void *want, double *distance,
                    double *magnitude)
{
    *distance = *magnitude = 0;
    ct_dtype part = dtype == CT_C64 ? CT_F32 : dtype == CT_C128 ? CT_F64 : dtype;
    for (size_t at = 0; at < ct_dtype_bytes(dtype); at += ct_dtype_bytes(part))
        add_part(ct__load_double(part, (const char *)got + at),
                 ct__load_double(part, (const char *)want + at), distance, magnitude);
}

static bool is_near(const golden *g, ct_dtype dtype, const void *got, const void *want)
{
    double distance, magnitude;
    if (memcmp(got, want, ct_dtype_bytes(dtype)) == 0)
        return true;
    if (dtype == CT_BOOL || ct_dtype_is_integer(dtype))
        return false;
    measure(dtype, got, want, &distance, &magnitude);
    return distance <= g->atol + g->rtol * magnitude;
}

/* "vjp: 3 of 6 elements of result 0, f64[2,3], differ, the first at [0, 1]: got 1, expected 2, 1
 * apart (1e-12 allowed)" */
static void describe(const golden *g, ct__text *text, const char *mode, size_t result,
                     const ct__difference *found, const ct_type *type, const void *got,
                     const void *want)
{
    char name[128], left[CT__ELEMENT_TEXT], right[CT__ELEMENT_TEXT];
    double distance, magnitude;
    ct_dtype dtype = type->dtype;
    ct__text_add(text,
                 "%s: %" PRId64 " of %" PRId64 " element%s of result %zu, %s, differ%s, the first",
                 mode, found->count, type->size, type->size == 1 ? "" : "s", result,
                 ct__type_print(type, name, sizeof name), found->count == 1 ? "s" : "");
    ct__add_indices(text, type, found->first);
    ct__text_add(text, ": got %s, expected %s", ct__element_text(dtype, got, left),
                 ct__element_text(dtype, want, right));
    if (dtype == CT_BOOL || ct_dtype_is_integer(dtype))
        return;
    measure(dtype, got, want, &distance, &magnitude);
    ct__text_add(text, ", %.3g apart (%.3g allowed)", distance, g->atol + g->rtol * magnitude);
}

static void compare_elements(golden *g, const char *mode, size_t result, const ct_type *type,
                             const char *got, const char *want)
{
    ct__difference found = {0, 0};
    size_t bytes = ct_dtype_bytes(type->dtype);
    ct__text text;
    for (int64_t i = 0; i < type->size; i++)
        if (!is_near(g, type->dtype, got + (size_t)i * bytes, want + (size_t)i * bytes) &&
            found.count++ == 0)
            found.first = i;
    size_t offset = (size_t)found.first * bytes;
    ct__text_init(&text, &g->ctx->allocator);
    if (found.count > 0)
        describe(g, &text, mode, result, &found, type, got + offset, want + offset);
    if (text.failed || !ct__checks_add(g->checks, found.count > 0 ? text.data : NULL))
        ct__error_memory(g->ctx, g->at, "check_derivatives");
    ct__text_free(&text);
}

static void compare(golden *g, const char *mode, size_t result, ct_tensor *got, ct_tensor *want)
{
    char left[128], right[128];
    const ct_type *type = ct_type_of(got), *wanted = ct_type_of(want);
    if (!ct__type_equal(type, wanted)) {
        tell(g, "%s: result %zu is %s, not %s", mode, result,
             ct__type_print(type, left, sizeof left), ct__type_print(wanted, right, sizeof right));
        return;
    }
    const void *data = ct_data_at(g->at, got), *wanted_data = ct_data_at(g->at, want);
    if (data && wanted_data)
        compare_elements(g, mode, result, type, data, wanted_data);
}

/* ---- Running. */

static bool run(golden *g, ct_function *f, const ct_compile_options *options, ct_list arguments,
                values *results)
{
    const ct_compile_options reference = {.size = sizeof reference,
                                          .executor = CT_EXECUTOR_INTERPRETER};
    ct_executable *compiled = ct_compile_at(g->at, f, options ? options : &reference);
    results->count = ct_function_results(f);
    results->item = CT__NEW_ARRAY(&g->arena, ct_tensor *, results->count);
    if (!results->item)
        ct__error_memory(g->ctx, g->at, "check_derivatives");
    if (ct_failed(g->ctx))
        return false;
    ct_call_at(g->at, compiled, arguments, results->item, results->count);
    return !ct_failed(g->ctx);
}

static bool has_function(const ct_module *module, const char *name)
{
    for (size_t i = 0; i < ct_module_functions(module); i++)
        if (strcmp(ct_module_function_name(module, i), name) == 0)
            return true;
    return false;
}

/* What a function without parameters gives. One that fails is told. */
static values values_of(golden *g, const char *name)
{
    values v = {false, 0, NULL};
    if (has_function(g->module, name)) {
        ct_function *f = ct_module_function_at(g->at, g->module, name);
        v.is_there = run(g, f, NULL, CT_NO_TENSORS, &v);
        tell_error(g, name);
    }
    return v;
}

/* ---- Modes. */

static ct_function *derive_nothing(golden *g, size_t *n_before)
{
    *n_before = 0;
    return g->f;
}

static ct_function *derive_vjp(golden *g, size_t *n_before)
{
    *n_before = 0;
    return ct_vjp_at(g->at, g->f, g->wrt);
}

static ct_function *derive_jvp(golden *g, size_t *n_before)
{
    *n_before = ct_function_results(g->f);
    return ct_jvp_at(g->at, g->f, g->wrt);
}

/* Forward over reverse; the arguments of @main keep their positions in the vjp. */
static ct_function *derive_hvp(golden *g, size_t *n_before)
{
    ct_function *vjp = ct_vjp_at(g->at, g->f, g->wrt);
    *n_before = ct_function_results(vjp);
    return ct_jvp_at(g->at, vjp, g->wrt);
}

static const struct mode {
    const char *name, *expected;
    /* The function whose results, but for the first n_before, are compared. */
    ct_function *(*derive)(golden *g, size_t *n_before);
    bool takes_cotangents, takes_tangents;
} modes[] = {
    {"main", "expected", derive_nothing, false, false},
    {"vjp", "expected_vjp", derive_vjp, true, false},
    {"jvp", "expected_jvp", derive_jvp, false, true},
    {"hvp", "expected_hvp", derive_hvp, true, true},
};

static void append(ct_tensor **list, size_t *count, const values *v)
{
    if (v->count > 0)
        memcpy(list + *count, v->item, v->count * sizeof *list);
    *count += v->count;
}

static void judge(golden *g, const struct mode *mode, const values *want)
{
    size_t n_before, count = 0;
    values got;
    ct_function *f = mode->derive(g, &n_before);
    ct_tensor **list = CT__NEW_ARRAY(&g->arena, ct_tensor *,
                                     g->inputs.count + g->cotangents.count + g->tangents.count);
    if (!list) {
        ct__error_memory(g->ctx, g->at, "check_derivatives");
        return;
    }
    append(list, &count, &g->inputs);
    if (mode->takes_cotangents)
        append(list, &count, &g->cotangents);
    if (mode->takes_tangents)
        append(list, &count, &g->tangents);
    if (!run(g, f, ct__checks_options(g->checks), CT_LIST(count, list), &got))
        return;
    if (got.count - n_before != want->count)
        tell(g, "%s: it gives %zu result%s, and @%s %zu", mode->name, got.count - n_before,
             got.count - n_before == 1 ? "" : "s", mode->expected, want->count);
    for (size_t i = 0; i < want->count && n_before + i < got.count && !ct_failed(g->ctx); i++)
        compare(g, mode->name, i, got.item[n_before + i], want->item[i]);
}

/* Whether ct.modes, a string, lists it. */
static bool is_named(const golden *g, const char *mode)
{
    const char *list = ct_module_attribute(g->module, "ct.modes");
    return list && strstr(list, mode);
}

static void judge_mode(golden *g, const struct mode *mode)
{
    ct_scope scope = ct_scope_begin(g->ctx);
    values want = values_of(g, mode->expected);
    if (want.is_there)
        judge(g, mode, &want);
    else if (is_named(g, mode->name) && !has_function(g->module, mode->expected))
        tell(g, "%s: there is no function @%s", mode->name, mode->expected);
    tell_error(g, mode->name);
    ct_scope_end(scope);
}

/* ---- The module. */

/* The positions in "array<i64: 0, 2>". */
static size_t listed_positions(const char *text, int64_t *position, size_t room)
{
    size_t count = 0;
    char *next;
    text = strchr(text, ':');
    for (text = text ? text + 1 : ""; count < room; text = next + strspn(next, ", "), count++) {
        position[count] = strtoll(text, &next, 10);
        if (next == text)
            break;
    }
    return count;
}

/* The parameters of @main that have derivatives: the vjp has more of them, its cotangents, which
 * stay fixed. */
static size_t float_positions(const ct_function *f, int64_t *position)
{
    size_t count = 0;
    for (size_t i = 0; i < ct_function_parameters(f); i++) {
        ct_dtype dtype = ct_type_dtype(ct_parameter_type(f, i));
        if (ct_dtype_is_float(dtype) || ct_dtype_is_complex(dtype))
            position[count++] = (int64_t)i;
    }
    return count;
}

static void read_wrt(golden *g)
{
    const char *text = ct_module_attribute(g->module, "ct.differentiable_inputs");
    size_t room = ct_function_parameters(g->f);
    int64_t *position = CT__NEW_ARRAY(&g->arena, int64_t, room);
    g->wrt = (ct_args){false, 0, position};
    if (!position)
        ct__error_memory(g->ctx, g->at, "check_derivatives");
    else
        g->wrt.count = text ? listed_positions(text, position, room)
                            : float_positions(g->f, position);
}

bool ct_module_expects_derivatives(const ct_module *module)
{
    return has_function(module, "main") && has_function(module, "inputs") &&
           has_function(module, "expected");
}

static void check_module(golden *g)
{
    ct_module_number(g->module, "ct.rtol", &g->rtol);
    ct_module_number(g->module, "ct.atol", &g->atol);
    read_wrt(g);
    g->inputs = values_of(g, "inputs");
    g->cotangents = values_of(g, "cotangents");
    g->tangents = values_of(g, "tangents");
    for (size_t i = 0; g->inputs.is_there && i < sizeof modes / sizeof *modes; i++)
        if (!ct_failed(g->ctx))
            judge_mode(g, &modes[i]);
}

void ct_check_derivatives_at(ct_place at, ct_checks *checks, ct_module *module)
{
    ct_function *f = ct_module_function_at(at, module, "main");
    ct_context *ctx = ct_function_context(f);
    if (!checks || ct_failed(ctx))
        return;
    ct_scope scope = ct_scope_begin(ctx);
    golden g = {.ctx = ctx, .at = at, .checks = checks, .module = module, .f = f};
    ct__arena_init(&g.arena, &ctx->allocator);
    if (ct_module_expects_derivatives(module))
        check_module(&g);
    else
        ct__error(ctx, at, CT_ERR_ARGUMENT,
                  "check_derivatives: the module has no functions @inputs and @expected");
    ct__arena_free(&g.arena);
    ct_scope_end(scope);
}
