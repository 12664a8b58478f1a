/* The tensor part of the test programs.
 *
 *     TEST(transpose)
 *     {
 *         ct_context *ctx = ct_context_new();
 *         ct_tensor *x = coded(ctx, CT_F32, 2, 3);      // 0 1 2 / 10 11 12
 *
 *         CHECK_VALUES(ct_transpose(x, CT_AXES(1, 0)), CT_SHAPE(3, 2), {0, 10, 1, 11, 2, 12});
 *         ct_reshape(x, CT_SHAPE(4));
 *         CHECK_ERROR(ctx, CT_ERR_SHAPE, "reshape: ");  // and clears it
 *         CHECK_OK(ctx);
 *         ct_context_free(ctx);
 *     }
 *
 * Failing checks print the tensors that were found and expected. */
#ifndef CT_TESTS_VALUES_H
#define CT_TESTS_VALUES_H

#include "tests/check.h"

#include <cotangent/context.h>
#include <cotangent/tensor.h>

/* Elements that spell their coordinates in decimal, x[i][j] = 10i + j, so that a wrong index, axis
 * or stride shows up as a wrong number; the factor is 100 and so on where an extent is above 10.
 * Bool tensors hold the lowest bit of the row-major position. The values must fit the dtype. */
#define coded(ctx, dtype, ...) values_coded(ctx, dtype, CT_SHAPE(__VA_ARGS__))
ct_tensor *values_coded(ct_context *ctx, ct_dtype dtype, ct_shape shape);

/* A tensor of any rank from a braced list: given(ctx, CT_F32, CT_SHAPE(2, 2), {1, 2, 3, 4}). */
#define given(ctx, dtype, shape, ...)                                                              \
    ct_from_doubles(ctx, dtype, shape, (const double[])__VA_ARGS__)

/* x is concrete and has this shape and these values in row-major order; NaN equals NaN, -0 equals
 * 0. Integers beyond 2^53 are not for these: ct_at_int reads them. */
#define CHECK_VALUES(x, shape, ...)                                                                \
    values_check(__FILE__, __LINE__, #x, x, shape, VALUES__LIST(__VA_ARGS__), VALUES_EXACT, 0)
/* Each |x - y| <= bound·|y|; y is the listed value, and where it is 0 x must be 0. */
#define CHECK_CLOSE(x, shape, bound, ...)                                                          \
    values_check(__FILE__, __LINE__, #x, x, shape, VALUES__LIST(__VA_ARGS__), VALUES_RELATIVE,     \
                 bound)
/* Each |x - y| <= bound. */
#define CHECK_NEAR(x, shape, bound, ...)                                                           \
    values_check(__FILE__, __LINE__, #x, x, shape, VALUES__LIST(__VA_ARGS__), VALUES_ABSOLUTE,     \
                 bound)
/* x is concrete and has this shape, which has no elements. */
#define CHECK_EMPTY(x, shape)                                                                      \
    values_check(__FILE__, __LINE__, #x, x, shape, NULL, 0, VALUES_EXACT, 0)
#define VALUES__LIST(...)                                                                          \
    (const double[]) __VA_ARGS__, sizeof((const double[])__VA_ARGS__) / sizeof(double)

/* ct_equal: type and values, NaN equals NaN, -0 equals 0. */
#define CHECK_EQUAL(x, y) values_check_equal(__FILE__, __LINE__, #x, #y, x, y, 0)
/* Type and bits. */
#define CHECK_BITS(x, y) values_check_equal(__FILE__, __LINE__, #x, #y, x, y, 1)

/* The context holds this error, and its message contains `part`. Clears it. */
#define CHECK_ERROR(ctx, status, part) values_check_error(__FILE__, __LINE__, ctx, status, part)
#define CHECK_OK(ctx) values_check_ok(__FILE__, __LINE__, ctx)

/* Runs body(ctx) in new contexts with the n-th allocation failing, n = 1, 2, …, until one is
 * not reached. Every run before must end in CT_ERR_MEMORY, with a message that says
 * what ran out of memory, and every one must give back all its memory. */
#define CHECK_ALLOCATIONS(body) values_check_allocations(__FILE__, __LINE__, body, NULL)
/* The same for a body whose calls all have a place: messages begin with the name of this file. */
#define CHECK_ALLOCATIONS_AT(body) values_check_allocations(__FILE__, __LINE__, body, __FILE__)
/* For such a body: what has no context (an instance) said itself that memory ran out. */
void values_note_memory(void);

typedef enum values_comparison { VALUES_EXACT, VALUES_RELATIVE, VALUES_ABSOLUTE } values_comparison;

void values_check(const char *file, int line, const char *text, ct_tensor *x, ct_shape shape,
                  const double *expected, size_t count, values_comparison comparison, double bound);
void values_check_equal(const char *file, int line, const char *x_text, const char *y_text,
                        ct_tensor *x, ct_tensor *y, int bitwise);
void values_check_error(const char *file, int line, ct_context *ctx, ct_status status,
                        const char *part);
void values_check_ok(const char *file, int line, const ct_context *ctx);
void values_check_allocations(const char *file, int line, void (*body)(ct_context *ctx),
                              const char *place);

#endif
