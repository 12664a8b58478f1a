/* Making random programs: the generator, on which the families of operations draw.
 *
 *   generate.c      the program, its values and inputs    leaves.c    parameters and constants
 *   numbers.c       elements of inputs, by kind           shapes.c    dtypes and shapes
 *   menu.c          which operations, how often           bodies.c    bodies on elements
 *   make_….c        the families: elementwise, shape, index, fold, product, large, control,
 *                   quantized, program, other
 *   coverage.c      what of the table was made
 *
 * Whatever is chosen gives a program: what an operation refuses is counted and left out. */
#ifndef CT_TESTS_FUZZ_GENERATE_H
#define CT_TESTS_FUZZ_GENERATE_H

#include "tests/fuzz/programs/choices.h"

#include "trace/trace.h"

#include <cotangent/cotangent.h>

enum {
    MOST_INPUTS = 24,
    MOST_RESULTS = 12,
    MOST_VALUES = 400,
    MOST_ELEMENTS = 5000, /* of a value */
    MOST_RANK = 6
};

/* ---- Programs. */

typedef struct program {
    ct_context *ctx;
    ct_function *f;
    size_t n_inputs;
    ct_tensor *input[MOST_INPUTS];
} program;

/* What programs are to be like. */
typedef enum program_style {
    STYLE_ANY,    /* all of the table */
    STYLE_SMOOTH, /* of f64, with derivatives of moderate size */
    STYLE_LINEAR, /* of f64, linear in all inputs of floats, which are whole numbers */
    STYLE_COUNT
} program_style;

/* What was refused, by operation; what got into programs, of which dtypes of its first operand (or
 * result), and of which ranks: a bit for each. */
typedef struct op_tally {
    uint64_t refused[CT__OP_COUNT], made[CT__OP_COUNT], dtypes[CT__OP_COUNT], ranks[CT__OP_COUNT];
} op_tally;

/* A program from the choices; false when even that failed, with the context's error. */
bool generate(ct_context *ctx, choices *c, program_style style, op_tally *tally, program *p);

/* The function of a graph whose parameters, MOST_INPUTS at most, are arguments, each of its own. */
ct_function *published(ct_context *ctx, ct__graph *graph);

/* ---- The generator. */

typedef struct generator {
    ct_context *ctx;
    choices *c;
    program_style style;
    op_tally *tally;
    size_t n_inputs;
    ct_tensor *input[MOST_INPUTS]; /* their elements */
    size_t n_values;
    ct_tensor *value[MOST_VALUES]; /* that can be used, the newest last */
    bool is_used[MOST_VALUES];
    size_t visible; /* the first that the body at hand may use */
    int depth;      /* of bodies */
    bool on_elements;
    int operations; /* that may still be made */
} generator;

/* A value made by an operation; poison is counted as refused, and forgotten. */
void give(generator *g, ct__op op, ct_tensor *x);
/* The same for all results of one. */
void give_all(generator *g, ct__op op, size_t count, ct_tensor *const *x);
/* Forget an error of the operation: true when there was one. */
bool refused(generator *g, ct__op op);

/* Operations, as many as are left but at most `most`. */
void make_operations(generator *g, int most);

/* ---- Operands. Never NULL; all are tensors, not quantized but for those that say so; poison where
 * they would be too large. */

/* Of a dtype of these classes: a value, a new input or a constant. */
ct_tensor *any_of(generator *g, unsigned classes);
/* The same of at least this rank. */
ct_tensor *any_of_rank(generator *g, unsigned classes, size_t rank);
/* Of this type: a value, one made from a value, a new input or a constant. */
ct_tensor *some(generator *g, ct_dtype dtype, ct_shape shape);
ct_tensor *like(generator *g, const ct_tensor *x);
ct_tensor *element_of(generator *g, ct_dtype dtype);
/* Indices into an axis of this extent, some outside. */
ct_tensor *some_indices(generator *g, ct_shape shape, int64_t extent);
/* A value other than NaN where x is NaN, whose sign and payload nothing fixes. */
ct_tensor *settled(generator *g, ct_tensor *x);

/* A value of this type, quantized or not, that there is; or any quantized one. NULL: there is none,
 * or a new one is wanted. */
