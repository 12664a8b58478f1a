#include "probe/checks.h"

#include "trace/format.h"

#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

/* What interpreter.probe stored. */
typedef struct stored {
    char *id;
    ct_type *type; /* a copy in one block */
    void *data;
} stored;

struct ct_checks {
    ct__handle handle;
    pthread_mutex_t lock; /* of all below: programs may run in several threads */
    bool has_lock;
    size_t n_done;
    size_t n_failures, failure_capacity;
    char **failure;
    size_t n_stored, stored_capacity;
    stored *stored;
    ct__text printed;
    ct_compile_options options; /* of size 0: the defaults */
};

/* Never locked, and written by nobody: it counts nothing. */
static const ct_checks static_poison = {.handle = {.kind = CT__HANDLE_REPORT}};

static const ct_allocator *allocator_of(const ct_checks *checks)
{
    return &checks->handle.ctx->allocator;
}

static bool is_poison(const ct_checks *checks)
{
    return !checks || !checks->has_lock;
}

/* ---- Emptying. */

static void free_text(const ct_allocator *allocator, char *text)
{
    if (text)
        ct__release(allocator, text, strlen(text) + 1);
}

static void free_stored(const ct_allocator *allocator, stored *s)
{
    free_text(allocator, s->id);
    if (s->type) {
        ct__release(allocator, s->data, ct__data_bytes(s->type));
        ct__release(allocator, s->type, ct__type_bytes(s->type));
    }
}

static void empty(ct_checks *checks)
{
    const ct_allocator *allocator = allocator_of(checks);
    for (size_t i = 0; i < checks->n_failures; i++)
        free_text(allocator, checks->failure[i]);
    for (size_t i = 0; i < checks->n_stored; i++)
        free_stored(allocator, &checks->stored[i]);
    ct__text_free(&checks->printed);
    ct__text_init(&checks->printed, allocator);
    checks->n_done = checks->n_failures = checks->n_stored = 0;
}

static void finish(ct__handle *handle)
{
    ct_checks *checks = (ct_checks *)handle;
    const ct_allocator *allocator = allocator_of(checks);
    if (!checks->has_lock)
        return;
    empty(checks);
    ct__release(allocator, checks->failure, checks->failure_capacity * sizeof *checks->failure);
    ct__release(allocator, checks->stored, checks->stored_capacity * sizeof *checks->stored);
    pthread_mutex_destroy(&checks->lock);
}

/* ---- Answers. */

static ct_status fail(ct_custom_call *call, ct_status status, const char *why)
{
    snprintf(call->message, sizeof call->message, "%s", why);
    return status;
}

static ct_status fail_memory(ct_custom_call *call)
{
    return fail(call, CT_ERR_MEMORY, "out of memory");
}

static char *copy_text(const ct_allocator *allocator, const char *text)
{
    char *copy = ct__alloc(allocator, strlen(text) + 1);
    return copy ? strcpy(copy, text) : NULL;
}

static bool keep_failure(ct_checks *checks, const char *text)
{
    char *copy;
    if (!ct__grow(allocator_of(checks), &checks->failure, &checks->failure_capacity,
                  checks->n_failures + 1, sizeof *checks->failure) ||
        !(copy = copy_text(allocator_of(checks), text)))
        return false;
    checks->failure[checks->n_failures++] = copy;
    return true;
}

bool ct__checks_add(ct_checks *checks, const char *failure)
{
    if (is_poison(checks))
        return false;
    pthread_mutex_lock(&checks->lock);
    checks->n_done++;
    bool fine = !failure || keep_failure(checks, failure);
    pthread_mutex_unlock(&checks->lock);
    return fine;
}

/* ", 12 ulps apart", and what the rule allows. */
static void add_distance(ct__text *text, const ct__rule *rule, ct_dtype dtype, const void *x,
                         const void *y)
{
    if (dtype == CT_BOOL || ct_dtype_is_integer(dtype))
        return;
    uint64_t ulps = ct__ulps(dtype, x, y);
    if (ulps == CT__ULPS_FAR)
        ct__text_add(text, ", no number of ulps apart");
    else
        ct__text_add(text, ", %" PRIu64 " ulp%s apart", ulps, ulps == 1 ? "" : "s");
    if (rule->kind == CT__RULE_CLOSE && rule->low > 0)
        ct__text_add(text, " (%" PRIu64 " to %" PRIu64 " are allowed)", rule->low, rule->high);
    else if (rule->kind == CT__RULE_CLOSE)
        ct__text_add(text, " (%" PRIu64 " allowed)", rule->high);
    else if (rule->kind == CT__RULE_ALMOST)
        ct__text_add(text, ", differing by %g (%g allowed)", ct__distance(dtype, x, y),
                     rule->tolerance);
}

