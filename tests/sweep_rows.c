/* Rows of the sweep: elementwise operations with attributes, choosing, making, moving, indexing. */
#include "tests/sweep.h"

#include <cotangent/tensor.h>

/* ---- Elementwise. */

static void convert(sweep *s)
{
    ct_tensor *x = sweep_x(s);

    for (int dtype = CT_BOOL; dtype < CT_DTYPE_COUNT; dtype++)
        sweep_give(s, ct_op_convert(x, (ct_dtype)dtype));
}

static void parts(sweep *s)
{
    ct_tensor *x = sweep_x(s);

    sweep_give(s, ct_op_real(x));
    sweep_give(s, ct_op_imag(x));
}

static void complex_numbers(sweep *s)
{
    ct_tensor *x = sweep_x(s), *y = sweep_x(s);

    sweep_give(s, ct_op_complex(x, y));
}

/* As bits of the same width, and as the narrower ones that have an axis of their own, and back. */
static void bits(sweep *s)
{
    static const ct_dtype unsigned_of[] = {
        [2] = CT_U2, [4] = CT_U4, [8] = CT_U8, [16] = CT_U16, [32] = CT_U32, [64] = CT_U64};
    const unsigned width = ct__dtype_bits(s->dtype);
    ct_tensor *x = sweep_x(s);

    sweep_give(s, ct_op_bitcast_convert(x, s->dtype));
    if (ct_dtype_is_complex(s->dtype) || width > 64 || unsigned_of[width] == CT_INVALID_DTYPE)
        return;
    sweep_give(s, ct_op_bitcast_convert(x, unsigned_of[width]));
    if (width < 8)
        return;
    ct_tensor *nibbles = ct_op_bitcast_convert(x, CT_U4);
    sweep_give(s, nibbles);
    sweep_give(s, ct_op_bitcast_convert(nibbles, s->dtype));
}

static void reduce_precision(sweep *s)
{
    ct_tensor *x = sweep_x(s);

    sweep_give(s, ct_op_reduce_precision(x, 5, 2));
    sweep_give(s, ct_op_reduce_precision(x, 1, 0));
}

static void quantization(sweep *s)
{
    static const double scale[] = {0.5};
    static const int64_t zero_point[] = {3};
    const ct_quantization q = {.storage = CT_I8,
                               .expressed = s->dtype,
                               .axis = -1,
                               .count = 1,
                               .scale = scale,
                               .zero_point = zero_point};
    ct_tensor *x = ct_op_uniform_quantize(sweep_x(s), q);
    ct_tensor *stored = ct_op_bitcast_convert(x, CT_I8);

    sweep_give(s, ct_op_uniform_dequantize(x));
    sweep_give(s, stored);
    sweep_give(s, ct_op_uniform_dequantize(ct_op_bitcast_quantize(stored, q)));
}

/* ---- Choosing. */

static void compare(sweep *s)
{
    ct_tensor *x = sweep_x(s), *y = sweep_x(s);

    for (int direction = CT_EQ; direction <= CT_LT; direction++)
        sweep_give(s, ct_op_compare(x, y, (ct_comparison)direction, CT_COMPARE_DEFAULT));
    if (ct_dtype_is_float(s->dtype))
        sweep_give(s, ct_op_compare(x, y, CT_LE, CT_COMPARE_TOTALORDER));
}

static void choose(sweep *s)
{
    ct_tensor *x = sweep_x(s), *y = sweep_x(s);

    sweep_give(s, ct_op_select(sweep_in(s, CT_BOOL, s->shape), x, y));
    sweep_give(s, ct_op_select(sweep_in(s, CT_BOOL, CT_SHAPE()), x, y));
}

static void clamp(sweep *s)
{
    ct_tensor *lo = sweep_element(s), *x = sweep_x(s), *hi = sweep_x(s);

    sweep_give(s, ct_op_clamp(lo, x, hi));
    sweep_give(s, ct_op_clamp(lo, x, lo));
}

/* ---- Making. */

