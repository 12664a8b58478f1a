/* Making a failing list of choices shorter and smaller: by leaving out what belongs together, then
 * neighbours, and by lowering numbers. */
#include "tests/fuzz/programs/session.h"

#include <string.h>
#include <time.h>

typedef struct shrinking {
    finding *f;   /* the candidate, in shared memory */
    finding best; /* what failed last */
    time_t end;
    bool progress;
} shrinking;

static bool attempt(void *user)
{
    finding *f = user;

    try_choices(&f->c, f->style, (uint64_t)1 << f->trial.mode, NULL, &f->trial);
    return f->trial.verdict == DIFFERENT;
}

/* Shorter, or as long and earlier in the order of lists. */
static bool is_simpler(const choices *a, const choices *b)
{
    if (a->count != b->count)
        return a->count < b->count;
    for (size_t i = 0; i < a->count; i++)
        if (a->item[i] != b->item[i])
            return a->item[i] < b->item[i];
    return false;
}

static bool try_list(shrinking *s, size_t count, const uint32_t *item)
{
    const size_t mode = s->best.trial.mode;

    if (time(NULL) >= s->end)
        return false;
    choices_give(&s->f->c, count, item);
    s->f->trial.mode = mode;
    if (in_child(attempt, s->f, TRIAL_SECONDS) != s->best.how || !is_simpler(&s->f->c, &s->best.c))
        return false;
    s->f->trial.mode = mode;
    s->best.c = s->f->c;
    s->best.trial = s->f->trial;
    return s->progress = true;
}

/* ---- Leaving out. */

static bool without(shrinking *s, size_t begin, size_t end)
{
    static uint32_t item[MOST_CHOICES];
    const choices *c = &s->best.c;

    if (end > c->count)
        end = c->count;
    if (begin >= end)
        return false;
    memcpy(item, c->item, begin * sizeof *item);
    memcpy(item + begin, c->item + end, (c->count - end) * sizeof *item);
    return try_list(s, c->count - (end - begin), item);
}

static void drop_spans(shrinking *s)
{
    for (size_t i = 0; i < s->best.c.n_spans;)
        if (!without(s, s->best.c.span[i].begin, s->best.c.span[i].end))
            i++;
}

static void drop_neighbours(shrinking *s)
{
    for (size_t size = 16; size > 0; size /= 2)
        for (size_t at = s->best.c.count; at > 0;) {
            const size_t begin = at > size ? at - size : 0;
            if (!without(s, begin, at) || at > s->best.c.count)
                at = begin < s->best.c.count ? begin : s->best.c.count;
        }
}

/* ---- Lowering. */

static bool with(shrinking *s, size_t at, uint32_t x)
{
    static uint32_t item[MOST_CHOICES];

    memcpy(item, s->best.c.item, s->best.c.count * sizeof *item);
    item[at] = x;
    return try_list(s, s->best.c.count, item);
}

static void lower(shrinking *s)
{
    for (size_t i = 0; i < s->best.c.count; i++) {
        if (s->best.c.item[i] == 0 || with(s, i, 0))
            continue;
        for (uint32_t step = s->best.c.item[i] / 2; step > 0; step /= 2)
            while (i < s->best.c.count && s->best.c.item[i] > step &&
                   with(s, i, s->best.c.item[i] - step))
                ;
    }
}

void shrink(finding *f)
{
    static shrinking s;

    s = (shrinking){.f = f, .best = *f, .end = time(NULL) + SHRINK_SECONDS};
    do {
        s.progress = false;
        drop_spans(&s);
        drop_neighbours(&s);
        lower(&s);
    } while (s.progress && time(NULL) < s.end);
    *f = s.best;
}