/* "check.expect_eq: 3 of 6 elements of f32[2,3] differ, the first at [0, 1]: 1 and 2, …" */
static void describe(ct__text *text, const char *target, const ct__rule *rule,
                     const ct__difference *found, const ct_type *type, const void *x, const void *y)
{
    char name[128], left[CT__ELEMENT_TEXT], right[CT__ELEMENT_TEXT];
    size_t offset = (size_t)found->first * ct_dtype_bytes(type->dtype);
    const char *a = (const char *)x + offset, *b = (const char *)y + offset;
    ct__text_add(text, "%s: %" PRId64 " of %" PRId64 " element%s of %s differ%s, the first", target,
                 found->count, type->size, type->size == 1 ? "" : "s",
                 ct__type_print(type, name, sizeof name), found->count == 1 ? "s" : "");
    ct__add_indices(text, type, found->first);
    ct__text_add(text, ": %s and %s", ct__element_text(type->dtype, a, left),
                 ct__element_text(type->dtype, b, right));
    add_distance(text, rule, type->dtype, a, b);
}

/* Compare, and keep what differs. */
static ct_status compare(ct_checks *checks, ct_custom_call *call, const ct__rule *rule,
                         const ct_type *type, const void *x, const void *y, bool *equal)
{
    ct__difference found = ct__compare(rule, type, x, y);
    ct__text text;
    ct__text_init(&text, allocator_of(checks));
    *equal = found.count == 0;
    if (!*equal)
        describe(&text, call->target, rule, &found, type, x, y);
    bool fine = !text.failed && ct__checks_add(checks, *equal ? NULL : text.data);
    ct__text_free(&text);
    return fine ? CT_OK : fail_memory(call);
}

/* ---- Targets. */

/* Two operands of one tensor type; of floats alone where a rule asks for it. */
static ct_status check_operands(ct_custom_call *call, const ct__rule *rule, size_t n_results)
{
    char x[128], y[128];
    if (call->n_operands != 2 || call->n_results != n_results)
        return fail(call, CT_ERR_ARGUMENT,
                    n_results ? "it takes two operands and gives one result"
                              : "it takes two operands and gives nothing");
    const ct_type *type = call->operand_type[0];
    if (!type || type->kind != CT__TENSOR || !ct__type_equal(type, call->operand_type[1])) {
        snprintf(call->message, sizeof call->message, "%s and %s are not compared",
                 ct__type_print(type, x, sizeof x),
                 ct__type_print(call->operand_type[1], y, sizeof y));
        return CT_ERR_TYPE;
    }
    if (rule->kind != CT__RULE_EQUAL &&
        (type->dtype == CT_BOOL || ct_dtype_is_integer(type->dtype)))
        return fail(call, CT_ERR_TYPE, "only floats and complex numbers are compared so");
    return CT_OK;
}

static ct_status expect(ct_checks *checks, ct_custom_call *call, const ct__rule *rule)
{
    bool equal;
    ct_status status = check_operands(call, rule, 0);
    return status ? status
                  : compare(checks, call, rule, call->operand_type[0], call->operand[0],
                            call->operand[1], &equal);
}

static ct_status expect_eq(void *user, ct_custom_call *call)
{
    ct__rule rule = {.kind = CT__RULE_EQUAL};
    return expect(user, call, &rule);
}

static ct_status expect_close(void *user, ct_custom_call *call)
{
    double low = ct_custom_number(call, "min_ulp_difference", 0);
    double high = ct_custom_number(call, "max_ulp_difference", 3);
    if (!(low >= 0 && low < 0x1p63 && high >= 0 && high < 0x1p63))
        return fail(call, CT_ERR_ARGUMENT, "its bounds in ulps are not in [0, 2^63)");
    ct__rule rule = {.kind = CT__RULE_CLOSE, .low = (uint64_t)low, .high = (uint64_t)high};
    return expect(user, call, &rule);
}

