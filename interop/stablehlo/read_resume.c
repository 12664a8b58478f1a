/* After an error: what stands for the results of the statement, and where the next one begins. */
#include "interop/stablehlo/read_module.h"

/* ---- Values that could not be made. */

ct_tensor *ct__placeholder(ct__reader *r, const ct_type *type)
{
    if (!type || ct_failed(r->ctx))
        return NULL;
    if (!ct__type_is_known(type))
        return r->is_checking ? ct__open_value(r, type) : NULL;
    ct_tensor *x = ct__trace_param(r->ctx, (ct_place){NULL, 0, 0}, type);
    if (ct_is_poison(x))
        return NULL;
    x->argument = -1;
    x->origin = "reported above";
    return x;
}

/* The last colon outside of brackets and strings, where there is one: types stand behind it. */
static const char *types_colon(const char *at, const char *end)
{
    const char *found = NULL, *enclosed = NULL;
    int depth = 0;
    while (at < end) {
        const char *behind = ct__skip_opaque(at, end);
        if (behind > at) {
            at = behind;
            continue;
        }
        if (strchr("([{", *at) && *at)
            depth++;
        else if (strchr(")]}", *at) && *at)
            depth -= depth > 0;
        else if (*at == ':' && depth == 0)
            found = at;
        else if (*at == ':')
            enclosed = at;
        at++;
    }
    return found ? found : enclosed;
}

/* The result types of a statement that was not understood, as far as they can be read. */
void ct__guess_types(ct__reader *r, const char *start, const char *end, ct__type_list *types)
{
    const char *colon = types_colon(start, end);
    ct__type_list operands = {0};
    ct__cursor back = r->cursor;
    *types = (ct__type_list){0};
    if (!colon)
        return;
    r->cursor = (ct__cursor){colon + 1, end};
    r->quiet++;
    if (ct__peek(r, "(")) {
        if (!ct__read_signature(r, &operands, types))
            *types = (ct__type_list){0};
    } else if (!ct__read_types(r, types) ||
               (ct__take(r, "->") && !ct__read_result_types(r, types))) {
        *types = (ct__type_list){0};
    }
    r->quiet--;
    r->cursor = back;
}

const ct_type *ct__guessed_type(const ct__type_list *types, size_t n, size_t i)
{
    if (types->count == n)
        return types->item[i];
    return n == 1 && types->count > 0 ? types->item[types->count - 1] : NULL;
}

/* ---- Going on after an error. */

static const char *skip_line_blanks(const char *at, const char *end)
{
    while (at < end && (*at == ' ' || *at == '\t'))
        at++;
    return at;
}

/* "%a:2, %b = stablehlo.": what else begins with "%a =" goes on with "%". */
static bool begins_with_results(const char *at, const char *end)
{
    while (at < end && *at == '%') {
        for (at++; at < end && (ct__is_name_char(*at) || *at == ':');)
            at++;
        at = skip_line_blanks(at, end);
        if (at < end && *at == '=') {
            at = skip_line_blanks(at + 1, end);
            return at < end && (ct__is_letter(*at) || *at == '"');
        }
        if (at == end || *at != ',')
            return false;
        at = skip_line_blanks(at + 1, end);
    }
    return false;
}

/* A statement without results: "\"op\"(", "return", "call @f", "dialect.op". Continuations of a
 * statement, as "cond {" and "reducer(", have no point in their first word. */
static bool begins_with_operation(const char *at, const char *end)
{
    if (at < end && *at == '"')
        return true;
    if (ct__starts_with(at, end, "return") || ct__starts_with(at, end, "call "))
        return true;
    bool has_point = false;
    for (; at < end && ct__is_name_char(*at); at++)
        has_point = has_point || *at == '.';
    return has_point && at < end && (*at == ' ' || *at == '(');
}

/* Whether a statement or a function begins in the line behind this newline. Braces are balanced;
 * brackets may be what is wrong. */
static bool begins_here(const char *line, const char *end, int braces, int brackets)
{
    if (ct__starts_with(line, end, "func.func"))
        return true;
    return braces == 0 &&
           (begins_with_results(line, end) || (brackets == 0 && begins_with_operation(line, end)));
}

const char *ct__next_statement(const char *at, const char *end)
{
    int braces = 0, brackets = 0;
    while (at < end) {
        const char *line = *at == '\n' ? skip_line_blanks(at + 1, end) : NULL;
        if (line && begins_here(line, end, braces, brackets))
            return line;
        if (*at == '}' && braces == 0)
            return at;
        const char *behind = ct__skip_opaque(at, end);
        if (behind > at) {
            at = behind;
            continue;
        }
        braces += (*at == '{') - (*at == '}');
        brackets += *at == '(' || *at == '[';
        brackets -= brackets > 0 && (*at == ')' || *at == ']');
        at++;
    }
    return end;
}
