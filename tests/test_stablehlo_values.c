/* Types, attributes, constants and numbers of StableHLO's text. */
#include "tests/check.h"
#include "tests/values.h"

#include "interop/stablehlo/read_module.h"

#include <inttypes.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- A reader of one text. */

typedef struct reading {
    ct_context *ctx;
    ct__reader r;
    const char *text, *stop;
} reading;

/* The text is read up to `length`; behind it stand definitions of aliases. */
static void begin_part(reading *q, const char *text, size_t length)
{
    const ct__span whole = {text, strlen(text)};
    q->ctx = ct_context_new();
    q->text = text;
    q->stop = text + length;
    CHECK(ct__reader_init(&q->r, q->ctx, CT_HERE, "t", whole, whole));
}

static void begin(reading *q, const char *text)
{
    begin_part(q, text, strlen(text));
}

/* "TEXT\n#x = …\n", in memory that the test keeps. */
static void begin_with_aliases(reading *q, char *memory, size_t bytes, const char *text,
                               const char *const *definition)
{
    size_t length = (size_t)snprintf(memory, bytes, "%s", text);
    for (size_t i = 0; definition[i]; i++)
        length += (size_t)snprintf(memory + length, bytes - length, "\n%s", definition[i]);
    CHECK(length < bytes);
    begin_part(q, memory, strlen(text));
    for (size_t i = 0; definition[i]; i++) {
        const char *at = strstr(memory, definition[i]);
        ct__map_entry *entry = ct__map_add(&q->r.aliases, at, strcspn(at, " "));
        CHECK(entry != NULL);
        entry->value = strstr(at, " = ") + 3;
        entry->count = strlen(definition[i]) - (size_t)((const char *)entry->value - at);
    }
}

static void end(reading *q)
{
    ct__reader_free(&q->r);
    ct_context_free(q->ctx);
}

/* Whatever was read, all of the text was. */
static bool is_at_end(reading *q)
{
    ct__skip_blanks(&q->r);
    return q->r.cursor.at >= q->stop && strspn(q->stop, "\n") >= (size_t)(q->r.cursor.at - q->stop);
}

static const char *errors_of(const reading *q)
{
    return q->r.errors.data ? q->r.errors.data : "";
}

/* The first line of the errors is "t:1:COLUMN: MESSAGE". */
static void check_error(int line, const reading *q, int column, const char *message)
{
    char want[512];
    snprintf(want, sizeof want, "t:1:%d: %s\n", column, message);
    if (strncmp(errors_of(q), want, strlen(want)) != 0)
        check_fail(__FILE__, line, "%s\ngave\n%s\nnot\n%s", q->text, errors_of(q), want);
}

/* ---- Types. */

static void check_type(int line, const char *text, const char *want)
{
    reading q;
    const ct_type *type = NULL;
    begin(&q, text);
    if (!ct__read_type(&q.r, &type) || !is_at_end(&q))
        check_fail(__FILE__, line, "%s is not read: %s", text, errors_of(&q));
    const char *found = ct__written_type(&q.r, type);
    if (strcmp(found, want) != 0)
        check_fail(__FILE__, line, "%s is read as %s", text, found);
    end(&q);
}
#define CHECK_TYPE(text) check_type(__LINE__, text, text)
#define CHECK_TYPE_AS(text, want) check_type(__LINE__, text, want)

static void check_type_error(int line, const char *text, int column, const char *message)
{
    reading q;
    const ct_type *type = NULL;
    begin(&q, text);
    if (ct__read_type(&q.r, &type))
        check_fail(__FILE__, line, "%s is read", text);
    check_error(line, &q, column, message);
    end(&q);
}
#define CHECK_TYPE_ERROR(text, column, message) check_type_error(__LINE__, text, column, message)

static const char *const elements[] = {
    "i1",     "i2",         "i4",        "i8",           "i16",
    "i32",    "i64",        "ui2",       "ui4",          "ui8",
    "ui16",   "ui32",       "ui64",      "f16",          "bf16",
    "f32",    "f64",        "f4E2M1FN",  "f6E2M3FN",     "f6E3M2FN",
    "f8E3M4", "f8E4M3",     "f8E4M3FN",  "f8E4M3FNUZ",   "f8E4M3B11FNUZ",
    "f8E5M2", "f8E5M2FNUZ", "f8E8M0FNU", "complex<f32>", "complex<f64>"};

TEST(element_types)
{
    char text[64];
    for (size_t i = 0; i < sizeof elements / sizeof *elements; i++) {
        snprintf(text, sizeof text, "tensor<%s>", elements[i]);
        CHECK_TYPE(text);
        snprintf(text, sizeof text, "tensor<0x2x%s>", elements[i]);
        CHECK_TYPE(text);
    }
}

TEST(tensor_types)
{
    CHECK_TYPE_AS(" tensor < 2x3xf32 > // a comment", "tensor<2x3xf32>");
    CHECK_TYPE("tensor<9223372036854775807x0xi8>");
    CHECK_TYPE("tensor<?x3x?xf32>");
    CHECK_TYPE("tensor<1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x"
               "1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x2xi8>");
    CHECK_TYPE("!stablehlo.token");
    CHECK_TYPE("tuple<>");
    CHECK_TYPE("tuple<tensor<2xf32>, tuple<tensor<i1>, !stablehlo.token>>");
}

