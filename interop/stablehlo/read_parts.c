/* Texts of several modules, parted by lines that hold "// -----", and the notes
 * "// expected-error@+1 {{message}}" in them. */
#include "interop/stablehlo/read_parts.h"

#include "interop/stablehlo/read_module.h"

#include <string.h>

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

static int later_line(int line, int64_t lines)
{
    return lines < INT32_MAX - line ? line + (int)lines : INT32_MAX;
}

/* Where the separator's line begins, and *behind the separator; NULL: it is the last part. */
static const char *find_separator(const char *at, const char *end, const char **behind)
{
    const char *mark = find(at, end, "// -----"), *begin = mark;
    while (mark && begin > at && begin[-1] != '\n')
        begin--;
    *behind = mark ? ct__skip_line(mark, end) : end;
    return begin;
}

bool ct_stablehlo_next_part(const char *text, size_t length, ct_stablehlo_part *part)
{
    const char *at = text ? text : "", *end = at + (text ? length : 0), *behind;
    int line = 1;
    if (!part)
        return false;
    if (part->text) {
        const char *last = part->text + part->length;
        if (!find_separator(last, end, &behind))
            return false;
        line = later_line(part->line, (int64_t)ct__count_newlines(part->text, behind));
        at = behind;
    }
    const char *stop = find_separator(at, end, &behind);
    *part = (ct_stablehlo_part){at, (size_t)((stop ? stop : end) - at), line};
    return true;
}

size_t ct_stablehlo_parts(const char *text, size_t length)
{
    ct_stablehlo_part part = {0};
    size_t count = 0;
    while (ct_stablehlo_next_part(text, length, &part))
        count++;
    return count;
}

bool ct__part_of(ct__span text, size_t index, ct_stablehlo_part *part)
{
    *part = (ct_stablehlo_part){0};
    while (ct_stablehlo_next_part(text.at, text.length, part))
        if (index-- == 0)
            return true;
    return false;
}

/* ---- Expected errors. */

/* "@+2", "@-1", "@above", "@below" behind the word; the line relative to that of the note. */
static int64_t relative_line(const char **at, const char *end)
{
    int64_t lines = 0, sign = 1;
    while (*at < end && **at == ' ')
        ++*at;
    if (*at == end || **at != '@')
        return 0;
    ++*at;
    if (find(*at, ct__skip_line(*at, end), "above") == *at)
        return -1;
    if (find(*at, ct__skip_line(*at, end), "below") == *at)
        return 1;
    if (*at < end && (**at == '+' || **at == '-'))
        sign = *(*at)++ == '-' ? -1 : 1;
    for (; *at < end && **at >= '0' && **at <= '9' && lines < INT32_MAX; ++*at)
        lines = 10 * lines + (**at - '0');
    return sign * lines;
}

bool ct__expected_error(const ct_stablehlo_part *part, const char **from, ct__expected *expected)
{
    static const char word[] = "expected-error";
    const char *end = part->text + part->length, *at = *from ? *from : part->text;
    at = find(at, end, word);
    if (!at)
        return false;
    int64_t line = part->line + (int64_t)ct__count_newlines(part->text, at);
    at += sizeof word - 1;
    line += relative_line(&at, end);
    *expected = (ct__expected){.line = (int)(line < INT32_MAX ? line : INT32_MAX)};
    const char *stop = ct__skip_line(at, end), *open = find(at, stop, "{{");
    const char *close = open ? find(open, stop, "}}") : NULL;
    if (close)
        expected->message = (ct__span){open + 2, (size_t)(close - open) - 2};
    *from = stop;
    return true;
}

int ct_stablehlo_expected_error(const char *text, size_t length, size_t part)
{
    ct_stablehlo_part found;
    ct__expected expected;
    const char *from = NULL;
    return ct__part_of((ct__span){text ? text : "", text ? length : 0}, part, &found) &&
                   ct__expected_error(&found, &from, &expected)
               ? expected.line
               : 0;
}
