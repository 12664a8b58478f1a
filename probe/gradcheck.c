/* The public entries: options, arguments, and what is checked. */
#include "probe/gradcheck.h"

#include <stdio.h>
#include <string.h>

static const char what[] = "gradcheck";

/* A check in progress: everything for a subject, in one arena and one scope. */
typedef struct check {
    ct_context *ctx;
    ct_place at;
    ct__arena *arena;
    const ct__graph *graph;   /* f's own */
    const ct__graph *by_hand; /* or NULL */
    ct_list arguments;
    ct_gradcheck_options options;
    ct__graph *wide, *wide_by_hand; /* in f64, by parts; owned */
    ct__graph *own;                 /* as it is, its leaves as arguments one by one; owned */
    void **x;
    size_t n_wrt;
    int64_t *wrt;
    bool *wanted;
    const char **input_name, **input_type, **result_name;
} check;

static bool out_of_memory(const check *c)
{
    ct__error_memory(c->ctx, c->at, what);
    return false;
}

#define FAIL(c, status, ...) (ct__error((c)->ctx, (c)->at, status, __VA_ARGS__), false)

/* ---- Options. */

static bool read_options(check *c, const ct_gradcheck_options *given)
{
    c->options = (ct_gradcheck_options){.size = sizeof *given};
    if (!ct__read_options(c->ctx, c->at, what, "ct_gradcheck_options", given, &c->options,
                          sizeof c->options))
        return false;
    if (c->options.max_findings == 0)
        c->options.max_findings = 1000;
    if (c->options.directions > INT64_MAX)
        return FAIL(c, CT_ERR_ARGUMENT, "%s: %zu directions are too many", what,
                    c->options.directions);
    if (c->options.second_order && c->by_hand)
        return FAIL(c, CT_ERR_ARGUMENT, "%s: second_order checks ct_vjp, not derivatives by hand",
                    what);
    return true;
}

/* ---- Arguments. */

static bool check_argument(const check *c, size_t i)
{
    char name[48], want[128], got[128];
    const ct_tensor *x = c->arguments.item[i];
    snprintf(name, sizeof name, "argument %zu", i);
    if (!ct__operand_check(c->ctx, c->at, what, name, x))
        return false;
    if (x->kind == CT__TRACED)
        return FAIL(c, CT_ERR_TRACED, "%s: %s is traced and has no values", what, name);
    const ct_type *type = ct__param_type(c->graph, i);
    if (ct__type_equal(type, x->type))
        return true;
    bool same_dtype = type->kind == x->type->kind && type->dtype == x->type->dtype;
    return FAIL(c, same_dtype ? CT_ERR_SHAPE : CT_ERR_TYPE, "%s: %s is %s; %s takes %s", what, name,
                ct__type_print(x->type, got, sizeof got), c->graph->name,
                ct__type_print(type, want, sizeof want));
}

static bool check_arguments(const check *c)
{
    if (c->arguments.count != c->graph->n_params)
        return FAIL(c, CT_ERR_ARGUMENT, "%s: %s takes %zu argument%s, got %zu", what,
                    c->graph->name, c->graph->n_params, c->graph->n_params == 1 ? "" : "s",
                    c->arguments.count);
    if (!c->arguments.item && c->arguments.count > 0)
        return FAIL(c, CT_ERR_ARGUMENT, "%s: the arguments are NULL", what);
    for (size_t i = 0; i < c->arguments.count; i++)
        if (!check_argument(c, i))
            return false;
    return true;
}

/* The data of argument i in the dtype of the promoted parameter; the parts of complex numbers lie
 * one after the other. */
static void *wide_data(const check *c, size_t i)
{
    ct_tensor *x = c->arguments.item[i];
    const ct_type *type = ct__param_type(c->wide, i);
    ct_dtype dtype = ct_dtype_is_complex(ct_dtype_of(x)) ? CT_C128 : type->dtype;
    if (x->type->dtype != dtype)
        x = ct_op_convert_at(c->at, x, dtype);
    const void *data = ct_is_poison(x) ? NULL : ct__tensor_data(x);
    return data ? ct__arena_copy(c->arena, data, ct__data_bytes(type)) : NULL;
}

static bool copy_arguments(check *c)
{
    c->x = CT__NEW_ARRAY(c->arena, void *, c->graph->n_params);
    for (size_t i = 0; c->x && i < c->graph->n_params; i++) {
        c->x[i] = wide_data(c, i);
        if (!c->x[i])
            return out_of_memory(c);
    }
    return c->x || out_of_memory(c);
}

/* ---- Which inputs and results. */

static bool add_wrt(check *c, size_t argument, bool named)
{
    size_t first = 0, before = c->n_wrt;
    char text[128];
    for (size_t i = 0; i < argument; i++)
        first += c->graph->leaves[i];
    for (size_t p = first; p < first + c->graph->leaves[argument]; p++)
        if (ct__has_tangent(ct__param_type(c->graph, p)))
            c->wrt[c->n_wrt++] = (int64_t)p;
    if (!named || c->n_wrt > before || c->graph->leaves[argument] == 0)
        return true;
    return FAIL(c, CT_ERR_RULE, "%s: argument %zu of %s is %s, which has no derivative", what,
                argument, c->graph->name,
                ct__type_print(ct__param_type(c->graph, first), text, sizeof text));
}

