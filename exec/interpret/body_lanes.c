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

static void *own_lanes(const ct__lanes_body *body, size_t i)
{
    return body->q->scratch + i * CT__BODY_LANES * ELEMENT;
}

static size_t bytes_of(const ct__lanes_body *body, ct__id id)
{
    return body->q->numerics->element_bytes(ct__graph_type(body->graph, id)->dtype);
}

void ct__lanes_body_begin(ct__lanes_body *body, const ct__eval *q, size_t n, size_t first_capture)
{
    *body = (ct__lanes_body){.q = q, .graph = ct__plan_graph(q->region[0]), .n = n};
    for (size_t i = 0; i < body->graph->n_values; i++)
        body->at[i] = own_lanes(body, i);
    for (size_t i = 2 * n; i < body->graph->n_params; i++) {
        const ct__id id = body->graph->param[i];
        ct__fill_elements(bytes_of(body, id), CT__BODY_LANES, (void *)(uintptr_t)body->at[id],
                          q->in[first_capture + i - 2 * n]);
    }
    for (size_t i = 0; i < body->graph->n_nodes; i++) {
        const ct__node *node = &body->graph->node[i];
        if (node->op != CT__OP_constant)
            continue;
        unsigned char *to = own_lanes(body, node->first_result);
        const size_t bytes = bytes_of(body, node->first_result);
        ct__literal_copy_out(node->attrs->constant.value, to);
        ct__fill_elements(bytes, CT__BODY_LANES - 1, to + bytes, to);
    }
}

void ct__lanes_body_param(ct__lanes_body *body, size_t i, const void *lanes)
{
    body->at[body->graph->param[i]] = lanes;
}

/* Types of so many lanes, by dtype. */
static void make_types(ct_type *types, const int64_t *lanes)
{
    for (size_t i = 0; i < CT_DTYPE_COUNT; i++)
        types[i] = (ct_type){
            .kind = CT__TENSOR, .dtype = (ct_dtype)i, .rank = 1, .dim = lanes, .size = *lanes};
}

static bool run_node(const ct__lanes_body *body, const ct__node *node, const ct_type *types)
{
    const ct_type *in_type[MOST_VALUES], *out_type;
    const void *in[MOST_VALUES];
    void *out = own_lanes(body, node->first_result);
    for (size_t i = 0; i < node->n_operands; i++) {
        in_type[i] = &types[ct__graph_type(body->graph, node->operand[i])->dtype];
        in[i] = body->at[node->operand[i]];
    }
    out_type = &types[ct__graph_type(body->graph, node->first_result)->dtype];
    const ct__eval q = {.numerics = body->q->numerics,
                        .op = node->op,
                        .attrs = node->attrs,
                        .at = node->at,
                        .n_operands = node->n_operands,
                        .in_type = in_type,
                        .in = in,
                        .n_results = 1,
                        .out_type = &out_type,
                        .out = &out,
                        .plain_products = body->q->plain_products,
                        .error = body->q->error};
    return ct__evaluate(&q);
}

/* What an old is may be another one's new value: all results are kept before any is written. */
bool ct__lanes_body_run(const ct__lanes_body *body, size_t lanes)
{
    const int64_t n = (int64_t)lanes;
    ct_type types[CT_DTYPE_COUNT];
    make_types(types, &n);
    for (size_t i = 0; i < body->graph->n_nodes; i++)
        if (body->graph->node[i].op != CT__OP_constant &&
            !run_node(body, &body->graph->node[i], types))
            return false;
    for (size_t i = 0; i < body->n; i++) {
        const ct__id id = body->graph->result[i];
        memcpy(own_lanes(body, body->graph->n_values + i), body->at[id],
               lanes * bytes_of(body, id));
    }
    for (size_t i = 0; i < body->n; i++)
        memcpy((void *)(uintptr_t)body->at[body->graph->param[i]],
               own_lanes(body, body->graph->n_values + i),
               lanes * bytes_of(body, body->graph->param[i]));
    return true;
}
