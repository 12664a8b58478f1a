/* What fills the fields of attributes, among each other. */
#ifndef CT_INTEROP_STABLEHLO_READ_FIELDS_H
#define CT_INTEROP_STABLEHLO_READ_FIELDS_H

#include "interop/stablehlo/read_build.h"

/* One field being filled. */
typedef struct ct__filling {
    ct__reader *r;
    ct__statement *s;
    const ct__op_info *op;
    const ct__attrs_info *attrs;
    const char *key;
    ct__field_kind kind;
    const char *const *names; /* of enums */
    void *value;              /* in the struct */
} ct__filling;

/* From the entry that has the field's name, or with what stands for one that is left out:
 * read_fields.c */
bool ct__fill_plain(const ct__filling *f);
/* From wherever the text has it: read_derived.c */
bool ct__fill_field(const ct__filling *f);
/* As many integers of one value. */
bool ct__fill_repeat(const ct__filling *f, size_t count, int64_t value, ct__ints *ints);
/* How many axes windows move along. */
size_t ct__window_rank(const ct__filling *f);

#endif
