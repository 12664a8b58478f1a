/* cotangent check --against mpfr:BITS FILE...: how far the values of a program are from exact ones.
 */
#include "tools/tools.h"

#include <cotangent/compare.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What is asked for, of all files. */
typedef struct asked {
    const run_words *how;
    size_t bits, most;
} asked;

static int compare(ct_context *ctx, ct_function *f, array_list *list, const void *user)
{
    const asked *a = user;
    const ct_compare_options options = {
        .size = sizeof options, .executor = options_for(a->how).executor, .bits = a->bits};
    if (!fit_inputs(ctx, f, list, a->how->seed ? a->how->seed : "0"))
        return FAILURE;
    const ct_accuracy *found = ct_compare_at(NOWHERE, f, CT_LIST(list->count, list->tensor),
                                             &options);
    if (ct_failed(ctx))
        return program_error(ctx, list->program);
    fputs(ct_accuracy_text(found, a->most), stdout);
    return SUCCESS;
}

/* The arguments that the file gives for itself. */
static int compare_golden(const char *path, const asked *a)
{
    ct_context *ctx = ct_context_new();
    array_list list = {.checks = ct_checks_new_at(NOWHERE, ctx), .program = path};
    ct_module *module = ct_read_stablehlo_at(NOWHERE, ctx, path);
    ct_function *inputs = ct_module_function_at(NOWHERE, module, "inputs");
    list.count = ct_function_results(inputs);
    list.tensor = calloc(list.count + 1, sizeof *list.tensor);
    int status = FAILURE;
    if (list.tensor) {
        ct_call_at(NOWHERE, ct_compile_at(NOWHERE, inputs, NULL), CT_NO_TENSORS, list.tensor,
                   list.count);
        ct_function *f = ct_module_function_at(NOWHERE, module, "main");
        status = ct_failed(ctx) ? program_error(ctx, path) : compare(ctx, f, &list, a);
    } else {
        fprintf(stderr, "cotangent: out of memory\n");
    }
    free(list.tensor);
    ct_context_free(ctx);
    return status;
}

static bool is_golden(const char *path)
{
    ct_context *ctx = ct_context_new();
    ct_module *module = ct_read_stablehlo_at(NOWHERE, ctx, path);
    bool is = ct_module_expects_derivatives(module) && ct_module_parameters(module, "main") > 0;
    ct_context_free(ctx);
    return is;
}

/* "mpfr", "mpfr:BITS" */
static bool parse_bits(const verb_text *verb, const char *against, size_t *bits)
{
    long long number = 256;
    if (strcmp(against, "mpfr") != 0 && strncmp(against, "mpfr:", 5) != 0)
        return usage_error(verb, "--against takes mpfr:BITS, not '%s'", against), false;
    if (against[4] && !parse_number(verb, "--against mpfr:", against + 5, 64, 1 << 20, &number))
        return false;
    *bits = (size_t)number;
    return true;
}

/* Parts that are wrong on purpose have nothing to compare. */
static int compare_parts(const verb_text *verb, const char *path, const char *text, size_t length,
                         const program_words *program, const asked *a)
{
    ct_stablehlo_part part = {0};
    int status = SUCCESS;

    for (size_t i = 1; ct_stablehlo_next_part(text, length, &part); i++) {
        if (ct_stablehlo_expected_error(part.text, part.length, 0) > 0)
            continue;
        printf("%spart %zu, line %d:\n", i > 1 ? "\n" : "", i, part.line);
        if (with_part(verb, path, &part, program, compare, a) != SUCCESS)
            status = FAILURE;
    }
    return status;
}

static int compare_file(const verb_text *verb, const char *path, const program_words *program,
                        const asked *a)
{
    size_t length;
    char *text = read_file(path, &length);
    int status = FAILURE;

    if (!text)
        return FAILURE;
    if (ct_stablehlo_parts(text, length) > 1)
        status = compare_parts(verb, path, text, length, program, a);
    else if (program->inputs.count == 0 && !program->entry && is_golden(path))
        status = compare_golden(path, a);
    else
        status = with_function(verb, path, program, compare, a);
    free(text);
    return status;
}

int check_against(const verb_text *verb, const word_list *files, const char *against,
                  const program_words *program, const run_words *how)
{
    asked a = {.how = how, .most = 20};
    int status = SUCCESS;
    if (!parse_bits(verb, against, &a.bits) || !check_way(verb, how))
        return FAILURE;
    if (options_for(how).executor >= CT_EXECUTOR_MPFR)
        return usage_error(verb, "--exec says what is compared with --against: a way to run in "
                                 "machine numbers");
    for (size_t i = 0; i < files->count; i++) {
        const char *path = files->word[i];
        if (files->count > 1)
            printf("%s%s:\n", i ? "\n" : "", path);
        const int one = compare_file(verb, path, program, &a);
        status = one == SUCCESS ? status : one;
    }
    return status;
}
