/* Whether the derivative of a single number is wrong along one random direction of all that moves:
 * in numbers of MPFR where that can be, by both derivatives; else as in any check in f64. */
#include "probe/gradcheck.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* ---- In numbers of MPFR. */

/* A random direction, each entry of the size of its element. */
static bool choose_direction(const ct__subject *sub, double **tangent)
{
    for (size_t k = 0; k < sub->n_wrt; k++) {
        const size_t p = (size_t)sub->wrt[k], n = (size_t)ct__param_type(sub->graph, p)->size;
        const double *x = sub->x[p];
        tangent[p] = ct__gradcheck_array(sub, n, sizeof *tangent[p]);
        if (!tangent[p])
            return false;
        for (size_t i = 0; i < n; i++) {
            const double u = 0.75 + 0.25 * ct__mix_signed(sub->options->seed, 999 + p, i);
            tangent[p][i] = u * (x[i] != 0 && isfinite(x[i]) ? fmin(fabs(x[i]), 1) : 1);
        }
    }
    return true;
}

/* Run a derivative, of the arguments and these behind them. An end is always due. */
static bool run_derivative(const ct__subject *sub, const ct_function *derivative,
                           void *const *behind, size_t n, ct__machine *m)
{
    void **input = ct__gradcheck_array(sub, sub->graph->n_params + n, sizeof *input);

    if (!input || ct_failed(sub->ctx))
        return false;
    memcpy(input, sub->x, sub->graph->n_params * sizeof *input);
    memcpy(input + sub->graph->n_params, behind, n * sizeof *input);
    return ct__machine_begin(m, sub->ctx, sub->at, ct__graph_retain(derivative->graph), input,
                             sub->bits, sub->arena) &&
           ct__machine_run(m) == CT_OK;
}

/* What a derivative says along the direction. */
typedef struct slope {
    double reverse; /* <J' 1, v> */
    double terms;   /* the sum of its terms' sizes */
    double forward; /* J v */
} slope;

static bool reverse_along(const ct__subject *sub, double *const *tangent, slope *y)
{
    ct_function *f = ct__function_new(sub->ctx, sub->at, ct__graph_retain(sub->graph));
    ct_function *vjp = ct_vjp_at(sub->at, f, (ct_args){.count = sub->n_wrt, .position = sub->wrt});
    double one = 1;
    ct__machine m = {.instance = NULL};
    const bool fine = run_derivative(sub, vjp, &(void *){&one}, 1, &m);

    for (size_t k = 0; fine && k < sub->n_wrt; k++) {
        const size_t p = (size_t)sub->wrt[k];
        for (int64_t i = 0; i < ct__param_type(sub->graph, p)->size; i++) {
            const double term = ((const double *)m.result[k])[i] * tangent[p][i];
            y->reverse += term;
            y->terms += fabs(term);
        }
    }
    ct__machine_end(&m);
    return fine;
}

/* Where there is none the reverse one stands for it. */
static bool forward_along(const ct__subject *sub, double *const *tangent, slope *y)
{
    ct__machine m = {.instance = NULL};

    y->forward = y->reverse;
    if (sub->report->is_reverse_only)
        return true;
    ct_function *f = ct__function_new(sub->ctx, sub->at, ct__graph_retain(sub->graph));
    ct_function *jvp = ct_jvp_at(sub->at, f, (ct_args){.count = sub->n_wrt, .position = sub->wrt});
    void **along = ct__gradcheck_array(sub, sub->n_wrt, sizeof *along);
    for (size_t k = 0; along && k < sub->n_wrt; k++)
        along[k] = tangent[sub->wrt[k]];
    const bool fine = along && run_derivative(sub, jvp, along, sub->n_wrt, &m);
    if (fine)
        y->forward = *(const double *)m.result[1];
    ct__machine_end(&m);
    return fine;
}

/* A kink's derivative lies between the one-sided ones. */
static bool is_wrong(const ct__judgement *j, double derivative, double terms)
{
    const double room = 64 * DBL_EPSILON * terms;

    if (j->verdict == CT_GRADCHECK_KINK)
        return !(derivative >= fmin(j->above, j->below) - room &&
                 derivative <= fmax(j->above, j->below) + room);
    return j->verdict == CT_GRADCHECK_WRONG && !(fabs(derivative - j->estimate) <= room);
}

static bool differs(const ct__differences *d, double derivative, double terms)
{
    const ct__exact_row row = {
        .derivative = derivative, .noise = 32 * DBL_EPSILON * terms, .scale = 1};
    ct__judgement j;

    ct__differences_judge(d, 0, 0, &row, &j);
    return is_wrong(&j, derivative, terms);
}

static bool judge_exactly(const ct__subject *sub, bool *wrong)
{
    ct__differences d = {.s = NULL};
    slope y = {.reverse = 0};
    double **tangent = ct__gradcheck_array(sub, sub->graph->n_params, sizeof *tangent);
    const bool fine = tangent && choose_direction(sub, tangent) &&
                      reverse_along(sub, tangent, &y) && forward_along(sub, tangent, &y) &&
                      ct__differences_begin(&d, sub, tangent, NULL) && ct__differences_run(&d, 1);

    *wrong = fine && (differs(&d, y.reverse, y.terms) || differs(&d, y.forward, y.terms));
    ct__differences_end(&d);
    return fine;
}

/* ---- In f64. */

/* Arguments in memory of their own: they are moved in place, and some may be the same value. */
static bool copy_arguments(ct__subject *sub)
{
    void **x = ct__gradcheck_array(sub, sub->graph->n_params, sizeof *x);

    for (size_t i = 0; x && i < sub->graph->n_params; i++) {
        const ct_type *type = ct__param_type(sub->graph, i);
        x[i] = sub->x[i];
        if (ct__is_f64(type))
            x[i] = ct__arena_copy(sub->arena, x[i], ct__data_bytes(type));
        if (!x[i])
            return ct__gradcheck_memory(sub);
    }
    sub->x = x;
    return x != NULL;
}

static bool leave_unnamed(ct__subject *sub)
{
    static const char *const unnamed = NULL;
    const char **name = ct__gradcheck_array(sub, sub->graph->n_params, sizeof *name);

    sub->input_name = sub->input_type = name;
    sub->result_name = &unnamed;
    return name != NULL;
}

/* By a report that lists nothing: so nobody is looked for who is to blame in it. */
static bool judge_in_f64(const ct__subject *s, bool *wrong)
{
    const ct_gradcheck_options options = {
        .size = sizeof options, .directions = 1, .seed = s->options->seed};
    ct_gradcheck_report *report = ct__report_new(s->ctx, s->at);
    ct__subject sub = *s;

    sub.options = &options;
    sub.report = report;
    sub.own = NULL;
    const bool fine = report->handle.ctx && copy_arguments(&sub) && leave_unnamed(&sub) &&
                      ct__check_subject(&sub);
    *wrong = fine && (report->count[CT_GRADCHECK_WRONG] > 0 || report->n_outside > 0);
    ct_gradcheck_release(report);
    return fine;
}

bool ct__is_wrong_along(const ct__subject *s, bool *wrong)
{
    ct__subject sub = *s;

    *wrong = false;
    sub.derivative = NULL;
    sub.bits = ct__exact_bits(&sub);
    return sub.bits > 0 ? judge_exactly(&sub, wrong) : judge_in_f64(&sub, wrong);
}
