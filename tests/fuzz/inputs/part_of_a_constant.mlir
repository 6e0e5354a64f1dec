// weft fuzz --graphs 1 --seed 20262143: sizes: output 2, tensor<16x1xi16>, at 0: 19 instead of -11
module {
  func.func public @main(%arg0: tensor<6x2xi16>, %arg1: tensor<2x4xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>, tensor<16x1xi16>, tensor<2x4xf32>, tensor<2x4xf32>) {
    %0 = "stablehlo.constant"() <{value = dense<[[19], [-1], [5], [13], [-11], [-16], [-19], [5], [2], [-18], [-6], [-6], [12], [-9], [7], [-15]]> : tensor<16x1xi16>}> : () -> tensor<16x1xi16>
    %1 = "stablehlo.reshape"(%0) : (tensor<16x1xi16>) -> tensor<16xi16>
    %2 = "stablehlo.slice"(%1) <{start_indices = array<i64: 4>, limit_indices = array<i64: 5>, strides = array<i64: 8>}> : (tensor<16xi16>) -> tensor<1xi16>
    %3 = "stablehlo.reshape"(%2) : (tensor<1xi16>) -> tensor<i16>
    %4 = "stablehlo.select_and_scatter"(%0, %arg0, %3) <{window_dimensions = array<i64: 1, 1>, window_strides = array<i64: 3, 2>, padding = dense<[[1, 0], [1, 1]]> : tensor<2x2xi64>}> ({
    ^bb0(%arg2: tensor<i16>, %arg3: tensor<i16>):
      %5 = "stablehlo.compare"(%arg2, %arg3) <{comparison_direction = #stablehlo<comparison_direction LE>, compare_type = #stablehlo<comparison_type NOTYPE>}> : (tensor<i16>, tensor<i16>) -> tensor<i1>
      "stablehlo.return"(%5) : (tensor<i1>) -> ()
    }, {
    ^bb0(%arg2: tensor<i16>, %arg3: tensor<i16>):
      %5 = "stablehlo.minimum"(%arg2, %arg3) : (tensor<i16>, tensor<i16>) -> tensor<i16>
      "stablehlo.return"(%5) : (tensor<i16>) -> ()
    }) : (tensor<16x1xi16>, tensor<6x2xi16>, tensor<i16>) -> tensor<16x1xi16>
    %5 = "stablehlo.subtract"(%arg1, %arg1) : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
    %6 = "stablehlo.negate"(%arg1) : (tensor<2x4xf32>) -> tensor<2x4xf32>
    %7 = "stablehlo.add"(%arg1, %6) : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
    "func.return"(%7, %5, %4, %7, %arg1) : (tensor<2x4xf32>, tensor<2x4xf32>, tensor<16x1xi16>, tensor<2x4xf32>, tensor<2x4xf32>) -> ()
  }
}
