/* A sampling profile of the process by gperftools, whose library is looked for when it is asked
 * for. */
#ifndef CT_TOOLS_CPU_PROFILE_H
#define CT_TOOLS_CPU_PROFILE_H

#include <stdbool.h>

/* Samples go to the file, which pprof reads. False after saying that the library is not there. */
bool begin_cpu_profile(const char *path);
void end_cpu_profile(void);

#endif
