module @jit_loss attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<16xf32>, %arg1: tensor<7x16xf32>, %arg2: tensor<1xf32>, %arg3: tensor<4x1xf32>, %arg4: tensor<5x2x3xf32>, %arg5: tensor<5x2xf32>) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<16xf32> {jax.result_info = "result[1]['gates']['bias']"}, tensor<7x16xf32> {jax.result_info = "result[1]['gates']['weight']"}, tensor<1xf32> {jax.result_info = "result[1]['head']['bias']"}, tensor<4x1xf32> {jax.result_info = "result[1]['head']['weight']"}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x4xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<2x3xf32>
    %2 = stablehlo.broadcast_in_dim %arg0, dims = [1] : (tensor<16xf32>) -> tensor<1x16xf32>
    %3 = stablehlo.broadcast_in_dim %arg2, dims = [1] : (tensor<1xf32>) -> tensor<1x1xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<5x2xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<5x2x7xf32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %6 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<5x2x4xf32>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<5x2x4xf32>
    %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<5x2x4xf32>
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %9 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<5x2x4xf32>
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %10 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<5x2x4xf32>
    %cst_8 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %11 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<5x2x4xf32>
    %cst_9 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %12 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<5x2x4xf32>
    %cst_10 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %13 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<5x2x4xf32>
    %cst_11 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %14 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f32>) -> tensor<5x2x4xf32>
    %cst_12 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %15 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f32>) -> tensor<5x2x4xf32>
    %cst_13 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %16 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<5x2x4xf32>
    %cst_14 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %17 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<f32>) -> tensor<5x2x4xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %18:22 = stablehlo.while(%iterArg = %arg4, %iterArg_29 = %arg1, %iterArg_30 = %2, %iterArg_31 = %arg3, %iterArg_32 = %3, %iterArg_33 = %c, %iterArg_34 = %0, %iterArg_35 = %0, %iterArg_36 = %4, %iterArg_37 = %5, %iterArg_38 = %6, %iterArg_39 = %7, %iterArg_40 = %8, %iterArg_41 = %9, %iterArg_42 = %10, %iterArg_43 = %11, %iterArg_44 = %12, %iterArg_45 = %13, %iterArg_46 = %14, %iterArg_47 = %15, %iterArg_48 = %16, %iterArg_49 = %17) : tensor<5x2x3xf32>, tensor<7x16xf32>, tensor<1x16xf32>, tensor<4x1xf32>, tensor<1x1xf32>, tensor<i32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<5x2xf32>, tensor<5x2x7xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>
    cond {
      %c_50 = stablehlo.constant dense<5> : tensor<i32>
      %37 = stablehlo.compare LT, %iterArg_33, %c_50, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %37 : tensor<i1>
    } do {
      %37 = func.call @dynamic_index_in_dim(%iterArg, %iterArg_33) : (tensor<5x2x3xf32>, tensor<i32>) -> tensor<2x3xf32>
      %38:16 = func.call @closed_call(%iterArg_29, %iterArg_30, %iterArg_31, %iterArg_32, %iterArg_34, %iterArg_35, %37) : (tensor<7x16xf32>, tensor<1x16xf32>, tensor<4x1xf32>, tensor<1x1xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x3xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2xf32>, tensor<2x7xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>)
      %39 = func.call @dynamic_update_index_in_dim(%iterArg_36, %38#2, %iterArg_33) : (tensor<5x2xf32>, tensor<2xf32>, tensor<i32>) -> tensor<5x2xf32>
      %40 = func.call @dynamic_update_index_in_dim_0(%iterArg_37, %38#3, %iterArg_33) : (tensor<5x2x7xf32>, tensor<2x7xf32>, tensor<i32>) -> tensor<5x2x7xf32>
      %41 = func.call @dynamic_update_index_in_dim_1(%iterArg_38, %38#4, %iterArg_33) : (tensor<5x2x4xf32>, tensor<2x4xf32>, tensor<i32>) -> tensor<5x2x4xf32>
      %42 = func.call @dynamic_update_index_in_dim_1(%iterArg_39, %38#5, %iterArg_33) : (tensor<5x2x4xf32>, tensor<2x4xf32>, tensor<i32>) -> tensor<5x2x4xf32>
      %43 = func.call @dynamic_update_index_in_dim_1(%iterArg_40, %38#6, %iterArg_33) : (tensor<5x2x4xf32>, tensor<2x4xf32>, tensor<i32>) -> tensor<5x2x4xf32>
      %44 = func.call @dynamic_update_index_in_dim_1(%iterArg_41, %38#7, %iterArg_33) : (tensor<5x2x4xf32>, tensor<2x4xf32>, tensor<i32>) -> tensor<5x2x4xf32>
      %45 = func.call @dynamic_update_index_in_dim_1(%iterArg_42, %38#8, %iterArg_33) : (tensor<5x2x4xf32>, tensor<2x4xf32>, tensor<i32>) -> tensor<5x2x4xf32>
      %46 = func.call @dynamic_update_index_in_dim_1(%iterArg_43, %38#9, %iterArg_33) : (tensor<5x2x4xf32>, tensor<2x4xf32>, tensor<i32>) -> tensor<5x2x4xf32>
      %47 = func.call @dynamic_update_index_in_dim_1(%iterArg_44, %38#10, %iterArg_33) : (tensor<5x2x4xf32>, tensor<2x4xf32>, tensor<i32>) -> tensor<5x2x4xf32>
      %48 = func.call @dynamic_update_index_in_dim_1(%iterArg_45, %38#11, %iterArg_33) : (tensor<5x2x4xf32>, tensor<2x4xf32>, tensor<i32>) -> tensor<5x2x4xf32>
      %49 = func.call @dynamic_update_index_in_dim_1(%iterArg_46, %38#12, %iterArg_33) : (tensor<5x2x4xf32>, tensor<2x4xf32>, tensor<i32>) -> tensor<5x2x4xf32>
      %50 = func.call @dynamic_update_index_in_dim_1(%iterArg_47, %38#13, %iterArg_33) : (tensor<5x2x4xf32>, tensor<2x4xf32>, tensor<i32>) -> tensor<5x2x4xf32>
      %51 = func.call @dynamic_update_index_in_dim_1(%iterArg_48, %38#14, %iterArg_33) : (tensor<5x2x4xf32>, tensor<2x4xf32>, tensor<i32>) -> tensor<5x2x4xf32>
      %52 = func.call @dynamic_update_index_in_dim_1(%iterArg_49, %38#15, %iterArg_33) : (tensor<5x2x4xf32>, tensor<2x4xf32>, tensor<i32>) -> tensor<5x2x4xf32>
      %c_50 = stablehlo.constant dense<1> : tensor<i32>
      %53 = stablehlo.add %iterArg_33, %c_50 : tensor<i32>
      stablehlo.return %iterArg, %iterArg_29, %iterArg_30, %iterArg_31, %iterArg_32, %53, %38#0, %38#1, %39, %40, %41, %42, %43, %44, %45, %46, %47, %48, %49, %50, %51, %52 : tensor<5x2x3xf32>, tensor<7x16xf32>, tensor<1x16xf32>, tensor<4x1xf32>, tensor<1x1xf32>, tensor<i32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<5x2xf32>, tensor<5x2x7xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>
    }
    %19 = stablehlo.subtract %18#8, %arg5 : tensor<5x2xf32>
    %20 = stablehlo.multiply %19, %19 : tensor<5x2xf32>
    %cst_15 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %21 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<f32>) -> tensor<5x2xf32>
    %22 = stablehlo.multiply %21, %19 : tensor<5x2xf32>
    %cst_16 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %23 = stablehlo.reduce(%20 init: %cst_16) applies stablehlo.add across dimensions = [0, 1] : (tensor<5x2xf32>, tensor<f32>) -> tensor<f32>
    %cst_17 = stablehlo.constant dense<1.000000e+01> : tensor<f32>
    %24 = stablehlo.divide %23, %cst_17 : tensor<f32>
    %cst_18 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %25 = stablehlo.broadcast_in_dim %cst_18, dims = [] : (tensor<f32>) -> tensor<2x4xf32>
    %cst_19 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %26 = stablehlo.broadcast_in_dim %cst_19, dims = [] : (tensor<f32>) -> tensor<2x4xf32>
    %cst_20 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %cst_21 = stablehlo.constant dense<1.000000e+01> : tensor<f32>
    %27 = stablehlo.divide %cst_20, %cst_21 : tensor<f32>
    %28 = stablehlo.broadcast_in_dim %27, dims = [] : (tensor<f32>) -> tensor<5x2xf32>
    %29 = stablehlo.multiply %28, %22 : tensor<5x2xf32>
    %cst_22 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %30 = stablehlo.broadcast_in_dim %cst_22, dims = [] : (tensor<f32>) -> tensor<2x4xf32>
    %cst_23 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %31 = stablehlo.broadcast_in_dim %cst_23, dims = [] : (tensor<f32>) -> tensor<2x4xf32>
    %cst_24 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %32 = stablehlo.broadcast_in_dim %cst_24, dims = [] : (tensor<f32>) -> tensor<7x16xf32>
    %cst_25 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %33 = stablehlo.broadcast_in_dim %cst_25, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %cst_26 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %34 = stablehlo.broadcast_in_dim %cst_26, dims = [] : (tensor<f32>) -> tensor<4x1xf32>
    %cst_27 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %35 = stablehlo.broadcast_in_dim %cst_27, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %c_28 = stablehlo.constant dense<0> : tensor<i32>
    %36:24 = stablehlo.while(%iterArg = %29, %iterArg_29 = %18#9, %iterArg_30 = %18#10, %iterArg_31 = %18#11, %iterArg_32 = %18#12, %iterArg_33 = %18#13, %iterArg_34 = %18#14, %iterArg_35 = %18#15, %iterArg_36 = %18#16, %iterArg_37 = %18#17, %iterArg_38 = %18#18, %iterArg_39 = %18#19, %iterArg_40 = %18#20, %iterArg_41 = %18#21, %iterArg_42 = %1, %iterArg_43 = %arg1, %iterArg_44 = %arg3, %iterArg_45 = %c_28, %iterArg_46 = %32, %iterArg_47 = %33, %iterArg_48 = %34, %iterArg_49 = %35, %iterArg_50 = %30, %iterArg_51 = %31) : tensor<5x2xf32>, tensor<5x2x7xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<2x3xf32>, tensor<7x16xf32>, tensor<4x1xf32>, tensor<i32>, tensor<7x16xf32>, tensor<16xf32>, tensor<4x1xf32>, tensor<1xf32>, tensor<2x4xf32>, tensor<2x4xf32>
    cond {
      %c_52 = stablehlo.constant dense<5> : tensor<i32>
      %37 = stablehlo.compare LT, %iterArg_45, %c_52, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %37 : tensor<i1>
    } do {
      %c_52 = stablehlo.constant dense<5> : tensor<i32>
      %37 = stablehlo.subtract %c_52, %iterArg_45 : tensor<i32>
      %c_53 = stablehlo.constant dense<1> : tensor<i32>
      %38 = stablehlo.subtract %37, %c_53 : tensor<i32>
      %39 = func.call @dynamic_index_in_dim_2(%iterArg, %38) : (tensor<5x2xf32>, tensor<i32>) -> tensor<2xf32>
      %40 = func.call @dynamic_index_in_dim_3(%iterArg_29, %38) : (tensor<5x2x7xf32>, tensor<i32>) -> tensor<2x7xf32>
      %41 = func.call @dynamic_index_in_dim_4(%iterArg_30, %38) : (tensor<5x2x4xf32>, tensor<i32>) -> tensor<2x4xf32>
      %42 = func.call @dynamic_index_in_dim_4(%iterArg_31, %38) : (tensor<5x2x4xf32>, tensor<i32>) -> tensor<2x4xf32>
      %43 = func.call @dynamic_index_in_dim_4(%iterArg_32, %38) : (tensor<5x2x4xf32>, tensor<i32>) -> tensor<2x4xf32>
      %44 = func.call @dynamic_index_in_dim_4(%iterArg_33, %38) : (tensor<5x2x4xf32>, tensor<i32>) -> tensor<2x4xf32>
      %45 = func.call @dynamic_index_in_dim_4(%iterArg_34, %38) : (tensor<5x2x4xf32>, tensor<i32>) -> tensor<2x4xf32>
      %46 = func.call @dynamic_index_in_dim_4(%iterArg_35, %38) : (tensor<5x2x4xf32>, tensor<i32>) -> tensor<2x4xf32>
      %47 = func.call @dynamic_index_in_dim_4(%iterArg_36, %38) : (tensor<5x2x4xf32>, tensor<i32>) -> tensor<2x4xf32>
      %48 = func.call @dynamic_index_in_dim_4(%iterArg_37, %38) : (tensor<5x2x4xf32>, tensor<i32>) -> tensor<2x4xf32>
      %49 = func.call @dynamic_index_in_dim_4(%iterArg_38, %38) : (tensor<5x2x4xf32>, tensor<i32>) -> tensor<2x4xf32>
      %50 = func.call @dynamic_index_in_dim_4(%iterArg_39, %38) : (tensor<5x2x4xf32>, tensor<i32>) -> tensor<2x4xf32>
      %51 = func.call @dynamic_index_in_dim_4(%iterArg_40, %38) : (tensor<5x2x4xf32>, tensor<i32>) -> tensor<2x4xf32>
      %52 = func.call @dynamic_index_in_dim_4(%iterArg_41, %38) : (tensor<5x2x4xf32>, tensor<i32>) -> tensor<2x4xf32>
      %53:6 = func.call @closed_call_5(%iterArg_42, %iterArg_43, %iterArg_44, %iterArg_46, %iterArg_47, %iterArg_48, %iterArg_49, %iterArg_50, %iterArg_51, %39, %40, %41, %42, %43, %44, %45, %46, %47, %48, %49, %50, %51, %52) : (tensor<2x3xf32>, tensor<7x16xf32>, tensor<4x1xf32>, tensor<7x16xf32>, tensor<16xf32>, tensor<4x1xf32>, tensor<1xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2xf32>, tensor<2x7xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>) -> (tensor<7x16xf32>, tensor<16xf32>, tensor<4x1xf32>, tensor<1xf32>, tensor<2x4xf32>, tensor<2x4xf32>)
      %c_54 = stablehlo.constant dense<1> : tensor<i32>
      %54 = stablehlo.add %iterArg_45, %c_54 : tensor<i32>
      stablehlo.return %iterArg, %iterArg_29, %iterArg_30, %iterArg_31, %iterArg_32, %iterArg_33, %iterArg_34, %iterArg_35, %iterArg_36, %iterArg_37, %iterArg_38, %iterArg_39, %iterArg_40, %iterArg_41, %iterArg_42, %iterArg_43, %iterArg_44, %54, %53#0, %53#1, %53#2, %53#3, %53#4, %53#5 : tensor<5x2xf32>, tensor<5x2x7xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<5x2x4xf32>, tensor<2x3xf32>, tensor<7x16xf32>, tensor<4x1xf32>, tensor<i32>, tensor<7x16xf32>, tensor<16xf32>, tensor<4x1xf32>, tensor<1xf32>, tensor<2x4xf32>, tensor<2x4xf32>
    }
    return %24, %36#19, %36#18, %36#21, %36#20 : tensor<f32>, tensor<16xf32>, tensor<7x16xf32>, tensor<1xf32>, tensor<4x1xf32>
  }
  func.func private @dynamic_index_in_dim(%arg0: tensor<5x2x3xf32>, %arg1: tensor<i32>) -> tensor<2x3xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, %c_0, sizes = [1, 2, 3] : (tensor<5x2x3xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x2x3xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x2x3xf32>) -> tensor<2x3xf32>
    return %1 : tensor<2x3xf32>
  }
  func.func private @closed_call(%arg0: tensor<7x16xf32>, %arg1: tensor<1x16xf32>, %arg2: tensor<4x1xf32>, %arg3: tensor<1x1xf32>, %arg4: tensor<2x4xf32>, %arg5: tensor<2x4xf32>, %arg6: tensor<2x3xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2xf32>, tensor<2x7xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>) {
    %0 = stablehlo.concatenate %arg6, %arg4, dim = 1 : (tensor<2x3xf32>, tensor<2x4xf32>) -> tensor<2x7xf32>
    %1 = stablehlo.dot_general %0, %arg0, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x7xf32>, tensor<7x16xf32>) -> tensor<2x16xf32>
    %2 = stablehlo.broadcast_in_dim %arg1, dims = [0, 1] : (tensor<1x16xf32>) -> tensor<2x16xf32>
    %3 = stablehlo.add %1, %2 : tensor<2x16xf32>
    %4 = stablehlo.slice %3 [0:2, 0:4] : (tensor<2x16xf32>) -> tensor<2x4xf32>
    %5 = stablehlo.slice %3 [0:2, 4:8] : (tensor<2x16xf32>) -> tensor<2x4xf32>
    %6 = stablehlo.slice %3 [0:2, 8:12] : (tensor<2x16xf32>) -> tensor<2x4xf32>
    %7 = stablehlo.slice %3 [0:2, 12:16] : (tensor<2x16xf32>) -> tensor<2x4xf32>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x4xf32>
    %9 = stablehlo.add %5, %8 : tensor<2x4xf32>
    %10 = stablehlo.negate %9 : tensor<2x4xf32>
    %11 = stablehlo.exponential %10 : tensor<2x4xf32>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %12 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<2x4xf32>
    %13 = stablehlo.add %12, %11 : tensor<2x4xf32>
    %cst_1 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %14 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<2x4xf32>
    %15 = stablehlo.divide %14, %13 : tensor<2x4xf32>
    %cst_2 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %16 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<2x4xf32>
    %17 = stablehlo.subtract %16, %15 : tensor<2x4xf32>
    %18 = stablehlo.multiply %15, %17 : tensor<2x4xf32>
    %19 = stablehlo.multiply %15, %arg5 : tensor<2x4xf32>
    %20 = stablehlo.negate %4 : tensor<2x4xf32>
    %21 = stablehlo.exponential %20 : tensor<2x4xf32>
    %cst_3 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %22 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<2x4xf32>
    %23 = stablehlo.add %22, %21 : tensor<2x4xf32>
    %cst_4 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %24 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<2x4xf32>
    %25 = stablehlo.divide %24, %23 : tensor<2x4xf32>
    %cst_5 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %26 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<2x4xf32>
    %27 = stablehlo.subtract %26, %25 : tensor<2x4xf32>
    %28 = stablehlo.multiply %25, %27 : tensor<2x4xf32>
    %29 = stablehlo.tanh %6 : tensor<2x4xf32>
    %cst_6 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %30 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<2x4xf32>
    %31 = stablehlo.subtract %30, %29 : tensor<2x4xf32>
    %32 = stablehlo.multiply %25, %29 : tensor<2x4xf32>
    %33 = stablehlo.add %19, %32 : tensor<2x4xf32>
    %34 = stablehlo.negate %7 : tensor<2x4xf32>
    %35 = stablehlo.exponential %34 : tensor<2x4xf32>
    %cst_7 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %36 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<2x4xf32>
    %37 = stablehlo.add %36, %35 : tensor<2x4xf32>
    %cst_8 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %38 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<2x4xf32>
    %39 = stablehlo.divide %38, %37 : tensor<2x4xf32>
    %cst_9 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %40 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<2x4xf32>
    %41 = stablehlo.subtract %40, %39 : tensor<2x4xf32>
    %42 = stablehlo.multiply %39, %41 : tensor<2x4xf32>
    %43 = stablehlo.tanh %33 : tensor<2x4xf32>
    %cst_10 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %44 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<2x4xf32>
    %45 = stablehlo.subtract %44, %43 : tensor<2x4xf32>
    %46 = stablehlo.multiply %39, %43 : tensor<2x4xf32>
    %47 = stablehlo.dot_general %46, %arg2, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x4xf32>, tensor<4x1xf32>) -> tensor<2x1xf32>
    %48 = stablehlo.broadcast_in_dim %arg3, dims = [0, 1] : (tensor<1x1xf32>) -> tensor<2x1xf32>
    %49 = stablehlo.add %47, %48 : tensor<2x1xf32>
    %50 = stablehlo.reshape %49 : (tensor<2x1xf32>) -> tensor<2xf32>
    return %46, %33, %50, %0, %18, %arg5, %15, %28, %29, %31, %25, %42, %43, %45, %39, %46 : tensor<2x4xf32>, tensor<2x4xf32>, tensor<2xf32>, tensor<2x7xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>
  }
  func.func private @dynamic_update_index_in_dim(%arg0: tensor<5x2xf32>, %arg1: tensor<2xf32>, %arg2: tensor<i32>) -> tensor<5x2xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<2xf32>) -> tensor<1x2xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2, %c : (tensor<5x2xf32>, tensor<1x2xf32>, tensor<i32>, tensor<i32>) -> tensor<5x2xf32>
    return %1 : tensor<5x2xf32>
  }
  func.func private @dynamic_update_index_in_dim_0(%arg0: tensor<5x2x7xf32>, %arg1: tensor<2x7xf32>, %arg2: tensor<i32>) -> tensor<5x2x7xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1, 2] : (tensor<2x7xf32>) -> tensor<1x2x7xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2, %c, %c_0 : (tensor<5x2x7xf32>, tensor<1x2x7xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<5x2x7xf32>
    return %1 : tensor<5x2x7xf32>
  }
  func.func private @dynamic_update_index_in_dim_1(%arg0: tensor<5x2x4xf32>, %arg1: tensor<2x4xf32>, %arg2: tensor<i32>) -> tensor<5x2x4xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1, 2] : (tensor<2x4xf32>) -> tensor<1x2x4xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2, %c, %c_0 : (tensor<5x2x4xf32>, tensor<1x2x4xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<5x2x4xf32>
    return %1 : tensor<5x2x4xf32>
  }
  func.func private @dynamic_index_in_dim_2(%arg0: tensor<5x2xf32>, %arg1: tensor<i32>) -> tensor<2xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, sizes = [1, 2] : (tensor<5x2xf32>, tensor<i32>, tensor<i32>) -> tensor<1x2xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x2xf32>) -> tensor<2xf32>
    return %1 : tensor<2xf32>
  }
  func.func private @dynamic_index_in_dim_3(%arg0: tensor<5x2x7xf32>, %arg1: tensor<i32>) -> tensor<2x7xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, %c_0, sizes = [1, 2, 7] : (tensor<5x2x7xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x2x7xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x2x7xf32>) -> tensor<2x7xf32>
    return %1 : tensor<2x7xf32>
  }
  func.func private @dynamic_index_in_dim_4(%arg0: tensor<5x2x4xf32>, %arg1: tensor<i32>) -> tensor<2x4xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, %c_0, sizes = [1, 2, 4] : (tensor<5x2x4xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x2x4xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x2x4xf32>) -> tensor<2x4xf32>
    return %1 : tensor<2x4xf32>
  }
  func.func private @closed_call_5(%arg0: tensor<2x3xf32>, %arg1: tensor<7x16xf32>, %arg2: tensor<4x1xf32>, %arg3: tensor<7x16xf32>, %arg4: tensor<16xf32>, %arg5: tensor<4x1xf32>, %arg6: tensor<1xf32>, %arg7: tensor<2x4xf32>, %arg8: tensor<2x4xf32>, %arg9: tensor<2xf32>, %arg10: tensor<2x7xf32>, %arg11: tensor<2x4xf32>, %arg12: tensor<2x4xf32>, %arg13: tensor<2x4xf32>, %arg14: tensor<2x4xf32>, %arg15: tensor<2x4xf32>, %arg16: tensor<2x4xf32>, %arg17: tensor<2x4xf32>, %arg18: tensor<2x4xf32>, %arg19: tensor<2x4xf32>, %arg20: tensor<2x4xf32>, %arg21: tensor<2x4xf32>, %arg22: tensor<2x4xf32>) -> (tensor<7x16xf32>, tensor<16xf32>, tensor<4x1xf32>, tensor<1xf32>, tensor<2x4xf32>, tensor<2x4xf32>) {
    %0 = stablehlo.broadcast_in_dim %arg9, dims = [0] : (tensor<2xf32>) -> tensor<2x1xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [0] : (tensor<2x1xf32>, tensor<f32>) -> tensor<1xf32>
    %2 = stablehlo.reshape %1 : (tensor<1xf32>) -> tensor<1x1xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.reduce(%2 init: %cst_0) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1xf32>, tensor<f32>) -> tensor<f32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %5 = stablehlo.add %arg6, %4 : tensor<1xf32>
    %6 = stablehlo.dot_general %0, %arg22, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x1xf32>, tensor<2x4xf32>) -> tensor<1x4xf32>
    %7 = stablehlo.transpose %6, dims = [1, 0] : (tensor<1x4xf32>) -> tensor<4x1xf32>
    %8 = stablehlo.add %arg5, %7 : tensor<4x1xf32>
    %9 = stablehlo.dot_general %0, %arg2, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x1xf32>, tensor<4x1xf32>) -> tensor<2x4xf32>
    %10 = stablehlo.add %arg7, %9 : tensor<2x4xf32>
    %11 = stablehlo.multiply %arg21, %10 : tensor<2x4xf32>
    %12 = stablehlo.multiply %10, %arg19 : tensor<2x4xf32>
    %13 = stablehlo.multiply %11, %arg20 : tensor<2x4xf32>
    %14 = stablehlo.add %arg8, %13 : tensor<2x4xf32>
    %15 = stablehlo.multiply %13, %arg19 : tensor<2x4xf32>
    %16 = stablehlo.add %14, %15 : tensor<2x4xf32>
    %17 = stablehlo.multiply %12, %arg18 : tensor<2x4xf32>
    %18 = stablehlo.multiply %arg17, %16 : tensor<2x4xf32>
    %19 = stablehlo.multiply %16, %arg15 : tensor<2x4xf32>
    %20 = stablehlo.multiply %18, %arg16 : tensor<2x4xf32>
    %21 = stablehlo.multiply %20, %arg15 : tensor<2x4xf32>
    %22 = stablehlo.add %20, %21 : tensor<2x4xf32>
    %23 = stablehlo.multiply %19, %arg14 : tensor<2x4xf32>
    %24 = stablehlo.multiply %arg13, %16 : tensor<2x4xf32>
    %25 = stablehlo.multiply %16, %arg12 : tensor<2x4xf32>
    %26 = stablehlo.multiply %25, %arg11 : tensor<2x4xf32>
    %27 = stablehlo.concatenate %23, %26, %22, %17, dim = 1 : (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x16xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %28 = stablehlo.reduce(%27 init: %cst_1) applies stablehlo.add across dimensions = [0] : (tensor<2x16xf32>, tensor<f32>) -> tensor<16xf32>
    %29 = stablehlo.reshape %28 : (tensor<16xf32>) -> tensor<1x16xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %30 = stablehlo.reduce(%29 init: %cst_2) applies stablehlo.add across dimensions = [0] : (tensor<1x16xf32>, tensor<f32>) -> tensor<16xf32>
    %31 = stablehlo.add %arg4, %30 : tensor<16xf32>
    %32 = stablehlo.dot_general %27, %arg10, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x16xf32>, tensor<2x7xf32>) -> tensor<16x7xf32>
    %33 = stablehlo.transpose %32, dims = [1, 0] : (tensor<16x7xf32>) -> tensor<7x16xf32>
    %34 = stablehlo.add %arg3, %33 : tensor<7x16xf32>
    %35 = stablehlo.dot_general %27, %arg1, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x16xf32>, tensor<7x16xf32>) -> tensor<2x7xf32>
    %36 = stablehlo.slice %35 [0:2, 0:3] : (tensor<2x7xf32>) -> tensor<2x3xf32>
    %37 = stablehlo.slice %35 [0:2, 3:7] : (tensor<2x7xf32>) -> tensor<2x4xf32>
    return %34, %31, %8, %5, %37, %24 : tensor<7x16xf32>, tensor<16xf32>, tensor<4x1xf32>, tensor<1xf32>, tensor<2x4xf32>, tensor<2x4xf32>
  }
}
