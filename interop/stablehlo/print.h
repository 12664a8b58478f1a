/* Printing StableHLO's text: the folder's summary.
 *
 *   print.c            the module, its functions, bodies and statements
 *   print_forms.c      operations that stand on one line
 *   print_regions.c    operations with bodies
 *   print_generic.c    the generic form of every operation; statements that no node stands for
 *   print_properties.c its attributes
 *   print_large.c      convolution, transforms, solving, random numbers
 *   print_scan.c       scan, as a counted while
 *   print_for.c        for, as another one; stacks, as custom calls
 *   print_loop.c       what those two have in common
 *   print_barrier.c    barriers, of tuples too
 *   print_custom.c     custom calls and composites
 *   print_collective.c operations of several processes, channels
 *   print_composite.c  ct.scale, ct.scale_either and ct.stop_gradient, with their decompositions
 *   print_names.c      names of values and functions
 *   print_parts.c      types, signatures, attributes
 *   print_literal.c    constants
 *   number.c           single numbers
 *   write.c            the public entries
 *
 * Each operation has the form of its attribute struct: a struct without a form does not link. */
#ifndef CT_INTEROP_STABLEHLO_PRINT_H
#define CT_INTEROP_STABLEHLO_PRINT_H

#include "interop/interop.h"
#include "interop/map.h"

typedef struct ct__printer {
    ct__text *out;
    ct__fault *fault;
    bool is_generic, has_places; /* as ct_write_flags asks */
    bool has_meshes;             /* the module has the meshes that shardings name */
    /* of the module */
    ct__arena module;
    ct__map symbols;        /* in use: text; count: the next suffix */
    ct__map functions;      /* graph pointer -> symbol, in the order of printing */
    ct__map decompositions; /* "ct.scale.f32_4x2" -> a ct__decomposition */
    /* of the function being printed */
    ct__arena function;
    ct__map names;   /* visible: "%x"; count: the next suffix */
    size_t n_values; /* %N is the next one without a name */
    size_t n_args;   /* %argN */
    /* of the body being printed */
    const ct__graph *graph;
    const char **name; /* of its values */
    ct_place at;       /* of the statement being printed */
    int depth;
} ct__printer;

