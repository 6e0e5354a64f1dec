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
