#include "exec/interpret/interpret.h"
#include "ops/select_and_scatter.h"

#include <string.h>

enum { SELECT, SCATTER };

/* A body on two scalars and the captures. */
typedef struct body {
    const ct__plan *plan;
    const void **param;
    void *result; /* in the scratch */
} body;

typedef struct selecting {
    const ct__eval *q;
    const ct_type *x;
    size_t bytes; /* of an element */
    int64_t stride[CT__MAX_RANK];
    ct__window_axis axis[CT__MAX_RANK];
    body body[2];
} selecting;

/* In the scratch: parameters of both bodies, then their results, CT__ALIGN bytes each. */
static size_t params_bytes(const ct__eval *q)
{
    size_t bytes;

    ct__round_up(2 * (q->n_operands - 1) * sizeof(void *), &bytes);
    return bytes;
}

bool ct__select_and_scatter_scratch(const ct__eval *q, size_t *bytes)
{
    *bytes = params_bytes(q) + 2 * CT__ALIGN;
    return true;
}

static void begin(const ct__eval *q, selecting *s)
{
    const size_t n_captures = q->n_operands - 3;
    const void **param = (const void **)(void *)q->scratch;

    *s = (selecting){
        .q = q, .x = q->in_type[0], .bytes = q->numerics->element_bytes(q->in_type[0]->dtype)};
    ct__row_major(s->x->rank, s->x->dim, s->stride);
    for (int d = 0; d < s->x->rank; d++)
        s->axis[d] = ct__selecting_axis(&q->attrs->select_and_scatter, d);
    for (size_t i = 0; i < 2; i++) {
        s->body[i] = (body){q->region[i], param + i * (2 + n_captures),
                            q->scratch + params_bytes(q) + i * CT__ALIGN};
        for (size_t j = 0; j < n_captures; j++)
            s->body[i].param[2 + j] = q->in[3 + j];
    }
}

static bool run(const selecting *s, int which, const void *a, const void *b)
{
    const body *called = &s->body[which];

    called->param[0] = a;
    called->param[1] = b;
    return ct__plan_run(called->plan, called->param, &(void *){called->result}, s->q->frame,
                        s->q->error);
}

/* The part of the window of `place` that lies in x: its corner and extents; false when none does.
 */
static bool clip(const selecting *s, const int64_t *place, int64_t *corner, int64_t *size)
{
    for (int d = 0; d < s->x->rank; d++) {
        ct__wide begin = (ct__wide)place[d] * s->axis[d].stride - s->axis[d].low;
        ct__wide end = begin + s->axis[d].size;
        if (begin < 0)
            begin = 0;
        if (end > s->x->dim[d])
            end = s->x->dim[d];
        if (begin >= end)
            return false;
        corner[d] = (int64_t)begin;
        size[d] = (int64_t)(end - begin);
    }
    return true;
}

/* The offset in x of the window's selected element: an earlier one stays while select holds. */
static bool find_selected(const selecting *s, const int64_t *corner, const int64_t *size,
                          int64_t *selected)
{
    const void *x = s->q->in[0];
    int64_t index[CT__MAX_RANK] = {0};

    *selected = -1;
    do {
        int64_t at = 0;
        for (int d = 0; d < s->x->rank; d++)
            at += (corner[d] + index[d]) * s->stride[d];
        if (*selected >= 0 &&
            !run(s, SELECT, ct__at(x, s->bytes, *selected), ct__at(x, s->bytes, at)))
            return false;
        if (*selected < 0 || !*(const bool *)s->body[SELECT].result)
            *selected = at;
    } while (ct__next(s->x->rank, size, index));
    return true;
}

static bool scatter_at(const selecting *s, int64_t source, int64_t selected)
{
    void *y = ct__at(s->q->out[0], s->bytes, selected);

    if (!run(s, SCATTER, ct__at(s->q->in[1], s->bytes, source), y))
        return false;
    memcpy(y, s->body[SCATTER].result, s->bytes);
    return true;
}

bool ct__meaning_select_and_scatter(const ct__eval *q)
{
    const ct_type *source = q->in_type[1];
    int64_t place[CT__MAX_RANK] = {0}, corner[CT__MAX_RANK], size[CT__MAX_RANK], selected;
    selecting s;

    begin(q, &s);
    ct__fill_elements(s.bytes, (size_t)s.x->size, q->out[0], q->in[2]);
    for (int64_t i = 0; i < source->size; i++) {
        if (clip(&s, place, corner, size) &&
            (!find_selected(&s, corner, size, &selected) || !scatter_at(&s, i, selected)))
            return false;
        ct__next(source->rank, source->dim, place);
    }
    return true;
}
