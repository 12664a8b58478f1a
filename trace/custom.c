#include "trace/trace.h"

#include <locale.h>
#include <stdlib.h>
#include <string.h>

/* ---- The table. */

const ct__custom *ct__customs_find(const ct__customs *customs, const char *target)
{
    for (size_t i = 0; i < customs->count; i++)
        if (strcmp(customs->item[i].target, target) == 0)
            return &customs->item[i];
    return NULL;
}

static void free_target(const ct_allocator *allocator, const ct__custom *custom)
{
    ct__release(allocator, (void *)(uintptr_t)custom->target, strlen(custom->target) + 1);
}

void ct__customs_free(const ct_allocator *allocator, ct__customs *customs)
{
    for (size_t i = 0; i < customs->count; i++)
        free_target(allocator, &customs->item[i]);
    ct__release(allocator, customs->item, customs->capacity * sizeof *customs->item);
    *customs = (ct__customs){0};
}

/* The last one takes its place. */
static void remove_custom(const ct_allocator *allocator, ct__customs *customs, ct__custom *custom)
{
    free_target(allocator, custom);
    *custom = customs->item[--customs->count];
}

/* A new one of this name, else empty; NULL when memory is short. */
static ct__custom *add_custom(const ct_allocator *allocator, ct__customs *customs,
                              const char *target)
{
    size_t bytes = strlen(target) + 1;
    if (!ct__grow(allocator, &customs->item, &customs->capacity, customs->count + 1,
                  sizeof *customs->item))
        return NULL;
    char *copy = ct__alloc(allocator, bytes);
    if (!copy)
        return NULL;
    memcpy(copy, target, bytes);
    customs->item[customs->count] = (ct__custom){.target = copy};
    return &customs->item[customs->count++];
}

/* The target's entry, made when it is not there; NULL after an error. */
static ct__custom *entry_of(ct_context *ctx, ct_place at, const char *what, const char *target)
{
    if (ct_failed(ctx))
        return NULL;
    if (!target || !*target) {
        ct__error(ctx, at, CT_ERR_ARGUMENT, "%s: the target has no name", what);
        return NULL;
    }
    ct__custom *known = (ct__custom *)(uintptr_t)ct__customs_find(&ctx->customs, target);
    if (!known)
        known = add_custom(&ctx->allocator, &ctx->customs, target);
    if (!known)
        ct__error_memory(ctx, at, what);
    return known;
}

static void drop_empty(ct_context *ctx, ct__custom *custom)
{
    if (!custom->code && !custom->jvp && !custom->vjp)
        remove_custom(&ctx->allocator, &ctx->customs, custom);
}

void ct_register_custom_call_at(ct_place at, ct_context *ctx, const char *target,
                                ct_custom_function *code, void *user)
{
    ct__custom *custom = entry_of(ctx, at, "register_custom_call", target);
    if (!custom)
        return;
    custom->code = code;
    custom->user = user;
    drop_empty(ctx, custom);
}

void ct_register_custom_derivative_at(ct_place at, ct_context *ctx, const char *target,
                                      ct_custom_derivative *jvp, ct_custom_derivative *vjp,
                                      void *user)
{
    ct__custom *custom = entry_of(ctx, at, "register_custom_derivative", target);
    if (!custom)
        return;
    custom->jvp = jvp;
    custom->vjp = vjp;
    custom->derivative_user = user;
    drop_empty(ctx, custom);
}

/* ---- Attributes of a call: "name = value, name, "other name" = value", where a value is a string,
 * or anything with balanced brackets. */

typedef struct span {
    const char *at;
    size_t length;
} span;

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* Behind the string that begins at the quote. */
static const char *after_string(const char *at)
{
    for (at++; *at && *at != '"'; at++)
        if (*at == '\\' && at[1])
            at++;
    return *at ? at + 1 : at;
}

/* The next `mark` or "," outside of brackets and strings, or the end. "->" closes nothing. */
static const char *find_mark(const char *at, char mark)
{
    int depth = 0;
    while (*at && (depth > 0 || (*at != mark && *at != ','))) {
        bool arrow = *at == '-' && at[1] == '>';
        if (*at == '"') {
            at = after_string(at);
            continue;
        }
        depth += strchr("({[<", *at) != NULL;
        depth -= strchr(")}]>", *at) != NULL;
        at += arrow ? 2 : 1;
    }
    return at;
}

static span trimmed(const char *begin, const char *end)
{
    while (begin < end && is_blank(*begin))
        begin++;
    while (begin < end && is_blank(end[-1]))
        end--;
    return (span){begin, (size_t)(end - begin)};
}

