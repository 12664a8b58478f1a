/* Differences that are exact to far more digits than f64 has: a program of its own computes them
 * from f at x ± t v and x ± t v/4, all in numbers of MPFR, with t so small that no feature of f at
 * numbers of f64 is as near, and so many bits that rounding does not matter.
 *
 * Of D(t), the central quotient, Richardson's extrapolation leaves an error of order t^4. It is
 * known by its change. One-sided quotients say what f is on both sides: where it is smooth
 * they meet as t falls, at a kink they keep their distance, and at a jump they grow as 1/t. */
#include "probe/gradcheck.h"

#include <cotangent/oracle.h>

#include <float.h>
#include <math.h>
#include <string.h>

enum { STEP = 100, BITS = 448, MOST_BITS = 4096, SIDES = 2, LEVELS = 2 };

/* ---- Whether f can be computed so: not what calls C functions, draws, or looks at bits. */

static bool is_inside(const ct__graph *graph)
{
    for (size_t i = 0; i < graph->n_nodes; i++) {
        const ct__node *node = &graph->node[i];
        if (ct__has(node->op, CT__EFFECT) || node->op == CT__OP_custom_call ||
            node->op == CT__OP_bitcast_convert || node->op == CT__OP_reduce_precision ||
            node->op == CT__OP_next_after || node->op == CT__OP_rng_bit_generator)
            return false;
        for (size_t k = 0; k < node->n_regions; k++)
            if (!is_inside(node->region[k]))
                return false;
    }
    return true;
}

/* As many as bring t v apart from x for the smallest x. */
size_t ct__exact_bits(const ct__subject *s)
{
    double smallest = 1;

    if (!ct_has_oracle() || s->options->in_f64 || !is_inside(s->graph) ||
        (s->derivative && !is_inside(s->derivative)))
        return 0;
    for (size_t k = 0; k < s->n_wrt; k++) {
        const double *x = s->x[s->wrt[k]];
        for (int64_t i = 0; i < ct__param_type(s->graph, (size_t)s->wrt[k])->size; i++)
            if (x[i] != 0 && fabs(x[i]) < smallest)
                smallest = fabs(x[i]);
    }
    const size_t bits = BITS + 2 * (size_t)-ilogb(smallest);
    return bits < MOST_BITS ? bits : MOST_BITS;
}

size_t ct__work_of(const ct__graph *graph, size_t most)
{
    size_t work = 0;

    for (size_t v = 0; v < graph->n_values && work < most; v++)
        if (ct__graph_type(graph, (ct__id)v)->kind == CT__TENSOR)
            work += (size_t)ct__graph_type(graph, (ct__id)v)->size;
    for (size_t i = 0; i < graph->n_nodes && work < most; i++)
        for (size_t k = 0; k < graph->node[i].n_regions && work < most; k++)
            work += ct__work_of(graph->node[i].region[k], most - work);
    return work;
}

/* Quotients are tried where they cost little. */
bool ct__may_be_exact(const ct__subject *s)
{
    enum { MOST_WORK = 20000 };
    size_t moved = 1;

    for (size_t k = 0; k < s->n_wrt; k++)
        moved += (size_t)ct__param_type(s->graph, (size_t)s->wrt[k])->size;
    return s->bits > 0 && moved < MOST_WORK && ct__work_of(s->graph, MOST_WORK) < MOST_WORK / moved;
}

/* ---- The program of differences. */

typedef struct program {
    const ct__subject *s;
    ct__arena *arena;
    ct_tensor **x, **v, *t; /* parameters */
    ct_tensor **at;         /* results of f, per result */
    ct_tensor **moved[SIDES][LEVELS];
    const ct__graph *forward; /* the forward derivative; NULL: nothing is compared with it */
    ct_tensor **slope;        /* along v, per result of f64 */
    ct_tensor **out;
    size_t n_out;
} program;

