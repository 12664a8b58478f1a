#include "interop/stablehlo/read_build.h"
#include "interop/stablehlo/loops.h"

#include <inttypes.h>

/* ---- Looking up. */

ct__op ct__op_of_spelling(ct__span spelling)
{
    for (int op = 0; op < CT__OP_COUNT; op++)
        if (ct__span_is(spelling, ct__op_describe((ct__op)op)->spelling))
            return (ct__op)op;
    return CT__OP_COUNT;
}

ct__builder *ct__builder_in(const ct__builder_row *rows, ct__span spelling)
{
    for (; rows->spelling; rows++)
        if (ct__span_is(spelling, rows->spelling))
            return rows->build;
    return NULL;
}

bool ct__fail_unsupported(ct__reader *r, const ct__statement *s)
{
    return ct__read_fail(r, s->at, "operation '%.*s' is not supported", ct__span_shown(s->spelling),
                         s->spelling.at);
}

/* ---- Operands. */

void ct__keep_operands(ct__statement *s, size_t first, size_t count)
{
    s->operand += first;
    s->operand_at += first;
    s->n_operands = count;
    if (s->has_types)
        s->operand_types = (ct__type_list){count, s->operand_types.item + first};
}

bool ct__add_operand(ct__reader *r, ct__statement *s, ct_tensor *x, const char *at)
{
    const size_t n = s->n_operands;
    ct_tensor **operand = CT__NEW_ARRAY(&r->arena, ct_tensor *, n + 1);
    const char **operand_at = CT__NEW_ARRAY(&r->arena, const char *, n + 1);
    if (!operand || !operand_at)
        return ct__read_fail_memory(r);
    for (size_t i = 0; i < n; i++) {
        operand[i] = s->operand[i];
        operand_at[i] = s->operand_at[i];
    }
    operand[n] = x;
    operand_at[n] = at;
    s->operand = operand;
    s->operand_at = operand_at;
    s->n_operands = n + 1;
    return true;
}

bool ct__check_operand_count(ct__reader *r, const ct__statement *s, size_t least, size_t most)
{
    if (s->n_operands >= least && s->n_operands <= most)
        return true;
    return ct__read_fail(r, s->at, "'%.*s' takes %zu operand%s, got %zu",
                         ct__span_shown(s->spelling), s->spelling.at, least, least == 1 ? "" : "s",
                         s->n_operands);
}

/* ---- Types: written against found. */

static bool check_operand_types(ct__reader *r, const ct__statement *s)
{
    if (!s->has_types)
        return true;
    if (s->operand_types.count != s->n_operands)
        return ct__read_fail(r, s->types_at, "'%.*s' has %zu operand%s, its type says %zu",
                             ct__span_shown(s->spelling), s->spelling.at, s->n_operands,
                             s->n_operands == 1 ? "" : "s", s->operand_types.count);
    for (size_t i = 0; i < s->n_operands; i++)
        if (!ct__type_matches(s->operand[i]->type, s->operand_types.item[i]))
            return ct__read_fail(r, s->operand_at[i],
                                 "operand %zu of '%.*s' is %s, its type says %s", i,
                                 ct__span_shown(s->spelling), s->spelling.at,
                                 ct__written_type(r, s->operand[i]->type),
                                 ct__written_type(r, s->operand_types.item[i]));
    return true;
}

bool ct__check_result_types(ct__reader *r, ct__statement *s)
{
    if (s->n_results != s->result_types.count)
        return ct__read_fail(r, s->types_at ? s->types_at : s->at,
                             "'%.*s' has %zu result%s, its type says %zu",
                             ct__span_shown(s->spelling), s->spelling.at, s->n_results,
                             s->n_results == 1 ? "" : "s", s->result_types.count);
    for (size_t i = 0; i < s->n_results; i++)
        if (!ct__type_matches(s->result[i]->type, s->result_types.item[i]))
            return ct__read_fail(r, s->types_at ? s->types_at : s->at,
                                 "result %zu of '%.*s' is %s, its type says %s", i,
                                 ct__span_shown(s->spelling), s->spelling.at,
                                 ct__written_type(r, s->result[i]->type),
                                 ct__written_type(r, s->result_types.item[i]));
    return true;
}