TEST(wrong_types)
{
    CHECK_TYPE_ERROR("tensor<3xf31>", 10, "element type 'f31' is not supported");
    CHECK_TYPE_ERROR("tensor<3xu8>", 10, "element type 'u8' is not supported");
    CHECK_TYPE_ERROR("tensor<3xbool>", 10, "element type 'bool' is not supported");
    CHECK_TYPE_ERROR("tensor<3xindex>", 10, "element type 'index' is not supported");
    CHECK_TYPE_ERROR("tensor<3xcomplex<f16>>", 18, "complex numbers of 'f16' are not supported");
    CHECK_TYPE_ERROR("tensor<3x!quant.any<i8>>", 10, "element type '!quant.any' is not supported");
    CHECK_TYPE_ERROR("tensor<*xf32>", 8, "tensors without a rank are not supported");
    CHECK_TYPE_ERROR("tensor<2xf32, #stablehlo.bounds<3>>", 13,
                     "encodings of tensors are not supported");
    CHECK_TYPE_ERROR("tensor<9223372036854775808xi8>", 8, "the extent does not fit into 64 bits");
    CHECK_TYPE_ERROR("tensor<4294967296x4294967296xi8>", 1, "the tensor has too many elements");
    CHECK_TYPE_ERROR("tensor<2305843009213693952xf64>", 1, "the tensor has too many elements");
    CHECK_TYPE_ERROR("memref<2xf32>", 1, "type 'memref' is not supported");
    CHECK_TYPE_ERROR("!mhlo.token", 1, "type '!mhlo.token' is not supported");
    CHECK_TYPE_ERROR("!t", 1, "alias '!t' is not defined");
    CHECK_TYPE_ERROR("tensor<2,3xf32>", 9, "expected 'x' after an extent, found ','");
    CHECK_TYPE_ERROR("tensor<2xf32", 13, "expected '>', found the end of the text");
    CHECK_TYPE_ERROR("12", 1, "expected a type, found '12'");
}

TEST(deep_types)
{
    char text[4096] = "";
    for (int i = 0; i < 500; i++)
        memcpy(text + 6 * i, "tuple<", 7);
    CHECK_TYPE_ERROR(text, 1201, "types and attributes nest more than 200 deep");
}

TEST(type_aliases)
{
    reading q;
    const ct_type *type;
    char memory[256];
    static const char *const definitions[] = {"!t = tensor<2xf32>", "!e = complex<f64>", NULL};
    static const char *const circle[] = {"!t = !t", NULL};
    begin_with_aliases(&q, memory, sizeof memory, "tuple<!t, tensor<3x!e>>", definitions);
    CHECK(ct__read_type(&q.r, &type) && is_at_end(&q));
    CHECK(strcmp(ct__written_type(&q.r, type), "tuple<tensor<2xf32>, tensor<3xcomplex<f64>>>") ==
          0);
    end(&q);
    begin_with_aliases(&q, memory, sizeof memory, "!t ", circle);
    CHECK(!ct__read_type(&q.r, &type));
    CHECK(strstr(errors_of(&q), "nest more than 200 deep"));
    end(&q);
}

TEST(signatures)
{
    reading q;
    ct__type_list in, out;
    begin(&q, "(tensor<f32>, tensor<2xi1>) -> (tensor<i8>, !stablehlo.token)");
    CHECK(ct__read_signature(&q.r, &in, &out) && is_at_end(&q) && in.count == 2 && out.count == 2);
    end(&q);
    begin(&q, "() -> ()");
    CHECK(ct__read_signature(&q.r, &in, &out) && is_at_end(&q) && in.count == 0 && out.count == 0);
    end(&q);
    begin(&q, "(tensor<f32>) -> tensor<i1>");
    CHECK(ct__read_signature(&q.r, &in, &out) && is_at_end(&q) && in.count == 1 && out.count == 1);
    end(&q);
}

/* ---- Quantized types. */

static const ct__quantized *read_quantized(reading *q, const char *text, const ct_type **type)
{
    begin(q, text);
    CHECK_MSG(ct__read_type(&q->r, type) && is_at_end(q), "%s", errors_of(q));
    CHECK((*type)->quantized != NULL);
    return (*type)->quantized;
}

TEST(quantized_types)
{
    reading q;
    const ct_type *type;
    const ct__quantized *z = read_quantized(&q, "tensor<2x!quant.uniform<i8:f32, 0.0039:-128>>",
                                            &type);
    CHECK(type->dtype == CT_I8 && z->expressed == CT_F32 && z->axis == -1 && z->n_scales == 1);
    CHECK(z->scale[0] == 0.0039 && z->zero_point[0] == -128);
    CHECK(z->storage_min == -128 && z->storage_max == 127);
    end(&q);
    z = read_quantized(&q, "tensor<2x3x!quant.uniform<u8<1:254>:bf16:1, {0.5:3, 2.0,1.5e-1:9}>>",
                       &type);
    CHECK(type->dtype == CT_U8 && z->expressed == CT_BF16 && z->axis == 1 && z->n_scales == 3);
    CHECK(z->scale[0] == 0.5 && z->scale[1] == 2 && z->scale[2] == 0.15);
    CHECK(z->zero_point[0] == 3 && z->zero_point[1] == 0 && z->zero_point[2] == 9);
    CHECK(z->storage_min == 1 && z->storage_max == 254);
    end(&q);
    z = read_quantized(&q, "tensor<!quant.uniform<i32:f32, 0.0012>>", &type);
    CHECK(type->dtype == CT_I32 && z->zero_point[0] == 0 && z->storage_max == INT32_MAX);
    end(&q);
}

