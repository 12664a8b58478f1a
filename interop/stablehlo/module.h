/* Modules that have been read: read.c, and specialize.c, which makes functions of their templates.
 */
#ifndef CT_INTEROP_STABLEHLO_MODULE_H
#define CT_INTEROP_STABLEHLO_MODULE_H

#include "interop/stablehlo/read_module.h"

/* A function taken from the text. */
typedef struct ct__module_function {
    const char *name;
    ct_place place;   /* in the text */
    ct__graph *graph; /* counted; NULL: a template */
    size_t n_params;
    const ct_type **param; /* of a template, as it declares them; NULL: its header is wrong */
} ct__module_function;

typedef struct ct__module_attribute {
    const char *name, *value;
    bool is_number;
    double number;
} ct__module_attribute;

/* A template for parameters of these types. */
typedef struct ct__module_special {
    struct ct__module_special *next;
    const ct__module_function *function;
    ct__type_list types;
    ct__graph *graph; /* counted */
} ct__module_special;

struct ct_module {
    ct__handle handle;
    bool is_poison;
    ct__arena arena; /* of what follows */
    const char *name, *text_name;
    size_t n_functions;
    ct__module_function *function;
    ct__map names; /* of functions; count: position */
    size_t n_attributes;
    ct__module_attribute *attribute;
    ct__module_special *special;
    /* for templates, which are read again */
    char *text;
    size_t text_length;
    int first_line;
};

/* The function of this name (NULL: main, or the only one), where the module may be used by `what`;
 * NULL after reporting an error, or having none to report it to. */
const ct__module_function *ct__module_ask(ct_place at, const ct_module *module, const char *what,
                                          const char *name);
/* Copies in the arena, which tells when memory is short. */
const ct_type **ct__copy_types(ct__arena *arena, size_t n, const ct_type *const *type);

#endif
