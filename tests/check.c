#include "tests/check.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { FAILED, PASSED, SKIPPED, OUTCOMES };

/* A test program is one file with one list of tests; these are its state. */
static check_test *registered;
static check_test *running;
static pthread_t runner;
static atomic_int failures; /* of the running test, in any thread */

/* Sanitizers keep the signals that cmocka would turn into a plain failure, so that their report
 * with its stack is not lost; allocations that are too large fail as they do elsewhere. */
#if defined(__has_feature)
#define CHECK_HAS_FEATURE(name) __has_feature(name)
#else
#define CHECK_HAS_FEATURE(name) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || CHECK_HAS_FEATURE(address_sanitizer)
#define CHECK_HAS_ASAN
const char *__asan_default_options(void);

__attribute__((visibility("default"))) const char *__asan_default_options(void)
{
    return "handle_segv=2:handle_sigbus=2:handle_sigfpe=2:handle_sigill=2:"
           "allocator_may_return_null=1:detect_stack_use_after_return=1:strict_string_checks=1:"
           /* most time goes by in allocations: what is freed stays poisoned for so many MB */
           "quarantine_size_mb=16";
}
#endif

/* Kept in the order of the file, whatever order the constructors run in. */
void check_register(check_test *test)
{
    check_test **at = &registered;

    while (*at && (*at)->line < test->line)
        at = &(*at)->next;
    test->next = *at;
    *at = test;
}

const char *check_name(void)
{
    return running ? running->name : "";
}

void check_fail(const char *file, int line, const char *format, ...)
{
    char text[4096];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    printf("%s:%d: %s: %s\n", file, line, check_name(), text);
    atomic_fetch_add(&failures, 1);
    if (pthread_equal(pthread_self(), runner))
        _fail(file, line);
}

void check_skip(const char *file, int line, const char *format, ...)
{
    char text[1024];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (!pthread_equal(pthread_self(), runner)) {
        check_fail(file, line, "only the test's own thread can skip: %s", text);
        return;
    }
    printf("skipped: %s: %s\n", check_name(), text);
    running->outcome = SKIPPED;
    _skip(file, line);
}

const char *check_shared(const char *file, int line, const char *path)
{
    static struct kept {
        struct kept *next;
        char path[];
    } * kept; /* reachable until the program ends */
    const char *folder = getenv("CT_SHARED");
    size_t bytes;

    if (!folder || !*folder)
        folder = CT_SOURCE_DIR "/../shared";
    bytes = strlen(folder) + strlen(path) + 2;
    struct kept *p = malloc(sizeof *p + bytes);
    if (!p) {
        check_fail(file, line, "out of memory");
        return "";
    }
    snprintf(p->path, bytes, "%s/%s", folder, path);
    p->next = kept;
    kept = p;
    if (access(p->path, R_OK) != 0)
        check_skip(file, line, "shared material is missing: %s", p->path);
    return p->path;
}

static void run(void **state)
{
    running = *state;
    running->outcome = FAILED;
    atomic_store(&failures, 0);
    running->body();
    if (atomic_load(&failures) > 0)
        _fail(running->file, running->line);
    running->outcome = PASSED;
}

int main(int argc, char **argv)
{
    const char *wanted = argc > 1 ? argv[1] : "";
    const char *program = strrchr(argv[0], '/') ? strrchr(argv[0], '/') + 1 : argv[0];
    int count[OUTCOMES] = {0};
    size_t n = 0, room = 0;

    setvbuf(stdout, NULL, _IOLBF, 0);
    runner = pthread_self();
    setenv("CT_SOURCE_DIR", CT_SOURCE_DIR, 1);
    setenv("CT_BIN_DIR", CT_BIN_DIR, 1);
    setenv("CT_CACHE_DIR", CT_BIN_DIR "/compiled", 0); /* what an earlier run compiled */
    setenv("CT_CC_SECONDS", "300", 0);                 /* the machine may have other work */
#ifdef CHECK_HAS_ASAN
    setenv("ASAN_OPTIONS", __asan_default_options(), 0); /* for the programs that tests run */
#endif
    for (check_test *t = registered; t; t = t->next)
        room++;
    struct CMUnitTest *tests = calloc(room + 1, sizeof *tests);
    if (!tests)
        return 1;
    for (check_test *t = registered; t; t = t->next)
        if (strstr(t->name, wanted))
            tests[n++] = (struct CMUnitTest){.name = t->name, .test_func = run, .initial_state = t};

    _cmocka_run_group_tests(program, tests, n, NULL, NULL);

    for (size_t i = 0; i < n; i++)
        count[((check_test *)tests[i].initial_state)->outcome]++;
    free(tests);
    fflush(stderr);
    printf("%d passed, %d failed, %d skipped\n", count[PASSED], count[FAILED], count[SKIPPED]);
    return count[FAILED] > 0 || n == 0;
}
