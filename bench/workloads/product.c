/* Products of matrices, and a convolution. */
#include "workload.h"

static ct_tensor *product(const ct_list *p)
{
    return ct_matmul(p->item[0], p->item[1]);
}

static ct_tensor *product_tanh(const ct_list *p)
{
    return total(ct_tanh(ct_matmul(p->item[0], p->item[1])));
}

/* x [batch, feature, row, column], kernel [out, in, row, column], as many zeros around as keep the
 * extents. */
static ct_tensor *convolve(const ct_list *p)
{
    return ct_op_convolution(p->item[0], p->item[1],
                             &(ct_convolution_dims){.window_strides = CT_DIMS(1, 1),
                                                    .padding_low = CT_DIMS(1, 1),
                                                    .padding_high = CT_DIMS(1, 1),
                                                    .lhs_dilation = CT_DIMS(1, 1),
                                                    .rhs_dilation = CT_DIMS(1, 1),
                                                    .window_reversal = CT_DIMS(0, 0),
                                                    .input_batch_dimension = 0,
                                                    .input_feature_dimension = 1,
                                                    .input_spatial_dimensions = CT_DIMS(2, 3),
                                                    .kernel_output_feature_dimension = 0,
                                                    .kernel_input_feature_dimension = 1,
                                                    .kernel_spatial_dimensions = CT_DIMS(2, 3),
                                                    .output_batch_dimension = 0,
                                                    .output_feature_dimension = 1,
                                                    .output_spatial_dimensions = CT_DIMS(2, 3),
                                                    .feature_group_count = 1,
                                                    .batch_group_count = 1,
                                                    .dtype = CT_F32});
}

#define SQUARES(n) NORMALS(n, n), NORMALS(n, n)
#define IMAGES NORMALS(32, 16, 32, 32), NORMALS(32, 16, 3, 3)

workload_list product_workloads(void)
{
    static const workload rows[] = {
        {.name = "matmul_16", .code = product, .input = {SQUARES(16)}},
        {.name = "matmul_64", .code = product, .input = {SQUARES(64)}},
        {.name = "matmul_256", .code = product, .input = {SQUARES(256)}},
        {.name = "matmul_1024", .code = product, .input = {SQUARES(1024)}},
        {.name = "matmul_512_tanh",
         .mode = GRADIENT,
         .n_wrt = 2,
         .code = product_tanh,
         .input = {SQUARES(512)}},
        {.name = "bmm_4096x8x8",
         .code = product,
         .input = {NORMALS(4096, 8, 8), NORMALS(4096, 8, 8)}},
        {.name = "conv_32x16x32x32_k3_32", .code = convolve, .input = {IMAGES}},
        {.name = "conv_32x16x32x32_k3_32",
         .mode = VJP,
         .n_wrt = 2,
         .code = convolve,
         .input = {IMAGES}},
    };
    return WORKLOADS(rows);
}
