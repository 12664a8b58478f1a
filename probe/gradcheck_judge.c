/* A verdict from difference quotients at falling steps.
 *
 * Central quotients D(h) = (f(x+h) - f(x-h)) / 2h of a smooth f differ from the derivative by c2
 * h^2 + c4 h^4 + …, one-sided ones by c1 h + c2 h^2 + …. So D(h) settles: each change is below the
 * one before, until it drowns in rounding noise / h. Where it settles it is extrapolated (Romberg),
 * and the last changes of the extrapolation tell how far it can be trusted (Ridders 1982). */
#include "probe/gradcheck.h"

#include <float.h>
#include <math.h>

enum { COLUMNS = 6, QUIET_RUN = 3, SURE_RUN = 5 };

/* A wrong derivative is further away than so many changes; the noise is measured with a margin. */
static const double trust = 16, noise_trust = 4;

typedef struct quotients {
    size_t n;
    double power; /* by which a halved step divides the leading error: 4 or 2 */
    double q[CT__LEVELS];
    double noise[CT__LEVELS]; /* of q */
} quotients;

typedef struct limit {
    bool found;
    double value;
    double change;      /* of the last extrapolations */
    double noise;       /* of the value */
    double uncertainty; /* from both */
    size_t run;         /* how many steps in turn settled */
} limit;

/* ---- Quotients. */

/* The larger magnitude; a NaN is left out. */
static double larger(double a, double b)
{
    return fmax(fabs(a), fabs(b));
}

/* Noise of the value near level k: between the two places where it was measured. */
static double value_noise(const ct__samples *s, size_t k)
{
    double share = s->step_far > 0 ? s->step_up[k] / s->step_far : 0;
    return s->noise + share * s->noise_far + DBL_EPSILON * larger(s->up[k], s->down[k]);
}

static void central(const ct__samples *s, quotients *out)
{
    out->n = s->n_levels;
    out->power = 4;
    for (size_t k = 0; k < s->n_levels; k++) {
        double width = s->step_up[k] + s->step_down[k];
        out->q[k] = (s->up[k] - s->down[k]) / width;
        out->noise[k] = 2 * value_noise(s, k) / width;
    }
}

/* On one side: sign 1 above, -1 below. */
static void one_sided(const ct__samples *s, int sign, quotients *out)
{
    out->n = s->n_levels;
    out->power = 2;
    for (size_t k = 0; k < s->n_levels; k++) {
        double step = sign > 0 ? s->step_up[k] : s->step_down[k];
        double value = sign > 0 ? s->up[k] : s->down[k];
        double noise = s->noise + value_noise(s, k) + DBL_EPSILON * fabs(s->at);
        out->q[k] = sign * (value - s->at) / step;
        out->noise[k] = noise / step;
    }
}

/* ---- Limits. */

/* The change at level k is noise, or clearly below the change before it: an order above 0.4. */
static bool settles(const quotients *s, size_t k)
{
    double change = fabs(s->q[k] - s->q[k - 1]);
    if (change <= 2 * s->noise[k])
        return true;
    return k >= 2 && change <= 0.75 * fabs(s->q[k - 1] - s->q[k - 2]);
}

/* Keep the better guess. */
static void offer(limit *best, double value, double change, double noise)
{
    double uncertainty = change + 2 * noise;
    if (best->found && !(uncertainty < best->uncertainty))
        return;
    best->found = true;
    best->value = value;
    best->change = change;
    best->noise = noise;
    best->uncertainty = uncertainty;
}

/* Aitken's limit of q[k-2], q[k-1], q[k], exact for a + b r^k; NaN where changes are noise. */
static double aitken(const quotients *s, size_t k)
{
    double change = s->q[k] - s->q[k - 1], before = s->q[k - 1] - s->q[k - 2];
    if (fabs(change) <= 2 * s->noise[k] || !(fabs(change) < 0.8 * fabs(before)))
        return NAN;
    return s->q[k] + change * change / (before - change);
}

