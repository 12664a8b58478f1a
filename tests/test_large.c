/* Convolution, select_and_scatter, fft, cholesky, triangular_solve and rng_bit_generator give what
 * JAX and NumPy give, computed at once and compiled. tests/data/large.py says how the cases are
 * written. */
#include "tests/programs.h"

#include <cotangent/op_large.h>

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE = 1 << 16, KEYS = 24, OPERANDS = 3, ELEMENTS = 1 << 14 };

typedef struct key {
    char name[48];
    size_t count;
    int64_t item[8];
} key;

typedef struct one_case {
    char name[32];
    double bound;
    size_t n_keys;
    key key[KEYS];
    size_t n_operands, n_results;
    ct_tensor *operand[OPERANDS], *result[OPERANDS];
} one_case;

/* ---- Attributes. */

static ct_dims list(const one_case *c, const char *name)
{
    for (size_t i = 0; i < c->n_keys; i++)
        if (strcmp(c->key[i].name, name) == 0)
            return (ct_dims){c->key[i].count, c->key[i].item};
    CHECK_MSG(0, "%s has no %s", c->name, name);
    return CT_DIMS();
}

static int64_t number(const one_case *c, const char *name)
{
    ct_dims found = list(c, name);
    CHECK(found.count == 1);
    return found.dim[0];
}

static ct_tensor *convolve(const one_case *c, ct_list p)
{
    return ct_op_convolution(
        p.item[0], p.item[1],
        &(ct_convolution_dims){
            .window_strides = list(c, "window_strides"),
            .padding_low = list(c, "padding_low"),
            .padding_high = list(c, "padding_high"),
            .lhs_dilation = list(c, "lhs_dilation"),
            .rhs_dilation = list(c, "rhs_dilation"),
            .window_reversal = list(c, "window_reversal"),
            .input_batch_dimension = number(c, "input_batch_dimension"),
            .input_feature_dimension = number(c, "input_feature_dimension"),
            .input_spatial_dimensions = list(c, "input_spatial_dimensions"),
            .kernel_input_feature_dimension = number(c, "kernel_input_feature_dimension"),
            .kernel_output_feature_dimension = number(c, "kernel_output_feature_dimension"),
            .kernel_spatial_dimensions = list(c, "kernel_spatial_dimensions"),
            .output_batch_dimension = number(c, "output_batch_dimension"),
            .output_feature_dimension = number(c, "output_feature_dimension"),
            .output_spatial_dimensions = list(c, "output_spatial_dimensions"),
            .feature_group_count = number(c, "feature_group_count"),
            .batch_group_count = number(c, "batch_group_count"),
            .dtype = (ct_dtype)number(c, "dtype")});
}

static ct_function *body(ct_tensor *x, bool compares, bool least)
{
    ct_tensor *s = ct_spec(ct_context_of(x), ct_dtype_of(x), CT_SHAPE());
    ct_trace_builder *b = ct_trace_begin(ct_context_of(x), "body", CT_LIKE(s, s));
    ct_tensor *a = ct_trace_parameter(b, 0), *e = ct_trace_parameter(b, 1);
    return ct_trace_end(
        b, CT_ARGV(!compares ? ct_op_add(a, e)
                             : ct_op_compare(a, e, least ? CT_LT : CT_GE, CT_COMPARE_DEFAULT)));
}

static ct_tensor *select_and_scatter(const one_case *c, ct_list p)
{
    const ct_selecting_dims dims = {.window_dimensions = list(c, "window_dimensions"),
                                    .window_strides = list(c, "window_strides"),
                                    .padding_low = list(c, "padding_low"),
                                    .padding_high = list(c, "padding_high")};
    return ct_op_select_and_scatter(p.item[0], p.item[1], p.item[2],
                                    body(p.item[0], true, number(c, "least") != 0),
                                    body(p.item[0], false, false), CT_NO_TENSORS, &dims);
}

