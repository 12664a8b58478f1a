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

/* The position of a value among the params; n_params: it is none. */
size_t ct__param_position(const ct__graph *graph, ct__id id);

/* ---- What loops count: counters.c. */

typedef struct ct__counted {
    const ct__loop *loop;
    const ct__graph *body;
    ct_tensor *const *operand;
} ct__counted;
/* The integer that a value of the body, or of a while's condition, is in every iteration: a
 * constant there, or around the loop, from where it is captured or carried as it is. False: it is
 * none. */
bool ct__loop_integer(ct_context *ctx, const ct__counted *of, const ct__graph *graph, ct__id id,
                      int64_t *value);
/* What every iteration adds to the carry, when it is such an integer. */
bool ct__carry_step(ct_context *ctx, const ct__counted *of, size_t carry, int64_t *step);
/* The steps of those carries of a loop that are i32 or i64, per operand of its node; 0 of what is
 * none. In the arena; NULL when memory is short. */
int64_t *ct__find_counters(const ct__unzip *q, const ct__loop *loop);
/* Of such carries: start + index step, as every iteration of this index, an i64, has it;
 * those of all `length` iterations of a scan, as its rows. */
ct_tensor *ct__counter_at(ct_place at, ct_tensor *start, int64_t step, ct_tensor *index);
ct_tensor *ct__counter_rows(ct_place at, ct_tensor *start, int64_t step, int64_t length,
                            bool is_reverse);

/* The function of new parameters, of these types, that is `graph` on those which argument[] names;
 * SIZE_MAX: zeros. Owned by the caller; NULL after an error. */
ct__graph *ct__graph_rewired(ct_context *ctx, ct_place at, const ct__graph *graph, size_t n_params,
                             const ct_type *const *param, const size_t *argument);

#endif
