/* A plan in the making: plan.c, plan_constants.c, plan_fused.c. */
#ifndef CT_EXEC_PLANNER_H
#define CT_EXEC_PLANNER_H

#include "exec/interpret/plan.h"
#include "trace/lookup.h"

/* One element again and again. */
typedef struct ct__repetition {
    void *data;
    size_t bytes;
} ct__repetition;

/* What the plans of a graph and of its bodies share while they are made. */
typedef struct ct__plan_session {
    ct__arena *arena;  /* of the plans */
    ct__arena scratch; /* of this file's own lists */
    const ct__numerics *numerics;
    bool plain_products;
    const ct__customs *customs;
    const ct__fusion *fusion;
    ct__run_error *error;
    ct__plan *bodies; /* planned already */
    /* repeated elements, written out for operations that read them one by one; they are found by
     * their first PATTERN bytes */
    ct__lookup repetition_of;
    size_t n_repetitions, repetition_capacity;
    ct__repetition *repetition;
} ct__plan_session;

/* One graph in progress. `root` of a value is the value whose memory it is: of an identity's
 * result, that of its operand. A root may be `repeated`: one stored element stands for all. */
typedef struct ct__planner {
    ct__plan_session *s;
    const ct__graph *graph;
    ct__plan *plan;
    ct__layout layout;
    ct__id *root;
    ct__home *home; /* of roots */
    bool *repeated; /* of roots, all of them constants */
    size_t *bytes;  /* of roots in the frame, rounded up */
    ct__parting parting;
    uint32_t *made_by;   /* the part that makes a root; CT__NONE: a parameter or a constant */
    uint32_t *listed_by; /* the part that has listed it as an input */
    uint32_t *last_use;  /* the part that uses a root last; CT__KEPT: its bytes stay to the end */
} ct__planner;

#define CT__UNUSED (UINT32_MAX - 1)
#define CT__NONE UINT32_MAX
#define CT__KEPT UINT32_MAX

/* Fills the session's error; returns false. node: NULL for parameters. */
bool ct__plan_fail(ct__plan_session *s, const ct__node *node, ct_status status);

/* ---- Constants: plan_constants.c. */

bool ct__plan_constant(ct__plan_session *s, const ct__node *node, const ct__literal *literal,
                       ct__home *home);
/* Memory that begins with `bytes` bytes of the repeated element; NULL when memory is short. All
 * that are filled with the same bytes share it, whatever their type. */
const void *ct__write_out(ct__plan_session *s, const void *element, size_t element_bytes,
                          size_t bytes);

/* ---- Memory: plan.c. */

ct_status ct__plan_take(ct__planner *p, size_t bytes, size_t *rounded, size_t *offset);
ct_status ct__place_result(ct__planner *p, ct__id id);

/* ---- Parts: plan_fused.c. */

bool ct__find_parts(ct__planner *p);
const ct__node *ct__part_node(const ct__planner *p, const ct__part *part, size_t i);
/* The step of a part of several nodes. */
bool ct__plan_fused(ct__planner *p, const ct__part *part);

#endif
