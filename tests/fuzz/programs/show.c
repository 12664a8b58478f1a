#include "tests/fuzz/programs/show.h"

#include <cotangent/module.h>

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void show_text(FILE *out, const program *p)
{
    fprintf(out, "%s\n", ct_stablehlo_text(p->f, CT_WRITE_PRETTY));
    ct_error_clear(p->ctx);
}

/* ---- Numbers as C. */

static void show_dtype(FILE *out, ct_dtype dtype)
{
    fputs("CT_", out);
    for (const char *name = ct_dtype_name(dtype); *name; name++)
        fputc(toupper((unsigned char)*name), out);
}

static void show_ints(FILE *out, const char *macro, size_t count, const int64_t *item)
{
    fprintf(out, "%s(", macro);
    for (size_t i = 0; i < count; i++)
        fprintf(out, "%s%" PRId64, i > 0 ? ", " : "", item[i]);
    fputc(')', out);
}

static void show_double(FILE *out, double x)
{
    if (isnan(x))
        fputs("NAN", out);
    else if (isinf(x))
        fputs(x < 0 ? "-INFINITY" : "INFINITY", out);
    else if (x == floor(x) && fabs(x) < 1e15 && !(x == 0 && signbit(x)))
        fprintf(out, "%.0f", x);
    else
        fprintf(out, "%a", x);
}

/* As doubles where they hold every element, else as bytes. */
static bool has_doubles(ct_dtype dtype)
{
    return !ct_dtype_is_complex(dtype) && dtype != CT_I64 && dtype != CT_U64;
}

static void show_elements(FILE *out, ct_dtype dtype, size_t count, const unsigned char *data)
{
    const size_t each = has_doubles(dtype) ? ct_dtype_bytes(dtype) : 1;
    const size_t n = has_doubles(dtype) ? count : count * ct_dtype_bytes(dtype);

    fprintf(out, "(const %s[]){", has_doubles(dtype) ? "double" : "unsigned char");
    for (size_t i = 0; i < n || i == 0; i++) {
        fprintf(out, "%s", i > 0 ? ", " : "");
        if (i < n && has_doubles(dtype))
            show_double(out, ct__load_double(dtype, data + i * each));
        else
            fprintf(out, "%u", i < n ? data[i] : 0U);
    }
    fputc('}', out);
}

static void show_quantization(FILE *out, const ct_quantization *q)
{
    fputs("(ct_quantization){", out);
    show_dtype(out, q->storage);
    fputs(", ", out);
    show_dtype(out, q->expressed);
    fprintf(out, ", %" PRId64 ", %" PRId64 ", %d, %zu, (const double[]){", q->storage_min,
            q->storage_max, q->axis, q->count);
    for (size_t i = 0; i < q->count || i == 0; i++)
        fprintf(out, "%s%a", i > 0 ? ", " : "", i < q->count ? q->scale[i] : 1);
    fputs("}, ", out);
    show_ints(out, "FUZZ_INTS", q->count, q->zero_point);
    fputc('}', out);
}

static void show_tensor(FILE *out, ct_tensor *x)
{
    const ct_shape shape = ct_shape_of(x);
    ct_quantization q;

    if (ct_type_quantization(x->type, &q)) {
        fputs("ct_op_bitcast_quantize(", out);
        show_tensor(out, ct_op_bitcast_convert(x, q.storage));
        fputs(", ", out);
        show_quantization(out, &q);
        fputc(')', out);
        return;
    }
    fprintf(out, "ct_from_%s(ctx, ", has_doubles(ct_dtype_of(x)) ? "doubles" : "data");
    show_dtype(out, ct_dtype_of(x));
    fputs(", ", out);
    show_ints(out, "CT_SHAPE", shape.count, shape.dim);
    fputs(", ", out);
    show_elements(out, ct_dtype_of(x), (size_t)ct_size(x), ct_data(x));
    fputc(')', out);
}

void show_inputs(FILE *out, const program *p)
{
    for (size_t i = 0; i < p->n_inputs; i++) {
        fprintf(out, "// input %zu = ", i);
        show_tensor(out, p->input[i]);
        fputc('\n', out);
    }
}

/* ---- Attributes. */

