/* The derivatives of a subject: forward and reverse, or a whole matrix from a function by hand. */
#include "probe/gradcheck.h"

#include <float.h>
#include <math.h>
#include <string.h>

static bool run(const ct__slopes *d, ct__machine *m)
{
    ct_status status = ct__machine_run(m);
    return status == CT_OK || ct__run_failed(d->s, m, status);
}

/* ---- Layout. */

static bool list_results(ct__slopes *d)
{
    const ct__subject *s = d->s;
    d->result_of = CT__NEW_ARRAY(s->arena, size_t, d->n_rows);
    if (!d->result_of)
        return ct__gradcheck_memory(d->s);
    for (size_t r = 0, row = 0; r < s->graph->n_results; r++)
        for (int64_t i = 0; s->wanted[r] && i < ct__result_type(s->graph, r)->size; i++)
            d->result_of[row++] = r;
    return true;
}

static bool lay_out(ct__slopes *d)
{
    const ct__subject *s = d->s;
    const ct__graph *graph = s->graph;
    d->first_row = CT__NEW_ARRAY(s->arena, size_t, graph->n_results);
    d->first_column = CT__NEW_ARRAY(s->arena, size_t, graph->n_params);
    if (!d->first_row || !d->first_column)
        return ct__gradcheck_memory(d->s);
    for (size_t r = 0; r < graph->n_results; r++) {
        d->first_row[r] = d->n_rows;
        if (s->wanted[r])
            d->n_rows += (size_t)ct__result_type(graph, r)->size;
    }
    for (size_t k = 0; k < s->n_wrt; k++) {
        d->first_column[s->wrt[k]] = d->n_columns;
        d->n_columns += (size_t)ct__param_type(graph, (size_t)s->wrt[k])->size;
    }
    return list_results(d);
}

static double *new_vector(const ct__slopes *d, const ct_type *type)
{
    return CT__NEW_ARRAY(d->s->arena, double, (size_t)type->size);
}

/* Buffers: tangents behind the arguments, in the order of wrt; cotangents of all f64 results. */
static bool make_inputs(ct__slopes *d)
{
    const ct__subject *s = d->s;
    size_t n = s->graph->n_params, n_results = s->graph->n_results, behind = n;
    d->tangent = CT__NEW_ARRAY(s->arena, double *, n);
    d->cotangent = CT__NEW_ARRAY(s->arena, double *, n_results);
    d->forward_input = CT__NEW_ARRAY(s->arena, void *, n + s->n_wrt);
    d->reverse_input = CT__NEW_ARRAY(s->arena, void *, n + n_results);
    if (!d->tangent || !d->cotangent || !d->forward_input || !d->reverse_input)
        return ct__gradcheck_memory(d->s);
    for (size_t p = 0; p < n; p++)
        d->forward_input[p] = d->reverse_input[p] = s->x[p];
    for (size_t k = 0; k < s->n_wrt; k++) {
        size_t p = (size_t)s->wrt[k];
        d->forward_input[n + k] = d->tangent[p] = new_vector(d, ct__param_type(s->graph, p));
        if (!d->tangent[p])
            return ct__gradcheck_memory(d->s);
    }
    for (size_t r = 0; r < n_results; r++) {
        if (!ct__is_f64(ct__result_type(s->graph, r)))
            continue;
        d->reverse_input[behind++] = d->cotangent[r] = new_vector(d, ct__result_type(s->graph, r));
        if (!d->cotangent[r])
            return ct__gradcheck_memory(d->s);
    }
    return true;
}

/* ---- Machines. */

/* ct_jvp or ct_vjp of the graph; counted. NULL after an error. */
static ct__graph *derive(const ct__slopes *d, ct__graph *graph, bool forward)
{
    const ct__subject *s = d->s;
    ct_args wrt = {.count = s->n_wrt, .position = s->wrt};
    ct_function *f = ct__function_new(s->ctx, s->at, ct__graph_retain(graph));
    ct_function *derived = forward ? ct_jvp_at(s->at, f, wrt) : ct_vjp_at(s->at, f, wrt);
    return ct_failed(s->ctx) ? NULL : ct__graph_retain(derived->graph);
}

/* Takes over the graph's reference. */
static bool start(ct__slopes *d, ct__machine *m, ct__graph *graph, bool forward)
{
    return graph && ct__machine_begin(m, d->s->ctx, d->s->at, graph,
                                      forward ? d->forward_input : d->reverse_input, d->s->bits,
                                      d->s->arena);
}

static bool start_shaken(ct__slopes *d, ct__machine *m, const ct__machine *of, bool forward)
{
    const ct__subject *s = d->s;
    for (size_t i = 0; i < CT__SLOPE_SHAKES; i++)
        if (!m[i].instance &&
            !start(d, &m[i], ct__shake(s->ctx, s->at, of->f->graph, s->options->seed + i), forward))
            return false;
    return true;
}

