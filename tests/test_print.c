#include "tests/values.h"

#include <cotangent/trace.h>

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Against NumPy: tests/data/print_expected.txt. */

#define LINE_BYTES (1 << 16)

typedef struct print_case {
    ct_dtype dtype;
    size_t rank;
    int64_t dim[64];
    unsigned char pattern[LINE_BYTES / 2]; /* bytes, repeated over the elements */
    size_t pattern_bytes;
    char *expected;
} print_case;

static ct_dtype dtype_named(const char *name)
{
    for (int d = 1; d < CT_DTYPE_COUNT; d++)
        if (strcmp(ct_dtype_name((ct_dtype)d), name) == 0)
            return (ct_dtype)d;
    return strcmp(name, "bool") == 0 ? CT_BOOL : CT_INVALID_DTYPE;
}

/* "case DTYPE EXTENT… : HEX" */
static void read_header(print_case *c, char *line)
{
    char *word = strtok(line + strlen("case"), " \n");

    c->dtype = dtype_named(word);
    CHECK_MSG(c->dtype != CT_INVALID_DTYPE, "no dtype %s", word);
    c->rank = 0;
    while ((word = strtok(NULL, " \n")) && strcmp(word, ":") != 0)
        c->dim[c->rank++] = strtoll(word, NULL, 10);
    word = strtok(NULL, " \n");
    c->pattern_bytes = word ? strlen(word) / 2 : 0;
    for (size_t i = 0; i < c->pattern_bytes; i++) {
        char digits[3] = {word[2 * i], word[2 * i + 1], 0};
        c->pattern[i] = (unsigned char)strtoul(digits, NULL, 16);
    }
}

/* The next case of the file; false at its end. */
static bool read_case(FILE *file, char *line, print_case *c)
{
    size_t length = 0;

    if (!fgets(line, LINE_BYTES, file))
        return false;
    CHECK_MSG(strncmp(line, "case ", 5) == 0, "unexpected line: %s", line);
    read_header(c, line);
    c->expected[0] = 0;
    while (fgets(line, LINE_BYTES, file) && line[0] == '|') {
        CHECK(length + strlen(line) < 16 * LINE_BYTES);
        strcpy(c->expected + length, line + 1);
        length += strlen(line + 1);
    }
    c->expected[length - 1] = 0; /* the last line end */
    return true;
}

static ct_tensor *make(ct_context *ctx, const print_case *c)
{
    size_t bytes = ct_dtype_bytes(c->dtype);

    for (size_t d = 0; d < c->rank; d++)
        bytes *= (size_t)c->dim[d];
    unsigned char *data = malloc(bytes + 1);
    for (size_t i = 0; i < bytes; i++)
        data[i] = c->pattern[i % c->pattern_bytes];
    ct_tensor *x = ct_from_data(ctx, c->dtype, ((ct_shape){c->rank, c->dim}), data);
    free(data);
    return x;
}

static int run_cases(void)
{
    static print_case c;
    FILE *file = fopen(CT_SOURCE_DIR "/tests/data/print_expected.txt", "r");
    char *line = malloc(LINE_BYTES);
    int cases = 0;

    CHECK(file && line);
    c.expected = malloc(16 * LINE_BYTES);
    for (; read_case(file, line, &c); cases++) {
        ct_context *ctx = ct_context_new();
        ct_tensor *x = make(ctx, &c);
        const char *text = ct_text(x);

        CHECK_OK(ctx);
        CHECK_MSG(strcmp(text, c.expected) == 0, "case %d, %s:\n%.1500s\ninstead of\n%.1500s",
                  cases, ct_type_text(x), text, c.expected);
        ct_context_free(ctx);
    }
    free(c.expected);
    free(line);
    fclose(file);
    return cases;
}

TEST(text_is_numpys)
{
    CHECK(run_cases() > 2000);
}

/* A user's locale with a decimal comma changes nothing. */
TEST(text_does_not_depend_on_the_locale)
{
    static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "de_DE",
                                        "ps_AF.UTF-8"};
    const char *found = NULL;

    for (size_t i = 0; i < sizeof names / sizeof names[0] && !found; i++)
        found = setlocale(LC_ALL, names[i]);
    if (!found)
        SKIP("no locale with a decimal comma is installed");
    char comma[16];
    snprintf(comma, sizeof comma, "%.1f", 1.5);
    int cases = run_cases();
    setlocale(LC_ALL, "C");
    CHECK(strcmp(comma, "1.5") != 0);
    CHECK(cases > 2000);
}

/* ---- What NumPy does not have. */

static void check_text(int line, ct_tensor *x, const char *expected)
{
    const char *text = ct_text(x);

    if (strcmp(text, expected) != 0)
        check_fail(__FILE__, line, "\"%s\" instead of \"%s\"", text, expected);
}
#define CHECK_TEXT(x, expected) check_text(__LINE__, x, expected)

