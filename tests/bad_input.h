/* Calling every public function with bad arguments, one row per function:
 *
 *     TENSOR(ct_op_reshape_at, HERE, X, DIMS(3, 2))
 *
 * is a call that succeeds, whose arguments are drawn by macros that know what is bad for them. The
 * driver makes the call with each argument in turn replaced by each bad value of its kind, then
 * with two at a time, with concrete operands and inside a trace, and in a context that holds an
 * error. Every call must end in a good result, or in poison and an error of an expected status
 * whose message begins with the place. */
#ifndef CT_TESTS_BAD_INPUT_H
#define CT_TESTS_BAD_INPUT_H

#include "tests/check.h"

#include <cotangent/cotangent.h>

/* Statuses that a call may end in, a bit each. */
#define ONLY(status) (1u << (status))
enum {
    CONTEXTLESS = 1u << 30, /* nothing had a context to keep an error */
    PLAUSIBLE = 1u << CT_ERR_MEMORY | 1u << CT_ERR_ARGUMENT | 1u << CT_ERR_TYPE |
                1u << CT_ERR_SHAPE | 1u << CT_ERR_RANGE | 1u << CT_ERR_INDEX | 1u << CT_ERR_RULE |
                1u << CT_ERR_UNSUPPORTED | 1u << CT_ERR_STATE,
    ANYTHING = PLAUSIBLE | 1u << CT_OK
};

/* What calls are made with: good values, and some bad ones. All tensors are small. */
typedef struct bad_world {
    ct_context *ctx, *other, *dead;   /* blocks above 1 MiB are refused */
    ct_tensor *x, *y;                 /* f32[2,3] */
    ct_tensor *tall;                  /* f32[3,2] */
    ct_tensor *n;                     /* i32[2,3] */
    ct_tensor *mask;                  /* bool[2,3] */
    ct_tensor *scalar, *index, *pred; /* f32[], i32[], bool[] */
    ct_tensor *count;                 /* i64[] */
    ct_tensor *indices;               /* i32[2,1] */
    ct_tensor *vector;                /* f32[2] */
    ct_tensor *static_poison, *poison, *foreign, *foreign_index, *spec, *ended;
    ct_function *f;       /* (f32[2,3], f32[2,3]) -> f32[] */
    ct_function *body;    /* (f32[], f32[]) -> f32[] */
    ct_function *less;    /* (f32[], f32[]) -> bool[] */
    ct_function *counted; /* (i64[], f32[2,3]) -> f32[2,3] */
    ct_function *step;    /* (f32[], f32[3]) -> (f32[], f32[3]) */
    ct_function *same;    /* f32[2,3] -> f32[2,3], linear */
    ct_function *poison_function, *foreign_function;
    ct_executable *e, *poison_executable; /* f, and none */
} bad_world;

/* One call. */
typedef struct bad {
    bad_world w;
    const char *name;
    bool is_traced, has_failed; /* the mode */
    size_t argument;            /* how many have been drawn */
    size_t worse[2];            /* which arguments get a bad value, and which one */
    int variant[2];
    bool exhausted[2];   /* there is no such bad value */
    unsigned allowed;    /* statuses, a bit each */
    bool is_foreign;     /* a value of the other context was drawn */
    size_t sources;      /* arguments that bring a context */
    bool has_no_context; /* one of them is NULL or the poison without a context */
    ct_tensor *items[6][8];
    int64_t numbers[12][8];
    size_t n_lists, n_shapes;
    ct_tensor *result[4];
    size_t complaints;
    char before[4096]; /* the message of the error that was there before */
} bad;

typedef struct bad_row bad_row;
struct bad_row {
    const char *name;
    void (*call)(bad *b);
    bad_row *next;
};
void bad_register(bad_row *row);
/* Makes all calls of all rows. */
void bad_run_all(bool is_traced);
/* Checks that every function of a folder's headers has a row; returns how many functions there are.
 */
int bad_check_headers(const char *folder);

/* ---- Rows. The call's kind says what its result is. */

