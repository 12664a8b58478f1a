/* A kernel as C. Names: iN is input N, and aN its element in a loop; sN an input of one element; oN
 * is result N; vN what instruction N makes; kN where it is kept, and lN what is read from there.
 * xN, yN, qN and zN are the row at hand of iN, oN, kN and of a broadcast; fN the lanes of a fold,
 * tN what a fold of everything has so far, uN its lanes, and pN a block of a result. */
#include "exec/jit/emitter.h"
#include "exec/kernel/arrays.h"

#include <stdio.h>
#include <string.h>

/* What only reads has one type. */
static const char *operand_type(const emitter *e, size_t i, size_t k)
{
    const ct_type *const *types = at(e, i)->types;
    return types ? ct__c_type(types[k]->dtype) : type_of(e, i);
}

static bool is_result(const emitter *e, size_t i)
{
    return at(e, i)->result.place == IN_RESULT;
}

static bool is_kept(const emitter *e, size_t i)
{
    const ct__made *made = made_at(e, i);
    return made->is_kept || made->is_kept_tile || (made->is_streamed && !made->is_blocked);
}

static bool is_in_loop(const ct__made *made)
{
    return made->role == CT__COMPUTED || made->role == CT__LOADED;
}

/* In the loop of the stage, for the first time or again. */
static bool is_here(const emitter *e, size_t i)
{
    const ct__made *made = made_at(e, i);
    return made->is_wide && is_in_loop(made) &&
           (is_at(made, e->stage) || (made->is_again && made->stage.group == e->stage.group &&
                                      made->again >> e->stage.pass & 1));
}

/* Whether operand k of instruction i has columns. */
static bool is_wide(const emitter *e, size_t i, size_t k)
{
    const ct__link *link = &made_at(e, i)->link[k];
    if (link->origin == CT__FROM_MADE)
        return made_at(e, link->index)->is_wide;
    return link->origin == CT__FROM_INPUT &&
           (e->kernel->tiles->columns == 1 || at(e, i)->operand[k].columns > 1);
}

/* ---- Declarations, each once in its scope. */

static void begin_scope(emitter *e, scope *inner)
{
    inner->n = 0;
    e->scope = inner;
}

static bool declare(emitter *e, const char *name)
{
    for (size_t i = 0; i < e->scope->n; i++)
        if (strcmp(e->scope->name[i], name) == 0)
            return false;
    if (e->scope->n < MOST_NAMES)
        snprintf(e->scope->name[e->scope->n++], NAME_BYTES, "%s", name);
    return true;
}

static void declare_input(emitter *e, size_t i, size_t k)
{
    const ct__link *link = &made_at(e, i)->link[k];
    const char *type = operand_type(e, i, k);
    char name[NAME_BYTES];
    const bool is_scalar = link->origin == CT__FROM_SCALAR &&
                           (made_at(e, i)->role != CT__LOADED || k == 1);
    const ct__role role = made_at(e, i)->role;
    if (link->origin == CT__FROM_MADE || role == CT__CALLED || role == CT__TOTALLED ||
        role == CT__FED)
        return;
    snprintf(name, sizeof name, "%c%zu", is_scalar ? 's' : 'i', link->index);
    if (!declare(e, name))
        return;
    if (is_scalar)
        ADD("const %s %s = *(const %s *)in[%zu];\n", type, name, type, link->index);
    else
        ADD("const %s *restrict %s = in[%zu];\n", type, name, link->index);
}

static void declare_buffers(emitter *e)
{
    begin_scope(e, &e->row);
    for (size_t i = 0; i < n_instructions(e); i++) {
        for (size_t k = 0; k < at(e, i)->n_operands; k++)
            declare_input(e, i, k);
        if (is_result(e, i))
            ADD("%s *restrict o%zu = out[%zu];\n", type_of(e, i), at(e, i)->result.index,
                at(e, i)->result.index);
        if (is_kept(e, i))
            ADD("%s *restrict k%zu = (%s *)(scratch + %zu);\n", type_of(e, i), i, type_of(e, i),
                made_at(e, i)->kept_at);
    }
}

/* ---- Operands, in a loop over columns or between such loops. */

static bool is_local(const emitter *e, size_t index)
{
    const ct__made *made = made_at(e, index);
    return made->is_wide ? is_here(e, index)
                         : made->role != CT__CALLED && made->stage.group == e->stage.group;
}

