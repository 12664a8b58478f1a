/* einsum and unary_einsum: what numpy.einsum gives for the same terms. Values spell their
 * coordinates: x[i][j] = 10 i + j + 1. */
#include "tests/values.h"

#include <cotangent/cotangent.h>
#include <cotangent/module.h>

#include <stdio.h>
#include <string.h>

/* @main(%x) or @main(%x, %y) is one einsum of these types. */
static ct_function *einsum(ct_context *ctx, const char *config, const char *x, const char *y,
                           const char *result)
{
    char text[2048];
    int n = y ? snprintf(text, sizeof text,
                         "func.func @main(%%x: %s, %%y: %s) -> %s {\n"
                         "  %%z = stablehlo.einsum %%x, %%y, config = \"%s\" : (%s, %s) -> %s\n"
                         "  return %%z : %s\n}\n",
                         x, y, result, config, x, y, result, result)
              : snprintf(text, sizeof text,
                         "func.func @main(%%x: %s) -> %s {\n"
                         "  %%z = stablehlo.unary_einsum %%x, config = \"%s\" : (%s) -> %s\n"
                         "  return %%z : %s\n}\n",
                         x, result, config, x, result, result);
    return ct_module_function(ct_read_stablehlo_text(ctx, "t", text, (size_t)n), "main");
}

/* Elements 1, 2, 3, … */
static ct_tensor *counting(ct_context *ctx, ct_shape shape)
{
    double value[64];
    for (int i = 0; i < 64; i++)
        value[i] = i + 1;
    return ct_from_doubles(ctx, CT_F64, shape, value);
}

static ct_tensor *apply(ct_function *f, ct_list x)
{
    return ct_call1(ct_compile(f, NULL), x);
}

TEST(one_operand)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *a = counting(ctx, CT_SHAPE(2, 3)), *s = counting(ctx, CT_SHAPE(3, 2, 3));
    ct_function *f = einsum(ctx, "ij->ji", "tensor<2x3xf64>", NULL, "tensor<3x2xf64>");
    CHECK_VALUES(apply(f, CT_ARGV(a)), CT_SHAPE(3, 2), {1, 4, 2, 5, 3, 6});
    f = einsum(ctx, "ij->j", "tensor<2x3xf64>", NULL, "tensor<3xf64>");
    CHECK_VALUES(apply(f, CT_ARGV(a)), CT_SHAPE(3), {5, 7, 9});
    f = einsum(ctx, "ij->", "tensor<2x3xf64>", NULL, "tensor<f64>");
    CHECK_VALUES(apply(f, CT_ARGV(a)), CT_SHAPE(), {21});
    /* the diagonal, as NumPy's einsum("iji->ij", s) and "iji->j", and the trace of each slice */
    f = einsum(ctx, "iji->ij", "tensor<3x2x3xf64>", NULL, "tensor<3x2xf64>");
    CHECK_VALUES(apply(f, CT_ARGV(s)), CT_SHAPE(3, 2), {1, 4, 8, 11, 15, 18});
    f = einsum(ctx, "iji->j", "tensor<3x2x3xf64>", NULL, "tensor<2xf64>");
    CHECK_VALUES(apply(f, CT_ARGV(s)), CT_SHAPE(2), {24, 33});
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

TEST(extents_of_0_and_1)
{
    ct_context *ctx = ct_context_new();
    ct_function *f = einsum(ctx, "iij->ij", "tensor<1x1x2xf64>", NULL, "tensor<1x2xf64>");
    CHECK_VALUES(apply(f, CT_ARGV(counting(ctx, CT_SHAPE(1, 1, 2)))), CT_SHAPE(1, 2), {1, 2});
    f = einsum(ctx, "iij->ij", "tensor<0x0x2xf64>", NULL, "tensor<0x2xf64>");
    CHECK_EMPTY(apply(f, CT_ARGV(ct_zeros(ctx, CT_F64, CT_SHAPE(0, 0, 2)))), CT_SHAPE(0, 2));
    f = einsum(ctx, "iij->j", "tensor<0x0x2xf64>", NULL, "tensor<2xf64>");
    CHECK_VALUES(apply(f, CT_ARGV(ct_zeros(ctx, CT_F64, CT_SHAPE(0, 0, 2)))), CT_SHAPE(2), {0, 0});
    CHECK_OK(ctx);
    /* n^2 is more than there can be elements, were there any */
    einsum(ctx, "iij->ij", "tensor<9000000000x9000000000x0xf64>", NULL, "tensor<9000000000x0xf64>");
    CHECK_ERROR(ctx, CT_ERR_TEXT,
                "t:2:31: the diagonal of tensor<9000000000x9000000000x0xf64> has "
                "too many elements in a row\n");
    ct_context_free(ctx);
}

