// A sum whose parts are negated before they are added promises no sign of zero.
module {
  func.func public @main(%arg0: tensor<4x4xf64>) -> (tensor<4x4xf64>) {
    %0 = "stablehlo.negate"(%arg0) : (tensor<4x4xf64>) -> tensor<4x4xf64>
    "func.return"(%0) : (tensor<4x4xf64>) -> ()
  }
}