/* Keep the first fault. */
void ct__print_fail(ct__printer *p, ct_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* ---- Statements: print.c */

/* A new line, indented. */
void ct__print_line(ct__printer *p);
/* A new line, "%3 = ", "stablehlo.add". */
void ct__print_head(ct__printer *p, const ct__node *node);

/* A body. Its captures are called as the node's trailing operands are, its own leading parameters
 * as ct__print_own_param says; both before the statements. */
typedef struct ct__print_outer {
    const ct__graph *graph;
    const char **name;
    size_t n_names, n_values, n_args;
} ct__print_outer;
void ct__print_enter(ct__printer *p, const ct__node *node, const ct__graph *body, size_t n_own,
                     ct__print_outer *outer);
void ct__print_statements(ct__printer *p);
void ct__print_leave(ct__printer *p, const ct__print_outer *outer);
/* A line "stablehlo.return %a : T" with the body's results. */
void ct__print_return(ct__printer *p);

/* ---- The generic form: print_generic.c */

/* An operation whose spelling is StableHLO's, CHLO's or func's. */
void ct__print_generic(ct__printer *p, const ct__node *node);

/* Its attributes, " <{name = value, name = value}>", one after the other. */
typedef struct ct__properties {
    ct__printer *p;
    const char *separator; /* what stands before the next one */
} ct__properties;
/* "name = ": the value is to follow. */
void ct__property(ct__properties *a, const char *name);
void ct__property_int(ct__properties *a, const char *name, int64_t value);
void ct__property_flag(ct__properties *a, const char *name, bool value);
void ct__property_ints(ct__properties *a, const char *name, ct__ints list);
/* "dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>", `row` numbers in each. */
void ct__property_rows(ct__properties *a, const char *name, ct__ints list, size_t row);
/* Left out where they say nothing: strides and dilations of 1, padding of 0, no precision. */
void ct__property_steps(ct__properties *a, const char *name, ct__ints list);
void ct__property_padding(ct__properties *a, ct__ints low, ct__ints high);
/* "[#stablehlo<precision HIGH>, #stablehlo<precision DEFAULT>]" of "HIGH, DEFAULT". */
void ct__property_precision(ct__properties *a, const char *dialect, const char *words);
/* All of a node's. */
void ct__print_properties(ct__printer *p, const ct__node *node);
/* Those behind the regions: kept ones, and ct.strict. */
void ct__print_others(ct__printer *p, const ct__node *node);
/* Of structs whose attributes are not their fields: print_collective.c, print_large.c */
typedef void ct__property_writer(ct__properties *q, const ct__node *node);
ct__property_writer ct__write_all_gather, ct__write_all_reduce, ct__write_all_to_all,
    ct__write_collective_broadcast, ct__write_collective_permute, ct__write_reduce_scatter,
    ct__write_infeed, ct__write_outfeed, ct__write_recv, ct__write_send, ct__write_convolution;

/* A statement "%name = stablehlo.op BEFORE%a, %bAFTER : T" that no node stands for; in the generic
 * form "attributes" takes the place of both. */
typedef struct ct__made {
    const char *name, *op, *before, *after, *attributes; /* each of the last three may be NULL */
    size_t n_operands;
    const char *const *operand;
    const ct_type *const *type;
    const ct_type *result;
} ct__made;
void ct__print_made(ct__printer *p, const ct__made *m);
/* "(T, U) -> R" */
void ct__print_made_signature(ct__printer *p, const ct__made *m);
/* All elements are this value: 0, or of an integer type. */
void ct__print_made_constant(ct__printer *p, const char *name, const ct_type *type, int64_t value);
/* "KEYWORD %a, %b : T, U" */
void ct__print_yield(ct__printer *p, const char *keyword, size_t count, const char *const *name,
                     const ct_type *const *type);

/* ---- Barriers: print_barrier.c */

void ct__print_barrier(ct__printer *p, const ct__node *node);
/* One that is printed as several statements, in either form. */
bool ct__is_barrier_of_tuples(const ct__printer *p, const ct__node *node);
void ct__print_barrier_of_tuples(ct__printer *p, const ct__node *node);

/* ---- Loops that count, as while: print_loop.c */

/* A line one step further out: the marks around bodies. */
void ct__print_brace(ct__printer *p, const char *text);
/* An integer constant of this scalar type; its name. */
const char *ct__print_index(ct__printer *p, const ct_type *type, int64_t value);
/* "%name = stablehlo.op %x, %y", of this type. */
void ct__print_binary(ct__printer *p, const ct_type *type, const char *name, const char *op,
                      const char *x, const char *y);

typedef struct ct__counting {
    ct__printer *p;
    size_t count;                   /* of what it carries, the counter first */
    const char **argument, **start; /* names inside, and of the initial values */
    const ct_type **type;
    void *loop;                             /* for these: */
    void (*mark)(const void *loop);         /* prints the attributes */
    const char *(*limit)(const void *loop); /* what the counter stays below; may print */
    void (*body)(void *loop);               /* prints the statements and the return */
} ct__counting;
/* Allocates the lists, which the caller fills; false when memory is short. */
bool ct__counting_begin(ct__counting *l, ct__printer *p, size_t count);
/* All behind "%0:2 = ", in the scope of the body. */
void ct__print_counting(const ct__counting *l);

/* "ct.element = tensor<2xf32>", of stacks of stacks behind "ct.depth = 2 : i64, ": print_for.c */
void ct__print_element(ct__printer *p, const ct_type *stack);
/* An operation on this stack that no node stands for; m->op is not used: print_for.c */
void ct__print_made_stack(ct__printer *p, ct__op op, const ct_type *stack, const ct__made *m);

/* ---- Names: print_names.c. Never NULL: "%" when memory is short. */

const char *ct__print_name(const ct__printer *p, ct__id id);
/* Name parameter i of the current body: the user's name, or %argN. */
const char *ct__print_own_param(ct__printer *p, size_t i);
/* Name a value of the current body: the user's name, or %N. */
const char *ct__print_own_value(ct__printer *p, ct__id id);
/* Call a value of the current body by a name that a sibling's value has had: "%arg1". */
void ct__print_take_name(ct__printer *p, ct__id id, const char *name);
/* %N */
const char *ct__print_fresh(ct__printer *p);
/* %argN */
const char *ct__print_fresh_arg(ct__printer *p);
/* Name the node's results and print "%3:2 = "; the `hidden` first results of the statement are no
 * values of the graph. */
void ct__print_results(ct__printer *p, const ct__node *node, size_t hidden);
/* A symbol not in use yet, made from text, and now in use. */
const char *ct__print_new_symbol(ct__printer *p, const char *text);
/* The symbol of a function, printed after those known so far. */
const char *ct__print_symbol_of(ct__printer *p, const ct__graph *graph);
/* @name, quoted where it must be; text in quotes. */
void ct__print_symbol(ct__printer *p, const char *symbol);
void ct__print_string(ct__printer *p, const char *text);

/* ---- Parts: print_parts.c */

void ct__print_type(ct__printer *p, const ct_type *type);
/* The type of a constant's data: of quantized tensors that of the stored integers. */
void ct__print_stored_type(ct__printer *p, const ct_type *type);
void ct__print_operands(ct__printer *p, const ct__node *node, size_t first, size_t count);
/* "T, U" of values. */
void ct__print_types(ct__printer *p, size_t count, const ct__id *id);
/* "(T, U) -> R" or "(T, U) -> (R, S)". */
void ct__print_signature(ct__printer *p, const ct__node *node, size_t n_operands);
/* A new line, "%3 = stablehlo.add %x, %y", and at the end " : (T, U) -> R". */
void ct__print_start(ct__printer *p, const ct__node *node, size_t n_operands);
void ct__print_end(ct__printer *p, const ct__node *node);
bool ct__are_all(ct__ints list, int64_t value);
/* "[0, 2]" */
void ct__print_list(ct__printer *p, ct__ints list);
/* "array<i64: 0, 2>" */
void ct__print_array(ct__printer *p, ct__ints list);
/* " {ct.strict}" */
void ct__print_strict(ct__printer *p, bool strict);

/* ---- Constants: print_literal.c, number.c */

/* "dense<…> : T"; of quantized tensors the stored integers. */
void ct__print_literal(ct__printer *p, const ct__literal *literal);
/* "dense<0.0> : T" */
void ct__print_zero(ct__printer *p, const ct_type *type);

#define CT__NUMBER_BYTES 72
/* One element of any dtype, in the fewest digits that read back bit by bit. */
const char *ct__print_number(ct_dtype dtype, const void *element, char buffer[CT__NUMBER_BYTES]);

/* The composite that has a form of its own where the module has the mesh that it names:
 * print_custom.c; false, and nothing is printed, for other composites. */
#define CT__SHARDING_CONSTRAINT "sdy.sharding_constraint"
bool ct__print_sharding(ct__printer *p, const ct__node *node);

/* ---- Composites: print_composite.c */

void ct__print_composite(ct__printer *p, const ct__node *node);
/* One of ours, named as its operation is spelled: up to "{", where its attributes begin, and from
 * behind the symbol of its decomposition, the last of them. */
void ct__print_own_start(ct__printer *p, const ct__node *node);
void ct__print_own_end(ct__printer *p, const ct__node *node);
/* The private functions that the printed composites name. */
void ct__print_decompositions(ct__printer *p);

/* ---- Operations with bodies: print_regions.c */

/* "{", "^bb0(%a: T):" with the n_own leading parameters, which are no captures, the statements, "}"
 */
void ct__print_region(ct__printer *p, const ct__node *node, const ct__graph *body, size_t n_own);

/* ---- Forms by attribute struct. */

#define ATTRS(name) void ct__print_form_##name(ct__printer *p, const ct__node *node);
#include "ops/attrs.def"

#endif
