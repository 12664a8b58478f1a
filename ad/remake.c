/* What the linear half of a function keeps of the known half, where it reads some of its values.
 *
 * Every value has a price: its bytes, if it is kept, or what it takes to make it again, which is
 * its own effort and the prices of its operands. The lower one is taken; a tie is kept. What is
 * there anyway, because the linear half reads it too, has no price. That is found in one pass, for
 * operands stand before what reads them; a second one knows which values the first made available.
 */
#include "ad/remake.h"

#include "ops/literal.h"

#include <math.h>
#include <string.h>

/* ---- Efforts, in bytes that could be kept for them. */

typedef enum effort {
    NEVER,   /* made once: transcendental functions, reductions, products, bodies, effects */
    SPREADS, /* read where its operand is */
    MOVES,
    COMPUTES,
    DIVIDES
} effort;

static effort effort_of(ct__op op)
{
    switch (op) {
    case CT__OP_broadcast_in_dim:
    case CT__OP_constant:
    case CT__OP_iota:
    case CT__OP_reshape: return SPREADS;
    case CT__OP_bitcast_convert:
    case CT__OP_concatenate:
    case CT__OP_dynamic_slice:
    case CT__OP_pad:
    case CT__OP_reverse:
    case CT__OP_slice:
    case CT__OP_transpose: return MOVES;
    case CT__OP_abs:
    case CT__OP_add:
    case CT__OP_and:
    case CT__OP_ceil:
    case CT__OP_clamp:
    case CT__OP_compare:
    case CT__OP_complex:
    case CT__OP_convert:
    case CT__OP_floor:
    case CT__OP_imag:
    case CT__OP_is_finite:
    case CT__OP_maximum:
    case CT__OP_minimum:
    case CT__OP_multiply:
    case CT__OP_negate:
    case CT__OP_not:
    case CT__OP_or:
    case CT__OP_real:
    case CT__OP_reduce_precision:
    case CT__OP_round_nearest_afz:
    case CT__OP_round_nearest_even:
    case CT__OP_scale:
    case CT__OP_scale_either:
    case CT__OP_select:
    case CT__OP_shift_left:
    case CT__OP_shift_right_arithmetic:
    case CT__OP_shift_right_logical:
    case CT__OP_sign:
    case CT__OP_stop_gradient:
    case CT__OP_subtract:
    case CT__OP_xor: return COMPUTES;
    case CT__OP_divide: return DIVIDES;
    default: return NEVER;
    }
}

bool ct__is_view(const ct__graph *graph, const ct__node *node)
{
    const ct__id x = node->n_operands > 0 ? node->operand[0] : 0;
    if (node->op == CT__OP_reshape || node->op == CT__OP_optimization_barrier)
        return true;
    if (node->op != CT__OP_slice)
        return false;
    const ct_type *from = ct__graph_type(graph, x), *to = ct__graph_type(graph, node->first_result);
    bool all = from->rank > 0 && node->attrs->slice.strides.item[0] == 1;
    for (int d = 1; d < from->rank; d++)
        all = all && from->dim[d] == to->dim[d];
    return all;
}

/* ---- Prices. */

const ct__prices ct__prices_of_arguments = {.param_share = 0, .views_are_there = true};
const ct__prices ct__prices_of_body = {.param_share = 0.5};

enum { ITERATIONS = 16 }; /* of a loop whose count only a run knows, as a guess */

static double count_of(const ct__unzip *q)
{
    int64_t count = ITERATIONS;
    if (q->node->op == CT__OP_scan)
        count = q->node->attrs->scan.length;
    else if (q->node->op == CT__OP_for)
        ct__literal_integer(ct__outer_constant(q->ctx, q->operand[0]), &count);
    return fmax(1, (double)count);
}

/* An index or a counter is there in any case. Rows may be, and are more likely where they are those
 * of a parameter; so is what is the same in all iterations, and is kept once for all. */