TEST(wrong_quantized_types)
{
    CHECK_TYPE_ERROR("tensor<!quant.uniform<i64:f32, 0.5>>", 23,
                     "storage type 'i64' is not supported");
    CHECK_TYPE_ERROR("tensor<!quant.uniform<f32:f32, 0.5>>", 23,
                     "storage type 'f32' is not supported");
    CHECK_TYPE_ERROR("tensor<!quant.uniform<i8:i32, 0.5>>", 26,
                     "expressed type 'i32' is no float type");
    CHECK_TYPE_ERROR("tensor<!quant.uniform<i8<-129:127>:f32, 0.5>>", 26,
                     "storage bounds -129:127 do not ascend within [-128, 127]");
    CHECK_TYPE_ERROR("tensor<!quant.uniform<i8:f32, -0.5>>", 31,
                     "a scale must be positive and finite");
    CHECK_TYPE_ERROR("tensor<!quant.uniform<i8:f32, 0.5:128>>", 35,
                     "zero point 128 is not in the storage range [-128, 127]");
    CHECK_TYPE_ERROR("tensor<2x!quant.uniform<i8:f32:1, {0.5}>>", 1,
                     "quantized axis 1 is not below the rank 1");
    CHECK_TYPE_ERROR("tensor<2x!quant.uniform<i8:f32:0, {0.5}>>", 1,
                     "1 scales for the extent 2 of axis 0");
    CHECK_TYPE_ERROR("tensor<2x!quant.uniform<i8:f32:{0:1}, {{0.5}}>>", 32,
                     "scales along several axes are not supported");
}

/* ---- Numbers: data/stablehlo_numbers.txt. */

static const ct_dtype float_types[] = {
    CT_F16,    CT_BF16,   CT_F32,      CT_F64,        CT_F4E2M1FN,      CT_F6E2M3FN, CT_F6E3M2FN,
    CT_F8E3M4, CT_F8E4M3, CT_F8E4M3FN, CT_F8E4M3FNUZ, CT_F8E4M3B11FNUZ, CT_F8E5M2,   CT_F8E5M2FNUZ};

static uint64_t bits_of(size_t bytes, const void *element)
{
    uint8_t b1;
    uint16_t b2;
    uint32_t b4;
    uint64_t b8;
    switch (bytes) {
    case 1: return memcpy(&b1, element, 1), b1;
    case 2: return memcpy(&b2, element, 2), b2;
    case 4: return memcpy(&b4, element, 4), b4;
    default: return memcpy(&b8, element, 8), b8;
    }
}

static void check_number(const char *text, ct_dtype dtype, uint64_t want)
{
    reading q;
    unsigned char element[16] = {0};
    begin(&q, text);
    CHECK_MSG(ct__read_number(&q.r, dtype, element) && is_at_end(&q), "%s: %s", text,
              errors_of(&q));
    const uint64_t found = bits_of(ct_dtype_bytes(dtype), element);
    CHECK_MSG(found == want, "%s as %s gave %" PRIx64 ", not %" PRIx64, text, ct_dtype_name(dtype),
              found, want);
    end(&q);
}

static void check_decimals(void)
{
    char line[4096];
    FILE *file = fopen("tests/data/stablehlo_numbers.txt", "r");
    size_t rows = 0;
    CHECK(file != NULL);
    while (fgets(line, sizeof line, file)) {
        if (line[0] == '#')
            continue;
        char *rest = line + strcspn(line, " ");
        *rest++ = '\0';
        for (size_t i = 0; i < sizeof float_types / sizeof *float_types; i++)
            check_number(line, float_types[i], strtoull(rest, &rest, 16));
        rows++;
    }
    fclose(file);
    CHECK_MSG(rows > 100, "%zu rows", rows);
}

TEST(decimals)
{
    check_decimals();
}

/* The decimal point is the text's, not the locale's. */
TEST(decimals_in_other_locales)
{
    static const char *const names[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "de_DE", "ru_RU.UTF-8"};
    size_t i = 0;
    while (i < 4 && !setlocale(LC_ALL, names[i]))
        i++;
    if (i == 4)
        SKIP("no locale with another decimal point");
    check_decimals();
    setlocale(LC_ALL, "C");
}

TEST(float_bits)
{
    check_number("0x7FC00001", CT_F32, 0x7fc00001);
    check_number("0xffC00000", CT_F32, 0xffc00000);
    check_number("0x1", CT_F32, 1);
    check_number("0xFFF8000000000123", CT_F64, 0xfff8000000000123);
    check_number("0xFF80", CT_BF16, 0xff80);
    check_number("0x7C01", CT_F16, 0x7c01);
    check_number("0x7F", CT_F8E4M3FN, 0x7f);
    check_number("0x0F", CT_F4E2M1FN, 0x0f);
    check_number("0x3F", CT_F6E2M3FN, 0x3f);
    check_number("0xFE", CT_F8E8M0FNU, 0xfe);
}

TEST(integers)
{
    check_number("-128", CT_I8, 0x80);
    check_number("127", CT_I8, 0x7f);
    check_number("255", CT_I8, 0xff);
    check_number("0x80", CT_I8, 0x80);
    check_number("-0", CT_I8, 0);
    check_number("255", CT_U8, 0xff);
    check_number("-8", CT_I4, 0xf8);
    check_number("15", CT_I4, 0xff);
    check_number("15", CT_U4, 0x0f);
    check_number("-2", CT_I2, 0xfe);
    check_number("3", CT_U2, 3);
    check_number("-9223372036854775808", CT_I64, UINT64_C(1) << 63);
    check_number("18446744073709551615", CT_I64, UINT64_MAX);
    check_number("18446744073709551615", CT_U64, UINT64_MAX);
    check_number("0xFFFFFFFFFFFFFFFF", CT_U64, UINT64_MAX);
    check_number("true", CT_BOOL, 1);
    check_number("false", CT_BOOL, 0);
    check_number("1", CT_BOOL, 1);
}

