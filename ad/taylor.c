/* Series along a path: the derivative by t of all that order k computes gives order k + 1, for
 * coefficient i of the path moves with the speed (i + 1) times coefficient i + 1. */
#include "ad/rules.h"
#include "ad/wrt.h"

#include <cotangent/rewrite.h>

#define MOST_ORDERS 100

/* A function of f's params and then, for i = 1 … order, of coefficient i of every named leaf. It
 * gives f's results, and then, for i = 1 … order, coefficient i of every float result. */
typedef struct taylor {
    const ct__work *w;
    ct__arena *arena;
    size_t n_leaves, n_float;
    const size_t *named; /* leaf k is parameter named[k] among the selected ones */
} taylor;

static bool out_of_memory(const taylor *q)
{
    ct__error_memory(q->w->ctx, q->w->at, q->w->what);
    return false;
}

/* x·factor or x/factor. */
static ct_tensor *times(const taylor *q, ct_tensor *x, size_t factor)
{
    return factor == 1 ? x : ct__scale(q->w->at, x, ct__like(q->w->at, x, (double)factor));
}

static ct_tensor *over(const taylor *q, ct_tensor *x, size_t factor)
{
    return factor == 1 ? x : ct_op_divide_at(q->w->at, x, ct__like(q->w->at, x, (double)factor));
}

/* ---- One order more. */

/* The forward derivative of the graph's last coefficients. */
static ct__graph *derive(const taylor *q, const ct__graph *graph, size_t order)
{
    size_t n = q->w->graph->n_params;
    bool *live = CT__NEW_ARRAY(q->arena, bool, graph->n_params);
    bool *asked = CT__NEW_ARRAY(q->arena, bool, graph->n_results);
    bool *out = CT__NEW_ARRAY(q->arena, bool, graph->n_results);
    if (!live || !asked || !out) {
        out_of_memory(q);
        return NULL;
    }
    for (size_t i = 0; i < graph->n_params; i++)
        live[i] = i >= n || q->w->selected.wrt[i];
    for (size_t i = order ? graph->n_results - q->n_float : 0; i < graph->n_results; i++)
        asked[i] = ct__has_tangent(ct__result_type(graph, i));
    return ct__graph_jvp_of(q->w->ctx, q->w->at, graph, live, asked, out);
}

/* With the trace open: the derived function on the coefficients up to order + 1. */
static ct__graph *rewire(const taylor *q, const ct__graph *graph, const ct__graph *derived,
                         size_t order)
{
    size_t n = graph->n_params, first = q->w->graph->n_params;
    ct_tensor **argument = CT__NEW_ARRAY(q->arena, ct_tensor *, derived->n_params + q->n_leaves);
    ct_tensor **result = CT__NEW_ARRAY(q->arena, ct_tensor *, derived->n_results);
    if (!argument || !result) {
        out_of_memory(q);
        return NULL;
    }
    for (size_t i = 0; i < n; i++)
        argument[i] = ct__trace_param(q->w->ctx, q->w->at, ct__param_type(graph, i));
    for (size_t k = 0; k < q->n_leaves; k++) {
        const ct_type *type = ct__param_type(derived, n + q->named[k]);
        ct_tensor *last = ct__trace_param(q->w->ctx, q->w->at, type);
        for (size_t i = 0; i <= order; i++) {
            ct_tensor *next = i < order ? argument[first + i * q->n_leaves + k] : last;
            size_t position = i ? n + i * q->n_leaves + k : n + q->named[k];
            argument[position] = times(q, next, i + 1);
        }
    }
    if (!ct__replay(q->w->ctx, q->w->at, derived, argument, result))
        return NULL;
    for (size_t i = graph->n_results; i < derived->n_results; i++)
        result[i] = over(q, result[i], order + 1);
    return ct__trace_close(q->w->ctx, q->w->at, derived->n_results, result);
}

/* The same with what is computed twice computed once. */
static ct__graph *merged(const taylor *q, ct__graph *graph)
{
    const ct_simplify_options options = {
        .size = sizeof options, .off = CT_REWRITE_ALL - CT_REWRITE_MERGING - CT_REWRITE_DROPPING};
    ct_scope scope = ct__scope_begin(q->w->ctx, q->w->at, q->w->what);
    ct_function *f = ct__function_new(q->w->ctx, q->w->at, graph);
    ct_function *once = ct_simplify_with_at(q->w->at, f, &options);
    ct__graph *result = once->graph ? ct__graph_retain(once->graph) : NULL;
    ct_scope_end(scope);
    return result;
}

/* The graph's reference is taken over. */
static ct__graph *next_order(const taylor *q, ct__graph *graph, size_t order)
{
    taylor inner = *q;
    ct__arena arena;
    ct__session session;
    ct__graph *derived = derive(q, graph, order), *next = NULL;
    if (derived && ct__session_begin(&session, q->w->ctx, q->w->at, &arena, q->w->what, graph)) {
        inner.arena = &arena;
        next = rewire(&inner, graph, derived, order);
        ct__session_end(&session);
    }
    ct__graph_release(derived);
    ct__graph_release(graph);
    return next ? merged(q, next) : NULL;
}

/* ---- The function of whole series. */

/* [rows, shape] */
static const ct_type *series_type(const taylor *q, const ct_type *type, size_t rows)
{
    int64_t dim[CT__MAX_RANK + 1] = {(int64_t)rows};
    for (int d = 0; d < type->rank; d++)
        dim[d + 1] = type->dim[d];
    if (type->rank < CT__MAX_RANK)
        return ct__type(q->arena, type->dtype, type->rank + 1, dim);
    ct__error(q->w->ctx, q->w->at, CT_ERR_SHAPE,
              "%s of %s: a series of tensors of rank %d has too many axes", q->w->what,
              q->w->graph->name, type->rank);
    return NULL;
}

