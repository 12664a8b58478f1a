#include "tests/derivatives.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define MAX_ARGUMENTS 16

typedef struct matrix {
    size_t rows, columns;
    double *entry;
} matrix;

/* A function, where its derivative is taken, and whom to blame. */
typedef struct point {
    const char *file;
    int line;
    ct_context *ctx;
    ct_function *f;
    ct_list x;
} point;

/* ---- Recording. */

typedef struct recording {
    derivatives_program *program;
    const void *user;
} recording;

static void run_program(void *user, ct_list parameters, ct_tensor **result)
{
    const recording *r = user;
    result[0] = r->program(r->user, parameters.item);
}

ct_function *derivatives_record(ct_context *ctx, derivatives_program *program, const void *user,
                                ct_list arguments)
{
    recording r = {program, user};
    return ct_trace_many(ctx, run_program, &r, 1, arguments);
}

/* ---- Complex programs. */

ct_tensor *derivatives_parts(ct_tensor *y)
{
    const ct_dims flat = CT_DIMS(ct_size(y));
    return ct_op_concatenate(
        CT_ARGV(ct_op_reshape(ct_op_real(y), flat), ct_op_reshape(ct_op_imag(y), flat)), 0);
}

ct_tensor *derivatives_by_parts(const void *complex, ct_tensor *const *x)
{
    const derivatives_complex *c = complex;
    ct_tensor *operand[MAX_ARGUMENTS];
    CHECK(c->pairs + c->rest <= MAX_ARGUMENTS);
    for (size_t i = 0; i < c->pairs; i++)
        operand[i] = ct_op_complex(x[2 * i], x[2 * i + 1]);
    for (size_t i = 0; i < c->rest; i++)
        operand[c->pairs + i] = x[2 * c->pairs + i];
    return derivatives_parts(c->program(c->user, operand));
}

/* ---- Lists of tensors as vectors. */

static bool is_input(const ct_tensor *x)
{
    return ct_dtype_is_float(ct_dtype_of(x));
}

static size_t count_elements(ct_list list)
{
    size_t count = 0;
    for (size_t i = 0; i < list.count; i++)
        if (is_input(list.item[i]))
            count += (size_t)ct_size(list.item[i]);
    return count;
}

static void to_vector(const point *p, ct_list list, double *out)
{
    for (size_t i = 0; i < list.count; i++) {
        size_t n = (size_t)ct_size(list.item[i]);
        if (!ct_to_doubles(list.item[i], out, n))
            check_fail(p->file, p->line, "%s", ct_error_message(p->ctx));
        out += n;
    }
}

/* Tensors like the inputs of `like`: their values (or zeros), and `add` more at one element. */
static size_t along(const point *p, ct_list like, bool keep, size_t element, double add,
                    ct_tensor **out)
{
    size_t count = 0, begin = 0;
    for (size_t i = 0; i < like.count; i++) {
        ct_tensor *x = like.item[i];
        if (!is_input(x))
            continue;
        size_t n = (size_t)ct_size(x);
        double *value = calloc(n + 1, sizeof *value);
        if (keep)
            to_vector(p, (ct_list){1, &x}, value);
        if (element >= begin && element - begin < n)
            value[element - begin] += add;
        begin += n;
        out[count++] = ct_from_doubles(p->ctx, ct_dtype_of(x), ct_shape_of(x), value);
        free(value);
    }
    return count;
}

/* A tensor per result of f: 2, -3, 6, -7, 10, … through all their elements. */
static ct_list like_results(const point *p, ct_tensor **out)
{
    size_t n = ct_function_results(p->f), position = 0;
    for (size_t i = 0; i < n; i++) {
        const ct_type *type = ct_result_type(p->f, i);
        ct_shape shape = ct_type_shape(type);
        ct_tensor *x = ct_zeros(p->ctx, ct_type_dtype(type), shape);
        size_t size = (size_t)ct_size(x);
        double *value = calloc(size + 1, sizeof *value);
        for (size_t k = 0; k < size; k++, position++)
            value[k] = position % 2 ? -(double)(2 * position + 1) : (double)(2 * position + 2);
        out[i] = ct_from_doubles(p->ctx, ct_type_dtype(type), shape, value);
        free(value);
    }
    return (ct_list){n, out};
}

/* ---- The three matrices. */

static matrix matrix_new(size_t rows, size_t columns)
{
    return (matrix){rows, columns, calloc(rows * columns + 1, sizeof(double))};
}

static void apply(const point *p, ct_function *f, ct_list x, ct_tensor **result, size_t n)
{
    ct_apply(f, x, result, n);
    if (ct_failed(p->ctx))
        check_fail(p->file, p->line, "%s", ct_error_message(p->ctx));
}

/* The arguments with n more behind; out has room. */
static ct_list with(ct_list x, ct_tensor **more, size_t n, ct_tensor **out)
{
    for (size_t i = 0; i < x.count; i++)
        out[i] = x.item[i];
    for (size_t i = 0; i < n; i++)
        out[x.count + i] = more[i];
    return (ct_list){x.count + n, out};
}

