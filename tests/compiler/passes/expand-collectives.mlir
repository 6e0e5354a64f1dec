// RUN: weft opt %s --pass=expand-collectives --verify | FileCheck %s
// RUN: sed 's/dense<0> : tensor<1x1xi64>/dense<[[0, 1]]> : tensor<1x2xi64>/' %s >%t.mlir
// RUN: not weft opt %t.mlir --pass=expand-collectives 2>&1 | FileCheck %s --check-prefix=OTHERS
// A compiled program is a single process, replica 0 of 1, so a collective only exchanges data with itself.

// CHECK-LABEL: @main(
// CHECK-NEXT: %[[ID:.*]] = "stablehlo.constant"() <{value = dense<0> : tensor<ui32>}>
// CHECK-NEXT: %[[NOTHING:.*]] = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<4xf32>}>
// CHECK-NEXT: "func.return"(%arg0, %[[ID]], %[[NOTHING]])
// OTHERS: stablehlo.all_reduce is part of a program that is already split among devices; weft runs only programs that it splits itself, as their sdy.shardings say
func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<ui32>, tensor<4xf32>) {
  %0 = "stablehlo.all_reduce"(%x) ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
  }) {replica_groups = dense<0> : tensor<1x1xi64>} : (tensor<4xf32>) -> tensor<4xf32>
  %1 = stablehlo.replica_id : tensor<ui32>
  %2 = "stablehlo.collective_permute"(%x) {source_target_pairs = dense<> : tensor<0x2xi64>} : (tensor<4xf32>) -> tensor<4xf32>
  return %0, %1, %2 : tensor<4xf32>, tensor<ui32>, tensor<4xf32>
}
