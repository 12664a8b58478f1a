/* How far a run is from exact numbers, and where its error is born.
 *
 * The function runs once in machine numbers and once in numbers of MPFR, and each operation once
 * more in MPFR, on the operands that the machine had. So the error of every value inside the
 * program is known, and its two parts: what the operation itself has rounded (born), and what came
 * with its operands (inherited). Errors are in ulps: units in the last place of the dtype's numbers
 * near the exact value. Of quantized values they are in steps, of one scale each, between the
 * stored integers of both runs; and the worst element is told as the real numbers that these stand
 * for. */
#ifndef COTANGENT_COMPARE_H
#define COTANGENT_COMPARE_H

#include "exec.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ct_compare_options {
    size_t size;          /* sizeof(ct_compare_options); later versions may add members behind */
    ct_executor executor; /* CT_EXECUTOR_INTERPRETER, or any executor of machine numerics, which
                             have the same bits */
    size_t bits;          /* of the exact numbers, 64 to 2^20; 0: 256 */
    uint64_t seed;        /* of the random numbers of both runs */
} ct_compare_options;

/* Errors of many elements. Where one of two numbers is infinite or NaN and the other is not it, the
 * error is infinite: counted, and left out of the mean. */
typedef struct ct_spread {
    double largest, mean; /* in ulps; of quantized values in steps of their scale */
    int64_t infinite;
} ct_spread;

/* A result of the function, or a value inside of it, which loops may have made many times. */
typedef struct ct_compared {
    const char *operation;     /* that made it; "" for a result */
    ct_place place;            /* of the operation */
    const char *type;          /* "f32[2,3]" */
    int64_t runs, elements;    /* in all */
    int64_t differing;         /* integers, stored ones too, and bools that are not the same */
    ct_spread total;           /* machine against exact */
    ct_spread born, inherited; /* not of results */
    int64_t worst;             /* row-major position of the element with the largest error, */
    double worst_machine;      /* what the machine has there, */
    double worst_exact;        /* and what is exact, rounded */
} ct_compared;

typedef struct ct_accuracy ct_accuracy;

/* Owned by the current scope; never NULL: poison on failure. NULL options: the defaults.
 *
 *   errors   CT_ERR_TRACED for traced arguments; CT_ERR_ARGUMENT without an oracle
 *            (ct_has_oracle), for another executor or other bits; what running gives */
CT_API ct_accuracy *ct_compare_at(ct_place at, ct_function *f, ct_list arguments,
                                  const ct_compare_options *options);
#define ct_compare(...) ct_compare_at(CT_HERE, __VA_ARGS__)

/* Defined for NULL and poison: none, and lines of zeros. */
CT_API size_t ct_compared_results(const ct_accuracy *comparison);
CT_API size_t ct_compared_values(const ct_accuracy *comparison);
CT_API ct_compared ct_compared_result(const ct_accuracy *comparison, size_t i);
/* Values by the largest error that is born there, the largest first. */
CT_API ct_compared ct_compared_value(const ct_accuracy *comparison, size_t i);
/* Whether both runs have gone the same way: the same branches, and loops as often. Where they have
 * not, a comparison that decides came out otherwise, and what follows may be far apart. */
CT_API bool ct_compared_same_way(const ct_accuracy *comparison);
/* All of it as a table, owned by the current scope; the first `most` values, 0: all. */
CT_API const char *ct_accuracy_text(const ct_accuracy *comparison, size_t most);

#ifdef __cplusplus
}
#endif
#endif
