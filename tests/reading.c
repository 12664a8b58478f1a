#include "tests/reading.h"

#include <cotangent/context.h>

#include <stdio.h>
#include <string.h>

/* The text is read up to `length`; behind it stand definitions of aliases. */
static void reading_begin_part(reading *q, const char *text, size_t length)
{
    const ct__span whole = {text, strlen(text)};
    q->ctx = ct_context_new();
    q->text = text;
    q->stop = text + length;
    CHECK(ct__reader_init(&q->r, q->ctx, CT_HERE, "t", whole, 1));
}

void reading_begin(reading *q, const char *text)
{
    reading_begin_part(q, text, strlen(text));
}

/* "TEXT\n#x = …\n", in memory that the test keeps. */
void reading_begin_with_aliases(reading *q, char *memory, size_t bytes, const char *text,
                                const char *const *definition)
{
    size_t length = (size_t)snprintf(memory, bytes, "%s", text);
    for (size_t i = 0; definition[i]; i++)
        length += (size_t)snprintf(memory + length, bytes - length, "\n%s", definition[i]);
    CHECK(length < bytes);
    reading_begin_part(q, memory, strlen(text));
    for (size_t i = 0; definition[i]; i++) {
        const char *at = strstr(memory, definition[i]);
        ct__map_entry *entry = ct__map_add(&q->r.aliases, at, strcspn(at, " "));
        CHECK(entry != NULL);
        entry->value = strstr(at, " = ") + 3;
        entry->count = strlen(definition[i]) - (size_t)((const char *)entry->value - at);
    }
}

void reading_end(reading *q)
{
    ct__reader_free(&q->r);
    ct_context_free(q->ctx);
}

/* Whatever was read, all of the text was. */
bool reading_is_at_end(reading *q)
{
    ct__skip_blanks(&q->r);
    return q->r.cursor.at >= q->stop && strspn(q->stop, "\n") >= (size_t)(q->r.cursor.at - q->stop);
}

const char *reading_errors(const reading *q)
{
    return q->r.errors.data ? q->r.errors.data : "";
}

/* The first line of the errors is "t:1:COLUMN: MESSAGE". */
void reading_check_error(int line, const reading *q, int column, const char *message)
{
    char want[512];
    snprintf(want, sizeof want, "t:1:%d: %s\n", column, message);
    if (strncmp(reading_errors(q), want, strlen(want)) != 0)
        check_fail(__FILE__, line, "%s\ngave\n%s\nnot\n%s", q->text, reading_errors(q), want);
}

void reading_check_attribute_error(int line, const char *text, int column, const char *message)
{
    reading q;
    ct__attribute value;
    reading_begin(&q, text);
    if (ct__read_attribute(&q.r, &value))
        check_fail(__FILE__, line, "%s is read", text);
    reading_check_error(line, &q, column, message);
    reading_end(&q);
}
