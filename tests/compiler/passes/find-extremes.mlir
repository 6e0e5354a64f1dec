// RUN: weft opt %s --pass=find-extremes --verify | FileCheck %s

// CHECK-LABEL: @argmax(
// CHECK: %[[MAX:.*]] = "stablehlo.reduce"(%arg0, {{.*}}
// CHECK: stablehlo.maximum
// CHECK: "stablehlo.compare"{{.*}}EQ
// CHECK: "stablehlo.compare"{{.*}}NE
// CHECK: "stablehlo.reduce"
// CHECK: stablehlo.minimum
// CHECK-NOT: "stablehlo.reduce"
func.func @argmax(%x: tensor<4x9xf32>) -> tensor<4xi32> {
  %iota = stablehlo.iota dim = 1 : tensor<4x9xi32>
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %1:2 = stablehlo.reduce(%x init: %low), (%iota init: %zero) across dimensions = [1] : (tensor<4x9xf32>, tensor<4x9xi32>, tensor<f32>, tensor<i32>) -> (tensor<4xf32>, tensor<4xi32>)
   reducer(%a: tensor<f32>, %b: tensor<f32>) (%i: tensor<i32>, %j: tensor<i32>)  {
    %2 = stablehlo.compare GT, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %3 = stablehlo.compare NE, %a, %a, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %4 = stablehlo.or %2, %3 : tensor<i1>
    %5 = stablehlo.compare EQ, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %6 = stablehlo.compare LT, %i, %j, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %7 = stablehlo.and %5, %6 : tensor<i1>
    %8 = stablehlo.or %4, %7 : tensor<i1>
    %9 = stablehlo.select %4, %a, %b : tensor<i1>, tensor<f32>
    %10 = stablehlo.select %8, %i, %j : tensor<i1>, tensor<i32>
    stablehlo.return %9, %10 : tensor<f32>, tensor<i32>
  }
  return %1#1 : tensor<4xi32>
}

// Integers are never NaN, so the body may be shorter.
// CHECK-LABEL: @argmin_of_integers(
// CHECK: stablehlo.minimum
// CHECK: "stablehlo.compare"{{.*}}EQ
// CHECK-NOT: NE
// CHECK: stablehlo.minimum
func.func @argmin_of_integers(%x: tensor<4x9xi32>) -> tensor<9xi32> {
  %iota = stablehlo.iota dim = 0 : tensor<4x9xi32>
  %high = stablehlo.constant dense<2147483647> : tensor<i32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %1:2 = stablehlo.reduce(%x init: %high), (%iota init: %zero) across dimensions = [0] : (tensor<4x9xi32>, tensor<4x9xi32>, tensor<i32>, tensor<i32>) -> (tensor<9xi32>, tensor<9xi32>)
   reducer(%a: tensor<i32>, %b: tensor<i32>) (%i: tensor<i32>, %j: tensor<i32>)  {
    %2 = stablehlo.compare LE, %a, %b, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %3 = stablehlo.select %2, %a, %b : tensor<i1>, tensor<i32>
    %4 = stablehlo.select %2, %i, %j : tensor<i1>, tensor<i32>
    stablehlo.return %3, %4 : tensor<i32>, tensor<i32>
  }
  return %1#1 : tensor<9xi32>
}

// This body drops a NaN that stands on the left.
// CHECK-LABEL: @without_nan(
// CHECK: "stablehlo.reduce"(%arg0, %{{.*}}, %{{.*}}, %{{.*}})
// CHECK-NOT: stablehlo.maximum
func.func @without_nan(%x: tensor<4x9xf32>) -> tensor<4xi32> {
  %iota = stablehlo.iota dim = 1 : tensor<4x9xi32>
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %1:2 = stablehlo.reduce(%x init: %low), (%iota init: %zero) across dimensions = [1] : (tensor<4x9xf32>, tensor<4x9xi32>, tensor<f32>, tensor<i32>) -> (tensor<4xf32>, tensor<4xi32>)
   reducer(%a: tensor<f32>, %b: tensor<f32>) (%i: tensor<i32>, %j: tensor<i32>)  {
    %2 = stablehlo.compare GE, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %3 = stablehlo.select %2, %a, %b : tensor<i1>, tensor<f32>
    %4 = stablehlo.select %2, %i, %j : tensor<i1>, tensor<i32>
    stablehlo.return %3, %4 : tensor<f32>, tensor<i32>
  }
  return %1#1 : tensor<4xi32>
}

// The extreme is needed as well, and the order of 0 and -0 decides its sign.
// CHECK-LABEL: @with_the_extreme(
// CHECK-NOT: stablehlo.maximum
func.func @with_the_extreme(%x: tensor<4x9xi32>) -> (tensor<9xi32>, tensor<9xi32>) {
  %iota = stablehlo.iota dim = 0 : tensor<4x9xi32>
  %low = stablehlo.constant dense<-2147483648> : tensor<i32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %1:2 = stablehlo.reduce(%x init: %low), (%iota init: %zero) across dimensions = [0] : (tensor<4x9xi32>, tensor<4x9xi32>, tensor<i32>, tensor<i32>) -> (tensor<9xi32>, tensor<9xi32>)
   reducer(%a: tensor<i32>, %b: tensor<i32>) (%i: tensor<i32>, %j: tensor<i32>)  {
    %2 = stablehlo.compare GE, %a, %b, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %3 = stablehlo.select %2, %a, %b : tensor<i1>, tensor<i32>
    %4 = stablehlo.select %2, %i, %j : tensor<i1>, tensor<i32>
    stablehlo.return %3, %4 : tensor<i32>, tensor<i32>
  }
  return %1#0, %1#1 : tensor<9xi32>, tensor<9xi32>
}
