/* Bodies for the tests of derivatives: what a reduce, scatter or map does to elements. */
#ifndef CT_TESTS_BODIES_H
#define CT_TESTS_BODIES_H

#include "tests/derivatives.h"

/* result[0 … n - 1] of the parameters p. */
typedef void bodies_code(ct_tensor *const *p, ct_tensor **result);

typedef struct bodies_body {
    bodies_code *code;
    size_t n; /* operands, and results */
} bodies_body;

/* The body, recorded for 2n scalars of the dtype and the captures. */
ct_function *bodies_record(ct_context *ctx, const bodies_body *body, ct_dtype dtype,
                           ct_list captures);

/* All elements of all x in one vector, each x being flattened first. */
ct_tensor *bodies_join(size_t n, ct_tensor *const *x);

/* Of one operand: (a, b). */
bodies_code bodies_product;    /* a + b + ab */
bodies_code bodies_length;     /* sqrt(a² + b²) */
bodies_code bodies_difference; /* 2a - b: shows the order */
bodies_code bodies_new;        /* b */
bodies_code bodies_old;        /* a */
bodies_code bodies_branch;     /* if a < b: ab else a + b² */
bodies_code bodies_loop;       /* a, plus b twice in a loop, each time squared */

/* Of one operand with a captured scalar k and vector v of three: (a, b, k, v). */
bodies_code bodies_captures; /* ka + b v[1] */
bodies_code bodies_lookup;   /* a + b v[2 if b > 5/4 else 0] */
bodies_code bodies_constant; /* k */

/* Of several operands. */
bodies_code bodies_welford; /* (n, mean, m2, n', mean', m2'): of two parts that of the whole */
bodies_code bodies_logs;    /* (m, s, m', s'): max, and Σ of exponentials below it */
bodies_code
    bodies_argument;        /* (v, i, w, j): the larger of v and w, the first if equal, and its i */
bodies_code bodies_crossed; /* (a, b, c, d): a + 2d, b - 3c: linear */

#endif
