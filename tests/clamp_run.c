#include "tests/clamp.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Executors: a new one joins by one row. */

static const ct_compile_options by_default = {.size = sizeof by_default};
static const ct_compile_options interpreted = {.size = sizeof interpreted,
                                               .executor = CT_EXECUTOR_INTERPRETER};

static const ct_compile_options machine = {.size = sizeof machine, .executor = CT_EXECUTOR_MACHINE};
static const ct_compile_options tiles = {.size = sizeof tiles, .executor = CT_EXECUTOR_CPU};

const clamp_executor clamp_executors[] = {
    {"direct", NULL},
    {"default", &by_default},
    {"interpreter", &interpreted},
    {"machine numerics", &machine},
    {"tile machine", &tiles},
};
const size_t clamp_n_executors = sizeof clamp_executors / sizeof *clamp_executors;

void clamp_evaluate(const clamp_executor *executor, ct_function *f, ct_list arguments,
                    ct_tensor **result, size_t n_results)
{
    if (executor->options)
        ct_call(ct_compile(f, executor->options), arguments, result, n_results);
    else
        ct_apply(f, arguments, result, n_results);
}

/* ---- Indices. */

static const struct limits {
    ct_dtype dtype;
    int64_t smallest;
    uint64_t largest;
} limits[] = {
    {CT_I8, -128, 127},
    {CT_I16, -32768, 32767},
    {CT_I32, -2147483648, 2147483647},
    {CT_I64, INT64_MIN, 9223372036854775807},
    {CT_U8, 0, 255},
    {CT_U16, 0, 65535},
    {CT_U32, 0, 4294967295},
    {CT_U64, 0, 18446744073709551615u},
};
enum { DTYPES = sizeof limits / sizeof *limits };

/* The bits of one index in the dtype; false when it does not fit. */
static bool resolve(const struct limits *of, int64_t index, clamp_style style, uint64_t *bits)
{
    *bits = (uint64_t)index;
    if (style.limits && index == INT64_MIN)
        *bits = (uint64_t)of->smallest;
    else if (style.limits && index == INT64_MAX)
        *bits = of->largest;
    else if (!style.bits)
        return index >= of->smallest && (index < 0 || (uint64_t)index <= of->largest);
    return true;
}

static void store(unsigned char *to, size_t bytes, uint64_t bits)
{
    const uint8_t b8 = (uint8_t)bits;
    const uint16_t b16 = (uint16_t)bits;
    const uint32_t b32 = (uint32_t)bits;

    memcpy(to,
           bytes == 1   ? (const void *)&b8
           : bytes == 2 ? (const void *)&b16
           : bytes == 4 ? (const void *)&b32
                        : (const void *)&bits,
           bytes);
}

ct_tensor *clamp_indices(ct_context *ctx, ct_dtype dtype, ct_shape shape, ct_shape list,
                         clamp_style style)
{
    const size_t bytes = ct_dtype_bytes(dtype);
    const struct limits *of = limits;
    unsigned char *data = malloc(list.count * bytes + 1);
    ct_tensor *indices = NULL;
    uint64_t bits;
    size_t i = 0;

    while (of->dtype != dtype)
        of++;
    for (; data && i < list.count && resolve(of, list.dim[i], style, &bits); i++)
        store(data + i * bytes, bytes, bits);
    if (data && i == list.count)
        indices = ct_from_data(ctx, dtype, shape, data);
    free(data);
    return indices;
}

/* ---- A row with one dtype. */

enum { MOST_INDICES = 4, MOST_ARGUMENTS = 4 + MOST_INDICES };

/* What stands around the operation. */
typedef enum setting {
    PLAIN,
    CHECKPOINT,   /* it is computed again in the backward half */
    WHILE,        /* the only iteration of a loop whose count a run knows */
    VMAP_INSIDE,  /* lane 0 of two, under all derivatives */
    VMAP_OUTSIDE, /* lane 0 of two of each derivative */
    SETTINGS
} setting;

static const char *const setting_name[] = {"", " in a checkpoint", " in a while", " as a lane",
                                           " as a lane of the derivative"};

