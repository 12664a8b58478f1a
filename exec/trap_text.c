/* What a trap says:
 *
 *     log: nan born at [1,2] of f32[2,3], in the derivative of power
 *         x = -1
 *         in iteration 3 of scan, loss.mlir:12 */
#include "exec/trap.h"

#include "trace/format.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { SHOWN = 6, FRAMES = 4, OPERANDS = 6 };

/* Appends to the message, which is cut where it ends. */
static void __attribute__((format(printf, 2, 3))) add(ct__run_error *error, const char *format, ...)
{
    const size_t length = strlen(error->message);
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(error->message + length, sizeof error->message - length, format, arguments);
    va_end(arguments);
}

static void add_element(ct__run_error *error, ct_dtype dtype, const void *element)
{
    char text[CT__ELEMENT_TEXT];

    add(error, "%s", ct__element_text(dtype, element, text));
}

/* ---- Operands. */

static const void *at(const ct__eval *q, size_t i, int64_t element)
{
    return ct__at(q->in[i], ct_dtype_bytes(q->in_type[i]->dtype), element);
}

/* NaNs are left out. */
static void add_range(ct__run_error *error, const ct__eval *q, size_t i)
{
    const ct_dtype dtype = q->in_type[i]->dtype;
    int64_t low = -1, high = -1;

    for (int64_t k = 0; k < q->in_type[i]->size; k++) {
        const double x = ct__load_double(dtype, at(q, i, k));
        if (x == x && (low < 0 || x < ct__load_double(dtype, at(q, i, low))))
            low = k;
        if (x == x && (high < 0 || x > ct__load_double(dtype, at(q, i, high))))
            high = k;
    }
    if (low < 0)
        return;
    add(error, " from ");
    add_element(error, dtype, at(q, i, low));
    add(error, " to ");
    add_element(error, dtype, at(q, i, high));
}

static void add_few(ct__run_error *error, const ct__eval *q, size_t i, int64_t n)
{
    add(error, " = %s", n == 1 ? "" : "[");
    for (int64_t k = 0; k < n; k++) {
        add(error, "%s", k > 0 ? ", " : "");
        add_element(error, q->in_type[i]->dtype, at(q, i, k));
    }
    add(error, "%s", n == 1 ? "" : "]");
}

/* element -1: all of it. */
static void add_operand(ct__run_error *error, const ct__eval *q, size_t i, int64_t element)
{
    const ct_type *type = q->in_type[i];
    const bool is_single = type->kind == CT__TENSOR && ct__is_single(q, i);
    char name[64], text[128];

    if (type->kind != CT__TENSOR || type->size == 0)
        return;
    add(error, "\n    %s", ct__operand_name(q->op, q->attrs, q->n_operands, i, name, sizeof name));
    if (element >= 0) {
        add(error, " = ");
        add_element(error, type->dtype, ct__operand_at(q, i, element));
        return;
    }
    if (type->rank > 0)
        add(error, " %s", ct__type_print(type, text, sizeof text));
    if (is_single || type->size <= SHOWN)
        add_few(error, q, i, is_single ? 1 : type->size);
    else if (!ct_dtype_is_complex(type->dtype))
        add_range(error, q, i);
}

static void add_operands(ct__run_error *error, const ct__eval *q, int64_t element)
{
    for (size_t i = 0; i < q->n_operands && i < OPERANDS; i++)
        add_operand(error, q, i, element);
    if (q->n_operands > OPERANDS)
        add(error, "\n    …");
}

/* Decimals, from the last one on. */
static void add_exact(ct__run_error *error, ct__wide value)
{
    const bool is_negative = value < 0;
    char digits[48], *first = digits + sizeof digits - 1;

    *first = '\0';
    do {
        const int digit = (int)(value % 10);
        *--first = (char)('0' + (digit < 0 ? -digit : digit));
        value /= 10;
    } while (value != 0);
    add(error, "\n    exactly %s%s", is_negative ? "-" : "", first);
}

/* ---- Around it. */

static void add_provenance(ct__run_error *error, const ct__node *node)
{
    if (node->provenance.how != CT__WRITTEN)
        add(error, ", in the %sderivative of %s",
            node->provenance.how == CT__DERIVED_BACKWARD ? "backward " : "",
            ct__op_describe((ct__op)node->provenance.of)->name);
}

static void add_frame(ct__run_error *error, const ct__trap_frame *frame)
{
    const ct__node *node = frame->node;
    const char *name = ct__op_describe(node->op)->name;

    if (node->op == CT__OP_while || node->op == CT__OP_for || node->op == CT__OP_scan)
        add(error, "\n    in iteration %" PRId64 " of %s",
            frame->iteration < 0 ? 0 : frame->iteration, name);
    else if (ct__has(node->op, CT__CALLS))
        add(error, "\n    in %s of %s", name, node->region[0]->name);
    else
        add(error, "\n    in %s of %s", ct__has(node->op, CT__CONTROL) ? "a branch" : "the body",
            name);
    add_provenance(error, node);
    if (node->at.file)
        add(error, ", %s:%d", node->at.file, node->at.line);
}

static void add_frames(const ct__trap *trap, ct__run_error *error)
{
    size_t n = 0;

    for (const ct__trap_frame *f = trap->frame; f; f = f->outer)
        if (n++ < FRAMES)
            add_frame(error, f);
    if (n > FRAMES)
        add(error, "\n    … %zu more", n - FRAMES);
}

static const char *words_of(ct_trap kind, ct__op op)
{
    switch (kind) {
    case CT_TRAP_NAN: return "nan born";
    case CT_TRAP_INFINITY: return "infinity born";
    case CT_TRAP_OVERFLOW: return ct__is_shift(op) ? "shift beyond the width" : "integer overflow";
    default: return "division by zero";
    }
}

void ct__trap_tell(const ct__trap *trap, const ct__node *node, const ct__eval *q,
                   const ct__trouble *trouble)
{
    const ct_type *type = q->out_type[trouble->result];
    char place[CT__AT_BYTES], text[256], result[48] = "";

    ct__print_at(type, trouble->element, place);
    if (q->n_results > 1)
        snprintf(result, sizeof result, "result %zu, ", trouble->result);
    ct__run_fail(q, CT_ERR_TRAP, "%s%s %s %s%s", words_of(trouble->kind, q->op), place,
                 type->rank > 0 ? "of" : "in", result, ct__type_print(type, text, sizeof text));
    add_provenance(q->error, node);
    add_operands(q->error, q, trouble->is_elementwise ? trouble->element : -1);
    if (trouble->exact.is_known)
        add_exact(q->error, trouble->exact.value);
    add_frames(trap, q->error);
}

void ct__trap_tell_index(const ct__trap *trap, const ct__node *node, const ct__eval *q)
{
    q->error->status = CT_ERR_TRAP;
    add_provenance(q->error, node);
    add_operands(q->error, q, -1);
    add_frames(trap, q->error);
}
