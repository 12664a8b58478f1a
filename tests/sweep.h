/* Small programs, one per operation, for every dtype and several ranks. A row says what its program
 * does with the operands that it asks for:
 *
 *     static void reverse(sweep *s)
 *     {
 *         sweep_give(s, ct_op_reverse(sweep_x(s), sweep_all_axes(s)));
 *     }
 *
 * It is called twice: with concrete operands, so that it computes at once, and inside a trace,
 * where the operands are parameters. Compiled and run, the trace gives the same bits; printed, in
 * either form, it is read as an equal graph. */
#ifndef CT_TESTS_SWEEP_H
#define CT_TESTS_SWEEP_H

#include "ops/ops.h"

#include <cotangent/op.h>
#include <cotangent/trace.h>

/* Shapes of x. */
enum {
    SWEEP_SCALAR = 1, /* [] */
    SWEEP_PLAIN = 2,  /* [2,3] */
    SWEEP_EMPTY = 4,  /* [2,0,3] */
    SWEEP_SIX = 8,    /* [2,1,3,1,1,2] */
    SWEEP_ALL = 15,
    SWEEP_AXES = SWEEP_ALL - SWEEP_SCALAR
};

enum { SWEEP_MOST = 40 };

typedef struct sweep {
    ct_context *ctx;
    ct_dtype dtype;
    ct_shape shape;
    ct_trace_builder *builder; /* NULL: concrete operands are made, and kept for the second time */
    size_t n_in, n_out;
    ct_tensor *in[SWEEP_MOST], *out[SWEEP_MOST];
    int64_t number[128]; /* of attributes */
    size_t n_numbers;
    bool forgives;           /* results that fail are left out, large operands are 0 */
    bool seen[CT__OP_COUNT]; /* operations that graphs had, over all rows */
} sweep;

/* The next operand: of this type; of the dtype and shape of the round; an element of its dtype. */
ct_tensor *sweep_in(sweep *s, ct_dtype dtype, ct_shape shape);
ct_tensor *sweep_x(sweep *s);
ct_tensor *sweep_element(sweep *s);
void sweep_give(sweep *s, ct_tensor *y);

/* n per axis of x; 0, 1, …; the shape with `extent` in front. They live until the row is called
 * again. */
ct_dims sweep_each(sweep *s, int64_t n);
ct_dims sweep_all_axes(sweep *s);
ct_shape sweep_stacked(sweep *s, int64_t extent);

/* The usual bodies: (a, b) -> a + b or another operation, of scalars of the dtype. */
ct_function *sweep_body(sweep *s, ct_tensor *(*f)(ct_place, ct_tensor *, ct_tensor *));

typedef enum sweep_kind {
    SWEEP_RUNS,
    SWEEP_DRAWS,    /* another number in each run */
    SWEEP_COMPILED, /* not at once: operands are made before it fails */
    SWEEP_TRACED    /* nothing can run it: traced, printed, read */
} sweep_kind;

typedef struct sweep_row {
    const char *name;
    void (*program)(sweep *s);
    unsigned shapes;
    unsigned dtypes;       /* classes, as in ops.def */
    const ct_dtype *among; /* NULL: all of the classes; ends with CT_INVALID_DTYPE */
    sweep_kind kind;
} sweep_row;

/* sweep_rows.c, sweep_large.c, sweep_program.c */
extern const sweep_row sweep_rows[], sweep_large_rows[], sweep_program_rows[];
extern const size_t n_sweep_rows, n_sweep_large_rows, n_sweep_program_rows;

/* Whether the row has programs of this dtype; one of them, with a shape: a failure names the row.
 */
bool sweep_takes(const sweep_row *row, ct_dtype dtype);
void sweep_check(sweep *s, const sweep_row *row, ct_dtype dtype, unsigned shape);

#endif
