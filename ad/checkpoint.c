/* Checkpoints: calls whose backward half computes again what it needs of the forward half.
 *
 * A checkpoint is a composite "ct.checkpoint" of its function. Unzipped, it is one on known values,
 * which gives the known results and the values to keep, and one on unknown values, which takes the
 * known operands and what was kept, computes the residuals again, behind a barrier, and goes on
 * with the linear part. */
#include "ad/bodies.h"
#include "ad/keep.h"

#include <cotangent/custom.h>
#include <cotangent/remat.h>

#include <stdio.h>
#include <string.h>

/* ---- Options, as attributes of the composite: keep = 1 : i64, names = "a,b", bytes = 9 : i64. */

static bool is_name(const char *name)
{
    static const char more[] = "_.-";
    const char *c = name;
    for (; c && *c; c++)
        if (!(*c >= '0' && *c <= '9') && !((*c | 32) >= 'a' && (*c | 32) <= 'z') &&
            !strchr(more, *c))
            return false;
    return c && c != name;
}

#define WRONG(...) (ct__error(ctx, at, CT_ERR_ARGUMENT, "checkpoint: " __VA_ARGS__), false)

static bool check_options(ct_context *ctx, ct_place at, const ct_checkpoint_options *o)
{
    if (o->keep > CT_KEEP_BYTES)
        return WRONG("there is no keep %d", (int)o->keep);
    if (o->keep == CT_KEEP_BYTES && o->bytes < 0)
        return WRONG("bytes = %lld is negative", (long long)o->bytes);
    if (o->keep == CT_KEEP_NAMED && o->n_names > 0 && !o->names)
        return WRONG("the list of %zu names is NULL", o->n_names);
    for (size_t i = 0; o->keep == CT_KEEP_NAMED && i < o->n_names; i++)
        if (!is_name(o->names[i]))
            return WRONG("name %zu has other characters than letters, digits, \"_\", \".\" and "
                         "\"-\"",
                         i);
    return true;
}

static void write_options(ct__text *text, const ct_checkpoint_options *o)
{
    if (o->keep == CT_KEEP_NOTHING)
        return;
    ct__text_add(text, "keep = %d : i64", (int)o->keep);
    if (o->keep == CT_KEEP_BYTES)
        ct__text_add(text, ", bytes = %lld : i64", (long long)o->bytes);
    if (o->keep != CT_KEEP_NAMED)
        return;
    ct__text_add(text, ", names = \"");
    for (size_t i = 0; i < o->n_names; i++)
        ct__text_add(text, "%s%s", i > 0 ? "," : "", o->names[i]);
    ct__text_add(text, "\"");
}

/* ---- Making one. */

static ct__graph *record(ct_context *ctx, ct_place at, ct__graph *graph, const char *attributes,
                         ct__arena *arena)
{
    const ct__attrs attrs = {
        .composite = {.name = CT__CHECKPOINT, .composite_attributes = attributes}};
    ct_tensor **param = CT__NEW_ARRAY(arena, ct_tensor *, graph->n_params);
    ct_tensor **result = CT__NEW_ARRAY(arena, ct_tensor *, graph->n_results);
    if (!param || !result) {
        ct__error_memory(ctx, at, "checkpoint");
        return NULL;
    }
    for (size_t i = 0; i < graph->n_params; i++)
        param[i] = ct__trace_param_like(ctx, at, graph, i);
    ct__apply(&(ct__request){.ctx = ctx,
                             .at = at,
                             .op = CT__OP_composite,
                             .attrs = &attrs,
                             .n_operands = graph->n_params,
                             .operand = param,
                             .n_regions = 1,
                             .region = &graph},
              result, graph->n_results);
    return ct__trace_close(ctx, at, graph->n_results, result);
}

ct__graph *ct__graph_checkpoint(ct_context *ctx, ct_place at, ct__graph *graph,
                                const char *attributes)
{
    ct__arena arena;
    ct__session session;
    if (!ct__session_begin(&session, ctx, at, &arena, "checkpoint", graph))
        return NULL;
    ct__graph *result = record(ctx, at, graph, attributes, &arena);
    ct__session_end(&session);
    return result;
}

