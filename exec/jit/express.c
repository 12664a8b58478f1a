#include "exec/jit/express.h"
#include "exec/jit/texts.h"
#include "exec/kernel/arrays.h"

#include <cotangent/op.h>

#include <stdio.h>
#include <string.h>

/* ---- Expressions by operation. $a, $b, $c are the operands, $t the name of the dtype. */

typedef struct spelling {
    ct__op op;
    const char *text;
} spelling;

/* Of f32 and f64, and of f16 and bf16 as f32. */
static const spelling of_floats[] = {{CT__OP_abs, "abs_$t($a)"},
                                     {CT__OP_negate, "(-$a)"},
                                     {CT__OP_sign, "sign_of_$t($a)"},
                                     {CT__OP_sqrt, "sqrt_$t($a)"},
                                     {CT__OP_rsqrt, "(1 / sqrt_$t($a))"},
                                     {CT__OP_floor, "floor_$t($a)"},
                                     {CT__OP_ceil, "ceil_$t($a)"},
                                     {CT__OP_round_nearest_even, "rint_$t($a)"},
                                     {CT__OP_round_nearest_afz, "round_$t($a)"},
                                     {CT__OP_add, "($a + $b)"},
                                     {CT__OP_subtract, "($a - $b)"},
                                     {CT__OP_multiply, "($a * $b)"},
                                     {CT__OP_divide, "($a / $b)"},
                                     {CT__OP_maximum, "larger_$t($a, $b)"},
                                     {CT__OP_minimum, "smaller_$t($a, $b)"},
                                     {CT__OP_scale, "scaled_$t($a, $b)"},
                                     {CT__OP_scale_either, "scaled_either_$t($a, $b)"},
                                     {CT__OP_clamp, "smaller_$t(larger_$t($b, $a), $c)"}};

/* exec/kernel/elementary.h. Those of f32 that are rarely used are rounded from f64. */
static const spelling of_f32[] = {{CT__OP_exponential, "ct__exp($a)"},
                                  {CT__OP_exponential_minus_one, "ct__expm1($a)"},
                                  {CT__OP_log, "ct__log($a)"},
                                  {CT__OP_log_plus_one, "ct__log1p($a)"},
                                  {CT__OP_tanh, "ct__tanh($a)"},
                                  {CT__OP_logistic, "ct__logistic($a)"},
                                  {CT__OP_erf, "ct__erf($a)"},
                                  {CT__OP_power, "ct__pow($a, $b)"},
                                  {CT__OP_sine, "sine_f32($a)"},
                                  {CT__OP_cosine, "cosine_f32($a)"},
                                  {CT__OP_tan, "tan_f32($a)"},
                                  {CT__OP_erfc, "((float)ct__erfc64((double)$a))"},
                                  {CT__OP_cbrt, "((float)ct__cbrt64((double)$a))"},
                                  {CT__OP_sinh, "((float)ct__sinh64((double)$a))"},
                                  {CT__OP_cosh, "((float)ct__cosh64((double)$a))"},
                                  {CT__OP_asinh, "((float)ct__asinh64((double)$a))"},
                                  {CT__OP_acosh, "((float)ct__acosh64((double)$a))"},
                                  {CT__OP_atanh, "((float)ct__atanh64((double)$a))"},
                                  {CT__OP_asin, "((float)ct__asin64((double)$a))"},
                                  {CT__OP_acos, "((float)ct__acos64((double)$a))"},
                                  {CT__OP_atan, "((float)ct__atan64((double)$a))"},
                                  {CT__OP_atan2, "((float)ct__atan2_64((double)$a, (double)$b))"}};

/* exec/kernel/elementary64.h */
static const spelling of_f64[] = {
    {CT__OP_exponential, "ct__exp64($a)"}, {CT__OP_exponential_minus_one, "ct__expm1_64($a)"},
    {CT__OP_log, "ct__log64($a)"},         {CT__OP_log_plus_one, "ct__log1p64($a)"},
    {CT__OP_tanh, "ct__tanh64($a)"},       {CT__OP_logistic, "ct__logistic64($a)"},
    {CT__OP_erf, "ct__erf64($a)"},         {CT__OP_power, "ct__pow64($a, $b)"},
    {CT__OP_sine, "sine_f64($a)"},         {CT__OP_cosine, "cosine_f64($a)"},
    {CT__OP_tan, "tan_f64($a)"},           {CT__OP_erfc, "ct__erfc64($a)"},
    {CT__OP_cbrt, "ct__cbrt64($a)"},       {CT__OP_sinh, "ct__sinh64($a)"},
    {CT__OP_cosh, "ct__cosh64($a)"},       {CT__OP_asinh, "ct__asinh64($a)"},
    {CT__OP_acosh, "ct__acosh64($a)"},     {CT__OP_atanh, "ct__atanh64($a)"},
    {CT__OP_asin, "ct__asin64($a)"},       {CT__OP_acos, "ct__acos64($a)"},
    {CT__OP_atan, "ct__atan64($a)"},       {CT__OP_atan2, "ct__atan2_64($a, $b)"}};

