#include "interop/stablehlo/print.h"
#include "interop/stablehlo/read_build.h"
#include "interop/stablehlo/read_module.h"

#include <stdio.h>

/* ---- Calls. */

/* The name that an attribute gives to a function; NULL after an error. */
static const char *use_symbol(ct__reader *r, ct__statement *s, const char *key)
{
    const ct__attribute *value = ct__dict_use(&s->attributes, key);
    if (!value) {
        ct__fail_missing(r, s, key);
        return NULL;
    }
    if (value->kind == CT__ATTRIBUTE_SYMBOL || value->kind == CT__ATTRIBUTE_STRING)
        return value->text;
    ct__read_fail(r, s->at, "attribute '%s' is not the name of a function", key);
    return NULL;
}

/* One region: the function, without captures. The graph's reference goes to the statement. */
bool ct__call_region(ct__reader *r, ct__statement *s, const char *symbol)
{
    ct__graph *graph = ct__read_callee(r, s->at, symbol, s->n_operands, s->operand);
    ct__region *region = CT__NEW(&r->arena, ct__region);
    if (!graph)
        return false;
    if (!region)
        return ct__read_fail_memory(r);
    region->graph = ct__graph_retain(graph);
    s->region = region;
    s->n_regions = 1;
    return true;
}

static bool build_call(ct__reader *r, ct__statement *s)
{
    const char *callee = use_symbol(r, s, "callee");
    if (!callee)
        return false;
    ct__symbol *f = ct__symbol_find(r, callee);
    if (f && ct__reads_at_calls(r, f))
        return ct__read_inline(r, s, f) && ct__check_result_types(r, s);
    return ct__call_region(r, s, callee) && ct__build_op(r, s, CT__OP_call);
}

/* ---- Composites: ours become operations of the table again. */

/* Region `region` is the function that the value names; without captures. */
static bool rule_region(ct__reader *r, ct__statement *s, const ct__attribute *value, size_t region)
{
    ct__graph *graph;
    if (value->kind != CT__ATTRIBUTE_SYMBOL && value->kind != CT__ATTRIBUTE_STRING)
        return ct__read_fail(r, s->at, "a rule of the composite is not the name of a function");
    graph = ct__read_callee(r, s->at, value->text, 0, NULL);
    if (!graph)
        return false;
    s->region[region].graph = ct__graph_retain(graph);
    s->n_regions = region + 1;
    return true;
}

static bool set_flag(ct__reader *r, ct__statement *s, const char *key)
{
    const ct__attribute yes = {.kind = CT__ATTRIBUTE_BOOL, .source = {"true", 4}, .integer = 1};
    return ct__dict_set(r, &s->attributes, key, &yes);
}

/* "ct.custom_rule": the decomposition, and its rules from the composite's attributes. */
static bool build_rule(ct__reader *r, ct__statement *s)
{
    ct__attribute *given = (ct__attribute *)(uintptr_t)ct__dict_use(&s->attributes,
                                                                    "composite_attributes");
    const ct__attribute none = {.kind = CT__ATTRIBUTE_DICT};
    const char *symbol = use_symbol(r, s, "decomposition");
    ct__dict rules = given ? given->dict : none.dict;
    const ct__attribute *jvp = ct__dict_use(&rules, "jvp");
    const ct__attribute *forward = ct__dict_use(&rules, "forward");
    const ct__attribute *backward = ct__dict_use(&rules, "backward");
    if (!symbol || !ct__call_region(r, s, symbol))
        return false;
    const ct__region function = *s->region;
    s->region = CT__NEW_ARRAY(&r->arena, ct__region, 4);
    if (!s->region) {
        ct__graph_release(function.graph);
        s->n_regions = 0;
        return ct__read_fail_memory(r);
    }
    s->region[0] = function;
    return (!jvp || (rule_region(r, s, jvp, 1) && set_flag(r, s, "has_jvp"))) &&
           (!forward ||
            (rule_region(r, s, forward, s->n_regions) && set_flag(r, s, "has_forward"))) &&
           (!backward ||
            (rule_region(r, s, backward, s->n_regions) && set_flag(r, s, "has_vjp"))) &&
           ct__build_op(r, s, CT__OP_custom_rule);
}

static bool build_composite(ct__reader *r, ct__statement *s)
{
    const ct__entry *name = ct__dict_find(&s->attributes, "name");
    if (!name || name->value.kind != CT__ATTRIBUTE_STRING)
        return ct__fail_missing(r, s, "name");
    const ct__op op = ct__op_of_spelling((ct__span){name->value.text, name->value.text_length});
    if (op != CT__OP_COUNT && strncmp(name->value.text, "ct.", 3) == 0) {
        ct__dict_use(&s->attributes, "name");
        ct__dict_use(&s->attributes, "version");
        if (op == CT__OP_custom_rule)
            return build_rule(r, s);
        ct__dict_use(&s->attributes, "decomposition");
        return ct__build_op(r, s, op);
    }
    const char *symbol = use_symbol(r, s, "decomposition");
    return symbol && ct__call_region(r, s, symbol) && ct__build_as(r, s, "stablehlo.composite");
}

/* ---- check.… and interpreter.…: custom calls of that name. */