TEST(bf16_has_its_own_shortest_digits)
{
    ct_context *ctx = ct_context_new();

    CHECK_TEXT(given(ctx, CT_BF16, CT_SHAPE(3), {1, 0.1, -2.5}), "[ 1.   0.1 -2.5]");
    CHECK_TEXT(given(ctx, CT_BF16, CT_SHAPE(2), {1.0 / 3, 2.0 / 3}), "[0.334 0.668]");
    CHECK_TEXT(given(ctx, CT_BF16, CT_SHAPE(2), {NAN, -INFINITY}), "[ nan -inf]");
    CHECK_TEXT(given(ctx, CT_BF16, CT_SHAPE(2), {1e30, 1}), "[1.e+30 1.e+00]");
    CHECK_TEXT(ct_scalar(ctx, CT_BF16, 0.1), "0.1");
    CHECK_TEXT(ct_scalar(ctx, CT_BF16, 0x1p-133), "9e-41");
    CHECK_TEXT(ct_scalar(ctx, CT_BF16, 3), "3.0");
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

TEST(views_and_splats_print_their_elements)
{
    ct_context *ctx = ct_context_new();

    CHECK_TEXT(ct_full(ctx, CT_F32, CT_SHAPE(2, 2), 0.5), "[[0.5 0.5]\n [0.5 0.5]]");
    CHECK_TEXT(ct_ones(ctx, CT_BOOL, CT_SHAPE(2)), "[ True  True]");
    /* 2^60 elements, of which 36 are looked at */
    CHECK_TEXT(ct_zeros(ctx, CT_I8, CT_SHAPE(1 << 30, 1 << 30)), "[[0 0 0 ... 0 0 0]\n"
                                                                 " [0 0 0 ... 0 0 0]\n"
                                                                 " [0 0 0 ... 0 0 0]\n"
                                                                 " ...\n"
                                                                 " [0 0 0 ... 0 0 0]\n"
                                                                 " [0 0 0 ... 0 0 0]\n"
                                                                 " [0 0 0 ... 0 0 0]]");
    /* 2^40 elements, and no axis is long enough to be cut */
    int64_t twos[40];
    for (int d = 0; d < 40; d++)
        twos[d] = 2;
    const char *text = ct_text(ct_zeros(ctx, CT_I8, ((ct_shape){40, twos})));
    CHECK_MSG(strstr(text, "(too many elements to show)"), "%s", text);
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* -2 and 1, or 0 and 3, with neighbours that are not to be looked at. */
TEST(every_integer_dtype)
{
    ct_context *ctx = ct_context_new();

    for (int d = 1; d < CT_DTYPE_COUNT; d++) {
        ct_dtype dtype = (ct_dtype)d;
        bool is_signed = ct_dtype_is_signed(dtype);
        if (!ct_dtype_is_integer(dtype))
            continue;
        ct_tensor *x = is_signed ? given(ctx, dtype, CT_SHAPE(2, 2), {-2, 1, 0, -1})
                                 : given(ctx, dtype, CT_SHAPE(2, 2), {0, 3, 2, 1});
        CHECK_TEXT(x, is_signed ? "[[-2  1]\n [ 0 -1]]" : "[[0 3]\n [2 1]]");
        CHECK_TEXT(ct_scalar(ctx, dtype, is_signed ? -2 : 3), is_signed ? "-2" : "3");
        CHECK(ct_at_int(x, 0, 1) == (is_signed ? 1 : 3));
        CHECK(ct_at_int(x, 0, 0) == (is_signed ? -2 : 0));
    }
    CHECK_TEXT(given(ctx, CT_I4, CT_SHAPE(2), {-8, 7}), "[-8  7]");
    CHECK_TEXT(given(ctx, CT_U4, CT_SHAPE(2), {0, 15}), "[ 0 15]");
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

TEST(values_without_data_print_their_types)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *spec = ct_spec(ctx, CT_F32, CT_SHAPE(4, 2));

    CHECK_TEXT(NULL, "poison");
    CHECK_TEXT(spec, "f32[4,2] (spec)");
    ct_trace_builder *builder = ct_trace_begin(ctx, "f", CT_LIKE(spec, spec));
    CHECK_TEXT(ct_trace_parameter(builder, 1), "f32[4,2] (traced: argument 1)");
    CHECK_OK(ctx);
    ct_tensor *poison = ct_scalar(ctx, CT_U8, 300);
    CHECK_TEXT(poison, "poison");
    CHECK(strcmp(ct_type_text(poison), "poison") == 0);
    CHECK(strcmp(ct_type_text(NULL), "poison") == 0);
    CHECK_ERROR(ctx, CT_ERR_ARGUMENT, "scalar: 300 does not fit u8");
    CHECK(strcmp(ct_type_text(spec), "f32[4,2]") == 0);
    CHECK(strcmp(ct_type_text(ct_scalar(ctx, CT_C128, 1)), "c128[]") == 0);
    ct_context_free(ctx);
}

/* Good values print while the context holds an error. */
TEST(text_after_an_error)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = ct_arange(ctx, CT_I32, 0, 3, 1);

    ct_scalar(ctx, CT_U8, 300);
    CHECK_TEXT(x, "[0 1 2]");
    CHECK_ERROR(ctx, CT_ERR_ARGUMENT, "300");
    ct_context_free(ctx);
}

static void print_without_memory(ct_context *ctx)
{
    ct_text(ct_linspace(ctx, CT_F32, 0, 1, 300));
    ct_text(ct_zeros(ctx, CT_C64, CT_SHAPE(2, 3)));
    ct_type_text(ct_zeros(ctx, CT_C64, CT_SHAPE(2, 3)));
}

TEST(printing_without_memory)
{
    CHECK_ALLOCATIONS(print_without_memory);
}
