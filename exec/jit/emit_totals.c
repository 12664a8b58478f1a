/* Folds of everything, each in a variable of the kernel. */
#include "exec/jit/emitter.h"

#include <stdio.h>

static bool is_total(const emitter *e, size_t i)
{
    return made_at(e, i)->role == CT__TOTALLED;
}

void ct__emit_begin_totals(emitter *e)
{
    for (size_t i = 0; i < n_instructions(e); i++)
        if (is_total(e, i))
            ADD("%s t%zu = *(const %s *)out[%zu];\n", type_of(e, i), i, type_of(e, i),
                at(e, i)->result.index);
}

static void combine(emitter *e, size_t i, const char *total, const char *element)
{
    ct__expression x = ct__fold_expression(at(e, i));
    x.operand[0] = total;
    x.operand[1] = element;
    ADD("%s = ", total);
    ct__express(e->to, &x);
    ADD(";\n");
}

/* Sums of blocks have lanes: else each block would end with a sum across a vector. */
static bool has_lanes(const emitter *e, size_t i)
{
    return e->is_blocked && is_total(e, i) && is_at(made_at(e, i), e->stage) &&
           at(e, i)->fold == CT__OP_add;
}

void ct__emit_begin_lanes(emitter *e)
{
    for (size_t i = 0; i < n_instructions(e); i++)
        if (has_lanes(e, i))
            ADD("%s u%zu[CT__LANES] = {0};\n", type_of(e, i), i);
}

void ct__emit_end_lanes(emitter *e)
{
    char total[NAME_BYTES], lane[NAME_BYTES];
    for (size_t i = 0; i < n_instructions(e); i++) {
        if (!has_lanes(e, i))
            continue;
        snprintf(total, sizeof total, "t%zu", i);
        snprintf(lane, sizeof lane, "u%zu[l]", i);
        ADD("for (size_t l = 0; l < CT__LANES; l++)\n");
        combine(e, i, total, lane);
    }
}

void ct__emit_total(emitter *e, size_t i)
{
    char total[NAME_BYTES], element[NAME_BYTES];
    snprintf(total, sizeof total, has_lanes(e, i) ? "u%zu[l]" : "t%zu", i);
    snprintf(element, sizeof element, "v%zu", made_at(e, i)->link[0].index);
    combine(e, i, total, element);
}

void ct__emit_end_totals(emitter *e)
{
    for (size_t i = 0; i < n_instructions(e); i++)
        if (is_total(e, i))
            ADD("*(%s *)out[%zu] = t%zu;\n", type_of(e, i), at(e, i)->result.index, i);
}
