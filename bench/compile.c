/* How soon is a program ready to run? */
#include "bench.h"
#include "harness/options.h"
#include "harness/session.h"

#include <stdlib.h>

enum { MOST_ROUNDS = 101, LEAST_ROUNDS = 5, STEPS = 6 };

/* A session's steps, and their sum without the first run. */
static const char *const step_name[STEPS] = {"trace", "derive", "compile", "bind", "run", "ready"};

static void note(const session *s, double (*time)[MOST_ROUNDS], size_t round)
{
    const double seconds[STEPS] = {s->traced, s->derived, s->compiled,
                                   s->bound,  s->ran,     ready_seconds(s)};
    for (size_t i = 0; i < STEPS; i++)
        time[i][round] = seconds[i];
}

static bool sample_steps(const workload *w, const ct_compile_options *options, double seconds,
                         double (*time)[MOST_ROUNDS], size_t *rounds)
{
    bool fine = true;
    *rounds = 0;
    for (double end = now() + seconds;
         fine && *rounds < MOST_ROUNDS && (*rounds < LEAST_ROUNDS || now() < end); ++*rounds) {
        session s;
        fine = open_session(&s, w, options);
        note(&s, time, *rounds);
        close_session(&s);
    }
    for (size_t i = 0; i < STEPS; i++)
        qsort(time[i], *rounds, sizeof(double), by_value);
    return fine;
}

static void print_row(const workload *w, const char *way, double (*time)[MOST_ROUNDS],
                      size_t rounds, bool is_json)
{
    if (is_json)
        printf("{\"workload\": \"%s\", \"mode\": \"%s\", \"executor\": \"%s\", \"rounds\": %zu",
               w->name, mode_name(w->mode), way, rounds);
    else
        printf("%-25s %-5s %-9s", w->name, mode_name(w->mode), way);
    for (size_t i = 0; i < STEPS; i++)
        if (is_json)
            printf(", \"%s_ms\": %.7g", step_name[i], 1e3 * time[i][rounds / 2]);
        else
            printf(" %9.4f", 1e3 * time[i][rounds / 2]);
    printf(is_json ? "}\n" : "  (%.4f … %.4f)\n", 1e3 * time[STEPS - 1][0],
           1e3 * time[STEPS - 1][rounds - 1]);
    fflush(stdout);
}

static bool bench(const workload *w, const char *way, const bench_options *o)
{
    static double time[STEPS][MOST_ROUNDS];
    ct_compile_options options = {.size = sizeof options};
    size_t rounds;
    bool fine = find_way(way, &options) && sample_steps(w, &options, o->seconds, time, &rounds);
    if (fine)
        print_row(w, way, time, rounds, o->is_json);
    return fine;
}

static void print_heading(void)
{
    printf("medians in ms; ready: all but the first run (least … most)\n%-41s", "program");
    for (size_t i = 0; i < STEPS; i++)
        printf(" %9s", step_name[i]);
    printf("\n");
}

int main(int argc, char **argv)
{
    bench_options o;
    const workload *w;
    const char *way;
    bool fine = true;
    if (!parse_options(argc, argv,
                       "how long does it take from a C function to a program that is ready to run?",
                       &o))
        return 2;
    if (!o.is_json)
        print_heading();
    for (size_t i = 0; (w = workload_at(i)); i++)
        for (size_t k = 0; is_wanted(&o, w->name) && (way = way_name(k)); k++)
            if (is_way_wanted(&o, way))
                fine = bench(w, way, &o) && fine;
    return fine ? 0 : 1;
}
