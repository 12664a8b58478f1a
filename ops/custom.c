/* Operations that are functions of the program. */
#include "ops/ops.h"

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
