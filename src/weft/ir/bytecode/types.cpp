#include <weft/ir/bytecode/types.h>

#include <algorithm>
#include <iterator>

#include <weft/ir/bytecode/type_codes.h>

namespace weft::ir::bytecode {

namespace {

// Types of VHLO that are not those of tensors with a known shape, by the names that StableHLO's text gives them.
struct OtherType {
  std::uint64_t code;
  std::string_view name;
};
constexpr OtherType other_types[] = {
    {23, "tuple"}, {24, "quant"}, {26, "shape.witness"}, {30, "quant"}, {41, "memref"}, {42, "stablehlo.future"},
};

ElementType number(std::string_view name, int bits) { return {name, bits, parse_dtype(name)}; }

std::optional<ElementType> builtin_integer_type(std::uint64_t width_and_signedness) {
  const auto* const found = std::ranges::find_if(builtin_integers, [&](const BuiltinInteger& known) {
    return known.width == width_and_signedness >> 2 && known.signedness == (width_and_signedness & 3);
  });
  if (found == std::end(builtin_integers)) return std::nullopt;
  return number(found->name, static_cast<int>(found->width));
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
  Code code = code_of(index);
  bool is_vhlo = code.dialect == "vhlo";
  if (is_vhlo ? code.number == vhlo_future : code.dialect == "stablehlo" && code.number == stablehlo_future) {
    if (code.rest.number() != 1) fail_unsupported(owner, "a future has one type here", "futures");
    code = code_of(code.rest.number());  // a future is the value that it will be; one of a future is refused below
    is_vhlo = code.dialect == "vhlo";
  }
  if (is_vhlo ? code.number == vhlo_token : code.dialect == "stablehlo" && code.number == stablehlo_token)
    return Type(DType::token, {});
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
  if (index < known_of_attributes_.size() && known_of_attributes_[index]) return known_of_attributes_[index];
  const text::WrittenType type = decoded(index, owner, true);
  known_of_attributes_[index] = type;
  return type;
}

}  // namespace weft::ir::bytecode
