#include "tests/fuzz/programs/session.h"

#include "tests/fuzz/fuzz.h"

#include <stdio.h>

program_style style_of(const settings *s, uint64_t index)
{
    static const program_style turn[] = {STYLE_ANY, STYLE_ANY, STYLE_SMOOTH, STYLE_ANY,
                                         STYLE_LINEAR};

    return s->style >= 0 ? (program_style)s->style : turn[index % (sizeof turn / sizeof *turn)];
}

/* ---- One mode. */

static void note(mode_counts *counts, size_t mode, verdict v)
{
    if (!counts)
        return;
    if (v == SKIPPED)
        counts->skipped[mode]++;
    else
        counts->made[mode]++;
}

static void compare(const program *p, size_t mode, trial *t)
{
    ct_scope scope = ct_scope_begin(p->ctx);

    t->mode = mode;
    t->verdict = compare_by(&modes[mode], p, t->why);
    ct_error_clear(p->ctx);
    ct_scope_end(scope);
}

/* One mode alone is always made; which turn it is the number of choices says, for shrinking knows
 * no number of the program. */
static bool is_made(size_t mode, program_style style, uint64_t chosen, size_t turn)
{
    return (chosen >> mode & 1) && (modes[mode].styles >> style & 1) &&
           (modes[mode].every <= 1 || chosen == (uint64_t)1 << mode ||
            turn % modes[mode].every == 0);
}

static void compare_all(const program *p, program_style style, uint64_t chosen, size_t turn,
                        mode_counts *counts, trial *t)
{
    for (size_t i = 0; i < n_modes && t->verdict != DIFFERENT; i++)
        if (is_made(i, style, chosen, turn)) {
            compare(p, i, t);
            note(counts, i, t->verdict);
        }
}

/* ---- One program. */

void try_choices(choices *c, program_style style, uint64_t chosen, mode_counts *counts, trial *t)
{
    static op_tally unused;
    fuzz_meter meter = {0, 0};
    ct_context *ctx = fuzz_context(&meter);
    program p;

    *t = (trial){.verdict = SAME};
    if (generate(ctx, c, style, counts ? &counts->tally : &unused, &p))
        compare_all(&p, style, chosen, c->count, counts, t);
    else if (counts)
        counts->failed++;
    if (counts) {
        counts->programs++;
        counts->operations += ct_function_operations(p.f);
        if (p.f->graph)
            tally_graph(p.f->graph, &counts->tally);
    }
    fuzz_end(ctx, &meter);
}

bool with_program(choices *c, program_style style, void (*use)(program *p, void *user), void *user)
{
    static op_tally unused;
    fuzz_meter meter = {0, 0};
    ct_context *ctx = fuzz_context(&meter);
    program p;
    const bool fine = generate(ctx, c, style, &unused, &p);

    if (fine)
        use(&p, user);
    fuzz_end(ctx, &meter);
    return fine;
}
