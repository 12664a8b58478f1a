/* Loops whose count a run knows, within a limit. What reverse mode keeps of them is known but for
 * the count (residuals.h): of segments of k iterations, which are s to a segment of the level
 * above,
 *
 *     fixed + s Σ carry + k iteration <= limit
 *
 * where the sum is over the levels. Two levels, the segments and the loop around them, do n = s k
 * iterations, three levels s² k, and so on: as few levels are taken as do ENOUGH iterations. A
 * longer loop keeps a carry more for each segment of the highest level. */
#include "ad/reverse_loops.h"

#include <cotangent/residuals.h>

#include <math.h>

#define ENOUGH 1e6
#define MOST_ITERATIONS 0x1p40 /* of a segment: indices stay far from the largest integer */

/* Bytes that are kept and computed again: those of all iterations, and those of each. */
typedef struct needs {
    double fixed, each, fixed_again, each_again;
} needs;

/* ---- Asking. */

/* The loop alone: of parameters, as its segments say. */
static ct__graph *record_alone(const ct__loop_site *s, int64_t unused, ct__arena *arena)
{
    const size_t n = s->node->n_operands;
    ct_tensor **list = CT__NEW_ARRAY(arena, ct_tensor *, n);
    ct_tensor **result = CT__NEW_ARRAY(arena, ct_tensor *, s->node->n_results);
    ct__loop_site alone = *s;
    (void)unused;
    if (!list || !result) {
        ct__loops_memory(s->w);
        return NULL;
    }
    for (size_t i = 0; i < n; i++)
        list[i] = ct__site_param(s, s->operand[i]->type);
    alone.operand = list;
    if (!ct__record_levels(&alone, result))
        return NULL;
    return ct__trace_close_flat(s->w->ctx, s->node->at, "reverse_loops", s->node->n_results,
                                result);
}

/* False where there is no derivative, which is no error here: it may never be asked for; and after
 * an error. */
static bool ask(const ct__loop_site *s, needs *of)
{
    ct_context *ctx = s->w->ctx;
    ct__graph *graph = ct__in_session(s, "alone", record_alone, 0);
    if (!graph)
        return false;
    ct_function *f = ct__function_new(ctx, s->node->at, graph);
    ct_residual_report *report = ct_residuals_at(s->node->at, f, CT_ALL_ARGS);
    *of = (needs){(double)ct_residuals_bytes(report, CT_RESIDUAL_KEPT),
                  (double)ct_residuals_iteration_bytes(report, CT_RESIDUAL_KEPT),
                  (double)ct_residuals_bytes(report, CT_RESIDUAL_RECOMPUTED),
                  (double)ct_residuals_iteration_bytes(report, CT_RESIDUAL_RECOMPUTED)};
    ct_residuals_release(report);
    ct_release_function(f);
    if (!ct_failed(ctx))
        return true;
    if (ct_error_status(ctx) != CT_ERR_MEMORY)
        ct_error_clear(ctx);
    return false;
}

/* ---- Choosing. */

/* The lengths of segments with the most iterations; false: not one fits. */
static bool choose_lengths(ct__loop_site *s, double room, double carry, double iteration)
{
    const double levels = s->level + 1;
    double many = carry > 0 ? fmax(1, floor(room * (levels - 1) / (levels * carry)))
                            : MOST_ITERATIONS;
    double k = floor((room - many * carry) / iteration);
    if (k < 1) {
        many = 1;
        k = floor((room - carry) / iteration);
    }
    for (int l = 1; l <= s->level; l++, k *= many)
        s->length[l] = (int64_t)fmin(k, MOST_ITERATIONS);
    s->most = k; /* the loop has as many segments of the highest level */
    return s->length[1] >= 1;
}

/* With so many levels of segments. */
static bool try_levels(ct__loop_site *s, int level, const needs *plain, double *least)
{
    needs of;
    s->level = level;
    for (int l = 1; l <= level; l++)
        s->length[l] = (int64_t)1 << l;
    if (!ask(s, &of))
        return false;
    double carry = of.each + of.each_again - plain->each_again - plain->each;
    double fixed = of.fixed + of.fixed_again, limit = (double)s->w->options->bytes;
    *least = fmin(*least, fixed + carry + plain->each);
    return choose_lengths(s, limit - fixed, carry, plain->each);
}

bool ct__record_levels(const ct__loop_site *s, ct_tensor **result)
{
    if (s->level > 0)
        return ct__record_segments(s, result);
    return ct__site_apply(s, s->node->op, s->node->attrs,
                          (ct_list){s->node->n_operands, s->operand}, s->node->n_regions, s->body,
                          result, s->node->n_results);
}

/* Where iterations keep nothing, or there is no derivative, the loop stays as it is. */
bool ct__loop_within(const ct__loop_site *s, ct_tensor **result)
{
    ct__loop_site best = *s;
    needs plain;
    double least = INFINITY;
    if (!ask(s, &plain))
        return !ct_failed(s->w->ctx) && ct__record_levels(s, result);
    if (plain.each == 0)
        return plain.fixed > (double)s->w->options->bytes ? ct__refuse_limit(s, plain.fixed)
                                                          : ct__record_levels(s, result);
    for (int level = 1; level <= CT__MOST_LEVELS && best.most < ENOUGH; level++) {
        ct__loop_site with = *s;
        if (try_levels(&with, level, &plain, &least) && with.most > best.most)
            best = with;
        if (ct_failed(s->w->ctx))
            return false;
    }
    if (best.most > 0)
        return ct__record_segments(&best, result);
    return least < INFINITY ? ct__refuse_limit(s, least) : ct__record_levels(s, result);
}
