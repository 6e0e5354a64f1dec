// Attributes that change no result are kept: donation, shardings, names of arguments and results. Aliases are resolved.
// RUN: weft opt %s | FileCheck %s
// RUN: weft opt %s | weft opt - | FileCheck %s
// RUN: weft opt --pass=simplify %s | FileCheck %s --check-prefix=PASS

// CHECK: module @jit_step attributes {mhlo.num_partitions = 2 : i32} {
// CHECK-NEXT: sdy.mesh @mesh = <["x"=2]>
// CHECK-NEXT: func.func public @main(%arg0: tensor<8x4xf32> {jax.buffer_donor = true, sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>},
// CHECK-SAME: %arg1: tensor<8x4xf32> {tf.aliasing_output = 0 : i32})
// CHECK-SAME: -> (tensor<8x4xf32> {jax.result_info = "w[0]"}, tensor<8x4xf32>) attributes {jax.unit} {
// CHECK-NEXT: "stablehlo.add"(%arg0, %arg1) {mhlo.frontend_attributes = {a = "1"}} : (
// CHECK-NEXT: "sdy.sharding_constraint"(%0) <{sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}> : (
// CHECK-NEXT: "stablehlo.custom_call"(%1) <{call_target_name = "Sharding", backend_config = ""}> {mhlo.sharding = "{replicated}"} : (
// CHECK-NEXT: "sdy.reshard"(%2) <{sharding = #sdy.sharding<@mesh, [{}, {?}]>}> : (
// CHECK-NEXT: "func.return"(%0, %3)

// Outputs are written to the memory of donated arguments.
// RUN: weft compile --emit plan %s | FileCheck %s --check-prefix=PLAN
// PLAN: the bytes of input 0
// PLAN: the bytes of input 1

// A pass that rewrites the graph drops the annotations of operations and keeps the others.
// PASS: func.func public @main(%arg0: tensor<8x4xf32> {jax.buffer_donor = true,
// PASS: "stablehlo.add"(%arg0, %arg1) : (
#rows = #sdy.sharding<@mesh, [{"x"}, {}]>
module @jit_step attributes {mhlo.num_partitions = 2 : i32} {
  sdy.mesh @mesh = <["x"=2]>
  func.func public @main(%a: tensor<8x4xf32> {jax.buffer_donor = true, sdy.sharding = #rows},
                         %b: tensor<8x4xf32> {tf.aliasing_output = 0 : i32} loc("b"))
      -> (tensor<8x4xf32> {jax.result_info = "w[0]"}, tensor<8x4xf32>) attributes {jax.unit} {
    %0 = stablehlo.add %a, %b {mhlo.frontend_attributes = {a = "1"}} : tensor<8x4xf32>
    %1 = "sdy.sharding_constraint"(%0) <{sharding = #rows}> : (tensor<8x4xf32>) -> tensor<8x4xf32>
    %2 = stablehlo.custom_call @Sharding(%1) {backend_config = "", mhlo.sharding = "{replicated}"} : (tensor<8x4xf32>) -> tensor<8x4xf32>
    %3 = sdy.reshard %2 <@mesh, [{}, {?}]> : tensor<8x4xf32>
    return %0, %3 : tensor<8x4xf32>, tensor<8x4xf32>
  }
}
