/* Forward and transpose rules of call, if, case and optimization_barrier. Those of loops are in
 * loop.c. */
#include "ad/bodies.h"

/* ---- Forward. */

/* Record the derived node, on the operands and then their live tangents; its results are all primal
 * ones, then the live tangents. */
static void apply_whole(ct__whole *w, ct__graph *const *region)
{
    ct__jvp_whole *q = w->q;
    size_t n_operands = 0, count = q->n_results + ct__count_set(w->live_out, q->n_results);
    ct_tensor **operand = CT__NEW_ARRAY(&w->arena, ct_tensor *, 2 * q->n_operands);
    ct_tensor **result = CT__NEW_ARRAY(&w->arena, ct_tensor *, count);
    if (!operand || !result) {
        ct__error_memory(q->ctx, q->at, ct__op_describe(q->op)->name);
        return;
    }
    ct__append_all(operand, &n_operands, q->x, q->n_operands);
    ct__append_live(operand, &n_operands, q->dx, q->n_operands);
    ct__apply(&(ct__request){.ctx = q->ctx,
                             .at = q->at,
                             .op = q->op,
                             .attrs = q->attrs,
                             .n_operands = n_operands,
                             .operand = operand,
                             .n_regions = q->n_regions,
                             .region = region},
              result, count);
    size_t next = q->n_results;
    for (size_t i = 0; i < q->n_results; i++) {
        q->y[i] = result[i];
        q->dy[i] = w->live_out[i] ? result[next++] : NULL;
    }
}

void ct__jvp_call(ct__jvp_whole *q)
{
    ct__whole w;
    if (ct__whole_begin(&w, q)) {
        const bool *live_out = NULL;
        ct__graph *callee = ct__derived_jvp(q->ctx, q->at, q->region[0], w.live_in, &live_out);
        for (size_t i = 0; callee && i < q->n_results; i++)
            w.live_out[i] = live_out[i];
        if (callee)
            apply_whole(&w, &callee);
    }
    ct__whole_end(&w);
}

/* All branches give the tangents that any may give. */
static bool derive_branches(ct__whole *w, ct__graph **branch)
{
    ct__jvp_whole *q = w->q;
    bool *must = CT__NEW_ARRAY(&w->arena, bool, q->n_results);
    if (!must) {
        ct__error_memory(q->ctx, q->at, ct__op_describe(q->op)->name);
        return false;
    }
    for (size_t b = 0; b < q->n_regions; b++) {
        const bool *live = ct__live_results(q->ctx, q->at, q->region[b], w->live_in + 1);
        if (!live)
            return false;
        for (size_t i = 0; i < q->n_results; i++)
            must[i] = must[i] || live[i];
    }
    for (size_t b = 0; b < q->n_regions; b++) {
        branch[b] = ct__graph_jvp(q->ctx, q->at, q->region[b], w->live_in + 1, must, w->live_out);
        if (!branch[b])
            return false;
    }
    return true;
}

/* The first operand chooses the branch, and is not differentiated. */
static void jvp_branches(ct__jvp_whole *q)
{
    ct__whole w;
    if (ct__whole_begin(&w, q)) {
        ct__graph **branch = CT__NEW_ARRAY(&w.arena, ct__graph *, q->n_regions);
        if (!branch)
            ct__error_memory(q->ctx, q->at, ct__op_describe(q->op)->name);
        else if (derive_branches(&w, branch))
            apply_whole(&w, branch);
        for (size_t b = 0; branch && b < q->n_regions; b++)
            ct__graph_release(branch[b]);
    }
    ct__whole_end(&w);
}

void ct__jvp_if(ct__jvp_whole *q)
{
    jvp_branches(q);
}

void ct__jvp_case(ct__jvp_whole *q)
{
    jvp_branches(q);
}

/* Two fences, so that tangents do not hold the primal values. */
void ct__jvp_optimization_barrier(ct__jvp_whole *q)
{
    ct__whole w;
    if (ct__whole_begin(&w, q)) {
        ct_tensor **list = CT__NEW_ARRAY(&w.arena, ct_tensor *, q->n_operands);
        size_t count = 0, next = 0;
        ct_op_optimization_barrier_at(q->at, (ct_list){q->n_operands, q->x}, q->y);
        if (list) {
            ct__append_live(list, &count, q->dx, q->n_operands);
            ct_op_optimization_barrier_at(q->at, (ct_list){count, list}, list);
            for (size_t i = 0; i < q->n_operands; i++)
                q->dy[i] = q->dx[i] ? list[next++] : NULL;
        } else {
            ct__error_memory(q->ctx, q->at, "optimization_barrier");
        }
    }
    ct__whole_end(&w);
}

/* ---- Transposes. */

