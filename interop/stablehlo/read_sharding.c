/* sdy.sharding_constraint says how a value lies on the devices of a mesh, and is its operand: a
 * composite whose decomposition is the identity, with the sharding as an attribute. */
#include "interop/stablehlo/print.h"
#include "interop/stablehlo/read_build.h"
#include "interop/stablehlo/read_forms.h"

static const char operation[] = CT__SHARDING_CONSTRAINT;

/* "<@mesh, [{"a"}, {}]>", as "#sdy.sharding<…>" in the dictionary. */
bool ct__form_sharding(ct__reader *r, ct__statement *s)
{
    ct__attribute value = {.kind = CT__ATTRIBUTE_OTHER};
    if (!ct__peek(r, "<"))
        return ct__expect(r, "<");
    const char *at = r->cursor.at;
    if (!ct__skip_enclosed(r))
        return false;
    const char *inner = ct__arena_span(r, (ct__span){at, (size_t)(r->cursor.at - at)});
    const char *text = inner ? ct__arena_print(r, "#sdy.sharding%s", inner) : NULL;
    if (!text)
        return ct__read_fail_memory(r);
    value.source = (ct__span){text, strlen(text)};
    return ct__dict_set(r, &s->attributes, "sharding", &value);
}

/* x -> x; owned. */
static ct__graph *identity(ct__reader *r, const ct__statement *s, const ct_type *type)
{
    if (!ct__trace_push(r->ctx, s->place, operation, false))
        return NULL;
    ct_tensor *x = ct__trace_param(r->ctx, s->place, type);
    if (ct_failed(r->ctx)) {
        ct__trace_abandon(r->ctx);
        return NULL;
    }
    return ct__trace_pop(r->ctx, s->place, 1, &x);
}

static bool set_identity(ct__reader *r, ct__statement *s)
{
    ct__region *region = CT__NEW(&r->arena, ct__region);
    if (!region)
        return ct__read_fail_memory(r);
    region->graph = identity(r, s, s->operand[0]->type);
    if (!region->graph)
        return ct__read_fail_context(r, s->at);
    s->region = region;
    s->n_regions = 1;
    return true;
}

bool ct__build_sharding(ct__reader *r, ct__statement *s)
{
    if (!ct__check_operand_count(r, s, 1, 1))
        return false;
    const ct__attribute *sharding = ct__dict_use(&s->attributes, "sharding");
    ct__attribute attributes = {.kind = CT__ATTRIBUTE_DICT};
    const ct__attribute name = {.kind = CT__ATTRIBUTE_STRING,
                                .source = {"\"\"", 2},
                                .text = operation,
                                .text_length = sizeof operation - 1};
    if (!sharding)
        return ct__fail_missing(r, s, "sharding");
    return ct__dict_set(r, &attributes.dict, "sharding", sharding) &&
           ct__dict_set(r, &s->attributes, "name", &name) &&
           ct__dict_set(r, &s->attributes, "composite_attributes", &attributes) &&
           set_identity(r, s) && ct__build_as(r, s, "stablehlo.composite");
}
