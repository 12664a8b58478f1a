#include "exec/exec.h"
#include "exec/passes/passes.h"

#include <string.h>

/* Never written. */
static const ct_executable static_poison = {.handle = {.kind = CT__HANDLE_EXECUTABLE}};

static ct_executable *poison(void)
{
    return (ct_executable *)(uintptr_t)&static_poison;
}

static void finish(ct__handle *handle)
{
    ct__program_release(((ct_executable *)handle)->program);
}

/* A handle in the current scope; takes over the reference. */
static ct_executable *new_handle(ct_context *ctx, ct_place at, const char *what,
                                 ct__program *program)
{
    ct_executable *f = ct__handle_new(ctx, CT__HANDLE_EXECUTABLE, sizeof *f, finish);

    if (!f) {
        ct__error_memory(ctx, at, what);
        ct__program_release(program);
        return poison();
    }
    f->program = program;
    return f;
}

/* ---- Options. */

/* The tile machine with this way to compile C, or else with its own. */
static const ct__executor *tile_machine(ct_jit jit, ct_jit own)
{
    switch (jit == CT_JIT_DEFAULT ? own : jit) {
    case CT_JIT_OFF: return &ct__cpu;
    case CT_JIT_BACKGROUND: return &ct__automatic;
    default: return &ct__compiled;
    }
}

/* NULL: there is none. */
static const ct__executor *executor_of(const ct_compile_options *options)
{
    if (options->traps && (unsigned)options->executor <= CT_EXECUTOR_JIT)
        return options->executor == CT_EXECUTOR_INTERPRETER ? &ct__interpreter : &ct__machine;
    switch (options->executor) {
    case CT_EXECUTOR_DEFAULT: return tile_machine(options->jit, CT_JIT_BACKGROUND);
    case CT_EXECUTOR_INTERPRETER: return &ct__interpreter;
    case CT_EXECUTOR_MACHINE: return &ct__machine;
    case CT_EXECUTOR_CPU: return tile_machine(options->jit, CT_JIT_OFF);
    case CT_EXECUTOR_JIT: return tile_machine(options->jit, CT_JIT_NOW);
#ifdef CT_ORACLE
    case CT_EXECUTOR_MPFR:
    case CT_EXECUTOR_RATIONAL: return &ct__oracle;
#endif
    default: return NULL;
    }
}

static bool is_oracle(const ct_compile_options *options)
{
    return options->executor == CT_EXECUTOR_MPFR || options->executor == CT_EXECUTOR_RATIONAL;
}

static size_t or_else(size_t given, size_t usual)
{
    return given ? given : usual;
}

static bool has_precision(const ct_compile_options *options)
{
    const size_t bits = or_else(options->bits, CT__USUAL_BITS);
    const size_t most = or_else(options->most_bits, CT__USUAL_MOST_BITS);
    return bits >= 64 && bits <= (size_t)1 << 24 && most >= bits && most <= (size_t)1 << 28;
}

static bool read_options(ct_context *ctx, ct_place at, const ct_compile_options *given,
                         ct_compile_options *options)
{
    *options = (ct_compile_options){.size = sizeof *options};
    if (!ct__read_options(ctx, at, "compile", "ct_compile_options", given, options,
                          sizeof *options))
        return false;
    if ((unsigned)options->jit > CT_JIT_NOW)
        ct__error(ctx, at, CT_ERR_ARGUMENT,
                  "compile: there is no way to compile C that is called %d", (int)options->jit);
    else if (!executor_of(options))
        ct__error(ctx, at, CT_ERR_ARGUMENT, "compile: there is no executor %d%s",
                  (int)options->executor,
                  is_oracle(options) ? " in a library without GMP and MPFR" : "");
    else if (options->traps & ~(unsigned)CT_TRAP_ALL)
        ct__error(ctx, at, CT_ERR_ARGUMENT, "compile: there is no trap %u",
                  options->traps & ~(unsigned)CT_TRAP_ALL);
    else if (options->traps && is_oracle(options))
        ct__error(ctx, at, CT_ERR_ARGUMENT,
                  "compile: traps are for numbers of the program's dtypes; an oracle has others");
    else if (is_oracle(options) && !has_precision(options))
        ct__error(
            ctx, at, CT_ERR_ARGUMENT,
            "compile: numbers have 64 to 2^24 bits, not %zu, and no more than the limit, which is "
            "%zu and at most 2^28",
            or_else(options->bits, CT__USUAL_BITS),
            or_else(options->most_bits, CT__USUAL_MOST_BITS));
    else
        return true;
    return false;
}

