#include "exec/cpu/share.h"

size_t ct__sharing_bytes(const ct__tiles *tiles, size_t scratch_bytes)
{
    return scratch_bytes * ct__threads_count(tiles->threads) + tiles->kept_bytes;
}

static unsigned char *kept_by(const ct__sharing *s)
{
    return s->scratch + s->scratch_bytes * ct__threads_count(s->tiles->threads);
}

static void compute_part(void *user, size_t first, size_t end, size_t worker)
{
    const ct__sharing *s = user;
    unsigned char *scratch = s->scratch + worker * s->scratch_bytes;
    ct__tiles_begin_part(s->tiles, s->tiles->rows / s->rows * first, kept_by(s), scratch);
    s->compute(s->user, first, end, scratch);
    ct__tiles_end_part(s->tiles, scratch);
}

void ct__share_rows(ct__sharing *s)
{
    if (!s->tiles->threads) {
        s->compute(s->user, 0, s->rows, s->scratch);
        return;
    }
    ct__tiles_begin_sharing(s->tiles, s->in, s->out, s->scratch);
    ct__parallel_units(s->tiles->threads, s->rows, s->unit, compute_part, s);
    ct__tiles_join(s->tiles, kept_by(s), s->in, s->out, s->scratch);
}
