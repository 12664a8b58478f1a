#include "interop/stablehlo/print.h"

#include <inttypes.h>

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
    ct__text_add(p->out, " : ");
    ct__print_signature(p, node, node->n_operands);
}

/* "stablehlo.composite "my.f" %x {composite_attributes = {…}, decomposition = @f, version = 1 :
 * i32} : (T) -> R" */
void ct__print_form_composite(ct__printer *p, const ct__node *node)
{
    const struct ct__attrs_composite *attrs = &node->attrs->composite;
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
    ct__text_add(p->out, "} : ");
    ct__print_signature(p, node, node->n_operands);
}
