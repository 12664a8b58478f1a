/* Batching: every value of a function stands for `size` lanes of it. A value is the same in all
 * lanes, or batched: its axis 0 runs over the lanes (of a tuple, that of every tensor in it; a
 * token is never batched, a stack always). Operations without a batched operand are recorded as
 * they were.
 *
 * The rules, by operation family, are written in primitives, so that what they
 * record differentiates and batches again, and they keep every lane's result bit by bit. */
#ifndef CT_AD_BATCH_H
#define CT_AD_BATCH_H

#include "ad/rules.h"

#include <cotangent/op_program.h>

typedef struct ct__batch {
    ct_context *ctx;
    ct_place at;
    ct__arena *arena; /* lasts as long as the transform of this function */
    ct__op op;
    const ct__attrs *attrs;
    size_t n_operands;
    ct_tensor *const *x;
    const bool *batched;        /* per operand */
    const ct_type *const *type; /* of operands, in one lane */
    size_t n_regions;
    ct__graph *const *region;
    size_t n_results;
    const ct_type *const *result_type; /* in one lane */
    bool is_typed;                     /* result types are given */
    int64_t size;                      /* how many lanes */
    ct_tensor *active; /* bool [size]: the lanes whose values something asks for; NULL: all */
    ct_tensor **y;     /* to be filled */
    bool *y_batched;   /* to be filled; at first true but for tokens */
} ct__batch;

#define CT__BATCH_BY(name) void ct__batch_##name(ct__batch *q);
#define BY(name) CT__BATCH_BY(name)
#define NONE(reason)
#define OP(name, operands, dtypes, attrs, traits, infer, jvp, transpose, batch, ...) batch
#include "ops/ops.def"
#undef OP
#undef NONE
#undef BY

/* ---- Graph to graph; owned by the caller; NULL after an error. */

/* (params…) -> (results…), of which the flagged ones are batched. must[i]: batch result i even if
 * it is the same in all lanes; may be NULL. is_masked: the last param is which lanes are active,
 * bool [size]. A branch or an iteration that a lane does not take is computed for it all the same,
 * and dropped; but a while, which might run for ever then, must know, and products of matrices,
 * which take harmless operands in such lanes. */
ct__graph *ct__graph_batch(ct_context *ctx, ct_place at, const ct__graph *graph, int64_t size,
                           bool is_masked, const bool *batched, const bool *must,
                           bool *batched_out);

/* ---- Which values are batched: spread.c. */

bool ct__find_batched(ct_context *ctx, ct_place at, const ct__graph *graph, const bool *batched,
                      bool *result);
/* Of the carries of a while or for: operand[] gains those that an iteration batches. by_lane: lanes
 * end the loop at different times. */
bool ct__spread_while(ct_context *ctx, ct_place at, const ct__node *node, bool *operand,
                      bool *by_lane);
bool ct__spread_for(ct_context *ctx, ct_place at, const ct__node *node, bool *operand,
                    bool *by_lane);
/* Whether the body asks which lanes are active: of a loop in it, or of a product of matrices. */
bool ct__asks_active(const ct__graph *body);
/* Whether then a loop over the lanes runs it: it has an effect, or a token in its body. */
bool ct__loops_in_order(const ct__node *node);
/* Whether the node is batched though its operands are the same in all lanes: it has an effect,
 * which happens once per lane, or makes a stack. */
bool ct__runs_per_lane(const ct__graph *graph, const ct__node *node);

/* ---- What rules share: lanes.c. Lists live in the arena; after an error they are empty, and
 * recording does nothing. */

/* `size` lanes of the type; NULL after an error. */
const ct_type *ct__batched_type(ct_context *ctx, ct_place at, ct__arena *arena, const ct_type *type,
                                int64_t size);
/* x, the same in all lanes and of this type, as a batched value. */
ct_tensor *ct__batch_spread(const ct__batch *q, ct_tensor *x, const ct_type *type);
/* Operand i as a batched value. */
ct_tensor *ct__batch_full(const ct__batch *q, size_t i);
/* Batched values of this type in a lane: x in the lanes of a bool [size], y in the others. Of
 * stacks x: what inactive lanes add to it is nothing. */
ct_tensor *ct__batch_choose(const ct__batch *q, ct_tensor *lanes, ct_tensor *x, ct_tensor *y,
                            const ct_type *type);
/* x as a value of the trace, where it is concrete: what is made of it is recorded. */
ct_tensor *ct__batch_recorded(const ct__batch *q, ct_tensor *x);

/* Every item + 1; and behind `first`. */
ct__ints ct__batch_shifted(const ct__batch *q, ct__ints list);
ct__ints ct__batch_behind(const ct__batch *q, int64_t first, ct__ints list);
/* The items as they are, behind `first`. */
ct__ints ct__batch_prepended(const ct__batch *q, int64_t first, ct__ints list);

/* q->y: the operation with these attributes on these operands, with the results' batched types. */
void ct__batch_apply(ct__batch *q, const ct__attrs *attrs, size_t n_operands,
                     ct_tensor *const *operand);
/* The same on all operands, batched; on the first `count` ones, batched, and the others as they
 * are.
 */
void ct__batch_apply_full(ct__batch *q, const ct__attrs *attrs);
void ct__batch_apply_leading(ct__batch *q, const ct__attrs *attrs, size_t count);
/* Every result is a poison. */
void ct__batch_fail(ct__batch *q);
/* Whether any of operands first … n_operands - 1 is batched. */
bool ct__batch_any(const ct__batch *q, size_t first);
/* x with its axis `from` moved to `to`. */
ct_tensor *ct__moved_axis(ct_place at, ct_tensor *x, size_t from, size_t to);

#endif
