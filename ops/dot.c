#include "ops/ops.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The two sides of one attribute, lhs_WHAT and rhs_WHAT. */
static bool check_lengths(ct__infer *q, const char *what, ct__ints lhs, ct__ints rhs)
{
    if (lhs.count != rhs.count) /* C2 */
        return ct__fail(q, CT_ERR_SHAPE, "lhs_%s = %s and rhs_%s = %s must have one length", what,
                        ct__ints_str(q, lhs), what, ct__ints_str(q, rhs));
    return true;
}

static bool check_extents(ct__infer *q, const char *what, ct__ints lhs, ct__ints rhs)
{
    const ct_type *x = q->in[0], *y = q->in[1];

    for (size_t i = 0; i < lhs.count; i++)
        if (x->dim[lhs.item[i]] != y->dim[rhs.item[i]]) /* C4 */
            return ct__fail(
                q, CT_ERR_SHAPE,
                "axis lhs_%s[%zu] = %" PRId64 " of x: %s and axis rhs_%s[%zu] = %" PRId64
                " of y: %s must have one extent",
                what, i, lhs.item[i], ct__type_str(q, x), what, i, rhs.item[i], ct__type_str(q, y));
    return true;
}

bool ct__check_dot(ct__infer *q, ct__ints lb, ct__ints rb, ct__ints lc, ct__ints rc)
{
    static const char *const name[] = {"lhs_batching_dimensions", "lhs_contracting_dimensions",
                                       "rhs_batching_dimensions", "rhs_contracting_dimensions"};

    return check_lengths(q, "batching_dimensions", lb, rb) &&    /* C2 */
           check_lengths(q, "contracting_dimensions", lc, rc) && /* C2 */
           ct__check_below(q, name[0], lb, q->in[0]->rank) &&    /* C3 */
           ct__check_below(q, name[1], lc, q->in[0]->rank) &&    /* C3 */
           ct__check_below(q, name[2], rb, q->in[1]->rank) &&    /* C3 */
           ct__check_below(q, name[3], rc, q->in[1]->rank) &&    /* C3 */
           ct__check_distinct(q, name[0], lb, name[1], lc) &&    /* C3 */
           ct__check_distinct(q, name[2], rb, name[3], rc) &&    /* C3 */
           check_extents(q, "batching_dimensions", lb, rb) &&    /* C4 */
           check_extents(q, "contracting_dimensions", lc, rc);   /* C4 */
}

/* The extents of x's axes that are in neither list, behind dim[0 … rank - 1]; the new rank. */
static size_t add_free(const ct_type *x, ct__ints batching, ct__ints contracting, int64_t *dim,
                       size_t rank)
{
    for (int d = 0; d < x->rank; d++)
        if (!ct__ints_contain(batching, d) && !ct__ints_contain(contracting, d))
            dim[rank++] = x->dim[d];
    return rank;
}

/* ---- How exactly to compute: kept for others, for the reference result does not depend on it. */

/* The word at *text, behind blanks and commas; *text moves behind it. */
static size_t take_word(const char **text, const char **word)
{
    *word = *text + strspn(*text, " ,");
    size_t length = strcspn(*word, " ,");

    *text = *word + length;
    return length;
}

static bool is_word(const char *word, size_t length, const char *want)
{
    return strlen(want) == length && memcmp(word, want, length) == 0;
}

bool ct__check_precision(ct__infer *q, const char *precision)
{
    const char *rest = precision ? precision : "DEFAULT, DEFAULT", *word;
    int count = 0;

    for (size_t n; (n = take_word(&rest, &word)) > 0; count++)
        if (!is_word(word, n, "DEFAULT") && !is_word(word, n, "HIGH") &&
            !is_word(word, n, "HIGHEST"))
            return ct__fail(q, CT_ERR_ARGUMENT,
                            "precision_config = [%.80s] must name DEFAULT, HIGH or HIGHEST",
                            precision);
    return count == 2 ||
           ct__fail(q, CT_ERR_ARGUMENT, "precision_config = [%.80s] must have two entries, got %d",
                    precision, count);
}

static bool is_default(const char *precision)
{
    return !precision || !strstr(precision, "HIGH");
}

/* What stands behind "key = " in an algorithm; NULL: nothing. */
static const char *value_of(const char *algorithm, const char *key)
{
    const size_t length = strlen(key);

    for (const char *at = algorithm; (at = strstr(at, key)); at += length) {
        const bool begins = at == algorithm || at[-1] == ' ' || at[-1] == ',';
        const char *rest = at + length + strspn(at + length, " ");

        if (begins && *rest == '=')
            return rest + 1 + strspn(rest + 1, " ");
    }
    return NULL;
}

/* All parts are there, counts are positive, and precision_config asks for nothing else. */
static bool check_algorithm(ct__infer *q, const struct ct__attrs_dot_general *a)
{
    static const char *const key[] = {"lhs_precision_type",      "rhs_precision_type",
                                      "accumulation_type",       "allow_imprecise_accumulation",
                                      "lhs_component_count",     "rhs_component_count",
                                      "num_primitive_operations"};

    if (a->algorithm && !is_default(a->precision_config))
        return ct__fail(q, CT_ERR_ARGUMENT,
                        "precision_config = [%.80s] must be DEFAULT beside an algorithm",
                        a->precision_config);
    for (size_t i = 0; a->algorithm && i < sizeof key / sizeof key[0]; i++) {
        const char *value = value_of(a->algorithm, key[i]);

        if (!value)
            return ct__fail(q, CT_ERR_ARGUMENT, "the algorithm lacks %s", key[i]);
        if (i >= 4 && strtoll(value, NULL, 10) < 1)
            return ct__fail(q, CT_ERR_ARGUMENT, "the algorithm's %s = %.*s must be positive",
                            key[i], (int)strcspn(value, " ,"), value);
    }
    return true;
}

bool ct__infer_dot_general(ct__infer *q)
{
    const struct ct__attrs_dot_general *a = &q->attrs->dot_general;
    const ct_type *x = q->in[0], *y = q->in[1];
    const ct_dtype dtype = a->dtype == CT_INVALID_DTYPE ? x->dtype : a->dtype;
    int64_t dim[2 * CT__MAX_RANK];
    size_t rank = 0;

    if ((a->dtype == CT_INVALID_DTYPE && !ct__check_dtypes(q, 0, 1)) || /* C1 */
        !ct__check_dot(q, a->lhs_batching_dimensions, a->rhs_batching_dimensions,
                       a->lhs_contracting_dimensions,
                       a->rhs_contracting_dimensions) || /* C2 to C4 */
        !ct__check_precision(q, a->precision_config) ||  /* C5 */
        !check_algorithm(q, a))                          /* C6 */
        return false;
    if (ct_dtype_bytes(dtype) == 0)
        return ct__fail(q, CT_ERR_TYPE, "dtype = %d must be an element type", (int)dtype);
    for (size_t i = 0; i < a->lhs_batching_dimensions.count; i++)
        dim[rank++] = x->dim[a->lhs_batching_dimensions.item[i]];
    rank = add_free(x, a->lhs_batching_dimensions, a->lhs_contracting_dimensions, dim, rank);
    rank = add_free(y, a->rhs_batching_dimensions, a->rhs_contracting_dimensions, dim, rank);
    return ct__result(q, dtype, rank, dim);
}
