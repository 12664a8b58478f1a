/* Checkpoints and loops that keep less: the same values and derivatives, in every mode and order.
 */
#include "tests/derivatives.h"

#include <cotangent/cotangent.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- A layer: tanh(tanh(x w) w) with a name in the middle. */

static ct_tensor *layer(ct_tensor *x, ct_tensor *w)
{
    ct_tensor *middle = ct_name(ct_tanh(ct_matmul(x, w)), "middle");
    return ct_tanh(ct_matmul(middle, w));
}

static ct_tensor *checkpointed(const void *user, ct_tensor *const *x)
{
    ct_function *f = ct_trace(ct_context_of(x[0]), layer, CT_LIKE(x[0], x[1]));
    ct_function *g = ct_checkpoint(f, user);
    ct_tensor *once = ct_apply1(g, CT_ARGV(x[0], x[1]));
    return ct_sin(ct_apply1(g, CT_ARGV(once, x[1])));
}

static const char *const middle[] = {"other", "middle"};
static const ct_checkpoint_options policies[] = {
    {.size = sizeof(ct_checkpoint_options)},
    {.size = sizeof(ct_checkpoint_options), .keep = CT_KEEP_DOTS},
    {.size = sizeof(ct_checkpoint_options), .keep = CT_KEEP_NAMED, .n_names = 2, .names = middle},
    {.size = sizeof(ct_checkpoint_options), .keep = CT_KEEP_BYTES, .bytes = 40},
    {.size = sizeof(ct_checkpoint_options), .keep = CT_KEEP_BYTES, .bytes = 1 << 20},
};
#define N_POLICIES (sizeof policies / sizeof *policies)

TEST(derivatives_under_every_policy)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = given(ctx, CT_F64, CT_SHAPE(1, 2), {0.3, -0.5});
    ct_tensor *w = given(ctx, CT_F64, CT_SHAPE(2, 2), {0.25, 1, -0.5, 0.75});
    for (size_t i = 0; i < N_POLICIES; i++)
        CHECK_SMOOTH(ctx, checkpointed, &policies[i], 2, x, w);
    ct_context_free(ctx);
}

/* Operations of this name in the gradient of the checkpoint, its bodies included. */
static size_t count_in(ct_function *f, const char *operation)
{
    const char *text = ct_function_text(f, CT_TEXT_STABLEHLO);
    size_t count = 0, length = strlen(operation);
    while ((text = strstr(text, operation))) {
        text += length;
        count++;
    }
    return count;
}

static ct_tensor *sum_of_layer(ct_tensor *x, ct_tensor *w)
{
    return ct_sum(layer(x, w), CT_ALL_AXES, CT_DROP_AXES);
}

/* Without a checkpoint tanh is computed twice; with one, two times more unless it is kept. */
TEST(what_is_done_again)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = ct_spec(ctx, CT_F64, CT_SHAPE(1, 2)), *w = ct_spec(ctx, CT_F64, CT_SHAPE(2, 2));
    ct_function *f = ct_trace(ctx, sum_of_layer, CT_LIKE(x, w));
    static const size_t tanhs[N_POLICIES] = {4, 4, 3, 2, 2};
    CHECK(count_in(ct_value_and_grad(f, CT_ARGS(0)), "stablehlo.tanh") == 2);
    for (size_t i = 0; i < N_POLICIES; i++) {
        ct_function *grad = ct_value_and_grad(ct_checkpoint(f, &policies[i]), CT_ARGS(0));
        CHECK_MSG(count_in(grad, "stablehlo.tanh") == tanhs[i], "policy %zu: %s", i,
                  ct_function_text(grad, CT_TEXT_STABLEHLO));
        size_t simple = count_in(ct_simplify(grad), "stablehlo.tanh");
        CHECK_MSG(simple == tanhs[i], "policy %zu: %zu after simplifying", i, simple);
    }
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* ---- Checkpoints in bodies, and loops of unknown count in checkpoints, with strict reads. */

