// RUN: weft opt %s --pass=simplify --verify | FileCheck %s
// Exact algebraic identities, shape ops that undo each other, conversions through a wider type.

// CHECK-LABEL: @neutral(
// CHECK: %[[ZERO:.*]] = "stablehlo.constant"() <{value = dense<0> : tensor<4xi32>}>
// CHECK-NEXT: "func.return"(%arg0, %arg0, %arg1, %[[ZERO]])
func.func @neutral(%x: tensor<4xf32>, %i: tensor<4xi32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xi32>, tensor<4xi32>) {
  %one = stablehlo.constant dense<1.0> : tensor<4xf32>
  %minus_zero = stablehlo.constant dense<-0.0> : tensor<4xf32>
  %zero = stablehlo.constant dense<0> : tensor<4xi32>
  %0 = stablehlo.multiply %x, %one : tensor<4xf32>
  %1 = stablehlo.add %minus_zero, %x : tensor<4xf32>
  %2 = stablehlo.add %i, %zero : tensor<4xi32>
  %3 = stablehlo.multiply %zero, %i : tensor<4xi32>
  return %0, %1, %2, %3 : tensor<4xf32>, tensor<4xf32>, tensor<4xi32>, tensor<4xi32>
}

// CHECK-LABEL: @declared(
// CHECK: "func.return"(%arg0, %arg1, %arg0, %arg0)
func.func @declared(%x: tensor<4xf32>, %i: tensor<4xi32>)
    -> (tensor<4xf32>, tensor<4xi32>, tensor<4xf32>, tensor<4xf32>) {
  %least = stablehlo.constant dense<0xFF800000> : tensor<4xf32>
  %zero = stablehlo.constant dense<0> : tensor<4xi32>
  %nothing = stablehlo.constant dense<> : tensor<0xf32>
  %0 = stablehlo.maximum %least, %x : tensor<4xf32>
  %1 = stablehlo.shift_left %i, %zero : tensor<4xi32>
  %2 = stablehlo.reverse %x, dims = [0] : tensor<4xf32>
  %3 = stablehlo.reverse %2, dims = [0] : tensor<4xf32>
  %4 = stablehlo.concatenate %x, %nothing, dim = 0 : (tensor<4xf32>, tensor<0xf32>) -> tensor<4xf32>
  return %0, %1, %3, %4 : tensor<4xf32>, tensor<4xi32>, tensor<4xf32>, tensor<4xf32>
}

