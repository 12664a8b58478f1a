/* The operations: their numbers, attributes, traits and type inference. Everything here is free of
 * contexts; errors are text in a buffer, to which the caller adds operands and place. */
#ifndef CT_OPS_OPS_H
#define CT_OPS_OPS_H

#include "ops/literal.h"
#include "ops/memory.h"
#include "ops/type.h"

/* ---- Numbers. */

typedef enum ct__op {
#define OP(name, ...) CT__OP_##name,
#include "ops/ops.def"
#undef OP
    CT__OP_COUNT
} ct__op;

/* ---- Attributes. */

typedef struct ct__ints {
    size_t count;
    const int64_t *item;
} ct__ints;

#define ATTRS(name) struct ct__attrs_##name {
#define END(name)                                                                                  \
    }                                                                                              \
    ;
#define EMPTY(owner) char empty; /* C wants a member */
#define INT(owner, field) int64_t field;
#define INTS(owner, field) ct__ints field;
#define FLAG(owner, field) bool field;
#define DTYPE(owner, field) ct_dtype field;
#define ENUM(owner, field, names) int field;
#define LITERAL(owner, field) ct__literal *field;
#define REAL(owner, field) double field;
#define TEXT(owner, field) const char *field;
#include "ops/attrs.def"

/* The struct of the operation's row: attrs->slice.start_indices. */
typedef union ct__attrs {
#define ATTRS(name) struct ct__attrs_##name name;
#include "ops/attrs.def"
} ct__attrs;

typedef enum ct__attrs_kind {
#define ATTRS(name) CT__ATTRS_##name,
#include "ops/attrs.def"
    CT__ATTRS_COUNT
} ct__attrs_kind;

typedef enum ct__field_kind {
    CT__FIELD_INT,
    CT__FIELD_INTS,
    CT__FIELD_FLAG,
    CT__FIELD_DTYPE,
    CT__FIELD_ENUM,
    CT__FIELD_LITERAL,
    CT__FIELD_REAL,
    CT__FIELD_TEXT
} ct__field_kind;

/* What checking, copying and comparing need to know of a field. */
typedef struct ct__field {
    const char *name;
    ct__field_kind kind;
    size_t offset;
    const char *const *names; /* of enums, NULL-terminated */
} ct__field;

typedef struct ct__attrs_info {
    const char *name;
    const ct__field *field;
    size_t n_fields;
    size_t bytes;
} ct__attrs_info;

const ct__attrs_info *ct__attrs_describe(ct__attrs_kind kind);
/* A deep copy; retains literals. NULL when memory is short. */
const ct__attrs *ct__attrs_copy(ct__arena *arena, ct__attrs_kind kind, const ct__attrs *attrs);
/* Release the literals of a copy (its arena holds the rest). */
void ct__attrs_drop(ct__attrs_kind kind, const ct__attrs *attrs);
bool ct__attrs_equal(ct__attrs_kind kind, const ct__attrs *a, const ct__attrs *b);
bool ct__ints_equal(ct__ints a, ct__ints b);
bool ct__ints_contain(ct__ints list, int64_t item);

/* The enums' spellings, NULL-terminated. */
extern const char *const ct__names_comparison[];       /* EQ NE GE GT LE LT, as ct_comparison */
extern const char *const ct__names_compare_type[];     /* "" FLOAT TOTALORDER SIGNED UNSIGNED */
extern const char *const ct__names_fft_type[];         /* FFT IFFT RFFT IRFFT, as ct_fft_type */
extern const char *const ct__names_transpose_a[];      /* NO_TRANSPOSE TRANSPOSE ADJOINT */
extern const char *const ct__names_rng_distribution[]; /* UNIFORM NORMAL */
extern const char *const ct__names_rng_algorithm[];    /* DEFAULT THREE_FRY PHILOX */

/* ---- Traits. */

enum {
    CT__ELEMENTWISE = 1 << 0, /* result element i depends on the operands' elements i alone */
    CT__COMMUTATIVE = 1 << 1, /* f(x, y) is f(y, x), bit by bit */
    CT__MOVES_DATA = 1 << 2,  /* every result element is a copy of an operand element */
    CT__LINEAR = 1 << 3,      /* linear in all its float operands taken together */
    CT__BILINEAR = 1 << 4,    /* linear in operand 0 and in operand 1, each alone */
    CT__INDEXES = 1 << 5,     /* reads or writes at places chosen at run time */
    CT__REGIONS = 1 << 6,     /* has bodies; its linearity depends on them */
    CT__EFFECT = 1 << 7,      /* never merged, removed, folded or reordered */
    CT__BODY_LINEAR = 1 << 8, /* its bodies work on elements; linear where they are */
    CT__TYPED = 1 << 9,       /* operands do not fix the result types: they are given */
    CT__CONTROL = 1 << 10,    /* its bodies work on whole values, not on one element at a time */
    CT__CALLS = 1 << 11,      /* its first body takes the operands and gives the results; it alone
                                 runs, others are rules */
    CT__OPAQUE = 1 << 12, /* bound to its types: what it computes is unknown, or is about bits */
    CT__EXACT = 1 << 13 /* of real numbers: rounds at most once, so every numerics that rounds gives
                           the same bits */
    /* from bit 16: linear in operand i alone, CT__LINEAR_IN(i) */
};
#define CT__LINEAR_IN(i) (1 << (16 + (i)))

