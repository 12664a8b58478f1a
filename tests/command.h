/* The command in tests: what it prints, and files for it.
 *
 *     command_make_folder();
 *     command_write("f.mlir", "func.func @main() { return }");
 *     CHECK_RUN("run ~/f.mlir", 0, "");          // "~" is the folder
 *     command_remove_folder(); */
#ifndef CT_TESTS_COMMAND_H
#define CT_TESTS_COMMAND_H

#include "tests/check.h"

/* What `cotangent ARGUMENTS` printed, and its exit status. */
typedef struct command_outcome {
    char text[32768];
    int status;
} command_outcome;

/* The arguments are a shell's. */
void command_run(command_outcome *o, const char *arguments);
size_t command_lines(const char *text);

/* Nothing on stdout, exit status 2, and one line on stderr that holds `part`. */
#define CHECK_USAGE(arguments, part) command_check_usage(__FILE__, __LINE__, arguments, part)
void command_check_usage(const char *file, int line, const char *arguments, const char *part);

/* ---- A folder for files. */

void command_make_folder(void);
void command_remove_folder(void);
/* The path of a file in it; good until four more have been asked for. */
const char *command_path(const char *name);
void command_write(const char *name, const char *text);

/* The command with the folder's name for every "~". */
void command_run_here(command_outcome *o, const char *arguments);
/* The same, with the status and the output that are expected, "~" in it as well. */
#define CHECK_RUN(arguments, status, expected)                                                     \
    command_check(__FILE__, __LINE__, arguments, status, expected)
void command_check(const char *file, int line, const char *arguments, int status,
                   const char *expected);

#endif
