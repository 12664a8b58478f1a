/* What inference and meaning of select_and_scatter share. */
#ifndef CT_OPS_SELECT_AND_SCATTER_H
#define CT_OPS_SELECT_AND_SCATTER_H

#include "ops/reduce_window.h"

/* One axis of x, cut into windows: of each one element is selected. */
ct__window_axis ct__selecting_axis(const struct ct__attrs_select_and_scatter *attrs, int axis);

#endif
