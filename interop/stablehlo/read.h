/* Reading StableHLO's text: the folder's second summary.
 *
 *   read.c             modules for the public interface
 *   specialize.c       functions of their templates
 *   read_module.c      a module: its parts, symbols, aliases, functions on demand
 *   read_skip.c        finding the ends of what is read later
 *   read_function.c    functions: recording them, calls of templates
 *   read_special.c     templates for operands: each is recorded once
 *   read_open.c        templates when the module is read: what is checked of them
 *   read_probe.c       what inference says of operations with extents "?"
 *   read_header.c      their headers
 *   read_body.c        bodies and statements
 *   read_region.c      bodies of operations
 *   read_resume.c      going on after an error
 *   read_token.c       the cursor: blanks, comments, words, names
 *   read_error.c       messages with line and caret; lines of places in the text
 *   read_place.c       loc(…): source places
 *   read_names.c       names of values
 *   read_parts.c       texts of several modules; errors that they expect
 *   read_type.c        types
 *   read_attribute.c   attribute values
 *   read_conv.c        axes of convolutions
 *   read_dict.c        dictionaries; attributes as text again
 *   read_literal.c     dense<…>: lists, hexadecimal data, resources
 *   read_number.c      single numbers
 *   read_forms.c       the pretty forms, by a table of them: forms.def
 *   read_shapes.c      the pretty forms that the table's patterns cannot say
 *   read_build.c       from a statement to an operation of the table
 *   read_fields.c      attributes of the table from the dictionary
 *   read_derived.c     those of them that stand elsewhere in the text
 *   read_use.c         entries of the dictionary as numbers and lists
 *   read_custom.c      calls, custom calls, composites, checks
 *   read_sharding.c    sdy.sharding_constraint, a composite
 *   read_dynamic.c     operations on shapes that are values: folded
 *   read_jax.c         custom calls by which JAX does the same
 *   read_fold.c        the value of a traced tensor
 *   read_chlo.c        operations that are short expressions of others
 *   read_old.c         operations that StableHLO no longer has
 *   read_einsum.c      einsum, as sums, diagonals and one product
 *   read_scan.c        scan, from the while that print_scan.c makes of it, and from chlo.scan
 *   read_marked.c      what those two have in common
 *   read_for.c         for, from the while that print_for.c makes of it
 *   read_loops.c       counted while loops become scans; read_affine.c: indices that they compute
 *
 * There is no syntax tree. The text is scanned once for symbols and aliases (bodies are skipped),
 * then each function is recorded, as a traced C function is, when it is first called or at the end:
 * values are tensors of the open trace, bodies are region traces, so captures come by themselves.
 *
 * A statement is first read into a ct__statement: pretty forms fill the dictionary that the generic
 * form spells out, with the same keys. From there on both are one: the build step looks attributes
 * up by their names in ops/attrs.def. */
#ifndef CT_INTEROP_STABLEHLO_READ_H
#define CT_INTEROP_STABLEHLO_READ_H

#include "interop/map.h"
#include "ops/text.h"
#include "trace/trace.h"

#include <cotangent/module.h>

#include <string.h>

/* ---- The cursor. It never passes `end`; the text needs no final 0. */

typedef struct ct__cursor {
    const char *at;  /* what is read next */
    const char *end; /* of the text */
} ct__cursor;

typedef struct ct__reader ct__reader;

/* The text between two places, borrowed from the module's text: "f32", "stablehlo.add". */
typedef struct ct__span {
    const char *at;
    size_t length;
} ct__span;

/* How much of a word messages show: "'%.*s'". */
static inline int ct__span_shown(ct__span word)
{
    return word.length < 60 ? (int)word.length : 60;
}

static inline bool ct__span_is(ct__span span, const char *word)
{
    return strlen(word) == span.length &&
           (span.length == 0 || memcmp(span.at, word, span.length) == 0);
}

/* Reading functions return false after reporting an error at the place where it was found, which
 * ends the statement; the reader then goes on after it where that is safe. */

void ct__skip_blanks(ct__reader *r);               /* and comments */
bool ct__peek(ct__reader *r, const char *mark);    /* whether this comes next, after blanks */
bool ct__take(ct__reader *r, const char *mark);    /* the same, and moves behind it if it does. A
                                                      mark of letters is taken as a whole word */
