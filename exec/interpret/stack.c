/* Stacks as versions over growing lists of slots; stack.h says how. */
#include "exec/interpret/stack.h"

#include "exec/interpret/interpret.h"

#include <string.h>

struct ct__stack {
    ct__stack_body *body;
    ct__stack *next; /* NULL: this is the newest version */
    /* of an older one, what the next version has changed: */
    size_t slot;
    const void *before; /* NULL: it held nothing */
};

/* A slot is one part of one element: slot = index · n_parts + part. */
struct ct__stack_body {
    ct__stack_body *older;
    ct__stack first;    /* version; that after the first change of a slot is in the slot's chunk, */
    ct__arena versions; /* the others are here */
    size_t n_parts, part_bytes;
    size_t n_slots;        /* those before may hold something */
    size_t n_chunks;       /* of the list's room */
    unsigned char **chunk; /* NULL: nothing there */
};

/* ---- Bodies. */

/* Slots lie in chunks, which stay where they are as the stack grows: four of 2^k slots for every
 * k >= 2, so that a stack has room for a quarter more than it holds. */
enum { LOG_FIRST = 4, LOG_SPLIT = 2 };

typedef struct position {
    size_t chunk, slot; /* which slot of the chunk */
    size_t n_slots;     /* of the chunk */
} position;

/* Of a slot below SIZE_MAX - 2^LOG_FIRST. */
static position position_of(size_t slot)
{
    size_t at = slot + ((size_t)1 << LOG_FIRST), log = LOG_FIRST;
    while (at >> log >> 1)
        log++;
    size_t n_slots = (size_t)1 << (log - LOG_SPLIT),
           quarter = (at - (n_slots << LOG_SPLIT)) / n_slots;
    return (position){((log - LOG_FIRST) << LOG_SPLIT) + quarter, at & (n_slots - 1), n_slots};
}

/* A version for each of the chunk's slots, their parts, then a bool for each: whether it holds
 * something. */
static bool chunk_bytes(const ct__stack_body *body, size_t n_slots, size_t *bytes)
{
    return body->part_bytes < SIZE_MAX - sizeof(ct__stack) &&
           ct__mul_size(n_slots, sizeof(ct__stack) + body->part_bytes + 1, bytes);
}

/* Of a slot that there is room for. */
static ct__stack *version_of(const ct__stack_body *body, size_t slot)
{
    position p = position_of(slot);
    return (ct__stack *)(void *)body->chunk[p.chunk] + p.slot;
}

static void *at_slot(const ct__stack_body *body, size_t slot)
{
    position p = position_of(slot);
    return body->chunk[p.chunk] + p.n_slots * sizeof(ct__stack) + p.slot * body->part_bytes;
}

/* Whether it holds something. */
static bool *holds(const ct__stack_body *body, size_t slot)
{
    position p = position_of(slot);
    return (bool *)body->chunk[p.chunk] + p.n_slots * (sizeof(ct__stack) + body->part_bytes) +
           p.slot;
}

/* The same of any slot. */
static bool holds_something(const ct__stack_body *body, size_t slot)
{
    return slot < body->n_slots && body->chunk[position_of(slot).chunk] && *holds(body, slot);
}

/* Room for a slot; what is new holds nothing. */
static bool reserve(const ct__stacks *stacks, ct__stack_body *body, size_t slot)
{
    size_t bytes, old = body->n_chunks;

    if (slot >= SIZE_MAX - ((size_t)1 << LOG_FIRST))
        return false;
    position p = position_of(slot);
    if (!chunk_bytes(body, p.n_slots, &bytes) ||
        !ct__grow(stacks->allocator, &body->chunk, &body->n_chunks, p.chunk + 1,
                  sizeof *body->chunk))
        return false;
    if (body->n_chunks > old)
        memset(body->chunk + old, 0, (body->n_chunks - old) * sizeof *body->chunk);
    unsigned char **chunk = &body->chunk[p.chunk];
    if (!*chunk) {
        *chunk = ct__alloc_elements(stacks->allocator, bytes);
        if (!*chunk)
            return false;
        memset(*chunk + p.n_slots * (sizeof(ct__stack) + body->part_bytes), 0, p.n_slots);
    }
    if (slot >= body->n_slots)
        body->n_slots = slot + 1;
    return true;
}

