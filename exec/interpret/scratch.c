/* What meanings ask for beside their operands and results. */
#include "exec/interpret/interpret.h"

/* One line per operation that asks for something. */
static bool (*const scratch_of[CT__OP_COUNT])(const ct__eval *, size_t *) = {
    [CT__OP_batch_norm_grad] = ct__batch_norm_scratch,
    [CT__OP_batch_norm_inference] = ct__batch_norm_scratch,
    [CT__OP_batch_norm_training] = ct__batch_norm_scratch,
    [CT__OP_call] = ct__call_scratch,
    [CT__OP_case] = ct__call_scratch,
    [CT__OP_composite] = ct__call_scratch,
    [CT__OP_custom_rule] = ct__call_scratch,
    [CT__OP_dot_general] = ct__dot_scratch,
    [CT__OP_for] = ct__for_scratch,
    [CT__OP_if] = ct__call_scratch,
    [CT__OP_map] = ct__map_scratch,
    [CT__OP_ragged_dot] = ct__ragged_dot_scratch,
    [CT__OP_reduce] = ct__reduce_scratch,
    [CT__OP_reduce_window] = ct__reduce_window_scratch,
    [CT__OP_scan] = ct__scan_scratch,
    [CT__OP_scatter] = ct__scatter_scratch,
    [CT__OP_sort] = ct__sort_scratch,
    [CT__OP_top_k] = ct__top_k_scratch,
    [CT__OP_while] = ct__while_scratch,
    [CT__OP_convolution] = ct__convolution_scratch,
    [CT__OP_select_and_scatter] = ct__select_and_scatter_scratch,
    [CT__OP_fft] = ct__fft_scratch,
    [CT__OP_cholesky] = ct__cholesky_scratch,
    [CT__OP_triangular_solve] = ct__triangular_solve_scratch,
};

bool ct__scratch_bytes(const ct__eval *q, size_t *bytes)
{
    *bytes = 0;
    if (q->real_type)
        return ct__reals_scratch(q, bytes);
    return !scratch_of[q->op] || scratch_of[q->op](q, bytes);
}
