#include <weft/compiler/hlo_attributes.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include <weft/ir/ops.h>
#include <weft/ir/resize.h>

namespace weft::compiler {

namespace {

namespace ops = ir::ops;
using ir::Ints;

std::string joined(Ints values, std::string_view separator) {
  std::string text;
  for (const std::int64_t v : values) text += concat(text.empty() ? "" : separator, v);
  return text;
}

// Names of HLO for names of StableHLO; other fields keep theirs, without the struct that they are in.
struct Renamed {
  std::string_view field, hlo;
};
constexpr Renamed renamed[] = {
    {"broadcast_dimensions", "dimensions"},
    {"comparison_direction", "direction"},
    {"compare_type", "type"},
    {"dimension", "dimensions"},
    {"dot_dimension_numbers.lhs_batching_dimensions", "lhs_batch_dims"},
    {"dot_dimension_numbers.lhs_contracting_dimensions", "lhs_contracting_dims"},
    {"dot_dimension_numbers.rhs_batching_dimensions", "rhs_batch_dims"},
    {"dot_dimension_numbers.rhs_contracting_dimensions", "rhs_contracting_dims"},
    {"call_target_name", "custom_call_target"},
    {"has_side_effect", "custom_call_has_side_effect"},
    {"permutation", "dimensions"},
    {"rng_algorithm", "algorithm"},
};

std::string_view hlo_name(std::string_view field) {
  const auto* found = std::ranges::find(renamed, field, &Renamed::field);
  return found != std::end(renamed) ? found->hlo : field.substr(field.find('.') + 1);
}

// The fields of the ops whose attributes HLO writes field by field.
class Fields : public ir::FieldVisitor {
 public:
  explicit Fields(const ir::Node& node) : node_(node) {}

  void integer(std::string_view field, std::int64_t value, int) override {
    const bool is_list = field == "dimension";
    add(field, is_list ? concat('{', value, '}') : std::to_string(value));
  }
  void boolean(std::string_view field, bool value) override {
    if (value) add(field, "true");
  }
  void integers(std::string_view field, Ints values) override {
    const bool is_optional = field.find("batching") != field.npos;
    if (is_optional && values.empty()) return;
    const bool is_dynamic_slice = node_.op == &ops::dynamic_slice;
    add(is_dynamic_slice ? "dynamic_slice_sizes" : field, concat('{', joined(values, ","), '}'));
  }
  void matrix(std::string_view field, const ir::IntMatrix& values) override {
    std::string rows;
    const auto columns = static_cast<std::size_t>(values.columns);
    for (std::size_t at = 0; at < values.values.size(); at += columns)
      rows += concat(at == 0 ? "{" : ",{", joined(values.values.subspan(at, columns), ","), '}');
    add(field, concat('{', rows, '}'));
  }
  void enumerator(std::string_view field, std::string_view, std::string_view value) override {
    if (value == "NOTYPE") return;
    std::string word(value);
    if (field == "rng_algorithm") {
      std::ranges::transform(word, word.begin(), [](char c) { return static_cast<char>(std::tolower(c)); });
      word = "rng_" + word;
    }
    add(field, word);
  }
  void string(std::string_view field, std::string_view value) override {
    if (!value.empty()) add(field, concat('"', value, '"'));
  }
  void literal(std::string_view, const ir::Literal&) override {}

  std::string text;

 private:
  void add(std::string_view field, const std::string& value) { text += concat(", ", hlo_name(field), '=', value); }

