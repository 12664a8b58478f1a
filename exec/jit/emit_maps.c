/* Inputs at index maps. */
#include "exec/jit/emitter.h"

/* The coordinate along axis d of this element. */
static void add_coordinate(emitter *e, const index_map *m, int d, const char *element)
{
    long long inner = 1;
    for (int k = d + 1; k < m->rank; k++)
        inner *= m->dim[k];
    if (d == 0)
        ADD("(int64_t)(%s / %lld)", element, inner);
    else
        ADD("(int64_t)(%s / %lld %% %lld)", element, inner, (long long)m->dim[d]);
}

static void add_offset(emitter *e, const index_map *m, const char *element)
{
    ADD("%lld", (long long)m->first);
    for (int d = 0; d < m->rank; d++) {
        if (m->stride[d] == 0)
            continue;
        ADD(" + ");
        add_coordinate(e, m, d, element);
        ADD(" * %lld", (long long)m->stride[d]);
    }
}

/* Whether the element is inside along the first axes. */
static void add_inside(emitter *e, const index_map *m, int axes, const char *element)
{
    ADD("1");
    for (int d = 0; d < axes; d++) {
        if (m->low[d] <= 0 && m->high[d] >= m->dim[d])
            continue;
        ADD(" && ");
        add_coordinate(e, m, d, element);
        ADD(" >= %lld && ", (long long)m->low[d]);
        add_coordinate(e, m, d, element);
        ADD(" < %lld", (long long)m->high[d]);
    }
}

void ct__emit_row_of(emitter *e, size_t i)
{
    const index_map *m = at(e, i)->spread;
    if (!ct__reads_rows(e->kernel, i))
        return;
    ADD("const %s *z%zu = i%zu + (", type_of(e, i), i, made_at(e, i)->link[0].index);
    add_offset(e, m, "begin");
    ADD(");\n");
    if (!m->is_partial)
        return;
    const int last = m->rank - 1;
    ADD("int64_t low%zu = %lld - ", i, (long long)m->low[last]);
    add_coordinate(e, m, last, "begin");
    ADD(", high%zu = %lld - ", i, (long long)m->high[last]);
    add_coordinate(e, m, last, "begin");
    ADD(";\nclip(&low%zu, &high%zu, (int64_t)columns, ", i, i);
    add_inside(e, m, last, "begin");
    ADD(");\n");
}

void ct__emit_loaded(emitter *e, size_t i)
{
    const index_map *m = at(e, i)->spread;
    const size_t base = made_at(e, i)->link[0].index;
    const char *element = made_at(e, i)->is_wide ? "(begin + j)" : "r";
    const bool row = ct__reads_rows(e->kernel, i),
               partial = m->is_partial && !(row && e->all_inside);
    if (partial && row)
        ADD("(int64_t)j >= low%zu && (int64_t)j < high%zu ? ", i, i);
    else if (partial)
        add_inside(e, m, m->rank, element);
    if (partial && !row)
        ADD(" ? ");
    if (row) {
        ADD("z%zu[(int64_t)j * %lld]", i, (long long)m->stride[m->rank - 1]);
    } else {
        ADD("i%zu[", base);
        add_offset(e, m, element);
        ADD("]");
    }
    if (partial)
        ADD(" : s%zu", made_at(e, i)->link[1].index);
}
