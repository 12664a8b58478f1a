/* The command. Each verb is a row of `verbs`. Exit status 0 is success; 2 a usage or input error,
 * told in one line on stderr. */
#include <cotangent/base.h>

#include <stdio.h>
#include <string.h>

enum { SUCCESS = 0, FAILURE = 2 };

static int usage_error(const char *what, const char *argument)
{
    fprintf(stderr, "cotangent: %s '%s'; try 'cotangent --help'\n", what, argument);
    return FAILURE;
}

/* ---- cotangent ops [NAME]: the table of operations, expanded for people. */

typedef struct operation {
    const char *name, *operands, *dtypes, *attributes, *traits;
    const char *jvp, *transpose, *batch, *kernel; /* "yes", "later" or the reason for none */
    const char *spelling;
} operation;

static const operation operations[] = {
#define RULE "yes"
#define WHOLE "yes"
#define LATER "later"
#define NONE(reason) reason
#define OP(name, operands, dtypes, attrs, traits, infer, jvp, transpose, batch, meaning, kernel,   \
           spelling)                                                                               \
    {#name, operands, #dtypes, #attrs, #traits, jvp, transpose, batch, kernel, spelling},
#include "ops/ops.def"
#undef OP
#undef RULE
#undef WHOLE
#undef LATER
#undef NONE
};

#define N_OPERATIONS (sizeof operations / sizeof *operations)

/* A column of ops.def in small letters: "INTS | FLOATS" becomes "ints, floats". Returns its width.
 */
static int to_words(const char *column, char *words, size_t bytes)
{
    size_t n = 0;
    for (const char *c = column; *c && n + 1 < bytes; c++) {
        if (c[0] == ' ' && c[1] == '|') {
            words[n++] = ',';
            c++;
        } else {
            words[n++] = *c >= 'A' && *c <= 'Z' ? (char)(*c - 'A' + 'a') : *c;
        }
    }
    words[n] = '\0';
    return (int)n;
}

/* Whether there is a rule, in the table's narrow columns. */
static const char *brief(const char *rule)
{
    return strcmp(rule, "yes") == 0 || strcmp(rule, "later") == 0 ? rule : "-";
}

static void print_row(const operation *op)
{
    char dtypes[64];
    to_words(op->dtypes, dtypes, sizeof dtypes);
    printf("%-22s %-26s %-28s %-5s %-9s %-5s %-6s %s\n", op->name, op->operands, dtypes,
           brief(op->jvp), brief(op->transpose), brief(op->batch), brief(op->kernel), op->spelling);
}

static void print_operation(const operation *op)
{
    char dtypes[64], traits[128];
    to_words(op->dtypes, dtypes, sizeof dtypes);
    to_words(op->traits, traits, sizeof traits);
    printf("name        %s\n", op->name);
    printf("spelling    %s\n", op->spelling);
    printf("operands    %s\n", *op->operands ? op->operands : "none");
    printf("dtypes      %s\n", dtypes);
    printf("attributes  %s\n", op->attributes);
    printf("traits      %s\n", strcmp(traits, "0") == 0 ? "none" : traits);
    printf("jvp         %s\n", op->jvp);
    printf("transpose   %s\n", op->transpose);
    printf("batch       %s\n", op->batch);
    printf("kernel      %s\n", op->kernel);
}

static int ops(int argc, char **argv)
{
    if (argc > 1)
        return usage_error("ops takes one name; there is no place for", argv[1]);
    if (argc == 1) {
        for (size_t i = 0; i < N_OPERATIONS; i++) {
            if (strcmp(operations[i].name, argv[0]) == 0) {
                print_operation(&operations[i]);
                return SUCCESS;
            }
        }
        return usage_error("there is no operation", argv[0]);
    }
    printf("%-22s %-26s %-28s %-5s %-9s %-5s %-6s %s\n", "name", "operands", "dtypes", "jvp",
           "transpose", "batch", "kernel", "spelling");
    for (size_t i = 0; i < N_OPERATIONS; i++)
        print_row(&operations[i]);
    return SUCCESS;
}

/* ---- Verbs. */

typedef struct verb {
    const char *name, *arguments, *help;
    int (*run)(int argc, char **argv); /* without the verb itself */
} verb;

static int help(int argc, char **argv);
static int version(int argc, char **argv);

static const verb verbs[] = {
    {"ops", "[NAME]", "the table of operations, or one of them in full", ops},
    {"--help", "", "this text", help},
    {"--version", "", "the library's version", version},
};

#define N_VERBS (sizeof verbs / sizeof *verbs)

static int help(int argc, char **argv)
{
    if (argc > 0)
        return usage_error("--help takes no argument; there is no place for", argv[0]);
    printf("usage: cotangent VERB [ARGUMENT...]\n\n");
    for (size_t i = 0; i < N_VERBS; i++)
        printf("  %-10s %-8s %s\n", verbs[i].name, verbs[i].arguments, verbs[i].help);
    return SUCCESS;
}

static int version(int argc, char **argv)
{
    if (argc > 0)
        return usage_error("--version takes no argument; there is no place for", argv[0]);
    printf("cotangent %s\n", ct_version());
    return SUCCESS;
}

static int run(int argc, char **argv)
{
    if (argc < 2) {
        fprintf(stderr, "cotangent: a verb is missing; try 'cotangent --help'\n");
        return FAILURE;
    }
    for (size_t i = 0; i < N_VERBS; i++)
        if (strcmp(verbs[i].name, argv[1]) == 0)
            return verbs[i].run(argc - 2, argv + 2);
    return usage_error(argv[1][0] == '-' ? "unknown option" : "unknown verb", argv[1]);
}

int main(int argc, char **argv)
{
    int status = run(argc, argv);
    if (fflush(stdout) != 0 || ferror(stdout)) {
        fprintf(stderr, "cotangent: cannot write to the standard output\n");
        return FAILURE;
    }
    return status;
}
