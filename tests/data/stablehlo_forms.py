"""Writes stablehlo_forms.mlir: operations in the pretty form and in the generic form, as StableHLO's
own printer writes them, two modules for each. tests/test_stablehlo_forms.c reads both and compares.

    python tests/data/stablehlo_forms.py > tests/data/stablehlo_forms.mlir     (needs jax 0.10.2)
"""
import re
import sys

from jax._src.interpreters import mlir as jax_mlir
from jaxlib.mlir import ir

ARGUMENTS = {
    "f": "tensor<f32>", "f3": "tensor<3xf32>", "f33": "tensor<3x3xf32>", "f34": "tensor<3x4xf32>",
    "f345": "tensor<3x4x5xf32>", "c3": "tensor<3xcomplex<f32>>", "i": "tensor<i32>",
    "i3": "tensor<3xi32>", "s2": "tensor<2xi64>", "s3": "tensor<3xi64>", "u2": "tensor<2xui64>",
    "k": "!stablehlo.token", "p": "tensor<i1>", "p3": "tensor<3xi1>",
    "t": "tuple<tensor<f32>, tensor<i32>>", "d": "tensor<2x5x5x4xf32>", "w": "tensor<3x3x2x6xf32>",
}

UNARY = """abs cbrt ceil cosine exponential exponential_minus_one floor log log_plus_one logistic negate
round_nearest_afz round_nearest_even rsqrt sign sine sqrt tan tanh""".split()
BINARY = """add atan2 divide maximum minimum multiply power remainder subtract""".split()
BITS = """and or xor shift_left shift_right_arithmetic shift_right_logical""".split()
CHLO = """acos acosh asin asinh atan atanh bessel_i1e cosh digamma erf erf_inv erfc lgamma sinh square
tan""".split()

def rows():
    """(operands, types, text behind): statements in the generic form."""
    for name in UNARY:
        yield f'"stablehlo.{name}"(%f3) : (f3) -> f3'
    for name in BINARY:
        yield f'"stablehlo.{name}"(%f3, %f3) : (f3, f3) -> f3'
    for name in BITS:
        yield f'"stablehlo.{name}"(%i3, %i3) : (i3, i3) -> i3'
    for name in "not popcnt count_leading_zeros".split():
        yield f'"stablehlo.{name}"(%i3) : (i3) -> i3'
    for name in CHLO:
        yield f'"chlo.{name}"(%f3) : (f3) -> f3'
    for name in "is_inf is_neg_inf is_pos_inf".split():
        yield f'"chlo.{name}"(%f3) : (f3) -> p3'
    for name in "next_after polygamma zeta".split():
        yield f'"chlo.{name}"(%f3, %f3) : (f3, f3) -> f3'
    for name in "add atan2 divide maximum minimum multiply power remainder subtract next_after".split():
        yield f'"chlo.broadcast_{name}"(%f3, %f) : (f3, f) -> f3'
        yield f'"chlo.broadcast_{name}"(%f345, %f345) : (f345, f345) -> f345'
    for name in BITS:
        yield f'"chlo.broadcast_{name}"(%i3, %i) : (i3, i) -> i3'
    yield from TEXT.strip().split("\n")

ADD = """({
 ^bb0(%x: tensor<f32>, %y: tensor<f32>):
   %z = "stablehlo.add"(%x, %y) : (f, f) -> f
   "stablehlo.return"(%z) : (f) -> () })"""
SUBTRACT = ADD.replace("stablehlo.add", "stablehlo.subtract")
CAPTURE = ADD.replace('(%x, %y)', '(%x, %f)')
ADD_INT = ADD.replace("tensor<f32>", "tensor<i32>").replace("(f, f) -> f", "(i, i) -> i").replace("(f)", "(i)")
COMPARE = """({
 ^bb0(%x: tensor<f32>, %y: tensor<f32>):
   %z = "stablehlo.compare"(%x, %y) <{comparison_direction = #stablehlo<comparison_direction GE>}> : (f, f) -> p
   "stablehlo.return"(%z) : (p) -> () })"""

