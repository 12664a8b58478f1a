/* Tensors as text. Layout and digits follow NumPy's array2string with its default options (8
 * places, 75 columns, summarised with 3 edge items above 1000 elements), so that the two can be
 * compared by eye and by diff. */
#include "trace/format.h"
#include "trace/trace.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    PLACES = 8,       /* at most, after the decimal point */
    LINE_WIDTH = 75,  /* columns */
    THRESHOLD = 1000, /* elements that are shown in full */
    EDGE = 3,         /* items shown at either end of a longer axis of a summary */
    WORD = 4 * CT__NUMBER_TEXT,
    TYPE_TEXT = 2048
};

/* ---- Columns of numbers: the real parts of all shown elements, or the imaginary ones, are written
 * in one layout. It is found in two passes: `survey` chooses the form, `measure` the widths. */

typedef struct layout {
    ct_dtype dtype; /* of the parts */
    bool plus;      /* positive numbers have a sign too */
    bool scientific;
    int places;      /* that all scientific numbers have; 0 while measuring */
    int most_places; /* of those measured */
    int exponent_digits;
    int left, right;                          /* widths before and behind the point */
    bool has_infinite, has_negative_infinite; /* NaN counts as infinite */
    double smallest, largest;                 /* magnitudes, finite and not 0; 0: none */
} layout;

static void survey(layout *l, double value)
{
    double magnitude = fabs(value);

    if (!isfinite(value)) {
        l->has_infinite = true;
        l->has_negative_infinite |= value < 0;
    } else if (magnitude > 0) {
        l->largest = fmax(l->largest, magnitude);
        l->smallest = l->smallest > 0 ? fmin(l->smallest, magnitude) : magnitude;
    }
}

static double rounded(ct_dtype dtype, double value)
{
    unsigned char element[16];

    ct__store_double(dtype, element, value);
    return ct__load_double(dtype, element);
}

/* Exponents are written when the largest number needs more digits than the dtype keeps, the
 * smallest is below 0.0001, or their ratio is above 1000; all in the dtype's own arithmetic. */
static void choose_form(layout *l)
{
    double cutoff = fmin(1e8, ct__exponent_cutoff(l->dtype));

    l->scientific = l->largest > 0 &&
                    (l->largest >= cutoff || l->smallest < rounded(l->dtype, 0.0001) ||
                     rounded(l->dtype, l->largest / l->smallest) > 1000);
    l->exponent_digits = 2;
}

/* The shortest digits, at most PLACES behind the point; as many as the column has, and then those
 * of the exact value, where all numbers are scientific. */
static void find_digits(const layout *l, double value, ct__digits *digits)
{
    ct__digits_shortest(l->dtype, value, digits);
    int most = PLACES + 1 + (l->scientific ? 0 : digits->exponent);

    if (digits->count > most)
        ct__digits_round(value, most > 0 ? most : 1, digits);
    else if (digits->count < l->places + 1)
        ct__digits_round(value, l->places + 1, digits);
}

static int write_digits(const layout *l, double value, char *out)
{
    ct__digits digits;
    int sign = l->plus && !signbit(value);

    if (sign)
        *out++ = '+';
    find_digits(l, value, &digits);
    return sign + (l->scientific ? ct__write_scientific(&digits, l->places, l->exponent_digits, out)
                                 : ct__write_positional(&digits, 0, out));
}

static int max_int(int a, int b)
{
    return a > b ? a : b;
}

static void measure(layout *l, double value)
{
    char text[CT__NUMBER_TEXT + 1];

    if (!isfinite(value))
        return;
    int length = write_digits(l, value, text);
    int left = (int)strcspn(text, ".");
    int right = length - left - 1;

    l->left = max_int(l->left, left);
    if (l->scientific) {
        int exponent = (int)strlen(strchr(text, 'e') + 2);

        l->most_places = max_int(l->most_places, right - exponent - 2);
        l->exponent_digits = max_int(l->exponent_digits, exponent);
        right = l->most_places + l->exponent_digits + 2;
    }
    l->right = max_int(l->right, right);
}

