/* Rewrites that keep meaning, from graph to graph: the folder's summary.
 *
 *   rewrite.c    the pass over a graph and its bodies; the public entries
 *   simplify.c   identities of arithmetic and of choosing
 *   move.c       identities of moving data         types.c      of conversions and types
 *   fold.c       operations on constants           merge.c      equal operations, equal bodies
 *   inline.c     bodies in the place of their call or choice
 *   dead.c       what nobody reads
 *
 * A pass records the nodes of a graph anew, in order, each with its operands already rewritten:
 * ct__emit looks whether the node is a value that is there already, becomes another node, folds to
 * a constant, or equals a node recorded before, and else adds it. What no result needs goes at the
 * end. All functions that return bool return false when memory is short. */
#ifndef CT_TRACE_REWRITE_REWRITE_H
#define CT_TRACE_REWRITE_REWRITE_H

#include "trace/trace.h"

#include <cotangent/rewrite.h>

/* For transforms, whose lists of operands would grow with every level: the graph, with functions
 * that are called at one place in place of their calls. NULL after an error. The caller's. */
ct__graph *ct__inline_single_calls(ct_context *ctx, ct_place at, ct__graph *graph);

/* For whoever fills a rewriter but for its lists: the graph rewritten. NULL after an error. The
 * caller's. */
typedef struct ct__rewriter ct__rewriter;
ct__graph *ct__rewrite_with(ct__rewriter *r, ct__graph *graph);

/* ---- One call of an entry. */

/* What bodies become, and of equal ones the first. Sources are held by the function, or here. */
typedef struct ct__bodies {
    size_t count, capacity;
    ct__graph **graph;  /* counted */
    ct__lookup became;  /* (source, 0) -> position */
    ct__lookup by_hash; /* (hash, n), n = 0, 1, … -> position */
} ct__bodies;

typedef enum ct__outcome {
    CT__STAYS,
    CT__CHANGED,  /* s->node is another node now */
    CT__REPLACED, /* s->result are its results */
    CT__NO_ROOM   /* memory is short */
} ct__outcome;

typedef struct ct__site ct__site;
typedef ct__outcome ct__rule(ct__site *s);

struct ct__rewriter {
    ct_context *ctx;
    ct_place at;
    unsigned rewrites; /* of ct_rewrite, and CT__REWRITE_CALLS */
    size_t fold_bytes;
    size_t operations; /* inlining stops where a graph would have more */
    ct__rule *rule[3]; /* further ones, of whoever asks, of nodes without an effect; or NULL */
    ct__lookup sites;  /* (graph, 0) -> how many nodes have this body, less one */
    ct__bodies bodies;
};

#define CT__REWRITE_CALLS (1u << 16)
#define CT__REWRITE_SINGLE_CALLS (1u << 17) /* of functions that are called at one place */

static inline bool ct__asks(const ct__rewriter *r, unsigned rewrite)
{
    return (r->rewrites & rewrite) != 0;
}

/* ---- One pass over one graph. */

/* The nodes recorded so far, to be found by what they do; open addressing. */
typedef struct ct__merger {
    size_t count, capacity; /* a power of 2 */
    struct ct__merged {
        uint32_t hash;
        uint32_t node; /* + 1; 0: free */
    } * entry;
} ct__merger;

/* Places that nodes take over, in order. */
typedef struct ct__moved_place {
    uint32_t node;
    size_t order;
    ct_place at;
} ct__moved_place;

typedef struct ct__pass {
    ct__rewriter *r;
    ct__arena *arena;   /* of the node at hand */
    ct__arena *lasting; /* of the pass */
    ct__graph *to;
    ct__merger merger;
    size_t n_moved, moved_capacity;
    ct__moved_place *moved;
    size_t n_changes;
    bool again;        /* a node could be rewritten further */
    size_t n_expected; /* nodes that `to` will have at most */
} ct__pass;

