/* Every operation of the table: its derivatives, forward, reverse and second, against differences
 * and each other; vectorised; in every executor. What was found stands in data/derivatives.txt,
 * from which scripts/derivatives.py takes its columns; run with CT_UPDATE=1 in the environment to
 * write it anew. */
#include "tests/check.h"
#include "tests/lanes.h"
#include "tests/samples.h"

#include "ad/derive.h"
#include "trace/trace.h"

#include <cotangent/cotangent.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 160 };

/* What a column says, from the weakest on: a stronger one of another sample takes its place. */
typedef enum finding {
    NOTHING,
    NONE,     /* there is no rule, and derivatives are zero */
    RECORDED, /* vectorised, but nothing can run it */
    REFUSED,  /* the rule is an error, which says why */
    ZERO,     /* second derivatives are right, and all zero */
    TESTED,
    ALONE,   /* the same in every executor, and a step of its own, as in the interpreter */
    TILES,   /* … or part of a step of the tile machine, */
    COMPILED /* … which is compiled as C, too */
} finding;
static const char *const words[] = {"-",      "none",  "recorded", "refused", "zero",
                                    "tested", "alone", "tiles",    "compiled"};

typedef struct row {
    finding jvp, vjp, second, batch, executor;
} row;

static row table[CT__OP_COUNT];

static void found(finding *column, finding what)
{
    if (what > *column)
        *column = what;
}

/* ---- Arguments: where the operation is smooth. */

typedef struct domain {
    ct__op op;
    double first;     /* the first operand, a constant that has no derivative; 0: as the others */
    int64_t integer;  /* factor of integer scalars */
    double low, high; /* of float operands, where `first` is given; else an interval that fits */
} domain;

static const domain domains[] = {
    {CT__OP_polygamma, 2, 1, 1.2, 2.8},
    {CT__OP_zeta, 2.5, 1, 1.2, 2.8},
    {CT__OP_while, 0, 2, 0, 0},
    {CT__OP_for, 0, 2, 0, 0},
};

static domain domain_of(ct__op op)
{
    for (size_t i = 0; i < sizeof domains / sizeof *domains; i++)
        if (domains[i].op == op)
            return domains[i];
    return (domain){op, 0, 1, 0, 0};
}

static double draw(uint32_t *seed, double low, double high)
{
    *seed = *seed * 1664525u + 1013904223u;
    return low + (high - low) * ((double)(*seed >> 8) + 0.5) / (1 << 24);
}

/* Integers are places in range, and few; matrices have a large diagonal, so that they factor. */
static double number(const domain *d, uint32_t *seed, const ct_type *type, size_t position,
                     int64_t i)
{
    int64_t n = type->rank > 1 ? type->dim[type->rank - 1] : 0;
    bool diagonal = n > 1 && type->dim[type->rank - 2] == n && i % (n * n) % (n + 1) == 0;

    if (ct_dtype_is_float(type->dtype) || ct_dtype_is_complex(type->dtype))
        return draw(seed, d->low, d->high) + (diagonal ? 6 : 0);
    if (type->dtype == CT_BOOL)
        return (double)((position + (size_t)i + 1) % 2);
    return type->rank == 0 ? (double)(d->integer * (1 + (int64_t)position / 2))
                           : (double)((1 + (int64_t)position + i) % 3);
}

static ct_tensor *argument(ct_context *ctx, const domain *d, const ct_type *type, size_t position)
{
    uint32_t seed = (uint32_t)(77 * position + 5);
    bool complex = ct_dtype_is_complex(type->dtype);
    double *value = calloc((size_t)type->size + 1, sizeof *value);
    ct_tensor *part[2] = {NULL, NULL};

    for (int p = 0; p <= complex; p++) {
        for (int64_t i = 0; i < type->size; i++)
            value[i] = number(d, &seed, type, position, i);
        part[p] = ct_from_doubles(ctx, complex ? ct__part_dtype(type->dtype) : type->dtype,
                                  (ct_shape){(size_t)type->rank, type->dim}, value);
    }
    free(value);
    ct_quantization q;
    if (ct_type_quantization(type, &q))
        return ct_op_bitcast_quantize(part[0], q);
    return complex ? ct_op_complex(part[0], part[1]) : part[0];
}