typedef struct run {
    setting setting;
    const clamp_row *row;
    ct_context *ctx;
    ct_dtype dtype;
    bool captured; /* the indices are constants of the function, not its parameters */
    const clamp_executor *executor;
    size_t n_index;
    ct_tensor *index[MOST_INDICES];
    ct_tensor *x, *update; /* update: NULL when there is none */
    int *differences;
} run;

static ct_tensor *tensor(ct_context *ctx, ct_shape shape, const clamp_list *list)
{
    double *data = calloc(list->count + 1, sizeof *data);
    ct_tensor *x = NULL;

    for (size_t i = 0; data && i < list->count; i++)
        data[i] = list->value ? list->value[i] : list->ramp ? (double)i : 0;
    for (size_t i = 0; data && i < list->n_at; i++)
        data[list->at[i].position] = list->at[i].value;
    int64_t size = 1;
    for (size_t d = 0; d < shape.count; d++)
        size *= shape.dim[d];
    if (data && (uint64_t)size == list->count) /* else the row itself is wrong */
        x = ct_from_doubles(ctx, CT_F64, shape, data);
    free(data);
    return x;
}

static bool begin(run *r)
{
    const clamp_row *row = r->row;
    const clamp_style style = {row->limits, row->only == CT_U64};

    r->n_index = row->op->scalars ? row->index.list.count : 1;
    for (size_t i = 0; i < r->n_index; i++) {
        const ct_shape one = {1, row->index.list.dim + i};
        r->index[i] = row->op->scalars ? clamp_indices(r->ctx, r->dtype, CT_SHAPE(), one, style)
                                       : clamp_indices(r->ctx, r->dtype, row->index.shape,
                                                       row->index.list, style);
        if (!r->index[i])
            return false;
    }
    r->x = tensor(r->ctx, row->x.shape, &row->x.list);
    r->update = row->update.list.value ? tensor(r->ctx, row->update.shape, &row->update.list)
                                       : NULL;
    return true;
}

/* ---- Comparing. */

static void differs(const run *r, const char *mode, ct_tensor *found, ct_tensor *expected)
{
    printf("%s%s: row \"%s\", indices %s%s, executor %s, %s: found %s\n%.600s\ninstead of "
           "%s\n%.600s\n",
           r->row->op->name, setting_name[r->setting], r->row->name, ct_dtype_name(r->dtype),
           r->captured ? " (captured)" : "", r->executor->name, mode, ct_type_text(found),
           ct_text(found), ct_type_text(expected), ct_text(expected));
    if (ct_failed(r->ctx))
        printf("%s\n", ct_error_message(r->ctx));
    ct_error_clear(r->ctx);
    ++*r->differences;
}

static void compare(const run *r, const char *mode, ct_tensor *found, ct_shape shape,
                    const clamp_list *list)
{
    ct_tensor *expected;

    if (r->row->error)
        return;
    expected = tensor(r->ctx, shape, list);
    if (!expected || ct_failed(r->ctx) || !ct_equal(found, expected))
        differs(r, mode, found, expected);
}

/* For a row with an error: there is one, of this status, with the row's text and place. */
static void expect_error(const run *r, const char *mode, const char *operation)
{
    const char *message = ct_error_message(r->ctx);
    const char *file = ct_error_place(r->ctx).file;

    if (!r->row->error)
        return;
    if (ct_error_status(r->ctx) != CT_ERR_INDEX || !strstr(message, r->row->error) ||
        !strstr(message, operation) || !file || !strstr(file, "clamp_operations.c")) {
        printf("%s%s: row \"%s\", indices %s, executor %s, %s: error %s \"%s\" instead of \"%s\"\n",
               r->row->op->name, setting_name[r->setting], r->row->name, ct_dtype_name(r->dtype),
               r->executor->name, mode, ct_status_name(ct_error_status(r->ctx)), message,
               r->row->error);
        ++*r->differences;
    }
    ct_error_clear(r->ctx);
}

/* ---- The functions: y, and the sum of y³. Parameters: x, update, indices, as there are. */

