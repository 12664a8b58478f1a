/* optimization_barrier. StableHLO has it of tensors and tokens alone: tuples are taken apart before
 * it, and put together behind it. */
#include "interop/stablehlo/print.h"

#include <stdio.h>
#include <string.h>

bool ct__is_barrier_of_tuples(const ct__printer *p, const ct__node *node)
{
    for (size_t i = 0; node->op == CT__OP_optimization_barrier && i < node->n_operands; i++)
        if (ct__graph_type(p->graph, node->operand[i])->kind == CT__TUPLE)
            return true;
    return false;
}

void ct__print_barrier(ct__printer *p, const ct__node *node)
{
    ct__print_head(p, node);
    ct__text_add(p->out, node->n_operands ? " " : "()");
    ct__print_operands(p, node, 0, node->n_operands);
    ct__text_add(p->out, "%s", node->n_operands ? " : " : "");
    ct__print_types(p, node->n_operands, node->operand);
}

/* ---- What is no tuple, in the order of tuples taken apart. */

typedef struct leaves {
    ct__printer *p;
    size_t count, next;
    const char **name;
    const ct_type **type;
} leaves;

static size_t count_leaves(const ct_type *type)
{
    size_t count = 0;

    if (type->kind != CT__TUPLE)
        return 1;
    for (size_t i = 0; i < type->n_elements; i++)
        count += count_leaves(type->element[i]);
    return count;
}

static const char *print_element(ct__printer *p, const char *tuple, const ct_type *type, size_t i)
{
    char after[32], attributes[48];
    const ct__made made = {.name = ct__print_fresh(p),
                           .op = "get_tuple_element",
                           .after = after,
                           .attributes = attributes,
                           .n_operands = 1,
                           .operand = &tuple,
                           .type = &type,
                           .result = type->element[i]};

    snprintf(after, sizeof after, "[%zu]", i);
    snprintf(attributes, sizeof attributes, "index = %zu : i32", i);
    ct__print_made(p, &made);
    return made.name;
}

static void take_apart(leaves *l, const char *name, const ct_type *type)
{
    if (type->kind != CT__TUPLE) {
        l->name[l->count] = name;
        l->type[l->count++] = type;
        return;
    }
    for (size_t i = 0; i < type->n_elements; i++)
        if (count_leaves(type->element[i]) > 0)
            take_apart(l, print_element(l->p, name, type, i), type->element[i]);
}

/* The name of the value that the next leaves are: of this result; NULL, of a part of one. */
static const char *put_together(leaves *l, const ct_type *type, const ct__id *result)
{
    if (type->kind != CT__TUPLE)
        return l->name[l->next++];
    const char **element = CT__NEW_ARRAY(&l->p->function, const char *, type->n_elements);
    if (!element)
        return "%";
    for (size_t i = 0; i < type->n_elements; i++)
        element[i] = put_together(l, type->element[i], NULL);
    const char *name = result ? ct__print_own_value(l->p, *result) : ct__print_fresh(l->p);
    ct__print_made(l->p, &(ct__made){.name = name,
                                     .op = "tuple",
                                     .n_operands = type->n_elements,
                                     .operand = element,
                                     .type = type->element,
                                     .result = type});
    return name;
}

static void print_list(const leaves *l, bool of_types)
{
    for (size_t i = 0; i < l->count; i++) {
        ct__text_add(l->p->out, "%s", i ? ", " : "");
        if (of_types)
            ct__print_type(l->p, l->type[i]);
        else
            ct__text_add(l->p->out, "%s", l->name[i]);
    }
}

/* "%3:2 = stablehlo.optimization_barrier %1, %2 : T, U"; the leaves get the results' names. */
static void print_statement(leaves *l, const ct__node *node)
{
    ct__printer *p = l->p;
    const char *group = ct__print_fresh(p);

    ct__print_line(p);
    ct__text_add(p->out, l->count > 1 ? "%s:%zu = " : "%s = ", group, l->count);
    ct__text_add(p->out, p->is_generic ? "\"stablehlo.optimization_barrier\"("
                                       : "stablehlo.optimization_barrier ");
    print_list(l, false);
    ct__text_add(p->out, "%s", p->is_generic ? ")" : "");
    ct__print_others(p, node);
    ct__text_add(p->out, p->is_generic ? " : (" : " : ");
    print_list(l, true);
    if (p->is_generic) {
        ct__text_add(p->out, ") -> (");
        print_list(l, true);
        ct__text_add(p->out, ")");
    }
    for (size_t i = 0; i < l->count; i++) {
        char *name = ct__arena_alloc(&p->function, strlen(group) + 24);
        if (!name)
            return;
        snprintf(name, strlen(group) + 24, l->count > 1 ? "%s#%zu" : "%s", group, i);
        l->name[i] = name;
    }
}

void ct__print_barrier_of_tuples(ct__printer *p, const ct__node *node)
{
    leaves l = {.p = p};
    size_t count = 0;

    for (size_t i = 0; i < node->n_operands; i++)
        count += count_leaves(ct__graph_type(p->graph, node->operand[i]));
    l.name = CT__NEW_ARRAY(&p->function, const char *, count);
    l.type = CT__NEW_ARRAY(&p->function, const ct_type *, count);
    if (!l.name || !l.type)
        return;
    for (size_t i = 0; i < node->n_operands; i++)
        take_apart(&l, ct__print_name(p, node->operand[i]),
                   ct__graph_type(p->graph, node->operand[i]));
    if (count > 0)
        print_statement(&l, node);
    for (size_t i = 0; i < node->n_results; i++) {
        const ct__id id = node->first_result + (ct__id)i;
        const ct_type *type = ct__graph_type(p->graph, id);
        if (type->kind == CT__TUPLE)
            put_together(&l, type, &id);
        else
            ct__print_take_name(p, id, put_together(&l, type, NULL));
    }
}