static void read_input(emitter *e, size_t i, size_t k)
{
    const size_t index = made_at(e, i)->link[k].index;
    if (is_wide(e, i, k))
        ADD("const %s %s = x%zu[j];\n", operand_type(e, i, k), e->name[k], index);
    else
        ADD("const %s %s = i%zu[r];\n", operand_type(e, i, k), e->name[k], index);
}

static void read_made(emitter *e, size_t i, size_t k)
{
    const size_t index = made_at(e, i)->link[k].index;
    const bool wide = is_wide(e, i, k), result = is_result(e, index);
    ADD("const %s %s = ", operand_type(e, i, k), e->name[k]);
    if (wide)
        ADD("%c%zu[j];\n", result ? 'y' : 'q', result ? at(e, index)->result.index : index);
    else if (result)
        ADD("o%zu[r];\n", at(e, index)->result.index);
    else
        ADD("k%zu[r - row];\n", index);
}

/* Names operand k of instruction i, after declaring what it reads. */
static const char *operand(emitter *e, size_t i, size_t k)
{
    const ct__link *link = &made_at(e, i)->link[k];
    const bool local = link->origin == CT__FROM_MADE && is_local(e, link->index);
    const char prefix = link->origin == CT__FROM_SCALAR  ? 's'
                        : link->origin == CT__FROM_INPUT ? 'a'
                        : local                          ? 'v'
                                                         : 'l';
    snprintf(e->name[k], NAME_BYTES, "%c%zu", prefix, link->index);
    if (prefix == 'a' && declare(e, e->name[k]))
        read_input(e, i, k);
    if (prefix == 'l' && declare(e, e->name[k]))
        read_made(e, i, k);
    return e->name[k];
}

/* ---- Instructions. */

/* Whether operand 0 is the same in all of the loop. */
static bool is_fixed(const emitter *e, size_t i)
{
    const ct__link *link = &made_at(e, i)->link[0];
    return link->origin == CT__FROM_SCALAR ||
           (link->origin == CT__FROM_MADE && made_at(e, i)->is_wide && e->kernel->columns > 0 &&
            (!made_at(e, link->index)->is_wide || at(e, link->index)->kind == SPREAD_ROWS));
}

static void add_expression(emitter *e, size_t i, const char *const *operands)
{
    ct__expression x = ct__kernel_expression(e->kernel->tiles, at(e, i));
    for (size_t k = 0; k < x.n_operands; k++)
        x.operand[k] = operands[k];
    x.is_near = e->is_near;
    x.is_fixed = is_fixed(e, i);
    ct__express(e->to, &x);
    if (!e->is_near || !ct__has_far(&x))
        return;
    ADD(";\nfar |= ");
    ct__express_far(e->to, &x);
}

static void compute(emitter *e, size_t i)
{
    const char *operands[3] = {NULL};
    const bool is_loaded = made_at(e, i)->role == CT__LOADED;
    for (size_t k = 0; k < at(e, i)->n_operands && !is_loaded; k++)
        operands[k] = operand(e, i, k);
    ADD("const %s v%zu = ", type_of(e, i), i);
    if (is_loaded)
        ct__emit_loaded(e, i);
    else if (at(e, i)->kind == SPREAD_ROWS)
        ADD("%s", operands[0]);
    else
        add_expression(e, i, operands);
    ADD(";\n");
}

/* Where it is needed outside of the loop, or of the row. */
static void store(emitter *e, size_t i)
{
    const bool wide = made_at(e, i)->is_wide;
    if (!is_at(made_at(e, i), e->stage))
        return;
    if (made_at(e, i)->is_streamed && made_at(e, i)->is_blocked)
        ADD("p%zu[l] = v%zu;\n", i, i);
    if (is_result(e, i) && !made_at(e, i)->is_streamed)
        ADD(wide ? "y%zu[j] = v%zu;\n" : "o%zu[r] = v%zu;\n", at(e, i)->result.index, i);
    if (is_kept(e, i))
        ADD(wide ? "q%zu[j] = v%zu;\n" : "k%zu[r - row] = v%zu;\n", i, i);
}

/* In any order: of integers. */
static void fold_plainly(emitter *e, size_t i, const char *init, char row, size_t index)
{
    ct__expression x = ct__fold_expression(at(e, i));
    char made[NAME_BYTES], element[NAME_BYTES];
    snprintf(made, sizeof made, "v%zu", i);
    snprintf(element, sizeof element, "%c%zu[j]", row, index);
    x.operand[0] = made;
    x.operand[1] = element;
    ADD("%s %s = %s;\nfor (size_t j = 0; j < columns; j++)\n%s = ", type_of(e, i), made, init,
        made);
    ct__express(e->to, &x);
    ADD(";\n");
}

