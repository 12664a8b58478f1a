#include "tools/tools.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Cut at the end of the word; returns what follows the blanks behind it. */
static char *cut_word(char *word)
{
    while (*word && !isspace((unsigned char)*word))
        word++;
    if (*word)
        *word++ = '\0';
    while (isspace((unsigned char)*word))
        word++;
    return word;
}

static bool complain(const char *path, int line, const char *what)
{
    fprintf(stderr, "cotangent: %s:%d: %s\n", path, line, what);
    return false;
}

static bool add(allow_list *list, const char *path, char *line, int number)
{
    char *hash = strchr(line, '#');
    if (hash)
        *hash = '\0';
    while (isspace((unsigned char)*line))
        line++;
    if (!*line)
        return true;
    char *reason = cut_word(line);
    if (!*reason)
        return complain(path, number, "the reason is missing: a line is a name and a reason");
    allowed *longer = realloc(list->item, (list->count + 1) * sizeof *longer);
    if (!longer)
        return complain(path, number, "out of memory");
    list->item = longer;
    for (size_t n = strlen(reason); n > 0 && isspace((unsigned char)reason[n - 1]);)
        reason[--n] = '\0';
    list->item[list->count++] = (allowed){line, reason, number};
    return true;
}

bool read_allow_list(const char *path, allow_list *list)
{
    size_t length;
    int number = 1;
    *list = (allow_list){read_file(path, &length), 0, NULL};
    if (list->text && strlen(list->text) != length)
        return complain(path, 1, "it is no list of names: it holds a byte 0");
    for (char *line = list->text, *next; line; line = next, number++) {
        next = strchr(line, '\n');
        if (next)
            *next++ = '\0';
        if (!add(list, path, line, number))
            return false;
    }
    return list->text != NULL;
}

void free_allow_list(allow_list *list)
{
    free(list->item);
    free(list->text);
}

bool is_named(const char *name, const char *path)
{
    size_t n = strlen(name), length = strlen(path);
    if (length > 5 && strcmp(path + length - 5, ".mlir") == 0 &&
        !(n > 5 && strcmp(name + n - 5, ".mlir") == 0))
        length -= 5;
    return n <= length && memcmp(path + length - n, name, n) == 0 &&
           (n == length || path[length - n - 1] == '/');
}

const char *find_allowed(const allow_list *list, const char *path)
{
    for (size_t i = 0; i < list->count; i++)
        if (is_named(list->item[i].name, path))
            return list->item[i].reason;
    return NULL;
}
