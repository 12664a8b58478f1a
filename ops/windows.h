/* What gather and scatter share: how windows of an operand and an index tensor meet. */
#ifndef CT_OPS_WINDOWS_H
#define CT_OPS_WINDOWS_H

#include "ops/ops.h"

typedef struct ct__axis_list {
    const char *name; /* of the attribute, for messages */
    ct__ints axes;
} ct__axis_list;

typedef struct ct__windows {
    const ct_type *operand, *indices;
    ct__axis_list window;         /* gather's offset_dims, scatter's update_window_dims */
    ct__axis_list inserted;       /* collapsed_slice_dims, inserted_window_dims */
    ct__axis_list batching;       /* operand_batching_dims, input_batching_dims */
    ct__axis_list index_batching; /* start_indices_…, scatter_indices_batching_dims */
    ct__axis_list map;            /* start_index_map, scatter_dims_to_operand_dims */
    int64_t index_vector_dim;
} ct__windows;

/* The constraints on the lists alone. */
bool ct__check_windows(ct__infer *q, const ct__windows *w);
/* The constraint on the window axes of the other side, gather's result or scatter's update. */
bool ct__check_window_axes(ct__infer *q, const ct__windows *w, int rank);

/* Extents of indices without index_vector_dim, and axes of the operand that windows have, in order;
 * return how many. There is room for CT__MAX_RANK. */
int ct__batch_extents(const ct__windows *w, int64_t *extent);
int ct__window_operand_axes(const ct__windows *w, int *axis);

#endif
