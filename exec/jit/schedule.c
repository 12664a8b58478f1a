#include "exec/jit/kernel.h"
#include "exec/kernel/arrays.h"

#include <string.h>

typedef struct scheduler {
    const ct__tiles *tiles;
    ct__arena *arena;
    ct__kernel *kernel;
    const char *declined;
} scheduler;

static bool decline(scheduler *s, const char *reason)
{
    s->declined = reason;
    return false;
}

static bool comes_before(ct__stage a, ct__stage b)
{
    return a.group != b.group ? a.group < b.group : a.pass < b.pass;
}

static ct__stage later(ct__stage a, ct__stage b)
{
    return comes_before(a, b) ? b : a;
}

/* When a made value is there to be used. */
static ct__stage known_at(const ct__made *made)
{
    ct__stage stage = made->stage;
    if (made->role == CT__FOLDED)
        stage.pass++;
    if (made->role == CT__CALLED)
        stage = (ct__stage){stage.group + 1, 0};
    return stage;
}

/* ---- Who makes what is read. */

/* The instruction before `at` that wrote the register or result last; false where there is none. */
static bool find_maker(const scheduler *s, const source *read, size_t at, ct__link *link)
{
    for (size_t i = at; i-- > 0;) {
        const source *made = &s->tiles->instruction[i].result;
        if (made->place == read->place && made->index == read->index) {
            *link = (ct__link){CT__FROM_MADE, i};
            return true;
        }
    }
    return false;
}

static bool find_filling(const scheduler *s, const source *read, ct__link *link)
{
    for (size_t i = 0; i < s->tiles->n_fillings; i++)
        if (s->tiles->filling[i].at == read->index) {
            *link = (ct__link){CT__FROM_SCALAR, s->tiles->filling[i].input};
            return true;
        }
    return false;
}

static bool find_link(scheduler *s, size_t at, size_t k, ct__link *link)
{
    const source *read = &s->tiles->instruction[at].operand[k];
    if (read->place == IN_WHOLE || (read->place == IN_INPUT && read->is_repeated))
        *link = (ct__link){CT__FROM_SCALAR, read->index};
    else if (read->place == IN_INPUT)
        *link = (ct__link){CT__FROM_INPUT, read->index};
    else if (!find_maker(s, read, at, link) && !find_filling(s, read, link))
        return decline(s, "it reads what nothing made");
    return true;
}

/* ---- Roles. */

ct__expression ct__kernel_expression(const ct__tiles *t, const instruction *i)
{
    ct__expression e = {.op = i->op,
                        .attrs = i->attrs,
                        .plain_products = t->plain_products,
                        .n_operands = i->n_operands,
                        .dtype = result_dtype(i)};
    for (size_t k = 0; k < e.n_operands && k < 3; k++)
        e.operand_dtype[k] = i->types[k]->dtype;
    return e;
}

ct__expression ct__fold_expression(const instruction *i)
{
    const ct_dtype dtype = result_dtype(i);
    return (ct__expression){
        .op = i->fold, .n_operands = 2, .operand_dtype = {dtype, dtype}, .dtype = dtype};
}

/* Folds of floats, whose order is fixed, are functions of the prelude. */
static bool has_fold(const instruction *i)
{
    const ct__expression e = ct__fold_expression(i);
    return !ct__folds_in_any_order(i->fold, e.dtype) || ct__has_expression(&e);
}

static bool is_in_loop(const ct__made *made)
{
    return made->is_wide && (made->role == CT__COMPUTED || made->role == CT__LOADED);
}

static bool is_far(const ct__tiles *t, const instruction *i)
{
    if (i->kind != ON_ELEMENTS)
        return false;
    const ct__expression e = ct__kernel_expression(t, i);
    return ct__has_far(&e);
}

static bool has_far(const scheduler *s)
{
    for (size_t i = 0; i < s->tiles->n_instructions; i++)
        if (is_far(s->tiles, &s->tiles->instruction[i]))
            return true;
    return false;
}

/* A fold by one thread of all that the part computes, in any order; no loop is run twice. */
static bool is_total(const scheduler *s, const instruction *i, const ct__link *from)
{
    const ct__expression e = ct__fold_expression(i);
    const size_t all = s->tiles->rows * s->tiles->columns;
    return !s->tiles->threads && ct__folds_in_any_order(i->fold, e.dtype) &&
           ct__has_expression(&e) && i->running->fold.inner == 1 && i->running->fold.n == all &&
           from->origin == CT__FROM_MADE && s->kernel->made[from->index].is_wide &&
           is_in_loop(&s->kernel->made[from->index]) && !has_far(s);
}

