/* Loops whose count constants tell are written as scans:
 *
 *   for    a scan that carries the index
 *   while  a scan of its body, where cond compares a carried integer, to which the body adds a
 *          constant, with a constant, and it begins as a constant */
#include "ad/reverse_loops.h"

#include "ops/literal.h"

#include <string.h>

/* ---- What a while counts. */

typedef struct counting {
    size_t carry; /* the integer's position */
    int64_t start, limit, step;
    int direction; /* CT_LT, CT_LE, CT_GT or CT_GE */
} counting;

static ct__counted counted_by(const ct__loop_site *s)
{
    return (ct__counted){&s->loop, s->body[1], s->operand};
}

static int mirrored(int direction)
{
    return direction == CT_LT   ? CT_GT
           : direction == CT_LE ? CT_GE
           : direction == CT_GT ? CT_LT
           : direction == CT_GE ? CT_LE
                                : direction;
}

/* "i < limit" or "limit > i", and the like. */
static bool find_limit(const ct__loop_site *s, counting *c)
{
    const ct__graph *cond = s->body[0];
    const ct__counted of = counted_by(s);
    const ct__node *node = ct__node_of(cond, cond->result[0]);
    if (!node || node->op != CT__OP_compare)
        return false;
    c->direction = (int)node->attrs->compare.comparison_direction;
    for (int side = 0; side < 2; side++) {
        c->carry = ct__param_position(cond, node->operand[side]);
        if (c->carry < s->loop.n_carry &&
            ct__loop_integer(s->w->ctx, &of, cond, node->operand[1 - side], &c->limit)) {
            c->direction = side == 0 ? c->direction : mirrored(c->direction);
            return true;
        }
    }
    return false;
}

/* Numbers so large that a sum of two may overflow are not counted: |x| < 2^(bits - 2). */
static bool is_moderate(int64_t x, unsigned bits)
{
    int64_t end = (int64_t)1 << (bits - 2);
    return -end < x && x < end;
}

/* ⌈(limit - start) / step⌉, of a limit that is not reached; -1: there is no such count. */
static int64_t count_steps(const counting *c, unsigned bits)
{
    bool up = c->direction == CT_LT || c->direction == CT_LE;
    bool down = c->direction == CT_GT || c->direction == CT_GE;
    bool takes_limit = c->direction == CT_LE || c->direction == CT_GE;
    if (!is_moderate(c->start, bits) || !is_moderate(c->limit, bits) ||
        !is_moderate(c->step, bits) || !(up ? c->step > 0 : down && c->step < 0))
        return -1;
    int64_t way = up ? c->limit - c->start : c->start - c->limit;
    int64_t each = up ? c->step : -c->step;
    way += takes_limit;
    return way > 0 ? way / each + (way % each > 0) : 0;
}

static int64_t while_count(const ct__loop_site *s)
{
    counting c;
    const ct__counted of = counted_by(s);
    if (!find_limit(s, &c) || !ct__carry_step(s->w->ctx, &of, c.carry, &c.step) ||
        !ct__literal_integer(ct__outer_constant(s->w->ctx, s->operand[c.carry]), &c.start))
        return -1;
    return count_steps(&c, ct__dtype_bits(s->operand[c.carry]->type->dtype));
}

int64_t ct__constant_count(const ct__loop_site *s)
{
    int64_t count;
    for (size_t i = 0; i < s->node->n_operands; i++)
        if (ct__has_stack(s->operand[i]->type)) /* not what scans are cut into segments of */
            return -1;
    if (s->node->op == CT__OP_while)
        return while_count(s);
    if (s->node->op != CT__OP_for ||
        !ct__literal_integer(ct__outer_constant(s->w->ctx, s->operand[0]), &count))
        return -1;
    return count > 0 ? count : 0;
}

/* ---- As a scan. */

/* (index, carry…, captures…) -> (the next index, body…) */
static ct__graph *iteration(const ct__loop_site *s, int64_t step, ct__arena *arena)
{
    ct_place at = s->node->at;
    const ct__graph *body = s->body[0];
    ct_tensor **list = CT__NEW_ARRAY(arena, ct_tensor *, body->n_params);
    ct_tensor **result = CT__NEW_ARRAY(arena, ct_tensor *, body->n_results + 1);
    if (!list || !result) {
        ct__loops_memory(s->w);
        return NULL;
    }
    for (size_t i = 0; i < body->n_params; i++)
        list[i] = ct__trace_param_like(s->w->ctx, at, body, i);
    result[0] = ct_op_add_at(at, list[0], ct__site_number(s, step));
    if (!ct__replay(s->w->ctx, at, body, list, result + 1))
        return NULL;
    return ct__trace_close(s->w->ctx, at, body->n_results + 1, result);
}

static bool record_as_scan(const ct__loop_site *s, int64_t count, ct__graph *const *body,
                           ct_tensor *const *operand, ct_tensor **result)
{
    const size_t n_carry = body[0]->n_results;
    const ct__attrs attrs = {.scan = {.length = count, .n_carry = (int64_t)n_carry}};
    ct__node node = *s->node;
    ct__loop_site scan = *s;
    node.op = CT__OP_scan;
    node.attrs = &attrs;
    node.n_results = (uint32_t)n_carry;
    scan.node = &node;
    scan.body = body;
    scan.operand = operand;
    return ct__loop_of(node.op, node.attrs, &scan.loop) && ct__reverse_scan(&scan, result);
}

static bool for_as_scan(const ct__loop_site *s, int64_t count, ct_tensor **result)
{
    const bool is_reverse = s->node->attrs->counted.is_reverse;
    size_t n = s->node->n_operands;
    ct_tensor **operand = CT__NEW_ARRAY(s->w->arena, ct_tensor *, n);
    ct_tensor **all = CT__NEW_ARRAY(s->w->arena, ct_tensor *, s->node->n_results + 1);
    if (!operand || !all)
        return ct__loops_memory(s->w);
    memcpy(operand, s->operand, n * sizeof *operand);
    operand[0] = ct__site_number(s, is_reverse ? count - 1 : 0);
    ct__graph *body = ct__in_session(s, "iteration", iteration, is_reverse ? -1 : 1);
    bool fine = body && record_as_scan(s, count, &body, operand, all);
    ct__graph_release(body);
    for (size_t i = 0; fine && i < s->node->n_results; i++)
        result[i] = all[i + 1];
    return fine;
}

bool ct__reverse_counted(const ct__loop_site *s, int64_t count, ct_tensor **result)
{
    return s->node->op == CT__OP_for ? for_as_scan(s, count, result)
                                     : record_as_scan(s, count, &s->body[1], s->operand, result);
}
