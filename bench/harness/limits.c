#include "limits.h"

#include "../bench.h"
#include "move.h"
#include "multiply_add.h"

#include <stdlib.h>

enum { TRIES = 5, BLOCK = 32 << 20 };

/* The shortest time of some tries, after one to warm up. */
static double shortest(bool (*f)(void *), void *user)
{
    double least = 0;
    f(user);
    for (int i = 0; i < TRIES; i++) {
        const double began = now();
        f(user);
        const double time = now() - began;
        least = i == 0 || time < least ? time : least;
    }
    return least;
}

static double copy_rate(blocks *b)
{
    bool (*const ways[])(void *) = {copy_blocks, copy_through_cache, copy_past_cache};
    double best = 0;
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        const double rate = 2 * (double)b->bytes / shortest(ways[i], b);
        best = rate > best ? rate : best;
    }
    return best;
}

static double flop_rate(void)
{
    const instruction_set *set;
    double best = 0;
    for (unsigned i = 0; (set = instruction_set_at(i)); i++) {
        const double rate = set->is_here() ? set->flops / shortest(set->run, NULL) : 0;
        best = rate > best ? rate : best;
    }
    return best;
}

bool find_limits(machine_limits *limits)
{
    unsigned char *memory = aligned_alloc(64, 2 * (size_t)BLOCK);
    if (!memory)
        return false;
    memset(memory, 1, 2 * (size_t)BLOCK);
    blocks b = {memory, memory + BLOCK, BLOCK};
    *limits = (machine_limits){copy_rate(&b), flop_rate()};
    free(memory);
    return true;
}

double least_seconds(const machine_limits *limits, uint64_t bytes, uint64_t flops)
{
    const double moving = (double)bytes / limits->copy, counting = (double)flops / limits->flops;
    return moving > counting ? moving : counting;
}
