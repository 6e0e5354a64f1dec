module @jit_step attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3x3x4x4xf32> {tf.aliasing_output = 0 : i32}, %arg1: tensor<3x3x4x4xf32> {tf.aliasing_output = 1 : i32}, %arg2: tensor<4xf32> {tf.aliasing_output = 2 : i32}, %arg3: tensor<4xf32> {tf.aliasing_output = 3 : i32}, %arg4: tensor<4xf32> {tf.aliasing_output = 4 : i32}, %arg5: tensor<4xf32> {tf.aliasing_output = 5 : i32}, %arg6: tensor<3x3x4x6xf32> {tf.aliasing_output = 6 : i32}, %arg7: tensor<3x3x6x6xf32> {tf.aliasing_output = 7 : i32}, %arg8: tensor<6xf32> {tf.aliasing_output = 8 : i32}, %arg9: tensor<6xf32> {tf.aliasing_output = 9 : i32}, %arg10: tensor<6xf32> {tf.aliasing_output = 10 : i32}, %arg11: tensor<6xf32> {tf.aliasing_output = 11 : i32}, %arg12: tensor<1x1x4x6xf32> {tf.aliasing_output = 12 : i32}, %arg13: tensor<10xf32> {tf.aliasing_output = 13 : i32}, %arg14: tensor<6x10xf32> {tf.aliasing_output = 14 : i32}, %arg15: tensor<4xf32> {tf.aliasing_output = 15 : i32}, %arg16: tensor<4xf32> {tf.aliasing_output = 16 : i32}, %arg17: tensor<3x3x3x4xf32> {tf.aliasing_output = 17 : i32}, %arg18: tensor<4xf32> {tf.aliasing_output = 18 : i32}, %arg19: tensor<4xf32> {tf.aliasing_output = 19 : i32}, %arg20: tensor<4xf32> {tf.aliasing_output = 20 : i32}, %arg21: tensor<4xf32> {tf.aliasing_output = 21 : i32}, %arg22: tensor<6xf32> {tf.aliasing_output = 22 : i32}, %arg23: tensor<6xf32> {tf.aliasing_output = 23 : i32}, %arg24: tensor<6xf32> {tf.aliasing_output = 24 : i32}, %arg25: tensor<6xf32> {tf.aliasing_output = 25 : i32}, %arg26: tensor<4xf32> {tf.aliasing_output = 26 : i32}, %arg27: tensor<4xf32> {tf.aliasing_output = 27 : i32}, %arg28: tensor<2x8x8x3xf32>, %arg29: tensor<2xi32>) -> (tensor<3x3x4x4xf32> {jax.result_info = "result[0]['blocks'][0]['conv1']"}, tensor<3x3x4x4xf32> {jax.result_info = "result[0]['blocks'][0]['conv2']"}, tensor<4xf32> {jax.result_info = "result[0]['blocks'][0]['norm1']['scale']"}, tensor<4xf32> {jax.result_info = "result[0]['blocks'][0]['norm1']['shift']"}, tensor<4xf32> {jax.result_info = "result[0]['blocks'][0]['norm2']['scale']"}, tensor<4xf32> {jax.result_info = "result[0]['blocks'][0]['norm2']['shift']"}, tensor<3x3x4x6xf32> {jax.result_info = "result[0]['blocks'][1]['conv1']"}, tensor<3x3x6x6xf32> {jax.result_info = "result[0]['blocks'][1]['conv2']"}, tensor<6xf32> {jax.result_info = "result[0]['blocks'][1]['norm1']['scale']"}, tensor<6xf32> {jax.result_info = "result[0]['blocks'][1]['norm1']['shift']"}, tensor<6xf32> {jax.result_info = "result[0]['blocks'][1]['norm2']['scale']"}, tensor<6xf32> {jax.result_info = "result[0]['blocks'][1]['norm2']['shift']"}, tensor<1x1x4x6xf32> {jax.result_info = "result[0]['blocks'][1]['shortcut']"}, tensor<10xf32> {jax.result_info = "result[0]['head']['bias']"}, tensor<6x10xf32> {jax.result_info = "result[0]['head']['weight']"}, tensor<4xf32> {jax.result_info = "result[0]['norm']['scale']"}, tensor<4xf32> {jax.result_info = "result[0]['norm']['shift']"}, tensor<3x3x3x4xf32> {jax.result_info = "result[0]['stem']"}, tensor<4xf32> {jax.result_info = "result[1]['blocks'][0]['norm1']['mean']"}, tensor<4xf32> {jax.result_info = "result[1]['blocks'][0]['norm1']['variance']"}, tensor<4xf32> {jax.result_info = "result[1]['blocks'][0]['norm2']['mean']"}, tensor<4xf32> {jax.result_info = "result[1]['blocks'][0]['norm2']['variance']"}, tensor<6xf32> {jax.result_info = "result[1]['blocks'][1]['norm1']['mean']"}, tensor<6xf32> {jax.result_info = "result[1]['blocks'][1]['norm1']['variance']"}, tensor<6xf32> {jax.result_info = "result[1]['blocks'][1]['norm2']['mean']"}, tensor<6xf32> {jax.result_info = "result[1]['blocks'][1]['norm2']['variance']"}, tensor<4xf32> {jax.result_info = "result[1]['norm']['mean']"}, tensor<4xf32> {jax.result_info = "result[1]['norm']['variance']"}, tensor<f32> {jax.result_info = "result[2]"}) {
    %0 = stablehlo.convolution(%arg28, %arg17) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x8x8x3xf32>, tensor<3x3x3x4xf32>) -> tensor<2x8x8x4xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<2x8x8x4xf32>, tensor<f32>) -> tensor<4xf32>
    %cst_0 = stablehlo.constant dense<1.280000e+02> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %3 = stablehlo.divide %1, %2 : tensor<4xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %4:5 = call @_var(%0, %c) : (tensor<2x8x8x4xf32>, tensor<i32>) -> (tensor<4xf32>, tensor<2x8x8x4xf32>, tensor<f32>, tensor<i1>, tensor<4xf32>)
    %cst_1 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %6 = stablehlo.multiply %5, %arg26 : tensor<4xf32>
    %cst_2 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %7 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %8 = stablehlo.multiply %7, %3 : tensor<4xf32>
    %9 = stablehlo.add %6, %8 : tensor<4xf32>
    %cst_3 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %10 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %11 = stablehlo.multiply %10, %arg27 : tensor<4xf32>
    %cst_4 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %12 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %13 = stablehlo.multiply %12, %4#0 : tensor<4xf32>
    %14 = stablehlo.add %11, %13 : tensor<4xf32>
    %15 = stablehlo.broadcast_in_dim %3, dims = [3] : (tensor<4xf32>) -> tensor<1x1x1x4xf32>
    %16 = stablehlo.broadcast_in_dim %15, dims = [0, 1, 2, 3] : (tensor<1x1x1x4xf32>) -> tensor<2x8x8x4xf32>
    %17 = stablehlo.subtract %0, %16 : tensor<2x8x8x4xf32>
    %cst_5 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %18 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %19 = stablehlo.add %4#0, %18 : tensor<4xf32>
    %20 = stablehlo.rsqrt %19 : tensor<4xf32>
    %21 = stablehlo.divide %20, %19 : tensor<4xf32>
    %cst_6 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %22 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %23 = stablehlo.multiply %22, %21 : tensor<4xf32>
    %24 = stablehlo.broadcast_in_dim %20, dims = [3] : (tensor<4xf32>) -> tensor<1x1x1x4xf32>
    %25 = stablehlo.broadcast_in_dim %24, dims = [0, 1, 2, 3] : (tensor<1x1x1x4xf32>) -> tensor<2x8x8x4xf32>
    %26 = stablehlo.multiply %17, %25 : tensor<2x8x8x4xf32>
    %27 = stablehlo.broadcast_in_dim %arg15, dims = [3] : (tensor<4xf32>) -> tensor<1x1x1x4xf32>
    %28 = stablehlo.broadcast_in_dim %27, dims = [0, 1, 2, 3] : (tensor<1x1x1x4xf32>) -> tensor<2x8x8x4xf32>
    %29 = stablehlo.multiply %26, %28 : tensor<2x8x8x4xf32>
    %30 = stablehlo.broadcast_in_dim %arg16, dims = [3] : (tensor<4xf32>) -> tensor<1x1x1x4xf32>
    %31 = stablehlo.broadcast_in_dim %30, dims = [0, 1, 2, 3] : (tensor<1x1x1x4xf32>) -> tensor<2x8x8x4xf32>
    %32 = stablehlo.add %29, %31 : tensor<2x8x8x4xf32>
    %33 = call @relu(%32) : (tensor<2x8x8x4xf32>) -> tensor<2x8x8x4xf32>
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %34 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<2x8x8x4xf32>
    %35 = stablehlo.compare GT, %32, %34, FLOAT : (tensor<2x8x8x4xf32>, tensor<2x8x8x4xf32>) -> tensor<2x8x8x4xi1>
    %cst_8 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %36 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<2x8x8x4xf32>
    %cst_9 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %37 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<f32>
    %38 = "stablehlo.reduce_window"(%33, %37) <{base_dilations = array<i64: 1, 1, 1, 1>, padding = dense<[[0, 0], [0, 1], [0, 1], [0, 0]]> : tensor<4x2xi64>, window_dilations = array<i64: 1, 1, 1, 1>, window_dimensions = array<i64: 1, 3, 3, 1>, window_strides = array<i64: 1, 2, 2, 1>}> ({
    ^bb0(%arg30: tensor<f32>, %arg31: tensor<f32>):
      %474 = stablehlo.maximum %arg30, %arg31 : tensor<f32>
      stablehlo.return %474 : tensor<f32>
    }) : (tensor<2x8x8x4xf32>, tensor<f32>) -> tensor<2x4x4x4xf32>
    %39 = stablehlo.convolution(%38, %arg0) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x4x4x4xf32>, tensor<3x3x4x4xf32>) -> tensor<2x4x4x4xf32>
    %cst_10 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %40 = stablehlo.reduce(%39 init: %cst_10) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<2x4x4x4xf32>, tensor<f32>) -> tensor<4xf32>
    %cst_11 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %41 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %42 = stablehlo.divide %40, %41 : tensor<4xf32>
    %c_12 = stablehlo.constant dense<0> : tensor<i32>
    %43:5 = call @_var_0(%39, %c_12) : (tensor<2x4x4x4xf32>, tensor<i32>) -> (tensor<4xf32>, tensor<2x4x4x4xf32>, tensor<f32>, tensor<i1>, tensor<4xf32>)
    %cst_13 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %44 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %45 = stablehlo.multiply %44, %arg18 : tensor<4xf32>
    %cst_14 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %46 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %47 = stablehlo.multiply %46, %42 : tensor<4xf32>
    %48 = stablehlo.add %45, %47 : tensor<4xf32>
    %cst_15 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %49 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %50 = stablehlo.multiply %49, %arg19 : tensor<4xf32>
    %cst_16 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %51 = stablehlo.broadcast_in_dim %cst_16, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %52 = stablehlo.multiply %51, %43#0 : tensor<4xf32>
    %53 = stablehlo.add %50, %52 : tensor<4xf32>
    %54 = stablehlo.broadcast_in_dim %42, dims = [3] : (tensor<4xf32>) -> tensor<1x1x1x4xf32>
    %55 = stablehlo.broadcast_in_dim %54, dims = [0, 1, 2, 3] : (tensor<1x1x1x4xf32>) -> tensor<2x4x4x4xf32>
    %56 = stablehlo.subtract %39, %55 : tensor<2x4x4x4xf32>
    %cst_17 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %57 = stablehlo.broadcast_in_dim %cst_17, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %58 = stablehlo.add %43#0, %57 : tensor<4xf32>
    %59 = stablehlo.rsqrt %58 : tensor<4xf32>
    %60 = stablehlo.divide %59, %58 : tensor<4xf32>
    %cst_18 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %61 = stablehlo.broadcast_in_dim %cst_18, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %62 = stablehlo.multiply %61, %60 : tensor<4xf32>
    %63 = stablehlo.broadcast_in_dim %59, dims = [3] : (tensor<4xf32>) -> tensor<1x1x1x4xf32>
    %64 = stablehlo.broadcast_in_dim %63, dims = [0, 1, 2, 3] : (tensor<1x1x1x4xf32>) -> tensor<2x4x4x4xf32>
    %65 = stablehlo.multiply %56, %64 : tensor<2x4x4x4xf32>
    %66 = stablehlo.broadcast_in_dim %arg2, dims = [3] : (tensor<4xf32>) -> tensor<1x1x1x4xf32>
    %67 = stablehlo.broadcast_in_dim %66, dims = [0, 1, 2, 3] : (tensor<1x1x1x4xf32>) -> tensor<2x4x4x4xf32>
    %68 = stablehlo.multiply %65, %67 : tensor<2x4x4x4xf32>
    %69 = stablehlo.broadcast_in_dim %arg3, dims = [3] : (tensor<4xf32>) -> tensor<1x1x1x4xf32>
    %70 = stablehlo.broadcast_in_dim %69, dims = [0, 1, 2, 3] : (tensor<1x1x1x4xf32>) -> tensor<2x4x4x4xf32>
    %71 = stablehlo.add %68, %70 : tensor<2x4x4x4xf32>
    %72 = call @relu_1(%71) : (tensor<2x4x4x4xf32>) -> tensor<2x4x4x4xf32>
    %cst_19 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %73 = stablehlo.broadcast_in_dim %cst_19, dims = [] : (tensor<f32>) -> tensor<2x4x4x4xf32>
    %74 = stablehlo.compare GT, %71, %73, FLOAT : (tensor<2x4x4x4xf32>, tensor<2x4x4x4xf32>) -> tensor<2x4x4x4xi1>
    %cst_20 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %75 = stablehlo.broadcast_in_dim %cst_20, dims = [] : (tensor<f32>) -> tensor<2x4x4x4xf32>
    %76 = stablehlo.convolution(%72, %arg1) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x4x4x4xf32>, tensor<3x3x4x4xf32>) -> tensor<2x4x4x4xf32>
    %cst_21 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %77 = stablehlo.reduce(%76 init: %cst_21) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<2x4x4x4xf32>, tensor<f32>) -> tensor<4xf32>
    %cst_22 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %78 = stablehlo.broadcast_in_dim %cst_22, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %79 = stablehlo.divide %77, %78 : tensor<4xf32>
    %c_23 = stablehlo.constant dense<0> : tensor<i32>
    %80:5 = call @_var_0(%76, %c_23) : (tensor<2x4x4x4xf32>, tensor<i32>) -> (tensor<4xf32>, tensor<2x4x4x4xf32>, tensor<f32>, tensor<i1>, tensor<4xf32>)
    %cst_24 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %81 = stablehlo.broadcast_in_dim %cst_24, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %82 = stablehlo.multiply %81, %arg20 : tensor<4xf32>
    %cst_25 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %83 = stablehlo.broadcast_in_dim %cst_25, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %84 = stablehlo.multiply %83, %79 : tensor<4xf32>
    %85 = stablehlo.add %82, %84 : tensor<4xf32>
    %cst_26 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %86 = stablehlo.broadcast_in_dim %cst_26, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %87 = stablehlo.multiply %86, %arg21 : tensor<4xf32>
    %cst_27 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %88 = stablehlo.broadcast_in_dim %cst_27, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %89 = stablehlo.multiply %88, %80#0 : tensor<4xf32>
    %90 = stablehlo.add %87, %89 : tensor<4xf32>
    %91 = stablehlo.broadcast_in_dim %79, dims = [3] : (tensor<4xf32>) -> tensor<1x1x1x4xf32>
    %92 = stablehlo.broadcast_in_dim %91, dims = [0, 1, 2, 3] : (tensor<1x1x1x4xf32>) -> tensor<2x4x4x4xf32>
    %93 = stablehlo.subtract %76, %92 : tensor<2x4x4x4xf32>
    %cst_28 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %94 = stablehlo.broadcast_in_dim %cst_28, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %95 = stablehlo.add %80#0, %94 : tensor<4xf32>
    %96 = stablehlo.rsqrt %95 : tensor<4xf32>
    %97 = stablehlo.divide %96, %95 : tensor<4xf32>
    %cst_29 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %98 = stablehlo.broadcast_in_dim %cst_29, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %99 = stablehlo.multiply %98, %97 : tensor<4xf32>
    %100 = stablehlo.broadcast_in_dim %96, dims = [3] : (tensor<4xf32>) -> tensor<1x1x1x4xf32>
    %101 = stablehlo.broadcast_in_dim %100, dims = [0, 1, 2, 3] : (tensor<1x1x1x4xf32>) -> tensor<2x4x4x4xf32>
    %102 = stablehlo.multiply %93, %101 : tensor<2x4x4x4xf32>
    %103 = stablehlo.broadcast_in_dim %arg4, dims = [3] : (tensor<4xf32>) -> tensor<1x1x1x4xf32>
    %104 = stablehlo.broadcast_in_dim %103, dims = [0, 1, 2, 3] : (tensor<1x1x1x4xf32>) -> tensor<2x4x4x4xf32>
    %105 = stablehlo.multiply %102, %104 : tensor<2x4x4x4xf32>
    %106 = stablehlo.broadcast_in_dim %arg5, dims = [3] : (tensor<4xf32>) -> tensor<1x1x1x4xf32>
    %107 = stablehlo.broadcast_in_dim %106, dims = [0, 1, 2, 3] : (tensor<1x1x1x4xf32>) -> tensor<2x4x4x4xf32>
    %108 = stablehlo.add %105, %107 : tensor<2x4x4x4xf32>
    %109 = stablehlo.add %108, %38 : tensor<2x4x4x4xf32>
    %110 = call @relu_1(%109) : (tensor<2x4x4x4xf32>) -> tensor<2x4x4x4xf32>
    %cst_30 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %111 = stablehlo.broadcast_in_dim %cst_30, dims = [] : (tensor<f32>) -> tensor<2x4x4x4xf32>
    %112 = stablehlo.compare GT, %109, %111, FLOAT : (tensor<2x4x4x4xf32>, tensor<2x4x4x4xf32>) -> tensor<2x4x4x4xi1>
    %cst_31 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %113 = stablehlo.broadcast_in_dim %cst_31, dims = [] : (tensor<f32>) -> tensor<2x4x4x4xf32>
    %114 = stablehlo.convolution(%110, %arg6) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 2], pad = [[0, 1], [0, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x4x4x4xf32>, tensor<3x3x4x6xf32>) -> tensor<2x2x2x6xf32>
    %cst_32 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %115 = stablehlo.reduce(%114 init: %cst_32) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<2x2x2x6xf32>, tensor<f32>) -> tensor<6xf32>
    %cst_33 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %116 = stablehlo.broadcast_in_dim %cst_33, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %117 = stablehlo.divide %115, %116 : tensor<6xf32>
    %c_34 = stablehlo.constant dense<0> : tensor<i32>
    %118:5 = call @_var_2(%114, %c_34) : (tensor<2x2x2x6xf32>, tensor<i32>) -> (tensor<6xf32>, tensor<2x2x2x6xf32>, tensor<f32>, tensor<i1>, tensor<6xf32>)
    %cst_35 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %119 = stablehlo.broadcast_in_dim %cst_35, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %120 = stablehlo.multiply %119, %arg22 : tensor<6xf32>
    %cst_36 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %121 = stablehlo.broadcast_in_dim %cst_36, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %122 = stablehlo.multiply %121, %117 : tensor<6xf32>
    %123 = stablehlo.add %120, %122 : tensor<6xf32>
    %cst_37 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %124 = stablehlo.broadcast_in_dim %cst_37, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %125 = stablehlo.multiply %124, %arg23 : tensor<6xf32>
    %cst_38 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %126 = stablehlo.broadcast_in_dim %cst_38, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %127 = stablehlo.multiply %126, %118#0 : tensor<6xf32>
    %128 = stablehlo.add %125, %127 : tensor<6xf32>
    %129 = stablehlo.broadcast_in_dim %117, dims = [3] : (tensor<6xf32>) -> tensor<1x1x1x6xf32>
    %130 = stablehlo.broadcast_in_dim %129, dims = [0, 1, 2, 3] : (tensor<1x1x1x6xf32>) -> tensor<2x2x2x6xf32>
    %131 = stablehlo.subtract %114, %130 : tensor<2x2x2x6xf32>
    %cst_39 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %132 = stablehlo.broadcast_in_dim %cst_39, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %133 = stablehlo.add %118#0, %132 : tensor<6xf32>
    %134 = stablehlo.rsqrt %133 : tensor<6xf32>
    %135 = stablehlo.divide %134, %133 : tensor<6xf32>
    %cst_40 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %136 = stablehlo.broadcast_in_dim %cst_40, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %137 = stablehlo.multiply %136, %135 : tensor<6xf32>
    %138 = stablehlo.broadcast_in_dim %134, dims = [3] : (tensor<6xf32>) -> tensor<1x1x1x6xf32>
    %139 = stablehlo.broadcast_in_dim %138, dims = [0, 1, 2, 3] : (tensor<1x1x1x6xf32>) -> tensor<2x2x2x6xf32>
    %140 = stablehlo.multiply %131, %139 : tensor<2x2x2x6xf32>
    %141 = stablehlo.broadcast_in_dim %arg8, dims = [3] : (tensor<6xf32>) -> tensor<1x1x1x6xf32>
    %142 = stablehlo.broadcast_in_dim %141, dims = [0, 1, 2, 3] : (tensor<1x1x1x6xf32>) -> tensor<2x2x2x6xf32>
    %143 = stablehlo.multiply %140, %142 : tensor<2x2x2x6xf32>
    %144 = stablehlo.broadcast_in_dim %arg9, dims = [3] : (tensor<6xf32>) -> tensor<1x1x1x6xf32>
    %145 = stablehlo.broadcast_in_dim %144, dims = [0, 1, 2, 3] : (tensor<1x1x1x6xf32>) -> tensor<2x2x2x6xf32>
    %146 = stablehlo.add %143, %145 : tensor<2x2x2x6xf32>
    %147 = call @relu_4(%146) : (tensor<2x2x2x6xf32>) -> tensor<2x2x2x6xf32>
    %cst_41 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %148 = stablehlo.broadcast_in_dim %cst_41, dims = [] : (tensor<f32>) -> tensor<2x2x2x6xf32>
    %149 = stablehlo.compare GT, %146, %148, FLOAT : (tensor<2x2x2x6xf32>, tensor<2x2x2x6xf32>) -> tensor<2x2x2x6xi1>
    %cst_42 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %150 = stablehlo.broadcast_in_dim %cst_42, dims = [] : (tensor<f32>) -> tensor<2x2x2x6xf32>
    %151 = stablehlo.convolution(%147, %arg7) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x2x2x6xf32>, tensor<3x3x6x6xf32>) -> tensor<2x2x2x6xf32>
    %cst_43 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %152 = stablehlo.reduce(%151 init: %cst_43) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<2x2x2x6xf32>, tensor<f32>) -> tensor<6xf32>
    %cst_44 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %153 = stablehlo.broadcast_in_dim %cst_44, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %154 = stablehlo.divide %152, %153 : tensor<6xf32>
    %c_45 = stablehlo.constant dense<0> : tensor<i32>
    %155:5 = call @_var_2(%151, %c_45) : (tensor<2x2x2x6xf32>, tensor<i32>) -> (tensor<6xf32>, tensor<2x2x2x6xf32>, tensor<f32>, tensor<i1>, tensor<6xf32>)
    %cst_46 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %156 = stablehlo.broadcast_in_dim %cst_46, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %157 = stablehlo.multiply %156, %arg24 : tensor<6xf32>
    %cst_47 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %158 = stablehlo.broadcast_in_dim %cst_47, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %159 = stablehlo.multiply %158, %154 : tensor<6xf32>
    %160 = stablehlo.add %157, %159 : tensor<6xf32>
    %cst_48 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %161 = stablehlo.broadcast_in_dim %cst_48, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %162 = stablehlo.multiply %161, %arg25 : tensor<6xf32>
    %cst_49 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %163 = stablehlo.broadcast_in_dim %cst_49, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %164 = stablehlo.multiply %163, %155#0 : tensor<6xf32>
    %165 = stablehlo.add %162, %164 : tensor<6xf32>
    %166 = stablehlo.broadcast_in_dim %154, dims = [3] : (tensor<6xf32>) -> tensor<1x1x1x6xf32>
    %167 = stablehlo.broadcast_in_dim %166, dims = [0, 1, 2, 3] : (tensor<1x1x1x6xf32>) -> tensor<2x2x2x6xf32>
    %168 = stablehlo.subtract %151, %167 : tensor<2x2x2x6xf32>
    %cst_50 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %169 = stablehlo.broadcast_in_dim %cst_50, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %170 = stablehlo.add %155#0, %169 : tensor<6xf32>
    %171 = stablehlo.rsqrt %170 : tensor<6xf32>
    %172 = stablehlo.divide %171, %170 : tensor<6xf32>
    %cst_51 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %173 = stablehlo.broadcast_in_dim %cst_51, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %174 = stablehlo.multiply %173, %172 : tensor<6xf32>
    %175 = stablehlo.broadcast_in_dim %171, dims = [3] : (tensor<6xf32>) -> tensor<1x1x1x6xf32>
    %176 = stablehlo.broadcast_in_dim %175, dims = [0, 1, 2, 3] : (tensor<1x1x1x6xf32>) -> tensor<2x2x2x6xf32>
    %177 = stablehlo.multiply %168, %176 : tensor<2x2x2x6xf32>
    %178 = stablehlo.broadcast_in_dim %arg10, dims = [3] : (tensor<6xf32>) -> tensor<1x1x1x6xf32>
    %179 = stablehlo.broadcast_in_dim %178, dims = [0, 1, 2, 3] : (tensor<1x1x1x6xf32>) -> tensor<2x2x2x6xf32>
    %180 = stablehlo.multiply %177, %179 : tensor<2x2x2x6xf32>
    %181 = stablehlo.broadcast_in_dim %arg11, dims = [3] : (tensor<6xf32>) -> tensor<1x1x1x6xf32>
    %182 = stablehlo.broadcast_in_dim %181, dims = [0, 1, 2, 3] : (tensor<1x1x1x6xf32>) -> tensor<2x2x2x6xf32>
    %183 = stablehlo.add %180, %182 : tensor<2x2x2x6xf32>
    %184 = stablehlo.convolution(%110, %arg12) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 2], pad = [[0, 0], [0, 0]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x4x4x4xf32>, tensor<1x1x4x6xf32>) -> tensor<2x2x2x6xf32>
    %185 = stablehlo.add %183, %184 : tensor<2x2x2x6xf32>
    %186 = call @relu_4(%185) : (tensor<2x2x2x6xf32>) -> tensor<2x2x2x6xf32>
    %cst_52 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %187 = stablehlo.broadcast_in_dim %cst_52, dims = [] : (tensor<f32>) -> tensor<2x2x2x6xf32>
    %188 = stablehlo.compare GT, %185, %187, FLOAT : (tensor<2x2x2x6xf32>, tensor<2x2x2x6xf32>) -> tensor<2x2x2x6xi1>
    %cst_53 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %189 = stablehlo.broadcast_in_dim %cst_53, dims = [] : (tensor<f32>) -> tensor<2x2x2x6xf32>
    %cst_54 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %190 = stablehlo.reduce(%186 init: %cst_54) applies stablehlo.add across dimensions = [1, 2] : (tensor<2x2x2x6xf32>, tensor<f32>) -> tensor<2x6xf32>
    %cst_55 = stablehlo.constant dense<4.000000e+00> : tensor<f32>
    %191 = stablehlo.broadcast_in_dim %cst_55, dims = [] : (tensor<f32>) -> tensor<2x6xf32>
    %192 = stablehlo.divide %190, %191 : tensor<2x6xf32>
    %193 = stablehlo.dot_general %192, %arg14, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x6xf32>, tensor<6x10xf32>) -> tensor<2x10xf32>
    %194 = stablehlo.broadcast_in_dim %arg13, dims = [1] : (tensor<10xf32>) -> tensor<1x10xf32>
    %195 = stablehlo.broadcast_in_dim %194, dims = [0, 1] : (tensor<1x10xf32>) -> tensor<2x10xf32>
    %196 = stablehlo.add %193, %195 : tensor<2x10xf32>
    %197 = stablehlo.broadcast_in_dim %arg29, dims = [0] : (tensor<2xi32>) -> tensor<2x1xi32>
    %198:2 = call @take_along_axis(%196, %197) : (tensor<2x10xf32>, tensor<2x1xi32>) -> (tensor<2x1xf32>, tensor<2x1x1xi32>)
    %c_56 = stablehlo.constant dense<0> : tensor<i32>
    %199:2 = call @_take(%198#0, %c_56) : (tensor<2x1xf32>, tensor<i32>) -> (tensor<2xf32>, tensor<1xi32>)
    %cst_57 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %200 = stablehlo.reduce(%196 init: %cst_57) applies stablehlo.maximum across dimensions = [1] : (tensor<2x10xf32>, tensor<f32>) -> tensor<2xf32>
    %201 = stablehlo.reshape %200 : (tensor<2xf32>) -> tensor<2x1xf32>
    %202 = stablehlo.broadcast_in_dim %201, dims = [0, 1] : (tensor<2x1xf32>) -> tensor<2x10xf32>
    %203 = stablehlo.compare EQ, %196, %202, FLOAT : (tensor<2x10xf32>, tensor<2x10xf32>) -> tensor<2x10xi1>
    %204 = stablehlo.convert %203 : (tensor<2x10xi1>) -> tensor<2x10xf32>
    %cst_58 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %205 = stablehlo.reduce(%204 init: %cst_58) applies stablehlo.add across dimensions = [1] : (tensor<2x10xf32>, tensor<f32>) -> tensor<2xf32>
    %cst_59 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %206 = stablehlo.broadcast_in_dim %cst_59, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %207 = stablehlo.maximum %206, %200 : tensor<2xf32>
    %208 = stablehlo.compare EQ, %200, %207, FLOAT : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
    %cst_60 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %209 = stablehlo.broadcast_in_dim %cst_60, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %cst_61 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %210 = stablehlo.broadcast_in_dim %cst_61, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %211 = stablehlo.select %208, %209, %210 : tensor<2xi1>, tensor<2xf32>
    %cst_62 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %212 = stablehlo.broadcast_in_dim %cst_62, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %213 = stablehlo.compare EQ, %212, %207, FLOAT : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
    %cst_63 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %214 = stablehlo.broadcast_in_dim %cst_63, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %cst_64 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %215 = stablehlo.broadcast_in_dim %cst_64, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %216 = stablehlo.select %213, %214, %215 : tensor<2xi1>, tensor<2xf32>
    %217 = stablehlo.divide %211, %216 : tensor<2xf32>
    %218 = stablehlo.is_finite %207 : (tensor<2xf32>) -> tensor<2xi1>
    %cst_65 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %219 = stablehlo.broadcast_in_dim %cst_65, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %220 = stablehlo.select %218, %207, %219 : tensor<2xi1>, tensor<2xf32>
    %cst_66 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %221 = stablehlo.broadcast_in_dim %cst_66, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %222 = stablehlo.broadcast_in_dim %220, dims = [0] : (tensor<2xf32>) -> tensor<2x1xf32>
    %223 = stablehlo.broadcast_in_dim %222, dims = [0, 1] : (tensor<2x1xf32>) -> tensor<2x10xf32>
    %224 = stablehlo.subtract %196, %223 : tensor<2x10xf32>
    %225 = stablehlo.exponential %224 : tensor<2x10xf32>
    %cst_67 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %226 = stablehlo.reduce(%225 init: %cst_67) applies stablehlo.add across dimensions = [1] : (tensor<2x10xf32>, tensor<f32>) -> tensor<2xf32>
    %227 = stablehlo.sign %226 : tensor<2xf32>
    %228 = stablehlo.abs %226 : tensor<2xf32>
    %cst_68 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %229 = stablehlo.broadcast_in_dim %cst_68, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %230 = stablehlo.compare GE, %226, %229, FLOAT : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
    %231 = stablehlo.log %228 : tensor<2xf32>
    %232 = stablehlo.add %231, %220 : tensor<2xf32>
    %233 = stablehlo.subtract %232, %199#0 : tensor<2xf32>
    %cst_69 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %234 = stablehlo.reduce(%233 init: %cst_69) applies stablehlo.add across dimensions = [0] : (tensor<2xf32>, tensor<f32>) -> tensor<f32>
    %cst_70 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %235 = stablehlo.divide %234, %cst_70 : tensor<f32>
    %cst_71 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %cst_72 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %236 = stablehlo.divide %cst_71, %cst_72 : tensor<f32>
    %237 = stablehlo.broadcast_in_dim %236, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %238 = stablehlo.negate %237 : tensor<2xf32>
    %239 = stablehlo.divide %237, %228 : tensor<2xf32>
    %cst_73 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %240 = stablehlo.broadcast_in_dim %cst_73, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %241 = stablehlo.select %230, %240, %239 : tensor<2xi1>, tensor<2xf32>
    %242 = stablehlo.select %230, %239, %240 : tensor<2xi1>, tensor<2xf32>
    %243 = stablehlo.negate %241 : tensor<2xf32>
    %244 = stablehlo.add %242, %243 : tensor<2xf32>
    %245 = stablehlo.broadcast_in_dim %244, dims = [0] : (tensor<2xf32>) -> tensor<2x10xf32>
    %246 = stablehlo.multiply %245, %225 : tensor<2x10xf32>
    %247 = call @_take_6(%199#1, %238) : (tensor<1xi32>, tensor<2xf32>) -> tensor<2x1xf32>
    %248 = call @take_along_axis_7(%198#1, %247) : (tensor<2x1x1xi32>, tensor<2x1xf32>) -> tensor<2x10xf32>
    %249 = stablehlo.add %246, %248 : tensor<2x10xf32>
    %cst_74 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %250 = stablehlo.reduce(%249 init: %cst_74) applies stablehlo.add across dimensions = [0] : (tensor<2x10xf32>, tensor<f32>) -> tensor<10xf32>
    %251 = stablehlo.reshape %250 : (tensor<10xf32>) -> tensor<1x10xf32>
    %cst_75 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %252 = stablehlo.reduce(%251 init: %cst_75) applies stablehlo.add across dimensions = [0] : (tensor<1x10xf32>, tensor<f32>) -> tensor<10xf32>
    %253 = stablehlo.dot_general %249, %192, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x10xf32>, tensor<2x6xf32>) -> tensor<10x6xf32>
    %254 = stablehlo.transpose %253, dims = [1, 0] : (tensor<10x6xf32>) -> tensor<6x10xf32>
    %255 = stablehlo.dot_general %249, %arg14, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x10xf32>, tensor<6x10xf32>) -> tensor<2x6xf32>
    %cst_76 = stablehlo.constant dense<4.000000e+00> : tensor<f32>
    %256 = stablehlo.broadcast_in_dim %cst_76, dims = [] : (tensor<f32>) -> tensor<2x6xf32>
    %257 = stablehlo.divide %255, %256 : tensor<2x6xf32>
    %258 = stablehlo.broadcast_in_dim %257, dims = [0, 3] : (tensor<2x6xf32>) -> tensor<2x2x2x6xf32>
    %cst_77 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %259 = stablehlo.broadcast_in_dim %cst_77, dims = [] : (tensor<f32>) -> tensor<2x2x2x6xf32>
    %260 = stablehlo.select %188, %258, %259 : tensor<2x2x2x6xi1>, tensor<2x2x2x6xf32>
    %261 = stablehlo.convolution(%110, %260) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f], window = {stride = [1, 1], pad = [[0, -1], [0, -1]], lhs_dilate = [1, 1], rhs_dilate = [2, 2], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x4x4x4xf32>, tensor<2x2x2x6xf32>) -> tensor<1x1x4x6xf32>
    %262 = stablehlo.reverse %arg12, dims = [0, 1] : tensor<1x1x4x6xf32>
    %263 = stablehlo.convolution(%260, %262) dim_numbers = [b, 0, 1, f]x[0, 1, o, i]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[0, 1], [0, 1]], lhs_dilate = [2, 2], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x2x2x6xf32>, tensor<1x1x4x6xf32>) -> tensor<2x4x4x4xf32>
    %cst_78 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %264 = stablehlo.reduce(%260 init: %cst_78) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<2x2x2x6xf32>, tensor<f32>) -> tensor<6xf32>
    %265 = stablehlo.reshape %264 : (tensor<6xf32>) -> tensor<1x1x1x6xf32>
    %cst_79 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %266 = stablehlo.reduce(%265 init: %cst_79) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<1x1x1x6xf32>, tensor<f32>) -> tensor<6xf32>
    %267 = stablehlo.multiply %177, %260 : tensor<2x2x2x6xf32>
    %cst_80 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %268 = stablehlo.reduce(%267 init: %cst_80) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<2x2x2x6xf32>, tensor<f32>) -> tensor<6xf32>
    %269 = stablehlo.reshape %268 : (tensor<6xf32>) -> tensor<1x1x1x6xf32>
    %270 = stablehlo.broadcast_in_dim %178, dims = [0, 1, 2, 3] : (tensor<1x1x1x6xf32>) -> tensor<2x2x2x6xf32>
    %271 = stablehlo.multiply %260, %270 : tensor<2x2x2x6xf32>
    %cst_81 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %272 = stablehlo.reduce(%269 init: %cst_81) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<1x1x1x6xf32>, tensor<f32>) -> tensor<6xf32>
    %273 = stablehlo.multiply %168, %271 : tensor<2x2x2x6xf32>
    %cst_82 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %274 = stablehlo.reduce(%273 init: %cst_82) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<2x2x2x6xf32>, tensor<f32>) -> tensor<6xf32>
    %275 = stablehlo.reshape %274 : (tensor<6xf32>) -> tensor<1x1x1x6xf32>
    %276 = stablehlo.broadcast_in_dim %175, dims = [0, 1, 2, 3] : (tensor<1x1x1x6xf32>) -> tensor<2x2x2x6xf32>
    %277 = stablehlo.multiply %271, %276 : tensor<2x2x2x6xf32>
    %cst_83 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %278 = stablehlo.reduce(%275 init: %cst_83) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<1x1x1x6xf32>, tensor<f32>) -> tensor<6xf32>
    %279 = stablehlo.multiply %278, %174 : tensor<6xf32>
    %280 = stablehlo.negate %277 : tensor<2x2x2x6xf32>
    %cst_84 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %281 = stablehlo.reduce(%280 init: %cst_84) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<2x2x2x6xf32>, tensor<f32>) -> tensor<6xf32>
    %282 = stablehlo.reshape %281 : (tensor<6xf32>) -> tensor<1x1x1x6xf32>
    %cst_85 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %283 = stablehlo.reduce(%282 init: %cst_85) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<1x1x1x6xf32>, tensor<f32>) -> tensor<6xf32>
    %284 = call @_var_8(%155#1, %155#2, %155#3, %155#4, %279) : (tensor<2x2x2x6xf32>, tensor<f32>, tensor<i1>, tensor<6xf32>, tensor<6xf32>) -> tensor<2x2x2x6xf32>
    %285 = stablehlo.add %277, %284 : tensor<2x2x2x6xf32>
    %cst_86 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %286 = stablehlo.broadcast_in_dim %cst_86, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %287 = stablehlo.divide %283, %286 : tensor<6xf32>
    %288 = stablehlo.broadcast_in_dim %287, dims = [3] : (tensor<6xf32>) -> tensor<2x2x2x6xf32>
    %289 = stablehlo.add %285, %288 : tensor<2x2x2x6xf32>
    %290 = stablehlo.convolution(%147, %289) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x2x2x6xf32>, tensor<2x2x2x6xf32>) -> tensor<3x3x6x6xf32>
    %291 = stablehlo.reverse %arg7, dims = [0, 1] : tensor<3x3x6x6xf32>
    %292 = stablehlo.convolution(%289, %291) dim_numbers = [b, 0, 1, f]x[0, 1, o, i]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x2x2x6xf32>, tensor<3x3x6x6xf32>) -> tensor<2x2x2x6xf32>
    %cst_87 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %293 = stablehlo.broadcast_in_dim %cst_87, dims = [] : (tensor<f32>) -> tensor<2x2x2x6xf32>
    %294 = stablehlo.select %149, %292, %293 : tensor<2x2x2x6xi1>, tensor<2x2x2x6xf32>
    %cst_88 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %295 = stablehlo.reduce(%294 init: %cst_88) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<2x2x2x6xf32>, tensor<f32>) -> tensor<6xf32>
    %296 = stablehlo.reshape %295 : (tensor<6xf32>) -> tensor<1x1x1x6xf32>
    %cst_89 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %297 = stablehlo.reduce(%296 init: %cst_89) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<1x1x1x6xf32>, tensor<f32>) -> tensor<6xf32>
    %298 = stablehlo.multiply %140, %294 : tensor<2x2x2x6xf32>
    %cst_90 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %299 = stablehlo.reduce(%298 init: %cst_90) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<2x2x2x6xf32>, tensor<f32>) -> tensor<6xf32>
    %300 = stablehlo.reshape %299 : (tensor<6xf32>) -> tensor<1x1x1x6xf32>
    %301 = stablehlo.broadcast_in_dim %141, dims = [0, 1, 2, 3] : (tensor<1x1x1x6xf32>) -> tensor<2x2x2x6xf32>
    %302 = stablehlo.multiply %294, %301 : tensor<2x2x2x6xf32>
    %cst_91 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %303 = stablehlo.reduce(%300 init: %cst_91) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<1x1x1x6xf32>, tensor<f32>) -> tensor<6xf32>
    %304 = stablehlo.multiply %131, %302 : tensor<2x2x2x6xf32>
    %cst_92 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %305 = stablehlo.reduce(%304 init: %cst_92) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<2x2x2x6xf32>, tensor<f32>) -> tensor<6xf32>
    %306 = stablehlo.reshape %305 : (tensor<6xf32>) -> tensor<1x1x1x6xf32>
    %307 = stablehlo.broadcast_in_dim %138, dims = [0, 1, 2, 3] : (tensor<1x1x1x6xf32>) -> tensor<2x2x2x6xf32>
    %308 = stablehlo.multiply %302, %307 : tensor<2x2x2x6xf32>
    %cst_93 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %309 = stablehlo.reduce(%306 init: %cst_93) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<1x1x1x6xf32>, tensor<f32>) -> tensor<6xf32>
    %310 = stablehlo.multiply %309, %137 : tensor<6xf32>
    %311 = stablehlo.negate %308 : tensor<2x2x2x6xf32>
    %cst_94 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %312 = stablehlo.reduce(%311 init: %cst_94) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<2x2x2x6xf32>, tensor<f32>) -> tensor<6xf32>
    %313 = stablehlo.reshape %312 : (tensor<6xf32>) -> tensor<1x1x1x6xf32>
    %cst_95 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %314 = stablehlo.reduce(%313 init: %cst_95) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<1x1x1x6xf32>, tensor<f32>) -> tensor<6xf32>
    %315 = call @_var_8(%118#1, %118#2, %118#3, %118#4, %310) : (tensor<2x2x2x6xf32>, tensor<f32>, tensor<i1>, tensor<6xf32>, tensor<6xf32>) -> tensor<2x2x2x6xf32>
    %316 = stablehlo.add %308, %315 : tensor<2x2x2x6xf32>
    %cst_96 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %317 = stablehlo.broadcast_in_dim %cst_96, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %318 = stablehlo.divide %314, %317 : tensor<6xf32>
    %319 = stablehlo.broadcast_in_dim %318, dims = [3] : (tensor<6xf32>) -> tensor<2x2x2x6xf32>
    %320 = stablehlo.add %316, %319 : tensor<2x2x2x6xf32>
    %321 = stablehlo.convolution(%110, %320) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f], window = {stride = [1, 1], pad = [[0, 1], [0, 1]], lhs_dilate = [1, 1], rhs_dilate = [2, 2], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x4x4x4xf32>, tensor<2x2x2x6xf32>) -> tensor<3x3x4x6xf32>
    %322 = stablehlo.reverse %arg6, dims = [0, 1] : tensor<3x3x4x6xf32>
    %323 = stablehlo.convolution(%320, %322) dim_numbers = [b, 0, 1, f]x[0, 1, o, i]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[2, 1], [2, 1]], lhs_dilate = [2, 2], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x2x2x6xf32>, tensor<3x3x4x6xf32>) -> tensor<2x4x4x4xf32>
    %324 = stablehlo.add %263, %323 : tensor<2x4x4x4xf32>
    %cst_97 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %325 = stablehlo.broadcast_in_dim %cst_97, dims = [] : (tensor<f32>) -> tensor<2x4x4x4xf32>
    %326 = stablehlo.select %112, %324, %325 : tensor<2x4x4x4xi1>, tensor<2x4x4x4xf32>
    %cst_98 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %327 = stablehlo.reduce(%326 init: %cst_98) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<2x4x4x4xf32>, tensor<f32>) -> tensor<4xf32>
    %328 = stablehlo.reshape %327 : (tensor<4xf32>) -> tensor<1x1x1x4xf32>
    %cst_99 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %329 = stablehlo.reduce(%328 init: %cst_99) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<1x1x1x4xf32>, tensor<f32>) -> tensor<4xf32>
    %330 = stablehlo.multiply %102, %326 : tensor<2x4x4x4xf32>
    %cst_100 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %331 = stablehlo.reduce(%330 init: %cst_100) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<2x4x4x4xf32>, tensor<f32>) -> tensor<4xf32>
    %332 = stablehlo.reshape %331 : (tensor<4xf32>) -> tensor<1x1x1x4xf32>
    %333 = stablehlo.broadcast_in_dim %103, dims = [0, 1, 2, 3] : (tensor<1x1x1x4xf32>) -> tensor<2x4x4x4xf32>
    %334 = stablehlo.multiply %326, %333 : tensor<2x4x4x4xf32>
    %cst_101 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %335 = stablehlo.reduce(%332 init: %cst_101) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<1x1x1x4xf32>, tensor<f32>) -> tensor<4xf32>
    %336 = stablehlo.multiply %93, %334 : tensor<2x4x4x4xf32>
    %cst_102 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %337 = stablehlo.reduce(%336 init: %cst_102) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<2x4x4x4xf32>, tensor<f32>) -> tensor<4xf32>
    %338 = stablehlo.reshape %337 : (tensor<4xf32>) -> tensor<1x1x1x4xf32>
    %339 = stablehlo.broadcast_in_dim %100, dims = [0, 1, 2, 3] : (tensor<1x1x1x4xf32>) -> tensor<2x4x4x4xf32>
    %340 = stablehlo.multiply %334, %339 : tensor<2x4x4x4xf32>
    %cst_103 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %341 = stablehlo.reduce(%338 init: %cst_103) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<1x1x1x4xf32>, tensor<f32>) -> tensor<4xf32>
    %342 = stablehlo.multiply %341, %99 : tensor<4xf32>
    %343 = stablehlo.negate %340 : tensor<2x4x4x4xf32>
    %cst_104 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %344 = stablehlo.reduce(%343 init: %cst_104) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<2x4x4x4xf32>, tensor<f32>) -> tensor<4xf32>
    %345 = stablehlo.reshape %344 : (tensor<4xf32>) -> tensor<1x1x1x4xf32>
    %cst_105 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %346 = stablehlo.reduce(%345 init: %cst_105) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<1x1x1x4xf32>, tensor<f32>) -> tensor<4xf32>
    %347 = call @_var_10(%80#1, %80#2, %80#3, %80#4, %342) : (tensor<2x4x4x4xf32>, tensor<f32>, tensor<i1>, tensor<4xf32>, tensor<4xf32>) -> tensor<2x4x4x4xf32>
    %348 = stablehlo.add %340, %347 : tensor<2x4x4x4xf32>
    %cst_106 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %349 = stablehlo.broadcast_in_dim %cst_106, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %350 = stablehlo.divide %346, %349 : tensor<4xf32>
    %351 = stablehlo.broadcast_in_dim %350, dims = [3] : (tensor<4xf32>) -> tensor<2x4x4x4xf32>
    %352 = stablehlo.add %348, %351 : tensor<2x4x4x4xf32>
    %353 = stablehlo.convolution(%72, %352) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x4x4x4xf32>, tensor<2x4x4x4xf32>) -> tensor<3x3x4x4xf32>
    %354 = stablehlo.reverse %arg1, dims = [0, 1] : tensor<3x3x4x4xf32>
    %355 = stablehlo.convolution(%352, %354) dim_numbers = [b, 0, 1, f]x[0, 1, o, i]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x4x4x4xf32>, tensor<3x3x4x4xf32>) -> tensor<2x4x4x4xf32>
    %cst_107 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %356 = stablehlo.broadcast_in_dim %cst_107, dims = [] : (tensor<f32>) -> tensor<2x4x4x4xf32>
    %357 = stablehlo.select %74, %355, %356 : tensor<2x4x4x4xi1>, tensor<2x4x4x4xf32>
    %cst_108 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %358 = stablehlo.reduce(%357 init: %cst_108) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<2x4x4x4xf32>, tensor<f32>) -> tensor<4xf32>
    %359 = stablehlo.reshape %358 : (tensor<4xf32>) -> tensor<1x1x1x4xf32>
    %cst_109 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %360 = stablehlo.reduce(%359 init: %cst_109) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<1x1x1x4xf32>, tensor<f32>) -> tensor<4xf32>
    %361 = stablehlo.multiply %65, %357 : tensor<2x4x4x4xf32>
    %cst_110 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %362 = stablehlo.reduce(%361 init: %cst_110) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<2x4x4x4xf32>, tensor<f32>) -> tensor<4xf32>
    %363 = stablehlo.reshape %362 : (tensor<4xf32>) -> tensor<1x1x1x4xf32>
    %364 = stablehlo.broadcast_in_dim %66, dims = [0, 1, 2, 3] : (tensor<1x1x1x4xf32>) -> tensor<2x4x4x4xf32>
    %365 = stablehlo.multiply %357, %364 : tensor<2x4x4x4xf32>
    %cst_111 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %366 = stablehlo.reduce(%363 init: %cst_111) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<1x1x1x4xf32>, tensor<f32>) -> tensor<4xf32>
    %367 = stablehlo.multiply %56, %365 : tensor<2x4x4x4xf32>
    %cst_112 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %368 = stablehlo.reduce(%367 init: %cst_112) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<2x4x4x4xf32>, tensor<f32>) -> tensor<4xf32>
    %369 = stablehlo.reshape %368 : (tensor<4xf32>) -> tensor<1x1x1x4xf32>
    %370 = stablehlo.broadcast_in_dim %63, dims = [0, 1, 2, 3] : (tensor<1x1x1x4xf32>) -> tensor<2x4x4x4xf32>
    %371 = stablehlo.multiply %365, %370 : tensor<2x4x4x4xf32>
    %cst_113 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %372 = stablehlo.reduce(%369 init: %cst_113) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<1x1x1x4xf32>, tensor<f32>) -> tensor<4xf32>
    %373 = stablehlo.multiply %372, %62 : tensor<4xf32>
    %374 = stablehlo.negate %371 : tensor<2x4x4x4xf32>
    %cst_114 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %375 = stablehlo.reduce(%374 init: %cst_114) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<2x4x4x4xf32>, tensor<f32>) -> tensor<4xf32>
    %376 = stablehlo.reshape %375 : (tensor<4xf32>) -> tensor<1x1x1x4xf32>
    %cst_115 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %377 = stablehlo.reduce(%376 init: %cst_115) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<1x1x1x4xf32>, tensor<f32>) -> tensor<4xf32>
    %378 = call @_var_10(%43#1, %43#2, %43#3, %43#4, %373) : (tensor<2x4x4x4xf32>, tensor<f32>, tensor<i1>, tensor<4xf32>, tensor<4xf32>) -> tensor<2x4x4x4xf32>
    %379 = stablehlo.add %371, %378 : tensor<2x4x4x4xf32>
    %cst_116 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %380 = stablehlo.broadcast_in_dim %cst_116, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %381 = stablehlo.divide %377, %380 : tensor<4xf32>
    %382 = stablehlo.broadcast_in_dim %381, dims = [3] : (tensor<4xf32>) -> tensor<2x4x4x4xf32>
    %383 = stablehlo.add %379, %382 : tensor<2x4x4x4xf32>
    %384 = stablehlo.convolution(%38, %383) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x4x4x4xf32>, tensor<2x4x4x4xf32>) -> tensor<3x3x4x4xf32>
    %385 = stablehlo.reverse %arg0, dims = [0, 1] : tensor<3x3x4x4xf32>
    %386 = stablehlo.convolution(%383, %385) dim_numbers = [b, 0, 1, f]x[0, 1, o, i]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x4x4x4xf32>, tensor<3x3x4x4xf32>) -> tensor<2x4x4x4xf32>
    %387 = stablehlo.add %326, %386 : tensor<2x4x4x4xf32>
    %cst_117 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %388 = stablehlo.pad %33, %cst_117, low = [0, 0, 0, 0], high = [0, 1, 1, 0], interior = [0, 0, 0, 0] : (tensor<2x8x8x4xf32>, tensor<f32>) -> tensor<2x9x9x4xf32>
    %cst_118 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %389 = "stablehlo.select_and_scatter"(%388, %387, %cst_118) <{padding = dense<0> : tensor<4x2xi64>, window_dimensions = array<i64: 1, 3, 3, 1>, window_strides = array<i64: 1, 2, 2, 1>}> ({
    ^bb0(%arg30: tensor<f32>, %arg31: tensor<f32>):
      %474 = stablehlo.compare GE, %arg30, %arg31, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %474 : tensor<i1>
    }, {
    ^bb0(%arg30: tensor<f32>, %arg31: tensor<f32>):
      %474 = stablehlo.add %arg30, %arg31 : tensor<f32>
      stablehlo.return %474 : tensor<f32>
    }) : (tensor<2x9x9x4xf32>, tensor<2x4x4x4xf32>, tensor<f32>) -> tensor<2x9x9x4xf32>
    %390 = stablehlo.slice %389 [0:2, 0:8, 0:8, 0:4] : (tensor<2x9x9x4xf32>) -> tensor<2x8x8x4xf32>
    %cst_119 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %391 = stablehlo.broadcast_in_dim %cst_119, dims = [] : (tensor<f32>) -> tensor<2x8x8x4xf32>
    %392 = stablehlo.select %35, %390, %391 : tensor<2x8x8x4xi1>, tensor<2x8x8x4xf32>
    %cst_120 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %393 = stablehlo.reduce(%392 init: %cst_120) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<2x8x8x4xf32>, tensor<f32>) -> tensor<4xf32>
    %394 = stablehlo.reshape %393 : (tensor<4xf32>) -> tensor<1x1x1x4xf32>
    %cst_121 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %395 = stablehlo.reduce(%394 init: %cst_121) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<1x1x1x4xf32>, tensor<f32>) -> tensor<4xf32>
    %396 = stablehlo.multiply %26, %392 : tensor<2x8x8x4xf32>
    %cst_122 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %397 = stablehlo.reduce(%396 init: %cst_122) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<2x8x8x4xf32>, tensor<f32>) -> tensor<4xf32>
    %398 = stablehlo.reshape %397 : (tensor<4xf32>) -> tensor<1x1x1x4xf32>
    %399 = stablehlo.broadcast_in_dim %27, dims = [0, 1, 2, 3] : (tensor<1x1x1x4xf32>) -> tensor<2x8x8x4xf32>
    %400 = stablehlo.multiply %392, %399 : tensor<2x8x8x4xf32>
    %cst_123 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %401 = stablehlo.reduce(%398 init: %cst_123) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<1x1x1x4xf32>, tensor<f32>) -> tensor<4xf32>
    %402 = stablehlo.multiply %17, %400 : tensor<2x8x8x4xf32>
    %cst_124 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %403 = stablehlo.reduce(%402 init: %cst_124) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<2x8x8x4xf32>, tensor<f32>) -> tensor<4xf32>
    %404 = stablehlo.reshape %403 : (tensor<4xf32>) -> tensor<1x1x1x4xf32>
    %405 = stablehlo.broadcast_in_dim %24, dims = [0, 1, 2, 3] : (tensor<1x1x1x4xf32>) -> tensor<2x8x8x4xf32>
    %406 = stablehlo.multiply %400, %405 : tensor<2x8x8x4xf32>
    %cst_125 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %407 = stablehlo.reduce(%404 init: %cst_125) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<1x1x1x4xf32>, tensor<f32>) -> tensor<4xf32>
    %408 = stablehlo.multiply %407, %23 : tensor<4xf32>
    %409 = stablehlo.negate %406 : tensor<2x8x8x4xf32>
    %cst_126 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %410 = stablehlo.reduce(%409 init: %cst_126) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<2x8x8x4xf32>, tensor<f32>) -> tensor<4xf32>
    %411 = stablehlo.reshape %410 : (tensor<4xf32>) -> tensor<1x1x1x4xf32>
    %cst_127 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %412 = stablehlo.reduce(%411 init: %cst_127) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<1x1x1x4xf32>, tensor<f32>) -> tensor<4xf32>
    %413 = call @_var_12(%4#1, %4#2, %4#3, %4#4, %408) : (tensor<2x8x8x4xf32>, tensor<f32>, tensor<i1>, tensor<4xf32>, tensor<4xf32>) -> tensor<2x8x8x4xf32>
    %414 = stablehlo.add %406, %413 : tensor<2x8x8x4xf32>
    %cst_128 = stablehlo.constant dense<1.280000e+02> : tensor<f32>
    %415 = stablehlo.broadcast_in_dim %cst_128, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %416 = stablehlo.divide %412, %415 : tensor<4xf32>
    %417 = stablehlo.broadcast_in_dim %416, dims = [3] : (tensor<4xf32>) -> tensor<2x8x8x4xf32>
    %418 = stablehlo.add %414, %417 : tensor<2x8x8x4xf32>
    %419 = stablehlo.convolution(%arg28, %418) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x8x8x3xf32>, tensor<2x8x8x4xf32>) -> tensor<3x3x3x4xf32>
    %cst_129 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %420 = stablehlo.broadcast_in_dim %cst_129, dims = [] : (tensor<f32>) -> tensor<3x3x4x4xf32>
    %421 = stablehlo.multiply %420, %384 : tensor<3x3x4x4xf32>
    %422 = stablehlo.subtract %arg0, %421 : tensor<3x3x4x4xf32>
    %cst_130 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %423 = stablehlo.broadcast_in_dim %cst_130, dims = [] : (tensor<f32>) -> tensor<3x3x4x4xf32>
    %424 = stablehlo.multiply %423, %353 : tensor<3x3x4x4xf32>
    %425 = stablehlo.subtract %arg1, %424 : tensor<3x3x4x4xf32>
    %cst_131 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %426 = stablehlo.broadcast_in_dim %cst_131, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %427 = stablehlo.multiply %426, %366 : tensor<4xf32>
    %428 = stablehlo.subtract %arg2, %427 : tensor<4xf32>
    %cst_132 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %429 = stablehlo.broadcast_in_dim %cst_132, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %430 = stablehlo.multiply %429, %360 : tensor<4xf32>
    %431 = stablehlo.subtract %arg3, %430 : tensor<4xf32>
    %cst_133 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %432 = stablehlo.broadcast_in_dim %cst_133, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %433 = stablehlo.multiply %432, %335 : tensor<4xf32>
    %434 = stablehlo.subtract %arg4, %433 : tensor<4xf32>
    %cst_134 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %435 = stablehlo.broadcast_in_dim %cst_134, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %436 = stablehlo.multiply %435, %329 : tensor<4xf32>
    %437 = stablehlo.subtract %arg5, %436 : tensor<4xf32>
    %cst_135 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %438 = stablehlo.broadcast_in_dim %cst_135, dims = [] : (tensor<f32>) -> tensor<3x3x4x6xf32>
    %439 = stablehlo.multiply %438, %321 : tensor<3x3x4x6xf32>
    %440 = stablehlo.subtract %arg6, %439 : tensor<3x3x4x6xf32>
    %cst_136 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %441 = stablehlo.broadcast_in_dim %cst_136, dims = [] : (tensor<f32>) -> tensor<3x3x6x6xf32>
    %442 = stablehlo.multiply %441, %290 : tensor<3x3x6x6xf32>
    %443 = stablehlo.subtract %arg7, %442 : tensor<3x3x6x6xf32>
    %cst_137 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %444 = stablehlo.broadcast_in_dim %cst_137, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %445 = stablehlo.multiply %444, %303 : tensor<6xf32>
    %446 = stablehlo.subtract %arg8, %445 : tensor<6xf32>
    %cst_138 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %447 = stablehlo.broadcast_in_dim %cst_138, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %448 = stablehlo.multiply %447, %297 : tensor<6xf32>
    %449 = stablehlo.subtract %arg9, %448 : tensor<6xf32>
    %cst_139 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %450 = stablehlo.broadcast_in_dim %cst_139, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %451 = stablehlo.multiply %450, %272 : tensor<6xf32>
    %452 = stablehlo.subtract %arg10, %451 : tensor<6xf32>
    %cst_140 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %453 = stablehlo.broadcast_in_dim %cst_140, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %454 = stablehlo.multiply %453, %266 : tensor<6xf32>
    %455 = stablehlo.subtract %arg11, %454 : tensor<6xf32>
    %cst_141 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %456 = stablehlo.broadcast_in_dim %cst_141, dims = [] : (tensor<f32>) -> tensor<1x1x4x6xf32>
    %457 = stablehlo.multiply %456, %261 : tensor<1x1x4x6xf32>
    %458 = stablehlo.subtract %arg12, %457 : tensor<1x1x4x6xf32>
    %cst_142 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %459 = stablehlo.broadcast_in_dim %cst_142, dims = [] : (tensor<f32>) -> tensor<10xf32>
    %460 = stablehlo.multiply %459, %252 : tensor<10xf32>
    %461 = stablehlo.subtract %arg13, %460 : tensor<10xf32>
    %cst_143 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %462 = stablehlo.broadcast_in_dim %cst_143, dims = [] : (tensor<f32>) -> tensor<6x10xf32>
    %463 = stablehlo.multiply %462, %254 : tensor<6x10xf32>
    %464 = stablehlo.subtract %arg14, %463 : tensor<6x10xf32>
    %cst_144 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %465 = stablehlo.broadcast_in_dim %cst_144, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %466 = stablehlo.multiply %465, %401 : tensor<4xf32>
    %467 = stablehlo.subtract %arg15, %466 : tensor<4xf32>
    %cst_145 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %468 = stablehlo.broadcast_in_dim %cst_145, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %469 = stablehlo.multiply %468, %395 : tensor<4xf32>
    %470 = stablehlo.subtract %arg16, %469 : tensor<4xf32>
    %cst_146 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %471 = stablehlo.broadcast_in_dim %cst_146, dims = [] : (tensor<f32>) -> tensor<3x3x3x4xf32>
    %472 = stablehlo.multiply %471, %419 : tensor<3x3x3x4xf32>
    %473 = stablehlo.subtract %arg17, %472 : tensor<3x3x3x4xf32>
    return %422, %425, %428, %431, %434, %437, %440, %443, %446, %449, %452, %455, %458, %461, %464, %467, %470, %473, %48, %53, %85, %90, %123, %128, %160, %165, %9, %14, %235 : tensor<3x3x4x4xf32>, tensor<3x3x4x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<3x3x4x6xf32>, tensor<3x3x6x6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<1x1x4x6xf32>, tensor<10xf32>, tensor<6x10xf32>, tensor<4xf32>, tensor<4xf32>, tensor<3x3x3x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<4xf32>, tensor<4xf32>, tensor<f32>
  }
  func.func private @_var(%arg0: tensor<2x8x8x4xf32>, %arg1: tensor<i32>) -> (tensor<4xf32>, tensor<2x8x8x4xf32>, tensor<f32>, tensor<i1>, tensor<4xf32>) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<2x8x8x4xf32>, tensor<f32>) -> tensor<4xf32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [3] : (tensor<4xf32>) -> tensor<1x1x1x4xf32>
    %cst_0 = stablehlo.constant dense<1.280000e+02> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<1x1x1x4xf32>
    %3 = stablehlo.divide %1, %2 : tensor<1x1x1x4xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1, 2, 3] : (tensor<1x1x1x4xf32>) -> tensor<2x8x8x4xf32>
    %5 = stablehlo.subtract %arg0, %4 : tensor<2x8x8x4xf32>
    %6 = chlo.square %5 : tensor<2x8x8x4xf32> -> tensor<2x8x8x4xf32>
    %cst_1 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %7 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<2x8x8x4xf32>
    %8 = stablehlo.multiply %7, %5 : tensor<2x8x8x4xf32>
    %9 = stablehlo.convert %arg1 : (tensor<i32>) -> tensor<f32>
    %cst_2 = stablehlo.constant dense<1.280000e+02> : tensor<f32>
    %10 = stablehlo.subtract %cst_2, %9 : tensor<f32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %11 = stablehlo.reduce(%6 init: %cst_3) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<2x8x8x4xf32>, tensor<f32>) -> tensor<4xf32>
    %12 = stablehlo.broadcast_in_dim %10, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %13 = stablehlo.divide %11, %12 : tensor<4xf32>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %14 = stablehlo.compare GT, %10, %cst_4, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %cst_5 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %15:2 = call @_where(%14, %13, %cst_5) : (tensor<i1>, tensor<4xf32>, tensor<f32>) -> (tensor<4xf32>, tensor<4xf32>)
    return %15#0, %8, %10, %14, %15#1 : tensor<4xf32>, tensor<2x8x8x4xf32>, tensor<f32>, tensor<i1>, tensor<4xf32>
  }
  func.func private @_where(%arg0: tensor<i1>, %arg1: tensor<4xf32>, %arg2: tensor<f32>) -> (tensor<4xf32>, tensor<4xf32>) {
    %0 = stablehlo.convert %arg2 : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %2 = stablehlo.select %arg0, %arg1, %1 : tensor<i1>, tensor<4xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4xf32>
    return %2, %3 : tensor<4xf32>, tensor<4xf32>
  }
  func.func private @relu(%arg0: tensor<2x8x8x4xf32>) -> tensor<2x8x8x4xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x8x8x4xf32>
    %1 = stablehlo.maximum %arg0, %0 : tensor<2x8x8x4xf32>
    return %1 : tensor<2x8x8x4xf32>
  }
  func.func private @_var_0(%arg0: tensor<2x4x4x4xf32>, %arg1: tensor<i32>) -> (tensor<4xf32>, tensor<2x4x4x4xf32>, tensor<f32>, tensor<i1>, tensor<4xf32>) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<2x4x4x4xf32>, tensor<f32>) -> tensor<4xf32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [3] : (tensor<4xf32>) -> tensor<1x1x1x4xf32>
    %cst_0 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<1x1x1x4xf32>
    %3 = stablehlo.divide %1, %2 : tensor<1x1x1x4xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1, 2, 3] : (tensor<1x1x1x4xf32>) -> tensor<2x4x4x4xf32>
    %5 = stablehlo.subtract %arg0, %4 : tensor<2x4x4x4xf32>
    %6 = chlo.square %5 : tensor<2x4x4x4xf32> -> tensor<2x4x4x4xf32>
    %cst_1 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %7 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<2x4x4x4xf32>
    %8 = stablehlo.multiply %7, %5 : tensor<2x4x4x4xf32>
    %9 = stablehlo.convert %arg1 : (tensor<i32>) -> tensor<f32>
    %cst_2 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %10 = stablehlo.subtract %cst_2, %9 : tensor<f32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %11 = stablehlo.reduce(%6 init: %cst_3) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<2x4x4x4xf32>, tensor<f32>) -> tensor<4xf32>
    %12 = stablehlo.broadcast_in_dim %10, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %13 = stablehlo.divide %11, %12 : tensor<4xf32>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %14 = stablehlo.compare GT, %10, %cst_4, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %cst_5 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %15:2 = call @_where(%14, %13, %cst_5) : (tensor<i1>, tensor<4xf32>, tensor<f32>) -> (tensor<4xf32>, tensor<4xf32>)
    return %15#0, %8, %10, %14, %15#1 : tensor<4xf32>, tensor<2x4x4x4xf32>, tensor<f32>, tensor<i1>, tensor<4xf32>
  }
  func.func private @relu_1(%arg0: tensor<2x4x4x4xf32>) -> tensor<2x4x4x4xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x4x4x4xf32>
    %1 = stablehlo.maximum %arg0, %0 : tensor<2x4x4x4xf32>
    return %1 : tensor<2x4x4x4xf32>
  }
  func.func private @_var_2(%arg0: tensor<2x2x2x6xf32>, %arg1: tensor<i32>) -> (tensor<6xf32>, tensor<2x2x2x6xf32>, tensor<f32>, tensor<i1>, tensor<6xf32>) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<2x2x2x6xf32>, tensor<f32>) -> tensor<6xf32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [3] : (tensor<6xf32>) -> tensor<1x1x1x6xf32>
    %cst_0 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<1x1x1x6xf32>
    %3 = stablehlo.divide %1, %2 : tensor<1x1x1x6xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1, 2, 3] : (tensor<1x1x1x6xf32>) -> tensor<2x2x2x6xf32>
    %5 = stablehlo.subtract %arg0, %4 : tensor<2x2x2x6xf32>
    %6 = chlo.square %5 : tensor<2x2x2x6xf32> -> tensor<2x2x2x6xf32>
    %cst_1 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %7 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<2x2x2x6xf32>
    %8 = stablehlo.multiply %7, %5 : tensor<2x2x2x6xf32>
    %9 = stablehlo.convert %arg1 : (tensor<i32>) -> tensor<f32>
    %cst_2 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %10 = stablehlo.subtract %cst_2, %9 : tensor<f32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %11 = stablehlo.reduce(%6 init: %cst_3) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<2x2x2x6xf32>, tensor<f32>) -> tensor<6xf32>
    %12 = stablehlo.broadcast_in_dim %10, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %13 = stablehlo.divide %11, %12 : tensor<6xf32>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %14 = stablehlo.compare GT, %10, %cst_4, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %cst_5 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %15:2 = call @_where_3(%14, %13, %cst_5) : (tensor<i1>, tensor<6xf32>, tensor<f32>) -> (tensor<6xf32>, tensor<6xf32>)
    return %15#0, %8, %10, %14, %15#1 : tensor<6xf32>, tensor<2x2x2x6xf32>, tensor<f32>, tensor<i1>, tensor<6xf32>
  }
  func.func private @_where_3(%arg0: tensor<i1>, %arg1: tensor<6xf32>, %arg2: tensor<f32>) -> (tensor<6xf32>, tensor<6xf32>) {
    %0 = stablehlo.convert %arg2 : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %2 = stablehlo.select %arg0, %arg1, %1 : tensor<i1>, tensor<6xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<6xf32>
    return %2, %3 : tensor<6xf32>, tensor<6xf32>
  }
  func.func private @relu_4(%arg0: tensor<2x2x2x6xf32>) -> tensor<2x2x2x6xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x2x2x6xf32>
    %1 = stablehlo.maximum %arg0, %0 : tensor<2x2x2x6xf32>
    return %1 : tensor<2x2x2x6xf32>
  }
  func.func private @take_along_axis(%arg0: tensor<2x10xf32>, %arg1: tensor<2x1xi32>) -> (tensor<2x1xf32>, tensor<2x1x1xi32>) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<2x1xi32>
    %1 = stablehlo.compare LT, %arg1, %0, SIGNED : (tensor<2x1xi32>, tensor<2x1xi32>) -> tensor<2x1xi1>
    %c_0 = stablehlo.constant dense<10> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<2x1xi32>
    %3 = stablehlo.add %arg1, %2 : tensor<2x1xi32>
    %4 = stablehlo.select %1, %3, %arg1 : tensor<2x1xi1>, tensor<2x1xi32>
    %5 = stablehlo.reshape %4 : (tensor<2x1xi32>) -> tensor<2x1x1xi32>
    %c_1 = stablehlo.constant dense<9> : tensor<1xi32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %6 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<2x1x1xi32>
    %7 = stablehlo.compare GE, %5, %6, SIGNED : (tensor<2x1x1xi32>, tensor<2x1x1xi32>) -> tensor<2x1x1xi1>
    %8 = stablehlo.broadcast_in_dim %c_1, dims = [2] : (tensor<1xi32>) -> tensor<1x1x1xi32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1, 2] : (tensor<1x1x1xi32>) -> tensor<2x1x1xi32>
    %10 = stablehlo.compare LE, %5, %9, SIGNED : (tensor<2x1x1xi32>, tensor<2x1x1xi32>) -> tensor<2x1x1xi1>
    %11 = stablehlo.and %7, %10 : tensor<2x1x1xi1>
    %c_3 = stablehlo.constant dense<true> : tensor<i1>
    %12 = stablehlo.reduce(%11 init: %c_3) applies stablehlo.and across dimensions = [2] : (tensor<2x1x1xi1>, tensor<i1>) -> tensor<2x1xi1>
    %13 = "stablehlo.gather"(%arg0, %5) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1>}> : (tensor<2x10xf32>, tensor<2x1x1xi32>) -> tensor<2x1xf32>
    %cst = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %14 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x1xf32>
    %15 = stablehlo.select %12, %13, %14 : tensor<2x1xi1>, tensor<2x1xf32>
    return %15, %5 : tensor<2x1xf32>, tensor<2x1x1xi32>
  }
  func.func private @_take(%arg0: tensor<2x1xf32>, %arg1: tensor<i32>) -> (tensor<2xf32>, tensor<1xi32>) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.compare LT, %arg1, %c, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %1 = stablehlo.add %arg1, %c_0 : tensor<i32>
    %2 = call @_where_5(%0, %1, %arg1) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<i32>) -> tensor<1xi32>
    %c_1 = stablehlo.constant dense<0> : tensor<1xi32>
    %4 = stablehlo.convert %3 : tensor<1xi32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %5 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<1xi32>
    %6 = stablehlo.compare GE, %4, %5, SIGNED : (tensor<1xi32>, tensor<1xi32>) -> tensor<1xi1>
    %7 = stablehlo.compare LE, %4, %c_1, SIGNED : (tensor<1xi32>, tensor<1xi32>) -> tensor<1xi1>
    %8 = stablehlo.and %6, %7 : tensor<1xi1>
    %c_3 = stablehlo.constant dense<true> : tensor<i1>
    %9 = stablehlo.reduce(%8 init: %c_3) applies stablehlo.and across dimensions = [0] : (tensor<1xi1>, tensor<i1>) -> tensor<i1>
    %10 = "stablehlo.gather"(%arg0, %4) <{dimension_numbers = #stablehlo.gather<offset_dims = [0], collapsed_slice_dims = [1], start_index_map = [1]>, indices_are_sorted = false, slice_sizes = array<i64: 2, 1>}> : (tensor<2x1xf32>, tensor<1xi32>) -> tensor<2xf32>
    %11 = stablehlo.broadcast_in_dim %9, dims = [] : (tensor<i1>) -> tensor<2xi1>
    %cst = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %12 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %13 = stablehlo.select %11, %10, %12 : tensor<2xi1>, tensor<2xf32>
    return %13, %3 : tensor<2xf32>, tensor<1xi32>
  }
  func.func private @_where_5(%arg0: tensor<i1>, %arg1: tensor<i32>, %arg2: tensor<i32>) -> tensor<i32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<i1>, tensor<i32>
    return %0 : tensor<i32>
  }
  func.func private @_take_6(%arg0: tensor<1xi32>, %arg1: tensor<2xf32>) -> tensor<2x1xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x1xf32>
    %1 = "stablehlo.scatter"(%0, %arg0, %arg1) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0], inserted_window_dims = [1], scatter_dims_to_operand_dims = [1]>, unique_indices = false}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %2 = stablehlo.add %arg2, %arg3 : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }) : (tensor<2x1xf32>, tensor<1xi32>, tensor<2xf32>) -> tensor<2x1xf32>
    return %1 : tensor<2x1xf32>
  }
  func.func private @take_along_axis_7(%arg0: tensor<2x1x1xi32>, %arg1: tensor<2x1xf32>) -> tensor<2x10xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x10xf32>
    %1 = "stablehlo.scatter"(%0, %arg0, %arg1) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 2>, unique_indices = false}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %2 = stablehlo.add %arg2, %arg3 : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }) : (tensor<2x10xf32>, tensor<2x1x1xi32>, tensor<2x1xf32>) -> tensor<2x10xf32>
    return %1 : tensor<2x10xf32>
  }
  func.func private @_var_8(%arg0: tensor<2x2x2x6xf32>, %arg1: tensor<f32>, %arg2: tensor<i1>, %arg3: tensor<6xf32>, %arg4: tensor<6xf32>) -> tensor<2x2x2x6xf32> {
    %0 = call @_where_9(%arg2, %arg3, %arg4) : (tensor<i1>, tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
    %1 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %2 = stablehlo.divide %0, %1 : tensor<6xf32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [3] : (tensor<6xf32>) -> tensor<2x2x2x6xf32>
    %4 = stablehlo.multiply %3, %arg0 : tensor<2x2x2x6xf32>
    %5 = stablehlo.negate %4 : tensor<2x2x2x6xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %6 = stablehlo.reduce(%5 init: %cst) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<2x2x2x6xf32>, tensor<f32>) -> tensor<6xf32>
    %7 = stablehlo.reshape %6 : (tensor<6xf32>) -> tensor<1x1x1x6xf32>
    %cst_0 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<1x1x1x6xf32>
    %9 = stablehlo.divide %7, %8 : tensor<1x1x1x6xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %10 = stablehlo.reduce(%9 init: %cst_1) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<1x1x1x6xf32>, tensor<f32>) -> tensor<6xf32>
    %11 = stablehlo.broadcast_in_dim %10, dims = [3] : (tensor<6xf32>) -> tensor<2x2x2x6xf32>
    %12 = stablehlo.add %4, %11 : tensor<2x2x2x6xf32>
    return %12 : tensor<2x2x2x6xf32>
  }
  func.func private @_where_9(%arg0: tensor<i1>, %arg1: tensor<6xf32>, %arg2: tensor<6xf32>) -> tensor<6xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %1 = stablehlo.select %arg0, %arg2, %0 : tensor<i1>, tensor<6xf32>
    return %1 : tensor<6xf32>
  }
  func.func private @_var_10(%arg0: tensor<2x4x4x4xf32>, %arg1: tensor<f32>, %arg2: tensor<i1>, %arg3: tensor<4xf32>, %arg4: tensor<4xf32>) -> tensor<2x4x4x4xf32> {
    %0 = call @_where_11(%arg2, %arg3, %arg4) : (tensor<i1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %1 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %2 = stablehlo.divide %0, %1 : tensor<4xf32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [3] : (tensor<4xf32>) -> tensor<2x4x4x4xf32>
    %4 = stablehlo.multiply %3, %arg0 : tensor<2x4x4x4xf32>
    %5 = stablehlo.negate %4 : tensor<2x4x4x4xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %6 = stablehlo.reduce(%5 init: %cst) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<2x4x4x4xf32>, tensor<f32>) -> tensor<4xf32>
    %7 = stablehlo.reshape %6 : (tensor<4xf32>) -> tensor<1x1x1x4xf32>
    %cst_0 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<1x1x1x4xf32>
    %9 = stablehlo.divide %7, %8 : tensor<1x1x1x4xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %10 = stablehlo.reduce(%9 init: %cst_1) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<1x1x1x4xf32>, tensor<f32>) -> tensor<4xf32>
    %11 = stablehlo.broadcast_in_dim %10, dims = [3] : (tensor<4xf32>) -> tensor<2x4x4x4xf32>
    %12 = stablehlo.add %4, %11 : tensor<2x4x4x4xf32>
    return %12 : tensor<2x4x4x4xf32>
  }
  func.func private @_where_11(%arg0: tensor<i1>, %arg1: tensor<4xf32>, %arg2: tensor<4xf32>) -> tensor<4xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %1 = stablehlo.select %arg0, %arg2, %0 : tensor<i1>, tensor<4xf32>
    return %1 : tensor<4xf32>
  }
  func.func private @_var_12(%arg0: tensor<2x8x8x4xf32>, %arg1: tensor<f32>, %arg2: tensor<i1>, %arg3: tensor<4xf32>, %arg4: tensor<4xf32>) -> tensor<2x8x8x4xf32> {
    %0 = call @_where_11(%arg2, %arg3, %arg4) : (tensor<i1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %1 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %2 = stablehlo.divide %0, %1 : tensor<4xf32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [3] : (tensor<4xf32>) -> tensor<2x8x8x4xf32>
    %4 = stablehlo.multiply %3, %arg0 : tensor<2x8x8x4xf32>
    %5 = stablehlo.negate %4 : tensor<2x8x8x4xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %6 = stablehlo.reduce(%5 init: %cst) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<2x8x8x4xf32>, tensor<f32>) -> tensor<4xf32>
    %7 = stablehlo.reshape %6 : (tensor<4xf32>) -> tensor<1x1x1x4xf32>
    %cst_0 = stablehlo.constant dense<1.280000e+02> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<1x1x1x4xf32>
    %9 = stablehlo.divide %7, %8 : tensor<1x1x1x4xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %10 = stablehlo.reduce(%9 init: %cst_1) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<1x1x1x4xf32>, tensor<f32>) -> tensor<4xf32>
    %11 = stablehlo.broadcast_in_dim %10, dims = [3] : (tensor<4xf32>) -> tensor<2x8x8x4xf32>
    %12 = stablehlo.add %4, %11 : tensor<2x8x8x4xf32>
    return %12 : tensor<2x8x8x4xf32>
  }
}
