/* Second order: the function (x…) -> gradients of <ybar, f(x)>. ybar is 1 where f is a single
 * number, which makes the derivatives f's Hessian, and else random. */
#include "probe/gradcheck.h"

/* How many numbers f has, in all wanted results. */
static size_t count_numbers(const ct__subject *s)
{
    size_t n = 0;
    for (size_t r = 0; r < s->graph->n_results; r++)
        n += s->wanted[r] ? (size_t)ct__result_type(s->graph, r)->size : 0;
    return n;
}

static ct_tensor *cotangent_of(const ct__subject *s, size_t r)
{
    const ct_type *type = ct__result_type(s->graph, r);
    double *u = CT__NEW_ARRAY(s->arena, double, (size_t)type->size);
    if (!u)
        return ct__poison(s->ctx);
    for (size_t i = 0; s->wanted[r] && i < (size_t)type->size; i++)
        u[i] = s->report->weighted ? ct__mix_signed(s->options->seed, ~(uint64_t)r, i) : 1;
    ct_shape shape = {(size_t)type->rank, type->dim};
    return ct_from_data_at(s->at, s->ctx, CT_F64, shape, u);
}

/* Parameters, then a cotangent for each f64 result. */
static bool vjp_operands(const ct__subject *s, ct_tensor **operand, size_t *n)
{
    for (*n = 0; *n < s->graph->n_params; ++*n)
        operand[*n] = ct__trace_param(s->ctx, s->at, ct__param_type(s->graph, *n));
    for (size_t r = 0; r < s->graph->n_results; r++)
        if (ct__is_f64(ct__result_type(s->graph, r)))
            operand[(*n)++] = cotangent_of(s, r);
    for (size_t i = 0; i < *n; i++)
        if (ct_is_poison(operand[i]))
            return ct__gradcheck_memory(s);
    return true;
}

static ct__graph *trace_gradient(const ct__subject *s, const ct__graph *vjp)
{
    ct__arena arena;
    ct__session session;
    ct__graph *graph = NULL;
    if (!ct__session_begin(&session, s->ctx, s->at, &arena, "gradient", s->graph))
        return NULL;
    size_t n;
    ct_tensor **operand = CT__NEW_ARRAY(&arena, ct_tensor *, vjp->n_params);
    ct_tensor **result = CT__NEW_ARRAY(&arena, ct_tensor *, vjp->n_results);
    if (operand && result && vjp_operands(s, operand, &n) &&
        ct__replay(s->ctx, s->at, vjp, operand, result))
        graph = ct__trace_close_flat(s->ctx, s->at, "gradcheck", vjp->n_results, result);
    ct__session_end(&session);
    if (!graph)
        ct__gradcheck_memory(s); /* unless there is an error already */
    return graph;
}

bool ct__check_second(const ct__subject *s)
{
    s->report->weighted = count_numbers(s) > 1;
    ct_function *wide = ct__function_new(s->ctx, s->at, ct__graph_retain(s->graph));
    ct_args wrt = {.count = s->n_wrt, .position = s->wrt};
    ct_function *vjp = ct_vjp_at(s->at, wide, wrt);
    ct__graph *gradient = ct_failed(s->ctx) ? NULL : trace_gradient(s, vjp->graph);
    bool *wanted = CT__NEW_ARRAY(s->arena, bool, s->n_wrt);
    const char **name = CT__NEW_ARRAY(s->arena, const char *, s->n_wrt);
    bool fine = gradient && ((wanted && name) || ct__gradcheck_memory(s));
    for (size_t k = 0; fine && k < s->n_wrt; k++) {
        wanted[k] = true;
        name[k] = s->input_name[s->wrt[k]];
    }
    if (fine) {
        ct__subject second = *s;
        second.graph = gradient;
        second.order = 2;
        second.own = NULL;
        second.wanted = wanted;
        second.result_name = name;
        second.bits = ct__exact_bits(&second);
        fine = ct__check_subject(&second);
    }
    ct__graph_release(gradient);
    return fine;
}
