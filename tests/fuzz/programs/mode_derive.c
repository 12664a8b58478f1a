/* Derivatives: of the same bits in every executor, printed and read again; forward against reverse;
 * with and without recomputing.
 *
 * The tangents and cotangents of a program are whole numbers from -3 to 3, made from a hash of the
 * position. */
#include "tests/fuzz/programs/modes.h"

#include <math.h>
#include <string.h>

typedef struct derived {
    ct_function *f;
    size_t n_inputs;
    ct_tensor *input[MOST_OUTPUTS];
} derived;

static ct_tensor *direction(ct_context *ctx, const ct_type *type, uint64_t salt)
{
    double value[MOST_ELEMENTS];

    for (size_t i = 0; i < (size_t)type->size && i < MOST_ELEMENTS; i++) {
        uint64_t state = salt * 1000003 + i;
        value[i] = (double)(mixed(&state) % 7) - 3;
    }
    return ct_from_doubles(ctx, type->dtype, (ct_shape){(size_t)type->rank, type->dim}, value);
}

static bool is_small(const ct_type *type)
{
    return type->kind == CT__TENSOR && type->size <= MOST_ELEMENTS;
}

/* The inputs, and behind them a direction for every float one, or every float result. */
static bool with_directions(const program *p, bool of_results, derived *d)
{
    const size_t n = of_results ? ct_function_results(p->f) : p->n_inputs;

    memcpy(d->input, p->input, p->n_inputs * sizeof *d->input);
    d->n_inputs = p->n_inputs;
    for (size_t i = 0; i < n; i++) {
        const ct_type *type = of_results ? ct_result_type(p->f, i) : ct_parameter_type(p->f, i);
        if (!is_small(type))
            return false;
        if (ct__has_tangent(type))
            d->input[d->n_inputs++] = direction(p->ctx, type, i);
    }
    return true;
}

typedef ct_function *transform(ct_place at, ct_function *f, ct_args wrt);

/* No float argument, and a rule that is missing, are reasons to have none. */
static verdict derive(const program *p, transform *t, bool of_results, derived *d,
                      char why[WHY_BYTES])
{
    outcome o;

    d->f = t(CT_HERE, p->f, CT_ALL_ARGS);
    went_well(p->ctx, &o);
    if (o.status != CT_OK && o.status != CT_ERR_RULE)
        return differ(why, "%s", o.message);
    if (o.status == CT_ERR_RULE || !with_directions(p, of_results, d))
        return skip(why, o.status == CT_OK ? "large" : o.message);
    return SAME;
}

/* ---- Derivatives as programs. */

static verdict derive_program(const program *p, transform *t, bool of_results, program *q,
                              char why[WHY_BYTES])
{
    derived d;
    const verdict v = derive(p, t, of_results, &d, why);

    if (v != SAME)
        return v;
    if (d.n_inputs > MOST_INPUTS)
        return skip(why, "many inputs");
    *q = (program){.ctx = p->ctx, .f = d.f, .n_inputs = d.n_inputs};
    memcpy(q->input, d.input, d.n_inputs * sizeof *d.input);
    return SAME;
}

verdict derive_forward(const program *p, program *q, char why[WHY_BYTES])
{
    return derive_program(p, ct_jvp_at, false, q, why);
}

verdict derive_reverse(const program *p, program *q, char why[WHY_BYTES])
{
    return derive_program(p, ct_vjp_at, true, q, why);
}

/* ---- Forward against reverse: the sums of ybar J dx and of J' ybar dx. */

typedef struct sums {
    double sum, magnitude; /* magnitude: of the terms */
} sums;

static void add_product(ct_tensor *x, ct_tensor *y, sums *s)
{
    double a[MOST_ELEMENTS], b[MOST_ELEMENTS];
    const size_t n = (size_t)ct_size(x);

    ct_to_doubles(x, a, n);
    ct_to_doubles(y, b, n);
    for (size_t i = 0; i < n; i++) {
        s->sum += a[i] * b[i];
        s->magnitude += fabs(a[i]) * (fabs(b[i]) + 1);
    }
}

/* Σ over the results of their tangents times the directions of the reverse derivative. */
static sums forward_sum(const program *p, const derived *reverse, const outcome *forward)
{
    const size_t n = ct_function_results(p->f);
    size_t tangent = n, direct = p->n_inputs;
    sums s = {0, 0};

    for (size_t i = 0; i < n; i++)
        if (ct__has_tangent(ct_result_type(p->f, i)))
            add_product(forward->y[tangent++], reverse->input[direct++], &s);
    return s;
}

static sums reverse_sum(const program *p, const derived *forward, const outcome *reverse)
{
    size_t cotangent = 0, direct = p->n_inputs;
    sums s = {0, 0};

    for (size_t i = 0; i < p->n_inputs; i++)
        if (ct__has_tangent(ct_parameter_type(p->f, i)))
            add_product(reverse->y[cotangent++], forward->input[direct++], &s);
    return s;
}

