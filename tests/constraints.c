#include "tests/constraints.h"

#include <string.h>

void constraints_check(const char *file, int line, ct_context *ctx, ct_status status,
                       const char *message)
{
    ct_place place = ct_error_place(ctx);

    if (ct_error_status(ctx) != status || strcmp(ct_error_message(ctx), message) != 0)
        check_fail(file, line, "the error is %s:\n%s\ninstead of %s:\n%s",
                   ct_status_name(ct_error_status(ctx)), ct_error_message(ctx),
                   ct_status_name(status), message);
    if (!place.file || strcmp(place.file, use.file) != 0 || place.line != use.line)
        check_fail(file, line, "the error's place is %s:%d", place.file ? place.file : "?",
                   place.line);
    ct_error_clear(ctx);
}

ct_function *constraints_body(ct_context *ctx, ct_list parameters, ct_args results)
{
    ct_trace_builder *builder = ct_trace_begin(ctx, "body", parameters);
    ct_tensor *given[8];

    for (size_t i = 0; i < results.count && i < 8; i++)
        given[i] = ct_trace_parameter(builder, (size_t)results.position[i]);
    return ct_trace_end(builder, (ct_list){results.count, given});
}
