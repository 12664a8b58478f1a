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

/* The elements of a broadcast in order: axes merged where the strides allow it. */
typedef struct broadcast {
    int rank;
    int64_t dim[CT__MAX_RANK], stride[CT__MAX_RANK];
    size_t bytes;
} broadcast;

typedef enum kind {
    ON_ELEMENTS,
    SPREAD,      /* a broadcast */
    SPREAD_ROWS, /* one element per row over the row */
    FOLD_ROWS,   /* a row into one element */
    FOLD_RUNNING /* the tile's elements into a result that is there after the last tile */
} kind;

typedef struct instruction {
    kind kind;
    ct__eval eval;                    /* with the types of a whole tile */
    const ct_type *const *last_types; /* of operands, then of the result, in the last tile */
    const source *operand;
    source result;
    const broadcast *spread;  /* of SPREAD */
    ct__op fold;              /* of FOLD_ROWS */
    ct__running_fold running; /* of FOLD_RUNNING: fed with operand 0, from operand 1 on */
    size_t state;             /* in the scratch */
} instruction;

/* A register that holds one element of an input again and again. */
typedef struct filling {
    size_t at, input, bytes, columns;
} filling;

struct ct__tiles {
    size_t rows, tile, last; /* rows: in all, of a tile, of the last tile */
    size_t columns;
    size_t n_instructions, n_fillings, n_running;
    instruction *instruction;
    const instruction **running; /* those that are begun before the first tile */
    filling *filling;
};

/* What a run begins with. */
void ct__tiles_begin(const ct__tiles *tiles, const void *const *in, void *const *out,
                     unsigned char *scratch);
/* Instruction i, which is ON_ELEMENTS or FOLD_RUNNING, alone, on a tile of these operands. */
void ct__tiles_call(const ct__tiles *tiles, size_t i, bool is_last, const void *const *operand,
                    void *result, unsigned char *scratch);

#endif
