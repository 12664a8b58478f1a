#include "tests/equal/equal.h"

#include "bench/workloads/workload.h"
#include "bench/harness/session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_VALUES = 64 };

typedef struct values {
    size_t count;
    ct_tensor *item[MOST_VALUES];
} values;

typedef struct file {
    ct_context *ctx;
    ct_module *module;
    const char *path;
    collector seen;
    values inputs, cotangents, tangents;
} file;

/* ---- Parts of a module. */

static bool has_function(const ct_module *module, const char *name)
{
    for (size_t i = 0; i < ct_module_functions(module); i++)
        if (strcmp(ct_module_function_name(module, i), name) == 0)
            return true;
    return false;
}

/* What a function without parameters gives; nothing where there is none. */
static void read_values(file *m, const char *name, values *v)
{
    v->count = 0;
    if (!has_function(m->module, name))
        return;
    ct_function *f = ct_module_function(m->module, name);
    v->count = ct_function_results(f);
    if (v->count > MOST_VALUES)
        v->count = 0;
    else
        ct_call(ct_compile(f, NULL), CT_NO_TENSORS, v->item, v->count);
}

/* "array<i64: 0, 2>", or every float and complex one. */
static size_t differentiable(const file *m, const ct_function *f, int64_t *position)
{
    const char *text = ct_module_attribute(m->module, "ct.differentiable_inputs");
    size_t count = 0;
    for (int64_t i = 0; !text && i < (int64_t)ct_function_parameters(f) && i < MOST_VALUES; i++) {
        const ct_dtype dtype = ct_type_dtype(ct_parameter_type(f, (size_t)i));
        if (ct_dtype_is_float(dtype) || ct_dtype_is_complex(dtype))
            position[count++] = i;
    }
    for (text = text ? strchr(text, ':') : NULL; text && count < MOST_VALUES;
         text = strchr(text + 1, ','))
        position[count++] = strtoll(text + 1, NULL, 10);
    return count;
}

/* ---- Programs of a module. */

static bool give(file *m, const char *part, ct_function *f, const values *more,
                 const values *still_more, visit_subject *visit, void *user)
{
    ct_tensor *argument[3 * MOST_VALUES];
    size_t n = 0;
    const values *const lists[] = {&m->inputs, more, still_more};
    for (size_t k = 0; k < sizeof lists / sizeof *lists; k++)
        for (size_t i = 0; lists[k] && i < lists[k]->count; i++)
            argument[n++] = lists[k]->item[i];
    if (ct_failed(m->ctx)) { /* it has no such derivative */
        ct_error_clear(m->ctx);
        return true;
    }
    return visit(&(subject){m->ctx, m->path, part, f, CT_LIST(n, argument), &m->seen}, user);
}

static bool visit_derivatives(file *m, ct_function *f, visit_subject *visit, void *user)
{
    int64_t position[MOST_VALUES];
    const ct_args wrt = {false, differentiable(m, f, position), position};
    const bool has_vjp = m->cotangents.count > 0, has_jvp = m->tangents.count > 0;
    return (!has_vjp || give(m, "vjp", ct_vjp(f, wrt), &m->cotangents, NULL, visit, user)) &&
           (!has_jvp || give(m, "jvp", ct_jvp(f, wrt), &m->tangents, NULL, visit, user)) &&
           (!has_vjp || !has_jvp ||
            give(m, "hvp", ct_jvp(ct_vjp(f, wrt), wrt), &m->cotangents, &m->tangents, visit, user));
}

static bool visit_module(file *m, visit_subject *visit, void *user)
{
    read_values(m, "inputs", &m->inputs);
    read_values(m, "cotangents", &m->cotangents);
    read_values(m, "tangents", &m->tangents);
    ct_function *f = ct_module_function(m->module, NULL);
    if (ct_failed(m->ctx) || ct_function_parameters(f) != m->inputs.count)
        return true; /* an instance of a template is not known, or its arguments are not */
    return give(m, "main", f, NULL, NULL, visit, user) && visit_derivatives(m, f, visit, user);
}

static bool visit_part(const char *path, const ct_stablehlo_part *part, visit_subject *visit,
                       void *user)
{
    file m = {.ctx = ct_context_new(), .path = path};
    bool fine = true;
    collect(m.ctx, &m.seen);
    if (!ct_stablehlo_expected_error(part->text, part->length, 0)) {
        m.module = ct_read_stablehlo_lines(m.ctx, path, part->text, part->length, part->line);
        fine = ct_failed(m.ctx) || ct_module_functions(m.module) == 0 ||
               visit_module(&m, visit, user);
    }
    forget(&m.seen);
    free(m.seen.item);
    ct_context_free(m.ctx);
    return fine;
}

/* ---- Files. */

/* To be freed; NULL after saying why. */
static char *read_text(const char *path, size_t *length)
{
    FILE *f = fopen(path, "rb");
    long size = f && fseek(f, 0, SEEK_END) == 0 ? ftell(f) : -1;
    char *text = size >= 0 ? malloc((size_t)size + 1) : NULL;
    *length = size > 0 ? (size_t)size : 0;
    const bool fine = text && fseek(f, 0, SEEK_SET) == 0 && fread(text, 1, *length, f) == *length;
    if (f)
        fclose(f);
    if (fine) {
        text[*length] = '\0';
        return text;
    }
    fprintf(stderr, "%s: cannot be read\n", path);
    free(text);
    return NULL;
}

bool visit_file(const char *path, visit_subject *visit, void *user)
{
    size_t length;
    char *text = read_text(path, &length);
    ct_stablehlo_part part = {0};
    bool fine = text != NULL;
    while (fine && ct_stablehlo_next_part(text, length, &part))
        fine = visit_part(path, &part, visit, user);
    free(text);
    return fine;
}

/* ---- Benchmarks. */

bool visit_workloads(size_t first, size_t step, visit_subject *visit, void *user)
{
    const ct_compile_options machine = {.size = sizeof machine, .executor = CT_EXECUTOR_MACHINE};
    const workload *w;
    bool fine = true;
    for (size_t i = first; fine && (w = workload_at(i)); i += step) {
        session s;
        collector seen = {0};
        fine = open_session(&s, w, &machine) &&
               visit(&(subject){s.ctx, w->name, mode_name(w->mode), s.function,
                                CT_LIST(s.n_inputs, s.input), &seen},
                     user);
        close_session(&s);
    }
    return fine;
}