static void check_number_error(int line, const char *text, ct_dtype dtype, int column,
                               const char *message)
{
    reading q;
    unsigned char element[16];
    begin(&q, text);
    if (ct__read_number(&q.r, dtype, element))
        check_fail(__FILE__, line, "%s is read", text);
    check_error(line, &q, column, message);
    end(&q);
}
#define CHECK_NUMBER_ERROR(...) check_number_error(__LINE__, __VA_ARGS__)

TEST(wrong_numbers)
{
    CHECK_NUMBER_ERROR("-129", CT_I8, 1, "-129 does not fit into i8");
    CHECK_NUMBER_ERROR("256", CT_I8, 1, "256 does not fit into i8");
    CHECK_NUMBER_ERROR("-1", CT_U8, 1, "-1 does not fit into u8");
    CHECK_NUMBER_ERROR(" 16", CT_I4, 2, "16 does not fit into i4");
    CHECK_NUMBER_ERROR("18446744073709551616", CT_U64, 1,
                       "18446744073709551616 does not fit into u64");
    CHECK_NUMBER_ERROR("1.0", CT_I32, 1, "expected an integer, found a float");
    CHECK_NUMBER_ERROR("2", CT_BOOL, 1, "2 does not fit into bool");
    CHECK_NUMBER_ERROR("1", CT_F32, 1, "expected a float, found an integer: write 1.0");
    CHECK_NUMBER_ERROR("0x1FFFFFFFF", CT_F32, 1, "0x1FFFFFFFF does not fit into f32");
    CHECK_NUMBER_ERROR("0x10", CT_F4E2M1FN, 1, "0x10 does not fit into f4E2M1FN");
    CHECK_NUMBER_ERROR("-0x1", CT_F32, 1, "the bits of a float have no sign in front");
    CHECK_NUMBER_ERROR("1.0e", CT_F32, 5,
                       "expected digits of an exponent, found the end of the text");
    CHECK_NUMBER_ERROR("0x", CT_I8, 3, "expected hexadecimal digits, found the end of the text");
    CHECK_NUMBER_ERROR("12ab", CT_I8, 3, "expected the end of the number, found 'ab'");
    CHECK_NUMBER_ERROR("yes", CT_BOOL, 1, "expected true or false, found 'yes'");
    CHECK_NUMBER_ERROR("(1.0 2.0)", CT_C64, 6, "expected ',', found '2.0'");
}

/* ---- Constants. */

/* The literal's elements as hexadecimal bytes in memory order, row-major. */
static const char *literal_bytes(const ct__literal *literal, char *text, size_t bytes)
{
    unsigned char data[512];
    const size_t n = ct__data_bytes(literal->type);
    CHECK(n <= sizeof data && 2 * n < bytes);
    ct__literal_copy_out(literal, data);
    text[0] = '\0';
    for (size_t i = 0; i < n; i++)
        snprintf(text + 2 * i, 3, "%02X", data[i]);
    return text;
}

static void check_dense(int line, const char *text, const char *want)
{
    reading q;
    char found[1025];
    ct__attribute value;
    begin(&q, text);
    if (!ct__read_attribute(&q.r, &value) || !is_at_end(&q))
        check_fail(__FILE__, line, "%s is not read: %s", text, errors_of(&q));
    CHECK(value.kind == CT__ATTRIBUTE_DENSE && value.literal);
    literal_bytes(value.literal, found, sizeof found);
    if (strcmp(found, want) != 0)
        check_fail(__FILE__, line, "%s is %s, not %s", text, found, want);
    end(&q);
}
#define CHECK_DENSE(text, want) check_dense(__LINE__, text, want)

static void check_attribute_error(int line, const char *text, int column, const char *message)
{
    reading q;
    ct__attribute value;
    begin(&q, text);
    if (ct__read_attribute(&q.r, &value))
        check_fail(__FILE__, line, "%s is read", text);
    check_error(line, &q, column, message);
    end(&q);
}
#define CHECK_ATTRIBUTE_ERROR(text, column, message)                                               \
    check_attribute_error(__LINE__, text, column, message)

/* The bytes below are those of little-endian machines. */
static bool is_little_endian(void)
{
    const uint16_t one = 1;
    return *(const unsigned char *)&one == 1;
}

