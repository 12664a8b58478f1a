/* The interpreter: what every operation means, with the arithmetic as a parameter.
 *
 *   plan.c           a graph as steps over one frame      run.c            walking the steps
 *   plan_memory.c    which values share memory            frame.c          where they are
 *   plan_fused.c     several nodes as one step            plan_in_place.c  results over operands
 *   plan_verify.c    whether that is sound                planner.h        a plan in the making
 *   layout.c         offsets in the frame, by lifetime    box.c            moving strided boxes
 *   reference.c      the reference numerics (reference_*.c, .inc: per kind of dtype)
 *   machine.c        the machine numerics, what the executors compute
 *   index.c          indices out of range, as an error    body.c           bodies on scalars
 *   places.c         where index vectors find windows     product_tiles.c  products of matrices
 *   scratch.c        memory that meanings ask for         FAMILY.c         meanings, by family
 *   quantize.c       arithmetic on quantized tensors
 *   special.h        functions that no C library has (special_*.c)
 *   stack.c          values that grow (stack.h)
 *
 * Values are contiguous and row-major. Moving data is index arithmetic on elements of
 * numerics->element_bytes; everything else goes through the numerics. */
#ifndef CT_EXEC_INTERPRET_H
#define CT_EXEC_INTERPRET_H

#include "exec/interpret/stack.h"
#include "exec/kernel/products.h"
#include "exec/threads.h"
#include "ops/ordered.h"
#include "trace/custom.h"
#include "trace/graph.h"

/* How stored integers stand for real numbers. */
typedef struct ct__scaling {
    ct_dtype expressed, storage;
    double scale;
    int64_t zero_point, storage_min, storage_max;
} ct__scaling;

struct ct__eval;

typedef struct ct__fold_shape {
    size_t outer, n, inner; /* [outer, n, inner] over the axis in the middle */
} ct__fold_shape;

/* Arithmetic on arrays. `op` is the operation of the table; dtype its operands'. Arrays do not
 * overlap, unless an output is exactly an input. */
typedef struct ct__numerics {
    const char *name;
    /* Elements of floats are not the dtypes' own: constants are made by steps, and no loop looks at
     * elements but by this table. */
    bool has_own_elements;
    /* NULL, or how an operation is evaluated whose meaning this is: what belongs before and after
     * it, or a meaning of the numerics' own. */
    bool (*evaluate)(const struct ct__eval *q, bool (*meaning)(const struct ct__eval *q));
    /* Where a reduction folds in the order of reduce_lanes.c, not in sequence: y[o, i] = op(y[o,
     * i], x[o, :, i]). False where there is no loop for it. */
    bool (*fold_axis)(ct__op op, ct_dtype dtype, const ct__fold_shape *shape, void *y,
                      const void *x);
    size_t (*element_bytes)(ct_dtype dtype);
    /* y[i] = op(x[i]); abs of complex gives reals */
    void (*unary)(ct__op op, ct_dtype dtype, size_t n, void *y, const void *x);
    /* z[i] = op(x[i], y[i]); a step is 0 or 1: whether that operand advances */
    void (*binary)(ct__op op, ct_dtype dtype, size_t n, void *z, const void *x, size_t x_step,
                   const void *y, size_t y_step);
    /* *accumulator = op(*accumulator, x[i·stride]) for i = 0 … n-1, in this order */
    void (*fold)(ct__op op, ct_dtype dtype, size_t n, void *accumulator, const void *x,
                 size_t stride);
    void (*compare)(int direction, int type, ct_dtype dtype, size_t n, bool *z, const void *x,
                    const void *y);
    /* y[i] = pred[i] ? on_true[i] : on_false[i], of elements of so many bytes, bit by bit */
    void (*select)(size_t n, size_t bytes, const bool *pred, void *y, const void *on_true,
                   const void *on_false);
    void (*is_finite)(ct_dtype dtype, size_t n, bool *y, const void *x);
    void (*convert)(ct_dtype to, ct_dtype from, size_t n, void *y, const void *x);
    void (*iota)(ct_dtype dtype, size_t n, void *y, int64_t first); /* first, first + 1, … */
    void (*real)(ct_dtype dtype, void *y, double value);            /* rounded once */
    /* c[m,n] = Σ_k a[m,k] b[k,n], row-major, each sum over k in order from 0. Not for f16 and bf16:
     * the meaning converts them to f32 and rounds the sums once. */
    void (*dot)(ct_dtype dtype, size_t m, size_t n, size_t k, void *c, const void *a,
                const void *b);
    /* The same of f32 and f64, wherever the elements lie; room is of ct__product_room bytes. NULL:
     * there is no loop for it. */
    void (*product)(ct_dtype dtype, const ct__product *p, void *c, const void *a, const void *b,
                    void *room);
    void (*product_at)(ct_dtype dtype, const ct__product_at *p, void *c, const void *a,
                       const void *b);
    /* y[i] = (x[i] - zero_point) · scale, real numbers of integers; and back, to the nearest
     * integer within the bounds */
    void (*dequantize)(const ct__scaling *scale, size_t n, void *y, const void *x);
    void (*quantize)(const ct__scaling *scale, size_t n, void *y, const void *x);
} ct__numerics;

