#include "trace/trace.h"

#include <stdio.h>
#include <string.h>

/* ---- Errors: the message of inference, then a line per operand. */

#define CT__LISTED_OPERANDS 8

static void append(char *buffer, size_t bytes, const char *text)
{
    size_t length = strlen(buffer);
    snprintf(buffer + length, bytes - length, "%s", text);
}

/* "reshape, loss.c:40" or "argument 1". */
static void describe_origin(const ct_tensor *x, char *buffer, size_t bytes)
{
    if (x->argument >= 0)
        snprintf(buffer, bytes, "argument %d", x->argument);
    else if (x->at.file)
        snprintf(buffer, bytes, "%s, %s:%d", x->origin, x->at.file, x->at.line);
    else
        snprintf(buffer, bytes, "%s", x->origin ? x->origin : "");
}

void ct__operand_line(const char *name, const ct_tensor *x, char *line, size_t bytes)
{
    char type[256], origin[512];
    ct__type_print(x->type, type, sizeof type);
    describe_origin(x, origin, sizeof origin);
    snprintf(line, bytes, "\n    %-9s %-12s %s", name, type, origin);
}

static void list_operands(const ct__request *r, char *buffer, size_t bytes)
{
    size_t shown = r->n_operands < CT__LISTED_OPERANDS ? r->n_operands : CT__LISTED_OPERANDS;
    for (size_t i = 0; i < shown; i++) {
        char name[64], line[896];
        ct__operand_name(r->op, r->attrs, r->n_operands, i, name, sizeof name);
        ct__operand_line(name, r->operand[i], line, sizeof line);
        append(buffer, bytes, line);
    }
    if (shown < r->n_operands)
        append(buffer, bytes, "\n    …");
}

static void report(const ct__request *r, ct_status status, const char *message)
{
    char operands[3000] = "";
    list_operands(r, operands, sizeof operands);
    ct__error(r->ctx, r->at, status, "%s: %s%s", ct__op_describe(r->op)->name, message, operands);
}

/* ---- Checking operands. */

bool ct__operand_check(ct_context *ctx, ct_place at, const char *what, const char *name,
                       const ct_tensor *x)
{
    if (!x)
        ct__error(ctx, at, CT_ERR_ARGUMENT, "%s: %s is NULL", what, name);
    else if (x->kind == CT__POISON)
        ct__error(ctx, at, CT_ERR_POISON, "%s: %s is the poisoned result of an earlier error", what,
                  name);
    else if (x->handle.ctx != ctx)
        ct__error(ctx, at, CT_ERR_CONTEXT, "%s: %s belongs to another context", what, name);
    else if (x->kind == CT__SPEC)
        ct__error(ctx, at, CT_ERR_ARGUMENT, "%s: %s is a type without data (ct_spec)", what, name);
    else if (x->kind == CT__TRACED && !ct__trace_find(ctx, x->trace))
        ct__error(ctx, at, CT_ERR_STATE,
                  "%s: %s is a traced value whose trace has ended, made at %s:%d; "
                  "return it from the traced function instead",
                  what, name, x->at.file ? x->at.file : "?", x->at.line);
    else
        return true;
    return false;
}

bool ct__operand_is_usable(ct_context *ctx, const ct_tensor *x)
{
    return x && x->handle.ctx == ctx &&
           (x->kind == CT__CONCRETE || (x->kind == CT__TRACED && ct__trace_find(ctx, x->trace)));
}

/* Names are made only for messages: this runs for every operation. */
static bool check_operands(const ct__request *r)
{
    for (size_t i = 0; i < r->n_operands; i++) {
        const ct_tensor *x = r->operand[i];
        if (ct__operand_is_usable(r->ctx, x))
            continue;
        char name[64];
        ct__operand_name(r->op, r->attrs, r->n_operands, i, name, sizeof name);
        return ct__operand_check(r->ctx, r->at, ct__op_describe(r->op)->name, name, x);
    }
    return true;
}

static bool check_depth(const ct__request *r)
{
    for (size_t i = 0; i < r->n_regions; i++) {
        if (r->region[i]->depth + 1 < CT__MAX_DEPTH)
            continue;
        ct__error(r->ctx, r->at, CT_ERR_UNSUPPORTED,
                  "%s: calls, branches and loops nest more than %d deep",
                  ct__op_describe(r->op)->name, CT__MAX_DEPTH);
        return false;
    }
    return true;
}

/* ---- Inference. */