TEST(lists)
{
    if (!is_little_endian())
        SKIP("the expected bytes are little-endian");
    CHECK_DENSE("dense<[[1, 2], [3, -4]]> : tensor<2x2xi16>", "010002000300FCFF");
    CHECK_DENSE("dense<[ // one\n 1 ,2]>:tensor<2xi8>", "0102");
    CHECK_DENSE("dense<7> : tensor<i8>", "07");
    CHECK_DENSE("dense<7> : tensor<3xi8>", "070707");
    CHECK_DENSE("dense<[[[1], [2]]]> : tensor<1x2x1xui32>", "0100000002000000");
    CHECK_DENSE("dense<[1.0, 0xFFFF]> : tensor<2xbf16>", "803FFFFF");
    CHECK_DENSE("dense<[(1.0,-0.0), (0x7FC00000, 2.0)]> : tensor<2xcomplex<f32>>",
                "0000803F000000800000C07F00000040");
    CHECK_DENSE("dense<(1.0, 2.0)> : tensor<2xcomplex<f64>>",
                "000000000000F03F0000000000000040000000000000F03F0000000000000040");
    CHECK_DENSE("dense<[true, false]> : tensor<2xi1>", "0100");
    CHECK_DENSE("dense<[[0], [1]]> : tensor<2x1xi1>", "0001");
    CHECK_DENSE("dense<true> : tensor<3xi1>", "010101");
    CHECK_DENSE("dense<[-1, 7]> : tensor<2xi4>", "FF07");
    CHECK_DENSE("dense<[1, 3]> : tensor<2xui2>", "0103");
    CHECK_DENSE("dense<[-6.0, 0.5]> : tensor<2xf4E2M1FN>", "0F01");
    CHECK_DENSE("dense<[1, -2]> : tensor<2x!quant.uniform<i8:f32, 0.5>>", "01FE");
}

TEST(empty_constants)
{
    CHECK_DENSE("dense<> : tensor<0xf32>", "");
    CHECK_DENSE("dense<[]> : tensor<0xf32>", "");
    CHECK_DENSE("dense<[[], []]> : tensor<2x0xf32>", "");
    CHECK_DENSE("dense<1.0> : tensor<2x0xf32>", "");
    CHECK_DENSE("dense<\"0x\"> : tensor<0xf32>", "");
}

TEST(hexadecimal_data)
{
    if (!is_little_endian())
        SKIP("the expected bytes are little-endian");
    CHECK_DENSE("dense<\"0x01020304\"> : tensor<2xi16>", "01020304");
    CHECK_DENSE("dense<\"0xaBcD\"> : tensor<3xbf16>", "ABCDABCDABCD");
    CHECK_DENSE("dense<\"0x0000803F00000040\"> : tensor<2xcomplex<f32>>",
                "0000803F000000400000803F00000040");
    CHECK_DENSE("dense<\"0x010001\"> : tensor<3xi1>", "010001");
    CHECK_DENSE("dense<\"0x01FF00\"> : tensor<3xi1>", "010100");
    CHECK_DENSE("dense<\"0x05\"> : tensor<3xi1>", "010001"); /* packed bits */
    CHECK_DENSE("dense<\"0x0102\"> : tensor<10xi1>", "01000000000000000001");
    CHECK_DENSE("dense<\"0xFF\"> : tensor<3xi1>", "010101");
    CHECK_DENSE("dense<\"0xFF\"> : tensor<12xi1>", "010101010101010101010101");
    CHECK_DENSE("dense<\"0x00\"> : tensor<9xi1>", "000000000000000000");
    CHECK_DENSE("dense<\"0x01\"> : tensor<1xi1>", "01");
    CHECK_DENSE("dense<\"0x0F07\"> : tensor<2xi4>", "FF07"); /* the sign is filled up */
    CHECK_DENSE("dense<\"0x0F07\"> : tensor<2xui4>", "0F07");
}

/* 4 MiB of data, every byte compared. */
TEST(large_data)
{
    const size_t n = (size_t)1 << 22;
    char *text = malloc(2 * n + 64);
    reading q;
    ct__attribute value;
    CHECK(text != NULL);
    size_t at = (size_t)sprintf(text, "dense<\"0x");
    for (size_t i = 0; i < n; i++) {
        const unsigned byte = (unsigned)(i * 2654435761U >> 13) & 255;
        text[at++] = "0123456789ABCDEF"[byte >> 4];
        text[at++] = "0123456789abcdef"[byte & 15];
    }
    sprintf(text + at, "\"> : tensor<%zuxui8>", n);
    begin(&q, text);
    CHECK_MSG(ct__read_attribute(&q.r, &value), "%s", errors_of(&q));
    const unsigned char *data = ct__literal_first(value.literal);
    for (size_t i = 0; i < n; i++)
        CHECK(data[i] == ((unsigned)(i * 2654435761U >> 13) & 255));
    end(&q);
    free(text);
}

