#include "tests/fuzz/programs/modes.h"

#include "exec/saturate.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

verdict skip(char why[WHY_BYTES], const char *reason)
{
    snprintf(why, WHY_BYTES, "%s", reason);
    return SKIPPED;
}

verdict differ(char why[WHY_BYTES], const char *format, ...)
{
    va_list list;

    va_start(list, format);
    vsnprintf(why, WHY_BYTES, format, list);
    va_end(list);
    return DIFFERENT;
}

/* ---- Running. */

bool went_well(ct_context *ctx, outcome *o)
{
    o->status = ct_error_status(ctx);
    snprintf(o->message, sizeof o->message, "%s", ct_error_message(ctx));
    ct_error_clear(ctx);
    return o->status == CT_OK;
}

bool has_no_value(const outcome *o)
{
    return o->status == CT_ERR_UNSUPPORTED || o->status == CT_ERR_RANGE;
}

void run(ct_function *f, ct_list inputs, ct_executor executor, outcome *o)
{
    const ct_compile_options options = {.size = sizeof options, .executor = executor};

    run_with(f, inputs, &options, o);
}

void run_with(ct_function *f, ct_list inputs, const ct_compile_options *options, outcome *o)
{
    ct_context *ctx = ct_function_context(f);
    ct_executable *e = ct_compile(f, options);

    o->n = ct_function_results(f);
    if (o->n > MOST_OUTPUTS)
        o->n = MOST_OUTPUTS;
    if (options->executor == CT_EXECUTOR_MPFR && !ct_executable_is_poison(e))
        ct__executable_saturates(e); /* machine numbers are judged */
    ct_call(e, inputs, o->y, o->n);
    went_well(ctx, o);
}

/* ---- Bits. */

static bool same_double(double x, double y)
{
    return (x != x && y != y) || memcmp(&x, &y, sizeof x) == 0;
}

static bool same_element(ct_dtype dtype, const unsigned char *x, const unsigned char *y)
{
    const ct_dtype part = ct__part_dtype(dtype);
    const size_t bytes = ct_dtype_bytes(part);

    if (part != dtype)
        return same_element(part, x, y) && same_element(part, x + bytes, y + bytes);
    if (memcmp(x, y, bytes) == 0)
        return true;
    return ct_dtype_is_float(dtype) &&
           same_double(ct__load_double(dtype, x), ct__load_double(dtype, y));
}

bool same_bits(ct_tensor *x, ct_tensor *y, char why[WHY_BYTES])
{
    if (!ct__type_equal(x->type, y->type)) {
        differ(why, "%s and %s", ct_type_text(x), ct_type_text(y));
        return false;
    }
    const ct_dtype dtype = ct_dtype_of(x);
    const size_t bytes = ct_dtype_bytes(dtype);
    const unsigned char *a = ct_data(x), *b = ct_data(y);
    for (size_t i = 0; i < (size_t)ct_size(x); i++)
        if (!same_element(dtype, a + i * bytes, b + i * bytes)) {
            differ(why, "element %zu of %s: %.17g and %.17g", i, ct_type_text(x),
                   ct__load_double(dtype, a + i * bytes), ct__load_double(dtype, b + i * bytes));
            return false;
        }
    return true;
}

verdict same_outcomes(const outcome *a, const outcome *b, char why[WHY_BYTES])
{
    char detail[WHY_BYTES - 64];

    if (a->status != b->status)
        return differ(why, "status %s and %s: %s%s", ct_status_name(a->status),
                      ct_status_name(b->status), a->message, b->message);
    if (a->status != CT_OK)
        return skip(why, a->message);
    if (a->n != b->n)
        return differ(why, "%zu and %zu results", a->n, b->n);
    for (size_t i = 0; i < a->n; i++)
        if (!same_bits(a->y[i], b->y[i], why)) {
            snprintf(detail, sizeof detail, "%s", why);
            return differ(why, "result %zu, %s", i, detail);
        }
    return SAME;
}

/* ---- Within a bound. */

static double largest_of(ct_tensor *x)
{
    double value[MOST_ELEMENTS], largest = 0;
    const size_t n = (size_t)ct_size(x);

    if (n > MOST_ELEMENTS || !ct_to_doubles(x, value, n))
        return 0;
    for (size_t i = 0; i < n; i++)
        largest = fabs(value[i]) > largest || value[i] != value[i] ? fabs(value[i]) : largest;
    return largest;
}

static double distance(ct_tensor *x, ct_tensor *y)
{
    double a[MOST_ELEMENTS], b[MOST_ELEMENTS], largest = 0;
    const size_t n = (size_t)ct_size(x);

    if (n > MOST_ELEMENTS || !ct_to_doubles(x, a, n) || !ct_to_doubles(y, b, n))
        return 0;
    for (size_t i = 0; i < n; i++)
        largest = fabs(a[i] - b[i]) > largest ? fabs(a[i] - b[i]) : largest;
    return largest;
}

verdict near_outcomes(const outcome *a, const outcome *b, double bound, char why[WHY_BYTES])
{
    if (a->status != b->status || a->status != CT_OK || a->n != b->n)
        return same_outcomes(a, b, why);
    for (size_t i = 0; i < a->n; i++) {
        const double size = largest_of(a->y[i]), other = largest_of(b->y[i]);
        if (!isfinite(size) || !isfinite(other) || size > 1e60)
            return skip(why, "not finite");
        if (!ct__type_equal(a->y[i]->type, b->y[i]->type))
            return differ(why, "result %zu: %s and %s", i, ct_type_text(a->y[i]),
                          ct_type_text(b->y[i]));
        if (distance(a->y[i], b->y[i]) > bound * (1 + size))
            return differ(why, "result %zu: %.3g apart, the largest is %.3g", i,
                          distance(a->y[i], b->y[i]), size);
    }
    return SAME;
}
