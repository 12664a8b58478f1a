#include "interop/stablehlo/print.h"

#include <inttypes.h>
#include <string.h>

/* "stablehlo.custom_call @f(%x) {has_side_effect = true, n = 2 : i64} : (T) -> R" */
void ct__print_form_custom_call(ct__printer *p, const ct__node *node)
{
    const struct ct__attrs_custom_call *attrs = &node->attrs->custom_call;
    const char *others = attrs->attributes ? attrs->attributes : "";
    ct__print_head(p, node);
    ct__text_add(p->out, " ");
    ct__print_symbol(p, attrs->call_target_name);
    ct__text_add(p->out, "(");
    ct__print_operands(p, node, 0, node->n_operands);
    ct__text_add(p->out, ")");
    if (attrs->has_side_effect || *others)
        ct__text_add(p->out, " {%s%s%s}", attrs->has_side_effect ? "has_side_effect = true" : "",
                     attrs->has_side_effect && *others ? ", " : "", others);
    ct__print_end(p, node);
}

/* Behind what begins with "<", whose strings may hold any bracket. */
static const char *behind_brackets(const char *c)
{
    int depth = 0;
    do {
        if (*c == '"')
            for (c++; *c && *c != '"'; c++)
                c += *c == '\\' && c[1];
        depth += *c == '<';
        depth -= *c == '>';
        c += *c != '\0';
    } while (*c && depth > 0);
    return c;
}

/* The "<…>" of a composite that read_sharding.c has made; else NULL. The mesh that it names must be
 * there, unless it stands in it: "<mesh<["a"=2]>, [{"a"}]>". */
static const char *sharding_of(const ct__printer *p, const ct__node *node)
{
    static const char key[] = "sharding = #sdy.sharding", own[] = "<mesh<";
    const struct ct__attrs_composite *attrs = &node->attrs->composite;
    const char *text = attrs->composite_attributes;
    const ct__graph *body = node->region[0];
    if (!text || strcmp(attrs->name, CT__SHARDING_CONSTRAINT) != 0 || node->n_operands != 1 ||
        body->n_nodes > 0 || attrs->version != 0 || strncmp(text, key, sizeof key - 1) != 0)
        return NULL;
    text += sizeof key - 1;
    if (!p->has_meshes && strncmp(text, own, sizeof own - 1) != 0)
        return NULL;
    return *text == '<' && *behind_brackets(text) == '\0' ? text : NULL;
}

/* "sdy.sharding_constraint %x <@mesh, [{"a"}]> : T", and in the generic form
 * ""sdy.sharding_constraint"(%x) <{sharding = #sdy.sharding<@mesh, [{"a"}]>}> : (T) -> T" */
bool ct__print_sharding(ct__printer *p, const ct__node *node)
{
    const char *sharding = sharding_of(p, node);
    const bool is_generic = p->is_generic || node->extra;
    if (!sharding)
        return false;
    ct__print_line(p);
    ct__print_results(p, node, 0);
    ct__text_add(p->out, is_generic ? "\"%s\"(" : "%s ", CT__SHARDING_CONSTRAINT);
    ct__print_operands(p, node, 0, 1);
    ct__text_add(p->out, is_generic ? ") <{sharding = #sdy.sharding%s}>" : " %s", sharding);
    ct__print_others(p, node);
    ct__text_add(p->out, " : ");
    if (is_generic)
        ct__print_signature(p, node, 1);
    else
        ct__print_type(p, ct__graph_type(p->graph, node->first_result));
    return true;
}

/* "backward = @b, forward = @f, jvp = @j", of those that there are. */
static void print_rules(ct__printer *p, const ct__node *node)
{
    const ct__rules rules = ct__rules_of(&node->attrs->custom_rule);
    const struct {
        const char *key;
        size_t region;
    } rule[] = {{"backward", rules.backward}, {"forward", rules.forward}, {"jvp", rules.jvp}};
    const char *separator = "";
    for (size_t i = 0; i < sizeof rule / sizeof *rule; i++) {
        if (rule[i].region == 0)
            continue;
        ct__text_add(p->out, "%s%s = ", separator, rule[i].key);
        ct__print_symbol(p, ct__print_symbol_of(p, node->region[rule[i].region]));
        separator = ", ";
    }
}

/* "stablehlo.composite "ct.custom_rule" %x {composite_attributes = {jvp = @j}, decomposition = @f}
 * : (T) -> R" */
void ct__print_form_custom_rule(ct__printer *p, const ct__node *node)
{
    ct__print_own_start(p, node);
    ct__text_add(p->out, "composite_attributes = {");
    print_rules(p, node);
    ct__text_add(p->out, "}, decomposition = ");
    ct__print_symbol(p, ct__print_symbol_of(p, node->region[0]));
    ct__print_own_end(p, node);
}

/* It stands inside of transforms alone, and is not read back. */
void ct__print_form_transposed_call(ct__printer *p, const ct__node *node)
{
    ct__print_generic(p, node);
}

/* "stablehlo.composite "my.f" %x {composite_attributes = {…}, decomposition = @f, version = 1 :
 * i32} : (T) -> R" */
void ct__print_form_composite(ct__printer *p, const ct__node *node)
{
    const struct ct__attrs_composite *attrs = &node->attrs->composite;
    if (ct__print_sharding(p, node))
        return;
    ct__print_head(p, node);
    ct__text_add(p->out, " \"%s\" ", attrs->name);
    ct__print_operands(p, node, 0, node->n_operands);
    ct__text_add(p->out, " {");
    if (attrs->composite_attributes)
        ct__text_add(p->out, "composite_attributes = {%s}, ", attrs->composite_attributes);
    ct__text_add(p->out, "decomposition = ");
    ct__print_symbol(p, ct__print_symbol_of(p, node->region[0]));
    if (attrs->version != 0)
        ct__text_add(p->out, ", version = %" PRId64 " : i32", attrs->version);
    ct__text_add(p->out, "}");
    ct__print_end(p, node);
}
