// RUN: env WEFT_BUCKETS=one weft opt %s --partition --join-collectives --verify | FileCheck %s
// RUN: env WEFT_BUCKETS=none weft opt %s --partition --join-collectives --verify | FileCheck %s --check-prefix=APART
// RUN: not env WEFT_BUCKETS=five weft opt %s --partition --join-collectives 2>&1 | FileCheck %s --check-prefix=NAME
// RUN: env WEFT_BUCKETS=one weft explain %s --collectives --entry two_sums | FileCheck %s --check-prefix=EXPLAINED
// RUN: env WEFT_BUCKETS=one weft run %s --devices 4 --entry two_sums --random 1
// One collective carries several tensors: no copies, and what each of them computes is unchanged.

// NAME: WEFT_BUCKETS: 'five' is not a way to join collectives: use chosen, one or none
sdy.mesh @mesh = <["data"=4]>

// Sums of other sizes are joined, where the last of their operands is there.
// CHECK-LABEL: @two_sums
// CHECK: %[[A:.*]] = "stablehlo.reduce"
// CHECK: %[[B:.*]] = "stablehlo.reduce"
// CHECK: %[[S:.*]]:2 = "stablehlo.all_reduce"(%[[A]], %[[B]])
// CHECK: (tensor<6xf32>, tensor<2xf32>) -> (tensor<6xf32>, tensor<2xf32>)
// CHECK-NOT: all_reduce
// CHECK: "stablehlo.abs"(%[[S]]#0)
// CHECK: "stablehlo.abs"(%[[S]]#1)
// APART-LABEL: @two_sums
// APART-COUNT-2: stablehlo.all_reduce"(%{{[0-9]+}})
// EXPLAINED: 4 devices (data=4): 1 all_reduce of 2 tensors; each device sends 48 B
// EXPLAINED: 2 all_reduce became 1, of 2 (48 B) tensors; the last one is predicted to end after {{.*}} ms
// EXPLAINED: all_reduce along data: each device sends 36 B, 2 x 3/4 of tensor<6xf32>
// EXPLAINED: all_reduce along data: each device sends 12 B, 2 x 3/4 of tensor<2xf32>
func.func @two_sums(%x: tensor<8x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>},
                    %y: tensor<8x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>})
    -> (tensor<6xf32>, tensor<2xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<8x6xf32>, tensor<f32>) -> tensor<6xf32>
  %1 = stablehlo.reduce(%y init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<8x2xf32>, tensor<f32>) -> tensor<2xf32>
  %2 = stablehlo.abs %0 : tensor<6xf32>
  %3 = stablehlo.abs %1 : tensor<2xf32>
  return %2, %3 : tensor<6xf32>, tensor<2xf32>
}

// Reductions of another kind or of another element type, and what is needed before the other is made, stay apart.
// CHECK-LABEL: @apart
// CHECK-COUNT-4: "stablehlo.all_reduce"(%{{[a-z0-9_]+}})
// CHECK-NOT: all_reduce
func.func @apart(%x: tensor<8x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>},
                 %h: tensor<8x6xf16> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>})
    -> (tensor<6xf32>, tensor<6xf16>, tensor<6xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %none = stablehlo.constant dense<0.0> : tensor<f16>
  %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<8x6xf32>, tensor<f32>) -> tensor<6xf32>
  %1 = stablehlo.abs %0 : tensor<6xf32>
  %2 = stablehlo.broadcast_in_dim %1, dims = [1] : (tensor<6xf32>) -> tensor<8x6xf32>
  %3 = stablehlo.multiply %x, %2 : tensor<8x6xf32>
  %4 = stablehlo.reduce(%3 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<8x6xf32>, tensor<f32>) -> tensor<6xf32>
  %5 = stablehlo.abs %4 : tensor<6xf32>
  %6 = stablehlo.reduce(%h init: %none) applies stablehlo.add across dimensions = [0] : (tensor<8x6xf16>, tensor<f16>) -> tensor<6xf16>
  %7 = stablehlo.abs %6 : tensor<6xf16>
  %8 = stablehlo.reduce(%x init: %zero) applies stablehlo.maximum across dimensions = [0] : (tensor<8x6xf32>, tensor<f32>) -> tensor<6xf32>
  %9 = stablehlo.add %8, %5 : tensor<6xf32>
  return %9, %7, %1 : tensor<6xf32>, tensor<6xf16>, tensor<6xf32>
}

// A reduce-scatter of several tensors is the form that StableHLO has for all_reduce.
// CHECK-LABEL: @split_sums
// CHECK: %[[R:.*]]:2 = "stablehlo.reduce_scatter"(%{{.*}}, %{{.*}}) <{{.*}}scatter_dimension = 0
// CHECK: (tensor<8x6xf32>, tensor<4xf32>) -> (tensor<2x6xf32>, tensor<1xf32>)
// CHECK: return"(%[[R]]#0, %[[R]]#1)
func.func @split_sums(%x: tensor<12x8x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}, {}]>},
                      %y: tensor<12x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>})
    -> (tensor<8x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>},
        tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}]>}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<12x8x6xf32>, tensor<f32>) -> tensor<8x6xf32>
  %1 = stablehlo.reduce(%y init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<12x4xf32>, tensor<f32>) -> tensor<4xf32>
  return %0, %1 : tensor<8x6xf32>, tensor<4xf32>
}
