/* How many instructions does a program take? Run under callgrind, which counts:
 * scripts/instructions.sh.
 *
 *   count WAY NAME MODE RUNS
 *
 * makes the program ready once and runs it so often. */
#include "bench.h"
#include "harness/session.h"

#include <stdlib.h>

int main(int argc, char **argv)
{
    ct_compile_options options = {.size = sizeof options};
    const workload *w = argc == 5 ? find_workload(argv[2], argv[3]) : NULL;
    session s;
    if (!w || !find_way(argv[1], &options)) {
        fprintf(stderr, "usage: count WAY NAME MODE RUNS\n");
        return 2;
    }
    /* open_session runs it once */
    bool fine = open_session(&s, w, &options);
    for (int i = 1; fine && i < atoi(argv[4]); i++)
        fine = ct_run(s.run) == CT_OK;
    close_session(&s);
    return fine ? 0 : 1;
}
