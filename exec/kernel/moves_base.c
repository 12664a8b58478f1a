/* The loops of moves.inc for every machine of this kind. */
#define N(name) name##_base
#define NAME "base"
#include "exec/kernel/moves.inc"
