/* How fast is one operation, by dtype and way to run?
 *
 * Elements are counted in the operand; those of elementwise operations lie in the cache (64 Ki), of
 * folds and movements do not (4 Mi). */
#include "bench.h"
#include "harness/options.h"
#include "harness/session.h"

enum { IN_CACHE = 1 << 16, ROWS = 4096, COLUMNS = 1024 };

/* ---- Programs. */

#define UNARY(f)                                                                                   \
    static ct_tensor *run_##f(const ct_list *p)                                                    \
    {                                                                                              \
        return ct_##f(p->item[0]);                                                                 \
    }
#define BINARY(f)                                                                                  \
    static ct_tensor *run_##f(const ct_list *p)                                                    \
    {                                                                                              \
        return ct_##f(p->item[0], p->item[1]);                                                     \
    }
#define FOLD(f)                                                                                    \
    static ct_tensor *run_##f##_0(const ct_list *p)                                                \
    {                                                                                              \
        return ct_##f(p->item[0], CT_AXES(0), CT_DROP_AXES);                                       \
    }                                                                                              \
    static ct_tensor *run_##f##_1(const ct_list *p)                                                \
    {                                                                                              \
        return ct_##f(p->item[0], CT_AXES(1), CT_DROP_AXES);                                       \
    }                                                                                              \
    static ct_tensor *run_##f##_all(const ct_list *p)                                              \
    {                                                                                              \
        return ct_##f(p->item[0], CT_ALL_AXES, CT_DROP_AXES);                                      \
    }

/* clang-format off */
/* For every dtype, and for floats alone. */
#define FOR_UNARY(X) X(neg) X(abs) X(square) X(sign)
#define FOR_BINARY(X) X(add) X(sub) X(mul) X(div) X(maximum) X(minimum)
#define FOR_FLOAT_UNARY(X)                                                                         \
    X(reciprocal) X(exp) X(exp2) X(expm1) X(log) X(log2) X(log10) X(log1p) X(sqrt) X(rsqrt)        \
    X(cbrt) X(sin) X(cos) X(tan) X(tanh) X(sigmoid) X(erf) X(erfc) X(asin) X(acos) X(atan)         \
    X(sinh) X(cosh) X(asinh) X(atanh) X(lgamma) X(digamma) X(floor) X(ceil) X(round)
#define FOR_FLOAT_BINARY(X) X(pow) X(atan2) X(rem) X(hypot)
#define FOR_FOLD(X) X(sum) X(max) X(prod)
/* clang-format on */

FOR_UNARY(UNARY)
FOR_FLOAT_UNARY(UNARY)
FOR_BINARY(BINARY)
FOR_FLOAT_BINARY(BINARY)
FOR_FOLD(FOLD)

static ct_tensor *run_argmax(const ct_list *p)
{
    return ct_argmax(p->item[0], 1, CT_DROP_AXES);
}

static ct_tensor *run_transpose(const ct_list *p)
{
    return ct_transpose(p->item[0], CT_AXES(1, 0));
}

static ct_tensor *run_flip(const ct_list *p)
{
    return ct_flip(p->item[0], CT_AXES(1));
}

static ct_tensor *run_pad(const ct_list *p)
{
    return ct_pad(p->item[0], CT_SHAPE(0, 8), CT_SHAPE(0, 8), 0);
}

static ct_tensor *run_slice(const ct_list *p)
{
    return ct_slice(p->item[0], CT_SHAPE(0, 0), CT_SHAPE(ROWS, COLUMNS), CT_SHAPE(1, 2));
}

static ct_tensor *run_concatenate(const ct_list *p)
{
    return ct_concatenate(CT_ARGV(p->item[0], p->item[0]), 1);
}

static ct_tensor *run_broadcast(const ct_list *p)
{
    ct_tensor *row = ct_slice(p->item[0], CT_SHAPE(0, 0), CT_SHAPE(1, COLUMNS), CT_SHAPE(1, 1));
    return ct_broadcast_to(row, CT_SHAPE(ROWS, COLUMNS));
}

static ct_tensor *run_take(const ct_list *p)
{
    return ct_take(p->item[0], p->item[1], 0, CT_CLAMP);
}

static ct_tensor *run_add_rows(const ct_list *p)
{
    ct_tensor *wide = ct_broadcast_to(ct_expand_dims(p->item[1], CT_AXES(1)),
                                      CT_SHAPE(ROWS, COLUMNS));
    return ct_add_along_axis(p->item[0], wide, p->item[0], 0, CT_SKIP);
}

