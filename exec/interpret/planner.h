/* Plans in progress: what plan.c, which walks the graph, plan_memory.c, which says who shares
 * memory, plan_in_place.c, which says what is written over what, plan_fused.c, which runs several
 * nodes as one step, and frame.c, which says where memory is, have in common. */
#ifndef CT_EXEC_PLANNER_H
#define CT_EXEC_PLANNER_H

#include "exec/interpret/plan.h"
#include "trace/lookup.h"

/* One element again and again. */
typedef struct ct__repetition {
    void *data;
    size_t bytes;
} ct__repetition;

/* ---- A frame in progress: frame.c. */

typedef struct ct__block {
    size_t bytes;         /* a multiple of CT__ALIGN */
    size_t offset;        /* known when the frame is settled */
    size_t packed;        /* where it lies when it is placed anew */
    uint32_t first, last; /* the parts between which it lives; CT__KEPT: to the end */
} ct__block;

typedef struct ct__frame {
    ct__layout layout;
    uint32_t now;
    size_t n, capacity;
    ct__block *block;
} ct__frame;

#define CT__UNUSED (UINT32_MAX - 1)
#define CT__NONE UINT32_MAX
#define CT__KEPT UINT32_MAX

void ct__frame_begin(ct__frame *f, ct__arena *arena);
/* Blocks are told by number. CT_OK, CT_ERR_MEMORY or CT_ERR_RANGE. */
ct_status ct__frame_take(ct__frame *f, size_t bytes, size_t *block);
ct_status ct__frame_give(ct__frame *f, size_t block);
/* The offsets behind so many bytes, and the bytes of the frame with them. CT_OK, CT_ERR_MEMORY or
 * CT_ERR_RANGE. */
ct_status ct__frame_settle(ct__frame *f, size_t head, size_t *bytes);

/* ---- Plans. */

/* What the plans of a graph and of its bodies share while they are made. */
typedef struct ct__planning {
    ct__arena *arena;  /* of the plans */
    ct__arena scratch; /* of the planner's own lists */
    const ct__numerics *numerics;
    bool plain_products;
    ct__threads *threads;
    const ct__customs *customs;
    const ct__fusion *fusion;
    unsigned off; /* as in ct__plan_options */
    ct__run_error *error;
    ct__plan *bodies; /* planned already */
    size_t n_steps;   /* of them */
    /* repeated elements, written out for operations that read them one by one; they are found by
     * their first bytes */
    ct__lookup repetition_of;
    size_t n_repetitions, repetition_capacity;
    ct__repetition *repetition;
} ct__planning;

/* One graph in progress. `root` of a value is the value in whose memory it is, from `offset` on:
 *
 *   identity     its operand's
 *   slice        of elements that lie together: its operand's
 *   concatenate  where pieces follow one another: a piece that is made here is made in the whole
 *   in place     what is written over an operand: that operand's
 *
 * A root may be `repeated`: one stored element stands for all. */
typedef struct ct__planner {
    ct__planning *s;
    const ct__graph *graph;
    ct__plan *plan;
    size_t operand_capacity, result_capacity; /* of the plan's lists */
    ct__frame frame;
    ct__id *root;
    size_t *offset;
    bool *is_result; /* of the graph */
    bool *is_view;   /* identities and slices of which nothing is to be done */
    ct__home *home;  /* of roots; in the frame, by block */
    bool *is_placed; /* of roots in the frame: they have their bytes there */
    bool *repeated;  /* of roots, all of them constants */
    size_t *bytes;   /* of values, rounded up */
    ct__parting parting;
    ct__plan ***body;    /* per node: the plans of its bodies */
    size_t *over;        /* per result: ct__plan_over; NULL: none is */
    bool *takes_param;   /* of roots: it is written over a parameter */
    uint32_t *made_by;   /* the part that makes a value; CT__NONE: a parameter, or there is none */
    uint32_t *listed_by; /* the part that has listed it as an input */
    uint32_t *last_use;  /* the part that uses a root last; CT__KEPT: its bytes stay to the end */
} ct__planner;

/* Fill the error; false. */
bool ct__plan_fail(ct__planning *s, const ct__node *node, ct_status status);

/* The lists of values; the planner's `plan` and `s` are set. False after an error. */
bool ct__find_roots(ct__planner *p);
/* After the results have found their homes: pieces of what is concatenated. */
void ct__find_pieces(ct__planner *p);
void ct__find_last_uses(ct__planner *p);
/* After the last uses: the bodies' plans, and what is written over what. False after an error. */
bool ct__find_in_place(ct__planner *p, const ct__pairing *pairs);
/* The plan of a body; each is planned once for the same pairs. NULL after an error. */
ct__plan *ct__plan_body(ct__planning *s, ct__graph *graph, ct__pairing pairs);
/* Regions that may run: rules do not. */
static inline size_t ct__running_regions(const ct__node *node)
{
    return ct__has(node->op, CT__CALLS) && node->n_regions > 1 ? 1 : node->n_regions;
}

/* Give the value its bytes in the frame, if it is there and has none. */
ct_status ct__place_result(ct__planner *p, ct__id id);
ct_status ct__plan_take(ct__planner *p, size_t bytes, size_t *block);

/* After the roots: the nodes as parts. False after an error. */
bool ct__find_parts(ct__planner *p);
const ct__node *ct__part_node(const ct__planner *p, const ct__part *part, size_t i);
/* Add to the tables of a plan. False after an error. */
bool ct__plan_operand(ct__planner *p, ct__home home);
bool ct__plan_result(ct__planner *p, ct__home home);
/* The step of a part of several nodes. */
bool ct__plan_fused(ct__planner *p, const ct__part *part);

/* Notes of a step: plan_notes.c. The nodes of its part, false after an error; and its bytes, of a
 * part that is one node, or of one that is fused. */
bool ct__note_nodes(ct__planner *p, const ct__part *part, ct__step *step);
void ct__note_bytes(ct__planner *p, const ct__part *part, ct__step *step);
void ct__note_fused_bytes(const ct__planner *p, const ct__fused *fused, ct__step *step);

/* The values in memory that are read where this one is: itself, or the base of its view and what
 * stands outside. Returns how many. */
size_t ct__read_values(const ct__planner *p, ct__id id, ct__id read[2]);

/* From now on the values that the part makes are listed by it. */
void ct__note_made(ct__planner *p, const ct__part *part);

/* Where the value is, once its root has a place. */
ct__home ct__home_of(const ct__planner *p, ct__id id);
/* Memory that begins with `bytes` bytes of the repeated element; NULL when memory is short. All
 * that are filled with the same bytes share it, whatever their type. */
const void *ct__write_out(ct__planning *s, const void *element, size_t element_bytes, size_t bytes);

#endif
