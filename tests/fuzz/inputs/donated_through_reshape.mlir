// An input is read twice, once through a reshape, and is donated to the output.
module {
  func.func public @main(%arg0: tensor<12x7xui8>) -> (tensor<12x7xui8>) {
    %0 = "stablehlo.constant"() <{value = dense<1> : tensor<12x7xui8>}> : () -> tensor<12x7xui8>
    %1 = "stablehlo.reshape"(%arg0) : (tensor<12x7xui8>) -> tensor<84xui8>
    %2 = "stablehlo.slice"(%1) <{start_indices = array<i64: 21>, limit_indices = array<i64: 22>, strides = array<i64: 77>}> : (tensor<84xui8>) -> tensor<1xui8>
    %3 = "stablehlo.reshape"(%2) : (tensor<1xui8>) -> tensor<ui8>
    %4 = "stablehlo.reduce"(%arg0, %3) <{dimensions = array<i64>}> ({
    ^bb0(%arg1: tensor<ui8>, %arg2: tensor<ui8>):
      %5 = "stablehlo.minimum"(%arg1, %arg2) : (tensor<ui8>, tensor<ui8>) -> tensor<ui8>
      "stablehlo.return"(%5) : (tensor<ui8>) -> ()
    }) : (tensor<12x7xui8>, tensor<ui8>) -> tensor<12x7xui8>
    %5 = "stablehlo.subtract"(%4, %0) : (tensor<12x7xui8>, tensor<12x7xui8>) -> tensor<12x7xui8>
    "func.return"(%5) : (tensor<12x7xui8>) -> ()
  }
}
