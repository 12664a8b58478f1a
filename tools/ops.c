/* cotangent ops [NAME]: the table of operations, expanded for people. */
#include "tools/tools.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
#define BY(name) "yes"
#define OP(name, operands, dtypes, attrs, traits, infer, jvp, transpose, batch, meaning, kernel,   \
           spelling)                                                                               \
    {#name, operands, #dtypes, #attrs, #traits, jvp, transpose, batch, kernel, spelling},
#include "ops/ops.def"
#undef OP
#undef RULE
#undef WHOLE
#undef LATER
#undef NONE
#undef BY
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

static const verb_text text = {"ops", "[NAME]", "The table of operations, or one of them in full.",
                               NULL, 0};

static int print_named(const char *name)
{
    for (size_t i = 0; i < N_OPERATIONS; i++) {
        if (strcmp(operations[i].name, name) == 0) {
            print_operation(&operations[i]);
            return SUCCESS;
        }
    }
    return usage_error(&text, "there is no operation '%s'", name);
}

static void print_table(void)
{
    printf("%-22s %-26s %-28s %-5s %-9s %-5s %-6s %s\n", "name", "operands", "dtypes", "jvp",
           "transpose", "batch", "kernel", "spelling");
    for (size_t i = 0; i < N_OPERATIONS; i++)
        print_row(&operations[i]);
}

int ops(int argc, char **argv)
{
    word_list names = {0, NULL};
    int status;
    if (parse(&text, argc, argv, &names, &status)) {
        status = SUCCESS;
        if (names.count > 1)
            status = usage_error(&text, "it takes one name; there is no place for '%s'",
                                 names.word[1]);
        else if (names.count == 1)
            status = print_named(names.word[0]);
        else
            print_table();
    }
    free(names.word);
    return status;
}
