// RUN: weft opt %s | FileCheck %s
// What starts early and ends later is computed where it starts: weft decides itself what runs at the same time.

// CHECK-LABEL: @main(
// CHECK-NEXT: %0 = "stablehlo.all_gather"(%arg0)
// CHECK-NEXT: %1 = "stablehlo.multiply"(%arg1, %arg1)
// CHECK-NEXT: %2 = "stablehlo.add"(%0, %1)
// CHECK-NEXT: "func.return"(%2)
func.func @main(%x: tensor<2xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %start = "stablehlo.async_start"(%x) ({
  ^bb0(%part: tensor<2xf32>):
    %0 = "stablehlo.all_gather"(%part) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>,
      channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, use_global_device_ids}> : (tensor<2xf32>) -> tensor<4xf32>
    stablehlo.return %0 : tensor<4xf32>
  }) : (tensor<2xf32>) -> !stablehlo.future<tensor<4xf32>>
  %meanwhile = stablehlo.multiply %y, %y : tensor<4xf32>
  %end = "stablehlo.async_done"(%start) : (!stablehlo.future<tensor<4xf32>>) -> tensor<4xf32>
  %1 = stablehlo.add %end, %meanwhile : tensor<4xf32>
  return %1 : tensor<4xf32>
}

// A complex future, and a value from outside the region.
// CHECK-LABEL: @complex(
// CHECK: "stablehlo.add"(%arg0, %arg2)
// CHECK-NEXT: "stablehlo.add"(%arg1, %arg3)
// CHECK-NEXT: "func.return"
func.func @complex(%x: tensor<2xcomplex<f32>>, %y: tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>> {
  %start = "stablehlo.async_start"(%x) ({
  ^bb0(%a: tensor<2xcomplex<f32>>):
    %0 = stablehlo.add %a, %y : tensor<2xcomplex<f32>>
    stablehlo.return %0 : tensor<2xcomplex<f32>>
  }) : (tensor<2xcomplex<f32>>) -> !stablehlo.future<tensor<2xcomplex<f32>>>
  %end = "stablehlo.async_done"(%start) : (!stablehlo.future<tensor<2xcomplex<f32>>>) -> tensor<2xcomplex<f32>>
  return %end : tensor<2xcomplex<f32>>
}
