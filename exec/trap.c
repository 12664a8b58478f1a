#include "exec/trap.h"

#include <string.h>

/* ---- Loops. */

/* A step of the last body of the node that runs now begins an iteration when it is the first one
 * there. */
static void count_iteration(ct__trap_frame *frame, const ct__graph *graph, uint32_t node)
{
    if (!frame || frame->node->n_regions == 0 ||
        frame->node->region[frame->node->n_regions - 1] != graph)
        return;
    if (frame->iteration < 0)
        frame->first = node;
    if (frame->iteration < 0 || frame->first == node)
        frame->iteration++;
}

static bool evaluate_bodies(ct__trap *trap, const ct__node *node, const ct__eval *q)
{
    ct__trap_frame frame = {.outer = trap->frame, .node = node, .iteration = -1};

    trap->frame = &frame;
    const bool fine = ct__evaluate(q);
    trap->frame = frame.outer;
    return fine;
}

/* ---- Indices: the operation asks for an error itself. */

/* Fills `strict`, a copy of the attributes. False when memory is short. */
static bool make_strict(const ct__eval *q, ct__arena *arena, const ct__attrs **strict)
{
    const ct__attrs_info *info = ct__attrs_describe(ct__op_describe(q->op)->attrs);
    char *copy = ct__arena_copy(arena, q->attrs, info->bytes);

    if (!copy)
        return ct__run_fail(q, CT_ERR_MEMORY, "out of memory");
    for (size_t i = 0; i < info->n_fields; i++)
        if (info->field[i].kind == CT__FIELD_FLAG && strcmp(info->field[i].name, "strict") == 0)
            *(bool *)(copy + info->field[i].offset) = true;
    *strict = (const ct__attrs *)(void *)copy;
    return true;
}

/* ---- One operation. Its bodies work on elements: nobody looks at them but for integers, whose
 * trouble nothing of the result would tell. */

static bool evaluate_watching_bodies(ct__trap *trap, const ct__node *node, const ct__eval *q)
{
    const unsigned kinds = trap->kinds;

    trap->kinds &= CT_TRAP_OVERFLOW | CT_TRAP_DIVISION;
    const bool fine = evaluate_bodies(trap, node, q);
    trap->kinds = kinds;
    return fine;
}

static bool evaluate_alone(ct__trap *trap, const ct__node *node, const ct__eval *q,
                           ct__arena *arena)
{
    const bool asks = trap->kinds & CT_TRAP_INDEX && ct__has(q->op, CT__INDEXES);
    ct__eval copy = *q;
    bool fine;

    if (asks && !make_strict(q, arena, &copy.attrs))
        return false;
    if (trap->kinds & (CT_TRAP_OVERFLOW | CT_TRAP_DIVISION) && ct__hides_integers(q)) {
        fine = evaluate_watching_bodies(trap, node, &copy);
    } else {
        q->error->watch = NULL;
        fine = ct__evaluate(&copy);
        q->error->watch = &trap->watch;
    }
    if (!fine && asks && q->error->status == CT_ERR_INDEX)
        ct__trap_tell_index(trap, node, q);
    return fine;
}

static size_t bytes_of(const ct__eval *q, size_t i)
{
    const bool is_repeated = i < 32 && q->repeated >> i & 1;

    return is_repeated ? ct_dtype_bytes(q->in_type[i]->dtype) : ct__data_bytes(q->in_type[i]);
}

static bool overlap(const void *a, size_t a_bytes, const void *b, size_t b_bytes)
{
    const uintptr_t x = (uintptr_t)a, y = (uintptr_t)b;

    return x < y + b_bytes && y < x + a_bytes;
}

/* What the operation writes over is kept, to be looked at afterwards. */
static bool keep_operands(const ct__eval *q, ct__arena *arena, const void **in)
{
    for (size_t i = 0; i < q->n_operands; i++) {
        in[i] = q->in[i];
        if (q->in_type[i]->kind != CT__TENSOR)
            continue;
        for (size_t k = 0; k < q->n_results && in[i] == q->in[i]; k++)
            if (q->out_type[k]->kind == CT__TENSOR &&
                overlap(q->in[i], bytes_of(q, i), q->out[k], ct__data_bytes(q->out_type[k])))
                in[i] = ct__arena_copy(arena, q->in[i], bytes_of(q, i));
        if (!in[i])
            return false;
    }
    return true;
}

static bool evaluate_and_look(ct__trap *trap, const ct__node *node, const ct__eval *q,
                              ct__arena *arena)
{
    const void **in = CT__NEW_ARRAY(arena, const void *, q->n_operands);
    ct__eval before = *q;
    ct__trouble trouble;

    if (!in || !keep_operands(q, arena, in))
        return ct__run_fail(q, CT_ERR_MEMORY, "out of memory");
    if (!evaluate_alone(trap, node, q, arena))
        return false;
    before.in = in;
    if (!ct__trap_find(&before, trap->kinds, arena, &trouble))
        return !arena->failed || ct__run_fail(q, CT_ERR_MEMORY, "out of memory");
    ct__trap_tell(trap, node, &before, &trouble);
    return false;
}

static bool evaluate(ct__watch *watch, const ct__graph *graph, uint32_t index, const ct__eval *q)
{
    ct__trap *trap = (ct__trap *)watch;
    const ct__node *node = &graph->node[index];
    ct__arena arena;

    count_iteration(trap->frame, graph, index);
    if (ct__has(q->op, CT__CONTROL))
        return evaluate_bodies(trap, node, q);
    ct__arena_init(&arena, &trap->allocator);
    const bool fine = evaluate_and_look(trap, node, q, &arena);
    ct__arena_free(&arena);
    return fine;
}

ct__watch *ct__trap_begin(ct__trap *trap, const ct__program *program)
{
    if (!program->traps)
        return NULL;
    *trap = (ct__trap){
        .watch = {evaluate}, .kinds = program->traps, .allocator = program->allocator};
    return &trap->watch;
}
