/* Gradients of uncounted loops inside scans: rows that are stacks, and stacks of stacks. */
#include "tests/samples.h"

#include <cotangent/cotangent.h>

static ct_tensor *is_small(void *user, ct_tensor *const *carry)
{
    (void)user;
    return ct_lt(ct_sum(ct_square(carry[0]), CT_ALL_AXES, CT_DROP_AXES), 100);
}

static void grow(void *user, ct_tensor **carry)
{
    /* at least 2 more, whatever the values: it ends */
    carry[0] = ct_add(ct_add(carry[0], 3), ct_sin(ct_mul(carry[0], user)));
}

static void grow_row(void *user, ct_tensor **carry, ct_tensor *const *x, ct_tensor **y)
{
    (void)user;
    ct_tensor *row = ct_mul(carry[0], x[0]);
    ct_while(is_small, grow, x[0], 1, &row);
    y[0] = row;
    carry[0] = ct_add(ct_sin(row), carry[0]);
}

static void grow_rows(void *user, ct_tensor **carry, ct_tensor *const *x, ct_tensor **y)
{
    ct_tensor *all;
    (void)x;
    ct_scan(grow_row, NULL, .length = 3, .n_carry = 1, .carry = carry, .xs = CT_ARGV(user),
            .n_ys = 1, .ys = &all, .reverse = true);
    y[0] = ct_sum(all, CT_ALL_AXES, CT_DROP_AXES);
}

static ct_function *gradient_of(ct_context *ctx, const char *name, int64_t rows, ct_scan_body *body,
                                bool is_nested)
{
    ct_tensor *y;
    ct_trace_builder *b = ct_trace_begin(
        ctx, name,
        CT_LIKE(ct_spec(ctx, CT_F64, CT_SHAPE(2)), ct_spec(ctx, CT_F64, CT_SHAPE(rows, 2))));
    ct_tensor *carry = ct_trace_parameter(b, 0), *x = ct_trace_parameter(b, 1);
    ct_scan(body, x, .length = is_nested ? 4 : rows, .n_carry = 1, .carry = &carry,
            .xs = is_nested ? CT_NO_TENSORS : CT_ARGV(x), .n_ys = 1, .ys = &y);
    y = ct_add(ct_sum(y, CT_ALL_AXES, CT_DROP_AXES), ct_sum(carry, CT_ALL_AXES, CT_DROP_AXES));
    return ct_grad(ct_trace_end(b, CT_ARGV(y)), CT_ARGS(0, 1));
}

ct_function *samples_scan_of_stacks(ct_context *ctx)
{
    return gradient_of(ctx, "scan_of_stacks", 3, grow_row, false);
}

ct_function *samples_scan_of_no_stacks(ct_context *ctx)
{
    return gradient_of(ctx, "scan_of_no_stacks", 0, grow_row, false);
}

ct_function *samples_scan_of_deep_stacks(ct_context *ctx)
{
    return gradient_of(ctx, "scan_of_deep_stacks", 3, grow_rows, true);
}
