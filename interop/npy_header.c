#include "interop/npy.h"

#include <inttypes.h>
#include <string.h>

bool ct__npy_fail(ct__fault *fault, ct_status status, const char *format, ...)
{
    va_list arguments;
    if (fault->status != CT_OK)
        return false;
    fault->status = status;
    va_start(arguments, format);
    vsnprintf(fault->message, sizeof fault->message, format, arguments);
    va_end(arguments);
    return false;
}

/* ---- Dtypes. NumPy names its own by a letter and a size. Those of ml_dtypes are raw bytes to it,
 * 'V2' and 'V1': two bytes are always a bfloat16; for the others we write a record of one field
 * that has ml_dtypes' name of the type, [('float8_e5m2', '|V1')], which NumPy takes as that type
 * with .view(ml_dtypes.float8_e5m2). */

typedef struct dtype_row {
    ct_dtype dtype;
    char letter;
    size_t bytes;
    const char *name; /* NumPy's or ml_dtypes' */
    int narrow_bits;
} dtype_row;

static const dtype_row dtypes[] = {
    {CT_BOOL, 'b', 1, "bool", 0},
    {CT_I8, 'i', 1, "int8", 0},
    {CT_I16, 'i', 2, "int16", 0},
    {CT_I32, 'i', 4, "int32", 0},
    {CT_I64, 'i', 8, "int64", 0},
    {CT_U8, 'u', 1, "uint8", 0},
    {CT_U16, 'u', 2, "uint16", 0},
    {CT_U32, 'u', 4, "uint32", 0},
    {CT_U64, 'u', 8, "uint64", 0},
    {CT_F16, 'f', 2, "float16", 0},
    {CT_F32, 'f', 4, "float32", 0},
    {CT_F64, 'f', 8, "float64", 0},
    {CT_C64, 'c', 8, "complex64", 0},
    {CT_C128, 'c', 16, "complex128", 0},
    {CT_BF16, 'V', 2, "bfloat16", 0},
    {CT_F8E5M2, 'f', 1, "float8_e5m2", 0}, /* numpy.save writes 'f1', and numpy.load refuses it */
    {CT_I2, 'V', 1, "int2", 2},
    {CT_I4, 'V', 1, "int4", 4},
    {CT_U2, 'V', 1, "uint2", 2},
    {CT_U4, 'V', 1, "uint4", 4},
    {CT_F4E2M1FN, 'V', 1, "float4_e2m1fn", 0},
    {CT_F6E2M3FN, 'V', 1, "float6_e2m3fn", 0},
    {CT_F6E3M2FN, 'V', 1, "float6_e3m2fn", 0},
    {CT_F8E3M4, 'V', 1, "float8_e3m4", 0},
    {CT_F8E4M3, 'V', 1, "float8_e4m3", 0},
    {CT_F8E4M3FN, 'V', 1, "float8_e4m3fn", 0},
    {CT_F8E4M3FNUZ, 'V', 1, "float8_e4m3fnuz", 0},
    {CT_F8E4M3B11FNUZ, 'V', 1, "float8_e4m3b11fnuz", 0},
    {CT_F8E5M2FNUZ, 'V', 1, "float8_e5m2fnuz", 0},
    {CT_F8E8M0FNU, 'V', 1, "float8_e8m0fnu", 0},
};

#define N_DTYPES (sizeof dtypes / sizeof *dtypes)

static const dtype_row *row_of(ct_dtype dtype)
{
    for (size_t i = 0; i < N_DTYPES; i++)
        if (dtypes[i].dtype == dtype)
            return &dtypes[i];
    return NULL;
}

int ct__npy_narrow_bits(ct_dtype dtype)
{
    const dtype_row *row = row_of(dtype);
    return row ? row->narrow_bits : 0;
}

/* ---- The dictionary: as much of Python's syntax as NumPy writes. */

typedef struct cursor {
    const char *start, *at, *end;
    ct__fault *fault;
} cursor;

typedef struct span {
    const char *at;
    size_t length;
} span;

static bool span_is(span s, const char *text)
{
    return strlen(text) == s.length && memcmp(s.at, text, s.length) == 0;
}

static void skip_blanks(cursor *c)
{
    while (c->at < c->end && (*c->at == ' ' || *c->at == '\n' || *c->at == '\t' || *c->at == '\r'))
        c->at++;
}

static bool peek(cursor *c, char mark)
{
    skip_blanks(c);
    return c->at < c->end && *c->at == mark;
}

static bool take(cursor *c, char mark)
{
    bool is_there = peek(c, mark);
    c->at += is_there;
    return is_there;
}

static bool expected(cursor *c, const char *what)
{
    return ct__npy_fail(c->fault, CT_ERR_FILE,
                        "the header is not the dictionary of an array: expected %s at byte %zu",
                        what, (size_t)(c->at - c->start));
}

