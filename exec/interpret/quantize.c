/* Operations that compute with the real numbers of quantized tensors: real numbers of the operands
 * into scratch, the operation's own meaning on them, its results quantized. */
#include "exec/interpret/interpret.h"
#include "ops/quantize.h"

#include <string.h>

/* ---- Types. */

bool ct__find_reals(ct__eval *q, ct__arena *arena)
{
    const size_t n = q->n_operands;
    const ct_type **real;

    q->real_type = NULL;
    if (!ct__computes_with_reals(q->op) ||
        (!ct__has_quantized(n, q->in_type) && !ct__has_quantized(q->n_results, q->out_type)))
        return true;
    real = CT__NEW_ARRAY(arena, const ct_type *, n + q->n_results);
    if (!real)
        return false;
    for (size_t i = 0; i < n + q->n_results; i++) {
        real[i] = ct__type_of_reals(arena, i < n ? q->in_type[i] : q->out_type[i - n]);
        if (!real[i])
            return false;
    }
    q->real_type = real;
    return true;
}

/* ---- Slices: elements with one scale. */

typedef struct slices {
    const ct__quantized *q;
    ct_dtype storage;
    size_t run;   /* elements of a slice that lie together */
    size_t count; /* of runs */
} slices;

static slices slices_of(const ct_type *type, size_t size)
{
    slices s = {type->quantized, type->dtype, size, 1};

    if (s.q->axis >= 0 && size > 0) {
        s.run = 1;
        for (int d = s.q->axis + 1; d < type->rank; d++)
            s.run *= (size_t)type->dim[d];
        s.count = size / s.run;
    }
    return s;
}

static ct__scaling scale_of(const slices *s, size_t run)
{
    const size_t i = run % s->q->n_scales;

    return (ct__scaling){s->q->expressed,     s->storage,        s->q->scale[i],
                         s->q->zero_point[i], s->q->storage_min, s->q->storage_max};
}

static void dequantize(const ct__numerics *numerics, const ct_type *type, size_t size, void *y,
                       const void *x)
{
    const slices s = slices_of(type, size);
    const size_t x_bytes = s.run * numerics->element_bytes(s.storage);
    const size_t y_bytes = s.run * numerics->element_bytes(s.q->expressed);

    for (size_t i = 0; i < s.count && size > 0; i++) {
        const ct__scaling scale = scale_of(&s, i);

        numerics->dequantize(&scale, s.run, (unsigned char *)y + i * y_bytes,
                             (const unsigned char *)x + i * x_bytes);
    }
}

static void quantize(const ct__numerics *numerics, const ct_type *type, void *y, const void *x)
{
    const slices s = slices_of(type, (size_t)type->size);
    const size_t x_bytes = s.run * numerics->element_bytes(s.q->expressed);
    const size_t y_bytes = s.run * numerics->element_bytes(s.storage);

    for (size_t i = 0; i < s.count && type->size > 0; i++) {
        const ct__scaling scale = scale_of(&s, i);

        numerics->quantize(&scale, s.run, (unsigned char *)y + i * y_bytes,
                           (const unsigned char *)x + i * x_bytes);
    }
}

void ct__fill_zero(const ct__numerics *numerics, const ct_type *type, void *y)
{
    static const double zero = 0;
    const slices s = type->quantized ? slices_of(type, (size_t)type->size) : (slices){.count = 0};
    const size_t bytes = numerics->element_bytes(type->dtype), run = s.run * bytes;

    memset(y, 0, ct__value_bytes(numerics, type));
    for (size_t i = 0; i < s.count && type->size > 0; i++) {
        const ct__scaling scale = scale_of(&s, i);
        unsigned char *to = (unsigned char *)y + i * run;

        numerics->quantize(&scale, 1, to, &zero);
        ct__fill_elements(bytes, s.run - 1, to + bytes, to);
    }
}

/* ---- Scratch: addresses of operands and results, real numbers, the meaning's own scratch. */

static ct__eval on_reals(const ct__eval *q)
{
    ct__eval inner = *q;

    inner.in_type = q->real_type;
    inner.out_type = q->real_type + q->n_operands;
    inner.real_type = NULL;
    return inner;
}

static bool add_rounded(size_t *bytes, size_t more)
{
    return ct__round_up(more, &more) && !__builtin_add_overflow(*bytes, more, bytes);
}

bool ct__reals_scratch(const ct__eval *q, size_t *bytes)
{
    const ct__eval inner = on_reals(q);
    size_t own;

    *bytes = 0;
    if (!ct__scratch_bytes(&inner, &own) ||
        !add_rounded(bytes, (q->n_operands + q->n_results) * sizeof(void *)) ||
        !add_rounded(bytes, own))
        return false;
    for (size_t i = 0; i < q->n_operands + q->n_results; i++) {
        const ct_type *type = i < q->n_operands ? q->in_type[i] : q->out_type[i - q->n_operands];

        if (type->quantized && !add_rounded(bytes, ct__value_bytes(q->numerics, q->real_type[i])))
            return false;
    }
    return true;
}

/* Takes so many bytes from the scratch that is left. */
static void *take(unsigned char **scratch, size_t bytes)
{
    void *taken = *scratch;

    ct__round_up(bytes, &bytes);
    *scratch += bytes;
    return taken;
}

bool ct__evaluate_reals(const ct__eval *q)
{
    ct__eval inner = on_reals(q);
    unsigned char *scratch = q->scratch;
    const void **in = take(&scratch, (q->n_operands + q->n_results) * sizeof(void *));
    void **out = (void **)(void *)(in + q->n_operands);

    for (size_t i = 0; i < q->n_operands; i++) {
        const bool is_repeated = i < 32 && q->repeated >> i & 1;
        void *real;

        in[i] = q->in[i];
        if (!q->in_type[i]->quantized)
            continue;
        in[i] = real = take(&scratch, ct__value_bytes(q->numerics, inner.in_type[i]));
        dequantize(q->numerics, q->in_type[i], is_repeated ? 1 : (size_t)q->in_type[i]->size, real,
                   q->in[i]);
    }
    for (size_t i = 0; i < q->n_results; i++)
        out[i] = q->out_type[i]->quantized
                     ? take(&scratch, ct__value_bytes(q->numerics, inner.out_type[i]))
                     : q->out[i];
    inner.in = in;
    inner.out = out;
    inner.scratch = scratch;
    if (!ct__evaluate(&inner))
        return false;
    for (size_t i = 0; i < q->n_results; i++)
        if (q->out_type[i]->quantized)
            quantize(q->numerics, q->out_type[i], q->out[i], out[i]);
    return true;
}

/* ---- uniform_quantize, uniform_dequantize: nothing happens to the real numbers. */

bool ct__meaning_uniform(const ct__eval *q)
{
    memcpy(q->out[0], q->in[0], ct__value_bytes(q->numerics, q->in_type[0]));
    return true;
}
