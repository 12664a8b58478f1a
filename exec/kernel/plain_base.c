/* The loops of plain.inc for every machine of this kind. */
#define PLAIN ct__plain_base
#include "exec/kernel/plain.inc"
