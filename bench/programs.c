/* How fast are whole programs, values and gradients, in each way to run?
 *
 *   programs [--exec NAME|all] [--seconds S] [--json] [PART OF A NAME...]
 *   programs --serve      commands on stdin, an answer in JSON for each on stdout: bench/peers.py
 *   programs --list */
#include "bench.h"
#include "harness/options.h"
#include "harness/serve.h"
#include "harness/session.h"

static bool run_once(void *user)
{
    return ct_run(user) == CT_OK;
}

static void print_row(const session *s, const char *way, const sample *t, bool is_json)
{
    const workload *w = s->workload;
    if (is_json) {
        printf("{\"workload\": \"%s\", \"mode\": \"%s\", \"executor\": \"%s\", ", w->name,
               mode_name(w->mode), way);
        print_sample_json(t);
        printf(", \"ready_ms\": %.7g, \"first_ms\": %.7g}\n", 1e3 * ready_seconds(s),
               1e3 * first_seconds(s));
    } else {
        printf("%-25s %-9s %-5s ", w->name, way, mode_name(w->mode));
        print_sample(t);
        printf("  ready %8.3f ms\n", 1e3 * ready_seconds(s));
    }
    fflush(stdout);
}

static bool bench(const workload *w, const char *way, const bench_options *o)
{
    ct_compile_options options = {.size = sizeof options};
    session s;
    sample t;
    bool fine = find_way(way, &options) && open_session(&s, w, &options);
    if (fine)
        settle_session(&s);
    fine = fine && take_sample(run_once, s.run, o->seconds, &t);
    if (fine)
        print_row(&s, way, &t, o->is_json);
    close_session(&s);
    return fine;
}

static bool bench_all(const bench_options *o)
{
    const workload *w;
    const char *way;
    char name[128];
    bool fine = true;
    for (size_t i = 0; (w = workload_at(i)); i++) {
        snprintf(name, sizeof name, "%s %s", w->name, mode_name(w->mode));
        for (size_t k = 0; is_wanted(o, name) && (way = way_name(k)); k++)
            if (is_way_wanted(o, way))
                fine = bench(w, way, o) && fine;
    }
    return fine;
}

static int list(void)
{
    const workload *w;
    for (size_t i = 0; (w = workload_at(i)); i++)
        printf("%s %s\n", w->name, mode_name(w->mode));
    return 0;
}

int main(int argc, char **argv)
{
    bench_options o;
    if (argc == 2 && strcmp(argv[1], "--serve") == 0)
        return serve();
    if (argc == 2 && strcmp(argv[1], "--list") == 0)
        return list();
    if (!parse_options(argc, argv,
                       "how long does one run of a program take, bound to its buffers, on one "
                       "thread?",
                       &o))
        return 2;
    return bench_all(&o) ? 0 : 1;
}
