/* The loops of moves.inc with AVX512. */
#if defined(__x86_64__)
#define N(name) name##_avx512
#define NAME "avx512"
#include "exec/kernel/moves.inc"
#endif
