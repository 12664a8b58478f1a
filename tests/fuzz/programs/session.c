#include "tests/fuzz/programs/session.h"

#include "tests/fuzz/programs/show.h"

#include <cotangent/module.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

bool choose_modes(const char *names, uint64_t *chosen)
{
    *chosen = 0;
    while (*names) {
        const size_t length = strcspn(names, ",");
        size_t i = 0;
        while (i < n_modes &&
               (strlen(modes[i].name) != length || strncmp(modes[i].name, names, length) != 0))
            i++;
        if (i == n_modes)
            return false;
        *chosen |= (uint64_t)1 << i;
        names += length + (names[length] == ',');
    }
    return true;
}

/* ---- Batches. */

enum { BATCH = 500 };

typedef struct batch {
    const settings *s;
    time_t end;          /* 0: none */
    uint64_t next, last; /* next: under way, or to begin with */
    mode_counts counts;
    finding finding;
} batch;

static bool is_over(const batch *b)
{
    return b->next >= b->last || (b->end != 0 && time(NULL) >= b->end);
}

/* Until one differs. */
static bool work(void *user)
{
    batch *b = user;

    for (const uint64_t stop = b->next + BATCH; b->next < stop && !is_over(b); b->next++) {
        limit_time(TRIAL_SECONDS);
        b->finding.style = style_of(b->s, b->next);
        choices_seed(&b->finding.c, b->s->seed, b->next);
        try_choices(&b->finding.c, b->finding.style, b->s->modes, &b->counts, &b->finding.trial);
        if (b->finding.trial.verdict == DIFFERENT)
            return true;
    }
    return false;
}

/* ---- Groups: those that a compiler sees together. */

typedef struct compiling {
    const settings *s;
    uint64_t first;
    size_t n;
    const way *w;
    const char *passes_off;
    char why[WHY_BYTES];
} compiling;

static bool compile_group(void *user)
{
    compiling *g = user;

    return !try_group(g->s, g->first, g->n, g->w, g->passes_off, g->why);
}

static const way *way_of(const char *name)
{
    size_t i = 0;

    while (strcmp(modes[i].name, name) != 0)
        i++;
    return &modes[i];
}

/* Each of a group that fails, alone: those that fail are shown. */
static int search_group(batch *b, const compiling *g)
{
    settings one = *b->s;
    int found = 0;

    one.modes = (uint64_t)1 << (g->w - modes);
    one.group = 0;
    one.is_search = true;
    for (uint64_t i = 0; i < g->n && found == 0; i++) {
        one.first = g->first + i;
        one.count = 1;
        found = session(&one);
    }
    if (found == 0)
        printf("programs %" PRIu64 " to %" PRIu64 " differ together%s%s: %s\n", g->first,
               g->first + g->n - 1, g->passes_off ? ", without " : "",
               g->passes_off ? g->passes_off : "", g->why);
    return 1;
}

enum { GROUP_SECONDS = 600 };

static int go_on_with_groups(batch *b)
{
    static const char *const names[] = {"jit", "jit-vjp"};
    compiling *g = child_memory(sizeof *g);
    int found = 0;

    for (uint64_t at = b->s->first; at < b->next; at += b->s->group)
        for (size_t i = 0; i < 2 && (found == 0 || b->s->keep_going); i++) {
            const uint64_t left = b->next - at, turn = at / b->s->group;
            *g = (compiling){.s = b->s,
                             .first = at,
                             .n = (size_t)(left < b->s->group ? left : b->s->group),
                             .w = way_of(names[i]),
                             .passes_off = turn % 2 ? ct_pass_name(turn / 2 % 12, NULL) : NULL};
            if (in_child(compile_group, g, GROUP_SECONDS) != ENDED)
                found += search_group(b, g);
            b->counts.compiled += g->n;
        }
    return found;
}

/* ---- Reports. */

static void show_counts(const mode_counts *c, bool verbose)
{
    printf("%" PRIu64 " programs of %" PRIu64 " operations", c->programs, c->operations);
    if (c->failed > 0)
        printf(", %" PRIu64 " could not be made", c->failed);
    printf("\n");
    if (c->compiled > 0)
        printf("%-16s %8" PRIu64 " in groups\n", "compiled C", c->compiled);
    for (size_t i = 0; i < n_modes; i++)
        if (c->made[i] + c->skipped[i] > 0)
            printf("%-16s %8" PRIu64 " compared %8" PRIu64 " skipped\n", modes[i].name, c->made[i],
                   c->skipped[i]);
    for (int op = 0; verbose && op < CT__OP_COUNT; op++)
        printf("%-28s %8" PRIu64 " made %8" PRIu64 " refused\n", ct__op_describe((ct__op)op)->name,
               c->tally.made[op], c->tally.refused[op]);
}

typedef struct preparing {
    const way *w;
    const program *p;
} preparing;

/* In a child, for it may crash. */
static bool cannot_prepare(void *user)
{
    const preparing *q = user;
    char why[WHY_BYTES];
    program prepared;

    return q->w->prepare(q->p, &prepared, why) != SAME;
}

