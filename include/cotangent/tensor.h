/* Tensors: making concrete ones, looking at them, reading their elements, printing them.
 *
 * A tensor is concrete (it has data; immutable; row-major or a view with strides) or traced (it
 * stands for a value of a function being recorded). All are released with their scope. Functions
 * without a context argument take it from their tensors. */
#ifndef COTANGENT_TENSOR_H
#define COTANGENT_TENSOR_H

#include "base.h"
#include "dtype.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Making. Errors: CT_ERR_SHAPE for a negative extent or a rank above 64, CT_ERR_RANGE for
 * sizes that overflow, CT_ERR_ARGUMENT for an unknown dtype, NULL data (unless the size is 0), and
 * values that the dtype cannot hold (integer dtypes and bool hold whole numbers in range; float
 * dtypes round any value). Complex dtypes take the values as real parts. */

/* Copies row-major data of the dtype's own C type (uint16_t bits for f16 and bf16). */
CT_API ct_tensor *ct_from_data_at(ct_place at, ct_context *ctx, ct_dtype dtype, ct_shape shape,
                                  const void *data);
/* Copies doubles, each rounded to dtype (integers must be whole and in range). */
CT_API ct_tensor *ct_from_doubles_at(ct_place at, ct_context *ctx, ct_dtype dtype, ct_shape shape,
                                     const double *data);
/* Every element is value; one element is stored. */
CT_API ct_tensor *ct_full_at(ct_place at, ct_context *ctx, ct_dtype dtype, ct_shape shape,
                             double value);
CT_API ct_tensor *ct_zeros_at(ct_place at, ct_context *ctx, ct_dtype dtype, ct_shape shape);
CT_API ct_tensor *ct_ones_at(ct_place at, ct_context *ctx, ct_dtype dtype, ct_shape shape);
CT_API ct_tensor *ct_scalar_at(ct_place at, ct_context *ctx, ct_dtype dtype, double value);
/* start, start + step, … below (above, for a negative step) stop: max(0, ceil((stop-start)/step))
 * of them; exact for integer dtypes. CT_ERR_ARGUMENT for step 0, NaN and infinities. */
CT_API ct_tensor *ct_arange_at(ct_place at, ct_context *ctx, ct_dtype dtype, double start,
                               double stop, double step);
/* count values from first to last, both included and exact; count 1 gives first. CT_ERR_ARGUMENT
 * for NaN and infinities. */
CT_API ct_tensor *ct_linspace_at(ct_place at, ct_context *ctx, ct_dtype dtype, double first,
                                 double last, int64_t count);
/* [n, n] with ones on the diagonal. */
CT_API ct_tensor *ct_eye_at(ct_place at, ct_context *ctx, ct_dtype dtype, int64_t n);
/* A type without data: an example for tracing, an error elsewhere. */
CT_API ct_tensor *ct_spec_at(ct_place at, ct_context *ctx, ct_dtype dtype, ct_shape shape);

#define ct_from_data(...) ct_from_data_at(CT_HERE, __VA_ARGS__)
#define ct_from_doubles(...) ct_from_doubles_at(CT_HERE, __VA_ARGS__)
#define ct_full(...) ct_full_at(CT_HERE, __VA_ARGS__)
#define ct_zeros(...) ct_zeros_at(CT_HERE, __VA_ARGS__)
#define ct_ones(...) ct_ones_at(CT_HERE, __VA_ARGS__)
#define ct_scalar(...) ct_scalar_at(CT_HERE, __VA_ARGS__)
#define ct_arange(...) ct_arange_at(CT_HERE, __VA_ARGS__)
#define ct_linspace(...) ct_linspace_at(CT_HERE, __VA_ARGS__)
#define ct_eye(...) ct_eye_at(CT_HERE, __VA_ARGS__)
#define ct_spec(...) ct_spec_at(CT_HERE, __VA_ARGS__)

/* ---- Looking. All are defined for NULL and poison too: CT_INVALID_DTYPE, rank 0, size 0. */

CT_API ct_context *ct_context_of(const ct_tensor *x); /* NULL for NULL and for static poison */
CT_API bool ct_is_poison(const ct_tensor *x);         /* true for NULL too */
CT_API bool ct_is_traced(const ct_tensor *x);
CT_API bool ct_is_concrete(const ct_tensor *x);
CT_API ct_dtype ct_dtype_of(const ct_tensor *x);
CT_API size_t ct_rank(const ct_tensor *x);
CT_API ct_shape ct_shape_of(const ct_tensor *x);         /* borrowed from x */
CT_API int64_t ct_dim(const ct_tensor *x, int64_t axis); /* -1 when there is no such axis */
CT_API int64_t ct_size(const ct_tensor *x);              /* number of elements */
CT_API size_t ct_tuple_size(const ct_tensor *x);         /* elements of a tuple; 0 for others */
CT_API const ct_type *ct_type_of(const ct_tensor *x);    /* borrowed; NULL for NULL and poison */

/* Name a value; the name is copied, shown in dumps and kept by transforms. Returns x. */
CT_API ct_tensor *ct_name(ct_tensor *x, const char *name);

/* ---- Reading. A traced value has no data: CT_ERR_TRACED. Good values can be read while the
 * context holds an error. */

/* The only element, as a double (0 on error). CT_ERR_SHAPE unless the size is one. */
CT_API double ct_item_at(ct_place at, ct_tensor *x);
/* The element at the indices, one per axis, negative from the end; CT_ERR_INDEX out of range. */
CT_API double ct_element_at(ct_place at, ct_tensor *x, ct_shape indices);
/* The same for integers, exact in 64 bits (u64 as its bits); CT_ERR_TYPE for other dtypes. */
CT_API int64_t ct_element_int_at(ct_place at, ct_tensor *x, ct_shape indices);
/* All elements in row-major order, contiguous, 64-byte aligned, in the dtype's own C type.
 * Borrowed: valid while x is. NULL on error; not NULL for size 0. */
CT_API const void *ct_data_at(ct_place at, ct_tensor *x);
/* Copy all elements in row-major order as doubles (real parts of complex); false on error, also
 * when count is not the size. */
CT_API bool ct_to_doubles_at(ct_place at, ct_tensor *x, double *out, size_t count);

#define ct_item(x) ct_item_at(CT_HERE, x)
#define ct_at(x, ...) ct_element_at(CT_HERE, x, CT_SHAPE(__VA_ARGS__))
#define ct_at_int(x, ...) ct_element_int_at(CT_HERE, x, CT_SHAPE(__VA_ARGS__))
#define ct_data(x) ct_data_at(CT_HERE, x)
#define ct_to_doubles(...) ct_to_doubles_at(CT_HERE, __VA_ARGS__)

/* Same type and same elements: bit by bit, but -0 == +0 and any NaN equals any NaN. Differing
 * types, NULL, poison and traced values are not equal. */
CT_API bool ct_equal(ct_tensor *x, ct_tensor *y);

/* ---- Printing. The text belongs to the current scope; "" when memory is short. */

/* The elements as NumPy's print shows them: shortest digits (at most 8 after the point; all of them
 * for rank 0), aligned columns, "..." beyond 1000 elements; independent of the locale. Traced
 * values as "f32[4,2] (traced: add, loss.c:9)". */
CT_API const char *ct_text(ct_tensor *x);
/* "f32[4,2]"; "poison" for NULL and poison. */
CT_API const char *ct_type_text(const ct_tensor *x);

#ifdef __cplusplus
}
#endif
#endif
