/* Laws of linear operations: programs that are linear in their arguments, in tables; what holds of
 * them is in test_properties_linear.c. */
#ifndef CT_TESTS_LAWS_H
#define CT_TESTS_LAWS_H

#include <cotangent/cotangent.h>
#include <cotangent/op_large.h>
#include <cotangent/op_program.h>
#include <cotangent/op_stack.h>

enum { LAWS_MOST = 3, LAWS_MOST_SIZE = 256 };

typedef enum law_numbers { LAW_BOTH, LAW_REAL, LAW_COMPLEX } law_numbers;

typedef struct law {
    const char *name;
    ct_tensor *(*program)(ct_tensor *const *x); /* linear in all x together */
    size_t n;
    int64_t shape[LAWS_MOST][4]; /* of x, ended by -1 */
    law_numbers numbers;         /* what the x are: also whether constants are conjugated */
} law;

#define LINEAR(name, ...)                                                                          \
    static ct_tensor *name(ct_tensor *const *x)                                                    \
    {                                                                                              \
        return __VA_ARGS__;                                                                        \
    }

/* Constants: whole numbers of x's dtype, 1, 2, -1, 0, 3, … with others as imaginary parts; and of
 * i32. */
ct_tensor *laws_some(ct_tensor *x, ct_shape shape);
ct_tensor *laws_indices(ct_tensor *x, ct_shape shape, const double *value);
#define AT(x, shape, ...) laws_indices(x, shape, (const double[]){__VA_ARGS__})

/* Of control, bodies, calls, stacks and processes. */
extern const law laws_of_bodies[];
extern const size_t n_laws_of_bodies;

#endif