/* A position list: its entries are below n, none is there twice. */
static bool check_positions(const check *c, ct_args list, const char *name, size_t n)
{
    if (list.all || list.count == 0)
        return true;
    if (!list.position)
        return FAIL(c, CT_ERR_ARGUMENT, "%s: the positions of %ss are NULL", what, name);
    for (size_t i = 0; i < list.count; i++) {
        long long position = (long long)list.position[i];
        if (position < 0 || (uint64_t)position >= n)
            return FAIL(c, CT_ERR_ARGUMENT, "%s: there is no %s %lld of %s; it has %zu", what, name,
                        position, c->graph->name, n);
        for (size_t k = 0; k < i; k++)
            if (list.position[k] == list.position[i])
                return FAIL(c, CT_ERR_ARGUMENT, "%s: %s %lld is named twice", what, name, position);
    }
    return true;
}

static bool select_inputs(check *c)
{
    ct_args wrt = c->options.wrt;
    bool all = wrt.all || wrt.count == 0;
    c->wrt = CT__NEW_ARRAY(c->arena, int64_t, c->graph->n_params);
    if (!c->wrt)
        return out_of_memory(c);
    if (!check_positions(c, wrt, "argument", c->graph->n_arguments))
        return false;
    for (size_t i = 0; i < (all ? c->graph->n_arguments : wrt.count); i++)
        if (!add_wrt(c, all ? i : (size_t)wrt.position[i], !all))
            return false;
    return true;
}

static bool select_results(check *c)
{
    ct_args results = c->options.results;
    bool all = results.all || results.count == 0;
    char text[128];
    c->wanted = CT__NEW_ARRAY(c->arena, bool, c->graph->n_results);
    if (!c->wanted)
        return out_of_memory(c);
    if (!check_positions(c, results, "result", c->graph->n_results))
        return false;
    for (size_t i = 0; i < (all ? c->graph->n_results : results.count); i++) {
        size_t r = all ? i : (size_t)results.position[i];
        const ct_type *type = ct__result_type(c->graph, r);
        c->wanted[r] = ct__has_tangent(type);
        if (!all && !c->wanted[r])
            return FAIL(c, CT_ERR_RULE, "%s: result %zu of %s is %s, which has no derivative", what,
                        r, c->graph->name, ct__type_print(type, text, sizeof text));
    }
    return true;
}

/* ---- Names. */

static const char *input_name(const check *c, size_t i)
{
    const char *given = c->arguments.item[i]->name;
    return given ? given : c->graph->value[c->graph->param[i]].name;
}

static bool find_names(check *c)
{
    char text[256];
    size_t n = c->graph->n_params;
    c->input_name = CT__NEW_ARRAY(c->arena, const char *, n);
    c->input_type = CT__NEW_ARRAY(c->arena, const char *, n);
    c->result_name = CT__NEW_ARRAY(c->arena, const char *, c->graph->n_results);
    if (!c->input_name || !c->input_type || !c->result_name)
        return out_of_memory(c);
    for (size_t i = 0; i < n; i++) {
        c->input_name[i] = input_name(c, i);
        c->input_type[i] = ct__arena_text(
            c->arena, ct__type_print(ct__param_type(c->graph, i), text, sizeof text));
        if (!c->input_type[i])
            return out_of_memory(c);
    }
    for (size_t r = 0; r < c->graph->n_results; r++)
        c->result_name[r] = c->graph->value[c->graph->result[r]].name;
    return true;
}

/* ---- Checking. */

static bool fits_by_hand(const check *c)
{
    return ct__check_by_hand(&(ct__by_hand){.ctx = c->ctx,
                                            .at = c->at,
                                            .f = c->graph,
                                            .derivative = c->by_hand,
                                            .n_wrt = c->n_wrt,
                                            .wrt = c->wrt});
}

static bool has_wanted(const check *c)
{
    for (size_t r = 0; r < c->graph->n_results; r++)
        if (c->wanted[r])
            return true;
    return false;
}

/* f has a derivative at all. */
static bool has_derivative(const check *c)
{
    if (c->n_wrt == 0)
        return FAIL(c, CT_ERR_RULE, "%s: no argument of %s is of floats: there is no derivative",
                    what, c->graph->name);
    if (!has_wanted(c))
        return FAIL(c, CT_ERR_RULE, "%s: no result of %s is of floats: there is no derivative",
                    what, c->graph->name);
    return true;
}

static ct__graph *by_leaves(const check *c)
{
    ct__rewrite r = {.ctx = c->ctx, .at = c->at, .what = "own"};
    ct__graph *graph = ct__rewrite_graph(&r, c->graph);

    ct__rewrite_end(&r);
    return graph;
}

