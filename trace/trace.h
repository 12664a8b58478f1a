/* Contexts, tensors, tracing: the folder's summary.
 *
 * the ground
 *   context.c   errors, scopes, scratch memory   handle.c    what scopes own; keep and release
 *   tensor.c    headers of values, their names   graph.c     the graph: nodes, values, pruning
 *   trace.c     the stack of open traces         apply.c     the one way of every operation: check,
 *   view.c      results without a copy                       infer, then record or compute
 *   lookup.c    tables of numbers                equal.c     whether two graphs are the same
 *   custom.c    C functions of custom calls      assertion.c those about shapes that JAX writes
 *
 * functions and bodies
 *   function.c  functions as handles, replaying  call.c      tracing C functions through libffi
 *   builder.c   tracing by hand                  control.c   if and case from C functions
 *   region.c    bodies that capture              scan.c      scan from C functions
 *   body.c      the usual bodies, cached         while.c     while from C functions
 *   for.c       for from C functions
 *
 * concrete tensors
 *   create.c    from data, ranges                random.c    counted random numbers
 *   read.c      elements, equality               print.c     tensors as text
 *   format.c    numbers as text
 *
 * primitives, ct_op_…
 *   op_elementwise.c  op_shape.c  op_index.c  op_reduce.c  op_window.c  op_sort.c  op_control.c
 *   op_stack.c  op_tuple.c  op_custom.c  op_collective.c  op_channel.c  op_linalg.c  op_random.c
 *   op_examples.c  what those with given result types share
 *   op_bits.c  op_batch_norm.c  op_quantize.c
 *   op_body.c      what those with bodies share
 *
 * functions to functions, rewrite/rewrite.h
 *   rewrite/    rewrites that keep meaning
 *
 * composites, on compose.h
 *   operand.c   operands, broadcasting, dtypes   elementwise.c  formulas.c  shape.c  arrange.c
 *   reduce.c  cumulative.c  loss.c  linalg.c  sort.c  index.c
 *
 * Every public operation ends in ct__apply. On concrete operands it calls the context's evaluate
 * hook, which exec/ fills; on traced ones it adds a node to the innermost open trace. */
#ifndef CT_TRACE_TRACE_H
#define CT_TRACE_TRACE_H

#include "ops/ops.h"
#include "ops/text.h"
#include "trace/custom.h"
#include "trace/graph.h"
#include "trace/lookup.h"

#include <cotangent/context.h>
#include <cotangent/tensor.h>
#include <cotangent/trace.h>

/* ---- Handles: what scopes own. */

typedef enum ct__handle_kind {
    CT__HANDLE_TENSOR,
    CT__HANDLE_FUNCTION,
    CT__HANDLE_EXECUTABLE,
    CT__HANDLE_BUILDER,
    CT__HANDLE_TEXT,
    CT__HANDLE_REPORT,
    CT__HANDLE_MODULE,
    CT__HANDLE_ARCHIVE
} ct__handle_kind;

typedef struct ct__handle {
    ct_context *ctx;                     /* NULL in static poison */
    struct ct__handle *previous, *next;  /* in its scope's list */
    uint32_t depth;                      /* of its scope; 0 is the outermost */
    uint8_t kind;                        /* of ct__handle_kind */
    bool is_pinned;                      /* released with its scope, not before */
    size_t bytes;                        /* of its own memory */
    struct ct__header_block *block;      /* that it is in; or NULL */
    void (*finish)(struct ct__handle *); /* let go of what it refers to; NULL: nothing */
} ct__handle;

/* A zeroed block of `bytes` whose first member is a ct__handle, in the current scope; NULL when
 * memory is short, which the caller reports, who knows for what. */
void *ct__handle_new(ct_context *ctx, ct__handle_kind kind, size_t bytes,
                     void (*finish)(ct__handle *));
