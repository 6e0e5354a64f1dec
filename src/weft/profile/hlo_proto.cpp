#include <weft/profile/hlo_proto.h>

#include <algorithm>
#include <cstring>
#include <set>
#include <string_view>
#include <utility>

#include <weft/profile/buffer_assignment.h>
#include <weft/profile/hlo.pb.h>
#include <weft/profile/serialize.h>
#include <weft/runtime/hlo_text.h>

namespace weft::profile {

namespace {

using runtime::Computation;
using runtime::Instruction;
using runtime::Numbers;
using Rows = std::vector<Numbers>;

// Returns XLA's PrimitiveType; 0 for types that XLA does not have.
int element_type(DType dtype) {
  static constexpr int types[dtype_count] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 16, 11, 12};
  constexpr int token = 17;
  return dtype <= DType::f64 ? types[static_cast<int>(dtype)] : dtype == DType::token ? token : 0;
}

void set_shape(Type type, proto::ShapeProto& to) {
  to.set_element_type(element_type(type.dtype()));
  for (const Dim dim : type.dims()) {
    to.add_dimensions(dim.value());
    to.add_is_dynamic_dimension(false);
  }
  auto& layout = *to.mutable_layout();
  for (int dim = type.rank() - 1; dim >= 0; --dim) layout.add_minor_to_major(dim);
}

void set_shape(const runtime::Shape& shape, proto::ShapeProto& to) {
  constexpr int tuple_type = 13;
  if (!shape.is_tuple) return set_shape(shape.types[0], to);
  to.set_element_type(tuple_type);
  for (const Type type : shape.types) set_shape(type, *to.add_tuple_shapes());
}

// Returns the attribute's value; empty if there is none of that name and type.
template <class T>
T value_of(const Instruction& from, std::string_view name) {
  const T* const value = from.attribute<T>(name);
  return value ? *value : T();
}

template <class Repeated>
void set_numbers(const Numbers& list, Repeated* to) {
  to->Add(list.begin(), list.end());
}

template <class Repeated>
void set_numbers(const Instruction& from, std::string_view name, Repeated* to) {
  set_numbers(value_of<Numbers>(from, name), to);
}

void set_dot(const Instruction& from, proto::DotDimensionNumbers& dot) {
  set_numbers(from, "lhs_contracting_dims", dot.mutable_lhs_contracting_dimensions());
  set_numbers(from, "rhs_contracting_dims", dot.mutable_rhs_contracting_dimensions());
  set_numbers(from, "lhs_batch_dims", dot.mutable_lhs_batch_dimensions());
  set_numbers(from, "rhs_batch_dims", dot.mutable_rhs_batch_dimensions());
}

void set_gather(const Instruction& from, proto::HloInstructionProto& to) {
  auto& dims = *to.mutable_gather_dimension_numbers();
  set_numbers(from, "offset_dims", dims.mutable_offset_dims());
  set_numbers(from, "collapsed_slice_dims", dims.mutable_collapsed_slice_dims());
  set_numbers(from, "start_index_map", dims.mutable_start_index_map());
  set_numbers(from, "operand_batching_dims", dims.mutable_operand_batching_dims());
  set_numbers(from, "start_indices_batching_dims", dims.mutable_start_indices_batching_dims());
  dims.set_index_vector_dim(value_of<std::int64_t>(from, "index_vector_dim"));
  set_numbers(from, "slice_sizes", to.mutable_gather_slice_sizes());
}

void set_scatter(const Instruction& from, proto::ScatterDimensionNumbers& dims) {
  set_numbers(from, "update_window_dims", dims.mutable_update_window_dims());
  set_numbers(from, "inserted_window_dims", dims.mutable_inserted_window_dims());
  set_numbers(from, "scatter_dims_to_operand_dims", dims.mutable_scatter_dims_to_operand_dims());
  set_numbers(from, "input_batching_dims", dims.mutable_input_batching_dims());
  set_numbers(from, "scatter_indices_batching_dims", dims.mutable_scatter_indices_batching_dims());
  dims.set_index_vector_dim(value_of<std::int64_t>(from, "index_vector_dim"));
}

void set_window(const runtime::Window& from, proto::Window& to) {
  const auto at = [](const Numbers& list, std::size_t d, std::int64_t otherwise) {
    return d < list.size() ? list[d] : otherwise;
  };
  for (std::size_t d = 0; d < from.size.size(); ++d) {
    auto& dim = *to.add_dimensions();
    dim.set_size(from.size[d]);
    dim.set_stride(at(from.stride, d, 1));
    dim.set_padding_low(at(from.padding, 2 * d, 0));
    dim.set_padding_high(at(from.padding, 2 * d + 1, 0));
    dim.set_base_dilation(at(from.base_dilation, d, 1));
    dim.set_window_dilation(at(from.window_dilation, d, 1));
    dim.set_window_reversal(at(from.reversal, d, 0) != 0);
  }
}

void set_spatial(const Numbers& from, google::protobuf::RepeatedField<std::int64_t>* to) {
  to->Add(from.begin() + 2, from.end());
}

void set_convolution(const Instruction& from, proto::HloInstructionProto& to) {
  const auto& [input, kernel, output] = *from.convolution;
  auto& dims = *to.mutable_convolution_dimension_numbers();
  dims.set_input_batch_dimension(input[0]);
  dims.set_input_feature_dimension(input[1]);
  set_spatial(input, dims.mutable_input_spatial_dimensions());
  dims.set_kernel_input_feature_dimension(kernel[0]);
  dims.set_kernel_output_feature_dimension(kernel[1]);
  set_spatial(kernel, dims.mutable_kernel_spatial_dimensions());
  dims.set_output_batch_dimension(output[0]);
  dims.set_output_feature_dimension(output[1]);
  set_spatial(output, dims.mutable_output_spatial_dimensions());
  to.set_feature_group_count(std::max<std::int64_t>(value_of<std::int64_t>(from, "feature_group_count"), 1));
  to.set_batch_group_count(std::max<std::int64_t>(value_of<std::int64_t>(from, "batch_group_count"), 1));
}

// Converts the rows of three numbers for each dimension.
void set_slice(const Rows& rows, proto::HloInstructionProto& to) {
  for (const Numbers& row : rows) {
    if (row.size() != 3) continue;
    auto& dim = *to.add_slice_dimensions();
    dim.set_start(row[0]);
    dim.set_limit(row[1]);
    dim.set_stride(row[2]);
  }
}

void set_padding(const Rows& rows, proto::PaddingConfig& to) {
  for (const Numbers& row : rows) {
    if (row.size() != 3) continue;
    auto& dim = *to.add_dimensions();
    dim.set_edge_padding_low(row[0]);
    dim.set_edge_padding_high(row[1]);
    dim.set_interior_padding(row[2]);
  }
}

// Sets a scalar of one of the common types; other literals show as 0.
void set_literal(const Instruction& from, proto::LiteralProto& to) {
  set_shape(from.shape, *to.mutable_shape());
  if (from.shape.is_tuple || from.shape.types[0].rank() != 0 || !from.literal) return;
  const auto number = [&]<class T>(T value) {
    std::memcpy(&value, from.literal->data(), sizeof value);
    return value;
  };
  switch (from.shape.types[0].dtype()) {
    case DType::boolean: to.add_preds(number(std::uint8_t{}) != 0); break;
    case DType::i32: to.add_s32s(number(std::int32_t{})); break;
    case DType::i64: to.add_s64s(number(std::int64_t{})); break;
    case DType::u32: to.add_u32s(number(std::uint32_t{})); break;
    case DType::u64: to.add_u64s(number(std::uint64_t{})); break;
    case DType::f32: to.add_f32s(number(float{})); break;
    case DType::f64: to.add_f64s(number(double{})); break;
    default: break;
  }
}

class Builder {
 public:
  explicit Builder(const Program& program) : program_(program), from_(program.description) {}

