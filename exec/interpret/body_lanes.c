/* Bodies on scalars whose operations are all on elements, run for many lanes at a time: each lane
 * computes what the body computes for its scalars. */
#include "exec/interpret/interpret.h"

#include <string.h>

enum { MOST_VALUES = 64, ELEMENT = 16 /* bytes, at most */ };

static bool is_scalar(const ct_type *type)
{
    return ct__has_plain_elements(type) && type->rank == 0;
}

bool ct__body_has_lanes(const ct__graph *body)
{
    if (body->n_values > MOST_VALUES)
        return false;
    for (size_t i = 0; i < body->n_values; i++)
        if (!is_scalar(body->value[i].type))
            return false;
    for (size_t i = 0; i < body->n_nodes; i++) {
        const ct__node *node = &body->node[i];
        if (node->n_results != 1 || node->n_regions > 0 ||
            !(node->op == CT__OP_constant || ct__has(node->op, CT__ELEMENTWISE)))
            return false;
    }
    return true;
}

/* In the scratch: the lanes of each value, and once more of each result. */
size_t ct__lanes_body_bytes(const ct__graph *body)
{
    return (body->n_values + body->n_results) * CT__BODY_LANES * ELEMENT;
}

static void *own_lanes(const ct__lanes_body *b, size_t i)
{
    return b->q->scratch + i * CT__BODY_LANES * ELEMENT;
}

static size_t bytes_of(const ct__lanes_body *b, ct__id id)
{
    return b->q->numerics->element_bytes(ct__graph_type(b->graph, id)->dtype);
}

void ct__lanes_body_begin(ct__lanes_body *b, const ct__eval *q, size_t n, size_t first_capture)
{
    *b = (ct__lanes_body){.q = q, .graph = ct__plan_graph(q->region[0]), .n = n};
    for (size_t i = 0; i < b->graph->n_values; i++)
        b->at[i] = own_lanes(b, i);
    for (size_t i = 2 * n; i < b->graph->n_params; i++) {
        const ct__id id = b->graph->param[i];
        ct__fill_elements(bytes_of(b, id), CT__BODY_LANES, (void *)(uintptr_t)b->at[id],
                          q->in[first_capture + i - 2 * n]);
    }
    for (size_t i = 0; i < b->graph->n_nodes; i++) {
        const ct__node *node = &b->graph->node[i];
        if (node->op != CT__OP_constant)
            continue;
        unsigned char *to = own_lanes(b, node->first_result);
        const size_t bytes = bytes_of(b, node->first_result);
        ct__literal_copy_out(node->attrs->constant.value, to);
        ct__fill_elements(bytes, CT__BODY_LANES - 1, to + bytes, to);
    }
}

void ct__lanes_body_param(ct__lanes_body *b, size_t i, const void *lanes)
{
    b->at[b->graph->param[i]] = lanes;
}

/* Types of so many lanes, by dtype. */
static void make_types(ct_type *types, const int64_t *lanes)
{
    for (size_t i = 0; i < CT_DTYPE_COUNT; i++)
        types[i] = (ct_type){
            .kind = CT__TENSOR, .dtype = (ct_dtype)i, .rank = 1, .dim = lanes, .size = *lanes};
}

static bool run_node(const ct__lanes_body *b, const ct__node *node, const ct_type *types)
{
    const ct_type *in_type[MOST_VALUES], *out_type;
    const void *in[MOST_VALUES];
    void *out = own_lanes(b, node->first_result);
    for (size_t i = 0; i < node->n_operands; i++) {
        in_type[i] = &types[ct__graph_type(b->graph, node->operand[i])->dtype];
        in[i] = b->at[node->operand[i]];
    }
    out_type = &types[ct__graph_type(b->graph, node->first_result)->dtype];
    const ct__eval q = {.numerics = b->q->numerics,
                        .op = node->op,
                        .attrs = node->attrs,
                        .at = node->at,
                        .n_operands = node->n_operands,
                        .in_type = in_type,
                        .in = in,
                        .n_results = 1,
                        .out_type = &out_type,
                        .out = &out,
                        .plain_products = b->q->plain_products,
                        .error = b->q->error};
    return ct__evaluate(&q);
}

/* What an old is may be another one's new value: all results are kept before any is written. */
bool ct__lanes_body_run(const ct__lanes_body *b, size_t lanes)
{
    const int64_t n = (int64_t)lanes;
    ct_type types[CT_DTYPE_COUNT];
    make_types(types, &n);
    for (size_t i = 0; i < b->graph->n_nodes; i++)
        if (b->graph->node[i].op != CT__OP_constant && !run_node(b, &b->graph->node[i], types))
            return false;
    for (size_t i = 0; i < b->n; i++) {
        const ct__id id = b->graph->result[i];
        memcpy(own_lanes(b, b->graph->n_values + i), b->at[id], lanes * bytes_of(b, id));
    }
    for (size_t i = 0; i < b->n; i++)
        memcpy((void *)(uintptr_t)b->at[b->graph->param[i]], own_lanes(b, b->graph->n_values + i),
               lanes * bytes_of(b, b->graph->param[i]));
    return true;
}