/* The value as often as x has elements; poison where x is. */
static ct_tensor *constant_like(const program *p, ct_tensor *x, double value)
{
    return ct_is_poison(x) ? x : ct_full_at(p->s->at, p->s->ctx, CT_F64, ct_shape_of(x), value);
}

/* factor · x */
static ct_tensor *times(const program *p, ct_tensor *x, double factor)
{
    return ct_op_multiply_at(p->s->at, x, constant_like(p, x, factor));
}

static ct_tensor *minus(const program *p, ct_tensor *x, ct_tensor *y)
{
    return ct_op_subtract_at(p->s->at, x, y);
}

/* t as often as a tensor of this type has elements */
static ct_tensor *spread(const program *p, const ct_type *type)
{
    return ct_op_broadcast_in_dim_at(p->s->at, p->t, (ct_shape){(size_t)type->rank, type->dim},
                                     (ct_dims){0, NULL});
}

/* f at x + factor t v. */
static bool evaluate(program *p, double factor, ct_tensor ***result)
{
    const ct__subject *s = p->s;
    ct_tensor **x = CT__NEW_ARRAY(p->arena, ct_tensor *, s->graph->n_params);

    *result = CT__NEW_ARRAY(p->arena, ct_tensor *, s->graph->n_results);
    if (!x || !*result)
        return ct__gradcheck_memory(s);
    memcpy(x, p->x, s->graph->n_params * sizeof *x);
    for (size_t k = 0; factor != 0 && k < s->n_wrt; k++) {
        const size_t i = (size_t)s->wrt[k];
        ct_tensor *step = ct_op_multiply_at(s->at, p->v[k], spread(p, x[i]->type));
        x[i] = ct_op_add_at(s->at, x[i], times(p, step, factor));
    }
    return ct__replay(s->ctx, s->at, s->graph, x, *result);
}

/* The limit of quotients at t and t/4, whose error falls to a `power`th, and its change. Returns
 * the limit. */
static ct_tensor *add_limit(program *p, ct_tensor *const *q, double power)
{
    ct_tensor *change = ct_op_divide_at(p->s->at, minus(p, q[1], q[0]),
                                        constant_like(p, q[1], power - 1));
    ct_tensor *limit = ct_op_add_at(p->s->at, q[1], change);

    p->out[p->n_out++] = limit;
    p->out[p->n_out++] = ct_op_abs_at(p->s->at, change);
    return limit;
}

static void add_distance(program *p, ct_tensor *x, ct_tensor *y)
{
    p->out[p->n_out++] = ct_op_abs_at(p->s->at, minus(p, x, y));
}

/* What is told of a result, in this order: see `told`. */
static void add_result(program *p, size_t r)
{
    ct_tensor *at = p->at[r], *t = spread(p, at->type);
    ct_tensor *central[LEVELS], *side[SIDES][LEVELS], *limit, *side_limit[SIDES];

    for (int k = 0; k < LEVELS; k++) {
        ct_tensor *up = p->moved[0][k][r], *down = p->moved[1][k][r];
        const double scale = ldexp(1, 2 * k);
        central[k] = times(p, ct_op_divide_at(p->s->at, minus(p, up, down), t), scale / 2);
        side[0][k] = times(p, ct_op_divide_at(p->s->at, minus(p, up, at), t), scale);
        side[1][k] = times(p, ct_op_divide_at(p->s->at, minus(p, at, down), t), scale);
    }
    p->out[p->n_out++] = at;
    limit = add_limit(p, central, 16);
    for (int i = 0; i < SIDES; i++) {
        side_limit[i] = add_limit(p, side[i], 4);
        p->out[p->n_out++] = side[i][0];
        p->out[p->n_out++] = side[i][LEVELS - 1];
    }
    if (p->slope) {
        add_distance(p, p->slope[r], limit);
        add_distance(p, side_limit[0], side_limit[1]);
    }
}

enum { TOLD = 11, TOLD_WITH_SLOPE = 13 };

