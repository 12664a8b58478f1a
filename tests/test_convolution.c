/* convolution of random geometry against its definition, on whole numbers, where every order of a
 * sum gives the same. */
#include "tests/programs.h"

#include <cotangent/cotangent.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 5, SPATIAL = 3 };

/* Axes: batch, feature, spatial ones; for the kernel: output features, input features, spatial. */
typedef struct geometry {
    int rank; /* spatial axes */
    int64_t groups, batch_groups, batch, in, out;
    int64_t dim[SPATIAL], size[SPATIAL], stride[SPATIAL], low[SPATIAL], high[SPATIAL],
        base[SPATIAL], dilation[SPATIAL], reversal[SPATIAL];
    int64_t place[3][MOST]; /* of these axes, in x, in the kernel and in the result */
    int64_t result[SPATIAL];
} geometry;

static void shuffle(int rank, int64_t *place, bool in_order)
{
    for (int d = 0; d < rank; d++)
        place[d] = d;
    for (int d = rank - 1; d > 0 && !in_order; d--) {
        const int64_t other = programs_pick(d + 1), kept = place[d];
        place[d] = place[other];
        place[other] = kept;
    }
}

static void pick_axis(geometry *g, int d, bool is_long)
{
    g->size[d] = 1 + programs_pick(4);
    g->stride[d] = is_long ? 1 : 1 + programs_pick(3);
    g->base[d] = 1 + programs_pick(3) / 2;
    g->dilation[d] = 1 + programs_pick(3) / 2;
    g->low[d] = programs_pick(6) - 2;
    g->high[d] = programs_pick(6) - 2;
    g->reversal[d] = programs_pick(2);
    g->dim[d] = is_long ? 14 + programs_pick(25) : programs_pick(7);
    const int64_t padded = g->low[d] + g->high[d] +
                           (g->dim[d] > 0 ? (g->dim[d] - 1) * g->base[d] + 1 : 0);
    const int64_t window = (g->size[d] - 1) * g->dilation[d] + 1;
    g->result[d] = padded < window ? 0 : (padded - window) / g->stride[d] + 1;
}

static geometry pick(void)
{
    geometry g = {.rank = (int)programs_pick(SPATIAL + 1), .groups = 1, .batch_groups = 1};
    const bool in_order = programs_pick(2), is_long = programs_pick(2);
    if (programs_pick(3) == 0)
        *(programs_pick(2) ? &g.groups : &g.batch_groups) = 2 + programs_pick(2);
    g.batch = g.batch_groups * (1 + programs_pick(programs_pick(5) ? 3 : 20));
    g.in = 1 + programs_pick(5);
    g.out = g.groups * g.batch_groups * (1 + programs_pick(programs_pick(3) ? 9 : 40));
    for (int d = 0; d < g.rank; d++)
        pick_axis(&g, d, is_long && d == g.rank - 1);
    for (int k = 0; k < 3; k++)
        shuffle(g.rank + 2, g.place[k], in_order);
    return g;
}

/* Extents in the order of a tensor's axes. */
static ct_shape shape_of(const geometry *g, int k, int64_t first, int64_t second,
                         const int64_t *spatial, int64_t *dim)
{
    dim[g->place[k][0]] = first;
    dim[g->place[k][1]] = second;
    for (int d = 0; d < g->rank; d++)
        dim[g->place[k][d + 2]] = spatial[d];
    return (ct_shape){(size_t)g->rank + 2, dim};
}

static size_t offset(const geometry *g, int k, ct_shape shape, int64_t first, int64_t second,
                     const int64_t *spatial)
{
    int64_t index[MOST], at = 0;
    shape_of(g, k, first, second, spatial, index);
    for (size_t d = 0; d < shape.count; d++)
        at = at * shape.dim[d] + index[d];
    return (size_t)at;
}