/* A rule of the program for reverse mode need not be linear in the cotangents (it may clip them):
 * then there is a reverse derivative, and no forward one. False after an error. */
static bool start_forward(ct__slopes *d)
{
    const ct__subject *s = d->s;
    ct__graph *forward = derive(d, s->graph, true);
    if (!forward && ct_error_status(s->ctx) == CT_ERR_RULE) {
        ct_error_clear(s->ctx);
        d->is_reverse_only = s->report->is_reverse_only = true;
        return true;
    }
    return start(d, &d->forward, forward, true);
}

static bool start_machines(ct__slopes *d)
{
    const ct__subject *s = d->s;
    if (s->derivative) {
        d->has_cotangents = s->derivative->n_params > s->graph->n_params;
        return start(d, &d->reverse, ct__graph_retain(s->derivative), false);
    }
    d->has_cotangents = true;
    return start(d, &d->reverse, derive(d, s->graph, false), false) && start_forward(d);
}

void ct__slopes_end(ct__slopes *d)
{
    ct__machine_end(&d->forward);
    ct__machine_end(&d->reverse);
    ct__machine_end(&d->cut);
    for (size_t i = 0; i < CT__SLOPE_SHAKES; i++) {
        ct__machine_end(&d->shaken_forward[i]);
        ct__machine_end(&d->shaken_reverse[i]);
    }
}

/* ---- Rows and columns. */

/* The tangents of the wanted results, which stand behind the results themselves. */
static void read_tangents(const ct__slopes *d, const ct__machine *m, double *dy)
{
    const ct__graph *graph = d->s->graph;
    size_t behind = graph->n_results;
    for (size_t r = 0; r < graph->n_results; r++) {
        if (!ct__is_f64(ct__result_type(graph, r)))
            continue;
        if (d->s->wanted[r])
            memcpy(dy + d->first_row[r], m->result[behind],
                   ct__data_bytes(ct__result_type(graph, r)));
        behind++;
    }
}

/* The cotangents of wrt, one after another. */
static void read_cotangents(const ct__slopes *d, const ct__machine *m, double *row)
{
    for (size_t k = 0; k < d->s->n_wrt; k++) {
        size_t p = (size_t)d->s->wrt[k];
        memcpy(row + d->first_column[p], m->result[k],
               ct__data_bytes(ct__param_type(d->s->graph, p)));
    }
}

static void clear_cotangent(const ct__slopes *d, size_t r)
{
    memset(d->cotangent[r], 0, ct__data_bytes(ct__result_type(d->s->graph, r)));
}

/* max |a - b|, kept in worst; anything but numbers is infinite noise. */
static void widen(double *worst, const double *a, const double *b, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        double change = fabs(a[i] - b[i]);
        if (isnan(change))
            change = isnan(a[i]) && isnan(b[i]) ? 0 : INFINITY;
        if (a[i] == b[i])
            change = 0;
        if (change > worst[i])
            worst[i] = change;
    }
}

/* ---- By hand, and where there is no forward derivative: the whole matrix, a run per row. */

static bool fill_matrix(ct__slopes *d, ct__machine *m, double *matrix)
{
    const ct__graph *graph = d->s->graph;
    for (size_t r = 0; r < graph->n_results; r++) {
        size_t n = d->s->wanted[r] ? (size_t)ct__result_type(graph, r)->size : 0;
        for (size_t i = 0; i < n; i++) {
            d->cotangent[r][i] = 1;
            if (!run(d, m))
                return false;
            read_cotangents(d, m, matrix + (d->first_row[r] + i) * d->n_columns);
            d->cotangent[r][i] = 0;
        }
    }
    return true;
}

static double *new_matrix(const ct__slopes *d)
{
    size_t n;
    double *matrix = NULL;
    if (ct__mul_size(d->n_rows, d->n_columns, &n))
        matrix = CT__NEW_ARRAY(d->s->arena, double, n);
    if (!matrix)
        ct__gradcheck_memory(d->s);
    return matrix;
}

static bool fill_matrix_noise(ct__slopes *d)
{
    double *moved = new_matrix(d);
    d->row_noise = new_matrix(d);
    if (!moved || !d->row_noise || !start_shaken(d, d->shaken_reverse, &d->reverse, false))
        return false;
    for (size_t i = 0; i < CT__SLOPE_SHAKES; i++) {
        if (!fill_matrix(d, &d->shaken_reverse[i], moved))
            return false;
        widen(d->row_noise, moved, d->row, d->n_rows * d->n_columns);
    }
    return true;
}

