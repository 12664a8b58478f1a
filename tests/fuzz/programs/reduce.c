/* Making a failing program smaller by its graph: results are left out, values become inputs, inputs
 * simple. Each candidate is tried in a child, for it may crash. */
#include "tests/fuzz/programs/session.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct reduction {
    const way *w;
    ending how;
    const program *p; /* the candidate */
    time_t end;
} reduction;

static bool attempt(void *user)
{
    const reduction *r = user;
    char why[WHY_BYTES];

    return compare_by(r->w, r->p, why) == DIFFERENT;
}

static bool still_fails(reduction *r, const program *p)
{
    if (time(NULL) >= r->end || ct_failed(p->ctx)) {
        ct_error_clear(p->ctx);
        return false;
    }
    r->p = p;
    return in_child(attempt, r, TRIAL_SECONDS) == r->how;
}

/* ---- Rebuilding. */

/* Without inputs that nothing needs. */
static bool close(program *p, size_t n_results, ct_tensor *const *result)
{
    ct__graph *graph = ct__trace_pop(p->ctx, CT_HERE, n_results, result);
    ct__arena arena;
    bool *used;
    size_t n = 0;

    ct__arena_init(&arena, &p->ctx->allocator);
    const bool fine = graph && ct__graph_used_params(graph, &arena, &used);
    for (size_t i = 0; fine && i < p->n_inputs; i++)
        if (used[i])
            p->input[n++] = p->input[i];
    if (fine && ct__graph_drop_params(graph, used))
        p->n_inputs = n;
    ct__arena_free(&arena);
    p->f = published(p->ctx, graph);
    return !ct_failed(p->ctx);
}

static ct_tensor *input_of(program *p, ct_tensor *elements)
{
    if (p->n_inputs == MOST_INPUTS)
        return NULL;
    p->input[p->n_inputs++] = elements;
    return ct__trace_param(p->ctx, CT_HERE, elements->type);
}

/* The values of a node as inputs: known is what they are, NULL where they cannot be. */
static bool cut(program *q, const ct__node *node, ct_tensor *const *known, ct_tensor **value)
{
    for (size_t i = 0; i < node->n_results; i++)
        if (!known[i] || !(value[node->first_result + i] = input_of(q, known[i])))
            return false;
    return true;
}

/* The program without node `without`, whose results are `known`, and with the result `only` alone
 * (SIZE_MAX: all). */
static bool rebuild(const program *p, size_t without, ct_tensor *const *known, size_t only,
                    program *q)
{
    const ct__graph *graph = p->f->graph;
    ct_tensor **value = calloc(graph->n_values + 1, sizeof *value), *result[MOST_RESULTS];
    ct__arena arena;
    bool fine = ct__trace_push(p->ctx, CT_HERE, "program", false);

    ct__arena_init(&arena, &p->ctx->allocator);
    *q = (program){.ctx = p->ctx};
    for (size_t i = 0; i < p->n_inputs; i++)
        value[graph->param[i]] = input_of(q, p->input[i]);
    for (size_t i = 0; fine && i < graph->n_nodes; i++)
        fine = i == without ? cut(q, &graph->node[i], known, value)
                            : record_node(p->ctx, graph, &graph->node[i], &arena, value);
    for (size_t i = 0; i < graph->n_results; i++)
        result[i] = value[graph->result[only == SIZE_MAX ? i : only]];
    ct__arena_free(&arena);
    free(value);
    if (!fine) {
        ct__trace_abandon(p->ctx);
        return false;
    }
    return close(q, only == SIZE_MAX ? graph->n_results : 1, result);
}

/* ---- What values come to. */

