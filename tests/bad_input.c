#include "tests/bad_input.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    CONTEXTLESS = 1u << 30, /* nothing had a context to keep an error */
    PLAUSIBLE = 1u << CT_ERR_MEMORY | 1u << CT_ERR_ARGUMENT | 1u << CT_ERR_TYPE |
                1u << CT_ERR_SHAPE | 1u << CT_ERR_RANGE | 1u << CT_ERR_INDEX | 1u << CT_ERR_RULE |
                1u << CT_ERR_UNSUPPORTED | 1u << CT_ERR_STATE,
    ANYTHING = PLAUSIBLE | 1u << CT_OK
};
#define ONLY(status) (1u << (status))

/* ---- Rows. */

static bad_row *rows;

void bad_register(bad_row *row)
{
    row->next = rows;
    rows = row;
}

bool bad_has_row(const char *name)
{
    for (const bad_row *row = rows; row; row = row->next)
        if (strcmp(row->name, name) == 0)
            return true;
    return false;
}

/* ---- The end of a call. */

/* All calls are made before the test fails: faults come in kinds. */
#define COMPLAINTS_SHOWN 200

static void complain(bad *b, ct_status status, const char *message, const char *what)
{
    char which[128] = "good arguments";

    if (b->worse[1] != SIZE_MAX)
        snprintf(which, sizeof which, "argument %zu: bad value %d, argument %zu: bad value %d",
                 b->worse[0], b->variant[0], b->worse[1], b->variant[1]);
    else if (b->worse[0] != SIZE_MAX)
        snprintf(which, sizeof which, "argument %zu: bad value %d", b->worse[0], b->variant[0]);
    if (b->complaints++ < COMPLAINTS_SHOWN)
        printf("%s (%s%s; %s): %s: %s %s\n", b->name, b->is_traced ? "in a trace" : "concrete",
               b->has_failed ? ", after an error" : "", which, what, ct_status_name(status), message);
}

/* Messages say where, and print no NULL as text. */
static void check_message(bad *b, ct_status status, const char *message)
{
    size_t length = strlen(b->name);
    bool has_place = length > 3 && strcmp(b->name + length - 3, "_at") == 0;

    if (!*message || strstr(message, "(null)"))
        complain(b, status, message, "the message is not fit to read");
    if (has_place && strncmp(message, "here.c:7: ", 10) != 0)
        complain(b, status, message, "the message does not begin with the place");
}

/* The status of the call, in whichever context it was kept; cleared. */
static ct_status take_error(bad *b)
{
    ct_context *list[] = {b->w.ctx, b->w.other};
    ct_status status = CT_OK;

    for (int i = 0; i < 2; i++) {
        if (!ct_failed(list[i]))
            continue;
        status = ct_error_status(list[i]);
        check_message(b, status, ct_error_message(list[i]));
        if (!(b->allowed & ONLY(status)))
            complain(b, status, ct_error_message(list[i]), "not the expected error");
        ct_error_clear(list[i]);
    }
    return status;
}

/* In a context that held an error: it is still there, and the result is poison. */
static void end_after_error(bad *b, bool is_poison)
{
    if (strcmp(ct_error_message(b->w.ctx), b->before) != 0)
        complain(b, ct_error_status(b->w.ctx), ct_error_message(b->w.ctx), "not the first error");
    if (!is_poison)
        complain(b, CT_OK, "", "a result after an error");
}

static void end(bad *b, bool is_poison, bool has_context)
{
    if (b->has_failed) {
        end_after_error(b, is_poison);
        return;
    }
    if (b->is_foreign && b->sources < 2)
        b->allowed |= ANYTHING;
    ct_status status = take_error(b);
    if (status != CT_OK && !is_poison)
        complain(b, status, "", "a result in spite of the error");
    if (status == CT_OK && is_poison && has_context && !(b->allowed & CONTEXTLESS))
        complain(b, status, "", "poison without an error");
    if (status == CT_OK && !is_poison && !(b->allowed & ONLY(CT_OK)))
        complain(b, status, "", "no error");
}