/* Of what is near, where the others look first. */
static const spelling near_f32[] = {
    {CT__OP_sine, "ct__sin($a)"}, {CT__OP_cosine, "ct__cos($a)"}, {CT__OP_tan, "ct__tan($a)"}};
static const spelling near_f64[] = {{CT__OP_sine, "ct__sin64($a)"},
                                    {CT__OP_cosine, "ct__cos64($a)"},
                                    {CT__OP_tan, "ct__tan64($a)"}};

static const spelling of_integers[] = {
    {CT__OP_abs, "abs_$t($a)"},
    {CT__OP_negate, "negate_$t($a)"},
    {CT__OP_sign, "sign_$t($a)"},
    {CT__OP_not, "not_$t($a)"},
    {CT__OP_popcnt, "popcnt_$t($a)"},
    {CT__OP_count_leading_zeros, "clz_$t($a)"},
    {CT__OP_add, "add_$t($a, $b)"},
    {CT__OP_subtract, "subtract_$t($a, $b)"},
    {CT__OP_multiply, "multiply_$t($a, $b)"},
    {CT__OP_mulhi, "mulhi_$t($a, $b)"},
    {CT__OP_divide, "divide_$t($a, $b)"},
    {CT__OP_remainder, "remainder_$t($a, $b)"},
    {CT__OP_maximum, "maximum_$t($a, $b)"},
    {CT__OP_minimum, "minimum_$t($a, $b)"},
    {CT__OP_power, "power_$t($a, $b)"},
    {CT__OP_and, "and_$t($a, $b)"},
    {CT__OP_or, "or_$t($a, $b)"},
    {CT__OP_xor, "xor_$t($a, $b)"},
    {CT__OP_shift_left, "shift_left_$t($a, $b)"},
    {CT__OP_shift_right_logical, "shift_right_logical_$t($a, $b)"},
    {CT__OP_shift_right_arithmetic, "shift_right_arithmetic_$t($a, $b)"},
    {CT__OP_clamp, "minimum_$t(maximum_$t($b, $a), $c)"}};

/* add is or, multiply is and. */
static const spelling of_bools[] = {
    {CT__OP_not, "($a ^ 1)"},  {CT__OP_add, "($a | $b)"},      {CT__OP_maximum, "($a | $b)"},
    {CT__OP_or, "($a | $b)"},  {CT__OP_multiply, "($a & $b)"}, {CT__OP_minimum, "($a & $b)"},
    {CT__OP_and, "($a & $b)"}, {CT__OP_xor, "($a ^ $b)"},      {CT__OP_clamp, "(($b | $a) & $c)"}};

static const char *find_form(size_t n, const spelling *forms, ct__op op)
{
    for (size_t i = 0; i < n; i++)
        if (forms[i].op == op)
            return forms[i].text;
    return NULL;
}

#define FIND(forms, op) find_form(sizeof(forms) / sizeof *(forms), forms, op)

/* ---- Dtypes. */

static bool is_half(ct_dtype dtype)
{
    return dtype == CT_F16 || dtype == CT_BF16;
}

static bool is_float(ct_dtype dtype)
{
    return dtype == CT_F32 || dtype == CT_F64 || is_half(dtype);
}

static bool is_integer(ct_dtype dtype)
{
    return dtype >= CT_I8 && dtype <= CT_U64;
}

static bool is_signed(ct_dtype dtype)
{
    return dtype >= CT_I8 && dtype <= CT_I64;
}

const char *ct__c_type(ct_dtype dtype)
{
    static const char *const types[CT_DTYPE_COUNT] = {
        [CT_I8] = "int8_t",     [CT_I16] = "int16_t",  [CT_I32] = "int32_t",  [CT_I64] = "int64_t",
        [CT_U16] = "uint16_t",  [CT_U32] = "uint32_t", [CT_U64] = "uint64_t", [CT_F16] = "uint16_t",
        [CT_BF16] = "uint16_t", [CT_F32] = "float",    [CT_F64] = "double",   [CT_C64] = "pair_f32",
        [CT_C128] = "pair_f64", [CT_I2] = "int8_t",    [CT_I4] = "int8_t"};
    return types[dtype] ? types[dtype] : "uint8_t";
}