static ct_tensor *build(const run *r, ct_list parameters)
{
    size_t n_values = r->update ? 2 : 1;
    const ct_list index = {r->n_index, r->captured ? r->index : parameters.item + n_values};

    return r->row->op->build(r->row, parameters.item[0], r->update ? parameters.item[1] : NULL,
                             index);
}

static void result_of_row(void *user, ct_list parameters, ct_tensor **result)
{
    result[0] = build(user, parameters);
}

static void sum_of_cubes(void *user, ct_list parameters, ct_tensor **result)
{
    ct_tensor *y = build(user, parameters);

    result[0] = ct_sum(ct_mul(ct_mul(y, y), y), CT_ALL_AXES, CT_DROP_AXES);
}

static size_t arguments(const run *r, ct_tensor **argument)
{
    size_t n = 0;

    argument[n++] = r->x;
    if (r->update)
        argument[n++] = r->update;
    for (size_t i = 0; i < r->n_index && !r->captured; i++)
        argument[n++] = r->index[i];
    return n;
}

/* The row's arguments, then a and b as far as they are there. */
static void evaluate(const run *r, ct_function *f, ct_tensor *a, ct_tensor *b, ct_tensor **result,
                     size_t n_results)
{
    ct_tensor *argument[MOST_ARGUMENTS];
    size_t n = arguments(r, argument);

    if (a)
        argument[n++] = a;
    if (b)
        argument[n++] = b;
    clamp_evaluate(r->executor, f, (ct_list){n, argument}, result, n_results);
}

/* ---- The settings. */

typedef struct iteration {
    ct_function *f;
    ct_list parameters;
} iteration;

static ct_tensor *is_first(void *user, ct_tensor *const *carry)
{
    (void)user;
    return ct_lt(carry[0], 1);
}

static void iterate(void *user, ct_tensor **carry)
{
    const iteration *it = user;

    carry[0] = ct_add(carry[0], 1);
    carry[1] = ct_apply1(it->f, it->parameters);
}

static void in_a_while(void *user, ct_list parameters, ct_tensor **result)
{
    iteration it = {user, parameters};
    ct_context *ctx = ct_function_context(it.f);
    const ct_type *type = ct_result_type(it.f, 0);
    ct_tensor *carry[] = {ct_scalar(ctx, CT_I32, 0), ct_zeros(ctx, CT_F64, ct_type_shape(type))};

    ct_while(is_first, iterate, &it, 2, carry);
    result[0] = carry[1];
}

static ct_tensor *first_lane(ct_tensor *x)
{
    const ct_shape all = ct_shape_of(x);
    int64_t start[8] = {0}, limit[8] = {1}, step[8] = {1};

    for (size_t d = 1; d < all.count; d++) {
        limit[d] = all.dim[d];
        step[d] = 1;
    }
    return ct_squeeze(ct_op_slice(x, (ct_shape){all.count, start}, (ct_shape){all.count, limit},
                                  (ct_shape){all.count, step}),
                      CT_AXES(0));
}

/* Both lanes get the same; only lane 0 is read. */
static void as_a_lane(void *user, ct_list parameters, ct_tensor **result)
{
    ct_function *f = user;
    ct_tensor *both[MOST_ARGUMENTS + 4];
    const size_t n = ct_function_results(f);

    for (size_t i = 0; i < parameters.count; i++)
        both[i] = ct_stack(CT_ARGV(parameters.item[i], parameters.item[i]), 0);
    ct_apply(ct_vmap_leading(f, 2), (ct_list){parameters.count, both}, result, n);
    for (size_t i = 0; i < n; i++)
        result[i] = first_lane(result[i]);
}

static ct_function *retraced(ct_function *f, ct_many_function *code)
{
    ct_context *ctx = ct_function_context(f);
    ct_tensor *example[MOST_ARGUMENTS + 4];
    const size_t n = ct_function_parameters(f);

    for (size_t i = 0; i < n; i++) {
        const ct_type *type = ct_parameter_type(f, i);
        example[i] = ct_spec(ctx, ct_type_dtype(type), ct_type_shape(type));
    }
    const ct_list examples = {n, example};

    return ct_trace_many(ctx, code, f, ct_function_results(f), examples);
}