static ct__role role_of(const scheduler *s, size_t at)
{
    const instruction *i = &s->tiles->instruction[at];
    switch (i->kind) {
    case FOLD_ROWS: return has_fold(i) ? CT__FOLDED : CT__CALLED;
    case FOLD_RUNNING:
        return is_total(s, i, &s->kernel->made[at].link[0]) ? CT__TOTALLED : CT__CALLED;
    case SPREAD:
    case LOAD: return CT__LOADED;
    case SPREAD_ROWS: return CT__COMPUTED;
    default: break;
    }
    const ct__expression e = ct__kernel_expression(s->tiles, i);
    return ct__has_expression(&e) ? CT__COMPUTED : CT__CALLED;
}

/* What is only read has the dtype of whoever uses it. */
static void find_dtypes(scheduler *s, size_t at)
{
    const instruction *i = &s->tiles->instruction[at];
    if (!i->types)
        return;
    s->kernel->made[at].dtype = result_dtype(i);
    for (size_t k = 0; k < i->n_operands; k++) {
        const ct__link *link = &s->kernel->made[at].link[k];
        if (link->origin == CT__FROM_MADE)
            s->kernel->made[link->index].dtype = i->types[k]->dtype;
    }
}

static bool make(scheduler *s, size_t at)
{
    const instruction *i = &s->tiles->instruction[at];
    ct__made *made = &s->kernel->made[at];
    made->is_wide = s->tiles->columns == 1 || i->result.columns > 1;
    made->link = CT__NEW_ARRAY(s->arena, ct__link, i->n_operands);
    if (!made->link)
        return false;
    for (size_t k = 0; k < i->n_operands; k++) {
        if (!find_link(s, at, k, &made->link[k]))
            return false;
        if (made->link[k].origin == CT__FROM_MADE)
            made->stage = later(made->stage, known_at(&s->kernel->made[made->link[k].index]));
    }
    made->role = role_of(s, at);
    find_dtypes(s, at);
    if (i->kind == FOLD_ROWS && made->link[0].origin == CT__FROM_SCALAR)
        return decline(s, "it folds rows of one element");
    if (made->role == CT__CALLED)
        s->kernel->has_tiles = true;
    if (known_at(made).group >= s->kernel->n_groups)
        s->kernel->n_groups = known_at(made).group + 1;
    return true;
}

/* ---- As late as possible: what is computed in the pass that uses it needs no memory. */

static void delay(scheduler *s)
{
    const size_t n = s->tiles->n_instructions;
    const ct__stage never = {UINT32_MAX, UINT32_MAX};
    ct__stage *used = CT__NEW_ARRAY(s->arena, ct__stage, n);
    for (size_t i = 0; used && i < n; i++)
        used[i] = never;
    for (size_t i = n; used && i-- > 0;) {
        ct__made *made = &s->kernel->made[i];
        const bool is_loop = made->role == CT__COMPUTED || made->role == CT__LOADED;
        if (is_loop && used[i].group == made->stage.group)
            made->stage = later(made->stage, used[i]);
        for (size_t k = 0; k < s->tiles->instruction[i].n_operands; k++)
            if (made->link[k].origin == CT__FROM_MADE &&
                comes_before(made->stage, used[made->link[k].index]))
                used[made->link[k].index] = made->stage;
    }
}

/* ---- Elements without rows whose folds, of all of them, run along: a row is a block of these. */

static bool is_float(ct_dtype dtype)
{
    return dtype == CT_F32 || dtype == CT_F64;
}

static bool is_fed(const scheduler *s, size_t i)
{
    const instruction *at = &s->tiles->instruction[i];
    const ct__made *made = &s->kernel->made[i];
    return at->kind == FOLD_RUNNING && is_float(made->dtype) && at->running->fold.inner == 1 &&
           at->running->fold.n == s->tiles->rows && made->link[0].origin == CT__FROM_MADE &&
           is_in_loop(&s->kernel->made[made->link[0].index]);
}

static bool may_feed(const scheduler *s)
{
    bool any = false;
    if (s->tiles->columns > 1 || s->tiles->rows % CT__ROW_BLOCK > 0 || has_far(s))
        return false;
    for (size_t i = 0; i < s->tiles->n_instructions; i++) {
        const ct__role role = s->kernel->made[i].role;
        if (role == CT__LOADED || role == CT__FOLDED || (role == CT__CALLED && !is_fed(s, i)))
            return false;
        any = any || role == CT__CALLED;
    }
    return any;
}

