/* Every numbered constraint of the public primitives is broken by some test. The numbers are those
 * of the comments in op*.h; rows that break them are
 *
 *   the rows BAD(operation, …), of the tables of type inference,
 *   here: texts that state a wrong type for the result,
 *   here: the constraints of all elementwise operations, for which test_infer.c has a loop,
 *   here: those that nobody can break, each with the reason. */
#include "tests/infer.h"
#include "tests/values.h"

#include <cotangent/module.h>

#include <ctype.h>
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Sets of constraints: bit n is Cn; bit 0 is I1, StableHLO's only one for an input. */

typedef uint64_t set;

/* "C12" at the text: its bit, and *end behind it; 0 for other words. I1 is a Bessel function too,
 * so it is a number with a colon only. */
static set number_at(const char *text, const char **end)
{
    char *behind;

    if ((*text != 'C' && *text != 'I') || !isdigit((unsigned char)text[1]))
        return 0;
    const unsigned long n = strtoul(text + 1, &behind, 10);
    *end = behind;
    if (isalnum((unsigned char)*behind) || n > 63 || (*text == 'I' && *behind != ':'))
        return 0;
    return *text == 'I' ? 1 : (set)1 << n;
}

/* From "as C4, C5 of all_reduce" the place of "of": what another operation calls them. */
static const char *skip_reference(const char *text, const char *end)
{
    while (text < end && strncmp(text, " of", 3) != 0)
        text++;
    return text;
}

/* The numbers of a comment: "C1: …", "C2, C3: …", "C3 to C6: …". */
static set numbers(const char *text, const char *end)
{
    set found = 0, first = 0; /* of a range */

    for (const char *word = text; word < end; word++) {
        const char *behind = word;
        if (word > text && isalnum((unsigned char)word[-1]))
            continue;
        if (strncmp(word, "as C", 4) == 0 && isdigit((unsigned char)word[4])) {
            const char *of = skip_reference(word, end);
            word = of < end && of - word < 16 ? of : word + 2;
            continue;
        }
        const set one = number_at(word, &behind);
        if (!one)
            continue;
        for (set n = first; n && n < one; n <<= 1)
            found |= n;
        found |= one;
        first = strncmp(behind, " to C", 5) == 0 ? one : 0;
    }
    return found;
}

static const char *names(set s, char *buffer, size_t bytes)
{
    buffer[0] = '\0';
    for (int n = 0; n < 64; n++)
        if (s >> n & 1)
            snprintf(buffer + strlen(buffer), bytes - strlen(buffer), n == 0 ? " I1" : " C%d", n);
    return buffer;
}

/* The operation of this name; CT__OP_COUNT for others. */
static ct__op operation(const char *name, size_t length)
{
    int op = 0;

    while (op < CT__OP_COUNT && (strlen(ct__op_describe((ct__op)op)->name) != length ||
                                 strncmp(ct__op_describe((ct__op)op)->name, name, length) != 0))
        op++;
    return (ct__op)op;
}

static size_t word_length(const char *text)
{
    size_t n = 0;

    while (isalnum((unsigned char)text[n]) || text[n] == '_')
        n++;
    return n;
}

static char *file_text(const char *path)
{
    enum { MOST = 1 << 18 };
    FILE *file = fopen(path, "rb");
    char *text = malloc(MOST);

    CHECK_MSG(file && text, "cannot read %s", path);
    const size_t length = fread(text, 1, MOST, file);
    CHECK_MSG(length < MOST, "%s is too large", path);
    text[length] = '\0';
    fclose(file);
    return text;
}

/* ---- What the headers number. */

/* The comment belongs to the next operation; with an empty line behind it, to all that follow, up
 * to the next one with "----". */
static const char *read_comment(const char *text, set *section, set *pending)
{
    const char *end = strstr(text, "*/");

    CHECK(end);
    if (strncmp(text, "/* ----", 7) == 0)
        *section = 0;
    *(strncmp(end, "*/\n\n", 4) == 0 ? section : pending) |= numbers(text, end);
    return end + 2;
}

