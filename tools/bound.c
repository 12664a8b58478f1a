#include "tools/bound.h"

#include "bench/bench.h"

#include <stdlib.h>

bool run_bound(void *user)
{
    const bound *b = user;
    return ct_run(b->run) == CT_OK;
}

static size_t bytes_of(const ct_type *type)
{
    size_t bytes = ct_dtype_bytes(ct_type_dtype(type));
    ct_shape shape = ct_type_shape(type);
    for (size_t d = 0; d < shape.count; d++)
        bytes *= (size_t)shape.dim[d];
    return bytes;
}

/* At least one byte, and its pages touched. */
static void *new_result(size_t bytes)
{
    const size_t rounded = bytes / 64 * 64 + 64;
    void *memory = aligned_alloc(64, rounded);
    if (memory)
        memset(memory, 0, rounded);
    return memory;
}

static bool bind_inputs(ct_function *f, const array_list *list, bound *b)
{
    bool fine = true;
    for (size_t i = 0; fine && i < list->count; i++) {
        const size_t bytes = bytes_of(ct_parameter_type(f, i));
        fine = ct_bind_input(b->run, i, ct_data_at(NOWHERE, list->tensor[i]), bytes) == CT_OK;
        b->bytes += bytes;
    }
    return fine;
}

static bool bind_results(ct_function *f, bound *b)
{
    bool fine = b->result != NULL;
    for (size_t i = 0; fine && i < b->n_results; i++) {
        const ct_type *type = ct_result_type(f, i);
        const size_t bytes = bytes_of(type);
        b->result[i] = new_result(bytes);
        fine = b->result[i] && ct_bind_output(b->run, i, b->result[i], bytes) == CT_OK;
        b->bytes += bytes;
    }
    return fine;
}

/* Tuples and tokens have no buffers of their own here. */
static bool has_only_tensors(ct_function *f)
{
    bool fine = true;
    for (size_t i = 0; i < ct_function_results(f); i++)
        fine = fine && ct_type_dtype(ct_result_type(f, i)) != CT_INVALID_DTYPE;
    return fine;
}

bool bind_function(ct_context *ctx, ct_function *f, const array_list *list, const run_words *how,
                   bound *b)
{
    const double began = now();
    *b = (bound){.executable = compile_for(f, how)};
    b->compiling = now() - began;
    if (ct_failed(ctx))
        return input_error(ctx), false;
    if (!has_only_tensors(f)) {
        fprintf(stderr, "cotangent: %s: a result is no tensor\n", ct_function_name(f));
        return false;
    }
    b->run = ct_instance_new(b->executable);
    b->n_results = ct_function_results(f);
    b->result = calloc(b->n_results + 1, sizeof *b->result);
    if (bind_inputs(f, list, b) && bind_results(f, b))
        return true;
    fprintf(stderr, "cotangent: %s\n",
            *ct_instance_error(b->run) ? ct_instance_error(b->run) : "out of memory");
    return false;
}

void free_bound(bound *b)
{
    if (b->run)
        ct_instance_free(b->run);
    for (size_t i = 0; b->result && i < b->n_results; i++)
        free(b->result[i]);
    free(b->result);
}
