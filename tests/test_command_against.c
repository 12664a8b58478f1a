/* cotangent check --against. The numbers are by hand: 2048 + 1 is no f16, and becomes 2048, half a
 * unit (of 2) below. */
#include "tests/command.h"

#include <cotangent/oracle.h>

#include <string.h>

#define ADD                                                                                        \
    "func.func @main() -> tensor<f16> {\n"                                                         \
    "  %x = stablehlo.constant dense<2.048000e+03> : tensor<f16>\n"                                \
    "  %y = stablehlo.constant dense<1.000000e+00> : tensor<f16>\n"                                \
    "  %z = stablehlo.add %x, %y : tensor<f16>\n"                                                  \
    "  return %z : tensor<f16>\n}\n"

/* Steps of 1 from 0. */
#define STORED "!quant.uniform<i16:f16, 1.0>"
#define QUANTIZED                                                                                  \
    "func.func @main() -> tensor<" STORED "> {\n"                                                  \
    "  %x = stablehlo.constant dense<2.048000e+03> : tensor<f16>\n"                                \
    "  %y = stablehlo.constant dense<1.000000e+00> : tensor<f16>\n"                                \
    "  %z = stablehlo.add %x, %y : tensor<f16>\n"                                                  \
    "  %q = stablehlo.uniform_quantize %z : (tensor<f16>) -> tensor<" STORED ">\n"                 \
    "  return %q : tensor<" STORED ">\n}\n"

#define WRONG                                                                                      \
    "// expected-error@+1 {{no such operation}}\n"                                                 \
    "func.func @main() -> tensor<f16> { %x = foo.bar : tensor<f16> return %x : tensor<f16> }\n"

TEST(one_module)
{
    if (!ct_has_oracle())
        SKIP("the library has no MPFR");
    command_make_folder();
    command_write("add.mlir", ADD);
    CHECK_RUN("check --against mpfr:256 ~/add.mlir", 0,
              "result 0: f16[]: largest 0.5 ulp, mean 0.5; element 0 is 2048 for 2049\n"
              "values by the largest error that is born there:\n"
              "  ~/add.mlir:4:8: add f16[]: born 0.5 ulp, mean 0.5; inherited 0 ulp, mean 0; "
              "total 0.5 ulp, mean 0.5\n");
    command_remove_folder();
}

/* Each part is compared; those that are wrong on purpose are not. */
TEST(several_modules)
{
    if (!ct_has_oracle())
        SKIP("the library has no MPFR");
    command_make_folder();
    command_write("parts.mlir", ADD "// -----\n" WRONG "// -----\n" QUANTIZED);
    CHECK_RUN("check --against mpfr:256 ~/parts.mlir", 0,
              "part 1, line 1:\n"
              "result 0: f16[]: largest 0.5 ulp, mean 0.5; element 0 is 2048 for 2049\n"
              "values by the largest error that is born there:\n"
              "  ~/parts.mlir:4:8: add f16[]: born 0.5 ulp, mean 0.5; inherited 0 ulp, mean 0; "
              "total 0.5 ulp, mean 0.5\n"
              "\n"
              "part 3, line 10:\n"
              "result 0: q<i16:f16,1>[]: 1 of 1 elements differ; largest 1 steps, mean 1; "
              "element 0 is 2048 for 2049\n"
              "values by the largest error that is born there:\n"
              "  ~/parts.mlir:14:8: add f16[]: born 0.5 ulp, mean 0.5; inherited 0 ulp, mean 0; "
              "total 0.5 ulp, mean 0.5\n"
              "  ~/parts.mlir:15:8: uniform_quantize q<i16:f16,1>[]: born 0 steps, mean 0; "
              "inherited 1 steps, mean 1; total 1 steps, mean 1\n");
    command_write("no.mlir", ADD "// -----\nfunc.func @main() -> tensor<f16> { return %x : "
                                 "tensor<f16> }\n");
    command_outcome o;
    command_run_here(&o, "check --against mpfr:256 ~/no.mlir 2>/dev/null | head -2 | tail -1");
    CHECK(strcmp(o.text,
                 "result 0: f16[]: largest 0.5 ulp, mean 0.5; element 0 is 2048 for 2049\n") == 0);
    CHECK_RUN("check --against mpfr:256 ~/no.mlir >/dev/null 2>&1", 2, "");
    command_remove_folder();
}
