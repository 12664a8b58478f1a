/* NumPy's files: what their parts share. An array is read from a source of bytes, which is a file,
 * memory, or a member of an archive. */
#ifndef CT_INTEROP_NPY_H
#define CT_INTEROP_NPY_H

#include "interop/interop.h"
#include "trace/trace.h"

#include <cotangent/npy.h>

#include <stdarg.h>
#include <stdio.h>

/* ---- Sources. */

typedef struct ct__source ct__source;
struct ct__source {
    /* Read `count` bytes; fewer at the end, and after trouble. */
    size_t (*read)(ct__source *source, void *bytes, size_t count);
    uint64_t left;         /* how many there are still; CT__LEFT_UNKNOWN for pipes */
    const char *trouble;   /* why reading stopped before the end; static text, NULL: nothing */
    bool is_out_of_memory; /* … and that is the reason */
};
#define CT__LEFT_UNKNOWN UINT64_MAX

/* ---- Headers. */

#define CT__NPY_PREFIX 12 /* bytes before the dictionary, at most: magic, version, its length */

typedef struct ct__npy_header {
    ct_dtype dtype;
    bool is_foreign; /* in the other byte order */
    bool is_columns; /* fortran_order: the first axis varies fastest */
    size_t rank;
    int64_t dim[CT__MAX_RANK];
} ct__npy_header;

/* Keep the first fault. Returns false. */
bool ct__npy_fail(ct__fault *fault, ct_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }" */
bool ct__npy_parse(const char *text, size_t length, ct__npy_header *header, ct__fault *fault);
/* Magic, version, and the dictionary of a row-major tensor, a multiple of 64 bytes. */
bool ct__npy_describe(const ct_type *type, ct__text *out, ct__fault *fault);
/* Integers narrower than a byte: how many bits; else 0. */
int ct__npy_narrow_bits(ct_dtype dtype);

/* ---- Arrays. */

/* An array from a source that holds it and nothing else. Poison after the error, which calls the
 * source `name`. */
ct_tensor *ct__read_npy_source(ct_context *ctx, ct_place at, const char *what, const char *name,
                               ct__source *source);
/* From memory: what a file of these bytes would give. */
ct_tensor *ct__read_npy_bytes(ct_context *ctx, ct_place at, const char *name, const void *bytes,
                              size_t count);

/* Where an array is written to: false after a failure, which the sink remembers. */
typedef bool ct__sink(void *user, const void *bytes, size_t count);
/* The header and the elements of a concrete tensor. False after reporting an error; a sink that
 * fails is the caller's to report. */
bool ct__write_npy_sink(ct_context *ctx, ct_place at, const char *what, ct_tensor *x,
                        ct__sink *sink, void *user);
/* How many bytes that writes; false after an error. */
bool ct__npy_bytes(ct_context *ctx, ct_place at, const char *what, ct_tensor *x, uint64_t *bytes);

/* Whether x may be written: concrete, of this context. Reports otherwise. */
bool ct__npy_check(ct_context *ctx, ct_place at, const char *what, const ct_tensor *x);

/* ---- Archives: zip files whose members are stored or deflated. */

typedef struct ct__zip_member {
    const char *name; /* in the directory's arena */
    uint16_t flags, method;
    uint32_t crc;
    uint64_t packed, bytes; /* lengths in the archive and inflated */
    uint64_t header;        /* where its own header stands */
} ct__zip_member;

typedef struct ct__zip {
    FILE *file;
    uint64_t length; /* of the file */
    uint64_t prefix; /* bytes before the archive, which offsets do not count */
    ct__arena *arena;
    size_t count;
    ct__zip_member *member; /* in the order of the directory */
} ct__zip;

/* Read the directory of an open, seekable file. */
bool ct__zip_open(ct__zip *zip, FILE *file, ct__arena *arena, ct__fault *fault);
/* A member's bytes as a source in the arena, checked against their CRC at the end. */
typedef struct ct__zip_source ct__zip_source;
ct__zip_source *ct__zip_source_new(const ct__zip *zip, const ct__zip_member *m, ct__arena *arena,
                                   ct__fault *fault);
ct__source *ct__zip_source_bytes(ct__zip_source *source);
void ct__zip_source_free(ct__zip_source *source); /* NULL is allowed */

/* From memory: what a file of these bytes would give. */
ct_npz *ct__read_npz_bytes(ct_context *ctx, ct_place at, const char *name, const void *bytes,
                           size_t count);

#endif