/* J e for every unit vector e. */
static matrix forward(const point *p, size_t rows, size_t columns)
{
    matrix m = matrix_new(rows, columns);
    size_t n = ct_function_results(p->f);
    ct_function *jvp = ct_jvp(p->f, CT_ALL_ARGS);
    double *column = calloc(rows + 1, sizeof *column);
    for (size_t c = 0; c < columns; c++) {
        ct_scope scope = ct_scope_begin(p->ctx);
        ct_tensor *dx[MAX_ARGUMENTS], *all[2 * MAX_ARGUMENTS], *result[2 * MAX_ARGUMENTS];
        size_t count = along(p, p->x, false, c, 1, dx);
        apply(p, jvp, with(p->x, dx, count, all), result, 2 * n);
        to_vector(p, (ct_list){n, result + n}, column);
        for (size_t r = 0; r < rows; r++)
            m.entry[r * columns + c] = column[r];
        ct_scope_end(scope);
    }
    free(column);
    return m;
}

/* J' e for every unit vector e. */
static matrix reverse(const point *p, size_t rows, size_t columns)
{
    matrix m = matrix_new(rows, columns);
    ct_function *vjp = ct_vjp(p->f, CT_ALL_ARGS);
    ct_tensor *template[MAX_ARGUMENTS];
    ct_list like = like_results(p, template);
    for (size_t r = 0; r < rows; r++) {
        ct_scope scope = ct_scope_begin(p->ctx);
        ct_tensor *ybar[MAX_ARGUMENTS], *all[2 * MAX_ARGUMENTS], *xbar[MAX_ARGUMENTS];
        size_t count = along(p, like, false, r, 1, ybar), n = ct_function_results(vjp);
        apply(p, vjp, with(p->x, ybar, count, all), xbar, n);
        to_vector(p, (ct_list){n, xbar}, m.entry + r * columns);
        ct_scope_end(scope);
    }
    return m;
}

/* f at x with `add` more at one input element. */
static void value_at(const point *p, size_t element, double add, double *out)
{
    ct_scope scope = ct_scope_begin(p->ctx);
    ct_tensor *moved[MAX_ARGUMENTS], *x[MAX_ARGUMENTS], *result[MAX_ARGUMENTS];
    size_t n = ct_function_results(p->f), next = 0;
    along(p, p->x, true, element, add, moved);
    for (size_t i = 0; i < p->x.count; i++)
        x[i] = is_input(p->x.item[i]) ? moved[next++] : p->x.item[i];
    apply(p, p->f, (ct_list){p->x.count, x}, result, n);
    to_vector(p, (ct_list){n, result}, out);
    ct_scope_end(scope);
}

/* f(x + e) - f(x) when exact, else differences of fourth order:
 * (8 (f(x+h) - f(x-h)) - (f(x+2h) - f(x-2h))) / 12h. */
static void difference(const point *p, size_t column, bool exact, double *sum, double *scratch,
                       size_t rows)
{
    static const struct {
        double steps, weight;
    } whole[] = {{1, 1}, {0, -1}}, central[] = {{1, 8}, {-1, -8}, {2, -1}, {-2, 1}};
    const double h = exact ? 1 : 0x1p-10;
    for (size_t i = 0; i < (exact ? 2 : 4); i++) {
        double weight = exact ? whole[i].weight : central[i].weight / (12 * h);
        value_at(p, column, h * (exact ? whole[i].steps : central[i].steps), scratch);
        for (size_t r = 0; r < rows; r++)
            sum[r] += weight * scratch[r];
    }
}

static matrix from_values(const point *p, size_t rows, size_t columns, bool exact)
{
    matrix m = matrix_new(rows, columns);
    double *column = calloc(2 * rows + 1, sizeof *column);
    for (size_t c = 0; c < columns; c++) {
        for (size_t r = 0; r < rows; r++)
            column[r] = 0;
        difference(p, c, exact, column, column + rows, rows);
        for (size_t r = 0; r < rows; r++)
            m.entry[r * columns + c] = column[r];
    }
    free(column);
    return m;
}

/* ---- Comparing. */

static bool close_to(double found, double expected, double bound)
{
    if (isnan(expected) || isinf(expected))
        return isnan(expected) ? isnan(found) : found == expected;
    return fabs(found - expected) <= bound * (1 + fabs(expected));
}

/* Frees `found`. */
static void compare(const point *p, const char *what, matrix found, const double *expected,
                    double bound)
{
    for (size_t i = 0; i < found.rows * found.columns; i++)
        if (!close_to(found.entry[i], expected[i], bound))
            check_fail(p->file, p->line, "%s, result %zu by input %zu: found %.17g, expected %.17g",
                       what, i / found.columns, i % found.columns, found.entry[i], expected[i]);
    free(found.entry);
}

static size_t result_elements(const point *p)
{
    size_t count = 0;
    for (size_t i = 0; i < ct_function_results(p->f); i++) {
        ct_shape shape = ct_type_shape(ct_result_type(p->f, i));
        size_t size = 1;
        for (size_t d = 0; d < shape.count; d++)
            size *= (size_t)shape.dim[d];
        count += size;
    }
    return count;
}