ct_function *ct_checkpoint_at(ct_place at, ct_function *f, const ct_checkpoint_options *options)
{
    ct_context *ctx = ct_function_context(f);
    ct_checkpoint_options o = {.size = sizeof o};
    ct__text text;
    if (!ct__function_check(ctx, at, "checkpoint", f) ||
        !ct__read_options(ctx, at, "checkpoint", "ct_checkpoint_options", options, &o, sizeof o) ||
        !check_options(ctx, at, &o))
        return ct__poison_function(ctx);
    ct__text_init(&text, &ctx->allocator);
    write_options(&text, &o);
    ct__graph *graph = text.failed ? NULL
                                   : ct__graph_checkpoint(ctx, at, f->graph,
                                                          text.length > 0 ? text.data : NULL);
    if (!graph || !ct__graph_set_arguments(graph, f->graph->n_arguments, f->graph->leaves))
        ct__error_memory(ctx, at, "checkpoint"); /* unless there is an error already */
    ct__text_free(&text);
    if (ct_failed(ctx)) {
        ct__graph_release(graph);
        graph = NULL;
    }
    return ct__function_new(ctx, at, graph);
}

/* ---- Unzipping: what is kept. */

typedef struct checkpoint {
    ct__unzip *q;
    const ct__cut *cut;
    size_t n_known_results; /* of the known graph: the rest of its results are residuals */
    char *names;            /* "a,b", of values to keep; "" without any */
    bool *kept, *needed;    /* per value of the known graph */
    size_t n_kept;
    ct__id *list; /* what is kept, in order */
} checkpoint;

static bool out_of_memory(const checkpoint *w)
{
    ct__error_memory(w->q->ctx, w->q->node->at, "checkpoint");
    return false;
}

static bool is_product(ct__op op)
{
    return op == CT__OP_dot_general || op == CT__OP_convolution || op == CT__OP_ragged_dot;
}

/* Whether the name stands in the list; other names than the options allow never do. */
static bool is_named(const checkpoint *w, const char *name)
{
    size_t length = is_name(name) ? strlen(name) : 0;
    if (length == 0)
        return false;
    for (const char *at = w->names; (at = strstr(at, name)); at++)
        if ((at == w->names || at[-1] == ',') && (at[length] == ',' || !at[length]))
            return true;
    return false;
}

/* An option as a whole number; of what is below 0 it is 0, of what no int64_t holds the largest. */
static int64_t whole_option(const ct_custom_call *options, const char *name)
{
    double number = ct_custom_number(options, name, 0);
    return number < 0 ? 0 : number < 0x1p63 ? (int64_t)number : INT64_MAX;
}

/* What has an effect is not done again. */
static bool choose_kept(checkpoint *w, const ct_custom_call *options)
{
    const ct__graph *known = w->cut->known;
    int64_t keep = whole_option(options, "keep"); /* CT_KEEP_NOTHING is 0 */
    ct__find_needed_again(w->cut, w->kept, w->needed);
    for (size_t i = 0; i < known->n_nodes; i++) {
        const ct__node *node = &known->node[i];
        for (size_t r = 0; r < node->n_results; r++) {
            ct__id id = node->first_result + (ct__id)r;
            w->kept[id] = w->needed[id] &&
                          (ct__node_has_effect(node) ||
                           (keep == CT_KEEP_DOTS && is_product(node->op)) ||
                           (keep == CT_KEEP_NAMED && is_named(w, known->value[id].name)));
        }
    }
    if (keep == CT_KEEP_BYTES &&
        !ct__keep_within(w->q->arena, w->cut, w->n_known_results, whole_option(options, "bytes"),
                         w->kept, w->needed))
        return out_of_memory(w);
    ct__find_needed_again(w->cut, w->kept, w->needed);
    for (size_t id = 0; id < known->n_values; id++)
        if (w->kept[id] && w->needed[id])
            w->list[w->n_kept++] = (ct__id)id;
    return true;
}

/* ---- The known part: (known operands…) -> (known results…, kept values…). */

