/* A growing text. */
#ifndef CT_OPS_TEXT_H
#define CT_OPS_TEXT_H

#include "ops/memory.h"

typedef struct ct__text {
    ct_allocator allocator;
    char *data; /* NULL or 0-terminated */
    size_t length;
    size_t capacity;
    bool failed; /* an allocation failed; later additions do nothing */
} ct__text;

void ct__text_init(ct__text *text, const ct_allocator *allocator);
void ct__text_free(ct__text *text);
void ct__text_add(ct__text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
void ct__text_add_bytes(ct__text *text, const char *bytes, size_t count);

#endif