static bool has_numbers(const ct_type *type)
{
    if (type->quantized)
        return false;
    return ct_dtype_is_float(type->dtype) || ct_dtype_is_complex(type->dtype);
}

static bool is_finite(ct_tensor *x)
{
    bool complex = ct_dtype_is_complex(ct_dtype_of(x)), finite = true;
    size_t n = (size_t)ct_size(x);
    double *value = calloc(n + 1, sizeof *value);

    for (int p = 0; p <= complex; p++) {
        ct_to_doubles(!complex ? x : p ? ct_op_imag(x) : ct_op_real(x), value, n);
        for (size_t i = 0; i < n; i++)
            finite = finite && isfinite(value[i]);
    }
    free(value);
    return finite;
}

/* ---- One node. */

typedef struct trial {
    ct_context *ctx;
    ct__op op;
    ct_function *f;
    size_t n_x, n_y;
    ct_tensor *x[MOST], *y[MOST];
    row *row;
} trial;

static const char *name_of(const trial *t)
{
    return ct__op_describe(t->op)->name;
}

static void check_fine(const trial *t, const char *what)
{
    CHECK_MSG(!ct_failed(t->ctx), "%s, %s: %s", name_of(t), what, ct_error_message(t->ctx));
}

/* Arguments with which it runs, and finite results; false where there are none. */
static bool find_arguments(trial *t)
{
    static const double interval[][2] = {{-2, 2}, {0.2, 0.9}, {1.2, 2.8}};
    domain d = domain_of(t->op);
    bool fits = false;

    for (size_t k = 0; k < sizeof interval / sizeof *interval && !fits; k++) {
        if (d.first == 0) {
            d.low = interval[k][0];
            d.high = interval[k][1];
        }
        for (size_t i = 0; i < t->n_x; i++)
            t->x[i] = argument(t->ctx, &d, ct_parameter_type(t->f, i), i);
        ct_apply(t->f, CT_LIST(t->n_x, t->x), t->y, t->n_y);
        fits = !ct_failed(t->ctx);
        for (size_t i = 0; i < t->n_y && fits; i++)
            fits = !has_numbers(ct_type_of(t->y[i])) || is_finite(t->y[i]);
        ct_error_clear(t->ctx);
    }
    return fits;
}

static bool is_differentiable(const trial *t)
{
    bool in = false, out = false;

    for (size_t i = 0; i < t->n_x; i++)
        in = in || has_numbers(ct_parameter_type(t->f, i));
    for (size_t i = 0; i < t->n_y; i++)
        out = out || has_numbers(ct_result_type(t->f, i));
    return in && out;
}

/* Arguments of g, made from f: those of f, and then any. */
static void derived_arguments(const trial *t, ct_function *g, ct_tensor **x)
{
    domain d = {t->op, 0, 1, -2, 2};

    for (size_t i = 0; i < ct_function_parameters(g); i++)
        x[i] = i < t->n_x ? t->x[i] : argument(t->ctx, &d, ct_parameter_type(g, i), i);
}

/* What g, made from f, gives for them. */
static size_t run_derived(const trial *t, ct_function *g, ct_tensor **result)
{
    ct_tensor *x[2 * MOST];

    check_fine(t, "derived");
    derived_arguments(t, g, x);
    ct_apply(g, CT_LIST(ct_function_parameters(g), x), result, ct_function_results(g));
    check_fine(t, "derivative run");
    return ct_function_results(g);
}

