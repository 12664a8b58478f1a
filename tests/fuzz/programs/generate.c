#include "tests/fuzz/programs/generate.h"

#include "tests/fuzz/programs/menu.h"

#include <string.h>

/* ---- Values. */

bool refused(generator *g, ct__op op)
{
    if (!ct_failed(g->ctx))
        return false;
    g->tally->refused[op]++;
    ct_error_clear(g->ctx);
    return true;
}

void give(generator *g, ct__op op, ct_tensor *x)
{
    if (refused(g, op) || ct_is_poison(x))
        return;
    if (g->n_values == MOST_VALUES || x->type->size > MOST_ELEMENTS ||
        x->type->rank > MOST_RANK + 2)
        return;
    g->is_used[g->n_values] = false;
    g->value[g->n_values++] = x;
}

void give_all(generator *g, ct__op op, size_t count, ct_tensor *const *x)
{
    if (refused(g, op))
        return;
    for (size_t i = 0; i < count; i++)
        give(g, op, x[i]);
}

/* ---- Operands. */

typedef struct wish {
    unsigned classes;
    size_t least_rank, most_rank;
    const ct_type *type; /* NULL: any */
    bool is_quantized;
} wish;

static bool suits(const ct_tensor *x, const wish *w)
{
    const ct_type *t = x->type;

    if (w->type && w->type->quantized)
        return ct__type_equal(t, w->type);
    return t->kind == CT__TENSOR && !t->quantized == !w->is_quantized &&
           (ct__class_of(t->dtype) & w->classes) && (size_t)t->rank >= w->least_rank &&
           (size_t)t->rank <= w->most_rank &&
           (!w->type || (t->dtype == w->type->dtype && ct__shape_equal(t, w->type)));
}

/* One that suits, the newest being the simplest choice, or NULL for something new. */
static ct_tensor *pick(generator *g, const wish *w)
{
    uint32_t n = 0;

    for (size_t i = g->visible; i < g->n_values; i++)
        n += suits(g->value[i], w);
    uint32_t skip = choose(g->c, n + 1 + (n == 0 ? 0 : n / 4));
    for (size_t i = g->n_values; i-- > g->visible && skip < n;)
        if (suits(g->value[i], w) && skip-- == 0) {
            g->is_used[i] = true;
            return g->value[i];
        }
    return NULL;
}

static ct_tensor *any_between(generator *g, unsigned classes, size_t least, size_t most)
{
    int64_t dim[MOST_RANK];

    if (g->on_elements)
        least = most = 0;
    ct_tensor *x = pick(g, &(wish){classes, least, most, NULL, false});
    if (x)
        return x;
    const ct_dtype dtype = choose_dtype(g, classes);
    return leaf(g, dtype, choose_shape(g, dim, least, most));
}

ct_tensor *any_of(generator *g, unsigned classes)
{
    return any_between(g, classes, 0, MOST_RANK);
}

ct_tensor *any_of_rank(generator *g, unsigned classes, size_t rank)
{
    return any_between(g, classes, rank, MOST_RANK);
}

/* A value of other shape or dtype, brought into form; NULL where there is none. */
static ct_tensor *made_from_another(generator *g, const ct_type *type)
{
    ct_tensor *x = pick(g, &(wish){CT__ANY, 0, g->on_elements ? 0 : MOST_RANK, NULL, false});

    if (!x)
        return NULL;
    if (x->type->size == type->size && !ct__shape_equal(x->type, type))
        x = ct_op_reshape(x, (ct_shape){(size_t)type->rank, type->dim});
    else if (x->type->rank == 0)
        x = ct_op_broadcast_in_dim(x, (ct_shape){(size_t)type->rank, type->dim}, CT_DIMS());
    if (x->type && ct__shape_equal(x->type, type) && x->type->dtype != type->dtype)
        x = ct_op_convert(x, type->dtype);
    if (refused(g, CT__OP_convert) || !ct__type_equal(x->type, type))
        return NULL;
    return x;
}