static void read_header(const char *name, set *wanted)
{
    static const char prefix[] = "ct_op_", suffix[] = "_at(";
    char path[1024];
    set section = 0, pending = 0;

    snprintf(path, sizeof path, "%s/include/cotangent/%s", CT_SOURCE_DIR, name);
    char *text = file_text(path);
    for (const char *at = text; *at;) {
        if (strncmp(at, "/*", 2) == 0) {
            at = read_comment(at, &section, &pending);
            continue;
        }
        const size_t length = word_length(at);
        if (length > sizeof prefix + 2 && strncmp(at, prefix, sizeof prefix - 1) == 0 &&
            strncmp(at + length - 3, suffix, sizeof suffix - 1) == 0) {
            const ct__op op = operation(at + 6, length - 9);
            CHECK_MSG(op < CT__OP_COUNT || pending == 0, "%.*s has constraints", (int)length, at);
            if (op < CT__OP_COUNT)
                wanted[op] |= section | pending;
            pending = 0;
        }
        at += length > 0 ? length : 1;
    }
    free(text);
}

/* ---- What the tables of type inference break. */

/* The row that begins here, "BAD(operation", "BAD_BODY(operation"; CT__OP_COUNT for other text. */
static ct__op row_at(const char *text)
{
    const size_t length = word_length(text);

    if (strncmp(text, "BAD", 3) != 0 || text[length] != '(')
        return CT__OP_COUNT;
    text += length + 1;
    text += strspn(text, " \n");
    return operation(text, word_length(text));
}

/* Rows carry their numbers in a comment, up to the next row: "…), / * C12 * /". */
static void read_rows(const char *path, set *broken)
{
    char *text = file_text(path);
    ct__op op = CT__OP_COUNT;

    for (const char *at = text; *at;) {
        const size_t length = word_length(at);
        const char *end = strncmp(at, "/*", 2) == 0 ? strstr(at, "*/") : NULL;
        if (end) {
            if (op < CT__OP_COUNT)
                broken[op] |= numbers(at + 3, end) | (strncmp(at, "/* I1 ", 6) == 0);
            at = end + 2;
            continue;
        }
        if (length >= 3 && (strncmp(at, "BAD", 3) == 0 || strncmp(at, "GOOD", 4) == 0))
            op = row_at(at);
        else if (strncmp(at, "TEST", 4) == 0)
            op = CT__OP_COUNT;
        at += length > 0 ? length : 1;
    }
    free(text);
}

static void read_tables(set *broken)
{
    static const char folder[] = CT_SOURCE_DIR "/tests";
    DIR *tests = opendir(folder);

    CHECK(tests);
    for (struct dirent *entry; (entry = readdir(tests));) {
        const size_t length = strlen(entry->d_name);
        char path[1024];
        if (strncmp(entry->d_name, "test_", 5) != 0 ||
            strcmp(entry->d_name + length - 2, ".c") != 0)
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        read_rows(path, broken);
    }
    closedir(tests);
}

/* ---- Those of all elementwise operations: test_infer.c breaks C1 with every dtype that the row
 * of ops.def excludes, and C2 with another dtype and another shape. */

static void add_elementwise(set *broken)
{
    bool open;

    for (int i = 0; i < CT__OP_COUNT; i++) {
        const ct__op op = (ct__op)i;
        const ct__op_info *info = ct__op_describe(op);
        if (!ct__has(op, CT__ELEMENTWISE) || info->attrs != CT__ATTRS_none)
            continue;
        if (info->dtypes != CT__ANY)
            broken[i] |= 1 << 1;
        if (ct__op_arity(op, &open) == 2)
            broken[i] |= 1 << 2;
    }
}

/* ---- Texts that state another result than the operation gives. */

typedef struct stated {
    ct__op op;
    set numbers;
    const char *arguments, *statement, *message;
} stated;

#define C(n) ((set)1 << (n))
#define GIVES(op, numbers, arguments, statement, message)                                          \
    {                                                                                              \
        CT__OP_##op, numbers, arguments, statement, message                                        \
    }

