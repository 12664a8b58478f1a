#include "serve.h"

#include "../bench.h"
#include "memory.h"
#include "sample.h"
#include "session.h"

#include <stdlib.h>

static session current;
static bool is_open;

static void answer_error(const char *text)
{
    printf("{\"error\": \"%s\"}\n", text);
}

static void close_current(void)
{
    if (is_open)
        close_session(&current);
    is_open = false;
}

/* The session's figures. */
static void answer_opened(const session *s)
{
    const ct_executable_state state = ct_executable_status(s->executable);
    printf("{\"trace_ms\": %.7g, \"derive_ms\": %.7g, \"compile_ms\": %.7g, \"bind_ms\": %.7g, "
           "\"ready_ms\": %.7g, \"first_ms\": %.7g, ",
           1e3 * s->traced, 1e3 * s->derived, 1e3 * s->compiled, 1e3 * s->bound,
           1e3 * ready_seconds(s), 1e3 * first_seconds(s));
    printf("\"derived_by\": %zu, \"bytes\": %zu, \"block_bytes\": %zu, \"flops\": %llu, ",
           s->workload->n_wrt, session_bytes(s), ct_executable_block_bytes(s->executable),
           (unsigned long long)ct_function_flops(s->function));
    printf("\"kernels\": %zu, \"compiled\": %zu, \"failed\": %zu}\n", state.kernels, state.compiled,
           state.failed);
}

static void answer_open(char *name, char *how, char *way)
{
    ct_compile_options options = {.size = sizeof options};
    const workload *w = name && how ? find_workload(name, how) : NULL;
    close_current();
    if (!w || !way || !find_way(way, &options)) {
        answer_error("no such workload, or no such way to run it");
        return;
    }
    is_open = open_session(&current, w, &options);
    if (!is_open) {
        close_session(&current);
        answer_error("it cannot be made ready");
        return;
    }
    settle_session(&current);
    answer_opened(&current);
}

static bool run_once(void *user)
{
    return ct_run(user) == CT_OK;
}

static void answer_run(const char *seconds)
{
    sample t;
    forget_peak();
    if (!take_sample(run_once, current.run, seconds ? atof(seconds) : 0.2, &t)) {
        answer_error("the run failed");
        return;
    }
    printf("{");
    print_sample_json(&t);
    printf(", \"peak_kib\": %ld}\n", peak_kib() - current.base_kib);
}

static void answer_write(const char *dir)
{
    if (dir && write_session(&current, dir))
        printf("{\"inputs\": %zu, \"results\": %zu}\n", current.n_inputs, current.n_results);
    else
        answer_error("the files cannot be written");
}

static void answer(char *line)
{
    static const char blank[] = " \n";
    char *rest, *verb = strtok_r(line, blank, &rest), *word = strtok_r(NULL, blank, &rest);
    if (verb && strcmp(verb, "open") == 0) {
        char *how = strtok_r(NULL, blank, &rest);
        answer_open(word, how, strtok_r(NULL, blank, &rest));
    } else if (verb && is_open && strcmp(verb, "run") == 0) {
        answer_run(word);
    } else if (verb && is_open && strcmp(verb, "write") == 0) {
        answer_write(word);
    } else if (verb && strcmp(verb, "close") == 0) {
        close_current();
        printf("{}\n");
    } else {
        answer_error("no such command, or no workload is open");
    }
}

int serve(void)
{
    char line[4096];
    while (fgets(line, sizeof line, stdin)) {
        answer(line);
        fflush(stdout);
    }
    close_current();
    return 0;
}
