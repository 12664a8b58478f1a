/* What does a call cost beside its work? */
#include "bench.h"
#include "harness/options.h"
#include "harness/session.h"

typedef struct caller {
    session session;
    ct_executable *executable; /* the session's */
} caller;

static bool run_bound(void *user)
{
    const caller *c = user;
    return ct_run(c->session.run) == CT_OK;
}

static bool call_in_scope(void *user)
{
    const caller *c = user;
    ct_tensor *result[MOST_INPUTS];
    ct_scope scope = ct_scope_begin(c->session.ctx);
    ct_call(c->executable, CT_LIST(c->session.n_inputs, c->session.input), result,
            c->session.n_results);
    ct_scope_end(scope);
    return !ct_failed(c->session.ctx);
}

/* Binding again, as who has new buffers for every run does. */
static bool bind_and_run(void *user)
{
    const caller *c = user;
    const session *s = &c->session;
    return ct_bind_input(s->run, 0, ct_data(s->input[0]),
                         type_bytes(ct_parameter_type(s->function, 0))) == CT_OK &&
           ct_run(s->run) == CT_OK;
}

/* ---- The work itself, as a C compiler makes it. */

static bool sum_in_c(void *user)
{
    const caller *c = user;
    const float *x = ct_data(c->session.input[0]);
    float *y = c->session.result[0];
    float sum = 0;
    for (int i = 0; i < 4; i++)
        sum += x[i] * x[i];
    *y = sum;
    return true;
}

static bool bench(const char *what, timed *f, caller *c, const bench_options *o)
{
    sample s;
    char name[128];
    snprintf(name, sizeof name, "%s, %s %s", what, c->session.workload->name,
             mode_name(c->session.workload->mode));
    if (!is_wanted(o, name))
        return true;
    if (!take_sample(f, c, o->seconds, &s))
        return false;
    print_nanoseconds(o, name, &s);
    return true;
}

static bool bench_workload(const workload *w, const char *way, const bench_options *o)
{
    ct_compile_options options = {.size = sizeof options};
    caller c;
    bool fine = find_way(way, &options) && open_session(&c.session, w, &options);
    c.executable = c.session.executable;
    fine = fine && bench("ct_run", run_bound, &c, o) && bench("ct_call", call_in_scope, &c, o) &&
           bench("ct_bind_input and ct_run", bind_and_run, &c, o);
    if (fine && w->mode == VALUE)
        fine = bench("a loop in C", sum_in_c, &c, o);
    close_session(&c.session);
    return fine;
}

int main(int argc, char **argv)
{
    bench_options o;
    const char *way;
    bool fine = true;
    if (!parse_options(argc, argv, "how long does a call take that has next to no work?", &o))
        return 2;
    for (size_t i = 0; (way = way_name(i)); i++)
        if (is_way_wanted(&o, way)) {
            if (!o.is_json)
                printf("--exec %s\n", way);
            fine = bench_workload(find_workload("call_sumsq_4", "value"), way, &o) && fine;
            fine = bench_workload(find_workload("call_sumsq_4", "grad"), way, &o) && fine;
        }
    return fine ? 0 : 1;
}
