/* What inference finds wrong with a statement whose operands have extents "?", whatever these are.
 *
 * Inference needs extents: for those that are open some are tried, all alike; in elementwise
 * operations, whose operands have one shape, what another operand knows is taken. What it says then
 * counts where extents do not matter:
 *
 *   errors   about dtypes, numbers of operands, or axes; of elementwise operations each one; others
 *            when every trial gives the same one, whose text shows neither extents nor types
 *   results  their number, ranks and dtypes, and the extents that are the same for different trials
 */
#include "interop/stablehlo/print.h"
#include "interop/stablehlo/read_build.h"
#include "interop/stablehlo/read_module.h"

#include <stdio.h>

/* Two that are not alike, which ranks up to 5 have less than 2^63 elements of; the second has many
 * divisors. After them the extents that stand in the statement, which others may have to equal. */
static const int64_t usual[] = {101, 5040, 1};

enum { N_USUAL = sizeof usual / sizeof *usual, MOST_TRIALS = 32 };

typedef struct probe {
    ct__reader *r;
    ct__statement *s;
    ct__op op;
    const ct__attrs *attrs;
    const ct__body_type *body;
    size_t n;             /* operands and captures */
    const ct_type **open; /* theirs */
    size_t n_trials;
    int64_t trial[MOST_TRIALS];
} probe;

typedef struct outcome {
    const ct_type **type; /* of the operands; NULL: there are no such */
    ct__infer infer;
    bool is_fine;
} outcome;

static bool is_elementwise(ct__op op)
{
    return ct__has(op, CT__ELEMENTWISE) || op == CT__OP_compare;
}

/* ---- Types that are tried. */

static bool add_extents(probe *q, const ct_type *type)
{
    for (int d = 0; d < type->rank && q->n_trials < MOST_TRIALS; d++) {
        bool is_new = ct__extent_is_known(type->dim[d]);
        for (size_t i = 0; is_new && i < q->n_trials; i++)
            is_new = q->trial[i] != type->dim[d];
        if (is_new)
            q->trial[q->n_trials++] = type->dim[d];
    }
    return q->n_trials < MOST_TRIALS;
}

/* False where there are too many. */
static bool list_trials(probe *q)
{
    for (q->n_trials = 0; q->n_trials < N_USUAL; q->n_trials++)
        q->trial[q->n_trials] = usual[q->n_trials];
    for (size_t i = 0; i < q->n; i++)
        if (!add_extents(q, q->open[i]))
            return false;
    for (size_t i = 0; i < q->s->result_types.count; i++)
        if (!add_extents(q, q->s->result_types.item[i]))
            return false;
    return true;
}

/* Of each axis the extent that some operand knows, else `otherwise`. Some may be scalars. */
static void find_known(const probe *q, int64_t otherwise, int64_t *extent)
{
    for (int d = 0; d < CT__MAX_RANK; d++)
        extent[d] = otherwise;
    for (size_t i = 0; is_elementwise(q->op) && i < q->n; i++)
        for (int d = 0; d < q->open[i]->rank; d++)
            if (ct__extent_is_known(q->open[i]->dim[d]))
                extent[d] = q->open[i]->dim[d];
}

/* The type with these extents for "?"; NULL where it is none. */
static const ct_type *filled(const probe *q, const ct_type *type, const int64_t *extent)
{
    int64_t dim[CT__MAX_RANK];
    ct_type copy = *type;
    if (ct__type_is_known(type))
        return type;
    copy.dim = dim;
    for (int d = 0; d < type->rank; d++)
        dim[d] = ct__extent_is_known(type->dim[d]) ? type->dim[d] : extent[d];
    if (type->kind != CT__TENSOR || !ct__count_elements((size_t)copy.rank, dim, &copy.size))
        return NULL;
    return ct__type_copy(&q->r->arena, &copy);
}

/* False when memory is short. */
static bool try_types(const probe *q, int64_t trial, outcome *o)
{
    int64_t extent[CT__MAX_RANK];
    find_known(q, trial, extent);
    o->type = CT__NEW_ARRAY(&q->r->arena, const ct_type *, q->n);
    for (size_t i = 0; o->type && i < q->n; i++)
        if (!(o->type[i] = filled(q, q->open[i], extent)))
            o->type = NULL;
    return !q->r->arena.failed || ct__read_fail_memory(q->r);
}

/* False when memory is short. */
static bool try(const probe *q, int64_t trial, outcome *o)
{
    *o = (outcome){.type = NULL};
    if (!try_types(q, trial, o) || !o->type)
        return !q->r->arena.failed;
    o->infer = (ct__infer){.op = q->op,
                           .arena = &q->r->arena,
                           .attrs = q->attrs,
                           .n_operands = q->n,
                           .in = o->type,
                           .n_regions = q->s->n_regions,
                           .region = q->body};
    o->is_fine = ct__infer_types(&o->infer);
    return o->is_fine || o->infer.status != CT_ERR_MEMORY || ct__read_fail_memory(q->r);
}

