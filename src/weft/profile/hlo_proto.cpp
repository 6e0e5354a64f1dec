#include <weft/profile/hlo_proto.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include <weft/profile/buffer_assignment.h>
#include <weft/profile/hlo.pb.h>
#include <weft/profile/serialize.h>

namespace weft::profile {

namespace {

using Text = std::string_view;

// XLA's PrimitiveType.
int element_type(Text name) {
  static constexpr std::pair<Text, int> types[] = {
      {"pred", 1}, {"s8", 2},   {"s16", 3},  {"s32", 4},  {"s64", 5},  {"u8", 6},    {"u16", 7},    {"u32", 8},
      {"u64", 9},  {"f16", 10}, {"f32", 11}, {"f64", 12}, {"c64", 15}, {"bf16", 16}, {"token", 17}, {"c128", 18}};
  const auto* const found = std::ranges::find(types, name, &std::pair<Text, int>::first);
  return found == std::end(types) ? 0 : found->second;
}

constexpr int tuple_type = 13;

constexpr int deepest_tuple = 32;

// f32[8,256]{1,0} or (f32[], s32[4]{0}); returns what stands behind it. Tuples that are nested deeper than any program's are empty.
Text read_shape(Text text, proto::ShapeProto& shape, int depth = 0) {
  if (text.starts_with('(')) {
    shape.set_element_type(tuple_type);
    text.remove_prefix(1);
    if (depth == deepest_tuple) return {};
    while (!text.empty() && !text.starts_with(')')) {
      text = read_shape(text, *shape.add_tuple_shapes(), depth + 1);
      while (text.starts_with(',') || text.starts_with(' ')) text.remove_prefix(1);
    }
    if (!text.empty()) text.remove_prefix(1);
    return text;
  }
  const auto open = text.find('['), close = text.find(']', open);
  if (open == text.npos || close == text.npos) return {};
  shape.set_element_type(element_type(text.substr(0, open)));
  for (const std::int64_t size : integers(text.substr(open, close - open))) {
    shape.add_dimensions(size);
    shape.add_is_dynamic_dimension(false);
  }
  auto& layout = *shape.mutable_layout();
  for (int dim = shape.dimensions_size() - 1; dim >= 0; --dim) layout.add_minor_to_major(dim);
  text.remove_prefix(close + 1);
  if (!text.starts_with('{')) return text;
  const auto end = text.find('}');
  return end == text.npos ? Text() : text.substr(end + 1);
}

Text attribute(const HloInstruction& instruction, Text key) {
  Text text = instruction.attributes;
  for (auto at = text.find(key); at != text.npos; at = text.find(key, at + 1)) {
    if (at != 0 && text[at - 1] != ' ') continue;
    const Text rest = text.substr(at + key.size());
    if (!rest.starts_with('=')) continue;
    const Text value = rest.substr(1);
    return value.starts_with('{') ? value.substr(0, value.find('}') + 1) : value.substr(0, value.find(','));
  }
  return {};
}

template <class Repeated>
void set_numbers(Text list, Repeated* to) {
  for (const std::int64_t value : integers(list)) to->Add(value);
}

void set_dot(const HloInstruction& from, proto::DotDimensionNumbers& dot) {
  set_numbers(attribute(from, "lhs_contracting_dims"), dot.mutable_lhs_contracting_dimensions());
  set_numbers(attribute(from, "rhs_contracting_dims"), dot.mutable_rhs_contracting_dimensions());
  set_numbers(attribute(from, "lhs_batch_dims"), dot.mutable_lhs_batch_dimensions());
  set_numbers(attribute(from, "rhs_batch_dims"), dot.mutable_rhs_batch_dimensions());
}

std::int64_t number(const HloInstruction& from, Text key) {
  const auto found = integers(attribute(from, key));
  return found.empty() ? 0 : found[0];
}

void set_gather(const HloInstruction& from, proto::HloInstructionProto& to) {
  auto& dims = *to.mutable_gather_dimension_numbers();
  set_numbers(attribute(from, "offset_dims"), dims.mutable_offset_dims());
  set_numbers(attribute(from, "collapsed_slice_dims"), dims.mutable_collapsed_slice_dims());
  set_numbers(attribute(from, "start_index_map"), dims.mutable_start_index_map());
  set_numbers(attribute(from, "operand_batching_dims"), dims.mutable_operand_batching_dims());
  set_numbers(attribute(from, "start_indices_batching_dims"), dims.mutable_start_indices_batching_dims());
  dims.set_index_vector_dim(number(from, "index_vector_dim"));
  set_numbers(attribute(from, "slice_sizes"), to.mutable_gather_slice_sizes());
}

void set_scatter(const HloInstruction& from, proto::ScatterDimensionNumbers& dims) {
  set_numbers(attribute(from, "update_window_dims"), dims.mutable_update_window_dims());
  set_numbers(attribute(from, "inserted_window_dims"), dims.mutable_inserted_window_dims());
  set_numbers(attribute(from, "scatter_dims_to_operand_dims"), dims.mutable_scatter_dims_to_operand_dims());
  set_numbers(attribute(from, "input_batching_dims"), dims.mutable_input_batching_dims());
  set_numbers(attribute(from, "scatter_indices_batching_dims"), dims.mutable_scatter_indices_batching_dims());
  dims.set_index_vector_dim(number(from, "index_vector_dim"));
}

// Cuts 2x3x4 at each x.
std::vector<Text> by_x(Text list) {
  std::vector<Text> parts;
  while (!list.empty()) {
    const auto end = std::min(list.find('x'), list.size());
    parts.push_back(list.substr(0, end));
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return parts;
}

// window={size=3x3 stride=1x1 pad=1_1x1_1 lhs_dilate=1x1 rhs_dilate=1x1 rhs_reversal=0x0}
void set_window(const HloInstruction& from, proto::Window& to) {
  const Text window = attribute(from, "window");
  const auto parts = [&](Text key) {
    const auto at = window.find(key);
    if (at == window.npos) return std::vector<Text>();
    const Text rest = window.substr(at + key.size());
    return by_x(rest.substr(0, rest.find_first_of(" }")));
  };
  const auto sizes = parts("size="), strides = parts("stride="), pads = parts("pad="), base = parts("lhs_dilate="),
             dilations = parts("rhs_dilate="), reversed = parts("rhs_reversal=");
  const auto value = [](const std::vector<Text>& list, std::size_t d, std::int64_t otherwise) {
    const auto found = d < list.size() ? integers(list[d]) : std::vector<std::int64_t>();
    return found.empty() ? otherwise : found[0];
  };
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    auto& dim = *to.add_dimensions();
    dim.set_size(value(sizes, d, 1));
    dim.set_stride(value(strides, d, 1));
    std::string pad(d < pads.size() ? pads[d] : Text());
    std::ranges::replace(pad, '_', ' ');
    const auto padding = integers(pad);
    dim.set_padding_low(padding.empty() ? 0 : padding[0]);
    dim.set_padding_high(padding.size() < 2 ? 0 : padding[1]);
    dim.set_base_dilation(value(base, d, 1));
    dim.set_window_dilation(value(dilations, d, 1));
    dim.set_window_reversal(value(reversed, d, 0) != 0);
  }
}

// dim_labels=b01f_01io->b01f: where batch, features and spatial dimensions stand in input, kernel and output.
void set_convolution(const HloInstruction& from, proto::HloInstructionProto& to) {
  const Text labels = attribute(from, "dim_labels");
  const auto underscore = labels.find('_'), arrow = labels.find("->");
  if (underscore == labels.npos || arrow == labels.npos) return;
  auto& dims = *to.mutable_convolution_dimension_numbers();
  const auto read = [](Text form, auto&& place) {
    std::vector<std::int64_t> spatial(form.size(), -1);
    for (std::size_t d = 0; d < form.size(); ++d) {
      const auto at = static_cast<std::int64_t>(d);
      if (form[d] >= '0' && form[d] <= '9') {
        if (const auto n = static_cast<std::size_t>(form[d] - '0'); n < spatial.size()) spatial[n] = at;
      } else {
        place(form[d], at);
      }
    }
    std::erase(spatial, -1);
    return spatial;
  };
  for (const std::int64_t d : read(labels.substr(0, underscore), [&](char c, std::int64_t at) {
         c == 'b' ? dims.set_input_batch_dimension(at) : dims.set_input_feature_dimension(at);
       }))
    dims.add_input_spatial_dimensions(d);
  for (const std::int64_t d : read(labels.substr(underscore + 1, arrow - underscore - 1), [&](char c, std::int64_t at) {
         c == 'o' ? dims.set_kernel_output_feature_dimension(at) : dims.set_kernel_input_feature_dimension(at);
       }))
    dims.add_kernel_spatial_dimensions(d);
  for (const std::int64_t d : read(labels.substr(arrow + 2), [&](char c, std::int64_t at) {
         c == 'b' ? dims.set_output_batch_dimension(at) : dims.set_output_feature_dimension(at);
       }))
    dims.add_output_spatial_dimensions(d);
  to.set_feature_group_count(std::max<std::int64_t>(number(from, "feature_group_count"), 1));
  to.set_batch_group_count(std::max<std::int64_t>(number(from, "batch_group_count"), 1));
}

// slice={[0:4], [2:8:2]}
void set_slice(const HloInstruction& from, proto::HloInstructionProto& to) {
  Text list = attribute(from, "slice");
  for (auto open = list.find('['); open != list.npos; open = list.find('[')) {
    const auto close = std::min(list.find(']', open), list.size());
    const auto bounds = integers(list.substr(open, close - open));
    auto& dim = *to.add_slice_dimensions();
    if (!bounds.empty()) dim.set_start(bounds[0]);
    if (bounds.size() > 1) dim.set_limit(bounds[1]);
    dim.set_stride(bounds.size() > 2 ? bounds[2] : 1);
    list.remove_prefix(close);
    if (!list.empty()) list.remove_prefix(1);
  }
}

// padding=1_0x2_2_1
void set_padding(const HloInstruction& from, proto::PaddingConfig& to) {
  Text rest = attribute(from, "padding");
  while (!rest.empty()) {
    const auto end = std::min(rest.find('x'), rest.size());
    std::string part(rest.substr(0, end));
    std::ranges::replace(part, '_', ' ');
    const auto sizes = integers(part);
    auto& dim = *to.add_dimensions();
    if (!sizes.empty()) dim.set_edge_padding_low(sizes[0]);
    if (sizes.size() > 1) dim.set_edge_padding_high(sizes[1]);
    if (sizes.size() > 2) dim.set_interior_padding(sizes[2]);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
}

// A number of one of the common types; others show as 0.
void set_literal(const HloInstruction& from, proto::LiteralProto& to) {
  read_shape(from.shape, *to.mutable_shape());
  if (to.shape().dimensions_size() != 0 || from.operands.empty()) return;
  const std::string& text = from.operands[0];
  const auto real = [&] {
    double value = 0;
    (void)std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
  };
  const auto integer = [&] {
    std::int64_t value = 0;
    (void)std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
  };
  switch (to.shape().element_type()) {
    case 1: to.add_preds(text == "true"); break;
    case 4: to.add_s32s(static_cast<std::int32_t>(integer())); break;
    case 5: to.add_s64s(integer()); break;
    case 8: to.add_u32s(static_cast<std::uint32_t>(integer())); break;
    case 9: to.add_u64s(static_cast<std::uint64_t>(integer())); break;
    case 11: to.add_f32s(static_cast<float>(real())); break;
    case 12: to.add_f64s(real()); break;
    default: break;
  }
}

class Builder {
 public:
  Builder(const Program& program, const HloModule& module) : program_(program), from_(module) {
    for (const HloComputation& c : module.computations) ids_.emplace(c.name, ++last_id_);
  }

  std::string build(std::int64_t program_id) {
    proto::HloProto made;
    proto::HloModuleProto& module = *made.mutable_hlo_module();
    module.set_name(hlo_name(program_.name));
    module.set_id(program_id);
    for (const HloComputation& computation : from_.computations) add(computation, *module.add_computations());
    if (const HloComputation* entry = from_.entry()) {
      module.set_entry_computation_name(entry->name);
      module.set_entry_computation_id(ids_.at(entry->name));
      const auto& computation = module.computations(static_cast<int>(entry - from_.computations.data()));
      *module.mutable_host_program_shape() = computation.program_shape();
      assign_buffers(program_, computation, *made.mutable_buffer_assignment());
    }
    for (auto& computation : *module.mutable_computations())
      computation.set_is_fusion_computation(fused_.contains(computation.name()));
    return serialized(made);
  }

 private:
  void add(const HloComputation& from, proto::HloComputationProto& to) {
    to.set_name(from.name);
    to.set_id(ids_.at(from.name));
    std::map<Text, std::int64_t> ids;
    for (const HloInstruction& instruction : from.instructions) {
      const std::int64_t id = ++last_id_;
      ids.emplace(instruction.name, id);
      proto::HloInstructionProto& made = *to.add_instructions();
      made.set_id(id);
      add(instruction, ids, made);
      if (instruction.opcode == "parameter") {
        *to.mutable_program_shape()->add_parameters() = made.shape();
        to.mutable_program_shape()->add_parameter_names(instruction.name);
      }
      if (!instruction.is_root) continue;
      to.set_root_id(id);
      *to.mutable_program_shape()->mutable_result() = made.shape();
    }
  }

  void add(const HloInstruction& from, const std::map<Text, std::int64_t>& ids, proto::HloInstructionProto& to) {
    to.set_name(from.name);
    to.set_opcode(from.opcode);
    read_shape(from.shape, *to.mutable_shape());
    auto& metadata = *to.mutable_metadata();
    metadata.set_op_type(from.opcode);
    metadata.set_op_name(utf8(from.scope));
    const auto colon = from.source.rfind(':');
    if (colon != std::string::npos) {
      metadata.set_source_file(utf8(from.source.substr(0, colon)));
      const auto line = integers(from.source.substr(colon));
      if (!line.empty()) metadata.set_source_line(static_cast<std::int32_t>(line[0]));
    }
    if (from.opcode == "parameter" && !from.operands.empty() && !integers(from.operands[0]).empty())
      to.set_parameter_number(integers(from.operands[0])[0]);
    if (from.opcode == "constant") set_literal(from, *to.mutable_literal());
    if (!from.has_literal_operand())
      for (const std::string& operand : from.operands)
        if (const auto id = ids.find(operand); id != ids.end()) to.add_operand_ids(id->second);
    for (const std::string& called : from.calls) {
      if (const auto id = ids_.find(called); id != ids_.end()) to.add_called_computation_ids(id->second);
      if (from.opcode == "fusion") fused_.insert(called);
    }
    to.set_fusion_kind(std::string(attribute(from, "kind")));
    set_numbers(attribute(from, from.opcode == "iota" ? "iota_dimension" : "dimensions"), to.mutable_dimensions());
    set_numbers(attribute(from, "dynamic_slice_sizes"), to.mutable_dynamic_slice_sizes());
    if (const auto index = integers(attribute(from, "index")); !index.empty()) to.set_tuple_index(index[0]);
    if (from.opcode == "dot") set_dot(from, *to.mutable_dot_dimension_numbers());
    if (from.opcode == "gather") set_gather(from, to);
    if (from.opcode == "scatter") set_scatter(from, *to.mutable_scatter_dimension_numbers());
    if (from.attributes.find("window={") != std::string::npos) set_window(from, *to.mutable_window());
    if (from.opcode == "convolution") set_convolution(from, to);
    if (from.opcode == "rng-bit-generator") {
      const Text algorithm = attribute(from, "algorithm");
      to.set_rng_algorithm(algorithm == "rng_three_fry" ? 1 : algorithm == "rng_philox" ? 2 : 0);
    }
    if (from.opcode == "slice") set_slice(from, to);
    if (from.opcode == "pad") set_padding(from, *to.mutable_padding_config());
    if (from.opcode == "compare") to.set_comparison_direction(std::string(attribute(from, "direction")));
    Text target = attribute(from, "custom_call_target");
    if (target.size() > 2) to.set_custom_call_target(utf8(std::string(target.substr(1, target.size() - 2))));
  }

  const Program& program_;
  const HloModule& from_;
  std::int64_t last_id_ = 0;
  std::map<std::string, std::int64_t, std::less<>> ids_;  // of computations
  std::set<std::string> fused_;
};

}  // namespace

std::string hlo_proto(const Program& program, const HloModule& module, std::int64_t program_id) {
  return Builder(program, module).build(program_id);
}

}  // namespace weft::profile
