/* The derivatives of largest and smallest in windows, against a search through each window: random
 * windows of every kind, with ties, NaN, infinities and zeros of both signs. */
#include "tests/derivatives.h"

#include <cotangent/cotangent.h>

#include <math.h>
#include <stdint.h>
#include <string.h>

enum { RANK = 3, ELEMENTS = 400, WINDOWS = 3000 };

static uint32_t seed = 1;

static int64_t draw(int64_t low, int64_t high)
{
    seed = seed * 1664525u + 1013904223u;
    return low + (int64_t)((seed >> 8) % (uint32_t)(high - low + 1));
}

/* ---- Windows, and what each of them takes. */

typedef struct windows {
    size_t rank;
    int64_t dim[RANK], size[RANK], stride[RANK], base[RANK], dilation[RANK], low[RANK], high[RANK];
    int64_t count[RANK]; /* of windows */
    int64_t n, m;        /* elements, windows */
    bool is_min;
    double init, x[ELEMENTS];
    int64_t taken[WINDOWS]; /* the element of each window, -1: init */
} windows;

typedef enum kind { RUNNING, SMALL, PADDED, WIDE, KINDS } kind;

static void draw_axis(windows *w, size_t d, kind k, bool runs)
{
    w->dim[d] = draw(0, 11) == 0 ? draw(0, 1) : draw(2, 7);
    w->size[d] = w->stride[d] = w->base[d] = w->dilation[d] = 1;
    w->low[d] = w->high[d] = 0;
    if (k == RUNNING && runs) {
        w->size[d] = w->dim[d] + draw(0, 1) + (w->dim[d] == 0);
        w->low[d] = w->size[d] - 1;
    } else if (k == SMALL) {
        w->size[d] = draw(1, 3);
        w->stride[d] = draw(1, 3);
        w->dilation[d] = draw(1, 2);
        w->high[d] = -draw(0, 1);
    } else if (k == PADDED) {
        w->size[d] = draw(1, 4);
        w->base[d] = draw(1, 2);
        w->stride[d] = draw(1, 2);
        w->dilation[d] = draw(1, 2);
        w->low[d] = draw(-1, 3);
        w->high[d] = draw(-1, 3);
    } else if (k == WIDE) {
        w->size[d] = draw(5, 20);
        w->stride[d] = draw(1, 2);
        w->low[d] = draw(0, w->size[d]);
        w->high[d] = draw(0, w->size[d]);
    }
}

static void draw_elements(windows *w)
{
    static const double odd[] = {1, 2, 0, -0.0, NAN, INFINITY, -INFINITY, 2};
    const bool has_odd = draw(0, 1) == 0;
    w->init = draw(0, 1) == 0 ? (w->is_min ? INFINITY : -INFINITY) : odd[draw(0, has_odd ? 7 : 3)];
    for (int64_t i = 0; i < w->n; i++)
        w->x[i] = has_odd ? odd[draw(0, 7)] : (double)draw(-3, 3);
}

static void draw_windows(windows *w, kind k)
{
    *w = (windows){.rank = (size_t)draw(k == RUNNING, RANK - (k == WIDE)), .n = 1, .m = 1};
    const int64_t axis = draw(0, RANK - 1) % (w->rank > 0 ? (int64_t)w->rank : 1);
    for (size_t d = 0; d < w->rank; d++) {
        draw_axis(w, d, k, (int64_t)d == axis);
        const int64_t holes = w->dim[d] > 0 ? (w->dim[d] - 1) * w->base[d] + 1 : 0;
        const int64_t all = holes + w->low[d] + w->high[d];
        const int64_t reach = (w->size[d] - 1) * w->dilation[d] + 1;
        w->count[d] = all < reach ? 0 : (all - reach) / w->stride[d] + 1;
        w->n *= w->dim[d];
        w->m *= w->count[d];
    }
    w->is_min = draw(0, 1) == 1;
    draw_elements(w);
}

/* Coordinates of a number in row-major order. */
static void spread(const windows *w, const int64_t *dim, int64_t number, int64_t *at)
{
    for (size_t d = w->rank; d-- > 0; number /= dim[d])
        at[d] = number % dim[d];
}

