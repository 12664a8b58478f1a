/* One function: every input is moved along lines x + t v, and every result is judged on each line.
 */
#include "probe/gradcheck_run.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { FULL_LEVELS = 32 };

/* ---- Values. */

static void read_rows(const ct__checking *r, const ct__machine *m, double *rows)
{
    const ct__graph *graph = r->s->graph;
    for (size_t i = 0; i < graph->n_results; i++)
        if (r->s->wanted[i])
            memcpy(rows + r->slopes.first_row[i], m->result[i],
                   ct__data_bytes(ct__result_type(graph, i)));
}

/* Where f fails (a strict index out of range) there is no value. */
static void evaluate(const ct__checking *r, ct__machine *m, double *rows)
{
    if (ct__machine_run(m) == CT_OK)
        read_rows(r, m, rows);
    else
        for (size_t row = 0; row < r->n_rows; row++)
            rows[row] = NAN;
}

/* noise = the spread of values that rounding could cause, where the arguments are now. */
static void measure_noise(const ct__checking *r, const double *value, double *noise)
{
    memset(noise, 0, r->n_rows * sizeof *noise);
    for (size_t i = 0; i < CT__VALUE_SHAKES; i++) {
        ct__machine *m = (ct__machine *)&r->shaken[i];
        ct__jitter_move(&r->jitter, r->s, r->s->options->seed + i);
        evaluate(r, m, r->moved);
        ct__jitter_restore(&r->jitter, r->s);
        for (size_t row = 0; row < r->n_rows; row++) {
            double change = fabs(r->moved[row] - value[row]);
            if (isnan(change) && isfinite(value[row]))
                change = INFINITY;
            if (change > noise[row])
                noise[row] = change;
        }
    }
}

/* ---- Beginning. */

static bool start_machines(ct__checking *r)
{
    const ct__subject *s = r->s;
    if (!ct__machine_begin(&r->value, s->ctx, s->at, ct__graph_retain(s->graph), s->x, s->bits,
                           s->arena))
        return false;
    for (size_t i = 0; i < CT__VALUE_SHAKES && s->bits == 0; i++) {
        ct__graph *shaken = ct__shake(s->ctx, s->at, s->graph, s->options->seed + i);
        if (!shaken || !ct__machine_begin(&r->shaken[i], s->ctx, s->at, shaken, s->x, 0, s->arena))
            return false;
    }
    return true;
}

static bool make_lists(ct__checking *r)
{
    ct__arena *arena = r->s->arena;
    size_t n = r->n_rows;
    double **const vector[] = {&r->at,        &r->noise, &r->moved,   &r->near_noise,
                               &r->far_noise, &r->dy,    &r->dy_noise};
    bool fine = true;
    for (size_t i = 0; i < sizeof vector / sizeof *vector; i++) {
        *vector[i] = CT__NEW_ARRAY(arena, double, n);
        fine = fine && *vector[i];
    }
    r->undecided = CT__NEW_ARRAY(arena, bool, n);
    r->cuts = CT__NEW_ARRAY(arena, bool, n);
    r->judgement = CT__NEW_ARRAY(arena, ct__judgement, n);
    fine = fine && r->undecided && r->cuts && r->judgement;
    return fine || ct__gradcheck_memory(r->s);
}

static bool begin(ct__checking *r, const ct__subject *s)
{
    *r = (ct__checking){.s = s};
    if (!ct__jitter_begin(&r->jitter, s) || !start_machines(r))
        return false;
    ct_status status = ct__machine_run(&r->value);
    if (status != CT_OK)
        return ct__run_failed(s, &r->value, status);
    if (!ct__slopes_begin(&r->slopes, s))
        return false;
    r->n_rows = r->slopes.n_rows;
    if (!make_lists(r))
        return false;
    read_rows(r, &r->value, r->at);
    if (s->bits > 0)
        return ct__differences_begin(&r->differences, s, r->slopes.tangent, NULL) &&
               ct__elements_begin(r) && ct__own_begin(&r->own, s, &r->slopes);
    measure_noise(r, r->at, r->noise);
    return true;
}

static void end(ct__checking *r)
{
    ct__slopes_end(&r->slopes);
    ct__own_end(&r->own);
    ct__machine_end(&r->value);
    ct__differences_end(&r->differences);
    ct__differences_end(&r->sweep);
    ct__lanes_end(&r->lanes);
    for (size_t i = 0; i < CT__VALUE_SHAKES; i++)
        ct__machine_end(&r->shaken[i]);
}

/* ---- Lines. */

