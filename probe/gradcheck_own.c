/* The derivatives in the program's own dtypes, as its user computes them. Beside those of many
 * bits, which are right, they tell how many digits the derivative program loses. */
#include "probe/gradcheck.h"

#include <cotangent/dtype.h>
#include <cotangent/tensor.h>

#include <math.h>
#include <string.h>

/* ---- Dtypes. */

static bool is_usual(const ct_type *type)
{
    return type->kind == CT__TENSOR && (type->dtype == CT_F16 || type->dtype == CT_BF16 ||
                                        type->dtype == CT_F32 || type->dtype == CT_F64);
}

double ct__epsilon(ct_dtype dtype)
{
    switch (dtype) {
    case CT_BF16: return 0x1p-7;
    case CT_F16: return 0x1p-10;
    case CT_F32: return 0x1p-23;
    default: return 0x1p-52;
    }
}

/* Every input that moves, and every result, is real. */
static bool is_known(const ct__subject *s)
{
    for (size_t i = 0; i < s->own->n_params; i++)
        if (ct__has_tangent(ct__param_type(s->own, i)) && !is_usual(ct__param_type(s->own, i)))
            return false;
    for (size_t i = 0; i < s->own->n_results; i++)
        if (ct__has_tangent(ct__result_type(s->own, i)) && !is_usual(ct__result_type(s->own, i)))
            return false;
    return true;
}

double ct__digits_lost(ct_dtype dtype, double exact, double own, double nothing)
{
    const double epsilon = ct__epsilon(dtype), all = -log10(epsilon);
    const double error = fabs(own - exact);

    if (!isfinite(exact) || !isfinite(nothing) || error <= nothing ||
        error <= sqrt(epsilon) * fabs(exact))
        return 0;
    return isfinite(error) && exact != 0 ? fmin(all, log10(error / (epsilon * fabs(exact)))) : all;
}

/* ---- Buffers and machines. */

static void *new_buffer(const ct__subject *s, const ct_type *type)
{
    void *buffer = ct__arena_zeroed(s->arena, ct__data_bytes(type) + 1);

    if (!buffer)
        ct__gradcheck_memory(s);
    return buffer;
}

static bool start(const ct__own *o, ct__machine *m, bool forward, void *const *input)
{
    const ct__subject *s = o->s;
    const ct_args wrt = {.count = s->n_wrt, .position = s->wrt};
    ct_function *f = ct__function_new(s->ctx, s->at, ct__graph_retain(s->own));
    ct_function *derived = forward ? ct_jvp_at(s->at, f, wrt) : ct_vjp_at(s->at, f, wrt);

    return !ct_failed(s->ctx) &&
           ct__machine_begin(m, s->ctx, s->at, ct__graph_retain(derived->graph), input, 0,
                             s->arena);
}

/* The program's arguments, before `more` others. */
static void **new_inputs(const ct__subject *s, size_t more)
{
    void **input = CT__NEW_ARRAY(s->arena, void *, s->own->n_params + more);

    if (!input)
        ct__gradcheck_memory(s);
    for (size_t i = 0; input && i < s->own->n_params; i++)
        input[i] = (void *)(uintptr_t)ct__tensor_data(s->own_arguments.item[i]);
    return input;
}

static bool start_forward(ct__own *o)
{
    const ct__subject *s = o->s;
    void **input = new_inputs(s, s->n_wrt);

    o->tangent = CT__NEW_ARRAY(s->arena, void *, s->own->n_params);
    if (!input || !o->tangent)
        return ct__gradcheck_memory(s);
    for (size_t k = 0; k < s->n_wrt; k++) {
        const size_t p = (size_t)s->wrt[k];
        o->tangent[p] = input[s->own->n_params + k] = new_buffer(s, ct__param_type(s->own, p));
        if (!o->tangent[p])
            return false;
    }
    return start(o, &o->forward, true, input);
}

static bool start_reverse(ct__own *o)
{
    const ct__subject *s = o->s;
    void **input = new_inputs(s, s->own->n_results);
    size_t n = s->own->n_params;

    o->cotangent = CT__NEW_ARRAY(s->arena, void *, s->own->n_results);
    if (!input || !o->cotangent)
        return ct__gradcheck_memory(s);
    for (size_t r = 0; r < s->own->n_results; r++) {
        if (!ct__has_tangent(ct__result_type(s->own, r)))
            continue;
        o->cotangent[r] = input[n++] = new_buffer(s, ct__result_type(s->own, r));
        if (!o->cotangent[r])
            return false;
    }
    return start(o, &o->reverse, false, input);
}

static void *element(const ct_type *type, void *data, size_t i)
{
    return (unsigned char *)data + i * ct_dtype_bytes(type->dtype);
}

/* ---- Backward: once, from the ybar that the others have. */

static void fill_cotangent(const ct__own *o, const ct__slopes *slopes, size_t r, bool clear)
{
    const ct_type *type = ct__result_type(o->s->own, r);

    for (size_t i = 0; i < (size_t)type->size; i++)
        ct__store_double(type->dtype, element(type, o->cotangent[r], i),
                         clear ? 0 : slopes->ybar[slopes->first_row[r] + i]);
}

static void read_bar(const ct__own *o, const ct__slopes *slopes, double *bar)
{
    for (size_t k = 0; k < o->s->n_wrt; k++) {
        const size_t p = (size_t)o->s->wrt[k];
        const ct_type *type = ct__param_type(o->s->own, p);
        for (size_t i = 0; i < (size_t)type->size; i++)
            bar[slopes->first_column[p] + i] = ct__load_double(
                type->dtype, element(type, o->reverse.result[k], i));
    }
}