static void show_all(program *p, void *user)
{
    finding *f = user;
    way w = modes[f->trial.mode];
    preparing q = {&w, p};
    program prepared;
    char why[WHY_BYTES] = "";

    if (w.prepare && in_child(cannot_prepare, &q, TRIAL_SECONDS) == ENDED &&
        w.prepare(p, &prepared, why) == SAME) {
        printf("\nof\n%s\n", ct_stablehlo_text(p->f, CT_WRITE_PRETTY));
        w.prepare = NULL;
        *p = prepared;
    }
    reduce_program(p, &w, f->how, why);
    printf("%s: %s\n", w.name, why);
    show_text(stdout, p);
    show_inputs(stdout, p);
    show_code(stdout, p);
}

static bool show_finding(void *user)
{
    finding *f = user;

    choices_give(&f->c, f->c.count, f->c.item);
    with_program(&f->c, f->style, show_all, f);
    return false;
}

static void report(const batch *b, finding *f)
{
    static const char *const how[] = {"ends", "differs", "crashes", "hangs"};

    printf("\nseed %" PRIu64 " program %" PRIu64 ": %s %s: %s\n", b->s->seed, b->next,
           modes[f->trial.mode].name, how[f->how], f->trial.why);
    quieten_children(true);
    if (!b->s->no_shrink) {
        shrink(f);
        printf("shrunk: %s\n", f->trial.why);
    }
    if (in_child(show_finding, f, 600) != ENDED)
        printf("(it could not be shown)\n");
    quieten_children(false);
}

/* ---- The session. */

static int go_on(batch *b)
{
    int found = 0;

    while (!is_over(b) && (found == 0 || b->s->keep_going)) {
        b->finding.how = in_child(work, b, 0);
        if (b->finding.how != ENDED) {
            report(b, &b->finding);
            b->next++;
            found++;
        }
    }
    return found;
}

/* A program to be written: FOLDER/NUMBER.mlir, and .npz with its inputs in0, in1, … and its results
 * out0, out1, … in reference numerics. */
typedef struct writing {
    const settings *s;
    uint64_t number;
} writing;

static void show_program(program *p, void *user)
{
    const settings *s = ((const writing *)user)->s;

    show_text(stdout, p);
    show_inputs(stdout, p);
    if (s->verbose)
        show_code(stdout, p);
}

static void write_program(program *p, void *user)
{
    const writing *w = user;
    char path[512], name[MOST_INPUTS + MOST_RESULTS][8];
    const char *names[MOST_INPUTS + MOST_RESULTS];
    ct_tensor *all[MOST_INPUTS + MOST_RESULTS];
    outcome o;
    size_t n = 0;

    run(p->f, (ct_list){p->n_inputs, p->input}, CT_EXECUTOR_INTERPRETER, &o);
    if (o.status != CT_OK)
        return;
    for (size_t i = 0; i < p->n_inputs + o.n; i++, n++) {
        const bool is_input = i < p->n_inputs;
        all[n] = is_input ? p->input[i] : o.y[i - p->n_inputs];
        snprintf(name[n], sizeof name[n], "%s%zu", is_input ? "in" : "out",
                 is_input ? i : i - p->n_inputs);
        names[n] = name[n];
    }
    snprintf(path, sizeof path, "%s/%" PRIu64 ".mlir", w->s->folder, w->number);
    ct_write_stablehlo(p->f, path, CT_WRITE_PRETTY);
    snprintf(path, sizeof path, "%s/%" PRIu64 ".npz", w->s->folder, w->number);
    ct_write_npz(p->ctx, path, names, ((ct_list){n, all}));
    if (ct_failed(p->ctx))
        fprintf(stderr, "%s\n", ct_error_message(p->ctx));
    ct_error_clear(p->ctx);
}

/* Show them, or write them. */
static void use_programs(const settings *s)
{
    static choices c;

    for (uint64_t i = s->first; i < s->first + s->count; i++) {
        writing w = {s, i};
        choices_seed(&c, s->seed, i);
        with_program(&c, style_of(s, i), s->folder ? write_program : show_program, &w);
    }
}

static void tally_program(program *p, void *user)
{
    tally_graph(p->f->graph, user);
}

static int cover(const settings *s)
{
    static choices c;
    static op_tally tally;

    for (uint64_t i = s->first; i < s->first + s->count; i++) {
        choices_seed(&c, s->seed, i);
        with_program(&c, style_of(s, i), tally_program, &tally);
    }
    return !show_coverage(&tally);
}

int session(const settings *s)
{
    batch *b = child_memory(sizeof *b);

    if (s->coverage)
        return cover(s);
    if (s->show || s->folder) {
        use_programs(s);
        return 0;
    }
    *b = (batch){.s = s,
                 .end = s->seconds > 0 ? time(NULL) + (time_t)s->seconds : 0,
                 .next = s->first,
                 .last = s->first + s->count};
    int found = go_on(b);
    if (s->group > 0 && (found == 0 || s->keep_going))
        found += go_on_with_groups(b);
    if (!s->is_search || found > 0)
        show_counts(&b->counts, s->verbose);
    if (found > 0)
        printf("%d found\n", found);
    return found > 0;
}
