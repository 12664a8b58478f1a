/* Numbers and constants of StableHLO's text. */
#include "interop/stablehlo/print.h"
#include "tests/reading.h"
#include "tests/values.h"

#include <inttypes.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
    reading_begin(&q, text);
    CHECK_MSG(ct__read_number(&q.r, dtype, element) && reading_is_at_end(&q), "%s: %s", text,
              reading_errors(&q));
    const uint64_t found = bits_of(ct_dtype_bytes(dtype), element);
    CHECK_MSG(found == want, "%s as %s gave %" PRIx64 ", not %" PRIx64, text, ct_dtype_name(dtype),
              found, want);
    reading_end(&q);
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
    reading_begin(&q, text);
    if (ct__read_number(&q.r, dtype, element))
        check_fail(__FILE__, line, "%s is read", text);
    reading_check_error(line, &q, column, message);
    reading_end(&q);
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

/* What is printed is read as the same bits; false where the dtype has no such element. */
static bool check_printed(ct_dtype dtype, const void *bits)
{
    reading q;
    char text[CT__NUMBER_BYTES];
    unsigned char element[16] = {0}, found[16] = {0};
    const size_t bytes = ct_dtype_bytes(dtype);
    memcpy(element, bits, bytes);
    if (bytes == 1 && !ct__byte_fits(dtype, element[0]))
        return false;
    reading_begin(&q, ct__print_number(dtype, element, text));
    CHECK_MSG(ct__read_number(&q.r, dtype, found) && reading_is_at_end(&q), "%s of %s: %s", text,
              ct_dtype_name(dtype), reading_errors(&q));
    CHECK_MSG(memcmp(found, element, sizeof found) == 0, "%s of %s is read as other bits", text,
              ct_dtype_name(dtype));
    reading_end(&q);
    return true;
}

static uint64_t next_bits(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *state ^ *state >> 29;
}

/* Every element of up to 16 bits; of the others 20000, of which some have only the bits of an
 * exponent, and so are infinities and NaNs, or subnormal. */
TEST(printed_numbers_are_read_as_the_same_bits)
{
    for (ct_dtype t = CT_BOOL; t < CT_DTYPE_COUNT; t = (ct_dtype)(t + 1)) {
        const size_t bytes = ct_dtype_bytes(t);
        const unsigned n = bytes == 1 ? 1 << 8 : bytes == 2 ? 1 << 16 : 20000;
        uint64_t state = 7;
        unsigned checked = 0;
        for (unsigned i = 0; i < n; i++) {
            uint64_t bits[2] = {i, 0};
            for (size_t k = 0; k < 2 && bytes > 2; k++)
                bits[k] = next_bits(&state) | (i % 8 == 1 ? UINT64_C(0x7FF000007F800000) : 0);
            if (i % 8 == 2)
                bits[0] &= bytes > 2 ? UINT64_C(0x800FFFFF807FFFFF) : UINT64_MAX;
            checked += check_printed(t, bits);
        }
        CHECK(checked == (bytes == 1 ? 1U << ct__dtype_bits(t) : n));
    }
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
    reading_begin(&q, text);
    if (!ct__read_attribute(&q.r, &value) || !reading_is_at_end(&q))
        check_fail(__FILE__, line, "%s is not read: %s", text, reading_errors(&q));
    CHECK(value.kind == CT__ATTRIBUTE_DENSE && value.literal);
    literal_bytes(value.literal, found, sizeof found);
    if (strcmp(found, want) != 0)
        check_fail(__FILE__, line, "%s is %s, not %s", text, found, want);
    reading_end(&q);
}
#define CHECK_DENSE(text, want) check_dense(__LINE__, text, want)

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
    reading_begin(&q, text);
    CHECK_MSG(ct__read_attribute(&q.r, &value), "%s", reading_errors(&q));
    const unsigned char *data = ct__literal_first(value.literal);
    for (size_t i = 0; i < n; i++)
        CHECK(data[i] == ((unsigned)(i * 2654435761U >> 13) & 255));
    reading_end(&q);
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
}

/* ---- Resources. */

static void check_resource(int line, const char *use, const char *section, const char *want)
{
    char text[512], found[1025];
    reading q;
    ct__attribute value;
    snprintf(text, sizeof text, "%s %s", use, section);
    reading_begin(&q, text);
    q.r.n_sections = *section ? 1 : 0;
    q.r.section = (const char *[]){text + strlen(use) + 1};
    bool fine = ct__read_attribute(&q.r, &value);
    if (fine != (strncmp(want, "t:", 2) != 0))
        check_fail(__FILE__, line, "%s: %s", text, reading_errors(&q));
    if (!fine && strncmp(reading_errors(&q), want, strlen(want)) != 0)
        check_fail(__FILE__, line, "%s: %s", text, reading_errors(&q));
    if (fine && strcmp(literal_bytes(value.literal, found, sizeof found), want) != 0)
        check_fail(__FILE__, line, "%s: %s", text, found);
    reading_end(&q);
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
