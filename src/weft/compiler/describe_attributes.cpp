#include <weft/compiler/describe_attributes.h>

#include <algorithm>
#include <cctype>
#include <span>

#include <weft/ir/ops.h>
#include <weft/ir/resize.h>

namespace weft::compiler {

namespace {

using ir::Ints;
using runtime::Numbers;

Numbers copy_of(Ints values) { return {values.begin(), values.end()}; }

// Attributes that have another name in HLO than in StableHLO. Other fields keep their names, without the struct that contains them.
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

std::string_view hlo_name_of(std::string_view field) {
  const auto* found = std::ranges::find(renamed, field, &Renamed::field);
  return found != std::end(renamed) ? found->hlo : field.substr(field.find('.') + 1);
}

// Visits the fields of ops whose attributes HLO lists field by field.
class Fields : public ir::FieldVisitor {
 public:
  explicit Fields(std::vector<runtime::Attribute>& to) : to_(to) {}

  void integer(std::string_view field, std::int64_t value, int) override {
    if (field == "dimension") return add(field, Numbers{value});
    add(field, value);
  }
  void boolean(std::string_view field, bool value) override {
    if (value) add(field, true);
  }
  void integers(std::string_view field, Ints values) override {
    const bool is_optional = field.find("batching") != field.npos;
    if (is_optional && values.empty()) return;
    add(field, copy_of(values));
  }
  void matrix(std::string_view field, const ir::IntMatrix& values) override {
    std::vector<Numbers> rows;
    const std::size_t columns = values.columns;
    for (std::size_t at = 0; at < values.values.size(); at += columns)
      rows.push_back(copy_of(values.values.subspan(at, columns)));
    add(field, std::move(rows));
  }
  void enumerator(std::string_view field, std::string_view, std::string_view value) override {
    if (value == "NOTYPE") return;
    std::string word(value);
    if (field == "rng_algorithm") {
      std::ranges::transform(word, word.begin(), [](char c) { return static_cast<char>(std::tolower(c)); });
      word = "rng_" + word;
    }
    add(field, std::move(word));
  }
  void string(std::string_view field, std::string_view value) override {
    if (!value.empty()) to_.push_back({std::string(hlo_name_of(field)), std::string(value), true});
  }
  void literal(std::string_view, const ir::Literal&) override {}

 private:
  void add(std::string_view field, runtime::Attribute::Value value) {
    to_.push_back({std::string(hlo_name_of(field)), std::move(value)});
  }

  std::vector<runtime::Attribute>& to_;
};

// Returns batch and feature of one side of a convolution, or the two features of its kernel, followed by the spatial dimensions.
Numbers dims_in_order(std::int64_t first, std::int64_t second, Ints spatial) {
  Numbers all = {first, second};
  all.insert(all.end(), spatial.begin(), spatial.end());
  return all;
}

void set_convolution(const ir::ConvolutionAttributes& a, Type kernel, runtime::Instruction& to) {
  Numbers size;
  for (const std::int64_t d : a.kernel_spatial) size.push_back(kernel.size(d));
  to.window = {std::move(size),         copy_of(a.strides),      copy_of(a.padding),
               copy_of(a.lhs_dilation), copy_of(a.rhs_dilation), copy_of(a.reversal)};
  to.convolution = {dims_in_order(a.input_batch, a.input_feature, a.input_spatial),
                    dims_in_order(a.kernel_input_feature, a.kernel_output_feature, a.kernel_spatial),
                    dims_in_order(a.output_batch, a.output_feature, a.output_spatial)};
  to.attributes = {{"feature_group_count", a.feature_groups}, {"batch_group_count", a.batch_groups}};
}

// Returns a row for each dimension, with its number in each list.
std::vector<Numbers> by_dimension(std::initializer_list<Ints> lists) {
  std::vector<Numbers> rows(lists.begin()->size());
  for (const Ints list : lists)
    for (std::size_t d = 0; d < rows.size(); ++d) rows[d].push_back(list[d]);
  return rows;
}

// Returns whether the op annotates a value and leaves it unchanged.
bool is_copy(const ir::Node& node) { return node.op->scalar == ir::same_scalar; }

}  // namespace

std::string hlo_opcode(const ir::Node& node) {
  if (!node.op->hlo_opcode.empty()) return std::string(node.op->hlo_opcode);
  if (is_copy(node)) return "copy";
  std::string name(node.op->name);
  std::ranges::replace(name, '_', '-');
  return name;
}

void describe_attributes(const ir::Node& of, const SizeValues& sizes, runtime::Instruction& to) {
  if (is_copy(of)) return;
  Arena arena;
  ir::Node node = of;
  if (node.op->has_sizes()) node.attribute_data = ir::attributes_at(of, sizes, arena);
  if (const auto* convolution = node.attributes_if<ir::ConvolutionAttributes>()) {
    set_convolution(*convolution, sizes(node.operand(1).type()), to);
  } else if (const auto* slice = node.attributes_if<ir::SliceAttributes>()) {
    to.attributes = {{"slice", by_dimension({slice->start, slice->limit, slice->strides})}};
  } else if (const auto* dynamic = node.attributes_if<ir::DynamicSliceAttributes>()) {
    to.attributes = {{"dynamic_slice_sizes", copy_of(dynamic->sizes)}};
  } else if (const auto* pad = node.attributes_if<ir::PadAttributes>()) {
    to.attributes = {{"padding", by_dimension({pad->low, pad->high, pad->interior})}};
  } else if (const auto* window = node.attributes_if<ir::ReduceWindowAttributes>()) {
    to.window = {copy_of(window->window_dimensions), copy_of(window->window_strides),   copy_of(window->padding),
                 copy_of(window->base_dilations),    copy_of(window->window_dilations), {}};
  } else if (const auto* chosen = node.attributes_if<ir::SelectAndScatterAttributes>()) {
    to.window = {
        copy_of(chosen->window_dimensions), copy_of(chosen->window_strides), copy_of(chosen->padding), {}, {}, {}};
  } else if (node.op->attributes && node.op->flow != ir::Flow::call) {
    Fields fields(to.attributes);
    node.op->attributes->visit(node.attribute_data, fields);
  }
}

}  // namespace weft::compiler