static void free_body(ct__stacks *stacks, ct__stack_body *body)
{
    for (size_t i = 0; i < body->n_chunks; i++) {
        size_t n_slots = (size_t)1 << ((i >> LOG_SPLIT) + LOG_FIRST - LOG_SPLIT), bytes;
        if (body->chunk[i] && chunk_bytes(body, n_slots, &bytes))
            ct__release(stacks->allocator, body->chunk[i], bytes);
    }
    ct__release(stacks->allocator, body->chunk, body->n_chunks * sizeof *body->chunk);
    ct__arena_free(&body->versions);
    ct__release(stacks->allocator, body, sizeof *body);
}

void ct__stacks_rewind(ct__stacks *stacks, ct__stack_body *mark)
{
    while (stacks->newest != mark) {
        ct__stack_body *body = stacks->newest;
        stacks->newest = body->older;
        free_body(stacks, body);
    }
}

void ct__stacks_free(ct__stacks *stacks)
{
    ct__stacks_rewind(stacks, NULL);
}

/* An empty stack with a body; NULL when memory is short. */
static ct__stack *new_stack(ct__stacks *stacks, size_t n_parts, size_t part_bytes)
{
    ct__stack_body *body = ct__alloc_zeroed(stacks->allocator, sizeof *body);

    if (!body)
        return NULL;
    ct__arena_init(&body->versions, stacks->allocator);
    body->n_parts = n_parts;
    body->part_bytes = part_bytes;
    body->older = stacks->newest;
    stacks->newest = body;
    body->first.body = body;
    return &body->first;
}

/* What the slot holds in this version; NULL: nothing. */
static const void *find(const ct__stack *stack, size_t slot)
{
    const ct__stack *version = stack;

    for (; version && version->next; version = version->next)
        if (version->slot == slot)
            return version->before;
    return version && holds_something(version->body, slot) ? at_slot(version->body, slot) : NULL;
}

/* ---- Adding. */

static bool add_value(const ct__stack_access *q, size_t bytes, void *sum, const void *x);

/* The newest version for changes of one slot that there is room for: `stack` becomes an older one.
 * A slot holds nothing but before its first change, as whatever empties one makes a new body. NULL
 * when memory is short. */
static ct__stack *advance(ct__stack *stack, size_t slot)
{
    ct__stack_body *body = stack->body;
    bool held = *holds(body, slot);
    ct__stack *newest = held ? CT__NEW(&body->versions, ct__stack) : version_of(body, slot);
    void *before = held ? ct__arena_copy(&body->versions, at_slot(body, slot), body->part_bytes)
                        : NULL;

    if (!newest || (held && !before))
        return NULL;
    *newest = (ct__stack){.body = body};
    stack->next = newest;
    stack->slot = slot;
    stack->before = before;
    return newest;
}

/* One part more; *stack is the newest version of its body. */
static bool add_part(const ct__stack_access *q, ct__stack **stack, size_t slot, const void *x)
{
    ct__stack_body *body = (*stack)->body;

    if (!reserve(q->stacks, body, slot))
        return false;
    bool held = *holds(body, slot);
    *stack = advance(*stack, slot);
    if (!*stack)
        return false;
    *holds(body, slot) = true;
    if (held)
        return add_value(q, body->part_bytes, at_slot(body, slot), x);
    memcpy(at_slot(body, slot), x, body->part_bytes);
    return true;
}

/* What each slot holds in this version, NULL: nothing; of the changes of one slot the first after
 * the version tells. In one pass over slots and versions: a find() for each would take their
 * product. Owned by the caller; NULL when memory is short. */