static ct_tensor *run_sort(const ct_list *p)
{
    return ct_sort(p->item[0], 1, CT_ASCENDING);
}

static ct_tensor *run_cumsum(const ct_list *p)
{
    return ct_cumsum(p->item[0], 1, false);
}

/* ---- Rows. */

typedef struct operation {
    const char *name;
    program *code;
    bool is_float; /* has no integer form */
} operation;

#define ROW(f) {#f, run_##f, false},
#define FLOAT_ROW(f) {#f, run_##f, true},
#define FOLD_ROWS(f)                                                                               \
    {#f " axis 0", run_##f##_0, false}, {#f " axis 1", run_##f##_1, false},                        \
        {#f " all", run_##f##_all, false},

static const operation unary[] = {FOR_UNARY(ROW) FOR_FLOAT_UNARY(FLOAT_ROW)};
static const operation binary[] = {FOR_BINARY(ROW) FOR_FLOAT_BINARY(FLOAT_ROW)};
static const operation matrix[] = {FOR_FOLD(FOLD_ROWS){"argmax axis 1", run_argmax, false},
                                   {"transpose", run_transpose, false},
                                   {"flip", run_flip, false},
                                   {"pad", run_pad, false},
                                   {"slice, every second", run_slice, false},
                                   {"concatenate", run_concatenate, false},
                                   {"broadcast a row", run_broadcast, false},
                                   {"cumsum", run_cumsum, false},
                                   {"sort rows", run_sort, false}};
static const operation indexed[] = {{"take rows", run_take, false},
                                    {"add rows at indices", run_add_rows, false}};

static const ct_dtype dtypes[] = {CT_F32, CT_F64, CT_F16, CT_BF16, CT_I32, CT_I64, CT_I8};

typedef struct family {
    const operation *item;
    size_t count;
    input input[2];
} family;

#define COUNT(list) (sizeof(list) / sizeof *(list))

static const family families[] = {
    {unary, COUNT(unary), {{.kind = UNIFORM, .dim = {IN_CACHE}}}},
    {binary,
     COUNT(binary),
     {{.kind = UNIFORM, .dim = {IN_CACHE}}, {.kind = UNIFORM, .dim = {IN_CACHE}}}},
    {matrix, COUNT(matrix), {{.kind = UNIFORM, .dim = {ROWS, COLUMNS}}}},
    {indexed, COUNT(indexed), {{.kind = UNIFORM, .dim = {ROWS, COLUMNS}}, INDICES(ROWS, ROWS)}}};

static bool run_once(void *user)
{
    return ct_run(user) == CT_OK;
}

static bool bench(const char *name, const workload *w, const char *way, const bench_options *o)
{
    ct_compile_options options = {.size = sizeof options};
    const double elements = w->input[0].dim[1] ? ROWS * COLUMNS : IN_CACHE;
    session s;
    sample t;
    bool fine = find_way(way, &options) && open_session(&s, w, &options) &&
                take_sample(run_once, s.run, o->seconds, &t);
    if (fine)
        print_rate(o, name, "G/s", 1e-9 * elements, &t);
    close_session(&s);
    return fine;
}

static bool bench_operation(const operation *op, const family *in, ct_dtype dtype,
                            const bench_options *o)
{
    workload w = {.name = op->name, .code = op->code, .dtype = dtype};
    const char *way;
    char name[128];
    bool fine = true;
    if (op->is_float && !ct_dtype_is_float(dtype))
        return true;
    memcpy(w.input, in->input, sizeof in->input);
    for (size_t k = 0; (way = way_name(k)); k++) {
        snprintf(name, sizeof name, "%s %s %s", op->name, ct_dtype_name(dtype), way);
        if (is_way_wanted(o, way) && is_wanted(o, name))
            fine = bench(name, &w, way, o) && fine;
    }
    return fine;
}

int main(int argc, char **argv)
{
    bench_options o;
    bool fine = true;
    if (!parse_options(argc, argv, "how many elements a second does an operation take?", &o))
        return 2;
    for (size_t f = 0; f < COUNT(families); f++)
        for (size_t i = 0; i < families[f].count; i++)
            for (size_t d = 0; d < COUNT(dtypes); d++)
                fine = bench_operation(&families[f].item[i], &families[f], dtypes[d], &o) && fine;
    return fine ? 0 : 1;
}