TEST(two_operands)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *a = counting(ctx, CT_SHAPE(2, 3)), *b = counting(ctx, CT_SHAPE(3, 4));
    ct_tensor *s = counting(ctx, CT_SHAPE(3, 3, 2));
    ct_function *f = einsum(ctx, "ab,bc->ca", "tensor<2x3xf64>", "tensor<3x4xf64>",
                            "tensor<4x2xf64>");
    CHECK_VALUES(apply(f, CT_ARGV(a, b)), CT_SHAPE(4, 2), {38, 83, 44, 98, 50, 113, 56, 128});
    f = einsum(ctx, "ab,ab->ba", "tensor<2x3xf64>", "tensor<2x3xf64>", "tensor<3x2xf64>");
    CHECK_VALUES(apply(f, CT_ARGV(a, a)), CT_SHAPE(3, 2), {1, 16, 4, 25, 9, 36});
    f = einsum(ctx, "a,b->ba", "tensor<2xf64>", "tensor<3xf64>", "tensor<3x2xf64>");
    CHECK_VALUES(apply(f, CT_ARGV(counting(ctx, CT_SHAPE(2)), counting(ctx, CT_SHAPE(3)))),
                 CT_SHAPE(3, 2), {1, 2, 2, 4, 3, 6});
    /* c and d stand in one operand only and are summed: np.einsum("ab,cd->ad", a, b) */
    f = einsum(ctx, "ab,cd->ad", "tensor<2x3xf64>", "tensor<3x4xf64>", "tensor<2x4xf64>");
    CHECK_VALUES(apply(f, CT_ARGV(a, b)), CT_SHAPE(2, 4), {90, 108, 126, 144, 225, 270, 315, 360});
    /* a diagonal that meets a product: np.einsum("aab,bc->ac", s, a) */
    f = einsum(ctx, "aab,bc->ac", "tensor<3x3x2xf64>", "tensor<2x3xf64>", "tensor<3x3xf64>");
    CHECK_VALUES(apply(f, CT_ARGV(s, a)), CT_SHAPE(3, 3), {9, 12, 15, 49, 68, 87, 89, 124, 159});
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* What it is made of can be differentiated: the gradient of Σ of all is 1 on the diagonal. */
TEST(gradients)
{
    ct_context *ctx = ct_context_new();
    ct_function *f = einsum(ctx, "ii->", "tensor<3x3xf64>", NULL, "tensor<f64>");
    CHECK_VALUES(ct_apply1(ct_grad(f, CT_ARGS(0)), CT_ARGV(counting(ctx, CT_SHAPE(3, 3)))),
                 CT_SHAPE(3, 3), {1, 0, 0, 0, 1, 0, 0, 0, 1});
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

static void check_wrong(int line, const char *config, const char *y, const char *want)
{
    ct_context *ctx = ct_context_new();
    einsum(ctx, config, "tensor<2x3xf64>", y, "tensor<2xf64>");
    if (strncmp(ct_error_message(ctx), want, strlen(want)) != 0)
        check_fail(__FILE__, line, "%s: %s\nand not\n%s", config, ct_error_message(ctx), want);
    ct_context_free(ctx);
}
#define CHECK_WRONG(config, y, want) check_wrong(__LINE__, config, y, want)

TEST(errors)
{
    CHECK_WRONG("ab", NULL,
                "t:2:8: einsum \"ab\": expected '->' and the result's term, found \"\"\n");
    CHECK_WRONG("ab->a,", NULL, "t:2:8: einsum \"ab->a,\": expected the end, found \",\"\n");
    CHECK_WRONG("...b->b", NULL,
                "t:2:8: einsum \"...b->b\": expected a letter for each axis, found \"...b->b\"\n");
    CHECK_WRONG("ab->c", NULL,
                "t:2:8: einsum \"ab->c\": expected letters of the operands in the result, found "
                "\"c\"\n");
    CHECK_WRONG("ab->aa", NULL,
                "t:2:8: einsum \"ab->aa\": expected each letter once in the result, found "
                "\"aa\"\n");
    CHECK_WRONG("abc->a", NULL,
                "t:2:31: einsum \"abc->a\": expected a tensor of rank 3, found tensor<2x3xf64>\n");
    CHECK_WRONG("aa->a", NULL,
                "t:2:31: einsum \"aa->a\": expected one extent for 'a', found tensor<2x3xf64>\n");
    CHECK_WRONG("ab->a", "tensor<2xf64>",
                "t:2:8: einsum \"ab->a\": expected ',' and another term, found \"->a\"\n");
    CHECK_WRONG("ab,b->a", "tensor<2xf64>", "t:2:8: dot_general: ");
}
