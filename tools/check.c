/* cotangent check FILE|DIR...: run the checks inside programs. */
#include "tools/tools.h"

#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *allow_path, *jobs, *against;
static program_words program;
static run_words how;

static const option options[] = {
    {"--allow", "LIST",
     "files that may fail: lines of a name and its reason, \"#\" begins a comment", &allow_path,
     NULL, NULL},
    {"--jobs", "N", "so many at once; else one per processor", &jobs, NULL, NULL},
    EXEC_OPTION(how),
    WITHOUT_OPTION(how),
    {"--against", "mpfr:BITS",
     "say how far results, and values inside, are from exact ones, in units in the last place, and "
     "where error is born; with arguments as \"run\" takes them",
     &against, NULL, NULL},
    ENTRY_OPTION(program),
    SHAPES_OPTION(program),
    INPUT_OPTION(program),
    RANDOM_OPTION(how),
};

static const verb_text text = {
    "check", "FILE|DIR...",
    "Run StableHLO programs that check their own results (check.expect_eq and others), and those\n"
    "in folders (*.mlir). A file with @inputs and @expected beside a @main that takes arguments "
    "is\n"
    "run on them, and its derivatives are compared with @expected_vjp, @expected_jvp and\n"
    "@expected_hvp. A file of several parts passes when all of them do; a part with a comment\n"
    "'expected-error' must be wrong on that line. Prints a line per failing file. Without --exec\n"
    "the interpreter runs them, in reference numerics.",
    options, sizeof options / sizeof *options};

/* ---- Finding files. */

static bool ends_in_mlir(const char *name)
{
    size_t length = strlen(name);
    return length > 5 && strcmp(name + length - 5, ".mlir") == 0;
}

static bool add_path(word_list *files, const char *folder, const char *name)
{
    size_t bytes = strlen(folder) + strlen(name) + 2;
    char *path = malloc(bytes);
    if (path)
        snprintf(path, bytes, "%s%s%s", folder, *folder && name[0] ? "/" : "", name);
    else
        fprintf(stderr, "cotangent: out of memory\n");
    bool fine = path && add_word(files, path);
    if (!fine)
        free(path);
    return fine; /* NOLINT(clang-analyzer-unix.Malloc): the list has it */
}

static bool complain(const char *path)
{
    fprintf(stderr, "cotangent: %s: %s\n", path, strerror(errno));
    return false;
}

/* Files, and folders that are to be looked into: each once, however many links lead to it, and by
 * its own name where it has one here. */
typedef struct finding {
    word_list *files;
    word_list folders, links;
    size_t n_seen;
    struct seen {
        dev_t device;
        ino_t number;
    } * seen;
} finding;

static bool add_entry(finding *f, const char *folder, const char *name)
{
    struct stat state, link;
    char path[PATH_BYTES];
    if (!join_path(path, folder, name))
        return false;
    if (stat(path, &state) != 0 || lstat(path, &link) != 0)
        return complain(path);
    if (S_ISDIR(state.st_mode))
        return add_path(S_ISLNK(link.st_mode) ? &f->links : &f->folders, folder, name);
    return !ends_in_mlir(name) || add_path(f->files, folder, name);
}

/* Whether it has not been looked into yet. */
static bool is_new(finding *f, const struct stat *state)
{
    for (size_t i = 0; i < f->n_seen; i++)
        if (f->seen[i].device == state->st_dev && f->seen[i].number == state->st_ino)
            return false;
    return true;
}

static bool add_seen(finding *f, const struct stat *state)
{
    struct seen *more = realloc(f->seen, (f->n_seen + 1) * sizeof *more);
    if (!more) {
        fprintf(stderr, "cotangent: out of memory\n");
        return false;
    }
    f->seen = more;
    f->seen[f->n_seen++] = (struct seen){state->st_dev, state->st_ino};
    return true;
}

/* What is in the folder. */
static bool add_folder(finding *f, const char *folder)
{
    struct stat state;
    if (stat(folder, &state) != 0)
        return complain(folder);
    if (!is_new(f, &state))
        return true;
    DIR *dir = opendir(folder);
    bool fine = add_seen(f, &state);
    if (!dir)
        return complain(folder);
    for (struct dirent *entry; (entry = readdir(dir));)
        if (entry->d_name[0] != '.')
            fine = add_entry(f, folder, entry->d_name) && fine;
    closedir(dir);
    return fine;
}

