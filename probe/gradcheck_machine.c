#include "probe/gradcheck.h"

#include "exec/saturate.h"

#include <float.h>
#include <string.h>

enum { MOST_QUOTIENT_BITS = 1 << 14 };

static bool out_of_memory(ct_context *ctx, ct_place at)
{
    ct__error_memory(ctx, at, "gradcheck");
    return false;
}

static bool bind(ct__machine *m, const ct__graph *graph, void *const *input)
{
    ct_status status = CT_OK;
    for (size_t i = 0; status == CT_OK && i < graph->n_params; i++)
        status = ct_bind_input(m->instance, i, input[i], ct__data_bytes(ct__param_type(graph, i)));
    for (size_t i = 0; status == CT_OK && i < graph->n_results; i++)
        status = ct_bind_output(m->instance, i, m->result[i],
                                ct__data_bytes(ct__result_type(graph, i)));
    return status == CT_OK;
}

bool ct__machine_begin(ct__machine *m, ct_context *ctx, ct_place at, ct__graph *graph,
                       void *const *input, size_t bits, ct__arena *arena)
{
    *m = (ct__machine){.f = ct__function_new(ctx, at, graph)};
    const bool is_exact = bits == CT__QUOTIENTS;
    const ct_compile_options options = {.size = sizeof options,
                                        .executor = is_exact   ? CT_EXECUTOR_RATIONAL
                                                    : bits > 0 ? CT_EXECUTOR_MPFR
                                                               : CT_EXECUTOR_INTERPRETER,
                                        .bits = is_exact ? 0 : bits,
                                        .most_bits = is_exact ? MOST_QUOTIENT_BITS : 0};
    ct_executable *executable = ct_compile_at(at, m->f, &options);
    if (ct_failed(ctx))
        return false;
    if (!is_exact)
        ct__executable_saturates(executable);
    m->instance = ct_instance_new(executable);
    m->n_results = m->f->graph->n_results;
    m->result = CT__NEW_ARRAY(arena, void *, m->n_results);
    for (size_t i = 0; m->result && i < m->n_results; i++) {
        m->result[i] = ct__arena_zeroed(arena, ct__data_bytes(ct__result_type(m->f->graph, i)));
        if (!m->result[i])
            return out_of_memory(ctx, at);
    }
    return (m->result && bind(m, m->f->graph, input)) || out_of_memory(ctx, at);
}

ct_status ct__machine_run(ct__machine *m)
{
    return ct_run(m->instance);
}

void ct__machine_end(ct__machine *m)
{
    ct_instance_free(m->instance);
    m->instance = NULL;
}

bool ct__gradcheck_memory(const ct__subject *s)
{
    return out_of_memory(s->ctx, s->at);
}

void *ct__gradcheck_array(const ct__subject *s, size_t count, size_t bytes)
{
    void *array = ct__arena_array(s->arena, count, bytes);
    if (!array)
        ct__gradcheck_memory(s);
    return array;
}

bool ct__run_failed(const ct__subject *s, const ct__machine *m, ct_status status)
{
    ct__error(s->ctx, s->at, status, "gradcheck: %s", ct_instance_error(m->instance));
    return false;
}

/* ---- Jitter. */

bool ct__jitter_begin(ct__jitter *j, const ct__subject *s)
{
    j->fixed_element = -1;
    j->saved = CT__NEW_ARRAY(s->arena, double *, s->graph->n_params);
    for (size_t p = 0; j->saved && p < s->graph->n_params; p++) {
        const ct_type *type = ct__param_type(s->graph, p);
        if (!ct__is_f64(type))
            continue;
        j->saved[p] = CT__NEW_ARRAY(s->arena, double, (size_t)type->size);
        if (!j->saved[p])
            return out_of_memory(s->ctx, s->at);
    }
    return j->saved || out_of_memory(s->ctx, s->at);
}

void ct__jitter_move(const ct__jitter *j, const ct__subject *s, uint64_t seed)
{
    for (size_t p = 0; p < s->graph->n_params; p++) {
        if (!j->saved[p])
            continue;
        double *x = s->x[p];
        for (int64_t i = 0; i < ct__param_type(s->graph, p)->size; i++) {
            double ulps = CT__SHAKE_ULPS * ct__mix_signed(seed, p, (uint64_t)i);
            j->saved[p][i] = x[i];
            if (p != j->fixed_param || i != j->fixed_element)
                x[i] *= 1 + ulps * DBL_EPSILON;
        }
    }
}

void ct__jitter_restore(const ct__jitter *j, const ct__subject *s)
{
    for (size_t p = 0; p < s->graph->n_params; p++)
        if (j->saved[p])
            memcpy(s->x[p], j->saved[p], ct__data_bytes(ct__param_type(s->graph, p)));
}