typedef struct place {
    const ct_checkpoint_options *options;
    ct_tensor *w;
} place;

static ct_tensor *is_low(void *user, ct_tensor *const *carry)
{
    (void)user;
    return ct_lt(carry[0], 4);
}

static void raise_it(void *user, ct_tensor **carry)
{
    carry[0] = ct_add(carry[0], 1);
    carry[1] = ct_sin(ct_mul(carry[1], user));
}

static ct_tensor *inner(ct_tensor *x, ct_tensor *w)
{
    ct_tensor *index = ct_from_data(ct_context_of(x), CT_I32, CT_SHAPE(1), (const int32_t[]){1});
    ct_tensor *second = ct_take(w, index, 0, CT_STRICT);
    ct_tensor *carry[] = {ct_ceil(ct_mul(ct_sum(x, CT_ALL_AXES, CT_DROP_AXES), 0)), x};
    ct_while(is_low, raise_it, ct_name(ct_mul(second, second), "middle"), 2, carry);
    return ct_add(carry[1], ct_mul(x, w));
}

static ct_tensor *again(const place *p, ct_tensor *x)
{
    ct_function *f = ct_trace(ct_context_of(x), inner, CT_LIKE(x, p->w));
    return ct_apply1(ct_checkpoint(ct_checkpoint(f, p->options), NULL), CT_ARGV(x, p->w));
}

static ct_tensor *then_again(void *user)
{
    ct_tensor **x = ((void **)user)[1];
    return again(((void **)user)[0], *x);
}

static ct_tensor *or_not(void *user)
{
    ct_tensor **x = ((void **)user)[1];
    return ct_square(*x);
}

static void each_row(void *user, ct_tensor **carry, ct_tensor *const *x, ct_tensor **y)
{
    ct_tensor *sum = ct_add(carry[0], x[0]);
    y[0] = ct_if(ct_gt(ct_sum(sum, CT_ALL_AXES, CT_DROP_AXES), 0), then_again, or_not,
                 ((void *[]){user, &sum}));
    carry[0] = again(user, ct_cos(sum));
}

static void each_time(void *user, ct_tensor **carry)
{
    carry[0] = ct_add(carry[0], 2);
    carry[1] = again(user, carry[1]);
}

static ct_tensor *in_bodies(const void *user, ct_tensor *const *x)
{
    place p = {user, x[1]};
    ct_tensor *y, *sum = x[1], *carry[2] = {ct_scalar(ct_context_of(x[1]), CT_I32, 0)};
    ct_scan(each_row, &p, .length = 2, .n_carry = 1, .carry = &sum, .xs = CT_ARGV(x[0]), .n_ys = 1,
            .ys = &y);
    carry[1] = sum;
    ct_while(is_low, each_time, &p, 2, carry);
    return ct_add(y, carry[1]);
}

TEST(checkpoints_in_bodies)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = given(ctx, CT_F64, CT_SHAPE(2, 2), {0.3, -0.5, -2, 1});
    ct_tensor *w = given(ctx, CT_F64, CT_SHAPE(2), {0.25, 0.75});
    for (size_t i = 0; i < N_POLICIES; i++)
        CHECK_SMOOTH(ctx, in_bodies, &policies[i], 2, x, w);
    ct_context_free(ctx);
}

