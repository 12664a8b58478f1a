#include "ad/rules.h"

#include <cotangent/op_large.h>

/* Batches of matrices in the last two axes. A "triangle" is the named one with its diagonal; what
 * an operation does not read has derivative 0, exactly as differences of values tell. */

/* ---- Matrices. */

/* x with its last two axes exchanged. */
static ct_tensor *transposed(ct_place at, ct_tensor *x)
{
    int64_t permutation[CT__MAX_RANK];
    const size_t rank = ct_rank(x);
    if (ct_is_poison(x))
        return x;
    for (size_t d = 0; d < rank; d++)
        permutation[d] = (int64_t)d;
    permutation[rank - 2] = (int64_t)rank - 1;
    permutation[rank - 1] = (int64_t)rank - 2;
    return ct__permute(at, x, rank, permutation);
}

/* x y. */
static ct_tensor *product(ct_place at, ct_tensor *x, ct_tensor *y)
{
    int64_t batching[CT__MAX_RANK];
    const size_t rank = ct_rank(x);
    if (ct_is_poison(x))
        return x;
    const int64_t row = (int64_t)rank - 2, column = (int64_t)rank - 1;
    for (size_t d = 0; d < rank; d++)
        batching[d] = (int64_t)d;
    const ct_dot_dims dims = {.lhs_batching = {rank - 2, batching},
                              .rhs_batching = {rank - 2, batching},
                              .lhs_contracting = {1, &column},
                              .rhs_contracting = {1, &row}};
    return ct_op_dot_general_at(at, x, y, &dims);
}

/* bool of the type's shape: row OP column. */
static ct_tensor *places(ct_context *ctx, ct_place at, const ct_type *type, ct_comparison op)
{
    const ct_dims shape = {(size_t)type->rank, type->dim};
    ct_tensor *row = ct_op_iota_at(at, ctx, CT_I64, shape, type->rank - 2);
    ct_tensor *column = ct_op_iota_at(at, ctx, CT_I64, shape, type->rank - 1);
    return ct_op_compare_at(at, row, column, op, CT_COMPARE_SIGNED);
}

/* x in the triangle, its diagonal included or not, and 0 elsewhere. */
static ct_tensor *triangle(ct_place at, ct_tensor *x, bool lower, bool diagonal)
{
    const ct_type *type = ct_type_of(x);
    if (!type)
        return x;
    const ct_comparison op = lower ? (diagonal ? CT_GE : CT_GT) : (diagonal ? CT_LE : CT_LT);
    ct_context *ctx = ct_context_of(x);
    return ct_op_select_at(at, places(ctx, at, type, op), x, ct__zeros(ctx, at, type));
}

/* The triangle of x with half its diagonal, of which a Hermitian x is the sum with its adjoint. */
static ct_tensor *half(ct_place at, ct_tensor *x, bool lower)
{
    const ct_type *type = ct_type_of(x);
    if (!type)
        return x;
    ct_tensor *diagonal = places(ct_context_of(x), at, type, CT_EQ);
    ct_tensor *halved = ct_op_multiply_at(at, x, ct__like(at, x, 0.5));
    return triangle(at, ct_op_select_at(at, diagonal, halved, x), lower, true);
}

/* ---- cholesky. */

static ct_tensor *solve(ct_place at, ct_tensor *a, ct_tensor *b, bool left, bool lower,
                        ct_transpose op)
{
    const ct_solve_options options = {.left_side = left, .lower = lower, .transpose_a = op};
    return ct_op_triangular_solve_at(at, a, b, &options);
}

/* From a = l l^H follows l^-1 da l^-H = l^-1 dl + (l^-1 dl)^H, whose terms are triangles, so
 *
 *   dl = l half(l^-1 da l^-H)    and, for a = u^H u,    du = half(u^-H da u^-1) u
 *
 * (Murray 2016, arXiv:1602.07527). Here da is what the triangle that is read tells of it, as in
 * the operation itself: half(da) + half(da)^H. So the cotangent of a is a triangle, and its
 * symmetric part is what counts where a depends on something symmetrically. The last triangle()
 * keeps 0 what is 0 where the factor is NaN. */
ct_tensor *ct__jvp_cholesky(const ct__jvp *q)
{
    const bool lower = q->attrs->cholesky.lower;
    ct_place at = q->at;
    ct_tensor *part = half(at, q->dx, lower);
    ct_tensor *da = ct_op_add_at(at, part, ct__conjugate(at, transposed(at, part)));
    ct_tensor *left = solve(at, q->y, da, true, lower, lower ? CT_NO_TRANSPOSE : CT_ADJOINT);
    ct_tensor *both = solve(at, q->y, left, false, lower, lower ? CT_ADJOINT : CT_NO_TRANSPOSE);
    ct_tensor *factor = half(at, both, lower);
    ct_tensor *dy = lower ? product(at, q->y, factor) : product(at, factor, q->y);
    return triangle(at, dy, lower, true);
}

/* ---- triangular_solve. */

/* op(a) as a matrix. */
static ct_tensor *operated(ct_place at, ct_tensor *a, ct_transpose op)
{
    if (op == CT_NO_TRANSPOSE)
        return a;
    ct_tensor *turned = transposed(at, a);
    return op == CT_ADJOINT ? ct__conjugate(at, turned) : turned;
}

/* Linear in b. From op(a) y = b follows op(a) dy = db - op(da) y, and from y op(a) = b follows
 * dy op(a) = db - y op(da); da counts where a is read. */
ct_tensor *ct__jvp_triangular_solve(const ct__jvp *q)
{
    const struct ct__attrs_triangular_solve *a = &q->attrs->triangular_solve;
    ct_place at = q->at;
    if (q->operand == 1)
        return ct__jvp_same(q);
    ct_tensor *da = operated(at, triangle(at, q->dx, a->lower, !a->unit_diagonal),
                             (ct_transpose)a->transpose_a);
    ct_tensor *moved = a->left_side ? product(at, da, q->y) : product(at, q->y, da);
    ct_tensor *operand[] = {q->x[0], ct_op_negate_at(at, moved)};
    return ct__op_on(at, q->op, q->attrs, 2, operand);
}

/* y = op(a)^-1 b transposes to bbar = (op(a)^T)^-1 ybar, without a conjugate: op(a)^T is a^T, a or
 * conj(a). The same from the right. */
void ct__transpose_triangular_solve(ct__transpose *q)
{
    ct__attrs attrs = {.triangular_solve = q->attrs->triangular_solve};
    const ct_transpose op = (ct_transpose)attrs.triangular_solve.transpose_a;
    ct_tensor *a = op == CT_ADJOINT ? ct__conjugate(q->at, q->x[0]) : q->x[0];
    attrs.triangular_solve.transpose_a = op == CT_NO_TRANSPOSE ? CT_TRANSPOSE : CT_NO_TRANSPOSE;
    ct_tensor *operand[] = {a, q->ybar[0]};
    ct__cotangent_add(q, 1, ct__op_on(q->at, q->op, &attrs, 2, operand));
}
