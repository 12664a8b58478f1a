/* The choices that a random program is made of: a list of small numbers, drawn at random and noted,
 * or given and read again. What reads the list makes a program of every list, and of smaller
 * numbers, and of fewer, a simpler program; so a failing list is made shorter without knowing what
 * it means. Behind its end there are zeros. */
#ifndef CT_TESTS_FUZZ_CHOICES_H
#define CT_TESTS_FUZZ_CHOICES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MOST_CHOICES = 1 << 14, MOST_SPANS = 1 << 12 };

/* Choices that belong together: an operation, an operand, an input. */
typedef struct span {
    size_t begin, end;
} span;

typedef struct choices {
    bool is_given;
    uint64_t random; /* state, where they are not */
    size_t count;    /* noted so far */
    uint32_t item[MOST_CHOICES];
    size_t n_given;
    uint32_t given[MOST_CHOICES];
    size_t n_spans;
    span span[MOST_SPANS];
} choices;

/* Those of program `index` of a seed. */
void choices_seed(choices *c, uint64_t seed, uint64_t index);
void choices_give(choices *c, size_t count, const uint32_t *item);

/* A number in [0, below); below is at least 1. */
uint32_t choose(choices *c, uint32_t below);
/* Once in so many times; a list of zeros says no. */
bool seldom(choices *c, uint32_t times);
/* A number in [low, high], the simplest being low. */
int64_t choose_from(choices *c, int64_t low, int64_t high);

size_t span_begin(choices *c);
void span_end(choices *c, size_t which);

/* The next of a sequence of well mixed numbers (splitmix64). */
uint64_t mixed(uint64_t *state);

#endif