static void feed_blocks(scheduler *s)
{
    if (!may_feed(s))
        return;
    for (size_t i = 0; i < s->tiles->n_instructions; i++)
        if (s->kernel->made[i].role == CT__CALLED)
            s->kernel->made[i].role = CT__FED;
    s->kernel->has_tiles = false;
    s->kernel->columns = CT__ROW_BLOCK;
    s->kernel->rows = s->tiles->rows / CT__ROW_BLOCK;
}

/* ---- Loops through blocks of lanes, in which folds run along, and results go past the cache. */

/* Whether it is neither run twice nor in pieces. */
static bool may_be_blocked(const scheduler *s, ct__stage stage)
{
    const ct__kernel *kernel = s->kernel;
    if (kernel->columns <= CT__LANES || kernel->columns % CT__LANES > 0)
        return false;
    for (size_t i = 0; i < s->tiles->n_instructions; i++) {
        const instruction *at = &s->tiles->instruction[i];
        if (!is_in_loop(&kernel->made[i]) || !is_at(&kernel->made[i], stage))
            continue;
        if (is_far(s->tiles, at) || (at->spread && at->spread->is_partial))
            return false;
    }
    return true;
}

/* Of floats: their folds are in lanes. */
static bool may_run_along(const scheduler *s, size_t i)
{
    const ct__made *fold = &s->kernel->made[i];
    if (fold->role != CT__FOLDED || !is_float(fold->dtype) ||
        fold->link[0].origin != CT__FROM_MADE || s->kernel->columns > CT__ROW_BLOCK)
        return false;
    const ct__made *from = &s->kernel->made[fold->link[0].index];
    return is_in_loop(from) && from->is_blocked && is_at(from, fold->stage);
}

static void find_blocks(scheduler *s)
{
    for (size_t i = 0; i < s->tiles->n_instructions; i++) {
        ct__made *made = &s->kernel->made[i];
        made->is_blocked = is_in_loop(made) && may_be_blocked(s, made->stage);
        made->is_along = made->role == CT__FED || may_run_along(s, i);
    }
}

/* ---- What is computed again in a later pass, since that takes less than a store and a load: what
 * is read in rows, a value of the row, and a sum or product of one such row and such values. */

bool ct__reads_rows(const ct__kernel *kernel, size_t i)
{
    const index_map *m = kernel->tiles->instruction[i].spread;
    if (kernel->made[i].role != CT__LOADED || !kernel->made[i].is_wide)
        return false;
    return m->rank == 1 ||
           (kernel->columns > 0 && m->dim[m->rank - 1] % (int64_t)kernel->columns == 0);
}

static bool is_cheap(const instruction *i)
{
    switch (i->op) {
    case CT__OP_add:
    case CT__OP_subtract:
    case CT__OP_multiply:
    case CT__OP_negate: return is_float(result_dtype(i));
    default: return false;
    }
}

/* How many rows are read for it; SIZE_MAX where what it needs is not there any more. */
static size_t rows_again(const scheduler *s, size_t i)
{
    const ct__made *made = &s->kernel->made[i];
    size_t rows = 0;
    for (size_t k = 0; k < s->tiles->instruction[i].n_operands; k++) {
        const ct__link *link = &made->link[k];
        if (link->origin == CT__FROM_INPUT)
            rows++;
        if (link->origin != CT__FROM_MADE || !s->kernel->made[link->index].is_wide)
            continue;
        if (!s->kernel->made[link->index].is_again ||
            s->tiles->instruction[link->index].kind == ON_ELEMENTS)
            return SIZE_MAX;
        rows += s->kernel->made[link->index].role == CT__LOADED;
    }
    return rows;
}

static bool may_be_again(const scheduler *s, size_t i)
{
    const instruction *at = &s->tiles->instruction[i];
    if (s->kernel->columns == 0 || !is_in_loop(&s->kernel->made[i]))
        return false;
    if (s->kernel->made[i].role == CT__LOADED)
        return ct__reads_rows(s->kernel, i) && !at->spread->is_partial &&
               at->spread->stride[at->spread->rank - 1] == 1;
    return (at->kind == SPREAD_ROWS || (at->kind == ON_ELEMENTS && is_cheap(at))) &&
           rows_again(s, i) <= 1;
}

static uint32_t last_pass(const scheduler *s)
{
    uint32_t last = 0;
    for (size_t i = 0; i < s->tiles->n_instructions; i++)
        if (s->kernel->made[i].stage.pass > last)
            last = s->kernel->made[i].stage.pass;
    return last;
}

