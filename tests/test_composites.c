/* The composites against NumPy: tests/data/composites.txt, which tests/data/composites.py writes
 * and explains. Every case is computed directly and as a recorded function, with the same bits. */
#include "tests/values.h"

#include <cotangent/cotangent.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINE_BYTES 65536
#define MOST 8 /* entries of a list, lists, tensors */

typedef struct list {
    bool all;
    size_t count;
    int64_t item[MOST];
} list;

/* One case: a row of the table, its lists, its operands, and what NumPy gives. */
typedef struct numpy_case {
    char name[64];
    size_t n_lists, n_in;
    list list[MOST];
    ct_tensor *in[MOST], *expected;
    double bound, floor;
} numpy_case;

/* ---- Rows: how a case is computed from x[0], x[1], … and its lists. */

static int64_t number(const numpy_case *c, size_t i)
{
    CHECK(i < c->n_lists && c->list[i].count == 1);
    return c->list[i].item[0];
}

static ct_shape dims(const numpy_case *c, size_t i)
{
    CHECK(i < c->n_lists && !c->list[i].all);
    return (ct_shape){c->list[i].count, c->list[i].item};
}

static ct_axes axes(const numpy_case *c, size_t i)
{
    CHECK(i < c->n_lists);
    return (ct_axes){c->list[i].all, c->list[i].count, c->list[i].item};
}

static ct_keep_axes keep(const numpy_case *c, size_t i)
{
    return (ct_keep_axes)number(c, i);
}

static ct_index_mode mode(const numpy_case *c, size_t i)
{
    return ct_index_mode_new((ct_index_kind)number(c, i), ct_operand_signed(0));
}

static ct_tensor *split_part(const numpy_case *c, ct_tensor *x)
{
    ct_tensor *part[MOST];
    ct_split(x, number(c, 1), part, (size_t)number(c, 0));
    return part[number(c, 2)];
}

static ct_tensor *split_positions_part(const numpy_case *c, ct_tensor *x)
{
    ct_tensor *part[MOST + 1];
    ct_split_positions(x, dims(c, 0), number(c, 1), part, c->list[0].count + 1);
    return part[number(c, 2)];
}

typedef ct_tensor *numpy_run(const numpy_case *c, ct_tensor *const *x);

/* clang-format off */
#define UNARIES(ROW) \
    ROW(exp) ROW(expm1) ROW(log) ROW(log1p) ROW(sqrt) ROW(cbrt) ROW(sin) ROW(cos) ROW(tan) \
    ROW(tanh) ROW(sigmoid) ROW(exp2) ROW(log2) ROW(log10) ROW(silu) ROW(softplus) ROW(trunc) \
    ROW(floor) ROW(ceil) ROW(round) ROW(abs) ROW(neg) ROW(square) ROW(sign) ROW(is_nan) \
    ROW(is_inf) ROW(is_finite)
#define BINARIES(ROW) \
    ROW(add) ROW(sub) ROW(mul) ROW(div) ROW(pow) ROW(rem) ROW(mod) ROW(floor_divide) ROW(maximum) \
    ROW(minimum) ROW(atan2) ROW(hypot) ROW(logaddexp) ROW(eq) ROW(ne) ROW(lt) ROW(le) ROW(gt) \
    ROW(ge) ROW(dot) ROW(outer) ROW(matmul)
#define REDUCTIONS(ROW) \
    ROW(sum) ROW(mean) ROW(max) ROW(min) ROW(norm) ROW(logsumexp)
