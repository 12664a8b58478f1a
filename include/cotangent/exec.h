/* Running functions: compile once, call often.
 *
 * An executable is immutable and used from many threads at once, each through its own context
 * (ct_adopt_executable) or its own instances. */
#ifndef COTANGENT_EXEC_H
#define COTANGENT_EXEC_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum ct_executor {
    CT_EXECUTOR_DEFAULT = 0, /* CT_EXECUTOR_CPU, compiled in the background: CT_JIT_BACKGROUND */
    CT_EXECUTOR_INTERPRETER = 1, /* the definition, in reference numerics */
    CT_EXECUTOR_MACHINE = 2,     /* the same in machine numerics: what fast executors compute */
    CT_EXECUTOR_CPU = 3,         /* the tile machine: operations on elements run several at a time,
                                    with the bits of CT_EXECUTOR_MACHINE */
    CT_EXECUTOR_JIT = 4,         /* the same as C that is compiled at once, with the same bits */
    /* The interpreter as an oracle: floats of every dtype are numbers of so many bits (MPFR), or
     * quotients (GMP). What goes in is taken exactly, and what comes out is rounded once. */
    CT_EXECUTOR_MPFR = 5,
    CT_EXECUTOR_RATIONAL = 6
} ct_executor;

/* When the tile machine's steps are compiled as C, by the compiler of the system. No bit of a
 * result depends on it, nor on these variables of the environment:
 *
 *   CT_CC            the compiler, a path or a name in PATH; else cc, gcc or clang
 *   CT_CC_SECONDS    how long it may take; else 30
 *   CT_CACHE_DIR     the folder where what is compiled is kept, "" for none; else cotangent in
 *                    XDG_CACHE_HOME or ~/.cache. It must be the user's, and writable to nobody else
 *   CT_CACHE_BYTES   how much is kept; else 256 MiB */
typedef enum ct_jit {
    CT_JIT_DEFAULT = 0,    /* the executor's own */
    CT_JIT_OFF = 1,        /* of CT_EXECUTOR_CPU */
    CT_JIT_BACKGROUND = 2, /* of CT_EXECUTOR_DEFAULT: in a thread, once its runs have taken about as
                              long as compiling does */
    CT_JIT_NOW = 3         /* of CT_EXECUTOR_JIT: while ct_compile waits */
} ct_jit;

/* What runs stop at: where it is born, not where it arrives. A NaN is born in an element that is
 * made of none, an infinity in one that is made of neither: what is among the arguments and the
 * constants, or is moved, is not. */
typedef enum ct_trap {
    CT_TRAP_NAN = 1,
    CT_TRAP_INFINITY = 2,
    CT_TRAP_OVERFLOW = 4, /* a signed integer that does not fit: of an operation on elements, of a
                             whole sum or product, of a conversion from any number; a shift by as
                             many bits as there are. Unsigned integers wrap by definition */
    CT_TRAP_DIVISION = 8, /* divide and remainder by zero, of integers and floats; an integer 0 to a
                             negative power */
    CT_TRAP_INDEX = 16,   /* out of range: what else is clamped or skipped */
    CT_TRAP_ALL = 31
} ct_trap;

typedef struct ct_compile_options {
    size_t size; /* sizeof(ct_compile_options); later versions may add members behind */
    ct_executor executor;
    bool plain_products; /* the rules' guarded products (scale, scale_either) are multiplications */
    uint64_t donated_inputs; /* bit i: a bound output may overlap the bound input i */
    uint64_t seed;           /* of the random numbers (rng) of every run */
    const char *passes_off; /* names of passes to do without, "merging,views", or "all"; NULL: none.
                               The bits are the same */
    ct_jit jit;             /* of executors that run on the tile machine */
    /* How many threads share an operation that is large, the caller's among them; 0 and 1: that one
     * alone. They are created by the first run that needs them, and end with the executable. No bit
     * of a result depends on them. The command takes CT_THREADS of the environment. */
    size_t threads;
    /* Of CT_EXECUTOR_MPFR and CT_EXECUTOR_RATIONAL: the bits of a number that is rounded, at least
     * 64, 0 for 256; and the most that any number may have, which is its largest exponent too, 0
     * for 2^20. CT_ERR_RANGE, which names the operation and, of those on elements, the element: for
     * a quotient that might have more bits, before it is computed; and for what an operation gives
     * of finite numbers where its exponent is larger: only poles (1/0) and infinite operands
     * (e^inf) give infinities. What is nearer to 0 than 2^-most_bits is 0 with CT_EXECUTOR_MPFR,
     * and CT_ERR_RANGE with CT_EXECUTOR_RATIONAL. */
    size_t bits, most_bits;
    /* Of CT_EXECUTOR_RATIONAL: an irrational operation gives a number of so many bits, and so does
     * what is made of it; else it is an error, CT_ERR_UNSUPPORTED. */
    bool continues;
    /* Bits of ct_trap. Runs end with CT_ERR_TRAP at the first operation in which one of these is
     * born; the message has the element, the operation's place, its operands' values, the iteration
     * of the loops around it, and, in a derivative, which operation's it is and whether it goes
     * backward. Every operation is looked at: the interpreter runs, in the executor's numerics,
     * and with the bits that it has without. CT_ERR_ARGUMENT for oracles, which have none of
     * this. */
    unsigned traps;
} ct_compile_options;

