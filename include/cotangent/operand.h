/* What an argument of a composite operation may be: a tensor or a plain C number. */
#ifndef COTANGENT_OPERAND_H
#define COTANGENT_OPERAND_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum ct_operand_kind {
    CT_OPERAND_TENSOR = 0,
    CT_OPERAND_REAL = 1,
    CT_OPERAND_SIGNED = 2,
    CT_OPERAND_UNSIGNED = 3
} ct_operand_kind;

/* A number takes the dtype of the tensor beside it; one that this dtype cannot hold (0.5 with i32,
 * 300 with u8) is CT_ERR_ARGUMENT. An operation needs at least one tensor. */
typedef struct ct_operand {
    ct_operand_kind kind;
    ct_tensor *tensor; /* of CT_OPERAND_TENSOR */
    union {
        double real;
        int64_t integer;
        uint64_t natural;
    } number; /* of the other kinds */
} ct_operand;

CT__INLINE ct_operand ct_operand_tensor(ct_tensor *x)
{
    ct_operand operand;
    operand.kind = CT_OPERAND_TENSOR;
    operand.tensor = x;
    operand.number.integer = 0;
    return operand;
}

/* A tensor behind a void *, such as `user` of a body; NULL stays NULL. */
CT__INLINE ct_operand ct_operand_pointer(void *x)
{
    return ct_operand_tensor((ct_tensor *)x);
}

CT__INLINE ct_operand ct_operand_real(double value)
{
    ct_operand operand;
    operand.kind = CT_OPERAND_REAL;
    operand.tensor = NULL;
    operand.number.real = value;
    return operand;
}

/* Rounds to double. */
CT__INLINE ct_operand ct_operand_long_double(long double value)
{
    return ct_operand_real((double)value);
}

CT__INLINE ct_operand ct_operand_signed(int64_t value)
{
    ct_operand operand;
    operand.kind = CT_OPERAND_SIGNED;
    operand.tensor = NULL;
    operand.number.integer = value;
    return operand;
}

CT__INLINE ct_operand ct_operand_unsigned(uint64_t value)
{
    ct_operand operand;
    operand.kind = CT_OPERAND_UNSIGNED;
    operand.tensor = NULL;
    operand.number.natural = value;
    return operand;
}

CT__INLINE ct_operand ct_operand_same(ct_operand operand)
{
    return operand;
}

#ifdef __cplusplus
} /* extern "C" */

#include <type_traits>

namespace ct_detail
{
inline ct_operand operand(ct_tensor *x)
{
    return ct_operand_tensor(x);
}
inline ct_operand operand(decltype(nullptr))
{
    return ct_operand_tensor(nullptr);
}
inline ct_operand operand(ct_operand x)
{
    return x;
}
/* void * alone: other pointers do not compile. */
template <class T>
typename std::enable_if<std::is_same<T, void>::value, ct_operand>::type operand(T *x)
{
    return ct_operand_pointer(x);
}
template <class T>
typename std::enable_if<std::is_floating_point<T>::value ||
                            (std::is_integral<T>::value && sizeof(T) <= sizeof(int64_t)),
                        ct_operand>::type
operand(T x)
{
    return std::is_floating_point<T>::value ? ct_operand_real(static_cast<double>(x))
           : std::is_signed<T>::value       ? ct_operand_signed(static_cast<int64_t>(x))
                                            : ct_operand_unsigned(static_cast<uint64_t>(x));
}
} // namespace ct_detail
#define CT_OPERAND(x) (ct_detail::operand(x))
#else
/* Arithmetic types, tensors and void * are listed; others do not compile.
 * The argument's text stands once, so that nested calls compile in linear time; the counter keeps
 * nested names apart. */
#define CT_OPERAND(x) CT__OPERAND(x, __COUNTER__)
#define CT__OPERAND(x, id) CT__OPERAND_NAMED(x, id)
/* clang-format off */
#define CT__OPERAND_NAMED(x, id)                                                                   \
    __extension__({                                                                                \
        __auto_type ct__operand_##id = (x);                                                        \
        _Generic(ct__operand_##id, ct_tensor *: ct_operand_tensor, void *: ct_operand_pointer,     \
                 ct_operand: ct_operand_same, float: ct_operand_real, double: ct_operand_real,     \
                 long double: ct_operand_long_double, _Bool: ct_operand_unsigned,                  \
                 char: ct_operand_signed, signed char: ct_operand_signed,                          \
                 short: ct_operand_signed, int: ct_operand_signed, long: ct_operand_signed,        \
                 long long: ct_operand_signed, unsigned char: ct_operand_unsigned,                 \
                 unsigned short: ct_operand_unsigned, unsigned int: ct_operand_unsigned,           \
                 unsigned long: ct_operand_unsigned,                                               \
                 unsigned long long: ct_operand_unsigned)(ct__operand_##id);                       \
    })
/* clang-format on */
#endif

#endif
