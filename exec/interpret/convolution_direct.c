/* convolution without a matrix of patches. x is copied, image by image, with its padding and with
 * the holes of its dilation; then what a tap and an input feature see from neighbouring places is
 * one stride apart in the copy, and the products of exec/kernel/products.h read it there. As in
 * convolution.c, every sum runs over taps, then over input features, in order from 0.
 *
 *   along places    out × places: columns are neighbours along the last spatial axis, which the
 *                   copy keeps adjacent behind features and the other axes
 *   along features  places × out: columns are output features; the copy keeps input features
 *                   adjacent, so that any strides will do
 */
#include "exec/interpret/convolution.h"

#include <string.h>

enum {
    DEPTH = 384,             /* rows of the kernel that one product takes */
    RESULTS_AT_ONCE = 16384, /* results that stay in the cache while it takes the next ones */
    FEWEST_ALONG = 16,       /* places in a row for vectors to run along them */
    MOST_WIDENED = 8,        /* times that padding may make x larger */
    FEWEST = 1 << 20,        /* multiply-adds of a tile that threads share */
    MOST_TILES = 32
};

/* ---- Geometry of the copy. */

/* Extents of a padded image, which is what its windows reach; false where it is too large. */
static bool find_extents(const ct__eval *q, const ct__convolution *c, int64_t *extent)
{
    const ct__wide operands = (ct__wide)q->in_type[0]->size + q->in_type[1]->size;
    const ct__wide most = (operands + q->out_type[0]->size) * MOST_WIDENED;
    ct__wide size = (ct__wide)c->in * c->batch;

    for (int d = 0; d < c->rank; d++) {
        const ct__window_axis *w = &c->axis[d].window;
        const ct__wide reach = ct__dilated(c->y_dim[d + 1], w->stride) +
                               ct__dilated(w->size, w->dilation) - 1;
        if (reach > most || (size *= reach) > most)
            return false;
        extent[d] = (int64_t)reach;
    }
    return true;
}

/* Input features are the first axis of an image, or the last. */
static void find_strides(const ct__convolution *c, const int64_t *extent, bool features_first,
                         ct__convolution_direct *direct)
{
    int64_t stride = features_first ? 1 : c->in;

    for (int d = c->rank - 1; d >= 0; d--) {
        direct->stride[d] = stride;
        stride *= extent[d];
    }
    direct->feature = features_first ? stride : 1;
    direct->image = features_first ? stride * c->in : stride;
}

static bool goes_along_places(const ct__convolution *c)
{
    const int last = c->rank - 1;

    if (last < 0 || c->axis[last].window.stride != 1 || c->y_stride[c->rank] != 1)
        return false;
    return c->y_dim[c->rank] >= (c->out < FEWEST_ALONG / 2 ? FEWEST_ALONG / 2 : FEWEST_ALONG);
}

/* The last axis of places if it is long enough, else the longest. */
static int find_inner(const ct__convolution *c)
{
    int inner = c->rank;

    for (int d = c->rank - 1; d >= 0 && c->y_dim[c->rank] < FEWEST_ALONG; d--)
        if (c->y_dim[d] > c->y_dim[inner])
            inner = d;
    return inner;
}

/* Where each image is a copy, each thread has one for itself. */
static int64_t copied_images(const ct__eval *q, const ct__convolution *c)
{
    const int64_t images = c->direct.images;
    return images < c->batch ? images * (int64_t)ct__threads_count(q->threads) : images;
}

bool ct__convolution_begin_direct(const ct__eval *q, ct__convolution *c)
{
    ct__convolution_direct *direct = &c->direct;
    int64_t extent[CT__MAX_RANK] = {0};
    size_t *total = &c->scratch_bytes;

    direct->applies = q->numerics->product_at && !c->converts && !c->rounds &&
                      (c->summed == CT_F32 || c->summed == CT_F64) && find_extents(q, c, extent);
    if (!direct->applies)
        return true;
    direct->along = goes_along_places(c);
    direct->inner = direct->along ? c->rank : find_inner(c);
    direct->images = direct->inner == 0 ? c->batch : 1;
    find_strides(c, extent, direct->along, direct);
    return ct__convolution_reserve(copied_images(q, c), direct->image, c->bytes, total,
                                   &direct->padded_at) &&
           ct__convolution_reserve(1, c->depth, sizeof(int64_t), total, &direct->tap_at) &&
           ct__convolution_reserve(1, c->depth, sizeof(int64_t), total, &direct->kernel_at);
}

/* ---- The copy. */

/* From x, where the first image begins, to the copy; what is in front of x or behind its windows is
 * left out. False where nothing is copied. */
