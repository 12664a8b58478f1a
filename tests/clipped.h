/* x³ with a rule for reverse mode that is not linear: its cotangent 3 x² ybar is clipped to
 * [-10, 10]. */
#ifndef CT_TESTS_CLIPPED_H
#define CT_TESTS_CLIPPED_H

#include <cotangent/base.h>

ct_tensor *clipped_cube(ct_tensor *x);

#endif
