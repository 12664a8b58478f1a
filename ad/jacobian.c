/* Whole matrices: the function is linearized once, and its linear part is vectorised over the unit
 * vectors of an argument (forward), or transposed over those of a result (reverse). */
#include "ad/batch.h"
#include "ad/bodies.h"
#include "ad/wrt.h"

typedef enum direction { BY_SHAPE, FORWARD, REVERSE } direction;

typedef struct jacobian {
    const ct__work *w;
    ct__arena *arena; /* of the trace */
    ct__cut cut; /* unknown: (residuals…, tangents of leaves…) -> (tangents of results…) */
    size_t n_leaves;
    size_t n_float;    /* results with a tangent */
    ct_tensor **known; /* what cut.known gives */
    ct_tensor **block; /* block[r n_leaves + k]: by leaf k of float result r */
} jacobian;

/* ---- What has none. */

static bool refuse(const ct__work *w, const char *what, size_t position, const ct_type *type,
                   const char *instead)
{
    char text[128];
    ct__error(w->ctx, w->at, CT_ERR_RULE, "%s of %s: %s %zu is %s; %s", w->what, w->graph->name,
              what, position, ct__type_print(type, text, sizeof text), instead);
    return false;
}

/* The derivative by a complex number is no complex number, unless the function is holomorphic. */
static bool check_arguments(const ct__work *w)
{
    const ct__graph *graph = w->graph;
    for (size_t i = 0; i < w->selected.n_arguments; i++) {
        size_t argument = w->selected.argument[i];
        for (size_t leaf = 0; leaf < graph->leaves[argument]; leaf++) {
            const ct_type *type = ct__param_type(graph, w->selected.first[argument] + leaf);
            if (ct_dtype_is_complex(ct_type_dtype(type)))
                return refuse(w, "argument", argument, type,
                              "let its real and imaginary parts be arguments (ct_jvp and ct_vjp "
                              "take complex ones)");
        }
    }
    return true;
}

static bool has_complex_result(const ct__graph *graph, size_t *position)
{
    for (size_t i = 0; i < graph->n_results; i++)
        if (ct_dtype_is_complex(ct_type_dtype(ct__result_type(graph, i)))) {
            *position = i;
            return true;
        }
    return false;
}

/* Columns are elements of the arguments, rows those of the results. */
static bool has_more_columns(const ct__work *w)
{
    double columns = 0, rows = 0;
    for (size_t i = 0; i < w->graph->n_params; i++)
        columns += w->selected.wrt[i] ? (double)ct__param_type(w->graph, i)->size : 0;
    for (size_t i = 0; i < w->graph->n_results; i++) {
        const ct_type *type = ct__result_type(w->graph, i);
        rows += ct__has_tangent(type) ? (double)type->size : 0;
    }
    return columns > rows;
}

/* False after an error. */
static bool choose(const ct__work *w, bool *reverse)
{
    size_t position;
    direction asked = *(const direction *)w->options;
    bool is_complex = has_complex_result(w->graph, &position);
    *reverse = asked == REVERSE || (asked == BY_SHAPE && !is_complex && has_more_columns(w));
    if (!check_arguments(w))
        return false;
    return !(*reverse && is_complex) ||
           refuse(w, "result", position, ct__result_type(w->graph, position),
                  "ct_jacobian_forward gives the derivatives of complex results");
}

/* ---- Blocks. */

/* The n unit vectors of the type, [n, shape]. */
static ct_tensor *unit_vectors(const jacobian *q, const ct_type *type)
{
    ct_place at = q->w->at;
    int64_t n = type->size, dim[CT__MAX_RANK + 1] = {n};
    for (int d = 0; d < type->rank; d++)
        dim[d + 1] = type->dim[d];
    ct_tensor *row = ct_op_iota_at(at, q->w->ctx, CT_I64, CT_SHAPE(n, n), 0);
    ct_tensor *column = ct_op_iota_at(at, q->w->ctx, CT_I64, CT_SHAPE(n, n), 1);
    ct_tensor *same = ct_op_compare_at(at, row, column, CT_EQ, CT_COMPARE_DEFAULT);
    ct_tensor *one = ct_op_convert_at(at, same, type->dtype);
    return ct_op_reshape_at(at, one, (ct_dims){(size_t)type->rank + 1, dim});
}

/* Rows [n, shape of a] with an extent for each axis of b in the place of n. Where `turns`, n stands
 * last. */