static double *whole(ct_shape shape, int64_t factor)
{
    const int64_t n = programs_count(shape.dim, shape.count);
    double *x = calloc((size_t)n + 1, sizeof *x);
    CHECK(x);
    for (int64_t i = 0; i < n; i++)
        x[i] = (double)(i * factor % 11 - 5);
    return x;
}

static void convolution(void *user, ct_list p, ct_tensor **r)
{
    const geometry *g = user;
    const size_t n = (size_t)g->rank;
    const ct_convolution_dims dims = {.window_strides = {n, g->stride},
                                      .padding_low = {n, g->low},
                                      .padding_high = {n, g->high},
                                      .lhs_dilation = {n, g->base},
                                      .rhs_dilation = {n, g->dilation},
                                      .window_reversal = {n, g->reversal},
                                      .input_batch_dimension = g->place[0][0],
                                      .input_feature_dimension = g->place[0][1],
                                      .input_spatial_dimensions = {n, g->place[0] + 2},
                                      .kernel_output_feature_dimension = g->place[1][0],
                                      .kernel_input_feature_dimension = g->place[1][1],
                                      .kernel_spatial_dimensions = {n, g->place[1] + 2},
                                      .output_batch_dimension = g->place[2][0],
                                      .output_feature_dimension = g->place[2][1],
                                      .output_spatial_dimensions = {n, g->place[2] + 2},
                                      .feature_group_count = g->groups,
                                      .batch_group_count = g->batch_groups};
    r[0] = ct_op_convolution(p.item[0], p.item[1], &dims);
}

typedef struct operands {
    ct_shape x_shape, kernel_shape;
    const double *x, *kernel;
} operands;

/* One element of the result, by the definition. */
static double expected(const geometry *g, const operands *p, int64_t b, int64_t o,
                       const int64_t *place)
{
    const int64_t all = g->groups * g->batch_groups, group = o / (g->out / all);
    const int64_t batch = g->batch / g->batch_groups;
    int64_t tap[SPATIAL] = {0}, at[SPATIAL], w[SPATIAL], taps = 1;
    double sum = 0;
    for (int d = 0; d < g->rank; d++)
        taps *= g->size[d];
    for (int64_t t = 0; t < taps; t++) {
        bool inside = true;
        for (int64_t rest = t, d = g->rank - 1; d >= 0; rest /= g->size[d], d--) {
            tap[d] = rest % g->size[d];
            const int64_t i = place[d] * g->stride[d] + tap[d] * g->dilation[d] - g->low[d];
            inside = inside && i >= 0 && i % g->base[d] == 0 && i / g->base[d] < g->dim[d];
            at[d] = i / g->base[d];
            w[d] = g->reversal[d] ? g->size[d] - 1 - tap[d] : tap[d];
        }
        for (int64_t f = 0; f < g->in && inside; f++)
            sum += p->x[offset(g, 0, p->x_shape, b + (g->batch_groups > 1 ? group * batch : 0),
                               f + (g->groups > 1 ? group * g->in : 0), at)] *
                   p->kernel[offset(g, 1, p->kernel_shape, o, f, w)];
    }
    return sum;
}

static void check_result(const geometry *g, const operands *p, ct_tensor *y, const char *what)
{
    const int64_t batch = g->batch / g->batch_groups;
    int64_t dim[MOST], places = 1;
    const ct_shape shape = shape_of(g, 2, batch, g->out, g->result, dim);
    const int64_t n = programs_count(shape.dim, shape.count);
    double *data = calloc((size_t)n + 1, sizeof *data);
    CHECK(data && ct_size(y) == n);
    ct_to_doubles(y, data, (size_t)n);
    for (int d = 0; d < g->rank; d++)
        places *= g->result[d];
    for (int64_t i = 0; i < batch * g->out * places; i++) {
        int64_t place[SPATIAL] = {0};
        for (int64_t rest = i % places, d = g->rank - 1; d >= 0; rest /= g->result[d], d--)
            place[d] = rest % g->result[d];
        const int64_t o = i / places % g->out, b = i / places / g->out;
        const double got = data[offset(g, 2, shape, b, o, place)];
        CHECK_MSG(got == expected(g, p, b, o, place), "%s: rank %d, groups %d %d, element %d", what,
                  g->rank, (int)g->groups, (int)g->batch_groups, (int)i);
    }
    free(data);
}