/* The element at a place of a window, -1: init. */
static int64_t element(const windows *w, int64_t window, int64_t place)
{
    int64_t o[RANK], p[RANK], number = 0;
    spread(w, w->count, window, o);
    spread(w, w->size, place, p);
    for (size_t d = 0; d < w->rank; d++) {
        const int64_t position = o[d] * w->stride[d] + p[d] * w->dilation[d] - w->low[d];
        if (position < 0 || position % w->base[d] != 0 || position / w->base[d] >= w->dim[d])
            return -1;
        number = number * w->dim[d] + position / w->base[d];
    }
    return number;
}

static bool is_beyond(const windows *w, double a, double b)
{
    return !isnan(b) && (isnan(a) || (w->is_min ? a < b : a > b));
}

/* The first of the largest; an init that says nothing gives way to any element. */
static int64_t search(const windows *w, int64_t window)
{
    const bool gives_way = w->init == (w->is_min ? INFINITY : -INFINITY);
    int64_t taken = -1, places = 1;
    for (size_t d = 0; d < w->rank; d++)
        places *= w->size[d];
    for (int64_t p = 0; p < places; p++) {
        const int64_t i = element(w, window, p);
        if (i >= 0 &&
            (is_beyond(w, w->x[i], taken < 0 ? w->init : w->x[taken]) || (taken < 0 && gives_way)))
            taken = i;
    }
    return taken;
}

/* ---- As functions. */

static ct_tensor *largest(ct_tensor *a, ct_tensor *b)
{
    return ct_op_maximum(a, b);
}

static ct_tensor *smallest(ct_tensor *a, ct_tensor *b)
{
    return ct_op_minimum(a, b);
}

static ct_tensor *folded(const windows *w, ct_tensor *x, ct_tensor *init)
{
    ct_context *ctx = ct_context_of(x);
    ct_tensor *scalar = ct_spec(ctx, ct_dtype_of(x), CT_SHAPE());
    const ct_window_dims dims = {.window_dimensions = {w->rank, w->size},
                                 .window_strides = {w->rank, w->stride},
                                 .base_dilations = {w->rank, w->base},
                                 .window_dilations = {w->rank, w->dilation},
                                 .padding_low = {w->rank, w->low},
                                 .padding_high = {w->rank, w->high}};
    ct_function *body = w->is_min ? ct_trace(ctx, smallest, CT_LIKE(scalar, scalar))
                                  : ct_trace(ctx, largest, CT_LIKE(scalar, scalar));
    return ct_op_reduce_window(x, init, body, &dims);
}

static ct_tensor *with_known_init(void *user, ct_tensor *x)
{
    const windows *w = user;
    ct_context *ctx = ct_context_of(x);
    return folded(w, x, ct_scalar(ctx, ct_dtype_of(x), w->init));
}

static ct_tensor *with_init(void *user, ct_tensor *x, ct_tensor *init)
{
    return folded(user, x, init);
}

static ct_tensor *squares(void *user, ct_tensor *x)
{
    return ct_square(with_known_init(user, x));
}

static ct_tensor *numbers(ct_context *ctx, ct_dtype dtype, size_t rank, const int64_t *dim,
                          const double *value)
{
    return ct_cast(ct_from_data(ctx, CT_F64, (ct_shape){rank, dim}, value), dtype);
}

/* ---- What they should give. */

static double tangent(int64_t i)
{
    return (double)(i % 11 + 1);
}

static double cotangent(int64_t o)
{
    return (double)(o % 3 + 1);
}

typedef struct slopes {
    double dx[ELEMENTS], dy[WINDOWS], ybar[WINDOWS], xbar[ELEMENTS], initbar;
} slopes;

enum { OF_INIT = 7 };

static void find_slopes(windows *w, slopes *s, double dinit)
{
    *s = (slopes){.initbar = 0};
    for (int64_t i = 0; i < w->n; i++)
        s->dx[i] = tangent(i);
    for (int64_t o = 0; o < w->m; o++) {
        const int64_t i = w->taken[o] = search(w, o);
        s->ybar[o] = cotangent(o);
        s->dy[o] = i < 0 ? dinit : s->dx[i];
        if (i < 0)
            s->initbar += s->ybar[o];
        else
            s->xbar[i] += s->ybar[o];
    }
}

/* ---- Checks. */

static const ct_dtype dtypes[] = {CT_F64, CT_F32, CT_F16, CT_BF16};