/* A matrix that holds no number to compare says nothing. */
static void check_tells(const point *p, const char *what, const matrix *expected,
                        derivatives_extent extent)
{
    size_t count = expected->rows * expected->columns;
    if (count == 0 ? extent == DERIVATIVES_FULL : extent == DERIVATIVES_EMPTY)
        check_fail(p->file, p->line, "%s: the matrix is %zu by %zu, which is not expected", what,
                   expected->rows, expected->columns);
    for (size_t i = 0; i < count; i++)
        if (isnan(expected->entry[i]))
            check_fail(p->file, p->line, "%s: result %zu by input %zu is NaN (see CHECK_MATRIX)",
                       what, i / expected->columns, i % expected->columns);
}

static void compare_three(const point *p, int order, bool exact, derivatives_extent extent)
{
    size_t rows = result_elements(p), columns = count_elements(p->x);
    double bound = exact ? 0 : 1e-8;
    matrix expected = from_values(p, rows, columns, exact);
    char what[64];

    snprintf(what, sizeof what, "order %d from values", order);
    check_tells(p, what, &expected, extent);
    snprintf(what, sizeof what, "order %d forward", order);
    compare(p, what, forward(p, rows, columns), expected.entry, bound);
    snprintf(what, sizeof what, "order %d reverse", order);
    compare(p, what, reverse(p, rows, columns), expected.entry, bound);
    free(expected.entry);
}

/* The matrix of the reverse derivative of an empty one need not be empty. */
static void check_orders(const point *p, int order, int orders, bool exact,
                         derivatives_extent extent)
{
    compare_three(p, order, exact, extent);
    if (order == orders)
        return;
    ct_tensor *ybar[MAX_ARGUMENTS], *all[2 * MAX_ARGUMENTS];
    size_t n = like_results(p, ybar).count;
    point next = *p;
    next.f = ct_vjp(p->f, CT_ALL_ARGS);
    next.x = with(p->x, ybar, n, all);
    check_orders(&next, order + 1, orders, exact,
                 extent == DERIVATIVES_FULL ? DERIVATIVES_FULL : DERIVATIVES_ANY);
}

static point begin(const char *file, int line, ct_context *ctx, derivatives_program *program,
                   const void *user, ct_list arguments)
{
    ct_function *f = derivatives_record(ctx, program, user, arguments);
    if (ct_failed(ctx))
        check_fail(file, line, "%s", ct_error_message(ctx));
    return (point){file, line, ctx, f, arguments};
}

void derivatives_check(const char *file, int line, ct_context *ctx, derivatives_program *program,
                       const void *user, ct_list arguments, int orders, int exact,
                       derivatives_extent extent)
{
    ct_scope scope = ct_scope_begin(ctx);
    point p = begin(file, line, ctx, program, user, arguments);
    check_orders(&p, 1, orders, exact != 0, extent);
    ct_scope_end(scope);
}

void derivatives_check_matrix(const char *file, int line, ct_context *ctx,
                              derivatives_program *program, const void *user, ct_list arguments,
                              const double *expected, size_t count)
{
    ct_scope scope = ct_scope_begin(ctx);
    point p = begin(file, line, ctx, program, user, arguments);
    size_t rows = result_elements(&p), columns = count_elements(p.x);
    if (rows * columns != count)
        check_fail(file, line, "%zu entries given for a matrix of %zu by %zu", count, rows,
                   columns);
    compare(&p, "forward", forward(&p, rows, columns), expected, 0);
    compare(&p, "reverse", reverse(&p, rows, columns), expected, 0);
    ct_scope_end(scope);
}

void derivatives_check_dtypes(const char *file, int line, ct_context *ctx,
                              derivatives_program *program, const void *user, ct_list arguments,
                              double bound, derivatives_extent extent)
{
    static const struct {
        ct_dtype dtype;
        double unit;
    } narrow[] = {{CT_F16, 0x1p-10}, {CT_BF16, 0x1p-7}, {CT_F32, 0x1p-23}};
    ct_scope scope = ct_scope_begin(ctx);
    point p = begin(file, line, ctx, program, user, arguments);
    size_t rows = result_elements(&p), columns = count_elements(p.x);
    matrix expected = forward(&p, rows, columns);

    check_tells(&p, "f64", &expected, extent);
    for (size_t i = 0; i < sizeof narrow / sizeof *narrow; i++) {
        ct_tensor *x[MAX_ARGUMENTS];
        for (size_t k = 0; k < arguments.count; k++)
            x[k] = is_input(arguments.item[k]) ? ct_op_convert(arguments.item[k], narrow[i].dtype)
                                               : arguments.item[k];
        point q = begin(file, line, ctx, program, user, (ct_list){arguments.count, x});
        double allowed = bound * narrow[i].unit;
        compare(&q, ct_dtype_name(narrow[i].dtype), forward(&q, rows, columns), expected.entry,
                allowed);
        compare(&q, ct_dtype_name(narrow[i].dtype), reverse(&q, rows, columns), expected.entry,
                allowed);
    }
    free(expected.entry);
    ct_scope_end(scope);
}