static const void **slots_of(const ct__stack_access *q, const ct__stack *from, size_t n_slots)
{
    const ct__stack *newest = from;
    const void **x = ct__alloc_zeroed(q->stacks->allocator, n_slots * sizeof *x);
    bool *found = ct__alloc_zeroed(q->stacks->allocator, n_slots);

    for (; x && found && newest->next; newest = newest->next) {
        if (!found[newest->slot])
            x[newest->slot] = newest->before;
        found[newest->slot] = true;
    }
    for (size_t slot = 0; x && found && slot < n_slots; slot++)
        if (!found[slot] && holds_something(newest->body, slot))
            x[slot] = at_slot(newest->body, slot);
    ct__release(q->stacks->allocator, found, n_slots);
    if (x && !found) {
        ct__release(q->stacks->allocator, x, n_slots * sizeof *x);
        x = NULL;
    }
    return x;
}

/* A part of an element that held nothing. */
static bool put_part(const ct__stack_access *q, ct__stack_body *body, size_t slot, const void *x)
{
    if (!reserve(q->stacks, body, slot))
        return false;
    *holds(body, slot) = true;
    memcpy(at_slot(body, slot), x, body->part_bytes);
    return true;
}

/* A new stack equal to `from`, with n_parts to an element: as many, or each of them cut evenly. */
static ct__stack *copy(const ct__stack_access *q, const ct__stack *from, size_t n_parts)
{
    size_t bytes = ct__value_bytes(q->numerics, q->element);
    const ct__stack *newest = from;

    while (newest->next)
        newest = newest->next;
    const ct__stack_body *old = newest->body;
    size_t finer = n_parts / old->n_parts, part_bytes = bytes / n_parts, last;
    bool fine = ct__mul_size(old->n_slots, finer, &last);
    ct__stack *stack = new_stack(q->stacks, n_parts, part_bytes);
    if (!stack || old->n_slots == 0)
        return stack;
    const void **held = fine ? slots_of(q, from, old->n_slots) : NULL;
    fine = held != NULL;
    for (size_t slot = 0; fine && slot < old->n_slots; slot++) {
        const unsigned char *x = held[slot];
        for (size_t i = 0; fine && x && i < finer; i++)
            fine = put_part(q, stack->body, slot * finer + i, x + i * part_bytes);
    }
    ct__release(q->stacks->allocator, held, old->n_slots * sizeof *held);
    return fine ? stack : NULL;
}

/* A newest version with at least n_parts to an element, equal to `from`. */
static ct__stack *writable(const ct__stack_access *q, ct__stack *from, size_t n_parts)
{
    size_t bytes = ct__value_bytes(q->numerics, q->element);

    if (!from)
        return new_stack(q->stacks, n_parts, bytes / n_parts);
    if (!from->next && from->body->n_parts >= n_parts)
        return from;
    return copy(q, from, from->body->n_parts > n_parts ? from->body->n_parts : n_parts);
}

/* Parts without elements hold nothing that could be read. */
static bool is_empty(const ct__stack_access *q)
{
    return q->n_parts == 0 || ct__value_bytes(q->numerics, q->element) == 0;
}

/* ---- Elements that are stacks, of which parts go to different places. */

static ct__stack *restricted(const ct__stack_access *q, const ct__stack *from, const bool *keep);

/* The same for a slot that holds a stack. */
static bool restrict_slot(const ct__stack_access *q, void *slot, const bool *keep)
{
    ct__stack_access inner = *q;
    ct__stack *element;

    inner.element = q->element->element[0];
    memcpy(&element, slot, sizeof element);
    if (!element)
        return true;
    element = restricted(&inner, element, keep);
    memcpy(slot, &element, sizeof element);
    return element != NULL;
}

/* A new stack that has of `from` the parts to keep, of q->n_parts; NULL when memory is short. */
static ct__stack *restricted(const ct__stack_access *q, const ct__stack *from, const bool *keep)
{
    const ct__stack *newest = from;
    bool nested = q->element->kind == CT__STACK;

    while (newest->next)
        newest = newest->next;
    size_t stored = newest->body->n_parts;
    ct__stack *stack = copy(q, from, nested || stored > q->n_parts ? stored : q->n_parts);
    for (size_t slot = 0; stack && slot < stack->body->n_slots; slot++) {
        ct__stack_body *body = stack->body;
        size_t part = slot % body->n_parts * q->n_parts / body->n_parts;
        if (!holds_something(body, slot))
            continue;
        if (!nested)
            *holds(body, slot) = keep[part];
        else if (!restrict_slot(q, at_slot(body, slot), keep))
            return NULL;
    }
    return stack;
}

