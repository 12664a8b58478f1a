/* What README.md and docs/ say holds: names exist in the headers, files exist, code stands in the
 * example that it is said to come from. */
#include "tests/check.h"

#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- Files. */

/* Appends a file to text (which may be NULL); the caller frees it. */
static char *append_file(char *text, const char *path)
{
    FILE *file = fopen(path, "r");
    CHECK_MSG(file != NULL, "%s cannot be read", path);
    size_t length = text ? strlen(text) : 0, n = 0;
    do {
        length += n;
        text = realloc(text, length + 65536);
        CHECK(text != NULL);
        n = fread(text + length, 1, 65535, file);
    } while (n > 0);
    text[length] = '\0';
    fclose(file);
    return text;
}

static char *read_source(const char *name)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", CT_SOURCE_DIR, name);
    return append_file(NULL, path);
}

typedef void visitor(const char *name, const char *text, void *user);

/* Every file of a folder that ends in `suffix`, with its text. */
static void for_each(const char *folder, const char *suffix, visitor *visit, void *user)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", CT_SOURCE_DIR, folder);
    DIR *dir = opendir(path);
    CHECK_MSG(dir != NULL, "%s cannot be read", path);
    for (struct dirent *entry; (entry = readdir(dir));) {
        size_t n = strlen(entry->d_name), m = strlen(suffix);
        if (n < m || strcmp(entry->d_name + n - m, suffix) != 0)
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        char *text = read_source(path);
        visit(path, text, user);
        free(text);
    }
    closedir(dir);
}

static void for_each_document(visitor *visit, void *user)
{
    char *readme = read_source("README.md");
    visit("README.md", readme, user);
    free(readme);
    for_each("docs", ".md", visit, user);
}

/* ---- Names. */

static void collect(const char *name, const char *text, void *user)
{
    (void)name;
    char **all = user;
    size_t length = *all ? strlen(*all) : 0, more = strlen(text);
    *all = realloc(*all, length + more + 1);
    CHECK(*all != NULL);
    memcpy(*all + length, text, more + 1);
}

static int is_name(int c)
{
    return isalnum(c) || c == '_';
}

/* Whether `all` holds the name as a whole word, or as the beginning of NAME_at. */
static int is_declared(const char *all, const char *name, size_t length)
{
    for (const char *at = all; (at = strstr(at, name)); at++)
        if ((at == all || !is_name((unsigned char)at[-1])) &&
            (!is_name((unsigned char)at[length]) || strncmp(at + length, "_at(", 4) == 0))
            return 1;
    return 0;
}

static void check_names(const char *document, const char *text, void *user)
{
    const char *all = user;
    for (const char *at = text; *at; at++) {
        int starts = strncmp(at, "ct_", 3) == 0 || strncmp(at, "CT_", 3) == 0;
        if (!starts || (at > text && (is_name((unsigned char)at[-1]) || at[-1] == '-')))
            continue;
        char name[128];
        size_t length = 0;
        while (is_name((unsigned char)at[length]) && length + 1 < sizeof name) {
            name[length] = at[length];
            length++;
        }
        name[length] = '\0';
        CHECK_MSG(name[2 + 1] == '_' || is_declared(all, name, length),
                  "%s names %s, which no header declares", document, name);
        at += length - 1;
    }
}

/* Internal names have two underscores and may stand in docs/architecture.md. */
TEST(names_exist)
{
    char *all = NULL;
    for_each("include/cotangent", ".h", collect, &all);
    for_each_document(check_names, all);
    free(all);
}

/* ---- Paths: words in backquotes that begin with a folder of the tree. */

static void check_path(const char *document, const char *begin, size_t length)
{
    static const char *const folders[] = {"include/", "ops/",   "trace/", "ad/",       "exec/",
                                          "interop/", "probe/", "tools/", "examples/", "docs/",
                                          "scripts/", "tests/", "bench/"};
    char path[1024];
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        if (strncmp(begin, folders[i], strlen(folders[i])) != 0)
            continue;
        struct stat info;
        snprintf(path, sizeof path, "%s/%.*s", CT_SOURCE_DIR, (int)length, begin);
        CHECK_MSG(stat(path, &info) == 0, "%s names %.*s, which is not there", document,
                  (int)length, begin);
    }
}

static void check_paths(const char *document, const char *text, void *user)
{
    (void)user;
    for (const char *at = text; (at = strchr(at, '`'));) {
        size_t length = strcspn(++at, "`\n ");
        if (at[length] == '`')
            check_path(document, at, length);
        at += length;
    }
}

TEST(paths_exist)
{
    for_each_document(check_paths, NULL);
}

/* ---- Code: "From `FILE`:" and a block that stands in the file, line by line. */

static void check_code(const char *document, const char *text, void *user)
{
    int *blocks = user;
    for (const char *at = text; (at = strstr(at, "From `"));) {
        at += strlen("From `");
        char file[256];
        snprintf(file, sizeof file, "%.*s", (int)strcspn(at, "`"), at);
        const char *begin = strstr(at, "```c\n"), *end = begin ? strstr(begin + 5, "```") : NULL;
        CHECK_MSG(end != NULL, "%s: no code after From `%s`", document, file);
        char *source = read_source(file);
        char *block = malloc((size_t)(end - begin));
        CHECK(block != NULL);
        memcpy(block, begin + 5, (size_t)(end - begin - 5));
        block[end - begin - 5] = '\0';
        CHECK_MSG(strstr(source, block) != NULL, "%s shows code that is not in %s:\n%s", document,
                  file, block);
        ++*blocks;
        free(block);
        free(source);
    }
}

