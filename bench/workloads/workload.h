/* The programs whose run is timed, by name and size: one list for every benchmark and for the
 * peers, which bench/peers.py times on the same inputs. */
#ifndef BENCH_WORKLOADS_WORKLOAD_H
#define BENCH_WORKLOADS_WORKLOAD_H

#include <cotangent/cotangent.h>

enum { MOST_INPUTS = 16, MOST_RANK = 4, MOST_LISTED = 4 };

typedef enum input_kind {
    NORMAL,  /* normal numbers with the deviation `number`; 0: 1 */
    UNIFORM, /* floats in [0.01, 1); integers in [1, 100) */
    INDEX,   /* i32 in [0, number) */
    FULL,    /* all are `number` */
    LISTED   /* those of `list` */
} input_kind;

typedef struct input {
    int64_t dim[MOST_RANK]; /* extents, up to the first 0 */
    input_kind kind;
    double number, list[MOST_LISTED];
} input;

/* In lists of inputs. */
#define NORMALS(...)                                                                               \
    {                                                                                              \
        .dim = { __VA_ARGS__ }                                                                     \
    }
#define SMALL(deviation, ...)                                                                      \
    {                                                                                              \
        .number = (deviation), .dim = { __VA_ARGS__ }                                              \
    }
#define INDICES(below, ...)                                                                        \
    {                                                                                              \
        .kind = INDEX, .number = (below), .dim = { __VA_ARGS__ }                                   \
    }
#define FILLED(value, ...)                                                                         \
    {                                                                                              \
        .kind = FULL, .number = (value), .dim = { __VA_ARGS__ }                                    \
    }

typedef enum mode {
    VALUE,
    GRADIENT, /* the value and its gradient */
    VJP       /* cotangents from one of the result, a last input */
} mode;

typedef ct_tensor *program(const ct_list *inputs);

typedef struct workload {
    const char *name;
    mode mode;
    program *code;
    size_t n_wrt; /* inputs to derive by: the first ones */
    input input[MOST_INPUTS];
    ct_dtype dtype; /* of the inputs but indices; CT_INVALID_DTYPE: f32 */
} workload;

typedef struct workload_list {
    size_t count;
    const workload *item;
} workload_list;

#define WORKLOADS(rows) ((workload_list){sizeof(rows) / sizeof *(rows), rows})

workload_list elementwise_workloads(void);
workload_list row_workloads(void);
workload_list movement_workloads(void);
workload_list product_workloads(void);
workload_list model_workloads(void);
workload_list scalar_workloads(void);
workload_list unrolled_workloads(void);

/* All of them, in the order of the table; NULL behind the last. */
const workload *workload_at(size_t i);
/* NULL: there is none. */
const workload *find_workload(const char *name, const char *mode_text);

const char *mode_name(mode m);
size_t input_count(const workload *w); /* without the cotangent */
size_t input_rank(const input *in);

/* The sum of all elements. */
ct_tensor *total(ct_tensor *x);
ct_tensor *normalise(ct_tensor *x, ct_tensor *scale, ct_tensor *offset);

#endif
