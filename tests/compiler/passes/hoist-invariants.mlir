// RUN: weft opt %s --pass=hoist-invariants --verify | FileCheck %s
// A product of values that the loop never changes is computed before the loop, with what it needs.

// CHECK-LABEL: @product(
// CHECK: %[[SCALED:.*]] = "stablehlo.multiply"(%arg1, %arg1)
// CHECK: %[[PRODUCT:.*]] = "stablehlo.dot_general"(%arg2, %[[SCALED]])
// CHECK: "stablehlo.while"(%{{.*}}, %arg0, %arg1, %arg2, %[[PRODUCT]])
// CHECK-NOT: dot_general
// CHECK: "stablehlo.add"
func.func @product(%v: tensor<4xf32>, %w: tensor<8x4xf32>, %y: tensor<8xf32>) -> tensor<4xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0:4 = "stablehlo.while"(%zero, %v, %w, %y) ({
    ^bb0(%i: tensor<i32>, %a: tensor<4xf32>, %b: tensor<8x4xf32>, %c: tensor<8xf32>):
      %end = stablehlo.constant dense<3> : tensor<i32>
      %test = stablehlo.compare LT, %i, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %test : tensor<i1>
  }, {
    ^bb0(%i: tensor<i32>, %a: tensor<4xf32>, %b: tensor<8x4xf32>, %c: tensor<8xf32>):
      %one = stablehlo.constant dense<1> : tensor<i32>
      %next = stablehlo.add %i, %one : tensor<i32>
      %scaled = stablehlo.multiply %b, %b : tensor<8x4xf32>
      %p = stablehlo.dot_general %c, %scaled, contracting_dims = [0] x [0] : (tensor<8xf32>, tensor<8x4xf32>) -> tensor<4xf32>
      %sum = stablehlo.add %a, %p : tensor<4xf32>
      stablehlo.return %next, %sum, %b, %c : tensor<i32>, tensor<4xf32>, tensor<8x4xf32>, tensor<8xf32>
  }) : (tensor<i32>, tensor<4xf32>, tensor<8x4xf32>, tensor<8xf32>) -> (tensor<i32>, tensor<4xf32>, tensor<8x4xf32>, tensor<8xf32>)
  return %0#1 : tensor<4xf32>
}

// What is quickly computed stays, and so does what changes.
// CHECK-LABEL: @stays(
// CHECK-NOT: "stablehlo.multiply"
// CHECK-NOT: "stablehlo.exponential"
// CHECK: "stablehlo.while"(%{{.*}}, %arg0, %arg1) (
// CHECK: "stablehlo.multiply"
// CHECK: "stablehlo.exponential"
func.func @stays(%v: tensor<4xf32>, %w: tensor<4xf32>) -> tensor<4xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0:3 = "stablehlo.while"(%zero, %v, %w) ({
    ^bb0(%i: tensor<i32>, %a: tensor<4xf32>, %b: tensor<4xf32>):
      %end = stablehlo.constant dense<3> : tensor<i32>
      %test = stablehlo.compare LT, %i, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %test : tensor<i1>
  }, {
    ^bb0(%i: tensor<i32>, %a: tensor<4xf32>, %b: tensor<4xf32>):
      %one = stablehlo.constant dense<1> : tensor<i32>
      %next = stablehlo.add %i, %one : tensor<i32>
      %square = stablehlo.multiply %b, %b : tensor<4xf32>
      %e = stablehlo.exponential %a : tensor<4xf32>
      %sum = stablehlo.add %e, %square : tensor<4xf32>
      stablehlo.return %next, %sum, %b : tensor<i32>, tensor<4xf32>, tensor<4xf32>
  }) : (tensor<i32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<i32>, tensor<4xf32>, tensor<4xf32>)
  return %0#1 : tensor<4xf32>
}