TEST(code_stands_in_the_examples)
{
    int blocks = 0;
    for_each_document(check_code, &blocks);
    CHECK(blocks >= 4);
}

/* ---- Summaries: the first comment of a folder's header names its files, all of them. */

static char *first_comment(const char *header)
{
    char *text = read_source(header), *end = strstr(text, "*/");
    CHECK_MSG(end != NULL, "%s has no comment", header);
    *end = '\0';
    return text;
}

/* The comments of one header, or of two. */
static char *comments_of(const char *const header[2])
{
    char *text = first_comment(header[0]);
    if (header[1]) {
        char *more = first_comment(header[1]);
        collect(header[1], more, &text);
        free(more);
    }
    return text;
}

/* Whether the summary holds the name as a whole word. */
static int is_listed(const char *summary, const char *name)
{
    for (const char *at = summary; (at = strstr(at, name)); at++)
        if (!is_name((unsigned char)at[-1]))
            return 1;
    return 0;
}

typedef struct summary {
    const char *header;
    char *text;
} summary;

static void check_listed(const char *path, const char *text, void *user)
{
    const summary *s = user;
    (void)text;
    CHECK_MSG(is_listed(s->text, strrchr(path, '/') + 1), "%s does not name %s", s->header, path);
}

/* Every word that ends in ".c" is a file there. */
static void check_files(const char *folder, const summary *s)
{
    for (const char *at = s->text; (at = strstr(at, ".c"));) {
        const char *end = at += 2, *begin = at - 2;
        while (begin > s->text && is_name((unsigned char)begin[-1]))
            begin--;
        if (is_name((unsigned char)*end))
            continue;
        char path[1024];
        struct stat info;
        snprintf(path, sizeof path, "%s/%s/%.*s", CT_SOURCE_DIR, folder, (int)(end - begin), begin);
        CHECK_MSG(stat(path, &info) == 0, "%s names %.*s, which is not there", s->header,
                  (int)(end - begin), begin);
    }
}

TEST(summaries_name_the_files)
{
    static const struct {
        const char *folder, *header[2];
    } folders[] = {
        {"trace", {"trace/trace.h"}},
        {"trace/rewrite", {"trace/rewrite/rewrite.h"}},
        {"ad", {"ad/derive.h"}},
        {"exec", {"exec/exec.h"}},
        {"interop", {"interop/interop.h"}},
        {"interop/stablehlo", {"interop/stablehlo/print.h", "interop/stablehlo/read.h"}},
        {"tools", {"tools/tools.h"}},
    };
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        summary s = {folders[i].header[0], comments_of(folders[i].header)};
        for_each(folders[i].folder, ".c", check_listed, &s);
        check_files(folders[i].folder, &s);
        free(s.text);
    }
}

/* ---- Lists of constraints in op_*.h: each one begins a line. */

/* The number of " *   C7   …", 0 for other lines. */
static int listed_constraint(const char *line)
{
    return strncmp(line, " *   C", 6) == 0 && isdigit((unsigned char)line[6]) ? atoi(line + 6) : 0;
}

/* The largest n of all Cn in a comment. */
static int last_constraint(const char *begin, const char *end)
{
    int last = 0;
    for (const char *at = begin; at + 1 < end; at++)
        if (at[0] == 'C' && isdigit((unsigned char)at[1]) && !is_name((unsigned char)at[-1]) &&
            atoi(at + 1) > last)
            last = atoi(at + 1);
    return last;
}

/* Returns whether the comment holds a list; then it goes from C1 to the last one without a gap. */
static int check_constraints(const char *begin, const char *end)
{
    int listed = 0;
    for (const char *line = begin; line && line < end; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (!listed_constraint(line))
            continue;
        CHECK_MSG(listed_constraint(line) == listed + 1, "C%d does not begin a line in %.60s",
                  listed + 1, begin);
        listed++;
    }
    CHECK_MSG(!listed || listed == last_constraint(begin, end),
              "C%d does not begin a line in %.60s", listed + 1, begin);
    return listed > 0;
}

static int count_lists(const char *header)
{
    char *text = read_source(header);
    int lists = 0;
    for (const char *at = text; (at = strstr(at, "/*"));) {
        const char *end = strstr(at, "*/");
        CHECK(end != NULL);
        lists += check_constraints(at, end);
        at = end;
    }
    free(text);
    return lists;
}

/* Those of gather, scatter, sort and reduce_window; of convolution, select_and_scatter and fft. */
TEST(constraints_begin_lines)
{
    CHECK(count_lists("include/cotangent/op_index.h") == 3);
    CHECK(count_lists("include/cotangent/op_contract.h") == 1);
    CHECK(count_lists("include/cotangent/op_large.h") == 3);
}

/* ---- What is generated is up to date. */

TEST(operations_are_up_to_date)
{
    if (system("python3 --version >/dev/null 2>&1") != 0)
        SKIP("no python3 here");
    CHECK_MSG(system("python3 \"$CT_SOURCE_DIR/scripts/operations.py\" --check") == 0,
              "docs/operations.md differs from what its script writes");
}

TEST(derivatives_are_up_to_date)
{
    if (system("python3 --version >/dev/null 2>&1") != 0)
        SKIP("no python3 here");
    CHECK_MSG(system("python3 \"$CT_SOURCE_DIR/scripts/derivatives.py\" --check") == 0,
              "docs/derivatives.md differs from what its script writes");
}

TEST(numerics_are_up_to_date)
{
    if (system("python3 --version >/dev/null 2>&1") != 0)
        SKIP("no python3 here");
    CHECK_MSG(system("python3 \"$CT_SOURCE_DIR/scripts/numerics.py\" --check") == 0,
              "docs/numerics.md differs from what its script writes");
}