static bool infer(const ct__request *r, ct__arena *arena, ct__infer *q)
{
    const ct_type **in = CT__NEW_ARRAY(arena, const ct_type *, r->n_operands);
    ct__body_type *region = r->n_regions > 0 ? CT__NEW_ARRAY(arena, ct__body_type, r->n_regions)
                                             : NULL;
    bool fine = in && (region || r->n_regions == 0);
    for (size_t i = 0; fine && i < r->n_operands; i++)
        in[i] = r->operand[i]->type;
    for (size_t i = 0; fine && i < r->n_regions; i++)
        fine = ct__graph_body_type(r->region[i], arena, &region[i]);
    if (!fine) {
        ct__error_memory(r->ctx, r->at, ct__op_describe(r->op)->name);
        return false;
    }
    q->op = r->op; /* one by one: the message is long, and needed only on failure */
    q->arena = arena;
    q->attrs = r->attrs;
    q->n_operands = r->n_operands;
    q->in = in;
    q->n_regions = r->n_regions;
    q->region = region;
    q->n_given = r->n_given;
    q->given = r->given;
    if (!ct__infer_types(q)) {
        report(r, q->status, q->message);
        return false;
    }
    return true;
}

/* ---- Recording. */

static bool record(const ct__request *r, const ct__infer *q, ct_tensor **result)
{
    ct_context *ctx = r->ctx;
    const ct__op_info *info = ct__op_describe(r->op);
    ct__id *operand = CT__NEW_ARRAY(q->arena, ct__id, r->n_operands);
    for (size_t i = 0; operand && i < r->n_operands; i++) {
        ct__resolution how = ct__trace_resolve(ctx, r->operand[i], &operand[i]);
        if (how != CT__RESOLVED) {
            char name[64];
            ct__operand_name(r->op, r->attrs, r->n_operands, i, name, sizeof name);
            ct__trace_unresolved(ctx, r->at, info->name, name, r->operand[i], how);
            return false;
        }
    }
    ct__node node = {.op = r->op,
                     .provenance = ctx->provenance,
                     .at = r->at,
                     .attrs = r->attrs,
                     .n_operands = (uint32_t)r->n_operands,
                     .operand = operand,
                     .n_results = (uint32_t)q->n_results,
                     .n_regions = (uint32_t)r->n_regions,
                     .region = r->region,
                     .extra = r->extra,
                     .n_also = (uint32_t)r->n_also,
                     .also = r->also};
    ct__id first;
    const bool fits = r->n_operands < UINT32_MAX && q->n_results < UINT32_MAX;
    if (!operand || !fits || !ct__graph_add_node(ctx->trace->graph, &node, q->out, &first)) {
        ct__error_memory(ctx, r->at, info->name);
        return false;
    }
    for (size_t i = 0; i < q->n_results; i++)
        result[i] = ct__tensor_traced(ctx, r->at, info->name, ctx->trace->serial, first + (ct__id)i,
                                      q->out[i]);
    return !ct_failed(ctx);
}

/* ---- Computing at once. */

static bool compute_view(const ct__request *r, const ct__infer *q, ct_tensor **result)
{
    if (!ct__has(r->op, CT__MOVES_DATA) || r->n_operands != 1)
        return false;
    ct__literal *view;
    if (!ct__view(r->op, r->attrs, r->operand[0]->literal, q->out[0], &view))
        return false;
    result[0] = ct__tensor_concrete(r->ctx, r->at, ct__op_describe(r->op)->name, view);
    return true;
}

/* Fresh storage for every result, in out and storage. False when memory is short. */
static bool allocate_results(const ct__request *r, const ct__infer *q, ct__storage **storage,
                             void **out)
{
    for (size_t i = 0; i < q->n_results; i++) {
        storage[i] = ct__storage_new(&r->ctx->allocator, ct__data_bytes(q->out[i]));
        if (!storage[i])
            return false;
        out[i] = storage[i]->data;
    }
    return true;
}

