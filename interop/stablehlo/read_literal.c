#include "interop/interop.h"
#include "interop/stablehlo/read_values.h"

#include <inttypes.h>

/* ---- Making literals. */

bool ct__own_literal(ct__reader *r, ct__literal *literal)
{
    if (literal && ct__grow(&r->ctx->allocator, &r->literal, &r->literal_capacity,
                            r->n_literals + 1, sizeof *r->literal)) {
        r->literal[r->n_literals++] = literal;
        return true;
    }
    ct__literal_release(literal);
    return ct__read_fail_memory(r);
}

/* A literal of n stored elements: all of the type's, or one that stands for all; its bytes are to
 * be filled. */
static bool new_literal(ct__reader *r, const ct_type *type, bool is_splat, ct__literal **literal)
{
    const int64_t none[CT__MAX_RANK] = {0};
    const size_t bytes = is_splat ? ct_dtype_bytes(type->dtype) : ct__data_bytes(type);
    ct__storage *storage = ct__storage_new(&r->ctx->allocator, bytes);
    *literal = storage ? ct__literal_new(storage, type, 0, is_splat ? none : NULL) : NULL;
    return ct__own_literal(r, *literal) && *literal;
}

/* ---- Nested lists: brackets follow the shape. */

typedef struct list {
    ct__reader *r;
    const ct_type *type;
    size_t step;         /* bytes between elements; 0: all go to the same place */
    unsigned char *next; /* where the next element goes */
} list;

static bool read_element(list *l)
{
    if (ct__next_char(l->r) == '[')
        return ct__read_fail(l->r, l->r->cursor.at, "the list nests deeper than the rank %d",
                             l->type->rank);
    if (!ct__read_number(l->r, l->type->dtype, l->next))
        return false;
    l->next += l->step;
    return true;
}

static bool fail_count(list *l, int axis)
{
    ct__skip_blanks(l->r);
    return ct__read_fail(l->r, l->r->cursor.at, "axis %d has %" PRId64 " elements: %s", axis,
                         l->type->dim[axis],
                         ct__char(l->r) == ']'   ? "there are fewer"
                         : ct__char(l->r) == ',' ? "there are more"
                                                 : "expected ',' or ']'");
}

static bool read_axis(list *l, int axis)
{
    if (axis == l->type->rank)
        return read_element(l);
    if (ct__next_char(l->r) != '[')
        return ct__read_fail(l->r, l->r->cursor.at, "expected '[': the rank is %d", l->type->rank);
    l->r->cursor.at++;
    for (int64_t i = 0; i < l->type->dim[axis]; i++) {
        const char c = ct__next_char(l->r);
        if (i > 0 ? c != ',' : c == ']')
            return fail_count(l, axis);
        l->r->cursor.at += i > 0;
        if (!read_axis(l, axis + 1))
            return false;
    }
    if (ct__next_char(l->r) != ']')
        return fail_count(l, axis);
    l->r->cursor.at++;
    return true;
}

/* A shape with more elements than the text has characters is not allocated: reading the list finds
 * where it is too short. */
static bool read_list(ct__reader *r, const ct_type *type, ct__literal **literal)
{
    unsigned char element[16];
    list l = {.r = r, .type = type, .next = element};
    if (type->size <= r->cursor.end - r->cursor.at) {
        if (!new_literal(r, type, false, literal))
            return false;
        l.step = ct_dtype_bytes(type->dtype);
        l.next = (*literal)->storage->data;
    }
    return read_axis(&l, 0);
}

static bool read_splat(ct__reader *r, const ct_type *type, ct__literal **literal)
{
    unsigned char element[16];
    if (!ct__read_number(r, type->dtype, element) || !new_literal(r, type, type->size > 0, literal))
        return false;
    if (type->size > 0)
        memcpy((*literal)->storage->data, element, ct_dtype_bytes(type->dtype));
    return true;
}

/* ---- Hexadecimal data: two digits a byte, numbers from their lowest byte on. */

#define BAD 0x80 /* no digit has this bit */