static bool add_params(program *p)
{
    const ct__subject *s = p->s;

    p->x = CT__NEW_ARRAY(p->arena, ct_tensor *, s->graph->n_params);
    p->v = CT__NEW_ARRAY(p->arena, ct_tensor *, s->n_wrt);
    p->out = CT__NEW_ARRAY(p->arena, ct_tensor *, TOLD_WITH_SLOPE * s->graph->n_results);
    if (!p->x || !p->v || !p->out)
        return ct__gradcheck_memory(s);
    for (size_t i = 0; i < s->graph->n_params; i++)
        p->x[i] = ct__trace_param(s->ctx, s->at, ct__param_type(s->graph, i));
    for (size_t k = 0; k < s->n_wrt; k++)
        p->v[k] = ct__trace_param(s->ctx, s->at, ct__param_type(s->graph, (size_t)s->wrt[k]));
    const ct_type *scalar = ct__type(p->arena, CT_F64, 0, NULL);
    p->t = scalar ? ct__trace_param(s->ctx, s->at, scalar) : ct__poison(s->ctx);
    return scalar ? !ct_failed(s->ctx) : ct__gradcheck_memory(s);
}

/* The tangents of results of f64 stand behind the results. */
static bool derive(program *p)
{
    const ct__graph *f = p->s->graph, *forward = p->forward;
    ct_tensor **x = CT__NEW_ARRAY(p->arena, ct_tensor *, forward->n_params);
    ct_tensor **y = CT__NEW_ARRAY(p->arena, ct_tensor *, forward->n_results);
    size_t behind = f->n_results;

    p->slope = CT__NEW_ARRAY(p->arena, ct_tensor *, f->n_results);
    if (!x || !y || !p->slope)
        return ct__gradcheck_memory(p->s);
    memcpy(x, p->x, f->n_params * sizeof *x);
    memcpy(x + f->n_params, p->v, p->s->n_wrt * sizeof *x);
    if (!ct__replay(p->s->ctx, p->s->at, forward, x, y))
        return false;
    for (size_t r = 0; r < f->n_results; r++)
        if (ct__is_f64(ct__result_type(f, r)))
            p->slope[r] = y[behind++];
    return true;
}

static bool record(program *p)
{
    if (!add_params(p) || !evaluate(p, 0, &p->at) || (p->forward && !derive(p)))
        return false;
    for (int i = 0; i < SIDES; i++)
        for (int k = 0; k < LEVELS; k++)
            if (!evaluate(p, ldexp(i == 0 ? 1 : -1, -2 * k), &p->moved[i][k]))
                return false;
    for (size_t r = 0; r < p->s->graph->n_results; r++)
        if (p->s->wanted[r])
            add_result(p, r);
    return !ct_failed(p->s->ctx);
}

/* Owned by the caller; NULL after an error. */
static ct__graph *trace_program(const ct__subject *s, const ct__graph *forward)
{
    ct__arena arena;
    ct__session session;
    program p = {.s = s, .arena = &arena, .forward = forward};
    ct__graph *graph = NULL;

    if (!ct__session_begin(&session, s->ctx, s->at, &arena, "differences", s->graph))
        return NULL;
    if (record(&p))
        graph = ct__trace_close_flat(s->ctx, s->at, "gradcheck", p.n_out, p.out);
    if (!graph)
        ct__gradcheck_memory(s); /* unless there is an error already */
    ct__session_end(&session);
    return graph;
}

/* ---- Running it. */

