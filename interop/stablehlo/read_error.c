#include "interop/stablehlo/read_module.h"

#include <stdarg.h>
#include <stdio.h>

enum {
    BLOCK = 4096,       /* bytes of text per entry of lines_before */
    SHOWN_BEFORE = 100, /* of a long line, before the caret and behind it */
    SHOWN_BEHIND = 60,
    KEPT = 3600 /* bytes of messages: about what a context's message holds */
};

/* ---- Lines. */

/* Behind the last newline before `at`, or `from` where there is none. */
static const char *begin_of_line(const char *from, const char *at, const char *otherwise)
{
    while (at > from && at[-1] != '\n')
        at--;
    return at > from ? at : otherwise;
}

/* Of block b: how many lines end before it, and where the line begins that it begins in. */
static bool index_lines(ct__reader *r)
{
    size_t n_blocks = r->text.length / BLOCK + 1, lines = 0;
    size_t *before = CT__NEW_ARRAY(&r->arena, size_t, n_blocks);
    const char **begins = CT__NEW_ARRAY(&r->arena, const char *, n_blocks), *begin = r->text.at;
    for (size_t b = 0; before && begins && b < n_blocks; b++) {
        const char *start = r->text.at + b * BLOCK, *end = r->text.at + r->text.length;
        const char *stop = end - start > BLOCK ? start + BLOCK : end;
        before[b] = lines;
        begins[b] = begin;
        lines += ct__count_newlines(start, stop);
        begin = begin_of_line(start, stop, begin);
    }
    r->lines_before = begins ? before : NULL;
    r->line_begins = begins;
    return r->lines_before != NULL;
}

/* Questions come mostly in the order of the text: the last answer is near. */
int ct__line_of(ct__reader *r, const char *at)
{
    if (!r->lines_before && !index_lines(r)) {
        ct__read_fail_memory(r);
        return 0;
    }
    const char *from = r->line_asked;
    if (!from || at < from || at - from > BLOCK) {
        size_t block = (size_t)(at - r->text.at) / BLOCK;
        from = r->text.at + block * BLOCK;
        r->line_answer = (int)((r->lines_before[block] + (size_t)r->first_line) % INT32_MAX);
    }
    r->line_answer += (int)ct__count_newlines(from, at);
    r->line_asked = at;
    return r->line_answer;
}

/* Lines have been indexed. */
static const char *line_start(const ct__reader *r, const char *at)
{
    const size_t block = (size_t)(at - r->text.at) / BLOCK;
    return begin_of_line(r->text.at + block * BLOCK, at, r->line_begins[block]);
}

ct_place ct__place_of(ct__reader *r, const char *at)
{
    ct_place place = {r->name, ct__line_of(r, at), 0};
    if (place.line > 0)
        place.column = (int)((at - line_start(r, at)) % INT32_MAX) + 1;
    return place;
}

/* ---- The line that is shown. */

static bool continues_character(char c) /* of UTF-8 */
{
    return ((unsigned char)c & 0xC0) == 0x80;
}

/* "\n  %1 = stablehlo.add %0\n         ^": one blank or mark per character. Long lines are cut. */
static void show_line(ct__reader *r, const char *start, const char *at)
{
    const char *text_end = r->text.at + r->text.length;
    const char *newline = memchr(at, '\n', (size_t)(text_end - at));
    const char *end = newline ? newline : text_end;
    const char *from = at - start > SHOWN_BEFORE ? at - SHOWN_BEFORE : start;
    const char *to = end - at > SHOWN_BEHIND ? at + SHOWN_BEHIND : end;
    while (from > start && continues_character(*from))
        from--;
    while (to < end && continues_character(*to))
        to++;
    to = end - to <= 3 ? end : to; /* as long as the mark of the cut */
    if (to == end)
        while (to > at && (to[-1] == '\r' || to[-1] == ' '))
            end = --to;
    ct__text_add(&r->errors, "\n%s", from > start ? "…" : "");
    for (const char *c = from; c < to; c++) {
        bool is_control = (unsigned char)*c < ' ' || *c == 127;
        ct__text_add_bytes(&r->errors, is_control ? " " : c, 1);
    }
    ct__text_add(&r->errors, "%s\n%s", to < end ? "…" : "", from > start ? " " : "");
    for (const char *c = from; c < at; c++)
        if (!continues_character(*c))
            ct__text_add_bytes(&r->errors, " ", 1);
    ct__text_add_bytes(&r->errors, "^", 1);
}

/* ---- Messages. */

/* One message per place; what is missing at the end follows from an error before, if there is one.
 * Those that the context has no room for are counted. */
static bool is_reported(ct__reader *r, const char *at)
{
    if (r->quiet > 0 || ct_failed(r->ctx) || at == r->last_error ||
        (r->n_errors > 0 && at == r->cursor.end))
        return false;
    r->last_error = at;
    r->n_errors++;
    if (r->errors.length < KEPT && r->n_omitted == 0)
        return true;
    r->n_omitted++;
    return false;
}

static void report(ct__reader *r, const char *at, const char *message, const char *detail)
{
    if (!is_reported(r, at))
        return;
    const ct_place place = ct__place_of(r, at);
    if (place.line == 0)
        return;
    const char *start = line_start(r, at);
    if (r->n_errors == 1)
        r->first_error = place;
    if (r->errors.length > 0)
        ct__text_add_bytes(&r->errors, "\n", 1);
    ct__text_add(&r->errors, "%s:%d:%d: %s", r->name, place.line, place.column, message);
    show_line(r, start, at);
    ct__text_add(&r->errors, "%s", detail);
    if (r->errors.failed)
        ct__read_fail_memory(r);
}

