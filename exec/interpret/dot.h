/* How dot_general is cut into products of matrices; shared with scratch.c. */
#ifndef CT_EXEC_DOT_H
#define CT_EXEC_DOT_H

#include "exec/interpret/interpret.h"

typedef struct ct__dot_side {
    ct__ints batching, contracting;
    int64_t free, contracted;  /* elements of the matrix: free × contracted */
    int rank;                  /* of the batch */
    int64_t dim[CT__MAX_RANK]; /* of the batch, as listed */
    int64_t stride[CT__MAX_RANK];
    int64_t free_step, contracted_step; /* of the matrix that is multiplied, in elements */
    ct__box box;                        /* packs one matrix */
    bool packs, converts;
    size_t packed_at, converted_at; /* in the scratch */
} ct__dot_side;

typedef struct ct__dot {
    ct_dtype summed; /* the type of the sums */
    bool empty;      /* an operand has no elements */
    bool rounds;     /* the sums are rounded to another type at the end */
    bool strided;    /* products read matrices where they are: numerics->product */
    ct__box batch;   /* strides of the left matrices, then of the right ones */
    ct__product product;
    size_t sums_at, room_at; /* in the scratch */
    size_t scratch_bytes;
    ct__dot_side side[2];
} ct__dot;

/* f16 and bf16 are summed in f32; whatever else in the result's type. */
ct_dtype ct__summed_in(ct_dtype dtype);

/* False when the scratch is too large. */
bool ct__dot_begin(const ct__eval *q, ct__dot *dot);

/* Room for `count` elements behind *total, which grows; false when it would overflow. */
bool ct__reserve(size_t count, size_t element_bytes, size_t *total, size_t *at);

/* product_tiles.c: numerics->product, shared by the threads of q; and bytes of room for it. */
void ct__multiply(const ct__eval *q, ct_dtype dtype, const ct__product *p, void *c, const void *a,
                  const void *b, void *room);
size_t ct__multiply_room(const ct__product *p, size_t element_bytes, const ct__threads *threads);

#endif
