/* Large texts of programs, and reading what nobody means well with. */
#ifndef CT_TESTS_HOSTILE_H
#define CT_TESTS_HOSTILE_H

#include <stdbool.h>
#include <stddef.h>

/* A text that grows; begins as {NULL, 0, 0}. Whoever has it frees data. */
typedef struct hostile_text {
    char *data;
    size_t length, capacity;
} hostile_text;

void hostile_add_bytes(hostile_text *t, const char *bytes, size_t count);
void hostile_add(hostile_text *t, const char *bytes);
void hostile_repeat(hostile_text *t, const char *bytes, size_t count);
/* The pattern for i = 0 … count - 1; each # of it is i. */
void hostile_number(hostile_text *t, const char *pattern, size_t count);

/* Reads it: fine, or an error with its place, "t:LINE:COLUMN: ". Returns whether it is fine. */
bool hostile_is_read(const char *bytes, size_t length);
bool hostile_is_read_and_freed(hostile_text *t);

#endif