TEST(wrong_constants)
{
    CHECK_ATTRIBUTE_ERROR("dense<[1, 2]> : tensor<3xi8>", 12,
                          "axis 0 has 3 elements: there are fewer");
    CHECK_ATTRIBUTE_ERROR("dense<[1, 2, 3]> : tensor<2xi8>", 12,
                          "axis 0 has 2 elements: there are more");
    CHECK_ATTRIBUTE_ERROR("dense<[[1], [2, 3]]> : tensor<2x1xi8>", 15,
                          "axis 1 has 1 elements: there are more");
    CHECK_ATTRIBUTE_ERROR("dense<[1 2]> : tensor<2xi8>", 10,
                          "axis 0 has 2 elements: expected ',' or ']'");
    CHECK_ATTRIBUTE_ERROR("dense<[[1]]> : tensor<1xi8>", 8,
                          "the list nests deeper than the rank 1");
    CHECK_ATTRIBUTE_ERROR("dense<[1]> : tensor<1x1xi8>", 8, "expected '[': the rank is 2");
    CHECK_ATTRIBUTE_ERROR("dense<[]> : tensor<1xi8>", 8, "axis 0 has 1 elements: there are fewer");
    CHECK_ATTRIBUTE_ERROR("dense<> : tensor<2xi8>", 7, "tensor<2xi8> has 2 elements, here is none");
    CHECK_ATTRIBUTE_ERROR("dense<[1]> : tensor<1000000000000xi8>", 9,
                          "axis 0 has 1000000000000 elements: there are fewer");
    CHECK_ATTRIBUTE_ERROR("dense<[1, 200, 300]> : tensor<3xi8>", 16, "300 does not fit into i8");
    CHECK_ATTRIBUTE_ERROR("dense<\"0x0102\"> : tensor<3xi8>", 10,
                          "2 bytes of data; tensor<3xi8> has 3");
    CHECK_ATTRIBUTE_ERROR("dense<\"0x010\"> : tensor<3xi8>", 8,
                          "hexadecimal data has two digits a byte; there are 3 digits");
    CHECK_ATTRIBUTE_ERROR("dense<\"0x0G\"> : tensor<1xi8>", 11, "expected a hexadecimal digit");
    CHECK_ATTRIBUTE_ERROR("dense<\"text\"> : tensor<1xi8>", 8,
                          "expected hexadecimal data, \"0x…\"");
    CHECK_ATTRIBUTE_ERROR("dense<[1, 2> : tensor<2xi8>", 12,
                          "axis 0 has 2 elements: expected ',' or ']'");
    CHECK_ATTRIBUTE_ERROR("dense<[1, 2]", 7, "the constant does not end: '>' is missing");
    CHECK_ATTRIBUTE_ERROR("dense<1> : tensor<?xi8>", 12,
                          "a constant is a tensor whose shape is known, not tensor<?xi8>");
    CHECK_ATTRIBUTE_ERROR("dense<1> : !stablehlo.token", 12,
                          "a constant is a tensor whose shape is known, not !stablehlo.token");
    CHECK_ATTRIBUTE_ERROR("sparse<[0], [1]> : tensor<2xi8>", 1,
                          "sparse constants are not supported");
}

/* ---- Resources. */

static void check_resource(int line, const char *use, const char *section, const char *want)
{
    char text[512], found[1025];
    reading q;
    ct__attribute value;
    snprintf(text, sizeof text, "%s %s", use, section);
    begin(&q, text);
    bool fine = ct__read_attribute(&q.r, &value);
    if (fine != (strncmp(want, "t:", 2) != 0))
        check_fail(__FILE__, line, "%s: %s", text, errors_of(&q));
    if (!fine && strncmp(errors_of(&q), want, strlen(want)) != 0)
        check_fail(__FILE__, line, "%s: %s", text, errors_of(&q));
    if (fine && strcmp(literal_bytes(value.literal, found, sizeof found), want) != 0)
        check_fail(__FILE__, line, "%s: %s", text, found);
    end(&q);
}
#define CHECK_RESOURCE(...) check_resource(__LINE__, __VA_ARGS__)

TEST(resources)
{
    static const char section[] = "{-#\n  dialect_resources: {\n    builtin: {\n"
                                  "      a: \"0x080000000102\",\n      \"b c\": \"0x0400000007\",\n"
                                  "      short: \"0x08\"\n"
                                  "    }\n  },\n  external_resources: { x: { y: true } }\n#-}\n";
    CHECK_RESOURCE("dense_resource<a> : tensor<2xi8>", section, "0102");
    CHECK_RESOURCE("dense_resource<\"b c\"> : tensor<3xi8>", section, "070707");
    CHECK_RESOURCE("dense_resource<c> : tensor<2xi8>", section,
                   "t:1:15: the text has no resource 'c'\n");
    CHECK_RESOURCE("dense_resource<a> : tensor<3xi8>", section,
                   "t:4:21: 2 bytes of data; tensor<3xi8> has 3\n");
    CHECK_RESOURCE("dense_resource<short> : tensor<3xi8>", section,
                   "t:6:17: a resource begins with four bytes of its alignment\n");
    CHECK_RESOURCE("dense_resource<a> : tensor<2xi8>", "",
                   "t:1:15: the text has no resource 'a'\n");
}

/* ---- Attributes. */

/* What was read, in a form of its own: one letter for the kind, then the value. */
static void show(ct__reader *r, const ct__attribute *v, ct__text *out)
{
    switch (v->kind) {
    case CT__ATTRIBUTE_UNIT: ct__text_add(out, "unit"); break;
    case CT__ATTRIBUTE_BOOL: ct__text_add(out, "%s", v->integer ? "true" : "false"); break;
    case CT__ATTRIBUTE_INTEGER: ct__text_add(out, "I%" PRId64, v->integer); break;
    case CT__ATTRIBUTE_FLOAT: ct__text_add(out, "F%.17g", v->number); break;
    case CT__ATTRIBUTE_STRING: ct__text_add(out, "S%s", v->text); break;
    case CT__ATTRIBUTE_SYMBOL: ct__text_add(out, "@%s", v->text); break;
    case CT__ATTRIBUTE_WORD: ct__text_add(out, "W%s", v->text); break;
    case CT__ATTRIBUTE_OTHER: ct__text_add(out, "O"); break;
    case CT__ATTRIBUTE_DENSE: ct__text_add(out, "D%s", ct__written_type(r, v->type)); break;
    case CT__ATTRIBUTE_TYPE: ct__text_add(out, "T%s", ct__written_type(r, v->type)); break;
    case CT__ATTRIBUTE_INTS:
        ct__text_add(out, "[");
        for (size_t i = 0; i < v->ints.count; i++)
            ct__text_add(out, "%s%" PRId64, i ? "," : "", v->ints.item[i]);
        ct__text_add(out, "]");
        break;
    case CT__ATTRIBUTE_LIST:
    case CT__ATTRIBUTE_CONV:
        ct__text_add(out, v->kind == CT__ATTRIBUTE_LIST ? "L(" : "C(");
        for (size_t i = 0; i < v->n_list; i++) {
            ct__text_add(out, "%s", i ? "," : "");
            show(r, &v->list[i], out);
        }
        ct__text_add(out, ")");
        break;
    case CT__ATTRIBUTE_DICT:
        ct__text_add(out, "%s{", v->text ? v->text : "");
        for (size_t i = 0; i < v->dict.count; i++) {
            ct__text_add(out, "%s%s=", i ? "," : "", v->dict.entry[i].key);
            show(r, &v->dict.entry[i].value, out);
        }
        ct__text_add(out, "}");
        break;
    }
    if (v->type && v->kind != CT__ATTRIBUTE_DENSE && v->kind != CT__ATTRIBUTE_TYPE)
        ct__text_add(out, ":%s", ct_dtype_name(v->type->dtype));
}

