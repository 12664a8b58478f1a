#include "ops/ops.h"

#include <stdio.h>
#include <string.h>

/* ---- ops.def as a table. The bare words of its columns: */

enum { FLOATS = CT__FLOATS, SIGNED = CT__SIGNED, INTS = CT__INTS, BOOLS = CT__BOOLS };
enum { COMPLEXES = CT__COMPLEXES, REALS = CT__REALS, ANY = CT__ANY, OTHER = CT__OTHER };
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
    CONTROL = CT__CONTROL,
    CALLS = CT__CALLS,
    OPAQUE = CT__OPAQUE,
    EXACT = CT__EXACT,
    EFFECT = CT__EFFECT
};
#define LINEAR_IN(i) CT__LINEAR_IN(i)

const ct__op_info ct__op_table[CT__OP_COUNT] = {
#define OP(name, operands, dtypes, attrs, traits, infer, jvp, transpose, batch, meaning, kernel,   \
           spelling)                                                                               \
    {#name, operands, spelling, dtypes, traits, CT__ATTRS_##attrs},
#include "ops/ops.def"
#undef OP
};

/* ---- Names of operands: words, of which those ending in "..." are lists. */

typedef struct word {
    const char *text;
    int length; /* of the name itself */
    bool is_list;
} word;

/* The word at `text`; length 0 after the last, and at the "|" before the bodies. */
static word read_word(const char *text)
{
    word w;

    text += strspn(text, " ");
    w.text = text;
    w.length = (int)strcspn(text, " .|");
    w.is_list = text[w.length] == '.';
    return w;
}

static const char *after(word w)
{
    return w.text + w.length + (w.is_list ? 3 : 0);
}

static bool word_is(word w, const char *text)
{
    return strlen(text) == (size_t)w.length && memcmp(w.text, text, (size_t)w.length) == 0;
}

size_t ct__op_arity(ct__op op, bool *open)
{
    size_t arity = 0;

    *open = false;
    /* for every operation that is recorded: only the last characters of the words are looked at */
    for (const char *c = ct__op_table[op].operands; *c && *c != '|'; c++) {
        bool is_list = *c == '.', ends = *c != ' ' && (c[1] == ' ' || c[1] == '\0');
        arity += ends && !is_list;
        *open = *open || (ends && is_list);
    }
    return arity;
}

/* The length that an attribute gives to a list of operands; -1: what is left. */
static int64_t list_length(ct__op op, const ct__attrs *attrs, word w)
{
    const ct__attrs_info *info = ct__attrs_describe(ct__op_table[op].attrs);
    const char *name = word_is(w, "carry") ? "n_carry" : "n_inputs";

    if (!attrs || word_is(w, "capture"))
        return -1;
    for (size_t i = 0; i < info->n_fields; i++)
        if (strcmp(info->field[i].name, name) == 0)
            return *(const int64_t *)(const void *)((const unsigned char *)attrs +
                                                    info->field[i].offset);
    return -1;
}

/* How many operands are behind the word for certain. */
static size_t fixed_after(word w)
{
    size_t count = 0;

    for (word next = read_word(after(w)); next.length > 0; next = read_word(after(next)))
        count += !next.is_list;
    return count;
}

static size_t word_length(ct__op op, const ct__attrs *attrs, word w, size_t left)
{
    const int64_t length = w.is_list ? list_length(op, attrs, w) : 1;
    const size_t fixed = length < 0 ? fixed_after(w) : 0;

    if (length < 0)
        return left > fixed ? left - fixed : 0;
    return (uint64_t)length > left ? left : (size_t)length;
}

const char *ct__operand_name(ct__op op, const ct__attrs *attrs, size_t n_operands, size_t position,
                             char *buffer, size_t bytes)
{
    size_t first = 0; /* position at which the word's operands begin */

    for (word w = read_word(ct__op_table[op].operands); w.length > 0; w = read_word(after(w))) {
        const size_t left = n_operands > first ? n_operands - first : 0;
        const size_t count = word_length(op, attrs, w, left);

        if (position < first + count) {
            if (count == 1)
                snprintf(buffer, bytes, "%.*s", w.length, w.text);
            else
                snprintf(buffer, bytes, "%.*s[%zu]", w.length, w.text, position - first);
            return buffer;
        }
        first += count;
    }
    snprintf(buffer, bytes, "operand[%zu]", position);
    return buffer;
}

size_t ct__op_captures(ct__op op, const ct__attrs *attrs, size_t n_operands)
{
    size_t left = n_operands;

    for (word w = read_word(ct__op_table[op].operands); w.length > 0; w = read_word(after(w))) {
        if (word_is(w, "capture"))
            return left;
        left -= word_length(op, attrs, w, left);
    }
    return 0;
}

/* ---- Names of bodies. */

/* The text behind "|", "body" for an operation that has bodies and names none; "" without any. */
static const char *bodies_of(ct__op op)
{
    const char *bar = strchr(ct__op_table[op].operands, '|');

    return bar ? bar + 1 : ct__has(op, CT__REGIONS) ? "body" : "";
}

size_t ct__op_bodies(ct__op op, bool *open)
{
    size_t count = 0;

    *open = false;
    for (word w = read_word(bodies_of(op)); w.length > 0; w = read_word(after(w))) {
        count += !w.is_list;
        *open = *open || w.is_list;
    }
    return count;
}

const char *ct__body_name(ct__op op, size_t region, char *buffer, size_t bytes)
{
    size_t first = 0;
    word w = read_word(bodies_of(op));

    for (; w.length > 0 && !w.is_list && first < region; first++)
        w = read_word(after(w));
    if (w.is_list)
        snprintf(buffer, bytes, "%.*s[%zu]", w.length, w.text, region - first);
    else
        snprintf(buffer, bytes, "%s%.*s", word_is(w, "body") ? "the " : "", w.length, w.text);
    return buffer;
}
