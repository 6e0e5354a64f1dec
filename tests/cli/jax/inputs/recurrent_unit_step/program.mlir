module @jit_step attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4xf32> {tf.aliasing_output = 0 : i32}, %arg1: tensor<4xf32> {tf.aliasing_output = 1 : i32}, %arg2: tensor<3x4xcomplex<f32>> {tf.aliasing_output = 2 : i32}, %arg3: tensor<4x1xcomplex<f32>> {tf.aliasing_output = 3 : i32}, %arg4: tensor<6x2x3xf32>, %arg5: tensor<6x2xf32>) -> (tensor<4xf32> {jax.result_info = "result[0]['angle']"}, tensor<4xf32> {jax.result_info = "result[0]['decay']"}, tensor<3x4xcomplex<f32>> {jax.result_info = "result[0]['in']"}, tensor<4x1xcomplex<f32>> {jax.result_info = "result[0]['out']"}, tensor<f32> {jax.result_info = "result[1]"}) {
    %0 = stablehlo.exponential %arg1 : tensor<4xf32>
    %1 = stablehlo.negate %0 : tensor<4xf32>
    %2 = stablehlo.convert %arg0 : (tensor<4xf32>) -> tensor<4xcomplex<f32>>
    %cst = stablehlo.constant dense<(0.000000e+00,1.000000e+00)> : tensor<complex<f32>>
    %3 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<complex<f32>>) -> tensor<4xcomplex<f32>>
    %4 = stablehlo.multiply %3, %2 : tensor<4xcomplex<f32>>
    %5 = stablehlo.convert %1 : (tensor<4xf32>) -> tensor<4xcomplex<f32>>
    %6 = stablehlo.add %5, %4 : tensor<4xcomplex<f32>>
    %7 = stablehlo.exponential %6 : tensor<4xcomplex<f32>>
    %8 = stablehlo.convert %arg4 : (tensor<6x2x3xf32>) -> tensor<6x2x3xcomplex<f32>>
    %9 = stablehlo.convert %arg2 : tensor<3x4xcomplex<f32>>
    %10 = stablehlo.dot_general %8, %9, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x2x3xcomplex<f32>>, tensor<3x4xcomplex<f32>>) -> tensor<6x2x4xcomplex<f32>>
    %cst_0 = stablehlo.constant dense<(0.000000e+00,0.000000e+00)> : tensor<complex<f32>>
    %11 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<complex<f32>>) -> tensor<2x4xcomplex<f32>>
    %12 = stablehlo.broadcast_in_dim %7, dims = [1] : (tensor<4xcomplex<f32>>) -> tensor<1x4xcomplex<f32>>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %13 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<6x2xf32>
    %cst_2 = stablehlo.constant dense<(0.000000e+00,0.000000e+00)> : tensor<complex<f32>>
    %14 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<complex<f32>>) -> tensor<6x2x4xcomplex<f32>>
    %cst_3 = stablehlo.constant dense<(0.000000e+00,0.000000e+00)> : tensor<complex<f32>>
    %15 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<complex<f32>>) -> tensor<6x2x4xcomplex<f32>>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %16:8 = stablehlo.while(%iterArg = %10, %iterArg_30 = %12, %iterArg_31 = %arg3, %iterArg_32 = %c, %iterArg_33 = %11, %iterArg_34 = %13, %iterArg_35 = %14, %iterArg_36 = %15) : tensor<6x2x4xcomplex<f32>>, tensor<1x4xcomplex<f32>>, tensor<4x1xcomplex<f32>>, tensor<i32>, tensor<2x4xcomplex<f32>>, tensor<6x2xf32>, tensor<6x2x4xcomplex<f32>>, tensor<6x2x4xcomplex<f32>>
    cond {
      %c_37 = stablehlo.constant dense<6> : tensor<i32>
      %98 = stablehlo.compare LT, %iterArg_32, %c_37, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %98 : tensor<i1>
    } do {
      %98 = func.call @dynamic_index_in_dim(%iterArg, %iterArg_32) : (tensor<6x2x4xcomplex<f32>>, tensor<i32>) -> tensor<2x4xcomplex<f32>>
      %99:4 = func.call @closed_call(%iterArg_30, %iterArg_31, %iterArg_33, %98) : (tensor<1x4xcomplex<f32>>, tensor<4x1xcomplex<f32>>, tensor<2x4xcomplex<f32>>, tensor<2x4xcomplex<f32>>) -> (tensor<2x4xcomplex<f32>>, tensor<2xf32>, tensor<2x4xcomplex<f32>>, tensor<2x4xcomplex<f32>>)
      %100 = func.call @dynamic_update_index_in_dim(%iterArg_34, %99#1, %iterArg_32) : (tensor<6x2xf32>, tensor<2xf32>, tensor<i32>) -> tensor<6x2xf32>
      %101 = func.call @dynamic_update_index_in_dim_0(%iterArg_35, %99#2, %iterArg_32) : (tensor<6x2x4xcomplex<f32>>, tensor<2x4xcomplex<f32>>, tensor<i32>) -> tensor<6x2x4xcomplex<f32>>
      %102 = func.call @dynamic_update_index_in_dim_0(%iterArg_36, %99#3, %iterArg_32) : (tensor<6x2x4xcomplex<f32>>, tensor<2x4xcomplex<f32>>, tensor<i32>) -> tensor<6x2x4xcomplex<f32>>
      %c_37 = stablehlo.constant dense<1> : tensor<i32>
      %103 = stablehlo.add %iterArg_32, %c_37 : tensor<i32>
      stablehlo.return %iterArg, %iterArg_30, %iterArg_31, %103, %99#0, %100, %101, %102 : tensor<6x2x4xcomplex<f32>>, tensor<1x4xcomplex<f32>>, tensor<4x1xcomplex<f32>>, tensor<i32>, tensor<2x4xcomplex<f32>>, tensor<6x2xf32>, tensor<6x2x4xcomplex<f32>>, tensor<6x2x4xcomplex<f32>>
    }
    %17 = stablehlo.subtract %16#5, %arg5 : tensor<6x2xf32>
    %18 = stablehlo.transpose %17, dims = [1, 0] : (tensor<6x2xf32>) -> tensor<2x6xf32>
    %19 = call @fft(%18) : (tensor<2x6xf32>) -> tensor<2x4xcomplex<f32>>
    %20 = stablehlo.transpose %19, dims = [1, 0] : (tensor<2x4xcomplex<f32>>) -> tensor<4x2xcomplex<f32>>
    %21 = stablehlo.subtract %16#5, %arg5 : tensor<6x2xf32>
    %22 = stablehlo.multiply %21, %21 : tensor<6x2xf32>
    %cst_4 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %23 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<6x2xf32>
    %24 = stablehlo.multiply %23, %21 : tensor<6x2xf32>
    %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %25 = stablehlo.reduce(%22 init: %cst_5) applies stablehlo.add across dimensions = [0, 1] : (tensor<6x2xf32>, tensor<f32>) -> tensor<f32>
    %cst_6 = stablehlo.constant dense<1.200000e+01> : tensor<f32>
    %26 = stablehlo.divide %25, %cst_6 : tensor<f32>
    %27 = stablehlo.abs %20 : (tensor<4x2xcomplex<f32>>) -> tensor<4x2xf32>
    %28 = stablehlo.real %20 : (tensor<4x2xcomplex<f32>>) -> tensor<4x2xf32>
    %29 = stablehlo.imag %20 : (tensor<4x2xcomplex<f32>>) -> tensor<4x2xf32>
    %30 = stablehlo.negate %29 : tensor<4x2xf32>
    %31 = stablehlo.complex %28, %30 : tensor<4x2xcomplex<f32>>
    %32 = stablehlo.convert %27 : (tensor<4x2xf32>) -> tensor<4x2xcomplex<f32>>
    %cst_7 = stablehlo.constant dense<(0.000000e+00,0.000000e+00)> : tensor<complex<f32>>
    %33 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<complex<f32>>) -> tensor<4x2xcomplex<f32>>
    %34 = stablehlo.compare EQ, %32, %33, FLOAT : (tensor<4x2xcomplex<f32>>, tensor<4x2xcomplex<f32>>) -> tensor<4x2xi1>
    %cst_8 = stablehlo.constant dense<(1.000000e+00,0.000000e+00)> : tensor<complex<f32>>
    %35 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<complex<f32>>) -> tensor<4x2xcomplex<f32>>
    %36 = stablehlo.select %34, %35, %32 : tensor<4x2xi1>, tensor<4x2xcomplex<f32>>
    %37 = stablehlo.divide %31, %36 : tensor<4x2xcomplex<f32>>
    %38 = stablehlo.multiply %27, %27 : tensor<4x2xf32>
    %cst_9 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %39 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<4x2xf32>
    %40 = stablehlo.multiply %39, %27 : tensor<4x2xf32>
    %cst_10 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %41 = stablehlo.reduce(%38 init: %cst_10) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x2xf32>, tensor<f32>) -> tensor<f32>
    %cst_11 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %42 = stablehlo.divide %41, %cst_11 : tensor<f32>
    %cst_12 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %43 = stablehlo.multiply %cst_12, %42 : tensor<f32>
    %44 = stablehlo.add %26, %43 : tensor<f32>
    %cst_13 = stablehlo.constant dense<(0.000000e+00,0.000000e+00)> : tensor<complex<f32>>
    %45 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<complex<f32>>) -> tensor<2x4xcomplex<f32>>
    %cst_14 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %cst_15 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %46 = stablehlo.multiply %cst_14, %cst_15 : tensor<f32>
    %cst_16 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %47 = stablehlo.divide %46, %cst_16 : tensor<f32>
    %48 = stablehlo.broadcast_in_dim %47, dims = [] : (tensor<f32>) -> tensor<4x2xf32>
    %49 = stablehlo.multiply %48, %40 : tensor<4x2xf32>
    %cst_17 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %50 = stablehlo.broadcast_in_dim %cst_17, dims = [] : (tensor<f32>) -> tensor<4x2xf32>
    %51 = stablehlo.complex %49, %50 : tensor<4x2xcomplex<f32>>
    %52 = stablehlo.multiply %51, %37 : tensor<4x2xcomplex<f32>>
    %cst_18 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %cst_19 = stablehlo.constant dense<1.200000e+01> : tensor<f32>
    %53 = stablehlo.divide %cst_18, %cst_19 : tensor<f32>
    %54 = stablehlo.broadcast_in_dim %53, dims = [] : (tensor<f32>) -> tensor<6x2xf32>
    %55 = stablehlo.multiply %54, %24 : tensor<6x2xf32>
    %56 = stablehlo.transpose %52, dims = [1, 0] : (tensor<4x2xcomplex<f32>>) -> tensor<2x4xcomplex<f32>>
    %57 = call @fft_1(%56) : (tensor<2x4xcomplex<f32>>) -> tensor<2x6xf32>
    %58 = stablehlo.transpose %57, dims = [1, 0] : (tensor<2x6xf32>) -> tensor<6x2xf32>
    %59 = stablehlo.add %55, %58 : tensor<6x2xf32>
    %cst_20 = stablehlo.constant dense<(0.000000e+00,0.000000e+00)> : tensor<complex<f32>>
    %60 = stablehlo.broadcast_in_dim %cst_20, dims = [] : (tensor<complex<f32>>) -> tensor<2x4xcomplex<f32>>
    %cst_21 = stablehlo.constant dense<(0.000000e+00,0.000000e+00)> : tensor<complex<f32>>
    %61 = stablehlo.broadcast_in_dim %cst_21, dims = [] : (tensor<complex<f32>>) -> tensor<4xcomplex<f32>>
    %cst_22 = stablehlo.constant dense<(0.000000e+00,0.000000e+00)> : tensor<complex<f32>>
    %62 = stablehlo.broadcast_in_dim %cst_22, dims = [] : (tensor<complex<f32>>) -> tensor<4x1xcomplex<f32>>
    %cst_23 = stablehlo.constant dense<(0.000000e+00,0.000000e+00)> : tensor<complex<f32>>
    %63 = stablehlo.broadcast_in_dim %cst_23, dims = [] : (tensor<complex<f32>>) -> tensor<6x2x4xcomplex<f32>>
    %c_24 = stablehlo.constant dense<0> : tensor<i32>
    %64:10 = stablehlo.while(%iterArg = %59, %iterArg_30 = %16#6, %iterArg_31 = %16#7, %iterArg_32 = %12, %iterArg_33 = %arg3, %iterArg_34 = %c_24, %iterArg_35 = %61, %iterArg_36 = %62, %iterArg_37 = %60, %iterArg_38 = %63) : tensor<6x2xf32>, tensor<6x2x4xcomplex<f32>>, tensor<6x2x4xcomplex<f32>>, tensor<1x4xcomplex<f32>>, tensor<4x1xcomplex<f32>>, tensor<i32>, tensor<4xcomplex<f32>>, tensor<4x1xcomplex<f32>>, tensor<2x4xcomplex<f32>>, tensor<6x2x4xcomplex<f32>>
    cond {
      %c_39 = stablehlo.constant dense<6> : tensor<i32>
      %98 = stablehlo.compare LT, %iterArg_34, %c_39, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %98 : tensor<i1>
    } do {
      %c_39 = stablehlo.constant dense<6> : tensor<i32>
      %98 = stablehlo.subtract %c_39, %iterArg_34 : tensor<i32>
      %c_40 = stablehlo.constant dense<1> : tensor<i32>
      %99 = stablehlo.subtract %98, %c_40 : tensor<i32>
      %100 = func.call @dynamic_index_in_dim_3(%iterArg, %99) : (tensor<6x2xf32>, tensor<i32>) -> tensor<2xf32>
      %101 = func.call @dynamic_index_in_dim(%iterArg_30, %99) : (tensor<6x2x4xcomplex<f32>>, tensor<i32>) -> tensor<2x4xcomplex<f32>>
      %102 = func.call @dynamic_index_in_dim(%iterArg_31, %99) : (tensor<6x2x4xcomplex<f32>>, tensor<i32>) -> tensor<2x4xcomplex<f32>>
      %103:4 = func.call @closed_call_4(%iterArg_32, %iterArg_33, %iterArg_35, %iterArg_36, %iterArg_37, %100, %101, %102) : (tensor<1x4xcomplex<f32>>, tensor<4x1xcomplex<f32>>, tensor<4xcomplex<f32>>, tensor<4x1xcomplex<f32>>, tensor<2x4xcomplex<f32>>, tensor<2xf32>, tensor<2x4xcomplex<f32>>, tensor<2x4xcomplex<f32>>) -> (tensor<4xcomplex<f32>>, tensor<4x1xcomplex<f32>>, tensor<2x4xcomplex<f32>>, tensor<2x4xcomplex<f32>>)
      %104 = func.call @dynamic_update_index_in_dim_0(%iterArg_38, %103#3, %99) : (tensor<6x2x4xcomplex<f32>>, tensor<2x4xcomplex<f32>>, tensor<i32>) -> tensor<6x2x4xcomplex<f32>>
      %c_41 = stablehlo.constant dense<1> : tensor<i32>
      %105 = stablehlo.add %iterArg_34, %c_41 : tensor<i32>
      stablehlo.return %iterArg, %iterArg_30, %iterArg_31, %iterArg_32, %iterArg_33, %105, %103#0, %103#1, %103#2, %104 : tensor<6x2xf32>, tensor<6x2x4xcomplex<f32>>, tensor<6x2x4xcomplex<f32>>, tensor<1x4xcomplex<f32>>, tensor<4x1xcomplex<f32>>, tensor<i32>, tensor<4xcomplex<f32>>, tensor<4x1xcomplex<f32>>, tensor<2x4xcomplex<f32>>, tensor<6x2x4xcomplex<f32>>
    }
    %65 = stablehlo.convert %64#9 : tensor<6x2x4xcomplex<f32>>
    %66 = stablehlo.convert %arg4 : (tensor<6x2x3xf32>) -> tensor<6x2x3xcomplex<f32>>
    %67 = stablehlo.dot_general %65, %66, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<6x2x4xcomplex<f32>>, tensor<6x2x3xcomplex<f32>>) -> tensor<4x3xcomplex<f32>>
    %68 = stablehlo.transpose %67, dims = [1, 0] : (tensor<4x3xcomplex<f32>>) -> tensor<3x4xcomplex<f32>>
    %69 = stablehlo.multiply %64#6, %7 : tensor<4xcomplex<f32>>
    %70 = stablehlo.real %69 : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
    %71 = stablehlo.convert %70 : tensor<4xf32>
    %cst_25 = stablehlo.constant dense<(0.000000e+00,1.000000e+00)> : tensor<complex<f32>>
    %72 = stablehlo.broadcast_in_dim %cst_25, dims = [] : (tensor<complex<f32>>) -> tensor<4xcomplex<f32>>
    %73 = stablehlo.multiply %72, %69 : tensor<4xcomplex<f32>>
    %74 = stablehlo.real %73 : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
    %75 = stablehlo.convert %74 : tensor<4xf32>
    %76 = stablehlo.negate %71 : tensor<4xf32>
    %77 = stablehlo.multiply %76, %0 : tensor<4xf32>
    %cst_26 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %78 = stablehlo.broadcast_in_dim %cst_26, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %79 = stablehlo.multiply %78, %75 : tensor<4xf32>
    %80 = stablehlo.subtract %arg0, %79 : tensor<4xf32>
    %cst_27 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %81 = stablehlo.broadcast_in_dim %cst_27, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %82 = stablehlo.multiply %81, %77 : tensor<4xf32>
    %83 = stablehlo.subtract %arg1, %82 : tensor<4xf32>
    %84 = stablehlo.real %68 : (tensor<3x4xcomplex<f32>>) -> tensor<3x4xf32>
    %85 = stablehlo.imag %68 : (tensor<3x4xcomplex<f32>>) -> tensor<3x4xf32>
    %86 = stablehlo.negate %85 : tensor<3x4xf32>
    %87 = stablehlo.complex %84, %86 : tensor<3x4xcomplex<f32>>
    %cst_28 = stablehlo.constant dense<(1.000000e-01,0.000000e+00)> : tensor<complex<f32>>
    %88 = stablehlo.broadcast_in_dim %cst_28, dims = [] : (tensor<complex<f32>>) -> tensor<3x4xcomplex<f32>>
    %89 = stablehlo.multiply %88, %87 : tensor<3x4xcomplex<f32>>
    %90 = stablehlo.subtract %arg2, %89 : tensor<3x4xcomplex<f32>>
    %91 = stablehlo.real %64#7 : (tensor<4x1xcomplex<f32>>) -> tensor<4x1xf32>
    %92 = stablehlo.imag %64#7 : (tensor<4x1xcomplex<f32>>) -> tensor<4x1xf32>
    %93 = stablehlo.negate %92 : tensor<4x1xf32>
    %94 = stablehlo.complex %91, %93 : tensor<4x1xcomplex<f32>>
    %cst_29 = stablehlo.constant dense<(1.000000e-01,0.000000e+00)> : tensor<complex<f32>>
    %95 = stablehlo.broadcast_in_dim %cst_29, dims = [] : (tensor<complex<f32>>) -> tensor<4x1xcomplex<f32>>
    %96 = stablehlo.multiply %95, %94 : tensor<4x1xcomplex<f32>>
    %97 = stablehlo.subtract %arg3, %96 : tensor<4x1xcomplex<f32>>
    return %80, %83, %90, %97, %44 : tensor<4xf32>, tensor<4xf32>, tensor<3x4xcomplex<f32>>, tensor<4x1xcomplex<f32>>, tensor<f32>
  }
  func.func private @dynamic_index_in_dim(%arg0: tensor<6x2x4xcomplex<f32>>, %arg1: tensor<i32>) -> tensor<2x4xcomplex<f32>> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, %c_0, sizes = [1, 2, 4] : (tensor<6x2x4xcomplex<f32>>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x2x4xcomplex<f32>>
    %1 = stablehlo.reshape %0 : (tensor<1x2x4xcomplex<f32>>) -> tensor<2x4xcomplex<f32>>
    return %1 : tensor<2x4xcomplex<f32>>
  }
  func.func private @closed_call(%arg0: tensor<1x4xcomplex<f32>>, %arg1: tensor<4x1xcomplex<f32>>, %arg2: tensor<2x4xcomplex<f32>>, %arg3: tensor<2x4xcomplex<f32>>) -> (tensor<2x4xcomplex<f32>>, tensor<2xf32>, tensor<2x4xcomplex<f32>>, tensor<2x4xcomplex<f32>>) {
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [0, 1] : (tensor<1x4xcomplex<f32>>) -> tensor<2x4xcomplex<f32>>
    %1 = stablehlo.multiply %0, %arg2 : tensor<2x4xcomplex<f32>>
    %2 = stablehlo.add %1, %arg3 : tensor<2x4xcomplex<f32>>
    %3 = stablehlo.dot_general %2, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x4xcomplex<f32>>, tensor<4x1xcomplex<f32>>) -> tensor<2x1xcomplex<f32>>
    %4 = stablehlo.real %3 : (tensor<2x1xcomplex<f32>>) -> tensor<2x1xf32>
    %5 = stablehlo.reshape %4 : (tensor<2x1xf32>) -> tensor<2xf32>
    return %2, %5, %arg2, %2 : tensor<2x4xcomplex<f32>>, tensor<2xf32>, tensor<2x4xcomplex<f32>>, tensor<2x4xcomplex<f32>>
  }
  func.func private @dynamic_update_index_in_dim(%arg0: tensor<6x2xf32>, %arg1: tensor<2xf32>, %arg2: tensor<i32>) -> tensor<6x2xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<2xf32>) -> tensor<1x2xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2, %c : (tensor<6x2xf32>, tensor<1x2xf32>, tensor<i32>, tensor<i32>) -> tensor<6x2xf32>
    return %1 : tensor<6x2xf32>
  }
  func.func private @dynamic_update_index_in_dim_0(%arg0: tensor<6x2x4xcomplex<f32>>, %arg1: tensor<2x4xcomplex<f32>>, %arg2: tensor<i32>) -> tensor<6x2x4xcomplex<f32>> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1, 2] : (tensor<2x4xcomplex<f32>>) -> tensor<1x2x4xcomplex<f32>>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2, %c, %c_0 : (tensor<6x2x4xcomplex<f32>>, tensor<1x2x4xcomplex<f32>>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<6x2x4xcomplex<f32>>
    return %1 : tensor<6x2x4xcomplex<f32>>
  }
  func.func private @fft(%arg0: tensor<2x6xf32>) -> tensor<2x4xcomplex<f32>> {
    %0 = stablehlo.fft %arg0, type = RFFT, length = [6] : (tensor<2x6xf32>) -> tensor<2x4xcomplex<f32>>
    return %0 : tensor<2x4xcomplex<f32>>
  }
  func.func private @fft_1(%arg0: tensor<2x4xcomplex<f32>>) -> tensor<2x6xf32> {
    %0 = call @_rfft_transpose(%arg0) : (tensor<2x4xcomplex<f32>>) -> tensor<2x6xf32>
    return %0 : tensor<2x6xf32>
  }
  func.func private @_rfft_transpose(%arg0: tensor<2x4xcomplex<f32>>) -> tensor<2x6xf32> {
    %cst = stablehlo.constant dense<(2.000000e+00,0.000000e+00)> : tensor<complex<f32>>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<complex<f32>>) -> tensor<4xcomplex<f32>>
    %cst_0 = stablehlo.constant dense<(1.000000e+00,0.000000e+00)> : tensor<complex<f32>>
    %1 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<complex<f32>>) -> tensor<1xcomplex<f32>>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %2 = stablehlo.dynamic_update_slice %0, %1, %c : (tensor<4xcomplex<f32>>, tensor<1xcomplex<f32>>, tensor<i32>) -> tensor<4xcomplex<f32>>
    %cst_1 = stablehlo.constant dense<(1.000000e+00,0.000000e+00)> : tensor<complex<f32>>
    %3 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<complex<f32>>) -> tensor<1xcomplex<f32>>
    %c_2 = stablehlo.constant dense<3> : tensor<i32>
    %4 = stablehlo.dynamic_update_slice %2, %3, %c_2 : (tensor<4xcomplex<f32>>, tensor<1xcomplex<f32>>, tensor<i32>) -> tensor<4xcomplex<f32>>
    %5 = stablehlo.broadcast_in_dim %4, dims = [1] : (tensor<4xcomplex<f32>>) -> tensor<1x4xcomplex<f32>>
    %6 = stablehlo.real %arg0 : (tensor<2x4xcomplex<f32>>) -> tensor<2x4xf32>
    %7 = stablehlo.imag %arg0 : (tensor<2x4xcomplex<f32>>) -> tensor<2x4xf32>
    %8 = stablehlo.negate %7 : tensor<2x4xf32>
    %9 = stablehlo.complex %6, %8 : tensor<2x4xcomplex<f32>>
    %10 = stablehlo.broadcast_in_dim %5, dims = [0, 1] : (tensor<1x4xcomplex<f32>>) -> tensor<2x4xcomplex<f32>>
    %11 = stablehlo.divide %9, %10 : tensor<2x4xcomplex<f32>>
    %12 = call @fft_2(%11) : (tensor<2x4xcomplex<f32>>) -> tensor<2x6xf32>
    %cst_3 = stablehlo.constant dense<6.000000e+00> : tensor<f32>
    %13 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<2x6xf32>
    %14 = stablehlo.multiply %13, %12 : tensor<2x6xf32>
    return %14 : tensor<2x6xf32>
  }
  func.func private @fft_2(%arg0: tensor<2x4xcomplex<f32>>) -> tensor<2x6xf32> {
    %0 = stablehlo.fft %arg0, type = IRFFT, length = [6] : (tensor<2x4xcomplex<f32>>) -> tensor<2x6xf32>
    return %0 : tensor<2x6xf32>
  }
  func.func private @dynamic_index_in_dim_3(%arg0: tensor<6x2xf32>, %arg1: tensor<i32>) -> tensor<2xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, sizes = [1, 2] : (tensor<6x2xf32>, tensor<i32>, tensor<i32>) -> tensor<1x2xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x2xf32>) -> tensor<2xf32>
    return %1 : tensor<2xf32>
  }
  func.func private @closed_call_4(%arg0: tensor<1x4xcomplex<f32>>, %arg1: tensor<4x1xcomplex<f32>>, %arg2: tensor<4xcomplex<f32>>, %arg3: tensor<4x1xcomplex<f32>>, %arg4: tensor<2x4xcomplex<f32>>, %arg5: tensor<2xf32>, %arg6: tensor<2x4xcomplex<f32>>, %arg7: tensor<2x4xcomplex<f32>>) -> (tensor<4xcomplex<f32>>, tensor<4x1xcomplex<f32>>, tensor<2x4xcomplex<f32>>, tensor<2x4xcomplex<f32>>) {
    %0 = stablehlo.broadcast_in_dim %arg5, dims = [0] : (tensor<2xf32>) -> tensor<2x1xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x1xf32>
    %2 = stablehlo.complex %0, %1 : tensor<2x1xcomplex<f32>>
    %3 = stablehlo.dot_general %2, %arg7, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x1xcomplex<f32>>, tensor<2x4xcomplex<f32>>) -> tensor<1x4xcomplex<f32>>
    %4 = stablehlo.transpose %3, dims = [1, 0] : (tensor<1x4xcomplex<f32>>) -> tensor<4x1xcomplex<f32>>
    %5 = stablehlo.add %arg3, %4 : tensor<4x1xcomplex<f32>>
    %6 = stablehlo.dot_general %2, %arg1, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x1xcomplex<f32>>, tensor<4x1xcomplex<f32>>) -> tensor<2x4xcomplex<f32>>
    %7 = stablehlo.add %arg4, %6 : tensor<2x4xcomplex<f32>>
    %8 = stablehlo.broadcast_in_dim %arg0, dims = [0, 1] : (tensor<1x4xcomplex<f32>>) -> tensor<2x4xcomplex<f32>>
    %9 = stablehlo.multiply %8, %7 : tensor<2x4xcomplex<f32>>
    %10 = stablehlo.multiply %7, %arg6 : tensor<2x4xcomplex<f32>>
    %cst_0 = stablehlo.constant dense<(0.000000e+00,0.000000e+00)> : tensor<complex<f32>>
    %11 = stablehlo.reduce(%10 init: %cst_0) applies stablehlo.add across dimensions = [0] : (tensor<2x4xcomplex<f32>>, tensor<complex<f32>>) -> tensor<4xcomplex<f32>>
    %12 = stablehlo.reshape %11 : (tensor<4xcomplex<f32>>) -> tensor<1x4xcomplex<f32>>
    %cst_1 = stablehlo.constant dense<(0.000000e+00,0.000000e+00)> : tensor<complex<f32>>
    %13 = stablehlo.reduce(%12 init: %cst_1) applies stablehlo.add across dimensions = [0] : (tensor<1x4xcomplex<f32>>, tensor<complex<f32>>) -> tensor<4xcomplex<f32>>
    %14 = stablehlo.add %arg2, %13 : tensor<4xcomplex<f32>>
    return %14, %5, %9, %7 : tensor<4xcomplex<f32>>, tensor<4x1xcomplex<f32>>, tensor<2x4xcomplex<f32>>, tensor<2x4xcomplex<f32>>
  }
}
