/* Modules: programs in StableHLO's text form, in and out.
 *
 * A module holds functions by name. Its text is read once, checked as the following says, and
 * released with the module; functions that were taken from it live on.
 *
 * A function whose parameters have extents "?", or a private one whose shapes depend on the values
 * of its arguments, is a template: it is read again, when the extents are known, for each
 * ct_specialize, and for calls once per types and known integers of their operands; only where its
 * results may be shapes is it read in place of each call. Of other functions all is checked when
 * the module is read, of templates then
 *
 *   - the syntax of every statement, the names of operations, the form of attributes and constants;
 *   - that every value is defined before its use, and every function that is called is there, takes
 *     so many arguments and gives so many results of such types, and does not call itself;
 *   - that types agree where they are written twice, "?" fitting any extent;
 *   - all that inference says of statements whose types have no "?" and whose shapes are no values;
 *   - of the other statements what does not depend on extents: numbers of operands and results,
 *     dtypes, ranks, axes, and of elementwise operations that shapes are one.
 *
 * Left to ct_specialize is what depends on "?": whether extents fit each other and attributes, and
 * whether the values of shapes are known. Several errors are reported in one message. */
#ifndef COTANGENT_MODULE_H
#define COTANGENT_MODULE_H

#include "trace.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ct_module ct_module;

/* Read a file, or text of `length` bytes which messages call `name`. Owned by the current scope; on
 * failure a poisoned module, and the context holds CT_ERR_TEXT: one or more lines
 * "model.mlir:12:7: expected …, found …", each with the line and a caret; or CT_ERR_FILE for a file
 * that cannot be read, or that holds several modules (see below). */
CT_API ct_module *ct_read_stablehlo_at(ct_place at, ct_context *ctx, const char *path);
CT_API ct_module *ct_read_stablehlo_text_at(ct_place at, ct_context *ctx, const char *name,
                                            const char *text, size_t length);
#define ct_read_stablehlo(...) ct_read_stablehlo_at(CT_HERE, __VA_ARGS__)
#define ct_read_stablehlo_text(...) ct_read_stablehlo_text_at(CT_HERE, __VA_ARGS__)

/* Files of several modules, parted by lines with "// -----": how many there are (at least 1), and
 * one of them. Messages give lines of the whole text. */
CT_API size_t ct_stablehlo_parts(const char *text, size_t length);
CT_API ct_module *ct_read_stablehlo_part_at(ct_place at, ct_context *ctx, const char *name,
                                            const char *text, size_t length, size_t part);
#define ct_read_stablehlo_part(...) ct_read_stablehlo_part_at(CT_HERE, __VA_ARGS__)

/* The parts in turn, for reading many of them: each is found where the last one ended.
 *
 *     ct_stablehlo_part part = {0};
 *     while (ct_stablehlo_next_part(text, length, &part))
 *         ct_read_stablehlo_lines(ctx, name, part.text, part.length, part.line);
 *
 * part.line is the line of the whole text on which the part begins, and that of messages is counted
 * from it. */
typedef struct ct_stablehlo_part {
    const char *text; /* of the whole text, borrowed; NULL at first */
    size_t length;
    int line;
} ct_stablehlo_part;
CT_API bool ct_stablehlo_next_part(const char *text, size_t length, ct_stablehlo_part *part);
CT_API ct_module *ct_read_stablehlo_lines_at(ct_place at, ct_context *ctx, const char *name,
                                             const char *text, size_t length, int first_line);
#define ct_read_stablehlo_lines(...) ct_read_stablehlo_lines_at(CT_HERE, __VA_ARGS__)

/* The first line, of the whole text, on which the comments of a part say that it is wrong,
 * "// expected-error@+1 {{message}}"; 0: nowhere. */
CT_API int ct_stablehlo_expected_error(const char *text, size_t length, size_t part);

/* ---- What is in it. Defined for NULL and poison: "", 0, poison. */

CT_API bool ct_module_is_poison(const ct_module *module);
CT_API const char *ct_module_name(const ct_module *module);
CT_API size_t ct_module_functions(const ct_module *module); /* private ones too, as in the text */
CT_API const char *ct_module_function_name(const ct_module *module, size_t i);
/* The value of one of the module's attributes, `module attributes {a.b = 1.0e-5 : f64}`, as it
 * stands in the text, "1.0e-5 : f64", strings with their quotation marks; "" for one without a
 * value. NULL: there is none of this name. */
CT_API const char *ct_module_attribute(const ct_module *module, const char *name);
/* The same of an integer or a float; false, and nothing is written, where it is neither. */
CT_API bool ct_module_number(const ct_module *module, const char *name, double *number);

/* The function of this name; NULL: "main", or the only one. CT_ERR_ARGUMENT for a name that is not
 * there, with those that are. A template (a type with "?") is CT_ERR_TYPE, at its place in the
 * text: specialise it first.
 */
CT_API ct_function *ct_module_function_at(ct_place at, ct_module *module, const char *name);
#define ct_module_function(...) ct_module_function_at(CT_HERE, __VA_ARGS__)

/* The function of this name with "?" extents replaced by those of the examples, of which only types
 * are read. Shapes that it computes from them are folded; what stays unknown is an error at its
 * place in the text. */
CT_API ct_function *ct_specialize_at(ct_place at, ct_module *module, const char *name,
                                     ct_list examples);
#define ct_specialize(...) ct_specialize_at(CT_HERE, __VA_ARGS__)

/* The same for these shapes, one for each parameter, of the element types that the text declares.
 * CT_ERR_ARGUMENT for another number of shapes, CT_ERR_SHAPE for what makes no type. */
CT_API ct_function *ct_specialize_shapes_at(ct_place at, ct_module *module, const char *name,
                                            size_t count, const ct_shape *shapes);
#define ct_specialize_shapes(...) ct_specialize_shapes_at(CT_HERE, __VA_ARGS__)
/* How many parameters the function of this name has, a template or not; 0 for none of this name. */
CT_API size_t ct_module_parameters(const ct_module *module, const char *name);

/* Where the function of this name begins in the text; {NULL, 0, 0} for none of this name. The name
 * of the file lives as long as the module. */
CT_API ct_place ct_module_place(const ct_module *module, const char *name);

/* ---- Out. */

typedef enum ct_write_flags {
    CT_WRITE_PRETTY = 0,  /* as StableHLO's own printer */
    CT_WRITE_GENERIC = 1, /* every operation in the generic form */
    CT_WRITE_PLACES = 2   /* with loc("loss.c":42:0) */
} ct_write_flags;

/* Write f as the function @main of a module. CT_ERR_FILE when the file cannot be written. */
CT_API void ct_write_stablehlo_at(ct_place at, ct_function *f, const char *path, unsigned flags);
/* The same as text, owned by the current scope; "" on failure. */
CT_API const char *ct_stablehlo_text_at(ct_place at, ct_function *f, unsigned flags);
#define ct_write_stablehlo(...) ct_write_stablehlo_at(CT_HERE, __VA_ARGS__)
#define ct_stablehlo_text(...) ct_stablehlo_text_at(CT_HERE, __VA_ARGS__)

#ifdef __cplusplus
}
#endif
#endif
