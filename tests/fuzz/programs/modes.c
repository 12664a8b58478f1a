#include "tests/fuzz/programs/modes.h"

enum { ANY = 1U << STYLE_ANY, SMOOTH = 1U << STYLE_SMOOTH, LINEAR = 1U << STYLE_LINEAR };

const way modes[] = {
    {"cpu", "the tile machine and the interpreter in machine numerics", NULL, compare_cpu,
     ANY | SMOOTH | LINEAR},
    {"direct", "the interpreter and computing at once", NULL, compare_direct, ANY},
    {"instance", "bound buffers, run twice, and a call", NULL, compare_instance, ANY},
    {"pretty", "printed and read again", NULL, compare_pretty, ANY | SMOOTH | LINEAR},
    {"generic", "printed in the generic form and read again", NULL, compare_generic, ANY},
    {"simplify", "rewritten and as it is", NULL, compare_simplified, ANY},
    {"inline", "calls replaced by what they do", NULL, compare_inlined, ANY},
    {"jvp", "the forward derivative, as cpu", derive_forward, compare_cpu, ANY | SMOOTH},
    {"vjp", "the reverse derivative, as cpu", derive_reverse, compare_cpu, ANY | SMOOTH},
    {"jvp-text", "the forward derivative, as pretty", derive_forward, compare_pretty, ANY | SMOOTH},
    {"vjp-text", "the reverse derivative, as pretty", derive_reverse, compare_pretty, ANY | SMOOTH},
    {"jvp-simplify", "the forward derivative, as simplify", derive_forward, compare_simplified,
     ANY | SMOOTH},
    {"vjp-simplify", "the reverse derivative, as simplify", derive_reverse, compare_simplified,
     ANY | SMOOTH},
    {"adjoint", "forward and reverse derivatives", NULL, compare_adjoint, SMOOTH},
    {"exact-adjoint", "the same of whole numbers, exactly", NULL, compare_exact_adjoint, LINEAR},
    {"checkpoint", "reverse derivatives with and without recomputing", NULL, compare_checkpoint,
     SMOOTH},
    {"exact-checkpoint", "the same of whole numbers, exactly", NULL, compare_exact_checkpoint,
     LINEAR},
    {"reverse-loops", "reverse derivatives of loops that keep all and that recompute", NULL,
     compare_loops_kept, SMOOTH},
    {"exact-loops", "the same of whole numbers, exactly", NULL, compare_exact_loops, LINEAR},
    {"lanes", "vectorised and one lane after another, in reference numerics", NULL, compare_lanes,
     ANY | SMOOTH | LINEAR},
    {"lanes-cpu", "the same in the tile machine, within a bound", NULL, compare_lanes_machine,
     SMOOTH},
};

const size_t n_modes = sizeof modes / sizeof *modes;

verdict compare_by(const way *w, const program *p, char why[WHY_BYTES])
{
    program q;

    if (!w->prepare)
        return w->compare(p, why);
    return w->prepare(p, &q, why) ? w->compare(&q, why) : SKIPPED;
}
