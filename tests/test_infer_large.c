/* Type inference of the large primitives: result types, and every numbered constraint broken
 * alone. */
#include "tests/check.h"
#include "tests/infer.h"

#include <cotangent/op_large.h>

#define BIG INT64_C(4611686018427387904)

/* ---- convolution of x f32[2,6,7,4] and kernel f32[2,3,2,6], two groups of features. The first
 * fifteen members have the order of the struct; designators may change any. */

#define X "f32[2,6,7,4] f32[2,3,2,6]"
#define CONV_MEMBERS                                                                               \
    L(1, 1), L(0, 0), L(0, 0), L(1, 1), L(1, 1), L(0, 0), 0, 3, L(1, 2), 2, 3, L(0, 1), 0, 3,      \
        L(1, 2)
#define CONV(...)                                                                                  \
    {                                                                                              \
        .convolution = { CONV_MEMBERS, 2, 1, CT_INVALID_DTYPE, NULL, __VA_ARGS__ }                 \
    }
#define BATCHES(...)                                                                               \
    {                                                                                              \
        .convolution = { CONV_MEMBERS, 1, 2, CT_INVALID_DTYPE, NULL, __VA_ARGS__ }                 \
    }
#define POINTS(groups, batches)                                                                    \
    {                                                                                              \
        .convolution = {                                                                           \
            L(),                                                                                   \
            L(),                                                                                   \
            L(),                                                                                   \
            L(),                                                                                   \
            L(),                                                                                   \
            L(),                                                                                   \
            0,                                                                                     \
            1,                                                                                     \
            L(),                                                                                   \
            1,                                                                                     \
            0,                                                                                     \
            L(),                                                                                   \
            0,                                                                                     \
            1,                                                                                     \
            L(),                                                                                   \
            groups,                                                                                \
            batches,                                                                               \
            CT_INVALID_DTYPE,                                                                      \
            NULL                                                                                   \
        }                                                                                          \
    }

