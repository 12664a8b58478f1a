/* cotangent run FILE: run a program on arrays. */
#include "tools/tools.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char *entry, *output, *seed, *executor;
static word_list inputs;

static const option options[] = {
    {"--entry", "NAME", "the function; else main, or the only one", &entry, NULL, NULL},
    {"--input", "FILE", "an argument from a .npy, or several from a .npz; may be repeated", NULL,
     &inputs, NULL},
    {"--random", "SEED", "make up arguments that no input gives", &seed, NULL, NULL},
    {"--output", "DIR|FILE.npz", "write the results instead of printing them", &output, NULL, NULL},
    {"--exec", "HOW", "interpret: the definition, in reference numerics", &executor, NULL, NULL},
};

static const verb_text text = {
    "run", "FILE",
    "Run a function of a StableHLO program and print its results. Arrays of raw bytes (u8) serve\n"
    "for the 8-bit and narrower types that NumPy has no names for.",
    options, sizeof options / sizeof *options};

/* ---- Results. */

static void print_results(ct_tensor *const *result, size_t count)
{
    for (size_t i = 0; i < count; i++)
        printf("result %zu: %s\n%s\n", i, ct_type_text(result[i]), ct_text(result[i]));
}

static int write_folder(ct_context *ctx, ct_tensor *const *result, size_t count)
{
    char path[4096];
    if (mkdir(output, 0777) != 0 && errno != EEXIST) {
        fprintf(stderr, "cotangent: %s: %s\n", output, strerror(errno));
        return FAILURE;
    }
    for (size_t i = 0; i < count; i++) {
        snprintf(path, sizeof path, "%s/result_%zu.npy", output, i);
        ct_write_npy_at(NOWHERE, result[i], path);
    }
    return ct_failed(ctx) ? input_error(ctx) : SUCCESS;
}

static int write_archive(ct_context *ctx, ct_tensor *const *result, size_t count)
{
    char(*name)[32] = malloc((count + 1) * sizeof *name);
    const char **names = malloc((count + 1) * sizeof *names);
    for (size_t i = 0; name && names && i < count; i++) {
        snprintf(name[i], sizeof name[i], "result_%zu", i);
        names[i] = name[i];
    }
    if (name && names)
        ct_write_npz_at(NOWHERE, ctx, output, names, CT_LIST(count, result));
    else
        fprintf(stderr, "cotangent: out of memory\n");
    int status = !name || !names ? FAILURE : ct_failed(ctx) ? input_error(ctx) : SUCCESS;
    free(names);
    free(name);
    return status;
}

static int give(ct_context *ctx, ct_tensor *const *result, size_t count)
{
    size_t length = output ? strlen(output) : 0;
    if (!output)
        print_results(result, count);
    else if (length > 4 && strcmp(output + length - 4, ".npz") == 0)
        return write_archive(ctx, result, count);
    else
        return write_folder(ctx, result, count);
    return SUCCESS;
}

/* ---- Running. */

/* What the program checked and printed. */
static int report(const ct_checks *checks)
{
    fputs(ct_checks_printed(checks), stdout);
    for (size_t i = 0; i < ct_checks_failed(checks); i++)
        printf("%s\n", ct_checks_failure(checks, i));
    return ct_checks_failed(checks) ? FAILED_CHECK : SUCCESS;
}

static int run_function(ct_context *ctx, ct_function *f, array_list *list)
{
    ct_checks *checks = ct_checks_new_at(NOWHERE, ctx);
    size_t count = ct_function_results(f);
    ct_tensor **result = calloc(count + 1, sizeof *result);
    int status = FAILURE;
    if (!result)
        fprintf(stderr, "cotangent: out of memory\n");
    else if (fit_inputs(ctx, f, list, seed)) {
        ct_executable *executable = ct_compile_at(NOWHERE, f, NULL);
        ct_call_at(NOWHERE, executable, CT_LIST(list->count, list->tensor), result, count);
        int found = report(checks);
        status = ct_failed(ctx) ? input_error(ctx) : give(ctx, result, count);
        status = status == SUCCESS ? found : status;
    }
    free(result);
    return status;
}

static int run_file(const char *path)
{
    ct_context *ctx = ct_context_new();
    array_list list = {0, 0, NULL};
    int status = FAILURE;
    if (read_inputs(ctx, &inputs, &list)) {
        ct_function *f = load_function(ctx, path, entry, CT_LIST(list.count, list.tensor));
        status = ct_failed(ctx) ? input_error(ctx) : run_function(ctx, f, &list);
    }
    free(list.tensor);
    ct_context_free(ctx);
    return status;
}

int run(int argc, char **argv)
{
    word_list files = {0, NULL};
    long long number;
    int status;
    if (parse(&text, argc, argv, &files, &status)) {
        status = FAILURE;
        if (files.count != 1)
            usage_error(&text, "it takes one FILE, not %zu", files.count);
        else if (executor && strcmp(executor, "interpret") != 0)
            usage_error(&text, "there is no way to run called '%s'", executor);
        else if (!seed || parse_number(&text, "--random", seed, 0, INT64_MAX, &number))
            status = run_file(files.word[0]);
    }
    free(files.word);
    free(inputs.word);
    return status;
}
