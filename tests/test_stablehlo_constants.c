/* Constants as they are printed: the shortest digits that read back to the same number. */
#include "tests/check.h"
#include "tests/samples_text.h"
#include "tests/values.h"

#include <cotangent/tensor.h>
#include <cotangent/trace.h>

#include <float.h>
#include <locale.h>
#include <math.h>
#include <string.h>

/* The one constant of a function that returns it. */
static const char *constant_text(ct_context *ctx, ct_tensor *x)
{
    ct_trace_builder *b = ct_trace_begin(ctx, "f", CT_NO_TENSORS);
    const char *text = strstr(samples_text(ct_trace_end(b, CT_ARGV(x))), "dense<");
    CHECK_OK(ctx);
    return text ? text : "";
}

static void check_constant(int line, ct_context *ctx, ct_tensor *x, const char *expected)
{
    const char *text = constant_text(ctx, x);
    size_t length = strlen(expected);
    if (strncmp(text, expected, length) != 0 || text[length] != '\n')
        check_fail(__FILE__, line, "expected %s, found %.200s", expected, text);
}
#define CHECK_CONSTANT(ctx, x, expected) check_constant(__LINE__, ctx, x, expected)

TEST(numbers)
{
    ct_context *ctx = ct_context_new();
    static const double f64[] = {0.1,  1.0 / 3, -0.0,    1e15,   1e16, -12.5,    1e-5,
                                 1e-6, 5e-324,  DBL_MAX, 123456, NAN,  INFINITY, 5e22};
    CHECK_CONSTANT(ctx, ct_from_doubles(ctx, CT_F64, CT_SHAPE(14), f64),
                   "dense<[0.1, 0.3333333333333333, -0.0, 1000000000000000.0, 1.0e+16, -12.5, "
                   "0.00001, 1.0e-06, 5.0e-324, 1.7976931348623157e+308, 123456.0, "
                   "0x7FF8000000000000, 0x7FF0000000000000, 5.0e+22]> : tensor<14xf64>");
    static const double f32[] = {0.1,     1.0 / 3, 16777217,  1e-45,
                                 FLT_MAX, NAN,     -INFINITY, 1.1920929e-7};
    CHECK_CONSTANT(ctx, ct_from_doubles(ctx, CT_F32, CT_SHAPE(8), f32),
                   "dense<[0.1, 0.33333334, 16777216.0, 1.0e-45, 3.4028235e+38, 0x7FC00000, "
                   "0xFF800000, 1.1920929e-07]> : tensor<8xf32>");
    static const double small[] = {0.1, 6e-8, 65504, NAN, -INFINITY, -0.0, 1.0009765625};
    CHECK_CONSTANT(ctx, ct_from_doubles(ctx, CT_F16, CT_SHAPE(7), small),
                   "dense<[0.1, 6.0e-08, 65500.0, 0x7E00, 0xFC00, -0.0, 1.001]> : tensor<7xf16>");
    CHECK_CONSTANT(ctx, ct_from_doubles(ctx, CT_BF16, CT_SHAPE(7), small),
                   "dense<[0.1, 6.0e-08, 65500.0, 0x7FC0, 0xFF80, -0.0, 1.0]> : tensor<7xbf16>");
    CHECK_CONSTANT(ctx, ct_full(ctx, CT_F32, CT_SHAPE(), 2), "dense<2.0> : tensor<f32>");
    ct_context_free(ctx);
}

TEST(numbers_of_other_types)
{
    ct_context *ctx = ct_context_new();
    static const int64_t i64[] = {INT64_MIN, -1, INT64_MAX};
    static const uint64_t u64[] = {0, UINT64_MAX, 1};
    static const signed char i8[] = {-128, 127, 0, -1};
    static const float c64[] = {1.5f, -0.0f, NAN, 3};
    static const bool flags[] = {true, false, true};
    CHECK_CONSTANT(ctx, ct_from_data(ctx, CT_I64, CT_SHAPE(3), i64),
                   "dense<[-9223372036854775808, -1, 9223372036854775807]> : tensor<3xi64>");
    CHECK_CONSTANT(ctx, ct_from_data(ctx, CT_U64, CT_SHAPE(3, 1), u64),
                   "dense<[[0], [18446744073709551615], [1]]> : tensor<3x1xui64>");
    CHECK_CONSTANT(ctx, ct_from_data(ctx, CT_I8, CT_SHAPE(1, 4), i8),
                   "dense<[[-128, 127, 0, -1]]> : tensor<1x4xi8>");
    CHECK_CONSTANT(ctx, ct_from_data(ctx, CT_C64, CT_SHAPE(2), c64),
                   "dense<[(1.5,-0.0), (0x7FC00000,3.0)]> : tensor<2xcomplex<f32>>");
    CHECK_CONSTANT(ctx, ct_from_data(ctx, CT_BOOL, CT_SHAPE(3), flags),
                   "dense<[true, false, true]> : tensor<3xi1>");
    ct_context_free(ctx);
}

/* Lists up to 100 elements, then the bytes; one value is a splat however it is stored; +0 is not
 * -0. */
TEST(constant_forms)
{
    ct_context *ctx = ct_context_new();
    uint16_t ramp[101];
    for (unsigned i = 0; i < 101; i++)
        ramp[i] = (uint16_t)(0x0102 * i);
    static const float same[] = {7, 7, 7, 7, 7, 7}, zeros[] = {0, -0.0f};
    const char *list = constant_text(ctx, ct_from_data(ctx, CT_U16, CT_SHAPE(100), ramp));
    CHECK(strncmp(list, "dense<[0, 258, 516, ", 20) == 0);
    const char *blob = constant_text(ctx, ct_from_data(ctx, CT_U16, CT_SHAPE(101), ramp));
    CHECK_MSG(strncmp(blob, "dense<\"0x0000020104020603", 25) == 0, "%.60s", blob);
    CHECK(strcspn(blob + 9, "\"") == 404);
    CHECK_CONSTANT(ctx, ct_from_data(ctx, CT_F32, CT_SHAPE(2, 3), same),
                   "dense<7.0> : tensor<2x3xf32>");
    CHECK_CONSTANT(ctx, ct_from_data(ctx, CT_F32, CT_SHAPE(2), zeros),
                   "dense<[0.0, -0.0]> : tensor<2xf32>");
    CHECK_CONSTANT(ctx, ct_full(ctx, CT_I32, CT_SHAPE(1000, 1000), -3),
                   "dense<-3> : tensor<1000x1000xi32>");
    CHECK_CONSTANT(ctx, ct_zeros(ctx, CT_F32, CT_SHAPE(0, 2)), "dense<> : tensor<0x2xf32>");
    ct_context_free(ctx);
}

/* A decimal point that is a comma elsewhere is a point here. */
TEST(locale)
{
    static const char *const with_comma[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "de_DE"};
    bool found = false;
    for (size_t i = 0; i < sizeof with_comma / sizeof *with_comma && !found; i++)
        found = setlocale(LC_NUMERIC, with_comma[i]) != NULL;
    if (!found)
        SKIP("no locale with a decimal comma is installed");
    ct_context *ctx = ct_context_new();
    static const double values[] = {0.1, 12.25, 1e-9};
    const char *text = constant_text(ctx, ct_from_doubles(ctx, CT_F64, CT_SHAPE(3), values));
    setlocale(LC_NUMERIC, "C");
    CHECK_MSG(strncmp(text, "dense<[0.1, 12.25, 1.0e-09]>", 28) == 0, "found %.60s", text);
    ct_context_free(ctx);
}