static bool span_is(span s, const char *text)
{
    if (s.length >= 2 && *s.at == '"')
        s = (span){s.at + 1, s.length - 2};
    return strlen(text) == s.length && memcmp(s.at, text, s.length) == 0;
}

/* The value of attribute `name`, empty for a key alone. */
static bool find_value(const ct_custom_call *call, const char *name, span *value)
{
    const char *at = call ? call->attributes : NULL;
    while (name && at && *at) {
        const char *equals = find_mark(at, '=');
        const char *end = *equals == '=' ? find_mark(equals + 1, ',') : equals;
        if (span_is(trimmed(at, equals), name)) {
            *value = *equals == '=' ? trimmed(equals + 1, end) : (span){end, 0};
            return true;
        }
        at = *end ? end + 1 : end;
    }
    return false;
}

/* ---- Numbers. */

/* Digits with a decimal point, whatever the locale's is. */
static bool read_decimal(const char *digits, double *number)
{
    char text[72], *end;
    const char *point = localeconv()->decimal_point;
    const char *dot = strchr(digits, '.');
    size_t whole = dot ? (size_t)(dot - digits) : strlen(digits);
    if (strlen(digits) + strlen(point) >= sizeof text)
        return false;
    memcpy(text, digits, whole);
    text[whole] = '\0';
    if (dot)
        strcat(strcat(text, point), dot + 1);
    *number = strtod(text, &end);
    return end != text && *end == '\0';
}

/* "0x7FC00000" is the bits of a float of the type behind it, and an integer without one. */
static bool read_bits(const char *digits, span type, double *number)
{
    static const ct_dtype floats[] = {CT_F16, CT_BF16, CT_F32, CT_F64};
    char *end;
    uint64_t bits = strtoull(digits, &end, 16);
    if (*end)
        return false;
    *number = (double)bits;
    for (size_t i = 0; i < sizeof floats / sizeof *floats; i++) {
        uint16_t half = (uint16_t)bits;
        uint32_t single = (uint32_t)bits;
        size_t bytes = ct_dtype_bytes(floats[i]);
        if (span_is(type, ct_dtype_name(floats[i])))
            *number = ct__load_double(floats[i], bytes == 2   ? (void *)&half
                                                 : bytes == 4 ? (void *)&single
                                                              : (void *)&bits);
    }
    return true;
}

double ct_custom_number(const ct_custom_call *call, const char *name, double otherwise)
{
    span value;
    char digits[64];
    double number;
    if (!find_value(call, name, &value))
        return otherwise;
    const char *end = value.at + value.length, *colon = value.at;
    while (colon < end && *colon != ':')
        colon++;
    span written = trimmed(value.at, colon), type = trimmed(colon + (colon < end), end);
    if (written.length == 0 || span_is(written, "true")) /* a key alone says yes */
        return 1;
    if (span_is(written, "false"))
        return 0;
    if (written.length >= sizeof digits)
        return otherwise;
    memcpy(digits, written.at, written.length);
    digits[written.length] = '\0';
    if (strspn(digits, "+-.0123456789eExXabcdfABCDF") != written.length)
        return otherwise;
    bool fine = strncmp(digits, "0x", 2) == 0 ? read_bits(digits, type, &number)
                                              : read_decimal(digits, &number);
    return fine ? number : otherwise;
}

/* ---- Texts. */

static int hex_digit(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

/* The character that begins at *at, which moves behind it: MLIR escapes as \n, \t, \", \\ and two
 * hexadecimal digits. */
static char unescape(const char **at)
{
    const char *s = *at;
    *at += 1;
    if (*s != '\\')
        return *s;
    int high = hex_digit(s[1]), low = high < 0 ? -1 : hex_digit(s[2]);
    *at += low < 0 ? 1 : 2;
    if (low >= 0)
        return (char)(unsigned char)(16 * high + low);
    return s[1] == 'n' ? '\n' : s[1] == 't' ? '\t' : s[1];
}

bool ct_custom_text(const ct_custom_call *call, const char *name, char *text, size_t bytes)
{
    span value;
    size_t used = 0;
    bool found = find_value(call, name, &value);
    if (text && bytes > 0)
        text[0] = '\0';
    if (!found || !text || bytes == 0)
        return found;
    const char *at = value.at, *end = value.at + value.length;
    bool quoted = value.length >= 2 && *at == '"';
    if (quoted) {
        at++;
        end--;
    }
    while (at < end && used + 1 < bytes) {
        char c = *at;
        if (quoted)
            c = unescape(&at);
        else
            at++;
        text[used++] = c;
    }
    text[used] = '\0';
    return true;
}
