/* The numbers behind random tensors, for operations that draw them as a program runs. */
#ifndef CT_TRACE_RANDOM_H
#define CT_TRACE_RANDOM_H

#include <cotangent/random.h>

/* Threefry-2x32 with 20 rounds; the words of key, counter and result come low first. */
uint64_t ct__random_bits(ct_key key, uint64_t counter);
/* Of the normal distribution, mean 0 and deviation 1. */
double ct__random_normal_number(ct_key key, uint64_t counter);
/* Uniform in [0, n), n > 0. */
uint64_t ct__random_below(ct_key key, uint64_t i, uint64_t n);
/* low + u (high - low), also where high - low overflows. */
double ct__between(double low, double high, double u);

#endif
