#include "ops/hash.h"

#include <string.h>

/* Literals are hashed by so many bytes at most; comparing looks at all. */
#define HASHED_BYTES 65536

static uint64_t mix_bytes(uint64_t hash, const unsigned char *data, size_t bytes)
{
    uint64_t word;
    for (; bytes >= sizeof word; data += sizeof word, bytes -= sizeof word) {
        memcpy(&word, data, sizeof word);
        hash = ct__mix(hash, word);
    }
    word = bytes;
    if (bytes > 0)
        memcpy(&word, data, bytes);
    return ct__mix(hash, word);
}

uint64_t ct__mix_type(uint64_t hash, const ct_type *type)
{
    hash = ct__mix(ct__mix(hash, (uint64_t)type->kind), (uint64_t)type->dtype);
    for (int d = 0; d < type->rank; d++)
        hash = ct__mix(hash, (uint64_t)type->dim[d]);
    return hash;
}

static uint64_t mix_literal(uint64_t hash, const ct__literal *literal)
{
    const ct_type *type = literal->type;
    size_t bytes = ct__data_bytes(type);
    hash = ct__mix_type(hash, type);
    if (type->kind != CT__TENSOR || type->size == 0)
        return hash;
    if (ct__literal_is_splat(literal) || !ct__literal_is_contiguous(literal))
        bytes = ct_dtype_bytes(type->dtype);
    return mix_bytes(hash, ct__literal_first(literal), bytes < HASHED_BYTES ? bytes : HASHED_BYTES);
}

static uint64_t mix_text(uint64_t hash, const char *text)
{
    return text ? mix_bytes(hash, (const unsigned char *)text, strlen(text)) : ct__mix(hash, 0);
}

static uint64_t mix_field(uint64_t hash, ct__field_kind kind, const void *field)
{
    const ct__ints *list = field;
    uint64_t number = 0;
    switch (kind) {
    case CT__FIELD_INT: return ct__mix(hash, (uint64_t) * (const int64_t *)field);
    case CT__FIELD_INTS:
        hash = ct__mix(hash, list->count);
        for (size_t i = 0; i < list->count; i++)
            hash = ct__mix(hash, (uint64_t)list->item[i]);
        return hash;
    case CT__FIELD_FLAG: return ct__mix(hash, *(const bool *)field);
    case CT__FIELD_DTYPE: return ct__mix(hash, (uint64_t) * (const ct_dtype *)field);
    case CT__FIELD_ENUM: return ct__mix(hash, (uint64_t) * (const int *)field);
    case CT__FIELD_LITERAL: return mix_literal(hash, *(ct__literal *const *)field);
    case CT__FIELD_REAL: memcpy(&number, field, sizeof number); return ct__mix(hash, number);
    case CT__FIELD_TEXT: return mix_text(hash, *(const char *const *)field);
    }
    return hash;
}

uint64_t ct__mix_attrs(uint64_t hash, ct__attrs_kind kind, const ct__attrs *attrs)
{
    const ct__attrs_info *info = ct__attrs_describe(kind);
    for (size_t i = 0; i < info->n_fields; i++)
        hash = mix_field(hash, info->field[i].kind,
                         (const unsigned char *)attrs + info->field[i].offset);
    return hash;
}
