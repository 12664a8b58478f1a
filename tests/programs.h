/* Programs in tests of the interpreter: run compiled and directly, with the same bits; and walking
 * index spaces. */
#ifndef CT_TESTS_PROGRAMS_H
#define CT_TESTS_PROGRAMS_H

#include "tests/values.h"

#include <cotangent/trace.h>

typedef struct program {
    ct_many_function *body;
    void *user;
    size_t n_results; /* at most 4 */
} program;

/* The results of the compiled program; checks that computing directly gives the same bits. */
void programs_run(ct_context *ctx, program p, ct_list arguments, ct_tensor **result);
ct_tensor *programs_run1(ct_context *ctx, ct_many_function *body, void *user, ct_list arguments);
/* Both ways must fail with CT_ERR_INDEX and a message that contains this one. */
void programs_check_fails(ct_context *ctx, ct_many_function *body, void *user, ct_list arguments,
                          const char *message);

/* 2 old - new: not commutative, so it shows the order of updates; two operations, so it is planned.
 */
ct_tensor *programs_twice_minus(ct_tensor *old, ct_tensor *new);

/* The next of a fixed sequence of random numbers in [0, below). */
int64_t programs_pick(int64_t below);

/* Lists and index spaces, row-major. */
bool programs_listed(const int64_t *list, size_t count, int64_t item);
size_t programs_flat(const int64_t *dim, size_t rank, const int64_t *index);
int64_t programs_count(const int64_t *dim, size_t rank);
void programs_unflatten(const int64_t *dim, size_t rank, int64_t at, int64_t *index);

#endif