/* The graph for the executor, a reference for the caller: the interpreter takes it as it is, in
 * every numerics. */
static ct__graph *lower(ct_context *ctx, ct_place at, ct__graph *graph,
                        const ct_compile_options *options, unsigned off)
{
    const ct__executor *executor = executor_of(options);
    const bool is_interpreter = executor == &ct__interpreter || executor == &ct__machine ||
                                is_oracle(options);
    return is_interpreter ? ct__graph_retain(graph) : ct__lower(ctx, at, graph, off);
}

/* ---- Compiling. */

ct_executable *ct_compile_at(ct_place at, ct_function *f, const ct_compile_options *given)
{
    ct_context *ctx = ct_function_context(f);
    ct_compile_options options;
    ct__run_error error;
    unsigned off;

    if (!ct__function_check(ctx, at, "compile", f) || !read_options(ctx, at, given, &options) ||
        !ct__passes_off(ctx, at, "compile", options.passes_off, &off))
        return poison();
    ct__graph *graph = lower(ctx, at, f->graph, &options, off);
    if (!graph)
        return poison();
    ct__program *program = ct__program_new(&ctx->allocator, graph, executor_of(&options), &options,
                                           off, &ctx->customs, &error);
    if (!program) /* the error's place is the graph's */
        ct__report_run_error(ctx, at, "compile", &error);
    ct__graph_release(graph);
    return program ? new_handle(ctx, at, "compile", program) : poison();
}

ct_executable *ct_adopt_executable(ct_context *ctx, const ct_executable *f)
{
    if (ct_failed(ctx))
        return poison();
    if (ct_executable_is_poison(f)) {
        ct__error(ctx, (ct_place){NULL, 0, 0}, f ? CT_ERR_POISON : CT_ERR_ARGUMENT,
                  f ? "adopt: the executable is the poisoned result of an earlier error"
                    : "adopt: the executable is NULL");
        return poison();
    }
    return new_handle(ctx, (ct_place){NULL, 0, 0}, "adopt", ct__program_retain(f->program));
}

/* ---- Owning. Poison is static: no scope owns it. */

ct_executable *ct_keep_executable(ct_executable *f)
{
    if (!ct_executable_is_poison(f))
        ct__handle_keep(&f->handle);
    return f;
}

void ct_release_executable(ct_executable *f)
{
    if (!ct_executable_is_poison(f))
        ct__handle_free(&f->handle);
}

/* ---- Looking. */

bool ct_executable_is_poison(const ct_executable *f)
{
    return !f || !f->program;
}

size_t ct_executable_parameters(const ct_executable *f)
{
    return ct_executable_is_poison(f) ? 0 : f->program->graph->n_params;
}

size_t ct_executable_results(const ct_executable *f)
{
    return ct_executable_is_poison(f) ? 0 : f->program->graph->n_results;
}

ct_executable_state ct_executable_status(const ct_executable *f)
{
    ct_executable_state state = {.reason = ""};
    if (!ct_executable_is_poison(f) && f->program->executor->status)
        f->program->executor->status(f->program->prepared, &state);
    return state;
}

bool ct_executable_wait(const ct_executable *f, double seconds)
{
    return ct_executable_is_poison(f) || !f->program->executor->wait ||
           f->program->executor->wait(f->program->prepared, seconds);
}

size_t ct_executable_block_bytes(const ct_executable *f)
{
    return ct_executable_is_poison(f) ? 0 : f->program->block_bytes;
}