/* As many names and bytes as there can be. */
TEST(large_options)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = ct_spec(ctx, CT_F64, CT_SHAPE(1, 2)), *w = ct_spec(ctx, CT_F64, CT_SHAPE(2, 2));
    ct_function *f = ct_trace(ctx, sum_of_layer, CT_LIKE(x, w));
    const char *names[500];
    for (size_t i = 0; i < 500; i++)
        names[i] = i < 499 ? "not_in_the_middle" : "middle";
    const ct_checkpoint_options many = {
        .size = sizeof many, .keep = CT_KEEP_NAMED, .n_names = 500, .names = names};
    const ct_checkpoint_options all = {
        .size = sizeof all, .keep = CT_KEEP_BYTES, .bytes = INT64_MAX};
    ct_function *named = ct_value_and_grad(ct_checkpoint(f, &many), CT_ARGS(0));
    ct_function *kept = ct_value_and_grad(ct_checkpoint(f, &all), CT_ARGS(0));
    CHECK(count_in(named, "stablehlo.tanh") == 3);
    CHECK(count_in(kept, "stablehlo.tanh") == 2);
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* Options in a text may be any numbers: below the least they are that, above the largest it. */
TEST(options_in_a_text)
{
    static const char form[] =
        "func.func private @f(%%x: tensor<f64>) -> tensor<f64> {\n"
        "  %%0 = stablehlo.tanh %%x : tensor<f64>\n  %%1 = stablehlo.tanh %%0 : tensor<f64>\n"
        "  return %%1 : tensor<f64>\n}\n"
        "func.func @main(%%x: tensor<f64>) -> tensor<f64> {\n"
        "  %%0 = stablehlo.composite \"ct.checkpoint\" %%x {composite_attributes = {%s}, "
        "decomposition = @f} : (tensor<f64>) -> tensor<f64>\n  return %%0 : tensor<f64>\n}\n";
    static const struct {
        const char *options;
        uint64_t kept;
    } rows[] = {{"keep = 3 : i64, bytes = 1.0e300 : f64", 16},
                {"keep = 3 : i64, bytes = -1.0e300 : f64", 0},
                {"keep = 1.0e300 : f64", 0},
                {"keep = -1.0e300 : f64", 0}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ct_context *ctx = ct_context_new();
        char text[1000];
        int length = snprintf(text, sizeof text, form, rows[i].options);
        ct_module *module = ct_read_stablehlo_text(ctx, "t", text, (size_t)length);
        ct_residual_report *report = ct_residuals(ct_module_function(module, "main"), CT_ARGS(0));
        CHECK_OK(ctx);
        CHECK_MSG(ct_residuals_bytes(report, CT_RESIDUAL_KEPT) == rows[i].kept, "%s: %s",
                  rows[i].options, ct_residuals_text(report));
        ct_context_free(ctx);
    }
}

/* What an operation with a body gives is kept by its name as well. */
static ct_tensor *by_largest(ct_tensor *x, ct_tensor *w)
{
    ct_tensor *largest = ct_name(ct_max(ct_tanh(x), CT_ALL_AXES, CT_DROP_AXES), "middle");
    return ct_sum(ct_mul(ct_sin(ct_square(largest)), w), CT_ALL_AXES, CT_DROP_AXES);
}

TEST(a_name_of_what_a_body_gives)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = ct_spec(ctx, CT_F64, CT_SHAPE(1, 2)), *w = ct_spec(ctx, CT_F64, CT_SHAPE(2, 2));
    ct_function *f = ct_trace(ctx, by_largest, CT_LIKE(x, w));
    ct_residual_report *report = ct_residuals(ct_checkpoint(f, &policies[2]), CT_ARGS(0));
    CHECK_MSG(ct_residuals_bytes(report, CT_RESIDUAL_KEPT) == 8, "%s", ct_residuals_text(report));
    ct_context_free(ctx);
}

/* ---- Bytes go where they spare most. */

/* Three layers, each h + sin(h²) of h = tanh(x w), 256 bytes for each value. */
static ct_tensor *net(ct_tensor *x, ct_tensor *w)
{
    for (int i = 0; i < 3; i++) {
        ct_tensor *h = ct_name(ct_tanh(ct_matmul(x, w)), i == 1 ? "middle" : "h");
        x = ct_add(h, ct_sin(ct_square(h)));
    }
    return ct_sum(x, CT_ALL_AXES, CT_DROP_AXES);
}

static void twice(void *user, ct_tensor **carry, ct_tensor *const *x, ct_tensor **y)
{
    (void)x;
    carry[0] = ct_tanh(ct_matmul(carry[0], user));
    y[0] = ct_sin(carry[0]);
}

