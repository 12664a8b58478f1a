/* cotangent vmap FILE: a program for many lanes at once. */
#include "tools/tools.h"

#include <cotangent/ad.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static program_words program = {.of_lanes = true};
static run_words how;
static const char *in_axes, *out_axes, *size;
static bool emit;

static const option options[] = {
    ENTRY_OPTION(program),
    {"--in-axes", "0,none,1", "per argument where its lanes lie, or none; else 0", &in_axes, NULL,
     NULL},
    {"--out-axes", "0,1", "per result where its lanes are to lie, or none; else 0", &out_axes, NULL,
     NULL},
    {"--size", "N", "how many lanes; else as many as the inputs have", &size, NULL, NULL},
    {"--emit", NULL, "print the function as a StableHLO program and do not run it", NULL, NULL,
     &emit},
    {"--shapes", "5x3,scalar", "extents of a template's arguments, of one lane", &program.shapes,
     NULL, NULL},
    INPUT_OPTION(program),
    RANDOM_OPTION(how),
    OUTPUT_OPTION(how),
    EXEC_OPTION(how),
    WITHOUT_OPTION(how),
    TRAP_OPTION(how),
};

static const verb_text text = {
    "vmap", "FILE",
    "Do to many lanes what a function of a StableHLO program does to one. Axes count from 0, or\n"
    "from the end as -1; none is the same for all lanes.\n\n"
    "  takes   the function's arguments, with an axis more where they have lanes\n"
    "  gives   its results, with an axis more",
    options, sizeof options / sizeof *options};

typedef struct lanes {
    number_list in, out;
    long long size; /* -1: as the inputs say */
} lanes;

static ct_axes axes_of(const char *given, const number_list *list)
{
    return given ? (ct_axes){false, list->count, list->number} : CT_LEADING_AXES;
}

/* The extent of the first input that has lanes; -1 after the usage error. */
static int64_t count_lanes(const lanes *l, const array_list *list)
{
    for (size_t i = 0; i < list->count && (!in_axes || i < l->in.count); i++) {
        const int64_t axis = in_axes ? l->in.number[i] : 0;
        if (axis == CT_UNBATCHED)
            continue;
        const int64_t count = ct_dim(list->tensor[i], axis);
        if (count < 0)
            usage_error(&text, "input %zu, %s, has no axis %" PRId64, i,
                        ct_type_text(list->tensor[i]), axis);
        return count;
    }
    usage_error(&text, "no input says how many lanes there are; --size does");
    return -1;
}

static int vmap_function(ct_context *ctx, ct_function *f, array_list *list, const void *user)
{
    const lanes *l = user;
    int64_t count = l->size >= 0 ? l->size : count_lanes(l, list);
    if (count < 0)
        return FAILURE;
    ct_function *mapped = ct_vmap_at(list->at, f, count, axes_of(in_axes, &l->in),
                                     axes_of(out_axes, &l->out));
    if (ct_failed(ctx))
        return program_error(ctx, list->program);
    if (emit)
        return emit_function(ctx, mapped);
    result_name *name = name_results(mapped, "result");
    int status = name ? run_function(ctx, mapped, list, &how, name) : FAILURE;
    free(name);
    return status;
}

int vmap(int argc, char **argv)
{
    lanes l = {.size = -1};
    word_list files = {0, NULL};
    int status;
    if (parse(&text, argc, argv, &files, &status)) {
        status = FAILURE;
        if (check_words(&text, &files, &how) &&
            (!in_axes || parse_axes(&text, "--in-axes", in_axes, &l.in)) &&
            (!out_axes || parse_axes(&text, "--out-axes", out_axes, &l.out)) &&
            (!size || parse_number(&text, "--size", size, 0, INT64_MAX, &l.size)))
            status = with_function(&text, files.word[0], &program, vmap_function, &l);
    }
    free(l.in.number);
    free(l.out.number);
    free(files.word);
    free(program.inputs.word);
    return status;
}