bool ct__differences_begin(ct__differences *d, const ct__subject *s, double *const *tangent,
                           const ct__graph *forward)
{
    const size_t n = s->graph->n_params;
    void **input = CT__NEW_ARRAY(s->arena, void *, n + s->n_wrt + 1);

    *d = (ct__differences){
        .s = s, .told = forward ? TOLD_WITH_SLOPE : TOLD, .t = CT__NEW_ARRAY(s->arena, double, 1)};
    if (!input || !d->t)
        return ct__gradcheck_memory(s);
    for (size_t i = 0; i < n; i++)
        input[i] = s->x[i];
    for (size_t k = 0; k < s->n_wrt; k++)
        input[n + k] = tangent[s->wrt[k]];
    input[n + s->n_wrt] = d->t;
    ct__graph *graph = trace_program(s, forward);
    return graph && ct__machine_begin(&d->machine, s->ctx, s->at, graph, input, s->bits, s->arena);
}

/* x is what moves, or 0 for many elements; t is a power of two. */
bool ct__differences_run(ct__differences *d, double x)
{
    const int exponent = x != 0 && fabs(x) < 1 ? ilogb(x) : x == 0 ? -20 : 0;

    *d->t = ldexp(1, exponent - STEP < -1000 ? -1000 : exponent - STEP);
    const ct_status status = ct__machine_run(&d->machine);
    d->failed = status != CT_OK; /* a strict index out of range: there is no value */
    return status == CT_OK || status == CT_ERR_INDEX ||
           (status != CT_ERR_MEMORY && d->s->bits != CT__QUOTIENTS) ||
           ct__run_failed(d->s, &d->machine, status);
}

void ct__differences_end(ct__differences *d)
{
    ct__machine_end(&d->machine);
}

/* ---- Judging. */

/* What the program says of one element. */
typedef struct told {
    double at, limit, change;
    double from_slope; /* from the forward derivative to the limit, where that is told */
    double apart;      /* of the limits from both sides */
    struct {
        double limit, change, first, last; /* one-sided; the quotients at t and at t/4 */
    } side[SIDES];                         /* above, below */
} told;

static told read(const ct__differences *d, size_t result, size_t i)
{
    double value[TOLD_WITH_SLOPE] = {0};
    told y;

    for (size_t k = 0; k < d->told; k++)
        value[k] = ((const double *)d->machine.result[result * d->told + k])[i];
    y = (told){.at = value[0],
               .limit = value[1],
               .change = value[2],
               .from_slope = value[TOLD],
               .apart = value[TOLD + 1]};
    for (int side = 0; side < SIDES; side++) {
        const double *v = value + 3 + 4 * side;
        y.side[side].limit = v[0];
        y.side[side].change = v[1];
        y.side[side].first = v[2];
        y.side[side].last = v[3];
    }
    return y;
}

static const ct__judgement undecided = {
    .estimate = NAN, .uncertainty = NAN, .below = NAN, .above = NAN, .note = ""};

static void settle(ct__judgement *j, ct_gradcheck_verdict verdict, const char *note)
{
    j->verdict = verdict;
    j->note = note;
}

static bool is_finite(const told *y, int side)
{
    return isfinite(y->side[side].first) && isfinite(y->side[side].last);
}

/* By which a quotient grows as its step falls to a quarter: 1 where there is a slope, 4 at a jump,
 * between where the slope is infinite; 0 where it is next to nothing. */
static double growth(const told *y, int side, double nothing)
{
    if (!is_finite(y, side) || !(fabs(y->side[side].last) > nothing) || y->side[side].first == 0)
        return 0;
    return y->side[side].last / y->side[side].first;
}

static bool jumps(const told *y, double nothing)
{
    return growth(y, 0, nothing) > 3.9 || growth(y, 1, nothing) > 3.9;
}

/* Infinite where the quotients grow without bound. */
static double slope(const told *y, int side, double nothing)
{
    if (growth(y, side, nothing) > 1.2)
        return y->side[side].last > 0 ? (double)INFINITY : -(double)INFINITY;
    return y->side[side].limit;
}

/* What is between both sides does not close with the step. */
static bool is_kink(const told *y, double nothing)
{
    const double first = y->side[0].first - y->side[1].first;
    const double last = y->side[0].last - y->side[1].last;
    const double size = fmax(fabs(y->side[0].last), fabs(y->side[1].last));

    return fabs(last) > fmax(nothing, ldexp(size, -40)) && last / first > 0.9;
}

