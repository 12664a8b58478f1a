/* Checks of programs: the custom calls with which StableHLO's conformance files compare what they
 * compute with what they expect, and the derivatives that a module expects.
 *
 * ct_checks_new makes them known to a context. Programs that are compiled in it, or run directly,
 * then compare, and what they find is collected: a check that fails ends nothing.
 *
 *   target                        passes where
 *   check.expect_eq               x == y; NaN equals NaN, and -0 equals 0
 *   check.expect_close            min_ulp_difference <= ulps between x and y <= max_ulp_difference
 *                                 (0 and 3 where they are absent)
 *   check.expect_almost_eq        |x - y| <= tolerance (0.001 where it is absent)
 *   check.eq                      integers and bools: x == y; others: |x - y| <= 1e-4. Gives the
 *                                 answer as bool[]
 *   check.expect_serialized_eq    x == what interpreter.probe stored under probe_id: the iter-th
 *                                 time, from 0, or the last where iter is absent
 *   interpreter.probe             stores x under probe_id, and gives it
 *   interpreter.print             writes x to what was printed
 *
 * Of complex elements the worse part counts. The ulps between two floats are the steps from one to
 * the next between them: 0 for the same value, for two NaNs, and for -0 and 0; more than any number
 * where one is NaN, or infinite and the other is not it. Absolute differences are compared in f64;
 * infinities only equal themselves. Quantized elements are compared as the integers they are stored
 * as. */
#ifndef COTANGENT_CHECKS_H
#define COTANGENT_CHECKS_H

#include "exec.h"
#include "module.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ct_checks ct_checks;

/* Owned by the context, to which the targets stay registered: a second collector takes them over.
 * Never NULL: poison on failure. Executables that were compiled here and adopted elsewhere must not
 * run after the context is freed. They may run in several threads at once. */
CT_API ct_checks *ct_checks_new_at(ct_place at, ct_context *ctx);
#define ct_checks_new(ctx) ct_checks_new_at(CT_HERE, ctx)

/* ---- What has been found since the beginning. Defined for NULL and poison: 0, "". */

CT_API size_t ct_checks_done(const ct_checks *checks); /* how many checks ran */
CT_API size_t ct_checks_failed(const ct_checks *checks);
/* One line: which check, how many elements differ, the first of them with its indices, both values
 * and how far they are apart. */
CT_API const char *ct_checks_failure(const ct_checks *checks, size_t i);
/* A line, or more, for each interpreter.print. */
CT_API const char *ct_checks_printed(const ct_checks *checks);

/* ---- Derivatives that a module expects of its function @main.
 *
 *   @inputs, @expected       the arguments of @main, and its results
 *   @cotangents              one for each float or complex result
 *   @expected_vjp            ct_vjp at the inputs and the cotangents
 *   @tangents                one for each float or complex argument
 *   @expected_jvp            ct_jvp at the inputs and the tangents
 *   @expected_hvp            the derivative of that vjp along the tangents, the cotangents fixed
 *
 * These functions have no parameters. The derivatives are by the arguments whose positions the
 * module's attribute ct.differentiable_inputs lists, `array<i64: 0, 2>` (else by every float or
 * complex one); those that are judged are the ones that are expected, or that ct.modes names,
 * "vjp,jvp,hvp". Numbers pass where |got - expected| <= ct.atol + ct.rtol |expected|, both 0 when
 * absent, with the modulus of complex ones; NaN matches NaN, infinities match themselves, -0
 * matches 0; integers and bools are exact. */

/* How ct_check_derivatives runs @main and its derivatives, copied; NULL: the defaults. What is
 * expected runs in the reference numerics in any case. */
CT_API void ct_checks_compile_with(ct_checks *checks, const ct_compile_options *options);

/* Whether it has @main, @inputs and @expected. */
CT_API bool ct_module_expects_derivatives(const ct_module *module);
/* Compare them all, each for itself: what cannot be derived, or run, is a check that fails, with
 * the error's text, and leaves no error in the context. CT_ERR_ARGUMENT for a module that does not
 * expect any. */
CT_API void ct_check_derivatives_at(ct_place at, ct_checks *checks, ct_module *module);
#define ct_check_derivatives(...) ct_check_derivatives_at(CT_HERE, __VA_ARGS__)

/* Forget what was found, stored and printed. */
CT_API void ct_checks_clear(ct_checks *checks);

#ifdef __cplusplus
}
#endif
#endif
