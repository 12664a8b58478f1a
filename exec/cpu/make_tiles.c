#include "exec/cpu/tiles.h"
#include "exec/kernel/moves.h"

enum {
    CACHE_BYTES = 24 << 10, /* for the registers of a part */
    LEAST_TILE = 256,
    MOST_TILE = 4096,
    MOST_OPERANDS = 3 /* of an operation on elements, or a fold */
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
    size_t n_unused[2], unused[2][4 * CT__MOST_FUSED]; /* registers that hold nothing now */
    const ct_type *type[2][CT_DTYPE_COUNT], *last_type[2][CT_DTYPE_COUNT];
    const instruction *typed; /* the newest one that has types */
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
        const ct__node *node = node_at(m, i);
        for (size_t k = 0; k <= node->n_operands; k++) {
            size_t bytes = bytes_of(m, k ? node->operand[k - 1] : node->first_result);
            m->widest = bytes > m->widest ? bytes : m->widest;
        }
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

/* ---- Operands. */

/* One element that stands for all is handed on as it is where the operation takes it so; else a
 * register of its own is filled with it once. */
static source find_repeated(maker *m, const ct__node *node, size_t k, const source *one,
                            instruction *i)
{
    source s = *one;
    if (ct__takes_repeated(node->op, k)) {
        i->repeated |= 1u << k;
        s.place = IN_WHOLE;
        return s;
    }
    s.columns = columns_of(m, node->operand[k]);
    const filling filled = {new_register(m, s.columns), s.index, s.bytes, s.columns};
    m->tiles->filling[m->tiles->n_fillings++] = filled;
    return (source){IN_REGISTER, false, filled.at, s.bytes, s.columns};
}

static source all_of(source s)
{
    s.place = IN_WHOLE;
    return s;
}

/* The view's map; of an input that is one element for all, everything is that one. */
static const index_map *make_map(maker *m, const ct__index_view *view, bool is_repeated)
{
    index_map *map = CT__NEW(m->arena, index_map);
    const size_t n = (size_t)view->rank;
    int64_t *axes = CT__NEW_ARRAY(m->arena, int64_t, 4 * n);
    if (!map || !axes)
        return NULL;
    for (size_t d = 0; d < n; d++) {
        axes[d] = view->dim[d];
        axes[n + d] = is_repeated ? 0 : view->stride[d];
        axes[2 * n + d] = view->low[d];
        axes[3 * n + d] = view->high[d];
    }
    *map = (index_map){view->rank,
                       axes,
                       axes + n,
                       bytes_of(m, view->base),
                       is_repeated ? 0 : view->first,
                       view->is_partial,
                       axes + 2 * n,
                       axes + 3 * n};
    return map;
}

static bool is_broadcast(const ct__index_view *view)
{
    bool is = view->first == 0 && !view->is_partial;
    for (int d = 0; d < view->rank; d++)
        is = is && view->stride[d] >= 0;
    return is;
}

/* Whether every tile reads the same elements. */
static bool is_periodic(const maker *m, const ct__index_view *view, size_t columns)
{
    const size_t tile = m->tiles->tile * columns;
    size_t period = tile;
    for (int d = view->rank; d-- > 0;) {
        const bool is_full = view->low[d] == 0 && view->high[d] == view->dim[d];
        if (d == 0 && view->stride[0] == 0 && is_full)
            break;
        period = d == view->rank - 1 ? (size_t)view->dim[d] : period * (size_t)view->dim[d];
        if (period > tile)
            return false;
    }
    return tile % period == 0 && view->stride[0] == 0;
}

/* The instruction that reads a view into a register: from the rows of a value of the part, or from
 * an input. */
static bool make_load(maker *m, ct__id id, const ct__index_view *view)
{
    const note *base = note_of(m, view->base);
    const bool is_rows = base->part == m->f->part && base->source.place != IN_INPUT;
    const size_t columns = columns_of(m, id);
    source *operand = CT__NEW_ARRAY(m->arena, source, 2);
    instruction *i = &m->tiles->instruction[m->tiles->n_instructions++];
    if (!operand)
        return false;
    i->operand = operand;
    i->n_operands = view->is_partial ? 2 : 1;
    operand[0] = is_rows ? base->source : all_of(base->source);
    if (view->is_partial)
        operand[1] = all_of(note_of(m, view->fill)->source);
    i->kind = is_rows ? SPREAD_ROWS : is_broadcast(view) ? SPREAD : LOAD;
    i->spread = is_rows ? NULL : make_map(m, view, base->source.is_repeated);
    i->is_once = !is_rows && is_periodic(m, view, columns);
    const size_t at = i->is_once ? new_register(m, columns) : take_register(m, columns);
    i->result = (source){IN_REGISTER, false, at, bytes_of(m, id), columns};
    know(m, id, i->result);
    if (i->is_once)
        note_of(m, id)->last_use = SIZE_MAX;
    return is_rows || i->spread;
}

/* Reads what views the node's operands are, those that the part has not read yet. */
static bool make_loads(maker *m, const ct__node *node)
{
    for (size_t k = 0; k < node->n_operands; k++) {
        const ct__id id = m->f->parting->same[node->operand[k]];
        const ct__index_view *view = m->f->parting->view[id];
        if (!view || note_of(m, id)->part == m->f->part)
            continue;
        const source base = note_of(m, view->base)->source;
        if ((type_of(m, view->base)->size == 1 || base.is_repeated) && !view->is_partial)
            know(m, id, (source){IN_INPUT, true, base.index, base.bytes, 1});
        else if (!make_load(m, id, view))
            return false;
    }
    return true;
}

/* Whether the operand is one for all tiles. */
static bool is_whole(const maker *m, const instruction *i, const ct__node *node, size_t k)
{
    return ((i->kind == FOLD_ROWS || i->kind == FOLD_RUNNING) && k == 1) ||
           (type_of(m, node->operand[k])->size == 1 && m->tiles->rows > 1);
}

static source find_operand(maker *m, const ct__node *node, size_t k, instruction *i)
{
    const source s = note_of(m, node->operand[k])->source;
    if (is_whole(m, i, node, k))
        return all_of(s);
    return s.is_repeated && type_of(m, node->operand[k])->size > 1
               ? find_repeated(m, node, k, &s, i)
               : s;
}

/* The list, in the arena unless it is that of `like` too: instructions have few different ones. */
static const ct_type *const *keep_types(maker *m, size_t n, const ct_type **types,
                                        const ct_type *const *like)
{
    for (size_t k = 0; k < n && like; k++)
        if (like[k] != types[k])
            like = NULL;
    return like ? like : ct__arena_copy(m->arena, types, n * sizeof *types);
}

/* Types of operands, then of the result. */
static const ct_type *const *make_types(maker *m, const ct__node *node, bool is_last)
{
    const ct_type *types[MOST_OPERANDS + 1];
    const size_t n = node->n_operands;
    for (size_t k = 0; k < n; k++) {
        const ct_type *type = type_of(m, node->operand[k]);
        types[k] = type->size == 1 && m->tiles->rows > 1
                       ? type
                       : tile_type(m, type->dtype, columns_of(m, node->operand[k]), is_last);
    }
    types[n] = tile_type(m, type_of(m, node->first_result)->dtype,
                         columns_of(m, node->first_result), is_last);
    const instruction *like = m->typed && m->typed->n_operands == n ? m->typed : NULL;
    return keep_types(m, n + 1, types, !like ? NULL : is_last ? like->last_types : like->types);
}

static void give_back_one(maker *m, ct__id id, size_t at)
{
    note *n = note_of(m, id);
    if (n->part != m->f->part || n->source.place != IN_REGISTER || n->last_use != at)
        return;
    const bool wide = n->source.columns > 1;
    m->unused[wide][m->n_unused[wide]++] = n->source.index;
    n->last_use = SIZE_MAX; /* once */
}

/* The registers that node `at` reads last. */
static void give_back(maker *m, const ct__node *node, size_t at)
{
    for (size_t k = 0; k < node->n_operands; k++) {
        const ct__index_view *view = m->f->parting->view[m->f->parting->same[node->operand[k]]];
        give_back_one(m, node->operand[k], at);
        if (view)
            give_back_one(m, view->base, at);
    }
}

/* A result outside, where it is not of rows. */
static source find_all(maker *m, ct__id id)
{
    const size_t size = (size_t)type_of(m, id)->size, bytes = bytes_of(m, id);
    if (note_of(m, id)->part == m->f->part)
        return (source){IN_ALL, false, note_of(m, id)->source.index, bytes, size};
    const source unneeded = {IN_REGISTER, false, m->scratch_bytes, bytes, size};
    m->scratch_bytes += (bytes * size + CT__ALIGN - 1) / CT__ALIGN * CT__ALIGN;
    return unneeded;
}

static void make_running(maker *m, const ct__node *node, instruction *i)
{
    const ct_type *x = type_of(m, node->operand[0]);
    ct__fold_shape shape;
    ct__is_one_axis(x, node->attrs->reduce.dimensions, &shape);
    const ct__running_fold fold = {m->f->numerics, i->fold, x->dtype,
                                   shape.outer,    shape.n, shape.inner};
    i->running = ct__arena_copy(m->arena, &(running){fold, m->scratch_bytes, m->tiles->kept_bytes},
                                sizeof(running));
    m->scratch_bytes += ct__running_fold_bytes(&fold);
    m->tiles->kept_bytes += ct__running_fold_kept_bytes(&fold);
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

static bool make_instruction(maker *m, size_t at)
{
    const ct__node *node = node_at(m, at);
    source *operand = ct__arena_alloc(m->arena, node->n_operands * sizeof *operand);
    const ct_type *const *types = make_types(m, node, false);
    const ct_type *const *last = m->tiles->last == m->tiles->tile ? types
                                                                  : make_types(m, node, true);
    if (!operand || !types || !last || m->arena->failed || !make_loads(m, node))
        return false;
    instruction *i = &m->tiles->instruction[m->tiles->n_instructions++];
    *i = (instruction){.kind = node->op == CT__OP_reduce ? kind_of_fold(m, node) : ON_ELEMENTS,
                       .op = node->op,
                       .attrs = node->attrs,
                       .n_operands = node->n_operands,
                       .operand = operand,
                       .types = types,
                       .last_types = last};
    m->typed = i;
    for (size_t k = 0; k < node->n_operands; k++)
        operand[k] = find_operand(m, node, k, i);
    i->result = i->kind == FOLD_RUNNING ? find_all(m, node->first_result)
                                        : find_result(m, node->first_result);
    if (node->op == CT__OP_reduce)
        i->fold = (ct__op)ct__graph_body_kind(node->region[0]);
    if (i->kind == FOLD_RUNNING)
        make_running(m, node, i);
    give_back(m, node, at);
    return !m->arena->failed;
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
        for (size_t k = 0; k < node_at(m, i)->n_operands; k++) {
            const ct__id id = m->f->parting->same[node_at(m, i)->operand[k]];
            const ct__index_view *view = m->f->parting->view[id];
            m->note[id].last_use = i;
            if (view)
                note_of(m, view->base)->last_use = i;
        }
}

typedef struct counts {
    size_t views, repeated, folds; /* operands that are; nodes that are */
} counts;

/* A view may be of one element that stands for all. */
static counts count(const maker *m)
{
    counts c = {0};
    for (size_t i = 0; i < m->f->part->n_nodes; i++) {
        const ct__node *node = node_at(m, i);
        c.folds += node->op == CT__OP_reduce;
        for (size_t k = 0; k < node->n_operands; k++) {
            const note *n = note_of(m, node->operand[k]);
            const bool is_view = m->f->parting->view[m->f->parting->same[node->operand[k]]];
            c.views += is_view;
            c.repeated += is_view || (n->part == m->f->part && n->source.is_repeated);
        }
    }
    return c;
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
    m->tiles->numerics = m->f->numerics;
    m->tiles->plain_products = m->f->plain_products;
    note_ends(m);
    const counts most = count(m);
    m->tiles->instruction = CT__NEW_ARRAY(m->arena, instruction, n + most.views);
    m->tiles->filling = CT__NEW_ARRAY(m->arena, filling, most.repeated);
    m->tiles->running = CT__NEW_ARRAY(m->arena, const instruction *, most.folds);
    return m->tiles->instruction && m->tiles->filling && m->tiles->running;
}

/* Whether an instruction after this one reads its result. */
static bool is_read_later(const ct__tiles *t, size_t index)
{
    const source *result = &t->instruction[index].result;
    for (size_t i = index + 1; i < t->n_instructions; i++)
        for (size_t k = 0; k < t->instruction[i].n_operands; k++) {
            const source *operand = &t->instruction[i].operand[k];
            if (operand->place == IN_RESULT && operand->index == result->index)
                return true;
        }
    return false;
}

/* Results too large for the caches are not read from memory only to be overwritten. */
static void stream_results(maker *m)
{
    ct__tiles *t = m->tiles;
    for (size_t i = 0; i < t->n_instructions; i++) {
        instruction *made = &t->instruction[i];
        const size_t bytes = made->result.columns * made->result.bytes;
        made->is_streamed = made->kind == ON_ELEMENTS && made->result.place == IN_RESULT &&
                            t->rows >= CT__STREAMED_BYTES / bytes && !is_read_later(t, i);
        t->streams = t->streams || made->is_streamed;
    }
    if (t->streams)
        t->waiting_at = new_register(m, t->columns);
}

/* Work in elements of instructions, of which a thread does some in a nanosecond: what takes less
 * than some ten microseconds is not worth waking another. */
enum { LEAST_SHARED = 1 << 17 };

/* Whole tiles, and whole parts of folds that run from tile to tile; 0: one of these has none. */
static size_t unit_of(const ct__tiles *t)
{
    size_t unit = t->tile;
    for (size_t i = 0; i < t->n_running; i++) {
        const size_t columns = t->running[i]->operand[0].columns;
        const size_t part = ct__running_fold_unit(&t->running[i]->running->fold);
        if (part == 0)
            return 0;
        unit *= part / ct__common_divisor(unit * columns, part);
    }
    return unit;
}

static void share(maker *m)
{
    ct__tiles *t = m->tiles;
    t->unit = unit_of(t);
    if (t->unit > 0 && t->rows > t->unit && ct__threads_count(m->f->threads) > 1 &&
        t->rows * t->columns >= LEAST_SHARED / t->n_instructions)
        t->threads = m->f->threads;
    if (!t->threads)
        t->kept_bytes = 0;
}

const ct__tiles *ct__tiles_new(const ct__fused *fused, ct__arena *arena)
{
    maker m = {.f = fused, .arena = arena, .widest = 1};
    if (!begin(&m))
        return NULL;
    choose_tile(&m);
    for (size_t i = 0; i < fused->part->n_nodes; i++)
        if (!make_instruction(&m, i))
            return NULL;
    stream_results(&m);
    m.tiles->scratch_bytes = (m.scratch_bytes + CT__ALIGN - 1) / CT__ALIGN * CT__ALIGN;
    share(&m);
    return m.tiles;
}
