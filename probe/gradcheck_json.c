/* Reports for programs. */
#include "probe/gradcheck.h"

#include "trace/format.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* ---- Pieces. */

static void add_string(ct__text *text, const char *string)
{
    if (!string) {
        ct__text_add(text, "null");
        return;
    }
    ct__text_add(text, "\"");
    for (const char *at = string; *at; at++) {
        if ((unsigned char)*at < 0x20)
            ct__text_add(text, "\\u%04x", (unsigned)*at);
        else
            ct__text_add(text, "%s%c", *at == '"' || *at == '\\' ? "\\" : "", *at);
    }
    ct__text_add(text, "\"");
}

static void add_number(ct__text *text, double value)
{
    char number[CT__NUMBER_TEXT];

    if (isnan(value)) {
        ct__text_add(text, "null");
        return;
    }
    ct__format_number(CT_F64, value, number);
    ct__text_add(text, "%s%s%s", isinf(value) ? "\"" : "", number, isinf(value) ? "\"" : "");
}

static void add_string_of(ct__text *text, const char *key, const char *string)
{
    ct__text_add(text, ", \"%s\": ", key);
    add_string(text, string);
}

static void add_number_of(ct__text *text, const char *key, double value)
{
    ct__text_add(text, ", \"%s\": ", key);
    add_number(text, value);
}

static void add_coordinates(ct__text *text, const char *key, ct_shape place)
{
    ct__text_add(text, ", \"%s\": [", key);
    for (size_t d = 0; d < place.count; d++)
        ct__text_add(text, "%s%" PRId64, d ? ", " : "", place.dim[d]);
    ct__text_add(text, "]");
}

/* ---- Parts. */

static void add_counts(ct__text *text, const size_t *count)
{
    for (int v = 0; v < CT_GRADCHECK_VERDICTS; v++)
        ct__text_add(text, "%s\"%s\": %zu", v ? ", " : "{",
                     ct__verdict_word((ct_gradcheck_verdict)v), count[v]);
    ct__text_add(text, "}");
}

static void add_input(ct__text *text, const ct_gradcheck_report *report,
                      const ct__gradcheck_input *input)
{
    ct__text_add(text, "{\"input\": %zu", input->position);
    add_string_of(text, "name", input->name);
    add_string_of(text, "type", input->type_text);
    ct__text_add(text, ", \"order\": %d", input->order);
    add_string_of(text, "along", report->along_directions ? "directions" : "elements");
    ct__text_add(text, ", \"verdicts\": [");
    for (size_t i = 0; i < input->moved; i++)
        ct__text_add(text, "%s\"%s\"", i ? ", " : "",
                     ct__verdict_word((ct_gradcheck_verdict)input->verdict[i]));
    ct__text_add(text, "]}");
}

static void add_finding(ct__text *text, const ct_gradcheck_finding *f)
{
    ct__text_add(text, "{\"verdict\": \"%s\"", ct__verdict_word(f->verdict));
    add_string_of(text, "kind", f->kind == CT_GRADCHECK_ADJOINT ? "adjoint" : "difference");
    ct__text_add(text, ", \"order\": %d, \"input\": %zu", f->order, f->input);
    add_string_of(text, "name", f->input_name);
    add_coordinates(text, "element", f->element);
    add_number_of(text, "direction", f->direction < 0 ? NAN : (double)f->direction);
    ct__text_add(text, ", \"result\": %zu", f->result);
    add_string_of(text, "result_name", f->result_name);
    add_coordinates(text, "result_element", f->result_element);
    add_number_of(text, "derivative", f->derivative);
    add_number_of(text, "estimate", f->estimate);
    add_number_of(text, "uncertainty", f->uncertainty);
    add_number_of(text, "below", f->below);
    add_number_of(text, "above", f->above);
    add_number_of(text, "in_dtype", f->in_dtype);
    add_number_of(text, "digits_lost", f->digits_lost);
    add_string_of(text, "operation", f->operation);
    add_string_of(text, "function", f->function);
    add_string_of(text, "file", f->place.file);
    ct__text_add(text, ", \"line\": %d", f->place.line);
    add_string_of(text, "note", f->note);
    ct__text_add(text, "}");
}

static void add_report(ct__text *text, const ct_gradcheck_report *report)
{
    size_t checks = 0;

    for (int v = 0; v < CT_GRADCHECK_VERDICTS; v++)
        checks += report->count[v];
    ct__text_add(text, "{\"function\": ");
    add_string(text, report->name);
    ct__text_add(text, ", \"passed\": %s, \"checks\": %zu, \"by_hand\": %s, \"numbers\": ",
                 ct_gradcheck_passed(report) ? "true" : "false", checks,
                 report->by_hand ? "true" : "false");
    if (report->bits == CT__QUOTIENTS)
        ct__text_add(text, "\"rational\"");
    else if (report->bits > 0)
        ct__text_add(text, "\"mpfr:%zu\"", report->bits);
    else
        ct__text_add(text, "\"f64\"");
    ct__text_add(text, ", \"counts\": ");
    add_counts(text, report->count);
    ct__text_add(text, ", \"inputs\": [");
    for (size_t i = 0; i < report->n_inputs; i++) {
        ct__text_add(text, "%s", i ? ", " : "");
        add_input(text, report, &report->input[i]);
    }
    ct__text_add(text, "], \"findings\": [");
    for (size_t i = 0; i < report->n_findings; i++) {
        ct__text_add(text, "%s", i ? ", " : "");
        add_finding(text, &report->finding[i]);
    }
    ct__text_add(text, "], \"omitted\": %zu, \"clamped\": [", report->n_omitted);
    for (size_t i = 0; i < report->n_notes; i++) {
        ct__text_add(text, "%s", i ? ", " : "");
        add_string(text, report->note[i]);
    }
    ct__text_add(text, "]}\n");
}

const char *ct_gradcheck_json(const ct_gradcheck_report *report)
{
    ct__text text;

    if (!report || !report->name)
        return "";
    ct_context *ctx = report->handle.ctx;
    ct__text_init(&text, &ctx->allocator);
    add_report(&text, report);
    return ct__scope_take(ctx, (ct_place){NULL, 0, 0}, "gradcheck_json", &text);
}
