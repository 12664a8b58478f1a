/* Constants of a plan, and elements that are repeated. */
#include "exec/interpret/planner.h"

#include <string.h>

enum { PATTERN = 16 }; /* bytes: a multiple of every element's */

bool ct__plan_constant(ct__plan_session *s, const ct__node *node, const ct__literal *literal,
                       ct__home *home)
{
    home->kind = CT__IN_CONSTANT;
    if (ct__literal_is_contiguous(literal) && literal->type->size > 0) {
        home->data = ct__literal_first(literal);
        return true;
    }
    size_t bytes = ct__data_bytes(literal->type);
    void *copy = ct__arena_alloc(s->arena, bytes > 0 ? bytes : 1);
    if (!copy)
        return ct__plan_fail(s, node, CT_ERR_MEMORY);
    ct__literal_copy_out(literal, copy);
    home->data = copy;
    return true;
}

/* The ct__repetition of these first bytes; a new one is empty. NULL when memory is short. */
static ct__repetition *find_repetition(ct__plan_session *s, const unsigned char *pattern)
{
    const ct_allocator *allocator = &s->scratch.allocator;
    uint64_t half[2];
    size_t i;

    memcpy(half, pattern, sizeof half);
    if (ct__lookup_find(&s->repetition_of, half[0], half[1], &i))
        return &s->repetition[i];
    i = s->n_repetitions;
    if (!ct__grow(allocator, &s->repetition, &s->repetition_capacity, i + 1,
                  sizeof *s->repetition) ||
        !ct__lookup_reserve(allocator, &s->repetition_of))
        return NULL;
    ct__lookup_add(&s->repetition_of, half[0], half[1], i);
    s->repetition[s->n_repetitions++] = (ct__repetition){NULL, 0};
    return &s->repetition[i];
}

const void *ct__write_out(ct__plan_session *s, const void *element, size_t element_bytes,
                          size_t bytes)
{
    unsigned char pattern[PATTERN];

    ct__fill_elements(element_bytes, PATTERN / element_bytes, pattern, element);
    ct__repetition *r = find_repetition(s, pattern);
    if (r && r->bytes < bytes) {
        void *data = ct__arena_alloc(s->arena, bytes);
        if (!data)
            return NULL;
        ct__fill_elements(element_bytes, bytes / element_bytes, data, element);
        *r = (ct__repetition){data, bytes};
    }
    return r ? r->data : NULL;
}
