/* Reading one piece of StableHLO's text, for the tests of what reads it. */
#ifndef CT_TESTS_READING_H
#define CT_TESTS_READING_H

#include "tests/check.h"

#include "interop/stablehlo/read_module.h"

typedef struct reading {
    ct_context *ctx;
    ct__reader r;
    const char *text, *stop;
} reading;

void reading_begin(reading *q, const char *text);
/* "TEXT\n#x = …\n", in memory that the test keeps; of the text up to its end is read. */
void reading_begin_with_aliases(reading *q, char *memory, size_t bytes, const char *text,
                                const char *const *definition);
void reading_end(reading *q);
/* Whether all of the text has been read. */
bool reading_is_at_end(reading *q);
const char *reading_errors(const reading *q);
/* The first line of the errors is "t:1:COLUMN: MESSAGE". */
void reading_check_error(int line, const reading *q, int column, const char *message);

/* The text is no attribute. */
void reading_check_attribute_error(int line, const char *text, int column, const char *message);
#define CHECK_ATTRIBUTE_ERROR(text, column, message)                                               \
    reading_check_attribute_error(__LINE__, text, column, message)

#endif
