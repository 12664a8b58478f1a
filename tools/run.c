/* cotangent run FILE: run a program on arrays. */
#include "tools/tools.h"

#include <stdlib.h>

static program_words program;
static run_words how;

static const option options[] = {
    ENTRY_OPTION(program), SHAPES_OPTION(program), INPUT_OPTION(program), RANDOM_OPTION(how),
    OUTPUT_OPTION(how),    EXEC_OPTION(how),       WITHOUT_OPTION(how)};

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
    int status = name ? run_function(ctx, f, list, &how, name) : FAILURE;
    free(name);
    return status;
}

int run(int argc, char **argv)
{
    word_list files = {0, NULL};
    int status;
    if (parse(&text, argc, argv, &files, &status)) {
        status = FAILURE;
        if (check_words(&text, &files, &how))
            status = with_function(&text, files.word[0], &program, run_it, NULL);
    }
    free(files.word);
    free(program.inputs.word);
    return status;
}