bool ct__expect(ct__reader *r, const char *mark);  /* the same; else an error, "expected ':'" */
bool ct__read_word(ct__reader *r, ct__span *word); /* [A-Za-z_][A-Za-z0-9_$.]* */
bool ct__read_integer(ct__reader *r, int64_t *value);
bool ct__read_string(ct__reader *r, const char **text, size_t *length); /* unescaped, in r->arena */
bool ct__read_symbol(ct__reader *r, const char **name);                 /* @name, @"name" */
/* "file:line:column: message, found …", the line and a caret. Returns false. */
bool ct__read_fail(ct__reader *r, const char *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* "expected WHAT, found …" at the cursor, or at another place. What begins a line is missed at the
 * end of the line before, which was cut: "…, found 'return' on line 3". */
bool ct__read_expected(ct__reader *r, const char *what);
bool ct__fail_expected(ct__reader *r, const char *at, const char *what);
bool ct__read_fail_memory(ct__reader *r);
/* Turns the context's error, unless memory is short, into one at `at`: "message", the line, the
 * caret, and the other lines of the message. Returns false. */
bool ct__read_fail_context(ct__reader *r, const char *at);
/* The line that this place of the text is in, from 1. */
int ct__line_of(ct__reader *r, const char *at);
/* The same with the file and the column. */
ct_place ct__place_of(ct__reader *r, const char *at);

/* ---- Types. Extents "?" are negative, and occur only in templates: CT__UNKNOWN, or with a bound
 * b, which #stablehlo.bounds<b> gives, CT__UNKNOWN + 1 + b. */

#define CT__UNKNOWN INT64_MIN

static inline bool ct__extent_is_known(int64_t extent)
{
    return extent >= 0;
}
/* Whether an extent is what is written for it; one that is not known may be. */
static inline bool ct__extent_matches(int64_t extent, int64_t written)
{
    if (!ct__extent_is_known(extent))
        return true;
    return ct__extent_is_known(written)
               ? extent == written
               : written == CT__UNKNOWN || extent <= written - INT64_MIN - 1;
}

bool ct__read_type(ct__reader *r, const ct_type **type); /* in r->arena */
/* The element type alone: "f32", "complex<f64>", "!quant.uniform<…>". The result is a rank-0
 * tensor type. */
bool ct__read_element_type(ct__reader *r, const ct_type **type);
/* "T, U", without parentheses; stops before what is no comma. */
typedef struct ct__type_list {
    size_t count;
    const ct_type **item; /* in r->arena */
} ct__type_list;
/* "(T, U) -> R" or "(T, U) -> (R, S)" */
bool ct__read_signature(ct__reader *r, ct__type_list *operands, ct__type_list *results);
bool ct__read_types(ct__reader *r, ct__type_list *types);

/* ---- Attributes. Values are in r->arena. */

typedef enum ct__attribute_kind {
    CT__ATTRIBUTE_UNIT,    /* a key alone */
    CT__ATTRIBUTE_BOOL,    /* true, false: integer is 1 or 0 */
    CT__ATTRIBUTE_INTEGER, /* 1 : i64 */
    CT__ATTRIBUTE_FLOAT,   /* 0.5 : f32, 0x7FC00000 : f32 */
    CT__ATTRIBUTE_STRING,
    CT__ATTRIBUTE_SYMBOL, /* @name */
    CT__ATTRIBUTE_INTS,   /* array<i64: 1, 2>, array<i1: true>, and [1, 2] of untyped integers */
    CT__ATTRIBUTE_LIST,   /* [#a, {b}], in list */
    CT__ATTRIBUTE_DICT, /* {a = 1}, and #stablehlo.gather<a = [1]>, whose text is "stablehlo.gather"
                         */
    CT__ATTRIBUTE_DENSE, /* dense<…> : T */
    CT__ATTRIBUTE_TYPE,
    CT__ATTRIBUTE_WORD, /* #stablehlo<precision HIGH>: text is "HIGH"; LT of a pretty form */
    CT__ATTRIBUTE_CONV, /* #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>: list holds three
                           INTS, in which b, i are -1 and f, o are -2 */
    CT__ATTRIBUTE_OTHER /* any other: its text only */
} ct__attribute_kind;

typedef struct ct__attribute ct__attribute;

typedef struct ct__dict {
    size_t count, capacity;
    struct ct__entry *entry; /* in the order of the text */
    ct__map *places;         /* of many keys; NULL: there are few */
} ct__dict;

struct ct__attribute {
    ct__attribute_kind kind;
    ct__span source;  /* as it stands in the text */
    const char *text; /* of strings, symbols, words, and the name before "<" of dictionaries */
    size_t text_length;
    int64_t integer; /* unsigned 64-bit values keep their bits */
    double number;
    ct__ints ints;
    size_t n_list;
    const ct__attribute *list;
    ct__dict dict;
    ct__literal *literal; /* owned by the reader, until the module has been read */
    const ct_type *type;  /* of integers, floats and dense data where it was written; of types */
};

typedef struct ct__entry {
    const char *key;
    ct__attribute value;
    bool is_used; /* the build step has looked at it: what is left is only kept and printed */
} ct__entry;

bool ct__read_attribute(ct__reader *r, ct__attribute *value);
/* "{a = 1, b}" or, with other marks, "<{…}>"; adds to dict. A key twice is an error. */
bool ct__read_dict(ct__reader *r, const char *open, const char *close, ct__dict *dict);
/* Add or replace, for the pretty forms; false when memory is short. */
bool ct__dict_set(ct__reader *r, ct__dict *dict, const char *key, const ct__attribute *value);
bool ct__dict_set_ints(ct__reader *r, ct__dict *dict, const char *key, ct__ints ints);
bool ct__dict_set_integer(ct__reader *r, ct__dict *dict, const char *key, int64_t value);
bool ct__dict_set_word(ct__reader *r, ct__dict *dict, const char *key, ct__span word);
/* The entry, marked as used; NULL when it is not there. */
const ct__attribute *ct__dict_use(ct__dict *dict, const char *key);
/* What is not used, as it stands in the text with aliases put in, "a = 1, b"; NULL: nothing, or
 * memory is short. In r->arena. */
const char *ct__dict_rest(ct__reader *r, const ct__dict *dict);

/* dense<…> : T, from after "dense"; without T (NULL) the type is read behind it. */
bool ct__read_dense(ct__reader *r, const ct_type *type, ct__attribute *value);

/* ---- Statements. */

#define CT__MAX_REGIONS 4096 /* of case */

/* Of fused places those behind the first. */
typedef struct ct__places {
    size_t count, capacity;
    const ct_place *item;
} ct__places;

typedef struct ct__statement {
    const char *at;    /* where the operation's name stands */
    ct__span spelling; /* "stablehlo.add", without quotes */
    ct_place place;    /* of the text's line, or of its loc(…) */
    ct__places also;
    bool is_generic;
    size_t n_operands;
    ct_tensor **operand;
    const char **operand_at; /* where they stand, for messages */
    ct__dict attributes;
    size_t n_regions;
    ct__region *region; /* read_body.c frees them in the end */
    bool is_unified;    /* all regions have the same captures */
    /* an operand or a region has been reported: not to be built. Its graphs may be NULL */
    bool is_broken;
    /* a template is checked, and this depends on its "?": not to be built either: read_open.c */
    bool is_open;
    const char *resume; /* behind what has been read whole, for going on after an error */
    bool has_types;     /* operand_types is written, not implied */
    ct__type_list operand_types, result_types;
    const char *types_at; /* where the types stand */
    /* by the build step */
    size_t n_results; /* as many as result_types */
    ct_tensor **result;
} ct__statement;

/* The pretty form behind the spelling: operands, attributes, regions, types. */
bool ct__read_pretty(ct__reader *r, ct__statement *s);
/* One use of a value, "%a" or "%a#1", added to s->operand. */
bool ct__read_operand(ct__reader *r, ct__statement *s);
/* A body "{ … }" with these block arguments (NULL: read them from "^bb0(…):", if it stands there);
 * added to s->region. The names are "%a" without "%". */
bool ct__read_region(ct__reader *r, ct__statement *s, size_t n_args, const ct__span *name,
                     const ct_type *const *type);
/* A region that applies one operation to scalars, for "applies stablehlo.add": read_forms.c. */
bool ct__read_applied(ct__reader *r, ct__statement *s, ct__span spelling);

/* Apply the statement: looks the spelling up, makes ct__attrs from the dictionary, unifies and adds
 * captures, infers, compares inferred and written types (a message names both), fills s->result. */
bool ct__build(ct__reader *r, ct__statement *s);
/* Check what an open statement says, without building it: that the operation is known and its
 * operands have the written types; of an operation of the table its attributes, and what its
 * inference finds whatever "?" stands for. */
bool ct__build_open(ct__reader *r, ct__statement *s);

/* The dictionary's entry as an attribute of the table; each marks it as used and reports a wrong
 * kind. A missing one leaves the default, unless `required`. */
bool ct__use_ints(ct__reader *r, ct__statement *s, const char *key, bool required, ct__ints *ints);
bool ct__use_integer(ct__reader *r, ct__statement *s, const char *key, bool required,
                     int64_t *value);
bool ct__use_flag(ct__reader *r, ct__statement *s, const char *key, bool *flag);

/* The function of this name, recorded now if it has not been yet; if it has "?", that for these
 * arguments. Borrowed; NULL after an error at `at`, also for a function that calls itself. In
 * read_module.c. */
ct__graph *ct__read_callee(ct__reader *r, const char *at, const char *symbol, size_t n_arguments,
                           ct_tensor *const *argument);

/* ---- The reader: all state of one module being read. */

typedef struct ct__symbol ct__symbol; /* a function: read_module.h */

struct ct__reader {
    ct_context *ctx;
    ct_place called_from;
    const char *name; /* of the text, in messages */
    ct__span text;
    int first_line; /* of the text, in messages */
    ct__cursor cursor;
    ct__arena arena; /* of everything that is read, until the module is done */
    ct__text errors; /* all messages */
    size_t n_errors;
    ct__map symbols;
    size_t n_defined; /* of them: functions with a body */
    ct__map aliases; /* "#x", "!t": value is where its definition's text begins, count its length */
    ct__map resources; /* of dense_resource: read_literal.c, when the first one is used */
    bool has_resources;
    size_t n_sections;
    const char **section; /* where a "{-# … #-}" begins */
    int nesting;          /* of types and attributes */
    ct__map locations;    /* "#loc1" -> what it says: read_place.c */
    const char *last_file;
    size_t n_further_places;   /* fused ones */
    struct ct__names *names;   /* of values in the function being read: read_module.h */
    struct ct__symbol *caller; /* the function being read */
    int depth;                 /* of bodies and functions */
    int detours;               /* definitions of aliases that are being read: read_attribute.c */
    size_t n_expanded;         /* in the outermost one */
    size_t n_inlined;
    size_t n_args; /* parameters without a name, so far, in the function and around the body */
    bool is_lost;  /* a body has no end: the function is given up */
    /* errors */
    int quiet; /* above 0, none is reported */
    const char *last_error;
    size_t n_omitted;
    ct_place first_error;
    /* lines: how many end before each block of text, where the one begins that the block begins in,
     * and the last question */
    size_t *lines_before;
    const char **line_begins;
    const char *line_asked;
    int line_answer;
    /* specialising: "?" takes the extent that inference finds */
    bool is_template;
    bool lacks_value; /* a shape depends on more than constants */
    int trying;       /* above 0, a template is read to see whether it can be called */
    /* checking a template: "?" stays open: read_open.c */
    bool is_checking;
    size_t n_open;           /* open values and statements so far */
    const char *open;        /* "{" of a module without an end */
    const char *module_name; /* "" for none */
    ct__dict module_attributes;
    const char *module_notes; /* the same as text, without braces; NULL: none */
    size_t n_meshes;
    ct__span *mesh;            /* sdy.mesh, which is only kept, as it stands */
    const char *module_meshes; /* the same without comments and aliases, a line each; NULL: none */
    size_t n_literals, literal_capacity;
    ct__literal **literal; /* to be released at the end */
    /* values of open traces that have been asked for, and what they depend on: read_fold.c */
    ct__lookup folds; /* (trace, value) -> position in fold */
    size_t n_folds, fold_capacity;
    const ct__literal **fold; /* NULL: more than constants decide it */
};

#endif