static bool make_results(ct__reader *r, ct__statement *s)
{
    s->n_results = s->result_types.count;
    s->result = CT__NEW_ARRAY(&r->arena, ct_tensor *, s->n_results);
    return s->result || ct__read_fail_memory(r);
}

bool ct__build_result(ct__reader *r, ct__statement *s, ct_tensor *y)
{
    if (y->kind == CT__POISON || ct_failed(r->ctx))
        return ct__read_fail_context(r, s->at);
    if (s->result_types.count != 1)
        return ct__read_fail(r, s->types_at ? s->types_at : s->at,
                             "'%.*s' has 1 result, its type says %zu", ct__span_shown(s->spelling),
                             s->spelling.at, s->result_types.count);
    if (!make_results(r, s))
        return false;
    s->result[0] = y;
    return ct__check_result_types(r, s);
}

/* Types that operands do not fix are taken from the text, where they must be known. */
static bool given_types(ct__reader *r, const ct__statement *s, ct__op op, size_t *n_given)
{
    *n_given = s->result_types.count;
    for (size_t i = 0; i < s->result_types.count; i++) {
        if (ct__type_is_known(s->result_types.item[i]))
            continue;
        if (ct__has(op, CT__TYPED) && r->is_checking)
            return ct__read_fail_value(r, s->at, "the type of the result");
        if (ct__has(op, CT__TYPED))
            return ct__read_fail(r, s->types_at ? s->types_at : s->at,
                                 "type %s of result %zu must be known",
                                 ct__written_type(r, s->result_types.item[i]), i);
        *n_given = 0;
    }
    return true;
}

/* ---- Regions. */

/* The graphs of the regions, unified once; the captures follow the operands. */
static bool unify(ct__reader *r, ct__statement *s, ct__graph ***graphs)
{
    *graphs = CT__NEW_ARRAY(&r->arena, ct__graph *, s->n_regions);
    if (!*graphs)
        return ct__read_fail_memory(r);
    if (s->n_regions > 0 && !s->is_unified &&
        !ct__region_unify(r->ctx, s->place, s->region, s->n_regions))
        return ct__read_fail_context(r, s->at);
    s->is_unified = true;
    for (size_t i = 0; i < s->n_regions; i++)
        (*graphs)[i] = s->region[i].graph;
    return true;
}

static ct_tensor **operands_and_captures(ct__reader *r, const ct__statement *s, size_t *count)
{
    const size_t n_captures = s->n_regions ? s->region[0].n_captures : 0;
    *count = s->n_operands + n_captures;
    ct_tensor **all = CT__NEW_ARRAY(&r->arena, ct_tensor *, *count);
    for (size_t i = 0; all && i < *count; i++)
        all[i] = i < s->n_operands ? s->operand[i] : s->region[0].capture[i - s->n_operands];
    return all;
}

/* ---- Applying. */

