/* A part of a graph, as exec/cpu/tiles.h has it, as loops: what schedule.c finds and emit.c writes.
 *
 * A part has rows and columns. A value with columns is computed in loops over them, a value of one
 * element per row between these loops. What a fold of a row gives is known to the next pass over
 * the row only, so that the loop over rows holds as many loops over columns as there are passes.
 * An operation that has no expression is a call, on as many rows as a tile of the tile machine has;
 * calls divide the kernel into groups, each of which is a loop over the rows of a tile. */
#ifndef CT_EXEC_JIT_KERNEL_H
#define CT_EXEC_JIT_KERNEL_H

#include "exec/cpu/tiles.h"
#include "exec/jit/express.h"

typedef enum ct__role {
    CT__COMPUTED, /* by an expression */
    CT__LOADED,   /* an input's elements at an index map */
    CT__FOLDED,
    CT__TOTALLED, /* a fold of all of a value, in the loop that makes it: of integers */
    CT__FED, /* a fold of all of a value, along in the loop that makes it, block by block: of floats
              */
    CT__CALLED
} ct__role;

typedef enum ct__origin {
    CT__FROM_SCALAR, /* an input of one element */
    CT__FROM_INPUT,
    CT__FROM_MADE /* by an instruction of the part */
} ct__origin;

typedef struct ct__link {
    ct__origin origin;
    size_t index; /* of the input or instruction */
} ct__link;

/* When something is computed: in which group, and in which pass over a row of it; a value per row
 * before that pass. Calls and folds stand behind it. */
typedef struct ct__stage {
    uint32_t group, pass;
} ct__stage;

/* What an instruction makes. */
typedef struct ct__made {
    ct__role role;
    ct__stage stage;
    ct_dtype dtype;
    bool is_wide; /* has columns */
    /* where it is kept besides: for later passes over a row; for other groups, and calls */
    bool is_kept, is_kept_tile;
    /* computed again in each later pass over the row that uses it: that takes less than keeping it
     */
    bool is_again;
    uint64_t again;  /* bit p: in pass p */
    bool is_blocked; /* its loop goes through blocks of CT__LANES columns */
    bool is_along;   /* a fold in the loop that makes what it folds, which is blocked */
    /* a large result, which goes to memory past the cache: from a row in the cache, or from the
     * block at hand */
    bool is_streamed;
    size_t kept_at; /* in the scratch */
    ct__link *link; /* of each operand */
} ct__made;

static inline bool is_at(const ct__made *made, ct__stage stage)
{
    return made->stage.group == stage.group && made->stage.pass == stage.pass;
}

typedef struct ct__kernel {
    const ct__tiles *tiles;
    size_t rows, columns; /* columns 0: a tile is one row */
    size_t unit;          /* parts of the rows begin at multiples of it; 0: they are not shared */
    uint32_t n_groups;
    bool has_tiles;     /* calls, or what is run again if something in a tile is far */
    bool streams;       /* some results are streamed */
    bool reads_ahead;   /* the next row is fetched: its pages are others, which hardware leaves */
    bool has_beginning; /* registers filled, or folds begun, before all else */
    ct__made *made;
    size_t scratch_bytes;
} ct__kernel;

/* What a kernel needs while it runs, beside its buffers: exec/cpu/tiles.h. */
typedef struct ct__kernel_table {
    const ct__tiles *tiles;
    void (*begin)(const ct__tiles *tiles, const void *const *in, void *const *out,
                  unsigned char *scratch);
    void (*call)(const ct__tiles *tiles, size_t i, bool is_last, const void *const *operand,
                 void *result, unsigned char *scratch);
    void (*feed)(const ct__tiles *tiles, size_t i, const void *lanes, void *result,
                 unsigned char *scratch);
} ct__kernel_table;

/* Computes the rows first … end - 1 of a kernel whose rows are shared, else all. */
typedef void ct__kernel_function(const void *const *in, void *const *out, unsigned char *scratch,
                                 const ct__kernel_table *table, size_t first, size_t end);

/* In the arena; NULL when memory is short, and for what this cannot do: *declined then says why,
 * else it is NULL. Its scratch is behind that of the tiles. */
const ct__kernel *ct__kernel_new(const ct__tiles *tiles, ct__arena *arena, const char **declined);

/* Adds the kernel as a function: what follows its name, in C that needs the prelude. */
void ct__emit_kernel(ct__text *to, const ct__kernel *kernel);

/* Whether the instruction reads rows of which each lies inside an innermost row of its map. */
bool ct__reads_rows(const ct__kernel *kernel, size_t i);

/* The expression of an instruction, with operands that have no text yet. */
ct__expression ct__kernel_expression(const ct__tiles *t, const instruction *i);
/* That of a fold of rows: what is folded so far, and one element more. */
ct__expression ct__fold_expression(const instruction *i);

#endif
