/* Gradient checking: the parts.
 *
 *   gradcheck.c          the public entries: options, arguments, what is checked
 *   gradcheck_hand.c     derivatives by hand: whether they fit
 *   gradcheck_second.c   the gradient as a function, for the second order
 *   gradcheck_run.c      one function: moving its inputs, collecting verdicts (gradcheck_run.h)
 *   gradcheck_tell.c     what is found along a line
 *   gradcheck_judge.c    a verdict from difference quotients at falling steps, in f64
 *   gradcheck_exact.c    a verdict from differences in numbers of MPFR
 *   gradcheck_sweep.c    rows that are right along many elements at once
 *   gradcheck_lanes.c    the forward derivative along many elements at once
 *   gradcheck_blame.c    the operation whose derivative is wrong, by bisection
 *   gradcheck_wrong.c    … whether what lies behind a cut is wrong
 *   gradcheck_own.c      its derivatives in the program's own dtypes
 *   compare_lost.c       the operation at which their digits are lost (blame.h)
 *   gradcheck_slopes.c   its derivatives, forward, reverse or by hand
 *   gradcheck_machine.c  a function on raw buffers; moving its arguments
 *   gradcheck_rewrite.c  replaying a graph, bodies included, with changes
 *   promote.c            … in f64           gradcheck_shake.c   … with rounding noise
 *   gradcheck_parts.c    … on the parts of complex numbers
 *   gradcheck_index.c    … with indices out of range as errors, or without derivative
 *   gradcheck_report.c   reports   gradcheck_text.c  gradcheck_json.c   their text */
#ifndef CT_PROBE_GRADCHECK_H
#define CT_PROBE_GRADCHECK_H

#include "ad/derive.h"
#include "probe/blame.h"

#include <cotangent/exec.h>
#include <cotangent/gradcheck.h>

/* ---- Rewriting. */

typedef struct ct__rewrite ct__rewrite;
struct ct__rewrite {
    ct_context *ctx;
    ct_place at;
    const char *what; /* begins the names of the new graphs */
    /* Each may be NULL. The dtype of a parameter. */
    ct_dtype (*dtype)(ct_dtype dtype);
    /* Whether the bodies of a node are rewritten too. */
    bool (*enters)(const ct__node *node);
    /* Change the copy of a node before it is replayed; lists in the arena. False after an error. */
    bool (*before)(ct__rewrite *r, ct__node *node, ct__arena *arena);
    /* Replace its results; operands are the new ones. */
    void (*after)(ct__rewrite *r, const ct__node *node, ct_tensor *const *value,
                  ct_tensor **result);
    /* for these functions, as they like */
    uint64_t seed;
    int64_t which;
    size_t next_node;
    struct ct__rewritten *done;
};

/* The new graph, whose arguments are its parameters one by one; NULL after an error. Each body is
 * rewritten once. */
ct__graph *ct__rewrite_graph(ct__rewrite *r, const ct__graph *graph);
void ct__rewrite_end(ct__rewrite *r); /* forget the bodies */

/* f16, bf16 and f32 become f64, and c64 becomes c128: parameters, constants, attributes. */
ct__graph *ct__promote(ct_context *ctx, ct_place at, const ct__graph *graph);

/* Complex parameters and results, of c128, become f64 with a last axis of two parts. Takes over the
 * reference to a graph, which may be NULL. Of a reverse derivative the parameters from first_bar on
 * and the results are cotangents; SIZE_MAX: it is none. NULL after an error. */
ct__graph *ct__by_parts(ct_context *ctx, ct_place at, ct__graph *graph, size_t first_bar);

/* Results of inexact operations are multiplied by 1 + k 2^-52, k random in [-8, 8], per element. */
enum { CT__SHAKE_ULPS = 8 };
ct__graph *ct__shake(ct_context *ctx, ct_place at, const ct__graph *graph, uint64_t seed);

/* Operations with CT__INDEXES are counted in the order of a walk; -1 stands for all. */
enum { CT__EVERY_INDEX = -1 };
/* What is read or written at a clamped place is a constant to derivatives. */
ct__graph *ct__cut_clamped(ct_context *ctx, ct_place at, const ct__graph *graph, int64_t which);

/* ---- Running. */

/* In place of a number of bits: exactly, in quotients. */
#define CT__QUOTIENTS SIZE_MAX

typedef struct ct__machine {
    ct_instance *instance;
    ct_function *f; /* in a scope of the check */
    size_t n_results;
    void **result; /* buffers */
} ct__machine;

/* Compile the graph (taking over its reference) and bind the inputs, which are read at each run,
 * and buffers in the arena; with bits, to run in numbers of MPFR of so many. False after an error;
 * an end is always due. */