/* Attributes that say nothing to us: what they say is inferred. */
static void pass_over(ct__statement *s)
{
    static const char *const keys[] = {
        "operandSegmentSizes",  "operand_segment_sizes",      "resultSegmentSizes",
        "result_segment_sizes", "known_expanding_dimensions", "known_nonexpanding_dimensions"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        ct__dict_use(&s->attributes, keys[i]);
}

bool ct__build_with(ct__reader *r, ct__statement *s, ct__op op, const ct__attrs *attrs)
{
    ct__graph **graphs;
    size_t n_operands, n_given;
    pass_over(s);
    if (!unify(r, s, &graphs) || !given_types(r, s, op, &n_given) || !make_results(r, s))
        return false;
    ct_tensor **operand = operands_and_captures(r, s, &n_operands);
    if (!operand)
        return ct__read_fail_memory(r);
    const size_t n_errors = r->n_errors;
    const char *extra = ct__dict_rest(r, &s->attributes);
    if (!extra && r->n_errors > n_errors)
        return false;
    const ct__request request = {.ctx = r->ctx,
                                 .at = s->place,
                                 .op = op,
                                 .attrs = attrs,
                                 .n_operands = n_operands,
                                 .operand = operand,
                                 .n_regions = s->n_regions,
                                 .region = graphs,
                                 .n_given = n_given,
                                 .given = s->result_types.item,
                                 .extra = extra};
    if (!ct__apply(&request, s->result, s->n_results))
        return ct__read_fail_context(r, s->at);
    return ct__check_result_types(r, s);
}

/* Whether both bodies take what the loop carries, and the second gives it again. */
static bool is_loop(const ct__statement *s)
{
    if (s->n_regions != 2 || !s->region[0].graph || !s->region[1].graph ||
        s->result_types.count != s->n_operands || s->region[1].graph->n_results != s->n_operands)
        return false;
    for (size_t i = 0; i < 2; i++)
        if (s->region[i].graph->n_params != s->n_operands + s->region[i].n_captures)
            return false;
    for (size_t i = 0; i < s->n_operands; i++)
        if (!ct__type_equal(s->operand[i]->type, ct__param_type(s->region[0].graph, i)) ||
            !ct__type_equal(s->operand[i]->type, ct__param_type(s->region[1].graph, i)) ||
            !ct__type_equal(s->operand[i]->type, ct__result_type(s->region[1].graph, i)))
            return false;
    return true;
}

bool ct__build_counted(ct__reader *r, ct__statement *s, bool *done)
{
    ct__graph **graphs;
    ct__while loop = {.at = s->place, .n_carry = s->n_operands};
    *done = false;
    if (!is_loop(s))
        return true;
    if (!unify(r, s, &graphs) || !make_results(r, s))
        return false;
    loop.cond = graphs[0];
    loop.body = graphs[1];
    loop.operand = operands_and_captures(r, s, &loop.n_operands);
    if (!loop.operand)
        return ct__read_fail_memory(r);
    const size_t n_errors = r->n_errors;
    loop.extra = ct__dict_rest(r, &s->attributes);
    if (!loop.extra && r->n_errors > n_errors)
        return false;
    if (!ct__raise_loop(r->ctx, &loop, s->result, done))
        return ct__read_fail_context(r, s->at);
    return !*done || ct__check_result_types(r, s);
}

bool ct__build_op(ct__reader *r, ct__statement *s, ct__op op)
{
    ct__attrs attrs;
    memset(&attrs, 0, sizeof attrs);
    return ct__fill_attrs(r, s, op, &attrs) && ct__build_with(r, s, op, &attrs);
}

bool ct__build_as(ct__reader *r, ct__statement *s, const char *spelling)
{
    const ct__op op = ct__op_of_spelling((ct__span){spelling, strlen(spelling)});
    return op == CT__OP_COUNT ? ct__fail_unsupported(r, s) : ct__build_op(r, s, op);
}

/* ---- Constants. */

ct_tensor *ct__build_literal(ct__reader *r, ct_place at, ct__literal *literal)
{
    const ct__attrs attrs = {.constant = {.value = literal}};
    return ct__apply1(
        &(ct__request){.ctx = r->ctx, .at = at, .op = CT__OP_constant, .attrs = &attrs});
}

ct_tensor *ct__build_integer(ct__reader *r, ct_place at, const ct_type *scalar, int64_t value)
{
    ct__storage *storage = ct__storage_new(&r->ctx->allocator, ct__data_bytes(scalar));
    if (storage)
        ct__store_signed(scalar->dtype, storage->data, value);
    ct__literal *literal = storage ? ct__literal_new(storage, scalar, 0, NULL) : NULL;
    if (!literal) {
        ct__error_memory(r->ctx, at, "constant");
        return ct__poison(r->ctx);
    }
    ct_tensor *x = ct__build_literal(r, at, literal);
    ct__literal_release(literal);
    return x;
}

/* Data of storage integers may be given a quantized type. */
static bool as_type(ct__reader *r, const ct_type *type, ct__literal **literal)
{
    const ct_type *have = (*literal)->type;
    ct_type plain = *type;
    plain.quantized = NULL;
    if (!type->quantized || have->quantized || !ct__type_is_known(type) ||
        !ct__type_equal(have, &plain))
        return true;
    *literal = ct__literal_new(ct__storage_retain((*literal)->storage), type, (*literal)->offset,
                               (*literal)->stride);
    return ct__own_literal(r, *literal);
}

static bool build_constant(ct__reader *r, ct__statement *s)
{
    const ct__attribute *value = ct__dict_use(&s->attributes, "value");
    if (!value)
        return ct__fail_missing(r, s, "value");
    if (value->source.length > 6 && memcmp(value->source.at, "sparse", 6) == 0)
        return ct__read_fail(r, value->source.at, "sparse constants are not supported");
    if (value->kind != CT__ATTRIBUTE_DENSE)
        return ct__read_fail(r, s->at, "attribute 'value' is no constant, \"dense<…>\"");
    ct__literal *literal = value->literal;
    if (s->result_types.count == 1 && !as_type(r, s->result_types.item[0], &literal))
        return false;
    const ct__attrs attrs = {.constant = {.value = literal}};
    return ct__build_with(r, s, CT__OP_constant, &attrs);
}

static const ct__builder_row constants[] = {
    {"stablehlo.constant", build_constant}, {"chlo.constant", build_constant}, {NULL, NULL}};

/* ---- All statements. */

static ct__builder *builder_of(ct__span spelling)
{
    ct__builder *build = ct__builder_in(constants, spelling);
    build = build ? build : ct__custom_builder(spelling);
    build = build ? build : ct__dynamic_builder(spelling);
    build = build ? build : ct__scan_builder(spelling);
    return build ? build : ct__old_builder(spelling);
}

static bool fail_unknown(ct__reader *r, const ct__statement *s)
{
    if (ct__is_dialect(s->spelling, "stablehlo.") || ct__is_dialect(s->spelling, "chlo."))
        return ct__fail_unsupported(r, s);
    return ct__read_fail(r, s->at, "operation '%.*s' is not known", ct__span_shown(s->spelling),
                         s->spelling.at);
}

bool ct__build(ct__reader *r, ct__statement *s)
{
    if (!check_operand_types(r, s))
        return false;
    ct__builder *build = builder_of(s->spelling);
    if (build)
        return build(r, s);
    const ct__op op = ct__op_of_spelling(s->spelling);
    if (op != CT__OP_COUNT)
        return ct__build_op(r, s, op);
    build = ct__chlo_builder(s->spelling);
    return build ? build(r, s) : fail_unknown(r, s);
}

/* ---- Open statements: read_open.c */

static bool has_bodies(const ct__statement *s)
{
    for (size_t i = 0; i < s->n_regions; i++)
        if (!s->region[i].graph)
            return false;
    return true;
}

static bool check_row(ct__reader *r, ct__statement *s, ct__op op)
{
    ct__attrs attrs;
    ct__graph **graphs;
    size_t n_operands;
    memset(&attrs, 0, sizeof attrs);
    if (!ct__fill_attrs(r, s, op, &attrs))
        return false;
    if (!has_bodies(s))
        return true;
    if (!unify(r, s, &graphs))
        return false;
    ct_tensor **operand = operands_and_captures(r, s, &n_operands);
    if (!operand)
        return ct__read_fail_memory(r);
    return ct__infer_open(r, s, op, &attrs, n_operands, operand, graphs);
}

bool ct__build_open(ct__reader *r, ct__statement *s)
{
    if (!check_operand_types(r, s))
        return false;
    if (ct__span_is(s->spelling, "stablehlo.composite"))
        return ct__check_composite(r, s);
    const ct__op op = ct__op_of_spelling(s->spelling);
    ct__builder *check = ct__dynamic_check(s->spelling);
    if (check)
        return check(r, s);
    if (builder_of(s->spelling)) /* not one that is made from the statement as it is */
        return true;
    if (op != CT__OP_COUNT)
        return check_row(r, s, op);
    return ct__chlo_builder(s->spelling) || fail_unknown(r, s);
}
