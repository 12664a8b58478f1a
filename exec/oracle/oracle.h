/* The oracles: the interpreter with numbers of GMP and MPFR, which share no arithmetic with what
 * they judge.
 *
 *   numbers.c   the numbers of a run, behind handles     numerics.c  the numerics: arrays of them
 *   real.c      floats as numbers of MPFR                rational.c  exactly, as quotients of GMP
 *   complex.c   pairs of them, by MPC                    convert.c   from and to machine elements
 *   special.c   functions that MPFR lacks                round.c     about a dtype's own precision
 *   fft.c  linalg.c  outside.c   meanings that work on whole arrays, or on machine elements
 *   run.c       executors                                call.c      calls that keep their numbers
 *   text.c      numbers as text                          judge.c     how far a machine element is
 *   shadow.c    operations on machine operands
 *
 * An element of a float dtype is a handle, of a complex one two; integers and bools are what they
 * are everywhere. Handles are copied as bytes, so moving data needs no care, and who has one need
 * not give it back: what no memory of the run names any more is collected between two operations.
 * The handle 0 is the number 0, so cleared memory is zeros.
 *
 * A float dtype says nothing of a number's precision: sums of f16 are as exact as sums of f64. */
#ifndef CT_EXEC_ORACLE_H
#define CT_EXEC_ORACLE_H

#include "exec/exec.h"
#include "ops/text.h"

#include <cotangent/oracle.h>

#include <mpc.h>

extern const ct__numerics ct__mpfr_numerics, ct__rational_numerics;

/* ---- Numbers. */

typedef uint64_t ct__number;

typedef enum ct__cell_kind {
    CT__CELL_FREE,
    CT__CELL_REAL,    /* rounded to the run's bits; in exact runs also infinities and NaN */
    CT__CELL_RATIONAL /* in lowest terms; never in runs that are not exact */
} ct__cell_kind;

typedef struct ct__cell {
    uint8_t kind;
    bool is_marked;
    union {
        mpfr_t real; /* its limbs lie behind the cell */
        mpq_t rational;
        ct__number next; /* of a free one; 0: none */
    };
} ct__cell;

/* Memory that may hold handles. */
typedef struct ct__root {
    const void *data;
    size_t bytes;
} ct__root;

/* What a run computes with, and the run's numbers. */
typedef struct ct__numbers {
    ct_allocator allocator;
    ct__precision how;
    size_t cell_bytes;
    unsigned char **slab;
    size_t n_slabs, slab_capacity;
    size_t n_cells; /* that have ever been used */
    ct__number free;
    size_t n_made, collect_at; /* numbers since the last collection, and when the next one is due */
    const ct__root *root;
    size_t n_roots;
    ct__cell *zero;
    mpfr_t t, u, v; /* of the run's bits, for one operation's steps */
    mpc_t z, w;
    mpq_t p, q;
    /* B(2k) / (2k)!, k = 1 … n_ratios, to ratio_bits: special.c */
    size_t n_ratios, ratio_capacity;
    mpfr_prec_t ratio_bits;
    mpfr_t *ratio;
    /* what went wrong in the operation in progress; the first counts */
    ct_status status;
    char message[256];
    size_t element,
        failed_element;        /* of an elementwise operation: at work, and that of the above */
    struct ct__numbers *outer; /* the run that this one interrupts, in the same thread */
    mpfr_exp_t emin, emax;     /* of MPFR before the run */
} ct__numbers;

/* False when memory is short; free is due in any case. */
bool ct__numbers_init(ct__numbers *n, const ct_allocator *allocator, const ct__precision *how);
void ct__numbers_free(ct__numbers *n);

/* The numerics work on arrays alone: whose numbers these are, a thread says by entering. Enters
 * nest. */
ct__numbers *ct__numbers_now(void);
void ct__numbers_enter(ct__numbers *n);
void ct__numbers_leave(ct__numbers *n);

/* Collects numbers that no root names, when that is due. */
void ct__numbers_collect(ct__numbers *n);
/* Frees all, which nothing must name any more. */
void ct__numbers_forget(ct__numbers *n);