/* Row `row` of a series of this type. */
static ct_tensor *row_of(const taylor *q, ct_tensor *series, size_t row, const ct_type *type)
{
    int64_t start[CT__MAX_RANK + 1] = {(int64_t)row}, end[CT__MAX_RANK + 1] = {(int64_t)row + 1};
    int64_t step[CT__MAX_RANK + 1] = {1};
    size_t rank = (size_t)type->rank;
    for (size_t d = 0; d < rank; d++) {
        end[d + 1] = type->dim[d];
        step[d + 1] = 1;
    }
    ct_tensor *x = ct_op_slice_at(q->w->at, series, (ct_dims){rank + 1, start},
                                  (ct_dims){rank + 1, end}, (ct_dims){rank + 1, step});
    return ct_op_reshape_at(q->w->at, x, (ct_dims){rank, type->dim});
}

/* Coefficients 0 … order of float result r, which is the count-th one. */
static ct_tensor *series_of(const taylor *q, ct_tensor *const *value, size_t r, size_t count,
                            size_t order)
{
    const ct_type *type = ct__result_type(q->w->graph, r), *row = series_type(q, type, 1);
    ct_tensor **rows = CT__NEW_ARRAY(q->arena, ct_tensor *, order + 1);
    if (!rows || !row) {
        out_of_memory(q);
        return ct__poison(q->w->ctx);
    }
    for (size_t i = 0; i <= order; i++) {
        size_t at = i ? q->w->graph->n_results + (i - 1) * q->n_float + count : r;
        rows[i] = ct_op_reshape_at(q->w->at, value[at], (ct_dims){(size_t)row->rank, row->dim});
    }
    return ct_op_concatenate_at(q->w->at, (ct_list){order + 1, rows}, 0);
}

/* Params: f's, then the series. Fills the arguments of `graph`. */
static bool take_params(const taylor *q, const ct__graph *graph, size_t order, ct_tensor **argument)
{
    const ct__graph *f = q->w->graph;
    for (size_t i = 0; i < f->n_params; i++)
        argument[i] = ct__trace_param_like(q->w->ctx, q->w->at, f, i);
    size_t *param = CT__NEW_ARRAY(q->arena, size_t, f->n_params), count = 0;
    for (size_t i = 0; param && i < f->n_params; i++)
        if (q->w->selected.wrt[i])
            param[count++] = i;
    for (size_t k = 0; param && k < q->n_leaves; k++) {
        const ct_type *type = ct__param_type(graph, param[q->named[k]]);
        const ct_type *series = series_type(q, type, order);
        if (!series)
            return out_of_memory(q);
        ct_tensor *x = ct__trace_param(q->w->ctx, q->w->at, series);
        for (size_t i = 0; i < order; i++)
            argument[f->n_params + i * q->n_leaves + k] = row_of(q, x, i, type);
    }
    return param ? !ct_failed(q->w->ctx) : out_of_memory(q);
}

static ct__graph *of_series(const taylor *q, const ct__graph *graph, size_t order)
{
    const ct__graph *f = q->w->graph;
    ct_tensor **argument = CT__NEW_ARRAY(q->arena, ct_tensor *, graph->n_params);
    ct_tensor **value = CT__NEW_ARRAY(q->arena, ct_tensor *, graph->n_results);
    ct_tensor **result = CT__NEW_ARRAY(q->arena, ct_tensor *, f->n_results);
    size_t count = 0;
    if (!argument || !value || !result) {
        out_of_memory(q);
        return NULL;
    }
    if (!take_params(q, graph, order, argument) ||
        !ct__replay(q->w->ctx, q->w->at, graph, argument, value))
        return NULL;
    for (size_t r = 0; r < f->n_results; r++)
        result[r] = ct__has_tangent(ct__result_type(f, r)) ? series_of(q, value, r, count++, order)
                                                           : value[r];
    return ct__trace_close(q->w->ctx, q->w->at, f->n_results, result);
}

/* ---- All. */

static ct__graph *taylor_graph(const ct__work *w)
{
    int order = *(const int *)w->options;
    taylor q = {.w = w, .arena = w->arena, .n_float = ct__count_float_results(w->graph)};
    ct__arena arena;
    ct__session session;
    if (order < 0 || order > MOST_ORDERS) {
        ct__error(w->ctx, w->at, CT_ERR_ARGUMENT, "taylor of %s: the order %d is %s %d",
                  w->graph->name, order, order < 0 ? "below" : "above",
                  order < 0 ? 0 : MOST_ORDERS);
        return NULL;
    }
    q.named = ct__named_leaves(w->graph, &w->selected, w->arena, &q.n_leaves);
    if (!q.named) {
        out_of_memory(&q);
        return NULL;
    }
    ct__graph *graph = ct__graph_retain(w->graph), *derived = NULL;
    for (size_t k = 0; graph && k < (size_t)order; k++)
        graph = next_order(&q, graph, k);
    if (graph && ct__session_begin(&session, w->ctx, w->at, &arena, w->what, w->graph)) {
        q.arena = &arena;
        derived = of_series(&q, graph, (size_t)order);
        ct__session_end(&session);
    }
    ct__graph_release(graph);
    return ct__checked(w, derived,
                       derived && ct__set_groups(derived, w->graph, NULL, &w->selected, 0));
}

ct_function *ct_taylor_at(ct_place at, ct_function *f, ct_args wrt, int order)
{
    return ct__transform_function(at, "taylor", f, wrt, taylor_graph, &order);
}
