/* What inference and meaning of convolution share. */
#ifndef CT_OPS_CONVOLUTION_H
#define CT_OPS_CONVOLUTION_H

#include "ops/reduce_window.h"

/* Spatial axis `d` of x, cut into windows of the kernel's extent `size`. */
ct__window_axis ct__convolution_axis(const struct ct__attrs_convolution *attrs, int d,
                                     int64_t size);

#endif
