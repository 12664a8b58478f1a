#include "tests/fuzz/programs/modes.h"

enum { ANY = 1U << STYLE_ANY, SMOOTH = 1U << STYLE_SMOOTH, LINEAR = 1U << STYLE_LINEAR };

const way modes[] = {
    {"cpu", "the tile machine and the interpreter in machine numerics", compare_cpu,
     ANY | SMOOTH | LINEAR},
    {"direct", "the interpreter and computing at once", compare_direct, ANY},
    {"instance", "bound buffers, run twice, and a call", compare_instance, ANY},
    {"pretty", "printed and read again", compare_pretty, ANY | SMOOTH | LINEAR},
    {"generic", "printed in the generic form and read again", compare_generic, ANY},
    {"simplify", "rewritten and as it is", compare_simplified, ANY},
    {"inline", "calls replaced by what they do", compare_inlined, ANY},
};

const size_t n_modes = sizeof modes / sizeof *modes;