/* Add Romberg's row for level k; `row` has the one of k - 1. columns: how many are full by then. */
static void offer_row(const quotients *s, size_t k, size_t columns, double *row, limit *best)
{
    double old = row[0], factor = s->power;
    row[0] = s->q[k];
    offer(best, row[0], 2 * fabs(row[0] - old), s->noise[k]);
    for (size_t m = 1; m <= columns && m < COLUMNS; m++) {
        double above = row[m];
        row[m] = row[m - 1] + (row[m - 1] - old) / (factor - 1);
        offer(best, row[m], larger(row[m] - row[m - 1], row[m] - old), s->noise[k]);
        old = above;
        factor *= s->power;
    }
}

/* The best guess from levels first … last. */
static limit extrapolate(const quotients *s, size_t first, size_t last)
{
    double row[COLUMNS] = {s->q[first]}, old = NAN;
    limit best = {.found = false};
    for (size_t k = first + 1; k <= last; k++) {
        offer_row(s, k, k - first, row, &best);
        double guess = k >= first + 2 ? aitken(s, k) : NAN;
        if (isfinite(guess - old))
            offer(&best, guess, fabs(guess - old), 16 * s->noise[k]);
        old = guess;
    }
    return best;
}

/* What a reader would call known: to three digits, or small beside value / scale. */
static bool is_known(const limit *l, double derivative, double reference)
{
    double size = larger(l->value, isfinite(derivative) ? derivative : 0);
    return l->uncertainty <= ldexp(size, -10) || l->uncertainty <= ldexp(reference, -16);
}

/* The limit at the smallest steps where it is known; else the best one. */
static limit find_limit(const quotients *s, double derivative, double reference)
{
    limit best = {.found = false};
    for (size_t last = s->n; last-- > 1;) {
        size_t first = last;
        while (first > 0 && settles(s, first))
            first--;
        size_t run = last - first;
        if (run < QUIET_RUN)
            continue;
        limit found = extrapolate(s, first, last);
        found.run = run;
        if (found.found && is_known(&found, derivative, reference))
            return found;
        if (found.found && !(best.found && best.uncertainty <= found.uncertainty))
            best = found;
        last = first + 1;
    }
    return best;
}

/* The quotients grow without bound at the smallest steps: 1 or -1 by their sign, else 0. */
static int diverges(const quotients *s)
{
    if (s->n <= SURE_RUN)
        return 0;
    double final = s->q[s->n - 1];
    for (size_t i = 0; i < SURE_RUN; i++) {
        size_t k = s->n - 1 - i;
        if (!(fabs(s->q[k]) >= 1.1 * fabs(s->q[k - 1])) || s->q[k] * final <= 0 ||
            !(fabs(s->q[k]) > 4 * s->noise[k]))
            return 0;
    }
    return final > 0 ? 1 : -1;
}

static double limit_or_infinity(const quotients *s, double reference, double *uncertainty)
{
    int sign = diverges(s);
    *uncertainty = 0;
    if (sign != 0)
        return sign * (double)INFINITY;
    limit l = find_limit(s, 0, reference);
    *uncertainty = l.found ? l.uncertainty : NAN;
    return l.found ? l.value : s->q[s->n - 1];
}

/* ---- Kinks: above - below falls with the step where f is smooth, and stays at a kink. */

static void difference(const quotients *above, const quotients *below, quotients *gap)
{
    gap->n = above->n;
    gap->power = 2;
    for (size_t k = 0; k < gap->n; k++) {
        gap->q[k] = above->q[k] - below->q[k];
        gap->noise[k] = above->noise[k] + below->noise[k];
    }
}

static bool is_loud(const quotients *gap, size_t k)
{
    return fabs(gap->q[k]) > 4 * gap->noise[k];
}

/* At the smallest steps where the gap can be told from noise it has order 0 (below 1/4), and at
 * smaller ones noise would hide it: it did not close. */
static bool is_kink(const quotients *gap)
{
    size_t last = gap->n;
    while (last > 0 && !is_loud(gap, last - 1))
        last--;
    if (last <= SURE_RUN)
        return false;
    if (last < gap->n && 0.6 * fabs(gap->q[last - 1]) > 4 * gap->noise[last])
        return false;
    for (size_t k = last - SURE_RUN; k < last; k++)
        if (!is_loud(gap, k - 1) || !(fabs(gap->q[k]) >= 0.84 * fabs(gap->q[k - 1])) ||
            gap->q[k] * gap->q[k - 1] <= 0)
            return false;
    return true;
}