static ct__graph *known_part(checkpoint *w, ct__arena *arena)
{
    const ct__graph *known = w->cut->known;
    ct_context *ctx = w->q->ctx;
    ct_place at = w->q->node->at;
    ct_tensor **value = CT__NEW_ARRAY(arena, ct_tensor *, known->n_values);
    ct_tensor **result = CT__NEW_ARRAY(arena, ct_tensor *, w->n_known_results + w->n_kept);
    if (!value || !result) {
        out_of_memory(w);
        return NULL;
    }
    for (size_t i = 0; i < known->n_params; i++)
        value[known->param[i]] = ct__trace_param_like(ctx, at, known, i);
    for (size_t i = 0; i < known->n_nodes && !ct_failed(ctx); i++)
        ct__replay_node(ctx, known, &known->node[i], arena, value);
    for (size_t i = 0; i < w->n_known_results; i++)
        result[i] = value[known->result[i]];
    for (size_t i = 0; i < w->n_kept; i++)
        result[w->n_known_results + i] = value[w->list[i]];
    return ct__trace_close(ctx, at, w->n_known_results + w->n_kept, result);
}

/* ---- The unknown part: (known operands that are needed…, kept values…, unknown operands…) ->
 * (unknown results…). */

/* Behind a barrier, so that nothing computed here is taken for what was computed before. */
static bool fence(const checkpoint *w, size_t count, ct_tensor **list)
{
    if (count > 0)
        ct_op_optimization_barrier_at(w->q->node->at, (ct_list){count, list}, list);
    return !ct_failed(w->q->ctx);
}

/* Fills value[] of the needed params and of what is kept. */
static bool given_values(checkpoint *w, ct__arena *arena, ct_tensor **value)
{
    const ct__graph *known = w->cut->known;
    ct_context *ctx = w->q->ctx;
    size_t count = 0, next = 0;
    ct_tensor **list = CT__NEW_ARRAY(arena, ct_tensor *, known->n_params + w->n_kept);
    if (!list)
        return out_of_memory(w);
    for (size_t i = 0; i < known->n_params; i++)
        if (w->needed[known->param[i]])
            list[count++] = ct__trace_param_like(ctx, w->q->node->at, known, i);
    for (size_t i = 0; i < w->n_kept; i++) {
        const ct__value *kept = &known->value[w->list[i]];
        list[count++] = ct_name(ct__trace_param(ctx, w->q->node->at, kept->type), kept->name);
    }
    if (!fence(w, count, list))
        return false;
    for (size_t i = 0; i < known->n_params; i++)
        if (w->needed[known->param[i]])
            value[known->param[i]] = list[next++];
    for (size_t i = 0; i < w->n_kept; i++)
        value[w->list[i]] = list[next++];
    return true;
}

static ct__graph *unknown_part(checkpoint *w, ct__arena *arena)
{
    const ct__graph *known = w->cut->known, *unknown = w->cut->unknown;
    ct_context *ctx = w->q->ctx;
    ct_place at = w->q->node->at;
    ct_tensor **value = CT__NEW_ARRAY(arena, ct_tensor *, known->n_values);
    ct_tensor **argument = CT__NEW_ARRAY(arena, ct_tensor *, unknown->n_params);
    ct_tensor **result = CT__NEW_ARRAY(arena, ct_tensor *, unknown->n_results);
    size_t n = w->cut->n_residuals;
    if (!value || !argument || !result) {
        out_of_memory(w);
        return NULL;
    }
    if (!given_values(w, arena, value))
        return NULL;
    for (size_t i = n; i < unknown->n_params; i++)
        argument[i] = ct__trace_param_like(ctx, at, unknown, i);
    if (!ct__replay_needed(ctx, known, w->needed, arena, value))
        return NULL;
    for (size_t r = 0; r < n; r++)
        argument[r] = value[w->cut->residual[r]];
    if (!ct__replay(ctx, at, unknown, argument, result))
        return NULL;
    ct__graph *part = ct__trace_close(ctx, at, unknown->n_results, result);
    if (part && !ct__graph_set_linear(part, unknown->n_params - n))
        out_of_memory(w);
    return part;
}

/* ---- Recording. */

typedef ct__graph *make_part(checkpoint *w, ct__arena *arena);

