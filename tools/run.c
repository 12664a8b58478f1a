/* cotangent run FILE: run a program on arrays. */
#include "tools/tools.h"

#include <stdlib.h>

static const char *entry, *output, *seed, *executor;
static word_list inputs;

static const option options[] = {
    {"--entry", "NAME", "the function; else main, or the only one", &entry, NULL, NULL},
    {"--input", "FILE", "an argument from a .npy, or several from a .npz; may be repeated", NULL,
     &inputs, NULL},
    {"--random", "SEED", "make up arguments that no input gives", &seed, NULL, NULL},
    {"--output", "DIR|FILE.npz", "write the results instead of printing them", &output, NULL, NULL},
    EXEC_OPTION(&executor),
};

static const verb_text text = {
    "run", "FILE",
    "Run a function of a StableHLO program and print its results. Arrays of raw bytes (u8) serve\n"
    "for the 8-bit and narrower types that NumPy has no names for. Quantized tensors are read and\n"
    "written as the integers that they store, tuples element by element.",
    options, sizeof options / sizeof *options};

static int run_it(ct_context *ctx, ct_function *f, array_list *list, const void *user)
{
    (void)user;
    result_name *name = name_results(f, "result");
    int status = name ? run_function(ctx, f, list, seed, name, output) : FAILURE;
    free(name);
    return status;
}

int run(int argc, char **argv)
{
    word_list files = {0, NULL};
    long long number;
    int status;
    if (parse(&text, argc, argv, &files, &status)) {
        status = FAILURE;
        if (check_words(&text, &files, executor) &&
            (!seed || parse_number(&text, "--random", seed, 0, INT64_MAX, &number)))
            status = with_function(files.word[0], entry, &inputs, run_it, NULL);
    }
    free(files.word);
    free(inputs.word);
    return status;
}