static size_t size_of(const ct__checking *r, size_t p)
{
    return (size_t)ct__param_type(r->s->graph, p)->size;
}

/* The entries of a random v: between half and all of the element's own scale, of any sign. */
static double random_entry(const ct__checking *r, const ct__line *l, size_t i, double x)
{
    uint64_t stream = 2 + l->p + ((uint64_t)l->direction << 32);
    double u = ct__mix_signed(r->s->options->seed, stream, i), scale = fmax(fabs(x), 1);
    return (u < 0 ? u - 1 : u + 1) / 2 * scale;
}

/* The smallest |x| that is not 0; 0 when all are. */
static double smallest_of(const double *x, size_t n)
{
    double smallest = 0;
    for (size_t i = 0; i < n; i++)
        if (x[i] != 0 && (smallest == 0 || fabs(x[i]) < smallest))
            smallest = fabs(x[i]);
    return smallest;
}

static double largest_of(const double *x, size_t n)
{
    double largest = 0;
    for (size_t i = 0; i < n; i++)
        if (fabs(x[i]) > largest)
            largest = fabs(x[i]);
    return largest;
}

static void set_tangent(const ct__checking *r, ct__line *l)
{
    const double *x = r->s->x[l->p];
    double *v = r->slopes.tangent[l->p];
    size_t n = size_of(r, l->p);
    if (l->element >= 0) {
        size_t i = (size_t)l->element;
        v[i] = 1;
        l->scale = fmax(fabs(x[i]), 1);
        l->smallest = x[i] != 0 ? fabs(x[i]) : largest_of(x, n);
        return;
    }
    for (size_t i = 0; i < n; i++)
        v[i] = random_entry(r, l, i, x[i]);
    l->scale = 1;
    l->smallest = fmax(smallest_of(x, n), 0x1p-28); /* smaller steps would not move the others */
}

static void clear_tangent(const ct__checking *r, const ct__line *l)
{
    double *v = r->slopes.tangent[l->p];
    if (l->element >= 0)
        v[l->element] = 0;
    else
        memset(v, 0, size_of(r, l->p) * sizeof *v);
}

/* Steps fall by halves from scale / 16 to the smaller of 2^-36 scale and 2^-12 of the smallest x.
 * Where that is too far for CT__LEVELS, there are two series: the first one ends at 2^-36 scale,
 * for f whose features are of the size of the scale; the finer one is the last CT__LEVELS steps,
 * for f whose features are as small as x. */
static void choose_steps(ct__line *l, bool finer)
{
    int first = -4, last = 1 - 4 - FULL_LEVELS, wanted = last;
    if (l->smallest > 0 && isfinite(l->smallest))
        wanted = ilogb(l->smallest / l->scale) - 12;
    l->has_finer = first - wanted >= CT__LEVELS;
    if (wanted < last && l->has_finer == finer)
        last = wanted;
    if (finer)
        first = last + CT__LEVELS - 1;
    l->n_sampled = 0;
    l->step_far = 0;
    l->n_levels = (size_t)(first - last) + 1;
    for (size_t k = 0; k < l->n_levels; k++)
        l->step_up[k] = l->step_down[k] = ldexp(l->scale, first - (int)k);
}

/* x += t v; the step that was really taken. */
static double move(const ct__checking *r, const ct__line *l, double t)
{
    double *x = r->s->x[l->p];
    const double *v = r->slopes.tangent[l->p];
    if (l->element >= 0) {
        double before = x[l->element];
        x[l->element] = before + t;
        return x[l->element] - before;
    }
    for (size_t i = 0; i < size_of(r, l->p); i++)
        x[i] += t * v[i];
    return t;
}

static void put_back(const ct__checking *r, const ct__line *l, const double *before)
{
    double *x = r->s->x[l->p];
    if (l->element >= 0)
        x[l->element] = before[l->element];
    else
        memcpy(x, before, size_of(r, l->p) * sizeof *x);
}

static bool make_level(ct__checking *r, size_t k)
{
    if (!r->up[k])
        r->up[k] = CT__NEW_ARRAY(r->s->arena, double, r->n_rows);
    if (!r->down[k])
        r->down[k] = CT__NEW_ARRAY(r->s->arena, double, r->n_rows);
    return (r->up[k] && r->down[k]) || ct__gradcheck_memory(r->s);
}

/* before: x as it was. */
static bool sample(ct__checking *r, ct__line *l, const double *before, size_t end_level)
{
    for (size_t k = l->n_sampled; k < end_level; k++) {
        if (!make_level(r, k))
            return false;
        l->step_up[k] = move(r, l, l->step_up[k]);
        evaluate(r, &r->value, r->up[k]);
        put_back(r, l, before);
        l->step_down[k] = -move(r, l, -l->step_down[k]);
        evaluate(r, &r->value, r->down[k]);
        put_back(r, l, before);
    }
    l->n_sampled = end_level;
    return true;
}