void bad_end_tensor(bad *b, ct_tensor *x)
{
    if (!x)
        complain(b, CT_OK, "", "the result is NULL");
    end(b, ct_is_poison(x), ct_context_of(x) != NULL);
}

void bad_end_function(bad *b, ct_function *f)
{
    if (!f)
        complain(b, CT_OK, "", "the result is NULL");
    end(b, ct_function_is_poison(f), ct_function_context(f) != NULL);
}

void bad_end_text(bad *b, const char *text)
{
    if (!text)
        complain(b, CT_OK, "", "the text is NULL");
    end(b, b->has_failed || !*text, false);
}

void bad_end_results(bad *b, size_t n)
{
    bool is_poison = n > 0 || ct_failed(b->w.ctx), has_context = n > 0;

    for (size_t i = 0; i < n; i++) {
        if (!b->result[i])
            complain(b, CT_OK, "", "a result is NULL");
        is_poison = is_poison && ct_is_poison(b->result[i]);
        has_context = has_context && ct_context_of(b->result[i]);
    }
    end(b, is_poison, has_context);
}

void bad_end_value(bad *b)
{
    if (b->has_failed)
        end_after_error(b, true);
    else if (take_error(b) == CT_OK && !b->is_foreign &&
             !(b->allowed & (ONLY(CT_OK) | CONTEXTLESS)) && b->sources > 1)
        complain(b, CT_OK, "", "no error");
}

/* ---- Drawing arguments: which of `count` bad values; -1 for the good one. */

static int draw(bad *b, int count)
{
    size_t k = b->argument++;

    for (int i = 0; i < 2; i++) {
        if (b->worse[i] != k)
            continue;
        if (b->variant[i] < count)
            return b->variant[i];
        b->exhausted[i] = true;
    }
    return -1;
}

/* What a bad value may lead to; of two bad values either may be met first. */
static void allow(bad *b, unsigned statuses)
{
    b->allowed = b->worse[1] == SIZE_MAX ? statuses : b->allowed | statuses | ANYTHING;
}

/* A value whose trace has ended is found when it is recorded, which is after types are checked. */
static unsigned ended_allows(const bad *b, const ct_tensor *good)
{
    bool same = ct_dtype_of(good) == CT_F32 && ct_rank(good) == 2;

    return ONLY(CT_ERR_STATE) | ONLY(CT_ERR_TRACED) | (same && !b->is_traced ? 0 : PLAUSIBLE);
}

static ct_tensor *draw_tensor(bad *b, ct_tensor *good, bool must_be_value)
{
    const bad_world *w = &b->w;
    struct {
        ct_tensor *x;
        unsigned allowed;
    } list[] = {
        {NULL, ONLY(CT_ERR_ARGUMENT)},
        {w->static_poison, ONLY(CT_ERR_POISON)},
        {w->poison, ONLY(CT_ERR_POISON)},
        {w->foreign, ONLY(CT_ERR_CONTEXT)},
        {w->spec, ONLY(CT_ERR_ARGUMENT)},
        {w->ended, ended_allows(b, good)},
        {w->x, ANYTHING},
        {w->n, ANYTHING},
        {w->mask, ANYTHING},
        {w->index, ANYTHING},
        {ct_zeros_at(HERE, w->ctx, CT_C64, CT_SHAPE(2, 3)), ANYTHING},
        {ct_zeros_at(HERE, w->ctx, CT_F16, CT_SHAPE(0, 3)), ANYTHING},
        {ct_zeros_at(HERE, w->ctx, CT_U64, (ct_shape){64, (int64_t[64]){0}}), ANYTHING},
        {ct_zeros_at(HERE, w->ctx, CT_F32, CT_SHAPE((int64_t)1 << 40)), ANYTHING},
    };
    int i = draw(b, (int)(sizeof list / sizeof *list));

    b->sources++;
    if (i < 0)
        return good;
    b->is_foreign = b->is_foreign || list[i].x == w->foreign;
    allow(b, must_be_value ? list[i].allowed : ANYTHING);
    return list[i].x;
}