/* The function that is differentiated. */
static ct_function *inside(const run *r, ct_function *f)
{
    switch (r->setting) {
    case CHECKPOINT: return ct_checkpoint(f, NULL);
    case WHILE: return retraced(f, in_a_while);
    case VMAP_INSIDE: return retraced(f, as_a_lane);
    default: return f;
    }
}

/* The derivative. */
static ct_function *outside(const run *r, ct_function *f)
{
    return r->setting == VMAP_OUTSIDE ? retraced(f, as_a_lane) : f;
}

/* ---- The modes. */

typedef struct derived {
    ct_function *y, *vjp, *jvp, *gradient, *hessian_forward, *hessian_reverse;
    ct_function *transpose; /* NULL where y is not linear in x and update */
} derived;

static derived derive(run *r)
{
    ct_tensor *argument[MOST_ARGUMENTS];
    const ct_list examples = {arguments(r, argument), argument};
    const ct_args wrt = r->update ? CT_ARGS(0, 1) : CT_ARGS(0);
    derived d;

    ct_function *f = inside(r, ct_trace_many(r->ctx, result_of_row, r, 1, examples));
    ct_function *cubes = inside(r, ct_trace_many(r->ctx, sum_of_cubes, r, 1, examples));
    ct_function *gradient = ct_grad(cubes, wrt);

    d.y = outside(r, f);
    d.vjp = outside(r, ct_vjp(f, wrt));
    d.jvp = outside(r, ct_jvp(f, wrt));
    d.gradient = outside(r, gradient);
    d.hessian_forward = outside(r, ct_jvp(gradient, wrt));
    d.hessian_reverse = outside(r, ct_vjp(gradient, wrt));
    d.transpose = r->row->op->linear && r->row->mode != CT_INDEX_FILL
                      ? outside(r, ct_transpose_linear(f, wrt))
                      : NULL;
    return d;
}

static void first_order(const run *r, const derived *d)
{
    const clamp_row *row = r->row;
    ct_tensor *dx = tensor(r->ctx, row->x.shape, &row->dx);
    ct_tensor *du = r->update ? tensor(r->ctx, row->update.shape, &row->du) : NULL;
    ct_tensor *ybar = tensor(r->ctx, row->y.shape, &row->ybar);
    ct_tensor *result[2];

    evaluate(r, d->y, NULL, NULL, result, 1);
    compare(r, "forward", result[0], row->y.shape, &row->y.list);
    expect_error(r, "forward", row->op->primitive);
    evaluate(r, d->vjp, ybar, NULL, result, r->update ? 2 : 1);
    compare(r, "vjp of x", result[0], row->x.shape, &row->xbar);
    if (r->update)
        compare(r, "vjp of update", result[1], row->update.shape, &row->ubar);
    expect_error(r, "vjp", "");
    evaluate(r, d->jvp, dx, du, result, 2);
    compare(r, "value beside jvp", result[0], row->y.shape, &row->y.list);
    compare(r, "jvp", result[1], row->y.shape, &row->dy);
    expect_error(r, "jvp", "");
}

static void second_order(const run *r, const derived *d)
{
    const clamp_row *row = r->row;
    const size_t n = r->update ? 2 : 1;
    ct_tensor *dx = tensor(r->ctx, row->x.shape, &row->dx);
    ct_tensor *du = r->update ? tensor(r->ctx, row->update.shape, &row->du) : NULL;
    ct_tensor *result[4];

    evaluate(r, d->gradient, NULL, NULL, result, n);
    compare(r, "gradient of cubes, x", result[0], row->x.shape, &row->cubes_x);
    if (r->update)
        compare(r, "gradient of cubes, update", result[1], row->update.shape, &row->cubes_u);
    expect_error(r, "gradient of cubes", "");
    evaluate(r, d->hessian_forward, dx, du, result, 2 * n);
    compare(r, "jvp of gradient, x", result[n], row->x.shape, &row->hessian_x);
    if (r->update)
        compare(r, "jvp of gradient, update", result[n + 1], row->update.shape, &row->hessian_u);
    expect_error(r, "jvp of gradient", "");
    evaluate(r, d->hessian_reverse, dx, du, result, n);
    compare(r, "vjp of gradient, x", result[0], row->x.shape, &row->hessian_x);
    if (r->update)
        compare(r, "vjp of gradient, update", result[1], row->update.shape, &row->hessian_u);
    expect_error(r, "vjp of gradient", "");
}