/* clang-format off */
static const unsigned char digit_of[256] = {
#define BAD4 BAD, BAD, BAD, BAD
#define BAD16 BAD4, BAD4, BAD4, BAD4
    BAD16, BAD16, BAD16,
    0, 1, 2, 3, 4, 5, 6, 7, 8, 9, BAD, BAD, BAD4,
    BAD, 10, 11, 12, 13, 14, 15, BAD, BAD4, BAD4, BAD16,
    BAD, 10, 11, 12, 13, 14, 15, BAD, BAD4, BAD4, BAD16,
    BAD16, BAD16, BAD16, BAD16, BAD16, BAD16, BAD16, BAD16
#undef BAD16
#undef BAD4
};
/* clang-format on */

static bool decode(ct__reader *r, const char *digits, size_t bytes, unsigned char *out)
{
    const unsigned char *in = (const unsigned char *)digits;
    unsigned all = 0;
    for (size_t i = 0; i < bytes; i++) {
        const unsigned high = digit_of[in[2 * i]], low = digit_of[in[2 * i + 1]];
        all |= high | low;
        out[i] = (unsigned char)(high << 4 | low);
    }
    if (!(all & BAD))
        return true;
    while (!(digit_of[*in] & BAD))
        in++;
    return ct__read_fail(r, (const char *)in, "expected a hexadecimal digit");
}

/* "0x…" behind the quotation mark; the cursor moves behind the closing one. */
static bool read_hex_string(ct__reader *r, ct__span *digits)
{
    const char *at = ++r->cursor.at;
    const char *close = memchr(at, '"', (size_t)(r->cursor.end - at));
    if (!close)
        return ct__read_fail(r, at - 1, "the string does not end");
    if (close - at < 2 || memcmp(at, "0x", 2) != 0)
        return ct__read_fail(r, at, "expected hexadecimal data, \"0x…\"");
    *digits = (ct__span){at + 2, (size_t)(close - at) - 2};
    r->cursor.at = close + 1;
    if (digits->length % 2 != 0)
        return ct__read_fail(r, at, "hexadecimal data has two digits a byte; there are %zu digits",
                             digits->length);
    return true;
}

/* Bits of bools, the first ones lowest, in place of the packed bytes at the end of out. */
static void unpack(unsigned char *out, const unsigned char *packed, size_t count)
{
    for (size_t i = 0; i < count; i++)
        out[i] = packed[i / 8] >> i % 8 & 1;
}

/* From the text's bytes to those in memory: the machine's order, true as 1, and of numbers of less
 * than 8 bits the sign in the other bits. */
static void adapt(ct_dtype dtype, unsigned char *data, size_t bytes)
{
    const size_t number = ct_dtype_bytes(dtype) / (ct_dtype_is_complex(dtype) ? 2 : 1);
    const unsigned width = number == 1 ? ct__dtype_bits(dtype) : 8;
    const unsigned mask = (1U << width) - 1, sign = mask & ~(mask >> 1);
    for (size_t i = 0; number > 1 && ct__is_big_endian() && i < bytes; i += number)
        ct__reverse_bytes(data + i, number);
    for (size_t i = 0; width < 8 && i < bytes; i++) {
        const bool fill = ct_dtype_is_signed(dtype) && (data[i] & sign);
        data[i] = dtype == CT_BOOL ? data[i] != 0
                                   : (unsigned char)((data[i] & mask) | (fill ? ~mask : 0));
    }
}

/* Bools are one byte each, or 8 in a byte; then a byte of equal bits stands for any number. */
static bool read_bool_data(ct__reader *r, const ct_type *type, ct__span digits,
                           ct__literal **literal)
{
    const size_t bytes = digits.length / 2, count = (size_t)type->size;
    unsigned char first = 0;
    if (bytes > 0 && !decode(r, digits.at, 1, &first))
        return false;
    bool is_splat = bytes == 1 && count > 1 && (first == 0 || first == 0xff);
    if (!new_literal(r, type, is_splat, literal))
        return false;
    unsigned char *data = (*literal)->storage->data;
    if (is_splat || bytes == count) {
        if (!decode(r, digits.at, bytes, data))
            return false;
        adapt(CT_BOOL, data, bytes);
        return true;
    }
    unsigned char *packed = ct__arena_alloc(&r->arena, bytes);
    if (!packed)
        return ct__read_fail_memory(r);
    if (!decode(r, digits.at, bytes, packed))
        return false;
    unpack(data, packed, count);
    return true;
}

