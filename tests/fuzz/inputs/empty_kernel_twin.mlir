// Two kernels differ only in sizes, and one of them has no elements to compute.
module {
  func.func public @main(%arg0: tensor<5x8xf16>, %arg1: tensor<5x8xf16>) -> (tensor<5x8xf16>, tensor<0x3xf16>) {
    %0 = "stablehlo.slice"(%arg0) <{start_indices = array<i64: 3, 5>, limit_indices = array<i64: 3, 8>, strides = array<i64: 1, 1>}> : (tensor<5x8xf16>) -> tensor<0x3xf16>
    %1 = "stablehlo.reverse"(%arg1) <{dimensions = array<i64: 0>}> : (tensor<5x8xf16>) -> tensor<5x8xf16>
    "func.return"(%1, %0) : (tensor<5x8xf16>, tensor<0x3xf16>) -> ()
  }
}
