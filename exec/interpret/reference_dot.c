#include "exec/interpret/reference.h"

#include <string.h>

#define INTEGER(name, type, wide)                                                                  \
    static inline type multiply_add_##name(type sum, type a, type b)                               \
    {                                                                                              \
        return (type)((wide)sum + (wide)a * (wide)b);                                              \
    }

#define T uint8_t
#define N(name) name##_u8
INTEGER(u8, uint8_t, uint32_t)
#include "exec/interpret/reference_dot.inc"

#define T uint16_t
#define N(name) name##_u16
INTEGER(u16, uint16_t, uint32_t)
#include "exec/interpret/reference_dot.inc"

#define T uint32_t
#define N(name) name##_u32
INTEGER(u32, uint32_t, uint32_t)
#include "exec/interpret/reference_dot.inc"

#define T uint64_t
#define N(name) name##_u64
INTEGER(u64, uint64_t, uint64_t)
#include "exec/interpret/reference_dot.inc"

/* bool: an or of ands. */
#define T uint8_t
#define N(name) name##_bool
static inline uint8_t multiply_add_bool(uint8_t sum, uint8_t a, uint8_t b)
{
    return (uint8_t)(sum | (a & b));
}
#include "exec/interpret/reference_dot.inc"

#define T float
#define N(name) name##_f32
static inline float multiply_add_f32(float sum, float a, float b)
{
    return sum + a * b;
}
#include "exec/interpret/reference_dot.inc"

#define T double
#define N(name) name##_f64
static inline double multiply_add_f64(double sum, double a, double b)
{
    return sum + a * b;
}
#include "exec/interpret/reference_dot.inc"

/* complex: the plain formula, every product and sum rounded. */
#define COMPLEX(name, part)                                                                        \
    typedef struct name {                                                                          \
        part re, im;                                                                               \
    } name;                                                                                        \
    static inline name multiply_add_##name(name sum, name a, name b)                               \
    {                                                                                              \
        return (name){sum.re + (a.re * b.re - a.im * b.im), sum.im + (a.re * b.im + a.im * b.re)}; \
    }

#define T c64
#define N(name) name##_c64
COMPLEX(c64, float)
#include "exec/interpret/reference_dot.inc"

#define T c128
#define N(name) name##_c128
COMPLEX(c128, double)
#include "exec/interpret/reference_dot.inc"