typedef struct trial {
    ct_context *ctx;
    windows *w;
    const slopes *s;
    ct_dtype dtype;
    ct_tensor *x, *dx, *ybar, *xbar, *dy;
} trial;

static trial trial_of(ct_context *ctx, windows *w, const slopes *s, ct_dtype dtype)
{
    return (trial){.ctx = ctx,
                   .w = w,
                   .s = s,
                   .dtype = dtype,
                   .x = numbers(ctx, dtype, w->rank, w->dim, w->x),
                   .dx = numbers(ctx, dtype, w->rank, w->dim, s->dx),
                   .ybar = numbers(ctx, dtype, w->rank, w->count, s->ybar),
                   .xbar = numbers(ctx, dtype, w->rank, w->dim, s->xbar),
                   .dy = numbers(ctx, dtype, w->rank, w->count, s->dy)};
}

static void check_known(const trial *t)
{
    ct_function *f = ct_trace_user(t->ctx, with_known_init, t->w, CT_LIKE(t->x));
    ct_function *vjp = ct_vjp(f, CT_ARGS(0));
    ct_tensor *both[2];
    CHECK_EQUAL(ct_apply1(vjp, CT_ARGV(t->x, t->ybar)), t->xbar);
    ct_apply(ct_jvp(f, CT_ARGS(0)), CT_ARGV(t->x, t->dx), both, 2);
    CHECK_EQUAL(both[1], t->dy);
    /* as text, and two lanes of it */
    const char *text = ct_stablehlo_text(vjp, 0);
    ct_module *read = ct_read_stablehlo_text(t->ctx, "vjp", text, strlen(text));
    ct_function *again = ct_module_function(read, NULL);
    CHECK_EQUAL(ct_apply1(again, CT_ARGV(t->x, t->ybar)), t->xbar);
    ct_function *lanes = ct_vmap(vjp, 2, CT_AXES(0, 0), CT_AXES(0));
    ct_tensor *x = ct_stack(CT_ARGV(t->x, t->x), 0), *ybar = ct_stack(CT_ARGV(t->ybar, t->ybar), 0);
    CHECK_EQUAL(ct_apply1(lanes, CT_ARGV(x, ybar)), ct_stack(CT_ARGV(t->xbar, t->xbar), 0));
    CHECK_OK(t->ctx);
}

static void check_unknown(const trial *t)
{
    ct_tensor *init = ct_scalar(t->ctx, t->dtype, t->w->init), *r[2];
    ct_function *f = ct_trace_user(t->ctx, with_init, t->w, CT_LIKE(t->x, init));
    ct_apply(ct_vjp(f, CT_ALL_ARGS), CT_ARGV(t->x, init, t->ybar), r, 2);
    CHECK_EQUAL(r[0], t->xbar);
    CHECK_EQUAL(r[1], ct_scalar(t->ctx, t->dtype, t->s->initbar));
    ct_tensor *dinit = ct_scalar(t->ctx, t->dtype, OF_INIT);
    ct_apply(ct_jvp(f, CT_ALL_ARGS), CT_ARGV(t->x, init, t->dx, dinit), r, 2);
    CHECK_EQUAL(r[1], t->dy);
    CHECK_OK(t->ctx);
}

/* Which windows of an unknown init count as one that is in front of all: those of a known one that
 * says something. */
static bool is_in_front(const windows *w)
{
    return w->init != (w->is_min ? INFINITY : -INFINITY);
}

TEST(first_order)
{
    static windows w;
    static slopes s;
    ct_context *ctx = ct_context_new();
    for (int i = 0; i < 800; i++) {
        ct_scope scope = ct_scope_begin(ctx);
        do
            draw_windows(&w, (kind)(i % KINDS));
        while (w.n > ELEMENTS || w.m > WINDOWS);
        find_slopes(&w, &s, 0);
        trial t = trial_of(ctx, &w, &s, dtypes[i / KINDS % 4]);
        check_known(&t);
        find_slopes(&w, &s, OF_INIT);
        t = trial_of(ctx, &w, &s, t.dtype);
        if (is_in_front(&w) && s.initbar <= 256) /* which bf16 can count to */
            check_unknown(&t);
        ct_scope_end(scope);
    }
    ct_context_free(ctx);
}