/* clang-format on */
#define OTHERS(ROW)                                                                                \
    ROW(where, ct_where(x[0], x[1], x[2]))                                                         \
    ROW(clip, ct_clip(x[0], x[1], x[2]))                                                           \
    ROW(var, ct_var(x[0], axes(c, 0), keep(c, 1), number(c, 2)))                                   \
    ROW(std, ct_std(x[0], axes(c, 0), keep(c, 1), number(c, 2)))                                   \
    ROW(softmax, ct_softmax(x[0], axes(c, 0)))                                                     \
    ROW(log_softmax, ct_log_softmax(x[0], axes(c, 0)))                                             \
    ROW(reshape, ct_reshape(x[0], dims(c, 0)))                                                     \
    ROW(transpose, ct_transpose(x[0], axes(c, 0)))                                                 \
    ROW(swapaxes, ct_swapaxes(x[0], number(c, 0), number(c, 1)))                                   \
    ROW(moveaxis, ct_moveaxis(x[0], axes(c, 0), axes(c, 1)))                                       \
    ROW(squeeze, ct_squeeze(x[0], axes(c, 0)))                                                     \
    ROW(expand_dims, ct_expand_dims(x[0], axes(c, 0)))                                             \
    ROW(broadcast_to, ct_broadcast_to(x[0], dims(c, 0)))                                           \
    ROW(flip, ct_flip(x[0], axes(c, 0)))                                                           \
    ROW(pad, ct_pad(x[0], dims(c, 0), dims(c, 1), x[1]))                                           \
    ROW(stack, ct_stack(CT_ARGV(x[0], x[1]), number(c, 0)))                                        \
    ROW(concatenate, ct_concatenate(CT_ARGV(x[0], x[1]), number(c, 0)))                            \
    ROW(split, split_part(c, x[0]))                                                                \
    ROW(split_positions, split_positions_part(c, x[0]))                                            \
    ROW(tile, ct_tile(x[0], dims(c, 0)))                                                           \
    ROW(repeat, ct_repeat(x[0], number(c, 0), number(c, 1)))                                       \
    ROW(roll, ct_roll(x[0], dims(c, 0), axes(c, 1)))                                               \
    ROW(tril, ct_tril(x[0], number(c, 0)))                                                         \
    ROW(triu, ct_triu(x[0], number(c, 0)))                                                         \
    ROW(diag, ct_diag(x[0], number(c, 0)))                                                         \
    ROW(take, ct_take(x[0], x[1], number(c, 0), mode(c, 1)))                                       \
    ROW(take_along_axis, ct_take_along_axis(x[0], x[1], number(c, 0), mode(c, 1)))                 \
    ROW(one_hot, ct_one_hot(x[0], number(c, 0), CT_F32))                                           \
    ROW(put_along_axis, ct_put_along_axis(x[0], x[1], x[2], number(c, 0), mode(c, 1)))             \
    ROW(add_along_axis, ct_add_along_axis(x[0], x[1], x[2], number(c, 0), mode(c, 1)))             \
    ROW(tensordot, ct_tensordot(x[0], x[1], number(c, 0)))                                         \
    ROW(tensordot_axes, ct_tensordot_axes(x[0], x[1], axes(c, 0), axes(c, 1)))                     \
    ROW(cross_entropy, ct_cross_entropy(x[0], x[1], number(c, 0), mode(c, 1)))                     \
    ROW(cross_entropy_soft, ct_cross_entropy_soft(x[0], x[1], number(c, 0)))

#define RUN(name, call)                                                                            \
    static ct_tensor *run_##name(const numpy_case *c, ct_tensor *const *x)                         \
    {                                                                                              \
        (void)c;                                                                                   \
        return call;                                                                               \
    }
#define RUN_UNARY(name) RUN(name, ct_##name(x[0]))
#define RUN_BINARY(name) RUN(name, ct_##name(x[0], x[1]))
#define RUN_REDUCTION(name) RUN(name, ct_##name(x[0], axes(c, 0), keep(c, 1)))
UNARIES(RUN_UNARY)
BINARIES(RUN_BINARY)
REDUCTIONS(RUN_REDUCTION)
OTHERS(RUN)

typedef struct numpy_row {
    const char *name;
    numpy_run *run;
    int cases;
} numpy_row;

static numpy_row rows[] = {
#define NAMED(name) {#name, run_##name, 0},
#define NAMED_CALL(name, call) NAMED(name)
    UNARIES(NAMED) BINARIES(NAMED) REDUCTIONS(NAMED) OTHERS(NAMED_CALL)};
#define N_ROWS (sizeof rows / sizeof *rows)

static numpy_row *find_row(const char *name)
{
    for (size_t i = 0; i < N_ROWS; i++)
        if (strcmp(rows[i].name, name) == 0)
            return &rows[i];
    check_fail(__FILE__, __LINE__, "there is no row for %s", name);
    return NULL;
}

/* ---- Reading. */

static list read_list(const char *word)
{
    list l = {.all = strcmp(word, "all") == 0};
    if (l.all || strcmp(word, "-") == 0)
        return l;
    for (char *next = NULL;; word = next + 1) {
        CHECK(l.count < MOST);
        l.item[l.count++] = strtoll(word, &next, 10);
        if (*next != ',')
            return l;
    }
}

static ct_dtype read_dtype(const char *name)
{
    for (int i = 0; i < CT_DTYPE_COUNT; i++)
        if (strcmp(ct_dtype_name((ct_dtype)i), name) == 0)
            return (ct_dtype)i;
    check_fail(__FILE__, __LINE__, "there is no dtype %s", name);
    return CT_INVALID_DTYPE;
}

static ct_tensor *read_tensor(ct_context *ctx, const char *dtype, const char *extents,
                              const char *hex)
{
    static unsigned char data[LINE_BYTES];
    list shape = read_list(extents);
    size_t n = strcmp(hex, "-") == 0 ? 0 : strlen(hex) / 2;
    for (size_t i = 0; i < n; i++) {
        unsigned byte;
        CHECK(sscanf(hex + 2 * i, "%2x", &byte) == 1);
        data[i] = (unsigned char)byte;
    }
    ct_tensor *x = ct_from_data(ctx, read_dtype(dtype), ((ct_shape){shape.count, shape.item}),
                                data);
    CHECK_OK(ctx);
    CHECK((size_t)ct_size(x) * ct_dtype_bytes(ct_dtype_of(x)) == n);
    return x;
}

static char *next_word(void)
{
    char *word = strtok(NULL, " \n");
    CHECK(word != NULL);
    return word;
}