extern const ct__numerics ct__reference_numerics, ct__machine_numerics;

/* Of numerics that are not bound to dtypes. */
typedef struct ct__precision {
    bool is_exact;  /* quotients */
    bool continues; /* what is no quotient is rounded to the bits; else it is an error */
    bool saturates; /* an exponent beyond the limit makes a number infinite; else it is an error */
    size_t bits;    /* of a number that is rounded */
    size_t most_bits; /* of any number, and of its exponent: more are an error */
} ct__precision;

/* The random numbers of one run: a function of the seed and of how many were drawn before. */
typedef struct ct__draws {
    uint64_t seed, count;
} ct__draws;

/* How often a step ran, and how long it took in all. */
typedef struct ct__step_time {
    uint64_t runs, nanoseconds;
} ct__step_time;

/* What a run brings back, and what goes through all of its bodies: the first error of planning or
 * of the run. */
typedef struct ct__run_error {
    ct_status status;
    ct_place at; /* borrowed from the graph */
    char message[1024];
    /* set by whoever starts the run: */
    ct__draws draws;
    ct__stacks stacks;             /* who also frees them */
    ct__step_time *time;           /* by the numbers of steps; NULL: they are not timed */
    struct ct__kept_numbers *keep; /* NULL, or where an oracle leaves its numbers */
    struct ct__watch *watch;       /* NULL: nobody looks */
} ct__run_error;

typedef struct ct__plan ct__plan;

/* Who looks at a run: is called in place of ct__evaluate, which it calls, for each step of one node
 * of a graph, in bodies too. */
typedef struct ct__watch {
    bool (*evaluate)(struct ct__watch *watch, const ct__graph *graph, uint32_t node,
                     const struct ct__eval *q);
} ct__watch;

/* One operation in progress. */
typedef struct ct__eval {
    const ct__numerics *numerics;
    ct__op op;
    const ct__attrs *attrs;
    ct_place at;
    size_t n_operands;
    const ct_type *const *in_type;
    const void *const *in;
    /* of operands of a product and of pieces, in elements along each axis; NULL, or of one NULL:
     * row-major */
    const int64_t *const *in_stride;
    unsigned repeated; /* bit i: in[i] is one element that stands for all; see ct__takes_repeated */
    size_t n_results;
    const ct_type *const *out_type;
    /* where the operation computes with the real numbers of quantized tensors: the types of
     * operands, then of results, as real numbers; else NULL */
    const ct_type *const *real_type;
    void *const *out; /* never overlaps an input, unless it is one, for what can write over it */
    size_t n_regions;
    ct__plan *const *region;    /* planned bodies */
    unsigned char *scratch;     /* ct__scratch_bytes(…) of them, CT__ALIGN-aligned */
    unsigned char *frame;       /* where the frame of the running body goes, CT__ALIGN-aligned */
    bool plain_products;        /* scale and scale_either are multiply */
    ct__threads *threads;       /* to share the work with; NULL: none */
    ct_custom_function *custom; /* of custom_call: what it calls; see ct__find_custom */
    void *custom_user;
    ct__run_error *error;
} ct__eval;

/* Meanings: fill q->out; false after ct__run_fail. */
#define OP(name, operands, dtypes, attrs, traits, infer, jvp, transpose, batch, meaning, ...)      \
    bool ct__meaning_##meaning(const ct__eval *q);