/* check.expect_eq_const(x) with a value is check.expect_eq(x, value). */
static bool add_expected(ct__reader *r, ct__statement *s, const char *at)
{
    const ct__attribute *value = ct__dict_use(&s->attributes, "value");
    if (!value)
        return ct__fail_missing(r, s, "value");
    if (value->kind != CT__ATTRIBUTE_DENSE)
        return ct__read_fail(r, s->at, "attribute 'value' is no constant, \"dense<…>\"");
    ct_tensor *expected = ct__build_literal(r, s->place, value->literal);
    if (expected->kind == CT__POISON)
        return ct__read_fail_context(r, s->at);
    s->has_types = false;
    return ct__add_operand(r, s, expected, at);
}

static bool set_target(ct__reader *r, ct__statement *s, ct__span target)
{
    const ct__attribute yes = {.kind = CT__ATTRIBUTE_BOOL, .source = {"true", 4}, .integer = 1};
    const ct__attribute name = {.kind = CT__ATTRIBUTE_SYMBOL,
                                .source = target,
                                .text = ct__arena_span(r, target),
                                .text_length = target.length};
    if (!name.text)
        return ct__read_fail_memory(r);
    return ct__dict_set(r, &s->attributes, "call_target_name", &name) &&
           ct__dict_set(r, &s->attributes, "has_side_effect", &yes);
}

/* What the operations allow where they say nothing; custom calls of the same name allow more. */
static const struct {
    const char *target, *key, *value;
} defaults[] = {{"check.expect_close", "max_ulp_difference", "1 : i64"},
                {"check.expect_almost_eq", "tolerance", "1.0e-04 : f64"}};

static bool add_default(ct__reader *r, ct__statement *s, ct__span target)
{
    for (size_t i = 0; i < sizeof defaults / sizeof *defaults; i++) {
        const char *value = defaults[i].value;
        const ct__attribute attribute = {.kind = CT__ATTRIBUTE_OTHER,
                                         .source = {value, strlen(value)}};
        if (ct__span_is(target, defaults[i].target) &&
            !ct__dict_find(&s->attributes, defaults[i].key) &&
            !ct__dict_set(r, &s->attributes, defaults[i].key, &attribute))
            return false;
    }
    return true;
}

static bool build_check(ct__reader *r, ct__statement *s)
{
    ct__span target = s->spelling;
    const bool is_const = target.length > 6 &&
                          memcmp(target.at + target.length - 6, "_const", 6) == 0;
    if (is_const) {
        target.length -= 6;
        if (!ct__check_operand_count(r, s, 1, 1) || !add_expected(r, s, s->operand_at[0]))
            return false;
    }
    return set_target(r, s, target) && add_default(r, s, target) &&
           ct__build_as(r, s, "stablehlo.custom_call");
}

/* ---- Custom calls: those that stand for operations on stacks become them again. */

static bool build_stack(ct__reader *r, ct__statement *s, ct__op op)
{
    const ct_type *stack = ct__use_stack(r, &s->attributes);
    if (!stack)
        return ct__read_fail(r, s->at, "attribute 'ct.element' is no type of an element");
    ct__dict_use(&s->attributes, "call_target_name");
    if (op == CT__OP_stack_new && s->result_types.count == 1) {
        const ct_type **type = CT__NEW_ARRAY(&r->arena, const ct_type *, 1);
        if (!type)
            return ct__read_fail_memory(r);
        type[0] = stack;
        s->result_types.item = type;
    }
    return ct__build_op(r, s, op);
}

/* Of the known versions of the interface, 0 to 4, the last takes a dictionary, others a string. */
static bool check_version(ct__reader *r, const ct__statement *s)
{
    enum { TYPED = 4 };
    const ct__entry *version = ct__dict_find(&s->attributes, "api_version");
    const ct__entry *config = ct__dict_find(&s->attributes, "backend_config");
    const bool is_typed = version && version->value.integer == TYPED;
    if (version && (version->value.kind != CT__ATTRIBUTE_INTEGER || version->value.integer < 0 ||
                    version->value.integer > TYPED))
        return ct__read_fail(r, version->value.source.at, "there is no such api_version, 0 to %d",
                             TYPED);
    if (!config || config->value.kind == (is_typed ? CT__ATTRIBUTE_DICT : CT__ATTRIBUTE_STRING))
        return true;
    return ct__read_fail(r, config->value.source.at,
                         "backend_config must be %s for this api_version",
                         is_typed ? "a dictionary" : "a string");
}

static bool build_custom_call(ct__reader *r, ct__statement *s)
{
    if (!check_version(r, s))
        return false;
    ct__builder *build = ct__jax_builder(s);
    if (build)
        return build(r, s);
    const ct__entry *target = ct__dict_find(&s->attributes, "call_target_name");
    if (target && target->value.text && strncmp(target->value.text, "ct.stack_", 9) == 0) {
        ct__op op = ct__op_of_spelling((ct__span){target->value.text, target->value.text_length});
        if (op != CT__OP_COUNT)
            return build_stack(r, s, op);
    }
    return ct__build_as(r, s, "stablehlo.custom_call");
}

static const ct__builder_row rows[] = {{"func.call", build_call},
                                       {"stablehlo.custom_call", build_custom_call},
                                       {"call", build_call},
                                       {"stablehlo.composite", build_composite},
                                       {CT__SHARDING_CONSTRAINT, ct__build_sharding},
                                       {NULL, NULL}};

ct__builder *ct__custom_builder(ct__span spelling)
{
    if (ct__is_dialect(spelling, "check.") || ct__is_dialect(spelling, "interpreter."))
        return build_check;
    return ct__builder_in(rows, spelling);
}
