/* The graph behind a function: typed SSA, immutable once published, counted, free of contexts. */
#ifndef CT_TRACE_GRAPH_H
#define CT_TRACE_GRAPH_H

#include "ops/ops.h"

#include <stdatomic.h>

/* Bodies nest at most so deep, for transforms, plans and texts follow them by recursion. */
#define CT__MAX_DEPTH 1000

typedef uint32_t ct__id; /* a value of a graph */
#define CT__NO_NODE UINT32_MAX

enum { CT__RECENT_ATTRS = 16 }; /* a power of two */

typedef struct ct__graph ct__graph;

/* How a node came to be: as it is written, or by the derivative rule of an operation, which a
 * backward one has made of cotangents. Says nothing of what it computes, and is no part of texts.
 */
typedef enum ct__derived { CT__WRITTEN = 0, CT__DERIVED, CT__DERIVED_BACKWARD } ct__derived;

typedef struct ct__provenance {
    uint8_t how; /* ct__derived */
    uint16_t of; /* the operation whose rule it is; of one that was made by a rule itself, that
                    one's */
} ct__provenance;

/* Programs have many of them, and a pass reads all: numbers are small and stand together. */
typedef struct ct__node {
    ct__op op;
    ct__provenance provenance;
    uint32_t n_operands, n_results, n_regions;
    ct__id first_result;    /* its results are consecutive values */
    uint32_t n_also;        /* further places: of nodes that were merged into this one */
    ct_place at;            /* file: in the graph's arena */
    const ct__attrs *attrs; /* never NULL */
    const ct__id *operand;
    ct__graph *const *region; /* counted; captures are trailing parameters */
    const char *extra; /* attributes that are only kept, as text without braces; NULL: none */
    const ct_place *also;
} ct__node;

/* Attributes of a function that are only kept, as texts without braces; each may be NULL. */
typedef struct ct__notes {
    const char *module; /* of the module whose main function it is */
    const char
        *meshes; /* of devices, operations beside the functions of that module: a line each */
    const char *function;
    const char **param, **result; /* NULL: none has any */
} ct__notes;

typedef struct ct__value {
    const ct_type *type;
    const char *name; /* by ct_name, or NULL */
    /* whose elements its own ones are copies of: of a constant its literal, which moving data hands
     * on; else NULL. Borrowed from the constant, which is needed as long as this value is. */
    const ct__literal *copied;
    uint32_t node; /* that produces it; CT__NO_NODE for parameters */
} ct__value;

struct ct__graph {
    atomic_size_t references;
    ct__arena arena; /* of types, attributes, text and lists */
    const char *name;
    size_t n_params;
    ct__id *param;
    size_t n_results;
    ct__id *result;
    size_t n_nodes; /* in an order in which operands come first */
    ct__node *node;
    size_t n_values;
    ct__value *value;
    ct__notes notes;
    /* parameters as the user's arguments: argument i has leaves[i] of them, and Σ is n_params */
    size_t n_arguments;
    size_t *leaves;
    /* of all nodes, those of bodies included; kept up to date, for calls may share bodies many
     * times */
    size_t n_all_nodes; /* saturates */
    bool has_effect;
    bool has_loop; /* a while, a for or a stack_add, which batching tells what lanes are active */
    bool has_product; /* a product of matrices or what solves with one: likewise */
    size_t depth;     /* how deep bodies nest below it: 0 without any */
    /* of a graph that is linear in some of its params, as cut out by differentiation: which ones,
     * and every node depends on them; else NULL */
    bool *linear_param;
    /* capacities of the growing arrays */
    size_t param_capacity, node_capacity, value_capacity;
    const char *last_file; /* the newest interned file name */
    /* attributes added lately, by their hash: nodes with equal ones share them */
    struct {
        ct__attrs_kind kind;
        const ct__attrs *attrs; /* or NULL */
    } recent[CT__RECENT_ATTRS];
};

ct__graph *ct__graph_new(const ct_allocator *allocator, const char *name); /* NULL on failure */
ct__graph *ct__graph_retain(ct__graph *graph);
void ct__graph_release(ct__graph *graph); /* NULL is allowed */

/* ---- Building; all return false when memory is short. */

/* Room for so many nodes of one result, beside parameters. */
bool ct__graph_reserve(ct__graph *graph, size_t n_nodes);
/* A new value; the type is copied. */
bool ct__graph_add_param(ct__graph *graph, const ct_type *type, ct__id *id);
/* Everything is copied or retained. The results are the new node's values, with these types. */
bool ct__graph_add_node(ct__graph *graph, const ct__node *node, const ct_type *const *types,
                        ct__id *first_result);