#include "ops/ops.def"
#undef OP

/* The meaning of q->op. */
bool ct__evaluate(const ct__eval *q);

/* The same on real numbers: quantize.c. Fills q->real_type; false when memory is short. */
bool ct__find_reals(ct__eval *q, ct__arena *arena);
bool ct__evaluate_reals(const ct__eval *q);
bool ct__reals_scratch(const ct__eval *q, size_t *bytes);

/* Every element the real number 0, which quantized ones store as their zero point: quantize.c. */
void ct__fill_zero(const ct__numerics *numerics, const ct_type *type, void *y);

/* The arithmetic of a binary operation: guarded products may be asked to be multiply. */
static inline ct__op ct__arithmetic(const ct__eval *q, ct__op op)
{
    bool is_guarded = op == CT__OP_scale || op == CT__OP_scale_either;
    return is_guarded && q->plain_products ? CT__OP_multiply : op;
}

/* Whether result i is operand i, byte by byte. */
bool ct__is_identity(ct__op op);

/* Whether the operand may be one element that stands for all. */
bool ct__takes_repeated(ct__op op, size_t operand);

/* Result i becomes operand i, which may be there already, or one element that stands for all. */
void ct__begin_as_operand(const ct__eval *q, size_t i);

/* Fills q->error, behind the operation's name: "gather: 2 of 2 indices …". Returns false. */
bool ct__run_fail(const ct__eval *q, ct_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Whether all operands and results are tensors. */
bool ct__has_tensors_only(const ct__eval *q);

/* Scratch bytes that the meaning of q->op asks for; q without buffers. False on overflow. */
bool ct__scratch_bytes(const ct__eval *q, size_t *bytes);

/* Fills q->custom where q->op is custom_call; false after ct__run_fail for an unknown target. */
bool ct__find_custom(ct__eval *q, const ct__customs *customs);

/* ---- Plans. */

/* Nodes that are run as one step, in an order in which operands come first. */
typedef struct ct__part {
    size_t n_nodes;
    const uint32_t *node;
    int64_t columns;      /* the divider's own */
    bool is_fused;        /* run by the fusion, though it be a single node */
    const bool *is_again; /* per node: a part before this one makes it, too, and the value here is
                             of this part alone; NULL: none is */
} ct__part;

/* A value that is not made: its elements, in order, are those of another value at
 * first + Σ i[d]·stride[d], where low[d] <= i[d] < high[d] for all d, and elsewhere `fill`. */
typedef struct ct__index_view {
    ct__id base;
    ct__id fill; /* of one element, where is_partial */
    bool is_partial;
    int rank; /* at least 1; axes are merged where the strides allow it */
    int64_t first;
    const int64_t *dim, *stride, *low, *high;
} ct__index_view;

/* A graph to be divided into parts, in an order in which operands come first. */
typedef struct ct__parting {
    const ct__graph *graph;
    /* per value: the value that it is, another one behind an identity; and the value that a node
     * makes whose memory it is, another one than that where it is read from a slice in place */
    ct__id *same, *made;
    const ct__index_view *
        *view;               /* per value, in what `same` says; NULL: its elements are in memory */
    const int64_t **strides; /* per view that is read at strides: along its own axes */
    bool *done;              /* per node: there is nothing to be run */
    unsigned off;            /* passes to do without: bits of ct__lowering */
    ct__arena *arena;
    size_t n_parts;
    ct__part *part;
    void *notes; /* prepare's own; NULL at first */
} ct__parting;

typedef struct ct__fusion ct__fusion;

/* A part of several nodes to be made ready. */
typedef struct ct__fused {
    ct__parting *parting;
    const ct__part *part;
    const ct__fusion *fusion; /* that prepares it */
    const ct__numerics *numerics;
    bool plain_products;
    ct__threads *threads;
    size_t n_inputs; /* values that are made before the part, each as `same` has it */
    const ct__id *input;
    const bool *is_repeated; /* of the inputs: one element stands for all */
    size_t n_results;        /* values that are needed after the part */
    const ct__id *result;
} ct__fused;

/* How an executor runs several nodes as one step. */
struct ct__fusion {
    /* Fills parting->n_parts and part; false when memory is short. */
    bool (*divide)(ct__parting *parting);
    /* What a step holds, in the arena; NULL when memory is short. */
    const void *(*prepare)(const ct__fused *fused, ct__arena *arena, size_t *scratch_bytes);
    void (*run)(const void *prepared, const void *const *in, void *const *out,
                unsigned char *scratch);
};

/* Whether every node that is to be run is in one part, and again only behind that, and whatever is
 * read has been made before; also where memory is short. */
bool ct__parts_are_sound(const ct__parting *parting);

/* A part for each node. */
bool ct__divide_plainly(ct__parting *parting);

typedef struct ct__plan_options {
    bool plain_products; /* scale and scale_either are multiply */
    /* Results may overlap parameters: nothing is written to them before the last step. */
    bool results_last;
    const ct__customs *customs; /* looked up while planning; NULL: there are none */
    const ct__fusion *fusion;   /* NULL: each node is a step */
    unsigned off;               /* passes to do without: bits of ct__lowering */
    ct__precision precision;    /* of executors that ask for one */
    ct__threads *threads;       /* that steps share their work with; NULL: none */
} ct__plan_options;

/* Plan a graph: offsets of values by lifetime, constants made contiguous, regions planned. NULL
 * after filling the error: CT_ERR_MEMORY, CT_ERR_RANGE for a frame too large to address,
 * CT_ERR_UNSUPPORTED for values that the interpreter does not run, and for custom calls of unknown
 * targets. The plan holds the graph. */
ct__plan *ct__plan_new(const ct_allocator *allocator, ct__graph *graph,
                       const ct__numerics *numerics, const ct__plan_options *options,
                       ct__run_error *error);
void ct__plan_free(ct__plan *plan);                           /* NULL is allowed */
const ct_allocator *ct__plan_allocator(const ct__plan *plan); /* of an outermost plan */
size_t ct__plan_frame_bytes(const ct__plan *plan);            /* bodies included */
const ct__graph *ct__plan_graph(const ct__plan *plan);
/* ct__graph_body_kind of the graph, found once. */
int ct__plan_body_kind(const ct__plan *plan);
/* The same of the body of a reduction, a window or a scatter of n inputs, which is then done for
 * many elements at once: CT__BODY_OTHER of several inputs, and where someone watches the body, who
 * sees one element after another. */
int ct__body_kind(const ct__eval *q, size_t n);

/* Of a body, per result: the parameter at whose address its buffer must be, for it is written over
 * it; SIZE_MAX: none, and it must not overlap any. NULL: none is. */
const size_t *ct__plan_over(const ct__plan *plan);

/* Run: params and results are contiguous buffers, frame is ct__plan_frame_bytes of memory, aligned
 * to CT__ALIGN. Pointers are not NULL, also for values without elements. Allocates nothing but
 * what stacks need. */
bool ct__plan_run(const ct__plan *plan, const void *const *param, void *const *result,
                  unsigned char *frame, ct__run_error *error);

/* ---- Offsets of blocks in a frame: best fit among what was given back. */

typedef struct ct__gap ct__gap;

typedef struct ct__layout {
    ct__arena *arena;
    ct__ordered *by_offset, *by_size; /* the gaps, never adjacent */
    ct__gap *unused;
    size_t bytes; /* of the frame so far */
} ct__layout;

/* Room for a block, a multiple of CT__ALIGN. CT_OK, CT_ERR_MEMORY or CT_ERR_RANGE. */
ct_status ct__layout_take(ct__layout *layout, size_t bytes, size_t *offset);
/* Give back what was taken. CT_OK or CT_ERR_MEMORY. */
ct_status ct__layout_give(ct__layout *layout, size_t offset, size_t bytes);
/* bytes rounded up to a multiple of CT__ALIGN; false on overflow. */
bool ct__round_up(size_t bytes, size_t *rounded);

/* ---- Boxes: what moves when data moves. Element i goes from `from + Σ i[d]·from[d]` to
 * `to + Σ i[d]·to[d]`; strides are in elements, of any sign and 0. The two memories do not overlap.
 */

typedef struct ct__box {
    size_t bytes; /* of an element */
    bool empty;
    int rank; /* after merging; no extent is 1 */
    int64_t dim[CT__MAX_RANK], to[CT__MAX_RANK], from[CT__MAX_RANK];
} ct__box;

void ct__box_begin(ct__box *box, size_t element_bytes);
/* One more axis, inside those before; merged with the last one where the strides allow it. */
void ct__box_axis(ct__box *box, int64_t dim, int64_t to, int64_t from);
/* Whether copying is copying one run of bytes. */
bool ct__box_is_run(const ct__box *box);
void ct__box_copy(const ct__box *box, void *to, const void *from);
/* The same, shared by the threads of q where it is much. */
void ct__copy_box(const ct__eval *q, const ct__box *box, void *to, const void *from);
/* n copies of the element at `from`. */
void ct__fill_elements(size_t element_bytes, size_t n, void *to, const void *from);

/* Elements of an axis of `dim` elements that land in [0, extent) when element i goes to low +
 * i (interior + 1): those from `first` on. */
typedef struct ct__inside {
    int64_t first, count;
    int64_t at;   /* where element `first` lands */
    int64_t step; /* 0 when there is no second element */
} ct__inside;

ct__inside ct__find_inside(int64_t dim, int64_t low, int64_t interior, int64_t extent);

/* ---- Walking index spaces. */

/* The next coordinate in row-major order; false after the last. */
bool ct__next(int rank, const int64_t *dim, int64_t *index);

/* Where element i of a tuple begins in the numerics, and the tuple's end, as ct__element_offset. */
size_t ct__tuple_offset(const ct__numerics *numerics, const ct_type *tuple, size_t i);
/* Bytes of a value's elements in the numerics, as ct__data_bytes. */
static inline bool ct__is_shift(ct__op op)
{
    return op == CT__OP_shift_left || op == CT__OP_shift_right_arithmetic ||
           op == CT__OP_shift_right_logical;
}

static inline size_t ct__value_bytes(const ct__numerics *numerics, const ct_type *type)
{
    if (type->kind == CT__TUPLE)
        return ct__tuple_offset(numerics, type, type->n_elements);
    if (type->kind == CT__STACK)
        return sizeof(ct__stack *);
    return type->kind == CT__TENSOR ? (size_t)type->size * numerics->element_bytes(type->dtype) : 0;
}
/* Whether it is a tensor with elements, which are not quantized. */
static inline bool ct__has_plain_elements(const ct_type *type)
{
    return type->kind == CT__TENSOR && !type->quantized && type->size > 0;
}
/* p moved by a number of elements, of any sign. */
static inline void *ct__at(const void *p, size_t element_bytes, int64_t elements)
{
    return (void *)((uintptr_t)p + element_bytes * (size_t)elements);
}

/* ---- Indices out of range, where `strict` asks for an error. */

typedef struct ct__index_audit {
    uint64_t checked, bad;
    bool one_range; /* every index has the same range */
    int64_t last;   /* of the range [0, last], when it is one */
    size_t length;  /* of the text */
    char text[800]; /* the first ten: "position [0,0] is 5, position [0,1] is -1" */
} ct__index_audit;

void ct__audit_begin(ct__index_audit *audit, size_t n_ranges, const int64_t *last);
/* Look at one index, whose range is [0, last]. */
void ct__audit_index(ct__index_audit *audit, int rank, const int64_t *position, ct_dtype dtype,
                     const void *element, int64_t last);
/* True when all were in range; else the error. */
bool ct__audit_end(const ct__eval *q, const ct__index_audit *audit);

/* Index vectors inside an index tensor, for gather and scatter: vector entries lie along axis
 * `vector_dim` (one entry when that is the tensor's rank). */
typedef struct ct__index_vectors {
    const ct_type *type;
    const unsigned char *data;
    size_t element_bytes;
    int64_t entries;      /* per vector */
    int64_t entry_stride; /* between entries, in elements */
    int rank;             /* of the space of vectors: the axes but vector_dim */
    int64_t dim[CT__MAX_RANK], stride[CT__MAX_RANK];
} ct__index_vectors;

void ct__index_vectors_begin(ct__index_vectors *vectors, const ct_type *type, const void *data,
                             int64_t vector_dim);
/* Audit all; entry k of a vector has the range [0, last[k]]. */
bool ct__index_vectors_audit(const ct__eval *q, const ct__index_vectors *vectors,
                             int64_t vector_dim, const int64_t *last);

/* ---- Reductions in lanes: reduce_lanes.c, of an operation that it knows. */

bool ct__folds_in_lanes(const ct__eval *q, ct__op op);
/* Whether the reduced axes lie together, those of extent 1 aside: then the shape with one. */
bool ct__is_one_axis(const ct_type *x, ct__ints reduced, ct__fold_shape *shape);
void ct__fold_in_lanes(const ct__eval *q, ct__op op); /* the results hold the initial values */
bool ct__lanes_scratch(const ct__eval *q, size_t *bytes);
/* The same by threads, where there are any and that is worth it: reduce_threads.c. */
bool ct__fold_in_threads(const ct__eval *q, ct__op op, const ct__fold_shape *shape);
size_t ct__fold_threads_scratch(const ct__eval *q, ct__op op);

/* ---- Scratch of the operations whose files know it; as ct__scratch_bytes. */

bool ct__batch_norm_scratch(const ct__eval *q, size_t *bytes);
bool ct__dot_scratch(const ct__eval *q, size_t *bytes);
bool ct__ragged_dot_scratch(const ct__eval *q, size_t *bytes);
bool ct__reduce_scratch(const ct__eval *q, size_t *bytes);
bool ct__scatter_scratch(const ct__eval *q, size_t *bytes);
bool ct__reduce_window_scratch(const ct__eval *q, size_t *bytes);
bool ct__convolution_scratch(const ct__eval *q, size_t *bytes);
bool ct__select_and_scatter_scratch(const ct__eval *q, size_t *bytes);
bool ct__fft_scratch(const ct__eval *q, size_t *bytes);
bool ct__cholesky_scratch(const ct__eval *q, size_t *bytes);
bool ct__triangular_solve_scratch(const ct__eval *q, size_t *bytes);
bool ct__sort_scratch(const ct__eval *q, size_t *bytes);
bool ct__top_k_scratch(const ct__eval *q, size_t *bytes);
bool ct__call_scratch(const ct__eval *q, size_t *bytes);
bool ct__scan_scratch(const ct__eval *q, size_t *bytes);
bool ct__for_scratch(const ct__eval *q, size_t *bytes);
bool ct__while_scratch(const ct__eval *q, size_t *bytes);
bool ct__map_scratch(const ct__eval *q, size_t *bytes);

/* ---- Bodies on scalars, for folds and scatter: body(old…, new…, captures…) -> old…. */

typedef struct ct__scalar_body {
    const ct__plan *plan;
    size_t n; /* olds, and news */
    const void **param;
    void **result; /* in the scratch, copied back after each run */
} ct__scalar_body;

size_t ct__scalar_body_bytes(const ct__eval *q, size_t n);
/* capture: operands from first_capture on. Uses q->scratch and q->frame. */
void ct__scalar_body_begin(ct__scalar_body *body, const ct__eval *q, size_t n,
                           size_t first_capture);
/* Replace old[0 … n-1], whose addresses and those of the news stand in body->param. */
bool ct__scalar_body_run(const ct__scalar_body *body, const ct__eval *q);

/* ---- The same for many lanes at a time, each with olds and news of its own: body_lanes.c. */

enum { CT__BODY_LANES = 256 };

typedef struct ct__lanes_body {
    const ct__eval *q;
    const ct__graph *graph;
    size_t n;           /* olds, and news */
    const void *at[64]; /* the lanes of each value */
} ct__lanes_body;

/* Whether all of a body's operations are on elements, and few enough. */
bool ct__body_has_lanes(const ct__graph *body);
size_t ct__lanes_body_bytes(const ct__graph *body);
/* As ct__scalar_body_begin. */
void ct__lanes_body_begin(ct__lanes_body *body, const ct__eval *q, size_t n, size_t first_capture);
/* Where the lanes of old i are, or of new i - n. */
void ct__lanes_body_param(ct__lanes_body *body, size_t i, const void *lanes);
/* Replace the olds of so many lanes, at most CT__BODY_LANES. */
bool ct__lanes_body_run(const ct__lanes_body *body, size_t lanes);

#endif
