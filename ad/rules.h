/* What the rules of several families share, beside derive.h. */
#ifndef CT_AD_RULES_H
#define CT_AD_RULES_H

#include "ad/derive.h"

/* ---- Forward: helpers.c. */

/* The operation with the tangent in its operand's place: the rule wherever it is linear there. */
ct_tensor *ct__jvp_same(const ct__jvp *q);
/* q->y: the operation on q->x. On failure false, and q->dy is poison. */
bool ct__primal(ct__jvp_whole *q);
/* The rule of an operation that is linear in all its float operands together: y on x, and dy the
 * same on dx, zeros for symbolic ones. Other operands stay. */
void ct__jvp_linear(ct__jvp_whole *q);
/* Sets CT_ERR_RULE and fills y and dy with poison. */
void ct__jvp_fail(ct__jvp_whole *q, const char *message);

/* ---- Values: helpers.c. */

/* Whether all elements are one number; there is at least one. Its real and imaginary part. */
bool ct__literal_number(const ct__literal *literal, double part[2]);
/* Whether every element of x is one real number known now: a splat, or copies of a splat's
 * elements. */
bool ct__splat_value(const ct_tensor *x, double *value);
/* t / y for a tangent t: scale(t, 1/y), so that a zero meets no pole; a plain division where y is a
 * constant, finite and not zero. */
ct_tensor *ct__quotient(ct_place at, ct_tensor *t, ct_tensor *y);
/* Of complex numbers. */
ct_tensor *ct__conjugate(ct_place at, ct_tensor *z);
static inline bool ct__is_complex(const ct_tensor *x)
{
    return ct_dtype_is_complex(ct_dtype_of(x));
}
/* Every element of x, which has rank 0 or the type's shape, as that shape. */
ct_tensor *ct__spread(ct_place at, ct_tensor *x, const ct_type *type);
/* Axis d of the result is axis permutation[d] of x; x itself for the identity. */
ct_tensor *ct__permute(ct_place at, ct_tensor *x, size_t rank, const int64_t *permutation);
/* x itself where it has the shape. */
ct_tensor *ct__reshaped(ct_place at, ct_tensor *x, ct_dims shape);
/* The axes below rank that are not in the list, in order; returns how many. */
size_t ct__other_axes(size_t rank, ct_dims list, int64_t *other);
/* The sum of all elements: ct__sum_axes over every axis. */
ct_tensor *ct__sum_all(ct_place at, ct_tensor *x);
/* x in the dtype; x itself where it has it. */
ct_tensor *ct__converted(ct_place at, ct_tensor *x, ct_dtype dtype);

/* factor e^(sign x²). The exponential magnifies the rounding of x², so f16 and bf16 take it in f32:
 * special.c. */
ct_tensor *ct__bell(ct_place at, ct_tensor *x, double sign, double factor);

/* ---- Folds: reduce.c. */

/* The kind of the body of a reduce or reduce_window of one operand without captures. */
int ct__fold_kind(int64_t n_inputs, size_t n_operands, ct__graph *const *region);
/* Whether init is the constant that starts a maximum or minimum (`kind`) and says nothing: -inf or
 * +inf. */
bool ct__is_neutral(ct_tensor *init, int kind);

/* ---- Ties of max and min: select.c. */

/* bool: x is what a maximum or minimum took to give y. It took all elements that equal y, +0 and -0
 * alike; a NaN is taken before any number. */
ct_tensor *ct__taken(ct_place at, ct_tensor *x, ct_tensor *y);
/* 1 / count in the dtype of `type`; count is i64, of its shape. */
ct_tensor *ct__share(ct_place at, ct_tensor *count, const ct_type *type);
/* 1 where x was taken, 1/2 where the other operand was too, else 0. */
ct_tensor *ct__taken_of_two(ct_place at, ct_tensor *x, ct_tensor *other, ct_tensor *y);

/* ---- Indices: gather.c. */

/* In the dtype of indices, value[k] (or the largest number below it) for component k of the index
 * vectors, spread over `indices`. */
ct_tensor *ct__per_component(ct_place at, ct_tensor *indices, int64_t index_vector_dim,
                             size_t count, const int64_t *value);

#endif