void ct__handle_free(ct__handle *handle);
void ct__handle_move(ct__handle *handle, uint32_t depth); /* to an open scope */
/* Move a handle that the current scope owns to the one around it: what ct_keep does. */
void ct__handle_keep(ct__handle *handle);
/* A copy of text in the current scope; "" on failure. */
const char *ct__scope_text(ct_context *ctx, const char *text, size_t length);
/* The same of a text that has been built, and is freed; `what` is who runs out of memory. */
const char *ct__scope_take(ct_context *ctx, ct_place at, const char *what, ct__text *text);

/* ---- Tensors. */

typedef enum ct__tensor_kind {
    CT__CONCRETE,
    CT__TRACED,
    CT__SPEC, /* a type without data */
    CT__POISON
} ct__tensor_kind;

/* A type that tensors of a context share: counted, so that it lives as long as their headers. */
typedef struct ct__shared_type {
    size_t references;
    size_t bytes; /* of this block */
    ct_type type;
} ct__shared_type;

/* Transforms make one for every value, so it is kept small. */
struct ct_tensor {
    ct__handle handle;
    ct__tensor_kind kind;
    int argument;        /* position as a parameter, or -1 */
    const ct_type *type; /* of a ct__shared_type */
    /* of concrete ones */
    ct__literal *literal; /* may be swapped for a contiguous equal */
    char *name;           /* by ct_name; owned */
    /* of traced ones: serial of the trace, and the value there */
    uint64_t trace;
    ct__id value;
    ct_place at;        /* where it was made */
    const char *origin; /* operation that made it; static text */
};

/* A concrete tensor around a literal; takes over the reference (also on failure). */
ct_tensor *ct__tensor_concrete(ct_context *ctx, ct_place at, const char *origin,
                               ct__literal *literal);
ct_tensor *ct__tensor_traced(ct_context *ctx, ct_place at, const char *origin, uint64_t trace,
                             ct__id value, const ct_type *type);
ct_tensor *ct__tensor_spec(ct_context *ctx, ct_place at, const ct_type *type);
void ct__shared_type_release(ct_context *ctx, ct__shared_type *shared); /* NULL is allowed */
/* The context's poison; for NULL the static one, which has no context and is never written. */
ct_tensor *ct__poison(ct_context *ctx);
/* Parameters are pinned: a function of the program may release or replace its own, which are then
 * still there for whoever called it. Poison stays as it is. Returns x. */
ct_tensor *ct__pin(ct_tensor *x);
/* Contiguous and CT__ALIGN-aligned data of a concrete tensor (makes it so first); NULL after an
 * error. */
const void *ct__tensor_data(ct_tensor *x);

/* The handle of a graph. */
struct ct_function {
    ct__handle handle;
    ct__graph *graph; /* counted; NULL in poison */
};

/* ---- Contexts. */

typedef struct ct__trace ct__trace;

/* One operation on concrete operands, for the evaluate hook. */
typedef struct ct__evaluation {
    ct_context *ctx;
    ct_place at;
    ct__op op;
    const ct__attrs *attrs;
    size_t n_operands;
    const ct_type *const *in_type;
    const void *const *in; /* contiguous */
    size_t n_regions;
    ct__graph *const *region;
    size_t n_results;
    const ct_type *const *out_type;
    void *const *out; /* contiguous, to be filled */
} ct__evaluation;

/* What higher folders fill in. */
typedef struct ct__hooks {
    /* False after setting the context's error. */
    bool (*evaluate)(const ct__evaluation *evaluation);
    /* The memory of a run of the graph, beside arguments, results and stacks; what hinders it is
     * returned alone. */
    ct_status (*block_bytes)(ct_context *ctx, ct__graph *graph, size_t *bytes);
} ct__hooks;

typedef struct ct__scope_list {
    ct__handle head; /* of a circular list */
    uint64_t serial;
} ct__scope_list;

#define CT__BODY_OPS 8 /* rows of the cache of reducer bodies */

enum { CT__SPLATS = 16, CT__TYPES = 16 }; /* powers of two */

/* Memory of the headers of tensors, which come and go in great numbers, many to a block: a block is
 * given back when none of its headers is used. */