static bool has_bool_size(const ct_type *type, size_t bytes)
{
    const size_t count = (size_t)type->size;
    return bytes == count || bytes == count / 8 + (count % 8 != 0) || (bytes == 1 && count > 0);
}

static bool read_data(ct__reader *r, const ct_type *type, ct__span digits, ct__literal **literal)
{
    const size_t bytes = digits.length / 2, element = ct_dtype_bytes(type->dtype);
    const size_t all = ct__data_bytes(type);
    const bool is_bool = type->dtype == CT_BOOL;
    if (is_bool ? !has_bool_size(type, bytes) : bytes != all && (bytes != element || all == 0))
        return ct__read_fail(r, digits.at, "%zu bytes of data; %s has %zu", bytes,
                             ct__written_type(r, type), all);
    if (is_bool)
        return read_bool_data(r, type, digits, literal);
    if (!new_literal(r, type, bytes != all, literal) ||
        !decode(r, digits.at, bytes, (*literal)->storage->data))
        return false;
    adapt(type->dtype, (*literal)->storage->data, bytes);
    return true;
}

static bool read_hex(ct__reader *r, const ct_type *type, ct__literal **literal)
{
    ct__span digits = {NULL, 0};
    return read_hex_string(r, &digits) && read_data(r, type, digits, literal);
}

/* ---- dense<…> */

/* What stands between "<" and ">", the cursor behind it. */
static bool read_elements(ct__reader *r, const ct_type *type, ct__literal **literal)
{
    switch (ct__next_char(r)) {
    case '>':
        if (type->size > 0)
            return ct__read_fail(r, r->cursor.at, "%s has %" PRId64 " elements, here is none",
                                 ct__written_type(r, type), type->size);
        return new_literal(r, type, false, literal);
    case '"': return read_hex(r, type, literal);
    case '[': return read_list(r, type, literal);
    default: return read_splat(r, type, literal);
    }
}

/* To the ">" that ends the data: strings may hold one too, and comments. */
static bool skip_elements(ct__reader *r)
{
    ct__cursor *c = &r->cursor;
    const char *at = c->at;
    while (c->at < c->end && *c->at != '>') {
        if (*c->at == '/') {
            const char *before = c->at;
            ct__skip_blanks(r);
            c->at += c->at == before;
        } else if (*c->at == '"') {
            const char *close = memchr(c->at + 1, '"', (size_t)(c->end - c->at - 1));
            c->at = close ? close + 1 : c->end;
        } else {
            c->at++;
        }
    }
    return c->at < c->end || ct__read_fail(r, at, "the constant does not end: '>' is missing");
}

static bool check_constant_type(ct__reader *r, const char *at, const ct_type *type)
{
    if (type->kind == CT__TENSOR && ct__type_is_known(type))
        return true;
    return ct__read_fail(r, at, "a constant is a tensor whose shape is known, not %s",
                         ct__written_type(r, type));
}

/* ": T" */
static bool read_constant_type(ct__reader *r, const ct_type **type)
{
    if (!ct__expect(r, ":"))
        return false;
    ct__skip_blanks(r);
    const char *at = r->cursor.at;
    return ct__read_type(r, type) && check_constant_type(r, at, *type);
}

static bool read_dense(ct__reader *r, const ct_type *type, ct__attribute *value)
{
    if (!ct__expect(r, "<"))
        return false;
    ct__cursor data = r->cursor, after = {NULL, NULL};
    if (!type) {
        if (!skip_elements(r) || !ct__expect(r, ">") || !read_constant_type(r, &type))
            return false;
        after = r->cursor;
        r->cursor = data;
    } else if (!check_constant_type(r, data.at, type)) {
        return false;
    }
    value->kind = CT__ATTRIBUTE_DENSE;
    value->type = type;
    if (!read_elements(r, type, &value->literal) || !ct__expect(r, ">"))
        return false;
    if (after.at)
        r->cursor = after;
    return true;
}

