/* Reports for people:
 *
 *     loss: 9 checks of its derivatives in numbers of 448 bits: 7 right, 1 wrong derivative, 1
 * kink: … input 0 "w"  f32[2,3]  6 elements: 5 right, 1 wrong derivative input 1 "b"  f32[3]    3
 * elements: 2 right, 1 kink: …
 *
 *     wrong derivative
 *       input 0 "w" at [1, 2], result 0: the derivative is 0.5, differences give 0.25 ± 3e-12
 *
 *     kink: one-sided derivatives differ
 *       input 1 "b" at [0], result 0: the derivative is 0; it is -1 from below, 1 from above */
#include "probe/gradcheck.h"

#include "trace/format.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { LISTED = 20 }; /* findings of one verdict */

/* ---- Pieces. */

/* `digits` significant ones. */
static void add_number(ct__text *text, double value, int digits)
{
    char number[CT__NUMBER_TEXT];
    ct__digits d;
    if (!isfinite(value)) {
        ct__text_add(text, "%s", isnan(value) ? "nan" : value > 0 ? "inf" : "-inf");
        return;
    }
    ct__digits_round(value + 0.0, digits, &d); /* no -0 */
    int length = d.exponent > -5 && d.exponent < 15 ? ct__write_positional(&d, 0, number)
                                                    : ct__write_scientific(&d, 0, 2, number);
    /* "3." and "3.e-07" lose the point */
    char *point = memchr(number, '.', (size_t)length);
    if (point && (point[1] == '\0' || point[1] == 'e'))
        memmove(point, point + 1, strlen(point));
    ct__text_add(text, "%s", number);
}

/* Enough digits to see that a and b differ by more than they may, at least 6. */
static int digits_for(double a, double b, double uncertainty)
{
    double size = fmax(fabs(a), fabs(b)), gap = fmax(fabs(a - b), uncertainty);
    if (!isfinite(size) || !(gap > 0))
        return 6;
    double digits = ceil(log10(size / gap)) + 2; /* -inf or inf where the ratio is 0 or too large */
    return (int)fmin(fmax(digits, 6), 17);
}

static void add_coordinates(ct__text *text, ct_shape place)
{
    if (place.count == 0)
        return;
    ct__text_add(text, " at [");
    for (size_t d = 0; d < place.count; d++)
        ct__text_add(text, d ? ", %" PRId64 : "%" PRId64, place.dim[d]);
    ct__text_add(text, "]");
}

static void add_named(ct__text *text, const char *what, size_t position, const char *name)
{
    ct__text_add(text, "%s %zu", what, position);
    if (name)
        ct__text_add(text, " \"%s\"", name);
}

/* "7 right, 1 wrong derivative"; "nothing" when all are 0. */
static void add_counts(ct__text *text, const size_t *count)
{
    bool any = false;
    for (int v = 0; v < CT_GRADCHECK_VERDICTS; v++) {
        if (count[v] == 0)
            continue;
        ct__text_add(text, "%s%zu %s", any ? ", " : "", count[v],
                     ct_gradcheck_verdict_name((ct_gradcheck_verdict)v));
        any = true;
    }
    if (!any)
        ct__text_add(text, "nothing to check");
}

static size_t total(const size_t *count)
{
    size_t sum = 0;
    for (int v = 0; v < CT_GRADCHECK_VERDICTS; v++)
        sum += count[v];
    return sum;
}

/* ---- Findings. */

static void add_place(ct__text *text, const ct_gradcheck_finding *f, bool weighted)
{
    ct__text_add(text, "  ");
    add_named(text, "input", f->input, f->input_name);
    if (f->direction >= 0)
        ct__text_add(text, " along direction %" PRId64, f->direction);
    else
        add_coordinates(text, f->element);
    ct__text_add(text, ", ");
    const char *gradient = weighted ? "gradient of <ybar, f> by input" : "gradient by input";
    add_named(text, f->order > 1 ? gradient : "result", f->result, f->result_name);
    add_coordinates(text, f->result_element);
    ct__text_add(text, ": ");
}

static void add_kink(ct__text *text, const ct_gradcheck_finding *f)
{
    ct__text_add(text, "the derivative is ");
    add_number(text, f->derivative, 6);
    ct__text_add(text, "; it is ");
    add_number(text, f->below, 6);
    ct__text_add(text, " from below, ");
    add_number(text, f->above, 6);
    ct__text_add(text, " from above");
}

static void add_difference(ct__text *text, const ct_gradcheck_finding *f)
{
    int digits = digits_for(f->derivative, f->estimate, f->uncertainty);
    ct__text_add(text, "the derivative is ");
    add_number(text, f->derivative, digits);
    if (isnan(f->estimate))
        return;
    ct__text_add(text, ", differences give ");
    add_number(text, f->estimate, digits);
    if (!isfinite(f->uncertainty))
        return;
    ct__text_add(text, " ± ");
    add_number(text, f->uncertainty, 1);
}

static void add_lost(ct__text *text, const ct_gradcheck_finding *f)
{
    ct__text_add(text, "%s derivative is ",
                 f->kind == CT_GRADCHECK_ADJOINT ? "the reverse" : "the");
    add_number(text, f->kind == CT_GRADCHECK_ADJOINT ? f->estimate : f->derivative, 6);
    ct__text_add(text, ", its dtypes make it ");
    add_number(text, f->in_dtype, 6);
    ct__text_add(text, ": %.1f digits are lost", f->digits_lost);
}

