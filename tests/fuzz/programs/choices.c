#include "tests/fuzz/programs/choices.h"

#include <string.h>

uint64_t mixed(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15;

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

static void begin(choices *c, bool is_given)
{
    c->is_given = is_given;
    c->count = c->n_given = c->n_spans = 0;
}

void choices_seed(choices *c, uint64_t seed, uint64_t index)
{
    uint64_t state = seed;

    begin(c, false);
    c->random = mixed(&state) ^ index;
    c->random = mixed(&c->random);
}

void choices_give(choices *c, size_t count, const uint32_t *item)
{
    begin(c, true);
    c->n_given = count;
    if (count > 0)
        memmove(c->given, item, count * sizeof *item);
}

/* A given number that is too large stands for the largest; what is noted is what was meant. */
uint32_t choose(choices *c, uint32_t below)
{
    uint32_t x = 0;

    if (c->count == MOST_CHOICES)
        return 0;
    if (!c->is_given)
        x = (uint32_t)(mixed(&c->random) % below);
    else if (c->count < c->n_given)
        x = c->given[c->count];
    x = x < below ? x : below - 1;
    c->item[c->count++] = x;
    return x;
}

bool seldom(choices *c, uint32_t times)
{
    return choose(c, times) == times - 1;
}

int64_t choose_from(choices *c, int64_t low, int64_t high)
{
    return low + (int64_t)choose(c, (uint32_t)(high - low) + 1);
}

size_t span_begin(choices *c)
{
    if (c->n_spans == MOST_SPANS)
        return MOST_SPANS;
    c->span[c->n_spans] = (span){c->count, c->count};
    return c->n_spans++;
}

void span_end(choices *c, size_t which)
{
    if (which < MOST_SPANS)
        c->span[which].end = c->count;
}
