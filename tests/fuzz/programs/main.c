/* Random programs, each computed in several ways that must agree.
 *
 *   fuzz_programs [--seed S] [--count N] [--seconds T] [--first I] [--modes a,b] [--style any]
 *                 [--group N] [--keep-going] [--no-shrink] [--show] [--coverage] [--verbose]
 *                 [--list]
 *
 * --write FOLDER writes the programs there, for other implementations to run, and --show prints
 * them, with --verbose as C too. With --group, every N programs are also one function, compiled as
 * C at once: they and their reverse derivatives, every second time without one of the passes.
 * --coverage makes the programs alone and prints how often each operation of the table is in them,
 * and which dtypes never are its first operand's; exit status 1 where an operation is in none.
 * Program I of a seed is the same on every machine. Prints how many comparisons of each kind were
 * made; on a difference the shrunk program, as StableHLO's text, inputs and C, and exit status 1.
 */
#include "tests/fuzz/programs/session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int usage(void)
{
    fprintf(stderr, "usage: fuzz_programs [--seed S] [--count N] [--seconds T] [--first I]\n"
                    "       [--modes NAME,NAME] [--style any|smooth|linear] [--group N]\n"
                    "       [--write FOLDER] [--keep-going] [--no-shrink] [--show] [--coverage]\n"
                    "       [--verbose] [--list]\n");
    return 2;
}

static bool read_number(const char *text, uint64_t *number)
{
    char *end;

    *number = strtoull(text, &end, 0); /* which would take a sign */
    return *text >= '0' && *text <= '9' && *end == '\0';
}

static bool read_style(const char *text, int *style)
{
    static const char *const name[] = {"any", "smooth", "linear"};

    for (int i = 0; i < STYLE_COUNT; i++)
        if (strcmp(text, name[i]) == 0) {
            *style = i;
            return true;
        }
    return false;
}

static bool read_flag(const char *name, settings *s)
{
    bool *flag = strcmp(name, "--no-shrink") == 0    ? &s->no_shrink
                 : strcmp(name, "--show") == 0       ? &s->show
                 : strcmp(name, "--coverage") == 0   ? &s->coverage
                 : strcmp(name, "--verbose") == 0    ? &s->verbose
                 : strcmp(name, "--keep-going") == 0 ? &s->keep_going
                                                     : NULL;

    if (flag)
        *flag = true;
    return flag != NULL;
}

static bool read_option(const char *name, const char *value, settings *s)
{
    return strcmp(name, "--seed") == 0      ? read_number(value, &s->seed)
           : strcmp(name, "--count") == 0   ? read_number(value, &s->count)
           : strcmp(name, "--seconds") == 0 ? read_number(value, &s->seconds)
           : strcmp(name, "--first") == 0   ? read_number(value, &s->first)
           : strcmp(name, "--write") == 0   ? (s->folder = value) != NULL
           : strcmp(name, "--group") == 0   ? read_number(value, &s->group)
           : strcmp(name, "--style") == 0   ? read_style(value, &s->style)
           : strcmp(name, "--modes") == 0   ? choose_modes(value, &s->modes)
                                            : false;
}

static int list(void)
{
    for (size_t i = 0; i < n_modes; i++)
        printf("%-14s %s\n", modes[i].name, modes[i].meaning);
    return 0;
}

int main(int argc, char **argv)
{
    settings s = {.count = 1000, .style = -1, .modes = usual_modes()};

    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--list") == 0)
            return list();
        if (read_flag(argv[i], &s))
            continue;
        if (i + 1 == argc || !read_option(argv[i], argv[i + 1], &s))
            return usage();
        i++;
    }
    if (s.seconds > 0 && s.count == 1000)
        s.count = UINT64_MAX - s.first;
    return session(&s);
}
