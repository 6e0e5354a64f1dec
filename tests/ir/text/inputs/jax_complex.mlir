module @jit_f attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3x4xcomplex<f32>>, %arg1: tensor<3x4xcomplex<f32>>, %arg2: tensor<3x4xi32>) -> (tensor<3x4xcomplex<f32>> {jax.result_info = "result[0]"}, tensor<4xcomplex<f32>> {jax.result_info = "result[1]"}, tensor<3x4xcomplex<f32>> {jax.result_info = "result[2]"}, tensor<3x3xcomplex<f32>> {jax.result_info = "result[3]"}, tensor<3x4xcomplex<f32>> {jax.result_info = "result[4]"}, tensor<3x4xf32> {jax.result_info = "result[5]"}, tensor<3x4xcomplex<f32>> {jax.result_info = "result[6]"}, tensor<3x4xcomplex<f32>> {jax.result_info = "result[7]"}, tensor<3x4xcomplex<f32>> {jax.result_info = "result[8]"}, tensor<3x4xcomplex<f32>> {jax.result_info = "result[9]"}, tensor<3x4xi1> {jax.result_info = "result[10]"}, tensor<3x4xcomplex<f32>> {jax.result_info = "result[11]"}, tensor<3x4xcomplex<f32>> {jax.result_info = "result[12]"}) {
    %0 = stablehlo.multiply %arg0, %arg1 : tensor<3x4xcomplex<f32>>
    %1 = stablehlo.real %arg0 : (tensor<3x4xcomplex<f32>>) -> tensor<3x4xf32>
    %2 = stablehlo.imag %arg0 : (tensor<3x4xcomplex<f32>>) -> tensor<3x4xf32>
    %3 = stablehlo.negate %2 : tensor<3x4xf32>
    %4 = stablehlo.complex %1, %3 : tensor<3x4xcomplex<f32>>
    %cst = stablehlo.constant dense<(2.000000e+00,0.000000e+00)> : tensor<complex<f32>>
    %5 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<complex<f32>>) -> tensor<3x4xcomplex<f32>>
    %6 = stablehlo.add %arg1, %5 : tensor<3x4xcomplex<f32>>
    %7 = stablehlo.divide %4, %6 : tensor<3x4xcomplex<f32>>
    %8 = stablehlo.add %0, %7 : tensor<3x4xcomplex<f32>>
    %9 = stablehlo.tanh %8 : tensor<3x4xcomplex<f32>>
    %10 = chlo.asin %arg1 : tensor<3x4xcomplex<f32>> -> tensor<3x4xcomplex<f32>>
    %11 = stablehlo.add %9, %10 : tensor<3x4xcomplex<f32>>
    %12 = stablehlo.log_plus_one %arg0 : tensor<3x4xcomplex<f32>>
    %13 = stablehlo.subtract %11, %12 : tensor<3x4xcomplex<f32>>
    %14:2 = "stablehlo.sort"(%arg2, %8) <{dimension = 1 : i64, is_stable = true}> ({
    ^bb0(%arg3: tensor<i32>, %arg4: tensor<i32>, %arg5: tensor<complex<f32>>, %arg6: tensor<complex<f32>>):
      %64 = stablehlo.compare LT, %arg3, %arg4, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %64 : tensor<i1>
    }) : (tensor<3x4xi32>, tensor<3x4xcomplex<f32>>) -> (tensor<3x4xi32>, tensor<3x4xcomplex<f32>>)
    %cst_0 = stablehlo.constant dense<(1.000000e+00,0.000000e+00)> : tensor<complex<f32>>
    %15 = stablehlo.reduce(%13 init: %cst_0) applies stablehlo.multiply across dimensions = [0] : (tensor<3x4xcomplex<f32>>, tensor<complex<f32>>) -> tensor<4xcomplex<f32>>
    %16 = call @cumsum(%8) : (tensor<3x4xcomplex<f32>>) -> tensor<3x4xcomplex<f32>>
    %17 = stablehlo.transpose %arg1, dims = [1, 0] : (tensor<3x4xcomplex<f32>>) -> tensor<4x3xcomplex<f32>>
    %18 = stablehlo.dot_general %8, %17, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<3x4xcomplex<f32>>, tensor<4x3xcomplex<f32>>) -> tensor<3x3xcomplex<f32>>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %19:3 = stablehlo.while(%iterArg = %c_1, %iterArg_8 = %c, %iterArg_9 = %arg0) : tensor<i32>, tensor<i32>, tensor<3x4xcomplex<f32>>
    cond {
      %c_10 = stablehlo.constant dense<3> : tensor<i32>
      %64 = stablehlo.compare LT, %iterArg, %c_10, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %64 : tensor<i1>
    } do {
      %64:2 = func.call @closed_call(%iterArg_8, %iterArg_9) : (tensor<i32>, tensor<3x4xcomplex<f32>>) -> (tensor<i32>, tensor<3x4xcomplex<f32>>)
      %c_10 = stablehlo.constant dense<1> : tensor<i32>
      %65 = stablehlo.add %iterArg, %c_10 : tensor<i32>
      stablehlo.return %65, %64#0, %64#1 : tensor<i32>, tensor<i32>, tensor<3x4xcomplex<f32>>
    }
    %20 = stablehlo.real %arg0 : (tensor<3x4xcomplex<f32>>) -> tensor<3x4xf32>
    %21 = stablehlo.transpose %20, dims = [1, 0] : (tensor<3x4xf32>) -> tensor<4x3xf32>
    %22 = call @fft(%21) : (tensor<4x3xf32>) -> tensor<4x2xcomplex<f32>>
    %23 = stablehlo.transpose %22, dims = [1, 0] : (tensor<4x2xcomplex<f32>>) -> tensor<2x4xcomplex<f32>>
    %24 = stablehlo.transpose %23, dims = [1, 0] : (tensor<2x4xcomplex<f32>>) -> tensor<4x2xcomplex<f32>>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %25 = call @_pad(%24, %c_2) : (tensor<4x2xcomplex<f32>>, tensor<i32>) -> tensor<4x2xcomplex<f32>>
    %26 = call @fft_1(%25) : (tensor<4x2xcomplex<f32>>) -> tensor<4x3xf32>
    %27 = stablehlo.transpose %26, dims = [1, 0] : (tensor<4x3xf32>) -> tensor<3x4xf32>
    %28 = stablehlo.slice %arg2 [0:1, 0:1] : (tensor<3x4xi32>) -> tensor<1x1xi32>
    %29 = stablehlo.reshape %28 : (tensor<1x1xi32>) -> tensor<i32>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %30 = stablehlo.compare GT, %29, %c_3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %31 = stablehlo.convert %30 : (tensor<i1>) -> tensor<i32>
    %32 = "stablehlo.case"(%31) ({
      %64 = stablehlo.real %arg0 : (tensor<3x4xcomplex<f32>>) -> tensor<3x4xf32>
      %65 = stablehlo.imag %arg0 : (tensor<3x4xcomplex<f32>>) -> tensor<3x4xf32>
      %66 = stablehlo.negate %65 : tensor<3x4xf32>
      %67 = stablehlo.complex %64, %66 : tensor<3x4xcomplex<f32>>
      stablehlo.return %67 : tensor<3x4xcomplex<f32>>
    }, {
      %cst_8 = stablehlo.constant dense<(0.000000e+00,1.000000e+00)> : tensor<complex<f32>>
      %64 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<complex<f32>>) -> tensor<3x4xcomplex<f32>>
      %65 = stablehlo.multiply %arg0, %64 : tensor<3x4xcomplex<f32>>
      stablehlo.return %65 : tensor<3x4xcomplex<f32>>
    }) : (tensor<i32>) -> tensor<3x4xcomplex<f32>>
    %33 = stablehlo.slice %arg1 [0:1, 0:4] : (tensor<3x4xcomplex<f32>>) -> tensor<1x4xcomplex<f32>>
    %34 = stablehlo.reshape %33 : (tensor<1x4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
    %c_4 = stablehlo.constant dense<0> : tensor<i32>
    %35 = stablehlo.broadcast_in_dim %c_4, dims = [] : (tensor<i32>) -> tensor<1xi32>
    %36 = "stablehlo.scatter"(%arg0, %35, %34) <{indices_are_sorted = true, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0]>, unique_indices = true}> ({
    ^bb0(%arg3: tensor<complex<f32>>, %arg4: tensor<complex<f32>>):
      %64 = stablehlo.add %arg3, %arg4 : tensor<complex<f32>>
      stablehlo.return %64 : tensor<complex<f32>>
    }) : (tensor<3x4xcomplex<f32>>, tensor<1xi32>, tensor<4xcomplex<f32>>) -> tensor<3x4xcomplex<f32>>
    %37 = stablehlo.slice %arg1 [1:2, 0:4] : (tensor<3x4xcomplex<f32>>) -> tensor<1x4xcomplex<f32>>
    %38 = stablehlo.reshape %37 : (tensor<1x4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
    %c_5 = stablehlo.constant dense<1> : tensor<i32>
    %39 = stablehlo.broadcast_in_dim %c_5, dims = [] : (tensor<i32>) -> tensor<1xi32>
    %40 = "stablehlo.scatter"(%36, %39, %38) <{indices_are_sorted = true, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0]>, unique_indices = true}> ({
    ^bb0(%arg3: tensor<complex<f32>>, %arg4: tensor<complex<f32>>):
      stablehlo.return %arg4 : tensor<complex<f32>>
    }) : (tensor<3x4xcomplex<f32>>, tensor<1xi32>, tensor<4xcomplex<f32>>) -> tensor<3x4xcomplex<f32>>
    %41 = stablehlo.slice %arg2 [0:3, 0:1] : (tensor<3x4xi32>) -> tensor<3x1xi32>
    %42 = stablehlo.reshape %41 : (tensor<3x1xi32>) -> tensor<3xi32>
    %c_6 = stablehlo.constant dense<0> : tensor<i32>
    %43 = stablehlo.broadcast_in_dim %c_6, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %44 = stablehlo.compare LT, %42, %43, SIGNED : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
    %c_7 = stablehlo.constant dense<3> : tensor<i32>
    %45 = stablehlo.broadcast_in_dim %c_7, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %46 = stablehlo.add %42, %45 : tensor<3xi32>
    %47 = stablehlo.select %44, %46, %42 : tensor<3xi1>, tensor<3xi32>
    %48 = stablehlo.broadcast_in_dim %47, dims = [0] : (tensor<3xi32>) -> tensor<3x1xi32>
    %49 = "stablehlo.gather"(%arg0, %48) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 4>}> : (tensor<3x4xcomplex<f32>>, tensor<3x1xi32>) -> tensor<3x4xcomplex<f32>>
    %50 = stablehlo.real %arg0 : (tensor<3x4xcomplex<f32>>) -> tensor<3x4xf32>
    %51 = stablehlo.real %arg1 : (tensor<3x4xcomplex<f32>>) -> tensor<3x4xf32>
    %52 = stablehlo.compare EQ, %50, %51, FLOAT : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xi1>
    %53 = stablehlo.compare GT, %50, %51, FLOAT : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xi1>
    %54 = stablehlo.imag %arg0 : (tensor<3x4xcomplex<f32>>) -> tensor<3x4xf32>
    %55 = stablehlo.imag %arg1 : (tensor<3x4xcomplex<f32>>) -> tensor<3x4xf32>
    %56 = stablehlo.compare GT, %54, %55, FLOAT : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xi1>
    %57 = stablehlo.select %52, %56, %53 : tensor<3x4xi1>, tensor<3x4xi1>
    %58 = stablehlo.select %57, %arg0, %arg1 : tensor<3x4xi1>, tensor<3x4xcomplex<f32>>
    %59 = stablehlo.compare EQ, %arg0, %arg1, FLOAT : (tensor<3x4xcomplex<f32>>, tensor<3x4xcomplex<f32>>) -> tensor<3x4xi1>
    %60 = stablehlo.imag %arg0 : (tensor<3x4xcomplex<f32>>) -> tensor<3x4xf32>
    %61 = stablehlo.real %arg0 : (tensor<3x4xcomplex<f32>>) -> tensor<3x4xf32>
    %62 = stablehlo.complex %60, %61 : tensor<3x4xcomplex<f32>>
    %63 = stablehlo.power %arg0, %arg1 : tensor<3x4xcomplex<f32>>
    return %14#1, %15, %16, %18, %19#2, %27, %32, %40, %49, %58, %59, %62, %63 : tensor<3x4xcomplex<f32>>, tensor<4xcomplex<f32>>, tensor<3x4xcomplex<f32>>, tensor<3x3xcomplex<f32>>, tensor<3x4xcomplex<f32>>, tensor<3x4xf32>, tensor<3x4xcomplex<f32>>, tensor<3x4xcomplex<f32>>, tensor<3x4xcomplex<f32>>, tensor<3x4xcomplex<f32>>, tensor<3x4xi1>, tensor<3x4xcomplex<f32>>, tensor<3x4xcomplex<f32>>
  }
  func.func private @cumsum(%arg0: tensor<3x4xcomplex<f32>>) -> tensor<3x4xcomplex<f32>> {
    %0 = call @cumsum_0(%arg0) : (tensor<3x4xcomplex<f32>>) -> tensor<3x4xcomplex<f32>>
    return %0 : tensor<3x4xcomplex<f32>>
  }
  func.func private @cumsum_0(%arg0: tensor<3x4xcomplex<f32>>) -> tensor<3x4xcomplex<f32>> {
    %cst = stablehlo.constant dense<(0.000000e+00,0.000000e+00)> : tensor<complex<f32>>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<complex<f32>>) -> tensor<complex<f32>>
    %1 = "stablehlo.reduce_window"(%arg0, %0) <{base_dilations = array<i64: 1, 1>, padding = dense<[[2, 0], [0, 0]]> : tensor<2x2xi64>, window_dilations = array<i64: 1, 1>, window_dimensions = array<i64: 3, 1>, window_strides = array<i64: 1, 1>}> ({
    ^bb0(%arg1: tensor<complex<f32>>, %arg2: tensor<complex<f32>>):
      %2 = stablehlo.add %arg1, %arg2 : tensor<complex<f32>>
      stablehlo.return %2 : tensor<complex<f32>>
    }) : (tensor<3x4xcomplex<f32>>, tensor<complex<f32>>) -> tensor<3x4xcomplex<f32>>
    return %1 : tensor<3x4xcomplex<f32>>
  }
  func.func private @closed_call(%arg0: tensor<i32>, %arg1: tensor<3x4xcomplex<f32>>) -> (tensor<i32>, tensor<3x4xcomplex<f32>>) {
    %c = stablehlo.constant dense<1> : tensor<i32>
    %0 = stablehlo.add %arg0, %c : tensor<i32>
    %cst = stablehlo.constant dense<(1.000000e+00,5.000000e-01)> : tensor<complex<f32>>
    %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<complex<f32>>) -> tensor<3x4xcomplex<f32>>
    %2 = stablehlo.multiply %arg1, %1 : tensor<3x4xcomplex<f32>>
    %cst_0 = stablehlo.constant dense<(1.000000e+00,0.000000e+00)> : tensor<complex<f32>>
    %3 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<complex<f32>>) -> tensor<3x4xcomplex<f32>>
    %4 = stablehlo.add %2, %3 : tensor<3x4xcomplex<f32>>
    return %0, %4 : tensor<i32>, tensor<3x4xcomplex<f32>>
  }
  func.func private @fft(%arg0: tensor<4x3xf32>) -> tensor<4x2xcomplex<f32>> {
    %0 = stablehlo.fft %arg0, type = RFFT, length = [3] : (tensor<4x3xf32>) -> tensor<4x2xcomplex<f32>>
    return %0 : tensor<4x2xcomplex<f32>>
  }
  func.func private @_pad(%arg0: tensor<4x2xcomplex<f32>>, %arg1: tensor<i32>) -> tensor<4x2xcomplex<f32>> {
    %0 = stablehlo.convert %arg1 : (tensor<i32>) -> tensor<complex<f32>>
    %1 = stablehlo.pad %arg0, %0, low = [0, 0], high = [0, 0], interior = [0, 0] : (tensor<4x2xcomplex<f32>>, tensor<complex<f32>>) -> tensor<4x2xcomplex<f32>>
    return %1 : tensor<4x2xcomplex<f32>>
  }
  func.func private @fft_1(%arg0: tensor<4x2xcomplex<f32>>) -> tensor<4x3xf32> {
    %0 = stablehlo.fft %arg0, type = IRFFT, length = [3] : (tensor<4x2xcomplex<f32>>) -> tensor<4x3xf32>
    return %0 : tensor<4x3xf32>
  }
}