bool ct__find_loop_prices(const ct__unzip *q, const ct__loop *loop, const int64_t *step,
                          ct__prices *prices)
{
    const size_t n = q->node->n_operands, inputs = loop->first_carry + loop->n_carry;
    const double once = 1 / count_of(q);
    double *param = CT__NEW_ARRAY(q->arena, double, n);
    bool *fixed = CT__NEW_ARRAY(q->arena, bool, n);
    for (size_t i = 0; param && fixed && i < n; i++) {
        const double share = q->operand[i]->argument >= 0 ? 0.25 : 1;
        fixed[i] = i >= ct__first_capture(loop);
        if (i >= inputs)
            param[i] = share * (fixed[i] ? once : 0.5);
        else
            param[i] = i < loop->first_carry || step[i] ? 0 : 1;
    }
    *prices = (ct__prices){.param = param, .fixed = fixed, .fixed_share = once};
    return param && fixed;
}

/* Elementwise work on fewer elements takes as long as keeping them once; but not where it reads
 * none that are fewer still, or it is a loop that would keep them for every iteration. */
enum { FEW = 16 };

/* More than keeping anything. */
#define NOT_MADE 0x1p62

typedef struct chooser {
    const ct__graph *graph;
    const bool *unknown, *read;
    const ct__prices *prices;
    bool *light;  /* per value: cheap, of what a loop reads or of what has half its bytes at most */
    bool *fixed;  /* per value: the same in all iterations */
    bool *remade; /* per value: its price is that of making it again */
    bool *available; /* per value: the linear half has it */
    double *keeping; /* per value: the price of keeping it */
    double *price;
    ct__kept *kept;
} chooser;

static double bytes_of(const chooser *c, ct__id id)
{
    const ct_type *type = ct__graph_type(c->graph, id);
    return type->kind == CT__TENSOR ? (double)ct__data_bytes(type) : NOT_MADE / 2;
}

static void price_params(const chooser *c)
{
    const ct__graph *graph = c->graph;
    for (size_t i = 0; i < graph->n_params; i++) {
        const ct__id id = graph->param[i];
        const double share = c->prices->param ? c->prices->param[i] : c->prices->param_share;
        c->fixed[id] = c->prices->fixed && c->prices->fixed[i];
        c->light[id] = c->prices->param && share < 1;
        c->keeping[id] = share > 0 ? share * bytes_of(c, id) : 0;
    }
}

/* What keeping the node's result r takes. */
static double price_of_keeping(const chooser *c, const ct__node *node, size_t r)
{
    const ct__id id = node->first_result + (ct__id)r;
    const bool is_view = c->prices->views_are_there && ct__is_view(c->graph, node);
    if (is_view && c->keeping[node->operand[r]] == 0)
        return 0;
    return bytes_of(c, id) * (c->fixed[id] ? c->prices->fixed_share : 1);
}

/* Whether it is cheap, and all operands are smaller than the result, or light themselves. */
static bool is_light(const chooser *c, const ct__node *node)
{
    if (effort_of(node->op) == NEVER)
        return false;
    const double bytes = bytes_of(c, node->first_result);
    bool all = true;
    for (size_t k = 0; k < node->n_operands; k++)
        all = all && (c->light[node->operand[k]] || 2 * bytes_of(c, node->operand[k]) <= bytes);
    return all;
}

static double price_of_work(const chooser *c, const ct__node *node, effort e)
{
    const double bytes = bytes_of(c, node->first_result);
    const bool light = c->light[node->first_result];
    if (e == SPREADS)
        return 0;
    if (!light && e != MOVES && ct__graph_type(c->graph, node->first_result)->size < FEW)
        return bytes;
    return bytes * (e == DIVIDES ? 3 : 1) / (light && e != MOVES ? 32 : 8);
}

/* What has no operands is never kept. */
static bool is_free(const ct__node *node)
{
    return node->n_operands == 0 && !ct__node_has_effect(node);
}

static double price_of_making(const chooser *c, const ct__node *node)
{
    const effort e = effort_of(node->op);
    if (is_free(node))
        return 0;
    if (e == NEVER || ct__node_has_effect(node))
        return NOT_MADE;
    double sum = price_of_work(c, node, e);
    for (size_t k = 0; k < node->n_operands; k++)
        sum += c->available[node->operand[k]] ? 0 : c->price[node->operand[k]];
    return sum;
}