static const stated stated_results[] = {
#include "tests/sweep_stated.inc"
};

static void check_stated(const stated *row)
{
    ct_context *ctx = ct_context_new();
    char text[2048];

    snprintf(text, sizeof text,
             "func.func @main(%s) {\n%s\nreturn\n}\n"
             "func.func private @square(%%x: tensor<f32>) -> tensor<f32> {\n"
             "%%y = stablehlo.multiply %%x, %%x : tensor<f32>\nreturn %%y : tensor<f32>\n}\n",
             row->arguments, row->statement);
    ct_read_stablehlo_text(ctx, "t", text, strlen(text));
    CHECK_MSG(ct_error_status(ctx) == CT_ERR_TEXT && strstr(ct_error_message(ctx), row->message),
              "%s: %s\nin\n%s\nand not %s", ct__op_describe(row->op)->name, ct_error_message(ctx),
              text, row->message);
    CHECK_MSG(strstr(row->message, ct__op_describe(row->op)->name), "%s does not name %s",
              row->message, ct__op_describe(row->op)->name);
    ct_context_free(ctx);
}

TEST(stated_results)
{
    for (size_t i = 0; i < sizeof stated_results / sizeof *stated_results; i++)
        check_stated(&stated_results[i]);
}

/* ---- Those that nobody can break. */

typedef struct unbreakable {
    ct__op op;
    set numbers;
    const char *reason;
} unbreakable;

static const unbreakable unbreakables[] = {
    {CT__OP_stop_gradient, C(1), "it takes every dtype"},
    {CT__OP_add, C(1), "it takes every dtype"},
    {CT__OP_maximum, C(1), "it takes every dtype"},
    {CT__OP_minimum, C(1), "it takes every dtype"},
    {CT__OP_multiply, C(1), "it takes every dtype"},
};

/* ---- All of them. */

typedef struct tally {
    set wanted, broken, excused;
} tally;

static void read_headers(set *wanted)
{
    DIR *headers = opendir(CT_SOURCE_DIR "/include/cotangent");

    CHECK(headers);
    for (struct dirent *entry; (entry = readdir(headers));)
        if (strcmp(entry->d_name, "op.h") == 0 || strncmp(entry->d_name, "op_", 3) == 0)
            read_header(entry->d_name, wanted);
    closedir(headers);
}

static void collect(tally *of)
{
    set wanted[CT__OP_COUNT] = {0}, broken[CT__OP_COUNT] = {0};

    read_headers(wanted);
    read_tables(broken);
    add_elementwise(broken);
    for (size_t i = 0; i < sizeof stated_results / sizeof *stated_results; i++)
        broken[stated_results[i].op] |= stated_results[i].numbers;
    for (int op = 0; op < CT__OP_COUNT; op++)
        of[op] = (tally){wanted[op], broken[op], 0};
    for (size_t i = 0; i < sizeof unbreakables / sizeof *unbreakables; i++)
        of[unbreakables[i].op].excused |= unbreakables[i].numbers;
}

static int complain(ct__op op, const char *what, set numbers)
{
    char text[512];

    if (numbers)
        printf("%s: %s%s\n", ct__op_describe(op)->name, what, names(numbers, text, sizeof text));
    return numbers != 0;
}

TEST(every_constraint_is_broken)
{
    tally of[CT__OP_COUNT];
    int count = 0, complaints = 0;

    collect(of);
    for (int i = 0; i < CT__OP_COUNT; i++) {
        const ct__op op = (ct__op)i;
        const tally t = of[i];
        complaints += complain(op, "no row breaks", t.wanted & ~t.broken & ~t.excused);
        complaints += complain(op, "there is a reason, and need not be, for",
                               t.excused & (t.broken | ~t.wanted));
        if (t.wanted) /* others have no public function */
            complaints += complain(op, "rows break what no header numbers:", t.broken & ~t.wanted);
        for (set s = t.wanted; s; s &= s - 1)
            count++;
    }
    CHECK_MSG(complaints == 0, "%d complaints", complaints);
    CHECK_MSG(count > 330, "the headers number only %d constraints", count);
}
