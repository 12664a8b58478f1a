#include "session.h"

#include "../bench.h"
#include "memory.h"

#include <stdlib.h>

static const struct {
    const char *name;
    ct_executor executor;
    ct_jit jit;
} ways[] = {{"auto", CT_EXECUTOR_CPU, CT_JIT_BACKGROUND},
            {"cpu", CT_EXECUTOR_CPU, CT_JIT_OFF},
            {"jit", CT_EXECUTOR_JIT, CT_JIT_NOW},
            {"machine", CT_EXECUTOR_MACHINE, CT_JIT_DEFAULT},
            {"interpret", CT_EXECUTOR_INTERPRETER, CT_JIT_DEFAULT}};

enum { N_WAYS = sizeof ways / sizeof *ways };

const char *way_name(size_t i)
{
    return i < N_WAYS ? ways[i].name : NULL;
}

bool find_way(const char *name, ct_compile_options *options)
{
    const size_t length = strcspn(name, ":");
    char *end = NULL;
    if (name[length] == ':') {
        options->threads = strtoul(name + length + 1, &end, 10);
        if (options->threads == 0 || *end != '\0')
            return false;
    }
    for (size_t i = 0; i < N_WAYS; i++)
        if (strlen(ways[i].name) == length && strncmp(ways[i].name, name, length) == 0) {
            options->executor = ways[i].executor;
            options->jit = ways[i].jit;
            return true;
        }
    return false;
}

size_t type_bytes(const ct_type *type)
{
    size_t bytes = ct_dtype_bytes(ct_type_dtype(type));
    ct_shape shape = ct_type_shape(type);
    for (size_t d = 0; d < shape.count; d++)
        bytes *= (size_t)shape.dim[d];
    return bytes;
}

/* ---- Inputs. */

static ct_dtype dtype_of(const workload *w)
{
    return w->dtype == CT_INVALID_DTYPE ? CT_F32 : w->dtype;
}

static ct_tensor *make_uniform(ct_context *ctx, ct_dtype dtype, size_t i, ct_shape shape)
{
    return ct_dtype_is_float(dtype) ? ct_random_uniform(ctx, ct_key_new(i), dtype, shape, 0.01, 1)
                                    : ct_random_integers(ctx, ct_key_new(i), dtype, shape, 1, 100);
}

static ct_tensor *make_input(ct_context *ctx, const workload *w, size_t i)
{
    const input *in = &w->input[i];
    const ct_shape shape = {input_rank(in), in->dim};
    switch (in->kind) {
    case UNIFORM: return make_uniform(ctx, dtype_of(w), i, shape);
    case INDEX:
        return ct_random_integers(ctx, ct_key_new(i), CT_I32, shape, 0, (int64_t)in->number);
    case FULL: return ct_full(ctx, dtype_of(w), shape, in->number);
    case LISTED: return ct_from_doubles(ctx, dtype_of(w), shape, in->list);
    case NORMAL: break;
    }
    ct_tensor *x = ct_random_normal(ctx, ct_key_new(i), dtype_of(w), shape);
    return in->number == 0 ? x : ct_mul(x, in->number);
}

static void make_inputs(session *s)
{
    s->n_inputs = input_count(s->workload);
    for (size_t i = 0; i < s->n_inputs; i++)
        s->input[i] = make_input(s->ctx, s->workload, i);
}

/* ---- Steps. */

static void run_program(void *user, ct_list p, ct_tensor **r)
{
    const workload *w = user;
    r[0] = w->code(&p);
}

static ct_function *trace(session *s)
{
    return ct_trace_many(s->ctx, run_program, (void *)(uintptr_t)s->workload, 1,
                         CT_LIST(s->n_inputs, s->input));
}

static ct_function *derive(const session *s, ct_function *f)
{
    static const int64_t position[MOST_INPUTS] = {0, 1, 2,  3,  4,  5,  6,  7,
                                                  8, 9, 10, 11, 12, 13, 14, 15};
    const ct_args wrt = {false, s->workload->n_wrt, position};
    switch (s->workload->mode) {
    case GRADIENT: return ct_value_and_grad(f, wrt);
    case VJP: return ct_vjp(f, wrt);
    case VALUE: break;
    }
    return f;
}

/* The cotangent of the traced function's result, behind the inputs. */
static void add_cotangent(session *s, ct_function *f)
{
    if (s->workload->mode == VJP && !ct_failed(s->ctx))
        s->input[s->n_inputs++] = ct_random_normal(s->ctx, ct_key_new(99), dtype_of(s->workload),
                                                   ct_type_shape(ct_result_type(f, 0)));
}

