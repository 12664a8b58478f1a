/* Programs that are run in every way, whose results must be the same bits.
 *
 *   main.c      which files, which ways        ways.c     the ways, and comparing them
 *   subject.c   the programs that a file has   collect.c  what its checks look at */
#ifndef CT_TESTS_EQUAL_H
#define CT_TESTS_EQUAL_H

#include <cotangent/cotangent.h>

/* ---- What a program shows without returning it: the operands of its checks. */

typedef struct collector {
    size_t count, capacity;
    struct seen {
        ct_dtype dtype;
        int64_t size;
        void *data;
    } * item;
    bool failed; /* out of memory */
} collector;

/* From now on the checks of the context's programs note their operands and pass. */
void collect(ct_context *ctx, collector *c);
void forget(collector *c); /* all that was noted */

/* ---- Programs. */

typedef struct subject {
    ct_context *ctx;
    const char *file;
    const char *part; /* "main", "vjp" and so on */
    ct_function *f;
    ct_list arguments;
    collector *seen;
} subject;

/* What becomes of each: false ends the search. */
typedef bool visit_subject(const subject *s, void *user);

/* The programs of a StableHLO file: its @main, and where it has inputs and more, what transforms
 * make of it. False after saying that it cannot be read, or when a visit was false. Those that are
 * wrong on purpose are passed over. */
bool visit_file(const char *path, visit_subject *visit, void *user);

/* The benchmarks' programs whose number is `first` and every `step`-th after it. */
bool visit_workloads(size_t first, size_t step, visit_subject *visit, void *user);

/* ---- Ways. */

typedef enum amount {
    ALL,   /* each pass off, and 2, 3 and 8 threads */
    USUAL, /* each pass off, compiled C with all passes on and off only */
    SOME,  /* compiled C so, the tile machine with 2, 3 and 8 threads */
    TILES  /* the tile machine with each pass off */
} amount;

typedef struct tally {
    size_t programs, runs, skipped, different;
} tally;

/* Runs it in every way, each time twice, and says on stdout what differs from the interpreter in
 * machine numerics. */
void compare_ways(const subject *s, amount how_many, tally *t);
size_t count_ways(amount how_many);

#endif
