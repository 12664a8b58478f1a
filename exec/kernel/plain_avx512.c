/* The loops of plain.inc with AVX-512. */
#if defined(__x86_64__)
#define PLAIN ct__plain_avx512
#include "exec/kernel/plain.inc"
#endif