#define BAD__ROW(f, statement)                                                                     \
    static void bad_try_##f(bad *b)                                                                \
    {                                                                                              \
        statement;                                                                                 \
    }                                                                                              \
    __attribute__((constructor)) static void bad_enter_##f(void)                                   \
    {                                                                                              \
        static bad_row row = {.name = #f, .call = bad_try_##f};                                    \
        bad_register(&row);                                                                        \
    }

#define TENSOR(f, ...) BAD__ROW(f, bad_end_tensor(b, f(__VA_ARGS__)))
#define FUNCTION(f, ...) BAD__ROW(f, bad_end_function(b, f(__VA_ARGS__)))
#define TEXT(f, ...) BAD__ROW(f, bad_end_text(b, f(__VA_ARGS__)))
/* The first n members of b->result are filled. */
#define RESULTS(n, f, ...) BAD__ROW(f, (f(__VA_ARGS__), bad_end_results(b, n)))
/* As many as the list has members, which is the argument behind the place. */
#define RESULTS_OF(list, f, ...)                                                                   \
    BAD__ROW(f, ct_list of = list; f(HERE, of, __VA_ARGS__, b->result);                            \
             bad_end_results(b, of.count))
/* A value for every argument, or an error. */
#define VALUE(f, ...) BAD__ROW(f, ((void)f(__VA_ARGS__), bad_end_value(b)))
/* Any statement that ends in one of the bad_end_. */
#define CALL(f, ...) BAD__ROW(f, __VA_ARGS__)

void bad_end_tensor(bad *b, ct_tensor *x);
void bad_end_function(bad *b, ct_function *f);
void bad_end_text(bad *b, const char *text);
void bad_end_results(bad *b, size_t n);
void bad_end_value(bad *b);

/* ---- Arguments. */

#define HERE ((ct_place){"here.c", 7, 0})
#define T(member) bad_tensor(b, b->w.member)
#define X T(x)
#define Y T(y)
#define N T(n)
#define ANY_TENSOR                                                                                 \
    bad_any_tensor(b, b->w.x) /* also of traced values: looking at them is allowed                 \
                               */
#define OPERAND(x) bad_operand(b, CT_OPERAND(x))
#define DIMS(...) bad_shape(b, CT_SHAPE(__VA_ARGS__))
#define AXES(...) bad_axes(b, CT_AXES(__VA_ARGS__))
#define ARGS(...) bad_args(b, CT_ARGS(__VA_ARGS__))
#define LIST(...) bad_list(b, CT_ARGV(__VA_ARGS__))
#define EXAMPLES(...) bad_examples(b, CT_ARGV(__VA_ARGS__))
#define CONTEXT bad_context(b)
#define F(member) bad_function(b, b->w.member)
#define ANY_F(member) bad_any_function(b, b->w.member) /* also poison: looking at it is allowed */
#define EXECUTABLE bad_executable(b)
#define DTYPE(good) bad_dtype(b, good)
#define ENUM(type, good) ((type)bad_enum(b, (int)(good)))
#define REAL(good) bad_real(b, good)
#define INT(good) bad_int(b, good)
#define SIZE(good) bad_size(b, good)
#define POINTER(good) bad_pointer(b, good) /* NULL is an error */
#define MAYBE(good) bad_maybe(b, good)     /* NULL is allowed */

ct_tensor *bad_tensor(bad *b, ct_tensor *good);
ct_tensor *bad_any_tensor(bad *b, ct_tensor *good);
ct_operand bad_operand(bad *b, ct_operand good);
ct_shape bad_shape(bad *b, ct_shape good);
ct_axes bad_axes(bad *b, ct_axes good);
ct_args bad_args(bad *b, ct_args good);
ct_list bad_list(bad *b, ct_list good);
ct_list bad_examples(bad *b, ct_list good);
ct_context *bad_context(bad *b);
ct_function *bad_function(bad *b, ct_function *good);
ct_function *bad_any_function(bad *b, ct_function *good);
ct_executable *bad_executable(bad *b);
ct_dtype bad_dtype(bad *b, ct_dtype good);
int bad_enum(bad *b, int good);
double bad_real(bad *b, double good);
int64_t bad_int(bad *b, int64_t good);
size_t bad_size(bad *b, size_t good);
void *bad_pointer(bad *b, const void *good);
void *bad_maybe(bad *b, const void *good);

#endif
