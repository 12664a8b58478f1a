/* Conformance programs as functions of their inputs. Such a program takes nothing: its @main calls
 * @inputs for its arguments and @expected for what it compares its results with. */
#ifndef CT_TESTS_OPENED_H
#define CT_TESTS_OPENED_H

#include <cotangent/module.h>

/* The module's @main with the results of its calls of @inputs as parameters, and without its
 * checks. Poison after an error; one without parameters when it calls no such function. */
ct_function *opened_main(ct_context *ctx, ct_module *module);

/* The same function in f64 (complex128), where it can be said so; poison, and an error, elsewhere.
 */
ct_function *opened_wide(ct_context *ctx, ct_function *f);

#endif