/* Noise at x, and away from it: at the second largest step whose values are all finite. */
static void sample_noise(ct__checking *r, ct__line *l, const double *before)
{
    size_t finite = 0;
    r->jitter.fixed_param = l->p;
    r->jitter.fixed_element = l->element;
    measure_noise(r, r->at, r->near_noise);
    for (size_t k = 0; k < l->n_sampled; k++) {
        const double *up = r->up[k];
        size_t row = 0;
        while (row < r->n_rows && (isfinite(up[row]) || !isfinite(r->at[row])))
            row++;
        if (row < r->n_rows || ++finite < 2)
            continue;
        l->step_far = move(r, l, l->step_up[k]);
        measure_noise(r, up, r->far_noise);
        put_back(r, l, before);
        return;
    }
}

/* ---- Judging a line. */

static void samples_of(const ct__checking *r, const ct__line *l, size_t row, ct__samples *s)
{
    s->n_levels = l->n_sampled;
    for (size_t k = 0; k < l->n_sampled; k++) {
        s->step_up[k] = l->step_up[k];
        s->step_down[k] = l->step_down[k];
        s->up[k] = r->up[k][row];
        s->down[k] = r->down[k][row];
    }
    s->at = r->at[row];
    s->noise = r->near_noise[row];
    s->noise_far = r->far_noise[row];
    s->step_far = l->step_far;
    s->scale = l->scale;
    s->size = r->slopes.size[r->slopes.result_of[row]];
    s->derivative = r->dy[row];
    s->derivative_noise = r->dy_noise[row];
    s->slack = r->s->slack;
}

/* A few large steps tell enough of most rows. True when they do of all. */
static bool judge_quickly(ct__checking *r, ct__line *l)
{
    ct__samples samples;
    bool all = true;
    memset(r->dy_noise, 0, r->n_rows * sizeof *r->dy_noise);
    memset(r->far_noise, 0, r->n_rows * sizeof *r->far_noise);
    memcpy(r->near_noise, r->noise, r->n_rows * sizeof *r->noise);
    l->step_far = 0;
    for (size_t row = 0; row < r->n_rows; row++) {
        samples_of(r, l, row, &samples);
        r->undecided[row] = !ct__judge_quickly(&samples, &r->judgement[row]);
        all = all && !r->undecided[row];
    }
    return all;
}

static void judge_rest(ct__checking *r, const ct__line *l)
{
    ct__samples samples;
    for (size_t row = 0; row < r->n_rows; row++) {
        if (!r->undecided[row])
            continue;
        samples_of(r, l, row, &samples);
        ct__judge(&samples, &r->judgement[row]);
    }
}

/* Finer steps know more about f at x, unless noise hides it: then what coarse ones met counts.
 * Quotients that grow towards a tiny x tell nothing about f there. */
static const ct__judgement *weigh(const ct__judgement *coarse, const ct__judgement *fine)
{
    bool met = coarse->verdict == CT_GRADCHECK_KINK || coarse->verdict == CT_GRADCHECK_JUMP ||
               (coarse->verdict == CT_GRADCHECK_WRONG && isfinite(coarse->estimate));
    return fine->verdict == CT_GRADCHECK_NOISY && met ? coarse : fine;
}

/* The rows that are not right yet, by the finer steps. */
static bool judge_finer(ct__checking *r, ct__line *l, const double *before)
{
    ct__samples samples;
    bool any = false;
    for (size_t row = 0; row < r->n_rows; row++) {
        r->undecided[row] = r->undecided[row] && r->judgement[row].verdict != CT_GRADCHECK_RIGHT;
        any = any || r->undecided[row];
    }
    if (!any)
        return true;
    choose_steps(l, true);
    memset(r->far_noise, 0, r->n_rows * sizeof *r->far_noise);
    if (!sample(r, l, before, l->n_levels))
        return false;
    sample_noise(r, l, before);
    for (size_t row = 0; row < r->n_rows; row++) {
        if (!r->undecided[row])
            continue;
        ct__judgement fine;
        samples_of(r, l, row, &samples);
        ct__judge(&samples, &fine);
        r->judgement[row] = *weigh(&r->judgement[row], &fine);
    }
    return true;
}

