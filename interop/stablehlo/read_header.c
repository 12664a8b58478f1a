/* Headers of functions. In the pretty form
 *
 *     func.func public @f(%a: T {attributes}) -> (R {attributes}) attributes {…} {
 *
 * and in the generic form, in which all is in a dictionary but for the names of the parameters
 *
 *     "func.func"() <{function_type = (T) -> R, sym_name = "f", arg_attrs = [{…}], …}> ({
 *     ^bb0(%a: T):
 */
#include "interop/stablehlo/read_build.h"
#include "interop/stablehlo/read_module.h"

/* ---- The pretty form. */

/* stack<…stack<element>…>; NULL after an error. */
static const ct_type *stack_of(ct__reader *r, const ct_type *element, int64_t depth)
{
    const ct_type *type = element;
    for (int64_t i = 0; type && i < depth; i++)
        type = ct__type_stack(&r->arena, type);
    if (!type)
        ct__read_fail_memory(r);
    return type;
}

const ct_type *ct__use_stack(ct__reader *r, ct__dict *dict)
{
    const ct__attribute *element = ct__dict_use(dict, "ct.element");
    const ct__attribute *depth = ct__dict_use(dict, "ct.depth");
    int64_t n = depth && depth->kind == CT__ATTRIBUTE_INTEGER ? depth->integer : 1;
    if (!element || element->kind != CT__ATTRIBUTE_TYPE || n < 1 || n > CT__MAX_DEPTH)
        return NULL;
    return stack_of(r, element->type, n);
}

/* "{a = 1}" of a parameter or result; ct.element says what a token stands for. */
static bool read_part_notes(ct__reader *r, ct__part *p)
{
    ct__dict dict = {0};
    if (!ct__peek(r, "{"))
        return true;
    if (!ct__read_dict(r, "{", "}", &dict))
        return false;
    const ct_type *stack = p->type->kind == CT__TOKEN ? ct__use_stack(r, &dict) : NULL;
    if (stack)
        p->type = stack;
    p->notes = ct__dict_rest(r, &dict);
    return !ct_failed(r->ctx);
}

/* "{a = 1}" as text without braces. */
static bool read_notes(ct__reader *r, const char **notes)
{
    ct__dict dict = {0};
    if (!ct__peek(r, "{"))
        return true;
    if (!ct__read_dict(r, "{", "}", &dict))
        return false;
    *notes = ct__dict_rest(r, &dict);
    return !ct_failed(r->ctx);
}

static bool read_param(ct__reader *r, ct__header *h)
{
    ct__part p = {0};
    ct_place ignored;
    ct__skip_blanks(r);
    p.at = r->cursor.at;
    const bool has_name = !h->is_declared || ct__peek(r, "%");
    if ((has_name && (!ct__read_name(r, &p.name) || !ct__expect(r, ":"))) ||
        !ct__read_type(r, &p.type) || !read_part_notes(r, &p) ||
        !ct__read_location(r, &ignored, NULL, &p.given_name) ||
        !ct__more(r, &h->param, h->n_params, &h->param_capacity, sizeof p))
        return false;
    h->param[h->n_params++] = p;
    return true;
}

static bool read_params(ct__reader *r, ct__header *h)
{
    if (!ct__expect(r, "("))
        return false;
    if (ct__take(r, ")"))
        return true;
    do
        if (!read_param(r, h))
            return false;
    while (ct__take(r, ","));
    return ct__expect(r, ")");
}

static bool read_result(ct__reader *r, ct__header *h)
{
    ct__part p = {0};
    ct__skip_blanks(r);
    p.at = r->cursor.at;
    if (!ct__read_type(r, &p.type) || !read_part_notes(r, &p) ||
        !ct__more(r, &h->result, h->n_results, &h->result_capacity, sizeof p))
        return false;
    h->result[h->n_results++] = p;
    return true;
}

/* A result without parentheses has no attributes: what follows may be the body. */
static bool read_results(ct__reader *r, ct__header *h)
{
    ct__part p = {0};
    if (!ct__take(r, "->"))
        return true;
    if (!ct__take(r, "(")) {
        ct__skip_blanks(r);
        p.at = r->cursor.at;
        if (!ct__read_type(r, &p.type) ||
            !ct__more(r, &h->result, 0, &h->result_capacity, sizeof p))
            return false;
        h->result[h->n_results++] = p;
        return true;
    }
    if (ct__take(r, ")"))
        return true;
    do
        if (!read_result(r, h))
            return false;
    while (ct__take(r, ","));
    return ct__expect(r, ")");
}

static bool read_types_and_notes(ct__reader *r, ct__header *h)
{
    return read_params(r, h) && read_results(r, h) &&
           (!ct__take(r, "attributes") || read_notes(r, &h->notes));
}

