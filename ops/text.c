#include "ops/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void ct__text_init(ct__text *text, const ct_allocator *allocator)
{
    *text = (ct__text){.allocator = *allocator};
}

void ct__text_free(ct__text *text)
{
    ct__release(&text->allocator, text->data, text->capacity);
    text->data = NULL;
    text->length = 0;
    text->capacity = 0;
}

/* Room for `count` more bytes and the final 0. */
static bool reserve(ct__text *text, size_t count)
{
    if (!text->failed &&
        (count >= SIZE_MAX - text->length ||
         !ct__grow(&text->allocator, &text->data, &text->capacity, text->length + count + 1, 1)))
        text->failed = true;
    return !text->failed;
}

void ct__text_add(ct__text *text, const char *format, ...)
{
    va_list arguments;
    int count;

    va_start(arguments, format);
    count = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    if (count < 0)
        text->failed = true;
    if (count < 0 || !reserve(text, (size_t)count))
        return;
    va_start(arguments, format);
    vsnprintf(text->data + text->length, (size_t)count + 1, format, arguments);
    va_end(arguments);
    text->length += (size_t)count;
}

void ct__text_add_bytes(ct__text *text, const char *bytes, size_t count)
{
    if (!reserve(text, count))
        return;
    if (count > 0)
        memcpy(text->data + text->length, bytes, count);
    text->length += count;
    text->data[text->length] = 0;
}
