#include "tests/fuzz/programs/menu.h"

enum { ON_ELEMENTS = 1, ON_VALUES = 2, IN_SMOOTH = 4, IN_LINEAR = 8 };

typedef struct entry {
    maker *make;
    unsigned char weight, where;
} entry;

static const entry menu[] = {
    {make_elementwise, 60, ON_ELEMENTS | ON_VALUES | IN_SMOOTH | IN_LINEAR},
    {make_any_elementwise, 40, ON_ELEMENTS | ON_VALUES},
    {make_convert, 20, ON_ELEMENTS | ON_VALUES},
    {make_compare, 14, ON_ELEMENTS | ON_VALUES | IN_SMOOTH | IN_LINEAR},
    {make_select, 14, ON_ELEMENTS | ON_VALUES | IN_SMOOTH | IN_LINEAR},
    {make_clamp, 6, ON_ELEMENTS | ON_VALUES},
    {make_reduce_precision, 3, ON_ELEMENTS | ON_VALUES},
    {make_bitcast, 4, ON_VALUES},
    {make_broadcast, 18, ON_VALUES | IN_SMOOTH | IN_LINEAR},
    {make_reshape, 12, ON_VALUES | IN_SMOOTH | IN_LINEAR},
    {make_transpose, 12, ON_VALUES | IN_SMOOTH | IN_LINEAR},
    {make_slice, 10, ON_VALUES | IN_SMOOTH | IN_LINEAR},
    {make_pad, 10, ON_VALUES | IN_SMOOTH | IN_LINEAR},
    {make_concatenate, 10, ON_VALUES | IN_SMOOTH | IN_LINEAR},
    {make_reverse, 5, ON_VALUES | IN_SMOOTH | IN_LINEAR},
    {make_iota, 3, ON_VALUES},
    {make_reduce, 24, ON_VALUES | IN_SMOOTH | IN_LINEAR},
    {make_dot, 20, ON_VALUES | IN_SMOOTH | IN_LINEAR},
    {make_dynamic_slice, 9, ON_VALUES | IN_SMOOTH | IN_LINEAR},
    {make_dynamic_update, 9, ON_VALUES | IN_SMOOTH | IN_LINEAR},
    {make_gather, 10, ON_VALUES | IN_SMOOTH | IN_LINEAR},
    {make_scatter, 10, ON_VALUES | IN_SMOOTH | IN_LINEAR},
    {make_reduce_window, 8, ON_VALUES | IN_SMOOTH | IN_LINEAR},
    {make_select_and_scatter, 4, ON_VALUES | IN_SMOOTH},
    {make_sort, 7, ON_VALUES | IN_SMOOTH},
    {make_top_k, 4, ON_VALUES | IN_SMOOTH},
    {make_map, 6, ON_VALUES | IN_SMOOTH},
    {make_convolution, 8, ON_VALUES | IN_SMOOTH | IN_LINEAR},
    {make_ragged_dot, 4, ON_VALUES | IN_SMOOTH},
    {make_fft, 4, ON_VALUES},
    {make_cholesky, 3, ON_VALUES},
    {make_solve, 3, ON_VALUES},
    {make_batch_norm, 4, ON_VALUES},
    {make_random_bits, 2, ON_VALUES},
    {make_if, 9, ON_ELEMENTS | ON_VALUES | IN_SMOOTH | IN_LINEAR},
    {make_case, 5, ON_VALUES | IN_SMOOTH | IN_LINEAR},
    {make_while, 6, ON_VALUES | IN_SMOOTH | IN_LINEAR},
    {make_for, 6, ON_VALUES | IN_SMOOTH | IN_LINEAR},
    {make_scan, 9, ON_VALUES | IN_SMOOTH | IN_LINEAR},
    {make_call, 5, ON_VALUES | IN_SMOOTH | IN_LINEAR},
    {make_barrier, 3, ON_VALUES | IN_SMOOTH | IN_LINEAR},
    {make_tuple, 2, ON_VALUES | IN_SMOOTH | IN_LINEAR},
    {make_stack, 3, ON_VALUES | IN_SMOOTH | IN_LINEAR},
    {make_collective, 3, ON_VALUES},
    {make_token, 1, ON_VALUES | IN_SMOOTH | IN_LINEAR},
    {make_channel, 1, ON_VALUES},
    {make_rng, 1, ON_VALUES},
    {make_custom_call, 2, ON_VALUES},
    {make_custom_rule, 3, ON_VALUES | IN_SMOOTH | IN_LINEAR},
    {make_quantize, 5, ON_VALUES},
    {make_dequantize, 4, ON_VALUES},
    {make_quantized_elementwise, 3, ON_VALUES},
    {make_quantized_dot, 1, ON_VALUES},
    {make_quantized_move, 3, ON_VALUES},
    {make_quantized_body, 2, ON_VALUES},
};

static uint32_t weight_of(const generator *g, const entry *e)
{
    const unsigned needed = (g->on_elements ? ON_ELEMENTS : ON_VALUES) |
                            (g->style == STYLE_SMOOTH ? IN_SMOOTH : 0U) |
                            (g->style == STYLE_LINEAR ? IN_LINEAR : 0U);

    return (e->where & needed) == needed ? e->weight : 0;
}

maker *menu_maker(generator *g)
{
    const size_t n = sizeof menu / sizeof *menu;
    uint32_t all = 0;

    for (size_t i = 0; i < n; i++)
        all += weight_of(g, &menu[i]);
    uint32_t at = choose(g->c, all);
    for (size_t i = 0;; i++) {
        const uint32_t weight = weight_of(g, &menu[i]);
        if (at < weight)
            return menu[i].make;
        at -= weight;
    }
}
