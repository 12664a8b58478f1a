/* How the loops of arrays.inc and plain.inc are written. */
#ifndef CT_EXEC_LOOP_H
#define CT_EXEC_LOOP_H

/* An output may be an input, element by element: no iteration meets another one's. */
#if defined(__clang__)
#define INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#pragma clang diagnostic ignored "-Wpass-failed" /* with calls of fma nothing is vectorised */
#else
#define INDEPENDENT _Pragma("GCC ivdep")
#endif

/* EACH(y[i] = f(x[i])): the statement for i = 0 … n-1. */
#define EACH(...)                                                                                  \
    do {                                                                                           \
        INDEPENDENT                                                                                \
        for (size_t i = 0; i < n; i++)                                                             \
            __VA_ARGS__;                                                                           \
    } while (0)

#endif