ct_tensor *bad_tensor(bad *b, ct_tensor *good)
{
    return draw_tensor(b, good, true);
}

ct_tensor *bad_any_tensor(bad *b, ct_tensor *good)
{
    return draw_tensor(b, good, false);
}

ct_operand bad_operand(bad *b, ct_operand good)
{
    ct_operand unknown = {.kind = (ct_operand_kind)99};
    struct {
        ct_operand x;
        unsigned allowed;
    } list[] = {
        {ct_operand_tensor(NULL), ONLY(CT_ERR_ARGUMENT)},
        {ct_operand_tensor(b->w.static_poison), ONLY(CT_ERR_POISON)},
        {ct_operand_tensor(b->w.poison), ONLY(CT_ERR_POISON)},
        {ct_operand_tensor(b->w.foreign), ONLY(CT_ERR_CONTEXT)},
        {ct_operand_tensor(b->w.spec), ONLY(CT_ERR_ARGUMENT)},
        {ct_operand_tensor(b->w.ended), ONLY(CT_ERR_STATE)},
        {ct_operand_tensor(b->w.n), ANYTHING},
        {unknown, ONLY(CT_ERR_ARGUMENT)},
        {ct_operand_real(NAN), ANYTHING},
        {ct_operand_real(-INFINITY), ANYTHING},
        {ct_operand_real(1e300), ANYTHING},
        {ct_operand_signed(INT64_MIN), ANYTHING},
        {ct_operand_unsigned(UINT64_MAX), ANYTHING},
    };
    int i = draw(b, (int)(sizeof list / sizeof *list));

    b->sources += i < 0 ? good.kind == CT_OPERAND_TENSOR : list[i].x.kind == CT_OPERAND_TENSOR;
    if (i < 0)
        return good;
    b->is_foreign = b->is_foreign || list[i].x.tensor == b->w.foreign;
    allow(b, list[i].allowed | (i > 6 ? CONTEXTLESS : 0)); /* numbers have no context */
    return list[i].x;
}

ct_shape bad_shape(bad *b, ct_shape good)
{
    static const int64_t most[] = {INT64_MAX, INT64_MAX}, least[] = {INT64_MIN, INT64_MIN};
    static const int64_t wraps[] = {(int64_t)1 << 62, 4}, minus[] = {-1, -1}, zero[65];
    static const int64_t three[] = {2, 3, 4}, wide[] = {0, INT64_MAX, INT64_MAX}, seven[] = {7, 7};
    static const ct_shape list[] = {
        {1, NULL}, {SIZE_MAX, NULL}, {2, most},  {2, least}, {2, wraps}, {2, minus}, {65, zero},
        {2, zero}, {0, NULL},        {3, three}, {3, wide},  {2, seven}, {1, minus}, {1, most}};
    int i = draw(b, (int)(sizeof list / sizeof *list));

    if (i < 0) { /* copied: members of structs outlive the literal */
        int64_t *copy = b->numbers[b->n_shapes++];
        if (good.count > 0)
            memcpy(copy, good.dim, good.count * sizeof *copy);
        return (ct_shape){good.count, copy};
    }
    allow(b, i < 2 ? ONLY(CT_ERR_ARGUMENT) : ANYTHING);
    return list[i];
}