static void check_zeros(const trial *t, ct_tensor *const *x, size_t n, const char *what)
{
    for (size_t i = 0; i < n; i++)
        CHECK_MSG(ct_equal(x[i], ct_zeros(t->ctx, ct_dtype_of(x[i]), ct_shape_of(x[i]))),
                  "%s: its %s is not zero", name_of(t), what);
}

/* Without a rule, tangents and cotangents are zero. */
static void check_none(trial *t)
{
    ct_tensor *result[2 * MOST];

    found(&t->row->jvp, NONE);
    found(&t->row->vjp, NONE);
    found(&t->row->second, NONE);
    if (!is_differentiable(t))
        return;
    size_t n = run_derived(t, ct_jvp(t->f, CT_ALL_ARGS), result);
    check_zeros(t, result + t->n_y, n - t->n_y, "tangent");
    n = run_derived(t, ct_vjp(t->f, CT_ALL_ARGS), result);
    check_zeros(t, result, n, "cotangent");
}

static void check_refused(trial *t)
{
    ct_jvp(t->f, CT_ALL_ARGS);
    CHECK(ct_error_status(t->ctx) == CT_ERR_RULE);
    ct_error_clear(t->ctx);
    found(&t->row->jvp, REFUSED);
    found(&t->row->vjp, REFUSED);
    found(&t->row->second, REFUSED);
}

/* Rounding is piecewise constant, and its tangent is rounded by convention. */
static void check_rounding(trial *t)
{
    ct_tensor *y[2], *xbar, *rounded;
    ct_tensor *dx = ct_op_sine(t->x[0]);

    ct_apply(t->f, CT_ARGV(dx), &rounded, 1);
    ct_apply(ct_jvp(t->f, CT_ALL_ARGS), CT_ARGV(t->x[0], dx), y, 2);
    ct_apply(ct_vjp(t->f, CT_ALL_ARGS), CT_ARGV(t->x[0], dx), &xbar, 1);
    check_fine(t, "derivative");
    CHECK(!ct_equal(rounded, dx) && ct_equal(y[1], rounded) && ct_equal(xbar, rounded));
    found(&t->row->jvp, TESTED);
    found(&t->row->vjp, TESTED);
    found(&t->row->second, ZERO);
}

/* A derivative that is right counts as tested when it is not zero: then it could have been wrong.
 */
static void note_finding(trial *t, const ct_gradcheck_finding *f)
{
    bool moved = f->derivative != 0 && f->verdict == CT_GRADCHECK_RIGHT;

    if (f->order == 1 && f->kind == CT_GRADCHECK_DIFFERENCE && moved)
        found(&t->row->jvp, TESTED);
    if (f->order == 1 && f->kind == CT_GRADCHECK_ADJOINT && moved)
        found(&t->row->vjp, TESTED);
    if (f->order == 2 && f->verdict == CT_GRADCHECK_RIGHT)
        found(&t->row->second, moved ? TESTED : ZERO);
}

static void check_differences(trial *t)
{
    ct_gradcheck_options options = {.size = sizeof options,
                                    .directions = 3,
                                    .seed = 1,
                                    .second_order = true,
                                    .list_right = true,
                                    .max_findings = 100000};
    ct_gradcheck_report *report = ct_gradcheck(t->f, CT_LIST(t->n_x, t->x), &options);
    check_fine(t, "differences");
    CHECK_MSG(ct_gradcheck_passed(report), "%s: %s", name_of(t), ct_gradcheck_text(report));
    for (size_t i = 0; i < ct_gradcheck_findings(report); i++)
        note_finding(t, ct_gradcheck_finding_at(report, i));
}

/* ---- Vectorised, and compiled. */

static void check_lanes(const trial *t, ct_function *f)
{
    check_fine(t, "derived");
    size_t n = ct_function_parameters(f);
    lanes_check(t->ctx, f, (lanes_way){3, n < 32 ? (1u << n) - 1 : ~0u, 1, 7, NULL}, name_of(t));
}

#include "tests/derivatives_executors.inc"