static void add_adjoint(ct__text *text, const ct_gradcheck_finding *f)
{
    int digits = digits_for(f->derivative, f->estimate, f->uncertainty);
    ct__text_add(text, "forward <ybar, J dx> = ");
    add_number(text, f->derivative, digits);
    ct__text_add(text, ", reverse <J' ybar, dx> = ");
    add_number(text, f->estimate, digits);
}

/* "; wrong from loss.c:42 on: custom_rule of softplus" */
static void add_blame(ct__text *text, const ct_gradcheck_finding *f)
{
    char place[4096] = "";
    if (!f->operation)
        return;
    const char *what = f->verdict == CT_GRADCHECK_ILL ? "most of them by" : "made wrong by";
    if (f->place.file)
        ct__place_print(f->place, "", place, sizeof place);
    ct__text_add(text, "; %s %s%s%s%s%s", what, f->operation, f->function ? " of " : "",
                 f->function ? f->function : "", place[0] ? ", " : "", place);
}

static void add_finding(ct__text *text, const ct_gradcheck_finding *f, bool weighted)
{
    add_place(text, f, weighted);
    if (f->verdict == CT_GRADCHECK_ILL)
        add_lost(text, f);
    else if (f->kind == CT_GRADCHECK_ADJOINT)
        add_adjoint(text, f);
    else if (f->verdict == CT_GRADCHECK_KINK)
        add_kink(text, f);
    else
        add_difference(text, f);
    if (f->note[0])
        ct__text_add(text, " (%s)", f->note);
    add_blame(text, f);
    ct__text_add(text, "\n");
}

/* ---- Sections. */

static void add_input(ct__text *text, const ct_gradcheck_report *report,
                      const ct__gradcheck_input *input)
{
    const char *second = report->weighted ? ", second order of <ybar, f>" : ", second order";
    ct__text_add(text, "  ");
    add_named(text, "input", input->position, input->name);
    ct__text_add(text, "  %s  %zu %s%s%s: ", input->type_text, input->moved,
                 report->along_directions ? "direction" : "element", input->moved == 1 ? "" : "s",
                 input->order > 1 ? second : "");
    add_counts(text, input->count);
    ct__text_add(text, "\n");
}

static void add_section(ct__text *text, const ct_gradcheck_report *report,
                        ct_gradcheck_verdict verdict)
{
    size_t listed = 0, more = 0;
    for (size_t i = 0; i < report->n_findings; i++) {
        if (report->finding[i].verdict != verdict)
            continue;
        if (listed == 0)
            ct__text_add(text, "\n%s\n", ct_gradcheck_verdict_name(verdict));
        if (listed < LISTED) {
            add_finding(text, &report->finding[i], report->weighted);
            listed++;
        } else {
            more++;
        }
    }
    if (more > 0)
        ct__text_add(text, "  … and %zu more\n", more);
    for (size_t i = 0; verdict == CT_GRADCHECK_CLAMPED && i < report->n_notes; i++)
        ct__text_add(text, "  %s\n", report->note[i]);
}

/* "f64", "numbers of 448 bits", "exact quotients" */
static void add_numbers(ct__text *text, size_t bits)
{
    if (bits == CT__QUOTIENTS)
        ct__text_add(text, "exact quotients");
    else if (bits > 0)
        ct__text_add(text, "numbers of %zu bits", bits);
    else
        ct__text_add(text, "f64");
}

static void add_what(ct__text *text, const ct_gradcheck_report *report)
{
    ct__text_add(text, "%s in ",
                 report->by_hand           ? "the derivative by hand"
                 : report->is_reverse_only ? "its reverse derivative"
                                           : "its derivatives");
    add_numbers(text, report->bits);
    if (!report->has_second || report->second_bits == report->bits)
        return;
    ct__text_add(text, ", of second order in ");
    add_numbers(text, report->second_bits);
}

static void add_report(ct__text *text, const ct_gradcheck_report *report)
{
    static const ct_gradcheck_verdict order[] = {
        CT_GRADCHECK_WRONG, CT_GRADCHECK_JUMP, CT_GRADCHECK_KINK,    CT_GRADCHECK_UNDEFINED,
        CT_GRADCHECK_NOISY, CT_GRADCHECK_ILL,  CT_GRADCHECK_CLAMPED, CT_GRADCHECK_RIGHT};
    size_t n = total(report->count);
    ct__text_add(text, "%s: %zu check%s of ", report->name, n, n == 1 ? "" : "s");
    add_what(text, report);
    ct__text_add(text, ": ");
    add_counts(text, report->count);
    ct__text_add(text, "\n");
    for (size_t i = 0; i < report->n_inputs; i++)
        add_input(text, report, &report->input[i]);
    for (size_t i = 0; i < sizeof order / sizeof *order; i++)
        add_section(text, report, order[i]);
    if (report->n_omitted > 0)
        ct__text_add(text, "\n%zu findings are counted but not listed\n", report->n_omitted);
}

const char *ct_gradcheck_text(const ct_gradcheck_report *report)
{
    if (!report || !report->name)
        return "";
    ct_context *ctx = report->handle.ctx;
    ct__text text;
    ct__text_init(&text, &ctx->allocator);
    add_report(&text, report);
    return ct__scope_take(ctx, (ct_place){NULL, 0, 0}, "gradcheck_text", &text);
}