/* Members are replaced on purpose. */
#if defined(__clang__)
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Winitializer-overrides"
#else
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Woverride-init"
#endif
static const infer_case convolutions[] = {
    GOOD(convolution, X, "f32[2,5,5,6]", CONV(.precision_config = NULL)),
    GOOD(convolution, X, "f32[2,3,2,6]", CONV(.window_strides = L(2, 3))),
    GOOD(convolution, X, "f32[2,8,3,6]", CONV(.padding_low = L(1, -1), .padding_high = L(2, -1))),
    GOOD(convolution, X, "f32[2,10,17,6]", CONV(.lhs_dilation = L(2, 3))),
    GOOD(convolution, X, "f32[2,3,1,6]", CONV(.rhs_dilation = L(3, 3))),
    GOOD(convolution, X, "f32[2,4,0,6]", CONV(.rhs_dilation = L(2, 4))),
    GOOD(convolution, X, "f32[2,5,5,6]", CONV(.window_reversal = L(1, 0))),
    GOOD(convolution, X, "f32[5,2,6,5]",
         CONV(.output_batch_dimension = 1, .output_feature_dimension = 2,
              .output_spatial_dimensions = L(3, 0))),
    GOOD(convolution, X, "i64[2,5,5,6]", CONV(.dtype = CT_I64)),
    GOOD(convolution, X, "f32[2,5,5,6]", CONV(.precision_config = "HIGHEST, DEFAULT")),
    GOOD(convolution, "f32[6,6,7,2] f32[2,3,2,4]", "f32[3,5,5,4]", BATCHES(.dtype = CT_F32)),
    GOOD(convolution, "bool[2,3] bool[5,3]", "bool[2,5]", POINTS(1, 1)),
    GOOD(convolution, "c64[2,6] c64[4,3]", "c64[2,4]", POINTS(2, 1)),
    GOOD(convolution, "f32[0,6,7,4] f32[2,3,2,6]", "f32[0,5,5,6]", CONV(.dtype = CT_F32)),
    GOOD(convolution, "f32[2,0,7,4] f32[2,3,2,6]", "f32[2,0,5,6]", CONV(.dtype = CT_F32)),
    GOOD(convolution, "f32[2,0,7,4] f32[2,3,2,0]", "f32[2,0,5,0]", CONV(.dtype = CT_F32)),
    GOOD(convolution, "f32[2,6,7,0] f32[2,3,0,6]", "f32[2,5,5,6]", CONV(.dtype = CT_F32)),
    BAD(convolution, "f32[2] f32[2]", SHAPE, "x must have a batch and a feature axis, got f32[2]",
        POINTS(1, 1)), /* C1 */
    BAD(convolution, "f32[2,6,7,4] f32[2,3,2]", SHAPE,
        "x and kernel must have one rank, got f32[2,6,7,4] and f32[2,3,2]",
        CONV(.dtype = CT_F32)), /* C1 */
    BAD(convolution, X, SHAPE,
        "window_strides = [1] must have one entry per spatial axis of x: f32[2,6,7,4]",
        CONV(.window_strides = L(1))), /* C2 */
    BAD(convolution, X, SHAPE, "window_strides[1] = 0 must be positive",
        CONV(.window_strides = L(1, 0))), /* C3 */
    BAD(convolution, X, SHAPE,
        "padding_low = [0, 0, 0] must have one entry per spatial axis of x: f32[2,6,7,4]",
        CONV(.padding_low = L(0, 0, 0))), /* C4 */
    BAD(convolution, X, SHAPE,
        "padding_high = [] must have one entry per spatial axis of x: f32[2,6,7,4]",
        CONV(.padding_high = L())), /* C4 */
    BAD(convolution, X, SHAPE,
        "lhs_dilation = [2] must have one entry per spatial axis of x: f32[2,6,7,4]",
        CONV(.lhs_dilation = L(2))), /* C5 */
    BAD(convolution, X, SHAPE, "lhs_dilation[0] = 0 must be positive",
        CONV(.lhs_dilation = L(0, 1))), /* C6 */
    BAD(convolution, X, SHAPE,
        "rhs_dilation = [2] must have one entry per spatial axis of x: f32[2,6,7,4]",
        CONV(.rhs_dilation = L(2))), /* C7 */
    BAD(convolution, X, SHAPE, "rhs_dilation[0] = -1 must be positive",
        CONV(.rhs_dilation = L(-1, 1))), /* C8 */
    BAD(convolution, X, SHAPE,
        "window_reversal = [0] must have one entry per spatial axis of x: f32[2,6,7,4]",
        CONV(.window_reversal = L(0))), /* C9 */
    BAD(convolution, X, ARGUMENT, "window_reversal[1] = 2 must be 0 or 1",
        CONV(.window_reversal = L(0, 2))), /* C9 */
    BAD(convolution, "f32[5,6,7,2] f32[2,3,2,6]", SHAPE,
        "batch_group_count = 2 must divide the extent of axis input_batch_dimension = 0 of x: "
        "f32[5,6,7,2]",
        BATCHES(.dtype = CT_F32)), /* C10 */
    BAD(convolution, "f32[2,6,7,5] f32[2,3,2,6]", SHAPE,
        "feature_group_count = 2 must divide the extent of axis input_feature_dimension = 3 of x: "
        "f32[2,6,7,5]",
        CONV(.dtype = CT_F32)), /* C11 */
    BAD(convolution, X, SHAPE,
        "input_spatial_dimensions = [1] must have one entry per spatial axis of x: f32[2,6,7,4]",
        CONV(.input_spatial_dimensions = L(1))), /* C12 */
    BAD(convolution, X, SHAPE, "input_batch_dimension = 4 must be an axis in [0, 4)",
        CONV(.input_batch_dimension = 4)), /* C13 */
    BAD(convolution, X, SHAPE, "input_feature_dimension = -1 must be an axis in [0, 4)",
        CONV(.input_feature_dimension = -1)), /* C13 */
    BAD(convolution, X, SHAPE, "input_spatial_dimensions[1] = 4 must be an axis in [0, 4)",
        CONV(.input_spatial_dimensions = L(1, 4))), /* C13 */
    BAD(convolution, X, SHAPE, "input_spatial_dimensions = [1, 1] must not name axis 1 twice",
        CONV(.input_spatial_dimensions = L(1, 1))), /* C13 */
    BAD(convolution, X, SHAPE,
        "input_batch_dimension and input_feature_dimension must not both name axis 3",
        CONV(.input_batch_dimension = 3)), /* C13 */
    BAD(convolution, X, SHAPE,
        "input_spatial_dimensions = [1, 2] must not name input_batch_dimension = 1",
        CONV(.input_batch_dimension = 1)), /* C13 */
    BAD(convolution, "f32[2,6,7,4] f32[2,3,3,6]", SHAPE,
        "axis kernel_input_feature_dimension = 2 of kernel: f32[2,3,3,6] must have the extent of "
        "axis input_feature_dimension = 3 of x: f32[2,6,7,4], divided by feature_group_count = 2",
        CONV(.dtype = CT_F32)), /* C14 */
    BAD(convolution, "f32[4,6,7,2] f32[2,3,2,5]", SHAPE,
        "batch_group_count = 2 must divide the extent of axis kernel_output_feature_dimension = 3 "
        "of kernel: f32[2,3,2,5]",
        BATCHES(.dtype = CT_F32)), /* C15 */
    BAD(convolution, "f32[2,6,7,4] f32[2,3,2,5]", SHAPE,
        "feature_group_count = 2 must divide the extent of axis kernel_output_feature_dimension = "
        "3 of kernel: f32[2,3,2,5]",
        CONV(.dtype = CT_F32)), /* C16 */
    BAD(convolution, X, SHAPE,
        "kernel_spatial_dimensions = [] must have one entry per spatial axis of x: f32[2,6,7,4]",
        CONV(.kernel_spatial_dimensions = L())), /* C17 */
    BAD(convolution, X, SHAPE, "kernel_output_feature_dimension = 9 must be an axis in [0, 4)",
        CONV(.kernel_output_feature_dimension = 9)), /* C18 */
    BAD(convolution, X, SHAPE,
        "kernel_spatial_dimensions = [0, 1] must not name kernel_input_feature_dimension = 1",
        CONV(.kernel_input_feature_dimension = 1)), /* C18 */
    BAD(convolution, X, SHAPE,
        "output_spatial_dimensions = [1, 2, 3] must have one entry per spatial axis of x: "
        "f32[2,6,7,4]",
        CONV(.output_spatial_dimensions = L(1, 2, 3))), /* C19 */
    BAD(convolution, X, SHAPE,
        "output_batch_dimension and output_feature_dimension must not both name axis 0",
        CONV(.output_feature_dimension = 0)), /* C20 */
    BAD(convolution, X, SHAPE, "output_spatial_dimensions[0] = -1 must be an axis in [0, 4)",
        CONV(.output_spatial_dimensions = L(-1, 2))), /* C20 */
    BAD(convolution, X, SHAPE, "feature_group_count = 0 must be positive",
        CONV(.feature_group_count = 0)), /* C21 */
    BAD(convolution, X, SHAPE, "batch_group_count = -2 must be positive",
        CONV(.batch_group_count = -2)), /* C22 */
    BAD(convolution, X, SHAPE,
        "feature_group_count = 2 and batch_group_count = 2 must not both be above 1",
        CONV(.batch_group_count = 2)), /* C23 */
    BAD(convolution, X, ARGUMENT, "precision_config = [HIGH] must have two entries, got 1",
        CONV(.precision_config = "HIGH")), /* C24 */
    BAD(convolution, X, ARGUMENT,
        "precision_config = [HIGH, LOW] must name DEFAULT, HIGH or HIGHEST",
        CONV(.precision_config = "HIGH, LOW")), /* C24 */
    BAD(convolution, "f32[2,6,7,4] f32[2,0,2,6]", SHAPE,
        "axis kernel_spatial_dimensions[1] = 1 of kernel: f32[2,0,2,6] must not be empty",
        CONV(.dtype = CT_F32)), /* C25 */
    BAD(convolution, "f32[2,6,7,4] f64[2,3,2,6]", TYPE,
        "x and kernel must have one dtype, got f32[2,6,7,4] and f64[2,3,2,6]",
        CONV(.dtype = CT_F32)), /* C27 */
    BAD(convolution, X, TYPE, "dtype = 99 must be an element type", CONV(.dtype = (ct_dtype)99)),
    BAD(convolution, X, RANGE, "the padded extent of axis 2 overflows",
        CONV(.lhs_dilation = L(1, BIG))),
    BAD(convolution, X, RANGE, "the window of axis 2 overflows", CONV(.rhs_dilation = L(1, BIG))),
    BAD(convolution, X, RANGE,
        "the result's shape [2, 4611686018427387909, 5, 6] has too many elements",
        CONV(.padding_low = L(BIG, 0))),
    BAD(convolution, "f32[2,3]", ARGUMENT, "takes 2 operands, got 1", POINTS(1, 1)),
};
#if defined(__clang__)
#pragma clang diagnostic pop
#else
#pragma GCC diagnostic pop
#endif

