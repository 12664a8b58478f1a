#include "interop/stablehlo/read_module.h"

/* ---- Arguments. */

static bool add_argument(ct__reader *r, ct__span name, const ct_type *type)
{
    bool has_name = !ct__take_arg_name(r, name);
    const bool is_known = ct__type_is_known(type);
    if (!is_known && !r->is_checking)
        return ct__read_fail(r, name.at, "a body's argument has extents \"?\": %s",
                             ct__written_type(r, type));
    ct_tensor *x = is_known ? ct__trace_param(r->ctx, r->called_from, type)
                            : ct__open_value(r, type);
    return !ct_failed(r->ctx) && ct__names_define(r, name, 1, &x) &&
           (!has_name || ct__name_value(r, x, name));
}

/* Argument i of a loop is what operand i is: a stack, which is written as a token, or a tensor with
 * the extents that "?" stands for. */
static const ct_type *argument_type(const ct__statement *s, size_t i, const ct_type *written)
{
    const ct_type *operand = i < s->n_operands ? s->operand[i]->type : NULL;
    if (!operand)
        return written;
    const bool is_stack = written->kind == CT__TOKEN && operand->kind == CT__STACK;
    const bool is_open = ct__span_is(s->spelling, "stablehlo.while") &&
                         !ct__type_is_known(written) && ct__type_matches(operand, written);
    return is_stack || is_open ? operand : written;
}

/* "^bb0(%a: T, %b: U):" */
static bool read_label(ct__reader *r, const ct__statement *s)
{
    ct__span name;
    const ct_type *type;
    ct_place ignored;
    size_t i = 0;
    if (!ct__take(r, "^"))
        return true;
    if (!ct__read_word(r, &name))
        return false;
    if (ct__take(r, "(") && !ct__take(r, ")")) {
        do
            if (!ct__read_name(r, &name) || !ct__expect(r, ":") || !ct__read_type(r, &type) ||
                !ct__read_location(r, &ignored, NULL, NULL) ||
                !add_argument(r, name, argument_type(s, i++, type)))
                return false;
        while (ct__take(r, ","));
        if (!ct__expect(r, ")"))
            return false;
    }
    return ct__expect(r, ":");
}

/* Those that the form has named, or those of a label. */
static bool read_arguments(ct__reader *r, const ct__statement *s, size_t n_args,
                           const ct__span *name, const ct_type *const *type)
{
    for (size_t i = 0; i < n_args; i++)
        if (!add_argument(r, name[i], argument_type(s, i, type[i])))
            return false;
    return name || read_label(r, s);
}

/* The body of an open trace, which this closes. Without a graph where a template is checked and
 * anything in it is open. */
static bool record_region(ct__reader *r, ct__statement *s, const char *open, size_t n_args,
                          const ct__span *name, const ct_type *const *type, ct__region *region)
{
    ct__ending ending;
    const size_t n_open = r->n_open;
    bool named = read_arguments(r, s, n_args, name, type);
    if (!named) /* its statements would only complain about the arguments */
        r->cursor.at = ct__next_statement(r->cursor.at, r->cursor.end);
    if (!named)
        r->quiet++;
    bool fine = ct__read_body(r, open, false, &ending) && named;
    if (!named)
        r->quiet--;
    s->is_open = s->is_open || (fine && r->n_open > n_open);
    if (!fine || r->n_open > n_open) {
        ct__trace_abandon(r->ctx);
        return fine;
    }
    fine = ct__region_detach(r->ctx, ending.place, ending.n_results, ending.result, region);
    if (ct_failed(r->ctx))
        return ct__read_fail_context(r, ending.at);
    return fine;
}

bool ct__read_region(ct__reader *r, ct__statement *s, size_t n_args, const ct__span *name,
                     const ct_type *const *type)
{
    ct__skip_blanks(r);
    const char *open = r->cursor.at;
    if (!ct__expect(r, "{"))
        return false;
    if (r->depth >= CT__MAX_DEPTH)
        return ct__read_fail(r, open, "bodies nest more than %d deep", CT__MAX_DEPTH);
    if (!ct__grow_list(r, &s->region, s->n_regions, sizeof *s->region))
        return false;
    size_t n_names = r->names->n_entries, n_unnamed = r->n_args;
    if (!ct__trace_push(r->ctx, s->place, "body", true))
        return false;
    /* a loop that stands for a scan shows there which inputs it has: read_scan.c */
    r->ctx->trace->keeps_all = ct__span_is(s->spelling, "stablehlo.while");
    ct__region region = {.graph = NULL};
    r->depth++;
    bool fine = record_region(r, s, open, n_args, name, type, &region);
    r->depth--;
    ct__names_truncate(r->names, n_names);
    r->n_args = n_unnamed;
    s->region[s->n_regions++] = region;
    s->is_broken = s->is_broken || !fine;
    s->resume = r->cursor.at;
    return !r->is_lost && !ct_failed(r->ctx);
}
