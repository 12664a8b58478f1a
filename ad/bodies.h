/* What the forward and transpose rules of operations with bodies share: bodies.c. */
#ifndef CT_AD_BODIES_H
#define CT_AD_BODIES_H

#include "ad/derive.h"

/* ---- Lists. */

size_t ct__count_set(const bool *flag, size_t count);
/* Append the non-NULL ones of x, or all of them, to list. */
void ct__append_live(ct_tensor **list, size_t *count, ct_tensor *const *x, size_t n);
void ct__append_all(ct_tensor **list, size_t *count, ct_tensor *const *x, size_t n);

/* ---- Calls. */

/* y: a call of the function on x, n of them. False after an error. */
bool ct__call(ct_context *ctx, ct_place at, ct__graph *function, size_t n, ct_tensor *const *x,
              ct_tensor **y);

/* ---- A whole forward rule in progress. */

typedef struct ct__whole {
    ct__jvp_whole *q;
    ct__arena arena;
    bool *live_in;  /* per operand */
    bool *live_out; /* per result */
} ct__whole;
/* False after an error; end it in any case. */
bool ct__whole_begin(ct__whole *w, ct__jvp_whole *q);
void ct__whole_end(ct__whole *w);

/* ---- Loops: where their operands are. Operands and the body's parameters are in one order. */

typedef struct ct__loop {
    size_t first_carry; /* 1 where a count, in the body the index, comes first */
    size_t n_carry, n_inputs;
    size_t body; /* which region */
} ct__loop;
/* Of scan, for and while; false for other operations. */
bool ct__loop_of(ct__op op, const ct__attrs *attrs, ct__loop *loop);
static inline size_t ct__first_capture(const ct__loop *loop)
{
    return loop->first_carry + loop->n_carry + loop->n_inputs;
}
/* *attrs with other counts of carries and inputs. */
void ct__set_loop(ct__op op, ct__attrs *attrs, size_t n_carry, size_t n_inputs);

/* The function of new parameters, of these types, that is `graph` on those which argument[] names;
 * SIZE_MAX: zeros. Owned by the caller; NULL after an error. */
ct__graph *ct__graph_rewired(ct_context *ctx, ct_place at, const ct__graph *graph, size_t n_params,
                             const ct_type *const *param, const size_t *argument);

#endif
