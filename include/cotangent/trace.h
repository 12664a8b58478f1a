/* Tracing: recording a C function over tensors as a typed graph, and looking at the graph.
 *
 * While a function is traced, its parameters are traced tensors and every operation on them is
 * recorded. Concrete tensors that it uses are captured by reference as constants; operations on
 * concrete tensors alone compute at once. Tracing inside tracing is allowed: the inner function is
 * its own graph, and applying it to traced values records a call. */
#ifndef COTANGENT_TRACE_H
#define COTANGENT_TRACE_H

#include "base.h"
#include "dtype.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Tracing C functions. All return a function owned by the current scope; on failure a poisoned
 * one, and the context holds the error: CT_ERR_ARGUMENT for a wrong number of examples, and for a
 * user pointer or a tree that the function's first parameter does not take; CT_ERR_STATE for a
 * result that is not a value of this trace. Only the types of the examples are read. */

typedef void (*ct_any_function)(void);

/* How a traced C function takes its parameters. */
typedef enum ct_parameters {
    CT_PARAMETERS_PLAIN = 0, /* ct_tensor *f(ct_tensor *x, ct_tensor *y, …) */
    CT_PARAMETERS_USER = 1,  /* ct_tensor *f(void *user, ct_tensor *x, …) */
    CT_PARAMETERS_TREE = 2   /* ct_tensor *f(ct_tensor **leaves, ct_tensor *x, …) */
} ct_parameters;

typedef struct ct_signature {
    ct_parameters parameters;
    int tensors; /* ct_tensor * parameters, the leading user or tree not counted */
} ct_signature;

/* ct_trace(ctx, f, CT_LIKE(x, y)): f takes as many ct_tensor * as there are examples. */
#define ct_trace(ctx, f, examples)                                                                 \
    ct_trace_function_at(CT_HERE, ctx, CT__NAME(f), CT_SIGNATURE(f), CT__CODE(f), NULL,            \
                         CT_NO_TENSORS, examples)
/* ct_trace_user(ctx, f, &settings, CT_LIKE(x, y)): f's first parameter is void *user. */
#define ct_trace_user(ctx, f, user, examples)                                                      \
    ct_trace_function_at(CT_HERE, ctx, CT__NAME(f), CT_SIGNATURE(f), CT__CODE(f), user,            \
                         CT_NO_TENSORS, examples)
/* ct_trace_tree(ctx, f, CT_TREE(&params), CT_LIKE(x, y)): f's first parameter is ct_tensor
 * **leaves, which it may cast to a pointer to the struct. The tree counts as argument 0. */
#define ct_trace_tree(ctx, f, tree, examples)                                                      \
    ct_trace_function_at(CT_HERE, ctx, CT__NAME(f), CT_SIGNATURE(f), CT__CODE(f), NULL, tree,      \
                         examples)

/* The function behind the macros, for a signature known at run time (any number of parameters, also
 * beyond the 12 that CT_SIGNATURE knows). */
CT_API ct_function *ct_trace_function_at(ct_place at, ct_context *ctx, const char *name,
                                         ct_signature signature, ct_any_function code, void *user,
                                         ct_list tree, ct_list examples);

/* A function with any number of parameters and results. It fills result[0 … n_results - 1]. */
typedef void ct_many_function(void *user, ct_list parameters, ct_tensor **result);

CT_API ct_function *ct_trace_many_at(ct_place at, ct_context *ctx, const char *name,
                                     ct_many_function *code, void *user, size_t n_results,
                                     ct_list examples);
#define ct_trace_many(ctx, f, user, n_results, examples)                                           \
    ct_trace_many_at(CT_HERE, ctx, CT__NAME(f), f, user, n_results, examples)

/* By hand: begin, take the parameters, compute, end. Traces end in the reverse order of their
 * beginning (CT_ERR_STATE). A builder is released with its scope, ended or not. */
CT_API ct_trace_builder *ct_trace_begin_at(ct_place at, ct_context *ctx, const char *name,
                                           ct_list examples);
CT_API ct_tensor *ct_trace_parameter(ct_trace_builder *builder, size_t position);
CT_API ct_function *ct_trace_end_at(ct_place at, ct_trace_builder *builder, ct_list results);
#define ct_trace_begin(...) ct_trace_begin_at(CT_HERE, __VA_ARGS__)
#define ct_trace_end(...) ct_trace_end_at(CT_HERE, __VA_ARGS__)

/* ---- Applying a function: concrete arguments are interpreted at once, traced ones record a call.
 * Errors: CT_ERR_ARGUMENT for a wrong count, CT_ERR_TYPE or CT_ERR_SHAPE for a type that differs.
 */

CT_API ct_tensor *ct_apply1_at(ct_place at, ct_function *f, ct_list arguments); /* one result */
CT_API void ct_apply_at(ct_place at, ct_function *f, ct_list arguments, ct_tensor **results,
                        size_t n_results);
#define ct_apply1(f, ...) ct_apply1_at(CT_HERE, f, __VA_ARGS__)
#define ct_apply(...) ct_apply_at(CT_HERE, __VA_ARGS__)

/* ---- Looking at a function. Defined for NULL and poison: false, 0, NULL, "". */

