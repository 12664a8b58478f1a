/* Where index vectors find their windows: for gather and scatter. */
#ifndef CT_EXEC_PLACES_H
#define CT_EXEC_PLACES_H

#include "exec/interpret/interpret.h"
#include "exec/kernel/moves.h"

enum { CT__PLACES_AT_ONCE = 512 };

/* Entry k of a vector, clamped into [0, last[k]] or left out where it is outside, moves its window
 * by step[k] elements of the operand; the vector's position moves it by x_step, and by y_step on
 * the other side. Axes of positions that lie together everywhere are one. */
typedef struct ct__places {
    ct__index_vectors vectors;
    bool skips;
    int64_t last[CT__MAX_RANK], step[CT__MAX_RANK];
    int64_t x_step[CT__MAX_RANK], y_step[CT__MAX_RANK];
    int rank; /* of the positions, at least 1 */
    int64_t dim[CT__MAX_RANK];
    int64_t index[CT__MAX_RANK]; /* of the next block */
    int64_t left;                /* vectors from there on */
} ct__places;

/* Vectors in a row: at[i] is where window i begins in the operand, CT__NOWHERE where it is left
 * out, and y + i·y_step where on the other side. */
typedef struct ct__places_block {
    size_t n;
    int64_t at[CT__PLACES_AT_ONCE], y, y_step;
} ct__places_block;

/* Vectors in a row: where in the indices, in the operand and on the other side the first one is. */
typedef struct ct__places_row {
    int64_t n, vector, x, y;
} ct__places_row;

/* After the fields up to y_step are filled. */
void ct__places_begin(ct__places *p);
/* Only vectors from number `first` to number `end`, before the first block is asked for. */
void ct__places_limit(ct__places *p, int64_t first, int64_t end);
/* The next vectors, in row-major order, at most so many; false when there are no more. */
bool ct__places_next_row(ct__places *p, int64_t most, ct__places_row *row);
/* The same, with their places. */
bool ct__places_next(ct__places *p, ct__places_block *block);

/* Whether positions are read by adjacent indices of 32 bits alone, which move nothing else, and are
 * adjacent on the other side; places in a row are below 2^32. */
bool ct__places_are_indexed(const ct__places *p);

/* What windows are made of: runs of elements that are adjacent on both sides, at `outer`
 * coordinates; of the box from the other side's strides to the operand's. */
typedef struct ct__runs {
    int64_t length;
    int outer; /* the first axes of the box */
} ct__runs;

ct__runs ct__runs_of(const ct__box *window);

#endif
