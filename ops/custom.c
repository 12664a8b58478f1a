/* Operations that are functions of the program. */
#include "ops/ops.h"

#include <inttypes.h>

bool ct__results_as_given(ct__infer *q)
{
    if (!ct__results(q, q->n_given))
        return false;
    for (size_t i = 0; i < q->n_given; i++) {
        if (!q->given[i])
            return ct__fail(q, CT_ERR_ARGUMENT, "the type of result %zu is NULL", i);
        q->out[i] = q->given[i];
    }
    return true;
}

bool ct__infer_custom_call(ct__infer *q)
{
    const char *target = q->attrs->custom_call.call_target_name;

    if (!target || !*target) /* C1 */
        return ct__fail(q, CT_ERR_ARGUMENT, "call_target_name is missing");
    return ct__results_as_given(q);
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_word(char c)
{
    return is_letter(c) || (c >= '0' && c <= '9') || c == '_';
}

/* "my_namespace.my_op": as StableHLO's verifier has it. */
static bool is_namespaced(const char *name)
{
    const char *c = name;

    if (!c || !is_letter(*c))
        return false;
    while (is_word(*c))
        c++;
    if (*c != '.')
        return false;
    for (; *c == '.';) {
        const char *part = ++c;
        while (is_word(*c) || *c == '$')
            c++;
        if (c == part)
            return false;
    }
    return *c == '\0';
}

/* C2, that the decomposition exists, is the table's one body. */
bool ct__infer_composite(ct__infer *q)
{
    const char *name = q->attrs->composite.name;

    if (!is_namespaced(name)) /* C1 */
        return ct__fail(q, CT_ERR_ARGUMENT,
                        "name = \"%.80s\" must be of the form \"namespace.operation\"",
                        name ? name : "");
    return ct__infer_call(q); /* C3, C4 */
}

/* ---- Rules of the program: derivatives that it states itself. */

ct__rules ct__rules_of(const struct ct__attrs_custom_rule *a)
{
    ct__rules rules = {.count = 1};

    if (a->has_jvp)
        rules.jvp = rules.count++;
    if (a->has_vjp) {
        if (a->has_forward)
            rules.forward = rules.count++;
        rules.backward = rules.count++;
    }
    return rules;
}

const char *ct__rule_name(const struct ct__attrs_custom_rule *a, size_t region)
{
    const ct__rules rules = ct__rules_of(a);

    return region == 0               ? "the function"
           : region == rules.jvp     ? "the jvp rule"
           : region == rules.forward ? "the vjp rule's forward function"
                                     : "the vjp rule's backward function";
}

typedef struct types {
    size_t count;
    const ct_type **item;
} types;

static void append(types *list, size_t n, const ct_type *const *type, bool only_floats)
{
    for (size_t i = 0; i < n; i++)
        if (!only_floats || ct__has_tangent(type[i]))
            list->item[list->count++] = type[i];
}

/* (x…, dx…) -> (y…, dy…), with dx and dy for float ones. */
static bool check_jvp(ct__infer *q, size_t region)
{
    types in = {0, CT__NEW_ARRAY(q->arena, const ct_type *, 2 * q->n_operands)};
    types out = {0, CT__NEW_ARRAY(q->arena, const ct_type *, 2 * q->n_results)};

    if (!in.item || !out.item)
        return ct__fail_memory(q);
    append(&in, q->n_operands, q->in, false);
    append(&in, q->n_operands, q->in, true);
    append(&out, q->n_results, q->out, false);
    append(&out, q->n_results, q->out, true);
    return ct__check_params(q, region, in.count, in.item) &&
           ct__check_body_results(q, region, out.count, out.item);
}

/* (x…) -> (y…, residuals…) */
static bool check_forward(ct__infer *q, size_t region)
{
    const ct__body_type *f = &q->region[region];
    types out = {0, CT__NEW_ARRAY(q->arena, const ct_type *, q->n_results + f->n_results)};

    if (!out.item)
        return ct__fail_memory(q);
    append(&out, q->n_results, q->out, false);
    if (f->n_results > q->n_results)
        append(&out, f->n_results - q->n_results, f->result + q->n_results, false);
    return ct__check_params(q, region, q->n_operands, q->in) &&
           ct__check_body_results(q, region, out.count, out.item);
}

/* (residuals…, ybar…) -> (xbar…), for float ones. Without a forward function the residuals are x…
 * and y…. */
static bool check_backward(ct__infer *q, size_t region, const ct__body_type *forward)
{
    const size_t room = 2 * q->n_results + q->n_operands + (forward ? forward->n_results : 0);
    types in = {0, CT__NEW_ARRAY(q->arena, const ct_type *, room)};
    types out = {0, CT__NEW_ARRAY(q->arena, const ct_type *, q->n_operands)};

    if (!in.item || !out.item)
        return ct__fail_memory(q);
    if (forward) {
        append(&in, forward->n_results - q->n_results, forward->result + q->n_results, false);
    } else {
        append(&in, q->n_operands, q->in, false);
        append(&in, q->n_results, q->out, false);
    }
    append(&in, q->n_results, q->out, true);
    append(&out, q->n_operands, q->in, true);
    return ct__check_params(q, region, in.count, in.item) &&
           ct__check_body_results(q, region, out.count, out.item);
}

bool ct__infer_custom_rule(ct__infer *q)
{
    const struct ct__attrs_custom_rule *a = &q->attrs->custom_rule;
    const ct__rules rules = ct__rules_of(a);
    const ct__body_type *forward = rules.forward ? &q->region[rules.forward] : NULL;

    if (rules.count == 1 || q->n_regions != rules.count || (a->has_forward && !a->has_vjp)) /* C1 */
        return ct__fail(q, CT_ERR_ARGUMENT, "needs a jvp rule, or a vjp rule's backward function");
    return ct__infer_call(q) &&                                         /* C2 */
           (!a->has_jvp || check_jvp(q, rules.jvp)) &&                  /* C3 */
           (!forward || check_forward(q, rules.forward)) &&             /* C4 */
           (!a->has_vjp || check_backward(q, rules.backward, forward)); /* C5 */
}

/* The transpose of (residuals…, ybar…) -> (xbar…) in ybar: (residuals…, dx…) -> (dy…). */
bool ct__infer_transposed_call(ct__infer *q)
{
    const ct__body_type *f = &q->region[0];
    const int64_t given = q->attrs->transposed_call.n_residuals;
    const size_t n = (size_t)given;

    if (given < 0 || n > f->n_params || n > q->n_operands)
        return ct__fail(q, CT_ERR_ARGUMENT, "takes n_residuals = %" PRId64 " residuals", given);
    if (!ct__check_body_results(q, 0, q->n_operands - n, q->in + n) ||
        !ct__results(q, f->n_params - n))
        return false;
    for (size_t i = 0; i < n; i++)
        if (!ct__type_equal(q->in[i], f->param[i]))
            return ct__fail(q, CT_ERR_TYPE, "the function takes %s as residual %zu, got %s",
                            ct__type_str(q, f->param[i]), i, ct__type_str(q, q->in[i]));
    for (size_t i = n; i < f->n_params; i++)
        q->out[i - n] = f->param[i];
    return true;
}
