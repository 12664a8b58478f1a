#include "sample.h"

#include "../bench.h"

#include <stdlib.h>

enum { MOST_RUNS = 20000, LEAST_RUNS = 5 };

/* Reading the clock takes some tens of nanoseconds: it is read once in this time. */
static const double clock_seconds = 5e-6;

static bool repeat(timed *f, void *user, size_t times)
{
    bool fine = true;
    for (size_t i = 0; fine && i < times; i++)
        fine = f(user);
    return fine;
}

static double seconds_of(timed *f, void *user, size_t times, bool *fine)
{
    const double began = now();
    *fine = repeat(f, user, times) && *fine;
    return (now() - began) / (double)times;
}

/* How many runs a reading of the clock covers. */
static size_t batch_of(timed *f, void *user, bool *fine)
{
    size_t times = 1;
    while (*fine && times < 1024 &&
           seconds_of(f, user, times, fine) * (double)times < clock_seconds)
        times *= 2;
    return times;
}

static void summarise(double *time, size_t n, sample *s)
{
    qsort(time, n, sizeof *time, by_value);
    *s = (sample){n, time[0], time[n / 4], time[n / 2], time[n * 3 / 4], time[n - 1]};
}

bool take_sample(timed *f, void *user, double seconds, sample *s)
{
    static double time[MOST_RUNS];
    bool fine = f(user) && f(user);
    const size_t times = batch_of(f, user, &fine);
    size_t n = 0;
    for (double end = now() + seconds; fine && n < MOST_RUNS && (n < LEAST_RUNS || now() < end);
         n++)
        time[n] = seconds_of(f, user, times, &fine);
    if (fine)
        summarise(time, n, s);
    return fine;
}

void print_sample_json(const sample *s)
{
    printf("\"runs\": %zu, \"min_ms\": %.7g, \"lower_ms\": %.7g, \"median_ms\": %.7g, "
           "\"upper_ms\": %.7g, \"max_ms\": %.7g",
           s->runs, 1e3 * s->least, 1e3 * s->lower, 1e3 * s->median, 1e3 * s->upper, 1e3 * s->most);
}

void print_sample(const sample *s)
{
    printf("median %11.5f ms  min %11.5f ms  quartiles %.5f … %.5f", 1e3 * s->median,
           1e3 * s->least, 1e3 * s->lower, 1e3 * s->upper);
}
