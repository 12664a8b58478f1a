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

/* ---- Rules of the program: custom.c. */

/* Of a transposed_call: (residuals…, dx…) -> (dy…), the transpose of its function. Borrowed; NULL
 * after an error. */
ct__graph *ct__transposed_body(ct_context *ctx, ct_place at, const ct__attrs *attrs,
                               ct__graph *function, const ct__claim *claim);

/* ---- Values: helpers.c. */

/* Whether all elements are one number; there is at least one. Its real and imaginary part. */
bool ct__literal_number(const ct__literal *literal, double part[2]);
/* Whether every element of x is one real number known now: a splat, or copies of a splat's
 * elements. */
bool ct__splat_value(const ct_tensor *x, double *value);
/* The node that made a traced value, and its graph; NULL for others. Recording moves nodes. */
const ct__node *ct__maker(const ct_tensor *x, const ct__graph **graph);
/* Operand i of the node that made x, as a value of x's trace. */
ct_tensor *ct__maker_operand(const ct_tensor *x, const ct__graph *graph, const ct__node *node,
                             size_t i);
/* The sum of two cotangents of slices that lie next to each other, without adding; NULL for others:
 * pieces.c. */
ct_tensor *ct__sum_pieces(ct_place at, ct_tensor *x, ct_tensor *y);
/* Whether x is the cotangent of such a slice. */
bool ct__is_piece(const ct_tensor *x);
/* Whether y has few elements beside those of x, which has many: places.c. */
bool ct__is_small_part(const ct_type *x, const ct_type *y);
/* Whether the slice y is one window, a small part of a large x: places.c. */
bool ct__is_small_window(const ct__attrs *attrs, const ct_type *x, const ct_type *y);
/* t / y for a tangent t: scale(t, 1/y), so that a zero meets no pole; a plain division where y is a
 * constant, finite and not zero. */
ct_tensor *ct__quotient(ct_place at, ct_tensor *t, ct_tensor *y);
/* z itself where it is real. */
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
/* x in the dtype; x itself where it has it. Of a quantized x the numbers that it stands for. */
ct_tensor *ct__converted(ct_place at, ct_tensor *x, ct_dtype dtype);

/* factor e^(sign x²). The exponential magnifies the rounding of x², so f16 and bf16 take it in f32:
 * special.c. */
ct_tensor *ct__bell(ct_place at, ct_tensor *x, double sign, double factor);

/* ---- Bodies on many elements: lift.c. */

/* The graph for `count` elements at once: the first n_lifted arguments have an axis of that extent
 * in front, the others are the same for all of them. So do the results have it. False after an
 * error. */
bool ct__lift(ct_context *ctx, ct_place at, const ct__graph *graph, int64_t count, size_t n_lifted,
              ct_tensor *const *argument, ct_tensor **result);

/* ---- Derivatives by way of other operations: replace.c. */

/* An operation, for which others are to be recorded that mean the same. */
typedef struct ct__replaced {
    ct_context *ctx;
    ct_place at;
    const ct__attrs *attrs;
    size_t n_operands;
    ct_tensor *const *x;
    size_t n_regions;
    ct__graph *const *region;
    size_t n_results;
    ct_tensor **y; /* to be filled */
} ct__replaced;
typedef void ct__replacement(const ct__replaced *q);

/* The value stays the operation's own. */
void ct__jvp_replaced(ct__jvp_whole *q, ct__replacement *replacement);
/* The value is the replacement's, which has the same bits: an array that both made would be there
 * twice. */
void ct__jvp_replaced_whole(ct__jvp_whole *q, ct__replacement *replacement);
/* Reports it where the replacement is not linear. */
void ct__transpose_replaced(ct__transpose *q, ct__replacement *replacement);

/* ---- Folds: reduce.c. */

/* y[i] [m] = the fold of the rows of x[i] [count, m] from init, by a scan with the lifted body:
 * what reduce and reduce_window do, whose init, captures and body q has. running: as it is after
 * each row, [count, m]. */
void ct__fold_rows(const ct__replaced *q, ct_tensor *const *x, int64_t count, int64_t m,
                   bool running);
/* The y of a shape without elements. */
void ct__fold_nothing(const ct__replaced *q, ct_dims shape);
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
/* 1 where x was taken to give y, 1/2 where the other operand was too, else 0. kind: CT__OP_maximum
 * or CT__OP_minimum. */
ct_tensor *ct__taken_of_two(ct_place at, int kind, ct_tensor *x, ct_tensor *other, ct_tensor *y);

/* ---- Indices: gather.c. */

/* The elements of x at these positions, counted through all of x, and clamped. */
ct_tensor *ct__elements_at(ct_place at, ct_tensor *x, ct_tensor *position);

/* In the dtype of indices, value[k] (or the number nearest to it) for component k of the index
 * vectors, spread over `indices`. */
ct_tensor *ct__per_component(ct_place at, ct_tensor *indices, int64_t index_vector_dim,
                             size_t count, const int64_t *value);

#endif
