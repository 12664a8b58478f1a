#include "exec/cpu/share.h"

/* More parts than threads, for they are not equally fast. */
enum { PARTS_OF_A_THREAD = 4 };

static void compute_part(void *user, size_t first, size_t end, size_t worker)
{
    const ct__sharing *s = user;
    s->compute(s->user, first, end, s->scratch + worker * s->scratch_bytes);
}

void ct__share_rows(ct__sharing *s)
{
    const size_t threads = ct__threads_count(s->threads), parts = PARTS_OF_A_THREAD * threads;
    const size_t units = (s->rows + s->unit - 1) / s->unit;
    if (threads < 2)
        s->compute(s->user, 0, s->rows, s->scratch);
    else
        ct__parallel_ranges(s->threads, s->rows, (units + parts - 1) / parts * s->unit,
                            compute_part, s);
}
