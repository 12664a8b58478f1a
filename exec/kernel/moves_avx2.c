/* The loops of moves.inc with AVX2. */
#if defined(__x86_64__)
#define N(name) name##_avx2
#define NAME "avx2"
#include "exec/kernel/moves.inc"
#endif
