#include "probe/compare.h"

#include <math.h>
#include <string.h>

static bool is_number(ct_dtype dtype)
{
    return ct_dtype_is_float(dtype) || ct_dtype_is_complex(dtype);
}

static ct_dtype part_of(ct_dtype dtype)
{
    return dtype == CT_C64 ? CT_F32 : dtype == CT_C128 ? CT_F64 : dtype;
}

/* Whether its elements have sizes of error: else they are the same or differ. */
static bool is_measured(const ct_type *type)
{
    return type->quantized || is_number(type->dtype);
}

static size_t parts_of(const ct_type *type)
{
    return (size_t)type->size * (ct_dtype_is_complex(type->dtype) ? 2 : 1);
}

/* Tensors that have elements are looked at. */
static bool is_seen(const ct_type *type)
{
    return type->kind == CT__TENSOR && type->size > 0;
}

static bool fail_memory(const ct__eval *q)
{
    return ct__run_fail(q, CT_ERR_MEMORY, "out of memory");
}

/* An operation whose bodies work on elements is one operation. */
static bool evaluate_alone(ct__watch *watch, const ct__eval *q)
{
    q->error->watch = NULL;
    const bool fine = ct__evaluate(q);
    q->error->watch = watch;
    return fine;
}

/* ---- Sites. */

/* NULL: it has not run. */
static ct__site *find_site(const ct_accuracy *c, const ct__graph *graph, uint32_t node)
{
    size_t i;

    return ct__lookup_find(&c->site_of, (uintptr_t)graph, node, &i) ? &c->site[i] : NULL;
}

/* NULL when memory is short. */
static ct__site *new_site(ct_accuracy *c, const ct__graph *graph, uint32_t node, size_t n_results)
{
    const ct_allocator *allocator = &c->arena.allocator;
    ct_compared *found = CT__NEW_ARRAY(&c->arena, ct_compared, n_results);

    if (!found || !ct__lookup_reserve(allocator, &c->site_of) ||
        !ct__grow(allocator, &c->site, &c->site_capacity, c->n_sites + 1, sizeof *c->site))
        return NULL;
    ct__lookup_add(&c->site_of, (uintptr_t)graph, node, c->n_sites);
    ct__site *site = &c->site[c->n_sites++];
    *site = (ct__site){.graph = graph, .node = node, .found = found};
    return site;
}

static ct__event *new_event(ct_accuracy *c, const ct__graph *graph, uint32_t node, size_t n_results)
{
    ct__site *site = find_site(c, graph, node);
    ct__event *event = CT__NEW(&c->arena, ct__event), *last;

    site = site ? site : new_site(c, graph, node, n_results);
    if (!site || !event)
        return NULL;
    event->made = CT__NEW_ARRAY(&c->arena, ct__made, n_results);
    last = site->now; /* while the machine runs, the newest one */
    *(last ? &last->next : &site->first) = event;
    site->now = event;
    return event->made ? event : NULL;
}

/* ---- The machine's run. */

/* Whether what the operation gives on these operands can be said once more: it has no effect, calls
 * nobody, and everything is a tensor. */
static bool has_shadow(const ct__eval *q)
{
    return !ct__has(q->op, CT__EFFECT) && q->op != CT__OP_custom_call &&
           q->op != CT__OP_bitcast_convert && !ct__is_identity(q->op) && ct__has_tensors_only(q);
}

/* ---- Elements, or parts of complex ones. */

static const void *part_at(const ct_type *type, const void *machine, size_t i)
{
    return (const unsigned char *)machine + i * ct_dtype_bytes(part_of(type->dtype));
}

/* x is of the exact run. Of quantized elements in steps of their scale. */
static ct__error_of error_at(const ct_type *type, const void *machine, const void *x, size_t i)
{
    if (!type->quantized)
        return ct__error_from(part_of(type->dtype), part_at(type, machine, i),
                              ((const ct__number *)x)[i]);
    const double steps = ct__load_double(type->dtype, part_at(type, machine, i)) -
                         ct__load_double(type->dtype, part_at(type, x, i));
    return (ct__error_of){.difference = steps, .ulps = fabs(steps)};
}

/* The real number that a stored integer stands for. */
static double expressed_at(const ct_type *type, const void *stored, size_t i)
{
    const ct__quantized *q = type->quantized;
    size_t inner = 1, slice = 0;

    for (int d = q->axis + 1; q->axis >= 0 && d < type->rank; d++)
        inner *= (size_t)type->dim[d];
    if (q->axis >= 0)
        slice = i / inner % q->n_scales;
    return (ct__load_double(type->dtype, part_at(type, stored, i)) - (double)q->zero_point[slice]) *
           q->scale[slice];
}

static double machine_at(const ct_type *type, const void *machine, size_t i)
{
    return type->quantized ? expressed_at(type, machine, i)
                           : ct__load_double(part_of(type->dtype), part_at(type, machine, i));
}

