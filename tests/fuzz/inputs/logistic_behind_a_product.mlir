// A library product with a fused logistic function gave 0 for a subnormal result. For silu this is allowed.
func.func @main(%arg0: tensor<32x8xf32>) -> (tensor<16x8xf32>, tensor<16x8xf32>) {
  %three = stablehlo.constant dense<-3.0> : tensor<32x16xf32>
  %less = stablehlo.constant dense<-2.9> : tensor<32x16xf32>
  %one = stablehlo.constant dense<1.0> : tensor<f32>
  %ones = stablehlo.clamp %one, %arg0, %one : (tensor<f32>, tensor<32x8xf32>, tensor<f32>) -> tensor<32x8xf32>
  %x = stablehlo.dot_general %three, %ones, contracting_dims = [0] x [0] : (tensor<32x16xf32>, tensor<32x8xf32>) -> tensor<16x8xf32>
  %y = stablehlo.logistic %x : tensor<16x8xf32>
  %z = stablehlo.dot_general %less, %ones, contracting_dims = [0] x [0] : (tensor<32x16xf32>, tensor<32x8xf32>) -> tensor<16x8xf32>
  %gate = stablehlo.logistic %z : tensor<16x8xf32>
  %silu = stablehlo.multiply %z, %gate : tensor<16x8xf32>
  return %y, %silu : tensor<16x8xf32>, tensor<16x8xf32>
}