static void check_attribute(int line, const char *text, const char *want, const char *printed)
{
    reading q;
    ct__attribute value;
    ct__text out, again;
    char memory[1024];
    static const char *const definitions[] = {"#x = [1, // one\n   2]", "#y = {a = #x}",
                                              "!t = tensor<2xf32>", NULL};
    begin_with_aliases(&q, memory, sizeof memory, text, definitions);
    if (!ct__read_attribute(&q.r, &value) || !is_at_end(&q))
        check_fail(__FILE__, line, "%s is not read: %s", text, errors_of(&q));
    ct__text_init(&out, &q.ctx->allocator);
    ct__text_init(&again, &q.ctx->allocator);
    show(&q.r, &value, &out);
    if (strcmp(out.data, want) != 0)
        check_fail(__FILE__, line, "%s is read as %s", text, out.data);
    CHECK(ct__attribute_text(&q.r, &value, &again));
    if (strcmp(again.data, printed) != 0)
        check_fail(__FILE__, line, "%s is printed as %s", text, again.data);
    ct__text_free(&out);
    ct__text_free(&again);
    end(&q);
}
#define CHECK_ATTRIBUTE(text, want) check_attribute(__LINE__, text, want, text)
#define CHECK_PRINTED(text, want, printed) check_attribute(__LINE__, text, want, printed)

TEST(simple_attributes)
{
    CHECK_ATTRIBUTE("unit", "unit");
    CHECK_ATTRIBUTE("true", "true");
    CHECK_ATTRIBUTE("false", "false");
    CHECK_ATTRIBUTE("1", "I1");
    CHECK_ATTRIBUTE("-5 : i32", "I-5:i32");
    CHECK_ATTRIBUTE("18446744073709551615 : ui64", "I-1:u64");
    CHECK_ATTRIBUTE("3 : index", "I3");
    CHECK_ATTRIBUTE("0.5", "F0.5");
    CHECK_ATTRIBUTE("0.1 : f32", "F0.10000000149011612:f32");
    CHECK_ATTRIBUTE("0x7F800000 : f32", "Finf:f32");
    CHECK_ATTRIBUTE("0xFF : i16", "I255:i16");
    CHECK_ATTRIBUTE("\"a \\\"b\\\" \\41\"", "Sa \"b\" A");
    CHECK_ATTRIBUTE("@f", "@f");
    CHECK_ATTRIBUTE("@f::@\"g h\"", "@f::g h");
    CHECK_ATTRIBUTE("tensor<2xf32>", "Ttensor<2xf32>");
    CHECK_ATTRIBUTE("ui8", "Ttensor<ui8>");
    CHECK_ATTRIBUTE("!stablehlo.token", "T!stablehlo.token");
    CHECK_ATTRIBUTE("dense<1> : tensor<2xi64>", "Dtensor<2xi64>");
}

TEST(compound_attributes)
{
    CHECK_ATTRIBUTE("[]", "[]");
    CHECK_ATTRIBUTE("[1, -2]", "[1,-2]");
    CHECK_ATTRIBUTE("[1 : i64, true]", "L(I1:i64,true)");
    CHECK_ATTRIBUTE("[[1], [@f, @g], {}]", "L([1],L(@f,@g),{})");
    CHECK_ATTRIBUTE("{a, b = 1 : i32, \"c d\" = {e = [2]}}", "{a=unit,b=I1:i32,c d={e=[2]}}");
    CHECK_ATTRIBUTE("array<i64>", "[]:i64");
    CHECK_ATTRIBUTE("array<i64: 1, -2>", "[1,-2]:i64");
    CHECK_ATTRIBUTE("array<i1: true, false>", "[1,0]:bool");
    CHECK_ATTRIBUTE("array<i32: 2147483647>", "[2147483647]:i32");
    CHECK_ATTRIBUTE("array<i64: 9223372036854775807>", "[9223372036854775807]:i64");
    CHECK_ATTRIBUTE("array<f32: 0.5, 1.0>", "L(F0.5,F1):f32");
}

