/* equal [--ways all|usual|some|tiles] [--share I/N] [--workloads] FILE…, or `-` for names on stdin.
 *
 * Every program is run in every way, twice: the results must be those of the interpreter in machine
 * numerics. Last line: `N programs, R runs in W ways, S skipped, D different`. --share I/N takes
 * every N-th file, the I-th first. */
#include "tests/equal/equal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct work {
    amount how_many;
    size_t first, step, next; /* of files */
    bool has_workloads;
    tally tally;
} work;

static bool visit(const subject *s, void *user)
{
    work *w = user;
    compare_ways(s, w->how_many, &w->tally);
    return true;
}

static bool take_file(work *w, const char *path)
{
    return w->next++ % w->step != w->first || visit_file(path, visit, w);
}

static bool take_names(work *w)
{
    char path[4096];
    bool fine = true;
    while (fgets(path, sizeof path, stdin)) {
        path[strcspn(path, "\n")] = '\0';
        fine = take_file(w, path) && fine;
    }
    return fine;
}

static bool read_amount(const char *text, amount *a)
{
    static const char *const names[] = {"all", "usual", "some", "tiles"};
    for (size_t i = 0; text && i < sizeof names / sizeof *names; i++)
        if (strcmp(text, names[i]) == 0) {
            *a = (amount)i;
            return true;
        }
    return false;
}

static bool read_share(const char *text, work *w)
{
    return text && sscanf(text, "%zu/%zu", &w->first, &w->step) == 2 && w->first < w->step;
}

static int usage(void)
{
    fprintf(stderr,
            "usage: equal [--ways all|usual|some|tiles] [--share I/N] [--workloads] FILE... | -\n");
    return 2;
}

int main(int argc, char **argv)
{
    work w = {.how_many = ALL, .step = 1};
    bool fine = true;
    int i = 1;
    for (; i < argc && strncmp(argv[i], "--", 2) == 0; i++)
        if (strcmp(argv[i], "--workloads") == 0)
            w.has_workloads = true;
        else if (strcmp(argv[i], "--ways") == 0 && read_amount(argv[i + 1], &w.how_many))
            i++;
        else if (strcmp(argv[i], "--share") == 0 && read_share(argv[i + 1], &w))
            i++;
        else
            return usage();
    for (; i < argc; i++)
        fine = (strcmp(argv[i], "-") == 0 ? take_names(&w) : take_file(&w, argv[i])) && fine;
    if (w.has_workloads)
        fine = visit_workloads(w.first, w.step, visit, &w) && fine;
    printf("%zu programs, %zu runs in %zu ways, %zu skipped, %zu different\n", w.tally.programs,
           w.tally.runs, count_ways(w.how_many), w.tally.skipped, w.tally.different);
    return fine && w.tally.different == 0 ? 0 : 1;
}