/* From the last instruction on, for what is computed again may use what is. */
static void find_passes(scheduler *s)
{
    for (size_t i = s->tiles->n_instructions; i-- > 0;) {
        ct__made *user = &s->kernel->made[i];
        if (!is_in_loop(user))
            continue;
        user->again |= (uint64_t)1 << user->stage.pass;
        for (size_t k = 0; k < s->tiles->instruction[i].n_operands; k++) {
            const ct__link *link = &user->link[k];
            ct__made *made = link->origin == CT__FROM_MADE ? &s->kernel->made[link->index] : NULL;
            if (made && made->is_again && made->stage.group == user->stage.group)
                made->again |= user->again;
        }
    }
}

static void find_again(scheduler *s)
{
    if (last_pass(s) >= 64)
        return;
    for (size_t i = 0; i < s->tiles->n_instructions; i++)
        s->kernel->made[i].is_again = may_be_again(s, i);
    find_passes(s);
}

/* ---- What is kept. */

static void note_use(scheduler *s, const ct__made *user, size_t index)
{
    ct__made *made = &s->kernel->made[index];
    if (user->role == CT__CALLED || user->stage.group > made->stage.group ||
        made->role == CT__CALLED)
        made->is_kept_tile = true;
    else if (made->is_wide && user->role == CT__FOLDED)
        made->is_kept = made->is_kept || !user->is_along;
    else if (made->is_wide && comes_before(made->stage, user->stage))
        made->is_kept = made->is_kept || !made->is_again;
}

static size_t room_of(const scheduler *s, size_t index)
{
    const ct__made *made = &s->kernel->made[index];
    const source *result = &s->tiles->instruction[index].result;
    const size_t rows = made->is_kept_tile ? s->tiles->tile : 1;
    const size_t bytes = rows * result->columns * result->bytes;
    return (bytes + CT__ALIGN - 1) / CT__ALIGN * CT__ALIGN;
}

/* Results are read where they are. */
static void keep(scheduler *s)
{
    for (size_t i = 0; i < s->tiles->n_instructions; i++) {
        const instruction *at = &s->tiles->instruction[i];
        for (size_t k = 0; k < at->n_operands; k++) {
            const ct__link *link = &s->kernel->made[i].link[k];
            if (link->origin == CT__FROM_MADE)
                note_use(s, &s->kernel->made[i], link->index);
            if (s->kernel->made[i].role == CT__CALLED && link->origin == CT__FROM_SCALAR &&
                at->operand[k].place == IN_REGISTER)
                s->kernel->has_beginning = true;
        }
        if (s->kernel->made[i].role == CT__CALLED && at->kind != FOLD_RUNNING)
            s->kernel->made[i].is_kept_tile = true;
    }
    for (size_t i = 0; i < s->tiles->n_instructions; i++) {
        ct__made *made = &s->kernel->made[i];
        if (s->tiles->instruction[i].result.place == IN_RESULT)
            made->is_kept = made->is_kept_tile = false;
        if (!made->is_kept && !made->is_kept_tile)
            continue;
        made->kept_at = s->kernel->scratch_bytes;
        s->kernel->scratch_bytes += room_of(s, i);
    }
}

/* ---- Rows. */

enum { LEAST_COLUMNS = 4 };

/* Elements without rows get some from the maps at which inputs are read: each row then is at a
 * place that is found once. */
static void choose_rows(scheduler *s)
{
    ct__kernel *kernel = s->kernel;
    size_t columns = 0;
    kernel->rows = s->tiles->rows;
    kernel->columns = s->tiles->columns > 1 ? s->tiles->columns : 0;
    if (kernel->columns > 0 || kernel->has_tiles)
        return;
    for (size_t i = 0; i < s->tiles->n_instructions; i++) {
        const index_map *m = s->tiles->instruction[i].spread;
        if (kernel->made[i].role == CT__LOADED && m->rank > 1)
            columns = ct__common_divisor((size_t)m->dim[m->rank - 1], columns);
    }
    if (columns >= LEAST_COLUMNS) {
        kernel->columns = columns;
        kernel->rows /= columns;
    } else {
        kernel->has_tiles = has_far(s);
    }
}

/* ---- Results that are too large for the cache. Writing past it does not read what is overwritten,
 * which takes a third less time where memory is what a kernel waits for. Where it computes
 * exponentials it does not, and it was slower. */

enum { LEAST_STREAMED = 16 << 20, MOST_STREAMED_ROW = 64 << 10 }; /* bytes */

/* In the loop that makes it, or from what is computed again. */
static bool uses_at_once(const ct__made *made, const ct__made *user)
{
    switch (user->role) {
    case CT__COMPUTED:
        return user->stage.group == made->stage.group &&
               (user->stage.pass == made->stage.pass || made->is_again);
    case CT__FOLDED: return user->is_along;
    default: return user->role == CT__TOTALLED || user->role == CT__FED;
    }
}

