#include "interop/stablehlo/read_values.h"

#include "interop/stablehlo/print.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

/* ---- Element types. */

/* The words of the text are the names of dtypes, but for these. */
static const struct {
    const char *word;
    ct_dtype dtype;
} renamed[] = {{"i1", CT_BOOL},
               {"bool", CT_INVALID_DTYPE},
               {"c64", CT_INVALID_DTYPE},
               {"c128", CT_INVALID_DTYPE},
               {"invalid", CT_INVALID_DTYPE},
               {"index", CT_I64}}; /* as wide as the machine's addresses */

/* "ui4" for the dtype "u4". */
static bool is_name(ct__span word, const char *name)
{
    if (name[0] != 'u')
        return ct__span_is(word, name);
    return word.length > 2 && memcmp(word.at, "ui", 2) == 0 &&
           ct__span_is((ct__span){word.at + 2, word.length - 2}, name + 1);
}

ct_dtype ct__dtype_of_word(ct__span word)
{
    for (size_t i = 0; i < sizeof renamed / sizeof *renamed; i++)
        if (ct__span_is(word, renamed[i].word))
            return renamed[i].dtype;
    for (int d = 1; d < CT_DTYPE_COUNT; d++)
        if (is_name(word, ct_dtype_name((ct_dtype)d)))
            return (ct_dtype)d;
    return CT_INVALID_DTYPE;
}

static bool fail_element(ct__reader *r, ct__span word)
{
    if (word.at > r->text.at && (word.at[-1] == '\n' || word.at[-1] == ' ')) /* none stands here */
        return ct__fail_expected(r, word.at, "an element type");
    return ct__read_fail(r, word.at, "element type '%.*s' is not supported", ct__span_shown(word),
                         word.at);
}

/* "<f32>" of "complex<f32>". */
static bool read_complex(ct__reader *r, ct_type *type)
{
    ct__span part;
    if (!ct__expect(r, "<") || !ct__read_word(r, &part))
        return false;
    type->dtype = ct__span_is(part, "f32")   ? CT_C64
                  : ct__span_is(part, "f64") ? CT_C128
                                             : CT_INVALID_DTYPE;
    if (type->dtype == CT_INVALID_DTYPE)
        return ct__read_fail(r, part.at, "complex numbers of '%.*s' are not supported",
                             ct__span_shown(part), part.at);
    return ct__expect(r, ">");
}

/* ---- Quantized: !quant.uniform<storage[<min:max>]:expressed[:axis], scales> */

/* "i8", or "u8" without the i that tensors have. */
static bool read_storage(ct__reader *r, ct_type *type)
{
    ct__span word;
    if (!ct__read_word(r, &word))
        return false;
    type->dtype = CT_INVALID_DTYPE;
    for (int d = 1; d < CT_DTYPE_COUNT; d++)
        if (ct__span_is(word, ct_dtype_name((ct_dtype)d)))
            type->dtype = (ct_dtype)d;
    if (ct_dtype_is_integer(type->dtype) && ct_dtype_bytes(type->dtype) <= 4)
        return true;
    return ct__read_fail(r, word.at, "storage type '%.*s' is not supported", ct__span_shown(word),
                         word.at);
}

/* "<-127:127>", within the range of the storage type. */
static bool read_bounds(ct__reader *r, ct_dtype dtype, ct__quantized *q)
{
    const int64_t least = ct__integer_min(dtype), most = (int64_t)ct__integer_max(dtype);
    q->storage_min = least;
    q->storage_max = most;
    if (!ct__take(r, "<"))
        return true;
    const char *at = r->cursor.at;
    if (!ct__read_integer(r, &q->storage_min) || !ct__expect(r, ":") ||
        !ct__read_integer(r, &q->storage_max))
        return false;
    if (q->storage_min < least || q->storage_max > most || q->storage_min >= q->storage_max)
        return ct__read_fail(r, at,
                             "storage bounds %" PRId64 ":%" PRId64 " do not ascend within [%" PRId64
                             ", %" PRId64 "]",
                             q->storage_min, q->storage_max, least, most);
    return ct__expect(r, ">");
}

