/* Operations that have no expression: calls, on the rows of a tile. */
#include "exec/jit/emitter.h"

static void add_address(emitter *e, const source *s, const ct__link *link)
{
    if (s->place == IN_RESULT)
        ADD("(char *)out[%zu] + row * %zu", s->index, s->columns * s->bytes);
    else if (s->place == IN_ALL)
        ADD("out[%zu]", s->index);
    else if (link && link->origin == CT__FROM_INPUT)
        ADD("(const char *)in[%zu] + row * %zu", link->index, s->columns * s->bytes);
    else if (link && link->origin == CT__FROM_MADE)
        ADD("k%zu", link->index);
    else if (s->place == IN_REGISTER)
        ADD("scratch + %zu", s->index);
    else
        ADD("in[%zu]", s->index);
}

void ct__emit_call(emitter *e, size_t i)
{
    const instruction *call = at(e, i);
    const ct__link self = {CT__FROM_MADE, i}, *made = call->kind == FOLD_RUNNING ? NULL : &self;
    ADD("{\nconst void *const operand[] = {");
    for (size_t k = 0; k < call->n_operands; k++) {
        add_address(e, &call->operand[k], &made_at(e, i)->link[k]);
        ADD(", ");
    }
    ADD("};\ntable->call(table->tiles, %zu, %zu - row <= %zu, operand, ", i, e->kernel->tiles->rows,
        e->kernel->tiles->tile);
    add_address(e, &call->result, made);
    ADD(", scratch);\n}\n");
}