ct_tensor *pick_of_type(generator *g, const ct_type *type);
ct_tensor *pick_quantized(generator *g);
/* Of this quantized type: make_quantized.c. */
ct_tensor *quantized_of_type(generator *g, const ct_type *type);

/* ---- Leaves: leaves.c. */

ct_tensor *quantized_leaf(generator *g, ct_tensor *elements);

ct_tensor *leaf(generator *g, ct_dtype dtype, ct_shape shape);
ct_tensor *index_leaf(generator *g, ct_shape shape, int64_t extent);

/* ---- Elements: numbers.c. Concrete tensors. */

ct_tensor *numbers(generator *g, ct_dtype dtype, ct_shape shape);
ct_tensor *index_numbers(generator *g, ct_dtype dtype, ct_shape shape, int64_t extent);

/* ---- Types: shapes.c. */

/* The simplest first. */
ct_dtype choose_dtype(generator *g, unsigned classes);
ct_dtype choose_float(generator *g);
/* Writes at most MOST_RANK extents; the elements are at most MOST_ELEMENTS. */
ct_shape choose_shape(generator *g, int64_t *dim, size_t least_rank, size_t most_rank);
int64_t choose_extent(generator *g);
/* The numbers below count in some order. */
void choose_order(generator *g, size_t count, int64_t *order);
/* Some of the numbers below `below`, ascending. */
size_t choose_subset(generator *g, size_t below, int64_t *item);
int64_t elements_of(ct_shape shape);
bool fits(ct_shape shape);

/* ---- Bodies: bodies.c. */

typedef struct recorded {
    ct__region region;
    bool is_fine;
} recorded;

/* Opens one with such parameters, which become the newest values. */
typedef struct opened {
    size_t n_values, visible, first; /* first: of its parameters */
    bool on_elements;
    int operations;
} opened;
opened body_open(generator *g, size_t n, const ct_type *const *type, bool on_elements,
                 bool has_captures);
void body_close(generator *g, const opened *o, size_t n_results, ct_tensor *const *result,
                recorded *b);
/* Applies an operation with bodies, whose captures become its last operands, and gives its results.
 */
void give_with_bodies(generator *g, ct__op op, const ct__attrs *attrs, size_t n,
                      ct_tensor *const *x, size_t n_bodies, recorded *bodies, size_t n_results);
/* (old…, new…) -> such elements. */
recorded reducer(generator *g, size_t n, const ct_dtype *dtype);
/* (left, right of each…) -> bool. */
recorded comparator(generator *g, size_t n, const ct_dtype *dtype);

/* ---- Families: each makes one operation. */

typedef void maker(generator *g);

maker make_elementwise, make_any_elementwise, make_convert, make_bitcast, make_compare, make_select,
    make_clamp, make_reduce_precision; /* make_elementwise.c */
maker make_broadcast, make_concatenate, make_pad, make_reshape, make_reverse, make_slice,
    make_transpose, make_iota;                                            /* make_shape.c */
maker make_dynamic_slice, make_dynamic_update, make_gather, make_scatter; /* make_index.c */
maker make_reduce, make_reduce_window, make_sort, make_top_k, make_map,
    make_select_and_scatter;                                                  /* make_fold.c */
maker make_dot, make_ragged_dot, make_convolution;                            /* make_product.c */
maker make_fft, make_cholesky, make_solve, make_batch_norm, make_random_bits; /* make_large.c */
maker make_if, make_case, make_while, make_for, make_scan;                    /* make_control.c */
maker make_call, make_barrier, make_tuple, make_token, make_channel, make_stack,
    make_collective; /* make_other.c */
maker make_quantize, make_dequantize, make_quantized_elementwise, make_quantized_dot,
    make_quantized_move, make_quantized_body;       /* make_quantized.c */
maker make_custom_call, make_custom_rule, make_rng; /* make_program.c */

/* The C functions that programs of this context call: make_program.c. */
void register_custom_calls(ct_context *ctx);

/* ---- What was made: coverage.c. */

void tally_graph(const ct__graph *graph, op_tally *tally);
/* Prints it; false where an operation of the table, a dtype or a rank is in no program. */
bool show_coverage(const op_tally *tally);

#endif