static double exact_at(const ct_type *type, const void *x, size_t i)
{
    return type->quantized ? expressed_at(type, x, i) : ct__double_of(((const ct__number *)x)[i]);
}

/* The differences of what the machine has just made from x. */
static const double *find_born(ct_accuracy *c, const ct_type *type, const void *machine,
                               const void *x)
{
    const size_t n = parts_of(type);
    double *born = CT__NEW_ARRAY(&c->arena, double, n);

    for (size_t i = 0; born && i < n; i++)
        born[i] = error_at(type, machine, x, i).difference;
    return born;
}

static bool record(ct__comparing *w, const ct__graph *graph, uint32_t node, const ct__eval *q,
                   void *const *exact)
{
    ct__event *event = new_event(w->to, graph, node, q->n_results);

    if (!event)
        return false;
    for (size_t i = 0; i < q->n_results; i++) {
        const ct_type *type = q->out_type[i];
        ct__made *made = &event->made[i];
        if (!is_seen(type))
            continue;
        made->machine = ct__arena_copy(&w->to->arena, q->out[i], ct__data_bytes(type));
        if (exact && is_measured(type))
            made->born = find_born(w->to, type, q->out[i], exact[i]);
        if (!made->machine || (exact && is_measured(type) && !made->born))
            return false;
    }
    return true;
}

bool ct__watch_machine(ct__watch *watch, const ct__graph *graph, uint32_t node, const ct__eval *q)
{
    ct__comparing *w = (ct__comparing *)watch;
    void *const *exact = NULL;
    ct__run_error error;

    if (ct__has(q->op, CT__CONTROL))
        return ct__evaluate(q);
    if (has_shadow(q)) {
        exact = ct__shadow_evaluate(w->shadow, graph, node, q, &error);
        if (!exact && error.status != CT_ERR_UNSUPPORTED)
            return ct__run_fail(q, error.status, "in exact numbers: %s", error.message);
    }
    if (!evaluate_alone(watch, q))
        return false;
    ct__numbers_enter(ct__shadow_numbers(w->shadow));
    const bool fine = record(w, graph, node, q, exact);
    ct__numbers_leave(ct__shadow_numbers(w->shadow));
    return fine || fail_memory(q);
}

/* ---- The exact run. */

static bool add(ct_spread *spread, double ulps)
{
    const bool is_larger = ulps > spread->largest;

    spread->largest = is_larger ? ulps : spread->largest;
    if (isfinite(ulps))
        spread->mean += ulps; /* a sum, until all is there */
    else
        spread->infinite++;
    return is_larger;
}

static void add_integers(ct_compared *found, const ct_type *type, const void *machine,
                         const void *x)
{
    const size_t bytes = ct_dtype_bytes(type->dtype);

    for (size_t i = 0; i < (size_t)type->size; i++)
        found->differing += memcmp((const unsigned char *)machine + i * bytes,
                                   (const unsigned char *)x + i * bytes, bytes) != 0;
}

/* Where the whole error is infinite, and none is born, it came with the operands. */
static double inherited(ct__error_of total, double born)
{
    const double difference = total.difference - born;

    return isfinite(born) && isfinite(difference) ? ldexp(fabs(difference), -total.unit)
           : isfinite(born)                       ? (double)INFINITY
                                                  : 0;
}

void ct__add_errors(ct_compared *found, const ct_type *type, const ct__made *made, const void *x)
{
    found->runs++;
    found->elements += type->size;
    if (type->quantized || !is_number(type->dtype))
        add_integers(found, type, made->machine, x);
    for (size_t i = 0; is_measured(type) && i < parts_of(type); i++) {
        const ct__error_of total = error_at(type, made->machine, x, i);
        const double born = made->born ? made->born[i] : 0;
        if (add(&found->total, total.ulps)) {
            found->worst = (int64_t)(ct_dtype_is_complex(type->dtype) ? i / 2 : i);
            found->worst_machine = machine_at(type, made->machine, i);
            found->worst_exact = exact_at(type, x, i);
        }
        add(&found->born, isfinite(born) ? ldexp(fabs(born), -total.unit) : (double)INFINITY);
        add(&found->inherited, inherited(total, born));
    }
}

bool ct__watch_exact(ct__watch *watch, const ct__graph *graph, uint32_t node, const ct__eval *q)
{
    const ct__comparing *w = (const ct__comparing *)watch;

    if (ct__has(q->op, CT__CONTROL))
        return ct__evaluate(q);
    if (!evaluate_alone(watch, q))
        return false;
    ct__site *site = find_site(w->to, graph, node);
    if (!site) /* constants, and what the machine need not make */
        return true;
    if (!site->now) {
        w->to->other_way = true;
        return true;
    }
    for (size_t i = 0; i < q->n_results; i++)
        if (is_seen(q->out_type[i]))
            ct__add_errors(&site->found[i], q->out_type[i], &site->now->made[i], q->out[i]);
    site->now = site->now->next;
    return true;
}
