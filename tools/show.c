/* cotangent show FILE: a program in other forms. */
#include "tools/steps.h"
#include "tools/tools.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static program_words program;
static const char *form, *after, *without;

static const option options[] = {
    {"--after", "PASS",
     "as the fast executors have it after the passes up to this one; \"all\" is all of them. They "
     "are in their order: inlining, identities, folding, branches, merging, dropping, dots, "
     "shifting, hoisting; "
     "and of steps, which are printed then: order, views, again, folds, fusion",
     &after, NULL, NULL},
    {"--without", "PASS,PASS", "with --after: but for these passes", &without, NULL, NULL},
    {"--as", "FORM",
     "text (else this, or steps for a pass of steps), generic, dot (for Graphviz), stats, or "
     "steps, in which the tile machine "
     "runs it",
     &form, NULL, NULL},
    ENTRY_OPTION(program),
    SHAPES_OPTION(program),
    {"--input", "FILE", "a .npy or .npz with arguments, for the types of a template", NULL,
     &program.inputs, NULL},
};

static const verb_text text = {
    "show", "FILE",
    "Print a function of a StableHLO program, with those that it calls, in one of several forms.\n"
    "Left out are functions that it does not call, operations whose results nothing uses, and "
    "with\n"
    "--entry the module's name and attributes. A program with extents \"?\" is printed as it is\n"
    "written, or as it is for the arguments that --shapes or --input gives.",
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
    const char *(*print)(ct_function *f); /* NULL: print_steps */
} forms[] = {{"text", as_text},
             {"generic", as_generic},
             {"dot", as_dot},
             {"stats", as_stats},
             {"steps", NULL}};

/* The function in this form, after the passes that are asked for. False after an error, of the
 * context if it has failed; then nothing is printed. */
static bool print(const struct form_row *row, ct_function *f)
{
    if (!row->print)
        return print_steps(f, after, without);
    if (after)
        f = ct_lower_at(NOWHERE, f, without, strcmp(after, "all") == 0 ? NULL : after);
    const char *printed = row->print(f);
    if (ct_failed(ct_function_context(f)))
        return false;
    fputs(printed, stdout);
    return true;
}

/* Whether the pass is about the steps of a plan, which come behind the rewrites. */
static bool is_of_steps(const char *pass)
{
    const char *name;
    bool is_behind = false;
    for (size_t i = 0; pass && (name = ct_pass_name(i, NULL)); i++) {
        is_behind = is_behind || strcmp(name, "order") == 0;
        if (strcmp(name, pass) == 0)
            return is_behind;
    }
    return false;
}

static const struct form_row *find_form(void)
{
    const char *name = form ? form : is_of_steps(after) ? "steps" : "text";
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        if (strcmp(forms[i].name, name) == 0)
            return &forms[i];
    usage_error(&text, "there is no form '%s'", form);
    return NULL;
}

/* A template has no graph: its text stands for it. */
static int print_template(const ct_context *ctx, const struct form_row *row,
                          const ct_stablehlo_part *part)
{
    if (row->print != as_text)
        return template_error(ctx, "--as text prints it as it is, --shapes or --input gives them");
    fwrite(part->text, 1, part->length, stdout);
    if (part->length > 0 && part->text[part->length - 1] != '\n')
        fputs("\n", stdout);
    return SUCCESS;
}

static int show_part(const struct form_row *row, const char *path, const ct_stablehlo_part *part,
                     bool *is_empty)
{
    ct_context *ctx = ct_context_new();
    ct_module *module = ct_read_stablehlo_lines_at(NOWHERE, ctx, path, part->text, part->length,
                                                   part->line);
    bool has_none = !ct_failed(ctx) && ct_module_functions(module) == 0; /* comments alone */
    bool is_read = !ct_failed(ctx);
    ct_function *f = has_none ? NULL : ct_module_function_at(NOWHERE, module, program.entry);
    bool is_template = is_read && ct_error_status(ctx) == CT_ERR_TYPE;
    const bool fine = has_none || (!ct_failed(ctx) && print(row, f));
    int status = fine              ? SUCCESS
                 : !ct_failed(ctx) ? FAILURE
                 : is_template     ? print_template(ctx, row, part)
                                   : input_error(ctx);
    *is_empty = *is_empty && has_none;
    ct_context_free(ctx);
    return status;
}

/* Parts of a file stay parted. */
static int show_file(const struct form_row *row, const char *path)
{
    size_t length;
    int status = SUCCESS;
    bool is_empty = true;
    char *whole = read_file(path, &length);
    if (!whole)
        return FAILURE;
    ct_stablehlo_part part = {0};
    while (status == SUCCESS && ct_stablehlo_next_part(whole, length, &part)) {
        if (part.text != whole)
            puts("\n// -----\n");
        status = show_part(row, path, &part, &is_empty);
    }
    free(whole);
    if (status != SUCCESS || !is_empty)
        return status;
    fprintf(stderr, "cotangent: %s: there is no function in it\n", path);
    return FAILURE;
}

/* For the arguments that are given. */
static int show_instance(ct_context *ctx, ct_function *f, array_list *list, const void *row)
{
    (void)list;
    if (print(row, f))
        return SUCCESS;
    return ct_failed(ctx) ? input_error(ctx) : FAILURE;
}

int show(int argc, char **argv)
{
    word_list files = {0, NULL};
    int status;
    if (parse(&text, argc, argv, &files, &status)) {
        const struct form_row *row = check_passes(&text, after) && check_passes(&text, without)
                                         ? find_form()
                                         : NULL;
        status = FAILURE;
        const bool is_fine = row && check_words(&text, &files, &(run_words){.without = without});
        if (is_fine && (program.shapes || program.inputs.count > 0))
            status = with_function(&text, files.word[0], &program, show_instance, row);
        else if (is_fine)
            status = show_file(row, files.word[0]);
    }
    free(files.word);
    free(program.inputs.word);
    return status;
}
