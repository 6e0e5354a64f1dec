// If there are no elements, the first one must not be read ahead of the loop.
module {
  func.func public @main(%arg0: tensor<ui32>) -> (tensor<ui32>) {
    %0 = "stablehlo.constant"() <{value = dense<1> : tensor<2xui32>}> : () -> tensor<2xui32>
    %1 = "stablehlo.reduce_window"(%0, %arg0) <{window_dimensions = array<i64: 2>, window_strides = array<i64: 3>, base_dilations = array<i64: 1>, window_dilations = array<i64: 2>, padding = dense<[[0, 0]]> : tensor<1x2xi64>}> ({
    ^bb0(%arg1: tensor<ui32>, %arg2: tensor<ui32>):
      "stablehlo.return"(%arg1) : (tensor<ui32>) -> ()
    }) : (tensor<2xui32>, tensor<ui32>) -> tensor<0xui32>
    %2 = "stablehlo.reduce"(%1, %arg0) <{dimensions = array<i64: 0>}> ({
    ^bb0(%arg1: tensor<ui32>, %arg2: tensor<ui32>):
      %3 = "stablehlo.xor"(%arg1, %arg2) : (tensor<ui32>, tensor<ui32>) -> tensor<ui32>
      "stablehlo.return"(%3) : (tensor<ui32>) -> ()
    }) : (tensor<0xui32>, tensor<ui32>) -> tensor<ui32>
    "func.return"(%2) : (tensor<ui32>) -> ()
  }
}
