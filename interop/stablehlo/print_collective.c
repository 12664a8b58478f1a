#include "interop/stablehlo/print.h"

#include <inttypes.h>

/* Operations of several processes and channels, in the generic form: their attributes one by one,
 * parted by commas. */

typedef struct properties {
    ct__printer *p;
    const char *separator;
} properties;

static void print_name(properties *q, const char *name)
{
    ct__text_add(q->p->out, "%s%s", q->separator, name);
    q->separator = ", ";
}

static properties begin(ct__printer *p, const ct__node *node)
{
    ct__print_generic_head(
        p, node, node->n_operands - ct__op_captures(node->op, node->attrs, node->n_operands));
    ct__text_add(p->out, " <{");
    return (properties){p, ""};
}

static void print_integer(properties *q, const char *name, int64_t value)
{
    print_name(q, name);
    ct__text_add(q->p->out, " = %" PRId64 " : i64", value);
}

static void print_flag(properties *q, const char *name, bool flag)
{
    if (flag)
        print_name(q, name);
}

/* "replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>" */
static void print_rows(properties *q, const char *name, ct__ints list, size_t row)
{
    ct__text *out = q->p->out;
    size_t n_rows = row > 0 ? list.count / row : 0;
    print_name(q, name);
    ct__text_add(out, " = dense<%s", list.count ? "[" : "");
    for (size_t i = 0; i < n_rows; i++) {
        ct__text_add(out, "%s", i ? ", " : "");
        ct__print_list(q->p, (ct__ints){row, list.item + i * row});
    }
    ct__text_add(out, "%s> : tensor<%zux%zuxi64>", list.count ? "]" : "", n_rows, row);
}

static void print_channel(properties *q, int64_t id, int64_t type, bool is_optional)
{
    if (is_optional && id == 0 && type == 0)
        return;
    print_name(q, "channel_handle");
    ct__text_add(q->p->out,
                 " = #stablehlo.channel_handle<handle = %" PRId64 ", type = %" PRId64 ">", id,
                 type);
}

static void end(properties *q, const ct__node *node)
{
    ct__printer *p = q->p;
    size_t captures = ct__op_captures(node->op, node->attrs, node->n_operands);
    ct__text_add(p->out, "}>");
    if (node->n_regions > 0) {
        ct__text_add(p->out, " (");
        ct__print_region(p, node, node->region[0], node->region[0]->n_params - captures);
        ct__text_add(p->out, ")");
    }
    ct__text_add(p->out, " : ");
    ct__print_signature(p, node, node->n_operands - captures);
}

void ct__print_form_all_gather(ct__printer *p, const ct__node *node)
{
    const struct ct__attrs_all_gather *a = &node->attrs->all_gather;
    properties q = begin(p, node);
    print_integer(&q, "all_gather_dim", a->all_gather_dim);
    print_channel(&q, a->channel_id, a->channel_type, true);
    print_rows(&q, "replica_groups", a->replica_groups, (size_t)a->group_size);
    print_flag(&q, "use_global_device_ids", a->use_global_device_ids);
    end(&q, node);
}

void ct__print_form_all_reduce(ct__printer *p, const ct__node *node)
{
    const struct ct__attrs_all_reduce *a = &node->attrs->all_reduce;
    properties q = begin(p, node);
    print_channel(&q, a->channel_id, a->channel_type, true);
    print_rows(&q, "replica_groups", a->replica_groups, (size_t)a->group_size);
    print_flag(&q, "use_global_device_ids", a->use_global_device_ids);
    end(&q, node);
}

void ct__print_form_all_to_all(ct__printer *p, const ct__node *node)
{
    const struct ct__attrs_all_to_all *a = &node->attrs->all_to_all;
    properties q = begin(p, node);
    print_channel(&q, a->channel_id, a->channel_type, true);
    print_integer(&q, "concat_dimension", a->concat_dimension);
    print_rows(&q, "replica_groups", a->replica_groups, (size_t)a->group_size);
    print_integer(&q, "split_count", a->split_count);
    print_integer(&q, "split_dimension", a->split_dimension);
    end(&q, node);
}

void ct__print_form_collective_broadcast(ct__printer *p, const ct__node *node)
{
    const struct ct__attrs_collective_broadcast *a = &node->attrs->collective_broadcast;
    properties q = begin(p, node);
    print_channel(&q, a->channel_id, a->channel_type, true);
    print_rows(&q, "replica_groups", a->replica_groups, (size_t)a->group_size);
    end(&q, node);
}

void ct__print_form_collective_permute(ct__printer *p, const ct__node *node)
{
    const struct ct__attrs_collective_permute *a = &node->attrs->collective_permute;
    properties q = begin(p, node);
    print_channel(&q, a->channel_id, a->channel_type, true);
    print_rows(&q, "source_target_pairs", a->source_target_pairs, 2);
    end(&q, node);
}

void ct__print_form_reduce_scatter(ct__printer *p, const ct__node *node)
{
    const struct ct__attrs_reduce_scatter *a = &node->attrs->reduce_scatter;
    properties q = begin(p, node);
    print_channel(&q, a->channel_id, a->channel_type, true);
    print_rows(&q, "replica_groups", a->replica_groups, (size_t)a->group_size);
    print_integer(&q, "scatter_dimension", a->scatter_dimension);
    print_flag(&q, "use_global_device_ids", a->use_global_device_ids);
    end(&q, node);
}

/* ---- Channels. */

static void print_config(properties *q, const char *name, const char *config)
{
    print_name(q, name);
    ct__text_add(q->p->out, " = ");
    ct__print_string(q->p, config ? config : "");
}

void ct__print_form_infeed(ct__printer *p, const ct__node *node)
{
    properties q = begin(p, node);
    print_config(&q, "infeed_config", node->attrs->infeed.infeed_config);
    end(&q, node);
}

void ct__print_form_outfeed(ct__printer *p, const ct__node *node)
{
    properties q = begin(p, node);
    print_config(&q, "outfeed_config", node->attrs->outfeed.outfeed_config);
    end(&q, node);
}

static void print_transfer(ct__printer *p, const ct__node *node, int64_t id, int64_t type,
                           bool is_host_transfer, ct__ints pairs)
{
    properties q = begin(p, node);
    print_channel(&q, id, type, false);
    if (is_host_transfer) {
        print_name(&q, "is_host_transfer");
        ct__text_add(p->out, " = true");
    }
    if (pairs.count > 0)
        print_rows(&q, "source_target_pairs", pairs, 2);
    end(&q, node);
}

void ct__print_form_recv(ct__printer *p, const ct__node *node)
{
    const struct ct__attrs_recv *a = &node->attrs->recv;
    print_transfer(p, node, a->channel_id, a->channel_type, a->is_host_transfer,
                   a->source_target_pairs);
}

void ct__print_form_send(ct__printer *p, const ct__node *node)
{
    const struct ct__attrs_send *a = &node->attrs->send;
    print_transfer(p, node, a->channel_id, a->channel_type, a->is_host_transfer,
                   a->source_target_pairs);
}