static bool judge_line(ct__checking *r, ct__line *l, const double *before)
{
    if (!sample(r, l, before, CT__FIRST_LEVELS))
        return false;
    if (judge_quickly(r, l))
        return true;
    if (!sample(r, l, before, l->n_levels))
        return false;
    sample_noise(r, l, before);
    if (!ct__slopes_noise(&r->slopes, l->p, r->dy, r->dy_noise))
        return false;
    judge_rest(r, l);
    return !l->has_finer || judge_finer(r, l, before);
}

/* ---- The same in numbers of MPFR. */

static ct__judgement simply(ct_gradcheck_verdict verdict, double estimate, const char *note)
{
    return (ct__judgement){.verdict = verdict,
                           .estimate = estimate,
                           .uncertainty = isnan(estimate) ? estimate : 0,
                           .below = NAN,
                           .above = NAN,
                           .note = note};
}

static void judge_rows(ct__checking *r, const ct__line *l)
{
    size_t wanted = 0;
    for (size_t result = 0; result < r->s->graph->n_results; result++) {
        const size_t first = r->slopes.first_row[result];
        if (!r->s->wanted[result])
            continue;
        for (size_t i = 0; i < (size_t)ct__result_type(r->s->graph, result)->size; i++) {
            if (r->is_right[first + i]) {
                r->judgement[first + i] = simply(CT_GRADCHECK_RIGHT, r->dy[first + i], "");
                continue;
            }
            const ct__exact_row row = {.derivative = r->dy[first + i],
                                       .noise = r->dy_noise[first + i],
                                       .slack = r->s->slack,
                                       .size = r->slopes.size[result],
                                       .scale = l->scale};
            ct__differences_judge(&r->differences, wanted, i, &row, &r->judgement[first + i]);
        }
        wanted++;
    }
}

/* Whether a derivative is so near that its rule's constants may be all that is wrong. */
static bool is_close(const ct__checking *r)
{
    bool close = false;
    for (size_t row = 0; row < r->n_rows; row++) {
        const ct__judgement *j = &r->judgement[row];
        close = close ||
                (j->verdict == CT_GRADCHECK_WRONG &&
                 fabs(r->dy[row] - j->estimate) <=
                     1e-9 * r->slopes.size[r->slopes.result_of[row]] + 1e-9 * fabs(j->estimate));
    }
    return close;
}

static bool judge_exactly(ct__checking *r, ct__line *l, const double *before)
{
    memset(r->dy_noise, 0, r->n_rows * sizeof *r->dy_noise);
    if (!ct__elements_right(r) &&
        !ct__differences_run(&r->differences, l->element >= 0 ? before[l->element] : 1))
        return false;
    judge_rows(r, l);
    if (!is_close(r))
        return true;
    if (!ct__slopes_noise(&r->slopes, l->p, r->dy, r->dy_noise))
        return false;
    judge_rows(r, l);
    return true;
}

/* Steps from here lead nowhere. */
static void judge_nothing(ct__checking *r)
{
    for (size_t row = 0; row < r->n_rows; row++)
        r->judgement[row] = simply(CT_GRADCHECK_UNDEFINED, NAN, "the input is not finite");
}

/* ---- All lines. */

static bool is_finite_along(const ct__checking *r, const ct__line *l, const double *x)
{
    if (l->element >= 0)
        return isfinite(x[l->element]);
    for (size_t i = 0; i < size_of(r, l->p); i++)
        if (!isfinite(x[i]))
            return false;
    return true;
}

static bool follow_tangent(ct__checking *r, ct__line *l, const double *before)
{
    const bool fine = r->lanes.machine.instance
                          ? ct__lanes_along(&r->lanes, &r->slopes, (size_t)l->element, r->dy)
                          : ct__slopes_along(&r->slopes, l->p, r->dy);
    if (!fine)
        return false;
    if (!is_finite_along(r, l, before))
        judge_nothing(r);
    else if (!(r->s->bits > 0 ? judge_exactly : judge_line)(r, l, before))
        return false;
    return true;
}

/* Who loses digits in the first of these findings that has lost any. */
static bool blame_loss(ct__checking *r, size_t first)
{
    const ct_gradcheck_report *report = r->s->report;

    for (size_t i = first; i < report->n_findings && !r->lost.operation; i++)
        if (report->finding[i].verdict == CT_GRADCHECK_ILL)
            return ct__own_blame(&r->own, &r->slopes,
                                 report->finding[i].kind == CT_GRADCHECK_DIFFERENCE
                                     ? -1
                                     : (int64_t)report->finding[i].result,
                                 &r->lost);
    return true;
}

