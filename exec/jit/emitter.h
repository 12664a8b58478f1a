/* What writes a kernel as C, by turns in emit.c and its parts, and the text so far. */
#ifndef CT_EXEC_JIT_EMITTER_H
#define CT_EXEC_JIT_EMITTER_H

#include "exec/jit/kernel.h"

enum { NAME_BYTES = 32, MOST_NAMES = 4 * CT__MOST_FUSED };

/* Names that a block of C has declared already. */
typedef struct scope {
    size_t n;
    char name[MOST_NAMES][NAME_BYTES];
} scope;

typedef struct emitter {
    ct__text *to;
    const ct__kernel *kernel;
    scope row, loop, *scope; /* of a row and of a loop over its columns; the current one */
    ct__stage stage;
    bool is_ahead;            /* a loop before has fetched the next row */
    bool is_blocked;          /* the loop at hand goes through blocks of lanes */
    bool all_inside;          /* the loop at hand reads no index map outside */
    bool is_near;             /* and takes everything in it to be near, noting where it is not */
    char name[3][NAME_BYTES]; /* of operands */
} emitter;

#define ADD(...) ct__text_add(e->to, __VA_ARGS__)

static inline const instruction *at(const emitter *e, size_t i)
{
    return &e->kernel->tiles->instruction[i];
}

static inline const ct__made *made_at(const emitter *e, size_t i)
{
    return &e->kernel->made[i];
}

static inline size_t n_instructions(const emitter *e)
{
    return e->kernel->tiles->n_instructions;
}

static inline const char *type_of(const emitter *e, size_t i)
{
    return ct__c_type(made_at(e, i)->dtype);
}

/* emit_maps.c: the row of a map that a row of the kernel reads, before its loops; and from which
 * column on, and up to which, it is inside. */
void ct__emit_row_of(emitter *e, size_t i);
/* The element that instruction i, which is CT__LOADED, reads. */
void ct__emit_loaded(emitter *e, size_t i);
/* emit_totals.c: what is CT__TOTALLED, before and after all rows; in the loop at hand, before and
 * after it. */
void ct__emit_begin_totals(emitter *e);
void ct__emit_begin_lanes(emitter *e);
void ct__emit_total(emitter *e, size_t i);
void ct__emit_end_lanes(emitter *e);
void ct__emit_end_totals(emitter *e);
/* emit_calls.c: instruction i, which is CT__CALLED, on the rows of a tile. */
void ct__emit_call(emitter *e, size_t i);

#endif