/* Classes of dtypes that a row allows for its first operand. */
enum {
    CT__FLOATS = 1,
    CT__SIGNED = 2,
    CT__UNSIGNED = 4,
    CT__INTS = CT__SIGNED | CT__UNSIGNED,
    CT__BOOLS = 8,
    CT__REALS = CT__FLOATS | CT__INTS | CT__BOOLS,
    CT__COMPLEXES = 16,
    CT__ANY = CT__REALS | CT__COMPLEXES,
    CT__OTHER = 0 /* inference decides */
};

/* The one class that has this dtype. */
static inline unsigned ct__class_of(ct_dtype dtype)
{
    return dtype == CT_BOOL             ? CT__BOOLS
           : ct_dtype_is_float(dtype)   ? CT__FLOATS
           : ct_dtype_is_complex(dtype) ? CT__COMPLEXES
           : ct_dtype_is_signed(dtype)  ? CT__SIGNED
                                        : CT__UNSIGNED;
}

typedef struct ct__op_info {
    const char *name;     /* "dynamic_slice" */
    const char *operands; /* "x start...", "pred capture... | then otherwise" */
    const char *spelling; /* "stablehlo.dynamic_slice" */
    unsigned dtypes;
    unsigned traits;
    ct__attrs_kind attrs;
} ct__op_info;

extern const ct__op_info ct__op_table[CT__OP_COUNT];

static inline const ct__op_info *ct__op_describe(ct__op op)
{
    return &ct__op_table[op];
}
static inline bool ct__has(ct__op op, unsigned traits)
{
    return (ct__op_describe(op)->traits & traits) == traits;
}
/* How many operands the row names, lists not counted; *open says whether it names lists ("..."). */
size_t ct__op_arity(ct__op op, bool *open);
/* "start[1]" for operand 3 of dynamic_update_slice; the only member of a list has no index.
 * Operands beyond the row's are "operand[9]". Lengths of lists are attributes, see ops.def. Writes
 * to buffer and returns it. */
const char *ct__operand_name(ct__op op, const ct__attrs *attrs, size_t n_operands, size_t position,
                             char *buffer, size_t bytes);

/* How many operands are captures, the last list of the row, given that the others are complete. */
size_t ct__op_captures(ct__op op, const ct__attrs *attrs, size_t n_operands);
/* How many bodies the row names, a list not counted; *open says whether it names one. */
size_t ct__op_bodies(ct__op op, bool *open);
/* "the body", "cond", "branch[1]". Writes to buffer and returns it. */
const char *ct__body_name(ct__op op, size_t region, char *buffer, size_t bytes);

/* ---- Type inference. */

/* What inference may know of a region: the types of its parameters and results. */
typedef struct ct__body_type {
    size_t n_params, n_results;
    const ct_type *const *param;
    const ct_type *const *result;
} ct__body_type;

typedef struct ct__infer {
    ct__op op;
    ct__arena *arena; /* for result types and scratch */
    const ct__attrs *attrs;
    size_t n_operands;
    const ct_type *const *in;
    size_t n_regions;
    const ct__body_type *region;
    /* result types that the program states, NULL: none. Inference takes them where operands leave
     * them open (CT__TYPED, quantized results), and checks them there; elsewhere it ignores them */
    size_t n_given;
    const ct_type *const *given;
    /* results */
    size_t n_results;
    const ct_type **out; /* set by ct__results */
    ct_status status;
    char message[512]; /* "sizes[1] = 7 does not fit x: f32[4,5]" */
    bool by_rank;      /* the failure depends on attributes and ranks alone, not on extents */
} ct__infer;

/* Fill q->out from the other members, or q->status and q->message. Checks arity, dtype class and
 * kinds, then calls the row's function. */
bool ct__infer_types(ct__infer *q);

/* For inference functions. Checks return true, or false after ct__fail; each says which constraint
 * of its caller it is. */
bool ct__fail(ct__infer *q, ct_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4))); /* returns false */
/* CT_ERR_SHAPE whatever the extents are: of attributes and ranks. Returns false. */
bool ct__fail_rank(ct__infer *q, const char *format, ...) __attribute__((format(printf, 2, 3)));
bool ct__fail_memory(ct__infer *q); /* returns false */

/* Text for messages, in q's arena. */
const char *ct__type_str(ct__infer *q, const ct_type *type);
const char *ct__ints_str(ct__infer *q, ct__ints list); /* "[0, 2]" */
const char *ct__operand_str(ct__infer *q, size_t position);