static void constant(sweep *s)
{
    sweep_give(s, ct_ones(s->ctx, s->dtype, s->shape));
    sweep_give(s, ct_op_multiply(ct_ones(s->ctx, s->dtype, s->shape), sweep_x(s)));
}

static void iota(sweep *s)
{
    for (size_t d = 0; d < s->shape.count; d++)
        sweep_give(s, ct_op_iota(s->ctx, s->dtype, s->shape, (int64_t)d));
}

/* ---- Moving. */

static void broadcast(sweep *s)
{
    ct_dims axes = sweep_all_axes(s);
    int64_t behind[6];

    for (size_t d = 0; d < axes.count; d++)
        behind[d] = axes.dim[d] + 1;
    sweep_give(
        s, ct_op_broadcast_in_dim(sweep_x(s), sweep_stacked(s, 2), (ct_dims){axes.count, behind}));
}

static void concatenate(sweep *s)
{
    ct_tensor *x = sweep_x(s), *y = sweep_x(s);

    for (size_t d = 0; d < s->shape.count; d++)
        sweep_give(s, ct_op_concatenate(CT_ARGV(x, y, x), (int64_t)d));
}

static void pad(sweep *s)
{
    ct_tensor *x = sweep_x(s), *value = sweep_element(s);

    sweep_give(s, ct_op_pad(x, value, sweep_each(s, 1), sweep_each(s, 0), sweep_each(s, 1)));
    sweep_give(s, ct_op_pad(x, value, sweep_each(s, 2), sweep_each(s, -1), sweep_each(s, 0)));
}

static void reshape(sweep *s)
{
    ct_tensor *x = sweep_x(s);

    sweep_give(s, ct_op_reshape(x, CT_DIMS(ct_size(x))));
    sweep_give(s, ct_op_reshape(x, sweep_stacked(s, 1)));
}

static void reverse(sweep *s)
{
    sweep_give(s, ct_op_reverse(sweep_x(s), sweep_all_axes(s)));
}

static void slice(sweep *s)
{
    ct_tensor *x = sweep_x(s);

    sweep_give(s, ct_op_slice(x, sweep_each(s, 0), s->shape, sweep_each(s, 2)));
    sweep_give(s, ct_op_slice(x, s->shape, s->shape, sweep_each(s, 1)));
}

static void transpose(sweep *s)
{
    const size_t rank = s->shape.count;
    int64_t cycle[6];

    for (size_t d = 0; d < rank; d++)
        cycle[d] = (int64_t)((d + 1) % rank);
    sweep_give(s, ct_op_transpose(sweep_x(s), (ct_dims){rank, cycle}));
}

/* ---- Indexing. */

/* The first axis, if there is one, holds rows. */
static size_t row_axes(const sweep *s)
{
    return s->shape.count > 0;
}

static void dynamic_windows(sweep *s)
{
    ct_tensor *x = sweep_x(s), *start[6];
    int64_t half[6];

    for (size_t d = 0; d < s->shape.count; d++) {
        half[d] = s->shape.dim[d] / 2 + s->shape.dim[d] % 2;
        start[d] = sweep_in(s, CT_I8, CT_SHAPE());
    }
    const ct_list starts = {s->shape.count, start};
    const ct_shape sizes = {s->shape.count, half};
    sweep_give(s, ct_op_dynamic_slice(x, starts, sizes, false));
    sweep_give(s, ct_op_dynamic_update_slice(x, sweep_in(s, s->dtype, sizes), starts, false));
}

static void gather(sweep *s)
{
    const size_t rank = s->shape.count, rows = row_axes(s);
    int64_t sizes[6], offset[6];

    for (size_t d = 0; d < rank; d++) {
        sizes[d] = d > 0 ? s->shape.dim[d] : 1;
        offset[d] = (int64_t)d + 1;
    }
    const ct_gather_dims dims = {.offset_dims = {rank - rows, offset},
                                 .collapsed_slice_dims = {rows, (const int64_t[]){0}},
                                 .start_index_map = {rows, (const int64_t[]){0}},
                                 .index_vector_dim = 1,
                                 .slice_sizes = {rank, sizes}};
    ct_tensor *x = sweep_x(s), *indices = sweep_in(s, CT_U16, CT_SHAPE(4, (int64_t)rows));
    sweep_give(s, ct_op_gather(x, indices, &dims));
}