static ct_status expect_almost_eq(void *user, ct_custom_call *call)
{
    ct__rule rule = {.kind = CT__RULE_ALMOST,
                     .tolerance = ct_custom_number(call, "tolerance", 0.001)};
    return expect(user, call, &rule);
}

static ct_status eq(void *user, ct_custom_call *call)
{
    ct__rule almost = {.kind = CT__RULE_ALMOST, .tolerance = 1e-4},
             equal = {.kind = CT__RULE_EQUAL};
    bool is_equal;
    const ct_type *type = call->n_operands ? call->operand_type[0] : NULL;
    bool exact = type && type->kind == CT__TENSOR &&
                 (type->dtype == CT_BOOL || ct_dtype_is_integer(type->dtype));
    const ct__rule *rule = exact ? &equal : &almost;
    ct_status status = check_operands(call, rule, 1);
    if (status != CT_OK)
        return status;
    const ct_type *result = call->result_type[0];
    if (result->kind != CT__TENSOR || result->dtype != CT_BOOL || result->rank != 0)
        return fail(call, CT_ERR_TYPE, "its result is bool[]");
    status = compare(user, call, rule, type, call->operand[0], call->operand[1], &is_equal);
    *(uint8_t *)call->result[0] = is_equal;
    return status;
}

/* ---- Probes. */

static bool fill(const ct_allocator *allocator, stored *s, const char *id, const ct_type *type,
                 const void *data)
{
    void *memory = ct__alloc(allocator, ct__type_bytes(type));
    s->id = copy_text(allocator, id);
    s->type = memory ? (ct_type *)(uintptr_t)ct__type_copy_into(memory, type) : NULL;
    s->data = memory ? ct__alloc(allocator, ct__data_bytes(type)) : NULL;
    if (s->data && ct__data_bytes(type) > 0)
        memcpy(s->data, data, ct__data_bytes(type));
    return s->id && s->data;
}

static bool store(ct_checks *checks, const char *id, const ct_type *type, const void *data)
{
    const ct_allocator *allocator = allocator_of(checks);
    stored *s;
    if (!ct__grow(allocator, &checks->stored, &checks->stored_capacity, checks->n_stored + 1,
                  sizeof *checks->stored))
        return false;
    s = &checks->stored[checks->n_stored];
    if (!fill(allocator, s, id, type, data)) {
        free_stored(allocator, s);
        return false;
    }
    checks->n_stored++;
    return true;
}

#define ID_BYTES 256

static ct_status read_id(ct_custom_call *call, char id[ID_BYTES])
{
    return ct_custom_text(call, "probe_id", id, ID_BYTES)
               ? CT_OK
               : fail(call, CT_ERR_ARGUMENT, "it has no probe_id");
}

static ct_status probe(void *user, ct_custom_call *call)
{
    ct_checks *checks = user;
    char id[ID_BYTES];
    ct_status status = read_id(call, id);
    if (status != CT_OK)
        return status;
    if (call->n_operands != 1 || call->n_results != 1 ||
        call->operand_type[0]->kind != CT__TENSOR ||
        !ct__type_equal(call->operand_type[0], call->result_type[0]))
        return fail(call, CT_ERR_TYPE, "it takes a tensor and gives it");
    size_t bytes = ct__data_bytes(call->operand_type[0]);
    if (bytes > 0)
        memcpy(call->result[0], call->operand[0], bytes);
    pthread_mutex_lock(&checks->lock);
    bool fine = store(checks, id, call->operand_type[0], call->operand[0]);
    pthread_mutex_unlock(&checks->lock);
    return fine ? CT_OK : fail_memory(call);
}

/* The `iter`-th value of this probe, or the last for -1. */
static const stored *find_stored(const ct_checks *checks, const char *id, int64_t iter)
{
    const stored *last = NULL;
    for (size_t i = 0; i < checks->n_stored; i++) {
        if (strcmp(checks->stored[i].id, id) != 0)
            continue;
        last = &checks->stored[i];
        if (iter-- == 0)
            return last;
    }
    return iter < 0 ? last : NULL;
}