typedef struct ct__header_block ct__header_block;
typedef struct ct__headers {
    ct__header_block *open; /* those that have room, the one last freed in first */
    size_t n_last;          /* the next block has twice as many headers */
} ct__headers;

struct ct_context {
    bool dead; /* made without memory: failed for good, never written */
    ct_allocator allocator;
    ct__hooks hooks;
    ct_tensor poison;
    ct_function poison_function; /* its graph is NULL */
    /* the first error */
    ct_status status;
    char message[4096];
    ct_place place; /* its file is place_file */
    char place_file[512];
    /* scopes, outermost first */
    ct__scope_list **scope;
    size_t n_scopes, scope_capacity;
    size_t scope_floor; /* those before belong to callers of the running function of the program */
    uint64_t next_serial;
    /* the innermost open trace */
    ct__trace *trace;
    ct__provenance provenance; /* of what is recorded now */
    ct__arena scratch;         /* of the operation in progress */
    int scratch_users;
    ct__headers headers; /* of tensors */
    ct__graph *body[CT__BODY_OPS][CT_DTYPE_COUNT];
    uint64_t n_drawn; /* random numbers of operations that were computed at once */
    ct__customs customs;
    struct ct__derivations *derivations; /* of the transform in progress; ad/ owns it */
    struct ct__file *files;              /* names of files, the last one used first */
    /* splats made lately, by a hash of element and dtype: derivatives use few, again and again */
    ct__literal *splat[CT__SPLATS];
    ct__shared_type *type[CT__TYPES]; /* of tensors made lately, by a hash */
};

/* A context with these hooks; ct_context_new calls it (exec/). */
ct_context *ct__context_new(const ct_allocator *allocator, const ct__hooks *hooks);

/* The one function through which every error passes. Only the first is kept. `at.file` is copied.
 */
