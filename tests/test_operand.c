/* Plain numbers of every C type, and tensors behind a void *, beside a tensor. */
#include "tests/values.h"

#include <cotangent/elementwise.h>

#include <limits.h>
#include <math.h>

#define CHECK_NUMBER(type, value)                                                                  \
    do {                                                                                           \
        type number = value;                                                                       \
        ct_tensor *sum = ct_add(zero, number);                                                     \
        CHECK_MSG(ct_item(sum) == (double)value, "%s: %s", #type, ct_text(sum));                   \
    } while (0)

TEST(numbers_of_every_type)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *zero = ct_scalar(ctx, CT_F64, 0);
    CHECK_NUMBER(_Bool, 1);
    CHECK_NUMBER(char, 'x');
    CHECK_NUMBER(signed char, SCHAR_MIN);
    CHECK_NUMBER(unsigned char, UCHAR_MAX);
    CHECK_NUMBER(short, SHRT_MIN);
    CHECK_NUMBER(unsigned short, USHRT_MAX);
    CHECK_NUMBER(int, INT_MIN);
    CHECK_NUMBER(unsigned, UINT_MAX);
    CHECK_NUMBER(long, LONG_MIN);
    CHECK_NUMBER(unsigned long, ULONG_MAX);
    CHECK_NUMBER(long long, LLONG_MIN);
    CHECK_NUMBER(unsigned long long, ULLONG_MAX);
    CHECK_NUMBER(float, 0.5f);
    CHECK_NUMBER(double, 0.1);
    CHECK_NUMBER(long double, 0.25L);
    CHECK_OK(ctx);
    ct_add(ct_scalar(ctx, CT_I32, 1), 0.5L);
    CHECK_ERROR(ctx, CT_ERR_ARGUMENT, "add: i32 cannot hold the number 0.5");
    static const struct {
        ct_dtype dtype;
        double held, not_held;
    } row[] = {{CT_U2, 3, 4},
               {CT_I2, -2, -3},
               {CT_I4, 7, 8},
               {CT_U4, 15, -1},
               {CT_F4E2M1FN, 6, 7.5},
               {CT_F8E4M3FN, 448, 1000},
               {CT_F4E2M1FN, 0.1, NAN},
               {CT_F8E4M3FN, NAN, INFINITY},
               {CT_F8E5M2, INFINITY, 1e9},
               {CT_F8E8M0FNU, 0.5, 0}};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        ct_tensor *one = ct_ones(ctx, row[i].dtype, CT_SHAPE());
        ct_mul(one, row[i].held);
        CHECK_OK(ctx);
        ct_mul(one, row[i].not_held);
        CHECK_ERROR(ctx, CT_ERR_ARGUMENT, "cannot hold the number");
    }
    ct_context_free(ctx);
}

TEST(tensors_behind_a_void_pointer)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = ct_scalar(ctx, CT_F64, 3);
    void *user = x;
    CHECK_VALUES(ct_mul(user, x), CT_SHAPE(), {9});
    CHECK_VALUES(ct_sub(2, user), CT_SHAPE(), {-1});
    CHECK_OK(ctx);
    user = NULL;
    CHECK(ct_is_poison(ct_add(x, user)));
    CHECK_ERROR(ctx, CT_ERR_ARGUMENT, "add: y is NULL");
    CHECK(ct_is_poison(ct_add(x, NULL)));
    CHECK_ERROR(ctx, CT_ERR_ARGUMENT, "add: y is NULL");
    ct_context_free(ctx);
}