static bool find_padding(const ct__convolution *c, ct__box *box, int64_t *to, int64_t *from)
{
    const ct__convolution_direct *direct = &c->direct;

    ct__box_begin(box, c->bytes);
    ct__box_axis(box, direct->images, direct->image, c->x_batch);
    if (direct->along)
        ct__box_axis(box, c->in, direct->feature, c->x_feature);
    for (int d = 0; d < c->rank; d++) {
        const ct__convolution_axis_walk *axis = &c->axis[d];
        const ct__window_axis *w = &axis->window;
        const ct__inside inside = ct__find_inside(axis->dim, w->low, w->base - 1,
                                                  (c->y_dim[d + 1] - 1) * w->stride +
                                                      (w->size - 1) * w->dilation + 1);
        *to += inside.at * direct->stride[d];
        *from += inside.first * axis->x_stride;
        ct__box_axis(box, inside.count, inside.step * direct->stride[d], axis->x_stride);
    }
    if (!direct->along)
        ct__box_axis(box, c->in, 1, c->x_feature);
    return !box->empty;
}

/* ---- Products. */

/* The products of one copy: at every coordinate of the outer axes, the inner one meets the kernel.
 */
typedef struct work {
    const ct__eval *q;
    const ct__convolution *c;
    const void *kernel, *padded;
    void *y;
    ct__product_at product;
    int outer;
    int64_t dim[CT__MAX_RANK], step[CT__MAX_RANK], y_step[CT__MAX_RANK];
} work;

/* Offsets of the rows of the products in an image, and in the packed kernel. */
static void find_rows(const ct__convolution *c, int64_t *tap, int64_t *row)
{
    int64_t dim[CT__MAX_RANK + 1], index[CT__MAX_RANK + 1] = {0};

    for (int d = 0; d < c->rank; d++)
        dim[d] = c->axis[d].window.size;
    dim[c->rank] = c->in;
    for (int64_t p = 0; p < c->depth; p++) {
        tap[p] = index[c->rank] * c->direct.feature;
        for (int d = 0; d < c->rank; d++)
            tap[p] += index[d] * c->axis[d].window.dilation * c->direct.stride[d];
        row[p] = p * c->out;
        ct__next(c->rank + 1, dim, index);
    }
}

/* Elements of the copy between neighbours along an axis of places. */
static int64_t step_of(const ct__convolution *c, int axis)
{
    return axis == 0 ? c->direct.image
                     : c->axis[axis - 1].window.stride * c->direct.stride[axis - 1];
}

static void find_axes(work *w)
{
    const ct__convolution *c = w->c;
    const ct__convolution_direct *direct = &c->direct;
    const size_t places = (size_t)c->y_dim[direct->inner], out = (size_t)c->out;
    const int64_t y_step = c->y_stride[direct->inner];

    for (int d = direct->images > 1 ? 0 : 1; d <= c->rank; d++) {
        if (d == direct->inner)
            continue;
        w->dim[w->outer] = c->y_dim[d];
        w->step[w->outer] = step_of(c, d);
        w->y_step[w->outer++] = c->y_stride[d];
    }
    if (direct->along)
        w->product = (ct__product_at){
            .m = out, .n = places, .a_row = 1, .c = {0, c->y_feature, y_step}};
    else
        w->product = (ct__product_at){.m = places,
                                      .n = out,
                                      .a_row = step_of(c, direct->inner),
                                      .c = {0, y_step, c->y_feature}};
}

/* One product, for rows of the kernel from `p` on. */
static void multiply(work *w, const int64_t *index)
{
    const size_t bytes = w->c->bytes;
    int64_t x_at = 0, y_at = 0;

    for (int d = 0; d < w->outer; d++) {
        x_at += index[d] * w->step[d];
        y_at += index[d] * w->y_step[d];
    }
    const void *x = ct__at(w->padded, bytes, x_at);
    const bool along = w->c->direct.along;
    w->q->numerics->product_at(w->c->summed, &w->product, ct__at(w->y, bytes, y_at),
                               along ? w->kernel : x, along ? x : w->kernel);
}

/* `count` coordinates of the outer axes from `begin` on. */
static void multiply_some(work *w, const int64_t *begin, int64_t count)
{
    const ct__convolution *c = w->c;
    const int64_t parts = (c->depth + DEPTH - 1) / DEPTH;
    const int64_t *tap = (const int64_t *)(const void *)(w->q->scratch + c->direct.tap_at);
    const int64_t *row = (const int64_t *)(const void *)(w->q->scratch + c->direct.kernel_at);
    ct__product_at *p = &w->product;

    for (int64_t part = 0; part < parts; part++) {
        const int64_t first = c->depth * part / parts, end = c->depth * (part + 1) / parts;
        int64_t index[CT__MAX_RANK];
        memcpy(index, begin, sizeof index);
        p->k = (size_t)(end - first);
        p->a_at = (c->direct.along ? row : tap) + first;
        p->b_at = (c->direct.along ? tap : row) + first;
        p->is_first = part == 0;
        for (int64_t i = 0; i < count; i++) {
            multiply(w, index);
            ct__next(w->outer, w->dim, index);
        }
    }
}

