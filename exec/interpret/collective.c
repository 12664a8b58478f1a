/* Operations of several processes. A run is process 0, and the only one: a group of it alone is
 * served, where all these operations are the identity; others are an error. */
#include "exec/interpret/interpret.h"

#include <string.h>

bool ct__meaning_process_id(const ct__eval *q)
{
    memset(q->out[0], 0, ct__value_bytes(q->numerics, q->out_type[0]));
    return true;
}

static bool needs_others(const ct__eval *q)
{
    return ct__run_fail(q, CT_ERR_UNSUPPORTED,
                        "a run is one process, 0, and this asks for others too");
}

/* Whether process 0 is in one of the groups (without any, all are in one), and whether it is alone
 * in it: -1 is no process. */
static void find_group(ct__ints groups, int64_t group_size, bool *is_member, bool *is_alone)
{
    size_t size = (size_t)group_size, at = 0, others = 0;

    while (at < groups.count && groups.item[at] != 0)
        at++;
    *is_member = groups.count == 0 || at < groups.count;
    for (size_t i = at - (size ? at % size : 0), end = i + size; at < groups.count && i < end; i++)
        others += groups.item[i] > 0;
    *is_alone = *is_member && others == 0;
}

/* Every result is its operand, in its own dtype. A result of another size, of all processes, needs
 * others. */
static bool pass_on(const ct__eval *q, ct__ints groups, int64_t group_size)
{
    bool is_member, is_alone;

    find_group(groups, group_size, &is_member, &is_alone);
    for (size_t i = 0; i < q->n_results; i++)
        is_alone = is_alone && q->in_type[i]->size == q->out_type[i]->size;
    if (!is_alone)
        return needs_others(q);
    for (size_t i = 0; i < q->n_results; i++) {
        ct_dtype from = q->in_type[i]->dtype, to = q->out_type[i]->dtype;

        if (from == to)
            memcpy(q->out[i], q->in[i], ct__value_bytes(q->numerics, q->in_type[i]));
        else
            q->numerics->convert(to, from, (size_t)q->in_type[i]->size, q->out[i], q->in[i]);
    }
    return true;
}

bool ct__meaning_all_gather(const ct__eval *q)
{
    return pass_on(q, q->attrs->all_gather.replica_groups, q->attrs->all_gather.group_size);
}

bool ct__meaning_all_reduce(const ct__eval *q)
{
    return pass_on(q, q->attrs->all_reduce.replica_groups, q->attrs->all_reduce.group_size);
}

bool ct__meaning_all_to_all(const ct__eval *q)
{
    if (q->attrs->all_to_all.split_count != 1)
        return needs_others(q);
    return pass_on(q, q->attrs->all_to_all.replica_groups, q->attrs->all_to_all.group_size);
}

bool ct__meaning_reduce_scatter(const ct__eval *q)
{
    return pass_on(q, q->attrs->reduce_scatter.replica_groups, q->attrs->reduce_scatter.group_size);
}

static bool zeros(const ct__eval *q)
{
    ct__fill_zero(q->numerics, q->out_type[0], q->out[0]);
    return true;
}

/* Processes outside of all groups get zeros. */
bool ct__meaning_collective_broadcast(const ct__eval *q)
{
    const struct ct__attrs_collective_broadcast *a = &q->attrs->collective_broadcast;
    bool is_member, is_alone;

    find_group(a->replica_groups, a->group_size, &is_member, &is_alone);
    return is_member ? pass_on(q, a->replica_groups, a->group_size) : zeros(q);
}

/* Processes to which nothing is sent get zeros. */
bool ct__meaning_collective_permute(const ct__eval *q)
{
    const ct__ints pairs = q->attrs->collective_permute.source_target_pairs;
    bool to_itself = false;

    for (size_t i = 0; i + 1 < pairs.count; i += 2) {
        if ((pairs.item[i] == 0) != (pairs.item[i + 1] == 0))
            return needs_others(q);
        to_itself = to_itself || pairs.item[i] == 0;
    }
    return to_itself ? pass_on(q, (ct__ints){0, NULL}, 0) : zeros(q);
}

/* ---- Channels. */

bool ct__meaning_channel(const ct__eval *q)
{
    return ct__run_fail(q, CT_ERR_UNSUPPORTED, "a run has no channels to elsewhere");
}
