/* What read_forms.c and read_shapes.c share: items of patterns. */
#ifndef CT_INTEROP_STABLEHLO_READ_FORMS_H
#define CT_INTEROP_STABLEHLO_READ_FORMS_H

#include "interop/stablehlo/read_values.h"

/* The items of forms.def; those with a key set it in s->attributes. */
bool ct__form_operands(ct__reader *r, ct__statement *s);
bool ct__form_ints(ct__reader *r, ct__statement *s, const char *key);
bool ct__form_dict(ct__reader *r, ct__statement *s); /* {} */
bool ct__form_signature(ct__reader *r, ct__statement *s);
bool ct__form_each(ct__reader *r, ct__statement *s); /* :each */
/* From a place in the text to the cursor, as the value's source. */
void ct__form_source(const ct__reader *r, const char *at, ct__attribute *value);

/* !constant, !format, … */
bool ct__form_constant(ct__reader *r, ct__statement *s);
bool ct__form_format(ct__reader *r, ct__statement *s);
bool ct__form_ranges(ct__reader *r, ct__statement *s);
bool ct__form_window(ct__reader *r, ct__statement *s);
bool ct__form_barrier(ct__reader *r, ct__statement *s);
bool ct__form_sharding(ct__reader *r, ct__statement *s); /* read_sharding.c */
bool ct__form_reduce(ct__reader *r, ct__statement *s);
bool ct__form_while(ct__reader *r, ct__statement *s);
bool ct__form_scan(ct__reader *r, ct__statement *s);

#endif
