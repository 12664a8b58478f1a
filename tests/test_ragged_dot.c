/* ragged_dot in its three modes: JAX's numbers, groups that do not fit, dtypes, the forward rule,
 * and every numbered constraint broken alone. */
#include "tests/infer.h"
#include "tests/programs.h"

#include <cotangent/ad.h>
#include <cotangent/op.h>

static void ragged(void *user, ct_list p, ct_tensor **r)
{
    r[0] = ct_op_ragged_dot(p.item[0], p.item[1], p.item[2], user);
}

static const int64_t axis0[] = {0}, axis1[] = {1};

/* x [m,k], y [g,k,n] */
static ct_ragged_dot_dims rows(void)
{
    return (ct_ragged_dot_dims){.lhs_contracting = {1, axis1},
                                .rhs_contracting = {1, axis1},
                                .lhs_ragged = {1, axis0},
                                .rhs_group = {1, axis0}};
}

/* jax.lax.ragged_dot_general on the same numbers. */
TEST(free_axis)
{
    ct_context *ctx = ct_context_new();
    ct_ragged_dot_dims d = rows();
    CHECK_VALUES(programs_run1(ctx, ragged, &d,
                               CT_ARGV(coded(ctx, CT_F32, 5, 2), coded(ctx, CT_F32, 3, 2, 2),
                                       given(ctx, CT_I32, CT_SHAPE(3), {2, 0, 2}))),
                 CT_SHAPE(5, 2), {10, 11, 110, 131, 8410, 8451, 12510, 12571, 0, 0});
    ct_ragged_dot_dims batched = {.lhs_batching = CT_DIMS(0),
                                  .rhs_batching = CT_DIMS(1),
                                  .lhs_contracting = CT_DIMS(2),
                                  .rhs_contracting = CT_DIMS(2),
                                  .lhs_ragged = CT_DIMS(1),
                                  .rhs_group = CT_DIMS(0)};
    CHECK_VALUES(programs_run1(ctx, ragged, &batched,
                               CT_ARGV(coded(ctx, CT_F32, 2, 3, 2), coded(ctx, CT_F32, 2, 2, 2, 2),
                                       given(ctx, CT_I32, CT_SHAPE(2, 2), {1, 1, 0, 2}))),
                 CT_SHAPE(2, 3, 2),
                 {10, 11, 21110, 21131, 0, 0, 222110, 222311, 244210, 244431, 0, 0});
    ct_context_free(ctx);
}

TEST(contracting_axis)
{
    ct_context *ctx = ct_context_new();
    ct_ragged_dot_dims d = {
        .lhs_contracting = CT_DIMS(0), .rhs_contracting = CT_DIMS(0), .lhs_ragged = CT_DIMS(0)};
    CHECK_VALUES(programs_run1(ctx, ragged, &d,
                               CT_ARGV(coded(ctx, CT_F32, 4, 2), coded(ctx, CT_F32, 4, 3),
                                       given(ctx, CT_U8, CT_SHAPE(2), {1, 2}))),
                 CT_SHAPE(2, 2, 3), {0, 0, 0, 0, 1, 2, 500, 530, 560, 530, 562, 594});
    ct_ragged_dot_dims batched = {.lhs_batching = CT_DIMS(0),
                                  .rhs_batching = CT_DIMS(0),
                                  .lhs_contracting = CT_DIMS(2),
                                  .rhs_contracting = CT_DIMS(1),
                                  .lhs_ragged = CT_DIMS(2)};
    CHECK_VALUES(programs_run1(ctx, ragged, &batched,
                               CT_ARGV(coded(ctx, CT_F32, 2, 3, 4), coded(ctx, CT_F32, 2, 4, 2),
                                       given(ctx, CT_I32, CT_SHAPE(2, 2), {1, 2, 3, 0}))),
                 CT_SHAPE(2, 2, 3, 2),
                 {0,  0,  0,   10,  0,   20,  33350, 33653, 36650, 36983, 39950, 40313,
                  50, 53, 350, 373, 650, 693, 0,     0,     0,     0,     0,     0});
    ct_context_free(ctx);
}

/* Terms x[i][j] y[i][j], axis 1 ragged: each i has sizes of its own. */
TEST(sizes_by_another_contracting_axis)
{
    ct_context *ctx = ct_context_new();
    ct_ragged_dot_dims d = {.lhs_contracting = CT_DIMS(0, 1),
                            .rhs_contracting = CT_DIMS(0, 1),
                            .lhs_ragged = CT_DIMS(1)};
    ct_tensor *x = given(ctx, CT_F64, CT_SHAPE(2, 3), {1, 2, 4, 8, 16, 32});
    ct_tensor *ones = ct_ones(ctx, CT_F64, CT_SHAPE(2, 3));
    CHECK_VALUES(programs_run1(ctx, ragged, &d,
                               CT_ARGV(x, ones, given(ctx, CT_I64, CT_SHAPE(2, 2), {1, 2, 2, 0}))),
                 CT_SHAPE(2), {1 + 8 + 16, 2 + 4});
    ct_context_free(ctx);
}

