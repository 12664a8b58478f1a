/* Differentiation: the drivers and what they give to rules.
 *
 *   transforms.c   the public transforms          wrt.c          by which arguments (wrt.h)
 *   linearize.c    a transform of two functions   jacobian.c     whole matrices
 *   taylor.c       series along a path            session.c      the trace that one stands in
 *   jvp.c          forward: every node with its tangent
 *   split.c        known from linear values       unzip.c        nodes with bodies, split
 *   unzip_loop.c   loops, split                   bodies.c       what rules with bodies share
 *   transpose.c    backward over linear nodes     derivations.c  callees derived once
 *   flow.c         what is live, what unknown     linearity.c    whether a function is linear
 *   checkpoint.c   computing again what it needs  keep.c         what it keeps within bytes
 *   remake.c       what is cheaper made again     counters.c     what loops count
 *   reverse_loops.c  reverse_counted.c  reverse_scan.c  reverse_cost.c  reverse_segments.c
 *   reverse_needs.c  loops of segments (reverse_loops.h)
 *   table.c        ops.def as rules               helpers.c      what rules share (rules.h)
 *   lift.c         bodies on many elements        replace.c      rules by way of other operations
 *   residuals.c    what reverse mode keeps        residuals_report.c  told to the user
 *   pieces.c       sums of slices' cotangents     places.c       what is read at a few places
 *   reads.c        what is read at all
 *
 * The rules, by operation family:
 *   elementwise.c  special.c  bessel.c  convert.c  bits.c  select.c  shape.c  dynamic_slice.c
 *   gather.c  scatter.c  scatter_places.c  sort.c  reduce.c  reduce_window.c  dot.c  ragged_dot.c
 *   convolution.c  fft.c  linalg.c  batch_norm.c  control.c  loop.c  stack.c  select_and_scatter.c
 *   map.c  custom.c  collective.c  windows.c  window_extremes.c (windows.h)
 *
 * custom_rule.c  the rules that a program states itself
 *
 * Batching (batch.h):
 *   vmap.c         the public transform           batch.c        every node on all lanes
 *   spread.c       which values are batched       lanes.c        what its rules share
 *   batch_elementwise.c  batch_shape.c  batch_index.c  batch_fold.c  batch_dot.c  batch_control.c
 *   batch_while.c  batch_for.c  batch_stack.c  batch_program.c  batch_loop.c
 *
 * Reverse mode is jvp, split, transpose: there are no other reverse rules. Rules are written in
 * strict primitives, so that they trace and differentiate again, and pass on q->at, the user's
 * line. */
#ifndef CT_AD_DERIVE_H
#define CT_AD_DERIVE_H

#include "trace/trace.h"

#include <cotangent/ad.h>
#include <cotangent/op.h>

/* ---- Forward rules. */

/* For RULE: the contribution of one operand's tangent to the tangent of the (single) result. */
typedef struct ct__jvp {
    ct_context *ctx;
    ct_place at;
    ct__op op;
    const ct__attrs *attrs;
    size_t n_operands;
    ct_tensor *const *x; /* primal operands */
    ct_tensor *y;        /* primal result */
    size_t operand;      /* whose tangent */
    ct_tensor *dx;       /* its tangent; never a symbolic zero */
} ct__jvp;

/* For WHOLE: records the primal results y and the tangents dy. */
typedef struct ct__jvp_whole {
    ct_context *ctx;
    ct_place at;
    ct__op op;
    const ct__attrs *attrs;
    size_t n_operands;
    ct_tensor *const *x;
    ct_tensor *const *dx; /* NULL: a symbolic zero; at least one is not */
    size_t n_regions;
    ct__graph *const *region;
    size_t n_results;
    const ct_type *const *result_type;
    ct_tensor **y;  /* to be filled */
    ct_tensor **dy; /* to be filled; NULL: a symbolic zero */
} ct__jvp_whole;

/* ---- Transpose rules. */

struct ct__sweep;

typedef struct ct__transpose {
    ct_context *ctx;
    ct_place at;
    ct__op op;
    const ct__attrs *attrs;
    size_t n_operands;
    const bool *linear;         /* whether operand i is linear (its cotangent is wanted) */
    ct_tensor *const *x;        /* the other operands; NULL where linear */
    const ct_type *const *type; /* of all operands */
    size_t n_regions;
    ct__graph *const *region;
    size_t n_results;
    const ct_type *const *result_type;
    ct_tensor *const *ybar; /* NULL: a symbolic zero; at least one is not */
    ct_tensor **xbar;       /* sums so far; NULL: none. Use ct__cotangent_add */
    /* where cotangents of operands are summed, those of other nodes too */
    struct ct__sweep *sweep;
    const ct__id *operand;
} ct__transpose;

