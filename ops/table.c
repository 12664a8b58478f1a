#include "ops/ops.h"

#include <stdio.h>
#include <string.h>

/* ---- ops.def as a table. The bare words of its columns: */

enum { FLOATS = CT__FLOATS, INTS = CT__INTS, BOOLS = CT__BOOLS, COMPLEXES = CT__COMPLEXES };
enum { REALS = CT__REALS, ANY = CT__ANY, OTHER = CT__OTHER };
enum { COMPLEX_LATER = CT__COMPLEX_LATER };
enum {
    ELEMENTWISE = CT__ELEMENTWISE,
    COMMUTATIVE = CT__COMMUTATIVE,
    MOVES_DATA = CT__MOVES_DATA,
    LINEAR = CT__LINEAR,
    BILINEAR = CT__BILINEAR,
    INDEXES = CT__INDEXES,
    REGIONS = CT__REGIONS,
    BODY_LINEAR = CT__BODY_LINEAR,
    TYPED = CT__TYPED,
    EFFECT = CT__EFFECT
};
#define LINEAR_IN(i) CT__LINEAR_IN(i)

static const ct__op_info table[CT__OP_COUNT] = {
#define OP(name, operands, dtypes, attrs, traits, infer, jvp, transpose, batch, meaning, kernel,   \
           spelling)                                                                               \
    {#name, operands, spelling, dtypes, traits, CT__ATTRS_##attrs},
#include "ops/ops.def"
#undef OP
};

const ct__op_info *ct__op_describe(ct__op op)
{
    return &table[op];
}

/* ---- Names of operands: words, of which those ending in "..." are lists. */

typedef struct word {
    const char *text;
    int length; /* of the name itself */
    bool is_list;
} word;

/* The word at `text`; length 0 after the last. */
static word read_word(const char *text)
{
    word w;

    text += strspn(text, " ");
    w.text = text;
    w.length = (int)strcspn(text, " .");
    w.is_list = text[w.length] == '.';
    return w;
}

static const char *after(word w)
{
    return w.text + w.length + (w.is_list ? 3 : 0);
}

size_t ct__op_arity(ct__op op, bool *open)
{
    size_t arity = 0;

    *open = false;
    /* for every operation that is recorded: only the last characters of the words are looked at */
    for (const char *c = table[op].operands; *c; c++) {
        bool is_list = *c == '.', ends = c[1] == ' ' || c[1] == '\0';
        arity += ends && !is_list;
        *open = *open || (ends && is_list);
    }
    return arity;
}

/* The lengths of the lists that attributes give, in order; -1: what is left. */
static int64_t list_length(ct__op op, const ct__attrs *attrs, int list)
{
    if (attrs && op == CT__OP_reduce && list < 2)
        return attrs->reduce.n_inputs;
    if (attrs && op == CT__OP_reduce_window && list < 2)
        return attrs->reduce_window.n_inputs;
    if (attrs && op == CT__OP_sort && list < 1)
        return attrs->sort.n_inputs;
    if (attrs && op == CT__OP_scatter && list < 2)
        return attrs->scatter.n_inputs;
    if (attrs && op == CT__OP_scan && list < 2)
        return list == 0 ? attrs->scan.n_carry : attrs->scan.n_inputs;
    return -1;
}

static size_t word_length(ct__op op, const ct__attrs *attrs, word w, int list, size_t left)
{
    int64_t length = w.is_list ? list_length(op, attrs, list) : 1;

    return length < 0 || (uint64_t)length > left ? left : (size_t)length;
}

const char *ct__operand_name(ct__op op, const ct__attrs *attrs, size_t n_operands, size_t position,
                             char *buffer, size_t bytes)
{
    size_t first = 0; /* position at which the word's operands begin */
    int list = 0;

    for (word w = read_word(table[op].operands); w.length > 0; w = read_word(after(w))) {
        const size_t left = n_operands > first ? n_operands - first : 0;
        const size_t count = word_length(op, attrs, w, list, left);

        if (position < first + count) {
            if (count == 1)
                snprintf(buffer, bytes, "%.*s", w.length, w.text);
            else
                snprintf(buffer, bytes, "%.*s[%zu]", w.length, w.text, position - first);
            return buffer;
        }
        first += count;
        list += w.is_list;
    }
    snprintf(buffer, bytes, "operand[%zu]", position);
    return buffer;
}
