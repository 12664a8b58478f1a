/* Showing a program: StableHLO's text, its inputs, and the C code that builds it. */
#ifndef CT_TESTS_FUZZ_SHOW_H
#define CT_TESTS_FUZZ_SHOW_H

#include "tests/fuzz/programs/generate.h"

#include <stdio.h>

void show_text(FILE *out, const program *p);
void show_inputs(FILE *out, const program *p);
void show_code(FILE *out, const program *p);

#endif
