/* What primitives and composites are written with. A composite checks its operands in its own name,
 * brings them to one shape and dtype, and builds primitives at the user's place. */
#ifndef CT_TRACE_COMPOSE_H
#define CT_TRACE_COMPOSE_H

#include "trace/trace.h"

#include <cotangent/op.h>
#include <cotangent/op_program.h>
#include <cotangent/operand.h>

/* An attribute list from a caller's list; inference reports a NULL with a count. */
static inline ct__ints ct__ints_of(ct_shape list)
{
    return (ct__ints){list.count, list.dim};
}

/* ---- A composite in progress. */

typedef struct ct__composite {
    ct_context *ctx; /* of the operands; NULL when none has one */
    ct_place at;
    const char *name;     /* "where" */
    const char *operands; /* their names: "pred x y", "x start..." */
    size_t n_operands;
    const ct_operand *operand; /* borrowed */
    ct_scope scope;            /* of intermediate values, between open and close */
} ct__composite;

/* False when the context has failed, or after an error of its own: a NULL, poisoned or foreign
 * operand. */
bool ct__begin(ct__composite *q, ct_place at, const char *name, const char *operands,
               size_t n_operands, const ct_operand *operand);
/* With the operand x alone, which is stored in *operand. */
bool ct__begin1(ct__composite *q, ct_place at, const char *name, ct_operand *operand, ct_tensor *x);

/* Sets the error "NAME: TEXT" with a line per operand; returns poison. */
ct_tensor *ct__composite_error(const ct__composite *q, ct_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The same for checks: false, which readers and analysers see in place. */
#define ct__composite_fail(...) (ct__composite_report(__VA_ARGS__), false)
void ct__composite_report(const ct__composite *q, ct_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Intermediate values between open and close are released by close, which keeps the result. A
 * result that is an operand itself becomes a handle of its own. */
void ct__open(ct__composite *q);
ct_tensor *ct__close(ct__composite *q, ct_tensor *result);

/* Another handle of the same value. */
ct_tensor *ct__alias(ct_place at, const char *origin, ct_tensor *x);

/* ---- Types. */

/* A shape of its own: no tensor needs to outlive it. */
typedef struct ct__extents {
    int rank;
    int64_t dim[CT__MAX_RANK];
} ct__extents;

ct__extents ct__extents_of(const ct_tensor *x);
static inline ct_shape ct__shape(const ct__extents *extents)
{
    return (ct_shape){(size_t)extents->rank, extents->dim};
}

/* Whether the classes (CT__FLOATS | …) allow operand i, a tensor; else CT_ERR_TYPE, which says what
 * they allow. */
bool ct__allow(const ct__composite *q, size_t i, unsigned classes);

/* The dtype of the tensors among operands [first, n): an error unless they have one in common. */
bool ct__common_dtype(const ct__composite *q, size_t first, ct_dtype *dtype);

/* ---- Broadcasting. */

/* NumPy's rule for the operands [first, n): axes match from the last one, extent 1 stretches. */
bool ct__broadcast(const ct__composite *q, size_t first, ct__extents *shape);
/* x stretched to a shape that it broadcasts to; x itself when nothing changes. */
ct_tensor *ct__stretch(ct_place at, ct_tensor *x, const ct__extents *shape);
/* Operand i in this shape; a number gets the dtype. */
ct_tensor *ct__operand(const ct__composite *q, size_t i, ct_dtype dtype, const ct__extents *shape);
/* The operands [first, n) in one dtype, of these classes, and in the shape that all operands
 * broadcast to; between open and close. */
bool ct__align(const ct__composite *q, size_t first, unsigned classes, ct_tensor **aligned);
/* Every element is the number; CT_ERR_ARGUMENT in the composite's name when dtype cannot hold it.
 * One element is stored. */
ct_tensor *ct__number(const ct__composite *q, ct_operand number, ct_dtype dtype,
                      const ct__extents *shape);
/* The same, not part of a composite, for a number that all dtypes of its callers hold, but for the
 * 0 that f8E8M0FNU has not: CT_ERR_TYPE. */
ct_tensor *ct__fill(ct_context *ctx, ct_place at, ct_operand number, ct_dtype dtype,
                    const ct__extents *shape);

/* ---- Axes. */

/* An axis below `rank`, which may be given from the end; CT_ERR_SHAPE names it. */
bool ct__axis(const ct__composite *q, const char *name, int64_t axis, int rank, int64_t *result);
/* A list with a count is not NULL. */
bool ct__axes_given(const ct__composite *q, ct_axes axes);
/* Distinct axes in rising order; CT_ALL_AXES gives all of them. */
bool ct__axes(const ct__composite *q, ct_axes axes, int rank, ct__extents *sorted);
/* Distinct axes in the order of the list. */
bool ct__axes_listed(const ct__composite *q, ct_axes axes, int rank, ct__extents *list);

/* ---- Numbers of reductions. */

/* f16 and bf16 as f32; others as they are. */
ct_dtype ct__sum_dtype(ct_dtype dtype);
ct_tensor *ct__convert(ct_place at, ct_tensor *x, ct_dtype dtype); /* x itself when it has dtype */
/* An s, constant for differentiation, such that sums of (x/s)^2 and their derivatives neither
 * overflow nor lose what counts to underflow when the largest |x| is this; f32 or f64 of this
 * shape. */
ct_tensor *ct__square_unit(const ct__composite *q, ct_tensor *largest, ct_dtype dtype,
                           const ct__extents *shape);

/* ---- Operations with bodies. */

/* Results of a failure; result may be NULL. */
void ct__fill_poison(ct_context *ctx, ct_tensor **result, size_t n_results);
/* ct__body for x's dtype; NULL when x has none, and after an error. */
ct__graph *ct__usual_body(ct_place at, int op, const ct_tensor *x);
/* Whether a function may be a body: not NULL, poison or another context's. Reports otherwise. */
bool ct__body_check(ct_context *ctx, ct_place at, ct__op op, const ct_function *body);
/* x folded by one operation from its neutral element: add, multiply, maximum, minimum, and the and
 * and or of bool. `reducer` is reduce or reduce_window, with its attributes. */
ct_tensor *ct__fold_usual(ct_place at, ct__op reducer, const ct__attrs *attrs, int op,
                          ct_tensor *x);
ct_operand ct__neutral(int op, ct_dtype dtype);
ct_tensor *ct__reduce_usual(ct_place at, int op, ct_tensor *x, ct_dims axes);
ct_tensor *ct__reduce_window_usual(ct_place at, int op, ct_tensor *x, const ct_window_dims *dims);
/* The body (v, i, w, j) -> the extreme of v and w, and its position: op is maximum or minimum. A
 * NaN is the extreme of all, and of equal ones that at the lower position. Commutative and
 * associative. Owned by the caller; NULL after an error. */
ct__graph *ct__extreme_body(ct_context *ctx, ct_place at, ct__op op, ct_dtype dtype,
                            ct_dtype index);
/* Applies op to the operands of all lists, one list after the other, with these bodies. On failure
 * the results are poison. */
void ct__with_body(ct_place at, ct__op op, const ct__attrs *attrs, size_t n_lists,
                   const ct_list *lists, size_t n_bodies, ct_function *const *bodies,
                   ct_tensor **result, size_t n_results);

/* Applies the request with the types of the examples, and a token's behind them if asked for, as
 * those of its results. The context may also be that of the examples. */
void ct__with_examples(const ct__request *request, ct_list examples, bool and_token,
                       ct_tensor **result);

#endif