static bool is_real(const program *p)
{
    bool real = true;

    for (size_t i = 0; i < p->n_inputs; i++)
        real = real && !ct_dtype_is_complex(ct_dtype_of(p->input[i]));
    for (size_t i = 0; i < ct_function_results(p->f); i++)
        real = real && !ct_dtype_is_complex(ct_type_dtype(ct_result_type(p->f, i)));
    return real;
}

/* bound: relative to the terms; 0: they are whole numbers, and equal. */
static verdict compare_sums(const program *p, ct_executor executor, double bound,
                            char why[WHY_BYTES])
{
    derived forward, reverse;
    outcome y, x;

    if (!is_real(p))
        return skip(why, "complex");
    verdict v = derive(p, ct_jvp_at, false, &forward, why);
    if (v == SAME)
        v = derive(p, ct_vjp_at, true, &reverse, why);
    if (v != SAME)
        return v;
    run(forward.f, (ct_list){forward.n_inputs, forward.input}, executor, &y);
    run(reverse.f, (ct_list){reverse.n_inputs, reverse.input}, executor, &x);
    if (y.status != CT_OK || x.status != CT_OK)
        return y.status == x.status ? skip(why, y.message)
                                    : differ(why, "%s%s", y.message, x.message);
    const sums a = forward_sum(p, &reverse, &y), b = reverse_sum(p, &forward, &x);
    const double size = a.magnitude + b.magnitude;
    if (!isfinite(size) || size > (bound == 0 ? 0x1p52 : 1e60))
        return skip(why, "too large");
    if (fabs(a.sum - b.sum) <= bound * size)
        return SAME;
    return differ(why, "forward %.17g, reverse %.17g, of terms that sum to %.3g", a.sum, b.sum,
                  size);
}

verdict compare_adjoint(const program *p, char why[WHY_BYTES])
{
    return compare_sums(p, CT_EXECUTOR_CPU, 1e-7, why);
}

verdict compare_exact_adjoint(const program *p, char why[WHY_BYTES])
{
    return compare_sums(p, CT_EXECUTOR_CPU, 0, why);
}

/* In numbers of 256 bits only what goes out is rounded. */
verdict compare_adjoint_mpfr(const program *p, char why[WHY_BYTES])
{
    return compare_sums(p, CT_EXECUTOR_MPFR, 1e-14, why);
}

/* ---- Recomputing: the same derivative. What comes from several iterations may be added in another
 * order, so numbers are near, and quotients the same. */

static verdict compare_recomputed(const program *p, ct_function *g, ct_executor executor,
                                  double bound, char why[WHY_BYTES])
{
    derived d;
    outcome x, y;

    if (!went_well(p->ctx, &x))
        return differ(why, "%s", x.message);
    const verdict v = derive(p, ct_vjp_at, true, &d, why);
    if (v != SAME)
        return v;
    ct_function *h = ct_vjp(g, CT_ALL_ARGS);
    if (!went_well(p->ctx, &x))
        return differ(why, "%s", x.message);
    run(d.f, (ct_list){d.n_inputs, d.input}, executor, &x);
    run(h, (ct_list){d.n_inputs, d.input}, executor, &y);
    if (executor == CT_EXECUTOR_RATIONAL && has_no_value(&x))
        return skip(why, x.message);
    if (executor == CT_EXECUTOR_RATIONAL && has_no_value(&y))
        return skip(why, y.message);
    return near_outcomes(&x, &y, bound, why);
}

static ct_function *with_short_loops(const program *p)
{
    const ct_reverse_options options = {.size = sizeof options, .strategy = CT_REVERSE_SQRT};

    return ct_reverse_loops(p->f, &options);
}

verdict compare_checkpoint(const program *p, char why[WHY_BYTES])
{
    return compare_recomputed(p, ct_checkpoint(p->f, NULL), CT_EXECUTOR_MACHINE, 1e-9, why);
}

verdict compare_exact_checkpoint(const program *p, char why[WHY_BYTES])
{
    return compare_recomputed(p, ct_checkpoint(p->f, NULL), CT_EXECUTOR_RATIONAL, 0, why);
}

verdict compare_loops_kept(const program *p, char why[WHY_BYTES])
{
    return compare_recomputed(p, with_short_loops(p), CT_EXECUTOR_MACHINE, 1e-9, why);
}

verdict compare_exact_loops(const program *p, char why[WHY_BYTES])
{
    return compare_recomputed(p, with_short_loops(p), CT_EXECUTOR_RATIONAL, 0, why);
}

verdict compare_checkpoint_mpfr(const program *p, char why[WHY_BYTES])
{
    return compare_recomputed(p, ct_checkpoint(p->f, NULL), CT_EXECUTOR_MPFR, 1e-15, why);
}

verdict compare_loops_mpfr(const program *p, char why[WHY_BYTES])
{
    return compare_recomputed(p, with_short_loops(p), CT_EXECUTOR_MPFR, 1e-15, why);
}