/* Both are rounded once to f64. */
static double room(double derivative, double estimate, double change)
{
    return 16 * change + 4 * DBL_EPSILON * fmax(fabs(derivative), fabs(estimate)) + DBL_MIN;
}

static void compare(const ct__exact_row *row, double nothing, double limit, double change,
                    const char *note, ct__judgement *j)
{
    const double dy = row->derivative;

    j->estimate = limit;
    j->uncertainty = change;
    if (isinf(limit)) {
        settle(j, dy == limit ? CT_GRADCHECK_RIGHT : CT_GRADCHECK_WRONG,
               "the quotients grow without bound");
        return;
    }
    const double far = fabs(dy - limit), slack = row->slack * fabs(dy) + 2 * row->noise;
    if (far <= room(dy, limit, change) + nothing)
        settle(j, CT_GRADCHECK_RIGHT, note);
    else if (far <= room(dy, limit, change) + slack)
        settle(j, CT_GRADCHECK_RIGHT, note[0] ? note : "to the rounding of the rule's constants");
    else if (change > ldexp(fabs(limit), -20) && !(far > 1e6 * change))
        settle(j, CT_GRADCHECK_NOISY, "the quotients do not converge");
    else
        settle(j, CT_GRADCHECK_WRONG, note);
}

static void judge_finite(const told *y, const ct__exact_row *row, ct__judgement *j)
{
    const double nothing = ldexp(fmax(fabs(y->at), row->size) / row->scale, -200);
    const bool up = is_finite(y, 0), down = is_finite(y, 1);
    const double above = slope(y, 0, nothing), below = slope(y, 1, nothing);

    if (jumps(y, nothing)) {
        settle(j, CT_GRADCHECK_JUMP, "the function jumps here");
    } else if (!up && !down) {
        settle(j, CT_GRADCHECK_UNDEFINED, "the value is not finite nearby");
    } else if (!down) {
        compare(row, nothing, above, y->side[0].change, "the value is finite only above", j);
    } else if (!up) {
        compare(row, nothing, below, y->side[1].change, "the value is finite only below", j);
    } else if (above != below && (isinf(above) || isinf(below) || is_kink(y, nothing))) {
        j->above = above;
        j->below = below;
        j->uncertainty = fmax(y->side[0].change, y->side[1].change);
        settle(j, CT_GRADCHECK_KINK, "");
    } else {
        compare(row, nothing, isinf(above) ? above : y->limit, y->change, "", j);
    }
}

void ct__differences_judge(const ct__differences *d, size_t result, size_t i,
                           const ct__exact_row *row, ct__judgement *j)
{
    const told y = d->failed ? (told){.at = NAN} : read(d, result, i);

    *j = undecided;
    if (!isfinite(y.at) && !is_finite(&y, 0) && !is_finite(&y, 1) && row->derivative == 0) {
        j->estimate = j->uncertainty = 0; /* on both sides as here: it depends on nothing */
        settle(j, CT_GRADCHECK_RIGHT, "");
    } else if (isnan(y.at)) {
        settle(j, CT_GRADCHECK_UNDEFINED, "the value is nan");
    } else if (isinf(y.at)) {
        settle(j, CT_GRADCHECK_UNDEFINED, "the value is infinite");
    } else {
        judge_finite(&y, row, j);
    }
}

bool ct__differences_agree(const ct__differences *d, size_t result, size_t i, double size)
{
    const told y = d->failed ? (told){.at = NAN} : read(d, result, i);
    const double nothing = ldexp(fmax(fabs(y.at), size), -200);

    return isfinite(y.at) && is_finite(&y, 0) && is_finite(&y, 1) &&
           y.from_slope <= fmax(ldexp(fabs(y.limit), -110), nothing) &&
           y.apart <= fmax(ldexp(fabs(y.limit), -80), nothing);
}
