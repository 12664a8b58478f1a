#include "interop/stablehlo/read_forms.h"
#include "interop/stablehlo/read_module.h"

#include <stdlib.h>

/* ---- "dense<…> : T", or "() <{value = dense<…> : T}> : () -> U" where U is not T. */

static bool read_constant_value(ct__reader *r, ct__statement *s)
{
    ct__attribute value;
    ct__skip_blanks(r);
    const char *at = r->cursor.at;
    if (!ct__form_dict(r, s) || !ct__read_attribute(r, &value))
        return false;
    if (value.kind != CT__ATTRIBUTE_DENSE && ct__starts_with(at, r->cursor.end, "sparse"))
        return ct__read_fail(r, at, "sparse constants are not supported");
    if (value.kind != CT__ATTRIBUTE_DENSE)
        return ct__read_fail(r, at, "expected a constant, \"dense<…>\"");
    s->types_at = at;
    s->result_types = (ct__type_list){1, CT__NEW(&r->arena, const ct_type *)};
    if (!s->result_types.item)
        return ct__read_fail_memory(r);
    s->result_types.item[0] = value.type;
    return ct__dict_set(r, &s->attributes, "value", &value);
}

bool ct__form_constant(ct__reader *r, ct__statement *s)
{
    if (!ct__take(r, "("))
        return read_constant_value(r, s);
    if (!ct__expect(r, ")"))
        return false;
    if (ct__peek(r, "<{") && !ct__read_dict(r, "<{", "}>", &s->attributes))
        return false;
    if (!ct__form_dict(r, s) || !ct__expect(r, ":"))
        return false;
    ct__skip_blanks(r);
    s->types_at = r->cursor.at;
    return ct__form_signature(r, s);
}

/* ---- "e5m10" */

static bool read_width(const char **c, char letter, int64_t *bits)
{
    if (**c != letter || !ct__is_digit((*c)[1]))
        return false;
    char *end;
    *bits = strtol(*c + 1, &end, 10);
    *c = end;
    return *bits < 1000;
}

bool ct__form_format(ct__reader *r, ct__statement *s)
{
    ct__span word;
    int64_t exponent, mantissa;
    if (!ct__is_letter(ct__next_char(r)) || !ct__read_word(r, &word))
        return ct__read_expected(r, "a format, \"e5m10\"");
    const char *text = ct__arena_span(r, word), *c = text;
    if (!text)
        return ct__read_fail_memory(r);
    if (!read_width(&c, 'e', &exponent) || !read_width(&c, 'm', &mantissa) || *c != '\0')
        return ct__read_fail(r, word.at, "expected a format, \"e5m10\"");
    return ct__dict_set_integer(r, &s->attributes, "exponent_bits", exponent) &&
           ct__dict_set_integer(r, &s->attributes, "mantissa_bits", mantissa);
}

/* ---- "[1:9:2, 0:3]" */

static bool read_range(ct__reader *r, int64_t range[3])
{
    range[2] = 1;
    return ct__read_integer(r, &range[0]) && ct__expect(r, ":") && ct__read_integer(r, &range[1]) &&
           (!ct__take(r, ":") || ct__read_integer(r, &range[2]));
}

bool ct__form_ranges(ct__reader *r, ct__statement *s)
{
    static const char *const key[] = {"start_indices", "limit_indices", "strides"};
    int64_t list[3][CT__MAX_RANK], range[3];
    size_t count = 0;
    if (!ct__expect(r, "["))
        return false;
    if (!ct__peek(r, "]"))
        do {
            if (count == CT__MAX_RANK)
                return ct__read_fail(r, r->cursor.at, "a rank above %d is not supported",
                                     CT__MAX_RANK);
            if (!read_range(r, range))
                return false;
            for (int i = 0; i < 3; i++)
                list[i][count] = range[i];
            count++;
        } while (ct__take(r, ","));
    for (int i = 0; i < 3; i++) {
        const int64_t *item = ct__arena_copy(&r->arena, list[i], count * sizeof *item);
        if (!item)
            return ct__read_fail_memory(r);
        if (!ct__dict_set_ints(r, &s->attributes, key[i], (ct__ints){count, item}))
            return false;
    }
    return ct__expect(r, "]");
}

/* ---- "{stride = [2], pad = [[1, 2]], lhs_dilate = [1], rhs_dilate = [1], reverse = [true]}" */

static const struct {
    const char *word, *key;
} window_keys[] = {{"stride", "window_strides"},
                   {"pad", "padding"},
                   {"lhs_dilate", "lhs_dilation"},
                   {"rhs_dilate", "rhs_dilation"},
                   {"reverse", "window_reversal"}};

static bool set_window(ct__reader *r, ct__statement *s, const ct__entry *entry, const char *at)
{
    for (size_t i = 0; i < sizeof window_keys / sizeof *window_keys; i++)
        if (strcmp(entry->key, window_keys[i].word) == 0)
            return ct__dict_add(r, &s->attributes, at, window_keys[i].key, &entry->value);
    return ct__read_fail(r, at,
                         "a window has stride, pad, lhs_dilate, rhs_dilate and reverse, "
                         "not '%s'",
                         entry->key);
}

