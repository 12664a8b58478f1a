#include "ad/rules.h"

/* Bilinear: the product with the tangent in its operand's place. */
ct_tensor *ct__jvp_dot_general(const ct__jvp *q)
{
    return ct__jvp_same(q);
}

ct_tensor *ct__jvp_ragged_dot(const ct__jvp *q)
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

/* ybar has the axes [batching, free of x, free of y]. Contracted with the other operand over its
 * free axes it gives [batching, own free, the other's contracting axes in ascending order], in the
 * dtype of ybar. */
static ct_tensor *product(const ct__transpose *q, size_t operand, const side *own,
                          const side *other)
{
    ct_dtype dtype = q->result_type[0]->dtype;
    int64_t axis[CT__MAX_RANK];
    size_t n_batching = own->batching.count;
    for (size_t i = 0; i < CT__MAX_RANK; i++)
        axis[i] = (int64_t)i;
    ct__attrs attrs = {
        .dot_general = {
            .lhs_batching_dimensions = {n_batching, axis},
            .rhs_batching_dimensions = other->batching,
            .lhs_contracting_dimensions = {other->n_free,
                                           axis + n_batching + (operand == 0 ? own->n_free : 0)},
            .rhs_contracting_dimensions = {other->n_free, other->free},
            .dtype = dtype,
        }};
    ct_tensor *operands[] = {q->ybar[0], ct__converted(q->at, q->x[1 - operand], dtype)};
    return ct__op_on(q->at, CT__OP_dot_general, &attrs, 2, operands);
}

/* Put the product's axes where the operand has them. */
static ct_tensor *in_place(const ct__transpose *q, size_t operand, const side *own,
                           const side *other, ct_tensor *z)
{
    int64_t permutation[CT__MAX_RANK], next = 0;
    for (size_t i = 0; i < own->batching.count; i++)
        permutation[own->batching.item[i]] = next++;
    for (size_t i = 0; i < own->n_free; i++)
        permutation[own->free[i]] = next++;
    for (size_t i = 0; i < own->contracting.count; i++) {
        int64_t place = next;
        for (size_t j = 0; j < own->contracting.count; j++)
            place += other->contracting.item[j] < other->contracting.item[i];
        permutation[own->contracting.item[i]] = place;
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
