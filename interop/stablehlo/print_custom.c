#include "interop/stablehlo/print.h"

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