/* After measuring: room for "nan", "inf" and "-inf" too. */
static void settle(layout *l)
{
    int sign = l->plus || l->has_negative_infinite;

    l->places = l->most_places;
    if (l->has_infinite)
        l->left = max_int(l->left, 3 + sign - (l->right + 1));
}

static int write_infinite(const layout *l, double value, char *out)
{
    const char *sign = value < 0 ? "-" : l->plus ? "+" : "";
    char text[8];

    snprintf(text, sizeof text, "%s%s", sign, isnan(value) ? "nan" : "inf");
    return snprintf(out, CT__NUMBER_TEXT, "%*s", l->left + 1 + l->right, text);
}

/* The number in its column, its point under the other points. */
static int write_part(const layout *l, double value, char *out)
{
    char text[CT__NUMBER_TEXT + 1];

    if (!isfinite(value))
        return write_infinite(l, value, out);
    int length = write_digits(l, value, text);
    int before = max_int(l->left - (int)strcspn(text, "."), 0);
    int behind = max_int(l->left + 1 + l->right - before - length, 0);

    return snprintf(out, CT__NUMBER_TEXT, "%*s%s%*s", before, "", text, behind, "");
}

/* ---- Elements as words. */

typedef struct printer {
    const ct__literal *x;
    bool summary;
    layout real, imaginary;
    int width; /* of integers and bools */
    ct__text text;
} printer;

static double real_part(const printer *p, const void *element)
{
    return ct__load_double(p->real.dtype, element);
}

static double imaginary_part(const printer *p, const void *element)
{
    return ct__load_double(p->real.dtype, (const char *)element + ct_dtype_bytes(p->real.dtype));
}

static int write_integer(ct_dtype dtype, const void *element, int width, char *out)
{
    uint64_t value = ct__load_integer(dtype, element);

    if (dtype == CT_BOOL)
        return snprintf(out, WORD, "%*s", width, value ? "True" : "False");
    if (ct_dtype_is_signed(dtype))
        return snprintf(out, WORD, "%*" PRId64, width, (int64_t)value);
    return snprintf(out, WORD, "%*" PRIu64, width, value);
}

/* The imaginary part's "j" stands behind its digits, before the blanks that fill its column. */
static int write_element(const printer *p, const void *element, char *out)
{
    ct_dtype dtype = p->x->type->dtype;
    int length, blanks = 0;

    if (!ct_dtype_is_float(dtype) && !ct_dtype_is_complex(dtype))
        return write_integer(dtype, element, p->width, out);
    length = write_part(&p->real, real_part(p, element), out);
    if (ct_dtype_is_float(dtype))
        return length;
    length += write_part(&p->imaginary, imaginary_part(p, element), out + length);
    while (out[length - 1 - blanks] == ' ')
        blanks++;
    memmove(out + length - blanks + 1, out + length - blanks, (size_t)blanks);
    out[length - blanks] = 'j';
    return length + 1;
}

/* ---- Passes over the elements that are shown. */

static void survey_element(printer *p, const void *element)
{
    survey(&p->real, real_part(p, element));
    if (ct_dtype_is_complex(p->x->type->dtype))
        survey(&p->imaginary, imaginary_part(p, element));
}

static void measure_element(printer *p, const void *element)
{
    measure(&p->real, real_part(p, element));
    if (ct_dtype_is_complex(p->x->type->dtype))
        measure(&p->imaginary, imaginary_part(p, element));
}

static void measure_integer(printer *p, const void *element)
{
    char word[WORD];

    p->width = max_int(p->width, write_integer(p->x->type->dtype, element, 0, word));
}

static const void *element_at(const printer *p, int64_t offset)
{
    return p->x->storage->data + offset * (int64_t)ct_dtype_bytes(p->x->type->dtype);
}