/* ---- Writing. */

/* The operand as it is computed with: f16 and bf16 in f32. */
static void add_operand(ct__text *to, const ct__expression *e, size_t i)
{
    const ct_dtype dtype = e->operand_dtype[i];
    if (is_half(dtype))
        ct__text_add(to, "load_%s(%s)", ct_dtype_name(dtype), e->operand[i]);
    else
        ct__text_add(to, "%s", e->operand[i]);
}

static void add_form(ct__text *to, const ct__expression *e, const char *form, const char *dtype)
{
    for (const char *at = form; *at; at++) {
        if (*at != '$')
            ct__text_add_bytes(to, at, 1);
        else if (*++at == 't')
            ct__text_add(to, "%s", dtype);
        else
            add_operand(to, e, (size_t)(*at - 'a'));
    }
}

/* Every function below adds nothing where `to` is NULL, and returns whether it could. */

static bool express_compare(ct__text *to, const ct__expression *e)
{
    static const char *const symbols[] = {[CT_EQ] = "==", [CT_NE] = "!=", [CT_GE] = ">=",
                                          [CT_GT] = ">",  [CT_LE] = "<=", [CT_LT] = "<"};
    const struct ct__attrs_compare *a = &e->attrs->compare;
    const ct_dtype dtype = e->operand_dtype[0];
    if (!is_float(dtype) && !is_integer(dtype) && dtype != CT_BOOL)
        return false;
    if (!to)
        return true;
    const char *symbol = symbols[a->comparison_direction];
    if (is_float(dtype) && a->compare_type == CT_COMPARE_TOTALORDER) {
        const char *name = ct_dtype_name(dtype);
        ct__text_add(to, "(order_%s(%s) %s order_%s(%s))", name, e->operand[0], symbol, name,
                     e->operand[1]);
        return true;
    }
    ct__text_add(to, "(");
    add_operand(to, e, 0);
    ct__text_add(to, " %s ", symbol);
    add_operand(to, e, 1);
    ct__text_add(to, ")");
    return true;
}

/* The way from one dtype to another, before the operand; NULL: there is none. */
static const char *conversion(ct_dtype to, ct_dtype from, char *text, size_t bytes)
{
    const bool from_float = is_float(from);
    const bool whole = (is_integer(from) || from == CT_BOOL) && (is_integer(to) || to == CT_BOOL);
    if (is_half(to) && (from == CT_F32 || is_half(from)))
        snprintf(text, bytes, "store_%s", ct_dtype_name(to));
    else if (from_float && is_integer(to))
        snprintf(text, bytes, "saturate_%s", ct_dtype_name(to));
    else if (to == CT_BOOL && (from_float || whole))
        snprintf(text, bytes, "0 != ");
    else if (whole || ((to == CT_F32 || to == CT_F64) &&
                       (from_float || is_integer(from) || from == CT_BOOL)))
        snprintf(text, bytes, "(%s)", ct__c_type(to));
    else
        return NULL;
    return text;
}

static bool express_convert(ct__text *to, const ct__expression *e)
{
    char text[64];
    if (e->dtype == e->operand_dtype[0]) {
        if (to)
            ct__text_add(to, "(%s)", e->operand[0]);
        return true;
    }
    if (!conversion(e->dtype, e->operand_dtype[0], text, sizeof text))
        return false;
    if (to) {
        ct__text_add(to, "(%s(", text);
        add_operand(to, e, 0);
        ct__text_add(to, "))");
    }
    return true;
}

/* Bits are copied, so any value passes unchanged. */
static bool express_select(ct__text *to, const ct__expression *e)
{
    if (to)
        ct__text_add(to, "(%s ? %s : %s)", e->operand[0], e->operand[1], e->operand[2]);
    return true;
}

static bool express_is_finite(ct__text *to, const ct__expression *e)
{
    const ct_dtype dtype = e->operand_dtype[0];
    if (!is_float(dtype))
        return false;
    if (to)
        add_form(to, e, "is_finite_$t($a)", dtype == CT_F64 ? "f64" : "f32");
    return true;
}

static const char *float_form(const ct__expression *e, ct__op op)
{
    const bool is_f64 = e->dtype == CT_F64;
    const char *form = FIND(of_floats, op);
    if (op == CT__OP_scale && e->is_fixed)
        return "scaled_fixed_$t($a, $b)";
    if (!form && e->is_near)
        form = is_f64 ? FIND(near_f64, op) : FIND(near_f32, op);
    if (!form)
        form = is_f64 ? FIND(of_f64, op) : FIND(of_f32, op);
    return form;
}

