#include "tests/bodies.h"

static void run(void *user, ct_list parameters, ct_tensor **result)
{
    ((const bodies_body *)user)->code(parameters.item, result);
}

ct_function *bodies_record(ct_context *ctx, const bodies_body *body, ct_dtype dtype,
                           ct_list captures)
{
    bodies_body own = *body;
    ct_tensor *example[16], *scalar = ct_zeros(ctx, dtype, CT_SHAPE());
    size_t count = 0;
    while (count < 2 * body->n)
        example[count++] = scalar;
    for (size_t i = 0; i < captures.count; i++)
        example[count++] = captures.item[i];
    ct_list examples = {count, example};
    return ct_trace_many(ctx, run, &own, body->n, examples);
}

ct_tensor *bodies_join(size_t n, ct_tensor *const *x)
{
    ct_tensor *flat[8];
    for (size_t i = 0; i < n; i++)
        flat[i] = ct_op_reshape(x[i], CT_DIMS(ct_size(x[i])));
    return ct_op_concatenate((ct_list){n, flat}, 0);
}

static ct_tensor *number(ct_tensor *like, double value)
{
    return ct_scalar(ct_context_of(like), ct_dtype_of(like), value);
}

/* ---- One operand. */

void bodies_product(ct_tensor *const *p, ct_tensor **result)
{
    result[0] = ct_op_add(ct_op_add(p[0], p[1]), ct_op_multiply(p[0], p[1]));
}

void bodies_length(ct_tensor *const *p, ct_tensor **result)
{
    result[0] = ct_op_sqrt(ct_op_add(ct_op_multiply(p[0], p[0]), ct_op_multiply(p[1], p[1])));
}

void bodies_difference(ct_tensor *const *p, ct_tensor **result)
{
    result[0] = ct_op_subtract(ct_op_add(p[0], p[0]), p[1]);
}

void bodies_new(ct_tensor *const *p, ct_tensor **result)
{
    result[0] = p[1];
}

void bodies_old(ct_tensor *const *p, ct_tensor **result)
{
    result[0] = p[0];
}

static ct_tensor *times(void *user, ct_tensor *a, ct_tensor *b)
{
    (void)user;
    return ct_op_multiply(a, b);
}

static ct_tensor *plus_square(void *user, ct_tensor *a, ct_tensor *b)
{
    (void)user;
    return ct_op_add(a, ct_op_multiply(b, b));
}

void bodies_branch(ct_tensor *const *p, ct_tensor **result)
{
    ct_context *ctx = ct_context_of(p[0]);
    ct_tensor *less = ct_op_compare(p[0], p[1], CT_LT, CT_COMPARE_DEFAULT);
    ct_function *then = ct_trace_user(ctx, times, NULL, CT_LIKE(p[0], p[1]));
    ct_function *otherwise = ct_trace_user(ctx, plus_square, NULL, CT_LIKE(p[0], p[1]));
    ct_op_if(less, then, otherwise, CT_ARGV(p[0], p[1]), result, 1);
}

static void step(void *user, ct_list p, ct_tensor **result)
{
    (void)user;
    result[0] = ct_op_add(p.item[0], ct_op_multiply(p.item[1], p.item[1]));
}

void bodies_loop(ct_tensor *const *p, ct_tensor **result)
{
    ct_function *body = ct_trace_many(ct_context_of(p[0]), step, NULL, 1, CT_LIKE(p[0], p[1]));
    ct_op_scan(2, CT_ARGV(p[0]), CT_NO_TENSORS, CT_ARGV(p[1]), false, body, result, 1);
}

/* ---- Captures. */

static ct_tensor *element(ct_tensor *v, ct_tensor *i)
{
    return ct_op_reshape(ct_op_dynamic_slice(v, CT_ARGV(i), CT_DIMS(1), false), CT_DIMS());
}

void bodies_captures(ct_tensor *const *p, ct_tensor **result)
{
    ct_tensor *i = ct_scalar(ct_context_of(p[0]), CT_I32, 1);
    result[0] = ct_op_add(ct_op_multiply(p[2], p[0]), ct_op_multiply(p[1], element(p[3], i)));
}

void bodies_lookup(ct_tensor *const *p, ct_tensor **result)
{
    ct_context *ctx = ct_context_of(p[0]);
    ct_tensor *above = ct_op_compare(p[1], number(p[1], 1.25), CT_GT, CT_COMPARE_DEFAULT);
    ct_tensor *i = ct_op_select(above, ct_scalar(ctx, CT_I32, 2), ct_scalar(ctx, CT_I32, 0));
    result[0] = ct_op_add(p[0], ct_op_multiply(p[1], element(p[3], i)));
}

void bodies_constant(ct_tensor *const *p, ct_tensor **result)
{
    result[0] = p[2];
}

/* ---- Several operands. */

/* n'' = n + n', d = mean' - mean, mean'' = mean + d n'/n'', m2'' = m2 + m2' + d² n n'/n'' (Chan) */
void bodies_welford(ct_tensor *const *p, ct_tensor **result)
{
    ct_tensor *n = ct_op_add(p[0], p[3]), *d = ct_op_subtract(p[4], p[1]);
    ct_tensor *part = ct_op_divide(p[3], n);
    ct_tensor *spread = ct_op_multiply(ct_op_multiply(d, d), ct_op_multiply(p[0], part));
    result[0] = n;
    result[1] = ct_op_add(p[1], ct_op_multiply(d, part));
    result[2] = ct_op_add(ct_op_add(p[2], p[5]), spread);
}

void bodies_logs(ct_tensor *const *p, ct_tensor **result)
{
    ct_tensor *m = ct_op_maximum(p[0], p[2]);
    ct_tensor *a = ct_op_multiply(p[1], ct_op_exponential(ct_op_subtract(p[0], m)));
    ct_tensor *b = ct_op_multiply(p[3], ct_op_exponential(ct_op_subtract(p[2], m)));
    result[0] = m;
    result[1] = ct_op_add(a, b);
}

void bodies_argument(ct_tensor *const *p, ct_tensor **result)
{
    ct_tensor *stays = ct_op_compare(p[0], p[2], CT_GE, CT_COMPARE_DEFAULT);
    result[0] = ct_op_select(stays, p[0], p[2]);
    result[1] = ct_op_select(stays, p[1], p[3]);
}

void bodies_crossed(ct_tensor *const *p, ct_tensor **result)
{
    result[0] = ct_op_add(p[0], ct_op_multiply(p[3], number(p[3], 2)));
    result[1] = ct_op_subtract(p[1], ct_op_multiply(p[2], number(p[2], 3)));
}