static bool is_cut(const printer *p, int axis)
{
    return p->summary && p->x->type->dim[axis] > 2 * EDGE;
}

static void visit(printer *p, int axis, int64_t offset, void (*see)(printer *, const void *))
{
    if (axis == p->x->type->rank) {
        see(p, element_at(p, offset));
        return;
    }
    for (int64_t i = 0, n = p->x->type->dim[axis]; i < n; i++) {
        if (i == EDGE && is_cut(p, axis))
            i = n - EDGE;
        visit(p, axis + 1, offset + i * p->x->stride[axis], see);
    }
}

static void find_layout(printer *p)
{
    ct_dtype dtype = p->x->type->dtype;

    if (dtype == CT_BOOL) {
        p->width = (int)strlen("False");
    } else if (ct_dtype_is_integer(dtype)) {
        visit(p, 0, p->x->offset, measure_integer);
    } else {
        visit(p, 0, p->x->offset, survey_element);
        choose_form(&p->real);
        choose_form(&p->imaginary);
        visit(p, 0, p->x->offset, measure_element);
        settle(&p->real);
        settle(&p->imaginary);
    }
}

/* ---- Brackets and lines. */

static void add_blanks(ct__text *text, int count)
{
    ct__text_add(text, "%*s", count, "");
}

/* Adds a word to the row that begins at column `indent`; starts a new line where that helps. */
static void add_word(printer *p, const char *word, int length, int indent, int *column)
{
    ct__text *text = &p->text;
    int width = LINE_WIDTH - (indent - 1) - 1; /* a column for each bracket that may follow */

    if (*column > indent && *column + 1 + length > width) {
        while (text->length > 0 && text->data[text->length - 1] == ' ')
            text->length--;
        ct__text_add_bytes(text, "\n", 1);
        add_blanks(text, indent);
        *column = indent;
    } else if (*column > indent) {
        ct__text_add_bytes(text, " ", 1);
        ++*column;
    }
    ct__text_add_bytes(text, word, (size_t)length);
    *column += length;
}

static void add_row(printer *p, int axis, int64_t offset)
{
    int indent = axis + 1, column = indent;
    char word[WORD];

    for (int64_t i = 0, n = p->x->type->dim[axis]; i < n; i++) {
        if (i == EDGE && is_cut(p, axis)) {
            add_word(p, "...", 3, indent, &column);
            i = n - EDGE;
        }
        int length = write_element(p, element_at(p, offset + i * p->x->stride[axis]), word);
        add_word(p, word, length, indent, &column);
    }
}

/* What stands between two items of an axis: a line end for every axis below it. */
static void add_break(printer *p, int axis)
{
    for (int d = axis + 1; d < p->x->type->rank; d++)
        ct__text_add_bytes(&p->text, "\n", 1);
    add_blanks(&p->text, axis + 1);
}

static void add_axis(printer *p, int axis, int64_t offset)
{
    bool is_row = axis == p->x->type->rank - 1;

    ct__text_add_bytes(&p->text, "[", 1);
    if (is_row)
        add_row(p, axis, offset);
    for (int64_t i = 0, n = p->x->type->dim[axis]; i < n && !is_row; i++) {
        if (i > 0)
            add_break(p, axis);
        if (i == EDGE && is_cut(p, axis)) {
            ct__text_add_bytes(&p->text, "...", 3);
            add_break(p, axis);
            i = n - EDGE;
        }
        add_axis(p, axis + 1, offset + i * p->x->stride[axis]);
    }
    ct__text_add_bytes(&p->text, "]", 1);
}

/* ---- One element alone: all its digits. */

static void add_real(printer *p, double value)
{
    char number[CT__NUMBER_TEXT];

    ct__format_number(p->real.dtype, value, number);
    ct__text_add(&p->text, "%s%s", number, strpbrk(number, ".en") ? "" : ".0");
}