bool ct__form_window(ct__reader *r, ct__statement *s)
{
    ct__dict window = {0};
    ct__skip_blanks(r);
    const char *at = r->cursor.at;
    if (!ct__read_dict(r, "{", "}", &window))
        return false;
    for (size_t i = 0; i < window.count; i++)
        if (!set_window(r, s, &window.entry[i], at))
            return false;
    return true;
}

/* ---- "%a, %b : T, U", "()" */

bool ct__form_barrier(ct__reader *r, ct__statement *s)
{
    if (ct__take(r, "("))
        return ct__expect(r, ")") && ct__form_dict(r, s);
    if (!ct__form_operands(r, s) || !ct__form_dict(r, s) || !ct__expect(r, ":"))
        return false;
    ct__skip_blanks(r);
    s->types_at = r->cursor.at;
    return ct__form_each(r, s);
}

/* ---- Block arguments. */

/* "%name: T", with a place behind it or not */
static bool read_parameter(ct__reader *r, ct__span *name, const ct_type **type)
{
    ct_place ignored;
    return ct__read_name(r, name) && ct__expect(r, ":") && ct__read_type(r, type) &&
           ct__read_location(r, &ignored, NULL, NULL);
}

/* ---- reduce(%x init: %i), (%y init: %j) … */

/* Operands as read are x, i, y, j; they become x, y, i, j. */
static bool part_pairs(ct__reader *r, ct__statement *s)
{
    const size_t n = s->n_operands / 2;
    ct_tensor **operand = CT__NEW_ARRAY(&r->arena, ct_tensor *, s->n_operands);
    const char **at = CT__NEW_ARRAY(&r->arena, const char *, s->n_operands);
    if (!operand || !at)
        return ct__read_fail_memory(r);
    for (size_t i = 0; i < s->n_operands; i++) {
        operand[i % 2 * n + i / 2] = s->operand[i];
        at[i % 2 * n + i / 2] = s->operand_at[i];
    }
    memcpy(s->operand, operand, s->n_operands * sizeof *operand);
    memcpy(s->operand_at, at, s->n_operands * sizeof *at);
    return true;
}

static bool read_pairs(ct__reader *r, ct__statement *s)
{
    do {
        if (!ct__expect(r, "(") || !ct__read_operand(r, s) || !ct__expect(r, "init") ||
            !ct__expect(r, ":") || !ct__read_operand(r, s) || !ct__expect(r, ")"))
            return false;
    } while (ct__take(r, ","));
    return part_pairs(r, s);
}

/* "(%a: T, %c: T) (%b: U, %d: U) { … }": first names first, then second ones. */
static bool read_reducer(ct__reader *r, ct__statement *s)
{
    const size_t n = s->n_operands / 2;
    ct__span *name = CT__NEW_ARRAY(&r->arena, ct__span, 2 * n);
    const ct_type **type = CT__NEW_ARRAY(&r->arena, const ct_type *, 2 * n);
    if (!name || !type)
        return ct__read_fail_memory(r);
    for (size_t i = 0; i < n; i++)
        if (!ct__expect(r, "(") || !read_parameter(r, &name[i], &type[i]) || !ct__expect(r, ",") ||
            !read_parameter(r, &name[n + i], &type[n + i]) || !ct__expect(r, ")"))
            return false;
    return ct__read_region(r, s, 2 * n, name, type);
}

bool ct__form_reduce(ct__reader *r, ct__statement *s)
{
    ct__span applied = {NULL, 0};
    if (!read_pairs(r, s))
        return false;
    if (ct__take(r, "applies") && !ct__read_word(r, &applied))
        return false;
    if (!ct__expect(r, "across") || !ct__expect(r, "dimensions") || !ct__expect(r, "=") ||
        !ct__form_ints(r, s, "dimensions") || !ct__form_dict(r, s) || !ct__expect(r, ":"))
        return false;
    ct__skip_blanks(r);
    s->types_at = r->cursor.at;
    if (!ct__form_signature(r, s))
        return false;
    if (applied.at) /* the operation has the place of the reduction, which may follow */
        return ct__read_location(r, &s->place, &s->also, NULL) && ct__read_applied(r, s, applied);
    return ct__expect(r, "reducer") && read_reducer(r, s);
}

/* ---- "applies stablehlo.add": (%a, %b) -> add(%a, %b), scalars of operand 0's kind. */

static bool apply_scalars(ct__reader *r, ct__statement *s, ct__op op, const ct_type *scalar,
                          ct_tensor **y)
{
    ct_tensor *x[] = {ct__trace_param(r->ctx, s->place, scalar),
                      ct__trace_param(r->ctx, s->place, scalar)};
    const ct__request request = {.ctx = r->ctx,
                                 .at = s->place,
                                 .op = op,
                                 .n_operands = 2,
                                 .operand = x,
                                 .n_given = 1,
                                 .given = &scalar};
    return ct__apply(&request, y, 1);
}