static ct_tensor *shaped(const jacobian *q, ct_tensor *x, const ct_type *rows,
                         const ct_type *columns, bool turns)
{
    int64_t order[CT__MAX_RANK + 1], dim[2 * CT__MAX_RANK];
    size_t rank = 0;
    for (int d = 0; d < rows->rank; d++)
        dim[rank++] = rows->dim[d];
    for (int d = 0; d < columns->rank; d++)
        dim[rank++] = columns->dim[d];
    for (int d = 0; turns && d <= rows->rank; d++)
        order[d] = d < rows->rank ? d + 1 : 0;
    if (turns)
        x = ct_op_transpose_at(q->w->at, x, (ct_dims){(size_t)rows->rank + 1, order});
    return ct_op_reshape_at(q->w->at, x, (ct_dims){rank, dim});
}

static const ct_type *leaf_type(const jacobian *q, size_t k)
{
    return ct__param_type(q->cut.unknown, q->cut.n_residuals + k);
}

static bool *flags(const jacobian *q, size_t count, size_t first, size_t end)
{
    bool *list = CT__NEW_ARRAY(q->arena, bool, count);
    if (!list)
        ct__error_memory(q->w->ctx, q->w->at, q->w->what);
    for (size_t i = first; list && i < end; i++)
        list[i] = true;
    return list;
}

/* The piece, linear in its last param, on the residuals and all unit vectors of that one. Where it
 * has params between, they are not read. Lists what it gives in `result`. */
static bool apply_piece(jacobian *q, ct__graph *piece, ct_tensor **result)
{
    size_t last = piece->n_params - 1;
    const ct_type *type = ct__param_type(piece, last);
    bool *batched = flags(q, piece->n_params, last, last + 1);
    bool *all = flags(q, piece->n_results, 0, piece->n_results);
    bool *out = flags(q, piece->n_results, 0, 0);
    ct_tensor **argument = CT__NEW_ARRAY(q->arena, ct_tensor *, piece->n_params);
    ct__graph *lanes = batched && all && out && argument
                           ? ct__graph_batch(q->w->ctx, q->w->at, piece, type->size, false, batched,
                                             all, out)
                           : NULL;
    for (size_t i = 0; lanes && i < last; i++)
        argument[i] = i < q->cut.n_residuals
                          ? q->known[q->w->graph->n_results + i]
                          : ct__zeros(q->w->ctx, q->w->at, ct__param_type(piece, i));
    if (lanes)
        argument[last] = unit_vectors(q, type);
    bool fine = lanes && ct__replay(q->w->ctx, q->w->at, lanes, argument, result);
    if (!fine)
        ct__error_memory(q->w->ctx, q->w->at, q->w->what);
    ct__graph_release(lanes);
    return fine;
}

/* ---- Forward: the tangent program is linear, so its own derivative by one leaf is the part of it
 * that this leaf has. */

static ct__graph *by_leaf(const jacobian *q, size_t k)
{
    const ct__graph *tangent = q->cut.unknown;
    bool *live = flags(q, tangent->n_params, q->cut.n_residuals + k, q->cut.n_residuals + k + 1);
    bool *all = flags(q, tangent->n_results, 0, tangent->n_results);
    bool *out = flags(q, tangent->n_results, 0, 0);
    size_t *order = CT__NEW_ARRAY(q->arena, size_t, q->n_float);
    for (size_t i = 0; order && i < q->n_float; i++)
        order[i] = q->n_float + i;
    ct__graph *piece = live && all && out && order
                           ? ct__graph_jvp_of(q->w->ctx, q->w->at, tangent, live, all, out)
                           : NULL;
    return ct__checked(q->w, piece,
                       piece && ct__graph_select_results(piece, q->n_float, order) &&
                           ct__graph_prune(piece));
}

static bool add_columns(jacobian *q, size_t k)
{
    ct_tensor **column = CT__NEW_ARRAY(q->arena, ct_tensor *, q->n_float);
    ct__graph *piece = column ? by_leaf(q, k) : NULL;
    bool fine = piece && apply_piece(q, piece, column);
    for (size_t r = 0; fine && r < q->n_float; r++)
        q->block[r * q->n_leaves + k] = shaped(q, column[r], ct__result_type(q->cut.unknown, r),
                                               leaf_type(q, k), true);
    ct__graph_release(piece);
    return fine;
}

/* ---- Reverse: the transpose of what gives one result. */

static ct__graph *of_result(const jacobian *q, size_t r)
{
    const ct__graph *tangent = q->cut.unknown;
    size_t n = tangent->n_params;
    const ct_type **type = CT__NEW_ARRAY(q->arena, const ct_type *, n);
    size_t *same = CT__NEW_ARRAY(q->arena, size_t, n);
    bool *linear = flags(q, n, q->cut.n_residuals, n);
    for (size_t i = 0; type && same && i < n; i++) {
        type[i] = ct__param_type(tangent, i);
        same[i] = i;
    }
    ct__graph *one = type && same && linear
                         ? ct__graph_rewired(q->w->ctx, q->w->at, tangent, n, type, same)
                         : NULL;
    one = ct__checked(q->w, one,
                      one && ct__graph_select_results(one, 1, &r) && ct__graph_prune(one));
    ct__graph *piece = one ? ct__graph_transpose(q->w->ctx, q->w->at, one, linear) : NULL;
    ct__graph_release(one);
    return piece;
}

