#include "probe/gradcheck.h"

#include <math.h>
#include <string.h>

/* ---- Making. */

/* Never written. */
static const ct_gradcheck_report static_poison = {.handle = {.kind = CT__HANDLE_REPORT}};

static void finish(ct__handle *handle)
{
    ct_gradcheck_report *report = (ct_gradcheck_report *)handle;
    const ct_allocator *allocator = &handle->ctx->allocator;
    ct__release(allocator, report->input, report->input_capacity * sizeof *report->input);
    ct__release(allocator, report->finding, report->finding_capacity * sizeof *report->finding);
    ct__release(allocator, report->note, report->note_capacity * sizeof *report->note);
    ct__arena_free(&report->arena);
}

ct_gradcheck_report *ct__report_poison(void)
{
    return (ct_gradcheck_report *)(uintptr_t)&static_poison;
}

ct_gradcheck_report *ct__report_new(ct_context *ctx, ct_place at)
{
    ct_gradcheck_report *report = ct__handle_new(ctx, CT__HANDLE_REPORT, sizeof *report, finish);
    if (!report) {
        ct__error_memory(ctx, at, "gradcheck");
        return ct__report_poison();
    }
    ct__arena_init(&report->arena, &ctx->allocator);
    return report;
}

void ct_gradcheck_release(ct_gradcheck_report *report)
{
    if (report && report->handle.next)
        ct__handle_free(&report->handle);
}

/* ---- Filling. */

