#include "tools/tools.h"

#include <errno.h>
#include <inttypes.h>
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

/* ---- What is printed or written: results, and in place of a tuple its elements. */

typedef struct value {
    const char *what;
    char number[64]; /* "7"; of elements "7.0", in files "7_0" */
    ct_tensor *x;
} value;

typedef struct value_list {
    size_t count, capacity;
    value *item;
} value_list;

static value *add_value(value_list *list)
{
    if (list->count == list->capacity) {
        size_t capacity = 2 * list->capacity + 8;
        value *more = realloc(list->item, capacity * sizeof *more);
        if (!more) {
            fprintf(stderr, "cotangent: out of memory\n");
            return NULL;
        }
        list->item = more;
        list->capacity = capacity;
    }
    return &list->item[list->count++];
}

/* A tuple so deep that its elements have no room for their numbers stays whole. */
static bool add_values(value_list *list, const value *v, char dot)
{
    const size_t n = ct_tuple_size(v->x), length = strlen(v->number);
    bool fine = true;
    if (n == 0 || length + 22 > sizeof v->number) {
        value *added = add_value(list);
        if (added)
            *added = *v;
        return added != NULL;
    }
    for (size_t i = 0; fine && i < n; i++) {
        value element = *v;
        snprintf(element.number + length, sizeof element.number - length, "%c%zu", dot, i);
        element.x = ct_op_get_tuple_element_at(NOWHERE, v->x, (int64_t)i);
        fine = add_values(list, &element, dot);
    }
    return fine;
}

static bool list_values(ct_tensor *const *result, const result_name *name, size_t count, char dot,
                        value_list *list)
{
    bool fine = true;
    for (size_t i = 0; fine && i < count; i++) {
        value v = {.what = name[i].what, .x = result[i]};
        snprintf(v.number, sizeof v.number, "%zu", name[i].number);
        fine = add_values(list, &v, dot);
    }
    return fine;
}

/* ---- Printing and writing. */

static void print_values(const value_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        const value *v = &list->item[i];
        printf("%s %s: %s\n%s\n", v->what, v->number, ct_type_text(v->x), ct_text(v->x));
    }
}

static int write_folder(ct_context *ctx, const value_list *list, const char *folder)
{
    char path[PATH_BYTES], file[128];
    if (mkdir(folder, 0777) != 0 && errno != EEXIST) {
        fprintf(stderr, "cotangent: %s: %s\n", folder, strerror(errno));
        return FAILURE;
    }
    for (size_t i = 0; i < list->count; i++) {
        const value *v = &list->item[i];
        snprintf(file, sizeof file, "%s_%s.npy", v->what, v->number);
        if (!join_path(path, folder, file))
            return FAILURE;
        ct_write_npy_at(NOWHERE, v->x, path);
    }
    return ct_failed(ctx) ? input_error(ctx) : SUCCESS;
}

static int write_archive(ct_context *ctx, const value_list *list, const char *path)
{
    const size_t n = list->count;
    char(*text)[128] = malloc((n + 1) * sizeof *text);
    const char **texts = malloc((n + 1) * sizeof *texts);
    ct_tensor **x = malloc((n + 1) * sizeof *x);
    const bool fine = text && texts && x;
    for (size_t i = 0; fine && i < n; i++) {
        snprintf(text[i], sizeof text[i], "%s_%s", list->item[i].what, list->item[i].number);
        texts[i] = text[i];
        x[i] = list->item[i].x;
    }
    if (fine)
        ct_write_npz_at(NOWHERE, ctx, path, texts, CT_LIST(n, x));
    else
        fprintf(stderr, "cotangent: out of memory\n");
    int status = !fine ? FAILURE : ct_failed(ctx) ? input_error(ctx) : SUCCESS;
    free(x);
    free(texts);
    free(text);
    return status;
}

static int give(ct_context *ctx, ct_tensor *const *result, const result_name *name, size_t count,
                const char *output)
{
    size_t length = output ? strlen(output) : 0;
    value_list list = {0, 0, NULL};
    int status = FAILURE;
    if (!list_values(result, name, count, output ? '_' : '.', &list)) {
        free(list.item);
        return FAILURE;
    }
    if (ct_failed(ctx))
        status = input_error(ctx);
    else if (output && length > 4 && strcmp(output + length - 4, ".npz") == 0)
        status = write_archive(ctx, &list, output);
    else if (output)
        status = write_folder(ctx, &list, output);
    else {
        print_values(&list);
        status = SUCCESS;
    }
    free(list.item);
    return status;
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

/* ---- Numbers that are not rounded: an element a line, behind its indices. */

static void print_indices(ct_shape shape, int64_t element)
{
    int64_t inner = 1;
    for (size_t d = 0; d < shape.count; d++)
        inner *= shape.dim[d];
    for (size_t d = 0; d < shape.count; d++) {
        inner /= shape.dim[d];
        printf("%s%" PRId64 "%s", d ? ", " : "[", element / inner, d + 1 < shape.count ? "" : "] ");
        element %= inner;
    }
}

static bool print_number(const ct_numbers *numbers, size_t result, int64_t element, int form)
{
    size_t length = ct_number_text(numbers, result, element, (ct_number_form)form, 0, NULL, 0);
    char *text = malloc(length + 1);
    if (text) {
        ct_number_text(numbers, result, element, (ct_number_form)form, 0, text, length + 1);
        printf("%s\n", text);
    }
    free(text);
    return text != NULL;
}

static int print_numbers(const ct_numbers *numbers, ct_tensor *const *result,
                         const result_name *name, size_t count, int form)
{
    for (size_t i = 0; i < count; i++) {
        printf("%s %zu: %s\n", name[i].what, name[i].number, ct_type_text(result[i]));
        for (int64_t k = 0; k < ct_size(result[i]); k++) {
            print_indices(ct_shape_of(result[i]), k);
            if (!print_number(numbers, i, k, form)) {
                fprintf(stderr, "cotangent: out of memory\n");
                return FAILURE;
            }
        }
    }
    return SUCCESS;
}

static int run_and_print(ct_context *ctx, ct_executable *executable, const array_list *list,
                         const run_words *how, const result_name *name, ct_tensor **result)
{
    const size_t count = ct_executable_results(executable);
    const ct_list arguments = CT_LIST(list->count, list->tensor);
    const ct_numbers *numbers = NULL;
    if (how->form)
        numbers = ct_call_numbers_at(NOWHERE, executable, arguments, result, count);
    else
        ct_call_at(NOWHERE, executable, arguments, result, count);
    int found = report(list->checks);
    int status = ct_failed(ctx) ? input_error(ctx)
                 : numbers      ? print_numbers(numbers, result, name, count, form_of(how->form))
                                : give(ctx, result, name, count, how->output);
    return status == SUCCESS ? found : status;
}

int run_function(ct_context *ctx, ct_function *f, array_list *list, const run_words *how,
                 const result_name *name)
{
    size_t count = ct_function_results(f);
    ct_tensor **result = calloc(count + 1, sizeof *result);
    int status = FAILURE;
    if (!result)
        fprintf(stderr, "cotangent: out of memory\n");
    else if (fit_inputs(ctx, f, list, how->seed))
        status = run_and_print(ctx, compile_for(f, how), list, how, name, result);
    free(result);
    return status;
}