/* Sub-channel quantization, ":f32:{0:2, 1:4}, {{…}, …}". */
static bool fail_blocks(ct__reader *r)
{
    return ct__read_fail(r, r->cursor.at,
                         "expected one axis or one list of scales, found '{': sub-channel "
                         "quantization, with a scale per block of several axes, is not supported");
}

/* ":f32", ":f32:0" */
static bool read_expressed(ct__reader *r, ct__quantized *q)
{
    ct__span word;
    int64_t axis = -1;
    if (!ct__expect(r, ":") || !ct__read_word(r, &word))
        return false;
    q->expressed = ct__dtype_of_word(word);
    if (!ct_dtype_is_float(q->expressed))
        return ct__read_fail(r, word.at, "expressed type '%.*s' is no float type",
                             ct__span_shown(word), word.at);
    q->axis = -1;
    if (!ct__take(r, ":"))
        return true;
    const char *at = r->cursor.at;
    if (ct__peek(r, "{"))
        return fail_blocks(r);
    if (!ct__read_integer(r, &axis))
        return false;
    if (axis < 0 || axis >= CT__MAX_RANK)
        return ct__read_fail(r, at, "quantized axis %" PRId64 " is not an axis", axis);
    q->axis = (int)axis;
    return true;
}

typedef struct scale {
    double scale;
    int64_t zero_point;
} scale;

/* "0.5:-20", "0.5" */
static bool read_scale(ct__reader *r, const ct__quantized *q, scale *s)
{
    ct__skip_blanks(r);
    const char *at = r->cursor.at;
    if (!ct__read_decimal(r, &s->scale))
        return false;
    if (!(s->scale > 0) || isinf(s->scale))
        return ct__read_fail(r, at, "a scale must be positive and finite");
    s->zero_point = 0;
    if (!ct__take(r, ":"))
        return true;
    ct__skip_blanks(r);
    at = r->cursor.at;
    if (!ct__read_integer(r, &s->zero_point))
        return false;
    if (s->zero_point < q->storage_min || s->zero_point > q->storage_max)
        return ct__read_fail(
            r, at, "zero point %" PRId64 " is not in the storage range [%" PRId64 ", %" PRId64 "]",
            s->zero_point, q->storage_min, q->storage_max);
    return true;
}

/* "{0.1:-30, 0.5}"; the list grows in the arena. */
static bool read_scales(ct__reader *r, const ct__quantized *q, size_t *count, scale **list)
{
    size_t capacity = 0;
    if (!ct__expect(r, "{"))
        return false;
    if (ct__take(r, "}")) /* along an axis without slices */
        return true;
    do {
        if (ct__peek(r, "{"))
            return fail_blocks(r);
        if (!ct__more(r, list, *count, &capacity, sizeof **list))
            return false;
        if (!read_scale(r, q, &(*list)[*count]))
            return false;
        ++*count;
    } while (ct__take(r, ","));
    return ct__expect(r, "}");
}

/* Two lists out of one of pairs. */
static bool set_scales(ct__reader *r, ct__quantized *q, size_t count, const scale *list)
{
    double *scales = CT__NEW_ARRAY(&r->arena, double, count);
    int64_t *zero_point = CT__NEW_ARRAY(&r->arena, int64_t, count);
    if (!scales || !zero_point)
        return ct__read_fail_memory(r);
    for (size_t i = 0; i < count; i++) {
        scales[i] = list[i].scale;
        zero_point[i] = list[i].zero_point;
    }
    q->n_scales = count;
    q->scale = scales;
    q->zero_point = zero_point;
    return true;
}

/* From after "!quant.uniform". */
static bool read_quantized(ct__reader *r, ct_type *type)
{
    ct__quantized *q = CT__NEW(&r->arena, ct__quantized);
    scale one, *list = &one;
    size_t count = 0;
    if (!q)
        return ct__read_fail_memory(r);
    if (!ct__expect(r, "<") || !read_storage(r, type) || !read_bounds(r, type->dtype, q) ||
        !read_expressed(r, q) || !ct__expect(r, ","))
        return false;
    if (q->axis >= 0) {
        if (!read_scales(r, q, &count, &list))
            return false;
    } else if (!read_scale(r, q, &one)) {
        return false;
    } else {
        count = 1;
    }
    type->quantized = q;
    return set_scales(r, q, count, list) && ct__expect(r, ">");
}

