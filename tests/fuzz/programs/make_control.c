#include "tests/fuzz/programs/generate.h"

/* ---- Branches: captures are all that they have. */

enum { MOST_CARRY = 3 };

typedef struct signature {
    size_t n;
    const ct_type *type[2 * MOST_CARRY];
} signature;

static const ct_type *type_of(generator *g, ct_dtype dtype, ct_shape shape)
{
    return ct_spec(g->ctx, dtype, shape)->type;
}

static ct_tensor *of_type(generator *g, const ct_type *type)
{
    return some(g, type->dtype, (ct_shape){(size_t)type->rank, type->dim});
}

/* Types of values that there are, or new ones. */
static void choose_signature(generator *g, size_t least, signature *s)
{
    s->n = least + choose(g->c, MOST_CARRY - (uint32_t)least);
    for (size_t i = 0; i < s->n; i++) {
        const ct_tensor *x = any_of(g, CT__ANY);
        s->type[i] = type_of(g, ct_dtype_of(x), ct_shape_of(x));
    }
}

static void fill_body(generator *g)
{
    const int kept = g->operations;

    g->operations = g->depth < 3 ? (int)choose_from(g->c, 0, 4) : 1;
    make_operations(g, g->operations);
    g->operations = kept;
}

static recorded branch(generator *g, const signature *s)
{
    ct_tensor *result[2 * MOST_CARRY];
    recorded b = {.is_fine = false};
    const opened o = body_open(g, 0, NULL, g->on_elements, true);

    fill_body(g);
    for (size_t i = 0; i < s->n; i++)
        result[i] = of_type(g, s->type[i]);
    body_close(g, &o, s->n, result, &b);
    return b;
}

void make_if(generator *g)
{
    signature s;
    ct_tensor *pred = element_of(g, CT_BOOL);

    choose_signature(g, 1, &s);
    recorded branches[2] = {branch(g, &s)};
    branches[1] = branch(g, &s);
    give_with_bodies(g, CT__OP_if, NULL, 1, &pred, 2, branches, s.n);
}

void make_case(generator *g)
{
    signature s;
    recorded branches[4];
    ct_tensor *index = element_of(g, CT_I32);
    const size_t n = (size_t)choose_from(g->c, 1, 4);

    choose_signature(g, 1, &s);
    for (size_t i = 0; i < n; i++)
        branches[i] = branch(g, &s);
    give_with_bodies(g, CT__OP_case, NULL, 1, &index, n, branches, s.n);
}

/* ---- Loops. */

/* Results of the types of values from `first` on: the operations' newest, or others. */
static void choose_next(generator *g, const signature *s, ct_tensor **next)
{
    for (size_t i = 0; i < s->n; i++)
        next[i] = of_type(g, s->type[i]);
}

static ct_tensor *whole(generator *g, ct_dtype dtype, double value)
{
    return ct_full(g->ctx, dtype, CT_SHAPE(), value);
}

/* (i, carry…): i below a limit, which is small, and perhaps something else. */
static recorded condition(generator *g, const signature *s, double limit)
{
    recorded b = {.is_fine = false};
    const opened o = body_open(g, s->n, s->type, g->on_elements, true);
    ct_tensor *below = ct_op_compare(g->value[o.first], whole(g, CT_I32, limit), CT_LT,
                                     CT_COMPARE_DEFAULT);

    if (choose(g->c, 3) == 1) {
        fill_body(g);
        below = ct_op_and(below, element_of(g, CT_BOOL));
    }
    body_close(g, &o, 1, &below, &b);
    return b;
}

static recorded iteration(generator *g, const signature *s)
{
    ct_tensor *next[2 * MOST_CARRY];
    recorded b = {.is_fine = false};
    const opened o = body_open(g, s->n, s->type, g->on_elements, true);

    fill_body(g);
    choose_next(g, s, next);
    next[0] = ct_op_add(g->value[o.first], whole(g, CT_I32, 1));
    body_close(g, &o, s->n, next, &b);
    return b;
}