/* f16 and bf16 are computed in f32, and each operation is rounded. */
static bool express_float(ct__text *to, const ct__expression *e, ct__op op)
{
    const char *form = float_form(e, op), *name = ct_dtype_name(e->dtype);
    if (!form || !to)
        return form != NULL;
    if (is_half(e->dtype))
        ct__text_add(to, "store_%s(", name);
    add_form(to, e, form, e->dtype == CT_F64 ? "f64" : "f32");
    if (is_half(e->dtype))
        ct__text_add(to, ")");
    return true;
}

bool ct__has_far(const ct__expression *e)
{
    return is_float(e->dtype) && FIND(near_f32, e->op);
}

void ct__express_far(ct__text *to, const ct__expression *e)
{
    add_form(to, e, "is_far_$t($a)", e->dtype == CT_F64 ? "f64" : "f32");
}

static bool express_whole(ct__text *to, const ct__expression *e)
{
    const char *form = e->dtype == CT_BOOL ? FIND(of_bools, e->op) : FIND(of_integers, e->op);
    if (form && to)
        add_form(to, e, form, ct_dtype_name(e->dtype));
    return form != NULL;
}

static bool express(ct__text *to, const ct__expression *e)
{
    const bool is_guarded = e->op == CT__OP_scale || e->op == CT__OP_scale_either;
    switch (e->op) {
    case CT__OP_compare: return express_compare(to, e);
    case CT__OP_convert: return express_convert(to, e);
    case CT__OP_select: return express_select(to, e);
    case CT__OP_is_finite: return express_is_finite(to, e);
    default: break;
    }
    if (is_float(e->dtype) && e->operand_dtype[0] == e->dtype)
        return express_float(to, e, is_guarded && e->plain_products ? CT__OP_multiply : e->op);
    if ((is_integer(e->dtype) || e->dtype == CT_BOOL) && e->operand_dtype[0] == e->dtype)
        return express_whole(to, e);
    return false;
}

bool ct__express(ct__text *to, const ct__expression *e)
{
    return express(to, e);
}

bool ct__has_expression(const ct__expression *e)
{
    return express(NULL, e);
}

/* ---- The prelude. */

/* Whether the body calls a function whose name ends so. */
static bool uses(const char *body, const char *name)
{
    char ending[32];
    snprintf(ending, sizeof ending, "%s(", name);
    return strstr(body, ending) != NULL;
}

/* Folds are written as calls of one_into or of fold_row. */
static bool folds(const char *body, const char *dtype)
{
    char into[16], row[16];
    snprintf(into, sizeof into, "into_%s", dtype);
    snprintf(row, sizeof row, "fold_row_%s", dtype);
    return uses(body, into) || uses(body, row);
}

static void add_integers(ct__text *to, ct_dtype dtype)
{
    const size_t bits = 8 * ct_dtype_bytes(dtype);
    ct__text_add(to,
                 "#define T %s\n#define U uint%zu_t\n#define W uint%d_t\n#define BITS %zu\n"
                 "#define SIGNED %d\n#define N(name) name##_%s\n%s"
                 "#undef T\n#undef U\n#undef W\n#undef BITS\n#undef SIGNED\n#undef N\n",
                 ct__c_type(dtype), bits, bits == 64 ? 64 : 32, bits, is_signed(dtype),
                 ct_dtype_name(dtype), ct__text_integer);
}

static void add_floats(ct__text *to, const char *type, const char *name, bool folds)
{
    ct__text_add(to,
                 "#define T %s\n#define M(name) name##_%s\n#define ABS abs_%s\n"
                 "#define AND_BITS and_bits_%s\n#define OR_BITS or_bits_%s\n%s%s"
                 "#undef T\n#undef M\n#undef ABS\n#undef AND_BITS\n#undef OR_BITS\n",
                 type, name, name, name, name, ct__text_element, folds ? ct__text_fold : "");
}

void ct__add_prelude(ct__text *to, const char *body)
{
    ct__text_add(to, "enum { CT__LANES = %d, CT__ROW_BLOCK = %d, CT__COLUMN_BLOCK = %d };\n",
                 CT__LANES, CT__ROW_BLOCK, CT__COLUMN_BLOCK);
    ct__text_add(to, "%s%s%s%s%s%s%s", ct__text_types, ct__text_coefficients, ct__text_elementary,
                 ct__text_elementary64, ct__text_half, ct__text_saturate, ct__text_prelude);
    add_floats(to, "float", "f32", folds(body, "f32"));
    add_floats(to, "double", "f64", folds(body, "f64"));
    for (ct_dtype dtype = CT_I8; dtype <= CT_U64; dtype++)
        if (uses(body, ct_dtype_name(dtype)))
            add_integers(to, dtype);
}
