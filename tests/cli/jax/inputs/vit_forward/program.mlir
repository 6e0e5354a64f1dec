module @jit_forward attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<8xf32>, %arg1: tensor<32x8xf32>, %arg2: tensor<8xf32>, %arg3: tensor<8xf32>, %arg4: tensor<8xf32>, %arg5: tensor<8xf32>, %arg6: tensor<8xf32>, %arg7: tensor<8x8xf32>, %arg8: tensor<24xf32>, %arg9: tensor<8x24xf32>, %arg10: tensor<32xf32>, %arg11: tensor<8x32xf32>, %arg12: tensor<1x1x8xf32>, %arg13: tensor<10xf32>, %arg14: tensor<8x10xf32>, %arg15: tensor<8xf32>, %arg16: tensor<8xf32>, %arg17: tensor<8xf32>, %arg18: tensor<48x8xf32>, %arg19: tensor<5x8xf32>, %arg20: tensor<2x8x8x3xf32>) -> (tensor<2x10xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.reshape %arg20 : (tensor<2x8x8x3xf32>) -> tensor<2x2x4x2x4x3xf32>
    %1 = stablehlo.transpose %0, dims = [0, 1, 3, 2, 4, 5] : (tensor<2x2x4x2x4x3xf32>) -> tensor<2x2x2x4x4x3xf32>
    %2 = stablehlo.reshape %1 : (tensor<2x2x2x4x4x3xf32>) -> tensor<2x4x48xf32>
    %3 = stablehlo.dot_general %2, %arg18, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x4x48xf32>, tensor<48x8xf32>) -> tensor<2x4x8xf32>
    %4 = stablehlo.broadcast_in_dim %arg17, dims = [2] : (tensor<8xf32>) -> tensor<1x1x8xf32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0, 1, 2] : (tensor<1x1x8xf32>) -> tensor<2x4x8xf32>
    %6 = stablehlo.add %3, %5 : tensor<2x4x8xf32>
    %7 = stablehlo.reshape %arg12 : (tensor<1x1x8xf32>) -> tensor<1x1x1x1x1x8xf32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [0, 1, 2, 3, 4, 5] : (tensor<1x1x1x1x1x8xf32>) -> tensor<2x1x1x1x1x8xf32>
    %9 = stablehlo.reshape %8 : (tensor<2x1x1x1x1x8xf32>) -> tensor<2x1x8xf32>
    %10 = stablehlo.concatenate %9, %6, dim = 1 : (tensor<2x1x8xf32>, tensor<2x4x8xf32>) -> tensor<2x5x8xf32>
    %11 = stablehlo.broadcast_in_dim %arg19, dims = [1, 2] : (tensor<5x8xf32>) -> tensor<1x5x8xf32>
    %12 = stablehlo.broadcast_in_dim %11, dims = [0, 1, 2] : (tensor<1x5x8xf32>) -> tensor<2x5x8xf32>
    %13 = stablehlo.add %10, %12 : tensor<2x5x8xf32>
    %cst = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %14 = call @standardize(%13, %cst) : (tensor<2x5x8xf32>, tensor<f32>) -> tensor<2x5x8xf32>
    %15 = stablehlo.broadcast_in_dim %arg2, dims = [2] : (tensor<8xf32>) -> tensor<1x1x8xf32>
    %16 = stablehlo.broadcast_in_dim %15, dims = [0, 1, 2] : (tensor<1x1x8xf32>) -> tensor<2x5x8xf32>
    %17 = stablehlo.multiply %14, %16 : tensor<2x5x8xf32>
    %18 = stablehlo.broadcast_in_dim %arg3, dims = [2] : (tensor<8xf32>) -> tensor<1x1x8xf32>
    %19 = stablehlo.broadcast_in_dim %18, dims = [0, 1, 2] : (tensor<1x1x8xf32>) -> tensor<2x5x8xf32>
    %20 = stablehlo.add %17, %19 : tensor<2x5x8xf32>
    %21 = stablehlo.dot_general %20, %arg9, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x5x8xf32>, tensor<8x24xf32>) -> tensor<2x5x24xf32>
    %22 = stablehlo.broadcast_in_dim %arg8, dims = [2] : (tensor<24xf32>) -> tensor<1x1x24xf32>
    %23 = stablehlo.broadcast_in_dim %22, dims = [0, 1, 2] : (tensor<1x1x24xf32>) -> tensor<2x5x24xf32>
    %24 = stablehlo.add %21, %23 : tensor<2x5x24xf32>
    %25 = stablehlo.reshape %24 : (tensor<2x5x24xf32>) -> tensor<2x5x3x2x4xf32>
    %26 = stablehlo.slice %25 [0:2, 0:5, 0:1, 0:2, 0:4] : (tensor<2x5x3x2x4xf32>) -> tensor<2x5x1x2x4xf32>
    %27 = stablehlo.reshape %26 : (tensor<2x5x1x2x4xf32>) -> tensor<2x5x2x4xf32>
    %28 = stablehlo.slice %25 [0:2, 0:5, 1:2, 0:2, 0:4] : (tensor<2x5x3x2x4xf32>) -> tensor<2x5x1x2x4xf32>
    %29 = stablehlo.reshape %28 : (tensor<2x5x1x2x4xf32>) -> tensor<2x5x2x4xf32>
    %30 = stablehlo.slice %25 [0:2, 0:5, 2:3, 0:2, 0:4] : (tensor<2x5x3x2x4xf32>) -> tensor<2x5x1x2x4xf32>
    %31 = stablehlo.reshape %30 : (tensor<2x5x1x2x4xf32>) -> tensor<2x5x2x4xf32>
    %32 = stablehlo.reshape %27 : (tensor<2x5x2x4xf32>) -> tensor<2x5x2x1x4xf32>
    %33 = stablehlo.dot_general %32, %29, batching_dims = [0, 2] x [0, 2], contracting_dims = [4] x [3], precision = [DEFAULT, DEFAULT] : (tensor<2x5x2x1x4xf32>, tensor<2x5x2x4xf32>) -> tensor<2x2x5x1x5xf32>
    %cst_0 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %34 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<2x2x5x1x5xf32>
    %35 = stablehlo.multiply %33, %34 : tensor<2x2x5x1x5xf32>
    %cst_1 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %36 = stablehlo.reduce(%35 init: %cst_1) applies stablehlo.maximum across dimensions = [4] : (tensor<2x2x5x1x5xf32>, tensor<f32>) -> tensor<2x2x5x1xf32>
    %cst_2 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %37 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<2x2x5x1xf32>
    %38 = stablehlo.maximum %37, %36 : tensor<2x2x5x1xf32>
    %39 = stablehlo.transpose %38, dims = [3, 0, 1, 2] : (tensor<2x2x5x1xf32>) -> tensor<1x2x2x5xf32>
    %40 = stablehlo.broadcast_in_dim %39, dims = [0, 1, 2, 3] : (tensor<1x2x2x5xf32>) -> tensor<1x2x2x5x1xf32>
    %41 = stablehlo.transpose %35, dims = [3, 0, 1, 2, 4] : (tensor<2x2x5x1x5xf32>) -> tensor<1x2x2x5x5xf32>
    %42 = stablehlo.broadcast_in_dim %40, dims = [0, 1, 2, 3, 4] : (tensor<1x2x2x5x1xf32>) -> tensor<1x2x2x5x5xf32>
    %43 = stablehlo.subtract %41, %42 : tensor<1x2x2x5x5xf32>
    %44 = stablehlo.exponential %43 : tensor<1x2x2x5x5xf32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %45 = stablehlo.reduce(%44 init: %cst_3) applies stablehlo.add across dimensions = [4] : (tensor<1x2x2x5x5xf32>, tensor<f32>) -> tensor<1x2x2x5xf32>
    %46 = stablehlo.broadcast_in_dim %45, dims = [0, 1, 2, 3] : (tensor<1x2x2x5xf32>) -> tensor<1x2x2x5x1xf32>
    %47 = stablehlo.broadcast_in_dim %46, dims = [0, 1, 2, 3, 4] : (tensor<1x2x2x5x1xf32>) -> tensor<1x2x2x5x5xf32>
    %48 = stablehlo.divide %44, %47 : tensor<1x2x2x5x5xf32>
    %49 = stablehlo.dot_general %31, %48, batching_dims = [0, 2] x [1, 2], contracting_dims = [1] x [4], precision = [DEFAULT, DEFAULT] : (tensor<2x5x2x4xf32>, tensor<1x2x2x5x5xf32>) -> tensor<2x2x4x1x5xf32>
    %50 = stablehlo.transpose %49, dims = [3, 0, 4, 1, 2] : (tensor<2x2x4x1x5xf32>) -> tensor<1x2x5x2x4xf32>
    %51 = stablehlo.transpose %50, dims = [1, 2, 3, 0, 4] : (tensor<1x2x5x2x4xf32>) -> tensor<2x5x2x1x4xf32>
    %52 = stablehlo.reshape %51 : (tensor<2x5x2x1x4xf32>) -> tensor<2x5x2x4xf32>
    %53 = stablehlo.reshape %52 : (tensor<2x5x2x4xf32>) -> tensor<2x5x8xf32>
    %54 = stablehlo.dot_general %53, %arg7, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x5x8xf32>, tensor<8x8xf32>) -> tensor<2x5x8xf32>
    %55 = stablehlo.broadcast_in_dim %arg6, dims = [2] : (tensor<8xf32>) -> tensor<1x1x8xf32>
    %56 = stablehlo.broadcast_in_dim %55, dims = [0, 1, 2] : (tensor<1x1x8xf32>) -> tensor<2x5x8xf32>
    %57 = stablehlo.add %54, %56 : tensor<2x5x8xf32>
    %58 = stablehlo.add %13, %57 : tensor<2x5x8xf32>
    %cst_4 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %59 = call @standardize(%58, %cst_4) : (tensor<2x5x8xf32>, tensor<f32>) -> tensor<2x5x8xf32>
    %60 = stablehlo.broadcast_in_dim %arg4, dims = [2] : (tensor<8xf32>) -> tensor<1x1x8xf32>
    %61 = stablehlo.broadcast_in_dim %60, dims = [0, 1, 2] : (tensor<1x1x8xf32>) -> tensor<2x5x8xf32>
    %62 = stablehlo.multiply %59, %61 : tensor<2x5x8xf32>
    %63 = stablehlo.broadcast_in_dim %arg5, dims = [2] : (tensor<8xf32>) -> tensor<1x1x8xf32>
    %64 = stablehlo.broadcast_in_dim %63, dims = [0, 1, 2] : (tensor<1x1x8xf32>) -> tensor<2x5x8xf32>
    %65 = stablehlo.add %62, %64 : tensor<2x5x8xf32>
    %66 = stablehlo.dot_general %65, %arg11, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x5x8xf32>, tensor<8x32xf32>) -> tensor<2x5x32xf32>
    %67 = stablehlo.broadcast_in_dim %arg10, dims = [2] : (tensor<32xf32>) -> tensor<1x1x32xf32>
    %68 = stablehlo.broadcast_in_dim %67, dims = [0, 1, 2] : (tensor<1x1x32xf32>) -> tensor<2x5x32xf32>
    %69 = stablehlo.add %66, %68 : tensor<2x5x32xf32>
    %cst_5 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %70 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<2x5x32xf32>
    %71 = stablehlo.multiply %70, %69 : tensor<2x5x32xf32>
    %72 = stablehlo.negate %69 : tensor<2x5x32xf32>
    %cst_6 = stablehlo.constant dense<0.707106769> : tensor<f32>
    %73 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<2x5x32xf32>
    %74 = stablehlo.multiply %72, %73 : tensor<2x5x32xf32>
    %75 = chlo.erfc %74 : tensor<2x5x32xf32> -> tensor<2x5x32xf32>
    %76 = stablehlo.multiply %71, %75 : tensor<2x5x32xf32>
    %77 = stablehlo.dot_general %76, %arg1, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x5x32xf32>, tensor<32x8xf32>) -> tensor<2x5x8xf32>
    %78 = stablehlo.broadcast_in_dim %arg0, dims = [2] : (tensor<8xf32>) -> tensor<1x1x8xf32>
    %79 = stablehlo.broadcast_in_dim %78, dims = [0, 1, 2] : (tensor<1x1x8xf32>) -> tensor<2x5x8xf32>
    %80 = stablehlo.add %77, %79 : tensor<2x5x8xf32>
    %81 = stablehlo.add %58, %80 : tensor<2x5x8xf32>
    %82 = stablehlo.slice %81 [0:2, 0:1, 0:8] : (tensor<2x5x8xf32>) -> tensor<2x1x8xf32>
    %83 = stablehlo.reshape %82 : (tensor<2x1x8xf32>) -> tensor<2x8xf32>
    %cst_7 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %84 = call @standardize_0(%83, %cst_7) : (tensor<2x8xf32>, tensor<f32>) -> tensor<2x8xf32>
    %85 = stablehlo.broadcast_in_dim %arg15, dims = [1] : (tensor<8xf32>) -> tensor<1x8xf32>
    %86 = stablehlo.broadcast_in_dim %85, dims = [0, 1] : (tensor<1x8xf32>) -> tensor<2x8xf32>
    %87 = stablehlo.multiply %84, %86 : tensor<2x8xf32>
    %88 = stablehlo.broadcast_in_dim %arg16, dims = [1] : (tensor<8xf32>) -> tensor<1x8xf32>
    %89 = stablehlo.broadcast_in_dim %88, dims = [0, 1] : (tensor<1x8xf32>) -> tensor<2x8xf32>
    %90 = stablehlo.add %87, %89 : tensor<2x8xf32>
    %91 = stablehlo.dot_general %90, %arg14, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x8xf32>, tensor<8x10xf32>) -> tensor<2x10xf32>
    %92 = stablehlo.broadcast_in_dim %arg13, dims = [1] : (tensor<10xf32>) -> tensor<1x10xf32>
    %93 = stablehlo.broadcast_in_dim %92, dims = [0, 1] : (tensor<1x10xf32>) -> tensor<2x10xf32>
    %94 = stablehlo.add %91, %93 : tensor<2x10xf32>
    return %94 : tensor<2x10xf32>
  }
  func.func private @standardize(%arg0: tensor<2x5x8xf32>, %arg1: tensor<f32>) -> tensor<2x5x8xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.add across dimensions = [2] : (tensor<2x5x8xf32>, tensor<f32>) -> tensor<2x5xf32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [0, 1] : (tensor<2x5xf32>) -> tensor<2x5x1xf32>
    %cst_0 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<2x5x1xf32>
    %3 = stablehlo.divide %1, %2 : tensor<2x5x1xf32>
    %4 = chlo.square %arg0 : tensor<2x5x8xf32> -> tensor<2x5x8xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %5 = stablehlo.reduce(%4 init: %cst_1) applies stablehlo.add across dimensions = [2] : (tensor<2x5x8xf32>, tensor<f32>) -> tensor<2x5xf32>
    %6 = stablehlo.broadcast_in_dim %5, dims = [0, 1] : (tensor<2x5xf32>) -> tensor<2x5x1xf32>
    %cst_2 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %7 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<2x5x1xf32>
    %8 = stablehlo.divide %6, %7 : tensor<2x5x1xf32>
    %9 = chlo.square %3 : tensor<2x5x1xf32> -> tensor<2x5x1xf32>
    %10 = stablehlo.subtract %8, %9 : tensor<2x5x1xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %11 = call @clip(%10, %c) : (tensor<2x5x1xf32>, tensor<i32>) -> tensor<2x5x1xf32>
    %12 = stablehlo.broadcast_in_dim %3, dims = [0, 1, 2] : (tensor<2x5x1xf32>) -> tensor<2x5x8xf32>
    %13 = stablehlo.subtract %arg0, %12 : tensor<2x5x8xf32>
    %14 = stablehlo.convert %arg1 : tensor<f32>
    %15 = stablehlo.broadcast_in_dim %14, dims = [] : (tensor<f32>) -> tensor<2x5x1xf32>
    %16 = stablehlo.add %11, %15 : tensor<2x5x1xf32>
    %17 = stablehlo.rsqrt %16 : tensor<2x5x1xf32>
    %18 = stablehlo.broadcast_in_dim %17, dims = [0, 1, 2] : (tensor<2x5x1xf32>) -> tensor<2x5x8xf32>
    %19 = stablehlo.multiply %13, %18 : tensor<2x5x8xf32>
    return %19 : tensor<2x5x8xf32>
  }
  func.func private @clip(%arg0: tensor<2x5x1xf32>, %arg1: tensor<i32>) -> tensor<2x5x1xf32> {
    %0 = stablehlo.convert %arg1 : (tensor<i32>) -> tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<2x5x1xf32>
    %2 = stablehlo.maximum %1, %arg0 : tensor<2x5x1xf32>
    return %2 : tensor<2x5x1xf32>
  }
  func.func private @standardize_0(%arg0: tensor<2x8xf32>, %arg1: tensor<f32>) -> tensor<2x8xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.add across dimensions = [1] : (tensor<2x8xf32>, tensor<f32>) -> tensor<2xf32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [0] : (tensor<2xf32>) -> tensor<2x1xf32>
    %cst_0 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<2x1xf32>
    %3 = stablehlo.divide %1, %2 : tensor<2x1xf32>
    %4 = chlo.square %arg0 : tensor<2x8xf32> -> tensor<2x8xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %5 = stablehlo.reduce(%4 init: %cst_1) applies stablehlo.add across dimensions = [1] : (tensor<2x8xf32>, tensor<f32>) -> tensor<2xf32>
    %6 = stablehlo.broadcast_in_dim %5, dims = [0] : (tensor<2xf32>) -> tensor<2x1xf32>
    %cst_2 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %7 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<2x1xf32>
    %8 = stablehlo.divide %6, %7 : tensor<2x1xf32>
    %9 = chlo.square %3 : tensor<2x1xf32> -> tensor<2x1xf32>
    %10 = stablehlo.subtract %8, %9 : tensor<2x1xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %11 = call @clip_1(%10, %c) : (tensor<2x1xf32>, tensor<i32>) -> tensor<2x1xf32>
    %12 = stablehlo.broadcast_in_dim %3, dims = [0, 1] : (tensor<2x1xf32>) -> tensor<2x8xf32>
    %13 = stablehlo.subtract %arg0, %12 : tensor<2x8xf32>
    %14 = stablehlo.convert %arg1 : tensor<f32>
    %15 = stablehlo.broadcast_in_dim %14, dims = [] : (tensor<f32>) -> tensor<2x1xf32>
    %16 = stablehlo.add %11, %15 : tensor<2x1xf32>
    %17 = stablehlo.rsqrt %16 : tensor<2x1xf32>
    %18 = stablehlo.broadcast_in_dim %17, dims = [0, 1] : (tensor<2x1xf32>) -> tensor<2x8xf32>
    %19 = stablehlo.multiply %13, %18 : tensor<2x8xf32>
    return %19 : tensor<2x8xf32>
  }
  func.func private @clip_1(%arg0: tensor<2x1xf32>, %arg1: tensor<i32>) -> tensor<2x1xf32> {
    %0 = stablehlo.convert %arg1 : (tensor<i32>) -> tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<2x1xf32>
    %2 = stablehlo.maximum %1, %arg0 : tensor<2x1xf32>
    return %2 : tensor<2x1xf32>
  }
}
