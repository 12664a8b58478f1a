/* The forward derivative along the unit vectors of one parameter's elements, as many at a time as
 * memory allows. */
#include "probe/gradcheck.h"

#include <string.h>

enum { MOST_LANES = 32, MOST_WORK = 1 << 18 };

/* (x…, lanes of tangents of p) -> (results, then tangents, lane by lane); NULL after an error. */
static ct__graph *trace(const ct__lanes *l)
{
    const ct__subject *s = l->s;
    const size_t n = s->graph->n_params;
    const int64_t position = (int64_t)l->p;
    int64_t *axis = CT__NEW_ARRAY(s->arena, int64_t, n + 1);
    ct_function *f = ct__function_new(s->ctx, s->at, ct__graph_retain(s->graph));

    if (!axis) {
        ct__gradcheck_memory(s);
        return NULL;
    }
    for (size_t i = 0; i < n; i++)
        axis[i] = CT_UNBATCHED;
    ct_function *jvp = ct_jvp_at(s->at, f, (ct_args){.count = 1, .position = &position});
    if (ct_failed(s->ctx))
        return NULL;
    const ct_function *lanes = ct_vmap_at(s->at, jvp, (int64_t)l->count,
                                          (ct_axes){.count = n + 1, .axis = axis}, CT_LEADING_AXES);
    return ct_failed(s->ctx) ? NULL : ct__graph_retain(lanes->graph);
}

static bool start(ct__lanes *l, ct__graph *graph)
{
    const ct__subject *s = l->s;
    const size_t n = s->graph->n_params;
    const size_t size = (size_t)ct__param_type(s->graph, l->p)->size;
    void **input = CT__NEW_ARRAY(s->arena, void *, n + 1);

    l->tangent = CT__NEW_ARRAY(s->arena, double, l->count *size);
    if (!input || !l->tangent) {
        ct__graph_release(graph);
        return ct__gradcheck_memory(s);
    }
    memcpy(input, s->x, n * sizeof *input);
    input[n] = l->tangent;
    return ct__machine_begin(&l->machine, s->ctx, s->at, graph, input, s->bits, s->arena);
}

/* What cannot be computed so is computed one by one. */
bool ct__lanes_begin(ct__lanes *l, const ct__subject *s, size_t p)
{
    const size_t size = (size_t)ct__param_type(s->graph, p)->size;
    const size_t most = MOST_WORK / (ct__work_of(s->graph, MOST_WORK) + 1);

    *l = (ct__lanes){.s = s, .p = p, .first = SIZE_MAX};
    l->count = most < MOST_LANES ? most : MOST_LANES;
    if (l->count > size)
        l->count = size;
    if (l->count < 2)
        return true;
    ct__graph *graph = trace(l);
    if (graph && start(l, graph))
        return true;
    ct__lanes_end(l);
    if (ct_error_status(s->ctx) == CT_ERR_MEMORY)
        return false;
    ct_error_clear(s->ctx);
    return true;
}

void ct__lanes_end(ct__lanes *l)
{
    ct__machine_end(&l->machine);
}

static bool run(ct__lanes *l, size_t first)
{
    const size_t size = (size_t)ct__param_type(l->s->graph, l->p)->size;

    memset(l->tangent, 0, l->count * size * sizeof *l->tangent);
    for (size_t lane = 0; lane < l->count && first + lane < size; lane++)
        l->tangent[lane * size + first + lane] = 1;
    const ct_status status = ct__machine_run(&l->machine);
    l->first = first;
    return status == CT_OK || ct__run_failed(l->s, &l->machine, status);
}

bool ct__lanes_along(ct__lanes *l, const ct__slopes *slopes, size_t element, double *dy)
{
    const ct__graph *f = l->s->graph;
    const size_t lane = element % l->count;
    size_t behind = f->n_results;

    if (l->first != element - lane && !run(l, element - lane))
        return false;
    for (size_t r = 0; r < f->n_results; r++) {
        const size_t size = (size_t)ct__result_type(f, r)->size;
        if (!ct__is_f64(ct__result_type(f, r)))
            continue;
        if (l->s->wanted[r])
            memcpy(dy + slopes->first_row[r],
                   (const double *)l->machine.result[behind] + lane * size, size * sizeof *dy);
        behind++;
    }
    return true;
}
