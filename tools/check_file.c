/* One conformance file: its parts, each of which runs, or is wrong where it says so. */
#include "tools/tools.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- What is wrong, in one line: "part 2: …; …", and "PATH:7:22: …" where the place is known. */

typedef struct findings {
    const char *path;
    const run_words *how;
    size_t part, n_parts;
    char *text;
} findings;

bool names_file(const char *text, const char *path)
{
    const size_t n = strlen(path);
    return strncmp(text, path, n) == 0 && text[n] == ':';
}

static void add_finding(findings *found, const char *text)
{
    char part[40] = "";
    size_t length = found->text ? strlen(found->text) : 0;
    if (found->n_parts > 1 && !names_file(text, found->path))
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
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    add_finding(found, text);
}

/* The first line says what is wrong. */
static void add_error(findings *found, const ct_context *ctx)
{
    char text[8192];
    const char *message = error_text(ctx, text, sizeof text);
    add_format(found, "%.*s", (int)strcspn(message, "\n"), message);
}

/* Whether the message has "PATH:LINE:". */
static bool names_line(const char *message, const char *path, int line)
{
    char place[4300];
    int n = snprintf(place, sizeof place, "%s:%d:", path, line);
    return n > 0 && (size_t)n < sizeof place && strstr(message, place);
}

/* ---- Running. */

static void run_entry(findings *found, ct_context *ctx, ct_module *module)
{
    ct_checks *checks = ct_checks_new_at(NOWHERE, ctx);
    const ct_compile_options options = options_for(found->how);
    ct_checks_compile_with(checks, &options);
    ct_function *f = ct_module_function_at(NOWHERE, module, NULL);
    size_t count = ct_function_results(f);
    ct_tensor **result = calloc(count + 1, sizeof *result);
    bool takes_arguments = !ct_failed(ctx) && ct_function_parameters(f) > 0;
    if (!result)
        add_finding(found, "out of memory");
    else if (takes_arguments && ct_module_expects_derivatives(module))
        ct_check_derivatives_at(NOWHERE, checks, module);
    else if (takes_arguments)
        add_format(found, "%s takes arguments", ct_function_name(f));
    else
        ct_call_at(NOWHERE, compile_for(f, found->how), CT_NO_TENSORS, result, count);
    for (size_t i = 0; i < ct_checks_failed(checks); i++)
        add_finding(found, ct_checks_failure(checks, i));
    if (ct_failed(ctx))
        add_error(found, ctx);
    free(result);
}

static void check_part(findings *found, const ct_stablehlo_part *part)
{
    ct_context *ctx = ct_context_new();
    int expected = ct_stablehlo_expected_error(part->text, part->length, 0);
    if (expected)
        expected += part->line - 1;
    ct_module *module = ct_read_stablehlo_lines_at(NOWHERE, ctx, found->path, part->text,
                                                   part->length, part->line);
    if (expected && !ct_failed(ctx))
        add_format(found, "an error was expected on line %d", expected);
    else if (expected && !names_line(ct_error_message(ctx), found->path, expected))
        add_format(found, "an error was expected on line %d, not %.300s", expected,
                   ct_error_message(ctx));
    else if (!expected && ct_failed(ctx))
        add_error(found, ctx);
    else if (!expected && ct_module_functions(module) > 0)
        run_entry(found, ctx, module);
    ct_context_free(ctx);
}

char *check_file(const char *path, const run_words *how)
{
    findings found = {.path = path, .how = how};
    size_t length;
    char *text = read_file(path, &length);
    if (!text) {
        add_finding(&found, "cannot be read");
        return found.text;
    }
    found.n_parts = ct_stablehlo_parts(text, length);
    ct_stablehlo_part part = {0};
    for (; ct_stablehlo_next_part(text, length, &part); found.part++)
        check_part(&found, &part);
    free(text);
    return found.text;
}
