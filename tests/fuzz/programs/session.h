/* A run of the fuzzer: programs one after another, each in a context of its own, many of them in a
 * child process, so that a crash or a hang is a finding like others. */
#ifndef CT_TESTS_FUZZ_SESSION_H
#define CT_TESTS_FUZZ_SESSION_H

#include "tests/fuzz/programs/modes.h"

typedef struct settings {
    uint64_t seed, first, count, seconds; /* seconds 0: no limit */
    uint64_t modes;                       /* bit for each */
    int style;                            /* -1: all in turn */
    uint64_t group;                       /* compiled together, 0: none */
    const char *folder;                   /* to write programs to instead; NULL: none */
    bool no_shrink, show, coverage, verbose, keep_going;
    bool is_search; /* says nothing where it finds nothing */
} settings;

/* "cpu,pretty"; false for a name that is none. */
bool choose_modes(const char *names, uint64_t *chosen);

/* 0: no difference; 1 after showing one. */
int session(const settings *s);

/* ---- One program, in this process: trial.c. */

typedef struct trial {
    verdict verdict;
    size_t mode; /* of the difference */
    char why[WHY_BYTES];
} trial;

/* What came of modes: comparisons made and skipped. */
typedef struct mode_counts {
    uint64_t programs, operations, failed; /* failed: no program was made */
    uint64_t made[64], skipped[64], compiled;
    op_tally tally;
} mode_counts;

/* Makes the program of the choices and compares, until a mode differs. counts may be NULL. */
void try_choices(choices *c, program_style style, uint64_t chosen, mode_counts *counts, trial *t);
/* Hands the program of the choices to `use`; false when there is none. */
bool with_program(choices *c, program_style style, void (*use)(program *p, void *user), void *user);

/* The style of program `index`. */
program_style style_of(const settings *s, uint64_t index);

/* ---- Many programs as one: group.c. */

/* Compiles n programs together, without some passes, and compares each with what it gives alone;
 * false, and why, when one differs. w: what they are prepared to be. */
bool try_group(const settings *s, uint64_t first, size_t n, const way *w, const char *passes_off,
               char why[WHY_BYTES]);

/* ---- In a child process: child.c. */

typedef enum ending {
    ENDED,
    DIFFERED,
    CRASHED, /* by a signal, an assertion, a sanitizer */
    HUNG
} ending;

/* This process ends after so many seconds, as one that hangs. 0: never. */
void limit_time(unsigned seconds);
/* Calls work(user) in a child, which is to say whether it found a difference. */
ending in_child(bool (*work)(void *user), void *user, unsigned seconds);
/* Whether what children say on stderr, of crashes that are tried again and again, is left out. */
void quieten_children(bool quietly);
/* Memory that children share with this process. */
void *child_memory(size_t bytes);

/* ---- Shrinking: shrink.c. */

enum { TRIAL_SECONDS = 20, SHRINK_SECONDS = 120 };

/* A program that fails: what its choices are, which mode differs or crashes. */
typedef struct finding {
    choices c;
    program_style style;
    trial trial; /* its mode */
    ending how;
} finding;

/* Makes the choices simpler as long as it fails in the same way. The finding is shared memory. */
void shrink(finding *f);

/* ---- Simplifying the program itself: reduce.c. */

/* Takes operations away and makes inputs simple as long as the comparison ends in the same way. */
void reduce_program(program *p, const way *w, ending how, char why[WHY_BYTES]);

#endif
