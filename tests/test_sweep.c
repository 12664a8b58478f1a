/* Every operation, with every dtype that it takes and with operands of rank 0, of rank 6, and
 * without elements: computed at once, traced and run, printed and read. */
#include "tests/check.h"
#include "tests/sweep.h"

#include "trace/trace.h"

#include <stdio.h>
#include <string.h>

static sweep state; /* one after another; `seen` is kept */

/* All four shapes with one dtype of each class, the plain one with all. */
static void check_rows(const sweep_row *row, size_t count)
{
    static const ct_dtype usual[] = {CT_F32, CT_BF16, CT_I8, CT_U32, CT_BOOL, CT_C64, CT_F64};

    for (size_t i = 0; i < count; i++) {
        for (int dtype = CT_BOOL; dtype < CT_DTYPE_COUNT; dtype++)
            if (sweep_takes(&row[i], (ct_dtype)dtype))
                sweep_check(&state, &row[i], (ct_dtype)dtype,
                            row[i].shapes & SWEEP_PLAIN ? SWEEP_PLAIN : row[i].shapes);
        for (unsigned shape = SWEEP_SCALAR; shape <= SWEEP_SIX; shape *= 2)
            for (size_t k = 0; k < sizeof usual / sizeof *usual; k++)
                if ((row[i].shapes & shape) && sweep_takes(&row[i], usual[k]))
                    sweep_check(&state, &row[i], usual[k], shape);
    }
}

/* ---- Elementwise operations without attributes, straight from ops.def. */

static ct__op elementwise; /* of the row */

static void apply_elementwise(sweep *s)
{
    bool open;
    ct_tensor *x[3] = {NULL};
    const size_t arity = ct__op_arity(elementwise, &open);

    for (size_t i = 0; i < arity; i++)
        x[i] = sweep_x(s);
    sweep_give(
        s,
        ct__apply1(&(ct__request){
            .ctx = s->ctx, .at = CT_HERE, .op = elementwise, .n_operands = arity, .operand = x}));
}

TEST(elementwise_operations)
{
    int count = 0;

    for (int op = 0; op < CT__OP_COUNT; op++) {
        const ct__op_info *info = ct__op_describe((ct__op)op);
        const bool is_other = op == CT__OP_select || op == CT__OP_complex ||
                              op == CT__OP_uniform_quantize || op == CT__OP_uniform_dequantize;
        if (!ct__has((ct__op)op, CT__ELEMENTWISE) || info->attrs != CT__ATTRS_none || is_other)
            continue;
        const sweep_row row = {info->name, apply_elementwise, SWEEP_ALL, info->dtypes,
                               NULL,       SWEEP_RUNS};
        elementwise = (ct__op)op;
        check_rows(&row, 1);
        count++;
    }
    CHECK(count > 55);
}

TEST(moving)
{
    check_rows(sweep_rows, n_sweep_rows);
}

TEST(large)
{
    check_rows(sweep_large_rows, n_sweep_large_rows);
}

TEST(programs)
{
    check_rows(sweep_program_rows, n_sweep_program_rows);
}

/* The tests before have met every operation. */
TEST(every_operation_has_a_row)
{
    int missing = 0;

    for (int op = 0; op < CT__OP_COUNT; op++)
        if (!state.seen[op] && op != CT__OP_transposed_call) { /* inside of transforms alone */
            printf("%s has no row\n", ct__op_describe((ct__op)op)->name);
            missing++;
        }
    CHECK_MSG(missing == 0, "%d operations have no row", missing);
}
