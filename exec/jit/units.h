/* All kernels of a plan as files of C of bounded length; equal ones are one function. */
#ifndef CT_EXEC_JIT_UNITS_H
#define CT_EXEC_JIT_UNITS_H

#include "exec/jit/jit.h"

/* A function, and its text without the name. */
typedef struct ct__unit_function {
    char *text;
    uint64_t hash;
    size_t unit;
} ct__unit_function;

/* Memory is the C library's. */
typedef struct ct__units {
    size_t n_units, n_functions, n_steps;
    ct__unit_function *function;
    ct__fast **step;     /* those with kernels */
    size_t *function_of; /* of each step */
} ct__units;

/* False when memory is short; to be freed in any case. */
bool ct__units_make(ct__units *units, const ct__fast_fusion *steps);
void ct__units_free(ct__units *units);
/* The C of a unit, of which function i is called ct__function_name; text->failed: memory is short.
 */
void ct__unit_code(const ct__units *units, size_t unit, ct__text *text);
enum { CT__FUNCTION_NAME_BYTES = 32 };
void ct__function_name(size_t i, char name[CT__FUNCTION_NAME_BYTES]);

#endif
