/* Texts of several modules, and the errors that their comments announce. */
#ifndef CT_INTEROP_STABLEHLO_READ_PARTS_H
#define CT_INTEROP_STABLEHLO_READ_PARTS_H

#include "interop/stablehlo/read.h"

/* Part `index` of the text; false: there are fewer. */
bool ct__part_of(ct__span text, size_t index, ct_stablehlo_part *part);

typedef struct ct__expected {
    int line;         /* of the whole text, where the error is to be reported */
    ct__span message; /* what stands between {{ and }}; empty: any */
} ct__expected;

/* The next "// expected-error@+1 {{message}}" of the part. *from is NULL at first; false: there is
 * no other. */
bool ct__expected_error(const ct_stablehlo_part *part, const char **from, ct__expected *expected);

#endif
