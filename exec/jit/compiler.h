/* The system's C compiler as a process, and what it makes loaded. */
#ifndef CT_EXEC_JIT_COMPILER_H
#define CT_EXEC_JIT_COMPILER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

enum { CT__PATH_BYTES = 1024, CT__REASON_BYTES = 512 };

/* Why something did not work, in one line. */
typedef struct ct__reason {
    char text[CT__REASON_BYTES];
} ct__reason;

/* Fills the reason unless there is one; returns false. */
bool ct__give_reason(ct__reason *reason, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The compiler: CT_CC from the environment, a path or a name in PATH; else cc, gcc or clang. */
bool ct__find_compiler(char path[CT__PATH_BYTES], ct__reason *reason);

/* The options that code is compiled with, but for the names of files; ends with NULL. */
extern const char *const ct__compiler_options[];

/* Compile folder/kernel.c to folder/kernel.so. Ends early, and fails, when *cancelled becomes true.
 * Longer than CT_CC_SECONDS from the environment, else 30, is a failure. */
bool ct__run_compiler(const char *compiler, const char *folder, const atomic_bool *cancelled,
                      ct__reason *reason);

#endif