/* y = the columns of parameter p times its tangent; of magnitudes for noise. */
static void multiply(const ct__slopes *d, size_t p, const double *matrix, bool magnitudes,
                     double *y)
{
    size_t n = (size_t)ct__param_type(d->s->graph, p)->size;
    const double *dx = d->tangent[p];
    for (size_t row = 0; row < d->n_rows; row++) {
        const double *a = matrix + row * d->n_columns + d->first_column[p];
        double sum = 0;
        for (size_t i = 0; i < n; i++)
            if (dx[i] != 0)
                sum += magnitudes ? fabs(a[i] * dx[i]) : a[i] * dx[i];
        y[row] = sum;
    }
}

/* ---- Along a tangent. */

bool ct__slopes_along(ct__slopes *d, size_t p, double *dy)
{
    if (d->row)
        multiply(d, p, d->row, false, dy);
    else if (!run(d, &d->forward))
        return false;
    else
        read_tangents(d, &d->forward, dy);
    return true;
}

bool ct__slopes_noise(ct__slopes *d, size_t p, const double *dy, double *noise)
{
    if (d->row) {
        if (!d->row_noise && !fill_matrix_noise(d))
            return false;
        multiply(d, p, d->row_noise, true, noise);
        return true;
    }
    if (!start_shaken(d, d->shaken_forward, &d->forward, true))
        return false;
    memset(noise, 0, d->n_rows * sizeof *noise);
    for (size_t i = 0; i < CT__SLOPE_SHAKES; i++) {
        if (!run(d, &d->shaken_forward[i]))
            return false;
        read_tangents(d, &d->shaken_forward[i], d->scratch);
        widen(noise, d->scratch, dy, d->n_rows);
    }
    return true;
}

/* ---- Clamped reads. */

static bool fill_cut_matrix(ct__slopes *d)
{
    d->cut_row = new_matrix(d);
    return d->cut_row && fill_matrix(d, &d->cut, d->cut_row);
}

bool ct__slopes_cut_clamped(ct__slopes *d)
{
    const ct__subject *s = d->s;
    ct__graph *cut = ct__cut_clamped(s->ctx, s->at, s->graph, CT__EVERY_INDEX);
    bool forward = !d->is_reverse_only;
    bool fine = cut && start(d, &d->cut, derive(d, cut, forward), forward);
    if (fine && !forward)
        fine = fill_cut_matrix(d);
    else if (fine && !d->forward.instance) /* by hand: what it is compared with */
        fine = start(d, &d->forward, derive(d, s->graph, true), true);
    ct__graph_release(cut);
    return fine;
}