static bool is_smooth_at_once(const quotients *gap)
{
    for (size_t k = gap->n - QUIET_RUN; k < gap->n; k++)
        if (is_loud(gap, k) && !(fabs(gap->q[k]) <= 0.7 * fabs(gap->q[k - 1])))
            return false;
    return true;
}

/* ---- Jumps: the value on a side keeps its distance from the value at x however small the step. */

/* Over how many of the smallest steps it does, to half a percent; at least to `least`. */
static size_t plateau(const double *side, const ct__samples *s, double least)
{
    size_t n = 0;
    double before = NAN;
    for (size_t k = s->n_levels; k-- > 0; n++) {
        double change = side[k] - s->at;
        if (!(fabs(change) > least) || fabs(change - before) > 0x1p-8 * fabs(change))
            break;
        before = change;
    }
    return n;
}

/* Above the noise a few steps tell. Noise as large as the jump is mostly the jump itself, seen from
 * beside it: then most steps must agree, which rounding errors do not. */
static bool jumps(const ct__samples *s)
{
    double rounding = 64 * DBL_EPSILON * fabs(s->at);
    double loud = rounding + 4 * s->noise;
    size_t most = s->n_levels / 2 > SURE_RUN ? s->n_levels / 2 : SURE_RUN;
    return plateau(s->up, s, loud) > SURE_RUN || plateau(s->down, s, loud) > SURE_RUN ||
           plateau(s->up, s, rounding) > most || plateau(s->down, s, rounding) > most;
}

/* ---- Verdicts. */

static const ct__judgement undecided = {
    .estimate = NAN, .uncertainty = NAN, .below = NAN, .above = NAN, .note = ""};

static void settle(ct__judgement *j, ct_gradcheck_verdict verdict, const char *note)
{
    j->verdict = verdict;
    j->note = note;
}

/* The size of a derivative that would matter: change of the value, or the value itself, / scale. */
static double reference_of(const ct__samples *s)
{
    double value = larger(s->at, s->size);
    for (size_t k = 0; k < s->n_levels && k < CT__FIRST_LEVELS; k++) {
        double near = larger(s->up[k], s->down[k]);
        if (isfinite(near) && near > value)
            value = near;
    }
    return value / s->scale;
}

static bool agrees(const ct__samples *s, const limit *l)
{
    if (!isfinite(s->derivative))
        return false;
    double room = trust * (l->change + DBL_EPSILON * fabs(s->derivative)) + noise_trust * l->noise +
                  2 * s->derivative_noise + s->slack * fabs(s->derivative);
    return fabs(l->value - s->derivative) <= room;
}

