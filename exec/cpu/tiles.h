/* What a part does, between make_tiles.c, which makes it, and tiles.c, which runs it. */
#ifndef CT_EXEC_TILES_H
#define CT_EXEC_TILES_H

#include "exec/cpu/cpu.h"
#include "exec/kernel/running_fold.h"

/* Instructions on registers of as many elements as a tile has. A tile is some rows of the part's
 * values; values of one element per row have one column. Without folds every value has one column,
 * and a row is an element. */

typedef enum place {
    IN_INPUT,    /* the tile's rows of an input */
    IN_WHOLE,    /* an input that is the same for all tiles: one element, or what is broadcast */
    IN_RESULT,   /* the tile's rows of a result */
    IN_ALL,      /* a result, all of it */
    IN_REGISTER, /* in the scratch */
} place;

typedef struct source {
    place place;
    bool is_repeated; /* an input of one element that stands for all */
    size_t index;     /* of the input or result, or where the register is */
    size_t bytes;     /* of an element */
    size_t columns;
} source;

/* The elements of a value in order, as they lie in an input: at first + Σ i[d]·stride[d]. Axes are
 * merged where the strides allow it; there is at least one. */
typedef struct index_map {
    int rank;
    const int64_t *dim, *stride;
    size_t bytes;  /* of an element */
    int64_t first; /* in elements */
    bool is_partial;
    const int64_t *low, *high; /* where is_partial: low[d] <= i[d] < high[d] is inside */
} index_map;

typedef enum kind {
    ON_ELEMENTS,
    SPREAD,      /* operand 0 at a map from element 0 on, all inside, with no stride below 0 */
    LOAD,        /* operand 0 at any map; outside of a partial one operand 1, one element */
    SPREAD_ROWS, /* one element per row over the row */
    FOLD_ROWS,   /* a row into one element */
    FOLD_RUNNING /* the tile's elements into a result that is there after the last tile */
} kind;

/* A fold that is fed tile by tile. */
typedef struct running {
    ct__running_fold fold; /* fed with operand 0, from operand 1 on */
    size_t state;          /* in the scratch */
    size_t kept;           /* where threads share it: in what they keep */
} running;

typedef struct instruction {
    kind kind;
    bool is_once;      /* SPREAD and LOAD: the same in every tile, so the first one will do */
    bool is_streamed;  /* the result goes around the caches: nothing reads it here */
    unsigned repeated; /* as in ct__eval */
    ct__op op, fold;   /* fold: of folds, what they fold with */
    const ct__attrs *attrs;
    size_t n_operands;
    const source *operand;
    source result;
    /* of operands, then of the result, in a whole tile and in the last one; of what only reads NULL
     */
    const ct_type *const *types, *const *last_types;
    const index_map *spread; /* of SPREAD and LOAD */
    const running *running;  /* of FOLD_RUNNING */
} instruction;

/* A register that holds one element of an input again and again. */
typedef struct filling {
    size_t at, input, bytes, columns;
} filling;

struct ct__tiles {
    ct__threads *threads;    /* that share the rows; NULL: they are not shared */
    size_t unit;             /* rows of which threads take multiples */
    size_t scratch_bytes;    /* of one thread */
    size_t kept_bytes;       /* of all of them together, for running folds */
    size_t rows, tile, last; /* rows: in all, of a tile, of the last tile */
    size_t columns;
    const ct__numerics *numerics;
    bool plain_products;
    size_t n_instructions, n_fillings, n_running;
    instruction *instruction;
    const instruction **running; /* those that are begun before the first tile */
    filling *filling;
    bool streams;      /* some instruction does */
    size_t waiting_at; /* where in the scratch a streamed result waits */
};

/* The greatest one; y may be 0. */
static inline size_t ct__common_divisor(size_t x, size_t y)
{
    while (y > 0) {
        const size_t rest = x % y;
        x = y;
        y = rest;
    }
    return x;
}

static inline ct_dtype result_dtype(const instruction *i)
{
    return i->types[i->n_operands]->dtype;
}

/* Where rows are shared, for the folds that run through them: before all, before a thread computes
 * rows from `first` on, after that, and when all have. What they keep is behind the scratch of the
 * threads. */
void ct__tiles_begin_sharing(const ct__tiles *t, const void *const *in, void *const *out,
                             unsigned char *scratch);
void ct__tiles_begin_part(const ct__tiles *t, size_t first, unsigned char *kept,
                          unsigned char *scratch);
void ct__tiles_end_part(const ct__tiles *t, unsigned char *scratch);
void ct__tiles_join(const ct__tiles *t, const unsigned char *kept, const void *const *in,
                    void *const *out, unsigned char *scratch);

/* The rows first … end - 1, of which the first is the first of a tile. */
void ct__tiles_run_rows(const ct__tiles *t, size_t first, size_t end, const void *const *in,
                        void *const *out, unsigned char *scratch);
/* What a run begins with. */
void ct__tiles_begin(const ct__tiles *t, const void *const *in, void *const *out,
                     unsigned char *scratch);
/* Instruction `index`, which is ON_ELEMENTS or a fold, alone, on a tile of these operands. */
void ct__tiles_call(const ct__tiles *t, size_t index, bool is_last, const void *const *operand,
                    void *result, unsigned char *scratch);
/* The next CT__ROW_BLOCK elements of a FOLD_RUNNING, as their lanes. */
void ct__tiles_feed(const ct__tiles *t, size_t index, const void *lanes, void *result,
                    unsigned char *scratch);

#endif
