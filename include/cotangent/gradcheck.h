/* Checking derivatives against differences of values.
 *
 *     ct_gradcheck_report *report = ct_gradcheck(f, CT_ARGV(w, x), NULL);
 *     puts(ct_gradcheck_text(report));
 *     assert(ct_gradcheck_passed(report));
 *
 * Three things are compared at the given arguments: the forward derivative (ct_jvp), central
 * differences of f, and the reverse derivative (ct_vjp, through <ybar, J dx> = <J' ybar, dx>).
 * Where a rule of the program for reverse mode leaves no forward derivative, because it is not
 * linear in the cotangents, the reverse derivatives of single elements are compared with
 * differences. A function of f16, bf16 or f32 is first rewritten for f64, with its constants, so
 * that rounding does not hide errors. Complex numbers are moved, and their derivatives compared,
 * part by part: each is two elements, and in coordinates a last one is 0 for the real part, 1 for
 * the imaginary.
 *
 * There is no step and no tolerance to choose. In a library with MPFR (ct_has_oracle) f, its
 * derivatives and the differences are computed in numbers of 448 bits or more. The step is 2^-100
 * of the element where that is below 1, 2^-100 above and 2^-120 at 0: nothing that f does between
 * two numbers of f64 is as near, but for what it does next to 0, or between numbers that only it
 * tells apart (sin(1e45 x) is judged as what it is that far off). Richardson's extrapolation of two
 * quotients gives the derivative to about a hundred digits, and the quotients of both sides tell a
 * kink, a jump and an infinite slope from a slope. The derivative is right if it is the same number
 * in f64 (constants of a rule, which are rounded to f64, are moved to see whether they are all that
 * differs). Elements of a large input are first looked at together, along a random direction, to
 * 110 bits: where f is smooth there and its slope is the derivative's, they are all right. A wrong
 * one is traced to an operation: the program is cut in two again and again, and what lies behind
 * each cut is checked. And the derivatives run once more in the program's own dtypes: where half of
 * their digits are wrong it is said how many, and where most are lost: each derivative by its own
 * digits, however large those beside it are, of a sum too; a derivative that is 0 has none to lose.
 * Small programs of rational
 * operations alone are computed exactly, in quotients.
 *
 * What calls C functions (custom calls), draws random numbers or looks at bits cannot run so, nor
 * can anything with `in_f64`. Then differences D(h) are taken in f64 at falling steps h, and it is
 * watched how they converge: the order is that of a Taylor remainder where f is smooth, 0 at a
 * kink, and absent in noise. Their extrapolation has an uncertainty, from the remainder and from
 * the rounding noise of this f, which is measured by moving every intermediate result by a few
 * units in the last place. The derivative must lie within it. A wrong one is traced as above. */
#ifndef COTANGENT_GRADCHECK_H
#define COTANGENT_GRADCHECK_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The numbers are stable and never reused. */
typedef enum ct_gradcheck_verdict {
    CT_GRADCHECK_RIGHT = 0,
    CT_GRADCHECK_WRONG = 1, /* "wrong derivative" */
    CT_GRADCHECK_KINK = 2,  /* "kink: one-sided derivatives differ", of a continuous f */
    CT_GRADCHECK_NOISY = 3, /* "too noisy to tell": D(h) converges nowhere */
    CT_GRADCHECK_CLAMPED =
        4,                 /* "reads a clamped index": right, but through an index out of range */
    CT_GRADCHECK_JUMP = 5, /* "jump: no derivative": the values on both sides differ as h -> 0 */
    CT_GRADCHECK_ILL = 6,  /* "ill-conditioned": right, but the program's own dtypes lose half of
                              their digits, or more, while they compute it */
    CT_GRADCHECK_UNDEFINED =
        7, /* "undefined: no finite value here": f, at the input or on both sides of it, or the
              input itself is NaN or infinite. Derivatives are not judged there */
    CT_GRADCHECK_VERDICTS = 8
} ct_gradcheck_verdict;

/* The words above; "right" for CT_GRADCHECK_RIGHT; "unknown verdict" for other numbers. */
CT_API const char *ct_gradcheck_verdict_name(ct_gradcheck_verdict verdict);

/* Zero asks for the default. */
typedef struct ct_gradcheck_options {
    size_t size;         /* sizeof(ct_gradcheck_options); later versions may add members behind */
    size_t directions;   /* random directions per input; 0: every element by itself */
    uint64_t seed;       /* of directions and cotangents */
    bool second_order;   /* check the derivatives of the gradient as well: of f where its results
                            are a single number (its Hessian), else of <ybar, f>, ybar random */
    bool list_right;     /* list checks that are right, too */
    size_t max_findings; /* list at most so many; 0: 1000. All are counted */
    ct_args wrt;         /* arguments to check, as in ad.h (count 0: every one with float leaves) */
    ct_args results;     /* positions of results to check (count 0: every float one) */
    bool in_f64;         /* by differences in f64, as where there is no oracle */
} ct_gradcheck_options;

typedef struct ct_gradcheck_report ct_gradcheck_report; /* owned by a scope; never NULL */

/* Check f at concrete arguments (the leaves of trees one by one).
 *
 *   returns  a report in the current scope; a poisoned one after an error
 *   errors   CT_ERR_ARGUMENT, CT_ERR_TYPE, CT_ERR_SHAPE for arguments that do not fit f, NULL,
 *            positions out of range and options of another size; CT_ERR_TRACED for traced
 *            arguments; CT_ERR_RULE where f has no derivative: by an operation of it, or because
 *            no argument or no result is of floats; CT_ERR_INDEX from its `strict` operations */