static ct_tensor *other_way(void *user)
{
    return ct_square(user);
}

static ct_tensor *one_way(void *user)
{
    return ct_exp(ct_sin(user));
}

/* The same with a call, a choice, and a loop of two results. */
static ct_tensor *net_with_bodies(ct_tensor *x, ct_tensor *w)
{
    ct_tensor *carry[] = {
        ct_apply1(ct_trace(ct_context_of(x), layer, CT_LIKE(x, w)), CT_ARGV(x, w))};
    ct_tensor *y;
    ct_scan(twice, w, .length = 5, .n_carry = 1, .carry = carry, .n_ys = 1, .ys = &y);
    ct_tensor *chosen = ct_if(ct_gt(ct_max(y, CT_ALL_AXES, CT_DROP_AXES), 0), one_way, other_way,
                              ct_tanh(carry[0]));
    return ct_add(net(chosen, w), ct_sum(ct_square(y), CT_ALL_AXES, CT_DROP_AXES));
}

/* The work of value and gradient under a policy; what is kept fits the bytes. */
static uint64_t work_of(ct_function *f, ct_keep_policy keep, int64_t bytes)
{
    const ct_checkpoint_options o = {
        .size = sizeof o, .keep = keep, .n_names = 2, .names = middle, .bytes = bytes};
    ct_function *g = ct_checkpoint(f, &o);
    uint64_t kept = ct_residuals_bytes(ct_residuals(g, CT_ALL_ARGS), CT_RESIDUAL_KEPT);
    CHECK_MSG(keep != CT_KEEP_BYTES || kept <= (uint64_t)bytes, "%d bytes: %d are kept", (int)bytes,
              (int)kept);
    return ct_function_flops(ct_value_and_grad(g, CT_ALL_ARGS));
}

TEST(bytes_go_where_they_spare_most)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = ct_spec(ctx, CT_F64, CT_SHAPE(8, 4)), *w = ct_spec(ctx, CT_F64, CT_SHAPE(4, 4));
    ct_function *f = ct_trace(ctx, net, CT_LIKE(x, w));
    uint64_t nothing = work_of(f, CT_KEEP_NOTHING, 0), named = work_of(f, CT_KEEP_NAMED, 0);
    uint64_t dots = work_of(f, CT_KEEP_DOTS, 0);
    uint64_t plain = ct_function_flops(ct_value_and_grad(f, CT_ALL_ARGS));
    CHECK(work_of(f, CT_KEEP_BYTES, 255) == nothing);
    CHECK(work_of(f, CT_KEEP_BYTES, 256) == named && named < nothing);
    CHECK(work_of(f, CT_KEEP_BYTES, 768) <= dots && dots < named);
    CHECK(work_of(f, CT_KEEP_BYTES, 1 << 20) == plain && plain < dots);
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

TEST(more_bytes_are_never_more_work)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = ct_spec(ctx, CT_F64, CT_SHAPE(8, 4)), *w = ct_spec(ctx, CT_F64, CT_SHAPE(4, 4));
    static ct_tensor *(*const code[])(ct_tensor *, ct_tensor *) = {net, net_with_bodies};
    for (size_t i = 0; i < 2; i++) {
        ct_function *f = ct_trace(ctx, code[i], CT_LIKE(x, w));
        uint64_t before = work_of(f, CT_KEEP_NOTHING, 0);
        for (int64_t bytes = 0; bytes <= 16384; bytes += 256) {
            uint64_t work = work_of(f, CT_KEEP_BYTES, bytes);
            CHECK_MSG(work <= before, "function %zu, %d bytes: %d instead of %d", i, (int)bytes,
                      (int)work, (int)before);
            before = work;
        }
        uint64_t plain = ct_function_flops(ct_value_and_grad(f, CT_ALL_ARGS));
        CHECK_MSG(before == plain, "function %zu: %d, plain %d", i, (int)before, (int)plain);
    }
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* Under vmap a checkpoint stays one, and gradients are the same. */
TEST(vmap_of_a_checkpoint)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = ct_spec(ctx, CT_F64, CT_SHAPE(1, 2)), *w = ct_spec(ctx, CT_F64, CT_SHAPE(2, 2));
    ct_tensor *xs = given(ctx, CT_F64, CT_SHAPE(2, 1, 2), {0.3, -0.5, 1, 2});
    ct_tensor *ws = given(ctx, CT_F64, CT_SHAPE(2, 2, 2), {0.25, 1, -0.5, 0.75, 1, 0, 0.5, 2});
    ct_function *f = ct_trace(ctx, sum_of_layer, CT_LIKE(x, w));
    ct_function *plain = ct_vmap_leading(ct_grad(f, CT_ARGS(1)), 2);
    ct_function *kept = ct_vmap_leading(ct_grad(ct_checkpoint(f, NULL), CT_ARGS(1)), 2);
    CHECK(ct_equal(ct_apply1(plain, CT_ARGV(xs, ws)), ct_apply1(kept, CT_ARGV(xs, ws))));
    CHECK(count_in(ct_vmap_leading(ct_checkpoint(f, NULL), 2), "\"ct.checkpoint\"") == 1);
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