static void scatter(sweep *s)
{
    const size_t rank = s->shape.count, rows = row_axes(s);
    int64_t window[6], shape[6] = {4};

    for (size_t d = 0; d < rank; d++) {
        window[d] = (int64_t)d + 1;
        shape[d] = d > 0 ? s->shape.dim[d] : 4;
    }
    const ct_scatter_dims dims = {.update_window_dims = {rank - rows, window},
                                  .inserted_window_dims = {rows, (const int64_t[]){0}},
                                  .scatter_dims_to_operand_dims = {rows, (const int64_t[]){0}},
                                  .index_vector_dim = 1};
    ct_tensor *x = sweep_x(s), *indices = sweep_in(s, CT_I64, CT_SHAPE(4, (int64_t)rows));
    ct_tensor *update = sweep_in(s, s->dtype, (ct_shape){rank > 0 ? rank : 1, shape});
    sweep_give(s, ct_op_scatter(x, indices, update, NULL, &dims));
    sweep_give(s, ct_op_scatter_add(x, indices, update, &dims));
}

/* ---- */

static const ct_dtype parts_of_complex[] = {CT_F32, CT_F64, CT_INVALID_DTYPE};
static const ct_dtype expressed[] = {CT_F16, CT_BF16, CT_F32, CT_F64, CT_INVALID_DTYPE};

const sweep_row sweep_rows[] = {
    {"convert", convert, SWEEP_ALL, CT__ANY, NULL, SWEEP_RUNS},
    {"real, imag", parts, SWEEP_ALL, CT__FLOATS | CT__COMPLEXES, NULL, SWEEP_RUNS},
    {"complex", complex_numbers, SWEEP_ALL, CT__FLOATS, parts_of_complex, SWEEP_RUNS},
    {"bitcast_convert", bits, SWEEP_ALL, CT__ANY, NULL, SWEEP_RUNS},
    {"reduce_precision", reduce_precision, SWEEP_ALL, CT__FLOATS, NULL, SWEEP_RUNS},
    {"quantization", quantization, SWEEP_ALL, CT__FLOATS, expressed, SWEEP_RUNS},
    {"compare", compare, SWEEP_ALL, CT__ANY, NULL, SWEEP_RUNS},
    {"select", choose, SWEEP_ALL, CT__ANY, NULL, SWEEP_RUNS},
    {"clamp", clamp, SWEEP_ALL, CT__ANY, NULL, SWEEP_RUNS},
    {"constant", constant, SWEEP_ALL, CT__ANY, NULL, SWEEP_RUNS},
    {"iota", iota, SWEEP_AXES, CT__INTS | CT__FLOATS | CT__COMPLEXES, NULL, SWEEP_RUNS},
    {"broadcast_in_dim", broadcast, SWEEP_ALL, CT__ANY, NULL, SWEEP_RUNS},
    {"concatenate", concatenate, SWEEP_AXES, CT__ANY, NULL, SWEEP_RUNS},
    {"pad", pad, SWEEP_ALL, CT__ANY, NULL, SWEEP_RUNS},
    {"reshape", reshape, SWEEP_ALL, CT__ANY, NULL, SWEEP_RUNS},
    {"reverse", reverse, SWEEP_ALL, CT__ANY, NULL, SWEEP_RUNS},
    {"slice", slice, SWEEP_ALL, CT__ANY, NULL, SWEEP_RUNS},
    {"transpose", transpose, SWEEP_ALL, CT__ANY, NULL, SWEEP_RUNS},
    {"dynamic_slice", dynamic_windows, SWEEP_ALL, CT__ANY, NULL, SWEEP_RUNS},
    {"gather", gather, SWEEP_ALL, CT__ANY, NULL, SWEEP_RUNS},
    {"scatter", scatter, SWEEP_ALL, CT__ANY, NULL, SWEEP_RUNS},
};
const size_t n_sweep_rows = sizeof sweep_rows / sizeof *sweep_rows;
