/* Texts of several modules, parted by lines that hold "// -----", and the notes
 * "// expected-error@+1 {{message}}" in them. */
#include "interop/stablehlo/read_parts.h"

#include <string.h>

static const char *line_end(const char *at, const char *end)
{
    const char *newline = memchr(at, '\n', (size_t)(end - at));
    return newline ? newline : end;
}

static const char *find(const char *at, const char *end, const char *word)
{
    size_t length = strlen(word);
    while ((size_t)(end - at) >= length) {
        at = memchr(at, *word, (size_t)(end - at));
        if (!at || (size_t)(end - at) < length)
            return NULL;
        if (memcmp(at, word, length) == 0)
            return at;
        at++;
    }
    return NULL;
}

/* The next part from *at on, which moves behind its separator; false at the end. */
static bool next_part(const char **at, const char *end, bool *is_over, ct__span *part)
{
    if (*is_over)
        return false;
    const char *mark = find(*at, end, "// -----"), *stop = mark ? mark : end;
    while (mark && stop > *at && stop[-1] != '\n')
        stop--;
    *part = (ct__span){*at, (size_t)(stop - *at)};
    *is_over = !mark;
    if (mark)
        *at = line_end(mark, end);
    return true;
}

size_t ct_stablehlo_parts(const char *text, size_t length)
{
    ct__span part;
    size_t count = 0;
    bool is_over = false;
    const char *at = text ? text : "", *end = at + (text ? length : 0);
    while (next_part(&at, end, &is_over, &part))
        count++;
    return count;
}

bool ct__part_of(ct__span text, size_t index, ct__span *part)
{
    bool is_over = false;
    const char *at = text.at, *end = text.at + text.length;
    while (next_part(&at, end, &is_over, part))
        if (index-- == 0)
            return true;
    return false;
}

/* ---- Expected errors. */

static int64_t count_lines(const char *at, const char *end)
{
    int64_t count = 0;
    while (at < end && (at = memchr(at, '\n', (size_t)(end - at)))) {
        count++;
        at++;
    }
    return count;
}

/* "@+2", "@-1", "@above", "@below" behind the word; the line relative to that of the note. */
static int64_t relative_line(const char **at, const char *end)
{
    int64_t lines = 0, sign = 1;
    while (*at < end && **at == ' ')
        ++*at;
    if (*at == end || **at != '@')
        return 0;
    ++*at;
    if (find(*at, line_end(*at, end), "above") == *at)
        return -1;
    if (find(*at, line_end(*at, end), "below") == *at)
        return 1;
    if (*at < end && (**at == '+' || **at == '-'))
        sign = *(*at)++ == '-' ? -1 : 1;
    for (; *at < end && **at >= '0' && **at <= '9' && lines < INT32_MAX; ++*at)
        lines = 10 * lines + (**at - '0');
    return sign * lines;
}

bool ct__expected_error(ct__span text, ct__span part, const char **from, ct__expected *expected)
{
    static const char word[] = "expected-error";
    const char *end = part.at + part.length, *at = *from ? *from : part.at;
    at = find(at, end, word);
    if (!at)
        return false;
    int64_t line = 1 + count_lines(text.at, at);
    at += sizeof word - 1;
    line += relative_line(&at, end);
    *expected = (ct__expected){.line = (int)(line < INT32_MAX ? line : INT32_MAX)};
    const char *stop = line_end(at, end), *open = find(at, stop, "{{");
    const char *close = open ? find(open, stop, "}}") : NULL;
    if (close)
        expected->message = (ct__span){open + 2, (size_t)(close - open) - 2};
    *from = stop;
    return true;
}

int ct_stablehlo_expected_error(const char *text, size_t length, size_t part)
{
    ct__span whole = {text ? text : "", text ? length : 0}, found;
    ct__expected expected;
    const char *from = NULL;
    return ct__part_of(whole, part, &found) && ct__expected_error(whole, found, &from, &expected)
               ? expected.line
               : 0;
}
