/* Reports of what reverse mode keeps, as objects of a scope and as text. */
#include "ad/residuals.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- Making. */

/* Never written. */
static const ct_residual_report static_poison = {.handle = {.kind = CT__HANDLE_REPORT}};

static void finish(ct__handle *handle)
{
    ct_residual_report *report = (ct_residual_report *)handle;
    ct__release(&handle->ctx->allocator, report->item,
                report->item_capacity * sizeof *report->item);
    ct__arena_free(&report->arena);
}

ct_residual_report *ct__residual_poison(void)
{
    return (ct_residual_report *)(uintptr_t)&static_poison;
}

ct_residual_report *ct__residual_report_new(ct_context *ctx, ct_place at)
{
    ct_residual_report *report = ct__handle_new(ctx, CT__HANDLE_REPORT, sizeof *report, finish);
    if (!report) {
        ct__error_memory(ctx, at, "residuals");
        return ct__residual_poison();
    }
    ct__arena_init(&report->arena, &ctx->allocator);
    return report;
}

void ct_residuals_release(ct_residual_report *report)
{
    if (report && report->handle.next)
        ct__handle_free(&report->handle);
}

bool ct__residual_add(ct_residual_report *report, const ct_residual *item)
{
    if (!ct__grow(&report->handle.ctx->allocator, &report->item, &report->item_capacity,
                  report->n_items + 1, sizeof *report->item))
        return false;
    report->item[report->n_items++] = *item;
    return true;
}

/* qsort keeps no order of its own. */
typedef struct ranked {
    ct_residual item;
    size_t position;
} ranked;

static int by_bytes(const void *a, const void *b)
{
    const ranked *x = a, *y = b;
    if (x->item.bytes != y->item.bytes)
        return x->item.bytes < y->item.bytes ? 1 : -1;
    return (x->position > y->position) - (x->position < y->position);
}

bool ct__residual_sort(ct_residual_report *report)
{
    ranked *list = CT__NEW_ARRAY(&report->arena, ranked, report->n_items);
    for (size_t i = 0; list && i < report->n_items; i++)
        list[i] = (ranked){report->item[i], i};
    if (list)
        qsort(list, report->n_items, sizeof *list, by_bytes);
    for (size_t i = 0; list && i < report->n_items; i++)
        report->item[i] = list[i].item;
    return list != NULL;
}

/* ---- Asking. */

size_t ct_residuals_count(const ct_residual_report *report)
{
    return report ? report->n_items : 0;
}

const ct_residual *ct_residuals_item(const ct_residual_report *report, size_t position)
{
    return report && position < report->n_items ? &report->item[position] : NULL;
}

static uint64_t sum(const ct_residual_report *report, ct_residual_kind kind, bool is_uncounted)
{
    uint64_t bytes = 0;
    for (size_t i = 0; report && i < report->n_items; i++) {
        const ct_residual *item = &report->item[i];
        if (item->kind == kind && item->is_uncounted == is_uncounted)
            bytes = item->bytes > UINT64_MAX - bytes ? UINT64_MAX : bytes + item->bytes;
    }
    return bytes;
}

uint64_t ct_residuals_bytes(const ct_residual_report *report, ct_residual_kind kind)
{
    return sum(report, kind, false);
}

uint64_t ct_residuals_iteration_bytes(const ct_residual_report *report, ct_residual_kind kind)
{
    return sum(report, kind, true);
}

/* ---- Text. */

/* ", loss.c:42"; nothing for a place that is not known. */
static void add_place(ct__text *text, const char *before, ct_place place, const char *behind)
{
    if (!place.file)
        return;
    ct__text_add(text, "%s%s:%d", before, place.file, place.line);
    if (place.column > 0)
        ct__text_add(text, ":%d", place.column);
    ct__text_add(text, "%s", behind);
}

/* "tanh "h", loss.c:42" */
static void add_origin(ct__text *text, const ct_residual_origin *origin)
{
    const char *between = "";
    if (origin->operation[0]) {
        ct__text_add(text, "%s", origin->operation);
        between = " ";
    }
    if (origin->name)
        ct__text_add(text, "%s\"%s\"", between, origin->name);
    add_place(text, ", ", origin->place, "");
}

/* "100 x ? x f32[10]" */
static void print_type(const ct_residual *item, char *text, size_t bytes)
{
    size_t used = 0;
    for (size_t i = 0; i < item->n_loops && used + 1 < bytes; i++) {
        int n = item->loop[i].count < 0
                    ? snprintf(text + used, bytes - used, "? x ")
                    : snprintf(text + used, bytes - used, "%" PRId64 " x ", item->loop[i].count);
        used += n > 0 ? (size_t)n : 0;
    }
    if (used < bytes)
        ct__type_print(item->type, text + used, bytes - used);
}

static void add_item(ct__text *text, const ct_residual *item)
{
    char amount[64], kind[48] = "kept", type[256];
    snprintf(amount, sizeof amount, "%" PRIu64 " byte%s%s", item->bytes,
             item->bytes == 1 ? "" : "s", item->is_uncounted ? " an iteration" : "");
    if (item->kind == CT_RESIDUAL_ARGUMENT)
        snprintf(kind, sizeof kind, "argument %zu", item->argument);
    else if (item->kind == CT_RESIDUAL_RECOMPUTED)
        snprintf(kind, sizeof kind, "recomputed");
    print_type(item, type, sizeof type);
    bool is_told = item->kind != CT_RESIDUAL_ARGUMENT || item->origin->name;
    ct__text_add(text, "%-24s %-11s %*s", amount, kind, is_told ? -20 : 0, type);
    for (size_t i = 0; is_told && i < item->n_origins; i++) {
        ct__text_add(text, "%s", i ? " or " : " ");
        add_origin(text, &item->origin[i]);
    }
    for (size_t i = item->n_loops; i-- > 0;) {
        ct__text_add(text, ", in %s", item->loop[i].operation);
        add_place(text, " (", item->loop[i].place, ")");
    }
    ct__text_add(text, "\n");
}

static void add_total(ct__text *text, const ct_residual_report *report, ct_residual_kind kind,
                      const char *what)
{
    uint64_t bytes = ct_residuals_bytes(report, kind);
    uint64_t each = ct_residuals_iteration_bytes(report, kind);
    bool is_kept = kind == CT_RESIDUAL_KEPT;
    if (bytes > 0 || is_kept)
        ct__text_add(text, "%" PRIu64 " bytes %s\n", bytes, what);
    if (each > 0)
        ct__text_add(text, "%" PRIu64 " bytes %s an iteration of loops that only a run counts\n",
                     each, what);
}

const char *ct_residuals_text(const ct_residual_report *report)
{
    if (!report || !report->is_made)
        return "";
    ct_context *ctx = report->handle.ctx;
    ct__text text;
    ct__text_init(&text, &ctx->allocator);
    for (size_t i = 0; i < report->n_items; i++)
        add_item(&text, &report->item[i]);
    add_total(&text, report, CT_RESIDUAL_KEPT, "kept");
    add_total(&text, report, CT_RESIDUAL_ARGUMENT, "of arguments");
    add_total(&text, report, CT_RESIDUAL_RECOMPUTED, "recomputed");
    return ct__scope_take(ctx, (ct_place){NULL, 0, 0}, "residuals_text", &text);
}