TEST(batching_axis)
{
    ct_context *ctx = ct_context_new();
    ct_ragged_dot_dims d = {.lhs_batching = CT_DIMS(0),
                            .rhs_batching = CT_DIMS(0),
                            .lhs_contracting = CT_DIMS(2),
                            .rhs_contracting = CT_DIMS(1),
                            .lhs_ragged = CT_DIMS(0)};
    CHECK_VALUES(programs_run1(ctx, ragged, &d,
                               CT_ARGV(coded(ctx, CT_F32, 3, 2, 2), coded(ctx, CT_F32, 3, 2, 2),
                                       given(ctx, CT_I32, CT_SHAPE(2), {1, 2}))),
                 CT_SHAPE(3, 2, 2),
                 {10, 11, 110, 131, 21110, 21311, 23210, 23431, 82210, 82611, 86310, 86731});
    ct_context_free(ctx);
}

/* Sizes below 0 count as 0, and sizes beyond the axis are cut, in every integer dtype. */
TEST(sizes_that_do_not_fit)
{
    ct_context *ctx = ct_context_new();
    ct_ragged_dot_dims d = rows();
    ct_tensor *x = given(ctx, CT_F32, CT_SHAPE(3, 1), {1, 2, 3});
    ct_tensor *y = given(ctx, CT_F32, CT_SHAPE(3, 1, 1), {1, 10, 100});
    CHECK_VALUES(
        programs_run1(ctx, ragged, &d, CT_ARGV(x, y, given(ctx, CT_I8, CT_SHAPE(3), {-5, 2, 127}))),
        CT_SHAPE(3, 1), {10, 20, 300});
    CHECK_VALUES(programs_run1(ctx, ragged, &d,
                               CT_ARGV(x, y, given(ctx, CT_U64, CT_SHAPE(3), {1, 0x1p63, 1}))),
                 CT_SHAPE(3, 1), {1, 20, 30});
    ct_context_free(ctx);
}

TEST(dtypes_and_nothing)
{
    ct_context *ctx = ct_context_new();
    ct_ragged_dot_dims d = rows();
    ct_tensor *sizes = given(ctx, CT_I32, CT_SHAPE(1), {1});
    /* halves are summed in f32, integers wrap */
    CHECK_VALUES(programs_run1(ctx, ragged, &d,
                               CT_ARGV(ct_ones(ctx, CT_BF16, CT_SHAPE(1, 300)),
                                       ct_ones(ctx, CT_BF16, CT_SHAPE(1, 300, 1)), sizes)),
                 CT_SHAPE(1, 1), {300});
    CHECK_VALUES(programs_run1(ctx, ragged, &d,
                               CT_ARGV(ct_ones(ctx, CT_I8, CT_SHAPE(1, 300)),
                                       ct_ones(ctx, CT_I8, CT_SHAPE(1, 300, 1)), sizes)),
                 CT_SHAPE(1, 1), {300 - 256});
    CHECK_VALUES(programs_run1(ctx, ragged, &d,
                               CT_ARGV(ct_ones(ctx, CT_F32, CT_SHAPE(2, 0)),
                                       ct_ones(ctx, CT_F32, CT_SHAPE(1, 0, 2)), sizes)),
                 CT_SHAPE(2, 2), {0, 0, 0, 0});
    CHECK(ct_size(programs_run1(ctx, ragged, &d,
                                CT_ARGV(ct_ones(ctx, CT_F32, CT_SHAPE(2, 3)),
                                        ct_ones(ctx, CT_F32, CT_SHAPE(1, 3, 0)), sizes))) == 0);
    ct_context_free(ctx);
}

/* Bilinear: the tangent is the product with dx in place of x, and with dy in place of y. */
TEST(forward_rule)
{
    ct_context *ctx = ct_context_new();
    ct_ragged_dot_dims d = rows();
    ct_tensor *x = coded(ctx, CT_F64, 5, 2), *y = coded(ctx, CT_F64, 3, 2, 2);
    ct_tensor *sizes = given(ctx, CT_I32, CT_SHAPE(3), {2, 0, 2});
    ct_trace_builder *b = ct_trace_begin(ctx, "f", CT_LIKE(x, y, sizes));
    ct_tensor *z = ct_op_ragged_dot(ct_trace_parameter(b, 0), ct_trace_parameter(b, 1),
                                    ct_trace_parameter(b, 2), &d);
    ct_function *f = ct_trace_end(b, CT_ARGV(z));
    ct_tensor *both[2];
    ct_apply(ct_jvp(f, CT_ARGS(0, 1)), CT_ARGV(x, y, sizes, x, y), both, 2);
    CHECK_VALUES(both[1], CT_SHAPE(5, 2), {20, 22, 220, 262, 16820, 16902, 25020, 25142, 0, 0});
    ct_context_free(ctx);
}

/* ---- Constraints. */

#define RAGGED(lb, rb, lc, rc, ragged, group)                                                      \
    {                                                                                              \
        .ragged_dot = { lb, rb, lc, rc, ragged, group, NULL, 0 }                                   \
    }
#define ROWS RAGGED(L(), L(), L(1), L(1), L(0), L(0))
#define TERMS RAGGED(L(0), L(0), L(2), L(1), L(2), L())