/* The transpose alone, where the operation itself does not run. */
static void transposed(const run *r, const derived *d)
{
    const clamp_row *row = r->row;
    ct_tensor *argument[MOST_ARGUMENTS], *result[2];
    const size_t n = r->update ? 2 : 1;
    size_t end = arguments(r, argument);

    if (!d->transpose)
        return;
    argument[end++] = tensor(r->ctx, row->y.shape, &row->ybar);
    clamp_evaluate(r->executor, d->transpose, (ct_list){end - n, argument + n}, result, n);
    compare(r, "transpose, x", result[0], row->x.shape, &row->xbar);
    if (r->update)
        compare(r, "transpose, update", result[1], row->update.shape, &row->ubar);
    expect_error(r, "transpose", "");
}

/* Without any function: the operation on concrete values. */
static void at_once(run *r)
{
    static const clamp_executor none = {"none", NULL};
    ct_tensor *argument[MOST_ARGUMENTS];

    r->executor = &none;
    ct_tensor *y = build(r, (ct_list){arguments(r, argument), argument});
    compare(r, "forward", y, r->row->y.shape, &r->row->y.list);
    expect_error(r, "forward", r->row->op->primitive);
}

static void in_all_modes(run *r, size_t n_executors)
{
    const derived d = derive(r);

    for (size_t i = 0; i < n_executors; i++) {
        r->executor = &clamp_executors[i];
        first_order(r, &d);
        second_order(r, &d);
        transposed(r, &d);
    }
}

/* False when the dtype cannot hold the row's indices. */
static bool run_row(ct_context *ctx, const clamp_row *row, ct_dtype dtype, int *differences)
{
    run r = {.row = row, .ctx = ctx, .dtype = dtype, .differences = differences};
    ct_scope scope = ct_scope_begin(ctx);
    const bool holds = begin(&r);
    /* an error counts the indices of both lanes */
    const int n_settings = row->error ? VMAP_INSIDE : SETTINGS;

    for (int captured = 0; holds && captured < 2; captured++) {
        r.captured = captured;
        at_once(&r);
        in_all_modes(&r, clamp_n_executors);
    }
    r.captured = false;
    for (int i = CHECKPOINT; holds && i < n_settings; i++) {
        r.setting = (setting)i;
        in_all_modes(&r, 1);
    }
    ct_scope_end(scope);
    return holds;
}

/* With sanitizers, where all would take minutes, each row has others. */
#ifdef CT_SANITIZED
enum { MOST_DTYPES = 2 };
#else
enum { MOST_DTYPES = DTYPES };
#endif

void clamp_run(const char *file, int line, const clamp_table *table)
{
    ct_context *ctx = ct_context_new();
    int differences = 0;

    for (size_t i = 0; i < table->count && differences < 30; i++) {
        const clamp_row *row = &table->row[i];
        int dtypes = 0;
        for (size_t k = 0; k < DTYPES && dtypes < MOST_DTYPES; k++) {
            const ct_dtype dtype = limits[(i + k) % DTYPES].dtype;
            if (!row->only || row->only == dtype)
                dtypes += run_row(ctx, row, dtype, &differences);
        }
        if (dtypes == 0)
            check_fail(file, line, "row \"%s\" has indices that no dtype holds", row->name);
    }
    if (ct_failed(ctx))
        check_fail(file, line, "%s", ct_error_message(ctx));
    ct_context_free(ctx);
    if (differences > 0)
        check_fail(file, line, "%d differences", differences);
}