TEST(convolution_types)
{
    CHECK_CASES(convolutions);
}

/* ---- select_and_scatter of x f32[5] and source f32[2]. */

#define BODIES "f32[] f32[] -> bool[] | f32[] f32[] -> f32[]"
#define SELECT(size, stride, low, high)                                                            \
    {                                                                                              \
        .select_and_scatter = { size, stride, low, high }                                          \
    }
#define PAIRS SELECT(L(2), L(2), L(0), L(0))

static const infer_case selections[] = {
    GOOD_BODY(select_and_scatter, "f32[5] f32[2] f32[]", BODIES, "f32[5]", PAIRS), /* C11, C12 */
    GOOD_BODY(select_and_scatter, "f32[5] f32[5] f32[]", BODIES, "f32[5]",
              SELECT(L(3), L(1), L(1), L(1))),
    GOOD_BODY(select_and_scatter, "f32[5] f32[0] f32[]", BODIES, "f32[5]",
              SELECT(L(3), L(1), L(-1), L(-2))),
    GOOD_BODY(select_and_scatter, "f32[] f32[] f32[]", BODIES, "f32[]", SELECT(L(), L(), L(), L())),
    GOOD_BODY(select_and_scatter, "f32[5] f32[2] f32[] i32[7]",
              "f32[] f32[] i32[7] -> bool[] | f32[] f32[] i32[7] -> f32[]", "f32[5]", PAIRS),
    BAD_BODY(select_and_scatter, "f32[5] f64[2] f32[]", BODIES, TYPE,
             "x and source must have one dtype, got f32[5] and f64[2]", PAIRS), /* C1 */
    BAD_BODY(select_and_scatter, "f32[5] f32[3] f32[]", BODIES, SHAPE,
             "source must have one element per window, [2], got f32[3]", PAIRS), /* C2 */
    BAD_BODY(select_and_scatter, "f32[5] f32[2,1] f32[]", BODIES, SHAPE,
             "source must have one element per window, [2], got f32[2,1]", PAIRS), /* C2 */
    BAD_BODY(select_and_scatter, "f32[5] f32[2] f64[]", BODIES, TYPE,
             "x and init must have one dtype, got f32[5] and f64[]", PAIRS), /* C3 */
    BAD_BODY(select_and_scatter, "f32[5] f32[2] f32[1]", BODIES, SHAPE,
             "init must be a scalar, got f32[1]", PAIRS), /* C3 */
    BAD_BODY(select_and_scatter, "f32[5] f32[2] f32[]", BODIES, SHAPE,
             "window_dimensions = [2, 1] must have one entry per axis of x: f32[5]",
             SELECT(L(2, 1), L(2), L(0), L(0))), /* C4 */
    BAD_BODY(select_and_scatter, "f32[5] f32[2] f32[]", BODIES, SHAPE,
             "window_dimensions[0] = 0 must be positive", SELECT(L(0), L(2), L(0), L(0))), /* C5 */
    BAD_BODY(select_and_scatter, "f32[5] f32[2] f32[]", BODIES, SHAPE,
             "window_strides = [] must have one entry per axis of x: f32[5]",
             SELECT(L(2), L(), L(0), L(0))), /* C6 */
    BAD_BODY(select_and_scatter, "f32[5] f32[2] f32[]", BODIES, SHAPE,
             "window_strides[0] = -2 must be positive", SELECT(L(2), L(-2), L(0), L(0))), /* C7 */
    BAD_BODY(select_and_scatter, "f32[5] f32[2] f32[]", BODIES, SHAPE,
             "padding_low = [] must have one entry per axis of x: f32[5]",
             SELECT(L(2), L(2), L(), L(0))), /* C8 */
    BAD_BODY(select_and_scatter, "f32[5] f32[2] f32[]", BODIES, SHAPE,
             "padding_high = [0, 0] must have one entry per axis of x: f32[5]",
             SELECT(L(2), L(2), L(0), L(0, 0))), /* C8 */
    BAD_BODY(select_and_scatter, "f32[5] f32[2] f32[]", "f32[] -> bool[] | f32[] f32[] -> f32[]",
             ARGUMENT, "select must take 2 values, not 1", PAIRS), /* C9 */
    BAD_BODY(select_and_scatter, "f32[5] f32[2] f32[]",
             "f32[] f32[] -> f32[] | f32[] f32[] -> f32[]", TYPE,
             "select must give bool[] as result 0, not f32[]", PAIRS), /* C9 */
    BAD_BODY(select_and_scatter, "f32[5] f32[2] f32[]",
             "f32[] f32[] -> bool[] | f32[] f64[] -> f32[]", TYPE,
             "scatter must take f32[] as parameter 1, not f64[]", PAIRS), /* C10 */
    BAD_BODY(select_and_scatter, "f32[5] f32[2] f32[]",
             "f32[] f32[] -> bool[] | f32[] f32[] -> f32[] f32[]", ARGUMENT,
             "scatter must give 1 value, not 2", PAIRS), /* C10 */
    BAD_BODY(select_and_scatter, "f32[5] f32[2] f32[]", "f32[] f32[] -> bool[]", ARGUMENT,
             "takes 2 bodies, got 1", PAIRS),
    BAD_BODY(select_and_scatter, "f32[5] f32[2] f32[]", BODIES, RANGE,
             "the padded extent of axis 0 overflows", SELECT(L(2), L(2), L(INT64_MAX), L(0))),
};

