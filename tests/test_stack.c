/* Stacks in the interpreter: of many sizes, filled in any order, and older versions of them. */
#include "tests/programs.h"
#include "tests/values.h"

#include <cotangent/cotangent.h>
#include <cotangent/op_stack.h>

#include <stdlib.h>

/* stack[x] += [x, -x] for x = order[i] */
static void add_row(void *user, ct_tensor *i, ct_tensor **carry)
{
    ct_tensor *x = ct_take(user, i, 0, CT_CLAMP), *value = ct_cast(x, CT_F64);
    ct_tensor *both[] = {value, ct_neg(value)};
    carry[0] = ct_op_stack_add(carry[0], x, ct_stack(((ct_list){2, both}), 0));
}

static void add_all(ct_tensor *order, ct_tensor **stack)
{
    ct_for(add_row, order, ct_scalar(ct_context_of(order), CT_I64, (double)ct_dim(order, 0)), 1,
           stack);
}

static void get_row(void *user, ct_tensor **carry, ct_tensor *const *x, ct_tensor **y)
{
    (void)carry;
    y[0] = ct_op_stack_get(user, x[0]);
}

static ct_tensor *read_all(ct_tensor *stack, ct_tensor *indices)
{
    ct_tensor *rows;
    ct_scan(get_row, stack, .length = ct_dim(indices, 0), .xs = CT_ARGV(indices), .n_ys = 1,
            .ys = &rows);
    return rows;
}

/* (order, more, indices): the rows after order, those after more too, and the first ones again. */
static void versions(void *user, ct_list p, ct_tensor **r)
{
    ct_context *ctx = ct_context_of(p.item[0]);
    ct_tensor *first = ct_op_stack_new(ct_zeros(ctx, CT_F64, CT_SHAPE(2)));
    (void)user;
    add_all(p.item[0], &first);
    ct_tensor *second = first;
    r[0] = read_all(first, p.item[2]);
    add_all(p.item[1], &second);
    r[1] = read_all(second, p.item[2]);
    r[2] = read_all(first, p.item[2]);
}

static void run(ct_context *ctx, ct_many_function *code, ct_list arguments, ct_tensor **r)
{
    ct_call(ct_compile(ct_trace_many(ctx, code, NULL, 3, arguments), NULL), arguments, r, 3);
}

/* How often each index below n, and one behind, was added, times itself. */
static void check_rows(ct_tensor *rows, const int64_t *times, int64_t n)
{
    for (int64_t i = 0; i <= n; i++)
        for (int64_t part = 0; part < 2; part++) {
            double want = (double)(times[i] * i) * (part ? -1 : 1);
            CHECK_MSG(ct_at(rows, i, part) == want, "of %lld, row %lld: %g, not %g", (long long)n,
                      (long long)i, ct_at(rows, i, part), want);
        }
}

static void check_size(int64_t n)
{
    ct_context *ctx = ct_context_new();
    int64_t *once = calloc(4 * (size_t)(n + 1), sizeof *once), *twice = once + n + 1;
    int64_t *order = twice + n + 1, *more = order + n + 1;
    ct_tensor *rows[3];
    CHECK(once);
    for (int64_t i = 0; i < n; i++) { /* shuffled, then any */
        int64_t k = programs_pick(i + 1);
        order[i] = order[k];
        order[k] = i;
        more[i] = programs_pick(n);
        once[i] = 1;
    }
    for (int64_t i = 0; i < n; i++) {
        twice[i] += once[i];
        twice[more[i]]++;
    }
    run(ctx, versions,
        CT_ARGV(ct_from_data(ctx, CT_I64, CT_SHAPE(n), order),
                ct_from_data(ctx, CT_I64, CT_SHAPE(n), more),
                ct_arange(ctx, CT_I64, 0, (double)(n + 1), 1)),
        rows);
    CHECK_OK(ctx);
    check_rows(rows[0], once, n);
    check_rows(rows[1], twice, n);
    check_rows(rows[2], once, n);
    free(once);
    ct_context_free(ctx);
}

TEST(sizes_and_versions)
{
    static const int64_t sizes[] = {1, 2, 3, 4, 5, 15, 16, 17, 19, 20, 21, 47, 48, 49, 200, 500};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        check_size(sizes[i]);
}

/* From the last to the first, and far apart: what lies between takes no memory. */
static void far_apart(void *user, ct_list p, ct_tensor **r)
{
    ct_tensor *x = p.item[0], *far = p.item[1];
    ct_context *ctx = ct_context_of(x);
    ct_tensor *stack = ct_op_stack_new(x), *near = ct_scalar(ctx, CT_I64, 3);
    (void)user;
    stack = ct_op_stack_add(ct_op_stack_add(stack, far, x), near, ct_mul(x, 2));
    stack = ct_op_stack_sum(stack, stack);
    r[0] = ct_op_stack_get(stack, far);
    r[1] = ct_op_stack_get(stack, near);
    r[2] = ct_op_stack_get(stack, ct_sub(far, 1));
}

TEST(far_indices)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = given(ctx, CT_F32, CT_SHAPE(3), {1, 2, 3}), *r[3];
    run(ctx, far_apart, CT_ARGV(x, ct_scalar(ctx, CT_I64, 100000)), r);
    CHECK_VALUES(r[0], CT_SHAPE(3), {2, 4, 6});
    CHECK_VALUES(r[1], CT_SHAPE(3), {4, 8, 12});
    CHECK_VALUES(r[2], CT_SHAPE(3), {0, 0, 0});
    run(ctx, far_apart, CT_ARGV(x, ct_scalar(ctx, CT_I64, 9e18)), r);
    CHECK_ERROR(ctx, CT_ERR_MEMORY, "out of memory");
    ct_context_free(ctx);
}