static const infer_case cases[] = {
    GOOD(ragged_dot, "f32[5,2] f32[3,2,4] i32[3]", "f32[5,4]", ROWS),
    GOOD(ragged_dot, "f32[2,3,4] f32[2,4,7] i64[2,5]", "f32[5,2,3,7]", TERMS),
    GOOD(ragged_dot, "f32[2,3,4] f32[2,4,7] i64[5]", "f32[5,2,3,7]", TERMS),
    GOOD(ragged_dot, "i8[2,3,4] i8[2,4,7] u8[5]", "i8[2,3,7]",
         RAGGED(L(0), L(0), L(2), L(1), L(0), L())),
    GOOD(ragged_dot, "f32[6,5,2] f32[3,2,4] i32[6,3]", "f32[6,5,4]",
         RAGGED(L(), L(), L(2), L(1), L(1), L(0))),
    BAD(ragged_dot, "f32[5,2] f64[3,2,4] i32[3]", TYPE,
        "x and y must have one dtype, got f32[5,2] and f64[3,2,4]", ROWS), /* C1 */
    BAD(ragged_dot, "f32[5,2] f32[3,2,4] i32[3]", SHAPE,
        "lhs_contracting_dimensions = [1] and rhs_contracting_dimensions = [] must have one length",
        RAGGED(L(), L(), L(1), L(), L(0), L(0))), /* C2 */
    BAD(ragged_dot, "f32[5,2] f32[3,2,4] i32[3]", SHAPE,
        "lhs_contracting_dimensions[0] = 2 must be an axis in [0, 2)",
        RAGGED(L(), L(), L(2), L(1), L(0), L(0))), /* C3 */
    BAD(ragged_dot, "f32[5,2] f32[3,3,4] i32[3]", SHAPE,
        "axis lhs_contracting_dimensions[0] = 1 of x: f32[5,2] and axis "
        "rhs_contracting_dimensions[0] = 1 of y: f32[3,3,4] must have one extent",
        ROWS), /* C4 */
    BAD(ragged_dot, "f32[5,2] f32[3,2,4] i32[3]", SHAPE,
        "lhs_ragged_dimensions = [] must name one axis",
        RAGGED(L(), L(), L(1), L(1), L(), L(0))), /* C5 */
    BAD(ragged_dot, "f32[5,2] f32[3,2,4] i32[3]", SHAPE,
        "lhs_ragged_dimensions = [0, 0] must name one axis",
        RAGGED(L(), L(), L(1), L(1), L(0, 0), L(0))), /* C5 */
    BAD(ragged_dot, "f32[5,2] f32[3,2,4] i32[3]", SHAPE,
        "lhs_ragged_dimensions[0] = 2 must be an axis in [0, 2)",
        RAGGED(L(), L(), L(1), L(1), L(2), L(0))), /* C5 */
    BAD(ragged_dot, "f32[5,2] f32[3,2,4] f32[3]", TYPE, "group_sizes must be integers, got f32[3]",
        ROWS), /* C6 */
    BAD(ragged_dot, "f32[5,2] f32[3,2,4] i32[]", SHAPE,
        "group_sizes must have one axis, or the axes [] of x: f32[5,2] and one more, got i32[]",
        ROWS), /* C6 */
    BAD(ragged_dot, "f32[2,3,4] f32[2,4,7] i32[3,5]", SHAPE,
        "group_sizes must have one axis, or the axes [0] of x: f32[2,3,4] and one more, got "
        "i32[3,5]",
        TERMS), /* C6 */
    BAD(ragged_dot, "f32[5,2] f32[3,2,4] i32[3]", SHAPE,
        "rhs_group_dimensions[0] = 3 must be an axis in [0, 3)",
        RAGGED(L(), L(), L(1), L(1), L(0), L(3))), /* C7 */
    BAD(ragged_dot, "f32[5,2] f32[3,2,4] i32[3]", SHAPE,
        "rhs_group_dimensions = [1] and rhs_contracting_dimensions = [1] must not name axis 1 "
        "twice",
        RAGGED(L(), L(), L(1), L(1), L(0), L(1))), /* C7 */
    BAD(ragged_dot, "f32[5,2] f32[3,2,4] i32[3]", SHAPE,
        "rhs_group_dimensions = [] must name one axis: the ragged axis of x is neither batching "
        "nor contracting",
        RAGGED(L(), L(), L(1), L(1), L(0), L())), /* C7 */
    BAD(ragged_dot, "f32[2,3,4] f32[2,4,7] i32[5]", SHAPE,
        "rhs_group_dimensions = [2] must name no axis: the ragged axis of x is batching or "
        "contracting",
        RAGGED(L(0), L(0), L(2), L(1), L(2), L(2))), /* C7 */
    BAD(ragged_dot, "f32[5,2] f32[3,2,4] i32[2]", SHAPE,
        "axis rhs_group_dimensions[0] = 0 of y: f32[3,2,4] must have the 2 groups of group_sizes",
        ROWS), /* C7 */
};

TEST(types_and_constraints)
{
    CHECK_CASES(cases);
}