TEST(select_and_scatter_types)
{
    CHECK_CASES(selections);
}

/* ---- fft */

#define FFT(type, ...)                                                                             \
    {                                                                                              \
        .fft = { type, L(__VA_ARGS__) }                                                            \
    }

static const infer_case transforms[] = {
    GOOD(fft, "c64[3,5]", "c64[3,5]", FFT(CT_FFT, 5)),
    GOOD(fft, "c128[3,5]", "c128[3,5]", FFT(CT_IFFT, 3, 5)),
    GOOD(fft, "f32[3,5]", "c64[3,3]", FFT(CT_RFFT, 5)),
    GOOD(fft, "f64[3,4]", "c128[3,3]", FFT(CT_RFFT, 3, 4)),
    GOOD(fft, "f64[3,0]", "c128[3,0]", FFT(CT_RFFT, 0)),
    GOOD(fft, "f64[0,3]", "c128[0,2]", FFT(CT_RFFT, 3)),
    GOOD(fft, "c64[3,3]", "f32[3,5]", FFT(CT_IRFFT, 5)),
    GOOD(fft, "c128[2,3,3]", "f64[2,3,4]", FFT(CT_IRFFT, 2, 3, 4)),
    GOOD(fft, "c64[3,0]", "f32[3,0]", FFT(CT_IRFFT, 0)),
    GOOD(fft, "c64[1]", "f32[1]", FFT(CT_IRFFT, 1)),
    BAD(fft, "c64[5]", SHAPE, "fft_length = [1, 5] names more axes than x has: c64[5]",
        FFT(CT_FFT, 1, 5)),                                                                /* C1 */
    BAD(fft, "f32[5]", TYPE, "FFT takes a complex x, got f32[5]", FFT(CT_FFT, 5)),         /* C2 */
    BAD(fft, "f64[5]", TYPE, "IRFFT takes a complex x, got f64[5]", FFT(CT_IRFFT, 8)),     /* C2 */
    BAD(fft, "c64[5]", TYPE, "RFFT takes x of f32 or f64, got c64[5]", FFT(CT_RFFT, 5)),   /* C2 */
    BAD(fft, "bf16[5]", TYPE, "RFFT takes x of f32 or f64, got bf16[5]", FFT(CT_RFFT, 5)), /* C2 */
    BAD(fft, "c64[5]", SHAPE, "fft_length = [] must have one to three entries",
        FFT(CT_FFT, )), /* C3 */
    BAD(fft, "c64[1,1,1,5]", SHAPE, "fft_length = [1, 1, 1, 5] must have one to three entries",
        FFT(CT_FFT, 1, 1, 1, 5)), /* C3 */
    BAD(fft, "f32[3,5]", SHAPE,
        "fft_length[1] = 4 of RFFT asks for extent 4 of axis 1 of x: f32[3,5]",
        FFT(CT_RFFT, 3, 4)), /* C4 */
    BAD(fft, "c64[3,5]", SHAPE,
        "fft_length[0] = 4 of IFFT asks for extent 4 of axis 0 of x: c64[3,5]",
        FFT(CT_IFFT, 4, 5)), /* C4 */
    BAD(fft, "c64[3,5]", SHAPE,
        "fft_length[0] = 7 of IRFFT asks for extent 4 of axis 1 of x: c64[3,5]",
        FFT(CT_IRFFT, 7)), /* C5 */
    BAD(fft, "c64[3,1]", SHAPE,
        "fft_length[0] = 0 of IRFFT asks for extent 0 of axis 1 of x: c64[3,1]",
        FFT(CT_IRFFT, 0)), /* C5 */
    BAD(fft, "c64[3]", SHAPE, "fft_length[0] = -1 must not be negative", FFT(CT_FFT, -1)),
    BAD(fft, "c64[3]", ARGUMENT, "fft_type = 4 must lie in [0, 4)", FFT(4, 3)),
    BAD(fft, "i32[3]", TYPE, "x must be a float or complex, got i32[3]", FFT(CT_RFFT, 3)),
};

