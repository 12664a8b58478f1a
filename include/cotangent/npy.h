/* Arrays in NumPy's files: .npy, one array, and .npz, an archive of named ones.
 *
 * Every dtype is read and written, in versions 1, 2 and 3 of the format, either byte order and
 * either element order; native, row-major is written. NumPy has no names for the dtypes of
 * ml_dtypes, and numpy.save writes them as raw bytes:
 *
 *   dtype           numpy.save writes   read as           written as, and NumPy reads that as
 *   bf16            '<V2'               bf16              '<V2', x.view(ml_dtypes.bfloat16)
 *   f8E5M2          '<f1'               f8E5M2            [('float8_e5m2', '|V1')], x.view(…)
 *   other 8-bit and narrower
 *                   '<V1' for all       u8: their bits    [('float8_e4m3fn', '|V1')], x.view(…)
 *
 * A record of one field that names the dtype is read as that dtype. Integers narrower than a byte
 * are one byte each, in its low bits; the bytes of a tensor (ct_data, ct_from_data) have copies of
 * the sign above them. A quantized tensor is written as the integers that it stores, and is made
 * of them again by ct_op_bitcast_quantize. */
#ifndef COTANGENT_NPY_H
#define COTANGENT_NPY_H

#include "dtype.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The array of a .npy file as a concrete tensor of the current scope. CT_ERR_FILE for a file that
 * cannot be read or is no such file: one line that names it and what is wrong. */
CT_API ct_tensor *ct_read_npy_at(ct_place at, ct_context *ctx, const char *path);
/* Write a concrete tensor. CT_ERR_FILE when the file cannot be written. */
CT_API void ct_write_npy_at(ct_place at, ct_tensor *x, const char *path);
#define ct_read_npy(...) ct_read_npy_at(CT_HERE, __VA_ARGS__)
#define ct_write_npy(...) ct_write_npy_at(CT_HERE, __VA_ARGS__)

/* An archive: its arrays in the order of the file, stored or deflated, each checked against its
 * checksum; members that are no .npy are passed over. Owned by the current scope. CT_ERR_FILE as
 * above, and a poisoned archive. */
typedef struct ct_npz ct_npz;
CT_API ct_npz *ct_read_npz_at(ct_place at, ct_context *ctx, const char *path);
CT_API size_t ct_npz_count(const ct_npz *archive);                /* 0 for NULL and poison */
CT_API const char *ct_npz_name(const ct_npz *archive, size_t i);  /* without ".npy" */
CT_API ct_tensor *ct_npz_tensor(ct_npz *archive, size_t i);       /* borrowed from the archive */
CT_API ct_tensor *ct_npz_find(ct_npz *archive, const char *name); /* NULL when it is not there */
/* Write an archive of stored arrays, names[i] for x.item[i]; NULL names: arr_0, arr_1, … */
CT_API void ct_write_npz_at(ct_place at, ct_context *ctx, const char *path,
                            const char *const *names, ct_list x);
#define ct_read_npz(...) ct_read_npz_at(CT_HERE, __VA_ARGS__)
#define ct_write_npz(...) ct_write_npz_at(CT_HERE, __VA_ARGS__)

#ifdef __cplusplus
}
#endif
#endif
