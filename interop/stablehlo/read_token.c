#include "interop/stablehlo/read_module.h"

/* ---- Lists. */

bool ct__grow_list(ct__reader *r, void *list_pointer, size_t n, size_t item_bytes)
{
    void *list, *larger;
    size_t bytes;
    if (n > 0 && (n & (n - 1)) != 0)
        return true;
    if (!ct__mul_size(n ? 2 * n : 1, item_bytes, &bytes) ||
        !(larger = ct__arena_alloc(&r->arena, bytes)))
        return ct__read_fail_memory(r);
    memcpy(&list, list_pointer, sizeof list);
    if (n > 0)
        memcpy(larger, list, n * item_bytes);
    memcpy(list_pointer, &larger, sizeof larger);
    return true;
}

/* ---- Characters. */

void ct__skip_blanks(ct__reader *r)
{
    const char *at = r->cursor.at, *end = r->cursor.end;
    while (at < end) {
        if (*at == ' ' || *at == '\n' || *at == '\t' || *at == '\r')
            at++;
        else if (*at == '/' && end - at > 1 && at[1] == '/')
            at = ct__skip_line(at, end);
        else
            break;
    }
    r->cursor.at = at;
}

/* ---- Marks. */

bool ct__peek(ct__reader *r, const char *mark)
{
    ct__skip_blanks(r);
    size_t length = strlen(mark), left = (size_t)(r->cursor.end - r->cursor.at);
    if (left < length || memcmp(r->cursor.at, mark, length) != 0)
        return false;
    bool is_word = ct__is_word_char(mark[length - 1]);
    return !is_word || left == length || !ct__is_word_char(r->cursor.at[length]);
}

bool ct__take(ct__reader *r, const char *mark)
{
    if (!ct__peek(r, mark))
        return false;
    r->cursor.at += strlen(mark);
    return true;
}

bool ct__expect(ct__reader *r, const char *mark)
{
    if (ct__take(r, mark))
        return true;
    const char *what = ct__arena_print(r, "'%s'", mark);
    return what ? ct__read_expected(r, what) : false;
}

/* ---- Words, numbers. */

bool ct__read_word(ct__reader *r, ct__span *word)
{
    ct__skip_blanks(r);
    const char *start = r->cursor.at, *at = start;
    if (at == r->cursor.end || !ct__is_letter(*at))
        return ct__read_expected(r, "a word");
    while (at < r->cursor.end && ct__is_word_char(*at))
        at++;
    *word = (ct__span){start, (size_t)(at - start)};
    r->cursor.at = at;
    return true;
}

bool ct__read_integer(ct__reader *r, int64_t *value)
{
    ct__skip_blanks(r);
    const char *start = r->cursor.at, *at = start, *end = r->cursor.end;
    bool negative = at < end && *at == '-', fits = true;
    int64_t number = 0;
    at += negative;
    if (at == end || !ct__is_digit(*at))
        return ct__read_expected(r, "an integer");
    for (; at < end && ct__is_digit(*at); at++)
        fits = fits && ct__mul_i64(number, 10, &number) &&
               ct__add_i64(number, negative ? '0' - *at : *at - '0', &number);
    if (!fits)
        return ct__read_fail(r, start, "the integer does not fit into 64 bits");
    r->cursor.at = at;
    *value = number;
    return true;
}

/* ---- Strings. */

static int hex_digit(char c)
{
    if (ct__is_digit(c))
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* The closing quote, NULL when there is none in this line, or a byte 0, which ends kept texts. */
static const char *closing_quote(const char *at, const char *end)
{
    for (; at < end && *at != '\n' && *at != '\0'; at++) {
        if (*at == '"')
            return at;
        at += *at == '\\' && at + 1 < end;
    }
    return NULL;
}

/* The character that the escape behind a backslash stands for; *at moves behind it. */
static bool unescape(ct__reader *r, const char **at, char *c)
{
    const char *escape = *at;
    int high = hex_digit(escape[0]), low = high < 0 ? -1 : hex_digit(escape[1]);
    if (low >= 0) { /* there is a quote behind, so escape[1] is in the text */
        *c = (char)(high * 16 + low);
        *at += 2;
        return true;
    }
    *at += 1;
    switch (*escape) {
    case 'n': *c = '\n'; return true;
    case 't': *c = '\t'; return true;
    case '"':
    case '\\': *c = *escape; return true;
    default: return ct__read_fail(r, escape - 1, "unknown escape in a string");
    }
}

bool ct__read_string(ct__reader *r, const char **text, size_t *length)
{
    ct__skip_blanks(r);
    const char *open = r->cursor.at;
    if (open == r->cursor.end || *open != '"')
        return ct__read_expected(r, "a string");
    const char *close = closing_quote(open + 1, r->cursor.end), *at = open + 1;
    if (!close)
        return ct__read_fail(r, open, "the string is not closed in its line");
    char *out = ct__arena_alloc(&r->arena, (size_t)(close - open)), *next = out;
    if (!out)
        return ct__read_fail_memory(r);
    while (at < close) {
        if (*at != '\\') {
            *next++ = *at++;
            continue;
        }
        at++;
        if (!unescape(r, &at, next++))
            return false;
    }
    *next = '\0';
    *text = out;
    *length = (size_t)(next - out);
    r->cursor.at = close + 1;
    return true;
}

/* ---- Symbols. */

bool ct__read_symbol(ct__reader *r, const char **name)
{
    ct__skip_blanks(r);
    const char *start = r->cursor.at, *end = r->cursor.end, *at = start + 1;
    if (start == end || *start != '@')
        return ct__read_expected(r, "a symbol, @name");
    if (at < end && *at == '"') {
        size_t length = 0;
        r->cursor.at = at;
        if (!ct__read_string(r, name, &length))
            return false;
        return length == strlen(*name) || ct__read_fail(r, at, "a 0 byte in a symbol");
    }
    if (at == end || !ct__is_letter(*at))
        return ct__read_fail(r, start, "expected a name or a string behind '@'");
    while (at < end && ct__is_name_char(*at))
        at++;
    *name = ct__arena_span(r, (ct__span){start + 1, (size_t)(at - start - 1)});
    r->cursor.at = at;
    return *name || ct__read_fail_memory(r);
}
