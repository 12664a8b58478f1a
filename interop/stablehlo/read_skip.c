/* Finding the ends of things, which are not read yet. */
#include "interop/stablehlo/read_module.h"

/* Data of megabytes in one string has none of these before its closing quote. */
static bool has_special(const char *at, size_t length)
{
    return memchr(at, '\n', length) || memchr(at, '\\', length);
}

const char *ct__skip_string(const char *at, const char *end)
{
    const char *close = at + 1 < end ? memchr(at + 1, '"', (size_t)(end - at - 1)) : NULL;
    if (close && !has_special(at + 1, (size_t)(close - at - 1)))
        return close + 1;
    for (at++; at < end && *at != '\n'; at++) {
        if (*at == '"')
            return at + 1;
        at += *at == '\\' && at + 1 < end;
    }
    return at;
}

const char *ct__skip_line(const char *at, const char *end)
{
    const char *newline = memchr(at, '\n', (size_t)(end - at));
    return newline ? newline : end;
}

const char *ct__skip_opaque(const char *at, const char *end)
{
    if (*at == '"')
        return ct__skip_string(at, end);
    return ct__starts_with(at, end, "//") ? ct__skip_line(at, end) : at;
}

size_t ct__count_newlines(const char *at, const char *end)
{
    size_t count = 0;
    while (at < end && (at = memchr(at, '\n', (size_t)(end - at)))) {
        count++;
        at++;
    }
    return count;
}

bool ct__begins_function(const char *newline, const char *end)
{
    const char *at = newline + 1;
    while (at < end && (*at == ' ' || *at == '\t'))
        at++;
    return ct__starts_with(at, end, "func.func ");
}

/* "?x" of a type; open axes of shardings, "{?}", are no extents. */
static bool is_unknown_extent(const char *at, const char *end)
{
    return ct__starts_with(at, end, "?x");
}

const char *ct__skip_body(const char *at, const char *end, bool *has_unknown)
{
    size_t depth = 0;
    while (at < end) {
        switch (*at) {
        case '"': at = ct__skip_string(at, end); continue;
        case '/': at = ct__starts_with(at, end, "//") ? ct__skip_line(at, end) : at + 1; continue;
        case '?': *has_unknown = *has_unknown || is_unknown_extent(at, end); break;
        case '{': depth++; break;
        case '}':
            if (--depth == 0)
                return at + 1;
            break;
        case '\n':
            if (ct__begins_function(at, end))
                return at;
            break;
        default: break;
        }
        at++;
    }
    return end;
}

/* How a bracket changes the depth; the ">" of "->" is none. */
static int bracket(const char *at, const char *start)
{
    switch (*at) {
    case '(':
    case '[':
    case '{':
    case '<': return 1;
    case ')':
    case ']':
    case '}': return -1;
    case '>': return at > start && at[-1] == '-' ? 0 : -1;
    default: return 0;
    }
}

const char *ct__skip_definition(const char *start, const char *end)
{
    int64_t depth = 0;
    const char *at = start;
    while (at < end && !(*at == '\n' && depth <= 0)) {
        if (*at == '"') {
            at = ct__skip_string(at, end);
        } else if (ct__starts_with(at, end, "//")) {
            if (depth <= 0)
                return at;
            at = ct__skip_line(at, end);
        } else {
            depth += bracket(at, start);
            at++;
        }
    }
    return depth > 0 ? NULL : at;
}

/* Behind "attributes {…}", which begins here; NULL: it does not. */
static const char *skip_attributes(const char *at, const char *end)
{
    const char *brace = ct__starts_with(at, end, "attributes") ? memchr(at, '{', (size_t)(end - at))
                                                               : NULL;
    bool ignored = false;
    return brace ? ct__skip_body(brace, end, &ignored) : NULL;
}

const char *ct__skip_header(const char *start, const char *end, ct__symbol *f)
{
    int64_t depth = 0;
    bool in_params = true;
    const char *at = start, *behind;
    while (at < end) {
        behind = ct__skip_opaque(at, end);
        if (behind == at && depth == 0 && (behind = skip_attributes(at, end)) == NULL)
            behind = at;
        if (behind > at) {
            at = behind;
            continue;
        }
        if (is_unknown_extent(at, end)) {
            f->has_unknown = true;
            f->is_template = f->is_template || in_params;
        }
        if ((depth == 0 && (*at == '{' || *at == '}')) ||
            (*at == '\n' && ct__begins_function(at, end)))
            return at;
        depth += bracket(at, start);
        in_params = in_params && !(depth == 0 && *at == ')');
        at++;
    }
    return end;
}

/* "-> R" or "-> (R, S)"; what R is in detail is read later. */
static bool skip_results(ct__reader *r)
{
    ct__span word;
    if (!ct__take(r, "->"))
        return true;
    if (ct__peek(r, "("))
        return ct__skip_enclosed(r);
    ct__take(r, "!");
    return ct__read_word(r, &word) && (!ct__peek(r, "<") || ct__skip_enclosed(r));
}

static bool skip_noted(ct__reader *r, const char *word, const char *open)
{
    return !ct__take(r, word) || (ct__peek(r, open) && ct__skip_enclosed(r));
}

bool ct__skip_declaration(ct__reader *r)
{
    const ct__cursor back = r->cursor;
    r->quiet++;
    const bool fine = ct__peek(r, "(") && ct__skip_enclosed(r) && skip_results(r) &&
                      skip_noted(r, "attributes", "{") && skip_noted(r, "loc", "(") &&
                      !ct__peek(r, "{");
    r->quiet--;
    if (!fine)
        r->cursor = back;
    return fine;
}
