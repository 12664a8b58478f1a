/* Tables of type inference: operands, attributes and bodies as text, the results or the error. */
#ifndef CT_TESTS_INFER_H
#define CT_TESTS_INFER_H

#include "ops/ops.h"

typedef struct infer_case {
    int line;
    ct__op op;
    ct__attrs attrs;
    const char *operands; /* "f32[4,5] i32[]"; also token, tuple<f32[],token>,
                              stack<f32[2]>, NULL */
    const char *regions;  /* "f32[] f32[] -> f32[]", several with "|"; "" for none */
    const char *results;  /* when it is right: "f32[4]" */
    ct_status status;     /* when it is not */
    const char *message;
    const char *given; /* result types that the program states; NULL: none */
} infer_case;

/* GOOD(op, operands, results, attribute struct…), BAD(op, operands, status, message, …); with a
 * body, GOOD_BODY(op, operands, regions, results, …) and BAD_BODY. L(1, 2) is a list. */
#define GOOD(op, operands, results, ...) GOOD_BODY(op, operands, "", results, __VA_ARGS__)
#define BAD(op, operands, status, message, ...)                                                    \
    BAD_BODY(op, operands, "", status, message, __VA_ARGS__)
#define GOOD_BODY(op, operands, regions, results, ...)                                             \
    {                                                                                              \
        __LINE__, CT__OP_##op, __VA_ARGS__, operands, regions, results, CT_OK, "", NULL            \
    }
#define BAD_BODY(op, operands, regions, status, message, ...)                                      \
    {                                                                                              \
        __LINE__, CT__OP_##op, __VA_ARGS__, operands, regions, NULL, CT_ERR_##status, message,     \
            NULL                                                                                   \
    }
/* The same with stated results. */
#define GOOD_GIVEN(op, operands, given, results, ...)                                              \
    {                                                                                              \
        __LINE__, CT__OP_##op, __VA_ARGS__, operands, "", results, CT_OK, "", given                \
    }
#define BAD_GIVEN(op, operands, given, status, message, ...)                                       \
    {                                                                                              \
        __LINE__, CT__OP_##op, __VA_ARGS__, operands, "", NULL, CT_ERR_##status, message, given    \
    }
#define NO_ATTRS                                                                                   \
    {                                                                                              \
        .none = { 0 }                                                                              \
    }
#define L(...)                                                                                     \
    {                                                                                              \
        sizeof((int64_t[]){0, __VA_ARGS__}) / sizeof(int64_t) - 1, (int64_t[]){0, __VA_ARGS__} + 1 \
    }

/* Check every case; a failure is reported at its line. */
void check_infer_cases(const char *file, size_t count, const infer_case *cases);
#define CHECK_CASES(cases) check_infer_cases(__FILE__, sizeof(cases) / sizeof((cases)[0]), cases)

/* Infer one case, with everything in the arena. */
bool run_infer_case(ct__arena *arena, const infer_case *c, ct__infer *q);

/* A type from its text, in the arena; NULL for "NULL". */
const ct_type *type_of_text(ct__arena *arena, const char *text);

#endif
