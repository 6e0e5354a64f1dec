#include <weft/ir/bytecode/vhlo_defaults.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include <weft/ir/bytecode/vhlo_codes.h>

namespace weft::ir::bytecode {

namespace {

using text::Attribute;
using text::NamedAttribute;

enum class Default : std::uint8_t {
  accuracy,     // of a result: no tolerance is given
  dictionary,   // {}
  falses,       // false for each dimension
  list,         // []
  no,           // false
  none,         // VHLO's type none
  numbers,      // a list of numbers without any
  ones,         // 1 for each dimension
  original,     // the first version of calls
  precisions,   // DEFAULT for both operands
  text,         // ""
  unspecified,  // the kind of a comparison
  zero,
  zero_pairs,  // [0, 0] for each dimension
};

// The lists are those of VhloLegalizeToStablehlo.cpp and StablehloLegalizeToVhlo.cpp.
struct Known {
  std::string_view attribute;
  Default value;
  bool is_left_out = true;  // also where a program is read
};
constexpr bool stays = false;
constexpr Known known_defaults[] = {
    {"accumulation_type", Default::none},
    {"allow_imprecise_accumulation", Default::none},
    {"api_version", Default::original},
    {"arg_attrs", Default::list},
    {"backend_config", Default::text},
    {"base_dilations", Default::ones},
    {"called_computations", Default::list},
    {"channel_id", Default::zero},
    {"channel_type", Default::zero, stays},
    {"collapsed_slice_dims", Default::numbers, stays},
    {"compare_type", Default::unspecified},
    {"composite_attributes", Default::dictionary},
    {"has_dynamic_root", Default::no},
    {"has_side_effect", Default::no},
    {"index_vector_dim", Default::zero, stays},
    {"indices_are_sorted", Default::no},
    {"infeed_config", Default::text},
    {"input_batching_dims", Default::numbers, stays},
    {"input_spatial_dimensions", Default::numbers, stays},
    {"inserted_window_dims", Default::numbers, stays},
    {"kernel_spatial_dimensions", Default::numbers, stays},
    {"known_expanding_dimensions", Default::numbers},
    {"known_nonexpanding_dimensions", Default::numbers},
    {"layout", Default::list},
    {"lhs_batching_dimensions", Default::numbers, stays},
    {"lhs_component_count", Default::none},
    {"lhs_contracting_dimensions", Default::numbers, stays},
    {"lhs_dilation", Default::ones},
    {"lhs_precision_type", Default::none},
    {"num_primitive_operations", Default::none},
    {"offset_dims", Default::numbers, stays},
    {"operand_batching_dims", Default::numbers, stays},
    {"operand_layouts", Default::list, stays},  // only together with result_layouts
    {"outfeed_config", Default::text},
    {"output_operand_aliases", Default::list},
    {"output_spatial_dimensions", Default::numbers, stays},
    {"padding", Default::zero_pairs},
    {"precision_config", Default::precisions},
    {"res_attrs", Default::list},
    {"result_accuracy", Default::accuracy},
    {"result_layouts", Default::list, stays},
    {"result_tilings", Default::list},
    {"rhs_batching_dimensions", Default::numbers, stays},
    {"rhs_component_count", Default::none},
    {"rhs_contracting_dimensions", Default::numbers, stays},
    {"rhs_dilation", Default::ones},
    {"rhs_precision_type", Default::none},
    {"scatter_dims_to_operand_dims", Default::numbers, stays},
    {"scatter_indices_batching_dims", Default::numbers, stays},
    {"source_target_pairs", Default::numbers, stays},
    {"start_index_map", Default::numbers, stays},
    {"start_indices_batching_dims", Default::numbers, stays},
    {"sym_visibility", Default::text},
    {"update_window_dims", Default::numbers, stays},
    {"use_global_device_ids", Default::no},
    {"version", Default::zero},
    {"window_dilations", Default::ones},
    {"window_dimensions", Default::ones, stays},
    {"window_reversal", Default::falses},
    {"window_strides", Default::ones},
};
static_assert(std::ranges::is_sorted(known_defaults, {}, &Known::attribute));

const Known* find_known(std::string_view attribute) {
  const auto* const found = std::ranges::lower_bound(known_defaults, attribute, {}, &Known::attribute);
  return found != std::end(known_defaults) && found->attribute == attribute ? found : nullptr;
}

bool is_empty(const Attribute& a) {
  return a.text.empty() && a.items.empty() && a.fields.empty() && a.integers.empty();
}
bool is_word(const Attribute& a, std::string_view word) { return a.kind == Attribute::Kind::word && a.text == word; }
bool is_integer(const Attribute& a, std::int64_t value) {
  return a.kind == Attribute::Kind::integer && a.integer == value;
}

// Returns whether every element of a list of integers is this small number.
bool is_all(const Attribute& a, char number) {
  if (a.kind == Attribute::Kind::integers)
    return std::ranges::all_of(a.integers, [&](std::int64_t i) { return i == number; });
  if (!a.is_raw || !a.type || a.type.is_complex) return false;
  const Type type = a.type.part;
  if (!is_integer(type.dtype()) && type.dtype() != DType::boolean) return false;
  const std::size_t width = byte_size(type.dtype());
  if (a.text.size() != width && std::cmp_not_equal(a.text.size(), type.bytes())) return false;
  for (std::size_t i = 0; i < a.text.size(); ++i)
    if (a.text[i] != (i % width == 0 ? number : '\0')) return false;
  return true;
}

constexpr std::string_view no_tolerance = "0.000000e+00", default_word = "DEFAULT";

bool is_default_accuracy(const Attribute& a) {
  const auto field = [&](std::string_view name) { return text::find(a.fields, name); };
  const Attribute *atol = field("atol"), *rtol = field("rtol"), *ulps = field("ulps"), *mode = field("mode");
  return atol && atol->text == no_tolerance && rtol && rtol->text == no_tolerance && ulps && is_integer(*ulps, 0) &&
         mode && is_word(*mode, default_word);
}

bool is_value(Default value, const Attribute& a) {
  switch (value) {
    case Default::accuracy: return is_default_accuracy(a);
    case Default::dictionary:
    case Default::list:
    case Default::text:
    case Default::numbers: return is_empty(a);
    case Default::falses:
    case Default::zero_pairs: return is_all(a, 0);
    case Default::no: return a.kind == Attribute::Kind::boolean && a.integer == 0;
    case Default::none: return a.kind == Attribute::Kind::opaque && a.text == not_given;
    case Default::ones: return is_all(a, 1);
    case Default::original: return is_integer(a, 1);
    case Default::precisions:
      return std::ranges::all_of(a.items, [](const Attribute& item) { return is_word(item, default_word); });
    case Default::unspecified: return is_word(a, "NOTYPE");
    case Default::zero: return is_integer(a, 0);
  }
  __builtin_unreachable();
}

Attribute of_kind(Attribute::Kind kind, std::string_view text = {}) {
  Attribute result;
  result.kind = kind;
  result.text = text;
  return result;
}

Attribute number(std::int64_t value, DType dtype) {
  Attribute result = of_kind(Attribute::Kind::integer);
  result.integer = value;
  result.type = Type(dtype, {});
  return result;
}

Attribute numbers(std::int64_t count, std::int64_t value, DType dtype) {
  Attribute result = of_kind(Attribute::Kind::integers);
  result.integers.assign(count, value);
  result.type = Type(dtype, {});
  return result;
}

Attribute word(std::string_view written, std::string_view text) {
  Attribute result = of_kind(Attribute::Kind::word, text);
  result.written = written;
  return result;
}

Attribute default_accuracy() {
  Attribute tolerance = of_kind(Attribute::Kind::real, no_tolerance);
  tolerance.type = Type(DType::f64, {});
  Attribute result = of_kind(Attribute::Kind::dictionary);
  result.fields = {{"atol", tolerance},
                   {"rtol", tolerance},
                   {"ulps", number(0, DType::i64)},
                   {"mode", word("#stablehlo<result_accuracy_mode DEFAULT>", default_word)}};
  return result;
}

Attribute default_precisions() {
  Attribute result = of_kind(Attribute::Kind::list);
  result.items.assign(2, word("#stablehlo<precision DEFAULT>", default_word));
  return result;
}

Attribute zero_pairs(std::int64_t count) {
  static constexpr char zero[sizeof(std::int64_t)] = {};
  Attribute result = of_kind(Attribute::Kind::dense, {zero, sizeof(zero)});
  result.is_raw = true;
  result.type = Type(DType::i64, {count, 2});
  return result;
}

Attribute make(Default value, std::int64_t dimensions) {
  switch (value) {
    case Default::accuracy: return default_accuracy();
    case Default::dictionary: return of_kind(Attribute::Kind::dictionary);
    case Default::falses: return numbers(dimensions, 0, DType::boolean);
    case Default::list: return of_kind(Attribute::Kind::list);
    case Default::no: return of_kind(Attribute::Kind::boolean);
    case Default::none: return of_kind(Attribute::Kind::opaque, not_given);
    case Default::numbers: return numbers(0, 0, DType::i64);
    case Default::ones: return numbers(dimensions, 1, DType::i64);
    case Default::original: return number(1, DType::i32);
    case Default::precisions: return default_precisions();
    case Default::text: return of_kind(Attribute::Kind::string);
    case Default::unspecified: return word("#stablehlo<comparison_type NOTYPE>", "NOTYPE");
    case Default::zero: return number(0, DType::i64);
    case Default::zero_pairs: return zero_pairs(dimensions);
  }
  __builtin_unreachable();
}

}  // namespace

bool has_default(const NamedAttribute& attribute) {
  const Known* known = find_known(attribute.name);
  return known && is_value(known->value, attribute.value);
}

bool is_left_out(const NamedAttribute& attribute) {
  const Known* known = find_known(attribute.name);
  return known && known->is_left_out && is_value(known->value, attribute.value);
}

bool can_be_left_out(std::string_view name) {
  const Known* known = find_known(name);
  return known && known->is_left_out;
}

std::optional<Attribute> default_of(std::string_view name, std::int64_t dimensions) {
  const Known* known = find_known(name);
  return known ? std::optional(make(known->value, dimensions)) : std::nullopt;
}

}  // namespace weft::ir::bytecode
