#include <weft/ir/bytecode/operation_forms.h>

#include <algorithm>
#include <iterator>
#include <string>

#include <weft/base/error.h>

namespace weft::ir::bytecode {

namespace {

// Sorted by name; the attributes are in alphabetical order, which is the order of their encoding, with a question mark behind those that may
// be missing. Sources: StableHLO's VhloOps.td, Shardy's ops.td, MLIR's BuiltinOps.td.
constexpr bool one_operand = true;
constexpr OperationForm forms[] = {
    {"builtin.module", "sym_name? sym_visibility?"},
    {"sdy.all_gather", "gathering_axes out_sharding"},
    {"sdy.all_reduce", "out_sharding reduction_axes reduction_op?"},
    {"sdy.all_slice", "out_sharding slicing_axes"},
    {"sdy.all_to_all", "out_sharding params"},
    {"sdy.collective_permute", "out_sharding"},
    {"sdy.constant", "value"},
    {"sdy.manual_computation", "in_shardings manual_axes out_shardings"},
    {"sdy.mesh", "mesh sym_name"},
    {"sdy.reduce_scatter", "out_sharding reduce_scatter_axes reduction_op?"},
    {"sdy.reshard", "sharding"},
    {"sdy.sharding_constraint", "sharding"},
    {"sdy.sharding_group", "group_id"},
    {"vhlo.abs_v1", ""},
    {"vhlo.add_v1", ""},
    {"vhlo.after_all_v1", ""},
    {"vhlo.all_gather_v1",
     "all_gather_dim channel_id replica_groups use_global_device_ids",
     {0, 9},
     {1, 4},
     one_operand},
    {"vhlo.all_gather_v2", "all_gather_dim channel_id replica_groups use_global_device_ids", {1, 5}},
    {"vhlo.all_reduce_v1", "channel_id replica_groups use_global_device_ids", {0, 9}, {1, 4}, one_operand},
    {"vhlo.all_reduce_v2", "channel_id replica_groups use_global_device_ids", {1, 5}},
    {"vhlo.all_to_all_v1",
     "channel_id concat_dimension replica_groups split_count split_dimension",
     {0, 9},
     {1, 4},
     one_operand},
    {"vhlo.all_to_all_v2", "channel_id concat_dimension replica_groups split_count split_dimension", {1, 5}},
    {"vhlo.and_v1", ""},
    {"vhlo.async_done_v1", "", {1, 15}},
    {"vhlo.async_start_v1", "", {1, 15}},
    {"vhlo.atan2_v1", ""},
    {"vhlo.batch_norm_grad_v1", "epsilon feature_index"},
    {"vhlo.batch_norm_inference_v1", "epsilon feature_index"},
    {"vhlo.batch_norm_training_v1", "epsilon feature_index"},
    {"vhlo.bitcast_convert_v1", ""},
    {"vhlo.broadcast_in_dim_v1", "broadcast_dimensions"},
    {"vhlo.broadcast_v1", "broadcast_sizes"},
    {"vhlo.call_v1", "callee"},
    {"vhlo.case_v1", ""},
    {"vhlo.cbrt_v1", "", {0, 9}, {1, 9}},
    {"vhlo.cbrt_v2", "result_accuracy", {1, 10}},
    {"vhlo.ceil_v1", ""},
    {"vhlo.cholesky_v1", "lower"},
    {"vhlo.clamp_v1", ""},
    {"vhlo.collective_broadcast_v1", "channel_id replica_groups", {0, 16}, {1, 19}, one_operand},
    {"vhlo.collective_broadcast_v2", "channel_id has_dynamic_root replica_groups", {1, 20}},
    {"vhlo.collective_permute_v1", "channel_id source_target_pairs"},
    {"vhlo.collective_reduce_v1", "channel_id has_dynamic_root replica_groups use_global_device_ids", {1, 19}},
    {"vhlo.compare_v1", "compare_type comparison_direction"},
    {"vhlo.complex_v1", ""},
    {"vhlo.composite_v1", "composite_attributes decomposition name version", {0, 19}, {1, 13}},
    {"vhlo.composite_v2", "composite_attributes decomposition name version", {1, 14}},
    {"vhlo.concatenate_v1", "dimension"},
    {"vhlo.constant_v1", "value"},
    {"vhlo.convert_v1", ""},
    {"vhlo.convolution_v1",
     "batch_group_count feature_group_count input_batch_dimension input_feature_dimension "
     "input_spatial_dimensions kernel_input_feature_dimension kernel_output_feature_dimension "
     "kernel_spatial_dimensions lhs_dilation output_batch_dimension output_feature_dimension "
     "output_spatial_dimensions padding precision_config rhs_dilation window_reversal window_strides"},
    {"vhlo.cosine_v1", "", {0, 9}, {1, 9}},
    {"vhlo.cosine_v2", "result_accuracy", {1, 10}},
    {"vhlo.count_leading_zeros_v1", ""},
    {"vhlo.create_token_v1", ""},
    {"vhlo.cross-replica-sum_v1", "replica_groups"},
    {"vhlo.custom_call_v1",
     "api_version backend_config call_target_name called_computations has_side_effect operand_layouts "
     "output_operand_aliases result_layouts",
     {0, 9},
     {1, 17}},
    {"vhlo.custom_call_v2",
     "api_version backend_config call_target_name called_computations has_side_effect operand_layouts "
     "output_operand_aliases result_layouts result_tilings",
     {1, 18}},
    {"vhlo.divide_v1", ""},
    {"vhlo.dot_general_v1",
     "lhs_batching_dimensions lhs_contracting_dimensions precision_config rhs_batching_dimensions "
     "rhs_contracting_dimensions",
     {0, 9},
     {1, 5}},
    {"vhlo.dot_general_v2",
     "accumulation_type allow_imprecise_accumulation lhs_batching_dimensions lhs_component_count "
     "lhs_contracting_dimensions lhs_precision_type num_primitive_operations precision_config "
     "rhs_batching_dimensions rhs_component_count rhs_contracting_dimensions rhs_precision_type",
     {1, 6}},
    {"vhlo.dot_v1", "precision_config"},
    {"vhlo.dynamic_broadcast_in_dim_v1",
     "broadcast_dimensions known_expanding_dimensions known_nonexpanding_dimensions"},
    {"vhlo.dynamic_conv_v1",
     "batch_group_count feature_group_count input_batch_dimension input_feature_dimension "
     "input_spatial_dimensions kernel_input_feature_dimension kernel_output_feature_dimension "
     "kernel_spatial_dimensions lhs_dilation output_batch_dimension output_feature_dimension "
     "output_spatial_dimensions padding precision_config rhs_dilation window_reversal window_strides",
     {0, 9},
     {0, 19}},
    {"vhlo.dynamic_conv_v2",
     "batch_group_count feature_group_count input_batch_dimension input_feature_dimension "
     "input_spatial_dimensions kernel_input_feature_dimension kernel_output_feature_dimension "
     "kernel_spatial_dimensions lhs_dilation output_batch_dimension output_feature_dimension "
     "output_spatial_dimensions precision_config rhs_dilation window_reversal window_strides",
     {0, 20}},
    {"vhlo.dynamic_gather_v1",
     "collapsed_slice_dims index_vector_dim indices_are_sorted offset_dims start_index_map",
     {0, 9},
     {1, 0}},
    {"vhlo.dynamic_gather_v2",
     "collapsed_slice_dims index_vector_dim indices_are_sorted offset_dims operand_batching_dims "
     "start_index_map start_indices_batching_dims",
     {1, 1}},
    {"vhlo.dynamic_iota_v1", "iota_dimension"},
    {"vhlo.dynamic_pad_v1", ""},
    {"vhlo.dynamic_reshape_v1", ""},
    {"vhlo.dynamic_slice_v1", "slice_sizes"},
    {"vhlo.dynamic_update_slice_v1", ""},
    {"vhlo.einsum_v1", "einsum_config"},
    {"vhlo.exponential_minus_one_v1", "", {0, 9}, {1, 9}},
    {"vhlo.exponential_minus_one_v2", "result_accuracy", {1, 10}},
    {"vhlo.exponential_v1", "", {0, 9}, {1, 8}},
    {"vhlo.exponential_v2", "result_accuracy", {1, 9}},
    {"vhlo.fft_v1", "fft_length fft_type"},
    {"vhlo.floor_v1", ""},
    {"vhlo.func_v1", "arg_attrs function_type res_attrs sym_name sym_visibility"},
    {"vhlo.gather_v1",
     "collapsed_slice_dims index_vector_dim indices_are_sorted offset_dims slice_sizes "
     "start_index_map",
     {0, 9},
     {1, 0}},
    {"vhlo.gather_v2",
     "collapsed_slice_dims index_vector_dim indices_are_sorted offset_dims operand_batching_dims "
     "slice_sizes start_index_map start_indices_batching_dims",
     {1, 1}},
    {"vhlo.get_dimension_size_v1", "dimension"},
    {"vhlo.get_tuple_element_v1", "index"},
    {"vhlo.if_v1", ""},
    {"vhlo.imag_v1", ""},
    {"vhlo.infeed_v1", "infeed_config layout"},
    {"vhlo.iota_v1", "iota_dimension"},
    {"vhlo.is_finite_v1", ""},
    {"vhlo.log_plus_one_v1", "", {0, 9}, {1, 9}},
    {"vhlo.log_plus_one_v2", "result_accuracy", {1, 10}},
    {"vhlo.log_v1", "", {0, 9}, {1, 9}},
    {"vhlo.log_v2", "result_accuracy", {1, 10}},
    {"vhlo.logistic_v1", "", {0, 9}, {1, 9}},
    {"vhlo.logistic_v2", "result_accuracy", {1, 10}},
    {"vhlo.map_v1", "dimensions"},
    {"vhlo.maximum_v1", ""},
    {"vhlo.minimum_v1", ""},
    {"vhlo.multiply_v1", ""},
    {"vhlo.negate_v1", ""},
    {"vhlo.not_v1", ""},
    {"vhlo.optimization_barrier_v1", ""},
    {"vhlo.or_v1", ""},
    {"vhlo.outfeed_v1", "outfeed_config"},
    {"vhlo.pad_v1", "edge_padding_high edge_padding_low interior_padding"},
    {"vhlo.partition_id_v1", ""},
    {"vhlo.popcnt_v1", ""},
    {"vhlo.power_v1", ""},
    {"vhlo.real_dynamic_slice_v1", ""},
    {"vhlo.real_v1", ""},
    {"vhlo.recv_v1", "channel_id channel_type is_host_transfer", {0, 9}, {1, 11}},
    {"vhlo.recv_v2", "channel_id channel_type is_host_transfer source_target_pairs", {1, 12}},
    {"vhlo.reduce_precision_v1", "exponent_bits mantissa_bits"},
    {"vhlo.reduce_scatter_v1", "channel_id replica_groups scatter_dimension use_global_device_ids"},
    {"vhlo.reduce_v1", "dimensions"},
    {"vhlo.reduce_window_v1", "base_dilations padding window_dilations window_dimensions window_strides"},
    {"vhlo.remainder_v1", ""},
    {"vhlo.replica_id_v1", ""},
    {"vhlo.reshape_v1", ""},
    {"vhlo.return_v1", ""},
    {"vhlo.reverse_v1", "dimensions"},
    {"vhlo.rng_bit_generator_v1", "rng_algorithm"},
    {"vhlo.rng_v1", "rng_distribution"},
    {"vhlo.round_nearest_afz_v1", ""},
    {"vhlo.round_nearest_even_v1", ""},
    {"vhlo.rsqrt_v1", "", {0, 9}, {1, 9}},
    {"vhlo.rsqrt_v2", "result_accuracy", {1, 10}},
    {"vhlo.scatter_v1",
     "index_vector_dim indices_are_sorted inserted_window_dims scatter_dims_to_operand_dims "
     "unique_indices update_window_dims",
     {0, 9},
     {1, 0}},
    {"vhlo.scatter_v2",
     "index_vector_dim indices_are_sorted input_batching_dims inserted_window_dims "
     "scatter_dims_to_operand_dims scatter_indices_batching_dims unique_indices update_window_dims",
     {1, 1}},
    {"vhlo.select_and_scatter_v1", "padding window_dimensions window_strides"},
    {"vhlo.select_v1", ""},
    {"vhlo.send_v1", "channel_id channel_type is_host_transfer", {0, 9}, {1, 11}},
    {"vhlo.send_v2", "channel_id channel_type is_host_transfer source_target_pairs", {1, 12}},
    {"vhlo.set_dimension_size_v1", "dimension"},
    {"vhlo.shift_left_v1", ""},
    {"vhlo.shift_right_arithmetic_v1", ""},
    {"vhlo.shift_right_logical_v1", ""},
    {"vhlo.sign_v1", ""},
    {"vhlo.sine_v1", "", {0, 9}, {1, 9}},
    {"vhlo.sine_v2", "result_accuracy", {1, 10}},
    {"vhlo.slice_v1", "limit_indices start_indices strides"},
    {"vhlo.sort_v1", "dimension is_stable"},
    {"vhlo.sqrt_v1", "", {0, 9}, {1, 9}},
    {"vhlo.sqrt_v2", "result_accuracy", {1, 10}},
    {"vhlo.subtract_v1", ""},
    {"vhlo.tan_v1", "", {1, 4}, {1, 9}},
    {"vhlo.tan_v2", "result_accuracy", {1, 10}},
    {"vhlo.tanh_v1", "", {0, 9}, {1, 9}},
    {"vhlo.tanh_v2", "result_accuracy", {1, 10}},
    {"vhlo.torch_index_select_v1", "batch_dims dim"},
    {"vhlo.transpose_v1", "permutation"},
    {"vhlo.triangular_solve_v1", "left_side lower transpose_a unit_diagonal"},
    {"vhlo.tuple_v1", ""},
    {"vhlo.unary_einsum_v1", "einsum_config"},
    {"vhlo.uniform_dequantize_v1", ""},
    {"vhlo.uniform_quantize_v1", ""},
    {"vhlo.while_v1", ""},
    {"vhlo.xor_v1", ""},
};
static_assert(std::ranges::is_sorted(forms, {}, &OperationForm::name));

}  // namespace

const OperationForm* find_form(std::string_view name) {
  const auto* const found = std::ranges::lower_bound(forms, name, {}, &OperationForm::name);
  return found != std::end(forms) && found->name == name ? found : nullptr;
}

std::span<const OperationForm> vhlo_forms(std::string_view name) {
  const std::string before = concat("vhlo.", name, "_v");
  const auto is_form = [&](const OperationForm& form) { return form.name.starts_with(before); };
  const auto* const first = std::ranges::find_if(forms, is_form);
  return {first, std::find_if_not(first, std::end(forms), is_form)};
}

std::vector<Property> properties_of(const OperationForm& form) {
  std::vector<Property> result;
  for (std::string_view names = form.properties; !names.empty();) {
    const std::size_t end = std::min(names.find(' '), names.size());
    const bool is_optional = names[end - 1] == '?';
    result.push_back({names.substr(0, end - (is_optional ? 1 : 0)), is_optional});
    names.remove_prefix(std::min(end + 1, names.size()));
  }
  return result;
}

}  // namespace weft::ir::bytecode
