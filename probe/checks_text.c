#include "probe/checks.h"

#include "trace/format.h"

#include <inttypes.h>

/* ---- Tensors. */

void ct__add_indices(ct__text *text, const ct_type *type, int64_t position)
{
    int64_t index[CT__MAX_RANK];
    ct__coordinates(type->rank, type->dim, position, index);
    for (int d = 0; d < type->rank; d++)
        ct__text_add(text, "%s%" PRId64 "%s", d ? ", " : " at [", index[d],
                     d + 1 == type->rank ? "]" : "");
}

#define MAX_SHOWN 1000

/* The elements below one index of axis `axis`; *next moves past them, *left says how many fit. */
static void add_nested(ct__text *text, const ct_type *type, int axis, const char **next,
                       int64_t *left)
{
    char element[CT__ELEMENT_TEXT];
    if (axis == type->rank) {
        ct__text_add(text, "%s", ct__element_text(type->dtype, *next, element));
        *next += ct_dtype_bytes(type->dtype);
        --*left;
        return;
    }
    ct__text_add(text, "[");
    for (int64_t i = 0; i < type->dim[axis] && !text->failed; i++) {
        ct__text_add(text, "%s", i ? ", " : "");
        if (*left <= 0) {
            ct__text_add(text, "...");
            break;
        }
        add_nested(text, type, axis + 1, next, left);
    }
    ct__text_add(text, "]");
}

/* Empty lists may be as many as the extents before them say: those are left out. */
void ct__add_elements(ct__text *text, const ct_type *type, const void *data)
{
    char name[128];
    const char *next = data;
    int64_t left = MAX_SHOWN;
    ct__text_add(text, "%s ", ct__type_print(type, name, sizeof name));
    if (type->size == 0)
        ct__text_add(text, "[]");
    else
        add_nested(text, type, 0, &next, &left);
}
