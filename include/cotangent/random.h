/* Counter-based random tensors. The numbers depend on the key, the shape and the dtype alone: they
 * are the same on every machine. Generator: Threefry-2x32, 20 rounds (Salmon, Moraes, Dror, Shaw,
 * "Parallel random numbers: as easy as 1, 2, 3", 2011). */
#ifndef COTANGENT_RANDOM_H
#define COTANGENT_RANDOM_H

#include "base.h"
#include "dtype.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A key is a plain value. Using one key twice gives the same numbers twice; ct_key_fold makes
 * independent keys from one. */
typedef struct ct_key {
    uint32_t word[2];
} ct_key;

CT_API ct_key ct_key_new(uint64_t seed);
CT_API ct_key ct_key_fold(ct_key key, uint64_t data);

/* Every tensor: CT_ERR_TYPE for another dtype than named, and the errors of making (tensor.h). But
 * for permutations, element i depends on the key and i alone: a larger tensor begins with the
 * numbers of a smaller one. */

/* Uniform in [low, high), or low where the two are equal; floats. The bounds are
 * rounded to the dtype first; low <= high, both finite there (CT_ERR_ARGUMENT). */
CT_API ct_tensor *ct_random_uniform_at(ct_place at, ct_context *ctx, ct_key key, ct_dtype dtype,
                                       ct_shape shape, double low, double high);
/* Normal with mean 0 and deviation 1, by inversion (Wichura, AS 241, 1988); floats, but
 * not f8E8M0FNU, which has no negative numbers. */
CT_API ct_tensor *ct_random_normal_at(ct_place at, ct_context *ctx, ct_key key, ct_dtype dtype,
                                      ct_shape shape);
/* Integers in [low, high), without bias; integer dtypes. low < high, and low and high - 1 fit the
 * dtype (CT_ERR_ARGUMENT). */
CT_API ct_tensor *ct_random_integers_at(ct_place at, ct_context *ctx, ct_key key, ct_dtype dtype,
                                        ct_shape shape, int64_t low, int64_t high);
/* A random order of 0 … n-1 as i64 (Fisher and Yates). */
CT_API ct_tensor *ct_random_permutation_at(ct_place at, ct_context *ctx, ct_key key, int64_t n);

#define ct_random_uniform(...) ct_random_uniform_at(CT_HERE, __VA_ARGS__)
#define ct_random_normal(...) ct_random_normal_at(CT_HERE, __VA_ARGS__)
#define ct_random_integers(...) ct_random_integers_at(CT_HERE, __VA_ARGS__)
#define ct_random_permutation(...) ct_random_permutation_at(CT_HERE, __VA_ARGS__)

#ifdef __cplusplus
}
#endif
#endif
