/* Single operations in numbers of MPFR, on what a machine run has as operands. Everything that an
 * operation needs lies in one block: addresses, operands, results, its scratch and the frame of its
 * bodies. */
#include "exec/oracle/oracle.h"

#include "trace/lookup.h"

#include <string.h>

struct ct__shadow {
    ct_allocator allocator;
    ct__numbers numbers;
    size_t bytes; /* of the block */
    unsigned char *block;
    /* bodies, planned once, by their graphs */
    ct__lookup plan_of;
    size_t n_plans, plan_capacity;
    ct__plan **plan;
};

ct__shadow *ct__shadow_new(const ct_allocator *allocator, const ct__precision *how)
{
    ct__shadow *s = ct__alloc_zeroed(allocator, sizeof *s);

    if (!s)
        return NULL;
    s->allocator = *allocator;
    if (ct__numbers_init(&s->numbers, allocator, how))
        return s;
    ct__shadow_free(s);
    return NULL;
}

void ct__shadow_free(ct__shadow *s)
{
    if (!s)
        return;
    for (size_t i = 0; i < s->n_plans; i++)
        ct__plan_free(s->plan[i]);
    ct__release(&s->allocator, s->plan, s->plan_capacity * sizeof(ct__plan *));
    ct__lookup_free(&s->allocator, &s->plan_of);
    ct__release(&s->allocator, s->block, s->bytes);
    ct__numbers_free(&s->numbers);
    const ct_allocator allocator = s->allocator;
    ct__release(&allocator, s, sizeof *s);
}

ct__numbers *ct__shadow_numbers(ct__shadow *s)
{
    return &s->numbers;
}

static bool fail_memory(ct__run_error *error)
{
    error->status = CT_ERR_MEMORY;
    strcpy(error->message, "out of memory");
    return false;
}

/* ---- Bodies. */

/* NULL after filling the error. */
static ct__plan *plan_body(ct__shadow *s, ct__graph *graph, ct__run_error *error)
{
    static const ct__plan_options plain;
    size_t i;

    if (ct__lookup_find(&s->plan_of, (uintptr_t)graph, 0, &i))
        return s->plan[i];
    if (!ct__lookup_reserve(&s->allocator, &s->plan_of) ||
        !ct__grow(&s->allocator, &s->plan, &s->plan_capacity, s->n_plans + 1, sizeof *s->plan)) {
        fail_memory(error);
        return NULL;
    }
    ct__plan *plan = ct__plan_new(&s->allocator, graph, &ct__mpfr_numerics, &plain, error);
    if (plan) {
        ct__lookup_add(&s->plan_of, (uintptr_t)graph, 0, s->n_plans);
        s->plan[s->n_plans++] = plan;
    }
    return plan;
}

/* ---- The block. */

typedef struct layout {
    size_t bytes, regions, in, out, scratch, frame; /* offsets */
} layout;

static size_t take(layout *l, size_t bytes)
{
    const size_t at = l->bytes;

    l->bytes = ct__add_aligned(l->bytes, bytes);
    return at;
}

/* Where things lie; false after filling the error. */
static bool lay_out(ct__shadow *s, const ct__node *node, const ct__eval *q, size_t n_regions,
                    layout *l, ct__run_error *error)
{
    ct__eval probe = *q;
    size_t scratch, frame = 0;

    *l = (layout){.bytes = 0};
    l->in = take(l, q->n_operands * sizeof(void *));
    l->out = take(l, q->n_results * sizeof(void *));
    l->regions = take(l, n_regions * sizeof(ct__plan *));
    for (size_t i = 0; i < q->n_operands; i++)
        take(l, ct__value_bytes(&ct__mpfr_numerics, q->in_type[i]));
    for (size_t i = 0; i < q->n_results; i++)
        take(l, ct__value_bytes(&ct__mpfr_numerics, q->out_type[i]));
    for (size_t i = 0; i < n_regions; i++) {
        const ct__plan *plan = plan_body(s, node->region[i], error);
        if (!plan)
            return false;
        frame = ct__plan_frame_bytes(plan) > frame ? ct__plan_frame_bytes(plan) : frame;
    }
    probe.numerics = &ct__mpfr_numerics;
    if (!ct__scratch_bytes(&probe, &scratch))
        return fail_memory(error);
    l->scratch = take(l, scratch);
    l->frame = take(l, frame);
    return l->bytes < SIZE_MAX || fail_memory(error);
}

static bool reserve(ct__shadow *s, size_t bytes, ct__run_error *error)
{
    if (bytes > s->bytes) {
        ct__release(&s->allocator, s->block, s->bytes);
        s->bytes = 0;
        s->block = ct__alloc_elements(&s->allocator, bytes);
        if (!s->block)
            return fail_memory(error);
        s->bytes = bytes;
    }
    memset(s->block, 0, bytes);
    return true;
}

/* An operand that is repeated has one element. */
static void load(const ct__eval *q, size_t i, void *to)
{
    const ct_type *type = q->in_type[i];

    if (i < 32 && q->repeated >> i & 1)
        ct__load_numbers(type->dtype, 1, to, q->in[i]);
    else
        ct__load_value(&ct__mpfr_numerics, type, to, q->in[i]);
}

static void fill(ct__shadow *s, const ct__node *node, ct__eval *q, const layout *l,
                 ct__run_error *error)
{
    const void **in = (const void **)(void *)(s->block + l->in);
    void **out = (void **)(void *)(s->block + l->out);
    ct__plan **region = (ct__plan **)(void *)(s->block + l->regions);
    size_t at = ct__add_aligned(l->regions, q->n_regions * sizeof(ct__plan *));

    for (size_t i = 0; i < q->n_operands; i++) {
        load(q, i, s->block + at);
        in[i] = s->block + at;
        at = ct__add_aligned(at, ct__value_bytes(&ct__mpfr_numerics, q->in_type[i]));
    }
    for (size_t i = 0; i < q->n_results; i++) {
        out[i] = s->block + at;
        at = ct__add_aligned(at, ct__value_bytes(&ct__mpfr_numerics, q->out_type[i]));
    }
    for (size_t i = 0; i < q->n_regions; i++)
        region[i] = plan_body(s, node->region[i], error); /* they are planned */
    q->numerics = &ct__mpfr_numerics;
    q->in = in;
    q->out = out;
    q->region = region;
    q->scratch = s->block + l->scratch;
    q->frame = s->block + l->frame;
    q->error = error;
}

void *const *ct__shadow_evaluate(ct__shadow *s, const ct__graph *graph, uint32_t node,
                                 const ct__eval *machine, ct__run_error *error)
{
    const ct__node *n = &graph->node[node];
    ct__eval q = *machine;
    layout l;
    bool fine;

    *error = (ct__run_error){.at = n->at, .draws = machine->error->draws};
    error->stacks = (ct__stacks){.allocator = &s->allocator};
    ct__numbers_forget(&s->numbers);
    if (!lay_out(s, n, machine, machine->n_regions, &l, error) || !reserve(s, l.bytes, error))
        return NULL;
    const ct__root root = {s->block, s->bytes};
    ct__numbers_enter(&s->numbers);
    fill(s, n, &q, &l, error);
    s->numbers.root = &root;
    s->numbers.n_roots = 1;
    fine = ct__evaluate(&q);
    s->numbers.n_roots = 0;
    ct__numbers_leave(&s->numbers);
    ct__stacks_free(&error->stacks);
    return fine ? q.out : NULL;
}
