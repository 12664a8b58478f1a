/* Programs and data for others to read: the folder's summary.
 *
 *   text.c      ct_function_text            graphviz.c  a drawing for Graphviz
 *   summary.c   one screen of numbers       cost.c      operations, bytes and flops of a graph
 *   map.c       tables with string keys     stablehlo/  StableHLO's text
 *   file.c      files, with errors that name them
 *
 *   npy.c       NumPy's arrays in files     npy_header.c  the dictionary before the data
 *   npz.c       archives of them            npz_write.c   … written
 *   zip.c       … read: the directory of members, and their bytes
 */
#ifndef CT_INTEROP_INTEROP_H
#define CT_INTEROP_INTEROP_H

#include "ops/text.h"
#include "trace/trace.h"

#include <stdio.h>
#include <string.h>

/* Why a printer stopped. A text that ran out of memory says so itself (out->failed). */
typedef struct ct__fault {
    ct_status status;
    ct_place at; /* of the operation */
    char message[256];
} ct__fault;

/* Add the graph's text to `out`. False when memory is short or after setting the fault; `out` then
 * holds a part of the text. */
typedef bool ct__graph_printer(const ct__graph *graph, ct__text *out, ct__fault *fault);

bool ct__print_stablehlo(const ct__graph *graph, ct__text *out, ct__fault *fault);
/* With ct_write_flags. */
bool ct__print_stablehlo_as(const ct__graph *graph, unsigned flags, ct__text *out,
                            ct__fault *fault);
bool ct__print_dot(const ct__graph *graph, ct__text *out, ct__fault *fault);
bool ct__print_summary(const ct__graph *graph, ct__text *out, ct__fault *fault);

/* ---- Orders of bytes. */

static inline bool ct__is_big_endian(void)
{
    const uint16_t one = 1;
    unsigned char first;
    memcpy(&first, &one, 1);
    return first == 0;
}
static inline void ct__reverse_bytes(unsigned char *bytes, size_t count)
{
    for (size_t i = 0; i < count / 2; i++) {
        unsigned char byte = bytes[i];
        bytes[i] = bytes[count - 1 - i];
        bytes[count - 1 - i] = byte;
    }
}

/* ---- Files. */

/* fopen, fclose: NULL and false after reporting why. */
FILE *ct__file_open(ct_context *ctx, ct_place at, const char *what, const char *path,
                    const char *mode);
bool ct__file_close(ct_context *ctx, ct_place at, const char *what, const char *path, FILE *file);

#endif