  const ir::Node& node_;
};

// One entry per dimension, with x between: 2x3.
template <class Entry>
std::string by_dimension(std::size_t count, Entry&& entry) {
  std::string text;
  for (std::size_t d = 0; d < count; ++d) text += concat(d ? "x" : "", entry(d));
  return text;
}

// window={size=2x2 stride=1x2 pad=0_1x0_0 lhs_dilate=2x2}: what is left out is 1, or 0.
std::string window(Ints size, Ints strides, Ints padding, Ints lhs_dilation, Ints rhs_dilation, Ints reversal) {
  const auto plain = [&](Ints values) { return by_dimension(values.size(), [&](std::size_t d) { return values[d]; }); };
  std::string text = ", window={size=" + plain(size);
  const auto add = [&](std::string_view word, Ints values) {
    if (!values.empty()) text += concat(' ', word, '=', plain(values));
  };
  add("stride", strides);
  if (!padding.empty())
    text += " pad=" + by_dimension(padding.size() / 2,
                                   [&](std::size_t d) { return concat(padding[2 * d], '_', padding[2 * d + 1]); });
  add("lhs_dilate", lhs_dilation);
  add("rhs_dilate", rhs_dilation);
  add("rhs_reversal", reversal);
  return text + '}';
}

// b01f: which dimension each place is.
std::string labels(int rank, std::int64_t first, char first_letter, std::int64_t second, char second_letter,
                   Ints spatial) {
  std::string text(static_cast<std::size_t>(rank), '?');
  text[static_cast<std::size_t>(first)] = first_letter;
  text[static_cast<std::size_t>(second)] = second_letter;
  for (std::size_t i = 0; i < spatial.size(); ++i)
    text[static_cast<std::size_t>(spatial[i])] = static_cast<char>('0' + i);
  return text;
}

std::string convolution(const ir::Node& node, const SizeValues& sizes) {
  const auto& a = node.attributes<ir::ConvolutionAttributes>();
  const int rank = node.operand(0).rank();
  std::vector<std::int64_t> size;
  for (const std::int64_t d : a.kernel_spatial) size.push_back(sizes(node.operand(1).type().dim(static_cast<int>(d))));
  return concat(window(size, a.strides, a.padding, a.lhs_dilation, a.rhs_dilation, a.reversal),
                ", dim_labels=", labels(rank, a.input_batch, 'b', a.input_feature, 'f', a.input_spatial), '_',
                labels(rank, a.kernel_input_feature, 'i', a.kernel_output_feature, 'o', a.kernel_spatial), "->",
                labels(rank, a.output_batch, 'b', a.output_feature, 'f', a.output_spatial),
                ", feature_group_count=", a.feature_groups, ", batch_group_count=", a.batch_groups);
}

std::string slices(const ir::Node& node) {
  const auto& a = node.attributes<ir::SliceAttributes>();
  std::string text = ", slice={";
  for (std::size_t d = 0; d < a.start.size(); ++d)
    text += concat(d ? ", " : "", '[', a.start[d], ':', a.limit[d], ':', a.strides[d], ']');
  return text + '}';
}

template <class T>
std::string hlo_number(T value) {
  if constexpr (std::is_same_v<T, bool>) {
    return value ? "true" : "false";
  } else if constexpr (std::is_integral_v<T>) {
    return std::to_string(value);
  } else {
    const auto wide = static_cast<double>(value);
    if (std::isnan(wide)) return "nan";
    if (std::isinf(wide)) return wide < 0 ? "-inf" : "inf";
    std::array<char, 32> text;
    const auto end = std::is_same_v<T, double> ? std::to_chars(text.begin(), text.end(), wide).ptr
                                               : std::to_chars(text.begin(), text.end(), static_cast<float>(value)).ptr;
    return {text.data(), end};
  }
}

template <class T>
void append_list(std::string& out, const ir::Literal& literal, int dim, std::int64_t& at) {
  if (dim == literal.type.rank()) {
    out += hlo_number(literal.at<T>(at++));
    return;
  }
  out += '{';
  for (std::int64_t i = 0; i < literal.type.size(dim); ++i) {
    if (i > 0) out += ", ";
    append_list<T>(out, literal, dim + 1, at);
  }
  out += '}';
}

constexpr std::string_view reducer_words[] = {"to_apply"}, loop_words[] = {"condition", "body"},
                           branch_words[] = {"true_computation", "false_computation"},
                           selection_words[] = {"select", "scatter"};

// What says something of a value and leaves it as it is.
bool is_copy(const ir::Node& node) { return node.op->scalar == ir::same_scalar; }

}  // namespace

std::string hlo_opcode(const ir::Node& node) {
  if (node.op == &ops::broadcast_in_dim) return "broadcast";
  if (node.op == &ops::dot_general) return "dot";
  if (node.op == &ops::if_ || node.op == &ops::case_) return "conditional";
  if (node.op == &ops::optimization_barrier) return "opt-barrier";
  if (node.op == &ops::composite) return "call";
  if (is_copy(node)) return "copy";
  std::string name(node.op->name);
  std::ranges::replace(name, '_', '-');
  return name;
}

std::string hlo_attributes(const ir::Node& of, const SizeValues& sizes) {
  if (is_copy(of)) return {};
  Arena arena;
  ir::Node node = of;
  if (node.op->has_sizes()) node.attribute_data = ir::attributes_at(of, sizes, arena);
  if (node.op == &ops::convolution) return convolution(node, sizes);
  if (node.op == &ops::slice) return slices(node);
  if (node.op == &ops::pad) {
    const auto& a = node.attributes<ir::PadAttributes>();
    return ", padding=" + by_dimension(a.low.size(), [&](std::size_t d) {
             return concat(a.low[d], '_', a.high[d], '_', a.interior[d]);
           });
  }
  if (node.op == &ops::reduce_window) {
    const auto& a = node.attributes<ir::ReduceWindowAttributes>();
    return window(a.window_dimensions, a.window_strides, a.padding, a.base_dilations, a.window_dilations, {});
  }
  if (node.op == &ops::select_and_scatter) {
    const auto& a = node.attributes<ir::SelectAndScatterAttributes>();
    return window(a.window_dimensions, a.window_strides, a.padding, {}, {}, {});
  }
  if (!node.op->attributes || node.op == &ops::composite) return "";
  Fields fields(node);
  node.op->attributes->visit(node.attribute_data, fields);
  return fields.text;
}

std::string hlo_shape(Type type) {
  const DType dtype = type.dtype();
  std::string text = dtype == DType::boolean    ? "pred"
                     : is_signed_integer(dtype) ? concat('s', 8 * byte_size(dtype))
                                                : concat(dtype);
  if (is_unsigned_integer(dtype)) text = concat('u', 8 * byte_size(dtype));
  std::string sizes, layout;
  for (int d = 0; d < type.rank(); ++d) {
    sizes += concat(d ? "," : "", type.size(d));
    layout += concat(d ? "," : "", type.rank() - 1 - d);
  }
  return concat(text, '[', sizes, ']', layout.empty() ? "" : concat('{', layout, '}'));
}

std::string hlo_literal(const ir::Literal& literal) {
  std::string text;
  std::int64_t at = 0;
  visit(literal.type.dtype(), [&](auto tag) { append_list<decltype(tag)>(text, literal, 0, at); });
  return text;
}

std::span<const std::string_view> hlo_region_words(const ir::Node& node) {
  if (node.op == &ops::while_) return loop_words;
  if (node.op == &ops::if_) return branch_words;
  if (node.op == &ops::select_and_scatter) return selection_words;
  return reducer_words;
}

}  // namespace weft::compiler
