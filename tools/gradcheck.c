/* cotangent gradcheck FILE: derivatives against differences of values. */
#include "tools/tools.h"

#include <cotangent/gradcheck.h>

#include <stdio.h>
#include <stdlib.h>

static program_words program;
static run_words how;
static const char *wrt, *directions;
static bool second_order, list_right, in_f64, is_json;

static const option options[] = {
    ENTRY_OPTION(program),
    {"--wrt", "0,2", "arguments to check, from 0; else all of floats", &wrt, NULL, NULL},
    SHAPES_OPTION(program),
    INPUT_OPTION(program),
    {"--random", "SEED", "make up arguments that no input gives; 0 without inputs", &how.seed, NULL,
     NULL},
    {"--directions", "N", "random directions per argument; else every element by itself",
     &directions, NULL, NULL},
    {"--second-order", NULL, "check the derivatives of the gradient as well", NULL, NULL,
     &second_order},
    {"--all", NULL, "list what is right, too", NULL, NULL, &list_right},
    {"--f64", NULL, "by differences in f64, as without MPFR", NULL, NULL, &in_f64},
    {"--json", NULL, "print one JSON object", NULL, NULL, &is_json},
};

static const verb_text text = {
    "gradcheck", "FILE",
    "Compare the derivatives of a function of a StableHLO program, forward and reverse, with\n"
    "differences of its values, in numbers of many bits, and find the operation that makes one\n"
    "wrong. Status 1 when one is wrong, or where there is none.",
    options, sizeof options / sizeof *options};

static int check_function(ct_context *ctx, ct_function *f, array_list *list, const void *user)
{
    const char *seed = how.seed || program.inputs.count > 0 ? how.seed : "0";
    if (!fit_inputs(ctx, f, list, seed))
        return FAILURE;
    ct_gradcheck_report *report = ct_gradcheck_at(list->at, f, CT_LIST(list->count, list->tensor),
                                                  user);
    if (ct_failed(ctx))
        return program_error(ctx, list->program);
    fputs(is_json ? ct_gradcheck_json(report) : ct_gradcheck_text(report), stdout);
    return ct_gradcheck_passed(report) ? SUCCESS : FAILED_CHECK;
}

int gradcheck(int argc, char **argv)
{
    ct_gradcheck_options asked = {.size = sizeof asked};
    number_list by = {0, NULL};
    word_list files = {0, NULL};
    long long count = 0;
    int status;
    if (parse(&text, argc, argv, &files, &status)) {
        status = FAILURE;
        if (check_words(&text, &files, &how) && (!wrt || parse_numbers(&text, "--wrt", wrt, &by)) &&
            (!directions || parse_number(&text, "--directions", directions, 1, 1000000, &count))) {
            asked.directions = (size_t)count;
            asked.seed = how.seed ? strtoull(how.seed, NULL, 10) : 0;
            asked.second_order = second_order;
            asked.list_right = list_right;
            asked.in_f64 = in_f64;
            asked.wrt = (ct_args){false, by.count, by.number};
            status = with_function(&text, files.word[0], &program, check_function, &asked);
        }
    }
    free(by.number);
    free(files.word);
    free(program.inputs.word);
    return status;
}