TEST(fft_types)
{
    CHECK_CASES(transforms);
}

/* ---- cholesky, triangular_solve */

#define LOWER                                                                                      \
    {                                                                                              \
        .cholesky = { true }                                                                       \
    }
#define SOLVE(left, op)                                                                            \
    {                                                                                              \
        .triangular_solve = { left, true, false, op }                                              \
    }

static const infer_case solves[] = {
    GOOD(cholesky, "f32[3,3]", "f32[3,3]", LOWER),                                        /* C1 */
    GOOD(cholesky, "c64[2,0,3,3]", "c64[2,0,3,3]", LOWER),                                /* C1 */
    BAD(cholesky, "f32[3]", SHAPE, "a must have at least two axes, got f32[3]", LOWER),   /* C2 */
    BAD(cholesky, "f32[2,3]", SHAPE, "a must hold square matrices, got f32[2,3]", LOWER), /* C3 */
    BAD(cholesky, "i32[3,3]", TYPE, "a must be a float or complex, got i32[3,3]", LOWER),
    GOOD(triangular_solve, "f32[3,3] f32[3,5]", "f32[3,5]", SOLVE(true, CT_NO_TRANSPOSE)), /* C4 */
    GOOD(triangular_solve, "f16[3,3] f16[5,3]", "f16[5,3]", SOLVE(false, CT_ADJOINT)),
    GOOD(triangular_solve, "c128[2,3,3] c128[2,3,0]", "c128[2,3,0]", SOLVE(true, CT_TRANSPOSE)),
    BAD(triangular_solve, "f32[3,3] f64[3,5]", TYPE,
        "a and b must have one dtype, got f32[3,3] and f64[3,5]", SOLVE(true, 0)), /* C1 */
    BAD(triangular_solve, "f32[3] f32[3]", SHAPE, "a must have at least two axes, got f32[3]",
        SOLVE(true, 0)), /* C2 */
    BAD(triangular_solve, "f32[3,3] f32[3]", SHAPE,
        "a and b must have one rank, got f32[3,3] and f32[3]", SOLVE(true, 0)), /* C2 */
    BAD(triangular_solve, "f32[3,4] f32[3,3]", SHAPE, "a must hold square matrices, got f32[3,4]",
        SOLVE(true, 0)), /* C3 */
    BAD(triangular_solve, "f32[2,3,3] f32[1,3,3]", SHAPE,
        "a and b must agree on axis 0, got f32[2,3,3] and f32[1,3,3]", SOLVE(true, 0)), /* C3 */
    BAD(triangular_solve, "f32[3,3] f32[5,3]", SHAPE,
        "a must meet the columns of b, got f32[3,3] and f32[5,3]", SOLVE(true, 0)), /* C3 */
    BAD(triangular_solve, "f32[3,3] f32[3,5]", SHAPE,
        "a must meet the rows of b, got f32[3,3] and f32[3,5]", SOLVE(false, 0)), /* C3 */
    BAD(triangular_solve, "f32[3,3] f32[3,5]", ARGUMENT, "transpose_a = 3 must lie in [0, 3)",
        SOLVE(true, 3)),
};

