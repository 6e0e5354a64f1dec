// RUN: weft opt --partition %s | FileCheck %s
// A function of the host that says how many batch dimensions it has is called for the examples of each device.

sdy.mesh @mesh = <["x"=2]>

// CHECK-LABEL: @batched(
// CHECK-NOT: all_gather
// CHECK: "stablehlo.custom_call"({{.*}}) <{call_target_name = "lapack_sgeqrf_ffi"{{.*}}: (tensor<4x6x5xf32>) -> (tensor<4x6x5xf32>, tensor<4x5xf32>)
// CHECK-NOT: all_gather
func.func @batched(%a: tensor<8x5x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}, {}]>})
    -> (tensor<8x5x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}, {}]>},
        tensor<8x5xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  %0:2 = stablehlo.custom_call @lapack_sgeqrf_ffi(%a) {mhlo.backend_config = {}, mhlo.frontend_attributes = {num_batch_dims = "1"},
      operand_layouts = [dense<[1, 2, 0]> : tensor<3xindex>],
      result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>, dense<[1, 0]> : tensor<2xindex>]}
      : (tensor<8x5x6xf32>) -> (tensor<8x5x6xf32>, tensor<8x5xf32>)
  return %0#0, %0#1 : tensor<8x5x6xf32>, tensor<8x5xf32>
}

// A batch that does not come first in memory is not divided, nor are other dimensions.
// CHECK-LABEL: @elsewhere(
// CHECK: all_gather
// CHECK: "stablehlo.custom_call"({{.*}}) <{call_target_name = "lapack_sgeqrf_ffi"{{.*}}: (tensor<5x6x8xf32>) -> tensor<5x6x8xf32>
func.func @elsewhere(%a: tensor<8x5x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}, {}]>})
    -> (tensor<8x5x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}, {}]>}) {
  %0 = stablehlo.custom_call @lapack_sgeqrf_ffi(%a) {mhlo.backend_config = {}, mhlo.frontend_attributes = {num_batch_dims = "1"},
      operand_layouts = [dense<[0, 2, 1]> : tensor<3xindex>], result_layouts = [dense<[0, 2, 1]> : tensor<3xindex>]}
      : (tensor<8x5x6xf32>) -> tensor<8x5x6xf32>
  return %0 : tensor<8x5x6xf32>
}

// CHECK-LABEL: @rows(
// CHECK: all_gather
// CHECK: "stablehlo.custom_call"({{.*}}) <{call_target_name = "lapack_sgeqrf_ffi"{{.*}}: (tensor<8x6x5xf32>) -> tensor<8x6x5xf32>
func.func @rows(%a: tensor<8x6x5xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {}]>})
    -> (tensor<8x6x5xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {}]>}) {
  %0 = stablehlo.custom_call @lapack_sgeqrf_ffi(%a) {mhlo.backend_config = {}, mhlo.frontend_attributes = {num_batch_dims = "1"}}
      : (tensor<8x6x5xf32>) -> tensor<8x6x5xf32>
  return %0 : tensor<8x6x5xf32>
}