  std::string build(std::int64_t program_id) {
    proto::HloProto made;
    proto::HloModuleProto& module = *made.mutable_hlo_module();
    module.set_name(runtime::hlo_name(program_.name));
    module.set_id(program_id);
    last_id_ = std::ssize(from_.computations);
    for (std::size_t i = 0; i < from_.computations.size(); ++i) add(i, *module.add_computations());
    if (const Computation* const entry = from_.entry()) {
      const auto& computation = module.computations(module.computations_size() - 1);
      module.set_entry_computation_name(entry->name);
      module.set_entry_computation_id(computation.id());
      *module.mutable_host_program_shape() = computation.program_shape();
      assign_buffers(program_, computation, *made.mutable_buffer_assignment());
    }
    for (const std::uint32_t fused : fused_) module.mutable_computations(fused)->set_is_fusion_computation(true);
    return serialized(made);
  }

 private:
  static std::int64_t id_of(std::size_t computation) { return computation + 1; }

  void add(std::size_t index, proto::HloComputationProto& to) {
    const Computation& from = from_.computations[index];
    to.set_name(from.name);
    to.set_id(id_of(index));
    const std::int64_t first_id = last_id_ + 1;
    for (const Instruction& instruction : from.instructions) {
      proto::HloInstructionProto& made = *to.add_instructions();
      made.set_id(++last_id_);
      add(instruction, first_id, made);
      if (instruction.opcode != "parameter") continue;
      *to.mutable_program_shape()->add_parameters() = made.shape();
      to.mutable_program_shape()->add_parameter_names(instruction.name);
    }
    to.set_root_id(first_id + from.root);
    *to.mutable_program_shape()->mutable_result() = to.instructions(from.root).shape();
  }

