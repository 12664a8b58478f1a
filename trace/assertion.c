#include "trace/trace.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- Messages. */

/* The number in "{12}", and in *end what stands behind it; -1: it is no such field. */
static int64_t field_at(const char *at, const char **end)
{
    int64_t number = 0;
    const char *digit = at + 1;
    if (*at != '{')
        return -1;
    for (; *digit >= '0' && *digit <= '9' && number < 1000; digit++)
        number = 10 * number + (*digit - '0');
    *end = digit + 1;
    return digit > at + 1 && *digit == '}' ? number : -1;
}

void ct__assertion_text(char *text, size_t bytes, const char *message, size_t n,
                        const int64_t *const *value)
{
    size_t used = 0;
    while (*message && used + 1 < bytes) {
        const char *end = message;
        const int64_t field = field_at(message, &end);
        if (field >= 0 && (uint64_t)field < n && value[field]) {
            used += (size_t)snprintf(text + used, bytes - used, "%" PRId64, *value[field]);
            message = end;
        } else {
            text[used++] = *message++;
        }
    }
    text[used < bytes ? used : bytes - 1] = '\0';
}

/* ---- Runs: @shape_assertion(ok, values…), whose text is error_message. */

enum { MOST_VALUES = 64 };

static bool is_integer_scalar(const ct_type *type)
{
    return type->kind == CT__TENSOR && type->rank == 0 && ct_dtype_is_integer(type->dtype);
}

static int64_t load_integer(ct_dtype dtype, const void *element)
{
    int64_t value;
    if (dtype != CT_I64 && dtype != CT_U64)
        return (int64_t)ct__load_double(dtype, element);
    memcpy(&value, element, sizeof value);
    return value;
}

static void fill_message(ct_custom_call *call)
{
    int64_t number[MOST_VALUES];
    const int64_t *value[MOST_VALUES] = {NULL};
    const size_t n = call->n_operands - 1 < MOST_VALUES ? call->n_operands - 1 : MOST_VALUES;
    char message[sizeof call->message];
    ct_custom_text(call, "error_message", message, sizeof message);
    for (size_t i = 0; i < n; i++)
        if (is_integer_scalar(call->operand_type[i + 1])) {
            number[i] = load_integer(call->operand_type[i + 1]->dtype, call->operand[i + 1]);
            value[i] = &number[i];
        }
    ct__assertion_text(call->message, sizeof call->message, message, n, value);
}

ct_status ct__shape_assertion(void *user, ct_custom_call *call)
{
    (void)user;
    const ct_type *type = call->n_operands > 0 ? call->operand_type[0] : NULL;
    if (!type || type->kind != CT__TENSOR || type->rank != 0 || type->dtype != CT_BOOL) {
        snprintf(call->message, sizeof call->message, "the first operand must be a bool scalar");
        return CT_ERR_TYPE;
    }
    if (*(const unsigned char *)call->operand[0])
        return CT_OK;
    fill_message(call);
    return CT_ERR_SHAPE;
}
