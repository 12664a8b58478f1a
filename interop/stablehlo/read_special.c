/* Templates for operands of given types: each is recorded once, and called. */
#include "interop/stablehlo/read_build.h"
#include "interop/stablehlo/read_module.h"

/* ---- Finding those that there are. */

static bool same_value(const ct__literal *a, const ct__literal *b)
{
    return a == b || (a && b && ct__literal_equal(a, b));
}

static const ct__literal *value_of(const ct__given *given, size_t i)
{
    return given->value ? given->value[i] : NULL;
}

static bool same(const ct__given *a, const ct__given *b)
{
    if (a->count != b->count)
        return false;
    for (size_t i = 0; i < a->count; i++)
        if (!ct__type_equal(a->type[i], b->type[i]) || !same_value(value_of(a, i), value_of(b, i)))
            return false;
    return true;
}

static ct__special *find(const ct__symbol *f, const ct__given *given)
{
    ct__special *s = f->special;
    while (s && !same(&s->given, given))
        s = s->next;
    return s;
}

/* NULL when memory is short. */
static ct__special *add(ct__reader *r, const ct__given *given)
{
    ct__special *s = CT__NEW(&r->arena, ct__special);
    const ct_type **type = CT__NEW_ARRAY(&r->arena, const ct_type *, given->count);
    for (size_t i = 0; type && i < given->count; i++)
        type[i] = ct__type_copy(&r->arena, given->type[i]);
    if (!s || !type || r->arena.failed) {
        ct__read_fail_memory(r);
        return NULL;
    }
    s->given = (ct__given){given->count, type, given->value};
    return s;
}

static const ct_type **types_of(ct__reader *r, size_t n, ct_tensor *const *argument)
{
    const ct_type **type = CT__NEW_ARRAY(&r->arena, const ct_type *, n);
    for (size_t i = 0; type && i < n; i++)
        type[i] = argument[i]->type;
    if (!type)
        ct__read_fail_memory(r);
    return type;
}

/* After reading, which may add others. */
static ct__graph *enter(ct__symbol *f, ct__special *s, ct__graph *graph)
{
    s->graph = graph;
    s->next = f->special;
    f->special = s;
    return graph;
}

ct__graph *ct__read_special(ct__reader *r, ct__symbol *f, const char *at, size_t n_arguments,
                            ct_tensor *const *argument)
{
    const ct__given given = {n_arguments, types_of(r, n_arguments, argument), NULL};
    if (!given.type)
        return NULL;
    ct__special *s = find(f, &given);
    if (s && (s->graph || !s->is_tried))
        return s->graph;
    s = add(r, &given);
    return s ? enter(f, s, ct__record_function(r, f, at, &given)) : NULL;
}

/* ---- Calls. */

enum { MOST_VALUES = 64 /* elements of an operand that may be a shape */ };

/* Of a written type too, which may have "?". */
static bool may_be_shape(const ct_type *type)
{
    const bool is_short = type->rank == 0 || (type->rank == 1 && type->dim[0] <= MOST_VALUES);
    return type->kind == CT__TENSOR && is_short && !type->quantized &&
           (ct_dtype_is_integer(type->dtype) || type->dtype == CT_BOOL);
}

static bool gives_shapes(const ct__statement *s)
{
    for (size_t i = 0; i < s->result_types.count; i++)
        if (may_be_shape(s->result_types.item[i]))
            return true;
    return false;
}

/* The values of the operands that are known, where they may be shapes. */
static const ct__literal **values_of(ct__reader *r, const ct__statement *s)
{
    const ct__literal **value = CT__NEW_ARRAY(&r->arena, const ct__literal *, s->n_operands);
    for (size_t i = 0; value && i < s->n_operands && !ct_failed(r->ctx); i++)
        if (may_be_shape(s->operand[i]->type))
            value[i] = ct__fold_value(r, s->operand[i]);
    if (ct_failed(r->ctx)) {
        ct__read_fail_context(r, s->at);
        return NULL;
    }
    if (!value)
        ct__read_fail_memory(r);
    return value;
}

/* NULL where it lacks a value or has errors. */
static ct__graph *try(ct__reader *r, ct__symbol *f, const char *at, const ct__given *given)
{
    const bool before = r->lacks_value;
    r->lacks_value = false;
    r->quiet++;
    r->trying++;
    ct__graph *graph = ct__record_function(r, f, at, given);
    r->trying--;
    r->quiet--;
    r->lacks_value = before;
    return graph;
}

/* Operands whose values are not constants of the function. */
static bool leave_operands(ct__reader *r, ct__statement *s, const ct__given *given)
{
    ct_tensor **operand = CT__NEW_ARRAY(&r->arena, ct_tensor *, s->n_operands);
    const char **operand_at = CT__NEW_ARRAY(&r->arena, const char *, s->n_operands);
    size_t n = 0;
    if (!operand || !operand_at)
        return ct__read_fail_memory(r);
    for (size_t i = 0; i < s->n_operands; i++) {
        if (value_of(given, i))
            continue;
        operand[n] = s->operand[i];
        operand_at[n++] = s->operand_at[i];
    }
    s->operand = operand;
    s->operand_at = operand_at;
    s->n_operands = n;
    s->has_types = false;
    return true;
}

static bool call(ct__reader *r, ct__statement *s, const ct__special *special)
{
    ct__region *region = CT__NEW(&r->arena, ct__region);
    if (!region)
        return ct__read_fail_memory(r);
    ct__dict_use(&s->attributes, "callee");
    if (!leave_operands(r, s, &special->given))
        return false;
    region->graph = ct__graph_retain(special->graph);
    s->region = region;
    s->n_regions = 1;
    return ct__build_op(r, s, CT__OP_call);
}

bool ct__call_special(ct__reader *r, ct__statement *s, ct__symbol *f, bool *done)
{
    *done = false;
    if (gives_shapes(s))
        return true;
    const ct_type **type = types_of(r, s->n_operands, s->operand);
    const ct__literal **value = type ? values_of(r, s) : NULL;
    const ct__given given = {s->n_operands, type, value};
    if (!value)
        return false;
    ct__special *special = find(f, &given);
    if (!special) {
        special = add(r, &given);
        if (!special)
            return false;
        special->is_tried = true;
        enter(f, special, try(r, f, s->at, &given));
    }
    if (ct_failed(r->ctx))
        return ct__read_fail_context(r, s->at);
    *done = special->graph != NULL;
    if (!*done) /* so does the function that is tried; else its errors are to be reported */
        return r->trying == 0;
    return call(r, s, special);
}