ct_axes bad_axes(bad *b, ct_axes good)
{
    static const int64_t far[] = {99}, low[] = {INT64_MIN}, high[] = {INT64_MAX}, twice[] = {0, -2};
    static const int64_t zero[65];
    static const ct_axes list[] = {{false, 1, NULL},  {false, SIZE_MAX, NULL}, {false, 1, far},
                                   {false, 1, low},   {false, 1, high},        {false, 2, twice},
                                   {false, 65, zero}, {true, 0, NULL},         {true, 5, NULL},
                                   {false, 0, NULL}};
    int i = draw(b, (int)(sizeof list / sizeof *list));

    if (i < 0)
        return good;
    allow(b, i < 2 ? ONLY(CT_ERR_ARGUMENT) : i < 5 ? ONLY(CT_ERR_SHAPE) : ANYTHING);
    return list[i];
}

ct_args bad_args(bad *b, ct_args good)
{
    static const int64_t far[] = {99}, low[] = {INT64_MIN}, minus[] = {-1}, twice[] = {0, 0};
    static const ct_args list[] = {{false, 1, NULL}, {false, SIZE_MAX, NULL}, {false, 1, far},
                                   {false, 1, low},  {false, 1, minus},       {false, 2, twice},
                                   {true, 0, NULL},  {false, 0, NULL}};
    int i = draw(b, (int)(sizeof list / sizeof *list));

    if (i < 0)
        return good;
    allow(b, i < 6 ? ONLY(CT_ERR_ARGUMENT) : ANYTHING);
    return list[i];
}

/* The list with its last tensor replaced. */
static ct_list with_last(bad *b, ct_list good, ct_tensor *x)
{
    ct_tensor **item = b->items[b->n_lists++];

    memcpy(item, good.item, good.count * sizeof *item);
    item[good.count - 1] = x;
    return (ct_list){good.count, item};
}

static ct_list draw_list(bad *b, ct_list good, bool must_be_values)
{
    const bad_world *w = &b->w;
    int i = draw(b, 9);

    b->sources += good.count;
    switch (i) {
    case 0: allow(b, ONLY(CT_ERR_ARGUMENT)); return (ct_list){good.count, NULL};
    case 1: allow(b, ONLY(CT_ERR_ARGUMENT)); return with_last(b, good, NULL);
    case 2: allow(b, ONLY(CT_ERR_POISON)); return with_last(b, good, w->poison);
    case 3: allow(b, ONLY(CT_ERR_POISON)); return with_last(b, good, w->static_poison);
    case 4: allow(b, ANYTHING); return CT_NO_TENSORS;
    case 5: allow(b, ANYTHING); return with_last(b, good, w->n);
    case 6:
        b->is_foreign = true;
        allow(b, must_be_values ? ONLY(CT_ERR_CONTEXT) : ANYTHING);
        return with_last(b, good, w->foreign);
    case 7:
        allow(b, must_be_values ? ONLY(CT_ERR_ARGUMENT) : ANYTHING);
        return with_last(b, good, w->spec);
    case 8:
        allow(b, must_be_values ? ended_allows(b, good.item[good.count - 1]) : ANYTHING);
        return with_last(b, good, w->ended);
    default: return good;
    }
}

ct_list bad_list(bad *b, ct_list good)
{
    return draw_list(b, good, true);
}

ct_list bad_examples(bad *b, ct_list good)
{
    return draw_list(b, good, false);
}

ct_context *bad_context(bad *b)
{
    int i = draw(b, 3);

    b->sources++;
    if (i < 0)
        return b->w.ctx;
    b->is_foreign = true;
    allow(b, i < 2 ? CONTEXTLESS : ANYTHING | ONLY(CT_ERR_CONTEXT));
    return i == 0 ? NULL : i == 1 ? b->w.dead : b->w.other;
}

ct_function *bad_function(bad *b, ct_function *good)
{
    int i = draw(b, 5);

    b->sources++;
    switch (i) {
    case 0: allow(b, ONLY(CT_ERR_ARGUMENT)); return NULL;
    case 1: allow(b, ONLY(CT_ERR_POISON)); return b->w.poison_function;
    case 2: allow(b, ANYTHING | ONLY(CT_ERR_CONTEXT)); return b->w.foreign_function;
    case 3: allow(b, ANYTHING); return b->w.step;
    case 4: allow(b, ANYTHING); return b->w.f;
    default: return good;
    }
}

