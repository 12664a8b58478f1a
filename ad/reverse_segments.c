/* Loops whose count a run knows, of segments that are checkpoints:
 *
 *   for    a for of segments of k = ⌈√count⌉ iterations
 *   while  a while of segments of at most 1, 2, 3, … iterations
 *
 * Within a limit a segment of level l has at most length[l] iterations, and is a loop of segments
 * of level l - 1 itself: reverse_needs.c finds the lengths. */
#include "ad/reverse_loops.h"

#include <string.h>

static bool is_by_root(const ct__loop_site *s)
{
    return s->level == 0;
}

/* Parameters like `count` operands from `first` on. Carries and captures have the loop's names. */
static void params_like(const ct__loop_site *s, size_t first, size_t count, ct_tensor **list)
{
    for (size_t i = first; i < first + count; i++)
        list[i - first] = i < s->loop.first_carry
                              ? ct__site_param(s, s->operand[i]->type)
                              : ct__trace_param_like(s->w->ctx, s->node->at, s->body[0], i);
}

/* ---- for: (s, first index's parts…) Every segment has k iterations but the last. */

/* (j, carry…, captures…, first) -> body(first + j, carry…, captures…) */
static ct__graph *shifted_body(const ct__loop_site *s, int64_t unused, ct__arena *arena)
{
    ct__graph *body = s->body[0];
    ct_tensor **list = CT__NEW_ARRAY(arena, ct_tensor *, body->n_params + 1);
    ct_tensor **result = CT__NEW_ARRAY(arena, ct_tensor *, body->n_results);
    (void)unused;
    if (!list || !result) {
        ct__loops_memory(s->w);
        return NULL;
    }
    for (size_t i = 0; i <= body->n_params; i++)
        list[i] = i < body->n_params ? ct__trace_param_like(s->w->ctx, s->node->at, body, i)
                                     : ct__site_param(s, s->w->i64);
    list[0] = ct_op_add_at(s->node->at, list[0], list[body->n_params]);
    if (!ct__replay(s->w->ctx, s->node->at, body, list, result))
        return NULL;
    return ct__trace_close(s->w->ctx, s->node->at, body->n_results, result);
}

/* The iterations of a segment on these operands: the loop itself, or segments of a level below. */
static bool inside(const ct__loop_site *s, const ct__node *node, ct__graph *const *body,
                   ct_tensor *const *operand, ct_tensor **result)
{
    ct__loop_site inner = *s;
    inner.node = node;
    inner.body = body;
    inner.operand = operand;
    inner.level = is_by_root(s) ? 0 : s->level - 1;
    if (!ct__loop_of(node->op, node->attrs, &inner.loop) || inner.level == 0)
        return ct__site_apply(&inner, node->op, node->attrs, (ct_list){node->n_operands, operand},
                              node->n_regions, body, result, node->n_results);
    return ct__record_segments(&inner, result);
}

/* (s, carry…, captures…, count, k) -> the segment that begins at s k. Without k where it is known.
 */
static ct__graph *for_segment(const ct__loop_site *s, int64_t unused, ct__arena *arena)
{
    ct_place at = s->node->at;
    size_t n = s->node->n_operands;
    ct_tensor **list = CT__NEW_ARRAY(arena, ct_tensor *, n + 2);
    ct_tensor **result = CT__NEW_ARRAY(arena, ct_tensor *, s->node->n_results);
    ct__node node = *s->node;
    (void)unused;
    if (!list || !result) {
        ct__loops_memory(s->w);
        return NULL;
    }
    params_like(s, 0, n, list);
    ct_tensor *count = ct__site_param(s, s->w->i64);
    ct_tensor *k = is_by_root(s) ? ct__site_param(s, s->w->i64)
                                 : ct__site_number(s, s->length[s->level]);
    ct_tensor *first = ct_op_multiply_at(at, list[0], k);
    list[0] = ct_op_minimum_at(at, k, ct_op_subtract_at(at, count, first));
    list[n] = first;
    ct__graph *body = ct__in_session(s, "shifted", shifted_body, 0);
    node.n_operands = (uint32_t)n + 1;
    bool fine = body && inside(s, &node, &body, list, result);
    ct__graph_release(body);
    return fine ? ct__trace_close(s->w->ctx, at, s->node->n_results, result) : NULL;
}