static ct__graph *in_session(checkpoint *w, const char *what, make_part *make)
{
    ct__arena arena;
    ct__session session;
    if (!ct__session_begin(&session, w->q->ctx, w->q->node->at, &arena, what,
                           w->q->node->region[0]))
        return NULL;
    ct__graph *part = make(w, session.arena);
    ct__session_end(&session);
    return part;
}

static bool apply(const checkpoint *w, ct_list operands, ct__graph *part, ct_tensor **result)
{
    return ct__apply(&(ct__request){.ctx = w->q->ctx,
                                    .at = w->q->node->at,
                                    .op = CT__OP_composite,
                                    .attrs = w->q->node->attrs,
                                    .n_operands = operands.count,
                                    .operand = operands.item,
                                    .n_regions = 1,
                                    .region = &part},
                     result, part->n_results);
}

/* Known results, then what is kept. */
static bool record_known(checkpoint *w, ct_tensor **known)
{
    ct__unzip *q = w->q;
    size_t count = 0;
    ct_tensor **operand = CT__NEW_ARRAY(q->arena, ct_tensor *, q->node->n_operands);
    if (!operand)
        return out_of_memory(w);
    ct__unzip_operands(q, q->unknown, 0, q->node->n_operands, false, operand, &count);
    ct__graph *part = in_session(w, "forward", known_part);
    bool fine = part && apply(w, (ct_list){count, operand}, part, known);
    ct__graph_release(part);
    return fine;
}

static bool record_unknown(checkpoint *w, ct_tensor *const *known, ct_tensor **unknown)
{
    ct__unzip *q = w->q;
    size_t count = 0, position = 0;
    ct_tensor **operand = CT__NEW_ARRAY(q->arena, ct_tensor *, q->node->n_operands + w->n_kept);
    if (!operand)
        return out_of_memory(w);
    for (size_t i = 0; i < q->node->n_operands; i++)
        if (!q->unknown[i] && w->needed[w->cut->known->param[position++]])
            operand[count++] = q->operand[i];
    for (size_t i = 0; i < w->n_kept; i++)
        operand[count++] = known[w->n_known_results + i];
    ct__unzip_operands(q, q->unknown, 0, q->node->n_operands, true, operand, &count);
    ct__graph *part = in_session(w, "again", unknown_part);
    bool fine = part && apply(w, (ct_list){count, operand}, part, unknown);
    ct__graph_release(part);
    return fine;
}

static bool prepare(checkpoint *w)
{
    ct__unzip *q = w->q;
    const ct__graph *known = w->cut->known;
    const char *attributes = q->node->attrs->composite.composite_attributes;
    const ct_custom_call options = {.attributes = attributes};
    const size_t room = attributes ? strlen(attributes) + 1 : 1; /* for any text in them */
    w->kept = CT__NEW_ARRAY(q->arena, bool, known->n_values);
    w->needed = CT__NEW_ARRAY(q->arena, bool, known->n_values);
    w->list = CT__NEW_ARRAY(q->arena, ct__id, known->n_values);
    w->names = CT__NEW_ARRAY(q->arena, char, room);
    if (!w->kept || !w->needed || !w->list || !w->names)
        return out_of_memory(w);
    ct_custom_text(&options, "names", w->names, room);
    w->n_known_results = q->node->n_results -
                         ct__count_set(w->cut->unknown_result, q->node->n_results);
    return choose_kept(w, &options);
}

bool ct__unzip_checkpoint(ct__unzip *q)
{
    checkpoint w = {.q = q};
    w.cut = ct__derived_cut(q->ctx, q->node->at, q->node->region[0], q->unknown, true);
    if (!w.cut || !prepare(&w))
        return false;
    ct_tensor **known = CT__NEW_ARRAY(q->arena, ct_tensor *, w.n_known_results + w.n_kept);
    ct_tensor **unknown = CT__NEW_ARRAY(q->arena, ct_tensor *, w.cut->unknown->n_results);
    if (!known || !unknown)
        return out_of_memory(&w);
    if (!record_known(&w, known) || !record_unknown(&w, known, unknown))
        return false;
    ct__unzip_merge(q, w.cut->unknown_result, known, unknown);
    return true;
}
