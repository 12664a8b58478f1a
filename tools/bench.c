/* cotangent bench FILE: how long a program takes. */
#include "bench/bench.h"
#include "tools/bound.h"
#include "tools/cpu_profile.h"

#include <inttypes.h>
#include <stdlib.h>

static program_words program;
static run_words how;
static const char *seconds_text, *limits_text, *samples_file;
static bool is_json, has_profile;
static double seconds = 1;
static machine_limits limits;

static const option options[] = {
    ENTRY_OPTION(program),
    SHAPES_OPTION(program),
    INPUT_OPTION(program),
    RANDOM_OPTION(how),
    EXEC_OPTION(how),
    WITHOUT_OPTION(how),
    {"--seconds", "S", "how long it is run; 1 unless told", &seconds_text, NULL, NULL},
    {"--profile", NULL, "time each step of it too", NULL, NULL, &has_profile},
    {"--limits", "GB,GF", "billions of bytes and of f32 operations a second, not found by a trial",
     &limits_text, NULL, NULL},
    {"--cpu-profile", "FILE", "samples by gperftools, for pprof", &samples_file, NULL, NULL},
    {"--json", NULL, "one object a line", NULL, NULL, &is_json},
};

static const verb_text text = {"bench", "FILE",
                               "Time a function of a StableHLO program, bound to its arguments, on "
                               "one thread. Arguments that\n"
                               "no input gives are made up.",
                               options, sizeof options / sizeof *options};

/* What became of steps that can be compiled, and why some are not. */
static void print_state(const ct_executable *executable)
{
    const ct_executable_state state = ct_executable_status(executable);
    if (state.kernels > 0)
        printf("compiled C: %zu of %zu steps, %zu waiting%s%s\n", state.compiled, state.kernels,
               state.waiting, state.reason[0] ? "; " : "", state.reason);
}

static void print_times(const ct_function *f, const bound *b, const sample *s)
{
    const uint64_t flops = ct_function_flops(f);
    const double least = least_seconds(&limits, b->bytes, flops);
    if (is_json) {
        printf("{\"function\": \"%s\", ", ct_function_name(f));
        print_sample_json(s);
        printf(", \"compile_ms\": %.6g, \"bytes\": %" PRIu64 ", \"block_bytes\": %zu, "
               "\"flops\": %" PRIu64 ", \"share_of_limit\": %.4g}\n",
               1e3 * b->compiling, b->bytes, ct_executable_block_bytes(b->executable), flops,
               least / s->median);
        return;
    }
    printf("%s: ", ct_function_name(f));
    print_sample(s);
    printf("  (%zu readings)\ncompiled in %.3f ms; %" PRIu64 " bytes of arguments and results, %zu "
           "between them, %" PRIu64 " flops: %.2f GB/s, %.2f GF/s, %.0f %% of the limit\n",
           s->runs, 1e3 * b->compiling, b->bytes, ct_executable_block_bytes(b->executable), flops,
           1e-9 * (double)b->bytes / s->median, 1e-9 * (double)flops / s->median,
           100 * least / s->median);
    print_state(b->executable);
}

static bool time_runs(const ct_function *f, bound *b)
{
    sample s;
    if (samples_file && !begin_cpu_profile(samples_file))
        return false;
    const bool fine = take_sample(run_bound, b, seconds, &s);
    if (samples_file)
        end_cpu_profile();
    if (fine)
        print_times(f, b, &s);
    else
        fprintf(stderr, "cotangent: %s\n", ct_instance_error(b->run));
    return fine;
}

static int bench_it(ct_context *ctx, ct_function *f, array_list *list, const void *user)
{
    bound b = {0};
    (void)user;
    const bool fine = fit_inputs(ctx, f, list, how.seed ? how.seed : "0") &&
                      bind_function(ctx, f, list, &how, &b) && time_runs(f, &b) &&
                      (!has_profile || profile_bound(stdout, &b, seconds, &limits, is_json));
    free_bound(&b);
    return fine ? SUCCESS : FAILURE;
}

/* ---- Numbers in options. */

static bool read_seconds(void)
{
    char *end = NULL;
    if (!seconds_text)
        return true;
    seconds = strtod(seconds_text, &end);
    if (end != seconds_text && *end == '\0' && seconds >= 0 && seconds <= 3600)
        return true;
    usage_error(&text, "--seconds takes a number of seconds, not '%s'", seconds_text);
    return false;
}

static bool read_limits(void)
{
    char end;
    if (limits_text) {
        const int n = sscanf(limits_text, "%lf,%lf%c", &limits.copy, &limits.flops, &end);
        limits.copy *= 1e9;
        limits.flops *= 1e9;
        if (n == 2 && limits.copy > 0 && limits.flops > 0)
            return true;
        usage_error(&text, "--limits takes two numbers, '12.5,90', not '%s'", limits_text);
        return false;
    }
    if (!find_limits(&limits))
        fprintf(stderr, "cotangent: out of memory\n");
    return limits.copy > 0;
}

int bench(int argc, char **argv)
{
    word_list files = {0, NULL};
    int status;
    if (parse(&text, argc, argv, &files, &status)) {
        status = FAILURE;
        if (check_words(&text, &files, &how) && read_seconds() && read_limits())
            status = with_function(&text, files.word[0], &program, bench_it, NULL);
    }
    free(files.word);
    free(program.inputs.word);
    return status;
}