/* ⌈√count⌉, at least 1; or the length of the level. */
static ct_tensor *segment_length(const ct__loop_site *s)
{
    ct_place at = s->node->at;
    if (!is_by_root(s))
        return ct__site_number(s, s->length[s->level]);
    ct_tensor *count = ct_op_maximum_at(at, s->operand[0], ct__site_number(s, 1));
    ct_tensor *root = ct_op_sqrt_at(at, ct_op_convert_at(at, count, CT_F64));
    return ct_op_convert_at(at, ct_op_ceil_at(at, root), CT_I64);
}

static bool record_for(const ct__loop_site *s, ct_tensor **result)
{
    ct_place at = s->node->at;
    size_t n = s->node->n_operands;
    ct_tensor **operand = CT__NEW_ARRAY(s->w->arena, ct_tensor *, n + 2);
    if (!operand)
        return ct__loops_memory(s->w);
    ct_tensor *k = segment_length(s), *less = ct_op_subtract_at(at, k, ct__site_number(s, 1));
    memcpy(operand, s->operand, n * sizeof *operand);
    operand[0] = ct_op_divide_at(at, ct_op_add_at(at, s->operand[0], less), k);
    operand[n] = s->operand[0];
    operand[n + 1] = k;
    ct__graph *body = ct__segment(s, "segment", for_segment, 0);
    bool fine = body && ct__site_apply(s, CT__OP_for, s->node->attrs,
                                       (ct_list){n + 1 + is_by_root(s), operand}, 1, &body, result,
                                       s->node->n_results);
    ct__graph_release(body);
    return fine;
}

/* ---- while: (carry…, j, captures…), of at most j iterations in this segment. Where the length of
 * segments is known there is no j. */

/* Parameters (carry…, maybe one more, captures…); list[] gets the loop's own. */
static ct_tensor *split_params(const ct__loop_site *s, bool has_extra, ct_tensor **list)
{
    size_t n_carry = s->loop.n_carry;
    params_like(s, 0, n_carry, list);
    ct_tensor *extra = has_extra ? ct__site_param(s, s->w->i64) : NULL;
    params_like(s, n_carry, s->node->n_operands - n_carry, list + n_carry);
    return extra;
}

/* (carry…, i, captures…, j) -> cond and i < j; for `is_cond` 0 (body…, i + 1) */
static ct__graph *inner_part(const ct__loop_site *s, int64_t is_cond, ct__arena *arena)
{
    ct_place at = s->node->at;
    const ct__graph *own = s->body[is_cond ? 0 : 1];
    ct_tensor **list = CT__NEW_ARRAY(arena, ct_tensor *, s->node->n_operands);
    ct_tensor **result = CT__NEW_ARRAY(arena, ct_tensor *, own->n_results + 1);
    if (!list || !result) {
        ct__loops_memory(s->w);
        return NULL;
    }
    ct_tensor *i = split_params(s, true, list);
    ct_tensor *j = is_by_root(s) ? ct__site_param(s, s->w->i64)
                                 : ct__site_number(s, s->length[s->level]);
    if (!ct__replay(s->w->ctx, at, own, list, result))
        return NULL;
    if (is_cond) {
        ct_tensor *below = ct_op_compare_at(at, i, j, CT_LT, CT_COMPARE_SIGNED);
        result[0] = ct_op_and_at(at, result[0], below);
        return ct__trace_close(s->w->ctx, at, 1, result);
    }
    result[own->n_results] = ct_op_add_at(at, i, ct__site_number(s, 1));
    return ct__trace_close(s->w->ctx, at, own->n_results + 1, result);
}

