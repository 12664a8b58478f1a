/* What the public transforms share: which arguments are differentiated, and the frame around the
 * work (wrt.c); forward and linearized graphs (transforms.c, linearize.c). */
#ifndef CT_AD_WRT_H
#define CT_AD_WRT_H

#include "ad/derive.h"

/* Which arguments, in the order named, and which parameters are theirs. */
typedef struct ct__selection {
    size_t n_arguments;
    size_t *argument;
    bool *named;   /* per argument of f */
    size_t *first; /* per argument of f: its first parameter */
    bool *wrt;     /* per parameter */
} ct__selection;

/* One call of a transform. */
typedef struct ct__work {
    ct_context *ctx;
    ct_place at;
    const char *what;
    ct__graph *graph; /* of f */
    ct__arena *arena;
    ct__selection selected;
    const void *options; /* of the transform */
} ct__work;

/* The derived graph, the caller's; NULL after an error. */
typedef ct__graph *ct__transform(const ct__work *w);
ct_function *ct__transform_function(ct_place at, const char *what, ct_function *f, ct_args args,
                                    ct__transform *apply, const void *options);
/* False after an error. */
bool ct__select_arguments(ct_context *ctx, ct_place at, const char *what, const ct__graph *graph,
                          ct_args args, ct__arena *arena, ct__selection *s);

/* Argument groups of derived functions: f's own (perhaps without some), those of the tangents, then
 * n_single more. False when memory is short. */
bool ct__set_groups(ct__graph *derived, const ct__graph *graph, const ct__selection *without,
                    const ct__selection *tangents, size_t n_single);
size_t ct__count_float_results(const ct__graph *graph);
/* Leaves of the named arguments in the order named: order[k] is the position of the k-th one among
 * the selected parameters, which transforms keep in the order of parameters. */
size_t *ct__named_leaves(const ct__graph *graph, const ct__selection *s, ct__arena *arena,
                         size_t *n_leaves);
/* The derived graph, or NULL after releasing it when `fine` is false. */
ct__graph *ct__checked(const ct__work *w, ct__graph *derived, bool fine);
/* "WHAT_F"; false when memory is short. */
bool ct__name_graph(ct__graph *graph, const char *what, const char *of);

/* The forward derivative with its tangent parameters in the order of parameters, not of names.
 * asked: of which results, NULL: of all. */
ct__graph *ct__forward_graph(const ct__work *w, const bool *asked);
/* Which parameters of the forward derivative are tangents. */
bool *ct__tangent_params(const ct__graph *graph, const ct__graph *forward, ct__arena *arena);
/* The gradient of the only result. */
ct__graph *ct__grad_graph(const ct__work *w);
/* The two graphs of ct_linearize; the tangent's params are residuals, then the named leaves in the
 * order named. False after an error; ct__cut_free lets go of both. */
bool ct__linearized(const ct__work *w, ct__cut *cut);

#endif