TEST(solving_types)
{
    CHECK_CASES(solves);
}

/* ---- rng, rng_bit_generator */

#define RNG(distribution, ...)                                                                     \
    {                                                                                              \
        .rng = { distribution, L(__VA_ARGS__) }                                                    \
    }
#define BITS(algorithm, dtype, ...)                                                                \
    {                                                                                              \
        .rng_bit_generator = { algorithm, dtype, L(__VA_ARGS__) }                                  \
    }

static const infer_case generators[] = {
    GOOD(rng, "f32[] f32[]", "f32[2,3]", RNG(CT_RNG_UNIFORM, 2, 3)), /* C3 */
    GOOD(rng, "bf16[] bf16[]", "bf16[]", RNG(CT_RNG_NORMAL, )),
    GOOD(rng, "bool[] bool[]", "bool[0]", RNG(CT_RNG_UNIFORM, 0)),
    BAD(rng, "f32[] f64[]", TYPE, "a and b must have one dtype, got f32[] and f64[]",
        RNG(CT_RNG_UNIFORM, 2)), /* C1 */
    BAD(rng, "f32[] f32[1]", SHAPE, "b must be a scalar, got f32[1]", RNG(CT_RNG_UNIFORM, 2)),
    BAD(rng, "i32[] i32[]", TYPE, "NORMAL takes a and b of floats, got i32[]",
        RNG(CT_RNG_NORMAL, 2)), /* C2 */
    BAD(rng, "f32[] f32[]", SHAPE, "the result's shape [-2] must not be negative",
        RNG(CT_RNG_UNIFORM, -2)), /* C3 */
    BAD(rng, "c64[] c64[]", TYPE, "a must be an integer, float or bool, got c64[]",
        RNG(CT_RNG_UNIFORM, 2)),
    BAD(rng, "f32[] f32[]", ARGUMENT, "rng_distribution = 2 must lie in [0, 2)", RNG(2, 2)),
    GOOD(rng_bit_generator, "u64[2]", "u64[2] u32[2,3]", BITS(CT_RNG_DEFAULT, CT_U32, 2, 3)),
    GOOD(rng_bit_generator, "u64[2]", "u64[2] i8[]", BITS(CT_RNG_THREE_FRY, CT_I8, )),  /* C1 */
    GOOD(rng_bit_generator, "u64[3]", "u64[3] f16[0]", BITS(CT_RNG_PHILOX, CT_F16, 0)), /* C1 */
    BAD(rng_bit_generator, "u64[3]", SHAPE, "state of THREE_FRY must be u64[2], got u64[3]",
        BITS(CT_RNG_THREE_FRY, CT_U32, 2)), /* C2 */
    BAD(rng_bit_generator, "u64[4]", SHAPE, "state of PHILOX must be u64[2] or u64[3], got u64[4]",
        BITS(CT_RNG_PHILOX, CT_U32, 2)), /* C2 */
    BAD(rng_bit_generator, "u64[2,1]", SHAPE,
        "state of DEFAULT must be u64[2] or u64[3], got u64[2,1]",
        BITS(CT_RNG_DEFAULT, CT_U32, 2)), /* C2 */
    BAD(rng_bit_generator, "u32[2]", TYPE, "state must be of u64, got u32[2]",
        BITS(CT_RNG_DEFAULT, CT_U32, 2)), /* C2 */
    BAD(rng_bit_generator, "u64[2]", TYPE, "dtype = bool must be one of integers or floats",
        BITS(CT_RNG_DEFAULT, CT_BOOL, 2)), /* C3 */
    BAD(rng_bit_generator, "u64[2]", TYPE, "dtype = invalid must be one of integers or floats",
        BITS(CT_RNG_DEFAULT, CT_INVALID_DTYPE, 2)), /* C3 */
};