void make_while(generator *g)
{
    signature s;
    ct_tensor *carry[2 * MOST_CARRY];

    choose_signature(g, 1, &s);
    s.type[s.n] = s.type[0];
    s.type[0] = type_of(g, CT_I32, CT_SHAPE());
    s.n++;
    for (size_t i = 0; i < s.n; i++)
        carry[i] = of_type(g, s.type[i]);
    const double limit = (double)choose_from(g->c, 0, 4);
    carry[0] = ct_op_maximum(carry[0], whole(g, CT_I32, -1));
    recorded bodies[2] = {condition(g, &s, limit)};
    bodies[1] = iteration(g, &s);
    const ct__attrs attrs = {.loop = {.n_carry = (int64_t)s.n}};
    give_with_bodies(g, CT__OP_while, &attrs, s.n, carry, 2, bodies, s.n);
}

void make_for(generator *g)
{
    signature s, inside;
    ct_tensor *x[2 * MOST_CARRY], *next[2 * MOST_CARRY];
    recorded b = {.is_fine = false};

    choose_signature(g, 1, &s);
    x[0] = ct_op_minimum(element_of(g, CT_I64), whole(g, CT_I64, (double)choose_from(g->c, 0, 4)));
    inside.n = s.n + 1;
    inside.type[0] = type_of(g, CT_I64, CT_SHAPE());
    for (size_t i = 0; i < s.n; i++) {
        x[1 + i] = of_type(g, s.type[i]);
        inside.type[1 + i] = s.type[i];
    }
    const opened o = body_open(g, inside.n, inside.type, g->on_elements, true);
    fill_body(g);
    choose_next(g, &s, next);
    body_close(g, &o, s.n, next, &b);
    const ct__attrs attrs = {
        .counted = {.n_carry = (int64_t)s.n, .is_reverse = choose(g->c, 2) == 1}};
    give_with_bodies(g, CT__OP_for, &attrs, 1 + s.n, x, 1, &b, s.n);
}

/* Rows: x [length, …]. */
static void choose_rows(generator *g, int64_t length, size_t n, ct_tensor **x, const ct_type **type)
{
    int64_t dim[MOST_RANK];

    for (size_t i = 0; i < n; i++) {
        const ct_dtype dtype = choose_dtype(g, CT__ANY);
        ct_shape row = choose_shape(g, dim + 1, 0, 3);
        dim[0] = length;
        if (!fits((ct_shape){row.count + 1, dim}))
            row.count = 0;
        x[i] = some(g, dtype, (ct_shape){row.count + 1, dim});
        type[i] = type_of(g, dtype, row);
    }
}

void make_scan(generator *g)
{
    signature s, inside;
    ct_tensor *x[2 * MOST_CARRY], *result[2 * MOST_CARRY];
    recorded b = {.is_fine = false};
    const int64_t length = choose_from(g->c, 0, 5);
    const size_t n_x = choose(g->c, 3), n_y = choose(g->c, 3);

    choose_signature(g, 0, &s);
    for (size_t i = 0; i < s.n; i++)
        x[i] = of_type(g, inside.type[i] = s.type[i]);
    if (g->on_elements || s.n + n_x + n_y == 0)
        return;
    choose_rows(g, length, n_x, x + s.n, inside.type + s.n);
    inside.n = s.n + n_x;
    const opened o = body_open(g, inside.n, inside.type, false, true);
    fill_body(g);
    choose_next(g, &s, result);
    for (size_t i = 0; i < n_y; i++)
        result[s.n + i] = any_of(g, CT__ANY);
    body_close(g, &o, s.n + n_y, result, &b);
    const ct__attrs attrs = {.scan = {.length = length,
                                      .n_carry = (int64_t)s.n,
                                      .n_inputs = (int64_t)n_x,
                                      .is_reverse = choose(g->c, 2) == 1}};
    give_with_bodies(g, CT__OP_scan, &attrs, inside.n, x, 1, &b, s.n + n_y);
}