static bool is_read(const scheduler *s, size_t index)
{
    const ct__made *made = &s->kernel->made[index];
    for (size_t i = index + 1; i < s->tiles->n_instructions; i++) {
        const ct__made *user = &s->kernel->made[i];
        const bool is_here = uses_at_once(made, user);
        for (size_t k = 0; k < s->tiles->instruction[i].n_operands; k++)
            if (user->link[k].origin == CT__FROM_MADE && user->link[k].index == index && !is_here)
                return true;
    }
    return false;
}

static bool waits_for_memory(const scheduler *s)
{
    for (size_t i = 0; i < s->tiles->n_instructions; i++)
        if (s->kernel->made[i].is_wide && s->tiles->instruction[i].kind == ON_ELEMENTS &&
            ct__is_elementary(s->tiles->instruction[i].op))
            return false;
    return true;
}

static void stream_results(scheduler *s)
{
    ct__kernel *kernel = s->kernel;
    if (!waits_for_memory(s))
        return;
    for (size_t i = 0; i < s->tiles->n_instructions; i++) {
        const source *result = &s->tiles->instruction[i].result;
        ct__made *made = &kernel->made[i];
        const size_t columns = kernel->columns > 0 ? kernel->columns : s->tiles->tile;
        const size_t all = s->tiles->rows * s->tiles->columns;
        if (result->place != IN_RESULT || !made->is_wide || made->role != CT__COMPUTED ||
            all < LEAST_STREAMED / result->bytes || columns > MOST_STREAMED_ROW / result->bytes ||
            is_read(s, i))
            continue;
        made->is_streamed = kernel->streams = true;
        if (made->is_blocked)
            continue;
        kernel->has_tiles = kernel->has_tiles || kernel->columns == 0;
        made->kept_at = kernel->scratch_bytes;
        kernel->scratch_bytes += (columns * result->bytes + CT__ALIGN - 1) / CT__ALIGN * CT__ALIGN;
    }
}

/* ---- Inputs that are too large for the cache, read row by row. Where results are not streamed,
 * what they overwrite is read as well, and reading more at a time was slower. */

enum { LEAST_AHEAD = 4 << 20 }; /* bytes */

static bool reads_ahead(const scheduler *s)
{
    for (size_t i = 0; s->kernel->streams && i < s->tiles->n_instructions; i++)
        for (size_t k = 0; k < s->tiles->instruction[i].n_operands; k++) {
            const source *x = &s->tiles->instruction[i].operand[k];
            if (s->kernel->made[i].is_blocked &&
                s->kernel->made[i].link[k].origin == CT__FROM_INPUT && x->columns > 1 &&
                s->tiles->rows * x->columns >= LEAST_AHEAD / x->bytes)
                return true;
        }
    return false;
}

/* Rows of one element, in parts of whole cache lines. */
enum { LINE_OF_BYTES = 64 };

static size_t unit_of(const ct__kernel *kernel)
{
    const ct__tiles *tiles = kernel->tiles;
    if (!tiles->threads)
        return 0;
    if (tiles->n_running > 0)
        return tiles->unit / (tiles->rows / kernel->rows);
    return kernel->has_tiles ? kernel->tiles->tile : kernel->columns > 0 ? 1 : LINE_OF_BYTES;
}

const ct__kernel *ct__kernel_new(const ct__tiles *tiles, ct__arena *arena, const char **declined)
{
    scheduler s = {.tiles = tiles, .arena = arena, .kernel = CT__NEW(arena, ct__kernel)};
    *declined = NULL;
    if (!s.kernel)
        return NULL;
    *s.kernel = (ct__kernel){.tiles = tiles,
                             .n_groups = 1,
                             .has_beginning = tiles->n_running > 0,
                             .scratch_bytes = tiles->scratch_bytes};
    s.kernel->made = CT__NEW_ARRAY(arena, ct__made, tiles->n_instructions);
    for (size_t i = 0; s.kernel->made && i < tiles->n_instructions; i++)
        if (!make(&s, i)) {
            *declined = s.declined;
            return NULL;
        }
    if (!s.kernel->made)
        return NULL;
    delay(&s);
    choose_rows(&s);
    feed_blocks(&s);
    find_blocks(&s);
    find_again(&s);
    keep(&s);
    stream_results(&s);
    s.kernel->unit = unit_of(s.kernel);
    s.kernel->reads_ahead = reads_ahead(&s);
    return arena->failed ? NULL : s.kernel;
}