/* The next case of the file; false at its end. */
static bool read_case(FILE *file, ct_context *ctx, numpy_case *c)
{
    static char line[LINE_BYTES];
    *c = (numpy_case){.n_in = 0};
    while (fgets(line, sizeof line, file)) {
        char *kind = strtok(line, " \n");
        if (!kind)
            return c->name[0] != '\0';
        if (strcmp(kind, "case") == 0) {
            snprintf(c->name, sizeof c->name, "%s", next_word());
            for (char *word; (word = strtok(NULL, " \n")) != NULL && c->n_lists < MOST;)
                c->list[c->n_lists++] = read_list(word);
        } else if (strcmp(kind, "#") == 0) {
            continue;
        } else if (strcmp(kind, "in") == 0) {
            char *dtype = next_word(), *extents = next_word();
            c->in[c->n_in++] = read_tensor(ctx, dtype, extents, next_word());
        } else {
            char *dtype = next_word(), *extents = next_word();
            c->bound = atof(next_word());
            c->floor = atof(next_word());
            c->expected = read_tensor(ctx, dtype, extents, next_word());
        }
    }
    return false;
}

/* ---- Comparing. */

static double unit_of(ct_dtype dtype)
{
    switch (dtype) {
    case CT_F16: return 0x1p-10;
    case CT_BF16: return 0x1p-7;
    case CT_F32: return 0x1p-23;
    default: return 0x1p-52;
    }
}

static double least_of(ct_dtype dtype)
{
    switch (dtype) {
    case CT_F16: return 0x1p-14;
    case CT_BF16:
    case CT_F32: return 0x1p-126;
    default: return 0x1p-1022;
    }
}

static bool agree(const numpy_case *c, double x, double y)
{
    ct_dtype dtype = ct_dtype_of(c->expected);
    if (isnan(y) || isinf(y) || c->bound == 0)
        return isnan(y) ? isnan(x) : x == y && !signbit(x) == !signbit(y);
    double size = fmax(fmax(fabs(y), c->floor), least_of(dtype));
    return fabs(x - y) <= c->bound * unit_of(dtype) * size;
}

static void compare(const numpy_case *c, ct_tensor *y)
{
    CHECK_MSG(strcmp(ct_type_text(y), ct_type_text(c->expected)) == 0, "%s: %s instead of %s",
              c->name, ct_type_text(y), ct_type_text(c->expected));
    if (ct_dtype_is_complex(ct_dtype_of(y)) || ct_dtype_is_integer(ct_dtype_of(y))) {
        CHECK_MSG(ct_equal(y, c->expected), "%s: %s\ninstead of %s", c->name, ct_text(y),
                  ct_text(c->expected));
        return;
    }
    static double found[LINE_BYTES], expected[LINE_BYTES];
    size_t n = (size_t)ct_size(y);
    CHECK(ct_to_doubles(y, found, n) && ct_to_doubles(c->expected, expected, n));
    for (size_t i = 0; i < n; i++)
        CHECK_MSG(agree(c, found[i], expected[i]),
                  "%s of %s%s%s, element %zu: %.17g instead of %.17g\nx = %.600s\ny = %.600s",
                  c->name, ct_type_text(c->in[0]), c->n_in > 1 ? ", " : "",
                  c->n_in > 1 ? ct_type_text(c->in[1]) : "", i, found[i], expected[i],
                  ct_text(c->in[0]), c->n_in > 1 ? ct_text(c->in[1]) : "");
}

/* ---- Running. */

static void record(void *user, ct_list parameters, ct_tensor **result)
{
    const numpy_case *c = user;
    result[0] = find_row(c->name)->run(c, parameters.item);
}

static void run_case(ct_context *ctx, numpy_case *c)
{
    numpy_row *row = find_row(c->name);
    const ct_list in = {c->n_in, c->in};
    ct_tensor *y = row->run(c, c->in);
    CHECK_OK(ctx);
    compare(c, y);
    CHECK_BITS(ct_apply1(ct_trace_many(ctx, record, c, 1, in), in), y);
    CHECK_OK(ctx);
    row->cases++;
}

TEST(composites_are_numpys)
{
    FILE *file = fopen(CT_SOURCE_DIR "/tests/data/composites.txt", "r");
    numpy_case c;
    CHECK(file != NULL);
    for (bool more = true; more;) {
        ct_context *ctx = ct_context_new();
        if ((more = read_case(file, ctx, &c)))
            run_case(ctx, &c);
        ct_context_free(ctx);
    }
    fclose(file);
    for (size_t i = 0; i < N_ROWS; i++)
        CHECK_MSG(rows[i].cases > 0, "there is no case for %s", rows[i].name);
}

TEST(the_file_is_what_its_script_writes)
{
    if (system("python3 -c 'import numpy' 2>/dev/null") != 0)
        SKIP("python3 has no NumPy");
    CHECK(system("cd \"$CT_SOURCE_DIR/tests/data\" && "
                 "python3 composites.py | cmp - composites.txt") == 0);
}
