/* Where the time of a program's runs goes: a line for each step. */
#include "bench/bench.h"
#include "tools/bound.h"

#include <inttypes.h>
#include <stdarg.h>

enum { MOST_NAMES = 4, TEXT_BYTES = 128 };

/* ---- What a step is called: "multiply 3, add, tanh and 2 more". */

typedef struct names {
    size_t count, more; /* more: other operations than those named */
    const char *name[MOST_NAMES];
    size_t times[MOST_NAMES];
} names;

static void add_name(names *n, const char *name)
{
    for (size_t i = 0; i < n->count; i++)
        if (strcmp(n->name[i], name) == 0) {
            n->times[i]++;
            return;
        }
    if (n->count == MOST_NAMES) {
        n->more++;
        return;
    }
    n->name[n->count] = name;
    n->times[n->count++] = 1;
}

static void print_to(char *text, size_t *length, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void print_to(char *text, size_t *length, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int n = vsnprintf(text + *length, TEXT_BYTES - *length, format, arguments);
    va_end(arguments);
    *length += n > 0 ? (size_t)n : 0;
    *length = *length < TEXT_BYTES ? *length : TEXT_BYTES - 1;
}

static void describe(const ct_instance *run, size_t step, char text[TEXT_BYTES])
{
    names n = {0};
    const char *name;
    ct_place at;
    size_t length = 0;
    for (size_t k = 0; ct_profile_operation(run, step, k, &name, &at); k++)
        add_name(&n, name);
    text[0] = '\0';
    for (size_t i = 0; i < n.count; i++) {
        print_to(text, &length, "%s%s", i ? ", " : "", n.name[i]);
        if (n.times[i] > 1)
            print_to(text, &length, " %zu", n.times[i]);
    }
    if (n.more > 0)
        print_to(text, &length, " and %zu more", n.more);
}

/* ---- Places. */

static bool is_same_place(ct_place a, ct_place b)
{
    return a.line == b.line && (a.file == b.file || (a.file && b.file && !strcmp(a.file, b.file)));
}

/* The next place that the step has not been before; k goes on from operation to operation. */
static bool next_place(const ct_instance *run, size_t step, size_t *k, ct_place *at)
{
    const char *name;
    ct_place earlier;
    for (; ct_profile_operation(run, step, *k, &name, at); ++*k) {
        bool is_new = at->file != NULL;
        for (size_t i = 0; is_new && i < *k && ct_profile_operation(run, step, i, &name, &earlier);
             i++)
            is_new = !is_same_place(*at, earlier);
        if (is_new)
            return ++*k, true;
    }
    return false;
}

/* "model.mlir:12", and how many others there are. */
static void print_places(FILE *out, const ct_instance *run, size_t step)
{
    size_t k = 0, more = 0;
    ct_place at, other;
    if (!next_place(run, step, &k, &at))
        return;
    fprintf(out, "  %s:%d", at.file, at.line);
    while (next_place(run, step, &k, &other))
        more++;
    if (more > 0)
        fprintf(out, " and %zu more", more);
}

/* ---- The table. */

typedef struct report {
    FILE *out;
    const bound *b;
    const machine_limits *limits;
    double total; /* seconds of all steps outside of bodies */
} report;

static double rate(double amount, const ct_profile_step *s)
{
    return s->seconds > 0 ? 1e-9 * amount * (double)s->runs / s->seconds : 0;
}

static double share_of_limit(const report *r, const ct_profile_step *s)
{
    const double least = least_seconds(r->limits, s->bytes, s->flops) * (double)s->runs;
    return s->seconds > 0 ? least / s->seconds : 0;
}

static void print_step(const report *r, size_t i, const ct_profile_step *s)
{
    char text[TEXT_BYTES];
    describe(r->b->run, i, text);
    fprintf(r->out, "%9" PRIu64 " %11.5f %6.1f %% %8.2f %8.2f %6.0f %%  %*s%s", s->runs,
            s->runs ? 1e3 * s->seconds / (double)s->runs : 0, 100 * s->seconds / r->total,
            rate((double)s->bytes, s), rate((double)s->flops, s), 100 * share_of_limit(r, s),
            2 * s->depth, "", text);
    print_places(r->out, r->b->run, i);
    fprintf(r->out, "\n");
}

static void print_step_json(const report *r, size_t i, const ct_profile_step *s)
{
    size_t k = 0;
    ct_place at;
    const char *name;
    fprintf(r->out,
            "%s\n  {\"depth\": %d, \"runs\": %" PRIu64 ", \"seconds\": %.9g, \"bytes\": %" PRIu64
            ", \"flops\": %" PRIu64 ", \"share_of_limit\": %.4g, \"operations\": [",
            i ? "," : "", s->depth, s->runs, s->seconds, s->bytes, s->flops, share_of_limit(r, s));
    for (; ct_profile_operation(r->b->run, i, k, &name, &at); k++)
        fprintf(r->out, "%s{\"name\": \"%s\", \"file\": \"%s\", \"line\": %d}", k ? ", " : "", name,
                at.file ? at.file : "", at.line);
    fprintf(r->out, "]}");
}

static double total_seconds(const ct_instance *run)
{
    ct_profile_step s;
    double sum = 0;
    for (size_t i = 0; ct_profile_step_at(run, i, &s); i++)
        sum += s.depth == 0 ? s.seconds : 0;
    return sum > 0 ? sum : 1;
}

static void print_all(const report *r, bool is_json)
{
    ct_profile_step s;
    if (is_json)
        fprintf(r->out, "{\"copy\": %.6g, \"multiply_add\": %.6g, \"steps\": [", r->limits->copy,
                r->limits->flops);
    else
        fprintf(r->out,
                "limits: %.1f GB/s, %.1f GF/s\n%9s %11s %8s %8s %8s %8s  step, and where it "
                "comes from\n",
                1e-9 * r->limits->copy, 1e-9 * r->limits->flops, "runs", "ms each", "of all",
                "GB/s", "GF/s", "of limit");
    for (size_t i = 0; ct_profile_step_at(r->b->run, i, &s); i++)
        if (is_json)
            print_step_json(r, i, &s);
        else if (s.runs > 0) /* kernels that know a body do not run it */
            print_step(r, i, &s);
    if (is_json)
        fprintf(r->out, "\n]}\n");
}

/* At least three runs; the first one, which touches the memory, is not timed. */
static bool run_timed(bound *b, double seconds)
{
    bool fine = run_bound(b) && ct_profile_begin(b->run) == CT_OK;
    const double end = now() + seconds;
    for (int i = 0; fine && (i < 3 || now() < end); i++)
        fine = run_bound(b);
    return fine;
}

bool profile_bound(FILE *out, bound *b, double seconds, const machine_limits *limits, bool is_json)
{
    if (!run_timed(b, seconds)) {
        fprintf(stderr, "cotangent: %s\n", ct_instance_error(b->run));
        return false;
    }
    print_all(&(report){out, b, limits, total_seconds(b->run)}, is_json);
    return true;
}
