/* Derivatives by hand: whether their types fit, and how exact their constants are. */
#include "exec/interpret/interpret.h"
#include "probe/gradcheck.h"

#include <float.h>
#include <math.h>

static const char what[] = "gradcheck";

#define FAIL(h, status, ...) (ct__error((h)->ctx, (h)->at, status, __VA_ARGS__), false)

static bool expect_type(const ct__by_hand *h, const char *role, size_t i, const ct_type *got,
                        const ct_type *want)
{
    char got_text[128], want_text[128];
    if (ct__type_equal(got, want))
        return true;
    return FAIL(h, CT_ERR_TYPE, "%s: %s %zu of %s is %s; for %s it must be %s", what, role, i,
                h->derivative->name, ct__type_print(got, got_text, sizeof got_text), h->f->name,
                ct__type_print(want, want_text, sizeof want_text));
}

static size_t count_float_results(const ct__graph *graph)
{
    size_t n = 0;
    for (size_t r = 0; r < graph->n_results; r++)
        n += ct__has_tangent(ct__result_type(graph, r));
    return n;
}

/* f has one float scalar result: then a gradient needs no cotangent. */
static bool gives_scalar(const ct__graph *graph)
{
    const ct_type *type = graph->n_results == 1 ? ct__result_type(graph, 0) : NULL;
    return type && ct__has_tangent(type) && ct_dtype_is_float(type->dtype) && type->rank == 0;
}

static bool check_counts(const ct__by_hand *h)
{
    const ct__graph *f = h->f, *d = h->derivative;
    size_t bars = count_float_results(f);
    bool gradient = d->n_params == f->n_params && gives_scalar(f);
    if (!gradient && d->n_params != f->n_params + bars)
        return FAIL(h, CT_ERR_ARGUMENT,
                    "%s: %s takes %zu argument%s; the derivative of %s takes its %zu and the "
                    "cotangents of %zu result%s%s",
                    what, d->name, d->n_params, d->n_params == 1 ? "" : "s", f->name, f->n_params,
                    bars, bars == 1 ? "" : "s", gives_scalar(f) ? ", or without" : "");
    if (d->n_results != h->n_wrt)
        return FAIL(h, CT_ERR_ARGUMENT,
                    "%s: %s gives %zu result%s; %zu input%s of %s %s to be checked", what, d->name,
                    d->n_results, d->n_results == 1 ? "" : "s", h->n_wrt, h->n_wrt == 1 ? "" : "s",
                    f->name, h->n_wrt == 1 ? "is" : "are");
    return true;
}

bool ct__check_by_hand(const ct__by_hand *h)
{
    const ct__graph *f = h->f, *d = h->derivative;
    if (!check_counts(h))
        return false;
    size_t next = f->n_params;
    for (size_t i = 0; i < f->n_params; i++)
        if (!expect_type(h, "parameter", i, ct__param_type(d, i), ct__param_type(f, i)))
            return false;
    for (size_t r = 0; r < f->n_results && next < d->n_params; r++) {
        if (!ct__has_tangent(ct__result_type(f, r)))
            continue;
        if (!expect_type(h, "parameter", next, ct__param_type(d, next), ct__result_type(f, r)))
            return false;
        next++;
    }
    for (size_t k = 0; k < h->n_wrt; k++)
        if (!expect_type(h, "result", k, ct__result_type(d, k),
                         ct__param_type(f, (size_t)h->wrt[k])))
            return false;
    return true;
}

/* The distance of neighbours at 1. */
static double spacing(ct_dtype dtype)
{
    switch (dtype) {
    case CT_F16: return 0x1p-10;
    case CT_BF16: return 0x1p-7;
    case CT_F32: return FLT_EPSILON;
    default: return DBL_EPSILON;
    }
}

/* Whether a constant looks rounded: it needs more than half of its dtype's digits. */
static bool is_rounded(const ct__literal *literal, double unit)
{
    const ct_type *type = literal->type;
    int64_t index[CT__MAX_RANK] = {0};
    int half = ilogb(unit) / 2;
    if (type->size == 0)
        return false;
    do {
        int64_t at = literal->offset;
        for (int d = 0; d < type->rank; d++)
            at += index[d] * literal->stride[d];
        double x = ct__load_double(type->dtype, literal->storage->data +
                                                    (size_t)at * ct_dtype_bytes(type->dtype));
        int exponent;
        double digits = ldexp(frexp(x, &exponent), -half);
        if (isfinite(x) && digits != floor(digits))
            return true;
    } while (ct__next(type->rank, type->dim, index));
    return false;
}

/* The largest spacing of rounded constants: a factor like 2/3 in f32 is not wrong, only short. */
double ct__rounding_of_constants(const ct__graph *graph)
{
    double worst = 0;
    for (size_t i = 0; i < graph->n_nodes; i++) {
        const ct__node *node = &graph->node[i];
        const ct__literal *literal = node->op == CT__OP_constant ? node->attrs->constant.value
                                                                 : NULL;
        double here = 0;
        if (literal && ct_dtype_is_float(literal->type->dtype) && literal->type->dtype != CT_F64 &&
            is_rounded(literal, spacing(literal->type->dtype)))
            here = spacing(literal->type->dtype);
        for (size_t k = 0; k < node->n_regions; k++)
            here = fmax(here, ct__rounding_of_constants(node->region[k]));
        worst = fmax(worst, here);
    }
    return worst;
}