static ct_status expect_serialized_eq(void *user, ct_custom_call *call)
{
    ct_checks *checks = user;
    ct__rule rule = {.kind = CT__RULE_EQUAL};
    char id[ID_BYTES];
    bool equal;
    ct_status status = read_id(call, id);
    double iter = ct_custom_number(call, "iter", -1);
    if (status != CT_OK)
        return status;
    if (call->n_operands != 1 || call->n_results != 0)
        return fail(call, CT_ERR_ARGUMENT, "it takes one operand and gives nothing");
    if (!(iter >= -1 && iter < 0x1p62))
        return fail(call, CT_ERR_ARGUMENT, "its iter is not in [0, 2^62)");
    pthread_mutex_lock(&checks->lock);
    const stored *found = find_stored(checks, id, (int64_t)iter);
    stored s = found ? *found : (stored){NULL, NULL, NULL}; /* the list may move, this does not */
    pthread_mutex_unlock(&checks->lock);
    if (!found)
        return fail(call, CT_ERR_ARGUMENT, "nothing was stored under its probe_id that often");
    if (!ct__type_equal(s.type, call->operand_type[0]))
        return fail(call, CT_ERR_TYPE, "a value of another type was stored under its probe_id");
    return compare(checks, call, &rule, s.type, call->operand[0], s.data, &equal);
}

static ct_status print(void *user, ct_custom_call *call)
{
    ct_checks *checks = user;
    if (call->n_operands != 1 || call->n_results != 0 || call->operand_type[0]->kind != CT__TENSOR)
        return fail(call, CT_ERR_ARGUMENT, "it takes one tensor and gives nothing");
    pthread_mutex_lock(&checks->lock);
    ct__add_elements(&checks->printed, call->operand_type[0], call->operand[0]);
    ct__text_add(&checks->printed, "\n");
    bool failed = checks->printed.failed;
    pthread_mutex_unlock(&checks->lock);
    return failed ? fail_memory(call) : CT_OK;
}

/* ---- The collector. */

static const struct {
    const char *target;
    ct_custom_function *code;
} targets[] = {
    {"check.expect_eq", expect_eq},
    {"check.expect_close", expect_close},
    {"check.expect_almost_eq", expect_almost_eq},
    {"check.eq", eq},
    {"check.expect_serialized_eq", expect_serialized_eq},
    {"interpreter.probe", probe},
    {"interpreter.print", print},
};

ct_checks *ct_checks_new_at(ct_place at, ct_context *ctx)
{
    ct_checks *poison = (ct_checks *)(uintptr_t)&static_poison;
    if (ct_failed(ctx))
        return poison;
    ct_checks *checks = ct__handle_new(ctx, CT__HANDLE_REPORT, sizeof *checks, finish);
    checks = checks ? checks : poison;
    if (checks != poison) {
        ct__handle_move(&checks->handle, 0);
        checks->has_lock = pthread_mutex_init(&checks->lock, NULL) == 0;
        ct__text_init(&checks->printed, &ctx->allocator);
    }
    if (!checks->has_lock) {
        ct__error_memory(ctx, at, "checks");
        return poison;
    }
    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++)
        ct_register_custom_call_at(at, ctx, targets[i].target, targets[i].code, checks);
    return ct_failed(ctx) ? poison : checks;
}

size_t ct_checks_done(const ct_checks *checks)
{
    return checks ? checks->n_done : 0;
}

size_t ct_checks_failed(const ct_checks *checks)
{
    return checks ? checks->n_failures : 0;
}

const char *ct_checks_failure(const ct_checks *checks, size_t i)
{
    return i < ct_checks_failed(checks) ? checks->failure[i] : "";
}

const char *ct_checks_printed(const ct_checks *checks)
{
    return checks && checks->printed.data ? checks->printed.data : "";
}

void ct_checks_compile_with(ct_checks *checks, const ct_compile_options *options)
{
    const ct_compile_options none = {.size = 0};
    if (!is_poison(checks))
        checks->options = options ? *options : none;
}

const ct_compile_options *ct__checks_options(const ct_checks *checks)
{
    return checks->options.size > 0 ? &checks->options : NULL;
}

void ct_checks_clear(ct_checks *checks)
{
    if (is_poison(checks))
        return;
    pthread_mutex_lock(&checks->lock);
    empty(checks);
    pthread_mutex_unlock(&checks->lock);
}
