/* Which operation is to blame for a derivative that is wrong, or has lost its digits. */
#ifndef CT_PROBE_BLAME_H
#define CT_PROBE_BLAME_H

#include <cotangent/compare.h>

typedef struct ct__blame {
    const char *operation; /* NULL: it could not be found */
    const char *function;  /* of a rule of the program; else NULL */
    ct_place place;
} ct__blame;

/* The operation that makes errors larger than all others do, in a comparison; false: none does. */
bool ct__find_lost(const ct_accuracy *a, ct__blame *blame);

#endif