CT_API ct_gradcheck_report *ct_gradcheck_at(ct_place at, ct_function *f, ct_list arguments,
                                            const ct_gradcheck_options *options);

/* Check a derivative that was written by hand, instead of the ones that ct_jvp and ct_vjp make.
 *
 *   derivative  (arguments…) -> (gradients of wrt…), where f has one float scalar result; or
 *               (arguments…, cotangents of the float results…) -> (cotangents of wrt…), as ct_vjp
 *   errors      as above, and CT_ERR_TYPE for a derivative of other types; CT_ERR_ARGUMENT for
 *               second_order */
CT_API ct_gradcheck_report *ct_gradcheck_against_at(ct_place at, ct_function *f,
                                                    ct_function *derivative, ct_list arguments,
                                                    const ct_gradcheck_options *options);

#define ct_gradcheck(...) ct_gradcheck_at(CT_HERE, __VA_ARGS__)
#define ct_gradcheck_against(...) ct_gradcheck_against_at(CT_HERE, __VA_ARGS__)

/* ---- Reports. All are defined for NULL and poison too: false, 0, NULL, "". */

/* Nothing is wrong, a jump, undefined, or too noisy to tell. Clamped reads, lost digits, and kinks
 * whose derivative lies between the one-sided ones, are mentioned in the report and do not fail it.
 */
CT_API bool ct_gradcheck_passed(const ct_gradcheck_report *report);

/* How many checks ended so. One check is one input element (or direction) with one result element,
 * or, of the adjoint identity, with one result. */
CT_API size_t ct_gradcheck_count(const ct_gradcheck_report *report, ct_gradcheck_verdict verdict);

/* For people: the counts, then the findings, with the input's name and coordinates and the numbers.
 * Owned by the current scope. */
CT_API const char *ct_gradcheck_text(const ct_gradcheck_report *report);

typedef enum ct_gradcheck_kind {
    CT_GRADCHECK_DIFFERENCE = 0, /* the derivative and differences of values */
    CT_GRADCHECK_ADJOINT =
        1 /* forward <ybar, J dx> (derivative), reverse <J' ybar, dx> (estimate) */
} ct_gradcheck_kind;

typedef struct ct_gradcheck_finding {
    ct_gradcheck_verdict verdict;
    ct_gradcheck_kind kind;
    int order;              /* 1; 2: the result is the gradient by input `result` (of <ybar, f>) */
    size_t input;           /* the parameter that was moved */
    const char *input_name; /* by ct_name; NULL without one */
    ct_shape element;       /* coordinates, unless a direction was taken */
    int64_t direction;      /* its number, or -1 */
    size_t result;
    const char *result_name;
    ct_shape result_element; /* none for CT_GRADCHECK_ADJOINT */
    double derivative;
    double estimate, uncertainty; /* by differences; NaN where there is none */
    double below, above;          /* one-sided derivatives at a kink; else NaN */
    const char *note;             /* more words, or "" */
    /* Of a wrong derivative, the operation that makes it wrong, and the function of a rule of the
     * program's own, or the target of a custom call; NULL where that could not be told. A
     * stop_gradient makes it so by design, which the note says. */
    const char *operation, *function;
    ct_place place; /* of the operation */
    /* Of CT_GRADCHECK_ILL: what comes out in the program's own dtypes, and how many decimal digits
     * of theirs are wrong; NaN and 0 elsewhere. The operation is where most of them are lost. */
    double in_dtype, digits_lost;
} ct_gradcheck_finding;

CT_API size_t ct_gradcheck_findings(const ct_gradcheck_report *report);
/* Borrowed from the report; NULL when there is none at the position. */
CT_API const ct_gradcheck_finding *ct_gradcheck_finding_at(const ct_gradcheck_report *report,
                                                           size_t position);

/* The gravest verdict of all checks of one element (row-major), or direction, of an input, in the
 * order wrong, jump, undefined, noisy, kink, ill-conditioned, clamped, right. CT_GRADCHECK_VERDICTS
 * where none was checked. */
CT_API ct_gradcheck_verdict ct_gradcheck_of(const ct_gradcheck_report *report, int order,
                                            size_t input, size_t element);

/* For programs: one JSON object, owned by the current scope.
 *
 *     {"function": "loss", "passed": false, "checks": 9, "by_hand": false,
 *      "numbers": "rational", "mpfr:448" or "f64", "counts": {"right": 8, "wrong": 1, "kink": 0,
 * "noisy": 0, "clamped": 0, "jump": 0, "ill_conditioned": 0, "undefined": 0}, "inputs": [{"input":
 * 0, "name": "w", "type": "f32[2,3]", "order": 1, "along": "elements", "verdicts": ["right", …]}],
 * "findings":
 * [{"verdict": "wrong", "kind": "difference", "order": 1, "input": 0, "name": "w", "element": [1,
 * 2], "direction": null, "result": 0, "result_name": null, "result_element": [], "derivative": 0.5,
 * "estimate": 0.25, "uncertainty": 3e-12, "below": null, "above": null, "in_dtype": null,
 *                    "digits_lost": 0, "operation": "custom_rule", "function": "softplus",
 *                    "file": "loss.c", "line": 42, "note": ""}],
 *      "omitted": 0, "clamped": ["gather: 1 of 3 indices …"]}
 *
 * What is no finite number is null, "inf" or "-inf". */
CT_API const char *ct_gradcheck_json(const ct_gradcheck_report *report);

CT_API void ct_gradcheck_release(ct_gradcheck_report *report);

#ifdef __cplusplus
}
#endif
#endif
