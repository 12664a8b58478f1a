/* The same program in f64: parameters, constants, attributes, bodies. */
#include "ad/rules.h"
#include "probe/gradcheck.h"

#include <string.h>

static ct_dtype widened(ct_dtype dtype)
{
    if (ct_dtype_is_float(dtype))
        return CT_F64;
    return ct_dtype_is_complex(dtype) ? CT_C128 : dtype;
}

/* Attributes that are dtypes: of convert, iota, dot_general. */
static bool widen_attributes(ct__rewrite *r, ct__node *node, ct__arena *arena)
{
    const ct__attrs_info *info = ct__attrs_describe(ct__op_describe(node->op)->attrs);
    char *copy = ct__arena_copy(arena, node->attrs, info->bytes);
    if (!copy) {
        ct__error_memory(r->ctx, node->at, r->what);
        return false;
    }
    for (size_t i = 0; i < info->n_fields; i++) {
        const ct__field *field = &info->field[i];
        if (field->kind != CT__FIELD_DTYPE)
            continue;
        ct_dtype *dtype = (ct_dtype *)(void *)(copy + field->offset);
        *dtype = widened(*dtype);
    }
    node->attrs = (const ct__attrs *)(void *)copy;
    return true;
}

/* The constant's own value, exactly; one that repeats one element stays so. */
static ct_tensor *widen_constant(ct__rewrite *r, const ct__node *node, ct_tensor *x)
{
    ct_dtype dtype = widened(x->type->dtype);
    double value;
    if (ct_dtype_is_complex(dtype) || !ct__splat_value(x, &value))
        return ct_op_convert_at(node->at, x, dtype);
    return ct_full_at(node->at, r->ctx, dtype, ct_shape_of(x), value);
}

static void widen_results(ct__rewrite *r, const ct__node *node, ct_tensor *const *value,
                          ct_tensor **result)
{
    (void)value;
    for (size_t i = 0; i < node->n_results; i++) {
        const ct_type *type = result[i]->type;
        if (type->kind == CT__TENSOR && widened(type->dtype) != type->dtype)
            result[i] = widen_constant(r, node, result[i]);
    }
}

ct__graph *ct__promote(ct_context *ctx, ct_place at, const ct__graph *graph)
{
    ct__rewrite r = {.ctx = ctx,
                     .at = at,
                     .what = "gradcheck",
                     .dtype = widened,
                     .before = widen_attributes,
                     .after = widen_results};
    ct__graph *wide = ct__rewrite_graph(&r, graph);
    ct__rewrite_end(&r);
    return wide;
}
