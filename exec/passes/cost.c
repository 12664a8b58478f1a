#include "exec/passes/passes.h"

int ct__cost_of(ct__op op)
{
    switch (op) {
    case CT__OP_divide:
    case CT__OP_sqrt:
    case CT__OP_rsqrt: return 3;
    case CT__OP_abs:
    case CT__OP_add:
    case CT__OP_and:
    case CT__OP_compare:
    case CT__OP_convert:
    case CT__OP_maximum:
    case CT__OP_minimum:
    case CT__OP_multiply:
    case CT__OP_negate:
    case CT__OP_not:
    case CT__OP_or:
    case CT__OP_scale:
    case CT__OP_scale_either:
    case CT__OP_select:
    case CT__OP_sign:
    case CT__OP_subtract: return 1;
    default: return 6;
    }
}