/* The parts, from the first that is not done on, that have one index; they are done then. *all: it
 * is every part. False when none is left. */
static bool next_group(const ct__stack_access *q, bool *done, bool *keep, size_t *first, bool *all)
{
    size_t count = 0;

    while (*first < q->n_parts && (done[*first] || q->index[*first] < 0))
        ++*first;
    for (size_t part = 0; *first < q->n_parts && part < q->n_parts; part++) {
        keep[part] = q->index[part] == q->index[*first];
        done[part] = done[part] || keep[part];
        count += keep[part];
    }
    *all = count == q->n_parts;
    return count > 0;
}

typedef bool group_step(const ct__stack_access *q, const ct__stack_access *one, const bool *keep,
                        ct__stack **from, void *y);

/* Calls the step for the parts of each index; `one` accesses that element, `keep` is NULL for all
 * parts. */
static bool for_groups(const ct__stack_access *q, group_step *step, ct__stack **from, void *y)
{
    bool *done = ct__alloc_zeroed(q->stacks->allocator, 2 * q->n_parts), all, fine = done != NULL;

    for (size_t first = 0; fine && next_group(q, done, done + q->n_parts, &first, &all);) {
        ct__stack_access one = *q;
        one.n_parts = 1;
        one.index = &q->index[first];
        fine = step(q, &one, all ? NULL : done + q->n_parts, from, y);
    }
    ct__release(q->stacks->allocator, done, 2 * q->n_parts);
    return fine;
}

/* *x, or what is kept of it. */
static bool keep_parts(const ct__stack_access *q, const bool *keep, ct__stack **x)
{
    ct__stack_access inner = *q;

    inner.element = q->element->element[0];
    if (*x && keep)
        *x = restricted(&inner, *x, keep);
    else
        return true;
    return *x != NULL;
}

static bool add_group(const ct__stack_access *q, const ct__stack_access *one, const bool *keep,
                      ct__stack **from, void *y)
{
    ct__stack *x;

    memcpy(&x, y, sizeof x);
    return keep_parts(q, keep, &x) && ct__stack_add(one, *from, &x, from);
}

static bool get_group(const ct__stack_access *q, const ct__stack_access *one, const bool *keep,
                      ct__stack **from, void *y)
{
    ct__stack *x;

    return ct__stack_get(one, *from, &x) && keep_parts(q, keep, &x) &&
           add_value(q, sizeof x, y, &x);
}

static bool has_groups(const ct__stack_access *q)
{
    return q->element->kind == CT__STACK && q->n_parts > 1;
}

bool ct__stack_add(const ct__stack_access *q, ct__stack *from, const void *x, ct__stack **to)
{
    *to = from;
    if (is_empty(q))
        return true;
    if (has_groups(q)) {
        ct__stack *element;
        memcpy(&element, x, sizeof element);
        return for_groups(q, add_group, to, &element);
    }
    ct__stack *stack = writable(q, from, q->n_parts);
    if (!stack)
        return false;
    const ct__stack_body *body = stack->body;
    size_t finer = body->n_parts / q->n_parts;
    for (size_t part = 0; part < q->n_parts; part++) {
        if (q->index[part] < 0)
            continue;
        for (size_t i = 0; i < finer; i++) {
            size_t slot, own = part * finer + i;
            if (!ct__mul_size((size_t)q->index[part], body->n_parts, &slot) ||
                slot > SIZE_MAX - body->n_parts ||
                !add_part(q, &stack, slot + own, (const char *)x + own * body->part_bytes))
                return false;
        }
    }
    *to = stack;
    return true;
}

/* ---- Reading. */