static bool add_region(ct__reader *r, ct__statement *s, const ct__region *region)
{
    ct__region *list = CT__NEW_ARRAY(&r->arena, ct__region, s->n_regions + 1);
    if (!list)
        return ct__read_fail_memory(r);
    if (s->n_regions > 0)
        memcpy(list, s->region, s->n_regions * sizeof *list);
    list[s->n_regions++] = *region;
    s->region = list;
    return true;
}

bool ct__read_applied(ct__reader *r, ct__statement *s, ct__span spelling)
{
    const ct__op op = ct__op_of_spelling(spelling);
    ct__region region;
    ct_tensor *y;
    const bool is_known = op != CT__OP_COUNT && strncmp(spelling.at, "stablehlo.", 10) == 0;
    if (!is_known || !ct__has(op, CT__ELEMENTWISE | CT__COMMUTATIVE) || s->n_operands != 2)
        return ct__read_fail(r, s->at, "'%.*s' can not be applied by a reduction",
                             ct__span_shown(spelling), spelling.at);
    const ct_type *x = s->operand[0]->type; /* NULL: poison, which has been reported */
    if (!x)
        return false;
    const ct_type scalar = {
        .kind = x->kind, .dtype = x->dtype, .quantized = x->quantized, .size = 1};
    if (!ct__trace_push(r->ctx, s->place, "reducer", true))
        return ct__read_fail_context(r, s->at);
    if (!apply_scalars(r, s, op, &scalar, &y)) {
        ct__trace_abandon(r->ctx);
        return ct__read_fail_context(r, s->at);
    }
    if (!ct__region_detach(r->ctx, s->place, 1, &y, &region))
        return ct__read_fail_context(r, s->at);
    if (add_region(r, s, &region))
        return true;
    ct__region_free(r->ctx, &region);
    return false;
}

/* ---- while(%it = %init, …) : T, … attributes {…} cond { … } do { … } */

typedef struct names {
    size_t count, capacity;
    ct__span *item;
} names;

static bool read_inits(ct__reader *r, ct__statement *s, names *n)
{
    if (!ct__expect(r, "("))
        return false;
    if (ct__take(r, ")"))
        return true;
    do {
        if (!ct__more(r, &n->item, n->count, &n->capacity, sizeof *n->item) ||
            !ct__read_name(r, &n->item[n->count]))
            return false;
        n->count++;
        if (!ct__expect(r, "=") || !ct__read_operand(r, s))
            return false;
    } while (ct__take(r, ","));
    return ct__expect(r, ")");
}

/* "attributes {…}" */
static bool read_attributes(ct__reader *r, ct__statement *s)
{
    return !ct__take(r, "attributes") || ct__read_dict(r, "{", "}", &s->attributes);
}

bool ct__form_while(ct__reader *r, ct__statement *s)
{
    names n = {0, 0, NULL};
    if (!read_inits(r, s, &n))
        return false;
    s->types_at = r->cursor.at;
    if (ct__take(r, ":") && !ct__form_each(r, s))
        return false;
    if (s->result_types.count != n.count)
        return ct__read_fail(r, s->types_at, "%zu type%s for %zu value%s", s->result_types.count,
                             s->result_types.count == 1 ? "" : "s", n.count,
                             n.count == 1 ? "" : "s");
    const ct_type *const *type = s->result_types.item;
    return read_attributes(r, s) && ct__expect(r, "cond") &&
           ct__read_region(r, s, n.count, n.item, type) && ct__expect(r, "do") &&
           ct__read_region(r, s, n.count, n.item, type);
}

/* ---- chlo.scan(%x, …) inits (%i, …) dimension = N attributes {…} { … } : sig */

bool ct__form_scan(ct__reader *r, ct__statement *s)
{
    int64_t dimension, *segment = CT__NEW_ARRAY(&r->arena, int64_t, 2);
    if (!segment)
        return ct__read_fail_memory(r);
    if (!ct__expect(r, "(") || !ct__form_operands(r, s) || !ct__expect(r, ")"))
        return false;
    segment[0] = (int64_t)s->n_operands;
    if (!ct__expect(r, "inits") || !ct__expect(r, "(") || !ct__form_operands(r, s) ||
        !ct__expect(r, ")") || !ct__expect(r, "dimension") || !ct__expect(r, "=") ||
        !ct__read_integer(r, &dimension) || !read_attributes(r, s))
        return false;
    segment[1] = (int64_t)s->n_operands - segment[0];
    if (!ct__dict_set_integer(r, &s->attributes, "dimension", dimension) ||
        !ct__dict_set_ints(r, &s->attributes, "operandSegmentSizes", (ct__ints){2, segment}) ||
        !ct__read_region(r, s, 0, NULL, NULL) || !ct__expect(r, ":"))
        return false;
    ct__skip_blanks(r);
    s->types_at = r->cursor.at;
    return ct__form_signature(r, s);
}