/* "file:line:column" and what stands behind it, as snprintf; without a column where it is 0. */
int ct__place_print(ct_place at, const char *behind, char *text, size_t bytes);
void ct__error(ct_context *ctx, ct_place at, ct_status status, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void ct__error_memory(ct_context *ctx, ct_place at, const char *what);
/* A message that says itself where it belongs. */
void ct__error_text(ct_context *ctx, ct_place at, ct_status status, const char *message);

/* The name of a file for as long as the context lives; NULL of NULL, and when memory is short. */
const char *ct__context_file(ct_context *ctx, const char *name);

/* Options that begin with their size, as the caller gave them, over the defaults in `options`,
 * which has `bytes` bytes and its size set: a caller built against an earlier version gives fewer,
 * one built against a later one must ask for nothing more. NULL: the defaults. `type` names the
 * struct.
 */
bool ct__read_options(ct_context *ctx, ct_place at, const char *what, const char *type,
                      const void *given, void *options, size_t bytes);

/* ct_scope_begin, of which `what` says that it is out of memory. */
ct_scope ct__scope_begin(ct_context *ctx, ct_place at, const char *what);

/* Around a call of a function of the program: it may not end scopes that it did not begin (their
 * values are in use), and must end those that it did. begin returns what end needs. */
size_t ct__call_begin(ct_context *ctx);
void ct__call_end(ct_context *ctx, ct_place at, const char *what, size_t floor);

/* Scratch memory of one operation; calls nest, and the outermost end resets it. */
ct__arena *ct__scratch_begin(ct_context *ctx);
void ct__scratch_end(ct_context *ctx);

/* ---- Traces: the stack of functions being recorded. */

typedef struct ct__capture {
    uint64_t trace; /* a value of an enclosing trace */
    ct__id value;
    ct__id param; /* its parameter here */
} ct__capture;

struct ct__trace {
    uint64_t serial;
    ct__trace *parent;
    bool is_region; /* may use values of its parent: they become captures */
    bool keeps_all; /* closing it does not prune its graph */
    ct__graph *graph;
    size_t n_captures, capture_capacity;
    ct__capture *capture;   /* in order of first use */
    ct__lookup capture_of;  /* (trace, value) -> position in the list */
    ct__lookup constant_of; /* (literal, 0) -> the value that it is recorded as */
};

/* Open a trace; false after setting the error. */
bool ct__trace_push(ct_context *ctx, ct_place at, const char *name, bool is_region);
/* A new parameter of the innermost trace. Poison on failure. */
ct_tensor *ct__trace_param(ct_context *ctx, ct_place at, const ct_type *type);
/* One like parameter i of the graph: of its type, and with its name. */
ct_tensor *ct__trace_param_like(ct_context *ctx, ct_place at, const ct__graph *graph, size_t i);
/* Close the innermost trace: its graph with these results (concrete ones become constants), pruned;
 * NULL after an error, which it reports at `at` for results that are not values of this trace.
 * Region traces: see ct__region_close. */
ct__graph *ct__trace_pop(ct_context *ctx, ct_place at, size_t n_results, ct_tensor *const *results);
/* The same, but the trace stays open (its graph must not be recorded into any more). */
ct__graph *ct__trace_close(ct_context *ctx, ct_place at, size_t n_results,
                           ct_tensor *const *results);
/* The same, with each parameter as an argument of its own; `what` is who runs out of memory. */
ct__graph *ct__trace_close_flat(ct_context *ctx, ct_place at, const char *what, size_t n_results,
                                ct_tensor *const *results);
/* Close the innermost trace and forget it. */
void ct__trace_abandon(ct_context *ctx);
/* The value of x in the innermost trace: its own, a constant, or a capture. */
typedef enum ct__resolution {
    CT__RESOLVED,
    CT__NO_MEMORY,
    CT__FOREIGN /* of a trace that may not be captured */
} ct__resolution;
ct__resolution ct__trace_resolve(ct_context *ctx, ct_tensor *x, ct__id *id);
/* Reports why x, operand `name` of `what`, was not resolved. */
void ct__trace_unresolved(ct_context *ctx, ct_place at, const char *what, const char *name,
                          const ct_tensor *x, ct__resolution why);

/* Name the value of a traced tensor whose trace is open. */
void ct__trace_name(ct_tensor *x, const char *name);
/* The open trace of this serial, NULL when it has ended. */
ct__trace *ct__trace_find(ct_context *ctx, uint64_t serial);
/* The constant that a value of an open trace is, or NULL; through the bodies around it. */
const ct__literal *ct__outer_constant(const ct_context *ctx, const ct_tensor *x);

/* Regions of one node share one list of captures. Trace a body as a region: push (is_region),
 * params, compute, then detach it from the stack with its results; when all regions of the node are
 * detached, unify them. */
typedef struct ct__region {
    ct__graph *graph; /* owned */
    size_t n_captures;
    ct_tensor **capture; /* traced values of enclosing traces, in order of first use; owned list */
    size_t capture_capacity;
    ct__lookup position; /* in the list: (trace, value) -> position */
} ct__region;
bool ct__region_detach(ct_context *ctx, ct_place at, size_t n_results, ct_tensor *const *results,
                       ct__region *region);
/* Forget captures that nothing in the graph uses any more. False when memory is short. */
bool ct__region_tighten(ct_context *ctx, ct_place at, ct__region *region);
/* Give every region the union of the captures, as trailing parameters in one order; capture lists
 * become equal. False when memory is short. */
bool ct__region_unify(ct_context *ctx, ct_place at, ct__region *region, size_t count);
void ct__region_free(ct_context *ctx, ct__region *region);

/* ---- Applying an operation. */

typedef struct ct__request {
    ct_context *ctx; /* NULL: taken from the operands */
    ct_place at;
    ct__op op;
    const ct__attrs *attrs; /* NULL: none; copied when recorded */
    size_t n_operands;
    ct_tensor *const *operand;
    size_t n_regions;
    ct__graph *const *region;
    size_t n_given; /* result types that the program states, for CT__TYPED and quantized results */
    const ct_type *const *given;
    const char *extra; /* attributes that are only kept and printed, "a.b = 1 : i32"; NULL: none */
    size_t n_also;     /* further places of a merged node */
    const ct_place *also;
} ct__request;

/* Check, infer, then record or compute. Fills result[0 … n_results-1], with poison on failure, and
 * returns whether it went well. n_results must be what inference finds (an internal matter, except
 * for call, if, scan and the barrier, where a wrong count is CT_ERR_ARGUMENT). */
bool ct__apply(const ct__request *request, ct_tensor **result, size_t n_results);
ct_tensor *ct__apply1(const ct__request *request);

/* Whether x may be an operand: not NULL, poison, a bare spec, another context's, or a value of a
 * trace that has ended. */
bool ct__operand_is_usable(ct_context *ctx, const ct_tensor *x);
/* The same, and reports it as operand `name` of `what` if not. */
bool ct__operand_check(ct_context *ctx, ct_place at, const char *what, const char *name,
                       const ct_tensor *x);

/* The line of a message that shows an operand: "\n    x         f32[4,5]     reshape, loss.c:40".
 */
void ct__operand_line(const char *name, const ct_tensor *x, char *line, size_t bytes);

/* Shorthands of the public primitives. */
ct_tensor *ct__unary(ct_place at, ct__op op, ct_tensor *x);
ct_tensor *ct__binary(ct_place at, ct__op op, ct_tensor *x, ct_tensor *y);
ct_tensor *ct__op_on(ct_place at, ct__op op, const ct__attrs *attrs, size_t n,
                     ct_tensor *const *operand);

/* The context of the first operand that has one; NULL when there is none. */
ct_context *ct__context_of_list(ct_list list);

/* Whether a strided view of a concrete operand equals a data-moving operation on it. Then *literal
 * is that view, or NULL when memory is short. */
bool ct__view(ct__op op, const ct__attrs *attrs, const ct__literal *x, const ct_type *result,
              ct__literal **literal);

/* Every element of the type is value (which its dtype must hold): one stored element. Float,
 * integer and bool types. */
ct_tensor *ct__splat(ct_context *ctx, ct_place at, const ct_type *type, double value);

/* The empty stack of this type. */
ct_tensor *ct__stack_new_of(ct_context *ctx, ct_place at, const ct_type *stack);

/* ---- Functions. */

ct_function *ct__poison_function(ct_context *ctx); /* as ct__poison */

/* A handle in the current scope; takes over the graph's reference. NULL graph: poison. Never NULL.
 */
ct_function *ct__function_new(ct_context *ctx, ct_place at, ct__graph *graph);
/* Whether f may be used by `what`: not NULL and not poison. Reports otherwise. */
bool ct__function_check(ct_context *ctx, ct_place at, const char *what, const ct_function *f);
/* Whether every example has a type. Reports otherwise. */
bool ct__examples_check(ct_context *ctx, ct_place at, const char *name, ct_list examples);
ct_list ct__builder_parameters(const ct_trace_builder *builder);
/* Record (or compute) one node; value maps the graph's values to tensors and gains its results. */
bool ct__replay_node(ct_context *ctx, const ct__graph *graph, const ct__node *node,
                     ct__arena *arena, ct_tensor **value);
/* Give what the node's results were recorded as the names that they have in the graph. False after
 * an error, also an earlier one. */
bool ct__name_results(ct_context *ctx, const ct__graph *graph, const ct__node *node,
                      ct_tensor *const *value);
/* Record the nodes of a graph into the innermost trace (or compute them), with these arguments. */
bool ct__replay(ct_context *ctx, ct_place at, const ct__graph *graph, ct_tensor *const *argument,
                ct_tensor **result);
/* Bodies (old, new) -> old op new on scalars, cached in the context; borrowed. CT__BODY_NEW gives
 * the body that overwrites. NULL after an error. */
ct__graph *ct__body(ct_context *ctx, ct_place at, int op, ct_dtype dtype);

#endif
