#include "tests/bad_input.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

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
               b->has_failed ? ", after an error" : "", which, what, ct_status_name(status),
               message);
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

    if (b->is_foreign && b->sources < 2) /* a good call in the other context */
        b->allowed |= ANYTHING;
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
    bool is_poison = true, has_context = n > 0; /* without results, nothing shows */

    for (size_t i = 0; i < n; i++) {
        if (!b->result[i])
            complain(b, CT_OK, "", "a result is NULL");
        is_poison = is_poison && ct_is_poison(b->result[i]);
        has_context = has_context && ct_context_of(b->result[i]);
    }
    end(b, is_poison, has_context);
}

/* No argument has a context: there is none, or it is NULL or the poison without one. */
static bool is_contextless(const bad *b)
{
    return b->sources == 0 || (b->sources == 1 && b->has_no_context);
}

void bad_end_value(bad *b)
{
    if (b->has_failed)
        end_after_error(b, true);
    else if (take_error(b) == CT_OK && !b->is_foreign &&
             !(b->allowed & (ONLY(CT_OK) | CONTEXTLESS)) && !is_contextless(b))
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
    if (b->is_traced) /* what reads data may say that there is none before it looks further */
        statuses |= ONLY(CT_ERR_TRACED) | ONLY(CT_ERR_STATE);
    b->allowed = b->worse[1] == SIZE_MAX ? statuses : b->allowed | statuses | ANYTHING;
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
        {w->ended, ONLY(CT_ERR_STATE) | ONLY(CT_ERR_TRACED)},
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
    b->has_no_context = b->has_no_context || i < 2;
    unsigned other_type = ct_dtype_of(good) == CT_F32 && ct_rank(good) == 2 ? 0 : PLAUSIBLE;
    allow(b, must_be_value ? list[i].allowed | (i == 3 ? other_type : 0) : ANYTHING);
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
    case 4: allow(b, ANYTHING | CONTEXTLESS); return CT_NO_TENSORS;
    case 5: allow(b, ANYTHING); return with_last(b, good, w->n);
    case 6:
        b->is_foreign = true;
        allow(b, must_be_values ? ONLY(CT_ERR_CONTEXT) : ANYTHING);
        return with_last(b, good, w->foreign);
    case 7:
        allow(b, must_be_values ? ONLY(CT_ERR_ARGUMENT) : ANYTHING);
        return with_last(b, good, w->spec);
    case 8:
        allow(b, must_be_values ? ONLY(CT_ERR_STATE) : ANYTHING);
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

ct_function *bad_any_function(bad *b, ct_function *good)
{
    ct_function *f = bad_function(b, good);

    if (f == b->w.poison_function)
        allow(b, ANYTHING);
    return f;
}

ct_function *bad_function(bad *b, ct_function *good)
{
    int i = draw(b, 5);

    b->sources++;
    switch (i) {
    case 0:
        b->has_no_context = true;
        allow(b, ONLY(CT_ERR_ARGUMENT));
        return NULL;
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
    return (ct_dtype)(i == 0 ? -1 : i == 1 ? 99 : i == 2 ? CT_DTYPE_COUNT : i == 3 ? 0 : i - 4);
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
