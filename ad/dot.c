#include "ad/rules.h"

/* Bilinear: the product with the tangent in its operand's place. */
ct_tensor *ct__jvp_dot_general(const ct__jvp *q)
{
    return ct__jvp_same(q);
}

/* The axes of one operand by what the product does with them. */
typedef struct side {
    ct__ints batching, contracting;
    size_t n_free;
    int64_t free[CT__MAX_RANK];
} side;

static side side_of(const ct__transpose *q, size_t operand)
{
    const struct ct__attrs_dot_general *a = &q->attrs->dot_general;
    side s = {.batching = operand == 0 ? a->lhs_batching_dimensions : a->rhs_batching_dimensions,
              .contracting = operand == 0 ? a->lhs_contracting_dimensions
                                          : a->rhs_contracting_dimensions};
    for (int64_t d = 0; d < q->type[operand]->rank; d++)
        if (!ct__ints_contain(s.batching, d) && !ct__ints_contain(s.contracting, d))
            s.free[s.n_free++] = d;
    return s;
}

/* ybar has the axes [batching, free of x, free of y]. In its operand's place, and contracted over
 * the free axes of the other one, it gives
 *
 *   x   [batching, free of x, contracting axes]      y   [batching, contracting axes, free of y]
 *
 * with the contracting axes in the order that they have in the other operand, in the dtype of ybar.
 * It takes the precision of the operand whose place it takes. */
static ct_tensor *product(const ct__transpose *q, size_t operand, const side *own,
                          const side *other)
{
    ct_dtype dtype = q->result_type[0]->dtype;
    int64_t axis[2 * CT__MAX_RANK];
    size_t n_batching = own->batching.count;
    for (size_t i = 0; i < sizeof axis / sizeof *axis; i++)
        axis[i] = (int64_t)i;
    ct__ints of_bar[] = {{n_batching, axis},
                         {other->n_free, axis + n_batching + (operand == 0 ? own->n_free : 0)}};
    ct__ints of_other[] = {other->batching, {other->n_free, other->free}};
    const ct__ints *lhs = operand == 0 ? of_bar : of_other, *rhs = operand == 0 ? of_other : of_bar;
    ct__attrs attrs = {.dot_general = q->attrs->dot_general};
    attrs.dot_general.lhs_batching_dimensions = lhs[0];
    attrs.dot_general.rhs_batching_dimensions = rhs[0];
    attrs.dot_general.lhs_contracting_dimensions = lhs[1];
    attrs.dot_general.rhs_contracting_dimensions = rhs[1];
    attrs.dot_general.dtype = dtype;
    ct_tensor *operands[2];
    operands[operand] = q->ybar[0];
    operands[1 - operand] = ct__converted(q->at, q->x[1 - operand], dtype);
    return ct__op_on(q->at, CT__OP_dot_general, &attrs, 2, operands);
}

/* Put the product's axes where the operand has them. */
static ct_tensor *in_place(const ct__transpose *q, size_t operand, const side *own,
                           const side *other, ct_tensor *z)
{
    int64_t permutation[CT__MAX_RANK];
    size_t n_batching = own->batching.count, n_contracting = own->contracting.count;
    size_t free_at = n_batching + (operand == 0 ? 0 : n_contracting);
    size_t contracting_at = n_batching + (operand == 0 ? own->n_free : 0);
    for (size_t i = 0; i < n_batching; i++)
        permutation[own->batching.item[i]] = (int64_t)i;
    for (size_t i = 0; i < own->n_free; i++)
        permutation[own->free[i]] = (int64_t)(free_at + i);
    for (size_t i = 0; i < n_contracting; i++) {
        size_t place = contracting_at;
        for (size_t j = 0; j < n_contracting; j++)
            place += other->contracting.item[j] < other->contracting.item[i];
        permutation[own->contracting.item[i]] = (int64_t)place;
    }
    ct_tensor *placed = ct__permute(q->at, z, (size_t)q->type[operand]->rank, permutation);
    return ct__converted(q->at, placed, q->type[operand]->dtype);
}

void ct__transpose_dot_general(ct__transpose *q)
{
    size_t operand = q->linear[0] ? 0 : 1;
    side own = side_of(q, operand), other = side_of(q, 1 - operand);
    ct_tensor *z = product(q, operand, &own, &other);
    ct__cotangent_add(q, operand, in_place(q, operand, &own, &other, z));
}