static bool same(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

/* No step changes the value, and the derivative is 0. */
static bool is_independent(const ct__samples *s)
{
    for (size_t k = 0; k < s->n_levels; k++)
        if (!same(s->up[k], s->at) || !same(s->down[k], s->at))
            return false;
    return s->derivative == 0;
}

bool ct__judge_quickly(const ct__samples *s, ct__judgement *j)
{
    quotients middle, above, below, gap;
    *j = undecided;
    if (is_independent(s)) {
        j->estimate = j->uncertainty = 0;
        settle(j, CT_GRADCHECK_RIGHT, "");
        return true;
    }
    if (!isfinite(s->at) || !isfinite(s->derivative) || !isfinite(s->noise) ||
        s->n_levels <= QUIET_RUN)
        return false;
    central(s, &middle);
    one_sided(s, 1, &above);
    one_sided(s, -1, &below);
    difference(&above, &below, &gap);
    for (size_t k = s->n_levels - QUIET_RUN; k < s->n_levels; k++)
        if (!settles(&middle, k))
            return false;
    limit l = extrapolate(&middle, 0, s->n_levels - 1);
    double fine = larger(ldexp(s->derivative, -24), ldexp(reference_of(s), -34));
    if (!l.found || !(l.uncertainty <= fine) || !agrees(s, &l) || !is_smooth_at_once(&gap))
        return false;
    j->estimate = l.value;
    j->uncertainty = l.uncertainty;
    settle(j, CT_GRADCHECK_RIGHT, "");
    return true;
}

/* Quotients on both sides, or on one, against the derivative. */
static void compare(const ct__samples *s, const quotients *q, const char *note, ct__judgement *j)
{
    int sign = diverges(q);
    double reference = reference_of(s);
    if (sign != 0) {
        j->estimate = sign * (double)INFINITY;
        bool same = isinf(s->derivative) && s->derivative * sign > 0;
        settle(j, same ? CT_GRADCHECK_RIGHT : CT_GRADCHECK_WRONG,
               "the quotients grow without bound");
        return;
    }
    limit l = find_limit(q, s->derivative, reference);
    if (l.found) {
        j->estimate = l.value;
        j->uncertainty = l.uncertainty;
    }
    bool far = l.found && !agrees(s, &l);
    if (far && l.run >= SURE_RUN)
        settle(j, CT_GRADCHECK_WRONG, note);
    else if (!l.found || far)
        settle(j, CT_GRADCHECK_NOISY, "the quotients do not converge");
    else if (!is_known(&l, s->derivative, reference))
        settle(j, CT_GRADCHECK_NOISY, "rounding noise hides the derivative");
    else if (s->derivative_noise > larger(ldexp(s->derivative, -10), ldexp(reference, -16)))
        settle(j, CT_GRADCHECK_NOISY, "rounding noise is as large as the derivative");
    else
        settle(j, CT_GRADCHECK_RIGHT, note);
}

/* How many of the smallest steps have finite quotients in a row. */
static size_t finite_tail(const quotients *s)
{
    size_t n = 0;
    while (n < s->n && isfinite(s->q[s->n - 1 - n]))
        n++;
    return n;
}

/* The last n levels alone. */
static void keep_tail(quotients *s, size_t n)
{
    for (size_t k = 0; k < n; k++) {
        s->q[k] = s->q[s->n - n + k];
        s->noise[k] = s->noise[s->n - n + k];
    }
    s->n = n;
}

/* False when the one-sided derivatives cannot be told apart after all. */
static bool judge_kink(const ct__samples *s, const quotients *above, const quotients *below,
                       ct__judgement *j)
{
    double reference = reference_of(s), up, down;
    double high = limit_or_infinity(above, reference, &up);
    double low = limit_or_infinity(below, reference, &down);
    if (fabs(high - low) <= trust * (up + down))
        return false;
    j->above = high;
    j->below = low;
    j->uncertainty = larger(up, down);
    settle(j, CT_GRADCHECK_KINK, "");
    return true;
}

/* f is finite at x. */
static void judge_finite(const ct__samples *s, ct__judgement *j)
{
    quotients above, below, middle, gap;
    one_sided(s, 1, &above);
    one_sided(s, -1, &below);
    size_t up = finite_tail(&above), down = finite_tail(&below);
    size_t both = up < down ? up : down;
    if (both > SURE_RUN) {
        central(s, &middle);
        keep_tail(&middle, both);
        keep_tail(&above, both);
        keep_tail(&below, both);
        difference(&above, &below, &gap);
        if (!is_kink(&gap) || !judge_kink(s, &above, &below, j))
            compare(s, &middle, "", j);
    } else if (up > SURE_RUN) {
        keep_tail(&above, up);
        compare(s, &above, "the value is finite only above", j);
    } else if (down > SURE_RUN) {
        keep_tail(&below, down);
        compare(s, &below, "the value is finite only below", j);
    } else {
        settle(j, CT_GRADCHECK_UNDEFINED, "the value is not finite nearby");
    }
}

void ct__judge(const ct__samples *s, ct__judgement *j)
{
    *j = undecided;
    if (isnan(s->at))
        settle(j, CT_GRADCHECK_UNDEFINED, "the value is nan");
    else if (isinf(s->at))
        settle(j, CT_GRADCHECK_UNDEFINED, "the value is infinite");
    else if (!isfinite(s->noise + s->noise_far))
        settle(j, CT_GRADCHECK_NOISY, "rounding decides whether the value is finite");
    else
        judge_finite(s, j);
    if (j->verdict == CT_GRADCHECK_RIGHT || !isfinite(s->at) || !jumps(s))
        return;
    *j = undecided;
    settle(j, CT_GRADCHECK_JUMP, "the function jumps here");
}