// From a loop in a loop, a value moves in front of both.
// CHECK-LABEL: @nested(
// CHECK: "stablehlo.exponential"(%arg1)
// CHECK: "stablehlo.while"
// CHECK: "stablehlo.while"
// CHECK-NOT: "stablehlo.exponential"
func.func @nested(%v: tensor<4xf32>, %w: tensor<4xf32>) -> tensor<4xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0:3 = "stablehlo.while"(%zero, %v, %w) ({
    ^bb0(%i: tensor<i32>, %a: tensor<4xf32>, %b: tensor<4xf32>):
      %end = stablehlo.constant dense<3> : tensor<i32>
      %test = stablehlo.compare LT, %i, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %test : tensor<i1>
  }, {
    ^bb0(%i: tensor<i32>, %a: tensor<4xf32>, %b: tensor<4xf32>):
      %one = stablehlo.constant dense<1> : tensor<i32>
      %next = stablehlo.add %i, %one : tensor<i32>
      %start = stablehlo.constant dense<0> : tensor<i32>
      %1:3 = "stablehlo.while"(%start, %a, %b) ({
        ^bb0(%j: tensor<i32>, %c: tensor<4xf32>, %d: tensor<4xf32>):
          %last = stablehlo.constant dense<2> : tensor<i32>
          %again = stablehlo.compare LT, %j, %last : (tensor<i32>, tensor<i32>) -> tensor<i1>
          stablehlo.return %again : tensor<i1>
      }, {
        ^bb0(%j: tensor<i32>, %c: tensor<4xf32>, %d: tensor<4xf32>):
          %step = stablehlo.constant dense<1> : tensor<i32>
          %after = stablehlo.add %j, %step : tensor<i32>
          %e = stablehlo.exponential %d : tensor<4xf32>
          %sum = stablehlo.add %c, %e : tensor<4xf32>
          stablehlo.return %after, %sum, %d : tensor<i32>, tensor<4xf32>, tensor<4xf32>
      }) : (tensor<i32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<i32>, tensor<4xf32>, tensor<4xf32>)
      stablehlo.return %next, %1#1, %b : tensor<i32>, tensor<4xf32>, tensor<4xf32>
  }) : (tensor<i32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<i32>, tensor<4xf32>, tensor<4xf32>)
  return %0#1 : tensor<4xf32>
}

// So is what a scatter or a product would read from memory, which every step would store.
// CHECK-LABEL: @stored(
// CHECK: %[[PLACES:.*]] = "stablehlo.add"(%arg1, %arg1)
// CHECK: %[[COLUMN:.*]] = "stablehlo.reshape"(%[[PLACES]])
// CHECK: "stablehlo.while"(%{{.*}}, %arg0, %arg1, %arg2, %[[COLUMN]])
// CHECK-NOT: "stablehlo.add"(%{{.*}}) : (tensor<9xi32>, tensor<9xi32>)
// CHECK: "stablehlo.scatter"
func.func @stored(%v: tensor<4xf32>, %i: tensor<9xi32>, %u: tensor<9xf32>) -> tensor<4xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0:4 = "stablehlo.while"(%zero, %v, %i, %u) ({
    ^bb0(%n: tensor<i32>, %a: tensor<4xf32>, %b: tensor<9xi32>, %c: tensor<9xf32>):
      %end = stablehlo.constant dense<3> : tensor<i32>
      %test = stablehlo.compare LT, %n, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %test : tensor<i1>
  }, {
    ^bb0(%n: tensor<i32>, %a: tensor<4xf32>, %b: tensor<9xi32>, %c: tensor<9xf32>):
      %one = stablehlo.constant dense<1> : tensor<i32>
      %next = stablehlo.add %n, %one : tensor<i32>
      %places = stablehlo.add %b, %b : tensor<9xi32>
      %column = stablehlo.reshape %places : (tensor<9xi32>) -> tensor<9x1xi32>
      %sum = "stablehlo.scatter"(%a, %column, %c) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
        ^bb0(%x: tensor<f32>, %y: tensor<f32>):
          %z = stablehlo.add %x, %y : tensor<f32>
          stablehlo.return %z : tensor<f32>
      }) : (tensor<4xf32>, tensor<9x1xi32>, tensor<9xf32>) -> tensor<4xf32>
      stablehlo.return %next, %sum, %b, %c : tensor<i32>, tensor<4xf32>, tensor<9xi32>, tensor<9xf32>
  }) : (tensor<i32>, tensor<4xf32>, tensor<9xi32>, tensor<9xf32>) -> (tensor<i32>, tensor<4xf32>, tensor<9xi32>, tensor<9xf32>)
  return %0#1 : tensor<4xf32>
}