static void price_node(const chooser *c, const ct__node *node)
{
    bool fixed = c->prices->fixed && !ct__node_has_effect(node);
    for (size_t k = 0; k < node->n_operands; k++)
        fixed = fixed && c->fixed[node->operand[k]];
    for (size_t r = 0; r < node->n_results; r++) {
        const ct__id id = node->first_result + (ct__id)r;
        c->fixed[id] = fixed;
        c->light[id] = is_light(c, node);
        const double keeping = price_of_keeping(c, node, r), making = price_of_making(c, node);
        c->keeping[id] = keeping;
        c->remade[id] = making < keeping || is_free(node);
        c->price[id] = c->remade[id] ? making : keeping;
        c->available[id] = c->available[id] || c->read[id];
    }
}

static void price_all(const chooser *c)
{
    for (size_t i = 0; i < c->graph->n_params; i++) {
        const ct__id id = c->graph->param[i];
        c->price[id] = c->keeping[id];
        c->available[id] = c->available[id] || c->read[id];
    }
    for (size_t i = 0; i < c->graph->n_nodes; i++)
        if (!ct__any_operand(&c->graph->node[i], c->unknown))
            price_node(c, &c->graph->node[i]);
}

/* What the linear half has, from what it reads back to what is kept. */
static void follow_back(const chooser *c)
{
    const ct__graph *graph = c->graph;
    memcpy(c->available, c->read, graph->n_values * sizeof *c->read);
    memset(c->kept->again, 0, graph->n_nodes * sizeof *c->kept->again);
    for (size_t i = graph->n_nodes; i-- > 0;) {
        const ct__node *node = &graph->node[i];
        bool again = false;
        for (size_t r = 0; r < node->n_results; r++)
            again = again ||
                    (c->available[node->first_result + r] && c->remade[node->first_result + r]);
        if (!again)
            continue;
        c->kept->again[i] = true;
        for (size_t k = 0; k < node->n_operands; k++)
            c->available[node->operand[k]] = true;
    }
    for (size_t id = 0; id < graph->n_values; id++) {
        const uint32_t node = graph->value[id].node;
        c->kept->kept[id] = c->available[id] && (node == CT__NO_NODE || !c->kept->again[node]);
    }
}

/* Without prices: what is read is kept, but for what has no operands. */
static void keep_what_is_read(const chooser *c)
{
    for (size_t id = 0; id < c->graph->n_values; id++) {
        const ct__node *node = ct__node_of(c->graph, (ct__id)id);
        const bool again = node && is_free(node);
        c->kept->kept[id] = c->read[id] && !again;
        if (c->read[id] && again)
            c->kept->again[node - c->graph->node] = true;
    }
}

bool *ct__find_read_known(ct__arena *arena, const ct__graph *graph, const bool *unknown)
{
    bool *read = CT__NEW_ARRAY(arena, bool, graph->n_values);
    for (size_t i = 0; read && i < graph->n_nodes; i++) {
        const ct__node *node = &graph->node[i];
        if (ct__any_operand(node, unknown))
            for (size_t k = 0; k < node->n_operands; k++)
                read[node->operand[k]] |= !unknown[node->operand[k]];
    }
    return read;
}

bool ct__choose_kept(ct__arena *arena, const ct__graph *graph, const bool *unknown,
                     const bool *read, const ct__prices *prices, ct__kept *kept)
{
    const size_t n = graph->n_values;
    *kept = (ct__kept){CT__NEW_ARRAY(arena, bool, n), CT__NEW_ARRAY(arena, bool, graph->n_nodes)};
    chooser c = {.graph = graph,
                 .unknown = unknown,
                 .read = read,
                 .prices = prices,
                 .light = CT__NEW_ARRAY(arena, bool, n),
                 .fixed = CT__NEW_ARRAY(arena, bool, n),
                 .remade = CT__NEW_ARRAY(arena, bool, n),
                 .available = CT__NEW_ARRAY(arena, bool, n),
                 .keeping = CT__NEW_ARRAY(arena, double, n),
                 .price = CT__NEW_ARRAY(arena, double, n),
                 .kept = kept};
    if (!kept->kept || !kept->again || !c.light || !c.fixed || !c.remade || !c.available ||
        !c.keeping || !c.price)
        return false;
    if (!prices) {
        keep_what_is_read(&c);
        return true;
    }
    price_params(&c);
    for (int pass = 0; pass < 2; pass++) {
        price_all(&c);
        follow_back(&c);
    }
    return true;
}
