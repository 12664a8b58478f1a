/* What every other header needs: linkage, source places, status codes, and the small by-value lists
 * (shapes, axes, positions, arguments) that calls are written with. */
#ifndef COTANGENT_BASE_H
#define COTANGENT_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CT_VERSION_MAJOR 0
#define CT_VERSION_MINOR 1
#define CT_VERSION_PATCH 0

#if defined(__GNUC__)
#define CT_API __attribute__((visibility("default")))
#define CT__INLINE static inline __attribute__((unused))
#else
#define CT_API
#define CT__INLINE static inline
#endif

#ifdef __cplusplus
#include <initializer_list>
extern "C" {
#endif

/* ---- Handles: all are opaque, owned by a context's scope, and never NULL when returned. */

typedef struct ct_context ct_context;
typedef struct ct_tensor ct_tensor;               /* a value: concrete (has data) or traced */
typedef struct ct_type ct_type;                   /* a static type; immutable, borrowed */
typedef struct ct_function ct_function;           /* a typed graph; immutable */
typedef struct ct_executable ct_executable;       /* a function made ready to run; immutable */
typedef struct ct_instance ct_instance;           /* the memory of one run of an executable */
typedef struct ct_trace_builder ct_trace_builder; /* a function being recorded by hand */

/* ---- Source places: where in the user's program an error or a node comes from. */

typedef struct ct_place {
    const char *file; /* copied when it is recorded */
    int line;
    int column; /* from 1; 0: not known, as in C */
} ct_place;

#ifdef __cplusplus
#define CT_HERE (ct_place{__FILE__, __LINE__, 0})
#else
#define CT_HERE ((ct_place){__FILE__, __LINE__, 0})
#endif

/* ---- Status: the numbers are stable and never reused. */

typedef enum ct_status {
    CT_OK = 0,
    CT_ERR_MEMORY = 1,       /* an allocation failed */
    CT_ERR_ARGUMENT = 2,     /* NULL, an unknown enum value, a number that the dtype cannot hold */
    CT_ERR_TYPE = 3,         /* an element type that the operation does not take */
    CT_ERR_SHAPE = 4,        /* a rank, extent, axis or attribute that does not fit */
    CT_ERR_RANGE = 5,        /* element counts or byte sizes that overflow */
    CT_ERR_INDEX = 6,        /* an index out of range where `strict` asked for an error */
    CT_ERR_STATE = 7,        /* a value used after its trace ended, or a wrong order of calls.
                              * A handle used after its scope ended is not noticed: undefined */
    CT_ERR_CONTEXT = 8,      /* values of two contexts meet */
    CT_ERR_TRACED = 9,       /* the data of a traced value was asked for */
    CT_ERR_RULE = 10,        /* no derivative rule, or a derivative where there is none */
    CT_ERR_UNSUPPORTED = 11, /* a program that is right and that this part cannot run */
    CT_ERR_POISON = 12,      /* a poisoned value used after its error was cleared */
    CT_ERR_FILE = 13,        /* a file that cannot be read or written, or is none of its kind */
    CT_ERR_TEXT = 14,        /* a program text with errors in it */
    CT_ERR_TRAP = 15         /* a run met what its executable was told to stop at */
} ct_status;

/* "shape" for CT_ERR_SHAPE and so on; "unknown status" for other numbers. */
CT_API const char *ct_status_name(ct_status status);

/* The library's version, "0.1.0". */
CT_API const char *ct_version(void);

/* ---- By-value lists. They borrow: the arrays live as long as the calling expression's block. */

typedef struct ct_shape { /* extents in elements; count is the rank */
    size_t count;
    const int64_t *dim;
} ct_shape;

typedef struct ct_axes { /* axes of a tensor, negative counts from the end; all: every axis */
    bool all;
    size_t count;
    const int64_t *axis;
} ct_axes;

typedef struct ct_args { /* positions of a function's arguments; all: every differentiable one */
    bool all;
    size_t count;
    const int64_t *position;
} ct_args;

typedef struct ct_list { /* tensors: arguments, examples, leaves of a tree */
    size_t count;
    ct_tensor *const *item;
} ct_list;

typedef enum ct_keep_axes {
    CT_DROP_AXES = 0, /* reduced axes vanish */
    CT_KEEP_AXES = 1  /* reduced axes stay with extent 1 */
} ct_keep_axes;

/* A list whose length is known at run time; it borrows items. One argument to every macro. */
CT__INLINE ct_list ct__list(size_t count, ct_tensor *const *items)
{
    ct_list list;
    list.count = count;
    list.item = items;
    return list;
}
#define CT_LIST(count, items) (ct__list(count, items))

/* CT_SHAPE(4, 2), CT_SHAPE() for a scalar; CT_AXES(0, -1); CT_ARGS(0); CT_ARGV(w, x, y);
 * CT_LIKE(w, x, y): examples, of which only the types are read. */
#ifdef __cplusplus
} /* extern "C" */
namespace ct_detail
{
typedef std::initializer_list<int64_t> numbers;
typedef std::initializer_list<ct_tensor *> tensors;
inline ct_shape shape(numbers l)
{
    return ct_shape{l.size(), l.begin()};
}
inline ct_axes axes(numbers l)
{
    return ct_axes{false, l.size(), l.begin()};
}
inline ct_args args(numbers l)
{
    return ct_args{false, l.size(), l.begin()};
}
inline ct_list list(tensors l)
{
    return ct_list{l.size(), l.begin()};
}
} // namespace ct_detail
extern "C" {
#define CT_SHAPE(...) (ct_detail::shape({__VA_ARGS__}))
#define CT_AXES(...) (ct_detail::axes({__VA_ARGS__}))
#define CT_ARGS(...) (ct_detail::args({__VA_ARGS__}))
#define CT_ARGV(...) (ct_detail::list({__VA_ARGS__}))
#define CT_NO_TENSORS (ct_list{0, nullptr})
#define CT_ALL_AXES (ct_axes{true, 0, nullptr})
#define CT_ALL_ARGS (ct_args{true, 0, nullptr})
#define CT_TREE(structure)                                                                         \
    (ct_list{sizeof(*(structure)) / sizeof(ct_tensor *),                                           \
             reinterpret_cast<ct_tensor *const *>(structure)})
#else
/* The leading 0 makes the empty list an array too; the count leaves it out. */
#define CT__COUNT(type, ...) (sizeof((type[]){0, __VA_ARGS__}) / sizeof(type) - 1)
#define CT__ITEMS(type, ...) ((type[]){0, __VA_ARGS__} + 1)
#define CT_SHAPE(...)                                                                              \
    ((ct_shape){CT__COUNT(const int64_t, __VA_ARGS__), CT__ITEMS(const int64_t, __VA_ARGS__)})
#define CT_AXES(...)                                                                               \
    ((ct_axes){false, CT__COUNT(const int64_t, __VA_ARGS__), CT__ITEMS(const int64_t, __VA_ARGS__)})
#define CT_ARGS(...)                                                                               \
    ((ct_args){false, CT__COUNT(const int64_t, __VA_ARGS__), CT__ITEMS(const int64_t, __VA_ARGS__)})
/* One to 32 tensors, beyond which CT_LIST serves. The preprocessor counts them, so that the text of
 * an argument stands once and nested calls compile in linear time. With more, the count that is
 * picked is one of them, a pointer, of which no array's size can be made. */
/* clang-format off */
#define CT__PICK(a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, a18, a19, a20, \
    a21, a22, a23, a24, a25, a26, a27, a28, a29, a30, a31, a32, n, ...) \
    n
#define CT__NARGS(...) \
    CT__PICK(__VA_ARGS__, 32, 31, 30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20, 19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9, \
    8, 7, 6, 5, 4, 3, 2, 1, 0)
/* clang-format on */
#define CT_ARGV(...)                                                                               \
    ((ct_list){CT__FROM_COUNT(CT__NARGS(__VA_ARGS__)), (ct_tensor *const[]){__VA_ARGS__}})
#define CT__FROM_COUNT(n) (sizeof(char[2 * (n)-1]) / 2 + 1)
#define CT_NO_TENSORS ((ct_list){0, NULL})
#define CT_ALL_AXES ((ct_axes){true, 0, NULL})
#define CT_ALL_ARGS ((ct_args){true, 0, NULL})
/* The leaves of a struct that holds only ct_tensor * members, in order of declaration. */
#define CT_TREE(structure)                                                                         \
    ((ct_list){sizeof(*(structure)) / sizeof(ct_tensor *), (ct_tensor *const *)(structure)})
#endif
#define CT_LIKE(...) CT_ARGV(__VA_ARGS__)

#ifdef __cplusplus
}
#endif
#endif