  // `first_id` is the id of the first instruction of the computation.
  void add(const Instruction& from, std::int64_t first_id, proto::HloInstructionProto& to) {
    to.set_name(from.name);
    to.set_opcode(from.opcode);
    set_shape(from.shape, *to.mutable_shape());
    auto& metadata = *to.mutable_metadata();
    metadata.set_op_type(from.opcode);
    metadata.set_op_name(from.scope);
    metadata.set_source_file(from.file);
    metadata.set_source_line(from.line);
    to.set_parameter_number(from.parameter);
    for (const std::uint32_t operand : from.operands) to.add_operand_ids(first_id + operand);
    for (const std::uint32_t called : from.calls) to.add_called_computation_ids(id_of(called));
    if (from.opcode == "fusion") fused_.insert(from.calls.begin(), from.calls.end());
    set_attributes(from, to);
  }

  static void set_attributes(const Instruction& from, proto::HloInstructionProto& to) {
    to.set_fusion_kind(value_of<std::string>(from, "kind"));
    set_numbers(from, "dimensions", to.mutable_dimensions());
    if (const auto* dimension = from.attribute<std::int64_t>("iota_dimension")) to.add_dimensions(*dimension);
    set_numbers(from, "dynamic_slice_sizes", to.mutable_dynamic_slice_sizes());
    to.set_tuple_index(value_of<std::int64_t>(from, "index"));
    to.set_comparison_direction(value_of<std::string>(from, "direction"));
    to.set_custom_call_target(value_of<std::string>(from, "custom_call_target"));
    if (from.opcode == "constant") set_literal(from, *to.mutable_literal());
    if (from.opcode == "dot") set_dot(from, *to.mutable_dot_dimension_numbers());
    if (from.opcode == "gather") set_gather(from, to);
    if (from.opcode == "scatter") set_scatter(from, *to.mutable_scatter_dimension_numbers());
    if (from.window) set_window(*from.window, *to.mutable_window());
    if (from.convolution) set_convolution(from, to);
    if (from.opcode == "slice") set_slice(value_of<Rows>(from, "slice"), to);
    if (from.opcode == "pad") set_padding(value_of<Rows>(from, "padding"), *to.mutable_padding_config());
    const auto algorithm = value_of<std::string>(from, "algorithm");
    to.set_rng_algorithm(algorithm == "rng_three_fry" ? 1 : algorithm == "rng_philox" ? 2 : 0);
  }

  const Program& program_;
  const runtime::ProgramDescription& from_;
  std::int64_t last_id_ = 0;
  std::set<std::uint32_t> fused_;
};

}  // namespace

std::string hlo_proto(const Program& program, std::int64_t program_id) { return Builder(program).build(program_id); }

}  // namespace weft::profile