/* (carry…, j, captures…) -> (carry…) after at most j iterations */
static ct__graph *while_segment(const ct__loop_site *s, int64_t unused, ct__arena *arena)
{
    size_t n = s->node->n_operands, n_carry = s->loop.n_carry;
    ct_tensor **list = CT__NEW_ARRAY(arena, ct_tensor *, n + 2);
    ct_tensor **result = CT__NEW_ARRAY(arena, ct_tensor *, n_carry + 1);
    const ct__attrs attrs = {.loop = {.n_carry = (int64_t)n_carry + 1}};
    ct__node node = *s->node;
    (void)unused;
    if (!list || !result) {
        ct__loops_memory(s->w);
        return NULL;
    }
    ct_tensor *j = split_params(s, is_by_root(s), list);
    memmove(list + n_carry + 1, list + n_carry, (n - n_carry) * sizeof *list);
    list[n_carry] = ct__site_number(s, 0);
    list[n + 1] = j;
    ct__graph *cond = ct__in_session(s, "goes_on", inner_part, 1);
    ct__graph *body = cond ? ct__in_session(s, "iteration", inner_part, 0) : NULL;
    ct__graph *const region[] = {cond, body};
    node.attrs = &attrs;
    node.n_operands = (uint32_t)(n + 1 + is_by_root(s));
    node.n_results = (uint32_t)n_carry + 1;
    bool fine = body && inside(s, &node, region, list, result);
    ct__graph_release(cond);
    ct__graph_release(body);
    return fine ? ct__trace_close(s->w->ctx, s->node->at, n_carry, result) : NULL;
}

/* (carry…, j, captures…) -> cond */
static ct__graph *outer_cond(const ct__loop_site *s, int64_t unused, ct__arena *arena)
{
    ct_tensor **list = CT__NEW_ARRAY(arena, ct_tensor *, s->node->n_operands), *goes_on;
    (void)unused;
    if (!list) {
        ct__loops_memory(s->w);
        return NULL;
    }
    split_params(s, is_by_root(s), list);
    if (!ct__replay(s->w->ctx, s->node->at, s->body[0], list, &goes_on))
        return NULL;
    return ct__trace_close(s->w->ctx, s->node->at, 1, &goes_on);
}

/* (carry…, j, captures…) -> (the segment's carry…, j + 1) */
static ct__graph *outer_body(const ct__loop_site *s, int64_t unused, ct__arena *arena)
{
    size_t n = s->node->n_operands, n_carry = s->loop.n_carry, more = is_by_root(s);
    ct_tensor **list = CT__NEW_ARRAY(arena, ct_tensor *, n + 1);
    ct_tensor **result = CT__NEW_ARRAY(arena, ct_tensor *, n_carry + 1);
    (void)unused;
    if (!list || !result) {
        ct__loops_memory(s->w);
        return NULL;
    }
    ct_tensor *j = split_params(s, is_by_root(s), list);
    if (j) {
        memmove(list + n_carry + 1, list + n_carry, (n - n_carry) * sizeof *list);
        list[n_carry] = j;
        result[n_carry] = ct_op_add_at(s->node->at, j, ct__site_number(s, 1));
    }
    ct__graph *part = ct__segment(s, "segment", while_segment, 0);
    bool fine = part && ct__replay(s->w->ctx, s->node->at, part, list, result);
    ct__graph_release(part);
    return fine ? ct__trace_close(s->w->ctx, s->node->at, n_carry + more, result) : NULL;
}

static bool record_while(const ct__loop_site *s, ct_tensor **result)
{
    size_t n = s->node->n_operands, n_carry = s->loop.n_carry, more = is_by_root(s);
    const ct__attrs attrs = {.loop = {.n_carry = (int64_t)(n_carry + more)}};
    ct_tensor **operand = CT__NEW_ARRAY(s->w->arena, ct_tensor *, n + 1);
    ct_tensor **all = CT__NEW_ARRAY(s->w->arena, ct_tensor *, n_carry + 1);
    if (!operand || !all)
        return ct__loops_memory(s->w);
    size_t count = 0;
    ct__append_all(operand, &count, s->operand, n_carry);
    if (is_by_root(s))
        operand[count++] = ct__site_number(s, 1);
    ct__append_all(operand, &count, s->operand + n_carry, n - n_carry);
    ct__graph *cond = ct__in_session(s, "goes_on", outer_cond, 0);
    ct__graph *body = cond ? ct__in_session(s, "segments", outer_body, 0) : NULL;
    ct__graph *const region[] = {cond, body};
    bool fine = body && ct__site_apply(s, CT__OP_while, &attrs, (ct_list){count, operand}, 2,
                                       region, all, n_carry + more);
    ct__graph_release(cond);
    ct__graph_release(body);
    if (fine)
        memcpy(result, all, n_carry * sizeof *all);
    return fine;
}

bool ct__record_segments(const ct__loop_site *s, ct_tensor **result)
{
    return s->node->op == CT__OP_for ? record_for(s, result) : record_while(s, result);
}
