#include "exec/profile.h"
#include "exec/trap.h"
#include "ops/ordered.h"

#include <cotangent/profile.h>

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct ct_instance {
    ct_status dead;       /* CT_OK, or why it can never run */
    ct__program *program; /* counted */
    unsigned char *block;
    uint64_t seed;
    ct__profile *profile; /* NULL: runs are not timed */
    const void **input;   /* NULL: not bound */
    void **output;
    /* The bytes of bound buffers, by address: of inputs that are not donated, and of outputs. The
     * tie is the position. */
    ct__ordered *inputs, *outputs;
    ct__ordered *input_bytes, *output_bytes; /* the members, one per buffer */
    char message[1200];
};

/* Never written. */
static const ct_instance without_memory = {.dead = CT_ERR_MEMORY,
                                           .message = "the instance could not be made: out of "
                                                      "memory"};
static const ct_instance of_poison = {.dead = CT_ERR_POISON,
                                      .message = "the instance is of an executable that is NULL or "
                                                 "the poisoned result of an earlier error"};

static ct_instance *dead(const ct_instance *instance)
{
    return (ct_instance *)(uintptr_t)instance;
}

static size_t n_inputs(const ct_instance *x)
{
    return x->program->graph->n_params;
}

static size_t n_outputs(const ct_instance *x)
{
    return x->program->graph->n_results;
}

static const ct_type *input_type(const ct_instance *x, size_t i)
{
    return ct__param_type(x->program->graph, i);
}

static const ct_type *output_type(const ct_instance *x, size_t i)
{
    return ct__result_type(x->program->graph, i);
}

/* ---- Making and freeing. The instance, and behind it what it knows of each buffer, are one block.
 */

static size_t instance_bytes(const ct__program *program)
{
    size_t buffers = program->graph->n_params + program->graph->n_results;

    return sizeof(ct_instance) + buffers * (sizeof(void *) + sizeof(ct__ordered));
}

ct_instance *ct_instance_new(ct_executable *f)
{
    if (ct_executable_is_poison(f))
        return dead(&of_poison);
    ct__program *program = f->program;
    ct_instance *x = ct__alloc_zeroed(&program->allocator, instance_bytes(program));
    unsigned char *block = ct__program_take_block(program);
    if (!x || !block) {
        ct__program_give_block(program, block);
        ct__release(&program->allocator, x, instance_bytes(program));
        return dead(&without_memory);
    }
    x->program = ct__program_retain(program);
    x->block = block;
    x->seed = program->seed;
    x->input_bytes = (ct__ordered *)(void *)(x + 1);
    x->output_bytes = x->input_bytes + n_inputs(x);
    x->input = (const void **)(void *)(x->output_bytes + n_outputs(x));
    x->output = (void **)(void *)(x->input + n_inputs(x));
    return x;
}

void ct_instance_free(ct_instance *x)
{
    if (!x || x->dead != CT_OK)
        return;
    ct__program *program = x->program;
    ct__program_give_block(program, x->block);
    ct_allocator allocator = program->allocator;
    ct__profile_free(&allocator, x->profile);
    ct__release(&allocator, x, instance_bytes(program));
    ct__program_release(program);
}

const char *ct_instance_error(const ct_instance *x)
{
    return x ? x->message : "the instance is NULL";
}

/* ---- Binding. */

static ct_status __attribute__((format(printf, 3, 4)))
fail(ct_instance *x, ct_status status, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(x->message, sizeof x->message, format, arguments);
    va_end(arguments);
    return status;
}

static ct_status check_usable(const ct_instance *x)
{
    return x ? x->dead : CT_ERR_ARGUMENT;
}

/* Of an element's C type; complex types are aligned as their parts are, tuples as the element that
 * asks for most. */
static size_t alignment_of(const ct_type *type)
{
    size_t bytes = type->kind == CT__TENSOR ? ct_dtype_bytes(type->dtype) : 1;

    for (size_t i = 0; i < type->n_elements; i++)
        if (alignment_of(type->element[i]) > bytes)
            bytes = alignment_of(type->element[i]);
    return type->kind == CT__TENSOR && ct_dtype_is_complex(type->dtype) ? bytes / 2 : bytes;
}

static ct_status check_buffer(ct_instance *x, const char *what, size_t i, const ct_type *type,
                              const void *data, size_t bytes)
{
    char text[256];

    if (bytes != ct__data_bytes(type))
        return fail(x, CT_ERR_SHAPE, "bind: %s %zu is %s and has %zu bytes, got %zu", what, i,
                    ct__type_print(type, text, sizeof text), ct__data_bytes(type), bytes);
    if (!data && bytes > 0)
        return fail(x, CT_ERR_ARGUMENT, "bind: the buffer of %s %zu is NULL", what, i);
    if ((uintptr_t)data % alignment_of(type) != 0)
        return fail(x, CT_ERR_ARGUMENT, "bind: the buffer of %s %zu is not aligned for %s", what, i,
                    type->kind == CT__TENSOR ? ct_dtype_name(type->dtype)
                                             : ct__type_print(type, text, sizeof text));
    return CT_OK;
}

static bool is_donated(const ct_instance *x, size_t input)
{
    return input < 64 && (x->program->donated_inputs >> input & 1);
}