static int compare_paths(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void free_paths(word_list *paths)
{
    for (size_t i = 0; i < paths->count; i++)
        free((void *)(uintptr_t)paths->word[i]);
    free(paths->word);
}

/* Each once. */
static void sort_files(word_list *files)
{
    if (files->count > 0)
        qsort(files->word, files->count, sizeof *files->word, compare_paths);
    size_t kept = 0;
    for (size_t i = 0; i < files->count; i++) {
        if (i > 0 && strcmp(files->word[kept - 1], files->word[i]) == 0)
            free((void *)(uintptr_t)files->word[i]);
        else
            files->word[kept++] = files->word[i];
    }
    files->count = kept;
}

/* Those that links alone lead to come last, in the order of their names. */
static bool look_into_folders(finding *f)
{
    bool fine = true;
    for (size_t i = 0, k = 0; i < f->folders.count || k < f->links.count;) {
        if (i < f->folders.count) {
            fine = add_folder(f, f->folders.word[i++]) && fine;
            continue;
        }
        qsort(f->links.word + k, f->links.count - k, sizeof *f->links.word, compare_paths);
        fine = add_folder(f, f->links.word[k++]) && fine;
    }
    return fine;
}

/* All files, sorted; false after saying which could not be found. */
static bool find_files(const word_list *given, word_list *files)
{
    finding f = {.files = files};
    bool fine = true;
    for (size_t i = 0; i < given->count; i++) {
        struct stat state;
        if (stat(given->word[i], &state) != 0)
            fine = complain(given->word[i]);
        else if (!add_path(S_ISDIR(state.st_mode) ? &f.folders : files, given->word[i], ""))
            fine = false;
    }
    fine = look_into_folders(&f) && fine;
    free_paths(&f.folders);
    free_paths(&f.links);
    free(f.seen);
    sort_files(files);
    return fine;
}

/* ---- Checking them, and saying what was found in the order of the files. */

typedef struct work {
    const word_list *files;
    const allow_list *allow;
    pthread_mutex_t lock; /* of what follows */
    size_t next, printed;
    bool *done;
    char **found;
    size_t n_passed, n_failed, n_allowed;
} work;

static void print_outcome(work *w, size_t i)
{
    const char *path = w->files->word[i], *reason = find_allowed(w->allow, path);
    const bool has_path = w->found[i] && names_file(w->found[i], path);
    if (!w->found[i]) {
        w->n_passed++;
        if (reason)
            printf("%s: passes, though it may fail (%s)\n", path, reason);
    } else if (reason) {
        w->n_allowed++;
        printf("%s: allowed (%s): %s\n", path, reason, w->found[i]);
    } else if (has_path) {
        w->n_failed++;
        printf("%s\n", w->found[i]);
    } else {
        w->n_failed++;
        printf("%s: %s\n", path, w->found[i]);
    }
    free(w->found[i]);
}

static void *check_files(void *user)
{
    work *w = user;
    pthread_mutex_lock(&w->lock);
    while (w->next < w->files->count) {
        size_t i = w->next++;
        pthread_mutex_unlock(&w->lock);
        char *found = check_file(w->files->word[i], &how);
        pthread_mutex_lock(&w->lock);
        w->found[i] = found;
        w->done[i] = true;
        while (w->printed < w->files->count && w->done[w->printed])
            print_outcome(w, w->printed++);
    }
    pthread_mutex_unlock(&w->lock);
    return NULL;
}

/* With `count` threads, of which this is one. */
static void check_all(work *w, size_t count)
{
    enum { MOST = 256 };
    pthread_t thread[MOST];
    size_t started = 0;
    while (started + 1 < count && started < MOST &&
           pthread_create(&thread[started], NULL, check_files, w) == 0)
        started++;
    check_files(w);
    for (size_t i = 0; i < started; i++)
        pthread_join(thread[i], NULL);
}

/* Names that no file has. */
static void print_unused(const allow_list *list, const word_list *files)
{
    for (size_t i = 0; i < list->count; i++) {
        bool is_used = false;
        for (size_t k = 0; !is_used && k < files->count; k++)
            is_used = is_named(list->item[i].name, files->word[k]);
        if (!is_used)
            printf("%s:%d: no file that is checked is called %s\n", allow_path, list->item[i].line,
                   list->item[i].name);
    }
}

static int check_given(const word_list *files, const allow_list *allow, size_t count)
{
    work w = {.files = files, .allow = allow};
    w.done = calloc(files->count + 1, sizeof *w.done);
    w.found = calloc(files->count + 1, sizeof *w.found);
    int status = FAILURE;
    if (!w.done || !w.found || pthread_mutex_init(&w.lock, NULL) != 0) {
        fprintf(stderr, "cotangent: out of memory\n");
    } else {
        check_all(&w, count);
        pthread_mutex_destroy(&w.lock);
        print_unused(allow, files);
        printf("%zu passed, %zu failed", w.n_passed, w.n_failed);
        if (allow_path)
            printf(", %zu allowed", w.n_allowed);
        printf("\n");
        status = w.n_failed ? FAILED_CHECK : SUCCESS;
    }
    free(w.done);
    free(w.found);
    return status;
}

static int check_paths(const word_list *given)
{
    long long count = sysconf(_SC_NPROCESSORS_ONLN);
    word_list files = {0, NULL};
    allow_list allow = {NULL, 0, NULL};
    int status = FAILURE;
    if (given->count == 0)
        return usage_error(&text, "a FILE or DIR is missing");
    if (!how.without) /* what constants give is computed, as it would be of arguments */
        how.without = "folding";
    if (!how.executor)
        how.executor = "interpret"; /* whose numerics the files were written for */
    if (!check_way(&text, &how))
        return FAILURE;
    if (jobs && !parse_number(&text, "--jobs", jobs, 1, 256, &count))
        return FAILURE;
    if (!allow_path || read_allow_list(allow_path, &allow)) {
        bool fine = find_files(given, &files);
        if (fine && against) {
            status = check_against(&text, &files, against, &program, &how);
            free_paths(&files);
            return status;
        }
        if (fine && files.count == 0)
            fprintf(stderr, "cotangent: %s: there is no *.mlir in it\n", given->word[0]);
        fine = fine && files.count > 0;
        if (files.count > 0)
            status = check_given(&files, &allow, count > 0 ? (size_t)count : 1);
        status = fine ? status : FAILURE;
    }
    free_allow_list(&allow);
    free_paths(&files);
    return status;
}

int check(int argc, char **argv)
{
    word_list given = {0, NULL};
    int status;
    if (parse(&text, argc, argv, &given, &status))
        status = check_paths(&given);
    free(program.inputs.word);
    free(given.word);
    return status;
}
