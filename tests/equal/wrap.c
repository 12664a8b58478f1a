/* Linked between a program and the library (--wrap=ct_compile_at): what the program compiles
 * without saying how runs as the environment's EQUAL_WAY says, "machine", "cpu" or "jit", without
 * the passes that EQUAL_WITHOUT names. */
#include <cotangent/exec.h>

#include <stdlib.h>
#include <string.h>

ct_executable *__real_ct_compile_at(ct_place at, ct_function *f, const ct_compile_options *options);
ct_executable *__wrap_ct_compile_at(ct_place at, ct_function *f, const ct_compile_options *options);

static void choose(ct_compile_options *options)
{
    const char *way = getenv("EQUAL_WAY");
    if (way && strcmp(way, "machine") == 0)
        options->executor = CT_EXECUTOR_MACHINE;
    if (way && strcmp(way, "cpu") == 0) {
        options->executor = CT_EXECUTOR_CPU;
        options->jit = CT_JIT_OFF;
    }
    if (way && strcmp(way, "jit") == 0) {
        options->executor = CT_EXECUTOR_JIT;
        options->jit = CT_JIT_NOW;
    }
    const char *without = getenv("EQUAL_WITHOUT");
    options->passes_off = without && *without ? without : NULL;
}

ct_executable *__wrap_ct_compile_at(ct_place at, ct_function *f, const ct_compile_options *options)
{
    ct_compile_options own = {.size = sizeof own};
    if (options)
        memcpy(&own, options, options->size < sizeof own ? options->size : sizeof own);
    own.size = sizeof own;
    if (own.executor == CT_EXECUTOR_DEFAULT)
        choose(&own);
    return __real_ct_compile_at(at, f, &own);
}