/* ---- Element types, of tensors. */

/* "!name": the name with its "!". */
static bool read_bang(ct__reader *r, ct__span *name)
{
    ct__span word;
    const char *at = r->cursor.at;
    if (!ct__expect(r, "!") || !ct__read_word(r, &word))
        return false;
    *name = (ct__span){at, (size_t)(r->cursor.at - at)};
    return true;
}

static bool has_dot(ct__span name)
{
    return memchr(name.at, '.', name.length) != NULL;
}

static bool read_element(ct__reader *r, ct_type *type);

static bool read_special_element(ct__reader *r, ct_type *type)
{
    ct__span name;
    ct__detour detour;
    if (!read_bang(r, &name))
        return false;
    if (ct__span_is(name, "!quant.uniform"))
        return read_quantized(r, type);
    if (has_dot(name))
        return fail_element(r, name);
    if (!ct__detour_begin(r, name, &detour))
        return false;
    bool fine = read_element(r, type);
    ct__detour_end(r, &detour);
    return fine;
}

static bool read_element(ct__reader *r, ct_type *type)
{
    ct__span word;
    if (ct__peek(r, "!"))
        return read_special_element(r, type);
    if (!ct__read_word(r, &word))
        return false;
    if (ct__span_is(word, "complex"))
        return read_complex(r, type);
    type->dtype = ct__dtype_of_word(word);
    return type->dtype != CT_INVALID_DTYPE || fail_element(r, word);
}

bool ct__read_element_type(ct__reader *r, const ct_type **type)
{
    ct_type read = {.kind = CT__TENSOR, .size = 1};
    if (!read_element(r, &read))
        return false;
    *type = ct__type_copy(&r->arena, &read);
    return *type || ct__read_fail_memory(r);
}

/* ---- Tensors. */

/* "2x3x?x" before the element type, character by character: "0x2x" is no hexadecimal number. Blanks
 * may stand around every x. */
static bool read_extents(ct__reader *r, int *rank, int64_t *dim)
{
    ct__skip_blanks(r);
    for (*rank = 0;; ++*rank) {
        const char *at = r->cursor.at;
        int64_t extent = 0;
        if (ct__char(r) == '*')
            return ct__read_fail(
                r, at,
                "expected extents, found '*': tensors without a rank, tensor<*x…>, "
                "are not supported; extents may be \"?\"");
        if (ct__char(r) != '?' && !ct__is_digit(ct__char(r)))
            return true;
        if (*rank == CT__MAX_RANK)
            return ct__read_fail(r, at, "a rank above %d is not supported", CT__MAX_RANK);
        if (ct__char(r) == '?') {
            extent = CT__UNKNOWN;
            r->cursor.at++;
        }
        for (; ct__is_digit(ct__char(r)); r->cursor.at++)
            if (!ct__mul_i64(extent, 10, &extent) ||
                !ct__add_i64(extent, ct__char(r) - '0', &extent))
                return ct__read_fail(r, at, "the extent does not fit into 64 bits");
        if (ct__next_char(r) != 'x')
            return ct__read_expected(r, "'x' after an extent");
        r->cursor.at++;
        ct__skip_blanks(r);
        dim[*rank] = extent;
    }
}

static bool check_axis(ct__reader *r, const char *at, const ct_type *type)
{
    const ct__quantized *q = type->quantized;
    if (!q || q->axis < 0)
        return true;
    if (q->axis >= type->rank)
        return ct__read_fail(r, at, "quantized axis %d is not below the rank %d", q->axis,
                             type->rank);
    const int64_t extent = type->dim[q->axis];
    if (ct__extent_is_known(extent) && (uint64_t)extent != q->n_scales)
        return ct__read_fail(r, at, "%zu scales for the extent %" PRId64 " of axis %d", q->n_scales,
                             extent, q->axis);
    return true;
}

