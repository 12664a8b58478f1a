/* The command: its verbs. Each is a row of `verbs` and has a file. */
#include "tools/tools.h"

#include <stdio.h>
#include <string.h>

typedef struct verb {
    const char *name, *arguments, *help;
    int (*run)(int argc, char **argv); /* without the verb itself */
} verb;

static int help(int argc, char **argv);
static int version(int argc, char **argv);

static const verb verbs[] = {
    {"run", "FILE", "run a program on arrays, and print or write its results", run},
    {"bench", "FILE", "how long a program takes, as a whole and step by step", bench},
    {"check", "FILE|DIR...", "run the checks inside programs", check},
    {"show", "FILE", "a program as text, as a drawing, or in numbers", show},
    {"grad", "FILE", "the gradient of a program, on arrays or as a program", grad},
    {"jvp", "FILE", "its derivative forward, along tangents", jvp},
    {"vjp", "FILE", "its derivative in reverse, from cotangents", vjp},
    {"hvp", "FILE", "its second derivative along tangents", hvp},
    {"vmap", "FILE", "the same for many lanes at once", vmap},
    {"gradcheck", "FILE", "compare its derivatives with differences of its values", gradcheck},
    {"residuals", "FILE", "what its reverse derivative keeps in memory", residuals},
    {"ops", "[NAME]", "the table of operations, or one of them in full", ops},
    {"--help", "", "this text", help},
    {"--version", "", "the library's version", version},
};

#define N_VERBS (sizeof verbs / sizeof *verbs)

static int wrong_word(const char *what, const char *word)
{
    fprintf(stderr, "cotangent: %s '%s'; try 'cotangent --help'\n", what, word);
    return FAILURE;
}

static int help(int argc, char **argv)
{
    if (argc > 0)
        return wrong_word("--help takes no argument; there is no place for", argv[0]);
    printf("usage: cotangent VERB [ARGUMENT...]\n\n");
    for (size_t i = 0; i < N_VERBS; i++)
        printf("  %-10s %-12s %s\n", verbs[i].name, verbs[i].arguments, verbs[i].help);
    printf("\n'cotangent VERB --help' says more.\n");
    return SUCCESS;
}

static int version(int argc, char **argv)
{
    if (argc > 0)
        return wrong_word("--version takes no argument; there is no place for", argv[0]);
    printf("cotangent %s\n", ct_version());
    return SUCCESS;
}

static int run_verb(int argc, char **argv)
{
    if (argc < 2) {
        fprintf(stderr, "cotangent: a verb is missing; try 'cotangent --help'\n");
        return FAILURE;
    }
    for (size_t i = 0; i < N_VERBS; i++)
        if (strcmp(verbs[i].name, argv[1]) == 0)
            return verbs[i].run(argc - 2, argv + 2);
    return wrong_word(argv[1][0] == '-' ? "unknown option" : "unknown verb", argv[1]);
}

int main(int argc, char **argv)
{
    int status = run_verb(argc, argv);
    if (fflush(stdout) != 0 || ferror(stdout)) {
        fprintf(stderr, "cotangent: cannot write to the standard output\n");
        return FAILURE;
    }
    return status;
}