/* Give a node these further places in place of those it has. */
bool ct__graph_set_places(ct__graph *graph, size_t node, size_t count, const ct_place *also);
bool ct__graph_set_results(ct__graph *graph, size_t count, const ct__id *result);
bool ct__graph_set_arguments(ct__graph *graph, size_t count, const size_t *leaves);
/* Each parameter is an argument of its own. */
bool ct__graph_set_flat_arguments(ct__graph *graph);
/* Mark the last n_linear params as those that the graph is linear in. */
bool ct__graph_set_linear(ct__graph *graph, size_t n_linear);
/* Drop nodes without effect that no result needs; parameters stay. */
bool ct__graph_prune(ct__graph *graph);
/* Reorder parameters or results of a graph that is not shared yet: new[i] = old[order[i]]; results
 * may be repeated or left out, parameters are permuted. */
bool ct__graph_permute_params(ct__graph *graph, const size_t *order);
bool ct__graph_select_results(ct__graph *graph, size_t count, const size_t *order);
/* Which parameters a node or a result uses, in the arena. */
bool ct__graph_used_params(const ct__graph *graph, ct__arena *arena, bool **used);
/* Leave out parameters of such a graph that nothing uses. */
bool ct__graph_drop_params(ct__graph *graph, const bool *kept);

/* ---- Asking. */

/* Whether a node must stay though nothing uses its results: an effect, or a `strict` check. */
bool ct__node_has_effect(const ct__node *node);
/* Whether it is what has_loop speaks of, or a body has it. */
bool ct__node_has_loop(const ct__node *node);
bool ct__node_has_product(const ct__node *node);
/* Products of matrices and what solves with them: their derivative is no guarded product, so that a
 * zero that comes back meets what is infinite in them. */
bool ct__is_plain_product(ct__op op);
/* How many products each element of a result sums: of dot_general, ragged_dot and convolution; 0 of
 * other nodes. Saturates. */
uint64_t ct__terms_of_product(const ct__graph *graph, const ct__node *node);

static inline const ct_type *ct__graph_type(const ct__graph *graph, ct__id id)
{
    return graph->value[id].type;
}
static inline const ct_type *ct__param_type(const ct__graph *graph, size_t i)
{
    return graph->value[graph->param[i]].type;
}
static inline const ct_type *ct__result_type(const ct__graph *graph, size_t i)
{
    return graph->value[graph->result[i]].type;
}
/* The node that gives the value; NULL for a parameter. */
static inline const ct__node *ct__node_of(const ct__graph *graph, ct__id id)
{
    const uint32_t node = graph->value[id].node;
    return node == CT__NO_NODE ? NULL : &graph->node[node];
}
/* Whether the node's result types were given, not inferred: applying it again must give them. */
bool ct__node_is_typed(const ct__graph *graph, const ct__node *node);
/* The node's literal when the value is a constant, else NULL. */
const ct__literal *ct__graph_literal(const ct__graph *graph, ct__id id);
/* Types of parameters and results, for inference; in `arena`. False when memory is short. */
bool ct__graph_body_type(const ct__graph *graph, ct__arena *arena, ct__body_type *type);

/* Same nodes in the same order, types, attributes, names of values and of the function, kept
 * attributes and, if asked for, source places. False also when memory is short. */
bool ct__graph_equal(const ct__graph *a, const ct__graph *b, bool with_places);
/* The same for bodies, whose own names say nothing, without places; false when memory is short. */
bool ct__body_equal(const ct__graph *a, const ct__graph *b, bool *same);

/* A composite of this name computes again, in its backward half, what it did in its forward half.
 */
#define CT__CHECKPOINT "ct.checkpoint"
bool ct__is_checkpoint(ct__op op, const ct__attrs *attrs);

/* What a reducer or scatter body does, when it is one operation on its two first parameters
 * (old, new): add, multiply, maximum, minimum, and, or, xor, …; CT__BODY_NEW when it returns `new`,
 * CT__BODY_OLD when it returns `old`, CT__BODY_OTHER otherwise (also with several results). */
enum { CT__BODY_OTHER = -1, CT__BODY_NEW = -2, CT__BODY_OLD = -3 };
int ct__graph_body_kind(const ct__graph *graph);
/* What dynamic_update_slice and scatter may be done in: result i is operand i but for a window, for
 * so many i; 0 of other operations. */
size_t ct__updated_operands(const ct__node *node);
/* The operand that goes into the window of result i. */
ct__id ct__update_of(const ct__node *node, size_t i);
/* Whether it is combined with what is there. */
bool ct__combines_updates(const ct__node *node);

#endif