/* Memory for a result, its pages touched, for callers keep it from run to run. */
static void *new_result(size_t bytes)
{
    void *memory = aligned_alloc(64, (bytes + 63) / 64 * 64);
    if (memory)
        memset(memory, 0, bytes);
    return memory;
}

static bool make_results(session *s)
{
    s->n_results = ct_function_results(s->function);
    bool fine = true;
    for (size_t i = 0; i < s->n_results; i++)
        fine = (s->result[i] = new_result(type_bytes(ct_result_type(s->function, i)))) && fine;
    return fine;
}

static bool bind(session *s)
{
    bool fine = true;
    s->run = ct_instance_new(s->executable);
    for (size_t i = 0; fine && i < s->n_inputs; i++)
        fine = ct_bind_input(s->run, i, ct_data(s->input[i]),
                             type_bytes(ct_parameter_type(s->function, i))) == CT_OK;
    for (size_t i = 0; fine && i < s->n_results; i++)
        fine = ct_bind_output(s->run, i, s->result[i],
                              type_bytes(ct_result_type(s->function, i))) == CT_OK;
    return fine;
}

static double lap(double *from)
{
    const double then = *from;
    return (*from = now()) - then;
}

static size_t input_bytes(const session *s)
{
    size_t bytes = 0;
    for (size_t i = 0; i < s->n_inputs; i++)
        bytes += type_bytes(ct_parameter_type(s->function, i));
    return bytes;
}

static bool prepare(session *s, const ct_compile_options *options)
{
    s->base_kib = resident_kib();
    make_inputs(s);
    double t = now();
    ct_function *f = trace(s);
    s->traced = lap(&t);
    s->function = derive(s, f);
    s->derived = lap(&t);
    s->executable = ct_compile(s->function, options);
    s->compiled = lap(&t);
    add_cotangent(s, f);
    if (ct_failed(s->ctx) || !make_results(s))
        return false;
    s->base_kib += (long)(input_bytes(s) / 1024);
    t = now();
    bool fine = bind(s);
    s->bound = lap(&t);
    fine = fine && ct_run(s->run) == CT_OK;
    s->ran = lap(&t);
    return fine;
}

bool open_session(session *s, const workload *w, const ct_compile_options *options)
{
    *s = (session){.workload = w, .ctx = ct_context_new()};
    if (prepare(s, options))
        return true;
    fprintf(stderr, "%s %s: %s %s\n", w->name, mode_name(w->mode), ct_error_message(s->ctx),
            s->run ? ct_instance_error(s->run) : "");
    return false;
}

void close_session(session *s)
{
    if (s->run)
        ct_instance_free(s->run);
    for (size_t i = 0; i < s->n_results; i++)
        free(s->result[i]);
    ct_context_free(s->ctx);
    *s = (session){0};
}

void settle_session(const session *s)
{
    enum { SECONDS = 300 };
    ct_executable_wait(s->executable, SECONDS);
}

double ready_seconds(const session *s)
{
    return s->traced + s->derived + s->compiled + s->bound;
}

double first_seconds(const session *s)
{
    return ready_seconds(s) + s->ran;
}

size_t session_bytes(const session *s)
{
    size_t bytes = input_bytes(s);
    for (size_t i = 0; i < s->n_results; i++)
        bytes += type_bytes(ct_result_type(s->function, i));
    return bytes;
}

/* ---- Files. */

static void write_tensor(ct_tensor *x, const char *dir, const char *what, size_t i)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s%zu.npy", dir, what, i);
    ct_write_npy(x, path);
}

bool write_session(session *s, const char *dir)
{
    ct_scope scope = ct_scope_begin(s->ctx);
    for (size_t i = 0; i < s->n_inputs; i++)
        write_tensor(s->input[i], dir, "in", i);
    for (size_t i = 0; i < s->n_results; i++) {
        const ct_type *type = ct_result_type(s->function, i);
        write_tensor(ct_from_data(s->ctx, ct_type_dtype(type), ct_type_shape(type), s->result[i]),
                     dir, "out", i);
    }
    ct_scope_end(scope);
    if (ct_failed(s->ctx))
        fprintf(stderr, "%s\n", ct_error_message(s->ctx));
    return !ct_failed(s->ctx);
}