ct_executable *bad_executable(bad *b)
{
    int i = draw(b, 2);

    b->sources++;
    if (i < 0)
        return b->w.e;
    allow(b, (i == 0 ? ONLY(CT_ERR_ARGUMENT) : ONLY(CT_ERR_POISON)) | CONTEXTLESS);
    return i == 0 ? NULL : b->w.poison_executable;
}

ct_dtype bad_dtype(bad *b, ct_dtype good)
{
    int i = draw(b, 4 + CT_DTYPE_COUNT);

    if (i < 0)
        return good;
    allow(b, i < 4 ? ONLY(CT_ERR_ARGUMENT) | ONLY(CT_ERR_TYPE) : ANYTHING);
    return (ct_dtype)(i == 0 ? -1 : i == 1 ? 99 : i == 2 ? 16 : i == 3 ? 0 : i - 4);
}

int bad_enum(bad *b, int good)
{
    static const int list[] = {-1, 99, INT32_MAX, INT32_MIN};
    int i = draw(b, 4);

    if (i < 0)
        return good;
    allow(b, ANYTHING);
    return list[i];
}

double bad_real(bad *b, double good)
{
    static const double list[] = {NAN, INFINITY, -INFINITY, 1e300, -0.0, 0.5, -5e-324, 0x1p63};
    int i = draw(b, (int)(sizeof list / sizeof *list));

    if (i < 0)
        return good;
    allow(b, ANYTHING);
    return list[i];
}

int64_t bad_int(bad *b, int64_t good)
{
    static const int64_t list[] = {INT64_MIN, INT64_MIN + 1,   INT64_MAX, INT64_MAX - 1, -1, 0,
                                   7,         (int64_t)1 << 40};
    int i = draw(b, (int)(sizeof list / sizeof *list));

    if (i < 0)
        return good;
    allow(b, ANYTHING);
    return list[i];
}

size_t bad_size(bad *b, size_t good)
{
    int i = draw(b, 2);

    if (i < 0)
        return good;
    allow(b, ANYTHING);
    return i == 0 ? 0 : SIZE_MAX;
}

void *bad_pointer(bad *b, const void *good)
{
    if (draw(b, 1) < 0)
        return (void *)(uintptr_t)good;
    allow(b, ONLY(CT_ERR_ARGUMENT));
    return NULL;
}

void *bad_maybe(bad *b, const void *good)
{
    if (draw(b, 1) < 0)
        return (void *)(uintptr_t)good;
    allow(b, ANYTHING);
    return NULL;
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

static void make_functions(bad_world *w)
{
    ct_tensor *scalar = ct_spec_at(HERE, w->ctx, CT_F32, CT_SHAPE());
    ct_tensor *row = ct_spec_at(HERE, w->ctx, CT_F32, CT_SHAPE(3));

    w->f = ct_trace(w->ctx, sum_of_product, CT_LIKE(w->spec, w->spec));
    w->body = ct_trace(w->ctx, sum_of_two, CT_LIKE(scalar, scalar));
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
    w->n = ct_ones_at(HERE, w->ctx, CT_I32, CT_SHAPE(2, 3));
    w->mask = ct_ones_at(HERE, w->ctx, CT_BOOL, CT_SHAPE(2, 3));
    w->scalar = ct_scalar_at(HERE, w->ctx, CT_F32, 1);
    w->index = ct_scalar_at(HERE, w->ctx, CT_I32, 1);
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
    ct_tensor **operand[] = {&w->x,      &w->y,     &w->n,    &w->mask,
                             &w->scalar, &w->index, &w->pred, &w->indices};
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
    b->is_foreign = false;
    b->sources = 0;
    b->n_lists = b->n_shapes = 0;
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
    ct_spec_at((ct_place){"first.c", 1}, b->w.ctx, (ct_dtype)99, CT_SHAPE());
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
