#include <weft/ir/bytecode/types.h>

#include <algorithm>
#include <array>
#include <iterator>

namespace weft::ir::bytecode {

namespace {

// VHLO's codes of types with parameters, and of types that hold no numbers.
enum VhloType : std::uint64_t {
  vhlo_complex = 1,
  vhlo_function = 8,
  vhlo_ranked_tensor = 20,
  vhlo_bounded_tensor = 21,
  vhlo_token = 22,
  vhlo_unranked_tensor = 25,
  vhlo_none = 33,
};
enum BuiltinType : std::uint64_t { builtin_integer = 0, builtin_complex = 9, builtin_ranked_tensor = 13 };

struct NumberType {
  std::uint64_t code;
  std::string_view name;
  int bits;
};
constexpr NumberType vhlo_numbers[] = {
    {0, "i1", 1},          {2, "bf16", 16},       {3, "f16", 16},
    {4, "f32", 32},        {5, "f64", 64},        {6, "f8E4M3FN", 8},
    {7, "f8E5M2", 8},      {9, "index", 64},      {10, "i4", 4},
    {11, "i8", 8},         {12, "i16", 16},       {13, "i32", 32},
    {14, "i64", 64},       {15, "ui4", 4},        {16, "ui8", 8},
    {17, "ui16", 16},      {18, "ui32", 32},      {19, "ui64", 64},
    {27, "f8E4M3FNUZ", 8}, {28, "f8E5M2FNUZ", 8}, {29, "f8E4M3B11FNUZ", 8},
    {31, "i2", 2},         {32, "ui2", 2},        {34, "tf32", 19},
    {35, "f8E4M3", 8},     {36, "f8E3M4", 8},     {37, "f4E2M1FN", 4},
    {38, "f6E2M3FN", 6},   {39, "f6E3M2FN", 6},   {40, "f8E8M0FNU", 8},
};
constexpr NumberType builtin_numbers[] = {
    {1, "index", 64}, {3, "bf16", 16}, {4, "f16", 16}, {5, "f32", 32}, {6, "f64", 64}};

// Types of VHLO that are not those of tensors with a known shape, by the names that StableHLO's text gives them.
struct OtherType {
  std::uint64_t code;
  std::string_view name;
};
constexpr OtherType other_types[] = {
    {23, "tuple"}, {24, "quant"}, {26, "shape.witness"}, {30, "quant"}, {41, "memref"}, {42, "stablehlo.future"},
};

ElementType number(std::string_view name, int bits) { return {name, bits, parse_dtype(name)}; }

// The width and the signedness of a builtin integer share one number.
std::optional<ElementType> builtin_integer_type(std::uint64_t width_and_sign) {
  constexpr std::string_view names[3][5] = {{"i1", "i8", "i16", "i32", "i64"},
                                            {"si1", "si8", "si16", "si32", "si64"},
                                            {"ui1", "ui8", "ui16", "ui32", "ui64"}};
  constexpr std::array<std::uint64_t, 5> widths = {1, 8, 16, 32, 64};
  const auto* const width = std::ranges::find(widths, width_and_sign >> 2);
  if (width == widths.end() || (width_and_sign & 3) > 2) return std::nullopt;
  return number(names[width_and_sign & 3][width - widths.begin()], static_cast<int>(*width));
}

}  // namespace

void TypeDecoder::fail(const Owner& owner, const std::string& message) const {
  source_.fail(owner.at, concat(owner.name, ": ", message));
}

void TypeDecoder::fail_unsupported(const Owner& owner, const std::string& message, std::string_view feature) const {
  source_.fail_unsupported(owner.at, concat(owner.name, ": ", message), feature);
}

TypeDecoder::Code TypeDecoder::code_of(std::size_t index) const {
  const ByteReader file(source_, 0, 0);
  const Entry& entry = container_.types[file.checked_index(index, container_.types.size(), "type")];
  ByteReader in(source_, entry.extent.at, entry.extent.end);
  if (entry.is_text) in.fail("a type is written as text, which is not read here");
  const std::uint64_t code = in.number();
  return {container_.dialects[entry.dialect], code, in};
}

std::optional<ElementType> TypeDecoder::number_type(std::size_t index) const {
  Code code = code_of(index);
  const bool is_vhlo = code.dialect == "vhlo";
  if (!is_vhlo && code.dialect != "builtin") return std::nullopt;
  if (!is_vhlo && code.number == builtin_integer) return builtin_integer_type(code.rest.number());
  const std::span<const NumberType> numbers = is_vhlo ? std::span<const NumberType>(vhlo_numbers) : builtin_numbers;
  const auto found = std::ranges::find(numbers, code.number, &NumberType::code);
  if (found == numbers.end()) return std::nullopt;
  return number(found->name, found->bits);
}

bool TypeDecoder::is_none(std::size_t index) const {
  const Code code = code_of(index);
  return code.dialect == "vhlo" && code.number == vhlo_none;
}

ElementType TypeDecoder::element(std::size_t index, const Owner& owner) const {
  if (const auto simple = number_type(index)) return *simple;
  Code code = code_of(index);
  const bool is_complex = code.number == (code.dialect == "vhlo" ? std::uint64_t{vhlo_complex} : builtin_complex);
  if (is_complex) {
    const std::size_t part_index = code.rest.number();
    auto part = number_type(part_index);
    if (!part || (part->dtype != DType::f32 && part->dtype != DType::f64))
      fail(owner, concat("a complex number has parts of f32 or f64, not ", part ? part->name : "other types"));
    part->is_complex = true;
    return *part;
  }
  fail_unsupported(owner, concat('\'', name_of(code), "': unsupported element type"), name_of(code));
}

std::string_view TypeDecoder::name_of(const Code& code) {
  const auto* const known = std::ranges::find(other_types, code.number, &OtherType::code);
  return code.dialect == "vhlo" && known != std::end(other_types) ? known->name : code.dialect;
}

text::WrittenType TypeDecoder::tensor(const Code& code, const Owner& owner, bool takes_index) const {
  ByteReader in = code.rest;
  std::vector<Dim> dims;
  const std::size_t rank = in.count("dimensions");
  if (std::cmp_greater(rank, limits_.rank)) fail(owner, concat("a tensor has at most ", limits_.rank, " dimensions"));
  std::int64_t elements = 1;
  for (std::size_t i = 0; i < rank; ++i) {
    const std::int64_t size = in.signed_number();
    if (size < 0) fail_unsupported(owner, "dynamic shapes are not read", "dynamic shapes");
    if (size > limits_.elements || (size != 0 && elements > limits_.elements / size))
      fail(owner, concat("a tensor has at most ", limits_.elements, " elements"));
    if (size != 0) elements *= size;
    dims.push_back(size);
  }
  const ElementType element = this->element(in.number(), owner);
  if (element.is_complex && elements > limits_.elements / 2)
    fail(owner, concat("a complex tensor has at most ", limits_.elements / 2, " elements"));
  if (takes_index && element.name == "index") return Type(DType::i64, dims);
  if (!element.dtype) fail_unsupported(owner, concat('\'', element.name, "': unsupported element type"), element.name);
  return {Type(*element.dtype, dims), element.is_complex};
}

text::WrittenType TypeDecoder::decoded(std::size_t index, const Owner& owner, bool takes_index) const {
  const Code code = code_of(index);
  const bool is_vhlo = code.dialect == "vhlo";
  if (is_vhlo && code.number == vhlo_token) return Type(DType::token, {});
  if (code.number == (is_vhlo ? std::uint64_t{vhlo_ranked_tensor} : builtin_ranked_tensor))
    return tensor(code, owner, takes_index);
  if (is_vhlo && (code.number == vhlo_bounded_tensor || code.number == vhlo_unranked_tensor))
    fail_unsupported(owner, "dynamic shapes are not read", "dynamic shapes");
  fail_unsupported(owner, concat("expected a tensor type, got '", name_of(code), '\''), name_of(code));
}

text::WrittenType TypeDecoder::value_type(std::size_t index, const Owner& owner) {
  if (index < known_.size() && known_[index]) return known_[index];
  const text::WrittenType type = decoded(index, owner, false);
  known_[index] = type;
  return type;
}

text::WrittenType TypeDecoder::attribute_type(std::size_t index, const Owner& owner) {
  if (index < known_.size() && known_[index]) return known_[index];
  return decoded(index, owner, true);
}

}  // namespace weft::ir::bytecode
