/* How convolution is cut into products of matrices; shared with scratch.c. */
#ifndef CT_EXEC_CONVOLUTION_H
#define CT_EXEC_CONVOLUTION_H

#include "exec/interpret/interpret.h"
#include "ops/convolution.h"

/* One spatial axis. */
typedef struct ct__convolution_axis_walk {
    ct__window_axis window;
    int64_t dim, x_stride; /* of x */
    ct__wide last;         /* position of its last element */
    int64_t kernel_stride;
    int64_t below; /* elements of a row that one tap of this axis stands for */
    bool reversed;
} ct__convolution_axis_walk;

/* How products are formed without a matrix of what the kernel sees: x is copied with its padding
 * and its holes, and every tap and feature is an offset in the copy. */
typedef struct ct__convolution_direct {
    bool applies;
    bool along; /* vectors run along the last axis of places; else along output features */
    int inner; /* the axis whose places meet the kernel in one product: 0 the batch, d + 1 axis d */
    int64_t images;                      /* in one copy: 1, or the batch */
    int64_t image, feature;              /* elements of an image, and between features, */
    int64_t stride[CT__MAX_RANK];        /* and between elements of spatial axes */
    size_t padded_at, tap_at, kernel_at; /* in the scratch: the copy, offsets of the rows of the
                                            products in it, and in the packed kernel */
} ct__convolution_direct;

typedef struct ct__convolution {
    bool empty;            /* the result or the kernel: there is nothing to sum */
    ct_dtype summed;       /* the type of the sums */
    size_t bytes;          /* of its elements */
    bool converts, rounds; /* operands to it, sums from it */
    bool packs;            /* x, so that features are adjacent; strides are those behind it */
    ct__box packing;
    int rank;               /* spatial axes */
    int64_t groups;         /* blocks of output features, */
    bool group_by_batch;    /* which meet blocks of the batch, else of the input features */
    int64_t batch, in, out; /* of one group: rows' batch, input features, output features */
    int64_t depth, rows;    /* of the matrices: taps × in, batch × places */
    int64_t at_once;        /* rows in the scratch */
    int64_t x_batch, x_feature, kernel_in, kernel_out, y_feature; /* strides */
    int64_t y_dim[CT__MAX_RANK], y_stride[CT__MAX_RANK];          /* batch, then spatial axes */
    ct__convolution_axis_walk axis[CT__MAX_RANK];
    ct__convolution_direct direct;
    size_t kernel_at, converted_at, packed_at, x_at, patch_at, sums_at,
        rounded_at; /* in the scratch */
    size_t scratch_bytes;
} ct__convolution;

/* False when the scratch is too large. */
bool ct__convolution_begin(const ct__eval *q, ct__convolution *convolution);

/* The kernel of one group: a row per tap and input feature, a column per output feature. */
const void *ct__convolution_kernel(const ct__eval *q, const ct__convolution *c, int64_t group);

/* Room for so many elements behind *total, as ct__reserve. */
bool ct__convolution_reserve(int64_t rows, int64_t columns, size_t element_bytes, size_t *total,
                             size_t *at);

/* convolution_direct.c: fills c->direct, where it applies also its scratch; false when that is too
 * large. */
bool ct__convolution_begin_direct(const ct__eval *q, ct__convolution *c);
void ct__convolve_directly(const ct__eval *q, const ct__convolution *c);

#endif
