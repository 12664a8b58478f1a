/* The inside of a plan, between plan.c, which makes it, and run.c, which walks it. */
#ifndef CT_EXEC_PLAN_H
#define CT_EXEC_PLAN_H

#include "exec/interpret/interpret.h"

/* Where a value lives during a run. */
typedef enum ct__home_kind {
    CT__IN_FRAME,   /* index: offset in the frame */
    CT__IN_PARAM,   /* index: of the caller's buffer */
    CT__IN_RESULT,  /* index: of the caller's buffer */
    CT__IN_CONSTANT /* data */
} ct__home_kind;

typedef struct ct__home {
    ct__home_kind kind;
    union {
        size_t index;
        const void *data;
    };
    size_t offset; /* from there on, in bytes */
} ct__home;

typedef struct ct__step {
    const void *fused; /* of several nodes, for the plan's fusion; then eval is not used */
    ct__eval eval;     /* without what belongs to a run: in, out, scratch, frame, error */
    size_t operands_at, results_at; /* in the tables of addresses */
    size_t scratch_at, frame_at;    /* in the frame */
    size_t n_nodes;                 /* of the graph, that it runs */
    const uint32_t *node;
    uint64_t bytes; /* of what it reads and writes in memory, each once */
} ct__step;

typedef struct ct__copy {
    ct__home to, from;
    size_t bytes;
    size_t repeated; /* not 0: `from` is one element of so many bytes, to be repeated */
} ct__copy;

/* Which results of a body may be where parameters are. */
typedef struct ct__pairing {
    bool any;            /* each over any parameter of its type */
    size_t first, count; /* else result i over parameter first + i, i < count */
} ct__pairing;

/* The plans of bodies lie in the arena of the outermost plan, and each body is planned once. */
struct ct__plan {
    ct__graph *graph;
    const ct__fusion *fusion;
    int body_kind;
    bool rewinds; /* makes stacks and gives none back: they are freed after a run of it */
    size_t frame_bytes;
    /* of every operand and every result of every step: the frame begins with two tables of their
     * addresses, filled when a run begins, and each step has a slice of both */
    size_t n_operands, n_results;
    ct__home *operand, *result;
    size_t n_steps;
    size_t first_step; /* its number among the steps of all plans of one outermost plan */
    ct__step *step;
    size_t n_before, n_after; /* copies before the first step and after the last */
    ct__copy *before, *after;
    const size_t *over; /* per result; see ct__plan_over */
    ct__plan *next;     /* among the bodies that are planned already */
    ct__pairing pairs;  /* those that it was planned for */
};

/* The outermost plan. */
typedef struct ct__plan_root {
    ct__plan plan;
    ct_allocator allocator;
    ct__arena arena;
} ct__plan_root;

#endif
