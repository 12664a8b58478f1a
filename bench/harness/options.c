#include "options.h"

#include "../bench.h"
#include "session.h"

#include <stdlib.h>

static bool usage(const char *self)
{
    fprintf(stderr, "usage: %s [--exec NAME|all] [--seconds S] [--json] [PART OF A NAME...]\n",
            self);
    return false;
}

static void print_question(const char *question)
{
    printf("question: %s\n", question);
    print_machine();
}

bool parse_options(int argc, char **argv, const char *question, bench_options *o)
{
    int i = 1;
    *o = (bench_options){.way = "cpu", .seconds = 1};
    for (; i < argc && strncmp(argv[i], "--", 2) == 0; i++)
        if (strcmp(argv[i], "--json") == 0)
            o->is_json = true;
        else if (strcmp(argv[i], "--exec") == 0 && i + 1 < argc)
            o->way = argv[++i];
        else if (strcmp(argv[i], "--seconds") == 0 && i + 1 < argc)
            o->seconds = atof(argv[++i]);
        else
            return usage(argv[0]);
    o->n_parts = argc - i;
    o->part = argv + i;
    if (!o->is_json)
        print_question(question);
    return true;
}

bool is_wanted(const bench_options *o, const char *name)
{
    bool found = o->n_parts == 0;
    for (int i = 0; i < o->n_parts; i++)
        found = found || strstr(name, o->part[i]);
    return found;
}

bool is_way_wanted(const bench_options *o, const char *name)
{
    return strcmp(o->way, "all") == 0 || strcmp(o->way, name) == 0;
}

void print_rate(const bench_options *o, const char *name, const char *unit, double per_run,
                const sample *s)
{
    if (o->is_json) {
        printf("{\"name\": \"%s\", \"unit\": \"%s\", \"best\": %.6g, \"median\": %.6g, ", name,
               unit, per_run / s->least, per_run / s->median);
        print_sample_json(s);
        printf("}\n");
    } else {
        printf("%-40s %9.3f %-8s best %9.3f  quartiles %.3f … %.3f\n", name, per_run / s->median,
               unit, per_run / s->least, per_run / s->upper, per_run / s->lower);
    }
    fflush(stdout);
}

void print_nanoseconds(const bench_options *o, const char *name, const sample *s)
{
    if (o->is_json) {
        printf("{\"name\": \"%s\", ", name);
        print_sample_json(s);
        printf("}\n");
    } else {
        printf("%-50s %10.1f ns  least %10.1f  quartiles %.1f … %.1f\n", name, 1e9 * s->median,
               1e9 * s->least, 1e9 * s->lower, 1e9 * s->upper);
    }
    fflush(stdout);
}
