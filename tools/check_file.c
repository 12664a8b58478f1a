/* One conformance file: its parts, each of which runs, or is wrong where it says so. */
#include "tools/tools.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- What is wrong: "part 2: …; …" in one line. */

typedef struct findings {
    const char *path;
    size_t part, n_parts;
    char *text;
} findings;

static void add_finding(findings *found, const char *text)
{
    char part[40] = "";
    size_t length = found->text ? strlen(found->text) : 0;
    if (found->n_parts > 1)
        snprintf(part, sizeof part, "part %zu: ", found->part + 1);
    size_t bytes = length + strlen(part) + strlen(text) + 3;
    char *longer = realloc(found->text, bytes);
    if (!longer)
        return; /* what was found before says enough */
    found->text = longer;
    snprintf(longer + length, bytes - length, "%s%s%s", length ? "; " : "", part, text);
    for (char *c = longer + length; *c; c++)
        if (*c == '\n')
            *c = ' ';
}

static void add_format(findings *found, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static void add_format(findings *found, const char *format, ...)
{
    char text[512];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    add_finding(found, text);
}

/* The first line says what is wrong; the path stands before it already. */
static void add_error(findings *found, const ct_context *ctx)
{
    const char *message = ct_error_message(ctx);
    size_t n = strlen(found->path);
    if (strncmp(message, found->path, n) == 0 && message[n] == ':')
        message += n + 1;
    add_format(found, "%.*s", (int)strcspn(message, "\n"), message);
}

/* ---- Errors that are expected: "// expected-error@+1 {{…}}" speaks of the next line. */

typedef struct span {
    const char *at, *end;
} span;

/* The line that an expectation names, which is on line `line` itself; 0: there is none on it. */
static long expected_line(span text, long line)
{
    static const char mark[] = "expected-error";
    const char *comment = NULL;
    for (const char *c = text.at; c + sizeof mark - 1 <= text.end; c++) {
        if (c[0] == '/' && c[1] == '/')
            comment = c;
        if (!comment || memcmp(c, mark, sizeof mark - 1) != 0)
            continue;
        c += sizeof mark - 1;
        if (text.end - c >= 3 && memcmp(c, "-re", 3) == 0)
            c += 3;
        if (text.end - c >= 6 && memcmp(c, "@below", 6) == 0)
            return line + 1;
        if (text.end - c >= 6 && memcmp(c, "@above", 6) == 0)
            return line - 1;
        return c < text.end && *c == '@' ? line + strtol(c + 1, NULL, 10) : line;
    }
    return 0;
}

/* The part of this number: its first line, and its text. */
static span find_part(span text, size_t part, long *line)
{
    span found = text;
    size_t number = 0;
    *line = 1;
    long at_line = 1;
    for (const char *c = text.at, *end; c < text.end; c = end + 1, at_line++) {
        end = memchr(c, '\n', (size_t)(text.end - c));
        end = end ? end : text.end;
        bool parts = false;
        for (const char *d = c; d + 8 <= end; d++)
            parts = parts || memcmp(d, "// -----", 8) == 0;
        if (parts && number == part)
            return (span){found.at, c};
        if (parts && ++number == part) {
            found.at = end < text.end ? end + 1 : end;
            *line = at_line + 1;
        }
    }
    return found;
}

/* The first line on which the part must be wrong; 0: it must be right. */
static long find_expected(span text, size_t part)
{
    long line;
    span lines = find_part(text, part, &line);
    for (const char *c = lines.at, *end; c < lines.end; c = end + 1, line++) {
        end = memchr(c, '\n', (size_t)(lines.end - c));
        end = end ? end : lines.end;
        long expected = expected_line((span){c, end}, line);
        if (expected)
            return expected;
    }
    return 0;
}

/* Whether the message has "PATH:LINE:". */
static bool names_line(const char *message, const char *path, long line)
{
    char place[4300];
    int n = snprintf(place, sizeof place, "%s:%ld:", path, line);
    return n > 0 && (size_t)n < sizeof place && strstr(message, place);
}

/* ---- Running. */

static void run_entry(findings *found, ct_context *ctx, ct_module *module)
{
    ct_checks *checks = ct_checks_new_at(NOWHERE, ctx);
    ct_function *f = ct_module_function_at(NOWHERE, module, NULL);
    size_t count = ct_function_results(f);
    ct_tensor **result = calloc(count + 1, sizeof *result);
    if (!result)
        add_finding(found, "out of memory");
    else if (!ct_failed(ctx) && ct_function_parameters(f) > 0)
        add_format(found, "%s takes list", ct_function_name(f));
    else
        ct_apply_at(NOWHERE, f, CT_NO_TENSORS, result, count);
    for (size_t i = 0; i < ct_checks_failed(checks); i++)
        add_finding(found, ct_checks_failure(checks, i));
    if (ct_failed(ctx))
        add_error(found, ctx);
    free(result);
}

static void check_part(findings *found, span text)
{
    ct_context *ctx = ct_context_new();
    long expected = find_expected(text, found->part);
    ct_module *module = ct_read_stablehlo_part_at(NOWHERE, ctx, found->path, text.at,
                                                  (size_t)(text.end - text.at), found->part);
    if (expected && !ct_failed(ctx))
        add_format(found, "an error was expected on line %ld", expected);
    else if (expected && !names_line(ct_error_message(ctx), found->path, expected))
        add_format(found, "an error was expected on line %ld, not %.300s", expected,
                   ct_error_message(ctx));
    else if (!expected && ct_failed(ctx))
        add_error(found, ctx);
    else if (!expected && ct_module_functions(module) > 0)
        run_entry(found, ctx, module);
    ct_context_free(ctx);
}

char *check_file(const char *path)
{
    findings found = {.path = path};
    size_t length;
    char *text = read_file(path, &length);
    if (!text) {
        add_finding(&found, "cannot be read");
        return found.text;
    }
    found.n_parts = ct_stablehlo_parts(text, length);
    for (; found.part < found.n_parts; found.part++)
        check_part(&found, (span){text, text + length});
    free(text);
    return found.text;
}