/* A run that fails leaves nothing to compare. */
static bool fill_bars(ct__own *o, const ct__slopes *slopes)
{
    const ct__subject *s = o->s;
    size_t n;

    if (ct__mul_size(s->own->n_results, slopes->n_columns, &n))
        o->bar = CT__NEW_ARRAY(s->arena, double, n);
    if (!o->bar)
        return ct__gradcheck_memory(s);
    for (size_t r = 0; r < s->own->n_results; r++) {
        if (!s->wanted[r])
            continue;
        fill_cotangent(o, slopes, r, false);
        if (ct__machine_run(&o->reverse) != CT_OK) {
            ct__machine_end(&o->reverse);
            return true;
        }
        read_bar(o, slopes, o->bar + r * slopes->n_columns);
        fill_cotangent(o, slopes, r, true);
    }
    return true;
}

/* ---- Forward. */

void ct__own_along(ct__own *o, const ct__slopes *slopes, size_t p)
{
    if (!o->s || !o->forward.instance)
        return;
    const ct__graph *own = o->s->own;
    const ct_type *type = ct__param_type(own, p);
    for (size_t i = 0; i < (size_t)type->size; i++)
        ct__store_double(type->dtype, element(type, o->tangent[p], i), slopes->tangent[p][i]);
    const bool fine = ct__machine_run(&o->forward) == CT_OK;
    memset(o->tangent[p], 0, ct__data_bytes(type));
    if (!fine)
        ct__machine_end(&o->forward);
    size_t behind = own->n_results;
    for (size_t r = 0; fine && r < own->n_results; r++) {
        const ct_type *y = ct__result_type(own, r);
        if (!ct__has_tangent(y))
            continue;
        for (size_t i = 0; o->s->wanted[r] && i < (size_t)y->size; i++)
            o->dy[slopes->first_row[r] + i] = ct__load_double(
                y->dtype, element(y, o->forward.result[behind], i));
        behind++;
    }
}

/* ---- Beginning. */

bool ct__own_begin(ct__own *o, const ct__subject *s, const ct__slopes *slopes)
{
    *o = (ct__own){.s = s};
    if (!s->own || s->bits == 0 || slopes->is_reverse_only || !is_known(s))
        return true;
    o->dy = CT__NEW_ARRAY(s->arena, double, slopes->n_rows);
    if (!o->dy)
        return ct__gradcheck_memory(s);
    return start_forward(o) && start_reverse(o) && fill_bars(o, slopes);
}

void ct__own_end(ct__own *o)
{
    ct__machine_end(&o->forward);
    ct__machine_end(&o->reverse);
}

/* ---- Where digits are lost. */

/* Numbers of f64 as a tensor of this type; NULL: zeros. */
static ct_tensor *tensor_of(const ct__subject *s, const ct_type *type, const double *x)
{
    const ct_shape shape = {(size_t)type->rank, type->dim};

    return x ? ct_from_doubles_at(s->at, s->ctx, type->dtype, shape, x)
             : ct_zeros_at(s->at, s->ctx, type->dtype, shape);
}

/* The program's arguments, then the tangents as they are, or ybar of one result. */
static ct_tensor **new_arguments(const ct__own *o, const ct__slopes *slopes, int64_t result)
{
    const ct__subject *s = o->s;
    const size_t n = s->own->n_params;
    ct_tensor **argument = CT__NEW_ARRAY(s->arena, ct_tensor *, n + s->n_wrt + s->own->n_results);
    size_t behind = n;

    if (!argument)
        ct__gradcheck_memory(s);
    for (size_t i = 0; argument && i < n; i++)
        argument[i] = s->own_arguments.item[i];
    for (size_t k = 0; argument && result < 0 && k < s->n_wrt; k++) {
        const size_t p = (size_t)s->wrt[k];
        argument[behind++] = tensor_of(s, ct__param_type(s->own, p), slopes->tangent[p]);
    }
    for (size_t r = 0; argument && result >= 0 && r < s->own->n_results; r++)
        if (ct__has_tangent(ct__result_type(s->own, r)))
            argument[behind++] = tensor_of(s, ct__result_type(s->own, r),
                                           r == (size_t)result ? slopes->ybar + slopes->first_row[r]
                                                               : NULL);
    return argument;
}

bool ct__own_blame(const ct__own *o, const ct__slopes *slopes, int64_t result, ct__blame *blame)
{
    const ct__subject *s = o->s;
    const ct__machine *m = result < 0 ? &o->forward : &o->reverse;
    const ct_compare_options options = {.size = sizeof options,
                                        .bits = s->bits == CT__QUOTIENTS ? 0 : s->bits};
    ct_tensor **argument = m->instance ? new_arguments(o, slopes, result) : NULL;

    *blame = (ct__blame){.operation = NULL};
    if (!argument)
        return !ct_failed(s->ctx);
    const ct_accuracy *a = ct_compare_at(s->at, m->f, CT_LIST(m->f->graph->n_params, argument),
                                         &options);
    if (!ct_failed(s->ctx))
        (void)ct__find_lost(a, blame);
    else if (ct_error_status(s->ctx) != CT_ERR_MEMORY)
        ct_error_clear(s->ctx); /* what cannot be compared has no name */
    return !ct_failed(s->ctx);
}
