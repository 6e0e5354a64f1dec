// RUN: weft opt %s --pass=replace-tanh --machine=twin --verify | FileCheck %s
// RUN: weft opt %s --pass=replace-tanh --verify | FileCheck %s --check-prefix=CPU

// CHECK-LABEL: @alone(
// CHECK: %[[TWICE:.*]] = "stablehlo.add"(%arg0, %arg0)
// CHECK: %[[HALF:.*]] = "stablehlo.logistic"(%[[TWICE]])
// CHECK: "stablehlo.add"(%[[HALF]], %[[HALF]])
// CPU-LABEL: @alone(
// CPU-NOT: stablehlo.logistic
func.func @alone(%x: tensor<5xf32>) -> tensor<5xf32> {
  %one = stablehlo.constant dense<1.0> : tensor<5xf32>
  %tanh = stablehlo.tanh %x : tensor<5xf32>
  %sum = stablehlo.add %one, %tanh : tensor<5xf32>
  return %sum : tensor<5xf32>
}

// Where something else needs the tanh, it is computed anyway.
// CHECK-LABEL: @shared(
// CHECK-NOT: stablehlo.logistic
func.func @shared(%x: tensor<5xf32>) -> (tensor<5xf32>, tensor<5xf32>) {
  %one = stablehlo.constant dense<1.0> : tensor<5xf32>
  %tanh = stablehlo.tanh %x : tensor<5xf32>
  %sum = stablehlo.add %tanh, %one : tensor<5xf32>
  return %sum, %tanh : tensor<5xf32>, tensor<5xf32>
}
