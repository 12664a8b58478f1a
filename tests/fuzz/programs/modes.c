#include "tests/fuzz/programs/modes.h"

enum { ANY = 1U << STYLE_ANY, SMOOTH = 1U << STYLE_SMOOTH, LINEAR = 1U << STYLE_LINEAR };

const way modes[] = {
    {"cpu", "the tile machine and the interpreter in machine numerics", NULL, compare_cpu,
     ANY | SMOOTH | LINEAR, 1},
    {"passes", "each pass of the tile machine off", NULL, compare_passes, ANY, 1},
    {"direct", "the interpreter and computing at once", NULL, compare_direct, ANY, 1},
    {"instance", "bound buffers, run twice, and a call", NULL, compare_instance, ANY, 1},
    {"pretty", "printed and read again", NULL, compare_pretty, ANY | SMOOTH | LINEAR, 1},
    {"generic", "printed in the generic form and read again", NULL, compare_generic, ANY, 1},
    {"simplify", "rewritten and as it is", NULL, compare_simplified, ANY, 1},
    {"inline", "calls replaced by what they do", NULL, compare_inlined, ANY, 1},
    {"jvp", "the forward derivative, as cpu", derive_forward, compare_cpu, ANY | SMOOTH, 1},
    {"vjp", "the reverse derivative, as cpu", derive_reverse, compare_cpu, ANY | SMOOTH, 1},
    {"jvp-text", "the forward derivative, as pretty", derive_forward, compare_pretty, ANY | SMOOTH,
     1},
    {"vjp-text", "the reverse derivative, as pretty", derive_reverse, compare_pretty, ANY | SMOOTH,
     1},
    {"jvp-simplify", "the forward derivative, as simplify", derive_forward, compare_simplified,
     ANY | SMOOTH, 1},
    {"vjp-simplify", "the reverse derivative, as simplify", derive_reverse, compare_simplified,
     ANY | SMOOTH, 1},
    {"adjoint", "forward and reverse derivatives", NULL, compare_adjoint, SMOOTH, 1},
    {"exact-adjoint", "the same of whole numbers, exactly", NULL, compare_exact_adjoint, LINEAR, 1},
    {"checkpoint", "reverse derivatives with and without recomputing", NULL, compare_checkpoint,
     SMOOTH, 1},
    {"exact-checkpoint", "the same in quotients, exactly", NULL, compare_exact_checkpoint, LINEAR,
     1},
    {"reverse-loops", "reverse derivatives of loops that keep all and that recompute", NULL,
     compare_loops_kept, SMOOTH, 1},
    {"exact-loops", "the same in quotients, exactly", NULL, compare_exact_loops, LINEAR, 1},
    {"lanes", "vectorised and one lane after another, in reference numerics", NULL, compare_lanes,
     ANY | SMOOTH | LINEAR, 1},
    {"lanes-cpu", "the same in the tile machine, within a bound", NULL, compare_lanes_machine,
     SMOOTH, 1},
    {"numerics", "each operation in machine and in reference numerics, within bounds", NULL,
     compare_numerics, ANY | SMOOTH, 1},
    {"unroll", "scans and their iterations one after another", NULL, compare_unrolled,
     ANY | SMOOTH | LINEAR, 1},
    {"unroll-rational", "the same in quotients, exactly", NULL, compare_unrolled_rational, LINEAR,
     1},
    {"mpfr", "each operation in machine numerics and in numbers of 256 bits, within bounds", NULL,
     compare_mpfr, ANY | SMOOTH, 16},
    {"adjoint-mpfr", "forward and reverse derivatives in numbers of 256 bits", NULL,
     compare_adjoint_mpfr, SMOOTH, 1},
    {"checkpoint-mpfr", "checkpoint in numbers of 256 bits", NULL, compare_checkpoint_mpfr, SMOOTH,
     1},
    {"loops-mpfr", "reverse-loops in numbers of 256 bits", NULL, compare_loops_mpfr, SMOOTH, 1},
    {"lanes-rational", "lanes in quotients, exactly", NULL, compare_lanes_rational, LINEAR, 1},
    {"vjp-passes", "the reverse derivative, as passes", derive_reverse, compare_passes, SMOOTH, 1},
    {"jit", "compiled C, as cpu", NULL, compare_jit, ANY | SMOOTH | LINEAR, 0},
    {"jit-vjp", "the reverse derivative, as jit", derive_reverse, compare_jit, ANY | SMOOTH, 0},
    {"threads", "the tile machine with one thread and with three", NULL, compare_threads,
     ANY | SMOOTH | LINEAR, 4},
    {"vjp-threads", "the reverse derivative, as threads", derive_reverse, compare_threads,
     ANY | SMOOTH, 4},
};

const size_t n_modes = sizeof modes / sizeof *modes;

verdict compare_by(const way *w, const program *p, char why[WHY_BYTES])
{
    program q;

    if (!w->prepare)
        return w->compare(p, why);
    const verdict v = w->prepare(p, &q, why);
    return v == SAME ? w->compare(&q, why) : v;
}

uint64_t usual_modes(void)
{
    uint64_t usual = 0;

    for (size_t i = 0; i < n_modes; i++)
        usual |= modes[i].every == 0 ? 0 : (uint64_t)1 << i;
    return usual;
}