/* xbar[operand] += value; does nothing when the operand is not linear. */
void ct__cotangent_add(ct__transpose *q, size_t operand, ct_tensor *value);
/* What other nodes have added for the operand so far, NULL for nothing. It is the rule's from now
 * on: it changes a few places of it and adds the whole, where a sum of wholes would take time for
 * every element. */
ct_tensor *ct__cotangent_take(ct__transpose *q, size_t operand);
ct_tensor *ct__cotangent_take_or_zeros(ct__transpose *q, size_t operand);

/* ---- The table. */

typedef struct ct__derivative {
    ct_tensor *(*jvp)(const ct__jvp *); /* RULE */
    void (*jvp_whole)(ct__jvp_whole *); /* WHOLE */
    const char *no_jvp;                 /* NONE: the tangent is zero, and why; else NULL */
    void (*transpose)(ct__transpose *); /* RULE */
    const char *no_transpose;           /* NONE: why; else NULL */
} ct__derivative;                       /* all NULL: LATER */
const ct__derivative *ct__derivative_of(ct__op op);

/* ---- What rules are written with. */

/* scale(t, f), or a plain multiply when f is a constant splat, finite and not zero. */
ct_tensor *ct__scale(ct_place at, ct_tensor *t, ct_tensor *f);
/* The same by scale_either. */
ct_tensor *ct__scale_either(ct_place at, ct_tensor *t, ct_tensor *u);
/* Every element is value, of x's type. */
ct_tensor *ct__like(ct_place at, ct_tensor *x, double value);
ct_tensor *ct__zeros(ct_context *ctx, ct_place at, const ct_type *type); /* of any type */
/* x + y, of tangents or cotangents of one type, which may be stacks and tuples. */
ct_tensor *ct__sum(ct_place at, ct_tensor *x, ct_tensor *y);
/* Σ over axes, dropping them; f16 and bf16 are summed in f32. */
ct_tensor *ct__sum_axes(ct_place at, ct_tensor *x, ct_dims axes);
/* x, whose axes are those of `type` without `axes`, spread back over them: broadcast_in_dim. */
ct_tensor *ct__spread_axes(ct_place at, ct_tensor *x, const ct_type *type, ct_dims axes);
ct_dims ct__dims(ct__ints list);

/* ---- What transforms stand in: an own trace, a scope for its headers, an arena. */

typedef struct ct__session {
    ct_context *ctx;
    ct_scope scope;
    ct__arena *arena;
    ct__provenance provenance; /* the context's before */
} ct__session;
/* Opens a trace named WHAT_NAME. False after an error, and then there is nothing to end. */
bool ct__session_begin(ct__session *session, ct_context *ctx, ct_place at, ct__arena *arena,
                       const char *what, const ct__graph *graph);
/* Drops the trace: take its graph by ct__trace_close before. */
void ct__session_end(ct__session *session);
/* What a rule of the node records: derived, of the operation that is written in the program. */
ct__provenance ct__provenance_of_rule(const ct__node *node, bool is_backward);

/* ---- Graph to graph; results are owned by the caller; NULL after an error. */

/* The function as a checkpoint, with the attributes of the composite; NULL: none. */
ct__graph *ct__graph_checkpoint(ct_context *ctx, ct_place at, ct__graph *graph,
                                const char *attributes);

/* (params…, tangents of live params…) -> (results…, tangents of live results…). must_live[i]: give
 * result i a tangent even if it is zero; may be NULL. live_out[i] tells which results have one. */
ct__graph *ct__graph_jvp(ct_context *ctx, ct_place at, const ct__graph *graph, const bool *live_in,
                         const bool *must_live, bool *live_out);
/* The same, with tangents of the results `asked` alone, zeros included; nothing that only others
 * need is differentiated. */
ct__graph *ct__graph_jvp_of(ct_context *ctx, ct_place at, const ct__graph *graph,
                            const bool *live_in, const bool *asked, bool *live_out);

/* The same function, in which every call, choice and loop is on known or on unknown values, not
 * both: a loop on unknown values takes known ones as x, captures and count alone. */
ct__graph *ct__graph_unzip(ct_context *ctx, ct_place at, ct__graph *graph, const bool *unknown);

/* Whether an operand of the node has the flag, one per value. */
bool ct__any_operand(const ct__node *node, const bool *flag);
/* Flags per value, with those of the params set; NULL when memory is short. */
bool *ct__flag_params(ct__arena *arena, const ct__graph *graph, const bool *unknown_param);
/* In an unzipped graph: every result of a node with an unknown operand is unknown. */
void ct__mark_unzipped(const ct__graph *graph, bool *unknown);

/* A graph cut by what depends on `unknown` params.
 *   known:   (known params…) -> (known results…, residuals that are not params…)
 *   unknown: (residuals…, unknown params…) -> (unknown results…)
 * A residual that is a known param itself has that param's position in residual_param, else -1. */
