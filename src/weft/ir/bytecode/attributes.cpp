#include <weft/ir/bytecode/attributes.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <unordered_set>

#include <weft/base/convert.h>
#include <weft/ir/bytecode/builtin_codes.h>
#include <weft/ir/bytecode/nested.h>
#include <weft/ir/bytecode/vhlo_codes.h>
#include <weft/ir/text/literal.h>
#include <weft/ir/text/location.h>

namespace weft::ir::bytecode {

AttributeDecoder::AttributeDecoder(const text::Source& source, const Container& container, const ParseLimits& limits,
                                   TypeDecoder& types)
    : source_(source), container_(container), types_(types), max_depth_(limits.depth) {
  // Far more than programs need: operations share their attributes, and each use of an attribute takes a byte.
  constexpr std::int64_t small_files = 1 << 16, attributes_per_byte = 4;
  left_ = small_files + attributes_per_byte * static_cast<std::int64_t>(source.text.size());
}

Attribute AttributeDecoder::decode(std::size_t index, const Owner& owner) {
  const Nested nested(*this, owner);
  const ByteReader file(source_, 0, 0);
  const Entry& entry = container_.attributes[file.checked_index(index, container_.attributes.size(), "attribute")];
  const std::string_view dialect = container_.dialects[entry.dialect];
  Context c{{source_, entry.extent.at, entry.extent.end}, owner};
  Attribute result;
  if (entry.is_text) {
    fail_unsupported(c, "an attribute is written as text, which is not read here", dialect);
  } else if (dialect == "vhlo") {
    result = vhlo(c);
  } else if (dialect == "builtin") {
    result = builtin(c);
  } else if (dialect == "sdy") {
    result = sdy(c);
  } else {
    fail_unsupported(c, concat("attributes of the dialect ", dialect, " are not supported"), dialect);
  }
  result.at = owner.at;
  return result;
}

Attribute AttributeDecoder::next(ByteReader& in, const Owner& owner) { return decode(in.number(), owner); }

void AttributeDecoder::append(std::string_view name, std::size_t index, const Owner& owner,
                              std::vector<NamedAttribute>& to) {
  Attribute value = decode(index, owner);
  const bool is_inherent = name.find('.') == name.npos, is_opaque = value.kind == Attribute::Kind::opaque;
  const bool is_not_read = is_opaque && value.written.empty() && value.text.empty();
  if (is_not_read || (is_inherent && is_opaque && value.text == not_given)) return;
  to.push_back({name, std::move(value)});
}

std::string_view AttributeDecoder::keep(std::string text) {
  spend(text.size());
  return texts_.emplace_back(std::move(text));
}

std::string_view AttributeDecoder::string(ByteReader& in) {
  const std::string_view raw = container_.strings[in.index(container_.strings.size(), "string")];
  const auto is_plain = [](char c) { return c >= ' ' && c <= '~' && c != '"' && c != '\\'; };
  if (std::ranges::all_of(raw, is_plain)) return raw;
  std::string quoted;
  text::print_string(quoted, raw);
  return keep(quoted.substr(1, quoted.size() - 2));
}

Attribute AttributeDecoder::builtin(Context& c) {
  const std::uint64_t code = c.in.number();
  switch (static_cast<BuiltinAttribute>(code)) {
    case BuiltinAttribute::array: return list(c);
    case BuiltinAttribute::dictionary: return dictionary(c);
    case BuiltinAttribute::string:
    case BuiltinAttribute::string_with_type: return quoted(c, Attribute::Kind::string);
    case BuiltinAttribute::flat_symbol:
    case BuiltinAttribute::symbol: return symbol(c);
    case BuiltinAttribute::type: return type(c);
    case BuiltinAttribute::unit: return {};
    case BuiltinAttribute::integer: return integer(c);
    case BuiltinAttribute::real: return real(c);
    case BuiltinAttribute::dense_array: return dense_array(c);
    case BuiltinAttribute::dense_elements: return tensor(c);
    default: fail_unsupported(c, concat("the builtin attribute ", code, " is not supported"), "builtin attributes");
  }
}

void AttributeDecoder::require_distinct(const std::vector<NamedAttribute>& attributes, const Owner& owner) const {
  if (attributes.size() < 2) return;
  std::unordered_set<std::string_view> names;
  for (const NamedAttribute& attribute : attributes)
    if (!names.insert(attribute.name).second)
      source_.fail(owner.at, concat(owner.name, ": the attribute ", attribute.name, " is given twice"));
}

Attribute AttributeDecoder::list(Context& c) {
  Attribute result;
  result.kind = Attribute::Kind::list;
  const std::size_t count = c.in.count("attributes");
  for (std::size_t i = 0; i < count; ++i) result.items.push_back(next(c.in, c.owner));
  return result;
}

Attribute AttributeDecoder::dictionary(Context& c) {
  Attribute result;
  result.kind = Attribute::Kind::dictionary;
  const std::size_t count = c.in.count("attributes", 2);
  for (std::size_t i = 0; i < count; ++i) {
    const Attribute name = next(c.in, c.owner);
    if (name.kind != Attribute::Kind::string) c.in.fail("expected the name of an attribute to be a string");
    append(name.text, c.in.number(), c.owner, result.fields);
  }
  require_distinct(result.fields, c.owner);
  return result;
}

Attribute AttributeDecoder::quoted(Context& c, Attribute::Kind kind) {
  Attribute result;
  result.kind = kind;
  result.text = string(c.in);
  return result;
}

Attribute AttributeDecoder::symbol(Context& c) {
  Attribute result = next(c.in, c.owner);
  if (result.kind != Attribute::Kind::string) c.in.fail("expected the name of a symbol to be a string");
  result.kind = Attribute::Kind::symbol;
  return result;
}

// A number's type is known by name; other types matter to no operation.
Attribute AttributeDecoder::type(Context& c) {
  Attribute result;
  const std::size_t index = c.in.number();
  const auto number = types_.number_type(index);
  result.kind = number ? Attribute::Kind::word : Attribute::Kind::opaque;
  result.text = number ? number->name : types_.is_none(index) ? not_given : "type";
  return result;
}

ElementType AttributeDecoder::number_type(Context& c) {
  const auto type = types_.number_type(c.in.number());
  if (!type) c.in.fail("expected the type of a number");
  return *type;
}

namespace {

// Numbers of up to eight bits take one byte.
std::uint64_t read_bits(ByteReader& in, int bits) {
  constexpr int bits_of_a_byte = 8;
  return bits <= bits_of_a_byte ? in.byte() : static_cast<std::uint64_t>(in.signed_number());
}

}  // namespace

Attribute AttributeDecoder::integer(Context& c) {
  const ElementType type = number_type(c);
  const std::uint64_t bits = read_bits(c.in, type.bits);
  Attribute result;
  if (type.bits == 1) {
    result.kind = Attribute::Kind::boolean;
    result.integer = static_cast<std::int64_t>(bits & 1);
    return result;
  }
  result.kind = Attribute::Kind::integer;
  const int unused = 64 - type.bits;
  const bool is_unsigned = type.dtype && is_unsigned_integer(*type.dtype);
  result.integer = is_unsigned ? static_cast<std::int64_t>(bits << unused >> unused)
                               : static_cast<std::int64_t>(bits << unused) >> unused;
  if (type.dtype) result.type = Type(*type.dtype, {});
  return result;
}

Attribute AttributeDecoder::real_number(ByteReader& in, const ElementType& type, const Owner& owner) {
  const std::uint64_t bits = read_bits(in, type.bits);
  if (!type.dtype || !is_float(*type.dtype))
    source_.fail_unsupported(owner.at, concat(owner.name, ": numbers of type ", type.name, " are not supported"),
                             type.name);
  Attribute result;
  result.kind = Attribute::Kind::real;
  result.type = Type(*type.dtype, {});
  static_assert(std::endian::native == std::endian::little);
  const std::span<const std::byte> bytes = std::as_bytes(std::span(&bits, 1)).first(byte_size(*type.dtype));
  std::string text;
  text::print_element(text, {result.type.part, bytes}, 0);
  result.text = keep(std::move(text));
  return result;
}

Attribute AttributeDecoder::real(Context& c) {
  const ElementType type = number_type(c);
  return real_number(c.in, type, c.owner);
}

Attribute AttributeDecoder::tensor(Context& c) {
  Attribute result;
  result.kind = Attribute::Kind::dense;
  result.is_raw = true;
  result.type = types_.attribute_type(c.in.number(), c.owner);
  if (result.type.part.dtype() == DType::token)
    source_.fail(c.owner.at, concat(c.owner.name, ": a token has no elements"));
  result.text = c.in.bytes(c.in.number());
  return result;
}

Attribute AttributeDecoder::dense_array(Context& c) {
  const ElementType type = number_type(c);
  const std::size_t count = c.in.number();
  const std::string_view bytes = c.in.bytes(c.in.number());
  Attribute result;
  result.kind = Attribute::Kind::integers;
  if (!type.dtype || is_float(*type.dtype)) fail_unsupported(c, "lists of real numbers are not supported", "array");
  const std::size_t width = byte_size(*type.dtype);
  if (bytes.size() / width != count || bytes.size() % width != 0)
    c.in.fail(concat("expected ", count, " numbers of ", width, " bytes, got ", bytes.size(), " bytes"));
  spend(count * sizeof(std::int64_t));
  for (std::size_t i = 0; i < count; ++i) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, bytes.data() + i * width, width);
    const int unused = 64 - 8 * static_cast<int>(width);
    result.integers.push_back(static_cast<std::int64_t>(bits << unused) >> unused);
  }
  return result;
}

std::vector<std::int64_t> AttributeDecoder::numbers(ByteReader& in) {
  std::vector<std::int64_t> numbers(in.count("numbers"));
  for (std::int64_t& number : numbers) number = in.signed_number();
  return numbers;
}

}  // namespace weft::ir::bytecode
