/* Meanings that know machine elements alone: constants, random numbers, functions of the program.
 */
#include "exec/oracle/oracle.h"

#include <string.h>

/* ---- Constants. */

static bool load_all(const ct__eval *q, const ct__literal *literal)
{
    const ct_allocator *allocator = &ct__numbers_now()->allocator;
    const size_t bytes = ct__data_bytes(literal->type);
    void *machine = ct__alloc(allocator, bytes);

    if (!machine)
        return ct__run_fail(q, CT_ERR_MEMORY, "out of memory");
    ct__literal_copy_out(literal, machine);
    ct__load_value(q->numerics, literal->type, q->out[0], machine);
    ct__release(allocator, machine, bytes);
    return true;
}

/* Equal elements are one number. */
bool ct__oracle_constant(const ct__eval *q)
{
    const ct__literal *literal = q->attrs->constant.value;
    const ct_type *type = literal->type;
    size_t bytes;

    if (type->kind != CT__TENSOR || type->size == 0 || !ct__literal_is_splat(literal))
        return load_all(q, literal);
    bytes = q->numerics->element_bytes(type->dtype);
    ct__load_numbers(type->dtype, 1, q->out[0], ct__literal_first(literal));
    ct__fill_elements(bytes, (size_t)type->size - 1, (unsigned char *)q->out[0] + bytes, q->out[0]);
    return true;
}

/* ---- By way of machine elements. */

/* Machine memory for the values, each from a multiple of CT__ALIGN on, and where they are; false
 * after an error. */
static bool take(const ct__eval *q, size_t n, const ct_type *const *type, void **at, void **block,
                 size_t *bytes)
{
    size_t offset = 0;

    *bytes = 0;
    for (size_t i = 0; i < n; i++)
        *bytes = ct__add_aligned(*bytes, ct__data_bytes(type[i]));
    *block = *bytes < SIZE_MAX ? ct__alloc_elements(&ct__numbers_now()->allocator, *bytes) : NULL;
    if (!*block) {
        ct__run_fail(q, CT_ERR_MEMORY, "out of memory");
        return false;
    }
    for (size_t i = 0; i < n; i++) {
        at[i] = (unsigned char *)*block + offset;
        offset = ct__add_aligned(offset, ct__data_bytes(type[i]));
    }
    return true;
}

static bool evaluate(const ct__eval *q, bool (*meaning)(const ct__eval *q), void **in, void **out)
{
    ct__eval machine = *q;
    bool fine;

    machine.numerics = &ct__reference_numerics;
    machine.in = (const void *const *)in;
    machine.out = out;
    for (size_t i = 0; i < q->n_operands; i++)
        ct__store_value(q->numerics, q->in_type[i], in[i], q->in[i]);
    fine = meaning(&machine);
    for (size_t i = 0; fine && i < q->n_results; i++)
        ct__load_value(q->numerics, q->out_type[i], q->out[i], out[i]);
    return fine;
}

bool ct__oracle_outside(const ct__eval *q, bool (*meaning)(const ct__eval *q))
{
    const ct_allocator *allocator = &ct__numbers_now()->allocator;
    const size_t count = q->n_operands + q->n_results;
    void **at = ct__alloc(allocator, (count + 1) * sizeof *at);
    void *in = NULL, *out = NULL;
    size_t in_bytes = 0, out_bytes = 0;
    bool fine;

    if (!at)
        return ct__run_fail(q, CT_ERR_MEMORY, "out of memory");
    fine = take(q, q->n_operands, q->in_type, at, &in, &in_bytes) &&
           take(q, q->n_results, q->out_type, at + q->n_operands, &out, &out_bytes) &&
           evaluate(q, meaning, at, at + q->n_operands);
    ct__release(allocator, in, in_bytes);
    ct__release(allocator, out, out_bytes);
    ct__release(allocator, at, (count + 1) * sizeof *at);
    return fine;
}

/* ---- Bits: integers have those of a float, but a number of the run has none. */

bool ct__oracle_bitcast_convert(const ct__eval *q, bool (*meaning)(const ct__eval *q))
{
    const ct_dtype x = q->in_type[0]->dtype, y = q->out_type[0]->dtype;

    if (ct_dtype_is_integer(x) || x == CT_BOOL)
        return ct__oracle_outside(q, meaning);
    if (x != y)
        return ct__run_fail(q, CT_ERR_UNSUPPORTED,
                            "%s to %s: the numbers of this run are no floats and have no bits",
                            ct_dtype_name(x), ct_dtype_name(y));
    memcpy(q->out[0], q->in[0], ct__value_bytes(q->numerics, q->in_type[0]));
    return true;
}
