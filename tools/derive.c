/* cotangent grad|jvp|vjp|hvp FILE: a program's derivatives, run on arrays or written as programs.
 */
#include "tools/tools.h"

#include <cotangent/ad.h>

#include <stdio.h>
#include <stdlib.h>

static program_words program;
static run_words how;
static const char *wrt;
static bool emit;

static const option options[] = {
    ENTRY_OPTION(program),
    {"--wrt", "0,2", "arguments to derive by, from 0; else all of floats or complex numbers", &wrt,
     NULL, NULL},
    {"--emit", NULL, "print the derivative as a StableHLO program and do not run it", NULL, NULL,
     &emit},
    SHAPES_OPTION(program),
    INPUT_OPTION(program),
    RANDOM_OPTION(how),
    OUTPUT_OPTION(how),
    EXEC_OPTION(how),
    WITHOUT_OPTION(how),
    TRAP_OPTION(how),
};
#define OPTIONS options, sizeof options / sizeof *options

static const verb_text grad_text = {
    "grad", "FILE",
    "The gradient of a function of a StableHLO program that gives one number.\n\n"
    "  takes   the function's arguments\n"
    "  gives   gradient K, for each argument K that --wrt names",
    OPTIONS};
static const verb_text jvp_text = {
    "jvp", "FILE",
    "The derivative of a function of a StableHLO program along tangents (forward).\n\n"
    "  takes   the function's arguments, then a tangent for each argument that --wrt names\n"
    "  gives   its results, then tangent K, for each result K of floats or complex numbers",
    OPTIONS};
static const verb_text vjp_text = {
    "vjp", "FILE",
    "The derivative of a function of a StableHLO program from cotangents (reverse).\n\n"
    "  takes   the function's arguments, then a cotangent for each result of floats or complex\n"
    "          numbers\n"
    "  gives   cotangent K, for each argument K that --wrt names",
    OPTIONS};
static const verb_text hvp_text = {
    "hvp", "FILE",
    "The derivative along tangents of a function's gradient (forward over reverse): the products\n"
    "of its Hessian with them. Where it gives more than one number, of its vjp, at cotangents "
    "that\n"
    "stay fixed.\n\n"
    "  takes   the function's arguments, the cotangents of its vjp if there are any, then a\n"
    "          tangent for each argument that --wrt names\n"
    "  gives   gradient K, then product K, for each argument K that --wrt names",
    OPTIONS};

/* ---- Which arguments. */

static bool has_derivative(const ct_type *type)
{
    ct_dtype dtype = ct_type_dtype(type);
    return ct_dtype_is_float(dtype) || ct_dtype_is_complex(dtype);
}

/* Positions of all arguments with derivatives, to be freed; false after saying that memory is
 * short. */
static bool find_all(const ct_function *f, number_list *list)
{
    list->number = calloc(ct_function_parameters(f) + 1, sizeof *list->number);
    for (size_t i = 0; list->number && i < ct_function_parameters(f); i++)
        if (has_derivative(ct_parameter_type(f, i)))
            list->number[list->count++] = (int64_t)i;
    if (!list->number)
        fprintf(stderr, "cotangent: out of memory\n");
    return list->number;
}

/* ---- What is derived, and what its results are called. */

typedef ct_function *transform(ct_place at, ct_function *f, ct_args by);

static ct_function *derive_grad(ct_place at, ct_function *f, ct_args by)
{
    return ct_grad_at(at, f, by);
}

static ct_function *derive_jvp(ct_place at, ct_function *f, ct_args by)
{
    return ct_jvp_at(at, f, by);
}

static ct_function *derive_vjp(ct_place at, ct_function *f, ct_args by)
{
    return ct_vjp_at(at, f, by);
}

static bool gives_a_number(const ct_function *f)
{
    const ct_type *type = ct_result_type(f, 0);
    return ct_function_results(f) == 1 && ct_type_shape(type).count == 0 &&
           ct_dtype_is_float(ct_type_dtype(type));
}