bool ct__results(ct__infer *q, size_t count);               /* allocates q->out, NULL-filled */
bool ct__result_of_type(ct__infer *q, const ct_type *type); /* q->out = one type, borrowed */
/* q->out = one tensor type of a valid dtype; checks extents and sizes. */
bool ct__result(ct__infer *q, ct_dtype dtype, size_t rank, const int64_t *dim);
/* A tensor type as above, for one of several results; NULL after ct__fail. */
const ct_type *ct__tensor(ct__infer *q, ct_dtype dtype, size_t rank, const int64_t *dim);

/* The same with the elements of x, quantized as they are; not where x has scales along an axis. */
const ct_type *ct__tensor_like(ct__infer *q, const ct_type *x, size_t rank, const int64_t *dim);

/* q->out = the given types. */
bool ct__results_as_given(ct__infer *q);

/* Operands first … first + count - 1 are tensors. */
bool ct__check_tensors(ct__infer *q, size_t first, size_t count);
/* Operands i and j have one dtype (and are quantized alike), one shape, both. */
bool ct__check_dtypes(ct__infer *q, size_t i, size_t j);
bool ct__check_shapes(ct__infer *q, size_t i, size_t j);
bool ct__check_types(ct__infer *q, size_t i, size_t j);
/* The operand is a token; the result is one. */
bool ct__check_token(ct__infer *q, size_t position);
bool ct__result_token(ct__infer *q);
/* NULL, or precisions of the two operands: "HIGH, DEFAULT". */
bool ct__check_precision(ct__infer *q, const char *precision);

/* Lists of axes: each in [0, rank); no axis twice in both lists together (in range, checked
 * before); ascending; and the first two for one list. */
bool ct__check_below(ct__infer *q, const char *name, ct__ints axes, int rank);
bool ct__check_distinct(ct__infer *q, const char *name, ct__ints axes, const char *other_name,
                        ct__ints other);
bool ct__check_sorted(ct__infer *q, const char *name, ct__ints axes);
bool ct__check_axes(ct__infer *q, const char *name, ct__ints axes, int rank);
/* One entry per axis of the operand. */
bool ct__check_per_axis(ct__infer *q, const char *name, ct__ints list, size_t position);

/* Flat (source, target) pairs of processes: no source twice, no target twice. */
bool ct__check_pairs(ct__infer *q, ct__ints pairs);

/* C2 to C4 of products: axes of operands 0 and 1, paired. */
bool ct__check_dot(ct__infer *q, ct__ints lhs_batching, ct__ints rhs_batching,
                   ct__ints lhs_contracting, ct__ints rhs_contracting);

/* A region takes, or gives, exactly these types. */
bool ct__check_params(ct__infer *q, size_t region, size_t count, const ct_type *const *want);
bool ct__check_body_results(ct__infer *q, size_t region, size_t count, const ct_type *const *want);
/* Operands are n_inputs times x, of one shape, and as many init, scalars of their dtypes; then
 * captures. */
bool ct__check_folded(ct__infer *q, int64_t n_inputs);
/* Region 0 takes scalars of the dtypes of operands 0 … n - 1, twice, then the captures, operands
 * from first_capture on; it gives scalars of the dtypes. */
bool ct__check_reducer(ct__infer *q, size_t n, size_t first_capture);

/* Which bodies of a custom_rule are its rules; 0: none. And how many bodies it has. */
typedef struct ct__rules {
    size_t jvp, forward, backward, count;
} ct__rules;
ct__rules ct__rules_of(const struct ct__attrs_custom_rule *a);
/* "the jvp rule"; of region 0 "the function". */
const char *ct__rule_name(const struct ct__attrs_custom_rule *a, size_t region);

/* What ragged_dot's ragged axis is to x: free, contracting or batching. */
typedef enum ct__ragged_mode {
    CT__RAGGED_FREE,
    CT__RAGGED_CONTRACTING,
    CT__RAGGED_BATCH
} ct__ragged_mode;
ct__ragged_mode ct__ragged_mode_of(const struct ct__attrs_ragged_dot *a);
/* The axes of x whose coordinates choose a row of group_sizes, in order: batching ones before the
 * ragged axis, then those of its own kind. Returns how many. */
size_t ct__ragged_prefix(const struct ct__attrs_ragged_dot *a, int64_t axis[CT__MAX_RANK]);

#define OP(name, operands, dtypes, attrs, traits, infer, ...) bool ct__infer_##infer(ct__infer *q);
#include "ops/ops.def"
#undef OP

/* ---- Out-of-range indices: the one place that knows how starts are clamped. */

/* An index element of any integer dtype (bool is not one), clamped into [0, last], without passing
 * an unsigned 64-bit value through a signed type. */
int64_t ct__clamp_index(ct_dtype dtype, const void *element, int64_t last);
/* Whether the element lies in [0, last]. */
bool ct__index_in_range(ct_dtype dtype, const void *element, int64_t last);

#endif