bool ct__machine_begin(ct__machine *m, ct_context *ctx, ct_place at, ct__graph *graph,
                       void *const *input, size_t bits, ct__arena *arena);
ct_status ct__machine_run(ct__machine *m); /* ct_instance_error has the message */
void ct__machine_end(ct__machine *m);      /* a zeroed machine is allowed */

/* A number in [-1, 1) that depends on all three. */
double ct__mix_signed(uint64_t seed, uint64_t a, uint64_t b);
/* Of such numbers one that is not near 0, of 8 bits: it is exact in every dtype. */
double ct__weight(uint64_t seed, uint64_t a, uint64_t b);

/* ---- Judging. */

enum { CT__LEVELS = 64, CT__FIRST_LEVELS = 5 };

/* One result element along one line: f(x + t v). Steps fall; level 0 is the largest. */
typedef struct ct__samples {
    size_t n_levels;
    double step_up[CT__LEVELS], step_down[CT__LEVELS]; /* as rounded; near each other */
    double up[CT__LEVELS], down[CT__LEVELS];           /* values at x + step_up, x - step_down */
    double at;                                         /* value at x */
    double noise, noise_far; /* rounding noise of the value at x, and at x + step_far */
    double step_far;
    double scale; /* of t: a step of this size is large */
    double size;  /* of the change of the result that a large step of some input makes */
    double derivative;
    double derivative_noise;
    double slack; /* relative, of a derivative written with rounded constants */
} ct__samples;

typedef struct ct__judgement {
    ct_gradcheck_verdict verdict;
    double estimate, uncertainty, below, above; /* as in ct_gradcheck_finding */
    const char *note;                           /* static */
} ct__judgement;

/* Whether a few levels show at once that the derivative is right and f is smooth. */
bool ct__judge_quickly(const ct__samples *s, ct__judgement *j);
void ct__judge(const ct__samples *s, ct__judgement *j);

/* ---- Reports. */

typedef struct ct__gradcheck_input {
    const char *name;      /* or NULL */
    const char *type_text; /* as the user gave it */
    int order;
    size_t position;
    size_t moved; /* elements or directions */
    size_t count[CT_GRADCHECK_VERDICTS];
    uint8_t *verdict; /* the gravest, of each that was moved */
} ct__gradcheck_input;

struct ct_gradcheck_report {
    ct__handle handle;
    ct__arena arena;
    const char *name; /* of the function; NULL in poison, and until the check is done */
    bool by_hand, along_directions;
    bool is_reverse_only; /* f has no forward derivative */
    size_t bits;          /* of the numbers of the first order; 0: f64 */
    bool has_second;      /* so is the second order checked, */
    size_t second_bits;   /* in these numbers */
    bool weighted;        /* the second order is of <ybar, f>, not of f itself */
    size_t max_findings;
    bool list_right;
    size_t n_outside; /* kinks whose derivative does not lie between the one-sided ones */
    size_t count[CT_GRADCHECK_VERDICTS];
    size_t n_inputs, input_capacity;
    ct__gradcheck_input *input;
    size_t n_findings, finding_capacity, n_omitted;
    ct_gradcheck_finding *finding;
    size_t n_notes, note_capacity;
    const char **note; /* of operations with clamped indices */
};

/* In the current scope; the poison, which is static, after an error. */
ct_gradcheck_report *ct__report_new(ct_context *ctx, ct_place at);
ct_gradcheck_report *ct__report_poison(void);
/* All return false when memory is short; texts and coordinates are copied. Findings are counted for
 * the newest input, and kept if they are asked for. */
bool ct__report_input(ct_gradcheck_report *report, const ct__gradcheck_input *input);
bool ct__report_finding(ct_gradcheck_report *report, const ct_gradcheck_finding *finding);
bool ct__report_note(ct_gradcheck_report *report, const char *note);
/* Who is to blame for what has this verdict among the findings from the first on. */
bool ct__report_blame(ct_gradcheck_report *report, size_t first, ct_gradcheck_verdict verdict,
                      const ct__blame *blame);
/* The gravest of what the newest input's counts have grown by since `before`: of what moved. */
void ct__report_moved(ct_gradcheck_report *report, size_t moved,
                      const size_t before[CT_GRADCHECK_VERDICTS]);
/* Forget what was added since `before`, a copy of the report. */
void ct__report_rewind(ct_gradcheck_report *report, const ct_gradcheck_report *before);
/* A word for programs. */
const char *ct__verdict_word(ct_gradcheck_verdict verdict);

/* ---- One function. */

