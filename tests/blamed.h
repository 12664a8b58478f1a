/* Who is blamed for a wrong derivative. */
#ifndef CT_TESTS_BLAMED_H
#define CT_TESTS_BLAMED_H

#include <cotangent/gradcheck.h>

/* The first wrong finding; NULL: there is none. */
const ct_gradcheck_finding *wrong_finding(const ct_gradcheck_report *report);

/* That this operation of this function at this place makes it wrong; function NULL: of none. */
void check_blamed(const ct_gradcheck_report *report, const char *operation, const char *function,
                  ct_place place);

#endif
