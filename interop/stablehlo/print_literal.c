#include "interop/stablehlo/print.h"

#include <string.h>

/* Longer constants are printed as one hexadecimal string. */
#define MAX_LISTED 100

/* ---- Nested lists. */

/* The elements below one index of axis `axis`, row-major; *next moves past them. */
static void print_nested(ct__printer *p, const ct_type *type, int axis, const unsigned char **next)
{
    char number[CT__NUMBER_BYTES];
    if (axis == type->rank) {
        ct__text_add(p->out, "%s", ct__print_number(type->dtype, *next, number));
        *next += ct_dtype_bytes(type->dtype);
        return;
    }
    ct__text_add(p->out, "[");
    for (int64_t i = 0; i < type->dim[axis] && !p->out->failed; i++) {
        if (i > 0)
            ct__text_add(p->out, ", ");
        print_nested(p, type, axis + 1, next);
    }
    ct__text_add(p->out, "]");
}

/* ---- Hexadecimal strings: bytes of each number from the lowest on, on every machine. */

/* Of numbers of less than 8 bits the others are 0. */
static void print_hex(ct__printer *p, ct_dtype dtype, const unsigned char *data, size_t bytes)
{
    static const char hex[] = "0123456789ABCDEF";
    const unsigned bits = ct__dtype_bits(dtype), mask = bits < 8 ? (1U << bits) - 1 : 255;
    size_t number = ct_dtype_bytes(dtype) / (ct_dtype_is_complex(dtype) ? 2 : 1);
    size_t flip = ct__is_big_endian() ? number - 1 : 0; /* number is a power of two */
    char digits[1024];
    size_t n = 0;
    ct__text_add(p->out, "\"0x");
    for (size_t i = 0; i < bytes && !p->out->failed; i++) {
        const unsigned byte = data[i ^ flip] & mask;
        digits[n++] = hex[byte >> 4];
        digits[n++] = hex[byte & 15];
        if (n == sizeof digits || i + 1 == bytes) {
            ct__text_add_bytes(p->out, digits, n);
            n = 0;
        }
    }
    ct__text_add(p->out, "\"");
}

/* ---- Choosing. */

static bool all_equal(const unsigned char *data, size_t bytes, size_t element_bytes)
{
    return memcmp(data, data + element_bytes, bytes - element_bytes) == 0;
}

/* bool is always listed: readers disagree on whether a string packs its bits. */
static void print_elements(ct__printer *p, const ct_type *type, const unsigned char *data)
{
    char number[CT__NUMBER_BYTES];
    size_t bytes = ct__data_bytes(type);
    if (all_equal(data, bytes, ct_dtype_bytes(type->dtype)))
        ct__text_add(p->out, "%s", ct__print_number(type->dtype, data, number));
    else if (type->size > MAX_LISTED && type->dtype != CT_BOOL)
        print_hex(p, type->dtype, data, bytes);
    else
        print_nested(p, type, 0, &data);
}

/* Element 0 of a contiguous literal, else of a copy of its elements, which *copy then owns. */
static const unsigned char *row_major(ct__printer *p, const ct__literal *literal, void **copy)
{
    if (ct__literal_is_contiguous(literal))
        return ct__literal_first(literal);
    *copy = ct__alloc(&p->out->allocator, ct__data_bytes(literal->type));
    if (*copy)
        ct__literal_copy_out(literal, *copy);
    else
        p->out->failed = true;
    return *copy;
}

void ct__print_literal(ct__printer *p, const ct__literal *literal)
{
    const ct_type *type = literal->type;
    char number[CT__NUMBER_BYTES];
    ct__text_add(p->out, "dense<");
    if (type->size > 0 && ct__literal_is_splat(literal)) {
        ct__text_add(p->out, "%s",
                     ct__print_number(type->dtype, ct__literal_first(literal), number));
    } else if (type->size > 0) {
        void *copy = NULL;
        const unsigned char *data = row_major(p, literal, &copy);
        if (data)
            print_elements(p, type, data);
        ct__release(&p->out->allocator, copy, ct__data_bytes(type));
    }
    ct__text_add(p->out, "> : ");
    ct__print_stored_type(p, type);
}

void ct__print_zero(ct__printer *p, const ct_type *type)
{
    const unsigned char zero[16] = {0}; /* in every dtype that has a zero */
    char number[CT__NUMBER_BYTES];
    ct__text_add(p->out, "dense<%s> : ", ct__print_number(type->dtype, zero, number));
    ct__print_stored_type(p, type);
}