static bool add_rows(jacobian *q, size_t r)
{
    ct_tensor **row = q->block + r * q->n_leaves;
    ct__graph *piece = of_result(q, r);
    bool fine = piece && apply_piece(q, piece, row);
    for (size_t k = 0; fine && k < q->n_leaves; k++)
        row[k] = shaped(q, row[k], ct__result_type(q->cut.unknown, r), leaf_type(q, k), false);
    ct__graph_release(piece);
    return fine;
}

/* ---- All. */

static ct__graph *record(jacobian *q, bool reverse)
{
    const ct__work *w = q->w;
    size_t n = w->graph->n_params, count;
    ct_tensor **param = CT__NEW_ARRAY(q->arena, ct_tensor *, n);
    q->known = CT__NEW_ARRAY(q->arena, ct_tensor *, q->cut.known->n_results);
    q->block = ct__mul_size(q->n_float, q->n_leaves, &count)
                   ? CT__NEW_ARRAY(q->arena, ct_tensor *, count)
                   : NULL;
    if (!param || !q->known || !q->block) {
        ct__error_memory(w->ctx, w->at, w->what);
        return NULL;
    }
    for (size_t i = 0; i < n; i++)
        param[i] = ct__trace_param_like(w->ctx, w->at, w->graph, i);
    if (!ct__replay(w->ctx, w->at, q->cut.known, param, q->known))
        return NULL;
    for (size_t i = 0; i < (reverse ? q->n_float : q->n_leaves); i++)
        if (!(reverse ? add_rows(q, i) : add_columns(q, i)))
            return NULL;
    return ct__trace_close(w->ctx, w->at, count, q->block);
}

static bool linearize(jacobian *q, bool reverse)
{
    bool before = ct__derive_to_reverse(q->w->ctx, reverse);
    bool fine = ct__linearized(q->w, &q->cut);
    ct__derive_to_reverse(q->w->ctx, before);
    return fine;
}

static ct__graph *whole(const ct__work *w)
{
    jacobian q = {.w = w, .n_float = ct__count_float_results(w->graph)};
    ct__graph *derived = NULL;
    ct__arena arena;
    ct__session session;
    bool reverse;
    if (!choose(w, &reverse))
        return NULL;
    bool fine = linearize(&q, reverse);
    if (fine)
        q.n_leaves = q.cut.unknown->n_params - q.cut.n_residuals;
    if (fine && ct__session_begin(&session, w->ctx, w->at, &arena, w->what, w->graph)) {
        q.arena = &arena;
        derived = record(&q, reverse);
        ct__session_end(&session);
    }
    ct__cut_free(&q.cut);
    return ct__checked(w, derived, derived && ct__set_groups(derived, w->graph, NULL, NULL, 0));
}

ct_function *ct_jacobian_at(ct_place at, ct_function *f, ct_args wrt)
{
    static const direction way = BY_SHAPE;
    return ct__transform_function(at, "jacobian", f, wrt, whole, &way);
}

ct_function *ct_jacobian_forward_at(ct_place at, ct_function *f, ct_args wrt)
{
    static const direction way = FORWARD;
    return ct__transform_function(at, "jacobian_forward", f, wrt, whole, &way);
}

ct_function *ct_jacobian_reverse_at(ct_place at, ct_function *f, ct_args wrt)
{
    static const direction way = REVERSE;
    return ct__transform_function(at, "jacobian_reverse", f, wrt, whole, &way);
}

/* ---- The Hessian is the Jacobian of the gradient. */

static ct__graph *hessian(const ct__work *w)
{
    if (!check_arguments(w))
        return NULL;
    ct__graph *gradient = ct__grad_graph(w);
    ct__work inner = *w;
    inner.graph = gradient;
    ct__graph *derived = gradient ? whole(&inner) : NULL;
    derived = ct__checked(w, derived,
                          derived && ct__name_graph(derived, "hessian", w->graph->name));
    ct__graph_release(gradient);
    return derived;
}

ct_function *ct_hessian_at(ct_place at, ct_function *f, ct_args wrt)
{
    static const direction way = FORWARD;
    return ct__transform_function(at, "hessian", f, wrt, hessian, &way);
}
