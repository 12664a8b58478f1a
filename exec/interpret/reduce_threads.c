/* Folds that threads share, in the order of reduce_lanes.c: of several results each thread takes
 * some, of one result, or one row of neighbours, the blocks of some of the elements. */
#include "exec/interpret/interpret.h"
#include "exec/kernel/running_fold.h"
#include "exec/threads.h"

/* Elements: what takes less is not worth waking a thread. */
enum { LEAST_SHARED = 1 << 17 };

typedef struct shared {
    const ct__eval *q;
    ct__running_fold fold;
    size_t bytes, state_bytes; /* of an element; of one thread */
    unsigned char *kept;
} shared;

static ct__running_fold fold_of(const ct__eval *q, ct__op op, const ct__fold_shape *s)
{
    return (ct__running_fold){q->numerics, op, q->in_type[0]->dtype, s->outer, s->n, s->inner};
}

static bool is_shared(const ct__eval *q, ct__op op, const ct__fold_shape *s)
{
    const ct__running_fold f = fold_of(q, op, s);
    return ct__threads_count(q->threads) > 1 && q->numerics->fold_axis &&
           q->in_type[0]->size >= LEAST_SHARED && ct__has_running_fold(op, f.dtype) &&
           ct__running_fold_unit(&f) > 0;
}

size_t ct__fold_threads_scratch(const ct__eval *q, ct__op op)
{
    ct__fold_shape s;
    if (!ct__is_one_axis(q->in_type[0], q->attrs->reduce.dimensions, &s) || !is_shared(q, op, &s))
        return 0;
    const ct__running_fold f = fold_of(q, op, &s);
    return ct__running_fold_bytes(&f) * ct__threads_count(q->threads) +
           ct__running_fold_kept_bytes(&f);
}

static void fold_results(const shared *s, size_t first, size_t end)
{
    const ct__running_fold *f = &s->fold;
    const ct__fold_shape some = {(end - first) / (f->n * f->inner), f->n, f->inner};
    f->numerics->fold_axis(f->op, f->dtype, &some,
                           ct__at(s->q->out[0], s->bytes, (int64_t)(first / f->n)),
                           ct__at(s->q->in[0], s->bytes, (int64_t)first));
}

static void fold_elements(void *user, size_t first, size_t end, size_t worker)
{
    const shared *s = user;
    void *state = s->q->scratch + worker * s->state_bytes;
    if (s->fold.outer > 1) {
        fold_results(s, first, end);
        return;
    }
    ct__running_fold_begin_part(&s->fold, state, first, s->kept);
    ct__running_fold_feed(&s->fold, state, end - first,
                          ct__at(s->q->in[0], s->bytes, (int64_t)first), s->q->out[0]);
    ct__running_fold_end_part(&s->fold, state);
}

bool ct__fold_in_threads(const ct__eval *q, ct__op op, const ct__fold_shape *shape)
{
    if (!is_shared(q, op, shape))
        return false;
    const size_t threads = ct__threads_count(q->threads), size = (size_t)q->in_type[0]->size;
    shared s = {q, fold_of(q, op, shape), q->numerics->element_bytes(q->in_type[0]->dtype), 0,
                NULL};
    s.state_bytes = ct__running_fold_bytes(&s.fold);
    s.kept = q->scratch + threads * s.state_bytes;
    ct__parallel_units(q->threads, size, ct__running_fold_unit(&s.fold), fold_elements, &s);
    ct__running_fold_join(&s.fold, q->scratch, s.kept, q->out[0]);
    return true;
}
