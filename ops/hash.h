/* Hashes: equal for equal things, within one run of the program. */
#ifndef CT_OPS_HASH_H
#define CT_OPS_HASH_H

#include "ops/ops.h"

static inline uint64_t ct__mix(uint64_t hash, uint64_t number)
{
    hash = (hash ^ number) * 0x9E3779B97F4A7C15u;
    return hash ^ hash >> 29;
}

uint64_t ct__mix_type(uint64_t hash, const ct_type *type);
uint64_t ct__mix_attrs(uint64_t hash, ct__attrs_kind kind, const ct__attrs *attrs);

#endif