/* The passes of CT_EXECUTOR_CPU in their order, and what each does (NULL: not wanted). NULL from
 * their number on. */
CT_API const char *ct_pass_name(size_t position, const char **what);

/* The function as it is after the passes up to this one, before it is divided into steps: NULL, all
 * of them. CT_ERR_ARGUMENT where there is no such pass. */
CT_API ct_function *ct_lower_at(ct_place at, ct_function *f, const char *passes_off,
                                const char *after);
#define ct_lower(...) ct_lower_at(CT_HERE, __VA_ARGS__)

/* NULL options: the defaults. The executable is owned by the current scope; poisoned on failure. */
CT_API ct_executable *ct_compile_at(ct_place at, ct_function *f, const ct_compile_options *options);
#define ct_compile(...) ct_compile_at(CT_HERE, __VA_ARGS__)

CT_API bool ct_executable_is_poison(const ct_executable *f);
CT_API size_t ct_executable_parameters(const ct_executable *f);
CT_API size_t ct_executable_results(const ct_executable *f);
/* Bytes of one instance's block: every intermediate value of a run. */
CT_API size_t ct_executable_block_bytes(const ct_executable *f);

/* What became of the kernels of an executable that compiles C. Those that are not compiled run on
 * the tile machine. */
typedef struct ct_executable_state {
    size_t kernels;   /* steps of several operations */
    size_t compiled;  /* run as C */
    size_t waiting;   /* to be compiled */
    size_t declined;  /* nothing to be compiled is known for them */
    size_t failed;    /* could not be compiled */
    char reason[512]; /* why a kernel was declined or failed; "" */
} ct_executable_state;

CT_API ct_executable_state ct_executable_status(const ct_executable *f);
/* Compile what is waiting, and wait until it is done, so many seconds at most: whether it is. */
CT_API bool ct_executable_wait(const ct_executable *f, double seconds);

/* Call with concrete tensors; fresh tensors come back, in the current scope. With traced arguments
 * a call is recorded. Errors as ct_apply, and CT_ERR_INDEX from `strict` operations. */
CT_API ct_tensor *ct_call1_at(ct_place at, ct_executable *f, ct_list arguments);
CT_API void ct_call_at(ct_place at, ct_executable *f, ct_list arguments, ct_tensor **results,
                       size_t n_results);
#define ct_call1(f, ...) ct_call1_at(CT_HERE, f, __VA_ARGS__)
#define ct_call(...) ct_call_at(CT_HERE, __VA_ARGS__)

/* ---- Without a call's cost: bind raw buffers once, run often. An instance belongs to the
 * executable, not to a context; it is used by one thread at a time and freed by its owner. Never
 * NULL: when memory is short it is an instance that has failed for good. */

CT_API ct_instance *ct_instance_new(ct_executable *f);
CT_API void ct_instance_free(ct_instance *instance);

/* Buffers are row-major, in the dtype's own C type, of exactly `bytes` bytes (CT_ERR_SHAPE), and
 * aligned as that type is (CT_ERR_ARGUMENT): to the bytes of an element, for complex dtypes to
 * those of its real part; what malloc gives will do, more is not needed. They stay the caller's and
 * must outlive the runs. An output that overlaps an input (unless donated) or another output is
 * CT_ERR_ARGUMENT, reported by the bind that makes it so. */
CT_API ct_status ct_bind_input(ct_instance *instance, size_t position, const void *data,
                               size_t bytes);
CT_API ct_status ct_bind_output(ct_instance *instance, size_t position, void *data, size_t bytes);

/* Run. Allocates nothing and checks nothing again but that all buffers are bound (CT_ERR_STATE).
 * After an error of a run (CT_ERR_INDEX) the outputs are undefined and the next run is free to go.
 */
CT_API ct_status ct_run(ct_instance *instance);

/* The seed of the runs from now on, in place of the options'. Runs with one seed give the same
 * random numbers. */
CT_API ct_status ct_instance_seed(ct_instance *instance, uint64_t seed);

/* The message of the last bind or run that failed; "" without one. */
CT_API const char *ct_instance_error(const ct_instance *instance);

#ifdef __cplusplus
}
#endif
#endif
