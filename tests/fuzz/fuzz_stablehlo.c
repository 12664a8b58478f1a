/* Any bytes as a program's text: read, and what was read is printed and read again. */
#include <cotangent/context.h>
#include <cotangent/module.h>

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ct_context *ctx = ct_context_new();
    const char *text = (const char *)data;
    for (size_t part = 0; part < ct_stablehlo_parts(text, size); part++) {
        ct_scope scope = ct_scope_begin(ctx);
        ct_module *module = ct_read_stablehlo_part(ctx, "fuzz", text, size, part);
        for (size_t i = 0; i < ct_module_functions(module) && !ct_failed(ctx); i++) {
            ct_function *f = ct_module_function(module, ct_module_function_name(module, i));
            if (ct_failed(ctx)) /* a template */
                break;
            const char *printed = ct_stablehlo_text(f, CT_WRITE_PRETTY);
            ct_read_stablehlo_text(ctx, "printed", printed, strlen(printed));
            if (ct_failed(ctx) && ct_error_status(ctx) == CT_ERR_TEXT)
                abort();
        }
        ct_error_clear(ctx);
        ct_scope_end(scope);
    }
    ct_context_free(ctx);
    return 0;
}
