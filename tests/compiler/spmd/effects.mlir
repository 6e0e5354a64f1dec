// RUN: weft opt --partition %s | FileCheck %s
// A function of the host that is called for its effect is called on one device, and the others get its results.

sdy.mesh @mesh = <["x"=2]>

// CHECK-LABEL: @effects
// CHECK: stablehlo.partition_id
// CHECK: "stablehlo.if"
// CHECK-NEXT: custom_call{{.*}}"log"
// CHECK: "stablehlo.if"
// CHECK-NEXT: custom_call{{.*}}"count"
// CHECK: stablehlo.constant{{.*}}dense<0
// CHECK: "stablehlo.collective_broadcast"
// CHECK-NOT: custom_call
func.func @effects(%x: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<4xf32> {
  stablehlo.custom_call @log(%x) {has_side_effect = true} : (tensor<4xf32>) -> ()
  %0 = stablehlo.custom_call @count(%x) {has_side_effect = true} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// The order of effects goes through a manual computation.
// CHECK-LABEL: @ordered
// CHECK: %[[CALLED:.*]] = "stablehlo.custom_call"(%{{.*}}, %arg0){{.*}}"log"{{.*}}(!stablehlo.token, tensor<2xf32>) -> !stablehlo.token
func.func @ordered(%x: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  %token = stablehlo.create_token : !stablehlo.token
  %0 = sdy.manual_computation(%token, %x) in_shardings=[<@mesh, []>, <@mesh, [{"x"}]>] out_shardings=[<@mesh, []>] manual_axes={"x"}
      (%t: !stablehlo.token, %part: tensor<2xf32>) {
    %called = stablehlo.custom_call @log(%t, %part) {has_side_effect = true} : (!stablehlo.token, tensor<2xf32>) -> !stablehlo.token
    sdy.return %called : !stablehlo.token
  } : (!stablehlo.token, tensor<4xf32>) -> !stablehlo.token
  return
}