static bool read_string(cursor *c, const char *what, span *s)
{
    if (!peek(c, '\'') && !peek(c, '"'))
        return expected(c, what);
    char quote = *c->at++;
    s->at = c->at;
    while (c->at < c->end && *c->at != quote && *c->at != '\\')
        c->at++;
    s->length = (size_t)(c->at - s->at);
    return take(c, quote) || expected(c, "the end of the string");
}

/* ---- 'descr' */

/* For messages: as much of it as fits a line, without control characters. */
static const char *printable(span s, char text[64])
{
    size_t n = 0;
    for (; n < s.length && n < 60; n++)
        text[n] = s.at[n] >= ' ' && s.at[n] <= '~' ? s.at[n] : '?';
    snprintf(text + n, 4, "%s", n < s.length ? "..." : "");
    return text;
}

static const dtype_row *row_by_name(span name)
{
    for (size_t i = 0; i < N_DTYPES; i++)
        if (span_is(name, dtypes[i].name))
            return &dtypes[i];
    return NULL;
}

/* Whether NumPy can read the letter and the size alone, and they say which dtype it is. */
static bool is_plain(const dtype_row *row)
{
    return row->letter != 'V' ? row->dtype != CT_F8E5M2 : row->bytes == 2;
}

/* "f4" of "<f4": the size is at most two digits. */
static const dtype_row *row_by_code(span code)
{
    size_t bytes = 0;
    if (code.length < 2 || code.length > 3)
        return NULL;
    for (size_t i = 1; i < code.length; i++) {
        if (code.at[i] < '0' || code.at[i] > '9')
            return NULL;
        bytes = 10 * bytes + (size_t)(code.at[i] - '0');
    }
    for (size_t i = 0; i < N_DTYPES; i++)
        if (dtypes[i].letter == code.at[0] && dtypes[i].bytes == bytes &&
            (dtypes[i].letter != 'V' || bytes == 2))
            return &dtypes[i];
    return NULL;
}

/* "<f4", ">f4", "|b1", "=f4", "f4", or a name; raw bytes that nothing names are u8. */
static bool take_descr(cursor *c, span descr, ct__npy_header *h)
{
    static const char orders[] = "<>|=";
    char order = descr.length > 0 && strchr(orders, descr.at[0]) ? descr.at[0] : '\0', text[64];
    span code = {descr.at + (order != '\0'), descr.length - (order != '\0')};
    const dtype_row *row = row_by_code(code);
    if (!row && order == '\0')
        row = row_by_name(code);
    if (!row && !span_is(code, "V1"))
        return ct__npy_fail(c->fault, CT_ERR_FILE, "no dtype here is NumPy's '%s'",
                            printable(descr, text));
    h->dtype = row ? row->dtype : CT_U8;
    h->is_foreign = order == (ct__is_big_endian() ? '<' : '>');
    return true;
}

/* A list is a record: one field that has a type's name and its size. */
static bool read_record(cursor *c, ct__npy_header *h)
{
    span name = {NULL, 0}, code = {NULL, 0};
    char text[64];
    if (!take(c, '['))
        return expected(c, "a string or a list");
    if (!take(c, '('))
        return expected(c, "'('");
    if (!read_string(c, "the name of a field", &name))
        return false;
    if (!take(c, ','))
        return expected(c, "','");
    if (!read_string(c, "the type of a field", &code))
        return false;
    if (!take(c, ')'))
        return expected(c, "')'");
    take(c, ',');
    if (!take(c, ']'))
        return ct__npy_fail(c->fault, CT_ERR_FILE, "an array of records with several fields");
    const dtype_row *row = row_by_name(name);
    if (!take_descr(c, code, h))
        return false;
    if (!row || row->bytes != ct_dtype_bytes(h->dtype))
        return ct__npy_fail(c->fault, CT_ERR_FILE, "an array of records with a field '%s'",
                            printable(name, text));
    h->dtype = row->dtype;
    return true;
}

static bool read_descr(cursor *c, ct__npy_header *h)
{
    span descr = {"", 0};
    if (peek(c, '['))
        return read_record(c, h);
    return read_string(c, "a string or a list", &descr) && take_descr(c, descr, h);
}

/* ---- 'fortran_order' and 'shape' */

static bool read_word(cursor *c, const char *word)
{
    size_t n = strlen(word);
    skip_blanks(c);
    if ((size_t)(c->end - c->at) < n || memcmp(c->at, word, n) != 0)
        return false;
    c->at += n;
    return true;
}

static bool read_order(cursor *c, ct__npy_header *h)
{
    h->is_columns = read_word(c, "True");
    return h->is_columns || read_word(c, "False") || expected(c, "True or False");
}

/* An extent; Python 2 writes a long one as 3L. */
static bool read_extent(cursor *c, int64_t *extent)
{
    int64_t value = 0;
    skip_blanks(c);
    if (c->at == c->end || *c->at < '0' || *c->at > '9')
        return expected(c, "an extent");
    for (; c->at < c->end && *c->at >= '0' && *c->at <= '9'; c->at++)
        if (!ct__mul_i64(value, 10, &value) || !ct__add_i64(value, *c->at - '0', &value))
            return ct__npy_fail(c->fault, CT_ERR_FILE, "an extent does not fit 64 bits");
    take(c, 'L');
    *extent = value;
    return true;
}

