/* Programs and data for others to read: the folder's summary.
 *
 *   text.c      ct_function_text            graphviz.c  a drawing for Graphviz
 *   summary.c   one screen of numbers       cost.c      operations, bytes and flops of a graph
 *   map.c       tables with string keys     stablehlo/  StableHLO's text
 *   npy.c, npz.c: NumPy's files; npy.h has the summary of their parts
 */
#ifndef CT_INTEROP_INTEROP_H
#define CT_INTEROP_INTEROP_H

#include "ops/text.h"
#include "trace/graph.h"

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
bool ct__print_dot(const ct__graph *graph, ct__text *out, ct__fault *fault);
bool ct__print_summary(const ct__graph *graph, ct__text *out, ct__fault *fault);

#endif
