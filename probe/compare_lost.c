#include "probe/blame.h"
#include "probe/compare.h"

#include <math.h>

/* The largest error of operands that a site has made, in ulps, at least 1: what is exact has the
 * error that it is going to be rounded to. */
static double error_of_operands(const ct_accuracy *a, const ct__site *site)
{
    const ct__node *node = &site->graph->node[site->node];
    double largest = 1;

    for (size_t i = 0; i < node->n_operands; i++) {
        const uint32_t maker = site->graph->value[node->operand[i]].node;
        size_t k;
        if (maker != CT__NO_NODE && ct__lookup_find(&a->site_of, (uintptr_t)site->graph, maker, &k))
            for (size_t j = 0; j < site->graph->node[maker].n_results; j++)
                largest = fmax(largest, a->site[k].found[j].total.largest);
    }
    return largest;
}

static double error_of_results(const ct__site *site)
{
    double largest = 0;

    for (size_t j = 0; j < site->graph->node[site->node].n_results; j++)
        largest = fmax(largest, site->found[j].total.largest);
    return largest;
}

bool ct__find_lost(const ct_accuracy *a, ct__blame *blame)
{
    double most = 1;

    for (size_t i = 0; i < a->n_sites; i++) {
        const ct__site *site = &a->site[i];
        const ct__node *node = &site->graph->node[site->node];
        const double by = error_of_results(site) / error_of_operands(a, site);
        if (by > most) { /* never of two infinite ones */
            most = by;
            *blame = (ct__blame){.operation = ct__op_describe(node->op)->name, .place = node->at};
        }
    }
    return most > 1;
}