bool ct__read_fail(ct__reader *r, const char *at, const char *format, ...)
{
    char message[1024];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    if (length < 0 || (size_t)length >= sizeof message)
        memcpy(message + sizeof message - 4, "...", 4);
    report(r, at, message, "");
    return false;
}

bool ct__read_fail_memory(ct__reader *r)
{
    ct__error_memory(r->ctx, r->called_from, "read_stablehlo");
    return false;
}

/* The message without the place that the context put before it. */
static const char *without_place(const ct_context *ctx)
{
    char prefix[600];
    if (!ctx->place.file)
        return ctx->message;
    ct__place_print(ctx->place, ": ", prefix, sizeof prefix);
    size_t length = strlen(prefix);
    return strncmp(ctx->message, prefix, length) == 0 ? ctx->message + length : ctx->message;
}

bool ct__read_fail_context(ct__reader *r, const char *at)
{
    ct_status status = ct_error_status(r->ctx);
    if (status == CT_OK || status == CT_ERR_MEMORY)
        return false;
    char *message = ct__arena_text(&r->arena, without_place(r->ctx));
    if (!message) {
        ct_error_clear(r->ctx);
        return ct__read_fail_memory(r);
    }
    ct_error_clear(r->ctx);
    char *newline = strchr(message, '\n');
    const char *detail = "";
    if (newline) {
        detail = ct__arena_text(&r->arena, newline);
        *newline = '\0';
    }
    report(r, at, message, detail ? detail : "");
    return false;
}

/* ---- What was found. */

static size_t word_length(const char *at, const char *end)
{
    size_t n = 0;
    while (at + n < end && (ct__is_letter(at[n]) || ct__is_digit(at[n]) || strchr("_$.-", at[n])) &&
           at[n])
        n++;
    return n;
}

/* "'add'", "a string", "the end of the text" */
static void describe(const ct__reader *r, const char *at, char *text, size_t bytes)
{
    const char *end = r->cursor.end;
    size_t sigil = at < end && *at && strchr("%@#!^", *at) ? 1 : 0;
    if (at == end) {
        snprintf(text, bytes, "the end of the text");
        return;
    }
    size_t length = sigil + word_length(at + sigil, end);
    if (length == 0 && (unsigned char)*at > ' ' && (unsigned char)*at < 127)
        length = 1;
    if (*at == '"')
        snprintf(text, bytes, "a string");
    else if (length == 0)
        snprintf(text, bytes, "byte 0x%02X", (unsigned)(unsigned char)*at);
    else
        snprintf(text, bytes, "'%.*s%s'", length < 40 ? (int)length : 40, at,
                 length < 40 ? "" : "…");
}

/* Behind the last character of a line that is neither blank nor of a comment; its start if there
 * is none. */
static const char *end_of_words(const char *start, const char *end)
{
    const char *last = start;
    bool in_string = false;
    for (const char *c = start; c < end; c++) {
        if (!in_string && *c == '/' && c + 1 < end && c[1] == '/')
            break;
        if (*c == '"')
            in_string = !in_string;
        else if (*c == '\\' && in_string && c + 1 < end)
            c++;
        if (*c != ' ' && *c != '\t' && *c != '\r')
            last = c + 1;
    }
    return last;
}

/* The end of the last line before `at` that holds more than comments; NULL where something else
 * stands before `at` in its own line, and at the end of the text. */
static const char *line_cut_before(const ct__reader *r, const char *at)
{
    const char *end = at;
    if (at == r->cursor.end)
        return NULL;
    while (end > r->text.at && (end[-1] == ' ' || end[-1] == '\t'))
        end--;
    while (end > r->text.at && end[-1] == '\n') {
        const char *start = --end;
        while (start > r->text.at && start[-1] != '\n')
            start--;
        const char *last = end_of_words(start, end);
        if (last > start)
            return last;
        end = start;
    }
    return NULL;
}

bool ct__fail_expected(ct__reader *r, const char *at, const char *what)
{
    char found[64];
    describe(r, at, found, sizeof found);
    const char *cut = line_cut_before(r, at);
    if (!cut)
        return ct__read_fail(r, at, "expected %s, found %s", what, found);
    return ct__read_fail(r, cut, "expected %s, found %s on line %d", what, found,
                         ct__line_of(r, at));
}

bool ct__read_expected(ct__reader *r, const char *what)
{
    ct__skip_blanks(r);
    return ct__fail_expected(r, r->cursor.at, what);
}

/* ---- All together. */

void ct__report_errors(ct__reader *r)
{
    if (r->arena.failed) /* then other messages are its consequences */
        ct__read_fail_memory(r);
    if (r->n_errors == 0 || ct_failed(r->ctx))
        return;
    if (r->n_omitted > 0)
        ct__text_add(&r->errors, "\nand %zu more error%s", r->n_omitted,
                     r->n_omitted == 1 ? "" : "s");
    if (r->errors.failed || !r->errors.data)
        ct__read_fail_memory(r);
    else
        ct__error_text(r->ctx, r->first_error, CT_ERR_TEXT, r->errors.data);
}
