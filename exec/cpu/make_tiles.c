#include "exec/cpu/tiles.h"

enum {
    CACHE_BYTES = 24 << 10, /* for the registers of a part */
    LEAST_TILE = 256,
    MOST_TILE = 4096
};

/* Of each value, while a part is made. */
typedef struct note {
    const ct__part *part; /* whose source it has */
    source source;
    size_t last_use; /* the instruction that reads it last */
} note;

typedef struct maker {
    const ct__fused *f;
    ct__arena *arena;
    ct__tiles *tiles;
    note *note;
    size_t scratch_bytes, widest; /* bytes: of the registers, of the widest element */
    /* [1]: of values with columns, [0]: of those with one */
    size_t n_unused[2], unused[2][CT__MOST_FUSED]; /* registers that hold nothing now */
    const ct_type *type[2][CT_DTYPE_COUNT], *last_type[2][CT_DTYPE_COUNT];
} maker;

static const ct__node *node_at(const maker *m, size_t i)
{
    return &m->f->parting->graph->node[m->f->part->node[i]];
}

static note *note_of(const maker *m, ct__id id)
{
    return &m->note[m->f->parting->same[id]];
}

static void know(maker *m, ct__id id, source s)
{
    m->note[id].part = m->f->part;
    m->note[id].source = s;
}

static const ct_type *type_of(const maker *m, ct__id id)
{
    return ct__graph_type(m->f->parting->graph, id);
}

static size_t bytes_of(const maker *m, ct__id id)
{
    return m->f->numerics->element_bytes(type_of(m, id)->dtype);
}

/* The columns of a value, if it is one of rows. */
static size_t columns_of(const maker *m, ct__id id)
{
    return (size_t)type_of(m, id)->size == m->tiles->rows ? 1 : m->tiles->columns;
}

/* As many rows as leave the registers, of which few are in use at a time, in the cache. */
static void choose_tile(maker *m)
{
    ct__tiles *t = m->tiles;
    const size_t n = m->f->part->n_nodes, values = n > 8 ? 8 : n > 1 ? n : 1;
    for (size_t i = 0; i < n; i++) {
        size_t bytes = bytes_of(m, node_at(m, i)->first_result);
        m->widest = bytes > m->widest ? bytes : m->widest;
    }
    size_t elements = CACHE_BYTES / (m->widest * values) / 64 * 64;
    elements = elements < LEAST_TILE ? LEAST_TILE : elements > MOST_TILE ? MOST_TILE : elements;
    t->tile = elements < t->columns ? 1 : elements / t->columns;
    t->tile = t->tile < t->rows ? t->tile : t->rows;
    t->last = t->rows - (t->rows - 1) / t->tile * t->tile;
}

static size_t new_register(maker *m, size_t columns)
{
    const size_t bytes = m->widest * m->tiles->tile * columns;
    size_t at = m->scratch_bytes;
    m->scratch_bytes += (bytes + CT__ALIGN - 1) / CT__ALIGN * CT__ALIGN;
    return at;
}

static size_t take_register(maker *m, size_t columns)
{
    const bool wide = columns > 1;
    return m->n_unused[wide] > 0 ? m->unused[wide][--m->n_unused[wide]] : new_register(m, columns);
}

/* The type of the elements of a tile in place of those of all. */
static const ct_type *tile_type(maker *m, ct_dtype dtype, size_t columns, bool is_last)
{
    const ct_type **type = is_last ? &m->last_type[columns > 1][dtype]
                                   : &m->type[columns > 1][dtype];
    int64_t n = (int64_t)((is_last ? m->tiles->last : m->tiles->tile) * columns);
    if (!*type)
        *type = ct__type(m->arena, dtype, 1, &n);
    return *type;
}

/* One element that stands for all is handed on as it is where the operation takes it so; else a
 * register of its own is filled with it once. */
static source find_repeated(maker *m, const ct__node *node, size_t k, instruction *i)
{
    source s = note_of(m, node->operand[k])->source;
    if (ct__takes_repeated(node->op)) {
        i->eval.repeated |= 1u << k;
        s.place = IN_WHOLE;
        return s;
    }
    s.columns = columns_of(m, node->operand[k]);
    const filling filled = {new_register(m, s.columns), s.index, s.bytes, s.columns};
    m->tiles->filling[m->tiles->n_fillings++] = filled;
    return (source){IN_REGISTER, false, filled.at, s.bytes, s.columns};
}

/* Whether the operand is one for all tiles: an element, or what is broadcast from outside. */
static bool is_whole(const maker *m, const instruction *i, const ct__node *node, size_t k)
{
    return i->kind == SPREAD || ((i->kind == FOLD_ROWS || i->kind == FOLD_RUNNING) && k == 1) ||
           (type_of(m, node->operand[k])->size == 1 && m->tiles->rows > 1);
}