TEST(random_types)
{
    CHECK_CASES(generators);
}

/* ---- dot_general: how exactly. */

#define TF32                                                                                       \
    "lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, "              \
    "lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, "             \
    "allow_imprecise_accumulation = false"
#define DOT(type, precision, how)                                                                  \
    {                                                                                              \
        .dot_general = { L(), L(), L(1), L(0), type, precision, how }                              \
    }

static const infer_case dots[] = {
    GOOD(dot_general, "f32[2,3] f32[3,4]", "f32[2,4]",
         DOT(CT_INVALID_DTYPE, "HIGH, HIGHEST", NULL)),
    GOOD(dot_general, "f32[2,3] f32[3,4]", "f32[2,4]",
         DOT(CT_INVALID_DTYPE, "DEFAULT, DEFAULT", TF32)),
    GOOD(dot_general, "i8[2,3] u8[3,4]", "i32[2,4]", DOT(CT_I32, NULL, NULL)), /* C1 */
    BAD(dot_general, "i8[2,3] u8[3,4]", TYPE,
        "x and y must have one dtype, got i8[2,3] and u8[3,4]",
        DOT(CT_INVALID_DTYPE, NULL, NULL)), /* C1 */
    BAD(dot_general, "f32[2,3] f32[3,4]", ARGUMENT,
        "precision_config = [HIGH] must have two entries, got 1",
        DOT(CT_F32, "HIGH", NULL)), /* C5 */
    BAD(dot_general, "f32[2,3] f32[3,4]", ARGUMENT,
        "precision_config = [HIGHER, HIGH] must name DEFAULT, HIGH or HIGHEST",
        DOT(CT_F32, "HIGHER, HIGH", NULL)), /* C5 */
    BAD(dot_general, "f32[2,3] f32[3,4]", ARGUMENT,
        "precision_config = [HIGH, DEFAULT] must be DEFAULT beside an algorithm",
        DOT(CT_F32, "HIGH, DEFAULT", TF32)), /* C6 */
    BAD(dot_general, "f32[2,3] f32[3,4]", ARGUMENT, "the algorithm lacks rhs_precision_type",
        DOT(CT_F32, NULL, "lhs_precision_type = tf32")), /* C6 */
    BAD(dot_general, "f32[2,3] f32[3,4]", ARGUMENT,
        "the algorithm's rhs_component_count = 0 must be positive",
        DOT(CT_F32, NULL,
            "lhs_precision_type = f32, rhs_precision_type = f32, accumulation_type = f32, "
            "lhs_component_count = 1, rhs_component_count = 0, num_primitive_operations = 1, "
            "allow_imprecise_accumulation = false")), /* C6 */
};

TEST(precisions)
{
    CHECK_CASES(dots);
}