ct_tensor *some(generator *g, ct_dtype dtype, ct_shape shape)
{
    const ct_type type = {.kind = CT__TENSOR,
                          .dtype = dtype,
                          .rank = (int)shape.count,
                          .dim = shape.dim,
                          .size = elements_of(shape)};

    if (!fits(shape))
        return ct__poison(g->ctx);
    ct_tensor *x = pick(g, &(wish){~0U, shape.count, shape.count, &type, false});
    if (!x && choose(g->c, 2))
        x = made_from_another(g, &type);
    return x ? x : leaf(g, dtype, shape);
}

ct_tensor *like(generator *g, const ct_tensor *x)
{
    return some(g, ct_dtype_of(x), ct_shape_of(x));
}

ct_tensor *element_of(generator *g, ct_dtype dtype)
{
    return some(g, dtype, CT_SHAPE());
}

ct_tensor *pick_of_type(generator *g, const ct_type *type)
{
    return pick(g, &(wish){~0U, 0, MOST_RANK, type, false});
}

ct_tensor *pick_quantized(generator *g)
{
    return pick(g, &(wish){~0U, 0, g->on_elements ? 0 : MOST_RANK, NULL, true});
}

ct_tensor *some_indices(generator *g, ct_shape shape, int64_t extent)
{
    const uint32_t kind = choose(g->c, 4);

    if (kind == 3)
        return some(g, choose_dtype(g, CT__INTS), shape);
    return index_leaf(g, shape, extent);
}

ct_tensor *settled(generator *g, ct_tensor *x)
{
    if (!ct_dtype_is_float(ct_dtype_of(x)))
        return x;
    ct_tensor *one = ct_full(g->ctx, ct_dtype_of(x), ct_shape_of(x), 1);
    return ct_op_select(ct_op_compare(x, x, CT_EQ, CT_COMPARE_DEFAULT), x, one);
}

/* ---- Operations. */

void make_operations(generator *g, int most)
{
    while (most-- > 0 && g->operations > 0 && !ct_failed(g->ctx)) {
        const size_t s = span_begin(g->c);
        const bool goes_on = choose(g->c, 16) != 0;
        if (goes_on) {
            g->operations--;
            menu_maker(g)(g);
            refused(g, CT__OP_constant);
        }
        span_end(g->c, s);
        if (!goes_on)
            return;
    }
}

/* What nothing uses, the newest first, and now and then what is used as well. */
static size_t choose_results(generator *g, ct_tensor **result)
{
    size_t n = 0;

    for (size_t i = g->n_values; i-- > 0 && n < MOST_RESULTS;)
        if (!g->is_used[i] || seldom(g->c, 12))
            result[n++] = g->value[i];
    return n;
}

static bool may_be_result(const ct_tensor *x)
{
    return x->type->kind == CT__TENSOR;
}

static size_t keep_tensors(size_t n, ct_tensor **result)
{
    size_t kept = 0;

    for (size_t i = 0; i < n; i++)
        if (may_be_result(result[i]))
            result[kept++] = result[i];
    return kept;
}

static bool begin(generator *g)
{
    static const int most[] = {1, 3, 6, 10, 20, 40};

    g->operations = most[choose(g->c, sizeof most / sizeof *most)];
    return ct__trace_push(g->ctx, CT_HERE, "program", false);
}

ct_function *published(ct_context *ctx, ct__graph *graph)
{
    if (graph && !ct__graph_set_flat_arguments(graph))
        ct__error_memory(ctx, CT_HERE, "program");
    return ct__function_new(ctx, CT_HERE, graph);
}

bool generate(ct_context *ctx, choices *c, program_style style, op_tally *tally, program *p)
{
    generator g = {.ctx = ctx, .c = c, .style = style, .tally = tally};
    ct_tensor *result[MOST_RESULTS];

    register_custom_calls(ctx);
    if (!begin(&g))
        return false;
    make_operations(&g, g.operations);
    const size_t n = keep_tensors(choose_results(&g, result), result);
    ct__graph *graph = ct__trace_pop(ctx, CT_HERE, n, result);
    *p = (program){.ctx = ctx, .n_inputs = g.n_inputs};
    memcpy(p->input, g.input, sizeof p->input);
    p->f = published(ctx, graph);
    return !ct_failed(ctx);
}
