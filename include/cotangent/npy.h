/* Arrays in NumPy's files: .npy, one array, and .npz, an archive of named ones.
 *
 * Every dtype that NumPy has a counterpart for; bfloat16 and the small floats and integers as
 * ml_dtypes writes them (raw bytes with the type's name). Either byte order and either element
 * order are read; native, row-major is written. */
#ifndef COTANGENT_NPY_H
#define COTANGENT_NPY_H

#include "dtype.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The array of a .npy file as a concrete tensor of the current scope. CT_ERR_FILE for a file that
 * cannot be read or is no such file: one line that names it and what is wrong. */
CT_API ct_tensor *ct_read_npy_at(ct_place at, ct_context *ctx, const char *path);
CT_API void ct_write_npy_at(ct_place at, ct_tensor *x, const char *path);
#define ct_read_npy(...) ct_read_npy_at(CT_HERE, __VA_ARGS__)
#define ct_write_npy(...) ct_write_npy_at(CT_HERE, __VA_ARGS__)

/* An archive: its arrays in the order of the file, stored or deflated. Owned by the current scope.
 */
typedef struct ct_npz ct_npz;
CT_API ct_npz *ct_read_npz_at(ct_place at, ct_context *ctx, const char *path);
CT_API size_t ct_npz_count(const ct_npz *archive);                /* 0 for NULL and poison */
CT_API const char *ct_npz_name(const ct_npz *archive, size_t i);  /* without ".npy" */
CT_API ct_tensor *ct_npz_tensor(ct_npz *archive, size_t i);       /* borrowed from the archive */
CT_API ct_tensor *ct_npz_find(ct_npz *archive, const char *name); /* NULL when it is not there */
/* names[i] for x.item[i]; NULL names: arr_0, arr_1, … */
CT_API void ct_write_npz_at(ct_place at, ct_context *ctx, const char *path,
                            const char *const *names, ct_list x);
#define ct_read_npz(...) ct_read_npz_at(CT_HERE, __VA_ARGS__)
#define ct_write_npz(...) ct_write_npz_at(CT_HERE, __VA_ARGS__)

#ifdef __cplusplus
}
#endif
#endif
