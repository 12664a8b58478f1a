/* cotangent show FILE: a program in other forms. */
#include "tools/tools.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *entry, *form;

static const option options[] = {
    {"--as", "FORM", "text (else this), generic, dot (for Graphviz) or stats", &form, NULL, NULL},
    {"--entry", "NAME", "the function; else main, or the only one", &entry, NULL, NULL},
};

static const verb_text text = {"show", "FILE",
                               "Print a function of a StableHLO program in one of several forms.",
                               options, sizeof options / sizeof *options};

static const char *as_text(ct_function *f)
{
    return ct_stablehlo_text_at(NOWHERE, f, CT_WRITE_PRETTY);
}

static const char *as_generic(ct_function *f)
{
    return ct_stablehlo_text_at(NOWHERE, f, CT_WRITE_GENERIC);
}

static const char *as_dot(ct_function *f)
{
    return ct_function_text(f, CT_TEXT_DOT);
}

static const char *as_stats(ct_function *f)
{
    return ct_function_text(f, CT_TEXT_SUMMARY);
}

static const struct form_row {
    const char *name;
    const char *(*print)(ct_function *f);
} forms[] = {{"text", as_text}, {"generic", as_generic}, {"dot", as_dot}, {"stats", as_stats}};

static const struct form_row *find_form(void)
{
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        if (strcmp(forms[i].name, form ? form : "text") == 0)
            return &forms[i];
    usage_error(&text, "there is no form '%s'", form);
    return NULL;
}

static int show_part(const struct form_row *row, const char *path, const ct_stablehlo_part *part)
{
    ct_context *ctx = ct_context_new();
    ct_module *module = ct_read_stablehlo_lines_at(NOWHERE, ctx, path, part->text, part->length,
                                                   part->line);
    bool is_empty = !ct_failed(ctx) && ct_module_functions(module) == 0; /* comments alone */
    ct_function *f = is_empty ? NULL : ct_module_function_at(NOWHERE, module, entry);
    const char *printed = is_empty || ct_failed(ctx) ? "" : row->print(f);
    int status = ct_failed(ctx) ? input_error(ctx) : SUCCESS;
    fputs(printed, stdout);
    ct_context_free(ctx);
    return status;
}

/* Parts of a file stay parted. */
static int show_file(const struct form_row *row, const char *path)
{
    size_t length;
    int status = SUCCESS;
    char *program = read_file(path, &length);
    if (!program)
        return FAILURE;
    ct_stablehlo_part part = {0};
    while (status == SUCCESS && ct_stablehlo_next_part(program, length, &part)) {
        if (part.text != program)
            puts("\n// -----\n");
        status = show_part(row, path, &part);
    }
    free(program);
    return status;
}

int show(int argc, char **argv)
{
    word_list files = {0, NULL};
    int status;
    if (parse(&text, argc, argv, &files, &status)) {
        const struct form_row *row = find_form();
        status = FAILURE;
        if (row && files.count != 1)
            usage_error(&text, "it takes one FILE, not %zu", files.count);
        else if (row)
            status = show_file(row, files.word[0]);
    }
    free(files.word);
    return status;
}