#define GROW(report, list)                                                                         \
    ct__grow(&(report)->handle.ctx->allocator, &(report)->list, &(report)->list##_capacity,        \
             (report)->n_##list##s + 1, sizeof *(report)->list)

/* A copy of text, which may be NULL. */
static bool copy_text(ct_gradcheck_report *report, const char **text)
{
    if (!*text)
        return true;
    *text = ct__arena_text(&report->arena, *text);
    return *text != NULL;
}

static bool copy_shape(ct_gradcheck_report *report, ct_shape *shape)
{
    shape->dim = ct__arena_copy(&report->arena, shape->dim, shape->count * sizeof *shape->dim);
    return shape->dim != NULL;
}

bool ct__report_input(ct_gradcheck_report *report, const ct__gradcheck_input *input)
{
    ct__gradcheck_input copy = *input;
    copy.verdict = CT__NEW_ARRAY(&report->arena, uint8_t, input->moved);
    if (!copy.verdict || !GROW(report, input) || !copy_text(report, &copy.name) ||
        !copy_text(report, &copy.type_text))
        return false;
    report->input[report->n_inputs++] = copy;
    return true;
}

void ct__report_rewind(ct_gradcheck_report *report, const ct_gradcheck_report *before)
{
    memcpy(report->count, before->count, sizeof report->count);
    report->n_outside = before->n_outside;
    report->n_inputs = before->n_inputs;
    report->n_findings = before->n_findings;
    report->n_omitted = before->n_omitted;
    report->n_notes = before->n_notes;
    report->is_reverse_only = before->is_reverse_only;
}

bool ct__report_note(ct_gradcheck_report *report, const char *note)
{
    if (!GROW(report, note) || !copy_text(report, &note))
        return false;
    report->note[report->n_notes++] = note;
    return true;
}

/* Whether a kink's derivative lies between the one-sided ones. */
static bool is_between(const ct_gradcheck_finding *f)
{
    double low = f->below < f->above ? f->below : f->above;
    double high = f->below < f->above ? f->above : f->below;
    double room = 16 * f->uncertainty;
    return f->derivative >= low - room && f->derivative <= high + room;
}

bool ct__report_finding(ct_gradcheck_report *report, const ct_gradcheck_finding *finding)
{
    ct_gradcheck_finding copy = *finding;
    bool outside = copy.verdict == CT_GRADCHECK_KINK && !is_between(&copy);
    report->count[copy.verdict]++;
    report->input[report->n_inputs - 1].count[copy.verdict]++;
    report->n_outside += outside;
    if (outside)
        copy.note = "it lies outside of them";
    if (copy.verdict == CT_GRADCHECK_RIGHT && !report->list_right)
        return true;
    if (report->n_findings >= report->max_findings) {
        report->n_omitted++;
        return true;
    }
    if (!GROW(report, finding) || !copy_text(report, &copy.input_name) ||
        !copy_text(report, &copy.result_name) || !copy_shape(report, &copy.element) ||
        !copy_shape(report, &copy.result_element))
        return false;
    report->finding[report->n_findings++] = copy;
    return true;
}

/* The gravest first. */
static const ct_gradcheck_verdict grave[CT_GRADCHECK_VERDICTS] = {
    CT_GRADCHECK_WRONG, CT_GRADCHECK_JUMP, CT_GRADCHECK_UNDEFINED, CT_GRADCHECK_NOISY,
    CT_GRADCHECK_KINK,  CT_GRADCHECK_ILL,  CT_GRADCHECK_CLAMPED,   CT_GRADCHECK_RIGHT};

void ct__report_moved(ct_gradcheck_report *report, size_t moved,
                      const size_t before[CT_GRADCHECK_VERDICTS])
{
    const ct__gradcheck_input *input = &report->input[report->n_inputs - 1];

    input->verdict[moved] = CT_GRADCHECK_RIGHT;
    for (size_t i = CT_GRADCHECK_VERDICTS; i-- > 0;)
        if (input->count[grave[i]] > before[grave[i]])
            input->verdict[moved] = (uint8_t)grave[i];
}

/* Where it is no mistake. */
static const char *note_of(const char *operation)
{
    return strcmp(operation, "stop_gradient") == 0 ? "the program asks for it" : "";
}

bool ct__report_blame(ct_gradcheck_report *report, size_t first, ct_gradcheck_verdict verdict,
                      const ct__blame *blame)
{
    ct__blame copy = *blame;
    if (!copy.operation)
        return true;
    if (!copy_text(report, &copy.operation) || !copy_text(report, &copy.function) ||
        !copy_text(report, &copy.place.file))
        return false;
    for (size_t i = first; i < report->n_findings; i++) {
        ct_gradcheck_finding *f = &report->finding[i];
        if (f->verdict != verdict)
            continue;
        f->note = f->note[0] ? f->note : note_of(copy.operation);
        f->operation = copy.operation;
        f->function = copy.function;
        f->place = copy.place;
    }
    return true;
}

/* ---- Reading. */

static bool is_poison(const ct_gradcheck_report *report)
{
    return !report || !report->name;
}

bool ct_gradcheck_passed(const ct_gradcheck_report *report)
{
    return !is_poison(report) && report->count[CT_GRADCHECK_WRONG] == 0 &&
           report->count[CT_GRADCHECK_NOISY] == 0 && report->count[CT_GRADCHECK_UNDEFINED] == 0 &&
           report->count[CT_GRADCHECK_JUMP] == 0 && report->n_outside == 0;
}

size_t ct_gradcheck_count(const ct_gradcheck_report *report, ct_gradcheck_verdict verdict)
{
    if (is_poison(report) || (unsigned)verdict >= CT_GRADCHECK_VERDICTS)
        return 0;
    return report->count[verdict];
}

size_t ct_gradcheck_findings(const ct_gradcheck_report *report)
{
    return is_poison(report) ? 0 : report->n_findings;
}

const ct_gradcheck_finding *ct_gradcheck_finding_at(const ct_gradcheck_report *report,
                                                    size_t position)
{
    return position < ct_gradcheck_findings(report) ? &report->finding[position] : NULL;
}

const char *ct_gradcheck_verdict_name(ct_gradcheck_verdict verdict)
{
    static const char *const name[CT_GRADCHECK_VERDICTS] = {"right",
                                                            "wrong derivative",
                                                            "kink: one-sided derivatives differ",
                                                            "too noisy to tell",
                                                            "reads a clamped index",
                                                            "jump: no derivative",
                                                            "ill-conditioned",
                                                            "undefined: no finite value here"};
    return (unsigned)verdict < CT_GRADCHECK_VERDICTS ? name[verdict] : "unknown verdict";
}

const char *ct__verdict_word(ct_gradcheck_verdict verdict)
{
    static const char *const word[CT_GRADCHECK_VERDICTS] = {
        "right", "wrong", "kink", "noisy", "clamped", "jump", "ill_conditioned", "undefined"};
    return word[verdict];
}

ct_gradcheck_verdict ct_gradcheck_of(const ct_gradcheck_report *report, int order, size_t input,
                                     size_t element)
{
    for (size_t i = 0; !is_poison(report) && i < report->n_inputs; i++) {
        const ct__gradcheck_input *x = &report->input[i];
        if (x->order == order && x->position == input && element < x->moved)
            return (ct_gradcheck_verdict)x->verdict[element];
    }
    return CT_GRADCHECK_VERDICTS;
}