typedef struct ct__cut {
    ct__graph *known;
    ct__graph *unknown;
    bool *unknown_result; /* per result of the graph */
    size_t n_residuals;
    int64_t *residual_param;
    ct__id *residual; /* as values of the known graph */
} ct__cut;
/* What the residuals are is chosen by prices (remake.h); without them they are the known values
 * that the unknown side reads. */
typedef struct ct__prices ct__prices;
/* must_unknown[i]: put result i on the unknown side; may be NULL. The lists live in the arena. */
bool ct__graph_cut(ct_context *ctx, ct_place at, ct__graph *graph, const bool *unknown,
                   const bool *must_unknown, const ct__prices *prices, ct__arena *arena,
                   ct__cut *cut);
void ct__cut_free(ct__cut *cut);

/* (other params…, cotangents of float results…) -> (cotangents of linear params…), zeros included.
 */
ct__graph *ct__graph_transpose(ct_context *ctx, ct_place at, ct__graph *graph, const bool *linear);
/* Onto sums: (other params…, cotangents of float results…, a sum of each onto[] param…) ->
 * (cotangents of linear params…, the sums in them). onto[i] only where linear[i]. */
ct__graph *ct__graph_transpose_onto(ct_context *ctx, ct_place at, ct__graph *graph,
                                    const bool *linear, const bool *onto);

/* With a trace open, over an unzipped graph: the known values forward, then cotangents backward. */
typedef struct ct__sweep {
    ct_context *ctx;
    ct_place at;
    const ct__graph *graph;
    ct__arena *arena;
    bool *unknown;     /* per value */
    ct_tensor **value; /* of known values; the caller sets those of known params */
    ct_tensor **bar;   /* cotangents of unknown values; NULL: zero */
} ct__sweep;
/* Marks unknown values and allocates the lists from the other members; false after an error. */
bool ct__sweep_begin(ct__sweep *sweep, const bool *unknown_param);
bool ct__sweep_forward(ct__sweep *sweep);
/* Add to the cotangent of a value; nothing for known values. */
void ct__sweep_seed(ct__sweep *sweep, ct__id value, ct_tensor *bar);
bool ct__sweep_backward(ct__sweep *sweep);

/* ---- What one transform has found out and derived already, so that a body is followed once:
 * otherwise work would double with each level of functions that call another one twice, or of loops
 * in loops. */

typedef enum ct__derivation {
    CT__DERIVED_JVP,
    CT__DERIVED_JVP_TO_REVERSE,
    CT__DERIVED_CUT,
    CT__DERIVED_CUT_AS_READ,
    CT__DERIVED_TRANSPOSE,
    CT__DERIVED_TRANSPOSE_ONTO,
    CT__DERIVED_PLACES,
    CT__DERIVED_READ,
    CT__DERIVED_LIVE,
    CT__DERIVED_UNKNOWN,
    CT__DERIVED_LANES, /* batched */
    CT__DERIVED_MASKED_LANES,
    CT__DERIVED_BATCHED
} ct__derivation;

/* Between begin and end (they nest) derivations are kept. After false there is nothing to end. */
bool ct__derivations_begin(ct_context *ctx, ct_place at, const char *what);
void ct__derivations_end(ct_context *ctx);
/* Whether forward derivatives are made to be transposed: then a rule of the program for reverse
 * mode is taken as it is (transposed_call), and need not be linear. Sets it and returns what it
 * was. */
bool ct__derive_to_reverse(ct_context *ctx, bool to_reverse);
bool ct__derives_to_reverse(const ct_context *ctx);
/* Derivations of a callee; the results are borrowed until the end. NULL after an error. */
ct__graph *ct__derived_jvp(ct_context *ctx, ct_place at, ct__graph *source, const bool *live_in,
                           const bool **live_out);
/* as_read: without prices. */
const ct__cut *ct__derived_cut(ct_context *ctx, ct_place at, ct__graph *source, const bool *unknown,
                               bool as_read);
ct__graph *ct__derived_transpose(ct_context *ctx, ct_place at, ct__graph *source,
                                 const bool *linear);
/* Onto the sums of the linear params of which only a few places are read: *onto. */
ct__graph *ct__derived_transpose_onto(ct_context *ctx, ct_place at, ct__graph *source,
                                      const bool *linear, const bool **onto);
/* Per param, whether only a few places of it are read: places.c. */
const bool *ct__read_in_places(ct_context *ctx, ct_place at, ct__graph *source);
/* Per param, whether anything depends on it: reads.c. */
const bool *ct__read_params(ct_context *ctx, ct_place at, ct__graph *source);
ct__graph *ct__derived_lanes(ct_context *ctx, ct_place at, ct__graph *source, int64_t size,
                             bool is_masked, const bool *batched, const bool **batched_out);
