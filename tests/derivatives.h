/* Derivatives of small programs, as whole matrices: entry (row, column) is the derivative of result
 * element `row` by input element `column`. Inputs are the float arguments, one after another.
 *
 *     static ct_tensor *rows(const void *user, ct_tensor *const *x)
 *     {
 *         (void)user;
 *         return ct_op_slice(x[0], CT_DIMS(1, 0), CT_DIMS(3, 4), CT_DIMS(1, 2));
 *     }
 *     TEST(slice)
 *     {
 *         ct_context *ctx = ct_context_new();
 *         CHECK_LINEAR(ctx, rows, NULL, 1, coded(ctx, CT_F64, 4, 5));
 *         ...
 *
 * Each matrix is computed three ways: forward (a column per tangent), reverse (a row per cotangent)
 * and from values. Then the same is done with the reverse derivative itself, `orders` times in all.
 */
#ifndef CT_TESTS_DERIVATIVES_H
#define CT_TESTS_DERIVATIVES_H

#include "tests/values.h"

#include <cotangent/ad.h>
#include <cotangent/op.h>
#include <cotangent/trace.h>

typedef ct_tensor *derivatives_program(const void *user, ct_tensor *const *x);

/* The program, recorded for arguments like these. */
ct_function *derivatives_record(ct_context *ctx, derivatives_program *program, const void *user,
                                ct_list arguments);

/* A complex program as a real one, for these checks: its first `pairs` operands are each given as a
 * real and an imaginary part, then come `rest` others as they are; the result is all real parts,
 * then all imaginary ones. */
typedef struct derivatives_complex {
    derivatives_program *program;
    const void *user;
    size_t pairs, rest;
} derivatives_complex;
ct_tensor *derivatives_by_parts(const void *complex, ct_tensor *const *x);
ct_tensor *derivatives_parts(ct_tensor *y);

/* What a check expects of a matrix: an empty one, where an extent is 0, compares nothing. */
typedef enum derivatives_extent {
    DERIVATIVES_FULL,
    DERIVATIVES_EMPTY,
    DERIVATIVES_ANY /* in a table, some of whose rows have an extent of 0 */
} derivatives_extent;

/* Affine in each input element (linear, or a product of different inputs), on whole numbers: the
 * three matrices, the one from values being f(x + e) - f(x), are equal to the last bit. */
#define CHECK_LINEAR(ctx, program, user, orders, ...)                                              \
    derivatives_check(__FILE__, __LINE__, ctx, program, user, CT_ARGV(__VA_ARGS__), orders, 1,     \
                      DERIVATIVES_FULL)
#define CHECK_LINEAR_EMPTY(ctx, program, user, orders, ...)                                        \
    derivatives_check(__FILE__, __LINE__, ctx, program, user, CT_ARGV(__VA_ARGS__), orders, 1,     \
                      DERIVATIVES_EMPTY)
#define CHECK_LINEAR_ANY(ctx, program, user, orders, ...)                                          \
    derivatives_check(__FILE__, __LINE__, ctx, program, user, CT_ARGV(__VA_ARGS__), orders, 1,     \
                      DERIVATIVES_ANY)

/* Smooth at these f64 arguments: compared with central differences. */
#define CHECK_SMOOTH(ctx, program, user, orders, ...)                                              \
    derivatives_check(__FILE__, __LINE__, ctx, program, user, CT_ARGV(__VA_ARGS__), orders, 0,     \
                      DERIVATIVES_FULL)
#define CHECK_SMOOTH_ANY(ctx, program, user, orders, ...)                                          \
    derivatives_check(__FILE__, __LINE__, ctx, program, user, CT_ARGV(__VA_ARGS__), orders, 0,     \
                      DERIVATIVES_ANY)

/* f16, bf16 and f32 give the f64 matrix but for `bound` units in the last place, forward and
 * reverse. The arguments must be f64 and exact in all of them. */
#define CHECK_DTYPES(ctx, program, user, bound, ...)                                               \
    derivatives_check_dtypes(__FILE__, __LINE__, ctx, program, user, CT_ARGV(__VA_ARGS__), bound,  \
                             DERIVATIVES_FULL)
#define CHECK_DTYPES_ANY(ctx, program, user, bound, ...)                                           \
    derivatives_check_dtypes(__FILE__, __LINE__, ctx, program, user, CT_ARGV(__VA_ARGS__), bound,  \
                             DERIVATIVES_ANY)

/* The matrix at these arguments, both forward and reverse, row by row; any dtype. Infinities and
 * NaNs match themselves: NaNs must be written down here, the other checks fail on them. */
#define CHECK_MATRIX(ctx, program, user, arguments, ...)                                           \
    derivatives_check_matrix(__FILE__, __LINE__, ctx, program, user, arguments,                    \
                             VALUES__LIST(__VA_ARGS__))

void derivatives_check(const char *file, int line, ct_context *ctx, derivatives_program *program,
                       const void *user, ct_list arguments, int orders, int exact,
                       derivatives_extent extent);
void derivatives_check_dtypes(const char *file, int line, ct_context *ctx,
                              derivatives_program *program, const void *user, ct_list arguments,
                              double bound, derivatives_extent extent);
void derivatives_check_matrix(const char *file, int line, ct_context *ctx,
                              derivatives_program *program, const void *user, ct_list arguments,
                              const double *expected, size_t count);

#endif