static bool read_pretty_header(ct__reader *r, ct__header *h)
{
    if (!read_types_and_notes(r, h))
        return false;
    ct__skip_blanks(r);
    h->open = r->cursor.at;
    return ct__take(r, "{") || ct__read_expected(r, "the function's body, '{'");
}

/* ---- The generic form. */

/* Item i of a list of dictionaries as text without braces; NULL: it is empty. */
static const char *notes_of(ct__reader *r, const ct__attribute *list, size_t i)
{
    if (!list || list->kind != CT__ATTRIBUTE_LIST || i >= list->n_list ||
        list->list[i].kind != CT__ATTRIBUTE_DICT)
        return NULL;
    return ct__dict_rest(r, &list->list[i].dict);
}

/* "^bb0(%a: T, %b: U):" */
static bool read_label(ct__reader *r, ct__header *h)
{
    ct__span label;
    if (!ct__take(r, "^"))
        return true;
    if (!ct__read_word(r, &label) || (ct__peek(r, "(") && !read_params(r, h)))
        return false;
    return ct__expect(r, ":");
}

static bool add_results(ct__reader *r, ct__header *h, const ct__type_list *types, const char *at,
                        const ct__attribute *notes)
{
    for (size_t i = 0; i < types->count; i++) {
        ct__part p = {.at = at, .type = types->item[i], .notes = notes_of(r, notes, i)};
        if (!ct__more(r, &h->result, h->n_results, &h->result_capacity, sizeof p))
            return false;
        h->result[h->n_results++] = p;
    }
    return true;
}

static bool check_params(ct__reader *r, const ct__header *h, const ct__type_list *types,
                         const char *at)
{
    if (types->count != h->n_params)
        return ct__read_fail(r, at, "the type has %zu parameters, the body %zu", types->count,
                             h->n_params);
    for (size_t i = 0; i < types->count; i++)
        if (!ct__type_equal(types->item[i], h->param[i].type))
            return ct__read_fail(
                r, h->param[i].at, "the parameter is a %s, and the function's type says %s",
                ct__written_type(r, h->param[i].type), ct__written_type(r, types->item[i]));
    return true;
}

bool ct__read_function_type(ct__reader *r, ct__dict *dict, const char *at, ct__type_list *params,
                            ct__type_list *results, const char **where)
{
    const ct__attribute *type = ct__dict_use(dict, "function_type");
    ct__cursor back = r->cursor;
    *where = at;
    if (!type)
        return ct__read_fail(r, at, "attribute 'function_type' is missing");
    r->cursor.at = *where = type->source.at;
    bool fine = ct__read_signature(r, params, results);
    r->cursor = back;
    return fine;
}

static bool read_generic_header(ct__reader *r, const ct__symbol *f, ct__header *h)
{
    ct__dict dict = f->dict;
    ct__type_list params = {0}, results = {0};
    const char *where;
    if (!ct__read_function_type(r, &dict, f->at, &params, &results, &where))
        return false;
    ct__dict_use(&dict, "sym_name");
    ct__dict_use(&dict, "sym_visibility");
    const ct__attribute *param_notes = ct__dict_use(&dict, "arg_attrs");
    const ct__attribute *result_notes = ct__dict_use(&dict, "res_attrs");
    h->notes = ct__dict_rest(r, &dict);
    ct__skip_blanks(r);
    h->open = r->cursor.at;
    if (!ct__expect(r, "{") || !read_label(r, h) || !check_params(r, h, &params, where) ||
        !add_results(r, h, &results, where, result_notes))
        return false;
    for (size_t i = 0; i < h->n_params; i++)
        h->param[i].notes = notes_of(r, param_notes, i);
    return !ct_failed(r->ctx);
}

bool ct__read_header(ct__reader *r, const ct__symbol *f, ct__header *h)
{
    return f->is_generic ? read_generic_header(r, f, h) : read_pretty_header(r, h);
}

bool ct__read_declaration(ct__reader *r, const ct__symbol *f)
{
    const ct__cursor back = r->cursor;
    ct__header h = {.is_declared = true};
    if (f->is_generic) /* its type has been read with its name */
        return true;
    r->cursor.at = f->arguments;
    const bool fine = read_types_and_notes(r, &h);
    r->cursor = back;
    return fine;
}

void ct__read_param_types(ct__reader *r, ct__symbol *f)
{
    const ct__cursor back = r->cursor;
    ct__header h = {0};
    r->cursor.at = f->arguments;
    r->quiet++;
    const bool fine = ct__read_header(r, f, &h);
    r->quiet--;
    r->cursor = back;
    const ct_type **type = fine ? CT__NEW_ARRAY(&r->arena, const ct_type *, h.n_params) : NULL;
    for (size_t i = 0; type && i < h.n_params; i++)
        type[i] = h.param[i].type;
    f->n_params = type ? h.n_params : 0;
    f->param = type;
}
