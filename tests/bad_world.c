/* The values that calls are made with, and the driver that makes the calls. */
#include "tests/bad_input.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Rows. */

static bad_row *rows;

void bad_register(bad_row *row)
{
    row->next = rows;
    rows = row;
}

static bool has_row(const char *name)
{
    for (const bad_row *row = rows; row; row = row->next)
        if (strcmp(row->name, name) == 0)
            return true;
    return false;
}

/* ---- The world. */

#define LARGEST_BLOCK (1u << 20)

static void *allocate(void *user, size_t bytes, size_t align)
{
    void *memory = NULL;

    (void)user;
    if (bytes > LARGEST_BLOCK)
        return NULL;
    return posix_memalign(&memory, align, bytes) == 0 ? memory : NULL;
}

static void *allocate_nothing(void *user, size_t bytes, size_t align)
{
    (void)user;
    (void)bytes;
    (void)align;
    return NULL;
}

static void release(void *user, void *memory, size_t bytes)
{
    (void)user;
    (void)bytes;
    free(memory);
}

static ct_tensor *sum_of_product(ct_tensor *x, ct_tensor *y)
{
    return ct_op_reduce_add_at(HERE, ct_op_multiply_at(HERE, x, y), CT_DIMS(0, 1));
}

static ct_tensor *sum_of_two(ct_tensor *x, ct_tensor *y)
{
    return ct_op_add_at(HERE, x, y);
}

static ct_tensor *is_less(ct_tensor *x, ct_tensor *y)
{
    return ct_op_compare_at(HERE, x, y, CT_LT, CT_COMPARE_DEFAULT);
}

static void one_step(void *user, ct_list parameters, ct_tensor **result)
{
    (void)user;
    result[0] = parameters.item[0];
    result[1] = ct_op_negate_at(HERE, parameters.item[1]);
}

static ct_tensor *negative(ct_tensor *x)
{
    return ct_op_negate_at(HERE, x);
}

static ct_tensor *second(ct_tensor *i, ct_tensor *x)
{
    (void)i;
    return x;
}

static void make_functions(bad_world *w)
{
    ct_tensor *scalar = ct_spec_at(HERE, w->ctx, CT_F32, CT_SHAPE());
    ct_tensor *row = ct_spec_at(HERE, w->ctx, CT_F32, CT_SHAPE(3));

    w->f = ct_trace(w->ctx, sum_of_product, CT_LIKE(w->spec, w->spec));
    w->body = ct_trace(w->ctx, sum_of_two, CT_LIKE(scalar, scalar));
    w->less = ct_trace(w->ctx, is_less, CT_LIKE(scalar, scalar));
    w->counted = ct_trace(w->ctx, second, CT_LIKE(w->count, w->spec));
    w->step = ct_trace_many(w->ctx, one_step, NULL, 2, CT_LIKE(scalar, row));
    w->same = ct_trace(w->ctx, negative, CT_LIKE(w->spec));
    w->foreign_function = ct_trace(w->other, sum_of_product, CT_LIKE(w->spec, w->spec));
    w->e = ct_compile_at(HERE, w->f, NULL);
    w->poison_function = ct_trace_function_at(HERE, w->ctx, NULL, (ct_signature){0, 0}, NULL, NULL,
                                              CT_NO_TENSORS, CT_NO_TENSORS);
    ct_error_clear(w->ctx);
    w->poison_executable = ct_compile_at(HERE, NULL, NULL);
}

/* A traced value whose trace has ended. */
static ct_tensor *make_ended(bad_world *w)
{
    ct_trace_builder *builder = ct_trace_begin_at(HERE, w->ctx, "ended", CT_LIKE(w->spec));
    ct_tensor *x = ct_trace_parameter(builder, 0);

    ct_trace_end_at(HERE, builder, CT_ARGV(x));
    return x;
}

static void make_world(bad_world *w)
{
    ct_allocator limited = {sizeof limited, NULL, allocate, release};
    ct_allocator none = {sizeof none, NULL, allocate_nothing, release};

    w->ctx = ct_context_new_with(&limited);
    w->other = ct_context_new_with(&limited);
    w->dead = ct_context_new_with(&none);
    w->x = ct_ones_at(HERE, w->ctx, CT_F32, CT_SHAPE(2, 3));
    w->y = ct_ones_at(HERE, w->ctx, CT_F32, CT_SHAPE(2, 3));
    w->tall = ct_ones_at(HERE, w->ctx, CT_F32, CT_SHAPE(3, 2));
    w->n = ct_ones_at(HERE, w->ctx, CT_I32, CT_SHAPE(2, 3));
    w->mask = ct_ones_at(HERE, w->ctx, CT_BOOL, CT_SHAPE(2, 3));
    w->scalar = ct_scalar_at(HERE, w->ctx, CT_F32, 1);
    w->vector = ct_zeros_at(HERE, w->ctx, CT_F32, CT_SHAPE(2));
    w->index = ct_scalar_at(HERE, w->ctx, CT_I32, 1);
    w->count = ct_scalar_at(HERE, w->ctx, CT_I64, 1);
    w->pred = ct_scalar_at(HERE, w->ctx, CT_BOOL, 1);
    w->indices = ct_zeros_at(HERE, w->ctx, CT_I32, CT_SHAPE(2, 1));
    w->foreign = ct_ones_at(HERE, w->other, CT_F32, CT_SHAPE(2, 3));
    w->spec = ct_spec_at(HERE, w->ctx, CT_F32, CT_SHAPE(2, 3));
    w->static_poison = ct_abs_at(HERE, NULL);
    w->poison = ct_reshape_at(HERE, w->x, CT_SHAPE(7));
    ct_error_clear(w->ctx);
    w->ended = make_ended(w);
    make_functions(w);
    CHECK_MSG(!ct_failed(w->ctx), "%s", ct_error_message(w->ctx));
    CHECK(!ct_failed(w->other) && ct_failed(w->dead));
}

