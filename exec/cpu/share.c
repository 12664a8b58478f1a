#include "exec/cpu/share.h"

/* More parts than threads, for they are not equally fast. */
enum { PARTS_OF_A_THREAD = 4 };

static size_t count_parts(const ct__sharing *s, size_t units)
{
    const size_t most = PARTS_OF_A_THREAD * ct__threads_count(s->threads);
    return units < most ? units : most;
}

static void compute_part(void *user, size_t part, size_t worker)
{
    const ct__sharing *s = user;
    const size_t units = (s->rows + s->unit - 1) / s->unit, parts = count_parts(s, units);
    const size_t first = units * part / parts * s->unit;
    const size_t end = units * (part + 1) / parts * s->unit;
    s->compute(s->user, first, end < s->rows ? end : s->rows,
               s->scratch + worker * s->scratch_bytes);
}

void ct__share_rows(ct__sharing *s)
{
    if (ct__threads_count(s->threads) < 2) {
        s->compute(s->user, 0, s->rows, s->scratch);
        return;
    }
    ct__parallel(s->threads, count_parts(s, (s->rows + s->unit - 1) / s->unit), compute_part, s);
}