/* "()", "(3,)", "(3, 4)" */
static bool read_shape(cursor *c, ct__npy_header *h)
{
    if (!take(c, '('))
        return expected(c, "'('");
    for (h->rank = 0; !take(c, ')'); h->rank++) {
        if (h->rank == CT__MAX_RANK)
            return ct__npy_fail(c->fault, CT_ERR_FILE, "the rank is above %d", CT__MAX_RANK);
        if (!read_extent(c, &h->dim[h->rank]))
            return false;
        if (!take(c, ',') && !peek(c, ')'))
            return expected(c, "',' or ')'");
    }
    return true;
}

/* ---- All of it. */

typedef struct key {
    const char *name;
    bool (*read)(cursor *c, ct__npy_header *h);
} key;

static const key keys[] = {
    {"descr", read_descr}, {"fortran_order", read_order}, {"shape", read_shape}};
enum { N_KEYS = 3 };

static bool read_entry(cursor *c, ct__npy_header *h, unsigned *seen)
{
    span name = {"", 0};
    char text[64];
    if (!read_string(c, "a key", &name))
        return false;
    for (size_t i = 0; i < N_KEYS; i++) {
        if (!span_is(name, keys[i].name))
            continue;
        if (*seen & 1U << i)
            return ct__npy_fail(c->fault, CT_ERR_FILE, "the header has '%s' twice", keys[i].name);
        *seen |= 1U << i;
        return (take(c, ':') || expected(c, "':'")) && keys[i].read(c, h);
    }
    return ct__npy_fail(c->fault, CT_ERR_FILE, "the header has a key '%s'", printable(name, text));
}

bool ct__npy_parse(const char *text, size_t length, ct__npy_header *header, ct__fault *fault)
{
    cursor whole = {text, text, text + length, fault}, *c = &whole;
    unsigned seen = 0;
    *header = (ct__npy_header){.dtype = CT_INVALID_DTYPE};
    if (!take(c, '{'))
        return expected(c, "'{'");
    while (!take(c, '}')) {
        if (!read_entry(c, header, &seen))
            return false;
        if (!take(c, ',') && !peek(c, '}'))
            return expected(c, "',' or '}'");
    }
    skip_blanks(c);
    if (c->at < c->end)
        return expected(c, "its end");
    for (size_t i = 0; i < N_KEYS; i++)
        if (!(seen & 1U << i))
            return ct__npy_fail(fault, CT_ERR_FILE, "the header has no '%s'", keys[i].name);
    return true;
}

/* ---- Writing. */

static void add_descr(const dtype_row *row, ct__text *out)
{
    char order = row->bytes == 1 ? '|' : ct__is_big_endian() ? '>' : '<';
    if (is_plain(row))
        ct__text_add(out, "'%c%c%zu'", order, row->letter, row->bytes);
    else
        ct__text_add(out, "[('%s', '|V%zu')]", row->name, row->bytes);
}

static void add_dictionary(const dtype_row *row, const ct_type *type, ct__text *out)
{
    ct__text_add(out, "{'descr': ");
    add_descr(row, out);
    ct__text_add(out, ", 'fortran_order': False, 'shape': (");
    for (int d = 0; d < type->rank; d++)
        ct__text_add(out, d ? " %" PRId64 "," : "%" PRId64 ",", type->dim[d]);
    if (type->rank > 1 && !out->failed) /* "(3, 4)", but "(3,)" */
        out->data[--out->length] = '\0';
    ct__text_add(out, "), }");
}

/* Version 1 has a length of 16 bits, which 64 extents of 20 characters do not fill. */
bool ct__npy_describe(const ct_type *type, ct__text *out, ct__fault *fault)
{
    enum { PREFIX = 10, ALIGN = 64 };
    const dtype_row *row = type->kind == CT__TENSOR ? row_of(type->dtype) : NULL;
    char text[128];
    if (!row)
        return ct__npy_fail(fault, CT_ERR_UNSUPPORTED, "NumPy has no type for %s",
                            ct__type_print(type, text, sizeof text));
    size_t start = out->length;
    ct__text_add_bytes(out, "\x93NUMPY\x01\x00\x00\x00", PREFIX);
    if (!out->failed)
        add_dictionary(row, type, out);
    while (!out->failed && (out->length - start) % ALIGN != ALIGN - 1)
        ct__text_add_bytes(out, " ", 1);
    ct__text_add_bytes(out, "\n", 1);
    if (out->failed)
        return ct__npy_fail(fault, CT_ERR_MEMORY, "out of memory");
    size_t length = out->length - start - PREFIX;
    out->data[start + 8] = (char)(length & 255);
    out->data[start + 9] = (char)(length >> 8);
    return true;
}