/* The size of a type with "?" stays 0: nobody may ask for it. */
static bool check_extents(ct__reader *r, const char *at, ct_type *type)
{
    for (int d = 0; d < type->rank; d++)
        if (!ct__extent_is_known(type->dim[d]))
            return true;
    if (ct__type_check(type->dtype, (size_t)type->rank, type->dim) != CT_OK)
        return ct__read_fail(r, at, "the tensor has too many elements");
    ct__count_elements((size_t)type->rank, type->dim, &type->size);
    return true;
}

/* "?" or the bound of axis d. */
static bool read_bound(ct__reader *r, int rank, int64_t *dim, int d)
{
    int64_t bound = 0;
    ct__skip_blanks(r);
    const char *at = r->cursor.at;
    if (d >= rank)
        return ct__read_fail(r, at, "expected %d bounds, one per axis, found more", rank);
    if (ct__take(r, "?"))
        return true;
    if (!ct__read_integer(r, &bound))
        return false;
    if (dim[d] != CT__UNKNOWN)
        return ct__read_fail(r, at, "axis %d has the extent %" PRId64 ", and no bound", d, dim[d]);
    if (bound < 0 || bound == INT64_MAX)
        return ct__read_fail(r, at, "%" PRId64 " is no bound of an extent", bound);
    dim[d] = CT__UNKNOWN + 1 + bound;
    return true;
}

/* ", #stablehlo.bounds<4, ?>", the only encoding of the dialect; *dim gets the bounds. */
static bool read_encoding(ct__reader *r, int rank, int64_t *dim)
{
    int d = 0;
    if (!ct__take(r, ","))
        return true;
    ct__skip_blanks(r);
    const char *at = r->cursor.at;
    if (!ct__take(r, "#stablehlo.bounds"))
        return ct__read_expected(r, "#stablehlo.bounds<…>, the only encoding that is supported");
    if (!ct__expect(r, "<"))
        return false;
    if (!ct__peek(r, ">"))
        do
            if (!read_bound(r, rank, dim, d++))
                return false;
        while (ct__take(r, ","));
    if (d != rank)
        return ct__read_fail(r, at, "expected %d bounds, one per axis, found %d", rank, d);
    return ct__expect(r, ">");
}

/* From after "tensor". */
static bool read_tensor(ct__reader *r, const char *at, const ct_type **type)
{
    int64_t dim[CT__MAX_RANK];
    ct_type read = {.kind = CT__TENSOR, .dim = dim};
    if (!ct__expect(r, "<") || !read_extents(r, &read.rank, dim) || !read_element(r, &read))
        return false;
    if (!read_encoding(r, read.rank, dim) || !ct__expect(r, ">") || !check_axis(r, at, &read) ||
        !check_extents(r, at, &read))
        return false;
    *type = ct__type_copy(&r->arena, &read);
    return *type || ct__read_fail_memory(r);
}

/* ---- All types. */

/* From after "tuple". */
static bool read_tuple(ct__reader *r, const ct_type **type)
{
    ct__type_list list = {0, NULL};
    if (!ct__expect(r, "<"))
        return false;
    if (!ct__peek(r, ">") && !ct__read_types(r, &list))
        return false;
    if (!ct__expect(r, ">"))
        return false;
    *type = ct__type_tuple(&r->arena, list.count, list.item);
    return *type || ct__read_fail_memory(r);
}

static bool read_special(ct__reader *r, const ct_type **type)
{
    ct__span name;
    ct__detour detour;
    if (!read_bang(r, &name))
        return false;
    if (ct__span_is(name, "!stablehlo.token")) {
        *type = ct__type_token(&r->arena);
        return *type || ct__read_fail_memory(r);
    }
    if (has_dot(name))
        return ct__read_fail(r, name.at, "type '%.*s' is not supported", ct__span_shown(name),
                             name.at);
    if (!ct__detour_begin(r, name, &detour))
        return false;
    bool fine = ct__read_type(r, type);
    ct__detour_end(r, &detour);
    return fine;
}