/* A custom call of a target without a rule. */
static bool is_unknown(const ct__node *node)
{
    return node->op == CT__OP_custom_call &&
           strcmp(node->attrs->custom_call.call_target_name, "square") != 0;
}

static void check_derivatives(trial *t)
{
    if (t->op == CT__OP_reduce_precision)
        check_rounding(t);
    else
        check_differences(t);
    check_lanes(t, ct_jvp(t->f, CT_ALL_ARGS));
    check_lanes(t, ct_vjp(t->f, CT_ALL_ARGS));
}

/* The node as a function, of the operands behind a first one that is a constant. */
static ct_function *function_of(ct_context *ctx, const ct__graph *graph, const ct__node *node)
{
    ct_function *f = lanes_of_node(ctx, graph, node);
    double first = domain_of(node->op).first;

    if (node->op == CT__OP_transposed_call)
        return ct_jvp(f,
                      CT_ALL_ARGS); /* it stands inside of transforms; this is a call, and runs */
    if (first == 0)
        return f;
    const ct_type *x = ct_parameter_type(f, 0), *y = ct_parameter_type(f, 1);
    ct_trace_builder *b = ct_trace_begin(ctx, ct__op_describe(node->op)->name,
                                         CT_LIKE(ct__tensor_spec(ctx, CT_HERE, y)));
    ct_tensor *operand[] = {ct_full(ctx, x->dtype, ct_type_shape(x), first),
                            ct_trace_parameter(b, 0)};
    return ct_trace_end(
        b, CT_ARGV(ct__apply1(&(ct__request){
               .ctx = ctx, .at = CT_HERE, .op = node->op, .n_operands = 2, .operand = operand})));
}

static void check_node(ct_context *ctx, const ct__graph *graph, const ct__node *node)
{
    static trial t; /* large, and the first failure ends the test */
    ct_function *f = function_of(ctx, graph, node);

    t = (trial){.ctx = ctx,
                .op = node->op,
                .f = f,
                .n_x = ct_function_parameters(f),
                .n_y = ct_function_results(f),
                .row = &table[node->op]};
    check_fine(&t, "one node");
    bool runs = find_arguments(&t);
    bool ruled = !ct__derivative_of(t.op)->no_jvp && runs && is_differentiable(&t);
    if (ct__derivative_of(t.op)->no_jvp)
        check_none(&t);
    else if (ruled && is_unknown(node))
        check_refused(&t);
    else if (ruled)
        check_derivatives(&t);
    if (runs)
        check_executors(&t, ruled && !is_unknown(node));
    if (node->n_operands > 0) {
        check_lanes(&t, f);
        found(&t.row->batch, runs ? TESTED : RECORDED);
    } else {
        found(&t.row->batch, NONE);
    }
}

#include "tests/derivatives_samples.inc"

/* ---- All. */

static void check_nodes(ct_context *ctx, const ct__graph *graph)
{
    for (size_t i = 0; i < graph->n_nodes; i++) {
        const ct__node *node = &graph->node[i];
        ct_scope scope = ct_scope_begin(ctx);
        check_node(ctx, graph, node);
        ct_scope_end(scope);
        for (size_t r = 0; r < node->n_regions && ct__has(node->op, CT__CONTROL); r++)
            check_nodes(ctx, node->region[r]);
    }
}

/* A function of the program: what it is given, first to first. */
static ct_status same(void *user, ct_custom_call *call)
{
    (void)user;
    for (size_t i = 0; i < call->n_results; i++)
        memcpy(call->result[i], call->operand[i], ct__data_bytes(call->result_type[i]));
    return CT_OK;
}

static ct_status square(void *user, ct_custom_call *call)
{
    const double *x = call->operand[0];
    double *y = call->result[0];
    (void)user;
    for (int64_t i = 0; i < call->operand_type[0]->size; i++)
        y[i] = x[i] * x[i];
    return CT_OK;
}

