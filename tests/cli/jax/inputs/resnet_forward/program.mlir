module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3x3x4x4xf32>, %arg1: tensor<3x3x4x4xf32>, %arg2: tensor<4xf32>, %arg3: tensor<4xf32>, %arg4: tensor<4xf32>, %arg5: tensor<4xf32>, %arg6: tensor<3x3x4x6xf32>, %arg7: tensor<3x3x6x6xf32>, %arg8: tensor<6xf32>, %arg9: tensor<6xf32>, %arg10: tensor<6xf32>, %arg11: tensor<6xf32>, %arg12: tensor<1x1x4x6xf32>, %arg13: tensor<10xf32>, %arg14: tensor<6x10xf32>, %arg15: tensor<4xf32>, %arg16: tensor<4xf32>, %arg17: tensor<3x3x3x4xf32>, %arg18: tensor<4xf32>, %arg19: tensor<4xf32>, %arg20: tensor<4xf32>, %arg21: tensor<4xf32>, %arg22: tensor<6xf32>, %arg23: tensor<6xf32>, %arg24: tensor<6xf32>, %arg25: tensor<6xf32>, %arg26: tensor<4xf32>, %arg27: tensor<4xf32>, %arg28: tensor<2x8x8x3xf32>) -> (tensor<2x10xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.convolution(%arg28, %arg17) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x8x8x3xf32>, tensor<3x3x3x4xf32>) -> tensor<2x8x8x4xf32>
    %1 = stablehlo.broadcast_in_dim %arg26, dims = [3] : (tensor<4xf32>) -> tensor<1x1x1x4xf32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [0, 1, 2, 3] : (tensor<1x1x1x4xf32>) -> tensor<2x8x8x4xf32>
    %3 = stablehlo.subtract %0, %2 : tensor<2x8x8x4xf32>
    %cst = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %5 = stablehlo.add %arg27, %4 : tensor<4xf32>
    %6 = stablehlo.rsqrt %5 : tensor<4xf32>
    %7 = stablehlo.broadcast_in_dim %6, dims = [3] : (tensor<4xf32>) -> tensor<1x1x1x4xf32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [0, 1, 2, 3] : (tensor<1x1x1x4xf32>) -> tensor<2x8x8x4xf32>
    %9 = stablehlo.multiply %3, %8 : tensor<2x8x8x4xf32>
    %10 = stablehlo.broadcast_in_dim %arg15, dims = [3] : (tensor<4xf32>) -> tensor<1x1x1x4xf32>
    %11 = stablehlo.broadcast_in_dim %10, dims = [0, 1, 2, 3] : (tensor<1x1x1x4xf32>) -> tensor<2x8x8x4xf32>
    %12 = stablehlo.multiply %9, %11 : tensor<2x8x8x4xf32>
    %13 = stablehlo.broadcast_in_dim %arg16, dims = [3] : (tensor<4xf32>) -> tensor<1x1x1x4xf32>
    %14 = stablehlo.broadcast_in_dim %13, dims = [0, 1, 2, 3] : (tensor<1x1x1x4xf32>) -> tensor<2x8x8x4xf32>
    %15 = stablehlo.add %12, %14 : tensor<2x8x8x4xf32>
    %16 = call @relu(%15) : (tensor<2x8x8x4xf32>) -> tensor<2x8x8x4xf32>
    %cst_0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %17 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<f32>
    %18 = "stablehlo.reduce_window"(%16, %17) <{base_dilations = array<i64: 1, 1, 1, 1>, padding = dense<[[0, 0], [0, 1], [0, 1], [0, 0]]> : tensor<4x2xi64>, window_dilations = array<i64: 1, 1, 1, 1>, window_dimensions = array<i64: 1, 3, 3, 1>, window_strides = array<i64: 1, 2, 2, 1>}> ({
    ^bb0(%arg29: tensor<f32>, %arg30: tensor<f32>):
      %97 = stablehlo.maximum %arg29, %arg30 : tensor<f32>
      stablehlo.return %97 : tensor<f32>
    }) : (tensor<2x8x8x4xf32>, tensor<f32>) -> tensor<2x4x4x4xf32>
    %19 = stablehlo.convolution(%18, %arg0) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x4x4x4xf32>, tensor<3x3x4x4xf32>) -> tensor<2x4x4x4xf32>
    %20 = stablehlo.broadcast_in_dim %arg18, dims = [3] : (tensor<4xf32>) -> tensor<1x1x1x4xf32>
    %21 = stablehlo.broadcast_in_dim %20, dims = [0, 1, 2, 3] : (tensor<1x1x1x4xf32>) -> tensor<2x4x4x4xf32>
    %22 = stablehlo.subtract %19, %21 : tensor<2x4x4x4xf32>
    %cst_1 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %23 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %24 = stablehlo.add %arg19, %23 : tensor<4xf32>
    %25 = stablehlo.rsqrt %24 : tensor<4xf32>
    %26 = stablehlo.broadcast_in_dim %25, dims = [3] : (tensor<4xf32>) -> tensor<1x1x1x4xf32>
    %27 = stablehlo.broadcast_in_dim %26, dims = [0, 1, 2, 3] : (tensor<1x1x1x4xf32>) -> tensor<2x4x4x4xf32>
    %28 = stablehlo.multiply %22, %27 : tensor<2x4x4x4xf32>
    %29 = stablehlo.broadcast_in_dim %arg2, dims = [3] : (tensor<4xf32>) -> tensor<1x1x1x4xf32>
    %30 = stablehlo.broadcast_in_dim %29, dims = [0, 1, 2, 3] : (tensor<1x1x1x4xf32>) -> tensor<2x4x4x4xf32>
    %31 = stablehlo.multiply %28, %30 : tensor<2x4x4x4xf32>
    %32 = stablehlo.broadcast_in_dim %arg3, dims = [3] : (tensor<4xf32>) -> tensor<1x1x1x4xf32>
    %33 = stablehlo.broadcast_in_dim %32, dims = [0, 1, 2, 3] : (tensor<1x1x1x4xf32>) -> tensor<2x4x4x4xf32>
    %34 = stablehlo.add %31, %33 : tensor<2x4x4x4xf32>
    %35 = call @relu_0(%34) : (tensor<2x4x4x4xf32>) -> tensor<2x4x4x4xf32>
    %36 = stablehlo.convolution(%35, %arg1) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x4x4x4xf32>, tensor<3x3x4x4xf32>) -> tensor<2x4x4x4xf32>
    %37 = stablehlo.broadcast_in_dim %arg20, dims = [3] : (tensor<4xf32>) -> tensor<1x1x1x4xf32>
    %38 = stablehlo.broadcast_in_dim %37, dims = [0, 1, 2, 3] : (tensor<1x1x1x4xf32>) -> tensor<2x4x4x4xf32>
    %39 = stablehlo.subtract %36, %38 : tensor<2x4x4x4xf32>
    %cst_2 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %40 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %41 = stablehlo.add %arg21, %40 : tensor<4xf32>
    %42 = stablehlo.rsqrt %41 : tensor<4xf32>
    %43 = stablehlo.broadcast_in_dim %42, dims = [3] : (tensor<4xf32>) -> tensor<1x1x1x4xf32>
    %44 = stablehlo.broadcast_in_dim %43, dims = [0, 1, 2, 3] : (tensor<1x1x1x4xf32>) -> tensor<2x4x4x4xf32>
    %45 = stablehlo.multiply %39, %44 : tensor<2x4x4x4xf32>
    %46 = stablehlo.broadcast_in_dim %arg4, dims = [3] : (tensor<4xf32>) -> tensor<1x1x1x4xf32>
    %47 = stablehlo.broadcast_in_dim %46, dims = [0, 1, 2, 3] : (tensor<1x1x1x4xf32>) -> tensor<2x4x4x4xf32>
    %48 = stablehlo.multiply %45, %47 : tensor<2x4x4x4xf32>
    %49 = stablehlo.broadcast_in_dim %arg5, dims = [3] : (tensor<4xf32>) -> tensor<1x1x1x4xf32>
    %50 = stablehlo.broadcast_in_dim %49, dims = [0, 1, 2, 3] : (tensor<1x1x1x4xf32>) -> tensor<2x4x4x4xf32>
    %51 = stablehlo.add %48, %50 : tensor<2x4x4x4xf32>
    %52 = stablehlo.add %51, %18 : tensor<2x4x4x4xf32>
    %53 = call @relu_0(%52) : (tensor<2x4x4x4xf32>) -> tensor<2x4x4x4xf32>
    %54 = stablehlo.convolution(%53, %arg6) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 2], pad = [[0, 1], [0, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x4x4x4xf32>, tensor<3x3x4x6xf32>) -> tensor<2x2x2x6xf32>
    %55 = stablehlo.broadcast_in_dim %arg22, dims = [3] : (tensor<6xf32>) -> tensor<1x1x1x6xf32>
    %56 = stablehlo.broadcast_in_dim %55, dims = [0, 1, 2, 3] : (tensor<1x1x1x6xf32>) -> tensor<2x2x2x6xf32>
    %57 = stablehlo.subtract %54, %56 : tensor<2x2x2x6xf32>
    %cst_3 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %58 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %59 = stablehlo.add %arg23, %58 : tensor<6xf32>
    %60 = stablehlo.rsqrt %59 : tensor<6xf32>
    %61 = stablehlo.broadcast_in_dim %60, dims = [3] : (tensor<6xf32>) -> tensor<1x1x1x6xf32>
    %62 = stablehlo.broadcast_in_dim %61, dims = [0, 1, 2, 3] : (tensor<1x1x1x6xf32>) -> tensor<2x2x2x6xf32>
    %63 = stablehlo.multiply %57, %62 : tensor<2x2x2x6xf32>
    %64 = stablehlo.broadcast_in_dim %arg8, dims = [3] : (tensor<6xf32>) -> tensor<1x1x1x6xf32>
    %65 = stablehlo.broadcast_in_dim %64, dims = [0, 1, 2, 3] : (tensor<1x1x1x6xf32>) -> tensor<2x2x2x6xf32>
    %66 = stablehlo.multiply %63, %65 : tensor<2x2x2x6xf32>
    %67 = stablehlo.broadcast_in_dim %arg9, dims = [3] : (tensor<6xf32>) -> tensor<1x1x1x6xf32>
    %68 = stablehlo.broadcast_in_dim %67, dims = [0, 1, 2, 3] : (tensor<1x1x1x6xf32>) -> tensor<2x2x2x6xf32>
    %69 = stablehlo.add %66, %68 : tensor<2x2x2x6xf32>
    %70 = call @relu_1(%69) : (tensor<2x2x2x6xf32>) -> tensor<2x2x2x6xf32>
    %71 = stablehlo.convolution(%70, %arg7) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x2x2x6xf32>, tensor<3x3x6x6xf32>) -> tensor<2x2x2x6xf32>
    %72 = stablehlo.broadcast_in_dim %arg24, dims = [3] : (tensor<6xf32>) -> tensor<1x1x1x6xf32>
    %73 = stablehlo.broadcast_in_dim %72, dims = [0, 1, 2, 3] : (tensor<1x1x1x6xf32>) -> tensor<2x2x2x6xf32>
    %74 = stablehlo.subtract %71, %73 : tensor<2x2x2x6xf32>
    %cst_4 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %75 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %76 = stablehlo.add %arg25, %75 : tensor<6xf32>
    %77 = stablehlo.rsqrt %76 : tensor<6xf32>
    %78 = stablehlo.broadcast_in_dim %77, dims = [3] : (tensor<6xf32>) -> tensor<1x1x1x6xf32>
    %79 = stablehlo.broadcast_in_dim %78, dims = [0, 1, 2, 3] : (tensor<1x1x1x6xf32>) -> tensor<2x2x2x6xf32>
    %80 = stablehlo.multiply %74, %79 : tensor<2x2x2x6xf32>
    %81 = stablehlo.broadcast_in_dim %arg10, dims = [3] : (tensor<6xf32>) -> tensor<1x1x1x6xf32>
    %82 = stablehlo.broadcast_in_dim %81, dims = [0, 1, 2, 3] : (tensor<1x1x1x6xf32>) -> tensor<2x2x2x6xf32>
    %83 = stablehlo.multiply %80, %82 : tensor<2x2x2x6xf32>
    %84 = stablehlo.broadcast_in_dim %arg11, dims = [3] : (tensor<6xf32>) -> tensor<1x1x1x6xf32>
    %85 = stablehlo.broadcast_in_dim %84, dims = [0, 1, 2, 3] : (tensor<1x1x1x6xf32>) -> tensor<2x2x2x6xf32>
    %86 = stablehlo.add %83, %85 : tensor<2x2x2x6xf32>
    %87 = stablehlo.convolution(%53, %arg12) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 2], pad = [[0, 0], [0, 0]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x4x4x4xf32>, tensor<1x1x4x6xf32>) -> tensor<2x2x2x6xf32>
    %88 = stablehlo.add %86, %87 : tensor<2x2x2x6xf32>
    %89 = call @relu_1(%88) : (tensor<2x2x2x6xf32>) -> tensor<2x2x2x6xf32>
    %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %90 = stablehlo.reduce(%89 init: %cst_5) applies stablehlo.add across dimensions = [1, 2] : (tensor<2x2x2x6xf32>, tensor<f32>) -> tensor<2x6xf32>
    %cst_6 = stablehlo.constant dense<4.000000e+00> : tensor<f32>
    %91 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<2x6xf32>
    %92 = stablehlo.divide %90, %91 : tensor<2x6xf32>
    %93 = stablehlo.dot_general %92, %arg14, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x6xf32>, tensor<6x10xf32>) -> tensor<2x10xf32>
    %94 = stablehlo.broadcast_in_dim %arg13, dims = [1] : (tensor<10xf32>) -> tensor<1x10xf32>
    %95 = stablehlo.broadcast_in_dim %94, dims = [0, 1] : (tensor<1x10xf32>) -> tensor<2x10xf32>
    %96 = stablehlo.add %93, %95 : tensor<2x10xf32>
    return %96 : tensor<2x10xf32>
  }
  func.func private @relu(%arg0: tensor<2x8x8x4xf32>) -> tensor<2x8x8x4xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x8x8x4xf32>
    %1 = stablehlo.maximum %arg0, %0 : tensor<2x8x8x4xf32>
    return %1 : tensor<2x8x8x4xf32>
  }
  func.func private @relu_0(%arg0: tensor<2x4x4x4xf32>) -> tensor<2x4x4x4xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x4x4x4xf32>
    %1 = stablehlo.maximum %arg0, %0 : tensor<2x4x4x4xf32>
    return %1 : tensor<2x4x4x4xf32>
  }
  func.func private @relu_1(%arg0: tensor<2x2x2x6xf32>) -> tensor<2x2x2x6xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x2x2x6xf32>
    %1 = stablehlo.maximum %arg0, %0 : tensor<2x2x2x6xf32>
    return %1 : tensor<2x2x2x6xf32>
  }
}