/* The fold of a row: of the input, result or buffer of this name. */
static void add_fold(emitter *e, size_t i, const char *init, char row, size_t index)
{
    const ct_dtype dtype = made_at(e, i)->dtype;
    const char *type = type_of(e, i), *name = ct_dtype_name(dtype);
    const char *op = ct__op_describe(at(e, i)->fold)->name;
    const size_t columns = e->kernel->columns;
    if (ct__folds_in_any_order(at(e, i)->fold, dtype))
        fold_plainly(e, i, init, row, index);
    else if (columns > CT__LANES && columns <= CT__ROW_BLOCK)
        ADD("%s v%zu = one_into_%s(CT__OP_%s, %s, lanes_of_%s(CT__OP_%s, %zu, %c%zu));\n", type, i,
            name, op, init, name, op, columns, row, index);
    else
        ADD("%s v%zu = %s;\nfold_row_%s(CT__OP_%s, %zu, &v%zu, %c%zu);\n", type, i, init, name, op,
            columns, i, row, index);
}

/* What a blocked loop has folded. */
static void end_along(emitter *e, size_t i)
{
    if (made_at(e, i)->role == CT__FED) {
        ADD("table->feed(table->tiles, %zu, f%zu, out[%zu], scratch);\n", i, i,
            at(e, i)->result.index);
        return;
    }
    const char *name = ct_dtype_name(made_at(e, i)->dtype);
    const char *op = ct__op_describe(at(e, i)->fold)->name;
    const char *init = operand(e, i, 1);
    ADD("%s v%zu = one_into_%s(CT__OP_%s, %s, join_lanes_%s(CT__OP_%s, f%zu));\n", type_of(e, i), i,
        name, op, init, name, op, i);
    store(e, i);
}

static void fold(emitter *e, size_t i)
{
    const ct__link *from = &made_at(e, i)->link[0];
    char row = 'x';
    size_t index = from->index;
    if (from->origin == CT__FROM_MADE) {
        row = is_result(e, index) ? 'y' : 'q';
        index = row == 'y' ? at(e, index)->result.index : index;
    }
    add_fold(e, i, operand(e, i, 1), row, index);
    store(e, i);
}

/* ---- Loops. */

static bool has_loop(const emitter *e)
{
    for (size_t i = 0; i < n_instructions(e); i++)
        if (is_here(e, i))
            return true;
    return false;
}

static bool is_along_here(const emitter *e, size_t i)
{
    return made_at(e, i)->is_along && is_at(made_at(e, i), e->stage);
}

static void fold_along(emitter *e, size_t i)
{
    ADD("f%zu[l] = one_into_%s(CT__OP_%s, f%zu[l], v%zu);\n", i,
        ct_dtype_name(made_at(e, i)->dtype), ct__op_describe(at(e, i)->fold)->name, i,
        made_at(e, i)->link[0].index);
}

/* What a loop does with the elements of column j. */
static void add_body(emitter *e)
{
    begin_scope(e, &e->loop);
    for (size_t i = 0; i < n_instructions(e); i++) {
        if (is_here(e, i)) {
            compute(e, i);
            store(e, i);
        }
        if (is_along_here(e, i))
            fold_along(e, i);
        if (made_at(e, i)->role == CT__TOTALLED && is_at(made_at(e, i), e->stage))
            ct__emit_total(e, i);
    }
    e->scope = &e->row;
}

static void add_columns(emitter *e, const char *from, const char *to)
{
    ADD("INDEPENDENT\nfor (size_t j = %s; j < %s; j++) {\n", from, to);
    add_body(e);
    ADD("}\n");
}

/* ---- Loops through blocks. */

static bool is_streamed_here(const emitter *e, size_t i, bool is_blocked)
{
    const ct__made *made = made_at(e, i);
    return made->is_streamed && made->is_blocked == is_blocked && is_at(made, e->stage);
}

static bool has_blocks(const emitter *e)
{
    for (size_t i = 0; i < n_instructions(e); i++)
        if (is_along_here(e, i) || is_streamed_here(e, i, true))
            return true;
    return false;
}