/* The operands become parameters of a trace, which ends with the current scope. */
static void trace_world(bad_world *w)
{
    ct_tensor **operand[] = {&w->x,     &w->y,    &w->tall,    &w->n,      &w->mask, &w->scalar,
                             &w->index, &w->pred, &w->indices, &w->vector, &w->count};
    enum { COUNT = sizeof operand / sizeof *operand };
    ct_tensor *example[COUNT];

    for (int i = 0; i < COUNT; i++)
        example[i] = *operand[i];
    ct_trace_builder *builder = ct_trace_begin_at(HERE, w->ctx, "world", (ct_list){COUNT, example});
    for (size_t i = 0; i < COUNT; i++)
        *operand[i] = ct_trace_parameter(builder, i);
}

/* ---- The calls. */

static void call(bad *b, const bad_row *row)
{
    ct_scope scope = ct_scope_begin(b->w.ctx);

    b->name = row->name;
    b->argument = 0;
    b->exhausted[0] = b->exhausted[1] = false;
    b->allowed = b->is_traced ? ANYTHING | ONLY(CT_ERR_TRACED) : ONLY(CT_OK);
    b->is_foreign = b->has_no_context = false;
    b->sources = 0;
    b->n_lists = b->n_shapes = 0;
    memset(b->result, 0, sizeof b->result);
    row->call(b);
    ct_scope_end(scope);
    CHECK_MSG(!ct_failed(b->w.ctx) || b->has_failed, "%s: %s", row->name,
              ct_error_message(b->w.ctx));
}

/* Makes the call with bad value `variant` of the argument; false when there is none. */
static bool call_worse(bad *b, const bad_row *row, int which, size_t argument, int variant)
{
    b->worse[which] = argument;
    b->variant[which] = variant;
    call(b, row);
    return !b->exhausted[which];
}

static void call_all_pairs(bad *b, const bad_row *row, size_t first, size_t second)
{
    b->worse[0] = first;
    for (b->variant[0] = 0;; b->variant[0]++) {
        for (int v = 0; call_worse(b, row, 1, second, v) && !b->exhausted[0]; v++)
            ;
        if (b->exhausted[0])
            return;
    }
}

static void call_after_error(bad *b, const bad_row *row)
{
    ct_spec_at((ct_place){"first.c", 1, 0}, b->w.ctx, (ct_dtype)99, CT_SHAPE());
    snprintf(b->before, sizeof b->before, "%s", ct_error_message(b->w.ctx));
    b->has_failed = true;
    call(b, row);
    b->has_failed = false;
    ct_error_clear(b->w.ctx);
}

static void run_row(bad *b, const bad_row *row)
{
    b->worse[0] = b->worse[1] = SIZE_MAX;
    call(b, row);
    size_t n = b->argument;
    call_after_error(b, row);
    for (size_t k = 0; k < n; k++)
        for (int v = 0; call_worse(b, row, 0, k, v); v++)
            ;
    for (size_t k = 0; k < n; k++)
        for (size_t m = 0; m < k; m++)
            call_all_pairs(b, row, m, k);
}

void bad_run_all(bool is_traced)
{
    bad b = {.is_traced = is_traced};

    make_world(&b.w);
    for (const bad_row *row = rows; row; row = row->next) {
        bad_world world = b.w;
        ct_scope scope = ct_scope_begin(b.w.ctx);

        if (is_traced)
            trace_world(&b.w);
        run_row(&b, row);
        ct_scope_end(scope);
        b.w = world;
    }
    ct_context_free(b.w.other);
    ct_context_free(b.w.ctx);
    CHECK_MSG(b.complaints == 0, "%zu calls ended badly", b.complaints);
}

/* ---- Every function has a row. */

/* Reports the functions that a header declares and no row calls, though they have arguments;
 * returns how many it declares. */
static int check_header(const char *path)
{
    FILE *file = fopen(path, "r");
    char line[512], name[128];
    int count = 0;

    CHECK_MSG(file, "cannot read %s", path);
    while (fgets(line, sizeof line, file)) {
        const char *open = strchr(line, '('), *start = open;

        if (strncmp(line, "CT_API ", 7) != 0)
            continue;
        CHECK_MSG(open, "%s: cannot read: %s", path, line);
        while (start > line && (strchr("_0123456789", start[-1]) || (start[-1] | 32) >= 'a'))
            start--;
        snprintf(name, sizeof name, "%.*s", (int)(open - start), start);
        count++;
        if (strncmp(open, "(void)", 6) == 0)
            continue;
        CHECK_MSG(has_row(name), "no row calls %s with bad input (%s)", name, path);
    }
    fclose(file);
    return count;
}

int bad_check_headers(const char *folder)
{
    DIR *headers = opendir(folder);
    int count = 0;

    CHECK(headers);
    for (struct dirent *entry; (entry = readdir(headers));) {
        char path[1024];

        if (!strstr(entry->d_name, ".h"))
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        count += check_header(path);
    }
    closedir(headers);
    return count;
}