static void check_geometry(ct_context *ctx, const geometry *g, ct_dtype dtype)
{
    static const ct_executor executors[] = {CT_EXECUTOR_INTERPRETER, CT_EXECUTOR_MACHINE};
    static const char *const names[] = {"interpreter", "machine"};
    int64_t x_dim[MOST], kernel_dim[MOST];
    operands p = {.x_shape = shape_of(g, 0, g->batch, g->in * g->groups, g->dim, x_dim),
                  .kernel_shape = shape_of(g, 1, g->out, g->in, g->size, kernel_dim)};
    double *x = whole(p.x_shape, 7), *kernel = whole(p.kernel_shape, 3);
    p.x = x;
    p.kernel = kernel;
    ct_list arguments = CT_ARGV(ct_from_doubles(ctx, dtype, p.x_shape, x),
                                ct_from_doubles(ctx, dtype, p.kernel_shape, kernel));
    ct_function *f = ct_trace_many(ctx, convolution, (void *)(uintptr_t)g, 1, arguments);
    for (size_t e = 0; e < 2; e++) {
        const ct_compile_options options = {.size = sizeof options, .executor = executors[e]};
        ct_tensor *y = ct_call1(ct_compile(f, &options), arguments);
        CHECK_OK(ctx);
        check_result(g, &p, y, names[e]);
    }
    free(x);
    free(kernel);
}

TEST(random_geometry)
{
    static const ct_dtype dtypes[] = {CT_F32, CT_F64, CT_F32, CT_I32, CT_F32, CT_C128};
    ct_context *ctx = ct_context_new();
    for (size_t i = 0; i < 600; i++) {
        ct_scope scope = ct_scope_begin(ctx);
        const geometry g = pick();
        check_geometry(ctx, &g, dtypes[i % 6]);
        ct_scope_end(scope);
    }
    ct_context_free(ctx);
}

/* What only the padding's zeros multiply is not left out; depth is in several parts. */
TEST(padding_is_multiplied)
{
    ct_context *ctx = ct_context_new();
    geometry g = {.rank = 1,
                  .groups = 1,
                  .batch_groups = 1,
                  .batch = 1,
                  .in = 300,
                  .out = 2,
                  .dim = {20},
                  .size = {3},
                  .stride = {1},
                  .low = {1},
                  .high = {1},
                  .base = {1},
                  .dilation = {1},
                  .place = {{0, 1, 2}, {0, 1, 2}, {0, 1, 2}},
                  .result = {20}};
    float x[300 * 20], kernel[2 * 300 * 3];
    for (size_t i = 0; i < sizeof x / sizeof *x; i++)
        x[i] = 1;
    for (size_t i = 0; i < sizeof kernel / sizeof *kernel; i++)
        kernel[i] = i == 299 * 3 ? INFINITY : 1; /* the last feature's first tap */
    ct_list arguments = CT_ARGV(ct_from_data(ctx, CT_F32, CT_SHAPE(1, 300, 20), x),
                                ct_from_data(ctx, CT_F32, CT_SHAPE(2, 300, 3), kernel));
    ct_function *f = ct_trace_many(ctx, convolution, &g, 1, arguments);
    const ct_compile_options options = {.size = sizeof options, .executor = CT_EXECUTOR_MACHINE};
    ct_tensor *y = ct_call1(ct_compile(f, &options), arguments);
    CHECK_OK(ctx);
    CHECK(isnan(ct_at(y, 0, 0, 0)) && ct_at(y, 0, 0, 1) == (double)INFINITY);
    CHECK(ct_at(y, 0, 1, 0) == 600 && ct_at(y, 0, 1, 1) == 900 && ct_at(y, 0, 1, 19) == 600);
    ct_context_free(ctx);
}
