#include "tools/steps.h"
#include "tools/tools.h"

#include <cotangent/exec.h>
#include <cotangent/profile.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* The names of the passes behind `after`, and of those to do without, with commas between them. */
static void list_off(const char *after, const char *without, char *list, size_t bytes)
{
    bool is_behind = false;
    const char *name;
    size_t length = (size_t)snprintf(list, bytes, "%s", without ? without : "");
    for (size_t i = 0; after && (name = ct_pass_name(i, NULL)) && length < bytes; i++) {
        if (is_behind)
            length += (size_t)snprintf(list + length, bytes - length, "%s%s", length ? "," : "",
                                       name);
        is_behind = is_behind || strcmp(name, after) == 0;
    }
}

static void print_operations(const ct_instance *run, size_t step, int depth)
{
    const char *name;
    ct_place at;
    for (size_t k = 0; ct_profile_operation(run, step, k, &name, &at); k++)
        if (at.file)
            printf("%*s%-24s %s:%d\n", 4 * depth + 4, "", name, at.file, at.line);
        else
            printf("%*s%s\n", 4 * depth + 4, "", name);
}

static void print_all(const ct_instance *run)
{
    ct_profile_step step;
    for (size_t i = 0; ct_profile_step_at(run, i, &step); i++) {
        printf("%*sstep %zu: %zu operation%s, %" PRIu64 " bytes, %" PRIu64 " flops\n",
               4 * step.depth, "", i, step.operations, step.operations == 1 ? "" : "s", step.bytes,
               step.flops);
        print_operations(run, i, step.depth);
    }
}

bool print_steps(ct_function *f, const char *after, const char *without)
{
    char off[512];
    list_off(after && strcmp(after, "all") != 0 ? after : NULL, without, off, sizeof off);
    const ct_compile_options options = {
        .size = sizeof options, .executor = CT_EXECUTOR_CPU, .jit = CT_JIT_OFF, .passes_off = off};
    ct_executable *e = ct_compile_at(NOWHERE, f, &options);
    if (ct_failed(ct_function_context(f)))
        return false;
    ct_instance *run = ct_instance_new(e);
    const bool fine = run && ct_profile_begin(run) == CT_OK;
    if (fine)
        print_all(run);
    else
        fprintf(stderr, "cotangent: out of memory\n");
    if (run)
        ct_instance_free(run);
    return fine;
}
