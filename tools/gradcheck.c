/* cotangent gradcheck FILE: derivatives against differences of values. */
#include "tools/tools.h"

#include <cotangent/gradcheck.h>

#include <stdio.h>
#include <stdlib.h>

static const char *entry, *wrt, *seed, *directions;
static word_list inputs;
static bool second_order, list_right;

static const option options[] = {
    {"--entry", "NAME", "the function; else main, or the only one", &entry, NULL, NULL},
    {"--wrt", "0,2", "arguments to check, from 0; else all of floats", &wrt, NULL, NULL},
    {"--input", "FILE", "an argument from a .npy, or several from a .npz; may be repeated", NULL,
     &inputs, NULL},
    {"--random", "SEED", "make up arguments that no input gives; 0 without inputs", &seed, NULL,
     NULL},
    {"--directions", "N", "random directions per argument; else every element by itself",
     &directions, NULL, NULL},
    {"--second-order", NULL, "check the derivatives of the gradient as well", NULL, NULL,
     &second_order},
    {"--all", NULL, "list what is right, too", NULL, NULL, &list_right},
};

static const verb_text text = {
    "gradcheck", "FILE",
    "Compare the derivatives of a function of a StableHLO program, forward and reverse, with\n"
    "differences of its values, in f64. Status 1 when one is wrong, or where there is none.",
    options, sizeof options / sizeof *options};

static int check_function(ct_context *ctx, ct_function *f, array_list *list, const void *user)
{
    const ct_gradcheck_options *how = user;
    if (!fit_inputs(ctx, f, list, seed || inputs.count > 0 ? seed : "0"))
        return FAILURE;
    ct_gradcheck_report *report = ct_gradcheck_at(NOWHERE, f, CT_LIST(list->count, list->tensor),
                                                  how);
    if (ct_failed(ctx))
        return program_error(ctx, list->program);
    fputs(ct_gradcheck_text(report), stdout);
    return ct_gradcheck_passed(report) ? SUCCESS : FAILED_CHECK;
}

int gradcheck(int argc, char **argv)
{
    ct_gradcheck_options how = {.size = sizeof how};
    number_list by = {0, NULL};
    word_list files = {0, NULL};
    long long count = 0, number = 0;
    int status;
    if (parse(&text, argc, argv, &files, &status)) {
        status = FAILURE;
        if (check_words(&text, &files, NULL) && (!wrt || parse_numbers(&text, "--wrt", wrt, &by)) &&
            (!directions || parse_number(&text, "--directions", directions, 1, 1000000, &count)) &&
            (!seed || parse_number(&text, "--random", seed, 0, INT64_MAX, &number))) {
            how.directions = (size_t)count;
            how.seed = (uint64_t)number;
            how.second_order = second_order;
            how.list_right = list_right;
            how.wrt = (ct_args){false, by.count, by.number};
            status = with_function(files.word[0], entry, &inputs, check_function, &how);
        }
    }
    free(by.number);
    free(files.word);
    free(inputs.word);
    return status;
}
