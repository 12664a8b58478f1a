/* The samples as text, for the tests of the printer. */
#ifndef CT_TESTS_SAMPLES_TEXT_H
#define CT_TESTS_SAMPLES_TEXT_H

#include "tests/samples.h"

const char *samples_text(ct_function *f);
const sample *samples_named(const char *name); /* fails the test when there is none */

/* The text of the sample holds every one of the pieces, in this order. */
void samples_check_pieces(const char *file, int line, const char *name, const char *const *piece,
                          size_t count);
#define CHECK_PIECES(name, ...)                                                                    \
    samples_check_pieces(__FILE__, __LINE__, name, (const char *const[]){__VA_ARGS__},             \
                         sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))

#endif