static void show_field(FILE *out, const ct__field *field, const void *at)
{
    const ct__ints *list = at;

    switch (field->kind) {
    case CT__FIELD_INT: fprintf(out, "%" PRId64, *(const int64_t *)at); break;
    case CT__FIELD_INTS:
        fprintf(out, "{%zu, ", list->count);
        show_ints(out, "FUZZ_INTS", list->count, list->item);
        fputc('}', out);
        break;
    case CT__FIELD_FLAG: fputs(*(const bool *)at ? "true" : "false", out); break;
    case CT__FIELD_DTYPE:
        if (*(const ct_dtype *)at == CT_INVALID_DTYPE)
            fputs("CT_INVALID_DTYPE", out);
        else
            show_dtype(out, *(const ct_dtype *)at);
        break;
    case CT__FIELD_ENUM: fprintf(out, "%d", *(const int *)at); break;
    case CT__FIELD_LITERAL: fputs("NULL", out); break;
    case CT__FIELD_REAL: fprintf(out, "%a", *(const double *)at); break;
    case CT__FIELD_TEXT:
        if (*(const char *const *)at)
            fprintf(out, "\"%s\"", *(const char *const *)at);
        else
            fputs("NULL", out);
        break;
    }
}

static void show_attrs(FILE *out, const ct__node *node)
{
    const ct__attrs_info *info = ct__attrs_describe(ct__op_describe(node->op)->attrs);

    if (info->n_fields == 0)
        return;
    fprintf(out, ", .attrs = &(ct__attrs){.%s = {", info->name);
    for (size_t i = 0; i < info->n_fields; i++) {
        fprintf(out, "%s.%s = ", i > 0 ? ", " : "", info->field[i].name);
        show_field(out, &info->field[i], (const char *)node->attrs + info->field[i].offset);
    }
    fputs("}}", out);
}

/* ---- Statements. Value i of a graph is v[i]; bodies are functions, numbered as they are shown. */

static void show_type(FILE *out, const ct_type *type)
{
    ct_quantization q;
    const bool is_stack = type->kind == CT__STACK;
    const bool is_quantized = ct_type_quantization(type, &q);

    if (is_stack) {
        fputs("ct_op_stack_new(", out);
        show_type(out, type->element[0]);
    } else {
        fputs(is_quantized ? "ct_op_uniform_quantize(ct_full(ctx, " : "ct_spec(ctx, ", out);
        show_dtype(out, is_quantized ? q.expressed : type->dtype);
        fputs(", ", out);
        show_ints(out, "CT_SHAPE", (size_t)type->rank, type->dim);
    }
    if (is_quantized) {
        fputs(", 1), ", out);
        show_quantization(out, &q);
    }
    fputc(')', out);
}

static void show_values(FILE *out, const char *open, size_t n, const ct__id *id, const char *close)
{
    fputs(open, out);
    for (size_t i = 0; i < n; i++)
        fprintf(out, "%sv[%u]", i > 0 ? ", " : "", (unsigned)id[i]);
    fputs(close, out);
}

static void show_constant(FILE *out, const ct__node *node, ct_context *ctx)
{
    ct_tensor *x = ct__tensor_concrete(ctx, CT_HERE, "constant",
                                       ct__literal_retain(node->attrs->constant.value));

    fprintf(out, "    v[%u] = ", (unsigned)node->first_result);
    show_tensor(out, x);
    fputs(";\n", out);
}

static void show_given(FILE *out, const ct__graph *graph, const ct__node *node)
{
    fprintf(out, ", .n_given = %u, .given = (const ct_type *[]){", node->n_results);
    for (size_t i = 0; i < node->n_results; i++) {
        fputs(i > 0 ? ", " : "", out);
        show_type(out, ct__graph_type(graph, node->first_result + (ct__id)i));
        fputs("->type", out);
    }
    fputc('}', out);
}

