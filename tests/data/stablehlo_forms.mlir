// Written by stablehlo_forms.py: pairs of modules, pretty and generic.
module {
  func.func public @main(%arg0: tensor<3xf32>) -> tensor<3xf32> {
    %0 = stablehlo.abs %arg0 : tensor<3xf32>
    return %0 : tensor<3xf32>
  }
}
// -----
module {
  func.func private @main(%arg0: tensor<3xf32>) -> tensor<3xf32> {
    %0 = "stablehlo.abs"(%arg0) : (tensor<3xf32>) -> tensor<3xf32>
    "func.return"(%0) : (tensor<3xf32>) -> ()
  }
}
// -----
module {
  func.func public @main(%arg0: tensor<3xf32>) -> tensor<3xf32> {
    %0 = stablehlo.cbrt %arg0 : tensor<3xf32>
    return %0 : tensor<3xf32>
  }
}
// -----
module {
  func.func private @main(%arg0: tensor<3xf32>) -> tensor<3xf32> {
    %0 = "stablehlo.cbrt"(%arg0) : (tensor<3xf32>) -> tensor<3xf32>
    "func.return"(%0) : (tensor<3xf32>) -> ()
  }
}
// -----
module {
  func.func public @main(%arg0: tensor<3xf32>) -> tensor<3xf32> {
    %0 = stablehlo.ceil %arg0 : tensor<3xf32>
    return %0 : tensor<3xf32>
  }
}
// -----
module {
  func.func private @main(%arg0: tensor<3xf32>) -> tensor<3xf32> {
    %0 = "stablehlo.ceil"(%arg0) : (tensor<3xf32>) -> tensor<3xf32>
    "func.return"(%0) : (tensor<3xf32>) -> ()
  }
}
// -----
module {
  func.func public @main(%arg0: tensor<3xf32>) -> tensor<3xf32> {
    %0 = stablehlo.cosine %arg0 : tensor<3xf32>
    return %0 : tensor<3xf32>
  }
}
// -----
module {
  func.func private @main(%arg0: tensor<3xf32>) -> tensor<3xf32> {
    %0 = "stablehlo.cosine"(%arg0) : (tensor<3xf32>) -> tensor<3xf32>
    "func.return"(%0) : (tensor<3xf32>) -> ()
  }
}
// -----
module {
  func.func public @main(%arg0: tensor<3xf32>) -> tensor<3xf32> {
    %0 = stablehlo.exponential %arg0 : tensor<3xf32>
    return %0 : tensor<3xf32>
  }
}
// -----
module {
  func.func private @main(%arg0: tensor<3xf32>) -> tensor<3xf32> {
    %0 = "stablehlo.exponential"(%arg0) : (tensor<3xf32>) -> tensor<3xf32>
    "func.return"(%0) : (tensor<3xf32>) -> ()
  }
}
// -----
module {
  func.func public @main(%arg0: tensor<3xf32>) -> tensor<3xf32> {
    %0 = stablehlo.exponential_minus_one %arg0 : tensor<3xf32>
    return %0 : tensor<3xf32>
  }
}
// -----
module {
  func.func private @main(%arg0: tensor<3xf32>) -> tensor<3xf32> {
    %0 = "stablehlo.exponential_minus_one"(%arg0) : (tensor<3xf32>) -> tensor<3xf32>
    "func.return"(%0) : (tensor<3xf32>) -> ()
  }
}
// -----
module {
  func.func public @main(%arg0: tensor<3xf32>) -> tensor<3xf32> {
    %0 = stablehlo.floor %arg0 : tensor<3xf32>
    return %0 : tensor<3xf32>
  }
}
// -----
module {
  func.func private @main(%arg0: tensor<3xf32>) -> tensor<3xf32> {
    %0 = "stablehlo.floor"(%arg0) : (tensor<3xf32>) -> tensor<3xf32>
    "func.return"(%0) : (tensor<3xf32>) -> ()
  }
}
// -----
module {
  func.func public @main(%arg0: tensor<3xf32>) -> tensor<3xf32> {
    %0 = stablehlo.log %arg0 : tensor<3xf32>
    return %0 : tensor<3xf32>
  }
}
// -----
module {
  func.func private @main(%arg0: tensor<3xf32>) -> tensor<3xf32> {
    %0 = "stablehlo.log"(%arg0) : (tensor<3xf32>) -> tensor<3xf32>
    "func.return"(%0) : (tensor<3xf32>) -> ()
  }
}
// -----
module {
  func.func public @main(%arg0: tensor<3xf32>) -> tensor<3xf32> {
    %0 = stablehlo.log_plus_one %arg0 : tensor<3xf32>
    return %0 : tensor<3xf32>
  }
}
// -----
module {
  func.func private @main(%arg0: tensor<3xf32>) -> tensor<3xf32> {
    %0 = "stablehlo.log_plus_one"(%arg0) : (tensor<3xf32>) -> tensor<3xf32>
    "func.return"(%0) : (tensor<3xf32>) -> ()
  }
}
// -----
module {
  func.func public @main(%arg0: tensor<3xf32>) -> tensor<3xf32> {
    %0 = stablehlo.logistic %arg0 : tensor<3xf32>
    return %0 : tensor<3xf32>
  }
}
// -----
module {
  func.func private @main(%arg0: tensor<3xf32>) -> tensor<3xf32> {
    %0 = "stablehlo.logistic"(%arg0) : (tensor<3xf32>) -> tensor<3xf32>
    "func.return"(%0) : (tensor<3xf32>) -> ()
  }
}
// -----
module {
  func.func public @main(%arg0: tensor<3xf32>) -> tensor<3xf32> {
    %0 = stablehlo.negate %arg0 : tensor<3xf32>
    return %0 : tensor<3xf32>
  }
}
// -----
module {
  func.func private @main(%arg0: tensor<3xf32>) -> tensor<3xf32> {
    %0 = "stablehlo.negate"(%arg0) : (tensor<3xf32>) -> tensor<3xf32>
    "func.return"(%0) : (tensor<3xf32>) -> ()
  }
}
// -----
module {
  func.func public @main(%arg0: tensor<3xf32>) -> tensor<3xf32> {
    %0 = stablehlo.round_nearest_afz %arg0 : tensor<3xf32>
    return %0 : tensor<3xf32>
  }
}
// -----
module {
  func.func private @main(%arg0: tensor<3xf32>) -> tensor<3xf32> {
    %0 = "stablehlo.round_nearest_afz"(%arg0) : (tensor<3xf32>) -> tensor<3xf32>
    "func.return"(%0) : (tensor<3xf32>) -> ()
  }
}
// -----
module {
  func.func public @main(%arg0: tensor<3xf32>) -> tensor<3xf32> {
    %0 = stablehlo.round_nearest_even %arg0 : tensor<3xf32>
    return %0 : tensor<3xf32>
  }
}
// -----
module {
  func.func private @main(%arg0: tensor<3xf32>) -> tensor<3xf32> {
    %0 = "stablehlo.round_nearest_even"(%arg0) : (tensor<3xf32>) -> tensor<3xf32>
    "func.return"(%0) : (tensor<3xf32>) -> ()
  }
}
// -----
module {
  func.func public @main(%arg0: tensor<3xf32>) -> tensor<3xf32> {
    %0 = stablehlo.rsqrt %arg0 : tensor<3xf32>
    return %0 : tensor<3xf32>
  }
}
// -----
module {
  func.func private @main(%arg0: tensor<3xf32>) -> tensor<3xf32> {
    %0 = "stablehlo.rsqrt"(%arg0) : (tensor<3xf32>) -> tensor<3xf32>
    "func.return"(%0) : (tensor<3xf32>) -> ()
  }
}
// -----
module {
  func.func public @main(%arg0: tensor<3xf32>) -> tensor<3xf32> {
    %0 = stablehlo.sign %arg0 : tensor<3xf32>
    return %0 : tensor<3xf32>
  }
}
// -----
module {
  func.func private @main(%arg0: tensor<3xf32>) -> tensor<3xf32> {
    %0 = "stablehlo.sign"(%arg0) : (tensor<3xf32>) -> tensor<3xf32>
    "func.return"(%0) : (tensor<3xf32>) -> ()
  }
}
// -----
module {
  func.func public @main(%arg0: tensor<3xf32>) -> tensor<3xf32> {
    %0 = stablehlo.sine %arg0 : tensor<3xf32>
    return %0 : tensor<3xf32>
  }
}
// -----
module {
  func.func private @main(%arg0: tensor<3xf32>) -> tensor<3xf32> {
    %0 = "stablehlo.sine"(%arg0) : (tensor<3xf32>) -> tensor<3xf32>
    "func.return"(%0) : (tensor<3xf32>) -> ()
  }
}
// -----
module {
  func.func public @main(%arg0: tensor<3xf32>) -> tensor<3xf32> {
    %0 = stablehlo.sqrt %arg0 : tensor<3xf32>
    return %0 : tensor<3xf32>
  }
}
// -----
module {
  func.func private @main(%arg0: tensor<3xf32>) -> tensor<3xf32> {
    %0 = "stablehlo.sqrt"(%arg0) : (tensor<3xf32>) -> tensor<3xf32>
    "func.return"(%0) : (tensor<3xf32>) -> ()
  }
}
// -----
module {
  func.func public @main(%arg0: tensor<3xf32>) -> tensor<3xf32> {
    %0 = stablehlo.tan %arg0 : tensor<3xf32>
    return %0 : tensor<3xf32>
  }
}
// -----
module {
  func.func private @main(%arg0: tensor<3xf32>) -> tensor<3xf32> {
    %0 = "stablehlo.tan"(%arg0) : (tensor<3xf32>) -> tensor<3xf32>
    "func.return"(%0) : (tensor<3xf32>) -> ()
  }
}
// -----
module {
  func.func public @main(%arg0: tensor<3xf32>) -> tensor<3xf32> {
    %0 = stablehlo.tanh %arg0 : tensor<3xf32>
    return %0 : tensor<3xf32>
  }
}
// -----
module {
  func.func private @main(%arg0: tensor<3xf32>) -> tensor<3xf32> {
    %0 = "stablehlo.tanh"(%arg0) : (tensor<3xf32>) -> tensor<3xf32>
    "func.return"(%0) : (tensor<3xf32>) -> ()
  }
}
// -----
module {
  func.func public @main(%arg0: tensor<3xf32>) -> tensor<3xf32> {
    %0 = stablehlo.add %arg0, %arg0 : tensor<3xf32>
    return %0 : tensor<3xf32>
  }
}
// -----
module {
  func.func private @main(%arg0: tensor<3xf32>) -> tensor<3xf32> {
    %0 = "stablehlo.add"(%arg0, %arg0) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    "func.return"(%0) : (tensor<3xf32>) -> ()
  }
}
// -----
module {
  func.func public @main(%arg0: tensor<3xf32>) -> tensor<3xf32> {
    %0 = stablehlo.atan2 %arg0, %arg0 : tensor<3xf32>
    return %0 : tensor<3xf32>
  }
}
// -----
module {
  func.func private @main(%arg0: tensor<3xf32>) -> tensor<3xf32> {
    %0 = "stablehlo.atan2"(%arg0, %arg0) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    "func.return"(%0) : (tensor<3xf32>) -> ()
  }
}
// -----
module {
  func.func public @main(%arg0: tensor<3xf32>) -> tensor<3xf32> {
    %0 = stablehlo.divide %arg0, %arg0 : tensor<3xf32>
    return %0 : tensor<3xf32>
  }
}
// -----
module {
  func.func private @main(%arg0: tensor<3xf32>) -> tensor<3xf32> {
    %0 = "stablehlo.divide"(%arg0, %arg0) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    "func.return"(%0) : (tensor<3xf32>) -> ()
  }
}
// -----
module {
  func.func public @main(%arg0: tensor<3xf32>) -> tensor<3xf32> {
    %0 = stablehlo.maximum %arg0, %arg0 : tensor<3xf32>
    return %0 : tensor<3xf32>
  }
}
// -----
module {
  func.func private @main(%arg0: tensor<3xf32>) -> tensor<3xf32> {
    %0 = "stablehlo.maximum"(%arg0, %arg0) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    "func.return"(%0) : (tensor<3xf32>) -> ()
  }
}
// -----
module {
  func.func public @main(%arg0: tensor<3xf32>) -> tensor<3xf32> {
    %0 = stablehlo.minimum %arg0, %arg0 : tensor<3xf32>
    return %0 : tensor<3xf32>
  }
}
// -----
module {
  func.func private @main(%arg0: tensor<3xf32>) -> tensor<3xf32> {
    %0 = "stablehlo.minimum"(%arg0, %arg0) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    "func.return"(%0) : (tensor<3xf32>) -> ()
  }
}
// -----
module {
  func.func public @main(%arg0: tensor<3xf32>) -> tensor<3xf32> {
    %0 = stablehlo.multiply %arg0, %arg0 : tensor<3xf32>
    return %0 : tensor<3xf32>
  }
}
// -----
module {
  func.func private @main(%arg0: tensor<3xf32>) -> tensor<3xf32> {
    %0 = "stablehlo.multiply"(%arg0, %arg0) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    "func.return"(%0) : (tensor<3xf32>) -> ()
  }
}
// -----
module {
  func.func public @main(%arg0: tensor<3xf32>) -> tensor<3xf32> {
    %0 = stablehlo.power %arg0, %arg0 : tensor<3xf32>
    return %0 : tensor<3xf32>
  }
}
// -----
module {
  func.func private @main(%arg0: tensor<3xf32>) -> tensor<3xf32> {
    %0 = "stablehlo.power"(%arg0, %arg0) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    "func.return"(%0) : (tensor<3xf32>) -> ()
  }
}
// -----
module {
  func.func public @main(%arg0: tensor<3xf32>) -> tensor<3xf32> {
    %0 = stablehlo.remainder %arg0, %arg0 : tensor<3xf32>
    return %0 : tensor<3xf32>
  }
}
// -----
module {
  func.func private @main(%arg0: tensor<3xf32>) -> tensor<3xf32> {
    %0 = "stablehlo.remainder"(%arg0, %arg0) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    "func.return"(%0) : (tensor<3xf32>) -> ()
  }
}
// -----
module {
  func.func public @main(%arg0: tensor<3xf32>) -> tensor<3xf32> {
    %0 = stablehlo.subtract %arg0, %arg0 : tensor<3xf32>
    return %0 : tensor<3xf32>
  }
}
// -----
module {
  func.func private @main(%arg0: tensor<3xf32>) -> tensor<3xf32> {
    %0 = "stablehlo.subtract"(%arg0, %arg0) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    "func.return"(%0) : (tensor<3xf32>) -> ()
  }
}
// -----
module {
  func.func public @main(%arg0: tensor<3xi32>) -> tensor<3xi32> {
    %0 = stablehlo.and %arg0, %arg0 : tensor<3xi32>
    return %0 : tensor<3xi32>
  }
}
// -----
module {
  func.func private @main(%arg0: tensor<3xi32>) -> tensor<3xi32> {
    %0 = "stablehlo.and"(%arg0, %arg0) : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi32>
    "func.return"(%0) : (tensor<3xi32>) -> ()
  }
}
// -----
module {
  func.func public @main(%arg0: tensor<3xi32>) -> tensor<3xi32> {
    %0 = stablehlo.or %arg0, %arg0 : tensor<3xi32>
    return %0 : tensor<3xi32>
  }
}
// -----
module {
  func.func private @main(%arg0: tensor<3xi32>) -> tensor<3xi32> {
    %0 = "stablehlo.or"(%arg0, %arg0) : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi32>
    "func.return"(%0) : (tensor<3xi32>) -> ()
  }
}
// -----
module {
  func.func public @main(%arg0: tensor<3xi32>) -> tensor<3xi32> {
    %0 = stablehlo.xor %arg0, %arg0 : tensor<3xi32>
    return %0 : tensor<3xi32>
  }
}
// -----
module {
  func.func private @main(%arg0: tensor<3xi32>) -> tensor<3xi32> {
    %0 = "stablehlo.xor"(%arg0, %arg0) : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi32>
    "func.return"(%0) : (tensor<3xi32>) -> ()
  }
}
// -----
module {
  func.func public @main(%arg0: tensor<3xi32>) -> tensor<3xi32> {
    %0 = stablehlo.shift_left %arg0, %arg0 : tensor<3xi32>
    return %0 : tensor<3xi32>
  }
}
// -----
module {
  func.func private @main(%arg0: tensor<3xi32>) -> tensor<3xi32> {
    %0 = "stablehlo.shift_left"(%arg0, %arg0) : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi32>
    "func.return"(%0) : (tensor<3xi32>) -> ()
  }
}
// -----
module {
  func.func public @main(%arg0: tensor<3xi32>) -> tensor<3xi32> {
    %0 = stablehlo.shift_right_arithmetic %arg0, %arg0 : tensor<3xi32>
    return %0 : tensor<3xi32>
  }
}
// -----
module {
  func.func private @main(%arg0: tensor<3xi32>) -> tensor<3xi32> {
    %0 = "stablehlo.shift_right_arithmetic"(%arg0, %arg0) : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi32>
    "func.return"(%0) : (tensor<3xi32>) -> ()
  }
}
// -----
module {
  func.func public @main(%arg0: tensor<3xi32>) -> tensor<3xi32> {
    %0 = stablehlo.shift_right_logical %arg0, %arg0 : tensor<3xi32>
    return %0 : tensor<3xi32>
  }
}
// -----
module {
  func.func private @main(%arg0: tensor<3xi32>) -> tensor<3xi32> {
    %0 = "stablehlo.shift_right_logical"(%arg0, %arg0) : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi32>
    "func.return"(%0) : (tensor<3xi32>) -> ()
  }
}
// -----
module {
  func.func public @main(%arg0: tensor<3xi32>) -> tensor<3xi32> {
    %0 = stablehlo.not %arg0 : tensor<3xi32>
    return %0 : tensor<3xi32>
  }
}
// -----
module {
  func.func private @main(%arg0: tensor<3xi32>) -> tensor<3xi32> {
    %0 = "stablehlo.not"(%arg0) : (tensor<3xi32>) -> tensor<3xi32>
    "func.return"(%0) : (tensor<3xi32>) -> ()
  }
}
// -----
module {
  func.func public @main(%arg0: tensor<3xi32>) -> tensor<3xi32> {
    %0 = stablehlo.popcnt %arg0 : tensor<3xi32>
    return %0 : tensor<3xi32>
  }
}
// -----
module {
  func.func private @main(%arg0: tensor<3xi32>) -> tensor<3xi32> {
    %0 = "stablehlo.popcnt"(%arg0) : (tensor<3xi32>) -> tensor<3xi32>
    "func.return"(%0) : (tensor<3xi32>) -> ()
  }
}
// -----
module {
  func.func public @main(%arg0: tensor<3xi32>) -> tensor<3xi32> {
    %0 = stablehlo.count_leading_zeros %arg0 : tensor<3xi32>
    return %0 : tensor<3xi32>
  }
}
// -----
module {
  func.func private @main(%arg0: tensor<3xi32>) -> tensor<3xi32> {
    %0 = "stablehlo.count_leading_zeros"(%arg0) : (tensor<3xi32>) -> tensor<3xi32>
    "func.return"(%0) : (tensor<3xi32>) -> ()
  }
}
// -----
module {
  func.func public @main(%arg0: tensor<3xf32>) -> tensor<3xf32> {
    %0 = chlo.acos %arg0 : tensor<3xf32> -> tensor<3xf32>
    return %0 : tensor<3xf32>
  }
}
// -----
module {
  func.func private @main(%arg0: tensor<3xf32>) -> tensor<3xf32> {
    %0 = "chlo.acos"(%arg0) : (tensor<3xf32>) -> tensor<3xf32>
    "func.return"(%0) : (tensor<3xf32>) -> ()
  }
}
// -----
module {
  func.func public @main(%arg0: tensor<3xf32>) -> tensor<3xf32> {
    %0 = chlo.acosh %arg0 : tensor<3xf32> -> tensor<3xf32>
    return %0 : tensor<3xf32>
  }
}
// -----
module {
  func.func private @main(%arg0: tensor<3xf32>) -> tensor<3xf32> {
    %0 = "chlo.acosh"(%arg0) : (tensor<3xf32>) -> tensor<3xf32>
    "func.return"(%0) : (tensor<3xf32>) -> ()
  }
}
// -----
module {
  func.func public @main(%arg0: tensor<3xf32>) -> tensor<3xf32> {
    %0 = chlo.asin %arg0 : tensor<3xf32> -> tensor<3xf32>
    return %0 : tensor<3xf32>
  }
}
// -----
module {
  func.func private @main(%arg0: tensor<3xf32>) -> tensor<3xf32> {
    %0 = "chlo.asin"(%arg0) : (tensor<3xf32>) -> tensor<3xf32>
    "func.return"(%0) : (tensor<3xf32>) -> ()
  }
}
// -----
module {
  func.func public @main(%arg0: tensor<3xf32>) -> tensor<3xf32> {
    %0 = chlo.asinh %arg0 : tensor<3xf32> -> tensor<3xf32>
    return %0 : tensor<3xf32>
  }
}
// -----
module {
  func.func private @main(%arg0: tensor<3xf32>) -> tensor<3xf32> {
    %0 = "chlo.asinh"(%arg0) : (tensor<3xf32>) -> tensor<3xf32>
    "func.return"(%0) : (tensor<3xf32>) -> ()
  }
}
// -----
module {
  func.func public @main(%arg0: tensor<3xf32>) -> tensor<3xf32> {
    %0 = chlo.atan %arg0 : tensor<3xf32> -> tensor<3xf32>
    return %0 : tensor<3xf32>
  }
}
// -----
module {
  func.func private @main(%arg0: tensor<3xf32>) -> tensor<3xf32> {
    %0 = "chlo.atan"(%arg0) : (tensor<3xf32>) -> tensor<3xf32>
    "func.return"(%0) : (tensor<3xf32>) -> ()
  }
}
// -----
module {
  func.func public @main(%arg0: tensor<3xf32>) -> tensor<3xf32> {
    %0 = chlo.atanh %arg0 : tensor<3xf32> -> tensor<3xf32>
    return %0 : tensor<3xf32>
  }
}
// -----
module {
  func.func private @main(%arg0: tensor<3xf32>) -> tensor<3xf32> {
    %0 = "chlo.atanh"(%arg0) : (tensor<3xf32>) -> tensor<3xf32>
    "func.return"(%0) : (tensor<3xf32>) -> ()
  }
}
// -----
module {
  func.func public @main(%arg0: tensor<3xf32>) -> tensor<3xf32> {
    %0 = chlo.bessel_i1e %arg0 : tensor<3xf32> -> tensor<3xf32>
    return %0 : tensor<3xf32>
  }
}
// -----
module {
  func.func private @main(%arg0: tensor<3xf32>) -> tensor<3xf32> {
    %0 = "chlo.bessel_i1e"(%arg0) : (tensor<3xf32>) -> tensor<3xf32>
    "func.return"(%0) : (tensor<3xf32>) -> ()
  }
}
// -----
module {
  func.func public @main(%arg0: tensor<3xf32>) -> tensor<3xf32> {
    %0 = chlo.cosh %arg0 : tensor<3xf32> -> tensor<3xf32>
    return %0 : tensor<3xf32>
  }
}
// -----
module {
  func.func private @main(%arg0: tensor<3xf32>) -> tensor<3xf32> {
    %0 = "chlo.cosh"(%arg0) : (tensor<3xf32>) -> tensor<3xf32>
    "func.return"(%0) : (tensor<3xf32>) -> ()
  }
}
// -----
module {
  func.func public @main(%arg0: tensor<3xf32>) -> tensor<3xf32> {
    %0 = chlo.digamma %arg0 : tensor<3xf32> -> tensor<3xf32>
    return %0 : tensor<3xf32>
  }
}
// -----
module {
  func.func private @main(%arg0: tensor<3xf32>) -> tensor<3xf32> {
    %0 = "chlo.digamma"(%arg0) : (tensor<3xf32>) -> tensor<3xf32>
    "func.return"(%0) : (tensor<3xf32>) -> ()
  }
}
// -----
module {
  func.func public @main(%arg0: tensor<3xf32>) -> tensor<3xf32> {
    %0 = chlo.erf %arg0 : tensor<3xf32> -> tensor<3xf32>
    return %0 : tensor<3xf32>
  }
}
// -----
module {
  func.func private @main(%arg0: tensor<3xf32>) -> tensor<3xf32> {
    %0 = "chlo.erf"(%arg0) : (tensor<3xf32>) -> tensor<3xf32>
    "func.return"(%0) : (tensor<3xf32>) -> ()
  }
}
// -----
module {
  func.func public @main(%arg0: tensor<3xf32>) -> tensor<3xf32> {
    %0 = chlo.erf_inv %arg0 : tensor<3xf32> -> tensor<3xf32>
    return %0 : tensor<3xf32>
  }
}
// -----
module {
  func.func private @main(%arg0: tensor<3xf32>) -> tensor<3xf32> {
    %0 = "chlo.erf_inv"(%arg0) : (tensor<3xf32>) -> tensor<3xf32>
    "func.return"(%0) : (tensor<3xf32>) -> ()
  }
}
// -----
module {
  func.func public @main(%arg0: tensor<3xf32>) -> tensor<3xf32> {
    %0 = chlo.erfc %arg0 : tensor<3xf32> -> tensor<3xf32>
    return %0 : tensor<3xf32>
  }
}
// -----
module {
  func.func private @main(%arg0: tensor<3xf32>) -> tensor<3xf32> {
    %0 = "chlo.erfc"(%arg0) : (tensor<3xf32>) -> tensor<3xf32>
    "func.return"(%0) : (tensor<3xf32>) -> ()
  }
}
// -----
module {
  func.func public @main(%arg0: tensor<3xf32>) -> tensor<3xf32> {
    %0 = chlo.lgamma %arg0 : tensor<3xf32> -> tensor<3xf32>
    return %0 : tensor<3xf32>
  }
}
// -----
module {
  func.func private @main(%arg0: tensor<3xf32>) -> tensor<3xf32> {
    %0 = "chlo.lgamma"(%arg0) : (tensor<3xf32>) -> tensor<3xf32>
    "func.return"(%0) : (tensor<3xf32>) -> ()
  }
}
// -----
module {
  func.func public @main(%arg0: tensor<3xf32>) -> tensor<3xf32> {
    %0 = chlo.sinh %arg0 : tensor<3xf32> -> tensor<3xf32>
    return %0 : tensor<3xf32>
  }
}
// -----
module {
  func.func private @main(%arg0: tensor<3xf32>) -> tensor<3xf32> {
    %0 = "chlo.sinh"(%arg0) : (tensor<3xf32>) -> tensor<3xf32>
    "func.return"(%0) : (tensor<3xf32>) -> ()
  }
}
// -----
module {
  func.func public @main(%arg0: tensor<3xf32>) -> tensor<3xf32> {
    %0 = chlo.square %arg0 : tensor<3xf32> -> tensor<3xf32>
    return %0 : tensor<3xf32>
  }
}
// -----
module {
  func.func private @main(%arg0: tensor<3xf32>) -> tensor<3xf32> {
    %0 = "chlo.square"(%arg0) : (tensor<3xf32>) -> tensor<3xf32>
    "func.return"(%0) : (tensor<3xf32>) -> ()
  }
}
// -----
module {
  func.func public @main(%arg0: tensor<3xf32>) -> tensor<3xf32> {
    %0 = chlo.tan %arg0 : tensor<3xf32> -> tensor<3xf32>
    return %0 : tensor<3xf32>
  }
}
// -----
module {
  func.func private @main(%arg0: tensor<3xf32>) -> tensor<3xf32> {
    %0 = "chlo.tan"(%arg0) : (tensor<3xf32>) -> tensor<3xf32>
    "func.return"(%0) : (tensor<3xf32>) -> ()
  }
}
// -----
module {
  func.func public @main(%arg0: tensor<3xf32>) -> tensor<3xi1> {
    %0 = chlo.is_inf %arg0 : tensor<3xf32> -> tensor<3xi1>
    return %0 : tensor<3xi1>
  }
}
// -----
module {
  func.func private @main(%arg0: tensor<3xf32>) -> tensor<3xi1> {
    %0 = "chlo.is_inf"(%arg0) : (tensor<3xf32>) -> tensor<3xi1>
    "func.return"(%0) : (tensor<3xi1>) -> ()
  }
}
// -----
module {
  func.func public @main(%arg0: tensor<3xf32>) -> tensor<3xi1> {
    %0 = chlo.is_neg_inf %arg0 : tensor<3xf32> -> tensor<3xi1>
    return %0 : tensor<3xi1>
  }
}
// -----
module {
  func.func private @main(%arg0: tensor<3xf32>) -> tensor<3xi1> {
    %0 = "chlo.is_neg_inf"(%arg0) : (tensor<3xf32>) -> tensor<3xi1>
    "func.return"(%0) : (tensor<3xi1>) -> ()
  }
}
// -----
module {
  func.func public @main(%arg0: tensor<3xf32>) -> tensor<3xi1> {
    %0 = chlo.is_pos_inf %arg0 : tensor<3xf32> -> tensor<3xi1>
    return %0 : tensor<3xi1>
  }
}
// -----
module {
  func.func private @main(%arg0: tensor<3xf32>) -> tensor<3xi1> {
    %0 = "chlo.is_pos_inf"(%arg0) : (tensor<3xf32>) -> tensor<3xi1>
    "func.return"(%0) : (tensor<3xi1>) -> ()
  }
}
// -----
module {
  func.func public @main(%arg0: tensor<3xf32>) -> tensor<3xf32> {
    %0 = chlo.next_after %arg0, %arg0 : tensor<3xf32>, tensor<3xf32> -> tensor<3xf32>
    return %0 : tensor<3xf32>
  }
}
// -----
module {
  func.func private @main(%arg0: tensor<3xf32>) -> tensor<3xf32> {
    %0 = "chlo.next_after"(%arg0, %arg0) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    "func.return"(%0) : (tensor<3xf32>) -> ()
  }
}
// -----
module {
  func.func public @main(%arg0: tensor<3xf32>) -> tensor<3xf32> {
    %0 = chlo.polygamma %arg0, %arg0 : tensor<3xf32>, tensor<3xf32> -> tensor<3xf32>
    return %0 : tensor<3xf32>
  }
}
// -----
module {
  func.func private @main(%arg0: tensor<3xf32>) -> tensor<3xf32> {
    %0 = "chlo.polygamma"(%arg0, %arg0) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    "func.return"(%0) : (tensor<3xf32>) -> ()
  }
}
// -----
module {
  func.func public @main(%arg0: tensor<3xf32>) -> tensor<3xf32> {
    %0 = chlo.zeta %arg0, %arg0 : tensor<3xf32>, tensor<3xf32> -> tensor<3xf32>
    return %0 : tensor<3xf32>
  }
}
// -----
module {
  func.func private @main(%arg0: tensor<3xf32>) -> tensor<3xf32> {
    %0 = "chlo.zeta"(%arg0, %arg0) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    "func.return"(%0) : (tensor<3xf32>) -> ()
  }
}
// -----
module {
  func.func public @main(%arg0: tensor<f32>, %arg1: tensor<3xf32>) -> tensor<3xf32> {
    %0 = chlo.broadcast_add %arg1, %arg0 : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
    return %0 : tensor<3xf32>
  }
}
// -----
module {
  func.func private @main(%arg0: tensor<f32>, %arg1: tensor<3xf32>) -> tensor<3xf32> {
    %0 = "chlo.broadcast_add"(%arg1, %arg0) : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
    "func.return"(%0) : (tensor<3xf32>) -> ()
  }
}
// -----
module {
  func.func public @main(%arg0: tensor<3x4x5xf32>) -> tensor<3x4x5xf32> {
    %0 = chlo.broadcast_add %arg0, %arg0 : (tensor<3x4x5xf32>, tensor<3x4x5xf32>) -> tensor<3x4x5xf32>
    return %0 : tensor<3x4x5xf32>
  }
}
// -----
module {
  func.func private @main(%arg0: tensor<3x4x5xf32>) -> tensor<3x4x5xf32> {
    %0 = "chlo.broadcast_add"(%arg0, %arg0) : (tensor<3x4x5xf32>, tensor<3x4x5xf32>) -> tensor<3x4x5xf32>
    "func.return"(%0) : (tensor<3x4x5xf32>) -> ()
  }
}
// -----
module {
  func.func public @main(%arg0: tensor<f32>, %arg1: tensor<3xf32>) -> tensor<3xf32> {
    %0 = chlo.broadcast_atan2 %arg1, %arg0 : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
    return %0 : tensor<3xf32>
  }
}
// -----
module {
  func.func private @main(%arg0: tensor<f32>, %arg1: tensor<3xf32>) -> tensor<3xf32> {
    %0 = "chlo.broadcast_atan2"(%arg1, %arg0) : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
    "func.return"(%0) : (tensor<3xf32>) -> ()
  }
}
// -----
module {
  func.func public @main(%arg0: tensor<3x4x5xf32>) -> tensor<3x4x5xf32> {
    %0 = chlo.broadcast_atan2 %arg0, %arg0 : (tensor<3x4x5xf32>, tensor<3x4x5xf32>) -> tensor<3x4x5xf32>
    return %0 : tensor<3x4x5xf32>
  }
}
// -----
module {
  func.func private @main(%arg0: tensor<3x4x5xf32>) -> tensor<3x4x5xf32> {
    %0 = "chlo.broadcast_atan2"(%arg0, %arg0) : (tensor<3x4x5xf32>, tensor<3x4x5xf32>) -> tensor<3x4x5xf32>
    "func.return"(%0) : (tensor<3x4x5xf32>) -> ()
  }
}
// -----
module {
  func.func public @main(%arg0: tensor<f32>, %arg1: tensor<3xf32>) -> tensor<3xf32> {
    %0 = chlo.broadcast_divide %arg1, %arg0 : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
    return %0 : tensor<3xf32>
  }
}
// -----
module {
  func.func private @main(%arg0: tensor<f32>, %arg1: tensor<3xf32>) -> tensor<3xf32> {
    %0 = "chlo.broadcast_divide"(%arg1, %arg0) : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
    "func.return"(%0) : (tensor<3xf32>) -> ()
  }
}
// -----
module {
  func.func public @main(%arg0: tensor<3x4x5xf32>) -> tensor<3x4x5xf32> {
    %0 = chlo.broadcast_divide %arg0, %arg0 : (tensor<3x4x5xf32>, tensor<3x4x5xf32>) -> tensor<3x4x5xf32>
    return %0 : tensor<3x4x5xf32>
  }
}
// -----
module {
  func.func private @main(%arg0: tensor<3x4x5xf32>) -> tensor<3x4x5xf32> {
    %0 = "chlo.broadcast_divide"(%arg0, %arg0) : (tensor<3x4x5xf32>, tensor<3x4x5xf32>) -> tensor<3x4x5xf32>
    "func.return"(%0) : (tensor<3x4x5xf32>) -> ()
  }
}
// -----
module {
  func.func public @main(%arg0: tensor<f32>, %arg1: tensor<3xf32>) -> tensor<3xf32> {
    %0 = chlo.broadcast_maximum %arg1, %arg0 : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
    return %0 : tensor<3xf32>
  }
}
// -----
module {
  func.func private @main(%arg0: tensor<f32>, %arg1: tensor<3xf32>) -> tensor<3xf32> {
    %0 = "chlo.broadcast_maximum"(%arg1, %arg0) : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
    "func.return"(%0) : (tensor<3xf32>) -> ()
  }
}
// -----
module {
  func.func public @main(%arg0: tensor<3x4x5xf32>) -> tensor<3x4x5xf32> {
    %0 = chlo.broadcast_maximum %arg0, %arg0 : (tensor<3x4x5xf32>, tensor<3x4x5xf32>) -> tensor<3x4x5xf32>
    return %0 : tensor<3x4x5xf32>
  }
}
// -----
module {
  func.func private @main(%arg0: tensor<3x4x5xf32>) -> tensor<3x4x5xf32> {
    %0 = "chlo.broadcast_maximum"(%arg0, %arg0) : (tensor<3x4x5xf32>, tensor<3x4x5xf32>) -> tensor<3x4x5xf32>
    "func.return"(%0) : (tensor<3x4x5xf32>) -> ()
  }
}
// -----
module {
  func.func public @main(%arg0: tensor<f32>, %arg1: tensor<3xf32>) -> tensor<3xf32> {
    %0 = chlo.broadcast_minimum %arg1, %arg0 : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
    return %0 : tensor<3xf32>
  }
}
// -----
module {
  func.func private @main(%arg0: tensor<f32>, %arg1: tensor<3xf32>) -> tensor<3xf32> {
    %0 = "chlo.broadcast_minimum"(%arg1, %arg0) : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
    "func.return"(%0) : (tensor<3xf32>) -> ()
  }
}
// -----
module {
  func.func public @main(%arg0: tensor<3x4x5xf32>) -> tensor<3x4x5xf32> {
    %0 = chlo.broadcast_minimum %arg0, %arg0 : (tensor<3x4x5xf32>, tensor<3x4x5xf32>) -> tensor<3x4x5xf32>
    return %0 : tensor<3x4x5xf32>
  }
}
// -----
module {
  func.func private @main(%arg0: tensor<3x4x5xf32>) -> tensor<3x4x5xf32> {
    %0 = "chlo.broadcast_minimum"(%arg0, %arg0) : (tensor<3x4x5xf32>, tensor<3x4x5xf32>) -> tensor<3x4x5xf32>
    "func.return"(%0) : (tensor<3x4x5xf32>) -> ()
  }
}
// -----
module {
  func.func public @main(%arg0: tensor<f32>, %arg1: tensor<3xf32>) -> tensor<3xf32> {
    %0 = chlo.broadcast_multiply %arg1, %arg0 : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
    return %0 : tensor<3xf32>
  }
}
// -----
module {
  func.func private @main(%arg0: tensor<f32>, %arg1: tensor<3xf32>) -> tensor<3xf32> {
    %0 = "chlo.broadcast_multiply"(%arg1, %arg0) : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
    "func.return"(%0) : (tensor<3xf32>) -> ()
  }
}
// -----
module {
  func.func public @main(%arg0: tensor<3x4x5xf32>) -> tensor<3x4x5xf32> {
    %0 = chlo.broadcast_multiply %arg0, %arg0 : (tensor<3x4x5xf32>, tensor<3x4x5xf32>) -> tensor<3x4x5xf32>
    return %0 : tensor<3x4x5xf32>
  }
}
// -----
module {
  func.func private @main(%arg0: tensor<3x4x5xf32>) -> tensor<3x4x5xf32> {
    %0 = "chlo.broadcast_multiply"(%arg0, %arg0) : (tensor<3x4x5xf32>, tensor<3x4x5xf32>) -> tensor<3x4x5xf32>
    "func.return"(%0) : (tensor<3x4x5xf32>) -> ()
  }
}
// -----
module {
  func.func public @main(%arg0: tensor<f32>, %arg1: tensor<3xf32>) -> tensor<3xf32> {
    %0 = chlo.broadcast_power %arg1, %arg0 : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
    return %0 : tensor<3xf32>
  }
}
// -----
module {
  func.func private @main(%arg0: tensor<f32>, %arg1: tensor<3xf32>) -> tensor<3xf32> {
    %0 = "chlo.broadcast_power"(%arg1, %arg0) : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
    "func.return"(%0) : (tensor<3xf32>) -> ()
  }
}
// -----
module {
  func.func public @main(%arg0: tensor<3x4x5xf32>) -> tensor<3x4x5xf32> {
    %0 = chlo.broadcast_power %arg0, %arg0 : (tensor<3x4x5xf32>, tensor<3x4x5xf32>) -> tensor<3x4x5xf32>
    return %0 : tensor<3x4x5xf32>
  }
}
// -----
module {
  func.func private @main(%arg0: tensor<3x4x5xf32>) -> tensor<3x4x5xf32> {
    %0 = "chlo.broadcast_power"(%arg0, %arg0) : (tensor<3x4x5xf32>, tensor<3x4x5xf32>) -> tensor<3x4x5xf32>
    "func.return"(%0) : (tensor<3x4x5xf32>) -> ()
  }
}
// -----
module {
  func.func public @main(%arg0: tensor<f32>, %arg1: tensor<3xf32>) -> tensor<3xf32> {
    %0 = chlo.broadcast_remainder %arg1, %arg0 : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
    return %0 : tensor<3xf32>
  }
}
// -----
module {
  func.func private @main(%arg0: tensor<f32>, %arg1: tensor<3xf32>) -> tensor<3xf32> {
    %0 = "chlo.broadcast_remainder"(%arg1, %arg0) : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
    "func.return"(%0) : (tensor<3xf32>) -> ()
  }
}
// -----
module {
  func.func public @main(%arg0: tensor<3x4x5xf32>) -> tensor<3x4x5xf32> {
    %0 = chlo.broadcast_remainder %arg0, %arg0 : (tensor<3x4x5xf32>, tensor<3x4x5xf32>) -> tensor<3x4x5xf32>
    return %0 : tensor<3x4x5xf32>
  }
}
// -----
module {
  func.func private @main(%arg0: tensor<3x4x5xf32>) -> tensor<3x4x5xf32> {
    %0 = "chlo.broadcast_remainder"(%arg0, %arg0) : (tensor<3x4x5xf32>, tensor<3x4x5xf32>) -> tensor<3x4x5xf32>
    "func.return"(%0) : (tensor<3x4x5xf32>) -> ()
  }
}
// -----
module {
  func.func public @main(%arg0: tensor<f32>, %arg1: tensor<3xf32>) -> tensor<3xf32> {
    %0 = chlo.broadcast_subtract %arg1, %arg0 : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
    return %0 : tensor<3xf32>
  }
}
// -----
module {
  func.func private @main(%arg0: tensor<f32>, %arg1: tensor<3xf32>) -> tensor<3xf32> {
    %0 = "chlo.broadcast_subtract"(%arg1, %arg0) : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
    "func.return"(%0) : (tensor<3xf32>) -> ()
  }
}
// -----
module {
  func.func public @main(%arg0: tensor<3x4x5xf32>) -> tensor<3x4x5xf32> {
    %0 = chlo.broadcast_subtract %arg0, %arg0 : (tensor<3x4x5xf32>, tensor<3x4x5xf32>) -> tensor<3x4x5xf32>
    return %0 : tensor<3x4x5xf32>
  }
}
// -----
module {
  func.func private @main(%arg0: tensor<3x4x5xf32>) -> tensor<3x4x5xf32> {
    %0 = "chlo.broadcast_subtract"(%arg0, %arg0) : (tensor<3x4x5xf32>, tensor<3x4x5xf32>) -> tensor<3x4x5xf32>
    "func.return"(%0) : (tensor<3x4x5xf32>) -> ()
  }
}
// -----
module {
  func.func public @main(%arg0: tensor<f32>, %arg1: tensor<3xf32>) -> tensor<3xf32> {
    %0 = chlo.broadcast_next_after %arg1, %arg0 : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
    return %0 : tensor<3xf32>
  }
}
// -----
module {
  func.func private @main(%arg0: tensor<f32>, %arg1: tensor<3xf32>) -> tensor<3xf32> {
    %0 = "chlo.broadcast_next_after"(%arg1, %arg0) : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
    "func.return"(%0) : (tensor<3xf32>) -> ()
  }
}
// -----
module {
  func.func public @main(%arg0: tensor<3x4x5xf32>) -> tensor<3x4x5xf32> {
    %0 = chlo.broadcast_next_after %arg0, %arg0 : (tensor<3x4x5xf32>, tensor<3x4x5xf32>) -> tensor<3x4x5xf32>
    return %0 : tensor<3x4x5xf32>
  }
}
// -----
module {
  func.func private @main(%arg0: tensor<3x4x5xf32>) -> tensor<3x4x5xf32> {
    %0 = "chlo.broadcast_next_after"(%arg0, %arg0) : (tensor<3x4x5xf32>, tensor<3x4x5xf32>) -> tensor<3x4x5xf32>
    "func.return"(%0) : (tensor<3x4x5xf32>) -> ()
  }
}
// -----
module {
  func.func public @main(%arg0: tensor<i32>, %arg1: tensor<3xi32>) -> tensor<3xi32> {
    %0 = chlo.broadcast_and %arg1, %arg0 : (tensor<3xi32>, tensor<i32>) -> tensor<3xi32>
    return %0 : tensor<3xi32>
  }
}
// -----
module {
  func.func private @main(%arg0: tensor<i32>, %arg1: tensor<3xi32>) -> tensor<3xi32> {
    %0 = "chlo.broadcast_and"(%arg1, %arg0) : (tensor<3xi32>, tensor<i32>) -> tensor<3xi32>
    "func.return"(%0) : (tensor<3xi32>) -> ()
  }
}
// -----
module {
  func.func public @main(%arg0: tensor<i32>, %arg1: tensor<3xi32>) -> tensor<3xi32> {
    %0 = chlo.broadcast_or %arg1, %arg0 : (tensor<3xi32>, tensor<i32>) -> tensor<3xi32>
    return %0 : tensor<3xi32>
  }
}
// -----
module {
  func.func private @main(%arg0: tensor<i32>, %arg1: tensor<3xi32>) -> tensor<3xi32> {
    %0 = "chlo.broadcast_or"(%arg1, %arg0) : (tensor<3xi32>, tensor<i32>) -> tensor<3xi32>
    "func.return"(%0) : (tensor<3xi32>) -> ()
  }
}
// -----
module {
  func.func public @main(%arg0: tensor<i32>, %arg1: tensor<3xi32>) -> tensor<3xi32> {
    %0 = chlo.broadcast_xor %arg1, %arg0 : (tensor<3xi32>, tensor<i32>) -> tensor<3xi32>
    return %0 : tensor<3xi32>
  }
}
// -----
module {
  func.func private @main(%arg0: tensor<i32>, %arg1: tensor<3xi32>) -> tensor<3xi32> {
    %0 = "chlo.broadcast_xor"(%arg1, %arg0) : (tensor<3xi32>, tensor<i32>) -> tensor<3xi32>
    "func.return"(%0) : (tensor<3xi32>) -> ()
  }
}
// -----
module {
  func.func public @main(%arg0: tensor<i32>, %arg1: tensor<3xi32>) -> tensor<3xi32> {
    %0 = chlo.broadcast_shift_left %arg1, %arg0 : (tensor<3xi32>, tensor<i32>) -> tensor<3xi32>
    return %0 : tensor<3xi32>
  }
}
// -----
module {
  func.func private @main(%arg0: tensor<i32>, %arg1: tensor<3xi32>) -> tensor<3xi32> {
    %0 = "chlo.broadcast_shift_left"(%arg1, %arg0) : (tensor<3xi32>, tensor<i32>) -> tensor<3xi32>
    "func.return"(%0) : (tensor<3xi32>) -> ()
  }
}
// -----
module {
  func.func public @main(%arg0: tensor<i32>, %arg1: tensor<3xi32>) -> tensor<3xi32> {
    %0 = chlo.broadcast_shift_right_arithmetic %arg1, %arg0 : (tensor<3xi32>, tensor<i32>) -> tensor<3xi32>
    return %0 : tensor<3xi32>
  }
}
// -----
module {
  func.func private @main(%arg0: tensor<i32>, %arg1: tensor<3xi32>) -> tensor<3xi32> {
    %0 = "chlo.broadcast_shift_right_arithmetic"(%arg1, %arg0) : (tensor<3xi32>, tensor<i32>) -> tensor<3xi32>
    "func.return"(%0) : (tensor<3xi32>) -> ()
  }
}
// -----
module {
  func.func public @main(%arg0: tensor<i32>, %arg1: tensor<3xi32>) -> tensor<3xi32> {
    %0 = chlo.broadcast_shift_right_logical %arg1, %arg0 : (tensor<3xi32>, tensor<i32>) -> tensor<3xi32>
    return %0 : tensor<3xi32>
  }
}
// -----
module {
  func.func private @main(%arg0: tensor<i32>, %arg1: tensor<3xi32>) -> tensor<3xi32> {
    %0 = "chlo.broadcast_shift_right_logical"(%arg1, %arg0) : (tensor<3xi32>, tensor<i32>) -> tensor<3xi32>
    "func.return"(%0) : (tensor<3xi32>) -> ()
  }
}
// -----
module {
  func.func public @main(%arg0: tensor<3xf32>) -> tensor<3xf32> {
    %0 = stablehlo.abs %arg0 {a = 1 : i32, "b c" = "d"} : tensor<3xf32>
    return %0 : tensor<3xf32>
  }
}
// -----
module {
  func.func private @main(%arg0: tensor<3xf32>) -> tensor<3xf32> {
    %0 = "stablehlo.abs"(%arg0) {a = 1 : i32, "b c" = "d"} : (tensor<3xf32>) -> tensor<3xf32>
    "func.return"(%0) : (tensor<3xf32>) -> ()
  }
}
// -----
module {
  func.func public @main(%arg0: tensor<f32>) -> tensor<f32> {
    %0 = stablehlo.exponential %arg0 {result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<HIGHEST>>} : tensor<f32>
    return %0 : tensor<f32>
  }
}
// -----
module {
  func.func private @main(%arg0: tensor<f32>) -> tensor<f32> {
    %0 = "stablehlo.exponential"(%arg0) <{result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<HIGHEST>>}> : (tensor<f32>) -> tensor<f32>
    "func.return"(%0) : (tensor<f32>) -> ()
  }
}
// -----
module {
  func.func public @main(%arg0: tensor<f32>) -> tensor<f32> {
    %0 = stablehlo.exponential %arg0 {result_accuracy = #stablehlo.result_accuracy<atol = 1.000000e+00, ulps = 2, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} : tensor<f32>
    return %0 : tensor<f32>
  }
}
// -----
module {
  func.func private @main(%arg0: tensor<f32>) -> tensor<f32> {
    %0 = "stablehlo.exponential"(%arg0) <{result_accuracy = #stablehlo.result_accuracy<atol = 1.000000e+00, ulps = 2, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>}> : (tensor<f32>) -> tensor<f32>
    "func.return"(%0) : (tensor<f32>) -> ()
  }
}
// -----
module {
  func.func public @main(%arg0: tensor<3xf32>) -> tensor<3xi32> {
    %0 = stablehlo.convert %arg0 : (tensor<3xf32>) -> tensor<3xi32>
    return %0 : tensor<3xi32>
  }
}
// -----
module {
  func.func private @main(%arg0: tensor<3xf32>) -> tensor<3xi32> {
    %0 = "stablehlo.convert"(%arg0) : (tensor<3xf32>) -> tensor<3xi32>
    "func.return"(%0) : (tensor<3xi32>) -> ()
  }
}
// -----
module {
  func.func public @main(%arg0: tensor<3xf32>) -> tensor<3xf32> {
    %0 = stablehlo.convert %arg0 : tensor<3xf32>
    return %0 : tensor<3xf32>
  }
}
// -----
module {
  func.func private @main(%arg0: tensor<3xf32>) -> tensor<3xf32> {
    %0 = "stablehlo.convert"(%arg0) : (tensor<3xf32>) -> tensor<3xf32>
    "func.return"(%0) : (tensor<3xf32>) -> ()
  }
}
// -----
module {
  func.func public @main(%arg0: tensor<3xf32>) -> tensor<3xi1> {
    %0 = stablehlo.is_finite %arg0 : (tensor<3xf32>) -> tensor<3xi1>
    return %0 : tensor<3xi1>
  }
}
// -----
module {
  func.func private @main(%arg0: tensor<3xf32>) -> tensor<3xi1> {
    %0 = "stablehlo.is_finite"(%arg0) : (tensor<3xf32>) -> tensor<3xi1>
    "func.return"(%0) : (tensor<3xi1>) -> ()
  }
}
// -----
module {
  func.func public @main(%arg0: tensor<3xcomplex<f32>>) -> tensor<3xf32> {
    %0 = stablehlo.real %arg0 : (tensor<3xcomplex<f32>>) -> tensor<3xf32>
    return %0 : tensor<3xf32>
  }
}
// -----
module {
  func.func private @main(%arg0: tensor<3xcomplex<f32>>) -> tensor<3xf32> {
    %0 = "stablehlo.real"(%arg0) : (tensor<3xcomplex<f32>>) -> tensor<3xf32>
    "func.return"(%0) : (tensor<3xf32>) -> ()
  }
}
// -----
module {
  func.func public @main(%arg0: tensor<3xcomplex<f32>>) -> tensor<3xf32> {
    %0 = stablehlo.imag %arg0 : (tensor<3xcomplex<f32>>) -> tensor<3xf32>
    return %0 : tensor<3xf32>
  }
}
// -----
module {
  func.func private @main(%arg0: tensor<3xcomplex<f32>>) -> tensor<3xf32> {
    %0 = "stablehlo.imag"(%arg0) : (tensor<3xcomplex<f32>>) -> tensor<3xf32>
    "func.return"(%0) : (tensor<3xf32>) -> ()
  }
}
// -----
module {
  func.func public @main(%arg0: tensor<3xf32>) -> tensor<3xcomplex<f32>> {
    %0 = stablehlo.complex %arg0, %arg0 : tensor<3xcomplex<f32>>
    return %0 : tensor<3xcomplex<f32>>
  }
}
// -----
module {
  func.func private @main(%arg0: tensor<3xf32>) -> tensor<3xcomplex<f32>> {
    %0 = "stablehlo.complex"(%arg0, %arg0) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xcomplex<f32>>
    "func.return"(%0) : (tensor<3xcomplex<f32>>) -> ()
  }
}
// -----
module {
  func.func public @main(%arg0: tensor<3xcomplex<f32>>) -> tensor<3xcomplex<f32>> {
    %0 = chlo.conj %arg0 : tensor<3xcomplex<f32>> -> tensor<3xcomplex<f32>>
    return %0 : tensor<3xcomplex<f32>>
  }
}
// -----
module {
  func.func private @main(%arg0: tensor<3xcomplex<f32>>) -> tensor<3xcomplex<f32>> {
    %0 = "chlo.conj"(%arg0) : (tensor<3xcomplex<f32>>) -> tensor<3xcomplex<f32>>
    "func.return"(%0) : (tensor<3xcomplex<f32>>) -> ()
  }
}
// -----
module {
  func.func public @main(%arg0: tensor<3xi32>) -> tensor<3xi32> {
    %0 = chlo.mulhi %arg0, %arg0 : tensor<3xi32>, tensor<3xi32> -> tensor<3xi32>
    return %0 : tensor<3xi32>
  }
}
// -----
module {
  func.func private @main(%arg0: tensor<3xi32>) -> tensor<3xi32> {
    %0 = "chlo.mulhi"(%arg0, %arg0) : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi32>
    "func.return"(%0) : (tensor<3xi32>) -> ()
  }
}
// -----
module {
  func.func public @main(%arg0: tensor<f32>, %arg1: tensor<3xf32>) -> tensor<3xf32> {
    %0 = stablehlo.clamp %arg0, %arg1, %arg0 : (tensor<f32>, tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
    return %0 : tensor<3xf32>
  }
}
// -----
module {
  func.func private @main(%arg0: tensor<f32>, %arg1: tensor<3xf32>) -> tensor<3xf32> {
    %0 = "stablehlo.clamp"(%arg0, %arg1, %arg0) : (tensor<f32>, tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
    "func.return"(%0) : (tensor<3xf32>) -> ()
  }
}
// -----
module {
  func.func public @main(%arg0: tensor<3xf32>) -> tensor<3xf32> {
    %0 = stablehlo.clamp %arg0, %arg0, %arg0 : tensor<3xf32>
    return %0 : tensor<3xf32>
  }
}
// -----
module {
  func.func private @main(%arg0: tensor<3xf32>) -> tensor<3xf32> {
    %0 = "stablehlo.clamp"(%arg0, %arg0, %arg0) : (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    "func.return"(%0) : (tensor<3xf32>) -> ()
  }
}
// -----
module {
  func.func public @main(%arg0: tensor<3xf32>, %arg1: tensor<i1>) -> tensor<3xf32> {
    %0 = stablehlo.select %arg1, %arg0, %arg0 : tensor<i1>, tensor<3xf32>
    return %0 : tensor<3xf32>
  }
}
// -----
module {
  func.func private @main(%arg0: tensor<3xf32>, %arg1: tensor<i1>) -> tensor<3xf32> {
    %0 = "stablehlo.select"(%arg1, %arg0, %arg0) : (tensor<i1>, tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    "func.return"(%0) : (tensor<3xf32>) -> ()
  }
}
// -----
module {
  func.func public @main(%arg0: tensor<3xf32>, %arg1: tensor<3xi1>) -> tensor<3xf32> {
    %0 = stablehlo.select %arg1, %arg0, %arg0 : tensor<3xi1>, tensor<3xf32>
    return %0 : tensor<3xf32>
  }
}
// -----
module {
  func.func private @main(%arg0: tensor<3xf32>, %arg1: tensor<3xi1>) -> tensor<3xf32> {
    %0 = "stablehlo.select"(%arg1, %arg0, %arg0) : (tensor<3xi1>, tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    "func.return"(%0) : (tensor<3xf32>) -> ()
  }
}
// -----
module {
  func.func public @main(%arg0: tensor<3xf32>) -> tensor<3xi1> {
    %0 = stablehlo.compare LT, %arg0, %arg0 : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
    return %0 : tensor<3xi1>
  }
}
// -----
module {
  func.func private @main(%arg0: tensor<3xf32>) -> tensor<3xi1> {
    %0 = "stablehlo.compare"(%arg0, %arg0) <{comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
    "func.return"(%0) : (tensor<3xi1>) -> ()
  }
}
// -----
module {
  func.func public @main(%arg0: tensor<3xf32>) -> tensor<3xi1> {
    %0 = stablehlo.compare NE, %arg0, %arg0, TOTALORDER : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
    return %0 : tensor<3xi1>
  }
}
// -----
module {
  func.func private @main(%arg0: tensor<3xf32>) -> tensor<3xi1> {
    %0 = "stablehlo.compare"(%arg0, %arg0) <{compare_type = #stablehlo<comparison_type TOTALORDER>, comparison_direction = #stablehlo<comparison_direction NE>}> : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
    "func.return"(%0) : (tensor<3xi1>) -> ()
  }
}
// -----
module {
  func.func public @main(%arg0: tensor<3xf32>) -> tensor<3xf32> {
    %0 = stablehlo.reduce_precision %arg0, format = e5m10 : tensor<3xf32>
    return %0 : tensor<3xf32>
  }
}
// -----
module {
  func.func private @main(%arg0: tensor<3xf32>) -> tensor<3xf32> {
    %0 = "stablehlo.reduce_precision"(%arg0) <{exponent_bits = 5 : i32, mantissa_bits = 10 : i32}> : (tensor<3xf32>) -> tensor<3xf32>
    "func.return"(%0) : (tensor<3xf32>) -> ()
  }
}
// -----
module {
  func.func public @main(%arg0: tensor<3xf32>) -> tensor<3xi32> {
    %0 = stablehlo.bitcast_convert %arg0 : (tensor<3xf32>) -> tensor<3xi32>
    return %0 : tensor<3xi32>
  }
}
// -----
module {
  func.func private @main(%arg0: tensor<3xf32>) -> tensor<3xi32> {
    %0 = "stablehlo.bitcast_convert"(%arg0) : (tensor<3xf32>) -> tensor<3xi32>
    "func.return"(%0) : (tensor<3xi32>) -> ()
  }
}
// -----
module {
  func.func public @main() -> tensor<3xi32> {
    %c = stablehlo.constant dense<[1, -2, 3]> : tensor<3xi32>
    return %c : tensor<3xi32>
  }
}
// -----
module {
  func.func private @main() -> tensor<3xi32> {
    %0 = "stablehlo.constant"() <{value = dense<[1, -2, 3]> : tensor<3xi32>}> : () -> tensor<3xi32>
    "func.return"(%0) : (tensor<3xi32>) -> ()
  }
}
// -----
module {
  func.func public @main() -> tensor<3xi32> {
    %c = stablehlo.constant {a = 1 : i32} dense<[1, -2, 3]> : tensor<3xi32>
    return %c : tensor<3xi32>
  }
}
// -----
module {
  func.func private @main() -> tensor<3xi32> {
    %0 = "stablehlo.constant"() <{value = dense<[1, -2, 3]> : tensor<3xi32>}> {a = 1 : i32} : () -> tensor<3xi32>
    "func.return"(%0) : (tensor<3xi32>) -> ()
  }
}
// -----
module {
  func.func public @main() -> tensor<3xi32> {
    %0 = chlo.constant dense<[1, -2, 3]> : tensor<3xi32>
    return %0 : tensor<3xi32>
  }
}
// -----
module {
  func.func private @main() -> tensor<3xi32> {
    %0 = "chlo.constant"() <{value = dense<[1, -2, 3]> : tensor<3xi32>}> : () -> tensor<3xi32>
    "func.return"(%0) : (tensor<3xi32>) -> ()
  }
}
// -----
module {
  func.func public @main(%arg0: tensor<3xf32>) -> tensor<3xf32> {
    %0 = "chlo.constant_like"(%arg0) <{value = 1.500000e+00 : f32}> : (tensor<3xf32>) -> tensor<3xf32>
    return %0 : tensor<3xf32>
  }
}
// -----
module {
  func.func private @main(%arg0: tensor<3xf32>) -> tensor<3xf32> {
    %0 = "chlo.constant_like"(%arg0) <{value = 1.500000e+00 : f32}> : (tensor<3xf32>) -> tensor<3xf32>
    "func.return"(%0) : (tensor<3xf32>) -> ()
  }
}
// -----
module {
  func.func public @main() -> tensor<3x4xf32> {
    %0 = stablehlo.iota dim = 1 : tensor<3x4xf32>
    return %0 : tensor<3x4xf32>
  }
}
// -----
module {
  func.func private @main() -> tensor<3x4xf32> {
    %0 = "stablehlo.iota"() <{iota_dimension = 1 : i64}> : () -> tensor<3x4xf32>
    "func.return"(%0) : (tensor<3x4xf32>) -> ()
  }
}
// -----
module {
  func.func public @main() -> tensor<3x4xf32> {
    %c = stablehlo.constant dense<[3, 4]> : tensor<2xi64>
    %0 = stablehlo.dynamic_iota %c, dim = 1 : (tensor<2xi64>) -> tensor<3x4xf32>
    return %0 : tensor<3x4xf32>
  }
}
// -----
module {
  func.func private @main() -> tensor<3x4xf32> {
    %0 = "stablehlo.constant"() <{value = dense<[3, 4]> : tensor<2xi64>}> : () -> tensor<2xi64>
    %1 = "stablehlo.dynamic_iota"(%0) <{iota_dimension = 1 : i64}> : (tensor<2xi64>) -> tensor<3x4xf32>
    "func.return"(%1) : (tensor<3x4xf32>) -> ()
  }
}
// -----
module {
  func.func public @main(%arg0: tensor<f32>) -> tensor<3x4xf32> {
    %c = stablehlo.constant dense<[3, 4]> : tensor<2xi64>
    %0 = stablehlo.rng %arg0, %arg0, %c, distribution = NORMAL : (tensor<f32>, tensor<f32>, tensor<2xi64>) -> tensor<3x4xf32>
    return %0 : tensor<3x4xf32>
  }
}
// -----
module {
  func.func private @main(%arg0: tensor<f32>) -> tensor<3x4xf32> {
    %0 = "stablehlo.constant"() <{value = dense<[3, 4]> : tensor<2xi64>}> : () -> tensor<2xi64>
    %1 = "stablehlo.rng"(%arg0, %arg0, %0) <{rng_distribution = #stablehlo<rng_distribution NORMAL>}> : (tensor<f32>, tensor<f32>, tensor<2xi64>) -> tensor<3x4xf32>
    "func.return"(%1) : (tensor<3x4xf32>) -> ()
  }
}
// -----
module {
  func.func public @main(%arg0: tensor<2xui64>) -> (tensor<2xui64>, tensor<3xi32>) {
    %output_state, %output = stablehlo.rng_bit_generator %arg0, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3xi32>)
    return %output_state, %output : tensor<2xui64>, tensor<3xi32>
  }
}
// -----
module {
  func.func private @main(%arg0: tensor<2xui64>) -> (tensor<2xui64>, tensor<3xi32>) {
    %0:2 = "stablehlo.rng_bit_generator"(%arg0) <{rng_algorithm = #stablehlo<rng_algorithm PHILOX>}> : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3xi32>)
    "func.return"(%0#0, %0#1) : (tensor<2xui64>, tensor<3xi32>) -> ()
  }
}
// -----
module {
  func.func public @main(%arg0: tensor<3x4xf32>) -> tensor<12xf32> {
    %0 = stablehlo.reshape %arg0 : (tensor<3x4xf32>) -> tensor<12xf32>
    return %0 : tensor<12xf32>
  }
}
// -----
module {
  func.func private @main(%arg0: tensor<3x4xf32>) -> tensor<12xf32> {
    %0 = "stablehlo.reshape"(%arg0) : (tensor<3x4xf32>) -> tensor<12xf32>
    "func.return"(%0) : (tensor<12xf32>) -> ()
  }
}
// -----
module {
  func.func public @main(%arg0: tensor<3x4xf32>) -> tensor<3x4xf32> {
    %c = stablehlo.constant dense<[3, 4]> : tensor<2xi64>
    %0 = stablehlo.dynamic_reshape %arg0, %c : (tensor<3x4xf32>, tensor<2xi64>) -> tensor<3x4xf32>
    return %0 : tensor<3x4xf32>
  }
}
// -----
module {
  func.func private @main(%arg0: tensor<3x4xf32>) -> tensor<3x4xf32> {
    %0 = "stablehlo.constant"() <{value = dense<[3, 4]> : tensor<2xi64>}> : () -> tensor<2xi64>
    %1 = "stablehlo.dynamic_reshape"(%arg0, %0) : (tensor<3x4xf32>, tensor<2xi64>) -> tensor<3x4xf32>
    "func.return"(%1) : (tensor<3x4xf32>) -> ()
  }
}
// -----
module {
  func.func public @main(%arg0: tensor<3x4x5xf32>) -> tensor<5x3x4xf32> {
    %0 = stablehlo.transpose %arg0, dims = [2, 0, 1] : (tensor<3x4x5xf32>) -> tensor<5x3x4xf32>
    return %0 : tensor<5x3x4xf32>
  }
}
// -----
module {
  func.func private @main(%arg0: tensor<3x4x5xf32>) -> tensor<5x3x4xf32> {
    %0 = "stablehlo.transpose"(%arg0) <{permutation = array<i64: 2, 0, 1>}> : (tensor<3x4x5xf32>) -> tensor<5x3x4xf32>
    "func.return"(%0) : (tensor<5x3x4xf32>) -> ()
  }
}
// -----
module {
  func.func public @main(%arg0: tensor<3x4xf32>) -> tensor<3x4xf32> {
    %0 = stablehlo.reverse %arg0, dims = [1] : tensor<3x4xf32>
    return %0 : tensor<3x4xf32>
  }
}
// -----
module {
  func.func private @main(%arg0: tensor<3x4xf32>) -> tensor<3x4xf32> {
    %0 = "stablehlo.reverse"(%arg0) <{dimensions = array<i64: 1>}> : (tensor<3x4xf32>) -> tensor<3x4xf32>
    "func.return"(%0) : (tensor<3x4xf32>) -> ()
  }
}
// -----
module {
  func.func public @main(%arg0: tensor<3x4xf32>) -> tensor<2x2xf32> {
    %0 = stablehlo.slice %arg0 [0:2, 1:4:2] : (tensor<3x4xf32>) -> tensor<2x2xf32>
    return %0 : tensor<2x2xf32>
  }
}
// -----
module {
  func.func private @main(%arg0: tensor<3x4xf32>) -> tensor<2x2xf32> {
    %0 = "stablehlo.slice"(%arg0) <{limit_indices = array<i64: 2, 4>, start_indices = array<i64: 0, 1>, strides = array<i64: 1, 2>}> : (tensor<3x4xf32>) -> tensor<2x2xf32>
    "func.return"(%0) : (tensor<2x2xf32>) -> ()
  }
}
// -----
module {
  func.func public @main(%arg0: tensor<f32>) -> tensor<f32> {
    %0 = stablehlo.slice %arg0 [] : (tensor<f32>) -> tensor<f32>
    return %0 : tensor<f32>
  }
}
// -----
module {
  func.func private @main(%arg0: tensor<f32>) -> tensor<f32> {
    %0 = "stablehlo.slice"(%arg0) <{limit_indices = array<i64>, start_indices = array<i64>, strides = array<i64>}> : (tensor<f32>) -> tensor<f32>
    "func.return"(%0) : (tensor<f32>) -> ()
  }
}
// -----
module {
  func.func public @main(%arg0: tensor<3x4xf32>) -> tensor<3x4xf32> {
    %c = stablehlo.constant dense<[3, 4]> : tensor<2xi64>
    %c_0 = stablehlo.constant dense<1> : tensor<2xi64>
    %c_1 = stablehlo.constant dense<0> : tensor<2xi64>
    %0 = stablehlo.real_dynamic_slice %arg0, %c_1, %c, %c_0 : (tensor<3x4xf32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<3x4xf32>
    return %0 : tensor<3x4xf32>
  }
}
// -----
module {
  func.func private @main(%arg0: tensor<3x4xf32>) -> tensor<3x4xf32> {
    %0 = "stablehlo.constant"() <{value = dense<[3, 4]> : tensor<2xi64>}> : () -> tensor<2xi64>
    %1 = "stablehlo.constant"() <{value = dense<1> : tensor<2xi64>}> : () -> tensor<2xi64>
    %2 = "stablehlo.constant"() <{value = dense<0> : tensor<2xi64>}> : () -> tensor<2xi64>
    %3 = "stablehlo.real_dynamic_slice"(%arg0, %2, %0, %1) : (tensor<3x4xf32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<3x4xf32>
    "func.return"(%3) : (tensor<3x4xf32>) -> ()
  }
}
// -----
module {
  func.func public @main(%arg0: tensor<f32>, %arg1: tensor<3x4xf32>) -> tensor<4x8xf32> {
    %0 = stablehlo.pad %arg1, %arg0, low = [1, -1], high = [0, 2], interior = [0, 1] : (tensor<3x4xf32>, tensor<f32>) -> tensor<4x8xf32>
    return %0 : tensor<4x8xf32>
  }
}
// -----
module {
  func.func private @main(%arg0: tensor<f32>, %arg1: tensor<3x4xf32>) -> tensor<4x8xf32> {
    %0 = "stablehlo.pad"(%arg1, %arg0) <{edge_padding_high = array<i64: 0, 2>, edge_padding_low = array<i64: 1, -1>, interior_padding = array<i64: 0, 1>}> : (tensor<3x4xf32>, tensor<f32>) -> tensor<4x8xf32>
    "func.return"(%0) : (tensor<4x8xf32>) -> ()
  }
}
// -----
module {
  func.func public @main(%arg0: tensor<f32>, %arg1: tensor<3x4xf32>) -> tensor<4x5xf32> {
    %c = stablehlo.constant dense<1> : tensor<2xi64>
    %c_0 = stablehlo.constant dense<0> : tensor<2xi64>
    %0 = stablehlo.dynamic_pad %arg1, %arg0, %c, %c_0, %c_0 : (tensor<3x4xf32>, tensor<f32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<4x5xf32>
    return %0 : tensor<4x5xf32>
  }
}
// -----
module {
  func.func private @main(%arg0: tensor<f32>, %arg1: tensor<3x4xf32>) -> tensor<4x5xf32> {
    %0 = "stablehlo.constant"() <{value = dense<1> : tensor<2xi64>}> : () -> tensor<2xi64>
    %1 = "stablehlo.constant"() <{value = dense<0> : tensor<2xi64>}> : () -> tensor<2xi64>
    %2 = "stablehlo.dynamic_pad"(%arg1, %arg0, %0, %1, %1) : (tensor<3x4xf32>, tensor<f32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<4x5xf32>
    "func.return"(%2) : (tensor<4x5xf32>) -> ()
  }
}
// -----
module {
  func.func public @main(%arg0: tensor<3xf32>) -> tensor<2x3xf32> {
    %0 = stablehlo.broadcast %arg0, sizes = [2] : (tensor<3xf32>) -> tensor<2x3xf32>
    return %0 : tensor<2x3xf32>
  }
}
// -----
module {
  func.func private @main(%arg0: tensor<3xf32>) -> tensor<2x3xf32> {
    %0 = "stablehlo.broadcast"(%arg0) <{broadcast_sizes = array<i64: 2>}> : (tensor<3xf32>) -> tensor<2x3xf32>
    "func.return"(%0) : (tensor<2x3xf32>) -> ()
  }
}
// -----
module {
  func.func public @main(%arg0: tensor<3xf32>) -> tensor<3x4xf32> {
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [0] : (tensor<3xf32>) -> tensor<3x4xf32>
    return %0 : tensor<3x4xf32>
  }
}
// -----
module {
  func.func private @main(%arg0: tensor<3xf32>) -> tensor<3x4xf32> {
    %0 = "stablehlo.broadcast_in_dim"(%arg0) <{broadcast_dimensions = array<i64: 0>}> : (tensor<3xf32>) -> tensor<3x4xf32>
    "func.return"(%0) : (tensor<3x4xf32>) -> ()
  }
}
// -----
module {
  func.func public @main(%arg0: tensor<3xf32>) -> tensor<3x4xf32> {
    %c = stablehlo.constant dense<[3, 4]> : tensor<2xi64>
    %0 = stablehlo.dynamic_broadcast_in_dim %arg0, %c, dims = [0] {known_expanding_dimensions = array<i64>, known_nonexpanding_dimensions = array<i64: 0>} : (tensor<3xf32>, tensor<2xi64>) -> tensor<3x4xf32>
    return %0 : tensor<3x4xf32>
  }
}
// -----
module {
  func.func private @main(%arg0: tensor<3xf32>) -> tensor<3x4xf32> {
    %0 = "stablehlo.constant"() <{value = dense<[3, 4]> : tensor<2xi64>}> : () -> tensor<2xi64>
    %1 = "stablehlo.dynamic_broadcast_in_dim"(%arg0, %0) <{broadcast_dimensions = array<i64: 0>, known_expanding_dimensions = array<i64>, known_nonexpanding_dimensions = array<i64: 0>}> : (tensor<3xf32>, tensor<2xi64>) -> tensor<3x4xf32>
    "func.return"(%1) : (tensor<3x4xf32>) -> ()
  }
}
// -----
module {
  func.func public @main(%arg0: tensor<3x4xf32>) -> tensor<3x8xf32> {
    %0 = stablehlo.concatenate %arg0, %arg0, dim = 1 : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x8xf32>
    return %0 : tensor<3x8xf32>
  }
}
// -----
module {
  func.func private @main(%arg0: tensor<3x4xf32>) -> tensor<3x8xf32> {
    %0 = "stablehlo.concatenate"(%arg0, %arg0) <{dimension = 1 : i64}> : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x8xf32>
    "func.return"(%0) : (tensor<3x8xf32>) -> ()
  }
}
// -----
module {
  func.func public @main(%arg0: tensor<3x4xf32>) -> tensor<3x4xf32> {
    %0 = stablehlo.concatenate %arg0, dim = 1 {a = 1 : i32} : (tensor<3x4xf32>) -> tensor<3x4xf32>
    return %0 : tensor<3x4xf32>
  }
}
// -----
module {
  func.func private @main(%arg0: tensor<3x4xf32>) -> tensor<3x4xf32> {
    %0 = "stablehlo.concatenate"(%arg0) <{dimension = 1 : i64}> {a = 1 : i32} : (tensor<3x4xf32>) -> tensor<3x4xf32>
    "func.return"(%0) : (tensor<3x4xf32>) -> ()
  }
}
// -----
module {
  func.func public @main(%arg0: tensor<3x4xf32>) -> tensor<i32> {
    %0 = stablehlo.get_dimension_size %arg0, dim = 1 : (tensor<3x4xf32>) -> tensor<i32>
    return %0 : tensor<i32>
  }
}
// -----
module {
  func.func private @main(%arg0: tensor<3x4xf32>) -> tensor<i32> {
    %0 = "stablehlo.get_dimension_size"(%arg0) <{dimension = 1 : i64}> : (tensor<3x4xf32>) -> tensor<i32>
    "func.return"(%0) : (tensor<i32>) -> ()
  }
}
// -----
module {
  func.func public @main(%arg0: tensor<3x4xf32>, %arg1: tensor<i32>) -> tensor<1x2xf32> {
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %arg1, sizes = [1, 2] : (tensor<3x4xf32>, tensor<i32>, tensor<i32>) -> tensor<1x2xf32>
    return %0 : tensor<1x2xf32>
  }
}
// -----
module {
  func.func private @main(%arg0: tensor<3x4xf32>, %arg1: tensor<i32>) -> tensor<1x2xf32> {
    %0 = "stablehlo.dynamic_slice"(%arg0, %arg1, %arg1) <{slice_sizes = array<i64: 1, 2>}> : (tensor<3x4xf32>, tensor<i32>, tensor<i32>) -> tensor<1x2xf32>
    "func.return"(%0) : (tensor<1x2xf32>) -> ()
  }
}
// -----
module {
  func.func public @main(%arg0: tensor<f32>) -> tensor<f32> {
    %0 = stablehlo.dynamic_slice %arg0, , sizes = [] : (tensor<f32>) -> tensor<f32>
    return %0 : tensor<f32>
  }
}
// -----
module {
  func.func private @main(%arg0: tensor<f32>) -> tensor<f32> {
    %0 = "stablehlo.dynamic_slice"(%arg0) <{slice_sizes = array<i64>}> : (tensor<f32>) -> tensor<f32>
    "func.return"(%0) : (tensor<f32>) -> ()
  }
}
// -----
module {
  func.func public @main(%arg0: tensor<3x3xf32>, %arg1: tensor<3x4xf32>, %arg2: tensor<i32>) -> tensor<3x4xf32> {
    %0 = stablehlo.dynamic_update_slice %arg1, %arg0, %arg2, %arg2 : (tensor<3x4xf32>, tensor<3x3xf32>, tensor<i32>, tensor<i32>) -> tensor<3x4xf32>
    return %0 : tensor<3x4xf32>
  }
}
// -----
module {
  func.func private @main(%arg0: tensor<3x3xf32>, %arg1: tensor<3x4xf32>, %arg2: tensor<i32>) -> tensor<3x4xf32> {
    %0 = "stablehlo.dynamic_update_slice"(%arg1, %arg0, %arg2, %arg2) : (tensor<3x4xf32>, tensor<3x3xf32>, tensor<i32>, tensor<i32>) -> tensor<3x4xf32>
    "func.return"(%0) : (tensor<3x4xf32>) -> ()
  }
}
// -----
module {
  func.func public @main(%arg0: tensor<3x4xf32>, %arg1: tensor<2xi64>) -> tensor<2x4xf32> {
    %0 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 4>}> : (tensor<3x4xf32>, tensor<2xi64>) -> tensor<2x4xf32>
    return %0 : tensor<2x4xf32>
  }
}
// -----
module {
  func.func private @main(%arg0: tensor<3x4xf32>, %arg1: tensor<2xi64>) -> tensor<2x4xf32> {
    %0 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 4>}> : (tensor<3x4xf32>, tensor<2xi64>) -> tensor<2x4xf32>
    "func.return"(%0) : (tensor<2x4xf32>) -> ()
  }
}
// -----
module {
  func.func public @main(%arg0: tensor<3x4xf32>, %arg1: tensor<2xi64>) -> tensor<2xf32> {
    %0 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<offset_dims = [0], collapsed_slice_dims = [0], start_index_map = [0, 1]>, indices_are_sorted = true, slice_sizes = array<i64: 1, 2>}> : (tensor<3x4xf32>, tensor<2xi64>) -> tensor<2xf32>
    return %0 : tensor<2xf32>
  }
}
// -----
module {
  func.func private @main(%arg0: tensor<3x4xf32>, %arg1: tensor<2xi64>) -> tensor<2xf32> {
    %0 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<offset_dims = [0], collapsed_slice_dims = [0], start_index_map = [0, 1]>, indices_are_sorted = true, slice_sizes = array<i64: 1, 2>}> : (tensor<3x4xf32>, tensor<2xi64>) -> tensor<2xf32>
    "func.return"(%0) : (tensor<2xf32>) -> ()
  }
}
// -----
module {
  func.func public @main(%arg0: tensor<3x4xf32>, %arg1: tensor<2xi64>) -> tensor<1xf32> {
    %c = stablehlo.constant dense<1> : tensor<2xi64>
    %0 = "stablehlo.dynamic_gather"(%arg0, %arg1, %c) <{dimension_numbers = #stablehlo.gather<offset_dims = [0], collapsed_slice_dims = [0], start_index_map = [0, 1]>}> : (tensor<3x4xf32>, tensor<2xi64>, tensor<2xi64>) -> tensor<1xf32>
    return %0 : tensor<1xf32>
  }
}
// -----
module {
  func.func private @main(%arg0: tensor<3x4xf32>, %arg1: tensor<2xi64>) -> tensor<1xf32> {
    %0 = "stablehlo.constant"() <{value = dense<1> : tensor<2xi64>}> : () -> tensor<2xi64>
    %1 = "stablehlo.dynamic_gather"(%arg0, %arg1, %0) <{dimension_numbers = #stablehlo.gather<offset_dims = [0], collapsed_slice_dims = [0], start_index_map = [0, 1]>}> : (tensor<3x4xf32>, tensor<2xi64>, tensor<2xi64>) -> tensor<1xf32>
    "func.return"(%1) : (tensor<1xf32>) -> ()
  }
}
// -----
module {
  func.func public @main(%arg0: tensor<3x4xf32>, %arg1: tensor<2xi64>) -> tensor<3x2xf32> {
    %0 = "stablehlo.torch_index_select"(%arg0, %arg1) <{batch_dims = 0 : i64, dim = 1 : i64}> : (tensor<3x4xf32>, tensor<2xi64>) -> tensor<3x2xf32>
    return %0 : tensor<3x2xf32>
  }
}
// -----
module {
  func.func private @main(%arg0: tensor<3x4xf32>, %arg1: tensor<2xi64>) -> tensor<3x2xf32> {
    %0 = "stablehlo.torch_index_select"(%arg0, %arg1) <{batch_dims = 0 : i64, dim = 1 : i64}> : (tensor<3x4xf32>, tensor<2xi64>) -> tensor<3x2xf32>
    "func.return"(%0) : (tensor<3x2xf32>) -> ()
  }
}
// -----
module {
  func.func public @main(%arg0: tensor<f32>, %arg1: tensor<3x4xf32>, %arg2: tensor<2xi64>) -> tensor<3x4xf32> {
    %0 = "stablehlo.scatter"(%arg1, %arg2, %arg0) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [0, 1]>, unique_indices = true}> ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
      %1 = stablehlo.add %arg3, %arg4 : tensor<f32>
      stablehlo.return %1 : tensor<f32>
    }) : (tensor<3x4xf32>, tensor<2xi64>, tensor<f32>) -> tensor<3x4xf32>
    return %0 : tensor<3x4xf32>
  }
}
// -----
module {
  func.func private @main(%arg0: tensor<f32>, %arg1: tensor<3x4xf32>, %arg2: tensor<2xi64>) -> tensor<3x4xf32> {
    %0 = "stablehlo.scatter"(%arg1, %arg2, %arg0) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [0, 1]>, unique_indices = true}> ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
      %1 = "stablehlo.add"(%arg3, %arg4) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%1) : (tensor<f32>) -> ()
    }) : (tensor<3x4xf32>, tensor<2xi64>, tensor<f32>) -> tensor<3x4xf32>
    "func.return"(%0) : (tensor<3x4xf32>) -> ()
  }
}
// -----
module {
  func.func public @main(%arg0: tensor<f32>, %arg1: tensor<3x4xf32>, %arg2: tensor<2xi64>) -> tensor<3x4xf32> {
    %0 = "stablehlo.scatter"(%arg1, %arg2, %arg0) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [0, 1]>}> ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
      %1 = stablehlo.add %arg3, %arg0 : tensor<f32>
      stablehlo.return %1 : tensor<f32>
    }) : (tensor<3x4xf32>, tensor<2xi64>, tensor<f32>) -> tensor<3x4xf32>
    return %0 : tensor<3x4xf32>
  }
}
// -----
module {
  func.func private @main(%arg0: tensor<f32>, %arg1: tensor<3x4xf32>, %arg2: tensor<2xi64>) -> tensor<3x4xf32> {
    %0 = "stablehlo.scatter"(%arg1, %arg2, %arg0) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [0, 1]>}> ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
      %1 = "stablehlo.add"(%arg3, %arg0) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%1) : (tensor<f32>) -> ()
    }) : (tensor<3x4xf32>, tensor<2xi64>, tensor<f32>) -> tensor<3x4xf32>
    "func.return"(%0) : (tensor<3x4xf32>) -> ()
  }
}
// -----
module {
  func.func public @main(%arg0: tensor<3x4xf32>) -> tensor<3x4xf32> {
    %0 = "stablehlo.sort"(%arg0) <{dimension = 0 : i64, is_stable = true}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %1 = stablehlo.compare GE, %arg1, %arg2 : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    }) : (tensor<3x4xf32>) -> tensor<3x4xf32>
    return %0 : tensor<3x4xf32>
  }
}
// -----
module {
  func.func private @main(%arg0: tensor<3x4xf32>) -> tensor<3x4xf32> {
    %0 = "stablehlo.sort"(%arg0) <{dimension = 0 : i64, is_stable = true}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %1 = "stablehlo.compare"(%arg1, %arg2) <{comparison_direction = #stablehlo<comparison_direction GE>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
      "stablehlo.return"(%1) : (tensor<i1>) -> ()
    }) : (tensor<3x4xf32>) -> tensor<3x4xf32>
    "func.return"(%0) : (tensor<3x4xf32>) -> ()
  }
}
// -----
module {
  func.func public @main(%arg0: tensor<3x4xf32>) -> tensor<3x4xf32> {
    %0 = "stablehlo.sort"(%arg0) ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %1 = stablehlo.compare GE, %arg1, %arg2 : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    }) : (tensor<3x4xf32>) -> tensor<3x4xf32>
    return %0 : tensor<3x4xf32>
  }
}
// -----
module {
  func.func private @main(%arg0: tensor<3x4xf32>) -> tensor<3x4xf32> {
    %0 = "stablehlo.sort"(%arg0) ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %1 = "stablehlo.compare"(%arg1, %arg2) <{comparison_direction = #stablehlo<comparison_direction GE>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
      "stablehlo.return"(%1) : (tensor<i1>) -> ()
    }) : (tensor<3x4xf32>) -> tensor<3x4xf32>
    "func.return"(%0) : (tensor<3x4xf32>) -> ()
  }
}
// -----
module {
  func.func public @main(%arg0: tensor<3xf32>) -> tensor<3xf32> {
    %0 = "stablehlo.map"(%arg0, %arg0) <{dimensions = array<i64: 0>}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %1 = stablehlo.subtract %arg1, %arg2 : tensor<f32>
      stablehlo.return %1 : tensor<f32>
    }) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    return %0 : tensor<3xf32>
  }
}
// -----
module {
  func.func private @main(%arg0: tensor<3xf32>) -> tensor<3xf32> {
    %0 = "stablehlo.map"(%arg0, %arg0) <{dimensions = array<i64: 0>}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %1 = "stablehlo.subtract"(%arg1, %arg2) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%1) : (tensor<f32>) -> ()
    }) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    "func.return"(%0) : (tensor<3xf32>) -> ()
  }
}
// -----
module {
  func.func public @main(%arg0: tensor<f32>, %arg1: tensor<3x4xf32>) -> tensor<3xf32> {
    %0 = stablehlo.reduce(%arg1 init: %arg0) applies stablehlo.add across dimensions = [1] : (tensor<3x4xf32>, tensor<f32>) -> tensor<3xf32>
    return %0 : tensor<3xf32>
  }
}
// -----
module {
  func.func private @main(%arg0: tensor<f32>, %arg1: tensor<3x4xf32>) -> tensor<3xf32> {
    %0 = "stablehlo.reduce"(%arg1, %arg0) <{dimensions = array<i64: 1>}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %1 = "stablehlo.add"(%arg2, %arg3) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%1) : (tensor<f32>) -> ()
    }) : (tensor<3x4xf32>, tensor<f32>) -> tensor<3xf32>
    "func.return"(%0) : (tensor<3xf32>) -> ()
  }
}
// -----
module {
  func.func public @main(%arg0: tensor<f32>, %arg1: tensor<3x4xf32>) -> tensor<3xf32> {
    %0 = stablehlo.reduce(%arg1 init: %arg0) across dimensions = [1] {a = 1 : i32} : (tensor<3x4xf32>, tensor<f32>) -> tensor<3xf32>
     reducer(%arg2: tensor<f32>, %arg3: tensor<f32>)  {
      %1 = stablehlo.subtract %arg2, %arg3 : tensor<f32>
      stablehlo.return %1 : tensor<f32>
    }
    return %0 : tensor<3xf32>
  }
}
// -----
module {
  func.func private @main(%arg0: tensor<f32>, %arg1: tensor<3x4xf32>) -> tensor<3xf32> {
    %0 = "stablehlo.reduce"(%arg1, %arg0) <{dimensions = array<i64: 1>}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %1 = "stablehlo.subtract"(%arg2, %arg3) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%1) : (tensor<f32>) -> ()
    }) {a = 1 : i32} : (tensor<3x4xf32>, tensor<f32>) -> tensor<3xf32>
    "func.return"(%0) : (tensor<3xf32>) -> ()
  }
}
// -----
module {
  func.func public @main(%arg0: tensor<f32>, %arg1: tensor<3x4xf32>) -> tensor<3xf32> {
    %0 = stablehlo.reduce(%arg1 init: %arg0) across dimensions = [1] : (tensor<3x4xf32>, tensor<f32>) -> tensor<3xf32>
     reducer(%arg2: tensor<f32>, %arg3: tensor<f32>)  {
      %1 = stablehlo.add %arg2, %arg0 : tensor<f32>
      stablehlo.return %1 : tensor<f32>
    }
    return %0 : tensor<3xf32>
  }
}
// -----
module {
  func.func private @main(%arg0: tensor<f32>, %arg1: tensor<3x4xf32>) -> tensor<3xf32> {
    %0 = "stablehlo.reduce"(%arg1, %arg0) <{dimensions = array<i64: 1>}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %1 = "stablehlo.add"(%arg2, %arg0) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%1) : (tensor<f32>) -> ()
    }) : (tensor<3x4xf32>, tensor<f32>) -> tensor<3xf32>
    "func.return"(%0) : (tensor<3xf32>) -> ()
  }
}
// -----
module {
  func.func public @main(%arg0: tensor<f32>, %arg1: tensor<3xf32>, %arg2: tensor<i32>, %arg3: tensor<3xi32>) -> (tensor<f32>, tensor<i32>) {
    %0:2 = stablehlo.reduce(%arg1 init: %arg0), (%arg3 init: %arg2) across dimensions = [0] : (tensor<3xf32>, tensor<3xi32>, tensor<f32>, tensor<i32>) -> (tensor<f32>, tensor<i32>)
     reducer(%arg4: tensor<f32>, %arg6: tensor<f32>) (%arg5: tensor<i32>, %arg7: tensor<i32>)  {
      %1 = stablehlo.maximum %arg4, %arg6 : tensor<f32>
      %2 = stablehlo.subtract %arg5, %arg7 : tensor<i32>
      stablehlo.return %1, %2 : tensor<f32>, tensor<i32>
    }
    return %0#0, %0#1 : tensor<f32>, tensor<i32>
  }
}
// -----
module {
  func.func private @main(%arg0: tensor<f32>, %arg1: tensor<3xf32>, %arg2: tensor<i32>, %arg3: tensor<3xi32>) -> (tensor<f32>, tensor<i32>) {
    %0:2 = "stablehlo.reduce"(%arg1, %arg3, %arg0, %arg2) <{dimensions = array<i64: 0>}> ({
    ^bb0(%arg4: tensor<f32>, %arg5: tensor<i32>, %arg6: tensor<f32>, %arg7: tensor<i32>):
      %1 = "stablehlo.maximum"(%arg4, %arg6) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      %2 = "stablehlo.subtract"(%arg5, %arg7) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      "stablehlo.return"(%1, %2) : (tensor<f32>, tensor<i32>) -> ()
    }) : (tensor<3xf32>, tensor<3xi32>, tensor<f32>, tensor<i32>) -> (tensor<f32>, tensor<i32>)
    "func.return"(%0#0, %0#1) : (tensor<f32>, tensor<i32>) -> ()
  }
}
// -----
module {
  func.func public @main(%arg0: tensor<f32>, %arg1: tensor<3x4xf32>) -> tensor<3x4xf32> {
    %0 = "stablehlo.reduce_window"(%arg1, %arg0) <{padding = dense<[[1, 0], [0, 1]]> : tensor<2x2xi64>, window_dimensions = array<i64: 2, 2>}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %1 = stablehlo.add %arg2, %arg3 : tensor<f32>
      stablehlo.return %1 : tensor<f32>
    }) : (tensor<3x4xf32>, tensor<f32>) -> tensor<3x4xf32>
    return %0 : tensor<3x4xf32>
  }
}
// -----
module {
  func.func private @main(%arg0: tensor<f32>, %arg1: tensor<3x4xf32>) -> tensor<3x4xf32> {
    %0 = "stablehlo.reduce_window"(%arg1, %arg0) <{padding = dense<[[1, 0], [0, 1]]> : tensor<2x2xi64>, window_dimensions = array<i64: 2, 2>}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %1 = "stablehlo.add"(%arg2, %arg3) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%1) : (tensor<f32>) -> ()
    }) : (tensor<3x4xf32>, tensor<f32>) -> tensor<3x4xf32>
    "func.return"(%0) : (tensor<3x4xf32>) -> ()
  }
}
// -----
module {
  func.func public @main(%arg0: tensor<f32>, %arg1: tensor<3x4xf32>) -> tensor<1x3xf32> {
    %0 = "stablehlo.reduce_window"(%arg1, %arg0) <{base_dilations = array<i64: 1, 2>, window_dilations = array<i64: 2, 1>, window_dimensions = array<i64: 2, 2>, window_strides = array<i64: 1, 2>}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %1 = stablehlo.add %arg2, %arg3 : tensor<f32>
      stablehlo.return %1 : tensor<f32>
    }) : (tensor<3x4xf32>, tensor<f32>) -> tensor<1x3xf32>
    return %0 : tensor<1x3xf32>
  }
}
// -----
module {
  func.func private @main(%arg0: tensor<f32>, %arg1: tensor<3x4xf32>) -> tensor<1x3xf32> {
    %0 = "stablehlo.reduce_window"(%arg1, %arg0) <{base_dilations = array<i64: 1, 2>, window_dilations = array<i64: 2, 1>, window_dimensions = array<i64: 2, 2>, window_strides = array<i64: 1, 2>}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %1 = "stablehlo.add"(%arg2, %arg3) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%1) : (tensor<f32>) -> ()
    }) : (tensor<3x4xf32>, tensor<f32>) -> tensor<1x3xf32>
    "func.return"(%0) : (tensor<1x3xf32>) -> ()
  }
}
// -----
module {
  func.func public @main(%arg0: tensor<f32>, %arg1: tensor<3x4xf32>) -> tensor<3x4xf32> {
    %0 = "stablehlo.select_and_scatter"(%arg1, %arg1, %arg0) <{padding = dense<0> : tensor<2x2xi64>, window_dimensions = array<i64: 1, 1>, window_strides = array<i64: 1, 1>}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %1 = stablehlo.compare GE, %arg2, %arg3 : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    }, {
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %1 = stablehlo.add %arg2, %arg3 : tensor<f32>
      stablehlo.return %1 : tensor<f32>
    }) : (tensor<3x4xf32>, tensor<3x4xf32>, tensor<f32>) -> tensor<3x4xf32>
    return %0 : tensor<3x4xf32>
  }
}
// -----
module {
  func.func private @main(%arg0: tensor<f32>, %arg1: tensor<3x4xf32>) -> tensor<3x4xf32> {
    %0 = "stablehlo.select_and_scatter"(%arg1, %arg1, %arg0) <{padding = dense<0> : tensor<2x2xi64>, window_dimensions = array<i64: 1, 1>, window_strides = array<i64: 1, 1>}> ({
    ^bb0(%arg4: tensor<f32>, %arg5: tensor<f32>):
      %2 = "stablehlo.compare"(%arg4, %arg5) <{comparison_direction = #stablehlo<comparison_direction GE>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
      "stablehlo.return"(%2) : (tensor<i1>) -> ()
    }, {
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %1 = "stablehlo.add"(%arg2, %arg3) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%1) : (tensor<f32>) -> ()
    }) : (tensor<3x4xf32>, tensor<3x4xf32>, tensor<f32>) -> tensor<3x4xf32>
    "func.return"(%0) : (tensor<3x4xf32>) -> ()
  }
}
// -----
module {
  func.func public @main(%arg0: tensor<3x3xf32>, %arg1: tensor<3x4xf32>) -> tensor<3x4xf32> {
    %0 = stablehlo.dot %arg0, %arg1 : (tensor<3x3xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
    return %0 : tensor<3x4xf32>
  }
}
// -----
module {
  func.func private @main(%arg0: tensor<3x3xf32>, %arg1: tensor<3x4xf32>) -> tensor<3x4xf32> {
    %0 = "stablehlo.dot"(%arg0, %arg1) : (tensor<3x3xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
    "func.return"(%0) : (tensor<3x4xf32>) -> ()
  }
}
// -----
module {
  func.func public @main(%arg0: tensor<3xf32>, %arg1: tensor<3x4xf32>) -> tensor<4xf32> {
    %0 = stablehlo.dot %arg0, %arg1, precision = [HIGH, DEFAULT] : (tensor<3xf32>, tensor<3x4xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}
// -----
module {
  func.func private @main(%arg0: tensor<3xf32>, %arg1: tensor<3x4xf32>) -> tensor<4xf32> {
    %0 = "stablehlo.dot"(%arg0, %arg1) <{precision_config = [#stablehlo<precision HIGH>, #stablehlo<precision DEFAULT>]}> : (tensor<3xf32>, tensor<3x4xf32>) -> tensor<4xf32>
    "func.return"(%0) : (tensor<4xf32>) -> ()
  }
}
// -----
module {
  func.func public @main(%arg0: tensor<3x4x5xf32>) -> tensor<3x5x5xf32> {
    %0 = stablehlo.dot_general %arg0, %arg0, batching_dims = [0] x [0], contracting_dims = [1] x [1] : (tensor<3x4x5xf32>, tensor<3x4x5xf32>) -> tensor<3x5x5xf32>
    return %0 : tensor<3x5x5xf32>
  }
}
// -----
module {
  func.func private @main(%arg0: tensor<3x4x5xf32>) -> tensor<3x5x5xf32> {
    %0 = "stablehlo.dot_general"(%arg0, %arg0) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1]>}> : (tensor<3x4x5xf32>, tensor<3x4x5xf32>) -> tensor<3x5x5xf32>
    "func.return"(%0) : (tensor<3x5x5xf32>) -> ()
  }
}
// -----
module {
  func.func public @main(%arg0: tensor<3x3xf32>, %arg1: tensor<3x4xf32>) -> tensor<3x4xf32> {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0], precision = [HIGHEST, DEFAULT] : (tensor<3x3xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
    return %0 : tensor<3x4xf32>
  }
}
// -----
module {
  func.func private @main(%arg0: tensor<3x3xf32>, %arg1: tensor<3x4xf32>) -> tensor<3x4xf32> {
    %0 = "stablehlo.dot_general"(%arg0, %arg1) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision HIGHEST>, #stablehlo<precision DEFAULT>]}> : (tensor<3x3xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
    "func.return"(%0) : (tensor<3x4xf32>) -> ()
  }
}
// -----
module {
  func.func public @main(%arg0: tensor<3x3xf32>, %arg1: tensor<3x4xf32>) -> tensor<3x4xf32> {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0], algorithm = <lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<3x3xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
    return %0 : tensor<3x4xf32>
  }
}
// -----
module {
  func.func private @main(%arg0: tensor<3x3xf32>, %arg1: tensor<3x4xf32>) -> tensor<3x4xf32> {
    %0 = "stablehlo.dot_general"(%arg0, %arg1) <{algorithm = #stablehlo.dot_algorithm<lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false>, dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<3x3xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
    "func.return"(%0) : (tensor<3x4xf32>) -> ()
  }
}
// -----
module {
  func.func public @main(%arg0: tensor<3xf32>) -> tensor<3x3xf32> {
    %0 = stablehlo.dot_general %arg0, %arg0, contracting_dims = [] x [] : (tensor<3xf32>, tensor<3xf32>) -> tensor<3x3xf32>
    return %0 : tensor<3x3xf32>
  }
}
// -----
module {
  func.func private @main(%arg0: tensor<3xf32>) -> tensor<3x3xf32> {
    %0 = "stablehlo.dot_general"(%arg0, %arg0) <{dot_dimension_numbers = #stablehlo.dot<>}> : (tensor<3xf32>, tensor<3xf32>) -> tensor<3x3xf32>
    "func.return"(%0) : (tensor<3x3xf32>) -> ()
  }
}
// -----
module {
  func.func public @main(%arg0: tensor<3x4xf32>, %arg1: tensor<3x4x5xf32>, %arg2: tensor<3xi64>) -> tensor<3x5xf32> {
    %0 = "chlo.ragged_dot"(%arg0, %arg1, %arg2) <{precision_config = [#chlo<precision DEFAULT>, #chlo<precision DEFAULT>], ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>}> : (tensor<3x4xf32>, tensor<3x4x5xf32>, tensor<3xi64>) -> tensor<3x5xf32>
    return %0 : tensor<3x5xf32>
  }
}
// -----
module {
  func.func private @main(%arg0: tensor<3x4xf32>, %arg1: tensor<3x4x5xf32>, %arg2: tensor<3xi64>) -> tensor<3x5xf32> {
    %0 = "chlo.ragged_dot"(%arg0, %arg1, %arg2) <{precision_config = [#chlo<precision DEFAULT>, #chlo<precision DEFAULT>], ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>}> : (tensor<3x4xf32>, tensor<3x4x5xf32>, tensor<3xi64>) -> tensor<3x5xf32>
    "func.return"(%0) : (tensor<3x5xf32>) -> ()
  }
}
// -----
module {
  func.func public @main(%arg0: tensor<3x3xf32>, %arg1: tensor<3x4xf32>) -> tensor<4x3xf32> {
    %0 = stablehlo.einsum %arg0, %arg1, config = "ab,bc->ca" : (tensor<3x3xf32>, tensor<3x4xf32>) -> tensor<4x3xf32>
    return %0 : tensor<4x3xf32>
  }
}
// -----
module {
  func.func private @main(%arg0: tensor<3x3xf32>, %arg1: tensor<3x4xf32>) -> tensor<4x3xf32> {
    %0 = "stablehlo.einsum"(%arg0, %arg1) <{einsum_config = "ab,bc->ca"}> : (tensor<3x3xf32>, tensor<3x4xf32>) -> tensor<4x3xf32>
    "func.return"(%0) : (tensor<4x3xf32>) -> ()
  }
}
// -----
module {
  func.func public @main(%arg0: tensor<3x4xf32>) -> tensor<4xf32> {
    %0 = stablehlo.unary_einsum %arg0, config = "ab->b" : (tensor<3x4xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}
// -----
module {
  func.func private @main(%arg0: tensor<3x4xf32>) -> tensor<4xf32> {
    %0 = "stablehlo.unary_einsum"(%arg0) <{einsum_config = "ab->b"}> : (tensor<3x4xf32>) -> tensor<4xf32>
    "func.return"(%0) : (tensor<4xf32>) -> ()
  }
}
// -----
module {
  func.func public @main(%arg0: tensor<2x5x5x4xf32>, %arg1: tensor<3x3x2x6xf32>) -> tensor<2x3x3x6xf32> {
    %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 2 : i64} : (tensor<2x5x5x4xf32>, tensor<3x3x2x6xf32>) -> tensor<2x3x3x6xf32>
    return %0 : tensor<2x3x3x6xf32>
  }
}
// -----
module {
  func.func private @main(%arg0: tensor<2x5x5x4xf32>, %arg1: tensor<3x3x2x6xf32>) -> tensor<2x3x3x6xf32> {
    %0 = "stablehlo.convolution"(%arg0, %arg1) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 2 : i64}> : (tensor<2x5x5x4xf32>, tensor<3x3x2x6xf32>) -> tensor<2x3x3x6xf32>
    "func.return"(%0) : (tensor<2x3x3x6xf32>) -> ()
  }
}
// -----
module {
  func.func public @main(%arg0: tensor<2x5x5x4xf32>, %arg1: tensor<3x3x2x6xf32>) -> tensor<6x2x6x2xf32> {
    %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[f, b, 1, 0], window = {stride = [2, 1], pad = [[1, 2], [0, -1]], lhs_dilate = [1, 2], rhs_dilate = [2, 1], reverse = [true, false]} {batch_group_count = 1 : i64, feature_group_count = 2 : i64, precision_config = [#stablehlo<precision HIGH>, #stablehlo<precision DEFAULT>]} : (tensor<2x5x5x4xf32>, tensor<3x3x2x6xf32>) -> tensor<6x2x6x2xf32>
    return %0 : tensor<6x2x6x2xf32>
  }
}
// -----
module {
  func.func private @main(%arg0: tensor<2x5x5x4xf32>, %arg1: tensor<3x3x2x6xf32>) -> tensor<6x2x6x2xf32> {
    %0 = "stablehlo.convolution"(%arg0, %arg1) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[f, b, 1, 0]>, feature_group_count = 2 : i64, lhs_dilation = array<i64: 1, 2>, padding = dense<[[1, 2], [0, -1]]> : tensor<2x2xi64>, precision_config = [#stablehlo<precision HIGH>, #stablehlo<precision DEFAULT>], rhs_dilation = array<i64: 2, 1>, window_reversal = array<i1: true, false>, window_strides = array<i64: 2, 1>}> : (tensor<2x5x5x4xf32>, tensor<3x3x2x6xf32>) -> tensor<6x2x6x2xf32>
    "func.return"(%0) : (tensor<6x2x6x2xf32>) -> ()
  }
}
// -----
module {
  func.func public @main(%arg0: tensor<2x5x5x4xf32>, %arg1: tensor<3x3x2x6xf32>) -> tensor<2x6x6x6xf32> {
    %c = stablehlo.constant dense<[[1, 2], [2, 1]]> : tensor<2x2xi64>
    %0 = "stablehlo.dynamic_conv"(%arg0, %arg1, %c) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 2 : i64}> : (tensor<2x5x5x4xf32>, tensor<3x3x2x6xf32>, tensor<2x2xi64>) -> tensor<2x6x6x6xf32>
    return %0 : tensor<2x6x6x6xf32>
  }
}
// -----
module {
  func.func private @main(%arg0: tensor<2x5x5x4xf32>, %arg1: tensor<3x3x2x6xf32>) -> tensor<2x6x6x6xf32> {
    %0 = "stablehlo.constant"() <{value = dense<[[1, 2], [2, 1]]> : tensor<2x2xi64>}> : () -> tensor<2x2xi64>
    %1 = "stablehlo.dynamic_conv"(%arg0, %arg1, %0) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 2 : i64}> : (tensor<2x5x5x4xf32>, tensor<3x3x2x6xf32>, tensor<2x2xi64>) -> tensor<2x6x6x6xf32>
    "func.return"(%1) : (tensor<2x6x6x6xf32>) -> ()
  }
}
// -----
module {
  func.func public @main(%arg0: tensor<3xf32>) -> tensor<2xcomplex<f32>> {
    %0 = stablehlo.fft %arg0, type = RFFT, length = [3] : (tensor<3xf32>) -> tensor<2xcomplex<f32>>
    return %0 : tensor<2xcomplex<f32>>
  }
}
// -----
module {
  func.func private @main(%arg0: tensor<3xf32>) -> tensor<2xcomplex<f32>> {
    %0 = "stablehlo.fft"(%arg0) <{fft_length = array<i64: 3>, fft_type = #stablehlo<fft_type RFFT>}> : (tensor<3xf32>) -> tensor<2xcomplex<f32>>
    "func.return"(%0) : (tensor<2xcomplex<f32>>) -> ()
  }
}
// -----
module {
  func.func public @main(%arg0: tensor<3x3xf32>) -> tensor<3x3xf32> {
    %0 = stablehlo.cholesky %arg0, lower = true : tensor<3x3xf32>
    return %0 : tensor<3x3xf32>
  }
}
// -----
module {
  func.func private @main(%arg0: tensor<3x3xf32>) -> tensor<3x3xf32> {
    %0 = "stablehlo.cholesky"(%arg0) <{lower = true}> : (tensor<3x3xf32>) -> tensor<3x3xf32>
    "func.return"(%0) : (tensor<3x3xf32>) -> ()
  }
}
// -----
module {
  func.func public @main(%arg0: tensor<3x3xf32>) -> tensor<3x3xf32> {
    %0 = stablehlo.cholesky %arg0 : tensor<3x3xf32>
    return %0 : tensor<3x3xf32>
  }
}
// -----
module {
  func.func private @main(%arg0: tensor<3x3xf32>) -> tensor<3x3xf32> {
    %0 = "stablehlo.cholesky"(%arg0) : (tensor<3x3xf32>) -> tensor<3x3xf32>
    "func.return"(%0) : (tensor<3x3xf32>) -> ()
  }
}
// -----
module {
  func.func public @main(%arg0: tensor<3x3xf32>, %arg1: tensor<3x4xf32>) -> tensor<3x4xf32> {
    %0 = "stablehlo.triangular_solve"(%arg0, %arg1) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose ADJOINT>, unit_diagonal = false}> : (tensor<3x3xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
    return %0 : tensor<3x4xf32>
  }
}
// -----
module {
  func.func private @main(%arg0: tensor<3x3xf32>, %arg1: tensor<3x4xf32>) -> tensor<3x4xf32> {
    %0 = "stablehlo.triangular_solve"(%arg0, %arg1) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose ADJOINT>, unit_diagonal = false}> : (tensor<3x3xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
    "func.return"(%0) : (tensor<3x4xf32>) -> ()
  }
}
// -----
module {
  func.func public @main(%arg0: tensor<3xf32>, %arg1: tensor<3x3xf32>) -> tensor<3x3xf32> {
    %0 = "stablehlo.batch_norm_inference"(%arg1, %arg0, %arg0, %arg0, %arg0) <{epsilon = 1.000000e-03 : f32, feature_index = 1 : i64}> : (tensor<3x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<3x3xf32>
    return %0 : tensor<3x3xf32>
  }
}
// -----
module {
  func.func private @main(%arg0: tensor<3xf32>, %arg1: tensor<3x3xf32>) -> tensor<3x3xf32> {
    %0 = "stablehlo.batch_norm_inference"(%arg1, %arg0, %arg0, %arg0, %arg0) <{epsilon = 1.000000e-03 : f32, feature_index = 1 : i64}> : (tensor<3x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<3x3xf32>
    "func.return"(%0) : (tensor<3x3xf32>) -> ()
  }
}
// -----
module {
  func.func public @main(%arg0: tensor<3xf32>, %arg1: tensor<3x3xf32>) -> (tensor<3x3xf32>, tensor<3xf32>, tensor<3xf32>) {
    %output, %batch_mean, %batch_var = "stablehlo.batch_norm_training"(%arg1, %arg0, %arg0) <{epsilon = 1.000000e-03 : f32, feature_index = 1 : i64}> : (tensor<3x3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<3x3xf32>, tensor<3xf32>, tensor<3xf32>)
    return %output, %batch_mean, %batch_var : tensor<3x3xf32>, tensor<3xf32>, tensor<3xf32>
  }
}
// -----
module {
  func.func private @main(%arg0: tensor<3xf32>, %arg1: tensor<3x3xf32>) -> (tensor<3x3xf32>, tensor<3xf32>, tensor<3xf32>) {
    %0:3 = "stablehlo.batch_norm_training"(%arg1, %arg0, %arg0) <{epsilon = 1.000000e-03 : f32, feature_index = 1 : i64}> : (tensor<3x3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<3x3xf32>, tensor<3xf32>, tensor<3xf32>)
    "func.return"(%0#0, %0#1, %0#2) : (tensor<3x3xf32>, tensor<3xf32>, tensor<3xf32>) -> ()
  }
}
// -----
module {
  func.func public @main(%arg0: tensor<3xf32>, %arg1: tensor<3x3xf32>) -> (tensor<3x3xf32>, tensor<3xf32>, tensor<3xf32>) {
    %grad_operand, %grad_scale, %grad_offset = "stablehlo.batch_norm_grad"(%arg1, %arg0, %arg0, %arg0, %arg1) <{epsilon = 1.000000e-03 : f32, feature_index = 1 : i64}> : (tensor<3x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3x3xf32>) -> (tensor<3x3xf32>, tensor<3xf32>, tensor<3xf32>)
    return %grad_operand, %grad_scale, %grad_offset : tensor<3x3xf32>, tensor<3xf32>, tensor<3xf32>
  }
}
// -----
module {
  func.func private @main(%arg0: tensor<3xf32>, %arg1: tensor<3x3xf32>) -> (tensor<3x3xf32>, tensor<3xf32>, tensor<3xf32>) {
    %0:3 = "stablehlo.batch_norm_grad"(%arg1, %arg0, %arg0, %arg0, %arg1) <{epsilon = 1.000000e-03 : f32, feature_index = 1 : i64}> : (tensor<3x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3x3xf32>) -> (tensor<3x3xf32>, tensor<3xf32>, tensor<3xf32>)
    "func.return"(%0#0, %0#1, %0#2) : (tensor<3x3xf32>, tensor<3xf32>, tensor<3xf32>) -> ()
  }
}
// -----
module {
  func.func public @main(%arg0: tensor<f32>, %arg1: tensor<i1>) -> tensor<f32> {
    %0 = "stablehlo.if"(%arg1) ({
      stablehlo.return %arg0 : tensor<f32>
    }, {
      %1 = stablehlo.negate %arg0 : tensor<f32>
      stablehlo.return %1 : tensor<f32>
    }) : (tensor<i1>) -> tensor<f32>
    return %0 : tensor<f32>
  }
}
// -----
module {
  func.func private @main(%arg0: tensor<f32>, %arg1: tensor<i1>) -> tensor<f32> {
    %0 = "stablehlo.if"(%arg1) ({
      "stablehlo.return"(%arg0) : (tensor<f32>) -> ()
    }, {
      %1 = "stablehlo.negate"(%arg0) : (tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%1) : (tensor<f32>) -> ()
    }) : (tensor<i1>) -> tensor<f32>
    "func.return"(%0) : (tensor<f32>) -> ()
  }
}
// -----
module {
  func.func public @main(%arg0: tensor<f32>, %arg1: tensor<i32>) -> tensor<f32> {
    %0 = "stablehlo.case"(%arg1) ({
      stablehlo.return %arg0 : tensor<f32>
    }, {
      %1 = stablehlo.negate %arg0 : tensor<f32>
      stablehlo.return %1 : tensor<f32>
    }) : (tensor<i32>) -> tensor<f32>
    return %0 : tensor<f32>
  }
}
// -----
module {
  func.func private @main(%arg0: tensor<f32>, %arg1: tensor<i32>) -> tensor<f32> {
    %0 = "stablehlo.case"(%arg1) ({
      "stablehlo.return"(%arg0) : (tensor<f32>) -> ()
    }, {
      %1 = "stablehlo.negate"(%arg0) : (tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%1) : (tensor<f32>) -> ()
    }) : (tensor<i32>) -> tensor<f32>
    "func.return"(%0) : (tensor<f32>) -> ()
  }
}
// -----
module {
  func.func public @main(%arg0: tensor<f32>, %arg1: tensor<i32>) -> (tensor<f32>, tensor<i32>) {
    %0:2 = stablehlo.while(%iterArg = %arg0, %iterArg_0 = %arg1) : tensor<f32>, tensor<i32>
    cond {
      %1 = stablehlo.compare LT, %iterArg_0, %arg1 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %1 = stablehlo.add %iterArg, %arg0 : tensor<f32>
      %2 = stablehlo.add %iterArg_0, %arg1 : tensor<i32>
      stablehlo.return %1, %2 : tensor<f32>, tensor<i32>
    }
    return %0#0, %0#1 : tensor<f32>, tensor<i32>
  }
}
// -----
module {
  func.func private @main(%arg0: tensor<f32>, %arg1: tensor<i32>) -> (tensor<f32>, tensor<i32>) {
    %0:2 = "stablehlo.while"(%arg0, %arg1) ({
    ^bb0(%arg4: tensor<f32>, %arg5: tensor<i32>):
      %3 = "stablehlo.compare"(%arg5, %arg1) <{comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
      "stablehlo.return"(%3) : (tensor<i1>) -> ()
    }, {
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<i32>):
      %1 = "stablehlo.add"(%arg2, %arg0) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      %2 = "stablehlo.add"(%arg3, %arg1) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      "stablehlo.return"(%1, %2) : (tensor<f32>, tensor<i32>) -> ()
    }) : (tensor<f32>, tensor<i32>) -> (tensor<f32>, tensor<i32>)
    "func.return"(%0#0, %0#1) : (tensor<f32>, tensor<i32>) -> ()
  }
}
// -----
module {
  func.func public @main(%arg0: tensor<f32>, %arg1: tensor<i32>) -> (tensor<f32>, tensor<i32>) {
    %0:2 = stablehlo.while(%iterArg = %arg0, %iterArg_0 = %arg1) : tensor<f32>, tensor<i32> attributes {a = 1 : i32}
    cond {
      %1 = stablehlo.compare LT, %iterArg_0, %arg1 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %1 = stablehlo.add %iterArg, %arg0 : tensor<f32>
      %2 = stablehlo.add %iterArg_0, %arg1 : tensor<i32>
      stablehlo.return %1, %2 : tensor<f32>, tensor<i32>
    }
    return %0#0, %0#1 : tensor<f32>, tensor<i32>
  }
}
// -----
module {
  func.func private @main(%arg0: tensor<f32>, %arg1: tensor<i32>) -> (tensor<f32>, tensor<i32>) {
    %0:2 = "stablehlo.while"(%arg0, %arg1) ({
    ^bb0(%arg4: tensor<f32>, %arg5: tensor<i32>):
      %3 = "stablehlo.compare"(%arg5, %arg1) <{comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
      "stablehlo.return"(%3) : (tensor<i1>) -> ()
    }, {
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<i32>):
      %1 = "stablehlo.add"(%arg2, %arg0) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      %2 = "stablehlo.add"(%arg3, %arg1) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      "stablehlo.return"(%1, %2) : (tensor<f32>, tensor<i32>) -> ()
    }) {a = 1 : i32} : (tensor<f32>, tensor<i32>) -> (tensor<f32>, tensor<i32>)
    "func.return"(%0#0, %0#1) : (tensor<f32>, tensor<i32>) -> ()
  }
}
// -----
module {
  func.func public @main(%arg0: tensor<f32>, %arg1: tensor<3xf32>) -> (tensor<f32>, tensor<3xf32>) {
    %0:2 = stablehlo.optimization_barrier %arg0, %arg1 : tensor<f32>, tensor<3xf32>
    return %0#0, %0#1 : tensor<f32>, tensor<3xf32>
  }
}
// -----
module {
  func.func private @main(%arg0: tensor<f32>, %arg1: tensor<3xf32>) -> (tensor<f32>, tensor<3xf32>) {
    %0:2 = "stablehlo.optimization_barrier"(%arg0, %arg1) : (tensor<f32>, tensor<3xf32>) -> (tensor<f32>, tensor<3xf32>)
    "func.return"(%0#0, %0#1) : (tensor<f32>, tensor<3xf32>) -> ()
  }
}
// -----
module {
  func.func public @main(%arg0: tensor<f32>) -> tensor<f32> {
    %0 = stablehlo.optimization_barrier %arg0 : tensor<f32>
    return %0 : tensor<f32>
  }
}
// -----
module {
  func.func private @main(%arg0: tensor<f32>) -> tensor<f32> {
    %0 = "stablehlo.optimization_barrier"(%arg0) : (tensor<f32>) -> tensor<f32>
    "func.return"(%0) : (tensor<f32>) -> ()
  }
}
// -----
module {
  func.func public @main() {
    stablehlo.optimization_barrier()
    return
  }
}
// -----
module {
  func.func private @main() -> () {
    "stablehlo.optimization_barrier"() : () -> ()
    "func.return"() : () -> ()
  }
}
// -----
module {
  func.func public @main(%arg0: !stablehlo.token) -> !stablehlo.token {
    %0 = stablehlo.after_all %arg0, %arg0 : !stablehlo.token
    return %0 : !stablehlo.token
  }
}
// -----
module {
  func.func private @main(%arg0: !stablehlo.token) -> !stablehlo.token {
    %0 = "stablehlo.after_all"(%arg0, %arg0) : (!stablehlo.token, !stablehlo.token) -> !stablehlo.token
    "func.return"(%0) : (!stablehlo.token) -> ()
  }
}
// -----
module {
  func.func public @main() -> !stablehlo.token {
    %0 = stablehlo.after_all  : !stablehlo.token
    return %0 : !stablehlo.token
  }
}
// -----
module {
  func.func private @main() -> !stablehlo.token {
    %0 = "stablehlo.after_all"() : () -> !stablehlo.token
    "func.return"(%0) : (!stablehlo.token) -> ()
  }
}
// -----
module {
  func.func public @main() -> !stablehlo.token {
    %0 = stablehlo.create_token : !stablehlo.token
    return %0 : !stablehlo.token
  }
}
// -----
module {
  func.func private @main() -> !stablehlo.token {
    %0 = "stablehlo.create_token"() : () -> !stablehlo.token
    "func.return"(%0) : (!stablehlo.token) -> ()
  }
}
// -----
module {
  func.func public @main() -> tensor<ui32> {
    %0 = stablehlo.partition_id : tensor<ui32>
    return %0 : tensor<ui32>
  }
}
// -----
module {
  func.func private @main() -> tensor<ui32> {
    %0 = "stablehlo.partition_id"() : () -> tensor<ui32>
    "func.return"(%0) : (tensor<ui32>) -> ()
  }
}
// -----
module {
  func.func public @main() -> tensor<ui32> {
    %0 = stablehlo.replica_id : tensor<ui32>
    return %0 : tensor<ui32>
  }
}
// -----
module {
  func.func private @main() -> tensor<ui32> {
    %0 = "stablehlo.replica_id"() : () -> tensor<ui32>
    "func.return"(%0) : (tensor<ui32>) -> ()
  }
}
// -----
module {
  func.func public @main(%arg0: tensor<f32>, %arg1: tensor<i32>) -> tuple<tensor<f32>, tensor<i32>> {
    %0 = stablehlo.tuple %arg0, %arg1 : tuple<tensor<f32>, tensor<i32>>
    return %0 : tuple<tensor<f32>, tensor<i32>>
  }
}
// -----
module {
  func.func private @main(%arg0: tensor<f32>, %arg1: tensor<i32>) -> tuple<tensor<f32>, tensor<i32>> {
    %0 = "stablehlo.tuple"(%arg0, %arg1) : (tensor<f32>, tensor<i32>) -> tuple<tensor<f32>, tensor<i32>>
    "func.return"(%0) : (tuple<tensor<f32>, tensor<i32>>) -> ()
  }
}
// -----
module {
  func.func public @main() -> tuple<> {
    %0 = stablehlo.tuple  : tuple<>
    return %0 : tuple<>
  }
}
// -----
module {
  func.func private @main() -> tuple<> {
    %0 = "stablehlo.tuple"() : () -> tuple<>
    "func.return"(%0) : (tuple<>) -> ()
  }
}
// -----
module {
  func.func public @main(%arg0: tuple<tensor<f32>, tensor<i32>>) -> tensor<i32> {
    %0 = stablehlo.get_tuple_element %arg0[1] : (tuple<tensor<f32>, tensor<i32>>) -> tensor<i32>
    return %0 : tensor<i32>
  }
}
// -----
module {
  func.func private @main(%arg0: tuple<tensor<f32>, tensor<i32>>) -> tensor<i32> {
    %0 = "stablehlo.get_tuple_element"(%arg0) <{index = 1 : i32}> : (tuple<tensor<f32>, tensor<i32>>) -> tensor<i32>
    "func.return"(%0) : (tensor<i32>) -> ()
  }
}
// -----
module {
  func.func public @main(%arg0: tensor<f32>, %arg1: tensor<i32>) -> tensor<3xf32> {
    %0 = stablehlo.custom_call @a.b(%arg0, %arg1) {has_side_effect = true} : (tensor<f32>, tensor<i32>) -> tensor<3xf32>
    return %0 : tensor<3xf32>
  }
}
// -----
module {
  func.func private @main(%arg0: tensor<f32>, %arg1: tensor<i32>) -> tensor<3xf32> {
    %0 = "stablehlo.custom_call"(%arg0, %arg1) <{call_target_name = "a.b", has_side_effect = true}> : (tensor<f32>, tensor<i32>) -> tensor<3xf32>
    "func.return"(%0) : (tensor<3xf32>) -> ()
  }
}
// -----
module {
  func.func private @g(%arg0: tensor<f32>) -> tensor<f32> {
    return %arg0 : tensor<f32>
  }
  func.func public @main(%arg0: tensor<f32>) -> tensor<f32> {
    %0 = stablehlo.custom_call @"a b"(%arg0) {api_version = 4 : i32, backend_config = {x = 1 : i32}, called_computations = [@g]} : (tensor<f32>) -> tensor<f32>
    return %0 : tensor<f32>
  }
}
// -----
module {
  func.func private @g(%arg1: tensor<f32>) -> tensor<f32> {
    "func.return"(%arg1) : (tensor<f32>) -> ()
  }
  func.func private @main(%arg0: tensor<f32>) -> tensor<f32> {
    %0 = "stablehlo.custom_call"(%arg0) <{api_version = 4 : i32, backend_config = {x = 1 : i32}, call_target_name = "a b", called_computations = [@g]}> : (tensor<f32>) -> tensor<f32>
    "func.return"(%0) : (tensor<f32>) -> ()
  }
}
// -----
module {
  func.func public @main() {
    stablehlo.custom_call @a() : () -> ()
    return
  }
}
// -----
module {
  func.func private @main() -> () {
    "stablehlo.custom_call"() <{call_target_name = "a"}> : () -> ()
    "func.return"() : () -> ()
  }
}
// -----
module {
  func.func private @g(%arg0: tensor<f32>) -> tensor<f32> {
    return %arg0 : tensor<f32>
  }
  func.func public @main(%arg0: tensor<f32>) -> tensor<f32> {
    %0 = stablehlo.composite "my.op" %arg0 {composite_attributes = {a = 1 : i32, b = [1, 2]}, decomposition = @g, version = 3 : i32} : (tensor<f32>) -> tensor<f32>
    return %0 : tensor<f32>
  }
}
// -----
module {
  func.func private @g(%arg1: tensor<f32>) -> tensor<f32> {
    "func.return"(%arg1) : (tensor<f32>) -> ()
  }
  func.func private @main(%arg0: tensor<f32>) -> tensor<f32> {
    %0 = "stablehlo.composite"(%arg0) <{composite_attributes = {a = 1 : i32, b = [1, 2]}, decomposition = @g, name = "my.op", version = 3 : i32}> : (tensor<f32>) -> tensor<f32>
    "func.return"(%0) : (tensor<f32>) -> ()
  }
}
// -----
module {
  func.func private @g(%arg0: tensor<f32>) -> tensor<f32> {
    return %arg0 : tensor<f32>
  }
  func.func public @main(%arg0: tensor<f32>) -> tensor<f32> {
    %0 = stablehlo.composite "my.op" %arg0 {decomposition = @g} : (tensor<f32>) -> tensor<f32>
    return %0 : tensor<f32>
  }
}
// -----
module {
  func.func private @g(%arg1: tensor<f32>) -> tensor<f32> {
    "func.return"(%arg1) : (tensor<f32>) -> ()
  }
  func.func private @main(%arg0: tensor<f32>) -> tensor<f32> {
    %0 = "stablehlo.composite"(%arg0) <{decomposition = @g, name = "my.op"}> : (tensor<f32>) -> tensor<f32>
    "func.return"(%0) : (tensor<f32>) -> ()
  }
}
// -----
module {
  func.func private @g(%arg0: tensor<f32>) -> tensor<f32> {
    return %arg0 : tensor<f32>
  }
  func.func public @main(%arg0: tensor<f32>) -> tensor<f32> {
    %0 = call @g(%arg0) : (tensor<f32>) -> tensor<f32>
    return %0 : tensor<f32>
  }
}
// -----
module {
  func.func private @g(%arg1: tensor<f32>) -> tensor<f32> {
    "func.return"(%arg1) : (tensor<f32>) -> ()
  }
  func.func private @main(%arg0: tensor<f32>) -> tensor<f32> {
    %0 = "func.call"(%arg0) <{callee = @g}> : (tensor<f32>) -> tensor<f32>
    "func.return"(%0) : (tensor<f32>) -> ()
  }
}
// -----
module {
  func.func public @main(%arg0: tensor<3x4xf32>) -> tensor<3x8xf32> {
    %0 = "stablehlo.all_gather"(%arg0) <{all_gather_dim = 1 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>, use_global_device_ids}> : (tensor<3x4xf32>) -> tensor<3x8xf32>
    return %0 : tensor<3x8xf32>
  }
}
// -----
module {
  func.func private @main(%arg0: tensor<3x4xf32>) -> tensor<3x8xf32> {
    %0 = "stablehlo.all_gather"(%arg0) <{all_gather_dim = 1 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>, use_global_device_ids}> : (tensor<3x4xf32>) -> tensor<3x8xf32>
    "func.return"(%0) : (tensor<3x8xf32>) -> ()
  }
}
// -----
module {
  func.func public @main(%arg0: tensor<3xf32>) -> tensor<3xf32> {
    %0 = "stablehlo.all_reduce"(%arg0) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %1 = stablehlo.add %arg1, %arg2 : tensor<f32>
      stablehlo.return %1 : tensor<f32>
    }) : (tensor<3xf32>) -> tensor<3xf32>
    return %0 : tensor<3xf32>
  }
}
// -----
module {
  func.func private @main(%arg0: tensor<3xf32>) -> tensor<3xf32> {
    %0 = "stablehlo.all_reduce"(%arg0) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %1 = "stablehlo.add"(%arg1, %arg2) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%1) : (tensor<f32>) -> ()
    }) : (tensor<3xf32>) -> tensor<3xf32>
    "func.return"(%0) : (tensor<3xf32>) -> ()
  }
}
// -----
module {
  func.func public @main(%arg0: tensor<3x4xf32>) -> tensor<6x2xf32> {
    %0 = "stablehlo.all_to_all"(%arg0) <{concat_dimension = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, split_count = 2 : i64, split_dimension = 1 : i64}> : (tensor<3x4xf32>) -> tensor<6x2xf32>
    return %0 : tensor<6x2xf32>
  }
}
// -----
module {
  func.func private @main(%arg0: tensor<3x4xf32>) -> tensor<6x2xf32> {
    %0 = "stablehlo.all_to_all"(%arg0) <{concat_dimension = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, split_count = 2 : i64, split_dimension = 1 : i64}> : (tensor<3x4xf32>) -> tensor<6x2xf32>
    "func.return"(%0) : (tensor<6x2xf32>) -> ()
  }
}
// -----
module {
  func.func public @main(%arg0: tensor<3x4xf32>) -> tensor<3x2xf32> {
    %0 = "stablehlo.reduce_scatter"(%arg0) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, scatter_dimension = 1 : i64}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %1 = stablehlo.add %arg1, %arg2 : tensor<f32>
      stablehlo.return %1 : tensor<f32>
    }) : (tensor<3x4xf32>) -> tensor<3x2xf32>
    return %0 : tensor<3x2xf32>
  }
}
// -----
module {
  func.func private @main(%arg0: tensor<3x4xf32>) -> tensor<3x2xf32> {
    %0 = "stablehlo.reduce_scatter"(%arg0) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, scatter_dimension = 1 : i64}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %1 = "stablehlo.add"(%arg1, %arg2) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%1) : (tensor<f32>) -> ()
    }) : (tensor<3x4xf32>) -> tensor<3x2xf32>
    "func.return"(%0) : (tensor<3x2xf32>) -> ()
  }
}
// -----
module {
  func.func public @main(%arg0: tensor<3xf32>) -> tensor<3xf32> {
    %0 = "stablehlo.collective_broadcast"(%arg0) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<3xf32>) -> tensor<3xf32>
    return %0 : tensor<3xf32>
  }
}
// -----
module {
  func.func private @main(%arg0: tensor<3xf32>) -> tensor<3xf32> {
    %0 = "stablehlo.collective_broadcast"(%arg0) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<3xf32>) -> tensor<3xf32>
    "func.return"(%0) : (tensor<3xf32>) -> ()
  }
}
// -----
module {
  func.func public @main(%arg0: tensor<3xf32>) -> tensor<3xf32> {
    %0 = "stablehlo.collective_permute"(%arg0) <{source_target_pairs = dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>}> : (tensor<3xf32>) -> tensor<3xf32>
    return %0 : tensor<3xf32>
  }
}
// -----
module {
  func.func private @main(%arg0: tensor<3xf32>) -> tensor<3xf32> {
    %0 = "stablehlo.collective_permute"(%arg0) <{source_target_pairs = dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>}> : (tensor<3xf32>) -> tensor<3xf32>
    "func.return"(%0) : (tensor<3xf32>) -> ()
  }
}
// -----
module {
  func.func public @main(%arg0: tensor<3xf32>) -> tensor<3xf32> {
    %0 = "stablehlo.cross-replica-sum"(%arg0) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<3xf32>) -> tensor<3xf32>
    return %0 : tensor<3xf32>
  }
}
// -----
module {
  func.func private @main(%arg0: tensor<3xf32>) -> tensor<3xf32> {
    %0 = "stablehlo.cross-replica-sum"(%arg0) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<3xf32>) -> tensor<3xf32>
    "func.return"(%0) : (tensor<3xf32>) -> ()
  }
}
// -----
module {
  func.func public @main(%arg0: tensor<f32>, %arg1: !stablehlo.token) -> !stablehlo.token {
    %0 = "stablehlo.send"(%arg0, %arg1) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 2>, is_host_transfer = true}> : (tensor<f32>, !stablehlo.token) -> !stablehlo.token
    return %0 : !stablehlo.token
  }
}
// -----
module {
  func.func private @main(%arg0: tensor<f32>, %arg1: !stablehlo.token) -> !stablehlo.token {
    %0 = "stablehlo.send"(%arg0, %arg1) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 2>, is_host_transfer = true}> : (tensor<f32>, !stablehlo.token) -> !stablehlo.token
    "func.return"(%0) : (!stablehlo.token) -> ()
  }
}
// -----
module {
  func.func public @main(%arg0: !stablehlo.token) -> (tensor<f32>, !stablehlo.token) {
    %0:2 = "stablehlo.recv"(%arg0) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 3>, is_host_transfer = true}> : (!stablehlo.token) -> (tensor<f32>, !stablehlo.token)
    return %0#0, %0#1 : tensor<f32>, !stablehlo.token
  }
}
// -----
module {
  func.func private @main(%arg0: !stablehlo.token) -> (tensor<f32>, !stablehlo.token) {
    %0:2 = "stablehlo.recv"(%arg0) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 3>, is_host_transfer = true}> : (!stablehlo.token) -> (tensor<f32>, !stablehlo.token)
    "func.return"(%0#0, %0#1) : (tensor<f32>, !stablehlo.token) -> ()
  }
}
// -----
module {
  func.func public @main(%arg0: !stablehlo.token) -> (tensor<3xf32>, !stablehlo.token) {
    %0:2 = "stablehlo.infeed"(%arg0) <{infeed_config = "x", layout = [[0]]}> : (!stablehlo.token) -> (tensor<3xf32>, !stablehlo.token)
    return %0#0, %0#1 : tensor<3xf32>, !stablehlo.token
  }
}
// -----
module {
  func.func private @main(%arg0: !stablehlo.token) -> (tensor<3xf32>, !stablehlo.token) {
    %0:2 = "stablehlo.infeed"(%arg0) <{infeed_config = "x", layout = [[0]]}> : (!stablehlo.token) -> (tensor<3xf32>, !stablehlo.token)
    "func.return"(%0#0, %0#1) : (tensor<3xf32>, !stablehlo.token) -> ()
  }
}
// -----
module {
  func.func public @main(%arg0: tensor<3xf32>, %arg1: !stablehlo.token) -> !stablehlo.token {
    %0 = "stablehlo.outfeed"(%arg0, %arg1) <{outfeed_config = "y"}> : (tensor<3xf32>, !stablehlo.token) -> !stablehlo.token
    return %0 : !stablehlo.token
  }
}
// -----
module {
  func.func private @main(%arg0: tensor<3xf32>, %arg1: !stablehlo.token) -> !stablehlo.token {
    %0 = "stablehlo.outfeed"(%arg0, %arg1) <{outfeed_config = "y"}> : (tensor<3xf32>, !stablehlo.token) -> !stablehlo.token
    "func.return"(%0) : (!stablehlo.token) -> ()
  }
}
// -----
module {
  func.func public @main(%arg0: tensor<3xf32>) -> (tensor<2xf32>, tensor<2xi32>) {
    %values, %indices = chlo.top_k(%arg0, k = 2) : tensor<3xf32> -> (tensor<2xf32>, tensor<2xi32>)
    return %values, %indices : tensor<2xf32>, tensor<2xi32>
  }
}
// -----
module {
  func.func private @main(%arg0: tensor<3xf32>) -> (tensor<2xf32>, tensor<2xi32>) {
    %0:2 = "chlo.top_k"(%arg0) <{k = 2 : i64}> : (tensor<3xf32>) -> (tensor<2xf32>, tensor<2xi32>)
    "func.return"(%0#0, %0#1) : (tensor<2xf32>, tensor<2xi32>) -> ()
  }
}
// -----
module {
  func.func public @main(%arg0: tensor<3xf32>, %arg1: tensor<3x4xf32>) -> (tensor<3x4xf32>, tensor<3xf32>) {
    %0:2 = chlo.scan(%arg1) inits (%arg0) dimension=1  attributes {is_associative = false, is_reverse = true} {
    ^bb0(%input: tensor<3xf32>, %carry: tensor<3xf32>):
      %1 = stablehlo.subtract %input, %carry : tensor<3xf32>
      %2 = stablehlo.negate %1 : tensor<3xf32>
      stablehlo.return %2, %1 : tensor<3xf32>, tensor<3xf32>
    } : (tensor<3x4xf32>, tensor<3xf32>) -> (tensor<3x4xf32>, tensor<3xf32>)
    return %0#0, %0#1 : tensor<3x4xf32>, tensor<3xf32>
  }
}
// -----
module {
  func.func private @main(%arg0: tensor<3xf32>, %arg1: tensor<3x4xf32>) -> (tensor<3x4xf32>, tensor<3xf32>) {
    %0:2 = "chlo.scan"(%arg1, %arg0) <{dimension = 1 : i64, is_associative = false, is_reverse = true, operandSegmentSizes = array<i32: 1, 1>, resultSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg2: tensor<3xf32>, %arg3: tensor<3xf32>):
      %1 = "stablehlo.subtract"(%arg2, %arg3) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
      %2 = "stablehlo.negate"(%1) : (tensor<3xf32>) -> tensor<3xf32>
      "stablehlo.return"(%2, %1) : (tensor<3xf32>, tensor<3xf32>) -> ()
    }) : (tensor<3x4xf32>, tensor<3xf32>) -> (tensor<3x4xf32>, tensor<3xf32>)
    "func.return"(%0#0, %0#1) : (tensor<3x4xf32>, tensor<3xf32>) -> ()
  }
}
// -----
module {
  func.func public @main(%arg0: tensor<f32>, %arg1: tensor<3xf32>) -> tensor<3xi1> {
    %0 = chlo.broadcast_compare %arg1, %arg0 {compare_type = #chlo<comparison_type FLOAT>, comparison_direction = #chlo<comparison_direction LT>} : (tensor<3xf32>, tensor<f32>) -> tensor<3xi1>
    return %0 : tensor<3xi1>
  }
}
// -----
module {
  func.func private @main(%arg0: tensor<f32>, %arg1: tensor<3xf32>) -> tensor<3xi1> {
    %0 = "chlo.broadcast_compare"(%arg1, %arg0) <{compare_type = #chlo<comparison_type FLOAT>, comparison_direction = #chlo<comparison_direction LT>}> : (tensor<3xf32>, tensor<f32>) -> tensor<3xi1>
    "func.return"(%0) : (tensor<3xi1>) -> ()
  }
}
// -----
module {
  func.func public @main(%arg0: tensor<f32>, %arg1: tensor<3xf32>) -> tensor<3xcomplex<f32>> {
    %0 = chlo.broadcast_complex %arg1, %arg0 : (tensor<3xf32>, tensor<f32>) -> tensor<3xcomplex<f32>>
    return %0 : tensor<3xcomplex<f32>>
  }
}
// -----
module {
  func.func private @main(%arg0: tensor<f32>, %arg1: tensor<3xf32>) -> tensor<3xcomplex<f32>> {
    %0 = "chlo.broadcast_complex"(%arg1, %arg0) : (tensor<3xf32>, tensor<f32>) -> tensor<3xcomplex<f32>>
    "func.return"(%0) : (tensor<3xcomplex<f32>>) -> ()
  }
}
// -----
module {
  func.func public @main(%arg0: tensor<f32>, %arg1: tensor<3xf32>, %arg2: tensor<i1>) -> tensor<3xf32> {
    %0 = chlo.broadcast_select %arg2, %arg1, %arg0 : (tensor<i1>, tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
    return %0 : tensor<3xf32>
  }
}
// -----
module {
  func.func private @main(%arg0: tensor<f32>, %arg1: tensor<3xf32>, %arg2: tensor<i1>) -> tensor<3xf32> {
    %0 = "chlo.broadcast_select"(%arg2, %arg1, %arg0) : (tensor<i1>, tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
    "func.return"(%0) : (tensor<3xf32>) -> ()
  }
}
// -----
module {
  func.func public @main(%arg0: tensor<f32>, %arg1: tensor<3xf32>) -> tensor<3xf32> {
    %0 = chlo.broadcast_zeta %arg1, %arg0 : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
    return %0 : tensor<3xf32>
  }
}
// -----
module {
  func.func private @main(%arg0: tensor<f32>, %arg1: tensor<3xf32>) -> tensor<3xf32> {
    %0 = "chlo.broadcast_zeta"(%arg1, %arg0) : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
    "func.return"(%0) : (tensor<3xf32>) -> ()
  }
}
// -----
module {
  func.func public @main(%arg0: tensor<f32>, %arg1: tensor<3xf32>) -> tensor<3xf32> {
    %0 = chlo.broadcast_polygamma %arg1, %arg0 : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
    return %0 : tensor<3xf32>
  }
}
// -----
module {
  func.func private @main(%arg0: tensor<f32>, %arg1: tensor<3xf32>) -> tensor<3xf32> {
    %0 = "chlo.broadcast_polygamma"(%arg1, %arg0) : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
    "func.return"(%0) : (tensor<3xf32>) -> ()
  }
}
