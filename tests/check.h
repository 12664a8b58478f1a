/* The generic part of the test programs, a thin layer over cmocka.
 *
 *     #include "tests/check.h"
 *
 *     TEST(addition)
 *     {
 *         CHECK(1 + 1 == 2);
 *         CHECK_MSG(2 + 2 == 4, "2 + 2 gave %d", 2 + 2);
 *     }
 *
 * A TEST registers itself and there is no main to write: tests/check.c has it. Tests run in the
 * order of the file, and `test_slice clamp` runs those whose name contains "clamp". The last line
 * of a program is `N passed, N failed, N skipped`; its exit status is 0 if none failed.
 *
 * The first failed check ends its test. In a thread that the test started, it is reported and
 * counted, but the thread goes on: only the test's own thread can be unwound.
 *
 * CT_SOURCE_DIR and CT_BIN_DIR are strings: the source folder, and the folder that holds the
 * command, `examples/` and `tests/`. Programs are run from the source folder. Shell commands find
 * both in the environment, "$CT_SOURCE_DIR", for a path may hold any character.
 */
#ifndef CT_TESTS_CHECK_H
#define CT_TESTS_CHECK_H

#include <stddef.h>

typedef struct check_test check_test;
struct check_test {
    const char *name, *file;
    int line;
    void (*body)(void);
    int outcome;
    check_test *next;
};

#define TEST(name_)                                                                                \
    static void check_body_##name_(void);                                                          \
    __attribute__((constructor)) static void check_enter_##name_(void)                             \
    {                                                                                              \
        static check_test test = {.name = #name_, .file = __FILE__, .line = __LINE__};             \
        test.body = check_body_##name_;                                                            \
        check_register(&test);                                                                     \
    }                                                                                              \
    static void check_body_##name_(void)

/* The condition may hold commas. */
#define CHECK(...)                                                                                 \
    ((__VA_ARGS__) ? (void)0 : check_fail(__FILE__, __LINE__, "CHECK(%s)", #__VA_ARGS__))

/* CHECK_MSG(condition, format, ...) says what was found instead of the condition's text. */
#define CHECK_MSG(condition, ...)                                                                  \
    ((condition) ? (void)0 : check_fail(__FILE__, __LINE__, __VA_ARGS__))

/* SKIP(format, ...) ends the test and prints `skipped: NAME: reason`. */
#define SKIP(...) check_skip(__FILE__, __LINE__, __VA_ARGS__)

/* SHARED("data/iris.csv") is the path of a file or folder of the shared material. Where that is
 * missing the test is skipped, with a reason that begins "shared material". The material is in the
 * folder that the environment's CT_SHARED names, else in ../shared beside the source folder. The
 * string is good until the program ends. */
#define SHARED(path) check_shared(__FILE__, __LINE__, path)

void check_register(check_test *test);

/* Report a failure at file:line and end the test. Helpers pass on the place of their caller. */
void check_fail(const char *file, int line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

void check_skip(const char *file, int line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

const char *check_shared(const char *file, int line, const char *path);

/* The name of the running test. */
const char *check_name(void);

#endif
