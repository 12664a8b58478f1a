/* What builds operations from statements, among each other. */
#ifndef CT_INTEROP_STABLEHLO_READ_BUILD_H
#define CT_INTEROP_STABLEHLO_READ_BUILD_H

#include "interop/stablehlo/read_values.h"

#include <cotangent/op.h>

/* ---- Any operation of the table: read_build.c */

/* The row's attributes from the dictionary, then the operation on the statement's operands. */
bool ct__build_op(ct__reader *r, ct__statement *s, ct__op op);
/* The same under another name of the text; an error where the table lacks it. */
bool ct__build_as(ct__reader *r, ct__statement *s, const char *spelling);
/* The operation with these attributes; regions are unified, their captures become operands. */
bool ct__build_with(ct__reader *r, ct__statement *s, ct__op op, const ct__attrs *attrs);
/* The statement's only result is y, which must have the written type. */
bool ct__build_result(ct__reader *r, ct__statement *s, ct_tensor *y);
/* All s->result have the written types. */
bool ct__check_result_types(ct__reader *r, ct__statement *s);
/* Leave only operands first … first + count - 1. */
void ct__keep_operands(ct__statement *s, size_t first, size_t count);
bool ct__add_operand(ct__reader *r, ct__statement *s, ct_tensor *x, const char *at);
bool ct__check_operand_count(ct__reader *r, const ct__statement *s, size_t least, size_t most);
/* A constant of the open trace. */
ct_tensor *ct__build_literal(ct__reader *r, ct_place at, ct__literal *literal);
/* An integer scalar of this type. */
ct_tensor *ct__build_integer(ct__reader *r, ct_place at, const ct_type *scalar, int64_t value);
/* "operation 'x' is not supported" */
bool ct__fail_unsupported(ct__reader *r, const ct__statement *s);

/* ---- Open statements: read_open.c, read_probe.c */

/* Infer an open operation for some extents, and report what is wrong whatever they are. */
bool ct__infer_open(ct__reader *r, ct__statement *s, ct__op op, const ct__attrs *attrs,
                    size_t n_operands, ct_tensor *const *operand, ct__graph *const *graph);
bool ct__check_composite(ct__reader *r, ct__statement *s); /* of one that is open: read_open.c */

/* ---- Attributes: read_fields.c, read_use.c */

bool ct__fill_attrs(ct__reader *r, ct__statement *s, ct__op op, ct__attrs *attrs);
/* Structures of axis numbers become entries of the dictionary itself. */
bool ct__spread_structures(ct__reader *r, ct__statement *s);
/* "attribute 'key' is not WHAT" */
bool ct__fail_kind(ct__reader *r, const ct__statement *s, const char *key, const char *what);
bool ct__fail_missing(ct__reader *r, const ct__statement *s, const char *key);
/* The integers of a list or of dense data, row by row; false when it is neither. */
bool ct__attribute_ints(ct__reader *r, const ct__attribute *value, ct__ints *ints);

/* ---- Values of shapes: read_fold.c, read_dynamic.c */

/* The value of a tensor that depends on constants only; it is kept until the module has been read.
 * NULL: unknown, or after an error (r->ctx, which is not reported). */
const ct__literal *ct__fold_value(ct__reader *r, ct_tensor *x);
/* y - x where y has been computed as x + k or k + x: k, likewise. */
const ct__literal *ct__fold_difference(ct__reader *r, ct_tensor *y, ct_tensor *x);
/* The integers of operand i. An error in the text when it is not known. */
bool ct__fold_operand(ct__reader *r, ct__statement *s, size_t i, const char *what, ct__ints *ints);
/* "WHAT must be known when the program is read", which r->lacks_value then says too; when a
 * template is checked that is all, and the statement is open. */
bool ct__read_fail_value(ct__reader *r, const char *at, const char *what);
/* Result i's written type gets these extents; an error unless they agree. */
bool ct__refine_result(ct__reader *r, ct__statement *s, size_t i, ct__ints shape);

/* One region, which is the function of this name, without captures: read_custom.c */
bool ct__call_region(ct__reader *r, ct__statement *s, const char *symbol);

/* The stack type that ct.element and ct.depth of a dictionary describe, which are marked as used;
 * NULL: they describe none. read_header.c */
const ct_type *ct__use_stack(ct__reader *r, ct__dict *dict);

/* ---- Builders of single operations. NULL: none. */

typedef bool ct__builder(ct__reader *r, ct__statement *s);
ct__builder *ct__custom_builder(ct__span spelling);   /* read_custom.c */
ct__builder *ct__jax_builder(const ct__statement *s); /* of a custom call: read_jax.c */
ct__builder *ct__dynamic_builder(ct__span spelling);  /* read_dynamic.c */
ct__builder *ct__dynamic_check(ct__span spelling);    /* of an open statement */
ct__builder *ct__old_builder(ct__span spelling);      /* read_old.c */
ct__builder *ct__chlo_builder(ct__span spelling);     /* read_chlo.c; after the table */
/* A while loop whose count is known as a scan: then *done. */
bool ct__build_counted(ct__reader *r, ct__statement *s, bool *done);
ct__builder *ct__scan_builder(ct__span spelling); /* read_scan.c */
/* A while loop marked with ct.for as the for that it was: then *done. read_for.c */
bool ct__build_for(ct__reader *r, ct__statement *s, bool *done);
bool ct__build_sharding(ct__reader *r, ct__statement *s); /* read_sharding.c */
bool ct__build_einsum(ct__reader *r, ct__statement *s);   /* of one operand or two: read_einsum.c */

/* ---- Loops that the printer marks, statements "stablehlo.while": read_marked.c */

/* The tensor outside that a capturing parameter stands for; NULL for others. */
ct_tensor *ct__captured(const ct__region *region, ct__id id);
/* Whether the value is this integer constant, inside the region or outside. */
bool ct__is_integer(ct__reader *r, const ct__region *region, ct__id id, int64_t value);
/* Whether the first value that it carries counts from 0, by ones, while it is below a limit, which
 * is a value of the condition. */
bool ct__counts_up(ct__reader *r, const ct__statement *s, ct__id *limit);
/* A parameter of the open trace with the type and name of a value of the loop's body. */
ct_tensor *ct__param_like(ct__reader *r, const ct__statement *s, ct__id id);
/* The operation with this body, which the statement takes over, in place of the loop; the counter
 * is none of its results. */
bool ct__build_raised(ct__reader *r, ct__statement *s, const ct__region *body, ct__op op,
                      const ct__attrs *attrs);
/* The counter's last value comes first among the results. */
bool ct__add_first_result(ct__reader *r, ct__statement *s, ct_tensor *x);

/* Whether the spelling begins with the prefix, "chlo.", and goes on. */
static inline bool ct__is_dialect(ct__span spelling, const char *prefix)
{
    const size_t length = strlen(prefix);
    return spelling.length > length && memcmp(spelling.at, prefix, length) == 0;
}

/* A row of a file's table of builders, which a zeroed one ends. */
typedef struct ct__builder_row {
    const char *spelling;
    ct__builder *build;
} ct__builder_row;
ct__builder *ct__builder_in(const ct__builder_row *rows, ct__span spelling);

#endif
