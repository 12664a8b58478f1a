/* Reading templates to check them: which values are open, and what is checked of statements that
 * use them.
 *
 * When the module is read, a template's extents "?" are not known. Its body is read all the same,
 * into a trace that is given up in the end. A value whose written type has "?" is open: it has
 * this type, and no place in the trace. A statement is open when an operand or a body is, or when
 * it needs the value of a shape that is not known yet; nothing is recorded for it, and its results
 * are what is written: parameters of the trace, or open again. All other statements are built,
 * inferred and checked as in other functions. */
#include "interop/stablehlo/read_build.h"
#include "interop/stablehlo/read_module.h"

/* ---- Values. */

static const char open_origin[] = "not known before the template is specialised";

bool ct__is_open(const ct_tensor *x)
{
    return x && x->kind == CT__POISON && x->origin == open_origin;
}

ct_tensor *ct__open_value(ct__reader *r, const ct_type *type)
{
    if (ct__type_is_known(type)) {
        ct_tensor *x = ct__trace_param(r->ctx, r->called_from, type);
        if (ct_is_poison(x))
            return NULL;
        x->argument = -1;
        x->origin = "as written";
        return x;
    }
    ct_tensor *x = CT__NEW(&r->arena, ct_tensor);
    if (!x) {
        ct__read_fail_memory(r);
        return NULL;
    }
    *x = (ct_tensor){.handle = {.kind = CT__HANDLE_TENSOR, .ctx = r->ctx},
                     .kind = CT__POISON,
                     .type = type,
                     .origin = open_origin,
                     .argument = -1};
    r->n_open++;
    return x;
}

bool ct__open_results(ct__reader *r, ct__statement *s)
{
    s->n_results = s->result_types.count;
    s->result = CT__NEW_ARRAY(&r->arena, ct_tensor *, s->n_results);
    if (!s->result)
        return ct__read_fail_memory(r);
    r->n_open++;
    for (size_t i = 0; i < s->n_results; i++)
        if (!(s->result[i] = ct__open_value(r, s->result_types.item[i])))
            return ct__read_fail_context(r, s->at);
    return true;
}

/* ---- Calls: what the function's header says. */

static bool read_header(ct__reader *r, const ct__symbol *f, ct__header *h)
{
    const ct__cursor back = r->cursor;
    r->cursor.at = f->arguments;
    r->quiet++; /* the function is read by itself too, which reports what is wrong */
    const bool fine = ct__read_header(r, f, h);
    r->quiet--;
    r->cursor = back;
    return fine;
}

static bool check_result_count(ct__reader *r, const ct__statement *s, size_t count)
{
    return s->result_types.count == count ||
           ct__read_fail(r, s->types_at ? s->types_at : s->at,
                         "'%.*s' has %zu result%s, its type says %zu", ct__span_shown(s->spelling),
                         s->spelling.at, count, count == 1 ? "" : "s", s->result_types.count);
}

static bool check_header(ct__reader *r, const ct__statement *s, const ct__header *h)
{
    if (h->n_params != s->n_operands)
        return ct__read_fail(r, s->at, "the function takes %zu argument%s, not %zu", h->n_params,
                             h->n_params == 1 ? "" : "s", s->n_operands);
    for (size_t i = 0; i < h->n_params; i++)
        if (!ct__type_matches(s->operand[i]->type, h->param[i].type))
            return ct__read_fail(r, s->operand_at[i], "argument %zu is a %s, and declared is %s", i,
                                 ct__written_type(r, s->operand[i]->type),
                                 ct__written_type(r, h->param[i].type));
    if (!check_result_count(r, s, h->n_results))
        return false;
    for (size_t i = 0; i < h->n_results; i++)
        if (!ct__type_matches(h->result[i].type, s->result_types.item[i]))
            return ct__read_fail(r, s->types_at ? s->types_at : s->at,
                                 "result %zu of '%.*s' is %s, its type says %s", i,
                                 ct__span_shown(s->spelling), s->spelling.at,
                                 ct__written_type(r, h->result[i].type),
                                 ct__written_type(r, s->result_types.item[i]));
    return true;
}

/* The function of this name; templates are checked on their first call, so that circles are seen.
 */
static bool check_callee(ct__reader *r, ct__statement *s, const char *symbol)
{
    ct__symbol *f = ct__find_callee(r, s->at, symbol);
    ct__header h = {0};
    if (!f || !ct__check_function(r, f, s->at))
        return false;
    return !read_header(r, f, &h) || check_header(r, s, &h);
}

bool ct__check_call(ct__reader *r, ct__statement *s)
{
    const ct__attribute *callee = ct__dict_use(&s->attributes, "callee");
    if (!callee)
        return ct__fail_missing(r, s, "callee");
    if (callee->kind != CT__ATTRIBUTE_SYMBOL && callee->kind != CT__ATTRIBUTE_STRING)
        return ct__fail_kind(r, s, "callee", "the name of a function");
    return check_callee(r, s, callee->text);
}

/* ---- Composites and custom calls name functions too. */

bool ct__check_composite(ct__reader *r, ct__statement *s)
{
    const ct__attribute *name = ct__dict_use(&s->attributes, "name");
    const ct__attribute *symbol = ct__dict_use(&s->attributes, "decomposition");
    if (!name || name->kind != CT__ATTRIBUTE_STRING)
        return ct__fail_missing(r, s, "name");
    if (!symbol)
        return strncmp(name->text, "ct.", 3) == 0 || ct__fail_missing(r, s, "decomposition");
    if (symbol->kind != CT__ATTRIBUTE_SYMBOL && symbol->kind != CT__ATTRIBUTE_STRING)
        return ct__fail_kind(r, s, "decomposition", "the name of a function");
    return check_callee(r, s, symbol->text);
}
