/* The loops of plain.inc with AVX2. */
#if defined(__x86_64__)
#define PLAIN ct__plain_avx2
#include "exec/kernel/plain.inc"
#endif