bool ct__read_dense(ct__reader *r, const ct_type *type, ct__attribute *value)
{
    const char *at = r->cursor.at;
    *value = (ct__attribute){.kind = CT__ATTRIBUTE_DENSE};
    if (!read_dense(r, type, value))
        return false;
    value->source = (ct__span){at, (size_t)(r->cursor.at - at)};
    return true;
}

/* ---- Resources: {-# dialect_resources: { builtin: { key: "0x…" } } #-}, of which the first four
 * bytes tell the alignment. */

/* A bare or quoted key; texts without escapes. */
static bool read_key(ct__reader *r, ct__span *key)
{
    if (ct__next_char(r) != '"')
        return ct__read_word(r, key);
    return ct__read_string(r, &key->at, &key->length);
}

static bool add_resource(ct__reader *r, ct__span key)
{
    ct__span digits = {NULL, 0};
    if (ct__next_char(r) != '"')
        return ct__skip_enclosed(r);
    if (!read_hex_string(r, &digits))
        return false;
    if (ct__map_find(&r->resources, key.at, key.length))
        return true;
    ct__map_entry *entry = ct__map_add(&r->resources, key.at, key.length);
    if (!entry)
        return ct__read_fail_memory(r);
    entry->value = digits.at;
    entry->count = digits.length;
    return true;
}

/* "{ key: …, key: … }", at `depth` below dialect_resources: dialects, then their resources. */
static bool read_resources(ct__reader *r, int depth)
{
    ct__span key;
    if (!ct__expect(r, "{"))
        return false;
    while (!ct__take(r, "}")) {
        if (!read_key(r, &key) || !ct__expect(r, ":") ||
            !(depth == 0 ? read_resources(r, 1) : add_resource(r, key)))
            return false;
        if (!ct__take(r, ",") && !ct__peek(r, "}"))
            return ct__read_expected(r, "',' or '}'");
    }
    return true;
}

static bool read_section(ct__reader *r)
{
    ct__span key;
    if (!ct__expect(r, "{-#"))
        return false;
    while (!ct__take(r, "#-}")) {
        if (!read_key(r, &key) || !ct__expect(r, ":"))
            return false;
        if (!(ct__span_is(key, "dialect_resources") ? read_resources(r, 0) : ct__skip_enclosed(r)))
            return false;
        if (!ct__take(r, ",") && !ct__peek(r, "#-}"))
            return ct__read_expected(r, "',' or '#-}'");
    }
    return true;
}

/* The sections are read when the first resource is asked for. */
static bool find_resources(ct__reader *r)
{
    const ct__cursor back = r->cursor;
    bool fine = true;
    for (size_t i = 0; fine && !r->has_resources && i < r->n_sections; i++) {
        r->cursor.at = r->section[i];
        fine = read_section(r);
    }
    r->has_resources = true;
    r->cursor = back;
    return fine;
}

bool ct__read_resource(ct__reader *r, ct__attribute *value)
{
    const char *at = r->cursor.at;
    ct__span key;
    if (!find_resources(r) || !ct__expect(r, "<") || !read_key(r, &key) || !ct__expect(r, ">") ||
        !read_constant_type(r, &value->type))
        return false;
    const ct__map_entry *entry = ct__map_find(&r->resources, key.at, key.length);
    if (!entry)
        return ct__read_fail(r, at, "the text has no resource '%.*s'", ct__span_shown(key), key.at);
    ct__span digits = {entry->value, entry->count};
    if (digits.length < 8)
        return ct__read_fail(r, digits.at, "a resource begins with four bytes of its alignment");
    digits = (ct__span){digits.at + 8, digits.length - 8};
    value->kind = CT__ATTRIBUTE_DENSE;
    return read_data(r, value->type, digits, &value->literal);
}