// x + 0 turns -0 into 0, and 0 times NaN or infinity is NaN.
// CHECK-LABEL: @not_neutral(
// CHECK: "stablehlo.add"(%arg0
// CHECK-NEXT: "stablehlo.multiply"(%arg0
// CHECK-NEXT: "stablehlo.divide"(%arg0
func.func @not_neutral(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<4xf32>
  %mixed = stablehlo.constant dense<[1.0, 1.0, 1.0, 2.0]> : tensor<4xf32>
  %0 = stablehlo.add %x, %zero : tensor<4xf32>
  %1 = stablehlo.multiply %x, %zero : tensor<4xf32>
  %2 = stablehlo.divide %x, %mixed : tensor<4xf32>
  return %0, %1, %2 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: @moves(
// CHECK: %[[FLAT:.*]] = "stablehlo.reshape"(%arg0){{.*}} -> tensor<6xf32>
// CHECK: "func.return"(%arg0, %[[FLAT]])
func.func @moves(%x: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<6xf32>) {
  %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %1 = stablehlo.transpose %0, dims = [1, 0] : (tensor<3x2xf32>) -> tensor<2x3xf32>
  %2 = stablehlo.reshape %x : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %3 = stablehlo.reshape %2 : (tensor<3x2xf32>) -> tensor<6xf32>
  return %1, %3 : tensor<2x3xf32>, tensor<6xf32>
}

// A broadcast that only inserts dimensions of size 1 is a reshape, which shares the bytes of its operand.
// CHECK-LABEL: @repeats_nothing(
// CHECK: "stablehlo.reshape"(%arg0)
// CHECK: "stablehlo.broadcast_in_dim"(%arg0)
// CHECK: "stablehlo.broadcast_in_dim"(%arg1)
func.func @repeats_nothing(%x: tensor<2x3xi32>, %y: tensor<1x3xi32>) -> (tensor<2x1x3x1xi32>, tensor<3x1x2xi32>, tensor<2x3xi32>) {
  %0 = stablehlo.broadcast_in_dim %x, dims = [0, 2] : (tensor<2x3xi32>) -> tensor<2x1x3x1xi32>
  %1 = stablehlo.broadcast_in_dim %x, dims = [2, 0] : (tensor<2x3xi32>) -> tensor<3x1x2xi32>
  %2 = stablehlo.broadcast_in_dim %y, dims = [0, 1] : (tensor<1x3xi32>) -> tensor<2x3xi32>
  return %0, %1, %2 : tensor<2x1x3x1xi32>, tensor<3x1x2xi32>, tensor<2x3xi32>
}

// CHECK-LABEL: @nested_broadcasts(
// CHECK: %[[WIDE:.*]] = "stablehlo.broadcast_in_dim"(%arg0) <{broadcast_dimensions = array<i64: 2>}>{{.*}} -> tensor<5x4x3xf32>
// CHECK-NEXT: "func.return"(%[[WIDE]])
func.func @nested_broadcasts(%x: tensor<3xf32>) -> tensor<5x4x3xf32> {
  %0 = stablehlo.broadcast_in_dim %x, dims = [1] : (tensor<3xf32>) -> tensor<4x3xf32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [1, 2] : (tensor<4x3xf32>) -> tensor<5x4x3xf32>
  return %1 : tensor<5x4x3xf32>
}

// Two transposes become one, and a broadcast that is a transpose stays.
// CHECK-LABEL: @not_undone(
// CHECK: %[[BOTH:.*]] = "stablehlo.transpose"(%arg0) <{permutation = array<i64: 1, 2, 0>}>
// CHECK-NEXT: %[[SQUARE:.*]] = "stablehlo.broadcast_in_dim"(%arg1) <{broadcast_dimensions = array<i64: 1, 0>}>
// CHECK-NEXT: "func.return"(%[[BOTH]], %[[SQUARE]])
func.func @not_undone(%x: tensor<2x3x4xf32>, %s: tensor<3x3xf32>) -> (tensor<3x4x2xf32>, tensor<3x3xf32>) {
  %0 = stablehlo.transpose %x, dims = [2, 0, 1] : (tensor<2x3x4xf32>) -> tensor<4x2x3xf32>
  %1 = stablehlo.transpose %0, dims = [2, 0, 1] : (tensor<4x2x3xf32>) -> tensor<3x4x2xf32>
  %2 = stablehlo.broadcast_in_dim %s, dims = [1, 0] : (tensor<3x3xf32>) -> tensor<3x3xf32>
  return %1, %2 : tensor<3x4x2xf32>, tensor<3x3xf32>
}

// A conversion through bf16 loses digits, and one through an unsigned type loses the sign, so both stay.
// CHECK-LABEL: @converts(
// CHECK-DAG: %[[WIDENED:.*]] = "stablehlo.convert"(%arg0) : (tensor<4xbf16>) -> tensor<4xf64>
// CHECK-DAG: %[[NARROW:.*]] = "stablehlo.convert"(%arg1) : (tensor<4xf32>) -> tensor<4xbf16>
// CHECK-DAG: %[[ROUNDED:.*]] = "stablehlo.convert"(%[[NARROW]])
// CHECK-DAG: %[[SIGNED:.*]] = "stablehlo.convert"(%arg2) : (tensor<4xi8>) -> tensor<4xi64>
// CHECK-DAG: %[[UNSIGNED:.*]] = "stablehlo.convert"(%arg2) : (tensor<4xi8>) -> tensor<4xui16>
// CHECK-DAG: %[[WRAPPED:.*]] = "stablehlo.convert"(%[[UNSIGNED]])
// CHECK: "func.return"(%[[WIDENED]], %[[ROUNDED]], %[[SIGNED]], %[[WRAPPED]])
func.func @converts(%x: tensor<4xbf16>, %y: tensor<4xf32>, %i: tensor<4xi8>) -> (tensor<4xf64>, tensor<4xf32>, tensor<4xi64>, tensor<4xi64>) {
  %0 = stablehlo.convert %x : (tensor<4xbf16>) -> tensor<4xf32>
  %1 = stablehlo.convert %0 : (tensor<4xf32>) -> tensor<4xf64>
  %2 = stablehlo.convert %y : (tensor<4xf32>) -> tensor<4xbf16>
  %3 = stablehlo.convert %2 : (tensor<4xbf16>) -> tensor<4xf32>
  %4 = stablehlo.convert %i : (tensor<4xi8>) -> tensor<4xi32>
  %5 = stablehlo.convert %4 : (tensor<4xi32>) -> tensor<4xi64>
  %6 = stablehlo.convert %i : (tensor<4xi8>) -> tensor<4xui16>
  %7 = stablehlo.convert %6 : (tensor<4xui16>) -> tensor<4xi64>
  return %1, %3, %5, %7 : tensor<4xf64>, tensor<4xf32>, tensor<4xi64>, tensor<4xi64>
}

// CHECK-LABEL: @choices(
// CHECK: %[[CHOICE:.*]] = "stablehlo.select"(%arg0, %arg1, %arg2)
// CHECK-NEXT: "func.return"(%arg1, %arg2, %[[CHOICE]])
func.func @choices(%p: tensor<4xi1>, %x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %true = stablehlo.constant dense<true> : tensor<4xi1>
  %0 = stablehlo.select %true, %x, %y : tensor<4xi1>, tensor<4xf32>
  %1 = stablehlo.select %p, %y, %y : tensor<4xi1>, tensor<4xf32>
  %2 = stablehlo.select %p, %x, %y : tensor<4xi1>, tensor<4xf32>
  return %0, %1, %2 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// A kernel reversed in spatial dimensions becomes a reversed window; a kernel reversed in its features stays.
// CHECK-LABEL: @turned_kernel(
// CHECK: "stablehlo.convolution"(%arg0, %arg1){{.*}}window_reversal = array<i1: true, false>
// CHECK-NEXT: %[[FEATURES:.*]] = "stablehlo.reverse"(%arg1)
// CHECK-NEXT: "stablehlo.convolution"(%arg0, %[[FEATURES]])
func.func @turned_kernel(%x: tensor<1x8x8x2xf32>, %k: tensor<3x3x2x4xf32>) -> (tensor<1x6x6x4xf32>, tensor<1x6x6x4xf32>) {
  %0 = stablehlo.reverse %k, dims = [0] : tensor<3x3x2x4xf32>
  %1 = stablehlo.convolution(%x, %0) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x8x2xf32>, tensor<3x3x2x4xf32>) -> tensor<1x6x6x4xf32>
  %2 = stablehlo.reverse %k, dims = [0, 2] : tensor<3x3x2x4xf32>
  %3 = stablehlo.convolution(%x, %2) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x8x2xf32>, tensor<3x3x2x4xf32>) -> tensor<1x6x6x4xf32>
  return %1, %3 : tensor<1x6x6x4xf32>, tensor<1x6x6x4xf32>
}

// A carried value that a loop never changes is replaced by its initial value.
// CHECK-LABEL: @loop_invariant(%arg0: tensor<f32>)
// CHECK: "stablehlo.while"
// CHECK: "func.return"(%{{.*}}#0, %arg0)
func.func @loop_invariant(%x: tensor<f32>) -> (tensor<i32>, tensor<f32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0:2 = "stablehlo.while"(%zero, %x) ({
    ^bb0(%i: tensor<i32>, %a: tensor<f32>):
      %end = stablehlo.constant dense<3> : tensor<i32>
      %test = stablehlo.compare LT, %i, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %test : tensor<i1>
  }, {
    ^bb0(%i: tensor<i32>, %a: tensor<f32>):
      %n = stablehlo.convert %a : (tensor<f32>) -> tensor<i32>
      %next = stablehlo.maximum %i, %n : tensor<i32>
      stablehlo.return %next, %a : tensor<i32>, tensor<f32>
  }) : (tensor<i32>, tensor<f32>) -> (tensor<i32>, tensor<f32>)
  return %0#0, %0#1 : tensor<i32>, tensor<f32>
}

// CHECK-LABEL: @stopped(
// CHECK-NEXT: "stablehlo.negate"(%arg0
func.func @stopped(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.custom_call @weft.stop_gradient(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = stablehlo.negate %0 : tensor<4xf32>
  return %1 : tensor<4xf32>
}

// An operand that is a concatenation along the same dimension is replaced by its operands, unless something else uses it, too.
// CHECK-LABEL: @nested_concatenations(
// CHECK-NEXT: %[[BOTH:.*]] = "stablehlo.concatenate"(%arg0, %arg1)
// CHECK: "stablehlo.concatenate"(%arg0, %arg1, %arg0, %[[BOTH]])
func.func @nested_concatenations(%x: tensor<2x3xf32>, %y: tensor<2x4xf32>) -> (tensor<2x17xf32>, tensor<2x7xf32>) {
  %0 = stablehlo.concatenate %x, %y, dim = 1 : (tensor<2x3xf32>, tensor<2x4xf32>) -> tensor<2x7xf32>
  %1 = stablehlo.concatenate %y, %x, dim = 1 : (tensor<2x4xf32>, tensor<2x3xf32>) -> tensor<2x7xf32>
  %2 = stablehlo.concatenate %x, %1, %0, dim = 1 : (tensor<2x3xf32>, tensor<2x7xf32>, tensor<2x7xf32>) -> tensor<2x17xf32>
  return %2, %0 : tensor<2x17xf32>, tensor<2x7xf32>
}
