#include "interop/stablehlo/print.h"

#include <inttypes.h>

/* "ui8", "complex<f32>" */
static const char *dtype_name(ct_dtype dtype)
{
    switch (dtype) {
    case CT_BOOL: return "i1";
    case CT_I8: return "i8";
    case CT_I16: return "i16";
    case CT_I32: return "i32";
    case CT_I64: return "i64";
    case CT_U8: return "ui8";
    case CT_U16: return "ui16";
    case CT_U32: return "ui32";
    case CT_U64: return "ui64";
    case CT_F16: return "f16";
    case CT_BF16: return "bf16";
    case CT_F32: return "f32";
    case CT_F64: return "f64";
    case CT_C64: return "complex<f32>";
    case CT_C128: return "complex<f64>";
    case CT_U2: return "ui2";
    case CT_U4: return "ui4";
    default: return ct_dtype_name(dtype); /* i2, i4 and the small floats */
    }
}

/* "0.5:-20" */
static void print_scale(ct__printer *p, const ct__quantized *q, size_t i)
{
    char number[CT__NUMBER_BYTES];
    ct__text_add(p->out, "%s", ct__print_number(CT_F64, &q->scale[i], number));
    if (q->zero_point[i] != 0)
        ct__text_add(p->out, ":%" PRId64, q->zero_point[i]);
}

/* "!quant.uniform<i8<-127:127>:f32:1, {0.1:-30,0.5:-20}>" */
static void print_quantized(ct__printer *p, ct_dtype storage, const ct__quantized *q)
{
    ct__text_add(p->out, "!quant.uniform<%s", ct_dtype_name(storage)); /* "u8", not "ui8" */
    if (!ct__has_full_storage(storage, q))
        ct__text_add(p->out, "<%" PRId64 ":%" PRId64 ">", q->storage_min, q->storage_max);
    ct__text_add(p->out, ":%s", dtype_name(q->expressed));
    if (q->axis < 0) {
        ct__text_add(p->out, ", ");
        print_scale(p, q, 0);
    } else {
        ct__text_add(p->out, ":%d, {", q->axis);
        for (size_t i = 0; i < q->n_scales; i++) {
            ct__text_add(p->out, "%s", i ? "," : "");
            print_scale(p, q, i);
        }
        ct__text_add(p->out, "}");
    }
    ct__text_add(p->out, ">");
}

/* Of a template, whose types stand in messages: ", #stablehlo.bounds<4, ?>". Bounded extents are
 * INT64_MIN + 1 + the bound: read.h. */
static void print_bounds(ct__printer *p, const ct_type *type)
{
    bool has_bound = false;
    for (int d = 0; d < type->rank; d++)
        has_bound = has_bound || (type->dim[d] < 0 && type->dim[d] > INT64_MIN);
    for (int d = 0; d < type->rank && has_bound; d++) {
        ct__text_add(p->out, "%s", d ? ", " : ", #stablehlo.bounds<");
        if (type->dim[d] < 0 && type->dim[d] > INT64_MIN)
            ct__text_add(p->out, "%" PRId64, type->dim[d] - INT64_MIN - 1);
        else
            ct__text_add(p->out, "?");
    }
    ct__text_add(p->out, "%s", has_bound ? ">" : "");
}

void ct__print_type(ct__printer *p, const ct_type *type)
{
    switch (type->kind) {
    case CT__TENSOR:
        ct__text_add(p->out, "tensor<");
        for (int d = 0; d < type->rank; d++)
            ct__text_add(p->out, type->dim[d] < 0 ? "?x" : "%" PRId64 "x", type->dim[d]);
        if (type->quantized)
            print_quantized(p, type->dtype, type->quantized);
        else
            ct__text_add(p->out, "%s", dtype_name(type->dtype));
        print_bounds(p, type);
        ct__text_add(p->out, ">");
        return;
    case CT__TOKEN:
    case CT__STACK: ct__text_add(p->out, "!stablehlo.token"); return;
    case CT__TUPLE:
        ct__text_add(p->out, "tuple<");
        for (size_t i = 0; i < type->n_elements; i++) {
            ct__text_add(p->out, "%s", i ? ", " : "");
            ct__print_type(p, type->element[i]);
        }
        ct__text_add(p->out, ">");
        return;
    }
}

void ct__print_stored_type(ct__printer *p, const ct_type *type)
{
    ct_type stored = *type;
    stored.quantized = NULL;
    ct__print_type(p, &stored);
}

void ct__print_operands(ct__printer *p, const ct__node *node, size_t first, size_t count)
{
    for (size_t i = 0; i < count; i++)
        ct__text_add(p->out, "%s%s", i ? ", " : "", ct__print_name(p, node->operand[first + i]));
}

void ct__print_types(ct__printer *p, size_t count, const ct__id *id)
{
    for (size_t i = 0; i < count; i++) {
        ct__text_add(p->out, "%s", i ? ", " : "");
        ct__print_type(p, ct__graph_type(p->graph, id[i]));
    }
}

void ct__print_signature(ct__printer *p, const ct__node *node, size_t n_operands)
{
    ct__text_add(p->out, "(");
    ct__print_types(p, n_operands, node->operand);
    ct__text_add(p->out, ") -> %s", node->n_results == 1 ? "" : "(");
    for (size_t i = 0; i < node->n_results; i++) {
        ct__text_add(p->out, "%s", i ? ", " : "");
        ct__print_type(p, ct__graph_type(p->graph, node->first_result + (ct__id)i));
    }
    ct__text_add(p->out, "%s", node->n_results == 1 ? "" : ")");
}

void ct__print_start(ct__printer *p, const ct__node *node, size_t n_operands)
{
    ct__print_head(p, node);
    ct__text_add(p->out, " ");
    ct__print_operands(p, node, 0, n_operands);
}

void ct__print_end(ct__printer *p, const ct__node *node)
{
    ct__text_add(p->out, " : ");
    ct__print_signature(p, node, node->n_operands);
}

bool ct__are_all(ct__ints list, int64_t value)
{
    for (size_t i = 0; i < list.count; i++)
        if (list.item[i] != value)
            return false;
    return true;
}

static void print_ints(ct__printer *p, ct__ints list)
{
    for (size_t i = 0; i < list.count; i++)
        ct__text_add(p->out, "%s%" PRId64, i ? ", " : "", list.item[i]);
}

void ct__print_list(ct__printer *p, ct__ints list)
{
    ct__text_add(p->out, "[");
    print_ints(p, list);
    ct__text_add(p->out, "]");
}

void ct__print_array(ct__printer *p, ct__ints list)
{
    ct__text_add(p->out, "array<i64%s", list.count ? ": " : "");
    print_ints(p, list);
    ct__text_add(p->out, ">");
}

void ct__print_strict(ct__printer *p, bool strict)
{
    ct__text_add(p->out, "%s", strict ? " {ct.strict}" : "");
}
