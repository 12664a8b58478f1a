#include "exec/kernel/moves.h"

const ct__moves *ct__moves_here(void)
{
#ifdef __x86_64__
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq"))
        return &ct__moves_avx512;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return &ct__moves_avx2;
#endif
    return &ct__moves_base;
}