TEST(dialect_attributes)
{
    CHECK_ATTRIBUTE("#stablehlo<precision HIGH>", "WHIGH");
    CHECK_ATTRIBUTE("#chlo<precision DEFAULT>", "WDEFAULT");
    CHECK_ATTRIBUTE("#stablehlo.result_accuracy_mode<HIGHEST>", "WHIGHEST");
    CHECK_ATTRIBUTE("#stablehlo.gather<offset_dims = [0, 1], index_vector_dim = 1>",
                    "stablehlo.gather{offset_dims=[0,1],index_vector_dim=I1}");
    CHECK_ATTRIBUTE("#stablehlo.scatter<>", "stablehlo.scatter{}");
    CHECK_ATTRIBUTE("#stablehlo.channel_handle<handle = 1, type = 0>",
                    "stablehlo.channel_handle{handle=I1,type=I0}");
    CHECK_ATTRIBUTE("#stablehlo.dot_algorithm<lhs_precision_type = tf32, x = f32, y = false>",
                    "stablehlo.dot_algorithm{lhs_precision_type=O,x=Ttensor<f32>,y=false}");
    CHECK_ATTRIBUTE("#stablehlo.result_accuracy<atol = 1.0, mode = "
                    "#stablehlo.result_accuracy_mode<TOLERANCE>>",
                    "stablehlo.result_accuracy{atol=F1,mode=WTOLERANCE}");
    CHECK_ATTRIBUTE("#stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>",
                    "C([-1,0,-2],[0,-1,-2],[-1,0,-2])");
    CHECK_ATTRIBUTE("#stablehlo.bounds<?, 3>", "O");
    CHECK_ATTRIBUTE("#sdy.sharding<@mesh, [{\"x\", ?}, {}]>", "O");
    CHECK_ATTRIBUTE("#mhlo.layout<a -> b, (c)>", "O");
    CHECK_ATTRIBUTE("#triton.x", "O");
    CHECK_ATTRIBUTE("affine_map<(d0) -> (d0)>", "O");
    CHECK_ATTRIBUTE("(tensor<f32>, i1) -> (f32)", "O");
    CHECK_ATTRIBUTE("!foo.bar<1, \">\">", "O");
    CHECK_ATTRIBUTE("loc(unknown)", "O");
}

TEST(aliases)
{
    CHECK_PRINTED("#x", "[1,2]", "[1, 2]");
    CHECK_PRINTED("#y", "{a=[1,2]}", "{a = [1, 2]}");
    CHECK_PRINTED("{p = #y, q = \"#x\", r = #sdy.x<#x>}", "{p={a=[1,2]},q=S#x,r=O}",
                  "{p = {a = [1, 2]}, q = \"#x\", r = #sdy.x<[1, 2]>}");
    CHECK_PRINTED("!t", "Ttensor<2xf32>", "tensor<2xf32>");
    CHECK_PRINTED("[ 1 ,\n\n // two\n 2 ]", "[1,2]", "[ 1 , 2 ]");
}

TEST(wrong_attributes)
{
    CHECK_ATTRIBUTE_ERROR("{a = 1, a = 2}", 9, "attribute 'a' stands there twice");
    CHECK_ATTRIBUTE_ERROR("{a = }", 6, "expected an attribute, found '}'");
    CHECK_ATTRIBUTE_ERROR("{1 = a}", 2, "expected the name of an attribute, found '1'");
    CHECK_ATTRIBUTE_ERROR("{a = 1", 7,
                          "expected ',' or the end of the attributes, found the end of the text");
    CHECK_ATTRIBUTE_ERROR("#nothing", 1, "alias '#nothing' is not defined");
    CHECK_ATTRIBUTE_ERROR("#sdy.a<(>", 9, "expected ')'");
    CHECK_ATTRIBUTE_ERROR("#sdy.a<\"b", 8, "the string does not end");
    CHECK_ATTRIBUTE_ERROR("#sdy.a<b", 7, "the bracket is not closed");
    CHECK_ATTRIBUTE_ERROR("300 : i8", 1, "300 does not fit into i8");
    CHECK_ATTRIBUTE_ERROR("1 : f32", 1, "expected a float, found an integer: write 1.0");
    CHECK_ATTRIBUTE_ERROR("18446744073709551616", 1, "18446744073709551616 does not fit into u64");
    CHECK_ATTRIBUTE_ERROR("array<i64: 1.0>", 12, "expected an integer, found a float");
    CHECK_ATTRIBUTE_ERROR("#stablehlo.conv<[b, ?, f]x[0, i, o]->[b, 0, f]>", 21,
                          "axes of convolutions must be known");
}

TEST(deep_attributes)
{
    char text[1024];
    memset(text, '[', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    CHECK_ATTRIBUTE_ERROR(text, 201, "types and attributes nest more than 200 deep");
    memset(text + 7, '<', sizeof text - 8);
    memcpy(text, "#sdy.a<", 7);
    CHECK_ATTRIBUTE_ERROR(text, 7, "brackets nest more than 200 deep");
}

/* What is only kept is printed in the order of the text, keys in quotes where they need them. */
TEST(kept_attributes)
{
    reading q;
    ct__dict dict = {0, 0, NULL};
    char memory[256];
    static const char *const definitions[] = {"#x = dense<1> : tensor<2xi8>", NULL};
    begin_with_aliases(&q, memory, sizeof memory, "{a = 1 : i32, \"b \\\"\" = #x, used = 2, c}",
                       definitions);
    CHECK_MSG(ct__read_dict(&q.r, "{", "}", &dict), "%s", errors_of(&q));
    CHECK(ct__dict_use(&dict, "used") && !ct__dict_use(&dict, "missing"));
    const char *rest = ct__dict_rest(&q.r, &dict);
    CHECK_MSG(strcmp(rest, "a = 1 : i32, \"b \\\"\" = dense<1> : tensor<2xi8>, c") == 0, "%s",
              rest);
    for (size_t i = 0; i < dict.count; i++)
        ct__dict_use(&dict, dict.entry[i].key);
    CHECK(ct__dict_rest(&q.r, &dict) == NULL);
    end(&q);
}
