/* StableHLO's text of loops, branches, tuples, calls of the program and several processes, piece by
 * piece; that StableHLO's own parser takes it is tested with all samples in test_stablehlo_print.
 */
#include "tests/check.h"
#include "tests/samples_text.h"
#include "tests/values.h"

#include <string.h>

/* ---- Control, calls, processes. */

TEST(whiles)
{
    CHECK_PIECES(
        "whiles",
        "    %0:2 = stablehlo.while(%arg4 = %arg0, %arg5 = %arg1) : tensor<i32>, "
        "tensor<3xf32>\n     cond {\n      %1 = stablehlo.compare LT, %arg4, %arg2, SIGNED",
        "\n      stablehlo.return %1 : tensor<i1>\n    } do {\n",
        "stablehlo.while(%arg6 = %arg4, %arg7 = %arg5) : tensor<i32>, tensor<3xf32>\n"
        "       cond {",
        "stablehlo.add %arg7, %arg3 : tensor<3xf32>",
        "      stablehlo.return %1, %total : tensor<i32>, tensor<3xf32>\n    }\n"
        "    return %0#0, %0#1 : tensor<i32>, tensor<3xf32>");
}

TEST(cases_and_maps)
{
    CHECK_PIECES("cases", "%0 = \"stablehlo.case\"(%arg0) ({", "    }, {", "    }, {",
                 "    }) : (tensor<i32>) -> tensor<3xf32>", "%1 = \"stablehlo.case\"(%arg0) ({",
                 "    }) : (tensor<i32>) -> tensor<3xf32>");
    CHECK_PIECES("maps",
                 "%0 = \"stablehlo.map\"(%arg0, %arg1) <{dimensions = array<i64: 0, 1>}> ({\n"
                 "    ^bb0(%arg3: tensor<f64>, %arg4: tensor<f64>):\n",
                 "stablehlo.add %1, %arg2 : tensor<f64>",
                 "    }) : (tensor<2x3xf64>, tensor<2x3xf64>) -> tensor<2x3xf64>");
}

TEST(customs_and_composites)
{
    CHECK_PIECES("customs",
                 "%0:2 = stablehlo.custom_call @plain(%arg0, %arg1) : (tensor<2xf32>, tensor<i64>) "
                 "-> (tensor<2xf32>, tensor<i64>)",
                 "%1 = stablehlo.custom_call @\"a name\"(%arg0) {backend_config = \"x\", "
                 "api_version = 1 : i32} : (tensor<2xf32>) -> tensor<2xf32>",
                 "stablehlo.custom_call @check.expect_eq(%arg0, %0#0) {has_side_effect = true} : ",
                 "stablehlo.custom_call @tick() {has_side_effect = true, my.step = 3 : i64} : () "
                 "-> ()");
    CHECK_PIECES("composites",
                 "%0 = stablehlo.composite \"my.scaled\" %arg0 {composite_attributes = {factor = "
                 "2.0 : f32, how = {deep = [1, 2]}}, decomposition = @my.scaled.impl, version = 3 "
                 ": i32} : (tensor<3xf32>) -> tensor<3xf32>",
                 "%1 = stablehlo.composite \"my.scaled\" %0 {decomposition = @plain} : ",
                 "%2 = stablehlo.composite \"a.b.c$\"  {decomposition = @zeros} : () -> ",
                 "func.func private @my.scaled.impl(", "func.func private @plain(",
                 "func.func private @zeros(");
}

TEST(tuples)
{
    CHECK_PIECES("tuples", "%0 = stablehlo.after_all : !stablehlo.token",
                 "= stablehlo.after_all %0, %arg2 : !stablehlo.token",
                 "= stablehlo.tuple %arg1, %1 : tuple<tensor<i8>, !stablehlo.token>",
                 "= stablehlo.tuple : tuple<>",
                 "stablehlo.get_tuple_element %4[1] : (tuple<tensor<2xf32>, tuple<tensor<i8>, "
                 "!stablehlo.token>, tuple<>>) -> tuple<tensor<i8>, !stablehlo.token>");
}

TEST(processes_and_channels)
{
    CHECK_PIECES(
        "collectives",
        "%0:2 = \"stablehlo.all_gather\"(%arg0, %arg1) <{all_gather_dim = 1 : i64, channel_handle "
        "= #stablehlo.channel_handle<handle = 1, type = 0>, replica_groups = dense<[[0, 1], [3, "
        "2]]> : tensor<2x2xi64>, use_global_device_ids}> : ",
        "replica_groups = dense<> : tensor<0x0xi64>}> : ", "\"stablehlo.all_reduce\"", "^bb0(",
        "split_dimension = 0 : i64}> : ", "stablehlo.partition_id : tensor<ui32>");
    CHECK_PIECES(
        "channels", "<{infeed_config = \"\\22here\\22\\0A\"}> : (!stablehlo.token) -> (",
        "<{outfeed_config = \"\"}> : ", "\"stablehlo.recv\"",
        "handle = 5, type = 3>, is_host_transfer = true}> : ", "\"stablehlo.send\"",
        "handle = 6, type = 2>, is_host_transfer = true}> : ",
        "handle = 7, type = 1>, source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>}>");
}