static source find_operand(maker *m, const ct__node *node, size_t k, instruction *i)
{
    source s = note_of(m, node->operand[k])->source;
    if (is_whole(m, i, node, k))
        s.place = IN_WHOLE;
    else if (s.is_repeated && type_of(m, node->operand[k])->size > 1)
        s = find_repeated(m, node, k, i);
    return s;
}

static const broadcast *make_broadcast(maker *m, const ct__node *node)
{
    const ct_type *x = type_of(m, node->operand[0]), *y = type_of(m, node->first_result);
    const ct__ints dims = node->attrs->broadcast_in_dim.broadcast_dimensions;
    int64_t x_stride[CT__MAX_RANK], from[CT__MAX_RANK] = {0};
    broadcast *b = CT__NEW(m->arena, broadcast);
    if (!b)
        return NULL;
    const bool is_splat = note_of(m, node->operand[0])->source.is_repeated;
    ct__row_major(x->rank, x->dim, x_stride);
    for (size_t d = 0; d < dims.count; d++)
        from[dims.item[d]] = x->dim[d] == 1 || is_splat ? 0 : x_stride[d];
    b->bytes = bytes_of(m, node->operand[0]);
    for (int d = 0; d < y->rank; d++) {
        const int last = b->rank - 1;
        if (y->dim[d] == 1)
            continue;
        if (last >= 0 && b->stride[last] == from[d] * y->dim[d]) {
            b->dim[last] *= y->dim[d];
            b->stride[last] = from[d];
        } else {
            b->dim[b->rank] = y->dim[d];
            b->stride[b->rank++] = from[d];
        }
    }
    if (b->rank == 0) {
        b->rank = 1;
        b->dim[0] = 1;
    }
    return b;
}

/* Types of operands, then of the result. */
static const ct_type **make_types(maker *m, const ct__node *node, bool is_last)
{
    const ct_type **types = CT__NEW_ARRAY(m->arena, const ct_type *, node->n_operands + 1);
    for (size_t k = 0; types && k < node->n_operands; k++) {
        const ct_type *type = type_of(m, node->operand[k]);
        types[k] = type->size == 1 && m->tiles->rows > 1
                       ? type
                       : tile_type(m, type->dtype, columns_of(m, node->operand[k]), is_last);
    }
    if (types)
        types[node->n_operands] = tile_type(m, type_of(m, node->first_result)->dtype,
                                            columns_of(m, node->first_result), is_last);
    return types;
}

/* The registers of operands that instruction `at` reads last. */
static void give_back(maker *m, const ct__node *node, size_t at)
{
    for (size_t k = 0; k < node->n_operands; k++) {
        note *n = note_of(m, node->operand[k]);
        if (n->source.place != IN_REGISTER || n->last_use != at)
            continue;
        const bool wide = n->source.columns > 1;
        m->unused[wide][m->n_unused[wide]++] = n->source.index;
        n->last_use = SIZE_MAX; /* once */
    }
}

/* A result outside, where it is not of rows. */
static source find_all(const maker *m, ct__id id)
{
    source s = note_of(m, id)->source;
    s.place = IN_ALL;
    s.columns = (size_t)type_of(m, id)->size;
    return s;
}

static void make_running(maker *m, const ct__node *node, instruction *i)
{
    const ct_type *x = type_of(m, node->operand[0]);
    ct__fold_shape shape;
    ct__is_one_axis(x, node->attrs->reduce.dimensions, &shape);
    i->running = (ct__running_fold){m->f->numerics, i->fold, x->dtype, shape.n, shape.inner};
    i->state = m->scratch_bytes;
    m->scratch_bytes += ct__running_fold_bytes(&i->running);
    m->tiles->running[m->tiles->n_running++] = i;
}

static kind kind_of_fold(const maker *m, const ct__node *node)
{
    ct__fold_shape s;
    return ct__is_fold(m->f->parting->graph, node, &s) && ct__is_row_fold(&s) &&
                   s.n == m->tiles->columns && s.outer == m->tiles->rows
               ? FOLD_ROWS
               : FOLD_RUNNING;
}

/* An input that is spread may be one element for all of its own. */
static kind kind_of(const maker *m, const ct__node *node)
{
    if (node->op == CT__OP_reduce)
        return kind_of_fold(m, node);
    if (node->op != CT__OP_broadcast_in_dim)
        return ON_ELEMENTS;
    return !note_of(m, node->operand[0])->source.is_repeated &&
                   columns_of(m, node->first_result) > 1 &&
                   ct__is_row_spread(m->f->parting->graph, node, (int64_t)m->tiles->columns)
               ? SPREAD_ROWS
               : SPREAD;
}

