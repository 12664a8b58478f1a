/* Compiles as C and as C++ under every warning: operands of each arithmetic type, tensors behind a
 * void *, lists of run-time length. */
#include <cotangent/cotangent.h>

ct_tensor *every_type(ct_tensor *x, void *user, ct_operand given);
ct_function *lists(ct_context *ctx, size_t n, ct_tensor **items, ct_many_function *f);

#define NUMBER(type) x = ct_add(x, (type)1)

ct_tensor *every_type(ct_tensor *x, void *user, ct_operand given)
{
    ct_tensor *const fixed = x;
    const int whole = 1;
#ifdef __cplusplus
    NUMBER(bool);
#else
    NUMBER(_Bool);
#endif
    NUMBER(char), NUMBER(signed char), NUMBER(unsigned char), NUMBER(short);
    NUMBER(unsigned short), NUMBER(int), NUMBER(unsigned), NUMBER(long), NUMBER(unsigned long);
    NUMBER(int64_t), NUMBER(uint64_t), NUMBER(float), NUMBER(double), NUMBER(long double);
    return ct_add(ct_add(x, whole), ct_add(ct_add(user, fixed), given));
}

ct_function *lists(ct_context *ctx, size_t n, ct_tensor **items, ct_many_function *f)
{
    ct_function *g = ct_trace_many(ctx, f, NULL, 1, CT_LIST(n, items));
    ct_apply1(g, CT_LIST(n, items));
    ct_apply1(g, CT_ARGV(items[0], items[0], items[0], items[0], items[0], items[0], items[0],
                         items[0], items[0], items[0], items[0], items[0], items[0], items[0],
                         items[0], items[0], items[0], items[0], items[0], items[0], items[0],
                         items[0], items[0], items[0], items[0], items[0], items[0], items[0],
                         items[0], items[0], items[0], items[0])); /* 32 */
    return g;
}
