/* What reads modules, functions and bodies, among each other. */
#ifndef CT_INTEROP_STABLEHLO_READ_MODULE_H
#define CT_INTEROP_STABLEHLO_READ_MODULE_H

#include "interop/stablehlo/read_values.h"

/* ---- Functions: read_module.c, read_function.c */

typedef enum ct__reading {
    CT__UNREAD,
    CT__READING,
    CT__READ,
    CT__SILENT, /* it has errors, which have not been reported */
    CT__BROKEN
} ct__reading;

/* What the parameters of a template are: types, and the values of those that are known, which are
 * constants of the function then and no parameters. */
typedef struct ct__given {
    size_t count;
    const ct_type *const *type;
    const ct__literal *const *value; /* each may be NULL; NULL: none is known */
} ct__given;

/* A template read for these. */
typedef struct ct__special {
    struct ct__special *next;
    ct__given given;
    ct__graph *graph; /* owned; NULL: it has errors, or is not to be called: see ct__read_inline */
    bool is_tried;    /* for that; its errors have not been reported */
} ct__special;

struct ct__symbol {
    const char *name;
    const char *at;        /* of @name in the text */
    const char *arguments; /* "("; in the generic form "{" of the body */
    bool is_generic;
    bool is_private;
    bool is_declared; /* has no body */
    ct__dict dict;    /* of the generic form */
    bool has_unknown; /* a type with "?" anywhere */
    /* a parameter's type with "?", or a shape that depends on a parameter's value */
    bool is_template;
    size_t n_params;       /* of a template */
    const ct_type **param; /* as it declares them; NULL: its header is wrong */
    bool is_checked;       /* as a template */
    ct__reading state;
    ct__graph *graph; /* owned */
    ct__special *special;
    ct__symbol *caller; /* while it is being read */
};

/* A reader of a text that begins in this line; false after an error of the context. */
bool ct__reader_init(ct__reader *r, ct_context *ctx, ct_place at, const char *name, ct__span text,
                     int first_line);
void ct__reader_free(ct__reader *r);

/* Find functions and aliases; errors are reported. */
void ct__scan_module(ct__reader *r);
ct__symbol *ct__symbol_at(const ct__reader *r, size_t i);
ct__symbol *ct__symbol_find(const ct__reader *r, const char *name);
/* Record the functions that are no templates. */
void ct__read_functions(ct__reader *r);
/* All errors so far become the context's one. */
void ct__report_errors(ct__reader *r);

/* Whether the function is read anew at each call. A private one may show that only when it is read,
 * which then happens here. */
bool ct__reads_at_calls(ct__reader *r, ct__symbol *f);

/* The function's graph, recorded now, for these parameters where it is a template (else NULL); NULL
 * after an error. Owned. */
ct__graph *ct__record_function(ct__reader *r, ct__symbol *f, const char *at,
                               const ct__given *given);
/* Check a template's body, once. False after an error at `at`: a template that calls itself; what
 * is wrong in its body is reported there. Of other functions nothing is checked here. */
bool ct__check_function(ct__reader *r, ct__symbol *f, const char *at);
/* The function of this name, which has a body; NULL after an error at `at`. */
ct__symbol *ct__find_callee(ct__reader *r, const char *at, const char *symbol);
/* A call of a template with "?": of the function for the operands' types, and for the values of
 * those integers that are known, for shapes may depend on them. It is recorded once. Its statements
 * are read here instead, once for each call, where a shape depends on more, where results may be
 * shapes, whose values must be found through the call, and where there are errors to report. Fills
 * s->result. */
bool ct__read_inline(ct__reader *r, ct__statement *s, ct__symbol *f);

/* ---- Templates for operands: read_special.c */

/* The graph for operands of these types; NULL after an error. Borrowed. */
ct__graph *ct__read_special(ct__reader *r, ct__symbol *f, const char *at, size_t n_arguments,
                            ct_tensor *const *argument);
/* Call it as said above: *done, unless the statements are to be read in place of the call. */
bool ct__call_special(ct__reader *r, ct__statement *s, ct__symbol *f, bool *done);

/* ---- Finding the ends of things, which are not read yet: read_skip.c */

/* Behind the string that begins here; its line's end where it is not closed. */
const char *ct__skip_string(const char *at, const char *end);
/* The end of the line that `at` is in. */
const char *ct__skip_line(const char *at, const char *end);
/* Behind the string or the comment that begins here; `at` where none does. */
const char *ct__skip_opaque(const char *at, const char *end);
size_t ct__count_newlines(const char *at, const char *end);
/* Behind the body that begins at "{", or where it must have ended. *has_unknown: there is a type
 * with
 * "?". */
const char *ct__skip_body(const char *at, const char *end, bool *has_unknown);
/* The end of an alias' definition: that of its line, outside of brackets. NULL: a bracket stays
 * open. */
const char *ct__skip_definition(const char *start, const char *end);
/* From behind a function's name to "{" of its body, or to what cannot belong to its header. Notes
 * whether parameters, or anything, have "?". */