/* The next row of what any loop reads. */
static void read_ahead(emitter *e)
{
    scope names = {0};
    e->scope = &names;
    for (size_t i = 0; i < n_instructions(e); i++)
        for (size_t k = 0; k < at(e, i)->n_operands; k++) {
            const ct__link *link = &made_at(e, i)->link[k];
            char name[NAME_BYTES];
            snprintf(name, sizeof name, "x%zu", link->index);
            if (link->origin == CT__FROM_INPUT && is_wide(e, i, k) &&
                made_at(e, i)->role != CT__CALLED && declare(e, name))
                ADD("read_ahead(&%s[block + columns], CT__LANES * sizeof *%s);\n", name, name);
        }
    e->scope = &e->row;
    e->is_ahead = true;
}

static void begin_along(emitter *e, size_t i)
{
    ADD("%s f%zu[CT__LANES];\n"
        "for (size_t l = 0; l < CT__LANES; l++)\nf%zu[l] = neutral_%s(CT__OP_%s);\n",
        type_of(e, i), i, i, ct_dtype_name(made_at(e, i)->dtype),
        ct__op_describe(at(e, i)->fold)->name);
}

static void add_blocks(emitter *e)
{
    e->is_blocked = true;
    ct__emit_begin_lanes(e);
    ADD("for (size_t block = 0; block < columns; block += CT__LANES) {\n");
    if (e->kernel->reads_ahead && !e->is_ahead)
        read_ahead(e);
    for (size_t i = 0; i < n_instructions(e); i++)
        if (is_streamed_here(e, i, true))
            ADD("%s p%zu[CT__LANES] __attribute__((aligned(64)));\n", type_of(e, i), i);
    ADD("INDEPENDENT\nfor (size_t l = 0; l < CT__LANES; l++) {\nconst size_t j = block + l;\n");
    add_body(e);
    ADD("}\n");
    for (size_t i = 0; i < n_instructions(e); i++)
        if (is_streamed_here(e, i, true))
            ADD("stream_block(&y%zu[block], p%zu, sizeof p%zu);\n", at(e, i)->result.index, i, i);
    ADD("}\n");
    ct__emit_end_lanes(e);
    e->is_blocked = false;
}

/* ---- Loops over columns as they are. */

/* Whether the loop reads rows that are inside in some columns only; then those are found in which
 * all of them are. */
static bool has_edges(emitter *e)
{
    bool any = false;
    for (size_t i = 0; i < n_instructions(e); i++) {
        const index_map *m = at(e, i)->spread;
        if (!ct__reads_rows(e->kernel, i) || !m->is_partial || !is_at(made_at(e, i), e->stage))
            continue;
        if (!any)
            ADD("low = 0;\nhigh = columns;\n");
        ADD("narrow(&low, &high, low%zu, high%zu);\n", i, i);
        any = true;
    }
    return any;
}

static void add_pieces(emitter *e)
{
    e->all_inside = false;
    if (has_edges(e)) {
        add_columns(e, "0", "low");
        e->all_inside = true;
        add_columns(e, "low", "high");
        e->all_inside = false;
        add_columns(e, "high", "columns");
    } else {
        add_columns(e, "0", "columns");
    }
}

static bool may_be_far(const emitter *e)
{
    for (size_t i = 0; i < n_instructions(e); i++) {
        if (!is_here(e, i) || at(e, i)->kind != ON_ELEMENTS)
            continue;
        const ct__expression x = ct__kernel_expression(e->kernel->tiles, at(e, i));
        if (ct__has_far(&x))
            return true;
    }
    return false;
}

/* Where something may be far the loop is run as if nothing were, and again if it was not so. */
static void add_loop(emitter *e)
{
    if (!has_loop(e))
        return;
    if (has_blocks(e)) {
        add_blocks(e);
        return;
    }
    ADD("{\nsize_t low, high;\n");
    if (may_be_far(e)) {
        ADD("int far = 0;\n");
        e->is_near = true;
        add_pieces(e);
        e->is_near = false;
        ADD("if (far) {\n");
        add_pieces(e);
        ADD("}\n");
    } else {
        add_pieces(e);
    }
    for (size_t i = 0; i < n_instructions(e); i++)
        if (is_streamed_here(e, i, false))
            ADD("stream(y%zu, q%zu, columns * %zu);\n", at(e, i)->result.index, i,
                at(e, i)->result.bytes);
    ADD("}\n");
}

