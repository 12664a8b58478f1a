/* Executors that give the same bits. */
#ifndef CT_TESTS_SAME_H
#define CT_TESTS_SAME_H

#include "tests/check.h"

#include <cotangent/cotangent.h>

ct_executable *compile_with(ct_function *f, ct_executor executor);

/* Checks that the executor gives the bits of the interpreter in machine numerics, but that a NaN
 * equals a NaN. False, with the context's error, where the program is not one that can be run
 * alone. */
bool same_as_machine(ct_function *f, ct_list arguments, ct_executor executor, const char *what);
/* The same of f compiled already. */
bool is_same_as_machine(ct_executable *e, ct_function *f, ct_list arguments, const char *what);

#endif
