/* Sorting, running folds, argmax, any, all, prod, erf and gelu give NumPy's numbers, computed at
 * once and traced. tests/data/folds_and_orders.py says how the cases are written. */
#include "tests/values.h"

#include <cotangent/cotangent.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE = 16384, ELEMENTS = 1024 };

typedef struct one_case {
    char name[32];
    int64_t axis, k;
    int flag;
} one_case;

static ct_tensor *apply(const one_case *c, ct_tensor *x)
{
    ct_order order = c->flag ? CT_DESCENDING : CT_ASCENDING;
    ct_keep_axes keep = c->flag ? CT_KEEP_AXES : CT_DROP_AXES;
    ct_tensor *value = NULL, *index = NULL;

    if (strcmp(c->name, "sort") == 0)
        return ct_sort(x, c->axis, order);
    if (strcmp(c->name, "argsort") == 0)
        return ct_argsort(x, c->axis, order);
    if (strncmp(c->name, "top_k", 5) == 0) {
        ct_top_k(x, c->k, &value, &index);
        return strcmp(c->name, "top_k_values") == 0 ? value : index;
    }
    if (strcmp(c->name, "argmax") == 0)
        return ct_argmax(x, c->axis, keep);
    if (strcmp(c->name, "argmin") == 0)
        return ct_argmin(x, c->axis, keep);
    if (strcmp(c->name, "any") == 0)
        return ct_any(x, CT_AXES(c->axis), keep);
    if (strcmp(c->name, "all") == 0)
        return ct_all(x, CT_AXES(c->axis), keep);
    if (strcmp(c->name, "prod") == 0)
        return ct_prod(x, CT_AXES(c->axis), keep);
    if (strcmp(c->name, "cumsum") == 0)
        return ct_cumsum(x, c->axis, c->flag);
    if (strcmp(c->name, "cumprod") == 0)
        return ct_cumprod(x, c->axis, c->flag);
    if (strcmp(c->name, "cummax") == 0)
        return ct_cummax(x, c->axis, c->flag);
    if (strcmp(c->name, "cummin") == 0)
        return ct_cummin(x, c->axis, c->flag);
    if (strcmp(c->name, "erf") == 0)
        return ct_erf(x);
    CHECK(strncmp(c->name, "gelu_", 5) == 0);
    return ct_gelu(x, c->name[5] == 'e' ? CT_GELU_EXACT : CT_GELU_TANH);
}

static void traced(void *user, ct_list x, ct_tensor **result)
{
    result[0] = apply(user, x.item[0]);
}

/* ---- Reading. */

static ct_dtype dtype_named(const char *name)
{
    int dtype = CT_BOOL;
    while (dtype < CT_DTYPE_COUNT && strcmp(ct_dtype_name((ct_dtype)dtype), name) != 0)
        dtype++;
    CHECK_MSG(dtype < CT_DTYPE_COUNT, "there is no dtype %s", name);
    return (ct_dtype)dtype;
}

/* "f32 2 3 : 1.0 2.0 …", up to the end of the line or a "=". */
static ct_tensor *read_tensor(ct_context *ctx, char **rest)
{
    static double element[ELEMENTS];
    int64_t dim[8];
    size_t rank = 0, count = 0;
    const char *word = strtok_r(NULL, " \n", rest);
    ct_dtype dtype = dtype_named(word);
    while ((word = strtok_r(NULL, " \n", rest)) && strcmp(word, ":") != 0)
        dim[rank++] = strtoll(word, NULL, 10);
    while ((word = strtok_r(NULL, " \n", rest)) && strcmp(word, "=") != 0)
        element[count++] = strtod(word, NULL);
    ct_tensor *x = ct_from_doubles(ctx, dtype, (ct_shape){rank, dim}, element);
    CHECK_OK(ctx);
    CHECK((size_t)ct_size(x) == count);
    return x;
}

static const char *read_case(ct_context *ctx, char *line, one_case *c, ct_tensor **x,
                             ct_tensor **expected)
{
    char *rest = NULL;
    snprintf(c->name, sizeof c->name, "%s", strtok_r(line, " ", &rest));
    c->axis = strtoll(strtok_r(NULL, " ", &rest), NULL, 10);
    c->flag = atoi(strtok_r(NULL, " ", &rest));
    c->k = strtoll(strtok_r(NULL, " ", &rest), NULL, 10);
    *x = read_tensor(ctx, &rest);
    *expected = read_tensor(ctx, &rest);
    return c->name;
}

/* ---- Comparing: erf within a unit or two in the last place, gelu, in which 1 + erf and 1 + tanh
 * cancel, within some of 1's, all others exactly. */

static bool is_equal(const one_case *c, ct_tensor *y, ct_tensor *expected)
{
    if (strcmp(c->name, "erf") != 0 && strncmp(c->name, "gelu", 4) != 0)
        return ct_equal(y, expected);
    bool same = ct_size(y) == ct_size(expected);
    for (int64_t i = 0; same && i < ct_size(y); i++) {
        double a = ct_at(y, i), b = ct_at(expected, i);
        double bound = 0x1p-51 * (c->name[0] == 'e' ? fabs(b) : fmax(fabs(b), 1));
        same = a == b || (isnan(a) && isnan(b)) || fabs(a - b) <= bound;
    }
    return same;
}

static void check_case(ct_context *ctx, char *line, int number)
{
    one_case c;
    ct_tensor *x, *expected;
    read_case(ctx, line, &c, &x, &expected);
    ct_tensor *y = apply(&c, x);
    ct_function *f = ct_trace_many(ctx, traced, &c, 1, CT_LIKE(x));
    const ct_compile_options reference = {.size = sizeof reference,
                                          .executor = CT_EXECUTOR_INTERPRETER};
    ct_tensor *z = ct_call1(ct_compile(f, &reference), CT_ARGV(x));
    CHECK_OK(ctx);
    CHECK_MSG(is_equal(&c, y, expected), "line %d, %s of %s: %s\ninstead of %s", number, c.name,
              ct_text(x), ct_text(y), ct_text(expected));
    CHECK_BITS(z, y);
}

TEST(numpy)
{
    static char line[LINE];
    ct_context *ctx = ct_context_new();
    int number = 0;
    FILE *file = fopen(CT_SOURCE_DIR "/tests/data/folds_and_orders.txt", "r");
    CHECK(file != NULL);
    while (fgets(line, sizeof line, file)) {
        CHECK(strchr(line, '\n') != NULL);
        ct_scope scope = ct_scope_begin(ctx);
        check_case(ctx, line, ++number);
        ct_scope_end(scope);
    }
    fclose(file);
    CHECK(number > 1000);
    ct_context_free(ctx);
}
