/* For runs that judge machine numbers: where numbers of MPFR leave the range of their exponents
 * they are infinite, as machine numbers are long before, and that is no error. Said before the
 * first run; nothing for other executors. */
#ifndef CT_EXEC_SATURATE_H
#define CT_EXEC_SATURATE_H

#include <cotangent/exec.h>

struct ct__program;

void ct__program_saturates(struct ct__program *program);
void ct__executable_saturates(const ct_executable *f);

#endif
