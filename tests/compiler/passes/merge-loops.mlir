// RUN: weft opt %s --pass=merge-loops --verify | FileCheck %s
// A loop is replaced by another loop that computes the same and more.

// CHECK-LABEL: @repeated(
// CHECK: %[[BOTH:.*]]:3 = "stablehlo.while"
// CHECK-NOT: "stablehlo.while"
// CHECK: "func.return"(%[[BOTH]]#1, %[[BOTH]]#2)
func.func @repeated(%x: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0:2 = "stablehlo.while"(%zero, %x) ({
    ^bb0(%i: tensor<i32>, %a: tensor<f32>):
      %end = stablehlo.constant dense<3> : tensor<i32>
      %test = stablehlo.compare LT, %i, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %test : tensor<i1>
  }, {
    ^bb0(%i: tensor<i32>, %a: tensor<f32>):
      %one = stablehlo.constant dense<1> : tensor<i32>
      %next = stablehlo.add %i, %one : tensor<i32>
      %b = stablehlo.tanh %a : tensor<f32>
      stablehlo.return %next, %b : tensor<i32>, tensor<f32>
  }) : (tensor<i32>, tensor<f32>) -> (tensor<i32>, tensor<f32>)
  %sum = stablehlo.constant dense<0.0> : tensor<f32>
  %1:3 = "stablehlo.while"(%zero, %x, %sum) ({
    ^bb0(%i: tensor<i32>, %a: tensor<f32>, %s: tensor<f32>):
      %end = stablehlo.constant dense<3> : tensor<i32>
      %test = stablehlo.compare LT, %i, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %test : tensor<i1>
  }, {
    ^bb0(%i: tensor<i32>, %a: tensor<f32>, %s: tensor<f32>):
      %one = stablehlo.constant dense<1> : tensor<i32>
      %next = stablehlo.add %i, %one : tensor<i32>
      %b = stablehlo.tanh %a : tensor<f32>
      %t = stablehlo.add %s, %a : tensor<f32>
      stablehlo.return %next, %b, %t : tensor<i32>, tensor<f32>, tensor<f32>
  }) : (tensor<i32>, tensor<f32>, tensor<f32>) -> (tensor<i32>, tensor<f32>, tensor<f32>)
  return %0#1, %1#2 : tensor<f32>, tensor<f32>
}

// Loops are not merged if they differ in what both compute: the second one runs longer.
// CHECK-LABEL: @another(
// CHECK: "stablehlo.while"
// CHECK: "stablehlo.while"
func.func @another(%x: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0:2 = "stablehlo.while"(%zero, %x) ({
    ^bb0(%i: tensor<i32>, %a: tensor<f32>):
      %end = stablehlo.constant dense<3> : tensor<i32>
      %test = stablehlo.compare LT, %i, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %test : tensor<i1>
  }, {
    ^bb0(%i: tensor<i32>, %a: tensor<f32>):
      %one = stablehlo.constant dense<1> : tensor<i32>
      %next = stablehlo.add %i, %one : tensor<i32>
      %b = stablehlo.tanh %a : tensor<f32>
      stablehlo.return %next, %b : tensor<i32>, tensor<f32>
  }) : (tensor<i32>, tensor<f32>) -> (tensor<i32>, tensor<f32>)
  %sum = stablehlo.constant dense<0.0> : tensor<f32>
  %1:3 = "stablehlo.while"(%zero, %x, %sum) ({
    ^bb0(%i: tensor<i32>, %a: tensor<f32>, %s: tensor<f32>):
      %end = stablehlo.constant dense<4> : tensor<i32>
      %test = stablehlo.compare LT, %i, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %test : tensor<i1>
  }, {
    ^bb0(%i: tensor<i32>, %a: tensor<f32>, %s: tensor<f32>):
      %one = stablehlo.constant dense<1> : tensor<i32>
      %next = stablehlo.add %i, %one : tensor<i32>
      %b = stablehlo.tanh %a : tensor<f32>
      %t = stablehlo.add %s, %a : tensor<f32>
      stablehlo.return %next, %b, %t : tensor<i32>, tensor<f32>, tensor<f32>
  }) : (tensor<i32>, tensor<f32>, tensor<f32>) -> (tensor<i32>, tensor<f32>, tensor<f32>)
  return %0#1, %1#2 : tensor<f32>, tensor<f32>
}