static bool same(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

bool ct__slopes_cut(ct__slopes *d, size_t p, bool *cuts)
{
    double *whole = d->scratch, *cut = d->scratch + d->n_rows;
    if (d->cut_row) {
        multiply(d, p, d->row, false, whole);
        multiply(d, p, d->cut_row, false, cut);
    } else {
        if (!run(d, &d->forward) || !run(d, &d->cut))
            return false;
        read_tangents(d, &d->forward, whole);
        read_tangents(d, &d->cut, cut);
    }
    for (size_t row = 0; row < d->n_rows; row++)
        cuts[row] = !same(cut[row], whole[row]);
    return true;
}

/* ---- The adjoint identity. */

/* J' ybar for each wanted result alone, one after another. */
static bool fill_bars(ct__slopes *d, ct__machine *m, double *bar)
{
    const ct__graph *graph = d->s->graph;
    for (size_t r = 0; r < graph->n_results; r++) {
        if (!d->s->wanted[r])
            continue;
        memcpy(d->cotangent[r], d->ybar + d->first_row[r],
               ct__data_bytes(ct__result_type(graph, r)));
        if (!run(d, m))
            return false;
        read_cotangents(d, m, bar + r * d->n_columns);
        clear_cotangent(d, r);
    }
    return true;
}

double ct__weight(uint64_t seed, uint64_t a, uint64_t b)
{
    const double u = ct__mix_signed(seed, a, b);

    return round(256 * (u < 0 ? u / 2 - 0.5 : u / 2 + 0.5)) / 256;
}

static bool make_ybar(ct__slopes *d)
{
    d->ybar = CT__NEW_ARRAY(d->s->arena, double, d->n_rows);
    size_t twice;
    if (ct__mul_size(2, d->n_rows, &twice))
        d->scratch = CT__NEW_ARRAY(d->s->arena, double, twice);
    if (!d->ybar || !d->scratch)
        return ct__gradcheck_memory(d->s);
    for (size_t row = 0; row < d->n_rows; row++)
        d->ybar[row] = ct__weight(d->s->options->seed, 1, row);
    return true;
}

/* As many numbers as fill_bars fills. */
static double *new_bars(const ct__slopes *d)
{
    size_t n;
    double *bar = NULL;
    if (ct__mul_size(d->s->graph->n_results, d->n_columns, &n))
        bar = CT__NEW_ARRAY(d->s->arena, double, n);
    if (!bar)
        ct__gradcheck_memory(d->s);
    return bar;
}

static bool make_bars(ct__slopes *d)
{
    d->bar = new_bars(d);
    return d->bar && fill_bars(d, &d->reverse, d->bar);
}

static bool make_bar_noise(ct__slopes *d)
{
    size_t n = d->s->graph->n_results * d->n_columns;
    double *moved = new_bars(d);
    d->bar_noise = new_bars(d);
    if (!moved || !d->bar_noise)
        return false;
    if (!start_shaken(d, d->shaken_reverse, &d->reverse, false))
        return false;
    for (size_t i = 0; i < CT__SLOPE_SHAKES; i++) {
        if (!fill_bars(d, &d->shaken_reverse[i], moved))
            return false;
        widen(d->bar_noise, moved, d->bar, n);
    }
    return true;
}

bool ct__slopes_adjoint(ct__slopes *d, size_t p, size_t r, const double *dy, const double *dy_noise,
                        ct__adjoint *a)
{
    const ct__graph *graph = d->s->graph;
    size_t n_rows = (size_t)ct__result_type(graph, r)->size;
    size_t n = (size_t)ct__param_type(graph, p)->size;
    size_t first_row = d->first_row[r], column = r * d->n_columns + d->first_column[p];
    *a = (ct__adjoint){.n_terms = n_rows + n};
    if (dy_noise && !d->bar_noise && !make_bar_noise(d))
        return false;
    for (size_t i = first_row; i < first_row + n_rows; i++) {
        a->forward += d->ybar[i] * dy[i];
        a->terms += fabs(d->ybar[i] * dy[i]);
        a->noise += dy_noise ? fabs(d->ybar[i]) * dy_noise[i] : 0;
    }
    for (size_t i = 0; i < n; i++) {
        double dx = d->tangent[p][i];
        if (dx == 0)
            continue;
        a->reverse += d->bar[column + i] * dx;
        a->terms += fabs(d->bar[column + i] * dx);
        a->noise += dy_noise ? d->bar_noise[column + i] * fabs(dx) : 0;
    }
    return true;
}

/* ---- Whether a change of the graph changes its reverse derivative. */

/* By ct_vjp; takes over the graph's reference. NULL after an error. */
static double *bars_of(ct__slopes *d, ct__graph *graph)
{
    ct__machine m = {.instance = NULL};
    double *bar = graph ? new_bars(d) : NULL;
    bool fine = bar && start(d, &m, derive(d, graph, false), false) && fill_bars(d, &m, bar);
    ct__machine_end(&m);
    ct__graph_release(graph);
    return fine ? bar : NULL;
}

bool ct__slopes_differ(ct__slopes *d, ct__graph *graph, bool *differ)
{
    const double *other = bars_of(d, graph);
    const double *bar = d->s->derivative ? bars_of(d, ct__graph_retain(d->s->graph)) : d->bar;
    *differ = false;
    for (size_t i = 0; other && bar && i < d->s->graph->n_results * d->n_columns; i++)
        *differ = *differ || !same(other[i], bar[i]);
    return other && bar;
}

/* ---- Beginning. */

/* size[r] = max |J x|: what a large step of one element could change. */
static bool measure_sizes(ct__slopes *d)
{
    const ct__subject *s = d->s;
    d->size = CT__NEW_ARRAY(s->arena, double, s->graph->n_results);
    if (!d->size)
        return ct__gradcheck_memory(d->s);
    const double *matrix = d->bar ? d->bar : d->row; /* a row per result: the only one by hand */
    for (size_t r = 0; r < s->graph->n_results; r++)
        for (size_t k = 0; s->wanted[r] && k < s->n_wrt; k++) {
            size_t p = (size_t)s->wrt[k];
            const double *x = s->x[p], *a = matrix + r * d->n_columns + d->first_column[p];
            for (size_t i = 0; i < (size_t)ct__param_type(s->graph, p)->size; i++) {
                double change = fabs(a[i]) * fmax(fabs(x[i]), 1);
                if (isfinite(change) && change > d->size[r])
                    d->size[r] = change;
            }
        }
    return true;
}

bool ct__slopes_begin(ct__slopes *d, const ct__subject *s)
{
    *d = (ct__slopes){.s = s};
    if (!lay_out(d) || !make_inputs(d) || !make_ybar(d) || !start_machines(d))
        return false;
    if (s->derivative || d->is_reverse_only) {
        d->row = new_matrix(d);
        if (!d->row || !fill_matrix(d, &d->reverse, d->row))
            return false;
    }
    return (!d->has_cotangents || make_bars(d)) && measure_sizes(d);
}