CT_API ct_context *ct_function_context(const ct_function *f);
CT_API bool ct_function_is_poison(const ct_function *f);
CT_API const char *ct_function_name(const ct_function *f);
CT_API size_t ct_function_parameters(const ct_function *f); /* leaves of trees counted one by one */
CT_API size_t ct_function_results(const ct_function *f);
CT_API size_t ct_function_operations(const ct_function *f); /* nodes, bodies of regions included */
/* Arithmetic of one run: 1 for each element of an elementwise operation, comparisons and elementary
 * functions included, but 2 of clamp and atan2, 3 of power and 64 of bessel_i1e, which are made of
 * so many; 2 for each product of a dot, about n^3/3 for a cholesky of n·n, n^2 for each column that
 * triangular_solve solves for, 5 n log2 n for an fft of n complex elements and half of that for
 * real ones; every application of a body (one for each element where windows run, as a cumulative
 * sum's), one iteration of a while, the dearest branch. Free is what copies: moving data, select,
 * converting truth values and combining them, the parts of complex numbers. UINT64_MAX: more than
 * that; 0 with CT_ERR_MEMORY when memory is short. */
CT_API uint64_t ct_function_flops(const ct_function *f);
CT_API const ct_type *ct_parameter_type(const ct_function *f, size_t position);
CT_API const ct_type *ct_result_type(const ct_function *f, size_t position);

/* A static type: the dtype (CT_INVALID_DTYPE unless a tensor) and shape, borrowed from the type. */
CT_API ct_dtype ct_type_dtype(const ct_type *type);
CT_API ct_shape ct_type_shape(const ct_type *type);

/* How the integers q of a quantized tensor stand for real numbers: (q - zero_point) scale, rounded
 * to the expressed dtype; with one scale and zero point for all, or one for each slice of an axis.
 */
typedef struct ct_quantization {
    ct_dtype storage;                 /* integers of at most 32 bits: the type's dtype */
    ct_dtype expressed;               /* floats */
    int64_t storage_min, storage_max; /* q lies between them; both 0: what the dtype holds */
    int axis;                         /* -1: one scale for all */
    size_t count;                     /* of scales: 1, or the axis' extent */
    const double *scale;              /* positive */
    const int64_t *zero_point;        /* between the bounds; NULL: all 0 */
} ct_quantization;

/* False, and nothing is written, unless the type is a quantized tensor's. The lists are borrowed
 * from the type. */
CT_API bool ct_type_quantization(const ct_type *type, ct_quantization *quantization);

typedef enum ct_text_form {
    CT_TEXT_STABLEHLO = 0, /* a module that StableHLO's tools accept */
    CT_TEXT_DOT = 1,       /* a drawing for Graphviz */
    CT_TEXT_SUMMARY = 2    /* one screen: parameters, results, operations by count, bytes, flops */
} ct_text_form;

/* The function as text, owned by the current scope; "" on failure. */
CT_API const char *ct_function_text(ct_function *f, ct_text_form form);

/* ---- The macros' inner parts. */

#define CT__NAME(f) #f
#ifdef __cplusplus
} /* extern "C" */
namespace ct_detail
{
template <class... T> constexpr ct_signature signature(ct_tensor *(*)(T...))
{
    return ct_signature{CT_PARAMETERS_PLAIN, static_cast<int>(sizeof...(T))};
}
template <class... T> constexpr ct_signature signature(ct_tensor *(*)(void *, T...))
{
    return ct_signature{CT_PARAMETERS_USER, static_cast<int>(sizeof...(T))};
}
template <class... T> constexpr ct_signature signature(ct_tensor *(*)(ct_tensor **, T...))
{
    return ct_signature{CT_PARAMETERS_TREE, static_cast<int>(sizeof...(T))};
}
} // namespace ct_detail
extern "C" {
#define CT_SIGNATURE(f) (ct_detail::signature(f))
#define CT__CODE(f) (reinterpret_cast<ct_any_function>(f))
#else
#define CT__CODE(f) ((ct_any_function)(f))
/* The signature of f, read off its type; other types do not compile. */
/* clang-format off */
#define CT_SIGNATURE(f)                                                                            \
    (__extension__ _Generic((f),                                                                   \
        ct_tensor *(*)(void *): CT__SIGNATURE(CT_PARAMETERS_USER, 0),                              \
        ct_tensor *(*)(ct_tensor **): CT__SIGNATURE(CT_PARAMETERS_TREE, 0),                        \
        CT__ROW(1), CT__ROW(2), CT__ROW(3), CT__ROW(4), CT__ROW(5), CT__ROW(6), CT__ROW(7),        \
        CT__ROW(8), CT__ROW(9), CT__ROW(10), CT__ROW(11), CT__ROW(12)))
#define CT__ROW(n)                                                                                 \
    ct_tensor *(*)(CT__T##n): CT__SIGNATURE(CT_PARAMETERS_PLAIN, n),                               \
    ct_tensor *(*)(void *, CT__T##n): CT__SIGNATURE(CT_PARAMETERS_USER, n),                        \
    ct_tensor *(*)(ct_tensor **, CT__T##n): CT__SIGNATURE(CT_PARAMETERS_TREE, n)
/* clang-format on */
#define CT__SIGNATURE(parameters, n) ((ct_signature){parameters, n})
/* n types in a list. */
#define CT__T1 ct_tensor *
#define CT__T2 CT__T1, ct_tensor *
#define CT__T3 CT__T2, ct_tensor *
#define CT__T4 CT__T3, ct_tensor *
#define CT__T5 CT__T4, ct_tensor *
#define CT__T6 CT__T5, ct_tensor *
#define CT__T7 CT__T6, ct_tensor *
#define CT__T8 CT__T7, ct_tensor *
#define CT__T9 CT__T8, ct_tensor *
#define CT__T10 CT__T9, ct_tensor *
#define CT__T11 CT__T10, ct_tensor *
#define CT__T12 CT__T11, ct_tensor *
#endif

#ifdef __cplusplus
}
#endif
#endif
