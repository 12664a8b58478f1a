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

static ct_tensor *cotangent_of(const ct__subject *s, const ct_type *type, size_t r)
{
    double *u = CT__NEW_ARRAY(s->arena, double, (size_t)type->size);
    if (!u)
        return ct__poison(s->ctx);
    for (size_t i = 0; s->wanted[r] && i < (size_t)type->size; i++)
        u[i] = s->report->weighted ? ct__weight(s->options->seed, ~(uint64_t)r, i) : 1;
    ct_shape shape = {(size_t)type->rank, type->dim};
    return ct_from_doubles_at(s->at, s->ctx, type->dtype, shape, u);
}

/* Parameters, then a cotangent for each float result. */
static bool vjp_operands(const ct__subject *s, const ct__graph *f, ct_tensor **operand, size_t *n)
{
    for (*n = 0; *n < f->n_params; ++*n)
        operand[*n] = ct__trace_param(s->ctx, s->at, ct__param_type(f, *n));
    for (size_t r = 0; r < f->n_results; r++)
        if (ct__has_tangent(ct__result_type(f, r)))
            operand[(*n)++] = cotangent_of(s, ct__result_type(f, r), r);
    for (size_t i = 0; i < *n; i++)
        if (ct_is_poison(operand[i]))
            return ct__gradcheck_memory(s);
    return true;
}

static ct__graph *trace_gradient(const ct__subject *s, const ct__graph *f, const ct__graph *vjp)
{
    ct__arena arena;
    ct__session session;
    ct__graph *graph = NULL;
    if (!ct__session_begin(&session, s->ctx, s->at, &arena, "gradient", f))
        return NULL;
    size_t n;
    ct_tensor **operand = CT__NEW_ARRAY(&arena, ct_tensor *, vjp->n_params);
    ct_tensor **result = CT__NEW_ARRAY(&arena, ct_tensor *, vjp->n_results);
    if (operand && result && vjp_operands(s, f, operand, &n) &&
        ct__replay(s->ctx, s->at, vjp, operand, result))
        graph = ct__trace_close_flat(s->ctx, s->at, "gradcheck", vjp->n_results, result);
    ct__session_end(&session);
    if (!graph)
        ct__gradcheck_memory(s); /* unless there is an error already */
    return graph;
}

/* The gradient of a function of s, in f64 or in its own dtypes. Owned by the caller; NULL after an
 * error. */
static ct__graph *gradient_of(const ct__subject *s, ct__graph *f)
{
    const ct_args wrt = {.count = s->n_wrt, .position = s->wrt};
    ct_function *function = ct__function_new(s->ctx, s->at, ct__graph_retain(f));
    const ct_function *vjp = ct_vjp_at(s->at, function, wrt);

    return ct_failed(s->ctx) ? NULL : trace_gradient(s, f, vjp->graph);
}

/* All gradients are wanted, and have their inputs' names. False after an error. */
static bool want_gradients(const ct__subject *s, ct__subject *second)
{
    bool *wanted = CT__NEW_ARRAY(s->arena, bool, s->n_wrt);
    const char **name = CT__NEW_ARRAY(s->arena, const char *, s->n_wrt);

    for (size_t k = 0; wanted && name && k < s->n_wrt; k++) {
        wanted[k] = true;
        name[k] = s->input_name[s->wrt[k]];
    }
    second->wanted = wanted;
    second->result_name = name;
    return (wanted && name) || ct__gradcheck_memory(s);
}

bool ct__check_second(const ct__subject *s)
{
    ct__subject second = *s;

    s->report->weighted = count_numbers(s) > 1;
    second.order = 2;
    ct__graph *own = s->own ? gradient_of(s, s->own) : NULL;
    ct__graph *gradient = ct_failed(s->ctx) ? NULL : gradient_of(s, s->graph);
    bool fine = gradient && want_gradients(s, &second);
    if (fine) {
        second.graph = gradient;
        second.own = own;
        second.bits = s->report->second_bits = ct__exact_bits(&second);
        s->report->has_second = true;
        fine = ct__check_subject(&second);
    }
    ct__graph_release(gradient);
    ct__graph_release(own);
    return fine;
}
