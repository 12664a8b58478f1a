#include "exec/kernel/arrays.h"

bool ct__is_elementary(ct__op op)
{
    switch (op) {
    case CT__OP_exponential:
    case CT__OP_exponential_minus_one:
    case CT__OP_log:
    case CT__OP_log_plus_one:
    case CT__OP_tanh:
    case CT__OP_logistic:
    case CT__OP_erf:
    case CT__OP_rsqrt:
    case CT__OP_sine:
    case CT__OP_cosine:
    case CT__OP_tan:
    case CT__OP_power:
    case CT__OP_cbrt:
    case CT__OP_erfc:
    case CT__OP_sinh:
    case CT__OP_cosh:
    case CT__OP_asinh:
    case CT__OP_acosh:
    case CT__OP_atanh:
    case CT__OP_asin:
    case CT__OP_acos:
    case CT__OP_atan:
    case CT__OP_atan2: return true;
    default: return false;
    }
}

bool ct__has_fold(ct__op op)
{
    return op == CT__OP_add || op == CT__OP_multiply || op == CT__OP_maximum ||
           op == CT__OP_minimum;
}

const ct__arrays *ct__arrays_here(void)
{
#ifdef __x86_64__
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq"))
        return &ct__arrays_avx512;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return &ct__arrays_avx2;
#endif
    return &ct__arrays_base;
}
