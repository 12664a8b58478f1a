/* Which operations are made, how often. */
#ifndef CT_TESTS_FUZZ_MENU_H
#define CT_TESTS_FUZZ_MENU_H

#include "tests/fuzz/programs/generate.h"

/* A family that may stand where the generator is. */
maker *menu_maker(generator *g);

#endif
