// RUN: weft opt --partition %s | FileCheck %s
// Calls that run for their side effect stay where a composite, the body of a scan or a manual computation becomes part of its program,
// also if no output needs their results. Gradients do not repeat them.

sdy.mesh @mesh = <["data"=4]>

// CHECK-LABEL: @main
// CHECK: %[[DOUBLE:.*]] = "stablehlo.add"({{.*}}tensor<2xi32>
// CHECK-NEXT: "stablehlo.custom_call"(%[[DOUBLE]]) <{call_target_name = "somebody.shard", has_side_effect = true
// CHECK: "stablehlo.while"
// CHECK: "stablehlo.custom_call"(%{{.*}}) <{call_target_name = "somebody.step", has_side_effect = true
func.func @main(%x: tensor<8xi32>, %y: tensor<4xi32>, %z: tensor<i32>) -> (tensor<8xi32>, tensor<i32>) {
  %0 = sdy.manual_computation(%x) in_shardings=[<@mesh, [{"data"}]>] out_shardings=[<@mesh, [{"data"}]>] manual_axes={"data"} (%a: tensor<2xi32>) {
    %1 = stablehlo.add %a, %a : tensor<2xi32>
    stablehlo.custom_call @somebody.shard(%1) {has_side_effect = true} : (tensor<2xi32>) -> ()
    sdy.return %a : tensor<2xi32>
  } : (tensor<8xi32>) -> tensor<8xi32>
  %r:2 = "chlo.scan"(%y, %z) <{dimension = 0 : i64, operandSegmentSizes = array<i32: 1, 1>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %s = stablehlo.add %a, %b : tensor<i32>
    stablehlo.custom_call @somebody.step(%s) {has_side_effect = true} : (tensor<i32>) -> ()
    stablehlo.return %a, %b : tensor<i32>, tensor<i32>
  }) : (tensor<4xi32>, tensor<i32>) -> (tensor<4xi32>, tensor<i32>)
  return %0, %r#1 : tensor<8xi32>, tensor<i32>
}
