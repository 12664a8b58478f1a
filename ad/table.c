#include "ad/derive.h"

#define CT__JVP_RULE(name) .jvp = ct__jvp_##name,
#define CT__JVP_WHOLE(name) .jvp_whole = ct__jvp_##name,
#define CT__JVP_NONE(reason) .no_jvp = reason, CT__IGNORE
#define CT__JVP_LATER(name) .jvp = NULL,
#define CT__TRANSPOSE_RULE(name) .transpose = ct__transpose_##name,
#define CT__TRANSPOSE_NONE(reason) .no_transpose = reason, CT__IGNORE
#define CT__TRANSPOSE_LATER(name) .transpose = NULL,

static const ct__derivative table[CT__OP_COUNT] = {
#define OP(name, operands, dtypes, attrs, traits, infer, jvp, transpose, ...)                      \
    [CT__OP_##name] = {CT__JVP_##jvp(name) CT__TRANSPOSE_##transpose(name)},
#include "ops/ops.def"
#undef OP
};

const ct__derivative *ct__derivative_of(ct__op op)
{
    return &table[op];
}
