/* Calls that keep their numbers. */
#include "exec/oracle/oracle.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct ct_numbers {
    ct__handle handle;
    ct__kept_numbers kept; /* without a graph: poison */
};

/* Never written. */
static const ct_numbers static_poison = {.handle = {.kind = CT__HANDLE_REPORT}};

bool ct_has_oracle(void)
{
    return true;
}

static void finish(ct__handle *handle)
{
    ct__kept_free(&((ct_numbers *)handle)->kept);
}

static bool check(ct_context *ctx, ct_place at, const ct_executable *f, ct_list arguments)
{
    if (ct_failed(ctx))
        return false;
    if (!f || !f->program) /* the call itself reports what is missing */
        return true;
    if (f->program->executor != &ct__oracle) {
        ct__error(ctx, at, CT_ERR_ARGUMENT,
                  "call_numbers: the executable runs in machine numbers (%s)",
                  f->program->executor->name);
        return false;
    }
    for (size_t i = 0; i < arguments.count; i++)
        if (arguments.item && arguments.item[i] && arguments.item[i]->kind == CT__TRACED) {
            ct__error(ctx, at, CT_ERR_TRACED, "call_numbers: argument %zu is traced", i);
            return false;
        }
    return true;
}

ct_numbers *ct_call_numbers_at(ct_place at, ct_executable *f, ct_list arguments,
                               ct_tensor **results, size_t n_results)
{
    ct_numbers *const poison = (ct_numbers *)(uintptr_t)&static_poison;
    ct_context *ctx = f ? f->handle.ctx : arguments.item ? ct__context_of_list(arguments) : NULL;
    const size_t count = ct_executable_results(f);
    ct_numbers *numbers;
    ct_tensor **rounded;

    for (size_t i = 0; results && i < n_results; i++)
        results[i] = ct__poison(ctx);
    if (!ctx || !check(ctx, at, f, arguments))
        return poison;
    numbers = ct__handle_new(ctx, CT__HANDLE_REPORT, sizeof *numbers, finish);
    rounded = ct__alloc(&ctx->allocator, (count + 1) * sizeof *rounded);
    if (numbers && rounded)
        ct__call_keeping(at, f, arguments, results ? results : rounded, results ? n_results : count,
                         &numbers->kept);
    else
        ct__error_memory(ctx, at, "call_numbers");
    ct__release(&ctx->allocator, rounded, (count + 1) * sizeof *rounded);
    return numbers && !ct_failed(ctx) ? numbers : poison;
}

/* ---- Text. */

static void add_element(ct__text *text, ct_dtype dtype, const void *x, ct_number_form form,
                        int digits)
{
    ct__number part[2];

    if (dtype == CT_BOOL) {
        ct__text_add(text, *(const bool *)x ? "true" : "false");
    } else if (ct_dtype_is_integer(dtype)) {
        const uint64_t bits = ct__load_integer(dtype, x);
        if (ct_dtype_is_signed(dtype))
            ct__text_add(text, "%" PRId64, (int64_t)bits);
        else
            ct__text_add(text, "%" PRIu64, bits);
    } else if (ct_dtype_is_complex(dtype)) {
        memcpy(part, x, sizeof part);
        ct__text_add(text, "(");
        ct__add_number(text, part[0], form, digits);
        ct__text_add(text, ", ");
        ct__add_number(text, part[1], form, digits);
        ct__text_add(text, ")");
    } else {
        memcpy(part, x, sizeof *part);
        ct__add_number(text, part[0], form, digits);
    }
}

/* NULL: there is none. */
static const ct_type *find_type(const ct__kept_numbers *kept, size_t result, int64_t element)
{
    const ct_type *type = kept->graph && result < kept->graph->n_results
                              ? ct__result_type(kept->graph, result)
                              : NULL;
    return type && type->kind == CT__TENSOR && element >= 0 && element < type->size ? type : NULL;
}

size_t ct_number_text(const ct_numbers *numbers, size_t result, int64_t element,
                      ct_number_form form, int digits, char *text, size_t bytes)
{
    ct__kept_numbers *kept = numbers ? (ct__kept_numbers *)(uintptr_t)&numbers->kept : NULL;
    const ct_type *type = kept ? find_type(kept, result, element) : NULL;
    size_t length = 0;
    ct__text written;

    if (bytes > 0)
        text[0] = '\0';
    if (!type)
        return 0;
    const void *value = kept->value[kept->graph->n_params + result];
    ct__text_init(&written, &kept->numbers.allocator);
    ct__numbers_enter(&kept->numbers);
    add_element(&written, type->dtype,
                ct__at(value, ct__mpfr_numerics.element_bytes(type->dtype), element), form, digits);
    ct__numbers_leave(&kept->numbers);
    if (!written.failed && written.data) {
        length = written.length;
        snprintf(text, bytes, "%s", written.data);
    }
    ct__text_free(&written);
    return length;
}
