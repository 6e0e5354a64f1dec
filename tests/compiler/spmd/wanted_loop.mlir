// RUN: weft opt --partition %s | FileCheck %s
// What a loop makes of nothing that is split, such as random bits, is computed in parts if its users want parts.

sdy.mesh @mesh = <["x"=3]>

// CHECK-LABEL: @parts(
// CHECK: "stablehlo.while"({{.*}}) ({
// CHECK: }) : (tensor<i32>, tensor<3xui32>, tensor<ui32>) -> (tensor<i32>, tensor<3xui32>, tensor<ui32>)
// CHECK-NOT: {{all_gather|dynamic_slice}}
func.func @parts(%key: tensor<ui32>) -> (tensor<9xui32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %count = stablehlo.iota dim = 0 : tensor<9xui32>
  %0:3 = stablehlo.while(%i = %zero, %x = %count, %k = %key) : tensor<i32>, tensor<9xui32>, tensor<ui32>
  cond {
    %five = stablehlo.constant dense<5> : tensor<i32>
    %less = stablehlo.compare LT, %i, %five : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %less : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %next = stablehlo.add %i, %one : tensor<i32>
    %keys = stablehlo.broadcast_in_dim %k, dims = [] : (tensor<ui32>) -> tensor<9xui32>
    %mixed = stablehlo.xor %x, %keys : tensor<9xui32>
    %more = stablehlo.multiply %mixed, %mixed : tensor<9xui32>
    stablehlo.return %next, %more, %k : tensor<i32>, tensor<9xui32>, tensor<ui32>
  }
  return %0#1 : tensor<9xui32>
}

// A loop that needs all elements in every step gets them whole, rather than gather them in every step.
// CHECK-LABEL: @whole(
// CHECK: "stablehlo.while"
// CHECK-NOT: all_gather
// CHECK: }) : (tensor<i32>, tensor<9xf32>) -> (tensor<i32>, tensor<9xf32>)
func.func @whole() -> (tensor<9xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %start = stablehlo.iota dim = 0 : tensor<9xf32>
  %0:2 = stablehlo.while(%i = %zero, %x = %start) : tensor<i32>, tensor<9xf32>
  cond {
    %five = stablehlo.constant dense<5> : tensor<i32>
    %less = stablehlo.compare LT, %i, %five : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %less : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %next = stablehlo.add %i, %one : tensor<i32>
    %turned = stablehlo.reverse %x, dims = [0] : tensor<9xf32>
    stablehlo.return %next, %turned : tensor<i32>, tensor<9xf32>
  }
  return %0#1 : tensor<9xf32>
}