TEST(bad_options)
{
    ct_context *ctx = ct_context_new();
    ct_tensor *x = ct_spec(ctx, CT_F64, CT_SHAPE(1, 2)), *w = ct_spec(ctx, CT_F64, CT_SHAPE(2, 2));
    ct_function *f = ct_trace(ctx, sum_of_layer, CT_LIKE(x, w));
    static const char *const bad[] = {"a,b"};
    ct_checkpoint_options o = {.size = sizeof o, .keep = (ct_keep_policy)9};
    ct_checkpoint(f, &o);
    CHECK_ERROR(ctx, CT_ERR_ARGUMENT, "checkpoint: there is no keep 9");
    o = (ct_checkpoint_options){.size = sizeof o, .keep = CT_KEEP_BYTES, .bytes = -1};
    ct_checkpoint(f, &o);
    CHECK_ERROR(ctx, CT_ERR_ARGUMENT, "checkpoint: bytes = -1 is negative");
    o = (ct_checkpoint_options){
        .size = sizeof o, .keep = CT_KEEP_NAMED, .n_names = 1, .names = bad};
    ct_checkpoint(f, &o);
    CHECK_ERROR(ctx, CT_ERR_ARGUMENT, "checkpoint: name 0 has other characters");
    o = (ct_checkpoint_options){.size = 3};
    ct_checkpoint(f, &o);
    CHECK_ERROR(ctx, CT_ERR_ARGUMENT, "options.size = 3 is not sizeof(ct_checkpoint_options)");
    ct_context_free(ctx);
}

/* ---- Loops: each strategy gives the derivatives of the plain loop. */

typedef struct strategy {
    const ct_reverse_options *options;
    int64_t length;
    bool reverse;
} strategy;

static void damp(void *user, ct_tensor **carry, ct_tensor *const *x, ct_tensor **y)
{
    ct_tensor *k = user;
    y[0] = ct_mul(carry[0], x[0]);
    carry[0] = ct_add(ct_sin(ct_mul(carry[0], k)), ct_mul(x[0], 0.5));
}

static const strategy *scanned;

static ct_tensor *scan_rows(ct_tensor *start, ct_tensor *xs, ct_tensor *k)
{
    ct_tensor *carry = start, *ys;
    ct_scan(damp, k, .length = ct_dim(xs, 0), .n_carry = 1, .carry = &carry, .xs = CT_ARGV(xs),
            .n_ys = 1, .ys = &ys, .reverse = scanned->reverse);
    return ct_concatenate(CT_ARGV(ys, ct_expand_dims(carry, CT_AXES(0))), 0);
}

static ct_tensor *scan_strategy(const void *user, ct_tensor *const *x)
{
    scanned = user;
    ct_function *f = ct_trace(ct_context_of(x[0]), scan_rows, CT_LIKE(x[0], x[1], x[2]));
    return ct_apply1(ct_reverse_loops(f, scanned->options), CT_ARGV(x[0], x[1], x[2]));
}

