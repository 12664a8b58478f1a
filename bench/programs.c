/* How fast are whole programs, values and gradients, in each executor?
 *
 *   programs [--exec NAME|all] [--seconds S] [--json] [PART OF A NAME...]
 *   programs --serve      commands on stdin, an answer in JSON for each on stdout: bench/peers.py
 *   programs --list */
#include "bench.h"
#include "harness/sample.h"
#include "harness/serve.h"
#include "harness/session.h"

#include <stdlib.h>

typedef struct settings {
    const char *executor; /* "all": each */
    double seconds;       /* of measuring a row */
    bool is_json;
    int n_parts;
    char **part;
} settings;

static bool run_once(void *user)
{
    return ct_run(user) == CT_OK;
}

static void print_row(const session *s, const char *executor, const sample *t, bool is_json)
{
    const workload *w = s->workload;
    if (is_json) {
        printf("{\"workload\": \"%s\", \"mode\": \"%s\", \"executor\": \"%s\", ", w->name,
               mode_name(w->mode), executor);
        print_sample_json(t);
        printf(", \"ready_ms\": %.7g, \"first_ms\": %.7g}\n", 1e3 * ready_seconds(s),
               1e3 * first_seconds(s));
    } else {
        printf("%-25s %-9s %-5s ", w->name, executor, mode_name(w->mode));
        print_sample(t);
        printf("  ready %8.3f ms\n", 1e3 * ready_seconds(s));
    }
    fflush(stdout);
}

static bool bench(const workload *w, const char *executor, const settings *how)
{
    ct_compile_options options = {.size = sizeof options};
    session s;
    sample t;
    bool fine = find_executor(executor, &options.executor) && open_session(&s, w, &options);
    fine = fine && take_sample(run_once, s.run, how->seconds, &t);
    if (fine)
        print_row(&s, executor, &t, how->is_json);
    close_session(&s);
    return fine;
}

static bool is_wanted(const workload *w, const settings *how)
{
    char name[128];
    snprintf(name, sizeof name, "%s %s", w->name, mode_name(w->mode));
    bool found = how->n_parts == 0;
    for (int i = 0; i < how->n_parts; i++)
        found = found || strstr(name, how->part[i]);
    return found;
}

static bool bench_all(const settings *how)
{
    const workload *w;
    const char *executor;
    bool fine = true;
    if (!how->is_json) {
        printf("question: how long does one run of a program take, bound to its buffers, on one "
               "thread?\n");
        print_machine();
    }
    for (size_t i = 0; (w = workload_at(i)); i++)
        for (size_t k = 0; is_wanted(w, how) && (executor = executor_name(k)); k++)
            if (strcmp(how->executor, "all") == 0 || strcmp(how->executor, executor) == 0)
                fine = bench(w, executor, how) && fine;
    return fine;
}

static int list(void)
{
    const workload *w;
    for (size_t i = 0; (w = workload_at(i)); i++)
        printf("%s %s\n", w->name, mode_name(w->mode));
    return 0;
}

static int usage(void)
{
    fprintf(stderr, "usage: programs [--exec NAME|all] [--seconds S] [--json] [PART...]\n"
                    "       programs --serve | --list\n");
    return 2;
}

int main(int argc, char **argv)
{
    settings how = {.executor = executor_name(0), .seconds = 1};
    int i = 1;
    for (; i < argc && strncmp(argv[i], "--", 2) == 0; i++) {
        if (strcmp(argv[i], "--serve") == 0)
            return serve();
        if (strcmp(argv[i], "--list") == 0)
            return list();
        if (strcmp(argv[i], "--json") == 0)
            how.is_json = true;
        else if (strcmp(argv[i], "--exec") == 0 && i + 1 < argc)
            how.executor = argv[++i];
        else if (strcmp(argv[i], "--seconds") == 0 && i + 1 < argc)
            how.seconds = atof(argv[++i]);
        else
            return usage();
    }
    how.n_parts = argc - i;
    how.part = argv + i;
    return bench_all(&how) ? 0 : 1;
}