static bool prepare(check *c)
{
    if (!check_arguments(c) || !select_inputs(c) || !select_results(c) || !has_derivative(c) ||
        !find_names(c) || (c->by_hand && !fits_by_hand(c)))
        return false;
    c->wide = ct__by_parts(c->ctx, c->at, ct__promote(c->ctx, c->at, c->graph), SIZE_MAX);
    if (c->wide && c->by_hand)
        c->wide_by_hand = ct__by_parts(c->ctx, c->at, ct__promote(c->ctx, c->at, c->by_hand),
                                       c->graph->n_params);
    if (c->wide && !c->by_hand)
        c->own = by_leaves(c);
    return c->wide && (c->by_hand ? c->wide_by_hand : c->own) && copy_arguments(c);
}

static ct__subject first_subject(const check *c, ct_gradcheck_report *report)
{
    return (ct__subject){.ctx = c->ctx,
                         .at = c->at,
                         .options = &c->options,
                         .report = report,
                         .arena = c->arena,
                         .graph = c->wide,
                         .derivative = c->wide_by_hand,
                         .slack = c->by_hand ? 16 * ct__rounding_of_constants(c->by_hand) : 0,
                         .order = 1,
                         .x = c->x,
                         .n_wrt = c->n_wrt,
                         .wrt = c->wrt,
                         .wanted = c->wanted,
                         .own = c->own,
                         .own_arguments = c->arguments,
                         .input_name = c->input_name,
                         .input_type = c->input_type,
                         .result_name = c->result_name};
}

/* Quotients are tried first: an operation that has none, or too long ones, ends the check, which
 * begins anew in numbers of MPFR. */
static bool check_first(ct__subject *s)
{
    ct_gradcheck_report before = *s->report;
    const size_t bits = s->bits;

    if (!ct__may_be_exact(s))
        return ct__check_subject(s);
    s->bits = s->report->bits = CT__QUOTIENTS;
    if (ct__check_subject(s))
        return true;
    const ct_status status = ct_error_status(s->ctx);
    if (status != CT_ERR_UNSUPPORTED && status != CT_ERR_RANGE)
        return false;
    ct_error_clear(s->ctx);
    ct__report_rewind(s->report, &before);
    s->bits = s->report->bits = bits;
    return ct__check_subject(s);
}

static bool check_all(check *c, ct_gradcheck_report *report)
{
    if (!prepare(c))
        return false;
    ct__subject subject = first_subject(c, report);
    subject.bits = report->bits = ct__exact_bits(&subject);
    return check_first(&subject) && (!c->options.second_order || ct__check_second(&subject));
}

/* ---- The public entries. */

static void fill_report(check *c, ct_gradcheck_report *report)
{
    ct__arena arena;
    ct__arena_init(&arena, &c->ctx->allocator);
    ct_scope scope = ct_scope_begin(c->ctx);
    c->arena = &arena;
    report->max_findings = c->options.max_findings;
    report->list_right = c->options.list_right;
    report->along_directions = c->options.directions > 0;
    report->by_hand = c->by_hand != NULL;
    if (!ct_failed(c->ctx) && check_all(c, report)) {
        report->name = ct__arena_text(&report->arena, c->graph->name);
        if (!report->name)
            out_of_memory(c);
    }
    ct__graph_release(c->wide);
    ct__graph_release(c->wide_by_hand);
    ct__graph_release(c->own);
    ct_scope_end(scope);
    ct__arena_free(&arena);
    c->arena = NULL;
}

static ct_gradcheck_report *run_check(check *c, const ct_gradcheck_options *options)
{
    if (!read_options(c, options))
        return ct__report_poison();
    ct_gradcheck_report *report = ct__report_new(c->ctx, c->at);
    if (report->handle.ctx)
        fill_report(c, report);
    return report;
}

static ct_context *context_of(const ct_function *f, ct_list arguments)
{
    if (f || !arguments.item)
        return ct_function_context(f);
    return ct__context_of_list(arguments);
}

ct_gradcheck_report *ct_gradcheck_at(ct_place at, ct_function *f, ct_list arguments,
                                     const ct_gradcheck_options *options)
{
    ct_context *ctx = context_of(f, arguments);
    if (!ctx || !ct__function_check(ctx, at, what, f))
        return ct__report_poison();
    check c = {.ctx = ctx, .at = at, .graph = f->graph, .arguments = arguments};
    return run_check(&c, options);
}

ct_gradcheck_report *ct_gradcheck_against_at(ct_place at, ct_function *f, ct_function *derivative,
                                             ct_list arguments, const ct_gradcheck_options *options)
{
    ct_context *ctx = context_of(f, arguments);
    if (!ctx || !ct__function_check(ctx, at, what, f) ||
        !ct__function_check(ctx, at, what, derivative))
        return ct__report_poison();
    if (derivative->handle.ctx != ctx) {
        ct__error(ctx, at, CT_ERR_CONTEXT, "%s: the derivative belongs to another context", what);
        return ct__report_poison();
    }
    check c = {.ctx = ctx,
               .at = at,
               .graph = f->graph,
               .by_hand = derivative->graph,
               .arguments = arguments};
    return run_check(&c, options);
}