void ct__transpose_optimization_barrier(ct__transpose *q)
{
    for (size_t i = 0; i < q->n_results; i++) {
        ct_tensor *bar = q->ybar[i];
        if (bar && q->linear[i]) {
            ct_op_optimization_barrier_at(q->at, (ct_list){1, &q->ybar[i]}, &bar);
            ct__cotangent_add(q, i, bar);
        }
    }
}

/* The known operands from `first` on, then the cotangents of float results, zeros included. */
static size_t backward_operands(const ct__transpose *q, size_t first, ct_tensor **operand)
{
    size_t count = 0;
    for (size_t i = first; i < q->n_operands; i++)
        if (!q->linear[i])
            operand[count++] = q->x[i];
    for (size_t i = 0; i < q->n_results; i++)
        if (ct__has_tangent(q->result_type[i]))
            operand[count++] = q->ybar[i] ? q->ybar[i]
                                          : ct__zeros(q->ctx, q->at, q->result_type[i]);
    return count;
}

static void add_cotangents(ct__transpose *q, size_t first, ct_tensor *const *bar)
{
    size_t next = 0;
    for (size_t i = first; i < q->n_operands; i++)
        if (q->linear[i])
            ct__cotangent_add(q, i, bar[next++]);
}

/* What has been summed for the operands to whose sums the bodies add. */
static size_t append_sums(ct__transpose *q, size_t first, const bool *onto, ct_tensor **operand)
{
    size_t count = 0;
    for (size_t i = first; i < q->n_operands; i++)
        if (onto[i - first])
            operand[count++] = ct__cotangent_take_or_zeros(q, i);
    return count;
}

/* Transposed bodies on (known…, cotangents…, sums…), behind what chooses among branches. */
static void apply_transposed(ct__transpose *q, size_t leading, ct__arena *arena,
                             ct__graph *const *region, const bool *onto)
{
    ct_tensor **operand = CT__NEW_ARRAY(arena, ct_tensor *,
                                        2 * q->n_operands + q->n_results + leading);
    ct_tensor **bar = CT__NEW_ARRAY(arena, ct_tensor *, q->n_operands);
    if (!operand || !bar) {
        ct__error_memory(q->ctx, q->at, ct__op_describe(q->op)->name);
        return;
    }
    if (leading)
        operand[0] = q->x[0];
    size_t count = leading + backward_operands(q, leading, operand + leading);
    count += append_sums(q, leading, onto, operand + count);
    if (ct__apply(&(ct__request){.ctx = q->ctx,
                                 .at = q->at,
                                 .op = q->op,
                                 .attrs = q->attrs,
                                 .n_operands = count,
                                 .operand = operand,
                                 .n_regions = q->n_regions,
                                 .region = region},
                  bar, ct__count_set(q->linear + leading, q->n_operands - leading)))
        add_cotangents(q, leading, bar);
}

void ct__transpose_call(ct__transpose *q)
{
    ct__arena arena;
    ct__arena_init(&arena, &q->ctx->allocator);
    const bool *onto;
    ct__graph *callee = ct__derived_transpose_onto(q->ctx, q->at, q->region[0], q->linear, &onto);
    if (callee)
        apply_transposed(q, 0, &arena, &callee, onto);
    ct__arena_free(&arena);
}

/* onto[]: the operands of which every branch reads only a few places. */
static bool find_onto(ct__transpose *q, bool *onto)
{
    for (size_t i = 1; i < q->n_operands; i++)
        onto[i - 1] = q->linear[i];
    for (size_t b = 0; b < q->n_regions; b++) {
        const bool *in_places = ct__read_in_places(q->ctx, q->at, q->region[b]);
        if (!in_places)
            return false;
        for (size_t i = 0; i + 1 < q->n_operands; i++)
            onto[i] = onto[i] && in_places[i];
    }
    return true;
}

static bool transposed_branches(ct__transpose *q, const bool *onto, ct__graph **branch)
{
    for (size_t b = 0; b < q->n_regions; b++) {
        branch[b] = ct__graph_transpose_onto(q->ctx, q->at, q->region[b], q->linear + 1, onto);
        if (!branch[b])
            return false;
    }
    return true;
}

static void transpose_branches(ct__transpose *q)
{
    ct__arena arena;
    ct__arena_init(&arena, &q->ctx->allocator);
    ct__graph **branch = CT__NEW_ARRAY(&arena, ct__graph *, q->n_regions);
    bool *onto = CT__NEW_ARRAY(&arena, bool, q->n_operands);
    if (!branch || !onto)
        ct__error_memory(q->ctx, q->at, ct__op_describe(q->op)->name);
    else if (find_onto(q, onto) && transposed_branches(q, onto, branch))
        apply_transposed(q, 1, &arena, branch, onto);
    for (size_t b = 0; branch && b < q->n_regions; b++)
        ct__graph_release(branch[b]);
    ct__arena_free(&arena);
}

void ct__transpose_if(ct__transpose *q)
{
    transpose_branches(q);
}

void ct__transpose_case(ct__transpose *q)
{
    transpose_branches(q);
}
