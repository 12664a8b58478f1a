#include "tests/hostile.h"

#include "tests/values.h"

#include <cotangent/cotangent.h>
#include <cotangent/module.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void hostile_add_bytes(hostile_text *t, const char *bytes, size_t count)
{
    if (t->capacity - t->length < count + 1) {
        t->capacity = 2 * (t->capacity + count + 1);
        t->data = realloc(t->data, t->capacity);
        CHECK(t->data);
    }
    memcpy(t->data + t->length, bytes, count);
    t->length += count;
    t->data[t->length] = '\0';
}

void hostile_add(hostile_text *t, const char *bytes)
{
    hostile_add_bytes(t, bytes, strlen(bytes));
}

void hostile_repeat(hostile_text *t, const char *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        hostile_add(t, bytes);
}

/* Each # of the pattern is i. */
void hostile_number(hostile_text *t, const char *pattern, size_t count)
{
    char digits[24];
    for (size_t i = 0; i < count; i++)
        for (const char *c = pattern; *c; c++) {
            snprintf(digits, sizeof digits, "%zu", i);
            hostile_add_bytes(t, *c == '#' ? digits : c, *c == '#' ? strlen(digits) : 1);
        }
}

/* Whether "t:LINE:COLUMN: " begins the message. */
static bool has_place(const char *message)
{
    int line = 0, column = 0, end = 0;
    return sscanf(message, "t:%d:%d: %n", &line, &column, &end) == 2 && end > 0 && line > 0 &&
           column > 0;
}

/* Reads it: fine, or an error with its place. Returns whether it is fine. */
bool hostile_is_read(const char *bytes, size_t length)
{
    ct_context *ctx = ct_context_new();
    ct_module *module = ct_read_stablehlo_text(ctx, "t", bytes, length);
    bool fine = !ct_failed(ctx);
    CHECK_MSG(fine || (ct_error_status(ctx) == CT_ERR_TEXT && has_place(ct_error_message(ctx)) &&
                       ct_module_is_poison(module)),
              "%.300s", ct_error_message(ctx));
    ct_context_free(ctx);
    return fine;
}

bool hostile_is_read_and_freed(hostile_text *t)
{
    bool fine = hostile_is_read(t->data, t->length);
    free(t->data);
    return fine;
}