/* Keep the first failure; what is computed after it counts for nothing. */
void ct__numbers_fail(ct_status status, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* That the operation is irrational, and the run exact. */
void ct__fail_irrational(void);

/* Whether an operation in MPFR, whose flags were cleared before it, has stayed within the run's
 * exponents: else it is the run's failure. Below them a number is 0, which is one in exact runs
 * alone. */
bool ct__check_range(mpfr_srcptr result);

/* The cell of a handle, valid until the next collection. */
const ct__cell *ct__cell_of(ct__number x);
/* Handles of copies. */
ct__number ct__keep_real(mpfr_srcptr x);    /* an error as ct__check_range has it */
ct__number ct__keep_rational(mpq_srcptr x); /* an error where it has too many bits */

/* A number as one of MPFR, which is where it is, or in `buffer`, rounded; *is_exact is cleared
 * where that lost something. */
mpfr_srcptr ct__real_of(ct__number x, mpfr_ptr buffer, bool *is_exact);

/* Infinity or NaN. */
bool ct__is_special(ct__number x);

/* ---- Elementwise operations. */

/* Of numbers of MPFR, rounded once: not maximum, minimum and next_after. MPFR's flags are theirs
 * afterwards, but for those of the range where an operand is not finite. */
void ct__mpfr_unary(ct__op op, mpfr_ptr y, mpfr_srcptr x);
void ct__mpfr_binary(ct__op op, mpfr_ptr z, mpfr_srcptr x, mpfr_srcptr y);
ct__number ct__real_unary(ct__op op, ct__number x);
ct__number ct__real_binary(ct__op op, ct__number x, ct__number y, ct_dtype dtype);
ct__number ct__rational_unary(ct__op op, ct__number x);
ct__number ct__rational_binary(ct__op op, ct__number x, ct__number y, ct_dtype dtype);
void ct__complex_unary(ct__op op, ct__number *y, const ct__number *x);
void ct__complex_binary(ct__op op, ct__number *z, const ct__number *x, const ct__number *y);

/* Of reals, in the run's kind of numbers. */
ct__number ct__number_unary(ct__op op, ct__number x);
ct__number ct__number_binary(ct__op op, ct__number x, ct__number y, ct_dtype dtype);

/* -1, 0, 1; 2 where one is NaN. */
int ct__number_compare(ct__number x, ct__number y);
bool ct__number_is_nan(ct__number x);
bool ct__number_is_negative(ct__number x); /* its sign, of zeros and NaNs too */

/* Functions of MPFR numbers, with t's precision, that MPFR lacks: special.c. */
void ct__mpfr_bessel_i1e(mpfr_ptr y, mpfr_srcptr x);
void ct__mpfr_erf_inv(mpfr_ptr y, mpfr_srcptr x);
void ct__mpfr_zeta(mpfr_ptr y, mpfr_srcptr s, mpfr_srcptr q);
void ct__mpfr_polygamma(mpfr_ptr y, mpfr_srcptr n, mpfr_srcptr x);
void ct__ratios_free(ct__numbers *n);

/* ---- Between numbers and machine elements. */

/* The double whose last bit also says that it is not exact: rounding it to a float dtype rounds x
 * once. For f64 itself rounded to nearest. */
double ct__odd_of(mpfr_srcptr x);
/* The number, or one of MPFR instead whose last bit says that it is not exact: until the next call.
 */
mpfr_srcptr ct__odd_real(ct__number x);
ct__number ct__number_of_double(double x);
double ct__double_of(ct__number x);
/* Elements of any tensor dtype. */
void ct__load_numbers(ct_dtype dtype, size_t n, void *y_, const void *machine);
void ct__store_numbers(ct_dtype dtype, size_t n, void *machine, const void *x_);
/* Whole values: tensors, quantized ones, tuples. */
void ct__load_value(const ct__numerics *numerics, const ct_type *type, void *y,
                    const void *machine);
void ct__store_value(const ct__numerics *numerics, const ct_type *type, void *machine,
                     const void *x);
void ct__convert_numbers(ct_dtype to, ct_dtype from, size_t n, void *y, const void *x);

/* ---- Runs. Arguments and results are values of the numerics, in one block of memory. */

typedef struct ct__kept_numbers {
    ct__numbers numbers;
    ct__graph *graph; /* counted */
    size_t bytes;     /* of the block */
    unsigned char *block;
    void **value; /* of arguments, then of results */
} ct__kept_numbers;

void ct__kept_free(ct__kept_numbers *kept); /* what a run has left there */

/* ---- Judging machine elements. */

/* How far a machine element, or part of a complex one, is from the number: the signed difference,
 * and its size in units in the last place of a number of the dtype near it. Both are 0 for two NaNs
 * and for what the number rounds to beyond the dtype's range; infinite where there is no way. */
typedef struct ct__error_of {
    double difference, ulps;
    int unit; /* such a unit is 2^unit */
} ct__error_of;

ct__error_of ct__error_from(ct_dtype dtype, const void *machine, ct__number exact);

/* Operations in numbers of MPFR on machine operands. */
typedef struct ct__shadow ct__shadow;

/* NULL when memory is short. */
ct__shadow *ct__shadow_new(const ct_allocator *allocator, const ct__precision *how);
void ct__shadow_free(ct__shadow *s); /* NULL is allowed */
ct__numbers *ct__shadow_numbers(ct__shadow *s);
/* The results of the operation on its operands, which are machine elements; NULL after an error.
 * Valid until the next call, within its numbers. */
void *const *ct__shadow_evaluate(ct__shadow *s, const ct__graph *graph, uint32_t node,
                                 const ct__eval *machine, ct__run_error *error);

/* ---- Text. */

/* The number, added to the text: digits 0 for as many as its bits have. */
void ct__add_number(ct__text *text, ct__number x, ct_number_form form, int digits);

/* ---- Meanings of their own. */

bool ct__oracle_fft(const ct__eval *q);
bool ct__oracle_cholesky(const ct__eval *q);
bool ct__oracle_triangular_solve(const ct__eval *q);
bool ct__oracle_reduce_precision(const ct__eval *q);
bool ct__oracle_bitcast_convert(const ct__eval *q, bool (*meaning)(const ct__eval *));
bool ct__oracle_constant(const ct__eval *q);
/* By way of machine elements, in reference numerics. */
bool ct__oracle_outside(const ct__eval *q, bool (*meaning)(const ct__eval *q));

/* The number of the dtype next to x in the direction of y. */
ct__number ct__next_number(ct_dtype dtype, ct__number x, ct__number y);

#endif