/* (x, y, dx) -> 2 x dx */
static void square_jvp(void *user, const ct_custom_call *call, ct_list in, ct_tensor **out)
{
    (void)user;
    (void)call;
    out[0] = ct_mul(in.item[2], ct_mul(in.item[0], 2));
}

static ct_context *new_context(void)
{
    static const char *const target[] = {"plain", "a name", "tick"};
    ct_context *ctx = ct_context_new();
    ct_register_custom_call(ctx, "square", square, NULL);
    ct_register_custom_derivative(ctx, "square", square_jvp, NULL, NULL);

    for (size_t i = 0; i < sizeof target / sizeof *target; i++)
        ct_register_custom_call(ctx, target[i], same, NULL);
    return ctx;
}

/* An operation without a sample, or with none that moves, stands out. */
static void check_row(ct__op op)
{
    const row *r = &table[op];
    const char *name = ct__op_describe(op)->name;
    bool ruled = !ct__derivative_of(op)->no_jvp;

    CHECK_MSG(r->jvp != NOTHING && r->vjp != NOTHING, "%s: no sample has a derivative", name);
    CHECK_MSG(r->second != NOTHING, "%s: no sample has a second derivative", name);
    CHECK_MSG(r->batch != NOTHING, "%s: no sample is vectorised", name);
    CHECK_MSG(!ruled || (r->jvp == TESTED && r->vjp == TESTED), "%s: its derivatives are all zero",
              name);
}

static char *document(void)
{
    size_t room = 1 << 16, length = 0;
    char *text = malloc(room);

    CHECK(text != NULL);
    length += (size_t)snprintf(text, room, "operation jvp vjp second batch executors\n");
    for (int op = 0; op < CT__OP_COUNT; op++) {
        const row *r = &table[op];
        length += (size_t)snprintf(text + length, room - length, "%s %s %s %s %s %s\n",
                                   ct__op_describe((ct__op)op)->name, words[r->jvp], words[r->vjp],
                                   words[r->second], words[r->batch],
                                   r->executor == NOTHING ? "none" : words[r->executor]);
        CHECK(length < room);
    }
    return text;
}

static void compare_with_file(const char *text)
{
    char path[1024], *expected = calloc(1, 1 << 16);

    snprintf(path, sizeof path, "%s/tests/data/derivatives.txt", CT_SOURCE_DIR);
    if (getenv("CT_UPDATE")) {
        FILE *file = fopen(path, "w");
        CHECK(file != NULL && fputs(text, file) >= 0 && fclose(file) == 0);
    }
    FILE *file = fopen(path, "r");
    CHECK_MSG(file != NULL && expected != NULL, "%s cannot be read", path);
    size_t n = fread(expected, 1, (1 << 16) - 1, file), same_bytes = 0;
    fclose(file);
    while (same_bytes < n && text[same_bytes] == expected[same_bytes])
        same_bytes++;
    CHECK_MSG(same_bytes == n && text[n] == '\0',
              "what was found differs from %s, first at:\n%.80s", path, text + same_bytes);
    free(expected);
}

static void check_samples(ct_context *ctx, const sample *list, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        ct_function *f = list[i].make(ctx);
        CHECK_MSG(!ct_failed(ctx), "%s: %s", list[i].name, ct_error_message(ctx));
        check_nodes(ctx, f->graph);
    }
}

TEST(every_operation)
{
    ct_context *ctx = new_context();
    check_samples(ctx, samples, n_samples);
    check_samples(ctx, more_samples, sizeof more_samples / sizeof *more_samples);
    char *text = document();
    compare_with_file(text);
    free(text);
    for (int op = 0; op < CT__OP_COUNT; op++)
        check_row((ct__op)op);
    bool compared = check_all_compiled(ctx);
    ct_context_free(ctx);
    if (!compared)
        SKIP("no C compiler, or none in time: what compiled C gives is not compared");
}