typedef struct ct__subject {
    ct_context *ctx;
    ct_place at;
    const ct_gradcheck_options *options;
    ct_gradcheck_report *report;
    ct__arena *arena;
    ct__graph *graph;      /* in f64, by parts; borrowed */
    ct__graph *derivative; /* by hand, in f64; NULL: ct_jvp and ct_vjp */
    double slack;          /* of it, see ct__samples */
    size_t bits;           /* of the numbers in which everything is computed; 0: f64 */
    int order;
    void *const *x; /* the arguments' buffers, in f64; moved and put back */
    size_t n_wrt;
    const int64_t *wrt; /* the parameters to move, in the order named; all f64 */
    const bool *wanted; /* per result, of those in f64 */
    /* in the program's dtypes, its leaves as arguments; NULL where that is no part of the check */
    ct__graph *own;
    ct_list own_arguments;
    const char *const *input_name, *const *input_type, *const *result_name;
} ct__subject;

/* Check it and add what is found to the report. False after an error. */
bool ct__check_subject(const ct__subject *subject);
/* Check the gradient of f (of a single number), or of <ybar, f> for a random ybar, as a function.
 */
bool ct__check_second(const ct__subject *s);

/* A derivative by hand. */
typedef struct ct__by_hand {
    ct_context *ctx;
    ct_place at;
    const ct__graph *f, *derivative; /* as the user gave them */
    size_t n_wrt;
    const int64_t *wrt;
} ct__by_hand;

/* Whether its parameters and results fit f; reports otherwise. */
bool ct__check_by_hand(const ct__by_hand *h);
/* The largest relative error of constants that were rounded to a narrow dtype; 0 for none. */
double ct__rounding_of_constants(const ct__graph *graph);

static inline bool ct__is_f64(const ct_type *type)
{
    return type->kind == CT__TENSOR && type->dtype == CT_F64;
}
/* Report that memory is short. Returns false. */
bool ct__gradcheck_memory(const ct__subject *s);
/* Zeroed, in the subject's arena; NULL after an error. */
void *ct__gradcheck_array(const ct__subject *s, size_t count, size_t bytes);
/* Report the error of a run. Returns false. */
bool ct__run_failed(const ct__subject *s, const ct__machine *m, ct_status status);

/* ---- Its derivatives. A row is an element of a wanted result. */

enum { CT__SLOPE_SHAKES = 2 };

typedef struct ct__slopes {
    const ct__subject *s;
    size_t n_rows, *first_row; /* per result; those that are not wanted have none */
    size_t *result_of;         /* per row */
    double **tangent;          /* per parameter, of wrt: what to derive along; zero between uses */
    double **cotangent;        /* per result in f64 */
    void **forward_input, **reverse_input;
    ct__machine forward, reverse, cut;
    ct__machine shaken_forward[CT__SLOPE_SHAKES], shaken_reverse[CT__SLOPE_SHAKES];
    bool has_cotangents;  /* the reverse function takes them: there is an adjoint identity */
    bool is_reverse_only; /* there is no forward derivative to compare it with */
    size_t n_columns, *first_column; /* per parameter; a column is an element of one in wrt */
    double *row, *row_noise;         /* without forward: the whole of J, its spread by rounding */
    double *cut_row;                 /* and that of the machine `cut` */
    double *ybar;                    /* per row, random */
    double *bar, *bar_noise;         /* per result: a row of J' ybar, of that result alone */
    double *scratch;                 /* two numbers per row */
    double *size;                    /* per result: the largest |J| |x|, |x| at least 1 */
} ct__slopes;

/* False after an error; an end is always due. */
bool ct__slopes_begin(ct__slopes *d, const ct__subject *s);
void ct__slopes_end(ct__slopes *d);
/* dy = J dx for the tangent of parameter p (zeros for the others). */
bool ct__slopes_along(ct__slopes *d, size_t p, double *dy);
/* The spread of that by rounding. */
bool ct__slopes_noise(ct__slopes *d, size_t p, const double *dy, double *noise);
/* Make ready for the next; then: which rows change along the tangent of parameter p when clamped
 * reads are cut off. */
bool ct__slopes_cut_clamped(ct__slopes *d);
bool ct__slopes_cut(ct__slopes *d, size_t p, bool *cuts);
/* Whether the reverse derivative of a changed graph (whose reference is taken over) differs. */
bool ct__slopes_differ(ct__slopes *d, ct__graph *graph, bool *differ);

/* Notes every index operation that clamps what a derivative passes through, and makes ready for
 * ct__slopes_cut when there is one. False after an error. */
bool ct__audit_clamps(const ct__subject *s, ct__slopes *d);

/* <ybar, J dx> and <J' ybar, dx> of one result. */
typedef struct ct__adjoint {
    double forward, reverse;
    double terms; /* the sum of magnitudes on both sides */
    size_t n_terms;
    double noise; /* spread by rounding, when it was asked for */
} ct__adjoint;
bool ct__slopes_adjoint(ct__slopes *d, size_t p, size_t result, const double *dy,
                        const double *dy_noise, ct__adjoint *adjoint);

