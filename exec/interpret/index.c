/* Indices out of range, as an error. */
#include "exec/interpret/interpret.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { LISTED = 10 };

void ct__audit_begin(ct__index_audit *audit, size_t n_ranges, const int64_t *last)
{
    *audit = (ct__index_audit){.one_range = n_ranges > 0, .last = n_ranges > 0 ? last[0] : 0};
    for (size_t i = 1; i < n_ranges; i++)
        audit->one_range = audit->one_range && last[i] == last[0];
}

/* Appends to the text, which is cut where it ends. */
static void __attribute__((format(printf, 2, 3)))
add(ct__index_audit *audit, const char *format, ...)
{
    size_t room = sizeof audit->text - audit->length;
    va_list arguments;

    va_start(arguments, format);
    int length = vsnprintf(audit->text + audit->length, room, format, arguments);
    va_end(arguments);
    if (length > 0)
        audit->length += (size_t)length < room ? (size_t)length : room - 1;
}

static void add_value(ct__index_audit *audit, ct_dtype dtype, const void *element)
{
    int64_t value;
    uint64_t large;

    if (dtype == CT_U64) {
        memcpy(&large, element, sizeof large);
        add(audit, "%" PRIu64, large);
        return;
    }
    ct__reference_numerics.convert(CT_I64, dtype, 1, &value, element);
    add(audit, "%" PRId64, value);
}

void ct__audit_index(ct__index_audit *audit, int rank, const int64_t *position, ct_dtype dtype,
                     const void *element, int64_t last)
{
    audit->checked++;
    if ((last >= 0 && ct__index_in_range(dtype, element, last)) || audit->bad++ >= LISTED)
        return;
    add(audit, "%sposition [", audit->bad > 1 ? ", " : "");
    for (int d = 0; d < rank; d++)
        add(audit, "%s%" PRId64, d > 0 ? "," : "", position[d]);
    add(audit, "] is ");
    add_value(audit, dtype, element);
    if (!audit->one_range)
        add(audit, " (range [0, %" PRId64 "])", last);
}

bool ct__audit_end(const ct__eval *q, const ct__index_audit *audit)
{
    char range[64] = "";

    if (audit->bad == 0)
        return true;
    if (audit->one_range)
        snprintf(range, sizeof range, " [0, %" PRId64 "]", audit->last);
    return ct__run_fail(q, CT_ERR_INDEX,
                        "%" PRIu64 " of %" PRIu64 " indices are out of range%s: %s%s", audit->bad,
                        audit->checked, range, audit->text, audit->bad > LISTED ? ", …" : "");
}

void ct__index_vectors_begin(ct__index_vectors *vectors, const ct_type *type, const void *data,
                             int64_t vector_dim)
{
    int64_t stride[CT__MAX_RANK];

    ct__row_major(type->rank, type->dim, stride);
    *vectors = (ct__index_vectors){
        .type = type, .data = data, .element_bytes = ct_dtype_bytes(type->dtype), .entries = 1};
    for (int d = 0; d < type->rank; d++) {
        if (d == vector_dim) {
            vectors->entries = type->dim[d];
            vectors->entry_stride = stride[d];
        } else {
            vectors->dim[vectors->rank] = type->dim[d];
            vectors->stride[vectors->rank++] = stride[d];
        }
    }
}

bool ct__index_vectors_audit(const ct__eval *q, const ct__index_vectors *vectors,
                             int64_t vector_dim, const int64_t *last)
{
    const ct_type *type = vectors->type;
    int64_t position[CT__MAX_RANK] = {0};
    ct__index_audit audit;

    ct__audit_begin(&audit, (size_t)vectors->entries, last);
    for (int64_t i = 0; i < type->size; i++) {
        int64_t entry = vector_dim < type->rank ? position[vector_dim] : 0;
        ct__audit_index(&audit, type->rank, position, type->dtype,
                        vectors->data + (size_t)i * vectors->element_bytes, last[entry]);
        ct__next(type->rank, type->dim, position);
    }
    return ct__audit_end(q, &audit);
}
