/* Operations on elements as C: which text computes one element in machine numerics. */
#ifndef CT_EXEC_JIT_EXPRESS_H
#define CT_EXEC_JIT_EXPRESS_H

#include "ops/ops.h"
#include "ops/text.h"

/* One operation on elements. */
typedef struct ct__expression {
    ct__op op;
    const ct__attrs *attrs;
    bool plain_products; /* scale and scale_either are multiply */
    bool is_near;        /* ct__express_far is known to be false */
    bool is_fixed;       /* operand 0 is the same in all of a loop */
    size_t n_operands;
    ct_dtype operand_dtype[3], dtype;
    /* C expressions without side effects, of the types that ct__c_type gives; as they stand behind
     * an operator: names, or in parentheses */
    const char *operand[3];
} ct__expression;

/* The C type of a stored element: of f16 and bf16 their bits, of bool a byte 0 or 1. */
const char *ct__c_type(ct_dtype dtype);

/* Adds the expression, in parentheses where it is no call. False, with nothing added, where there
 * is none: functions of f64 that the C library has, complex numbers, elements of less than a byte.
 * Such an operation is run on arrays, by the numerics. */
bool ct__express(ct__text *to, const ct__expression *e);
/* The same without the text; the operands' texts may be NULL. */
bool ct__has_expression(const ct__expression *e);

/* Whether there are elements, sines of large numbers, that are computed in another way. A loop in
 * which some of them may be is not put into vectors. Then ct__express_far adds the condition. */
bool ct__has_far(const ct__expression *e);
void ct__express_far(ct__text *to, const ct__expression *e);

/* Adds what these expressions, and folds, need to stand in a file: types, and those functions that
 * `body` uses. */
void ct__add_prelude(ct__text *to, const char *body);

#endif
