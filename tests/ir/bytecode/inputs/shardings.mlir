#loc2 = loc("-":2:19)
#loc4 = loc("-":4:10)
#loc5 = loc("-":4:27)
module @collectives {
  func.func @main(%arg0: tensor<2x4xf32> loc("-":2:19)) -> (tensor<2x4xf32>, tensor<4x4xf32>, tensor<2x4xf32>) {
    %0 = "stablehlo.all_reduce"(%arg0) <{channel_handle = #stablehlo.channel_handle<handle = 3, type = 0>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> ({
    ^bb0(%arg1: tensor<f32> loc("-":4:10), %arg2: tensor<f32> loc("-":4:27)):
      %3 = stablehlo.maximum %arg1, %arg2 : tensor<f32> loc(#loc6)
      stablehlo.return %3 : tensor<f32> loc(#loc7)
    }) : (tensor<2x4xf32>) -> tensor<2x4xf32> loc(#loc3)
    %1 = "stablehlo.all_gather"(%0) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<2x4xf32>) -> tensor<4x4xf32> loc(#loc8)
    %2 = "stablehlo.collective_permute"(%0) <{source_target_pairs = dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>}> : (tensor<2x4xf32>) -> tensor<2x4xf32> loc(#loc9)
    return %0, %1, %2 : tensor<2x4xf32>, tensor<4x4xf32>, tensor<2x4xf32> loc(#loc10)
  } loc(#loc1)
} loc(#loc)
#loc = loc("-":1:1)
#loc1 = loc("-":2:3)
#loc3 = loc("-":3:10)
#loc6 = loc("-":5:12)
#loc7 = loc("-":6:7)
#loc8 = loc("-":8:10)
#loc9 = loc("-":9:10)
#loc10 = loc("-":10:5)