/* What a row knows before a pass, the pass, and the folds of what it gives. */
static void add_pass(emitter *e)
{
    for (size_t i = 0; i < n_instructions(e); i++)
        if (!made_at(e, i)->is_wide && is_in_loop(made_at(e, i)) &&
            is_at(made_at(e, i), e->stage)) {
            compute(e, i);
            store(e, i);
        }
    for (size_t i = 0; i < n_instructions(e); i++)
        if (is_along_here(e, i))
            begin_along(e, i);
    add_loop(e);
    for (size_t i = 0; i < n_instructions(e); i++) {
        if (is_along_here(e, i))
            end_along(e, i);
        else if (made_at(e, i)->role == CT__FOLDED && is_at(made_at(e, i), e->stage))
            fold(e, i);
    }
}

static uint32_t last_pass(const emitter *e, uint32_t group)
{
    uint32_t last = 0;
    for (size_t i = 0; i < n_instructions(e); i++)
        if (made_at(e, i)->role != CT__CALLED && made_at(e, i)->stage.group == group &&
            made_at(e, i)->stage.pass > last)
            last = made_at(e, i)->stage.pass;
    return last;
}

/* The rows at hand of everything that has columns. */
static void declare_rows(emitter *e)
{
    const bool is_row = e->kernel->columns > 0;
    begin_scope(e, &e->row);
    ADD(is_row ? "const size_t begin = r * columns;\n"
               : "const size_t columns = n, begin = row;\n");
    for (size_t i = 0; i < n_instructions(e); i++) {
        for (size_t k = 0; k < at(e, i)->n_operands; k++) {
            const ct__link *link = &made_at(e, i)->link[k];
            char name[NAME_BYTES];
            snprintf(name, sizeof name, "x%zu", link->index);
            if (link->origin == CT__FROM_INPUT && made_at(e, i)->role != CT__CALLED &&
                is_wide(e, i, k) && declare(e, name))
                ADD("const %s *restrict %s = i%zu + begin;\n", operand_type(e, i, k), name,
                    link->index);
        }
        ct__emit_row_of(e, i);
        if (made_at(e, i)->is_wide && is_result(e, i))
            ADD("%s *restrict y%zu = o%zu + begin;\n", type_of(e, i), at(e, i)->result.index,
                at(e, i)->result.index);
        if (made_at(e, i)->is_wide && is_kept(e, i))
            ADD("%s *restrict q%zu = k%zu%s;\n", type_of(e, i), i, i,
                made_at(e, i)->is_kept_tile && is_row ? " + (begin - row * columns)" : "");
    }
}

/* ---- The kernel. */

static bool has_group(const emitter *e, uint32_t group)
{
    for (size_t i = 0; i < n_instructions(e); i++)
        if (made_at(e, i)->role != CT__CALLED && made_at(e, i)->stage.group == group)
            return true;
    return false;
}

static void add_group(emitter *e, uint32_t group)
{
    if (has_group(e, group)) {
        ADD(e->kernel->columns > 0 ? "for (size_t r = row; r < row + n; r++) {\n" : "{\n");
        declare_rows(e);
        e->is_ahead = false;
        for (uint32_t pass = 0; pass <= last_pass(e, group); pass++) {
            e->stage = (ct__stage){group, pass};
            add_pass(e);
        }
        ADD("}\n");
    }
    for (size_t i = 0; i < n_instructions(e); i++)
        if (made_at(e, i)->role == CT__CALLED && made_at(e, i)->stage.group == group)
            ct__emit_call(e, i);
}

void ct__emit_kernel(ct__text *to, const ct__kernel *kernel)
{
    emitter own = {.to = to, .kernel = kernel}, *e = &own;
    const size_t tile = kernel->has_tiles ? kernel->tiles->tile : kernel->rows;
    ADD("(const void *const *in, void *const *out, unsigned char *scratch, "
        "const kernel_table *table, size_t first, size_t end)\n{\n");
    declare_buffers(e);
    if (kernel->has_beginning)
        ADD("table->begin(table->tiles, in, out, scratch);\n");
    ct__emit_begin_totals(e);
    if (kernel->columns > 0)
        ADD("const size_t columns = %zu;\n", kernel->columns);
    if (kernel->unit == 0)
        ADD("first = 0;\nend = %zu;\n", kernel->rows);
    ADD("for (size_t row = first; row < end; row += %zu) {\n"
        "const size_t n = end - row < %zu ? end - row : %zu;\n",
        tile, tile, tile);
    for (uint32_t group = 0; group < kernel->n_groups; group++)
        add_group(e, group);
    ADD(kernel->streams ? "}\nend_streams();\n" : "}\n");
    ct__emit_end_totals(e);
    ADD("}\n");
}
