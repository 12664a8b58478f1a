/* What meanings ask for beside their operands and results. */
#include "exec/interpret/control.h"
#include "exec/interpret/dot.h"

bool ct__scratch_bytes(const ct__eval *q, size_t *bytes)
{
    ct__dot dot;
    ct__scan scan;

    *bytes = 0;
    switch (q->op) {
    case CT__OP_reduce:
        *bytes = ct__scalar_body_bytes(q, (size_t)q->attrs->reduce.n_inputs);
        return true;
    case CT__OP_reduce_window: return ct__reduce_window_scratch(q, bytes);
    case CT__OP_convolution: return ct__convolution_scratch(q, bytes);
    case CT__OP_select_and_scatter: return ct__select_and_scatter_scratch(q, bytes);
    case CT__OP_fft: return ct__fft_scratch(q, bytes);
    case CT__OP_cholesky: return ct__cholesky_scratch(q, bytes);
    case CT__OP_triangular_solve: return ct__triangular_solve_scratch(q, bytes);
    case CT__OP_sort: return ct__sort_scratch(q, bytes);
    case CT__OP_top_k: return ct__top_k_scratch(q, bytes);
    case CT__OP_scatter:
        *bytes = ct__scalar_body_bytes(q, (size_t)q->attrs->scatter.n_inputs);
        return true;
    case CT__OP_dot_general:
        if (!ct__dot_begin(q, &dot))
            return false;
        *bytes = dot.scratch_bytes;
        return true;
    case CT__OP_scan:
        if (!ct__scan_layout(q, &scan))
            return false;
        *bytes = scan.scratch_bytes;
        return true;
    default: return true;
    }
}