/* ---- Differences in numbers of MPFR: gradcheck_exact.c. */

/* Elements of values that a run makes, as far as it is known, and as many as `most`. */
size_t ct__work_of(const ct__graph *graph, size_t most);
/* How many bits they need; 0: f has to be computed in f64. */
size_t ct__exact_bits(const ct__subject *s);
/* Whether quotients may be tried: operations that are irrational, or give numbers of too many
 * digits, say so in a run. */
bool ct__may_be_exact(const ct__subject *s);

typedef struct ct__differences {
    const ct__subject *s;
    ct__machine machine;
    size_t told; /* numbers per element */
    double *t;
    bool failed; /* the last run */
} ct__differences;

/* What is known of a row along a line. */
typedef struct ct__exact_row {
    double derivative;
    double noise, slack; /* of the rule's constants, which are rounded to f64 */
    double size, scale;  /* as in ct__samples */
} ct__exact_row;

/* Along the tangents, per parameter; compared, in those numbers, with the forward derivative, which
 * may be NULL. False after an error; an end is always due. */
bool ct__differences_begin(ct__differences *d, const ct__subject *s, double *const *tangent,
                           const ct__graph *forward);
bool ct__differences_run(ct__differences *d, double x);
void ct__differences_end(ct__differences *d);
/* Element i of the result, counted among those that are wanted. */
void ct__differences_judge(const ct__differences *d, size_t result, size_t i,
                           const ct__exact_row *row, ct__judgement *j);

/* Whether f is smooth along the line, and its slope the forward derivative to 110 bits; size as in
 * ct__samples. */
bool ct__differences_agree(const ct__differences *d, size_t result, size_t i, double size);

/* ---- The forward derivative along many unit vectors at once: gradcheck_lanes.c. What does not
 * depend on them is computed once. */

typedef struct ct__lanes {
    const ct__subject *s;
    ct__machine machine; /* without an instance: there is none */
    size_t p, count;     /* the parameter; unit vectors in a run */
    double *tangent;     /* theirs */
    size_t first;        /* the vector of lane 0 in the last run; SIZE_MAX: there was none */
} ct__lanes;

/* Of parameter p. False after an error; an end is always due. */
bool ct__lanes_begin(ct__lanes *l, const ct__subject *s, size_t p);
void ct__lanes_end(ct__lanes *l);
/* The derivative along the unit vector of this element, per row. */
bool ct__lanes_along(ct__lanes *l, const ct__slopes *slopes, size_t element, double *dy);

/* ---- Derivatives in the program's own dtypes: gradcheck_own.c. */

typedef struct ct__own {
    const ct__subject *s;
    ct__machine forward, reverse; /* without an instance: there is none */
    void **tangent, **cotangent;  /* buffers in their dtypes, per parameter, per result */
    double *dy;                   /* per row, along the tangent */
    double *bar;                  /* as in ct__slopes */
} ct__own;

/* False after an error; an end is always due. */
bool ct__own_begin(ct__own *o, const ct__subject *s, const ct__slopes *slopes);
void ct__own_end(ct__own *o);
/* Fills o->dy for the tangent of parameter p. */
void ct__own_along(ct__own *o, const ct__slopes *slopes, size_t p);
double ct__epsilon(ct_dtype dtype); /* 2^-23 of f32 */
/* How many digits of the dtype are lost; 0: less than half of them. Below `nothing` there is
 * nothing to lose. */
double ct__digits_lost(ct_dtype dtype, double exact, double own, double nothing);
/* The operation at which most are: forward along the tangents (result -1), or backward from ybar of
 * a result. False after an error. */
bool ct__own_blame(const ct__own *o, const ct__slopes *slopes, int64_t result, ct__blame *blame);

/* ---- Whose derivative is wrong: gradcheck_blame.c. */

/* Where the cotangents of parameter p go wrong first. False after an error. */
bool ct__find_blame(const ct__subject *s, size_t p, ct__blame *blame);
/* Whether the derivative of a single number (the graph's one result, which is wanted) by all that
 * moves is wrong, along a random direction: gradcheck_wrong.c. False after an error: *wrong is
 * false then. The numbers are chosen anew. */
bool ct__is_wrong_along(const ct__subject *s, bool *wrong);

/* ---- Arguments moved by a few units in the last place, and put back. */

typedef struct ct__jitter {
    double **saved;        /* per parameter in f64 */
    size_t fixed_param;    /* this element stays: its steps are known exactly */
    int64_t fixed_element; /* -1: none */
} ct__jitter;

bool ct__jitter_begin(ct__jitter *j, const ct__subject *s);
void ct__jitter_move(const ct__jitter *j, const ct__subject *s, uint64_t seed);
void ct__jitter_restore(const ct__jitter *j, const ct__subject *s);

#endif
