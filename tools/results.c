#include "tools/tools.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- Names. */

result_name *new_names(const ct_function *f)
{
    result_name *name = calloc(ct_function_results(f) + 1, sizeof *name);
    if (!name)
        fprintf(stderr, "cotangent: out of memory\n");
    return name;
}

result_name *name_results(const ct_function *f, const char *what)
{
    result_name *name = new_names(f);
    for (size_t i = 0; name && i < ct_function_results(f); i++)
        name[i] = (result_name){what, i};
    return name;
}

/* ---- Printing and writing. */

static void print_results(ct_tensor *const *result, const result_name *name, size_t count)
{
    for (size_t i = 0; i < count; i++)
        printf("%s %zu: %s\n%s\n", name[i].what, name[i].number, ct_type_text(result[i]),
               ct_text(result[i]));
}

static int write_folder(ct_context *ctx, ct_tensor *const *result, const result_name *name,
                        size_t count, const char *folder)
{
    char path[PATH_BYTES], file[64];
    if (mkdir(folder, 0777) != 0 && errno != EEXIST) {
        fprintf(stderr, "cotangent: %s: %s\n", folder, strerror(errno));
        return FAILURE;
    }
    for (size_t i = 0; i < count; i++) {
        snprintf(file, sizeof file, "%s_%zu.npy", name[i].what, name[i].number);
        if (!join_path(path, folder, file))
            return FAILURE;
        ct_write_npy_at(NOWHERE, result[i], path);
    }
    return ct_failed(ctx) ? input_error(ctx) : SUCCESS;
}

static int write_archive(ct_context *ctx, ct_tensor *const *result, const result_name *name,
                         size_t count, const char *path)
{
    char(*text)[64] = malloc((count + 1) * sizeof *text);
    const char **texts = malloc((count + 1) * sizeof *texts);
    for (size_t i = 0; text && texts && i < count; i++) {
        snprintf(text[i], sizeof text[i], "%s_%zu", name[i].what, name[i].number);
        texts[i] = text[i];
    }
    if (text && texts)
        ct_write_npz_at(NOWHERE, ctx, path, texts, CT_LIST(count, result));
    else
        fprintf(stderr, "cotangent: out of memory\n");
    int status = !text || !texts ? FAILURE : ct_failed(ctx) ? input_error(ctx) : SUCCESS;
    free(texts);
    free(text);
    return status;
}

static int give(ct_context *ctx, ct_tensor *const *result, const result_name *name, size_t count,
                const char *output)
{
    size_t length = output ? strlen(output) : 0;
    if (!output)
        print_results(result, name, count);
    else if (length > 4 && strcmp(output + length - 4, ".npz") == 0)
        return write_archive(ctx, result, name, count, output);
    else
        return write_folder(ctx, result, name, count, output);
    return SUCCESS;
}

int emit_function(ct_context *ctx, ct_function *f)
{
    const char *program = ct_stablehlo_text_at(NOWHERE, f, CT_WRITE_PRETTY);
    if (ct_failed(ctx))
        return input_error(ctx);
    fputs(program, stdout);
    return SUCCESS;
}

/* ---- Running. */

/* What the program checked and printed. */
static int report(const ct_checks *checks)
{
    fputs(ct_checks_printed(checks), stdout);
    for (size_t i = 0; i < ct_checks_failed(checks); i++)
        printf("%s\n", ct_checks_failure(checks, i));
    return ct_checks_failed(checks) ? FAILED_CHECK : SUCCESS;
}

int run_function(ct_context *ctx, ct_function *f, array_list *list, const run_words *how,
                 const result_name *name)
{
    size_t count = ct_function_results(f);
    ct_tensor **result = calloc(count + 1, sizeof *result);
    int status = FAILURE;
    if (!result)
        fprintf(stderr, "cotangent: out of memory\n");
    else if (fit_inputs(ctx, f, list, how->seed)) {
        ct_executable *executable = compile_for(f, how->executor);
        ct_call_at(NOWHERE, executable, CT_LIST(list->count, list->tensor), result, count);
        int found = report(list->checks);
        status = ct_failed(ctx) ? input_error(ctx) : give(ctx, result, name, count, how->output);
        status = status == SUCCESS ? found : status;
    }
    free(result);
    return status;
}