static void show_apply(FILE *out, const ct__graph *graph, const ct__node *node, const int *body)
{
    fprintf(out, "    ct__apply(&(ct__request){.ctx = ctx, .at = CT_HERE, .op = CT__OP_%s",
            ct__op_describe(node->op)->name);
    show_attrs(out, node);
    if (node->n_operands > 0) {
        fprintf(out, ",\n        .n_operands = %u", node->n_operands);
        show_values(out, ", .operand = (ct_tensor *[]){", node->n_operands, node->operand, "}");
    }
    if (node->n_regions > 0)
        fprintf(out, ",\n        .n_regions = %u, .region = (ct__graph *[]){", node->n_regions);
    for (size_t i = 0; i < node->n_regions; i++)
        fprintf(out, "%sbody_%d(ctx)->graph", i > 0 ? ", " : "", body[i]);
    fputs(node->n_regions > 0 ? "}" : "", out);
    if (ct__node_is_typed(graph, node))
        show_given(out, graph, node);
    fprintf(out, "},\n        &v[%u], %u);\n", (unsigned)node->first_result, node->n_results);
}

static void show_node(FILE *out, const ct__graph *graph, const ct__node *node, const int *body,
                      ct_context *ctx)
{
    const ct__op_info *info = ct__op_describe(node->op);

    if (node->op == CT__OP_constant) {
        show_constant(out, node, ctx);
    } else if ((info->traits & CT__ELEMENTWISE) && info->attrs == CT__ATTRS_none &&
               !ct__node_is_typed(graph, node)) {
        fprintf(out, "    v[%u] = ct_op_%s", (unsigned)node->first_result, info->name);
        show_values(out, "(", node->n_operands, node->operand, ");\n");
    } else {
        show_apply(out, graph, node, body);
    }
}

static int show_graph(FILE *out, const ct__graph *graph, int *next, ct_context *ctx);

/* The numbers of the bodies of all nodes, shown before. */
static int *show_bodies(FILE *out, const ct__graph *graph, int *next, ct_context *ctx)
{
    size_t n = 0;

    for (size_t i = 0; i < graph->n_nodes; i++)
        n += graph->node[i].n_regions;
    int *body = calloc(n + 1, sizeof *body), *at = body;
    for (size_t i = 0; i < graph->n_nodes; i++)
        for (size_t k = 0; k < graph->node[i].n_regions; k++)
            *at++ = show_graph(out, graph->node[i].region[k], next, ctx);
    return body;
}

static void show_head(FILE *out, const ct__graph *graph, int number)
{
    fprintf(out,
            "static ct_function *body_%d(ct_context *ctx)\n{\n    ct_tensor *v[%zu];\n"
            "    ct_trace_builder *b = ct_trace_begin(ctx, \"body_%d\", ",
            number, graph->n_values + 1, number);
    fputs(graph->n_params > 0 ? "CT_LIKE(" : "CT_NO_TENSORS", out);
    for (size_t i = 0; i < graph->n_params; i++) {
        fputs(i > 0 ? ", " : "", out);
        show_type(out, ct__param_type(graph, i));
    }
    fputs(graph->n_params > 0 ? "));\n" : ");\n", out);
    for (size_t i = 0; i < graph->n_params; i++)
        fprintf(out, "    v[%u] = ct_trace_parameter(b, %zu);\n", (unsigned)graph->param[i], i);
}

static int show_graph(FILE *out, const ct__graph *graph, int *next, ct_context *ctx)
{
    int *body = show_bodies(out, graph, next, ctx), *at = body;
    const int number = (*next)++;

    show_head(out, graph, number);
    for (size_t i = 0; i < graph->n_nodes; i++) {
        show_node(out, graph, &graph->node[i], at, ctx);
        at += graph->node[i].n_regions;
    }
    fprintf(out, "    return ct_trace_end(b, ");
    show_values(out, graph->n_results > 0 ? "CT_ARGV(" : "CT_NO_TENSORS", graph->n_results,
                graph->result, graph->n_results > 0 ? "));\n}\n\n" : ");\n}\n\n");
    free(body);
    return number;
}

/* The last function is the program. @fuzz.exchange, where it is called, is to be registered: it
 * gives its two operands in the other order. */
void show_code(FILE *out, const program *p)
{
    int next = 0;

    fputs("#include \"trace/trace.h\"\n\n#include <cotangent/cotangent.h>\n"
          "#include <cotangent/op_stack.h>\n\n#include <math.h>\n\n"
          "#define FUZZ_INTS(...) ((const int64_t[]){__VA_ARGS__})\n\n",
          out);
    show_graph(out, p->f->graph, &next, p->ctx);
}
