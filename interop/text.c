#include "interop/interop.h"
#include "trace/trace.h"

static ct__graph_printer *printer_of(ct_text_form form)
{
    switch (form) {
    case CT_TEXT_STABLEHLO: return ct__print_stablehlo;
    case CT_TEXT_DOT: return ct__print_dot;
    case CT_TEXT_SUMMARY: return ct__print_summary;
    }
    return NULL;
}

static const char *print(ct_function *f, ct_context *ctx, ct__graph_printer *printer)
{
    ct__text text;
    ct__fault fault = {.status = CT_OK};
    const char *result = "";
    ct__text_init(&text, &ctx->allocator);
    if (printer(f->graph, &text, &fault) && !text.failed)
        result = ct__scope_text(ctx, text.data, text.length);
    else if (fault.status != CT_OK)
        ct__error(ctx, fault.at, fault.status, "text: %s", fault.message);
    else
        ct__error_memory(ctx, (ct_place){NULL, 0, 0}, "text");
    ct__text_free(&text);
    return result;
}

const char *ct_function_text(ct_function *f, ct_text_form form)
{
    ct_context *ctx = ct_function_context(f);
    if (!ctx || ct_function_is_poison(f))
        return "";
    ct__graph_printer *printer = printer_of(form);
    if (printer)
        return print(f, ctx, printer);
    ct__error(ctx, (ct_place){NULL, 0, 0}, CT_ERR_ARGUMENT, "text: there is no form number %d",
              (int)form);
    return "";
}