static void apply(void *user, ct_list p, ct_tensor **result)
{
    const one_case *c = user;

    if (strcmp(c->name, "convolution") == 0)
        result[0] = convolve(c, p);
    else if (strcmp(c->name, "select_and_scatter") == 0)
        result[0] = select_and_scatter(c, p);
    else if (strcmp(c->name, "fft") == 0)
        result[0] = ct_op_fft(p.item[0], (ct_fft_type)number(c, "fft_type"), list(c, "fft_length"));
    else if (strcmp(c->name, "cholesky") == 0)
        result[0] = ct_op_cholesky(p.item[0], number(c, "lower") != 0);
    else if (strcmp(c->name, "triangular_solve") == 0)
        result[0] = ct_op_triangular_solve(
            p.item[0], p.item[1],
            &(ct_solve_options){.left_side = number(c, "left_side") != 0,
                                .lower = number(c, "lower") != 0,
                                .unit_diagonal = number(c, "unit_diagonal") != 0,
                                .transpose_a = (ct_transpose)number(c, "transpose_a")});
    else if (strcmp(c->name, "rng_bit_generator") == 0)
        ct_op_rng_bit_generator(p.item[0], (ct_rng_algorithm)number(c, "rng_algorithm"),
                                (ct_dtype)number(c, "dtype"), list(c, "shape"), &result[0],
                                &result[1]);
    else
        CHECK_MSG(0, "there is no operation %s", c->name);
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

/* "f32 2 3 : 1 0x1.8p+0 …", up to the end of the line or a "=", which sets *ends. A word that is
 * a dtype begins the next tensor, and is left in *next. */
static ct_tensor *read_tensor(ct_context *ctx, char **rest, char **next)
{
    static double real[ELEMENTS];
    static uint64_t whole[ELEMENTS];
    int64_t dim[8];
    size_t rank = 0, count = 0;
    ct_dtype dtype = dtype_named(*next);
    char *word;
    while ((word = strtok_r(NULL, " \n", rest)) && strcmp(word, ":") != 0)
        dim[rank++] = strtoll(word, NULL, 10);
    while ((word = strtok_r(NULL, " \n", rest)) && !strchr("=bcfu", word[0]) && word[0] != 'i') {
        CHECK(count < ELEMENTS);
        whole[count] = word[0] == '-' ? 0 : strtoull(word, NULL, 10);
        real[count++] = strtod(word, NULL);
    }
    *next = word;
    ct_shape shape = {rank, dim};
    ct_tensor *x = dtype == CT_U64 ? ct_from_data(ctx, dtype, shape, whole) : NULL;
    if (ct_dtype_is_complex(dtype))
        x = ct_op_convert(ct_from_data(ctx, CT_C128, shape, real), dtype);
    x = x ? x : ct_from_doubles(ctx, dtype, shape, real);
    CHECK_OK(ctx);
    CHECK((size_t)ct_size(x) * (ct_dtype_is_complex(dtype) ? 2 : 1) == count);
    return x;
}

static void read_key(char *word, key *k)
{
    char *equals = strchr(word, '=');
    CHECK(equals != NULL && (size_t)(equals - word) < sizeof k->name);
    *equals = 0;
    strcpy(k->name, word);
    k->count = 0;
    for (char *at = equals + 1; *at; at += *at == ',')
        k->item[k->count++] = strtoll(at, &at, 10);
}

static void read_case(ct_context *ctx, char *line, one_case *c)
{
    char *rest = NULL, *word;
    *c = (one_case){.n_keys = 0};
    snprintf(c->name, sizeof c->name, "%s", strtok_r(line, " ", &rest));
    c->bound = strtod(strtok_r(NULL, " ", &rest), NULL);
    while ((word = strtok_r(NULL, " ", &rest)) && strcmp(word, ";") != 0)
        read_key(word, &c->key[c->n_keys++]);
    word = strtok_r(NULL, " ", &rest);
    while (word && strcmp(word, "=") != 0)
        c->operand[c->n_operands++] = read_tensor(ctx, &rest, &word);
    word = strtok_r(NULL, " ", &rest);
    while (word)
        c->result[c->n_results++] = read_tensor(ctx, &rest, &word);
}

/* ---- Comparing. */

/* Numbers of a tensor, real and imaginary parts. */
static size_t parts(ct_tensor *x, double *part)
{
    bool complex = ct_dtype_is_complex(ct_dtype_of(x));
    size_t n = (size_t)ct_size(x) * (complex ? 2 : 1);
    memcpy(part, ct_data(ct_op_convert(x, complex ? CT_C128 : CT_F64)), n * sizeof *part);
    return n;
}

static bool is_near(ct_tensor *y, ct_tensor *expected, double bound)
{
    static double a[ELEMENTS], b[ELEMENTS];
    size_t n = parts(y, a);
    double largest = 0;
    if (ct_dtype_of(y) != ct_dtype_of(expected) || parts(expected, b) != n ||
        ct_rank(y) != ct_rank(expected))
        return false;
    for (size_t i = 0; i < n; i++)
        largest = fmax(largest, fabs(b[i]));
    for (size_t i = 0; i < n; i++)
        if (!(fabs(a[i] - b[i]) <= bound * largest || (isnan(a[i]) && isnan(b[i]))))
            return false;
    for (size_t d = 0; d < ct_rank(y); d++)
        if (ct_dim(y, (int64_t)d) != ct_dim(expected, (int64_t)d))
            return false;
    return true;
}

/* Random floats are compared by their bits. */
static bool has_bits(ct_tensor *y, ct_tensor *expected)
{
    return ct_size(y) == ct_size(expected) &&
           ct_dtype_bytes(ct_dtype_of(y)) == ct_dtype_bytes(ct_dtype_of(expected)) &&
           memcmp(ct_data(y), ct_data(expected),
                  (size_t)ct_size(y) * ct_dtype_bytes(ct_dtype_of(y))) == 0;
}

static bool is_right(const one_case *c, size_t i, ct_tensor *y)
{
    if (strcmp(c->name, "rng_bit_generator") == 0)
        return has_bits(y, c->result[i]);
    return c->bound > 0 ? is_near(y, c->result[i], c->bound) : ct_equal(y, c->result[i]);
}

static void check_case(ct_context *ctx, char *line, int at)
{
    one_case c;
    ct_tensor *y[4];
    read_case(ctx, line, &c);
    programs_run(ctx, (program){apply, &c, c.n_results}, (ct_list){c.n_operands, c.operand}, y);
    CHECK_OK(ctx);
    for (size_t i = 0; i < c.n_results; i++)
        CHECK_MSG(is_right(&c, i, y[i]), "line %d, result %zu of %s: %s\ninstead of %s", at, i,
                  c.name, ct_text(y[i]), ct_text(c.result[i]));
}

static void check_file(const char *name, int least)
{
    static char line[LINE];
    ct_context *ctx = ct_context_new();
    int at = 0, checked = 0;
    FILE *file = fopen(CT_SOURCE_DIR "/tests/data/large.txt", "r");
    CHECK(file != NULL);
    while (fgets(line, sizeof line, file)) {
        CHECK(strchr(line, '\n') != NULL);
        at++;
        if (strncmp(line, name, strlen(name)) != 0 || line[strlen(name)] != ' ')
            continue;
        ct_scope scope = ct_scope_begin(ctx);
        check_case(ctx, line, at);
        ct_scope_end(scope);
        checked++;
    }
    fclose(file);
    CHECK_MSG(checked >= least, "only %d cases of %s", checked, name);
    ct_context_free(ctx);
}

TEST(convolution)
{
    check_file("convolution", 230);
}

TEST(select_and_scatter)
{
    check_file("select_and_scatter", 13);
}

TEST(fft)
{
    check_file("fft", 200);
}

TEST(cholesky)
{
    check_file("cholesky", 70);
}

TEST(triangular_solve)
{
    check_file("triangular_solve", 280);
}

TEST(rng_bit_generator)
{
    check_file("rng_bit_generator", 140);
}