/* The first buffer of a set, but `except`, that the bytes overlap; SIZE_MAX without one. */
static size_t overlapped(const ct__ordered *set, const void *data, size_t bytes, size_t except)
{
    uintptr_t begin = (uintptr_t)data;

    return bytes > 0 ? ct__ordered_overlap(set, begin, begin + bytes, except) : SIZE_MAX;
}

/* The buffer moves from `old`, NULL for nowhere, to `data`. */
static void move_buffer(ct__ordered **set, ct__ordered *buffer, size_t position, const void *old,
                        const void *data, size_t bytes)
{
    uintptr_t begin = (uintptr_t)data;

    if (bytes == 0)
        return;
    if (old)
        ct__ordered_remove(set, buffer);
    *buffer = (ct__ordered){.key = begin, .tie = position, .end = begin + bytes};
    ct__ordered_insert(set, buffer);
}

ct_status ct_bind_input(ct_instance *x, size_t i, const void *data, size_t bytes)
{
    ct_status status = check_usable(x);
    size_t other;

    if (status != CT_OK)
        return status;
    if (i >= n_inputs(x))
        return fail(x, CT_ERR_ARGUMENT, "bind: there is no input %zu of %zu", i, n_inputs(x));
    status = check_buffer(x, "input", i, input_type(x, i), data, bytes);
    if (status != CT_OK)
        return status;
    if (!is_donated(x, i)) {
        other = overlapped(x->outputs, data, bytes, SIZE_MAX);
        if (other != SIZE_MAX)
            return fail(x, CT_ERR_ARGUMENT, "bind: input %zu overlaps output %zu", i, other);
        move_buffer(&x->inputs, &x->input_bytes[i], i, x->input[i], data, bytes);
    }
    x->input[i] = data ? data : x->block; /* no bytes are read */
    return CT_OK;
}

ct_status ct_bind_output(ct_instance *x, size_t i, void *data, size_t bytes)
{
    ct_status status = check_usable(x);
    size_t other;

    if (status != CT_OK)
        return status;
    if (i >= n_outputs(x))
        return fail(x, CT_ERR_ARGUMENT, "bind: there is no output %zu of %zu", i, n_outputs(x));
    status = check_buffer(x, "output", i, output_type(x, i), data, bytes);
    if (status != CT_OK)
        return status;
    other = overlapped(x->inputs, data, bytes, SIZE_MAX);
    if (other != SIZE_MAX)
        return fail(x, CT_ERR_ARGUMENT, "bind: output %zu overlaps input %zu", i, other);
    other = overlapped(x->outputs, data, bytes, i);
    if (other != SIZE_MAX)
        return fail(x, CT_ERR_ARGUMENT, "bind: output %zu overlaps output %zu", i, other);
    move_buffer(&x->outputs, &x->output_bytes[i], i, x->output[i], data, bytes);
    x->output[i] = data ? data : x->block; /* no bytes are written */
    return CT_OK;
}

/* ---- Running. */

ct_status ct_instance_seed(ct_instance *x, uint64_t seed)
{
    ct_status status = check_usable(x);

    if (status == CT_OK)
        x->seed = seed;
    return status;
}

static ct_status check_bound(ct_instance *x)
{
    for (size_t i = 0; i < n_inputs(x); i++)
        if (!x->input[i])
            return fail(x, CT_ERR_STATE, "run: input %zu is not bound", i);
    for (size_t i = 0; i < n_outputs(x); i++)
        if (!x->output[i])
            return fail(x, CT_ERR_STATE, "run: output %zu is not bound", i);
    return CT_OK;
}

static ct_status fail_run(ct_instance *x, const ct__run_error *error)
{
    char place[4096];
    if (error->at.file && ct__place_print(error->at, "", place, sizeof place) > 0)
        return fail(x, error->status, "%s: %s", place, error->message);
    return fail(x, error->status, "%s", error->message);
}

ct_status ct_run(ct_instance *x)
{
    ct_status status = check_usable(x);
    ct__run_error error;

    if (status == CT_OK)
        status = check_bound(x);
    if (status != CT_OK)
        return status;
    const ct__program *program = x->program;
    ct__trap trap;
    error.draws = (ct__draws){.seed = x->seed};
    error.time = x->profile ? x->profile->time : NULL;
    error.keep = NULL;
    error.watch = ct__trap_begin(&trap, program);
    if (program->executor->run(program->prepared, x->input, x->output, x->block, &error))
        return CT_OK;
    return fail_run(x, &error);
}

/* ---- Profiles. */

const ct__profile *ct__instance_profile(const ct_instance *x)
{
    return x ? x->profile : NULL;
}

const ct_allocator *ct__instance_allocator(const ct_instance *x)
{
    return &x->program->allocator;
}

ct_status ct_profile_begin(ct_instance *x)
{
    ct_status status = check_usable(x);

    if (status != CT_OK)
        return status;
    ct_profile_end(x);
    x->profile = ct__profile_new(&x->program->allocator,
                                 x->program->executor->plan(x->program->prepared));
    return x->profile ? CT_OK : fail(x, CT_ERR_MEMORY, "profile: out of memory");
}

void ct_profile_end(ct_instance *x)
{
    if (check_usable(x) != CT_OK)
        return;
    ct__profile_free(&x->program->allocator, x->profile);
    x->profile = NULL;
}
