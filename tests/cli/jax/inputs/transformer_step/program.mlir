module @jit_step attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<8xf32> {tf.aliasing_output = 0 : i32}, %arg1: tensor<32x8xf32> {tf.aliasing_output = 1 : i32}, %arg2: tensor<8xf32> {tf.aliasing_output = 2 : i32}, %arg3: tensor<8xf32> {tf.aliasing_output = 3 : i32}, %arg4: tensor<8xf32> {tf.aliasing_output = 4 : i32}, %arg5: tensor<8xf32> {tf.aliasing_output = 5 : i32}, %arg6: tensor<8xf32> {tf.aliasing_output = 6 : i32}, %arg7: tensor<8x8xf32> {tf.aliasing_output = 7 : i32}, %arg8: tensor<24xf32> {tf.aliasing_output = 8 : i32}, %arg9: tensor<8x24xf32> {tf.aliasing_output = 9 : i32}, %arg10: tensor<32xf32> {tf.aliasing_output = 10 : i32}, %arg11: tensor<8x32xf32> {tf.aliasing_output = 11 : i32}, %arg12: tensor<11x8xf32> {tf.aliasing_output = 12 : i32}, %arg13: tensor<8xf32> {tf.aliasing_output = 13 : i32}, %arg14: tensor<8xf32> {tf.aliasing_output = 14 : i32}, %arg15: tensor<6x8xf32> {tf.aliasing_output = 15 : i32}, %arg16: tensor<i32> {tf.aliasing_output = 16 : i32}, %arg17: tensor<8xf32> {tf.aliasing_output = 17 : i32}, %arg18: tensor<32x8xf32> {tf.aliasing_output = 18 : i32}, %arg19: tensor<8xf32> {tf.aliasing_output = 19 : i32}, %arg20: tensor<8xf32> {tf.aliasing_output = 20 : i32}, %arg21: tensor<8xf32> {tf.aliasing_output = 21 : i32}, %arg22: tensor<8xf32> {tf.aliasing_output = 22 : i32}, %arg23: tensor<8xf32> {tf.aliasing_output = 23 : i32}, %arg24: tensor<8x8xf32> {tf.aliasing_output = 24 : i32}, %arg25: tensor<24xf32> {tf.aliasing_output = 25 : i32}, %arg26: tensor<8x24xf32> {tf.aliasing_output = 26 : i32}, %arg27: tensor<32xf32> {tf.aliasing_output = 27 : i32}, %arg28: tensor<8x32xf32> {tf.aliasing_output = 28 : i32}, %arg29: tensor<11x8xf32> {tf.aliasing_output = 29 : i32}, %arg30: tensor<8xf32> {tf.aliasing_output = 30 : i32}, %arg31: tensor<8xf32> {tf.aliasing_output = 31 : i32}, %arg32: tensor<6x8xf32> {tf.aliasing_output = 32 : i32}, %arg33: tensor<8xf32> {tf.aliasing_output = 33 : i32}, %arg34: tensor<32x8xf32> {tf.aliasing_output = 34 : i32}, %arg35: tensor<8xf32> {tf.aliasing_output = 35 : i32}, %arg36: tensor<8xf32> {tf.aliasing_output = 36 : i32}, %arg37: tensor<8xf32> {tf.aliasing_output = 37 : i32}, %arg38: tensor<8xf32> {tf.aliasing_output = 38 : i32}, %arg39: tensor<8xf32> {tf.aliasing_output = 39 : i32}, %arg40: tensor<8x8xf32> {tf.aliasing_output = 40 : i32}, %arg41: tensor<24xf32> {tf.aliasing_output = 41 : i32}, %arg42: tensor<8x24xf32> {tf.aliasing_output = 42 : i32}, %arg43: tensor<32xf32> {tf.aliasing_output = 43 : i32}, %arg44: tensor<8x32xf32> {tf.aliasing_output = 44 : i32}, %arg45: tensor<11x8xf32> {tf.aliasing_output = 45 : i32}, %arg46: tensor<8xf32> {tf.aliasing_output = 46 : i32}, %arg47: tensor<8xf32> {tf.aliasing_output = 47 : i32}, %arg48: tensor<6x8xf32> {tf.aliasing_output = 48 : i32}, %arg49: tensor<2x7xi32>) -> (tensor<8xf32> {jax.result_info = "result[0]['blocks'][0]['down']['bias']"}, tensor<32x8xf32> {jax.result_info = "result[0]['blocks'][0]['down']['weight']"}, tensor<8xf32> {jax.result_info = "result[0]['blocks'][0]['norm1']['scale']"}, tensor<8xf32> {jax.result_info = "result[0]['blocks'][0]['norm1']['shift']"}, tensor<8xf32> {jax.result_info = "result[0]['blocks'][0]['norm2']['scale']"}, tensor<8xf32> {jax.result_info = "result[0]['blocks'][0]['norm2']['shift']"}, tensor<8xf32> {jax.result_info = "result[0]['blocks'][0]['proj']['bias']"}, tensor<8x8xf32> {jax.result_info = "result[0]['blocks'][0]['proj']['weight']"}, tensor<24xf32> {jax.result_info = "result[0]['blocks'][0]['qkv']['bias']"}, tensor<8x24xf32> {jax.result_info = "result[0]['blocks'][0]['qkv']['weight']"}, tensor<32xf32> {jax.result_info = "result[0]['blocks'][0]['up']['bias']"}, tensor<8x32xf32> {jax.result_info = "result[0]['blocks'][0]['up']['weight']"}, tensor<11x8xf32> {jax.result_info = "result[0]['embed']"}, tensor<8xf32> {jax.result_info = "result[0]['norm']['scale']"}, tensor<8xf32> {jax.result_info = "result[0]['norm']['shift']"}, tensor<6x8xf32> {jax.result_info = "result[0]['position']"}, tensor<i32> {jax.result_info = "result[1][1][0].count"}, tensor<8xf32> {jax.result_info = "result[1][1][0].mu['blocks'][0]['down']['bias']"}, tensor<32x8xf32> {jax.result_info = "result[1][1][0].mu['blocks'][0]['down']['weight']"}, tensor<8xf32> {jax.result_info = "result[1][1][0].mu['blocks'][0]['norm1']['scale']"}, tensor<8xf32> {jax.result_info = "result[1][1][0].mu['blocks'][0]['norm1']['shift']"}, tensor<8xf32> {jax.result_info = "result[1][1][0].mu['blocks'][0]['norm2']['scale']"}, tensor<8xf32> {jax.result_info = "result[1][1][0].mu['blocks'][0]['norm2']['shift']"}, tensor<8xf32> {jax.result_info = "result[1][1][0].mu['blocks'][0]['proj']['bias']"}, tensor<8x8xf32> {jax.result_info = "result[1][1][0].mu['blocks'][0]['proj']['weight']"}, tensor<24xf32> {jax.result_info = "result[1][1][0].mu['blocks'][0]['qkv']['bias']"}, tensor<8x24xf32> {jax.result_info = "result[1][1][0].mu['blocks'][0]['qkv']['weight']"}, tensor<32xf32> {jax.result_info = "result[1][1][0].mu['blocks'][0]['up']['bias']"}, tensor<8x32xf32> {jax.result_info = "result[1][1][0].mu['blocks'][0]['up']['weight']"}, tensor<11x8xf32> {jax.result_info = "result[1][1][0].mu['embed']"}, tensor<8xf32> {jax.result_info = "result[1][1][0].mu['norm']['scale']"}, tensor<8xf32> {jax.result_info = "result[1][1][0].mu['norm']['shift']"}, tensor<6x8xf32> {jax.result_info = "result[1][1][0].mu['position']"}, tensor<8xf32> {jax.result_info = "result[1][1][0].nu['blocks'][0]['down']['bias']"}, tensor<32x8xf32> {jax.result_info = "result[1][1][0].nu['blocks'][0]['down']['weight']"}, tensor<8xf32> {jax.result_info = "result[1][1][0].nu['blocks'][0]['norm1']['scale']"}, tensor<8xf32> {jax.result_info = "result[1][1][0].nu['blocks'][0]['norm1']['shift']"}, tensor<8xf32> {jax.result_info = "result[1][1][0].nu['blocks'][0]['norm2']['scale']"}, tensor<8xf32> {jax.result_info = "result[1][1][0].nu['blocks'][0]['norm2']['shift']"}, tensor<8xf32> {jax.result_info = "result[1][1][0].nu['blocks'][0]['proj']['bias']"}, tensor<8x8xf32> {jax.result_info = "result[1][1][0].nu['blocks'][0]['proj']['weight']"}, tensor<24xf32> {jax.result_info = "result[1][1][0].nu['blocks'][0]['qkv']['bias']"}, tensor<8x24xf32> {jax.result_info = "result[1][1][0].nu['blocks'][0]['qkv']['weight']"}, tensor<32xf32> {jax.result_info = "result[1][1][0].nu['blocks'][0]['up']['bias']"}, tensor<8x32xf32> {jax.result_info = "result[1][1][0].nu['blocks'][0]['up']['weight']"}, tensor<11x8xf32> {jax.result_info = "result[1][1][0].nu['embed']"}, tensor<8xf32> {jax.result_info = "result[1][1][0].nu['norm']['scale']"}, tensor<8xf32> {jax.result_info = "result[1][1][0].nu['norm']['shift']"}, tensor<6x8xf32> {jax.result_info = "result[1][1][0].nu['position']"}, tensor<f32> {jax.result_info = "result[2]"}) {
    %0 = stablehlo.slice %arg49 [0:2, 0:6] : (tensor<2x7xi32>) -> tensor<2x6xi32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<2x6xi32>
    %2 = stablehlo.compare LT, %0, %1, SIGNED : (tensor<2x6xi32>, tensor<2x6xi32>) -> tensor<2x6xi1>
    %c_0 = stablehlo.constant dense<11> : tensor<i32>
    %3 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<2x6xi32>
    %4 = stablehlo.add %0, %3 : tensor<2x6xi32>
    %5 = stablehlo.select %2, %4, %0 : tensor<2x6xi1>, tensor<2x6xi32>
    %6 = stablehlo.broadcast_in_dim %5, dims = [0, 1] : (tensor<2x6xi32>) -> tensor<2x6x1xi32>
    %7 = "stablehlo.gather"(%arg12, %6) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 8>}> : (tensor<11x8xf32>, tensor<2x6x1xi32>) -> tensor<2x6x8xf32>
    %8 = stablehlo.broadcast_in_dim %arg15, dims = [1, 2] : (tensor<6x8xf32>) -> tensor<1x6x8xf32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1, 2] : (tensor<1x6x8xf32>) -> tensor<2x6x8xf32>
    %10 = stablehlo.add %7, %9 : tensor<2x6x8xf32>
    %cst = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %11:7 = call @standardize(%10, %cst) : (tensor<2x6x8xf32>, tensor<f32>) -> (tensor<2x6x8xf32>, tensor<2x6x8xf32>, tensor<2x6x1xf32>, tensor<2x6x1xf32>, tensor<2x6x1xf32>, tensor<2x6x1xf32>, tensor<2x6x8xf32>)
    %12 = stablehlo.broadcast_in_dim %arg2, dims = [2] : (tensor<8xf32>) -> tensor<1x1x8xf32>
    %13 = stablehlo.broadcast_in_dim %12, dims = [0, 1, 2] : (tensor<1x1x8xf32>) -> tensor<2x6x8xf32>
    %14 = stablehlo.multiply %11#0, %13 : tensor<2x6x8xf32>
    %15 = stablehlo.broadcast_in_dim %arg3, dims = [2] : (tensor<8xf32>) -> tensor<1x1x8xf32>
    %16 = stablehlo.broadcast_in_dim %15, dims = [0, 1, 2] : (tensor<1x1x8xf32>) -> tensor<2x6x8xf32>
    %17 = stablehlo.add %14, %16 : tensor<2x6x8xf32>
    %18 = stablehlo.dot_general %17, %arg9, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x6x8xf32>, tensor<8x24xf32>) -> tensor<2x6x24xf32>
    %19 = stablehlo.broadcast_in_dim %arg8, dims = [2] : (tensor<24xf32>) -> tensor<1x1x24xf32>
    %20 = stablehlo.broadcast_in_dim %19, dims = [0, 1, 2] : (tensor<1x1x24xf32>) -> tensor<2x6x24xf32>
    %21 = stablehlo.add %18, %20 : tensor<2x6x24xf32>
    %22 = stablehlo.reshape %21 : (tensor<2x6x24xf32>) -> tensor<2x6x3x2x4xf32>
    %23 = stablehlo.slice %22 [0:2, 0:6, 0:1, 0:2, 0:4] : (tensor<2x6x3x2x4xf32>) -> tensor<2x6x1x2x4xf32>
    %24 = stablehlo.reshape %23 : (tensor<2x6x1x2x4xf32>) -> tensor<2x6x2x4xf32>
    %25 = stablehlo.slice %22 [0:2, 0:6, 1:2, 0:2, 0:4] : (tensor<2x6x3x2x4xf32>) -> tensor<2x6x1x2x4xf32>
    %26 = stablehlo.reshape %25 : (tensor<2x6x1x2x4xf32>) -> tensor<2x6x2x4xf32>
    %27 = stablehlo.slice %22 [0:2, 0:6, 2:3, 0:2, 0:4] : (tensor<2x6x3x2x4xf32>) -> tensor<2x6x1x2x4xf32>
    %28 = stablehlo.reshape %27 : (tensor<2x6x1x2x4xf32>) -> tensor<2x6x2x4xf32>
    %29 = stablehlo.reshape %24 : (tensor<2x6x2x4xf32>) -> tensor<2x6x2x1x4xf32>
    %30 = stablehlo.dot_general %29, %26, batching_dims = [0, 2] x [0, 2], contracting_dims = [4] x [3], precision = [DEFAULT, DEFAULT] : (tensor<2x6x2x1x4xf32>, tensor<2x6x2x4xf32>) -> tensor<2x2x6x1x6xf32>
    %cst_1 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %31 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<2x2x6x1x6xf32>
    %32 = stablehlo.multiply %30, %31 : tensor<2x2x6x1x6xf32>
    %c_2 = stablehlo.constant dense<true> : tensor<i1>
    %33 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i1>) -> tensor<2x2x6x6xi1>
    %c_3 = stablehlo.constant dense<true> : tensor<i1>
    %34 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<i1>) -> tensor<6x6xi1>
    %35 = call @tril(%34) : (tensor<6x6xi1>) -> tensor<6x6xi1>
    %36 = stablehlo.broadcast_in_dim %35, dims = [2, 3] : (tensor<6x6xi1>) -> tensor<1x1x6x6xi1>
    %37 = stablehlo.broadcast_in_dim %36, dims = [0, 1, 2, 3] : (tensor<1x1x6x6xi1>) -> tensor<2x2x6x6xi1>
    %38 = stablehlo.and %33, %37 : tensor<2x2x6x6xi1>
    %cst_4 = stablehlo.constant dense<-2.38197633E+38> : tensor<f32>
    %39:3 = call @_where(%38, %32, %cst_4) : (tensor<2x2x6x6xi1>, tensor<2x2x6x1x6xf32>, tensor<f32>) -> (tensor<1x2x2x6x6xf32>, tensor<1x2x2x6x6xi1>, tensor<1x2x2x6x6xf32>)
    %cst_5 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %40 = stablehlo.reduce(%39#0 init: %cst_5) applies stablehlo.maximum across dimensions = [4] : (tensor<1x2x2x6x6xf32>, tensor<f32>) -> tensor<1x2x2x6xf32>
    %41 = stablehlo.reshape %40 : (tensor<1x2x2x6xf32>) -> tensor<1x2x2x6x1xf32>
    %42 = stablehlo.broadcast_in_dim %41, dims = [0, 1, 2, 3, 4] : (tensor<1x2x2x6x1xf32>) -> tensor<1x2x2x6x6xf32>
    %43 = stablehlo.compare EQ, %39#0, %42, FLOAT : (tensor<1x2x2x6x6xf32>, tensor<1x2x2x6x6xf32>) -> tensor<1x2x2x6x6xi1>
    %44 = stablehlo.convert %43 : (tensor<1x2x2x6x6xi1>) -> tensor<1x2x2x6x6xf32>
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %45 = stablehlo.reduce(%44 init: %cst_6) applies stablehlo.add across dimensions = [4] : (tensor<1x2x2x6x6xf32>, tensor<f32>) -> tensor<1x2x2x6xf32>
    %cst_7 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %46 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<1x2x2x6xf32>
    %47 = stablehlo.maximum %46, %40 : tensor<1x2x2x6xf32>
    %48 = stablehlo.compare EQ, %40, %47, FLOAT : (tensor<1x2x2x6xf32>, tensor<1x2x2x6xf32>) -> tensor<1x2x2x6xi1>
    %cst_8 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %49 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<1x2x2x6xf32>
    %cst_9 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %50 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<1x2x2x6xf32>
    %51 = stablehlo.select %48, %49, %50 : tensor<1x2x2x6xi1>, tensor<1x2x2x6xf32>
    %cst_10 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %52 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<1x2x2x6xf32>
    %53 = stablehlo.compare EQ, %52, %47, FLOAT : (tensor<1x2x2x6xf32>, tensor<1x2x2x6xf32>) -> tensor<1x2x2x6xi1>
    %cst_11 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %54 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f32>) -> tensor<1x2x2x6xf32>
    %cst_12 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %55 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f32>) -> tensor<1x2x2x6xf32>
    %56 = stablehlo.select %53, %54, %55 : tensor<1x2x2x6xi1>, tensor<1x2x2x6xf32>
    %57 = stablehlo.divide %51, %56 : tensor<1x2x2x6xf32>
    %58 = stablehlo.broadcast_in_dim %47, dims = [0, 1, 2, 3] : (tensor<1x2x2x6xf32>) -> tensor<1x2x2x6x1xf32>
    %59 = stablehlo.broadcast_in_dim %58, dims = [0, 1, 2, 3, 4] : (tensor<1x2x2x6x1xf32>) -> tensor<1x2x2x6x6xf32>
    %60 = stablehlo.subtract %39#0, %59 : tensor<1x2x2x6x6xf32>
    %61 = stablehlo.exponential %60 : tensor<1x2x2x6x6xf32>
    %cst_13 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %62 = stablehlo.reduce(%61 init: %cst_13) applies stablehlo.add across dimensions = [4] : (tensor<1x2x2x6x6xf32>, tensor<f32>) -> tensor<1x2x2x6xf32>
    %63 = stablehlo.broadcast_in_dim %62, dims = [0, 1, 2, 3] : (tensor<1x2x2x6xf32>) -> tensor<1x2x2x6x1xf32>
    %64 = stablehlo.broadcast_in_dim %63, dims = [0, 1, 2, 3, 4] : (tensor<1x2x2x6x1xf32>) -> tensor<1x2x2x6x6xf32>
    %65 = stablehlo.divide %61, %64 : tensor<1x2x2x6x6xf32>
    %66 = stablehlo.multiply %63, %63 : tensor<1x2x2x6x1xf32>
    %cst_14 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %67 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<f32>) -> tensor<1x2x2x6x1xf32>
    %68 = stablehlo.divide %67, %66 : tensor<1x2x2x6x1xf32>
    %69 = stablehlo.dot_general %28, %65, batching_dims = [0, 2] x [1, 2], contracting_dims = [1] x [4], precision = [DEFAULT, DEFAULT] : (tensor<2x6x2x4xf32>, tensor<1x2x2x6x6xf32>) -> tensor<2x2x4x1x6xf32>
    %70 = stablehlo.transpose %69, dims = [3, 0, 4, 1, 2] : (tensor<2x2x4x1x6xf32>) -> tensor<1x2x6x2x4xf32>
    %71 = stablehlo.transpose %70, dims = [1, 2, 3, 0, 4] : (tensor<1x2x6x2x4xf32>) -> tensor<2x6x2x1x4xf32>
    %72 = stablehlo.reshape %71 : (tensor<2x6x2x1x4xf32>) -> tensor<2x6x2x4xf32>
    %73 = stablehlo.reshape %72 : (tensor<2x6x2x4xf32>) -> tensor<2x6x8xf32>
    %74 = stablehlo.dot_general %73, %arg7, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x6x8xf32>, tensor<8x8xf32>) -> tensor<2x6x8xf32>
    %75 = stablehlo.broadcast_in_dim %arg6, dims = [2] : (tensor<8xf32>) -> tensor<1x1x8xf32>
    %76 = stablehlo.broadcast_in_dim %75, dims = [0, 1, 2] : (tensor<1x1x8xf32>) -> tensor<2x6x8xf32>
    %77 = stablehlo.add %74, %76 : tensor<2x6x8xf32>
    %78 = stablehlo.add %10, %77 : tensor<2x6x8xf32>
    %cst_15 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %79:7 = call @standardize(%78, %cst_15) : (tensor<2x6x8xf32>, tensor<f32>) -> (tensor<2x6x8xf32>, tensor<2x6x8xf32>, tensor<2x6x1xf32>, tensor<2x6x1xf32>, tensor<2x6x1xf32>, tensor<2x6x1xf32>, tensor<2x6x8xf32>)
    %80 = stablehlo.broadcast_in_dim %arg4, dims = [2] : (tensor<8xf32>) -> tensor<1x1x8xf32>
    %81 = stablehlo.broadcast_in_dim %80, dims = [0, 1, 2] : (tensor<1x1x8xf32>) -> tensor<2x6x8xf32>
    %82 = stablehlo.multiply %79#0, %81 : tensor<2x6x8xf32>
    %83 = stablehlo.broadcast_in_dim %arg5, dims = [2] : (tensor<8xf32>) -> tensor<1x1x8xf32>
    %84 = stablehlo.broadcast_in_dim %83, dims = [0, 1, 2] : (tensor<1x1x8xf32>) -> tensor<2x6x8xf32>
    %85 = stablehlo.add %82, %84 : tensor<2x6x8xf32>
    %86 = stablehlo.dot_general %85, %arg11, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x6x8xf32>, tensor<8x32xf32>) -> tensor<2x6x32xf32>
    %87 = stablehlo.broadcast_in_dim %arg10, dims = [2] : (tensor<32xf32>) -> tensor<1x1x32xf32>
    %88 = stablehlo.broadcast_in_dim %87, dims = [0, 1, 2] : (tensor<1x1x32xf32>) -> tensor<2x6x32xf32>
    %89 = stablehlo.add %86, %88 : tensor<2x6x32xf32>
    %90 = stablehlo.multiply %89, %89 : tensor<2x6x32xf32>
    %91 = stablehlo.multiply %90, %89 : tensor<2x6x32xf32>
    %92 = stablehlo.multiply %89, %89 : tensor<2x6x32xf32>
    %cst_16 = stablehlo.constant dense<3.000000e+00> : tensor<f32>
    %93 = stablehlo.broadcast_in_dim %cst_16, dims = [] : (tensor<f32>) -> tensor<2x6x32xf32>
    %94 = stablehlo.multiply %93, %92 : tensor<2x6x32xf32>
    %cst_17 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %95 = stablehlo.broadcast_in_dim %cst_17, dims = [] : (tensor<f32>) -> tensor<2x6x32xf32>
    %96 = stablehlo.multiply %95, %91 : tensor<2x6x32xf32>
    %97 = stablehlo.add %89, %96 : tensor<2x6x32xf32>
    %cst_18 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %98 = stablehlo.broadcast_in_dim %cst_18, dims = [] : (tensor<f32>) -> tensor<2x6x32xf32>
    %99 = stablehlo.multiply %98, %97 : tensor<2x6x32xf32>
    %100 = stablehlo.tanh %99 : tensor<2x6x32xf32>
    %cst_19 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %101 = stablehlo.broadcast_in_dim %cst_19, dims = [] : (tensor<f32>) -> tensor<2x6x32xf32>
    %102 = stablehlo.subtract %101, %100 : tensor<2x6x32xf32>
    %cst_20 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %103 = stablehlo.broadcast_in_dim %cst_20, dims = [] : (tensor<f32>) -> tensor<2x6x32xf32>
    %104 = stablehlo.add %103, %100 : tensor<2x6x32xf32>
    %cst_21 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %105 = stablehlo.broadcast_in_dim %cst_21, dims = [] : (tensor<f32>) -> tensor<2x6x32xf32>
    %106 = stablehlo.multiply %105, %104 : tensor<2x6x32xf32>
    %107 = stablehlo.multiply %89, %106 : tensor<2x6x32xf32>
    %108 = stablehlo.dot_general %107, %arg1, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x6x32xf32>, tensor<32x8xf32>) -> tensor<2x6x8xf32>
    %109 = stablehlo.broadcast_in_dim %arg0, dims = [2] : (tensor<8xf32>) -> tensor<1x1x8xf32>
    %110 = stablehlo.broadcast_in_dim %109, dims = [0, 1, 2] : (tensor<1x1x8xf32>) -> tensor<2x6x8xf32>
    %111 = stablehlo.add %108, %110 : tensor<2x6x8xf32>
    %112 = stablehlo.add %78, %111 : tensor<2x6x8xf32>
    %cst_22 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %113:7 = call @standardize(%112, %cst_22) : (tensor<2x6x8xf32>, tensor<f32>) -> (tensor<2x6x8xf32>, tensor<2x6x8xf32>, tensor<2x6x1xf32>, tensor<2x6x1xf32>, tensor<2x6x1xf32>, tensor<2x6x1xf32>, tensor<2x6x8xf32>)
    %114 = stablehlo.broadcast_in_dim %arg13, dims = [2] : (tensor<8xf32>) -> tensor<1x1x8xf32>
    %115 = stablehlo.broadcast_in_dim %114, dims = [0, 1, 2] : (tensor<1x1x8xf32>) -> tensor<2x6x8xf32>
    %116 = stablehlo.multiply %113#0, %115 : tensor<2x6x8xf32>
    %117 = stablehlo.broadcast_in_dim %arg14, dims = [2] : (tensor<8xf32>) -> tensor<1x1x8xf32>
    %118 = stablehlo.broadcast_in_dim %117, dims = [0, 1, 2] : (tensor<1x1x8xf32>) -> tensor<2x6x8xf32>
    %119 = stablehlo.add %116, %118 : tensor<2x6x8xf32>
    %120 = stablehlo.transpose %arg12, dims = [1, 0] : (tensor<11x8xf32>) -> tensor<8x11xf32>
    %121 = stablehlo.dot_general %119, %120, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x6x8xf32>, tensor<8x11xf32>) -> tensor<2x6x11xf32>
    %122 = stablehlo.slice %arg49 [0:2, 1:7] : (tensor<2x7xi32>) -> tensor<2x6xi32>
    %123 = stablehlo.broadcast_in_dim %122, dims = [0, 1] : (tensor<2x6xi32>) -> tensor<2x6x1xi32>
    %124:2 = call @take_along_axis(%121, %123) : (tensor<2x6x11xf32>, tensor<2x6x1xi32>) -> (tensor<2x6x1xf32>, tensor<2x6x1x1xi32>)
    %c_23 = stablehlo.constant dense<0> : tensor<i32>
    %125:2 = call @_take(%124#0, %c_23) : (tensor<2x6x1xf32>, tensor<i32>) -> (tensor<2x6xf32>, tensor<1xi32>)
    %cst_24 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %126 = stablehlo.reduce(%121 init: %cst_24) applies stablehlo.maximum across dimensions = [2] : (tensor<2x6x11xf32>, tensor<f32>) -> tensor<2x6xf32>
    %127 = stablehlo.reshape %126 : (tensor<2x6xf32>) -> tensor<2x6x1xf32>
    %128 = stablehlo.broadcast_in_dim %127, dims = [0, 1, 2] : (tensor<2x6x1xf32>) -> tensor<2x6x11xf32>
    %129 = stablehlo.compare EQ, %121, %128, FLOAT : (tensor<2x6x11xf32>, tensor<2x6x11xf32>) -> tensor<2x6x11xi1>
    %130 = stablehlo.convert %129 : (tensor<2x6x11xi1>) -> tensor<2x6x11xf32>
    %cst_25 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %131 = stablehlo.reduce(%130 init: %cst_25) applies stablehlo.add across dimensions = [2] : (tensor<2x6x11xf32>, tensor<f32>) -> tensor<2x6xf32>
    %cst_26 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %132 = stablehlo.broadcast_in_dim %cst_26, dims = [] : (tensor<f32>) -> tensor<2x6xf32>
    %133 = stablehlo.maximum %132, %126 : tensor<2x6xf32>
    %134 = stablehlo.compare EQ, %126, %133, FLOAT : (tensor<2x6xf32>, tensor<2x6xf32>) -> tensor<2x6xi1>
    %cst_27 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %135 = stablehlo.broadcast_in_dim %cst_27, dims = [] : (tensor<f32>) -> tensor<2x6xf32>
    %cst_28 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %136 = stablehlo.broadcast_in_dim %cst_28, dims = [] : (tensor<f32>) -> tensor<2x6xf32>
    %137 = stablehlo.select %134, %135, %136 : tensor<2x6xi1>, tensor<2x6xf32>
    %cst_29 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %138 = stablehlo.broadcast_in_dim %cst_29, dims = [] : (tensor<f32>) -> tensor<2x6xf32>
    %139 = stablehlo.compare EQ, %138, %133, FLOAT : (tensor<2x6xf32>, tensor<2x6xf32>) -> tensor<2x6xi1>
    %cst_30 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %140 = stablehlo.broadcast_in_dim %cst_30, dims = [] : (tensor<f32>) -> tensor<2x6xf32>
    %cst_31 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %141 = stablehlo.broadcast_in_dim %cst_31, dims = [] : (tensor<f32>) -> tensor<2x6xf32>
    %142 = stablehlo.select %139, %140, %141 : tensor<2x6xi1>, tensor<2x6xf32>
    %143 = stablehlo.divide %137, %142 : tensor<2x6xf32>
    %144 = stablehlo.is_finite %133 : (tensor<2x6xf32>) -> tensor<2x6xi1>
    %cst_32 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %145 = stablehlo.broadcast_in_dim %cst_32, dims = [] : (tensor<f32>) -> tensor<2x6xf32>
    %146 = stablehlo.select %144, %133, %145 : tensor<2x6xi1>, tensor<2x6xf32>
    %cst_33 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %147 = stablehlo.broadcast_in_dim %cst_33, dims = [] : (tensor<f32>) -> tensor<2x6xf32>
    %148 = stablehlo.broadcast_in_dim %146, dims = [0, 1] : (tensor<2x6xf32>) -> tensor<2x6x1xf32>
    %149 = stablehlo.broadcast_in_dim %148, dims = [0, 1, 2] : (tensor<2x6x1xf32>) -> tensor<2x6x11xf32>
    %150 = stablehlo.subtract %121, %149 : tensor<2x6x11xf32>
    %151 = stablehlo.exponential %150 : tensor<2x6x11xf32>
    %cst_34 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %152 = stablehlo.reduce(%151 init: %cst_34) applies stablehlo.add across dimensions = [2] : (tensor<2x6x11xf32>, tensor<f32>) -> tensor<2x6xf32>
    %153 = stablehlo.sign %152 : tensor<2x6xf32>
    %154 = stablehlo.abs %152 : tensor<2x6xf32>
    %cst_35 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %155 = stablehlo.broadcast_in_dim %cst_35, dims = [] : (tensor<f32>) -> tensor<2x6xf32>
    %156 = stablehlo.compare GE, %152, %155, FLOAT : (tensor<2x6xf32>, tensor<2x6xf32>) -> tensor<2x6xi1>
    %157 = stablehlo.log %154 : tensor<2x6xf32>
    %158 = stablehlo.add %157, %146 : tensor<2x6xf32>
    %159 = stablehlo.subtract %158, %125#0 : tensor<2x6xf32>
    %cst_36 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %160 = stablehlo.reduce(%159 init: %cst_36) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x6xf32>, tensor<f32>) -> tensor<f32>
    %cst_37 = stablehlo.constant dense<1.200000e+01> : tensor<f32>
    %161 = stablehlo.divide %160, %cst_37 : tensor<f32>
    %cst_38 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %cst_39 = stablehlo.constant dense<1.200000e+01> : tensor<f32>
    %162 = stablehlo.divide %cst_38, %cst_39 : tensor<f32>
    %163 = stablehlo.broadcast_in_dim %162, dims = [] : (tensor<f32>) -> tensor<2x6xf32>
    %164 = stablehlo.negate %163 : tensor<2x6xf32>
    %165 = stablehlo.divide %163, %154 : tensor<2x6xf32>
    %cst_40 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %166 = stablehlo.broadcast_in_dim %cst_40, dims = [] : (tensor<f32>) -> tensor<2x6xf32>
    %167 = stablehlo.select %156, %166, %165 : tensor<2x6xi1>, tensor<2x6xf32>
    %168 = stablehlo.select %156, %165, %166 : tensor<2x6xi1>, tensor<2x6xf32>
    %169 = stablehlo.negate %167 : tensor<2x6xf32>
    %170 = stablehlo.add %168, %169 : tensor<2x6xf32>
    %171 = stablehlo.broadcast_in_dim %170, dims = [0, 1] : (tensor<2x6xf32>) -> tensor<2x6x11xf32>
    %172 = stablehlo.multiply %171, %151 : tensor<2x6x11xf32>
    %173 = call @_take_1(%125#1, %164) : (tensor<1xi32>, tensor<2x6xf32>) -> tensor<2x6x1xf32>
    %174 = call @take_along_axis_2(%124#1, %173) : (tensor<2x6x1x1xi32>, tensor<2x6x1xf32>) -> tensor<2x6x11xf32>
    %175 = stablehlo.add %172, %174 : tensor<2x6x11xf32>
    %176 = stablehlo.dot_general %175, %119, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<2x6x11xf32>, tensor<2x6x8xf32>) -> tensor<11x8xf32>
    %177 = stablehlo.transpose %176, dims = [1, 0] : (tensor<11x8xf32>) -> tensor<8x11xf32>
    %178 = stablehlo.dot_general %175, %120, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x6x11xf32>, tensor<8x11xf32>) -> tensor<2x6x8xf32>
    %179 = stablehlo.transpose %177, dims = [1, 0] : (tensor<8x11xf32>) -> tensor<11x8xf32>
    %cst_41 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %180 = stablehlo.reduce(%178 init: %cst_41) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x6x8xf32>, tensor<f32>) -> tensor<8xf32>
    %181 = stablehlo.reshape %180 : (tensor<8xf32>) -> tensor<1x1x8xf32>
    %cst_42 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %182 = stablehlo.reduce(%181 init: %cst_42) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x8xf32>, tensor<f32>) -> tensor<8xf32>
    %183 = stablehlo.multiply %113#0, %178 : tensor<2x6x8xf32>
    %cst_43 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %184 = stablehlo.reduce(%183 init: %cst_43) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x6x8xf32>, tensor<f32>) -> tensor<8xf32>
    %185 = stablehlo.reshape %184 : (tensor<8xf32>) -> tensor<1x1x8xf32>
    %186 = stablehlo.broadcast_in_dim %114, dims = [0, 1, 2] : (tensor<1x1x8xf32>) -> tensor<2x6x8xf32>
    %187 = stablehlo.multiply %178, %186 : tensor<2x6x8xf32>
    %cst_44 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %188 = stablehlo.reduce(%185 init: %cst_44) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x8xf32>, tensor<f32>) -> tensor<8xf32>
    %189 = call @standardize_3(%113#1, %113#2, %113#3, %113#4, %113#5, %113#6, %187) : (tensor<2x6x8xf32>, tensor<2x6x1xf32>, tensor<2x6x1xf32>, tensor<2x6x1xf32>, tensor<2x6x1xf32>, tensor<2x6x8xf32>, tensor<2x6x8xf32>) -> tensor<2x6x8xf32>
    %cst_45 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %190 = stablehlo.reduce(%189 init: %cst_45) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x6x8xf32>, tensor<f32>) -> tensor<8xf32>
    %191 = stablehlo.reshape %190 : (tensor<8xf32>) -> tensor<1x1x8xf32>
    %cst_46 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %192 = stablehlo.reduce(%191 init: %cst_46) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x8xf32>, tensor<f32>) -> tensor<8xf32>
    %193 = stablehlo.dot_general %189, %107, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<2x6x8xf32>, tensor<2x6x32xf32>) -> tensor<8x32xf32>
    %194 = stablehlo.transpose %193, dims = [1, 0] : (tensor<8x32xf32>) -> tensor<32x8xf32>
    %195 = stablehlo.dot_general %189, %arg1, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x6x8xf32>, tensor<32x8xf32>) -> tensor<2x6x32xf32>
    %196 = stablehlo.multiply %89, %195 : tensor<2x6x32xf32>
    %197 = stablehlo.multiply %195, %106 : tensor<2x6x32xf32>
    %cst_47 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %198 = stablehlo.broadcast_in_dim %cst_47, dims = [] : (tensor<f32>) -> tensor<2x6x32xf32>
    %199 = stablehlo.multiply %198, %196 : tensor<2x6x32xf32>
    %200 = stablehlo.multiply %199, %102 : tensor<2x6x32xf32>
    %201 = stablehlo.multiply %200, %100 : tensor<2x6x32xf32>
    %202 = stablehlo.add %200, %201 : tensor<2x6x32xf32>
    %cst_48 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %203 = stablehlo.broadcast_in_dim %cst_48, dims = [] : (tensor<f32>) -> tensor<2x6x32xf32>
    %204 = stablehlo.multiply %203, %202 : tensor<2x6x32xf32>
    %205 = stablehlo.add %197, %204 : tensor<2x6x32xf32>
    %cst_49 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %206 = stablehlo.broadcast_in_dim %cst_49, dims = [] : (tensor<f32>) -> tensor<2x6x32xf32>
    %207 = stablehlo.multiply %206, %204 : tensor<2x6x32xf32>
    %208 = stablehlo.multiply %207, %94 : tensor<2x6x32xf32>
    %209 = stablehlo.add %205, %208 : tensor<2x6x32xf32>
    %cst_50 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %210 = stablehlo.reduce(%209 init: %cst_50) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x6x32xf32>, tensor<f32>) -> tensor<32xf32>
    %211 = stablehlo.reshape %210 : (tensor<32xf32>) -> tensor<1x1x32xf32>
    %cst_51 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %212 = stablehlo.reduce(%211 init: %cst_51) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x32xf32>, tensor<f32>) -> tensor<32xf32>
    %213 = stablehlo.dot_general %209, %85, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<2x6x32xf32>, tensor<2x6x8xf32>) -> tensor<32x8xf32>
    %214 = stablehlo.transpose %213, dims = [1, 0] : (tensor<32x8xf32>) -> tensor<8x32xf32>
    %215 = stablehlo.dot_general %209, %arg11, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x6x32xf32>, tensor<8x32xf32>) -> tensor<2x6x8xf32>
    %cst_52 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %216 = stablehlo.reduce(%215 init: %cst_52) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x6x8xf32>, tensor<f32>) -> tensor<8xf32>
    %217 = stablehlo.reshape %216 : (tensor<8xf32>) -> tensor<1x1x8xf32>
    %cst_53 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %218 = stablehlo.reduce(%217 init: %cst_53) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x8xf32>, tensor<f32>) -> tensor<8xf32>
    %219 = stablehlo.multiply %79#0, %215 : tensor<2x6x8xf32>
    %cst_54 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %220 = stablehlo.reduce(%219 init: %cst_54) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x6x8xf32>, tensor<f32>) -> tensor<8xf32>
    %221 = stablehlo.reshape %220 : (tensor<8xf32>) -> tensor<1x1x8xf32>
    %222 = stablehlo.broadcast_in_dim %80, dims = [0, 1, 2] : (tensor<1x1x8xf32>) -> tensor<2x6x8xf32>
    %223 = stablehlo.multiply %215, %222 : tensor<2x6x8xf32>
    %cst_55 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %224 = stablehlo.reduce(%221 init: %cst_55) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x8xf32>, tensor<f32>) -> tensor<8xf32>
    %225 = call @standardize_3(%79#1, %79#2, %79#3, %79#4, %79#5, %79#6, %223) : (tensor<2x6x8xf32>, tensor<2x6x1xf32>, tensor<2x6x1xf32>, tensor<2x6x1xf32>, tensor<2x6x1xf32>, tensor<2x6x8xf32>, tensor<2x6x8xf32>) -> tensor<2x6x8xf32>
    %226 = stablehlo.add %189, %225 : tensor<2x6x8xf32>
    %cst_56 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %227 = stablehlo.reduce(%226 init: %cst_56) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x6x8xf32>, tensor<f32>) -> tensor<8xf32>
    %228 = stablehlo.reshape %227 : (tensor<8xf32>) -> tensor<1x1x8xf32>
    %cst_57 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %229 = stablehlo.reduce(%228 init: %cst_57) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x8xf32>, tensor<f32>) -> tensor<8xf32>
    %230 = stablehlo.dot_general %226, %73, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<2x6x8xf32>, tensor<2x6x8xf32>) -> tensor<8x8xf32>
    %231 = stablehlo.transpose %230, dims = [1, 0] : (tensor<8x8xf32>) -> tensor<8x8xf32>
    %232 = stablehlo.dot_general %226, %arg7, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x6x8xf32>, tensor<8x8xf32>) -> tensor<2x6x8xf32>
    %233 = stablehlo.reshape %232 : (tensor<2x6x8xf32>) -> tensor<2x6x2x4xf32>
    %234 = stablehlo.reshape %233 : (tensor<2x6x2x4xf32>) -> tensor<2x6x2x1x4xf32>
    %235 = stablehlo.transpose %234, dims = [3, 0, 1, 2, 4] : (tensor<2x6x2x1x4xf32>) -> tensor<1x2x6x2x4xf32>
    %236 = stablehlo.transpose %235, dims = [1, 3, 4, 0, 2] : (tensor<1x2x6x2x4xf32>) -> tensor<2x2x4x1x6xf32>
    %237 = stablehlo.dot_general %236, %28, batching_dims = [0, 1] x [0, 2], contracting_dims = [2] x [3], precision = [DEFAULT, DEFAULT] : (tensor<2x2x4x1x6xf32>, tensor<2x6x2x4xf32>) -> tensor<2x2x1x6x6xf32>
    %238 = stablehlo.transpose %237, dims = [2, 0, 1, 3, 4] : (tensor<2x2x1x6x6xf32>) -> tensor<1x2x2x6x6xf32>
    %239 = stablehlo.dot_general %236, %65, batching_dims = [0, 1] x [1, 2], contracting_dims = [3, 4] x [0, 3], precision = [DEFAULT, DEFAULT] : (tensor<2x2x4x1x6xf32>, tensor<1x2x2x6x6xf32>) -> tensor<2x2x4x6xf32>
    %240 = stablehlo.transpose %239, dims = [0, 3, 1, 2] : (tensor<2x2x4x6xf32>) -> tensor<2x6x2x4xf32>
    %241 = stablehlo.broadcast_in_dim %68, dims = [0, 1, 2, 3, 4] : (tensor<1x2x2x6x1xf32>) -> tensor<1x2x2x6x6xf32>
    %242 = stablehlo.multiply %238, %241 : tensor<1x2x2x6x6xf32>
    %243 = stablehlo.multiply %242, %61 : tensor<1x2x2x6x6xf32>
    %cst_58 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %244 = stablehlo.reduce(%243 init: %cst_58) applies stablehlo.add across dimensions = [4] : (tensor<1x2x2x6x6xf32>, tensor<f32>) -> tensor<1x2x2x6xf32>
    %245 = stablehlo.reshape %244 : (tensor<1x2x2x6xf32>) -> tensor<1x2x2x6x1xf32>
    %246 = stablehlo.negate %245 : tensor<1x2x2x6x1xf32>
    %247 = stablehlo.broadcast_in_dim %63, dims = [0, 1, 2, 3, 4] : (tensor<1x2x2x6x1xf32>) -> tensor<1x2x2x6x6xf32>
    %248 = stablehlo.divide %238, %247 : tensor<1x2x2x6x6xf32>
    %cst_59 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %249 = stablehlo.reduce(%246 init: %cst_59) applies stablehlo.add across dimensions = [0, 4] : (tensor<1x2x2x6x1xf32>, tensor<f32>) -> tensor<2x2x6xf32>
    %250 = stablehlo.broadcast_in_dim %249, dims = [1, 2, 3] : (tensor<2x2x6xf32>) -> tensor<1x2x2x6xf32>
    %251 = stablehlo.broadcast_in_dim %250, dims = [0, 1, 2, 3] : (tensor<1x2x2x6xf32>) -> tensor<1x2x2x6x6xf32>
    %252 = stablehlo.add %248, %251 : tensor<1x2x2x6x6xf32>
    %253 = stablehlo.multiply %252, %61 : tensor<1x2x2x6x6xf32>
    %254 = call @_where_5(%39#1, %39#2, %253) : (tensor<1x2x2x6x6xi1>, tensor<1x2x2x6x6xf32>, tensor<1x2x2x6x6xf32>) -> tensor<2x2x6x1x6xf32>
    %cst_60 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %255 = stablehlo.broadcast_in_dim %cst_60, dims = [] : (tensor<f32>) -> tensor<2x2x6x1x6xf32>
    %256 = stablehlo.multiply %254, %255 : tensor<2x2x6x1x6xf32>
    %257 = stablehlo.dot_general %256, %29, batching_dims = [0, 1] x [0, 2], contracting_dims = [2, 3] x [1, 3], precision = [DEFAULT, DEFAULT] : (tensor<2x2x6x1x6xf32>, tensor<2x6x2x1x4xf32>) -> tensor<2x2x6x4xf32>
    %258 = stablehlo.transpose %257, dims = [0, 2, 1, 3] : (tensor<2x2x6x4xf32>) -> tensor<2x6x2x4xf32>
    %259 = stablehlo.dot_general %256, %26, batching_dims = [0, 1] x [0, 2], contracting_dims = [4] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x2x6x1x6xf32>, tensor<2x6x2x4xf32>) -> tensor<2x2x6x1x4xf32>
    %260 = stablehlo.transpose %259, dims = [0, 2, 1, 3, 4] : (tensor<2x2x6x1x4xf32>) -> tensor<2x6x2x1x4xf32>
    %261 = stablehlo.reshape %260 : (tensor<2x6x2x1x4xf32>) -> tensor<2x6x2x4xf32>
    %262 = stablehlo.broadcast_in_dim %240, dims = [0, 1, 3, 4] : (tensor<2x6x2x4xf32>) -> tensor<2x6x1x2x4xf32>
    %cst_61 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %263 = stablehlo.pad %262, %cst_61, low = [0, 0, 2, 0, 0], high = [0, 0, 0, 0, 0], interior = [0, 0, 0, 0, 0] : (tensor<2x6x1x2x4xf32>, tensor<f32>) -> tensor<2x6x3x2x4xf32>
    %264 = stablehlo.broadcast_in_dim %258, dims = [0, 1, 3, 4] : (tensor<2x6x2x4xf32>) -> tensor<2x6x1x2x4xf32>
    %cst_62 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %265 = stablehlo.pad %264, %cst_62, low = [0, 0, 1, 0, 0], high = [0, 0, 1, 0, 0], interior = [0, 0, 0, 0, 0] : (tensor<2x6x1x2x4xf32>, tensor<f32>) -> tensor<2x6x3x2x4xf32>
    %266 = stablehlo.add %263, %265 : tensor<2x6x3x2x4xf32>
    %267 = stablehlo.broadcast_in_dim %261, dims = [0, 1, 3, 4] : (tensor<2x6x2x4xf32>) -> tensor<2x6x1x2x4xf32>
    %cst_63 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %268 = stablehlo.pad %267, %cst_63, low = [0, 0, 0, 0, 0], high = [0, 0, 2, 0, 0], interior = [0, 0, 0, 0, 0] : (tensor<2x6x1x2x4xf32>, tensor<f32>) -> tensor<2x6x3x2x4xf32>
    %269 = stablehlo.add %266, %268 : tensor<2x6x3x2x4xf32>
    %270 = stablehlo.reshape %269 : (tensor<2x6x3x2x4xf32>) -> tensor<2x6x24xf32>
    %cst_64 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %271 = stablehlo.reduce(%270 init: %cst_64) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x6x24xf32>, tensor<f32>) -> tensor<24xf32>
    %272 = stablehlo.reshape %271 : (tensor<24xf32>) -> tensor<1x1x24xf32>
    %cst_65 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %273 = stablehlo.reduce(%272 init: %cst_65) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x24xf32>, tensor<f32>) -> tensor<24xf32>
    %274 = stablehlo.dot_general %270, %17, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<2x6x24xf32>, tensor<2x6x8xf32>) -> tensor<24x8xf32>
    %275 = stablehlo.transpose %274, dims = [1, 0] : (tensor<24x8xf32>) -> tensor<8x24xf32>
    %276 = stablehlo.dot_general %270, %arg9, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x6x24xf32>, tensor<8x24xf32>) -> tensor<2x6x8xf32>
    %cst_66 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %277 = stablehlo.reduce(%276 init: %cst_66) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x6x8xf32>, tensor<f32>) -> tensor<8xf32>
    %278 = stablehlo.reshape %277 : (tensor<8xf32>) -> tensor<1x1x8xf32>
    %cst_67 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %279 = stablehlo.reduce(%278 init: %cst_67) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x8xf32>, tensor<f32>) -> tensor<8xf32>
    %280 = stablehlo.multiply %11#0, %276 : tensor<2x6x8xf32>
    %cst_68 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %281 = stablehlo.reduce(%280 init: %cst_68) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x6x8xf32>, tensor<f32>) -> tensor<8xf32>
    %282 = stablehlo.reshape %281 : (tensor<8xf32>) -> tensor<1x1x8xf32>
    %283 = stablehlo.broadcast_in_dim %12, dims = [0, 1, 2] : (tensor<1x1x8xf32>) -> tensor<2x6x8xf32>
    %284 = stablehlo.multiply %276, %283 : tensor<2x6x8xf32>
    %cst_69 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %285 = stablehlo.reduce(%282 init: %cst_69) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x8xf32>, tensor<f32>) -> tensor<8xf32>
    %286 = call @standardize_3(%11#1, %11#2, %11#3, %11#4, %11#5, %11#6, %284) : (tensor<2x6x8xf32>, tensor<2x6x1xf32>, tensor<2x6x1xf32>, tensor<2x6x1xf32>, tensor<2x6x1xf32>, tensor<2x6x8xf32>, tensor<2x6x8xf32>) -> tensor<2x6x8xf32>
    %287 = stablehlo.add %226, %286 : tensor<2x6x8xf32>
    %cst_70 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %288 = stablehlo.reduce(%287 init: %cst_70) applies stablehlo.add across dimensions = [0] : (tensor<2x6x8xf32>, tensor<f32>) -> tensor<6x8xf32>
    %289 = stablehlo.reshape %288 : (tensor<6x8xf32>) -> tensor<1x6x8xf32>
    %cst_71 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %290 = stablehlo.reduce(%289 init: %cst_71) applies stablehlo.add across dimensions = [0] : (tensor<1x6x8xf32>, tensor<f32>) -> tensor<6x8xf32>
    %cst_72 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %291 = stablehlo.broadcast_in_dim %cst_72, dims = [] : (tensor<f32>) -> tensor<11x8xf32>
    %292 = "stablehlo.scatter"(%291, %6, %287) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 2>, unique_indices = false}> ({
    ^bb0(%arg50: tensor<f32>, %arg51: tensor<f32>):
      %915 = stablehlo.add %arg50, %arg51 : tensor<f32>
      stablehlo.return %915 : tensor<f32>
    }) : (tensor<11x8xf32>, tensor<2x6x1xi32>, tensor<2x6x8xf32>) -> tensor<11x8xf32>
    %293 = stablehlo.add %179, %292 : tensor<11x8xf32>
    %294 = chlo.square %192 : tensor<8xf32> -> tensor<8xf32>
    %cst_73 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %295 = stablehlo.broadcast_in_dim %cst_73, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %296 = chlo.square %295 : tensor<8xf32> -> tensor<8xf32>
    %297 = stablehlo.add %294, %296 : tensor<8xf32>
    %298 = chlo.square %194 : tensor<32x8xf32> -> tensor<32x8xf32>
    %cst_74 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %299 = stablehlo.broadcast_in_dim %cst_74, dims = [] : (tensor<f32>) -> tensor<32x8xf32>
    %300 = chlo.square %299 : tensor<32x8xf32> -> tensor<32x8xf32>
    %301 = stablehlo.add %298, %300 : tensor<32x8xf32>
    %302 = chlo.square %285 : tensor<8xf32> -> tensor<8xf32>
    %cst_75 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %303 = stablehlo.broadcast_in_dim %cst_75, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %304 = chlo.square %303 : tensor<8xf32> -> tensor<8xf32>
    %305 = stablehlo.add %302, %304 : tensor<8xf32>
    %306 = chlo.square %279 : tensor<8xf32> -> tensor<8xf32>
    %cst_76 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %307 = stablehlo.broadcast_in_dim %cst_76, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %308 = chlo.square %307 : tensor<8xf32> -> tensor<8xf32>
    %309 = stablehlo.add %306, %308 : tensor<8xf32>
    %310 = chlo.square %224 : tensor<8xf32> -> tensor<8xf32>
    %cst_77 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %311 = stablehlo.broadcast_in_dim %cst_77, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %312 = chlo.square %311 : tensor<8xf32> -> tensor<8xf32>
    %313 = stablehlo.add %310, %312 : tensor<8xf32>
    %314 = chlo.square %218 : tensor<8xf32> -> tensor<8xf32>
    %cst_78 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %315 = stablehlo.broadcast_in_dim %cst_78, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %316 = chlo.square %315 : tensor<8xf32> -> tensor<8xf32>
    %317 = stablehlo.add %314, %316 : tensor<8xf32>
    %318 = chlo.square %229 : tensor<8xf32> -> tensor<8xf32>
    %cst_79 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %319 = stablehlo.broadcast_in_dim %cst_79, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %320 = chlo.square %319 : tensor<8xf32> -> tensor<8xf32>
    %321 = stablehlo.add %318, %320 : tensor<8xf32>
    %322 = chlo.square %231 : tensor<8x8xf32> -> tensor<8x8xf32>
    %cst_80 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %323 = stablehlo.broadcast_in_dim %cst_80, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
    %324 = chlo.square %323 : tensor<8x8xf32> -> tensor<8x8xf32>
    %325 = stablehlo.add %322, %324 : tensor<8x8xf32>
    %326 = chlo.square %273 : tensor<24xf32> -> tensor<24xf32>
    %cst_81 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %327 = stablehlo.broadcast_in_dim %cst_81, dims = [] : (tensor<f32>) -> tensor<24xf32>
    %328 = chlo.square %327 : tensor<24xf32> -> tensor<24xf32>
    %329 = stablehlo.add %326, %328 : tensor<24xf32>
    %330 = chlo.square %275 : tensor<8x24xf32> -> tensor<8x24xf32>
    %cst_82 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %331 = stablehlo.broadcast_in_dim %cst_82, dims = [] : (tensor<f32>) -> tensor<8x24xf32>
    %332 = chlo.square %331 : tensor<8x24xf32> -> tensor<8x24xf32>
    %333 = stablehlo.add %330, %332 : tensor<8x24xf32>
    %334 = chlo.square %212 : tensor<32xf32> -> tensor<32xf32>
    %cst_83 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %335 = stablehlo.broadcast_in_dim %cst_83, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %336 = chlo.square %335 : tensor<32xf32> -> tensor<32xf32>
    %337 = stablehlo.add %334, %336 : tensor<32xf32>
    %338 = chlo.square %214 : tensor<8x32xf32> -> tensor<8x32xf32>
    %cst_84 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %339 = stablehlo.broadcast_in_dim %cst_84, dims = [] : (tensor<f32>) -> tensor<8x32xf32>
    %340 = chlo.square %339 : tensor<8x32xf32> -> tensor<8x32xf32>
    %341 = stablehlo.add %338, %340 : tensor<8x32xf32>
    %342 = chlo.square %293 : tensor<11x8xf32> -> tensor<11x8xf32>
    %cst_85 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %343 = stablehlo.broadcast_in_dim %cst_85, dims = [] : (tensor<f32>) -> tensor<11x8xf32>
    %344 = chlo.square %343 : tensor<11x8xf32> -> tensor<11x8xf32>
    %345 = stablehlo.add %342, %344 : tensor<11x8xf32>
    %346 = chlo.square %188 : tensor<8xf32> -> tensor<8xf32>
    %cst_86 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %347 = stablehlo.broadcast_in_dim %cst_86, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %348 = chlo.square %347 : tensor<8xf32> -> tensor<8xf32>
    %349 = stablehlo.add %346, %348 : tensor<8xf32>
    %350 = chlo.square %182 : tensor<8xf32> -> tensor<8xf32>
    %cst_87 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %351 = stablehlo.broadcast_in_dim %cst_87, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %352 = chlo.square %351 : tensor<8xf32> -> tensor<8xf32>
    %353 = stablehlo.add %350, %352 : tensor<8xf32>
    %354 = chlo.square %290 : tensor<6x8xf32> -> tensor<6x8xf32>
    %cst_88 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %355 = stablehlo.broadcast_in_dim %cst_88, dims = [] : (tensor<f32>) -> tensor<6x8xf32>
    %356 = chlo.square %355 : tensor<6x8xf32> -> tensor<6x8xf32>
    %357 = stablehlo.add %354, %356 : tensor<6x8xf32>
    %cst_89 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %358 = stablehlo.reduce(%297 init: %cst_89) applies stablehlo.add across dimensions = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
    %cst_90 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %359 = stablehlo.reduce(%301 init: %cst_90) applies stablehlo.add across dimensions = [0, 1] : (tensor<32x8xf32>, tensor<f32>) -> tensor<f32>
    %cst_91 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %360 = stablehlo.reduce(%305 init: %cst_91) applies stablehlo.add across dimensions = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
    %cst_92 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %361 = stablehlo.reduce(%309 init: %cst_92) applies stablehlo.add across dimensions = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
    %cst_93 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %362 = stablehlo.reduce(%313 init: %cst_93) applies stablehlo.add across dimensions = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
    %cst_94 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %363 = stablehlo.reduce(%317 init: %cst_94) applies stablehlo.add across dimensions = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
    %cst_95 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %364 = stablehlo.reduce(%321 init: %cst_95) applies stablehlo.add across dimensions = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
    %cst_96 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %365 = stablehlo.reduce(%325 init: %cst_96) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x8xf32>, tensor<f32>) -> tensor<f32>
    %cst_97 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %366 = stablehlo.reduce(%329 init: %cst_97) applies stablehlo.add across dimensions = [0] : (tensor<24xf32>, tensor<f32>) -> tensor<f32>
    %cst_98 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %367 = stablehlo.reduce(%333 init: %cst_98) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x24xf32>, tensor<f32>) -> tensor<f32>
    %cst_99 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %368 = stablehlo.reduce(%337 init: %cst_99) applies stablehlo.add across dimensions = [0] : (tensor<32xf32>, tensor<f32>) -> tensor<f32>
    %cst_100 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %369 = stablehlo.reduce(%341 init: %cst_100) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x32xf32>, tensor<f32>) -> tensor<f32>
    %cst_101 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %370 = stablehlo.reduce(%345 init: %cst_101) applies stablehlo.add across dimensions = [0, 1] : (tensor<11x8xf32>, tensor<f32>) -> tensor<f32>
    %cst_102 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %371 = stablehlo.reduce(%349 init: %cst_102) applies stablehlo.add across dimensions = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
    %cst_103 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %372 = stablehlo.reduce(%353 init: %cst_103) applies stablehlo.add across dimensions = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
    %cst_104 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %373 = stablehlo.reduce(%357 init: %cst_104) applies stablehlo.add across dimensions = [0, 1] : (tensor<6x8xf32>, tensor<f32>) -> tensor<f32>
    %cst_105 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %374 = stablehlo.add %cst_105, %358 : tensor<f32>
    %375 = stablehlo.add %374, %359 : tensor<f32>
    %376 = stablehlo.add %375, %360 : tensor<f32>
    %377 = stablehlo.add %376, %361 : tensor<f32>
    %378 = stablehlo.add %377, %362 : tensor<f32>
    %379 = stablehlo.add %378, %363 : tensor<f32>
    %380 = stablehlo.add %379, %364 : tensor<f32>
    %381 = stablehlo.add %380, %365 : tensor<f32>
    %382 = stablehlo.add %381, %366 : tensor<f32>
    %383 = stablehlo.add %382, %367 : tensor<f32>
    %384 = stablehlo.add %383, %368 : tensor<f32>
    %385 = stablehlo.add %384, %369 : tensor<f32>
    %386 = stablehlo.add %385, %370 : tensor<f32>
    %387 = stablehlo.add %386, %371 : tensor<f32>
    %388 = stablehlo.add %387, %372 : tensor<f32>
    %389 = stablehlo.add %388, %373 : tensor<f32>
    %390 = stablehlo.sqrt %389 : tensor<f32>
    %cst_106 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %391 = stablehlo.compare LT, %390, %cst_106, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %392 = stablehlo.broadcast_in_dim %390, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %393 = stablehlo.divide %192, %392 : tensor<8xf32>
    %cst_107 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %394 = stablehlo.broadcast_in_dim %cst_107, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %395 = stablehlo.multiply %393, %394 : tensor<8xf32>
    %396 = stablehlo.select %391, %192, %395 : tensor<i1>, tensor<8xf32>
    %397 = stablehlo.broadcast_in_dim %390, dims = [] : (tensor<f32>) -> tensor<32x8xf32>
    %398 = stablehlo.divide %194, %397 : tensor<32x8xf32>
    %cst_108 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %399 = stablehlo.broadcast_in_dim %cst_108, dims = [] : (tensor<f32>) -> tensor<32x8xf32>
    %400 = stablehlo.multiply %398, %399 : tensor<32x8xf32>
    %401 = stablehlo.select %391, %194, %400 : tensor<i1>, tensor<32x8xf32>
    %402 = stablehlo.broadcast_in_dim %390, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %403 = stablehlo.divide %285, %402 : tensor<8xf32>
    %cst_109 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %404 = stablehlo.broadcast_in_dim %cst_109, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %405 = stablehlo.multiply %403, %404 : tensor<8xf32>
    %406 = stablehlo.select %391, %285, %405 : tensor<i1>, tensor<8xf32>
    %407 = stablehlo.broadcast_in_dim %390, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %408 = stablehlo.divide %279, %407 : tensor<8xf32>
    %cst_110 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %409 = stablehlo.broadcast_in_dim %cst_110, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %410 = stablehlo.multiply %408, %409 : tensor<8xf32>
    %411 = stablehlo.select %391, %279, %410 : tensor<i1>, tensor<8xf32>
    %412 = stablehlo.broadcast_in_dim %390, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %413 = stablehlo.divide %224, %412 : tensor<8xf32>
    %cst_111 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %414 = stablehlo.broadcast_in_dim %cst_111, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %415 = stablehlo.multiply %413, %414 : tensor<8xf32>
    %416 = stablehlo.select %391, %224, %415 : tensor<i1>, tensor<8xf32>
    %417 = stablehlo.broadcast_in_dim %390, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %418 = stablehlo.divide %218, %417 : tensor<8xf32>
    %cst_112 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %419 = stablehlo.broadcast_in_dim %cst_112, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %420 = stablehlo.multiply %418, %419 : tensor<8xf32>
    %421 = stablehlo.select %391, %218, %420 : tensor<i1>, tensor<8xf32>
    %422 = stablehlo.broadcast_in_dim %390, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %423 = stablehlo.divide %229, %422 : tensor<8xf32>
    %cst_113 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %424 = stablehlo.broadcast_in_dim %cst_113, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %425 = stablehlo.multiply %423, %424 : tensor<8xf32>
    %426 = stablehlo.select %391, %229, %425 : tensor<i1>, tensor<8xf32>
    %427 = stablehlo.broadcast_in_dim %390, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
    %428 = stablehlo.divide %231, %427 : tensor<8x8xf32>
    %cst_114 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %429 = stablehlo.broadcast_in_dim %cst_114, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
    %430 = stablehlo.multiply %428, %429 : tensor<8x8xf32>
    %431 = stablehlo.select %391, %231, %430 : tensor<i1>, tensor<8x8xf32>
    %432 = stablehlo.broadcast_in_dim %390, dims = [] : (tensor<f32>) -> tensor<24xf32>
    %433 = stablehlo.divide %273, %432 : tensor<24xf32>
    %cst_115 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %434 = stablehlo.broadcast_in_dim %cst_115, dims = [] : (tensor<f32>) -> tensor<24xf32>
    %435 = stablehlo.multiply %433, %434 : tensor<24xf32>
    %436 = stablehlo.select %391, %273, %435 : tensor<i1>, tensor<24xf32>
    %437 = stablehlo.broadcast_in_dim %390, dims = [] : (tensor<f32>) -> tensor<8x24xf32>
    %438 = stablehlo.divide %275, %437 : tensor<8x24xf32>
    %cst_116 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %439 = stablehlo.broadcast_in_dim %cst_116, dims = [] : (tensor<f32>) -> tensor<8x24xf32>
    %440 = stablehlo.multiply %438, %439 : tensor<8x24xf32>
    %441 = stablehlo.select %391, %275, %440 : tensor<i1>, tensor<8x24xf32>
    %442 = stablehlo.broadcast_in_dim %390, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %443 = stablehlo.divide %212, %442 : tensor<32xf32>
    %cst_117 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %444 = stablehlo.broadcast_in_dim %cst_117, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %445 = stablehlo.multiply %443, %444 : tensor<32xf32>
    %446 = stablehlo.select %391, %212, %445 : tensor<i1>, tensor<32xf32>
    %447 = stablehlo.broadcast_in_dim %390, dims = [] : (tensor<f32>) -> tensor<8x32xf32>
    %448 = stablehlo.divide %214, %447 : tensor<8x32xf32>
    %cst_118 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %449 = stablehlo.broadcast_in_dim %cst_118, dims = [] : (tensor<f32>) -> tensor<8x32xf32>
    %450 = stablehlo.multiply %448, %449 : tensor<8x32xf32>
    %451 = stablehlo.select %391, %214, %450 : tensor<i1>, tensor<8x32xf32>
    %452 = stablehlo.broadcast_in_dim %390, dims = [] : (tensor<f32>) -> tensor<11x8xf32>
    %453 = stablehlo.divide %293, %452 : tensor<11x8xf32>
    %cst_119 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %454 = stablehlo.broadcast_in_dim %cst_119, dims = [] : (tensor<f32>) -> tensor<11x8xf32>
    %455 = stablehlo.multiply %453, %454 : tensor<11x8xf32>
    %456 = stablehlo.select %391, %293, %455 : tensor<i1>, tensor<11x8xf32>
    %457 = stablehlo.broadcast_in_dim %390, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %458 = stablehlo.divide %188, %457 : tensor<8xf32>
    %cst_120 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %459 = stablehlo.broadcast_in_dim %cst_120, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %460 = stablehlo.multiply %458, %459 : tensor<8xf32>
    %461 = stablehlo.select %391, %188, %460 : tensor<i1>, tensor<8xf32>
    %462 = stablehlo.broadcast_in_dim %390, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %463 = stablehlo.divide %182, %462 : tensor<8xf32>
    %cst_121 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %464 = stablehlo.broadcast_in_dim %cst_121, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %465 = stablehlo.multiply %463, %464 : tensor<8xf32>
    %466 = stablehlo.select %391, %182, %465 : tensor<i1>, tensor<8xf32>
    %467 = stablehlo.broadcast_in_dim %390, dims = [] : (tensor<f32>) -> tensor<6x8xf32>
    %468 = stablehlo.divide %290, %467 : tensor<6x8xf32>
    %cst_122 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %469 = stablehlo.broadcast_in_dim %cst_122, dims = [] : (tensor<f32>) -> tensor<6x8xf32>
    %470 = stablehlo.multiply %468, %469 : tensor<6x8xf32>
    %471 = stablehlo.select %391, %290, %470 : tensor<i1>, tensor<6x8xf32>
    %cst_123 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %472 = stablehlo.broadcast_in_dim %cst_123, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %473 = stablehlo.multiply %472, %396 : tensor<8xf32>
    %cst_124 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %474 = stablehlo.broadcast_in_dim %cst_124, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %475 = stablehlo.multiply %474, %arg17 : tensor<8xf32>
    %476 = stablehlo.add %473, %475 : tensor<8xf32>
    %cst_125 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %477 = stablehlo.broadcast_in_dim %cst_125, dims = [] : (tensor<f32>) -> tensor<32x8xf32>
    %478 = stablehlo.multiply %477, %401 : tensor<32x8xf32>
    %cst_126 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %479 = stablehlo.broadcast_in_dim %cst_126, dims = [] : (tensor<f32>) -> tensor<32x8xf32>
    %480 = stablehlo.multiply %479, %arg18 : tensor<32x8xf32>
    %481 = stablehlo.add %478, %480 : tensor<32x8xf32>
    %cst_127 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %482 = stablehlo.broadcast_in_dim %cst_127, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %483 = stablehlo.multiply %482, %406 : tensor<8xf32>
    %cst_128 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %484 = stablehlo.broadcast_in_dim %cst_128, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %485 = stablehlo.multiply %484, %arg19 : tensor<8xf32>
    %486 = stablehlo.add %483, %485 : tensor<8xf32>
    %cst_129 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %487 = stablehlo.broadcast_in_dim %cst_129, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %488 = stablehlo.multiply %487, %411 : tensor<8xf32>
    %cst_130 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %489 = stablehlo.broadcast_in_dim %cst_130, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %490 = stablehlo.multiply %489, %arg20 : tensor<8xf32>
    %491 = stablehlo.add %488, %490 : tensor<8xf32>
    %cst_131 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %492 = stablehlo.broadcast_in_dim %cst_131, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %493 = stablehlo.multiply %492, %416 : tensor<8xf32>
    %cst_132 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %494 = stablehlo.broadcast_in_dim %cst_132, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %495 = stablehlo.multiply %494, %arg21 : tensor<8xf32>
    %496 = stablehlo.add %493, %495 : tensor<8xf32>
    %cst_133 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %497 = stablehlo.broadcast_in_dim %cst_133, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %498 = stablehlo.multiply %497, %421 : tensor<8xf32>
    %cst_134 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %499 = stablehlo.broadcast_in_dim %cst_134, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %500 = stablehlo.multiply %499, %arg22 : tensor<8xf32>
    %501 = stablehlo.add %498, %500 : tensor<8xf32>
    %cst_135 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %502 = stablehlo.broadcast_in_dim %cst_135, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %503 = stablehlo.multiply %502, %426 : tensor<8xf32>
    %cst_136 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %504 = stablehlo.broadcast_in_dim %cst_136, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %505 = stablehlo.multiply %504, %arg23 : tensor<8xf32>
    %506 = stablehlo.add %503, %505 : tensor<8xf32>
    %cst_137 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %507 = stablehlo.broadcast_in_dim %cst_137, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
    %508 = stablehlo.multiply %507, %431 : tensor<8x8xf32>
    %cst_138 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %509 = stablehlo.broadcast_in_dim %cst_138, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
    %510 = stablehlo.multiply %509, %arg24 : tensor<8x8xf32>
    %511 = stablehlo.add %508, %510 : tensor<8x8xf32>
    %cst_139 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %512 = stablehlo.broadcast_in_dim %cst_139, dims = [] : (tensor<f32>) -> tensor<24xf32>
    %513 = stablehlo.multiply %512, %436 : tensor<24xf32>
    %cst_140 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %514 = stablehlo.broadcast_in_dim %cst_140, dims = [] : (tensor<f32>) -> tensor<24xf32>
    %515 = stablehlo.multiply %514, %arg25 : tensor<24xf32>
    %516 = stablehlo.add %513, %515 : tensor<24xf32>
    %cst_141 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %517 = stablehlo.broadcast_in_dim %cst_141, dims = [] : (tensor<f32>) -> tensor<8x24xf32>
    %518 = stablehlo.multiply %517, %441 : tensor<8x24xf32>
    %cst_142 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %519 = stablehlo.broadcast_in_dim %cst_142, dims = [] : (tensor<f32>) -> tensor<8x24xf32>
    %520 = stablehlo.multiply %519, %arg26 : tensor<8x24xf32>
    %521 = stablehlo.add %518, %520 : tensor<8x24xf32>
    %cst_143 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %522 = stablehlo.broadcast_in_dim %cst_143, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %523 = stablehlo.multiply %522, %446 : tensor<32xf32>
    %cst_144 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %524 = stablehlo.broadcast_in_dim %cst_144, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %525 = stablehlo.multiply %524, %arg27 : tensor<32xf32>
    %526 = stablehlo.add %523, %525 : tensor<32xf32>
    %cst_145 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %527 = stablehlo.broadcast_in_dim %cst_145, dims = [] : (tensor<f32>) -> tensor<8x32xf32>
    %528 = stablehlo.multiply %527, %451 : tensor<8x32xf32>
    %cst_146 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %529 = stablehlo.broadcast_in_dim %cst_146, dims = [] : (tensor<f32>) -> tensor<8x32xf32>
    %530 = stablehlo.multiply %529, %arg28 : tensor<8x32xf32>
    %531 = stablehlo.add %528, %530 : tensor<8x32xf32>
    %cst_147 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %532 = stablehlo.broadcast_in_dim %cst_147, dims = [] : (tensor<f32>) -> tensor<11x8xf32>
    %533 = stablehlo.multiply %532, %456 : tensor<11x8xf32>
    %cst_148 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %534 = stablehlo.broadcast_in_dim %cst_148, dims = [] : (tensor<f32>) -> tensor<11x8xf32>
    %535 = stablehlo.multiply %534, %arg29 : tensor<11x8xf32>
    %536 = stablehlo.add %533, %535 : tensor<11x8xf32>
    %cst_149 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %537 = stablehlo.broadcast_in_dim %cst_149, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %538 = stablehlo.multiply %537, %461 : tensor<8xf32>
    %cst_150 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %539 = stablehlo.broadcast_in_dim %cst_150, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %540 = stablehlo.multiply %539, %arg30 : tensor<8xf32>
    %541 = stablehlo.add %538, %540 : tensor<8xf32>
    %cst_151 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %542 = stablehlo.broadcast_in_dim %cst_151, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %543 = stablehlo.multiply %542, %466 : tensor<8xf32>
    %cst_152 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %544 = stablehlo.broadcast_in_dim %cst_152, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %545 = stablehlo.multiply %544, %arg31 : tensor<8xf32>
    %546 = stablehlo.add %543, %545 : tensor<8xf32>
    %cst_153 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %547 = stablehlo.broadcast_in_dim %cst_153, dims = [] : (tensor<f32>) -> tensor<6x8xf32>
    %548 = stablehlo.multiply %547, %471 : tensor<6x8xf32>
    %cst_154 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %549 = stablehlo.broadcast_in_dim %cst_154, dims = [] : (tensor<f32>) -> tensor<6x8xf32>
    %550 = stablehlo.multiply %549, %arg32 : tensor<6x8xf32>
    %551 = stablehlo.add %548, %550 : tensor<6x8xf32>
    %552 = stablehlo.multiply %396, %396 : tensor<8xf32>
    %cst_155 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %553 = stablehlo.broadcast_in_dim %cst_155, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %554 = stablehlo.multiply %553, %552 : tensor<8xf32>
    %cst_156 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %555 = stablehlo.broadcast_in_dim %cst_156, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %556 = stablehlo.multiply %555, %arg33 : tensor<8xf32>
    %557 = stablehlo.add %554, %556 : tensor<8xf32>
    %558 = stablehlo.multiply %401, %401 : tensor<32x8xf32>
    %cst_157 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %559 = stablehlo.broadcast_in_dim %cst_157, dims = [] : (tensor<f32>) -> tensor<32x8xf32>
    %560 = stablehlo.multiply %559, %558 : tensor<32x8xf32>
    %cst_158 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %561 = stablehlo.broadcast_in_dim %cst_158, dims = [] : (tensor<f32>) -> tensor<32x8xf32>
    %562 = stablehlo.multiply %561, %arg34 : tensor<32x8xf32>
    %563 = stablehlo.add %560, %562 : tensor<32x8xf32>
    %564 = stablehlo.multiply %406, %406 : tensor<8xf32>
    %cst_159 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %565 = stablehlo.broadcast_in_dim %cst_159, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %566 = stablehlo.multiply %565, %564 : tensor<8xf32>
    %cst_160 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %567 = stablehlo.broadcast_in_dim %cst_160, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %568 = stablehlo.multiply %567, %arg35 : tensor<8xf32>
    %569 = stablehlo.add %566, %568 : tensor<8xf32>
    %570 = stablehlo.multiply %411, %411 : tensor<8xf32>
    %cst_161 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %571 = stablehlo.broadcast_in_dim %cst_161, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %572 = stablehlo.multiply %571, %570 : tensor<8xf32>
    %cst_162 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %573 = stablehlo.broadcast_in_dim %cst_162, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %574 = stablehlo.multiply %573, %arg36 : tensor<8xf32>
    %575 = stablehlo.add %572, %574 : tensor<8xf32>
    %576 = stablehlo.multiply %416, %416 : tensor<8xf32>
    %cst_163 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %577 = stablehlo.broadcast_in_dim %cst_163, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %578 = stablehlo.multiply %577, %576 : tensor<8xf32>
    %cst_164 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %579 = stablehlo.broadcast_in_dim %cst_164, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %580 = stablehlo.multiply %579, %arg37 : tensor<8xf32>
    %581 = stablehlo.add %578, %580 : tensor<8xf32>
    %582 = stablehlo.multiply %421, %421 : tensor<8xf32>
    %cst_165 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %583 = stablehlo.broadcast_in_dim %cst_165, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %584 = stablehlo.multiply %583, %582 : tensor<8xf32>
    %cst_166 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %585 = stablehlo.broadcast_in_dim %cst_166, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %586 = stablehlo.multiply %585, %arg38 : tensor<8xf32>
    %587 = stablehlo.add %584, %586 : tensor<8xf32>
    %588 = stablehlo.multiply %426, %426 : tensor<8xf32>
    %cst_167 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %589 = stablehlo.broadcast_in_dim %cst_167, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %590 = stablehlo.multiply %589, %588 : tensor<8xf32>
    %cst_168 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %591 = stablehlo.broadcast_in_dim %cst_168, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %592 = stablehlo.multiply %591, %arg39 : tensor<8xf32>
    %593 = stablehlo.add %590, %592 : tensor<8xf32>
    %594 = stablehlo.multiply %431, %431 : tensor<8x8xf32>
    %cst_169 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %595 = stablehlo.broadcast_in_dim %cst_169, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
    %596 = stablehlo.multiply %595, %594 : tensor<8x8xf32>
    %cst_170 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %597 = stablehlo.broadcast_in_dim %cst_170, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
    %598 = stablehlo.multiply %597, %arg40 : tensor<8x8xf32>
    %599 = stablehlo.add %596, %598 : tensor<8x8xf32>
    %600 = stablehlo.multiply %436, %436 : tensor<24xf32>
    %cst_171 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %601 = stablehlo.broadcast_in_dim %cst_171, dims = [] : (tensor<f32>) -> tensor<24xf32>
    %602 = stablehlo.multiply %601, %600 : tensor<24xf32>
    %cst_172 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %603 = stablehlo.broadcast_in_dim %cst_172, dims = [] : (tensor<f32>) -> tensor<24xf32>
    %604 = stablehlo.multiply %603, %arg41 : tensor<24xf32>
    %605 = stablehlo.add %602, %604 : tensor<24xf32>
    %606 = stablehlo.multiply %441, %441 : tensor<8x24xf32>
    %cst_173 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %607 = stablehlo.broadcast_in_dim %cst_173, dims = [] : (tensor<f32>) -> tensor<8x24xf32>
    %608 = stablehlo.multiply %607, %606 : tensor<8x24xf32>
    %cst_174 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %609 = stablehlo.broadcast_in_dim %cst_174, dims = [] : (tensor<f32>) -> tensor<8x24xf32>
    %610 = stablehlo.multiply %609, %arg42 : tensor<8x24xf32>
    %611 = stablehlo.add %608, %610 : tensor<8x24xf32>
    %612 = stablehlo.multiply %446, %446 : tensor<32xf32>
    %cst_175 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %613 = stablehlo.broadcast_in_dim %cst_175, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %614 = stablehlo.multiply %613, %612 : tensor<32xf32>
    %cst_176 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %615 = stablehlo.broadcast_in_dim %cst_176, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %616 = stablehlo.multiply %615, %arg43 : tensor<32xf32>
    %617 = stablehlo.add %614, %616 : tensor<32xf32>
    %618 = stablehlo.multiply %451, %451 : tensor<8x32xf32>
    %cst_177 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %619 = stablehlo.broadcast_in_dim %cst_177, dims = [] : (tensor<f32>) -> tensor<8x32xf32>
    %620 = stablehlo.multiply %619, %618 : tensor<8x32xf32>
    %cst_178 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %621 = stablehlo.broadcast_in_dim %cst_178, dims = [] : (tensor<f32>) -> tensor<8x32xf32>
    %622 = stablehlo.multiply %621, %arg44 : tensor<8x32xf32>
    %623 = stablehlo.add %620, %622 : tensor<8x32xf32>
    %624 = stablehlo.multiply %456, %456 : tensor<11x8xf32>
    %cst_179 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %625 = stablehlo.broadcast_in_dim %cst_179, dims = [] : (tensor<f32>) -> tensor<11x8xf32>
    %626 = stablehlo.multiply %625, %624 : tensor<11x8xf32>
    %cst_180 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %627 = stablehlo.broadcast_in_dim %cst_180, dims = [] : (tensor<f32>) -> tensor<11x8xf32>
    %628 = stablehlo.multiply %627, %arg45 : tensor<11x8xf32>
    %629 = stablehlo.add %626, %628 : tensor<11x8xf32>
    %630 = stablehlo.multiply %461, %461 : tensor<8xf32>
    %cst_181 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %631 = stablehlo.broadcast_in_dim %cst_181, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %632 = stablehlo.multiply %631, %630 : tensor<8xf32>
    %cst_182 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %633 = stablehlo.broadcast_in_dim %cst_182, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %634 = stablehlo.multiply %633, %arg46 : tensor<8xf32>
    %635 = stablehlo.add %632, %634 : tensor<8xf32>
    %636 = stablehlo.multiply %466, %466 : tensor<8xf32>
    %cst_183 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %637 = stablehlo.broadcast_in_dim %cst_183, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %638 = stablehlo.multiply %637, %636 : tensor<8xf32>
    %cst_184 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %639 = stablehlo.broadcast_in_dim %cst_184, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %640 = stablehlo.multiply %639, %arg47 : tensor<8xf32>
    %641 = stablehlo.add %638, %640 : tensor<8xf32>
    %642 = stablehlo.multiply %471, %471 : tensor<6x8xf32>
    %cst_185 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %643 = stablehlo.broadcast_in_dim %cst_185, dims = [] : (tensor<f32>) -> tensor<6x8xf32>
    %644 = stablehlo.multiply %643, %642 : tensor<6x8xf32>
    %cst_186 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %645 = stablehlo.broadcast_in_dim %cst_186, dims = [] : (tensor<f32>) -> tensor<6x8xf32>
    %646 = stablehlo.multiply %645, %arg48 : tensor<6x8xf32>
    %647 = stablehlo.add %644, %646 : tensor<6x8xf32>
    %c_187 = stablehlo.constant dense<2147483647> : tensor<i32>
    %648 = stablehlo.compare LT, %arg16, %c_187, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_188 = stablehlo.constant dense<1> : tensor<i32>
    %649 = stablehlo.add %arg16, %c_188 : tensor<i32>
    %c_189 = stablehlo.constant dense<2147483647> : tensor<i32>
    %650 = call @_where_6(%648, %649, %c_189) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
    %651 = stablehlo.convert %650 : (tensor<i32>) -> tensor<f32>
    %cst_190 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %652 = stablehlo.convert %650 : (tensor<i32>) -> tensor<f32>
    %653 = stablehlo.power %cst_190, %652 : tensor<f32>
    %cst_191 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %654 = stablehlo.subtract %cst_191, %653 : tensor<f32>
    %655 = stablehlo.broadcast_in_dim %654, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %656 = stablehlo.divide %476, %655 : tensor<8xf32>
    %657 = stablehlo.broadcast_in_dim %654, dims = [] : (tensor<f32>) -> tensor<32x8xf32>
    %658 = stablehlo.divide %481, %657 : tensor<32x8xf32>
    %659 = stablehlo.broadcast_in_dim %654, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %660 = stablehlo.divide %486, %659 : tensor<8xf32>
    %661 = stablehlo.broadcast_in_dim %654, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %662 = stablehlo.divide %491, %661 : tensor<8xf32>
    %663 = stablehlo.broadcast_in_dim %654, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %664 = stablehlo.divide %496, %663 : tensor<8xf32>
    %665 = stablehlo.broadcast_in_dim %654, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %666 = stablehlo.divide %501, %665 : tensor<8xf32>
    %667 = stablehlo.broadcast_in_dim %654, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %668 = stablehlo.divide %506, %667 : tensor<8xf32>
    %669 = stablehlo.broadcast_in_dim %654, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
    %670 = stablehlo.divide %511, %669 : tensor<8x8xf32>
    %671 = stablehlo.broadcast_in_dim %654, dims = [] : (tensor<f32>) -> tensor<24xf32>
    %672 = stablehlo.divide %516, %671 : tensor<24xf32>
    %673 = stablehlo.broadcast_in_dim %654, dims = [] : (tensor<f32>) -> tensor<8x24xf32>
    %674 = stablehlo.divide %521, %673 : tensor<8x24xf32>
    %675 = stablehlo.broadcast_in_dim %654, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %676 = stablehlo.divide %526, %675 : tensor<32xf32>
    %677 = stablehlo.broadcast_in_dim %654, dims = [] : (tensor<f32>) -> tensor<8x32xf32>
    %678 = stablehlo.divide %531, %677 : tensor<8x32xf32>
    %679 = stablehlo.broadcast_in_dim %654, dims = [] : (tensor<f32>) -> tensor<11x8xf32>
    %680 = stablehlo.divide %536, %679 : tensor<11x8xf32>
    %681 = stablehlo.broadcast_in_dim %654, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %682 = stablehlo.divide %541, %681 : tensor<8xf32>
    %683 = stablehlo.broadcast_in_dim %654, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %684 = stablehlo.divide %546, %683 : tensor<8xf32>
    %685 = stablehlo.broadcast_in_dim %654, dims = [] : (tensor<f32>) -> tensor<6x8xf32>
    %686 = stablehlo.divide %551, %685 : tensor<6x8xf32>
    %687 = stablehlo.convert %650 : (tensor<i32>) -> tensor<f32>
    %cst_192 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %688 = stablehlo.convert %650 : (tensor<i32>) -> tensor<f32>
    %689 = stablehlo.power %cst_192, %688 : tensor<f32>
    %cst_193 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %690 = stablehlo.subtract %cst_193, %689 : tensor<f32>
    %691 = stablehlo.broadcast_in_dim %690, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %692 = stablehlo.divide %557, %691 : tensor<8xf32>
    %693 = stablehlo.broadcast_in_dim %690, dims = [] : (tensor<f32>) -> tensor<32x8xf32>
    %694 = stablehlo.divide %563, %693 : tensor<32x8xf32>
    %695 = stablehlo.broadcast_in_dim %690, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %696 = stablehlo.divide %569, %695 : tensor<8xf32>
    %697 = stablehlo.broadcast_in_dim %690, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %698 = stablehlo.divide %575, %697 : tensor<8xf32>
    %699 = stablehlo.broadcast_in_dim %690, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %700 = stablehlo.divide %581, %699 : tensor<8xf32>
    %701 = stablehlo.broadcast_in_dim %690, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %702 = stablehlo.divide %587, %701 : tensor<8xf32>
    %703 = stablehlo.broadcast_in_dim %690, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %704 = stablehlo.divide %593, %703 : tensor<8xf32>
    %705 = stablehlo.broadcast_in_dim %690, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
    %706 = stablehlo.divide %599, %705 : tensor<8x8xf32>
    %707 = stablehlo.broadcast_in_dim %690, dims = [] : (tensor<f32>) -> tensor<24xf32>
    %708 = stablehlo.divide %605, %707 : tensor<24xf32>
    %709 = stablehlo.broadcast_in_dim %690, dims = [] : (tensor<f32>) -> tensor<8x24xf32>
    %710 = stablehlo.divide %611, %709 : tensor<8x24xf32>
    %711 = stablehlo.broadcast_in_dim %690, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %712 = stablehlo.divide %617, %711 : tensor<32xf32>
    %713 = stablehlo.broadcast_in_dim %690, dims = [] : (tensor<f32>) -> tensor<8x32xf32>
    %714 = stablehlo.divide %623, %713 : tensor<8x32xf32>
    %715 = stablehlo.broadcast_in_dim %690, dims = [] : (tensor<f32>) -> tensor<11x8xf32>
    %716 = stablehlo.divide %629, %715 : tensor<11x8xf32>
    %717 = stablehlo.broadcast_in_dim %690, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %718 = stablehlo.divide %635, %717 : tensor<8xf32>
    %719 = stablehlo.broadcast_in_dim %690, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %720 = stablehlo.divide %641, %719 : tensor<8xf32>
    %721 = stablehlo.broadcast_in_dim %690, dims = [] : (tensor<f32>) -> tensor<6x8xf32>
    %722 = stablehlo.divide %647, %721 : tensor<6x8xf32>
    %cst_194 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %723 = stablehlo.broadcast_in_dim %cst_194, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %724 = stablehlo.add %692, %723 : tensor<8xf32>
    %725 = stablehlo.sqrt %724 : tensor<8xf32>
    %cst_195 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %726 = stablehlo.broadcast_in_dim %cst_195, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %727 = stablehlo.add %725, %726 : tensor<8xf32>
    %728 = stablehlo.divide %656, %727 : tensor<8xf32>
    %cst_196 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %729 = stablehlo.broadcast_in_dim %cst_196, dims = [] : (tensor<f32>) -> tensor<32x8xf32>
    %730 = stablehlo.add %694, %729 : tensor<32x8xf32>
    %731 = stablehlo.sqrt %730 : tensor<32x8xf32>
    %cst_197 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %732 = stablehlo.broadcast_in_dim %cst_197, dims = [] : (tensor<f32>) -> tensor<32x8xf32>
    %733 = stablehlo.add %731, %732 : tensor<32x8xf32>
    %734 = stablehlo.divide %658, %733 : tensor<32x8xf32>
    %cst_198 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %735 = stablehlo.broadcast_in_dim %cst_198, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %736 = stablehlo.add %696, %735 : tensor<8xf32>
    %737 = stablehlo.sqrt %736 : tensor<8xf32>
    %cst_199 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %738 = stablehlo.broadcast_in_dim %cst_199, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %739 = stablehlo.add %737, %738 : tensor<8xf32>
    %740 = stablehlo.divide %660, %739 : tensor<8xf32>
    %cst_200 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %741 = stablehlo.broadcast_in_dim %cst_200, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %742 = stablehlo.add %698, %741 : tensor<8xf32>
    %743 = stablehlo.sqrt %742 : tensor<8xf32>
    %cst_201 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %744 = stablehlo.broadcast_in_dim %cst_201, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %745 = stablehlo.add %743, %744 : tensor<8xf32>
    %746 = stablehlo.divide %662, %745 : tensor<8xf32>
    %cst_202 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %747 = stablehlo.broadcast_in_dim %cst_202, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %748 = stablehlo.add %700, %747 : tensor<8xf32>
    %749 = stablehlo.sqrt %748 : tensor<8xf32>
    %cst_203 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %750 = stablehlo.broadcast_in_dim %cst_203, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %751 = stablehlo.add %749, %750 : tensor<8xf32>
    %752 = stablehlo.divide %664, %751 : tensor<8xf32>
    %cst_204 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %753 = stablehlo.broadcast_in_dim %cst_204, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %754 = stablehlo.add %702, %753 : tensor<8xf32>
    %755 = stablehlo.sqrt %754 : tensor<8xf32>
    %cst_205 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %756 = stablehlo.broadcast_in_dim %cst_205, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %757 = stablehlo.add %755, %756 : tensor<8xf32>
    %758 = stablehlo.divide %666, %757 : tensor<8xf32>
    %cst_206 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %759 = stablehlo.broadcast_in_dim %cst_206, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %760 = stablehlo.add %704, %759 : tensor<8xf32>
    %761 = stablehlo.sqrt %760 : tensor<8xf32>
    %cst_207 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %762 = stablehlo.broadcast_in_dim %cst_207, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %763 = stablehlo.add %761, %762 : tensor<8xf32>
    %764 = stablehlo.divide %668, %763 : tensor<8xf32>
    %cst_208 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %765 = stablehlo.broadcast_in_dim %cst_208, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
    %766 = stablehlo.add %706, %765 : tensor<8x8xf32>
    %767 = stablehlo.sqrt %766 : tensor<8x8xf32>
    %cst_209 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %768 = stablehlo.broadcast_in_dim %cst_209, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
    %769 = stablehlo.add %767, %768 : tensor<8x8xf32>
    %770 = stablehlo.divide %670, %769 : tensor<8x8xf32>
    %cst_210 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %771 = stablehlo.broadcast_in_dim %cst_210, dims = [] : (tensor<f32>) -> tensor<24xf32>
    %772 = stablehlo.add %708, %771 : tensor<24xf32>
    %773 = stablehlo.sqrt %772 : tensor<24xf32>
    %cst_211 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %774 = stablehlo.broadcast_in_dim %cst_211, dims = [] : (tensor<f32>) -> tensor<24xf32>
    %775 = stablehlo.add %773, %774 : tensor<24xf32>
    %776 = stablehlo.divide %672, %775 : tensor<24xf32>
    %cst_212 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %777 = stablehlo.broadcast_in_dim %cst_212, dims = [] : (tensor<f32>) -> tensor<8x24xf32>
    %778 = stablehlo.add %710, %777 : tensor<8x24xf32>
    %779 = stablehlo.sqrt %778 : tensor<8x24xf32>
    %cst_213 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %780 = stablehlo.broadcast_in_dim %cst_213, dims = [] : (tensor<f32>) -> tensor<8x24xf32>
    %781 = stablehlo.add %779, %780 : tensor<8x24xf32>
    %782 = stablehlo.divide %674, %781 : tensor<8x24xf32>
    %cst_214 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %783 = stablehlo.broadcast_in_dim %cst_214, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %784 = stablehlo.add %712, %783 : tensor<32xf32>
    %785 = stablehlo.sqrt %784 : tensor<32xf32>
    %cst_215 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %786 = stablehlo.broadcast_in_dim %cst_215, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %787 = stablehlo.add %785, %786 : tensor<32xf32>
    %788 = stablehlo.divide %676, %787 : tensor<32xf32>
    %cst_216 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %789 = stablehlo.broadcast_in_dim %cst_216, dims = [] : (tensor<f32>) -> tensor<8x32xf32>
    %790 = stablehlo.add %714, %789 : tensor<8x32xf32>
    %791 = stablehlo.sqrt %790 : tensor<8x32xf32>
    %cst_217 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %792 = stablehlo.broadcast_in_dim %cst_217, dims = [] : (tensor<f32>) -> tensor<8x32xf32>
    %793 = stablehlo.add %791, %792 : tensor<8x32xf32>
    %794 = stablehlo.divide %678, %793 : tensor<8x32xf32>
    %cst_218 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %795 = stablehlo.broadcast_in_dim %cst_218, dims = [] : (tensor<f32>) -> tensor<11x8xf32>
    %796 = stablehlo.add %716, %795 : tensor<11x8xf32>
    %797 = stablehlo.sqrt %796 : tensor<11x8xf32>
    %cst_219 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %798 = stablehlo.broadcast_in_dim %cst_219, dims = [] : (tensor<f32>) -> tensor<11x8xf32>
    %799 = stablehlo.add %797, %798 : tensor<11x8xf32>
    %800 = stablehlo.divide %680, %799 : tensor<11x8xf32>
    %cst_220 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %801 = stablehlo.broadcast_in_dim %cst_220, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %802 = stablehlo.add %718, %801 : tensor<8xf32>
    %803 = stablehlo.sqrt %802 : tensor<8xf32>
    %cst_221 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %804 = stablehlo.broadcast_in_dim %cst_221, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %805 = stablehlo.add %803, %804 : tensor<8xf32>
    %806 = stablehlo.divide %682, %805 : tensor<8xf32>
    %cst_222 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %807 = stablehlo.broadcast_in_dim %cst_222, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %808 = stablehlo.add %720, %807 : tensor<8xf32>
    %809 = stablehlo.sqrt %808 : tensor<8xf32>
    %cst_223 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %810 = stablehlo.broadcast_in_dim %cst_223, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %811 = stablehlo.add %809, %810 : tensor<8xf32>
    %812 = stablehlo.divide %684, %811 : tensor<8xf32>
    %cst_224 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %813 = stablehlo.broadcast_in_dim %cst_224, dims = [] : (tensor<f32>) -> tensor<6x8xf32>
    %814 = stablehlo.add %722, %813 : tensor<6x8xf32>
    %815 = stablehlo.sqrt %814 : tensor<6x8xf32>
    %cst_225 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %816 = stablehlo.broadcast_in_dim %cst_225, dims = [] : (tensor<f32>) -> tensor<6x8xf32>
    %817 = stablehlo.add %815, %816 : tensor<6x8xf32>
    %818 = stablehlo.divide %686, %817 : tensor<6x8xf32>
    %cst_226 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %819 = stablehlo.broadcast_in_dim %cst_226, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %820 = stablehlo.multiply %819, %arg0 : tensor<8xf32>
    %821 = stablehlo.add %728, %820 : tensor<8xf32>
    %cst_227 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %822 = stablehlo.broadcast_in_dim %cst_227, dims = [] : (tensor<f32>) -> tensor<32x8xf32>
    %823 = stablehlo.multiply %822, %arg1 : tensor<32x8xf32>
    %824 = stablehlo.add %734, %823 : tensor<32x8xf32>
    %cst_228 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %825 = stablehlo.broadcast_in_dim %cst_228, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %826 = stablehlo.multiply %825, %arg2 : tensor<8xf32>
    %827 = stablehlo.add %740, %826 : tensor<8xf32>
    %cst_229 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %828 = stablehlo.broadcast_in_dim %cst_229, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %829 = stablehlo.multiply %828, %arg3 : tensor<8xf32>
    %830 = stablehlo.add %746, %829 : tensor<8xf32>
    %cst_230 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %831 = stablehlo.broadcast_in_dim %cst_230, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %832 = stablehlo.multiply %831, %arg4 : tensor<8xf32>
    %833 = stablehlo.add %752, %832 : tensor<8xf32>
    %cst_231 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %834 = stablehlo.broadcast_in_dim %cst_231, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %835 = stablehlo.multiply %834, %arg5 : tensor<8xf32>
    %836 = stablehlo.add %758, %835 : tensor<8xf32>
    %cst_232 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %837 = stablehlo.broadcast_in_dim %cst_232, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %838 = stablehlo.multiply %837, %arg6 : tensor<8xf32>
    %839 = stablehlo.add %764, %838 : tensor<8xf32>
    %cst_233 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %840 = stablehlo.broadcast_in_dim %cst_233, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
    %841 = stablehlo.multiply %840, %arg7 : tensor<8x8xf32>
    %842 = stablehlo.add %770, %841 : tensor<8x8xf32>
    %cst_234 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %843 = stablehlo.broadcast_in_dim %cst_234, dims = [] : (tensor<f32>) -> tensor<24xf32>
    %844 = stablehlo.multiply %843, %arg8 : tensor<24xf32>
    %845 = stablehlo.add %776, %844 : tensor<24xf32>
    %cst_235 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %846 = stablehlo.broadcast_in_dim %cst_235, dims = [] : (tensor<f32>) -> tensor<8x24xf32>
    %847 = stablehlo.multiply %846, %arg9 : tensor<8x24xf32>
    %848 = stablehlo.add %782, %847 : tensor<8x24xf32>
    %cst_236 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %849 = stablehlo.broadcast_in_dim %cst_236, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %850 = stablehlo.multiply %849, %arg10 : tensor<32xf32>
    %851 = stablehlo.add %788, %850 : tensor<32xf32>
    %cst_237 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %852 = stablehlo.broadcast_in_dim %cst_237, dims = [] : (tensor<f32>) -> tensor<8x32xf32>
    %853 = stablehlo.multiply %852, %arg11 : tensor<8x32xf32>
    %854 = stablehlo.add %794, %853 : tensor<8x32xf32>
    %cst_238 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %855 = stablehlo.broadcast_in_dim %cst_238, dims = [] : (tensor<f32>) -> tensor<11x8xf32>
    %856 = stablehlo.multiply %855, %arg12 : tensor<11x8xf32>
    %857 = stablehlo.add %800, %856 : tensor<11x8xf32>
    %cst_239 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %858 = stablehlo.broadcast_in_dim %cst_239, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %859 = stablehlo.multiply %858, %arg13 : tensor<8xf32>
    %860 = stablehlo.add %806, %859 : tensor<8xf32>
    %cst_240 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %861 = stablehlo.broadcast_in_dim %cst_240, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %862 = stablehlo.multiply %861, %arg14 : tensor<8xf32>
    %863 = stablehlo.add %812, %862 : tensor<8xf32>
    %cst_241 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %864 = stablehlo.broadcast_in_dim %cst_241, dims = [] : (tensor<f32>) -> tensor<6x8xf32>
    %865 = stablehlo.multiply %864, %arg15 : tensor<6x8xf32>
    %866 = stablehlo.add %818, %865 : tensor<6x8xf32>
    %cst_242 = stablehlo.constant dense<-1.000000e-03> : tensor<f32>
    %867 = stablehlo.broadcast_in_dim %cst_242, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %868 = stablehlo.multiply %867, %821 : tensor<8xf32>
    %cst_243 = stablehlo.constant dense<-1.000000e-03> : tensor<f32>
    %869 = stablehlo.broadcast_in_dim %cst_243, dims = [] : (tensor<f32>) -> tensor<32x8xf32>
    %870 = stablehlo.multiply %869, %824 : tensor<32x8xf32>
    %cst_244 = stablehlo.constant dense<-1.000000e-03> : tensor<f32>
    %871 = stablehlo.broadcast_in_dim %cst_244, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %872 = stablehlo.multiply %871, %827 : tensor<8xf32>
    %cst_245 = stablehlo.constant dense<-1.000000e-03> : tensor<f32>
    %873 = stablehlo.broadcast_in_dim %cst_245, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %874 = stablehlo.multiply %873, %830 : tensor<8xf32>
    %cst_246 = stablehlo.constant dense<-1.000000e-03> : tensor<f32>
    %875 = stablehlo.broadcast_in_dim %cst_246, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %876 = stablehlo.multiply %875, %833 : tensor<8xf32>
    %cst_247 = stablehlo.constant dense<-1.000000e-03> : tensor<f32>
    %877 = stablehlo.broadcast_in_dim %cst_247, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %878 = stablehlo.multiply %877, %836 : tensor<8xf32>
    %cst_248 = stablehlo.constant dense<-1.000000e-03> : tensor<f32>
    %879 = stablehlo.broadcast_in_dim %cst_248, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %880 = stablehlo.multiply %879, %839 : tensor<8xf32>
    %cst_249 = stablehlo.constant dense<-1.000000e-03> : tensor<f32>
    %881 = stablehlo.broadcast_in_dim %cst_249, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
    %882 = stablehlo.multiply %881, %842 : tensor<8x8xf32>
    %cst_250 = stablehlo.constant dense<-1.000000e-03> : tensor<f32>
    %883 = stablehlo.broadcast_in_dim %cst_250, dims = [] : (tensor<f32>) -> tensor<24xf32>
    %884 = stablehlo.multiply %883, %845 : tensor<24xf32>
    %cst_251 = stablehlo.constant dense<-1.000000e-03> : tensor<f32>
    %885 = stablehlo.broadcast_in_dim %cst_251, dims = [] : (tensor<f32>) -> tensor<8x24xf32>
    %886 = stablehlo.multiply %885, %848 : tensor<8x24xf32>
    %cst_252 = stablehlo.constant dense<-1.000000e-03> : tensor<f32>
    %887 = stablehlo.broadcast_in_dim %cst_252, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %888 = stablehlo.multiply %887, %851 : tensor<32xf32>
    %cst_253 = stablehlo.constant dense<-1.000000e-03> : tensor<f32>
    %889 = stablehlo.broadcast_in_dim %cst_253, dims = [] : (tensor<f32>) -> tensor<8x32xf32>
    %890 = stablehlo.multiply %889, %854 : tensor<8x32xf32>
    %cst_254 = stablehlo.constant dense<-1.000000e-03> : tensor<f32>
    %891 = stablehlo.broadcast_in_dim %cst_254, dims = [] : (tensor<f32>) -> tensor<11x8xf32>
    %892 = stablehlo.multiply %891, %857 : tensor<11x8xf32>
    %cst_255 = stablehlo.constant dense<-1.000000e-03> : tensor<f32>
    %893 = stablehlo.broadcast_in_dim %cst_255, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %894 = stablehlo.multiply %893, %860 : tensor<8xf32>
    %cst_256 = stablehlo.constant dense<-1.000000e-03> : tensor<f32>
    %895 = stablehlo.broadcast_in_dim %cst_256, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %896 = stablehlo.multiply %895, %863 : tensor<8xf32>
    %cst_257 = stablehlo.constant dense<-1.000000e-03> : tensor<f32>
    %897 = stablehlo.broadcast_in_dim %cst_257, dims = [] : (tensor<f32>) -> tensor<6x8xf32>
    %898 = stablehlo.multiply %897, %866 : tensor<6x8xf32>
    %899 = stablehlo.add %arg0, %868 : tensor<8xf32>
    %900 = stablehlo.add %arg1, %870 : tensor<32x8xf32>
    %901 = stablehlo.add %arg2, %872 : tensor<8xf32>
    %902 = stablehlo.add %arg3, %874 : tensor<8xf32>
    %903 = stablehlo.add %arg4, %876 : tensor<8xf32>
    %904 = stablehlo.add %arg5, %878 : tensor<8xf32>
    %905 = stablehlo.add %arg6, %880 : tensor<8xf32>
    %906 = stablehlo.add %arg7, %882 : tensor<8x8xf32>
    %907 = stablehlo.add %arg8, %884 : tensor<24xf32>
    %908 = stablehlo.add %arg9, %886 : tensor<8x24xf32>
    %909 = stablehlo.add %arg10, %888 : tensor<32xf32>
    %910 = stablehlo.add %arg11, %890 : tensor<8x32xf32>
    %911 = stablehlo.add %arg12, %892 : tensor<11x8xf32>
    %912 = stablehlo.add %arg13, %894 : tensor<8xf32>
    %913 = stablehlo.add %arg14, %896 : tensor<8xf32>
    %914 = stablehlo.add %arg15, %898 : tensor<6x8xf32>
    return %899, %900, %901, %902, %903, %904, %905, %906, %907, %908, %909, %910, %911, %912, %913, %914, %650, %476, %481, %486, %491, %496, %501, %506, %511, %516, %521, %526, %531, %536, %541, %546, %551, %557, %563, %569, %575, %581, %587, %593, %599, %605, %611, %617, %623, %629, %635, %641, %647, %161 : tensor<8xf32>, tensor<32x8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8x8xf32>, tensor<24xf32>, tensor<8x24xf32>, tensor<32xf32>, tensor<8x32xf32>, tensor<11x8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<6x8xf32>, tensor<i32>, tensor<8xf32>, tensor<32x8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8x8xf32>, tensor<24xf32>, tensor<8x24xf32>, tensor<32xf32>, tensor<8x32xf32>, tensor<11x8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<6x8xf32>, tensor<8xf32>, tensor<32x8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8x8xf32>, tensor<24xf32>, tensor<8x24xf32>, tensor<32xf32>, tensor<8x32xf32>, tensor<11x8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<6x8xf32>, tensor<f32>
  }
  func.func private @standardize(%arg0: tensor<2x6x8xf32>, %arg1: tensor<f32>) -> (tensor<2x6x8xf32>, tensor<2x6x8xf32>, tensor<2x6x1xf32>, tensor<2x6x1xf32>, tensor<2x6x1xf32>, tensor<2x6x1xf32>, tensor<2x6x8xf32>) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.add across dimensions = [2] : (tensor<2x6x8xf32>, tensor<f32>) -> tensor<2x6xf32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [0, 1] : (tensor<2x6xf32>) -> tensor<2x6x1xf32>
    %cst_0 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<2x6x1xf32>
    %3 = stablehlo.divide %1, %2 : tensor<2x6x1xf32>
    %4 = chlo.square %arg0 : tensor<2x6x8xf32> -> tensor<2x6x8xf32>
    %cst_1 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<2x6x8xf32>
    %6 = stablehlo.multiply %5, %arg0 : tensor<2x6x8xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.reduce(%4 init: %cst_2) applies stablehlo.add across dimensions = [2] : (tensor<2x6x8xf32>, tensor<f32>) -> tensor<2x6xf32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [0, 1] : (tensor<2x6xf32>) -> tensor<2x6x1xf32>
    %cst_3 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %9 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<2x6x1xf32>
    %10 = stablehlo.divide %8, %9 : tensor<2x6x1xf32>
    %11 = chlo.square %3 : tensor<2x6x1xf32> -> tensor<2x6x1xf32>
    %cst_4 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %12 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<2x6x1xf32>
    %13 = stablehlo.multiply %12, %3 : tensor<2x6x1xf32>
    %14 = stablehlo.subtract %10, %11 : tensor<2x6x1xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %15:2 = call @clip(%14, %c) : (tensor<2x6x1xf32>, tensor<i32>) -> (tensor<2x6x1xf32>, tensor<2x6x1xf32>)
    %16 = stablehlo.broadcast_in_dim %3, dims = [0, 1, 2] : (tensor<2x6x1xf32>) -> tensor<2x6x8xf32>
    %17 = stablehlo.subtract %arg0, %16 : tensor<2x6x8xf32>
    %18 = stablehlo.convert %arg1 : tensor<f32>
    %19 = stablehlo.broadcast_in_dim %18, dims = [] : (tensor<f32>) -> tensor<2x6x1xf32>
    %20 = stablehlo.add %15#0, %19 : tensor<2x6x1xf32>
    %21 = stablehlo.rsqrt %20 : tensor<2x6x1xf32>
    %22 = stablehlo.divide %21, %20 : tensor<2x6x1xf32>
    %cst_5 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %23 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<2x6x1xf32>
    %24 = stablehlo.multiply %23, %22 : tensor<2x6x1xf32>
    %25 = stablehlo.broadcast_in_dim %21, dims = [0, 1, 2] : (tensor<2x6x1xf32>) -> tensor<2x6x8xf32>
    %26 = stablehlo.multiply %17, %25 : tensor<2x6x8xf32>
    return %26, %6, %13, %15#1, %24, %21, %17 : tensor<2x6x8xf32>, tensor<2x6x8xf32>, tensor<2x6x1xf32>, tensor<2x6x1xf32>, tensor<2x6x1xf32>, tensor<2x6x1xf32>, tensor<2x6x8xf32>
  }
  func.func private @clip(%arg0: tensor<2x6x1xf32>, %arg1: tensor<i32>) -> (tensor<2x6x1xf32>, tensor<2x6x1xf32>) {
    %0 = stablehlo.convert %arg1 : (tensor<i32>) -> tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<2x6x1xf32>
    %2 = stablehlo.maximum %1, %arg0 : tensor<2x6x1xf32>
    %3 = stablehlo.compare EQ, %arg0, %2, FLOAT : (tensor<2x6x1xf32>, tensor<2x6x1xf32>) -> tensor<2x6x1xi1>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x6x1xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<2x6x1xf32>
    %6 = stablehlo.select %3, %4, %5 : tensor<2x6x1xi1>, tensor<2x6x1xf32>
    %7 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<2x6x1xf32>
    %8 = stablehlo.compare EQ, %7, %2, FLOAT : (tensor<2x6x1xf32>, tensor<2x6x1xf32>) -> tensor<2x6x1xi1>
    %cst_1 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %9 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<2x6x1xf32>
    %cst_2 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %10 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<2x6x1xf32>
    %11 = stablehlo.select %8, %9, %10 : tensor<2x6x1xi1>, tensor<2x6x1xf32>
    %12 = stablehlo.divide %6, %11 : tensor<2x6x1xf32>
    return %2, %12 : tensor<2x6x1xf32>, tensor<2x6x1xf32>
  }
  func.func private @tril(%arg0: tensor<6x6xi1>) -> tensor<6x6xi1> {
    %0 = stablehlo.iota dim = 0 : tensor<6x6xi32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<6x6xi32>
    %2 = stablehlo.add %0, %1 : tensor<6x6xi32>
    %3 = stablehlo.iota dim = 1 : tensor<6x6xi32>
    %4 = stablehlo.compare GE, %2, %3, SIGNED : (tensor<6x6xi32>, tensor<6x6xi32>) -> tensor<6x6xi1>
    %c_0 = stablehlo.constant dense<false> : tensor<i1>
    %5 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i1>) -> tensor<6x6xi1>
    %6 = stablehlo.select %4, %arg0, %5 : tensor<6x6xi1>, tensor<6x6xi1>
    return %6 : tensor<6x6xi1>
  }
  func.func private @_where(%arg0: tensor<2x2x6x6xi1>, %arg1: tensor<2x2x6x1x6xf32>, %arg2: tensor<f32>) -> (tensor<1x2x2x6x6xf32>, tensor<1x2x2x6x6xi1>, tensor<1x2x2x6x6xf32>) {
    %0 = stablehlo.broadcast_in_dim %arg2, dims = [] : (tensor<f32>) -> tensor<2x2x6x6xf32>
    %1 = stablehlo.broadcast_in_dim %arg0, dims = [1, 2, 3, 4] : (tensor<2x2x6x6xi1>) -> tensor<1x2x2x6x6xi1>
    %2 = stablehlo.broadcast_in_dim %0, dims = [1, 2, 3, 4] : (tensor<2x2x6x6xf32>) -> tensor<1x2x2x6x6xf32>
    %3 = stablehlo.transpose %arg1, dims = [3, 0, 1, 2, 4] : (tensor<2x2x6x1x6xf32>) -> tensor<1x2x2x6x6xf32>
    %4 = stablehlo.select %1, %3, %2 : tensor<1x2x2x6x6xi1>, tensor<1x2x2x6x6xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<1x2x2x6x6xf32>
    return %4, %1, %5 : tensor<1x2x2x6x6xf32>, tensor<1x2x2x6x6xi1>, tensor<1x2x2x6x6xf32>
  }
  func.func private @take_along_axis(%arg0: tensor<2x6x11xf32>, %arg1: tensor<2x6x1xi32>) -> (tensor<2x6x1xf32>, tensor<2x6x1x1xi32>) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<2x6x1xi32>
    %1 = stablehlo.compare LT, %arg1, %0, SIGNED : (tensor<2x6x1xi32>, tensor<2x6x1xi32>) -> tensor<2x6x1xi1>
    %c_0 = stablehlo.constant dense<11> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<2x6x1xi32>
    %3 = stablehlo.add %arg1, %2 : tensor<2x6x1xi32>
    %4 = stablehlo.select %1, %3, %arg1 : tensor<2x6x1xi1>, tensor<2x6x1xi32>
    %5 = stablehlo.reshape %4 : (tensor<2x6x1xi32>) -> tensor<2x6x1x1xi32>
    %c_1 = stablehlo.constant dense<10> : tensor<1xi32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %6 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<2x6x1x1xi32>
    %7 = stablehlo.compare GE, %5, %6, SIGNED : (tensor<2x6x1x1xi32>, tensor<2x6x1x1xi32>) -> tensor<2x6x1x1xi1>
    %8 = stablehlo.broadcast_in_dim %c_1, dims = [3] : (tensor<1xi32>) -> tensor<1x1x1x1xi32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1, 2, 3] : (tensor<1x1x1x1xi32>) -> tensor<2x6x1x1xi32>
    %10 = stablehlo.compare LE, %5, %9, SIGNED : (tensor<2x6x1x1xi32>, tensor<2x6x1x1xi32>) -> tensor<2x6x1x1xi1>
    %11 = stablehlo.and %7, %10 : tensor<2x6x1x1xi1>
    %c_3 = stablehlo.constant dense<true> : tensor<i1>
    %12 = stablehlo.reduce(%11 init: %c_3) applies stablehlo.and across dimensions = [3] : (tensor<2x6x1x1xi1>, tensor<i1>) -> tensor<2x6x1xi1>
    %13 = "stablehlo.gather"(%arg0, %5) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [2], operand_batching_dims = [0, 1], start_indices_batching_dims = [0, 1], start_index_map = [2], index_vector_dim = 3>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1, 1>}> : (tensor<2x6x11xf32>, tensor<2x6x1x1xi32>) -> tensor<2x6x1xf32>
    %cst = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %14 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x6x1xf32>
    %15 = stablehlo.select %12, %13, %14 : tensor<2x6x1xi1>, tensor<2x6x1xf32>
    return %15, %5 : tensor<2x6x1xf32>, tensor<2x6x1x1xi32>
  }
  func.func private @_take(%arg0: tensor<2x6x1xf32>, %arg1: tensor<i32>) -> (tensor<2x6xf32>, tensor<1xi32>) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.compare LT, %arg1, %c, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %1 = stablehlo.add %arg1, %c_0 : tensor<i32>
    %2 = call @_where_0(%0, %1, %arg1) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
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
    %10 = "stablehlo.gather"(%arg0, %4) <{dimension_numbers = #stablehlo.gather<offset_dims = [0, 1], collapsed_slice_dims = [2], start_index_map = [2]>, indices_are_sorted = false, slice_sizes = array<i64: 2, 6, 1>}> : (tensor<2x6x1xf32>, tensor<1xi32>) -> tensor<2x6xf32>
    %11 = stablehlo.broadcast_in_dim %9, dims = [] : (tensor<i1>) -> tensor<2x6xi1>
    %cst = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %12 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x6xf32>
    %13 = stablehlo.select %11, %10, %12 : tensor<2x6xi1>, tensor<2x6xf32>
    return %13, %3 : tensor<2x6xf32>, tensor<1xi32>
  }
  func.func private @_where_0(%arg0: tensor<i1>, %arg1: tensor<i32>, %arg2: tensor<i32>) -> tensor<i32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<i1>, tensor<i32>
    return %0 : tensor<i32>
  }
  func.func private @_take_1(%arg0: tensor<1xi32>, %arg1: tensor<2x6xf32>) -> tensor<2x6x1xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x6x1xf32>
    %1 = "stablehlo.scatter"(%0, %arg0, %arg1) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0, 1], inserted_window_dims = [2], scatter_dims_to_operand_dims = [2]>, unique_indices = false}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %2 = stablehlo.add %arg2, %arg3 : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }) : (tensor<2x6x1xf32>, tensor<1xi32>, tensor<2x6xf32>) -> tensor<2x6x1xf32>
    return %1 : tensor<2x6x1xf32>
  }
  func.func private @take_along_axis_2(%arg0: tensor<2x6x1x1xi32>, %arg1: tensor<2x6x1xf32>) -> tensor<2x6x11xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x6x11xf32>
    %1 = "stablehlo.scatter"(%0, %arg0, %arg1) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [2], input_batching_dims = [0, 1], scatter_indices_batching_dims = [0, 1], scatter_dims_to_operand_dims = [2], index_vector_dim = 3>, unique_indices = false}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %2 = stablehlo.add %arg2, %arg3 : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }) : (tensor<2x6x11xf32>, tensor<2x6x1x1xi32>, tensor<2x6x1xf32>) -> tensor<2x6x11xf32>
    return %1 : tensor<2x6x11xf32>
  }
  func.func private @standardize_3(%arg0: tensor<2x6x8xf32>, %arg1: tensor<2x6x1xf32>, %arg2: tensor<2x6x1xf32>, %arg3: tensor<2x6x1xf32>, %arg4: tensor<2x6x1xf32>, %arg5: tensor<2x6x8xf32>, %arg6: tensor<2x6x8xf32>) -> tensor<2x6x8xf32> {
    %0 = stablehlo.multiply %arg5, %arg6 : tensor<2x6x8xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [2] : (tensor<2x6x8xf32>, tensor<f32>) -> tensor<2x6xf32>
    %2 = stablehlo.reshape %1 : (tensor<2x6xf32>) -> tensor<2x6x1xf32>
    %3 = stablehlo.broadcast_in_dim %arg4, dims = [0, 1, 2] : (tensor<2x6x1xf32>) -> tensor<2x6x8xf32>
    %4 = stablehlo.multiply %arg6, %3 : tensor<2x6x8xf32>
    %5 = stablehlo.multiply %2, %arg3 : tensor<2x6x1xf32>
    %6 = stablehlo.negate %4 : tensor<2x6x8xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.reduce(%6 init: %cst_0) applies stablehlo.add across dimensions = [2] : (tensor<2x6x8xf32>, tensor<f32>) -> tensor<2x6xf32>
    %8 = stablehlo.reshape %7 : (tensor<2x6xf32>) -> tensor<2x6x1xf32>
    %9 = call @clip_4(%arg2, %5) : (tensor<2x6x1xf32>, tensor<2x6x1xf32>) -> tensor<2x6x1xf32>
    %10 = stablehlo.negate %9 : tensor<2x6x1xf32>
    %11 = stablehlo.multiply %10, %arg1 : tensor<2x6x1xf32>
    %12 = stablehlo.add %8, %11 : tensor<2x6x1xf32>
    %cst_1 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %13 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<2x6x1xf32>
    %14 = stablehlo.divide %9, %13 : tensor<2x6x1xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %15 = stablehlo.reduce(%14 init: %cst_2) applies stablehlo.add across dimensions = [2] : (tensor<2x6x1xf32>, tensor<f32>) -> tensor<2x6xf32>
    %16 = stablehlo.broadcast_in_dim %15, dims = [0, 1] : (tensor<2x6xf32>) -> tensor<2x6x8xf32>
    %17 = stablehlo.multiply %16, %arg0 : tensor<2x6x8xf32>
    %18 = stablehlo.add %4, %17 : tensor<2x6x8xf32>
    %cst_3 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %19 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<2x6x1xf32>
    %20 = stablehlo.divide %12, %19 : tensor<2x6x1xf32>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %21 = stablehlo.reduce(%20 init: %cst_4) applies stablehlo.add across dimensions = [2] : (tensor<2x6x1xf32>, tensor<f32>) -> tensor<2x6xf32>
    %22 = stablehlo.broadcast_in_dim %21, dims = [0, 1] : (tensor<2x6xf32>) -> tensor<2x6x8xf32>
    %23 = stablehlo.add %18, %22 : tensor<2x6x8xf32>
    return %23 : tensor<2x6x8xf32>
  }
  func.func private @clip_4(%arg0: tensor<2x6x1xf32>, %arg1: tensor<2x6x1xf32>) -> tensor<2x6x1xf32> {
    %0 = stablehlo.multiply %arg1, %arg0 : tensor<2x6x1xf32>
    return %0 : tensor<2x6x1xf32>
  }
  func.func private @_where_5(%arg0: tensor<1x2x2x6x6xi1>, %arg1: tensor<1x2x2x6x6xf32>, %arg2: tensor<1x2x2x6x6xf32>) -> tensor<2x2x6x1x6xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<1x2x2x6x6xf32>
    %1 = stablehlo.select %arg0, %arg2, %0 : tensor<1x2x2x6x6xi1>, tensor<1x2x2x6x6xf32>
    %2 = stablehlo.transpose %1, dims = [1, 2, 3, 0, 4] : (tensor<1x2x2x6x6xf32>) -> tensor<2x2x6x1x6xf32>
    return %2 : tensor<2x2x6x1x6xf32>
  }
  func.func private @_where_6(%arg0: tensor<i1>, %arg1: tensor<i32>, %arg2: tensor<i32>) -> tensor<i32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<i1>, tensor<i32>
    return %0 : tensor<i32>
  }
}