/* Coordinates of the outer axes that are taken together, so that their results stay in the cache;
 * and all of them. */
static int64_t most_at_once(const work *w)
{
    const int64_t results = (int64_t)(w->product.m * w->product.n);
    return results < RESULTS_AT_ONCE ? RESULTS_AT_ONCE / results : 1;
}

static int64_t count_outer(const work *w)
{
    int64_t count = 1;
    for (int d = 0; d < w->outer; d++)
        count *= w->dim[d];
    return count;
}

/* The coordinates from number `first` to number `end`. */
static void multiply_from(work *w, int64_t first, int64_t end)
{
    const int64_t most = most_at_once(w);
    int64_t index[CT__MAX_RANK] = {0};

    ct__coordinates(w->outer, w->dim, first, index);
    for (int64_t count; first < end; first += count) {
        count = end - first < most ? end - first : most;
        multiply_some(w, index, count);
        for (int64_t i = 0; i < count; i++)
            ct__next(w->outer, w->dim, index);
    }
}

/* ---- Groups, whose tiles threads share: images where each is a copy, else parts of the outer
 * axes. */

typedef struct group {
    work work; /* of the first image */
    ct__box padding;
    int64_t to, from; /* where the padding begins, in the copy and in x */
    bool pads;
} group;

static void pad(const group *g, int64_t image, void *padded)
{
    const ct__convolution *c = g->work.c;
    if (g->pads)
        ct__copy_box(g->work.q, &g->padding, ct__at(padded, c->bytes, g->to),
                     ct__at(g->work.q->in[0], c->bytes, g->from + image * c->x_batch));
}

static void convolve_images(void *user, size_t first, size_t end, size_t worker)
{
    const group *g = user;
    const ct__convolution *c = g->work.c;
    void *padded = ct__at(g->work.padded, c->bytes, (int64_t)worker * c->direct.image);

    for (int64_t i = (int64_t)first; i < (int64_t)end; i++) {
        work w = g->work;
        pad(g, i, padded);
        w.padded = padded;
        w.y = ct__at(w.y, c->bytes, i * c->y_stride[0]);
        multiply_from(&w, 0, count_outer(&w));
    }
}

static void convolve_coordinates(void *user, size_t first, size_t end, size_t worker)
{
    const group *g = user;
    work w = g->work;

    (void)worker;
    multiply_from(&w, (int64_t)first, (int64_t)end);
}

/* A tile has about FEWEST multiply-adds at least, and there are MOST_TILES of them at most. */
static void share(group *g, ct__range_function *f, int64_t count, int64_t work_of_each)
{
    const int64_t by_work = work_of_each < FEWEST ? FEWEST / work_of_each : 1;
    const int64_t by_count = (count + MOST_TILES - 1) / MOST_TILES;
    const int64_t each = by_work > by_count ? by_work : by_count;

    ct__parallel_ranges(g->work.q->threads, (size_t)count, (size_t)each, f, g);
}

static void convolve_group(const ct__eval *q, const ct__convolution *c, int64_t number)
{
    const ct__convolution_direct *direct = &c->direct;
    const int64_t from_group = c->group_by_batch ? c->batch * c->x_batch : c->in * c->x_feature;
    group g = {.work = {.q = q,
                        .c = c,
                        .kernel = ct__convolution_kernel(q, c, number),
                        .padded = q->scratch + direct->padded_at,
                        .y = ct__at(q->out[0], c->bytes, number * c->out * c->y_feature)},
               .from = number * from_group};

    find_axes(&g.work);
    g.pads = find_padding(c, &g.padding, &g.to, &g.from);
    const int64_t outer = count_outer(&g.work);
    const int64_t each = (int64_t)(g.work.product.m * g.work.product.n) * c->depth;
    if (direct->images < c->batch) {
        share(&g, convolve_images, c->batch, each * outer);
        return;
    }
    pad(&g, 0, q->scratch + direct->padded_at);
    share(&g, convolve_coordinates, outer, each);
}

void ct__convolve_directly(const ct__eval *q, const ct__convolution *c)
{
    const ct__convolution_direct *direct = &c->direct;

    memset(q->scratch + direct->padded_at, 0,
           (size_t)(copied_images(q, c) * direct->image) * c->bytes);
    find_rows(c, (int64_t *)(void *)(q->scratch + direct->tap_at),
              (int64_t *)(void *)(q->scratch + direct->kernel_at));
    for (int64_t i = 0; i < c->groups; i++)
        convolve_group(q, c, i);
}