/* Which results may have a tangent, which depend on the unknown params, and which are batched. */
typedef const bool *ct__body_flags(ct_context *ctx, ct_place at, ct__graph *source,
                                   const bool *param);
ct__body_flags ct__live_results, ct__unknown_results, ct__batched_results;

/* ---- The same without keeping (flow.c, places.c, reads.c). */

/* with_slices: small windows at fixed places count too; without loops their cotangents are better
 * put together (pieces.c). */
bool ct__find_places(ct_context *ctx, ct_place at, const ct__graph *graph, bool with_slices,
                     bool *param);
bool ct__find_read_params(ct_context *ctx, ct_place at, const ct__graph *graph, bool *param);

bool ct__find_live(ct_context *ctx, ct_place at, const ct__graph *graph, const bool *live,
                   bool *result);
bool ct__find_unknown(ct_context *ctx, ct_place at, const ct__graph *graph, const bool *unknown,
                      bool *result);
/* Of a loop's body: operand[] gains the carries that an iteration flags; *result are the body's. */
bool ct__flow_loop(ct_context *ctx, ct_place at, const ct__node *node, ct__body_flags *of_body,
                   bool *operand, const bool **result);
/* Whether the node's bodies were cut out by these unknown operands (or more): it needs no
 * unzipping. */
bool ct__is_cut_out(const ct__node *node, const bool *unknown);

/* What a rule of the program is said to be linear in. */
typedef struct ct__claim {
    const char *what;   /* who asks: "custom_jvp" */
    const char *values; /* "tangents" */
    const char *remedy; /* ends the message: "", or "; …" */
    size_t n_values;    /* so many results first, which must not depend on them: y of a jvp rule */
    bool trusts_calls;  /* a custom call is taken to be linear: nobody asks for its transpose */
} ct__claim;

/* Whether f is linear in these params, by following each value; reports otherwise (linearity.c), in
 * the words of ct_transpose_linear or of a claim. */
bool ct__check_linear(ct_context *ctx, ct_place at, const ct__graph *graph, const bool *linear);
bool ct__check_claim(ct_context *ctx, ct_place at, const ct__graph *graph, const bool *linear,
                     const ct__claim *claim);

/* ---- How a node with regions is unzipped (unzip.c): records a known and an unknown node. */

typedef struct ct__unzip {
    ct_context *ctx;
    ct__arena *arena;
    const ct__node *node;
    ct_tensor *const *operand;
    const bool *unknown;  /* per operand */
    ct_tensor **result;   /* to be filled */
    bool *unknown_result; /* to be filled */
} ct__unzip;
bool ct__unzip_call(ct__unzip *q);
bool ct__unzip_branches(ct__unzip *q);   /* if, case */
bool ct__unzip_loop(ct__unzip *q);       /* scan, for, while: unzip_loop.c */
bool ct__unzip_checkpoint(ct__unzip *q); /* checkpoint.c */

/* Append the operands from `first` to `end` whose flag in unknown[] is `side`. */
void ct__unzip_operands(const ct__unzip *q, const bool *unknown, size_t first, size_t end,
                        bool side, ct_tensor **list, size_t *count);
/* Spread the results of both nodes over the original's. known[] and unknown[] hold them in order.
 */
void ct__unzip_merge(const ct__unzip *q, const bool *unknown_result, ct_tensor *const *known,
                     ct_tensor *const *unknown);
/* Adds to needed[], per value, what the needed values are made of, but for what is kept[]: flags
 * per value, or NULL. */
void ct__find_needed(const ct__graph *graph, const bool *kept, bool *needed);
/* Records the nodes that make needed values which are not in value[] yet. */
bool ct__replay_needed(ct_context *ctx, const ct__graph *graph, const bool *needed,
                       ct__arena *arena, ct_tensor **value);

#define OP(name, operands, dtypes, attrs, traits, infer, jvp, transpose, ...)                      \
    CT__DECLARE_JVP_##jvp(name) CT__DECLARE_TRANSPOSE_##transpose(name)
#define CT__DECLARE_JVP_RULE(name) ct_tensor *ct__jvp_##name(const ct__jvp *q);
#define CT__DECLARE_JVP_WHOLE(name) void ct__jvp_##name(ct__jvp_whole *q);
#define CT__DECLARE_JVP_NONE(reason) CT__IGNORE
#define CT__DECLARE_JVP_LATER(name)
#define CT__DECLARE_TRANSPOSE_RULE(name) void ct__transpose_##name(ct__transpose *q);
#define CT__DECLARE_TRANSPOSE_NONE(reason) CT__IGNORE
#define CT__DECLARE_TRANSPOSE_LATER(name)
#define CT__IGNORE(name)
#include "ops/ops.def"
#undef OP

#endif