TEXT = """
"stablehlo.abs"(%f3) {a = 1 : i32, "b c" = "d"} : (f3) -> f3
"stablehlo.exponential"(%f) <{result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<HIGHEST>>}> : (f) -> f
"stablehlo.exponential"(%f) <{result_accuracy = #stablehlo.result_accuracy<atol = 1.0, rtol = 0.0, ulps = 2, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>}> : (f) -> f
"stablehlo.convert"(%f3) : (f3) -> i3
"stablehlo.convert"(%f3) : (f3) -> f3
"stablehlo.is_finite"(%f3) : (f3) -> p3
"stablehlo.real"(%c3) : (c3) -> f3
"stablehlo.imag"(%c3) : (c3) -> f3
"stablehlo.complex"(%f3, %f3) : (f3, f3) -> c3
"chlo.conj"(%c3) : (c3) -> c3
"chlo.mulhi"(%i3, %i3) : (i3, i3) -> i3
"stablehlo.clamp"(%f, %f3, %f) : (f, f3, f) -> f3
"stablehlo.clamp"(%f3, %f3, %f3) : (f3, f3, f3) -> f3
"stablehlo.select"(%p, %f3, %f3) : (p, f3, f3) -> f3
"stablehlo.select"(%p3, %f3, %f3) : (p3, f3, f3) -> f3
"stablehlo.compare"(%f3, %f3) <{comparison_direction = #stablehlo<comparison_direction LT>}> : (f3, f3) -> p3
"stablehlo.compare"(%f3, %f3) <{comparison_direction = #stablehlo<comparison_direction NE>, compare_type = #stablehlo<comparison_type TOTALORDER>}> : (f3, f3) -> p3
"stablehlo.reduce_precision"(%f3) <{exponent_bits = 5 : i32, mantissa_bits = 10 : i32}> : (f3) -> f3
"stablehlo.bitcast_convert"(%f3) : (f3) -> i3
"stablehlo.constant"() <{value = dense<[1, -2, 3]> : tensor<3xi32>}> : () -> i3
"stablehlo.constant"() <{value = dense<[1, -2, 3]> : tensor<3xi32>}> {a = 1 : i32} : () -> i3
"chlo.constant"() <{value = dense<[1, -2, 3]> : tensor<3xi32>}> : () -> i3
"chlo.constant_like"(%f3) <{value = 1.5 : f32}> : (f3) -> f3
"stablehlo.iota"() <{iota_dimension = 1 : i64}> : () -> f34
"stablehlo.dynamic_iota"(%shape) <{iota_dimension = 1 : i64}> : (s2) -> f34
"stablehlo.rng"(%f, %f, %shape) <{rng_distribution = #stablehlo<rng_distribution NORMAL>}> : (f, f, s2) -> f34
"stablehlo.rng_bit_generator"(%u2) <{rng_algorithm = #stablehlo<rng_algorithm PHILOX>}> : (u2) -> (u2, i3)
"stablehlo.reshape"(%f34) : (f34) -> tensor<12xf32>
"stablehlo.dynamic_reshape"(%f34, %shape) : (f34, s2) -> f34
"stablehlo.transpose"(%f345) <{permutation = array<i64: 2, 0, 1>}> : (f345) -> tensor<5x3x4xf32>
"stablehlo.reverse"(%f34) <{dimensions = array<i64: 1>}> : (f34) -> f34
"stablehlo.slice"(%f34) <{start_indices = array<i64: 0, 1>, limit_indices = array<i64: 2, 4>, strides = array<i64: 1, 2>}> : (f34) -> tensor<2x2xf32>
"stablehlo.slice"(%f) <{start_indices = array<i64>, limit_indices = array<i64>, strides = array<i64>}> : (f) -> f
"stablehlo.real_dynamic_slice"(%f34, %zeros, %shape, %ones) : (f34, s2, s2, s2) -> f34
"stablehlo.pad"(%f34, %f) <{edge_padding_low = array<i64: 1, -1>, edge_padding_high = array<i64: 0, 2>, interior_padding = array<i64: 0, 1>}> : (f34, f) -> tensor<4x8xf32>
"stablehlo.dynamic_pad"(%f34, %f, %ones, %zeros, %zeros) : (f34, f, s2, s2, s2) -> tensor<4x5xf32>
"stablehlo.broadcast"(%f3) <{broadcast_sizes = array<i64: 2>}> : (f3) -> tensor<2x3xf32>
"stablehlo.broadcast_in_dim"(%f3) <{broadcast_dimensions = array<i64: 0>}> : (f3) -> f34
"stablehlo.dynamic_broadcast_in_dim"(%f3, %shape) <{broadcast_dimensions = array<i64: 0>, known_expanding_dimensions = array<i64>, known_nonexpanding_dimensions = array<i64: 0>}> : (f3, s2) -> f34
"stablehlo.concatenate"(%f34, %f34) <{dimension = 1 : i64}> : (f34, f34) -> tensor<3x8xf32>
"stablehlo.concatenate"(%f34) <{dimension = 1 : i64}> {a = 1 : i32} : (f34) -> f34
"stablehlo.get_dimension_size"(%f34) <{dimension = 1 : i64}> : (f34) -> i
"stablehlo.dynamic_slice"(%f34, %i, %i) <{slice_sizes = array<i64: 1, 2>}> : (f34, i, i) -> tensor<1x2xf32>
"stablehlo.dynamic_slice"(%f) <{slice_sizes = array<i64>}> : (f) -> f
"stablehlo.dynamic_update_slice"(%f34, %f33, %i, %i) : (f34, f33, i, i) -> f34
"stablehlo.gather"(%f34, %s2) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 4>}> : (f34, s2) -> tensor<2x4xf32>
"stablehlo.gather"(%f34, %s2) <{dimension_numbers = #stablehlo.gather<offset_dims = [0], collapsed_slice_dims = [0], start_index_map = [0, 1]>, slice_sizes = array<i64: 1, 2>, indices_are_sorted = true}> : (f34, s2) -> tensor<2xf32>
"stablehlo.dynamic_gather"(%f34, %s2, %ones) <{dimension_numbers = #stablehlo.gather<offset_dims = [0], collapsed_slice_dims = [0], start_index_map = [0, 1]>}> : (f34, s2, s2) -> tensor<1xf32>
"stablehlo.torch_index_select"(%f34, %s2) <{dim = 1 : i64, batch_dims = 0 : i64}> : (f34, s2) -> tensor<3x2xf32>
"stablehlo.scatter"(%f34, %s2, %f) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [0, 1]>, unique_indices = true}> (ADD) : (f34, s2, f) -> f34
"stablehlo.scatter"(%f34, %s2, %f) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [0, 1]>}> (CAPTURE) : (f34, s2, f) -> f34
"stablehlo.sort"(%f34) <{dimension = 0 : i64, is_stable = true}> (COMPARE) : (f34) -> f34
"stablehlo.sort"(%f34) (COMPARE) : (f34) -> f34
"stablehlo.map"(%f3, %f3) <{dimensions = array<i64: 0>}> (SUBTRACT) : (f3, f3) -> f3
"stablehlo.reduce"(%f34, %f) <{dimensions = array<i64: 1>}> (ADD) : (f34, f) -> f3
"stablehlo.reduce"(%f34, %f) <{dimensions = array<i64: 1>}> (SUBTRACT) {a = 1 : i32} : (f34, f) -> f3
"stablehlo.reduce"(%f34, %f) <{dimensions = array<i64: 1>}> (CAPTURE) : (f34, f) -> f3
"stablehlo.reduce"(%f3, %i3, %f, %i) <{dimensions = array<i64: 0>}> (PAIR) : (f3, i3, f, i) -> (f, i)
"stablehlo.reduce_window"(%f34, %f) <{window_dimensions = array<i64: 2, 2>, padding = dense<[[1, 0], [0, 1]]> : tensor<2x2xi64>}> (ADD) : (f34, f) -> tensor<3x4xf32>
"stablehlo.reduce_window"(%f34, %f) <{window_dimensions = array<i64: 2, 2>, window_strides = array<i64: 1, 2>, base_dilations = array<i64: 1, 2>, window_dilations = array<i64: 2, 1>}> (ADD) : (f34, f) -> tensor<1x3xf32>
"stablehlo.select_and_scatter"(%f34, %f34, %f) <{window_dimensions = array<i64: 1, 1>, window_strides = array<i64: 1, 1>, padding = dense<0> : tensor<2x2xi64>}> (COMPARE_ADD) : (f34, f34, f) -> f34
"stablehlo.dot"(%f33, %f34) : (f33, f34) -> f34
"stablehlo.dot"(%f3, %f34) <{precision_config = [#stablehlo<precision HIGH>, #stablehlo<precision DEFAULT>]}> : (f3, f34) -> tensor<4xf32>
"stablehlo.dot_general"(%f345, %f345) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1]>}> : (f345, f345) -> tensor<3x5x5xf32>
"stablehlo.dot_general"(%f33, %f34) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision HIGHEST>, #stablehlo<precision DEFAULT>]}> : (f33, f34) -> f34
"stablehlo.dot_general"(%f33, %f34) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, algorithm = #stablehlo.dot_algorithm<lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false>}> : (f33, f34) -> f34
"stablehlo.dot_general"(%f3, %f3) <{dot_dimension_numbers = #stablehlo.dot<>}> : (f3, f3) -> f33
"chlo.ragged_dot"(%f34, %w345, %s3) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>, precision_config = [#chlo<precision DEFAULT>, #chlo<precision DEFAULT>]}> : (f34, f345, s3) -> tensor<3x5xf32>
"stablehlo.einsum"(%f33, %f34) <{einsum_config = "ab,bc->ca"}> : (f33, f34) -> tensor<4x3xf32>
"stablehlo.unary_einsum"(%f34) <{einsum_config = "ab->b"}> : (f34) -> tensor<4xf32>
"stablehlo.convolution"(%d, %w) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 2 : i64}> : (d, w) -> tensor<2x3x3x6xf32>
"stablehlo.convolution"(%d, %w) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[f, b, 1, 0]>, feature_group_count = 2 : i64, window_strides = array<i64: 2, 1>, padding = dense<[[1, 2], [0, -1]]> : tensor<2x2xi64>, lhs_dilation = array<i64: 1, 2>, rhs_dilation = array<i64: 2, 1>, window_reversal = array<i1: true, false>, precision_config = [#stablehlo<precision HIGH>, #stablehlo<precision DEFAULT>]}> : (d, w) -> tensor<6x2x6x2xf32>
"stablehlo.dynamic_conv"(%d, %w, %pads) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 2 : i64}> : (d, w, tensor<2x2xi64>) -> tensor<2x6x6x6xf32>
"stablehlo.fft"(%f3) <{fft_type = #stablehlo<fft_type RFFT>, fft_length = array<i64: 3>}> : (f3) -> tensor<2xcomplex<f32>>
"stablehlo.cholesky"(%f33) <{lower = true}> : (f33) -> f33
"stablehlo.cholesky"(%f33) : (f33) -> f33
"stablehlo.triangular_solve"(%f33, %f34) <{left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose ADJOINT>}> : (f33, f34) -> f34
"stablehlo.batch_norm_inference"(%f33, %f3, %f3, %f3, %f3) <{epsilon = 0.001 : f32, feature_index = 1 : i64}> : (f33, f3, f3, f3, f3) -> f33
"stablehlo.batch_norm_training"(%f33, %f3, %f3) <{epsilon = 0.001 : f32, feature_index = 1 : i64}> : (f33, f3, f3) -> (f33, f3, f3)
"stablehlo.batch_norm_grad"(%f33, %f3, %f3, %f3, %f33) <{epsilon = 0.001 : f32, feature_index = 1 : i64}> : (f33, f3, f3, f3, f33) -> (f33, f3, f3)
"stablehlo.if"(%p) (THEN_ELSE) : (p) -> f
"stablehlo.case"(%i) (THEN_ELSE) : (i) -> f
"stablehlo.while"(%f, %i) (COND_BODY) : (f, i) -> (f, i)
"stablehlo.while"(%f, %i) (COND_BODY) {a = 1 : i32} : (f, i) -> (f, i)
"stablehlo.optimization_barrier"(%f, %f3) : (f, f3) -> (f, f3)
"stablehlo.optimization_barrier"(%f) : (f) -> f
"stablehlo.optimization_barrier"() : () -> ()
"stablehlo.after_all"(%k, %k) : (k, k) -> k
"stablehlo.after_all"() : () -> k
"stablehlo.create_token"() : () -> k
"stablehlo.partition_id"() : () -> tensor<ui32>
"stablehlo.replica_id"() : () -> tensor<ui32>
"stablehlo.tuple"(%f, %i) : (f, i) -> t
"stablehlo.tuple"() : () -> tuple<>
"stablehlo.get_tuple_element"(%t) <{index = 1 : i32}> : (t) -> i
"stablehlo.custom_call"(%f, %i) <{call_target_name = "a.b", has_side_effect = true}> : (f, i) -> f3
"stablehlo.custom_call"(%f) <{call_target_name = "a b", api_version = 4 : i32, backend_config = {x = 1 : i32}, called_computations = [@g]}> : (f) -> f
"stablehlo.custom_call"() <{call_target_name = "a"}> : () -> ()
"stablehlo.composite"(%f) <{name = "my.op", decomposition = @g, version = 3 : i32, composite_attributes = {a = 1 : i32, b = [1, 2]}}> : (f) -> f
"stablehlo.composite"(%f) <{name = "my.op", decomposition = @g}> : (f) -> f
"func.call"(%f) <{callee = @g}> : (f) -> f
"stablehlo.all_gather"(%f34) <{all_gather_dim = 1 : i64, replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, use_global_device_ids}> : (f34) -> tensor<3x8xf32>
"stablehlo.all_reduce"(%f3) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> (ADD) : (f3) -> f3
"stablehlo.all_to_all"(%f34) <{split_dimension = 1 : i64, concat_dimension = 0 : i64, split_count = 2 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (f34) -> tensor<6x2xf32>
"stablehlo.reduce_scatter"(%f34) <{scatter_dimension = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> (ADD) : (f34) -> tensor<3x2xf32>
"stablehlo.collective_broadcast"(%f3) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (f3) -> f3
"stablehlo.collective_permute"(%f3) <{source_target_pairs = dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>}> : (f3) -> f3
"stablehlo.cross-replica-sum"(%f3) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (f3) -> f3
"stablehlo.send"(%f, %k) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 2>, is_host_transfer = true}> : (f, k) -> k
"stablehlo.recv"(%k) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 3>, is_host_transfer = true}> : (k) -> (f, k)
"stablehlo.infeed"(%k) <{infeed_config = "x", layout = [[0]]}> : (k) -> (f3, k)
"stablehlo.outfeed"(%f3, %k) <{outfeed_config = "y"}> : (f3, k) -> k
"chlo.top_k"(%f3) <{k = 2 : i64}> : (f3) -> (tensor<2xf32>, tensor<2xi32>)
"chlo.scan"(%f34, %f3) <{dimension = 1 : i64, is_reverse = true, is_associative = false, operandSegmentSizes = array<i32: 1, 1>, resultSegmentSizes = array<i32: 1, 1>}> (SCAN) : (f34, f3) -> (f34, f3)
"chlo.broadcast_compare"(%f3, %f) <{comparison_direction = #chlo<comparison_direction LT>, compare_type = #chlo<comparison_type FLOAT>}> : (f3, f) -> p3
"chlo.broadcast_complex"(%f3, %f) : (f3, f) -> c3
"chlo.broadcast_select"(%p, %f3, %f) : (p, f3, f) -> f3
"chlo.broadcast_zeta"(%f3, %f) : (f3, f) -> f3
"chlo.broadcast_polygamma"(%f3, %f) : (f3, f) -> f3
"""