/* The results of a node in machine numerics; NULL for those that are no tensors. */
static void compute(const program *p, const ct__node *node, ct_tensor **known)
{
    ct__graph *graph = p->f->graph;
    ct_tensor *value[1];
    outcome o;

    for (size_t i = 0; i < node->n_results; i++) {
        known[i] = NULL;
        const ct_type *type = ct__graph_type(graph, node->first_result + (ct__id)i);
        if (type->kind != CT__TENSOR)
            continue;
        program q;
        ct__id kept = graph->result[0];
        graph->result[0] = node->first_result + (ct__id)i;
        const bool fine = rebuild(p, SIZE_MAX, NULL, 0, &q);
        graph->result[0] = kept;
        if (!fine)
            continue;
        run(q.f, (ct_list){q.n_inputs, q.input}, CT_EXECUTOR_MACHINE, &o);
        value[0] = o.status == CT_OK ? o.y[0] : NULL;
        known[i] = value[0];
    }
}

static bool keep_one_result(reduction *r, program *p)
{
    program q;

    for (size_t i = 0; p->f->graph->n_results > 1 && i < p->f->graph->n_results; i++)
        if (rebuild(p, SIZE_MAX, NULL, i, &q) && still_fails(r, &q)) {
            *p = q;
            return true;
        }
    return false;
}

static bool cut_one(reduction *r, program *p, size_t *from)
{
    ct_tensor *known[MOST_RESULTS];
    program q;

    for (; *from < p->f->graph->n_nodes; ++*from) {
        const ct__node *node = &p->f->graph->node[*from];
        if (node->n_results > MOST_RESULTS || r->how != DIFFERED)
            continue;
        compute(p, node, known);
        ct_error_clear(p->ctx);
        if (rebuild(p, *from, known, SIZE_MAX, &q) && still_fails(r, &q)) {
            *p = q;
            return true;
        }
        ct_error_clear(p->ctx);
    }
    return false;
}

/* ---- Inputs. */

static bool with_input(reduction *r, program *p, size_t which, ct_tensor *x)
{
    program q = *p;

    q.input[which] = x;
    if (!x || ct_is_poison(x) || !still_fails(r, &q))
        return false;
    *p = q;
    return true;
}

static void simplify_element(reduction *r, program *p, size_t which, size_t element)
{
    ct_tensor *x = p->input[which];
    const size_t each = ct_dtype_bytes(ct_dtype_of(x)), bytes = each * (size_t)ct_size(x);
    unsigned char *data = malloc(bytes), *kept = malloc(bytes);
    static const double simple[] = {0, 1, 2, -1};

    memcpy(data, ct_data(x), bytes);
    for (size_t i = 0; i < sizeof simple / sizeof *simple; i++) {
        memcpy(kept, data, bytes);
        if (!ct__store_double(ct_dtype_of(x), data + element * each, simple[i]))
            continue;
        if (memcmp(kept, data, bytes) == 0 ||
            with_input(r, p, which, ct_from_data(p->ctx, ct_dtype_of(x), ct_shape_of(x), data)))
            break;
        memcpy(data, kept, bytes);
    }
    free(data);
    free(kept);
}

static void simplify_input(reduction *r, program *p, size_t which)
{
    const ct_tensor *x = p->input[which];

    for (int i = 0; i < 2; i++)
        if (with_input(r, p, which, ct_full(p->ctx, ct_dtype_of(x), ct_shape_of(x), i)))
            return;
    ct_error_clear(p->ctx);
    for (size_t i = 0; i < (size_t)ct_size(p->input[which]) && i < 64; i++)
        simplify_element(r, p, which, i);
}

void reduce_program(program *p, const way *w, ending how, char why[WHY_BYTES])
{
    reduction r = {.w = w, .how = how, .end = time(NULL) + SHRINK_SECONDS};
    size_t from = 0;

    if (how == HUNG || !still_fails(&r, p))
        return;
    while (keep_one_result(&r, p) || cut_one(&r, p, &from))
        ;
    for (size_t i = 0; i < p->n_inputs; i++)
        simplify_input(&r, p, i);
    if (how == DIFFERED)
        compare_by(w, p, why);
    ct_error_clear(p->ctx);
}
