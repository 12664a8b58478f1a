#include "exec/passes/passes.h"
#include "exec/passes/rules.h"

#include <cotangent/exec.h>

#include <assert.h>
#include <string.h>

enum {
    FOLD_BYTES = 4096,
    MOST_OPERATIONS = 20000 /* that inlining makes */
};

static const struct row {
    const char *name, *what;
    unsigned rewrite;
} rows[CT__N_LOWERINGS] = {
    [CT__INLINING] = {"inlining", "functions in place of their calls", CT__REWRITE_CALLS},
    [CT__IDENTITIES] = {"identities", "x*1, transpose of a transpose, ...", CT_REWRITE_IDENTITIES},
    [CT__FOLDING] = {"folding", "operations on constants", CT_REWRITE_FOLDING},
    [CT__BRANCHES] = {"branches", "choices by a constant", CT_REWRITE_BRANCHES},
    [CT__MERGING] = {"merging", "equal operations become one", CT_REWRITE_MERGING},
    [CT__DROPPING] = {"dropping", "what nobody needs goes", CT_REWRITE_DROPPING},
    [CT__DOTS] = {"dots", "transpositions as dimension numbers of products", 0},
    [CT__SHIFTING] = {"shifting", "pads of what is cheap to compute, in place", 0},
    [CT__HOISTING] = {"hoisting", "what is the same in every iteration, before the loop", 0},
    [CT__ORDER] = {"order", "steps in the order in which they wait least", 0},
    [CT__VIEWS] = {"views", "what moves data is read at index maps", 0},
    [CT__AGAIN] = {"again", "large values that are cheap are computed again, not kept", 0},
    [CT__FOLDS] = {"folds", "folds along with what makes their elements", 0},
    [CT__FUSION] = {"fusion", "several operations as one step", 0},
};

/* ---- Names. */

static bool find_pass(const char *name, size_t length, unsigned *bits)
{
    if (length == strlen("all") && strncmp(name, "all", length) == 0) {
        *bits |= (1u << CT__N_LOWERINGS) - 1;
        return true;
    }
    for (unsigned i = 0; i < CT__N_LOWERINGS; i++)
        if (strlen(rows[i].name) == length && strncmp(name, rows[i].name, length) == 0) {
            *bits |= 1u << i;
            return true;
        }
    return false;
}

bool ct__passes_off(ct_context *ctx, ct_place at, const char *what, const char *names,
                    unsigned *bits)
{
    *bits = 0;
    while (names && *names) {
        const size_t length = strcspn(names, ",");
        if (!find_pass(names, length, bits)) {
            ct__error(ctx, at, CT_ERR_ARGUMENT, "%s: there is no pass called '%.*s'", what,
                      (int)length, names);
            return false;
        }
        names += length;
        names += *names == ',';
    }
    return true;
}

const char *ct_pass_name(size_t position, const char **what)
{
    if (position >= CT__N_LOWERINGS)
        return NULL;
    if (what)
        *what = rows[position].what;
    return rows[position].name;
}

/* ---- Rewrites. */

static void check(const ct__graph *graph)
{
#ifndef NDEBUG
    char text[512];
    assert(!graph || !ct__find_flaw(&ct__libc_allocator, graph, text, sizeof text));
#else
    (void)graph;
#endif
}

static ct__graph *rewrite(ct_context *ctx, ct_place at, ct__graph *graph, unsigned off)
{
    ct__rewriter r = {
        .ctx = ctx, .at = at, .fold_bytes = FOLD_BYTES, .operations = MOST_OPERATIONS};
    for (unsigned i = 0; i < CT__N_LOWERINGS; i++)
        r.rewrites |= ct__is_off(off, i) ? 0 : rows[i].rewrite;
    if (!ct__is_off(off, CT__DOTS))
        r.rule[0] = ct__lower_dot;
    if (!ct__is_off(off, CT__HOISTING))
        r.rule[1] = ct__hoist;
    if (!ct__is_off(off, CT__SHIFTING))
        r.rule[2] = ct__shift;
    if (r.rewrites == 0 && !r.rule[0] && !r.rule[1] && !r.rule[2])
        return ct__graph_retain(graph);
    ct__graph *lowered = ct__rewrite_with(&r, graph);
    check(lowered);
    return lowered;
}

/* Bits of the passes behind the one with this bit, or behind all with bits in it. */
static unsigned behind(unsigned bits)
{
    unsigned later = 0;
    for (unsigned i = 0; i < CT__N_LOWERINGS; i++)
        later |= bits < 1u << i ? 1u << i : 0;
    return later;
}

/* What is there after each pass: all rewrites are one walk, so that each stage is made anew. Not
 * where memory fails on purpose, which would fail as often. False after an error. */
static bool check_stages(ct_context *ctx, ct_place at, ct__graph *graph, unsigned off)
{
#ifndef NDEBUG
    enum { MOST_NODES = 1000 };
    const bool is_checked = graph->n_nodes <= MOST_NODES &&
                            ctx->allocator.allocate == ct__libc_allocator.allocate;
    for (unsigned i = 0; is_checked && i < CT__ORDER; i++) {
        ct__graph *stage = ct__is_off(off, i) ? NULL
                                              : rewrite(ctx, at, graph, off | behind(1u << i));
        if (ct_failed(ctx))
            return false;
        ct__graph_release(stage);
    }
#else
    (void)ctx, (void)at, (void)graph, (void)off;
#endif
    return true;
}

ct__graph *ct__lower(ct_context *ctx, ct_place at, ct__graph *graph, unsigned off)
{
    return check_stages(ctx, at, graph, off) ? rewrite(ctx, at, graph, off) : NULL;
}

/* ---- To be looked at. */

/* Bits of the passes behind this one. */
static bool find_later(ct_context *ctx, ct_place at, const char *after, unsigned *later)
{
    unsigned bit;
    *later = 0;
    if (!after)
        return true;
    if (!ct__passes_off(ctx, at, "lower", after, &bit))
        return false;
    *later = behind(bit);
    return true;
}

ct_function *ct_lower_at(ct_place at, ct_function *f, const char *passes_off, const char *after)
{
    ct_context *ctx = ct_function_context(f);
    unsigned off, later;
    if (!ct__function_check(ctx, at, "lower", f) ||
        !ct__passes_off(ctx, at, "lower", passes_off, &off) || !find_later(ctx, at, after, &later))
        return ct__poison_function(ctx);
    return ct__function_new(ctx, at, ct__lower(ctx, at, f->graph, off | later));
}
