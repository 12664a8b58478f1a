/* cotangent run FILE: run a program on arrays. */
#include "tools/bound.h"

#include <stdlib.h>

static program_words program;
static run_words how;
static bool has_profile;

static const option options[] = {ENTRY_OPTION(program),
                                 SHAPES_OPTION(program),
                                 INPUT_OPTION(program),
                                 RANDOM_OPTION(how),
                                 OUTPUT_OPTION(how),
                                 EXEC_OPTION(how),
                                 WITHOUT_OPTION(how),
                                 TRAP_OPTION(how),
                                 PRINT_OPTION(how),
                                 {"--profile", NULL,
                                  "run it again and say on stderr where the time goes", NULL, NULL,
                                  &has_profile}};

static const verb_text text = {
    "run", "FILE",
    "Run a function of a StableHLO program and print its results. Arrays of raw bytes (u8) serve\n"
    "for the 8-bit and narrower types that NumPy has no names for. Quantized tensors are read and\n"
    "written as the integers that they store, tuples element by element.",
    options, sizeof options / sizeof *options};

static bool profile(ct_context *ctx, ct_function *f, const array_list *list)
{
    static const double seconds = 0.3;
    machine_limits limits;
    bound b = {0};
    const bool fine = bind_function(ctx, f, list, &how, &b) && find_limits(&limits) &&
                      profile_bound(stderr, &b, seconds, &limits, false);
    free_bound(&b);
    return fine;
}

static int run_it(ct_context *ctx, ct_function *f, array_list *list, const void *user)
{
    (void)user;
    result_name *name = name_results(f, "result");
    int status = name ? run_function(ctx, f, list, &how, name) : FAILURE;
    free(name);
    if (has_profile && status != FAILURE && !profile(ctx, f, list))
        status = FAILURE;
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