static bool check_line(ct__checking *r, ct__line *l, const double *before)
{
    const ct_gradcheck_report *report = r->s->report;
    const size_t first = report->n_findings;

    set_tangent(r, l);
    choose_steps(l, false);
    memset(r->cuts, 0, r->n_rows * sizeof *r->cuts);
    ct__own_along(&r->own, &r->slopes, l->p);
    bool fine = follow_tangent(r, l, before) &&
                (!r->slopes.cut.instance || ct__slopes_cut(&r->slopes, l->p, r->cuts)) &&
                ct__tell_line(r, l) && blame_loss(r, first);
    clear_tangent(r, l);
    return fine;
}

/* Names who made the findings from the first on wrong, if one is. */
static bool blame(const ct__checking *r, size_t p, size_t first)
{
    const ct_gradcheck_report *report = r->s->report;
    bool is_wrong = false;
    ct__blame found;
    if (!ct__report_blame(r->s->report, first, CT_GRADCHECK_ILL, &r->lost))
        return ct__gradcheck_memory(r->s);
    for (size_t i = first; i < report->n_findings; i++)
        is_wrong = is_wrong || report->finding[i].verdict == CT_GRADCHECK_WRONG;
    if (!is_wrong || r->s->derivative)
        return true;
    return ct__find_blame(r->s, p, &found) &&
           (ct__report_blame(r->s->report, first, CT_GRADCHECK_WRONG, &found) ||
            ct__gradcheck_memory(r->s));
}

/* The line of an element, or of a random direction. */
static bool check_one(ct__checking *r, size_t p, size_t i, const double *before)
{
    ct_gradcheck_report *report = r->s->report;
    ct__line l = {.p = p, .element = -1, .direction = -1};
    size_t counts[CT_GRADCHECK_VERDICTS];

    *(r->s->options->directions > 0 ? &l.direction : &l.element) = (int64_t)i;
    memcpy(counts, report->input[report->n_inputs - 1].count, sizeof counts);
    if (!check_line(r, &l, before))
        return false;
    ct__report_moved(report, i, counts);
    return true;
}

enum { FEWEST_SWEPT = 8 };

/* Elements from `first` on: by a sweep, and where it does not find all rows right in halves, of
 * which the last are checked element by element. */
static bool check_elements(ct__checking *r, size_t p, size_t first, size_t count, size_t depth,
                           const double *before)
{
    const bool sweeps = r->sweeps && count >= FEWEST_SWEPT;
    bool all = false;

    if (!ct__elements_part(r, depth) ||
        (sweeps && !ct__elements_agree(r, p, first, count, r->is_right, &all)))
        return false;
    if (sweeps && !all && count >= 2 * FEWEST_SWEPT)
        return check_elements(r, p, first, count / 2, depth + 1, before) &&
               check_elements(r, p, first + count / 2, count - count / 2, depth + 1, before);
    for (size_t i = first; i < first + count; i++)
        if (!check_one(r, p, i, before))
            return false;
    return true;
}

static bool check_input(ct__checking *r, size_t p, double *before)
{
    const size_t first = r->s->report->n_findings;
    const ct__subject *s = r->s;
    const size_t n = size_of(r, p), directions = s->options->directions;
    const size_t n_lines = directions > 0 && n > 0 ? directions : n;

    memcpy(before, s->x[p], n * sizeof *before);
    r->lost = (ct__blame){.operation = NULL};
    if (!ct__report_input(s->report, &(ct__gradcheck_input){.name = s->input_name[p],
                                                            .type_text = s->input_type[p],
                                                            .order = s->order,
                                                            .position = p,
                                                            .moved = n_lines}))
        return ct__gradcheck_memory(r->s);
    ct__lanes_end(&r->lanes);
    if (r->sweeps && !ct__lanes_begin(&r->lanes, s, p))
        return false;
    return check_elements(r, p, 0, n_lines, 0, before) && blame(r, p, first);
}

bool ct__check_subject(const ct__subject *s)
{
    ct__checking r;
    size_t largest = 0;
    bool fine = begin(&r, s) && (s->order > 1 || ct__audit_clamps(s, &r.slopes));
    for (size_t k = 0; fine && k < s->n_wrt; k++)
        if (size_of(&r, (size_t)s->wrt[k]) > largest)
            largest = size_of(&r, (size_t)s->wrt[k]);
    double *before = fine ? CT__NEW_ARRAY(s->arena, double, largest) : NULL;
    if (fine && !before)
        ct__gradcheck_memory(s);
    for (size_t k = 0; before && fine && k < s->n_wrt; k++)
        fine = check_input(&r, (size_t)s->wrt[k], before);
    end(&r);
    return fine && before;
}