PAIR = """({
 ^bb0(%a: tensor<f32>, %b: tensor<i32>, %x: tensor<f32>, %y: tensor<i32>):
   %z = "stablehlo.maximum"(%a, %x) : (f, f) -> f
   %n = "stablehlo.subtract"(%b, %y) : (i, i) -> i
   "stablehlo.return"(%z, %n) : (f, i) -> () })"""
THEN_ELSE = """({
   "stablehlo.return"(%f) : (f) -> () }, {
   %z = "stablehlo.negate"(%f) : (f) -> f
   "stablehlo.return"(%z) : (f) -> () })"""
COND_BODY = """({
 ^bb0(%a: tensor<f32>, %b: tensor<i32>):
   %z = "stablehlo.compare"(%b, %i) <{comparison_direction = #stablehlo<comparison_direction LT>}> : (i, i) -> p
   "stablehlo.return"(%z) : (p) -> () }, {
 ^bb0(%a: tensor<f32>, %b: tensor<i32>):
   %z = "stablehlo.add"(%a, %f) : (f, f) -> f
   %n = "stablehlo.add"(%b, %i) : (i, i) -> i
   "stablehlo.return"(%z, %n) : (f, i) -> () })"""
SCAN = """({
 ^bb0(%a: tensor<3xf32>, %b: tensor<3xf32>):
   %z = "stablehlo.subtract"(%a, %b) : (f3, f3) -> f3
   %y = "stablehlo.negate"(%z) : (f3) -> f3
   "stablehlo.return"(%y, %z) : (f3, f3) -> () })"""