/* Of y²: xbar = J'(2 y ybar), along dx J'(2 J dx ybar). */
TEST(second_order)
{
    static windows w;
    static slopes s;
    ct_context *ctx = ct_context_new();
    for (int i = 0; i < 100; i++) {
        ct_scope scope = ct_scope_begin(ctx);
        do
            draw_windows(&w, (kind)(i % KINDS));
        while (w.n > ELEMENTS || w.m > WINDOWS);
        for (int64_t k = 0; k < w.n; k++)
            w.x[k] = (double)draw(-3, 3);
        w.init = w.is_min ? INFINITY : -INFINITY;
        find_slopes(&w, &s, 0);
        for (int64_t k = 0; k < w.n; k++)
            s.xbar[k] = 0;
        for (int64_t o = 0; o < w.m; o++)
            if (w.taken[o] >= 0)
                s.xbar[w.taken[o]] += 2 * s.dy[o] * s.ybar[o];
        const trial t = trial_of(ctx, &w, &s, CT_F64);
        ct_function *f = ct_trace_user(ctx, squares, &w, CT_LIKE(t.x));
        ct_tensor *both[2];
        ct_apply(ct_jvp(ct_vjp(f, CT_ARGS(0)), CT_ARGS(0)), CT_ARGV(t.x, t.ybar, t.dx), both, 2);
        CHECK_EQUAL(both[1], t.xbar);
        CHECK_OK(ctx);
        ct_scope_end(scope);
    }
    ct_context_free(ctx);
}

/* Complex numbers have an order too, and narrow floats may have no NaN to mark what is none. */
TEST(other_dtypes)
{
    ct_context *ctx = ct_context_new();
    windows w = {.rank = 1, .dim = {5}, .size = {2}, .stride = {1}, .base = {1}, .dilation = {1}};
    ct_tensor *x = given(ctx, CT_F64, CT_SHAPE(5), {1, 2, 2, -1, -1});
    ct_tensor *ybar = given(ctx, CT_F64, CT_SHAPE(4), {1, 2, 3, 4});
    w.init = -6;
    const ct_dtype all[] = {CT_C64, CT_C128, CT_F8E4M3FN, CT_F4E2M1FN};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        ct_function *f = ct_trace_user(ctx, with_known_init, &w, CT_LIKE(ct_cast(x, all[i])));
        ct_tensor *xbar = ct_apply1(ct_vjp(f, CT_ARGS(0)),
                                    CT_ARGV(ct_cast(x, all[i]), ct_cast(ybar, all[i])));
        CHECK_VALUES(ct_cast(xbar, CT_F64), CT_SHAPE(5), {0, 3, 3, 4, 0});
    }
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

/* ---- What they cost: arithmetic grows with what is read, by windows of n in n log n. */

static ct_tensor *wide_pool(ct_tensor *x)
{
    const ct_window_dims dims = {.window_dimensions = CT_DIMS(1000)};
    return ct_op_reduce_window_max(x, &dims);
}

static ct_tensor *running_max(ct_tensor *x)
{
    return ct_cummax(x, 0, false);
}

static ct_tensor *running_product(ct_tensor *x)
{
    return ct_cumprod(x, 0, false);
}

static uint64_t flops_of_vjp(ct_context *ctx, ct_tensor *(*f)(ct_tensor *), int64_t n)
{
    ct_function *g = ct_trace(ctx, f, CT_LIKE(ct_spec(ctx, CT_F32, CT_SHAPE(n))));
    return ct_function_flops(ct_simplify(ct_vjp(g, CT_ARGS(0))));
}

TEST(cost)
{
    enum { N = 4000 };
    ct_context *ctx = ct_context_new();
    CHECK(flops_of_vjp(ctx, running_max, N) <= 7 * N);
    CHECK(flops_of_vjp(ctx, running_product, N) <= 10 * N);
    CHECK(flops_of_vjp(ctx, wide_pool, N) <= 60 * N);
    CHECK_OK(ctx);
    ct_context_free(ctx);
}

static void run_all(ct_context *ctx)
{
    static windows w;
    seed = 5;
    for (int i = 0; i < KINDS; i++) {
        draw_windows(&w, (kind)i);
        ct_tensor *x = numbers(ctx, CT_F32, w.rank, w.dim, w.x);
        ct_vjp(ct_trace_user(ctx, with_known_init, &w, CT_LIKE(x)), CT_ARGS(0));
    }
}

TEST(allocations)
{
    CHECK_ALLOCATIONS(run_all);
}