const char *ct__skip_header(const char *start, const char *end, ct__symbol *f);
/* From behind a function's name to behind its header, if no body follows: a declaration. */
bool ct__skip_declaration(ct__reader *r);
/* A line that begins a function ends the one before, closed or not. */
bool ct__begins_function(const char *newline, const char *end);

/* ---- Headers of functions: read_header.c */

typedef struct ct__part {
    ct__span name; /* of parameters */
    const char *at;
    const char *given_name; /* loc("x") of a parameter */
    const ct_type *type;
    const char *notes;
} ct__part;

typedef struct ct__header {
    bool is_declared; /* names of parameters are left out, or not */
    size_t n_params, n_results, param_capacity, result_capacity;
    ct__part *param, *result;
    const char *notes;
    const char *open; /* "{" of the body */
} ct__header;

/* From f->arguments to behind "{", in the generic form behind the label. */
bool ct__read_header(ct__reader *r, const ct__symbol *f, ct__header *h);
/* The same of a function without a body: nothing is kept of it but its name. */
bool ct__read_declaration(ct__reader *r, const ct__symbol *f);
/* The types of a template's parameters, which are kept; what is wrong is reported when it is read.
 */
void ct__read_param_types(ct__reader *r, ct__symbol *f);
/* The function's type in the generic form's dictionary, which stands at *where. */
bool ct__read_function_type(ct__reader *r, ct__dict *dict, const char *at, ct__type_list *params,
                            ct__type_list *results, const char **where);

/* ---- Bodies: read_body.c */

typedef struct ct__ending {
    const char *at; /* of the return */
    ct_place place;
    size_t n_results;
    ct_tensor **result;
    const char **result_at;
} ct__ending;

/* Statements up to the return and "}", from behind "{". False when something in it has been
 * reported; the cursor is then behind the body all the same, unless r->is_lost. */
bool ct__read_body(ct__reader *r, const char *open, bool is_function, ct__ending *ending);
/* A list in r->arena of n items that gets one more: it doubles at powers of two. */
bool ct__grow_list(ct__reader *r, void *list_pointer, size_t n, size_t item_bytes);

/* ---- Templates that are checked: read_open.c */

bool ct__is_open(const ct_tensor *x);
/* A value of this type: open if it has "?", else a parameter of the trace; NULL after an error. */
ct_tensor *ct__open_value(ct__reader *r, const ct_type *type);
/* The statement is open: s->result are values of the written types. */
bool ct__open_results(ct__reader *r, ct__statement *s);
/* An open call: that the function is there and its header fits. */
bool ct__check_call(ct__reader *r, ct__statement *s);

/* ---- Going on after an error: read_resume.c */

/* A value that stands for one that could not be made: of this type, or NULL. */
ct_tensor *ct__placeholder(ct__reader *r, const ct_type *type);
/* The result types of the statement in this text, as far as they can be read. */
void ct__guess_types(ct__reader *r, const char *start, const char *end, ct__type_list *types);
/* Of these, that of result i of n: each has its own, or the last one is that of the only result.
 * NULL: unknown. */
const ct_type *ct__guessed_type(const ct__type_list *types, size_t n, size_t i);
/* Where the next statement, the end of the body, or the next function begins. */
const char *ct__next_statement(const char *at, const char *end);

/* ---- Names of values: read_names.c */

typedef struct ct__named {
    ct__span name;
    uint64_t hash;
    size_t n_values;
    ct_tensor **value; /* NULL in it: could not be made, which has been reported */
    ct_tensor *only;   /* the value where n_values is 1 */
} ct__named;

typedef struct ct__names {
    ct_allocator allocator;
    ct__named *entry; /* in the order of their definition */
    size_t n_entries, capacity;
    size_t *slot; /* open addressing: entry + 1; 0 is free */
    size_t n_slots;
} ct__names;

void ct__names_init(ct__names *names, const ct_allocator *allocator);
void ct__names_free(ct__names *names);
const ct__named *ct__names_find(const ct__names *names, ct__span name);
/* Values are borrowed, if there are several. An error if the name is in use. */
bool ct__names_define(ct__reader *r, ct__span name, size_t n_values, ct_tensor **value);
/* Forget those defined after the first n_entries. */
void ct__names_truncate(ct__names *names, size_t n_entries);
/* "name" behind "%". */
bool ct__read_name(ct__reader *r, ct__span *name);
/* Give the value this name, unless it is a number or the value has one. */
bool ct__name_value(ct__reader *r, ct_tensor *x, ct__span name);
/* Whether the next parameter's name stands for none; asked once for each, before it is defined. */
bool ct__take_arg_name(ct__reader *r, ct__span name);

/* ---- Places: read_place.c */

/* loc(…) if it comes next: *place is the first file and line in it, none for loc(unknown), and,
 * where they are not NULL, *also the further ones and *name the first name; all stay as they are
 * when it says nothing. */
bool ct__read_location(ct__reader *r, ct_place *place, ct__places *also, const char **name);

#endif