/* Where the result goes: a register, if nobody outside needs it. It is taken before those of
 * operands are given back, for results overlap none. */
static source find_result(maker *m, ct__id id)
{
    const size_t columns = columns_of(m, id);
    if (note_of(m, id)->part != m->f->part)
        know(m, id,
             (source){IN_REGISTER, false, take_register(m, columns), bytes_of(m, id), columns});
    return note_of(m, id)->source;
}

static ct__eval eval_of(const maker *m, const ct__node *node, const ct_type *const *types)
{
    return (ct__eval){.numerics = m->f->numerics,
                      .op = node->op,
                      .attrs = node->attrs,
                      .at = node->at,
                      .n_operands = node->n_operands,
                      .in_type = types,
                      .n_results = 1,
                      .out_type = types + node->n_operands,
                      .plain_products = m->f->plain_products};
}

static bool make_instruction(maker *m, size_t at)
{
    const ct__node *node = node_at(m, at);
    instruction *i = &m->tiles->instruction[at];
    source *operand = CT__NEW_ARRAY(m->arena, source, node->n_operands);
    const ct_type **types = make_types(m, node, false), **last = make_types(m, node, true);
    if (!operand || !types || !last || m->arena->failed)
        return false;
    i->kind = kind_of(m, node);
    i->eval = eval_of(m, node, types);
    i->last_types = last;
    i->operand = operand;
    for (size_t k = 0; k < node->n_operands; k++)
        operand[k] = find_operand(m, node, k, i);
    i->result = i->kind == FOLD_RUNNING ? find_all(m, node->first_result)
                                        : find_result(m, node->first_result);
    if (node->op == CT__OP_reduce)
        i->fold = (ct__op)ct__graph_body_kind(node->region[0]);
    if (i->kind == FOLD_RUNNING)
        make_running(m, node, i);
    if (i->kind == SPREAD && !(i->spread = make_broadcast(m, node)))
        return false;
    give_back(m, node, at);
    return true;
}

/* Elements of the values with columns: a fold's operand, or the largest result. */
static size_t part_size(const maker *m)
{
    int64_t size = 1;
    for (size_t i = 0; i < m->f->part->n_nodes; i++) {
        const ct__node *node = node_at(m, i);
        const ct__id id = node->op == CT__OP_reduce ? node->operand[0] : node->first_result;
        size = type_of(m, id)->size > size ? type_of(m, id)->size : size;
    }
    return (size_t)size;
}

/* What comes in, what goes out, and when values are read last. */
static void note_ends(maker *m)
{
    for (size_t i = 0; i < m->f->n_inputs; i++) {
        const ct__id id = m->f->input[i];
        know(m, id,
             (source){IN_INPUT, m->f->is_repeated[i], i, bytes_of(m, id), columns_of(m, id)});
    }
    for (size_t i = 0; i < m->f->n_results; i++) {
        const ct__id id = m->f->result[i];
        know(m, id, (source){IN_RESULT, false, i, bytes_of(m, id), columns_of(m, id)});
    }
    for (size_t i = 0; i < m->f->part->n_nodes; i++)
        for (size_t k = 0; k < node_at(m, i)->n_operands; k++)
            note_of(m, node_at(m, i)->operand[k])->last_use = i;
}

static bool begin(maker *m)
{
    const size_t n = m->f->part->n_nodes;
    ct__parting *parting = m->f->parting;
    if (!parting->notes)
        parting->notes = CT__NEW_ARRAY(parting->arena, note, parting->graph->n_values);
    m->note = parting->notes;
    m->tiles = CT__NEW(m->arena, ct__tiles);
    if (!m->tiles || !m->note)
        return false;
    m->tiles->columns = (size_t)m->f->part->columns;
    m->tiles->rows = part_size(m) / m->tiles->columns;
    m->tiles->n_instructions = n;
    m->tiles->instruction = CT__NEW_ARRAY(m->arena, instruction, n);
    m->tiles->filling = CT__NEW_ARRAY(m->arena, filling, 3 * n);
    m->tiles->running = CT__NEW_ARRAY(m->arena, const instruction *, n);
    note_ends(m);
    return m->tiles->instruction && m->tiles->filling && m->tiles->running;
}

const void *ct__tiles_new(const ct__fused *fused, ct__arena *arena, size_t *scratch_bytes)
{
    maker m = {.f = fused, .arena = arena, .widest = 1};
    if (!begin(&m))
        return NULL;
    choose_tile(&m);
    for (size_t i = 0; i < fused->part->n_nodes; i++)
        if (!make_instruction(&m, i))
            return NULL;
    *scratch_bytes = m.scratch_bytes;
    return m.tiles;
}

const ct__fusion ct__tile_fusion = {
    .divide = ct__divide, .prepare = ct__tiles_new, .run = ct__tiles_run};