static const ct_reverse_options strategies[] = {
    {.size = sizeof(ct_reverse_options)},
    {.size = sizeof(ct_reverse_options), .strategy = CT_REVERSE_SQRT},
    {.size = sizeof(ct_reverse_options), .strategy = CT_REVERSE_BINOMIAL, .snapshots = 1},
    {.size = sizeof(ct_reverse_options), .strategy = CT_REVERSE_BINOMIAL, .snapshots = 2},
    {.size = sizeof(ct_reverse_options), .strategy = CT_REVERSE_BINOMIAL, .snapshots = 50},
    {.size = sizeof(ct_reverse_options), .strategy = CT_REVERSE_LIMIT, .bytes = 1 << 20},
    {.size = sizeof(ct_reverse_options), .strategy = CT_REVERSE_LIMIT, .bytes = 2000},
    {.size = sizeof(ct_reverse_options), .strategy = CT_REVERSE_LIMIT, .bytes = 1400},
};
#define N_STRATEGIES (sizeof strategies / sizeof *strategies)

TEST(scans_under_every_strategy)
{
    ct_context *ctx = ct_context_new();
    static const int64_t lengths[] = {0, 1, 2, 7, 9};
    for (size_t i = 0; i < N_STRATEGIES; i++) {
        for (size_t l = 0; l < 5; l++) {
            strategy s = {&strategies[i], lengths[l], (i + l) % 2 == 1};
            ct_scope scope = ct_scope_begin(ctx);
            ct_tensor *xs = ct_sin(ct_arange(ctx, CT_F64, 0, (double)s.length, 1));
            CHECK_SMOOTH(ctx, scan_strategy, &s, s.length < 9 ? 2 : 1, ct_scalar(ctx, CT_F64, 0.3),
                         xs, ct_scalar(ctx, CT_F64, 1.1));
            ct_scope_end(scope);
        }
    }
    ct_context_free(ctx);
}

static ct_tensor *sum_of_rows(ct_tensor *start, ct_tensor *xs, ct_tensor *k)
{
    return ct_sum(scan_rows(start, xs, k), CT_ALL_AXES, CT_DROP_AXES);
}

/* More snapshots than bodies may nest deep, and more than there are rows. */
TEST(many_snapshots)
{
    ct_context *ctx = ct_context_new();
    scanned = &(strategy){&strategies[0], 1500, true};
    ct_tensor *xs = ct_sin(ct_arange(ctx, CT_F64, 0, 1500, 1));
    ct_tensor *start = ct_scalar(ctx, CT_F64, 0.3), *k = ct_scalar(ctx, CT_F64, 1.1);
    ct_function *f = ct_trace(ctx, sum_of_rows, CT_LIKE(start, xs, k));
    const double want = ct_item(ct_apply1(ct_grad(f, CT_ARGS(2)), CT_ARGV(start, xs, k)));
    static const int64_t snapshots[] = {390, 1100, 1499, INT64_MAX};
    for (size_t i = 0; i < 4; i++) {
        const ct_reverse_options o = {
            .size = sizeof o, .strategy = CT_REVERSE_BINOMIAL, .snapshots = snapshots[i]};
        ct_function *g = ct_grad(ct_reverse_loops(f, &o), CT_ARGS(2));
        const double got = ct_item(ct_apply1(g, CT_ARGV(start, xs, k)));
        CHECK_OK(ctx);
        CHECK_MSG(fabs(got - want) <= 1e-12 * fabs(want), "%zu: %.17g, not %.17g", i, got, want);
    }
    ct_context_free(ctx);
}

static void damp_by_index(void *user, ct_tensor *i, ct_tensor **carry)
{
    ct_tensor *k = user;
    carry[0] = ct_add(ct_sin(ct_mul(carry[0], k)), ct_mul(ct_cast(i, CT_F64), 0.25));
}