static bool evaluate(const ct__request *r, const ct__infer *q, ct__storage **storage)
{
    const void **in = CT__NEW_ARRAY(q->arena, const void *, r->n_operands);
    void **out = CT__NEW_ARRAY(q->arena, void *, q->n_results);
    if (!in || !out || !allocate_results(r, q, storage, out)) {
        ct__error_memory(r->ctx, r->at, ct__op_describe(r->op)->name);
        return false;
    }
    for (size_t i = 0; i < r->n_operands; i++) {
        in[i] = ct__tensor_data(r->operand[i]);
        if (!in[i])
            return false;
    }
    ct__evaluation evaluation = {.ctx = r->ctx,
                                 .at = r->at,
                                 .op = r->op,
                                 .attrs = r->attrs,
                                 .n_operands = r->n_operands,
                                 .in_type = q->in,
                                 .in = in,
                                 .n_regions = r->n_regions,
                                 .region = r->region,
                                 .n_results = q->n_results,
                                 .out_type = q->out,
                                 .out = out};
    return r->ctx->hooks.evaluate(&evaluation);
}

static bool compute(const ct__request *r, const ct__infer *q, ct_tensor **result)
{
    if (compute_view(r, q, result))
        return !ct_failed(r->ctx);
    ct__storage **storage = CT__NEW_ARRAY(q->arena, ct__storage *, q->n_results);
    if (!storage) {
        ct__error_memory(r->ctx, r->at, ct__op_describe(r->op)->name);
        return false;
    }
    bool fine = evaluate(r, q, storage);
    for (size_t i = 0; i < q->n_results; i++) {
        if (fine)
            result[i] = ct__tensor_concrete(r->ctx, r->at, ct__op_describe(r->op)->name,
                                            ct__literal_new(storage[i], q->out[i], 0, NULL));
        else
            ct__storage_release(storage[i]);
    }
    return !ct_failed(r->ctx);
}

/* ---- The one way. */

static bool has_effect(const ct__request *r)
{
    return ct__node_has_effect(&(ct__node){
        .op = r->op, .attrs = r->attrs, .n_regions = (uint32_t)r->n_regions, .region = r->region});
}

/* An operation without operands, or with an effect, which its bodies may have, is recorded while a
 * trace is open. */
static bool is_recorded(const ct__request *r)
{
    for (size_t i = 0; i < r->n_operands; i++)
        if (r->operand[i]->kind == CT__TRACED)
            return true;
    return (r->n_operands == 0 || has_effect(r)) && r->ctx->trace != NULL;
}

static bool check_result_count(const ct__request *r, const ct__infer *q, size_t n_results)
{
    if (q->n_results == n_results)
        return true;
    /* the name of a called function says more than "call" */
    const char *callee = r->op == CT__OP_call && r->region ? r->region[0]->name : "";
    ct__error(r->ctx, r->at, CT_ERR_ARGUMENT, "%s: %s%sgives %zu result%s, not the %zu asked for",
              ct__op_describe(r->op)->name, callee, *callee ? " " : "", q->n_results,
              q->n_results == 1 ? "" : "s", n_results);
    return false;
}

bool ct__apply(const ct__request *request, ct_tensor **result, size_t n_results)
{
    static const ct__attrs no_attrs;
    ct__request r = *request;
    if (!r.ctx)
        r.ctx = ct__context_of_list((ct_list){r.n_operands, r.operand});
    if (!r.attrs)
        r.attrs = &no_attrs;
    for (size_t i = 0; i < n_results; i++)
        result[i] = ct__poison(r.ctx);
    if (ct_failed(r.ctx) || !check_operands(&r) || !check_depth(&r))
        return false;
    ct__infer q;
    ct__arena *arena = ct__scratch_begin(r.ctx);
    bool fine = infer(&r, arena, &q) && check_result_count(&r, &q, n_results) &&
                (is_recorded(&r) ? record(&r, &q, result) : compute(&r, &q, result));
    ct__scratch_end(r.ctx);
    for (size_t i = 0; !fine && i < n_results; i++)
        result[i] = ct__poison(r.ctx);
    return fine;
}

ct_tensor *ct__apply1(const ct__request *request)
{
    ct_tensor *result;
    ct__apply(request, &result, 1);
    return result;
}

ct_tensor *ct__op_on(ct_place at, ct__op op, const ct__attrs *attrs, size_t n,
                     ct_tensor *const *operand)
{
    return ct__apply1(
        &(ct__request){.at = at, .op = op, .attrs = attrs, .n_operands = n, .operand = operand});
}

ct_tensor *ct__unary(ct_place at, ct__op op, ct_tensor *x)
{
    return ct__op_on(at, op, NULL, 1, &x);
}

ct_tensor *ct__binary(ct_place at, ct__op op, ct_tensor *x, ct_tensor *y)
{
    return ct__op_on(at, op, NULL, 2, (ct_tensor *[]){x, y});
}
