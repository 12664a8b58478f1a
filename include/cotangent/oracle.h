/* Results of exact and high-precision runs as they are, before they are rounded to dtypes: of
 * executables for CT_EXECUTOR_MPFR and CT_EXECUTOR_RATIONAL (exec.h). */
#ifndef COTANGENT_ORACLE_H
#define COTANGENT_ORACLE_H

#include "exec.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Whether the library was built with GMP, MPFR and MPC; else these executors are CT_ERR_ARGUMENT.
 */
CT_API bool ct_has_oracle(void);

typedef enum ct_number_form {
    CT_DECIMAL = 0,  /* "-0.25", "1.5e+300", "0.333…" cut behind the digits asked for */
    CT_FRACTION = 1, /* "-1/4", in lowest terms; of a number of MPFR too, which is one */
    CT_HEX = 2       /* "-0x1p-2"; of a quotient that has no such form "0x1/0x3" */
} ct_number_form;

/* The numbers of one call's results. Owned by the current scope; never NULL: poison on failure. */
typedef struct ct_numbers ct_numbers;

/* As ct_call; results may be NULL, with n_results 0, where the rounded ones are not needed.
 * CT_ERR_ARGUMENT for an executable of another kind; CT_ERR_TRACED for traced arguments. */
CT_API ct_numbers *ct_call_numbers_at(ct_place at, ct_executable *f, ct_list arguments,
                                      ct_tensor **results, size_t n_results);
#define ct_call_numbers(...) ct_call_numbers_at(CT_HERE, __VA_ARGS__)

/* The text of one element of a result, row-major; "(re, im)" of complex ones, and of integers and
 * bools as everywhere. As snprintf: returns how long the text is, of which as much as there is room
 * for is written, and a final 0. `digits` of decimals, 0: as many as the number's bits say. ""
 * for poison, for what is no tensor, and where there is no such element. */
CT_API size_t ct_number_text(const ct_numbers *numbers, size_t result, int64_t element,
                             ct_number_form form, int digits, char *text, size_t bytes);

#ifdef __cplusplus
}
#endif
#endif