/* "2j", "(1+2j)" */
static void add_complex(printer *p, double real, double imaginary)
{
    char number[CT__NUMBER_TEXT];
    bool pure = real == 0 && !signbit(real);

    if (!pure) {
        ct__format_number(p->real.dtype, real, number);
        ct__text_add(&p->text, "(%s%s", number, signbit(imaginary) && !isnan(imaginary) ? "" : "+");
    }
    ct__format_number(p->real.dtype, imaginary, number);
    ct__text_add(&p->text, "%sj%s", number, pure ? "" : ")");
}

static void add_scalar(printer *p)
{
    ct_dtype dtype = p->x->type->dtype;
    const void *element = ct__literal_first(p->x);
    char word[WORD];

    if (ct_dtype_is_complex(dtype))
        add_complex(p, real_part(p, element), imaginary_part(p, element));
    else if (ct_dtype_is_float(dtype))
        add_real(p, real_part(p, element));
    else
        ct__text_add_bytes(&p->text, word, (size_t)write_integer(dtype, element, 0, word));
}

/* ---- Entries. */

/* How many elements a summary shows stays small, but for many axes of few elements. */
static bool is_showable(const ct_type *type)
{
    int64_t shown = 1;

    for (int d = 0; d < type->rank && shown <= THRESHOLD * THRESHOLD; d++)
        shown *= type->dim[d] < 2 * EDGE ? type->dim[d] : 2 * EDGE;
    return shown <= THRESHOLD * THRESHOLD;
}

static void add_concrete(ct__text *text, const ct__literal *x)
{
    ct_dtype dtype = x->type->dtype;
    ct_dtype part = dtype == CT_C64 ? CT_F32 : dtype == CT_C128 ? CT_F64 : dtype;
    printer p = {.x = x,
                 .summary = x->type->size > THRESHOLD,
                 .real = {.dtype = part},
                 .imaginary = {.dtype = part, .plus = true},
                 .text = *text};

    char whole[TYPE_TEXT];

    if (x->type->kind != CT__TENSOR) { /* its elements are for get_tuple_element */
        ct__text_add(&p.text, "%s", ct__type_print(x->type, whole, sizeof whole));
    } else if (x->type->size == 0) {
        ct__text_add_bytes(&p.text, "[]", 2);
    } else if (x->type->rank == 0) {
        add_scalar(&p);
    } else if (is_showable(x->type)) {
        find_layout(&p);
        add_axis(&p, 0, x->offset);
    } else {
        char type[TYPE_TEXT];

        ct__text_add(&p.text, "%s (too many elements to show)",
                     ct__type_print(x->type, type, sizeof type));
    }
    *text = p.text;
}

static void add_abstract(ct__text *text, const ct_tensor *x)
{
    char type[TYPE_TEXT];

    ct__text_add(text, "%s", ct__type_print(x->type, type, sizeof type));
    if (x->kind == CT__SPEC)
        ct__text_add(text, " (spec)");
    else if (x->argument >= 0)
        ct__text_add(text, " (traced: argument %d)", x->argument);
    else
        ct__text_add(text, " (traced: %s, %s:%d)", x->origin, x->at.file ? x->at.file : "?",
                     x->at.line);
}

const char *ct_text(ct_tensor *x)
{
    ct_context *ctx = ct_context_of(x);
    ct__text text;

    if (ct_is_poison(x))
        return "poison";
    ct__text_init(&text, &ctx->allocator);
    if (ct_is_concrete(x))
        add_concrete(&text, x->literal);
    else
        add_abstract(&text, x);
    return ct__scope_take(ctx, x->at, "text", &text);
}

const char *ct_type_text(const ct_tensor *x)
{
    char text[TYPE_TEXT];

    if (ct_is_poison(x))
        return "poison";
    ct__type_print(x->type, text, sizeof text);
    return ct__scope_text(ct_context_of(x), text, strlen(text));
}