/* ---- Errors: types with "?" for what was tried. */

static const char *with_open(const probe *q, const outcome *o)
{
    const char *message = o->infer.message;
    for (size_t i = 0; i < q->n; i++) {
        char was[256], is[256];
        ct__type_print(o->type[i], was, sizeof was);
        ct__type_print(q->open[i], is, sizeof is);
        const char *at = o->type[i] == q->open[i] ? NULL : strstr(message, was);
        for (; at; at = strstr(at, was)) {
            const size_t before = (size_t)(at - message);
            const char *text = ct__arena_print(q->r, "%.*s%s%s", (int)before, message, is,
                                               at + strlen(was));
            if (!text)
                return message;
            message = text;
            at = message + before + strlen(is);
        }
    }
    return message;
}

static bool fail(const probe *q, const outcome *o)
{
    return ct__read_fail(q->r, q->s->at, "%s: %s", ct__op_describe(q->op)->name, with_open(q, o));
}

/* Whether the error is one whatever the extents are. */
static bool is_certain(const outcome *o)
{
    return o->infer.by_rank || o->infer.status == CT_ERR_TYPE ||
           o->infer.status == CT_ERR_ARGUMENT ||
           (o->infer.status == CT_ERR_SHAPE && is_elementwise(o->infer.op));
}

/* ---- Results. */

/* The inferred type with "?" for extents that depend on what was tried. */
static const ct_type *common(const probe *q, const ct_type *a, const ct_type *b)
{
    int64_t dim[CT__MAX_RANK];
    ct_type copy = *a;
    if (a->kind != CT__TENSOR || b->kind != CT__TENSOR || a->rank != b->rank)
        return a;
    copy.dim = dim;
    for (int d = 0; d < a->rank; d++)
        dim[d] = a->dim[d] == b->dim[d] && a->dim[d] > 0 ? a->dim[d] : CT__UNKNOWN;
    return ct__type_copy(&q->r->arena, &copy);
}

static bool check_results(const probe *q, const ct__infer *a, const ct__infer *b)
{
    const ct__statement *s = q->s;
    const char *at = s->types_at ? s->types_at : s->at;
    if (a->n_results != s->result_types.count)
        return ct__read_fail(q->r, at, "'%.*s' has %zu result%s, its type says %zu",
                             ct__span_shown(s->spelling), s->spelling.at, a->n_results,
                             a->n_results == 1 ? "" : "s", s->result_types.count);
    for (size_t i = 0; i < a->n_results; i++) {
        const ct_type *type = common(q, a->out[i], b->out[i]);
        if (!type)
            return ct__read_fail_memory(q->r);
        if (!ct__type_matches(type, s->result_types.item[i]))
            return ct__read_fail(q->r, at, "result %zu of '%.*s' is %s, its type says %s", i,
                                 ct__span_shown(s->spelling), s->spelling.at,
                                 ct__written_type(q->r, type),
                                 ct__written_type(q->r, s->result_types.item[i]));
    }
    return true;
}

/* ---- All trials. */

/* From trial `first` on: false after an error, which may be that all give the same one. */
static bool try_others(probe *q, const outcome *error)
{
    outcome o;
    if (!list_trials(q))
        return true;
    for (size_t i = 1; i < q->n_trials; i++) {
        if (!try(q, q->trial[i], &o))
            return false;
        if (o.type && (o.is_fine || strcmp(o.infer.message, error->infer.message) != 0))
            return true;
    }
    return fail(q, error);
}

static bool try_all(probe *q)
{
    outcome a, b;
    if (!try(q, usual[0], &a))
        return false;
    if (!a.type)
        return true;
    if (!a.is_fine)
        return is_certain(&a) ? fail(q, &a) : try_others(q, &a);
    return try(q, usual[1], &b) && (!b.is_fine || check_results(q, &a.infer, &b.infer));
}

/* Types that are given are not tried: they would have to fit what is. */
static bool needs_given(const ct__statement *s, ct__op op)
{
    for (size_t i = 0; i < s->result_types.count; i++)
        if (s->result_types.item[i]->quantized)
            return true;
    return ct__has(op, CT__TYPED);
}

bool ct__infer_open(ct__reader *r, ct__statement *s, ct__op op, const ct__attrs *attrs,
                    size_t n_operands, ct_tensor *const *operand, ct__graph *const *graph)
{
    ct__body_type *body = CT__NEW_ARRAY(&r->arena, ct__body_type, s->n_regions);
    probe q = {.r = r, .s = s, .op = op, .attrs = attrs, .body = body, .n = n_operands};
    q.open = CT__NEW_ARRAY(&r->arena, const ct_type *, n_operands);
    if (needs_given(s, op))
        return true;
    for (size_t i = 0; body && i < s->n_regions; i++)
        ct__graph_body_type(graph[i], &r->arena, &body[i]);
    for (size_t i = 0; q.open && i < n_operands; i++)
        if (!(q.open[i] = operand[i]->type))
            return true;
    return r->arena.failed ? ct__read_fail_memory(r) : try_all(&q);
}
