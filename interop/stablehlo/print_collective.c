#include "interop/stablehlo/print.h"

#include <inttypes.h>

/* Operations of several processes and channels have the generic form alone: their attributes. */

/* Attributes without a value: they hold where they stand. */
static void print_flag(ct__properties *q, const char *name, bool flag)
{
    if (!flag)
        return;
    ct__text_add(q->p->out, "%s%s", q->separator, name);
    q->separator = ", ";
}

static void print_channel(ct__properties *q, int64_t id, int64_t type, bool is_optional)
{
    if (is_optional && id == 0 && type == 0)
        return;
    ct__property(q, "channel_handle");
    ct__text_add(q->p->out, "#stablehlo.channel_handle<handle = %" PRId64 ", type = %" PRId64 ">",
                 id, type);
}

void ct__write_all_gather(ct__properties *q, const ct__node *node)
{
    const struct ct__attrs_all_gather *a = &node->attrs->all_gather;
    ct__property_int(q, "all_gather_dim", a->all_gather_dim);
    print_channel(q, a->channel_id, a->channel_type, true);
    ct__property_rows(q, "replica_groups", a->replica_groups, (size_t)a->group_size);
    print_flag(q, "use_global_device_ids", a->use_global_device_ids);
}

void ct__write_all_reduce(ct__properties *q, const ct__node *node)
{
    const struct ct__attrs_all_reduce *a = &node->attrs->all_reduce;
    print_channel(q, a->channel_id, a->channel_type, true);
    ct__property_rows(q, "replica_groups", a->replica_groups, (size_t)a->group_size);
    print_flag(q, "use_global_device_ids", a->use_global_device_ids);
}

void ct__write_all_to_all(ct__properties *q, const ct__node *node)
{
    const struct ct__attrs_all_to_all *a = &node->attrs->all_to_all;
    print_channel(q, a->channel_id, a->channel_type, true);
    ct__property_int(q, "concat_dimension", a->concat_dimension);
    ct__property_rows(q, "replica_groups", a->replica_groups, (size_t)a->group_size);
    ct__property_int(q, "split_count", a->split_count);
    ct__property_int(q, "split_dimension", a->split_dimension);
}

void ct__write_collective_broadcast(ct__properties *q, const ct__node *node)
{
    const struct ct__attrs_collective_broadcast *a = &node->attrs->collective_broadcast;
    print_channel(q, a->channel_id, a->channel_type, true);
    ct__property_rows(q, "replica_groups", a->replica_groups, (size_t)a->group_size);
}

void ct__write_collective_permute(ct__properties *q, const ct__node *node)
{
    const struct ct__attrs_collective_permute *a = &node->attrs->collective_permute;
    print_channel(q, a->channel_id, a->channel_type, true);
    ct__property_rows(q, "source_target_pairs", a->source_target_pairs, 2);
}

void ct__write_reduce_scatter(ct__properties *q, const ct__node *node)
{
    const struct ct__attrs_reduce_scatter *a = &node->attrs->reduce_scatter;
    print_channel(q, a->channel_id, a->channel_type, true);
    ct__property_rows(q, "replica_groups", a->replica_groups, (size_t)a->group_size);
    ct__property_int(q, "scatter_dimension", a->scatter_dimension);
    print_flag(q, "use_global_device_ids", a->use_global_device_ids);
}

/* ---- Channels. */

static void print_config(ct__properties *q, const char *name, const char *config)
{
    ct__property(q, name);
    ct__print_string(q->p, config ? config : "");
}

void ct__write_infeed(ct__properties *q, const ct__node *node)
{
    print_config(q, "infeed_config", node->attrs->infeed.infeed_config);
}

void ct__write_outfeed(ct__properties *q, const ct__node *node)
{
    print_config(q, "outfeed_config", node->attrs->outfeed.outfeed_config);
}

static void print_transfer(ct__properties *q, int64_t id, int64_t type, bool is_host_transfer,
                           ct__ints pairs)
{
    print_channel(q, id, type, false);
    if (is_host_transfer)
        ct__property_flag(q, "is_host_transfer", true);
    if (pairs.count > 0)
        ct__property_rows(q, "source_target_pairs", pairs, 2);
}

void ct__write_recv(ct__properties *q, const ct__node *node)
{
    const struct ct__attrs_recv *a = &node->attrs->recv;
    print_transfer(q, a->channel_id, a->channel_type, a->is_host_transfer, a->source_target_pairs);
}

void ct__write_send(ct__properties *q, const ct__node *node)
{
    const struct ct__attrs_send *a = &node->attrs->send;
    print_transfer(q, a->channel_id, a->channel_type, a->is_host_transfer, a->source_target_pairs);
}
