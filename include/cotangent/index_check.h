/* Finding wrong indices before they are used: the operations clamp them silently. */
#ifndef COTANGENT_INDEX_CHECK_H
#define COTANGENT_INDEX_CHECK_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* An index out of range: its row-major position in the tensor of indices, and its value (one of u64
 * as its bits, as ct_at_int gives it). */
typedef struct ct_misplaced {
    int64_t position;
    int64_t value;
} ct_misplaced;

/* How many indices lie outside [0, dim - window]; the first `capacity` of them go to `found` (NULL
 * with capacity 0: only count).
 *
 *   indices  concrete, any integer dtype, any rank
 *   errors   CT_ERR_TRACED for a traced tensor: ct_count_out_of_range counts inside a graph;
 *            CT_ERR_TYPE for other dtypes; CT_ERR_SHAPE unless 0 <= window <= dim;
 *            CT_ERR_ARGUMENT for NULL. The count is then 0. */
CT_API size_t ct_find_out_of_range_at(ct_place at, ct_tensor *indices, int64_t dim, int64_t window,
                                      ct_misplaced *found, size_t capacity);

/* The same as text, owned by the current scope; "" on error:
 *
 *     2 of 6 indices are outside [0, 4]:
 *       [0, 2] = 7
 *       [1, 0] = -1
 *
 * The first ten are listed. */
CT_API const char *ct_out_of_range_text_at(ct_place at, ct_tensor *indices, int64_t dim,
                                           int64_t window);

#define ct_find_out_of_range(...) ct_find_out_of_range_at(CT_HERE, __VA_ARGS__)
#define ct_out_of_range_text(...) ct_out_of_range_text_at(CT_HERE, __VA_ARGS__)

#ifdef __cplusplus
}
#endif
#endif