static bool read_any(ct__reader *r, const ct_type **type)
{
    ct__span word;
    if (ct__peek(r, "!"))
        return read_special(r, type);
    ct__skip_blanks(r);
    if (!ct__is_letter(ct__char(r)))
        return ct__read_expected(r, "a type");
    if (!ct__read_word(r, &word))
        return false;
    if (ct__span_is(word, "tensor"))
        return read_tensor(r, word.at, type);
    if (ct__span_is(word, "tuple"))
        return read_tuple(r, type);
    return ct__read_fail(r, word.at, "type '%.*s' is not supported", ct__span_shown(word), word.at);
}

bool ct__read_type(ct__reader *r, const ct_type **type)
{
    if (!ct__nest(r))
        return false;
    bool fine = read_any(r, type);
    ct__unnest(r);
    return fine;
}

/* ---- Lists and signatures. */

bool ct__read_types(ct__reader *r, ct__type_list *types)
{
    size_t capacity = 0;
    *types = (ct__type_list){0, NULL};
    do {
        if (!ct__more(r, &types->item, types->count, &capacity, sizeof *types->item) ||
            !ct__read_type(r, &types->item[types->count]))
            return false;
        types->count++;
    } while (ct__take(r, ","));
    return true;
}

/* "(T, U)" or "()" */
static bool read_enclosed(ct__reader *r, ct__type_list *types)
{
    *types = (ct__type_list){0, NULL};
    return ct__expect(r, "(") && (ct__peek(r, ")") || ct__read_types(r, types)) &&
           ct__expect(r, ")");
}

bool ct__read_result_types(ct__reader *r, ct__type_list *types)
{
    if (ct__peek(r, "("))
        return read_enclosed(r, types);
    *types = (ct__type_list){0, CT__NEW(&r->arena, const ct_type *)};
    if (!types->item)
        return ct__read_fail_memory(r);
    if (!ct__read_type(r, types->item))
        return false;
    types->count = 1;
    return true;
}

bool ct__read_signature(ct__reader *r, ct__type_list *operands, ct__type_list *results)
{
    return read_enclosed(r, operands) && ct__expect(r, "->") && ct__read_result_types(r, results);
}

/* ---- Comparing and showing. */

static bool extents_match(const ct_type *type, const ct_type *written)
{
    if (type->rank != written->rank)
        return false;
    for (int d = 0; d < type->rank; d++)
        if (!ct__extent_matches(type->dim[d], written->dim[d]))
            return false;
    return true;
}

/* A type like `type`, with the extents of the other. */
static ct_type with_extents(const ct_type *type, const ct_type *of)
{
    ct_type copy = *type;
    copy.rank = of->rank;
    copy.dim = of->dim;
    copy.size = of->size;
    return copy;
}

bool ct__type_matches(const ct_type *type, const ct_type *written)
{
    if (type->kind == CT__STACK && written->kind == CT__TOKEN)
        return true;
    if (type->kind != written->kind || type->n_elements != written->n_elements)
        return false;
    for (size_t i = 0; i < type->n_elements; i++)
        if (!ct__type_matches(type->element[i], written->element[i]))
            return false;
    if (type->kind != CT__TENSOR)
        return true;
    ct_type filled = with_extents(written, type);
    return extents_match(type, written) && ct__type_equal(type, &filled);
}

bool ct__type_is_known(const ct_type *type)
{
    for (size_t i = 0; i < type->n_elements; i++)
        if (!ct__type_is_known(type->element[i]))
            return false;
    for (int d = 0; d < type->rank; d++)
        if (!ct__extent_is_known(type->dim[d]))
            return false;
    return true;
}

const char *ct__written_type(ct__reader *r, const ct_type *type)
{
    ct__text out;
    ct__fault fault = {.status = CT_OK};
    ct__text_init(&out, &r->arena.allocator);
    ct__print_type(&(ct__printer){.out = &out, .fault = &fault}, type);
    const char *text = out.data && !out.failed ? ct__arena_text(&r->arena, out.data) : NULL;
    ct__text_free(&out);
    return text ? text : "?";
}