static ct_tensor *for_loop(ct_tensor *count, ct_tensor *x, ct_tensor *k)
{
    ct_for(damp_by_index, k, count, 1, &x);
    return x;
}

static ct_tensor *goes_on(void *user, ct_tensor *const *carry)
{
    return ct_lt(carry[0], ((ct_tensor **)user)[0]);
}

static void damp_and_count(void *user, ct_tensor **carry)
{
    ct_tensor *k = ((ct_tensor **)user)[1];
    carry[0] = ct_add(carry[0], 1);
    carry[1] = ct_sin(ct_mul(carry[1], k));
}

static ct_tensor *while_loop(ct_tensor *count, ct_tensor *x, ct_tensor *k)
{
    ct_tensor *carry[] = {ct_mul(count, 0), x};
    ct_while(goes_on, damp_and_count, (ct_tensor *[]){count, k}, 2, carry);
    return carry[1];
}

typedef struct counted {
    const ct_reverse_options *options;
    int64_t count;
    bool is_while;
} counted;

static ct_tensor *counted_strategy(const void *user, ct_tensor *const *x)
{
    const counted *c = user;
    ct_context *ctx = ct_context_of(x[0]);
    ct_tensor *count = ct_add(ct_cast(ct_mul(x[1], 0), CT_I64), c->count);
    ct_function *f = c->is_while ? ct_trace(ctx, while_loop, CT_LIKE(count, x[0], x[1]))
                                 : ct_trace(ctx, for_loop, CT_LIKE(count, x[0], x[1]));
    return ct_apply1(ct_reverse_loops(f, c->options), CT_ARGV(count, x[0], x[1]));
}

TEST(loops_of_unknown_count_under_every_strategy)
{
    ct_context *ctx = ct_context_new();
    static const int64_t counts[] = {-3, 0, 1, 2, 8};
    for (size_t i = 0; i < N_STRATEGIES; i++) {
        for (size_t l = 0; l < 10; l++) {
            counted c = {&strategies[i], counts[l / 2], l % 2 == 0};
            ct_scope scope = ct_scope_begin(ctx);
            CHECK_SMOOTH(ctx, counted_strategy, &c, c.count < 8 ? 2 : 1,
                         ct_scalar(ctx, CT_F64, 0.3), ct_scalar(ctx, CT_F64, 1.1));
            ct_scope_end(scope);
        }
    }
    ct_context_free(ctx);
}

TEST(bad_strategies)
{
    ct_context *ctx = ct_context_new();
    scanned = &(strategy){&strategies[1], 5000, false};
    ct_tensor *x = ct_spec(ctx, CT_F64, CT_SHAPE()), *xs = ct_spec(ctx, CT_F64, CT_SHAPE(5000));
    ct_function *f = ct_trace(ctx, scan_rows, CT_LIKE(x, xs, x));
    ct_reverse_options o = {.size = sizeof o, .strategy = (ct_reverse_strategy)7};
    ct_reverse_loops(f, &o);
    CHECK_ERROR(ctx, CT_ERR_ARGUMENT, "reverse_loops: there is no strategy 7");
    o = (ct_reverse_options){.size = sizeof o, .strategy = CT_REVERSE_BINOMIAL};
    ct_reverse_loops(f, &o);
    CHECK_ERROR(ctx, CT_ERR_ARGUMENT, "snapshots = 0; there must be 1 at least");
    o = (ct_reverse_options){.size = sizeof o, .strategy = CT_REVERSE_BINOMIAL, .snapshots = 1};
    ct_reverse_loops(f, &o);
    CHECK_ERROR(ctx, CT_ERR_RANGE, "5000 iterations of this scan would be done again more than");
    o = (ct_reverse_options){.size = sizeof o, .strategy = CT_REVERSE_LIMIT, .bytes = 20};
    ct_reverse_loops(f, &o);
    CHECK_ERROR(ctx, CT_ERR_RANGE, "bytes, which is more than the limit of 20");
    ct_context_free(ctx);
}
