/* The loops of products.inc for every machine of this kind. */
#define N(name) name##_base
#define NAME "base"
#include "exec/kernel/products.inc"