/* A node that is to be recorded: its operands are values of p->to. */
struct ct__site {
    ct__pass *p;
    ct__node node;
    const ct_type *const *type; /* of its results */
    const char *const *name;    /* of its results, or NULL: none has any */
    ct__id *result;             /* to be filled when it is replaced */
};

/* Record a node, or what it becomes. name: of its results, may be NULL. */
bool ct__emit(ct__pass *p, const ct__node *node, const ct_type *const *type,
              const char *const *name, ct__id *result);
/* A copy of a node of another graph, whose values value[] maps; its results are mapped then, but
 * for those that are not read (NULL: all are). */
bool ct__emit_copy(ct__pass *p, const ct__graph *from, const ct__node *node, ct__id *value,
                   const bool *read);
/* A body that has been made, in the rewriter's list, or the equal one there; takes over the
 * reference. */
ct__graph *ct__list_body(ct__rewriter *r, ct__graph *body);

/* ---- For rules. */

/* The node that makes the value, if it is its only result; else NULL. */
static inline const ct__node *ct__maker(const ct__pass *p, ct__id id)
{
    uint32_t node = p->to->value[id].node;
    return node != CT__NO_NODE && p->to->node[node].n_results == 1 ? &p->to->node[node] : NULL;
}
/* The maker, if it is such an operation. */
static inline const ct__node *ct__made_by(const ct__pass *p, ct__id id, ct__op op)
{
    const ct__node *maker = ct__maker(p, id);
    return maker && maker->op == op ? maker : NULL;
}
static inline const ct_type *ct__type_of(const ct__pass *p, ct__id id)
{
    return p->to->value[id].type;
}
/* The first element of a constant with equal elements; else NULL. */
const void *ct__splat_of(const ct__pass *p, ct__id id);
/* The site becomes a value that is there. */
ct__outcome ct__become_value(ct__site *s, ct__id value);
/* The site becomes another operation, on n operands; attrs NULL: none. */
ct__outcome ct__become(ct__site *s, ct__op op, const ct__attrs *attrs, size_t n,
                       const ct__id *operand);
/* Whether a constant's elements are all zero (of floats: of this sign), or all one. */
bool ct__is_zero(const ct__pass *p, ct__id id, bool negative);
bool ct__is_one(const ct__pass *p, ct__id id);

/* The rules: what the node is by its operation's identities. */
ct__outcome ct__simplify(ct__site *s);
ct__outcome ct__simplify_movement(ct__site *s);
ct__outcome ct__simplify_type(ct__site *s);
/* A constant that the node computes. */
ct__outcome ct__fold(ct__site *s);
/* The body that the node is certain to apply once. */
ct__outcome ct__expand(ct__site *s);
/* Whether a call's body takes its place. */
bool ct__is_expanded(const ct__pass *p, const ct__node *node);
bool ct__count_sites(ct__rewriter *r, const ct__graph *graph);

/* ---- Dropping. */

/* Per value: whether a result or a node that must stay needs it. */
const bool *ct__find_read(ct__arena *arena, const ct__graph *graph);
bool ct__is_live(const ct__node *node, const bool *read);
/* Drop operands that the bodies do not use and results that are not to be kept; keep[i] becomes
 * true for those that stay all the same. `source` is the first body before it was rewritten. */
bool ct__narrow(ct__pass *p, ct__node *node, const ct__graph *source, bool *keep);

/* ---- Merging. */

/* Whether a node recorded before does the same: then result[i] are its results. */
bool ct__merge_find(ct__pass *p, const ct__node *node, const ct_type *const *type, ct__id *result,
                    uint32_t *hash);
bool ct__merge_reserve(ct__pass *p);
void ct__merge_add(ct__pass *p, uint32_t hash, uint32_t node);
/* The node takes over the places of another one. */
bool ct__merge_places(ct__pass *p, uint32_t node, const ct__node *from);
bool ct__merge_end(ct__pass *p); /* write the places to the nodes */
/* Equal for equal bodies. */
uint64_t ct__graph_hash(const ct__graph *graph);

#endif