/* The arguments stand first in the gradient as well, so their positions are the same. What is wrong
 * with the arguments is told of hvp, not of its first half. */
static ct_function *derive_hvp(ct_place at, ct_function *f, ct_args by)
{
    ct_context *ctx = ct_function_context(f);
    ct_function *first = gives_a_number(f) ? derive_grad(at, f, by) : derive_vjp(at, f, by);
    ct_place wrong = ct_error_place(ctx);
    bool is_here = wrong.line == at.line && wrong.column == at.column;
    if (ct_failed(ctx) && is_here && ct_error_status(ctx) != CT_ERR_MEMORY) {
        ct_error_clear(ctx);
        return ct_hvp_at(at, f, by);
    }
    return derive_jvp(at, first, by);
}

/* Names for the arguments that were derived by; returns how many. */
static size_t name_arguments(result_name *name, const char *what, const number_list *by)
{
    for (size_t i = 0; i < by->count; i++)
        name[i] = (result_name){what, (size_t)by->number[i]};
    return by->count;
}

static void name_jvp(result_name *name, const ct_function *f)
{
    size_t n = ct_function_results(f), next = n;
    for (size_t i = 0; i < n; i++) {
        name[i] = (result_name){"result", i};
        if (has_derivative(ct_result_type(f, i)))
            name[next++] = (result_name){"tangent", i};
    }
}

static result_name *name_all(transform *derive, const ct_function *f, const ct_function *derived,
                             const number_list *by)
{
    result_name *name = new_names(derived);
    if (!name)
        return NULL;
    if (derive == derive_jvp)
        name_jvp(name, f);
    else if (derive == derive_hvp)
        name_arguments(name + name_arguments(name, "gradient", by), "product", by);
    else
        name_arguments(name, derive == derive_grad ? "gradient" : "cotangent", by);
    return name;
}

/* ---- The verbs. */

typedef struct derivation {
    transform *derive;
    number_list given; /* by --wrt */
} derivation;

static int derive_by(const derivation *d, ct_context *ctx, ct_function *f, array_list *list,
                     const number_list *by)
{
    ct_args args = by->count ? (ct_args){false, by->count, by->number} : CT_ALL_ARGS;
    ct_function *derived = d->derive(list->at, f, args);
    if (ct_failed(ctx))
        return program_error(ctx, list->program);
    if (emit)
        return emit_function(ctx, derived);
    result_name *name = name_all(d->derive, f, derived, by);
    int status = name ? run_function(ctx, derived, list, &how, name) : FAILURE;
    free(name);
    return status;
}

static int derive_function(ct_context *ctx, ct_function *f, array_list *list, const void *user)
{
    const derivation *d = user;
    number_list all = {0, NULL};
    int status = FAILURE;
    if (wrt)
        status = derive_by(d, ctx, f, list, &d->given);
    else if (find_all(f, &all))
        status = derive_by(d, ctx, f, list, &all);
    free(all.number);
    return status;
}

static int derive_words(const verb_text *verb, transform *derive, int argc, char **argv)
{
    derivation d = {derive, {0, NULL}};
    word_list files = {0, NULL};
    int status;
    if (parse(verb, argc, argv, &files, &status)) {
        status = FAILURE;
        if (check_words(verb, &files, &how) &&
            (!wrt || parse_numbers(verb, "--wrt", wrt, &d.given)))
            status = with_function(verb, files.word[0], &program, derive_function, &d);
    }
    free(d.given.number);
    free(files.word);
    free(program.inputs.word);
    return status;
}

int grad(int argc, char **argv)
{
    return derive_words(&grad_text, derive_grad, argc, argv);
}

int jvp(int argc, char **argv)
{
    return derive_words(&jvp_text, derive_jvp, argc, argv);
}

int vjp(int argc, char **argv)
{
    return derive_words(&vjp_text, derive_vjp, argc, argv);
}

int hvp(int argc, char **argv)
{
    return derive_words(&hvp_text, derive_hvp, argc, argv);
}
