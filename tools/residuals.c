/* cotangent residuals FILE: what the reverse derivative of a program keeps. */
#include "tools/tools.h"

#include <cotangent/residuals.h>

#include <stdio.h>
#include <stdlib.h>

static program_words program;
static const char *wrt;

static const option options[] = {
    ENTRY_OPTION(program),
    {"--wrt", "0,2", "arguments to derive by, from 0; else all of floats or complex numbers", &wrt,
     NULL, NULL},
    SHAPES_OPTION(program),
    {"--input", "FILE", "a .npy or .npz with arguments, for the types of a template", NULL,
     &program.inputs, NULL},
};

static const verb_text text = {
    "residuals", "FILE",
    "What the reverse derivative of a function of a StableHLO program keeps between its forward\n"
    "and its backward half: a line for each value, with its bytes, its type, and the operation\n"
    "that makes it; then the sums.",
    options, sizeof options / sizeof *options};

static int print_residuals(ct_context *ctx, ct_function *f, array_list *list, const void *user)
{
    const number_list *by = user;
    ct_args args = wrt ? (ct_args){false, by->count, by->number} : CT_ALL_ARGS;
    const char *lines = ct_residuals_text(ct_residuals_at(list->at, f, args));
    if (ct_failed(ctx))
        return program_error(ctx, list->program);
    fputs(lines, stdout);
    return SUCCESS;
}

int residuals(int argc, char **argv)
{
    number_list by = {0, NULL};
    word_list files = {0, NULL};
    int status;
    if (parse(&text, argc, argv, &files, &status)) {
        status = FAILURE;
        if (check_words(&text, &files, &(run_words){.seed = NULL}) &&
            (!wrt || parse_numbers(&text, "--wrt", wrt, &by)))
            status = with_function(&text, files.word[0], &program, print_residuals, &by);
    }
    free(by.number);
    free(files.word);
    free(program.inputs.word);
    return status;
}