REGIONS = {"ADD_INT": ADD_INT, "COMPARE_ADD": COMPARE[:-1] + ", " + ADD[1:], "ADD": ADD, "SUBTRACT": SUBTRACT,
           "CAPTURE": CAPTURE, "COMPARE": COMPARE, "PAIR": PAIR, "THEN_ELSE": THEN_ELSE,
           "COND_BODY": COND_BODY, "SCAN": SCAN}


def expand(row):
    row = row.replace("%w345", "%f345")
    row = re.sub(r"\(([A-Z_]+)\)", lambda m: REGIONS.get(m[1], m[0]), row)
    types = lambda text: re.sub(r"(?<![%\w.])([a-z]\d*)(?!\w)", lambda m: ARGUMENTS.get(m[1], m[0]), text)
    # what stands behind a colon and in parentheses: "(f3, f) -> f3"
    return re.sub(r": (\([^()]*\) -> (?:\([^()]*\)|[^\s()]+))", lambda m: ": " + types(m[1]), row)


def module(row):
    results = row.rsplit("-> ", 1)[1]
    n = len(results.strip("()").split(",")) if results != "()" else 0
    if results.startswith("tuple") or results.startswith("tensor"):
        n = 1
    names = f"%r:{n} = " if n > 1 else "%r = " if n else ""
    row = expand(row)
    args = ", ".join(f"%{name}: {t}" for name, t in ARGUMENTS.items() if re.search(rf"%{name}\b", row))
    result = row.rsplit("-> ", 1)[1].strip("()")
    values = ", ".join(f"%r#{i}" for i in range(n)) if n > 1 else "%r" if n else ""
    consts = "".join(f' %{name} = "stablehlo.constant"() <{{value = dense<{v}> : {t}}}> : () -> {t}\n'
                     for name, v, t in (("shape", "[3, 4]", "tensor<2xi64>"), ("ones", "1", "tensor<2xi64>"),
                                        ("zeros", "0", "tensor<2xi64>"),
                                        ("pads", "[[1, 2], [2, 1]]", "tensor<2x2xi64>"))
                     if "%" + name in row)
    g = "func.func private @g(%x: tensor<f32>) -> tensor<f32> { return %x : tensor<f32> }\n"
    return (f"{g if '@g' in row else ''}"
            f"func.func public @main({args}) -> ({result}) {{\n{consts} {names}{row}\n"
            f" return {values}{' : ' if n else ''}{result}\n}}")


def generic(m):
    """The module in the generic form, but for functions, which are written as always."""
    text = m.operation.get_asm(print_generic_op_form=True).strip()
    text = text.replace('"builtin.module"() ({', "module {")
    text = re.sub(r'^  "func.func"\(\) <\{.*?function_type = \((.*)\) -> (.*), sym_name = "(\w+)".*\n(?:  \^bb0(\(.*\)):\n)?',
                  lambda x: f"  func.func private @{x[3]}{x[4] or '()'} -> {x[2]} {{\n", text, flags=re.M)
    return re.sub(r"^(  )?\}\) : \(\) -> \(\)$", r"\1}", text, flags=re.M)


def main():
    print("// Written by stablehlo_forms.py: pairs of modules, pretty and generic.")
    parts = []
    with jax_mlir.make_ir_context():
        for row in rows():
            try:
                m = ir.Module.parse(module(row))
            except Exception as e:
                sys.exit(f"{row}\n{module(row)}\n{e}")
            parts.append(str(m).strip())
            parts.append(generic(m))
    print("\n// -----\n".join(parts))


main()