bool ct__stack_get(const ct__stack_access *q, ct__stack *from, void *y)
{
    size_t bytes = ct__value_bytes(q->numerics, q->element);

    memset(y, 0, bytes);
    if (!from || is_empty(q))
        return true;
    if (has_groups(q))
        return for_groups(q, get_group, &from, y);
    size_t stored = from->body->n_parts, most = stored > q->n_parts ? stored : q->n_parts;
    size_t piece = bytes / most; /* the smaller of what is stored and what is asked for */
    for (size_t i = 0; i < most; i++) {
        int64_t index = q->index[i * q->n_parts / most];
        size_t part = i * stored / most;
        if (index < 0 || (size_t)index > (SIZE_MAX - part) / stored)
            continue;
        const char *x = find(from, (size_t)index * stored + part);
        if (x)
            memcpy((char *)y + i * piece, x + i * piece - part * from->body->part_bytes, piece);
    }
    return true;
}

/* ---- Sums. */

/* *sum += *x: a part of an element, of so many bytes, or a whole stack. */
static bool add_value(const ct__stack_access *q, size_t bytes, void *sum, const void *x)
{
    const ct_type *element = q->element;

    if (element->kind == CT__STACK) {
        ct__stack_access inner = *q;
        ct__stack *both, *a, *b;
        inner.element = element->element[0];
        memcpy(&a, sum, sizeof a);
        memcpy(&b, x, sizeof b);
        if (!ct__stack_sum(&inner, a, b, &both))
            return false;
        memcpy(sum, &both, sizeof both);
    } else {
        size_t n = bytes / q->numerics->element_bytes(element->dtype);
        q->numerics->binary(CT__OP_add, element->dtype, n, sum, sum, 1, x, 1);
    }
    return true;
}

bool ct__stack_sum(const ct__stack_access *q, ct__stack *x, ct__stack *y, ct__stack **sum)
{
    const ct__stack *newest = y;

    *sum = x ? x : y;
    if (!x || !y)
        return true;
    while (newest->next)
        newest = newest->next;
    size_t n_parts = newest->body->n_parts, n_slots = newest->body->n_slots, all;
    ct__stack *stack = writable(q, x, n_parts);
    if (stack && !ct__mul_size(n_slots, stack->body->n_parts / n_parts, &all))
        return false;
    for (size_t slot = 0; stack && slot < n_slots; slot++) {
        const char *part = find(y, slot);
        size_t finer = stack->body->n_parts / n_parts;
        for (size_t i = 0; part && i < finer; i++)
            if (!add_part(q, &stack, slot * finer + i, part + i * stack->body->part_bytes))
                return false;
    }
    *sum = stack;
    return stack != NULL;
}

/* ---- Meanings. */

static ct__stack *stack_at(const void *p)
{
    ct__stack *stack;

    memcpy(&stack, p, sizeof stack);
    return stack;
}

static bool give(const ct__eval *q, bool fine, ct__stack *stack)
{
    if (!fine)
        return ct__run_fail(q, CT_ERR_MEMORY, "out of memory");
    memcpy(q->out[0], &stack, sizeof stack);
    return true;
}

static ct__stack_access access_of(const ct__eval *q)
{
    return (ct__stack_access){.stacks = &q->error->stacks,
                              .numerics = q->numerics,
                              .element = q->in_type[0]->element[0],
                              .n_parts = (size_t)q->in_type[1]->size,
                              .index = q->in[1]};
}

bool ct__meaning_stack_new(const ct__eval *q)
{
    return give(q, true, NULL);
}

bool ct__meaning_stack_add(const ct__eval *q)
{
    ct__stack_access access = access_of(q);
    ct__stack *stack = NULL;

    bool fine = ct__stack_add(&access, stack_at(q->in[0]), q->in[2], &stack);
    return give(q, fine, stack);
}

bool ct__meaning_stack_get(const ct__eval *q)
{
    ct__stack_access access = access_of(q);

    return ct__stack_get(&access, stack_at(q->in[0]), q->out[0]) ||
           ct__run_fail(q, CT_ERR_MEMORY, "out of memory");
}

bool ct__meaning_stack_sum(const ct__eval *q)
{
    ct__stack_access access = access_of(q);
    ct__stack *stack = NULL;

    bool fine = ct__stack_sum(&access, stack_at(q->in[0]), stack_at(q->in[1]), &stack);
    return give(q, fine, stack);
}
