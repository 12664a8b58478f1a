#include "tests/infer.h"

#include "tests/check.h"

#include <stdlib.h>
#include <string.h>

/* ---- Reading types. */

static ct_dtype dtype_of_text(const char *text, size_t length)
{
    for (int d = 1; d < CT_DTYPE_COUNT; d++) {
        const char *name = ct_dtype_name((ct_dtype)d);

        if (strlen(name) == length && strncmp(name, text, length) == 0)
            return (ct_dtype)d;
    }
    CHECK_MSG(false, "no dtype: %s", text);
    return CT_INVALID_DTYPE;
}

static int64_t read_number(const char **text)
{
    char *end;
    const int64_t number = strtoll(*text, &end, 10);

    *text = end;
    return number;
}

static bool take(const char **text, char c)
{
    const bool found = **text == c;

    *text += found;
    return found;
}

/* From after "q<": "i8<-127:127>:f32:1,{0.5:-1,0.25}>", as types are printed. */
static ct_dtype read_quantized(ct__arena *arena, const char **text, ct__quantized *q)
{
    enum { MOST = 16 };
    const size_t length = strcspn(*text, "<:");
    const ct_dtype storage = dtype_of_text(*text, length);
    double *scale = CT__NEW_ARRAY(arena, double, MOST);
    int64_t *zero_point = CT__NEW_ARRAY(arena, int64_t, MOST);

    *text += length;
    *q = (ct__quantized){.storage_min = ct__integer_min(storage),
                         .storage_max = (int64_t)ct__integer_max(storage),
                         .axis = -1,
                         .scale = scale,
                         .zero_point = zero_point};
    if (take(text, '<')) {
        q->storage_min = read_number(text);
        *text += 1;
        q->storage_max = read_number(text);
        *text += 1;
    }
    *text += 1;
    q->expressed = dtype_of_text(*text, strcspn(*text, ",:"));
    *text += strcspn(*text, ",:");
    if (take(text, ':'))
        q->axis = (int)read_number(text);
    for (*text += 1; **text != '>'; *text += 1) {
        char *end;

        take(text, '{');
        if (take(text, '}'))
            break;
        CHECK(q->n_scales < MOST);
        scale[q->n_scales] = strtod(*text, &end);
        *text = end;
        zero_point[q->n_scales++] = take(text, ':') ? read_number(text) : 0;
        if (**text == '>' || (take(text, '}') && **text == '>'))
            break;
    }
    *text += 1;
    return storage;
}

/* Reads a type and moves *text behind it. */
static const ct_type *read_type(ct__arena *arena, const char **text)
{
    const char *bracket = strchr(*text, '[');
    int64_t dim[CT__MAX_RANK];
    ct__quantized quantized;
    bool is_quantized = false;
    ct_dtype dtype;
    int rank = 0;

    if (strncmp(*text, "NULL", 4) == 0) {
        *text += 4;
        return NULL;
    }
    if (strncmp(*text, "token", 5) == 0) {
        *text += 5;
        return ct__type_token(arena);
    }
    if (strncmp(*text, "tuple<", 6) == 0) {
        const ct_type *element[4];
        size_t count = 0;

        for (*text += 6; **text != '>'; *text += **text == ',')
            element[count++] = read_type(arena, text);
        *text += 1;
        return ct__type_tuple(arena, count, element);
    }
    if (strncmp(*text, "stack<", 6) == 0) {
        const ct_type *element;

        *text += 6;
        element = read_type(arena, text);
        *text += 1;
        return ct__type_stack(arena, element);
    }
    CHECK_MSG(bracket, "no type: %s", *text);
    if (strncmp(*text, "q<", 2) == 0) {
        *text += 2;
        dtype = read_quantized(arena, text, &quantized);
        is_quantized = true;
        bracket = *text;
    } else {
        dtype = dtype_of_text(*text, (size_t)(bracket - *text));
    }
    *text = bracket + 1;
    while (**text != ']') {
        char *end;

        dim[rank++] = strtoll(*text, &end, 10);
        *text = *end == ',' ? end + 1 : end;
    }
    *text += 1;
    const ct_type *type = ct__type(arena, dtype, rank, dim);
    return is_quantized ? ct__type_quantized(arena, type, &quantized) : type;
}

const ct_type *type_of_text(ct__arena *arena, const char *text)
{
    return read_type(arena, &text);
}

/* Types up to '|', '-' or the end. */
static size_t read_types(ct__arena *arena, const char **text, const ct_type ***types)
{
    const size_t most = strlen(*text) / 3 + 1;
    size_t count = 0;

    *types = CT__NEW_ARRAY(arena, const ct_type *, most);
    for (;;) {
        *text += strspn(*text, " ");
        if (**text == 0 || **text == '|' || **text == '-')
            return count;
        (*types)[count++] = read_type(arena, text);
    }
}

static size_t read_regions(ct__arena *arena, const char *text, ct__body_type *region, size_t most)
{
    size_t count = 0;

    while (*text) {
        const ct_type **param, **result;

        CHECK(count < most);
        region[count].n_params = read_types(arena, &text, &param);
        CHECK_MSG(strncmp(text, "->", 2) == 0, "no arrow: %s", text);
        text += 2;
        region[count].n_results = read_types(arena, &text, &result);
        region[count].param = param;
        region[count].result = result;
        count++;
        text += *text == '|';
    }
    return count;
}

/* ---- Running. */

bool run_infer_case(ct__arena *arena, const infer_case *c, ct__infer *q)
{
    ct__body_type *region = CT__NEW_ARRAY(arena, ct__body_type, 4);
    const char *text = c->operands;
    const ct_type **in, **given;

    *q = (ct__infer){.op = c->op, .arena = arena, .attrs = &c->attrs, .region = region};
    q->n_operands = read_types(arena, &text, &in);
    q->in = in;
    text = c->given ? c->given : "";
    q->n_given = read_types(arena, &text, &given);
    q->given = given;
    q->n_regions = read_regions(arena, c->regions, region, 4);
    return ct__infer_types(q);
}

/* "f32[4] i32[]" */
static const char *results_text(const ct__infer *q, char *buffer, size_t bytes)
{
    size_t used = 0;

    buffer[0] = 0;
    for (size_t i = 0; i < q->n_results; i++) {
        if (i > 0)
            buffer[used++] = ' ';
        ct__type_print(q->out[i], buffer + used, bytes - used);
        used += strlen(buffer + used);
    }
    return buffer;
}

static void check_case(const char *file, const infer_case *c)
{
    const char *name = ct__op_describe(c->op)->name;
    char results[1024];
    ct__arena arena;
    ct__infer q;
    bool fine;

    ct__arena_init(&arena, &ct__libc_allocator);
    fine = run_infer_case(&arena, c, &q);
    if (c->results && !fine)
        check_fail(file, c->line, "%s: %s", name, q.message);
    if (c->results && strcmp(results_text(&q, results, sizeof results), c->results) != 0)
        check_fail(file, c->line, "%s gives %s, not %s", name, results, c->results);
    if (!c->results && fine)
        check_fail(file, c->line, "%s is taken, not: %s", name, c->message);
    if (!c->results && (q.status != c->status || strcmp(q.message, c->message) != 0))
        check_fail(file, c->line, "%s fails with %d: %s\n    not with %d: %s", name, (int)q.status,
                   q.message, (int)c->status, c->message);
    ct__arena_free(&arena);
}

void check_infer_cases(const char *file, size_t count, const infer_case *cases)
{
    for (size_t i = 0; i < count; i++)
        check_case(file, &cases[i]);
}
