/* Custom calls by which JAX says what StableHLO has no operation for: mostly operations whose sizes
 * are operands. When these are known, they are operations of the table. */
#include "interop/stablehlo/read_build.h"

#include <inttypes.h>

/* ---- What they have in common. */

/* Leave `count` operands, and no attribute that only custom calls have. */
static void leave_custom(ct__statement *s, size_t count)
{
    static const char *const keys[] = {
        "call_target_name", "called_computations", "api_version",
        "backend_config",   "has_side_effect",     "operand_layouts",
        "result_layouts",   "mhlo.backend_config", "indices_of_shape_operands"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        ct__dict_use(&s->attributes, keys[i]);
    ct__keep_operands(s, 0, count);
}

/* The only function of called_computations becomes the region. */
static bool call_computation(ct__reader *r, ct__statement *s)
{
    const ct__entry *entry = ct__dict_find(&s->attributes, "called_computations");
    const ct__attribute *list = entry ? &entry->value : NULL;
    if (!list || list->kind != CT__ATTRIBUTE_LIST || list->n_list != 1 ||
        list->list[0].kind != CT__ATTRIBUTE_SYMBOL)
        return ct__fail_kind(r, s, "called_computations", "a list of one function");
    return ct__call_region(r, s, list->list[0].text);
}

/* One integer, operand i. */
static bool fold_integer(ct__reader *r, ct__statement *s, size_t i, const char *what,
                         int64_t *number)
{
    ct__ints value = {0, NULL};
    if (!ct__fold_operand(r, s, i, what, &value))
        return false;
    if (value.count != 1)
        return ct__read_fail(r, s->operand_at[i], "%s must be one integer", what);
    *number = value.item[0];
    return true;
}

/* ---- @shape_assertion(ok, values…): gone when it holds, an error when it does not; what runs
 * decide stays a custom call. */

/* error_message with the values that are known. */
static bool fail_assertion(ct__reader *r, ct__statement *s)
{
    const ct__entry *message = ct__dict_find(&s->attributes, "error_message");
    char text[2048];
    const int64_t **value = CT__NEW_ARRAY(&r->arena, const int64_t *, s->n_operands);
    if (!value)
        return ct__read_fail_memory(r);
    if (!message || message->value.kind != CT__ATTRIBUTE_STRING)
        return ct__read_fail(r, s->at, "an assertion about shapes does not hold");
    for (size_t i = 1; i < s->n_operands; i++) {
        ct__ints number = {0, NULL};
        const ct__literal *literal = ct__fold_value(r, s->operand[i]);
        const ct__attribute dense = {.kind = CT__ATTRIBUTE_DENSE,
                                     .literal = (ct__literal *)literal};
        if (literal && literal->type->kind == CT__TENSOR &&
            ct__attribute_ints(r, &dense, &number) && number.count == 1)
            value[i - 1] = number.item;
    }
    ct__assertion_text(text, sizeof text, message->value.text, s->n_operands - 1, value);
    return ct__read_fail(r, s->at, "%s", text);
}

static bool build_assertion(ct__reader *r, ct__statement *s)
{
    const ct_type *type = s->n_operands > 0 ? s->operand[0]->type : NULL;
    if (!type || type->kind != CT__TENSOR || type->dtype != CT_BOOL || type->rank != 0)
        return ct__read_fail(r, s->at,
                             "the first operand of @" CT__SHAPE_ASSERTION " is a tensor<i1>");
    const ct__literal *ok = s->result_types.count == 0 ? ct__fold_value(r, s->operand[0]) : NULL;
    if (ct_failed(r->ctx))
        return ct__read_fail_context(r, s->at);
    if (!ok)
        return ct__build_as(r, s, "stablehlo.custom_call");
    unsigned char holds = 0;
    ct__literal_copy_out(ok, &holds);
    return holds || r->is_checking || fail_assertion(r, s); /* the program's, not the text's */
}

/* ---- @stablehlo.dynamic_reduce_window(x…, start…, window, strides, base_dilations,
 * window_dilations, padding) */

static bool build_reduce_window(ct__reader *r, ct__statement *s)
{
    static const char *const keys[] = {"window_dimensions", "window_strides", "base_dilations",
                                       "window_dilations", "padding"};
    const size_t n_keys = sizeof keys / sizeof *keys;
    if (s->n_operands < n_keys + 2 || (s->n_operands - n_keys) % 2 != 0)
        return ct__read_fail(r, s->at,
                             "expected tensors, as many starts, and %zu lists of integers", n_keys);
    const size_t n = s->n_operands - n_keys;
    for (size_t i = 0; i < n_keys; i++) {
        ct__ints value = {0, NULL};
        if (!ct__fold_operand(r, s, n + i, keys[i], &value) ||
            !ct__dict_set_ints(r, &s->attributes, keys[i], value))
            return false;
    }
    if (!call_computation(r, s))
        return false;
    leave_custom(s, n);
    return ct__build_as(r, s, "stablehlo.reduce_window");
}

/* ---- @stablehlo.dynamic_top_k(x, k) */

static bool build_top_k(ct__reader *r, ct__statement *s)
{
    int64_t k = 0;
    if (!ct__check_operand_count(r, s, 2, 2) || !fold_integer(r, s, 1, "k", &k) ||
        !ct__dict_set_integer(r, &s->attributes, "k", k))
        return false;
    leave_custom(s, 1);
    return ct__build_as(r, s, "chlo.top_k");
}

/* ---- @stablehlo.dynamic_rng_bit_generator(state, shape) {rng_algorithm} */

static bool build_bits(ct__reader *r, ct__statement *s)
{
    ct__ints shape = {0, NULL};
    if (!ct__check_operand_count(r, s, 2, 2))
        return false;
    if (s->result_types.count != 2)
        return ct__read_fail(r, s->types_at ? s->types_at : s->at, "there are 2 results, not %zu",
                             s->result_types.count);
    if (!ct__fold_operand(r, s, 1, "the shape", &shape) || !ct__refine_result(r, s, 1, shape))
        return false;
    leave_custom(s, 1);
    return ct__build_as(r, s, "stablehlo.rng_bit_generator");
}

/* ---- Any custom call whose last operands are the shapes of its results, which
 * indices_of_shape_operands says. */

static bool build_shaped(ct__reader *r, ct__statement *s)
{
    ct__ints index = {0, NULL}, shape = {0, NULL};
    if (!ct__use_ints(r, s, "indices_of_shape_operands", false, &index))
        return false;
    const size_t n = s->result_types.count;
    if (index.count == 0)
        return ct__build_as(r, s, "stablehlo.custom_call");
    if (index.count != n || n > s->n_operands)
        return ct__fail_kind(r, s, "indices_of_shape_operands", "an operand for each result");
    const size_t first = s->n_operands - n;
    for (size_t i = 0; i < n; i++)
        if (index.item[i] != (int64_t)(first + i))
            return ct__fail_kind(r, s, "indices_of_shape_operands", "the list of the last ones");
        else if (!ct__fold_operand(r, s, first + i, "the shape", &shape) ||
                 !ct__refine_result(r, s, i, shape))
            return false;
    ct__keep_operands(s, 0, first);
    return ct__build_as(r, s, "stablehlo.custom_call");
}

/* ---- @ApproxTopK(x…, start…), @stablehlo.dynamic_approx_top_k(x…, start…, k, shapes…): the first
 * k along an axis in the order of a comparator. That is exact, which is the best approximation. */

static const ct__attribute *config(const ct__statement *s, const char *key)
{
    const ct__entry *whole = ct__dict_find(&s->attributes, "mhlo.backend_config");
    const ct__entry *entry = whole && whole->value.kind == CT__ATTRIBUTE_DICT
                                 ? ct__dict_find(&whole->value.dict, key)
                                 : NULL;
    return entry && (entry->value.kind == CT__ATTRIBUTE_INTEGER ||
                     entry->value.kind == CT__ATTRIBUTE_BOOL)
               ? &entry->value
               : NULL;
}

/* x… sorted along the axis. */
static bool sort(ct__reader *r, const ct__statement *s, size_t n, int64_t axis,
                 ct__statement *sorted)
{
    *sorted = *s;
    sorted->attributes = (ct__dict){0};
    ct__keep_operands(sorted, 0, n);
    const ct_type **type = CT__NEW_ARRAY(&r->arena, const ct_type *, n);
    for (size_t i = 0; type && i < n; i++)
        type[i] = sorted->operand[i]->type;
    sorted->result_types = (ct__type_list){n, type};
    return (type || ct__read_fail_memory(r)) &&
           ct__dict_set_integer(r, &sorted->attributes, "dimension", axis) &&
           ct__build_as(r, sorted, "stablehlo.sort");
}

/* The first k of the sorted ones. */
static bool take_first(ct__reader *r, ct__statement *s, const ct__statement *sorted, int64_t axis,
                       int64_t k)
{
    int64_t start[CT__MAX_RANK] = {0}, stride[CT__MAX_RANK], limit[CT__MAX_RANK];
    s->n_results = sorted->n_results;
    s->result = sorted->result;
    for (size_t i = 0; i < s->n_results; i++) {
        const ct_type *x = s->result[i]->type;
        const size_t rank = (size_t)x->rank;
        for (size_t d = 0; d < rank; d++) {
            stride[d] = 1;
            limit[d] = (int64_t)d == axis ? k : x->dim[d];
        }
        s->result[i] = ct_op_slice_at(s->place, s->result[i], (ct_dims){rank, start},
                                      (ct_dims){rank, limit}, (ct_dims){rank, stride});
    }
    return ct_failed(r->ctx) ? ct__read_fail_context(r, s->at) : ct__check_result_types(r, s);
}

static bool build_sorted(ct__reader *r, ct__statement *s, size_t n, int64_t k)
{
    const ct__attribute *axis = config(s, "reduction_dim");
    ct__statement sorted;
    if (!axis)
        return ct__fail_kind(r, s, "mhlo.backend_config", "a dictionary with reduction_dim");
    if (!call_computation(r, s))
        return false;
    return sort(r, s, n, axis->integer, &sorted) && take_first(r, s, &sorted, axis->integer, k);
}

/* Whether the result has k along the axis: parts that are put together later may have more. */
static bool is_whole(const ct__statement *s)
{
    const ct__attribute *whole = config(s, "aggregate_to_topk");
    return whole && whole->integer;
}

static bool build_approximate(ct__reader *r, ct__statement *s)
{
    const ct__attribute *k = config(s, "top_k");
    const size_t n = s->result_types.count;
    if (!is_whole(s) || !k || n == 0 || s->n_operands < 2 * n)
        return build_shaped(r, s);
    return build_sorted(r, s, n, k->integer);
}

static bool build_dynamic_approximate(ct__reader *r, ct__statement *s)
{
    const size_t n = s->result_types.count;
    int64_t k = 0;
    if (!is_whole(s) || n == 0 || s->n_operands < 2 * n + 1)
        return ct__read_fail(r, s->at, "only the aggregated first k of each axis are supported");
    return fold_integer(r, s, 2 * n, "k", &k) && build_sorted(r, s, n, k);
}

/* ---- All of them. */

static const ct__builder_row rows[] = {
    {CT__SHAPE_ASSERTION, build_assertion},
    {"stablehlo.dynamic_reduce_window", build_reduce_window},
    {"stablehlo.dynamic_top_k", build_top_k},
    {"stablehlo.dynamic_rng_bit_generator", build_bits},
    {"ApproxTopK", build_approximate},
    {"stablehlo.dynamic_approx_top_k", build_dynamic_approximate},
    {NULL, NULL}};

ct__builder *ct__jax_builder(const ct__statement *s)
{
    const ct__entry *target = ct__dict_find(&s->attributes, "call_target_name");
    if (!target || !target->value.text)
        return NULL;
    ct__builder *build = ct__builder_in(rows,
                                        (ct__span){target->value.text, target->value.text_length});
    const bool has_shapes = ct__dict_find(&s->attributes, "indices_of_shape_operands") != NULL;
    return build || !has_shapes ? build : build_shaped;
}
